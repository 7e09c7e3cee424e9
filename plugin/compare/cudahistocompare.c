/* The element cudahistocompare: pads, threads, properties.
 *
 * The thread of `sink` takes a frame, waits until it is clear which frame of the reference belongs to it, compares both,
 * attaches the result and pushes the frame. The thread of `reference` puts its frames into a queue, and waits while that
 * is full. So nothing is in flight between two frames of `sink`, and events of `sink` pass at once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/**
 * SECTION:element-cudahistocompare
 * @title: cudahistocompare
 *
 * Compares the frames of its pad `sink` with those of its pad `reference`: differing samples, PSNR, SSIM and XPSNR. The result
 * is attached to the frame of `sink` as a #GstCustomMeta named "cudahisto-compare", and, with `post-messages=true`,
 * posted as an element message of the same name. The frames are not changed.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m cudahistocompare name=c post-messages=true ! fakesink \
 *     videotestsrc num-buffers=3 ! video/x-raw,format=I420 ! c.sink \
 *     videotestsrc num-buffers=3 ! video/x-raw,format=I420 ! videobalance contrast=0.9 ! c.reference
 * ]| Prints how much less contrast changes three frames.
 *
 * Since: 1.0
 */
#include "compare/cudahistocompare.h"

#include "compare/measure.h"
#include "compare/pairs.h"
#include "cudahisto/result.h"
#include "element/errors.h"
#include "element/float-mode.h"
#include "engine/timing.h"
#include "log.h"
#include "property-table.h"
#include "refusals.h"
#include "result/alerts.h"
#include "result/write.h"
#include "untrusted.h"

GST_DEBUG_CATEGORY_EXTERN (cudahistocompare_debug);
#define GST_CAT_DEFAULT cudahistocompare_debug

/* After so many seconds in which a frame has waited for the reference, a warning is posted. */
#define LONG_WAIT 5

/* A pad's stream. */
typedef struct
{
  GstPad *pad;
  GstSegment segment;           /* of the pad's thread */
  guint64 n_frames;             /* since the flush; of the pad's thread */
  GstClockTime frame_duration;  /* by the caps; GST_CLOCK_TIME_NONE: unknown; set by the pad's thread under the lock */
  /* Under the lock. */
  gboolean is_flushing;
  gboolean has_ended;           /* by EOS or SEGMENT_DONE */
  gboolean is_segment_done;     /* the latter: another segment may follow */
} Stream;

/* A frame of the reference that waits in the queue. */
typedef struct
{
  GstBuffer *buffer;
  GstBuffer *before[HISTO_COMPARE_HISTORY];   /* (nullable): the frame before it, and the one before that */
  GstCaps *caps;                /* of all */
} Reference;

typedef struct
{
  HistoBackend backend;
  gint device_id;               /* CUDA device; -1: that of the pipeline's context */
  guint measures;
  HistoPairing pairing;
  gint64 offset;
  gboolean meta, post_messages;
  guint64 message_interval, window;
  guint every, max_in_flight;
} Settings;

typedef enum
{ REFUSED_REGIONS, REFUSED_RULES, N_REFUSED } Refused;

struct _GstCudaHistoCompare
{
  GstElement parent;

  GstPad *srcpad;
  Stream sink, reference;
  GstCaps *reference_caps;      /* of the reference's thread */
  HistoErrors errors;

  /* Of the thread of `sink`. */
  GstCaps *caps;                /* (nullable): of `sink` */
  HistoCompared window;         /* of the open window; clear: none is open */
  guint64 window_index, window_length;
  GstClockTime posted_at;       /* running time of the latest message */
  gboolean has_warned, has_warned_of_meta;
  HistoRules *followed;         /* (nullable): the rules of the states */
  HistoRuleStates *rule_states; /* (nullable): no rules */
  GArray *rule_events;          /* (element-type HistoRuleEvent): for one call */

  HistoPairMeter *meter;        /* of this thread, but for what any thread may call */

  GMutex lock;                  /* of all below */
  GCond changed;
  HistoPairs pairs;
  /* (nullable): the reference's latest frames, newest first; kept only for XPSNR. A query may come while the pad stops. */
  GstBuffer *history[HISTO_COMPARE_HISTORY];
  GstClockTime reached;         /* running time that the reference has reached in gaps */
  GstClockTime latency;         /* of what is before the element: the least of the later one of both streams */
  GstClockTime own_latency;     /* see note_rate() */
  gboolean is_live, is_latency_known;   /* the first ones are those of the latest answers */
  gboolean drops_reference;     /* of the segment with which `sink` is done */
  Settings settings;
  gchar *regions_text;
  GArray *regions;              /* (nullable): never changed, but replaced */
  gchar *rules_text;
  HistoRules *rules;            /* (nullable) */
  gchar *refusals[N_REFUSED];   /* (nullable): why values were refused, of which nobody has been told */
  guint64 n_pairs, n_unpaired, n_measured, n_bytes, cpu_time;
};

G_DEFINE_FINAL_TYPE (GstCudaHistoCompare, gst_cuda_histo_compare, GST_TYPE_ELEMENT);
GST_ELEMENT_REGISTER_DEFINE (cudahistocompare, "cudahistocompare", GST_RANK_NONE, GST_TYPE_CUDA_HISTO_COMPARE);

static const GstMetaInfo *meta_info;

static void
reference_free (gpointer data)
{
  Reference *reference = data;

  gst_buffer_unref (reference->buffer);
  for (guint i = 0; i < HISTO_COMPARE_HISTORY; i++)
    gst_clear_buffer (&reference->before[i]);
  gst_caps_unref (reference->caps);
  g_free (reference);
}

static Stream *
stream_of (GstPad * pad)
{
  return GST_PAD_ELEMENT_PRIVATE (pad);
}

/* ---- Times --------------------------------------------------------------------------------------- */

/* Notes how long a frame, or a field in a buffer of its own, is shown by the caps. @frame: (nullable): what they describe
 *
 * A partner comes at most half of the shorter duration later than a frame: so long a live frame waits. */
static void
note_rate (GstCudaHistoCompare * self, Stream * stream, const HistoFormat * frame)
{
  const GstClockTime duration = frame != NULL ? histo_format_frame_duration (frame) : 0;
  GstClockTime shorter;
  gboolean is_other;

  g_mutex_lock (&self->lock);
  stream->frame_duration = duration > 0 ? duration : GST_CLOCK_TIME_NONE;
  /* An unknown duration is the greatest number. */
  shorter = MIN (self->sink.frame_duration, self->reference.frame_duration);
  shorter = GST_CLOCK_TIME_IS_VALID (shorter) ? shorter / 2 : 0;
  is_other = self->is_live && shorter != self->own_latency;
  self->own_latency = shorter;
  g_mutex_unlock (&self->lock);
  if (is_other)
    gst_element_post_message (GST_ELEMENT_CAST (self), gst_message_new_latency (GST_OBJECT_CAST (self)));
}

/* How long a frame is shown. */
static GstClockTime
find_duration (const Stream * stream, GstBuffer * buffer)
{
  return GST_BUFFER_DURATION_IS_VALID (buffer) ? GST_BUFFER_DURATION (buffer) : stream->frame_duration;
}

static HistoPairTimes
find_times (Stream * stream, GstBuffer * buffer)
{
  HistoPairTimes times = { GST_CLOCK_TIME_NONE, find_duration (stream, buffer), stream->n_frames++ };

  if (stream->segment.format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID (buffer))
    times.time = gst_segment_to_running_time (&stream->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  return times;
}

/* @time: running time. Returns: GST_CLOCK_TIME_NONE if it is before 0, or does not fit */
static GstClockTime
add_offset (GstClockTime time, gint64 offset)
{
  GstClockTime sum;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return GST_CLOCK_TIME_NONE;
  if (offset < 0)
    return time >= -(guint64) offset ? time - -(guint64) offset : GST_CLOCK_TIME_NONE;
  return g_uint64_checked_add (&sum, time, offset) ? sum : GST_CLOCK_TIME_NONE;
}

/* ---- The reference ------------------------------------------------------------------------------- */

/* Under the lock. */
static gboolean
needs_xpsnr (const GstCudaHistoCompare * self)
{
  return HISTO_COMPARES (self->settings.measures | (self->rules != NULL ? histo_rules_groups (self->rules) : 0), XPSNR);
}

/* The next frame has none before it. Under the lock. */
static void
clear_history (GstCudaHistoCompare * self)
{
  for (guint i = 0; i < HISTO_COMPARE_HISTORY; i++)
    gst_clear_buffer (&self->history[i]);
}

/* Makes a frame of what enters `reference`, with those before it. Under the lock. @buffer: (transfer full) */
static Reference *
reference_new (GstCudaHistoCompare * self, GstBuffer * buffer)
{
  Reference *reference = g_new (Reference, 1);

  *reference = (Reference) { .buffer = buffer,.caps = gst_caps_ref (self->reference_caps) };
  if (!needs_xpsnr (self)) {
    clear_history (self);
    return reference;
  }
  for (guint i = 0; i < HISTO_COMPARE_HISTORY; i++)
    gst_buffer_replace (&reference->before[i], self->history[i]);
  gst_buffer_replace (&self->history[1], self->history[0]);
  gst_buffer_replace (&self->history[0], buffer);
  return reference;
}

/* Whether no frame of `sink` comes that a next one of the reference may belong to. Under the lock. */
static gboolean
is_over (const GstCudaHistoCompare * self)
{
  return self->sink.has_ended && (!self->sink.is_segment_done || self->drops_reference);
}

static GstFlowReturn
chain_reference (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (parent);
  GstFlowReturn ret = GST_FLOW_OK;
  HistoPairTimes times;
  Reference *reference;

  if (self->reference_caps == NULL) {
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  /* An empty buffer with a GAP flag stands for a frame that does not exist. */
  if (gst_buffer_get_size (buffer) == 0 && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  times = find_times (&self->reference, buffer);

  g_mutex_lock (&self->lock);
  reference = reference_new (self, buffer);
  times.time = add_offset (times.time, self->settings.offset);
  if (!self->reference.is_flushing && histo_pairs_length (&self->pairs) > self->settings.max_in_flight)
    GST_LOG_OBJECT (pad, "%u frames are queued: waits", histo_pairs_length (&self->pairs));
  /* One frame more: a frame may wait for the one after its nearest. */
  while (!self->reference.is_flushing && !is_over (self) && gst_pad_is_linked (self->reference.pad)
      && histo_pairs_length (&self->pairs) > self->settings.max_in_flight)
    g_cond_wait (&self->changed, &self->lock);
  if (self->reference.is_flushing)
    ret = GST_FLOW_FLUSHING;
  else if (self->sink.has_ended && !self->sink.is_segment_done)
    ret = GST_FLOW_EOS;
  /* The rest of a segment is behind the last frame of `sink`. */
  if (ret == GST_FLOW_OK && !self->drops_reference) {
    histo_pairs_push (&self->pairs, &times, reference, reference_free);
    GST_LOG_OBJECT (pad, "frame %" G_GUINT64_FORMAT " at running time %" GST_TIME_FORMAT " is queued", times.number,
        GST_TIME_ARGS (times.time));
  } else {
    reference_free (reference);
    GST_LOG_OBJECT (pad, "frame %" G_GUINT64_FORMAT " is dropped: %s", times.number,
        ret == GST_FLOW_OK ? "sink is done with its segment" : gst_flow_get_name (ret));
  }
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  return ret;
}

/* ---- Results ------------------------------------------------------------------------------------- */

/* The result as a structure. @alerts: (element-type HistoAlertEvent): that are open */
static void
write_all (const HistoComparison * comparison, const GArray * alerts, GstStructure * structure)
{
  histo_comparison_write (comparison, structure);
  histo_write_alerts (alerts, structure);
}

/* @buffer: (inout) (transfer full): becomes a copy that shares its memory if others hold the buffer, too */
static void
attach (GstCudaHistoCompare * self, GstBuffer ** buffer, const HistoComparison * comparison, const GArray * alerts)
{
  GstStructure *structure = histo_meta_attach (meta_info, buffer);

  if (structure != NULL) {
    write_all (comparison, alerts, structure);
  } else if (!self->has_warned_of_meta) {
    self->has_warned_of_meta = TRUE;
    GST_ELEMENT_WARNING (self, LIBRARY, FAILED, ("The result cannot be attached to the buffers."),
        ("another plugin has a meta named \"%s\"", HISTO_COMPARISON_NAME));
  }
}

static void
post (GstCudaHistoCompare * self, const HistoComparison * comparison, const GArray * alerts, const HistoTimes * times)
{
  GstStructure *structure = gst_structure_new_empty (HISTO_COMPARISON_NAME);

  write_all (comparison, alerts, structure);
  gst_element_post_message (GST_ELEMENT_CAST (self), histo_write_message (structure, times, GST_OBJECT_CAST (self)));
}

/* ---- Rules --------------------------------------------------------------------------------------- */

static const HistoTimes no_times = {
  GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE
};

/* Posts what has begun and ended. @times: of the frame with which it has */
static void
post_alerts (GstCudaHistoCompare * self, const HistoTimes * times)
{
  for (guint i = 0; i < self->rule_events->len; i++) {
    const HistoAlertEvent alert = histo_alert_of_rule (self->followed, &g_array_index (self->rule_events,
            HistoRuleEvent, i));

    gst_element_post_message (GST_ELEMENT_CAST (self), histo_write_alert (&alert, times, GST_OBJECT_CAST (self)));
  }
  g_array_set_size (self->rule_events, 0);
}

/* Ends the open alerts with the end of the latest frame that was compared. */
static void
end_alerts (GstCudaHistoCompare * self)
{
  if (self->rule_states == NULL)
    return;
  histo_rule_states_end (self->rule_states, self->rule_events);
  post_alerts (self, &no_times);
}

/* @rules: (nullable): those of the next frame */
static void
follow_rules (GstCudaHistoCompare * self, HistoRules * rules)
{
  if (self->followed == rules)
    return;
  end_alerts (self);
  g_clear_pointer (&self->rule_states, histo_rule_states_free);
  g_clear_pointer (&self->followed, histo_rules_unref);
  if (rules == NULL)
    return;
  self->followed = histo_rules_ref (rules);
  self->rule_states = histo_rule_states_new (rules);
}

/* Checks the rules.
 * Returns: (transfer full) (nullable) (element-type HistoAlertEvent): the alerts that are open */
static GArray *
check_rules (GstCudaHistoCompare * self, const HistoComparison * comparison, const HistoTimes * times)
{
  GArray *alerts;

  if (self->rule_states == NULL)
    return NULL;
  histo_rule_states_pass_comparison (self->rule_states, comparison, times->stream_time,
      GST_CLOCK_TIME_IS_VALID (times->duration) ? times->stream_time + times->duration : GST_CLOCK_TIME_NONE,
      self->rule_events);
  post_alerts (self, times);
  alerts = g_array_new (FALSE, FALSE, sizeof (HistoAlertEvent));
  histo_rule_states_list (self->rule_states, self->rule_events);
  for (guint i = 0; i < self->rule_events->len; i++) {
    const HistoAlertEvent alert = histo_alert_of_rule (self->followed, &g_array_index (self->rule_events,
            HistoRuleEvent, i));

    g_array_append_val (alerts, alert);
  }
  g_array_set_size (self->rule_events, 0);
  return alerts;
}

/* ---- Windows ------------------------------------------------------------------------------------- */

/* Posts the result of the open window, if there is one. */
static void
finish_window (GstCudaHistoCompare * self)
{
  GstStructure *structure;
  HistoComparison comparison;
  const guint64 length = self->window_length;

  if (self->window.n_pairs == 0)
    return;
  histo_compared_fill (&self->window, &comparison);
  structure = gst_structure_new_empty (HISTO_COMPARISON_WINDOW_NAME);
  histo_comparison_write (&comparison, structure);
  gst_structure_set (structure, "stream-time", G_TYPE_UINT64, self->window_index * length,
      "duration", G_TYPE_UINT64, length, "buffers", G_TYPE_UINT64, self->window.n_pairs, NULL);
  histo_comparison_clear (&comparison);
  histo_compared_clear (&self->window);
  gst_element_post_message (GST_ELEMENT_CAST (self), gst_message_new_element (GST_OBJECT_CAST (self), structure));
}

/* @length: of windows; 0: there is none */
static void
add_to_window (GstCudaHistoCompare * self, const HistoCompared * compared, const HistoTimes * times, guint64 length)
{
  guint64 index;

  if (length != self->window_length)
    finish_window (self);
  self->window_length = length;
  if (length == 0 || !GST_CLOCK_TIME_IS_VALID (times->stream_time))
    return;
  index = times->stream_time / length;
  if (index != self->window_index)
    finish_window (self);
  if (!histo_compared_add (&self->window, compared)) {
    finish_window (self);
    histo_compared_add (&self->window, compared);
  }
  self->window_index = index;
}

/* Whether `message-interval` lets a message be posted now. */
static gboolean
is_due (GstCudaHistoCompare * self, const HistoTimes * times, guint64 interval)
{
  const gboolean due = interval == 0 || !GST_CLOCK_TIME_IS_VALID (self->posted_at)
      || !GST_CLOCK_TIME_IS_VALID (times->running_time) || times->running_time < self->posted_at
      || times->running_time - self->posted_at >= interval;

  if (due && GST_CLOCK_TIME_IS_VALID (times->running_time))
    self->posted_at = times->running_time;
  return due;
}

/* ---- Comparing ------------------------------------------------------------------------------------ */

/* Measures a frame and its partner. @regions: (nullable) */
static gboolean
measure (GstCudaHistoCompare * self, GstBuffer * buffer, const Reference * reference, guint measures,
    const GArray * regions, HistoCompared * compared, GError ** error)
{
  HistoComparedPair pair = {
    .buffer = buffer,
    .caps = self->caps,
    .reference = {reference->buffer},
    .reference_caps = reference->caps,
    .measures = measures,
    .regions = regions
  };

  memcpy (pair.reference + 1, reference->before, sizeof reference->before);
  return histo_pair_meter_measure (self->meter, &pair, compared, error);
}

/* Compares a frame with its partner, and publishes the result.
 *
 * @buffer: (inout) (transfer full)
 * @reference: (transfer full)
 * @regions: (nullable) (transfer full) */
static GstFlowReturn
compare (GstCudaHistoCompare * self, GstBuffer ** buffer, Reference * reference, const Settings * settings,
    GArray * regions)
{
  const guint64 begin = histo_thread_time ();
  HistoCompared compared = { 0, };
  GstFlowReturn ret = GST_FLOW_OK;
  GError *error = NULL;

  if (!measure (self, *buffer, reference, settings->measures, regions, &compared, &error)) {
    histo_errors_post (&self->errors, error);
    ret = GST_FLOW_ERROR;
  } else {
    HistoComparison comparison;
    HistoTimes times;
    GArray *alerts;

    histo_times_from_buffer (&times, *buffer, &self->sink.segment);
    if (!GST_CLOCK_TIME_IS_VALID (times.duration))
      times.duration = find_duration (&self->sink, *buffer);
    g_mutex_lock (&self->lock);
    self->n_measured++;
    self->n_bytes += gst_buffer_get_size (*buffer) + gst_buffer_get_size (reference->buffer);
    self->cpu_time += histo_thread_time () - begin;
    g_mutex_unlock (&self->lock);
    histo_compared_fill (&compared, &comparison);
    comparison.reference_timestamp = GST_BUFFER_PTS (reference->buffer);
    alerts = check_rules (self, &comparison, &times);
    if (settings->meta)
      attach (self, buffer, &comparison, alerts);
    if (settings->post_messages && is_due (self, &times, settings->message_interval))
      post (self, &comparison, alerts, &times);
    g_clear_pointer (&alerts, g_array_unref);
    add_to_window (self, &compared, &times, settings->window);
    histo_comparison_clear (&comparison);
    histo_compared_clear (&compared);
  }
  reference_free (reference);
  g_clear_pointer (&regions, g_array_unref);
  histo_pair_meter_post_warning (self->meter);
  return ret;
}

/* Asks what is before both pads. The stream is live if one of the two is, and as late as the later one.
 *
 * Returns: whether that before `sink` has answered */
static gboolean
ask_latency (GstCudaHistoCompare * self, gboolean * live, GstClockTime * min, GstClockTime * max)
{
  GstQuery *of_sink = gst_query_new_latency (), *of_reference = gst_query_new_latency ();
  gboolean other_live = FALSE, ok = gst_pad_peer_query (self->sink.pad, of_sink);
  GstClockTime other_min = 0, other_max = GST_CLOCK_TIME_NONE;

  *live = FALSE;
  *min = 0;
  *max = GST_CLOCK_TIME_NONE;
  if (ok) {
    gst_query_parse_latency (of_sink, live, min, max);
    if (gst_pad_peer_query (self->reference.pad, of_reference))
      gst_query_parse_latency (of_reference, &other_live, &other_min, &other_max);
  }
  if (other_live) {
    *min = *live ? MAX (*min, other_min) : other_min;
    /* The greatest number is no limit. */
    *max = *live ? MIN (*max, other_max) : other_max;
  }
  *live = *live || other_live;
  gst_query_unref (of_sink);
  gst_query_unref (of_reference);
  g_mutex_lock (&self->lock);
  self->is_live = *live;
  self->latency = *min;
  self->is_latency_known = TRUE;
  GST_DEBUG_OBJECT (self, "the streams are %s, their latency is %" GST_TIME_FORMAT, *live ? "live" : "not live",
      GST_TIME_ARGS (*min));
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  return ok;
}

/* Waits for a change, under the lock. Of a live stream until the latency has passed. That is not the pipeline's: what is behind needs
 * the rest of it. Nobody may have asked for the latency yet, because a sink does so when it has got a frame.
 * Returns: FALSE if that has passed */
static gboolean
wait_for_change (GstCudaHistoCompare * self, GstClockTime time)
{
  const gint64 long_wait = g_get_monotonic_time () + LONG_WAIT * G_TIME_SPAN_SECOND;
  GstClockTime min, max;
  GstClock *clock;
  gboolean live;

  if (!self->is_latency_known) {
    g_mutex_unlock (&self->lock);
    ask_latency (self, &live, &min, &max);
    g_mutex_lock (&self->lock);
    return TRUE;
  }
  clock = self->is_live ? gst_element_get_clock (GST_ELEMENT_CAST (self)) : NULL;
  /* A frame without a time has no end of the latency. */
  if (clock != NULL && !GST_CLOCK_TIME_IS_VALID (time))
    gst_clear_object (&clock);
  if (clock != NULL) {
    const GstClockTimeDiff left = GST_CLOCK_DIFF (gst_clock_get_time (clock),
        gst_element_get_base_time (GST_ELEMENT_CAST (self)) + time + self->latency + self->own_latency);

    gst_object_unref (clock);
    return left > 0 && (g_cond_wait_until (&self->changed, &self->lock, g_get_monotonic_time () + left / 1000) || TRUE);
  }
  if (g_cond_wait_until (&self->changed, &self->lock, long_wait) || self->has_warned)
    return TRUE;
  self->has_warned = TRUE;
  g_mutex_unlock (&self->lock);
  GST_ELEMENT_WARNING (self, STREAM, FAILED, ("A frame has waited for the reference for %d s.", LONG_WAIT),
      ("Behind a tee, the branch that arrives first needs a queue as long as the delay of the other one."));
  g_mutex_lock (&self->lock);
  return TRUE;
}

/* Finds the frame's partner. Under the lock.
 * @reference: (out) (transfer full) (nullable): NULL: there is none */
static GstFlowReturn
find_partner (GstCudaHistoCompare * self, const HistoPairTimes * times, Reference ** reference)
{
  gboolean is_late = FALSE;
  HistoPairDecision decision;

  *reference = NULL;
  do {
    if (self->sink.is_flushing)
      return GST_FLOW_FLUSHING;
    decision = histo_pairs_decide (&self->pairs, self->settings.pairing, times, self->reached,
        self->reference.has_ended || is_late || !gst_pad_is_linked (self->reference.pad), (gpointer *) reference);
    /* There may be room for a frame now. */
    g_cond_broadcast (&self->changed);
    if (decision == HISTO_PAIR_WAIT) {
      GST_LOG_OBJECT (self, "frame %" G_GUINT64_FORMAT " waits for the reference", times->number);
      is_late = !wait_for_change (self, times->time);
      if (is_late)
        GST_DEBUG_OBJECT (self, "frame %" G_GUINT64_FORMAT " waits no more: the latency has passed", times->number);
    }
  } while (decision == HISTO_PAIR_WAIT);
  if (*reference != NULL)
    self->n_pairs++;
  else
    self->n_unpaired++;
  GST_LOG_OBJECT (self, "frame %" G_GUINT64_FORMAT " at running time %" GST_TIME_FORMAT ": partner %" GST_PTR_FORMAT,
      times->number, GST_TIME_ARGS (times->time), *reference != NULL ? (*reference)->buffer : NULL);
  return GST_FLOW_OK;
}

static GstFlowReturn
chain_sink (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (parent);
  HistoPairTimes times;
  Reference *reference;
  HistoFloatMode mode;
  GArray *regions;
  Settings settings;
  HistoRules *rules;
  GstFlowReturn ret;

  if (self->caps == NULL) {
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (gst_buffer_get_size (buffer) == 0 && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
    return gst_pad_push (self->srcpad, buffer);
  times = find_times (&self->sink, buffer);

  g_mutex_lock (&self->lock);
  ret = find_partner (self, &times, &reference);
  settings = self->settings;
  settings.measures |= self->rules != NULL ? histo_rules_groups (self->rules) : 0;
  regions = self->regions != NULL ? g_array_ref (self->regions) : NULL;
  rules = self->rules != NULL ? histo_rules_ref (self->rules) : NULL;
  g_mutex_unlock (&self->lock);

  follow_rules (self, rules);
  if (reference != NULL && times.number % settings.every == 0
      && (settings.meta || settings.post_messages || settings.window > 0 || rules != NULL)) {
    mode = histo_float_mode_begin ();
    ret = compare (self, &buffer, reference, &settings, regions);
    histo_float_mode_end (mode);
  } else {
    g_clear_pointer (&reference, reference_free);
    g_clear_pointer (&regions, g_array_unref);
    /* One of an element upstream is none of this. */
    if (settings.meta)
      histo_meta_detach (meta_info, &buffer);
  }
  g_clear_pointer (&rules, histo_rules_unref);
  if (ret == GST_FLOW_OK)
    return gst_pad_push (self->srcpad, buffer);
  gst_buffer_unref (buffer);
  return ret;
}

/* ---- Events -------------------------------------------------------------------------------------- */

static void
set_flushing (GstCudaHistoCompare * self, Stream * stream, gboolean is_flushing)
{
  GST_DEBUG_OBJECT (stream->pad, "flush begins, or the pad stops");
  g_mutex_lock (&self->lock);
  stream->is_flushing = is_flushing;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* @is_segment_done: it has ended so far */
static void
set_ended (GstCudaHistoCompare * self, Stream * stream, gboolean has_ended, gboolean is_segment_done)
{
  if (has_ended)
    GST_DEBUG_OBJECT (stream->pad, "%s ends", is_segment_done ? "the segment" : "the stream");
  g_mutex_lock (&self->lock);
  stream->has_ended = has_ended;
  stream->is_segment_done = is_segment_done;
  /* No frame is left to whom these may belong. */
  if (stream == &self->sink && has_ended)
    histo_pairs_drop (&self->pairs);
  if (stream == &self->sink || !has_ended)
    self->drops_reference = stream == &self->sink && is_segment_done;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* With the pad's thread at rest: a stream begins. */
static void
restart (GstCudaHistoCompare * self, Stream * stream)
{
  GST_DEBUG_OBJECT (stream->pad, "begins anew");
  gst_segment_init (&stream->segment, GST_FORMAT_UNDEFINED);
  stream->n_frames = 0;
  g_mutex_lock (&self->lock);
  stream->has_ended = stream->is_segment_done = stream->is_flushing = FALSE;
  self->drops_reference = FALSE;
  if (stream == &self->reference) {
    clear_history (self);
    histo_pairs_drop (&self->pairs);
    self->reached = GST_CLOCK_TIME_NONE;
  }
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  if (stream != &self->sink)
    return;
  histo_errors_restart (&self->errors);
  end_alerts (self);
  histo_compared_clear (&self->window);
  self->posted_at = GST_CLOCK_TIME_NONE;
}

static void
note_gap (GstCudaHistoCompare * self, GstEvent * event)
{
  const GstSegment *segment = &self->reference.segment;
  GstClockTime start, duration;

  gst_event_parse_gap (event, &start, &duration);
  /* In reverse the start is what is reached last. A stop of GST_CLOCK_TIME_NONE is the greatest number. */
  if (GST_CLOCK_TIME_IS_VALID (duration) && segment->rate > 0 && !g_uint64_checked_add (&start, start, duration))
    start = segment->stop;
  start = CLAMP (start, segment->start, segment->stop);
  g_mutex_lock (&self->lock);
  if (segment->format == GST_FORMAT_TIME)
    self->reached = add_offset (gst_segment_to_running_time (segment, GST_FORMAT_TIME, start), self->settings.offset);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* What an event of any of the two sinks means to its stream. */
static void
note_event (GstCudaHistoCompare * self, Stream * stream, GstEvent * event)
{
  const GstEventType type = GST_EVENT_TYPE (event);

  if (stream == &self->sink && (type == GST_EVENT_EOS || type == GST_EVENT_SEGMENT_DONE
          || type == GST_EVENT_STREAM_START)) {
    finish_window (self);
    end_alerts (self);
  }
  switch (type) {
    case GST_EVENT_FLUSH_START:
      set_flushing (self, stream, TRUE);
      break;
    case GST_EVENT_FLUSH_STOP:
      restart (self, stream);
      break;
    case GST_EVENT_EOS:
      set_ended (self, stream, TRUE, FALSE);
      break;
    case GST_EVENT_SEGMENT_DONE:
      set_ended (self, stream, TRUE, TRUE);
      break;
    case GST_EVENT_STREAM_START:
      set_ended (self, stream, FALSE, FALSE);
      break;
    case GST_EVENT_SEGMENT:
      set_ended (self, stream, FALSE, FALSE);
      gst_event_copy_segment (event, &stream->segment);
      GST_DEBUG_OBJECT (stream->pad, "segment %" GST_SEGMENT_FORMAT, &stream->segment);
      break;
    default:
      break;
  }
}

static gboolean
event_reference (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (parent);
  HistoFormat *frame;
  GstCaps *caps;

  note_event (self, &self->reference, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_GAP) {
    note_gap (self, event);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    GST_DEBUG_OBJECT (pad, "caps %" GST_PTR_FORMAT, caps);
    if (self->reference_caps != NULL && !gst_caps_is_equal (self->reference_caps, caps)) {
      g_mutex_lock (&self->lock);
      clear_history (self);
      g_mutex_unlock (&self->lock);
    }
    gst_caps_replace (&self->reference_caps, caps);
    frame = histo_format_new (caps, NULL);
    note_rate (self, &self->reference, frame);
    g_clear_pointer (&frame, histo_format_unref);
  }
  gst_event_unref (event);
  return TRUE;
}

static gboolean
event_sink (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (parent);
  HistoFormat *frame;
  GError *error = NULL;
  GstCaps *caps;

  note_event (self, &self->sink, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    GST_DEBUG_OBJECT (pad, "caps %" GST_PTR_FORMAT, caps);
    if (self->caps != NULL && !gst_caps_is_equal (self->caps, caps))
      end_alerts (self);
    frame = histo_format_new (caps, &error);
    if (frame == NULL) {
      histo_errors_post (&self->errors, error);
      gst_event_unref (event);
      return FALSE;
    }
    gst_caps_replace (&self->caps, caps);
    note_rate (self, &self->sink, frame);
    histo_format_unref (frame);
  }
  return gst_pad_push_event (self->srcpad, event);
}

/* A seek is for both streams, everything else for that which leaves the element. */
static gboolean
event_src (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    gst_pad_push_event (self->reference.pad, gst_event_ref (event));
  if (GST_EVENT_TYPE (event) == GST_EVENT_LATENCY) {
    /* What is before the element may have changed. */
    g_mutex_lock (&self->lock);
    self->is_latency_known = FALSE;
    g_cond_broadcast (&self->changed);
    g_mutex_unlock (&self->lock);
    gst_pad_push_event (self->reference.pad, gst_event_ref (event));
  }
  return gst_pad_push_event (self->sink.pad, event);
}

/* ---- Queries ------------------------------------------------------------------------------------- */

static gboolean
answer_latency (GstCudaHistoCompare * self, GstQuery * query)
{
  GstClockTime min, max;
  gboolean live;

  if (!ask_latency (self, &live, &min, &max))
    return FALSE;
  if (live) {
    g_mutex_lock (&self->lock);
    min += self->own_latency;
    max = GST_CLOCK_TIME_IS_VALID (max) ? max + self->own_latency : max;
    g_mutex_unlock (&self->lock);
  }
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

/* Neighbours ask for the CUDA context. Returns: whether the query asks for it, and there is one */
static gboolean
answer_context (GstCudaHistoCompare * self, GstQuery * query)
{
  return GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT && histo_pair_meter_answer_context_query (self->meter, query);
}

static gboolean
query_src (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return answer_latency (GST_CUDA_HISTO_COMPARE (parent), query);
  if (answer_context (GST_CUDA_HISTO_COMPARE (parent), query))
    return TRUE;
  return gst_pad_query_default (pad, parent, query);
}

static gboolean
query_sink (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (parent);
  guint crop;

  if (answer_context (self, query))
    return TRUE;
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return gst_pad_query_default (pad, parent, query);
  gst_pad_peer_query (self->srcpad, query);
  /* Upstream crops the frame itself if it can, as with cudahisto. */
  while (gst_query_find_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, &crop))
    gst_query_remove_nth_allocation_meta (query, crop);
  return TRUE;
}

/* Replaces a frame by a copy, if there is memory. @place: (inout) (nullable) */
static void
copy_frame (GstBuffer ** place)
{
  GstBuffer *copy = *place != NULL ? gst_buffer_copy_deep (*place) : NULL;

  if (copy == NULL)
    return;
  gst_buffer_unref (*place);
  *place = copy;
}

static void
copy_frames (gpointer data, gpointer user_data)
{
  Reference *reference = data;

  copy_frame (&reference->buffer);
  for (guint i = 0; i < HISTO_COMPARE_HISTORY; i++)
    copy_frame (&reference->before[i]);
}

/* The queue holds frames: a pool must have that many more. Upstream is not asked for caps that can be compared with those of `sink`:
 * decoders offer any size, although they make one, so frames would be dropped where an error says why; and behind a tee the streams
 * could not change their caps together. */
static gboolean
query_reference (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (parent);
  GstVideoInfo info;
  guint depth;
  GstCaps *caps;

  if (answer_context (self, query))
    return TRUE;
  /* Upstream wants its buffers back, but frames of `sink` are still to come. */
  if (GST_QUERY_TYPE (query) == GST_QUERY_DRAIN) {
    g_mutex_lock (&self->lock);
    histo_pairs_for_each (&self->pairs, copy_frames, NULL);
    for (guint i = 0; i < HISTO_COMPARE_HISTORY; i++)
      copy_frame (&self->history[i]);
    g_mutex_unlock (&self->lock);
    return TRUE;
  }
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return gst_pad_query_default (pad, parent, query);
  gst_query_parse_allocation (query, &caps, NULL);
  g_mutex_lock (&self->lock);
  depth = self->settings.max_in_flight + 2 + (needs_xpsnr (self) ? 1 + HISTO_COMPARE_HISTORY : 0);
  g_mutex_unlock (&self->lock);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  if (caps != NULL && gst_video_info_from_caps (&info, caps))
    gst_query_add_allocation_pool (query, NULL, GST_VIDEO_INFO_SIZE (&info), depth, 0);
  return TRUE;
}

/* What enters `sink` leaves `src`; the reference leaves nowhere. */
static GstIterator *
iterate_links (GstPad * pad, GstObject * parent)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (parent);
  GValue value = G_VALUE_INIT;
  GstIterator *iterator;
  GstPad *other = pad == self->srcpad ? self->sink.pad : pad == self->sink.pad ? self->srcpad : NULL;

  if (other == NULL)
    return gst_iterator_new_single (GST_TYPE_PAD, NULL);
  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, other);
  iterator = gst_iterator_new_single (GST_TYPE_PAD, &value);
  g_value_unset (&value);
  return iterator;
}

/* ---- States -------------------------------------------------------------------------------------- */

static void
warn_of_refusals (GstCudaHistoCompare * self)
{
  static const gchar *const texts[N_REFUSED] = { "Impossible regions", "Impossible rules" };

  histo_post_refusals (GST_ELEMENT_CAST (self), &self->lock, self->refusals, texts, N_REFUSED);
}

static gboolean
activate_mode (GstPad * pad, GstObject * parent, GstPadMode mode, gboolean active)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active)
    restart (self, stream_of (pad));
  else
    set_flushing (self, stream_of (pad), TRUE);
  return TRUE;
}

static void
reset_stats (GstCudaHistoCompare * self)
{
  g_mutex_lock (&self->lock);
  self->n_pairs = self->n_unpaired = self->n_measured = self->n_bytes = self->cpu_time = self->pairs.n_unpaired = 0;
  histo_pair_meter_reset_stats (self->meter);
  self->is_live = self->is_latency_known = FALSE;
  self->latency = 0;
  g_mutex_unlock (&self->lock);
  self->has_warned = self->has_warned_of_meta = FALSE;
}

/* Opens the engine that the settings ask for. */
static gboolean
open_meter (GstCudaHistoCompare * self)
{
  g_autoptr (GError) error = NULL;
  HistoBackend backend;
  gint device_id;

  g_mutex_lock (&self->lock);
  backend = self->settings.backend;
  device_id = self->settings.device_id;
  g_mutex_unlock (&self->lock);
  if (histo_pair_meter_open (self->meter, backend, device_id, &error))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND, ("backend=cuda cannot be used: %s.", error->message),
      ("%s", error->message));
  return FALSE;
}

static void
set_context (GstElement * element, GstContext * context)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (element);
  gint device_id;

  g_mutex_lock (&self->lock);
  device_id = self->settings.device_id;
  g_mutex_unlock (&self->lock);
  histo_pair_meter_set_context (self->meter, device_id, context);
  GST_ELEMENT_CLASS (gst_cuda_histo_compare_parent_class)->set_context (element, context);
}

static GstStateChangeReturn
change_state (GstElement * element, GstStateChange transition)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY)
    warn_of_refusals (self);
  if (transition == GST_STATE_CHANGE_NULL_TO_READY || transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    if (!open_meter (self))
      return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    reset_stats (self);
  result = GST_ELEMENT_CLASS (gst_cuda_histo_compare_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL && result != GST_STATE_CHANGE_FAILURE) {
    histo_pair_meter_close (self->meter);
    histo_pair_meter_post_warning (self->meter);
  }
  if (transition != GST_STATE_CHANGE_PAUSED_TO_READY || result == GST_STATE_CHANGE_FAILURE)
    return result;
  /* No thread of a pad is in here any more. */
  g_mutex_lock (&self->lock);
  histo_pairs_drop (&self->pairs);
  clear_history (self);
  /* The next streams have other rates. */
  self->sink.frame_duration = self->reference.frame_duration = GST_CLOCK_TIME_NONE;
  self->own_latency = 0;
  g_mutex_unlock (&self->lock);
  gst_clear_caps (&self->reference_caps);
  histo_pair_meter_forget (self->meter);
  gst_clear_caps (&self->caps);
  histo_compared_clear (&self->window);
  g_clear_pointer (&self->rule_states, histo_rule_states_free);
  g_clear_pointer (&self->followed, histo_rules_unref);
  return result;
}

/* ---- Properties ---------------------------------------------------------------------------------- */

/* All but xpsnr, which takes the most time. */
#define DEFAULT_MEASURES ((1u << HISTO_COMPARISON_INDEX_XPSNR) - 1)

static const Settings default_settings = {
  .backend = HISTO_BACKEND_AUTO,
  .device_id = -1,
  .measures = DEFAULT_MEASURES,
  .pairing = HISTO_PAIRING_TIME,
  .meta = TRUE,
  .every = 1,
  .max_in_flight = 4,
};

static const GFlagsValue measures[] = {
#define MEASURE(identifier, name, description) \
  {1u << HISTO_COMPARISON_INDEX_##identifier, description, name},
  HISTO_COMPARISON_MEASURES (MEASURE)
#undef MEASURE
  {0, NULL, NULL}
};

static const GEnumValue backends[] = {
  {HISTO_BACKEND_AUTO, "CUDA for frames in CUDA memory if there is a usable device, else the CPU", "auto"},
  {HISTO_BACKEND_CUDA, "CUDA, or an error", "cuda"},
  {HISTO_BACKEND_CPU, "The CPU", "cpu"},
  {0, NULL, NULL}
};

static const GEnumValue pairings[] = {
  {HISTO_PAIRING_TIME, "The frame that is nearest in running time, at most half a frame away", "time"},
  {HISTO_PAIRING_ORDER, "Frame n with frame n, counted from the latest flush", "order"},
  {0, NULL, NULL}
};

#define READY GST_PARAM_MUTABLE_READY
#define PLAYING GST_PARAM_MUTABLE_PLAYING
#define ROW(type, member, name, nick, least, most, type_name, values, mutability, blurb) \
  {HISTO_PROPERTY_##type, name, nick, blurb, G_STRUCT_OFFSET (Settings, member), least, most, type_name, values, mutability},

/* *INDENT-OFF* */
static const HistoProperty properties[] = {
  ROW (ENUM, backend, "backend", "Backend", 0, 0, "GstCudaHistoCompareBackend", backends, READY,
      "Engine that compares the frames")
  ROW (INT, device_id, "cuda-device-id", "CUDA device ID", -1, G_MAXINT, NULL, NULL, READY | HISTO_PARAM_SENSITIVE,
      "CUDA device to compare on (-1 = the device of the frames, or of the pipeline's CUDA context)")
  ROW (FLAGS, measures, "measures", "Measures", 0, 0, "GstCudaHistoCompareMeasures", measures, PLAYING,
      "What is compared")
  ROW (ENUM, pairing, "pairing", "Pairing", 0, 0, "GstCudaHistoComparePairing", pairings, PLAYING,
      "Which frame of the reference belongs to a frame")
  ROW (INT64, offset, "offset", "Offset", 0, 0, NULL, NULL, PLAYING,
      "Added to the running time of the reference's frames, in ns")
  ROW (BOOLEAN, meta, "meta", "Meta", 0, 0, NULL, NULL, PLAYING,
      "Attach the result to each frame")
  ROW (BOOLEAN, post_messages, "post-messages", "Post messages", 0, 0, NULL, NULL, PLAYING,
      "Post an element message for each result")
  ROW (UINT64, message_interval, "message-interval", "Message interval", 0, 0, NULL, NULL, PLAYING,
      "Shortest running time between two messages, in ns (0 = each result)")
  /**
   * GstCudaHistoCompare:interval:
   *
   * The former name of #GstCudaHistoCompare:message-interval.
   *
   * Deprecated: 1.0: Use #GstCudaHistoCompare:message-interval instead.
   */
  ROW (UINT64, message_interval, "interval", "Interval", 0, 0, NULL, NULL, PLAYING | G_PARAM_DEPRECATED,
      "The former name of message-interval")
  ROW (UINT64, window, "window", "Window", 0, 0, NULL, NULL, PLAYING,
      "Post a cudahisto-compare-window message for each span of stream time of this length, in ns (0 = none)")
  ROW (UINT, every, "every", "Every", 1, G_MAXUINT, NULL, NULL, PLAYING,
      "Compare one frame in this many; the others pass without a result")
  ROW (UINT, max_in_flight, "max-in-flight", "Maximum in flight", 1, 64, NULL, NULL, PLAYING,
      "Most frames of the reference that wait for their partners")
};
/* *INDENT-ON* */

/* The number of a property of the table is its place there and 1. */
enum
{
  PROP_REGIONS = G_N_ELEMENTS (properties) + 1,
  PROP_RULES,
  PROP_ACTIVE_BACKEND,
  PROP_STATS
};

static void
refuse (GstCudaHistoCompare * self, Refused what, const gchar * why)
{
  g_mutex_lock (&self->lock);
  g_free (self->refusals[what]);
  self->refusals[what] = g_strdup (why);
  g_mutex_unlock (&self->lock);
  warn_of_refusals (self);
}

/* Keeps the old regions if the text is none. */
static void
set_regions (GstCudaHistoCompare * self, const gchar * text)
{
  GError *error = NULL;
  GArray *regions = histo_region_specs_parse (text, &error), *old;

  if (error != NULL) {
    refuse (self, REFUSED_REGIONS, error->message);
    g_error_free (error);
    return;
  }
  g_mutex_lock (&self->lock);
  old = self->regions;
  self->regions = regions;
  g_free (self->regions_text);
  self->regions_text = g_strdup (text);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&old, g_array_unref);
}

/* Keeps the old rules if the text has none. */
static void
set_rules (GstCudaHistoCompare * self, const gchar * text)
{
  GError *error = NULL;
  guint line, column;
  HistoRules *rules = histo_rules_parse (text, HISTO_RULES_OF_COMPARISON, &line, &column, &error), *old;

  if (rules == NULL) {
    g_autofree gchar *why = g_strdup_printf ("line %u, column %u: %s", line, column, error->message);

    refuse (self, REFUSED_RULES, why);
    g_error_free (error);
    return;
  }
  if (histo_rules_get_n (rules) == 0)
    g_clear_pointer (&rules, histo_rules_unref);
  g_mutex_lock (&self->lock);
  old = self->rules;
  /* The same rules go on. */
  if (g_strcmp0 (self->rules_text, text) != 0) {
    self->rules = rules;
    g_free (self->rules_text);
    self->rules_text = g_strdup (text);
  } else {
    old = rules;
  }
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&old, histo_rules_unref);
}

static void
set_property (GObject * object, guint id, const GValue * value, GParamSpec * spec)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (object);
  gboolean had_xpsnr, has_xpsnr;

  g_mutex_lock (&self->lock);
  had_xpsnr = needs_xpsnr (self);
  if (id < PROP_REGIONS)
    histo_property_set (&properties[id - 1], &self->settings, value);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  if (id == PROP_REGIONS)
    set_regions (self, g_value_get_string (value));
  else if (id == PROP_RULES)
    set_rules (self, g_value_get_string (value));
  else if (id > PROP_RULES)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  g_mutex_lock (&self->lock);
  has_xpsnr = needs_xpsnr (self);
  g_mutex_unlock (&self->lock);
  /* The pool of the reference needs more buffers. */
  if (has_xpsnr && !had_xpsnr)
    gst_pad_push_event (self->reference.pad, gst_event_new_reconfigure ());
}

static GstStructure *
make_stats (const GstCudaHistoCompare * self)
{
  guint64 n_fallbacks, gpu_time;

  histo_pair_meter_get_stats (self->meter, &n_fallbacks, &gpu_time);
  return gst_structure_new ("cudahisto-compare-stats", "frames", G_TYPE_UINT64, self->n_measured,
      "bytes", G_TYPE_UINT64, self->n_bytes, "pairs", G_TYPE_UINT64, self->n_pairs,
      "unpaired", G_TYPE_UINT64, self->n_unpaired, "unpaired-reference", G_TYPE_UINT64, self->pairs.n_unpaired,
      "fallbacks", G_TYPE_UINT64, n_fallbacks, "gpu-time", G_TYPE_UINT64, gpu_time,
      "cpu-time", G_TYPE_UINT64, self->cpu_time, "queue-level", G_TYPE_UINT, histo_pairs_length (&self->pairs), NULL);
}

static void
get_property (GObject * object, guint id, GValue * value, GParamSpec * spec)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (object);

  g_mutex_lock (&self->lock);
  if (id == PROP_REGIONS)
    g_value_set_string (value, self->regions_text);
  else if (id == PROP_RULES)
    g_value_set_string (value, self->rules_text);
  else if (id == PROP_ACTIVE_BACKEND)
    g_value_set_string (value, histo_pair_meter_active_backend (self->meter));
  else if (id == PROP_STATS)
    g_value_take_boxed (value, make_stats (self));
  else if (id < PROP_REGIONS)
    histo_property_get (&properties[id - 1], &self->settings, value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  g_mutex_unlock (&self->lock);
}

static void
finalize (GObject * object)
{
  GstCudaHistoCompare *self = GST_CUDA_HISTO_COMPARE (object);

  histo_pair_meter_free (self->meter);
  histo_pairs_drop (&self->pairs);
  g_clear_pointer (&self->regions, g_array_unref);
  g_free (self->regions_text);
  g_clear_pointer (&self->rules, histo_rules_unref);
  g_free (self->rules_text);
  for (guint i = 0; i < N_REFUSED; i++)
    g_free (self->refusals[i]);
  g_array_unref (self->rule_events);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  G_OBJECT_CLASS (gst_cuda_histo_compare_parent_class)->finalize (object);
}

/* ---- Class --------------------------------------------------------------------------------------- */

static void
install_properties (GObjectClass * klass)
{
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++)
    g_object_class_install_property (klass, 1 + i, histo_property_new_spec (&properties[i], &default_settings));
  g_object_class_install_property (klass, PROP_REGIONS, g_param_spec_string ("regions", "Regions",
          "At most 64 rectangles of the picture to compare, too, separated by ;. Each is name=x,y,width,height, in "
          "pixels or with %", NULL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | PLAYING));
  g_object_class_install_property (klass, PROP_RULES, g_param_spec_string ("rules", "Rules",
          "What must hold, separated by ; as in \"bad: Y.psnr > 35 for 1 s\". While a rule is broken, a cudahisto-alert of "
          "the type rule is open. Measures that the rules need are made", NULL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | PLAYING));
  g_object_class_install_property (klass, PROP_ACTIVE_BACKEND, g_param_spec_string ("active-backend", "Active backend",
          "Engine that compared the latest frame: cuda or cpu; NULL before the first one", NULL,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
          "Counters: frames, bytes, pairs, unpaired, unpaired-reference, fallbacks, gpu-time and cpu-time (ns), "
          "queue-level",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

static void
gst_cuda_histo_compare_class_init (GstCudaHistoCompareClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstCaps *caps = gst_caps_from_string (HISTO_VIDEO_CAPS);

  histo_log_init ();
  histo_write_init ();
  meta_info = histo_meta_register (HISTO_COMPARISON_NAME);
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  element_class->change_state = GST_DEBUG_FUNCPTR (change_state);
  element_class->set_context = GST_DEBUG_FUNCPTR (set_context);
  install_properties (object_class);
  gst_element_class_add_pad_template (element_class, gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("reference", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (element_class, gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref (caps);
  gst_element_class_set_static_metadata (element_class, "Comparison with a reference", "Filter/Analyzer/Video",
      "Compares video with a reference, frame by frame: differing samples, PSNR, SSIM, XPSNR", "The cudahisto authors");
  HISTO_MARK_UNTRUSTED_AWARE (element_class);
}

static void
add_sink (GstCudaHistoCompare * self, Stream * stream, const gchar * name, GstPadChainFunction chain,
    GstPadEventFunction event, GstPadQueryFunction query)
{
  GstPadTemplate *template = gst_element_get_pad_template (GST_ELEMENT_CAST (self), name);

  stream->pad = gst_pad_new_from_template (template, name);
  gst_pad_set_element_private (stream->pad, stream);
  gst_pad_set_chain_function (stream->pad, chain);
  gst_pad_set_event_function (stream->pad, event);
  gst_pad_set_query_function (stream->pad, query);
  gst_pad_set_activatemode_function (stream->pad, GST_DEBUG_FUNCPTR (activate_mode));
  gst_pad_set_iterate_internal_links_function (stream->pad, GST_DEBUG_FUNCPTR (iterate_links));
  gst_element_add_pad (GST_ELEMENT_CAST (self), stream->pad);
}

/* What waits for the reference waits no more, and so does its thread. */
static void
wake (GstPad * pad, GstPad * peer, GstCudaHistoCompare * self)
{
  g_mutex_lock (&self->lock);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static void
gst_cuda_histo_compare_init (GstCudaHistoCompare * self)
{
  self->settings = default_settings;
  self->rule_events = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));
  histo_errors_init (&self->errors, GST_ELEMENT_CAST (self));
  self->meter = histo_pair_meter_new (GST_ELEMENT_CAST (self));
  self->reached = self->posted_at = GST_CLOCK_TIME_NONE;
  self->sink.frame_duration = self->reference.frame_duration = GST_CLOCK_TIME_NONE;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->srcpad = gst_pad_new_from_template (gst_element_get_pad_template (GST_ELEMENT_CAST (self), "src"), "src");
  gst_pad_set_event_function (self->srcpad, GST_DEBUG_FUNCPTR (event_src));
  gst_pad_set_query_function (self->srcpad, GST_DEBUG_FUNCPTR (query_src));
  gst_pad_set_iterate_internal_links_function (self->srcpad, GST_DEBUG_FUNCPTR (iterate_links));
  add_sink (self, &self->sink, "sink", GST_DEBUG_FUNCPTR (chain_sink), GST_DEBUG_FUNCPTR (event_sink),
      GST_DEBUG_FUNCPTR (query_sink));
  add_sink (self, &self->reference, "reference", GST_DEBUG_FUNCPTR (chain_reference),
      GST_DEBUG_FUNCPTR (event_reference), GST_DEBUG_FUNCPTR (query_reference));
  g_signal_connect (self->reference.pad, "unlinked", G_CALLBACK (wake), self);
  GST_PAD_SET_PROXY_CAPS (self->sink.pad);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT_CAST (self), self->srcpad);
}
