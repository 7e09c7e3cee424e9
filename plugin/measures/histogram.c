/* Reading one histogram: its total, ends, percentiles, mode, entropy and moments.
 *
 * These loops are for counters of 32 bits. wide.c has those for 64 bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/histogram.h"

#include <math.h>
#include <string.h>

/* Such a function is compiled into each caller, once for each kind of vectors. The longer vectors
 * do the same operations in the same order, and therefore give the same number to the last
 * bit. */
#define SPECIALISED static inline __attribute__ ((always_inline))
#ifdef __x86_64__
#define HAS_LONG_VECTORS __builtin_cpu_supports ("avx2")
#define LONG_VECTORS __attribute__ ((target ("avx2")))
#else
#define HAS_LONG_VECTORS FALSE
#define LONG_VECTORS
#endif

static inline guint
block_length (const HistoHistogram * histogram, guint block)
{
  return MIN (HISTO_BLOCK, histogram->n - block * HISTO_BLOCK);
}

SPECIALISED guint64
block_sum (const guint32 * counters, guint n)
{
  guint64 sum = 0;

  for (guint i = 0; i < n; i++)
    sum += counters[i];
  return sum;
}

static inline HistoWideCounters
wide_counters (const HistoHistogram * histogram)
{
  const HistoWideCounters counters = { histogram->counters, histogram->high,
    histogram->n
  };

  return counters;
}

static void
init_wide (HistoHistogram * histogram)
{
  const HistoWideCounters counters = wide_counters (histogram);

  histogram->count = histo_wide_count (&counters);
}

SPECIALISED void
sum_blocks (HistoHistogram * histogram)
{
  const guint32 *counters = histogram->counters;
  const guint n = histogram->n, n_whole = n / HISTO_BLOCK;
  guint64 count = 0;

  for (guint block = 0; block < n_whole; block++) {
    histogram->sums[block] = block_sum (counters + block * HISTO_BLOCK, HISTO_BLOCK);
    count += histogram->sums[block];
  }
  if (n_whole < histogram->n_blocks) {
    histogram->sums[n_whole] = block_sum (counters + n_whole * HISTO_BLOCK, n % HISTO_BLOCK);
    count += histogram->sums[n_whole];
  }
  histogram->count = count;
}

LONG_VECTORS static void
sum_blocks_in_long_vectors (HistoHistogram * histogram)
{
  sum_blocks (histogram);
}

/* Sums up @n counters, HISTO_MAX_BINS at most, which are kept until the last use.
 *
 * @high: (nullable) (array length=n): the upper 32 bits of the counters; NULL: all 0 */
void
histo_histogram_init (HistoHistogram * histogram, const guint32 * counters,
    const guint32 * high, guint n)
{
  histogram->counters = counters;
  histogram->high = NULL;
  histogram->n = n;
  histogram->n_blocks = (n + HISTO_BLOCK - 1) / HISTO_BLOCK;
  if (high != NULL && histo_wide_is_needed (high, n)) {
    histogram->high = high;
    init_wide (histogram);
    return;
  }
  if (HAS_LONG_VECTORS)
    sum_blocks_in_long_vectors (histogram);
  else
    sum_blocks (histogram);
}

/* Finds the lowest and the highest index with a count. There must be a count. */
void
histo_histogram_find_ends (const HistoHistogram * histogram, guint * first,
    guint * last)
{
  guint block = 0, i;

  if (histogram->high != NULL) {
    const HistoWideCounters counters = wide_counters (histogram);

    histo_wide_find_ends (&counters, first, last);
    return;
  }
  while (histogram->sums[block] == 0)
    block++;
  for (i = block * HISTO_BLOCK; histogram->counters[i] == 0; i++);
  *first = i;
  for (block = histogram->n_blocks - 1; histogram->sums[block] == 0; block--);
  for (i = block * HISTO_BLOCK + block_length (histogram, block) - 1;
      histogram->counters[i] == 0; i--);
  *last = i;
}

/* Returns: the first index whose cumulative count reaches @wanted, which is at least 1; n if no
 * index does */
gint64
histo_histogram_find (const HistoHistogram * histogram, guint64 wanted)
{
  guint64 cumulative = 0;
  guint block = 0, i;

  if (histogram->high != NULL) {
    const HistoWideCounters counters = wide_counters (histogram);

    return histo_wide_find (&counters, 0, wanted);
  }
  while (block < histogram->n_blocks && cumulative + histogram->sums[block] < wanted)
    cumulative += histogram->sums[block++];
  if (block == histogram->n_blocks)
    return histogram->n;
  i = block * HISTO_BLOCK;
  for (cumulative += histogram->counters[i]; cumulative < wanted;)
    cumulative += histogram->counters[++i];
  return i;
}

/* How many of @count samples a percentile needs. */
static inline guint64
percentile_count (guint percentile, guint64 count)
{
  return MAX ((histo_percents[percentile] * count + 99) / 100, 1);
}

static void
find_percentiles_wide (const HistoHistogram * histogram, guint64 before,
    guint64 count, gint64 indices[HISTO_N_PERCENTILES])
{
  const HistoWideCounters counters = wide_counters (histogram);

  for (guint p = 0; p < HISTO_N_PERCENTILES; p++)
    indices[p] =
        histo_wide_find (&counters, before, percentile_count (p, count));
}

/**
 * histo_histogram_find_percentiles:
 * @before: number of samples below the first counter
 * @count: number of all samples
 *
 * For each of histo_percents finds the first index whose cumulative count, @before included,
 * reaches that share of @count; -1 when @before alone does, n when no index does.
 */
void
histo_histogram_find_percentiles (const HistoHistogram * histogram,
    guint64 before, guint64 count, gint64 indices[HISTO_N_PERCENTILES])
{
  guint64 cumulative = before;
  guint block = 0;

  if (histogram->high != NULL) {
    find_percentiles_wide (histogram, before, count, indices);
    return;
  }
  for (guint p = 0; p < HISTO_N_PERCENTILES; p++) {
    const guint64 wanted = percentile_count (p, count);
    guint64 within;
    guint i;

    while (block < histogram->n_blocks && cumulative + histogram->sums[block] < wanted)
      cumulative += histogram->sums[block++];
    if (before >= wanted) {
      indices[p] = -1;
    } else if (block == histogram->n_blocks) {
      indices[p] = histogram->n;
    } else {
      i = block * HISTO_BLOCK;
      within = cumulative + histogram->counters[i];
      while (within < wanted)
        within += histogram->counters[++i];
      indices[p] = i;
    }
  }
}

SPECIALISED guint32
block_fullest (const guint32 * counters, guint n)
{
  guint32 fullest = 0;

  for (guint i = 0; i < n; i++)
    fullest = MAX (fullest, counters[i]);
  return fullest;
}

SPECIALISED guint
find_mode (const HistoHistogram * histogram)
{
  guint32 fullest = 0;
  guint mode = 0;

  for (guint block = 0; block < histogram->n_blocks; block++) {
    const guint32 *counters = histogram->counters + block * HISTO_BLOCK;
    const guint length = block_length (histogram, block);
    guint32 most;

    if (histogram->sums[block] <= fullest)
      continue;
    most = length == HISTO_BLOCK ? block_fullest (counters, HISTO_BLOCK) :
        block_fullest (counters, length);
    if (most > fullest) {
      fullest = most;
      mode = block * HISTO_BLOCK;
    }
  }
  while (histogram->counters[mode] < fullest)
    mode++;
  return mode;
}

LONG_VECTORS static guint
find_mode_in_long_vectors (const HistoHistogram * histogram)
{
  return find_mode (histogram);
}

/* Returns: the lowest index of the largest counter */
guint
histo_histogram_find_mode (const HistoHistogram * histogram)
{
  if (histogram->high != NULL) {
    const HistoWideCounters counters = wide_counters (histogram);

    return histo_wide_find_mode (&counters);
  }
  return HAS_LONG_VECTORS ? find_mode_in_long_vectors (histogram) :
      find_mode (histogram);
}

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
    const guint length = block_length (histogram, block);

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
    const guint length = block_length (histogram, block);
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
    const HistoWideCounters counters = wide_counters (histogram);

    return histo_wide_entropy (&counters, histogram->count);
  }
  if (histogram->count < (guint64) histogram->n * SMALL_COUNT)
    return entropy_of_small_counts (histogram);
  return HAS_LONG_VECTORS ? entropy_in_long_vectors (histogram) :
      entropy_of_any_counts (histogram);
}

/* ---- Moments ---------------------------------------------------------------------------- */

/* Computes Σ i h[i] and Σ i² h[i] of a block, i from the begin of the block, by additions
 * alone. From the last index down, `counts` is the running sum of the counters. Added to
 * `once` at each step it counts h[i] i times; `once` added to `triangle` counts it
 * 1 + 2 + ... + i times, and i² = 2 (1 + 2 + ... + i) - i. All sums stay below 2^46. */
static inline void
block_moments (const guint32 * counters, guint n, guint64 * sum,
    guint64 * squares)
{
  guint64 counts = 0, once = 0, triangle = 0;

#pragma GCC unroll 8
  for (guint i = n - 1; i > 0; i--) {
    counts += counters[i];
    once += counts;
    triangle += once;
  }
  *sum = once;
  *squares = 2 * triangle - once;
}

/**
 * histo_histogram_moments:
 * @sum: (out): Σ i h[i]
 * @squares: (out): Σ i² h[i]
 *
 * Sums the samples and their squares where the index of a counter is the sample's value.
 */
void
histo_histogram_moments (const HistoHistogram * histogram,
    unsigned __int128 * sum, unsigned __int128 * squares)
{
  guint64 total = 0;

  if (histogram->high != NULL) {
    const HistoWideCounters counters = wide_counters (histogram);

    histo_wide_moments (&counters, sum, squares);
    return;
  }
  *squares = 0;
  for (guint block = 0; block < histogram->n_blocks; block++) {
    const guint32 *counters = histogram->counters + block * HISTO_BLOCK;
    const guint length = block_length (histogram, block);
    const guint64 n = histogram->sums[block], begin = block * HISTO_BLOCK;
    guint64 part, part_squares;

    if (n == 0)
      continue;
    if (length == HISTO_BLOCK)
      block_moments (counters, HISTO_BLOCK, &part, &part_squares);
    else
      block_moments (counters, length, &part, &part_squares);
    /* At most 2^32 · 2^31. */
    total += begin * n + part;
    /* (begin + i)^2; all terms but the first are below 2^60. */
    *squares += (unsigned __int128) (begin * n) * begin
        + (2 * begin * part + part_squares);
  }
  *sum = total;
}
