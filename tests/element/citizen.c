/* The element as a citizen of pipelines: whatever happens to them, no buffer is lost,
 * doubled or reordered, each has its own result, and nothing hangs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "watch.h"

#define VIDEO "video/x-raw, format=GRAY8, width=16, height=8, framerate=200/1"
#define AUDIO "audio/x-raw, format=U8, channels=1, rate=48000, " \
    "layout=interleaved"

/* ---- Pipelines ------------------------------------------------------------------------ */

typedef struct
{
  GstElement *pipeline;
  GstElement *histo;
  GstBus *bus;
  Watch *watch;
} Line;

/* A pipeline of which one element is to be "$", ours. */
static void
line_open (Line * line, const gchar * description, const gchar * properties)
{
  gchar *element = g_strdup_printf ("cudahisto name=histo backend=%s %s",
      test_backend (), properties != NULL ? properties : "");
  gchar **parts = g_strsplit (description, "$", 2);
  gchar *launch = g_strconcat (parts[0], element, parts[1], NULL);
  GError *error = NULL;

  line->pipeline = gst_parse_launch (launch, &error);
  fail_unless (error == NULL, "%s: %s", launch,
      error != NULL ? error->message : "");
  line->histo = gst_bin_get_by_name (GST_BIN (line->pipeline), "histo");
  line->bus = gst_element_get_bus (line->pipeline);
  line->watch = watch_new (line->histo);
  g_strfreev (parts);
  g_free (element);
  g_free (launch);
}

static void
set_state (Line * line, GstState state)
{
  fail_unless (gst_element_set_state (line->pipeline, state)
      != GST_STATE_CHANGE_FAILURE);
}

/* And waits until it is reached. A bin that is told to pause on its way to PLAYING may wait
 * for ever for what its sink has done long ago, whatever the elements: it gets there first. */
static void
reach_state (Line * line, GstState state)
{
  if (state == GST_STATE_PAUSED)
    gst_element_get_state (line->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  set_state (line, state);
  fail_unless (gst_element_get_state (line->pipeline, NULL, NULL,
          GST_CLOCK_TIME_NONE) != GST_STATE_CHANGE_FAILURE);
}

static void
wait_for (Line * line, GstMessageType type)
{
  GstMessage *message = gst_bus_timed_pop_filtered (line->bus,
      GST_CLOCK_TIME_NONE, type | GST_MESSAGE_ERROR);

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    GError *error = NULL;

    gst_message_parse_error (message, &error, NULL);
    ck_abort_msg ("%s", error->message);
  }
  gst_message_unref (message);
}

static void
line_close (Line * line)
{
  GstMessage *message;

  reach_state (line, GST_STATE_NULL);
  message = gst_bus_pop_filtered (line->bus,
      GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  fail_unless (message == NULL, "%s", message != NULL ?
      GST_MESSAGE_TYPE_NAME (message) : "");
  watch_check_stopped (line->watch);
  watch_free (line->watch);
  gst_object_unref (line->bus);
  gst_object_unref (line->histo);
  gst_object_unref (line->pipeline);
}

/* To the end: everything comes out. Returns the number of buffers. */
static guint
play (Line * line)
{
  set_state (line, GST_STATE_PLAYING);
  wait_for (line, GST_MESSAGE_EOS);
  return watch_check_drained (line->watch);
}

/* ---- Live and not ------------------------------------------------------------------------ */

/* From sources that wait for the clock and that do not, to sinks that do and do not. */
GST_START_TEST (test_play)
{
  static const gchar *const descriptions[] = {
    "videotestsrc pattern=snow num-buffers=40 is-live=%s ! " VIDEO
        " ! $ ! fakesink sync=%s",
    "audiotestsrc wave=white-noise num-buffers=40 samplesperbuffer=240 "
        "is-live=%s ! " AUDIO " ! $ ! fakesink sync=%s",
    "videotestsrc pattern=snow num-buffers=40 is-live=%s ! " VIDEO
        " ! queue ! $ ! queue ! fakesink sync=%s",
  };

  for (guint i = 0; i < 4 * G_N_ELEMENTS (descriptions); i++) {
    gchar *description = g_strdup_printf (descriptions[i / 4],
        i % 2 ? "true" : "false", i / 2 % 2 ? "true" : "false");
    Line line;

    line_open (&line, description, i % 3 ? NULL : "max-in-flight=1");
    fail_unless_equals_int (play (&line), 40);
    line_close (&line);
    g_free (description);
  }
}

GST_END_TEST;

/* A live pipeline's latency is what it was without the element. */
GST_START_TEST (test_live_latency)
{
  Line line;
  GstQuery *query = gst_query_new_latency ();
  GstClockTime with, without;
  GstElement *source;
  GstPad *pad;
  gboolean is_live;

  line_open (&line, "videotestsrc name=source pattern=snow is-live=true "
      "num-buffers=30 ! video/x-raw, format=GRAY8, width=16, height=8, "
      "framerate=50/1 ! $ ! fakesink sync=true", NULL);
  set_state (&line, GST_STATE_PLAYING);
  watch_wait (line.watch, 2);
  fail_unless (gst_element_query (line.histo, query));
  gst_query_parse_latency (query, &is_live, &with, NULL);
  fail_unless (is_live);
  gst_query_unref (query);

  source = gst_bin_get_by_name (GST_BIN (line.pipeline), "source");
  pad = gst_element_get_static_pad (source, "src");
  query = gst_query_new_latency ();
  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_latency (query, NULL, &without, NULL);
  fail_unless_equals_uint64 (with, without);
  gst_query_unref (query);
  gst_object_unref (pad);
  gst_object_unref (source);

  wait_for (&line, GST_MESSAGE_EOS);
  fail_unless_equals_int (watch_check_drained (line.watch), 30);
  line_close (&line);
}

GST_END_TEST;

/* ---- Seeks ----------------------------------------------------------------------------------- */

static void
seek (Line * line, gdouble rate, GstSeekFlags flags, GstClockTime start,
    GstClockTime stop)
{
  fail_unless (gst_element_seek (line->pipeline, rate, GST_FORMAT_TIME, flags,
          GST_SEEK_TYPE_SET, start, GST_SEEK_TYPE_SET, stop));
}

/* Seeks that flush, in PAUSED and PLAYING, forwards and backwards; and in the end all
 * of the last segment comes out. */
GST_START_TEST (test_flushing_seeks)
{
  static const gdouble rates[] = { 1, 2, -1, 0.5, -3 };
  Line line;

  line_open (&line, "videotestsrc pattern=snow ! " VIDEO
      " ! $ ! fakesink sync=false", "max-in-flight=8");
  reach_state (&line, GST_STATE_PAUSED);
  for (guint i = 0; i < 40; i++) {
    if (i % 10 == 5)
      reach_state (&line, i % 20 == 5 ? GST_STATE_PLAYING : GST_STATE_PAUSED);
    seek (&line, rates[i % G_N_ELEMENTS (rates)], GST_SEEK_FLAG_FLUSH
        | (i % 2 ? GST_SEEK_FLAG_ACCURATE : GST_SEEK_FLAG_KEY_UNIT),
        i * GST_SECOND, (i + 1) * GST_SECOND);
    /* While it is paused, one frame leaves after a seek, and no more. */
    if (i % 4 == 3)
      fail_unless (gst_element_get_state (line.pipeline, NULL, NULL,
              GST_CLOCK_TIME_NONE) != GST_STATE_CHANGE_FAILURE);
  }
  reach_state (&line, GST_STATE_PAUSED);
  seek (&line, 1, GST_SEEK_FLAG_FLUSH, 0, 100 * GST_MSECOND);
  /* Ends of segments before this one. */
  gst_bus_set_flushing (line.bus, TRUE);
  gst_bus_set_flushing (line.bus, FALSE);
  set_state (&line, GST_STATE_PLAYING);
  wait_for (&line, GST_MESSAGE_EOS);
  watch_check_drained (line.watch);
  line_close (&line);
}

GST_END_TEST;

/* Segments in a loop, with and without a flush between them. */
GST_START_TEST (test_segment_loops)
{
  for (guint flush = 0; flush < 2; flush++) {
    const GstSeekFlags flags = GST_SEEK_FLAG_SEGMENT
        | (flush ? GST_SEEK_FLAG_FLUSH : 0);
    Line line;

    line_open (&line, "videotestsrc pattern=snow ! " VIDEO
        " ! $ ! fakesink sync=false", NULL);
    reach_state (&line, GST_STATE_PAUSED);
    seek (&line, 1, GST_SEEK_FLAG_SEGMENT | GST_SEEK_FLAG_FLUSH, 0,
        100 * GST_MSECOND);
    reach_state (&line, GST_STATE_PLAYING);
    for (guint i = 0; i < 8; i++) {
      wait_for (&line, GST_MESSAGE_SEGMENT_DONE);
      seek (&line, 1, flags, i * GST_SECOND, i * GST_SECOND
          + 100 * GST_MSECOND);
    }
    wait_for (&line, GST_MESSAGE_SEGMENT_DONE);
    /* The last one is played to a true end. */
    seek (&line, 1, flags & ~GST_SEEK_FLAG_SEGMENT, 0, 50 * GST_MSECOND);
    wait_for (&line, GST_MESSAGE_EOS);
    /* 20 frames in each 100 ms; flushes may have thrown some away. */
    if (flush)
      watch_check_drained (line.watch);
    else
      fail_unless (watch_check_drained (line.watch) >= 9 * 20 + 10);
    line_close (&line);
  }
}

GST_END_TEST;

/* ---- Flushes ---------------------------------------------------------------------------------- */

static GstBuffer *
make_frame (guint n)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16 * 8, NULL);

  gst_buffer_memset (buffer, 0, n, 16 * 8);
  GST_BUFFER_PTS (buffer) = n * 5 * GST_MSECOND;
  GST_BUFFER_OFFSET (buffer) = n;
  return buffer;
}

static void
push_segment (GstHarness * harness)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
}

/* The harness's own pads do not know that their peers forgot everything. */
static void
check_flow (GstHarness * harness, guint n)
{
  GstBuffer *buffer;

  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (harness, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (harness, VIDEO);
  push_segment (harness);
  while ((buffer = gst_harness_try_pull (harness)) != NULL)
    gst_buffer_unref (buffer);
  buffer = gst_harness_push_and_pull (harness, make_frame (n));
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), n);
  fail_unless_equals_float (test_get_double (test_component (test_result
              (buffer), "Y"), "mean"), n);
  gst_buffer_unref (buffer);
}

/* A flush, half a flush and two at once, in each state, with and without frames; then
 * to each state. */
GST_START_TEST (test_flush_in_every_state)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY,
    GST_STATE_PAUSED, GST_STATE_PLAYING
  };

  for (guint i = 0; i < 4 * 4 * 5; i++) {
    GstHarness *harness = test_harness_new ("max-in-flight=8");
    Watch *watch = watch_new (harness->element);
    const GstState state = states[i / 4 % 4];

    gst_harness_set_src_caps_str (harness, VIDEO);
    /* A stop without a start, while frames pass, is upstream's mistake. */
    for (guint n = 0; n < i % 7 && i / 16 != 2; n++)
      gst_harness_push (harness, make_frame (n));
    gst_element_set_state (harness->element, state);
    if (state < GST_STATE_PAUSED)
      watch_check_stopped (watch);
    switch (i / 16) {
      case 0:
        gst_harness_push_event (harness, gst_event_new_flush_start ());
        gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
        break;
      case 1:
        gst_harness_push_event (harness, gst_event_new_flush_start ());
        break;
      case 2:
        gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
        break;
      case 3:
        gst_harness_push_event (harness, gst_event_new_flush_start ());
        gst_harness_push_event (harness, gst_event_new_flush_start ());
        break;
      default:
        gst_harness_push_event (harness, gst_event_new_flush_start ());
        gst_harness_push_event (harness, gst_event_new_flush_stop (FALSE));
        gst_harness_push_event (harness, gst_event_new_eos ());
        break;
    }
    gst_element_set_state (harness->element, states[i % 4]);
    gst_element_set_state (harness->element, GST_STATE_PLAYING);
    watch_free (watch);
    check_flow (harness, i);
    test_harness_free (harness);
  }
}

GST_END_TEST;

typedef struct
{
  GstHarness *harness;
  GMutex lock;                  /* as a source's stream lock */
  gint stop;
} Pusher;

static gpointer
push_frames (gpointer user_data)
{
  Pusher *pusher = user_data;

  for (guint n = 0; !g_atomic_int_get (&pusher->stop); n++) {
    GstFlowReturn flow;

    g_mutex_lock (&pusher->lock);
    flow = gst_harness_push (pusher->harness, make_frame (n));
    g_mutex_unlock (&pusher->lock);
    if (flow != GST_FLOW_OK)
      g_usleep (100);
  }
  return NULL;
}

/* Flushes that come at any moment, while another thread pushes. */
GST_START_TEST (test_flush_at_any_time)
{
  GstHarness *harness = test_harness_new ("max-in-flight=4");
  GRand *random = test_random ();
  Pusher pusher = {.harness = harness };
  GThread *thread;
  Watch *watch;

  watch = watch_new (harness->element);
  gst_harness_set_src_caps_str (harness, VIDEO);
  gst_harness_set_drop_buffers (harness, TRUE);
  g_mutex_init (&pusher.lock);
  thread = g_thread_new ("upstream", push_frames, &pusher);
  for (guint i = 0; i < 100; i++) {
    g_usleep (g_rand_int_range (random, 0, 2000));
    gst_harness_push_event (harness, gst_event_new_flush_start ());
    g_usleep (g_rand_int_range (random, 0, 200));
    g_mutex_lock (&pusher.lock);
    gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
    push_segment (harness);
    g_mutex_unlock (&pusher.lock);
  }
  watch_wait (watch, watch_n_left (watch) + 5);
  g_atomic_int_set (&pusher.stop, TRUE);
  g_thread_join (thread);
  gst_element_set_state (harness->element, GST_STATE_NULL);
  watch_check_stopped (watch);
  watch_free (watch);
  g_mutex_clear (&pusher.lock);
  g_rand_free (random);
  test_harness_free (harness);
}

GST_END_TEST;

/* ---- Sources of any kind ------------------------------------------------------------------------ */

static void
push_sample (GstElement * source, const gchar * caps_text, GstBuffer * buffer)
{
  GstCaps *caps = gst_caps_from_string (caps_text);
  GstSample *sample = gst_sample_new (buffer, caps, NULL, NULL);
  GstFlowReturn flow = GST_FLOW_ERROR;

  g_signal_emit_by_name (source, "push-sample", sample, &flow);
  fail_unless_equals_int (flow, GST_FLOW_OK);
  gst_sample_unref (sample);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
}

static GstElement *
open_appsrc (Line * line, const gchar * source_properties,
    const gchar * sink_properties)
{
  gchar *description = g_strdup_printf ("appsrc name=source format=time "
      "max-bytes=0 %s ! $ ! fakesink %s", source_properties, sink_properties);
  GstElement *source;

  line_open (line, description, NULL);
  source = gst_bin_get_by_name (GST_BIN (line->pipeline), "source");
  g_free (description);
  return source;
}

static guint
play_appsrc (Line * line, GstElement * source)
{
  GstFlowReturn flow = GST_FLOW_ERROR;

  g_signal_emit_by_name (source, "end-of-stream", &flow);
  gst_object_unref (source);
  return play (line);
}

static GstBuffer *
random_buffer (GRand * random, gsize size)
{
  guint8 *data = g_malloc (size + 1);

  test_fill_random (random, data, size);
  return gst_buffer_new_wrapped_full (0, data, size, 0, size, data, g_free);
}

/* Other caps with each buffer, from video to audio and back. */
GST_START_TEST (test_caps_with_each_buffer)
{
  static const struct
  {
    const gchar *caps;
    gsize size;
  } kinds[] = {
    {VIDEO, 16 * 8},
    {"video/x-raw, format=GRAY8, width=64, height=20, framerate=0/1", 64 * 20},
    {AUDIO, 333},
    {"video/x-raw, format=GRAY8, width=4, height=1, framerate=25/1", 4},
    {"audio/x-raw, format=U8, channels=1, rate=8000, layout=interleaved", 1},
    {"video/x-raw, format=NV12, width=20, height=6, framerate=25/1", 180},
    {"audio/x-raw, format=F32LE, channels=2, rate=8000, layout=interleaved",
        80},
  };
  GRand *random = test_random ();
  GstElement *source;
  Line line;

  source = open_appsrc (&line, "", "sync=false");
  for (guint n = 0; n < 15 * G_N_ELEMENTS (kinds); n++) {
    guint kind = n % G_N_ELEMENTS (kinds);
    GstBuffer *buffer = random_buffer (random, kinds[kind].size);

    GST_BUFFER_PTS (buffer) = n * GST_MSECOND;
    push_sample (source, kinds[kind].caps, buffer);
  }
  fail_unless_equals_int (play_appsrc (&line, source),
      15 * G_N_ELEMENTS (kinds));
  line_close (&line);
  g_rand_free (random);
}

GST_END_TEST;

/* No framerate, no timestamps, from a source that is live and one that is not, to a sink
 * that looks at them. */
GST_START_TEST (test_no_times)
{
  GRand *random = test_random ();

  for (guint live = 0; live < 2; live++) {
    GstQuery *query = gst_query_new_latency ();
    GstElement *source;
    Line line;

    source = open_appsrc (&line, live ? "is-live=true" : "", "sync=true");
    for (guint n = 0; n < 30; n++)
      push_sample (source, "video/x-raw, format=GRAY8, width=16, height=8, "
          "framerate=0/1", random_buffer (random, 16 * 8));
    set_state (&line, GST_STATE_PLAYING);
    watch_wait (line.watch, 0);
    fail_unless (gst_element_query (line.histo, query));
    gst_query_unref (query);
    fail_unless_equals_int (play_appsrc (&line, source), 30);
    line_close (&line);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* Gaps with a picture and without one, and buffers of no sound. */
GST_START_TEST (test_gaps)
{
  GRand *random = test_random ();
  GstElement *source;
  Line line;

  source = open_appsrc (&line, "", "sync=false");
  for (guint n = 0; n < 60; n++) {
    const gboolean is_video = n / 10 % 2;
    GstBuffer *buffer = random_buffer (random,
        n % 3 == 2 ? 0 : is_video ? 16 * 8 : n * 11);

    if (n % 3 > 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
    push_sample (source, is_video ? VIDEO : AUDIO, buffer);
  }
  fail_unless_equals_int (play_appsrc (&line, source), 60);
  line_close (&line);

  line_open (&line, "audiotestsrc wave=silence num-buffers=20 ! " AUDIO
      " ! $ ! fakesink sync=false", NULL);
  fail_unless_equals_int (play (&line), 20);
  line_close (&line);
  g_rand_free (random);
}

GST_END_TEST;

/* ---- Ends ----------------------------------------------------------------------------------------- */

/* The end comes first, or almost. */
GST_START_TEST (test_eos_at_once)
{
  static const gchar *const descriptions[] = {
    "videotestsrc num-buffers=0 ! " VIDEO " ! $ ! fakesink",
    "audiotestsrc num-buffers=0 ! $ ! fakesink",
    "videotestsrc num-buffers=0 is-live=true ! $ ! fakesink",
    "videotestsrc num-buffers=1 ! " VIDEO " ! $ ! fakesink",
  };

  for (guint i = 0; i < G_N_ELEMENTS (descriptions); i++) {
    Line line;

    line_open (&line, descriptions[i], NULL);
    fail_unless_equals_int (play (&line), i == 3);
    line_close (&line);
  }
  /* Asked for from outside, in whatever state that finds the pipeline. */
  for (guint i = 0; i < 20; i++) {
    Line line;

    line_open (&line, "videotestsrc pattern=snow is-live=true ! " VIDEO
        " ! $ ! fakesink", NULL);
    if (i % 2)
      reach_state (&line, GST_STATE_PLAYING);
    else
      set_state (&line, GST_STATE_PLAYING);
    g_usleep (i / 2 * 1000);
    gst_element_send_event (line.pipeline, gst_event_new_eos ());
    wait_for (&line, GST_MESSAGE_EOS);
    watch_check_drained (line.watch);
    line_close (&line);
  }
}

GST_END_TEST;

/* Stopped with as many frames on the device as there can be, because downstream is
 * slow; and started again. */
GST_START_TEST (test_stop_with_frames)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY,
    GST_STATE_PAUSED
  };
  GRand *random = test_random ();
  Line line;

  line_open (&line, "videotestsrc pattern=snow ! video/x-raw, format=GRAY8, "
      "width=160, height=120 ! $ ! identity sleep-time=1000 ! "
      "fakesink sync=false", "max-in-flight=16");
  for (guint i = 0; i < 40; i++) {
    set_state (&line, GST_STATE_PLAYING);
    if (i % 4 > 0)
      watch_wait (line.watch, watch_n_left (line.watch) + i % 4);
    g_usleep (g_rand_int_range (random, 0, 5000));
    /* A bin whose PAUSED is still to come sometimes forgets that it is to play. */
    reach_state (&line, states[i % G_N_ELEMENTS (states)]);
    if (states[i % G_N_ELEMENTS (states)] < GST_STATE_PAUSED)
      watch_check_stopped (line.watch);
  }
  line_close (&line);
  g_rand_free (random);
}

GST_END_TEST;

/* Pausing loses nothing. */
GST_START_TEST (test_pause)
{
  static const gchar *const live[] = { "false", "true" };

  for (guint i = 0; i < 2; i++) {
    gchar *description = g_strdup_printf ("videotestsrc pattern=snow "
        "is-live=%s ! " VIDEO " ! $ ! fakesink sync=true", live[i]);
    Line line;

    line_open (&line, description, "max-in-flight=8");
    for (guint n = 0; n < 8; n++) {
      reach_state (&line, GST_STATE_PLAYING);
      watch_wait (line.watch, watch_n_left (line.watch) + n % 3);
      reach_state (&line, GST_STATE_PAUSED);
    }
    reach_state (&line, GST_STATE_PLAYING);
    gst_element_send_event (line.pipeline, gst_event_new_eos ());
    wait_for (&line, GST_MESSAGE_EOS);
    fail_unless (watch_check_drained (line.watch) > 8);
    line_close (&line);
    g_free (description);
  }
}

GST_END_TEST;

static Suite *
citizen_suite (void)
{
  Suite *suite = suite_create ("citizen");
  TCase *tcase = tcase_create ("pipelines");

  tcase_set_timeout (tcase, 5);
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_play);
  tcase_add_test (tcase, test_live_latency);
  tcase_add_test (tcase, test_flushing_seeks);
  tcase_add_test (tcase, test_segment_loops);
  tcase_add_test (tcase, test_flush_in_every_state);
  tcase_add_test (tcase, test_flush_at_any_time);
  tcase_add_test (tcase, test_caps_with_each_buffer);
  tcase_add_test (tcase, test_no_times);
  tcase_add_test (tcase, test_gaps);
  tcase_add_test (tcase, test_eos_at_once);
  tcase_add_test (tcase, test_stop_with_frames);
  tcase_add_test (tcase, test_pause);
  return suite;
}

GST_CHECK_MAIN (citizen);
