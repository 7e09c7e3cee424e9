/* How a sample finds its bin, what else is measured of audio, and the formulas that both
 * engines evaluate alike to the last bit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_KERNEL_BINNING_H
#define HISTO_KERNEL_BINNING_H

#include "kernels/shared.h"

/* ---- Bins ------------------------------------------------------------------------ */

/* The definition of the bins is edges[]: the bin of x is the greatest i with
 * edges[i] <= x, and edges[n_bins] == range_max. The first two kinds are exact shortcuts
 * for bins whose width is a power of two and whose edges are multiples of the width. */
typedef enum
{
  HISTO_BINNING_SHIFT,          /* integers: (x - offset) >> shift */
  HISTO_BINNING_SCALE,          /* floats: floor (x * scale) - offset */
  HISTO_BINNING_EDGES,          /* of one width */
  HISTO_BINNING_SEARCH          /* of any widths; there is no scale */
} HistoBinningKind;

typedef struct
{
  uint32_t kind;                /* HistoBinningKind */
  uint32_t n_bins;
  double range_min;
  double range_max;
  double scale;                 /* n_bins / (range_max - range_min) */
  int64_t offset;
  uint32_t shift;
  uint32_t reserved;
  uint64_t edges;               /* address of double[n_bins + 1], in the engine's memory */
} HistoBinning;

/* The bin of a finite x with range_min <= x < range_max, of bins of one width. Multiplication
 * gives a guess; the edges correct it, so that its rounding does not matter. */
HISTO_SHARED_FUNCTION uint32_t
histo_bin_by_edges (const HistoBinning *binning, const double *edges, double x)
{
  double guess = (x - binning->range_min) * binning->scale;
  uint32_t last = binning->n_bins - 1;
  /* If the range is too narrow for its scale, the guess is NaN, and the bin 0. */
  uint32_t bin = guess >= (double) last ? last : guess > 0 ? (uint32_t) guess : 0;

  while (bin > 0 && x < edges[bin])
    bin--;
  while (bin < last && x >= edges[bin + 1])
    bin++;
  return bin;
}

/* One step of a bisection: x is in one of n bins from `bin` on, and half is n / 2. Then it is in one of
 * n - half bins from the returned one on. No branch depends on x. */
HISTO_SHARED_FUNCTION uint32_t
histo_search_step (const double *edges, uint32_t bin, uint32_t half, double x)
{
  return x >= edges[bin + half] ? bin + half : bin;
}

/* As histo_bin_by_edges(), of bins of any widths. */
HISTO_SHARED_FUNCTION uint32_t
histo_bin_by_search (const double *edges, uint32_t n_bins, double x)
{
  uint32_t bin = 0;

  for (uint32_t n = n_bins; n > 1; n -= n / 2)
    bin = histo_search_step (edges, bin, n / 2, x);
  return bin;
}

/* ---- Totals ---------------------------------------------------------------------- */

/* What is measured of one channel of audio, apart from its histogram. Integer totals are
 * exact: the sum of squares is square_low + 2^32 square_high. A float sum is two numbers: the
 * sum as a double, and the sum of the rounding errors. NaN and infinities do not enter
 * sums and extremes. */
typedef struct
{
  int64_t sum;
  uint64_t square_low;
  uint64_t square_high;
  int64_t min;                  /* INT64_MAX if there is no sample */
  int64_t max;                  /* INT64_MIN if there is no sample */
  double float_sum[2];
  double float_square[2];
  double float_min;             /* +inf if there is no finite sample */
  double float_max;             /* -inf if there is no finite sample */
  uint64_t underflow;
  uint64_t overflow;
  uint64_t nan;
  uint64_t inf;
} HistoTotals;

/* Adds x to a sum and its error. The error of each addition is exact (Knuth's TwoSum),
 * so the two are as good as a sum in twice the precision. Once the sum has overflowed, the
 * error is meaningless, and the reader ignores it. */
HISTO_SHARED_FUNCTION void
histo_add_compensated (double *total, double x)
{
  double sum = total[0] + x;
  double part = sum - total[0];
  total[1] += (total[0] - (sum - part)) + (x - part);
  total[0] = sum;
}

#endif /* HISTO_KERNEL_BINNING_H */
