/* The counts of a component of 16 bits as the device leaves them to the host: halves of the counters,
 * and totals of blocks of counters. With the totals the host need not read all counters to compute
 * the figures of the component.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_KERNEL_HALVES_H
#define HISTO_KERNEL_HALVES_H

#include "kernels/shared.h"

#define HISTO_PACKED_BINS 65536

/* Successive bins of a block, and the blocks. */
#define HISTO_HALVES_BLOCK 128
#define HISTO_N_HALVES_BLOCKS (HISTO_PACKED_BINS / HISTO_HALVES_BLOCK)

/* What the counters h[i] of a block add up to, i from the begin of the block. */
typedef struct
{
  uint64_t sum;                 /* Σ i h[i] */
  uint64_t squares;             /* Σ i² h[i] */
  double entropy;               /* Σ histo_entropy_term (h[i], n), n the sum of all blocks' counters */
  uint32_t count;               /* Σ h[i] */
  uint32_t most;                /* the largest counter */
} HistoBlockTotals;

/* Most counters fit in 16 bits, and half the bytes take half the time. */
typedef struct
{
  uint16_t low[HISTO_PACKED_BINS];
  uint16_t high[HISTO_PACKED_BINS];     /* of a block: written only if its `most` needs them */
  HistoBlockTotals blocks[HISTO_N_HALVES_BLOCKS];
  uint64_t is_joined;           /* the host's: the component's counters of 32 bits have been made */
} HistoHalves;

/* ---- Entropy ------------------------------------------------------------------------ */

/* With n samples in all, a counter c adds c log2 (n / c) to n times the entropy. Sums of these terms
 * have a fixed order for 65536 bins, so that both engines find the same entropy to the last bit:
 * 1. of each half of a block: bins k and k + 32, then k and k + 16, and so on until there is one sum;
 * 2. both sums of a block;
 * 3. the blocks, one after the other. */

#define HISTO_LN2 0.693147180559945309417232121458176568
#define HISTO_SQRT2 1.41421356237309504880168872420969807857

/* A whole number below 2^52 becomes a double by setting the low bits of 2^52 and subtracting
 * 2^52. Every processor does that in vectors; few convert 64-bit integers so. */
#define HISTO_TWO_TO_52 4503599627370496.0
#define HISTO_TWO_TO_52_BITS UINT64_C (0x4330000000000000)

/* Returns: c log2 (n / c). There is no branch and no call, so that compilers use vectors.
 * c: below 2^52
 *
 * Let `doubled` be c doubled `twos` times, until it is at most sqrt (2) * n. Then
 * log2 (n / c) = twos + 2 / ln (2) * atanh (s), s = (n - doubled) / (n + doubled), |s| < 0.172. The
 * first term of atanh's series that is left out is below 2^-55 of the sum. The logarithm of a power
 * of two stays exact, and so does the zero of a value that occurs alone. For c = 0 the logarithm is
 * any finite number, and the term is zero. */
HISTO_SHARED_FUNCTION double
histo_entropy_term (uint64_t c, double n)
{
  const uint64_t limit = histo_bits_of_double (HISTO_SQRT2 * n);
  const double count = histo_double_of_bits (HISTO_TWO_TO_52_BITS | c) - HISTO_TWO_TO_52;
  const uint64_t twos = (limit - histo_bits_of_double (count)) >> 52;
  const double doubled = histo_double_of_bits (histo_bits_of_double (count) + (twos << 52));
  const double s = (n - doubled) / (n + doubled), s2 = s * s;
  double series = 2 / HISTO_LN2 / 19;

  series = series * s2 + 2 / HISTO_LN2 / 17;
  series = series * s2 + 2 / HISTO_LN2 / 15;
  series = series * s2 + 2 / HISTO_LN2 / 13;
  series = series * s2 + 2 / HISTO_LN2 / 11;
  series = series * s2 + 2 / HISTO_LN2 / 9;
  series = series * s2 + 2 / HISTO_LN2 / 7;
  series = series * s2 + 2 / HISTO_LN2 / 5;
  series = series * s2 + 2 / HISTO_LN2 / 3;
  series = series * s2 + 2 / HISTO_LN2;
  return count * (histo_double_of_bits (HISTO_TWO_TO_52_BITS | twos) - HISTO_TWO_TO_52 + s * series);
}

#endif /* HISTO_KERNEL_HALVES_H */
