/* The arithmetic by itself: bins, percentiles, moments, and the table of formats.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common.h"

#include <math.h>

#include "engine/cpu/count.h"
#include "measures/statistics.h"

/* ---- Bins ---------------------------------------------------------------------------- */

static HistoFormat *
audio_format (GstAudioFormat format)
{
  GError *error = NULL;
  HistoFormat *result;
  GstAudioInfo info;
  GstCaps *caps;

  gst_audio_info_set_format (&info, format, 48000, 1, NULL);
  caps = gst_audio_info_to_caps (&info);
  result = histo_format_new (caps, &error);
  fail_unless (result != NULL && error == NULL);
  gst_caps_unref (caps);
  return result;
}

/* Values around every edge, then random ones from within and without the range. */
static GArray *
hard_values (const gdouble * edges, guint n_bins, GRand * random)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (gdouble));
  const gdouble width = edges[n_bins] - edges[0];

  for (guint i = 0; i <= n_bins; i++) {
    gdouble around[5] = { nextafter (edges[i], -INFINITY), edges[i],
      nextafter (edges[i], INFINITY), floor (edges[i]), ceil (edges[i])
    };

    g_array_append_vals (values, around, G_N_ELEMENTS (around));
  }
  for (guint i = 0; i < 5000; i++) {
    gdouble value = edges[0] + width * g_rand_double_range (random, -0.1, 1.1);

    g_array_append_val (values, value);
  }
  return values;
}

/* What the counters must be, by bisection over the exact edges. */
static void
count_by_bisection (GArray * values, const gdouble * edges, guint n_bins,
    guint32 * counters, guint64 * underflow, guint64 * overflow)
{
  *underflow = *overflow = 0;
  for (guint i = 0; i < values->len; i++) {
    gdouble value = g_array_index (values, gdouble, i);

    if (value < edges[0])
      ++ * underflow;
    else if (value >= edges[n_bins])
      ++ * overflow;
    else
      counters[reference_bin_of (edges, n_bins, value)]++;
  }
}

static void
check_counters (const HistoFormat * format, const HistoBinSettings * settings,
    const guint8 * data, gsize bytes, GArray * values, gint kind)
{
  HistoBinning binning;
  gdouble *edges = histo_binning_init (&binning, format, 0, settings);
  const guint n = binning.n_bins;
  gdouble *exact = g_new (gdouble, n + 1);
  guint32 *counters = g_new0 (guint32, n), *expected = g_new0 (guint32, n);
  guint64 underflow, overflow;
  HistoTotals totals;

  fail_unless (kind < 0 || (gint) binning.kind == kind, "%u bins from %g to %g "
      "are of kind %u", n, binning.range_min, binning.range_max, binning.kind);
  reference_bin_edges (binning.range_min, binning.range_max, n, exact);
  fail_unless (memcmp (exact, edges, (n + 1) * sizeof *edges) == 0);
  count_by_bisection (values, exact, n, expected, &underflow, &overflow);
  histo_cpu_measure_channel (data, bytes, values->len, &format->sample,
      &binning, edges, counters, &totals);
  for (guint i = 0; i < n; i++) {
    if (counters[i] != expected[i])
      ck_abort_msg ("%u bins from %g to %g: bin %u has %u, not %u", n,
          binning.range_min, binning.range_max, i, counters[i], expected[i]);
  }
  fail_unless_equals_uint64 (totals.underflow, underflow);
  fail_unless_equals_uint64 (totals.overflow, overflow);
  g_free (edges);
  g_free (exact);
  g_free (counters);
  g_free (expected);
}

typedef struct
{
  HistoBinSettings settings;
  gint kind;                    /* or -1 */
} Bins;

/* The bin of a floating-point sample is that of bisection, one ulp beside each edge,
 * too, and the shortcut is taken where it is one. */
GST_START_TEST (test_float_bins)
{
  static const Bins all_bins[] = {
    {{0, 0, 0}, HISTO_BINNING_SCALE},
    {{512, 0, 0}, HISTO_BINNING_SCALE},
    {{65536, 0, 0}, HISTO_BINNING_SCALE},
    {{1, 0, 0}, -1},
    {{2, 0, 0}, HISTO_BINNING_SCALE},
    {{3, 0, 0}, HISTO_BINNING_EDGES},
    {{10, 0, 1}, HISTO_BINNING_EDGES},
    {{10, 0, 0}, HISTO_BINNING_EDGES},
    {{64, -0.5, 0.5}, HISTO_BINNING_SCALE},
    {{64, 0.25, 0.5}, HISTO_BINNING_SCALE},
    {{256, 0.1, 1.1}, HISTO_BINNING_EDGES},
    {{100, -1e-300, 1e-300}, HISTO_BINNING_EDGES},
    {{7, 1e300, 1.5e300}, HISTO_BINNING_EDGES},
    {{65536, -0.3, 0.7}, HISTO_BINNING_EDGES},
    {{49, 1e15, 1e15 + 3}, -1},
    {{1000, 1, 1 + 1e-13}, -1},
    {{256, -128, 128}, -1},
    {{4, 0, 5e-324}, -1},
  };
  HistoFormat *format = audio_format (GST_AUDIO_FORMAT_F64);
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (all_bins); i++) {
    HistoBinning binning;
    gdouble *edges =
        histo_binning_init (&binning, format, 0, &all_bins[i].settings);
    GArray *values = hard_values (edges, binning.n_bins, random);

    check_counters (format, &all_bins[i].settings, (guint8 *) values->data,
        sizeof (gdouble), values, all_bins[i].kind);
    g_array_unref (values);
    g_free (edges);
  }
  histo_format_unref (format);
  g_rand_free (random);
}

GST_END_TEST;

static gint32 *
as_integers (GArray * values)
{
  gint32 *integers = g_new (gint32, values->len);

  for (guint i = 0; i < values->len; i++) {
    gdouble value = floor (g_array_index (values, gdouble, i));

    integers[i] = CLAMP (value, G_MININT32, G_MAXINT32);
    g_array_index (values, gdouble, i) = integers[i];
  }
  return integers;
}

/* The bin of an integer sample is that of bisection, whatever shortcut is taken. */
GST_START_TEST (test_integer_bins)
{
  static const Bins all_bins[] = {
    {{0, 0, 0}, HISTO_BINNING_SHIFT},
    {{65536, 0, 0}, HISTO_BINNING_SHIFT},
    {{1, 0, 0}, HISTO_BINNING_EDGES},
    {{2, 0, 0}, HISTO_BINNING_SHIFT},
    {{3, 0, 0}, HISTO_BINNING_EDGES},
    {{100, -1000, 1000}, HISTO_BINNING_EDGES},
    {{16, -256, 256}, HISTO_BINNING_SHIFT},
    {{16, -255, 257}, HISTO_BINNING_EDGES},
    {{512, -256, 256}, HISTO_BINNING_SHIFT},
    {{1024, -256, 256}, HISTO_BINNING_EDGES},
    {{7, 0, 1e300}, HISTO_BINNING_EDGES},
    {{10, 0.5, 9.75}, HISTO_BINNING_EDGES},
    {{64, 2147483584, 2147483648}, HISTO_BINNING_SHIFT},
    {{65536, -1e9, 2e9}, HISTO_BINNING_EDGES},
  };
  HistoFormat *format = audio_format (GST_AUDIO_FORMAT_S32);
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (all_bins); i++) {
    HistoBinning binning;
    gdouble *edges =
        histo_binning_init (&binning, format, 0, &all_bins[i].settings);
    GArray *values = hard_values (edges, binning.n_bins, random);
    gint32 *integers = as_integers (values);

    check_counters (format, &all_bins[i].settings, (guint8 *) integers,
        sizeof (gint32), values, all_bins[i].kind);
    for (guint v = 0; v < values->len; v++) {
      guint32 bin = histo_binning_find_integer (&binning, edges, integers[v]);
      guint32 expected = HISTO_BIN_OVERFLOW;

      if (integers[v] < edges[0])
        expected = HISTO_BIN_UNDERFLOW;
      else if (integers[v] < edges[binning.n_bins])
        expected = reference_bin_of (edges, binning.n_bins, integers[v]);
      if (bin != expected)
        ck_abort_msg ("%d is in bin %u, not %u", integers[v], bin, expected);
    }
    g_array_unref (values);
    g_free (integers);
    g_free (edges);
  }
  histo_format_unref (format);
  g_rand_free (random);
}

GST_END_TEST;

/* What can and what cannot be bins. */
GST_START_TEST (test_settings)
{
  static const struct
  {
    HistoBinSettings settings;
    gboolean valid;
  } all[] = {
    {{0, 0, 0}, TRUE},
    {{65536, 0, 0}, TRUE},
    {{65537, 0, 0}, FALSE},
    {{0, 16, 235}, TRUE},
    {{0, 16, 16}, FALSE},
    {{0, 17, 16}, FALSE},
    {{0, -1, 0}, TRUE},
    {{0, 0, 1}, TRUE},
    {{0, 1, 0}, FALSE},
    {{0, NAN, 1}, FALSE},
    {{0, 0, NAN}, FALSE},
    {{0, NAN, NAN}, FALSE},
    {{0, -INFINITY, 0}, FALSE},
    {{0, 0, INFINITY}, FALSE},
    {{0, -G_MAXDOUBLE, G_MAXDOUBLE}, FALSE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    fail_unless_equals_int (histo_bin_settings_valid (&all[i].settings),
        all[i].valid);
}

GST_END_TEST;

/* ---- Percentiles, mode, entropy ---------------------------------------------------------- */

typedef struct
{
  HistoFormat *format;
  HistoBins bins;
  guint32 counters[256];
  HistoFigures statistics;
} Native;

static void
native_open (Native * native)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format=GRAY8, width=8, "
      "height=8, framerate=25/1");
  const HistoBinSettings settings = { 0, 0, 0 };

  memset (native, 0, sizeof *native);
  native->format = histo_format_new (caps, NULL);
  histo_bins_init (&native->bins, native->format, 8, &settings);
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

  histo_statistics_from_native (&native->statistics, native->counters, 256,
      &native->bins, NULL);
  for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
    fail_unless_equals_float (native->statistics.percentiles[i], expected[i]);
}

/* A percentile is the smallest value that as many samples do not exceed: at the very
 * count, not one before and not one after. */
GST_START_TEST (test_percentiles)
{
  Native native;

  native_open (&native);
  for (guint i = 0; i < 100; i++)
    native.counters[i] = 1;
  check_percentiles (&native, 0, 9, 49, 89, 98);
  native.counters[0] = 2;       /* 101 samples: q * 101 is never whole */
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

GST_END_TEST;

/* Of values that are equally frequent, the lowest is the mode. */
GST_START_TEST (test_mode)
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

GST_END_TEST;

/* n values that are equally frequent have log2 n bits; one has a zero that is none of
 * the negative ones. */
GST_START_TEST (test_entropy)
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
    histo_statistics_from_native (&native.statistics, native.counters, 256,
        &native.bins, NULL);
    fail_unless (fabs (native.statistics.entropy - bits) < 1e-12);
  }
  native_close (&native);
}

GST_END_TEST;

/* Without a sample there is no number, and no division by zero. */
GST_START_TEST (test_nothing)
{
  Native native;

  native_open (&native);
  histo_statistics_from_native (&native.statistics, native.counters, 256,
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

GST_END_TEST;

/* ---- Mean and variance ----------------------------------------------------------------------- */

static void
check_moments (const HistoTotals * totals, guint64 n, ReferenceInt128 sum,
    ReferenceUint128 squares, const gchar * label)
{
  const ReferenceUint128 magnitude = sum < 0 ? -sum : sum;
  const gdouble variance = reference_ratio (n * squares - magnitude * magnitude,
      (ReferenceUint128) n * n);
  const gdouble mean = reference_ratio (magnitude, n) * (sum < 0 ? -1 : 1);
  HistoFormat *format = audio_format (GST_AUDIO_FORMAT_S32);
  const HistoBinSettings settings = { 1, 0, 0 };
  guint32 counter = n;
  HistoFigures statistics;
  HistoBins bins;

  histo_bins_init (&bins, format, 0, &settings);
  histo_statistics_from_totals (&statistics, totals, FALSE, &counter, &bins);
  fail_unless (statistics.sum == (gdouble) sum, "%s: sum", label);
  /* One rounding from a long double, which rarely rounds twice. */
  fail_unless (fabs (statistics.mean - mean) <= fabs (mean) * DBL_EPSILON,
      "%s: mean is %.17g, not %.17g", label, statistics.mean, mean);
  fail_unless (fabs (statistics.variance - variance) <= variance * DBL_EPSILON,
      "%s: variance is %.17g, not %.17g", label, statistics.variance, variance);
  histo_bins_clear (&bins);
  histo_format_unref (format);
}

/* The totals of `n` samples of a and one of b. */
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
  /* However the two halves are filled, their sum counts. */
  totals.square_low += (guint64) 1 << 33;
  totals.square_high -= totals.square_high > 1 ? 2 : 0;
  if ((((ReferenceUint128) totals.square_high << 32) + totals.square_low)
      == squares)
    check_moments (&totals, n + 1, sum, squares, label);
  g_free (label);
}

/* The variance is exact where its terms are so large and so near each other that
 * doubles, and 64 bits, know no difference. */
GST_START_TEST (test_exact_moments)
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
        /* Of U32 all are positive; then the sum fits 64 bits without a sign. */
        if (values[a] > G_MAXINT32 && counts[c] > 1000000)
          continue;
        check_two_values (counts[c], values[a], values[b]);
      }
    }
  }
}

GST_END_TEST;

/* A full counter of the highest 16-bit value: no term overflows. */
GST_START_TEST (test_full_counters)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format=GRAY16_LE, "
      "width=8, height=8, framerate=25/1");
  HistoFormat *format = histo_format_new (caps, NULL);
  const HistoBinSettings settings = { 0, 0, 0 };
  guint32 *counters = g_new0 (guint32, 65536);
  HistoFigures statistics;
  HistoBins bins;

  histo_bins_init (&bins, format, 16, &settings);
  counters[65535] = G_MAXUINT32;
  histo_statistics_from_native (&statistics, counters, 65536, &bins, NULL);
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

GST_END_TEST;

/* ---- Against the definitions ---------------------------------------------------------------------- */

/* The figures as their definitions say, one after the other, each by a pass of its own over
 * all counters; @edges: of bins, or NULL where the index is the value. */

static guint64
plain_count (const guint32 * counters, guint n)
{
  guint64 count = 0;

  for (guint i = 0; i < n; i++)
    count += counters[i];
  return count;
}

static gdouble
plain_percentile (const guint32 * counters, guint n, guint64 before,
    guint64 count, guint percent, const gdouble * edges)
{
  guint64 cumulative = before;

  if (count == 0)
    return NAN;
  if (before > 0 && before * 100 >= percent * count)
    return edges[0];
  for (guint i = 0; i < n; i++) {
    cumulative += counters[i];
    if (cumulative > 0 && cumulative * 100 >= percent * count)
      return edges != NULL ? edges[i] : i;
  }
  return edges[n];
}

static gdouble
plain_mode (const guint32 * counters, guint n, const gdouble * edges)
{
  guint mode = 0;

  if (plain_count (counters, n) == 0)
    return NAN;
  for (guint i = 1; i < n; i++) {
    if (counters[i] > counters[mode])
      mode = i;
  }
  return edges != NULL ? edges[mode] : mode;
}

static gdouble
plain_entropy (const guint32 * counters, guint n)
{
  const guint64 count = plain_count (counters, n);
  long double entropy = 0;

  for (guint i = 0; i < n; i++) {
    if (counters[i] > 0) {
      long double share = (long double) counters[i] / count;

      entropy -= share * log2l (share);
    }
  }
  return entropy + 0.0;
}

/* Sum, mean, variance, and extrema of what the index is the value of. */
static void
plain_moments (HistoFigures * statistics, const guint32 * counters, guint n)
{
  const guint64 count = plain_count (counters, n);
  ReferenceUint128 sum = 0, squares = 0, numerator;

  statistics->min = statistics->max = NAN;
  for (guint i = 0; i < n; i++) {
    sum += (ReferenceUint128) counters[i] * i;
    squares += (ReferenceUint128) counters[i] * i * i;
    if (counters[i] > 0 && isnan (statistics->min))
      statistics->min = i;
    if (counters[i] > 0)
      statistics->max = i;
  }
  statistics->sum = (gdouble) sum;
  statistics->mean = statistics->variance = NAN;
  if (count == 0)
    return;
  statistics->mean = (gdouble) ((long double) sum / count);
  if (count < (1u << 31)) {
    numerator = count * squares - sum * sum;
    statistics->variance =
        (gdouble) ((long double) numerator / ((long double) count * count));
  } else {
    long double mean = (long double) sum / count;
    long double variance = (long double) squares / count - mean * mean;

    statistics->variance = (gdouble) MAX (variance, 0);
  }
}

static void
plain_order (HistoFigures * statistics, const guint32 * counters, guint n,
    guint64 before, guint64 count, const gdouble * edges)
{
  for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
    statistics->percentiles[i] = plain_percentile (counters, n, before, count,
        histo_percents[i], edges);
  statistics->mode = plain_mode (counters, n, edges);
  statistics->entropy = plain_entropy (counters, n);
}

/* Kinds of histograms, of which the last is the emptiest. */
enum
{ FULL, HUGE_COUNTS, EQUAL, REPEATED, SPARSE, CLUSTER, ONE, NONE, N_KINDS };

static void
random_counters (GRand * random, guint kind, guint32 * counters, guint n)
{
  const guint first = g_rand_int_range (random, 0, n);
  const guint cluster = g_rand_int_range (random, 1, MIN (n, 100) + 1);
  const guint32 equal = g_rand_int (random) >> g_rand_int_range (random, 0, 32);

  for (guint i = 0; i < n; i++) {
    const guint32 any = g_rand_int (random);

    switch (kind) {
      case FULL:
        counters[i] = any >> 18;
        break;
      case HUGE_COUNTS:
        counters[i] = ~(any >> 8);
        break;
      case EQUAL:
        counters[i] = equal;
        break;
      case REPEATED:
        /* Few different counts, which agree in their low bits. */
        counters[i] = 7 + 1024 * (any >> 30);
        break;
      case SPARSE:
        counters[i] = any % 97 == 0 ? any : 0;
        break;
      case CLUSTER:
        counters[i] = i >= first && i - first < cluster ? any >> 20 : 0;
        break;
      case ONE:
        counters[i] = i == first ? MAX (equal, 1) : 0;
        break;
      default:
        counters[i] = 0;
    }
  }
}

static gdouble
figure_of (const HistoFigures * figures, const HistoFigureInfo * info)
{
  return *(const gdouble *) G_STRUCT_MEMBER_P (figures, info->offset);
}

/* All figures but the entropy must be equal to the last bit. */
static void
check_same (const HistoFigures * statistics, const HistoFigures * plain,
    guint kind, guint n)
{
  fail_unless_equals_uint64 (statistics->count, plain->count);
  for (guint i = 0; i < HISTO_N_FIGURES; i++) {
    const HistoFigureInfo *info = &histo_figures[i];
    gdouble value, expected;

    if (info->type != HISTO_FIGURE_DOUBLE
        || g_str_equal (info->name, "entropy"))
      continue;
    value = figure_of (statistics, info);
    expected = figure_of (plain, info);
    if (memcmp (&value, &expected, sizeof value) != 0)
      ck_abort_msg ("kind %u of %u counters: %s is %.17g, not %.17g",
          kind, n, info->name, value, expected);
  }
  /* Up to 65536 terms are added, and each sum is rounded. */
  if (!(fabs (statistics->entropy - plain->entropy) <=
          1e-11 * (1 + plain->entropy)))
    ck_abort_msg ("kind %u of %u counters: entropy is %.17g, not %.17g", kind,
        n, statistics->entropy, plain->entropy);
}

/* All figures of video but the entropy are, to the last bit, what each one's definition
 * gives. */
GST_START_TEST (test_native_plainly)
{
  const HistoBins bins = { .native_bin = NULL };
  GRand *random = test_random ();
  guint32 *counters = g_new (guint32, 65536);
  guint32 *histogram = g_new (guint32, 65536);

  for (guint depth = 1; depth <= 16; depth++) {
    for (guint i = 0; i < N_KINDS * (depth > 12 ? 2 : 40); i++) {
      const guint n = 1u << depth, kind = i % N_KINDS;
      HistoFigures statistics, plain = { 0, };

      random_counters (random, kind, counters, n);
      histo_statistics_from_native (&statistics, counters, n, &bins, histogram);
      plain.count = plain_count (counters, n);
      plain_moments (&plain, counters, n);
      plain.std_dev = sqrt (plain.variance);
      plain_order (&plain, counters, n, 0, plain.count, NULL);
      check_same (&statistics, &plain, kind, n);
      fail_unless (memcmp (histogram, counters, n * sizeof *counters) == 0);
    }
  }
  g_rand_free (random);
  g_free (counters);
  g_free (histogram);
}

GST_END_TEST;

/* And of audio percentiles, mode and entropy, whatever lies beside the bins. */
GST_START_TEST (test_totals_plainly)
{
  static const guint numbers[] = { 1, 2, 31, 32, 33, 63, 64, 65, 100, 256, 1000,
    4096, 65535, 65536
  };
  HistoFormat *format = audio_format (GST_AUDIO_FORMAT_F32);
  GRand *random = test_random ();
  guint32 *counters = g_new (guint32, 65536);

  for (guint b = 0; b < G_N_ELEMENTS (numbers); b++) {
    const guint n = numbers[b];
    const HistoBinSettings settings = { n, 0, 0 };
    HistoBins bins;

    histo_bins_init (&bins, format, 0, &settings);
    for (guint i = 0; i < N_KINDS * (n > 4096 ? 2 : 40); i++) {
      const guint kind = i % N_KINDS;
      HistoTotals totals = { 0, };
      HistoFigures statistics, plain;

      random_counters (random, kind, counters, n);
      if (g_rand_boolean (random))
        totals.underflow = g_rand_int (random) >> g_rand_int_range (random, 0,
            32);
      if (g_rand_boolean (random))
        totals.overflow = g_rand_int (random) >> g_rand_int_range (random, 0,
            32);
      histo_statistics_from_totals (&statistics, &totals, TRUE, counters,
          &bins);
      plain = statistics;
      plain.count = plain_count (counters, n) + totals.underflow
          + totals.overflow;
      plain_order (&plain, counters, n, totals.underflow, plain.count,
          bins.edges);
      check_same (&statistics, &plain, kind, n);
    }
    histo_bins_clear (&bins);
  }
  histo_format_unref (format);
  g_rand_free (random);
  g_free (counters);
}

GST_END_TEST;

/* ---- The table of formats ------------------------------------------------------------------------ */

static HistoFormat *
video_format (GstVideoFormat format, guint width, guint height)
{
  GError *error = NULL;
  HistoFormat *result;
  GstVideoInfo info;
  GstCaps *caps;

  gst_video_info_set_format (&info, format, width, height);
  caps = gst_video_info_to_caps (&info);
  result = histo_format_new (caps, &error);
  fail_unless (result != NULL && error == NULL, "%s",
      gst_video_format_to_string (format));
  gst_caps_unref (caps);
  return result;
}

/* A buffer of alternating fields holds half of the lines. */
GST_START_TEST (test_alternate_fields)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw(format:Interlaced), "
      "format=I420, width=16, height=12, framerate=25/1, "
      "interlace-mode=alternate");
  HistoFormat *format = histo_format_new (caps, NULL);

  fail_unless (format != NULL);
  fail_unless_equals_int (format->width, 16);
  fail_unless_equals_int (format->height, 6);
  fail_unless_equals_int (format->planes[0].rows, 6);
  fail_unless_equals_int (format->planes[1].rows, 3);
  histo_format_unref (format);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* A palette's pixel is the colour that the palette has for it. */
GST_START_TEST (test_palette)
{
  static const gchar *const names[] = { "R", "G", "B", "A" };
  HistoFormat *format = video_format (GST_VIDEO_FORMAT_RGB8P, 16, 8);

  fail_unless_equals_int (format->n_components, 4);
  for (guint c = 0; c < 4; c++) {
    fail_unless_equals_string (format->components[c].name, names[c]);
    fail_unless_equals_int (format->components[c].depth, 8);
  }
  fail_unless (format->needs_unpack);
  histo_format_unref (format);
}

GST_END_TEST;

/* The x of RGBx and its kin is nobody's sample. */
GST_START_TEST (test_padding)
{
  static const struct
  {
    GstVideoFormat format;
    guint word;
  } padded[] = {
    {GST_VIDEO_FORMAT_RGBx, 3}, {GST_VIDEO_FORMAT_BGRx, 3},
    {GST_VIDEO_FORMAT_xRGB, 0}, {GST_VIDEO_FORMAT_xBGR, 0}
  };

  for (guint i = 0; i < G_N_ELEMENTS (padded); i++) {
    HistoFormat *format = video_format (padded[i].format, 16, 8);

    fail_unless_equals_int (format->n_components, 3);
    fail_unless_equals_int (format->n_bins, 3 * 256);
    fail_unless_equals_int (format->planes[0].n_samples, 3);
    fail_unless_equals_int (format->planes[0].period_bytes, 4);
    for (guint w = 0; w < 4; w++)
      fail_unless_equals_int (format->planes[0].word_sample[w]
          == HISTO_NO_SAMPLE, w == padded[i].word);
    histo_format_unref (format);
  }
}

GST_END_TEST;

/* Of the formats of 1.22, tiles and palettes alone need GStreamer's unpacking. */
GST_START_TEST (test_unpacked_formats)
{
  guint n = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);

  for (guint i = 0; i < n; i++) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (formats[i]);
    HistoFormat *format = video_format (formats[i], 34, 18);
    gboolean odd = GST_VIDEO_FORMAT_INFO_IS_TILED (info)
        || GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info);

    if (formats[i] <= GST_VIDEO_FORMAT_NV12_10BE_8L128)
      fail_unless (format->needs_unpack == odd, "%s", info->name);
    else
      fail_unless (format->needs_unpack || !odd, "%s", info->name);
    histo_format_unref (format);
  }
}

GST_END_TEST;

static void
check_planes (const HistoFormat * format, const gchar * label)
{
  guint64 n_samples[HISTO_MAX_COMPONENTS] = { 0, };
  ReferenceShape shape;

  fail_unless (reference_video_shape (GST_VIDEO_INFO_FORMAT (&format->video),
          format->width, format->height, &shape));
  fail_unless (format->n_components == shape.n_components, "%s", label);
  for (guint p = 0; p < format->n_planes; p++) {
    const HistoPlane *plane = &format->planes[p];

    fail_unless (format->needs_unpack || histo_plane_row_bytes (plane)
        <= (guint64) GST_VIDEO_INFO_PLANE_STRIDE (&format->video, p),
        "%s: plane %u", label, p);
    for (guint i = 0; i < plane->n_samples; i++)
      n_samples[plane->samples[i].component] +=
          (guint64) plane->samples[i].count * plane->rows;
  }
  for (guint c = 0; c < format->n_components; c++)
    fail_unless (n_samples[c] == (guint64) shape.widths[c] * shape.heights[c]
        && format->components[c].depth == shape.depths[c]
        && g_str_equal (format->components[c].name, shape.names[c]),
        "%s: component %u", label, c);
}

/* At every width each component has as many samples as its picture, and no row is
 * longer than its stride. */
GST_START_TEST (test_rows_fit)
{
  guint n = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);

  for (guint i = 0; i < n; i++) {
    for (guint width = 1; width <= 70; width++) {
      HistoFormat *format = video_format (formats[i], width, 1 + width % 5);
      gchar *label = g_strdup_printf ("%s, width %u",
          gst_video_format_to_string (formats[i]), width);

      check_planes (format, label);
      histo_format_unref (format);
      g_free (label);
    }
  }
}

GST_END_TEST;

/* ---- Counting planes on the CPU ------------------------------------------------------------------- */

/* Rows of one kind of content after the other: each is counted in a way of its own where a
 * plane is large. */
static void
fill_in_bands (guint8 * data, gsize stride, guint rows, GRand * random)
{
  for (guint y = 0, left = 0, kind = 0; y < rows; y++, left--) {
    guint8 *row = data + y * stride;

    if (left == 0) {
      left = g_rand_int_range (random, 1, 60);
      kind = g_rand_int_range (random, 0, 5);
    }
    for (gsize x = 0; x < stride; x++) {
      const guint32 noise = g_rand_int (random) >> 8;

      switch (kind) {
        case 0:
          row[x] = noise;
          break;
        case 1:
          row[x] = x / 16 + y + noise % 7;
          break;
        case 2:
          row[x] = 77;
          break;
        case 3:                /* a repeated group, disturbed at times */
          row[x] = noise % 97 == 0 ? noise >> 8 : 30 * (x % 8);
          break;
        default:               /* edges between all of them */
          row[x] = x < stride / 3 ? noise : x < stride / 2 ? 255 : x / 16;
      }
    }
  }
}

static void
check_counted (GstVideoFormat video, guint width, guint height, GRand * random)
{
  HistoFormat *format = video_format (video, width, height);
  HistoCpuCounter *counter = histo_cpu_counter_new ();
  ReferenceShape shape;
  guint8 *data[4] = { NULL, };
  gint strides[4] = { 0, };
  guint32 *counters = g_new0 (guint32, format->n_bins);
  guint32 *expected = g_new0 (guint32, format->n_bins);
  guint32 *samples = g_new (guint32, (gsize) width * height);

  for (guint p = 0; p < format->n_planes; p++) {
    HistoPlane plane = format->planes[p];

    strides[p] = histo_plane_row_bytes (&plane) + g_rand_int_range (random, 0, 9);
    data[p] = g_malloc ((gsize) strides[p] * plane.rows);
    fill_in_bands (data[p], strides[p], plane.rows, random);
    plane.data = (guint64) (guintptr) data[p];
    plane.stride = strides[p];
    histo_cpu_counter_begin (counter, &plane, counters);
    for (guint y = 0, n; y < plane.rows; y += n) {
      n = g_rand_int_range (random, 1, plane.rows - y + 1);
      histo_cpu_counter_rows (counter, y, n);
    }
    histo_cpu_counter_end (counter);
  }

  fail_unless (reference_video_shape (video, width, height, &shape));
  for (guint c = 0, first = 0; c < shape.n_components;
      first += 1 << shape.depths[c], c++) {
    fail_unless (reference_video_samples (video, width, height,
            (const guint8 * const *) data, strides, c, samples));
    for (gsize i = 0; i < (gsize) shape.widths[c] * shape.heights[c]; i++)
      expected[first + samples[i]]++;
  }
  for (guint i = 0; i < format->n_bins; i++)
    fail_unless (counters[i] == expected[i], "%s, %u x %u: counter %u has %u, "
        "not %u", gst_video_format_to_string (video), width, height, i,
        counters[i], expected[i]);

  for (guint p = 0; p < format->n_planes; p++)
    g_free (data[p]);
  g_free (counters);
  g_free (expected);
  g_free (samples);
  histo_cpu_counter_free (counter);
  histo_format_unref (format);
}

static const GstVideoFormat formats_of_bytes[] = {
  GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA,
  GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_AYUV
};

/* Of more than a megabyte, also in rows too short for what is looked at to judge them. */
GST_START_TEST (test_large_planes)
{
  const GstVideoFormat format = formats_of_bytes[__i__];
  GRand *random = test_random ();
  const guint narrow = g_rand_int_range (random, 1, 30);

  check_counted (format, g_rand_int_range (random, 1900, 2100),
      g_rand_int_range (random, 1110, 1300), random);
  check_counted (format, narrow, 2200000 / narrow, random);
  check_counted (format, 2200003, 1, random);
  g_rand_free (random);
}

GST_END_TEST;

static Suite *
statistics_suite (void)
{
  Suite *suite = suite_create ("statistics");
  TCase *tcase = tcase_create ("general");

  tcase_set_timeout (tcase, 5);
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_float_bins);
  tcase_add_test (tcase, test_integer_bins);
  tcase_add_test (tcase, test_settings);
  tcase_add_test (tcase, test_percentiles);
  tcase_add_test (tcase, test_mode);
  tcase_add_test (tcase, test_entropy);
  tcase_add_test (tcase, test_nothing);
  tcase_add_test (tcase, test_exact_moments);
  tcase_add_test (tcase, test_full_counters);
  tcase_add_test (tcase, test_native_plainly);
  tcase_add_test (tcase, test_totals_plainly);
  tcase_add_test (tcase, test_alternate_fields);
  tcase_add_test (tcase, test_palette);
  tcase_add_test (tcase, test_padding);
  tcase_add_test (tcase, test_unpacked_formats);
  tcase_add_test (tcase, test_rows_fit);
  tcase_add_loop_test (tcase, test_large_planes, 0,
      G_N_ELEMENTS (formats_of_bytes));
  return suite;
}

GST_CHECK_MAIN (statistics);
