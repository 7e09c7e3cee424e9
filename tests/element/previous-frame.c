/* The previous frame: with which buffer each buffer is compared, and when there is none.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

/* Pushes a frame of one grey. It must have no structure `motion` if difference < 0, else one that
 * says that all pixels differ by so much from those of the previous frame. */
static void
check_buffer (GstHarness * harness, GstBuffer * buffer, gint difference)
{
  const GstStructure *result;

  buffer = gst_harness_push_and_pull (harness, buffer);
  result = test_result (buffer);
  if (difference < 0) {
    fail_if (gst_structure_has_field (result, "motion"));
  } else {
    const GstStructure *y = test_component (test_component (result,
            "motion"), "Y");

    fail_unless_equals_uint64 (test_get_uint64 (y, "count"), GRAY_SIZE);
    fail_unless_equals_float (test_get_double (y, "min"), difference);
    fail_unless_equals_float (test_get_double (y, "max"), difference);
  }
  gst_buffer_unref (buffer);
}

static void
check_frame (GstHarness * harness, guint value, gint difference)
{
  check_buffer (harness, test_frame_new (value), difference);
}

/* Each buffer is compared with the one before, the first one with none. */
TEST (test_neighbours)
{
  GstHarness *harness = test_gray_harness_new ("measures=motion");

  check_frame (harness, 10, -1);
  check_frame (harness, 13, 3);
  check_frame (harness, 200, 187);
  check_frame (harness, 200, 0);
  check_frame (harness, 0, 200);
  test_harness_free (harness);
}

static void
count_freed (gpointer n_freed, GstMiniObject * buffer)
{
  g_atomic_int_inc ((gint *) n_freed);
}

/* The same if buffers are held instead of copied. None is held in the end. */
TEST (test_held)
{
  static const guint values[] = { 10, 13, 200, 200, 0 };
  GstHarness *harness =
      test_gray_harness_new ("measures=motion hold-previous=true");
  gint n_freed = 0;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    GstBuffer *buffer = test_frame_new (values[i]);

    gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), count_freed, &n_freed);
    check_buffer (harness, buffer, i == 0 ? -1 :
        ABS ((gint) values[i] - (gint) values[i - 1]));
  }
  test_harness_free (harness);
  fail_unless_equals_int (n_freed, G_N_ELEMENTS (values));
}

/* The same while several buffers are in flight. */
TEST (test_many_in_flight)
{
  GstHarness *harness =
      test_gray_harness_new ("measures=motion max-in-flight=8");
  const guint n_frames = 100;

  for (guint n = 0; n < n_frames; n++)
    fail_unless_equals_int (gst_harness_push (harness,
            test_buffer_new (GRAY_SIZE, n * n, n * GRAY_DURATION)),
        GST_FLOW_OK);
  for (guint n = 0; n < n_frames; n++) {
    GstBuffer *buffer = gst_harness_pull (harness);
    const guint8 value = n * n, before = (n - 1) * (n - 1);

    if (n > 0) {
      fail_unless_equals_float (test_get_double (test_component
              (test_component (test_result (buffer), "motion"), "Y"), "mean"),
          ABS (value - before));
    } else {
      fail_if (gst_structure_has_field (test_result (buffer), "motion"));
    }
    gst_buffer_unref (buffer);
  }
  test_harness_free (harness);
}

/* ---- Returning buffers ------------------------------------------------------------------------ */

/* Upstream asks for all its buffers. */
static void
drain (GstHarness * harness)
{
  GstQuery *query = gst_query_new_drain ();

  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  gst_query_unref (query);
}

static void
stop (GstHarness * harness)
{
  test_set_state (harness->element, GST_STATE_READY);
}

/* The element has no buffer after a drain, the end of the stream, a flush and a stop, also if it may
 * hold buffers. */
TEST (test_returned)
{
  static void (*const steps[]) (GstHarness *) = {
    drain, test_end_stream, test_flush, stop
  };
  static const gchar *const properties[] = {
    "measures=motion", "measures=motion hold-previous=true",
    "measures=detail hold-previous=true", "hold-previous=true"
  };

  for (guint p = 0; p < G_N_ELEMENTS (properties); p++) {
    for (guint s = 0; s < G_N_ELEMENTS (steps); s++) {
      GstHarness *harness = test_gray_harness_new (properties[p]);

      for (guint n = 0; n < 3; n++) {
        test_push_frame (harness, n);
        test_pull_frame_quickly (harness, n, TRUE);
      }
      steps[s] (harness);
      test_check_no_buffer_left ();
      test_harness_free (harness);
    }
  }
}

/* The same while buffers are in flight: a drain waits for them. */
TEST (test_returned_in_flight)
{
  GstHarness *harness =
      test_gray_harness_new ("measures=motion hold-previous=true");
  /* The mock driver is slow. */
  const guint n_frames = test_backend_is_cuda () ? 30 : 300;

  for (guint n = 0; n < n_frames; n++) {
    test_push_frame (harness, n);
    if (n % 5 != 4)
      continue;
    drain (harness);
    test_drop_received (harness);
    test_check_no_buffer_left ();
  }
  test_harness_free (harness);
}

/* A drain does not interrupt the stream: the next frame is compared with the one before. */
TEST (test_drain)
{
  static const gchar *const properties[] = {
    "measures=motion", "measures=motion hold-previous=true"
  };

  for (guint p = 0; p < G_N_ELEMENTS (properties); p++) {
    GstHarness *harness = test_gray_harness_new (properties[p]);

    drain (harness);
    check_frame (harness, 10, -1);
    drain (harness);
    check_frame (harness, 13, 3);
    drain (harness);
    drain (harness);
    check_frame (harness, 200, 187);
    check_frame (harness, 100, 100);
    check_frame (harness, 101, 1);
    drain (harness);
    test_flush (harness);
    test_push_segment (harness);
    check_frame (harness, 102, -1);
    drain (harness);
    check_frame (harness, 104, 2);
    test_harness_free (harness);
  }
}

/* The same for a frame with several planes and padding, of which a copy has none. */
TEST (test_drain_planes)
{
  static const gchar *const names[] = { "Y", "U", "V" };
  GstHarness *harness =
      test_harness_new ("measures=motion hold-previous=true");
  GstVideoInfo info;
  GstCaps *caps;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_I420, 36, 10);
  caps = gst_video_info_to_caps (&info);
  gst_harness_set_src_caps (harness, caps);
  test_pad_strides (&info, 12);
  for (guint n = 0; n < 4; n++) {
    GstBuffer *buffer = test_buffer_new (info.size, 0xff, n * GRAY_DURATION);
    GstVideoFrame frame;

    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_FORMAT_I420, 36, 10, 3, info.offset, info.stride);
    fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE));
    for (guint p = 0; p < 3; p++) {
      guint8 *plane = GST_VIDEO_FRAME_PLANE_DATA (&frame, p);

      for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, p); y++)
        memset (plane + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, p),
            n * (p + 1), GST_VIDEO_FRAME_COMP_WIDTH (&frame, p));
    }
    gst_video_frame_unmap (&frame);
    buffer = gst_harness_push_and_pull (harness, buffer);
    for (guint p = 0; n > 0 && p < 3; p++) {
      const GstStructure *component = test_component (test_component
          (test_result (buffer), "motion"), names[p]);

      fail_unless_equals_float (test_get_double (component, "min"), p + 1);
      fail_unless_equals_float (test_get_double (component, "max"), p + 1);
    }
    gst_buffer_unref (buffer);
    drain (harness);
    test_check_no_buffer_left ();
  }
  test_harness_free (harness);
}

/* A stream that has ended is not continued by the next one, also if that begins without a segment. */
TEST (test_end_of_stream)
{
  static const gchar *const properties[] = {
    "measures=motion", "measures=motion hold-previous=true"
  };

  for (guint p = 0; p < G_N_ELEMENTS (properties); p++) {
    GstHarness *harness = test_gray_harness_new (properties[p]);

    check_frame (harness, 10, -1);
    check_frame (harness, 13, 3);
    test_end_stream (harness);
    gst_harness_push_event (harness, gst_event_new_stream_start ("next"));
    check_frame (harness, 14, -1);
    check_frame (harness, 16, 2);
    test_harness_free (harness);
  }
}

/* ---- What comes between ------------------------------------------------------------------------ */

/* There is no previous frame after a flush, a new segment, a DISCONT flag, new caps and a stop.
 * Caps that are sent again change nothing. */
TEST (test_restarts)
{
  GstHarness *harness = test_gray_harness_new ("measures=motion");
  GstBuffer *buffer;
  GstCaps *caps;

  check_frame (harness, 1, -1);
  check_frame (harness, 2, 1);
  test_flush (harness);
  test_push_segment (harness);
  check_frame (harness, 3, -1);
  check_frame (harness, 5, 2);
  test_push_segment (harness);
  check_frame (harness, 6, -1);
  check_frame (harness, 9, 3);
  buffer = test_frame_new (10);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  check_buffer (harness, buffer, -1);
  check_frame (harness, 14, 4);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS ", colorimetry=bt709");
  check_frame (harness, 20, -1);
  check_frame (harness, 25, 5);
  caps = gst_caps_from_string (GRAY_CAPS ", colorimetry=bt709");
  gst_harness_push_event (harness, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  check_frame (harness, 31, 6);
  test_set_state (harness->element, GST_STATE_READY);
  test_set_state (harness->element, GST_STATE_PLAYING);
  test_restart_stream (harness, GRAY_CAPS);
  test_push_segment (harness);
  check_frame (harness, 1, -1);
  check_frame (harness, 2, 1);
  test_harness_free (harness);
}

/* There is no previous frame after settings that configure the engine again. After others there
 * is. */
TEST (test_settings)
{
  static const struct
  {
    const gchar *property, *value;
    gboolean configures;
  } settings[] = {
    {"bins", "10", TRUE},
    {"max-in-flight", "2", TRUE},
    {"measures", "motion+signal", TRUE},
    {"regions", "a=0,0,1,1", TRUE},
    {"roi-meta", "true", TRUE},
    {"roi-meta", "true", FALSE},
    {"alerts", "freeze", FALSE},
    {"alerts", "black", FALSE},
    {"black-level", "0.5", FALSE},
    {"window", "1000", FALSE},
    {"histogram", "false", FALSE},
    {"measures", "motion", TRUE},
    {"measures", "basic+motion", FALSE},
    {"alerts", "black+range", TRUE},
  };
  GstHarness *harness = test_gray_harness_new ("measures=motion");

  check_frame (harness, 0, -1);
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    gst_util_set_object_arg (G_OBJECT (harness->element),
        settings[i].property, settings[i].value);
    check_frame (harness, 2 * i + 1, settings[i].configures ? -1 : 1);
    check_frame (harness, 2 * i + 2, 1);
  }
  test_harness_free (harness);
}

/* The group of an alert is measured without being asked for, as long as the alert is on. */
TEST (test_group_of_alert)
{
  GstHarness *harness = test_gray_harness_new (NULL);

  check_frame (harness, 0, -1);
  check_frame (harness, 1, -1);
  gst_util_set_object_arg (G_OBJECT (harness->element), "alerts", "scene");
  check_frame (harness, 2, -1);
  check_frame (harness, 5, 3);
  gst_util_set_object_arg (G_OBJECT (harness->element), "alerts", "silence");
  check_frame (harness, 6, -1);
  check_frame (harness, 7, -1);
  test_harness_free (harness);
}

/* A buffer with more metas than the plan has room for has the engine configured again. One with
 * fewer does not. */
TEST (test_metas)
{
  static const struct
  {
    guint n_metas;
    gboolean configures;
  } frames[] = { {0, TRUE}, {0, FALSE}, {1, TRUE}, {1, FALSE}, {3, TRUE},
    {4, FALSE}, {0, FALSE}, {2, FALSE}, {5, TRUE}, {8, FALSE}, {100, TRUE},
    {64, FALSE}, {200, FALSE}
  };
  GstHarness *harness =
      test_gray_harness_new ("measures=motion roi-meta=true");

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    GstBuffer *buffer = test_frame_new (3 * i);

    for (guint k = 0; k < frames[i].n_metas; k++)
      gst_buffer_add_video_region_of_interest_meta (buffer, "a", k, 0, 2, 2);
    check_buffer (harness, buffer, frames[i].configures ? -1 : 3);
  }
  test_harness_free (harness);
}

/* With `every`, the previous frame is the one that was measured before. A discontinuity among the
 * others counts. */
TEST (test_every)
{
  GstHarness *harness = test_gray_harness_new ("measures=motion every=3");

  for (guint n = 0; n < 21; n++) {
    GstBuffer *buffer = test_frame_new (7 * n);

    if (n == 10)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    if (n % 3 == 0) {
      check_buffer (harness, buffer, n == 0 || n == 12 ? -1 : 21);
    } else {
      fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
      test_pull_frame_quickly (harness, 7 * n, FALSE);
    }
  }
  test_harness_free (harness);
}

/* A late buffer that is not measured is no previous frame. */
TEST (test_late_buffer)
{
  GstHarness *harness = test_gray_harness_new ("measures=motion qos=true");

  check_frame (harness, 0, -1);
  check_frame (harness, 1, 1);
  gst_harness_push_upstream_event (harness,
      gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, 0, 2 * GRAY_DURATION));
  test_push_frame (harness, 2);
  test_pull_frame_quickly (harness, 2, FALSE);
  check_frame (harness, 4, 3);
  test_harness_free (harness);
}

/* Buffers that pass while no result is wanted come between two measured ones, which then are no
 * neighbours. */
TEST (test_no_results)
{
  GstHarness *harness = test_gray_harness_new ("measures=motion");

  check_frame (harness, 0, -1);
  check_frame (harness, 1, 1);
  g_object_set (harness->element, "meta", FALSE, NULL);
  test_push_frame (harness, 2);
  test_pull_frame_quickly (harness, 2, FALSE);
  g_object_set (harness->element, "meta", TRUE, NULL);
  check_frame (harness, 4, -1);
  check_frame (harness, 6, 2);
  test_harness_free (harness);
}

TEST_MAIN (5)
