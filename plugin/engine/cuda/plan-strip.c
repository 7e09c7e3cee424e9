/* The shape of the launches that measure the groups and regions of a frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/plan-strip.h"

#include <string.h>

#include "engine/cuda/plan-samples.h"
#include "engine/cuda/tuning.h"

/* The threads of a block of each kernel. */
#define THREADS(name, quad, counters, form, all, threads) threads,
static const guint threads[] = { HISTO_REGION_KERNELS (THREADS) };
#undef THREADS

/* ---- What is measured ------------------------------------------------------------------- */

/* The flags of the groups. */
static const guint group_flags[HISTO_N_GROUPS] = {
  [HISTO_GROUP_SIGNAL] = HISTO_FLAG_SIGNAL,
  [HISTO_GROUP_MOTION] = HISTO_FLAG_MOTION,
  [HISTO_GROUP_COLOR] = HISTO_FLAG_COLOR,
  [HISTO_GROUP_HDR] = HISTO_FLAG_HDR,
  [HISTO_GROUP_DETAIL] = HISTO_FLAG_DETAIL,
  [HISTO_GROUP_AREA] = HISTO_FLAG_AREA,
  [HISTO_GROUP_GAMUT] = HISTO_FLAG_GAMUT,
  [HISTO_GROUP_GAMUT_FILTER] = HISTO_FLAG_FILTER,
  [HISTO_GROUP_FLASH] = HISTO_FLAG_FLASH,
  [HISTO_GROUP_FIELD] = HISTO_FLAG_FIELD,
};

/* Returns: what is to be measured: HISTO_FLAG_… */
guint
histo_cuda_plan_flags (const HistoPlan * plan)
{
  const gboolean has_hdr = histo_plan_has_group (plan, HISTO_GROUP_HDR);
  guint found = plan->n_regions > 1 ? HISTO_FLAG_SAMPLES : 0;

  if (plan->n_light_bins > 0)
    found |= HISTO_FLAG_LIGHT;
  else if (has_hdr && !plan->formulas.is_rgb && !histo_plan_has_group (plan, HISTO_GROUP_COLOR))
    found |= HISTO_FLAG_GREATEST;

  for (guint group = 0; group < HISTO_N_GROUPS; group++) {
    if (histo_plan_has_group (plan, group))
      found |= group_flags[group];
  }
  if ((found & HISTO_FLAG_FLASH) != 0 && plan->hlg != NULL)
    found ^= HISTO_FLAG_FLASH | HISTO_FLAG_FLASH_OF_HLG;
  return found;
}

/* ---- The launches of a region ------------------------------------------------------------------ */

/* The flags of a component: what makes a launch count it, and what is found with it. */
static guint
flags_of (const HistoCudaGroupsPlan * groups, const HistoComponent * component)
{
  const guint flag = component->source == HISTO_SOURCE_SAMPLE ? HISTO_FLAG_SAMPLES : group_flags[component->group];

  return flag == HISTO_FLAG_HDR ? flag | (groups->flags & HISTO_FLAG_GREATEST) : flag;
}

/* So many copies fit, and the place of a counter among those of its component has HISTO_PLACE_BITS. */
static guint
most_copies (const HistoCudaGroupsPlan * groups, guint n_bins)
{
  const guint bits = groups->plan->format->formula_depth + 2;
  HistoCudaTuning tuning;

  histo_cuda_tuning_get (&groups->limits, &tuning);
  return histo_cuda_plan_copies (&groups->limits,
      MIN (tuning.most_copies_log2, MAX (HISTO_PLACE_BITS, bits) - bits),
      n_bins);
}

/* The strip counts hue alone. */
static guint
copies_of_hue (const HistoCudaGroupsPlan * groups, const HistoCudaGroupsPart * part)
{
  HistoCudaTuning tuning;

  histo_cuda_tuning_get (&groups->limits, &tuning);
  return histo_cuda_plan_copies (&groups->limits, tuning.most_copies_log2, part->n_bins);
}

/* Ends the list of parts with one more: the components from @first to @end - 1. */
static void
append_part (HistoCudaGroupsPlan * groups, guint flags, guint first, guint end)
{
  const HistoComponent *components = groups->plan->components;
  HistoCudaGroupsPart *part = &groups->parts[groups->n_parts++];

  part->flags = flags;
  part->first_component = first;
  part->end_component = end;
  part->first_bin = first < end ? components[first].first_bin : 0;
  part->n_bins = first < end ? components[end - 1].first_bin
      + components[end - 1].n_values - part->first_bin : 0;
  part->copies_log2 = most_copies (groups, part->n_bins);
}

/* Divides the components of a region into parts, each of which one launch counts: whole groups, as many as
 * shared memory has room for. Returns whether it has; else blocks own the components. */
static gboolean
divide_components (HistoCudaGroupsPlan * groups)
{
  const HistoPlan *plan = groups->plan;
  const guint n = plan->n_region_components;
  guint flags = 0, begin = 0, others = groups->flags;

  groups->n_parts = 0;
  for (guint i = 0; i < n;) {
    const guint own = flags_of (groups, &plan->components[i]);
    const HistoComponent *last;
    guint end = i;

    while (end < n && flags_of (groups, &plan->components[end]) == own)
      end++;
    last = &plan->components[end - 1];
    if (most_copies (groups, last->first_bin + last->n_values
            - plan->components[begin].first_bin) == HISTO_NO_COPIES) {
      if (begin == i)
        return FALSE;
      append_part (groups, flags, begin, i);
      begin = i;
      flags = 0;
      continue;
    }
    flags |= own;
    others &= ~own;
    i = end;
  }
  /* What has no components belongs to the last part. */
  append_part (groups, flags | others, begin, n);
  return TRUE;
}

/* ---- The kernels ------------------------------------------------------------------------------- */

static guint
row_tables (guint flags)
{
  return (flags & HISTO_FLAGS_MORE) != 0 ? 3 : 2;
}

/* The kernels of a kind follow each other in the order of the forms. @part: gets the kernel of progressive frames; see
 * kernel_of_frame() */
static void
choose_kernel (const HistoCudaGroupsPlan * groups, HistoCudaGroupsPart * part)
{
  const gboolean has_more = (part->flags & HISTO_FLAGS_MORE) != 0;
  guint kernel;

  if (groups->has_owners)
    kernel = HISTO_REGION_KERNEL_deep_rows;
  else if (groups->bytes == 2)
    kernel = has_more ? HISTO_REGION_KERNEL_all_words_rows : HISTO_REGION_KERNEL_words_rows;
  else if (!groups->has_rows)
    kernel = HISTO_REGION_KERNEL_few_bytes_rows;
  else
    kernel = has_more ? HISTO_REGION_KERNEL_all_bytes_rows : HISTO_REGION_KERNEL_bytes_rows;
  part->kernel = kernel + groups->form;
}

/* ---- Counters ---------------------------------------------------------------------------------- */

/* Where a component's counters are: its bytes in the block's counters. */
static void
place_component (const HistoCudaGroupsPlan * groups,
    const HistoCudaGroupsPart * part, const HistoComponent * component,
    HistoStripLaunch * launch, HistoStripTable * table)
{
  const guint source = component->source;
  const guint c = source == HISTO_SOURCE_SAMPLE || source ==
      HISTO_SOURCE_DIFFERENCE ? component->native : 0;
  const HistoRowsLayout rows = histo_rows_layout (launch->n_row_tables);

  table->first_bin = component->first_bin - part->first_bin;
  table->copies_log2 = launch->copies_log2;
  if (!groups->has_rows) {
    table->first_byte = table->first_bin * sizeof (guint32) << launch->copies_log2;
    table->row_bytes = sizeof (guint32) << launch->copies_log2;
  } else if (c == 3) {
    table->first_byte = rows.alpha +
        (source == HISTO_SOURCE_DIFFERENCE ? HISTO_ALPHA_BYTES : 0);
    table->copies_log2 = g_bit_storage (HISTO_ALPHA_COPIES) - 1;
    table->row_bytes = HISTO_ALPHA_COPIES * sizeof (guint32);
  } else if (source == HISTO_SOURCE_HUE) {
    table->first_byte = rows.hue;
    table->row_bytes = HISTO_ROW_COPIES * sizeof (guint32);
  } else {
    table->first_byte = histo_row_offset (source, c);
    table->row_bytes = HISTO_ROW_BYTES;
  }
  launch->first_bytes[source][c] = table->first_byte;
}

static void
place_counters (const HistoCudaGroupsPlan * groups, const HistoCudaGroupsPart * part,
    HistoStripLaunch * launch)
{
  guint n = 0;

  launch->flags = part->flags;
  /* The last part gives all of them to the host. */
  if (groups->plan->n_tallies > 0 && part == &groups->parts[groups->n_parts - 1])
    launch->flags |= HISTO_FLAG_TALLIES;
  launch->first_bin = part->first_bin;
  launch->n_bins = part->n_bins;
  launch->copies_log2 = groups->has_rows ? g_bit_storage (HISTO_ROW_COPIES) - 1 :
      part->copies_log2;
  launch->n_row_tables = row_tables (groups->flags);
  for (guint i = part->first_component; i < part->end_component; i++)
    place_component (groups, part, &groups->plan->components[i], launch,
        &launch->tables[n++]);
  launch->tables[n].first_bin = part->n_bins;
}

static gsize
shared_bytes (const HistoCudaGroupsPlan * groups, const HistoStripLaunch * launch)
{
  if (groups->counts_bytes)
    return HISTO_ROW_TABLE_BYTES;
  return groups->has_rows ? histo_rows_layout (launch->n_row_tables).end :
      histo_cuda_plan_counters_bytes (launch->n_bins, launch->copies_log2);
}

/* ---- The plan ------------------------------------------------------------------------------- */

/* Device memory for sums: of tallies, of the rows of all regions, and the regions' tickets. */
static gsize
rows_offset (const HistoPlan * plan)
{
  return plan->n_tallies * sizeof (guint64);
}

static guint
count_rows (const HistoPlan * plan, guint n_regions)
{
  guint n = 0;

  for (guint r = 0; r < n_regions; r++)
    n += plan->regions[r].height;
  return n;
}

static gsize
tickets_offset (const HistoPlan * plan)
{
  return rows_offset (plan) +
      (histo_plan_has_group (plan, HISTO_GROUP_SIGNAL) ?
      count_rows (plan, plan->n_regions) * sizeof (guint64) : 0);
}

/* ---- Packed copies ------------------------------------------------------------------------------ */

/* Log2 of the fewest ranges of the bins of a component such that 16-bit counters of one range fit in shared memory. */
static guint
packed_ranges_log2 (const HistoCudaLimits * limits)
{
  guint log2 = 0;

  while (histo_range_bins (log2) * sizeof (guint16) > histo_cuda_plan_shared_room (limits))
    log2++;
  return log2;
}

/* Samples for which one more block is worth while: a block clears and stores 65536 counters. */
#define LEAST_PACKED_SAMPLES 8192

/* ---- Scopes ---------------------------------------------------------------------------------------- */

/* Most columns of a waveform that a block counts, log2: with more, more bands would make more tables. */
#define MOST_WAVEFORM_COLUMNS_LOG2 4

/* Bytes of shared memory for the counters of a block: of the waveforms' columns, and of one that nobody reads. */
static gsize
waveform_bytes (const HistoStripLaunch * launch)
{
  return ((1u << launch->waveform_columns_log2) + 1) * histo_waveform_column_bytes (launch->n_waveforms);
}

/* Of the vectorscope: of the bins of a range, and of a counter that nobody reads. */
static gsize
vector_bytes (const HistoStripLaunch * launch)
{
  return launch->vector_bytes + 16;
}

/* As much as fits in shared memory. A column of all waveforms always does: a device has 48 KiB. */
static void
divide_scopes (const HistoCudaLimits * limits, HistoStripLaunch * launch)
{
  const gsize room = histo_cuda_plan_shared_room (limits);

  launch->waveform_columns_log2 = MOST_WAVEFORM_COLUMNS_LOG2;
  while (waveform_bytes (launch) > room && launch->waveform_columns_log2 > 0)
    launch->waveform_columns_log2--;
  launch->vector_bytes = HISTO_SCOPE_BINS * sizeof (guint32);
  while (vector_bytes (launch) > room) {
    launch->vector_ranges_log2++;
    launch->vector_bytes /= 2;
  }
}

/* What a group of four pixels costs on an H100, in instructions: of luma's waveform alone, of all waveforms, of the
 * vectorscope for each range of the bins. */
static const struct
{
  guint luma, all, vectors;
} scopes_work[] = {
  [HISTO_FORM_ROWS] = {18, 128, 20},
  [HISTO_FORM_TWO_ROWS] = {18, 128, 20},
  [HISTO_FORM_FULL] = {20, 140, 44},
  [HISTO_FORM_RGB] = {0, 112, 104},
};

/* Blocks for the vectorscope: all run at a time, if the waveforms leave some; else those of the waveforms do not anyway. */
static guint
vector_blocks (guint n_multiprocessors, guint n_waveform_blocks)
{
  return n_waveform_blocks < n_multiprocessors ? n_multiprocessors - n_waveform_blocks : n_multiprocessors;
}

/* How many blocks share the rows of a range of the waveforms, so that the longest of all blocks has least work.
 * @ranges: of the waveforms; each has at least a block, and each range of the vectorscope has one, too */
static guint
find_bands (guint n_multiprocessors, guint ranges, guint64 pixels, guint64 work, guint64 vector_work)
{
  const guint most = MIN (n_multiprocessors / ranges, pixels / LEAST_PACKED_SAMPLES / ranges + 1);
  guint64 least = G_MAXUINT64;
  guint best = 1;

  for (guint bands = 1; bands <= most; bands++) {
    const guint blocks = bands * ranges;
    const guint64 longest = MAX (work / blocks, vector_work / vector_blocks (n_multiprocessors, blocks));

    /* The vectorscope needs some. */
    if (longest >= least || (vector_work > 0 && blocks == n_multiprocessors))
      continue;
    least = longest;
    best = bands;
  }
  return best;
}

/* The waveforms and the vectorscope share the multiprocessors. */
static void
place_joints (HistoCudaGroupsPlan * groups)
{
  const HistoPlan *plan = groups->plan;
  const HistoFormat *format = plan->format;
  const HistoFormulas *formulas = &plan->formulas;
  const guint w_sub = formulas->is_rgb ? 0 : formulas->w_sub, h_sub = formulas->is_rgb ? 0 : formulas->h_sub;
  const guint form = formulas->is_rgb ? HISTO_FORM_RGB : w_sub > 0 ? HISTO_FORM_ROWS : HISTO_FORM_FULL;
  const guint n_multiprocessors = groups->limits.n_multiprocessors;
  const guint64 pixels = (guint64) format->width * format->height;
  HistoStripLaunch *launch = &groups->launch;
  guint64 work = 0, vector_work = 0;
  guint ranges, n_vector_groups = 0;
  gsize n_tables;

  for (guint j = 0; j < plan->n_joints; j++) {
    launch->joints[j] = plan->joints[j];
    launch->joint_samples[j] = pixels;
    if (plan->joints[j] == HISTO_JOINT_VECTORSCOPE) {
      launch->n_chroma_rows = ((format->height - 1) >> h_sub) + 1;
      launch->joint_samples[j] = (guint64) (((format->width - 1) >> w_sub) + 1) * launch->n_chroma_rows;
      vector_work = (guint64) format->width * launch->n_chroma_rows * scopes_work[form].vectors;
    } else {
      launch->n_waveforms++;
    }
  }
  divide_scopes (&groups->limits, launch);
  vector_work <<= launch->vector_ranges_log2;
  work = pixels * (launch->n_waveforms > 1 ? scopes_work[form].all : scopes_work[form].luma);
  ranges = HISTO_SCOPE_SIZE >> launch->waveform_columns_log2;
  launch->n_waveform_bands = find_bands (n_multiprocessors, ranges, pixels, work, vector_work);
  launch->n_waveform_blocks = launch->n_waveform_bands * ranges;
  if (vector_work > 0)
    n_vector_groups = CLAMP (vector_blocks (n_multiprocessors, launch->n_waveform_blocks) >> launch->vector_ranges_log2, 1,
        pixels / LEAST_PACKED_SAMPLES + 1);
  launch->n_vector_blocks = n_vector_groups << launch->vector_ranges_log2;
  launch->column_step = (G_GUINT64_CONSTANT (1) << 63) / format->width
      + ((G_GUINT64_CONSTANT (1) << 63) % format->width != 0);
  groups->joint_sums_bytes = histo_plan_joint_counters (plan) * sizeof (guint32);
  n_tables = launch->n_waveforms * launch->n_waveform_bands + n_vector_groups;
  groups->packed_tables_bytes = n_tables * HISTO_SCOPE_BINS;
}

/* ---- Owners ---------------------------------------------------------------------------------------- */

/* What the components of a source cost on an H100, in relation to each other: of YUV and gray, of RGB. */
static const guint8 owned_work[HISTO_STRIP_N_SOURCES][2] = {
  [HISTO_STRIP_SAMPLE] = {15, 22},
  [HISTO_STRIP_DIFFERENCE] = {19, 26},
  [HISTO_STRIP_SATURATION] = {32, 50},
  [HISTO_STRIP_LUMA] = {0, 30},
  [HISTO_STRIP_RED] = {22, 0},
  [HISTO_STRIP_GREEN] = {22, 0},
  [HISTO_STRIP_BLUE] = {22, 0},
  [HISTO_STRIP_MAXRGB] = {40, 30},
  [HISTO_STRIP_GRADIENT] = {41, 60},
};

/* Chroma may have fewer rows than the picture; two samples for four pixels take two thirds of the time of four. */
static guint
work_of (const HistoPlan * plan, const HistoComponent * component)
{
  const guint source = component->source, work = owned_work[source][plan->formulas.is_rgb != 0];
  const gboolean is_chroma = source == HISTO_SOURCE_SATURATION
      || (source <= HISTO_SOURCE_DIFFERENCE && (component->native == 1 || component->native == 2));

  return !is_chroma || plan->formulas.is_rgb || plan->formulas.w_sub == 0 ? work :
      MAX (work * 2 / 3 >> plan->formulas.h_sub, 1);
}

/* Groups of blocks that count the ranges of the same pixels, if each multiprocessor has a block. */
static guint
most_block_groups (const HistoCudaGroupsPlan * groups)
{
  return MAX (groups->limits.n_multiprocessors >> groups->launch.ranges_log2, 1);
}

/* Lists the components that blocks own: all but hue, which the strip counts, and the picture's samples, which another
 * kernel counts. Returns the component of hue, or the number of components. */
static guint
place_owned (HistoCudaGroupsPlan * groups)
{
  const HistoPlan *plan = groups->plan;
  HistoStripLaunch *launch = &groups->launch;
  guint n = 0, work = 0, hue = plan->n_region_components;

  for (guint i = 0; i < plan->n_region_components; i++) {
    const HistoComponent *component = &plan->components[i];
    const guint source = component->source;

    if (source == HISTO_SOURCE_HUE)
      hue = i;
    if (source == HISTO_SOURCE_HUE || (source == HISTO_SOURCE_SAMPLE && plan->n_regions == 1))
      continue;
    /* Of gray, R, G and B are one number. */
    if (n > 0 && !plan->formulas.has_chroma && launch->owned[n - 1].source >= HISTO_STRIP_RED
        && source <= HISTO_SOURCE_MAXRGB) {
      launch->owned[n - 1].n_equal++;
      continue;
    }
    launch->owned[n++] = (HistoOwned) {
      .n_equal = 1,
      .source = source,
      .c = source == HISTO_SOURCE_SAMPLE || source == HISTO_SOURCE_DIFFERENCE ? component->native : 0,
      .before = work,
      .first_bin = component->first_bin,
      .n_bins = component->n_values,
    };
    work += work_of (plan, component);
  }
  launch->owned[n].before = work;
  launch->n_owned = n;
  launch->owned_of_picture = plan->n_regions > 1 ? plan->format->n_components : 0;
  launch->ranges_log2 = packed_ranges_log2 (&groups->limits);
  /* The most blocks that divide_owners() makes. */
  groups->packed_tables_bytes = MAX (groups->packed_tables_bytes,
      (gsize) (most_block_groups (groups) + MIN (plan->n_regions, HISTO_STRIP_REGIONS) * n) * HISTO_PACKED_BINS);
  return hue;
}

/* The table of linear light has so many numbers in shared memory, but one more for each copy: up to 12 bits. */
#define LINEAR_NUMBERS_LOG2 13

static void
place_checks (HistoCudaGroupsPlan * groups)
{
  const HistoFormulas *formulas = &groups->plan->formulas;
  const HistoGamut *gamut = &formulas->gamut;
  const gint least = histo_gamut_least (formulas->depth);
  HistoStripLaunch *launch = &groups->launch;

  launch->form = groups->form;
  if (groups->plan->n_light_bins > 0)
    launch->first_light_bin = histo_plan_first_light_bin (groups->plan, 0);
  launch->first_cell = groups->plan->first_cell;
  launch->gamut_codes = histo_gamut_greatest (formulas->depth) - least + 1;
  launch->gamut_first = least;
  launch->gamut_range = launch->gamut_codes;
  launch->gamut_last = least + launch->gamut_codes - 1;
  if (formulas->depth > HISTO_MATRIX_SHIFT_DEPTH)
    return;
  /* The sums are not shifted. */
  launch->gamut_first = (least - gamut->black) * (1 << HISTO_GAMUT_SHIFT);
  launch->gamut_range <<= HISTO_GAMUT_SHIFT;
  launch->gamut_last = launch->gamut_first + (gint32) (launch->gamut_range - 1);
  for (guint i = 0; i < 4; i++) {
    launch->gamut_rests[i] = 1u << (HISTO_GAMUT_SHIFT - 1);
    for (guint j = 0; j < 3; j++)
      launch->gamut_rests[i] -= (guint32) gamut->coefficients[i][j] * (guint32) gamut->from[j];
  }
  /* Luma of YUV is computed once. */
  for (guint i = 0; i < 3 && !formulas->is_rgb; i++)
    launch->gamut_rests[i] -= launch->gamut_rests[3];
  launch->linear_copies_log2 = formulas->depth == 8 ? HISTO_LINEAR_BYTE_COPIES_LOG2 :
      LINEAR_NUMBERS_LOG2 - formulas->depth;
}

/**
 * histo_cuda_plan_groups:
 * @plan: of video, with groups; must outlive @groups
 * @groups: (out):
 */
void
histo_cuda_plan_groups (const HistoCudaLimits * limits, const HistoPlan * plan,
    HistoCudaGroupsPlan * groups)
{
  HistoStripLaunch *launch = &groups->launch;
  const guint n_native = plan->format->n_components;
  const gboolean is_deep = plan->formulas.depth > HISTO_MATRIX_SHIFT_DEPTH, has_regions = plan->n_regions > 1;
  gboolean has_strip, strip_counts_samples;

  memset (groups, 0, sizeof *groups);
  groups->plan = plan;
  groups->limits = *limits;
  groups->limits.shared_memory_per_block -= HISTO_STRIP_STATIC_BYTES;
  groups->flags = histo_cuda_plan_flags (plan);
  launch->n_components = n_native;
  launch->formulas = plan->formulas;
  launch->n_region_bins = plan->n_counters / plan->n_regions;
  groups->sums_bytes = tickets_offset (plan) + plan->n_regions * sizeof (guint32);
  if (plan->n_joints > 0)
    place_joints (groups);
  if (plan->n_joints == 0 && histo_cuda_plan_use_samples (groups)) {
    groups->counts_samples = groups->reads_buffers = TRUE;
    append_part (groups, groups->flags, 0, plan->n_region_components);
    groups->parts[0].kernel = HISTO_REGION_KERNEL_samples;
    launch->flags = groups->flags;
    launch->n_bins = launch->n_region_bins;
    for (guint c = 0; c < n_native; c++)
      launch->tables[c] = (HistoStripTable) {
        .first_bin = plan->components[c].first_bin,
        .first_byte = launch->bytes.component_places[c] * HISTO_ROW_COPIES * sizeof (guint32),
        .row_bytes = HISTO_ROW_BYTES,
        .copies_log2 = g_bit_storage (HISTO_ROW_COPIES) - 1
      };
    launch->tables[n_native].first_bin = launch->n_bins;
    return;
  }
  launch->width = plan->format->width;
  launch->height = plan->format->height;
  launch->last_quad = (plan->format->width + 3) / 4 * 4 - 4;
  has_strip = groups->flags != 0;
  groups->first_region = !has_strip ? G_MAXUINT : groups->flags == HISTO_FLAG_SAMPLES ? 1 : 0;
  if (has_strip)
    groups->flags |= HISTO_FLAG_SAMPLES;
  groups->has_owners = has_strip && (is_deep || !divide_components (groups));
  histo_cuda_plan_regular (groups);
  /* The strip counts the picture's samples, too, if it has groups for it and counters in shared memory. */
  strip_counts_samples = groups->first_region == 0 && !groups->has_owners;
  groups->counts_samples = strip_counts_samples || plan->joints_have_samples;
  if (!has_strip)
    return;
  if (groups->has_owners) {
    const guint hue = place_owned (groups);

    if (!has_regions)
      groups->flags &= ~HISTO_FLAG_SAMPLES;
    groups->n_parts = 0;
    append_part (groups, groups->flags, hue, MIN (hue + 1, plan->n_region_components));
    groups->parts[0].copies_log2 = copies_of_hue (groups, &groups->parts[0]);
  }
  /* It leaves the picture's native counters out if they are counted elsewhere. */
  if (!strip_counts_samples || plan->joints_have_samples)
    launch->n_native_bins = plan->format->n_bins;
  place_checks (groups);
  /* Whether the counters of bytes fit in tables with a row for each value. */
  groups->has_rows = groups->bytes == 1 && groups->n_parts == 1
      && histo_rows_layout (row_tables (groups->flags)).end <= histo_cuda_plan_shared_room (&groups->limits);
  for (guint i = 0; i < groups->n_parts; i++)
    choose_kernel (groups, &groups->parts[i]);
}

/* ---- A frame ---------------------------------------------------------------------------------- */

/* Rows of a region for which one more block is worth while, and one more band. */
#define ROWS_PER_BLOCK 8
#define LEAST_BAND_ROWS 4
/* A lane's sums fit in 32 bits for so many rows of any depth. The greatest is that of four pixels'
 * histo_gradient_fixed (), which are below 2^18.2. */
#define MOST_BAND_ROWS 2048

static guint
strips_of (const HistoStripRegion * region)
{
  return (region->x % 4 + region->width + HISTO_STRIP_COLUMNS - 1)
      / HISTO_STRIP_COLUMNS;
}

/* Divides a region's rows into bands, for @blocks blocks of @n_warps warps; for kernel `samples` each block
 * has one. Returns the number of blocks. */
static guint
plan_region (const HistoCudaGroupsPlan * groups, guint share, guint n_warps,
    HistoStripRegion * region)
{
  const guint blocks =
      CLAMP (share, 1, MAX (region->height / ROWS_PER_BLOCK, 1));
  const guint strips = MAX (strips_of (region), 1);
  /* The first band begins at an even row. */
  const guint rows = region->height + region->y % 2;
  guint bands;

  if (groups->counts_bytes) {
    region->band_rows = MAX ((region->height + blocks - 1) / blocks, 1);
    return CLAMP ((region->height + region->band_rows - 1) / region->band_rows,
        1, blocks);
  }
  bands = MAX (blocks * n_warps / strips, 3 + rows / MOST_BAND_ROWS);
  region->n_bands = 1;
  if (rows >= 2 * HISTO_EDGE_ROWS + LEAST_BAND_ROWS) {
    const guint inner = rows - 2 * HISTO_EDGE_ROWS;
    const guint n_inner = CLAMP (bands, 3, 2 + inner / LEAST_BAND_ROWS) - 2;

    region->n_bands = n_inner + 2;
    region->half_band_rows =
        (((guint64) (inner / 2) << 32) + n_inner - 1) / n_inner;
  }
  return blocks;
}

/* Finds the region whose blocks would have the least work each if it had one block less. Returns
 * @n_regions if all regions have one block. */
static guint
find_least_loaded (const guint64 * work, const guint * shares, guint n_regions)
{
  guint found = n_regions;

  for (guint i = 0; i < n_regions; i++) {
    if (shares[i] > 1 && (found == n_regions
            || work[i] * (shares[found] - 1) < work[found] * (shares[i] - 1)))
      found = i;
  }
  return found;
}

/* The regions share the multiprocessors in proportion to their work; each has at least one
 * block. */
static void
divide_blocks (const HistoCudaGroupsPlan * groups, guint n_regions, guint n_warps,
    HistoStripLaunch * launch)
{
  const guint most = groups->limits.n_multiprocessors;
  guint shares[HISTO_STRIP_REGIONS];
  guint64 work[HISTO_STRIP_REGIONS], total = 0;
  guint blocks = 0;

  for (guint i = 0; i < n_regions; i++) {
    const HistoStripRegion *region = &launch->regions[i];

    work[i] = (guint64) (groups->counts_bytes ? region->width : strips_of (region)) * region->height;
    total += work[i];
  }
  /* All regions may be empty. */
  total = MAX (total, 1);
  for (guint i = 0; i < n_regions; i++) {
    shares[i] = MAX ((work[i] * most + total - 1) / total, 1);
    blocks += shares[i];
  }
  /* What rounding up has added. */
  for (; blocks > most; blocks--) {
    const guint i = find_least_loaded (work, shares, n_regions);

    if (i == n_regions)
      break;
    shares[i]--;
  }
  blocks = 0;
  for (guint i = 0; i <= HISTO_STRIP_REGIONS; i++) {
    launch->first_block[i] = blocks;
    if (i < n_regions)
      blocks += plan_region (groups, shares[i], n_warps, &launch->regions[i]);
  }
}

/* The colors of two rows that share no chroma are made row by row. */
static guint
kernel_of_frame (const HistoCudaGroupsPart * part, const HistoCudaGroupsPlan * groups, const HistoScan * scan)
{
  const gboolean has_colors = (part->flags & (HISTO_FLAG_COLOR | HISTO_FLAG_HDR)) != 0;

  return groups->form == HISTO_FORM_TWO_ROWS && scan->has_field_chroma && has_colors ?
      part->kernel - HISTO_FORM_TWO_ROWS + HISTO_FORM_ROWS : part->kernel;
}

/**
 * histo_cuda_plan_groups_frame:
 * @part: of the plan's parts
 * @first_region: of those that the launch measures: this one and up to HISTO_STRIP_REGIONS - 1
 *   more
 * @launch: (out): the parameters
 * @grid: (out):
 *
 * Returns: the kernel, of HISTO_REGION_KERNELS
 */
guint
histo_cuda_plan_groups_frame (const HistoCudaGroupsPlan * groups,
    const HistoCudaGroupsFrame * frame, guint part, guint first_region,
    HistoStripLaunch * launch, HistoCudaGrid * grid)
{
  const HistoPlan *plan = groups->plan;
  const guint n_regions = histo_plan_used_regions (plan, frame->info);
  const guint n = MIN (n_regions - first_region, HISTO_STRIP_REGIONS);
  const guint kernel = kernel_of_frame (&groups->parts[part], groups, &frame->scan);
  const guint n_threads = threads[kernel];
  guint first_row = count_rows (plan, first_region);

  *launch = groups->launch;
  if (groups->counts_bytes) {
    histo_cuda_plan_place_bytes (frame->planes, &launch->bytes);
  } else {
    place_counters (groups, &groups->parts[part], launch);
    histo_cuda_plan_planes (groups, frame, launch);
    /* The first launch has stored the frame. */
    if (part > 0)
      launch->flags &= ~HISTO_FLAG_COPY;
  }
  launch->scratch = frame->scratch;
  launch->result = frame->result;
  launch->tally_sums = frame->sums;
  launch->row_differences = frame->sums + rows_offset (plan);
  launch->tickets = frame->sums + tickets_offset (plan);
  launch->tallies = frame->tallies;
  launch->packed_tables = frame->packed_tables;
  launch->chroma_table = frame->chroma_table;
  launch->linear = frame->hlg != 0 ? frame->hlg : frame->linear;
  launch->hlg = frame->hlg;
  for (guint i = 0; i < n; i++) {
    const guint r = first_region + i;
    const HistoRegion *rectangle = histo_plan_region (plan, frame->info, r);

    launch->regions[i] = (HistoStripRegion) {
      .x = rectangle->x,
      .y = rectangle->y,
      .width = rectangle->width,
      .height = rectangle->height,
      .number = r,
      .first_tally = plan->first_tally[r],
      .first_column = HISTO_N_TALLIES + plan->regions[r].height,
      .first_row = first_row
    };
    first_row += plan->regions[r].height;
  }
  divide_blocks (groups, n, n_threads / 32, launch);
  *grid = (HistoCudaGrid) {
    .blocks = launch->first_block[HISTO_STRIP_REGIONS],
    .channel_blocks = 1,
    .buffers = 1,
    .threads = n_threads,
    .shared_bytes = shared_bytes (groups, launch),
  };
  return kernel;
}

/* ---- Launches of other kernels for the same regions ------------------------------------------------- */

/* The place of a kernel among those for each quad, with what is known of the pixels. */
static guint
kernel_of_pixels (const HistoCudaGroupsPlan * groups, const HistoStripLaunch * launch)
{
  const guint quad = groups->bytes == 1 ? 0 : groups->plan->formulas.depth <= HISTO_MATRIX_SHIFT_DEPTH ? 1 : 2;
  const guint known = groups->form == HISTO_FORM_RGB ? HISTO_CHECKED_RGB :
      groups->form == HISTO_FORM_FULL ? HISTO_CHECKED_FULL :
      launch->loader == HISTO_LOADER_IN_TURN && groups->plan->formulas.has_chroma ? HISTO_CHECKED_TWO :
      HISTO_CHECKED_HALF;

  return HISTO_N_CHECKED * quad + known;
}

/* ---- Owners ---------------------------------------------------------------------------------------- */

/* The regions share the multiprocessors in proportion to their pixels; each component of each has at least one group of
 * blocks. */
static void
divide_owners (const HistoCudaGroupsPlan * groups, guint n_regions, HistoStripLaunch * launch)
{
  const guint most = most_block_groups (groups);
  guint64 total = 0;
  guint blocks = 0;

  for (guint i = 0; i < n_regions; i++)
    total += (guint64) launch->regions[i].width * launch->regions[i].height;
  for (guint i = 0; i <= HISTO_STRIP_REGIONS; i++) {
    launch->first_block[i] = blocks;
    if (i < n_regions) {
      const HistoStripRegion *region = &launch->regions[i];
      const guint64 pixels = (guint64) region->width * region->height;
      const guint n = launch->n_owned - (region->number == 0 ? launch->owned_of_picture : 0);
      const guint64 share = MIN (pixels * most / MAX (total, 1), n * (pixels / LEAST_PACKED_SAMPLES + 1));

      if (n > 0)
        blocks += MAX (share, n) << launch->ranges_log2;
    }
  }
}

/**
 * histo_cuda_plan_owners_frame:
 * @first_region: as for histo_cuda_plan_groups_frame()
 * @launch: (out): the parameters of both launches
 * @grid: (out):
 * @kernel: (out): of HISTO_REGION_KERNELS
 * @sum: (out): of the second launch
 *
 * Returns: whether blocks own components of the frame's regions; else nothing is set
 */
gboolean
histo_cuda_plan_owners_frame (const HistoCudaGroupsPlan * groups,
    const HistoCudaGroupsFrame * frame, guint first_region, HistoStripLaunch * launch,
    HistoCudaGrid * grid, guint * kernel, HistoCudaGrid * sum)
{
  const guint n = MIN (histo_plan_used_regions (groups->plan, frame->info) - first_region, HISTO_STRIP_REGIONS);

  if (groups->launch.n_owned == 0)
    return FALSE;
  histo_cuda_plan_groups_frame (groups, frame, 0, first_region, launch, grid);
  /* The strip, which comes later, stores the picture. */
  launch->flags &= ~(HISTO_FLAG_COPY | HISTO_FLAG_TALLIES);
  *kernel = HISTO_REGION_KERNEL_owners_two + kernel_of_pixels (groups, launch) % HISTO_N_CHECKED;
  divide_owners (groups, n, launch);
  *grid = (HistoCudaGrid) {
    .blocks = launch->first_block[HISTO_STRIP_REGIONS],
    .channel_blocks = 1,
    .buffers = 1,
    .threads = threads[*kernel],
    .shared_bytes = histo_range_bins (launch->ranges_log2) * sizeof (guint16),
  };
  *sum = (HistoCudaGrid) {
    .blocks = HISTO_N_HALVES_GROUPS,
    .channel_blocks = launch->n_owned,
    .buffers = n,
    .threads = HISTO_PACKED_SUM_THREADS,
  };
  return TRUE;
}

/* ---- Checks ---------------------------------------------------------------------------------------- */

/* The flags of each kind of check, and the first one of its kernels. */
static const struct
{
  guint flags, kernel;
} checks[HISTO_CUDA_N_CHECKS] = {
  {HISTO_FLAG_GAMUT | HISTO_FLAG_FLASH | HISTO_FLAG_FIELD, HISTO_REGION_KERNEL_checks_bytes_two},
  {HISTO_FLAG_FILTER, HISTO_REGION_KERNEL_filter_bytes_two},
  {HISTO_FLAG_FLASH_OF_HLG | HISTO_FLAG_LIGHT, HISTO_REGION_KERNEL_hlg_bytes_two},
};

/**
 * histo_cuda_plan_check_frame:
 * @check: below %HISTO_CUDA_N_CHECKS
 * @first_region: as for histo_cuda_plan_groups_frame()
 * @launch: (out): the parameters
 * @grid: (out):
 * @kernel: (out): of HISTO_REGION_KERNELS
 *
 * Returns: whether the frame needs this check; else nothing is set
 */
gboolean
histo_cuda_plan_check_frame (const HistoCudaGroupsPlan * groups,
    const HistoCudaGroupsFrame * frame, guint check, guint first_region,
    HistoStripLaunch * launch, HistoCudaGrid * grid, guint * kernel)
{
  const guint n = MIN (histo_plan_used_regions (groups->plan, frame->info) - first_region, HISTO_STRIP_REGIONS);
  const guint depth = groups->plan->formulas.depth;

  if ((groups->flags & checks[check].flags) == 0)
    return FALSE;
  histo_cuda_plan_groups_frame (groups, frame, 0, first_region, launch, grid);
  *kernel = checks[check].kernel + kernel_of_pixels (groups, launch);
  launch->flags = (launch->flags & HISTO_FLAG_PREVIOUS) | (groups->flags & checks[check].flags);
  grid->threads = threads[*kernel];
  divide_blocks (groups, n, grid->threads / 32, launch);
  grid->blocks = launch->first_block[HISTO_STRIP_REGIONS];
  grid->shared_bytes = 0;
  if ((launch->flags & (HISTO_FLAG_FLASH | HISTO_FLAG_FLASH_OF_HLG)) != 0 && depth <= HISTO_MATRIX_SHIFT_DEPTH)
    grid->shared_bytes += ((1u << depth) + 1) * sizeof (guint32) << launch->linear_copies_log2;
  if ((launch->flags & HISTO_FLAG_LIGHT) != 0)
    grid->shared_bytes += HISTO_HLG_BINS * sizeof (guint32);
  return TRUE;
}

/* ---- Scopes ---------------------------------------------------------------------------------------- */

/**
 * histo_cuda_plan_scopes_frame:
 * @launch: (out): the parameters of both launches
 * @grid: (out):
 * @kernel: (out): of HISTO_REGION_KERNELS
 * @sum: (out): of the second launch
 *
 * Returns: whether the plan has joint components; else nothing is set
 */
gboolean
histo_cuda_plan_scopes_frame (const HistoCudaGroupsPlan * groups,
    const HistoCudaGroupsFrame * frame, HistoStripLaunch * launch,
    HistoCudaGrid * grid, guint * kernel, HistoCudaGrid * sum)
{
  const guint n_joints = groups->plan->n_joints;

  if (n_joints == 0)
    return FALSE;
  *launch = groups->launch;
  histo_cuda_plan_planes (groups, frame, launch);
  launch->joint_sums = frame->joint_sums;
  launch->packed_tables = frame->packed_tables;
  launch->joint_halves = frame->joint_halves;
  *kernel = HISTO_REGION_KERNEL_scopes_bytes_two + kernel_of_pixels (groups, launch);
  *grid = (HistoCudaGrid) {
    .blocks = launch->n_waveform_blocks + launch->n_vector_blocks,
    .channel_blocks = 1,
    .buffers = 1,
    .threads = threads[*kernel],
    .shared_bytes = launch->n_vector_blocks > 0 ? MAX (waveform_bytes (launch), vector_bytes (launch)) :
        waveform_bytes (launch),
  };
  *sum = (HistoCudaGrid) {
    .blocks = HISTO_N_HALVES_GROUPS,
    .channel_blocks = n_joints,
    .buffers = 1,
    .threads = HISTO_PACKED_SUM_THREADS,
  };
  return TRUE;
}
