/* The bands of kernels that measure two rows at a time, which share a row of chroma.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps/rows.cuh"

/* @Strip: Strip<GROUPS, ARE_APART> is a strip; GROUPS: of HISTO_MAPS_SIGNAL and HISTO_MAPS_MOTION.
 * ARE_APART: whether U and V are in planes of their own. Samples are always counted.
 * @Counters: the block's */
template <template <uint32_t, bool> class Strip, typename Counters>
struct TwoRowBands
{
  const RegionBlock &block;
  const Counters &counters;
  BlockSums<uint32_t> &sums;
  uint32_t brng, tout;

  __device__ __forceinline__
  TwoRowBands (const RegionBlock &of, const Counters &to, BlockSums<uint32_t> &shared)
  : block (of), counters (to), sums (shared), brng (0), tout (0)
  {
  }

  /* Whether the block's region can be measured two rows at a time; else it is measured as strips. */
  __device__ __forceinline__ static bool
  suit (const RegionBlock &block)
  {
    return block.has (HISTO_MAPS_WHOLE) && ((block.region ().y | block.region ().height) & 1) == 0;
  }

  template <uint32_t GROUPS, bool ARE_APART>
  __device__ __forceinline__ void
  measure_strips (uint32_t first_row, uint32_t n_rows)
  {
    share_band (block.region (), HISTO_STRIP_COLUMNS, block.region ().x % 4, n_rows, 2,
        [&] (uint32_t strip, uint32_t begin, uint32_t end) {
          Strip<GROUPS, ARE_APART> rows (block, counters, strip);

          rows.measure (first_row + begin, first_row + end, first_row, sums);
          brng += rows.count_out_of_range ();
          tout += rows.count_outliers ();
        });
  }

  template <uint32_t GROUPS>
  __device__ __forceinline__ void
  measure_groups (uint32_t first_row, uint32_t n_rows)
  {
    if (block.launch.native[1].step == block.launch.native[1].bytes)
      measure_strips<GROUPS, true> (first_row, n_rows);
    else
      measure_strips<GROUPS, false> (first_row, n_rows);
  }

  /* Samples, and the groups `signal` and `motion`. */
  __device__ __forceinline__ void
  measure (uint32_t first_row, uint32_t n_rows)
  {
    const bool has_signal = block.has (HISTO_MAPS_SIGNAL);
    const bool has_motion = block.has (HISTO_MAPS_MOTION) && block.has (HISTO_MAPS_PREVIOUS);

    if (has_signal && has_motion)
      measure_groups<HISTO_MAPS_SIGNAL | HISTO_MAPS_MOTION> (first_row, n_rows);
    else if (has_signal)
      measure_groups<HISTO_MAPS_SIGNAL> (first_row, n_rows);
    else if (has_motion)
      measure_groups<HISTO_MAPS_MOTION> (first_row, n_rows);
    else
      measure_groups<0> (first_row, n_rows);
  }

  __device__ __forceinline__ void
  add_tallies (BlockSums<uint32_t> &to) const
  {
    to.add_to_tally (HISTO_TALLY_BRNG, brng);
    to.add_to_tally (HISTO_TALLY_TOUT, tout);
  }
};
