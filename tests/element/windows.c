/* The property `window`: messages about all buffers of a span of stream time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"
#include "probes.h"

/* ---- Messages ------------------------------------------------------------------------------- */

/* The oldest element message; it must have this name. Waits for it. */
static GstMessage *
wait_for (GstHarness * harness, const gchar * name)
{
  GstMessage *message = test_wait_message (harness, GST_MESSAGE_ELEMENT);

  fail_unless (gst_message_has_name (message, name), "%" GST_PTR_FORMAT,
      message);
  return message;
}

/* Adds the histogram of Y to the sums. */
static void
add_histogram (guint64 sums[256], const GstStructure * result)
{
  const GValue *value =
      gst_structure_get_value (test_component (result, "Y"), "histogram");
  GBytes *bytes = g_value_get_boxed (value);
  const guint8 *data = g_bytes_get_data (bytes, NULL);

  fail_unless_equals_int (g_bytes_get_size (bytes), 256 * sizeof (guint32));
  for (guint i = 0; i < 256; i++)
    sums[i] += GST_READ_UINT32_LE (data + i * sizeof (guint32));
}

/* The next message must be about a window of grey frames @from to @to. */
static void
check_window (GstHarness * harness, guint from, guint to)
{
  GstMessage *message = wait_for (harness, "cudahisto-window");
  const GstStructure *window = gst_message_get_structure (message);
  const guint n = to - from + 1;
  guint64 expected[256] = { 0, }, sums[256] = { 0, };
  const GstStructure *y = test_component (window, "Y");

  for (guint i = from; i <= to; i++)
    expected[i % 256] += GRAY_SIZE;
  add_histogram (sums, window);
  fail_unless (memcmp (sums, expected, sizeof sums) == 0);
  fail_unless_equals_uint64 (test_get_uint64 (y, "count"), n * GRAY_SIZE);
  fail_unless_equals_float (test_get_double (y, "mean"), (from + to) / 2.);
  fail_unless_equals_uint64 (test_get_uint64 (window, "buffers"), n);
  fail_unless_equals_uint64 (test_get_uint64 (window, "timestamp"),
      from * GRAY_DURATION);
  fail_unless_equals_uint64 (test_get_uint64 (window, "stream-time"),
      from * GRAY_DURATION);
  fail_unless_equals_uint64 (test_get_uint64 (window, "running-time"),
      from * GRAY_DURATION);
  fail_unless_equals_uint64 (test_get_uint64 (window, "duration"),
      n * GRAY_DURATION);
  fail_unless_equals_string (gst_structure_get_string (window, "backend"),
      test_backend ());
  gst_message_unref (message);
}

static void
push_and_pull (GstHarness * harness, guint n)
{
  test_push_frame (harness, n);
  gst_buffer_unref (gst_harness_pull (harness));
}

/* ---- Video ---------------------------------------------------------------------------------- */

/* A window is told of when a buffer of a later one comes. The last one is cut at the end of the
 * stream, and told of before that end. */
static void
check_windows (const gchar * properties)
{
  GstHarness *harness = test_gray_harness_new (properties);

  for (guint i = 0; i < 9; i++)
    push_and_pull (harness, i);
  check_window (harness, 0, 2);
  check_window (harness, 3, 4);
  check_window (harness, 5, 7);
  test_check_no_message (harness);
  test_end_stream (harness);
  check_window (harness, 8, 8);
  test_check_no_message (harness);
  test_harness_free (harness);
}

TEST (test_windows)
{
  check_windows ("window=100000000");
  check_windows ("window=100000000 max-in-flight=1");
}

/* Without a meta the publishing thread tells of the windows. */
TEST (test_without_meta)
{
  GstHarness *harness = test_gray_harness_new ("window=100000000 meta=false");

  for (guint i = 0; i < 9; i++)
    push_and_pull (harness, i);
  test_end_stream (harness);
  check_window (harness, 0, 2);
  check_window (harness, 3, 4);
  check_window (harness, 5, 7);
  check_window (harness, 8, 8);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* A window is cut when no result is wanted any more. */
TEST (test_switched_off_alone)
{
  GstHarness *harness = test_gray_harness_new ("window=1000000000 meta=false");

  for (guint i = 0; i < 3; i++)
    push_and_pull (harness, i);
  g_object_set (harness->element, "window", (guint64) 0, NULL);
  push_and_pull (harness, 3);
  check_window (harness, 0, 2);
  for (guint i = 4; i < 9; i++)
    push_and_pull (harness, i);
  test_end_stream (harness);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* The window that ends before a buffer is told of before the buffer's own result. */
static void
check_order (const gchar * properties)
{
  GstHarness *harness = test_gray_harness_new (properties);

  for (guint i = 0; i < 4; i++)
    push_and_pull (harness, i);
  for (guint i = 0; i < 4; i++) {
    if (i == 3)
      check_window (harness, 0, 2);
    gst_message_unref (wait_for (harness, "cudahisto"));
  }
  test_check_no_message (harness);
  test_harness_free (harness);
}

TEST (test_order)
{
  check_order ("window=100000000 post-messages=true");
  check_order ("window=100000000 post-messages=true meta=false");
}

/* Random frames: the window has the sum of the single histograms. */
TEST (test_sum_of_results)
{
  GstHarness *harness = test_gray_harness_new ("window=1000000000");
  guint64 expected[256] = { 0, }, sums[256] = { 0, };
  GRand *random = test_random ();
  GstMessage *message;

  for (guint i = 0; i < 25; i++) {
    GstBuffer *buffer = test_random_buffer (GRAY_SIZE, random);

    GST_BUFFER_PTS (buffer) = i * GRAY_DURATION;
    GST_BUFFER_DURATION (buffer) = GRAY_DURATION;
    buffer = gst_harness_push_and_pull (harness, buffer);
    add_histogram (expected, test_result (buffer));
    gst_buffer_unref (buffer);
  }
  test_check_no_message (harness);
  push_and_pull (harness, 25);
  message = wait_for (harness, "cudahisto-window");
  add_histogram (sums, gst_message_get_structure (message));
  fail_unless (memcmp (sums, expected, sizeof sums) == 0);
  gst_message_unref (message);
  g_rand_free (random);
  test_harness_free (harness);
}

/* `histogram` is also for windows. */
TEST (test_without_histogram)
{
  GstHarness *harness =
      test_gray_harness_new ("window=100000000 histogram=false");
  GstMessage *message;

  push_and_pull (harness, 0);
  test_end_stream (harness);
  message = wait_for (harness, "cudahisto-window");
  fail_if (gst_structure_has_field (test_component (gst_message_get_structure
              (message), "Y"), "histogram"));
  gst_message_unref (message);
  test_harness_free (harness);
}

/* ---- Breaks --------------------------------------------------------------------------------- */

/* A flush drops the open window, even if the end of the stream follows at once. */
TEST (test_after_flush)
{
  GstHarness *harness = test_gray_harness_new ("window=100000000");

  push_and_pull (harness, 0);
  test_flush (harness);
  test_push_segment (harness);
  push_and_pull (harness, 1);
  push_and_pull (harness, 3);
  check_window (harness, 1, 1);
  test_flush (harness);
  test_push_segment (harness);
  test_end_stream (harness);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* A stop drops the open window. */
TEST (test_stop)
{
  GstHarness *harness = test_gray_harness_new ("window=100000000");

  push_and_pull (harness, 0);
  test_set_state (harness->element, GST_STATE_READY);
  test_set_state (harness->element, GST_STATE_PLAYING);
  test_restart_stream (harness, GRAY_CAPS);
  test_push_segment (harness);
  push_and_pull (harness, 1);
  test_end_stream (harness);
  check_window (harness, 1, 1);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* Other caps, another length and the end of windows finish the open window. */
TEST (test_changes)
{
  GstHarness *harness = test_gray_harness_new ("window=1000000000");

  push_and_pull (harness, 0);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS ", pixel-aspect-ratio=4/3");
  push_and_pull (harness, 1);
  check_window (harness, 0, 0);
  g_object_set (harness->element, "window", 2 * GST_SECOND, NULL);
  push_and_pull (harness, 2);
  check_window (harness, 1, 1);
  g_object_set (harness->element, "window", G_GUINT64_CONSTANT (0), NULL);
  push_and_pull (harness, 3);
  check_window (harness, 2, 2);
  push_and_pull (harness, 4);
  test_end_stream (harness);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* ---- Handlers ------------------------------------------------------------------------------- */

typedef struct
{
  GstHarness *harness;
  gint may_flush, has_flushed;  /* atomic */
} Flush;

/* Flushes the element when the first window is told of, but not while the event before is still
 * being sent: GStreamer would note that one after the flush. */
static GstBusSyncReply
flush_once (GstBus * bus, GstMessage * message, gpointer data)
{
  Flush *flush = data;

  if (gst_message_has_name (message, "cudahisto-window")
      && !g_atomic_int_get (&flush->has_flushed)) {
    test_wait_until_set (&flush->may_flush);
    test_flush (flush->harness);
    g_atomic_int_set (&flush->has_flushed, TRUE);
  }
  return GST_BUS_PASS;
}

/* A flush in the handler of the last window: the end of the stream is from before the flush, and
 * does not go on. */
TEST (test_flush_in_handler)
{
  GstHarness *harness = test_gray_harness_new ("window=100000000");
  Flush flush = { harness, FALSE, FALSE };
  GstPad *pad = test_source_pad (harness);
  GstBus *bus = gst_element_get_bus (harness->element);
  PadLog log;

  push_and_pull (harness, 0);
  gst_bus_set_sync_handler (bus, flush_once, &flush, NULL);
  pad_log_open (&log, pad);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  g_atomic_int_set (&flush.may_flush, TRUE);
  test_wait_until_set (&flush.has_flushed);
  test_push_segment (harness);
  test_push_frame (harness, 7);
  pad_log_wait (&log, "7 ");
  fail_unless (strstr (log.text->str, "eos") == NULL, "%s", log.text->str);
  pad_log_close (&log);
  check_window (harness, 0, 0);
  test_end_stream (harness);
  check_window (harness, 7, 7);
  test_check_no_message (harness);
  gst_object_unref (bus);
  gst_object_unref (pad);
  test_harness_free (harness);
}

/* ---- Audio ---------------------------------------------------------------------------------- */

/* One channel of 16 bits, in buffers of 10 ms: the window has the extremes and the sum of all. */
TEST (test_audio)
{
  GstHarness *harness = test_harness_new ("window=50000000");
  gdouble min = G_MAXINT16, max = G_MININT16, sum = 0;
  GRand *random = test_random ();
  const GstStructure *window, *channel;
  GstMessage *message;

  gst_harness_set_src_caps_str (harness, "audio/x-raw, format=S16LE, "
      "layout=interleaved, rate=48000, channels=1");
  for (guint i = 0; i < 6; i++) {
    GstBuffer *buffer = test_random_buffer (480 * 2, random);

    GST_BUFFER_PTS (buffer) = i * 10 * GST_MSECOND;
    GST_BUFFER_DURATION (buffer) = 10 * GST_MSECOND;
    buffer = gst_harness_push_and_pull (harness, buffer);
    channel = test_component (test_result (buffer), "ch0");
    if (i < 5) {
      min = MIN (min, test_get_double (channel, "min"));
      max = MAX (max, test_get_double (channel, "max"));
      sum += test_get_double (channel, "sum");
    }
    gst_buffer_unref (buffer);
  }
  message = wait_for (harness, "cudahisto-window");
  window = gst_message_get_structure (message);
  channel = test_component (window, "ch0");
  fail_unless_equals_uint64 (test_get_uint64 (channel, "count"), 5 * 480);
  fail_unless_equals_uint64 (test_get_uint64 (window, "samples"), 5 * 480);
  fail_unless_equals_uint64 (test_get_uint64 (window, "buffers"), 5);
  fail_unless_equals_uint64 (test_get_uint64 (window, "duration"),
      50 * GST_MSECOND);
  fail_unless_equals_float (test_get_double (channel, "min"), min);
  fail_unless_equals_float (test_get_double (channel, "max"), max);
  fail_unless_equals_float (test_get_double (channel, "sum"), sum);
  gst_message_unref (message);
  g_rand_free (random);
  test_harness_free (harness);
}

/* The next message must be about a window of one buffer with these edges. */
static void
check_edges (GstHarness * harness, gdouble middle, guint32 below)
{
  GstMessage *message = wait_for (harness, "cudahisto-window");
  const GstStructure *window = gst_message_get_structure (message), *channel = test_component (window, "ch0");
  g_autoptr (GBytes) edges = NULL, histogram = NULL;
  guint schema = 0;

  fail_unless (gst_structure_get (channel, "edges", G_TYPE_BYTES, &edges, "histogram", G_TYPE_BYTES, &histogram, NULL));
  fail_unless (gst_structure_get_uint (window, "schema", &schema));
  fail_unless_equals_int (schema, 2);
  fail_unless_equals_uint64 (test_get_uint64 (window, "buffers"), 1);
  fail_unless_equals_float (GST_READ_DOUBLE_LE ((const guint8 *) g_bytes_get_data (edges, NULL) + 8), middle);
  fail_unless_equals_int (GST_READ_UINT32_LE (g_bytes_get_data (histogram, NULL)), below);
  gst_message_unref (message);
}

/* Other edges, of the same number and with the same ends, finish the open window. The same ones as another text do not. */
TEST (test_edges)
{
  static const gchar *const all[] = { "0,10,256", "0,100,256", "0,100,256", "0, 100,256" };
  GstHarness *harness = test_harness_new ("window=1000000000");

  gst_harness_set_src_caps_str (harness, "audio/x-raw, format=U8, layout=interleaved, rate=1000, channels=1");
  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    GstBuffer *buffer = test_buffer_new (20, 50, i * 20 * GST_MSECOND);

    g_object_set (harness->element, "bin-edges", all[i], NULL);
    GST_BUFFER_DURATION (buffer) = 20 * GST_MSECOND;
    gst_buffer_unref (gst_harness_push_and_pull (harness, buffer));
    if (i == 1)
      check_edges (harness, 10, 0);
    else
      test_check_no_message (harness);
  }
  test_harness_free (harness);
}

TEST_MAIN (20)
