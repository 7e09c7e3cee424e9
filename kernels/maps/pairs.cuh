/* Arithmetic on pairs: two numbers of up to 12 bits in the halves of a 32-bit word. No operation
 * here carries from one half to the other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps-launch.h"
#include "kernels/portable.cuh"

/* ---- Words in memory ---------------------------------------------------------------------- */

/* Words may begin at any address. */
template <int BYTES>
__device__ __forceinline__ uint32_t
load_word (const uint8_t *at)
{
  return BYTES == 1 ? at[0] : at[0] | (uint32_t) at[1] << 8;
}

/* Four neighbouring words of a plane, of one byte. In a plane of U and V in turn, two are even and
 * two are odd. */
template <int BYTES>
struct Four
{
  uint32_t words;

  __device__ __forceinline__ static Four
  zero ()
  {
    return { 0 };
  }

  /* @at: a multiple of the size */
  __device__ __forceinline__ static Four
  load (const uint8_t *at)
  {
    return { *(const uint32_t *) at };
  }

  /* Two words from each of two planes, in turn. The addresses are multiples of two words. */
  __device__ __forceinline__ static Four
  load_two (const uint8_t *even, const uint8_t *odd)
  {
    return { __byte_perm (*(const uint16_t *) even, *(const uint16_t *) odd, 0x5140) };
  }

  __device__ __forceinline__ void
  store (uint8_t *at) const
  {
    *(uint32_t *) at = words;
  }

  /* Sets word i, which is zero. */
  __device__ __forceinline__ void
  set (uint32_t i, uint32_t word)
  {
    words |= word << 8 * i;
  }

  /* Exchanges even and odd words. */
  __device__ __forceinline__ Four
  exchanged () const
  {
    return { __byte_perm (words, 0, 0x2301) };
  }

  __device__ __forceinline__ uint32_t
  first_pair () const
  {
    return __byte_perm (words, 0, 0x4140);
  }

  __device__ __forceinline__ uint32_t
  second_pair () const
  {
    return __byte_perm (words, 0, 0x4342);
  }

  __device__ __forceinline__ uint32_t
  even () const
  {
    return __byte_perm (words, 0, 0x4240);
  }

  __device__ __forceinline__ uint32_t
  odd () const
  {
    return __byte_perm (words, 0, 0x4341);
  }
};

/* The same of two bytes each. */
template <>
struct Four<2>
{
  uint2 words;

  __device__ __forceinline__ static Four
  zero ()
  {
    return { make_uint2 (0, 0) };
  }

  __device__ __forceinline__ static Four
  load (const uint8_t *at)
  {
    return { *(const uint2 *) at };
  }

  __device__ __forceinline__ static Four
  load_two (const uint8_t *even, const uint8_t *odd)
  {
    const uint32_t a = *(const uint32_t *) even, b = *(const uint32_t *) odd;

    return { make_uint2 (__byte_perm (a, b, 0x5410), __byte_perm (a, b, 0x7632)) };
  }

  __device__ __forceinline__ void
  store (uint8_t *at) const
  {
    *(uint2 *) at = words;
  }

  __device__ __forceinline__ void
  set (uint32_t i, uint32_t word)
  {
    words.x |= i < 2 ? word << 16 * i : 0;
    words.y |= i < 2 ? 0 : word << 16 * (i - 2);
  }

  __device__ __forceinline__ uint32_t
  first_pair () const
  {
    return words.x;
  }

  __device__ __forceinline__ uint32_t
  second_pair () const
  {
    return words.y;
  }

  __device__ __forceinline__ uint32_t
  even () const
  {
    return __byte_perm (words.x, words.y, 0x5410);
  }

  __device__ __forceinline__ uint32_t
  odd () const
  {
    return __byte_perm (words.x, words.y, 0x7632);
  }
};

/* ---- Pairs --------------------------------------------------------------------------------- */

__device__ __forceinline__ uint32_t
absolute_difference (uint32_t a, uint32_t b)
{
  return __vmaxu2 (a, b) - __vminu2 (a, b);
}

/* The number in one half, in both. */
__device__ __forceinline__ uint32_t
low_twice (uint32_t pair)
{
  return __byte_perm (pair, 0, 0x1010);
}

__device__ __forceinline__ uint32_t
high_twice (uint32_t pair)
{
  return __byte_perm (pair, 0, 0x3232);
}

/* The highest bits of both halves, as bits 0 and 1. */
__device__ __forceinline__ uint32_t
bits_of_pair (uint32_t pair)
{
  return (pair >> 15 & 1) | (pair >> 30 & 2);
}

/* 0xffff in each half whose bit, 0 or 1, is set. */
__device__ __forceinline__ uint32_t
pair_of_bits (uint32_t bits)
{
  return (bits & 1) * 0xffffu | (bits >> 1 & 1) * 0xffff0000u;
}

/* Four pixels of a row. */
struct Pairs
{
  uint32_t p[2];

  __device__ __forceinline__ Pairs
  difference (const Pairs &other) const
  {
    return { { absolute_difference (p[0], other.p[0]), absolute_difference (p[1], other.p[1]) } };
  }

  /* Those pixels whose halves of the mask are 0xffff; the others become 0. */
  __device__ __forceinline__ Pairs
  only (const uint32_t mask[2]) const
  {
    return { { p[0] & mask[0], p[1] & mask[1] } };
  }
};

/* How words become numbers, and the tests of signalstats for pairs. A test gives its answer in the
 * highest bit of each half; the other bits mean nothing. */
template <int BYTES>
struct PairFormat
{
  static constexpr uint32_t high = 0x80008000;
  uint32_t shift;
  uint32_t mask;                /* of both halves */
  uint32_t step;                /* 2^(depth - 8) */

  /* A byte is a sample of 8 bits: constants save instructions. */
  __device__ __forceinline__
  PairFormat (const HistoMapsView &view, uint32_t depth)
  : shift (BYTES == 1 ? 0 : view.shift), mask (BYTES == 1 ? 0xff00ff : view.mask * 0x10001),
    step (BYTES == 1 ? 0x10001 : 0x10001u << (depth - 8))
  {
  }

  __device__ __forceinline__ uint32_t
  value (uint32_t pair) const
  {
    return BYTES == 1 ? pair : pair >> shift & mask;
  }

  __device__ __forceinline__ Pairs
  pairs (const Four<BYTES> &four) const
  {
    return { { value (four.first_pair ()), value (four.second_pair ()) } };
  }

  /* The limit itself lies inside: 235 f + 1 is the first number above. */
  __device__ __forceinline__ uint32_t
  luma_out_of_range (uint32_t pair) const
  {
    return (pair + (high - 0x10001u - 235 * step)) | ~(pair + (high - 16 * step));
  }

  __device__ __forceinline__ uint32_t
  chroma_out_of_range (uint32_t pair) const
  {
    return (pair + (high - 0x10001u - 240 * step)) | ~(pair + (high - 16 * step));
  }

  /* histo_is_outlier (): b lies outside a .. c, farther than half of their distance and 4 f + 1:
   *   2 (b - greater) >= greater - lower + 8 f + 2, or
   *   2 (lower - b) >= greater - lower + 8 f + 2. */
  __device__ __forceinline__ uint32_t
  outliers (uint32_t a, uint32_t b, uint32_t c) const
  {
    const uint32_t greater = __vmaxu2 (a, c), lower = __vminu2 (a, c);
    const uint32_t limit = high - 8 * step - 2 * 0x10001u;

    return (limit + 2 * b + lower - 3 * greater) | (limit - 2 * b + 3 * lower - greater);
  }
};
