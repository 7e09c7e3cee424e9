/* JSON as it is written: beside what json-glib writes of the same values.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/json-text.h"

#include <gst/check/gstcheck.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

/* Reads a text, and returns what json-glib writes of it. */
static gchar *
write_again (const gchar * text, gboolean is_pretty)
{
  g_autoptr (JsonNode) root = json_from_string (text, NULL);

  fail_unless (root != NULL, "no JSON: %s", text);
  return json_to_string (root, is_pretty);
}

static void
fill (ReportJson * json)
{
  report_json_begin_object (json, NULL);
  report_json_begin_array (json, "empty");
  report_json_end_array (json);
  report_json_begin_array (json, "numbers");
  report_json_put_int (json, 0);
  report_json_put_int (json, G_MAXINT64);
  report_json_put_int (json, G_MININT64);
  report_json_put_double (json, 0.1);
  report_json_put_double (json, 5);
  report_json_put_double (json, -3);
  report_json_end_array (json);
  report_json_begin_object (json, "object");
  report_json_set_key (json, "yes");
  report_json_put_boolean (json, TRUE);
  report_json_set_key (json, "no");
  report_json_put_boolean (json, FALSE);
  report_json_set_key (json, "nothing");
  report_json_put_null (json);
  report_json_begin_array (json, "objects");
  for (guint i = 0; i < 2; i++) {
    report_json_begin_object (json, NULL);
    report_json_set_key (json, "n");
    report_json_put_int (json, i);
    report_json_end_object (json);
  }
  report_json_end_array (json);
  report_json_end_object (json);
  report_json_set_key (json, "a \"key\"");
  report_json_put_text (json, "\303\244 \\ \"\b\f\n\r\t\001\036\177");
  report_json_end_object (json);
}

GST_START_TEST (test_form)
{
  for (guint is_pretty = 0; is_pretty < 2; is_pretty++) {
    g_autoptr (ReportJson) json = report_json_new (is_pretty);
    g_autofree gchar *again = NULL;

    fill (json);
    again = write_again (report_json_get_text (json)->str, is_pretty);
    fail_unless_equals_string (report_json_get_text (json)->str, again);
    report_json_clear (json);
    fill (json);
    fail_unless_equals_string (report_json_get_text (json)->str, again);
  }
}

GST_END_TEST;

/* Controls that json-glib leaves as they are would be no JSON. */
GST_START_TEST (test_texts)
{
  for (guint c = 1; c < 256; c++) {
    const gchar text[] = { 'a', (gchar) c, 'b', '\0' };
    g_autoptr (ReportJson) json = report_json_new (FALSE);
    g_autoptr (JsonNode) root = NULL;

    /* A byte of UTF-8 alone is no text. */
    if (c >= 0x80)
      continue;
    report_json_begin_array (json, NULL);
    report_json_put_text (json, text);
    report_json_end_array (json);
    for (const gchar * at = report_json_get_text (json)->str; *at != '\0'; at++)
      fail_unless ((guchar) *at >= 0x20 && *at != 0x7f, "byte %u is written as it is", c);
    root = json_from_string (report_json_get_text (json)->str, NULL);
    fail_unless (root != NULL);
    fail_unless_equals_string (json_array_get_string_element (json_node_get_array (root), 0), text);
  }
}

GST_END_TEST;

static void
check_number (gdouble number)
{
  g_autoptr (ReportJson) json = report_json_new (FALSE);
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree gchar *expected = NULL;

  g_ascii_dtostr (digits, sizeof digits, number);
  expected = g_strconcat (digits, strpbrk (digits, ".e") != NULL ? NULL : ".0", NULL);
  report_json_put_double (json, number);
  fail_unless_equals_string (report_json_get_text (json)->str, expected);
  fail_unless (memcmp (&(gdouble) { g_ascii_strtod (report_json_get_text (json)->str, NULL) }, &number, sizeof number) == 0);
}

GST_START_TEST (test_numbers)
{
  static const gdouble edges[] = { 0.0, -0.0, 1e-10, -1e-10, 1e15, 1e15 - 1, 1e15 - 0.5, -1e15, 1e16, 1e17, 1e300, 123456789012345678.0, DBL_MIN,
    DBL_MAX, 5e-324, 1.0 / 3
  };
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint i = 0; i < G_N_ELEMENTS (edges); i++)
    check_number (edges[i]);
  for (guint i = 0; i < 100000; i++) {
    const guint64 bits = (guint64) g_rand_int (random) << 32 | g_rand_int (random);
    gdouble number;

    memcpy (&number, &bits, sizeof number);
    if (isfinite (number))
      check_number (number);
    check_number (g_rand_int_range (random, -1000000, 1000000));
    check_number (g_rand_double_range (random, -1000, 1000));
  }
}

GST_END_TEST;

static void
check_rounded (gdouble number, const gchar * expected)
{
  g_autoptr (ReportJson) json = report_json_new (FALSE);

  report_json_put_rounded (json, number, 4);
  fail_unless_equals_string (report_json_get_text (json)->str, expected);
}

GST_START_TEST (test_rounded)
{
  check_rounded (0.1, "0.1000");
  check_rounded (-23.00004, "-23.0000");
  check_rounded (-700.00006, "-700.0001");
  check_rounded (1e15 - 1, "999999999999999.0000");
  check_rounded (-1e15, "-1000000000000000.0");
  check_rounded (1e300, "1.0000000000000001e+300");
  check_rounded (NAN, "null");
  check_rounded (INFINITY, "null");
}

GST_END_TEST;

/* What JSON has not is null. */
GST_START_TEST (test_null)
{
  g_autoptr (ReportJson) json = report_json_new (FALSE);

  report_json_begin_array (json, NULL);
  report_json_put_double (json, NAN);
  report_json_put_double (json, -INFINITY);
  report_json_put_text (json, NULL);
  report_json_end_array (json);
  fail_unless_equals_string (report_json_get_text (json)->str, "[null,null,null]");
}

GST_END_TEST;

static Suite *
json_text_suite (void)
{
  Suite *suite = suite_create ("json-text");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_test (tests, test_form);
  tcase_add_test (tests, test_texts);
  tcase_add_test (tests, test_numbers);
  tcase_add_test (tests, test_rounded);
  tcase_add_test (tests, test_null);
  return suite;
}

GST_CHECK_MAIN (json_text);
