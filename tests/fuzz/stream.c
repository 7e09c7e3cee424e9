/* Random operations on the element, compared with a model of what must come out (stream-model.h).
 *
 *   fuzz-stream [--seconds=N] [--operations=N] [--seed=N]
 *
 * Upstream's thread pushes buffers and events, sends queries, and changes caps and properties. It and a
 * second thread flush, stop and start the element while buffers are pushed; downstream refuses
 * buffers, is slow or blocks; pads are unlinked and linked, and the element is replaced. The seed
 * determines everything except the threads' timing. An operation that does not return within a minute is
 * a fault. --seconds is seconds of processor time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream-model.h"

#include "harness.h"
#include "probes.h"

#include <gst/video/video.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define MOST_SECONDS 60
#define EPISODE 500             /* operations; then everything is made anew */
#define N_KEPT 4

/* The settings that decide what comes out. */
typedef struct
{
  gboolean meta, posts, histogram, qos, has_range, window, alerts;
  guint bins, every;
  guint64 interval;
} Settings;

typedef struct
{
  GRand *random;
  StreamModel model;
  GstElement *element;
  GstPad *src, *sink;           /* around the element */
  GMutex pushing;               /* held while upstream pushes; a flush ends under it */
  GThread *helper;
  GAsyncQueue *commands, *answers;
  gboolean helper_is_busy;

  /* Of downstream. Atomic. */
  gint refusal;                 /* the flow return of the next buffer */
  gint is_closed;               /* buffers wait */
  gint delay;                   /* us */

  /* Of upstream. */
  Settings settings;
  guint caps;
  guint n_since_due;
  GstSegment segment;           /* the latest one that was sent */
  guint64 next_id;
  gboolean is_lossy;            /* until recover() */
  GstBuffer *kept[N_KEPT];      /* so that the element's buffers are not writable */
  guint64 n_operations;
} Stream;

static guint64 seed, n_operations_in_all, n_buffers, n_results, n_messages,
    n_events;

static guint
below (Stream * stream, guint n)
{
  return g_rand_int_range (stream->random, 0, n);
}

/* ---- Downstream and the bus --------------------------------------------------------------------- */

static GstFlowReturn
sink_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Stream *stream = gst_pad_get_element_private (pad);
  const gint delay = g_atomic_int_get (&stream->delay);
  const GstFlowReturn flow = g_atomic_int_get (&stream->refusal);

  g_atomic_int_set (&stream->refusal, GST_FLOW_OK);
  model_leave_buffer (&stream->model, buffer);
  gst_buffer_unref (buffer);
  if (delay > 0)
    g_usleep (delay);
  while (g_atomic_int_get (&stream->is_closed))
    g_usleep (50);
  return flow;
}

static gboolean
sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  Stream *stream = gst_pad_get_element_private (pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    g_atomic_int_set (&stream->is_closed, FALSE);
  model_leave_event (&stream->model, event);
  gst_event_unref (event);
  return TRUE;
}

static GstBusSyncReply
take_message (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Stream *stream = user_data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    GError *error = NULL;

    gst_message_parse_error (message, &error, NULL);
    fuzz_check (stream->is_lossy, "error: %s", error->message);
    g_error_free (error);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT
      && gst_message_has_name (message, "cudahisto")) {
    model_leave_message (&stream->model, message);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* ---- The element -------------------------------------------------------------------------------- */

static GstElement *
element_new (Stream * stream)
{
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  GstBus *bus = gst_bus_new ();

  fuzz_check (element != NULL, "there is no cudahisto");
  gst_object_ref_sink (element);
  gst_util_set_object_arg (G_OBJECT (element), "backend", test_backend ());
  gst_bus_set_sync_handler (bus, take_message, stream, NULL);
  gst_element_set_bus (element, bus);
  gst_object_unref (bus);
  return element;
}

static void
set_state (GstElement * element, GstState state)
{
  fuzz_check (gst_element_set_state (element, state) !=
      GST_STATE_CHANGE_FAILURE, "the state cannot be set");
}

/* Makes an element and pads, and starts. */
static void
open_element (Stream * stream)
{
  stream->element = element_new (stream);
  stream->settings = (Settings) {.meta = TRUE,.histogram = TRUE,.every = 1 };
  test_link_pads (stream->element, sink_chain, sink_event, stream,
      &stream->src, &stream->sink);
  set_state (stream->element, GST_STATE_PLAYING);
}

static void
close_element (Stream * stream)
{
  g_atomic_int_set (&stream->is_closed, FALSE);
  set_state (stream->element, GST_STATE_NULL);
  gst_pad_set_active (stream->src, FALSE);
  gst_pad_set_active (stream->sink, FALSE);
  gst_object_unref (stream->src);
  gst_object_unref (stream->sink);
  gst_element_set_bus (stream->element, NULL);
  gst_object_unref (stream->element);
}

/* ---- Upstream ------------------------------------------------------------------------------------ */

static void
push_event (Stream * stream, GstEvent * event)
{
  gboolean ok;

  model_enter_event (&stream->model, event);
  g_mutex_lock (&stream->pushing);
  ok = gst_pad_push_event (stream->src, event);
  g_mutex_unlock (&stream->pushing);
  fuzz_check (ok || stream->is_lossy, "an event is refused");
}

static void
push_caps (Stream * stream)
{
  GstCaps *caps = gst_caps_from_string (stream_caps[stream->caps]);

  push_event (stream, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

/* Half of the segments have edges near the next buffers. */
static void
push_segment (Stream * stream)
{
  static const gdouble rates[] = { 1, -1, 0.5, 4 };
  const guint64 now = 4 * stream->next_id;
  GstSegment *segment = &stream->segment;

  gst_segment_init (segment, GST_FORMAT_TIME);
  if (below (stream, 2) == 0) {
    segment->start = segment->time =
        (now + 20 - MIN (now + 20, below (stream, 32))) * GST_MSECOND / 4;
    if (below (stream, 2) == 0) {
      segment->stop = segment->start + below (stream, 200) * GST_MSECOND / 4
          + below (stream, 2);
      segment->rate = rates[below (stream, G_N_ELEMENTS (rates))];
    }
  }
  push_event (stream, gst_event_new_segment (segment));
}

/* The model of `every`: the first buffer after a start, then one in so many. */
static gboolean
is_due (Stream * stream)
{
  const Settings *settings = &stream->settings;

  if (!settings->meta && !settings->posts && !settings->window
      && !settings->alerts)
    return FALSE;
  if (stream->n_since_due > 0 && stream->n_since_due < settings->every) {
    stream->n_since_due++;
    return FALSE;
  }
  stream->n_since_due = 1;
  return TRUE;
}

/* A flush of the helper lets `every` begin again, and loses the segment, at any time. */
static StreamResult
expect (Stream * stream, gboolean is_due_now, gboolean is_inside,
    gboolean is_wanted)
{
  const Settings *settings = &stream->settings;

  if (!is_wanted || (!is_inside && !stream->is_lossy))
    return RESULT_NO;
  if (!is_inside || settings->qos || (stream->is_lossy && settings->every > 1))
    return RESULT_MAYBE;
  return is_due_now ? RESULT_YES : RESULT_NO;
}

static GstBuffer *
new_buffer (Stream * stream, StreamBuffer * expected)
{
  guint8 *data = g_malloc (MAX (expected->size, 1));
  GstBuffer *buffer;

  fuzz_fill (data, expected->size, expected->id);
  if (expected->size > 8 && below (stream, 8) == 0) {
    const gsize first = 1 + below (stream, expected->size - 1);

    buffer = gst_buffer_new ();
    gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0,
            g_memdup2 (data, first), first, 0, first, NULL, NULL));
    gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0, data,
            expected->size, first, expected->size - first, data, g_free));
  } else {
    buffer = gst_buffer_new_wrapped_full (0, data, expected->size, 0,
        expected->size, data, g_free);
  }
  GST_BUFFER_OFFSET (buffer) = expected->id;
  GST_BUFFER_PTS (buffer) = expected->pts;
  GST_BUFFER_DURATION (buffer) = GST_MSECOND;
  if (below (stream, 10) == 0)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  for (guint n = below (stream, 12); n > 9; n--)
    gst_buffer_add_video_region_of_interest_meta (buffer, "roi",
        below (stream, 20), below (stream, 9), below (stream, 20), 3);
  return buffer;
}

/* @size: of the buffer. An empty one of video is a gap */
static void
push_buffer_of (Stream * stream, gsize size)
{
  const gboolean is_gap = size == 0 && stream->caps < 4;
  const Settings *settings = &stream->settings;
  StreamBuffer expected = {
    .id = stream->next_id++,
    .caps = stream->caps,
    .size = size,
    .has_histogram = settings->histogram && settings->bins == 0
        && !settings->has_range,
  };
  gboolean is_inside, is_due_now;
  GstFlowReturn flow;
  GstBuffer *buffer;

  expected.pts = expected.id * GST_MSECOND;
  is_inside = stream_clip (&expected, &stream->segment);
  is_due_now = is_inside && is_due (stream);
  expected.may_be_whole = stream->is_lossy;
  expected.result = expect (stream, is_due_now, is_inside,
      settings->meta && !is_gap);
  expected.message = settings->interval > 0 ? RESULT_MAYBE :
      expect (stream, is_due_now, is_inside, settings->posts && !is_gap);
  buffer = new_buffer (stream, &expected);
  if (is_gap)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  if (below (stream, 10) == 0)
    gst_buffer_replace (&stream->kept[below (stream, N_KEPT)], buffer);
  model_enter_buffer (&stream->model, &expected);
  g_mutex_lock (&stream->pushing);
  flow = gst_pad_push (stream->src, buffer);
  g_mutex_unlock (&stream->pushing);
  fuzz_check (flow == GST_FLOW_OK || stream->is_lossy, "buffer %"
      G_GUINT64_FORMAT " is refused: %s", expected.id,
      gst_flow_get_name (flow));
}

static void
push_buffer (Stream * stream)
{
  const gsize size = stream_buffer_size (stream->caps);

  if (stream->caps >= 4)
    push_buffer_of (stream, size / 24 * below (stream, 25));
  else
    push_buffer_of (stream, below (stream, 30) == 0 ? 0 : size);
}

/* ---- The helper's thread ------------------------------------------------------------------------ */

typedef enum
{ HELPER_END = 1, HELPER_FLUSH, HELPER_RESTART, HELPER_QUERY, HELPER_READ } Command;

/* Before GStreamer 1.26 a pad that sends FLUSH_STOP forgets that its peer, flushing, has refused caps. It is reminded by
 * the segment that follows, which does not come here. */
static void
flush (Stream * stream)
{
  gst_pad_push_event (stream->src, gst_event_new_flush_start ());
  g_mutex_lock (&stream->pushing);
  gst_pad_push_event (stream->src, gst_event_new_flush_stop (TRUE));
  GST_OBJECT_LOCK (stream->src);
  GST_OBJECT_FLAG_SET (stream->src, GST_PAD_FLAG_PENDING_EVENTS);
  GST_OBJECT_UNLOCK (stream->src);
  g_mutex_unlock (&stream->pushing);
}

static void
restart (Stream * stream)
{
  g_atomic_int_set (&stream->is_closed, FALSE);
  set_state (stream->element, GST_STATE_READY);
  g_mutex_lock (&stream->pushing);
  set_state (stream->element, GST_STATE_PLAYING);
  g_mutex_unlock (&stream->pushing);
}

static void
ask (Stream * stream, GstQuery * query)
{
  gst_pad_peer_query (stream->sink, query);
  gst_query_unref (query);
}

static void
read_properties (Stream * stream)
{
  GstStructure *stats = NULL;
  gchar *backend = NULL;

  g_object_get (stream->element, "stats", &stats, "active-backend", &backend,
      NULL);
  fuzz_check (stats != NULL, "no stats");
  gst_structure_free (stats);
  g_free (backend);
}

static gpointer
help (gpointer data)
{
  Stream *stream = data;
  Command command;

  do {
    command = GPOINTER_TO_INT (g_async_queue_pop (stream->commands));
    if (command == HELPER_FLUSH)
      flush (stream);
    else if (command == HELPER_RESTART)
      restart (stream);
    else if (command == HELPER_QUERY)
      ask (stream, gst_query_new_latency ());
    else if (command == HELPER_READ)
      read_properties (stream);
    g_async_queue_push (stream->answers, data);
  } while (command != HELPER_END);
  return NULL;
}

static void
wait_for_helper (Stream * stream)
{
  if (stream->helper_is_busy)
    g_async_queue_pop (stream->answers);
  stream->helper_is_busy = FALSE;
}

static void
order (Stream * stream, Command command)
{
  wait_for_helper (stream);
  stream->helper_is_busy = TRUE;
  g_async_queue_push (stream->commands, GINT_TO_POINTER (command));
}

/* ---- Losses ------------------------------------------------------------------------------------- */

/* Something may be lost or refused until recover(). */
static void
begin_losses (Stream * stream)
{
  model_loosen (&stream->model);
  stream->is_lossy = TRUE;
}

static void
link_pads (GstPad * src, GstPad * sink)
{
  /* No check of caps: upstream may have sent wrong ones. */
  const GstPadLinkReturn link =
      gst_pad_link_full (src, sink, GST_PAD_LINK_CHECK_NOTHING);

  fuzz_check (GST_PAD_LINK_SUCCESSFUL (link), "pads are not linked: %s",
      gst_pad_link_get_name (link));
}

/* Replaces the element between the pads. */
static void
replace_element (Stream * stream)
{
  GstPad *sink = gst_pad_get_peer (stream->src);
  GstPad *src = gst_pad_get_peer (stream->sink);

  gst_pad_unlink (stream->src, sink);
  gst_pad_unlink (src, stream->sink);
  gst_object_unref (sink);
  gst_object_unref (src);
  set_state (stream->element, GST_STATE_NULL);
  gst_element_set_bus (stream->element, NULL);
  gst_object_unref (stream->element);

  stream->element = element_new (stream);
  stream->settings = (Settings) {.meta = TRUE,.histogram = TRUE,.every = 1 };
  sink = gst_element_get_static_pad (stream->element, "sink");
  src = gst_element_get_static_pad (stream->element, "src");
  link_pads (stream->src, sink);
  link_pads (src, stream->sink);
  gst_object_unref (sink);
  gst_object_unref (src);
  set_state (stream->element, GST_STATE_PLAYING);
}

/* Afterwards nothing is inside of the element, and nothing may be lost. */
static void
recover (Stream * stream)
{
  begin_losses (stream);
  wait_for_helper (stream);
  g_atomic_int_set (&stream->is_closed, FALSE);
  switch (below (stream, 8)) {
    case 0:
      replace_element (stream);
      break;
    case 1:
    case 2:
      restart (stream);
      break;
    default:
      flush (stream);
  }
  /* The last segment may be sent before the new one. */
  flush (stream);
  g_atomic_int_set (&stream->refusal, GST_FLOW_OK);
  model_restart (&stream->model);
  stream->n_since_due = 0;
  push_event (stream, gst_event_new_stream_start ("stream"));
  push_caps (stream);
  push_segment (stream);
  stream->is_lossy = FALSE;
}

static void
refuse (Stream * stream)
{
  static const GstFlowReturn flows[] = {
    GST_FLOW_EOS, GST_FLOW_NOT_LINKED, GST_FLOW_ERROR, GST_FLOW_FLUSHING,
    GST_FLOW_NOT_NEGOTIATED, GST_FLOW_CUSTOM_ERROR, GST_FLOW_CUSTOM_ERROR_2,
    GST_FLOW_CUSTOM_SUCCESS
  };

  begin_losses (stream);
  g_atomic_int_set (&stream->refusal, flows[below (stream,
              G_N_ELEMENTS (flows))]);
}

static void
disturb (Stream * stream)
{
  begin_losses (stream);
  wait_for_helper (stream);
  if (below (stream, 3) == 0) {
    /* The flush opens it. */
    g_atomic_int_set (&stream->is_closed, TRUE);
    order (stream, HELPER_FLUSH);
  } else {
    order (stream, below (stream, 2) == 0 ? HELPER_FLUSH : HELPER_RESTART);
  }
}

static void
relink (Stream * stream)
{
  GstPad *src = gst_pad_get_peer (stream->sink);

  begin_losses (stream);
  wait_for_helper (stream);
  gst_pad_unlink (src, stream->sink);
  for (guint n = below (stream, 4); n > 0; n--)
    push_buffer (stream);
  link_pads (src, stream->sink);
  gst_object_unref (src);
}

/* A buffer that is smaller than its caps say, or caps that cannot be measured. */
static void
push_wrong (Stream * stream)
{
  const gsize size = stream_buffer_size (stream->caps);

  begin_losses (stream);
  if (below (stream, 2) == 0) {
    push_buffer_of (stream, stream->caps == 4 ? size : size - 1);
  } else {
    GstCaps *caps = gst_caps_from_string ("audio/x-raw, format=S16LE, rate=1, "
        "channels=5000, layout=interleaved, channel-mask=(bitmask)0");

    push_event (stream, gst_event_new_caps (caps));
    gst_caps_unref (caps);
  }
}

static void
end_stream (Stream * stream)
{
  push_event (stream, gst_event_new_eos ());
  if (!stream->is_lossy)
    model_check_drained (&stream->model, TRUE);
  begin_losses (stream);
}

/* ---- Other operations --------------------------------------------------------------------------- */

static void
push_other_event (Stream * stream)
{
  switch (below (stream, 4)) {
    case 0:
      push_event (stream, gst_event_new_gap (stream->next_id * GST_MSECOND,
              GST_MSECOND));
      break;
    case 1:
      push_event (stream, gst_event_new_tag (gst_tag_list_new
              (GST_TAG_TITLE, "x", NULL)));
      break;
    case 2:
      push_segment (stream);
      break;
    default:
      push_event (stream,
          gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
              gst_structure_new_empty ("custom")));
  }
}

static void
send_upstream (Stream * stream)
{
  GstEvent *event;

  switch (below (stream, 4)) {
    case 0:
      event = gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2.,
          below (stream, 1000) * GST_MSECOND, stream->next_id * GST_MSECOND);
      break;
    case 1:
      event = gst_event_new_reconfigure ();
      break;
    case 2:
      event = gst_event_new_latency (below (stream, 100) * GST_MSECOND);
      break;
    default:
      event = gst_event_new_seek (1., GST_FORMAT_TIME, GST_SEEK_FLAG_NONE,
          GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0);
  }
  gst_pad_push_event (stream->sink, event);
}

/* A serialized query leaves after all that entered before it. */
static void
drain (Stream * stream)
{
  GstQuery *query = below (stream, 2) == 0 ? gst_query_new_drain () :
      gst_query_new_allocation (NULL, TRUE);

  g_mutex_lock (&stream->pushing);
  gst_pad_peer_query (stream->src, query);
  g_mutex_unlock (&stream->pushing);
  gst_query_unref (query);
  if (!stream->is_lossy)
    model_check_drained (&stream->model, FALSE);
}

static void
query (Stream * stream)
{
  GstCaps *caps = gst_caps_from_string (stream_caps[below (stream,
              N_STREAM_CAPS)]);

  switch (below (stream, 5)) {
    case 0:
      ask (stream, gst_query_new_latency ());
      break;
    case 1:
      ask (stream, gst_query_new_caps (NULL));
      break;
    case 2:
      ask (stream, gst_query_new_position (GST_FORMAT_TIME));
      break;
    case 3:
      fuzz_check (gst_pad_peer_query_accept_caps (stream->src, caps)
          || stream->is_lossy, "caps are not accepted");
      break;
    default:
      ask (stream, gst_query_new_scheduling ());
  }
  gst_caps_unref (caps);
}

static void
set (Stream * stream, const gchar * name, const gchar * value)
{
  gst_util_set_object_arg (G_OBJECT (stream->element), name, value);
}

static void
set_number (Stream * stream, const gchar * name, guint64 number)
{
  gchar *text = g_strdup_printf ("%" G_GUINT64_FORMAT, number);

  set (stream, name, text);
  g_free (text);
}

static void
set_property (Stream * stream)
{
  static const gchar *const measures[] = {
    "basic", "signal", "motion", "level", "signal+motion+color+detail+area",
    "hdr", "gamut+gamut-filter+flash+field", "flash+motion", "field", "scopes+color"
  };
  Settings *settings = &stream->settings;

  switch (below (stream, 13)) {
    case 0:
      settings->meta = below (stream, 4) != 0;
      set_number (stream, "meta", settings->meta);
      break;
    case 1:
      settings->posts = below (stream, 2);
      set_number (stream, "post-messages", settings->posts);
      break;
    case 2:
      settings->histogram = below (stream, 4) != 0;
      set_number (stream, "histogram", settings->histogram);
      break;
    case 3:
      settings->bins = below (stream, 3) == 0 ? 1 + below (stream, 100) : 0;
      set_number (stream, "bins", settings->bins);
      break;
    case 4:
      settings->every = 1 + below (stream, 2) * below (stream, 4);
      set_number (stream, "every", settings->every);
      break;
    case 5:
      settings->interval = below (stream, 3) == 0 ? 3 * GST_MSECOND : 0;
      set_number (stream, "message-interval", settings->interval);
      break;
    case 6:
      settings->qos = below (stream, 4) == 0;
      set_number (stream, "qos", settings->qos);
      break;
    case 7:
      settings->window = below (stream, 3) == 0;
      set_number (stream, "window", settings->window * 5 * GST_MSECOND);
      break;
    case 8:
      settings->alerts = below (stream, 3) == 0;
      gst_util_set_object_arg (G_OBJECT (stream->element), "alerts",
          settings->alerts ? "black+freeze+scene+silence" : "0");
      break;
    case 9:
      set (stream, "measures", measures[below (stream,
                  G_N_ELEMENTS (measures))]);
      break;
    case 10:
      set (stream, "regions", below (stream, 2) == 0 ? "" :
          "a=1,1,4,4; b=50%,0,50%,100%");
      break;
    case 11:
      set_number (stream, "max-in-flight", 1 + below (stream, 6));
      break;
    default:
      set_number (stream, "roi-meta", below (stream, 2));
      set_number (stream, "hold-previous", below (stream, 2));
  }
}

/* Both bounds, or values that are refused. */
static void
set_range (Stream * stream)
{
  stream->settings.has_range = below (stream, 3) == 0;
  g_object_set (stream->element, "range-min", 0., "range-max", 0., NULL);
  if (stream->settings.has_range)
    g_object_set (stream->element, "range-min", -1., "range-max", 100., NULL);
  else
    g_object_set (stream->element, "bins", 70000, "regions", "nonsense", NULL);
}

static void
change_caps (Stream * stream)
{
  stream->caps = below (stream, N_STREAM_CAPS);
  push_caps (stream);
}

/* ---- Episodes ------------------------------------------------------------------------------------ */

static const struct
{
  guint weight;                 /* of 1000 */
  void (*run) (Stream * stream);
} operations[] = {
  {10, change_caps}, {40, push_other_event}, {20, send_upstream}, {40, drain},
  {20, query}, {30, set_property}, {4, set_range}, {6, refuse}, {6, disturb},
  {4, relink}, {4, push_wrong}, {3, end_stream}, {8, recover},
};

static void
run_operation (Stream * stream)
{
  guint n = below (stream, 1000);

  alarm (MOST_SECONDS);
  stream->n_operations++;
  /* Losses end soon. */
  if (stream->is_lossy && n < 150) {
    recover (stream);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++) {
    if (n < operations[i].weight) {
      operations[i].run (stream);
      return;
    }
    n -= operations[i].weight;
  }
  if (n < 10)
    order (stream, n < 5 ? HELPER_QUERY : HELPER_READ);
  else if (n < 15)
    g_atomic_int_set (&stream->delay, below (stream, 3) * below (stream, 200));
  else
    push_buffer (stream);
}

static void
run_episode (guint32 number)
{
  Stream *stream = g_new0 (Stream, 1);

  stream->random = g_rand_new_with_seed (number);
  model_init (&stream->model);
  g_mutex_init (&stream->pushing);
  stream->commands = g_async_queue_new ();
  stream->answers = g_async_queue_new ();
  stream->caps = below (stream, N_STREAM_CAPS);
  open_element (stream);
  gst_segment_init (&stream->segment, GST_FORMAT_TIME);
  stream->helper = g_thread_new ("helper", help, stream);
  recover (stream);
  for (guint i = 0; i < EPISODE; i++)
    run_operation (stream);
  if (stream->is_lossy)
    recover (stream);
  drain (stream);

  order (stream, HELPER_END);
  wait_for_helper (stream);
  g_thread_join (stream->helper);
  close_element (stream);
  for (guint i = 0; i < N_KEPT; i++)
    gst_buffer_replace (&stream->kept[i], NULL);
  g_async_queue_unref (stream->commands);
  g_async_queue_unref (stream->answers);
  n_operations_in_all += stream->n_operations;
  n_buffers += stream->model.n_buffers;
  n_results += stream->model.n_results;
  n_messages += stream->model.n_messages;
  n_events += stream->model.n_events;
  model_clear (&stream->model);
  g_mutex_clear (&stream->pushing);
  g_rand_free (stream->random);
  g_free (stream);
}

static void
tell_seed (int number)
{
  gchar text[80];
  const gint n = g_snprintf (text, sizeof text, "signal %d: --seed=%"
      G_GUINT64_FORMAT " --operations=1\n", number, seed);

  if (write (STDERR_FILENO, text, n) == n)
    signal (number, SIG_DFL);
  raise (number);
}

int
main (int argc, char **argv)
{
  guint64 most = G_MAXUINT64;
  gdouble seconds = 0;
  clock_t end;

  seed = g_random_int ();
  gst_init (NULL, NULL);
  fuzz_handle_log ();
  signal (SIGABRT, tell_seed);
  signal (SIGSEGV, tell_seed);
  signal (SIGALRM, tell_seed);
  for (gint i = 1; i < argc; i++) {
    if (sscanf (argv[i], "--seconds=%lf", &seconds) != 1
        && sscanf (argv[i], "--seed=%" G_GUINT64_FORMAT, &seed) != 1
        && sscanf (argv[i], "--operations=%" G_GUINT64_FORMAT, &most) != 1)
      fuzz_fail ("%s?", argv[i]);
  }
  printf ("--seed=%" G_GUINT64_FORMAT "\n", seed);
  fflush (stdout);
  end = clock () + (clock_t) (seconds * CLOCKS_PER_SEC);
  do {
    run_episode (seed);
    seed++;
  } while (n_operations_in_all < most && (seconds == 0 || clock () < end));
  printf ("%" G_GUINT64_FORMAT " operations: %" G_GUINT64_FORMAT " buffers, %"
      G_GUINT64_FORMAT " results, %" G_GUINT64_FORMAT " messages, %"
      G_GUINT64_FORMAT " events came out\n", n_operations_in_all, n_buffers,
      n_results, n_messages, n_events);
  return 0;
}
