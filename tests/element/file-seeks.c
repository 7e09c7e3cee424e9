/* Seeks in files: what is measured is what a sink renders.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pipeline.h"
#include "compare.h"

#include <gst/audio/audio.h>
#include <glib/gstdio.h>

/* ---- Files ---------------------------------------------------------------------------------- */

/* 4 seconds with 25 frames a second, and sound; encoded video has a key frame in each second. */
static const struct
{
  const gchar *name;
  const gchar *video, *sound;   /* encoders with their properties */
  const gchar *muxer, *demuxer;
} files[] = {
  {"raw.mkv", "identity", "identity", "matroskamux", "matroskademux"},
  {"film.mkv", "vp8enc keyframe-max-dist=25", "flacenc", "matroskamux",
      "matroskademux"},
  {"film.mp4", "openh264enc gop-size=25 ! h264parse", "avenc_aac", "mp4mux",
      "qtdemux"},
  {"film.ts", "openh264enc gop-size=25 ! h264parse", "avenc_mp2", "mpegtsmux",
      "tsdemux"},
};

#define FRAME_DURATION (40 * GST_MSECOND)

static gchar *folder;

static gchar *
path_of (guint file)
{
  return g_build_filename (folder, files[file].name, NULL);
}

/* Whether there is the element that the text begins with. */
static gboolean
have (const gchar * description)
{
  gchar **words = g_strsplit (description, " ", 2);
  GstElementFactory *factory = gst_element_factory_find (words[0]);
  const gboolean ok = factory != NULL;

  if (!ok)
    g_print ("there is no %s\n", words[0]);
  gst_clear_object (&factory);
  g_strfreev (words);
  return ok;
}

/* Returns: FALSE if there are not the elements for it */
static gboolean
make_file (guint file)
{
  const gchar *video = files[file].video, *sound = files[file].sound;
  gchar *path = path_of (file);
  GstElement *pipeline;

  if (!have (video) || !have (sound) || !have (files[file].muxer)
      || !have (files[file].demuxer)) {
    g_free (path);
    return FALSE;
  }
  pipeline = test_pipeline_new ("%s name=mux ! filesink location=\"%s\" "
      "videotestsrc num-buffers=100 ! "
      "video/x-raw, format=I420, width=64, height=48, framerate=25/1 ! %s ! "
      "queue ! mux. audiotestsrc num-buffers=172 samplesperbuffer=1115 ! "
      "audio/x-raw, rate=48000, channels=2 ! audioconvert ! %s ! queue ! mux.",
      files[file].muxer, path, video, sound);
  test_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);
  test_wait_for (pipeline, GST_MESSAGE_EOS);
  test_pipeline_free (pipeline);
  g_free (path);
  return TRUE;
}

/* ---- What the sink gets and renders --------------------------------------------------------- */

/* One of the two branches, since the latest flush. */
typedef struct
{
  GMutex lock;                  /* of all below */
  GstElement *histo;            /* not owned */
  gboolean is_sound;
  guint n_inside, n_outside;    /* buffers */
  guint n_faults;               /* buffers that were measured and not rendered, or the reverse */
  guint64 n_samples, n_expected;        /* of one channel: measured, and inside of the segment */
  guint n_results, n_in_windows;        /* messages, and buffers in windows */
  guint64 earliest, latest;     /* stream time of results, in ns */
  guint64 duration;             /* of all results together, in ns */

  /* The latest buffer. */
  gboolean is_there, is_measured, is_rendered;
  guint64 n_of_buffer;          /* its samples that were measured */
} Branch;

/* How many samples lie in the segment, with their times rounded to the nearest sample. */
static guint64
count_inside (GstPad * pad, GstBuffer * buffer)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  GstCaps *caps = gst_pad_get_current_caps (pad);
  const GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);
  const GstSegment *segment;
  guint64 n_samples, n = 0;
  GstAudioInfo info;

  gst_event_parse_segment (event, &segment);
  gst_audio_info_from_caps (&info, caps);
  n_samples = meta != NULL ? meta->samples :
      gst_buffer_get_size (buffer) / info.bpf;
  for (guint i = 0; i < n_samples; i++) {
    /* In 1/rate of a nanosecond. */
    const guint64 time = GST_BUFFER_PTS (buffer) * info.rate
        + i * GST_SECOND + GST_SECOND / 2;

    n += time > segment->start * info.rate
        && (!GST_CLOCK_TIME_IS_VALID (segment->stop)
        || time <= segment->stop * info.rate);
  }
  gst_caps_unref (caps);
  gst_event_unref (event);
  return n;
}

/* A sink renders a buffer of sound that reaches into the segment, even if no whole sample does. */
static void
end_buffer (Branch * branch)
{
  if (!branch->is_there)
    return;
  branch->is_there = FALSE;
  branch->n_inside += branch->is_measured;
  branch->n_outside += !branch->is_measured;
  if (branch->is_measured && !branch->is_rendered)
    branch->n_faults++;
  if (branch->is_rendered && !branch->is_measured && !branch->is_sound)
    branch->n_faults++;
}

static void
begin_buffer (Branch * branch, GstPad * pad, GstBuffer * buffer)
{
  end_buffer (branch);
  branch->is_there = TRUE;
  branch->is_rendered = FALSE;
  branch->is_measured = test_has_result (buffer);
  if (!branch->is_sound)
    return;
  if (branch->is_measured)
    branch->n_samples += test_get_uint64 (test_result (buffer), "samples");
  branch->n_expected += count_inside (pad, buffer);
}

static void
begin_again (Branch * branch)
{
  branch->is_there = FALSE;
  branch->n_inside = branch->n_outside = branch->n_faults = 0;
  branch->n_samples = branch->n_expected = 0;
  branch->n_results = branch->n_in_windows = 0;
  branch->earliest = G_MAXUINT64;
  branch->latest = branch->duration = 0;
}

static GstPadProbeReturn
take (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Branch *branch = user_data;

  g_mutex_lock (&branch->lock);
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0)
    begin_buffer (branch, pad, GST_PAD_PROBE_INFO_BUFFER (info));
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) ==
      GST_EVENT_FLUSH_STOP)
    begin_again (branch);
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    end_buffer (branch);
  g_mutex_unlock (&branch->lock);
  return GST_PAD_PROBE_OK;
}

static void
render (GstElement * sink, GstBuffer * buffer, GstPad * pad, gpointer user_data)
{
  Branch *branch = user_data;

  g_mutex_lock (&branch->lock);
  branch->is_rendered = TRUE;
  g_mutex_unlock (&branch->lock);
}

/* The elements have these names: "video" and "video-sink". */
static void
branch_open (Branch * branch, GstElement * pipeline, const gchar * name)
{
  gchar *name_of_sink = g_strconcat (name, "-sink", NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), name_of_sink);
  GstPad *pad = gst_element_get_static_pad (sink, "sink");

  memset (branch, 0, sizeof *branch);
  g_mutex_init (&branch->lock);
  begin_again (branch);
  branch->is_sound = g_str_equal (name, "sound");
  branch->histo = gst_bin_get_by_name (GST_BIN (pipeline), name);
  gst_object_unref (branch->histo);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      take, branch, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (render), branch);
  gst_object_unref (pad);
  gst_object_unref (sink);
  g_free (name_of_sink);
}

static void
take_message (Branch * branch, const GstStructure * fields)
{
  const guint64 time = test_get_uint64 (fields, "stream-time");
  const guint64 duration = test_get_uint64 (fields, "duration");

  g_mutex_lock (&branch->lock);
  if (gst_structure_has_name (fields, "cudahisto-window")) {
    branch->n_in_windows += test_get_uint64 (fields, "buffers");
  } else {
    branch->n_results++;
    /* Frames of TS have none. */
    branch->duration += GST_CLOCK_TIME_IS_VALID (duration) ? duration :
        FRAME_DURATION;
    branch->earliest = MIN (branch->earliest, time);
    branch->latest = MAX (branch->latest, time);
  }
  g_mutex_unlock (&branch->lock);
}

/* @user_data: both branches */
static GstBusSyncReply
take_any_message (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Branch *branches = user_data;

  for (guint i = 0; i < 2; i++) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT
        && GST_MESSAGE_SRC (message) == GST_OBJECT_CAST (branches[i].histo))
      take_message (&branches[i], gst_message_get_structure (message));
  }
  return GST_BUS_PASS;
}

/* ---- Seeks ---------------------------------------------------------------------------------- */

#define START (1130 * GST_MSECOND)
#define STOP (2450 * GST_MSECOND)

static void
check_branch (const Branch * branch, const gchar * label)
{
  fail_unless (branch->n_inside > 0, "%s: nothing is inside", label);
  fail_unless (branch->n_faults == 0, "%s: %u buffers were measured and not "
      "rendered, or the reverse", label, branch->n_faults);
  fail_unless (branch->n_results == branch->n_inside
      && branch->n_in_windows == branch->n_inside, "%s: %u of %u buffers have "
      "messages, %u are in windows", label, branch->n_results,
      branch->n_inside, branch->n_in_windows);
  fail_unless (branch->n_samples == branch->n_expected, "%s: %"
      G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " samples", label,
      branch->n_samples, branch->n_expected);
}

/* An accurate seek finds what was asked for. A frame more or less: TS and Matroska round times. */
static void
check_accurate (const Branch * branch, const gchar * label)
{
  const guint64 error = FRAME_DURATION;

  fail_unless (branch->earliest + error >= START
      && branch->latest <= STOP + error
      && branch->duration + error >= STOP - START
      && branch->duration <= STOP - START + error, "%s: %" GST_TIME_FORMAT
      " to %" GST_TIME_FORMAT ", %" GST_TIME_FORMAT " long", label,
      GST_TIME_ARGS (branch->earliest), GST_TIME_ARGS (branch->latest),
      GST_TIME_ARGS (branch->duration));
}

/* Returns: how many buffers lay outside */
static guint
check_seek (guint file, gdouble rate, GstSeekFlags flags)
{
  const gboolean is_accurate = (flags & GST_SEEK_FLAG_ACCURATE) != 0;
  gchar *label = g_strdup_printf ("%s, %s, rate %g", files[file].name,
      is_accurate ? "accurate" : "key unit", rate);
  gchar *path = path_of (file);
  GstElement *pipeline;
  Branch branches[2];
  GstBus *bus;

  pipeline = test_pipeline_new ("filesrc location=\"%s\" ! decodebin name=d "
      "d. ! video/x-raw ! queue ! cudahisto name=video backend=%s "
      "post-messages=true window=1000000000 ! "
      "fakesink name=video-sink signal-handoffs=true "
      "d. ! audio/x-raw ! queue ! cudahisto name=sound backend=%s "
      "post-messages=true window=1000000000 ! "
      "fakesink name=sound-sink signal-handoffs=true", path, test_backend (),
      test_backend ());
  branch_open (&branches[0], pipeline, "video");
  branch_open (&branches[1], pipeline, "sound");
  bus = gst_element_get_bus (pipeline);
  gst_bus_set_sync_handler (bus, take_any_message, branches, NULL);
  test_set_state (pipeline, GST_STATE_PAUSED);
  if (gst_element_seek (pipeline, rate, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | flags, GST_SEEK_TYPE_SET, START,
          GST_SEEK_TYPE_SET, STOP)) {
    fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING)
        != GST_STATE_CHANGE_FAILURE);
    test_wait_for (pipeline, GST_MESSAGE_EOS);
    for (guint i = 0; i < 2; i++) {
      check_branch (&branches[i], label);
      if (is_accurate)
        check_accurate (&branches[i], label);
    }
    g_print ("%s: video %u inside, %u outside; sound %u inside, %u outside\n",
        label, branches[0].n_inside, branches[0].n_outside,
        branches[1].n_inside, branches[1].n_outside);
  } else {
    g_print ("%s: there is no such seek\n", label);
    begin_again (&branches[0]);
  }
  test_set_state (pipeline, GST_STATE_NULL);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  for (guint i = 0; i < 2; i++)
    g_mutex_clear (&branches[i].lock);
  g_free (path);
  g_free (label);
  return branches[0].n_outside + branches[1].n_outside;
}

TEST_LOOP (test_seeks, 0, G_N_ELEMENTS (files))
{
  static const gdouble rates[] = { 1, -1, 0.5, 4 };
  guint n_outside = 0;
  gchar *path;

  folder = g_dir_make_tmp ("cudahisto-XXXXXX", NULL);
  fail_unless (folder != NULL);
  if (make_file (__i__)) {
    for (guint r = 0; r < G_N_ELEMENTS (rates); r++) {
      n_outside += check_seek (__i__, rates[r], GST_SEEK_FLAG_ACCURATE);
      n_outside += check_seek (__i__, rates[r], GST_SEEK_FLAG_KEY_UNIT);
    }
    /* Decoders clip, and demuxers do not. */
    fail_unless (n_outside > 0 || __i__ > 0);
  }
  path = path_of (__i__);
  g_remove (path);
  g_rmdir (folder);
  g_free (path);
  g_free (folder);
}

TEST_MAIN (30)
