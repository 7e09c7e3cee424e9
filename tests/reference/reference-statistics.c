/* reference-statistics.c: the statistics of values that were counted, and what those
 * of audio share with them: the order of samples, exact division, bin edges.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include <math.h>
#include <string.h>

#include "reference.h"

/* Long division, one binary digit at a time, until there are more digits than
 * a double holds; the lowest digit then shows whether anything is left, so
 * that the conversion to double rounds as the exact quotient would. */
gdouble
reference_ratio (ReferenceUint128 a, ReferenceUint128 b)
{
  guint64 quotient = (guint64) (a / b);
  ReferenceUint128 rest = a % b;
  gint exponent = 0;

  if (a == 0)
    return 0.0;

  while (quotient < (G_GUINT64_CONSTANT (1) << 60)) {
    rest *= 2;
    quotient *= 2;
    exponent--;
    if (rest >= b) {
      rest -= b;
      quotient += 1;
    }
  }
  if (rest != 0)
    quotient |= 1;

  return ldexp ((gdouble) quotient, exponent);
}

void
reference_bin_edges (gdouble range_min, gdouble range_max, guint bins,
    gdouble * edges)
{
  long double w = ((long double) range_max - range_min) / bins;
  guint i;

  for (i = 0; i < bins; i++)
    edges[i] = (gdouble) (range_min + i * w);
  edges[bins] = range_max;
}

static const gdouble *used_edges;
static guint n_used_bins;

void
reference_use_edges (const gdouble * edges, guint bins)
{
  used_edges = edges;
  n_used_bins = bins;
}

gdouble *
reference_set_bins (ReferenceStatistics * out)
{
  gdouble *edges;

  out->edges = used_edges;
  if (used_edges != NULL) {
    out->bins = n_used_bins;
    out->range_min = used_edges[0];
    out->range_max = used_edges[n_used_bins];
    return g_memdup2 (used_edges, (n_used_bins + 1) * sizeof *edges);
  }
  edges = g_new (gdouble, (gsize) out->bins + 1);
  reference_bin_edges (out->range_min, out->range_max, out->bins, edges);
  return edges;
}

guint
reference_bin_of (const gdouble * edges, guint bins, gdouble x)
{
  guint low = 0;
  guint high = bins;

  /* edges[low] <= x < edges[high] all the time */
  while (high - low > 1) {
    guint middle = low + (high - low) / 2;

    if (edges[middle] <= x)
      low = middle;
    else
      high = middle;
  }

  return low;
}

/* The index of the first counter with which percent / 100 of the samples are
 * reached; -1: already those below all counters are enough; @n_counts: those
 * above are needed */
static gint
find_percentile (const guint64 * counts, guint n_counts, guint64 below,
    guint64 n, guint percent)
{
  const ReferenceUint128 wanted = (ReferenceUint128) percent * n;
  ReferenceUint128 cumulative = below;
  guint i;

  if (below > 0 && 100 * cumulative >= wanted)
    return -1;

  for (i = 0; i < n_counts; i++) {
    cumulative += counts[i];
    if (cumulative > 0 && 100 * cumulative >= wanted)
      return i;
  }

  return n_counts;
}

void
reference_order_statistics (const guint64 * counts, guint n_counts,
    const gdouble * edges, guint64 below, guint64 n, ReferenceStatistics * out)
{
  static const guint percents[5] = { 1, 10, 50, 90, 99 };
  gdouble *percentiles[5] = { &out->p1, &out->p10, &out->p50, &out->p90,
    &out->p99
  };
  guint64 n_counted = 0;
  long double entropy = 0.0L;
  guint most = 0;
  guint i;

  for (i = 0; i < 5; i++) {
    gint at = find_percentile (counts, n_counts, below, n, percents[i]);

    *percentiles[i] = n == 0 ? NAN : edges != NULL ? edges[MAX (at, 0)] : at;
  }

  for (i = 0; i < n_counts; i++) {
    n_counted += counts[i];
    if (counts[i] > counts[most])
      most = i;
  }
  for (i = 0; i < n_counts; i++) {
    long double p = (long double) counts[i] / n_counted;

    if (counts[i] > 0)
      entropy += p * log2l (1.0L / p);
  }
  out->mode = n_counted == 0 ? NAN : edges != NULL ? edges[most] : most;
  out->entropy = (gdouble) entropy;
}

/* Extremes, sum; variance = (n * sum of squares - sum^2) / n^2 */
static void
find_moments (const guint64 * counts, guint n_values, ReferenceStatistics * out)
{
  ReferenceUint128 n = out->count;
  ReferenceUint128 sum = 0;
  ReferenceUint128 squares = 0;
  guint value;

  for (value = 0; value < n_values; value++) {
    if (counts[value] == 0)
      continue;
    if (isnan (out->min))
      out->min = value;
    out->max = value;
    sum += (ReferenceUint128) counts[value] * value;
    squares += (ReferenceUint128) counts[value] * value * value;
  }

  out->sum = (gdouble) sum;
  out->mean = reference_ratio (sum, n);
  if (squares == 0 || n <= ~(ReferenceUint128) 0 / squares) {
    out->variance = reference_ratio (n * squares - sum * sum, n * n);
  } else {
    /* The terms need more than 128 bits. */
    long double mean = (long double) sum / n;
    long double total = 0.0L;

    for (value = 0; value < n_values; value++)
      total += counts[value] * (value - mean) * (value - mean);
    out->variance = (gdouble) (total / n);
  }
  out->std_dev = sqrt (out->variance);
}

/* Each value into its bin, or below or above all of them, as often as it
 * occurs */
static void
fill_bins (const guint64 * counts, guint n_values, ReferenceStatistics * out)
{
  gdouble *edges = reference_set_bins (out);
  guint value;

  out->histogram = g_new0 (guint64, out->bins);
  for (value = 0; value < n_values; value++) {
    if (counts[value] == 0)
      continue;
    if (value < out->range_min)
      out->underflow += counts[value];
    else if (value >= out->range_max)
      out->overflow += counts[value];
    else
      out->histogram[reference_bin_of (edges, out->bins, value)] +=
          counts[value];
  }
  g_free (edges);
}

void
reference_value_statistics (const guint64 * counts, guint n_values, guint bins,
    gdouble range_min, gdouble range_max, ReferenceStatistics * out)
{
  guint value;

  memset (out, 0, sizeof (*out));
  for (value = 0; value < n_values; value++)
    out->count += counts[value];
  out->bins = bins != 0 ? bins : n_values;
  out->range_min = range_min;
  out->range_max = range_max;
  if (range_min == 0.0 && range_max == 0.0)
    out->range_max = n_values;
  fill_bins (counts, n_values, out);

  out->min = out->max = out->mean = out->variance = out->std_dev = NAN;
  if (out->count > 0)
    find_moments (counts, n_values, out);
  reference_order_statistics (counts, n_values, NULL, 0, out->count, out);
}

void
reference_video_statistics (const guint32 * samples, gsize n, guint depth,
    guint bins, gdouble range_min, gdouble range_max, ReferenceStatistics * out)
{
  guint64 *counts = g_new0 (guint64, 1u << depth);
  gsize i;

  for (i = 0; i < n; i++)
    counts[samples[i]]++;
  reference_value_statistics (counts, 1u << depth, bins, range_min, range_max,
      out);
  g_free (counts);
}

void
reference_statistics_clear (ReferenceStatistics * statistics)
{
  g_clear_pointer (&statistics->histogram, g_free);
}
