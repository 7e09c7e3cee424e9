/* What the engines read of a plane.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/plane.h"

/**
 * histo_plane_sample_end:
 * @sample: one of the plane's
 *
 * Returns: the bytes from the begin of a row to the end of the sample's last occurrence in it; 0
 *   if it does not occur
 */
guint64
histo_plane_sample_end (const HistoPlane * plane, const HistoSample * sample)
{
  if (sample->count == 0)
    return 0;
  return (guint64) (sample->count - 1) * plane->period_bytes + sample->offset
      + sample->bytes;
}

/**
 * histo_plane_select_component:
 * @part: (out): @plane with the samples of one component alone, in the same places
 */
void
histo_plane_select_component (const HistoPlane * plane, guint component,
    HistoPlane * part)
{
  *part = *plane;
  part->n_samples = 0;
  part->periods = 0;
  /* No more full periods than the plane has: this component may have all its samples in the last
   * period of a row, but the row may end before that period does. */
  part->full_periods = plane->full_periods;
  memset (part->word_sample, HISTO_NO_SAMPLE, sizeof part->word_sample);
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];

    if (sample->component != component)
      continue;
    for (guint w = 0; w < plane->n_words; w++) {
      if (plane->word_sample[w] == i)
        part->word_sample[w] = part->n_samples;
    }
    part->samples[part->n_samples++] = *sample;
    part->periods = MAX (part->periods, sample->count);
    part->full_periods = MIN (part->full_periods, sample->count);
    part->first_bin = sample->first_bin;
    part->n_bins = sample->mask + 1;
  }
}

/**
 * histo_plane_row_bytes:
 *
 * Every check of sizes and every copy of rows asks this function what the engines read.
 *
 * Returns: the bytes from the begin of a row to the last byte of it that an engine reads; 0 if
 *   the plane has no samples. The fast paths read whole periods, also the x of RGBx.
 */
guint64
histo_plane_row_bytes (const HistoPlane * plane)
{
  guint64 bytes = plane->kind == HISTO_PLANE_PACKED ? 0 :
      (guint64) plane->full_periods * plane->period_bytes;

  for (guint i = 0; i < plane->n_samples; i++)
    bytes = MAX (bytes, histo_plane_sample_end (plane, &plane->samples[i]));
  return bytes;
}

/**
 * histo_plane_extent:
 * @plane: with its stride set
 *
 * Returns: the bytes from the lowest to the highest address that an engine reads, with the
 *   padding between rows; 0 if the plane has no samples
 */
guint64
histo_plane_extent (const HistoPlane * plane)
{
  const guint64 row_bytes = histo_plane_row_bytes (plane);
  const guint64 stride = plane->stride < 0 ? -plane->stride : plane->stride;

  return row_bytes > 0 && plane->rows > 0 ?
      (plane->rows - 1) * stride + row_bytes : 0;
}
