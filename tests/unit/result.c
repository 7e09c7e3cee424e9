/* The result tree, written to a GstStructure and read again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "results.h"

#include "cudahisto/read.h"
#include "result/fill.h"
#include "result/write.h"

/* What the caps say, else GStreamer's default; none of Bayer video, and of grey of which the caps say that it is unknown. */
TEST (test_colorimetry)
{
  static const struct
  {
    const gchar *caps, *colorimetry;
  } cases[] = {
    {"video/x-raw, format=I420, width=16, height=576", "bt601"},
    {"video/x-raw, format=I420, width=16, height=577", "bt709"},
    {"video/x-raw, format=P010_10LE, width=3840, height=2160", "bt709"},
    {"video/x-raw, format=RGB, width=16, height=577", "sRGB"},
    {"video/x-raw, format=GRAY8, width=16, height=577", "1:4:0:0"},
    {"video/x-raw, format=I420, width=16, height=16, colorimetry=bt2020", "bt2020"},
    {"video/x-raw, format=I420, width=16, height=16, colorimetry=0:0:0:0", "bt601"},
    {"video/x-raw, format=RGB, width=16, height=16, colorimetry=0:0:0:0", "0:1:0:0"},
    {"video/x-raw, format=GRAY8, width=16, height=16, colorimetry=0:0:0:0", NULL},
    {"video/x-bayer, format=rggb, width=16, height=16", NULL},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *text = g_strdup_printf ("%s, framerate=25/1", cases[i].caps);
    GstCaps *caps = gst_caps_from_string (text);
    HistoFormat *format = histo_format_new (caps, NULL);

    fail_unless (format != NULL && g_strcmp0 (format->colorimetry, cases[i].colorimetry) == 0, "%s: %s", text,
        format != NULL ? format->colorimetry : "refused");
    histo_format_unref (format);
    gst_caps_unref (caps);
    g_free (text);
  }
}

/* What is read is what was written, bit for bit, also into a result that is used again. */
TEST (test_round_trip)
{
  GRand *random = test_random ();
  HistoResult again = { 0, };

  for (guint i = 0; i < 1000; i++) {
    HistoResult result = { 0, }, read = { 0, };
    const gboolean is_audio = g_rand_boolean (random);
    GError *error = NULL;
    GstStructure *structure;

    test_fill_result (random, is_audio, 0, &result);
    structure = test_write_result (&result);
    fail_unless (histo_read_result (structure, &read, &error), "%s",
        error != NULL ? error->message : "");
    test_check_results_equal (&result, &read);
    fail_unless (histo_read_result (structure, &again, NULL));
    test_check_results_equal (&result, &again);
    /* The read result does not depend on the structure. */
    gst_structure_free (structure);
    test_check_results_equal (&result, &read);
    histo_result_clear (&result);
    histo_result_clear (&read);
  }
  histo_result_clear (&again);
  g_rand_free (random);
}

/* Without a previous frame there is no structure `motion`, in no region. The other groups are
 * there. */
TEST (test_no_previous_frame)
{
  const guint groups = HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL)
      | HISTO_GROUP_FLAG (HISTO_GROUP_MOTION)
      | HISTO_GROUP_FLAG (HISTO_GROUP_DETAIL);
  GRand *random = test_random ();

  for (guint i = 0; i < 20; i++) {
    HistoResult result = { 0, }, read = { 0, };
    GstStructure *structure;

    test_fill_result (random, FALSE, groups, &result);
    for (guint r = 0; r < result.n_regions; r++)
      result.regions[r].has_motion = FALSE;
    structure = test_write_result (&result);
    fail_if (gst_structure_has_field (structure, "motion"));
    fail_unless (gst_structure_has_field (structure, "signal"));
    fail_unless (histo_read_result (structure, &read, NULL));
    fail_unless_equals_int (read.groups,
        result.groups & ~HISTO_GROUP_FLAG (HISTO_GROUP_MOTION));
    fail_unless_equals_int (read.n_regions, result.n_regions);
    fail_if (read.regions[0].has_motion);
    gst_structure_free (structure);
    histo_result_clear (&result);
    histo_result_clear (&read);
  }
  g_rand_free (random);
}

/* Without native components there are no `bits-used`. */
TEST (test_no_bits_used)
{
  GRand *random = test_random ();
  HistoResult result = { 0, };
  GstStructure *structure;
  const GstStructure *inner;

  test_fill_result (random, FALSE, HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL),
      &result);
  result.regions[0].figures.n_bits_used = 0;
  structure = test_write_result (&result);
  inner = gst_value_get_structure (gst_structure_get_value (structure,
          "signal"));
  fail_if (gst_structure_has_field (inner, "bits-used"));
  gst_structure_free (structure);
  histo_result_clear (&result);
  g_rand_free (random);
}

/* Without groups and regions there are no fields but those of the basic group. */
TEST (test_basic_fields)
{
  static const gchar *const names[] = { "schema", "media", "format", "width",
    "height", "backend", "components", "Y"
  };
  const HistoPlanSettings settings = {.groups = 0 };
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format=GRAY8, width=8, "
      "height=8, framerate=25/1, colorimetry=0:0:0:0");
  HistoFormat *format = histo_format_new (caps, NULL);
  HistoPlan *plan = histo_plan_new (format, &settings);
  guint32 *counters = g_new0 (guint32, plan->n_counters);
  const HistoCounts counts = {.counters = counters,.n_frames = 1 };
  HistoResult result = { 0, };
  GstStructure *structure;

  counters[7] = 64;
  histo_result_fill (&result, plan, &counts, NULL, "cpu",
      HISTO_HISTOGRAMS_ALL);
  structure = test_write_result (&result);
  fail_unless_equals_int (gst_structure_n_fields (structure),
      G_N_ELEMENTS (names));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    fail_unless_equals_string (gst_structure_nth_field_name (structure, i),
        names[i]);
  gst_structure_free (structure);
  histo_result_clear (&result);
  histo_plan_unref (plan);
  histo_format_unref (format);
  gst_caps_unref (caps);
  g_free (counters);
}

/* ---- Messages --------------------------------------------------------------------------- */

/* A structure without times has none; a message's have their values. */
TEST (test_times)
{
  const HistoTimes times = { 1, GST_CLOCK_TIME_NONE, 3, 4 };
  GRand *random = test_random ();
  HistoResult result = { 0, };
  GstStructure *structure;
  GstMessage *message;
  HistoTimes read;

  test_fill_result (random, FALSE, 0, &result);
  structure = test_write_result (&result);
  fail_if (histo_read_times (structure, &read));
  message = histo_write_message (structure, &times, NULL);
  fail_unless (histo_read_times (gst_message_get_structure (message), &read));
  fail_unless (memcmp (&times, &read, sizeof times) == 0);
  gst_message_unref (message);
  histo_result_clear (&result);
  g_rand_free (random);
}

/* A window's message has a result, the times and the number of buffers. */
TEST (test_window)
{
  const HistoTimes times = { 1, 2, GST_CLOCK_TIME_NONE, 4 };
  GRand *random = test_random ();

  for (guint i = 0; i < 20; i++) {
    HistoResult result = { 0, }, read = { 0, };
    const GstStructure *structure;
    guint64 n_buffers = 0;
    GstMessage *message;
    HistoTimes read_times;

    test_fill_result (random, i % 2 == 0, 0, &result);
    message = histo_write_window (&result, &times, G_MAXUINT64 - i, NULL);
    structure = gst_message_get_structure (message);
    fail_unless (gst_structure_has_name (structure, "cudahisto-window"));
    fail_unless (histo_read_result (structure, &read, NULL));
    test_check_results_equal (&result, &read);
    fail_unless (histo_read_times (structure, &read_times));
    fail_unless (memcmp (&times, &read_times, sizeof times) == 0);
    fail_unless (histo_read_buffers (structure, &n_buffers));
    fail_unless_equals_uint64 (n_buffers, G_MAXUINT64 - i);
    gst_message_unref (message);
    histo_result_clear (&result);
    histo_result_clear (&read);
  }
  g_rand_free (random);
}

static void
check_alert (const HistoAlertEvent * event, const gchar * type,
    guint64 duration)
{
  const HistoTimes times = { 1, 2, 3, 4 };
  GstMessage *message = histo_write_alert (event, &times, NULL);
  GstStructure *structure =
      gst_structure_copy (gst_message_get_structure (message));
  HistoAlertEvent read;
  HistoTimes read_times;

  fail_unless (gst_structure_has_name (structure, "cudahisto-alert"));
  fail_unless_equals_string (gst_structure_get_string (structure, "type"),
      type);
  fail_unless_equals_string (gst_structure_get_string (structure, "state"),
      event->is_end ? "end" : "begin");
  fail_unless (histo_read_alert (structure, &read, NULL));
  fail_unless_equals_int (read.alert, event->alert);
  fail_unless_equals_int (read.is_end, event->is_end);
  fail_unless (g_strcmp0 (read.component, event->component) == 0);
  fail_unless (g_strcmp0 (read.channel, event->channel) == 0);
  fail_unless (g_strcmp0 (read.region, event->region) == 0);
  fail_unless (g_strcmp0 (read.rule, event->rule) == 0);
  fail_unless (g_strcmp0 (read.pair, event->pair) == 0);
  fail_unless (g_strcmp0 (read.zone, event->zone) == 0);
  fail_unless_equals_uint64 (read.value_time, event->value_time);
  fail_unless_equals_uint64 (read.start, event->start);
  fail_unless_equals_uint64 (read.end, event->end);
  fail_unless_equals_float (read.value, event->value);
  fail_unless_equals_float (read.threshold, event->threshold);
  histo_alert_event_clear (&read);
  fail_unless (histo_read_times (structure, &read_times));
  fail_unless_equals_uint64 (read_times.timestamp, 1);
  fail_unless_equals_uint64 (read_times.stream_time, 2);
  fail_unless_equals_uint64 (read_times.running_time, 3);
  fail_unless_equals_uint64 (read_times.duration, duration);

  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, i);
    GstStructure *copy = gst_structure_copy (structure);
    GError *error = NULL;

    gst_structure_set (copy, name, GST_TYPE_FRACTION, 1, 2, NULL);
    if (!histo_read_alert (copy, &read, &error))
      fail_unless (strstr (error->message, name) != NULL);
    else
      fail_if (histo_read_times (copy, &read_times));
    histo_alert_event_clear (&read);
    g_clear_error (&error);
    gst_structure_free (copy);
  }
  gst_structure_free (structure);
  gst_message_unref (message);
}

/* A begin has no end. The duration is that of the alert. */
TEST (test_alerts)
{
  HistoAlertEvent event = {.alert = HISTO_ALERT_BLACK,.component = "Y",.start = 100,
    .end = GST_CLOCK_TIME_NONE,.value = 0.99,.threshold = 0.98,.value_time = GST_CLOCK_TIME_NONE
  };

  check_alert (&event, "black", GST_CLOCK_TIME_NONE);
  event.is_end = TRUE;
  event.end = 350;
  check_alert (&event, "black", 250);
  event.alert = HISTO_ALERT_SILENCE;
  event.component = NULL;
  event.channel = "ch1";
  check_alert (&event, "silence", 250);
  event.alert = HISTO_ALERT_RANGE;
  event.channel = NULL;
  event.region = "left half";
  check_alert (&event, "range", 250);
  event.start = GST_CLOCK_TIME_NONE;
  check_alert (&event, "range", GST_CLOCK_TIME_NONE);
  event = (HistoAlertEvent) {.alert = HISTO_ALERT_RULE,.rule = "dark",.zone = "7",.start = 100,.end = 350,
    .is_end = TRUE,.value = 3,.threshold = 2,.value_time = 120
  };
  check_alert (&event, "rule", 250);
  event.zone = NULL;
  event.pair = "ch0+ch1";
  event.value_time = GST_CLOCK_TIME_NONE;
  check_alert (&event, "rule", 250);
}

/* Changes the texts of an alert where they are. */
static void
spoil_texts (const GstStructure * alert)
{
  static const gchar *const names[] = { "rule", "zone", "component", "channel", "region", "pair" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    gchar *text = (gchar *) gst_structure_get_string (alert, names[i]);

    memset (text, '%', strlen (text));
  }
}

/* They belong to the event, and not to what it was read from. */
TEST (test_texts_of_alerts)
{
  const HistoTimes times = { 1, 2, 3, 4 };
  const HistoAlertEvent event = {.alert = HISTO_ALERT_RULE,.rule = "dark",.zone = "7",.component = "Y",
    .channel = "ch1",.region = "left half",.pair = "ch0+ch1"
  };
  GArray *alerts = g_array_new (FALSE, FALSE, sizeof event);
  GArray *read = g_array_new (FALSE, FALSE, sizeof event);
  GstMessage *message = histo_write_alert (&event, &times, NULL);
  GstStructure *result = gst_structure_new_empty ("cudahisto");
  HistoAlertEvent of_message;
  gchar place[32];

  fail_unless (histo_read_alert (gst_message_get_structure (message), &of_message, NULL));
  spoil_texts (gst_message_get_structure (message));
  gst_message_unref (message);
  g_array_append_val (alerts, event);
  histo_write_alerts (alerts, result);
  g_array_set_clear_func (read, histo_alert_event_clear);
  fail_unless (histo_read_alerts (result, read, NULL));
  spoil_texts (gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (result, "alerts"), 0)));
  gst_structure_free (result);

  for (guint i = 0; i < 2; i++) {
    const HistoAlertEvent *found = i == 0 ? &of_message : &g_array_index (read, HistoAlertEvent, 0);

    fail_unless_equals_string (found->rule, "dark");
    fail_unless_equals_string (found->zone, "7");
    fail_unless_equals_string (found->component, "Y");
    fail_unless_equals_string (found->channel, "ch1");
    fail_unless_equals_string (found->region, "left half");
    fail_unless_equals_string (found->pair, "ch0+ch1");
    histo_alert_write_place (found, place, sizeof place);
    fail_unless_equals_string (place, "left half");
  }
  histo_alert_event_clear (&of_message);
  g_array_unref (alerts);
  g_array_unref (read);
}

/* The field `alerts` of a result, in both directions, and with hostile values. */
TEST (test_alerts_of_a_buffer)
{
  const HistoAlertEvent events[] = {
    {.alert = HISTO_ALERT_SCENE,.start = 100,.end = GST_CLOCK_TIME_NONE,
        .value = 20,.threshold = 10},
    {.alert = HISTO_ALERT_BLACK,.region = "left",.start = 50,
        .end = GST_CLOCK_TIME_NONE,.value = 1,.threshold = 0.98},
  };
  GArray *alerts = g_array_new (FALSE, FALSE, sizeof (HistoAlertEvent));
  GArray *read = g_array_new (FALSE, FALSE, sizeof (HistoAlertEvent));
  GstStructure *structure = gst_structure_new_empty ("cudahisto");
  GError *error = NULL;
  GValue array = G_VALUE_INIT, number = G_VALUE_INIT;

  g_array_set_clear_func (read, histo_alert_event_clear);
  histo_write_alerts (NULL, structure);
  histo_write_alerts (alerts, structure);
  fail_unless_equals_int (gst_structure_n_fields (structure), 0);
  fail_unless (histo_read_alerts (structure, read, NULL));
  fail_unless_equals_int (read->len, 0);

  g_array_append_vals (alerts, events, G_N_ELEMENTS (events));
  histo_write_alerts (alerts, structure);
  fail_unless (histo_read_alerts (structure, read, NULL));
  fail_unless_equals_int (read->len, 2);
  fail_unless_equals_int (g_array_index (read, HistoAlertEvent, 0).alert,
      HISTO_ALERT_SCENE);
  fail_unless_equals_float (g_array_index (read, HistoAlertEvent, 0).value, 20);
  fail_unless_equals_string (g_array_index (read, HistoAlertEvent, 1).region,
      "left");

  gst_structure_set (structure, "alerts", G_TYPE_INT, 3, NULL);
  fail_if (histo_read_alerts (structure, read, &error));
  fail_unless (strstr (error->message, "alerts") != NULL);
  g_clear_error (&error);
  /* Nothing is appended. */
  fail_unless_equals_int (read->len, 2);
  gst_value_array_init (&array, 1);
  g_value_init (&number, G_TYPE_INT);
  gst_value_array_append_and_take_value (&array, &number);
  gst_structure_take_value (structure, "alerts", &array);
  fail_if (histo_read_alerts (structure, read, &error));
  fail_unless (strstr (error->message, "alerts") != NULL);
  g_clear_error (&error);

  gst_structure_free (structure);
  g_array_unref (read);
  g_array_unref (alerts);
}

/* Results of no channels. */
TEST (test_no_levels)
{
  HistoResult result = { 0, };

  histo_result_set_n_levels (&result, 0);
  fail_unless (result.levels == NULL);
  histo_result_set_n_levels (&result, 2);
  fail_unless (result.levels != NULL && result.levels[1].rms == 0);
  histo_result_set_n_levels (&result, 0);
  histo_result_clear (&result);
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  histo_write_init ();
  return test_run (__FILE__, 60, TRUE);
}
