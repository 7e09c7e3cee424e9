/* Counting planes of 32-bit words with three fields of ten bits (HISTO_TENS_LAYOUTS).
 *
 * Each lane has a copy of its own, of 16-bit counters: 32 copies of 32-bit counters would not
 * fit, and with 16 copies each addition of a warp takes two passes. The components of the
 * plane are its parts 0, 1 and 2, and two bits above the fields can be a component more. The
 * words of shared memory are rows of 32, one word for each lane:
 *
 *   rows               lower half                   upper half
 *   0 to 1023          part 0, value = row          part 1, value = row
 *   1024 to 1535       part 2, half of its values   part 2, the other half
 *   1536 to 1539       the two bits: 32-bit counters
 *
 * So for parts 0 and 1 the number to add is a constant. Part 2 takes two instructions more. If
 * there is only part 0, its counters have 32 bits.
 *
 * No half overflows: the plan limits what a block counts (histo_tens_most_units()).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/video/units.cuh"

/* A row of HISTO_TENS_LAYOUTS as constants. */
template <uint32_t NUMBER>
struct TensLayout
{
  static constexpr uint32_t n_words = histo_tens_layouts[NUMBER].n_words;
  static constexpr bool big_endian = histo_tens_layouts[NUMBER].big_endian;
  static constexpr bool has_two_bits = histo_tens_layouts[NUMBER].has_two_bits;
  static constexpr uint32_t n_parts = histo_tens_layouts[NUMBER].n_parts;
  static constexpr bool splits_lowest = histo_tens_layouts[NUMBER].splits_lowest;
  static constexpr uint64_t parts = histo_tens_layouts[NUMBER].parts;
  static constexpr uint32_t n_rows = histo_tens_rows (n_parts, has_two_bits);

  /* Returns: the part of field f of a unit's word l. */
  __device__ __forceinline__ static constexpr uint32_t
  part_of (uint32_t l, uint32_t f)
  {
    return parts >> 4 * (l % n_words * 3 + f) & 3;
  }
};

template <typename Layout>
struct TensCounters
{
  static const uint32_t row_log2 = 7;   /* log2 of a row's bytes */
  static const uint32_t upper = 0x10000;
  const HistoUnits &units;
  uint32_t lane;                /* byte offset of the lane's word in each row */

  __device__ __forceinline__
  explicit TensCounters (const HistoUnits &of) : units (of)
  {
    lane = threadIdx.x % HISTO_WARP_SIZE * 4;
  }

  __device__ __forceinline__ void
  clear () const
  {
    clear_counters (Layout::n_rows * HISTO_WARP_SIZE);
  }

  /* Counts the field that begins at a bit of a word. PART and BIT are constants. */
  template <uint32_t PART, uint32_t BIT>
  __device__ __forceinline__ void
  count_field (uint32_t word) const
  {
    /* Values of part 2 have their lowest bit below the row's number, or the highest one
     * above it. */
    const uint32_t low = row_log2 - (PART == 2 && Layout::splits_lowest);
    const uint32_t value = BIT < low ? word << (low - BIT) : word >> (BIT - low);
    const uint32_t rows = PART == 2 ? HISTO_TENS_ROWS / 2 : HISTO_TENS_ROWS;
    const uint32_t offset = (value & (rows - 1) << row_log2) | lane;

    static_assert (PART != 2 || BIT == 0 || !Layout::splits_lowest, "see HISTO_TENS_LAYOUTS");

    if constexpr (PART == 0)
      add_shared (offset, 1);
    else if constexpr (PART == 1)
      add_shared (offset, upper);
    else if constexpr (Layout::splits_lowest)
      add_shared (offset + (HISTO_TENS_ROWS << row_log2), (word & 1) * (upper - 1) + 1);
    else
      add_shared (offset + (HISTO_TENS_ROWS << row_log2), max (value & upper, 1u));
  }

  /* Counts the two highest bits of a word n times. */
  __device__ __forceinline__ void
  count_two_bits (uint32_t word, uint32_t n = 1) const
  {
    add_shared (((word >> 30 << row_log2) | lane)
        + (HISTO_TENS_ROWS * 3 / 2 << row_log2), n);
  }

  /* count_periods() calls this. */
  __device__ __forceinline__ uint32_t
  offset_of (uint32_t bin) const
  {
    return bin;
  }

  __device__ __forceinline__ void
  count_at (uint32_t bin) const
  {
    const uint32_t value = bin % HISTO_TENS_ROWS;

    /* A layout has only some of these cases. */
    switch (units.present >> 2 * (bin / HISTO_TENS_ROWS) & 3) { /* COVERAGE: see above */
      case 0:
        count_field<0, 0> (value);
        break;
      case 1:
        if constexpr (Layout::n_parts > 1)
          count_field<1, 0> (value);
        break;
      case 2:
        if constexpr (Layout::n_parts > 2)
          count_field<2, 0> (value);
        break;
      default:
        if constexpr (Layout::has_two_bits)
          count_two_bits (value << 30);
    }
  }

  /* Gives the sums of the halves of a row. */
  template <typename Sum>
  __device__ __forceinline__ void
  put_row (uint32_t row, uint32_t lower, uint32_t upper, const Sum &sums) const
  {
    if (row < HISTO_TENS_ROWS) {
      if constexpr (Layout::n_parts == 1) {
        sums.put (row, lower + (upper << 16));
      } else {
        sums.put (units.bases[0] + row, lower);
        sums.put (units.bases[1] + row, upper);
      }
    } else if (row < HISTO_TENS_ROWS * 3 / 2) {
      const uint32_t rest = row - HISTO_TENS_ROWS;
      const uint32_t value = Layout::splits_lowest ? 2 * rest : rest;
      const uint32_t step = Layout::splits_lowest ? 1 : HISTO_TENS_ROWS / 2;

      sums.put (units.bases[2] + value, lower);
      sums.put (units.bases[2] + value + step, upper);
    } else {
      sums.put (units.bases[3] + row - HISTO_TENS_ROWS * 3 / 2, lower + (upper << 16));
    }
  }

  /* Does what fold_copies() does. */
  template <typename Sum>
  __device__ __forceinline__ void
  fold (const Sum &sums) const
  {
    HISTO_DYNAMIC_SHARED (uint32_t, shared);

    __syncthreads ();
    for (uint32_t row = threadIdx.x; row < Layout::n_rows; row += blockDim.x) {
      uint32_t lower = 0, upper = 0;

      /* The lanes of a warp read from different banks. */
#pragma unroll 8
      for (uint32_t k = 0; k < HISTO_WARP_SIZE; k++) {
        const uint32_t word = shared[row * HISTO_WARP_SIZE + (row + k) % HISTO_WARP_SIZE];

        lower += word & 0xffff;
        upper += word >> 16;
      }
      put_row (row, lower, upper, sums);
    }
  }
};

/* Successive units of a thread whose two highest bits are the same in all words. They are
 * counted by one addition. */
struct EqualBits
{
  uint32_t word = 0;            /* a word with these bits */
  uint32_t n_words = 0;

  template <typename Counters>
  __device__ __forceinline__ void
  end (const Counters &counters)
  {
    if (n_words > 0)
      counters.count_two_bits (word, n_words);
    n_words = 0;
  }

  template <typename Counters>
  __device__ __forceinline__ void
  count (const uint4 &v, const Counters &counters)
  {
    const uint32_t differ = (v.x ^ word) | (v.y ^ word) | (v.z ^ word) | (v.w ^ word);

    if (differ >> 30 == 0) {
      n_words += 4;
      return;
    }
    end (counters);
    counters.count_two_bits (v.x);
    counters.count_two_bits (v.y);
    counters.count_two_bits (v.z);
    counters.count_two_bits (v.w);
    word = v.w;
  }
};

/* Counts the fields from field PLACE of a unit on. */
template <typename Layout, uint32_t PLACE = 0>
__device__ __forceinline__ void
count_tens (const uint32_t words[4], const TensCounters<Layout> &counters)
{
  const uint32_t l = PLACE / 3, f = PLACE % 3;

  if constexpr (PLACE < 12) {
    counters.template count_field<Layout::part_of (l, f), 10 * f> (words[l]);
    count_tens<Layout, PLACE + 1> (words, counters);
  }
}

template <typename Layout>
__device__ __forceinline__ void
count_tens_unit (const uint4 &vector, EqualBits &equal, const TensCounters<Layout> &counters)
{
  uint32_t words[4] = { vector.x, vector.y, vector.z, vector.w };

#pragma unroll
  for (int l = 0; Layout::big_endian && l < 4; l++)
    words[l] = __byte_perm (words[l], 0, 0x0123);
  count_tens<Layout> (words, counters);
  if constexpr (Layout::has_two_bits)
    equal.count (vector, counters);
}

/* Counts the block's share of a plane, and calls sums.put (bin, sum). */
template <typename Layout, typename Sum>
__device__ __forceinline__ void
count_tens_plane (const HistoPlane &plane, const HistoUnits &units, const PlaneBlock &block,
    const Sum &sums)
{
  typedef Unit<4, Layout::n_words, 16> U;
  TensCounters<Layout> counters (units);
  EqualBits equal;

  if (units.columns > 0) {
    UnitWalk walk (units, block, U::bytes);

    count_units<U> (walk, counters, [&] (const uint4 *vectors) {
      count_tens_unit (vectors[0], equal, counters);
    });
    if constexpr (Layout::has_two_bits)
      equal.end (counters);
  } else {
    counters.clear ();
    __syncthreads ();
  }
  count_periods (plane, block, units.columns * U::n_periods, counters);
  counters.fold (sums);
}

/* Counts a plane of the plane's layout, among those from NUMBER on. */
template <uint32_t NUMBER = 0, typename Sum>
__device__ __forceinline__ void
count_tens_layouts (const HistoPlane &plane, const HistoUnits &units, const PlaneBlock &block,
    const Sum &sums)
{
  if constexpr (NUMBER + 1 < HISTO_N_TENS_LAYOUTS) {
    if (units.layout != NUMBER) {
      count_tens_layouts<NUMBER + 1> (plane, units, block, sums);
      return;
    }
  }
  count_tens_plane<TensLayout<NUMBER>> (plane, units, block, sums);
}
