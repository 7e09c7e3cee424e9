/* The kernels for 8-bit YUV whose chroma has one sample for two rows and two columns (4:2:0): samples,
 * and the groups `signal` and `motion`, or all groups. The planes' rows are whole groups of four
 * pixels, and regions begin and end at even rows; the kernels measure other frames and regions as
 * strips (strips.cuh).
 *
 * Four neighbouring samples are a quad: the bytes of a word. A warp measures a strip of columns, as
 * in strips.cuh, but two rows at a time, which share a row of chroma. The groups beside `signal` and
 * `motion` are measured after these, band by band: for all at once a thread needs twice the registers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps/quad-groups.cuh"
#include "kernels/maps/two-rows.cuh"

/* ---- A strip -------------------------------------------------------------------------------- */

/* @GROUPS: what is measured, of HISTO_MAPS_SIGNAL and HISTO_MAPS_MOTION. Samples are always
 * counted. @ARE_APART: see ChromaPlanes */
template <uint32_t GROUPS, bool ARE_APART>
struct QuadStrip
{
  static constexpr bool HAS_SIGNAL = (GROUPS & HISTO_MAPS_SIGNAL) != 0;
  static constexpr bool HAS_MOTION = (GROUPS & HISTO_MAPS_MOTION) != 0;

  /* What a lane reads of two rows. */
  struct TwoRows
  {
    uint32_t luma[2], luma_before[2];
    Chroma chroma;
    uint32_t chroma_before;     /* U and V in turn */
  };

  /* What a lane remembers for the group `signal`. */
  struct Window
  {
    uint32_t rows[4];           /* luma; [3] is the newest */
    uint32_t distance;          /* between rows[1] and rows[2], for each byte */
  };

  const HistoMapsLaunch &launch;
  const HistoMapsRegion &region;
  const QuadCounters &counters;
  const Columns columns;
  bool swaps;                   /* an upper lane: counts differences first */
  uint32_t lane;
  /* The highest bit of each own pixel's byte, without the region's first and last column. */
  uint32_t inner;
  uint32_t out_of_range;        /* of each column */
  uint32_t tout;

  __device__ __forceinline__
  QuadStrip (const RegionBlock &block, const QuadCounters &to, uint32_t strip)
  : launch (block.launch), region (block.region ()), counters (to),
    columns (block.launch, block.region (), strip),
    swaps (QuadCounters::is_upper ()),
    lane (keep (threadIdx.x % HISTO_WARP_SIZE)),
    inner (keep (Quads::of_bits (columns.inner) & Quads::high)), out_of_range (0), tout (0)
  {
  }

  /* ---- Counting ---- */

  /* What concerns a sample and its difference, in the order in which the lane counts them. */
  struct Turns
  {
    uint32_t now, next;
  };

  __device__ __forceinline__ Turns
  take_turns (uint32_t of_sample, uint32_t of_difference) const
  {
    if constexpr (!HAS_MOTION)
      return { of_sample, of_difference };
    else
      return { swaps ? of_difference : of_sample, swaps ? of_sample : of_difference };
  }

  /* The first counters of a component and of its differences. */
  __device__ __forceinline__ Turns
  firsts_of (uint32_t sample, uint32_t difference) const
  {
    return take_turns (QuadCounters::first (counters.at.samples, sample),
        QuadCounters::first (counters.at.differences, difference));
  }

  /* Counts the samples of a quad and with HAS_MOTION their differences. Samples 0 and 2 are of the
   * component that `even` belongs to. */
  __device__ __forceinline__ void
  count_quad (uint32_t quad, uint32_t before, const Turns &even, const Turns &odd) const
  {
    const Turns quads = take_turns (quad, __vabsdiffu4 (quad, before));

#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      QuadCounters::count (quads.now, i, i % 2 == 0 ? even.now : odd.now);
    if constexpr (HAS_MOTION) {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        QuadCounters::count (quads.next, i, i % 2 == 0 ? even.next : odd.next);
    }
  }

  /* The same of those samples whose bit in @mask is set. */
  __device__ __forceinline__ void
  count_some (uint32_t quad, uint32_t before, const Turns &even, const Turns &odd,
      uint32_t mask) const
  {
    const Turns quads = take_turns (quad, __vabsdiffu4 (quad, before));

#pragma unroll 1
    for (uint32_t i = 0; i < 4; i++) {
      if ((mask >> i & 1) == 0)
        continue;
      QuadCounters::count (quads.now >> 8 * i, 0, i % 2 == 0 ? even.now : odd.now);
      if constexpr (HAS_MOTION)
        QuadCounters::count (quads.next >> 8 * i, 0, i % 2 == 0 ? even.next : odd.next);
    }
  }

  /* Saturation and hue of a sample of chroma. @index: U << 8 | V */
  __device__ __forceinline__ uint32_t
  chroma_entry (uint32_t index) const
  {
    return __ldg ((const uint32_t *) launch.chroma_table + index);
  }

  __device__ __forceinline__ void
  count_entry (uint32_t entry) const
  {
    QuadCounters::count (entry, 0, QuadCounters::first (counters.at.samples, QuadCounters::SATURATION));
    counters.count_hue (HISTO_CHROMA_HUE (entry));
  }

  /* Counts two rows in which the lane owns all pixels. Additions in shared memory and other work take
   * turns. Returns the sums of the differences from the rows four above, in the halves of a word. */
  __device__ __forceinline__ uint32_t
  count_whole (const TwoRows &rows, uint32_t chroma, const Window &window)
  {
    const Turns y = firsts_of (QuadCounters::SAMPLE_Y, QuadCounters::DIFFERENCE_Y);
    const Turns u = firsts_of (QuadCounters::SAMPLE_U, QuadCounters::DIFFERENCE_U);
    const Turns v = firsts_of (QuadCounters::SAMPLE_V, QuadCounters::DIFFERENCE_V);
    const uint32_t entry = HAS_SIGNAL ? chroma_entry (__byte_perm (chroma, 0, 0x4401)) : 0;
    const uint32_t next_entry = HAS_SIGNAL ? chroma_entry (__byte_perm (chroma, 0, 0x4423)) : 0;
    uint32_t sums = 0;

    count_quad (rows.luma[0], rows.luma_before[0], y, y);
    if constexpr (HAS_SIGNAL)
      find_out_of_range (rows, chroma, Quads::high);
    count_quad (rows.luma[1], rows.luma_before[1], y, y);
    if constexpr (HAS_SIGNAL)
      sums = sums_of_differences (window, rows, ~0u);
    count_quad (chroma, rows.chroma_before, u, v);
    if constexpr (HAS_SIGNAL) {
      count_entry (entry);
      count_entry (next_entry);
    }
    return sums;
  }

  /* The same where the lane owns some pixels. */
  __device__ __forceinline__ uint32_t
  count_part (const TwoRows &rows, uint32_t chroma, const Window &window)
  {
    const Turns y = firsts_of (QuadCounters::SAMPLE_Y, QuadCounters::DIFFERENCE_Y);
    const Turns u = firsts_of (QuadCounters::SAMPLE_U, QuadCounters::DIFFERENCE_U);
    const Turns v = firsts_of (QuadCounters::SAMPLE_V, QuadCounters::DIFFERENCE_V);

    count_some (rows.luma[0], rows.luma_before[0], y, y, columns.own);
    count_some (rows.luma[1], rows.luma_before[1], y, y, columns.own);
    count_some (chroma, rows.chroma_before, u, v,
        (columns.own_chroma & 1) * 3 | (columns.own_chroma >> 1) * 12);
    if constexpr (HAS_SIGNAL) {
      const uint32_t own = Quads::of_bits (columns.own);

      if ((columns.own_chroma & 1) != 0)
        count_entry (chroma_entry (__byte_perm (chroma, 0, 0x4401)));
      if ((columns.own_chroma & 2) != 0)
        count_entry (chroma_entry (__byte_perm (chroma, 0, 0x4423)));
      find_out_of_range (rows, chroma, own & Quads::high);
      return sums_of_differences (window, rows, own);
    } else {
      return 0;
    }
  }

  /* ---- signal ---- */

  /* @mask: the bytes' highest bits, of own pixels */
  __device__ __forceinline__ void
  find_out_of_range (const TwoRows &rows, uint32_t chroma, uint32_t mask)
  {
    const uint32_t chroma_out = Quads::chroma_out_of_range (chroma);
    const uint32_t out = __byte_perm (chroma_out, 0, 0x2200)
        | __byte_perm (chroma_out, 0, 0x3311);

#pragma unroll
    for (int i = 0; i < 2; i++)
      out_of_range += ((Quads::luma_out_of_range (rows.luma[i]) | out) & mask) >> 7;
  }

  /* Of at most HISTO_MAPS_BAND_ROWS rows. */
  __device__ __forceinline__ uint32_t
  count_out_of_range () const
  {
    return __dp4a (out_of_range, Quads::all (1), 0u);
  }

  __device__ __forceinline__ uint32_t
  count_outliers () const
  {
    return tout;
  }

  /* @own: 0xff for each own pixel */
  __device__ __forceinline__ static uint32_t
  sums_of_differences (const Window &window, const TwoRows &rows, uint32_t own)
  {
    return __vsadu4 (rows.luma[0] & own, window.rows[0] & own)
        + (__vsadu4 (rows.luma[1] & own, window.rows[1] & own) << 16);
  }

  /* Counts the pixels that are outliers and whose left and right neighbours are, too. */
  __device__ __forceinline__ uint32_t
  count_triples (uint32_t found) const
  {
    found &= Quads::high;

    const uint32_t left = __byte_perm (__shfl_up_sync (HISTO_FULL_WARP, found, 1), found, 0x6543);
    const uint32_t right = __byte_perm (found, __shfl_down_sync (HISTO_FULL_WARP, found, 1), 0x4321);

    return __popc (found & left & right & inner);
  }

  /* Counts the outliers of rows n - 2 and n - 1. @rows: n and n + 1; without
   * @has_rows the region ends with row n - 1, and what @rows holds does not matter */
  __device__ __forceinline__ void
  find_outliers (const Window &window, const TwoRows &rows, uint32_t n, bool has_rows)
  {
    const uint32_t *w = window.rows;
    const uint32_t near = __vabsdiffu4 (w[2], w[3]);
    const uint32_t upper = __vabsdiffu4 (w[1], w[3]), lower = __vabsdiffu4 (w[2], rows.luma[0]);
    uint32_t found = Quads::outliers (window.distance, near, upper);
    uint32_t next = Quads::outliers (near, __vabsdiffu4 (w[3], rows.luma[0]), lower);

    if (!__any_sync (HISTO_FULL_WARP, ((found | next) & Quads::high) != 0))
      return;
    /* The same with the rows two above and two below, where the region has them. */
    if (n >= 4 && has_rows) {
      found &= Quads::outliers (__vabsdiffu4 (w[0], w[2]), lower, __vabsdiffu4 (w[0], rows.luma[0]));
      next &= Quads::outliers (upper, __vabsdiffu4 (w[3], rows.luma[1]),
          __vabsdiffu4 (w[1], rows.luma[1]));
    }
    /* The first and the last row of the region have no outliers. */
    if (n >= 4)
      tout += count_triples (found);
    if (has_rows)
      tout += count_triples (next);
  }

  /* ---- Rows ---- */

  /* Measures rows `begin` to end - 1, both even, in a band that begins with first_row. */
  __device__ __forceinline__ void
  measure (uint32_t begin, uint32_t end, uint32_t first_row, BlockSums<uint32_t> &sums)
  {
    /* The lanes beside the picture read the picture's nearest pixels. */
    const int32_t x = min (max (columns.x, 0), (int32_t) launch.native[0].width - 4);
    const uint32_t y = region.y;
    const QuadPlane luma (launch.native[0], x, y), picture (launch.copy[0], x, y);
    const ChromaPlanes<ARE_APART> chroma_planes (&launch.native[1], x, y / 2);
    const QuadPlane picture_chroma (launch.copy[1], x, y / 2);
    const uint32_t first = HAS_SIGNAL ? begin - min (begin, 4) : begin;
    const uint32_t last = HAS_SIGNAL ? end + 2 : end;
    /* The first row below, or the region's end. */
    const uint32_t bottom = keep (min (last, region.height));
    const bool copies = columns.own != 0 && region.number == 0
        && (launch.flags & HISTO_MAPS_COPY) != 0;
    TwoRows next = {};
    Window window = {};

    /* Requests what rows n and n + 1 need from memory. The previous picture has the strides of the
     * copy. */
    const auto load = [&] (uint32_t n) {
      const int32_t at = luma.offset (n);

      next.luma[0] = luma.load (at);
      next.luma[1] = luma.load (at + (int32_t) launch.native[0].stride);
      if constexpr (HAS_SIGNAL) {
        if (n < begin || n >= end)
          return;
      }
      next.chroma = chroma_planes.load (n / 2);
      if constexpr (HAS_MOTION) {
        const int32_t before = picture.offset (n);

        next.luma_before[0] = load_quad (launch.previous[0], before);
        next.luma_before[1] = load_quad (launch.previous[0], before + (int32_t) launch.copy[0].stride);
        next.chroma_before = load_quad (launch.previous[1], picture_chroma.offset (n / 2));
      }
    };

    load (first);
#pragma unroll 2
    for (uint32_t n = first; n < last; n += 2) {
      const TwoRows rows = next;

      if (n + 2 < bottom)
        load (n + 2);
      if (n >= begin && n < end) {
        const uint32_t chroma = chroma_planes.quad (rows.chroma);
        uint32_t differences = 0;

        if (columns.own == 15)
          differences = count_whole (rows, chroma, window);
        else if (columns.own != 0)
          differences = count_part (rows, chroma, window);
        if (copies) {
          const int32_t at = picture.offset (n);

          picture.store (at, rows.luma[0]);
          picture.store (at + (int32_t) launch.copy[0].stride, rows.luma[1]);
          picture_chroma.store (picture_chroma.offset (n / 2), chroma);
        }
        if constexpr (HAS_SIGNAL)
          add_sums_of_rows (differences, lane, &sums.differences[n - first_row]);
      }
      if constexpr (HAS_SIGNAL) {
        if (n >= begin + 2)
          find_outliers (window, rows, n, n < bottom);
        window.distance = __vabsdiffu4 (window.rows[3], rows.luma[0]);
        window.rows[0] = window.rows[2];
        window.rows[1] = window.rows[3];
        window.rows[2] = rows.luma[0];
        window.rows[3] = rows.luma[1];
      }
    }
  }
};

/* ---- Bands -------------------------------------------------------------------------------------- */

/* @HAS_MORE: whether groups beside `signal` and `motion` may be measured, too */
template <bool HAS_MORE>
struct QuadBands : TwoRowBands<QuadStrip, QuadCounters>
{
  using TwoRowBands::TwoRowBands;

  /* Warp w belongs to scheduler w % SCHEDULERS of its multiprocessor. */
  static constexpr uint32_t SCHEDULERS = 4;

  template <bool ARE_APART>
  __device__ __forceinline__ void
  measure_color_strips (uint32_t first_row, uint32_t n_rows)
  {
    share_band (block.region (), HISTO_STRIP_COLUMNS, block.region ().x % 4, n_rows, 2,
        [&] (uint32_t strip, uint32_t begin, uint32_t end) {
          QuadColorStrip<ARE_APART> quads (block, counters, strip);

          quads.measure (first_row + begin, first_row + end, &sums.lumas[begin]);
          quads.finish (block);
        });
  }

  __device__ __forceinline__ void
  measure_detail (uint32_t first_row, uint32_t n_rows)
  {
    share_band (block.region (), HISTO_STRIP_COLUMNS, block.region ().x % 4, n_rows, 1,
        [&] (uint32_t strip, uint32_t begin, uint32_t end) {
          QuadDetailStrip quads (block, counters, strip);

          quads.measure (first_row + begin, first_row + end);
          quads.detail.add_tallies (sums);
        });
  }

  __device__ __forceinline__ void
  measure_colors (uint32_t first_row, uint32_t n_rows)
  {
    if (block.launch.native[1].step == 1)
      measure_color_strips<true> (first_row, n_rows);
    else
      measure_color_strips<false> (first_row, n_rows);
  }

  /* The other groups. Colors wait for additions in shared memory, while `detail` needs the most instructions. So
   * half of the warps measure colors first and the other half `detail`. Each scheduler has warps of both. */
  __device__ __forceinline__ void
  measure_more (uint32_t first_row, uint32_t n_rows)
  {
    const bool begins_with_detail = (threadIdx.x / (SCHEDULERS * HISTO_WARP_SIZE) & 1) != 0;

#pragma unroll 1
    for (uint32_t i = 0; i < 2; i++) {
      if ((i == 0) == begins_with_detail) {
        if (block.has (HISTO_MAPS_DETAIL))
          measure_detail (first_row, n_rows);
      } else if (block.has (HISTO_MAPS_COLOR | HISTO_MAPS_HDR | HISTO_MAPS_AREA)) {
        measure_colors (first_row, n_rows);
      }
    }
  }

  __device__ __forceinline__ void
  measure (uint32_t first_row, uint32_t n_rows)
  {
    TwoRowBands::measure (first_row, n_rows);
    if constexpr (HAS_MORE)
      measure_more (first_row, n_rows);
  }

  __device__ __forceinline__ void
  add_tallies (BlockSums<uint32_t> &to) const
  {
    TwoRowBands::add_tallies (to);
    if constexpr (HAS_MORE)
      counters.join_colors ();
  }
};
