/* The checks: gamut and flashes of each pixel, fields, and the gamut behind a filter. They count no numbers: each adds up
 * tallies of regions. They run before the strip, which gives the tallies to the host.
 *
 * A warp walks down a strip of 120 columns, through a band of rows, as in kernels/strip/strip.cuh.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip/colors.cuh"
#include "kernels/strip/columns.cuh"
#include "kernels/strip/loaders.cuh"
#include "kernels/strip/units.cuh"

/* What the compiler knows of the pixels, where a test for each of them would take longer. */
enum CheckedForm
{
  CHECKED_HALF,                 /* chroma has a sample for two pixels, or there is none */
  CHECKED_FULL,
  CHECKED_RGB
};

/* Calls check (form) with the constant of the launch's form. */
template <typename Check>
__device__ __forceinline__ void
with_form (const HistoStripLaunch &launch, const Check &check)
{
  if (launch.form == HISTO_FORM_RGB)
    check (std::integral_constant<CheckedForm, CHECKED_RGB> ());
  else if (launch.form == HISTO_FORM_FULL)
    check (std::integral_constant<CheckedForm, CHECKED_FULL> ());
  else
    check (std::integral_constant<CheckedForm, CHECKED_HALF> ());
}

/* ---- A strip in a band ------------------------------------------------------------------------ */

template <typename Quad>
struct CheckedStrip
{
  const RegionBlock &block;
  const HistoStripLaunch &launch;
  const HistoFormulas &formulas;
  int32_t top, bottom;          /* rows of the picture: the region's first one, and the one after its last */
  int32_t first, last;          /* the same of the band */
  Columns columns;
  Loader<Quad> loader;

  __device__ __forceinline__
  CheckedStrip (const RegionBlock &of, uint32_t strip, uint32_t begin, uint32_t end)
  : block (of), launch (of.launch), formulas (of.launch.formulas), top (of.region ().y),
    bottom (top + of.region ().height), first (max ((int32_t) begin, top)), last (min ((int32_t) end, bottom)),
    columns (of.launch, of.region (), strip), loader { of.launch, columns.x }
  {
  }

  /* Whether chroma has fewer samples in a row than luma, or there is none. */
  __device__ __forceinline__ bool
  is_half () const
  {
    return launch.form < HISTO_FORM_FULL;
  }

  /* If is_half (): whether luma and chroma are loaded together. */
  __device__ __forceinline__ bool
  is_packed () const
  {
    return launch.loader > HISTO_LOADER_PAIRS;
  }

  /* ---- Rows of pixels, and of chroma that has fewer samples in a row than luma ---- */

  __device__ __forceinline__ void
  load_pair_row (uint32_t y, Quad &chroma) const
  {
    Quad luma;

    if (is_packed ())
      loader.load_packed (y, luma, chroma);
    else
      chroma = loader.chroma_of (loader.load_chroma (y));
  }

  /* Luma, and alpha as [3]; of full pixels all components. */
  __device__ __forceinline__ void
  load_samples (uint32_t y, Quad c[4]) const
  {
    if (!is_half ()) {
      loader.load_pixels (y, c);
      return;
    }
    if (is_packed ()) {
      Quad chroma;

      loader.load_packed (y, c[0], chroma);
    } else {
      c[0] = loader.value (loader.load_plane (launch.now, 0, y));
    }
    if (launch.n_components > 3)
      c[3] = loader.value (loader.load_plane (launch.now, 3, y));
  }

  __device__ __forceinline__ void
  load_previous_samples (uint32_t y, Quad c[4]) const
  {
    if (!is_half ()) {
      loader.load_previous_pixels (y, c);
      return;
    }
    c[0] = loader.load_plane (launch.previous, 0, y);
    if (launch.n_components > 3)
      c[3] = loader.load_plane (launch.previous, 3, y);
  }

  /* ---- Y, U and V, or R, G and B of each pixel at the depth of the formulas ---- */

  __device__ __forceinline__ void
  scale (Quad c[3]) const
  {
    if constexpr (Quad::BYTES == 1) {
#pragma unroll
      for (uint32_t i = 0; i < 3; i++) {
        if (formulas.is_rgb && formulas.depths[i] != 8) {
          uint32_t values[4];

#pragma unroll
          for (uint32_t k = 0; k < 4; k++)
            values[k] = histo_scale_sample (c[i].get (k), formulas.depths[i], 8);
          c[i] = Quad::of (values[0], values[1], values[2], values[3]);
        }
      }
    }
  }

  __device__ __forceinline__ void
  spread (const Quad &chroma, Quad c[3]) const
  {
    c[1] = chroma.pairs_even ();
    c[2] = chroma.pairs_odd ();
  }

  __device__ __forceinline__ void
  load_pixels (uint32_t y, Quad c[4]) const
  {
    if (!is_half ()) {
      loader.load_pixels (y, c);
    } else if (!formulas.has_chroma) {
      c[0] = loader.value (loader.load_plane (launch.now, 0, y));
      c[1] = c[2] = Quad::all (1u << (formulas.depth - 1));
    } else {
      Quad chroma;

      if (is_packed ()) {
        loader.load_packed (y, c[0], chroma);
      } else {
        c[0] = loader.value (loader.load_plane (launch.now, 0, y));
        chroma = loader.chroma_of (loader.load_chroma (y >> formulas.h_sub));
      }
      spread (chroma, c);
    }
    scale (c);
  }

  __device__ __forceinline__ void
  load_previous_pixels (uint32_t y, Quad c[4]) const
  {
    if (!is_half ()) {
      loader.load_previous_pixels (y, c);
    } else {
      c[0] = loader.load_plane (launch.previous, 0, y);
      if (formulas.has_chroma)
        spread (loader.load_plane (launch.previous, 1, y >> formulas.h_sub), c);
      else
        c[1] = c[2] = Quad::all (1u << (formulas.depth - 1));
    }
    scale (c);
  }

  /* R, G, B and Y of four pixels in limited range, not clipped: of up to 12 bits the sums of histo_gamut_row () before
   * they are shifted, to which launch.gamut_first and gamut_range belong. */
  template <CheckedForm FORM>
  __device__ __forceinline__ void
  gamut (const Quad c[3], int32_t values[4][4]) const
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
      } else if constexpr (FORM == CHECKED_RGB) {
        values[0][i] = (int32_t) (row[0][0] * a + rests[0]);
        values[1][i] = (int32_t) (row[1][1] * b + rests[1]);
        values[2][i] = (int32_t) (row[2][2] * d + rests[2]);
        values[3][i] = (int32_t) (row[3][0] * a + row[3][1] * b + row[3][2] * d + rests[3]);
      } else {
        const uint32_t luma = row[3][0] * a + rests[3];

        /* Two pixels share chroma. */
        if (i % 2 == 0 || FORM != CHECKED_HALF) {
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

/* Runs a check, whose class has these members:
 *   Check (block)
 *   measure (strip, sums)      a strip in a band
 *   finish (sums)              all lanes of the warp: adds what the lane has
 *   publish (block)            all threads of the block, after that
 * All threads of the block call it. */
template <typename Quad, typename Check>
__device__ __forceinline__ void
run_check (const HistoStripLaunch &launch)
{
  __shared__ CheckSums sums;
  __shared__ uint32_t n_begun;
  const RegionBlock block (launch);
  const bool has_cells = launch.first_cell != 0 && block.region ().number == 0;
  Check check (block);

  if (threadIdx.x < HISTO_N_TALLIES)
    sums.tallies[threadIdx.x] = 0;
  for (uint32_t i = threadIdx.x; i < HISTO_N_CELLS_NUMBERS; i += blockDim.x)
    sums.cells[i] = 0;
  if (threadIdx.x == 0)
    n_begun = blockDim.x / HISTO_WARP_SIZE;
  __syncthreads ();
  for_each_unit (block, &n_begun, [&] (uint32_t number, uint32_t begin, uint32_t end) {
    const CheckedStrip<Quad> strip (block, number, begin, end);

    check.measure (strip, sums);
  });
  check.finish (sums);
  __syncthreads ();
  add_tallies (block, sums.tallies);
  check.publish (block);
  for (uint32_t i = threadIdx.x; has_cells && i < HISTO_N_CELLS_NUMBERS; i += blockDim.x) {
    if (sums.cells[i] != 0)
      atomicAdd ((Sum *) launch.tally_sums + launch.first_cell + i, sums.cells[i]);
  }
}

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

/* ---- Pixels: gamut and flashes ---------------------------------------------------------------------- */

template <typename Quad>
struct PixelCheck
{
  const HistoStripLaunch &launch;
  const HistoFormulas &formulas;
  const uint32_t *linear;       /* the lane's copy in shared memory */
  uint32_t lane;
  Outside outside;
  int32_t least[4], greatest[4];
  uint32_t up, down, red_up, red_down;
  /* Of the four pixels since the cell began. The changed ones of two pixels are in one word. */
  uint32_t luminance[4], red[4], changed[2], red_changed[2];
  uint32_t n_rows;
  uint32_t *light_counters;     /* of HLG, in shared memory */
  uint32_t brightest[3];        /* R, G and B, plus 1 */

  __device__ __forceinline__ explicit
  PixelCheck (const RegionBlock &block)
  : launch (block.launch), formulas (block.launch.formulas), lane (threadIdx.x % HISTO_WARP_SIZE), outside (), up (0),
    down (0), red_up (0), red_down (0), luminance (), red (), changed (), red_changed (), n_rows (0),
    brightest ()
  {
    HISTO_DYNAMIC_SHARED (uint32_t, shared);
    const uint32_t n = (1u << formulas.depth) + 1, copies = 1u << launch.linear_copies_log2;

    for (uint32_t k = 0; k < 4; k++) {
      least[k] = INT32_MAX;
      greatest[k] = INT32_MIN;
    }
    linear = shared + (lane & (copies - 1));
    light_counters = shared + (!Quad::is_deep && has (HISTO_FLAG_FLASH) ? n << launch.linear_copies_log2 : 0);
    if (has (HISTO_FLAG_LIGHT)) {
      for (uint32_t i = threadIdx.x; i < HISTO_HLG_BINS; i += blockDim.x)
        light_counters[i] = 0;
    }
    if constexpr (!Quad::is_deep) {
      /* Colors of bytes may be 256. */
      if (has (HISTO_FLAG_FLASH)) {
        for (uint32_t i = threadIdx.x; i < n << launch.linear_copies_log2; i += blockDim.x)
          shared[i] = __ldg ((const uint16_t *) launch.linear + min (i >> launch.linear_copies_log2, n - 2));
      }
    }
  }

  __device__ __forceinline__ bool
  has (uint32_t flag) const
  {
    return (launch.flags & flag) != 0;
  }

  /* @code: of bytes in the lower 9 bits */
  __device__ __forceinline__ uint32_t
  linear_of (uint32_t code) const
  {
    if constexpr (Quad::is_deep)
      return __ldg ((const uint16_t *) launch.linear + code);
    else if constexpr (Quad::BYTES == 1)
      return linear[(code & 0x1ff) << HISTO_LINEAR_BYTE_COPIES_LOG2];
    else
      return linear[code << launch.linear_copies_log2];
  }

  /* The code values of R, G and B from which a table makes light: of bytes in the lower 9 bits, perhaps 256. */
  template <CheckedForm FORM>
  __device__ __forceinline__ void
  find_codes (const Quad c[3], uint32_t codes[4][3]) const
  {
#pragma unroll
    for (uint32_t k = 0; k < 3; k++) {
      const ColorRow<Quad> row = { launch, k };
      auto part = row.part (c[1], c[2], 0);

#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        if constexpr (FORM == CHECKED_RGB) {
          codes[i][k] = c[k].get (i);
        } else {
          if (i == 2 || (i % 2 != 0 && FORM != CHECKED_HALF))
            part = row.part (c[1], c[2], i);
          codes[i][k] = row.value (c[0], i, part);
        }
      }
    }
  }

  /* The linear light of four pixels. Returns whether one of them may be saturated red */
  template <CheckedForm FORM>
  __device__ __forceinline__ bool
  find_light (const Quad c[3], uint32_t rgb[4][3]) const
  {
    bool is_red = false;

    find_codes<FORM> (c, rgb);
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
#pragma unroll
      for (uint32_t k = 0; k < 3; k++)
        rgb[i][k] = linear_of (rgb[i][k]);
      is_red |= rgb[i][0] >= 4 * (rgb[i][1] + rgb[i][2]);
    }
    return is_red;
  }

  /* HLG */
  template <CheckedForm FORM>
  __device__ __forceinline__ void
  count_light (const Quad c[3], uint32_t own)
  {
    const uint16_t *scene = (const uint16_t *) launch.hlg, *powers = scene + (1u << formulas.depth);
    const uint16_t *bins = powers + HISTO_HLG_NUMBERS;
    uint32_t codes[4][3];

    find_codes<FORM> (c, codes);
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      uint32_t rgb[3], lights[3];

#pragma unroll
      for (uint32_t k = 0; k < 3; k++)
        rgb[k] = __ldg (scene + (Quad::BYTES == 1 ? min (codes[i][k] & 0x1ff, 255u) : codes[i][k]));
      if ((own >> i & 1) == 0)
        continue;
      atomicAdd (light_counters + __ldg (bins + histo_hlg_light (rgb[0], rgb[1], rgb[2], powers, lights)), 1u);
#pragma unroll
      for (uint32_t k = 0; k < 3; k++)
        brightest[k] = max (brightest[k], lights[k] + 1);
    }
  }

  /* @c: all own pixels */
  template <CheckedForm FORM>
  __device__ __forceinline__ void
  check_gamut (const CheckedStrip<Quad> &strip, const Quad c[3], uint32_t own)
  {
    int32_t values[4][4];
    bool any = false;

    strip.template gamut<FORM> (c, values);
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
  }

  template <CheckedForm FORM>
  __device__ __forceinline__ void
  check_flash (const Quad c[3], const Quad before[3], uint32_t own)
  {
    uint32_t now[4][3], then[4][3];
    bool is_red = find_light<FORM> (c, now), has_step = false;
    int32_t changes[4];

    if (!has (HISTO_FLAG_PREVIOUS)) {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        luminance[i] += histo_flash_luminance (now[i][0], now[i][1], now[i][2]);
        red[i] += histo_flash_red (now[i][0], now[i][1], now[i][2]);
      }
      return;
    }
    is_red |= find_light<FORM> (before, then);
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t light = histo_flash_luminance (now[i][0], now[i][1], now[i][2]);

      luminance[i] += light;
      changes[i] = (int32_t) (light - histo_flash_luminance (then[i][0], then[i][1], then[i][2]));
      if (changes[i] != 0)
        changed[i / 2] += 1u << (i % 2 * 16);
      has_step |= abs (changes[i]) >= HISTO_FLASH_STEP;
    }
    /* Most pixels have neither. */
    if (has_step) {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        const uint32_t light = histo_flash_luminance (now[i][0], now[i][1], now[i][2]), first = light - changes[i];

        up += histo_flash_rises (first, light) & (own >> i & 1);
        down += histo_flash_rises (light, first) & (own >> i & 1);
      }
    }
    if (is_red) {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        const uint32_t last = histo_flash_red (now[i][0], now[i][1], now[i][2]),
            first = histo_flash_red (then[i][0], then[i][1], then[i][2]);

        red[i] += last;
        red_changed[i / 2] += (uint32_t) (last != first) << (i % 2 * 16);
        red_up += histo_flash_reddens (first, last) & (own >> i & 1);
        red_down += histo_flash_reddens (last, first) & (own >> i & 1);
      }
    }
  }

  /* Whose sums the lane's four pixels share; the first column of the next cell. */
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
  flush (const CheckedStrip<Quad> &strip, uint32_t row, CheckSums &sums)
  {
    const HistoStripRegion &region = strip.block.region ();

    if (region.number != 0) {
      add_sums (strip.columns.own (), NULL, sums);
    } else {
      /* The columns of the whole warp. */
      const int32_t begin = strip.columns.first - 4 * (int32_t) lane;
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
  measure (const CheckedStrip<Quad> &strip, CheckSums &sums)
  {
    with_form (launch, [&] (auto form) { measure_rows<form.value> (strip, sums); });
  }

  template <CheckedForm FORM>
  __device__ __forceinline__ void
  measure_rows (const CheckedStrip<Quad> &strip, CheckSums &sums)
  {
    const bool has_flash = has (HISTO_FLAG_FLASH), compares = has_flash && has (HISTO_FLAG_PREVIOUS);
    const bool has_gamut = has (HISTO_FLAG_GAMUT), has_light = has (HISTO_FLAG_LIGHT);
    const bool is_partial = __any_sync (HISTO_FULL_WARP, strip.columns.own () % 15 != 0);
    const uint32_t own = strip.columns.own (), height = strip.block.region ().height;
    uint32_t row = 0, end = 0;

    if (has_flash) {
      row = cell_of ((uint32_t) (strip.first - strip.top), height);
      end = strip.top + cell_end (row, height);
    }
#pragma unroll 1
    for (int32_t y = strip.first; y < strip.last; y++) {
      Quad now[4] = { }, before[4] = { };

      /* Cells of few rows may be empty. */
      while (has_flash && (uint32_t) y >= end) {
        flush (strip, row++, sums);
        end = strip.top + cell_end (row, height);
      }
      n_rows++;
      strip.load_pixels (y, now);
      if (compares)
        strip.load_previous_pixels (y, before);
      if (is_partial) {
#pragma unroll
        for (uint32_t k = 0; k < 3; k++) {
          now[k] = strip.own_pixels (now[k]);
          before[k] = strip.own_pixels (before[k]);
        }
      }
      if (own == 0)
        continue;
      if (has_gamut)
        check_gamut<FORM> (strip, now, own);
      if (has_flash)
        check_flash<FORM> (now, before, own);
      if (has_light)
        count_light<FORM> (now, own);
    }
    if (has_flash)
      flush (strip, row, sums);
  }

  __device__ __forceinline__ int32_t
  gamut_value (int32_t sum) const
  {
    return Quad::is_deep ? sum : (sum >> HISTO_GAMUT_SHIFT) + formulas.gamut.black;
  }

  /* The light of HLG of the block's pixels. */
  __device__ __forceinline__ void
  publish (const RegionBlock &block) const
  {
    Sum *to = (Sum *) launch.scratch + block.region ().number * launch.n_region_bins + launch.first_light_bin;

    if (!has (HISTO_FLAG_LIGHT))
      return;
    for (uint32_t i = threadIdx.x; i < HISTO_HLG_BINS; i += blockDim.x) {
      if (light_counters[i] != 0)
        atomicAdd ((uint32_t *) (to + i), light_counters[i]);
    }
  }

  __device__ __forceinline__ void
  finish (CheckSums &sums) const
  {
    if (has (HISTO_FLAG_GAMUT)) {
      outside.finish (sums.tallies + HISTO_TALLY_GAMUT_R);
      for (uint32_t k = 0; k < 4; k++) {
        raise_lanes (sums.tallies + HISTO_TALLY_GREATEST_R + 2 * k,
            greatest[k] == INT32_MIN ? 0 : HISTO_GAMUT_BIAS + gamut_value (greatest[k]));
        raise_lanes (sums.tallies + HISTO_TALLY_GREATEST_R + 2 * k + 1,
            least[k] == INT32_MAX ? 0 : HISTO_GAMUT_BIAS - gamut_value (least[k]));
      }
    }
    if (has (HISTO_FLAG_LIGHT)) {
      for (uint32_t k = 0; k < 3; k++)
        raise_lanes (sums.tallies + HISTO_TALLY_GREATEST_RED + k, brightest[k]);
    }
    if (has (HISTO_FLAG_FLASH)) {
      add_lanes_32 (sums.tallies + HISTO_TALLY_LUMINANCE_UP, up);
      add_lanes_32 (sums.tallies + HISTO_TALLY_LUMINANCE_DOWN, down);
      add_lanes_32 (sums.tallies + HISTO_TALLY_RED_UP, red_up);
      add_lanes_32 (sums.tallies + HISTO_TALLY_RED_DOWN, red_down);
    }
  }
};

static_assert (HISTO_TALLY_GAMUT_ANY == HISTO_TALLY_GAMUT_R + 4 && HISTO_TALLY_FILTERED_ANY == HISTO_TALLY_FILTERED_R + 4
    && HISTO_TALLY_LEAST_Y == HISTO_TALLY_GREATEST_R + 7, "the tallies of gamut are side by side");

/* ---- Fields ------------------------------------------------------------------------------------------- */

/* FFmpeg's idet. What follows from rows n - 1, n and n + 1 of this and of the previous picture. */
template <typename Quad>
struct FieldCheck
{
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

  const HistoStripLaunch &launch;
  const HistoFormulas &formulas;
  uint32_t comb;
  Sums even, odd;               /* of a band */

  __device__ __forceinline__ explicit
  FieldCheck (const RegionBlock &block) : launch (block.launch), formulas (block.launch.formulas), comb (0), even (),
    odd ()
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

  /* Of luma, full pixels and alpha, with N components. */
  template <uint32_t N>
  struct Pixels
  {
    Rows now[N], before[N];
    Quad five[5];               /* rows of what is looked at for combing */
  };

  /* Row y is the newest one. The rows around y - 1 are added to @sums. Pixels that are not own are black. */
  template <uint32_t N>
  __device__ __forceinline__ void
  step (const CheckedStrip<Quad> &strip, int32_t y, int32_t first, int32_t last, const Quad &mask, Pixels<N> &rows,
      Sums &sums)
  {
    const bool is_own = y - 1 >= first && y - 1 < last;
    Quad c[4] = { }, previous[4] = { };

    if (y < first - 2 || y >= last + 2)
      return;
    strip.load_samples (y, c);
    if (has_previous ())
      strip.load_previous_samples (y, previous);
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
      strip.scale (c);
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      rows.five[i] = rows.five[i + 1];
    rows.five[4] = (formulas.is_rgb ? c[1] : c[0]).masked (mask);
    if (y - 2 >= first)
      find_combs (rows.five);
  }

  template <uint32_t N>
  __device__ __forceinline__ void
  measure_pixels (const CheckedStrip<Quad> &strip)
  {
    const int32_t first = max (strip.first, strip.top + 2), last = min (strip.last, strip.bottom - 2);
    const Quad mask = Quad::mask (strip.columns.own ());
    Pixels<N> rows = { };

    if (first >= last)
      return;
    /* With row y of an even number the odd row above it is complete. */
#pragma unroll 1
    for (int32_t y = (first - 2) & ~1; y < last + 2; y += 2) {
      step<N> (strip, y, first, last, mask, rows, odd);
      step<N> (strip, y + 1, first, last, mask, rows, even);
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
  measure_pairs (const CheckedStrip<Quad> &strip)
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
    for (int32_t y = first - 1; y < last + 1; y++) {
      Quad chroma, previous = { };

      strip.load_pair_row (y, chroma);
      if (has_previous ())
        previous = strip.loader.load_plane (launch.previous, 1, y);
      now.push (chroma.masked (mask));
      before.push (previous.masked (mask));
      if (y - 1 < first)
        continue;
      if (((y - 1) & 1) != 0)
        add_rows (now, before, odd);
      else
        add_rows (now, before, even);
    }
  }

  /* Adds the sums of a kind of all lanes to the tallies of even and of odd rows. */
  __device__ __forceinline__ static void
  move_sums (uint32_t &of_even, uint32_t &of_odd, Sum *tallies)
  {
    add_lanes (tallies, of_even);
    add_lanes (tallies + 1, of_odd);
    of_even = of_odd = 0;
  }

  __device__ __forceinline__ void
  measure (const CheckedStrip<Quad> &strip, CheckSums &to)
  {
    if (!strip.is_half ()) {
      if (launch.n_components > 3)
        measure_pixels<4> (strip);
      else
        measure_pixels<3> (strip);
    } else if (launch.n_components > 3) {
      measure_pixels<2> (strip);
    } else {
      measure_pixels<1> (strip);
    }
    if (strip.is_half () && formulas.has_chroma)
      measure_pairs (strip);
    move_sums (even.previous, odd.previous, to.tallies + HISTO_TALLY_PREVIOUS_EVEN);
    move_sums (even.next, odd.next, to.tallies + HISTO_TALLY_NEXT_EVEN);
    move_sums (even.current, odd.current, to.tallies + HISTO_TALLY_CURRENT_EVEN);
    move_sums (even.change, odd.change, to.tallies + HISTO_TALLY_CHANGE_EVEN);
  }

  __device__ __forceinline__ void
  finish (CheckSums &to) const
  {
    add_lanes_32 (to.tallies + HISTO_TALLY_COMB, comb);
  }

  __device__ __forceinline__ void
  publish (const RegionBlock &) const
  {
  }
};

/* ---- Gamut behind the filter ------------------------------------------------------------------------- */

template <typename Quad>
struct FilterCheck
{
  const HistoStripLaunch &launch;
  Outside outside;

  __device__ __forceinline__ explicit
  FilterCheck (const RegionBlock &block) : launch (block.launch), outside ()
  {
  }

  /* Pixels to the left and right of the region are what the region's first and last ones are. All lanes call it. */
  __device__ __forceinline__ static void
  repeat_edges (const CheckedStrip<Quad> &strip, int32_t v[4])
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

  /* The filtered row y of R, G, B and Y. All lanes call it. */
  template <CheckedForm FORM>
  __device__ __forceinline__ static void
  filter_row (const CheckedStrip<Quad> &strip, int32_t y, int32_t out[4][4])
  {
    int32_t values[4][4];
    Quad c[4] = { };

    strip.load_pixels (y, c);
    strip.template gamut<FORM> (c, values);
    if constexpr (!Quad::is_deep) {
#pragma unroll
      for (uint32_t k = 0; k < 4; k++) {
#pragma unroll
        for (uint32_t i = 0; i < 4; i++)
          values[k][i] = (values[k][i] >> HISTO_GAMUT_SHIFT) + strip.formulas.gamut.black;
      }
    }
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      int32_t v[10];

      repeat_edges (strip, values[k]);
#pragma unroll
      for (uint32_t i = 0; i < 3; i++) {
        v[i] = __shfl_up_sync (HISTO_FULL_WARP, values[k][i + 1], 1);
        v[7 + i] = __shfl_down_sync (HISTO_FULL_WARP, values[k][i], 1);
      }
#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        v[3 + i] = values[k][i];
#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        out[k][i] = histo_gamut_across (v[i], v[i + 1], v[i + 2], v[i + 3], v[i + 4], v[i + 5], v[i + 6]);
    }
  }

  __device__ __forceinline__ void
  measure (const CheckedStrip<Quad> &strip, CheckSums &)
  {
    with_form (launch, [&] (auto form) { measure_rows<form.value> (strip); });
  }

  template <CheckedForm FORM>
  __device__ __forceinline__ void
  measure_rows (const CheckedStrip<Quad> &strip)
  {
    const int32_t step = (int32_t) strip.formulas.row_step;
    const uint32_t own = strip.columns.own ();

    /* The rows of a field, one after the other. */
#pragma unroll 1
    for (int32_t begin = strip.first; begin < min (strip.first + step, strip.last); begin++) {
      int32_t rows[3][4][4];

      filter_row<FORM> (strip, begin - step < strip.top ? begin : begin - step, rows[0]);
      filter_row<FORM> (strip, begin, rows[1]);
#pragma unroll 1
      for (int32_t y = begin; y < strip.last; y += step) {
        filter_row<FORM> (strip, y + step < strip.bottom ? y + step : y, rows[2]);

        int32_t filtered[4][4];

#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
#pragma unroll
          for (uint32_t i = 0; i < 4; i++)
            filtered[k][i] = histo_gamut_filtered (rows[0][k][i], rows[1][k][i], rows[2][k][i]);
        }
        outside.add (filtered, histo_gamut_least (strip.formulas.depth), launch.gamut_codes, own);
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
#pragma unroll
          for (uint32_t i = 0; i < 4; i++) {
            rows[0][k][i] = rows[1][k][i];
            rows[1][k][i] = rows[2][k][i];
          }
        }
      }
    }
  }

  __device__ __forceinline__ void
  finish (CheckSums &sums) const
  {
    outside.finish (sums.tallies + HISTO_TALLY_FILTERED_R);
  }

  __device__ __forceinline__ void
  publish (const RegionBlock &) const
  {
  }
};
