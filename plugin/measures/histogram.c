/* Reading one histogram: its total, ends, percentiles, mode and moments. entropy.c has the
 * entropy.
 *
 * These loops are for counters of 32 bits. wide.c has those for 64 bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/histogram.h"

#include "measures/vectors.h"

SPECIALISED guint64
block_sum (const guint32 * counters, guint n)
{
  guint64 sum = 0;

  for (guint i = 0; i < n; i++)
    sum += counters[i];
  return sum;
}

static void
init_wide (HistoHistogram * histogram)
{
  const HistoWideCounters counters = histo_histogram_wide (histogram);

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
    const HistoWideCounters counters = histo_histogram_wide (histogram);

    histo_wide_find_ends (&counters, first, last);
    return;
  }
  while (histogram->sums[block] == 0)
    block++;
  for (i = block * HISTO_BLOCK; histogram->counters[i] == 0; i++);
  *first = i;
  for (block = histogram->n_blocks - 1; histogram->sums[block] == 0; block--);
  for (i = block * HISTO_BLOCK + histo_block_length (histogram, block) - 1;
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
    const HistoWideCounters counters = histo_histogram_wide (histogram);

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
  const HistoWideCounters counters = histo_histogram_wide (histogram);

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
    const guint length = histo_block_length (histogram, block);
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
    const HistoWideCounters counters = histo_histogram_wide (histogram);

    return histo_wide_find_mode (&counters);
  }
  return HAS_LONG_VECTORS ? find_mode_in_long_vectors (histogram) :
      find_mode (histogram);
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
    const HistoWideCounters counters = histo_histogram_wide (histogram);

    histo_wide_moments (&counters, sum, squares);
    return;
  }
  *squares = 0;
  for (guint block = 0; block < histogram->n_blocks; block++) {
    const guint32 *counters = histogram->counters + block * HISTO_BLOCK;
    const guint length = histo_block_length (histogram, block);
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
