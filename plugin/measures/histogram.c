/* Reading a histogram; see histogram.h. histogram-body.h has the loops.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/histogram.h"

#include <math.h>
#include <string.h>

/* Such a function is compiled into each caller, so that lengths are constants there. */
#define SPECIALISED static inline __attribute__ ((always_inline))

typedef struct
{
  void (*sum_blocks) (HistoHistogram * histogram);
  void (*find_ends) (const HistoHistogram * histogram, guint * first,
      guint * last);
  gint64 (*find) (const HistoHistogram * histogram, guint64 wanted,
      guint * block, guint64 * before);
  guint (*find_mode) (const HistoHistogram * histogram);
  void (*moments) (const HistoHistogram * histogram, unsigned __int128 * sum,
      unsigned __int128 * squares);
  gdouble (*entropy_of_small_counts) (const HistoHistogram * histogram);
  gdouble (*entropy_of_any_counts) (const HistoHistogram * histogram);
  gdouble (*entropy_in_order) (const HistoHistogram * histogram);
  void (*sort) (const HistoHistogram * histogram, const guint32 * bins,
      gpointer sorted, guint64 * underflow, guint64 * overflow);
} Loops;

/* ---- Entropy -------------------------------------------------------------------------- */

/* A cache of the terms p log2 p. When counts are small, most of many bins have the same
 * count, and finding its term takes less time than computing it. A place of the cache holds
 * one count; count 0 marks a place as empty. */
#define N_TERMS 256

/* Mean count of a bin below which equal counts are frequent. Without any sample the entropy
 * is computed this way, too. */
#define SMALL_COUNT 64

/* Terms that are added at once, in vectors. */
#define GROUP 8

/* ---- Loops ---------------------------------------------------------------------------- */

#define NAME(name) name##_narrow
#define TARGET
#define COUNTER guint32
#define COUNTERS narrow
#define MOMENT guint64
#include "measures/histogram-body.h"

#define NAME(name) name##_wide
#define TARGET
#define COUNTER guint64
#define COUNTERS wide
#define MOMENT unsigned __int128
#include "measures/histogram-body.h"

#ifdef __x86_64__
#define NAME(name) name##_narrow_avx2
#define TARGET __attribute__ ((target ("avx2")))
#define COUNTER guint32
#define COUNTERS narrow
#define MOMENT guint64
#include "measures/histogram-body.h"
#endif

/* ---- Halves --------------------------------------------------------------------------- */

/* Here a block's counters are read only if a number that is looked for is among them. */

static void
sum_blocks_of_halves (HistoHistogram * histogram)
{
  const HistoBlockTotals *blocks = histogram->halves->blocks;

  histogram->count = 0;
  for (guint block = 0; block < HISTO_N_HALVES_BLOCKS; block++)
    histogram->count += blocks[block].count;
  histogram->is_large = FALSE;
}

static void
find_ends_in_halves (const HistoHistogram * histogram, guint * first,
    guint * last)
{
  const HistoBlockTotals *blocks = histogram->halves->blocks;
  guint block = 0, i;

  while (blocks[block].count == 0)
    block++;
  for (i = block * HISTO_HALVES_BLOCK;
      histo_halves_at (histogram->halves, i) == 0; i++);
  *first = i;
  for (block = HISTO_N_HALVES_BLOCKS - 1; blocks[block].count == 0; block--);
  for (i = (block + 1) * HISTO_HALVES_BLOCK - 1;
      histo_halves_at (histogram->halves, i) == 0; i--);
  *last = i;
}

static gint64
find_in_halves (const HistoHistogram * histogram, guint64 wanted,
    guint * block, guint64 * before)
{
  const HistoBlockTotals *blocks = histogram->halves->blocks;
  guint64 cumulative;
  guint i;

  while (*block < HISTO_N_HALVES_BLOCKS
      && *before + blocks[*block].count < wanted)
    *before += blocks[(*block)++].count;
  if (*block == HISTO_N_HALVES_BLOCKS)
    return histogram->n;
  i = *block * HISTO_HALVES_BLOCK;
  for (cumulative = *before + histo_halves_at (histogram->halves, i);
      cumulative < wanted;)
    cumulative += histo_halves_at (histogram->halves, ++i);
  return i;
}

static guint
find_mode_in_halves (const HistoHistogram * histogram)
{
  const HistoBlockTotals *blocks = histogram->halves->blocks;
  guint fullest = 0, mode;

  for (guint block = 1; block < HISTO_N_HALVES_BLOCKS; block++) {
    if (blocks[block].most > blocks[fullest].most)
      fullest = block;
  }
  mode = fullest * HISTO_HALVES_BLOCK;
  while (histo_halves_at (histogram->halves, mode) < blocks[fullest].most)
    mode++;
  return mode;
}

static void
moments_of_halves (const HistoHistogram * histogram, unsigned __int128 * sum,
    unsigned __int128 * squares)
{
  *sum = *squares = 0;
  for (guint i = 0; i < HISTO_N_HALVES_BLOCKS; i++) {
    const HistoBlockTotals *block = &histogram->halves->blocks[i];
    const guint64 begin = i * HISTO_HALVES_BLOCK;

    *sum += begin * block->count + block->sum;
    /* (begin + i)^2; all terms but the first are below 2^60. */
    *squares += (unsigned __int128) (begin * block->count) * begin
        + (2 * begin * block->sum + block->squares);
  }
}

static gdouble
entropy_of_halves (const HistoHistogram * histogram)
{
  gdouble entropy = 0;

  for (guint block = 0; block < HISTO_N_HALVES_BLOCKS; block++)
    entropy += histogram->halves->blocks[block].entropy;
  return entropy / histogram->count;
}

static void
sort_halves (const HistoHistogram * histogram, const guint32 * bins,
    gpointer sorted, guint64 * underflow, guint64 * overflow)
{
  g_autofree guint32 *counters = g_new (guint32, HISTO_PACKED_BINS);
  const HistoHistogram joined = {.narrow = counters,.n = HISTO_PACKED_BINS };

  histo_halves_join (histogram->halves, counters);
  loops_narrow.sort (&joined, bins, sorted, underflow, overflow);
}

static const Loops loops_halves = {
  .sum_blocks = sum_blocks_of_halves,
  .find_ends = find_ends_in_halves,
  .find = find_in_halves,
  .find_mode = find_mode_in_halves,
  .moments = moments_of_halves,
  .entropy_in_order = entropy_of_halves,
  .sort = sort_halves,
};

static const Loops *
loops_of (const HistoHistogram * histogram)
{
  if (histogram->halves != NULL)
    return &loops_halves;
  if (histogram->wide != NULL)
    return &loops_wide;
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2"))
    return &loops_narrow_avx2;
#endif
  return &loops_narrow;
}

/* ---- Reading -------------------------------------------------------------------------- */

static void
init (HistoHistogram * histogram, const guint32 * narrow, const guint64 * wide,
    const HistoHalves * halves, guint n)
{
  histogram->narrow = narrow;
  histogram->wide = wide;
  histogram->halves = halves;
  histogram->n = n;
  histogram->n_blocks = (n + HISTO_BLOCK - 1) / HISTO_BLOCK;
  loops_of (histogram)->sum_blocks (histogram);
}

/* Sums up @n counters, HISTO_MAX_BINS at most, which are kept until the last use. */
void
histo_histogram_init (HistoHistogram * histogram, const guint32 * counters,
    guint n)
{
  init (histogram, counters, NULL, NULL, n);
}

/* Makes a histogram of counters of 64 bits. */
void
histo_histogram_init_wide (HistoHistogram * histogram,
    const guint64 * counters, guint n)
{
  init (histogram, NULL, counters, NULL, n);
}

/* Makes a histogram of HISTO_PACKED_BINS counters as the device leaves them. */
void
histo_histogram_init_halves (HistoHistogram * histogram,
    const HistoHalves * halves)
{
  init (histogram, NULL, NULL, halves, HISTO_PACKED_BINS);
}

/* Makes the counters of 32 bits. @counters: (out) (array): HISTO_PACKED_BINS */
void
histo_halves_join (const HistoHalves * halves, guint32 * restrict counters)
{
  for (guint block = 0; block < HISTO_N_HALVES_BLOCKS; block++) {
    const guint first = block * HISTO_HALVES_BLOCK;
    const guint16 *low = halves->low + first, *high = halves->high + first;

    if (halves->blocks[block].most > G_MAXUINT16) {
      for (guint i = 0; i < HISTO_HALVES_BLOCK; i++)
        counters[first + i] = low[i] | (guint32) high[i] << 16;
    } else {
      for (guint i = 0; i < HISTO_HALVES_BLOCK; i++)
        counters[first + i] = low[i];
    }
  }
}

/* Finds the lowest and the highest index with a count. There must be a count. */
void
histo_histogram_find_ends (const HistoHistogram * histogram, guint * first,
    guint * last)
{
  loops_of (histogram)->find_ends (histogram, first, last);
}

/* Returns: the first index whose cumulative count reaches @wanted, which is at least 1; n if no
 * index does */
gint64
histo_histogram_find (const HistoHistogram * histogram, guint64 wanted)
{
  guint64 before = 0;
  guint block = 0;

  return loops_of (histogram)->find (histogram, wanted, &block, &before);
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
  const Loops *loops = loops_of (histogram);
  guint64 cumulative = before;
  guint block = 0;

  for (guint p = 0; p < HISTO_N_PERCENTILES; p++) {
    const guint64 wanted = MAX ((histo_percents[p] * count + 99) / 100, 1);

    indices[p] = before >= wanted ? -1 :
        loops->find (histogram, wanted, &block, &cumulative);
  }
}

/* Returns: the lowest index of the largest counter */
guint
histo_histogram_find_mode (const HistoHistogram * histogram)
{
  return loops_of (histogram)->find_mode (histogram);
}

/* Returns: the bits that are set in some of the indices with a count. Of a block, only those are looked
 * for that were not in the blocks before */
guint
histo_histogram_used_bits (const HistoHistogram * histogram)
{
  const HistoHalves *halves = histogram->halves;
  const guint length = halves != NULL ? HISTO_HALVES_BLOCK : HISTO_BLOCK;
  guint used = 0;

  for (guint first = 0; first < histogram->n; first += length) {
    const guint end = MIN (first + length, histogram->n);

    if ((halves != NULL ? halves->blocks[first / length].count :
            histogram->sums[first / length]) == 0)
      continue;
    used |= first;
    for (guint i = first; i < end && (~used & (length - 1)) != 0; i++)
      used |= histo_histogram_at (histogram, i) > 0 ? i : 0;
  }
  return used;
}

/* Returns: -Σ p log2 p in bits, p the share of a counter; 0 without any sample */
gdouble
histo_histogram_entropy (const HistoHistogram * histogram)
{
  const Loops *loops = loops_of (histogram);

  if (histogram->n == HISTO_PACKED_BINS && !histogram->is_large)
    return histogram->count == 0 ? 0 : loops->entropy_in_order (histogram);
  /* The groups of any counts convert numbers below 2^52 only. */
  if (histogram->is_large
      || histogram->count < (guint64) histogram->n * SMALL_COUNT)
    return loops->entropy_of_small_counts (histogram);
  return loops->entropy_of_any_counts (histogram);
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
  loops_of (histogram)->moments (histogram, sum, squares);
}

/**
 * histo_histogram_sort:
 * @bins: of which the counter of index i counts the value i
 * @counts: (out) (nullable) (array): one for each bin, of the width of the histogram's counters
 * @underflow: (inout): the values below the bins are added
 * @overflow: (inout): those above
 */
void
histo_histogram_sort (const HistoHistogram * histogram, const HistoBins * bins,
    gpointer counts, guint64 * underflow, guint64 * overflow)
{
  const gsize size = histogram->wide != NULL ? sizeof *histogram->wide :
      sizeof *histogram->narrow;

  if (bins->native_bin != NULL) {
    if (counts != NULL)
      memset (counts, 0, bins->binning.n_bins * size);
    loops_of (histogram)->sort (histogram, bins->native_bin, counts, underflow,
        overflow);
  } else if (counts != NULL && histogram->halves != NULL) {
    histo_halves_join (histogram->halves, counts);
  } else if (counts != NULL) {
    memcpy (counts, histogram->wide != NULL ? (gconstpointer) histogram->wide :
        histogram->narrow, histogram->n * size);
  }
}

/* ---- Distances ------------------------------------------------------------------------ */

static gdouble
total (const guint32 * counters, guint n)
{
  guint64 sum = 0;

  for (guint i = 0; i < n; i++)
    sum += counters[i];
  return (gdouble) sum;
}

/**
 * histo_distances_find:
 * @distances: (out): all NaN if one of the histograms is empty; exactly 0 if both are equal
 * @a: (array length=n): a histogram
 * @b: (array length=n): another one
 * @n: number of bins
 */
void
histo_distances_find (HistoDistances * distances, const guint32 * a,
    const guint32 * b, guint n)
{
  const gdouble total_a = total (a, n), total_b = total (b, n);
  const gdouble share_a = 1 / total_a, share_b = 1 / total_b;
  gdouble chi2 = 0, similarity = 0, emd = 0;
  guint64 sum_a = 0, sum_b = 0;

  if (total_a == 0 || total_b == 0) {
    distances->chi2 = distances->bhattacharyya = distances->emd = NAN;
    return;
  }
  for (guint i = 0; i < n; i++) {
    sum_a += a[i];
    sum_b += b[i];
    emd += fabs (sum_a * share_a - sum_b * share_b);
    /* Most bins of deep formats are empty. */
    if ((a[i] | b[i]) != 0) {
      const gdouble p = a[i] * share_a, q = b[i] * share_b;

      chi2 += (p - q) * (p - q) / (p + q);
      /* Not of p and q: the root of a[i] squared is exact. */
      similarity += sqrt ((gdouble) a[i] * b[i]);
    }
  }
  distances->chi2 = chi2 / 2;
  distances->bhattacharyya =
      sqrt (fmax (0, 1 - similarity / sqrt (total_a * total_b)));
  distances->emd = emd;
}
