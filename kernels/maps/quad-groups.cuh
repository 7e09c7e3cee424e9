/* The groups `color`, `hdr`, `detail` and `area` of a strip of quads (quads.cuh): a strip of colors, which
 * also adds up luma, and a strip of gradients.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps/floats.cuh"
#include "kernels/maps/quad-counters.cuh"
#include "kernels/maps/quad-planes.cuh"
#include "kernels/maps/rows.cuh"

/* ---- color and hdr ------------------------------------------------------------------------- */

/* Counts R, G, B and the greatest of them. */
struct QuadColors
{
  const HistoMapsLaunch &launch;
  uint32_t firsts[3];
  uint32_t first_maxrgb;

  __device__ __forceinline__
  QuadColors (const HistoMapsLaunch &frame, const QuadCounters &counters)
  : launch (frame), firsts (),
    first_maxrgb (QuadCounters::first (counters.at.colors, QuadCounters::MAXRGB))
  {
#pragma unroll
    for (uint32_t i = 0; i < 3; i++)
      firsts[i] = QuadCounters::first (counters.at.colors, QuadCounters::RED + i);
  }

  /* 32768 plus a color, as the bits of a floating-point number. A color is 256 if it is above 255. */
  __device__ __forceinline__ static uint32_t
  color (float luma, float factor, float of_chroma)
  {
    return __float_as_uint (__fadd_rd (__saturatef (fmaf (luma, factor, of_chroma)), 32768.f));
  }

  /* Counts the pixels of two rows whose bit in @own is set; with IS_WHOLE all bits are.
   * @chroma: U and V in turn */
  template <bool HAS_COLOR, bool HAS_HDR, bool IS_WHOLE>
  __device__ __forceinline__ void
  count (const uint32_t luma[2], uint32_t chroma, uint32_t own) const
  {
    const float (*rows)[4] = launch.quads.colors;

#pragma unroll
    for (uint32_t s = 0; s < 2; s++) {
      const float u = byte_as_float (chroma, 2 * s), v = byte_as_float (chroma, 2 * s + 1);
      float of_chroma[3];

#pragma unroll
      for (uint32_t c = 0; c < 3; c++)
        of_chroma[c] = fmaf (rows[c][1], u, fmaf (rows[c][2], v, rows[c][3]));
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        const uint32_t pixel = 2 * s + i % 2;
        const float y = byte_as_float (luma[i / 2], pixel);
        uint32_t greatest = 0;

        if (!IS_WHOLE && (own >> pixel & 1) == 0)
          continue;
#pragma unroll
        for (uint32_t c = 0; c < 3; c++) {
          const uint32_t number = color (y, rows[c][0], of_chroma[c]);

          if constexpr (HAS_COLOR)
            QuadCounters::count_number (number, firsts[c]);
          greatest = max (greatest, number);
        }
        if constexpr (HAS_HDR)
          QuadCounters::count_number (greatest, first_maxrgb);
      }
    }
  }

  template <bool IS_WHOLE>
  __device__ __forceinline__ void
  count_groups (const uint32_t luma[2], uint32_t chroma, uint32_t own) const
  {
    const bool has_color = (launch.flags & HISTO_MAPS_COLOR) != 0;
    const bool has_hdr = (launch.flags & HISTO_MAPS_HDR) != 0;

    if (has_color && has_hdr)
      count<true, true, IS_WHOLE> (luma, chroma, own);
    else if (has_color)
      count<true, false, IS_WHOLE> (luma, chroma, own);
    else if (has_hdr)
      count<false, true, IS_WHOLE> (luma, chroma, own);
  }
};

/* ---- detail ---------------------------------------------------------------------------------- */

/* Four pixels of a row of luma, as histo_stretch () makes them. */
struct StretchedQuad
{
  float biased[4];              /* BIAS plus the number */

  /* Above 2^23, the last bits of a floating-point number are an integer. These 25600 make an exponent of
   * 16-bit floating-point numbers. */
  static constexpr float BIAS = 0x800000 + 0x6400;

  __device__ __forceinline__
  StretchedQuad (const HistoQuadFactors &factors, uint32_t quad)
  {
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      biased[i] = __fmaf_rd (__saturatef (fmaf (biased_byte (quad, i), factors.stretch[0],
                  factors.stretch[1])), 255.f, BIAS);
  }

  /* Pixels 2 i and 2 i + 1. */
  __device__ __forceinline__ Halves
  pair (uint32_t i) const
  {
    return Halves::of_biased (__byte_perm (__float_as_uint (biased[2 * i]),
            __float_as_uint (biased[2 * i + 1]), 0x5410));
  }
};

/* Sobel's sums over the columns, of the four pixels of a row. */
struct SobelRow
{
  Halves differences[2];        /* right - left */
  Halves sums[2];               /* left + 2 * own + right */

  /* All lanes of the warp call it. */
  __device__ __forceinline__ static SobelRow
  of (const StretchedQuad &quad)
  {
    const Halves own[2] = { quad.pair (0), quad.pair (1) };
    const Halves before = { __shfl_up_sync (HISTO_FULL_WARP, own[1].bits, 1) };
    const Halves after = { __shfl_down_sync (HISTO_FULL_WARP, own[0].bits, 1) };
    const Halves left = Halves::between (before, own[0]);
    const Halves middle = Halves::between (own[0], own[1]);
    const Halves right = Halves::between (own[1], after);

    return { { middle - left, right - middle },
      { own[0].twice_plus (left + middle), own[1].twice_plus (middle + right) } };
  }
};

/* What a lane keeps for `detail` while it goes down its columns. */
struct QuadDetail
{
  const HistoMapsLaunch &launch;
  uint32_t first;               /* counter of the gradient */
  SobelRow above[2];            /* the last two rows; [1] is the newest */
  uint32_t gradients;           /* of a band, like the next two */
  float ti_sum, ti_squares;     /* integers below 2^24 */
  Sum gradient_squares;

  __device__ __forceinline__
  QuadDetail (const HistoMapsLaunch &frame, const QuadCounters &counters)
  : launch (frame), first (QuadCounters::first (counters.at.differences, QuadCounters::GRADIENT)),
    above (), gradients (0), ti_sum (0), ti_squares (0), gradient_squares (0)
  {
  }

  /* Counts a gradient of Sobel's sums x and y, as histo_gradient () and histo_gradient_fixed () have
   * them. */
  __device__ __forceinline__ void
  count (float x, float y)
  {
    const float square = fmaf (x, x, fmaf (y, y, 1e-30f));
    const float magnitude = square_root (square);
    /* Adding 2^25 leaves whole multiples of 4. */
    const uint32_t bits = min (__float_as_uint (__fadd_rd (magnitude, 0x1p25f)), 0x4c0000ffu);
    const uint32_t fixed = (uint32_t) fmaf (magnitude, 256.f, 0.5f);

    QuadCounters::count_number (bits, first);
    gradients += fixed;
    gradient_squares += (Sum) fixed * fixed;
  }

  /* Counts the pixels of a row, which lies between the rows above and below, whose bit in @inner is
   * set; with IS_WHOLE all bits are. */
  template <bool IS_WHOLE>
  __device__ __forceinline__ void
  count_row (const SobelRow &upper, const SobelRow &row, const SobelRow &lower, uint32_t inner)
  {
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t pair = i / 2;
      const Halves x =
          row.differences[pair].twice_plus (upper.differences[pair] + lower.differences[pair]);
      const Halves y = lower.sums[pair] - upper.sums[pair];

      if (IS_WHOLE || (inner >> i & 1) != 0)
        count (x.number (i % 2), y.number (i % 2));
    }
  }

  /* Compares four pixels with those of the previous frame. @own: 0xff for each pixel to compare */
  __device__ __forceinline__ void
  compare (const StretchedQuad &quad, uint32_t luma, uint32_t before, uint32_t own)
  {
    /* A pixel is equal to itself. */
    const StretchedQuad other (launch.quads, luma ^ ((luma ^ before) & own));

#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      const float difference = quad.biased[i] - other.biased[i];

      ti_sum += difference;
      ti_squares = fmaf (difference, difference, ti_squares);
    }
  }

  /* Measures a row. @before: the same of the previous frame, if @compares; @own: 0xff for each own pixel;
   * @counts: whether to count the gradients of the row above. All lanes of the warp call it. */
  __device__ __forceinline__ void
  measure (uint32_t luma, uint32_t before, bool compares, uint32_t own, uint32_t inner, bool counts)
  {
    const StretchedQuad quad (launch.quads, luma);
    const SobelRow row = SobelRow::of (quad);

    if (compares)
      compare (quad, luma, before, own);
    if (counts && inner == 15)
      count_row<true> (above[0], above[1], row, inner);
    else if (counts && inner != 0)
      count_row<false> (above[0], above[1], row, inner);
    above[0] = above[1];
    above[1] = row;
  }

  /* All lanes of the warp call it. */
  __device__ __forceinline__ void
  add_tallies (BlockSums<uint32_t> &to) const
  {
    to.add_to_tally (HISTO_TALLY_GRADIENT_SUM, gradients);
    to.add_to_tally (HISTO_TALLY_GRADIENT_SQUARES, gradient_squares);
    to.add_to_tally (HISTO_TALLY_TI_SUM, (Sum) (long long) ti_sum);
    to.add_to_tally (HISTO_TALLY_TI_SQUARES, (Sum) ti_squares);
  }
};

/* ---- area -------------------------------------------------------------------------------------- */

/* The sums of a lane's columns in a band. */
struct QuadColumns
{
  uint32_t even, odd;           /* of pixels 0 and 2, of pixels 1 and 3: two 16-bit numbers each */

  __device__ __forceinline__
  QuadColumns () : even (0), odd (0)
  {
    static_assert (HISTO_MAPS_BAND_ROWS * 255 < 65536, "the sums fit in 16 bits");
  }

  __device__ __forceinline__ void
  add (uint32_t quad)
  {
    even += __byte_perm (quad, 0, 0x4240);
    odd += __byte_perm (quad, 0, 0x4341);
  }

  /* @to: the sum of pixel 0's column */
  __device__ __forceinline__ void
  add_to (Sum *to, uint32_t own) const
  {
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      if ((own >> i & 1) != 0)
        atomicAdd (to + i, (Sum) ((i % 2 == 0 ? even : odd) >> 16 * (i / 2) & 0xffff));
    }
  }
};

/* ---- Strips -------------------------------------------------------------------------------------- */

/* The lane's place in a strip. */
struct QuadLane
{
  const HistoMapsLaunch &launch;
  const HistoMapsRegion &region;
  const Columns columns;
  const int32_t x;              /* the column where the lane reads: beside the picture the nearest one */
  const uint32_t own;           /* 0xff for each own pixel */

  __device__ __forceinline__
  QuadLane (const RegionBlock &block, uint32_t strip)
  : launch (block.launch), region (block.region ()),
    columns (block.launch, block.region (), strip),
    x (min (max (columns.x, 0), (int32_t) block.launch.native[0].width - 4)),
    own (Quads::of_bits (columns.own))
  {
  }
};

/* `color`, `hdr` and `area`. @ARE_APART: see ChromaPlanes */
template <bool ARE_APART>
struct QuadColorStrip : QuadLane
{
  const uint32_t lane;
  const bool has_area;
  QuadColors colors;
  QuadColumns sums;

  __device__ __forceinline__
  QuadColorStrip (const RegionBlock &block, const QuadCounters &counters, uint32_t strip)
  : QuadLane (block, strip), lane (threadIdx.x % HISTO_WARP_SIZE),
    has_area (block.has (HISTO_MAPS_AREA)), colors (block.launch, counters), sums ()
  {
  }

  /* @luma_sums: of the two rows */
  __device__ __forceinline__ void
  add_area (const uint32_t luma[2], uint32_t *luma_sums)
  {
    sums.add (luma[0]);
    sums.add (luma[1]);
    add_sums_of_rows (__vsadu4 (luma[0] & own, 0) + (__vsadu4 (luma[1] & own, 0) << 16), lane,
        luma_sums);
  }

  /* Measures rows `begin` to end - 1, both even. @luma_sums: of these rows */
  __device__ __forceinline__ void
  measure (uint32_t begin, uint32_t end, uint32_t *luma_sums)
  {
    const QuadPlane luma (launch.native[0], x, region.y);
    const ChromaPlanes<ARE_APART> chroma_planes (&launch.native[1], x, region.y / 2);
    uint32_t next[2];
    Chroma next_chroma;

    const auto load = [&] (uint32_t n) {
      const int32_t at = luma.offset (n);

      next[0] = luma.load (at);
      next[1] = luma.load (at + (int32_t) launch.native[0].stride);
      next_chroma = chroma_planes.load (n / 2);
    };

    load (begin);
#pragma unroll 1
    for (uint32_t n = begin; n < end; n += 2) {
      const uint32_t rows[2] = { next[0], next[1] };
      const uint32_t chroma = chroma_planes.quad (next_chroma);

      if (n + 2 < end)
        load (n + 2);
      if (columns.own == 15)
        colors.template count_groups<true> (rows, chroma, columns.own);
      else if (columns.own != 0)
        colors.template count_groups<false> (rows, chroma, columns.own);
      if (has_area)
        add_area (rows, &luma_sums[n - begin]);
    }
  }

  __device__ __forceinline__ void
  finish (const RegionBlock &block) const
  {
    if (has_area)
      sums.add_to (block.tally_sums () + region.first_column + (columns.x - (int32_t) region.x),
          columns.own);
  }
};

/* `detail` */
struct QuadDetailStrip : QuadLane
{
  QuadDetail detail;

  __device__ __forceinline__
  QuadDetailStrip (const RegionBlock &block, const QuadCounters &counters, uint32_t strip)
  : QuadLane (block, strip), detail (block.launch, counters)
  {
  }

  /* Measures rows `begin` to end - 1. */
  __device__ __forceinline__ void
  measure (uint32_t begin, uint32_t end)
  {
    const QuadPlane luma (launch.native[0], x, region.y), picture (launch.copy[0], x, region.y);
    const bool compares = (launch.flags & HISTO_MAPS_PREVIOUS) != 0;
    /* Gradients need the rows around. */
    const uint32_t first = begin - min (begin, 1), last = min (end + 1, region.height);
    uint32_t next = 0, next_before = 0;

    const auto load = [&] (uint32_t n) {
      next = luma.load (luma.offset (n));
      if (compares && n >= begin && n < end)
        next_before = load_quad (launch.previous[0], picture.offset (n));
    };

    load (first);
#pragma unroll 1
    for (uint32_t n = first; n < last; n++) {
      const uint32_t row = next, before = next_before;

      if (n + 1 < last)
        load (n + 1);
      detail.measure (row, before, compares && n >= begin && n < end, own, columns.inner,
          n > begin && n > 1);
    }
  }
};
