/* From raw counts to the figures of one component.
 *
 * All engines deliver counts. This file alone turns counts into figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/statistics.h"

#include <math.h>

/* Adds the sums of one buffer. For integer samples. */
void
histo_wide_sums_add (HistoWideSums * sums, const HistoTotals * totals)
{
  sums->sum += totals->sum;
  sums->squares += ((unsigned __int128) totals->square_high << 32)
      + totals->square_low;
}

/* ---- Mean and variance ------------------------------------------------------------ */

/* Population variance (n * squares - sum^2) / n^2, exact up to the division as long as n * squares
 * fits in 128 bits. It always does if |x| <= 2^32 and n < 2^31. By the inequality of Cauchy and Schwarz,
 * sum^2 is at most n * squares. */
static void
moments_of_integers (HistoFigures * figures, guint64 n, __int128 sum,
    unsigned __int128 squares)
{
  figures->sum = (gdouble) sum;
  if (n == 0) {
    figures->mean = figures->variance = NAN;
    return;
  }
  figures->mean = (gdouble) ((long double) sum / n);
  if (n < (1u << 31) || squares <= ~(unsigned __int128) 0 / n) {
    unsigned __int128 magnitude = sum < 0 ? -sum : sum;
    unsigned __int128 numerator = n * squares - magnitude * magnitude;

    figures->variance =
        (gdouble) ((long double) numerator / ((long double) n * n));
  } else {
    long double mean = (long double) sum / n;
    long double variance = (long double) squares / n - mean * mean;

    figures->variance = (gdouble) MAX (variance, 0);
  }
}

static void
moments_of_floats (HistoFigures * figures, guint64 n,
    const HistoTotals * totals)
{
  /* When a sum is infinite, the rounding error that was kept beside it means nothing. */
  long double sum = totals->float_sum[0], squares = totals->float_square[0];
  long double variance;

  if (isfinite (totals->float_sum[0]))
    sum += totals->float_sum[1];
  if (isfinite (totals->float_square[0]))
    squares += totals->float_square[1];

  figures->sum = (gdouble) sum;
  if (n == 0) {
    figures->mean = figures->variance = NAN;
    return;
  }
  figures->mean = (gdouble) (sum / n);
  variance = (squares - sum * (sum / n)) / n;
  figures->variance = (gdouble) (variance < 0 ? 0 : variance);
}

/* ---- From counts to figures --------------------------------------------------------- */

static void
begin_figures (HistoFigures * figures, const HistoBinning * binning)
{
  memset (figures, 0, sizeof *figures);
  figures->bins = binning->n_bins;
  figures->range_min = figures->range_max = NAN;
  if (binning->kind != HISTO_BINNING_SEARCH) {
    figures->range_min = binning->range_min;
    figures->range_max = binning->range_max;
  }
}

/**
 * histo_statistics_from_native:
 * @figures: (out): in sample units
 * @native: how often each value occurs
 * @bins: the bins of the result
 * @counts: (out) (nullable) (array): bins->binning.n_bins counts of the result's histogram, of the
 * width of the counters of @native
 *
 * Video: all figures follow exactly from the native histogram. @bins decides only about
 * @counts, underflow and overflow.
 */
void
histo_statistics_from_native (HistoFigures * figures,
    const HistoHistogram * native, const HistoBins * bins, gpointer counts)
{
  gint64 percentiles[HISTO_N_PERCENTILES];
  unsigned __int128 sum, squares;
  guint first, last;

  begin_figures (figures, &bins->binning);
  figures->count = native->count;
  histo_histogram_moments (native, &sum, &squares);
  moments_of_integers (figures, native->count, sum, squares);
  if (native->count == 0) {
    figures->min = figures->max = figures->mode = NAN;
    for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
      figures->percentiles[i] = NAN;
  } else {
    histo_histogram_find_ends (native, &first, &last);
    figures->min = first;
    figures->max = last;
    histo_histogram_find_percentiles (native, 0, native->count, percentiles);
    for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
      figures->percentiles[i] = percentiles[i];
    figures->mode = histo_histogram_find_mode (native);
    figures->entropy = histo_histogram_entropy (native);
  }
  histo_histogram_sort (native, bins, counts, &figures->underflow,
      &figures->overflow);
  figures->std_dev = sqrt (figures->variance);
}

/* The percentile of audio whose bin is @index, as histo_histogram_find_percentiles() has it: the
 * lower edge of that bin. The smallest sample may lie above that edge, and infinite samples lie
 * outside the bins: the percentile is moved to the nearest of the finite samples' range. */
static gdouble
percentile_of_bin (const HistoFigures * figures, const HistoBins * bins,
    gint64 index)
{
  /* The overflow begins at edges[n_bins]. */
  const gdouble edge = bins->edges[MAX (index, 0)];

  /* Both are NaN if no sample is finite. */
  if (edge < figures->min)
    return figures->min;
  return edge > figures->max ? figures->max : edge;
}

/**
 * histo_statistics_from_totals:
 * @figures: (out): in sample units
 * @totals: sums, extremes and numbers of samples outside the bins of one channel
 * @wide_sums: (nullable): the sums of integers; NULL: those of @totals
 * @is_float: whether the floating-point members of @totals hold the sums
 * @binned: one counter for each bin of @bins
 *
 * Audio: sums and extremes follow from the totals. Percentiles, mode and entropy follow from
 * the bins: a value is the lower edge of its bin. Samples below the bins count as the first edge,
 * samples above as the last one. Percentiles are then moved between minimum and maximum.
 */
void
histo_statistics_from_totals (HistoFigures * figures,
    const HistoTotals * totals, const HistoWideSums * wide_sums,
    gboolean is_float, const HistoHistogram * binned, const HistoBins * bins)
{
  gint64 percentiles[HISTO_N_PERCENTILES];
  HistoWideSums sums = { 0, 0 };
  guint64 ordered, finite;

  begin_figures (figures, &bins->binning);
  figures->underflow = totals->underflow;
  figures->overflow = totals->overflow;
  figures->nan = totals->nan;
  figures->inf = totals->inf;
  ordered = binned->count + totals->underflow + totals->overflow;
  finite = ordered - totals->inf;
  figures->count = ordered + totals->nan;

  if (is_float) {
    moments_of_floats (figures, finite, totals);
    /* Adding 0 makes -0 a +0: which zero came first depends on the engine. */
    figures->min = finite > 0 ? totals->float_min + 0.0 : NAN;
    figures->max = finite > 0 ? totals->float_max + 0.0 : NAN;
  } else {
    if (wide_sums != NULL)
      sums = *wide_sums;
    else
      histo_wide_sums_add (&sums, totals);
    moments_of_integers (figures, finite, sums.sum, sums.squares);
    figures->min = finite > 0 ? (gdouble) totals->min : NAN;
    figures->max = finite > 0 ? (gdouble) totals->max : NAN;
  }

  histo_histogram_find_percentiles (binned, totals->underflow, ordered,
      percentiles);
  for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
    figures->percentiles[i] = ordered == 0 ? NAN :
        percentile_of_bin (figures, bins, percentiles[i]);
  figures->mode = binned->count == 0 ? NAN :
      bins->edges[histo_histogram_find_mode (binned)];
  figures->entropy = histo_histogram_entropy (binned);
  figures->std_dev = sqrt (figures->variance);
}
