/* The shape of the launches that evaluate the maps of a frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/plan-maps.h"

#include <string.h>

#include "engine/cuda/plan-quads.h"
#include "engine/cuda/plan-samples.h"
#include "engine/cuda/tuning.h"

/* ---- What is measured ------------------------------------------------------------------- */

/* The groups and their flags. */
static guint
find_flags (const HistoPlan * plan)
{
  static const struct
  {
    HistoGroup group;
    guint flag;
  } flags[] = {
    {HISTO_GROUP_SIGNAL, HISTO_MAPS_SIGNAL},
    {HISTO_GROUP_MOTION, HISTO_MAPS_MOTION},
    {HISTO_GROUP_COLOR, HISTO_MAPS_COLOR},
    {HISTO_GROUP_HDR, HISTO_MAPS_HDR},
    {HISTO_GROUP_DETAIL, HISTO_MAPS_DETAIL},
    {HISTO_GROUP_AREA, HISTO_MAPS_AREA},
  };
  guint found = plan->n_regions > 1 ? HISTO_MAPS_SAMPLES : 0;

  for (guint i = 0; i < G_N_ELEMENTS (flags); i++) {
    if (histo_plan_has_group (plan, flags[i].group))
      found |= flags[i].flag;
  }
  return found;
}

/* Sets the first counter of each source. */
static void
place_sources (const HistoPlan * plan, HistoMapsLaunch * launch)
{
  for (guint i = 0; i < plan->n_region_components; i++) {
    const HistoComponent *component = &plan->components[i];
    const guint32 bin = component->first_bin - launch->first_bin;

    switch (component->source) {
      case HISTO_SOURCE_SAMPLE:
        launch->sample_bins[i] = bin;
        break;
      case HISTO_SOURCE_DIFFERENCE:
        launch->difference_bins[component->native] = bin;
        break;
      case HISTO_SOURCE_SATURATION:
        launch->saturation_bin = bin;
        break;
      case HISTO_SOURCE_HUE:
        launch->hue_bin = bin;
        break;
      case HISTO_SOURCE_LUMA:
      case HISTO_SOURCE_RED:
        launch->color_bins[0] = bin;
        break;
      case HISTO_SOURCE_GREEN:
        launch->color_bins[1] = bin;
        break;
      case HISTO_SOURCE_BLUE:
        launch->color_bins[2] = bin;
        break;
      case HISTO_SOURCE_MAXRGB:
        launch->maxrgb_bin = bin;
        break;
      default:                 /* HISTO_SOURCE_GRADIENT */
        launch->gradient_bin = bin;
    }
  }
}

/* The counters of a region, and their copies in shared memory. If there is a region beside the
 * picture, blocks also have counters for samples. */
static void
place_counters (HistoCudaMapsPlan * maps, const HistoCudaTuning * tuning)
{
  const HistoPlan *plan = maps->plan;
  HistoMapsLaunch *launch = &maps->launch;

  launch->n_native_bins = plan->format->n_bins;
  launch->n_region_bins = plan->n_counters / plan->n_regions;
  launch->first_bin = plan->n_regions > 1 ? 0 : launch->n_native_bins;
  launch->n_bins = launch->n_region_bins - launch->first_bin;
  launch->spread_log2 = plan->n_counters <= tuning->video_spread_bins ?
      tuning->video_spread_log2 : 0;
  launch->copies_log2 = histo_cuda_plan_copies (&maps->limits,
      tuning->most_copies_log2, launch->n_bins);
  if (launch->copies_log2 == HISTO_NO_COPIES)
    launch->flags |= HISTO_MAPS_GLOBAL;
  if (plan->n_tallies > 0 || launch->copies_log2 == HISTO_NO_COPIES)
    launch->flags |= HISTO_MAPS_TICKET;
  place_sources (plan, launch);
}

/* ---- The kernel ----------------------------------------------------------------------------- */

/* The widest picture whose sums of a row fit in 32 bits. */
#define MAX_STRIPS_WIDTH (1u << 20)

/* Whether all components have the same words, with samples of the depth of the maps. */
static gboolean
has_one_depth (const HistoCudaMapsPlan * maps)
{
  const HistoMapsView *first = &maps->launch.native[0];

  for (guint c = 0; c < maps->launch.n_components; c++) {
    const HistoMapsView *view = &maps->launch.native[c];

    if (view->mask != (1u << maps->plan->maps.depth) - 1
        || view->bytes != first->bytes || view->shift != first->shift)
      return FALSE;
  }
  return TRUE;
}

/* Whether chroma has a sample of U and of V for each two pixels of a row, in planes of their own or
 * in turn; in a plane of 16-bit words U first. */
static gboolean
has_half_chroma (const HistoCudaMapsPlan * maps)
{
  const HistoFormat *format = maps->plan->format;
  const HistoMapsView *u = &maps->launch.native[1];
  const HistoMapsView *v = &maps->launch.native[2];

  return maps->plan->maps.w_sub == 1 && u->width == v->width
      && u->width == (format->width + 1) / 2 && u->step == v->step
      && (u->step == u->bytes || maps->extracts
      || (maps->native_planes[1] == maps->native_planes[2]
          && (u->bytes == 1 || u->data < v->data)));
}

/* Whether the kernels that measure strips, and perhaps those that measure two rows at a time, can measure the frames. */
static gboolean
can_use_strips (const HistoCudaMapsPlan * maps)
{
  const HistoFormat *format = maps->plan->format;
  const guint n = format->n_components;

  return format->colors != HISTO_COLORS_RGB && format->map_depth <= 12
      && format->width <= MAX_STRIPS_WIDTH
      && (maps->launch.flags & HISTO_MAPS_GLOBAL) == 0 && has_one_depth (maps)
      && maps->launch.native[0].step == maps->launch.native[0].bytes
      && (n == 1 || (n == 3 && has_half_chroma (maps)));
}

/* Whether the group `signal` needs the formulas of saturation and hue: there is no table. */
static gboolean
needs_chroma_formulas (const HistoCudaMapsPlan * maps)
{
  return (maps->launch.flags & HISTO_MAPS_SIGNAL) != 0
      && maps->plan->maps.has_chroma && maps->plan->chroma_table == NULL;
}

static guint
choose_strips (const HistoCudaMapsPlan * maps)
{
  const gboolean has_bytes = maps->launch.native[0].bytes == 1;

  /* The formulas of chroma need the registers of these kernels. */
  if ((maps->launch.flags & HISTO_CUDA_MORE_GROUPS) != 0
      || needs_chroma_formulas (maps))
    return has_bytes ? HISTO_MAPS_all_bytes : HISTO_MAPS_all_words;
  return has_bytes ? HISTO_MAPS_bytes : HISTO_MAPS_words;
}

/* ---- The plan ------------------------------------------------------------------------------- */

/* The kernel counts the samples of the picture, too. */
static void
include_picture_samples (HistoCudaMapsPlan * maps)
{
  HistoMapsLaunch *launch = &maps->launch;

  maps->counts_samples = TRUE;
  maps->first_region = 0;
  launch->flags |= HISTO_MAPS_SAMPLES;
  launch->n_native_bins = 0;
  launch->first_bin = 0;
  launch->n_bins = launch->n_region_bins;
  place_sources (maps->plan, launch);
}

/* Where the sums end and the regions' tickets begin. */
static gsize
tickets_offset (const HistoPlan * plan)
{
  return plan->n_tallies * sizeof (guint64);
}

/**
 * histo_cuda_plan_maps:
 * @plan: of video, with maps; must outlive @maps
 * @maps: (out):
 */
void
histo_cuda_plan_maps (const HistoCudaLimits * limits, const HistoPlan * plan,
    HistoCudaMapsPlan * maps)
{
  const HistoFormat *format = plan->format;
  HistoCudaTuning tuning;
  guint flags;

  histo_cuda_tuning_get (limits, &tuning);
  memset (maps, 0, sizeof *maps);
  maps->plan = plan;
  maps->limits = *limits;
  maps->limits.shared_memory_per_block -= HISTO_MAPS_SUMS_BYTES;
  maps->launch.flags = flags = find_flags (plan);
  maps->launch.n_components = format->n_components;
  maps->launch.maps = plan->maps;
  place_counters (maps, &tuning);
  maps->first_region = (flags & ~HISTO_MAPS_SAMPLES) == 0;
  maps->sums_bytes = tickets_offset (plan) + plan->n_regions * sizeof (guint32);
  if (histo_cuda_plan_use_samples (maps)) {
    include_picture_samples (maps);
    return;
  }
  histo_cuda_plan_views (maps);
  if (!can_use_strips (maps))
    maps->kernel = HISTO_MAPS_pixels;
  else if (histo_cuda_plan_use_two_rows (maps))
    include_picture_samples (maps);
  else
    maps->kernel = choose_strips (maps);
}

/* ---- A frame ---------------------------------------------------------------------------------- */

/* Adds the address of a picture to the offset of a plane, if there is such a plane. */
static void
place_view (HistoMapsView * view, guint64 picture)
{
  view->data = view->step > 0 && picture != 0 ? view->data + picture : 0;
}

/* Pixels that a thread of the extraction has at least. */
#define EXTRACT_PIXELS 4
/* Blocks of the extraction that a multiprocessor has. */
#define EXTRACT_BLOCKS 4

/**
 * histo_cuda_plan_extract_frame:
 * @launch: (out): the parameters of the extraction
 * @grid: (out):
 *
 * Returns: whether the frame needs an extraction; else nothing is set
 */
gboolean
histo_cuda_plan_extract_frame (const HistoCudaMapsPlan * maps,
    const HistoCudaMapsFrame * frame, HistoExtractLaunch * launch,
    HistoCudaGrid * grid)
{
  const HistoFormat *format = maps->plan->format;
  guint64 blocks = ((guint64) format->width * format->height
      + HISTO_EXTRACT_THREADS * EXTRACT_PIXELS - 1)
      / (HISTO_EXTRACT_THREADS * EXTRACT_PIXELS);

  if (!maps->extracts)
    return FALSE;
  *launch = maps->extract;
  memcpy (launch->planes, frame->planes, sizeof launch->planes);
  for (guint c = 0; c < launch->n_components; c++)
    place_view (&launch->native[c], frame->picture);
  for (guint i = 0; i < 3; i++)
    place_view (&launch->signal[i], frame->picture);
  place_view (&launch->luma, frame->picture);
  *grid = (HistoCudaGrid) {
    .blocks = MIN (blocks, (guint64) EXTRACT_BLOCKS * maps->limits.n_multiprocessors),
    .channel_blocks = 1,
    .buffers = 1,
    .threads = HISTO_EXTRACT_THREADS,
  };
  return TRUE;
}

/* Whether four words of any row can be loaded at once: of luma, and of U and V together. */
static gboolean
is_aligned (const HistoMapsLaunch * launch)
{
  const HistoMapsView *luma = &launch->native[0];
  const HistoMapsView *u = &launch->native[1], *v = &launch->native[2];
  guint64 luma_bits = luma->data | luma->stride, chroma_bits = 0;

  if (launch->maps.has_chroma)
    chroma_bits = (u->step == u->bytes ? u->data | v->data : MIN (u->data,
            v->data)) | u->stride | v->stride;
  /* Two words at once from planes of their own. */
  if (u->step == u->bytes)
    chroma_bits *= 2;
  return ((luma_bits | chroma_bits) & (4 * luma->bytes - 1)) == 0;
}

/* Whether the offsets in a plane fit in signed 32-bit numbers. */
static gboolean
is_small (const HistoMapsView * view)
{
  return ABS (view->stride) * ((gint64) view->height + 1) < G_MAXINT32;
}

/* Whether each row is made of whole groups of four pixels, and offsets are small. */
static gboolean
is_whole (const HistoMapsLaunch * launch)
{
  const HistoMapsView *luma = &launch->native[0];
  const HistoMapsView *u = &launch->native[1], *v = &launch->native[2];

  for (guint c = 0; c < launch->n_components; c++) {
    if (!is_small (&launch->native[c]) || !is_small (&launch->copy[c]))
      return FALSE;
  }
  return luma->width % 4 == 0 && (!launch->maps.has_chroma
      || (u->width == luma->width / 2 && v->width == u->width));
}

/* Says what the kernels may do with the views. */
static void
set_view_flags (const HistoCudaMapsPlan * maps,
    const HistoCudaMapsFrame * frame, HistoMapsLaunch * launch)
{
  if (frame->picture != 0 && !maps->extracts)
    launch->flags |= HISTO_MAPS_COPY;
  if (is_aligned (launch))
    launch->flags |= HISTO_MAPS_ALIGNED |
        (is_whole (launch) ? HISTO_MAPS_WHOLE : 0);
}

/* Sets the views of the buffer, of its copy and of the previous frame. */
static void
place_views (const HistoCudaMapsPlan * maps, const HistoCudaMapsFrame * frame,
    HistoMapsLaunch * launch)
{
  for (guint c = 0; c < launch->n_components; c++) {
    const HistoPlane *plane = &frame->planes[maps->native_planes[c]];

    if (maps->extracts) {
      launch->previous[c] = launch->native[c];
      place_view (&launch->native[c], frame->picture);
    } else {
      launch->native[c].data += plane->data;
      launch->native[c].stride = plane->stride;
      launch->previous[c] = launch->copy[c];
      place_view (&launch->copy[c], frame->picture);
    }
    place_view (&launch->previous[c], frame->previous);
  }
  launch->previous_luma = launch->luma;
  place_view (&launch->previous_luma, frame->previous);
  place_view (&launch->luma, frame->picture);
  for (guint i = 0; i < 3; i++)
    place_view (&launch->signal[i], frame->picture);
  if (launch->maps.is_rgb)
    return;
  memcpy (launch->signal, launch->native, sizeof launch->signal);
  launch->luma = launch->native[0];
  launch->previous_luma = launch->previous[0];
  if (!launch->maps.has_chroma)
    launch->signal[1].data = launch->signal[2].data = 0;
}

/* Rows of a region for which one more block is worth while. */
#define ROWS_PER_BLOCK 8

/* Divides @share blocks' worth of work into bands of a multiple of @unit rows, but of no more rows than
 * @most. Returns the number of blocks. */
static guint
plan_region (HistoMapsRegion * region, guint share, guint unit, guint most)
{
  const guint worth = MAX (region->height / ROWS_PER_BLOCK, 1);
  const guint blocks = CLAMP (share, 1, worth);
  const guint bands =
      ((guint64) region->height + (guint64) blocks * most - 1)
      / ((guint64) blocks * most);
  const guint parts = blocks * MAX (bands, 1) * unit;

  region->band_rows = MAX ((region->height + parts - 1) / parts, 1) * unit;
  return CLAMP ((region->height + region->band_rows - 1) / region->band_rows, 1,
      blocks);
}

static void
place_region (const HistoPlan * plan, const HistoFrameInfo * info, guint r,
    HistoMapsRegion * region)
{
  const HistoRegion *rectangle = histo_plan_region (plan, info, r);

  region->x = rectangle->x;
  region->y = rectangle->y;
  region->width = rectangle->width;
  region->height = rectangle->height;
  region->number = r;
  region->first_tally = plan->first_tally[r];
  region->first_column = HISTO_N_TALLIES + plan->regions[r].height;
}

/* How much work a region is: the rows of pieces of @columns columns, also where pieces are not full. */
static guint64
work_of (const HistoMapsRegion * region, guint columns)
{
  return (guint64) ((region->width + columns - 1) / columns) * region->height;
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
divide_blocks (const HistoCudaMapsPlan * maps, guint n_regions,
    HistoMapsLaunch * launch)
{
  const guint most = maps->limits.n_multiprocessors;
  /* Kernel `samples` has no strips, and one band for a block. */
  const gboolean has_strips = maps->kernel != HISTO_MAPS_samples;
  const guint columns = has_strips ? HISTO_STRIP_COLUMNS : 1;
  const guint most_rows = has_strips ? HISTO_MAPS_BAND_ROWS : G_MAXINT32;
  /* Two rows of luma have one row of chroma. */
  const guint unit = histo_cuda_plan_two_rows_bytes (maps) > 0 ? 2 : 1;
  guint shares[HISTO_MAPS_REGIONS];
  guint64 work[HISTO_MAPS_REGIONS], total = 0;
  guint blocks = 0;

  for (guint i = 0; i < n_regions; i++) {
    work[i] = work_of (&launch->regions[i], columns);
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
  for (guint i = 0; i <= HISTO_MAPS_REGIONS; i++) {
    launch->first_block[i] = blocks;
    if (i < n_regions)
      blocks += plan_region (&launch->regions[i], shares[i], unit,
          most_rows);
  }
}

/* Shared memory for the counters of a block. */
static gsize
find_shared_bytes (const HistoCudaMapsPlan * maps)
{
  const gsize two_rows_bytes = histo_cuda_plan_two_rows_bytes (maps);

  if (maps->kernel == HISTO_MAPS_samples)
    return HISTO_QUADS_TABLE_BYTES;
  return two_rows_bytes > 0 ? two_rows_bytes :
      histo_cuda_plan_counters_bytes (maps->launch.n_bins,
      maps->launch.copies_log2);
}

/**
 * histo_cuda_plan_maps_frame:
 * @first_region: of those that the launch measures: this one and up to HISTO_MAPS_REGIONS - 1
 *   more
 * @launch: (out): the parameters
 * @grid: (out):
 */
void
histo_cuda_plan_maps_frame (const HistoCudaMapsPlan * maps,
    const HistoCudaMapsFrame * frame, guint first_region,
    HistoMapsLaunch * launch, HistoCudaGrid * grid)
{
#define THREADS(name, threads) threads,
  static const guint threads[] = { HISTO_MAPS_KERNELS (THREADS) };
#undef THREADS
  const HistoPlan *plan = maps->plan;
  const guint n_regions = histo_plan_used_regions (plan, frame->info);
  const guint n = MIN (n_regions - first_region, HISTO_MAPS_REGIONS);

  *launch = maps->launch;
  if (maps->kernel == HISTO_MAPS_samples) {
    histo_cuda_plan_place_bytes (frame->planes, &launch->bytes);
  } else {
    place_views (maps, frame, launch);
    set_view_flags (maps, frame, launch);
  }
  launch->scratch = frame->scratch;
  launch->result = frame->result;
  launch->tally_sums = frame->sums;
  launch->tickets = frame->sums + tickets_offset (plan);
  launch->tallies = frame->tallies;
  launch->chroma_table = frame->chroma_table;
  if (frame->previous != 0)
    launch->flags |= HISTO_MAPS_PREVIOUS;
  for (guint i = 0; i < n; i++)
    place_region (plan, frame->info, first_region + i, &launch->regions[i]);
  divide_blocks (maps, n, launch);
  *grid = (HistoCudaGrid) {
    .blocks = launch->first_block[HISTO_MAPS_REGIONS],
    .channel_blocks = 1,
    .buffers = 1,
    .threads = threads[maps->kernel],
    .shared_bytes = find_shared_bytes (maps),
  };
}
