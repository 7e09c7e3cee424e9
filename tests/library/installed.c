/* A program outside this project that uses the installed library: measures pictures and sound,
 * reads the metas, windows and alerts, and follows rules. tests/library/installed.sh compiles it.
 *
 *   installed [FILE]
 *
 * With FILE, a film, it follows a rule by the metas of its pictures, and compares their times with those of the messages.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cudahisto/cudahisto.h>

#define check(condition) \
  do { \
    if (!(condition)) { \
      g_printerr ("line %d: %s\n", __LINE__, #condition); \
      exit (1); \
    } \
  } while (0)

typedef struct
{
  guint n_frames, n_windows, n_alerts;
  HistoRuleStates *states;
  GArray *events;
  GArray *times;                /* of HistoTimes: of the frames of a film */
} Seen;

/* Every sample is counted in the histogram of its component. */
static void
check_histogram (const HistoComponentResult *component)
{
  guint64 *counts = g_new0 (guint64, component->figures.bins), sum = 0;

  check (histo_component_add_counts (component, counts));
  for (guint i = 0; i < component->figures.bins; i++)
    sum += counts[i];
  check (sum == component->figures.count);
  g_free (counts);
}

/* @pad: at which the buffer is */
static void
find_times (GstPad *pad, GstBuffer *buffer, HistoTimes *times)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  histo_times_from_buffer (times, buffer, segment);
  gst_event_unref (event);
}

static GstPadProbeReturn
read_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, HISTO_RESULT_NAME);
  HistoResult result = { 0 };
  GError *error = NULL;
  const HistoComponentResult *y;
  HistoTimes times;
  Seen *seen = (Seen *) data;

  check (meta != NULL);
  check (histo_read_result (gst_custom_meta_get_structure (meta), &result,
          &error));
  check (!result.is_audio && result.width == 64 && result.height == 48);
  check (g_str_equal (result.format, "I420"));
  check (histo_result_has_group (&result, HISTO_GROUP_SIGNAL));
  y = histo_result_find_component (&result, 0, HISTO_GROUP_BASIC, "Y");
  check (y != NULL && y->figures.count == 64 * 48 && y->figures.mean == 16);
  check (histo_result_find_component (&result, 0, HISTO_GROUP_SIGNAL,
          "saturation") != NULL);
  check (histo_result_find_component (&result, 0, HISTO_GROUP_BASIC,
          "R") == NULL);
  check (result.regions[0].figures.SIGNAL_brng == 0);
  check_histogram (y);
  find_times (pad, buffer, &times);
  histo_rule_states_pass (seen->states, &result, times.stream_time,
      times.stream_time + times.duration, seen->events);
  histo_result_clear (&result);
  seen->n_frames++;
  return GST_PAD_PROBE_OK;
}

static void
read_message (const GstStructure *structure, Seen *seen)
{
  HistoResult result = { 0 };
  HistoAlertEvent event;
  HistoTimes times;
  guint64 n_buffers;

  if (gst_structure_has_name (structure, HISTO_ALERT_NAME)) {
    check (histo_read_alert (structure, &event, NULL));
    check (event.alert == HISTO_ALERT_BLACK && event.start == 0);
    histo_alert_event_clear (&event);
    seen->n_alerts++;
  } else if (gst_structure_has_name (structure, HISTO_WINDOW_NAME)) {
    check (histo_read_result (structure, &result, NULL) && result.is_audio);
    check (histo_read_times (structure, &times));
    check (histo_read_buffers (structure, &n_buffers) && n_buffers == 10);
    check (result.channels == 2 && result.levels[1].rms < 0);
    check_histogram (&result.components[1]);
    histo_result_clear (&result);
    seen->n_windows++;
  }
}

/* One rule fails, one passes, and one is skipped. */
static void
judge (Seen *seen)
{
  GArray *findings = g_array_new (FALSE, FALSE, sizeof (HistoRuleFinding));
  static const HistoRuleVerdict verdicts[] =
      { HISTO_RULE_FAILED, HISTO_RULE_PASSED, HISTO_RULE_SKIPPED };

  g_array_set_clear_func (findings, histo_rule_finding_clear);
  histo_rule_states_end (seen->states, seen->events);
  histo_rule_states_judge (seen->states, findings);
  check (seen->events->len == 2 && findings->len == 3);
  for (guint i = 0; i < findings->len; i++)
    check (g_array_index (findings, HistoRuleFinding, i).verdict
        == verdicts[i]);
  check (g_array_index (findings, HistoRuleFinding, 0).totals.time_broken
      == 3 * GST_SECOND);
  g_array_unref (findings);
}

/* ---- A film --------------------------------------------------------------------------------- */

static GstPadProbeReturn
follow_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, HISTO_RESULT_NAME);
  HistoResult result = { 0 };
  HistoTimes times;
  Seen *seen = (Seen *) data;

  check (meta != NULL);
  check (histo_read_result (gst_custom_meta_get_structure (meta), &result, NULL));
  find_times (pad, buffer, &times);
  g_array_append_val (seen->times, times);
  histo_rule_states_pass (seen->states, &result, times.stream_time,
      times.stream_time + times.duration, seen->events);
  histo_result_clear (&result);
  return GST_PAD_PROBE_OK;
}

/* All frames break the rule, from the begin of the film to its end. */
static void
follow_film (const gchar *path)
{
  HistoRules *rules = histo_rules_parse ("a: Y.mean < 0", HISTO_RULES_OF_POLICY, NULL, NULL, NULL);
  Seen seen = { 0 };
  GArray *expected = g_array_new (FALSE, FALSE, sizeof (HistoTimes));
  const HistoRuleEvent *event;
  GstElement *pipeline, *file, *sink;
  GstMessage *message;
  GstPad *pad;
  gboolean is_done = FALSE;

  seen.states = histo_rule_states_new (rules);
  seen.events = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));
  seen.times = g_array_new (FALSE, FALSE, sizeof (HistoTimes));
  pipeline = gst_parse_launch ("filesrc name=file ! decodebin ! video/x-raw "
      "! cudahisto post-messages=true ! fakesink name=sink", NULL);
  check (pipeline != NULL);
  file = gst_bin_get_by_name (GST_BIN (pipeline), "file");
  g_object_set (file, "location", path, NULL);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, follow_frame, &seen, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!is_done) {
    HistoTimes times;

    message = gst_bus_timed_pop (GST_ELEMENT_BUS (pipeline), 60 * GST_SECOND);
    check (message != NULL && GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR);
    if (gst_message_has_name (message, HISTO_RESULT_NAME)) {
      check (histo_read_times (gst_message_get_structure (message), &times));
      g_array_append_val (expected, times);
    }
    is_done = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_object_unref (file);
  gst_object_unref (pipeline);
  histo_rule_states_end (seen.states, seen.events);

  check (seen.times->len > 0 && seen.times->len == expected->len);
  check (memcmp (seen.times->data, expected->data, expected->len * sizeof (HistoTimes)) == 0);
  check (seen.events->len == 2);
  event = &g_array_index (seen.events, HistoRuleEvent, 1);
  check (event->is_end && event->start == 0);
  g_print ("%s: %u frames, the first PTS is %" GST_TIME_FORMAT ", the rule is broken from %" GST_TIME_FORMAT " to %"
      GST_TIME_FORMAT "\n", path, expected->len, GST_TIME_ARGS (g_array_index (expected, HistoTimes, 0).timestamp),
      GST_TIME_ARGS (event->start), GST_TIME_ARGS (event->end));
  histo_rule_states_free (seen.states);
  histo_rules_unref (rules);
  g_array_unref (seen.events);
  g_array_unref (seen.times);
  g_array_unref (expected);
}

/* ---- Test pictures and sound ------------------------------------------------------------------ */

int
main (int argc, char **argv)
{
  GError *error = NULL;
  Seen seen = { 0 };
  HistoRules *rules;
  guint line, column;
  GstElement *pipeline, *sink;
  GstMessage *message;
  GstPad *pad;
  gboolean is_done = FALSE;

  gst_init (&argc, &argv);
  if (argc > 1) {
    follow_film (argv[1]);
    return 0;
  }
  check (histo_rules_parse ("a: Y.maen < 3", HISTO_RULES_OF_POLICY, &line,
          &column, NULL) == NULL && line == 1 && column == 6);
  rules = histo_rules_parse ("bright: Y.mean > 40 for 1 s\n"
      "legal: signal.brng <= 1 %\n" "gaps: fact.gaps = 0",
      HISTO_RULES_OF_POLICY, &line, &column, &error);
  check (rules != NULL && histo_rules_get_n (rules) == 3);
  seen.states = histo_rule_states_new (rules);
  seen.events = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));
  pipeline = gst_parse_launch ("videotestsrc pattern=black num-buffers=75 "
      "! video/x-raw,format=I420,width=64,height=48,framerate=25/1 "
      "! cudahisto measures=signal alerts=black ! fakesink name=sink "
      "audiotestsrc num-buffers=20 samplesperbuffer=4800 "
      "! audio/x-raw,format=S16LE,rate=48000,channels=2 "
      "! cudahisto measures=level window=1000000000 meta=false ! fakesink",
      &error);
  if (pipeline == NULL || error != NULL) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, read_frame, &seen, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!is_done) {
    message = gst_bus_timed_pop (GST_ELEMENT_BUS (pipeline), 60 * GST_SECOND);
    check (message != NULL
        && GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT)
      read_message (gst_message_get_structure (message), &seen);
    is_done = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  judge (&seen);
  histo_rule_states_free (seen.states);
  histo_rules_unref (rules);
  g_array_unref (seen.events);
  g_print ("%u frames, %u windows, %u alerts\n", seen.n_frames, seen.n_windows,
      seen.n_alerts);
  check (seen.n_frames == 75 && seen.n_windows == 2 && seen.n_alerts == 2);
  return 0;
}
