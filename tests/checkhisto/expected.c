/* The expected result of a channel of sound, by plain C.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sound.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- What it must give --------------------------------------------------------------------- */

static void
long_sum_add (LongSum * s, long double x)
{
  long double sum = s->sum + x;

  s->lost += fabsl (s->sum) >= fabsl (x) ? (s->sum - sum) + x : (x - sum) + s->sum;
  s->sum = sum;
  s->magnitude += fabsl (x);
}

static void
expect_sample (Expected * expected, const Sound * sound, gdouble x)
{
  const gboolean is_float = sound->format->sample.kind == HISTO_AUDIO_FLOAT;

  expected->n++;
  if (isnan (x)) {
    expected->nan++;
    return;
  }
  if (isinf (x)) {
    expected->inf++;
  } else if (is_float) {
    long_sum_add (&expected->float_sum, x);
    long_sum_add (&expected->float_squares, (long double) x * x);
    expected->float_min = MIN (expected->float_min, x);
    expected->float_max = MAX (expected->float_max, x);
  } else {
    const gint64 value = (gint64) x;

    expected->sum += value;
    expected->squares += (ReferenceUint128) ((ReferenceInt128) value * value);
    expected->min = MIN (expected->min, value);
    expected->max = MAX (expected->max, value);
  }
  if (x < sound->binning.range_min)
    expected->underflow++;
  else if (x >= sound->binning.range_max)
    expected->overflow++;
  else
    expected->counters[reference_bin_of (sound->edges, sound->binning.n_bins,
            x)]++;
}

/* @values: the channel's samples, as doubles */
void
expect_channel (Expected * expected, const Sound * sound,
    const gdouble * values)
{
  memset (expected, 0, sizeof *expected);
  expected->counters = g_new0 (guint32, sound->binning.n_bins);
  expected->min = G_MAXINT64;
  expected->max = G_MININT64;
  expected->float_min = INFINITY;
  expected->float_max = -INFINITY;
  for (guint64 i = 0; i < sound->n_samples; i++)
    expect_sample (expected, sound, values[i]);
}

/* The pair (sum, what it lacks) against the long sum. Sums that overflow anywhere, in one
 * order or another, are only asked to say so where each order does. */
static gboolean
check_float_sum (CheckCase * c, const gchar * what, const gdouble * pair,
    const LongSum * sum, gboolean is_positive, guint64 n)
{
  const long double expected = sum->sum + sum->lost;
  /* An error of 2^-100 for each step, and what denormal squares lose. */
  const long double tolerance = 1e-12L * fabsl (expected)
      + 0x1p-100L * n * sum->magnitude + n * 0x1p-1073L;

  if (sum->magnitude >= DBL_MAX) {
    return !is_positive || isinf (pair[0])
        || check_fail (c, "the sum of the %s is %.17g, not infinite", what,
        pair[0]);
  }
  return fabsl ((long double) pair[0] + pair[1] - expected) <= tolerance
      || check_fail (c, "the sum of the %s is %.17g + %.17g, not %.20Lg", what,
      pair[0], pair[1], expected);
}

#define CHECK_TOTAL(field, value, as) \
  (totals->field == (value) \
      || check_fail (c, #field " is %" as ", not %" as, totals->field, (value)))

gboolean
check_totals (CheckCase * c, const HistoTotals * totals,
    const Expected * expected, gboolean is_float)
{
  const ReferenceUint128 squares = ((ReferenceUint128) totals->square_high << 32)
      + totals->square_low;

  return CHECK_TOTAL (underflow, expected->underflow, G_GUINT64_FORMAT)
      && CHECK_TOTAL (overflow, expected->overflow, G_GUINT64_FORMAT)
      && CHECK_TOTAL (nan, expected->nan, G_GUINT64_FORMAT)
      && CHECK_TOTAL (inf, expected->inf, G_GUINT64_FORMAT)
      && CHECK_TOTAL (sum, expected->sum, G_GINT64_FORMAT)
      && CHECK_TOTAL (min, expected->min, G_GINT64_FORMAT)
      && CHECK_TOTAL (max, expected->max, G_GINT64_FORMAT)
      && CHECK_TOTAL (float_min, expected->float_min, ".17g")
      && CHECK_TOTAL (float_max, expected->float_max, ".17g")
      && (squares == expected->squares
      || check_fail (c, "the sum of the squares is %.20g, not %.20g",
          (gdouble) squares, (gdouble) expected->squares))
      && check_float_sum (c, "samples", totals->float_sum,
      &expected->float_sum, FALSE, expected->n)
      && check_float_sum (c, "squares", totals->float_square,
      &expected->float_squares, is_float, expected->n);
}
