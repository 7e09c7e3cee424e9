/* The pipeline of one connection; see play.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/play.h"

#include <gst/base/gstbasesink.h>
#include <time.h>

#include "base/describe.h"
#include "cudahisto/fields.h"
#include "input/queue.h"
#include "live/contexts.h"

/* Buffers that wait between a decoder and cudahisto. */
#define MOST_WAITING 3
/* Bytes of packets that wait in a socket of UDP while their thread does not run, as far as the system allows: by default they are those
 * of 50 ms at 20 Mbit/s. */
#define SOCKET_BUFFER (4 * 1024 * 1024)
/* The time between two frames that become pictures. */
#define PICTURE_STEP GST_SECOND
/* A stream that is gone is kept for so many looks. */
#define LOOKS 1
/* A frame is late if it comes so much after its time, or more than a frame. */
#define LEAST_LATE (40 * GST_MSECOND)

typedef struct
{
  ReportPlay *play;
  gboolean is_audio;
  GstElement *element;          /* cudahisto */
  GstElement *sink;
  GstElement *queue, *splitter; /* splitter: NULL: of pictures */
  GstPad *pad;                  /* of the decoder */
  /* Under the lock: */
  GstCaps *caps;                /* that the element has */
  guint serial;                 /* of them */
  GstSegment segment;           /* of the sink */
  guint64 latest;               /* stream time of the latest picture; GST_CLOCK_TIME_NONE: none */
  GstBuffer *frame;             /* for the next picture; NULL: none */
  guint64 frame_time;
  ReportPlayCounts counts;
  gint64 thread_time;           /* of the thread that decodes, at the latest buffer */
  gpointer thread;              /* that it was of */
  gboolean is_gone;             /* the decoder has removed its pad */
  gboolean is_drained;          /* and all that came before has passed */
  guint place;                  /* of the stream */
  guint n_looks;                /* since it was drained: its messages may still wait */
} Branch;

struct _ReportPlay
{
  const ReportSettings *settings;
  GstElement *pipeline;
  GstElement *decoder;          /* NULL: it is the test input */
  ReportQueue *queue;
  gint n_threads;               /* of a decoder */
  GMutex lock;
  GPtrArray *branches;          /* (element-type Branch): of each stream; under the lock */
  GPtrArray *gone;              /* (element-type Branch): others have their places; under the lock */
  gboolean is_paced;            /* sinks wait for the clock; under the lock */
  GPtrArray *sinks;             /* (element-type GstElement), under the lock */
};

static void
branch_free (gpointer data)
{
  Branch *branch = data;

  gst_clear_object (&branch->pad);
  gst_clear_caps (&branch->caps);
  gst_clear_buffer (&branch->frame);
  g_free (branch);
}

/* ---- What passes ------------------------------------------------------------------------------ */

static gint64
get_thread_time (void)
{
  struct timespec time;

  return clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time) == 0 ? time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec : 0;
}

/* A buffer leaves the decoder, in its thread. */
static GstPadProbeReturn
see_decoded (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Branch *branch = data;
  const gint64 now = get_thread_time ();

  g_mutex_lock (&branch->play->lock);
  if (branch->thread == g_thread_self () && now > branch->thread_time)
    branch->counts.decoder_time += (guint64) (now - branch->thread_time);
  branch->thread = g_thread_self ();
  branch->thread_time = now;
  g_mutex_unlock (&branch->play->lock);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
see_caps (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Branch *branch = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  g_mutex_lock (&branch->play->lock);
  gst_caps_replace (&branch->caps, caps);
  branch->serial++;
  g_mutex_unlock (&branch->play->lock);
  return GST_PAD_PROBE_OK;
}

/* Returns: how much too late a buffer is at the sink, in ns */
static guint64
find_lateness (const Branch * branch, guint64 timestamp)
{
  const guint64 due = gst_segment_to_running_time (&branch->segment, GST_FORMAT_TIME, timestamp);
  const guint64 now = gst_element_get_current_running_time (branch->sink);
  const guint64 latency = gst_base_sink_get_latency (GST_BASE_SINK (branch->sink));

  if (!GST_CLOCK_TIME_IS_VALID (due) || !GST_CLOCK_TIME_IS_VALID (now) || now <= due + latency)
    return 0;
  return now - due - latency;
}

static void
keep_frame (Branch * branch, GstBuffer * buffer, guint64 time)
{
  const guint64 since = GST_CLOCK_TIME_IS_VALID (branch->latest) ? (time > branch->latest ? time - branch->latest : branch->latest - time) : 0;

  if (GST_CLOCK_TIME_IS_VALID (branch->latest) && since < PICTURE_STEP)
    return;
  branch->latest = time;
  gst_buffer_replace (&branch->frame, buffer);
  branch->frame_time = time;
}

/* A buffer or an event has been measured, and comes to the sink. */
static GstPadProbeReturn
see_measured (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Branch *branch = data;
  ReportPlay *play = branch->play;
  GstBuffer *buffer;
  guint64 timestamp, late;

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) == 0) {
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
      g_mutex_lock (&play->lock);
      gst_event_copy_segment (event, &branch->segment);
      g_mutex_unlock (&play->lock);
    }
    /* Nothing is known of a pipeline in which a stream has ended and others go on, so this end does not become its own. */
    if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
      gboolean is_gone;

      g_mutex_lock (&play->lock);
      is_gone = branch->is_drained = branch->is_gone;
      g_mutex_unlock (&play->lock);
      return is_gone ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
    }
    return GST_PAD_PROBE_OK;
  }
  buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  timestamp = GST_BUFFER_PTS (buffer);
  g_mutex_lock (&play->lock);
  branch->counts.n_buffers++;
  if (GST_CLOCK_TIME_IS_VALID (timestamp) && branch->segment.format == GST_FORMAT_TIME) {
    late = play->is_paced ? find_lateness (branch, timestamp) : 0;
    branch->counts.n_late += late > MAX (LEAST_LATE, GST_BUFFER_DURATION_IS_VALID (buffer) ? GST_BUFFER_DURATION (buffer) : 0);
    if (!branch->is_audio)
      keep_frame (branch, buffer, gst_segment_to_stream_time (&branch->segment, GST_FORMAT_TIME, timestamp));
  }
  g_mutex_unlock (&play->lock);
  return GST_PAD_PROBE_OK;
}

/* ---- Streams ---------------------------------------------------------------------------------- */

static GstElement *
add_element (ReportPlay * play, GstElement * element)
{
  gst_bin_add (GST_BIN (play->pipeline), element);
  return element;
}

static GstElement *
make_sink (ReportPlay * play)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);

  g_mutex_lock (&play->lock);
  g_object_set (sink, "sync", play->is_paced, "async", FALSE, "enable-last-sample", FALSE, "qos", FALSE, NULL);
  g_ptr_array_add (play->sinks, sink);
  g_mutex_unlock (&play->lock);
  return add_element (play, sink);
}

/* @pad: not measured; linked all the same, so that nothing waits for it */
static void
link_unmeasured (ReportPlay * play, GstPad * pad)
{
  GstElement *sink = make_sink (play);
  GstPad *to = gst_element_get_static_pad (sink, "sink");

  g_object_set (sink, "sync", FALSE, NULL);
  gst_pad_link (pad, to);
  gst_object_unref (to);
  gst_element_sync_state_with_parent (sink);
}

static void
add_probe (GstElement * element, const gchar * name, GstPadProbeType type, GstPadProbeCallback callback, Branch * branch)
{
  GstPad *pad = gst_element_get_static_pad (element, name);

  gst_pad_add_probe (pad, type, callback, branch, NULL);
  gst_object_unref (pad);
}

/* A stream whose pad is gone goes on with the next one of its medium: a radio begins another piece, HLS another part. Under the
 * lock. */
static void
put_branch (ReportPlay * play, Branch * branch)
{
  for (guint i = 0; i < play->branches->len; i++) {
    Branch *other = play->branches->pdata[i];

    if (!other->is_gone || other->is_audio != branch->is_audio)
      continue;
    branch->serial = other->serial + 1;
    branch->place = i;
    g_ptr_array_add (play->gone, other);
    play->branches->pdata[i] = branch;
    return;
  }
  branch->place = play->branches->len;
  g_ptr_array_add (play->branches, branch);
}

static void
add_branch (ReportPlay * play, GstPad * pad, GstCaps * caps)
{
  GstElement *queue = gst_element_factory_make ("queue", NULL), *splitter = report_settings_make_splitter (caps);
  Branch *branch = g_new0 (Branch, 1);
  GstPad *to;

  branch->play = play;
  branch->is_audio = report_caps_are_audio (caps);
  branch->pad = gst_object_ref (pad);
  branch->latest = GST_CLOCK_TIME_NONE;
  gst_segment_init (&branch->segment, GST_FORMAT_UNDEFINED);
  branch->element = report_settings_make_element (play->settings, caps);
  branch->sink = make_sink (play);
  g_object_set (queue, "max-size-buffers", branch->is_audio ? 50 : MOST_WAITING, "max-size-bytes", 0, "max-size-time", (guint64) 0, NULL);
  branch->queue = add_element (play, queue);
  if (splitter != NULL)
    branch->splitter = add_element (play, splitter);
  add_element (play, branch->element);
  gst_object_unref (branch->element);   /* report_settings_make_element() gives a reference */
  if (splitter != NULL)
    gst_element_link_many (queue, splitter, branch->element, branch->sink, NULL);
  else
    gst_element_link_many (queue, branch->element, branch->sink, NULL);
  add_probe (queue, "sink", GST_PAD_PROBE_TYPE_BUFFER, see_decoded, branch);
  add_probe (branch->element, "sink", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see_caps, branch);
  add_probe (branch->sink, "sink", GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see_measured, branch);
  g_mutex_lock (&play->lock);
  put_branch (play, branch);
  gst_caps_replace (&branch->caps, caps);
  g_mutex_unlock (&play->lock);
  gst_element_sync_state_with_parent (branch->sink);
  gst_element_sync_state_with_parent (branch->element);
  if (splitter != NULL)
    gst_element_sync_state_with_parent (splitter);
  gst_element_sync_state_with_parent (queue);
  to = gst_element_get_static_pad (queue, "sink");
  gst_pad_link (pad, to);
  gst_object_unref (to);
}

/* What the stream still holds is measured, and then its elements can go. */
static void
remove_pad (GstElement * decoder, GstPad * pad, gpointer data)
{
  ReportPlay *play = data;
  GstPad *to = NULL;

  g_mutex_lock (&play->lock);
  for (guint i = 0; i < play->branches->len; i++) {
    Branch *branch = play->branches->pdata[i];

    if (branch->pad != pad)
      continue;
    branch->is_gone = TRUE;
    to = gst_element_get_static_pad (branch->queue, "sink");
  }
  g_mutex_unlock (&play->lock);
  if (to == NULL)
    return;
  gst_pad_send_event (to, gst_event_new_eos ());
  gst_object_unref (to);
}

/* Whether the pictures of a stream have more pixels than the settings allow: then an error ends the connection. */
static gboolean
is_too_large (ReportPlay * play, const GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  gint width = 0, height = 0;
  g_autofree gchar *text = NULL;

  gst_structure_get_int (structure, "width", &width);
  gst_structure_get_int (structure, "height", &height);
  if (!report_is_too_large ((guint64) MAX (width, 0), (guint64) MAX (height, 0), play->settings->max_pixels))
    return FALSE;
  text = report_describe_too_large ((guint64) width, (guint64) height, play->settings->max_pixels);
  GST_ELEMENT_ERROR (play->pipeline, STREAM, DECODE, ("%s", text), (NULL));
  return TRUE;
}

/* Called in a thread of the decoder. */
static void
add_pad (GstElement * decoder, GstPad * pad, gpointer data)
{
  ReportPlay *play = data;
  GstCaps *caps = gst_pad_get_current_caps (pad);

  if (caps != NULL && gst_caps_is_fixed (caps) && report_caps_are_measured (caps) && report_play_n_streams (play) < REPORT_MOST_PLAYED
      && !is_too_large (play, caps))
    add_branch (play, pad, caps);
  else
    link_unmeasured (play, pad);
  gst_clear_caps (&caps);
}

/* With many inputs, a thread for each decoder uses the processors best. */
static void
set_up_element (GstBin * bin, GstBin * sub, GstElement * element, gpointer data)
{
  const ReportPlay *play = data;
  GstElementFactory *factory = gst_element_get_factory (element);

  if (factory != NULL && g_str_equal (GST_OBJECT_NAME (factory), "udpsrc"))
    g_object_set (element, "buffer-size", SOCKET_BUFFER, NULL);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "max-threads") != NULL)
    g_object_set (element, "max-threads", play->n_threads, NULL);
  report_settings_make_exact (element);
}

/* ---- The pipeline ----------------------------------------------------------------------------- */

/* Keeps what is of use; the bus itself keeps nothing. */
static GstBusSyncReply
take_message (GstBus * bus, GstMessage * message, gpointer data)
{
  ReportPlay *play = data;

  report_contexts_take_message (message);
  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      report_queue_push (play->queue, message, gst_message_has_name (message, HISTO_RESULT_NAME)
          || gst_message_has_name (message, HISTO_WINDOW_NAME));
      break;
    case GST_MESSAGE_ERROR:
    case GST_MESSAGE_EOS:
      report_queue_push (play->queue, message, FALSE);
      break;
    default:
      gst_message_unref (message);
  }
  return GST_BUS_DROP;
}

/* A picture that moves, and a tone. */
static void
add_test_source (ReportPlay * play, const gchar * description, const gchar * caps_text)
{
  GstElement *source = add_element (play, gst_parse_bin_from_description (description, TRUE, NULL));
  GstPad *pad = gst_element_get_static_pad (source, "src");
  GstCaps *caps = gst_caps_from_string (caps_text);

  add_branch (play, pad, caps);
  gst_caps_unref (caps);
  gst_object_unref (pad);
}

#define TEST_VIDEO "video/x-raw,format=I420,width=640,height=360,framerate=25/1"
#define TEST_AUDIO "audio/x-raw,format=F32LE,rate=48000,channels=2,layout=interleaved"

/* A clock that runs faster than time, for tests of days. */
static void
set_rate (GstElement * pipeline, gdouble rate)
{
  GstClock *clock = g_object_new (GST_TYPE_SYSTEM_CLOCK, "clock-type", GST_CLOCK_TYPE_MONOTONIC, NULL);
  const GstClockTime now = gst_clock_get_internal_time (clock);

  gst_object_ref_sink (clock);
  gst_clock_set_calibration (clock, now, now, (guint64) (rate * 1000), 1000);
  gst_pipeline_use_clock (GST_PIPELINE (pipeline), clock);
  gst_object_unref (clock);
}

/**
 * report_play_new:
 * @uri: a URI, or REPORT_TEST_INPUT
 * @settings: checked; must live as long as the pipeline
 * @n_threads: of each decoder; 0: as many as it likes
 * @rate: 1, or how much faster than time its clock runs
 *
 * Returns: (transfer full): to be freed with report_play_free()
 */
ReportPlay *
report_play_new (const gchar * uri, const ReportSettings * settings, gint n_threads, gdouble rate)
{
  ReportPlay *play = g_new0 (ReportPlay, 1);
  GstBus *bus;

  play->settings = settings;
  play->n_threads = n_threads;
  play->queue = report_queue_new ();
  g_mutex_init (&play->lock);
  play->branches = g_ptr_array_new_with_free_func (branch_free);
  play->gone = g_ptr_array_new_with_free_func (branch_free);
  play->sinks = g_ptr_array_new ();
  play->is_paced = TRUE;
  play->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  if (rate != 1)
    set_rate (play->pipeline, rate);
  bus = gst_element_get_bus (play->pipeline);
  gst_bus_set_sync_handler (bus, take_message, play, NULL);
  gst_object_unref (bus);
  if (g_str_equal (uri, REPORT_TEST_INPUT)) {
    add_test_source (play, "videotestsrc is-live=true pattern=spokes horizontal-speed=2 ! capsfilter caps=" TEST_VIDEO, TEST_VIDEO);
    add_test_source (play, "audiotestsrc is-live=true volume=0.1 samplesperbuffer=960 ! capsfilter caps=" TEST_AUDIO, TEST_AUDIO);
    return play;
  }
  play->decoder = gst_element_factory_make ("uridecodebin", NULL);
  if (play->decoder == NULL)
    return play;
  g_object_set (play->decoder, "uri", uri, NULL);
  g_signal_connect (play->decoder, "pad-added", G_CALLBACK (add_pad), play);
  g_signal_connect (play->decoder, "pad-removed", G_CALLBACK (remove_pad), play);
  g_signal_connect (play->decoder, "deep-element-added", G_CALLBACK (set_up_element), play);
  add_element (play, play->decoder);
  return play;
}

/**
 * report_play_start:
 *
 * May take long. What goes wrong is an error message.
 *
 * Returns: FALSE if it does not start
 */
gboolean
report_play_start (ReportPlay * play)
{
  const GstStateChangeReturn outcome = gst_element_set_state (play->pipeline, GST_STATE_PAUSED);

  if (outcome == GST_STATE_CHANGE_FAILURE)
    return FALSE;
  /* A source that is live gives data in time. Its times need not be those of the clock, so nothing waits for it. */
  if (outcome == GST_STATE_CHANGE_NO_PREROLL) {
    g_mutex_lock (&play->lock);
    play->is_paced = play->decoder == NULL;
    for (guint i = 0; i < play->sinks->len; i++)
      g_object_set (play->sinks->pdata[i], "sync", play->is_paced, NULL);
    g_mutex_unlock (&play->lock);
  }
  return gst_element_set_state (play->pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
}

/* Stops and frees it, which may take long. */
void
report_play_free (ReportPlay * play)
{
  report_queue_open (play->queue);
  if (play->decoder != NULL)
    g_signal_handlers_disconnect_by_data (play->decoder, play);
  gst_element_set_state (play->pipeline, GST_STATE_NULL);
  gst_object_unref (play->pipeline);
  report_queue_free (play->queue);
  g_ptr_array_unref (play->branches);
  g_ptr_array_unref (play->gone);
  g_ptr_array_unref (play->sinks);
  g_mutex_clear (&play->lock);
  g_free (play);
}

/**
 * report_play_pop:
 * @timeout: in µs
 *
 * Returns: (transfer full) (nullable): the oldest message of cudahisto, error or end; NULL: none came in time
 */
GstMessage *
report_play_pop (ReportPlay * play, gint64 timeout)
{
  return report_queue_pop (play->queue, timeout);
}

static void
remove_element (ReportPlay * play, GstElement * element)
{
  if (element == NULL)
    return;
  gst_object_ref (element);
  gst_bin_remove (GST_BIN (play->pipeline), element);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

/* Removes the elements of streams that are gone: each has threads. Not to be called in a thread of the pipeline. */
void
report_play_clean (ReportPlay * play)
{
  Branch *drained;

  do {
    drained = NULL;
    g_mutex_lock (&play->lock);
    for (guint i = 0; i < play->gone->len && drained == NULL; i++) {
      Branch *branch = play->gone->pdata[i];

      if (!branch->is_drained || branch->n_looks++ < LOOKS)
        continue;
      drained = g_ptr_array_steal_index (play->gone, i);
      g_ptr_array_remove (play->sinks, drained->sink);
    }
    g_mutex_unlock (&play->lock);
    if (drained != NULL) {
      remove_element (play, drained->queue);
      remove_element (play, drained->splitter);
      remove_element (play, drained->element);
      remove_element (play, drained->sink);
      branch_free (drained);
    }
  } while (drained != NULL);
}

guint
report_play_n_streams (ReportPlay * play)
{
  guint n;

  g_mutex_lock (&play->lock);
  n = play->branches->len;
  g_mutex_unlock (&play->lock);
  return n;
}

/* Returns: (transfer none): of a stream that is there; streams do not go */
static Branch *
get_branch (ReportPlay * play, guint stream)
{
  Branch *branch;

  g_mutex_lock (&play->lock);
  branch = play->branches->pdata[stream];
  g_mutex_unlock (&play->lock);
  return branch;
}

/* Returns: the stream of the branch whose element a message is of; -1: of none */
static gint
find_source (const GPtrArray * branches, const GstMessage * message)
{
  for (guint i = 0; i < branches->len; i++) {
    const Branch *branch = branches->pdata[i];

    if (GST_OBJECT_CAST (branch->element) == GST_MESSAGE_SRC (message))
      return (gint) branch->place;
  }
  return -1;
}

/* Returns: the index of the stream that a message is of; -1: of none */
gint
report_play_stream_of (ReportPlay * play, const GstMessage * message)
{
  gint stream = -1;

  g_mutex_lock (&play->lock);
  stream = find_source (play->branches, message);
  /* The last ones of a stream that is gone. */
  if (stream < 0)
    stream = find_source (play->gone, message);
  g_mutex_unlock (&play->lock);
  return stream;
}

/* @described: (out): to be cleared with report_stream_clear() */
void
report_play_describe (ReportPlay * play, guint stream, ReportStream * described)
{
  const Branch *branch = get_branch (play, stream);
  g_autoptr (GstCaps) caps = report_play_caps (play, stream, NULL);
  g_autofree gchar *name = NULL;
  GstTagList *tags;
  guint number = 0, groups = 0;

  for (guint i = 0; i < stream; i++)
    number += get_branch (play, i)->is_audio == branch->is_audio;
  name = g_strdup_printf ("%s %u", branch->is_audio ? "audio" : "video", number);
  tags = report_pad_collect_tags (branch->pad, GST_TAG_SCOPE_STREAM);
  report_stream_describe (described, stream, name, tags, caps);
  g_object_get (branch->element, "measures", &groups, NULL);
  described->groups = groups;
  if (tags != NULL)
    gst_tag_list_unref (tags);
}

/**
 * report_play_caps:
 * @serial: (out) (optional): another number for each time the caps have changed
 *
 * Returns: (transfer full): the caps of what is measured
 */
GstCaps *
report_play_caps (ReportPlay * play, guint stream, guint * serial)
{
  const Branch *branch;
  GstCaps *caps;

  g_mutex_lock (&play->lock);
  branch = play->branches->pdata[stream];
  caps = gst_caps_ref (branch->caps);
  if (serial != NULL)
    *serial = branch->serial;
  g_mutex_unlock (&play->lock);
  return caps;
}

/**
 * report_play_take_frame:
 * @caps: (out) (transfer full): of the frame
 * @time: (out): stream time in ns
 *
 * Returns: (transfer full) (nullable): a frame for a picture, one of a second; NULL: there is no new one
 */
GstBuffer *
report_play_take_frame (ReportPlay * play, guint stream, GstCaps ** caps, guint64 * time)
{
  GstBuffer *frame;
  Branch *branch;

  g_mutex_lock (&play->lock);
  branch = play->branches->pdata[stream];
  frame = g_steal_pointer (&branch->frame);
  if (frame != NULL) {
    *caps = gst_caps_ref (branch->caps);
    *time = branch->frame_time;
  }
  g_mutex_unlock (&play->lock);
  return frame;
}

/* @counts: (out): */
void
report_play_count (ReportPlay * play, guint stream, ReportPlayCounts * counts)
{
  Branch *branch = get_branch (play, stream);
  GstStructure *stats = NULL;

  g_object_get (branch->element, "stats", &stats, NULL);
  g_mutex_lock (&play->lock);
  *counts = branch->counts;
  g_mutex_unlock (&play->lock);
  if (stats == NULL)
    return;
  gst_structure_get (stats, "cpu-time", G_TYPE_UINT64, &counts->element_time, "gpu-time", G_TYPE_UINT64, &counts->device_time, NULL);
  gst_structure_free (stats);
}
