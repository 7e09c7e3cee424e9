/* Counting, step by step: bytes into 256 bins, then 16-bit words into 65536. What each step
 * teaches is in the table in ladder-steps.c.
 *
 * All find the result zero and add to it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "primitives.cuh"

#define LADDER_BITS_8 8
#define LADDER_BITS_16 16

template <int BITS, typename Count>
__device__ __forceinline__ void
count_vector (uint4 v, const Count &count)
{
  const uint32_t words[4] = { v.x, v.y, v.z, v.w };

#pragma unroll
  for (int w = 0; w < 4; w++) {
#pragma unroll
    for (int k = 0; k < 32; k += BITS)
      count (words[w] >> k & ((1u << BITS) - 1));
  }
}

/* What no vector holds: the first threads of the grid take one each. */
template <int BITS, typename Count>
__device__ __forceinline__ void
count_rest (const LadderTask &task, const Count &count)
{
  const uint32_t per_vector = 128 / BITS;
  const uint32_t i = task.n / per_vector * per_vector + blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= task.n)
    return;
  if (BITS == LADDER_BITS_8)
    count ((uint32_t) ((const uint8_t *) task.data)[i]);
  else
    count ((uint32_t) ((const uint16_t *) task.data)[i]);
}

/* Calls `count (sample)` for this thread's share. Interleaved: neighbours read side by side. */
template <int BITS, typename Count>
__device__ __forceinline__ void
count_interleaved (const LadderTask &task, const Count &count)
{
  take_vectors_in_turn ((const uint4 *) task.data, task.n / (128 / BITS),
      [&] (uint4 v) { count_vector<BITS> (v, count); });
  count_rest<BITS> (task, count);
}

/* Sectioned: each thread has a stretch of its own. */
template <int BITS, typename Count>
__device__ __forceinline__ void
count_sectioned (const LadderTask &task, const Count &count)
{
  const uint32_t n_vectors = task.n / (128 / BITS), n_threads = gridDim.x * blockDim.x;
  const uint32_t section = (n_vectors + n_threads - 1) / n_threads;
  const uint32_t first = (blockIdx.x * blockDim.x + threadIdx.x) * section;
  const uint32_t end = min (n_vectors, first + section);

#pragma unroll 4
  for (uint32_t i = first; i < end; i++)
    count_vector<BITS> (__ldg ((const uint4 *) task.data + i), count);
  count_rest<BITS> (task, count);
}

__device__ __forceinline__ uint32_t *
bins_of (const LadderTask &task)
{
  return (uint32_t *) task.result;
}

/* ---- 256 bins ---------------------------------------------------------------------- */

template <int BITS>
__device__ __forceinline__ void
global_atomics (const LadderTask &task)
{
  const GlobalCounters counters = { bins_of (task) };

  count_interleaved<BITS> (task,
      [&] (uint32_t sample) { counters.count_at (counters.offset_of (sample)); });
}

/* Copies one behind the other, `stride` counters apart; a thread counts in number `copy` of
 * n_copies. With a stride that is a multiple of 32, a bin has the same bank in all. */
__device__ __forceinline__ void
count_in_copies (const LadderTask &task, uint32_t n_copies, uint32_t copy, uint32_t stride)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);
  const SharedCounters counters (n_copies * stride, 0, copy * stride);

  counters.clear ();
  __syncthreads ();
  count_interleaved<LADDER_BITS_8> (task,
      [&] (uint32_t sample) { counters.count_at (counters.offset_of (sample)); });
  __syncthreads ();
  for (uint32_t bin = threadIdx.x; bin < LADDER_BINS_8; bin += blockDim.x) {
    uint32_t sum = 0;

    for (uint32_t k = 0; k < n_copies; k++)
      sum += shared[k * stride + bin];
    AddSum { bins_of (task) }.put (bin, sum);
  }
}

__device__ __forceinline__ void
copy_per_block (const LadderTask &task)
{
  count_in_copies (task, 1, 0, LADDER_BINS_8);
}

__device__ __forceinline__ void
copy_per_warp (const LadderTask &task)
{
  count_in_copies (task, blockDim.x / HISTO_WARP_SIZE, threadIdx.x / HISTO_WARP_SIZE,
      LADDER_BINS_8);
}

__device__ __forceinline__ void
copy_per_lane (const LadderTask &task)
{
  count_in_copies (task, HISTO_WARP_SIZE, threadIdx.x % HISTO_WARP_SIZE, LADDER_BINS_8);
}

__device__ __forceinline__ void
copy_per_lane_padded (const LadderTask &task)
{
  count_in_copies (task, HISTO_WARP_SIZE, threadIdx.x % HISTO_WARP_SIZE, LADDER_BINS_8 + 1);
}

/* What production does: the copies of a bin side by side, so that each lane has a bank of its
 * own. `walk (counters)` counts. */
#define LADDER_COPIES_LOG2 5

template <typename Walk>
__device__ __forceinline__ void
count_in_own_bank (const LadderTask &task, const Walk &walk)
{
  const SharedCounters counters (LADDER_BINS_8, LADDER_COPIES_LOG2);

  counters.clear ();
  __syncthreads ();
  walk (counters);
  fold_counters<false> (LADDER_BINS_8, LADDER_COPIES_LOG2, AddSum { bins_of (task) });
}

__device__ __forceinline__ void
lane_private_sectioned (const LadderTask &task)
{
  count_in_own_bank (task, [&] (const SharedCounters &counters) {
    count_sectioned<LADDER_BITS_8> (task,
        [&] (uint32_t sample) { counters.count_at (counters.offset_of (sample)); });
  });
}

__device__ __forceinline__ void
lane_private (const LadderTask &task)
{
  count_in_own_bank (task, [&] (const SharedCounters &counters) {
    count_interleaved<LADDER_BITS_8> (task,
        [&] (uint32_t sample) { counters.count_at (counters.offset_of (sample)); });
  });
}

__device__ __forceinline__ void
lane_private_runs (const LadderTask &task)
{
  count_in_own_bank (task, [&] (const SharedCounters &counters) {
    HISTO_DYNAMIC_SHARED (char, shared);
    uint32_t value = 0, length = 0;
    const auto count_run = [&] {
      if (length > 0)
        atomicAdd ((uint32_t *) (shared + counters.offset_of (value)), length);
    };

    count_interleaved<LADDER_BITS_8> (task, [&] (uint32_t sample) {
      if (sample != value) {
        count_run ();
        value = sample;
        length = 0;
      }
      length++;
    });
    count_run ();
  });
}

/* ---- 65536 bins -------------------------------------------------------------------- */

/* What production does; there a thread looks once for eight samples. */
__device__ __forceinline__ void
packed_copy (const LadderTask &task)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);
  const PackedCounters<AllBins> counters = { AllBins (), bins_of (task) };

  counters.clear ();
  __syncthreads ();
  count_interleaved<LADDER_BITS_16> (task, [&] (uint32_t sample) {
    counters.count_at (counters.offset_of (sample));
  });
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < LADDER_BINS_16 / 2; i += blockDim.x) {
    const uint32_t pair = shared[i], bin = 2 * PackedCounters<AllBins>::word_of (i);

    AddSum { bins_of (task) }.put (bin, pair & 0xffff);
    AddSum { bins_of (task) }.put (bin + 1, pair >> 16);
  }
}

/* Each block of a cluster keeps the counters of a part of the bins for all. */
__device__ __forceinline__ void
cluster_copy (const LadderTask &task)
{
  uint32_t *own = shared_of_rank (rank_in_cluster ());

  if (in_phase (0)) {
    for (uint32_t i = threadIdx.x; i < LADDER_CLUSTER_BINS; i += blockDim.x)
      own[i] = 0;
  }
  cluster_meets ();
  if (in_phase (1)) {
    count_interleaved<LADDER_BITS_16> (task, [&] (uint32_t sample) {
      atomicAdd (shared_of_rank (sample / LADDER_CLUSTER_BINS)
          + sample % LADDER_CLUSTER_BINS, 1u);
    });
  }
  cluster_meets ();
  if (in_phase (2)) {
    const AddSum sums = { bins_of (task) + rank_in_cluster () * LADDER_CLUSTER_BINS };

    for (uint32_t i = threadIdx.x; i < LADDER_CLUSTER_BINS; i += blockDim.x)
      sums.put (i, own[i]);
  }
}

/* ---- The kernels ------------------------------------------------------------------- */

#define LADDER_HISTOGRAM(step, blocks, ...) \
  LADDER_KERNEL (ladder_##step, LADDER_LARGE_BLOCK, blocks, __VA_ARGS__)

LADDER_HISTOGRAM (global_atomics, LADDER_RESIDENT, global_atomics<LADDER_BITS_8> (task))
LADDER_HISTOGRAM (copy_per_block, LADDER_RESIDENT, copy_per_block (task))
LADDER_HISTOGRAM (copy_per_warp, LADDER_RESIDENT, copy_per_warp (task))
LADDER_HISTOGRAM (copy_per_lane, LADDER_RESIDENT, copy_per_lane (task))
LADDER_HISTOGRAM (copy_per_lane_padded, LADDER_RESIDENT, copy_per_lane_padded (task))
LADDER_HISTOGRAM (lane_private_sectioned, LADDER_RESIDENT, lane_private_sectioned (task))
LADDER_HISTOGRAM (lane_private, LADDER_RESIDENT, lane_private (task))
LADDER_HISTOGRAM (lane_private_runs, LADDER_RESIDENT, lane_private_runs (task))
LADDER_HISTOGRAM (global_atomics_16, LADDER_RESIDENT, global_atomics<LADDER_BITS_16> (task))
LADDER_HISTOGRAM (packed_copy, 1, packed_copy (task))
LADDER_HISTOGRAM (cluster_copy, LADDER_RESIDENT, cluster_copy (task))
