/* The inner loops of the group `level`; see level-loops.h.
 *
 * The compiler may change the order of additions here (-fassociative-math), and assume that no
 * number is NaN or infinite (-ffinite-math-only). Only then it vectorises sums and extremes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/level-loops.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/shared.h"
#include "media/load.h"

#define LOWER(a, b) ((b) < (a) ? (b) : (a))
#define HIGHER(a, b) ((b) > (a) ? (b) : (a))

/* A number of magnitude below 2^51, plus this constant, is rounded to an integer, half to even.
 * The lowest 51 bits of the sum are those of the integer. */
#define ROUND_CONSTANT 0x1.8p52

HISTO_SPECIALISED void
add_up (const gdouble * x, guint n, HistoLevelSums * sums)
{
  gdouble sum = 0, squares = 0, difference_sum = 0, difference_squares = 0;
  gdouble min = x[0], max = x[0], min_magnitude = fabs (x[0]);
  gdouble min_difference = fabs (x[0] - x[-1]);
  gdouble max_difference = min_difference;

  for (guint i = 0; i < n; i++) {
    const gdouble magnitude = fabs (x[i]);
    const gdouble difference = fabs (x[i] - (x - 1)[i]);

    sum += x[i];
    squares += x[i] * x[i];
    min = LOWER (min, x[i]);
    max = HIGHER (max, x[i]);
    min_magnitude = LOWER (min_magnitude, magnitude);
    difference_sum += difference;
    difference_squares += difference * difference;
    min_difference = LOWER (min_difference, difference);
    max_difference = HIGHER (max_difference, difference);
  }
  *sums = (HistoLevelSums) {
    sum, squares, min, max, min_magnitude,
    {n, min_difference, max_difference, difference_sum, difference_squares}
  };
}

/* The sums are added in one order, so that of opposite channels Σxy is exactly −Σx². */
HISTO_SPECIALISED void
add_up_pair (const gdouble * x, const gdouble * y, guint n,
    HistoLevelPairSums * sums)
{
  gdouble first_squares = 0, second_squares = 0, products = 0, sum_squares = 0;
  gdouble max_difference = 0;

  for (guint i = 0; i < n; i++) {
    const gdouble sum = x[i] + y[i], difference = fabs (x[i] - y[i]);

    first_squares += x[i] * x[i];
    second_squares += y[i] * y[i];
    products += x[i] * y[i];
    sum_squares += sum * sum;
    max_difference = HIGHER (max_difference, difference);
  }
  *sums = (HistoLevelPairSums) {
    first_squares, second_squares, products, sum_squares, max_difference
  };
}

HISTO_SPECIALISED void
count_equal (const gdouble * x, guint n, gdouble a, gdouble b,
    guint64 * count_of_a, guint64 * count_of_b)
{
  /* They are floating point, because SSE2 cannot compare 64-bit integers. */
  gdouble n_a = 0, n_b = 0;

  for (guint i = 0; i < n; i++) {
    n_a += x[i] == a ? 1 : 0;
    n_b += x[i] == b ? 1 : 0;
  }
  *count_of_a = (guint64) n_a;
  *count_of_b = (guint64) n_b;
}

HISTO_SPECIALISED guint64
count_repeats (const gdouble * x, guint n, gdouble a)
{
  gdouble repeats = 0;

  for (guint i = 1; i < n; i++) {
    const gdouble before = x[i - 1] == a ? 1 : 0;

    repeats += x[i] == a ? before : 0;
  }
  return (guint64) repeats;
}

/* Without branches, which the CPU cannot predict here. The squares 1, 4, 9, … of a growing run
 * differ by 1, 3, 5, …: twice the length, less 1. */
HISTO_SPECIALISED void
add_up_runs (const gdouble * x, guint n, gdouble a, gdouble b,
    gdouble * runs_of_a, gdouble * runs_of_b)
{
  guint64 run_a = 0, run_b = 0, squares_a = 0, squares_b = 0;

  for (guint i = 0; i < n; i++) {
    const guint64 is_a = x[i] == a, is_b = x[i] == b;

    run_a = (run_a + 1) & -is_a;
    run_b = (run_b + 1) & -is_b;
    squares_a += 2 * run_a - is_a;
    squares_b += 2 * run_b - is_b;
  }
  *runs_of_a = squares_a - run_a * run_a;
  *runs_of_b = squares_b - run_b * run_b;
}

HISTO_SPECIALISED void
find_clipped (const gdouble * x, guint n, gdouble low, gdouble high,
    guint least, guint64 * run, guint64 * clipped, guint64 * runs)
{
  guint64 length = *run, n_clipped = 0, n_runs = 0;

  for (guint i = 0; i < n; i++) {
    const guint64 is_clipped = (x[i] <= low) | (x[i] >= high);

    length = (length + 1) & -is_clipped;
    n_clipped += is_clipped;
    n_runs += length == least;
  }
  *run = length;
  *clipped = n_clipped;
  *runs = n_runs;
}

HISTO_SPECIALISED guint64
count_sign_changes (const gdouble * x, guint n)
{
  guint64 changes = 0;

  for (guint i = 1; i < n; i++)
    changes += (histo_bits_of_double (x[i]) ^ histo_bits_of_double (x[i - 1])) >> 63;
  return changes;
}

HISTO_SPECIALISED gdouble
find_min_non_zero (const gdouble * x, guint n)
{
  gdouble min = DBL_MAX;

  for (guint i = 0; i < n; i++) {
    const gdouble magnitude = x[i] == 0 ? DBL_MAX : fabs (x[i]);

    min = LOWER (min, magnitude);
  }
  return min;
}

HISTO_SPECIALISED guint16
bin_of (gdouble share)
{
  return (guint16) histo_bits_of_double (LOWER (1, share) * (HISTO_LEVEL_BINS - 1)
      + ROUND_CONSTANT);
}

HISTO_SPECIALISED void
find_bins (const gdouble * x, guint n, gdouble full_scale, guint16 * bins)
{
  if (full_scale == 1) {
    for (guint i = 0; i < n; i++)
      bins[i] = bin_of (fabs (x[i]));
    return;
  }
  /* A division as in astats: a product with the reciprocal may be in another bin. */
  for (guint i = 0; i < n; i++)
    bins[i] = bin_of (fabs (x[i]) / full_scale);
}

/* Numbers out of range become what x86's conversion gives. */
HISTO_SPECIALISED guint64
to_integer (gdouble x)
{
  return (guint64) (fabs (x) < 0x1p63 ? llrint (x) : G_MININT64);
}

HISTO_SPECIALISED void
find_bits (const gdouble * x, guint n, gdouble scale, gdouble greatest,
    guint64 * any, guint64 * all)
{
  guint64 or = *any, and = *all;

  if (scale < 0x1p63 && greatest * scale < 0x1p51) {
    for (guint i = 0; i < n; i++) {
      const guint64 bits = histo_bits_of_double (x[i] * scale + ROUND_CONSTANT);

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

/* Four averages at once follow from the one before. One by one, each would wait for a
 * multiplication and an addition. */
HISTO_SPECIALISED gdouble
average (const gdouble * x, guint n, gdouble factor, gdouble before,
    gdouble * min, gdouble * max)
{
  const gdouble factor2 = factor * factor;
  const gdouble factor3 = factor2 * factor, factor4 = factor2 * factor2;
  const gdouble weight = 1 - factor;
  gdouble lowest = *min, highest = *max;
  guint i;

  for (i = 0; i + 4 <= n; i += 4) {
    const gdouble b0 = weight * (x[i] * x[i]);
    const gdouble b1 = factor * b0 + weight * (x[i + 1] * x[i + 1]);
    const gdouble b2 = factor * b1 + weight * (x[i + 2] * x[i + 2]);
    const gdouble b3 = factor * b2 + weight * (x[i + 3] * x[i + 3]);
    const gdouble a0 = factor * before + b0;
    const gdouble a1 = factor2 * before + b1;
    const gdouble a2 = factor3 * before + b2;
    const gdouble a3 = factor4 * before + b3;
    const gdouble lower = LOWER (LOWER (a0, a1), LOWER (a2, a3));
    const gdouble higher = HIGHER (HIGHER (a0, a1), HIGHER (a2, a3));

    lowest = LOWER (lowest, lower);
    highest = HIGHER (highest, higher);
    before = a3;
  }
  for (; i < n; i++) {
    before = factor * before + weight * (x[i] * x[i]);
    lowest = LOWER (lowest, before);
    highest = HIGHER (highest, before);
  }
  *min = lowest;
  *max = highest;
  return before;
}

/* ---- Tables --------------------------------------------------------------------------- */

#define ROW(type, name, parameters, arguments) name##_plain,
#define LOOP(type, name, parameters, arguments) \
  static type name##_plain parameters { return name arguments; }
HISTO_LEVEL_LOOPS (LOOP)
const HistoLevelLoops histo_level_loops_plain = { HISTO_LEVEL_LOOPS (ROW) };
#undef LOOP
#undef ROW

#ifdef __x86_64__
#define ROW(type, name, parameters, arguments) name##_avx2,
#define LOOP(type, name, parameters, arguments) \
  __attribute__ ((target ("avx2"))) \
  static type name##_avx2 parameters { return name arguments; }
HISTO_LEVEL_LOOPS (LOOP)
static const HistoLevelLoops loops_avx2 = { HISTO_LEVEL_LOOPS (ROW) };
#undef LOOP
#undef ROW
#endif

/**
 * histo_level_loops_for_cpu:
 *
 * Returns: the fastest loops that this CPU can run
 */
const HistoLevelLoops *
histo_level_loops_for_cpu (void)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2"))
    return &loops_avx2;
#endif
  return &histo_level_loops_plain;
}
