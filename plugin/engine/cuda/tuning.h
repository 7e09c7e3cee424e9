/* What the shape of a launch depends on apart from the sizes that must fit: one table with a row for
 * each device that was measured, and rules for all others.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_TUNING_H
#define HISTO_CUDA_TUNING_H

#include "engine/cuda/plan.h"

G_BEGIN_DECLS

/* The columns of the table: X (field). */
#define HISTO_CUDA_TUNING_FIELDS(X) \
  /* log2 of the most copies of a block's counters; at most 5, a copy for each lane. */ \
  X (most_copies_log2) \
  /* Bytes of a plane for which one more block is worth while: each block clears and folds \
   * its counters. */ \
  X (video_bytes_per_block) \
  /* log2 of the distance from bin to bin of a frame's sums in scratch memory, for frames \
   * of at most video_spread_bins bins: the blocks' additions then reach more slices of \
   * the L2 cache. */ \
  X (video_spread_log2) \
  X (video_spread_bins) \
  /* By sample: threads of a block; at most HISTO_SAMPLES_THREADS count. */ \
  X (audio_threads) \
  /* Samples for which one more block is worth while. */ \
  X (audio_samples_per_block) \
  /* By sample: most bytes of shared memory for a block's counters. By rule: as many as leave room \
   * for all blocks of a multiprocessor. */ \
  X (audio_shared_bytes) \
  /* By vector: blocks of a multiprocessor. */ \
  X (audio_blocks) \
  /* By vector: threads of a block that has a buffer alone; their totals must be summed. */ \
  X (audio_small_threads) \
  /* Most counters that the last block sums; more need a second launch. */ \
  X (audio_last_block_counters)

#define HISTO_CUDA_TUNING_FIELD(name) guint name;
typedef struct
{
  gint compute_capability;
  HISTO_CUDA_TUNING_FIELDS (HISTO_CUDA_TUNING_FIELD)
  const gchar *measured;        /* device, date and result; NULL: by rule */
} HistoCudaTuning;
#undef HISTO_CUDA_TUNING_FIELD

/* The value of a field that is not forced. */
#define HISTO_CUDA_TUNING_BY_TABLE G_MAXUINT

void histo_cuda_tuning_get (const HistoCudaLimits * limits,
    HistoCudaTuning * tuning);
void histo_cuda_tuning_derive (const HistoCudaLimits * limits,
    HistoCudaTuning * tuning);
gboolean histo_cuda_tuning_force (const gchar * field, guint value);

G_END_DECLS

#endif /* HISTO_CUDA_TUNING_H */
