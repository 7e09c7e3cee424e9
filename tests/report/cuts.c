/* Where films can be cut: packets that are made here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/cuts.h"

#include <gst/check/gstcheck.h>
#include <string.h>

/* Each pair of digits is a byte; others are left out. */
static GstBuffer *
bytes (const gchar * digits)
{
  GByteArray *array = g_byte_array_new ();
  const gsize length = strlen (digits);
  gsize size;

  for (gsize i = 0; i + 1 < length; i++) {
    if (g_ascii_isxdigit (digits[i]) && g_ascii_isxdigit (digits[i + 1])) {
      const guint8 byte = g_ascii_xdigit_value (digits[i]) << 4 | g_ascii_xdigit_value (digits[i + 1]);

      g_byte_array_append (array, &byte, 1);
      i++;
    }
  }
  size = array->len;
  if (size == 0) {
    g_byte_array_unref (array);
    return gst_buffer_new ();
  }
  return gst_buffer_new_wrapped (g_byte_array_free (array, FALSE), size);
}

static ReportCuts *
cuts_of (const gchar * text, const gchar * codec_data)
{
  ReportCuts *cuts = report_cuts_new ();
  GstCaps *caps = gst_caps_from_string (text);

  if (codec_data != NULL) {
    GstBuffer *data = bytes (codec_data);

    gst_caps_set_simple (caps, "codec_data", GST_TYPE_BUFFER, data, NULL);
    gst_buffer_unref (data);
  }
  fail_unless (report_cuts_know (caps));
  report_cuts_set_caps (cuts, caps);
  gst_caps_unref (caps);
  return cuts;
}

static void
expect (ReportCuts * cuts, const gchar * packet, gboolean is_delta, ReportUnit unit)
{
  GstBuffer *buffer = bytes (packet);

  if (is_delta)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  fail_unless_equals_int (report_cuts_look (cuts, buffer), unit);
  gst_buffer_unref (buffer);
}

#define SPS "00 00 00 01 67 42 00 1e aa "
#define PPS "00 00 01 68 ce 01 "
#define OTHER_PPS "00 00 01 68 ce 02 "
#define IDR "00 00 01 65 88 80 "
#define NO_IDR "00 00 01 61 88 80 "

/* A decoder that begins at a picture has what came with it, and nothing else. */
GST_START_TEST (test_sets)
{
  ReportCuts *cuts = cuts_of ("video/x-h264, stream-format=byte-stream", NULL);

  expect (cuts, SPS PPS IDR, FALSE, REPORT_UNIT_KEY);
  expect (cuts, NO_IDR, TRUE, REPORT_UNIT_OTHER);
  /* A recovery point. */
  expect (cuts, SPS PPS NO_IDR, FALSE, REPORT_UNIT_OTHER);
  expect (cuts, SPS PPS IDR, FALSE, REPORT_UNIT_KEY);
  expect (cuts, IDR, FALSE, REPORT_UNIT_OTHER);
  expect (cuts, SPS IDR, FALSE, REPORT_UNIT_OTHER);
  /* From now on this one is in force, too. */
  expect (cuts, OTHER_PPS NO_IDR, TRUE, REPORT_UNIT_OTHER);
  expect (cuts, SPS PPS IDR, FALSE, REPORT_UNIT_OTHER);
  expect (cuts, SPS PPS OTHER_PPS IDR, FALSE, REPORT_UNIT_KEY);
  /* A parser that says otherwise is believed. */
  expect (cuts, SPS PPS OTHER_PPS IDR, TRUE, REPORT_UNIT_OTHER);
  report_cuts_free (cuts);
}

GST_END_TEST;

/* What the caps have, each decoder gets. */
GST_START_TEST (test_given)
{
  ReportCuts *cuts = cuts_of ("video/x-h264, stream-format=avc",
      "01 42 00 1e ff e1 0005 67 42 00 1e aa 01 0003 68 ce 01");

  expect (cuts, "00000005 67 42 00 1e aa 00000003 68 ce 01 00000003 65 88 80", FALSE, REPORT_UNIT_KEY);
  expect (cuts, "00000003 65 88 80", FALSE, REPORT_UNIT_KEY);
  expect (cuts, "00000003 68 ce 02 00000003 61 88 80", TRUE, REPORT_UNIT_OTHER);
  expect (cuts, "00000003 65 88 80", FALSE, REPORT_UNIT_OTHER);
  expect (cuts, "00000003 68 ce 02 00000003 65 88 80", FALSE, REPORT_UNIT_KEY);
  /* Lengths that are none. */
  expect (cuts, "00000063 65 88 80", FALSE, REPORT_UNIT_OTHER);
  expect (cuts, "00000000 65 88 80", FALSE, REPORT_UNIT_OTHER);
  expect (cuts, "0000", FALSE, REPORT_UNIT_OTHER);
  expect (cuts, "", FALSE, REPORT_UNIT_OTHER);
  report_cuts_free (cuts);
}

GST_END_TEST;

/* Records that are too short. */
GST_START_TEST (test_short_records)
{
  static const gchar *const records[] = { "", "01", "01 42 00 1e ff e1", "01 42 00 1e ff e1 0005 67", "01 42 00 1e ff e2 0001 67",
    "01 42 00 1e ff e1 0001 67", "01 42 00 1e ff e1 0001 67 02 0001 68"
  };

  for (guint i = 0; i < G_N_ELEMENTS (records); i++) {
    report_cuts_free (cuts_of ("video/x-h264, stream-format=avc", records[i]));
    report_cuts_free (cuts_of ("video/x-h265, stream-format=hvc1", records[i]));
  }
  report_cuts_free (cuts_of ("video/x-h265, stream-format=hvc1",
          "01 00000000 00000000 00000000 00000000 00000000 03 02 20 0001 0001 40 21 0002 0001 42"));
}

GST_END_TEST;

GST_START_TEST (test_hevc)
{
  ReportCuts *cuts = cuts_of ("video/x-h265, stream-format=byte-stream", NULL);

  expect (cuts, "000001 40 01 aa 000001 42 01 aa 000001 44 01 aa 000001 2a 01 80", FALSE, REPORT_UNIT_OPEN_KEY);
  /* RASL and RADL. */
  expect (cuts, "000001 10 01 80", TRUE, REPORT_UNIT_LEADING);
  expect (cuts, "000001 0e 01 80", TRUE, REPORT_UNIT_LEADING);
  expect (cuts, "000001 02 01 80", TRUE, REPORT_UNIT_OTHER);
  expect (cuts, "000001 28 01 80", FALSE, REPORT_UNIT_OTHER);
  report_cuts_free (cuts);
}

GST_END_TEST;

GST_START_TEST (test_mpeg)
{
  ReportCuts *cuts = cuts_of ("video/mpeg, mpegversion=2", NULL);

  expect (cuts, "000001 b3 14 00 f0 23 000001 b8 00 08 00 40 000001 00 00 0f ff f8", FALSE, REPORT_UNIT_OPEN_KEY);
  expect (cuts, "000001 00 00 0f ff f8", FALSE, REPORT_UNIT_OTHER);
  expect (cuts, "000001 00 00 17 ff f8", TRUE, REPORT_UNIT_OTHER);
  expect (cuts, "000001 00 00 1f ff f8", TRUE, REPORT_UNIT_LEADING);
  report_cuts_free (cuts);
}

GST_END_TEST;

GST_START_TEST (test_keys)
{
  ReportCuts *cuts = cuts_of ("video/x-ffv, ffvversion=1", NULL);
  GstCaps *other = gst_caps_from_string ("video/mpeg, mpegversion=4");

  expect (cuts, "00", FALSE, REPORT_UNIT_KEY);
  expect (cuts, "00", TRUE, REPORT_UNIT_OTHER);
  fail_unless (report_cuts_are_in_order (cuts));
  fail_if (report_cuts_know (other));
  gst_caps_unref (other);
  report_cuts_free (cuts);
}

GST_END_TEST;

static Suite *
cuts_suite (void)
{
  Suite *suite = suite_create ("cuts");
  TCase *tests = tcase_create ("all");

  tcase_add_test (tests, test_sets);
  tcase_add_test (tests, test_given);
  tcase_add_test (tests, test_short_records);
  tcase_add_test (tests, test_hevc);
  tcase_add_test (tests, test_mpeg);
  tcase_add_test (tests, test_keys);
  suite_add_tcase (suite, tests);
  return suite;
}

GST_CHECK_MAIN (cuts);
