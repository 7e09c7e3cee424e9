/* The pairs of kernel `pairs`, two neighbouring samples of 10 bits in a word: arithmetic on them, and where
 * a lane finds them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps/floats.cuh"
#include "kernels/maps/quad-planes.cuh"

/* ---- Words -------------------------------------------------------------------------------- */

/* Loads the words at an address without keeping them in the first-level cache, whose memory the counters
 * take. What the warps of a block have requested would not fit in the rest: the loads would wait for
 * each other, and the table of chroma and spilled registers would be loaded again and again. */
template <typename Words>
__device__ __forceinline__ Words
load_once (uint64_t address)
{
#ifndef __CUDA_ARCH__
  return *(const Words *) address;
#else
  if constexpr (sizeof (Words) == 4) {
    uint32_t word;

    asm ("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r" (word) : "l" (address));
    return word;
  } else {
    uint2 words;

    asm ("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];" : "=r" (words.x), "=r" (words.y)
        : "l" (address));
    return words;
  }
#endif
}

/* @offset: bytes from the view's first byte; a multiple of 8 */
__device__ __forceinline__ uint2
load_two_pairs (const HistoMapsView &view, int32_t offset)
{
  return load_once<uint2> (view.data + offset);
}

/* Two pairs of U and V of the buffer. @ARE_APART: in planes of their own */
template <bool ARE_APART>
struct PairChromaPlanes
{
  QuadPlane u, v;

  __device__ __forceinline__
  PairChromaPlanes (const HistoMapsView views[2], int32_t x, uint32_t first_row)
  : u (views[0], ARE_APART ? x : 2 * x, first_row), v (views[1], ARE_APART ? x : 2 * x, first_row)
  {
  }

  /* The words as they lie in memory. */
  __device__ __forceinline__ uint2
  load (uint32_t row) const
  {
    if constexpr (ARE_APART)
      return make_uint2 (load_once<uint32_t> (u.view.data + u.offset (row)),
          load_once<uint32_t> (v.view.data + v.offset (row)));
    else
      return load_two_pairs (u.view, u.offset (row));
  }

  /* U in the lower halves, V in the upper ones. */
  __device__ __forceinline__ static uint2
  pairs (const uint2 &words)
  {
    return ARE_APART ? make_uint2 (__byte_perm (words.x, words.y, 0x5410),
        __byte_perm (words.x, words.y, 0x7632)) : words;
  }
};

/* How samples of HISTO_PAIRS_DEPTH bits lie in the halves of a word. Bits beside them become 0 when
 * words are read. */
struct PairBits
{
  /* What is one step of 8 bits. */
  static constexpr uint32_t step = 1 << (HISTO_PAIRS_DEPTH - 8);
  uint32_t shift;

  __device__ __forceinline__
  explicit PairBits (const HistoMapsView &view) : shift (view.shift)
  {
  }

  __device__ __forceinline__ uint2
  clean (const uint2 &words) const
  {
    const uint32_t mask = ((1u << HISTO_PAIRS_DEPTH) - 1) * 0x10001 << shift;

    return make_uint2 (words.x & mask, words.y & mask);
  }

  /* 1024 plus the samples. */
  __device__ __forceinline__ Halves
  biased (uint32_t pair) const
  {
    return { pair >> shift | 0x64006400 };
  }

  /* Not 0 in each half that lies outside of `least` to `most`, which count in steps of 8 bits. */
  __device__ __forceinline__ uint32_t
  outside (uint32_t pair, uint32_t least, uint32_t most) const
  {
    const uint32_t unit = (step * 0x10001) << shift;

    return pair ^ __vmaxu2 (__vminu2 (pair, most * unit), least * unit);
  }

  /* U << HISTO_PAIRS_DEPTH | V */
  __device__ __forceinline__ uint32_t
  index_of_entry (uint32_t pair) const
  {
    const uint32_t mask = ((1u << HISTO_PAIRS_DEPTH) - 1) << HISTO_PAIRS_DEPTH;

    return (pair << (HISTO_PAIRS_DEPTH - shift) & mask) | pair >> (16 + shift);
  }

  /* What a half is multiplied with to become the offset of a row of a table. */
  __device__ __forceinline__ uint32_t
  scale (uint32_t row_bytes) const
  {
    return row_bytes >> shift;
  }
};

/* ---- Outliers -------------------------------------------------------------------------------- */

/* histo_is_outlier () of b between a and c is ab + bc - 2 ac >= 8 f + 2 of the distances. All results are
 * exact. Before a region's first row the window has zeros, which give other results that nobody counts. */
struct PairOutliers
{
  /* ab + bc - 2 ac. @step: b - a; @next: c - b */
  __device__ __forceinline__ static Halves
  excess (const Halves &step, const Halves &next)
  {
    const Halves span = (step + next).absolute ();

    return step.absolute () + next.absolute () - span - span;
  }

  /* 8 f + 2 as a floating-point number, in both halves. */
  static constexpr uint32_t LIMIT = 0x50405040;
  static_assert (8 * PairBits::step + 2 == 34, "LIMIT is 34");

  /* Whether one of these halves is an outlier's. Those that are not below 0 have the order of their bits. */
  __device__ __forceinline__ static bool
  has_any (const Halves &a, const Halves &b, const Halves &c, const Halves &d)
  {
    const uint32_t most = __vmaxs2 (__vmaxs2 (a.bits, b.bits), __vmaxs2 (c.bits, d.bits));

    return __vmaxs2 (most, LIMIT - 0x10001) != LIMIT - 0x10001;
  }

  /* The highest bit of each half that is an outlier's; the other bits mean nothing. */
  __device__ __forceinline__ static uint32_t
  flags (const Halves &excess)
  {
    return ~(excess - Halves { LIMIT }).bits;
  }
};
