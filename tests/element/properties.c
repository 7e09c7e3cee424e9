/* Properties: defaults, counters, and changes while frames are in flight.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

/* ---- Defaults ------------------------------------------------------------------------------- */

/* The defaults are those of the documentation. */
GST_START_TEST (test_defaults)
{
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  gint backend = -1, device = 0;
  gchar *active = NULL;
  gboolean meta = FALSE, post = TRUE, histogram = FALSE;
  guint64 interval = 1;
  guint bins = 1, max_in_flight = 0;
  gdouble range_min = 1, range_max = 1;
  GParamSpec *spec;

  g_object_get (element, "backend", &backend, "active-backend", &active,
      "cuda-device-id", &device, "meta", &meta, "post-messages", &post,
      "interval", &interval, "histogram", &histogram, "bins", &bins,
      "range-min", &range_min, "range-max", &range_max, "max-in-flight",
      &max_in_flight, NULL);
  fail_unless_equals_int (backend, 0);
  fail_unless (active == NULL);
  fail_unless_equals_int (device, -1);
  fail_unless (meta && !post && histogram);
  fail_unless_equals_uint64 (interval, 0);
  fail_unless_equals_int (bins, 0);
  fail_unless_equals_float (range_min, 0);
  fail_unless_equals_float (range_max, 0);
  fail_unless_equals_int (max_in_flight, 4);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
  gst_util_set_object_arg (G_OBJECT (element), "backend", "auto");
  spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), "backend");
  fail_unless_equals_string (G_ENUM_CLASS (g_type_class_peek
          (spec->value_type))->values[0].value_nick, "auto");
  gst_object_unref (element);
}

GST_END_TEST;

/* `active-backend` is set from the first caps until the element is stopped. */
GST_START_TEST (test_active_backend)
{
  GstHarness *harness = test_harness_new (NULL);
  gchar *active = NULL;

  g_object_get (harness->element, "active-backend", &active, NULL);
  fail_unless (active == NULL);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  test_push_frame (harness, 1);
  test_pull_frame (harness, 1);
  g_object_get (harness->element, "active-backend", &active, NULL);
  fail_unless_equals_string (active, test_backend ());
  g_free (active);
  test_set_state (harness->element, GST_STATE_NULL);
  g_object_get (harness->element, "active-backend", &active, NULL);
  fail_unless (active == NULL);
  test_harness_free (harness);
}

GST_END_TEST;

/* ---- The counters in `stats` ---------------------------------------------------------------- */

/* They start at zero and count frames and bytes. */
GST_START_TEST (test_stats)
{
  static const gchar *const counters[] = { "frames", "bytes", "dropped",
    "fallbacks", "gpu-time", "cpu-time"
  };
  GstHarness *harness = test_gray_harness_new (NULL);
  GstStructure *stats = NULL;

  g_object_get (harness->element, "stats", &stats, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (counters); i++)
    fail_unless_equals_uint64 (test_get_uint64 (stats, counters[i]), 0);
  fail_unless (gst_structure_has_field_typed (stats, "queue-level",
          G_TYPE_UINT));
  gst_structure_free (stats);
  for (guint n = 0; n < 10; n++) {
    test_push_frame (harness, n);
    test_pull_frame (harness, n);
  }
  fail_unless_equals_uint64 (test_get_stat (harness, "frames"), 10);
  fail_unless_equals_uint64 (test_get_stat (harness, "bytes"), 10 * GRAY_SIZE);
  fail_unless_equals_uint64 (test_get_stat (harness, "dropped"), 0);
  fail_unless_equals_uint64 (test_get_stat (harness, "fallbacks"), 0);
  fail_unless (test_get_stat (harness, "cpu-time") > 0);
  test_harness_free (harness);
}

GST_END_TEST;

/* After a restart they count from zero; the first frame is counted. */
GST_START_TEST (test_stats_after_restart)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  guint n;

  for (n = 0; n < 20; n++) {
    test_push_frame (harness, n);
    test_pull_frame (harness, n);
  }
  test_set_state (harness->element, GST_STATE_READY);
  test_set_state (harness->element, GST_STATE_PLAYING);
  gst_harness_push_event (harness, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  test_check_flow_after_flush (harness, n);
  fail_unless_equals_uint64 (test_get_stat (harness, "frames"), 1);
  fail_unless (test_get_stat (harness, "cpu-time") > 0);
  test_harness_free (harness);
}

GST_END_TEST;

/* They keep their values after a stop and are reset at the next start. */
GST_START_TEST (test_stats_are_reset)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  guint64 cpu_time;

  test_push_frame (harness, 0);
  test_pull_frame (harness, 0);
  gst_element_set_state (harness->element, GST_STATE_READY);
  cpu_time = test_get_stat (harness, "cpu-time");
  fail_unless (cpu_time > 0);
  gst_element_set_state (harness->element, GST_STATE_NULL);
  fail_unless_equals_uint64 (test_get_stat (harness, "frames"), 1);
  fail_unless_equals_uint64 (test_get_stat (harness, "cpu-time"), cpu_time);
  gst_element_set_state (harness->element, GST_STATE_PAUSED);
  fail_unless_equals_uint64 (test_get_stat (harness, "frames"), 0);
  fail_unless_equals_uint64 (test_get_stat (harness, "cpu-time"), 0);
  fail_unless_equals_uint64 (test_get_stat (harness, "gpu-time"), 0);
  test_harness_free (harness);
}

GST_END_TEST;

/* ---- Changes while it runs ------------------------------------------------------------------ */

static void
change_settings (GstElement * element, guint n)
{
  switch (n % 8) {
    case 0:
      g_object_set (element, "bins", 16, NULL);
      break;
    case 1:
      g_object_set (element, "range-min", -8.0, "range-max", 200.5, NULL);
      break;
    case 2:
      g_object_set (element, "max-in-flight", 1 + n % 13, NULL);
      break;
    case 3:
      g_object_set (element, "histogram", n % 16 < 8, NULL);
      break;
    case 4:
      g_object_set (element, "range-min", 0.0, "range-max", 0.0, NULL);
      break;
    case 5:
      g_object_set (element, "bins", 0, NULL);
      break;
    case 6:
      g_object_set (element, "post-messages", n % 16 < 8, NULL);
      break;
    default:
      break;
  }
}

/* Changes while frames are in flight lose no frame and post no warning. */
GST_START_TEST (test_change_while_running)
{
  GstHarness *harness = test_gray_harness_new (NULL);

  for (guint n = 0; n < 200; n++) {
    change_settings (harness->element, n);
    test_push_frame (harness, n);
  }
  for (guint n = 0; n < 200; n++)
    test_pull_frame (harness, n);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_WARNING),
      0);
  test_harness_free (harness);
}

GST_END_TEST;

static void
check_bins (GstHarness * harness, guint bins, gdouble min, gdouble max)
{
  GstBuffer *buffer = gst_harness_push_and_pull (harness, test_frame_new (77));
  const GstStructure *y = test_component (test_result (buffer), "Y");
  GBytes *histogram = NULL;
  guint its_bins = 0;

  fail_unless (gst_structure_get (y, "bins", G_TYPE_UINT, &its_bins,
          "histogram", G_TYPE_BYTES, &histogram, NULL));
  fail_unless_equals_int (its_bins, bins);
  fail_unless_equals_int (g_bytes_get_size (histogram), 4 * bins);
  fail_unless_equals_float (test_get_double (y, "range-min"), min);
  fail_unless_equals_float (test_get_double (y, "range-max"), max);
  fail_unless_equals_float (test_get_double (y, "p50"), 77);
  g_bytes_unref (histogram);
  test_check_frame (buffer, 77);
  gst_buffer_unref (buffer);
}

/* A change takes effect with the next frame. */
GST_START_TEST (test_change_takes_effect)
{
  GstHarness *harness = test_gray_harness_new (NULL);

  check_bins (harness, 256, 0, 256);
  g_object_set (harness->element, "bins", 10, NULL);
  check_bins (harness, 10, 0, 256);
  g_object_set (harness->element, "range-min", 16.0, "range-max", 235.0, NULL);
  check_bins (harness, 10, 16, 235);
  g_object_set (harness->element, "max-in-flight", 1, NULL);
  check_bins (harness, 10, 16, 235);
  g_object_set (harness->element, "bins", 0, NULL);
  check_bins (harness, 256, 16, 235);
  g_object_set (harness->element, "range-min", 0.0, "range-max", 0.0, NULL);
  check_bins (harness, 256, 0, 256);
  test_harness_free (harness);
}

GST_END_TEST;

static Suite *
properties_suite (void)
{
  Suite *suite = suite_create ("properties");
  TCase *tcase = test_add_case (suite, "general", 5);

  tcase_add_test (tcase, test_defaults);
  tcase_add_test (tcase, test_active_backend);
  tcase_add_test (tcase, test_stats);
  tcase_add_test (tcase, test_stats_after_restart);
  tcase_add_test (tcase, test_stats_are_reset);
  tcase_add_test (tcase, test_change_while_running);
  tcase_add_test (tcase, test_change_takes_effect);
  return suite;
}

GST_CHECK_MAIN (properties);
