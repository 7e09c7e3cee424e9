/* Events: serialized events keep their place between the buffers, and the end of the stream comes
 * last.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "probes.h"

/* Pushes 7 frames with events of all kinds between them. */
static void
push_mixture (GstHarness * harness, guint first)
{
  static const gchar *const other_caps =
      "video/x-raw, format=GRAY8, width=16, height=8, framerate=30/1";

  test_push_frame (harness, first);
  test_push_frame (harness, first + 1);
  gst_harness_push_event (harness,
      gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "x", NULL)));
  test_push_frame (harness, first + 2);
  gst_harness_push_event (harness,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty ("custom")));
  gst_harness_push_event (harness, gst_event_new_gap (0, GRAY_DURATION));
  test_push_frame (harness, first + 3);
  test_push_segment (harness);
  test_push_frame (harness, first + 4);
  gst_harness_set_src_caps_str (harness, other_caps);
  test_push_frame (harness, first + 5);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  test_push_frame (harness, first + 6);
  gst_harness_push_event (harness,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
          gst_structure_new_empty ("sticky")));
}

/* Serialized events leave in the order in which they entered, for each `max-in-flight`. */
TEST (test_event_order)
{
  static const guint depths[] = { 1, 4, 16 };

  for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
    GstHarness *harness = test_gray_harness_new (NULL);
    PadLog in, out;

    g_object_set (harness->element, "max-in-flight", depths[i], NULL);
    test_push_frame (harness, 0);
    test_pull_frame (harness, 0);
    pad_log_open (&in, harness->srcpad);
    pad_log_open (&out, harness->sinkpad);
    for (guint round = 0; round < 8; round++)
      push_mixture (harness, 7 * round);
    gst_harness_push_event (harness, gst_event_new_eos ());
    pad_log_wait (&out, "eos");
    fail_unless_equals_string (out.text->str, in.text->str);
    for (guint n = 0; n < 7 * 8; n++)
      test_pull_frame (harness, n);
    pad_log_close (&in);
    pad_log_close (&out);
    test_harness_free (harness);
  }
}

/* An event that is not serialized leaves at once, also if a frame cannot leave. */
TEST (test_out_of_band)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  gint n_blocked = 0;
  gulong probe = test_block_buffers (harness, &n_blocked);

  test_push_frame (harness, 0);
  test_wait_until_set (&n_blocked);
  /* Takes the events from before. */
  test_has_sent (harness, GST_EVENT_CUSTOM_DOWNSTREAM_OOB);
  fail_unless (gst_harness_push_event (harness,
          gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_OOB,
              gst_structure_new_empty ("now"))));
  fail_unless (test_has_sent (harness, GST_EVENT_CUSTOM_DOWNSTREAM_OOB));
  test_unblock_buffers (harness, probe);
  test_pull_frame (harness, 0);
  test_harness_free (harness);
}

/* The end of the stream leaves after all frames that are queued. */
TEST (test_eos_after_frames)
{
  for (guint round = 0; round < 20; round++) {
    GstHarness *harness = test_gray_harness_new ("max-in-flight=16");
    gint n_blocked = 0;
    gulong probe = test_block_buffers (harness, &n_blocked);
    PadLog out;

    pad_log_open (&out, harness->sinkpad);
    for (guint n = 0; n < 16; n++)
      test_push_frame (harness, n);
    gst_harness_push_event (harness, gst_event_new_eos ());
    test_wait_until_set (&n_blocked);
    test_unblock_buffers (harness, probe);
    pad_log_wait (&out, "eos");
    for (guint n = 0; n < 16; n++)
      test_pull_frame (harness, n);
    fail_unless (g_str_has_suffix (out.text->str, " 14 15 eos "));
    pad_log_close (&out);
    test_harness_free (harness);
  }
}

/* The end of the stream passes at once if no buffer came. */
TEST (test_eos_without_frames)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  PadLog out;

  pad_log_open (&out, harness->sinkpad);
  gst_harness_push_event (harness, gst_event_new_eos ());
  pad_log_wait (&out, "eos");
  pad_log_close (&out);
  test_harness_free (harness);
}

/* The end of the stream passes even if no caps came. No engine is chosen then. */
TEST (test_eos_before_caps)
{
  GstHarness *harness = test_harness_new (NULL);
  gchar *active = NULL;
  PadLog out;

  pad_log_open (&out, harness->sinkpad);
  gst_harness_push_event (harness, gst_event_new_stream_start ("x"));
  gst_harness_push_event (harness, gst_event_new_eos ());
  pad_log_wait (&out, "eos");
  g_object_get (harness->element, "active-backend", &active, NULL);
  fail_unless (active == NULL);
  pad_log_close (&out);
  test_harness_free (harness);
}

TEST_MAIN (5)
