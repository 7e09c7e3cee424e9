/* After downstream has refused a buffer it gets no more, whichever thread pushes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "probes.h"

typedef struct
{
  GThread *upstream;
  gint n_by_upstream;           /* buffers that upstream's thread pushed */
  gint flow;                    /* atomic: what downstream answers */
  gint n_refused;               /* atomic: buffers with another answer than GST_FLOW_OK */
} Downstream;

static GstPadProbeReturn
answer (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Downstream *downstream = user_data;
  const GstFlowReturn flow = g_atomic_int_get (&downstream->flow);

  if (g_thread_self () == downstream->upstream)
    downstream->n_by_upstream++;
  if (flow != GST_FLOW_OK)
    g_atomic_int_inc (&downstream->n_refused);
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = flow;
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_HANDLED;
}

static void
rest (void)
{
  g_usleep (200);
}

/* Pushes frames until upstream's thread pushes them, if it ever does. */
static void
push_until_direct (GstHarness * harness, Downstream * downstream)
{
  const gint64 end = g_get_monotonic_time () + 3 * G_TIME_SPAN_SECOND;
  const gint before = downstream->n_by_upstream;
  const gboolean is_quick = g_getenv ("MOCK_CUDA_CLOCK_RATE") != NULL;

  for (guint n = 0; n < 5 || (is_quick && downstream->n_by_upstream == before
          && g_get_monotonic_time () < end); n++) {
    test_push_frame (harness, n % 100);
    rest ();
  }
}

/* The flow return that upstream gets in the end. At most max-in-flight frames are accepted before
 * that. */
static GstFlowReturn
push_100 (GstHarness * harness)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint n = 0; n < 100; n++) {
    const GstFlowReturn next = gst_harness_push (harness, test_frame_new (n));

    fail_unless (flow == GST_FLOW_OK || next == flow, "%s after %s",
        gst_flow_get_name (next), gst_flow_get_name (flow));
    flow = next;
    rest ();
  }
  return flow;
}

/* Downstream gets one buffer after which it returns an error, and then no other until a flush. */
TEST (test_error_is_kept)
{
  static const GstFlowReturn flows[] = {
    GST_FLOW_ERROR, GST_FLOW_NOT_LINKED, GST_FLOW_NOT_NEGOTIATED,
    GST_FLOW_FLUSHING, GST_FLOW_CUSTOM_ERROR, GST_FLOW_EOS
  };
  GstHarness *harness = test_gray_harness_new (NULL);
  Downstream downstream = {.upstream = g_thread_self () };

  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, answer,
      &downstream, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (flows); i++) {
    push_until_direct (harness, &downstream);
    g_atomic_int_set (&downstream.n_refused, 0);
    g_atomic_int_set (&downstream.flow, flows[i]);
    fail_unless_equals_int (push_100 (harness), flows[i]);
    g_atomic_int_set (&downstream.flow, GST_FLOW_OK);
    fail_unless_equals_int (push_100 (harness), flows[i]);
    fail_unless_equals_int (g_atomic_int_get (&downstream.n_refused), 1);
    test_flush (harness);
    test_push_segment (harness);
  }
  g_print ("%d pushed by upstream's thread\n", downstream.n_by_upstream);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ERROR), 0);
  test_harness_free (harness);
}

/* Upstream ends without looking at the flow return: the element posts the error, as `queue`
 * does. */
TEST (test_eos_after_error)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  Downstream downstream = {.upstream = g_thread_self () };

  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, answer,
      &downstream, NULL);
  push_until_direct (harness, &downstream);
  g_atomic_int_set (&downstream.flow, GST_FLOW_ERROR);
  fail_unless_equals_int (push_100 (harness), GST_FLOW_ERROR);
  gst_harness_push_event (harness, gst_event_new_eos ());
  gst_message_unref (test_wait_message (harness, GST_MESSAGE_ERROR));
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ERROR), 0);
  test_harness_free (harness);
}

/* Linked again, after upstream's own thread found the pad unlinked. */
TEST (test_relink)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstPad *pad = test_source_pad (harness);
  Downstream downstream = {.upstream = g_thread_self () };
  gulong probe;

  probe = gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_BUFFER,
      answer, &downstream, NULL);
  for (guint round = 0; round < 5; round++) {
    push_until_direct (harness, &downstream);
    gst_pad_unlink (pad, harness->sinkpad);
    fail_unless_equals_int (push_100 (harness), GST_FLOW_NOT_LINKED);
    fail_unless_equals_int (gst_pad_link (pad, harness->sinkpad),
        GST_PAD_LINK_OK);
  }
  gst_pad_remove_probe (harness->sinkpad, probe);
  test_push_frame (harness, 120);
  for (gboolean found = FALSE; !found;) {
    GstBuffer *buffer = gst_harness_pull (harness);

    found = GST_BUFFER_PTS (buffer) == 120 * GRAY_DURATION;
    gst_buffer_unref (buffer);
  }
  gst_object_unref (pad);
  test_harness_free (harness);
}

TEST_MAIN (30)
