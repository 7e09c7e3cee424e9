/* The element as a flow: buffers, events and queries, in order, through a queue.
 *
 * Upstream's thread starts the measuring of a buffer and queues it; the source pad's
 * task waits for the oldest, attaches its result and pushes it. So a buffer leaves as
 * soon as its own result is there, and up to max-in-flight are measured meanwhile.
 * Serialized events and queries go through the same queue and overtake nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/cudahisto.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

typedef struct
{
  GstMiniObject *object;        /* a buffer, an event, or a query (not owned) */
  gboolean is_measured;         /* a buffer that the engine has */
  HistoJob job;
  gboolean *answer;             /* where the query's sender waits for its answer */
  gboolean is_passed_at_once;   /* by upstream's thread */
} QueueItem;

/* TRUE the first time after each start: whoever goes on pushing after an error must
 * not hear of it again and again. */
static gboolean
is_first_error (GstCudaHisto * self)
{
  gboolean is_first;

  GST_OBJECT_LOCK (self);
  is_first = !self->error_posted;
  self->error_posted = TRUE;
  GST_OBJECT_UNLOCK (self);
  return is_first;
}

/* Takes the error. */
void
gst_cuda_histo_post_error (GstCudaHisto * self, GError * error)
{
  if (is_first_error (self))
    gst_element_message_full (GST_ELEMENT_CAST (self), GST_MESSAGE_ERROR,
        error->domain, error->code, g_strdup (error->message), NULL, __FILE__,
        GST_FUNCTION, __LINE__);
  g_error_free (error);
}

/* ---- The queue ---------------------------------------------------------------------- */

/* What a query's answer is while nobody has given it. */
#define NO_ANSWER (-1)

static void
take_flow (GstCudaHisto * self, GstFlowReturn flow)
{
  g_mutex_lock (&self->queue_lock);
  self->flow = flow;
  histo_condition_broadcast (&self->queue_changed);
  g_mutex_unlock (&self->queue_lock);
}

static void
buffer_left (GstCudaHisto * self)
{
  g_mutex_lock (&self->queue_lock);
  self->n_in_flight--;
  if ((gint) self->n_in_flight <= self->awaited_in_flight)
    histo_condition_broadcast (&self->queue_changed);
  g_mutex_unlock (&self->queue_lock);
}

/* Whether an item is kept although downstream takes nothing at present: what describes
 * the stream must not be missing if it is linked again. */
static gboolean
outlives_errors (const QueueItem * item)
{
  return GST_IS_EVENT (item->object) && GST_EVENT_IS_STICKY (item->object)
      && GST_EVENT_TYPE (item->object) != GST_EVENT_EOS;
}

/* Queues an item, unless downstream refuses any. */
static GstFlowReturn
enqueue (GstCudaHisto * self, QueueItem * item)
{
  GstFlowReturn flow;

  g_mutex_lock (&self->queue_lock);
  flow = self->flow;
  if (flow != GST_FLOW_FLUSHING && outlives_errors (item))
    flow = GST_FLOW_OK;
  if (flow == GST_FLOW_OK) {
    g_queue_push_tail (&self->queue, item);
    histo_condition_broadcast (&self->queue_changed);
  }
  g_mutex_unlock (&self->queue_lock);
  return flow;
}

static void
drop_buffer (GstCudaHisto * self, QueueItem * item)
{
  if (item->is_measured)
    histo_meter_release (self->meter, &item->job);
  gst_mini_object_unref (item->object);
  buffer_left (self);
}

/* Sticky events are kept on the pad, as `queue` does, so that a flush loses no caps. */
static void
drop_event (GstCudaHisto * self, GstEvent * event, gboolean keep_sticky)
{
  if (keep_sticky && GST_EVENT_IS_STICKY (event)
      && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT
      && GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    gst_pad_store_sticky_event (self->srcpad, event);
  gst_event_unref (event);
}

/* Drops what is queued. */
static void
clear_queue (GstCudaHisto * self, gboolean keep_sticky)
{
  QueueItem *item;

  g_mutex_lock (&self->queue_lock);
  while ((item = g_queue_pop_head (&self->queue)) != NULL) {
    g_mutex_unlock (&self->queue_lock);
    if (GST_IS_BUFFER (item->object)) {
      drop_buffer (self, item);
    } else if (GST_IS_EVENT (item->object)) {
      drop_event (self, GST_EVENT_CAST (item->object), keep_sticky);
    }
    /* A query is its sender's, who sees the flow and gives up. */
    g_free (item);
    g_mutex_lock (&self->queue_lock);
  }
  g_mutex_unlock (&self->queue_lock);
}

static gboolean
begins_segment (const QueueItem * item)
{
  return GST_IS_EVENT (item->object)
      && (GST_EVENT_TYPE (item->object) == GST_EVENT_SEGMENT
      || GST_EVENT_TYPE (item->object) == GST_EVENT_STREAM_START);
}

static gboolean
is_eos (const QueueItem * item)
{
  return GST_IS_EVENT (item->object)
      && GST_EVENT_TYPE (item->object) == GST_EVENT_EOS;
}

/* Whether such an item is queued; under the queue lock. */
static gboolean
is_queued (GstCudaHisto * self, gboolean (*is_such) (const QueueItem * item))
{
  for (GList * link = self->queue.head; link != NULL; link = link->next) {
    if (is_such (link->data))
      return TRUE;
  }
  return FALSE;
}

/* ---- Upstream's side ------------------------------------------------------------------- */

/* Waits until at most n buffers are in flight, or downstream refuses more, or the monotonic
 * time `end` has come, unless that is negative; under the queue lock. */
static GstFlowReturn
wait_for_departures (GstCudaHisto * self, guint n, gint64 end)
{
  self->awaited_in_flight = n;
  while (self->flow == GST_FLOW_OK && self->n_in_flight > n
      && histo_condition_wait_until (&self->queue_changed, &self->queue_lock,
          end));
  self->awaited_in_flight = -1;
  return self->flow;
}

static GstFlowReturn
wait_for_in_flight (GstCudaHisto * self, guint n)
{
  GstFlowReturn flow;

  g_mutex_lock (&self->queue_lock);
  flow = wait_for_departures (self, n, -1);
  g_mutex_unlock (&self->queue_lock);
  return flow;
}

/* Waits until another buffer may be in flight, and counts it as such. Being woken takes
 * longer than a small buffer does: so who has to wait does it for more than one of many,
 * if these come soon. */
#define SOON 50                 /* us */

static GstFlowReturn
take_place (GstCudaHisto * self)
{
  const guint most = self->configured_in_flight - 1;
  GstFlowReturn flow;

  g_mutex_lock (&self->queue_lock);
  flow = self->flow;
  if (flow == GST_FLOW_OK && self->n_in_flight > most) {
    wait_for_departures (self, most - most / 3, g_get_monotonic_time () + SOON);
    flow = wait_for_departures (self, most, -1);
  }
  if (flow == GST_FLOW_OK && self->downstream_is_eos
      && !is_queued (self, begins_segment))
    flow = GST_FLOW_EOS;
  if (flow == GST_FLOW_OK)
    self->n_in_flight++;
  g_mutex_unlock (&self->queue_lock);
  return flow;
}

/* Whoever goes on after this error must not meet an engine half made, nor counts that half a
 * launch may have left behind. Takes the error. */
GstFlowReturn
gst_cuda_histo_fail_unconfigured (GstCudaHisto * self, GError * error)
{
  GST_OBJECT_LOCK (self);
  self->must_configure = TRUE;
  GST_OBJECT_UNLOCK (self);
  gst_cuda_histo_post_error (self, error);
  return GST_FLOW_ERROR;
}

/* Configures the engines for the format and the settings, once all that was measured
 * for others has left. */
static GstFlowReturn
configure (GstCudaHisto * self)
{
  GstFlowReturn flow = wait_for_in_flight (self, 0);
  GstCudaHistoSettings settings;
  GError *error = NULL;

  if (flow != GST_FLOW_OK)
    return flow;

  GST_OBJECT_LOCK (self);
  self->must_configure = FALSE;
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);

  if (!histo_bin_settings_valid (&settings.bins)) {
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("range-min was set without a range-max above it."),
        ("the format's own range is used"));
    settings.bins.range_min = settings.bins.range_max = 0;
  }
  self->configured_in_flight = settings.max_in_flight;
  if (histo_meter_configure (self->meter, self->format, &settings.bins,
          settings.max_in_flight, &error))
    return GST_FLOW_OK;
  return gst_cuda_histo_fail_unconfigured (self, error);
}

static gboolean
must_configure (GstCudaHisto * self)
{
  gboolean must;

  GST_OBJECT_LOCK (self);
  must = self->must_configure;
  GST_OBJECT_UNLOCK (self);
  return must;
}

/* Whether nobody wants a result. */
static gboolean
is_passthrough (GstCudaHisto * self)
{
  GstCudaHistoSettings settings = gst_cuda_histo_get_settings (self);

  return !settings.meta && !settings.post_messages;
}

/* Whether there is something to measure, and anybody who wants to know. */
static gboolean
is_to_be_measured (GstCudaHisto * self, GstBuffer * buffer)
{
  if (is_passthrough (self))
    return FALSE;
  /* A gap without a picture stands for a frame that is not there. */
  return self->format->is_audio || gst_buffer_get_size (buffer) > 0
      || !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP);
}

static GstFlowReturn
start_measuring (GstCudaHisto * self, GstBuffer * buffer, HistoJob * job)
{
  GError *error = NULL;

  if (histo_meter_must_follow (self->meter, buffer)) {
    /* All but this one. */
    GstFlowReturn flow = wait_for_in_flight (self, 1);

    if (flow != GST_FLOW_OK)
      return flow;
    if (!histo_meter_follow (self->meter, buffer, &error))
      return gst_cuda_histo_fail_unconfigured (self, error);
  }
  if (histo_meter_submit (self->meter, buffer, job, &error))
    return GST_FLOW_OK;
  return gst_cuda_histo_fail_unconfigured (self, error);
}

/* Starts the measuring of a buffer, which then is in flight, unless this fails. */
static GstFlowReturn
prepare_item (GstCudaHisto * self, GstBuffer * buffer, QueueItem * item)
{
  GstFlowReturn flow;

  if (self->format == NULL) {
    if (is_first_error (self))
      GST_ELEMENT_ERROR (self, CORE, NEGOTIATION, (NULL),
          ("a buffer came before any caps"));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (must_configure (self)) {
    flow = configure (self);
    if (flow != GST_FLOW_OK)
      return flow;
  }
  /* The engines must not be configured before this is given back. */
  flow = take_place (self);
  if (flow != GST_FLOW_OK)
    return flow;
  item->is_measured = is_to_be_measured (self, buffer)
      && !gst_cuda_histo_qos_skips (self, buffer);
  if (item->is_measured)
    flow = start_measuring (self, buffer, &item->job);
  if (flow != GST_FLOW_OK)
    buffer_left (self);
  return flow;
}

/* Whether all that came before has been passed on; under the queue lock. */
static gboolean
all_has_left (GstCudaHisto * self)
{
  return self->flow == GST_FLOW_OK && g_queue_is_empty (&self->queue)
      && !self->task_is_busy && !self->downstream_is_eos;
}

static gboolean
is_idle (GstCudaHisto * self)
{
  gboolean idle;

  g_mutex_lock (&self->queue_lock);
  idle = all_has_left (self);
  g_mutex_unlock (&self->queue_lock);
  return idle;
}

/* A downstream that takes no longer for nearly every buffer would wait for another thread
 * to be woken more than it gains from having one. So many more quick ones than slow ones must
 * there have been, each of these as much as several of those: one thread that is put
 * aside for a moment changes nothing, but a downstream does that is slow for one in nine. */
#define QUICK_PUSH 50           /* us */
#define ENOUGH_QUICK 16
#define MOST_QUICK (2 * ENOUGH_QUICK)
#define QUICK_FOR_A_SLOW 8

/* Under the queue lock. */
static void
note_push (GstCudaHisto * self, gint64 duration)
{
  if (duration <= QUICK_PUSH)
    self->n_quick = MIN (self->n_quick + 1, MOST_QUICK);
  else
    self->n_quick -= MIN (self->n_quick, QUICK_FOR_A_SLOW);
}

/* An upstream that is here again at once would be held up by a result more than it takes to
 * wake another thread, which then does half of the work. One that is put aside for a moment
 * changes nothing; one that waits for anything, such as for the next frame's time, is in no
 * hurry from its first buffers on. */
#define SHORT_REST 50           /* us */
#define ENOUGH_HURRIED 8
#define MOST_HURRIED (2 * ENOUGH_HURRIED)
#define HURRIED_FOR_A_REST 4

/* Under the queue lock. */
static void
note_arrival (GstCudaHisto * self, gint64 rest)
{
  if (rest <= SHORT_REST)
    self->n_hurried = MIN (self->n_hurried + 1, MOST_HURRIED);
  else
    self->n_hurried -= MIN (self->n_hurried, HURRIED_FOR_A_REST);
}

static gboolean only_posts (GstCudaHisto * self);
static GstFlowReturn pass_buffer (GstCudaHisto * self, QueueItem * item);

/* Whether upstream's own thread passes on the buffer, which has just been submitted: its
 * result is there in no time, downstream is quick, upstream has time, and nothing is to leave
 * before.
 * @rest: how long upstream was away, us */
static gboolean
is_to_be_passed_at_once (GstCudaHisto * self, const QueueItem * item,
    gint64 rest)
{
  gboolean may;

  g_mutex_lock (&self->queue_lock);
  note_arrival (self, rest);
  may = self->n_quick >= ENOUGH_QUICK && self->n_hurried < ENOUGH_HURRIED
      && all_has_left (self);
  g_mutex_unlock (&self->queue_lock);
  return may && item->is_measured && !only_posts (self)
      && histo_meter_is_prompt (self->meter, &item->job);
}

static GstFlowReturn
take_buffer (GstCudaHisto * self, GstBuffer * buffer, gint64 rest)
{
  QueueItem *item = g_new0 (QueueItem, 1);
  GstFlowReturn flow;

  flow = prepare_item (self, buffer, item);
  if (flow != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    g_free (item);
    return flow;
  }

  item->object = GST_MINI_OBJECT_CAST (buffer);
  item->is_passed_at_once = is_to_be_passed_at_once (self, item, rest);
  if (item->is_passed_at_once) {
    flow = pass_buffer (self, item);
    g_free (item);
    return flow;
  }
  flow = enqueue (self, item);
  if (flow != GST_FLOW_OK) {
    drop_buffer (self, item);
    g_free (item);
  }
  return flow;
}

static GstFlowReturn
gst_cuda_histo_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstCudaHisto *self = GST_CUDA_HISTO (parent);
  GstFlowReturn flow;

  /* As if there were no element. */
  if (self->format != NULL && is_passthrough (self) && is_idle (self))
    return gst_pad_push (self->srcpad, buffer);

  flow = take_buffer (self, buffer, g_get_monotonic_time () - self->let_go);
  self->let_go = g_get_monotonic_time ();
  return flow;
}

/* ---- Events ------------------------------------------------------------------------------- */

static GstFlowReturn
take_caps (GstCudaHisto * self, GstEvent * event)
{
  HistoFormat *format;
  GError *error = NULL;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  format = histo_format_new (caps, &error);
  if (format == NULL) {
    gst_cuda_histo_post_error (self, error);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  g_clear_pointer (&self->format, histo_format_unref);
  self->format = format;

  GST_OBJECT_LOCK (self);
  self->must_configure = TRUE;
  self->frame_duration = 0;
  if (!format->is_audio && GST_VIDEO_INFO_FPS_N (&format->video) > 0)
    self->frame_duration = gst_util_uint64_scale_int (GST_SECOND,
        GST_VIDEO_INFO_FPS_D (&format->video),
        GST_VIDEO_INFO_FPS_N (&format->video));
  GST_OBJECT_UNLOCK (self);
  return configure (self);
}

static GstFlowReturn
enqueue_event (GstCudaHisto * self, GstEvent * event)
{
  QueueItem *item;
  GstFlowReturn flow;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    flow = take_caps (self, event);
    /* Not linked: the engines are configured with the next buffer. */
    if (flow != GST_FLOW_OK && flow != GST_FLOW_NOT_LINKED) {
      gst_event_unref (event);
      return flow;
    }
  }

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    gst_event_copy_segment (event, &self->sink_segment);
  item = g_new0 (QueueItem, 1);
  item->object = GST_MINI_OBJECT_CAST (event);
  flow = enqueue (self, item);
  if (flow == GST_FLOW_OK)
    return flow;

  /* Upstream has ended before it could learn of the error from a buffer. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS
      && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS)
      && is_first_error (self))
    GST_ELEMENT_FLOW_ERROR (self, flow);
  gst_event_unref (event);
  g_free (item);
  return flow;
}

static void
stop_flow (GstCudaHisto * self)
{
  take_flow (self, GST_FLOW_FLUSHING);
  /* Waits for the task to have noticed, and for the reports. */
  gst_pad_pause_task (self->srcpad);
  gst_cuda_histo_settle_reports (self);
}

static void gst_cuda_histo_loop (gpointer user_data);

/* From rest; unless the source pad is not active, or no longer. */
static void
start_flow (GstCudaHisto * self)
{
  GST_OBJECT_LOCK (self);
  self->error_posted = FALSE;
  GST_OBJECT_UNLOCK (self);
  gst_cuda_histo_qos_reset (self);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  gst_segment_init (&self->sink_segment, GST_FORMAT_UNDEFINED);
  self->last_message = GST_CLOCK_TIME_NONE;

  g_mutex_lock (&self->queue_lock);
  if (self->src_is_active) {
    self->flow = GST_FLOW_OK;
    self->eos_seen = FALSE;
    self->downstream_is_eos = FALSE;
    self->n_quick = self->n_hurried = 0;
    gst_pad_start_task (self->srcpad, gst_cuda_histo_loop, self, NULL);
  }
  g_mutex_unlock (&self->queue_lock);
}

/* Under the lock, so that nobody starts what is just being stopped for good. */
static void
set_src_active (GstCudaHisto * self, gboolean active)
{
  g_mutex_lock (&self->queue_lock);
  self->src_is_active = active;
  if (!active)
    self->flow = GST_FLOW_FLUSHING;
  histo_condition_broadcast (&self->queue_changed);
  g_mutex_unlock (&self->queue_lock);
}

static GstFlowReturn
gst_cuda_histo_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstCudaHisto *self = GST_CUDA_HISTO (parent);
  gboolean ok;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      ok = gst_pad_push_event (self->srcpad, event);
      stop_flow (self);
      break;
    case GST_EVENT_FLUSH_STOP:
      /* Also where no start came before: the task must not meet a queue half cleared. */
      stop_flow (self);
      clear_queue (self, TRUE);
      ok = gst_pad_push_event (self->srcpad, event);
      start_flow (self);
      break;
    default:
      if (GST_EVENT_IS_SERIALIZED (event))
        return enqueue_event (self, event);
      ok = gst_pad_push_event (self->srcpad, event);
      break;
  }
  return ok ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static gboolean
gst_cuda_histo_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstCudaHisto *self = GST_CUDA_HISTO (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS)
    gst_cuda_histo_qos_take_event (self, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    /* Linked again: try again. */
    g_mutex_lock (&self->queue_lock);
    self->was_relinked = TRUE;
    if (self->flow == GST_FLOW_NOT_LINKED) {
      self->flow = GST_FLOW_OK;
      gst_pad_start_task (pad, gst_cuda_histo_loop, self, NULL);
    }
    g_mutex_unlock (&self->queue_lock);
  }
  return gst_pad_event_default (pad, parent, event);
}

/* ---- Queries -------------------------------------------------------------------------------- */

static gboolean
query_in_order (GstCudaHisto * self, GstQuery * query)
{
  gboolean answer = NO_ANSWER;
  QueueItem *item = g_new0 (QueueItem, 1);

  item->object = GST_MINI_OBJECT_CAST (query);
  item->answer = &answer;
  if (enqueue (self, item) != GST_FLOW_OK) {
    g_free (item);
    return FALSE;
  }

  g_mutex_lock (&self->queue_lock);
  /* The task may have taken the item: then its answer must be waited for, whatever
   * the flow, because the query is in use. */
  while (answer == NO_ANSWER) {
    if (self->flow != GST_FLOW_OK && g_queue_remove (&self->queue, item)) {
      g_free (item);
      answer = FALSE;
      break;
    }
    if (self->flow != GST_FLOW_OK && !self->task_is_busy) {
      answer = FALSE;
      break;
    }
    histo_condition_wait (&self->queue_changed, &self->queue_lock);
  }
  g_mutex_unlock (&self->queue_lock);
  return answer;
}

static gboolean
gst_cuda_histo_sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstCudaHisto *self = GST_CUDA_HISTO (parent);

  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT
      && histo_meter_answer_context_query (self->meter, query))
    return TRUE;
  if (GST_QUERY_IS_SERIALIZED (query))
    return query_in_order (self, query);
  return gst_pad_query_default (pad, parent, query);
}

/* What downstream crops by a meta must be cropped before it is measured. */
static void
refuse_crop_meta (GstQuery * query)
{
  guint i;

  while (gst_query_find_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE,
          &i))
    gst_query_remove_nth_allocation_meta (query, i);
}

/* Whether downstream says what memory the frames should be in. */
static gboolean
offers_memory (GstQuery * query)
{
  gboolean offers = FALSE;

  for (guint i = 0; i < gst_query_get_n_allocation_pools (query); i++) {
    GstBufferPool *pool;

    gst_query_parse_nth_allocation_pool (query, i, &pool, NULL, NULL, NULL);
    offers |= pool != NULL;
    gst_clear_object (&pool);
  }
  for (guint i = 0; i < gst_query_get_n_allocation_params (query); i++) {
    GstAllocator *allocator;

    gst_query_parse_nth_allocation_param (query, i, &allocator, NULL);
    offers |= allocator != NULL;
    gst_clear_object (&allocator);
  }
  return offers;
}

static gboolean
is_system_memory (GstCaps * caps)
{
  return gst_caps_features_is_equal (gst_caps_get_features (caps, 0),
      GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
}

/* A pool of what the engine reads best for the query's first entry, which has none.
 * Video only: caps do not tell the size of audio's buffers. */
static void
offer_pool (GstCudaHisto * self, GstQuery * query, GstCaps * caps)
{
  guint size, min, max;
  GstBufferPool *pool;
  GstStructure *config;

  if (!is_system_memory (caps) || offers_memory (query))
    return;
  pool = histo_meter_new_pool (self->meter);
  if (pool == NULL)
    return;
  gst_query_parse_nth_allocation_pool (query, 0, NULL, &size, &min, &max);
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, size, min, max);
  if (gst_buffer_pool_set_config (pool, config))
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  gst_object_unref (pool);
}

/* A buffer is held here while it is measured: whoever provides the pool must have
 * that many more. */
static void
add_depth_to_pools (GstCudaHisto * self, GstQuery * query)
{
  guint depth = gst_cuda_histo_get_settings (self).max_in_flight;
  guint n_pools = gst_query_get_n_allocation_pools (query);
  HistoFormat *format = NULL;
  gboolean need_pool;
  GstCaps *caps;

  for (guint i = 0; i < n_pools; i++) {
    GstBufferPool *pool;
    guint size, min, max;

    gst_query_parse_nth_allocation_pool (query, i, &pool, &size, &min, &max);
    min += depth;
    /* A pool that cannot give that many is of no use; upstream makes its own. */
    if (max != 0 && min > max)
      gst_query_set_nth_allocation_pool (query, i, NULL, size, min, 0);
    else
      gst_query_set_nth_allocation_pool (query, i, pool, size, min, max);
    gst_clear_object (&pool);
  }

  gst_query_parse_allocation (query, &caps, &need_pool);
  if (caps != NULL)
    format = histo_format_new (caps, NULL);
  if (format != NULL && !format->is_audio) {
    if (n_pools == 0)
      gst_query_add_allocation_pool (query, NULL,
          GST_VIDEO_INFO_SIZE (&format->video), depth, 0);
    /* What must be unpacked by the host gains nothing from the pool. */
    if (need_pool && !format->needs_unpack)
      offer_pool (self, query, caps);
  }
  g_clear_pointer (&format, histo_format_unref);
}

static gboolean
answer_latency (GstCudaHisto * self, GstQuery * query)
{
  gboolean live;
  GstClockTime min, max, own;

  if (!gst_pad_peer_query (self->sinkpad, query))
    return FALSE;
  gst_query_parse_latency (query, &live, &min, &max);
  GST_OBJECT_LOCK (self);
  own = self->frame_duration * self->settings.max_in_flight;
  GST_OBJECT_UNLOCK (self);
  if (is_passthrough (self))
    own = 0;
  /* A frame leaves when its result is there, so the minimum is upstream's; frames in
   * flight are what can be held back beyond it. */
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += own;
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

static gboolean
gst_cuda_histo_src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstCudaHisto *self = GST_CUDA_HISTO (parent);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_LATENCY:
      return answer_latency (self, query);
    case GST_QUERY_SCHEDULING:
      gst_query_add_scheduling_mode (query, GST_PAD_MODE_PUSH);
      return TRUE;
    case GST_QUERY_CONTEXT:
      if (histo_meter_answer_context_query (self->meter, query))
        return TRUE;
      break;
    default:
      break;
  }
  return gst_pad_query_default (pad, parent, query);
}

/* ---- The source pad's task --------------------------------------------------------------------- */

/* Whether results are posted and nothing else, so that no buffer need wait for its own. */
static gboolean
only_posts (GstCudaHisto * self)
{
  GstCudaHistoSettings settings = gst_cuda_histo_get_settings (self);

  return settings.post_messages && !settings.meta;
}

/* Attaches and posts; or leaves that to another thread, if in the source pad's task: that
 * one is stopped before the other thread is. */
static GstFlowReturn
take_result (GstCudaHisto * self, GstBuffer ** buffer, QueueItem * item)
{
  GstFlowReturn flow;

  if (!item->is_passed_at_once && only_posts (self)
      && gst_cuda_histo_report_later (self, *buffer, &item->job))
    return GST_FLOW_OK;
  if (!gst_cuda_histo_wait_for_reports (self)) {
    histo_meter_release (self->meter, &item->job);
    buffer_left (self);
    return GST_FLOW_FLUSHING;
  }
  flow = gst_cuda_histo_finish (self, buffer, &item->job);
  buffer_left (self);
  return flow;
}

static GstFlowReturn
pass_buffer (GstCudaHisto * self, QueueItem * item)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  GstFlowReturn flow = GST_FLOW_OK;
  gboolean is_unwanted;
  gint64 begin;

  g_mutex_lock (&self->queue_lock);
  is_unwanted = self->downstream_is_eos;
  g_mutex_unlock (&self->queue_lock);
  if (is_unwanted) {
    drop_buffer (self, item);
    return GST_FLOW_OK;
  }
  /* After this upstream may send another one, while this one is pushed. */
  if (item->is_measured)
    flow = take_result (self, &buffer, item);
  else
    buffer_left (self);
  if (flow != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return flow;
  }

  begin = g_get_monotonic_time ();
  flow = gst_pad_push (self->srcpad, buffer);
  g_mutex_lock (&self->queue_lock);
  note_push (self, g_get_monotonic_time () - begin);
  if (flow == GST_FLOW_EOS) {
    /* Downstream wants no more of this segment; events go on. */
    self->downstream_is_eos = TRUE;
    flow = GST_FLOW_OK;
  }
  g_mutex_unlock (&self->queue_lock);
  return flow;
}

static void
pass_event (GstCudaHisto * self, GstEvent * event)
{
  GstEventType type = GST_EVENT_TYPE (event);

  if ((type == GST_EVENT_EOS || type == GST_EVENT_SEGMENT_DONE
          || type == GST_EVENT_STREAM_START)
      && !gst_cuda_histo_wait_for_reports (self)) {
    drop_event (self, event, TRUE);
    return;
  }
  if (type == GST_EVENT_SEGMENT)
    gst_event_copy_segment (event, &self->segment);
  if (type == GST_EVENT_SEGMENT || type == GST_EVENT_STREAM_START
      || type == GST_EVENT_EOS) {
    g_mutex_lock (&self->queue_lock);
    self->eos_seen = type == GST_EVENT_EOS;
    g_mutex_unlock (&self->queue_lock);
  }
  gst_pad_push_event (self->srcpad, event);
}

static void
pass_query (GstCudaHisto * self, QueueItem * item)
{
  GstQuery *query = GST_QUERY_CAST (item->object);
  gboolean answer;

  /* Until all is reported buffers are held. */
  answer = (GST_QUERY_TYPE (query) != GST_QUERY_DRAIN
      || gst_cuda_histo_wait_for_reports (self))
      && gst_pad_peer_query (self->srcpad, query);

  /* Also where nobody downstream has an answer, the depth here is one. */
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION
      && gst_pad_is_linked (self->srcpad)) {
    refuse_crop_meta (query);
    if (!is_passthrough (self))
      add_depth_to_pools (self, query);
    answer = TRUE;
  }
  g_mutex_lock (&self->queue_lock);
  *item->answer = answer;
  histo_condition_broadcast (&self->queue_changed);
  g_mutex_unlock (&self->queue_lock);
}

static GstFlowReturn
pass_item (GstCudaHisto * self, QueueItem * item)
{
  if (GST_IS_BUFFER (item->object))
    return pass_buffer (self, item);
  if (GST_IS_EVENT (item->object))
    pass_event (self, GST_EVENT_CAST (item->object));
  else
    pass_query (self, item);
  return GST_FLOW_OK;
}

static void
gst_cuda_histo_loop (gpointer user_data)
{
  GstCudaHisto *self = user_data;
  GstFlowReturn flow;
  QueueItem *item = NULL;
  gboolean eos_seen;

  g_mutex_lock (&self->queue_lock);
  while (self->flow == GST_FLOW_OK && g_queue_is_empty (&self->queue))
    histo_condition_wait (&self->queue_changed, &self->queue_lock);
  flow = self->flow;
  if (flow == GST_FLOW_OK) {
    item = g_queue_pop_head (&self->queue);
    self->task_is_busy = TRUE;
    self->was_relinked = FALSE;
    /* In one step with its leaving the queue: upstream looks for it there. */
    if (begins_segment (item))
      self->downstream_is_eos = FALSE;
  }
  g_mutex_unlock (&self->queue_lock);

  if (item != NULL) {
    flow = pass_item (self, item);
    g_free (item);
  }

  g_mutex_lock (&self->queue_lock);
  self->task_is_busy = FALSE;
  /* Linked again since it was found not to be: what comes next may pass. */
  if (flow == GST_FLOW_NOT_LINKED && self->was_relinked)
    flow = GST_FLOW_OK;
  if (self->flow == GST_FLOW_OK)
    self->flow = flow;
  else
    flow = self->flow;
  eos_seen = self->eos_seen || is_queued (self, is_eos);
  /* Under the lock: a pad that is linked again starts the task under it, too. */
  if (flow != GST_FLOW_OK)
    gst_pad_pause_task (self->srcpad);
  /* Only then somebody waits for the task not to be busy any more. */
  if (flow != GST_FLOW_OK)
    histo_condition_broadcast (&self->queue_changed);
  g_mutex_unlock (&self->queue_lock);

  if (flow == GST_FLOW_OK)
    return;
  /* Nobody upstream will hear of it any more. */
  if (eos_seen && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS)) {
    if (is_first_error (self))
      GST_ELEMENT_FLOW_ERROR (self, flow);
    gst_pad_push_event (self->srcpad, gst_event_new_eos ());
  }
}

/* ---- Pads ------------------------------------------------------------------------------------------ */

static gboolean
gst_cuda_histo_sink_activate_mode (GstPad * pad, GstObject * parent,
    GstPadMode mode, gboolean active)
{
  GstCudaHisto *self = GST_CUDA_HISTO (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (!active) {
    take_flow (self, GST_FLOW_FLUSHING);
    /* Once upstream's thread has left, nothing more is queued. */
    GST_PAD_STREAM_LOCK (pad);
    clear_queue (self, FALSE);
    GST_PAD_STREAM_UNLOCK (pad);
  }
  return TRUE;
}

static gboolean
gst_cuda_histo_src_activate_mode (GstPad * pad, GstObject * parent,
    GstPadMode mode, gboolean active)
{
  GstCudaHisto *self = GST_CUDA_HISTO (parent);
  gboolean ok = TRUE;

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  set_src_active (self, active);
  if (active) {
    start_flow (self);
  } else {
    ok = gst_pad_stop_task (pad);
    gst_cuda_histo_stop_reports (self);
  }
  return ok;
}

static GstPad *
add_pad (GstCudaHisto * self, const gchar * name)
{
  GstPadTemplate *template =
      gst_element_get_pad_template (GST_ELEMENT_CAST (self), name);
  GstPad *pad = gst_pad_new_from_template (template, name);

  GST_PAD_SET_PROXY_CAPS (pad);
  return pad;
}

void
gst_cuda_histo_pads_init (GstCudaHisto * self)
{
  g_mutex_init (&self->queue_lock);
  histo_condition_init (&self->queue_changed);
  g_queue_init (&self->queue);
  self->flow = GST_FLOW_FLUSHING;
  self->awaited_in_flight = -1;

  self->sinkpad = add_pad (self, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_cuda_histo_chain);
  gst_pad_set_event_full_function (self->sinkpad, gst_cuda_histo_sink_event);
  gst_pad_set_query_function (self->sinkpad, gst_cuda_histo_sink_query);
  gst_pad_set_activatemode_function (self->sinkpad,
      gst_cuda_histo_sink_activate_mode);
  gst_element_add_pad (GST_ELEMENT_CAST (self), self->sinkpad);

  self->srcpad = add_pad (self, "src");
  gst_pad_set_event_function (self->srcpad, gst_cuda_histo_src_event);
  gst_pad_set_query_function (self->srcpad, gst_cuda_histo_src_query);
  gst_pad_set_activatemode_function (self->srcpad,
      gst_cuda_histo_src_activate_mode);
  gst_element_add_pad (GST_ELEMENT_CAST (self), self->srcpad);
}

void
gst_cuda_histo_pads_clear (GstCudaHisto * self)
{
  clear_queue (self, FALSE);
  g_mutex_clear (&self->queue_lock);
  histo_condition_clear (&self->queue_changed);
}
