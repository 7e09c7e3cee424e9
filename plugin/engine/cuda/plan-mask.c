/* Launch plans of masked frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/plan-mask.h"

#include "engine/cuda/plan-strip.h"
#include "media/pack.h"

/* ---- A copy ----------------------------------------------------------------------------- */

/**
 * histo_cuda_plan_copies_masked:
 * @plan: with a mask
 *
 * Returns: whether a copy of the frame is counted, which is faster: of Bayer video; and if the plan has samples alone and, with a
 *   mask of alpha, each sample is of a pixel of its own
 */
gboolean
histo_cuda_plan_copies_masked (const HistoPlan * plan)
{
  if (histo_format_is_bayer (plan->format))
    return TRUE;
  return plan->groups == HISTO_GROUP_FLAG (HISTO_GROUP_BASIC)
      && histo_packed_size (plan->format) <= HISTO_CUDA_MOST_MASKED_BYTES
      && (plan->alpha < 0 || histo_format_has_pixel_periods (plan->format));
}

/* So many units of a plane are a block's. */
#define UNITS_OF_BLOCK (HISTO_MASK_THREADS * HISTO_MASK_VECTORS)
/* Many small blocks take longer to begin than to copy. */
#define MOST_BLOCKS 65536

static void
use_alpha (const HistoFormat * format, guint alpha, const HistoPlane * planes, HistoMaskLaunch * launch)
{
  HistoComponentSamples found;

  histo_format_find_samples (format, alpha, &found);
  launch->kind = HISTO_MASK_OF_ALPHA;
  launch->alpha_data = planes[found.plane].data;
  launch->alpha_stride = planes[found.plane].stride;
  launch->alpha_period_bytes = planes[found.plane].period_bytes;
  launch->alpha_is_big_endian = planes[found.plane].big_endian;
  launch->alpha = planes[found.plane].samples[found.samples[0]];
}

/**
 * histo_cuda_plan_mask:
 * @alpha: of a mask of alpha, the component; else -1
 * @launch: (out):
 * @grid: (out): without blocks if the frame has no samples
 */
void
histo_cuda_plan_mask (const HistoFormat * format, gint alpha,
    const HistoCudaMaskFrame * frame, HistoMaskLaunch * launch,
    HistoCudaGrid * grid)
{
  HistoPlane copies[HISTO_MAX_PLANES];

  *launch = (HistoMaskLaunch) {
    .kind = histo_mask_is_of_bytes (format) ? HISTO_MASK_OF_BITS : HISTO_MASK_OF_BYTES,
    .copy = frame->copy,
    .mask = frame->mask,
  };
  if (alpha >= 0)
    use_alpha (format, alpha, frame->planes, launch);
  histo_packed_locate (format, 0, copies);
  for (guint p = 0; p < format->n_planes; p++) {
    const HistoPlane *plane = &frame->planes[p];
    const guint64 row_bytes = histo_plane_row_bytes (plane);
    const guint64 columns = alpha >= 0 ? plane->periods : (row_bytes + 15) / 16;
    const guint64 blocks = (columns * plane->rows + UNITS_OF_BLOCK - 1) / UNITS_OF_BLOCK;

    launch->planes[p] = (HistoMaskPlane) {
      .data = plane->data,
      .stride = plane->stride,
      .row_bytes = row_bytes,
      .first_vector = copies[p].data / 16,
      .row_vectors = copies[p].stride / 16,
      .rows = plane->rows,
      .columns = columns,
      .period_bytes = plane->period_bytes,
    };
    launch->first_block[p + 1] = launch->first_block[p] + MIN (blocks, MOST_BLOCKS);
  }
  *grid = (HistoCudaGrid) {
    .blocks = launch->first_block[format->n_planes],
    .channel_blocks = 1,
    .buffers = 1,
    .threads = HISTO_MASK_THREADS,
  };
}

/* ---- Samples and pixels ------------------------------------------------------------------- */

/* A thread has about so many pixels of a region, unless the region has more than MOST_MASKED_BLOCKS need. */
#define PIXELS_OF_THREAD 8
#define MOST_MASKED_BLOCKS 1024

static void
place_components (const HistoPlan * plan, HistoMaskedLaunch * launch)
{
  const HistoFormat *format = plan->format;

  for (guint i = 0; i < plan->n_region_components; i++) {
    const HistoComponent *component = &plan->components[i];
    const guint c = component->source == HISTO_SOURCE_SAMPLE ? component->native : 0;

    launch->first_bins[component->source][c] = component->first_bin;
  }
  for (guint c = 0; c < format->n_components; c++) {
    histo_format_find_samples (format, c, &launch->components[c]);
    launch->w_sub[c] = format->video.finfo->w_sub[c];
    launch->h_sub[c] = format->video.finfo->h_sub[c];
  }
}

/**
 * histo_cuda_plan_masked:
 * @plan: with a mask, of a format with pixels of several components or of gray: not of Bayer video
 * @first_region: the first one of the launch. It has HISTO_STRIP_REGIONS of those that the frame uses, or fewer
 * @launch: (out):
 * @grid: (out):
 */
void
histo_cuda_plan_masked (const HistoCudaLimits * limits,
    const HistoPlan * plan, const HistoCudaMaskedFrame * frame,
    guint first_region, HistoMaskedLaunch * launch, HistoCudaGrid * grid)
{
  const HistoFormat *format = plan->format;
  const guint n_regions = MIN (histo_plan_used_regions (plan, frame->info) - first_region, HISTO_STRIP_REGIONS);
  const gsize n_bins = plan->n_counters / plan->n_regions, bytes = n_bins * sizeof (guint32);
  guint64 most_pixels = 1;

  *launch = (HistoMaskedLaunch) {
    .flags = (histo_cuda_plan_flags (plan) & ~HISTO_FLAG_SAMPLES) | (plan->n_tallies > 0 ? HISTO_FLAG_TALLIES : 0),
    .n_components = format->n_components,
    .width = format->width,
    .height = format->height,
    .pixels = frame->pixels,
    .alpha = MAX (plan->alpha, 0),
    .is_shared = bytes + HISTO_STRIP_STATIC_BYTES <= histo_cuda_plan_shared_room (limits),
    .counters = frame->counters,
    .tallies = frame->tallies,
    .n_region_bins = n_bins,
    .first_light_bin = n_bins - plan->n_light_bins,
    .chroma_table = frame->chroma_table,
    .hlg = frame->hlg,
    .scan = histo_plan_scan (plan, frame->info),
    .formulas = plan->formulas,
  };
  place_components (plan, launch);
  memcpy (launch->planes, frame->planes, sizeof launch->planes);
  for (guint r = 0; r < n_regions; r++) {
    const HistoRegion *region = histo_plan_region (plan, frame->info, first_region + r);

    launch->regions[r] = (HistoMaskedRegion) {
      region->x, region->y, region->width, region->height, first_region + r
    };
    most_pixels = MAX (most_pixels, (guint64) region->width * region->height);
  }
  *grid = (HistoCudaGrid) {
    .blocks = MIN ((most_pixels + HISTO_MASKED_THREADS * PIXELS_OF_THREAD - 1) / (HISTO_MASKED_THREADS * PIXELS_OF_THREAD),
        MOST_MASKED_BLOCKS),
    .channel_blocks = n_regions,
    .buffers = 1,
    .threads = HISTO_MASKED_THREADS,
    .shared_bytes = launch->is_shared ? bytes : 0,
  };
}
