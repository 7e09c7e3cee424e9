/* All of the ladder's kernels: the steps, and what the harness needs beside them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "reduction.cuh"
#include "histogram.cuh"
#include "splitting.cuh"
#include "elimination.cuh"

/* ---- The data ---------------------------------------------------------------------- */

__device__ __forceinline__ void
store_element (const LadderTask &task, uint32_t i)
{
  const int value = ladder_value (task.content, i);

  switch (task.content) {
#define X(order) case LADDER_ORDER_##order:
    LADDER_ORDERS (X)
#undef X
      ((double *) task.data)[i] = ladder_matrix_value (i);
      break;
    case LADDER_FLOAT: ((float *) task.data)[i] = (float) value; break;
    case LADDER_HALF: ((uint16_t *) task.data)[i] = half_bits ((float) value); break;
    case LADDER_INT:
    case LADDER_SAMPLES: ((int *) task.data)[i] = value; break;
    case LADDER_UNIFORM_8:
    case LADDER_RUNS_8:
    case LADDER_CONSTANT_8: ((uint8_t *) task.data)[i] = (uint8_t) value; break;
    default: ((uint16_t *) task.data)[i] = (uint16_t) value; break;
  }
}

LADDER_KERNEL (ladder_fill, LADDER_LARGE_BLOCK, 1, {
  for (uint32_t i = thread_in_grid (); i < task.n; i += gridDim.x * blockDim.x)
    store_element (task, i);
})

/* ---- The rooflines ----------------------------------------------------------------- */

/* Reads n 16-byte vectors, and does the least with them that the compiler takes for use: the
 * result is written by none but chance. */
__device__ __forceinline__ void
read_only (const LadderTask &task)
{
  uint32_t bits = 0;

  take_vectors_in_turn ((const uint4 *) task.data, task.n,
      [&] (uint4 v) { bits |= v.x & v.y & v.z & v.w; });
  if (bits == 0x5a17c3e9)
    *(uint32_t *) task.result = bits;
}

/* Copies n 16-byte vectors. */
__device__ __forceinline__ void
copy (const LadderTask &task)
{
  const uint32_t step = gridDim.x * blockDim.x;
  uint4 *to = (uint4 *) task.result;
  uint32_t i = thread_in_grid ();

  for (; i + (LADDER_IN_FLIGHT - 1) * step < task.n; i += LADDER_IN_FLIGHT * step) {
    uint4 v[LADDER_IN_FLIGHT];

#pragma unroll
    for (uint32_t k = 0; k < LADDER_IN_FLIGHT; k++)
      v[k] = __ldg ((const uint4 *) task.data + i + k * step);
#pragma unroll
    for (uint32_t k = 0; k < LADDER_IN_FLIGHT; k++)
      to[i + k * step] = v[k];
  }
  for (; i < task.n; i += step)
    to[i] = __ldg ((const uint4 *) task.data + i);
}

LADDER_KERNEL (ladder_read_only, LADDER_LARGE_BLOCK, LADDER_RESIDENT, read_only (task))
LADDER_KERNEL (ladder_copy, LADDER_LARGE_BLOCK, LADDER_RESIDENT, copy (task))

/* Keeps the device busy for n nanoseconds. */
__device__ __forceinline__ void
delay (const LadderTask &task)
{
#ifdef __CUDA_ARCH__
  unsigned long long begin, now;

  asm volatile ("mov.u64 %0, %%globaltimer;" : "=l" (begin));
  do
    asm volatile ("mov.u64 %0, %%globaltimer;" : "=l" (now));
  while (now - begin < task.n);
#else
  (void) task;
#endif
}

LADDER_KERNEL (ladder_delay, HISTO_WARP_SIZE, 1, delay (task))

/* ---- Primitives -------------------------------------------------------------------- */

/* What each thread of some blocks finds, for the n words of its input: LADDER_FINDINGS words
 * a thread. */
__device__ __forceinline__ void
find_primitives (const LadderTask &task)
{
  const uint32_t i = thread_in_grid ();
  const int value = ((const int *) task.data)[i];
  int *findings = (int *) task.result + i * LADDER_FINDINGS;

  findings[0] = warp_sum (value);
  findings[1] = warp_sum_redux (value);
  findings[2] = warp_broadcast (value, 5);
  findings[3] = warp_rotate (value, 3);
  findings[4] = warp_scan (value);
  findings[5] = block_sum<false> (value);
  __syncthreads ();
  findings[6] = block_scan (value);
  findings[7] = (int) (2 * warp_scan (0.5f * (float) value));
}

LADDER_KERNEL (ladder_primitives, LADDER_LARGE_BLOCK, 1, find_primitives (task))

/* The percentiles of a histogram of 256 bins, by a block of as many threads: the value in
 * whose bin the sum of the counters up to it comes to the percentage of all. That is the
 * rule of plugin/statistics.c, in integers; of no samples, there are none. */
__device__ __forceinline__ void
find_percentiles (const LadderTask &task)
{
  const uint32_t percents[LADDER_N_PERCENTILES] = LADDER_PERCENTILES;
  const uint32_t own = ((const uint32_t *) task.data)[threadIdx.x];
  const unsigned long long up_to = block_scan ((unsigned long long) own);
  __shared__ unsigned long long all;

  if (threadIdx.x == LADDER_BINS_8 - 1)
    all = up_to;
  __syncthreads ();
  for (uint32_t k = 0; k < LADDER_N_PERCENTILES; k++) {
    const unsigned long long wanted = percents[k] * all;

    if (up_to * 100 >= wanted && (up_to - own) * 100 < wanted)
      ((uint32_t *) task.result)[k] = threadIdx.x;
  }
}

LADDER_KERNEL (ladder_percentiles, LADDER_BINS_8, 1, find_percentiles (task))
