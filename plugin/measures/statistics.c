/* From raw counts to the figures of one component.
 *
 * All engines deliver counts. This file alone turns counts into figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/statistics.h"

#include "measures/histogram.h"

#include <math.h>

/* ---- Mean and variance ------------------------------------------------------------ */

/* Whether n * squares fits in 128 bits. It always does if |x| <= 2^32 and n < 2^31. By the
 * inequality of Cauchy and Schwarz, sum^2 is at most n * squares. */
static inline gboolean
is_exact (guint64 n, unsigned __int128 squares)
{
  return n < (1u << 31) || squares <= ~(unsigned __int128) 0 / n;
}

/* Population variance (n * squares - sum^2) / n^2, exact up to the division as long as the
 * numerator fits in 128 bits. */
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
  if (is_exact (n, squares)) {
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
  figures->range_min = binning->range_min;
  figures->range_max = binning->range_max;
}

static void
finish_figures (HistoFigures * figures)
{
  figures->std_dev = sqrt (figures->variance);
}

/* Sorts the native values into the bins of the settings. @counts may be NULL. */
static void
sort_into_bins (HistoFigures * figures, const guint32 * counters,
    guint n_native, const HistoBins * bins, guint32 * counts)
{
  if (bins->native_bin == NULL) {
    if (counts != NULL)
      memcpy (counts, counters, n_native * sizeof *counts);
    return;
  }
  if (counts != NULL)
    memset (counts, 0, bins->binning.n_bins * sizeof *counts);
  for (guint value = 0; value < n_native; value++) {
    const guint32 bin = bins->native_bin[value];

    if (bin == HISTO_BIN_UNDERFLOW)
      figures->underflow += counters[value];
    else if (bin == HISTO_BIN_OVERFLOW)
      figures->overflow += counters[value];
    else if (counts != NULL)
      counts[bin] += counters[value];
  }
}

static void
fill_native_figures (HistoFigures * figures, const HistoHistogram * native)
{
  gint64 percentiles[HISTO_N_PERCENTILES];
  unsigned __int128 sum, squares;
  guint first, last;

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
}

/**
 * histo_statistics_from_native:
 * @figures: (out): in sample units
 * @counters: (array length=n_native): how often each value 0 .. n_native - 1 occurs
 * @bins: the bins of the result
 * @counts: (out) (nullable) (array): bins->binning.n_bins counts of the result's histogram
 *
 * Video: all figures follow exactly from the native histogram. @bins decides only about
 * @counts, underflow and overflow.
 */
void
histo_statistics_from_native (HistoFigures * figures,
    const guint32 * counters, guint n_native, const HistoBins * bins,
    guint32 * counts)
{
  HistoHistogram native;

  begin_figures (figures, &bins->binning);
  histo_histogram_init (&native, counters, NULL, n_native);
  fill_native_figures (figures, &native);
  sort_into_bins (figures, counters, n_native, bins, counts);
  finish_figures (figures);
}

/* The same in 64 bits. @high may be NULL. */
static void
sort_wide_into_bins (HistoFigures * figures, const guint32 * counters,
    const guint32 * high, guint n_native, const HistoBins * bins,
    guint64 * counts)
{
  if (counts != NULL)
    memset (counts, 0, bins->binning.n_bins * sizeof *counts);
  for (guint value = 0; value < n_native; value++) {
    const guint64 count =
        (high != NULL ? (guint64) high[value] << 32 : 0) | counters[value];
    const guint32 bin =
        bins->native_bin != NULL ? bins->native_bin[value] : value;

    if (bin == HISTO_BIN_UNDERFLOW)
      figures->underflow += count;
    else if (bin == HISTO_BIN_OVERFLOW)
      figures->overflow += count;
    else if (counts != NULL)
      counts[bin] += count;
  }
}

/**
 * histo_statistics_from_window:
 * @high: (nullable) (array length=n_native): the upper 32 bits of @counters; NULL: all 0
 * @counts: (out) (nullable) (array): bins->binning.n_bins counts of the result's histogram
 *
 * As histo_statistics_from_native(), for the sums of many frames.
 */
void
histo_statistics_from_window (HistoFigures * figures,
    const guint32 * counters, const guint32 * high, guint n_native,
    const HistoBins * bins, guint64 * counts)
{
  HistoHistogram native;

  begin_figures (figures, &bins->binning);
  histo_histogram_init (&native, counters, high, n_native);
  fill_native_figures (figures, &native);
  sort_wide_into_bins (figures, counters, high, n_native, bins, counts);
  finish_figures (figures);
}

/* The percentile of audio whose bin is @index, as histo_histogram_find_percentiles() has it: the
 * lower edge of that bin. The smallest sample may lie above that edge, and infinite samples lie
 * outside the bins: the percentile is moved to the nearest of the finite samples' range. */
static gdouble
percentile_of_bin (const HistoFigures * figures, const HistoBins * bins,
    gint64 index)
{
  /* edges[n_bins] is range-max, where the overflow begins. */
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
 * @counters: (array): one count for each bin of @bins
 * @high: (array) (nullable): the upper 32 bits of @counters; NULL: all 0
 *
 * Audio: sums and extremes follow from the totals. Percentiles, mode and entropy follow from
 * the bins: a value is the lower edge of its bin. Samples below the bins count as range-min,
 * samples above as range-max. Percentiles are then moved between minimum and maximum.
 */
void
histo_statistics_from_totals (HistoFigures * figures,
    const HistoTotals * totals, const HistoWideSums * wide_sums,
    gboolean is_float, const guint32 * counters, const guint32 * high,
    const HistoBins * bins)
{
  gint64 percentiles[HISTO_N_PERCENTILES];
  HistoWideSums sums = { 0, 0 };
  guint64 ordered, finite;
  HistoHistogram binned;

  begin_figures (figures, &bins->binning);
  histo_histogram_init (&binned, counters, high, bins->binning.n_bins);
  figures->underflow = totals->underflow;
  figures->overflow = totals->overflow;
  figures->nan = totals->nan;
  figures->inf = totals->inf;
  ordered = binned.count + totals->underflow + totals->overflow;
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

  histo_histogram_find_percentiles (&binned, totals->underflow, ordered,
      percentiles);
  for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
    figures->percentiles[i] = ordered == 0 ? NAN :
        percentile_of_bin (figures, bins, percentiles[i]);
  figures->mode = binned.count == 0 ? NAN :
      bins->edges[histo_histogram_find_mode (&binned)];
  figures->entropy = histo_histogram_entropy (&binned);
  finish_figures (figures);
}
