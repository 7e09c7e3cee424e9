/* Quads, four neighbouring samples of one byte in a word: arithmetic on them, and where a lane finds
 * them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps/regions.cuh"

/* ---- Arithmetic on quads ------------------------------------------------------------------- */

/* The tests give their answer in the highest bit of each byte; the other bits mean nothing. */
struct Quads
{
  static constexpr uint32_t high = 0x80808080;

  /* The value in all four bytes. */
  __device__ __forceinline__ static constexpr uint32_t
  all (uint32_t value)
  {
    return value * 0x01010101;
  }

  /* 0xff in each byte whose bit, 0 to 3, is set. */
  __device__ __forceinline__ static uint32_t
  of_bits (uint32_t bits)
  {
    return (bits * 0x00204081 & all (1)) * 0xff;
  }

  /* Out of 16 to 235: more than 110 away from 125 or from 126. */
  __device__ __forceinline__ static uint32_t
  luma_out_of_range (uint32_t quad)
  {
    return (__vabsdiffu4 (quad, all (125)) + all (128 - 111))
        | (__vabsdiffu4 (quad, all (126)) + all (128 - 111));
  }

  /* Out of 16 to 240: more than 112 away from 128. */
  __device__ __forceinline__ static uint32_t
  chroma_out_of_range (uint32_t quad)
  {
    return __vabsdiffu4 (quad, all (128)) + all (128 - 113);
  }

  /* histo_is_outlier () of a pixel b between a and c. The arguments are the distances between these
   * three: ab + bc - 2 ac >= 10. */
  __device__ __forceinline__ static uint32_t
  outliers (uint32_t ab, uint32_t bc, uint32_t ac)
  {
    const uint32_t even = of_halves (ab & 0x00ff00ff, bc & 0x00ff00ff, ac & 0x00ff00ff);
    const uint32_t odd = of_halves (odd_bytes (ab), odd_bytes (bc), odd_bytes (ac));

    return __byte_perm (even, odd, 0x7351);
  }

private:
  __device__ __forceinline__ static uint32_t
  odd_bytes (uint32_t quad)
  {
    return __byte_perm (quad, 0, 0x4341);
  }

  /* The same for two pixels in the halves of a word. */
  __device__ __forceinline__ static uint32_t
  of_halves (uint32_t ab, uint32_t bc, uint32_t ac)
  {
    return ab + bc + 0x10001 * (0x8000 - 10) - 2 * ac;
  }
};

/* ---- Planes -------------------------------------------------------------------------------------- */

/* Hides from the compiler how a number was computed. Otherwise it computes the number again in each row,
 * to save a register. */
__device__ __forceinline__ uint32_t
keep (uint32_t number)
{
#ifdef __CUDA_ARCH__
  asm volatile ("" : "+r" (number));
#endif
  return number;
}

/* @offset: bytes from the view's first byte; a multiple of 4 */
__device__ __forceinline__ uint32_t
load_quad (const HistoMapsView &view, int32_t offset)
{
  return __ldg ((const uint32_t *) (view.data + offset));
}

/* The lane's quads in a plane. No block of a launch writes what it or another block reads. Offsets
 * fit in 32 bits (HISTO_MAPS_WHOLE). */
struct QuadPlane
{
  const HistoMapsView &view;
  int32_t first;                /* bytes from view.data to the lane's quad in row 0 of the region */

  __device__ __forceinline__
  QuadPlane (const HistoMapsView &of, int32_t x_bytes, uint32_t first_row)
  : view (of), first ((int32_t) keep (first_row * (uint32_t) of.stride + (uint32_t) x_bytes))
  {
  }

  /* @row: of the region */
  __device__ __forceinline__ int32_t
  offset (uint32_t row) const
  {
    return (int32_t) (row * (uint32_t) view.stride) + first;
  }

  __device__ __forceinline__ uint32_t
  load (int32_t offset) const
  {
    return load_quad (view, offset);
  }

  __device__ __forceinline__ uint32_t
  load_half (int32_t offset) const
  {
    return __ldg ((const uint16_t *) (view.data + offset));
  }

  __device__ __forceinline__ void
  store (int32_t offset, uint32_t quad) const
  {
    *(uint32_t *) (view.data + offset) = quad;
  }
};

/* A row of chroma as it was read, from one plane or from two. */
struct Chroma
{
  uint32_t words[2];
};

/* U and V of the buffer. @ARE_APART: in planes of their own */
template <bool ARE_APART>
struct ChromaPlanes
{
  QuadPlane u, v;
  uint32_t order;               /* of the bytes in a plane of both */

  __device__ __forceinline__
  ChromaPlanes (const HistoMapsView views[2], int32_t x, uint32_t first_row)
  : u (views[0], ARE_APART ? x / 2 : x, first_row), v (views[1], ARE_APART ? x / 2 : x, first_row),
    order (keep (views[1].data < views[0].data ? 0x2301 : 0x3210))
  {
    /* The plane begins with V, one byte before U. */
    if (!ARE_APART && order == 0x2301)
      u.first = (int32_t) keep ((uint32_t) u.first - 1);
  }

  __device__ __forceinline__ Chroma
  load (uint32_t row) const
  {
    if constexpr (ARE_APART)
      return { { u.load_half (u.offset (row)), v.load_half (v.offset (row)) } };
    else
      return { { u.load (u.offset (row)), 0 } };
  }

  /* A quad of U and V in turn. */
  __device__ __forceinline__ uint32_t
  quad (const Chroma &chroma) const
  {
    return ARE_APART ? __byte_perm (chroma.words[0], chroma.words[1], 0x5140)
        : __byte_perm (chroma.words[0], 0, order);
  }
};

/* ---- Sums ------------------------------------------------------------------------------------------ */

/* Adds the lanes' sums of two rows, in the halves of a word, to to[0] and to[1]. The 30 lanes that count
 * have at most 30 * 4 * 255 for a row, which fits in a half. */
__device__ __forceinline__ void
add_sums_of_rows (uint32_t sums, uint32_t lane, uint32_t *to)
{
  const uint32_t sum = sum_of_warp_32 (sums);

  if (lane < 2)
    atomicAdd (to + lane, sum >> 16 * lane & 0xffff);
}
