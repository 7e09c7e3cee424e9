/* What the plans of launches have in common: how many copies of the counters fit in
 * shared memory, and how memory is divided.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/plan.h"

/* A copy for each lane of a warp. */
#define MAX_COPIES_LOG2 5

/* Bytes of shared memory that a block can have for counters. The kernels that count samples use no
 * other shared memory. */
guint64
histo_cuda_plan_shared_room (const HistoCudaLimits * limits)
{
  return MAX (limits->shared_memory_per_block, 0);
}

/**
 * histo_cuda_plan_copies:
 *
 * Returns: log2 of as many copies of @n_bins 32-bit counters as shared memory holds, at
 * most @most_copies_log2; or %HISTO_NO_COPIES
 */
guint8
histo_cuda_plan_copies (const HistoCudaLimits * limits,
    guint most_copies_log2, guint32 n_bins)
{
  const guint64 room = histo_cuda_plan_shared_room (limits);

  for (gint log2 = MIN (most_copies_log2, MAX_COPIES_LOG2); log2 >= 0; log2--) {
    if (((guint64) n_bins * sizeof (guint32)) << log2 <= room)
      return log2;
  }
  return HISTO_NO_COPIES;
}

/* Bytes of shared memory for these copies. */
guint
histo_cuda_plan_counters_bytes (guint32 n_bins, guint copies_log2)
{
  if (copies_log2 == HISTO_NO_COPIES)
    return 0;
  if (copies_log2 == HISTO_PACKED_COPY)
    return n_bins * sizeof (guint16);
  /* The kernels clear counters by 16-byte stores. */
  return (((n_bins * sizeof (guint32)) << copies_log2) + 15) & ~15u;
}

/* Rounds a size or an address up to where the next part of the same memory begins. */
guint64
histo_cuda_plan_align (guint64 size)
{
  const guint64 alignment = 16;

  return (size + alignment - 1) & ~(alignment - 1);
}
