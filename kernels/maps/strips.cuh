/* The maps by strips: YUV video whose chroma has one sample for two pixels of a row, and gray
 * video, of 8 to 12 bits.
 *
 * A warp measures a strip of 120 columns and goes down the rows. Each lane has four pixels, as two
 * pairs of 16-bit numbers, and keeps those of the last five rows. The first and the last lane
 * have pixels of the neighbouring strips, and count none. With row n the warp measures
 *   row n      samples, differences, range, repeated lines, colors, sums of luma;
 *   row n - 1  gradients;
 *   row n - 2  outliers.
 *
 * The counters are in shared memory. Pictures in the engine's own memory have planes of Y and of
 * U and V in turn, whose rows begin at multiples of 16 bytes and have room for whole groups of
 * four pixels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps/groups.cuh"
#include "kernels/maps/pair-strips.cuh"
#include "kernels/maps/quads.cuh"
#include "kernels/maps/rows.cuh"

/* ---- A strip ------------------------------------------------------------------------------ */

/* The rows that a lane remembers. */
struct Window
{
  Pairs rows[5];                /* [4] is the newest */

  __device__ __forceinline__ void
  push (const Pairs &row)
  {
#pragma unroll
    for (int i = 0; i < 4; i++)
      rows[i] = rows[i + 1];
    rows[4] = row;
  }
};

/* Samples and the groups `signal` and `motion`, or with HAS_MORE all groups; of bytes or of 16-bit
 * words. */
template <int BYTES, bool HAS_MORE>
struct Strips
{
  const RegionBlock &block;
  const HistoMapsLaunch &launch;
  const HistoMapsRegion &region;
  const SharedCounters &counters;
  BlockSums<uint32_t> &sums;
  PairFormat<BYTES> format;
  uint32_t scale;               /* bytes from a counter to the next value's */
  uint32_t flags;               /* what is measured of this region */
  uint32_t brng, tout;
  MoreGroups more;              /* with HAS_MORE */

  __device__ __forceinline__
  Strips (const RegionBlock &of, const SharedCounters &to, BlockSums<uint32_t> &shared)
  : block (of), launch (of.launch), region (of.region ()), counters (to), sums (shared),
    format (of.launch.native[0], of.launch.maps.depth), scale (1u << to.bin_log2),
    flags (of.launch.flags), brng (0), tout (0), more (of, to)
  {
    if (!of.counts_samples ())
      flags &= ~HISTO_MAPS_SAMPLES;
    if (region.number != 0)
      flags &= ~HISTO_MAPS_COPY;
    if ((flags & HISTO_MAPS_PREVIOUS) == 0)
      flags &= ~HISTO_MAPS_MOTION;
  }

  __device__ __forceinline__ bool
  has (uint32_t flag) const
  {
    return (flags & flag) != 0;
  }

  /* ---- Counting ---- */

  __device__ __forceinline__ void
  count_low (uint32_t pair, uint32_t first) const
  {
    counters.count_at ((pair & 0xffff) * scale + first);
  }

  __device__ __forceinline__ void
  count_high (uint32_t pair, uint32_t first) const
  {
    counters.count_at ((pair >> 16) * scale + first);
  }

  /* Counts those two numbers of a pair whose bit in `own` is set. Most lanes own both: one
   * branch, not two. */
  __device__ __forceinline__ void
  count_pair (uint32_t pair, uint32_t bin, uint32_t own) const
  {
    const uint32_t first = counters.offset_of (bin);

    if ((own & 3) == 3) {
      count_low (pair, first);
      count_high (pair, first);
    } else if (own & 1) {
      count_low (pair, first);
    } else if (own & 2) {
      count_high (pair, first);
    }
  }

  /* The same of four numbers. */
  __device__ __forceinline__ void
  count_four (const Pairs &four, uint32_t bin, uint32_t own) const
  {
    const uint32_t first = counters.offset_of (bin);

    if (own == 15) {
      count_low (four.p[0], first);
      count_high (four.p[0], first);
      count_low (four.p[1], first);
      count_high (four.p[1], first);
    } else if (own != 0) {
      count_pair (four.p[0], bin, own);
      count_pair (four.p[1], bin, own >> 2);
    }
  }

  /* ---- Rows ---- */

  /* Adds the lanes' sums of a row. A sum of pairs does not overflow. */
  __device__ __forceinline__ static void
  add_row (uint32_t *to, const Pairs &four)
  {
    const uint32_t pair = four.p[0] + four.p[1];
    const uint32_t sum = sum_of_warp_32 ((pair & 0xffff) + (pair >> 16));

    if (is_first_lane ())
      atomicAdd (to, sum);
  }

  /* ---- signal ---- */

  /* Saturation and hue of a sample of chroma. Kernels without the formulas are launched only if
   * there is a table. */
  __device__ __forceinline__ uint32_t
  chroma_entry (uint32_t u, uint32_t v) const
  {
    const uint32_t depth = BYTES == 1 ? 8 : launch.maps.depth;

    if (BYTES == 1 || !HAS_MORE || launch.chroma_table != 0)
      return __ldg ((const uint32_t *) launch.chroma_table + (u << depth) + v);

    const int32_t mid = 1 << (depth - 1);

    return HISTO_CHROMA_ENTRY (histo_saturation ((int32_t) u - mid, (int32_t) v - mid),
        histo_hue ((int32_t) u - mid, (int32_t) v - mid));
  }

  __device__ __forceinline__ void
  count_chroma_sample (uint32_t entry) const
  {
    count_low (entry, counters.offset_of (launch.saturation_bin));
    count_high (entry, counters.offset_of (launch.hue_bin));
  }

  /* Both entries are loaded before one is counted. */
  __device__ __forceinline__ void
  count_chroma_samples (uint32_t entry, uint32_t next) const
  {
    count_chroma_sample (entry);
    count_chroma_sample (next);
  }

  /* Counts the outliers among the pixels of the middle row of the window. */
  __device__ __forceinline__ void
  find_outliers (const Window &window, const Columns &columns, bool has_five_rows)
  {
    uint32_t found[2];

#pragma unroll
    for (int i = 0; i < 2; i++) {
      const uint32_t b = window.rows[2].p[i];

      found[i] = format.outliers (window.rows[1].p[i], b, window.rows[3].p[i]);
      if (has_five_rows)
        found[i] &= format.outliers (window.rows[0].p[i], b, window.rows[4].p[i]);
      found[i] &= PairFormat<BYTES>::high;
    }
    if (!__any_sync (HISTO_FULL_WARP, (found[0] | found[1]) != 0))
      return;

    /* Bit i: pixel i. */
    const uint32_t own = bits_of_pair (found[0]) | bits_of_pair (found[1]) << 2;
    const uint32_t left = __shfl_up_sync (HISTO_FULL_WARP, own, 1);
    const uint32_t right = __shfl_down_sync (HISTO_FULL_WARP, own, 1);
    const uint32_t six = left >> 3 | own << 1 | (right & 1) << 5;

    tout += __popc (six & six >> 1 & six >> 2 & columns.inner);
  }

  /* ---- A row ---- */

  __device__ __forceinline__ void
  count_chroma (const Four<BYTES> &now, const Four<BYTES> &before, uint32_t own) const
  {
    const uint32_t u = format.value (now.even ()), v = format.value (now.odd ());

    if (has (HISTO_MAPS_SAMPLES)) {
      count_pair (u, launch.sample_bins[1], own);
      count_pair (v, launch.sample_bins[2], own);
    }
    if (has (HISTO_MAPS_MOTION)) {
      count_pair (absolute_difference (u, format.value (before.even ())),
          launch.difference_bins[1], own);
      count_pair (absolute_difference (v, format.value (before.odd ())),
          launch.difference_bins[2], own);
    }
    if (has (HISTO_MAPS_SIGNAL)) {
      if (own == 3) {
        count_chroma_samples (chroma_entry (u & 0xffff, v & 0xffff),
            chroma_entry (u >> 16, v >> 16));
      } else if (own & 1) {
        count_chroma_sample (chroma_entry (u & 0xffff, v & 0xffff));
      } else {
        count_chroma_sample (chroma_entry (u >> 16, v >> 16));
      }
    }
  }

  __device__ __forceinline__ void
  measure_signal_of_row (const Window &window, const Columns &columns, uint32_t chroma_out,
      uint32_t row, uint32_t first_row)
  {
    const Pairs &now = window.rows[4];
    const uint32_t out = (format.luma_out_of_range (now.p[0]) | low_twice (chroma_out))
        & columns.own_pairs[0] & PairFormat<BYTES>::high;
    const uint32_t out_next = (format.luma_out_of_range (now.p[1]) | high_twice (chroma_out))
        & columns.own_pairs[1] & PairFormat<BYTES>::high;

    brng += __popc (out | out_next >> 1);
    if (row >= 4)
      add_row (&sums.differences[row - first_row],
          now.difference (window.rows[0]).only (columns.own_pairs));
  }

  /* Counts what concerns the newest row of the window alone. */
  __device__ __forceinline__ void
  measure_row (const Window &window, const Pairs &before, const Columns &columns,
      uint32_t chroma_out, uint32_t row, uint32_t first_row)
  {
    const Pairs &now = window.rows[4];

    if (has (HISTO_MAPS_SAMPLES))
      count_four (now, launch.sample_bins[0], columns.own);
    if (has (HISTO_MAPS_MOTION))
      count_four (now.difference (before), launch.difference_bins[0], columns.own);
    if (has (HISTO_MAPS_SIGNAL))
      measure_signal_of_row (window, columns, chroma_out, row, first_row);
    if constexpr (HAS_MORE) {
      if (has (HISTO_MAPS_COLOR | HISTO_MAPS_HDR))
        more.count_colors (now, columns.own);
      if (has (HISTO_MAPS_DETAIL) && has (HISTO_MAPS_PREVIOUS))
        more.compare (before, columns.own);
      if (has (HISTO_MAPS_AREA)) {
        more.add_to_columns (now);
        add_row (&sums.lumas[row - first_row], now.only (columns.own_pairs));
      }
    }
  }

  /* Measures rows `begin` to end - 1 of a strip, in a band that begins with first_row. */
  template <bool IS_WHOLE>
  __device__ __forceinline__ void
  measure_strip (uint32_t strip, uint32_t begin, uint32_t end, uint32_t first_row)
  {
    const Columns columns (launch, region, strip);
    const bool has_chroma = launch.maps.has_chroma;
    const bool has_signal = has (HISTO_MAPS_SIGNAL);
    const bool has_detail = HAS_MORE && has (HISTO_MAPS_DETAIL);
    const bool has_before = has (HISTO_MAPS_PREVIOUS) && (IS_WHOLE || columns.n_inside > 0);
    const bool copies = has (HISTO_MAPS_COPY) && columns.own != 0;
    const uint32_t top = region.y, height = region.height;
    const uint32_t first = begin - min (begin, has_signal ? 4 : has_detail ? 1 : 0);
    const uint32_t last = has_signal ? min (end + 2, height + 1)
        : has_detail ? min (end + 1, height) : end;
    const uint32_t h_sub = launch.maps.h_sub, first_chroma = (top + first) >> h_sub;
    const int32_t x = IS_WHOLE ? min (max (columns.x, 0), (int32_t) launch.native[0].width - 4)
        : columns.x;
    BufferReader<BYTES, IS_WHOLE> buffer (launch, columns, x, top + first);
    PictureRows previous (launch.previous, x * BYTES, top + first, first_chroma);
    PictureRows copy (launch.copy, x * BYTES, top + first, first_chroma);
    Four<BYTES> luma = Four<BYTES>::zero (), chroma = luma, luma_before = luma,
        chroma_before = luma;
    Window window = {};
    uint32_t chroma_out = 0;

    /* Whether row n is the first one of a row of chroma, in the picture. */
    const auto begins_chroma = [&] (uint32_t n) {
      return ((top + n) & ((1u << h_sub) - 1)) == 0;
    };
    /* Requests what row n needs from memory. */
    const auto load = [&] (uint32_t n) {
      const bool counts = n - begin < end - begin;

      if (n < height)
        luma = buffer.load_luma ();
      if (counts && has_before)
        luma_before = Four<BYTES>::load ((const uint8_t *) previous.luma);
      /* With && and || each part of the condition would be a branch. */
      if (counts & has_chroma & (begins_chroma (n) | (n == begin))) {
        chroma = buffer.load_chroma ();
        /* A lane with pixels in the picture has chroma there, too. */
        if (has_before)
          chroma_before = Four<BYTES>::load ((const uint8_t *) previous.chroma);
      }
      buffer.go_down ();
      previous.go_down ();
      if (begins_chroma (n + 1)) {
        buffer.go_down_chroma ();
        previous.go_down_chroma ();
      }
    };

    if constexpr (HAS_MORE)
      more.begin_strip ();
    load (first);
    for (uint32_t n = first; n < last; n++) {
      const Four<BYTES> now = luma, now_chroma = chroma, before = luma_before,
          before_chroma = chroma_before;

      if (n + 1 < last)
        load (n + 1);
      window.push (format.pairs (now));
      if (has_detail)
        more.push (window.rows[4]);
      if (n - begin < end - begin) {
        if (has_chroma && (begins_chroma (n) || n == begin)) {
          const uint32_t own = begins_chroma (n) || n == 0 ? columns.own_chroma : 0;

          if constexpr (HAS_MORE)
            more.set_chroma (format.value (now_chroma.even ()), format.value (now_chroma.odd ()));
          chroma_out = format.chroma_out_of_range (format.value (now_chroma.even ()))
              | format.chroma_out_of_range (format.value (now_chroma.odd ()));
          if (own != 0)
            count_chroma (now_chroma, before_chroma, own);
          if (copies && own != 0)
            now_chroma.store ((uint8_t *) copy.chroma);
        }
        if (copies)
          now.store ((uint8_t *) copy.luma);
        measure_row (window, format.pairs (before), columns, chroma_out, n, first_row);
      }
      copy.go_down ();
      if (begins_chroma (n + 1))
        copy.go_down_chroma ();
      if (has_detail && n > begin && n >= 2 && n <= end && n < height)
        more.measure_gradients (columns.inner);
      if (has_signal && n >= begin + 2 && n >= 3)
        find_outliers (window, columns, n >= 4 && n < height);
    }
    if (HAS_MORE && has (HISTO_MAPS_AREA))
      more.end_strip (columns.x - (int32_t) region.x, columns.own);
  }

  __device__ __forceinline__ void
  measure (uint32_t first_row, uint32_t n_rows)
  {
    const bool is_whole = has (HISTO_MAPS_WHOLE);

    share_band (region, HISTO_STRIP_COLUMNS, region.x % 4, n_rows, 1,
        [&] (uint32_t strip, uint32_t begin, uint32_t end) {
          if (is_whole)
            measure_strip<true> (strip, first_row + begin, first_row + end, first_row);
          else
            measure_strip<false> (strip, first_row + begin, first_row + end, first_row);
        });
  }

  __device__ __forceinline__ void
  add_tallies (BlockSums<uint32_t> &to) const
  {
    to.add_to_tally (HISTO_TALLY_BRNG, brng);
    to.add_to_tally (HISTO_TALLY_TOUT, tout);
    if constexpr (HAS_MORE)
      more.add_tallies (to);
  }
};

template <int BYTES, bool HAS_MORE>
struct StripsKernel
{
  __device__ __forceinline__ static void
  evaluate (const HistoMapsLaunch &launch)
  {
    __shared__ BlockSums<uint32_t> sums;
    const RegionBlock block (launch);
    const SharedCounters counters (launch.n_bins, launch.copies_log2);
    Strips<BYTES, HAS_MORE> strips (block, counters, sums);

    counters.clear ();
    measure_region (block, strips, sums, CopiesInOrder { launch.copies_log2 });
  }
};

template <bool HAS_MORE>
struct QuadsKernel
{
  __device__ __forceinline__ static void
  evaluate (const HistoMapsLaunch &launch)
  {
    __shared__ BlockSums<uint32_t> sums;
    const RegionBlock block (launch);

    if (!QuadBands<HAS_MORE>::suit (block)) {
      StripsKernel<1, HAS_MORE>::evaluate (launch);
      return;
    }

    const QuadCounters counters (launch);
    QuadBands<HAS_MORE> quads (block, counters, sums);

    counters.clear ();
    measure_region (block, quads, sums, counters);
  }
};

struct PairsKernel
{
  __device__ __forceinline__ static void
  evaluate (const HistoMapsLaunch &launch)
  {
    __shared__ BlockSums<uint32_t> sums;
    const RegionBlock block (launch);

    if (!PairBands::suit (block)) {
      StripsKernel<2, false>::evaluate (launch);
      return;
    }

    const PairCounters counters (launch);
    PairBands pairs (block, counters, sums);

    counters.clear ();
    measure_region (block, pairs, sums, counters);
  }
};

template <>
struct MapsKernel<HISTO_MAPS_quads> : QuadsKernel<false> {};
template <>
struct MapsKernel<HISTO_MAPS_all_quads> : QuadsKernel<true> {};
template <>
struct MapsKernel<HISTO_MAPS_pairs> : PairsKernel {};
template <>
struct MapsKernel<HISTO_MAPS_bytes> : StripsKernel<1, false> {};
template <>
struct MapsKernel<HISTO_MAPS_words> : StripsKernel<2, false> {};
template <>
struct MapsKernel<HISTO_MAPS_all_bytes> : StripsKernel<1, true> {};
template <>
struct MapsKernel<HISTO_MAPS_all_words> : StripsKernel<2, true> {};
