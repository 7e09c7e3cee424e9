/* Everything that follows from the raw counts: one component's figures.
 *
 * Shared by all engines: they deliver counts, and this file alone turns counts into
 * means, percentiles and entropies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "statistics.h"

#include <math.h>

const guint histo_percents[HISTO_N_PERCENTILES] = { 1, 10, 50, 90, 99 };

/* ---- Bins ----------------------------------------------------------------------- */

void
histo_bins_init (HistoBins * bins, const HistoFormat * format,
    guint component, const HistoBinSettings * settings)
{
  guint n_native;

  bins->edges = histo_binning_init (&bins->binning, format, component, settings);
  bins->native_bin = NULL;
  if (format->is_audio)
    return;

  n_native = 1u << format->depths[component];
  if (bins->binning.n_bins == n_native && bins->binning.range_min == 0
      && bins->binning.range_max == n_native)
    return;
  bins->native_bin = g_new (guint32, n_native);
  for (guint value = 0; value < n_native; value++)
    bins->native_bin[value] =
        histo_binning_find_integer (&bins->binning, bins->edges, value);
}

void
histo_bins_clear (HistoBins * bins)
{
  g_clear_pointer (&bins->edges, g_free);
  g_clear_pointer (&bins->native_bin, g_free);
}

/* ---- Order statistics and entropy of a row of counters --------------------------- */

/* The first index whose cumulative count, begun with `before`, reaches percent of
 * `count`; -1 when `before` does alone, n when no index does. */
static gint64
percentile_index (const guint32 * counters, guint n, guint64 before,
    guint64 count, guint percent)
{
  guint64 cumulative = before;

  if (cumulative > 0 && cumulative * 100 >= percent * count)
    return -1;
  for (guint i = 0; i < n; i++) {
    cumulative += counters[i];
    if (cumulative * 100 >= percent * count && cumulative > 0)
      return i;
  }
  return n;
}

static guint
mode_index (const guint32 * counters, guint n)
{
  guint mode = 0;

  for (guint i = 1; i < n; i++) {
    if (counters[i] > counters[mode])
      mode = i;
  }
  return mode;
}

static gdouble
entropy_bits (const guint32 * counters, guint n, guint64 count)
{
  gdouble entropy = 0;

  for (guint i = 0; i < n; i++) {
    if (counters[i] > 0) {
      gdouble share = (gdouble) counters[i] / count;

      entropy -= share * log2 (share);
    }
  }
  /* A single value's -1 * log2 (1) is a negative zero. */
  return entropy + 0.0;
}

/* ---- Mean and variance ------------------------------------------------------------ */

/* Population variance (n * squares - sum^2) / n^2, exact up to the division as long
 * as it fits: |x| <= 2^32 and n < 2^31. */
static void
moments_of_integers (HistoStatistics * statistics, guint64 n, __int128 sum,
    unsigned __int128 squares)
{
  statistics->sum = (gdouble) sum;
  if (n == 0) {
    statistics->mean = statistics->variance = NAN;
    return;
  }
  statistics->mean = (gdouble) ((long double) sum / n);
  if (n < (1u << 31)) {
    unsigned __int128 magnitude = sum < 0 ? -sum : sum;
    unsigned __int128 numerator = n * squares - magnitude * magnitude;

    statistics->variance =
        (gdouble) ((long double) numerator / ((long double) n * n));
  } else {
    long double mean = (long double) sum / n;
    long double variance = (long double) squares / n - mean * mean;

    statistics->variance = (gdouble) MAX (variance, 0);
  }
}

static void
moments_of_floats (HistoStatistics * statistics, guint64 n,
    const HistoTotals * totals)
{
  /* An overflowed sum's error term means nothing. */
  long double sum = totals->float_sum[0], squares = totals->float_square[0];
  long double variance;

  if (isfinite (totals->float_sum[0]))
    sum += totals->float_sum[1];
  if (isfinite (totals->float_square[0]))
    squares += totals->float_square[1];

  statistics->sum = (gdouble) sum;
  if (n == 0) {
    statistics->mean = statistics->variance = NAN;
    return;
  }
  statistics->mean = (gdouble) (sum / n);
  variance = (squares - sum * (sum / n)) / n;
  statistics->variance = (gdouble) (variance < 0 ? 0 : variance);
}

/* ---- The two sources --------------------------------------------------------------- */

/**
 * histo_statistics_from_native:
 * @counters: (array length=n_native): how often each value occurs
 * @bins: the bins in force
 * @histogram: (nullable): n_bins counts to be written; may be left out
 *
 * Video: everything follows exactly from the native histogram.
 */
void
histo_statistics_from_native (HistoStatistics * statistics,
    const guint32 * counters, guint n_native, const HistoBins * bins,
    guint32 * histogram)
{
  guint64 count = 0, sum = 0;
  unsigned __int128 squares = 0;

  memset (statistics, 0, sizeof *statistics);
  statistics->min = statistics->max = NAN;
  for (guint value = 0; value < n_native; value++) {
    guint64 n = counters[value];

    if (n == 0)
      continue;
    if (count == 0)
      statistics->min = value;
    statistics->max = value;
    count += n;
    sum += n * value;
    squares += (unsigned __int128) (n * value) * value;
  }
  statistics->count = count;
  moments_of_integers (statistics, count, sum, squares);

  for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
    statistics->percentiles[i] = count == 0 ? NAN :
        percentile_index (counters, n_native, 0, count, histo_percents[i]);
  statistics->mode = count == 0 ? NAN : mode_index (counters, n_native);
  statistics->entropy = entropy_bits (counters, n_native, count);

  if (bins->native_bin == NULL) {
    if (histogram != NULL)
      memcpy (histogram, counters, n_native * sizeof *histogram);
    return;
  }
  if (histogram != NULL)
    memset (histogram, 0, bins->binning.n_bins * sizeof *histogram);
  for (guint value = 0; value < n_native; value++) {
    guint32 bin = bins->native_bin[value];

    if (bin == HISTO_BIN_UNDERFLOW)
      statistics->underflow += counters[value];
    else if (bin == HISTO_BIN_OVERFLOW)
      statistics->overflow += counters[value];
    else if (histogram != NULL)
      histogram[bin] += counters[value];
  }
}

/**
 * histo_statistics_from_totals:
 * @counters: (array): one count per bin of @bins
 *
 * Audio: sums and extrema from the totals; percentiles, mode and entropy from the
 * bins, as the lower edge of the bin where they fall. Values below and above the
 * bins count as lying at the range's ends.
 */
void
histo_statistics_from_totals (HistoStatistics * statistics,
    const HistoTotals * totals, gboolean is_float, const guint32 * counters,
    const HistoBins * bins)
{
  guint n_bins = bins->binning.n_bins;
  guint64 in_bins = 0, ordered, finite;

  memset (statistics, 0, sizeof *statistics);
  for (guint i = 0; i < n_bins; i++)
    in_bins += counters[i];
  statistics->underflow = totals->underflow;
  statistics->overflow = totals->overflow;
  statistics->nan = totals->nan;
  statistics->inf = totals->inf;
  ordered = in_bins + totals->underflow + totals->overflow;
  finite = ordered - totals->inf;
  statistics->count = ordered + totals->nan;

  if (is_float) {
    moments_of_floats (statistics, finite, totals);
    /* Of zeros of both signs any may come first: they are one number here. */
    statistics->min = finite > 0 ? totals->float_min + 0.0 : NAN;
    statistics->max = finite > 0 ? totals->float_max + 0.0 : NAN;
  } else {
    moments_of_integers (statistics, finite, totals->sum,
        ((unsigned __int128) totals->square_high << 32) + totals->square_low);
    statistics->min = finite > 0 ? (gdouble) totals->min : NAN;
    statistics->max = finite > 0 ? (gdouble) totals->max : NAN;
  }

  for (guint i = 0; i < HISTO_N_PERCENTILES; i++) {
    gint64 bin = percentile_index (counters, n_bins, totals->underflow,
        ordered, histo_percents[i]);

    /* edges[n_bins] is range_max: where the overflow begins. */
    statistics->percentiles[i] = ordered == 0 ? NAN : bins->edges[MAX (bin, 0)];
  }
  statistics->mode = in_bins == 0 ? NAN :
      bins->edges[mode_index (counters, n_bins)];
  statistics->entropy = entropy_bits (counters, n_bins, in_bins);
}
