/* The audio pads: meters that belong to the frame, waiting, and what ends it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay.h"

#include "pipeline.h"

#define VIDEO_CAPS "video/x-raw, format=GRAY8, width=640, height=480, framerate=25/1"
#define AUDIO_CAPS "audio/x-raw, format=S16LE, layout=interleaved, rate=48000, channels=2"
/* Samples of a channel in 40 ms. */
#define N_SAMPLES 1920

/* An overlay with one audio pad, and a cudahisto that measures its sound. */
typedef struct
{
  GstElement *overlay;
  GstHarness *video, *audio, *histo;
} Pads;

/* A harness says that it is live. */
static GstPadProbeReturn
answer_latency (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return GST_PAD_PROBE_OK;
  gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  return GST_PAD_PROBE_HANDLED;
}

static void
pads_open (Pads * pads, const gchar * properties)
{
  gchar *description = g_strdup_printf ("cudahistooverlay %s", properties);

  pads->overlay = gst_parse_launch (description, NULL);
  gst_object_ref_sink (pads->overlay);
  pads->video = gst_harness_new_with_element (pads->overlay, "sink", "src");
  gst_pad_add_probe (pads->video->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      answer_latency, NULL, NULL);
  pads->audio = gst_harness_new_with_element (pads->overlay, "audio_%u", NULL);
  pads->histo =
      gst_harness_new_parse ("cudahisto backend=cpu measures=level+loudness");
  gst_harness_add_propose_allocation_meta (pads->video,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (pads->video, VIDEO_CAPS);
  gst_harness_set_src_caps_str (pads->audio, AUDIO_CAPS);
  gst_harness_set_src_caps_str (pads->histo, AUDIO_CAPS);
  g_free (description);
}

static void
pads_close (Pads * pads)
{
  gst_harness_teardown (pads->histo);
  gst_harness_teardown (pads->audio);
  gst_harness_teardown (pads->video);
  gst_object_unref (pads->overlay);
}

/* 40 ms of sound, number @n, of a square wave with these levels. (transfer full) */
static GstBuffer *
measure (Pads * pads, guint n, gint16 left, gint16 right)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, N_SAMPLES * 4, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < N_SAMPLES; i++) {
    GST_WRITE_UINT16_LE (map.data + 4 * i, i & 16 ? left : -left);
    GST_WRITE_UINT16_LE (map.data + 4 * i + 2, i & 16 ? right : -right);
  }
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = n * 40 * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return gst_harness_push_and_pull (pads->histo, buffer);
}

static void
push_sound (Pads * pads, guint n, gint16 left, gint16 right)
{
  fail_unless_equals_int (gst_harness_push (pads->audio, measure (pads, n, left,
              right)), GST_FLOW_OK);
}

/* How many pixels of a rectangle are bright and green, yellow or red, as the bars are. */
static guint
count_colored (GstBuffer * frame, guint number)
{
  OverlayRectangle panel;
  guint n = 0;

  overlay_get_rectangle (frame, number, &panel);
  for (gint i = 0; i < panel.width * panel.height; i++) {
    const gint red = panel.pixels[i] >> 16 & 255, blue = panel.pixels[i] & 255;
    const gint green = panel.pixels[i] >> 8 & 255;

    n += MAX (red, green) > blue + 60;
  }
  g_free (panel.pixels);
  return n;
}

/* Louder sound gives longer bars, in the frame to which it belongs. */
GST_START_TEST (test_meters)
{
  guint colored[3];
  Pads pads;

  pads_open (&pads, "show=meters size=0.5 peak-falloff=1000 peak-ttl=0");
  push_sound (&pads, 0, 100, 100);
  push_sound (&pads, 1, 30000, 30000);
  push_sound (&pads, 2, 0, 0);
  for (guint n = 0; n < 3; n++) {
    GstBuffer *frame = overlay_push_value (pads.video, n, 50);

    fail_unless_equals_int (overlay_count (frame), 1);
    colored[n] = count_colored (frame, 0);
    gst_buffer_unref (frame);
  }
  fail_unless (colored[1] > colored[0] + 1000 && colored[0] > 100
      && colored[2] < colored[1], "%u %u %u", colored[0], colored[1],
      colored[2]);
  pads_close (&pads);
}

GST_END_TEST;

/* The loudness has a panel of its own width. */
GST_START_TEST (test_loudness)
{
  GstElement *histo = gst_element_factory_make ("cudahisto", NULL);
  OverlayRectangle panel;
  GstBuffer *frame;
  gint widths[2];
  guint measures;
  Pads pads;

  gst_util_set_object_arg (G_OBJECT (histo), "measures", "loudness");
  g_object_get (histo, "measures", &measures, NULL);
  gst_object_unref (histo);
  pads_open (&pads, "size=0.5");
  push_sound (&pads, 0, 3000, 3000);
  for (guint i = 0; i < 2; i++) {
    gst_util_set_object_arg (G_OBJECT (pads.overlay), "show",
        i ? "meters+loudness" : "meters");
    frame = overlay_push_value (pads.video, 0, 50);
    overlay_get_rectangle (frame, 0, &panel);
    widths[i] = panel.width;
    g_free (panel.pixels);
    gst_buffer_unref (frame);
  }
  /* Built without libebur128, there is no loudness. */
  fail_unless_equals_int (widths[1] > widths[0] + 100, measures > 1);
  pads_close (&pads);
}

GST_END_TEST;

/* ---- Waiting ----------------------------------------------------------------------- */

static gpointer
push_later (gpointer data)
{
  Pads *pads = data;

  g_usleep (300000);
  push_sound (pads, 0, 30000, 30000);
  return NULL;
}

static gint64
push_frame (Pads * pads, guint n, guint expected)
{
  const gint64 begin = g_get_monotonic_time ();
  GstBuffer *frame = overlay_push_value (pads->video, n, 50);

  fail_unless_equals_int (overlay_count (frame), expected);
  gst_buffer_unref (frame);
  return g_get_monotonic_time () - begin;
}

/* A frame waits for its sound. */
GST_START_TEST (test_waiting)
{
  GThread *thread;
  Pads pads;

  pads_open (&pads, "show=meters audio-wait=50000000000");
  thread = g_thread_new ("sound", push_later, &pads);
  fail_unless (push_frame (&pads, 0, 1) > 200000);
  g_thread_join (thread);
  pads_close (&pads);
}

GST_END_TEST;

/* An application that stops while it seeks sends FLUSH_START and sets the state READY, without
 * FLUSH_STOP. In the next run a frame waits for its sound again. */
GST_START_TEST (test_waiting_after_open_flush)
{
  GThread *thread;
  GstPad *sink;
  Pads pads;

  pads_open (&pads, "show=meters audio-wait=50000000000");
  push_sound (&pads, 0, 100, 100);
  push_frame (&pads, 0, 1);
  sink = gst_element_get_static_pad (pads.overlay, "sink");
  fail_unless (gst_pad_send_event (sink, gst_event_new_flush_start ()));
  gst_object_unref (sink);
  gst_element_set_state (pads.overlay, GST_STATE_READY);
  gst_element_set_state (pads.overlay, GST_STATE_PLAYING);
  /* The harness is no element that stops and starts, too. */
  fail_unless (gst_pad_send_event (pads.video->sinkpad,
          gst_event_new_flush_stop (TRUE)));
  for (guint i = 0; i < 2; i++) {
    GstHarness *harness = i ? pads.audio : pads.video;

    gst_harness_push_event (harness, gst_event_new_stream_start ("again"));
    gst_harness_set_src_caps_str (harness, i ? AUDIO_CAPS : VIDEO_CAPS);
  }
  thread = g_thread_new ("sound", push_later, &pads);
  fail_unless (push_frame (&pads, 0, 1) > 200000);
  g_thread_join (thread);
  pads_close (&pads);
}

GST_END_TEST;

/* If no sound comes, one frame waits, and the next ones do not. When the sound has caught up, frames
 * wait again. */
GST_START_TEST (test_late_sound)
{
  Pads pads;

  pads_open (&pads, "show=meters audio-wait=300000000");
  fail_unless (push_frame (&pads, 0, 0) >= 290000);
  fail_unless (push_frame (&pads, 1, 0) < 250000);
  fail_unless (push_frame (&pads, 2, 0) < 250000);
  push_sound (&pads, 0, 100, 100);
  fail_unless (push_frame (&pads, 3, 1) < 250000);
  for (guint n = 1; n < 4; n++)
    push_sound (&pads, n, 100, 100);
  fail_unless (push_frame (&pads, 4, 1) >= 290000);
  g_object_set (pads.overlay, "audio-wait", (guint64) 0, NULL);
  push_sound (&pads, 4, 100, 100);
  fail_unless (push_frame (&pads, 5, 1) < 250000);
  pads_close (&pads);
}

GST_END_TEST;

/* EOS and gaps say that there is no sound to wait for. */
GST_START_TEST (test_end_of_sound)
{
  GstPad *pad;
  Pads pads;

  pads_open (&pads, "show=meters audio-wait=50000000000");
  push_sound (&pads, 0, 100, 100);
  push_frame (&pads, 0, 1);
  gst_harness_push_event (pads.audio, gst_event_new_gap (40 * GST_MSECOND,
          80 * GST_MSECOND));
  push_frame (&pads, 1, 1);
  push_frame (&pads, 2, 1);
  gst_harness_push_event (pads.audio, gst_event_new_eos ());
  push_frame (&pads, 3, 1);
  push_frame (&pads, 100, 1);
  pad = gst_element_get_static_pad (pads.overlay, "audio_0");
  fail_unless (pad != NULL);
  gst_object_unref (pad);
  pads_close (&pads);
}

GST_END_TEST;

static gpointer
push_waiting (gpointer data)
{
  Pads *pads = data;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 640 * 480, NULL);

  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return GINT_TO_POINTER (gst_harness_push (pads->video, buffer));
}

/* A flush and a stop end the waiting. */
static void
check_end_of_waiting (gboolean stops)
{
  const gint64 begin = g_get_monotonic_time ();
  GThread *thread;
  Pads pads;

  pads_open (&pads, "audio-wait=50000000000");
  thread = g_thread_new ("video", push_waiting, &pads);
  g_usleep (100000);
  if (stops)
    test_set_state (pads.overlay, GST_STATE_READY);
  else
    test_flush (pads.video);
  g_thread_join (thread);
  fail_unless (g_get_monotonic_time () - begin < 20000000);
  pads_close (&pads);
}

GST_START_TEST (test_end_of_waiting)
{
  check_end_of_waiting (FALSE);
  check_end_of_waiting (TRUE);
}

GST_END_TEST;

/* A flush of the sound drops what has come. */
GST_START_TEST (test_flush_of_sound)
{
  GstBuffer *frame;
  guint loud, quiet;
  Pads pads;

  pads_open (&pads, "show=meters size=0.5 audio-wait=0");
  push_sound (&pads, 0, 30000, 30000);
  frame = overlay_push_value (pads.video, 0, 50);
  loud = count_colored (frame, 0);
  gst_buffer_unref (frame);
  push_sound (&pads, 1, 30000, 30000);
  test_flush (pads.audio);
  test_push_segment (pads.audio);
  frame = overlay_push_value (pads.video, 1, 50);
  fail_unless_equals_int (overlay_count (frame), 0);
  gst_buffer_unref (frame);
  push_sound (&pads, 2, 100, 100);
  frame = overlay_push_value (pads.video, 2, 50);
  quiet = count_colored (frame, 0);
  gst_buffer_unref (frame);
  fail_unless (quiet < loud, "%u %u", quiet, loud);
  pads_close (&pads);
}

GST_END_TEST;

/* ---- Pads -------------------------------------------------------------------------- */

/* Names are as requested; there are at most eight; a pad that was released is free again. */
GST_START_TEST (test_requests)
{
  GstElement *overlay = gst_element_factory_make ("cudahistooverlay", NULL);
  GstPad *pads[8];

  gst_object_ref_sink (overlay);
  pads[0] = gst_element_request_pad_simple (overlay, "audio_3");
  fail_unless_equals_string (GST_PAD_NAME (pads[0]), "audio_3");
  for (guint i = 1; i < 8; i++) {
    pads[i] = gst_element_request_pad_simple (overlay, "audio_%u");
    fail_unless (pads[i] != NULL);
  }
  fail_unless_equals_string (GST_PAD_NAME (pads[1]), "audio_0");
  fail_unless_equals_string (GST_PAD_NAME (pads[4]), "audio_4");
  fail_unless (gst_element_request_pad_simple (overlay, "audio_%u") == NULL);
  for (guint i = 0; i < 8; i++) {
    gst_element_release_request_pad (overlay, pads[i]);
    /* A pad that was released takes nothing any more. */
    fail_if (gst_pad_send_event (pads[i], gst_event_new_flush_stop (TRUE)));
    gst_object_unref (pads[i]);
  }
  pads[0] = gst_element_request_pad_simple (overlay, "audio_%u");
  fail_unless_equals_string (GST_PAD_NAME (pads[0]), "audio_0");
  gst_object_unref (pads[0]);
  gst_object_unref (overlay);
}

GST_END_TEST;

/* Alerts of the sound are shown in the picture. */
GST_START_TEST (test_alerts_of_sound)
{
  GstBuffer *frame;
  Pads pads;

  pads_open (&pads, "show=alerts");
  gst_harness_teardown (pads.histo);
  pads.histo = gst_harness_new_parse ("cudahisto backend=cpu alerts=silence "
      "silence-duration=0");
  gst_harness_set_src_caps_str (pads.histo, AUDIO_CAPS);
  push_sound (&pads, 0, 1000, 1000);
  frame = overlay_push_value (pads.video, 0, 50);
  fail_unless_equals_int (overlay_count (frame), 0);
  gst_buffer_unref (frame);
  push_sound (&pads, 1, 0, 0);
  frame = overlay_push_value (pads.video, 1, 50);
  fail_unless_equals_int (overlay_count (frame), 1);
  gst_buffer_unref (frame);
  pads_close (&pads);
}

GST_END_TEST;

/* ---- Pipelines --------------------------------------------------------------------- */

/* Plays to the end. */
static void
play (const gchar * description)
{
  GstElement *pipeline = test_pipeline_new ("%s", description);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  test_wait_for (pipeline, GST_MESSAGE_EOS);
  test_pipeline_free (pipeline);
}

#define VIDEO_SOURCE "videotestsrc num-buffers=50 ! " VIDEO_CAPS " ! cudahisto backend=cpu "
#define AUDIO_SOURCE "audiotestsrc num-buffers=100 samplesperbuffer=960 ! " AUDIO_CAPS \
    " ! cudahisto backend=cpu measures=level "

/* With sinks that follow the clock and those that do not, with a branch for the sound, and with sound
 * that is shorter or missing. */
GST_START_TEST (test_pipelines)
{
  play (VIDEO_SOURCE "! cudahistooverlay name=o ! fakesink "
      AUDIO_SOURCE "! o.audio_0");
  play (VIDEO_SOURCE "! cudahistooverlay name=o ! fakesink sync=true "
      AUDIO_SOURCE "! tee name=t ! queue ! fakesink sync=true t. ! queue ! o.");
  play (VIDEO_SOURCE "! queue ! cudahistooverlay name=o ! videoconvert "
      "! fakesink sync=true audiotestsrc num-buffers=10 ! queue ! cudahisto "
      "! o.audio_0 " AUDIO_SOURCE "! o.audio_1");
  play ("videotestsrc is-live=true num-buffers=20 ! " VIDEO_CAPS
      " ! cudahistooverlay name=o ! fakesink sync=true "
      "audiotestsrc is-live=true num-buffers=20 ! o.");
}

GST_END_TEST;

static Suite *
overlay_audio_suite (void)
{
  Suite *suite = suite_create ("overlay-audio");
  TCase *tcase = test_add_case (suite, "general", 60);

  tcase_add_test (tcase, test_meters);
  tcase_add_test (tcase, test_loudness);
  tcase_add_test (tcase, test_waiting);
  tcase_add_test (tcase, test_waiting_after_open_flush);
  tcase_add_test (tcase, test_late_sound);
  tcase_add_test (tcase, test_end_of_sound);
  tcase_add_test (tcase, test_end_of_waiting);
  tcase_add_test (tcase, test_flush_of_sound);
  tcase_add_test (tcase, test_requests);
  tcase_add_test (tcase, test_alerts_of_sound);
  tcase_add_test (tcase, test_pipelines);
  return suite;
}

GST_CHECK_MAIN (overlay_audio);
