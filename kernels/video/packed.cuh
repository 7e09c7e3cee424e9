/* Counting planes of 16-bit words in a packed copy (PackedCounters).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/video/units.cuh"

/* The threads of a block of each kernel. */
struct KernelThreads
{
#define KERNEL_THREADS(name, threads) name = threads,
  enum { HISTO_COUNT_KERNELS (KERNEL_THREADS) };
#undef KERNEL_THREADS
};

/* The samples of one component among a unit's words, of which other components have the rest. */
template <int N_WORDS>
struct SamplesAmongOthers
{
  static constexpr uint32_t number = 8 / N_WORDS;
  bool is_upper;                /* they are the upper halves of loads */
  uint32_t first;               /* load */
  uint32_t half;                /* mask */

  /* @present: one bit, for the component's word of a period */
  __device__ __forceinline__
  explicit SamplesAmongOthers (uint32_t present)
  {
    is_upper = (present & 0xa) != 0;
    first = N_WORDS == 4 && (present & 0xc) != 0 ? 1 : 0;
    half = is_upper ? 0xffff0000 : 0xffff;
  }

  /* Whether they are equal. */
  __device__ __forceinline__ bool
  are_one_number (const uint32_t loads[4]) const
  {
    const uint32_t value = one_of (loads);
    const uint32_t others = N_WORDS == 4 ? (first == 1 ? loads[3] : loads[2]) ^ value :
        (loads[1] ^ value) | (loads[2] ^ value) | (loads[3] ^ value);

    return (others & half) == 0;
  }

  /* A load that has one of them. */
  __device__ __forceinline__ uint32_t
  one_of (const uint32_t loads[4]) const
  {
    return N_WORDS == 4 && first == 1 ? loads[1] : loads[0];
  }
};

/* Counts a unit. Both samples of a 32-bit load are permuted together, because the integer
 * units limit the speed. */
template <int N_WORDS, typename Bins>
__device__ __forceinline__ void
count_packed_unit (const uint4 &vector, uint32_t byte_order, uint32_t present,
    const PackedCounters<Bins> &counters)
{
  const uint32_t high = counters.high;
  const uint32_t loads[4] = { vector.x, vector.y, vector.z, vector.w };
  TwoPackedCounters two[4];
  uint32_t found[8] = { 0, }, all = 0;

#pragma unroll
  for (int l = 0; l < 4; l++)
    two[l] = counters.find_two (__byte_perm (loads[l], 0, byte_order));
  if (N_WORDS == 1 && is_run (vector)) {
    if ((counters.count (two[0].lower (), 8) & high) != 0)
      counters.relieve (two[0].lower ());
    return;
  }
  if constexpr (N_WORDS > 1) {
    const SamplesAmongOthers<N_WORDS> samples (present);

    /* Additions to one counter wait for each other, as those of alpha would. So a lane adds equal samples at once, and one
     * lane adds those of all lanes that come here, if they are equal, too: together no more than the lanes would, as
     * PackedCounters require. */
    if ((present & (present - 1)) == 0 && samples.are_one_number (loads)) {
      const uint32_t lanes = __activemask (), leader = (uint32_t) __ffs (lanes) - 1;
      const uint32_t one = samples.one_of (loads), of_leader = __shfl_sync (lanes, one, leader);
      const bool is_flat = __all_sync (lanes, ((one ^ of_leader) & samples.half) == 0);
      const TwoPackedCounters both = samples.first == 1 ? two[1] : two[0];
      const PackedCounter counter = samples.is_upper ? both.upper () : both.lower ();

      if ((!is_flat || threadIdx.x % HISTO_WARP_SIZE == leader) /* COVERAGE: on the mock each lane comes alone */
          && (counters.count (counter, samples.number * (is_flat ? __popc (lanes) : 1)) & high) != 0)   /* COVERAGE: the same */
        counters.relieve (counter);
      return;
    }
  }
#pragma unroll
  for (int l = 0; l < 4; l++) {
    if (N_WORDS == 1 || present >> 2 * l % N_WORDS & 1)
      found[2 * l] = counters.count (two[l].lower ());
    if (N_WORDS == 1 || present >> (2 * l + 1) % N_WORDS & 1)
      found[2 * l + 1] = counters.count (two[l].upper ());
  }
  /* The previous values are looked at only now, so that no addition waits for another. */
#pragma unroll
  for (uint32_t one : found)
    all |= one;
  if ((all & high) == 0)
    return;
  /* Rare: not unrolled, to keep the code small. */
#pragma unroll 1
  for (int l = 0; l < 4; l++) {
    counters.relieve (two[0].lower ());
    counters.relieve (two[0].upper ());
    two[0] = two[1];
    two[1] = two[2];
    two[2] = two[3];
  }
}

/* Does what count_family() does for other counters, in less code: a block executes the loop
 * only a few times for a frame, and then fetching the instructions takes as long as executing
 * them. */
template <typename F, typename Bins>
__device__ __forceinline__ void
count_family (const HistoPlane &plane, const HistoUnits &units, const PlaneBlock &block,
    const PackedCounters<Bins> &counters)
{
  typedef typename F::U U;
  const uint32_t in_flight = 2;
  const uint32_t byte_order = units.byte_order, present = units.present;

  static_assert (F::word_bytes == 2 && F::n_vectors == 1, "a unit is eight 16-bit words");
  static_assert (KernelThreads::ranges <= KernelThreads::packed
      && KernelThreads::packed * 2 * F::bytes / F::word_bytes < 32768,
      "a counter never wraps around, see PackedCounters");
  if (units.columns > 0) {
    UnitWalk walk (units, block, F::bytes);
    UnitData<U> ring[in_flight];

#pragma unroll
    for (uint32_t i = 0; i < in_flight; i++) {
      if (i < walk.n_left)
        ring[i].load (walk);
    }
    counters.clear ();
    __syncthreads ();

    for (;;) {
#pragma unroll
      for (uint32_t i = 0; i < in_flight; i++) {
        const UnitData<U> unit = ring[i];

        if (i >= walk.n_left)
          break;
        if (i + in_flight < walk.n_left)
          ring[i].load (walk);
        count_packed_unit<F::n_words> (unit.vectors[0], byte_order, present, counters);
      }
      if (walk.n_left <= in_flight)
        break;
      walk.n_left -= in_flight;
    }
  } else {
    counters.clear ();
    __syncthreads ();
  }
  count_periods (plane, block, units.columns * F::n_periods, counters);
}
