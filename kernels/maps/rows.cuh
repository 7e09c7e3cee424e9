/* Where a lane of a strip finds its pixels: its columns, and the rows of the buffer and of pictures in
 * the engine's own memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps/pairs.cuh"

/* ---- A lane's columns ------------------------------------------------------------------- */

/* The four pixels of a lane. */
struct Columns
{
  int32_t x;                    /* the first one, in the picture; a multiple of 4; may be -4 */
  uint32_t n_inside;            /* of the four, those that lie in the picture */
  uint32_t n_chroma;            /* likewise of two samples of chroma */
  uint32_t own;                 /* bit i: pixel i is the lane's, and in the region */
  uint32_t inner;               /* the same without the region's first and last column */
  uint32_t own_chroma;          /* bit i: sample i is the lane's, and of a pixel in the region */
  uint32_t own_pairs[2];        /* 0xffff for each own pixel */

  __device__ __forceinline__
  Columns (const HistoMapsLaunch &launch, const HistoMapsRegion &region, uint32_t strip)
  {
    const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;
    const int32_t left = (int32_t) region.x, right = left + (int32_t) region.width - 1;
    const bool is_edge = lane == 0 || lane == HISTO_WARP_SIZE - 1;

    x = (left & ~3) - 4 + (int32_t) (strip * HISTO_STRIP_COLUMNS + 4 * lane);
    n_inside = inside (launch.native[0].width, x, 4);
    n_chroma = inside (launch.native[1].width, x / 2, 2);
    own = is_edge ? 0 : bits (left, right, x, 4);
    inner = is_edge ? 0 : bits (left + 1, right - 1, x, 4);
    own_chroma = is_edge ? 0 : bits (left >> 1, right >> 1, x / 2, 2);
    own_pairs[0] = pair_of_bits (own);
    own_pairs[1] = pair_of_bits (own >> 2);
  }

  /* Those of n columns from `first` on that a row of `width` has. */
  __device__ __forceinline__ static uint32_t
  inside (uint32_t width, int32_t first, uint32_t n)
  {
    return first < 0 || first >= (int32_t) width ? 0 : min (width - first, n);
  }

  /* A bit for each of n columns from `first` on that lies in left .. right. */
  __device__ __forceinline__ static uint32_t
  bits (int32_t left, int32_t right, int32_t first, int32_t n)
  {
    uint32_t found = 0;

    for (int32_t i = 0; i < n; i++)
      found |= (uint32_t) (first + i >= left && first + i <= right) << i;
    return found;
  }
};

/* ---- Planes ------------------------------------------------------------------------------ */

/* The address of the lane's words in row y. Strides fit in 32 bits, so that this is one
 * multiplication. It is a number: no words may lie there. @x_bytes: from the row's first word on */
__device__ __forceinline__ uint64_t
strip_address (const HistoMapsView &view, uint32_t y, int32_t x_bytes)
{
  return view.data + (int64_t) (int32_t) y * (int32_t) view.stride + x_bytes;
}

/* Reads the buffer's rows one after the other: planes of any alignment, chroma in one plane or in
 * two. With IS_WHOLE each lane reads four words at once; the lanes beside the picture read the
 * picture's nearest words, which they do not count. */
template <int BYTES, bool IS_WHOLE>
struct BufferReader
{
  const HistoMapsLaunch &launch;
  uint64_t luma, u, v;          /* addresses of the lane's words in the next row */
  int32_t step;
  uint32_t n_inside, n_chroma;
  bool is_whole;                /* the lane's four words of luma can be loaded at once */
  bool is_whole_chroma;         /* those of chroma, or two and two */

  __device__ __forceinline__
  BufferReader (const HistoMapsLaunch &frame, const Columns &columns, int32_t x, uint32_t y)
  : launch (frame), step (frame.native[1].step), n_inside (columns.n_inside), n_chroma (columns.n_chroma)
  {
    const uint32_t chroma_y = y >> launch.maps.h_sub;
    const bool is_aligned = (launch.flags & HISTO_MAPS_ALIGNED) != 0;

    luma = strip_address (launch.native[0], y, x * BYTES);
    u = strip_address (launch.native[1], chroma_y, x / 2 * step);
    v = strip_address (launch.native[2], chroma_y, x / 2 * step);
    is_whole = IS_WHOLE || (is_aligned && n_inside == 4);
    is_whole_chroma = IS_WHOLE || (is_aligned && n_chroma == 2);
  }

  __device__ __forceinline__ void
  go_down ()
  {
    luma += launch.native[0].stride;
  }

  __device__ __forceinline__ void
  go_down_chroma ()
  {
    u += launch.native[1].stride;
    v += launch.native[2].stride;
  }

  __device__ __forceinline__ Four<BYTES>
  load_luma () const
  {
    if (is_whole)
      return Four<BYTES>::load ((const uint8_t *) luma);

    Four<BYTES> four = Four<BYTES>::zero ();

    for (uint32_t i = 0; i < n_inside; i++)
      four.set (i, load_word<BYTES> ((const uint8_t *) luma + i * BYTES));
    return four;
  }

  __device__ __forceinline__ Four<BYTES>
  load_chroma () const
  {
    if (is_whole_chroma && step == BYTES)
      return Four<BYTES>::load_two ((const uint8_t *) u, (const uint8_t *) v);
    if constexpr (BYTES == 1) {
      /* Only planes of bytes may begin with V. */
      if (is_whole_chroma && v < u)
        return Four<BYTES>::load ((const uint8_t *) v).exchanged ();
    }
    if (is_whole_chroma)
      return Four<BYTES>::load ((const uint8_t *) u);

    Four<BYTES> four = Four<BYTES>::zero ();

    for (uint32_t i = 0; i < n_chroma; i++) {
      four.set (2 * i, load_word<BYTES> ((const uint8_t *) u + i * step));
      four.set (2 * i + 1, load_word<BYTES> ((const uint8_t *) v + i * step));
    }
    return four;
  }
};

/* The lane's words in the rows of a picture in the engine's own memory, one after the other. */
struct PictureRows
{
  const HistoMapsView *views;
  uint64_t luma, chroma;        /* addresses */

  __device__ __forceinline__
  PictureRows (const HistoMapsView *planes, int32_t x_bytes, uint32_t y, uint32_t chroma_y)
  : views (planes), luma (strip_address (planes[0], y, x_bytes)),
    chroma (strip_address (planes[1], chroma_y, x_bytes))
  {
  }

  __device__ __forceinline__ void
  go_down ()
  {
    luma += views[0].stride;
  }

  __device__ __forceinline__ void
  go_down_chroma ()
  {
    chroma += views[1].stride;
  }
};
