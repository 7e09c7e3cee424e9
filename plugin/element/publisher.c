/* Publishing, and the thread for results that are only posted; see publisher.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/publisher.h"

#include "cudahisto/power.h"
#include "element/float-mode.h"
#include "result/fill.h"
#include "result/write.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

/* Referenced by the publisher and by the thread itself, which may outlive its part in the publisher: see
 * histo_publisher_stop(). */
struct _HistoPublisherThread
{
  HistoPublisher *publisher;
  GThread *thread;              /* set under the publisher's lock */
  gboolean is_detached;         /* of the thread itself: it has stopped the element, and ends */
};

/* ---- Messages --------------------------------------------------------------------------- */

static void
drop_messages (GQueue * messages)
{
  g_queue_clear_full (messages, (GDestroyNotify) gst_message_unref);
}

static void
post_messages (HistoPublisher * publisher, GQueue * messages)
{
  GstMessage *message;

  while ((message = g_queue_pop_head (messages)) != NULL) {
    if (publisher->name != NULL)
      histo_write_name (message, publisher->name);
    gst_element_post_message (publisher->element, message);
  }
}

/* Moves the messages that wait since a flush. @messages: (out): gets them */
static void
steal_ends (HistoPublisher * publisher, GQueue * messages)
{
  *messages = publisher->ends;
  g_queue_init (&publisher->ends);
}

/* ---- One result ------------------------------------------------------------------------- */

/* Returns: the greatest reason that has occurred since the buffer that was published before */
static HistoRestart
find_restart (HistoPublisher * publisher, const HistoItem * item)
{
  HistoRestart reason = HISTO_RESTART_NONE;

  for (guint i = 0; i < HISTO_N_RESTARTS; i++)
    if (publisher->n_restarts[i] != item->n_restarts[i])
      reason = i;
  memcpy (publisher->n_restarts, item->n_restarts,
      sizeof publisher->n_restarts);
  return reason;
}

/* Writes all fields but the times. */
static void
fill_structure (HistoPublisher * publisher, GstStructure * structure)
{
  histo_write_result (&publisher->result, structure);
  histo_write_alerts (publisher->temporal.current, structure);
}

/* Attaches the result to the item's buffer, if the settings say so, which may replace the buffer by a writable one.
 * Returns: (transfer full) (nullable): the message, if the result is posted */
static GstMessage *
write_result (HistoPublisher * publisher, HistoItem * item, gboolean posts)
{
  GstStructure *attached = NULL, *posted;

  if (item->settings.meta) {
    GstBuffer *buffer = GST_BUFFER_CAST (item->object);

    attached = histo_meta_attach (publisher->meta_info, &buffer);
    item->object = GST_MINI_OBJECT_CAST (buffer);
    if (attached != NULL) {
      fill_structure (publisher, attached);
      if (item->settings.roi_meta)
        histo_write_rois (&publisher->result, attached, gst_structure_get_name (attached), buffer);
    } else if (!publisher->has_warned) {
      g_autofree gchar *meta_name = histo_result_meta_name (publisher->name);

      publisher->has_warned = TRUE;
      GST_ELEMENT_WARNING (publisher->element, LIBRARY, FAILED,
          ("The result cannot be attached to the buffers."),
          ("another plugin has a meta named \"%s\"", meta_name));
    }
  }
  if (!posts)
    return NULL;
  if (attached != NULL) {
    posted = gst_structure_copy (attached);
    gst_structure_set_name (posted, HISTO_RESULT_NAME);
  } else {
    posted = gst_structure_new_empty (HISTO_RESULT_NAME);
    fill_structure (publisher, posted);
  }
  return histo_write_message (posted, &item->times,
      GST_OBJECT_CAST (publisher->element));
}

/* Attaches the RMS of all channels together to the item's buffer, as the element `level` does, for payloaders (RFC 6464). Whether
 * there is a voice is left to other elements. */
static void
attach_audio_level (HistoPublisher * publisher, HistoItem * item)
{
  const HistoResult *result = &publisher->result;
  const guint silence = 127;    /* of RFC 6464, in -dBov */
  guint level = silence, n_channels = 0;
  gdouble scale, middle, power = 0;
  GstAudioLevelMeta *meta;
  GstBuffer *buffer;

  histo_power_find_scale (GST_AUDIO_INFO_FORMAT (&histo_meter_plan (publisher->meter)->format->audio), &scale, &middle);
  for (guint c = 0; c < result->n_components; c++) {
    const HistoFigures *figures = &result->components[c].figures;

    if (result->components[c].source != HISTO_SOURCE_SAMPLE || isnan (figures->mean))
      continue;
    power += histo_figures_power (figures, middle, scale);
    n_channels++;
  }
  if (power > 0)
    level = CLAMP (-10 * log10 (power / n_channels), 0, silence);
  buffer = gst_buffer_make_writable (GST_BUFFER_CAST (item->object));
  item->object = GST_MINI_OBJECT_CAST (buffer);
  meta = gst_buffer_get_audio_level_meta (buffer);
  if (meta != NULL)
    meta->level = level;
  else
    gst_buffer_add_audio_level_meta (buffer, level, FALSE);
}

/* The temporal stage.
 * @is_filled: whether the publisher's result is that of the buffer */
static gboolean
pass (HistoPublisher * publisher, const HistoTemporalSettings * settings,
    const HistoItem * item, gboolean is_filled, GQueue * messages,
    GError ** error)
{
  const HistoPlan *plan = histo_meter_plan (publisher->meter);
  const gboolean is_mapped = histo_temporal_needs_samples (plan);
  HistoPassing passing = {
    .plan = plan,
    .counts = &item->submission.counts,
    .backend = histo_meter_backend_of (&item->submission),
    .result = is_filled ? &publisher->result : NULL,
    .times = &item->times,
  };
  HistoLayout layout;
  gboolean ok;

  if (is_mapped && !histo_layout_map (&layout, plan->format,
          GST_BUFFER_CAST (item->object), GST_MAP_READ, error))
    return FALSE;
  if (is_mapped) {
    histo_layout_trim_audio (&layout, &item->submission.info.trim);
    passing.samples = &layout.audio;
  }
  ok = histo_temporal_pass (&publisher->temporal, settings, &passing, messages,
      error);
  if (is_mapped)
    histo_layout_unmap (&layout, plan->format);
  return ok;
}

/* Whether another element makes the results, see cudahisto/counted.h. */
static gboolean
gives_counts (HistoPublisher * publisher)
{
  return g_object_get_data (G_OBJECT (publisher->element),
      HISTO_COUNTED_ONLY) != NULL;
}

/* From the counts to the meta and the messages.
 * @messages: (inout): appended to
 * Returns: FALSE if the temporal stage cannot measure the samples */
static gboolean
make_result (HistoPublisher * publisher, HistoItem * item, GQueue * messages,
    GError ** error)
{
  HistoTemporal *temporal = &publisher->temporal;
  const HistoPlan *plan = histo_meter_plan (publisher->meter);
  const HistoSubmission *submission = &item->submission;
  const HistoTemporalSettings settings = { item->settings.window,
    histo_settings_histograms (&item->settings), &item->settings.alerts,
    item->rules
  };
  gboolean posts, is_written, has_level, passes, is_filled, ok = TRUE;
  GstMessage *message = NULL;

  if (gives_counts (publisher)) {
    item->object = GST_MINI_OBJECT_CAST (histo_counted_attach
        (GST_BUFFER_CAST (item->object), plan, &submission->counts,
            histo_meter_backend_of (submission)));
    return TRUE;
  }
  histo_temporal_restart (temporal, find_restart (publisher, item), messages);
  posts = item->settings.post_messages && histo_temporal_message_is_due
      (temporal, item->times.running_time, item->settings.message_interval);
  is_written = item->settings.meta || posts;
  has_level = item->settings.audio_level_meta && plan->format->is_audio;
  passes = histo_temporal_is_needed (temporal, plan, &settings);
  is_filled = is_written || has_level || (passes
      && histo_temporal_needs_result (temporal, plan, &settings));

  if (is_filled)
    histo_result_fill (&publisher->result, plan, &submission->counts,
        &submission->info, histo_meter_backend_of (submission),
        is_written ? settings.histograms : HISTO_HISTOGRAMS_NONE);
  if (passes)
    ok = pass (publisher, &settings, item, is_filled, messages, error);
  if (has_level && ok)
    attach_audio_level (publisher, item);
  if (is_written && ok)
    message = write_result (publisher, item, posts);
  if (message != NULL)
    g_queue_push_tail (messages, message);
  /* The histograms belong to the structures now. */
  if (is_filled)
    histo_result_set_n_components (&publisher->result, 0);
  return ok;
}

/* Notes how long the CPU engine has held a buffer that waits for its result. A device takes less than the
 * latency of anything else. @begin: when waiting for the counts began, us */
static void
note_delay (HistoPublisher * publisher, const HistoItem * item, gint64 begin)
{
  const gint64 now = g_get_monotonic_time ();

  if (histo_settings_attach (&item->settings)
      && g_str_equal (histo_meter_backend_of (&item->submission), "cpu"))
    histo_latency_note_delay (publisher->latency,
        (item->delay + now - begin) * GST_USECOND, now);
}

/* @thread: (nullable): the publishing thread, if that is the calling one; a message's handler may detach it */
static GstFlowReturn
publish (HistoPublisher * publisher, HistoItem * item,
    const HistoPublisherThread * thread)
{
  const gint64 begin = g_get_monotonic_time ();
  const gsize size = item->size;
  GstFlowReturn flow = GST_FLOW_OK;
  GError *error = NULL;
  GQueue messages;
  gboolean ok;

  steal_ends (publisher, &messages);
  ok = histo_meter_finish (publisher->meter, &item->submission,
      GST_BUFFER_CAST (item->object), &error);
  note_delay (publisher, item, begin);
  ok = ok && make_result (publisher, item, &messages, &error);
  histo_meter_release (publisher->meter, &item->submission);
  /* A buffer that has left is not held while handlers run. */
  if (thread != NULL)
    histo_item_free (item);

  if (ok) {
    g_mutex_lock (&publisher->lock);
    publisher->n_frames++;
    publisher->n_bytes += size;
    g_mutex_unlock (&publisher->lock);
  }
  post_messages (publisher, &messages);
  if (!ok)
    flow = histo_errors_fail_engine (publisher->errors, error);
  if (thread == NULL || !thread->is_detached) {
    histo_meter_post_warning (publisher->meter);
    histo_latency_post_change (publisher->latency, publisher->element);
  }
  return flow;
}

/**
 * histo_publisher_publish:
 * @item: a submitted buffer; its submission is released, and the buffer gets the result
 *
 * Waits for the counts and publishes the result. All items that were handed over before must
 * have been published: see histo_publisher_wait().
 */
GstFlowReturn
histo_publisher_publish (HistoPublisher * publisher, HistoItem * item)
{
  return publish (publisher, item, NULL);
}

/* @item: (transfer full): a buffer in flight, whose result is not published */
void
histo_publisher_drop (HistoPublisher * publisher, HistoItem * item)
{
  if (item->is_measured)
    histo_meter_release (publisher->meter, &item->submission);
  histo_item_free (item);
  histo_queue_leave (publisher->queue);
}

/* ---- The publishing thread ---------------------------------------------------------------- */

/* Under the lock. Returns: (nullable): the next item; NULL if the thread is to end */
static HistoItem *
wait_for_item (HistoPublisher * publisher)
{
  while (g_queue_is_empty (&publisher->items) && !publisher->is_ending)
    histo_condition_wait (&publisher->arrived, &publisher->lock);
  return g_queue_pop_head (&publisher->items);
}

/* @data: (transfer full) */
static gpointer
run_thread (gpointer data)
{
  HistoPublisherThread *thread = data;
  HistoPublisher *publisher = thread->publisher;
  GstElement *element = publisher->element;
  HistoItem *item;

  g_mutex_lock (&publisher->lock);
  while ((item = wait_for_item (publisher)) != NULL) {
    const guint generation = item->generation;

    g_mutex_unlock (&publisher->lock);
    if (generation == histo_queue_get_generation (publisher->queue)) {
      GstFlowReturn flow;

      /* The thread is this element's. What a message's handler has left is not restored. */
      histo_float_mode_begin ();
      /* A message's handler may stop and release the element. */
      gst_object_ref (element);
      flow = publish (publisher, item, thread);
      gst_object_unref (element);
      if (thread->is_detached) {
        g_atomic_rc_box_release (thread);
        return NULL;
      }
      if (flow != GST_FLOW_OK)
        histo_queue_fail (publisher->queue, generation, flow);
      histo_queue_leave (publisher->queue);
    } else {
      histo_publisher_drop (publisher, item);
    }
    g_mutex_lock (&publisher->lock);
    publisher->n_pending--;
    histo_condition_broadcast (&publisher->progressed);
  }
  g_mutex_unlock (&publisher->lock);
  g_atomic_rc_box_release (thread);
  return NULL;
}

/* Returns: FALSE if there can be no thread */
static gboolean
start_thread (HistoPublisher * publisher)
{
  HistoPublisherThread *thread = g_atomic_rc_box_new0 (HistoPublisherThread);

  thread->publisher = publisher;
  g_mutex_lock (&publisher->lock);
  thread->thread = g_thread_try_new ("cudahisto-publisher", run_thread,
      g_atomic_rc_box_acquire (thread), NULL);
  if (thread->thread != NULL)
    publisher->thread = thread;
  g_mutex_unlock (&publisher->lock);
  if (publisher->thread != NULL) {
    GST_DEBUG_OBJECT (publisher->element,
        "the publishing thread posts the results");
    return TRUE;
  }
  g_atomic_rc_box_release (thread);
  g_atomic_rc_box_release (thread);
  return FALSE;
}

/**
 * histo_publisher_hand_over:
 * @item: (transfer full): a submitted buffer, whose result is only to be posted. Its buffer remains the
 *   caller's, who pushes it
 *
 * Leaves the rest to the publishing thread. The buffer counts as in flight until its result is
 * posted. Only the source pad's task calls this; it is stopped before the thread is.
 *
 * Returns: %FALSE, and nothing is done, if there can be no such thread
 */
gboolean
histo_publisher_hand_over (HistoPublisher * publisher, HistoItem * item)
{
  /* Only the task and, with the task stopped, histo_publisher_stop() change this. */
  if (publisher->thread == NULL && !start_thread (publisher))
    return FALSE;

  if (!histo_meter_try_finish (publisher->meter, &item->submission)
      || histo_temporal_needs_samples (histo_meter_plan (publisher->meter)))
    gst_mini_object_ref (item->object);
  else
    item->object = NULL;

  g_mutex_lock (&publisher->lock);
  g_queue_push_tail (&publisher->items, item);
  publisher->n_pending++;
  histo_condition_broadcast (&publisher->arrived);
  g_mutex_unlock (&publisher->lock);
  return TRUE;
}

/* ---- Waiting for the publishing thread, flushing and stopping it ------------------------------ */

/* Whether the calling thread is the publishing thread. Under the lock. */
static gboolean
is_own_thread (HistoPublisher * publisher)
{
  return publisher->thread != NULL
      && publisher->thread->thread == g_thread_self ();
}

/**
 * histo_publisher_wait:
 *
 * Waits until all items that were handed over are published. Results come in order and before the end of the
 * stream: a thread that publishes another one or ends the stream waits here first.
 *
 * Returns: %FALSE if a flush or a stop begins before. The handler of the latest message may
 * have begun it, and then waits for the calling thread.
 */
gboolean
histo_publisher_wait (HistoPublisher * publisher)
{
  gboolean all;

  g_mutex_lock (&publisher->lock);
  all = is_own_thread (publisher);
  if (!all) {
    while (publisher->n_pending > 0 && publisher->interruptions == 0)
      histo_condition_wait (&publisher->progressed, &publisher->lock);
    all = publisher->n_pending == 0;
  }
  g_mutex_unlock (&publisher->lock);
  return all;
}

/**
 * histo_publisher_end_stream:
 *
 * In the source pad's task, before an event goes downstream that ends the stream or a segment, or
 * begins another stream, and before a buffer if no result is wanted any more. Waits until all items that were handed
 * over are published, and posts the messages about the open window and the open alerts.
 *
 * Returns: as histo_publisher_wait()
 */
gboolean
histo_publisher_end_stream (HistoPublisher * publisher)
{
  GQueue messages;

  if (!histo_publisher_wait (publisher))
    return FALSE;
  steal_ends (publisher, &messages);
  histo_temporal_end (&publisher->temporal, &messages);
  post_messages (publisher, &messages);
  return TRUE;
}

/* @is_on: TRUE: no thread waits in histo_publisher_wait() any more. In any thread. */
void
histo_publisher_interrupt (HistoPublisher * publisher,
    HistoInterruption reason, gboolean is_on)
{
  g_mutex_lock (&publisher->lock);
  publisher->interruptions &= ~reason;
  if (is_on)
    publisher->interruptions |= reason;
  histo_condition_broadcast (&publisher->progressed);
  g_mutex_unlock (&publisher->lock);
}

/* Drops the queued items. Only in the publishing thread, in a message's handler: elsewhere the
 * thread drops them itself. */
static void
drop_items (HistoPublisher * publisher)
{
  GQueue items;
  HistoItem *item;
  guint n;

  g_mutex_lock (&publisher->lock);
  items = publisher->items;
  g_queue_init (&publisher->items);
  g_mutex_unlock (&publisher->lock);

  n = items.length;
  while ((item = g_queue_pop_head (&items)) != NULL)
    histo_publisher_drop (publisher, item);
  g_mutex_lock (&publisher->lock);
  publisher->n_pending -= n;
  histo_condition_broadcast (&publisher->progressed);
  g_mutex_unlock (&publisher->lock);
}

/* After histo_publisher_interrupt(), with the queue flushing and the source pad's task at rest:
 * waits until no item is left. In a message's handler the item whose message this is
 * remains. */
void
histo_publisher_settle (HistoPublisher * publisher)
{
  gboolean is_own;

  g_mutex_lock (&publisher->lock);
  is_own = is_own_thread (publisher);
  if (!is_own) {
    while (publisher->n_pending > 0)
      histo_condition_wait (&publisher->progressed, &publisher->lock);
  }
  g_mutex_unlock (&publisher->lock);
  if (is_own)
    drop_items (publisher);
}

/* At the end of a flush, after histo_publisher_settle(): what follows does not belong to what was before. The messages
 * wait: a handler could flush again before this flush has ended. */
void
histo_publisher_flush (HistoPublisher * publisher)
{
  histo_temporal_restart (&publisher->temporal, HISTO_RESTART_FLUSH,
      &publisher->ends);
}

/* With the pads inactive: what is open is dropped. */
void
histo_publisher_forget (HistoPublisher * publisher)
{
  histo_temporal_forget (&publisher->temporal);
  drop_messages (&publisher->ends);
}

/* After histo_publisher_interrupt(), with the source pad's task stopped: ends the thread. The thread itself, in a
 * message's handler, cannot wait for its own end: it ends when the handler returns. If the element is started again,
 * another thread replaces it. */
void
histo_publisher_stop (HistoPublisher * publisher)
{
  HistoPublisherThread *thread;
  gboolean is_own;

  g_mutex_lock (&publisher->lock);
  thread = publisher->thread;
  is_own = is_own_thread (publisher);
  publisher->is_ending = TRUE;
  histo_condition_broadcast (&publisher->arrived);
  g_mutex_unlock (&publisher->lock);

  if (is_own) {
    GST_WARNING_OBJECT (publisher->element, "stopped in the handler of one of "
        "its messages, in the thread that posts them: not waiting for it");
    thread->is_detached = TRUE;
    g_thread_unref (thread->thread);
    drop_items (publisher);
    /* The item whose message this is leaves here. */
    histo_queue_leave (publisher->queue);
  } else if (thread != NULL) {
    g_thread_join (thread->thread);
  }

  g_mutex_lock (&publisher->lock);
  publisher->thread = NULL;
  publisher->is_ending = FALSE;
  publisher->n_pending = 0;
  histo_condition_broadcast (&publisher->progressed);
  g_mutex_unlock (&publisher->lock);
  if (thread != NULL)
    g_atomic_rc_box_release (thread);
}

/* ---- The publisher --------------------------------------------------------------------------- */

void
histo_publisher_init (HistoPublisher * publisher, GstElement * element,
    HistoMeter * meter, HistoQueue * queue, HistoErrors * errors,
    HistoLatency * latency)
{
  publisher->element = element;
  publisher->meter = meter;
  publisher->queue = queue;
  publisher->errors = errors;
  publisher->latency = latency;
  publisher->meta_info = histo_write_meta (NULL);
  histo_temporal_init (&publisher->temporal, GST_OBJECT_CAST (element));
  g_queue_init (&publisher->ends);
  g_mutex_init (&publisher->lock);
  histo_condition_init (&publisher->arrived);
  histo_condition_init (&publisher->progressed);
  g_queue_init (&publisher->items);
}

/* @name: (transfer full) (nullable): a result-name that can be used. The element is in the state NULL */
void
histo_publisher_set_name (HistoPublisher * publisher, gchar * name)
{
  g_free (publisher->name);
  publisher->name = name;
  publisher->meta_info = histo_write_meta (name);
  publisher->has_warned = FALSE;
}

/* The thread must have been stopped. */
void
histo_publisher_clear (HistoPublisher * publisher)
{
  g_free (publisher->name);
  histo_temporal_clear (&publisher->temporal);
  histo_result_clear (&publisher->result);
  drop_messages (&publisher->ends);
  g_mutex_clear (&publisher->lock);
  histo_condition_clear (&publisher->arrived);
  histo_condition_clear (&publisher->progressed);
}

/* @n_frames, @n_bytes: (out): measured since histo_publisher_reset_counts() */
void
histo_publisher_get_counts (HistoPublisher * publisher, guint64 * n_frames,
    guint64 * n_bytes)
{
  g_mutex_lock (&publisher->lock);
  *n_frames = publisher->n_frames;
  *n_bytes = publisher->n_bytes;
  g_mutex_unlock (&publisher->lock);
}

void
histo_publisher_reset_counts (HistoPublisher * publisher)
{
  g_mutex_lock (&publisher->lock);
  publisher->n_frames = publisher->n_bytes = 0;
  g_mutex_unlock (&publisher->lock);
}
