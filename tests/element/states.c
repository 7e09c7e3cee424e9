/* State changes: starting, stopping and pausing at any time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "pipeline.h"
#include "probes.h"

#define VIDEO "video/x-raw, format=GRAY8, width=16, height=8, framerate=200/1"

/* ---- With frames in the element ------------------------------------------------------------- */

/* Started and stopped 50 times, with frames anywhere in the element. */
TEST (test_state_changes)
{
  GstElement *pipeline = test_pipeline_new ("videotestsrc ! "
      "video/x-raw, format=GRAY8, width=16, height=8 ! cudahisto backend=%s ! "
      "fakesink name=sink sync=false", test_backend ());
  ResultCounts counts;

  test_count_results (pipeline, &counts);
  for (guint i = 0; i < 50; i++) {
    gint n = g_atomic_int_get (&counts.n_results);

    fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING)
        != GST_STATE_CHANGE_FAILURE);
    while (i % 2 == 0 && g_atomic_int_get (&counts.n_results) == n)
      g_usleep (100);
    test_set_state (pipeline, i % 3 == 0 ? GST_STATE_READY : GST_STATE_NULL);
  }
  fail_unless_equals_int (counts.n_buffers, counts.n_results);
  test_pipeline_free (pipeline);
}

/* Stopped while downstream blocks a frame and others are queued. It releases the frames, and starts
 * again without them. */
TEST (test_stop_while_blocked)
{
  for (guint round = 0; round < 10; round++) {
    GstHarness *harness = test_gray_harness_new (NULL);
    gint n_blocked = 0;
    gulong probe = test_block_buffers (harness, &n_blocked);
    guint64 level = 0;
    GstStructure *stats = NULL;

    for (guint n = 0; n < 4; n++)
      test_push_frame (harness, n);
    test_wait_until_set (&n_blocked);
    test_set_state (harness->element,
        round % 2 == 0 ? GST_STATE_NULL : GST_STATE_READY);
    test_unblock_buffers (harness, probe);
    test_check_no_buffer_left ();
    g_object_get (harness->element, "stats", &stats, NULL);
    fail_unless (gst_structure_get (stats, "queue-level", G_TYPE_UINT, &level,
            NULL));
    fail_unless_equals_int (level, 0);
    gst_structure_free (stats);
    test_set_state (harness->element, GST_STATE_PLAYING);
    /* The harness's pads do not notice that the element has lost its sticky events. */
    gst_harness_push_event (harness, gst_event_new_stream_start ("again"));
    gst_harness_set_src_caps_str (harness, GRAY_CAPS);
    test_check_flow_after_flush (harness, 9);
    fail_unless_equals_uint64 (test_get_stat (harness, "frames"), 1);
    test_harness_free (harness);
  }
}

/* If upstream waits for room in the queue, a stop wakes it, and the push returns
 * GST_FLOW_FLUSHING. */
TEST (test_stop_while_upstream_waits)
{
  for (guint round = 0; round < 10; round++) {
    GstHarness *harness = test_gray_harness_new (NULL);
    gint n_blocked = 0;
    gulong probe = test_block_buffers (harness, &n_blocked);
    GThread *thread = g_thread_new ("upstream", test_push_many, harness);

    test_wait_until_set (&n_blocked);
    g_usleep (round * 1000);
    test_set_state (harness->element, GST_STATE_NULL);
    fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)),
        GST_FLOW_FLUSHING);
    test_unblock_buffers (harness, probe);
    test_harness_free (harness);
  }
}

/* ---- In pipelines --------------------------------------------------------------------------- */

/* Stopped and started again, with as many frames on the device as can be, because downstream is
 * slow. */
TEST (test_stop_with_frames)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY,
    GST_STATE_PAUSED
  };
  GRand *random = test_random ();
  CheckedPipeline checked;

  checked_open (&checked, "videotestsrc pattern=snow ! "
      "video/x-raw, format=GRAY8, width=160, height=120 ! $ ! "
      "identity sleep-time=1000 ! "
      "fakesink sync=false", "max-in-flight=16");
  for (guint i = 0; i < 40; i++) {
    checked_set_state (&checked, GST_STATE_PLAYING);
    if (i % 4 > 0)
      flow_check_wait (checked.flow, flow_check_n_left (checked.flow) + i % 4);
    g_usleep (g_rand_int_range (random, 0, 5000));
    /* If a bin has not reached PAUSED yet, it sometimes loses the change to PLAYING. */
    checked_reach_state (&checked, states[i % G_N_ELEMENTS (states)]);
    if (states[i % G_N_ELEMENTS (states)] < GST_STATE_PAUSED)
      flow_check_stopped (checked.flow);
  }
  checked_close (&checked);
  g_rand_free (random);
}

/* Pausing loses no buffer. */
TEST (test_pause)
{
  static const gchar *const live[] = { "false", "true" };

  for (guint i = 0; i < 2; i++) {
    gchar *description = g_strdup_printf ("videotestsrc pattern=snow "
        "is-live=%s ! " VIDEO " ! $ ! fakesink sync=true", live[i]);
    CheckedPipeline checked;

    checked_open (&checked, description, "max-in-flight=8");
    for (guint n = 0; n < 8; n++) {
      checked_reach_state (&checked, GST_STATE_PLAYING);
      flow_check_wait (checked.flow, flow_check_n_left (checked.flow) + n % 3);
      checked_reach_state (&checked, GST_STATE_PAUSED);
    }
    checked_reach_state (&checked, GST_STATE_PLAYING);
    gst_element_send_event (checked.pipeline, gst_event_new_eos ());
    test_wait_for (checked.pipeline, GST_MESSAGE_EOS);
    fail_unless (flow_check_drained (checked.flow) > 8);
    checked_close (&checked);
    g_free (description);
  }
}

/* The end of the stream comes before the first buffer, just after it, or while the pipeline changes
 * its state. */
TEST (test_eos_at_once)
{
  static const gchar *const descriptions[] = {
    "videotestsrc num-buffers=0 ! " VIDEO " ! $ ! fakesink",
    "audiotestsrc num-buffers=0 ! $ ! fakesink",
    "videotestsrc num-buffers=0 is-live=true ! $ ! fakesink",
    "videotestsrc num-buffers=1 ! " VIDEO " ! $ ! fakesink",
  };

  for (guint i = 0; i < G_N_ELEMENTS (descriptions); i++) {
    CheckedPipeline checked;

    checked_open (&checked, descriptions[i], NULL);
    fail_unless_equals_int (checked_play (&checked), i == 3);
    checked_close (&checked);
  }
  /* Sent by the application, in any state of the pipeline. */
  for (guint i = 0; i < 20; i++) {
    CheckedPipeline checked;

    checked_open (&checked, "videotestsrc pattern=snow is-live=true ! " VIDEO
        " ! $ ! fakesink", NULL);
    if (i % 2)
      checked_reach_state (&checked, GST_STATE_PLAYING);
    else
      checked_set_state (&checked, GST_STATE_PLAYING);
    g_usleep (i / 2 * 1000);
    gst_element_send_event (checked.pipeline, gst_event_new_eos ());
    test_wait_for (checked.pipeline, GST_MESSAGE_EOS);
    flow_check_drained (checked.flow);
    checked_close (&checked);
  }
}

TEST_MAIN (5)
