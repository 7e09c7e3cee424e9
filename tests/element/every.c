/* The property `every`: one buffer in so many is measured, and the others pass untouched.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

/* Pushes and pulls frames first to end - 1. Every period-th one from `first` on has a result. */
static void
check_frames (GstHarness * harness, guint first, guint end, guint period)
{
  for (guint n = first; n < end; n++) {
    test_push_frame (harness, n);
    test_pull_frame_quickly (harness, n, (n - first) % period == 0);
  }
}

static void
set_every (GstHarness * harness, guint every)
{
  g_object_set (harness->element, "every", every, NULL);
}

/* The first buffer of so many has a result of its own pixels alone. The order does not change,
 * and `stats` counts the measured ones. */
TEST (test_video)
{
  static const guint periods[] = { 1, 2, 3, 7, 1000, G_MAXUINT };

  for (guint i = 0; i < G_N_ELEMENTS (periods); i++) {
    GstHarness *harness = test_gray_harness_new (NULL);
    guint n_measured = 0;

    set_every (harness, periods[i]);
    for (guint n = 0; n < 100; n++)
      test_push_frame (harness, n);
    for (guint n = 0; n < 100; n++) {
      if (n % periods[i] == 0) {
        test_pull_frame (harness, n);
        n_measured++;
      } else {
        test_pull_frame_quickly (harness, n, FALSE);
      }
    }
    fail_unless_equals_uint64 (test_get_stat (harness, "frames"), n_measured);
    fail_unless_equals_uint64 (test_get_stat (harness, "bytes"),
        n_measured * GRAY_SIZE);
    fail_unless_equals_uint64 (test_get_stat (harness, "dropped"), 0);
    test_harness_free (harness);
  }
}

/* The same if each buffer leaves before the next one comes, so that upstream's thread may push some
 * of them. */
TEST (test_one_by_one)
{
  GstHarness *harness = test_gray_harness_new ("every=3");

  check_frames (harness, 0, 300, 3);
  test_harness_free (harness);
}

#define AUDIO_CAPS "audio/x-raw, format=S16LE, rate=8000, channels=2, " \
    "layout=interleaved"

TEST (test_audio)
{
  GstHarness *harness = test_harness_new ("every=4");

  gst_harness_set_src_caps_str (harness, AUDIO_CAPS);
  for (guint n = 0; n < 10; n++)
    fail_unless_equals_int (gst_harness_push (harness, test_buffer_new (64, 0,
                n * GRAY_DURATION)), GST_FLOW_OK);
  for (guint n = 0; n < 10; n++)
    test_pull_frame_quickly (harness, n, n % 4 == 0);
  fail_unless_equals_uint64 (test_get_stat (harness, "frames"), 3);
  test_harness_free (harness);
}

/* A buffer that is not measured is the one that came, and nothing else references it. */
TEST (test_untouched)
{
  GstHarness *harness = test_gray_harness_new ("every=5");

  for (guint n = 0; n < 10; n++) {
    GstBuffer *in = test_frame_new (n), *out;

    fail_unless_equals_int (gst_harness_push (harness, in), GST_FLOW_OK);
    out = gst_harness_pull (harness);
    fail_unless (n % 5 == 0 || (out == in && gst_buffer_is_writable (out)));
    fail_unless (n % 5 == 0 || !test_has_result (out));
    gst_buffer_unref (out);
  }
  test_harness_free (harness);
}

/* The first buffer after a flush is measured, and so is the first one after a stop. New caps, a
 * segment and a DISCONT flag do not begin anew. */
TEST (test_begin_anew)
{
  GstHarness *harness = test_gray_harness_new ("every=10");
  GstBuffer *buffer;

  check_frames (harness, 0, 3, 10);
  test_flush (harness);
  test_push_segment (harness);
  check_frames (harness, 3, 7, 10);
  test_set_state (harness->element, GST_STATE_READY);
  test_set_state (harness->element, GST_STATE_PLAYING);
  test_restart_stream (harness, GRAY_CAPS);
  test_push_segment (harness);
  check_frames (harness, 7, 9, 10);

  test_push_segment (harness);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS ", colorimetry=bt709");
  buffer = test_frame_new (9);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  test_pull_frame_quickly (harness, 9, FALSE);
  for (guint n = 10; n < 20; n++) {
    test_push_frame (harness, n);
    test_pull_frame_quickly (harness, n, n == 17);
  }
  test_harness_free (harness);
}

/* The first buffer after a stop is measured also if no flush comes before it: upstream that starts
 * with the pipeline sends none. */
TEST (test_stop_without_flush)
{
  GstHarness *harness = test_gray_harness_new ("every=10");

  check_frames (harness, 0, 3, 10);
  test_set_state (harness->element, GST_STATE_READY);
  test_set_state (harness->element, GST_STATE_PLAYING);
  gst_harness_push_event (harness, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  test_push_segment (harness);
  check_frames (harness, 3, 6, 10);
  test_harness_free (harness);
}

/* A change takes effect at once: the next measured buffer is `every` buffers after the latest. */
TEST (test_change)
{
  GstHarness *harness = test_gray_harness_new ("every=10");

  check_frames (harness, 0, 5, 10);
  set_every (harness, 3);
  check_frames (harness, 5, 12, 3);
  set_every (harness, 1);
  check_frames (harness, 12, 15, 1);
  set_every (harness, 6);
  /* The latest measured one is frame 14. */
  for (guint n = 15; n < 30; n++) {
    test_push_frame (harness, n);
    test_pull_frame_quickly (harness, n, n == 20 || n == 26);
  }
  set_every (harness, 1);
  check_frames (harness, 30, 33, 1);
  test_harness_free (harness);
}

/* A message is posted for each measured buffer, and none for the others. */
TEST (test_messages)
{
  GstHarness *harness =
      test_gray_harness_new ("every=4 meta=false post-messages=true");
  guint n_results = 0;
  GstMessage *message;

  for (guint n = 0; n < 18; n++)
    test_push_frame (harness, n);
  gst_harness_push_event (harness, gst_event_new_eos ());
  for (guint n = 0; n < 18; n++)
    test_pull_frame_quickly (harness, n, FALSE);
  while (!test_has_sent (harness, GST_EVENT_EOS))
    g_usleep (1000);
  while ((message = test_pop_message (harness, GST_MESSAGE_ELEMENT)) != NULL) {
    fail_unless_equals_uint64 (test_get_uint64 (gst_message_get_structure
            (message), "timestamp"), 4 * n_results * GRAY_DURATION);
    n_results++;
    gst_message_unref (message);
  }
  fail_unless_equals_int (n_results, 5);
  test_harness_free (harness);
}

/* Late buffers count, too. Only a late buffer that would have been measured is dropped. */
TEST (test_late_buffers)
{
  GstHarness *harness = test_gray_harness_new ("every=2 qos=true");

  check_frames (harness, 0, 2, 2);
  /* Frames up to 5 are late. */
  gst_harness_push_upstream_event (harness,
      gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, 2 * GRAY_DURATION, 0));
  for (guint n = 2; n < 10; n++) {
    test_push_frame (harness, n);
    test_pull_frame_quickly (harness, n, n == 6 || n == 8);
  }
  fail_unless_equals_uint64 (test_get_stat (harness, "dropped"), 2);
  test_harness_free (harness);
}

TEST_MAIN (5)
