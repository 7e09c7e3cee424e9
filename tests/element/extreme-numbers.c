/* The largest and smallest numbers in QoS events and in queries, and ALLOCATION queries whose caps
 * stand for no format.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"
#include "probes.h"

/* ---- QoS --------------------------------------------------------------------------------------- */

/* Downstream sends an event: the buffer at this running time was so late. */
static void
report_lateness (GstHarness * harness, GstClockTimeDiff lateness,
    GstClockTime running_time)
{
  fail_unless (gst_harness_push_upstream_event (harness,
          gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, lateness,
              running_time)));
}

/* Pushes a buffer at this time. Returns whether it left with a result. */
static gboolean
is_measured (GstHarness * harness, GstClockTime time)
{
  GstBuffer *buffer = gst_harness_push_and_pull (harness,
      test_buffer_new (GRAY_SIZE, 1, time));
  const gboolean has_result = test_has_result (buffer);

  gst_buffer_unref (buffer);
  return has_result;
}

/* The lateness of the latest QoS message is positive. */
static void
check_message (GstHarness * harness)
{
  GstMessage *message = test_pop_message (harness, GST_MESSAGE_QOS);
  gint64 jitter;

  fail_unless (message != NULL);
  gst_message_parse_qos_values (message, &jitter, NULL, NULL);
  fail_unless (jitter >= 0, "jitter %" G_GINT64_FORMAT, jitter);
  gst_message_unref (message);
  fail_unless (test_pop_message (harness, GST_MESSAGE_QOS) == NULL);
}

/* However late a buffer was, those that follow are late, not early. */
TEST (test_latest)
{
  static const GstClockTimeDiff latenesses[] = {
    G_MAXINT64, G_MAXINT64 - 1, G_MAXINT64 / 2 + 1, G_MAXINT64 / 2
  };
  static const GstClockTime times[] = {
    0, 10 * GST_SECOND, G_MAXINT64, GST_CLOCK_TIME_NONE - 1
  };

  for (guint i = 0; i < G_N_ELEMENTS (latenesses); i++) {
    for (guint j = 0; j < G_N_ELEMENTS (times); j++) {
      GstHarness *harness = test_gray_harness_new ("qos=true");

      report_lateness (harness, latenesses[i], times[j]);
      fail_if (is_measured (harness, 0));
      check_message (harness);
      fail_if (is_measured (harness, 20 * GST_SECOND));
      check_message (harness);
      test_harness_free (harness);
    }
  }
}

/* A buffer that is early by its whole running time makes nothing late but time 0. */
TEST (test_earliest)
{
  static const GstClockTime times[] = { 1, 10 * GST_SECOND, G_MAXINT64 };

  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    GstHarness *harness = test_gray_harness_new ("qos=true");

    report_lateness (harness, -(GstClockTimeDiff) times[i], times[i]);
    fail_unless (is_measured (harness, 1));
    test_harness_free (harness);
  }
}

/* ---- LATENCY ----------------------------------------------------------------------------------- */

static GstClockTime upstream_min, upstream_max;

static gboolean
answer_latency (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, TRUE, upstream_min, upstream_max);
  return TRUE;
}

static void
check_latency (const gchar * framerate, guint max_in_flight, GstClockTime min,
    GstClockTime max, GstClockTime expected)
{
  gchar *properties = g_strdup_printf ("max-in-flight=%u", max_in_flight);
  gchar *caps = g_strdup_printf ("video/x-raw, format=GRAY8, width=16, "
      "height=8, framerate=%s", framerate);
  GstHarness *harness = test_harness_new (properties);
  GstQuery *query = gst_query_new_latency ();
  GstClockTime its_min, its_max;

  upstream_min = min;
  upstream_max = max;
  gst_harness_set_src_caps_str (harness, caps);
  gst_pad_set_query_function (harness->srcpad, answer_latency);
  fail_unless (gst_pad_peer_query (harness->sinkpad, query));
  gst_query_parse_latency (query, NULL, &its_min, &its_max);
  fail_unless_equals_uint64 (its_min, min);
  fail_unless_equals_uint64 (its_max, expected);
  gst_query_unref (query);
  test_harness_free (harness);
  g_free (properties);
  g_free (caps);
}

/* The maximum grows by the frames in flight, and never becomes smaller. */
TEST (test_latency)
{
  const GstClockTime second = GST_SECOND;

  check_latency ("25/1", 4, second, 2 * second, 2 * second
      + 4 * GRAY_DURATION);
  check_latency ("25/1", 4, second, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  check_latency ("25/1", 4, second, GST_CLOCK_TIME_NONE - 5,
      GST_CLOCK_TIME_NONE);
  check_latency ("1/2147483647", 1, 0, 0, 2147483647 * second);
  check_latency ("1/2147483647", 64, 0, 0, GST_CLOCK_TIME_NONE);
  check_latency ("1/2147483647", 8, 0, 2 * second, 8 * 2147483647ul * second
      + 2 * second);
  check_latency ("1/2147483647", 9, 0, 0, GST_CLOCK_TIME_NONE);
  check_latency ("0/1", 64, 0, second, second);
}

/* ---- ALLOCATION -------------------------------------------------------------------------------- */

static guint downstream_min, downstream_max;

static GstPadProbeReturn
answer_with_pool (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool (query, NULL, 128, downstream_min,
      downstream_max);
  return GST_PAD_PROBE_HANDLED;
}

/* The minimum of a pool never becomes smaller. */
TEST (test_pool_minimum)
{
  static const struct
  {
    guint min, max, expected_min, expected_max;
  } pools[] = {
    {0, 0, 4, 0}, {G_MAXUINT - 4, 0, G_MAXUINT, 0},
    {G_MAXUINT - 3, 0, G_MAXUINT, 0}, {G_MAXUINT, 0, G_MAXUINT, 0},
    {G_MAXUINT, G_MAXUINT, G_MAXUINT, G_MAXUINT}, {7, 8, 11, 0},
  };
  GstHarness *harness = test_gray_harness_new ("max-in-flight=4");
  GstCaps *caps = gst_caps_from_string (GRAY_CAPS);

  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      answer_with_pool, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (pools); i++) {
    GstQuery *query = gst_query_new_allocation (caps, FALSE);
    guint min, max;

    downstream_min = pools[i].min;
    downstream_max = pools[i].max;
    fail_unless (gst_pad_peer_query (harness->srcpad, query));
    gst_query_parse_nth_allocation_pool (query, 0, NULL, NULL, &min, &max);
    fail_unless (min == pools[i].expected_min && max == pools[i].expected_max,
        "minimum %u and maximum %u became %u and %u", pools[i].min,
        pools[i].max, min, max);
    gst_query_unref (query);
  }
  gst_caps_unref (caps);
  test_harness_free (harness);
}

/* Caps that stand for no one format: the query is answered without a pool of the element's own. */
TEST (test_senseless_caps)
{
  static const gchar *const texts[] = {
    NULL, "ANY", "EMPTY", "video/x-raw", "audio/x-raw", "image/png",
    "video/x-raw, format=GRAY8, width=[1, 16], height=8, framerate=25/1",
    GRAY_CAPS "; " GRAY_CAPS ", colorimetry=bt709",
    "video/x-raw(ANY), format=GRAY8, width=16, height=8, framerate=25/1",
  };
  GstHarness *harness = test_gray_harness_new (NULL);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (texts); i++) {
    const gchar *text = texts[i / 2];
    GstCaps *caps = text != NULL ? gst_caps_from_string (text) : NULL;
    GstQuery *query = gst_query_new_allocation (caps, i % 2);

    gst_pad_peer_query (harness->srcpad, query);
    fail_unless (gst_query_get_n_allocation_pools (query) == 0
        || strstr (text, "ANY)") != NULL, "%s", text);
    gst_query_unref (query);
    gst_clear_caps (&caps);
  }
  test_push_frame (harness, 3);
  test_pull_frame (harness, 3);
  test_harness_free (harness);
}

TEST_MAIN (10)
