/* The element cudahistocompare: what it attaches and posts, and two threads that push, flush and end at any time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"

#include <cudahisto/alert.h>
#include <cudahisto/comparison.h>
#include <cudahisto/fields.h>
#include <math.h>

#define STEP (40 * GST_MSECOND)
#define WIDTH 32
#define HEIGHT 16
#define CAPS "video/x-raw, format=GRAY8, width=32, height=16, framerate=25/1"

/* ---- An element with three pads -------------------------------------------------------------------- */

typedef struct
{
  GstElement *element;
  GstBus *bus;
  GstPad *to_sink, *to_reference, *from;
  guint n_frames, n_results, n_ends;    /* what has left; atomic */
  gboolean is_slow;             /* downstream takes its time */
  gboolean keeps;               /* the latest frame, without a look at it */
  GstBuffer *kept;
  GstClockTime latest;
} Bench;

static GstFlowReturn
take (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Bench *bench = GST_PAD_ELEMENT_PRIVATE (pad);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, HISTO_COMPARISON_NAME);
  HistoComparison comparison;
  GError *error = NULL;

  g_atomic_int_inc (&bench->n_frames);
  if (bench->keeps) {
    gst_clear_buffer (&bench->kept);
    bench->kept = buffer;
    return GST_FLOW_OK;
  }
  bench->latest = GST_BUFFER_PTS (buffer);
  if (bench->is_slow)
    g_usleep (500);
  if (meta != NULL) {
    g_atomic_int_inc (&bench->n_results);
    fail_unless (histo_comparison_read (gst_custom_meta_get_structure (meta), &comparison, &error), "%s",
        error != NULL ? error->message : "");
    /* The frames of both streams show their times: a wrong pair is not equal. */
    fail_unless (!HISTO_COMPARES (comparison.measures, DIFFERENCE) || comparison.regions[0].equal);
    fail_unless_equals_uint64 (comparison.reference_timestamp, GST_BUFFER_PTS (buffer));
    histo_comparison_clear (&comparison);
  }
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
take_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  Bench *bench = GST_PAD_ELEMENT_PRIVATE (pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    g_atomic_int_inc (&bench->n_ends);
  gst_event_unref (event);
  return TRUE;
}

static GstPad *
link_source (Bench * bench, const gchar * name)
{
  GstPad *source = gst_pad_new (name, GST_PAD_SRC), *pad = gst_element_get_static_pad (bench->element, name);

  fail_unless (GST_PAD_LINK_SUCCESSFUL (gst_pad_link (source, pad)));
  gst_object_unref (pad);
  gst_pad_set_active (source, TRUE);
  return source;
}

/* Without a template, a pad would refuse other caps than its first ones. */
static GstStaticPadTemplate any_caps = GST_STATIC_PAD_TEMPLATE ("from", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static void
bench_open (Bench * bench, const gchar * properties)
{
  g_autofree gchar *text = g_strdup_printf ("cudahistocompare backend=%s %s", test_backend (), properties);
  GstPad *pad;

  memset (bench, 0, sizeof *bench);
  bench->element = gst_parse_launch (text, NULL);
  fail_unless (bench->element != NULL);
  bench->bus = gst_bus_new ();
  gst_element_set_bus (bench->element, bench->bus);
  bench->from = gst_pad_new_from_static_template (&any_caps, "from");
  gst_pad_set_element_private (bench->from, bench);
  gst_pad_set_chain_function (bench->from, take);
  gst_pad_set_event_function (bench->from, take_event);
  gst_pad_set_active (bench->from, TRUE);
  pad = gst_element_get_static_pad (bench->element, "src");
  fail_unless (GST_PAD_LINK_SUCCESSFUL (gst_pad_link (pad, bench->from)));
  gst_object_unref (pad);
  bench->to_sink = link_source (bench, "sink");
  bench->to_reference = link_source (bench, "reference");
  fail_unless (gst_element_set_state (bench->element, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
}

static void
bench_close (Bench * bench)
{
  fail_unless (gst_element_set_state (bench->element, GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS);
  for (guint i = 0; i < 3; i++) {
    GstPad *pad = i == 0 ? bench->to_sink : i == 1 ? bench->to_reference : bench->from;

    gst_pad_set_active (pad, FALSE);
    gst_object_unref (pad);
  }
  gst_bus_set_flushing (bench->bus, TRUE);
  gst_element_set_bus (bench->element, NULL);
  gst_object_unref (bench->bus);
  gst_object_unref (bench->element);
}

static void
begin_stream (GstPad * pad, const gchar * text)
{
  GstCaps *caps = gst_caps_from_string (text);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start (GST_PAD_NAME (pad)));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

/* Frame @number, which shows it. */
static GstBuffer *
make_frame (guint number, guint change)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);

  gst_buffer_memset (buffer, 0, number * 37 % 251, WIDTH * HEIGHT);
  if (change > 0)
    gst_buffer_memset (buffer, 5 * WIDTH + 7, number * 37 % 251 + change, 3);
  GST_BUFFER_PTS (buffer) = number * STEP;
  GST_BUFFER_DURATION (buffer) = STEP;
  return buffer;
}

/* ---- Results --------------------------------------------------------------------------------------- */

static gpointer
push_reference (gpointer data)
{
  GstPad *pad = data;

  begin_stream (pad, CAPS);
  for (guint i = 0; i < 6; i++)
    if (i != 2)
      gst_pad_push (pad, make_frame (i, 0));
  gst_pad_push_event (pad, gst_event_new_eos ());
  return NULL;
}

static guint
pop_messages (Bench * bench, const gchar * name, GstStructure ** latest)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bench->bus, GST_MESSAGE_ELEMENT)) != NULL) {
    if (gst_message_has_name (message, name)) {
      n++;
      g_clear_pointer (latest, gst_structure_free);
      *latest = gst_structure_copy (gst_message_get_structure (message));
    }
    gst_message_unref (message);
  }
  return n;
}

/* Three samples of each frame differ by 3; the reference lacks frame 2. */
TEST (test_results)
{
  GstStructure *structure = NULL, *stats;
  const HistoComparedRegion *region;
  HistoComparison comparison;
  guint64 unpaired, n_pairs;
  GThread *thread;
  Bench bench;

  bench_open (&bench, "meta=false post-messages=true regions=\"a=0,0,8,8; b=16,8,50%,50%\"");
  thread = g_thread_new ("reference", push_reference, bench.to_reference);
  begin_stream (bench.to_sink, CAPS);
  for (guint i = 0; i < 8; i++)
    fail_unless (gst_pad_push (bench.to_sink, make_frame (i, 3)) == GST_FLOW_OK);
  gst_pad_push_event (bench.to_sink, gst_event_new_eos ());
  g_thread_join (thread);
  fail_unless_equals_int (pop_messages (&bench, HISTO_COMPARISON_NAME, &structure), 5);
  fail_unless (histo_comparison_read (structure, &comparison, NULL));
  gst_structure_free (structure);
  fail_unless_equals_int (comparison.n_regions, 3);
  region = &comparison.regions[0];
  fail_unless (!region->equal && region->x == 7 && region->y == 5 && region->width == 3 && region->height == 1);
  fail_unless_equals_uint64 (region->components[0].different, 3);
  fail_unless_equals_uint64 (region->components[0].sse, 27);
  fail_unless_equals_int (region->components[0].max_difference, 3);
  fail_unless_equals_float (region->psnr, 10 * log10 (255. * 255 * WIDTH * HEIGHT / 27));
  region = &comparison.regions[1];
  fail_unless (g_str_equal (region->name, "a") && region->x == 7 && region->width == 1);
  region = &comparison.regions[2];
  fail_unless (g_str_equal (region->name, "b") && region->equal && isinf (region->psnr));
  fail_unless_equals_uint64 (region->components[0].count, WIDTH * HEIGHT / 4);
  fail_unless_equals_float (region->ssim, 1);
  histo_comparison_clear (&comparison);
  g_object_get (bench.element, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "pairs", G_TYPE_UINT64, &n_pairs, "unpaired", G_TYPE_UINT64, &unpaired, NULL));
  fail_unless (n_pairs == 5 && unpaired == 3);
  gst_structure_free (stats);
  fail_unless_equals_int (bench.n_frames, 8);
  bench_close (&bench);
}

/* Windows of three frames: the sums of their pairs. */
TEST (test_windows)
{
  GstStructure *structure = NULL;
  guint64 n_buffers, stream_time;
  HistoComparison comparison;
  GThread *thread;
  Bench bench;

  bench_open (&bench, "meta=false window=120000000");
  thread = g_thread_new ("reference", push_reference, bench.to_reference);
  begin_stream (bench.to_sink, CAPS);
  for (guint i = 0; i < 3; i++)
    gst_pad_push (bench.to_sink, make_frame (i, 3));
  fail_unless_equals_int (pop_messages (&bench, HISTO_COMPARISON_WINDOW_NAME, &structure), 0);
  for (guint i = 3; i < 6; i++)
    gst_pad_push (bench.to_sink, make_frame (i, 1));
  fail_unless_equals_int (pop_messages (&bench, HISTO_COMPARISON_WINDOW_NAME, &structure), 1);
  fail_unless (gst_structure_get (structure, "buffers", G_TYPE_UINT64, &n_buffers, "stream-time", G_TYPE_UINT64,
          &stream_time, NULL));
  fail_unless (n_buffers == 2 && stream_time == 0);
  fail_unless (histo_comparison_read (structure, &comparison, NULL));
  fail_unless_equals_uint64 (comparison.regions[0].components[0].sse, 2 * 27);
  fail_unless_equals_uint64 (comparison.regions[0].components[0].count, 2 * WIDTH * HEIGHT);
  histo_comparison_clear (&comparison);
  gst_pad_push_event (bench.to_sink, gst_event_new_eos ());
  g_thread_join (thread);
  fail_unless_equals_int (pop_messages (&bench, HISTO_COMPARISON_WINDOW_NAME, &structure), 1);
  fail_unless (gst_structure_get (structure, "buffers", G_TYPE_UINT64, &n_buffers, "stream-time", G_TYPE_UINT64,
          &stream_time, NULL));
  fail_unless (n_buffers == 3 && stream_time == 3 * STEP);
  gst_structure_free (structure);
  bench_close (&bench);
}

/* A window that is open when their length changes has its own. */
TEST (test_other_windows)
{
  GstStructure *structure = NULL;
  guint64 stream_time, duration;
  Bench bench;

  bench_open (&bench, "meta=false window=80000000");
  begin_stream (bench.to_reference, CAPS);
  begin_stream (bench.to_sink, CAPS);
  for (guint i = 0; i < 6; i++) {
    if (i == 5)
      g_object_set (bench.element, "window", (guint64) STEP, NULL);
    gst_pad_push (bench.to_reference, make_frame (i, 0));
    gst_pad_push (bench.to_sink, make_frame (i, 0));
  }
  fail_unless_equals_int (pop_messages (&bench, HISTO_COMPARISON_WINDOW_NAME, &structure), 3);
  fail_unless (gst_structure_get (structure, "stream-time", G_TYPE_UINT64, &stream_time, "duration", G_TYPE_UINT64,
          &duration, NULL));
  fail_unless (stream_time == 4 * STEP && duration == 2 * STEP);
  gst_pad_push_event (bench.to_sink, gst_event_new_eos ());
  fail_unless_equals_int (pop_messages (&bench, HISTO_COMPARISON_WINDOW_NAME, &structure), 1);
  fail_unless (gst_structure_get (structure, "stream-time", G_TYPE_UINT64, &stream_time, NULL));
  fail_unless (stream_time == 5 * STEP);
  gst_structure_free (structure);
  bench_close (&bench);
}

/* At some odd widths UYVP has no place for the last V of a row, which is not compared. */
TEST (test_missing_chroma)
{
  static const struct
  {
    const gchar *format;
    guint n_columns;            /* of V, of a picture of 19 columns */
  } formats[] = { {"UYVP", 9}, {"I422_10LE", 10} };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint k = 0; k < G_N_ELEMENTS (formats); k++) {
      HistoComparison comparison = { 0, };
      GstStructure *structure = NULL;
      GstBuffer *frames[2];
      Bench bench;

      bench_open (&bench, "meta=false post-messages=true");
      for (guint s = 0; s < 2; s++) {
        g_autofree gchar *text = g_strdup_printf ("video/x-raw, format=%s, width=19, height=9, framerate=25/1",
            formats[s == 0 ? k : i].format);
        GstCaps *caps = gst_caps_from_string (text);
        GstVideoInfo info;

        fail_unless (gst_video_info_from_caps (&info, caps));
        gst_caps_unref (caps);
        frames[s] = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
        gst_buffer_memset (frames[s], 0, 0, G_MAXSIZE);
        GST_BUFFER_PTS (frames[s]) = 0;
        begin_stream (s == 0 ? bench.to_reference : bench.to_sink, text);
      }
      fail_unless (gst_pad_push (bench.to_reference, frames[0]) == GST_FLOW_OK);
      fail_unless (gst_pad_push (bench.to_sink, frames[1]) == GST_FLOW_OK);
      fail_unless_equals_int (pop_messages (&bench, HISTO_COMPARISON_NAME, &structure), 1);
      fail_unless (histo_comparison_read (structure, &comparison, NULL));
      gst_structure_free (structure);
      fail_unless (comparison.regions[0].equal, "%s and %s", formats[i].format, formats[k].format);
      fail_unless (comparison.regions[0].components[2].count == 9 * MIN (formats[i].n_columns, formats[k].n_columns),
          "%s and %s: %" G_GUINT64_FORMAT " samples of V", formats[i].format, formats[k].format,
          comparison.regions[0].components[2].count);
      histo_comparison_clear (&comparison);
      bench_close (&bench);
    }
}

/* Pictures that have no sample for each of the other's are an error that names both. */
TEST (test_other_format)
{
  static const gchar *const others[] = {
    "video/x-raw, format=GRAY8, width=16, height=32, framerate=25/1",
    "video/x-raw, format=GRAY16_LE, width=16, height=16, framerate=25/1",
    "video/x-raw, format=RGB8P, width=16, height=16, framerate=25/1"
  };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    g_autofree gchar *debug = NULL;
    GError *error = NULL;
    GstMessage *message;
    Bench bench;

    bench_open (&bench, "");
    begin_stream (bench.to_reference, others[i]);
    gst_pad_push (bench.to_reference, make_frame (0, 0));
    begin_stream (bench.to_sink, CAPS);
    fail_unless (gst_pad_push (bench.to_sink, make_frame (0, 0)) == GST_FLOW_ERROR);
    message = gst_bus_pop_filtered (bench.bus, GST_MESSAGE_ERROR);
    fail_unless (message != NULL);
    gst_message_parse_error (message, &error, &debug);
    fail_unless (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT));
    fail_unless (strstr (debug, "cudahistocompare.c") != NULL && strstr (debug, "; reference: video/x-raw") != NULL, "%s", debug);
    g_error_free (error);
    gst_message_unref (message);
    bench_close (&bench);
  }
}

/* ---- XPSNR ----------------------------------------------------------------------------------------- */

/* Frames of the reference that differ from each other; the frame under test differs by one in some samples. */
static GstBuffer *
make_noise (guint number, guint seed, guint change)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64 * 48, NULL);
  GRand *random = g_rand_new_with_seed (seed);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = g_rand_int_range (random, 0, 200) + (i % 7 == 0 ? change : 0);
  gst_buffer_unmap (buffer, &map);
  g_rand_free (random);
  GST_BUFFER_PTS (buffer) = number * STEP;
  GST_BUFFER_DURATION (buffer) = STEP;
  return buffer;
}

#define NOISE_CAPS "video/x-raw, format=GRAY8, width=64, height=48, framerate=50/1"

/* Compares the latest of three frames of the reference. @with_second: the second one has a partner */
static gdouble
xpsnr_of_third (const guint seeds[3], gboolean with_second, gboolean with_flush)
{
  HistoComparison comparison;
  GstStructure *structure = NULL;
  GstSegment segment;
  gdouble xpsnr;
  Bench bench;

  bench_open (&bench, "measures=xpsnr post-messages=true meta=false");
  begin_stream (bench.to_reference, NOISE_CAPS);
  begin_stream (bench.to_sink, NOISE_CAPS);
  for (guint i = 0; i < 3; i++) {
    if (i == 2 && with_flush) {
      gst_pad_push_event (bench.to_reference, gst_event_new_flush_start ());
      gst_pad_push_event (bench.to_reference, gst_event_new_flush_stop (TRUE));
      gst_segment_init (&segment, GST_FORMAT_TIME);
      gst_pad_push_event (bench.to_reference, gst_event_new_segment (&segment));
    }
    fail_unless (gst_pad_push (bench.to_reference, make_noise (i, seeds[i], 0)) == GST_FLOW_OK);
    if (i == 1 && with_second)
      fail_unless (gst_pad_push (bench.to_sink, make_noise (i, seeds[i], 1)) == GST_FLOW_OK);
  }
  fail_unless (gst_pad_push (bench.to_sink, make_noise (2, seeds[2], 1)) == GST_FLOW_OK);
  fail_unless_equals_int (pop_messages (&bench, HISTO_COMPARISON_NAME, &structure), with_second ? 2 : 1);
  fail_unless (histo_comparison_read (structure, &comparison, NULL));
  fail_unless_equals_int (comparison.measures, 1 << HISTO_COMPARISON_INDEX_XPSNR);
  xpsnr = comparison.regions[0].components[0].xpsnr;
  fail_unless (isfinite (xpsnr));
  histo_comparison_clear (&comparison);
  gst_structure_free (structure);
  bench_close (&bench);
  return xpsnr;
}

/* The weights follow from the two frames of the reference before, with or without partner, since the latest flush. */
TEST (test_xpsnr_history)
{
  static const guint same[] = { 1, 1, 1 }, changing[] = { 3, 2, 1 }, before_that[] = { 3, 1, 1 };
  const gdouble of_still = xpsnr_of_third (same, FALSE, FALSE), of_changing = xpsnr_of_third (changing, FALSE, FALSE);

  /* Activity hides errors. */
  fail_unless (of_changing > of_still + 0.1, "%f, %f", of_changing, of_still);
  fail_unless (xpsnr_of_third (before_that, FALSE, FALSE) > of_still + 0.01);
  fail_unless_equals_float (xpsnr_of_third (changing, TRUE, FALSE), of_changing);
  fail_unless_equals_float (xpsnr_of_third (changing, FALSE, TRUE), xpsnr_of_third (same, FALSE, TRUE));
}

/* ---- Rules ----------------------------------------------------------------------------------------- */

/* The alerts on the bus, as "ID COMPONENT REGION begin|end START". */
static gchar *
pop_alerts (Bench * bench)
{
  GString *text = g_string_new (NULL);
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (bench->bus, GST_MESSAGE_ELEMENT)) != NULL) {
    if (gst_message_has_name (message, HISTO_ALERT_NAME)) {
      const GstStructure *structure = gst_message_get_structure (message);
      guint64 start = 0, end = 0;

      fail_unless_equals_string (gst_structure_get_string (structure, "type"), "rule");
      gst_structure_get (structure, "start", G_TYPE_UINT64, &start, NULL);
      g_string_append_printf (text, "%s %s %s %s %u", gst_structure_get_string (structure, "rule"),
          gst_structure_has_field (structure, "component") ? gst_structure_get_string (structure, "component") : "-",
          gst_structure_has_field (structure, "region") ? gst_structure_get_string (structure, "region") : "-",
          gst_structure_get_string (structure, "state"), (guint) (start / STEP));
      if (gst_structure_get (structure, "end", G_TYPE_UINT64, &end, NULL) && GST_CLOCK_TIME_IS_VALID (end))
        g_string_append_printf (text, "-%u", (guint) (end / STEP));
      g_string_append (text, "; ");
    }
    gst_message_unref (message);
  }
  return g_string_free (text, FALSE);
}

static void
push_pair (Bench * bench, guint number, guint change)
{
  fail_unless (gst_pad_push (bench->to_reference, make_frame (number, 0)) == GST_FLOW_OK);
  fail_unless (gst_pad_push (bench->to_sink, make_frame (number, change)) == GST_FLOW_OK);
}

/* Three samples of frames 1 to 3 differ by 9. */
TEST (test_rules)
{
  static const struct
  {
    const gchar *rules, *alerts;
  } rows[] = {
    {"a: equal = 1", "a - - begin 1; a - - end 1-4; "},
    {"a: Y.psnr > 200", "a Y - begin 1; a Y - end 1-4; "},
    {"a: *.max-difference <= 8", "a Y - begin 1; a Y - end 1-4; "},
    {"a: *.max-difference <= 9; b: psnr > 0; c: Y.xpsnr > 0 for 1 s", ""},
    {"a: psnr > 200 for 120 ms", "a - - begin 1; a - - end 1-4; "},
    {"a: psnr > 200 for 121 ms", ""},
    {"a: regions.part.equal = 1; b: regions.rest.Y.different = 0", "a - part begin 1; a - part end 1-4; "},
    {"a: regions.*.Y.ssim = 1", "a Y part begin 1; a Y part end 1-4; "},
    /* Equal frames have no width: they say nothing. */
    {"a: Y.sse < width", "a Y - begin 1; "},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *text = g_strdup_printf ("meta=false measures=ssim regions=\"part=0,0,16,16;rest=16,0,16,16\" rules=\"%s\"",
        rows[i].rules);
    g_autofree gchar *found = NULL;
    Bench bench;

    bench_open (&bench, text);
    begin_stream (bench.to_reference, CAPS);
    begin_stream (bench.to_sink, CAPS);
    for (guint number = 0; number < 6; number++)
      push_pair (&bench, number, number >= 1 && number <= 3 ? 9 : 0);
    found = pop_alerts (&bench);
    fail_unless_equals_string (found, rows[i].alerts);
    bench_close (&bench);
  }
}

/* The end of a stream, a flush, other rules and other caps end an alert. */
TEST (test_end_of_alerts)
{
  for (guint way = 0; way < 4; way++) {
    g_autofree gchar *begin = NULL, *end = NULL;
    GstCaps *caps = gst_caps_from_string ("video/x-raw, format=GRAY8, width=32, height=16, framerate=30/1");
    Bench bench;

    bench_open (&bench, "meta=false rules=\"a: equal = 1\"");
    begin_stream (bench.to_reference, CAPS);
    begin_stream (bench.to_sink, CAPS);
    push_pair (&bench, 0, 1);
    push_pair (&bench, 1, 1);
    begin = pop_alerts (&bench);
    fail_unless_equals_string (begin, "a - - begin 0; ");
    if (way == 0) {
      gst_pad_push_event (bench.to_sink, gst_event_new_eos ());
    } else if (way == 1) {
      gst_pad_push_event (bench.to_sink, gst_event_new_flush_start ());
      gst_pad_push_event (bench.to_sink, gst_event_new_flush_stop (TRUE));
    } else if (way == 2) {
      g_object_set (bench.element, "rules", NULL, NULL);
      push_pair (&bench, 2, 1);
    } else {
      gst_pad_push_event (bench.to_sink, gst_event_new_caps (caps));
    }
    end = pop_alerts (&bench);
    fail_unless (g_str_equal (end, "a - - end 0-2; "), "%u: %s", way, end);
    gst_caps_unref (caps);
    bench_close (&bench);
  }
}

/* Impossible rules and regions are refused with a warning; the old ones stay. */
TEST (test_refused_settings)
{
  static const gchar *const rules[] = {
    "a: Y.mean < 3", "a: motion.freeze < 3", "a: psnr < 3 frames 5", "a: whole.psnr > 3", "a: fact.width > 3", "a: psnr"
  };
  g_autofree gchar *text = NULL;
  GstMessage *message;
  Bench bench;

  bench_open (&bench, "rules=\"a: psnr > 3\"");
  for (guint i = 0; i <= G_N_ELEMENTS (rules); i++) {
    if (i < G_N_ELEMENTS (rules))
      g_object_set (bench.element, "rules", rules[i], NULL);
    else
      g_object_set (bench.element, "regions", "no", NULL);
    message = gst_bus_pop_filtered (bench.bus, GST_MESSAGE_WARNING);
    fail_unless (message != NULL, "%u", i);
    gst_message_unref (message);
  }
  g_object_get (bench.element, "rules", &text, NULL);
  fail_unless_equals_string (text, "a: psnr > 3");
  bench_close (&bench);
}

/* What was refused before there was a bus is told at the start. */
TEST (test_refused_before_the_bus)
{
  GstElement *element = gst_element_factory_make ("cudahistocompare", NULL);
  GstBus *bus = gst_bus_new ();

  g_object_set (element, "regions", "no", "rules", "a: psnr", NULL);
  gst_element_set_bus (element, bus);
  fail_unless (gst_element_set_state (element, GST_STATE_READY) == GST_STATE_CHANGE_SUCCESS);
  for (guint i = 0; i < 2; i++) {
    GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);

    fail_unless (message != NULL, "%u", i);
    gst_message_unref (message);
  }
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

/* ---- Metas and errors -------------------------------------------------------------------------------- */

/* The result of an element upstream is replaced, or removed from a frame without a partner, also if it is locked. */
TEST (test_earlier_results)
{
  for (guint i = 0; i < 4; i++) {
    const gboolean is_locked = i % 2 == 1, has_partner = i >= 2;
    GstBuffer *buffer = make_frame (1, 0);
    GstCustomMeta *meta;
    GstStructure *structure;
    Bench bench;

    bench_open (&bench, "");
    bench.keeps = TRUE;
    meta = gst_buffer_add_custom_meta (buffer, HISTO_COMPARISON_NAME);
    gst_structure_set (gst_custom_meta_get_structure (meta), "earlier", G_TYPE_INT, 1, NULL);
    if (is_locked)
      GST_META_FLAG_SET (meta, GST_META_FLAG_LOCKED);
    begin_stream (bench.to_reference, CAPS);
    begin_stream (bench.to_sink, CAPS);
    gst_pad_push (bench.to_reference, make_frame (has_partner ? 1 : 3, 0));
    fail_unless (gst_pad_push (bench.to_sink, buffer) == GST_FLOW_OK);
    meta = gst_buffer_get_custom_meta (bench.kept, HISTO_COMPARISON_NAME);
    fail_unless ((meta != NULL) == (is_locked || has_partner));
    structure = meta != NULL ? gst_custom_meta_get_structure (meta) : NULL;
    fail_unless (structure == NULL || !gst_structure_has_field (structure, "earlier"));
    fail_unless (structure == NULL || gst_structure_has_field (structure, "schema") == has_partner);
    gst_clear_buffer (&bench.kept);
    bench_close (&bench);
  }
}

/* A source that goes on after an error does not cause more messages; a flush lets the next one through. */
TEST (test_one_error)
{
  GstMessage *message;
  GstSegment segment;
  guint n = 0;
  Bench bench;

  bench_open (&bench, "");
  begin_stream (bench.to_reference, "video/x-raw, format=GRAY8, width=16, height=32, framerate=25/1");
  begin_stream (bench.to_sink, CAPS);
  for (guint i = 0; i < 6; i++) {
    if (i == 3) {
      gst_pad_push_event (bench.to_sink, gst_event_new_flush_start ());
      gst_pad_push_event (bench.to_sink, gst_event_new_flush_stop (TRUE));
      gst_segment_init (&segment, GST_FORMAT_TIME);
      gst_pad_push_event (bench.to_sink, gst_event_new_segment (&segment));
    }
    gst_pad_push (bench.to_reference, make_frame (i, 0));
    fail_unless (gst_pad_push (bench.to_sink, make_frame (i, 0)) == GST_FLOW_ERROR);
  }
  while ((message = gst_bus_pop_filtered (bench.bus, GST_MESSAGE_ERROR)) != NULL) {
    n++;
    gst_message_unref (message);
  }
  fail_unless_equals_int (n, 2);
  bench_close (&bench);
}

/* What may be changed while frames come says so, and acts at once. */
TEST (test_changes)
{
  static const struct
  {
    const gchar *name;
    GParamFlags flag;
  } properties[] = {
    {"pairing", GST_PARAM_MUTABLE_PLAYING}, {"offset", GST_PARAM_MUTABLE_PLAYING}, {"backend", GST_PARAM_MUTABLE_READY},
    {"cuda-device-id", GST_PARAM_MUTABLE_READY},
  };
  Bench bench;

  bench_open (&bench, "measures=psnr");
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++)
    fail_unless_equals_int (g_object_class_find_property (G_OBJECT_GET_CLASS (bench.element), properties[i].name)->flags
        & (GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PAUSED | GST_PARAM_MUTABLE_PLAYING), properties[i].flag);
  begin_stream (bench.to_reference, CAPS);
  begin_stream (bench.to_sink, CAPS);
  push_pair (&bench, 0, 0);
  fail_unless_equals_int (bench.n_results, 1);
  /* The frame of the reference is now far from that of `sink`. */
  g_object_set (bench.element, "offset", (gint64) (100 * STEP), NULL);
  push_pair (&bench, 1, 0);
  fail_unless_equals_int (bench.n_results, 1);
  gst_util_set_object_arg (G_OBJECT (bench.element), "pairing", "order");
  push_pair (&bench, 2, 0);
  fail_unless_equals_int (bench.n_results, 2);
  bench_close (&bench);
}

/* ---- The log ---------------------------------------------------------------------------------------- */

static gint n_lines[GST_LEVEL_COUNT];

static void
count_lines (GstDebugCategory * category, GstDebugLevel level, const gchar * file, const gchar * function, gint line,
    GObject * object, GstDebugMessage * message, gpointer data)
{
  if (g_str_equal (gst_debug_category_get_name (category), "cudahistocompare"))
    g_atomic_int_inc (&n_lines[level]);
}

/* The element has a category of its own: caps and segments with level 5, each frame with level 6. */
TEST (test_log)
{
  gint n_debug;
  Bench bench;

  gst_debug_set_active (TRUE);
  gst_debug_set_threshold_for_name ("cudahistocompare", GST_LEVEL_LOG);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (count_lines, NULL, NULL);
  bench_open (&bench, "");
  begin_stream (bench.to_reference, CAPS);
  begin_stream (bench.to_sink, CAPS);
  fail_unless (n_lines[GST_LEVEL_DEBUG] >= 4);
  /* The device's plan is told with the first frame. */
  push_pair (&bench, 0, 0);
  n_debug = n_lines[GST_LEVEL_DEBUG];
  for (guint i = 1; i < 11; i++)
    push_pair (&bench, i, 0);
  fail_unless_equals_int (n_lines[GST_LEVEL_DEBUG], n_debug);
  fail_unless (n_lines[GST_LEVEL_LOG] >= 20);
  bench_close (&bench);
  gst_debug_remove_log_function (count_lines);
}

/* ---- Waiting --------------------------------------------------------------------------------------- */

static guint64
get_stat (Bench * bench, const gchar * name)
{
  GstStructure *stats;
  guint64 number = 0;
  guint level;

  g_object_get (bench->element, "stats", &stats, NULL);
  if (gst_structure_get_uint (stats, name, &level))
    number = level;
  else
    fail_unless (gst_structure_get_uint64 (stats, name, &number), "%s", name);
  gst_structure_free (stats);
  return number;
}

/* Waits as long as the test's limit of time lets it. */
static void
wait_for_stat (Bench * bench, const gchar * name, guint64 number)
{
  while (get_stat (bench, name) != number)
    g_usleep (1000);
}

static gpointer
push_ten (gpointer data)
{
  GstPad *pad = data;

  begin_stream (pad, CAPS);
  for (guint i = 0; i < 10; i++)
    gst_pad_push (pad, make_frame (i, 0));
  return NULL;
}

static gpointer
push_one (gpointer data)
{
  gst_pad_push (data, make_frame (1, 0));
  return NULL;
}

/* One frame more than max-in-flight is queued. Then the reference waits, until it is stopped. */
TEST (test_limit)
{
  GThread *thread;
  Bench bench;

  bench_open (&bench, "max-in-flight=2");
  thread = g_thread_new ("reference", push_ten, bench.to_reference);
  wait_for_stat (&bench, "queue-level", 3);
  begin_stream (bench.to_sink, CAPS);
  for (guint i = 0; i < 4; i++)
    fail_unless (gst_pad_push (bench.to_sink, make_frame (i, 0)) == GST_FLOW_OK);
  wait_for_stat (&bench, "queue-level", 3);
  fail_unless_equals_uint64 (get_stat (&bench, "pairs"), 4);
  fail_unless (gst_element_set_state (bench.element, GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS);
  g_thread_join (thread);
  bench_close (&bench);
}

/* A frame that waits for the reference leaves at once when that is unlinked, and when its own pad stops. */
TEST (test_end_of_wait)
{
  for (guint way = 0; way < 2; way++) {
    GstMessage *message;
    GThread *thread;
    GstPad *pad;
    Bench bench;

    bench_open (&bench, "");
    pad = gst_element_get_static_pad (bench.element, "reference");
    begin_stream (bench.to_reference, CAPS);
    begin_stream (bench.to_sink, CAPS);
    gst_pad_push (bench.to_reference, make_frame (0, 0));
    thread = g_thread_new ("sink", push_one, bench.to_sink);
    /* It has dropped nothing of the reference, and it does not leave. */
    g_usleep (20000);
    fail_unless_equals_int (bench.n_frames, 0);
    if (way == 0)
      gst_pad_unlink (bench.to_reference, pad);
    else
      gst_element_set_state (bench.element, GST_STATE_NULL);
    g_thread_join (thread);
    fail_unless_equals_int (bench.n_frames, way == 0 ? 1 : 0);
    fail_unless_equals_int (bench.n_results, 0);
    /* Nothing has waited for 5 s. */
    message = gst_bus_pop_filtered (bench.bus, GST_MESSAGE_WARNING);
    fail_unless (message == NULL);
    gst_object_unref (pad);
    bench_close (&bench);
  }
}

/* Segments that are done, and others behind them without a flush, as in a loop. */
TEST (test_segments)
{
  GstPad *pads[2];
  Bench bench;

  bench_open (&bench, "");
  pads[0] = bench.to_reference;
  pads[1] = bench.to_sink;
  for (guint p = 0; p < 2; p++)
    begin_stream (pads[p], CAPS);
  for (guint loop = 0; loop < 3; loop++) {
    for (guint i = 0; i < 3; i++)
      push_pair (&bench, i, 0);
    /* The reference is longer. What is left of it belongs to nothing. */
    gst_pad_push (bench.to_reference, make_frame (3, 0));
    gst_pad_push_event (bench.to_sink, gst_event_new_segment_done (GST_FORMAT_TIME, 3 * STEP));
    for (guint i = 4; i < 20; i++)
      fail_unless (gst_pad_push (bench.to_reference, make_frame (i, 0)) == GST_FLOW_OK);
    gst_pad_push_event (bench.to_reference, gst_event_new_segment_done (GST_FORMAT_TIME, 4 * STEP));
    for (guint p = 0; p < 2; p++) {
      GstSegment segment;

      gst_segment_init (&segment, GST_FORMAT_TIME);
      segment.base = (loop + 1) * 20 * STEP;
      gst_pad_push_event (pads[p], gst_event_new_segment (&segment));
    }
  }
  fail_unless_equals_int (bench.n_results, 9);
  fail_unless_equals_uint64 (get_stat (&bench, "unpaired"), 0);
  fail_unless_equals_uint64 (get_stat (&bench, "queue-level"), 0);
  bench_close (&bench);
}

/* Upstream of the reference gets its buffers back, and no frame is lost. */
TEST (test_drain)
{
  GstBuffer *frames[3];
  GstQuery *query = gst_query_new_drain ();
  Bench bench;

  bench_open (&bench, "measures=psnr+ssim+difference+xpsnr");
  begin_stream (bench.to_reference, CAPS);
  begin_stream (bench.to_sink, CAPS);
  for (guint i = 0; i < 3; i++) {
    frames[i] = make_frame (i, 0);
    gst_pad_push (bench.to_reference, gst_buffer_ref (frames[i]));
  }
  fail_unless (gst_pad_peer_query (bench.to_reference, query));
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT (frames[i]), 1);
    gst_buffer_unref (frames[i]);
  }
  for (guint i = 0; i < 3; i++)
    fail_unless (gst_pad_push (bench.to_sink, make_frame (i, 0)) == GST_FLOW_OK);
  fail_unless_equals_int (bench.n_results, 3);
  gst_query_unref (query);
  bench_close (&bench);
}

/* Backwards, and with frames before the segment. */
TEST (test_reverse)
{
  GstSegment segment;
  Bench bench;

  bench_open (&bench, "");
  begin_stream (bench.to_reference, CAPS);
  begin_stream (bench.to_sink, CAPS);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = -2;
  segment.start = 2 * STEP;
  segment.stop = segment.position = 9 * STEP;
  gst_pad_push_event (bench.to_reference, gst_event_new_segment (&segment));
  gst_pad_push_event (bench.to_sink, gst_event_new_segment (&segment));
  for (guint i = 10; i-- > 0;)
    push_pair (&bench, i, 0);
  /* Frames 2 to 9 are in the segment. */
  fail_unless_equals_int (bench.n_results, 8);
  fail_unless_equals_int (bench.n_frames, 10);
  bench_close (&bench);
}

/* What a gap has reached: at most the end of the segment, and in reverse where it starts. A frame before that does not wait. */
TEST (test_gaps)
{
  static const struct
  {
    gdouble rate;
    guint stop, start, length, frame;   /* in frames */
  } cases[] = {
    {1, 3, 0, 100, 1}, {-1, 10, 4, 2, 5}, {-1, 10, 0, 100, 3},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstSegment segment;
    Bench bench;

    bench_open (&bench, "");
    begin_stream (bench.to_reference, CAPS);
    begin_stream (bench.to_sink, CAPS);
    gst_segment_init (&segment, GST_FORMAT_TIME);
    segment.rate = cases[i].rate;
    segment.stop = cases[i].stop * STEP;
    gst_pad_push_event (bench.to_reference, gst_event_new_segment (&segment));
    gst_pad_push_event (bench.to_sink, gst_event_new_segment (&segment));
    gst_pad_push_event (bench.to_reference, gst_event_new_gap (cases[i].start * STEP, cases[i].length * STEP));
    fail_unless (gst_pad_push (bench.to_sink, make_frame (cases[i].frame, 0)) == GST_FLOW_OK);
    fail_unless_equals_int (bench.n_frames, 1);
    fail_unless (gst_bus_pop_filtered (bench.bus, GST_MESSAGE_WARNING) == NULL);
    bench_close (&bench);
  }
}

/* ---- Latency ---------------------------------------------------------------------------------------- */

static gboolean
answer_live (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, TRUE, 5 * GST_MSECOND, 50 * GST_MSECOND);
  return TRUE;
}

/* Half of a frame's duration is added, also while a frame waits; the frame leaves without a partner when it has passed. */
TEST (test_latency)
{
  GstClock *clock = gst_system_clock_obtain ();
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max;
  GThread *thread;
  gboolean live;
  GstPad *pad;
  Bench bench;

  bench_open (&bench, "");
  pad = gst_element_get_static_pad (bench.element, "src");
  gst_pad_set_query_function (bench.to_sink, answer_live);
  begin_stream (bench.to_reference, CAPS);
  begin_stream (bench.to_sink, CAPS);
  gst_element_set_clock (bench.element, clock);
  gst_element_set_base_time (bench.element, gst_clock_get_time (clock));
  gst_pad_push (bench.to_reference, make_frame (0, 0));
  thread = g_thread_new ("sink", push_one, bench.to_sink);
  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  fail_unless (live && min == 5 * GST_MSECOND + STEP / 2 && max == 50 * GST_MSECOND + STEP / 2);
  /* The frame is late from the beginning. */
  fail_unless (gst_pad_send_event (pad, gst_event_new_latency (0)));
  g_thread_join (thread);
  fail_unless_equals_int (bench.n_frames, 1);
  fail_unless_equals_int (bench.n_results, 0);
  /* Of the next streams no rate is known yet. */
  gst_element_set_state (bench.element, GST_STATE_READY);
  gst_element_set_state (bench.element, GST_STATE_PLAYING);
  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  fail_unless (live && min == 5 * GST_MSECOND && max == 50 * GST_MSECOND);
  gst_query_unref (query);
  gst_object_unref (pad);
  gst_object_unref (clock);
  bench_close (&bench);
}

/* A live pipeline begins although the reference gives nothing, and frames without a partner leave in time for what is behind. */
TEST (test_live_without_reference)
{
  static const gchar text[] = "videotestsrc is-live=true num-buffers=25 ! video/x-raw, width=32, height=32, framerate=25/1 ! c.sink "
      "videotestsrc is-live=true ! video/x-raw, width=32, height=32, framerate=25/1 ! valve drop=true "
      "drop-mode=forward-sticky-events ! c.reference cudahistocompare name=c ! fakesink name=end sync=true qos=true "
      "render-delay=500000000 max-lateness=200000000";
  GstElement *pipeline = gst_parse_launch (text, NULL), *end;
  guint64 rendered, dropped;
  GstStructure *stats;
  GstMessage *message;
  GstBus *bus;

  fail_unless (pipeline != NULL);
  end = gst_bin_get_by_name (GST_BIN (pipeline), "end");
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "the pipeline did not end");
  g_object_get (end, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "rendered", G_TYPE_UINT64, &rendered, "dropped", G_TYPE_UINT64, &dropped, NULL));
  /* A busy machine may be late itself. */
  fail_unless (rendered + dropped == 25 && rendered >= 15, "%" G_GUINT64_FORMAT " of 25 frames were in time", rendered);
  gst_structure_free (stats);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (end);
  gst_object_unref (pipeline);
}

/* ---- Two threads ----------------------------------------------------------------------------------- */

typedef struct
{
  GstPad *pad;
  guint32 seed;
  gboolean is_reference;
  guint n_pushed;
} Pusher;

static void
flush (GstPad * pad, GRand * random)
{
  gst_pad_push_event (pad, gst_event_new_flush_start ());
  if (g_rand_boolean (random))
    g_usleep (g_rand_int_range (random, 0, 300));
  gst_pad_push_event (pad, gst_event_new_flush_stop (TRUE));
}

/* The events and queries that may come at any time. Returns: whether the pad was flushed */
static gboolean
act_wildly (GstPad * pad, GRand * random)
{
  GstSegment segment;
  GstQuery *query;
  GstCaps *caps;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  switch (g_rand_int_range (random, 0, 7)) {
    case 0:
      flush (pad, random);
      gst_pad_push_event (pad, gst_event_new_segment (&segment));
      return TRUE;
    case 1:
      /* Times go on: only the segment is another event. */
      gst_pad_push_event (pad, gst_event_new_segment (&segment));
      break;
    case 2:
      caps = gst_caps_from_string (g_rand_boolean (random) ? CAPS :
          "video/x-raw, format=GRAY8, width=32, height=16, framerate=30/1");
      gst_pad_push_event (pad, gst_event_new_caps (caps));
      gst_caps_unref (caps);
      break;
    case 3:
      query = g_rand_boolean (random) ? gst_query_new_drain () : gst_query_new_latency ();
      gst_pad_peer_query (pad, query);
      gst_query_unref (query);
      break;
    case 4:
      gst_pad_push_event (pad, gst_event_new_segment_done (GST_FORMAT_TIME, 0));
      gst_pad_push_event (pad, gst_event_new_segment (&segment));
      break;
    default:
      g_usleep (g_rand_int_range (random, 0, 200));
  }
  return FALSE;
}

/* Pushes frames in order, or nearly, without some of them, with gaps and actions, and an end. */
static gpointer
push_wildly (gpointer data)
{
  Pusher *pusher = data;
  GRand *random = g_rand_new_with_seed (pusher->seed);
  const guint n = g_rand_int_range (random, 0, 30), of_losses = g_rand_int_range (random, 0, 3);
  const guint of_actions = g_rand_boolean (random) ? 40 : 8;
  const gboolean in_order = g_rand_int_range (random, 0, 4) != 0;
  guint number = 0;

  begin_stream (pusher->pad, CAPS);
  for (guint i = 0; i < n; i++) {
    const guint shown = in_order || number < 2 ? number : number - 1 + 2 * g_rand_boolean (random);

    if (g_rand_int_range (random, 0, of_actions) == 0 && act_wildly (pusher->pad, random))
      number = g_rand_int_range (random, 0, 20);
    if (g_rand_int_range (random, 0, 10) < (gint) of_losses) {
      if (g_rand_boolean (random))
        gst_pad_push_event (pusher->pad, gst_event_new_gap (number * STEP, STEP));
    } else if (gst_pad_push (pusher->pad, make_frame (shown, 0)) == GST_FLOW_OK) {
      pusher->n_pushed++;
    }
    number++;
    if (g_rand_int_range (random, 0, 8) == 0)
      g_usleep (g_rand_int_range (random, 0, 200));
  }
  gst_pad_push_event (pusher->pad, gst_event_new_eos ());
  g_rand_free (random);
  return NULL;
}

/* What the application does meanwhile. */
static void
disturb (Bench * bench, GRand * random)
{
  GstPad *pad, *src;

  g_usleep (g_rand_int_range (random, 0, 2000));
  switch (g_rand_int_range (random, 0, 8)) {
    case 0:
    case 1:
      gst_element_set_state (bench->element, GST_STATE_NULL);
      break;
    case 2:
      pad = gst_element_get_static_pad (bench->element, "reference");
      gst_pad_unlink (bench->to_reference, pad);
      gst_object_unref (pad);
      break;
    case 3:
      src = gst_element_get_static_pad (bench->element, "src");
      gst_pad_send_event (src, gst_event_new_latency (g_rand_int_range (random, 0, 1000)));
      gst_object_unref (src);
      break;
    case 4:
      g_object_set (bench->element, "measures", g_rand_int_range (random, 0, 16), "rules", g_rand_boolean (random) ?
          "a: Y.xpsnr > 100; b: equal = 1" : NULL, "max-in-flight", 1 + g_rand_int_range (random, 0, 3), NULL);
      break;
    case 5:
      get_stat (bench, "pairs");
      break;
    default:
      break;
  }
}

/* Whatever two threads and the application do: all frames of `sink` leave, none is compared with a wrong one, and nothing
 * waits for ever. CUDAHISTO_TEST_STREAMS: their number. */
TEST (test_two_threads)
{
  static const gchar *const settings[] = {
    "", "max-in-flight=1", "measures=psnr+ssim+xpsnr+difference max-in-flight=1",
    "measures=difference+xpsnr window=100000000 rules=\"a: equal = 1; b: *.psnr > 3 for 1 s\""
  };
  const gchar *streams = g_getenv ("CUDAHISTO_TEST_STREAMS");
  /* To start with a GPU takes a fifth of a second. */
  const guint n = streams != NULL ? (guint) g_ascii_strtoull (streams, NULL, 10) : test_backend_is_cuda () ? 30 : 300;
  GRand *random = test_random ();

  for (guint round = 0; round < n; round++) {
    Pusher pushers[2];
    GThread *threads[2];
    Bench bench;

    bench_open (&bench, settings[g_rand_int_range (random, 0, G_N_ELEMENTS (settings))]);
    bench.is_slow = g_rand_int_range (random, 0, 8) == 0;
    for (guint i = 0; i < 2; i++) {
      pushers[i] = (Pusher) { i == 0 ? bench.to_sink : bench.to_reference, g_rand_int (random), i == 1, 0 };
      threads[i] = g_thread_new ("pusher", push_wildly, &pushers[i]);
    }
    if (g_rand_boolean (random))
      disturb (&bench, random);
    for (guint i = 0; i < 2; i++)
      g_thread_join (threads[i]);
    fail_unless_equals_int (bench.n_frames, pushers[0].n_pushed);
    bench_close (&bench);
  }
  g_rand_free (random);
}

TEST_MAIN (60)
