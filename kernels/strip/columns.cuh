/* The columns of a lane.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip/regions.cuh"

/* The four pixels of a lane. */
struct Columns
{
  /* Columns of what no pixel's neighbours are needed for: all lanes have own pixels. */
  static constexpr uint32_t WITHOUT_NEIGHBOURS = 4 * HISTO_WARP_SIZE;

  uint32_t x;                   /* the first pixel that is loaded */
  int32_t first;                /* the first one's place in the region */
  uint32_t bits;                /* what the functions below take apart: together they need one register */

  /* @n_columns: of a strip: HISTO_STRIP_COLUMNS or WITHOUT_NEIGHBOURS, a constant */
  __device__ __forceinline__
  Columns (const HistoStripLaunch &launch, const HistoStripRegion &region, uint32_t strip,
      uint32_t n_columns = HISTO_STRIP_COLUMNS)
  {
    const bool has_edges = n_columns == HISTO_STRIP_COLUMNS;
    const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;
    const int32_t left = (int32_t) region.x, right = left + (int32_t) region.width - 1;
    const int32_t at = (left & ~3) - (has_edges ? 4 : 0) + (int32_t) (strip * n_columns + 4 * lane);
    const bool is_edge = has_edges && (lane == 0 || lane == HISTO_WARP_SIZE - 1);

    x = (uint32_t) min (max (at, 0), (int32_t) launch.last_quad);
    first = at - left;

    const uint32_t pixels = is_edge ? 0 : inside (left, right, at);
    const uint32_t inner_pixels = is_edge ? 0 : inside (left + 1, right - 1, at);
    /* A sample of four pixels is their first one. */
    const uint32_t chroma = launch.formulas.w_sub == 2 ? pixels != 0 : ((pixels & 3) != 0) | ((pixels & 12) != 0) << 1;
    const uint32_t v = chroma & ((1u << min (launch.n_columns_of_v - min (x / 2, launch.n_columns_of_v), 2u)) - 1);

    bits = pixels | inner_pixels << 4 | chroma << 8 | v << 10;
  }

  /* Bit i: pixel i is the lane's, and in the region. */
  __device__ __forceinline__ uint32_t
  own () const
  {
    return bits & 15;
  }

  /* Whether some of the four pixels are own ones, but not all. */
  __device__ __forceinline__ bool
  are_partial () const
  {
    return own () != 0 && own () != 15;
  }

  /* Bit i: pixel i is an own one, and not in the region's first or last column. */
  __device__ __forceinline__ uint32_t
  inner () const
  {
    return bits >> 4 & 15;
  }

  /* Bit i: sample i of two is the lane's, and of a pixel in the region. */
  __device__ __forceinline__ uint32_t
  own_chroma () const
  {
    return bits >> 8 & 3;
  }

  /* Bit i: the same for V, of which a row may have one sample less than of U. */
  __device__ __forceinline__ uint32_t
  own_v () const
  {
    return bits >> 10;
  }

private:
  /* A bit for each of four columns from `first` on that lies in left .. right. */
  __device__ __forceinline__ static uint32_t
  inside (int32_t left, int32_t right, int32_t first)
  {
    uint32_t found = 0;

    for (int32_t i = 0; i < 4; i++)
      found |= (uint32_t) (first + i >= left && first + i <= right) << i;
    return found;
  }
};
