/* Columns of figures and histograms in bounded memory: what is kept when there are too many results.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/html-columns.h"

#include <gst/check/gstcheck.h>
#include <math.h>

#define MOST 64

/* The figure of result @n: peaks that stand alone, and values that are missing. */
static gdouble
value_of (guint n)
{
  return n % 50 == 7 ? NAN : n % 37 == 0 ? 90.5 : 10 + n % 3;
}

/* Compares the columns of @n results with the figures themselves. */
static void
check_columns (guint n)
{
  ReportColumns *columns = report_columns_new (MOST);
  guint length, step;

  report_columns_add_series (columns, "a", "least", "", "", 1, 0,
      REPORT_KEEP_LEAST);
  report_columns_add_series (columns, "a", "greatest", "", "", 1, -20,
      REPORT_KEEP_GREATEST);
  report_columns_add_series (columns, "a", "mean", "", "", 3, 0,
      REPORT_KEEP_MEAN);
  for (guint i = 0; i < n; i++) {
    const gdouble values[] = { value_of (i), value_of (i), value_of (i) };

    report_columns_add (columns, i * 40000ul, values);
  }
  report_columns_finish (columns);
  length = report_columns_get_length (columns);
  step = report_columns_get_step (columns);
  fail_unless (length <= MOST + 1 && (n < MOST || length > MOST / 2));
  fail_unless_equals_int (length, (n + step - 1) / step);
  for (guint c = 0; c < length; c++) {
    gdouble least = INFINITY, greatest = -INFINITY, sum = 0;
    guint count = 0;

    for (guint i = c * step; i < MIN (n, (c + 1) * step); i++) {
      const gdouble value = value_of (i);

      if (isnan (value))
        continue;
      least = fmin (least, value);
      greatest = fmax (greatest, value);
      sum += value;
      count++;
    }
    fail_unless_equals_uint64 (report_columns_get_times (columns)[c],
        c * step * 40000ul);
    if (count == 0) {
      fail_unless (report_columns_get_codes (columns, 0)[c]
          == REPORT_CODE_NONE);
      continue;
    }
    fail_unless_equals_int (report_columns_get_codes (columns, 0)[c],
        rint (least * 10));
    fail_unless_equals_int (report_columns_get_codes (columns, 1)[c],
        rint ((greatest + 20) * 10));
    /* A missing value makes the mean of pairs another one than the mean of all; each merge rounds. */
    fail_unless (fabs (report_columns_get_codes (columns, 2)[c] / 1000.
            - sum / count) < (count % step == 0 ? .01 : 6),
        "%u results, column %u", n, c);
  }
  report_columns_free (columns);
}

GST_START_TEST (test_columns)
{
  for (guint n = 0; n < 4 * MOST + 3; n++)
    check_columns (n);
  check_columns (100 * MOST + 5);
}

GST_END_TEST;

/* Values below the least, and values that are too large. */
GST_START_TEST (test_bounds)
{
  const gdouble values[] = { -INFINITY, -130, INFINITY, 1e300, NAN };
  const guint32 codes[] = { 0, 0, REPORT_CODE_NONE - 1, REPORT_CODE_NONE - 1,
    REPORT_CODE_NONE
  };
  ReportColumns *columns = report_columns_new (MOST);

  report_columns_add_series (columns, "a", "a", "", "dB", 2, -120,
      REPORT_KEEP_GREATEST);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    report_columns_add (columns, i, &values[i]);
  report_columns_finish (columns);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    fail_unless (report_columns_get_codes (columns, 0)[i] == codes[i]);
  report_columns_free (columns);
}

GST_END_TEST;

/* All samples of result @n are in one bin. */
static guint
bin_of (guint n, guint n_bins)
{
  return n * 13 % n_bins;
}

/* However often bins and columns are merged, each column has all the samples of its results. */
static void
check_heat (guint n_bins, guint most_cells, guint n)
{
  ReportHeat *heat = report_heat_new (n_bins, most_cells);
  guint64 *counts = g_new0 (guint64, n_bins);
  guint length, step, bins;
  GByteArray *cells;

  for (guint i = 0; i < n; i++) {
    counts[bin_of (i, n_bins)] = 1000 + i;
    report_heat_add (heat, counts, n_bins);
    counts[bin_of (i, n_bins)] = 0;
  }
  report_heat_finish (heat);
  length = report_heat_get_length (heat);
  step = report_heat_get_step (heat);
  bins = report_heat_get_bins (heat);
  cells = report_heat_get_cells (heat);
  fail_unless_equals_int (length, (n + step - 1) / step);
  fail_unless (length * bins <= most_cells + bins);
  fail_unless_equals_int (cells->len, length * bins);
  for (guint c = 0; c < length; c++) {
    const guint end = MIN (n, (c + 1) * step);
    gdouble *shares = g_new0 (gdouble, bins);

    for (guint i = c * step; i < end; i++)
      shares[(guint64) bin_of (i, n_bins) * bins / n_bins] +=
          1. / (end - c * step);
    for (guint b = 0; b < bins; b++)
      fail_unless (ABS (cells->data[b * length + c]
              - rint (255 * sqrt (shares[b]))) <= 1,
          "%u bins, %u results: column %u bin %u", n_bins, n, c, b);
    g_free (shares);
  }
  g_byte_array_unref (cells);
  report_heat_free (heat);
  g_free (counts);
}

GST_START_TEST (test_heat)
{
  static const guint sizes[] = { 1, 10, 64, 200, 256, 1024 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    check_heat (sizes[i], 4096, 1);
    check_heat (sizes[i], 4096, 15);
    check_heat (sizes[i], 4096, 63);
    check_heat (sizes[i], 4096, 65);
    check_heat (sizes[i], 4096, 257);
    check_heat (sizes[i], 4096, 1001);
  }
}

GST_END_TEST;

/* Until one column of the fewest bins is left. */
GST_START_TEST (test_shrink)
{
  ReportHeat *heat = report_heat_new (256, 100000);
  guint64 counts[256] = { 0 };
  guint64 n = 0;

  for (guint i = 0; i < 37; i++) {
    counts[i] = 5;
    report_heat_add (heat, counts, 256);
  }
  report_heat_finish (heat);
  while (report_heat_shrink (heat)) {
    GByteArray *cells = report_heat_get_cells (heat);

    fail_unless_equals_int (cells->len,
        report_heat_get_length (heat) * report_heat_get_bins (heat));
    g_byte_array_unref (cells);
    n++;
  }
  fail_unless_equals_int (report_heat_get_length (heat), 1);
  fail_unless_equals_int (report_heat_get_bins (heat), 64);
  fail_unless_equals_int (n, 2 + 6);
  report_heat_free (heat);
}

GST_END_TEST;

static Suite *
columns_suite (void)
{
  Suite *s = suite_create ("columns");
  TCase *t = tcase_create ("general");

  suite_add_tcase (s, t);
  tcase_add_test (t, test_columns);
  tcase_add_test (t, test_bounds);
  tcase_add_test (t, test_heat);
  tcase_add_test (t, test_shrink);
  return s;
}

GST_CHECK_MAIN (columns);
