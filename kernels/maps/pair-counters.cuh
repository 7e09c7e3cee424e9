/* The counters of kernel `pairs` in shared memory: components with 1024 values.
 *
 * A table has a row for each value. So one multiplication and addition (dp2a) makes the offset of a
 * counter from one half of a word, wherever the sample's bits lie in that half.
 *
 *   luma         64 bytes a row   8 copies each of Y, difference of Y
 *   chroma       64 bytes a row   4 copies each of U, V, difference of U, difference of V
 *   saturation   16 bytes a row   4 copies
 *   hue          16 bytes a row   4 copies
 *
 * More copies of luma would take longer: they leave too little memory for the first-level cache.
 *
 * Lanes with the same copy take turns, if there is `motion`. Of luma, lanes l and l + 4 have the same copy:
 * one counts samples while the other counts differences. Of chroma, lanes l, l + 4, l + 8 and l + 12 have
 * the same copy: each counts another component. Lanes l and l + 16 have the same copies and count the
 * same components.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps/regions.cuh"

/* The counters of one table, for fold_copies(): bin i of these is value i % 1024 of component i / 1024. */
struct PairTable
{
  RegionSums sums;
  uint32_t table, row, component;       /* words: where the table begins; from row to row, from component on */
  uint32_t firsts[4];                   /* first bins of the components */

  /* Where a bin's copies begin, in words. */
  __device__ __forceinline__ uint32_t
  operator() (uint32_t i) const
  {
    return table + (i & ((1u << HISTO_PAIRS_DEPTH) - 1)) * row + (i >> HISTO_PAIRS_DEPTH) * component;
  }

  __device__ __forceinline__ void
  put (uint32_t i, uint32_t sum) const
  {
    const uint32_t c = i >> HISTO_PAIRS_DEPTH;
    const uint32_t first = c < 2 ? c == 0 ? firsts[0] : firsts[1] : c == 2 ? firsts[2] : firsts[3];

    sums.put (first + (i & ((1u << HISTO_PAIRS_DEPTH) - 1)), sum);
  }
};

struct PairCounters
{
  enum
  {
    LUMA_COPIES_LOG2 = 3, CHROMA_COPIES_LOG2 = 2,
    /* Bytes from component to component in a row. */
    LUMA_PLACE = HISTO_PAIRS_LUMA_ROW / 2, CHROMA_PLACE = HISTO_PAIRS_CHROMA_ROW / 4,
    /* Places in a row of chroma: the sum of these. */
    PLACE_V = 1, PLACE_DIFFERENCE = 2
  };
  const HistoMapsLaunch &launch;

  __device__ __forceinline__
  explicit PairCounters (const HistoMapsLaunch &frame) : launch (frame)
  {
  }

  __device__ __forceinline__ void
  clear () const
  {
    clear_counters (HISTO_PAIRS_END / 4);
  }

  /* Whether the lane counts differences first. */
  __device__ __forceinline__ static bool
  swaps ()
  {
    return (threadIdx.x & 4) != 0;
  }

  /* Whether the lane counts V before U. */
  __device__ __forceinline__ static bool
  begins_with_v ()
  {
    return (threadIdx.x & 8) != 0;
  }

  /* The offset of the lane's counter of sample 0 in the table of luma. */
  __device__ __forceinline__ static uint32_t
  first_luma ()
  {
    return (threadIdx.x & 3) * 4 + (threadIdx.x & 8) * 2;
  }

  /* The same of U in the table of chroma, and of the tables of saturation and of hue. */
  __device__ __forceinline__ static uint32_t
  first_chroma ()
  {
    return (threadIdx.x & 3) * 4;
  }

  /* Counts one half of a pair. @scale: bytes 0 and 1 are the factors of the lower and of the upper half for
   * count_first(), bytes 2 and 3 those for count_second(). One of each two is 0 */
  __device__ __forceinline__ static void
  count_first (uint32_t pair, uint32_t scale, uint32_t first)
  {
    add_shared (__dp2a_lo (pair, scale, first), 1);
  }

  __device__ __forceinline__ static void
  count_second (uint32_t pair, uint32_t scale, uint32_t first)
  {
    add_shared (__dp2a_hi (pair, scale, first), 1);
  }

  /* The number of samples of luma below `least` or above `most`. All threads of the block call it, after
   * the block has counted; each returns its share. */
  __device__ __forceinline__ static uint32_t
  share_of_luma_outside (uint32_t least, uint32_t most)
  {
    HISTO_DYNAMIC_SHARED (uint32_t, shared);
    const uint32_t n_rows = least + (1u << HISTO_PAIRS_DEPTH) - 1 - most;
    uint32_t sum = 0;

    for (uint32_t i = threadIdx.x; i < n_rows << LUMA_COPIES_LOG2; i += blockDim.x) {
      const uint32_t row = i >> LUMA_COPIES_LOG2;
      const uint32_t value = row < least ? row : row - least + most + 1;

      sum += shared[value * (HISTO_PAIRS_LUMA_ROW / 4) + (i & ((1u << LUMA_COPIES_LOG2) - 1))];
    }
    return sum;
  }
};

/* Publishes the counters of kernel `pairs`, table by table. */
__device__ __forceinline__ void
publish_copies (const RegionBlock &block, const PairCounters &counters)
{
  const HistoMapsLaunch &launch = counters.launch;
  const RegionSums sums = sums_of_region (block);
  const uint32_t has_motion = (launch.flags & HISTO_MAPS_MOTION) != 0;
  const PairTable luma = { sums, 0, HISTO_PAIRS_LUMA_ROW / 4, PairCounters::LUMA_PLACE / 4,
    { launch.sample_bins[0], launch.difference_bins[0], 0, 0 } };
  const PairTable chroma = { sums, HISTO_PAIRS_CHROMA / 4, HISTO_PAIRS_CHROMA_ROW / 4,
    PairCounters::CHROMA_PLACE / 4,
    { launch.sample_bins[1], launch.sample_bins[2], launch.difference_bins[1],
      launch.difference_bins[2] } };

  fold_copies ((1 + has_motion) << HISTO_PAIRS_DEPTH, PairCounters::LUMA_COPIES_LOG2, luma, luma);
  fold_copies ((2 + 2 * has_motion) << HISTO_PAIRS_DEPTH, PairCounters::CHROMA_COPIES_LOG2, chroma,
      chroma);
  if ((launch.flags & HISTO_MAPS_SIGNAL) != 0) {
    /* The rows of hue follow those of saturation. */
    const PairTable entries = { sums, HISTO_PAIRS_SATURATION / 4, HISTO_PAIRS_ENTRY_ROW / 4,
      (HISTO_PAIRS_HUE - HISTO_PAIRS_SATURATION) / 4,
      { launch.saturation_bin, launch.hue_bin, 0, 0 } };

    fold_copies ((1 << HISTO_PAIRS_DEPTH) + HISTO_N_HUES, PairCounters::CHROMA_COPIES_LOG2, entries,
        entries);
  }
}
