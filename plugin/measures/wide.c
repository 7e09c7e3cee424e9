/* What a long window needs: sums of 128 bits, and reading a histogram whose counters have 64 bits.
 *
 * Such histograms are rare: a counter needs more than 32 bits after 2^32 equal samples. So these
 * loops are plain. histogram.c has the fast ones for 32 bits and calls these.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/wide.h"

#include <math.h>

/* Adds the sums of one buffer. For integer samples. */
void
histo_wide_sums_add (HistoWideSums * sums, const HistoTotals * totals)
{
  sums->sum += totals->sum;
  sums->squares += ((unsigned __int128) totals->square_high << 32)
      + totals->square_low;
}

/* Returns: whether one of the @n upper halves is not 0 */
gboolean
histo_wide_is_needed (const guint32 * high, guint n)
{
  guint32 any = 0;

  for (guint i = 0; i < n; i++)
    any |= high[i];
  return any != 0;
}

guint64
histo_wide_count (const HistoWideCounters * counters)
{
  guint64 count = 0;

  for (guint i = 0; i < counters->n; i++)
    count += histo_wide_at (counters, i);
  return count;
}

/* Finds the lowest and the highest index with a count. There must be a count. */
void
histo_wide_find_ends (const HistoWideCounters * counters, guint * first,
    guint * last)
{
  *first = 0;
  while (histo_wide_at (counters, *first) == 0)
    ++*first;
  *last = counters->n - 1;
  while (histo_wide_at (counters, *last) == 0)
    --*last;
}

/* Returns: the first index whose cumulative count, @before included, reaches @wanted; -1 if
 * @before alone does, n if no index does */
gint64
histo_wide_find (const HistoWideCounters * counters, guint64 before,
    guint64 wanted)
{
  guint64 cumulative = before;

  if (before >= wanted)
    return -1;
  for (guint i = 0; i < counters->n; i++) {
    cumulative += histo_wide_at (counters, i);
    if (cumulative >= wanted)
      return i;
  }
  return counters->n;
}

/* Returns: the lowest index of the largest counter */
guint
histo_wide_find_mode (const HistoWideCounters * counters)
{
  guint mode = 0;

  for (guint i = 1; i < counters->n; i++) {
    if (histo_wide_at (counters, i) > histo_wide_at (counters, mode))
      mode = i;
  }
  return mode;
}

/* @count: of all counters. Returns: -Σ p log2 p in bits, p the share of a counter */
gdouble
histo_wide_entropy (const HistoWideCounters * counters, guint64 count)
{
  gdouble entropy = 0;

  for (guint i = 0; i < counters->n; i++) {
    const guint64 n = histo_wide_at (counters, i);
    const gdouble share = n / (gdouble) count;

    if (n > 0)
      entropy -= share * log2 (share);
  }
  /* With a single value the sum is a negative zero. */
  return entropy + 0.0;
}

/* @sum: (out): Σ i h[i]
 * @squares: (out): Σ i² h[i] */
void
histo_wide_moments (const HistoWideCounters * counters,
    unsigned __int128 * sum, unsigned __int128 * squares)
{
  *sum = *squares = 0;
  for (guint i = 0; i < counters->n; i++) {
    const unsigned __int128 part =
        (unsigned __int128) histo_wide_at (counters, i) * i;

    *sum += part;
    *squares += part * i;
  }
}
