/* The checks: gamut, flashes and HLG's light of each pixel, fields, and the gamut behind a filter. Each adds up tallies of
 * regions; only HLG's light is counted. They run before the strip, which gives the tallies to the host.
 *
 * A warp walks down a strip of 120 columns, through a band of rows, as in kernels/strip/strip.cuh.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip/colors.cuh"
#include "kernels/strip/columns.cuh"
#include "kernels/strip/pixels.cuh"
#include "kernels/strip/units.cuh"

/* ---- A strip in a band ------------------------------------------------------------------------ */

/* @KNOWN: HISTO_CHECKED_… */
template <typename Quad, uint32_t KNOWN>
struct CheckedStrip : RegularPixels<Quad, KNOWN>
{
  typedef RegularPixels<Quad, KNOWN> Pixels;
  using Pixels::is_half, Pixels::launch, Pixels::formulas, Pixels::loader;
  using Pixels::fetch, Pixels::fetch_previous, Pixels::pixels_of, Pixels::previous_pixels_of;
  typedef typename Pixels::Row Row;

  /* Rows that are fetched at a time: an even number. With more, registers are short. */
  static constexpr int32_t N_ROWS = 2;

  const RegionBlock &block;
  int32_t top, bottom;          /* rows of the picture: the region's first one, and the one after its last */
  int32_t first, last;          /* the same of the band */
  Columns columns;

  __device__ __forceinline__
  CheckedStrip (const RegionBlock &of, uint32_t strip, uint32_t begin, uint32_t end)
  : Pixels (of.launch, Columns (of.launch, of.region (), strip).x), block (of), top (of.region ().y),
    bottom (top + of.region ().height), first (max ((int32_t) begin, top)), last (min ((int32_t) end, bottom)),
    columns (of.launch, of.region (), strip)
  {
  }

  /* R, G, B and Y of four pixels in limited range, not clipped: of up to 12 bits the sums of histo_gamut_row () before
   * they are shifted, to which launch.gamut_first and gamut_range belong. @offset: what is added to these sums */
  __device__ __forceinline__ void
  gamut (const Quad c[3], int32_t values[4][4], uint32_t offset = 0) const
  {
    const auto &row = formulas.gamut.coefficients;
    const uint32_t *rests = launch.gamut_rests;
    uint32_t red = 0, green = 0, blue = 0;      /* what chroma adds */

#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t a = c[0].get (i), b = c[1].get (i), d = c[2].get (i);

      if constexpr (Quad::is_deep) {
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
          values[k][i] = histo_gamut_row (&formulas.gamut, k, a, b, d);
      } else if constexpr (KNOWN == HISTO_CHECKED_RGB) {
        values[0][i] = (int32_t) (row[0][0] * a + rests[0] + offset);
        values[1][i] = (int32_t) (row[1][1] * b + rests[1] + offset);
        values[2][i] = (int32_t) (row[2][2] * d + rests[2] + offset);
        values[3][i] = (int32_t) (row[3][0] * a + row[3][1] * b + row[3][2] * d + rests[3] + offset);
      } else {
        const uint32_t luma = row[3][0] * a + rests[3] + offset;

        /* Two pixels share chroma. */
        if (i % 2 == 0 || KNOWN > HISTO_CHECKED_HALF) {
          red = row[0][2] * d + rests[0];
          green = row[1][1] * b + row[1][2] * d + rests[1];
          blue = row[2][1] * b + rests[2];
        }
        values[0][i] = (int32_t) (luma + red);
        values[1][i] = (int32_t) (luma + green);
        values[2][i] = (int32_t) (luma + blue);
        values[3][i] = (int32_t) luma;
      }
    }
  }

  /* Calls measure (y, now, before) for the band's rows: with the lane's own pixels, and one of these instead of each
   * other one. Without a previous picture, or without WITH_PREVIOUS, that is this picture. */
  template <bool WITH_PREVIOUS, typename Measure>
  __device__ __forceinline__ void
  for_each_row (const Measure &measure) const
  {
    const bool has_previous = WITH_PREVIOUS && (launch.flags & HISTO_FLAG_PREVIOUS) != 0;
    const bool is_partial = __any_sync (HISTO_FULL_WARP, columns.are_partial ());

#pragma unroll 1
    for (int32_t begin = first; begin < last; begin += N_ROWS) {
      Row rows[N_ROWS], previous[N_ROWS];

#pragma unroll
      for (int32_t r = 0; r < N_ROWS; r++) {
        const int32_t y = min (begin + r, last - 1);

        fetch (y, true, rows[r]);
        if (has_previous)
          fetch_previous (y, true, previous[r]);
      }
#pragma unroll
      for (int32_t r = 0; r < N_ROWS; r++) {
        Quad now[4], before[4];

        if (begin + r >= last)
          break;
        pixels_of (rows[r], now);
        if (has_previous)
          previous_pixels_of (previous[r], before);
        for (uint32_t k = 0; k < 3 && !has_previous; k++)
          before[k] = now[k];
        if (is_partial) {
#pragma unroll
          for (uint32_t k = 0; k < 3; k++) {
            now[k] = own_pixels (now[k]);
            before[k] = own_pixels (before[k]);
          }
        }
        measure (begin + r, now, before);
      }
    }
  }

  /* The lane's own pixels, and one of these instead of each other one: that with which it shares chroma, if that is
   * own. */
  __device__ __forceinline__ Quad
  own_pixels (const Quad &quad) const
  {
    return Quad::of (quad.get (own_pixel (0)), quad.get (own_pixel (1)), quad.get (own_pixel (2)),
        quad.get (own_pixel (3)));
  }

  __device__ __forceinline__ uint32_t
  own_pixel (uint32_t i) const
  {
    const uint32_t own = columns.own ();

    return (own >> i & 1) != 0 ? i : (own >> (i ^ 1) & 1) != 0 ? i ^ 1 : own == 0 ? 0 : __ffs (own) - 1;
  }
};

/* ---- Numbers of the block ---------------------------------------------------------------------- */

/* What a block adds up in shared memory. */
struct CheckSums
{
  Sum tallies[HISTO_N_TALLIES];
  Sum cells[HISTO_N_CELLS_NUMBERS];
};

/* What a check needs that keeps nothing in shared memory. */
struct PlainCheck
{
  __device__ __forceinline__ static void
  begin (const HistoStripLaunch &)
  {
  }

  __device__ __forceinline__ static void
  publish (const RegionBlock &)
  {
  }
};

/* ---- Gamut ---------------------------------------------------------------------------------------- */

/* The pixels that are outside, R, G, B, Y and any of them, of a lane. */
struct Outside
{
  uint32_t n[5];

  __device__ __forceinline__
  Outside () : n ()
  {
  }

  /* @values: of four pixels. @first, @range: what is inside. @own: bits of the pixels that count */
  __device__ __forceinline__ void
  add (const int32_t values[4][4], int32_t first, uint32_t range, uint32_t own)
  {
    uint32_t any = 0;

#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t outside = 0;

#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        outside |= (uint32_t) ((uint32_t) values[k][i] - (uint32_t) first >= range) << i;
      n[k] += __popc (outside & own);
      any |= outside;
    }
    n[4] += __popc (any & own);
  }

  /* @tallies: five, in this order */
  __device__ __forceinline__ void
  finish (Sum *tallies) const
  {
    for (uint32_t k = 0; k < 5; k++)
      add_lanes_32 (tallies + k, n[k]);
  }
};

template <typename Quad, uint32_t KNOWN>
struct GamutCheck : PlainCheck
{
  typedef CheckedStrip<Quad, KNOWN> Strip;
  static constexpr uint32_t FLAGS = HISTO_FLAG_GAMUT;

  __device__ __forceinline__ static void
  measure (const Strip &strip, CheckSums &sums)
  {
    const HistoStripLaunch &launch = strip.launch;
    const uint32_t own = strip.columns.own ();
    Outside outside;
    int32_t least[4], greatest[4];

#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      least[k] = INT32_MAX;
      greatest[k] = INT32_MIN;
    }
    strip.template for_each_row<false> ([&] (int32_t, const Quad c[3], const Quad *) {
      int32_t values[4][4];
      bool any = false;

      if (own == 0)
        return;
      strip.gamut (c, values);
#pragma unroll
      for (uint32_t k = 0; k < 4; k++) {
        const int32_t low = min (min (values[k][0], values[k][1]), min (values[k][2], values[k][3]));
        const int32_t high = max (max (values[k][0], values[k][1]), max (values[k][2], values[k][3]));

        any |= low < launch.gamut_first || high > launch.gamut_last;
        least[k] = min (least[k], low);
        greatest[k] = max (greatest[k], high);
      }
      /* Few pixels are outside. */
      if (any)
        outside.add (values, launch.gamut_first, launch.gamut_range, own);
    });
    outside.finish (sums.tallies + HISTO_TALLY_GAMUT_R);
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      raise_lanes (sums.tallies + HISTO_TALLY_GREATEST_R + 2 * k,
          greatest[k] == INT32_MIN ? 0 : HISTO_GAMUT_BIAS + code_value (strip, greatest[k]));
      raise_lanes (sums.tallies + HISTO_TALLY_GREATEST_R + 2 * k + 1,
          least[k] == INT32_MAX ? 0 : HISTO_GAMUT_BIAS - code_value (strip, least[k]));
    }
  }

  __device__ __forceinline__ static int32_t
  code_value (const Strip &strip, int32_t sum)
  {
    return Quad::is_deep ? sum : (sum >> HISTO_GAMUT_SHIFT) + strip.formulas.gamut.black;
  }
};

static_assert (HISTO_TALLY_GAMUT_ANY == HISTO_TALLY_GAMUT_R + 4 && HISTO_TALLY_FILTERED_ANY == HISTO_TALLY_FILTERED_R + 4
    && HISTO_TALLY_LEAST_Y == HISTO_TALLY_GREATEST_R + 7, "the tallies of gamut are side by side");

/* ---- Flashes ---------------------------------------------------------------------------------------- */

/* The light of HLG depends on all of R, G and B; other light is a number of the table. */
template <typename Quad, uint32_t KNOWN, bool IS_HLG>
struct FlashCheckOf : PlainCheck
{
  typedef CheckedStrip<Quad, KNOWN> Strip;
  static constexpr uint32_t FLAGS = IS_HLG ? HISTO_FLAG_FLASH_OF_HLG : HISTO_FLAG_FLASH;

  /* Copies the table of linear light to shared memory, unless it is too large. */
  __device__ __forceinline__ static void
  begin (const HistoStripLaunch &launch)
  {
    if constexpr (!Quad::is_deep) {
      HISTO_DYNAMIC_SHARED (uint32_t, shared);
      /* Colors of bytes may be 256. */
      const uint32_t n = (1u << launch.formulas.depth) + 1, copies = 1u << copies_log2 (launch);

      for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        const uint32_t value = __ldg ((const uint16_t *) launch.linear + min (i, n - 2));

        /* Lanes begin with different copies, which lie in different banks. */
        for (uint32_t k = 0; k < copies; k++)
          shared[(i << copies_log2 (launch)) + ((i + k) & (copies - 1))] = value;
      }
    }
  }

  __device__ __forceinline__ static void
  measure (const Strip &strip, CheckSums &sums)
  {
    FlashCheckOf check (strip);

    check.measure_rows (sums);
  }

private:
  const Strip &strip;
  uint32_t up, down, red_up, red_down;
  /* Sums of each of the four pixels since the cell began. The changed ones of two pixels are in one word. */
  uint32_t luminance[4], red[4], changed[2], red_changed[2];
  uint32_t n_rows;

  __device__ __forceinline__ explicit
  FlashCheckOf (const Strip &of)
  : strip (of), up (0), down (0), red_up (0), red_down (0), luminance (), red (), changed (), red_changed (), n_rows (0)
  {
  }

  __device__ __forceinline__ static uint32_t
  copies_log2 (const HistoStripLaunch &launch)
  {
    return Quad::BYTES == 1 ? HISTO_LINEAR_BYTE_COPIES_LOG2 : launch.linear_copies_log2;
  }

  __device__ __forceinline__ uint32_t
  linear_of (uint32_t code) const
  {
    if constexpr (Quad::is_deep) {
      return __ldg ((const uint16_t *) strip.launch.linear + code);
    } else {
      HISTO_DYNAMIC_SHARED (uint32_t, shared);
      const uint32_t copies = copies_log2 (strip.launch);

      return shared[code << copies | (threadIdx.x & ((1u << copies) - 1))];
    }
  }

  /* @fraction: of 256 codes, 0 to 1 */
  __device__ __forceinline__ uint32_t
  linear_of (float fraction) const
  {
    HISTO_DYNAMIC_SHARED (uint32_t, shared);
    /* The code's place in the table, in bytes, is in the number's lower bits, below which there is a rest. */
    constexpr uint32_t log2 = HISTO_LINEAR_BYTE_COPIES_LOG2 + 2;
    const uint32_t sum = __float_as_uint (__fadd_rd (fraction, (float) (1u << (23 - 8 - log2))));
    const uint32_t at = (sum & (0x1ffu << log2)) | (4 * threadIdx.x & ((1u << log2) - 1));

    return *(const uint32_t *) ((const uint8_t *) shared + at);
  }

  template <typename Code>
  __device__ __forceinline__ void
  find_light (const Code codes[3], uint32_t rgb[3]) const
  {
#pragma unroll
    for (uint32_t k = 0; k < 3; k++)
      rgb[k] = linear_of (codes[k]);
    if constexpr (IS_HLG) {
      const uint16_t *powers = (const uint16_t *) strip.launch.hlg + (1u << strip.formulas.depth);
      uint32_t lights[3];

      histo_hlg_light (rgb[0], rgb[1], rgb[2], powers, lights);
#pragma unroll
      for (uint32_t k = 0; k < 3; k++)
        rgb[k] = histo_flash_of_hlg (lights[k]);
    }
  }

  /* Pixels that are not own have no step. */
  __device__ __forceinline__ static void
  take_own (const uint32_t now[4], uint32_t before[4], uint32_t own)
  {
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      before[i] = (own >> i & 1) != 0 ? before[i] : now[i];
  }

  __device__ __forceinline__ void
  check_row (const Quad now[3], const Quad before[3])
  {
    const Codes<Quad, KNOWN> codes = { strip.launch, now }, codes_before = { strip.launch, before };
    const uint32_t own = strip.columns.own ();
    uint32_t light[4], first[4];
    int32_t green = -1;         /* negative unless a pixel may be saturated red */
    bool has_step = false;

    codes.for_each ([&] (uint32_t i, const auto code[3]) {
      uint32_t rgb[3];

      find_light (code, rgb);
      light[i] = histo_flash_luminance (rgb[0], rgb[1], rgb[2]);
      green &= (int32_t) (rgb[0] - 4 * (rgb[1] + rgb[2]));
      luminance[i] += light[i];
    });
    codes_before.for_each ([&] (uint32_t i, const auto code[3]) {
      uint32_t rgb[3];

      find_light (code, rgb);
      first[i] = histo_flash_luminance (rgb[0], rgb[1], rgb[2]);
      green &= (int32_t) (rgb[0] - 4 * (rgb[1] + rgb[2]));
      changed[i / 2] += (uint32_t) (light[i] != first[i]) << (i % 2 * 16);
      /* Whether they differ by HISTO_FLASH_STEP or more. */
      has_step |= light[i] - first[i] + (HISTO_FLASH_STEP - 1) > 2 * (HISTO_FLASH_STEP - 1);
    });
    if (own != 15)
      take_own (light, first, own);
    if (has_step) {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        up += histo_flash_rises (first[i], light[i]);
        down += histo_flash_rises (light[i], first[i]);
      }
    }
    /* Few pixels are. */
    if (green >= 0) {
      codes.for_each ([&] (uint32_t i, const auto code[3]) {
        uint32_t rgb[3];

        find_light (code, rgb);
        light[i] = histo_flash_red (rgb[0], rgb[1], rgb[2]);
        red[i] += light[i];
      });
      codes_before.for_each ([&] (uint32_t i, const auto code[3]) {
        uint32_t rgb[3];

        find_light (code, rgb);
        first[i] = histo_flash_red (rgb[0], rgb[1], rgb[2]);
        red_changed[i / 2] += (uint32_t) (light[i] != first[i]) << (i % 2 * 16);
      });
      if (own != 15)
        take_own (light, first, own);
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        red_up += histo_flash_reddens (first[i], light[i]);
        red_down += histo_flash_reddens (light[i], first[i]);
      }
    }
  }

  /* The first column, or row, behind a cell. */
  __device__ __forceinline__ static uint32_t
  cell_end (uint32_t cell, uint32_t length)
  {
    return (uint32_t) ((uint64_t) (cell + 1) * length / HISTO_CELLS_ACROSS);
  }

  __device__ __forceinline__ static uint32_t
  cell_of (uint32_t at, uint32_t length)
  {
    uint32_t cell = 0;

    while (cell + 1 < HISTO_CELLS_ACROSS && at >= cell_end (cell, length))
      cell++;
    return cell;
  }

  /* Adds the sums of the pixels of @mask to a cell, and to the tallies. */
  __device__ __forceinline__ void
  add_sums (uint32_t mask, Sum *cell, CheckSums &sums) const
  {
    Sum n[HISTO_N_CELL_TALLIES] = { };

#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      if ((mask >> i & 1) == 0)
        continue;
      n[HISTO_CELL_PIXELS] += n_rows;
      n[HISTO_CELL_LUMINANCE] += luminance[i];
      n[HISTO_CELL_RED] += red[i];
      n[HISTO_CELL_LUMINANCE_AREA] += changed[i / 2] >> (i % 2 * 16) & 0xffff;
      n[HISTO_CELL_RED_AREA] += red_changed[i / 2] >> (i % 2 * 16) & 0xffff;
    }
#pragma unroll
    for (uint32_t k = 0; k < HISTO_N_CELL_TALLIES; k++) {
      const Sum sum = sum_of_warp (n[k]);

      if (!is_first_lane () || sum == 0)
        continue;
      if (cell != NULL)
        atomicAdd (cell + k, sum);
      if (k != HISTO_CELL_PIXELS)
        atomicAdd (sums.tallies + (k == HISTO_CELL_LUMINANCE ? HISTO_TALLY_LUMINANCE_SUM : k == HISTO_CELL_RED ?
                HISTO_TALLY_RED_SUM : k == HISTO_CELL_LUMINANCE_AREA ? HISTO_TALLY_LUMINANCE_AREA :
                HISTO_TALLY_RED_AREA), sum);
    }
  }

  /* Adds what has been summed since the last call; @row: of cells. */
  __device__ __forceinline__ void
  flush (uint32_t row, CheckSums &sums)
  {
    const HistoStripRegion &region = strip.block.region ();

    if (region.number != 0) {
      add_sums (strip.columns.own (), NULL, sums);
    } else {
      /* The columns of the whole warp. */
      const int32_t begin = strip.columns.first - 4 * (int32_t) (threadIdx.x % HISTO_WARP_SIZE);
      const uint32_t length = region.width, left = cell_of ((uint32_t) max (begin, 0), length);
      const uint32_t right = cell_of (min ((uint32_t) (begin + 4 * HISTO_WARP_SIZE), length) - 1, length);

      for (uint32_t cell = left; cell <= right; cell++) {
        uint32_t mask = 0;

#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
          const uint32_t x = (uint32_t) (strip.columns.first + (int32_t) i);

          mask |= (uint32_t) (x < cell_end (cell, length) && (cell == 0 || x >= cell_end (cell - 1, length))) << i;
        }
        add_sums (mask & strip.columns.own (), sums.cells + (row * HISTO_CELLS_ACROSS + cell) * HISTO_N_CELL_TALLIES,
            sums);
      }
    }
    n_rows = 0;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      luminance[i] = red[i] = 0;
      changed[i / 2] = red_changed[i / 2] = 0;
    }
  }

  __device__ __forceinline__ void
  measure_rows (CheckSums &sums)
  {
    const uint32_t own = strip.columns.own (), height = strip.block.region ().height;
    uint32_t row = cell_of ((uint32_t) (strip.first - strip.top), height), end = strip.top + cell_end (row, height);

    strip.template for_each_row<true> ([&] (int32_t y, const Quad now[3], const Quad before[3]) {
      /* Cells of few rows may be empty. */
      while ((uint32_t) y >= end) {
        flush (row++, sums);
        end = strip.top + cell_end (row, height);
      }
      n_rows++;
      if (own != 0)
        check_row (now, before);
    });
    flush (row, sums);
    add_lanes_32 (sums.tallies + HISTO_TALLY_LUMINANCE_UP, up);
    add_lanes_32 (sums.tallies + HISTO_TALLY_LUMINANCE_DOWN, down);
    add_lanes_32 (sums.tallies + HISTO_TALLY_RED_UP, red_up);
    add_lanes_32 (sums.tallies + HISTO_TALLY_RED_DOWN, red_down);
  }
};

template <typename Quad, uint32_t KNOWN>
using FlashCheck = FlashCheckOf<Quad, KNOWN, false>;

template <typename Quad, uint32_t KNOWN>
using FlashOfHlgCheck = FlashCheckOf<Quad, KNOWN, true>;

/* ---- Light of HLG --------------------------------------------------------------------------------------- */

template <typename Quad, uint32_t KNOWN>
struct LightCheck : PlainCheck
{
  typedef CheckedStrip<Quad, KNOWN> Strip;
  static constexpr uint32_t FLAGS = HISTO_FLAG_LIGHT;

  __device__ __forceinline__ static void
  begin (const HistoStripLaunch &launch)
  {
    for (uint32_t i = threadIdx.x; i < HISTO_HLG_BINS; i += blockDim.x)
      counters (launch)[i] = 0;
  }

  __device__ __forceinline__ static void
  publish (const RegionBlock &block)
  {
    const HistoStripLaunch &launch = block.launch;
    Sum *to = (Sum *) launch.scratch + block.region ().number * launch.n_region_bins + launch.first_light_bin;

    for (uint32_t i = threadIdx.x; i < HISTO_HLG_BINS; i += blockDim.x) {
      if (counters (launch)[i] != 0)
        atomicAdd ((uint32_t *) (to + i), counters (launch)[i]);
    }
  }

private:
  /* In shared memory, behind the table of FlashOfHlgCheck. */
  __device__ __forceinline__ static uint32_t *
  counters (const HistoStripLaunch &launch)
  {
    HISTO_DYNAMIC_SHARED (uint32_t, shared);
    const bool has_table = !Quad::is_deep && (launch.flags & HISTO_FLAG_FLASH_OF_HLG) != 0;

    return shared + (has_table ? ((1u << launch.formulas.depth) + 1) << launch.linear_copies_log2 : 0);
  }

  __device__ __forceinline__ static uint32_t
  code_of (uint32_t code)
  {
    return code;
  }

  __device__ __forceinline__ static uint32_t
  code_of (float fraction)
  {
    return min ((uint32_t) (256 * fraction), 255u);
  }

public:
  __device__ __forceinline__ static void
  measure (const Strip &strip, CheckSums &sums)
  {
    const uint16_t *scene = (const uint16_t *) strip.launch.hlg, *powers = scene + (1u << strip.formulas.depth);
    const uint16_t *bins = powers + HISTO_HLG_NUMBERS;
    uint32_t *to = counters (strip.launch);
    const uint32_t own = strip.columns.own ();
    uint32_t brightest[3] = { };        /* R, G and B, plus 1 */

    strip.template for_each_row<false> ([&] (int32_t, const Quad c[3], const Quad *) {
      const Codes<Quad, KNOWN> codes = { strip.launch, c };

      codes.for_each ([&] (uint32_t i, const auto code[3]) {
        uint32_t rgb[3], lights[3];

        if ((own >> i & 1) == 0)
          return;
#pragma unroll
        for (uint32_t k = 0; k < 3; k++)
          rgb[k] = __ldg (scene + code_of (code[k]));
        atomicAdd (to + __ldg (bins + histo_hlg_light (rgb[0], rgb[1], rgb[2], powers, lights)), 1u);
#pragma unroll
        for (uint32_t k = 0; k < 3; k++)
          brightest[k] = max (brightest[k], lights[k] + 1);
      });
    });
    for (uint32_t k = 0; k < 3; k++)
      raise_lanes (sums.tallies + HISTO_TALLY_GREATEST_RED + k, brightest[k]);
  }
};

/* ---- Fields ------------------------------------------------------------------------------------------- */

/* FFmpeg's idet. What follows from rows n - 1, n and n + 1 of this and of the previous picture. */
template <typename Quad, uint32_t KNOWN>
struct FieldCheck : PlainCheck
{
  typedef CheckedStrip<Quad, KNOWN> Strip;
  static constexpr uint32_t FLAGS = HISTO_FLAG_FIELD;

  __device__ __forceinline__ static void
  measure (const Strip &strip, CheckSums &sums)
  {
    FieldCheck check (strip);

    check.measure_planes ();
    check.finish (sums);
  }

private:
  typedef typename Strip::Row Row;
  static constexpr int32_t ROWS = Strip::N_ROWS;

  /* Sums of even or of odd rows. */
  struct Sums
  {
    uint32_t previous, next, current, change;
  };

  /* Three rows of a component: above, the row, below. */
  struct Rows
  {
    Quad r[3];

    __device__ __forceinline__ void
    push (const Quad &next)
    {
      r[0] = r[1];
      r[1] = r[2];
      r[2] = next;
    }
  };

  const Strip &strip;
  const HistoStripLaunch &launch;
  const HistoFormulas &formulas;
  uint32_t comb;
  Sums even, odd;               /* of a band */

  __device__ __forceinline__ explicit
  FieldCheck (const Strip &of)
  : strip (of), launch (of.launch), formulas (of.formulas), comb (0), even (), odd ()
  {
  }

  __device__ __forceinline__ bool
  has_previous () const
  {
    return (launch.flags & HISTO_FLAG_PREVIOUS) != 0;
  }

  /* Adds |a + b - 2 c|. */
  __device__ __forceinline__ static uint32_t
  add_bends (const Quad &a, const Quad &b, const Quad &c, uint32_t sum)
  {
    if constexpr (Quad::is_deep) {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        sum += (uint32_t) abs ((int32_t) (a.get (i) + b.get (i)) - 2 * (int32_t) c.get (i));
    } else {
#pragma unroll
      for (uint32_t i = 0; i < 2; i++) {
        const uint32_t both = a.half (i) + b.half (i), twice = 2 * c.half (i);

        sum = __dp2a_lo (__vmaxu2 (both, twice) - __vminu2 (both, twice), 0x0101u, sum);
      }
    }
    return sum;
  }

  __device__ __forceinline__ void
  add_rows (const Rows &now, const Rows &before, Sums &sums) const
  {
    sums.current = add_bends (now.r[0], now.r[2], now.r[1], sums.current);
    if (!has_previous ())
      return;
    sums.previous = add_bends (now.r[0], now.r[2], before.r[1], sums.previous);
    sums.next = add_bends (before.r[0], before.r[2], now.r[1], sums.next);
    sums.change += now.r[1].diff (before.r[1]).sum ();
  }

  /* Luma, full pixels and alpha, with N components. */
  template <uint32_t N>
  struct Pixels
  {
    Rows now[N], before[N];
    Quad five[5];               /* rows of what is looked at for combing */
  };

  /* Row y is the newest one. The rows around y - 1 are added to @sums. Pixels that are not own are black. */
  template <uint32_t N>
  __device__ __forceinline__ void
  step (const Row &row, const Row &row_before, int32_t y, int32_t first, int32_t last,
      const Quad &mask, Pixels<N> &rows, Sums &sums)
  {
    const bool is_own = y - 1 >= first && y - 1 < last;
    Quad c[4] = { }, previous[4] = { };

    if (y < first - 2 || y >= last + 2)
      return;
    strip.samples_of (row, c);
    if (has_previous ())
      strip.previous_samples_of (row_before, previous);
#pragma unroll
    for (uint32_t i = 0; i < N; i++) {
      /* The second one of two is alpha. */
      const uint32_t from = N == 2 && i == 1 ? 3 : i;

      rows.now[i].push (c[from].masked (mask));
      rows.before[i].push (previous[from].masked (mask));
      if (is_own)
        add_rows (rows.now[i], rows.before[i], sums);
    }
    if (formulas.is_rgb)
      strip.loader.scale (c, c);
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      rows.five[i] = rows.five[i + 1];
    rows.five[4] = (formulas.is_rgb ? c[1] : c[0]).masked (mask);
    if (y - 2 >= first)
      find_combs (rows.five);
  }

  template <uint32_t N>
  __device__ __forceinline__ void
  measure_pixels ()
  {
    const int32_t first = max (strip.first, strip.top + 2), last = min (strip.last, strip.bottom - 2);
    const Quad mask = Quad::mask (strip.columns.own ());
    Pixels<N> rows = { };

    if (first >= last)
      return;
    /* With row y of an even number the odd row above it is complete. */
#pragma unroll 1
    for (int32_t y = (first - 2) & ~1; y < last + 2; y += ROWS) {
      Row now[ROWS], before[ROWS];

#pragma unroll
      for (int32_t r = 0; r < ROWS; r++) {
        const int32_t at = min (max (y + r, first - 2), last + 1);

        strip.fetch (at, false, now[r]);
        if (has_previous ())
          strip.fetch_previous (at, false, before[r]);
      }
#pragma unroll
      for (int32_t r = 0; r < ROWS; r++)
        step<N> (now[r], before[r], y + r, first, last, mask, rows, r % 2 == 0 ? odd : even);
    }
  }

  /* Whether a pixel of the row in the middle differs so much from those above and below that it may be combed. */
  __device__ __forceinline__ bool
  has_spikes (const Quad rows[5]) const
  {
    const uint32_t most = 9u << (formulas.depth - 8);

    if constexpr (Quad::is_deep) {
      return true;
    } else {
      uint32_t spikes = 0;

#pragma unroll
      for (uint32_t i = 0; i < 2; i++) {
        const uint32_t a = rows[1].half (i), b = rows[2].half (i), c = rows[3].half (i);

        spikes |= __vminu2 (__vmaxu2 (a, b) - __vminu2 (a, b), __vmaxu2 (b, c) - __vminu2 (b, c))
            + (0x7fff - most) * 0x10001;
      }
      return (spikes & 0x80008000) != 0;
    }
  }

  __device__ __forceinline__ void
  find_combs (const Quad rows[5])
  {
    if (!has_spikes (rows))
      return;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      comb += histo_is_combed (rows[0].get (i), rows[1].get (i), rows[2].get (i), rows[3].get (i), rows[4].get (i),
          formulas.depth);
  }

  /* Chroma that has fewer samples in a row than luma: U and V in turn. */
  __device__ __forceinline__ void
  measure_chroma ()
  {
    const uint32_t h_sub = formulas.h_sub, both = (1u << h_sub) - 1;
    const int32_t top = strip.top >> h_sub, bottom = ((strip.bottom - 1) >> h_sub) + 1;
    /* A row of chroma belongs to the band that has its first row of pixels in the region. */
    const int32_t begin = strip.first == strip.top ? top : (int32_t) ((strip.first + both) >> h_sub);
    const int32_t first = max (begin, top + 2), last = min (((strip.last - 1) >> h_sub) + 1, bottom - 2);
    const uint32_t u = strip.columns.own_chroma (), v = strip.columns.own_v ();
    const Quad mask = Quad::mask ((u & 1) | (v & 1) << 1 | (u & 2) << 1 | (v & 2) << 2);
    Rows now = { }, before = { };

    if (first >= last)
      return;
#pragma unroll 1
    for (int32_t begin = first - 1; begin < last + 1; begin += ROWS) {
      Row rows[ROWS];
      Quad previous[ROWS] = { };

#pragma unroll
      for (int32_t r = 0; r < ROWS; r++) {
        const int32_t y = min (begin + r, last);

        strip.fetch_chroma (y, rows[r]);
        if (has_previous ())
          previous[r] = strip.loader.load_plane (launch.previous, 1, y);
      }
#pragma unroll
      for (int32_t r = 0; r < ROWS; r++) {
        const int32_t y = begin + r;

        if (y > last)
          break;
        now.push (strip.chroma_of (rows[r]).masked (mask));
        before.push (previous[r].masked (mask));
        if (y - 1 < first)
          continue;
        if (((y - 1) & 1) != 0)
          add_rows (now, before, odd);
        else
          add_rows (now, before, even);
      }
    }
  }

  /* Adds the sums of a kind of all lanes to the tallies of even and of odd rows. */
  __device__ __forceinline__ static void
  add_sums (uint32_t of_even, uint32_t of_odd, Sum *tallies)
  {
    add_lanes (tallies, of_even);
    add_lanes (tallies + 1, of_odd);
  }

  __device__ __forceinline__ void
  measure_planes ()
  {
    if (!Strip::is_half) {
      if (launch.n_components > 3)
        measure_pixels<4> ();
      else
        measure_pixels<3> ();
    } else if (launch.n_components > 3) {
      measure_pixels<2> ();
    } else {
      measure_pixels<1> ();
    }
    if (Strip::is_half && strip.has_chroma ())
      measure_chroma ();
  }

  __device__ __forceinline__ void
  finish (CheckSums &to) const
  {
    add_sums (even.previous, odd.previous, to.tallies + HISTO_TALLY_PREVIOUS_EVEN);
    add_sums (even.next, odd.next, to.tallies + HISTO_TALLY_NEXT_EVEN);
    add_sums (even.current, odd.current, to.tallies + HISTO_TALLY_CURRENT_EVEN);
    add_sums (even.change, odd.change, to.tallies + HISTO_TALLY_CHANGE_EVEN);
    add_lanes_32 (to.tallies + HISTO_TALLY_COMB, comb);
  }
};

/* ---- Gamut behind the filter ------------------------------------------------------------------------- */

/* Four numbers of a lane, side by side in a row, on their way through the filter, whose weights are all positive. What the
 * lanes beside it have takes part; all lanes call these. A class of them has:
 *
 * BIAS                       what is added to each code value
 * of (values)                four code values
 * get (i)                    number i, as it is behind the filter
 * plus_twice (a, b, c)       a + 2 b + c
 * smooth ()                  each number twice, plus those to its left and right
 * smooth_wide ()             the same with those two to the left and right: after smooth () the weights are 1 2 3 4 3 2 1
 * is_outside (rows, first, last)
 *                            whether some number of the four rows is not in first .. last
 */

/* Of bytes: 16 bits each. 64 times a code value fits (HISTO_BYTES_GAMUT_BIAS). */
struct FilteredBytes
{
  static constexpr int32_t BIAS = HISTO_BYTES_GAMUT_BIAS;
  uint32_t w[2];

  /* @sums: each is a code value times 2^HISTO_GAMUT_SHIFT, plus a rest below that */
  __device__ __forceinline__ static FilteredBytes
  of (const int32_t sums[4])
  {
    constexpr uint32_t shift = HISTO_GAMUT_SHIFT - 16, mask = (0xffffu >> shift) * 0x10001u;
    FilteredBytes all;

#pragma unroll
    for (uint32_t i = 0; i < 2; i++)
      all.w[i] = __byte_perm ((uint32_t) sums[2 * i], (uint32_t) sums[2 * i + 1], 0x7632) >> shift & mask;
    return all;
  }

  __device__ __forceinline__ int32_t
  get (uint32_t i) const
  {
    return (int32_t) (w[i / 2] >> (i % 2 * 16) & 0xffff);
  }

  __device__ __forceinline__ static FilteredBytes
  plus_twice (const FilteredBytes &a, const FilteredBytes &b, const FilteredBytes &c)
  {
    return { { a.w[0] + 2 * b.w[0] + c.w[0], a.w[1] + 2 * b.w[1] + c.w[1] } };
  }

  __device__ __forceinline__ FilteredBytes
  smooth () const
  {
    const uint32_t left = __shfl_up_sync (HISTO_FULL_WARP, w[1], 1), right = __shfl_down_sync (HISTO_FULL_WARP, w[0], 1);
    const uint32_t middle = __byte_perm (w[0], w[1], 0x5432);

    return { { __byte_perm (left, w[0], 0x5432) + 2 * w[0] + middle,
      middle + 2 * w[1] + __byte_perm (w[1], right, 0x5432) } };
  }

  __device__ __forceinline__ FilteredBytes
  smooth_wide () const
  {
    const uint32_t left = __shfl_up_sync (HISTO_FULL_WARP, w[1], 1), right = __shfl_down_sync (HISTO_FULL_WARP, w[0], 1);

    return { { left + 2 * w[0] + w[1], w[0] + 2 * w[1] + right } };
  }

  __device__ __forceinline__ static bool
  is_outside (const FilteredBytes rows[4], int32_t first, int32_t last)
  {
    const uint32_t firsts = (uint32_t) first * 0x10001u, lasts = (uint32_t) last * 0x10001u;
    uint32_t low = firsts, high = lasts;

#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      low = __vminu2 (low, __vminu2 (rows[k].w[0], rows[k].w[1]));
      high = __vmaxu2 (high, __vmaxu2 (rows[k].w[0], rows[k].w[1]));
    }
    return low != firsts || high != lasts;
  }
};

/* Of more bits. */
struct FilteredWords
{
  static constexpr int32_t BIAS = 0;
  int32_t v[4];

  __device__ __forceinline__ static FilteredWords
  of (const int32_t values[4])
  {
    return { { values[0], values[1], values[2], values[3] } };
  }

  __device__ __forceinline__ int32_t
  get (uint32_t i) const
  {
    return v[i];
  }

  __device__ __forceinline__ static FilteredWords
  plus_twice (const FilteredWords &a, const FilteredWords &b, const FilteredWords &c)
  {
    FilteredWords sum;

#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      sum.v[i] = a.v[i] + 2 * b.v[i] + c.v[i];
    return sum;
  }

  __device__ __forceinline__ FilteredWords
  smooth () const
  {
    const int32_t left = __shfl_up_sync (HISTO_FULL_WARP, v[3], 1), right = __shfl_down_sync (HISTO_FULL_WARP, v[0], 1);

    return plus_twice ({ { left, v[0], v[1], v[2] } }, *this, { { v[1], v[2], v[3], right } });
  }

  __device__ __forceinline__ FilteredWords
  smooth_wide () const
  {
    int32_t left[2], right[2];

#pragma unroll
    for (uint32_t i = 0; i < 2; i++) {
      left[i] = __shfl_up_sync (HISTO_FULL_WARP, v[2 + i], 1);
      right[i] = __shfl_down_sync (HISTO_FULL_WARP, v[i], 1);
    }
    return plus_twice ({ { left[0], left[1], v[0], v[1] } }, *this, { { v[2], v[3], right[0], right[1] } });
  }

  __device__ __forceinline__ static bool
  is_outside (const FilteredWords rows[4], int32_t first, int32_t last)
  {
    int32_t low = first, high = last;

#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        low = min (low, rows[k].v[i]);
        high = max (high, rows[k].v[i]);
      }
    }
    return low != first || high != last;
  }
};

template <typename Quad, uint32_t KNOWN>
struct FilterCheck : PlainCheck
{
  typedef CheckedStrip<Quad, KNOWN> Strip;
  static constexpr uint32_t FLAGS = HISTO_FLAG_FILTER;

private:
  typedef std::conditional_t<Quad::BYTES == 1, FilteredBytes, FilteredWords> Four;

  /* Pixels to the left and right of the region are what the region's first and last ones are. All lanes call it. */
  __device__ __forceinline__ static void
  repeat_edges (const Strip &strip, int32_t v[4])
  {
    const int32_t width = (int32_t) strip.block.region ().width, x = strip.columns.first;

    /* The pixel at the edge is in this lane, or the lane beside it has its copies. */
#pragma unroll
    for (int32_t i = 2; i >= 0; i--)
      v[i] = x + i < 0 ? v[i + 1] : v[i];
#pragma unroll
    for (int32_t i = 1; i < 4; i++)
      v[i] = x + i >= width ? v[i - 1] : v[i];

    const int32_t right = __shfl_down_sync (HISTO_FULL_WARP, v[0], 1);
    const int32_t left = __shfl_up_sync (HISTO_FULL_WARP, v[3], 1);

#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      v[i] = x + 3 < 0 ? right : x >= width ? left : v[i];
  }

  /* R, G, B and Y of a row. All lanes call it if HAS_EDGES. */
  template <bool HAS_EDGES>
  __device__ __forceinline__ static void
  values_of (const Strip &strip, const typename Strip::Row &row, Four out[4])
  {
    int32_t values[4][4];
    Quad c[4] = { };

    strip.pixels_of (row, c);
    strip.gamut (c, values, Quad::is_deep ? 0 : (uint32_t) (strip.formulas.gamut.black + Four::BIAS) << HISTO_GAMUT_SHIFT);
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      if (HAS_EDGES)
        repeat_edges (strip, values[k]);
#pragma unroll
      for (uint32_t i = 0; i < 4 && !Quad::is_deep && Quad::BYTES != 1; i++)
        values[k][i] >>= HISTO_GAMUT_SHIFT;
      out[k] = Four::of (values[k]);
    }
  }

  /* Whether R, G, B or Y of a lane's pixels is outside. */
  __device__ __forceinline__ static bool
  is_outside (const Strip &strip, const typename Strip::Row &row)
  {
    int32_t values[4][4], low = INT32_MAX, high = INT32_MIN;
    Quad c[4] = { };

    strip.pixels_of (row, c);
    strip.gamut (c, values);
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        low = min (low, values[k][i]);
        high = max (high, values[k][i]);
      }
    }
    return low < strip.launch.gamut_first || high > strip.launch.gamut_last;
  }

  /* Rows of R, G and B that are filtered together, or not at all; and that are fetched at a time before that. Most have no
   * pixels outside, and those of full range have none at all. YUV has them in most pictures: there this look costs more
   * than it saves. */
  static constexpr bool LOOKS = KNOWN == HISTO_CHECKED_RGB;
  static constexpr int32_t MOST_ROWS = 30, AT_ONCE = Quad::BYTES == 1 ? 4 : 1;

  /* Whether some pixels of the warp are outside in n rows from `first` on, or in those above and below. All lanes call
   * it. Rows that are far from each other come first: where many are outside, this ends soon. */
  __device__ __forceinline__ static bool
  has_outside (const Strip &strip, int32_t first, int32_t step, int32_t n)
  {
    const int32_t distance = (n + 2 + AT_ONCE - 1) / AT_ONCE;

#pragma unroll 1
    for (int32_t begin = -1; begin < distance - 1; begin++) {
      typename Strip::Row rows[AT_ONCE];
      bool found = false;

#pragma unroll
      for (int32_t r = 0; r < AT_ONCE; r++)
        strip.fetch (inside (strip, first + min (begin + r * distance, n) * step, step), true, rows[r]);
#pragma unroll
      for (int32_t r = 0; r < AT_ONCE; r++)
        found |= is_outside (strip, rows[r]);
      if (__any_sync (HISTO_FULL_WARP, found))
        return true;
    }
    return false;
  }

  /* A row of the region instead of one above or below it: the nearest one of the same field. */
  __device__ __forceinline__ static int32_t
  inside (const Strip &strip, int32_t y, int32_t step)
  {
    return y < strip.top ? y + step : y >= strip.bottom ? y - step : y;
  }

  /* Rows of a field, one after the other: from `begin` to the last one above `end`. All lanes call it. */
  template <bool HAS_EDGES>
  __device__ __forceinline__ static void
  filter_rows (const Strip &strip, int32_t begin, int32_t end, int32_t step, Outside &outside)
  {
    const uint32_t own = strip.columns.own ();
    const int32_t first = histo_gamut_filtered_least (strip.formulas.depth) + HISTO_GAMUT_WEIGHTS * Four::BIAS;
    const int32_t range = HISTO_GAMUT_WEIGHTS * (int32_t) strip.launch.gamut_codes;
    typename Strip::Row row;
    Four above[4], middle[4];

    strip.fetch (inside (strip, begin - step, step), true, row);
    values_of<HAS_EDGES> (strip, row, above);
    strip.fetch (begin, true, row);
    values_of<HAS_EDGES> (strip, row, middle);
    strip.fetch (inside (strip, begin + step, step), true, row);
#pragma unroll 1
    for (int32_t y = begin; y < end; y += step) {
      Four below[4], filtered[4];

      values_of<HAS_EDGES> (strip, row, below);
      /* The row after the next one is on its way meanwhile. */
      strip.fetch (inside (strip, min (y + 2 * step, strip.bottom - 1 + step), step), true, row);
#pragma unroll
      for (uint32_t k = 0; k < 4; k++) {
        filtered[k] = Four::plus_twice (above[k], middle[k], below[k]).smooth ().smooth_wide ();
        above[k] = middle[k];
        middle[k] = below[k];
      }
      /* Few are. */
      if (own != 0 && Four::is_outside (filtered, first, first + range - 1)) {
        int32_t values[4][4];

#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
#pragma unroll
          for (uint32_t i = 0; i < 4; i++)
            values[k][i] = filtered[k].get (i);
        }
        outside.add (values, first, (uint32_t) range, own);
      }
    }
  }

  __device__ __forceinline__ static void
  filter_rows (const Strip &strip, int32_t begin, int32_t end, int32_t step, Outside &outside)
  {
    const int32_t x = strip.columns.first;

    /* Most strips lie inside of the region. */
    if (__any_sync (HISTO_FULL_WARP, x < 0 || x + 3 >= (int32_t) strip.block.region ().width))
      filter_rows<true> (strip, begin, end, step, outside);
    else
      filter_rows<false> (strip, begin, end, step, outside);
  }

public:
  /* A filtered value is a mean. So no pixel of a row is outside behind the filter if none is before it, in this row and in
   * those above and below. */
  __device__ __forceinline__ static void
  measure (const Strip &strip, CheckSums &sums)
  {
    Outside outside;
    const int32_t step = (int32_t) strip.launch.scan.row_step;

#pragma unroll 1
    for (int32_t begin = strip.first; begin < min (strip.first + step, strip.last); begin++) {
      if constexpr (LOOKS) {
#pragma unroll 1
        for (int32_t first = begin; first < strip.last; first += MOST_ROWS * step) {
          const int32_t n = min ((strip.last - first + step - 1) / step, MOST_ROWS);

          if (has_outside (strip, first, step, n))
            filter_rows (strip, first, min (first + n * step, strip.last), step, outside);
        }
      } else {
        filter_rows (strip, begin, strip.last, step, outside);
      }
    }
    outside.finish (sums.tallies + HISTO_TALLY_FILTERED_R);
  }
};

/* ---- All together -------------------------------------------------------------------------------------- */

/* Runs checks, whose classes have these static members:
 *   FLAGS                      of which one is set if it is wanted
 *   begin (launch)             all threads of the block, before that
 *   measure (strip, sums)      all lanes of a warp: a strip in a band
 *   publish (block)            all threads of the block, after that
 * All threads of the block call it. */
template <typename Quad, uint32_t KNOWN, template <typename, uint32_t> typename... Wanted>
struct Checks
{
  /* Calls act () if the check is wanted: one that has a launch of its own always is. */
  template <typename Check, typename Act>
  __device__ __forceinline__ static void
  if_wanted (const HistoStripLaunch &launch, const Act &act)
  {
    if constexpr (sizeof... (Wanted) == 1)
      act ();
    else if ((launch.flags & Check::FLAGS) != 0)
      act ();
  }

  __device__ __forceinline__ static void
  run (const HistoStripLaunch &launch)
  {
    __shared__ CheckSums sums;
    __shared__ uint32_t n_begun;
    const RegionBlock block (launch);
    const bool has_cells = launch.first_cell != 0 && block.region ().number == 0;

    if (threadIdx.x < HISTO_N_TALLIES)
      sums.tallies[threadIdx.x] = 0;
    for (uint32_t i = threadIdx.x; i < HISTO_N_CELLS_NUMBERS; i += blockDim.x)
      sums.cells[i] = 0;
    if (threadIdx.x == 0)
      n_begun = blockDim.x / HISTO_WARP_SIZE;
    (if_wanted<Wanted<Quad, KNOWN>> (launch, [&] { Wanted<Quad, KNOWN>::begin (launch); }), ...);
    __syncthreads ();
    for_each_unit (block, &n_begun, [&] (uint32_t number, uint32_t begin, uint32_t end) {
      const CheckedStrip<Quad, KNOWN> strip (block, number, begin, end);

      (if_wanted<Wanted<Quad, KNOWN>> (launch, [&] { Wanted<Quad, KNOWN>::measure (strip, sums); }), ...);
    });
    __syncthreads ();
    add_tallies (block, sums.tallies);
    (if_wanted<Wanted<Quad, KNOWN>> (launch, [&] { Wanted<Quad, KNOWN>::publish (block); }), ...);
    for (uint32_t i = threadIdx.x; has_cells && i < HISTO_N_CELLS_NUMBERS; i += blockDim.x) {
      if (sums.cells[i] != 0)
        atomicAdd ((Sum *) launch.tally_sums + launch.first_cell + i, sums.cells[i]);
    }
  }
};

template <typename Quad, uint32_t KNOWN>
using FrameChecks = Checks<Quad, KNOWN, GamutCheck, FlashCheck, FieldCheck>;

/* Apart, because the others would have fewer registers. */
template <typename Quad, uint32_t KNOWN>
using HlgChecks = Checks<Quad, KNOWN, FlashOfHlgCheck, LightCheck>;

template <typename Quad, uint32_t KNOWN>
using FilterChecks = Checks<Quad, KNOWN, FilterCheck>;
