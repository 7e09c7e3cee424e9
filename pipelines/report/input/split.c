/* A decoder of video that is several decoders; see split.h.
 *
 *   packets ─ cut into segments ─┬─ decoder ─ cudahisto ─┬─ results in the order of the film
 *                                ├─ decoder ─ cudahisto ─┤
 *                                └─ decoder ─ cudahisto ─┘
 *
 * It stands where the one decoder would: what is before it reads the film as always, and what is behind it gets the same
 * buffers in the same order, with what has been counted in place of the samples (cudahisto/counted.h). So all that depends
 * on earlier frames is made by one cudahisto behind it, as of a film that is not cut.
 *
 * A segment begins with a key frame at which a cut is certain (cuts.h), and ends with that of the next segment: this one
 * frame is decoded and counted twice. The first time it has a frame before it, and these counts are taken. The second time
 * it is only the frame before the next one. If both have not seen the same frame, one of the decoders needed what it did not
 * have, so that all must begin again with one decoder. The same if a decoder complains, or gives other frames than it got
 * packets.
 *
 * A decoder that is ahead waits: what has been counted of frames behind the segment whose turn it is has a limit, and so have
 * packets that have not been decoded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/split.h"

#include <gst/video/video.h>

#include "base/describe.h"
#include "cudahisto/counted.h"
#include "input/cuts.h"
#include "input/frame-pool.h"
#include "input/segment.h"

/* A segment is at least so long, or has so many bytes: each costs a frame that is decoded twice, and the begin and the end of a
 * decoder. */
#define LEAST_LENGTH (2 * GST_SECOND)
#define LEAST_BYTES (MOST_PACKET_BYTES / 2)
/* A decoder reorders fewer packets than this. */
#define LOOK_AHEAD 64
/* So many bytes of packets may wait for one decoder, and of counts for their turn. */
#define MOST_PACKET_BYTES (64 << 20)
#define MOST_COUNT_BYTES (32 << 20)

typedef struct
{
  guint number;
  GQueue items;                 /* (element-type GstMiniObject): buffers and events that wait for their turn */
  gsize n_bytes;                /* of the counts among them */
  GArray *in, *out;             /* (element-type guint64): timestamps of packets, and of frames */
  guint64 last;                 /* of the first frame of the next segment; GST_CLOCK_TIME_NONE: there is none */
  gboolean has_ended;           /* all of it is decoded */
  gboolean has_begun;           /* its first frame has had its turn */
  GstCaps *caps;                /* of its first frame, as the decoder gave them; NULL: there is none yet */
} Segment;

/* What waits for a decoder. */
typedef struct
{
  GstMiniObject *object;        /* a packet or an event; NULL: the segment begins, or it ends */
  Segment *begins;              /* NULL: it does not */
} Fed;

typedef struct
{
  ReportSplit *split;
  guint number;
  GstElement *decoder, *counter;        /* in the bin */
  GstPad *feed, *end;           /* pads of no element: before the decoder, behind the counter */
  GThread *thread;
  gboolean is_used;             /* of the thread: a segment has been decoded */
  GstCaps *current;             /* of what is behind the counter: of the frames that come, as the decoder gave them */
  /* The rest is under the lock. */
  GQueue fed;                   /* (element-type Fed) */
  gsize n_bytes;                /* of the packets among them */
  Segment *segment;             /* that is decoded now */
  GQueue caps;                  /* (element-type GstCaps): of the decoder, of which the end has not heard */
} Lane;

/* Of upstream's thread: a packet or an event that has not been given to a decoder. */
typedef struct
{
  GstMiniObject *object;
  ReportUnit unit;              /* of a packet */
} Pending;

struct _ReportSplit
{
  GstBin parent;
  GstPad *sinkpad, *srcpad;
  ReportSplitOptions options;
  guint n_lanes;
  Lane *lanes;
  gboolean is_set_up;

  /* Of upstream's thread. */
  ReportCuts *cuts;
  GQueue pending;               /* (element-type Pending) */
  Segment *filled;              /* that gets packets; NULL: none has come */
  guint64 begin, latest;        /* timestamps of its first packet, and the greatest one so far */
  gsize n_bytes;                /* of its packets */
  guint n_segments;
  const gchar *obstacle;        /* why nothing more is cut; NULL: nothing */

  /* Of the thread that gives results. */
  GstCaps *given_caps;
  guint64 given_digest, given_time;

  GMutex lock;                  /* of what follows, and of the segments */
  GCond changed;
  GQueue segments;              /* (element-type Segment): that have not been given, in the order of the film */
  GstCaps *first_caps;          /* of the first decoder */
  gboolean is_at_end;           /* there are no more segments */
  gboolean is_stopping;
  gboolean is_wrong;
  GstFlowReturn flow;           /* of what is behind */
};

G_DEFINE_FINAL_TYPE (ReportSplit, report_split, GST_TYPE_BIN);

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-h264; video/x-h265; "
        "video/mpeg, mpegversion=[1,2], systemstream=false; video/x-prores; video/x-dnxhd; video/x-ffv"));
static GstStaticPadTemplate source_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY)"));

/* ---- Segments ----------------------------------------------------------------------------------- */

static Segment *
segment_new (guint number)
{
  Segment *segment = g_atomic_rc_box_new0 (Segment);

  segment->number = number;
  segment->last = GST_CLOCK_TIME_NONE;
  segment->in = g_array_new (FALSE, FALSE, sizeof (guint64));
  segment->out = g_array_new (FALSE, FALSE, sizeof (guint64));
  return segment;
}

static void
clear_segment (gpointer data)
{
  Segment *segment = data;

  g_queue_clear_full (&segment->items, (GDestroyNotify) gst_mini_object_unref);
  g_array_unref (segment->in);
  g_array_unref (segment->out);
  gst_clear_caps (&segment->caps);
}

static void
segment_unref (gpointer segment)
{
  g_atomic_rc_box_release_full (segment, clear_segment);
}

static void
fed_free (gpointer data)
{
  Fed *fed = data;

  g_clear_pointer (&fed->object, gst_mini_object_unref);
  g_clear_pointer (&fed->begins, segment_unref);
  g_free (fed);
}

/* Nothing more is taken or given. Under the lock. */
static gboolean
is_over (const ReportSplit * split)
{
  return split->is_stopping || split->is_wrong || split->flow != GST_FLOW_OK;
}

static gboolean
is_over_now (ReportSplit * split)
{
  gboolean over;

  g_mutex_lock (&split->lock);
  over = is_over (split);
  g_mutex_unlock (&split->lock);
  return over;
}

/* All must begin again with one decoder. */
static void
fail (ReportSplit * split, const gchar * why)
{
  gboolean is_first;

  g_mutex_lock (&split->lock);
  is_first = !split->is_wrong && !split->is_stopping;
  split->is_wrong = TRUE;
  g_cond_broadcast (&split->changed);
  g_mutex_unlock (&split->lock);
  if (is_first)
    split->options.tell (split->options.data, why, TRUE);
}

/* ---- A decoder and its counter ------------------------------------------------------------------ */

/* Gives a decoder the next thing, when there is room.
 *
 * @object: (transfer full) (nullable):
 * @begins: (transfer full) (nullable): */
static void
feed (Lane * lane, GstMiniObject * object, Segment * begins)
{
  ReportSplit *split = lane->split;
  Fed *fed = g_new (Fed, 1);

  *fed = (Fed) { object, begins };
  g_mutex_lock (&split->lock);
  while (GST_IS_BUFFER (object) && lane->n_bytes >= MOST_PACKET_BYTES && !is_over (split))
    g_cond_wait (&split->changed, &split->lock);
  g_queue_push_tail (&lane->fed, fed);
  if (GST_IS_BUFFER (object))
    lane->n_bytes += gst_buffer_get_size (GST_BUFFER_CAST (object));
  g_cond_broadcast (&split->changed);
  g_mutex_unlock (&split->lock);
}

/* Returns: (transfer full) (nullable): NULL: the thread is to end */
static Fed *
wait_for_food (Lane * lane)
{
  ReportSplit *split = lane->split;
  Fed *fed = NULL;

  g_mutex_lock (&split->lock);
  while (g_queue_is_empty (&lane->fed) && !split->is_stopping)
    g_cond_wait (&split->changed, &split->lock);
  if (!split->is_stopping)
    fed = g_queue_pop_head (&lane->fed);
  if (fed != NULL && GST_IS_BUFFER (fed->object))
    lane->n_bytes -= gst_buffer_get_size (GST_BUFFER_CAST (fed->object));
  g_cond_broadcast (&split->changed);
  g_mutex_unlock (&split->lock);
  return fed;
}

static void
begin_segment (Lane * lane, Segment * segment)
{
  if (lane->is_used) {
    gst_pad_push_event (lane->feed, gst_event_new_flush_start ());
    gst_pad_push_event (lane->feed, gst_event_new_flush_stop (TRUE));
  }
  lane->is_used = TRUE;
  g_mutex_lock (&lane->split->lock);
  g_clear_pointer (&lane->segment, segment_unref);
  lane->segment = segment;
  g_mutex_unlock (&lane->split->lock);
}

/* Takes out of the decoder all that it has. */
static void
end_segment (Lane * lane)
{
  ReportSplit *split = lane->split;

  gst_pad_push_event (lane->feed, gst_event_new_eos ());
  g_mutex_lock (&split->lock);
  while (!lane->segment->has_ended && !is_over (split))
    g_cond_wait (&split->changed, &split->lock);
  g_mutex_unlock (&split->lock);
}

static gpointer
run_lane (gpointer data)
{
  Lane *lane = data;
  Fed *fed;

  while ((fed = wait_for_food (lane)) != NULL) {
    if (is_over_now (lane->split))
      ;
    else if (fed->begins != NULL)
      begin_segment (lane, g_steal_pointer (&fed->begins));
    else if (fed->object == NULL)
      end_segment (lane);
    else if (GST_IS_EVENT (fed->object))
      gst_pad_push_event (lane->feed, GST_EVENT_CAST (g_steal_pointer (&fed->object)));
    else if (gst_pad_push (lane->feed, GST_BUFFER_CAST (g_steal_pointer (&fed->object))) != GST_FLOW_OK
        && !is_over_now (lane->split))
      fail (lane->split, "a decoder has stopped");
    fed_free (fed);
  }
  return NULL;
}

/* A cudahisto counts as the one behind this would if it got the frames. It has the groups of the first caps. */
static void
set_groups (const ReportSplit * split, GstElement * counter, const GstCaps * caps)
{
  g_autoptr (GstElement) model = report_settings_make_element (split->options.settings, caps);
  guint measures;

  g_object_get (model, "measures", &measures, NULL);
  g_object_set (counter, "measures", measures, NULL);
}

/* A pad probe between the decoder and its counter. The counter gets corrected caps and segments, as the one behind does. */
static GstPadProbeReturn
correct_event (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Lane *lane = data;
  ReportSplit *split = lane->split;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info), *corrected;
  g_autofree gchar *id = NULL;
  const ReportSaidStream *said;
  GstCaps *caps, *first, *new_caps;

  if (g_atomic_int_get (split->options.is_matroska) && GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    return report_segment_correct (pad, info);
  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  id = gst_pad_get_stream_id (split->sinkpad);
  said = report_statements_find (split->options.statements, id, FALSE);
  g_mutex_lock (&split->lock);
  if (split->first_caps == NULL && lane->number == 0)
    split->first_caps = gst_caps_ref (caps);
  g_cond_broadcast (&split->changed);
  while (split->first_caps == NULL && !is_over (split))
    g_cond_wait (&split->changed, &split->lock);
  first = split->first_caps != NULL ? gst_caps_ref (split->first_caps) : NULL;
  g_queue_push_tail (&lane->caps, gst_caps_ref (caps));
  g_mutex_unlock (&split->lock);
  if (first == NULL)
    return GST_PAD_PROBE_DROP;
  new_caps = report_statements_correct (said, NULL, first);
  if (!gst_pad_has_current_caps (lane->end))
    set_groups (split, lane->counter, new_caps);
  gst_caps_unref (new_caps);
  new_caps = report_statements_correct (said, first, caps);
  corrected = gst_event_new_caps (new_caps);
  gst_event_set_seqnum (corrected, gst_event_get_seqnum (event));
  gst_caps_unref (new_caps);
  gst_caps_unref (first);
  gst_event_unref (event);
  GST_PAD_PROBE_INFO_DATA (info) = corrected;
  return GST_PAD_PROBE_OK;
}

/* ---- Behind the counters ------------------------------------------------------------------------ */

static HistoCountedMeta *
find_counts (GstBuffer * buffer)
{
  const GType api = g_type_from_name (HISTO_COUNTED_META_API);

  return api == 0 ? NULL : (HistoCountedMeta *) gst_buffer_get_meta (buffer, api);
}

static void
copy_meta (GstBuffer * to, GstBuffer * from, GstMeta * meta)
{
  GstMetaTransformCopy copy = { FALSE, 0, (gsize) - 1 };

  if (meta != NULL && meta->info->transform_func != NULL)
    meta->info->transform_func (to, meta, from, g_quark_from_static_string ("gst-copy"), &copy);
}

/* Returns: (transfer full): a buffer without samples, with the counts and what else is read of a frame */
static GstBuffer *
strip (GstBuffer * frame)
{
  GstBuffer *stripped = gst_buffer_new ();

  gst_buffer_copy_into (stripped, frame, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  /* Without samples it would stand for a frame that does not exist. */
  GST_BUFFER_FLAG_UNSET (stripped, GST_BUFFER_FLAG_GAP);
  copy_meta (stripped, frame, &find_counts (frame)->meta);
  copy_meta (stripped, frame, gst_buffer_get_meta (frame, GST_VIDEO_CROP_META_API_TYPE));
  copy_meta (stripped, frame, gst_buffer_get_meta (frame, GST_VIDEO_TIME_CODE_META_API_TYPE));
  return stripped;
}

/* What comes waits for its turn, and for room.
 *
 * @object: (transfer full):
 * @n_bytes: of its counts */
static GstFlowReturn
take (Lane * lane, GstMiniObject * object, gsize n_bytes)
{
  ReportSplit *split = lane->split;
  GstFlowReturn flow;

  g_mutex_lock (&split->lock);
  while (n_bytes > 0 && lane->segment->n_bytes >= MOST_COUNT_BYTES && !is_over (split))
    g_cond_wait (&split->changed, &split->lock);
  flow = split->is_stopping || split->is_wrong ? GST_FLOW_FLUSHING : split->flow;
  if (GST_IS_BUFFER (object)) {
    const guint64 time = GST_BUFFER_PTS (GST_BUFFER_CAST (object));

    g_array_append_val (lane->segment->out, time);
    if (lane->segment->caps == NULL && lane->current != NULL)
      lane->segment->caps = gst_caps_ref (lane->current);
  }
  g_queue_push_tail (&lane->segment->items, object);
  lane->segment->n_bytes += n_bytes;
  g_cond_broadcast (&split->changed);
  g_mutex_unlock (&split->lock);
  return flow;
}

/* The chain function behind a counter. */
static GstFlowReturn
take_frame (GstPad * pad, GstObject * parent, GstBuffer * frame)
{
  Lane *lane = gst_pad_get_element_private (pad);
  const HistoCountedMeta *counts = find_counts (frame);
  GstFlowReturn flow;

  if (counts == NULL)
    fail (lane->split, "a picture could not be counted");
  else if (GST_BUFFER_FLAG_IS_SET (frame, GST_BUFFER_FLAG_CORRUPTED))
    fail (lane->split, "a picture is damaged");
  if (is_over_now (lane->split)) {
    gst_buffer_unref (frame);
    return GST_FLOW_FLUSHING;
  }
  flow = take (lane, GST_MINI_OBJECT_CAST (strip (frame)), counts->n_bytes);
  gst_buffer_unref (frame);
  return flow;
}

/* The event function behind a counter. */
static gboolean
take_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  Lane *lane = gst_pad_get_element_private (pad);
  ReportSplit *split = lane->split;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_unref (event);
      g_mutex_lock (&split->lock);
      caps = g_queue_pop_head (&lane->caps);
      g_mutex_unlock (&split->lock);
      if (caps == NULL)
        return TRUE;
      gst_caps_replace (&lane->current, caps);
      take (lane, GST_MINI_OBJECT_CAST (gst_event_new_caps (caps)), 0);
      gst_caps_unref (caps);
      return TRUE;
    case GST_EVENT_EOS:
      gst_event_unref (event);
      g_mutex_lock (&split->lock);
      lane->segment->has_ended = TRUE;
      g_cond_broadcast (&split->changed);
      g_mutex_unlock (&split->lock);
      return TRUE;
    case GST_EVENT_FLUSH_START:
    case GST_EVENT_FLUSH_STOP:
      gst_event_unref (event);
      return TRUE;
    default:
      if (GST_EVENT_IS_SERIALIZED (event))
        take (lane, GST_MINI_OBJECT_CAST (event), 0);
      else
        gst_event_unref (event);
      return TRUE;
  }
}

/* The query function behind a counter: it is answered as a decoder's is that is not cut. */
static gboolean
answer_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstCaps *filter, *raw, *caps;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      raw = report_measured_caps ();
      gst_query_parse_caps (query, &filter);
      caps = filter == NULL ? gst_caps_ref (raw) : gst_caps_intersect_full (filter, raw, GST_CAPS_INTERSECT_FIRST);
      gst_query_set_caps_result (query, caps);
      gst_caps_unref (caps);
      gst_caps_unref (raw);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      gst_query_set_accept_caps_result (query, TRUE);
      return TRUE;
    case GST_QUERY_ALLOCATION:
      gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
      return TRUE;
    case GST_QUERY_DRAIN:
      return TRUE;
    case GST_QUERY_CONTEXT:
      return FALSE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

/* ---- Giving what has been counted ---------------------------------------------------------------- */

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  const guint64 one = *(const guint64 *) a, other = *(const guint64 *) b;

  return one < other ? -1 : one > other;
}

/* Whether a decoder has given a frame for each packet, in the order of the times. Then one that decodes the whole film does it,
 * too. */
static gboolean
is_complete (const Segment * segment)
{
  /* It has all of the film: one decoder has decoded it. */
  if (segment->number == 0 && segment->last == GST_CLOCK_TIME_NONE)
    return TRUE;
  g_array_sort (segment->in, compare_times);
  if (segment->in->len != segment->out->len)
    return FALSE;
  for (guint i = 0; i < segment->in->len; i++) {
    const guint64 time = g_array_index (segment->in, guint64, i);

    if (time != g_array_index (segment->out, guint64, i)
        || (i > 0 && time == g_array_index (segment->in, guint64, i - 1)))
      return FALSE;
  }
  return segment->last == GST_CLOCK_TIME_NONE || (segment->out->len > 0
      && g_array_index (segment->out, guint64, segment->out->len - 1) == segment->last);
}

/* Returns: whether an event is passed on: a segment behind the first one begins with what has come before */
static gboolean
is_new (ReportSplit * split, const Segment * segment, GstEvent * event)
{
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    if (segment->number == 0 || segment->has_begun)
      gst_caps_replace (&split->given_caps, caps);
  }
  return segment->number == 0 || segment->has_begun;
}

/* Returns: whether a frame is passed on: the first one of a segment has been given with the one before */
static gboolean
is_next (ReportSplit * split, Segment * segment, GstBuffer * frame)
{
  const gboolean is_first = !segment->has_begun;
  const guint64 digest = find_counts (frame)->digest, time = GST_BUFFER_PTS (frame);

  segment->has_begun = TRUE;
  if (!is_first || segment->number == 0) {
    split->given_digest = digest;
    split->given_time = time;
    return TRUE;
  }
  if (split->given_caps == NULL || segment->caps == NULL || !gst_caps_is_equal (split->given_caps, segment->caps))
    fail (split, "its pictures change at a cut");
  if (digest != split->given_digest || time != split->given_time)
    fail (split, "the picture at a cut is another one if decoding begins there");
  return FALSE;
}

/* @item: (transfer full): of the segment whose turn it is */
static GstFlowReturn
give (ReportSplit * split, Segment * segment, GstMiniObject * item)
{
  if (GST_IS_BUFFER (item)) {
    if (is_next (split, segment, GST_BUFFER_CAST (item)) && !is_over_now (split))
      return gst_pad_push (split->srcpad, GST_BUFFER_CAST (item));
  } else if (is_new (split, segment, GST_EVENT_CAST (item)) && !is_over_now (split)) {
    gst_pad_push_event (split->srcpad, GST_EVENT_CAST (item));
    return GST_FLOW_OK;
  }
  gst_mini_object_unref (item);
  return GST_FLOW_OK;
}

static gsize
size_of (GstMiniObject * item)
{
  return GST_IS_BUFFER (item) ? find_counts (GST_BUFFER_CAST (item))->n_bytes : 0;
}

/* Under the lock.
 *
 * Returns: (transfer full) (nullable): what is given next
 * @segment: (out) (transfer full) (nullable): whose turn it is; NULL: none is left
 * @is_at_end: (out): there is nothing more to come */
static GstMiniObject *
wait_for_turn (ReportSplit * split, Segment ** segment, gboolean * is_at_end)
{
  GstMiniObject *item = NULL;

  *is_at_end = FALSE;
  for (;;) {
    *segment = g_queue_peek_head (&split->segments);
    if (is_over (split))
      return NULL;
    if (*segment == NULL && split->is_at_end) {
      *is_at_end = TRUE;
      return NULL;
    }
    if (*segment != NULL && (!g_queue_is_empty (&(*segment)->items) || (*segment)->has_ended))
      break;
    g_cond_wait (&split->changed, &split->lock);
  }
  item = g_queue_pop_head (&(*segment)->items);
  if (item == NULL) {
    g_queue_pop_head (&split->segments);
    return NULL;
  }
  (*segment)->n_bytes -= size_of (item);
  g_cond_broadcast (&split->changed);
  return item;
}

/* The task of the source pad. */
static void
give_next (gpointer data)
{
  ReportSplit *split = data;
  gboolean over, is_at_end;
  GstMiniObject *item;
  Segment *segment;
  GstFlowReturn flow = GST_FLOW_OK;

  g_mutex_lock (&split->lock);
  item = wait_for_turn (split, &segment, &is_at_end);
  over = is_over (split);
  g_mutex_unlock (&split->lock);
  if (over) {
    gst_pad_pause_task (split->srcpad);
  } else if (is_at_end) {
    gst_pad_push_event (split->srcpad, gst_event_new_eos ());
    gst_pad_pause_task (split->srcpad);
  } else if (item != NULL) {
    flow = give (split, segment, item);
  } else {
    if (!is_complete (segment))
      fail (split, "a decoder has not given one picture for each packet");
    segment_unref (segment);
  }
  if (flow == GST_FLOW_OK)
    return;
  g_mutex_lock (&split->lock);
  split->flow = flow;
  g_cond_broadcast (&split->changed);
  g_mutex_unlock (&split->lock);
  /* After a signal the stream has ended behind. */
  if (flow == GST_FLOW_EOS)
    gst_pad_push_event (split->srcpad, gst_event_new_eos ());
}

static gboolean
activate_source (GstPad * pad, GstObject * parent, GstPadMode mode, gboolean is_active)
{
  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  return is_active ? gst_pad_start_task (pad, give_next, parent, NULL) : gst_pad_stop_task (pad);
}

/* ---- Cutting ------------------------------------------------------------------------------------- */

/* Returns: when a packet is shown; GST_CLOCK_TIME_NONE: unknown. Of pictures that are all decoded alone, some demuxers tell only
 * when they are decoded, which is the same */
static guint64
time_of (const ReportSplit * split, GstMiniObject * packet)
{
  const GstBuffer *buffer = GST_BUFFER_CAST (packet);

  return GST_BUFFER_PTS_IS_VALID (buffer) || !report_cuts_are_in_order (split->cuts) ? GST_BUFFER_PTS (buffer) :
      GST_BUFFER_DTS (buffer);
}

static void
pending_free (gpointer data)
{
  Pending *pending = data;

  g_clear_pointer (&pending->object, gst_mini_object_unref);
  g_free (pending);
}

static Lane *
lane_of (ReportSplit * split)
{
  return &split->lanes[split->filled->number % split->n_lanes];
}

/* The next segment gets what follows. */
static void
open_segment (ReportSplit * split)
{
  static const GstEventType described[] = { GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_TAG };
  Segment *segment = segment_new (split->n_segments++);
  GstEvent *event;

  split->filled = segment;
  g_mutex_lock (&split->lock);
  g_queue_push_tail (&split->segments, segment);
  g_mutex_unlock (&split->lock);
  feed (lane_of (split), NULL, g_atomic_rc_box_acquire (segment));
  /* The first one gets them as they come. */
  for (guint i = 0; segment->number > 0 && i < G_N_ELEMENTS (described); i++) {
    for (guint n = 0; (event = gst_pad_get_sticky_event (split->sinkpad, described[i], n)) != NULL; n++)
      feed (lane_of (split), GST_MINI_OBJECT_CAST (event), NULL);
  }
}

/* @packet: (transfer none): */
static void
fill (ReportSplit * split, GstMiniObject * object)
{
  if (split->filled == NULL)
    open_segment (split);
  if (GST_IS_BUFFER (object)) {
    const guint64 time = time_of (split, object);

    g_mutex_lock (&split->lock);
    g_array_append_val (split->filled->in, time);
    g_mutex_unlock (&split->lock);
    split->n_bytes += gst_buffer_get_size (GST_BUFFER_CAST (object));
    if (!GST_CLOCK_TIME_IS_VALID (split->begin))
      split->begin = time;
    if (!GST_CLOCK_TIME_IS_VALID (split->latest) || time > split->latest)
      split->latest = time;
  }
  feed (lane_of (split), gst_mini_object_ref (object), NULL);
}

static void
close_segment (ReportSplit * split, guint64 last)
{
  if (split->filled == NULL)
    return;
  g_mutex_lock (&split->lock);
  split->filled->last = last;
  g_mutex_unlock (&split->lock);
  feed (lane_of (split), NULL, NULL);
}

/* Whether the film may be cut at a packet, as far as it and those before tell. */
static gboolean
is_candidate (const ReportSplit * split, const Pending * pending)
{
  GstBuffer *packet = GST_BUFFER_CAST (pending->object);

  return GST_IS_BUFFER (pending->object) && split->obstacle == NULL
      && (pending->unit == REPORT_UNIT_KEY || pending->unit == REPORT_UNIT_OPEN_KEY)
      && split->filled != NULL && GST_CLOCK_TIME_IS_VALID (split->begin)
      && time_of (split, pending->object) > split->latest
      && (time_of (split, pending->object) - split->begin >= LEAST_LENGTH
          || split->n_bytes >= LEAST_BYTES)
      && !GST_BUFFER_FLAG_IS_SET (packet, GST_BUFFER_FLAG_CORRUPTED)
      && !GST_BUFFER_FLAG_IS_SET (packet, GST_BUFFER_FLAG_DISCONT);
}

typedef enum
{
  CUT,
  NO_CUT,
  UNKNOWN                       /* as long as no more packets come */
} Verdict;

/* What the packets behind tell of the first one, at which the film may be cut.
 *
 * @are_all: no more come
 * @n_leading: (out): how many behind are shown before */
static Verdict
judge (ReportSplit * split, gboolean are_all, guint * n_leading)
{
  const Pending *key = g_queue_peek_head (&split->pending);
  const guint64 time = time_of (split, key->object);
  gboolean is_behind = FALSE;
  guint n = 0;

  *n_leading = 0;
  for (GList * item = split->pending.head->next; item != NULL; item = item->next) {
    const Pending *pending = item->data;
    GstBuffer *packet = GST_BUFFER_CAST (pending->object);

    if (!GST_IS_BUFFER (pending->object))
      continue;
    n++;
    if (time_of (split, pending->object) > time) {
      is_behind = TRUE;
    } else if (is_behind || key->unit != REPORT_UNIT_OPEN_KEY || pending->unit != REPORT_UNIT_LEADING
        || time_of (split, pending->object) == time) {
      return NO_CUT;
    } else {
      (*n_leading)++;
    }
    if (is_behind && (report_cuts_are_in_order (split->cuts) || n >= LOOK_AHEAD
            || (GST_BUFFER_DTS_IS_VALID (packet) && GST_BUFFER_DTS (packet) >= time)))
      return CUT;
  }
  return are_all && is_behind ? CUT : UNKNOWN;
}

/* The segment before gets the key frame and what is shown before that, and ends. */
static void
cut (ReportSplit * split, guint n_leading)
{
  Pending *key = g_queue_pop_head (&split->pending);
  const guint64 time = time_of (split, key->object);
  GList *item = split->pending.head;

  fill (split, key->object);
  while (n_leading > 0) {
    GList *next = item->next;
    Pending *pending = item->data;

    if (GST_IS_BUFFER (pending->object)) {
      fill (split, pending->object);
      pending_free (pending);
      g_queue_delete_link (&split->pending, item);
      n_leading--;
    }
    item = next;
  }
  close_segment (split, time);
  open_segment (split);
  split->begin = GST_CLOCK_TIME_NONE;
  split->n_bytes = 0;
  fill (split, key->object);
  pending_free (key);
}

/* Whether what is pending is followed by more. */
typedef enum
{
  MORE_COMES,
  NOTHING_COMES,
  OTHER_COMES                   /* of which what is pending tells nothing */
} Rest;

static void
decide (ReportSplit * split, Rest rest)
{
  while (!g_queue_is_empty (&split->pending)) {
    Pending *first = g_queue_peek_head (&split->pending);
    Verdict verdict = NO_CUT;
    guint n_leading;

    if (is_candidate (split, first))
      verdict = judge (split, rest == NOTHING_COMES, &n_leading);
    if (verdict == UNKNOWN && rest == MORE_COMES)
      return;
    if (verdict == CUT) {
      cut (split, n_leading);
      continue;
    }
    g_queue_pop_head (&split->pending);
    fill (split, first->object);
    pending_free (first);
  }
}

/* @object: (transfer full): */
static void
append (ReportSplit * split, GstMiniObject * object, ReportUnit unit)
{
  Pending *pending = g_new (Pending, 1);

  *pending = (Pending) { object, unit };
  g_queue_push_tail (&split->pending, pending);
}

static GstFlowReturn
chain (GstPad * pad, GstObject * parent, GstBuffer * packet)
{
  ReportSplit *split = REPORT_SPLIT (parent);
  GstFlowReturn flow;

  if (!GST_CLOCK_TIME_IS_VALID (time_of (split, GST_MINI_OBJECT_CAST (packet))))
    split->obstacle = "a picture has no time";
  append (split, GST_MINI_OBJECT_CAST (packet), report_cuts_look (split->cuts, packet));
  decide (split, split->obstacle != NULL ? OTHER_COMES : MORE_COMES);
  g_mutex_lock (&split->lock);
  flow = split->is_stopping || split->is_wrong ? GST_FLOW_FLUSHING : split->flow;
  g_mutex_unlock (&split->lock);
  return flow;
}

static void
end_stream (ReportSplit * split)
{
  decide (split, NOTHING_COMES);
  close_segment (split, GST_CLOCK_TIME_NONE);
  if (split->n_segments < 2)
    split->options.tell (split->options.data, split->obstacle != NULL ? split->obstacle :
        "it has no key frame behind its first 2 seconds at which a cut is certain", FALSE);
  g_mutex_lock (&split->lock);
  split->is_at_end = TRUE;
  g_cond_broadcast (&split->changed);
  g_mutex_unlock (&split->lock);
}

/* Whether an event changes what decoders get, so that those behind must have had it, too. */
static gboolean
is_change (ReportSplit * split, GstEvent * event)
{
  g_autoptr (GstEvent) before = !GST_EVENT_IS_STICKY (event) ? NULL :
      gst_pad_get_sticky_event (split->sinkpad, GST_EVENT_TYPE (event), 0);
  GstSegment old_segment, segment;
  GstCaps *old_caps, *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_TAG:
    case GST_EVENT_STREAM_COLLECTION:
    case GST_EVENT_TOC:
      return FALSE;
    case GST_EVENT_CAPS:
      if (before == NULL)
        return FALSE;
      gst_event_parse_caps (before, &old_caps);
      gst_event_parse_caps (event, &caps);
      return !gst_caps_is_equal (old_caps, caps);
    case GST_EVENT_SEGMENT:
      return before != NULL && !(g_atomic_int_get (split->options.is_matroska)
          && report_segment_get (before, &old_segment) && report_segment_get (event, &segment)
          && gst_segment_is_equal (&old_segment, &segment));
    default:
      return before != NULL;
  }
}

static gboolean
take_upstream_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  ReportSplit *split = REPORT_SPLIT (parent);
  GstCaps *caps;

  if (!GST_EVENT_IS_SERIALIZED (event) || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    return gst_pad_event_default (pad, parent, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    gst_event_unref (event);
    end_stream (split);
    return TRUE;
  }
  if (GST_CLOCK_TIME_IS_VALID (split->latest) && is_change (split, event)) {
    decide (split, OTHER_COMES);
    split->obstacle = "what the container says of its pictures changes";
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    report_cuts_set_caps (split->cuts, caps);
  }
  append (split, GST_MINI_OBJECT_CAST (event), REPORT_UNIT_OTHER);
  decide (split, MORE_COMES);
  return TRUE;
}

/* Upstream gets the answers of a decoder. */
static gboolean
answer_upstream (GstPad * pad, GstObject * parent, GstQuery * query)
{
  ReportSplit *split = REPORT_SPLIT (parent);
  g_autoptr (GstPad) sink = NULL;

  if (split->n_lanes == 0)
    return gst_pad_query_default (pad, parent, query);
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
    case GST_QUERY_ACCEPT_CAPS:
      sink = gst_element_get_static_pad (split->lanes[0].decoder, "sink");
      return gst_pad_query (sink, query);
    case GST_QUERY_ALLOCATION:
      return FALSE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

/* ---- The element --------------------------------------------------------------------------------- */

/* The first decoder has as many threads as one that decodes alone, because it does if the film cannot be cut. */
static void
share_threads (const Lane * lane)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (lane->decoder), "max-threads");
  const guint n_lanes = lane->split->n_lanes;

  if (spec != NULL && spec->value_type == G_TYPE_INT && lane->number > 0)
    g_object_set (lane->decoder, "max-threads", (gint) ((g_get_num_processors () + n_lanes - 1) / n_lanes), NULL);
}

static gboolean
make_lane (ReportSplit * split, Lane * lane)
{
  static const gchar plain[] = "video/x-raw, format=I420, width=16, height=16, framerate=25/1";
  g_autoptr (GstCaps) caps = gst_caps_from_string (plain);
  g_autoptr (GstPad) sink = NULL, counted = NULL, source = NULL;
  gboolean ok;

  lane->split = split;
  lane->number = lane - split->lanes;
  lane->decoder = gst_element_factory_create (split->options.factory, NULL);
  if (lane->decoder == NULL)
    return FALSE;
  share_threads (lane);
  lane->counter = report_settings_make_element (split->options.settings, caps);
  g_object_set (lane->counter, "meta", TRUE, "post-messages", FALSE, NULL);
  g_object_set_data (G_OBJECT (lane->counter), HISTO_COUNTED_ONLY, lane);
  gst_bin_add_many (GST_BIN (split), lane->decoder, lane->counter, NULL);
  gst_object_unref (lane->counter);
  report_frame_pool_complete (lane->counter);
  sink = gst_element_get_static_pad (lane->decoder, "sink");
  counted = gst_element_get_static_pad (lane->counter, "sink");
  source = gst_element_get_static_pad (lane->counter, "src");
  lane->feed = gst_object_ref_sink (gst_pad_new ("feed", GST_PAD_SRC));
  lane->end = gst_object_ref_sink (gst_pad_new ("end", GST_PAD_SINK));
  gst_pad_set_element_private (lane->end, lane);
  gst_pad_set_chain_function (lane->end, take_frame);
  gst_pad_set_event_function (lane->end, take_event);
  gst_pad_set_query_function (lane->end, answer_query);
  gst_pad_add_probe (counted, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, correct_event, lane, NULL);
  /* Pads of no element are of no hierarchy. */
  ok = sink != NULL && gst_pad_link_full (lane->feed, sink, GST_PAD_LINK_CHECK_NOTHING) == GST_PAD_LINK_OK
      && gst_element_link (lane->decoder, lane->counter)
      && gst_pad_link_full (source, lane->end, GST_PAD_LINK_CHECK_NOTHING) == GST_PAD_LINK_OK;
  return ok;
}

/* To be called before the element gets anything. If there are no such decoders, it does not start. */
void
report_split_set_up (ReportSplit * split, const ReportSplitOptions * options)
{
  const guint n = options->settings->split > 0 ? (guint) options->settings->split :
      MIN (g_get_num_processors (), REPORT_MOST_AUTOMATIC);

  split->options = *options;
  gst_object_ref (options->factory);
  split->lanes = g_new0 (Lane, n);
  split->n_lanes = n;
  for (guint i = 0; i < n; i++) {
    if (!make_lane (split, &split->lanes[i]))
      return;
  }
  split->is_set_up = TRUE;
}

/* The elements in it are not asked any more, and nothing that runs in them is left. */
static void
stop_lanes (ReportSplit * split)
{
  for (guint i = 0; i < split->n_lanes; i++) {
    Lane *lane = &split->lanes[i];

    gst_pad_set_active (lane->feed, FALSE);
    gst_pad_set_active (lane->end, FALSE);
    g_clear_pointer (&lane->thread, g_thread_join);
    g_queue_clear_full (&lane->fed, fed_free);
    g_queue_clear_full (&lane->caps, (GDestroyNotify) gst_caps_unref);
    g_clear_pointer (&lane->segment, segment_unref);
    gst_clear_caps (&lane->current);
  }
  g_queue_clear_full (&split->pending, pending_free);
  g_queue_clear_full (&split->segments, segment_unref);
}

static void
start_lanes (ReportSplit * split)
{
  for (guint i = 0; i < split->n_lanes; i++) {
    Lane *lane = &split->lanes[i];

    gst_pad_set_active (lane->end, TRUE);
    gst_pad_set_active (lane->feed, TRUE);
    lane->thread = g_thread_new ("split", run_lane, lane);
  }
}

static GstStateChangeReturn
change_state (GstElement * element, GstStateChange transition)
{
  ReportSplit *split = REPORT_SPLIT (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !split->is_set_up)
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    start_lanes (split);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    g_mutex_lock (&split->lock);
    split->is_stopping = TRUE;
    g_cond_broadcast (&split->changed);
    g_mutex_unlock (&split->lock);
  }
  ret = GST_ELEMENT_CLASS (report_split_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    stop_lanes (split);
  return ret;
}

/* What a decoder complains of, one that has decoded all before may not, or more of it. */
static void
handle_message (GstBin * bin, GstMessage * message)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR || GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    fail (REPORT_SPLIT (bin), "a decoder has found a fault");
    gst_message_unref (message);
    return;
  }
  GST_BIN_CLASS (report_split_parent_class)->handle_message (bin, message);
}

static void
finalize (GObject * object)
{
  ReportSplit *split = REPORT_SPLIT (object);

  for (guint i = 0; i < split->n_lanes; i++) {
    gst_clear_object (&split->lanes[i].feed);
    gst_clear_object (&split->lanes[i].end);
  }
  g_free (split->lanes);
  report_cuts_free (split->cuts);
  gst_clear_caps (&split->first_caps);
  gst_clear_caps (&split->given_caps);
  gst_clear_object (&split->options.factory);
  g_mutex_clear (&split->lock);
  g_cond_clear (&split->changed);
  G_OBJECT_CLASS (report_split_parent_class)->finalize (object);
}

static void
report_split_class_init (ReportSplitClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  element_class->change_state = change_state;
  GST_BIN_CLASS (klass)->handle_message = handle_message;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &source_template);
  gst_element_class_set_static_metadata (element_class, "Several decoders",
      "Codec/Decoder/Video", "Decodes and counts parts of a film at the same time", "cudahisto");
}

static void
report_split_init (ReportSplit * split)
{
  split->cuts = report_cuts_new ();
  split->begin = split->latest = GST_CLOCK_TIME_NONE;
  g_mutex_init (&split->lock);
  g_cond_init (&split->changed);
  split->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (split->sinkpad, chain);
  gst_pad_set_event_function (split->sinkpad, take_upstream_event);
  gst_pad_set_query_function (split->sinkpad, answer_upstream);
  gst_element_add_pad (GST_ELEMENT (split), split->sinkpad);
  split->srcpad = gst_pad_new_from_static_template (&source_template, "src");
  gst_pad_set_activatemode_function (split->srcpad, activate_source);
  gst_element_add_pad (GST_ELEMENT (split), split->srcpad);
}

/* Returns: (transfer full): makes such elements */
GstElementFactory *
report_split_factory (void)
{
  static gsize is_registered = 0;

  if (g_once_init_enter (&is_registered)) {
    gst_element_register (NULL, "cudahisto-report-split", GST_RANK_NONE, REPORT_TYPE_SPLIT);
    g_once_init_leave (&is_registered, 1);
  }
  return gst_element_factory_find ("cudahisto-report-split");
}
