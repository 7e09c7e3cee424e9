/* Statistics of windows: counters that may need more than 32 bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "formats.h"
#include "frames.h"

#include <math.h>

#include "measures/statistics.h"
#include "result/fill.h"

/* ---- Each figure as it is defined ------------------------------------------------------- */

static guint64
plain_percentile (const guint64 * counts, guint n, guint64 before,
    guint64 count, guint percent)
{
  ReferenceUint128 cumulative = before;

  for (guint i = 0; i < n; i++) {
    cumulative += counts[i];
    if (cumulative > 0 && cumulative * 100 >= (ReferenceUint128) percent * count)
      return i;
  }
  return n;
}

static long double
plain_entropy (const guint64 * counts, guint n, guint64 count)
{
  long double entropy = 0;

  for (guint i = 0; i < n; i++) {
    const long double share = (long double) counts[i] / count;

    if (counts[i] > 0)
      entropy -= share * log2l (share);
  }
  return entropy;
}

static gdouble
plain_variance (const guint64 * counts, guint n, guint64 count,
    long double mean)
{
  long double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += counts[i] * (i - mean) * (i - mean);
  return (gdouble) (sum / count);
}

static void
check_native (const HistoFigures * figures, const guint64 * counts, guint n)
{
  ReferenceUint128 sum = 0, squares = 0;
  guint64 count = 0;
  gdouble variance;
  guint lowest = n, highest = 0, mode = 0;

  for (guint i = 0; i < n; i++) {
    count += counts[i];
    sum += (ReferenceUint128) counts[i] * i;
    squares += (ReferenceUint128) counts[i] * i * i;
    if (counts[i] > counts[mode])
      mode = i;
    if (counts[i] > 0) {
      lowest = MIN (lowest, i);
      highest = i;
    }
  }
  fail_unless_equals_uint64 (figures->count, count);
  fail_unless (figures->sum == (gdouble) sum);
  if (count == 0) {
    fail_unless (isnan (figures->mean) && isnan (figures->mode));
    return;
  }
  fail_unless (figures->min == lowest && figures->max == highest);
  fail_unless (figures->mode == mode);
  fail_unless (fabs (figures->mean - reference_ratio (sum, count)) <=
      figures->mean * DBL_EPSILON);
  variance = plain_variance (counts, n, count, (long double) sum / count);
  fail_unless (fabs (figures->variance - variance) <= variance * 1e-12);
  if (count <= ~(ReferenceUint128) 0 / MAX (squares, 1)) {
    variance = reference_ratio (count * squares - sum * sum,
        (ReferenceUint128) count * count);
    fail_unless (fabs (figures->variance - variance) <=
        variance * 2 * DBL_EPSILON);
  }
  for (guint p = 0; p < HISTO_N_PERCENTILES; p++)
    fail_unless (figures->percentiles[p] == plain_percentile (counts, n, 0,
            count, histo_percents[p]));
  fail_unless (fabs (figures->entropy - (gdouble) plain_entropy (counts, n,
              count)) <= 1e-11 * (1 + figures->entropy));
}

/* ---- Random counters ---------------------------------------------------------------------- */

typedef struct
{
  guint n;
  guint32 *low, *high;
  guint64 *counts;
} Counters;

/* Counters below 2^@bits, many of which may be 0. */
static void
fill_counters (GRand * random, Counters * counters, guint n, guint bits)
{
  const guint one_of = 1 + g_rand_int_range (random, 0, 3) * n / 5;

  counters->n = n;
  counters->low = g_new0 (guint32, n);
  counters->high = g_new0 (guint32, n);
  counters->counts = g_new0 (guint64, n);
  for (guint i = 0; i < n; i++) {
    const guint64 any =
        (guint64) g_rand_int (random) << 32 | g_rand_int (random);

    if (bits == 0 || g_rand_int (random) % one_of != 0)
      continue;
    counters->counts[i] = any >> (64 - g_rand_int_range (random, 1, bits + 1));
    counters->low[i] = (guint32) counters->counts[i];
    counters->high[i] = counters->counts[i] >> 32;
  }
}

static void
clear_counters (Counters * counters)
{
  g_free (counters->low);
  g_free (counters->high);
  g_free (counters->counts);
}

/* ---- Tests -------------------------------------------------------------------------------- */

/* All figures are those of the definitions, whether or not a counter needs 64 bits. */
GST_START_TEST (test_native)
{
  const HistoBins bins = { .native_bin = NULL };
  GRand *random = test_random ();

  for (guint i = 0; i < 300; i++) {
    const guint n = i % 50 == 0 ? 65536 : g_rand_int_range (random, 1, 1025);
    const guint bits = i % 3 == 0 ? 40 : g_rand_int_range (random, 0, 34);
    HistoFigures figures, narrow;
    Counters counters;

    fill_counters (random, &counters, n, bits);
    histo_statistics_from_window (&figures, counters.low, counters.high, n,
        &bins, NULL);
    check_native (&figures, counters.counts, n);
    if (bits <= 32) {
      histo_statistics_from_native (&narrow, counters.low, n, &bins, NULL);
      fail_unless (memcmp (&figures, &narrow, sizeof figures) == 0);
      histo_statistics_from_window (&narrow, counters.low, NULL, n, &bins,
          NULL);
      fail_unless (memcmp (&figures, &narrow, sizeof figures) == 0);
    }
    clear_counters (&counters);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* So many samples that their number times the sum of their squares needs more than 128 bits. */
GST_START_TEST (test_very_many)
{
  const HistoBins bins = { .native_bin = NULL };
  const guint n = 65536;
  Counters counters = { n, g_new0 (guint32, n), g_new0 (guint32, n),
    g_new0 (guint64, n)
  };
  HistoFigures figures;

  for (guint i = 0; i < n; i += n - 1) {
    counters.counts[i] = G_GUINT64_CONSTANT (1) << 50;
    counters.high[i] = 1u << (50 - 32);
  }
  histo_statistics_from_window (&figures, counters.low, counters.high, n, &bins,
      NULL);
  check_native (&figures, counters.counts, n);
  fail_unless_equals_float (figures.variance, 32767.5 * 32767.5);
  clear_counters (&counters);
}

GST_END_TEST;

/* Percentiles, mode and entropy of audio, with samples outside the bins. */
GST_START_TEST (test_totals)
{
  HistoFormat *format = test_audio_format (GST_AUDIO_FORMAT_F32);
  GRand *random = test_random ();

  for (guint i = 0; i < 100; i++) {
    const guint n = g_rand_int_range (random, 1, 1025);
    const HistoBinSettings settings = { n, 0, 0 };
    HistoTotals totals = { 0, };
    HistoFigures figures;
    Counters counters;
    guint64 within = 0;
    HistoBins bins;

    histo_bins_init (&bins, format, 0, &settings);
    fill_counters (random, &counters, n, 40);
    totals.underflow = (guint64) g_rand_int (random) << (i % 10);
    totals.overflow = (guint64) g_rand_int (random) << (i % 7);
    totals.float_min = -0.7;
    totals.float_max = 0.6;
    histo_statistics_from_totals (&figures, &totals, NULL, TRUE, counters.low,
        counters.high, &bins);
    for (guint k = 0; k < n; k++)
      within += counters.counts[k];
    fail_unless_equals_uint64 (figures.count,
        within + totals.underflow + totals.overflow);
    for (guint p = 0; p < HISTO_N_PERCENTILES; p++) {
      /* range-min, if there are enough samples below. */
      const guint64 expected = plain_percentile (counters.counts, n,
          totals.underflow, figures.count, histo_percents[p]);

      fail_unless (figures.percentiles[p] == CLAMP (bins.edges[expected], -0.7,
              0.6));
    }
    fail_unless (fabs (figures.entropy - (gdouble) plain_entropy
            (counters.counts, n, MAX (within, 1))) <= 1e-11 * 11);
    clear_counters (&counters);
    histo_bins_clear (&bins);
  }
  histo_format_unref (format);
  g_rand_free (random);
}

GST_END_TEST;

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
  Counters counters;

  fill_counters (random, &counters, plan->n_counters, bits);
  for (guint v = 0; v < counters.n; v++) {
    const guint32 bin = bins->native_bin != NULL ? bins->native_bin[v] : v;

    if (bin == HISTO_BIN_UNDERFLOW)
      underflow += counters.counts[v];
    else if (bin == HISTO_BIN_OVERFLOW)
      overflow += counters.counts[v];
    else
      expected[bin] += counters.counts[v];
  }
  counts.counters = counters.low;
  counts.high = bits > 32 ? counters.high : NULL;
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
  clear_counters (&counters);
  histo_plan_unref (plan);
  g_free (expected);
}

/* A histogram has 64 bits for each bin exactly if one bin needs them; a few wide bins may need
 * them although no counter does. */
GST_START_TEST (test_histograms)
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

GST_END_TEST;

static Suite *
wide_suite (void)
{
  Suite *suite = suite_create ("wide");
  TCase *tcase = test_add_case (suite, "general", 5);

  tcase_add_test (tcase, test_native);
  tcase_add_test (tcase, test_very_many);
  tcase_add_test (tcase, test_totals);
  tcase_add_test (tcase, test_histograms);
  return suite;
}

GST_CHECK_MAIN (wide);
