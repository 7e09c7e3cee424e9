/* Pipelines: live and not live, video and audio, several elements, and sources of any kind.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "pipeline.h"

/* Without a format videotestsrc and the element choose one of 16 bits, which takes long on the mock driver. */
#define PICTURE "video/x-raw, format=I420, width=64, height=48"
#define VIDEO "video/x-raw, format=GRAY8, width=16, height=8, framerate=200/1"
#define AUDIO "audio/x-raw, format=U8, channels=1, rate=48000, " \
    "layout=interleaved"

/* ---- Live and not live ---------------------------------------------------------------------- */

/* Sources that wait for the clock and sources that do not, sinks that do and sinks that do not. */
TEST (test_play)
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
    CheckedPipeline checked;

    checked_open (&checked, description, i % 3 ? NULL : "max-in-flight=1");
    fail_unless_equals_int (checked_play (&checked), 40);
    checked_close (&checked);
    g_free (description);
  }
}

/* The element adds no latency to a live pipeline. */
TEST (test_live_latency)
{
  CheckedPipeline checked;
  GstQuery *query = gst_query_new_latency ();
  GstClockTime with, without;
  GstElement *source;
  GstPad *pad;
  gboolean is_live;

  checked_open (&checked, "videotestsrc name=source pattern=snow is-live=true "
      "num-buffers=30 ! video/x-raw, format=GRAY8, width=16, height=8, "
      "framerate=50/1 ! $ ! fakesink sync=true", NULL);
  checked_set_state (&checked, GST_STATE_PLAYING);
  flow_check_wait (checked.flow, 2);
  fail_unless (gst_element_query (checked.histo, query));
  gst_query_parse_latency (query, &is_live, &with, NULL);
  fail_unless (is_live);
  gst_query_unref (query);

  source = gst_bin_get_by_name (GST_BIN (checked.pipeline), "source");
  pad = gst_element_get_static_pad (source, "src");
  query = gst_query_new_latency ();
  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_latency (query, NULL, &without, NULL);
  fail_unless_equals_uint64 (with, without);
  gst_query_unref (query);
  gst_object_unref (pad);
  gst_object_unref (source);

  test_wait_for (checked.pipeline, GST_MESSAGE_EOS);
  fail_unless_equals_int (flow_check_drained (checked.flow), 30);
  checked_close (&checked);
}

/* ---- Several elements ----------------------------------------------------------------------- */

/* Two elements in one pipeline, in parallel and in a row. */
TEST (test_two_elements)
{
  static const gchar *const pipelines[] = {
    "videotestsrc num-buffers=20 ! " PICTURE " ! "
        "tee name=t ! queue ! %s ! fakesink name=sink t. ! queue ! %s ! "
        "fakesink",
    "videotestsrc num-buffers=20 is-live=true ! " PICTURE
        ", framerate=1000/1 ! queue ! %s ! queue ! %s ! "
        "fakesink name=sink sync=true",
    "audiotestsrc num-buffers=20 ! queue ! %s ! audioconvert ! "
        "audio/x-raw, format=F32LE ! %s ! fakesink name=sink",
    "videotestsrc num-buffers=20 ! video/x-raw, format=NV12, width=32, "
        "height=24 ! %s ! videoconvert ! video/x-raw, format=RGBA ! %s ! "
        "fakesink name=sink sync=true",
  };
  gchar *element = g_strdup_printf ("cudahisto backend=%s", test_backend ());

  for (guint i = 0; i < G_N_ELEMENTS (pipelines); i++) {
    GstElement *pipeline = test_pipeline_new (pipelines[i], element, element);
    ResultCounts counts;

    test_count_results (pipeline, &counts);
    test_set_state (pipeline, GST_STATE_PLAYING);
    test_wait_for (pipeline, GST_MESSAGE_EOS);
    fail_unless_equals_int (counts.n_buffers, 20);
    fail_unless_equals_int (counts.n_results, 20);
    test_pipeline_free (pipeline);
  }
  g_free (element);
}

static gboolean
element_exists (const gchar * name)
{
  GstElementFactory *factory = gst_element_factory_find (name);

  if (factory == NULL)
    g_print ("skipped: no %s\n", name);
  gst_clear_object (&factory);
  return factory != NULL;
}

/* Converters keep the result. */
TEST (test_meta_survives)
{
  static const struct
  {
    const gchar *element;
    const gchar *before, *after;
  } converters[] = {
    /* *INDENT-OFF* */
    { "videoconvert", PICTURE, "video/x-raw, format=RGBA" },
    { "videoscale", PICTURE, "video/x-raw, width=32" },
    { "videoflip method=rotate-180", PICTURE, "video/x-raw" },
    { "videoflip method=clockwise", PICTURE,
        "video/x-raw, width=48" },
    { "videorate", PICTURE ", framerate=25/1", "video/x-raw, framerate=50/1" },
    { "videocrop left=2", PICTURE, "video/x-raw" },
    { "audioconvert", "audio/x-raw, format=S16LE", "audio/x-raw, format=F64LE" },
    { "audioconvert", "audio/x-raw, channels=1", "audio/x-raw, channels=2" },
    { "audioresample", "audio/x-raw, rate=48000", "audio/x-raw, rate=16000" },
    /* *INDENT-ON* */
  };

  for (guint i = 0; i < G_N_ELEMENTS (converters); i++) {
    gchar **words = g_strsplit (converters[i].element, " ", 2);
    GstElement *pipeline;
    ResultCounts counts;

    if (element_exists (words[0])) {
      pipeline = test_pipeline_new ("%stestsrc num-buffers=6 ! %s ! "
          "cudahisto backend=%s ! %s ! %s ! fakesink name=sink",
          g_str_has_prefix (words[0], "audio") ? "audio" : "video",
          converters[i].before, test_backend (), converters[i].element,
          converters[i].after);
      test_count_results (pipeline, &counts);
      test_set_state (pipeline, GST_STATE_PLAYING);
      test_wait_for (pipeline, GST_MESSAGE_EOS);
      fail_unless (counts.n_buffers >= 6);
      /* The resampler makes its last buffer of remaining samples. */
      fail_unless (counts.n_results >= MIN (6, counts.n_buffers - 1), "%s: %d "
          "of %d", converters[i].element, counts.n_results, counts.n_buffers);
      test_pipeline_free (pipeline);
    }
    g_strfreev (words);
  }
}

/* ---- Sources of any kind -------------------------------------------------------------------- */

/* @buffer: (transfer full) */
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
open_appsrc (CheckedPipeline * checked, const gchar * source_properties,
    const gchar * sink_properties)
{
  gchar *description = g_strdup_printf ("appsrc name=source format=time "
      "max-bytes=0 %s ! $ ! fakesink %s", source_properties, sink_properties);
  GstElement *source;

  checked_open (checked, description, NULL);
  source = gst_bin_get_by_name (GST_BIN (checked->pipeline), "source");
  g_free (description);
  return source;
}

/* Ends the stream and plays it. Returns the number of buffers. @source: (transfer full) */
static guint
play_appsrc (CheckedPipeline * checked, GstElement * source)
{
  GstFlowReturn flow = GST_FLOW_ERROR;

  g_signal_emit_by_name (source, "end-of-stream", &flow);
  gst_object_unref (source);
  return checked_play (checked);
}

/* Every buffer has other caps than the one before, from video to audio and back. */
TEST (test_caps_with_each_buffer)
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
  CheckedPipeline checked;

  source = open_appsrc (&checked, "", "sync=false");
  for (guint n = 0; n < 15 * G_N_ELEMENTS (kinds); n++) {
    guint kind = n % G_N_ELEMENTS (kinds);
    GstBuffer *buffer = test_random_buffer (kinds[kind].size, random);

    GST_BUFFER_PTS (buffer) = n * GST_MSECOND;
    push_sample (source, kinds[kind].caps, buffer);
  }
  fail_unless_equals_int (play_appsrc (&checked, source),
      15 * G_N_ELEMENTS (kinds));
  checked_close (&checked);
  g_rand_free (random);
}

/* Buffers without times and caps without a framerate, from a live source and another, to a sink
 * that synchronizes. */
TEST (test_no_times)
{
  GRand *random = test_random ();

  for (guint live = 0; live < 2; live++) {
    GstQuery *query = gst_query_new_latency ();
    GstElement *source;
    CheckedPipeline checked;

    source = open_appsrc (&checked, live ? "is-live=true" : "", "sync=true");
    for (guint n = 0; n < 30; n++)
      push_sample (source, "video/x-raw, format=GRAY8, width=16, height=8, "
          "framerate=0/1", test_random_buffer (16 * 8, random));
    checked_set_state (&checked, GST_STATE_PLAYING);
    flow_check_wait (checked.flow, 0);
    fail_unless (gst_element_query (checked.histo, query));
    gst_query_unref (query);
    fail_unless_equals_int (play_appsrc (&checked, source), 30);
    checked_close (&checked);
  }
  g_rand_free (random);
}

/* A buffer with one memory, even if that memory has no bytes. */
static GstBuffer *
random_buffer (GRand * random, gsize size)
{
  guint8 *data = g_malloc (size + 1);

  test_fill_random (random, data, size);
  return gst_buffer_new_wrapped_full (0, data, size, 0, size, data, g_free);
}

/* Gaps with and without bytes, and audio buffers without samples. */
TEST (test_gaps)
{
  GRand *random = test_random ();
  GstElement *source;
  CheckedPipeline checked;

  source = open_appsrc (&checked, "", "sync=false");
  for (guint n = 0; n < 60; n++) {
    const gboolean is_video = n / 10 % 2;
    GstBuffer *buffer = random_buffer (random,
        n % 3 == 2 ? 0 : is_video ? 16 * 8 : n * 11);

    if (n % 3 > 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
    push_sample (source, is_video ? VIDEO : AUDIO, buffer);
  }
  fail_unless_equals_int (play_appsrc (&checked, source), 60);
  checked_close (&checked);

  checked_open (&checked, "audiotestsrc wave=silence num-buffers=20 ! " AUDIO
      " ! $ ! fakesink sync=false", NULL);
  fail_unless_equals_int (checked_play (&checked), 20);
  checked_close (&checked);
  g_rand_free (random);
}

TEST_MAIN (5)
