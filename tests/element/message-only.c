/* meta=false post-messages=true: buffers do not wait for their results.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"
#include "message-gate.h"

/* ---- Buffers and results -------------------------------------------------------------------- */

/* Buffers leave before the first result is posted, and are not copied. The results follow in
 * order. */
TEST (test_buffers_do_not_wait)
{
  GstHarness *harness =
      test_gray_harness_new ("meta=false post-messages=true max-in-flight=4");
  MessageGate gate;

  message_gate_init (&gate, harness);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *in = test_frame_new (i), *out;

    fail_unless_equals_int (gst_harness_push (harness, gst_buffer_ref (in)),
        GST_FLOW_OK);
    out = gst_harness_pull (harness);
    fail_unless (out == in);
    gst_buffer_unref (in);
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (message_gate_n_posted (&gate), 0);
  for (guint i = 0; i < 4; i++) {
    message_gate_allow (&gate, i + 1);
    message_gate_wait_posted (&gate, i + 1);
    fail_unless_equals_uint64 (test_get_uint64 (message_gate_result
            (&gate, i), "timestamp"), i * GRAY_DURATION);
  }
  test_harness_free (harness);
  message_gate_clear (&gate);
}

/* No more than `max-in-flight` buffers are measured at once. */
TEST (test_max_in_flight)
{
  GstHarness *harness =
      test_gray_harness_new ("meta=false post-messages=true max-in-flight=2");
  GstStructure *stats = NULL;
  guint level = 0;
  MessageGate gate;

  message_gate_init (&gate, harness);
  for (guint i = 0; i < 2; i++) {
    gst_harness_push (harness, test_frame_new (i));
    test_pull_frame_quickly (harness, i, FALSE);
  }
  g_object_get (harness->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint (stats, "queue-level", &level));
  fail_unless_equals_int (level, 2);
  gst_structure_free (stats);
  message_gate_allow (&gate, 1);
  gst_harness_push (harness, test_frame_new (2));
  fail_unless (message_gate_n_posted (&gate) == 1);
  test_pull_frame_quickly (harness, 2, FALSE);
  message_gate_allow (&gate, 3);
  message_gate_wait_posted (&gate, 3);
  test_harness_free (harness);
  message_gate_clear (&gate);
}

static gpointer
drain (gpointer data)
{
  GstHarness *harness = data;
  GstQuery *query = gst_query_new_drain ();

  gst_pad_peer_query (harness->srcpad, query);
  gst_query_unref (query);
  return NULL;
}

/* A drain query gets all buffers back, also those that left before their results. */
TEST (test_drain)
{
  GstHarness *harness = test_gray_harness_new ("meta=false post-messages=true");
  GstBuffer *frame = test_frame_new (0);
  GThread *thread;
  MessageGate gate;

  message_gate_init (&gate, harness);
  gst_harness_push (harness, gst_buffer_ref (frame));
  test_pull_frame_quickly (harness, 0, FALSE);
  thread = g_thread_new ("drain", drain, harness);
  g_usleep (20000);
  message_gate_allow (&gate, 1);
  g_thread_join (thread);
  fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (frame), 1);
  gst_buffer_unref (frame);
  test_harness_free (harness);
  message_gate_clear (&gate);
}

/* ---- Flushes, ends and stops ---------------------------------------------------------------- */

typedef struct
{
  GstHarness *harness;
  gboolean has_start;           /* sends flush-start as well */
  gint n_flushed;
} Flusher;

static GstBusSyncReply
flush_once (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Flusher *flusher = user_data;

  if (!gst_message_has_name (message, "cudahisto"))
    return GST_BUS_PASS;
  if (g_atomic_int_add (&flusher->n_flushed, 1) == 0) {
    /* By then the end of the stream, if it was sent, waits for this message. */
    g_usleep (20000);
    if (flusher->has_start)
      gst_harness_push_event (flusher->harness, gst_event_new_flush_start ());
    gst_harness_push_event (flusher->harness, gst_event_new_flush_stop (TRUE));
  }
  return GST_BUS_PASS;
}

/* A handler of a message may flush, as a seek does, even while the end of the stream waits for that
 * message, and even with flush-stop alone. Later buffers are measured. */
TEST (test_flush_from_handler)
{
  for (guint i = 0; i < 4; i++) {
    GstHarness *harness =
        test_gray_harness_new ("meta=false post-messages=true");
    GstBus *bus = gst_element_get_bus (harness->element);
    Flusher flusher = { harness, i < 2, 0 };

    gst_bus_set_sync_handler (bus, flush_once, &flusher, NULL);
    gst_object_unref (bus);
    gst_harness_push (harness, test_frame_new (0));
    if (i % 2)
      gst_harness_push_event (harness, gst_event_new_eos ());
    gst_message_unref (test_wait_message (harness, GST_MESSAGE_ELEMENT));
    test_push_segment (harness);
    fail_unless_equals_int (gst_harness_push (harness, test_frame_new (1)),
        GST_FLOW_OK);
    gst_message_unref (test_wait_message (harness, GST_MESSAGE_ELEMENT));
    test_harness_free (harness);
  }
}

static gpointer
push_eos (gpointer data)
{
  gst_harness_push_event (data, gst_event_new_eos ());
  return NULL;
}

/* All results are posted before the end of the stream leaves. */
TEST (test_results_before_eos)
{
  GstHarness *harness = test_gray_harness_new ("meta=false post-messages=true");
  GThread *thread;
  MessageGate gate;

  message_gate_init (&gate, harness);
  gst_harness_push (harness, test_frame_new (0));
  test_pull_frame_quickly (harness, 0, FALSE);
  thread = g_thread_new ("eos", push_eos, harness);
  g_usleep (50 * 1000);
  fail_if (test_has_sent (harness, GST_EVENT_EOS));
  message_gate_allow (&gate, 1);
  while (!test_has_sent (harness, GST_EVENT_EOS))
    g_usleep (1000);
  fail_unless_equals_int (message_gate_n_posted (&gate), 1);
  g_thread_join (thread);
  test_harness_free (harness);
  message_gate_clear (&gate);
}

/* A flush, and a stop, while buffers are measured. */
TEST (test_flush_and_stop)
{
  for (guint round = 0; round < 20; round++) {
    GstHarness *harness =
        test_gray_harness_new ("meta=false post-messages=true");

    for (guint i = 0; i < 3; i++)
      gst_harness_push (harness, test_frame_new (i));
    if (round % 2 == 0) {
      test_flush (harness);
      test_push_segment (harness);
      while (gst_harness_buffers_in_queue (harness) > 0)
        gst_buffer_unref (gst_harness_pull (harness));
      fail_unless_equals_int (gst_harness_push (harness, test_frame_new (7)),
          GST_FLOW_OK);
      test_pull_frame_quickly (harness, 7, FALSE);
    }
    test_harness_free (harness);
  }
}

TEST_MAIN (5)
