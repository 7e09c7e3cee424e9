/* The second launch: the blocks' tables of counters become one.
 *
 * Many counters of many blocks are too many to be added by atomic operations: 132 blocks
 * with 65536 each take several times as long as counting a frame. Stored plainly and read
 * again they stay in the cache, and all multiprocessors share the adding.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "portable.cuh"
#include "kernels/histo.h"

/* Adds the counters [first_vector * N, + HISTO_SUM_COLUMNS * N) of n_tables tables of
 * 16-byte vectors, N counters to a vector: 4 of 32 bits or 8 of 16. Adds what is in
 * `scratch`, whose size is a multiple of N counters, and leaves it zero. sink.put (counter,
 * sum) takes the sums of those < n_counters; neighbouring threads have counters in the
 * order that sink.order (i) has for them. All threads of the block, a multiple of
 * HISTO_SUM_COLUMNS. */
template <uint32_t N, typename Sink>
__device__ __forceinline__ void
sum_tables (const uint4 *tables, uint64_t table_vectors, uint32_t n_tables,
    uint32_t *scratch, uint32_t n_counters, uint32_t first_vector, const Sink &sink)
{
  const uint32_t n_sharers = blockDim.x / HISTO_SUM_COLUMNS;
  const uint32_t n_block = HISTO_SUM_COLUMNS * N;
  const uint32_t column = threadIdx.x % HISTO_SUM_COLUMNS;
  const uint32_t sharer = threadIdx.x / HISTO_SUM_COLUMNS;
  /* Of a block for each multiprocessor, all of a thread's tables are on their way at once on
   * the GPUs with up to 144 of them. */
  const uint32_t at_once = 9;
  __shared__ uint32_t parts[HISTO_SUM_THREADS * 8];
  uint32_t sums[N] = { 0, };

  if ((first_vector + column) * N < n_counters) {
    const uint4 *vector = tables + first_vector + column;

    if (sharer == 0) {
#pragma unroll
      for (uint32_t i = 0; i < N; i++) {
        uint32_t *counter = scratch + (first_vector + column) * N + i;

        sums[i] = *counter;
        *counter = 0;
      }
    }
    for (uint32_t t = sharer; t < n_tables; t += at_once * n_sharers) {
      uint4 v[at_once];

#pragma unroll
      for (uint32_t k = 0; k < at_once; k++) {
        const uint32_t table = t + k * n_sharers;

        v[k] = table < n_tables ? __ldcg (vector + table * table_vectors)
            : make_uint4 (0, 0, 0, 0);
      }
#pragma unroll
      for (uint32_t k = 0; k < at_once; k++) {
        const uint32_t words[4] = { v[k].x, v[k].y, v[k].z, v[k].w };

#pragma unroll
        for (uint32_t i = 0; i < N; i++)
          sums[i] += N == 4 ? words[i] : words[i / 2] >> 16 * (i % 2) & 0xffff;
      }
    }
  }
#pragma unroll
  for (uint32_t i = 0; i < N; i++)
    parts[(sharer * N + i) * HISTO_SUM_COLUMNS + column] = sums[i];
  __syncthreads ();

  for (uint32_t i = threadIdx.x; i < n_block; i += blockDim.x) {
    const uint32_t place = sink.order (i);
    const uint32_t counter = first_vector * N + place;
    uint32_t sum = 0;

    for (uint32_t s = 0; s < n_sharers; s++)
      sum += parts[s * n_block + place % N * HISTO_SUM_COLUMNS + place / N];
    if (counter < n_counters)
      sink.put (counter, sum);
  }
}
