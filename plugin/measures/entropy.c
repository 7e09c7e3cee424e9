/* The entropy of a histogram.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/histogram.h"

#include "measures/vectors.h"

#include <math.h>
#include <string.h>

/* A cache of the terms p log2 p. When counts are small, most of many bins have the same
 * count, and finding its term takes less time than computing it. A place of the cache holds
 * one count; count 0 marks a place as empty. */
#define N_TERMS 256

static gdouble
entropy_of_small_counts (const HistoHistogram * histogram)
{
  const gdouble count = histogram->count;
  guint32 counts[N_TERMS] = { 0, };
  gdouble terms[N_TERMS], entropy = 0;

  for (guint block = 0; block < histogram->n_blocks; block++) {
    const guint32 *counters = histogram->counters + block * HISTO_BLOCK;
    const guint length = histo_block_length (histogram, block);

    if (histogram->sums[block] == 0)
      continue;
    for (guint i = 0; i < length; i++) {
      const guint32 n = counters[i];
      const guint term = n % N_TERMS;

      if (n == 0)
        continue;
      if (counts[term] != n) {
        const gdouble share = n / count;

        counts[term] = n;
        terms[term] = share * log2 (share);
      }
      entropy -= terms[term];
    }
  }
  /* With a single value the sum is a negative zero. */
  return entropy + 0.0;
}

/* A whole number below 2^52 becomes a double by setting the low bits of 2^52 and subtracting
 * 2^52. Every processor does that in vectors; few convert 64-bit integers so. */
#define TWO_TO_52 4503599627370496.0
#define TWO_TO_52_BITS G_GUINT64_CONSTANT (0x4330000000000000)

static inline gdouble
double_of_bits (guint64 bits)
{
  gdouble number;

  memcpy (&number, &bits, sizeof number);
  return number;
}

static inline guint64
bits_of_double (gdouble number)
{
  guint64 bits;

  memcpy (&bits, &number, sizeof bits);
  return bits;
}

/* Terms that are added at once, in vectors. */
#define GROUP 8

/* Adds n log2 (count / n) for each count n of a group to the sum at the same place. There is
 * no branch and no call, so that the compiler uses vectors.
 *
 * Let `doubled` be n doubled `twos` times, until it is at most sqrt (2) * count. Then
 * log2 (count / n) = twos + 2 / ln (2) * atanh (s), s = (count - doubled) / (count + doubled),
 * |s| < 0.172. The first term of atanh's series that is left out is below 2^-55 of the sum.
 * The logarithm of a power of two stays exact, and so does the zero of a value that occurs
 * alone. For n = 0 the logarithm is any finite number, and the term is zero. */
SPECIALISED void
group_add_terms (const guint32 counts[GROUP], gdouble count,
    gdouble sums[GROUP])
{
  const guint64 limit = bits_of_double (G_SQRT2 * count);

  for (guint i = 0; i < GROUP; i++) {
    const gdouble n = double_of_bits (TWO_TO_52_BITS | counts[i]) - TWO_TO_52;
    const guint64 twos = (limit - bits_of_double (n)) >> 52;
    const gdouble doubled = double_of_bits (bits_of_double (n) + (twos << 52));
    const gdouble s = (count - doubled) / (count + doubled), s2 = s * s;
    gdouble series = 2 / G_LN2 / 19;

    series = series * s2 + 2 / G_LN2 / 17;
    series = series * s2 + 2 / G_LN2 / 15;
    series = series * s2 + 2 / G_LN2 / 13;
    series = series * s2 + 2 / G_LN2 / 11;
    series = series * s2 + 2 / G_LN2 / 9;
    series = series * s2 + 2 / G_LN2 / 7;
    series = series * s2 + 2 / G_LN2 / 5;
    series = series * s2 + 2 / G_LN2 / 3;
    series = series * s2 + 2 / G_LN2;
    sums[i] +=
        n * (double_of_bits (TWO_TO_52_BITS | twos) - TWO_TO_52 + s * series);
  }
}

SPECIALISED guint
block_used (const guint32 * counters)
{
  guint32 used = 0;

  for (guint i = 0; i < HISTO_BLOCK; i++)
    used += counters[i] != 0;
  return used;
}

/* The counts of blocks that are at least half empty are packed together first, so that
 * there are fewer groups. */
SPECIALISED gdouble
entropy_of_any_counts (const HistoHistogram * histogram)
{
  const gdouble count = histogram->count;
  gdouble sums[GROUP] = { 0, };
  guint32 few[GROUP + HISTO_BLOCK];
  guint n_few = 0;

  for (guint block = 0; block < histogram->n_blocks; block++) {
    const guint32 *counters = histogram->counters + block * HISTO_BLOCK;
    const guint length = histo_block_length (histogram, block);
    guint done = 0;

    if (histogram->sums[block] == 0)
      continue;
    if (length == HISTO_BLOCK && block_used (counters) > HISTO_BLOCK / 2) {
      for (guint i = 0; i < HISTO_BLOCK; i += GROUP)
        group_add_terms (counters + i, count, sums);
      continue;
    }
    for (guint i = 0; i < length; i++) {
      few[n_few] = counters[i];
      n_few += counters[i] != 0;
    }
    for (; done + GROUP <= n_few; done += GROUP)
      group_add_terms (few + done, count, sums);
    n_few -= done;
    memmove (few, few + done, n_few * sizeof *few);
  }
  memset (few + n_few, 0, GROUP * sizeof *few);
  group_add_terms (few, count, sums);

  for (guint n = GROUP / 2; n > 0; n /= 2) {
    for (guint i = 0; i < n; i++)
      sums[i] += sums[i + n];
  }
  return sums[0] / count;
}

LONG_VECTORS static gdouble
entropy_in_long_vectors (const HistoHistogram * histogram)
{
  return entropy_of_any_counts (histogram);
}

/* Mean count of a bin below which equal counts are frequent. Without any sample the entropy
 * is computed this way, too. */
#define SMALL_COUNT 64

/* Returns: -Σ p log2 p in bits, p the share of a counter; 0 without any sample */
gdouble
histo_histogram_entropy (const HistoHistogram * histogram)
{
  if (histogram->high != NULL) {
    const HistoWideCounters counters = histo_histogram_wide (histogram);

    return histo_wide_entropy (&counters, histogram->count);
  }
  if (histogram->count < (guint64) histogram->n * SMALL_COUNT)
    return entropy_of_small_counts (histogram);
  return HAS_LONG_VECTORS ? entropy_in_long_vectors (histogram) :
      entropy_of_any_counts (histogram);
}
