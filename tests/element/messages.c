/* Messages: their fields, their times and the shortest interval between two.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

#include <string.h>

static void check_same_fields (const GstStructure * a, const GstStructure * b);

static void
check_same_field (const gchar * name, const GValue * value,
    const GValue * other)
{
  fail_unless (other != NULL && G_VALUE_TYPE (other) == G_VALUE_TYPE (value),
      "%s is missing or of another type", name);
  if (G_VALUE_HOLDS_DOUBLE (value)) {
    gdouble a = g_value_get_double (value), b = g_value_get_double (other);

    fail_unless (memcmp (&a, &b, sizeof a) == 0, "%s differs", name);
  } else if (G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    fail_unless (g_bytes_equal (g_value_get_boxed (value),
            g_value_get_boxed (other)), "%s differs", name);
  } else if (GST_VALUE_HOLDS_STRUCTURE (value)) {
    check_same_fields (gst_value_get_structure (value),
        gst_value_get_structure (other));
  } else {
    fail_unless (gst_value_compare (value, other) == GST_VALUE_EQUAL,
        "%s differs", name);
  }
}

/* Structure b has every field of structure a, identical to the last bit. */
static void
check_same_fields (const GstStructure * a, const GstStructure * b)
{
  for (gint i = 0; i < gst_structure_n_fields (a); i++) {
    const gchar *name = gst_structure_nth_field_name (a, i);

    check_same_field (name, gst_structure_get_value (a, name),
        gst_structure_get_value (b, name));
  }
}

/* With meta=false post-messages=true the buffer is passed on as it is, and the message is
 * posted. */
TEST (test_message_without_meta)
{
  GstHarness *harness = test_gray_harness_new ("meta=false post-messages=true");
  GstBuffer *in = test_frame_new (9), *out;
  GstMessage *message;

  out = gst_harness_push_and_pull (harness, gst_buffer_ref (in));
  fail_unless (out == in);
  fail_unless (!test_has_result (out));
  message = test_wait_message (harness, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  fail_unless_equals_float (test_get_double (test_component
          (gst_message_get_structure (message), "Y"), "mean"), 9);
  gst_message_unref (message);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  fail_unless_equals_uint64 (test_get_stat (harness, "frames"), 1);
  test_harness_free (harness);
}

/* The message has the fields of the meta and four times. */
TEST (test_message_fields)
{
  GstHarness *harness = test_gray_harness_new ("post-messages=true");
  const GstStructure *posted, *attached;
  GstSegment segment;
  GstMessage *message;
  GstBuffer *buffer;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 1 * GST_SECOND;
  segment.time = 10 * GST_SECOND;
  segment.base = 5 * GST_SECOND;
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  buffer = gst_harness_push_and_pull (harness, test_frame_new (30));

  message = test_pop_message (harness, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (harness->element));
  posted = gst_message_get_structure (message);
  attached = test_result (buffer);
  fail_unless (gst_structure_has_name (posted, "cudahisto"));
  fail_unless (gst_structure_has_name (attached, "cudahisto"));
  check_same_fields (attached, posted);
  fail_unless_equals_int (gst_structure_n_fields (posted),
      gst_structure_n_fields (attached) + 4);
  fail_unless_equals_uint64 (test_get_uint64 (posted, "timestamp"),
      1200 * GST_MSECOND);
  fail_unless_equals_uint64 (test_get_uint64 (posted, "stream-time"),
      10200 * GST_MSECOND);
  fail_unless_equals_uint64 (test_get_uint64 (posted, "running-time"),
      5200 * GST_MSECOND);
  fail_unless_equals_uint64 (test_get_uint64 (posted, "duration"),
      GRAY_DURATION);
  gst_message_unref (message);
  gst_buffer_unref (buffer);
  test_harness_free (harness);
}

/* The message for a buffer without times has no times. `interval` does not drop it. */
TEST (test_message_without_times)
{
  GstHarness *harness =
      test_gray_harness_new ("post-messages=true message-interval=1000");
  static const gchar *const times[] = { "timestamp", "stream-time",
    "running-time", "duration"
  };

  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = test_buffer_new (GRAY_SIZE, 3, GST_CLOCK_TIME_NONE);
    GstMessage *message;

    GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
    buffer = gst_harness_push_and_pull (harness, buffer);
    test_check_frame (buffer, 3);
    gst_buffer_unref (buffer);
    message = test_pop_message (harness, GST_MESSAGE_ELEMENT);
    fail_unless (message != NULL);
    for (guint t = 0; t < G_N_ELEMENTS (times); t++)
      fail_unless_equals_uint64 (test_get_uint64 (gst_message_get_structure
              (message), times[t]), GST_CLOCK_TIME_NONE);
    gst_message_unref (message);
  }
  test_harness_free (harness);
}

/* `interval` drops messages by running time. It never drops a meta. */
TEST (test_interval)
{
  GstHarness *harness =
      test_gray_harness_new ("post-messages=true message-interval=100000000");
  static const guint64 expected[] = { 0, 120, 240, 360 };

  for (guint i = 0; i < 10; i++) {
    test_push_frame (harness, i);
    test_pull_frame (harness, i);
  }
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    GstMessage *message = test_pop_message (harness, GST_MESSAGE_ELEMENT);

    fail_unless (message != NULL);
    fail_unless_equals_uint64 (test_get_uint64 (gst_message_get_structure
            (message), "running-time"), expected[i] * GST_MSECOND);
    gst_message_unref (message);
  }
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ELEMENT),
      0);
  test_harness_free (harness);
}

/* histogram=false leaves out the field `histogram` and no other field. */
TEST (test_no_histogram)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstBuffer *with, *without;
  GstStructure *y;

  with = gst_harness_push_and_pull (harness, test_frame_new (4));
  g_object_set (harness->element, "histogram", FALSE, NULL);
  without = gst_harness_push_and_pull (harness, test_frame_new (4));
  y = gst_structure_copy (test_component (test_result (with), "Y"));
  fail_unless (gst_structure_has_field_typed (y, "histogram", G_TYPE_BYTES));
  gst_structure_remove_field (y, "histogram");
  check_same_fields (y, test_component (test_result (without), "Y"));
  fail_unless_equals_int (gst_structure_n_fields (test_component (test_result
              (without), "Y")), gst_structure_n_fields (y));
  gst_structure_free (y);
  gst_buffer_unref (with);
  gst_buffer_unref (without);
  test_harness_free (harness);
}

TEST_MAIN (5)
