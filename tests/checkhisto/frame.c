/* Frames for the kernels to count: planes laid out in poisoned memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frame.h"

#include <string.h>

void
fill_content (guint8 * data, gsize size, Content content)
{
  guint8 word[2], few[4];

  check_random_fill (word, sizeof word);
  check_random_fill (few, sizeof few);
  if (content == CONTENT_RANDOM)
    check_random_fill (data, size);
  for (gsize i = 0; i < size; i++) {
    switch (content) {
      case CONTENT_ZERO:
        data[i] = 0;
        break;
      case CONTENT_ONES:
        data[i] = 0xff;
        break;
      case CONTENT_PAIRS:
        if (i % 4 == 0 && check_chance (8))
          check_random_fill (few, sizeof few);
        data[i] = few[i % 4];
        break;
      case CONTENT_RUNS:
        if (i % 16 == 0 && check_chance (4))
          check_random_fill (word, sizeof word);
        data[i] = word[i % 2];
        break;
      case CONTENT_CONSTANT:
        data[i] = word[i % 2];
        break;
      case CONTENT_ONE_BANK:
        data[i] = check_random (8) * 32;
        break;
      case CONTENT_FEW:
        data[i] = few[check_random (4)];
        break;
      case CONTENT_RARE:
        data[i] = check_chance (64) ? check_random (256) : word[i % 2];
        break;
      default:
        break;
    }
  }
}

/* ---- Layout --------------------------------------------------------------------------- */

static gint64
choose_stride (gint64 row_bytes, Strides strides)
{
  gint64 stride = row_bytes;

  if (strides == STRIDES_NONE)
    return stride;
  switch (check_random (4)) {
    case 0:                    /* no gaps */
      break;
    case 1:
      stride += check_random (70);
      break;
    default:                   /* as the fast paths want it */
      stride = (stride + check_random (64) + 15) / 16 * 16;
  }
  return check_chance (5) ? -stride : stride;
}

/* The memory ends with the last byte that may be read, or goes on for a while. */
static void
lay_out (HistoPlane * plane, Slab * slab, Strides strides)
{
  const gint64 row_bytes = histo_plane_row_bytes (plane);
  const gint64 last = (gint64) MAX (plane->rows, 1) - 1;
  gsize before = 0, after = 0, extent;

  plane->stride = choose_stride (row_bytes, strides);
  if (strides == STRIDES_ANY) {
    before = check_chance (2) ? 16 * check_random (4) : check_random (64);
    after = check_chance (2) ? 0 : check_random (64);
  }
  extent = ABS (plane->stride) * last + row_bytes;
  slab->first = before + (plane->stride < 0 ? -plane->stride * last : 0);
  slab->size = before + extent + after;
  slab->host = g_malloc (MAX (slab->size, 1));
  check_random_fill (slab->host, slab->size);
  slab->device = check_alloc (slab->size);
  plane->data = slab->device + slab->first;
}

void
frame_init (Frame * frame, const HistoFormat * format, Strides strides)
{
  memset (frame, 0, sizeof *frame);
  frame->format = *format;
  frame->format.components = g_memdup2 (format->components,
      format->n_components * sizeof *format->components);
  memcpy (frame->planes, format->planes, sizeof frame->planes);
  for (guint p = 0; p < format->n_planes; p++)
    lay_out (&frame->planes[p], &frame->slabs[p], strides);
}

void
frame_fill (Frame * frame, Content content)
{
  for (guint p = 0; p < frame->format.n_planes; p++) {
    const HistoPlane *plane = &frame->planes[p];
    guint8 *first = frame->slabs[p].host + frame->slabs[p].first;

    for (guint y = 0; y < plane->rows; y++)
      fill_content (first + y * plane->stride, histo_plane_row_bytes (plane),
          content);
  }
}

void
frame_upload (Frame * frame)
{
  for (guint p = 0; p < frame->format.n_planes; p++)
    check_copy_to (frame->slabs[p].device, frame->slabs[p].host,
        frame->slabs[p].size);
  check_device_wait ();
}

void
frame_clear (Frame * frame)
{
  check_device_wait ();
  for (guint p = 0; p < frame->format.n_planes; p++) {
    check_free (frame->slabs[p].device);
    g_free (frame->slabs[p].host);
  }
  g_free (frame->format.components);
}

/* ---- Reading and counting ---------------------------------------------------------------------------- */

void
frame_read (const Frame * frame, ReferencePicture * picture)
{
  GstVideoInfo info = frame->format.video;
  const guint8 *data[4] = { NULL, };

  for (guint p = 0; p < frame->format.n_planes; p++) {
    data[p] = frame->slabs[p].host + frame->slabs[p].first;
    info.stride[p] = frame->planes[p].stride;
  }
  if (!reference_picture_init (picture, &info, data))
    g_error ("the reference does not know %s", histo_format_name (&frame->format));
}

static guint32
read_sample (const guint8 * period, const HistoSample * sample,
    gboolean big_endian)
{
  guint64 word = 0;

  for (guint i = 0; i < sample->bytes; i++) {
    const guint8 byte = period[sample->offset + i];

    if (big_endian)
      word = word * 256 + byte;
    else
      word += (guint64) byte << (8 * i);
  }
  return (guint32) (word >> sample->shift) & sample->mask;
}

guint32 *
frame_count (const Frame * frame)
{
  guint32 *counters = g_new0 (guint32, MAX (frame->format.n_bins, 1));

  for (guint p = 0; p < frame->format.n_planes; p++) {
    const HistoPlane *plane = &frame->planes[p];
    const guint8 *first = frame->slabs[p].host + frame->slabs[p].first;

    for (guint s = 0; s < plane->n_samples; s++) {
      const HistoSample *sample = &plane->samples[s];

      for (guint y = 0; y < plane->rows; y++) {
        for (guint x = 0; x < sample->count; x++)
          counters[sample->first_bin + read_sample (first + y * plane->stride +
                  (gsize) x * plane->period_bytes, sample,
                  plane->big_endian)]++;
      }
    }
  }
  return counters;
}

void
frame_describe (const Frame * frame, GString * text)
{
  for (guint p = 0; p < frame->format.n_planes; p++) {
    const HistoPlane *plane = &frame->planes[p];

    g_string_append_printf (text,
        "\n      plane %u: kind %u, %u rows of %u (%u full) periods of %u bytes, "
        "%u samples of %u bits, %u words, %u bins, stride %" G_GINT64_FORMAT
        ", data %% 16 = %u%s", p, plane->kind, plane->rows, plane->periods,
        plane->full_periods, plane->period_bytes, plane->n_samples,
        g_bit_storage (plane->samples[0].mask), plane->n_words, plane->n_bins,
        plane->stride, (guint) (plane->data % 16),
        plane->big_endian ? ", big endian" : "");
  }
}
