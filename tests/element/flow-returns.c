/* Flow returns: upstream gets what downstream returns, or an error is posted if upstream cannot get
 * it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"
#include "probes.h"

/* Upstream gets the flow return of downstream, again and again. A flush resets it. */
TEST (test_flow_returns)
{
  static const GstFlowReturn flows[] = {
    GST_FLOW_EOS, GST_FLOW_NOT_LINKED, GST_FLOW_ERROR, GST_FLOW_FLUSHING,
    GST_FLOW_NOT_NEGOTIATED, GST_FLOW_CUSTOM_ERROR
  };

  for (guint i = 0; i < G_N_ELEMENTS (flows); i++) {
    GstHarness *harness = test_gray_harness_new (NULL);
    gulong probe = test_refuse_buffers (harness, flows[i]);

    fail_unless_equals_int (test_push_until_refused (harness), flows[i]);
    fail_unless_equals_int (test_push_until_refused (harness), flows[i]);
    gst_pad_remove_probe (harness->sinkpad, probe);
    test_flush (harness);
    test_check_flow_after_flush (harness, 5);
    fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ERROR),
        0);
    test_harness_free (harness);
  }
}

/* After downstream has returned GST_FLOW_EOS, the next segment and the end of the stream still
 * pass. */
TEST (test_flow_eos)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  gulong probe = test_refuse_buffers (harness, GST_FLOW_EOS);
  PadLog out;

  fail_unless_equals_int (test_push_until_refused (harness), GST_FLOW_EOS);
  gst_pad_remove_probe (harness->sinkpad, probe);
  test_push_segment (harness);
  test_push_frame (harness, 6);
  test_pull_frame (harness, 6);

  probe = test_refuse_buffers (harness, GST_FLOW_EOS);
  fail_unless_equals_int (test_push_until_refused (harness), GST_FLOW_EOS);
  pad_log_open (&out, harness->sinkpad);
  gst_harness_push_event (harness, gst_event_new_eos ());
  pad_log_wait (&out, "eos");
  pad_log_close (&out);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ERROR), 0);
  test_harness_free (harness);
}

/* After the end of the stream upstream pushes nothing and so gets no flow return. The element posts
 * one error instead. */
TEST (test_error_after_eos)
{
  static const GstFlowReturn flows[] = { GST_FLOW_ERROR, GST_FLOW_NOT_LINKED };

  for (guint i = 0; i < G_N_ELEMENTS (flows); i++) {
    GstHarness *harness = test_gray_harness_new (NULL);
    gint n_blocked = 0;
    gulong block_probe = test_block_buffers (harness, &n_blocked), probe;

    for (guint n = 0; n < 3; n++)
      test_push_frame (harness, n);
    fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
    test_wait_until_set (&n_blocked);
    probe = test_refuse_buffers (harness, flows[i]);
    test_unblock_buffers (harness, block_probe);
    gst_message_unref (test_wait_message (harness, GST_MESSAGE_ERROR));
    g_usleep (10000);
    fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ERROR),
        0);
    gst_pad_remove_probe (harness->sinkpad, probe);
    test_harness_free (harness);
  }
}

/* Upstream sends the end of the stream before it has got the error of downstream. The element posts
 * one error. */
TEST (test_eos_after_error)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  gulong probe = test_refuse_buffers (harness, GST_FLOW_ERROR);
  GstFlowReturn flow = GST_FLOW_OK;

  test_push_frame (harness, 0);
  /* Nearly always long enough for downstream to refuse the frame. */
  g_usleep (50000);
  /* The harness's pad still has GST_FLOW_OK from its last push. */
  gst_harness_push_event (harness, gst_event_new_eos ());
  gst_message_unref (test_wait_message (harness, GST_MESSAGE_ERROR));
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ERROR), 0);
  flow = gst_pad_get_last_flow_return (harness->srcpad);
  fail_unless (flow != GST_FLOW_FLUSHING);
  gst_pad_remove_probe (harness->sinkpad, probe);
  test_harness_free (harness);
}

/* After the source pad is linked again, buffers are pushed again. */
TEST (test_relink)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstPad *pad = test_source_pad (harness);

  test_push_frame (harness, 1);
  test_pull_frame (harness, 1);
  gst_pad_unlink (pad, harness->sinkpad);
  fail_unless_equals_int (test_push_until_refused (harness),
      GST_FLOW_NOT_LINKED);
  fail_unless_equals_int (gst_pad_link (pad, harness->sinkpad),
      GST_PAD_LINK_OK);
  test_push_frame (harness, 2);
  for (;;) {
    GstBuffer *buffer = gst_harness_pull (harness);
    gboolean found = buffer != NULL
        && GST_BUFFER_PTS (buffer) == 2 * GRAY_DURATION;

    fail_unless (buffer != NULL);
    gst_buffer_unref (buffer);
    if (found)
      break;
  }
  gst_object_unref (pad);
  test_harness_free (harness);
}

/* The frame after refused ones is no neighbour of the frame before them: it has no previous frame, and
 * an alert needs its whole duration again. */
TEST (test_gap_of_refused_frames)
{
  GstHarness *harness = test_gray_harness_new ("measures=motion alerts=black "
      "black-duration=1000000000");
  GstPad *pad = test_source_pad (harness);
  GstFlowReturn flow = GST_FLOW_OK;
  GstBuffer *buffer;

  for (guint n = 0; n < 3; n++)
    gst_buffer_unref (gst_harness_push_and_pull (harness,
            test_buffer_new (GRAY_SIZE, 0, n * GRAY_DURATION)));
  gst_pad_unlink (pad, harness->sinkpad);
  for (guint n = 3; flow == GST_FLOW_OK; n++) {
    flow = gst_harness_push (harness, test_buffer_new (GRAY_SIZE, 0,
            n * GRAY_DURATION));
    g_usleep (1000);
  }
  fail_unless_equals_int (flow, GST_FLOW_NOT_LINKED);
  fail_unless_equals_int (gst_pad_link (pad, harness->sinkpad),
      GST_PAD_LINK_OK);

  fail_unless_equals_int (gst_harness_push (harness,
          test_buffer_new (GRAY_SIZE, 0, 2000 * GRAY_DURATION)), GST_FLOW_OK);
  do {
    buffer = gst_harness_pull (harness);
    if (GST_BUFFER_PTS (buffer) < 2000 * GRAY_DURATION)
      gst_clear_buffer (&buffer);
  } while (buffer == NULL);
  fail_if (gst_structure_has_field (test_result (buffer), "motion"));
  gst_buffer_unref (buffer);
  test_check_no_message (harness);
  gst_object_unref (pad);
  test_harness_free (harness);
}

/* Downstream is linked again before its GST_FLOW_NOT_LINKED arrives. */
static GstPadProbeReturn
relink_and_refuse (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  gst_pad_push_event (pad, gst_event_new_reconfigure ());
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_NOT_LINKED;
  g_atomic_int_set ((gint *) user_data, TRUE);
  return GST_PAD_PROBE_HANDLED;
}

/* The flow return from before does not count: the next buffers are pushed. */
TEST (test_relink_during_push)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  gint has_refused = FALSE;
  gulong probe = gst_pad_add_probe (harness->sinkpad,
      GST_PAD_PROBE_TYPE_BUFFER, relink_and_refuse, &has_refused, NULL);

  test_push_frame (harness, 0);
  test_wait_until_set (&has_refused);
  gst_pad_remove_probe (harness->sinkpad, probe);
  for (guint n = 1; n < 10; n++) {
    test_push_frame (harness, n);
    test_pull_frame (harness, n);
  }
  test_harness_free (harness);
}

/* Caps that come while the source pad is not linked are those of the buffers after it is linked. */
TEST (test_caps_while_not_linked)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstPad *pad = test_source_pad (harness);
  GstPad *sinkpad = gst_pad_get_peer (harness->srcpad);
  GstCaps *caps = gst_caps_from_string
      ("video/x-raw, format=GRAY8, width=32, height=8, framerate=25/1");
  GstCaps *arrived;
  GstBuffer *buffer;
  guint64 pts;

  gst_pad_unlink (pad, harness->sinkpad);
  fail_unless_equals_int (test_push_until_refused (harness),
      GST_FLOW_NOT_LINKED);
  fail_unless (gst_pad_send_event (sinkpad, gst_event_new_caps (caps)));
  fail_unless_equals_int (gst_pad_link (pad, harness->sinkpad),
      GST_PAD_LINK_OK);
  fail_unless_equals_int (gst_harness_push (harness, test_buffer_new (32 * 8, 9,
              50 * GRAY_DURATION)), GST_FLOW_OK);
  do {
    buffer = gst_harness_pull (harness);
    fail_unless (buffer != NULL);
    pts = GST_BUFFER_PTS (buffer);
    if (pts == 50 * GRAY_DURATION)
      fail_unless_equals_int (test_get_int (test_result (buffer), "width"), 32);
    gst_buffer_unref (buffer);
  } while (pts != 50 * GRAY_DURATION);
  arrived = gst_pad_get_current_caps (harness->sinkpad);
  fail_unless (gst_caps_is_equal (arrived, caps), "%" GST_PTR_FORMAT, arrived);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ERROR), 0);
  gst_caps_unref (arrived);
  gst_caps_unref (caps);
  gst_object_unref (sinkpad);
  gst_object_unref (pad);
  test_harness_free (harness);
}

/* After GST_FLOW_EOS no buffer goes on, also if no results are wanted any more. */
TEST (test_eos_without_results)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  gulong probe = test_refuse_buffers (harness, GST_FLOW_EOS);

  fail_unless_equals_int (test_push_until_refused (harness), GST_FLOW_EOS);
  gst_pad_remove_probe (harness->sinkpad, probe);
  g_object_set (harness->element, "meta", FALSE, NULL);
  for (guint n = 0; n < 3; n++)
    fail_unless_equals_int (gst_harness_push (harness, test_frame_new (n)),
        GST_FLOW_EOS);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  test_push_segment (harness);
  test_push_frame (harness, 3);
  gst_buffer_unref (gst_harness_pull (harness));
  test_harness_free (harness);
}

/* While downstream's error is kept, new caps are refused, however often upstream sends them. */
TEST (test_caps_after_error)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstPad *pad = gst_element_get_static_pad (harness->element, "sink");
  GstCaps *caps = gst_caps_from_string (GRAY_CAPS ", pixel-aspect-ratio=2/1");
  gulong probe = test_refuse_buffers (harness, GST_FLOW_ERROR);

  fail_unless_equals_int (test_push_until_refused (harness), GST_FLOW_ERROR);
  for (guint i = 0; i < 3; i++)
    fail_if (gst_pad_send_event (pad, gst_event_new_caps (caps)),
        "time number %u", i);
  gst_pad_remove_probe (harness->sinkpad, probe);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  test_harness_free (harness);
}

/* A measured buffer that is dropped because downstream has ended the segment is the first one after
 * a flush. The next result is then the first one after the flush, and it is posted, however long
 * the interval is. */
TEST (test_dropped_after_flush)
{
  GstHarness *harness = test_gray_harness_new ("post-messages=true "
      "interval=18446744073709551615");
  GstBuffer *empty = test_buffer_new (0, 0, 10 * GRAY_DURATION);
  gint n_blocked = 0;
  gulong block_probe, probe;

  test_push_frame (harness, 0);
  test_pull_frame (harness, 0);
  test_flush (harness);
  test_push_segment (harness);
  block_probe = test_block_buffers (harness, &n_blocked);
  GST_BUFFER_FLAG_SET (empty, GST_BUFFER_FLAG_GAP);
  fail_unless_equals_int (gst_harness_push (harness, empty), GST_FLOW_OK);
  test_wait_until_set (&n_blocked);
  test_push_frame (harness, 11);
  probe = test_refuse_buffers (harness, GST_FLOW_EOS);
  test_unblock_buffers (harness, block_probe);
  while (gst_harness_push (harness, test_frame_new (12)) != GST_FLOW_EOS)
    g_usleep (1000);
  gst_pad_remove_probe (harness->sinkpad, probe);

  test_push_segment (harness);
  test_push_frame (harness, 13);
  test_pull_frame (harness, 13);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ELEMENT),
      2);
  test_harness_free (harness);
}

TEST_MAIN (5)
