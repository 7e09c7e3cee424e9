/* Planes that the kernel `tens` counts: words of three fields of ten bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/plan-tens.h"

#define WARP_SIZE 32

/* The part of the counters that the layout gives to a sample; 3 is for the two bits above the
 * fields. More than 3 if the sample is none of the layout's. */
static guint
tens_part (const HistoTensLayout * layout, const HistoSample * sample)
{
  const guint place = sample->offset / 4 * 3 + sample->shift / 10;

  if (sample->bytes != 4 || sample->offset % 4 != 0 || sample->shift % 10 != 0)
    return G_MAXUINT;
  if (sample->shift == 30)
    return layout->has_two_bits && sample->mask == 3 ? 3 : G_MAXUINT;
  return sample->mask == HISTO_TENS_ROWS - 1 ?
      layout->parts >> 4 * place & 3 : G_MAXUINT;
}

/* The index of a component of ten bits among those of the plane; after them come the two
 * bits. */
static guint
tens_component (const HistoPlane * plane, const HistoSample * sample)
{
  return (sample->first_bin - plane->first_bin) / HISTO_TENS_ROWS;
}

/* Whether each field of the plane's words has the part that the layout gives to it. */
static gboolean
has_layout (const HistoPlane * plane, const HistoTensLayout * layout)
{
  const guint n_fields = 3 * layout->n_words;
  guint components[4] = { G_MAXUINT, G_MAXUINT, G_MAXUINT, G_MAXUINT };
  guint parts[4] = { G_MAXUINT, G_MAXUINT, G_MAXUINT, G_MAXUINT };
  guint used = 0;               /* a bit for each field of each word */

  if (plane->period_bytes != 4 * layout->n_words
      || plane->big_endian != layout->big_endian
      || plane->n_samples != n_fields + layout->has_two_bits
      || plane->n_bins != layout->n_parts * HISTO_TENS_ROWS +
      (layout->has_two_bits ? 4u : 0))
    return FALSE;
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];
    const guint part = tens_part (layout, sample);
    const guint component = tens_component (plane, sample);

    if (part > 3
        || (sample->first_bin - plane->first_bin) % HISTO_TENS_ROWS != 0
        || (used & 1u << (sample->offset + sample->shift / 10)) != 0
        || (part == 3) != (component == layout->n_parts)
        || (components[part] != G_MAXUINT && components[part] != component)
        || (parts[component] != G_MAXUINT && parts[component] != part))
      return FALSE;
    used |= 1u << (sample->offset + sample->shift / 10);
    components[part] = component;
    parts[component] = part;
  }
  return TRUE;
}

/**
 * histo_cuda_tens_layout:
 *
 * Returns: the layout of the plane's words; %NULL if the kernel `tens` does not count such a
 *   plane on this device
 */
const HistoTensLayout *
histo_cuda_tens_layout (const HistoCudaLimits * limits,
    const HistoPlane * plane)
{
  for (guint i = 0; i < HISTO_N_TENS_LAYOUTS; i++) {
    const HistoTensLayout *layout = &histo_tens_layouts[i];

    if (plane->kind == HISTO_PLANE_PACKED && has_layout (plane, layout)
        && histo_cuda_tens_bytes (layout) <= histo_cuda_plan_shared_room (limits))
      return layout;
  }
  return NULL;
}

/* Bytes of shared memory for the counters. */
guint
histo_cuda_tens_bytes (const HistoTensLayout * layout)
{
  return histo_tens_rows (layout->n_parts, layout->has_two_bits)
      * WARP_SIZE * sizeof (guint32);
}

/**
 * histo_cuda_tens_blocks:
 * @n_threads: of a block of the kernel `tens`
 * @n_blocks: blocks that the plane has otherwise
 *
 * Returns: the blocks for a plane: if the kernel `tens` counts it, so many times @n_blocks that no
 *   counter overflows
 */
guint
histo_cuda_tens_blocks (const HistoCudaLimits * limits,
    const HistoPlane * plane, guint n_threads, guint n_blocks)
{
  const HistoTensLayout *layout = histo_cuda_tens_layout (limits, plane);
  guint64 units, most;

  if (layout == NULL || layout->n_parts == 1)
    return n_blocks;
  units = (guint64) plane->rows * plane->periods * plane->period_bytes / 16;
  /* A thread may have one unit more than others, and one period more of what is counted sample by
   * sample. */
  most = (guint64) n_blocks * n_threads
      * (histo_tens_most_units (n_threads, layout->most) - 2);
  return n_blocks * (units / most + 1);
}

/* Tells the kernel where the counters of the plane's components are. */
void
histo_cuda_tens_fill (const HistoTensLayout * layout,
    const HistoPlane * plane, HistoUnits * units)
{
  units->layout = layout - histo_tens_layouts;
  units->present = 0;
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];
    const guint part = tens_part (layout, sample);

    units->bases[part] = sample->first_bin - plane->first_bin;
    units->present |= part << 2 * tens_component (plane, sample);
  }
}
