/* Late buffers, with qos=true and qos=false.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

/* Downstream sends an event: frame n came too late by this time. */
static void
report_lateness (GstHarness * harness, GstClockTimeDiff lateness, guint n)
{
  fail_unless (gst_harness_push_upstream_event (harness,
          gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, lateness,
              n * GRAY_DURATION)));
}

/* With qos=false late buffers are measured. Upstream gets the QoS event in any case. */
TEST (test_late_but_measured)
{
  GstHarness *harness = test_gray_harness_new (NULL);

  report_lateness (harness, 2 * GRAY_DURATION, 0);
  fail_unless (test_has_sent_upstream (harness, GST_EVENT_QOS));
  for (guint i = 0; i < 3; i++) {
    gst_harness_push (harness, test_frame_new (i));
    test_pull_frame_quickly (harness, i, TRUE);
  }
  fail_unless_equals_uint64 (test_get_stat (harness, "dropped"), 0);
  fail_unless (test_pop_message (harness, GST_MESSAGE_QOS) == NULL);
  test_harness_free (harness);
}

/* With qos=true late buffers leave without a result. Each is counted, and a QoS message is posted
 * for it. A flush, or a buffer in time, ends this. */
TEST (test_qos)
{
  GstHarness *harness = test_gray_harness_new ("qos=true");

  gst_harness_push (harness, test_frame_new (0));
  test_pull_frame_quickly (harness, 0, TRUE);
  /* Frame 0 was late by one frame: two frames and one more are skipped. */
  report_lateness (harness, GRAY_DURATION, 0);
  fail_unless (test_has_sent_upstream (harness, GST_EVENT_QOS));
  for (guint i = 1; i < 6; i++) {
    gst_harness_push (harness, test_frame_new (i));
    test_pull_frame_quickly (harness, i, i > 3);
  }
  fail_unless_equals_uint64 (test_get_stat (harness, "dropped"), 3);
  for (guint i = 1; i <= 3; i++) {
    GstMessage *message = test_pop_message (harness, GST_MESSAGE_QOS);
    GstClockTime timestamp;
    guint64 dropped;
    GstFormat format;

    fail_unless (message != NULL);
    gst_message_parse_qos (message, NULL, NULL, NULL, &timestamp, NULL);
    gst_message_parse_qos_stats (message, &format, NULL, &dropped);
    fail_unless_equals_uint64 (timestamp, i * GRAY_DURATION);
    fail_unless_equals_int (format, GST_FORMAT_BUFFERS);
    fail_unless_equals_uint64 (dropped, i);
    gst_message_unref (message);
  }
  fail_unless (test_pop_message (harness, GST_MESSAGE_QOS) == NULL);

  report_lateness (harness, 100 * GRAY_DURATION, 6);
  report_lateness (harness, -GRAY_DURATION, 6);
  gst_harness_push (harness, test_frame_new (7));
  test_pull_frame_quickly (harness, 7, TRUE);

  report_lateness (harness, 100 * GRAY_DURATION, 8);
  test_flush (harness);
  test_push_segment (harness);
  gst_harness_push (harness, test_frame_new (9));
  test_pull_frame_quickly (harness, 9, TRUE);
  fail_unless_equals_uint64 (test_get_stat (harness, "dropped"), 3);
  test_harness_free (harness);
}

/* A frame that came exactly in time makes no later frame late. A frame at or before the time up to
 * which frames are late is one of them. */
TEST (test_exactly_in_time)
{
  GstHarness *harness = test_gray_harness_new ("qos=true");

  for (guint i = 0; i < 3; i++) {
    gst_harness_push (harness, test_frame_new (i));
    test_pull_frame_quickly (harness, i, TRUE);
    report_lateness (harness, 0, i);
  }
  gst_harness_push (harness, test_frame_new (2));
  test_pull_frame_quickly (harness, 2, FALSE);
  fail_unless_equals_uint64 (test_get_stat (harness, "dropped"), 1);
  test_harness_free (harness);
}

/* A buffer without a time is never late. */
TEST (test_qos_without_times)
{
  GstHarness *harness = test_gray_harness_new ("qos=true");
  GstBuffer *buffer = test_frame_new (1);

  report_lateness (harness, 100 * GRAY_DURATION, 0);
  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  buffer = gst_harness_push_and_pull (harness, buffer);
  test_result (buffer);
  gst_buffer_unref (buffer);
  test_harness_free (harness);
}

/* A QoS event without a time says nothing about later buffers. */
TEST (test_event_without_time)
{
  GstHarness *harness = test_gray_harness_new ("qos=true");

  report_lateness (harness, 100 * GRAY_DURATION, 0);
  gst_harness_push (harness, test_frame_new (1));
  test_pull_frame_quickly (harness, 1, FALSE);
  fail_unless (gst_harness_push_upstream_event (harness,
          gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, GRAY_DURATION,
              GST_CLOCK_TIME_NONE)));
  for (guint i = 2; i < 4; i++) {
    gst_harness_push (harness, test_frame_new (i));
    test_pull_frame_quickly (harness, i, TRUE);
  }
  test_harness_free (harness);
}

/* The messages say whether upstream is live, as the latest LATENCY query has it. */
TEST (test_live)
{
  for (guint is_live = 0; is_live < 2; is_live++) {
    GstHarness *harness = test_gray_harness_new ("qos=true");
    GstMessage *message;
    gboolean found;

    /* A harness is a live source, unless it has no latency. */
    if (is_live) {
      GstQuery *query = gst_query_new_latency ();

      fail_unless (gst_pad_peer_query (harness->sinkpad, query));
      gst_query_unref (query);
    }
    report_lateness (harness, 10 * GRAY_DURATION, 0);
    gst_harness_push (harness, test_frame_new (1));
    gst_buffer_unref (gst_harness_pull (harness));
    message = test_wait_message (harness, GST_MESSAGE_QOS);
    gst_message_parse_qos (message, &found, NULL, NULL, NULL, NULL);
    fail_unless_equals_int (found, is_live);
    gst_message_unref (message);
    test_harness_free (harness);
  }
}

TEST_MAIN (5)
