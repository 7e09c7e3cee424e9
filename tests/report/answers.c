/* What the report says of a stream: results made here go through the summary, its JSON, merging and the text.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/answers.h"

#include <gst/check/gstcheck.h>
#include <math.h>
#include <string.h>

#include "writers/formats.h"
#include "summary/json.h"
#include "input/timing.h"
#include "compare/tolerance.h"
#include "input/watch.h"

#define RATE 25
#define FRAME (GST_SECOND / RATE)
#define GROUPS (HISTO_GROUP_FLAG (HISTO_GROUP_BASIC) \
  | HISTO_GROUP_FLAG (HISTO_GROUP_MOTION) | HISTO_GROUP_FLAG (HISTO_GROUP_GAMUT_FILTER) \
  | HISTO_GROUP_FLAG (HISTO_GROUP_FLASH) | HISTO_GROUP_FLAG (HISTO_GROUP_FIELD))

/* ---- A stream ------------------------------------------------------------------------------------ */

typedef struct
{
  ReportSummary *summary;
  ReportStreamSummary *stream;
  HistoResult result;
  HistoGroupFigures *figures;   /* of the result: absent, until a test sets them */
  guint n;                      /* frames */
} Feed;

static Feed *
feed_new (const gchar * name)
{
  const ReportStream stream = {.title = (gchar *) "video 0",.frame_rate = RATE,
    .width = 64,.height = 48,.format = (gchar *) "I420",.groups = GROUPS
  };
  Feed *feed = g_new0 (Feed, 1);

  feed->summary = report_summary_new (name);
  feed->summary->is_complete = TRUE;
  feed->summary->alerts = HISTO_ALERT_FLAG (HISTO_ALERT_SCENE);
  feed->stream = report_summary_add_stream (feed->summary, &stream);
  feed->result.format = "I420";
  feed->result.colorimetry = "bt709";
  feed->result.backend = "cpu";
  feed->result.width = 64;
  feed->result.height = 48;
  feed->result.groups = GROUPS;
  histo_result_set_n_regions (&feed->result, 1);
  feed->result.regions[0].region.width = 64;
  feed->result.regions[0].region.height = 48;
  feed->figures = &feed->result.regions[0].figures;
  histo_groups_clear (feed->figures);
  return feed;
}

static HistoTimes
next_times (Feed * feed)
{
  const guint64 time = feed->n++ * FRAME;
  const HistoTimes times = { time, time, time, FRAME };

  return times;
}

/* The next frame has the figures that are set. */
static void
give (Feed * feed)
{
  const HistoTimes times = next_times (feed);

  report_summary_add_result (feed->stream, &feed->result, &times);
}

static void
feed_free (Feed * feed)
{
  report_summary_free (feed->summary);
  histo_result_clear (&feed->result);
  g_free (feed);
}

/* Returns: (transfer full): what a writer makes of a summary */
static gchar *
written (ReportWriter * (*make) (GOutputStream * to),
    ReportSummary * summary)
{
  GOutputStream *to = g_memory_output_stream_new_resizable ();
  ReportWriter *writer = make (to);
  GError *error = NULL;
  gchar *text;

  fail_unless (report_writer_tell (writer, summary, &error));
  report_writer_free (writer);
  fail_unless (g_output_stream_write_all (to, "", 1, NULL, NULL, NULL));
  fail_unless (g_output_stream_close (to, NULL, NULL));
  text = g_memory_output_stream_steal_data (G_MEMORY_OUTPUT_STREAM (to));
  g_object_unref (to);
  return text;
}

/* Returns: (transfer full) (nullable): NULL with the reason in @problem */
static ReportSummary *
read_back (const gchar * json, GError ** problem)
{
  GPtrArray *summaries = g_ptr_array_new ();
  GInputStream *from = g_memory_input_stream_new_from_data (json, strlen (json),
      NULL);
  ReportSummary *summary = NULL;

  if (report_json_load (from, summaries, problem)) {
    fail_unless_equals_int (summaries->len, 1);
    summary = summaries->pdata[0];
  }
  g_ptr_array_unref (summaries);
  g_object_unref (from);
  return summary;
}

/* Returns: (transfer full): the text of the feed. Its JSON says the same after it was read. */
static gchar *
finish (Feed * feed)
{
  gchar *json, *again, *text, *text_again;
  ReportSummary *back;
  GError *error = NULL;

  report_summary_finish (feed->summary);
  json = written (report_json_summary_writer_new, feed->summary);
  back = read_back (json, &error);
  fail_unless (back != NULL, "%s", error != NULL ? error->message : "");
  again = written (report_json_summary_writer_new, back);
  fail_unless_equals_string (json, again);
  text = written (report_full_writer_new, feed->summary);
  text_again = written (report_full_writer_new, back);
  fail_unless_equals_string (text, text_again);
  report_summary_free (back);
  g_free (text_again);
  g_free (again);
  g_free (json);
  return text;
}

/* Returns: (transfer full): the summary of the feed twice */
static ReportSummary *
merged_twice (const Feed * feed)
{
  ReportSummary *all = report_summary_new ("all inputs");

  fail_unless (report_summary_merge (all, feed->summary, NULL));
  fail_unless (report_summary_merge (all, feed->summary, NULL));
  report_summary_finish (all);
  return all;
}

#define fail_unless_has(text, part) \
  fail_unless (strstr (text, part) != NULL, "no %s in:\n%s", part, text)
#define fail_if_has(text, part) \
  fail_unless (strstr (text, part) == NULL, "%s in:\n%s", part, text)

/* ---- Choices and whole numbers ------------------------------------------------------------------- */

/* 30 frames: a state is counted by its name. */
static Feed *
feed_states (void)
{
  Feed *feed = feed_new ("states");

  for (guint i = 0; i < 30; i++) {
    feed->figures->FLASH_state = i < 10 ? HISTO_FLASH_PASS : HISTO_FLASH_FAIL;
    feed->figures->FLASH_transitions = i;
    feed->figures->FIELD_single = i < 20 ? HISTO_FIELD_BFF : NAN;
    give (feed);
  }
  return feed;
}

GST_START_TEST (test_choices)
{
  Feed *feed = feed_states ();
  gchar *text = finish (feed), *json, *all_json;
  ReportSummary *all;

  json = written (report_json_summary_writer_new, feed->summary);
  fail_unless_has (json, "\"state\":{\"pass\":10,\"warning\":0,\"extended\":0,"
      "\"fail\":20}");
  fail_unless_has (json, "\"single\":{\"tff\":0,\"bff\":20,\"progressive\":0,"
      "\"undetermined\":0}");
  fail_if_has (json, "\"multi\"");
  fail_unless_has (json, "\"transitions\":{\"n\":30,\"min\":0,\"max\":29,"
      "\"mean\":14.5,\"sum\":435,\"last\":29}");
  all = merged_twice (feed);
  all_json = written (report_json_summary_writer_new, all);
  fail_unless_has (all_json, "\"state\":{\"pass\":20,\"warning\":0,"
      "\"extended\":0,\"fail\":40}");
  fail_unless_has (all_json, "\"single\":{\"tff\":0,\"bff\":40,");
  fail_unless_has (all_json, "\"sum\":870,\"last\":29}");
  report_summary_free (all);
  g_free (all_json);
  g_free (json);
  g_free (text);
  feed_free (feed);
}
GST_END_TEST;

/* A choice has no more names than are counted. */
GST_START_TEST (test_names)
{
  guint n_choices = 0;

  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    guint n = 0;

    if (histo_group_figures[i].type != HISTO_FIGURE_CHOICE)
      continue;
    while (histo_choice_name (&histo_group_figures[i], n) != NULL)
      n++;
    fail_unless (n > 1 && n <= REPORT_MOST_NAMES);
    n_choices++;
  }
  fail_unless_equals_int (n_choices, 4);
}
GST_END_TEST;

/* Files that are no summaries of this kind. */
GST_START_TEST (test_wrong_files)
{
  static const struct
  {
    const gchar *from, *to, *key;
  } faults[] = {
    {"\"state\":{\"pass\":10,", "\"state\":{\"pass\":-1,", "\"pass\""},
    {"\"state\":{\"pass\":10,", "\"state\":{\"pass\":\"x\",", "\"pass\""},
    {"\"state\":\"fail\"", "\"state\":\"odd\"", "\"state\""},
    {"\"zones-state\":\"pass\"", "\"zones-state\":3", "\"zones-state\""},
    {"\"zone-frames\":{\"pass\":0", "\"zone-frames\":{\"pass\":0.5", "\"pass\""},
    {"\"frames-above\":0", "\"frames-above\":-2", "\"frames-above\""},
    {"\"longest-run\":0", "\"longest-run\":true", "\"longest-run\""},
    {"\"cadences\":[]", "\"cadences\":[{\"period\":31,\"unique\":1,\"frames\":1}]",
        "\"period\""},
    {"\"cadences\":[]", "\"cadences\":[{\"period\":2,\"unique\":3,\"frames\":1}]",
        "\"unique\""},
    {"\"cadences\":[]", "\"cadences\":[{\"period\":2,\"unique\":1}]", "\"frames\""},
    {"\"gaps\":0", "\"gaps\":null", "\"gaps\""},
    {"\"places\":[]", "\"places\":[{\"type\":\"hole\",\"start\":1}]", "\"type\""},
  };
  Feed *feed = feed_states ();
  gchar *json;

  feed->figures->GAMUT_FILTER_any = 0;
  feed->figures->MOTION_repeat = 0;
  give (feed);
  feed->stream->timestamps.n_buffers = feed->n;
  g_free (finish (feed));
  json = written (report_json_summary_writer_new, feed->summary);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++) {
    GString *wrong = g_string_new (json);
    GError *error = NULL;

    fail_unless (g_string_replace (wrong, faults[i].from, faults[i].to, 1) == 1,
        "no %s in %s", faults[i].from, json);
    fail_unless (read_back (wrong->str, &error) == NULL, "%s", faults[i].to);
    fail_unless_has (error->message, faults[i].key);
    g_error_free (error);
    g_string_free (wrong, TRUE);
  }
  g_free (json);
  feed_free (feed);
}
GST_END_TEST;

/* Names of the frames, and whole numbers. */
GST_START_TEST (test_frames)
{
  Feed *feed = feed_new ("frames");
  const ReportInput input = { "frames", FRAME, 1, feed->stream->stream };
  ReportWriter *(*makers[]) (GOutputStream *) = {
    report_json_writer_new, report_csv_writer_new
  };
  gchar *texts[2];

  feed->figures->FLASH_state = HISTO_FLASH_WARNING;
  feed->figures->FLASH_transitions = 4;
  feed->figures->FIELD_multi = HISTO_FIELD_TFF;
  feed->figures->MOTION_repeat = 1;
  feed->result.regions[0].has_motion = TRUE;
  feed->figures->n_zones = HISTO_N_ZONES;
  feed->figures->zones[24] = (HistoZone) { 7, 2, HISTO_FLASH_FAIL };
  for (guint i = 0; i < 2; i++) {
    GOutputStream *to = g_memory_output_stream_new_resizable ();
    ReportWriter *writer = makers[i] (to);
    const HistoTimes times = { 0, 0, 0, FRAME };

    fail_unless (report_writer_begin (writer, &input, NULL));
    fail_unless (report_writer_frame (writer, feed->stream->stream,
            &feed->result, &times, NULL));
    fail_unless (report_writer_set_ended (writer, 0, TRUE, NULL));
    fail_unless (report_writer_end (writer, feed->summary, NULL));
    report_writer_free (writer);
    fail_unless (g_output_stream_write_all (to, "", 1, NULL, NULL, NULL));
    fail_unless (g_output_stream_close (to, NULL, NULL));
    texts[i] = g_memory_output_stream_steal_data (G_MEMORY_OUTPUT_STREAM (to));
    g_object_unref (to);
  }
  fail_unless_has (texts[0], "\"transitions\":4,\"state\":\"warning\",\"zones\":"
      "[{\"transitions\":0,\"red-transitions\":0,\"state\":\"pass\"},");
  fail_unless_has (texts[0], "{\"transitions\":7,\"red-transitions\":2,"
      "\"state\":\"fail\"}]");
  fail_unless_has (texts[0], "\"multi\":\"tff\"");
  fail_unless_has (texts[0], "\"motion\":{\"repeat\":1}");
  fail_unless_has (texts[1], ",flash.transitions,flash.red-transitions,flash.counter,"
      "flash.state,");
  fail_unless_has (texts[1], ",4,,,warning,");
  fail_unless_has (texts[1], ",tff,");
  g_free (texts[0]);
  g_free (texts[1]);
  feed_free (feed);
}
GST_END_TEST;

/* ---- Flashes ------------------------------------------------------------------------------------- */

static void
give_scene (Feed * feed, guint frame)
{
  HistoAlertEvent event = {.alert = HISTO_ALERT_SCENE,.start = frame * FRAME,
    .end = GST_CLOCK_TIME_NONE,.value = 20,.threshold = 10
  };

  report_summary_add_alert (feed->stream, &event);
  event.is_end = TRUE;
  event.end = event.start;
  report_summary_add_alert (feed->stream, &event);
}

/* Frames 50 to 99 flash: the picture until 74, then only a zone. A change of the scene at a frame with two or more
 * transitions is left out, whether its alert comes before the result or after it. */
GST_START_TEST (test_flashes)
{
  static const guint scenes[] = { 20, 40, 75, 90 };
  Feed *feed = feed_new ("flashes");
  ReportSummary *all;
  gchar *text, *json;

  for (guint i = 0; i < 150; i++) {
    const gboolean is_picture = i >= 50 && i < 75, is_zone = i >= 60 && i < 100;

    feed->figures->FLASH_transitions = is_picture ? 5 : i == 40 ? 1 : i == 45 ? 2 : 0;
    feed->figures->FLASH_state = is_picture ? HISTO_FLASH_WARNING : HISTO_FLASH_PASS;
    feed->figures->n_zones = HISTO_N_ZONES;
    feed->figures->zones[7] = (HistoZone) { 0, is_zone ? 9 : 0,
      is_zone ? HISTO_FLASH_FAIL : HISTO_FLASH_PASS
    };
    if (i % 2 == 0)
      give (feed);
    if (i == 20 || i == 40 || i == 45 || i == 50 || i == 61 || i == 74
        || i == 75 || i == 90)
      give_scene (feed, i);
    if (i % 2 == 1)
      give (feed);
  }
  text = finish (feed);
  fail_unless_equals_int (feed->stream->alerts->len, 4);
  for (guint i = 0; i < 4; i++)
    fail_unless_equals_uint64 (((ReportAlert *) feed->stream->alerts->pdata[i])
        ->start, scenes[i] * FRAME);
  fail_unless_has (text, "\n    scene changes  4; 4 in flashes are left out\n");
  fail_unless_has (text, "\n    flashes        picture: warning, zones: fail "
      "(a screening aid, not certified)\n"
      "                   0:00:02.000 - 0:00:04.000 fail\n");
  json = written (report_json_summary_writer_new, feed->summary);
  fail_unless_has (json, "\"scenes-in-flashes\":4,\"flash\":{\"picture\":"
      "\"warning\",\"zones\":\"fail\",\"zone-frames\":{\"pass\":110,\"warning\":0,"
      "\"extended\":0,\"fail\":40}},\"flashes\":[{\"start\":2000000000,"
      "\"end\":4000000000,\"state\":\"warning\",\"zones-state\":\"fail\",\"zones\":[7],"
      "\"transitions\":5,\"red-transitions\":9}]");
  g_free (json);
  all = merged_twice (feed);
  json = written (report_json_summary_writer_new, all);
  fail_unless_has (json, "\"scenes-in-flashes\":8,");
  fail_unless_has (json, "\"zone-frames\":{\"pass\":220,\"warning\":0,"
      "\"extended\":0,\"fail\":80}},\"flashes\":[{");
  fail_unless_has (json, "\"red-transitions\":9,\"input\":\"flashes\"},{");
  report_summary_free (all);
  g_free (json);
  g_free (text);
  feed_free (feed);
}
GST_END_TEST;

/* Each kind of verdict; two spans, of which the last one is open; and none. */
GST_START_TEST (test_verdicts)
{
  static const gchar *const names[] = { "pass", "warning", "extended", "fail" };

  for (guint state = HISTO_FLASH_PASS; state <= HISTO_FLASH_FAIL; state++) {
    Feed *feed = feed_new ("verdicts");
    gchar *text, *line;

    for (guint i = 0; i < 50; i++) {
      feed->figures->FLASH_transitions = 0;
      feed->figures->FLASH_state = i == 10 || i >= 40 ? state : HISTO_FLASH_PASS;
      give (feed);
    }
    text = finish (feed);
    line = g_strdup_printf ("picture: %s, zones: pass (a screening aid, not "
        "certified)\n", names[state]);
    fail_unless_has (text, line);
    fail_unless_equals_int (feed->stream->flashes->len,
        state == HISTO_FLASH_PASS ? 0 : 2);
    if (state != HISTO_FLASH_PASS)
      fail_unless_has (text, " 0:00:00.400 - 0:00:00.440 ");
    if (state != HISTO_FLASH_PASS)
      fail_unless_has (text, " 0:00:01.600 - 0:00:02.000 ");
    fail_if_has (text, "left out");
    g_free (line);
    g_free (text);
    feed_free (feed);
  }
}
GST_END_TEST;

/* ---- Field order --------------------------------------------------------------------------------- */

typedef struct
{
  const gchar *declared;        /* NULL: unknown */
  guint multi[4];               /* frames of each order */
  guint top, bottom;            /* of 5 frames, so many repeat a field */
  const gchar *measured, *text;
  guint single[4];              /* frames of each order by themselves; all 0: not known */
} Order;

static const Order orders[] = {
  {"progressive", {0, 0, 100, 0}, 0, 0, "progressive",
      "progressive; the frames look progressive\n", {0}},
  {"progressive", {75, 25, 0, 30}, 0, 0, "top-field-first",
      "declared progressive, but the frames look interlaced, top field first\n", {0}},
  {"progressive", {74, 26, 0, 30}, 0, 0, "undetermined",
      "progressive; the frames show no clear order\n", {0}},
  {"top-field-first", {0, 100, 0, 0}, 0, 0, "bottom-field-first",
      "declared interlaced, top field first, but the frames look interlaced, bottom field "
      "first\n", {0}},
  {"top-field-first", {100, 0, 0, 0}, 0, 0, "top-field-first",
      "interlaced, top field first; the frames look interlaced, top field first\n", {0}},
  {"bottom-field-first", {0, 0, 100, 0}, 0, 0, "progressive",
      "declared interlaced, bottom field first, but the frames look progressive\n", {0}},
  {"mixed", {0, 0, 100, 0}, 0, 0, "progressive",
      "mixed: some frames are interlaced, or their order differs; the frames look "
      "progressive\n", {0}},
  {"progressive", {100, 0, 0, 0}, 1, 1, "telecine",
      "declared progressive, but the frames look telecine: fields are repeated in the "
      "pattern 2:3\n", {0}},
  {"top-field-first", {100, 0, 0, 0}, 1, 1, "telecine",
      "interlaced, top field first; the frames look telecine: fields are repeated in "
      "the pattern 2:3\n", {0}},
  /* Repeats of one field are no telecine, nor are too many. */
  {"top-field-first", {100, 0, 0, 0}, 1, 0, "top-field-first",
      "the frames look interlaced, top field first\n", {0}},
  {"top-field-first", {100, 0, 0, 0}, 2, 2, "top-field-first",
      "the frames look interlaced, top field first\n", {0}},
  /* Several frames must agree before another order is taken: so one of few frames may last. */
  {"top-field-first", {0, 100, 0, 0}, 0, 0, "undetermined",
      "top field first; the frames show no clear order\n", {10, 10, 1, 50}},
  {"top-field-first", {0, 100, 0, 0}, 0, 0, "bottom-field-first",
      "declared interlaced, top field first, but the frames look interlaced, bottom field first\n", {10, 10, 0, 50}},
  /* Against what says that it is progressive, nearly all must agree. */
  {"progressive", {0, 100, 0, 0}, 0, 0, "undetermined",
      "progressive; the frames show no clear order\n", {4, 96, 0, 0}},
  {"progressive", {0, 100, 0, 0}, 0, 0, "bottom-field-first",
      "declared progressive, but the frames look interlaced, bottom field first\n", {3, 97, 0, 0}},
  {NULL, {0, 0, 0, 100}, 0, 0, "undetermined",
      "    field order    not said; the frames show no clear order\n", {0}},
};

static gdouble
single_of (const Order * order, guint n)
{
  for (guint single = 0; single < G_N_ELEMENTS (order->single); single++) {
    if (n < order->single[single])
      return single;
    n -= order->single[single];
  }
  return NAN;
}

GST_START_TEST (test_field_order)
{
  const Order *order = &orders[__i__];
  Feed *feed = feed_new ("order");
  gchar *text, *json, *member;
  guint n = 0;

  for (guint multi = 0; multi < 4; multi++) {
    for (guint i = 0; i < order->multi[multi]; i++, n++) {
      feed->figures->FIELD_single = single_of (order, n);
      feed->figures->FIELD_multi = multi;
      feed->figures->FIELD_repeated = n % 5 < order->top ?
          HISTO_REPEATED_TOP : n % 5 < order->top + order->bottom ?
          HISTO_REPEATED_BOTTOM : HISTO_REPEATED_NEITHER;
      give (feed);
    }
  }
  feed->stream->field_order = g_strdup (order->declared);
  text = finish (feed);
  json = written (report_json_summary_writer_new, feed->summary);
  member = g_strdup_printf ("\"measured-field-order\":\"%s\"", order->measured);
  fail_unless_has (text, order->text);
  fail_unless_has (json, member);
  g_free (member);
  g_free (json);
  g_free (text);
  feed_free (feed);
}
GST_END_TEST;

/* Nothing was measured: what the stream says is told as before. */
GST_START_TEST (test_field_order_unmeasured)
{
  Feed *feed = feed_new ("order");
  gchar *text;

  give (feed);
  feed->stream->field_order = g_strdup ("progressive");
  text = finish (feed);
  fail_if_has (text, "field order");
  g_free (text);
  g_free (feed->stream->field_order);
  feed->stream->field_order = g_strdup ("top-field-first");
  text = finish (feed);
  fail_unless_has (text, "\n    field order    interlaced, top field first\n");
  fail_if_has (text, "flashes");
  fail_if_has (text, "gamut");
  fail_if_has (text, "repeats");
  g_free (text);
  feed_free (feed);
}
GST_END_TEST;

/* Rows of buffers that are fields say nothing of the order of fields. */
GST_START_TEST (test_field_order_of_fields)
{
  Feed *feed = feed_new ("fields");
  gchar *text;

  feed->figures->FIELD_multi = HISTO_FIELD_PROGRESSIVE;
  give (feed);
  feed->stream->field_order = g_strdup (REPORT_ALTERNATE);
  text = finish (feed);
  fail_unless_has (text, "\n    field order    interlaced, each buffer is one field\n");
  fail_if_has (text, "look at");
  fail_unless (report_answers_field_order (feed->stream) == NULL);
  g_free (text);
  feed_free (feed);
}
GST_END_TEST;

/* ---- Gamut --------------------------------------------------------------------------------------- */

GST_START_TEST (test_gamut)
{
  Feed *feed = feed_new ("gamut");
  const gdouble shares[] = { 0, .01, .02, .03125, .03125, .0101, .001 };
  gchar *text, *json;
  ReportSummary *all;

  feed->figures->GAMUT_FILTER_any = 0;
  give (feed);
  text = finish (feed);
  fail_unless_has (text, "\n    gamut          no pixel is outside of EBU R 103\n");
  g_free (text);
  feed->figures->GAMUT_FILTER_any = .01;
  give (feed);
  text = finish (feed);
  fail_unless_has (text, "\n    gamut          no frame has more than 1 % of its pixels outside of "
      "EBU R 103; the most is 1.000 %, in frame 1 (0:00:00.040)\n");
  g_free (text);
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
    feed->figures->GAMUT_FILTER_any = shares[i];
    give (feed);
  }
  text = finish (feed);
  /* Of two frames that are alike the first one. */
  fail_unless_has (text, "\n    gamut          4 of 9 frames have more than 1 % of their pixels "
      "outside of EBU R 103; the most is 3.125 %, in frame 5 (0:00:00.200)\n");
  json = written (report_json_summary_writer_new, feed->summary);
  fail_unless_has (json, "\"r103\":{\"frames-above\":4,\"worst\":0.03125,"
      "\"worst-frame\":5,\"worst-time\":200000000}");
  g_free (json);
  g_free (text);
  all = merged_twice (feed);
  json = written (report_json_summary_writer_new, all);
  fail_unless_has (json, "\"r103\":{\"frames-above\":8,\"worst\":0.03125}");
  text = written (report_full_writer_new, all);
  fail_unless_has (text, "8 of 18 frames have more than 1 % of their pixels outside of "
      "EBU R 103; the most is 3.125 %\n");
  report_summary_free (all);
  g_free (json);
  g_free (text);
  feed_free (feed);
}
GST_END_TEST;

/* ---- Sound --------------------------------------------------------------------------------------- */

#define WINDOW (GST_SECOND / 10)
#define SOUND_GROUPS (HISTO_GROUP_FLAG (HISTO_GROUP_BASIC) | HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL))

/* Four channels: L and R, Ls and Rs. */
static Feed *
feed_sound (void)
{
  static gchar *names[] = { (gchar *) "L", (gchar *) "R", (gchar *) "Ls", (gchar *) "Rs", NULL };
  static const gchar *const channels[] = { "ch0", "ch1", "ch2", "ch3" };
  const ReportStream stream = {.is_audio = TRUE,.title = (gchar *) "audio 0",
    .rate = 48000,.channels = 4,.channel_names = names,
    .format = (gchar *) "F32LE",.groups = SOUND_GROUPS
  };
  Feed *feed = g_new0 (Feed, 1);
  HistoResult *result = &feed->result;

  feed->summary = report_summary_new ("sound");
  feed->summary->is_complete = TRUE;
  feed->stream = report_summary_add_stream (feed->summary, &stream);
  result->is_audio = TRUE;
  result->format = "F32LE";
  result->backend = "cpu";
  result->rate = 48000;
  result->channels = 4;
  result->n_samples = 4800;
  result->groups = SOUND_GROUPS;
  histo_result_set_n_components (result, 4);
  result->n_region_components = 4;
  histo_result_set_n_levels (result, 4);
  histo_result_set_n_pairs (result, 2);
  for (guint c = 0; c < 4; c++) {
    result->components[c].name = channels[c];
    result->components[c].figures = (HistoFigures) {
      .count = 4800,.underflow = 4800,.range_min = -1,.range_max = 1,
      .min = -.5,.max = .5,.variance = .125
    };
  }
  result->pairs[0].second = 1;
  result->pairs[1].first = 2;
  result->pairs[1].second = 3;
  for (guint i = 0; i < 2; i++)
    result->pairs[i].figures = (HistoPairFigures) { 0, -3, 0, 0, 0 };
  return feed;
}

static void
give_sound (Feed * feed, guint windows)
{
  for (guint i = 0; i < windows; i++) {
    const guint64 time = feed->n++ * WINDOW;
    const HistoTimes times = { time, time, time, WINDOW };

    report_summary_add_result (feed->stream, &feed->result, &times);
  }
}

static void
set_pair (Feed * feed, guint i, gdouble correlation, guint inverted,
    guint dual_mono)
{
  HistoPairFigures *figures = &feed->result.pairs[i].figures;

  figures->correlation = correlation;
  figures->mono_loss = 10 * log10 ((1 + correlation) / 2);
  figures->inverted = inverted;
  figures->dual_mono = dual_mono;
}

/* Equal powers in each window: the correlation of all is the mean. Spans have at least 2 s. */
GST_START_TEST (test_sound)
{
  Feed *feed = feed_sound ();
  HistoLevelFigures *levels = feed->result.levels;
  gchar *text, *json;
  ReportSummary *all;

  /* Rs is dead. R is silent from 1.0 s to 2.9 s, and from 4.0 s to 6.0 s. */
  levels[3].silent = 1;
  set_pair (feed, 1, NAN, 0, 0);
  set_pair (feed, 0, 0.5, 0, 0);
  give_sound (feed, 10);
  levels[1].silent = 1;
  give_sound (feed, 19);
  levels[1].silent = 0;
  give_sound (feed, 11);
  levels[1].silent = 1;
  give_sound (feed, 20);
  levels[1].silent = 0;
  /* Inverted from 6.0 s to 10.0 s, with 0.5 s of silence; not dual mono, which is known 2 s late. */
  set_pair (feed, 0, -1, 0, 0);
  give_sound (feed, 19);
  set_pair (feed, 0, -1, 1, 0);
  give_sound (feed, 10);
  set_pair (feed, 0, NAN, 0, 0);
  give_sound (feed, 5);
  set_pair (feed, 0, -1, 1, 0);
  give_sound (feed, 6);
  /* Dual mono from 10.0 s to 13.0 s. */
  set_pair (feed, 0, 1, 0, 0);
  give_sound (feed, 19);
  set_pair (feed, 0, 1, 0, 1);
  give_sound (feed, 11);
  set_pair (feed, 0, 0.5, 0, 0);
  give_sound (feed, 10);
  text = finish (feed);
  fail_unless_has (text, "; Rs is silent; L and R are inverted for 4.0 s\n");
  fail_unless_has (text, "\n    silent         R for 2.0 s\n");
  fail_unless_has (text, "    R 0:00:04.000 - 0:00:06.000\n");
  fail_if_has (text, "Rs 0:00");
  fail_unless_has (text, "\n    inverted       L and R for 4.0 s\n");
  fail_unless_has (text, "    L and R 0:00:06.000 - 0:00:10.000\n");
  fail_unless_has (text, "\n    dual mono      L and R for 3.0 s\n");
  fail_unless_has (text, "    L and R 0:00:10.000 - 0:00:13.000\n");
  /* 70 windows of 0.5, 35 of -1, 30 of 1, and 5 without one, of 140. The power of each is the same. */
  fail_unless_has (text, "\n    pairs          L  R   correlation 0.21   "
      "mono loss -2.30 dB   balance 0.00 dB\n");
  fail_unless_has (text, "\n                   Ls Rs  ");
  json = written (report_json_summary_writer_new, feed->summary);
  fail_unless_has (json, "\"sound-spans\":[{\"state\":\"silent\",\"first\":\"ch3\","
      "\"start\":0,\"end\":14000000000},{\"state\":\"silent\",\"first\":\"ch1\","
      "\"start\":4000000000,\"end\":6000000000},{\"state\":\"inverted\","
      "\"first\":\"ch0\",\"second\":\"ch1\",\"start\":6000000000,"
      "\"end\":10000000000},{\"state\":\"dual-mono\"");
  fail_unless_has (json, "\"headline\":\"Rs is silent; L and R are inverted for 4.0 s\"");
  g_free (json);
  g_free (text);
  all = merged_twice (feed);
  text = written (report_full_writer_new, all);
  fail_unless_has (text, "; Rs is silent; L and R are inverted for 8.0 s\n");
  fail_unless_has (text, "L  R   correlation 0.21   mono loss -2.30 dB   balance 0.00 dB\n");
  fail_unless_has (text, "\n    silent         Rs for 28.0 s, R for 4.0 s\n");
  fail_unless_has (text, "sound R 0:00:04.000 - 0:00:06.000");
  report_summary_free (all);
  g_free (text);
  feed_free (feed);
}
GST_END_TEST;

/* Where the time jumps, back or on, a run ends. */
GST_START_TEST (test_jumps_of_sound)
{
  Feed *feed = feed_sound ();
  gchar *json;

  feed->n = 100;
  feed->result.levels[1].silent = 1;
  give_sound (feed, 15);
  feed->n = 0;
  give_sound (feed, 15);
  feed->n = 1000;
  give_sound (feed, 25);
  g_free (finish (feed));
  json = written (report_json_summary_writer_new, feed->summary);
  fail_unless_has (json, "\"sound-spans\":[{\"state\":\"silent\",\"first\":\"ch1\","
      "\"start\":100000000000,\"end\":102500000000}]");
  g_free (json);
  feed_free (feed);
}
GST_END_TEST;

/* What all channels have is told by the alert; a stream of opposite channels is inverted, however short it is. */
GST_START_TEST (test_whole_sound)
{
  Feed *feed = feed_sound ();
  gchar *text;

  set_pair (feed, 0, -0.99, 0, 0);
  set_pair (feed, 1, -0.98, 0, 0);
  give_sound (feed, 3);
  text = finish (feed);
  fail_unless_has (text, "; L and R are inverted\n");
  fail_unless_has (text, "look at        L and R are opposite in phase: their correlation is -0.99\n");
  fail_unless_has (text, "Ls and Rs are opposite in phase: their correlation is -0.98\n");
  g_free (text);
  feed_free (feed);
  feed = feed_sound ();
  set_pair (feed, 0, NAN, 0, 0);
  give_sound (feed, 1);
  for (guint c = 0; c < 4; c++)
    feed->result.levels[c].silent = 1;
  give_sound (feed, 30);
  text = finish (feed);
  fail_if_has (text, "\n    silent ");
  fail_if_has (text, "are silent");
  g_free (text);
  feed_free (feed);
  feed = feed_sound ();
  for (guint c = 0; c < 4; c++)
    feed->result.levels[c].silent = 1;
  give_sound (feed, 30);
  text = finish (feed);
  fail_unless_has (text, "; all channels are silent\n");
  g_free (text);
  feed_free (feed);
}
GST_END_TEST;

/* What is not 0 is not told as 0.000 %. */
GST_START_TEST (test_small_gamut)
{
  static const struct
  {
    gdouble share;
    const gchar *text;
  } cases[] = {
    {.000004, "the most is less than 0.001 %, in frame 0"},
    {.000006, "the most is 0.001 %, in frame 0"},
    {.02, "1 of 1 frame has more than 1 % of its pixels outside of EBU R 103; the most is "
          "2.000 %, in frame 0"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Feed *feed = feed_new ("gamut");
    gchar *text;

    feed->figures->GAMUT_FILTER_any = cases[i].share;
    give (feed);
    text = finish (feed);
    fail_unless_has (text, cases[i].text);
    g_free (text);
    feed_free (feed);
  }
}
GST_END_TEST;

/* ---- Repeats ------------------------------------------------------------------------------------- */

#define KNOWN_FROM 50

/* A pattern of repeats of 200 frames. @known_from: the frame from which on the cadence is known */
static gchar *
text_of_repeats (const gchar * pattern, guint unique, guint known_from,
    Feed ** feed)
{
  const guint period = strlen (pattern);

  *feed = feed_new ("repeats");
  for (guint i = 0; i < 200; i++) {
    (*feed)->figures->MOTION_repeat = i == 0 ? NAN : pattern[i % period] - '0';
    (*feed)->figures->MOTION_near_repeat = (*feed)->figures->MOTION_repeat;
    (*feed)->figures->MOTION_cadence_period = i < known_from || unique == 0 ? NAN : period;
    (*feed)->figures->MOTION_cadence_unique = i < known_from || unique == 0 ? NAN : unique;
    give (*feed);
  }
  return finish (*feed);
}

GST_START_TEST (test_repeats)
{
  static const struct
  {
    const gchar *pattern;
    guint unique;
    const gchar *text;
    guint known_from;
  } cases[] = {
    {"01", 1, "100 frames equal the one before, the first at 0:00:00.040; "
          "cadence: 1 unique of 2 (2:2), 12.5 in 25 frames/s, at 150 of 199 frames", KNOWN_FROM},
    {"01101", 2, "120 frames equal the one before, at most 2 in a row at 0:00:00.040; "
          "cadence: 2 unique of 5 (2:3), 10 in 25 frames/s, at 150 of 199 frames", KNOWN_FROM},
    {"00001", 4, "40 frames equal the one before, the first at 0:00:00.160; "
          "cadence: 4 unique of 5, 20 in 25 frames/s, at 150 of 199 frames", KNOWN_FROM},
    {"00111", 0, "120 frames equal the one before, at most 3 in a row at 0:00:00.080; "
          "no steady cadence", KNOWN_FROM},
    {"0", 1, "none", KNOWN_FROM},
    /* A picture that stands still has no cadence to tell. */
    {"1", 0, "199 frames equal the one before, at most 199 in a row at 0:00:00.040", KNOWN_FROM},
    /* Four periods, and a frame less. */
    {"01101", 2, "120 frames equal the one before, at most 2 in a row at 0:00:00.040; "
          "cadence: 2 unique of 5 (2:3), 10 in 25 frames/s, at 20 of 199 frames", 180},
    {"01101", 2, "120 frames equal the one before, at most 2 in a row at 0:00:00.040; "
          "no steady cadence", 181},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Feed *feed;
    gchar *text = text_of_repeats (cases[i].pattern, cases[i].unique,
        cases[i].known_from, &feed);
    gchar *line = g_strdup_printf ("\n    repeats        %s\n", cases[i].text);

    fail_unless_has (text, line);
    g_free (line);
    g_free (text);
    feed_free (feed);
  }
}
GST_END_TEST;

GST_START_TEST (test_merged_repeats)
{
  Feed *feed;
  gchar *text = text_of_repeats ("01101", 2, KNOWN_FROM, &feed), *json;
  ReportSummary *all = merged_twice (feed);

  json = written (report_json_summary_writer_new, feed->summary);
  fail_unless_has (json, "\"repeats\":{\"longest-run\":2,\"longest-run-start\":"
      "40000000,\"cadences\":[{\"period\":5,\"unique\":2,\"frames\":150}]}");
  g_free (json);
  json = written (report_json_summary_writer_new, all);
  fail_unless_has (json, "\"repeats\":{\"longest-run\":2,\"cadences\":"
      "[{\"period\":5,\"unique\":2,\"frames\":300}]}");
  g_free (text);
  text = written (report_full_writer_new, all);
  fail_unless_has (text, "240 frames equal the one before, at most 2 in a row; "
      "cadence: 2 unique of 5 (2:3), 10 in 25 frames/s, at 300 of 398 frames\n");
  report_summary_free (all);
  g_free (json);
  g_free (text);
  feed_free (feed);
}
GST_END_TEST;

/* What a lossy codec makes of repeats is nearly equal. */
GST_START_TEST (test_near_repeats)
{
  Feed *feed = feed_new ("near");
  gchar *text;

  for (guint i = 0; i < 10; i++) {
    feed->figures->MOTION_repeat = i == 3;
    feed->figures->MOTION_near_repeat = i >= 3 && i < 6;
    give (feed);
  }
  text = finish (feed);
  fail_unless_has (text, "\n    repeats        1 frame equals the one before at "
      "0:00:00.120; 2 more are nearly equal to it\n");
  g_free (text);
  feed_free (feed);
  feed = feed_new ("only near");
  feed->figures->MOTION_repeat = 0;
  for (guint i = 0; i < 2; i++) {
    feed->figures->MOTION_near_repeat = 1;
    give (feed);
    text = finish (feed);
    fail_unless_has (text, i == 0 ?
        "\n    repeats        none; 1 frame is nearly equal to the one before\n" :
        "\n    repeats        none; 2 frames are nearly equal to the one before\n");
    g_free (text);
  }
  feed_free (feed);
}
GST_END_TEST;

/* ---- Timestamps ---------------------------------------------------------------------------------- */

static GstFlowReturn
drop (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* Pushes frames with these timestamps, in ms, of these durations. -1: none. @watch: (out): what was seen */
static void
push_frames (ReportStreamWatch ** watch, GstPad * pads[2], gint * own,
    const gchar * mode, const gint (*times)[2], guint n)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format=I420, width=64, "
      "height=48, framerate=25/1");
  GstSegment segment;

  gst_caps_set_simple (caps, "interlace-mode", G_TYPE_STRING, mode, NULL);
  if (g_str_equal (mode, "alternate"))
    gst_caps_set_features_simple (caps, gst_caps_features_new (
            GST_CAPS_FEATURE_FORMAT_INTERLACED, NULL));
  pads[0] = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));
  pads[1] = gst_object_ref_sink (gst_pad_new ("sink", GST_PAD_SINK));
  gst_pad_set_chain_function (pads[1], drop);
  fail_unless (gst_pad_link (pads[0], pads[1]) == GST_PAD_LINK_OK);
  gst_pad_set_active (pads[0], TRUE);
  gst_pad_set_active (pads[1], TRUE);
  *watch = report_stream_watch_new (pads[0], NULL, own);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pads[0], gst_event_new_stream_start ("stream"));
  gst_pad_push_event (pads[0], gst_event_new_caps (caps));
  gst_pad_push_event (pads[0], gst_event_new_segment (&segment));
  gst_caps_unref (caps);
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = gst_buffer_new ();

    GST_BUFFER_PTS (buffer) = times[i][0] < 0 ? GST_CLOCK_TIME_NONE :
        (guint64) times[i][0] * GST_MSECOND;
    GST_BUFFER_DURATION (buffer) = times[i][1] < 0 ? GST_CLOCK_TIME_NONE :
        (guint64) times[i][1] * GST_MSECOND;
    fail_unless (gst_pad_push (pads[0], buffer) == GST_FLOW_OK);
  }
}

static void
free_watch (ReportStreamWatch * watch, GstPad * pads[2])
{
  report_stream_watch_free (watch);
  for (guint i = 0; i < 2; i++) {
    gst_pad_set_active (pads[i], FALSE);
    gst_object_unref (pads[i]);
  }
}

static void
check_place (const GArray * places, guint i, guint start, guint count)
{
  const ReportSpan *span = &g_array_index (places, ReportSpan, i);

  fail_unless (i < places->len);
  fail_unless_equals_uint64 (span->start, start * GST_MSECOND);
  fail_unless_equals_uint64 (span->count, count);
}

/* Frames and fields are counted apart. The flag of a top field is that of a frame whose top field comes first. */
GST_START_TEST (test_watch_fields)
{
  static const gint times[][2] = { {0, 20}, {20, 20} };
  ReportStreamWatch *watch;
  GstPad *pads[2];
  gint own = 0;

  for (guint i = 0; i < 3; i++) {
    const gchar *const modes[] = { "progressive", "interleaved", "alternate" };

    push_frames (&watch, pads, &own, modes[i], times, G_N_ELEMENTS (times));
    fail_unless_equals_uint64 (watch->n_interlaced, i == 1 ? 2 : 0);
    fail_unless_equals_uint64 (watch->n_fields, i == 2 ? 2 : 0);
    free_watch (watch, pads);
  }
}
GST_END_TEST;

/* Few frames: the rate is that of the caps. */
GST_START_TEST (test_watch)
{
  static const gint times[][2] = {
    {0, 40}, {40, 40}, {120, 40},       /* a gap of a frame */
    {180, 40},                  /* 20 ms late: just no gap */
    {220, 40}, {281, 40},       /* 21 ms: a gap of a frame */
    {300, 40},                  /* 21 ms early: an overlap */
    {295, 40},                  /* back */
    {-1, 40}, {700, 40},        /* behind an unknown one there is none */
    {740, -1}, {900, 40},       /* a gap of 120 ms: of 3 frames */
  };
  g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (guint64));
  ReportStreamWatch *watch;
  ReportTiming *timing;
  GstPad *pads[2];
  gint own = 0;

  push_frames (&watch, pads, &own, "progressive", times, G_N_ELEMENTS (times));
  timing = report_timing_new (watch, held);
  fail_unless_equals_uint64 (watch->n_buffers, G_N_ELEMENTS (times));
  fail_unless_equals_uint64 (watch->n_untimed, 1);
  fail_unless_equals_int (timing->gaps->len, 3);
  check_place (timing->gaps, 0, 80, 1);
  check_place (timing->gaps, 1, 260, 1);
  check_place (timing->gaps, 2, 780, 3);
  fail_unless_equals_int (timing->overlaps->len, 1);
  check_place (timing->overlaps, 0, 300, 1);
  fail_unless_equals_int (watch->jumps_back->len, 1);
  check_place (watch->jumps_back, 0, 295, 1);
  fail_unless_equals_uint64 (timing->n_shifted + timing->distances.n, 0);
  report_timing_free (timing);
  free_watch (watch, pads);
}
GST_END_TEST;

/* Times in ms of frame @i at 25 frames/s. */
static gint
constant (gint i)
{
  return 40 * i;
}

/* Rounded, as by Matroska, of 30 frames/s. */
static gint
rounded (gint i)
{
  return (100 * i + 1) / 3;
}

static gint
four_dropped (gint i)
{
  return 40 * (i < 60 ? i : i < 120 ? i + 3 : i + 4);
}

static gint
hole (gint i)
{
  return 40 * i + (i < 60 ? 0 : 1000);
}

/* Single frames are lost in 1 of 20 distances. */
static gint
many_dropped (gint i)
{
  return 40 * (i + i / 20);
}

/* As decoders give them of AVI files with B-frames: one frame has the time of the one before. */
static gint
shifted (gint i)
{
  return 40 * (i - (i % 3 == 1));
}

static gint
shifted_and_dropped (gint i)
{
  return shifted (i) + (i < 60 ? 0 : 160);
}

/* A frame too late, and right again behind two others. */
static gint
shifted_late (gint i)
{
  return 40 * (i + (i % 12 / 3 == 1));
}

/* By two frames: then the times jump back. */
static gint
shifted_by_two (gint i)
{
  return 40 * (i + 2 * (i % 40 == 20));
}

/* Each seventh frame is left out. */
static gint
variable (gint i)
{
  return 40 * (i + i / 6);
}

static gint
variable_and_hole (gint i)
{
  return variable (i) + (i < 60 ? 0 : 1000);
}

static gint
variable_and_dropped (gint i)
{
  return variable (i) + (i < 63 ? 0 : 120);
}

/* Film in 60 fields: 3 and 2 of them by turns. */
static gint
telecine (gint i)
{
  return (250 * i - (i % 2) * 50) / 6;
}

/* By up to 8 ms. */
static gint
wobbling (gint i)
{
  return 40 * i + i * 7 % 9;
}

static gint
wobbling_and_dropped (gint i)
{
  return wobbling (i) + (i < 60 ? 0 : 40);
}

static gint
two_rates (gint i)
{
  return i < 100 ? 20 * i : 2000 + 40 * (i - 100);
}

/* As a screen is recorded: it slows down, to 3 s a frame. */
static gint
ever_slower (gint i)
{
  return 40 * i + i * i * 8;
}

static gint
variable_with_equal_times (gint i)
{
  return variable (i - (i == 63));
}

static gint
all_equal (gint i)
{
  return 100;
}

/* What 180 frames are told to be. A gap must be told at a constant rate and at a variable one. */
GST_START_TEST (test_timing)
{
  static const struct
  {
    gint (*time_of) (gint i);
    guint n_gaps, gap_length, n_overlaps, n_shifted;
    gint slowest, fastest;      /* distances in ms; 0: the rate is constant */
  } cases[] = {
    {constant, 0, 0, 0, 0, 0, 0},
    {rounded, 0, 0, 0, 0, 0, 0},
    {four_dropped, 2, 4, 0, 0, 0, 0},
    {hole, 1, 25, 0, 0, 0, 0},
    {many_dropped, 8, 8, 0, 0, 0, 0},
    {shifted, 0, 0, 0, 60, 0, 0},
    {shifted_and_dropped, 1, 4, 0, 60, 0, 0},
    {shifted_late, 0, 0, 0, 45, 0, 0},
    {shifted_by_two, 4, 8, 0, 0, 0, 0},
    {variable, 0, 0, 0, 0, 80, 40},
    {variable_and_hole, 1, 22, 0, 0, 80, 40},
    {variable_and_dropped, 1, 2, 0, 0, 80, 40},
    {telecine, 0, 0, 0, 0, 50, 33},
    {wobbling, 0, 0, 0, 0, 47, 38},
    {wobbling_and_dropped, 1, 1, 0, 0, 47, 38},
    {two_rates, 0, 0, 0, 0, 40, 20},
    {ever_slower, 0, 0, 0, 0, 2896, 48},
    {variable_with_equal_times, 0, 0, 1, 0, 80, 40},
    {all_equal, 0, 0, 179, 0, 0, 0},
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    ReportStreamWatch *watch;
    g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (guint64));
    ReportTiming *timing;
    gint times[180][2], own = 0;
    GstPad *pads[2];
    guint64 length = 0;

    /* The duration of a buffer is that of the caps, whatever follows: decoders do so. */
    for (gint i = 0; i < 180; i++) {
      times[i][0] = cases[c].time_of (i);
      times[i][1] = 40;
    }
    push_frames (&watch, pads, &own, "progressive", (const gint (*)[2]) times, 180);
    timing = report_timing_new (watch, held);
    for (guint i = 0; i < timing->gaps->len; i++)
      length += g_array_index (timing->gaps, ReportSpan, i).count;
    fail_unless (timing->gaps->len == cases[c].n_gaps && length == cases[c].gap_length
        && timing->overlaps->len == cases[c].n_overlaps && timing->n_shifted == cases[c].n_shifted
        && (timing->distances.n > 0) == (cases[c].slowest > 0),
        "case %u: %u gaps of %" G_GUINT64_FORMAT ", %u overlaps, %" G_GUINT64_FORMAT " shifted, %" G_GUINT64_FORMAT
        " distances", c, timing->gaps->len, length, timing->overlaps->len, timing->n_shifted, timing->distances.n);
    if (cases[c].slowest > 0)
      fail_unless (fabs (timing->distances.max / GST_MSECOND - cases[c].slowest) <= 1.1
          && fabs (timing->distances.min / GST_MSECOND - cases[c].fastest) <= 1.1, "case %u: %g to %g ms", c,
          timing->distances.min / GST_MSECOND, timing->distances.max / GST_MSECOND);
    report_timing_free (timing);
    free_watch (watch, pads);
  }
}
GST_END_TEST;

/* The first places are told; all are counted, of several inputs, too. */
GST_START_TEST (test_timestamps)
{
  Feed *feed = feed_new ("times");
  ReportTimestamps *timestamps = &feed->stream->timestamps;
  ReportSummary *all;
  gchar *text;

  give (feed);
  timestamps->n_buffers = 20;
  text = finish (feed);
  fail_if_has (text, "timestamps");
  g_free (text);
  timestamps->n_untimed = 2;
  timestamps->n[REPORT_GAP] = 9;
  timestamps->gap_length = 12;
  timestamps->n[REPORT_JUMP_BACK] = 1;
  for (guint i = 0; i < 10; i++) {
    ReportTimePlace *place = report_objects_add (timestamps->places, &report_time_place_shape);

    place->fault = i == 0 ? REPORT_JUMP_BACK : REPORT_GAP;
    place->start = i * GST_SECOND;
    place->count = i == 0 ? 0 : 1;
  }
  text = finish (feed);
  fail_unless_has (text, "\n    timestamps     9 gaps of 12 frames, 1 jump back, 2 missing\n"
      "                   jump-back 0:00:00.000  gap 0:00:01.000  ");
  fail_unless_has (text, "and 2 more; --json-summary lists all\n");
  g_free (text);
  all = merged_twice (feed);
  text = written (report_full_writer_new, all);
  fail_unless_has (text, "\n    timestamps     18 gaps of 24 frames, 2 jumps back, 4 missing\n"
      "                   times jump-back 0:00:00.000  times gap 0:00:01.000");
  report_summary_free (all);
  g_free (text);
  feed_free (feed);
}
GST_END_TEST;

/* One line, and no list, of what is no fault; before the gaps. */
GST_START_TEST (test_variable_rate)
{
  Feed *feed = feed_new ("times");
  ReportTimestamps *timestamps = &feed->stream->timestamps;
  ReportSummary *all;
  gchar *text;

  give (feed);
  timestamps->n_buffers = 20;
  timestamps->n_shifted = 1;
  text = finish (feed);
  fail_unless_has (text, "\n    timestamps     1 time is shifted by at most one frame\n    ");
  g_free (text);
  timestamps->distances = (HistoRange) { 10, 33.4 * GST_MSECOND, 50 * GST_MSECOND, 413 * GST_MSECOND, 40 * GST_MSECOND };
  text = finish (feed);
  fail_unless_has (text, "\n    timestamps     variable frame rate: 20 to 29.9, mean 24.2; 1 time is shifted by at most "
      "one frame\n    ");
  g_free (text);
  /* A decoder that does not pass times on. */
  timestamps->n_shifted = 0;
  timestamps->distances.n = 0;
  timestamps->n[REPORT_OVERLAP] = 19;
  for (guint i = 0; i < 19; i++)
    ((ReportTimePlace *) report_objects_add (timestamps->places, &report_time_place_shape))->fault = REPORT_OVERLAP;
  text = finish (feed);
  fail_unless_has (text, "\n    timestamps     all frames have the same time\n    ");
  g_free (text);
  g_ptr_array_set_size (timestamps->places, 0);
  timestamps->n[REPORT_OVERLAP] = 0;
  timestamps->distances.n = 10;
  timestamps->n[REPORT_GAP] = timestamps->gap_length = 1;
  all = merged_twice (feed);
  text = written (report_full_writer_new, all);
  fail_unless_has (text, "\n    timestamps     variable frame rate: 20 to 29.9, mean 24.2; 2 gaps of 2 frames\n");
  report_summary_free (all);
  g_free (text);
  feed_free (feed);
}
GST_END_TEST;

static void
check_unit (const gchar * name, const gchar * unit)
{
  fail_unless (report_tolerance_find_unit (unit) != NULL, "%s: the unit \"%s\" has no tolerance", name, unit);
}

/* --compare knows the unit of each figure. */
GST_START_TEST (test_units)
{
  static const struct
  {
    const HistoFigureInfo *infos;
    guint n;
  } tables[] = {
    {histo_figures, HISTO_N_FIGURES}, {histo_level_figures, HISTO_N_LEVEL_FIGURES},
    {histo_pair_figures, HISTO_N_PAIR_FIGURES}, {histo_loudness_figures, HISTO_N_LOUDNESS_FIGURES},
    {histo_loudness_arrays, HISTO_N_LOUDNESS_ARRAYS},
  };

  for (guint t = 0; t < G_N_ELEMENTS (tables); t++) {
    for (guint i = 0; i < tables[t].n; i++) {
      const HistoFigureInfo *info = &tables[t].infos[i];

      if (!g_str_equal (info->name, "variance") && !g_str_equal (info->name, "bins"))
        check_unit (info->name, info->unit);
    }
  }
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    if (histo_group_figures[i].type != HISTO_FIGURE_CHOICE)
      check_unit (histo_group_figures[i].name, histo_group_figures[i].unit);
  }
}
GST_END_TEST;

static Suite *
answers_suite (void)
{
  Suite *s = suite_create ("answers");
  TCase *t = tcase_create ("general");

  suite_add_tcase (s, t);
  tcase_add_test (t, test_names);
  tcase_add_test (t, test_choices);
  tcase_add_test (t, test_wrong_files);
  tcase_add_test (t, test_frames);
  tcase_add_test (t, test_flashes);
  tcase_add_test (t, test_verdicts);
  tcase_add_loop_test (t, test_field_order, 0, G_N_ELEMENTS (orders));
  tcase_add_test (t, test_field_order_unmeasured);
  tcase_add_test (t, test_field_order_of_fields);
  tcase_add_test (t, test_gamut);
  tcase_add_test (t, test_sound);
  tcase_add_test (t, test_jumps_of_sound);
  tcase_add_test (t, test_whole_sound);
  tcase_add_test (t, test_small_gamut);
  tcase_add_test (t, test_repeats);
  tcase_add_test (t, test_merged_repeats);
  tcase_add_test (t, test_near_repeats);
  tcase_add_test (t, test_watch_fields);
  tcase_add_test (t, test_watch);
  tcase_add_test (t, test_timing);
  tcase_add_test (t, test_timestamps);
  tcase_add_test (t, test_variable_rate);
  tcase_add_test (t, test_units);
  return s;
}

GST_CHECK_MAIN (answers);
