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

static const Loops *
loops_of (const HistoHistogram * histogram)
{
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
    guint n)
{
  histogram->narrow = narrow;
  histogram->wide = wide;
  histogram->n = n;
  histogram->n_blocks = (n + HISTO_BLOCK - 1) / HISTO_BLOCK;
  loops_of (histogram)->sum_blocks (histogram);
}

/* Sums up @n counters, HISTO_MAX_BINS at most, which are kept until the last use. */
void
histo_histogram_init (HistoHistogram * histogram, const guint32 * counters,
    guint n)
{
  init (histogram, counters, NULL, n);
}

/* The same with counters of 64 bits. */
void
histo_histogram_init_wide (HistoHistogram * histogram,
    const guint64 * counters, guint n)
{
  init (histogram, NULL, counters, n);
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

/* Returns: -Σ p log2 p in bits, p the share of a counter; 0 without any sample */
gdouble
histo_histogram_entropy (const HistoHistogram * histogram)
{
  const Loops *loops = loops_of (histogram);

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
