/* Statistics of a histogram: percentiles, mode, entropy, mean and variance. Of frames, and of windows, whose
 * counters may need more than 32 bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "formats.h"
#include "frames.h"

#include <math.h>

#include "measures/histogram.h"
#include "measures/statistics.h"
#include "result/fill.h"

/* ---- Percentiles, mode, entropy ------------------------------------------------------------- */

typedef struct
{
  HistoFormat *format;
  HistoBins bins;
  guint32 counters[256];
  HistoFigures statistics;
} Native;

static void
from_native (HistoFigures * figures, const guint32 * counters, guint n,
    const HistoBins * bins, guint32 * counts)
{
  HistoHistogram native;

  histo_histogram_init (&native, counters, n);
  histo_statistics_from_native (figures, &native, bins, counts);
}

static void
native_open (Native * native)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format=GRAY8, width=8, "
      "height=8, framerate=25/1");
  const HistoBinSettings settings = { 0, 0, 0 };

  memset (native, 0, sizeof *native);
  native->format = histo_format_new (caps, NULL);
  histo_bins_init (&native->bins, native->format, 256, &settings);
  gst_caps_unref (caps);
}

static void
native_close (Native * native)
{
  histo_bins_clear (&native->bins);
  histo_format_unref (native->format);
}

static void
check_percentiles (Native * native, gdouble p1, gdouble p10, gdouble p50,
    gdouble p90, gdouble p99)
{
  const gdouble expected[] = { p1, p10, p50, p90, p99 };

  from_native (&native->statistics, native->counters, 256,
      &native->bins, NULL);
  for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
    fail_unless_equals_float (native->statistics.percentiles[i], expected[i]);
}

/* A percentile is the smallest value v for which enough samples are at most v: exactly at that
 * count, not one sample earlier or later. */
TEST (test_percentiles)
{
  Native native;

  native_open (&native);
  for (guint i = 0; i < 100; i++)
    native.counters[i] = 1;
  check_percentiles (&native, 0, 9, 49, 89, 98);
  native.counters[0] = 2;       /* 101 samples: q * 101 is never an integer */
  check_percentiles (&native, 0, 9, 49, 89, 98);
  native.counters[0] = 1;
  native.counters[255] = 1;
  check_percentiles (&native, 1, 10, 50, 90, 99);

  memset (native.counters, 0, sizeof native.counters);
  native.counters[200] = 1;
  check_percentiles (&native, 200, 200, 200, 200, 200);
  native.counters[7] = 1;
  check_percentiles (&native, 7, 7, 7, 200, 200);
  native.counters[7] = 99;
  check_percentiles (&native, 7, 7, 7, 7, 7);
  native.counters[7] = 98;
  check_percentiles (&native, 7, 7, 7, 7, 200);
  native.counters[7] = G_MAXUINT32;
  native.counters[200] = G_MAXUINT32;
  check_percentiles (&native, 7, 7, 7, 200, 200);
  native_close (&native);
}

/* If several values are equally frequent, the lowest one is the mode. */
TEST (test_mode)
{
  Native native;

  native_open (&native);
  native.counters[255] = 5;
  check_percentiles (&native, 255, 255, 255, 255, 255);
  fail_unless_equals_float (native.statistics.mode, 255);
  native.counters[3] = 5;
  native.counters[9] = 5;
  native.counters[1] = 4;
  check_percentiles (&native, 1, 1, 9, 255, 255);
  fail_unless_equals_float (native.statistics.mode, 3);
  native_close (&native);
}

/* n equally frequent values have log2 n bits. The entropy of one value is +0, not -0. */
TEST (test_entropy)
{
  Native native;

  native_open (&native);
  native.counters[17] = 1000;
  check_percentiles (&native, 17, 17, 17, 17, 17);
  fail_unless (native.statistics.entropy == 0
      && !signbit (native.statistics.entropy));
  for (guint bits = 1; bits <= 8; bits++) {
    memset (native.counters, 0, sizeof native.counters);
    for (guint i = 0; i < 1u << bits; i++)
      native.counters[i] = 12345;
    from_native (&native.statistics, native.counters, 256,
        &native.bins, NULL);
    fail_unless (fabs (native.statistics.entropy - bits) < 1e-12);
  }
  native_close (&native);
}

/* Without samples the figures are NaN, and nothing is divided by zero. */
TEST (test_no_samples)
{
  Native native;

  native_open (&native);
  from_native (&native.statistics, native.counters, 256,
      &native.bins, NULL);
  fail_unless_equals_uint64 (native.statistics.count, 0);
  fail_unless_equals_float (native.statistics.sum, 0);
  fail_unless_equals_float (native.statistics.entropy, 0);
  fail_unless (isnan (native.statistics.min) && isnan (native.statistics.max));
  fail_unless (isnan (native.statistics.mean));
  fail_unless (isnan (native.statistics.variance));
  fail_unless (isnan (native.statistics.mode));
  for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
    fail_unless (isnan (native.statistics.percentiles[i]));
  native_close (&native);
}

/* ---- Mean and variance ---------------------------------------------------------------------- */

static void
check_moments (const HistoTotals * totals, guint64 n, ReferenceInt128 sum,
    ReferenceUint128 squares, const gchar * label)
{
  const ReferenceUint128 magnitude = sum < 0 ? -sum : sum;
  const gdouble variance = reference_ratio (n * squares - magnitude * magnitude,
      (ReferenceUint128) n * n);
  const gdouble mean = reference_ratio (magnitude, n) * (sum < 0 ? -1 : 1);
  HistoFormat *format = test_audio_format (GST_AUDIO_FORMAT_S32);
  const HistoBinSettings settings = { 1, 0, 0 };
  guint32 counter = n;
  HistoHistogram binned;
  HistoFigures statistics;
  HistoBins bins;

  histo_bins_init (&bins, format, 0, &settings);
  histo_histogram_init (&binned, &counter, 1);
  histo_statistics_from_totals (&statistics, totals, NULL, FALSE, &binned, &bins);
  fail_unless (statistics.sum == (gdouble) sum, "%s: sum", label);
  /* The long double is rounded once more, which rarely makes a difference. */
  fail_unless (fabs (statistics.mean - mean) <= fabs (mean) * DBL_EPSILON,
      "%s: mean is %.17g, not %.17g", label, statistics.mean, mean);
  fail_unless (fabs (statistics.variance - variance) <= variance * DBL_EPSILON,
      "%s: variance is %.17g, not %.17g", label, statistics.variance, variance);
  histo_bins_clear (&bins);
  histo_format_unref (format);
}

/* The totals of n samples of value a and one sample of value b. */
static void
check_two_values (guint64 n, gint64 a, gint64 b)
{
  const ReferenceInt128 sum = (ReferenceInt128) n * a + b;
  const ReferenceUint128 squares = (ReferenceInt128) a * a * n
      + (ReferenceInt128) b * b;
  gchar *label = g_strdup_printf ("%" G_GUINT64_FORMAT " of %" G_GINT64_FORMAT
      " and %" G_GINT64_FORMAT, n, a, b);
  HistoTotals totals = {
    .sum = sum,
    .square_low = (guint32) squares,
    .square_high = squares >> 32,
    .min = MIN (a, b),
    .max = MAX (a, b),
  };

  check_moments (&totals, n + 1, sum, squares, label);
  /* Only the sum of the two halves matters, not how it is divided between them. */
  totals.square_low += (guint64) 1 << 33;
  totals.square_high -= totals.square_high > 1 ? 2 : 0;
  if ((((ReferenceUint128) totals.square_high << 32) + totals.square_low)
      == squares)
    check_moments (&totals, n + 1, sum, squares, label);
  g_free (label);
}

/* The variance is exact even if its terms are so large and so close to each other that their
 * difference is lost in doubles and in 64 bits. */
TEST (test_exact_moments)
{
  static const gint64 values[] = { G_MININT32, G_MININT32 + 1, -1, 0, 1, 32767,
    G_MAXINT32 - 1, G_MAXINT32, G_MAXUINT32
  };
  static const guint64 counts[] = { 1, 2, 1023, 1000000, G_MAXINT32 - 2,
    G_MAXINT32 - 1
  };

  for (guint c = 0; c < G_N_ELEMENTS (counts); c++) {
    for (guint a = 0; a < G_N_ELEMENTS (values); a++) {
      for (guint b = 0; b < G_N_ELEMENTS (values); b++) {
        /* Samples of U32 are not negative, and their sum fits in 64 unsigned bits. */
        if (values[a] > G_MAXINT32 && counts[c] > 1000000)
          continue;
        check_two_values (counts[c], values[a], values[b]);
      }
    }
  }
}

/* A full counter of the highest 16-bit value: no term overflows. */
TEST (test_full_counters)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format=GRAY16_LE, "
      "width=8, height=8, framerate=25/1");
  HistoFormat *format = histo_format_new (caps, NULL);
  const HistoBinSettings settings = { 0, 0, 0 };
  guint32 *counters = g_new0 (guint32, 65536);
  HistoFigures statistics;
  HistoBins bins;

  histo_bins_init (&bins, format, 65536, &settings);
  counters[65535] = G_MAXUINT32;
  from_native (&statistics, counters, 65536, &bins, NULL);
  fail_unless_equals_uint64 (statistics.count, G_MAXUINT32);
  fail_unless_equals_float (statistics.sum, 65535.0 * G_MAXUINT32);
  fail_unless_equals_float (statistics.mean, 65535);
  fail_unless_equals_float (statistics.variance, 0);
  fail_unless_equals_float (statistics.min, 65535);
  fail_unless_equals_float (statistics.percentiles[HISTO_P1], 65535);
  histo_bins_clear (&bins);
  histo_format_unref (format);
  gst_caps_unref (caps);
  g_free (counters);
}

/* ---- Comparison with the reference ----------------------------------------------------------- */

/* Counters of a window, and their lower halves: counters of a frame. */
typedef struct
{
  guint n;
  guint64 *counts;
  guint32 *low;
} Counters;

static Counters
counters_new (guint n)
{
  return (Counters) { n, g_new0 (guint64, n), g_new0 (guint32, n) };
}

static void
set_counter (Counters * counters, guint i, guint64 count)
{
  counters->counts[i] = count;
  counters->low[i] = (guint32) count;
}

static void
counters_clear (Counters * counters)
{
  g_free (counters->low);
  g_free (counters->counts);
}

static void
from_wide (HistoFigures * figures, const Counters * counters,
    const HistoBins * bins)
{
  HistoHistogram native;

  histo_histogram_init_wide (&native, counters->counts, counters->n);
  histo_statistics_from_native (figures, &native, bins, NULL);
}

/* Kinds of histograms. NONE has no samples. WIDE has counts of more than 32 bits. */
enum
{ FULL, HUGE_COUNTS, EQUAL, REPEATED, SPARSE, CLUSTER, ONE, NONE, WIDE, N_KINDS };

static Counters
random_counters (GRand * random, guint kind, guint n)
{
  Counters counters = counters_new (n);
  const guint first = g_rand_int_range (random, 0, n);
  const guint cluster = g_rand_int_range (random, 1, MIN (n, 100) + 1);
  const guint wide_one_of = 1 + g_rand_int_range (random, 0, 3) * n / 5;
  const guint32 equal = g_rand_int (random) >> g_rand_int_range (random, 0, 32);

  for (guint i = 0; i < n; i++) {
    const guint32 any = g_rand_int (random);
    guint64 count = 0;

    switch (kind) {
      case FULL:
        count = any >> 18;
        break;
      case HUGE_COUNTS:
        count = ~(any >> 8);
        break;
      case EQUAL:
        count = equal;
        break;
      case REPEATED:
        /* A few different counts whose low bits are equal. */
        count = 7 + 1024 * (any >> 30);
        break;
      case SPARSE:
        count = any % 97 == 0 ? any : 0;
        break;
      case CLUSTER:
        count = i >= first && i - first < cluster ? any >> 20 : 0;
        break;
      case ONE:
        count = i == first ? MAX (equal, 1) : 0;
        break;
      case WIDE:
        if (any % wide_one_of == 0)
          count = ((guint64) g_rand_int (random) << 32 | any) >> (64 - g_rand_int_range (random, 1, 41));
        break;
      default:
        break;
    }
    set_counter (&counters, i, count);
  }
  return counters;
}

#define CHECK(member, expected, tolerance) G_STMT_START { \
    const gdouble is = figures->member, should_be = (expected); \
    if (!(is == should_be || (isnan (is) && isnan (should_be)) \
            || fabs (is - should_be) <= (tolerance))) \
      ck_abort_msg ("%s: " #member " is %.17g, not %.17g", label, is, should_be); \
  } G_STMT_END

static void
check_order (const HistoFigures * figures, const ReferenceStatistics * expected, const gchar * label)
{
  CHECK (percentiles[HISTO_P1], expected->p1, 0);
  CHECK (percentiles[HISTO_P10], expected->p10, 0);
  CHECK (percentiles[HISTO_P50], expected->p50, 0);
  CHECK (percentiles[HISTO_P90], expected->p90, 0);
  CHECK (percentiles[HISTO_P99], expected->p99, 0);
  CHECK (mode, expected->mode, 0);
  /* Up to 65536 terms are added, and each addition is rounded. */
  CHECK (entropy, expected->entropy, 1e-11 * (1 + expected->entropy));
}

/* Means and variances may be rounded once more. The variance of so many samples that its terms need more than
 * 128 bits is a sum of rounded terms. */
static void
check_values (const HistoFigures * figures, const Counters * counters, const gchar * label)
{
  ReferenceStatistics expected;
  gdouble rounding = 2 * DBL_EPSILON;

  reference_value_statistics (counters->counts, counters->n, 0, 0, 0, &expected);
  if (expected.count > G_MAXUINT32)
    rounding = 1e-12;
  fail_unless_equals_uint64 (figures->count, expected.count);
  CHECK (min, expected.min, 0);
  CHECK (max, expected.max, 0);
  CHECK (sum, expected.sum, 0);
  CHECK (mean, expected.mean, expected.mean * DBL_EPSILON);
  CHECK (variance, expected.variance, expected.variance * rounding);
  CHECK (std_dev, expected.std_dev, expected.std_dev * rounding);
  check_order (figures, &expected, label);
  reference_statistics_clear (&expected);
}

/* Σ of the terms of bin k and of each @distance further of half a block, as kernels/halves.h orders
 * them. */
static gdouble
ordered_terms (const guint32 * counters, guint k, guint distance, guint64 n)
{
  if (distance == HISTO_HALVES_BLOCK / 2)
    return histo_entropy_term (counters[k], n);
  return ordered_terms (counters, k, 2 * distance, n)
      + ordered_terms (counters, k + distance, 2 * distance, n);
}

/* What the device would leave. The upper halves that it does not write are 0xdead. */
static HistoHalves *
halves_of (const guint32 * counters)
{
  HistoHalves *halves = g_new0 (HistoHalves, 1);
  guint64 n = 0;

  for (guint i = 0; i < HISTO_PACKED_BINS; i++)
    n += counters[i];
  for (guint b = 0; b < HISTO_N_HALVES_BLOCKS; b++) {
    const guint first = b * HISTO_HALVES_BLOCK;
    HistoBlockTotals *block = &halves->blocks[b];

    for (guint i = 0; i < HISTO_HALVES_BLOCK; i++) {
      const guint64 count = counters[first + i];

      block->count += count;
      block->most = MAX (block->most, count);
      block->sum += i * count;
      block->squares += i * i * count;
    }
    if (block->count > 0)
      block->entropy = ordered_terms (counters + first, 0, 1, n)
          + ordered_terms (counters + first + HISTO_HALVES_BLOCK / 2, 0, 1, n);
    for (guint i = first; i < first + HISTO_HALVES_BLOCK; i++) {
      halves->low[i] = counters[i] & 0xffff;
      halves->high[i] = block->most > 0xffff ? counters[i] >> 16 : 0xdead;
    }
  }
  return halves;
}

/* All that follows from 65536 counters is the same if they are halves.
 *
 * @figures: from the counters */
static void
check_halves (const guint32 * counters, const HistoFigures * figures, GRand * random)
{
  static guint32 native_bin[HISTO_PACKED_BINS];
  const HistoBins same = { .native_bin = NULL };
  const HistoBins few = {.binning.n_bins = 10,.native_bin = native_bin };
  guint32 *joined = g_new (guint32, HISTO_PACKED_BINS), binned[2][10];
  HistoHalves *halves = halves_of (counters);
  HistoFigures from_halves, from_counters;
  HistoHistogram histogram;
  guint used = 0;

  histo_histogram_init_halves (&histogram, halves);
  histo_statistics_from_native (&from_halves, &histogram, &same, joined);
  fail_unless (memcmp (figures, &from_halves, sizeof *figures) == 0);
  fail_unless (memcmp (counters, joined, sizeof *joined * HISTO_PACKED_BINS) == 0);
  for (guint i = 0; i < HISTO_PACKED_BINS; i++) {
    const guint bin = g_rand_int_range (random, 0, 12);

    native_bin[i] = bin < 10 ? bin : bin == 10 ? HISTO_BIN_UNDERFLOW : HISTO_BIN_OVERFLOW;
    fail_unless_equals_uint64 (histo_histogram_at (&histogram, i), counters[i]);
    used |= counters[i] > 0 ? i : 0;
  }
  fail_unless_equals_int (histo_histogram_used_bits (&histogram), used);
  histo_statistics_from_native (&from_halves, &histogram, &few, binned[0]);
  from_native (&from_counters, counters, HISTO_PACKED_BINS, &few, binned[1]);
  fail_unless (memcmp (&from_counters, &from_halves, sizeof from_halves) == 0);
  fail_unless (memcmp (binned[0], binned[1], sizeof binned[0]) == 0);
  g_free (halves);
  g_free (joined);
}

/* All figures of video, of a frame and of a window. */
TEST (test_native_definitions)
{
  const HistoBins bins = { .native_bin = NULL };
  GRand *random = test_random ();
  guint32 *histogram = g_new (guint32, 65536);

  for (guint depth = 1; depth <= 16; depth++) {
    for (guint i = 0; i < N_KINDS * (depth > 12 ? 2 : 40); i++) {
      const guint n = 1u << depth, kind = i % N_KINDS;
      gchar *label = g_strdup_printf ("kind %u of %u counters", kind, n);
      Counters counters = random_counters (random, kind, n);
      HistoFigures figures, narrow;

      from_wide (&figures, &counters, &bins);
      check_values (&figures, &counters, label);
      if (kind != WIDE) {
        from_native (&narrow, counters.low, n, &bins, histogram);
        fail_unless (memcmp (&figures, &narrow, sizeof figures) == 0);
        fail_unless (memcmp (histogram, counters.low, n * sizeof *histogram) == 0);
        /* Counts of a block fit in 32 bits, as those of a frame do. */
        if (n == HISTO_PACKED_BINS && figures.count <= G_MAXUINT32)
          check_halves (counters.low, &narrow, random);
      }
      counters_clear (&counters);
      g_free (label);
    }
  }
  g_rand_free (random);
  g_free (histogram);
}

/* So many samples that their number times the sum of their squares needs more than 128 bits. */
TEST (test_very_many)
{
  const HistoBins bins = { .native_bin = NULL };
  Counters counters = counters_new (65536);
  HistoFigures figures;

  set_counter (&counters, 0, G_GUINT64_CONSTANT (1) << 50);
  set_counter (&counters, 65535, G_GUINT64_CONSTANT (1) << 50);
  from_wide (&figures, &counters, &bins);
  check_values (&figures, &counters, "very many");
  fail_unless_equals_float (figures.variance, 32767.5 * 32767.5);
  counters_clear (&counters);
}

/* Percentiles, mode and entropy of audio, with samples inside and outside the bins. */
TEST (test_totals_definitions)
{
  static const guint numbers[] = { 1, 2, 31, 32, 33, 63, 64, 65, 100, 256, 1000,
    4096, 65535, 65536
  };
  HistoFormat *format = test_audio_format (GST_AUDIO_FORMAT_F32);
  GRand *random = test_random ();

  for (guint b = 0; b < G_N_ELEMENTS (numbers); b++) {
    const guint n = numbers[b];
    const HistoBinSettings settings = { n, 0, 0 };
    HistoBins bins;

    histo_bins_init (&bins, format, 0, &settings);
    for (guint i = 0; i < N_KINDS * (n > 4096 ? 2 : 40); i++) {
      const guint kind = i % N_KINDS;
      gchar *label = g_strdup_printf ("kind %u of %u bins", kind, n);
      Counters counters = random_counters (random, kind, n);
      ReferenceStatistics expected = { 0, };
      HistoTotals totals = { 0, };
      HistoHistogram binned;
      HistoFigures figures;
      guint64 count = 0;

      for (guint k = 0; k < n; k++)
        count += counters.counts[k];
      if (g_rand_boolean (random))
        totals.underflow = (guint64) g_rand_int (random) >> g_rand_int_range (random, 0, 32) << i % 10;
      if (g_rand_boolean (random))
        totals.overflow = (guint64) g_rand_int (random) >> g_rand_int_range (random, 0, 32) << i % 7;
      count += totals.underflow + totals.overflow;
      /* Extremes that need not fit the counters. */
      totals.float_min = g_rand_double_range (random, -1.5, 1);
      totals.float_max = totals.float_min + g_rand_double_range (random, 0, 2);
      if (kind == WIDE)
        histo_histogram_init_wide (&binned, counters.counts, n);
      else
        histo_histogram_init (&binned, counters.low, n);
      histo_statistics_from_totals (&figures, &totals, NULL, TRUE, &binned, &bins);
      reference_order_statistics (counters.counts, n, bins.edges, totals.underflow, count, &expected);
      for (guint p = 0; p < HISTO_N_PERCENTILES; p++) {
        gdouble *percentile[] = { &expected.p1, &expected.p10, &expected.p50, &expected.p90, &expected.p99 };

        *percentile[p] = CLAMP (*percentile[p], totals.float_min, totals.float_max);
      }
      fail_unless_equals_uint64 (figures.count, count);
      check_order (&figures, &expected, label);
      counters_clear (&counters);
      g_free (label);
    }
    histo_bins_clear (&bins);
  }
  histo_format_unref (format);
  g_rand_free (random);
}

#undef CHECK

/* The percentiles of audio lie between the extremes of the finite samples, wherever the bins are.
 * Without a finite sample they are the ends of the bins. */
TEST (test_percentiles_within_extremes)
{
  static const struct
  {
    gdouble range_min, range_max, low, high;    /* low, high: two samples */
    gdouble p1, p99;
  } cases[] = {
    {-1, 1, 0.3, 0.9, 0.3, 0.5},        /* in the bins from 0 and from 0.5 */
    {-1, 1, -0.5, 0.5, -0.5, 0.5},      /* on edges */
    {-1, 1, 3, 4, 3, 3},        /* above the bins */
    {-1, 1, -4, -3, -3, -3},    /* below the bins */
    {-1, 1, -INFINITY, 0.2, 0.2, 0.2},
    {-1, 1, 0.2, INFINITY, 0.2, 0.2},
    {-1, 1, -INFINITY, INFINITY, -1, 1},
  };
  HistoFormat *format = test_audio_format (GST_AUDIO_FORMAT_F32);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gdouble samples[] = { cases[i].low, cases[i].high };
    const HistoBinSettings settings =
        { 4, cases[i].range_min, cases[i].range_max };
    HistoTotals totals = {.float_min = INFINITY,.float_max = -INFINITY };
    guint32 counters[4] = { 0, };
    HistoHistogram binned;
    HistoFigures figures;
    HistoBins bins;

    histo_bins_init (&bins, format, 0, &settings);
    for (guint k = 0; k < 2; k++) {
      totals.inf += isinf (samples[k]) != 0;
      totals.underflow += samples[k] < cases[i].range_min;
      totals.overflow += samples[k] >= cases[i].range_max;
      if (samples[k] >= cases[i].range_min && samples[k] < cases[i].range_max)
        counters[(guint) (2 * samples[k] + 2)]++;
      if (isfinite (samples[k])) {
        totals.float_min = MIN (totals.float_min, samples[k]);
        totals.float_max = MAX (totals.float_max, samples[k]);
      }
    }
    histo_histogram_init (&binned, counters, bins.binning.n_bins);
    histo_statistics_from_totals (&figures, &totals, NULL, TRUE, &binned, &bins);
    fail_unless_equals_float (figures.percentiles[HISTO_P1], cases[i].p1);
    fail_unless_equals_float (figures.percentiles[HISTO_P99], cases[i].p99);
    histo_bins_clear (&bins);
  }
  histo_format_unref (format);
}

/* ---- Histograms of the result ------------------------------------------------------------------ */

/* Returns: count @i of a histogram of @n bins */
static guint64
histogram_at (GBytes * histogram, guint n, guint i)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (histogram, &size);

  if (size == n * sizeof (guint64))
    return GUINT64_FROM_LE (((const guint64 *) data)[i]);
  fail_unless_equals_uint64 (size, n * sizeof (guint32));
  return GUINT32_FROM_LE (((const guint32 *) data)[i]);
}

static void
check_histograms (GRand * random, HistoFormat * format, guint n_bins,
    guint bits)
{
  const HistoPlanSettings settings = {.bins = {n_bins, 10, 200} };
  HistoPlan *plan = histo_plan_new (format, &settings);
  const HistoBins *bins = histo_plan_bins (plan, 0);
  guint64 *expected = g_new0 (guint64, bins->binning.n_bins);
  guint64 underflow = 0, overflow = 0, any = 0;
  HistoResult result = { 0, };
  HistoTotals totals = { 0, };
  HistoCounts counts = { 0, };
  Counters counters = counters_new (plan->n_counters);

  for (guint i = 0; i < counters.n; i++)
    set_counter (&counters, i, ((guint64) g_rand_int (random) << 32 | g_rand_int (random))
        >> (64 - g_rand_int_range (random, 1, bits + 1)));
  for (guint v = 0; v < counters.n; v++) {
    const guint32 bin = bins->native_bin != NULL ? bins->native_bin[v] : v;

    if (bin == HISTO_BIN_UNDERFLOW)
      underflow += counters.counts[v];
    else if (bin == HISTO_BIN_OVERFLOW)
      overflow += counters.counts[v];
    else
      expected[bin] += counters.counts[v];
  }
  if (bits > 20)
    counts.wide_counters = counters.counts;
  else
    counts.counters = counters.low;
  counts.totals = &totals;
  counts.n_frames = 1000;
  histo_result_fill (&result, plan, &counts, NULL, "cpu",
      HISTO_HISTOGRAMS_ALL);
  for (guint i = 0; i < bins->binning.n_bins; i++) {
    any |= expected[i];
    fail_unless_equals_uint64 (histogram_at (result.components[0].histogram,
            bins->binning.n_bins, i), expected[i]);
  }
  fail_unless_equals_int (g_bytes_get_size (result.components[0].histogram)
      == bins->binning.n_bins * sizeof (guint64), any > G_MAXUINT32);
  fail_unless_equals_uint64 (result.components[0].figures.underflow, underflow);
  fail_unless_equals_uint64 (result.components[0].figures.overflow, overflow);
  histo_result_clear (&result);
  counters_clear (&counters);
  histo_plan_unref (plan);
  g_free (expected);
}

/* A histogram has 64 bits for each bin exactly if one bin needs them; a few wide bins may need
 * them although no counter does. */
TEST (test_histograms)
{
  static const guint numbers[] = { 0, 1, 3, 190 };
  HistoFormat *video = test_video_format (GST_VIDEO_FORMAT_GRAY8, 8, 8);
  HistoFormat *audio = test_audio_format (GST_AUDIO_FORMAT_S16);
  GRand *random = test_random ();

  for (guint i = 0; i < 40; i++) {
    for (guint b = 0; b < G_N_ELEMENTS (numbers); b++) {
      check_histograms (random, video, numbers[b], 20);
      check_histograms (random, video, numbers[b], 32);
      check_histograms (random, video, numbers[b], 40);
      check_histograms (random, audio, numbers[b], 30);
      check_histograms (random, audio, numbers[b], 40);
    }
  }
  histo_format_unref (video);
  histo_format_unref (audio);
  g_rand_free (random);
}

/* ---- Functions of histograms ------------------------------------------------------------------ */

/* A histogram has no value with more samples before it than it has. */
TEST (test_find)
{
  guint32 *counters = g_new0 (guint32, 1000);
  HistoHistogram histogram;

  counters[3] = 5;
  counters[777] = 4;
  histo_histogram_init (&histogram, counters, 1000);
  fail_unless_equals_int (histo_histogram_find (&histogram, 1), 3);
  fail_unless_equals_int (histo_histogram_find (&histogram, 5), 3);
  fail_unless_equals_int (histo_histogram_find (&histogram, 6), 777);
  fail_unless_equals_int (histo_histogram_find (&histogram, 9), 777);
  fail_unless_equals_int (histo_histogram_find (&histogram, 10), 1000);
  g_free (counters);
}

/* An empty histogram has no distance. */
TEST (test_distances)
{
  static const guint32 empty[4] = { 0, }, full[4] = { 1, 2, 3, 4 };
  HistoDistances distances;

  for (guint i = 0; i < 3; i++) {
    histo_distances_find (&distances, i & 1 ? full : empty,
        i & 2 ? full : empty, 4);
    fail_unless (isnan (distances.chi2) && isnan (distances.bhattacharyya)
        && isnan (distances.emd));
  }
  histo_distances_find (&distances, full, full, 4);
  fail_unless (distances.chi2 == 0 && distances.bhattacharyya == 0
      && distances.emd == 0);
}

TEST_MAIN (20)
