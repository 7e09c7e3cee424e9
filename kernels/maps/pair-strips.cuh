/* The kernel for 10-bit YUV in 16-bit words whose chroma has one sample for two rows and two columns
 * (4:2:0): samples, and the groups `signal` and `motion`. As in quads.cuh, a warp measures a strip of
 * columns two rows at a time; the planes' rows are whole groups of four pixels, and regions begin and
 * end at even rows. The kernel measures other frames and regions as strips (strips.cuh).
 *
 * A lane's four pixels are two pairs: words with two samples, whose bits lie where the buffer has them.
 * For the group `signal` luma is also kept as 16-bit floating-point numbers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps/pair-counters.cuh"
#include "kernels/maps/pair-planes.cuh"
#include "kernels/maps/two-rows.cuh"

/* ---- A strip -------------------------------------------------------------------------------- */

/* @GROUPS, @ARE_APART: see TwoRowBands */
template <uint32_t GROUPS, bool ARE_APART>
struct PairStrip
{
  static constexpr bool HAS_SIGNAL = (GROUPS & HISTO_MAPS_SIGNAL) != 0;
  static constexpr bool HAS_MOTION = (GROUPS & HISTO_MAPS_MOTION) != 0;

  /* What a lane reads of two rows: of the frame, or of the previous one. */
  struct TwoRows
  {
    uint2 luma[2];
    uint2 chroma;               /* of the previous frame U and V in turn */
  };

  struct Row
  {
    Halves p[2];                /* 1024 plus luma */
  };

  /* What a lane remembers for the group `signal`. */
  struct Window
  {
    Row rows[4];                /* [3] is the newest */
  };

  const HistoMapsLaunch &launch;
  const HistoMapsRegion &region;
  const PairBits bits;
  uint32_t columns;             /* the numbers of bits own, inner and own_chroma of Columns, 4 bits each */
  int32_t x;                    /* the column where the lane reads */
  uint32_t luma_scale, chroma_scale;    /* see PairCounters::count_first */
  /* Offsets of the counters that the lane counts in first. The other components are found by exclusive
   * or. */
  uint32_t first_luma, first_chroma;
  /* The lower half: pixels whose luma is in range, and chroma is not. The upper half: outliers. Each is at
   * most 4 * HISTO_MAPS_BAND_ROWS. */
  uint32_t found;

  __device__ __forceinline__
  PairStrip (const RegionBlock &block, const PairCounters &, uint32_t strip)
  : launch (block.launch), region (block.region ()), bits (block.launch.native[0]), found (0)
  {
    const Columns lane (launch, region, strip);
    const bool swaps = HAS_MOTION && PairCounters::swaps ();
    const bool v_first = PairCounters::begins_with_v ();
    const uint32_t order = (swaps ? PairCounters::PLACE_DIFFERENCE : 0)
        | (v_first ? PairCounters::PLACE_V : 0);

    /* The lanes beside the picture read the picture's nearest pixels. */
    x = min (max (lane.x, 0), (int32_t) launch.native[0].width - 4);
    columns = keep (lane.own | lane.inner << 4 | lane.own_chroma << 8);
    luma_scale = bits.scale (HISTO_PAIRS_LUMA_ROW) * 0x01000001;
    chroma_scale = keep (bits.scale (HISTO_PAIRS_CHROMA_ROW) * (v_first ? 0x00010100 : 0x01000001));
    first_luma = keep (PairCounters::first_luma () + (swaps ? PairCounters::LUMA_PLACE : 0));
    first_chroma = keep (PairCounters::first_chroma () + order * PairCounters::CHROMA_PLACE);
  }

  /* A bit for each pixel that the lane owns; for each that has neighbours; for each sample of chroma. */
  __device__ __forceinline__ uint32_t
  own () const
  {
    return columns & 15;
  }

  __device__ __forceinline__ uint32_t
  inner () const
  {
    return columns >> 4 & 15;
  }

  __device__ __forceinline__ uint32_t
  own_chroma () const
  {
    return columns >> 8;
  }

  /* ---- Counting ---- */

  /* A pair of samples and one of differences, in the order in which the lane counts them. */
  struct Turns
  {
    uint32_t now, next;
  };

  __device__ __forceinline__ Turns
  take_turns (uint32_t now, uint32_t before) const
  {
    if constexpr (!HAS_MOTION) {
      return { now, 0 };
    } else {
      const uint32_t difference = absolute_difference (now, before);
      const bool swaps = (first_luma & PairCounters::LUMA_PLACE) != 0;

      return { swaps ? difference : now, swaps ? now : difference };
    }
  }

  /* Counts those pixels of a pair of luma whose bit in @own is set. */
  __device__ __forceinline__ void
  count_luma (uint32_t now, uint32_t before, uint32_t own) const
  {
    const Turns turns = take_turns (now, before);

    if ((own & 1) != 0)
      PairCounters::count_first (turns.now, luma_scale, first_luma);
    if ((own & 2) != 0)
      PairCounters::count_second (turns.now, luma_scale, first_luma);
    if constexpr (HAS_MOTION) {
      if ((own & 1) != 0)
        PairCounters::count_first (turns.next, luma_scale, first_luma ^ PairCounters::LUMA_PLACE);
      if ((own & 2) != 0)
        PairCounters::count_second (turns.next, luma_scale, first_luma ^ PairCounters::LUMA_PLACE);
    }
  }

  __device__ __forceinline__ void
  count_row (const uint2 &now, const uint2 &before, uint32_t own) const
  {
    count_luma (now.x, before.x, own);
    count_luma (now.y, before.y, own >> 2);
  }

  /* Where the counters begin of the component that is in another place than the lane's first one. */
  __device__ __forceinline__ uint32_t
  chroma_place (uint32_t differs) const
  {
    return (first_chroma ^ differs * PairCounters::CHROMA_PLACE) + HISTO_PAIRS_CHROMA;
  }

  /* Counts U and V. */
  __device__ __forceinline__ void
  count_chroma (uint32_t now, uint32_t before) const
  {
    const Turns turns = take_turns (now, before);

    PairCounters::count_first (turns.now, chroma_scale, chroma_place (0));
    PairCounters::count_second (turns.now, chroma_scale, chroma_place (PairCounters::PLACE_V));
    if constexpr (HAS_MOTION) {
      PairCounters::count_first (turns.next, chroma_scale,
          chroma_place (PairCounters::PLACE_DIFFERENCE));
      PairCounters::count_second (turns.next, chroma_scale,
          chroma_place (PairCounters::PLACE_DIFFERENCE | PairCounters::PLACE_V));
    }
  }

  /* Saturation and hue of a pair of chroma. */
  __device__ __forceinline__ uint32_t
  chroma_entry (uint32_t pair) const
  {
    return __ldg ((const uint32_t *) launch.chroma_table + bits.index_of_entry (pair));
  }

  __device__ __forceinline__ void
  count_entry (uint32_t entry) const
  {
    const uint32_t scale = HISTO_PAIRS_ENTRY_ROW * 0x01000001;
    const uint32_t first = first_chroma & (PairCounters::CHROMA_PLACE - 1);

    PairCounters::count_first (entry, scale, first + HISTO_PAIRS_SATURATION);
    PairCounters::count_second (entry, scale, first + HISTO_PAIRS_HUE);
  }

  /* Counts two rows in which the lane owns all pixels. Additions in shared memory and other work take
   * turns. */
  __device__ __forceinline__ void
  count_whole (const TwoRows &rows, const TwoRows &before, const Row now[2], const Window &window, uint32_t sums[2])
  {
    const uint32_t entry = HAS_SIGNAL ? chroma_entry (rows.chroma.x) : 0;
    const uint32_t next_entry = HAS_SIGNAL ? chroma_entry (rows.chroma.y) : 0;

    count_row (rows.luma[0], before.luma[0], 15);
    if constexpr (HAS_SIGNAL)
      sums[0] = sum_of_differences (now[0], window.rows[0]);
    count_row (rows.luma[1], before.luma[1], 15);
    if constexpr (HAS_SIGNAL)
      sums[1] = sum_of_differences (now[1], window.rows[1]);
    count_chroma (rows.chroma.x, before.chroma.x);
    if constexpr (HAS_SIGNAL)
      find_out_of_range (rows);
    count_chroma (rows.chroma.y, before.chroma.y);
    if constexpr (HAS_SIGNAL) {
      count_entry (entry);
      count_entry (next_entry);
    }
  }

  /* The same where the lane owns some pixels. */
  __device__ __forceinline__ void
  count_part (const TwoRows &rows, const TwoRows &before, const Row now[2], const Window &window, uint32_t sums[2])
  {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      count_row (rows.luma[i], before.luma[i], own ());
      if constexpr (HAS_SIGNAL)
        sums[i] = sum_of_own_differences (now[i], window.rows[i]);
    }
    if ((own_chroma () & 1) != 0)
      count_chroma (rows.chroma.x, before.chroma.x);
    if ((own_chroma () & 2) != 0)
      count_chroma (rows.chroma.y, before.chroma.y);
    if constexpr (HAS_SIGNAL) {
      find_out_of_range (rows);
      if ((own_chroma () & 1) != 0)
        count_entry (chroma_entry (rows.chroma.x));
      if ((own_chroma () & 2) != 0)
        count_entry (chroma_entry (rows.chroma.y));
    }
  }

  /* ---- signal ---- */

  /* Of the own pixels of a pair, those in range. */
  __device__ __forceinline__ uint32_t
  count_in_range (uint32_t pair, uint32_t own) const
  {
    const uint32_t outside = bits.outside (pair, 16, 235) | ~pair_of_bits (own);

    return (uint32_t) ((outside & 0xffff) == 0) + (uint32_t) (outside >> 16 == 0);
  }

  /* Pixels whose chroma is out of range. Those whose luma is out of range are not counted here:
   * PairBands finds them in the histogram. */
  __device__ __forceinline__ void
  find_out_of_range (const TwoRows &rows)
  {
    const uint32_t out = bits.outside (rows.chroma.x, 16, 240);
    const uint32_t next = bits.outside (rows.chroma.y, 16, 240);

    if ((out | next) == 0)
      return;
#pragma unroll
    for (int i = 0; i < 2; i++) {
      if (out != 0)
        found += count_in_range (rows.luma[i].x, own ());
      if (next != 0)
        found += count_in_range (rows.luma[i].y, own () >> 2);
    }
  }

  __device__ __forceinline__ uint32_t
  count_out_of_range () const
  {
    return found & 0xffff;
  }

  __device__ __forceinline__ uint32_t
  count_outliers () const
  {
    return found >> 16;
  }

  /* 1024 plus the distances of two pixels. */
  __device__ __forceinline__ static uint32_t
  biased_distance (const Halves &a, const Halves &b)
  {
    return ((a - b).absolute () + Halves { 0x64006400 }).bits;
  }

  /* The sum of the distances of four pixels. */
  __device__ __forceinline__ static uint32_t
  sum_of_differences (const Row &row, const Row &above)
  {
    /* The bits of 1024 are subtracted first. */
    const uint32_t first = __dp2a_lo (biased_distance (row.p[0], above.p[0]), 0x0101u,
        (uint32_t) (-4 * 0x6400));

    return __dp2a_lo (biased_distance (row.p[1], above.p[1]), 0x0101u, first);
  }

  /* The same of the own pixels. */
  __device__ __forceinline__ uint32_t
  sum_of_own_differences (const Row &row, const Row &above) const
  {
    const uint32_t distances = 0x03ff03ff;
    const uint32_t first = __dp2a_lo (biased_distance (row.p[0], above.p[0]) & distances
        & pair_of_bits (own ()), 0x0101u, 0u);

    return __dp2a_lo (biased_distance (row.p[1], above.p[1]) & distances & pair_of_bits (own () >> 2),
        0x0101u, first);
  }

  /* Adds the lanes' sums of two rows to to[0] and to[1]. */
  __device__ __forceinline__ void
  add_sums (const uint32_t sums[2], uint32_t *to) const
  {
    const uint32_t first = sum_of_warp_32 (sums[0]), second = sum_of_warp_32 (sums[1]);

    const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;

    if (lane < 2)
      atomicAdd (to + lane, lane == 0 ? first : second);
  }

  /* Counts the pixels that are outliers and whose left and right neighbours are, too. */
  __device__ __forceinline__ uint32_t
  count_triples (const uint32_t flags[2]) const
  {
    /* Bit i: pixel i. */
    const uint32_t own = bits_of_pair (flags[0]) | bits_of_pair (flags[1]) << 2;
    const uint32_t left = __shfl_up_sync (HISTO_FULL_WARP, own, 1);
    const uint32_t right = __shfl_down_sync (HISTO_FULL_WARP, own, 1);
    const uint32_t six = left >> 3 | own << 1 | (right & 1) << 5;

    return __popc (six & six >> 1 & six >> 2 & inner ());
  }

  /* Counts the outliers of rows n - 2 and n - 1. @rows: n and n + 1; without @has_rows the region ends
   * with row n - 1, and what @rows holds does not matter */
  __device__ __forceinline__ void
  find_outliers (const Window &window, const Row rows[2], uint32_t n, bool has_rows)
  {
    const Row *w = window.rows;
    Halves excess[2], excess_next[2];
    uint32_t flags[2], next[2];

#pragma unroll
    for (int i = 0; i < 2; i++) {
      const Halves step = w[3].p[i] - w[2].p[i];

      excess[i] = PairOutliers::excess (w[2].p[i] - w[1].p[i], step);
      excess_next[i] = PairOutliers::excess (step, rows[0].p[i] - w[3].p[i]);
    }
    if (!__any_sync (HISTO_FULL_WARP,
            PairOutliers::has_any (excess[0], excess[1], excess_next[0], excess_next[1])))
      return;
#pragma unroll
    for (int i = 0; i < 2; i++) {
      flags[i] = PairOutliers::flags (excess[i]);
      next[i] = PairOutliers::flags (excess_next[i]);
      /* The same with the rows two above and two below, where the region has them. */
      if (n >= 4 && has_rows) {
        flags[i] &= PairOutliers::flags (PairOutliers::excess (w[2].p[i] - w[0].p[i],
                rows[0].p[i] - w[2].p[i]));
        next[i] &= PairOutliers::flags (PairOutliers::excess (w[3].p[i] - w[1].p[i],
                rows[1].p[i] - w[3].p[i]));
      }
    }
    /* The first and the last row of the region have no outliers. */
    if (n >= 4)
      found += count_triples (flags) << 16;
    if (has_rows)
      found += count_triples (next) << 16;
  }

  /* ---- Rows ---- */

  __device__ __forceinline__ Row
  row_of (const uint2 &luma) const
  {
    return { { bits.biased (luma.x), bits.biased (luma.y) } };
  }

  __device__ __forceinline__ void
  store (const HistoMapsView &view, int32_t offset, const uint2 &pairs) const
  {
    *(uint2 *) (view.data + offset) = pairs;
  }

  /* Measures rows `begin` to end - 1, both even, in a band that begins with first_row. */
  __device__ __forceinline__ void
  measure (uint32_t begin, uint32_t end, uint32_t first_row, BlockSums<uint32_t> &sums)
  {
    const uint32_t y = region.y;
    const QuadPlane luma (launch.native[0], 2 * x, y), picture (launch.copy[0], 2 * x, y);
    const PairChromaPlanes<ARE_APART> chroma_planes (&launch.native[1], x, y / 2);
    const QuadPlane picture_chroma (launch.copy[1], 2 * x, y / 2);
    const uint32_t first = HAS_SIGNAL ? begin - min (begin, 4) : begin;
    const uint32_t last = HAS_SIGNAL ? end + 2 : end;
    /* The first row below, or the region's end. */
    const uint32_t bottom = keep (min (last, region.height));
    const bool copies = own () != 0 && region.number == 0
        && (launch.flags & HISTO_MAPS_COPY) != 0;
    TwoRows next = {}, before = {};
    Window window = {};

    /* Requests rows n and n + 1 of the frame. */
    const auto load = [&] (uint32_t n) {
      const int32_t at = luma.offset (n);

      next.luma[0] = load_two_pairs (launch.native[0], at);
      next.luma[1] = load_two_pairs (launch.native[0], at + (int32_t) launch.native[0].stride);
      if constexpr (HAS_SIGNAL) {
        if (n < begin || n >= end)
          return;
      }
      next.chroma = chroma_planes.load (n / 2);
    };
    /* The same of the previous frame, when its present rows have been counted: the next ones then need no
     * registers of their own. The previous picture has the strides of the copy. */
    const auto load_before = [&] (uint32_t n) {
      if constexpr (HAS_MOTION) {
        if (n >= end || (HAS_SIGNAL && n < begin))
          return;

        const int32_t at = picture.offset (n);

        before.luma[0] = load_two_pairs (launch.previous[0], at);
        before.luma[1] = load_two_pairs (launch.previous[0], at + (int32_t) launch.copy[0].stride);
        before.chroma = load_two_pairs (launch.previous[1], picture_chroma.offset (n / 2));
      }
    };

    load (first);
    load_before (first);
#pragma unroll 1
    for (uint32_t n = first; n < last; n += 2) {
      TwoRows rows = next;
      Row now[2];

      /* At the end the last rows are read again, because a branch would take longer. */
      load (min (n + 2, bottom - 2));
      rows.luma[0] = bits.clean (rows.luma[0]);
      rows.luma[1] = bits.clean (rows.luma[1]);
      if constexpr (HAS_SIGNAL) {
        now[0] = row_of (rows.luma[0]);
        now[1] = row_of (rows.luma[1]);
      }
      if (!HAS_SIGNAL || (n >= begin && n < end)) {
        uint32_t differences[2] = { 0, 0 };

        rows.chroma = bits.clean (chroma_planes.pairs (rows.chroma));
        if constexpr (HAS_MOTION) {
          /* Strips have copied the words as they were. */
          before.luma[0] = bits.clean (before.luma[0]);
          before.luma[1] = bits.clean (before.luma[1]);
          before.chroma = bits.clean (before.chroma);
        }
        if (own () == 15)
          count_whole (rows, before, now, window, differences);
        else if (own () != 0)
          count_part (rows, before, now, window, differences);
        if (copies) {
          const int32_t at = picture.offset (n);

          store (launch.copy[0], at, rows.luma[0]);
          store (launch.copy[0], at + (int32_t) launch.copy[0].stride, rows.luma[1]);
          store (launch.copy[1], picture_chroma.offset (n / 2), rows.chroma);
        }
        if constexpr (HAS_SIGNAL)
          add_sums (differences, &sums.differences[n - first_row]);
      }
      load_before (n + 2);
      if constexpr (HAS_SIGNAL) {
        if (n >= begin + 2)
          find_outliers (window, now, n, n < bottom);
        window.rows[0] = window.rows[2];
        window.rows[1] = window.rows[3];
        window.rows[2] = now[0];
        window.rows[3] = now[1];
      }
    }
  }
};

/* ---- Bands -------------------------------------------------------------------------------------- */

struct PairBands : TwoRowBands<PairStrip, PairCounters>
{
  using TwoRowBands::TwoRowBands;

  __device__ __forceinline__ void
  add_tallies (BlockSums<uint32_t> &to) const
  {
    TwoRowBands::add_tallies (to);
    if (block.has (HISTO_MAPS_SIGNAL))
      to.add_to_tally (HISTO_TALLY_BRNG,
          PairCounters::share_of_luma_outside (16 * PairBits::step, 235 * PairBits::step));
  }
};
