/* Which code counts a plane: the dispatch by HISTO_PLANE_FAMILIES, and the bodies of the
 * kernels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/video/packed.cuh"
#include "kernels/video/tens.cuh"
#include "kernels/video/units.cuh"

/* ---- Dispatch by family --------------------------------------------------------------- */

/* The first row of a kernel's families from `row` on; HISTO_N_FAMILIES if there is none. */
constexpr uint32_t
next_row (uint32_t kernel, uint32_t row)
{
  while (row < HISTO_N_FAMILIES && histo_families[row].kernel != kernel)
    row++;
  return row;
}

/* Whether a later row of the row's kernel has periods of the same number of words, or one
 * has periods of another number. */
constexpr bool
has_later_row (uint32_t row, bool same_words)
{
  const HistoFamily &family = histo_families[row];

  for (uint32_t i = row + 1; i < HISTO_N_FAMILIES; i++) {
    if (histo_families[i].kernel == family.kernel
        && (histo_families[i].n_words == family.n_words) == same_words)
      return true;
  }
  return false;
}

/* A row of a kernel's families: the first one from FROM on, and how the kernel tests a plane
 * that belongs to this row or a later one. (Constants, because device code cannot call the
 * functions above.) */
template <uint32_t KERNEL, uint32_t FROM>
struct Row
{
  static constexpr uint32_t number = next_row (KERNEL, FROM);
  static constexpr uint32_t next = next_row (KERNEL, number + 1);
  static constexpr bool is_last = next == HISTO_N_FAMILIES;
  typedef Family<number> F;

  /* One comparison shows whether the plane belongs to this row: of the number of words, or
   * of the gap if all rows that are left have the same number. */
  static constexpr bool compares_gap = has_later_row (number, true);
  static constexpr uint32_t gap_word = compares_gap ? F::gap : 0;
  static_assert (!compares_gap || (F::gap >= 0 && !has_later_row (number, false)),
      "this order of rows needs two comparisons");
};

/* Calls count_family() for the plane's row among those of a kernel. */
template <uint32_t KERNEL, uint32_t FROM = 0, typename Counters>
__device__ __forceinline__ void
count_families (const HistoPlane &plane, const HistoUnits &units, const PlaneBlock &block,
    Counters &counters)
{
  typedef Row<KERNEL, FROM> R;
  typedef typename R::F F;

  if constexpr (R::is_last) {
    count_family<F> (plane, units, block, counters);
  } else {
    /* HISTO_PLANE_PACKED has no n_words. */
    if (R::compares_gap ? plane.word_sample[R::gap_word] == HISTO_NO_SAMPLE
        : F::word_bytes == 4 ? plane.period_bytes == F::period_bytes
        : plane.n_words == F::n_words)
      count_family<F> (plane, units, block, counters);
    else
      count_families<KERNEL, R::next> (plane, units, block, counters);
  }
}

/* ---- A block's plane ------------------------------------------------------------------ */

__device__ __forceinline__ unsigned long long *
sums_of (const HistoVideoLaunch &launch, const HistoPlane &plane)
{
  return (unsigned long long *) launch.scratch + (plane.first_bin << launch.spread_log2);
}

__device__ __forceinline__ uint32_t *
result_of (const HistoVideoLaunch &launch, const HistoPlane &plane)
{
  return (uint32_t *) launch.result + plane.first_bin;
}

__device__ __forceinline__ uint4 *
packed_table (const HistoVideoLaunch &launch, uint32_t block)
{
  return (uint4 *) (launch.tables
      + (uint64_t) block * histo_range_bins (launch.ranges_log2));
}

/* This block's plane p, and its number among the plane's blocks. */
struct BlockOfFrame
{
  const HistoVideoLaunch &launch;
  uint32_t p;
  PlaneBlock block;

  __device__ __forceinline__
  explicit BlockOfFrame (const HistoVideoLaunch &frame) : launch (frame)
  {
    p = 0;
    while (blockIdx.x >= launch.first_block[p + 1])
      p++;
    block.index = blockIdx.x - launch.first_block[p];
    block.count = launch.first_block[p + 1] - launch.first_block[p];
  }

  __device__ __forceinline__ bool
  is_for (uint32_t kernel) const
  {
    return launch.kernels[p] == kernel;
  }

  /* Calls count (plane, units, block, counters) with copies of 32-bit counters in shared
   * memory, and adds what the block counted to the grid's sums. The last block of a bin
   * writes its sum to the host. */
  template <typename Counters, bool IS_PERMUTED, typename Count>
  __device__ __forceinline__ void
  count_in_copies (const Count &count) const
  {
    const HistoPlane &plane = launch.planes[p];
    const uint32_t copies_log2 = launch.copies_log2[p];
    Counters counters (plane.n_bins, copies_log2);

    count (plane, launch.units[p], block, counters);

    /* Made only now: counting has no registers to spare. */
    const AddAndPublishSum publisher = { sums_of (launch, plane), result_of (launch, plane),
      block.count, launch.spread_log2 };

    fold_counters<IS_PERMUTED> (plane.n_bins, copies_log2, publisher);
  }

  /* Counts planes of a kernel's families in copies. */
  template <uint32_t KERNEL, typename Counters, bool IS_PERMUTED>
  __device__ __forceinline__ void
  count_families_in_copies () const
  {
    count_in_copies<Counters, IS_PERMUTED> ([] (const auto &... of) {
      count_families<KERNEL> (of...);
    });
  }
};

/* ---- The kernels' bodies -------------------------------------------------------------- */

/* Counts the planes of a kernel of HISTO_COUNT_KERNELS. */
template <uint32_t KERNEL>
__device__ __forceinline__ void
count_planes (const BlockOfFrame &block)
{
  if (block.is_for (KERNEL))
    block.count_families_in_copies<KERNEL, SharedCounters, false> ();
}

template <>
__device__ __forceinline__ void
count_planes<HISTO_COUNT_shorts> (const BlockOfFrame &block)
{
  if (!block.is_for (HISTO_COUNT_shorts))
    return;
  if (block.launch.copies_log2[block.p] <= HISTO_PERMUTED_COPIES_LOG2)
    block.count_families_in_copies<HISTO_COUNT_shorts, PermutedCounters, true> ();
  else
    block.count_families_in_copies<HISTO_COUNT_shorts, SharedCounters, false> ();
}

/* Counts some bins of a share of the plane in a packed copy. */
template <typename Bins>
__device__ __forceinline__ void
count_in_packed_copy (const BlockOfFrame &block, const PlaneBlock &share, const Bins &bins)
{
  const HistoVideoLaunch &launch = block.launch;
  const HistoPlane &plane = launch.planes[block.p];
  const PackedCounters<Bins> counters = { bins, (uint32_t *) sums_of (launch, plane) };

  count_families<HISTO_COUNT_shorts> (plane, launch.units[block.p], share, counters);
  store_packed_counters (counters, packed_table (launch, blockIdx.x));
}

template <>
__device__ __forceinline__ void
count_planes<HISTO_COUNT_packed> (const BlockOfFrame &block)
{
  if (block.is_for (HISTO_COUNT_packed))
    count_in_packed_copy (block, block.block, AllBins ());
}

/* Blocks whose numbers follow each other count the ranges of the same share. */
template <>
__device__ __forceinline__ void
count_planes<HISTO_COUNT_ranges> (const BlockOfFrame &block)
{
  if (!block.is_for (HISTO_COUNT_ranges))    /* COVERAGE: no format has planes for other kernels beside */
    return;                     /* COVERAGE: see above */

  const uint32_t ranges_log2 = block.launch.ranges_log2;
  const uint32_t n_bins = histo_range_bins (ranges_log2);
  const uint32_t range = block.block.index & ((1u << ranges_log2) - 1);
  const PlaneBlock share = { block.block.index >> ranges_log2,
    block.block.count >> ranges_log2 };

  count_in_packed_copy (block, share, RangeOfBins { range * n_bins, n_bins });
}

template <>
__device__ __forceinline__ void
count_planes<HISTO_COUNT_tens> (const BlockOfFrame &block)
{
  if (!block.is_for (HISTO_COUNT_tens))    /* COVERAGE: no format has planes for other kernels beside */
    return;                     /* COVERAGE: see above */

  const HistoVideoLaunch &launch = block.launch;
  const HistoPlane &plane = launch.planes[block.p];
  const AddAndPublishSum publisher = { sums_of (launch, plane), result_of (launch, plane),
    block.block.count, launch.spread_log2 };

  count_tens_layouts (plane, launch.units[block.p], block.block, publisher);
}

/* Clears the counters and counts the block's share of any plane. */
template <typename Counters>
__device__ __forceinline__ void
count_any (const HistoPlane &plane, const PlaneBlock &block, Counters &counters)
{
  counters.clear ();
  __syncthreads ();
  count_periods (plane, block, 0, counters);
}

template <>
__device__ __forceinline__ void
count_planes<HISTO_COUNT_any> (const BlockOfFrame &block)
{
  const HistoVideoLaunch &launch = block.launch;
  const HistoPlane &plane = launch.planes[block.p];

  if (!block.is_for (HISTO_COUNT_any))
    return;
  if (launch.copies_log2[block.p] != HISTO_NO_COPIES) {
    block.count_in_copies<SharedCounters, false> ([] (const HistoPlane &of,
        const HistoUnits &, const PlaneBlock &share, const SharedCounters &counters) {
      count_any (of, share, counters);
    });
    return;
  }

  const GlobalCounters counters = { (uint32_t *) sums_of (launch, plane) };

  /* Only planes of 16-bit words can have so many bins and units. */
  if (launch.units[block.p].columns > 0)
    count_families<HISTO_COUNT_shorts> (plane, launch.units[block.p], block.block, counters);
  else
    count_any (plane, block.block, counters);
}
