/* The shape of the launches for a frame: blocks and copies for each plane, the kernel that
 * counts it, and how the kernel's threads go through it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/plan.h"

#include <string.h>

#include "engine/cuda/tuning.h"

#define THREADS(name, threads) threads,
static const guint kernel_threads[] = { HISTO_COUNT_KERNELS (THREADS) };
#undef THREADS

/* ---- Copies --------------------------------------------------------------------------- */

/**
 * histo_cuda_plan_ranges_log2:
 *
 * Returns: log2 of the fewest ranges of the bins such that a packed copy of the counters of
 *   one range fits in shared memory; more than %HISTO_MAX_RANGES_LOG2 if none fits
 */
guint
histo_cuda_plan_ranges_log2 (const HistoCudaLimits * limits)
{
  const guint64 room = histo_cuda_plan_shared_room (limits);
  guint log2 = 0;

  while (log2 <= HISTO_MAX_RANGES_LOG2
      && histo_range_bins (log2) * sizeof (guint16) > room)
    log2++;
  return log2;
}

/* The counters of 16-bit samples fit in a packed copy where 32-bit counters do not fit.
 * @has_no_halves: see HistoVideoLaunch */
static guint8
choose_copies (const HistoCudaLimits * limits, const HistoCudaTuning * tuning,
    guint32 n_bins, gboolean has_no_halves)
{
  const guint8 copies =
      histo_cuda_plan_copies (limits, tuning->most_copies_log2, n_bins);

  if (copies == HISTO_NO_COPIES && n_bins == HISTO_PACKED_BINS && !has_no_halves
      && histo_cuda_plan_ranges_log2 (limits) <= HISTO_MAX_RANGES_LOG2)
    return HISTO_PACKED_COPY;
  return copies;
}

/* log2 of the bytes from bin to bin. */
static guint
bin_log2 (guint copies_log2)
{
  if (copies_log2 == HISTO_PACKED_COPY)
    return 1;
  return copies_log2 == HISTO_NO_COPIES ? 2 : copies_log2 + 2;
}

/* ---- Words of three fields of ten bits ------------------------------------------------- */

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

/* Bytes of shared memory for the counters. */
static guint
tens_bytes (const HistoTensLayout * layout)
{
  return histo_tens_rows (layout->n_parts, layout->has_two_bits)
      * WARP_SIZE * sizeof (guint32);
}

/* Returns: the layout of the plane's words; NULL if the kernel `tens` does not count such a plane
 * on this device */
static const HistoTensLayout *
find_tens_layout (const HistoCudaLimits * limits, const HistoPlane * plane)
{
  for (guint i = 0; i < HISTO_N_TENS_LAYOUTS; i++) {
    const HistoTensLayout *layout = &histo_tens_layouts[i];

    if (plane->kind == HISTO_PLANE_PACKED && has_layout (plane, layout)
        && tens_bytes (layout) <= histo_cuda_plan_shared_room (limits))
      return layout;
  }
  return NULL;
}

/* @n_threads: of a block of the kernel `tens`
 * @n_blocks: blocks that the plane has otherwise
 *
 * Returns: the blocks for a plane: if the kernel `tens` counts it, so many times @n_blocks that no
 *   counter overflows */
static guint
tens_blocks (const HistoCudaLimits * limits,
    const HistoPlane * plane, guint n_threads, guint n_blocks)
{
  const HistoTensLayout *layout = find_tens_layout (limits, plane);
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

/* Lists for the kernel where the counters of the plane's components are. */
static void
fill_tens (const HistoTensLayout * layout,
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

/* ---- Planes --------------------------------------------------------------------------- */

/* Makes rows without gaps one long row, so that the rest that is counted sample by sample
 * comes once in the plane. A thread's next period must still fit in 32 bits. */
static void
join_rows (HistoPlane * plane)
{
  guint64 row_bytes = (guint64) plane->periods * plane->period_bytes;
  guint64 periods = (guint64) plane->periods * plane->rows;

  if (plane->full_periods != plane->periods
      || plane->stride != (gint64) row_bytes || periods > G_MAXINT32)
    return;
  plane->periods = plane->full_periods = periods;
  for (guint i = 0; i < plane->n_samples; i++)
    plane->samples[i].count = periods;
  plane->rows = 1;
  /* Only the address of a single row must be a multiple of 16, not the stride. */
  plane->stride = 0;
}

/* Components of one plane share the blocks and their counters, so that the plane is read
 * once. If no copy of all these counters fits, each component becomes a plane of its own. */
static void
split_planes (const HistoCudaLimits * limits, const HistoCudaTuning * tuning,
    HistoVideoLaunch * launch)
{
  HistoPlane whole[HISTO_MAX_PLANES];
  guint n_whole = launch->n_planes, n = 0;

  memcpy (whole, launch->planes, sizeof whole);
  for (guint p = 0; p < n_whole; p++) {
    guint components = 0;       /* a bit for each */

    if (histo_cuda_plan_copies (limits, tuning->most_copies_log2,
            whole[p].n_bins) != HISTO_NO_COPIES) {
      launch->planes[n++] = whole[p];
      continue;
    }
    for (guint i = 0; i < whole[p].n_samples; i++)
      components |= 1u << whole[p].samples[i].component;
    for (guint c = 0; c < HISTO_MAX_COMPONENTS; c++) {
      if (components & 1u << c)
        histo_plane_select_component (&whole[p], c, &launch->planes[n++]);
    }
  }
  launch->n_planes = n;
}

/* ---- Families ------------------------------------------------------------------------- */

/* Gives each sample the number of its field: samples with equal shifts have the same field.
 * FALSE if there are more than HISTO_MAX_FIELDS. */
static gboolean
find_fields (const HistoPlane * plane, guint fields[HISTO_MAX_SAMPLES])
{
  guint8 shifts[HISTO_MAX_FIELDS];
  guint n = 0;

  for (guint i = 0; i < plane->n_samples; i++) {
    guint field = 0;

    while (field < n && shifts[field] != plane->samples[i].shift)
      field++;
    if (field == G_N_ELEMENTS (shifts))
      return FALSE;
    if (field == n)
      shifts[n++] = plane->samples[i].shift;
    fields[i] = field;
  }
  return TRUE;
}

/* The place of a sample's field in HistoUnits.bases, and its bit in HistoUnits.present. */
static guint
field_place (const HistoSample * sample, guint field)
{
  return sample->offset / 4 * HISTO_MAX_FIELDS + field;
}

/* Whether the samples are fields of 32-bit words, each of its own, so that a rotation and a
 * mask for each field find them: three of 10 bits and one of two bits in a word. */
static gboolean
has_fields (const HistoPlane * plane)
{
  guint32 masks[HISTO_MAX_FIELDS] = { 0, };
  guint used = 0;               /* a bit for each field of each word */
  guint end = 0, fields[HISTO_MAX_SAMPLES];

  if (plane->period_bytes > 4 * HISTO_MAX_FIELD_WORDS
      || !find_fields (plane, fields))
    return FALSE;
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];
    const guint32 bin = sample->first_bin - plane->first_bin;
    const guint field = fields[i];
    guint bit;

    if (sample->bytes != 4 || sample->offset % 4 != 0)
      return FALSE;
    bit = 1u << field_place (sample, field);
    /* The kernels make a counter's address of disjoint bits. */
    if ((used & bit) != 0 || (bin & sample->mask) != 0
        || (masks[field] != 0 && masks[field] != sample->mask))
      return FALSE;
    masks[field] = sample->mask;
    used |= bit;
    end = MAX (end, sample->offset + 4u);
  }
  /* A row may end with its last sample. A unit reads whole periods; so the last word of the
   * period must hold a sample. */
  return end == plane->period_bytes;
}

/* NULL: only the kernel `any` counts the plane. */
static const HistoFamily *
find_family (const HistoPlane * plane)
{
  if (plane->kind != HISTO_PLANE_PACKED)
    return histo_family_of_words (plane);
  /* Families of fields have any gaps. */
  return has_fields (plane) ?
      histo_family_find (HISTO_PLANE_PACKED, plane->period_bytes, 0) : NULL;
}

/* Returns a kernel of HISTO_COUNT_KERNELS. */
static guint8
choose_kernel (const HistoFamily * family, guint copies_log2, guint ranges_log2)
{
  if (copies_log2 == HISTO_PACKED_COPY)
    return ranges_log2 > 0 ? HISTO_COUNT_ranges : HISTO_COUNT_packed;
  if (copies_log2 == HISTO_NO_COPIES || family == NULL)
    return HISTO_COUNT_any;
  return family->kernel;
}

/* ---- Units ---------------------------------------------------------------------------- */

/* Offset in bytes of the first counter of the sample's component. */
static guint32
base_offset (const HistoPlane * plane, const HistoSample * sample,
    guint copies_log2)
{
  guint32 bin = sample->first_bin - plane->first_bin;

  if (plane->kind == HISTO_PLANE_WORDS
      && copies_log2 <= HISTO_PERMUTED_COPIES_LOG2)
    bin = histo_permute_bin (bin, copies_log2);
  return bin << bin_log2 (copies_log2);
}

static void
fill_fields (const HistoPlane * plane, guint copies_log2, HistoUnits * units)
{
  guint fields[HISTO_MAX_SAMPLES];

  find_fields (plane, fields);
  units->byte_order = plane->big_endian ? 0x0123 : 0x3210;
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];
    const guint field = fields[i];
    const guint place = field_place (sample, field);

    units->rotations[field] = (sample->shift - bin_log2 (copies_log2)) & 31;
    units->masks[field] = sample->mask << bin_log2 (copies_log2);
    units->bases[place] = base_offset (plane, sample, copies_log2);
    units->present |= 1u << place;
  }
}

static void
fill_words (const HistoPlane * plane, const HistoFamily * family,
    guint copies_log2, HistoUnits * units)
{
  const guint word_bits = 8 * family->word_bytes;

  units->byte_order = plane->big_endian ? 0x2301 : 0x3210;
  units->mask = plane->samples[0].mask << bin_log2 (copies_log2);
  for (guint k = 0; k < 32 / word_bits; k++)
    units->rotations[k] = (word_bits * k + plane->samples[0].shift -
        bin_log2 (copies_log2)) & 31;
  for (guint w = 0; w < family->n_words; w++) {
    if (plane->word_sample[w] == HISTO_NO_SAMPLE)
      continue;
    units->present |= 1u << w;
    units->bases[w] = base_offset (plane,
        &plane->samples[plane->word_sample[w]], copies_log2);
  }
}

/* Computes how @n_threads threads go through a plane of the family by units. Leaves no
 * columns if rows do not begin at multiples of 16 bytes, are shorter than a unit, or have
 * 2^32 units or more. */
static void
fill_units (const HistoPlane * plane, const HistoFamily * family,
    guint copies_log2, guint n_threads, HistoUnits * units)
{
  const guint unit_bytes = family->unit_bytes;
  guint64 total;

  units->columns = plane->full_periods / (unit_bytes / plane->period_bytes);
  total = (guint64) units->columns * plane->rows;
  if (((plane->data | (guint64) plane->stride) & 15) != 0
      || units->columns == 0 || total > G_MAXUINT32) {
    units->columns = 0;
    return;
  }
  units->data = plane->data;
  units->stride = plane->stride;
  units->columns_reciprocal =
      MIN ((G_GUINT64_CONSTANT (1) << 32) / units->columns, G_MAXUINT32);
  units->step_columns = n_threads % units->columns;
  units->step_bytes = (gint64) (n_threads / units->columns) * plane->stride +
      (gint64) units->step_columns * unit_bytes;
  units->wrap_bytes = plane->stride - (gint64) units->columns * unit_bytes;
  units->n_steps = total / n_threads;
  units->n_more = total % n_threads;
  if (copies_log2 == HISTO_HALF_COPIES)
    return;
  if (family->kind == HISTO_PLANE_PACKED)
    fill_fields (plane, copies_log2, units);
  else
    fill_words (plane, family, copies_log2, units);
}

/* ---- Blocks --------------------------------------------------------------------------- */

/* Sets first_block. The planes share the multiprocessors in proportion to their bytes; each
 * has at least one block, and no more than are worth while. A plane whose blocks count ranges
 * has as many blocks for each. */
static void
divide_blocks (const HistoCudaLimits * limits, const HistoCudaTuning * tuning,
    HistoVideoLaunch * launch)
{
  /* If one plane is counted in ranges, all planes of the frame have multiples of so many
   * blocks: GStreamer's formats with 16 bits have no component with fewer bits. */
  const guint log2 = launch->ranges_log2;
  const guint most = MAX (limits->n_multiprocessors >> log2, 1);
  guint64 bytes[HISTO_MAX_PLANES], total = 0, before = 0, begin = 0;
  guint blocks = 0;

  for (guint p = 0; p < launch->n_planes; p++) {
    const HistoPlane *plane = &launch->planes[p];

    bytes[p] = (guint64) plane->rows * plane->periods * plane->period_bytes;
    total += bytes[p];
  }
  for (guint p = 0; p < launch->n_planes; p++) {
    guint64 worth = bytes[p] / tuning->video_bytes_per_block + 1;
    guint64 share, end;

    /* Limits between planes are rounded, not shares: the sum must not be one more than the
     * multiprocessors, because that block would wait for all others. */
    before += bytes[p];
    end = total == 0 ? 0 : (before * most + total / 2) / total;
    share = end - begin;
    begin = end;

    launch->first_block[p] = blocks;
    blocks += tens_blocks (limits, &launch->planes[p],
        kernel_threads[HISTO_COUNT_tens], MAX (1, MIN (share, worth)) << log2);
  }
  for (guint p = launch->n_planes; p <= HISTO_MAX_PLANES; p++)
    launch->first_block[p] = blocks;
}

/* Chooses a plane's copies and kernel, and adds the plane to the kernel's grid. */
static void
plan_plane (const HistoCudaLimits * limits, const HistoCudaTuning * tuning,
    HistoVideoLaunch * launch, guint p, HistoCudaVideoPlan * plan)
{
  const HistoPlane *plane = &launch->planes[p];
  const HistoFamily *family = find_family (plane);
  const HistoTensLayout *tens = find_tens_layout (limits, plane);
  const guint8 copies = tens != NULL ? HISTO_HALF_COPIES :
      choose_copies (limits, tuning, plane->n_bins, launch->has_no_halves);
  const guint8 kernel = tens != NULL ? HISTO_COUNT_tens :
      choose_kernel (family, copies, launch->ranges_log2);
  const guint ranges_log2 =
      kernel == HISTO_COUNT_ranges ? launch->ranges_log2 : 0;
  HistoCudaGrid *grid = &plan->count[kernel];

  launch->copies_log2[p] = copies;
  launch->kernels[p] = kernel;
  launch->n_samples[p] = 0;
  for (guint i = 0; i < plane->n_samples; i++)
    launch->n_samples[p] += (guint64) plane->rows * plane->samples[i].count;
  grid->blocks = launch->first_block[launch->n_planes];
  grid->channel_blocks = grid->buffers = 1;
  grid->threads = kernel_threads[kernel];
  grid->shared_bytes = MAX (grid->shared_bytes,
      tens != NULL ? tens_bytes (tens) :
      histo_cuda_plan_counters_bytes (plane->n_bins, copies) >> ranges_log2);
  memset (&launch->units[p], 0, sizeof launch->units[p]);
  /* `packed`, `ranges` and `any` count families of `shorts` by units: these planes alone can have more bins than shared
   * memory holds. All planes of `tens` have a family of `fields`. */
  if (family != NULL && (family->kernel == kernel || family->kernel == HISTO_COUNT_shorts || kernel == HISTO_COUNT_tens))
    fill_units (plane, family, copies, ((launch->first_block[p + 1] -
                launch->first_block[p]) >> ranges_log2) * kernel_threads[kernel],
        &launch->units[p]);
  if (tens != NULL)
    fill_tens (tens, plane, &launch->units[p]);
}

/* ---- Memory --------------------------------------------------------------------------- */

static guint
spread_log2 (const HistoCudaTuning * tuning, guint32 n_bins)
{
  return n_bins <= tuning->video_spread_bins ? tuning->video_spread_log2 : 0;
}

static gsize
sums_bytes (const HistoCudaTuning * tuning, guint32 n_bins)
{
  return (n_bins * sizeof (guint64)) << spread_log2 (tuning, n_bins);
}

/* Bytes at the start of scratch memory that are zero between launches. */
gsize
histo_cuda_plan_video_counters (const HistoCudaLimits * limits, guint32 n_bins)
{
  HistoCudaTuning tuning;

  histo_cuda_tuning_get (limits, &tuning);
  return sums_bytes (&tuning, n_bins);
}

/**
 * histo_cuda_plan_video_scratch:
 *
 * Returns: bytes of scratch memory in device memory for a frame. The first
 * histo_cuda_plan_video_counters() bytes must be zero before the first launch; launches that
 * may overlap need scratch memory of their own
 */
gsize
histo_cuda_plan_video_scratch (const HistoCudaLimits * limits,
    const HistoFormat * format, guint32 n_bins)
{
  const guint ranges_log2 = histo_cuda_plan_ranges_log2 (limits);
  gsize tables = 0;

  for (guint c = 0; c < format->n_components; c++) {
    if (histo_cuda_plan_is_packed (limits, format, c))
      tables = (gsize) histo_range_bins (ranges_log2) *
          (limits->n_multiprocessors + (HISTO_MAX_PLANES << ranges_log2));
  }
  return histo_cuda_plan_align (histo_cuda_plan_video_counters (limits,
          n_bins)) + tables;
}

/* Where the halves begin in a result of @n_bins counters, in bytes. */
gsize
histo_cuda_plan_halves_offset (guint32 n_bins)
{
  return histo_cuda_plan_align (n_bins * sizeof (guint32));
}

/**
 * histo_cuda_plan_video_result:
 *
 * Returns: bytes of page-locked memory for the result of a frame: the counters of all
 * components, and halves up to the last component with a packed copy
 */
gsize
histo_cuda_plan_video_result (const HistoCudaLimits * limits,
    const HistoFormat * format, guint32 n_bins)
{
  gsize size = n_bins * sizeof (guint32);

  for (guint c = 0; c < format->n_components; c++) {
    if (histo_cuda_plan_is_packed (limits, format, c))
      size = histo_cuda_plan_halves_offset (n_bins)
          + (c + 1) * sizeof (HistoHalves);
  }
  return size;
}

/* Whether the component is counted in a packed copy, by blocks of its own. */
gboolean
histo_cuda_plan_is_packed (const HistoCudaLimits * limits,
    const HistoFormat * format, guint component)
{
  HistoCudaTuning tuning;

  histo_cuda_tuning_get (limits, &tuning);
  return choose_copies (limits, &tuning,
      1u << format->components[component].depth, FALSE) == HISTO_PACKED_COPY;
}

/* ---- A frame -------------------------------------------------------------------------- */

/**
 * histo_cuda_plan_video:
 * @launch: has planes, n_planes, n_bins, has_no_halves, scratch and result; this fills in the rest, joins
 *   rows and splits planes
 * @plan: (out):
 */
void
histo_cuda_plan_video (const HistoCudaLimits * limits,
    HistoVideoLaunch * launch, HistoCudaVideoPlan * plan)
{
  HistoCudaTuning tuning;

  histo_cuda_tuning_get (limits, &tuning);
  memset (plan, 0, sizeof *plan);
  for (guint p = 0; p < launch->n_planes; p++)
    join_rows (&launch->planes[p]);
  split_planes (limits, &tuning, launch);
  launch->ranges_log2 = 0;
  for (guint p = 0; p < launch->n_planes; p++) {
    if (choose_copies (limits, &tuning, launch->planes[p].n_bins,
            launch->has_no_halves) == HISTO_PACKED_COPY)
      launch->ranges_log2 = histo_cuda_plan_ranges_log2 (limits);
  }
  divide_blocks (limits, &tuning, launch);
  for (guint p = 0; p < launch->n_planes; p++)
    plan_plane (limits, &tuning, launch, p, plan);
  for (guint p = 0; p < launch->n_planes; p++) {
    if (histo_needs_second_launch (launch->copies_log2[p]))
      plan->sum.blocks = HISTO_N_HALVES_GROUPS;
  }
  plan->sum.channel_blocks = launch->n_planes;
  plan->sum.buffers = 1;
  plan->sum.threads = HISTO_PACKED_SUM_THREADS;
  launch->spread_log2 = spread_log2 (&tuning, launch->n_bins);
  launch->tables =
      histo_cuda_plan_align (launch->scratch + sums_bytes (&tuning, launch->n_bins));
  launch->halves =
      launch->result + histo_cuda_plan_halves_offset (launch->n_bins);
}
