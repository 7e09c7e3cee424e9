/* Bins: which bin a sample is in, and which settings are valid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "formats.h"
#include "frames.h"

#include <math.h>

#include "engine/cpu/count.h"
#include "measures/statistics.h"

/* Values at and around each edge, then random ones inside and outside the range. */
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

/* The counters that are right, found by bisection over the exact edges. */
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

/* Counts the values with the CPU engine. @kind: how the bin must be computed (HistoBinningKind), or
 * -1 */
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
  histo_cpu_audio_measure_channel (data, bytes, values->len, &format->sample,
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
  gint kind;                    /* HistoBinningKind, or -1: any */
} Bins;

/* The bin of a floating-point sample is the one that bisection finds, also next to the edges. Where
 * a faster formula is exact, it is used. */
TEST (test_float_bins)
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
  HistoFormat *format = test_audio_format (GST_AUDIO_FORMAT_F64);
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

/* The values rounded down to integers; changes the array, too. */
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

/* The bin of an integer sample is the one that bisection finds, however it is computed. */
TEST (test_integer_bins)
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
  HistoFormat *format = test_audio_format (GST_AUDIO_FORMAT_S32);
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

/* Ascending numbers from @from on, whose distances are 1 to 40, as the property has them. */
static GBytes *
random_edges (guint n_bins, gdouble from, GRand * random)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  GBytes *edges = NULL;

  for (guint i = 0; i <= n_bins; i++) {
    g_string_append_printf (text, "%s%.0f", i > 0 ? " , " : "", from);
    from += g_rand_int_range (random, 1, 41);
  }
  fail_unless (histo_bin_edges_parse (text->str, &edges, &error), "%s", error != NULL ? error->message : "");
  fail_unless_equals_int (g_bytes_get_size (edges), (n_bins + 1) * sizeof (gdouble));
  g_string_free (text, TRUE);
  return edges;
}

/* @format: of doubles, or of 32-bit integers */
static void
check_search (const HistoFormat * format, GBytes * given, GRand * random)
{
  const gboolean is_float = format->sample.kind == HISTO_AUDIO_FLOAT;
  HistoBinning binning;
  g_autofree gdouble *edges = histo_binning_init_edges (&binning, given);
  const guint n = binning.n_bins;
  GArray *values = hard_values (edges, n, random);
  gint32 *integers = is_float ? NULL : as_integers (values);
  g_autofree guint32 *counters = g_new0 (guint32, n), *expected = g_new0 (guint32, n);
  guint64 underflow, overflow;
  HistoTotals totals;

  fail_unless_equals_int (binning.kind, HISTO_BINNING_SEARCH);
  count_by_bisection (values, edges, n, expected, &underflow, &overflow);
  histo_cpu_audio_measure_channel (is_float ? (guint8 *) values->data : (guint8 *) integers,
      is_float ? sizeof (gdouble) : sizeof (gint32), values->len, &format->sample, &binning, edges, counters, &totals);
  fail_unless (memcmp (counters, expected, n * sizeof *counters) == 0, "%u bins", n);
  fail_unless_equals_uint64 (totals.underflow, underflow);
  fail_unless_equals_uint64 (totals.overflow, overflow);
  g_free (integers);
  g_array_unref (values);
}

/* Bins of any widths and any number: the bin is the one that bisection finds. */
TEST (test_search)
{
  HistoFormat *floats = test_audio_format (GST_AUDIO_FORMAT_F64);
  HistoFormat *integers = test_audio_format (GST_AUDIO_FORMAT_S32);
  GRand *random = test_random ();

  for (guint n = 1; n <= 65536; n = n < 70 ? n + 1 : n * 2.4) {
    g_autoptr (GBytes) edges = random_edges (n, g_rand_int_range (random, -3000, 1000), random);

    check_search (floats, edges, random);
    check_search (integers, edges, random);
  }
  histo_format_unref (floats);
  histo_format_unref (integers);
  g_rand_free (random);
}

/* Valid and invalid settings of bins and range. */
TEST (test_settings)
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

TEST_MAIN (5)
