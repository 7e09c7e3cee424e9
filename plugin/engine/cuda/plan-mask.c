/* The launch plan of the kernel that writes a copy of a frame under a mask.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/plan.h"
#include "media/mask.h"
#include "media/pack.h"

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
