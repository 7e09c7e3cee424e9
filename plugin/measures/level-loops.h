/* The inner loops of the group `level`: each goes once through some samples of a channel.
 *
 * All samples must be finite, unless said otherwise.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LEVEL_LOOPS_H
#define HISTO_LEVEL_LOOPS_H

#include <glib.h>

G_BEGIN_DECLS

/* The bins of |x| for entropy and noise floor, as in astats. */
#define HISTO_LEVEL_BINS 8192

/* Sums of |x[i] - x[i-1]|. */
typedef struct
{
  guint64 n;                    /* of them */
  gdouble min, max;             /* +inf and 0 if n = 0 */
  gdouble sum, squares;
} HistoLevelDifferences;

typedef struct
{
  gdouble sum, squares;
  gdouble min, max;
  gdouble min_magnitude;        /* the least |x| */
  HistoLevelDifferences differences;
} HistoLevelSums;

/* Sums of the samples x and y of two channels. */
typedef struct
{
  gdouble first_squares, second_squares;        /* Σx², Σy² */
  gdouble products;             /* Σxy */
  gdouble sum_squares;          /* Σ(x + y)² */
  gdouble max_difference;       /* the greatest |x − y| */
} HistoLevelPairSums;

/* The loops: LOOP (type, name, parameters, arguments).
 *
 * add_up: of @n samples, at least 1. x[-1] is read, too: there are @n differences. @x may
 * contain NaN and infinities: then `sum` is not finite, and the other members are not valid.
 *
 * add_up_pair: of @n samples of two channels. They may contain NaN and infinities: then a sum of squares is
 * not finite, and the other members are not valid.
 *
 * count_equal: how many samples equal @a, and how many equal @b.
 *
 * count_repeats: how many samples equal @a and follow one that equals @a.
 *
 * add_up_runs: Σ length² of the runs of consecutive samples that equal @a, and of those that
 * equal @b. A run that lasts to the end is left out.
 *
 * find_clipped: how many samples are at most @low or at least @high. @run is the length of the run
 * of such samples before, and becomes that at the end. @runs is the number of runs that reach the
 * length @least.
 *
 * count_sign_changes: between neighbours. No sample is 0.
 *
 * find_min_non_zero: the least |x| that is not 0; DBL_MAX if there is none.
 *
 * find_bins: bins[i] = rint (min (|x[i]| / @full_scale, 1) * 8191).
 *
 * find_bits: the bits that are set in any rint (x * @scale) are added to @any, and those that
 * are not set in all of them are removed from @all. @scale is a power of two, @greatest the
 * greatest |x|. If @scale is 2^63, all 64 bits are valid, else the lowest 32. Integers out of the
 * range of 64 bits are -2^63.
 *
 * average: the exponential average of the squares, a[i] = @factor a[i-1] + (1 - @factor) x[i]²,
 * with a[-1] = @before. @min becomes the least of itself and all a[i], @max the greatest. Returns
 * the last a[i], or @before if @n is 0. */
#define HISTO_LEVEL_LOOPS(LOOP) \
  LOOP (void, add_up, \
      (const gdouble * x, guint n, HistoLevelSums * sums), (x, n, sums)) \
  LOOP (void, add_up_pair, \
      (const gdouble * x, const gdouble * y, guint n, \
          HistoLevelPairSums * sums), (x, y, n, sums)) \
  LOOP (void, count_equal, \
      (const gdouble * x, guint n, gdouble a, gdouble b, guint64 * count_of_a, \
          guint64 * count_of_b), (x, n, a, b, count_of_a, count_of_b)) \
  LOOP (guint64, count_repeats, \
      (const gdouble * x, guint n, gdouble a), (x, n, a)) \
  LOOP (void, add_up_runs, \
      (const gdouble * x, guint n, gdouble a, gdouble b, gdouble * runs_of_a, \
          gdouble * runs_of_b), (x, n, a, b, runs_of_a, runs_of_b)) \
  LOOP (void, find_clipped, \
      (const gdouble * x, guint n, gdouble low, gdouble high, guint least, \
          guint64 * run, guint64 * clipped, guint64 * runs), \
      (x, n, low, high, least, run, clipped, runs)) \
  LOOP (guint64, count_sign_changes, \
      (const gdouble * x, guint n), (x, n)) \
  LOOP (gdouble, find_min_non_zero, \
      (const gdouble * x, guint n), (x, n)) \
  LOOP (void, find_bins, \
      (const gdouble * x, guint n, gdouble full_scale, guint16 * bins), \
      (x, n, full_scale, bins)) \
  LOOP (void, find_bits, \
      (const gdouble * x, guint n, gdouble scale, gdouble greatest, \
          guint64 * any, guint64 * all), (x, n, scale, greatest, any, all)) \
  LOOP (gdouble, average, \
      (const gdouble * x, guint n, gdouble factor, gdouble before, \
          gdouble * min, gdouble * max), (x, n, factor, before, min, max))

/* Decimals of different tables may differ by rounding errors. */
typedef struct
{
#define MEMBER(type, name, parameters, arguments) type (*name) parameters;
  HISTO_LEVEL_LOOPS (MEMBER)
#undef MEMBER
} HistoLevelLoops;

/* For every CPU of the architecture. */
extern const HistoLevelLoops histo_level_loops_plain;

const HistoLevelLoops *histo_level_loops_for_cpu (void);

G_END_DECLS

#endif /* HISTO_LEVEL_LOOPS_H */
