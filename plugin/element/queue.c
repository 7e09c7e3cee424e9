/* The queue between upstream's thread and the source pad's task; see queue.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/queue.h"

/* @pad: outlives the queue
 * @function: the task's function, called with @data */
void
histo_queue_init (HistoQueue * queue, GstPad * pad, GstTaskFunction function,
    gpointer data)
{
  queue->pad = pad;
  queue->function = function;
  queue->data = data;
  g_mutex_init (&queue->lock);
  histo_condition_init (&queue->arrived);
  histo_condition_init (&queue->progressed);
  g_queue_init (&queue->items);
  queue->flow = GST_FLOW_FLUSHING;
  queue->awaited_level = -1;
}

/* The queue must be empty: see histo_queue_remove(). */
void
histo_queue_clear (HistoQueue * queue)
{
  g_mutex_clear (&queue->lock);
  histo_condition_clear (&queue->arrived);
  histo_condition_clear (&queue->progressed);
}

/* ---- Items ---------------------------------------------------------------------------- */

void
histo_item_free (HistoItem * item)
{
  if (item->object != NULL && item->answer == NULL)
    gst_mini_object_unref (item->object);
  g_clear_pointer (&item->rules, histo_rules_unref);
  g_free (item);
}

static gboolean
is_event (const HistoItem * item, GstEventType type)
{
  return GST_IS_EVENT (item->object)
      && GST_EVENT_TYPE (item->object) == type;
}

/* Whether downstream wants buffers again after it. */
static gboolean
begins_segment (const HistoItem * item)
{
  return is_event (item, GST_EVENT_SEGMENT)
      || is_event (item, GST_EVENT_STREAM_START);
}

/* Whether the item is queued even after an error: an event that describes the stream must not be missing when
 * downstream is linked again. */
static gboolean
outlives_errors (const HistoItem * item)
{
  return GST_IS_EVENT (item->object) && GST_EVENT_IS_STICKY (item->object)
      && !is_event (item, GST_EVENT_EOS);
}

/* Whether a pad that stores the new event forgets the old one. */
static gboolean
replaces (GstEvent * event, GstEvent * old)
{
  const GstStructure *structure = gst_event_get_structure (event);

  return GST_EVENT_TYPE (event) == GST_EVENT_TYPE (old)
      && ((GST_EVENT_TYPE (event) & GST_EVENT_TYPE_STICKY_MULTI) == 0
      || structure == NULL
      || gst_event_has_name (old, gst_structure_get_name (structure)));
}

/* An event takes the place of an older one only if nothing lies between them that it must not
 * overtake: a buffer, or an event that comes before it, as caps come before a segment. The numbers of
 * the types have that order. A stream-start takes no place: behind the older one lie the tags of that
 * stream, which do not belong to the new one.
 *
 * @item: one that outlives errors
 * Returns: (nullable): the place of the older event in the queue. Under the lock */
static GList *
find_outdated (HistoQueue * queue, const HistoItem * item)
{
  GstEvent *event = GST_EVENT_CAST (item->object);

  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    return NULL;
  for (GList * link = queue->items.tail; link != NULL; link = link->prev) {
    const HistoItem *queued = link->data;
    GstEvent *old = GST_EVENT_CAST (queued->object);

    if (!outlives_errors (queued)
        || GST_EVENT_TYPE (old) < GST_EVENT_TYPE (event))
      return NULL;
    if (replaces (event, old))
      return link;
  }
  return NULL;
}

/* Under the lock. */
static HistoItem *
pop_item (HistoQueue * queue)
{
  HistoItem *item = g_queue_pop_head (&queue->items);

  if (item != NULL) {
    queue->n_eos -= is_event (item, GST_EVENT_EOS);
    queue->n_begins -= begins_segment (item);
  }
  return item;
}

/* ---- The task --------------------------------------------------------------------------- */

/* Removes a task whose thread could not be made. GStreamer counts such a task as running:
 * gst_pad_stop_task() and the pad's finalizer would wait for it for ever. GLib may find a
 * thread for it later; the task then ends at once. */
static void
discard_task (GstPad * pad)
{
  GstTask *task;

  GST_OBJECT_LOCK (pad);
  task = GST_PAD_TASK (pad);
  GST_PAD_TASK (pad) = NULL;
  GST_OBJECT_UNLOCK (pad);
  if (task == NULL)
    return;
  gst_task_set_enter_callback (task, NULL, NULL, NULL);
  gst_task_set_leave_callback (task, NULL, NULL, NULL);
  gst_task_stop (task);
  gst_object_unref (task);
}

/* Starts the pad's task, or resumes it.
 * Returns: FALSE if there is no thread for it; the pad then has no task */
static gboolean
start_task (HistoQueue * queue)
{
  if (gst_pad_start_task (queue->pad, queue->function, queue->data, NULL))
    return TRUE;
  discard_task (queue->pad);
  return FALSE;
}

/* ---- Starting and stopping ------------------------------------------------------------ */

/* These are under the lock. */

static void
set_flow (HistoQueue * queue, GstFlowReturn flow)
{
  queue->flow = flow;
  histo_condition_broadcast (&queue->arrived);
  histo_condition_broadcast (&queue->progressed);
}

static void
start_flushing (HistoQueue * queue)
{
  g_atomic_int_inc (&queue->generation);
  set_flow (queue, GST_FLOW_FLUSHING);
}

static gboolean
resume_task (HistoQueue * queue)
{
  const gboolean ok = start_task (queue);

  if (!ok)
    set_flow (queue, GST_FLOW_ERROR);
  return ok;
}

static void
stop_for_good (HistoQueue * queue)
{
  g_mutex_lock (&queue->lock);
  queue->is_active = FALSE;
  start_flushing (queue);
  g_mutex_unlock (&queue->lock);
}

/* Starts the task, which rests until histo_queue_resume().
 * Returns: %FALSE if there is no thread for the task; nothing is started then */
gboolean
histo_queue_activate (HistoQueue * queue)
{
  g_mutex_lock (&queue->lock);
  queue->is_active = TRUE;
  g_mutex_unlock (&queue->lock);
  /* Not under the lock: a new task is announced by a message, whose handler may look at this
   * element. */
  if (start_task (queue))
    return TRUE;
  stop_for_good (queue);
  return FALSE;
}

/* Refuses items from now on, and stops the task for good.
 * Returns: %FALSE in the task itself, which cannot wait for its own end */
gboolean
histo_queue_deactivate (HistoQueue * queue)
{
  stop_for_good (queue);
  return gst_pad_stop_task (queue->pad);
}

/* Refuses items from now on. All threads that wait here return. */
void
histo_queue_set_flushing (HistoQueue * queue)
{
  g_mutex_lock (&queue->lock);
  start_flushing (queue);
  g_mutex_unlock (&queue->lock);
}

/* Waits until the task passes no item on, unless this is the task; it takes no other item before
 * histo_queue_resume().
 *
 * gst_pad_pause_task() does not wait for a task that another thread is stopping: gst_pad_stop_task() takes the task
 * off the pad before it waits. The pad's stream lock is no help: if the element is started again meanwhile, the new
 * task keeps it while it waits for an item. */
void
histo_queue_flush (HistoQueue * queue)
{
  g_mutex_lock (&queue->lock);
  start_flushing (queue);
  while (queue->busy_task != NULL && queue->busy_task != g_thread_self ())
    histo_condition_wait (&queue->progressed, &queue->lock);
  g_mutex_unlock (&queue->lock);
}

/* After histo_queue_activate() and histo_queue_flush(): lets items in and starts the task, if the source pad is active.
 * Returns: %FALSE if there is no thread for the task; items are refused with GST_FLOW_ERROR then */
gboolean
histo_queue_resume (HistoQueue * queue)
{
  gboolean ok = TRUE;

  /* Under the lock, so that a task which is stopped for good meanwhile does not start. */
  g_mutex_lock (&queue->lock);
  if (queue->is_active) {
    queue->upstream_has_ended = FALSE;
    queue->downstream_is_eos = FALSE;
    queue->downstream_has_taken = FALSE;
    histo_pacing_reset (&queue->pacing);
    set_flow (queue, GST_FLOW_OK);
    ok = resume_task (queue);
  }
  g_mutex_unlock (&queue->lock);
  return ok;
}

/* The source pad was linked again: if it was not linked before, the task tries again.
 * @has_failed: (out): whether there is no thread for the task
 * Returns: whether it was not linked before */
gboolean
histo_queue_relink (HistoQueue * queue, gboolean * has_failed)
{
  gboolean was_not_linked;

  *has_failed = FALSE;
  g_mutex_lock (&queue->lock);
  queue->was_relinked = TRUE;
  was_not_linked = queue->flow == GST_FLOW_NOT_LINKED;
  if (was_not_linked) {
    /* A sink that is linked now may keep its first buffer, too. */
    queue->downstream_has_taken = FALSE;
    set_flow (queue, GST_FLOW_OK);
    *has_failed = !resume_task (queue);
  }
  g_mutex_unlock (&queue->lock);
  return was_not_linked;
}

/* For dropping what is queued.
 * Returns: (transfer full) (nullable): the oldest item, if there is one; a query to be answered */
HistoItem *
histo_queue_remove (HistoQueue * queue)
{
  HistoItem *item;

  g_mutex_lock (&queue->lock);
  item = pop_item (queue);
  g_mutex_unlock (&queue->lock);
  return item;
}

/* ---- In upstream's thread ------------------------------------------------------------- */

/* @item: (transfer full): only if this returns GST_FLOW_OK
 * Returns: GST_FLOW_OK, or why the item is refused; GST_FLOW_FLUSHING also for a buffer from
 *   before a flush */
GstFlowReturn
histo_queue_push (HistoQueue * queue, HistoItem * item)
{
  HistoItem *outdated = NULL;
  GList *place = NULL;
  GstFlowReturn flow;

  g_mutex_lock (&queue->lock);
  flow = queue->flow;
  if (flow != GST_FLOW_OK && flow != GST_FLOW_FLUSHING
      && outlives_errors (item)) {
    /* So the queue does not grow while the stream goes on and nothing is passed on. */
    place = find_outdated (queue, item);
    flow = GST_FLOW_OK;
  }
  if (GST_IS_BUFFER (item->object) && item->generation != queue->generation)
    flow = GST_FLOW_FLUSHING;
  if (place != NULL) {
    outdated = place->data;
    place->data = item;
  } else if (flow == GST_FLOW_OK) {
    queue->n_eos += is_event (item, GST_EVENT_EOS);
    queue->n_begins += begins_segment (item);
    g_queue_push_tail (&queue->items, item);
    histo_condition_broadcast (&queue->arrived);
  }
  g_mutex_unlock (&queue->lock);

  if (outdated != NULL)
    histo_item_free (outdated);
  return flow;
}

/* Waits until at most n buffers are in flight, or downstream takes no more, or the monotonic time
 * @end (us) has come; < 0: never. Under the lock. */
static GstFlowReturn
wait_for_level (HistoQueue * queue, guint n, gint64 end)
{
  queue->awaited_level = n;
  while (queue->flow == GST_FLOW_OK && queue->n_in_flight > n
      && histo_condition_wait_until (&queue->progressed, &queue->lock, end));
  queue->awaited_level = -1;
  return queue->flow;
}

/* Waits until at most @n buffers are in flight.
 * Returns: GST_FLOW_OK, or why downstream takes no buffers; then there may be more in flight */
GstFlowReturn
histo_queue_wait_for_level (HistoQueue * queue, guint n)
{
  GstFlowReturn flow;

  g_mutex_lock (&queue->lock);
  flow = wait_for_level (queue, n, -1);
  g_mutex_unlock (&queue->lock);
  return flow;
}

/* Waits until another buffer may be in flight, and counts it as such. Upstream's thread or
 * the task calls histo_queue_leave() for it.
 * @generation: of the buffer
 * Returns: GST_FLOW_OK, or why the buffer is refused; then nothing is counted */
GstFlowReturn
histo_queue_enter (HistoQueue * queue, guint max_in_flight, guint generation)
{
  const guint most = max_in_flight - 1;
  GstFlowReturn flow;

  g_mutex_lock (&queue->lock);
  flow = queue->flow;
  if (flow == GST_FLOW_OK && queue->n_in_flight > most) {
    wait_for_level (queue, histo_pacing_batch_level (max_in_flight),
        g_get_monotonic_time () + HISTO_PACING_BATCH_WAIT);
    flow = wait_for_level (queue, most, -1);
  }
  if (flow == GST_FLOW_OK && queue->downstream_is_eos && queue->n_begins == 0)
    flow = GST_FLOW_EOS;
  if (generation != queue->generation)
    flow = GST_FLOW_FLUSHING;
  if (flow == GST_FLOW_OK)
    queue->n_in_flight++;
  g_mutex_unlock (&queue->lock);
  return flow;
}

/* Under the lock. */
static gboolean
all_is_passed_on (HistoQueue * queue)
{
  return g_queue_is_empty (&queue->items) && queue->busy_task == NULL;
}

/* Under the lock. */
static gboolean
is_idle (HistoQueue * queue)
{
  return queue->flow == GST_FLOW_OK && all_is_passed_on (queue)
      && !queue->downstream_is_eos;
}

/* Whether everything that upstream sent has been passed on, and downstream takes more. */
gboolean
histo_queue_is_idle (HistoQueue * queue)
{
  gboolean idle;

  g_mutex_lock (&queue->lock);
  idle = is_idle (queue);
  g_mutex_unlock (&queue->lock);
  return idle;
}

/* Under the lock: when the task pops an item, and when upstream's thread may push a buffer. */
static void
begin_item (HistoQueue * queue)
{
  queue->was_relinked = FALSE;
  queue->item_generation = queue->generation;
}

/* Under the lock. Returns: whether no flush has begun since begin_item() */
static gboolean
item_is_current (HistoQueue * queue)
{
  return queue->item_generation == queue->generation;
}

/* Waits until everything that upstream sent before has been passed on, or downstream takes no more.
 * Does not wait before downstream has taken the first buffer since the start or a flush: until the
 * pipeline plays, a sink may keep that buffer, while other sinks wait for upstream's thread.
 * @generation: of the buffer
 * Returns: whether upstream's thread may push this buffer itself. If so, it calls
 * histo_queue_end_direct() afterwards; else it calls histo_queue_push(). */
gboolean
histo_queue_wait_until_idle (HistoQueue * queue, guint generation)
{
  gboolean may;

  g_mutex_lock (&queue->lock);
  queue->awaits_idle = TRUE;
  while (queue->downstream_has_taken && queue->flow == GST_FLOW_OK
      && !queue->downstream_is_eos && !all_is_passed_on (queue))
    histo_condition_wait (&queue->progressed, &queue->lock);
  queue->awaits_idle = FALSE;
  may = queue->downstream_has_taken && is_idle (queue)
      && generation == queue->generation;
  if (may)
    begin_item (queue);
  g_mutex_unlock (&queue->lock);
  return may;
}

/* To be called once for each buffer that is not ready.
 * @rest: how long upstream was away before this buffer, in us
 * @generation: of the buffer
 * Returns: whether upstream's thread may push this buffer itself: everything before it has been
 * passed on, downstream is quick and upstream is not in a hurry. If the thread does, it calls
 * histo_queue_end_direct() afterwards; else it calls histo_queue_push(). */
gboolean
histo_queue_upstream_may_push (HistoQueue * queue, gint64 rest,
    guint generation)
{
  gboolean may;

  g_mutex_lock (&queue->lock);
  histo_pacing_note_arrival (&queue->pacing, rest);
  may = is_idle (queue) && generation == queue->generation
      && histo_pacing_upstream_may_push (&queue->pacing);
  if (may)
    begin_item (queue);
  g_mutex_unlock (&queue->lock);
  return may;
}

/* The query is in use until it is answered, whatever the flow return is, unless it is still
 * queued.
 * @item: a query that histo_queue_push() accepted
 * @answer: where its answer comes
 * Returns: the answer; %FALSE if the query was not passed on */
gboolean
histo_queue_wait_for_answer (HistoQueue * queue, HistoItem * item,
    const gint * answer)
{
  gboolean result;

  g_mutex_lock (&queue->lock);
  while (*answer == HISTO_NO_ANSWER && (queue->flow == GST_FLOW_OK
          || !g_queue_remove (&queue->items, item)))
    histo_condition_wait (&queue->progressed, &queue->lock);
  result = *answer;
  g_mutex_unlock (&queue->lock);

  if (result != HISTO_NO_ANSWER)
    return result;
  histo_item_free (item);
  return FALSE;
}

/* ---- Passing an item on --------------------------------------------------------------- */

/* Waits for an item. The task passes it on and then calls histo_queue_end_item(), also if
 * there is none.
 * @item: (out) (transfer full) (nullable): the oldest item; NULL if the result is not
 *   GST_FLOW_OK
 * @is_unwanted: (out): whether it is a buffer of a segment of which downstream wants no more */
GstFlowReturn
histo_queue_pop (HistoQueue * queue, HistoItem ** item, gboolean * is_unwanted)
{
  GstFlowReturn flow;

  *item = NULL;
  *is_unwanted = FALSE;
  g_mutex_lock (&queue->lock);
  while (queue->flow == GST_FLOW_OK && g_queue_is_empty (&queue->items))
    histo_condition_wait (&queue->arrived, &queue->lock);
  flow = queue->flow;
  if (flow == GST_FLOW_OK) {
    *item = pop_item (queue);
    queue->busy_task = g_thread_self ();
    begin_item (queue);
    /* In one step with the item's leaving the queue: histo_queue_enter() looks at both. */
    if (begins_segment (*item))
      queue->downstream_is_eos = queue->upstream_has_ended = FALSE;
    if (is_event (*item, GST_EVENT_EOS))
      queue->upstream_has_ended = TRUE;
    *is_unwanted = GST_IS_BUFFER ((*item)->object) && queue->downstream_is_eos;
  }
  g_mutex_unlock (&queue->lock);
  return flow;
}

/* Returns: whether no flush has begun since the task popped its item */
gboolean
histo_queue_item_is_current (HistoQueue * queue)
{
  gboolean is_current;

  g_mutex_lock (&queue->lock);
  is_current = item_is_current (queue);
  g_mutex_unlock (&queue->lock);
  return is_current;
}

/* Records how an item was passed on, and keeps an error for the next items. Under the lock.
 * @flow: GST_FLOW_EOS is no error: downstream wants no more buffers of this segment, but events
 * Returns: the flow return that is valid now */
static GstFlowReturn
end_item (HistoQueue * queue, GstFlowReturn flow, gint64 duration)
{
  if (duration >= 0)
    histo_pacing_note_push (&queue->pacing, duration);
  /* A flow return from before a flush, or from before the pad was linked again, does not count. */
  if (!item_is_current (queue)
      || (flow == GST_FLOW_NOT_LINKED && queue->was_relinked))
    return queue->flow;
  if (duration >= 0)
    queue->downstream_has_taken = TRUE;
  if (flow == GST_FLOW_EOS)
    queue->downstream_is_eos = TRUE;
  else if (flow != GST_FLOW_OK && queue->flow == GST_FLOW_OK)
    set_flow (queue, flow);
  return queue->flow;
}

/* Under the lock. */
static void
end_busy (HistoQueue * queue)
{
  queue->busy_task = NULL;
  /* histo_queue_flush() waits for this, too. */
  if (queue->flow != GST_FLOW_OK || (queue->awaits_idle
          && (g_queue_is_empty (&queue->items) || queue->downstream_is_eos)))
    histo_condition_broadcast (&queue->progressed);
}

/* Unless the task goes on, it calls histo_queue_rest() next, when the error has been reported to the application.
 * @flow: of passing the item on, or of histo_queue_pop()
 * @duration: how long downstream had the buffer, in us; < 0: none was pushed
 * @upstream_has_ended: (out): whether upstream has sent EOS, so that it cannot learn of an
 *   error from a buffer any more
 * Returns: whether the task goes on (GST_FLOW_OK), or why not */
GstFlowReturn
histo_queue_end_item (HistoQueue * queue, GstFlowReturn flow, gint64 duration,
    gboolean * upstream_has_ended)
{
  g_mutex_lock (&queue->lock);
  /* Without an item @flow is what histo_queue_pop() found, and may be out of date: the pad may have
   * been linked again since, and upstream's thread may have an item of its own. */
  flow = queue->busy_task != NULL ? end_item (queue, flow, duration)
      : queue->flow;
  *upstream_has_ended = queue->upstream_has_ended || queue->n_eos > 0;
  if (flow == GST_FLOW_OK)
    end_busy (queue);
  g_mutex_unlock (&queue->lock);
  return flow;
}

/* Pauses the task, unless the flow goes on again meanwhile. */
void
histo_queue_rest (HistoQueue * queue)
{
  g_mutex_lock (&queue->lock);
  end_busy (queue);
  /* Under the lock, because the task is started under it, too. */
  if (queue->flow != GST_FLOW_OK)
    gst_pad_pause_task (queue->pad);
  g_mutex_unlock (&queue->lock);
}

/* Keeps an error, as the task does: no more buffers go downstream until the flow starts again.
 * @flow: of passing on a buffer in upstream's thread
 * @duration: how long downstream had the buffer, in us; < 0: it was not pushed
 * Returns: what upstream gets */
GstFlowReturn
histo_queue_end_direct (HistoQueue * queue, GstFlowReturn flow, gint64 duration)
{
  g_mutex_lock (&queue->lock);
  flow = end_item (queue, flow, duration);
  g_mutex_unlock (&queue->lock);
  return flow;
}

/* ---- In any thread -------------------------------------------------------------------- */

/* @item: a query that is not queued any more. Its sender goes on. */
void
histo_queue_answer (HistoQueue * queue, const HistoItem * item, gboolean answer)
{
  g_mutex_lock (&queue->lock);
  *item->answer = answer;
  histo_condition_broadcast (&queue->progressed);
  g_mutex_unlock (&queue->lock);
}

/* A buffer is not in flight any more: its slot is free, and its result is published or dropped.
 * Returns: %FALSE if a flush began since the current item left the queue; the item must not go
 *   downstream then */
gboolean
histo_queue_leave (HistoQueue * queue)
{
  gboolean is_current;

  g_mutex_lock (&queue->lock);
  queue->n_in_flight--;
  if ((gint) queue->n_in_flight <= queue->awaited_level)
    histo_condition_broadcast (&queue->progressed);
  is_current = item_is_current (queue);
  g_mutex_unlock (&queue->lock);
  return is_current;
}

/* Stops the flow because of an error elsewhere, unless it has stopped.
 * @generation: of the buffer with the error. After a flush, which the error message's handler may have
 * begun, nothing is stopped */
void
histo_queue_fail (HistoQueue * queue, guint generation, GstFlowReturn flow)
{
  g_mutex_lock (&queue->lock);
  if (queue->flow == GST_FLOW_OK && generation == queue->generation)
    set_flow (queue, flow);
  g_mutex_unlock (&queue->lock);
}

/* Returns: the number of buffers in flight */
guint
histo_queue_get_level (HistoQueue * queue)
{
  guint level;

  g_mutex_lock (&queue->lock);
  level = queue->n_in_flight;
  g_mutex_unlock (&queue->lock);
  return level;
}

/* Returns: the number of flushes that have begun, modulo 2^32: a buffer that came with another
 *   number is from before a flush. Takes no lock. */
guint
histo_queue_get_generation (HistoQueue * queue)
{
  return g_atomic_int_get (&queue->generation);
}
