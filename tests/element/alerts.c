/* The property `alerts`: messages about conditions that begin and end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"
#include "pipeline.h"

/* ---- Messages ------------------------------------------------------------------------------- */

/* The value of a guint64 that may be GST_CLOCK_TIME_NONE, in ms; -1: unknown */
static gint64
ms_of (const GstStructure * structure, const gchar * field)
{
  const guint64 time = test_get_uint64 (structure, field);

  return GST_CLOCK_TIME_IS_VALID (time) ? (gint64) (time / GST_MSECOND) : -1;
}

/* The next element message must be this alert. Waits for it. Times in ms; < 0: unknown
 * @time: of the message */
static void
check_alert (GstHarness * harness, const gchar * type, const gchar * state,
    gint64 start, gint64 end, gint64 time)
{
  GstMessage *message = test_wait_message (harness, GST_MESSAGE_ELEMENT);
  const GstStructure *alert = gst_message_get_structure (message);

  fail_unless (gst_structure_has_name (alert, "cudahisto-alert"),
      "%" GST_PTR_FORMAT, alert);
  fail_unless_equals_string (gst_structure_get_string (alert, "type"), type);
  fail_unless_equals_string (gst_structure_get_string (alert, "state"), state);
  fail_unless_equals_int64 (ms_of (alert, "start"), start);
  fail_unless_equals_int64 (ms_of (alert, "end"), end);
  fail_unless_equals_int64 (ms_of (alert, "duration"),
      end < 0 ? -1 : end - start);
  fail_unless_equals_int64 (ms_of (alert, "stream-time"), time);
  fail_unless_equals_int64 (ms_of (alert, "timestamp"), time);
  fail_unless_equals_int64 (ms_of (alert, "running-time"), time);
  gst_message_unref (message);
}

static void
check_result (GstHarness * harness, gint64 time)
{
  GstMessage *message = test_wait_message (harness, GST_MESSAGE_ELEMENT);

  fail_unless (gst_message_has_name (message, "cudahisto"), "%" GST_PTR_FORMAT,
      message);
  fail_unless_equals_int64 (ms_of (gst_message_get_structure (message),
          "timestamp"), time);
  gst_message_unref (message);
}

/* ---- Times that are not known at first ------------------------------------------------------ */

/* 50 black frames, the first of them without a PTS. */
TEST (test_first_frame_without_time)
{
  GstHarness *harness = test_gray_harness_new ("alerts=black meta=false");

  for (guint n = 0; n < 53; n++) {
    GstBuffer *buffer = test_buffer_new (GRAY_SIZE, 0,
        n == 0 ? GST_CLOCK_TIME_NONE : n * GRAY_DURATION);

    gst_buffer_unref (gst_harness_push_and_pull (harness, buffer));
  }
  check_alert (harness, "black", "begin", 40, -1, 50 * 40);
  test_end_stream (harness);
  check_alert (harness, "black", "end", 40, 53 * 40, 52 * 40);
  test_harness_free (harness);
}

/* ---- Black ---------------------------------------------------------------------------------- */

#define BLACK "alerts=black black-duration=100000000"

/* Frame n of one value. */
static void
push_value (GstHarness * harness, guint n, guint8 value)
{
  GstBuffer *buffer = test_buffer_new (GRAY_SIZE, value, n * GRAY_DURATION);

  gst_buffer_unref (gst_harness_push_and_pull (harness, buffer));
}

static void
push_values (GstHarness * harness, guint from, guint to, guint8 value)
{
  for (guint n = from; n <= to; n++)
    push_value (harness, n, value);
}

/* Three black frames last 120 ms, which is enough; two do not. */
static void
check_black (const gchar * properties)
{
  GstHarness *harness = test_gray_harness_new (properties);

  push_values (harness, 0, 4, 200);
  push_values (harness, 5, 6, 0);
  push_values (harness, 7, 7, 200);
  push_values (harness, 8, 11, 0);
  push_values (harness, 12, 14, 200);
  test_end_stream (harness);
  check_alert (harness, "black", "begin", 320, -1, 400);
  check_alert (harness, "black", "end", 320, 480, 480);
  test_check_no_message (harness);
  test_harness_free (harness);
}

TEST (test_black)
{
  check_black (BLACK);
  check_black (BLACK " max-in-flight=1");
  check_black (BLACK " meta=false");
}

/* Alerts come before the result of their buffer. */
static void
check_order (const gchar * properties)
{
  GstHarness *harness = test_gray_harness_new (properties);

  push_values (harness, 0, 2, 0);
  push_value (harness, 3, 200);
  check_result (harness, 0);
  check_result (harness, 40);
  check_alert (harness, "black", "begin", 0, -1, 80);
  check_result (harness, 80);
  check_alert (harness, "black", "end", 0, 120, 120);
  check_result (harness, 120);
  test_check_no_message (harness);
  test_harness_free (harness);
}

TEST (test_order)
{
  check_order (BLACK " post-messages=true");
  check_order (BLACK " post-messages=true meta=false");
}

/* An open alert ends at the end of the stream, before that leaves the element. */
TEST (test_end_of_stream)
{
  GstHarness *harness = test_gray_harness_new (BLACK);

  push_values (harness, 0, 4, 0);
  check_alert (harness, "black", "begin", 0, -1, 80);
  test_check_no_message (harness);
  test_end_stream (harness);
  check_alert (harness, "black", "end", 0, 200, 160);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* A flush ends an open alert; the message comes with the next buffer, or at the end of the
 * stream. */
TEST (test_after_flush)
{
  GstHarness *harness = test_gray_harness_new (BLACK);

  push_values (harness, 0, 2, 0);
  check_alert (harness, "black", "begin", 0, -1, 80);
  test_flush (harness);
  test_push_segment (harness);
  test_check_no_message (harness);
  push_values (harness, 10, 11, 0);
  check_alert (harness, "black", "end", 0, 120, 80);
  test_check_no_message (harness);
  push_value (harness, 12, 0);
  check_alert (harness, "black", "begin", 400, -1, 480);
  test_flush (harness);
  test_push_segment (harness);
  test_end_stream (harness);
  check_alert (harness, "black", "end", 400, 520, 480);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* A buffer with a DISCONT flag ends an open alert. */
TEST (test_discontinuity)
{
  GstHarness *harness = test_gray_harness_new (BLACK);
  GstBuffer *buffer;

  push_values (harness, 0, 3, 0);
  check_alert (harness, "black", "begin", 0, -1, 80);
  buffer = test_buffer_new (GRAY_SIZE, 0, 100 * GRAY_DURATION);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_buffer_unref (gst_harness_push_and_pull (harness, buffer));
  check_alert (harness, "black", "end", 0, 160, 120);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* A stop drops open alerts. */
TEST (test_stop)
{
  GstHarness *harness = test_gray_harness_new (BLACK);

  push_values (harness, 0, 2, 0);
  check_alert (harness, "black", "begin", 0, -1, 80);
  test_set_state (harness->element, GST_STATE_READY);
  test_set_state (harness->element, GST_STATE_PLAYING);
  test_restart_stream (harness, GRAY_CAPS);
  test_push_segment (harness);
  push_value (harness, 0, 200);
  test_end_stream (harness);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* An alert that is switched off ends with the buffer before the change. */
TEST (test_switched_off)
{
  GstHarness *harness = test_gray_harness_new (BLACK);

  push_values (harness, 0, 3, 0);
  check_alert (harness, "black", "begin", 0, -1, 80);
  gst_util_set_object_arg (G_OBJECT (harness->element), "alerts", "");
  push_values (harness, 4, 5, 0);
  check_alert (harness, "black", "end", 0, 160, 160);
  gst_util_set_object_arg (G_OBJECT (harness->element), "alerts", "black");
  push_values (harness, 6, 8, 0);
  check_alert (harness, "black", "begin", 240, -1, 320);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* The same if no result is wanted then. The end is posted before the first buffer without a result. */
TEST (test_switched_off_alone)
{
  GstHarness *harness = test_gray_harness_new (BLACK " meta=false");

  push_values (harness, 0, 3, 0);
  check_alert (harness, "black", "begin", 0, -1, 80);
  gst_util_set_object_arg (G_OBJECT (harness->element), "alerts", "");
  push_values (harness, 4, 4, 0);
  check_alert (harness, "black", "end", 0, 160, 120);
  push_values (harness, 5, 50, 0);
  test_check_no_message (harness);
  gst_util_set_object_arg (G_OBJECT (harness->element), "alerts", "black");
  push_values (harness, 51, 53, 0);
  check_alert (harness, "black", "begin", 51 * 40, -1, 53 * 40);
  gst_util_set_object_arg (G_OBJECT (harness->element), "alerts", "");
  test_end_stream (harness);
  check_alert (harness, "black", "end", 51 * 40, 54 * 40, 53 * 40);
  test_check_no_message (harness);
  test_harness_free (harness);
}

#define FREEZE "measures=motion alerts=freeze freeze-duration=100000000"

/* A freeze begins with the picture before its first equal one, also if no alert was checked then. */
TEST (test_freeze_switched_on)
{
  GstHarness *harness = test_gray_harness_new (FREEZE);

  push_values (harness, 0, 1, 0);
  gst_util_set_object_arg (G_OBJECT (harness->element), "alerts", "");
  for (guint n = 2; n < 20; n++)
    push_value (harness, n, 10 * n);
  gst_util_set_object_arg (G_OBJECT (harness->element), "alerts", "freeze");
  push_values (harness, 20, 21, 190);
  check_alert (harness, "freeze", "begin", 19 * 40, -1, 21 * 40);
  test_end_stream (harness);
  check_alert (harness, "freeze", "end", 19 * 40, 22 * 40, 21 * 40);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* A frame that has no previous one because the engine was configured again ends no freeze. */
TEST (test_freeze_goes_on)
{
  GstHarness *harness = test_gray_harness_new (FREEZE " roi-meta=true");

  push_values (harness, 0, 3, 7);
  check_alert (harness, "freeze", "begin", 0, -1, 80);
  for (guint n = 4; n < 8; n++) {
    GstBuffer *buffer = test_buffer_new (GRAY_SIZE, 7, n * GRAY_DURATION);

    for (guint k = 0; k < n; k++)
      gst_buffer_add_video_region_of_interest_meta (buffer, "a", k, 0, 2, 2);
    gst_buffer_unref (gst_harness_push_and_pull (harness, buffer));
  }
  g_object_set (harness->element, "bins", 10, NULL);
  push_values (harness, 8, 9, 7);
  test_check_no_message (harness);
  push_value (harness, 10, 8);
  test_end_stream (harness);
  check_alert (harness, "freeze", "end", 0, 400, 400);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* ---- Rules ---------------------------------------------------------------------------------- */

#define DARK "rules=\"dark: Y.mean < 100 for 100 ms\""

/* The next element message must be about this rule; as check_alert(). @place: (nullable): the field of the place, and
 * its value */
static void
check_rule (GstHarness * harness, const gchar * rule, const gchar * field, const gchar * place, const gchar * state,
    gint64 start, gint64 end, gdouble value, gdouble threshold, gint64 value_time)
{
  GstMessage *message = test_wait_message (harness, GST_MESSAGE_ELEMENT);
  const GstStructure *alert = gst_message_get_structure (message);
  gdouble number;

  fail_unless (gst_structure_has_name (alert, "cudahisto-alert"), "%" GST_PTR_FORMAT, alert);
  fail_unless_equals_string (gst_structure_get_string (alert, "type"), "rule");
  fail_unless_equals_string (gst_structure_get_string (alert, "rule"), rule);
  fail_unless_equals_string (gst_structure_get_string (alert, "state"), state);
  fail_unless_equals_string (gst_structure_get_string (alert, field), place);
  fail_unless_equals_int64 (ms_of (alert, "start"), start);
  fail_unless_equals_int64 (ms_of (alert, "end"), end);
  fail_unless_equals_int64 (ms_of (alert, "duration"), end < 0 ? -1 : end - start);
  fail_unless_equals_int64 (ms_of (alert, "value-time"), value_time);
  fail_unless (gst_structure_get_double (alert, "value", &number) && number == value, "value %g", number);
  fail_unless (gst_structure_get_double (alert, "threshold", &number) && number == threshold);
  gst_message_unref (message);
}

/* As test_black: three bright frames are enough, two are not. */
static void
check_dark (const gchar * properties)
{
  GstHarness *harness = test_gray_harness_new (properties);

  push_values (harness, 0, 4, 20);
  push_values (harness, 5, 6, 200);
  push_values (harness, 7, 7, 20);
  push_values (harness, 8, 9, 200);
  push_values (harness, 10, 10, 210);
  push_values (harness, 11, 11, 205);
  push_values (harness, 12, 14, 20);
  test_end_stream (harness);
  check_rule (harness, "dark", "component", "Y", "begin", 320, -1, 210, 100, 400);
  check_rule (harness, "dark", "component", "Y", "end", 320, 480, 210, 100, 400);
  test_check_no_message (harness);
  test_harness_free (harness);
}

TEST (test_rules)
{
  check_dark (DARK);
  check_dark (DARK " max-in-flight=1");
  check_dark (DARK " meta=false");
}

/* Rules end as the other alerts do: at the end of the stream, at a flush and at a discontinuity. */
TEST (test_ends_of_rules)
{
  GstHarness *harness = test_gray_harness_new (DARK);
  GstBuffer *buffer;

  push_values (harness, 0, 3, 200);
  check_rule (harness, "dark", "component", "Y", "begin", 0, -1, 200, 100, 0);
  test_flush (harness);
  test_push_segment (harness);
  test_check_no_message (harness);
  push_values (harness, 10, 12, 150);
  check_rule (harness, "dark", "component", "Y", "end", 0, 160, 200, 100, 0);
  check_rule (harness, "dark", "component", "Y", "begin", 400, -1, 150, 100, 400);
  buffer = test_buffer_new (GRAY_SIZE, 250, 13 * GRAY_DURATION);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_buffer_unref (gst_harness_push_and_pull (harness, buffer));
  check_rule (harness, "dark", "component", "Y", "end", 400, 520, 150, 100, 400);
  push_values (harness, 14, 15, 250);
  check_rule (harness, "dark", "component", "Y", "begin", 520, -1, 250, 100, 520);
  test_end_stream (harness);
  check_rule (harness, "dark", "component", "Y", "end", 520, 640, 250, 100, 520);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* Other rules end the alerts of the earlier ones, and begin anew. */
static void
check_other_rules (const gchar * properties)
{
  GstHarness *harness = test_gray_harness_new (properties);

  push_values (harness, 0, 3, 200);
  check_rule (harness, "dark", "component", "Y", "begin", 0, -1, 200, 100, 0);
  g_object_set (harness->element, "rules", "r: regions.*.Y.max <= 7; l: regions.l.Y.min > 0", NULL);
  push_values (harness, 4, 4, 200);
  check_rule (harness, "dark", "component", "Y", "end", 0, 160, 200, 100, 0);
  check_rule (harness, "r", "region", "l", "begin", 160, -1, 200, 7, 160);
  check_rule (harness, "r", "region", "r", "begin", 160, -1, 200, 7, 160);
  /* Other regions are other places. */
  g_object_set (harness->element, "regions", "q=0,0,1,1", NULL);
  push_values (harness, 5, 5, 200);
  check_rule (harness, "r", "region", "l", "end", 160, 200, 200, 7, 160);
  check_rule (harness, "r", "region", "r", "end", 160, 200, 200, 7, 160);
  check_rule (harness, "r", "region", "q", "begin", 200, -1, 200, 7, 200);
  g_object_set (harness->element, "rules", NULL, NULL);
  push_values (harness, 6, 7, 200);
  check_rule (harness, "r", "region", "q", "end", 200, 240, 200, 7, 200);
  test_end_stream (harness);
  test_check_no_message (harness);
  test_harness_free (harness);
}

TEST (test_other_rules)
{
  check_other_rules (DARK " regions=\"l=0,0,4,4; r=4,4,4,4\"");
  check_other_rules (DARK " regions=\"l=0,0,4,4; r=4,4,4,4\" meta=false");
}

/* The groups that rules need are measured, and not any more without them. */
TEST (test_groups_of_rules)
{
  GstHarness *harness = test_gray_harness_new ("rules=\"still: motion.repeat = 0; noise: signal.tout < 2\"");

  push_values (harness, 0, 0, 7);
  test_check_no_message (harness);
  push_values (harness, 1, 1, 7);
  check_rule (harness, "still", "component", NULL, "begin", 40, -1, 1, 0, 40);
  for (guint n = 2; n < 5; n++) {
    GstBuffer *buffer;
    const GstStructure *result;

    if (n == 4)
      g_object_set (harness->element, "rules", "", NULL);
    buffer = gst_harness_push_and_pull (harness, test_buffer_new (GRAY_SIZE, n, n * GRAY_DURATION));
    result = gst_custom_meta_get_structure (gst_buffer_get_custom_meta (buffer, "cudahisto"));
    fail_unless_equals_int (gst_structure_has_field (result, "motion"), n < 4);
    fail_unless_equals_int (gst_structure_has_field (result, "signal"), n < 4);
    gst_buffer_unref (buffer);
  }
  check_rule (harness, "still", "component", NULL, "end", 40, 80, 1, 0, 40);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* Counts the alerts of a kind that a pipeline posts until the end of its stream. @source: a source
 * and its caps */
static guint
count_alerts (const gchar * source, const gchar * properties,
    const gchar * type)
{
  GstElement *pipeline = test_pipeline_new ("%s ! cudahisto backend=%s %s ! fakesink",
      source, test_backend (), properties);
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean is_eos = FALSE;
  guint n = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!is_eos) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

    fail_unless (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR);
    is_eos = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (gst_message_has_name (message, "cudahisto-alert"))
      n += g_strcmp0 (gst_structure_get_string (gst_message_get_structure
              (message), "type"), type) == 0;
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  test_pipeline_free (pipeline);
  return n;
}

/* All alerts together, and then this one alone on buffers without results. */
static void
check_number (const gchar * source, const gchar * type, guint n)
{
  gchar *all = g_strdup_printf ("alerts=black+freeze+scene+range+silence+clipping%s",
      g_str_equal (type, "loudness") ? "+loudness" : "");
  gchar *alone = g_strdup_printf ("alerts=%s meta=false", type);

  fail_unless_equals_int (count_alerts (source, all, type), n);
  fail_unless_equals_int (count_alerts (source, alone, type), n);
  g_free (alone);
  g_free (all);
}

/* Real pipelines with the default thresholds: 4 s of black or of silence, of a picture and of a
 * tone. The alerts of the other medium are ignored. */
TEST (test_pipelines)
{
#define VIDEO(pattern, format) "videotestsrc num-buffers=40 pattern=" pattern \
    " ! video/x-raw, format=" format ", width=64, height=48, framerate=10/1"
#define AUDIO(wave, format) "audiotestsrc num-buffers=40 samplesperbuffer=4800 " \
    "wave=" wave " ! audio/x-raw, format=" format ", rate=48000, channels=2"
  static const struct
  {
    const gchar *source, *type;
    gint n;
  } cases[] = {
    {VIDEO ("black", "NV12"), "black", 2},
    {VIDEO ("black", "RGB"), "black", 2},
    {VIDEO ("black", "P010_10LE"), "black", 2},
    {VIDEO ("smpte", "NV12"), "black", 0},
    {VIDEO ("black", "NV12"), "freeze", 2},
    {VIDEO ("smpte75", "NV12"), "range", 0},
    {VIDEO ("smpte", "NV12"), "range", 2},
    {VIDEO ("snow", "NV12"), "freeze", 0},
    {VIDEO ("snow", "NV12"), "scene", 2},
    {VIDEO ("blink", "NV12"), "black", 0},
    {AUDIO ("silence", "S16LE"), "silence", 2},
    {AUDIO ("silence", "F32LE"), "silence", 2},
    {AUDIO ("sine", "S16LE"), "silence", 0},
    {AUDIO ("sine", "S16LE"), "clipping", 0},
    /* Of each of the two channels. */
    {AUDIO ("square volume=1", "S16LE"), "clipping", 4},
    {AUDIO ("sine volume=0.5", "F32LE"), "loudness", 2},
    {AUDIO ("silence", "S16LE"), "loudness", 2},
    {AUDIO ("sine volume=0.07", "S16LE"), "loudness", 0},
  };
  /* Rules for both media in one text: those of the other medium are skipped. */
  static const gchar rules[] = "meta=false rules=\"sat: signal.saturation.max <= 20; bars: flash.zones.*.state = \\\"pass\\\"; "
      "loud: ch*.rms <= -20 dB; pair: pairs.*.correlation < 0.5; red: color.R.max < 100\"";

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    if (test_has_loudness () || !g_str_equal (cases[i].type, "loudness"))
      check_number (cases[i].source, cases[i].type, cases[i].n);
  fail_unless_equals_int (count_alerts (VIDEO ("smpte", "NV12"), rules, "rule"), 4);
  fail_unless_equals_int (count_alerts (VIDEO ("smpte", "RGB"), rules, "rule"), 2);
  fail_unless_equals_int (count_alerts (VIDEO ("black", "P010_10LE"), rules, "rule"), 0);
  fail_unless_equals_int (count_alerts (AUDIO ("sine", "F32LE"), rules, "rule"), 6);
  fail_unless_equals_int (count_alerts (AUDIO ("silence", "S16LE"), rules, "rule"), 0);
}

/* ---- The field `alerts` of results ---------------------------------------------------------- */

/* Pushes frame n of one value. Returns: the field of its result as text; NULL: none */
static gchar *
push_and_read_alerts (GstHarness * harness, guint n, guint8 value)
{
  GstBuffer *buffer = gst_harness_push_and_pull (harness,
      test_buffer_new (GRAY_SIZE, value, n * GRAY_DURATION));
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "cudahisto");
  const GValue *alerts =
      gst_structure_get_value (gst_custom_meta_get_structure (meta), "alerts");
  GString *text = NULL;

  for (guint i = 0; alerts != NULL && i < gst_value_array_get_size (alerts);
      i++) {
    const GstStructure *alert =
        gst_value_get_structure (gst_value_array_get_value (alerts, i));
    gdouble number = 0;

    fail_unless (gst_structure_has_name (alert, "cudahisto-alert"));
    fail_unless (gst_structure_get_double (alert, "value", &number));
    if (text == NULL)
      text = g_string_new (NULL);
    g_string_append_printf (text, "%s %s %s %d %d;",
        gst_structure_get_string (alert, "type"),
        gst_structure_get_string (alert, "state"),
        gst_structure_has_field (alert, "region") ?
        gst_structure_get_string (alert, "region") : "-",
        (gint) ms_of (alert, "start"), (gint) number);
  }
  gst_buffer_unref (buffer);
  return text != NULL ? g_string_free (text, FALSE) : NULL;
}

static void
check_field (GstHarness * harness, guint n, guint8 value,
    const gchar * expected)
{
  gchar *text = push_and_read_alerts (harness, n, value);

  fail_unless_equals_string (text, expected);
  g_free (text);
}

/* Buffers have the alerts that are open after them. A flush and a change of the setting end
 * them. */
TEST (test_field)
{
  GstHarness *harness = test_gray_harness_new (BLACK " regions=\"r=0,0,4,4\"");

  check_field (harness, 0, 0, NULL);
  check_field (harness, 1, 0, NULL);
  check_field (harness, 2, 0, "black begin - 0 1;black begin r 0 1;");
  check_field (harness, 3, 0, "black begin - 0 1;black begin r 0 1;");
  check_field (harness, 4, 200, NULL);
  check_field (harness, 5, 0, NULL);
  check_field (harness, 6, 0, NULL);
  check_field (harness, 7, 0, "black begin - 200 1;black begin r 200 1;");
  test_flush (harness);
  test_push_segment (harness);
  check_field (harness, 8, 0, NULL);
  check_field (harness, 9, 0, NULL);
  check_field (harness, 10, 0, "black begin - 320 1;black begin r 320 1;");
  gst_util_set_object_arg (G_OBJECT (harness->element), "alerts", "");
  check_field (harness, 11, 0, NULL);
  check_field (harness, 12, 0, NULL);
  test_harness_free (harness);
}

/* Rules are in the field, too. */
TEST (test_field_of_rules)
{
  GstHarness *harness = test_gray_harness_new ("alerts=black black-duration=0 "
      "rules=\"a: Y.mean > 3; b: regions.*.Y.mean > 2 for 80 ms\" regions=\"r=0,0,4,4\"");

  check_field (harness, 0, 200, NULL);
  check_field (harness, 1, 1, "black begin - 40 1;black begin r 40 1;rule begin - 40 1;");
  check_field (harness, 2, 0, "black begin - 40 1;black begin r 40 1;rule begin - 40 0;rule begin r 40 0;");
  check_field (harness, 3, 200, NULL);
  test_harness_free (harness);
}

/* An alert that begins and ends with a buffer is that buffer's. */
TEST (test_field_of_scene)
{
  GstHarness *harness = test_gray_harness_new ("alerts=scene");

  check_field (harness, 0, 0, NULL);
  check_field (harness, 1, 0, NULL);
  check_field (harness, 2, 128, "scene begin - 80 50;");
  check_field (harness, 3, 128, NULL);
  test_harness_free (harness);
}

/* If alerts are switched off then, the next buffers do not have it. */
TEST (test_field_switched_off)
{
  GstHarness *harness = test_gray_harness_new ("alerts=scene");

  check_field (harness, 0, 0, NULL);
  check_field (harness, 1, 128, "scene begin - 40 50;");
  gst_util_set_object_arg (G_OBJECT (harness->element), "alerts", "");
  check_field (harness, 2, 128, NULL);
  check_field (harness, 3, 128, NULL);
  test_harness_free (harness);
}

/* A message has the field, too. */
TEST (test_field_of_message)
{
  GstHarness *harness =
      test_gray_harness_new ("alerts=scene post-messages=true meta=false");
  GstMessage *message;
  gint n = 0;

  push_values (harness, 0, 1, 0);
  push_values (harness, 2, 3, 128);
  test_end_stream (harness);
  while ((message = test_pop_message (harness, GST_MESSAGE_ELEMENT)) != NULL) {
    const GstStructure *structure = gst_message_get_structure (message);

    if (gst_structure_has_field (structure, "alerts")) {
      fail_unless_equals_int (ms_of (structure, "timestamp"), 80);
      n++;
    }
    gst_message_unref (message);
  }
  fail_unless_equals_int (n, 1);
  test_harness_free (harness);
}

TEST_MAIN (20)
