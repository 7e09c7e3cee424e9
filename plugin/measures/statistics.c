/* Everything that follows from the raw counts: one component's figures.
 *
 * Shared by all engines: they deliver counts, and this file alone turns counts into
 * means, percentiles and entropies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/statistics.h"

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

/* ---- A row of counters ------------------------------------------------------------- */

/* Counters are gone through in blocks whose length the compiler knows: those are summed
 * in vectors, and what is looked for is looked for in the one block that has it. Most
 * blocks of deep formats are empty. */
#define BLOCK 32
#define MAX_BLOCKS ((HISTO_MAX_BINS + BLOCK - 1) / BLOCK)

typedef struct
{
  const guint32 *counters;
  guint n, n_blocks;            /* counters; blocks, of which the last may be short */
  guint64 count;                /* the sum of the sums */
  guint64 sums[MAX_BLOCKS];
} Row;

static inline guint
block_length (const Row * row, guint block)
{
  return MIN (BLOCK, row->n - block * BLOCK);
}

static inline guint64
block_sum (const guint32 * counters, guint n)
{
  guint64 sum = 0;

  for (guint i = 0; i < n; i++)
    sum += counters[i];
  return sum;
}

static void
row_init (Row * row, const guint32 * counters, guint n)
{
  const guint n_whole = n / BLOCK;

  row->counters = counters;
  row->n = n;
  row->n_blocks = (n + BLOCK - 1) / BLOCK;
  row->count = 0;
  for (guint block = 0; block < n_whole; block++) {
    row->sums[block] = block_sum (counters + block * BLOCK, BLOCK);
    row->count += row->sums[block];
  }
  if (n_whole < row->n_blocks) {
    row->sums[n_whole] = block_sum (counters + n_whole * BLOCK, n % BLOCK);
    row->count += row->sums[n_whole];
  }
}

/* The lowest and the highest index with a count; there is one. */
static void
row_find_ends (const Row * row, guint * first, guint * last)
{
  guint block = 0, i;

  while (row->sums[block] == 0)
    block++;
  for (i = block * BLOCK; row->counters[i] == 0; i++);
  *first = i;
  for (block = row->n_blocks - 1; row->sums[block] == 0; block--);
  for (i = block * BLOCK + block_length (row, block) - 1;
      row->counters[i] == 0; i--);
  *last = i;
}

/* For each of histo_percents, which ascend: the first index whose cumulative count, begun
 * with `before`, reaches that share of `count`; -1 when `before` does alone, n when no
 * index does. */
static void
row_find_percentiles (const Row * row, guint64 before, guint64 count,
    gint64 indices[HISTO_N_PERCENTILES])
{
  guint64 cumulative = before;
  guint block = 0;

  for (guint p = 0; p < HISTO_N_PERCENTILES; p++) {
    const guint64 wanted = MAX ((histo_percents[p] * count + 99) / 100, 1);
    guint64 within;
    guint i;

    while (block < row->n_blocks && cumulative + row->sums[block] < wanted)
      cumulative += row->sums[block++];
    if (before >= wanted) {
      indices[p] = -1;
    } else if (block == row->n_blocks) {
      indices[p] = row->n;
    } else {
      i = block * BLOCK;
      within = cumulative + row->counters[i];
      while (within < wanted)
        within += row->counters[++i];
      indices[p] = i;
    }
  }
}

static inline guint32
block_fullest (const guint32 * counters, guint n)
{
  guint32 fullest = 0;

  for (guint i = 0; i < n; i++)
    fullest = MAX (fullest, counters[i]);
  return fullest;
}

/* The lowest index of the highest counter. */
static guint
row_find_mode (const Row * row)
{
  guint32 fullest = 0;
  guint mode = 0;

  for (guint block = 0; block < row->n_blocks; block++) {
    const guint32 *counters = row->counters + block * BLOCK;
    const guint length = block_length (row, block);
    guint32 most;

    if (row->sums[block] <= fullest)
      continue;
    most = length == BLOCK ? block_fullest (counters, BLOCK) :
        block_fullest (counters, length);
    if (most > fullest) {
      fullest = most;
      mode = block * BLOCK;
    }
  }
  while (row->counters[mode] < fullest)
    mode++;
  return mode;
}

/* Terms that were computed: of many bins with small counts most are equally full, and to
 * find a term takes less time than to compute it. Never two counts at one place; 0 is no
 * count here. */
#define N_TERMS 256

static gdouble
row_entropy_of_small (const Row * row)
{
  const gdouble count = row->count;
  guint32 counts[N_TERMS] = { 0, };
  gdouble terms[N_TERMS], entropy = 0;

  for (guint block = 0; block < row->n_blocks; block++) {
    const guint32 *counters = row->counters + block * BLOCK;
    const guint length = block_length (row, block);

    if (row->sums[block] == 0)
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
  /* A single value's -1 * log2 (1) is a negative zero. */
  return entropy + 0.0;
}

/* A whole number below 2^52 as the low bits of a double of 2^52 or more: such conversions
 * are made in vectors everywhere, and those of 64-bit integers are not. */
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

/* What is added at once, in vectors. */
#define GROUP 8

/* Written once, and compiled for each kind of vectors. */
#define SPECIALISED static inline __attribute__ ((always_inline))

/* Adds n log2 (count / n) of the counts n, of each place in a group by itself: without a
 * branch and without a call, so that vectors of them are computed.
 *
 * With n doubled `twos` times, until it is at most sqrt (2) * count, log2 (count / n) is
 * twos + 2 / ln (2) * atanh (s), s = (count - n) / (count + n), |s| < 0.172; the first term
 * of atanh's series that is left out is below 2^-55 of it. What is exact stays exact: the
 * logarithm of a power of two, and the zero of a value that is alone. Of a count of 0 the
 * logarithm is some number, and the term a zero. */
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

  for (guint i = 0; i < BLOCK; i++)
    used += counters[i] != 0;
  return used;
}

/* Of blocks that are half empty the counts are drawn together, so that there are fewer
 * groups. */
SPECIALISED gdouble
row_entropy_of_any (const Row * row)
{
  const gdouble count = row->count;
  gdouble sums[GROUP] = { 0, };
  guint32 few[GROUP + BLOCK];
  guint n_few = 0;

  for (guint block = 0; block < row->n_blocks; block++) {
    const guint32 *counters = row->counters + block * BLOCK;
    const guint length = block_length (row, block);
    guint done = 0;

    if (row->sums[block] == 0)
      continue;
    if (length == BLOCK && block_used (counters) > BLOCK / 2) {
      for (guint i = 0; i < BLOCK; i += GROUP)
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

/* Vectors twice as long where the processor has them: the same operations in the same
 * order, and so the same number to the last bit. */
#ifdef __x86_64__
__attribute__ ((target ("avx2")))
static gdouble
row_entropy_avx2 (const Row * row)
{
  return row_entropy_of_any (row);
}
#endif

/* On an average; counts below that are often the same. Also a row without any is one of these. */
#define SMALL_COUNT 64

static gdouble
row_entropy (const Row * row)
{
  if (row->count < (guint64) row->n * SMALL_COUNT)
    return row_entropy_of_small (row);
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2"))
    return row_entropy_avx2 (row);
#endif
  return row_entropy_of_any (row);
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

/* The sums of indices, counted from the block's begin, and of their squares, by additions
 * alone: from the last index down, the running sum of the counts is added up i times for
 * the counter i, and the sum of those 1 + 2 + ... + i times. All stay below 2^46. */
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

/* The sums of values, and of their squares, where the index is the value. */
static void
moments_of_row (HistoStatistics * statistics, const Row * row)
{
  guint64 sum = 0;
  unsigned __int128 squares = 0;

  for (guint block = 0; block < row->n_blocks; block++) {
    const guint32 *counters = row->counters + block * BLOCK;
    const guint length = block_length (row, block);
    const guint64 n = row->sums[block], begin = block * BLOCK;
    guint64 part, part_squares;

    if (n == 0)
      continue;
    if (length == BLOCK)
      block_moments (counters, BLOCK, &part, &part_squares);
    else
      block_moments (counters, length, &part, &part_squares);
    sum += begin * n + part;
    /* (begin + i)^2; all terms but the first are below 2^60. */
    squares += (unsigned __int128) (begin * n) * begin
        + (2 * begin * part + part_squares);
  }
  moments_of_integers (statistics, row->count, sum, squares);
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
  gint64 percentiles[HISTO_N_PERCENTILES];
  guint first, last;
  Row row;

  memset (statistics, 0, sizeof *statistics);
  row_init (&row, counters, n_native);
  statistics->count = row.count;
  moments_of_row (statistics, &row);
  if (row.count == 0) {
    statistics->min = statistics->max = statistics->mode = NAN;
    for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
      statistics->percentiles[i] = NAN;
  } else {
    row_find_ends (&row, &first, &last);
    statistics->min = first;
    statistics->max = last;
    row_find_percentiles (&row, 0, row.count, percentiles);
    for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
      statistics->percentiles[i] = percentiles[i];
    statistics->mode = row_find_mode (&row);
    statistics->entropy = row_entropy (&row);
  }

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
  gint64 percentiles[HISTO_N_PERCENTILES];
  guint64 ordered, finite;
  Row row;

  memset (statistics, 0, sizeof *statistics);
  row_init (&row, counters, bins->binning.n_bins);
  statistics->underflow = totals->underflow;
  statistics->overflow = totals->overflow;
  statistics->nan = totals->nan;
  statistics->inf = totals->inf;
  ordered = row.count + totals->underflow + totals->overflow;
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

  row_find_percentiles (&row, totals->underflow, ordered, percentiles);
  /* edges[n_bins] is range_max: where the overflow begins. */
  for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
    statistics->percentiles[i] =
        ordered == 0 ? NAN : bins->edges[MAX (percentiles[i], 0)];
  statistics->mode = row.count == 0 ? NAN : bins->edges[row_find_mode (&row)];
  statistics->entropy = row.count == 0 ? 0 : row_entropy (&row);
}
