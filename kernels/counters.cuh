/* Counters of a block: private copies in shared memory, and how they become one.
 *
 * The copies of a bin lie side by side, one per lane of a warp if there are 32: then
 * each lane has a bank of its own, and a warp counts 32 samples in one pass whatever
 * their values. With fewer copies neighbouring lanes share them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "portable.cuh"
#include "kernels/histo.h"

/* 1 << LOG2 copies, known when compiled. */
template <int LOG2>
struct FixedCopies
{
  uint32_t *copy;               /* this lane's copy of bin 0 */

  __device__ __forceinline__ void
  count (uint32_t bin) const
  {
    atomicAdd (copy + (bin << LOG2), 1u);
  }
};

/* As many copies as shared memory holds. */
struct SomeCopies
{
  uint32_t *copy;
  uint32_t log2;

  __device__ __forceinline__ void
  count (uint32_t bin) const
  {
    atomicAdd (copy + (bin << log2), 1u);
  }
};

/* Shared memory holds none: the one copy of the whole grid, in global memory. */
struct NoCopies
{
  uint32_t *bins;

  __device__ __forceinline__ void
  count (uint32_t bin) const
  {
    atomicAdd (bins + bin, 1u);
  }
};

/* Sets n_bins << copies_log2 counters to zero; all threads of the block. */
__device__ __forceinline__ void
clear_counters (uint32_t *counters, uint32_t n_bins, uint32_t copies_log2)
{
  for (uint32_t i = threadIdx.x; i < n_bins << copies_log2; i += blockDim.x)
    counters[i] = 0;
  __syncthreads ();
}

/* Adds the block's copies to the grid's counters; all threads of the block. Each
 * thread begins at another copy, so that a warp's reads lie in different banks. */
__device__ __forceinline__ void
fold_counters (const uint32_t *counters, uint32_t n_bins, uint32_t copies_log2,
    uint32_t *sums)
{
  const uint32_t n_copies = 1u << copies_log2;

  __syncthreads ();
  for (uint32_t bin = threadIdx.x; bin < n_bins; bin += blockDim.x) {
    uint32_t sum = 0;

    for (uint32_t k = 0; k < n_copies; k++)
      sum += counters[(bin << copies_log2) + ((k + threadIdx.x) & (n_copies - 1))];
    if (sum > 0)
      atomicAdd (sums + bin, sum);
  }
}

/* TRUE in all threads of the block that is the last of n_blocks to come here; what the
 * others wrote to global memory before is then seen by it. Resets the ticket. */
__device__ __forceinline__ bool
is_last_block (uint32_t *ticket, uint32_t n_blocks)
{
  __shared__ bool is_last;

  __threadfence ();
  __syncthreads ();
  if (threadIdx.x == 0) {
    is_last = atomicAdd (ticket, 1u) == n_blocks - 1;
    if (is_last)
      *ticket = 0;
  }
  __syncthreads ();
  if (is_last)
    __threadfence ();
  return is_last;
}

/* Hands the grid's counters to the host and leaves zeros for the next launch. */
__device__ __forceinline__ void
publish_counters (uint32_t *sums, uint32_t n_bins, uint32_t *result)
{
  for (uint32_t i = threadIdx.x; i < n_bins; i += blockDim.x) {
    result[i] = __ldcg (sums + i);
    sums[i] = 0;
  }
}
