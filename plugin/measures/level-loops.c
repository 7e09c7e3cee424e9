/* The inner loops of the group `level`; see level-loops.h.
 *
 * The compiler may change the order of additions here (-fassociative-math), and assume that no
 * number is NaN or infinite (-ffinite-math-only). Only then it vectorises sums and extremes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/level-loops.h"

#include <math.h>
#include <string.h>

/* A number of magnitude below 2^51, plus this constant, is rounded to an integer, half to even.
 * The lowest 51 bits of the sum are those of the integer. */
#define ROUND_CONSTANT 0x1.8p52

static inline guint64
bits_of (gdouble x)
{
  guint64 bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

/**
 * histo_level_add_up:
 * @x: x[-1] is read, too; may contain NaN and infinities: then the sum is not finite, and the
 * other sums are not valid
 * @n: at least 1
 * @sums: (out): the differences are those of n pairs
 */
void
histo_level_add_up (const gdouble * x, guint n, HistoLevelSums * sums)
{
  gdouble sum = 0, squares = 0, difference_sum = 0, difference_squares = 0;
  gdouble min = x[0], max = x[0], min_magnitude = fabs (x[0]);
  gdouble min_difference = fabs (x[0] - x[-1]);
  gdouble max_difference = min_difference;

#define MINIMUM(a, b) ((b) < (a) ? (b) : (a))
#define MAXIMUM(a, b) ((b) > (a) ? (b) : (a))
  for (guint i = 0; i < n; i++) {
    const gdouble magnitude = fabs (x[i]);
    const gdouble difference = fabs (x[i] - (x - 1)[i]);

    sum += x[i];
    squares += x[i] * x[i];
    min = MINIMUM (min, x[i]);
    max = MAXIMUM (max, x[i]);
    min_magnitude = MINIMUM (min_magnitude, magnitude);
    difference_sum += difference;
    difference_squares += difference * difference;
    min_difference = MINIMUM (min_difference, difference);
    max_difference = MAXIMUM (max_difference, difference);
  }
#undef MINIMUM
#undef MAXIMUM
  *sums = (HistoLevelSums) {
    sum, squares, min, max, min_magnitude,
    {n, min_difference, max_difference, difference_sum, difference_squares}
  };
}

void
histo_level_count_equal (const gdouble * x, guint n, gdouble a, gdouble b,
    guint64 * count_of_a, guint64 * count_of_b)
{
  /* As floating point, because SSE2 cannot compare 64-bit integers. */
  gdouble n_a = 0, n_b = 0;

  for (guint i = 0; i < n; i++) {
    n_a += x[i] == a ? 1 : 0;
    n_b += x[i] == b ? 1 : 0;
  }
  *count_of_a = (guint64) n_a;
  *count_of_b = (guint64) n_b;
}

/**
 * histo_level_count_sign_changes:
 * @x: none is 0
 *
 * Returns: the number of pairs of neighbours with different signs
 */
guint64
histo_level_count_sign_changes (const gdouble * x, guint n)
{
  guint64 changes = 0;

  for (guint i = 1; i < n; i++)
    changes += (bits_of (x[i]) ^ bits_of (x[i - 1])) >> 63;
  return changes;
}

/**
 * histo_level_find_bins:
 * @full_scale: the number in the last bin
 * @bins: (out) (array length=n): rint (min (|x| / @full_scale, 1) * 8191)
 */
void
histo_level_find_bins (const gdouble * x, guint n, gdouble full_scale,
    guint16 * bins)
{
  if (full_scale == 1) {
    for (guint i = 0; i < n; i++) {
      const gdouble share = fabs (x[i]);

      bins[i] = (guint16) bits_of ((share < 1 ? share : 1) *
          (HISTO_LEVEL_BINS - 1) + ROUND_CONSTANT);
    }
    return;
  }
  for (guint i = 0; i < n; i++) {
    /* A division as in astats: a product with the reciprocal may be in another bin. */
    const gdouble share = fabs (x[i]) / full_scale;

    bins[i] = (guint16) bits_of ((share < 1 ? share : 1) *
        (HISTO_LEVEL_BINS - 1) + ROUND_CONSTANT);
  }
}

/* What x86's conversion gives: the lowest integer for numbers out of range. */
static inline guint64
to_integer (gdouble x)
{
  return (guint64) (fabs (x) < 0x1p63 ? llrint (x) : G_MININT64);
}

/**
 * histo_level_find_bits:
 * @scale: a power of two
 * @greatest: the greatest |x|
 * @any: (inout): the bits that are set in any rint (x * @scale) are added
 * @all: (inout): the bits that are not set in all rint (x * @scale) are removed
 *
 * At least the lowest 32 bits are valid; all 64 if @scale is 2^63. Numbers out of the range
 * of 64-bit integers are -2^63.
 */
void
histo_level_find_bits (const gdouble * x, guint n, gdouble scale,
    gdouble greatest, guint64 * any, guint64 * all)
{
  guint64 or = *any, and = *all;

  if (scale < 0x1p63 && greatest * scale < 0x1p51) {
    for (guint i = 0; i < n; i++) {
      const guint64 bits = bits_of (x[i] * scale + ROUND_CONSTANT);

      or |= bits;
      and &= bits;
    }
  } else {
    for (guint i = 0; i < n; i++) {
      const guint64 bits = to_integer (x[i] * scale);

      or |= bits;
      and &= bits;
    }
  }
  *any = or;
  *all = and;
}

/**
 * histo_level_average:
 * @factor: c
 * @average: a[-1]
 * @min: (inout): becomes the least of itself and all a[i]
 * @max: (inout): becomes the greatest of itself and all a[i]
 *
 * The exponential average of the squares, a[i] = c a[i-1] + (1 - c) x[i]². Four values at once
 * follow from the one before, because a multiplication and an addition for each sample, which
 * wait for each other, take longer.
 *
 * Returns: a[n-1]
 */
gdouble
histo_level_average (const gdouble * x, guint n, gdouble factor,
    gdouble average, gdouble * min, gdouble * max)
{
  const gdouble factor2 = factor * factor;
  const gdouble factor3 = factor2 * factor, factor4 = factor2 * factor2;
  const gdouble weight = 1 - factor;
  gdouble least = *min, greatest = *max;
  guint i;

#define SEE(value) \
  least = (value) < least ? (value) : least; \
  greatest = (value) > greatest ? (value) : greatest
  for (i = 0; i + 4 <= n; i += 4) {
    const gdouble b0 = weight * (x[i] * x[i]);
    const gdouble b1 = factor * b0 + weight * (x[i + 1] * x[i + 1]);
    const gdouble b2 = factor * b1 + weight * (x[i + 2] * x[i + 2]);
    const gdouble b3 = factor * b2 + weight * (x[i + 3] * x[i + 3]);
    const gdouble a0 = factor * average + b0;
    const gdouble a1 = factor2 * average + b1;
    const gdouble a2 = factor3 * average + b2;

    average = factor4 * average + b3;
    SEE (a0);
    SEE (a1);
    SEE (a2);
    SEE (average);
  }
  for (; i < n; i++) {
    average = factor * average + weight * (x[i] * x[i]);
    SEE (average);
  }
#undef SEE
  *min = least;
  *max = greatest;
  return average;
}
