/* Quads: four pixels of a component, side by side in registers. A class of quads has these members:
 *
 * BYTES                      of a sample
 * is_deep                    whether the samples may have more than 12 bits
 * load (address)             the address is a multiple of 4 BYTES
 * get (i)                    pixel i
 * of (a, b, c, d)            the quad of four values
 * high_bytes (shift)         the four pixels, shifted to 8 bits, one in each byte
 * diff (other)               |pixel - other pixel|
 * masked (mask)              mask: a quad whose pixels are all ones or zero
 * sum ()                     of the four pixels
 * spread_u (), spread_v ()   of U and V in turn: U, V, each for two pixels
 * depth (launch)             the numbers of the depth; a constant for bytes
 * distances (a, b)           |pixel - pixel of another row|
 * outliers (above, below, across, far_above, far_below, far_across, has_two, at)
 *                            flags of the pixels that lie far from those above and below (histo_is_outlier ()),
 *                            given the distances of rows one and two away, and if has_two of those two away, too
 * outside (range, at)        flags of the pixels that are not in the range
 * neighbours (flags)         the flags of those pixels whose neighbours have flags, too
 * left ()                    the pixels to the left; all lanes of the warp call it
 * steps (left, at)           flags of the pixels that differ from those to the left (histo_is_step ())
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <math.h>
#include <type_traits>

#include "kernels/strip-launch.h"
#include "kernels/portable.cuh"

/* ---- Floating-point numbers ---------------------------------------------------------- */

/* From 2^23 on the last bits of a floating-point number are an integer. */
#define FLOAT_OF_INTEGERS 8388608.f

/* The square root, rounded to nearest, of 10^-30 or more. sqrtf() tests for other numbers. This is what it does
 * with these. */
__device__ __forceinline__ float
square_root (float square)
{
#ifdef __CUDA_ARCH__
  float reciprocal;

  asm ("rsqrt.approx.ftz.f32 %0, %1;" : "=f" (reciprocal) : "f" (square));

  const float root = square * reciprocal;
  const float rest = fmaf (-root, root, square);

  return fmaf (rest, 0.5f * reciprocal, root);
#else
  return sqrtf (square);
#endif
}

/* ---- Bytes --------------------------------------------------------------------------- */

struct Bytes
{
  static constexpr uint32_t BYTES = 1, N_WORDS = 1;
  static constexpr bool is_deep = false;
  uint32_t w[N_WORDS];

  __device__ __forceinline__ static Bytes
  load (const uint8_t *address)
  {
    return { { __ldg ((const uint32_t *) address) } };
  }

  __device__ __forceinline__ void
  store (uint8_t *address) const
  {
    *(uint32_t *) address = w[0];
  }

  __device__ __forceinline__ static Bytes
  of (uint32_t a, uint32_t b, uint32_t c, uint32_t d)
  {
    return { { __byte_perm (__byte_perm (a, b, 0x0040), __byte_perm (c, d, 0x0040), 0x5410) } };
  }

  __device__ __forceinline__ static Bytes
  all (uint32_t value)
  {
    return { { value * 0x01010101 } };
  }

  __device__ __forceinline__ uint32_t
  get (uint32_t i) const
  {
    return w[0] >> 8 * i & 0xff;
  }

  __device__ __forceinline__ uint32_t
  high_bytes (uint32_t) const
  {
    return w[0];
  }

  /* HISTO_STRIP_BYTE_BIAS plus pixel i. */
  __device__ __forceinline__ float
  biased (uint32_t i) const
  {
    return __uint_as_float (__byte_perm (w[0], 0x47000000, 0x7404 | i << 4));
  }

  __device__ __forceinline__ float
  number (uint32_t i) const
  {
    return biased (i) - HISTO_STRIP_BYTE_BIAS;
  }

  /* The quad of the lowest bytes of four numbers. */
  __device__ __forceinline__ static Bytes
  of_numbers (float a, float b, float c, float d)
  {
    return of (__float_as_uint (a), __float_as_uint (b), __float_as_uint (c), __float_as_uint (d));
  }

  /* A pixel for each of the lowest four bits: all ones or zero. */
  __device__ __forceinline__ static Bytes
  mask (uint32_t bits)
  {
    return { { ((bits * 0x00204081) & 0x01010101) * 0xff } };
  }

  __device__ __forceinline__ Bytes
  masked (const Bytes &mask) const
  {
    return { { w[0] & mask.w[0] } };
  }

  __device__ __forceinline__ Bytes
  diff (const Bytes &other) const
  {
    return { { __vabsdiffu4 (w[0], other.w[0]) } };
  }

  __device__ __forceinline__ uint32_t
  sum () const
  {
    return __dp4a (w[0], 0x01010101u, 0u);
  }

  __device__ __forceinline__ uint32_t
  sum_of_squares () const
  {
    return __dp4a (w[0], w[0], 0u);
  }

  __device__ __forceinline__ bool
  equals (const Bytes &other) const
  {
    return w[0] == other.w[0];
  }

  __device__ __forceinline__ static uint32_t
  load_two (const uint8_t *address)
  {
    return __ldg ((const uint16_t *) address);
  }

  /* Two samples of U and two of V. */
  __device__ __forceinline__ static Bytes
  in_turn (uint32_t u, uint32_t v)
  {
    return { { __byte_perm (u, v, 0x5140) } };
  }

  __device__ __forceinline__ Bytes
  exchanged () const
  {
    return { { __byte_perm (w[0], 0, 0x2301) } };
  }

  __device__ __forceinline__ Bytes
  spread_u () const
  {
    return { { __byte_perm (w[0], 0, 0x2200) } };
  }

  __device__ __forceinline__ Bytes
  spread_v () const
  {
    return { { __byte_perm (w[0], 0, 0x3311) } };
  }

  /* Four samples of eight in a row, as the selector of __byte_perm () says. */
  __device__ __forceinline__ static Bytes
  select (const uint32_t v[2], uint32_t selector)
  {
    return { { __byte_perm (v[0], v[1], selector) } };
  }

  /* The numbers of the depth. */
  __device__ __forceinline__ static constexpr HistoStripDepth
  depth (const HistoStripLaunch &)
  {
    return histo_strip_depth (8);
  }

  /* A flag is the highest bit of a byte. Both functions compute in 16 bits, where the highest bit says whether a
   * number that was at least -32768 is positive. */
  __device__ __forceinline__ static uint32_t
  flags_of_halves (uint32_t even, uint32_t odd)
  {
    return (even >> 8 & 0x00800080) | (odd & 0x80008000);
  }

  /* |pixel - pixel of another row|: of pixels 0 and 2, of pixels 1 and 3. */
  struct Distances
  {
    uint32_t even, odd;
  };

  __device__ __forceinline__ static Distances
  distances (const Bytes &a, const Bytes &b)
  {
    const uint32_t both = __vabsdiffu4 (a.w[0], b.w[0]);

    return { both & 0xff00ff, both >> 8 & 0xff00ff };
  }

  __device__ __forceinline__ static uint32_t
  outliers (const Distances &above, const Distances &below, const Distances &across, const Distances &far_above,
      const Distances &far_below, const Distances &far_across, bool has_two, const HistoStripDepth &at)
  {
    const uint32_t bias = (0x8000 - at.outlier) * 0x10001;
    uint32_t even = above.even + below.even + bias - 2 * across.even;
    uint32_t odd = above.odd + below.odd + bias - 2 * across.odd;

    if (has_two) {
      even &= far_above.even + far_below.even + bias - 2 * far_across.even;
      odd &= far_above.odd + far_below.odd + bias - 2 * far_across.odd;
    }
    return flags_of_halves (even, odd);
  }

  /* Whether a pixel is not in black .. black + range. */
  __device__ __forceinline__ uint32_t
  outside (uint32_t range, const HistoStripDepth &at) const
  {
    const uint32_t above = (0x7fff - (at.black + range)) * 0x10001, below = (0x7fff + at.black) * 0x10001;
    const uint32_t even = w[0] & 0xff00ff, odd = w[0] >> 8 & 0xff00ff;

    return flags_of_halves ((even + above) | (below - even), (odd + above) | (below - odd));
  }

  /* Flags of the bytes of a mask. */
  __device__ __forceinline__ static uint32_t
  flags (uint32_t mask)
  {
    return mask & 0x80808080;
  }

  __device__ __forceinline__ static uint32_t
  neighbours (uint32_t flags)
  {
    const uint32_t left = __shfl_up_sync (HISTO_FULL_WARP, flags, 1);
    const uint32_t right = __shfl_down_sync (HISTO_FULL_WARP, flags, 1);

    return flags & __byte_perm (left, flags, 0x6543) & __byte_perm (flags, right, 0x4321);
  }

  __device__ __forceinline__ Bytes
  left () const
  {
    return { { __byte_perm (__shfl_up_sync (HISTO_FULL_WARP, w[0], 1), w[0], 0x6543) } };
  }

  /* The highest bit of a byte, if one of its upper seven bits is set. */
  __device__ __forceinline__ uint32_t
  steps (const Bytes &left, const HistoStripDepth &) const
  {
    const uint32_t distances = diff (left).w[0];

    return (((distances & 0x7e7e7e7e) + 0x7e7e7e7e) | distances) & 0x80808080;
  }

  /* Sums of pixels of three rows in 16 bits: word 0 has pixels 0 and 2, word 1 has 1 and 3. */
  __device__ __forceinline__ uint32_t
  half (uint32_t i) const
  {
    return (i == 0 ? w[0] : w[0] >> 8) & 0xff00ff;
  }

  __device__ __forceinline__ static uint32_t
  of_halves (const uint32_t halves[2], uint32_t i)
  {
    return (i & 2) != 0 ? halves[i & 1] >> 16 : halves[i & 1] & 0xffff;
  }
};

/* ---- Words --------------------------------------------------------------------------- */

/* Two pixels in each word: of up to 12 bits, or if IS_DEEP of up to 16. What is made of several samples then
 * needs more than 16 bits. */
template <bool IS_DEEP>
struct WordQuad
{
  static constexpr uint32_t BYTES = 2, N_WORDS = 2;
  static constexpr bool is_deep = IS_DEEP;
  uint32_t w[N_WORDS];

  __device__ __forceinline__ static WordQuad
  load (const uint8_t *address)
  {
    const uint2 v = __ldg ((const uint2 *) address);

    return { { v.x, v.y } };
  }

  __device__ __forceinline__ void
  store (uint8_t *address) const
  {
    *(uint2 *) address = make_uint2 (w[0], w[1]);
  }

  __device__ __forceinline__ static WordQuad
  of (uint32_t a, uint32_t b, uint32_t c, uint32_t d)
  {
    return { { __byte_perm (a, b, 0x5410), __byte_perm (c, d, 0x5410) } };
  }

  __device__ __forceinline__ static WordQuad
  all (uint32_t value)
  {
    return { { value * 0x10001, value * 0x10001 } };
  }

  __device__ __forceinline__ uint32_t
  get (uint32_t i) const
  {
    const uint32_t word = i < 2 ? w[0] : w[1];

    return i % 2 == 0 ? word & 0xffff : word >> 16;
  }

  __device__ __forceinline__ uint32_t
  high_bytes (uint32_t shift) const
  {
    return __byte_perm (w[0] >> shift, w[1] >> shift, 0x6420);
  }

  __device__ __forceinline__ static WordQuad
  mask (uint32_t bits)
  {
    return { { ((bits & 1) | (bits & 2) << 15) * 0xffff, ((bits >> 2 & 1) | (bits & 8) << 13) * 0xffff } };
  }

  __device__ __forceinline__ WordQuad
  masked (const WordQuad &mask) const
  {
    return { { w[0] & mask.w[0], w[1] & mask.w[1] } };
  }

  /* The samples in words whose lowest bits they are not. */
  __device__ __forceinline__ WordQuad
  shifted (uint32_t shift, uint32_t mask) const
  {
    return { { w[0] >> shift & mask, w[1] >> shift & mask } };
  }

  __device__ __forceinline__ static uint32_t
  diff_of_two (uint32_t a, uint32_t b)
  {
    /* No borrow from one half to the other. */
    return __vmaxu2 (a, b) - __vminu2 (a, b);
  }

  __device__ __forceinline__ WordQuad
  diff (const WordQuad &other) const
  {
    return { { diff_of_two (w[0], other.w[0]), diff_of_two (w[1], other.w[1]) } };
  }

  __device__ __forceinline__ uint32_t
  sum () const
  {
    return (w[0] & 0xffff) + (w[0] >> 16) + (w[1] & 0xffff) + (w[1] >> 16);
  }

  __device__ __forceinline__ auto
  sum_of_squares () const
  {
    std::conditional_t<IS_DEEP, uint64_t, uint32_t> sum = 0;

#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      sum += (decltype (sum)) get (i) * get (i);
    return sum;
  }

  __device__ __forceinline__ bool
  equals (const WordQuad &other) const
  {
    return w[0] == other.w[0] && w[1] == other.w[1];
  }

  __device__ __forceinline__ static uint32_t
  load_two (const uint8_t *address)
  {
    return __ldg ((const uint32_t *) address);
  }

  __device__ __forceinline__ static WordQuad
  in_turn (uint32_t u, uint32_t v)
  {
    return { { __byte_perm (u, v, 0x5410), __byte_perm (u, v, 0x7632) } };
  }

  __device__ __forceinline__ WordQuad
  spread_u () const
  {
    return { { __byte_perm (w[0], 0, 0x1010), __byte_perm (w[1], 0, 0x1010) } };
  }

  __device__ __forceinline__ WordQuad
  spread_v () const
  {
    return { { __byte_perm (w[0], 0, 0x3232), __byte_perm (w[1], 0, 0x3232) } };
  }

  __device__ __forceinline__ static WordQuad
  select (const uint32_t v[4], uint32_t selector)
  {
    return { { __byte_perm (v[0], v[1], selector), __byte_perm (v[2], v[3], selector) } };
  }

  __device__ __forceinline__ static const HistoStripDepth &
  depth (const HistoStripLaunch &launch)
  {
    return launch.depth;
  }

  /* Flag i is bit i. */
  __device__ __forceinline__ static uint32_t
  flags_of_halves (uint32_t low, uint32_t high)
  {
    return (low >> 15 & 1) | (low >> 30 & 2) | (high >> 13 & 4) | (high >> 28 & 8);
  }

  typedef WordQuad Distances;

  __device__ __forceinline__ static Distances
  distances (const WordQuad &a, const WordQuad &b)
  {
    return a.diff (b);
  }

  __device__ __forceinline__ static uint32_t
  outliers (const Distances &above, const Distances &below, const Distances &across, const Distances &far_above,
      const Distances &far_below, const Distances &far_across, bool has_two, const HistoStripDepth &at)
  {
    if constexpr (IS_DEEP) {
      uint32_t flags = 0;

#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        flags |= (uint32_t) (above.get (i) + below.get (i) >= at.outlier + 2 * across.get (i)
            && (!has_two || far_above.get (i) + far_below.get (i) >= at.outlier + 2 * far_across.get (i))) << i;
      return flags;
    } else {
      const uint32_t bias = (0x8000 - at.outlier) * 0x10001;
      uint32_t sums[2];

#pragma unroll
      for (uint32_t i = 0; i < 2; i++) {
        sums[i] = above.w[i] + below.w[i] + bias - 2 * across.w[i];
        if (has_two)
          sums[i] &= far_above.w[i] + far_below.w[i] + bias - 2 * far_across.w[i];
      }
      return flags_of_halves (sums[0], sums[1]);
    }
  }

  __device__ __forceinline__ uint32_t
  outside (uint32_t range, const HistoStripDepth &at) const
  {
    if constexpr (IS_DEEP) {
      uint32_t flags = 0;

#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        flags |= (uint32_t) (get (i) - at.black > range) << i;
      return flags;
    } else {
      const uint32_t above = (0x7fff - (at.black + range)) * 0x10001, below = (0x7fff + at.black) * 0x10001;

      return flags_of_halves ((w[0] + above) | (below - w[0]), (w[1] + above) | (below - w[1]));
    }
  }

  __device__ __forceinline__ static uint32_t
  neighbours (uint32_t flags)
  {
    const uint32_t left = __shfl_up_sync (HISTO_FULL_WARP, flags, 1);
    const uint32_t right = __shfl_down_sync (HISTO_FULL_WARP, flags, 1);

    return flags & (flags << 1 | left >> 3) & (flags >> 1 | (right & 1) << 3);
  }

  __device__ __forceinline__ WordQuad
  left () const
  {
    return { { __byte_perm (__shfl_up_sync (HISTO_FULL_WARP, w[1], 1), w[0], 0x5432),
        __byte_perm (w[0], w[1], 0x5432) } };
  }

  __device__ __forceinline__ uint32_t
  steps (const WordQuad &left, const HistoStripDepth &at) const
  {
    const WordQuad distances = diff (left);
    const uint32_t limit = 1u << (at.depth - 8);

    if constexpr (IS_DEEP) {
      uint32_t flags = 0;

#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        flags |= (uint32_t) (distances.get (i) > limit) << i;
      return flags;
    } else {
      const uint32_t bias = (0x7fff - limit) * 0x10001;

      return flags_of_halves (distances.w[0] + bias, distances.w[1] + bias);
    }
  }

  __device__ __forceinline__ uint32_t
  half (uint32_t i) const
  {
    return w[i];
  }

  __device__ __forceinline__ static uint32_t
  of_halves (const uint32_t halves[2], uint32_t i)
  {
    return (i & 1) != 0 ? halves[i >> 1] >> 16 : halves[i >> 1] & 0xffff;
  }
};

typedef WordQuad<false> Words;
typedef WordQuad<true> Deep;
