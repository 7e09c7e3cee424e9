/* Counters of the lanes of a warp, for the kernels that measure by vectors.
 *
 * A lane always has the same channels, and has its own copy of the counters. The copies of a
 * counter lie side by side, so that a warp counts 32 samples in one pass whatever their
 * values. Rows before and after the bins count what is outside, so that finding a row takes
 * no branch.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/audio/counters.cuh"

/* The counters of a lane for N channels: row after row, and in a row place after place. A row
 * of a place has one counter for each copy, side by side. */
template <uint32_t N>
struct LaneCounters
{
  uint32_t row_bytes;
  uint32_t first[N];            /* shared address of row 0, for each place */

  __device__ __forceinline__
  explicit LaneCounters (const HistoAudioLaunch &launch)
  {
    const uint32_t place_bytes = 4 * launch.n_copies;

    row_bytes = N * place_bytes;
    /* Lanes with equal copies have equal channels, in all warps: if the channels' period
     * does not divide a warp, each warp begins with another copy. */
    const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE
        + (threadIdx.x - threadIdx.x % HISTO_WARP_SIZE) % launch.lane_period;

#pragma unroll
    for (uint32_t place = 0; place < N; place++)
      first[place] = shared_base () + place * place_bytes + 4 * (lane % launch.n_copies);
  }

  /* Renumbers the rows: row `row` becomes row 0. */
  __device__ __forceinline__ void
  begin_at (uint32_t row)
  {
#pragma unroll
    for (uint32_t place = 0; place < N; place++)
      first[place] += row * row_bytes;
  }

  __device__ __forceinline__ void
  count (uint32_t row, uint32_t place, uint32_t n = 1) const
  {
    add_at_shared (row * row_bytes + first[place], n);
  }
};
