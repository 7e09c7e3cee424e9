/* How the headers of this folder declare functions that both engines call, and what several of them need.
 *
 * The plugin's C code, the CUDA kernels and the tests include these headers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_KERNEL_SHARED_H
#define HISTO_KERNEL_SHARED_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define HISTO_SHARED_FUNCTION static inline __host__ __device__
#else
#define HISTO_SHARED_FUNCTION static inline
#endif

/* The head of a shared function that C++ also calls while it compiles. */
#ifdef __cplusplus
#define HISTO_SHARED_CONSTANT HISTO_SHARED_FUNCTION constexpr
#else
#define HISTO_SHARED_CONSTANT HISTO_SHARED_FUNCTION
#endif

/* A table that C reads at run time and that C++ also reads while it compiles. */
#ifdef __cplusplus
#define HISTO_SHARED_TABLE static constexpr
#else
#define HISTO_SHARED_TABLE static const
#endif

/* A double and its bits. */

HISTO_SHARED_FUNCTION double
histo_double_of_bits (uint64_t bits)
{
  double number;

  memcpy (&number, &bits, sizeof number);
  return number;
}

HISTO_SHARED_FUNCTION uint64_t
histo_bits_of_double (double number)
{
  uint64_t bits;

  memcpy (&bits, &number, sizeof bits);
  return bits;
}

/* The zeros above the highest bit that is set; @bits is not 0. */
HISTO_SHARED_FUNCTION uint32_t
histo_leading_zeros (uint32_t bits)
{
#ifdef __CUDA_ARCH__
  return (uint32_t) __clz ((int) bits);
#else
  return (uint32_t) __builtin_clz (bits);
#endif
}

#endif /* HISTO_KERNEL_SHARED_H */
