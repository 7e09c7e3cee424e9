/* Counting four numbers of 16 bits, or two, of each lane of a warp in a packed copy.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/counters.cuh"

/* Whether all lanes of the warp have the same number. */
__device__ __forceinline__ bool
is_one_number (uint32_t number)
{
  return __all_sync (HISTO_FULL_WARP, number == __shfl_sync (HISTO_FULL_WARP, number, 0));
}

/* Counts the halves of N / 2 words, in this order. @own: bits of those that count. All lanes of the warp call it.
 *
 * Additions to one counter wait for each other. So a lane whose numbers are equal adds them at once, and in a flat area
 * one lane adds those of all: together no more than they would, as PackedCounters require. */
template <uint32_t N, typename Bins>
__device__ __forceinline__ void
count_halves (const PackedCounters<Bins> &counters, const uint32_t (&words)[N / 2], uint32_t own)
{
  constexpr uint32_t all = (1 << N) - 1;
  const bool is_flat = own == all && words[0] == words[N / 2 - 1] && words[0] >> 16 == (words[0] & 0xffff);
  TwoPackedCounters two[N / 2];
  uint32_t found[N] = { 0, };

#pragma unroll
  for (uint32_t i = 0; i < N / 2; i++)
    two[i] = counters.find_two (words[i]);
  if (__all_sync (HISTO_FULL_WARP, is_flat) && is_one_number (words[0])) {
    if (threadIdx.x % HISTO_WARP_SIZE == 0
        && (counters.count (two[0].lower (), N * HISTO_WARP_SIZE) & counters.high) != 0)
      counters.relieve (two[0].lower ());
    return;
  }
  if (is_flat) {
    found[0] = counters.count (two[0].lower (), N);
  } else if (own == all) {
#pragma unroll
    for (uint32_t i = 0; i < N / 2; i++) {
      found[2 * i] = counters.count (two[i].lower ());
      found[2 * i + 1] = counters.count (two[i].upper ());
    }
  } else {
#pragma unroll
    for (uint32_t i = 0; i < N / 2; i++) {
      if ((own >> 2 * i & 1) != 0)
        found[2 * i] = counters.count (two[i].lower ());
      if ((own >> 2 * i & 2) != 0)
        found[2 * i + 1] = counters.count (two[i].upper ());
    }
  }

  uint32_t any = 0;

#pragma unroll
  for (uint32_t i = 0; i < N; i++)
    any |= found[i];
  if ((any & counters.high) == 0)
    return;
#pragma unroll
  for (uint32_t i = 0; i < N / 2; i++) {
    counters.relieve (two[i].lower ());
    counters.relieve (two[i].upper ());
  }
}
