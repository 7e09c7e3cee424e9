/* Exact arithmetic on small integers as floating-point numbers. Integer lanes compute the counters' offsets
 * meanwhile; on most devices a multiprocessor has twice as many lanes for floating-point numbers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <math.h>

#include "kernels/maps-launch.h"
#include "kernels/portable.cuh"

/* ---- 32 bits ------------------------------------------------------------------------------ */

/* HISTO_QUADS_BYTE_BIAS plus byte i of a quad. */
__device__ __forceinline__ float
biased_byte (uint32_t quad, uint32_t i)
{
  return __uint_as_float (__byte_perm (quad, 0x47000000, 0x7404 | i << 4));
}

__device__ __forceinline__ float
byte_as_float (uint32_t quad, uint32_t i)
{
  return biased_byte (quad, i) - HISTO_QUADS_BYTE_BIAS;
}

/* The square root, rounded to nearest, of 10^-30 or of an integer below 2^21. sqrtf() tests for other
 * numbers. This is what it does with these. */
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

/* ---- Two of 16 bits ------------------------------------------------------------------------ */

/* Two integers of -2048 to 2048 as 16-bit floating-point numbers. All results must lie in this range,
 * too: then nothing is rounded. */
struct Halves
{
  uint32_t bits;

  /* Of 0x6400 + n in each half, where n is 0 to 1023: a half is then 1024 + n. */
  __device__ __forceinline__ static Halves
  of_biased (uint32_t pair)
  {
    return Halves { pair } - Halves { 0x64006400 };
  }

  /* The upper number of a, and the lower number of b. */
  __device__ __forceinline__ static Halves
  between (const Halves &a, const Halves &b)
  {
    return { __byte_perm (a.bits, b.bits, 0x5432) };
  }

#ifdef __CUDA_ARCH__
  __device__ __forceinline__ Halves
  operator+ (const Halves &other) const
  {
    Halves sum;

    asm ("add.rn.f16x2 %0, %1, %2;" : "=r" (sum.bits) : "r" (bits), "r" (other.bits));
    return sum;
  }

  __device__ __forceinline__ Halves
  operator- (const Halves &other) const
  {
    Halves difference;

    asm ("sub.rn.f16x2 %0, %1, %2;" : "=r" (difference.bits) : "r" (bits), "r" (other.bits));
    return difference;
  }

  __device__ __forceinline__ Halves
  absolute () const
  {
    Halves positive;

    asm ("abs.f16x2 %0, %1;" : "=r" (positive.bits) : "r" (bits));
    return positive;
  }

  /* 2 * this + other */
  __device__ __forceinline__ Halves
  twice_plus (const Halves &other) const
  {
    Halves sum;

    asm ("fma.rn.f16x2 %0, %1, %2, %3;" : "=r" (sum.bits)
        : "r" (bits), "r" (0x40004000), "r" (other.bits));
    return sum;
  }

  /* Number i, 0 or 1. */
  __device__ __forceinline__ float
  number (uint32_t i) const
  {
    float number;

    if (i == 0)
      asm ("{ .reg .b16 low, high; mov.b32 { low, high }, %1; cvt.f32.f16 %0, low; }"
          : "=f" (number) : "r" (bits));
    else
      asm ("{ .reg .b16 low, high; mov.b32 { low, high }, %1; cvt.f32.f16 %0, high; }"
          : "=f" (number) : "r" (bits));
    return number;
  }
#else
  __device__ __forceinline__ Halves
  operator+ (const Halves &other) const
  {
    return { half_of_float (number (0) + other.number (0))
        | half_of_float (number (1) + other.number (1)) << 16 };
  }

  __device__ __forceinline__ Halves
  operator- (const Halves &other) const
  {
    return { half_of_float (number (0) - other.number (0))
        | half_of_float (number (1) - other.number (1)) << 16 };
  }

  __device__ __forceinline__ Halves
  absolute () const
  {
    return { bits & 0x7fff7fff };
  }

  __device__ __forceinline__ Halves
  twice_plus (const Halves &other) const
  {
    return *this + *this + other;
  }

  __device__ __forceinline__ float
  number (uint32_t i) const
  {
    const uint32_t half = bits >> 16 * i & 0xffff;

    /* Zero has the least exponent. */
    return (half & 0x7fff) == 0 ? 0
        : __uint_as_float ((half & 0x8000) << 16 | ((half & 0x7fff) + (112 << 10)) << 13);
  }

private:
  __device__ __forceinline__ static uint32_t
  half_of_float (float number)
  {
    const uint32_t word = __float_as_uint (number);

    return number == 0 ? 0 : (word >> 16 & 0x8000) | ((word >> 13 & 0x3ffff) - (112 << 10));
  }
#endif
};
