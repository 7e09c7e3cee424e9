/* The strip: the groups and the samples of regions, of every regular picture.
 *
 * A warp walks down a strip of 120 columns, through a band of rows. Each lane has four pixels, as quads; the
 * first and the last lane have pixels of the neighbouring strips, and count none. With row n the warp measures
 *   row n      samples, differences, saturation and hue, range, colors, sums of luma, temporal information;
 *   row n      its difference from row n - 4 (repeated rows);
 *   row n - 1  gradients;
 *   row n - 2  outliers.
 * In 4:2:0 two rows are measured at a time, which share a row of chroma.
 *
 * A lane remembers the rows of luma that it needs again. Rows and columns outside of the region are loaded,
 * too, but not used; if the picture does not have them, the nearest ones are loaded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <math.h>

#include "kernels/strip/colors.cuh"
#include "kernels/strip/columns.cuh"
#include "kernels/strip/counters.cuh"
#include "kernels/strip/loaders.cuh"
#include "kernels/strip/units.cuh"

/* ---- A strip ------------------------------------------------------------------------------ */

/* `signal` and `motion`, or with HAS_ALL all groups. */
template <typename Quad, typename Counters, uint32_t FORM, bool HAS_ALL>
struct Strip
{
  static constexpr bool is_rgb = FORM == HISTO_FORM_RGB;
  /* Whether each pixel has three samples; else chroma has one for two pixels. */
  static constexpr bool is_full = is_rgb || FORM == HISTO_FORM_FULL;
  static constexpr uint32_t ROWS = FORM == HISTO_FORM_TWO_ROWS ? 2 : 1;
  /* What the kernel measures at most, but for the copy. */
  /* What R, G and B of YUV are computed for. */
  static constexpr uint32_t color_flags = Counters::counts_all ? HISTO_FLAG_COLOR | HISTO_FLAG_HDR : HISTO_FLAG_GREATEST;
  static constexpr uint32_t all_flags = HISTO_FLAG_SAMPLES | HISTO_FLAG_SIGNAL | HISTO_FLAG_MOTION | HISTO_FLAG_PREVIOUS
      | (HAS_ALL ? HISTO_FLAGS_MORE : 0);

  const RegionBlock &block;
  const HistoStripLaunch &launch;
  const HistoFormulas &formulas;
  const Counters &counters;
  uint32_t flags;               /* what is measured of this region */
  int32_t top, bottom;          /* rows of the picture: the region's first one, and the one after its last */
  int32_t first, last;          /* the same of the band */
  Columns columns;
  Loader<Quad> loader;
  Quad own;                     /* mask of the own pixels */
  uint32_t inner_bytes;         /* of bytes: the flags of the inner pixels */
  uint32_t lane;
  bool is_partial;              /* a lane of the warp owns one to three pixels */
  /* What makes a row's place among those of the launch. */
  int32_t difference_row, lightness_row;

  /* The rows of luma that are remembered; the last ones are the newest. */
  Quad signal[4 + ROWS], detail[2 + ROWS];
  /* The rows of luma after them, as they were loaded; not where chroma is loaded with them. */
  Quad coming[ROWS];
  /* Runs of equal quads of alpha and of its differences. */
  Quad alpha[2];
  uint32_t n_alpha[2];
  uint32_t brng, tout;
  Sum gradient_squares;
  std::conditional_t<Quad::BYTES == 1, uint32_t, Sum> ti_squares;
  uint32_t gradients, lightness[4];     /* lightness: of the columns */
  int32_t ti_sum;
  uint32_t greatest[3];         /* R, G and B of YUV, plus 1; of bytes in the lower 9 bits */

  __device__ __forceinline__
  Strip (const RegionBlock &of, const Counters &to, uint32_t strip, uint32_t begin, uint32_t end)
  : block (of), launch (of.launch), formulas (of.launch.formulas), counters (to), flags (of.launch.flags),
    top (of.region ().y), bottom (top + of.region ().height), first (max ((int32_t) begin, top)),
    last (min ((int32_t) end, bottom)), columns (of.launch, of.region (), strip),
    loader { of.launch, columns.x }, own (Quad::mask (columns.own ())),
    inner_bytes (Bytes::flags (Bytes::mask (columns.inner ()).w[0])), lane (threadIdx.x % HISTO_WARP_SIZE),
    is_partial (__any_sync (HISTO_FULL_WARP, columns.are_partial ())),
    difference_row ((int32_t) of.region ().first_row - top),
    lightness_row ((int32_t) of.region ().first_tally + HISTO_N_TALLIES - top), signal (), detail (),
    coming (), alpha (), n_alpha (), brng (0), tout (0), gradient_squares (0), ti_squares (0), gradients (0),
    lightness (), ti_sum (0), greatest ()
  {
    if (!of.counts_samples ())
      flags &= ~HISTO_FLAG_SAMPLES;
    if (of.region ().number != 0)
      flags &= ~HISTO_FLAG_COPY;
    if ((flags & HISTO_FLAG_PREVIOUS) == 0)
      flags &= ~HISTO_FLAG_MOTION;
    if (!HAS_ALL)
      flags &= ~HISTO_FLAGS_MORE;
    keep (flags);
    keep (lane);
    keep (columns.bits);
    if constexpr (Quad::BYTES == 1)
      keep (inner_bytes);
    for (uint32_t i = 0; i < Quad::N_WORDS; i++)
      keep (own.w[i]);
  }

  /* Keeps the compiler from computing the number again where it is used. */
  __device__ __forceinline__ static void
  keep (uint32_t &number)
  {
#ifdef __CUDA_ARCH__
    asm volatile ("" : "+r" (number));
#else
    (void) number;
#endif
  }

  __device__ __forceinline__ bool
  has (uint32_t flag) const
  {
    return (flags & flag & Counters::flags) != 0;
  }

  __device__ __forceinline__ uint32_t
  own_flags () const
  {
    return Quad::BYTES == 1 ? Bytes::flags (own.w[0]) : columns.own ();
  }

  __device__ __forceinline__ uint32_t
  inner_flags () const
  {
    return Quad::BYTES == 1 ? inner_bytes : columns.inner ();
  }

  __device__ __forceinline__ HistoStripDepth
  depth () const
  {
    return Quad::depth (launch);
  }

  /* ---- Native components ---- */

  /* Counts the own pixels of a quad. With IS_WHOLE they are all own. */
  template <bool IS_WHOLE>
  __device__ __forceinline__ void
  count_quad (uint32_t source, uint32_t c, const Quad &quad) const
  {
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      if (IS_WHOLE || (columns.own () >> i & 1) != 0)
        counters.count_quad (source, c, quad, i);
    }
  }

  template <bool IS_WHOLE>
  __device__ __forceinline__ void
  count_component (uint32_t c, const Quad &now, const Quad &before) const
  {
    if (has (HISTO_FLAG_SAMPLES))
      count_quad<IS_WHOLE> (HISTO_STRIP_SAMPLE, c, now);
    if (has (HISTO_FLAG_MOTION))
      count_quad<IS_WHOLE> (HISTO_STRIP_DIFFERENCE, c, now.diff (before));
  }

  /* Most pictures have long runs of equal alpha: they are counted by one addition. */
  __device__ __forceinline__ void
  end_run (uint32_t k) const
  {
#pragma unroll 1
    for (uint32_t i = 0; i < 4 && n_alpha[k] > 0; i++) {
      if ((columns.own () >> i & 1) != 0)
        counters.count_alpha (k == 0 ? HISTO_STRIP_SAMPLE : HISTO_STRIP_DIFFERENCE, alpha[k].get (i),
            n_alpha[k]);
    }
  }

  __device__ __forceinline__ void
  go_on_run (uint32_t k, const Quad &quad)
  {
    if (!quad.equals (alpha[k])) {
      end_run (k);
      alpha[k] = quad;
      n_alpha[k] = 0;
    }
    n_alpha[k]++;
  }

  /* Component 3. */
  __device__ __forceinline__ void
  count_alpha (const Quad &now, const Quad &before)
  {
    if (has (HISTO_FLAG_SAMPLES))
      go_on_run (0, now);
    if (has (HISTO_FLAG_MOTION))
      go_on_run (1, now.diff (before));
    /* Where alpha is rare it takes no registers. */
    if constexpr (!is_full) {
      end_run (0);
      end_run (1);
      n_alpha[0] = n_alpha[1] = 0;
    }
  }

  /* ---- Saturation, hue and range ---- */

  /* Saturation and hue, as in the table. */
  __device__ __forceinline__ uint32_t
  chroma_entry (uint32_t u, uint32_t v) const
  {
    if (Quad::BYTES == 1 || launch.chroma_table != 0)
      return __ldg ((const uint32_t *) launch.chroma_table + (u << depth ().depth | v));

    const int32_t mid = 1 << (depth ().depth - 1), du = (int32_t) u - mid, dv = (int32_t) v - mid;

    if constexpr (!Counters::counts_all)
      return HISTO_CHROMA_ENTRY (0, histo_quick_hue (du, dv));
    return HISTO_CHROMA_ENTRY (histo_saturation (du, dv), histo_quick_hue (du, dv));
  }

  __device__ __forceinline__ void
  count_entry (uint32_t entry) const
  {
    counters.count (HISTO_STRIP_SATURATION, 0, HISTO_CHROMA_SATURATION (entry));
    counters.count (HISTO_STRIP_HUE, 0, HISTO_CHROMA_HUE (entry));
  }

  /* Counts the chroma of own pixels. */
  template <bool IS_WHOLE>
  __device__ __forceinline__ void
  count_chroma_quad (const Quad &u, const Quad &v) const
  {
    uint32_t entries[4];

    /* They are all on their way before the first one is counted. */
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      entries[i] = chroma_entry (u.get (i), v.get (i));
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      if (IS_WHOLE || (columns.own () >> i & 1) != 0)
        count_entry (entries[i]);
    }
  }

  __device__ __forceinline__ uint32_t
  chroma_outside (const Quad &u, const Quad &v) const
  {
    return u.outside (depth ().chroma_range, depth ()) | v.outside (depth ().chroma_range, depth ());
  }

  __device__ __forceinline__ void
  add_outside (const Quad &luma, uint32_t outside)
  {
    brng += __popc ((luma.outside (depth ().luma_range, depth ()) | outside) & own_flags ());
  }

  /* ---- R, G and B ---- */

  __device__ __forceinline__ ColorRow<Quad>
  row (uint32_t i) const
  {
    return { launch, i };
  }

  __device__ __forceinline__ void
  count_color (uint32_t source, uint32_t value) const
  {
    if constexpr (Quad::BYTES == 1 && !Counters::has_row_256)
      value = min (value & 0x1ff, 255u);
    counters.count (source, 0, value);
  }

  /* The greatest of R, G and B. */
  template <bool IS_WHOLE>
  __device__ __forceinline__ void
  count_greatest (const Quad rgb[3]) const
  {
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t greatest = max (max (rgb[0].get (i), rgb[1].get (i)), rgb[2].get (i));

      /* Stretching keeps the order. */
      if (IS_WHOLE || (columns.own () >> i & 1) != 0)
        counters.count (HISTO_STRIP_MAXRGB, 0,
            formulas.is_limited ? histo_stretch_rgb (greatest, depth ().depth) : greatest);
    }
  }

  /* The colors of rows of pixels, which share chroma. @rows: bit r: row r is own */
  template <bool IS_WHOLE, uint32_t N_ROWS>
  __device__ __forceinline__ void
  count_colors (const Quad (&luma)[N_ROWS], const Quad &u, const Quad &v, uint32_t rows)
  {
    const bool has_color = has (HISTO_FLAG_COLOR), has_hdr = has (HISTO_FLAG_HDR);
    constexpr uint32_t step = is_full ? 1 : 2;

#pragma unroll
    for (uint32_t s = 0; s < 4; s += step) {
      const auto red = row (0).part (u, v, s), green = row (1).part (u, v, s), blue = row (2).part (u, v, s);

#pragma unroll
      for (uint32_t r = 0; r < N_ROWS; r++) {
#pragma unroll
        for (uint32_t i = s; i < s + step; i++) {
          if (!IS_WHOLE && ((columns.own () >> i & 1) == 0 || (rows >> r & 1) == 0))
            continue;

          const uint32_t values[3] = { row (0).value (luma[r], i, red), row (1).value (luma[r], i, green),
            row (2).value (luma[r], i, blue) };

          if (has_color) {
            count_color (HISTO_STRIP_RED, values[0]);
            count_color (HISTO_STRIP_GREEN, values[1]);
            count_color (HISTO_STRIP_BLUE, values[2]);
          }
          if (has_hdr)
            count_color (HISTO_STRIP_MAXRGB, max (max (values[0], values[1]), values[2]));
          if (has (HISTO_FLAG_GREATEST)) {
#pragma unroll
            for (uint32_t k = 0; k < 3; k++)
              greatest[k] = max (greatest[k], values[k] + 1);
          }
        }
      }
    }
  }

  /* ---- Sums of rows ---- */

  /* What the warp's lanes have of a row; lane i gets that of row i of ROWS rows. */
  __device__ __forceinline__ uint32_t
  sum_of_rows (const uint32_t values[ROWS]) const
  {
    uint32_t sum;

    if constexpr (ROWS == 1) {
      sum = sum_of_warp_32 (values[0]);
    } else if constexpr (Quad::BYTES == 1) {
      /* The sum of 128 bytes has 15 bits. */
      sum = sum_of_warp_32 (values[0] | values[1] << 16);
      sum = lane == 0 ? sum & 0xffff : sum >> 16;
    } else {
      const uint32_t first_sum = sum_of_warp_32 (values[0]), second_sum = sum_of_warp_32 (values[1]);

      sum = lane == 0 ? first_sum : second_sum;
    }
    return sum;
  }

  /* Adds what sum_of_rows () has given to the sums of ROWS rows, which lie side by side. */
  __device__ __forceinline__ void
  add_rows (Sum *sums, int32_t first_row, Sum sum, uint32_t rows) const
  {
    if (lane < ROWS && (rows >> lane & 1) != 0)
      atomicAdd (sums + (first_row + (int32_t) lane), sum);
  }

  /* Adds pixels of luma, or of R, G and B. */
  __device__ __forceinline__ void
  add_to_columns (const Quad &quad)
  {
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      lightness[i] += quad.get (i);
  }

  __device__ __forceinline__ void
  add_lightness (int32_t y, const uint32_t sums[ROWS], uint32_t rows) const
  {
    add_rows ((Sum *) launch.tally_sums, lightness_row + y, sum_of_rows (sums), rows);
  }

  /* ---- detail ---- */

  /* histo_stretch () */
  __device__ __forceinline__ uint32_t
  stretch (uint32_t y) const
  {
    const uint32_t over = (uint32_t) min (max ((int32_t) (y - depth ().black), 0), (int32_t) depth ().luma_range);

    return over + __umulhi (over, depth ().stretch);
  }

  __device__ __forceinline__ float
  stretch_number (float biased) const
  {
    return __fmaf_rd (__saturatef (fmaf (biased, launch.factors.stretch[0], launch.factors.stretch[1])), 255.f,
        FLOAT_OF_INTEGERS);
  }

  __device__ __forceinline__ Quad
  stretched (const Quad &luma) const
  {
    if (!formulas.is_limited)
      return luma;
    if constexpr (Quad::BYTES == 1)
      return Quad::of_numbers (stretch_number (luma.biased (0)), stretch_number (luma.biased (1)),
          stretch_number (luma.biased (2)), stretch_number (luma.biased (3)));
    else
      return Quad::of (stretch (luma.get (0)), stretch (luma.get (1)), stretch (luma.get (2)),
          stretch (luma.get (3)));
  }

  /* Compares a row with the previous frame. */
  __device__ __forceinline__ void
  compare (const Quad &now, const Quad &luma_before)
  {
    const Quad before = stretched (luma_before).masked (own), here = now.masked (own);

    ti_sum += (int32_t) here.sum () - (int32_t) before.sum ();
    ti_squares += here.diff (before).sum_of_squares ();
  }

  /* Measures gradients: Sobel's sums over the rows first, then over the columns. */
  __device__ __forceinline__ void
  measure_gradients (const Quad &above, const Quad &row, const Quad &below)
  {
    /* Keeps differences positive. */
    const int32_t bias = Quad::is_deep ? 0 : 1 << HISTO_MATRIX_SHIFT_DEPTH;
    int32_t s[6], d[6];

    if constexpr (Quad::is_deep) {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        s[i + 1] = above.get (i) + 2 * row.get (i) + below.get (i);
        d[i + 1] = (int32_t) below.get (i) - (int32_t) above.get (i);
      }
      s[0] = __shfl_up_sync (HISTO_FULL_WARP, s[4], 1);
      d[0] = __shfl_up_sync (HISTO_FULL_WARP, d[4], 1);
      s[5] = __shfl_down_sync (HISTO_FULL_WARP, s[1], 1);
      d[5] = __shfl_down_sync (HISTO_FULL_WARP, d[1], 1);
    } else {
      uint32_t sums[2], differences[2];

#pragma unroll
      for (uint32_t i = 0; i < 2; i++) {
        sums[i] = above.half (i) + 2 * row.half (i) + below.half (i);
        differences[i] = below.half (i) + bias * 0x10001u - above.half (i);
      }
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        s[i + 1] = Quad::of_halves (sums, i);
        d[i + 1] = Quad::of_halves (differences, i);
      }

      /* The nearest column of each neighbouring lane: its sum and its difference. */
      const uint32_t left = __shfl_up_sync (HISTO_FULL_WARP,
          __byte_perm (sums[1], differences[1], 0x7632), 1);
      const uint32_t right = __shfl_down_sync (HISTO_FULL_WARP,
          __byte_perm (sums[0], differences[0], 0x5410), 1);

      s[0] = left & 0xffff;
      d[0] = left >> 16;
      s[5] = right & 0xffff;
      d[5] = right >> 16;
    }
    [[maybe_unused]] uint32_t values[4];
    uint32_t sum = 0;

#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      const int32_t x = s[i + 2] - s[i], y = d[i] + 2 * d[i + 1] + d[i + 2] - 4 * bias;
      const bool is_inner = (columns.inner () >> i & 1) != 0;
      float square;

      if constexpr (Quad::BYTES == 1)   /* It is below 2^23. */
        square = __uint_as_float ((uint32_t) (x * x + y * y) + __float_as_uint (FLOAT_OF_INTEGERS))
            - FLOAT_OF_INTEGERS;
      else if constexpr (Quad::is_deep)
        square = (float) ((int64_t) x * x + (int64_t) y * y);
      else
        square = (float) (x * x + y * y);

      /* histo_gradient () and histo_gradient_fixed (): rounded down as the last bits of a number from 2^23 on. */
      const float magnitude = square_root (fmaxf (square, 1e-30f));
      const uint32_t zero = __float_as_uint (FLOAT_OF_INTEGERS);
      uint32_t gradient = min (__float_as_uint (__fmaf_rd (magnitude, 0.25f, FLOAT_OF_INTEGERS)),
          zero + formulas.matrix.max);
      uint32_t fixed = __float_as_uint (__fadd_rd (fmaf (magnitude, depth ().fixed_scale, 0.5f),
              FLOAT_OF_INTEGERS)) - zero;

      if constexpr (!Counters::has_row_256)
        gradient -= zero;
      if constexpr (Counters::counts_all) {
        if (is_inner)
          counters.count (HISTO_STRIP_GRADIENT, 0, gradient);
      } else {
        values[i] = gradient;
      }
      fixed = is_inner ? fixed : 0;
      sum += fixed;
      gradient_squares += (Sum) fixed * fixed;
    }
    gradients += sum;
    if constexpr (!Counters::counts_all)
      counters.count_gradients (Quad::of (values[0], values[1], values[2], values[3]), columns.inner ());
  }

  /* ---- Rows ---- */

  /* The row of the picture that is loaded for row y. */
  template <bool IS_PLAIN>
  __device__ __forceinline__ uint32_t
  inside (int32_t y) const
  {
    return (uint32_t) (IS_PLAIN ? y : min (max (y, 0), (int32_t) launch.height - 1));
  }

  template <typename Row, uint32_t N>
  __device__ __forceinline__ static void
  push (Row (&rows)[N], const Row &row)
  {
#pragma unroll
    for (uint32_t i = 0; i + 1 < N; i++)
      rows[i] = rows[i + 1];
    rows[N - 1] = row;
  }

  /* Whether chroma of a row is counted with row y. */
  __device__ __forceinline__ bool
  begins_chroma (int32_t y) const
  {
    return (y & ((1 << formulas.h_sub) - 1)) == 0 || y == top;
  }

  /* Reads row n of three or four components, and measures it if it belongs to the band. */
  template <bool IS_PLAIN>
  __device__ __forceinline__ void
  step_full (int32_t n)
  {
    const uint32_t y = inside<IS_PLAIN> (n);
    const bool is_own = has_row (n);
    Quad now[4] = { }, before[4] = { }, rgb[3] = { }, luma = { }, signal_luma = { };

    if (is_own && has (HISTO_FLAG_PREVIOUS))
      loader.load_previous_pixels (y, before);
    loader.load_pixels (y, now);
    if constexpr (is_rgb) {
      loader.scale (now, rgb);
      if (has (HISTO_FLAG_SIGNAL))
        signal_luma = row (0).quad (rgb[0], rgb[1], rgb[2]);
      if (HAS_ALL && has (Counters::counts_all ? HISTO_FLAG_COLOR | HISTO_FLAG_DETAIL : HISTO_FLAG_DETAIL))
        luma = row (3).quad (rgb[0], rgb[1], rgb[2]);
    } else {
      luma = signal_luma = now[0];
    }
    push (signal, signal_luma);
    if (HAS_ALL && has (HISTO_FLAG_DETAIL))
      push (detail, stretched (luma));
    measure_neighbours<IS_PLAIN> (n);
    if (!is_own)
      return;
    if (has (HISTO_FLAG_COPY) && columns.own () != 0)
      loader.store_pixels (y, now);
    if (has (HISTO_FLAG_SIGNAL)) {
      if constexpr (is_rgb) {
        /* From here on chroma. */
        const Quad u = row (1).quad (rgb[0], rgb[1], rgb[2]), v = row (2).quad (rgb[0], rgb[1], rgb[2]);

        measure_signal<IS_PLAIN> (signal_luma, u, v);
      } else {
        measure_signal<IS_PLAIN> (signal_luma, now[1], now[2]);
      }
    }
    if (!IS_PLAIN || is_partial)
      count_pixels<false> (now, before, rgb, luma);
    else if (columns.own () != 0)
      count_pixels<true> (now, before, rgb, luma);
    if (launch.n_components > 3)
      count_alpha (now[3], before[3]);
    if constexpr (HAS_ALL) {
      if (has (HISTO_FLAG_DETAIL) && has (HISTO_FLAG_PREVIOUS)) {
        if constexpr (is_rgb) {
          Quad scaled_before[3];

          loader.scale (before, scaled_before);
          compare (detail[2], row (3).quad (scaled_before[0], scaled_before[1], scaled_before[2]));
        } else {
          compare (detail[2], before[0]);
        }
      }
      if (has (HISTO_FLAG_AREA)) {
        uint32_t sum = 0;

#pragma unroll
        for (uint32_t c = 0; c < (is_rgb ? 3 : 1); c++) {
          const Quad &quad = is_rgb ? rgb[c] : now[c];

          add_to_columns (quad);
          sum += quad.masked (own).sum ();
        }
        add_lightness (n, &sum, 1);
      }
    }
  }

  template <bool IS_PLAIN>
  __device__ __forceinline__ void
  measure_signal (const Quad &luma, const Quad &u, const Quad &v)
  {
    add_outside (luma, chroma_outside (u, v));
    if (!IS_PLAIN || is_partial)
      count_chroma_quad<false> (u, v);
    else if (columns.own () != 0)
      count_chroma_quad<true> (u, v);
  }

  template <bool IS_WHOLE>
  __device__ __forceinline__ void
  count_pixels (const Quad now[4], const Quad before[4], const Quad rgb[3], const Quad &luma)
  {
#pragma unroll
    for (uint32_t c = 0; c < 3; c++)
      count_component<IS_WHOLE> (c, now[c], before[c]);
    if constexpr (HAS_ALL && is_rgb) {
      if (has (HISTO_FLAG_COLOR))
        count_quad<IS_WHOLE> (HISTO_STRIP_LUMA, 0, luma);
      if (has (HISTO_FLAG_HDR))
        count_greatest<IS_WHOLE> (rgb);
    } else if constexpr (HAS_ALL) {
      if (has (color_flags)) {
        const Quad row[1] = { now[0] };

        count_colors<IS_WHOLE> (row, now[1], now[2], 1);
      }
    }
  }

  /* Whether luma and chroma are loaded together. */
  __device__ __forceinline__ bool
  is_packed () const
  {
    return FORM == HISTO_FORM_ROWS && launch.loader > HISTO_LOADER_IN_TURN;
  }

  /* Loads luma before it is needed. */
  __device__ __forceinline__ void
  load_coming (int32_t n)
  {
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) {
      if (!is_packed ())
        coming[r] = loader.load_plane (launch.now, 0, inside<false> (n + r));
    }
  }

  /* Measures ROWS rows from n on, where chroma has fewer samples in a row than luma, or none. */
  template <bool IS_PLAIN>
  __device__ __forceinline__ void
  step_half (int32_t n)
  {
    constexpr uint32_t all_rows = (1 << ROWS) - 1;
    const uint32_t chroma_y = inside<IS_PLAIN> (n) >> (ROWS == 2 && formulas.has_chroma ? 1 : formulas.h_sub);
    /* Gradients are those of luma alone, also of gray: then there is no chroma. */
    const bool has_chroma = Counters::flags != HISTO_FLAG_DETAIL && (FORM == HISTO_FORM_ROWS || formulas.has_chroma);
    const bool loads_chroma = has_chroma & !is_packed ();     /* packed formats have chroma: && would be a branch */
    Quad luma[ROWS] = { }, before[ROWS] = { }, chroma = { }, chroma_before = { };
    typename Loader<Quad>::RawChroma raw = { };
    uint32_t own_rows = 0;

#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) {
      if (IS_PLAIN)
        own_rows = has_row (n) ? all_rows : 0;
      else
        own_rows |= (uint32_t) has_row (n + (int32_t) r) << r;
      if (is_packed ())
        loader.load_packed (inside<IS_PLAIN> (n + r), luma[r], chroma);
      else
        luma[r] = loader.value (coming[r]);
    }
    if (own_rows != 0) {
      if (loads_chroma)
        raw = loader.load_chroma (chroma_y);
      if (has (HISTO_FLAG_PREVIOUS)) {
#pragma unroll
        for (uint32_t r = 0; r < ROWS; r++)
          before[r] = loader.load_plane (launch.previous, 0, inside<IS_PLAIN> (n + r));
      }
      if (has_chroma && has (HISTO_FLAG_MOTION))
        chroma_before = loader.load_plane (launch.previous, 1, chroma_y);
    }
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) {
      push (signal, luma[r]);
      if (HAS_ALL && has (HISTO_FLAG_DETAIL))
        push (detail, stretched (luma[r]));
    }
    load_coming (n + ROWS);
    measure_neighbours<IS_PLAIN> (n);
    if (own_rows == 0)
      return;

    Quad u = Quad::all (1u << (depth ().depth - 1)), v = u;
    uint32_t outside = 0;       /* flags of the pixels whose chroma is outside */

    if (has_chroma) {
      if (loads_chroma)
        chroma = loader.chroma_of (raw);
      u = chroma.spread_u ();
      v = chroma.spread_v ();
      if (has (HISTO_FLAG_SIGNAL))
        outside = chroma_outside (u, v);
      if ((FORM == HISTO_FORM_TWO_ROWS || begins_chroma (n)) && columns.own_chroma () != 0) {
        if (has (HISTO_FLAG_COPY))
          loader.store_plane (launch.copy, 1, chroma_y, chroma);
        if (IS_PLAIN && columns.own_v () == 3)
          count_in_turn<true> (chroma, chroma.diff (chroma_before));
        else
          count_in_turn<false> (chroma, chroma.diff (chroma_before));
      }
    }
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) {
      const int32_t y = n + (int32_t) r;

      if (!IS_PLAIN && (own_rows >> r & 1) == 0)
        continue;
      if (has (HISTO_FLAG_SIGNAL))
        add_outside (luma[r], outside);
      if (has (HISTO_FLAG_COPY) && columns.own () != 0)
        loader.store_plane (launch.copy, 0, y, luma[r]);
      if (!IS_PLAIN || is_partial)
        count_component<false> (0, luma[r], before[r]);
      else if (columns.own () != 0)
        count_component<true> (0, luma[r], before[r]);
      if (launch.n_components > 3)
        measure_alpha_plane (y);
      if constexpr (HAS_ALL) {
        if (has (HISTO_FLAG_DETAIL) && has (HISTO_FLAG_PREVIOUS))
          compare (detail[2 + r], before[r]);
        if (has (HISTO_FLAG_AREA))
          add_to_columns (luma[r]);
      }
    }
    if constexpr (HAS_ALL) {
      if (has (HISTO_FLAG_AREA)) {
        uint32_t sums[ROWS];

#pragma unroll
        for (uint32_t r = 0; r < ROWS; r++)
          sums[r] = luma[r].masked (own).sum ();
        add_lightness (n, sums, IS_PLAIN ? all_rows : own_rows);
      }
      if (has (color_flags)) {
        if constexpr (FORM == HISTO_FORM_ROWS) {
          /* `signal` looks at the rows of frames, as signalstats. */
          if (launch.scan.has_field_chroma) {
            chroma = loader.chroma_of (loader.load_chroma (histo_chroma_row_of_field (&launch.scan, n)));
            u = chroma.spread_u ();
            v = chroma.spread_v ();
          }
        }
        if (!IS_PLAIN || is_partial)
          count_colors<false> (luma, u, v, own_rows);
        else if (columns.own () != 0)
          count_colors<true> (luma, u, v, own_rows);
      }
    }
  }

  /* Two samples each of U and V. */
  template <bool IS_WHOLE>
  __device__ __forceinline__ void
  count_in_turn (const Quad &chroma, const Quad &differences) const
  {
    uint32_t entries[2] = { };

    if (has (HISTO_FLAG_SIGNAL)) {
#pragma unroll
      for (uint32_t i = 0; i < 2; i++)
        entries[i] = chroma_entry (chroma.get (2 * i), chroma.get (2 * i + 1));
    }
#pragma unroll
    for (uint32_t i = 0; i < 2; i++) {
      const bool has_v = IS_WHOLE || (columns.own_v () >> i & 1) != 0;

      if (!IS_WHOLE && (columns.own_chroma () >> i & 1) == 0)
        continue;
      if (has (HISTO_FLAG_SAMPLES)) {
        counters.count_quad (HISTO_STRIP_SAMPLE, 1, chroma, 2 * i);
        if (has_v)
          counters.count_quad (HISTO_STRIP_SAMPLE, 2, chroma, 2 * i + 1);
      }
      if (has (HISTO_FLAG_MOTION)) {
        counters.count_quad (HISTO_STRIP_DIFFERENCE, 1, differences, 2 * i);
        if (has_v)
          counters.count_quad (HISTO_STRIP_DIFFERENCE, 2, differences, 2 * i + 1);
      }
      if (has (HISTO_FLAG_SIGNAL))
        count_entry (entries[i]);
    }
  }

  __device__ __forceinline__ void
  measure_alpha_plane (uint32_t y)
  {
    const Quad now = loader.value (loader.load_plane (launch.now, 3, y));
    Quad before = { };

    if (has (HISTO_FLAG_MOTION))
      before = loader.load_plane (launch.previous, 3, y);
    if (has (HISTO_FLAG_COPY) && columns.own () != 0)
      loader.store_plane (launch.copy, 3, y, now);
    count_alpha (now, before);
  }

  /* Outliers of the rows from y on, which are remembered from signal[2] on. */
  template <bool IS_PLAIN>
  __device__ __forceinline__ void
  find_outliers (int32_t y)
  {
    /* The distances between rows one, two and four apart. */
    typename Quad::Distances one[1 + ROWS], two[2 + ROWS], four[ROWS];

#pragma unroll
    for (uint32_t i = 0; i < 1 + ROWS; i++)
      one[i] = Quad::distances (signal[1 + i], signal[2 + i]);
#pragma unroll
    for (uint32_t i = 0; i < 2 + ROWS; i++)
      two[i] = Quad::distances (signal[i], signal[2 + i]);
#pragma unroll
    for (uint32_t i = 0; i < ROWS; i++)
      four[i] = Quad::distances (signal[i], signal[4 + i]);
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) {
      const int32_t at = y + (int32_t) r;
      const bool has_two = IS_PLAIN || (at > top + 1 && at + 2 < bottom);
      const bool has_one = IS_PLAIN || (has_row (at) && at > top && at + 1 < bottom);
      const uint32_t flags = Quad::outliers (one[r], one[1 + r], two[1 + r], two[r], two[2 + r], four[r], has_two,
          depth ());

      if (has_one)
        tout += __popc (Quad::neighbours (flags) & inner_flags ());
    }
  }

  /* Whether row y is the band's. */
  __device__ __forceinline__ bool
  has_row (int32_t y) const
  {
    return (uint32_t) (y - first) < (uint32_t) (last - first);
  }

  /* What needs rows above and below, of the rows that are remembered when row n is the first of the newest ones. */
  template <bool IS_PLAIN>
  __device__ __forceinline__ void
  measure_neighbours (int32_t n)
  {
    const int32_t y = n - 2;
    constexpr uint32_t all_rows = (1 << ROWS) - 1;

    if (has (HISTO_FLAG_SIGNAL) && (has_row (y) || (!IS_PLAIN && has_row (y + (int32_t) ROWS - 1)))) {
      uint32_t sums[ROWS], steps = 0, rows = 0;

#pragma unroll
      for (uint32_t r = 0; r < ROWS; r++) {
        const int32_t newest = n + (int32_t) r;

        sums[r] = signal[4 + r].diff (signal[r]).masked (own).sum ();
        /* There are 128 pixels: the counts of the rows lie side by side. */
        steps |= (uint32_t) __popc (signal[4 + r].steps (signal[4 + r].left (), depth ()) & inner_flags ()) << 16 * r;
        rows |= (uint32_t) (has_row (newest - 2) && newest >= top + 4 && newest < bottom) << r;
      }
      if (IS_PLAIN || rows != 0) {
        const uint32_t n_steps = sum_of_warp_32 (steps) >> (lane == 0 ? 0 : 16) & 0xffff;

        add_rows ((Sum *) launch.row_differences, difference_row + n,
            (Sum) n_steps << HISTO_STEPS_SHIFT | sum_of_rows (sums), IS_PLAIN ? all_rows : rows);
      }
      find_outliers<IS_PLAIN> (y);
    }
    if constexpr (HAS_ALL && Counters::counts_gradients) {
#pragma unroll
      for (uint32_t r = 0; r < ROWS; r++) {
        const int32_t middle = n - 1 + (int32_t) r;

        if (has (HISTO_FLAG_DETAIL) && has_row (middle)
            && (IS_PLAIN || (middle > top && middle + 1 < bottom)))
          measure_gradients (detail[r], detail[1 + r], detail[2 + r]);
      }
    }
  }

  template <bool IS_PLAIN>
  __device__ __forceinline__ void
  measure_rows ()
  {
    const int32_t before = has (HISTO_FLAG_SIGNAL) ? 2 : HAS_ALL && has (HISTO_FLAG_DETAIL) ? (int32_t) ROWS : 0;
    const int32_t begin = (first & ~(int32_t) (ROWS - 1)) - before, end = last + before;

    if constexpr (!is_full)
      load_coming (begin);
#pragma unroll 1
    for (int32_t n = begin; n < end; n += ROWS) {
      if constexpr (is_full)
        step_full<IS_PLAIN> (n);
      else
        step_half<IS_PLAIN> (n);
    }
  }

  /* Measures the band. A plain band has two rows of the region above and below it; so it begins and ends at even
   * rows, and has whole steps. Only plain bands have code for lanes that own all of their pixels. */
  __device__ __forceinline__ void
  measure ()
  {
    if (first < top + 2 || last + 2 > bottom) {
      measure_rows<false> ();
    } else if ((flags & all_flags) == all_flags && !is_partial) {
      /* Where the compiler knows the flags, it leaves out their tests: all groups take up to 12 % less time. */
      flags = all_flags | (flags & HISTO_FLAG_COPY);
      is_partial = false;
      measure_rows<true> ();
    } else {
      measure_rows<true> ();
    }
  }

  /* Adds what the lane has summed. */
  __device__ __forceinline__ void
  finish (Sum *tallies)
  {
    if (launch.n_components > 3) {
      end_run (0);
      end_run (1);
    }
    if (has (HISTO_FLAG_SIGNAL)) {
      add_lanes_32 (tallies + HISTO_TALLY_BRNG, brng);
      add_lanes_32 (tallies + HISTO_TALLY_TOUT, tout);
    }
    if constexpr (HAS_ALL && !is_rgb) {
      if (has (HISTO_FLAG_GREATEST)) {
        for (uint32_t k = 0; k < 3; k++)
          raise_lanes (tallies + HISTO_TALLY_GREATEST_RED + k, Quad::BYTES == 1 ? min (greatest[k] & 0x1ff, 256u) :
              greatest[k]);
      }
    }
    if constexpr (HAS_ALL) {
      if (has (HISTO_FLAG_DETAIL)) {
        if constexpr (Counters::counts_gradients) {
          add_lanes (tallies + HISTO_TALLY_GRADIENT_SUM, gradients);
          add_lanes (tallies + HISTO_TALLY_GRADIENT_SQUARES, gradient_squares);
        }
        add_lanes (tallies + HISTO_TALLY_TI_SUM, (Sum) (long long) ti_sum);
        add_lanes (tallies + HISTO_TALLY_TI_SQUARES, ti_squares);
      }
      if (has (HISTO_FLAG_AREA)) {
        for (int32_t i = 0; i < 4; i++) {
          if ((columns.own () >> i & 1) != 0)
            atomicAdd (block.tally_sums () + block.region ().first_column + (columns.first + i), (Sum) lightness[i]);
        }
      }
    }
  }
};

/* ---- The kernels ----------------------------------------------------------------------------- */

/* The region's units of work are strip × band. Each warp of its blocks measures some of them. */
template <typename Quad, typename Counters, uint32_t FORM, bool HAS_ALL>
__device__ __forceinline__ void
measure_strips (const HistoStripLaunch &launch)
{
  __shared__ Sum tallies[HISTO_N_TALLIES];
  __shared__ uint32_t n_begun;
  const RegionBlock block (launch);
  const Counters counters (block);

  counters.clear ();
  if (threadIdx.x < HISTO_N_TALLIES)
    tallies[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    n_begun = blockDim.x / HISTO_WARP_SIZE;
  __syncthreads ();
  for_each_unit (block, &n_begun, [&] (uint32_t number, uint32_t begin, uint32_t end) {
    Strip<Quad, Counters, FORM, HAS_ALL> strip (block, counters, number, begin, end);

    strip.measure ();
    strip.finish (tallies);
  });
  __syncthreads ();
  wait_for_previous_launch ();
  counters.publish ();
  add_tallies (block, tallies);
  publish_region (block);
}
