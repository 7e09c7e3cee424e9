/* meta=false post-messages=false: buffers pass and nothing is measured. Also changes of both
 * properties while the element runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

/* If no result is wanted, nothing is measured. */
TEST (test_nothing_is_measured)
{
  GstHarness *harness = test_gray_harness_new ("meta=false");
  GstBuffer *in = test_frame_new (9), *out;

  out = gst_harness_push_and_pull (harness, gst_buffer_ref (in));
  fail_unless (out == in);
  fail_unless (!test_has_result (out));
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  fail_unless_equals_uint64 (test_get_stat (harness, "frames"), 0);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ELEMENT),
      0);
  test_harness_free (harness);
}

static GstPadProbeReturn
note_thread (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  *(GThread **) user_data = g_thread_self ();
  return GST_PAD_PROBE_OK;
}

/* How many pools the answer to an ALLOCATION query has. */
static guint
count_pools (GstHarness * harness)
{
  GstCaps *caps = gst_caps_from_string (GRAY_CAPS);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  guint n;

  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  n = gst_query_get_n_allocation_pools (query);
  gst_query_unref (query);
  gst_caps_unref (caps);
  return n;
}

/* If no result is wanted, upstream's thread pushes the buffers, and the element holds none of a
 * pool. When a result is wanted again, upstream is asked to reconfigure. */
TEST (test_passthrough)
{
  GstHarness *harness = test_gray_harness_new ("meta=false histogram=false");
  GstPad *src = gst_element_get_static_pad (harness->element, "src");
  GThread *thread = NULL;

  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, note_thread, &thread,
      NULL);
  fail_unless_equals_int (count_pools (harness), 0);
  /* The first buffers may leave through the queue, behind the events in it. */
  while (thread != g_thread_self ()) {
    GstBuffer *in = test_frame_new (0), *out;

    out = gst_harness_push_and_pull (harness, in);
    fail_unless (out == in);
    gst_buffer_unref (out);
  }

  test_has_sent_upstream (harness, GST_EVENT_RECONFIGURE);
  g_object_set (harness->element, "meta", TRUE, NULL);
  fail_unless (test_has_sent_upstream (harness, GST_EVENT_RECONFIGURE));
  fail_unless_equals_int (count_pools (harness), 1);
  gst_harness_push (harness, test_frame_new (5));
  test_pull_frame_quickly (harness, 5, TRUE);
  fail_unless (thread != g_thread_self ());
  g_object_set (harness->element, "meta", TRUE, NULL);
  fail_if (test_has_sent_upstream (harness, GST_EVENT_RECONFIGURE));
  gst_object_unref (src);
  test_harness_free (harness);
}

/* Buffers keep their order when `meta` and `post-messages` change, and each gets the result that
 * was wanted for it. */
TEST (test_switch_while_running)
{
  GstHarness *harness = test_gray_harness_new ("post-messages=true");
  guint n = 0;

  for (guint round = 0; round < 30; round++) {
    const gboolean meta = round % 3 == 0;

    g_object_set (harness->element, "meta", meta, "post-messages",
        round % 3 == 1, NULL);
    for (guint i = 0; i < 3; i++, n++) {
      gst_harness_push (harness, test_frame_new (n));
      test_pull_frame_quickly (harness, n, meta);
    }
  }
  test_harness_free (harness);
}

TEST_MAIN (5)
