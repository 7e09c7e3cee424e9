/* The groups `color`, `hdr`, `detail` and `area` of a strip (strips.cuh).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps/pairs.cuh"
#include "kernels/maps/regions.cuh"

/* What a lane keeps for these groups while it goes down its columns. */
struct MoreGroups
{
  const RegionBlock &block;
  const HistoMapsLaunch &launch;
  const SharedCounters &counters;
  uint32_t scale;               /* bytes from a counter to the next value's */
  /* What the two samples of chroma add to R, G and B. */
  int32_t of_chroma[2][3];
  Pairs stretched[3];           /* luma of the last three rows; [2] is the newest */
  uint32_t columns[4];          /* sums of luma */
  Sum gradients, gradient_squares, ti_squares;
  long long ti_sum;

  __device__ __forceinline__
  MoreGroups (const RegionBlock &of, const SharedCounters &to)
  : block (of), launch (of.launch), counters (to), scale (1u << to.bin_log2), stretched (),
    gradients (0), gradient_squares (0), ti_squares (0), ti_sum (0)
  {
  }

  __device__ __forceinline__ void
  begin_strip ()
  {
    const uint32_t mid = 1u << (launch.maps.depth - 1);

#pragma unroll
    for (int i = 0; i < 4; i++)
      columns[i] = 0;
    set_chroma (mid * 0x10001, mid * 0x10001);
  }

  __device__ __forceinline__ void
  count (uint32_t value, uint32_t bin) const
  {
    counters.count_at (value * scale + counters.offset_of (bin));
  }

  /* Number i of four. */
  __device__ __forceinline__ static int32_t
  number (const Pairs &four, int i)
  {
    return (int32_t) (i % 2 == 0 ? four.p[i / 2] & 0xffff : four.p[i / 2] >> 16);
  }

  /* ---- color and hdr ---- */

  /* Evaluates the parts of histo_matrix_row_narrow () that do not depend on luma. */
  __device__ __forceinline__ void
  set_chroma (uint32_t u, uint32_t v)
  {
    const HistoMatrix &matrix = launch.maps.matrix;

#pragma unroll
    for (int s = 0; s < 2; s++) {
      const int32_t own_u = (int32_t) (s == 0 ? u & 0xffff : u >> 16) - matrix.from[1];
      const int32_t own_v = (int32_t) (s == 0 ? v & 0xffff : v >> 16) - matrix.from[2];

#pragma unroll
      for (int i = 0; i < 3; i++) {
        const int32_t *row = matrix.coefficients[i];

        of_chroma[s][i] = row[1] * own_u + row[2] * own_v - row[0] * matrix.from[0]
            + (matrix.to[i] << HISTO_MATRIX_SHIFT) + (1 << (HISTO_MATRIX_SHIFT - 1));
      }
    }
  }

  __device__ __forceinline__ void
  count_colors (const Pairs &luma, uint32_t own) const
  {
    const HistoMatrix &matrix = launch.maps.matrix;

#pragma unroll
    for (int k = 0; k < 4; k++) {
      int32_t rgb[3];

      if ((own >> k & 1) == 0)
        continue;
#pragma unroll
      for (int i = 0; i < 3; i++) {
        const int32_t value = (matrix.coefficients[i][0] * number (luma, k)
            + of_chroma[k / 2][i]) >> HISTO_MATRIX_SHIFT;

        rgb[i] = min (max (value, 0), matrix.max);
        if (block.has (HISTO_MAPS_COLOR))
          count (rgb[i], launch.color_bins[i]);
      }
      if (block.has (HISTO_MAPS_HDR))
        count (max (max (rgb[0], rgb[1]), rgb[2]), launch.maxrgb_bin);
    }
  }

  /* ---- detail ---- */

  /* histo_stretch () */
  __device__ __forceinline__ uint32_t
  stretch (uint32_t y) const
  {
    const uint32_t f_log2 = launch.maps.depth - HISTO_LEAST_MAP_DEPTH;
    const int32_t over = min (max ((int32_t) y - (16 << f_log2), 0), 219 << f_log2);

    return (uint32_t) (launch.maps.matrix.max * over) / 219 >> f_log2;
  }

  __device__ __forceinline__ Pairs
  stretch_four (const Pairs &luma) const
  {
    Pairs four = luma;

    if (launch.maps.is_limited) {
#pragma unroll
      for (int i = 0; i < 2; i++)
        four.p[i] = stretch (luma.p[i] & 0xffff) | stretch (luma.p[i] >> 16) << 16;
    }
    return four;
  }

  __device__ __forceinline__ void
  push (const Pairs &luma)
  {
    stretched[0] = stretched[1];
    stretched[1] = stretched[2];
    stretched[2] = stretch_four (luma);
  }

  /* Compares the newest row with the previous frame. */
  __device__ __forceinline__ void
  compare (const Pairs &before, uint32_t own)
  {
    const Pairs other = stretch_four (before);
    int32_t sum = 0, squares = 0;

#pragma unroll
    for (int k = 0; k < 4; k++) {
      const int32_t difference = number (stretched[2], k) - number (other, k);

      if (own >> k & 1) {
        sum += difference;
        squares += difference * difference;
      }
    }
    ti_sum += sum;
    ti_squares += squares;
  }

  /* Measures the gradients of the row before the newest one: Sobel's sums over the rows first,
   * then over the columns. */
  __device__ __forceinline__ void
  measure_gradients (uint32_t inner)
  {
    /* Keeps differences positive. */
    const uint32_t bias = 1 << HISTO_MATRIX_SHIFT_DEPTH;
    Pairs sums, differences;

#pragma unroll
    for (int i = 0; i < 2; i++) {
      sums.p[i] = stretched[0].p[i] + 2 * stretched[1].p[i] + stretched[2].p[i];
      differences.p[i] = stretched[2].p[i] + bias * 0x10001 - stretched[0].p[i];
    }

    /* The nearest column of each neighbouring lane: its sum and its difference. */
    const uint32_t left = __shfl_up_sync (HISTO_FULL_WARP,
        __byte_perm (sums.p[1], differences.p[1], 0x7632), 1);
    const uint32_t right = __shfl_down_sync (HISTO_FULL_WARP,
        __byte_perm (sums.p[0], differences.p[0], 0x5410), 1);
    int32_t s[6], d[6];
    uint32_t sum = 0;

    if (inner == 0)
      return;
    s[0] = left & 0xffff;
    d[0] = left >> 16;
    s[5] = right & 0xffff;
    d[5] = right >> 16;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      s[k + 1] = number (sums, k);
      d[k + 1] = number (differences, k);
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const int32_t x = s[k + 2] - s[k];
      const int32_t y = d[k] + 2 * d[k + 1] + d[k + 2] - 4 * (int32_t) bias;
      const int32_t square = x * x + y * y;
      const float magnitude = sqrtf ((float) square);

      if ((inner >> k & 1) == 0)
        continue;
      count (histo_gradient (magnitude, launch.maps.depth), launch.gradient_bin);

      const uint32_t fixed = histo_gradient_fixed (magnitude, launch.maps.depth);

      sum += fixed;
      gradient_squares += (Sum) fixed * fixed;
    }
    gradients += sum;
  }

  /* ---- area ---- */

  __device__ __forceinline__ void
  add_to_columns (const Pairs &luma)
  {
#pragma unroll
    for (int k = 0; k < 4; k++)
      columns[k] += number (luma, k);
  }

  /* @first: the lane's first column, in the region; may be negative */
  __device__ __forceinline__ void
  end_strip (int32_t first, uint32_t own) const
  {
#pragma unroll
    for (int k = 0; k < 4; k++) {
      if (own >> k & 1)
        atomicAdd (block.tally_sums () + block.region ().first_column + (first + k),
            (Sum) columns[k]);
    }
  }

  template <typename RowSum>
  __device__ __forceinline__ void
  add_tallies (BlockSums<RowSum> &to) const
  {
    to.add_to_tally (HISTO_TALLY_GRADIENT_SUM, gradients);
    to.add_to_tally (HISTO_TALLY_GRADIENT_SQUARES, gradient_squares);
    to.add_to_tally (HISTO_TALLY_TI_SUM, (Sum) ti_sum);
    to.add_to_tally (HISTO_TALLY_TI_SQUARES, ti_squares);
  }
};
