/* The messages of a pipeline; see queue.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/queue.h"

/* Results that may wait. One of 16-bit video can have a few MB. */
#define MOST_RESULTS 32

typedef struct
{
  GstMessage *message;
  gboolean is_result;
} Item;

struct _ReportQueue
{
  GMutex lock;
  GCond has_items, has_room;
  GQueue items;                 /* of Item */
  guint n_results;
  gboolean is_open;             /* results do not wait for room */
};

ReportQueue *
report_queue_new (void)
{
  ReportQueue *queue = g_new0 (ReportQueue, 1);

  g_mutex_init (&queue->lock);
  g_cond_init (&queue->has_items);
  g_cond_init (&queue->has_room);
  g_queue_init (&queue->items);
  return queue;
}

/* No thread may use the queue any more. */
void
report_queue_free (ReportQueue * queue)
{
  Item *item;

  while ((item = g_queue_pop_head (&queue->items)) != NULL) {
    gst_message_unref (item->message);
    g_free (item);
  }
  g_mutex_clear (&queue->lock);
  g_cond_clear (&queue->has_items);
  g_cond_clear (&queue->has_room);
  g_free (queue);
}

/**
 * report_queue_push:
 * @message: (transfer full):
 * @is_result: wait until there is room
 */
void
report_queue_push (ReportQueue * queue, GstMessage * message,
    gboolean is_result)
{
  Item *item = g_new (Item, 1);

  item->message = message;
  item->is_result = is_result;
  g_mutex_lock (&queue->lock);
  while (is_result && !queue->is_open && queue->n_results >= MOST_RESULTS)
    g_cond_wait (&queue->has_room, &queue->lock);
  g_queue_push_tail (&queue->items, item);
  queue->n_results += is_result ? 1 : 0;
  g_cond_signal (&queue->has_items);
  g_mutex_unlock (&queue->lock);
}

/**
 * report_queue_pop:
 * @timeout: in µs
 *
 * Returns: (transfer full) (nullable): the oldest message; NULL: none came in time
 */
GstMessage *
report_queue_pop (ReportQueue * queue, gint64 timeout)
{
  const gint64 end = g_get_monotonic_time () + timeout;
  GstMessage *message = NULL;
  g_autofree Item *item = NULL;

  g_mutex_lock (&queue->lock);
  while (g_queue_is_empty (&queue->items)
      && g_cond_wait_until (&queue->has_items, &queue->lock, end));
  item = g_queue_pop_head (&queue->items);
  if (item != NULL) {
    message = item->message;
    queue->n_results -= item->is_result ? 1 : 0;
    g_cond_signal (&queue->has_room);
  }
  g_mutex_unlock (&queue->lock);
  return message;
}

/* From now on no thread waits for room. To be called before the pipeline is stopped. */
void
report_queue_open (ReportQueue * queue)
{
  g_mutex_lock (&queue->lock);
  queue->is_open = TRUE;
  g_cond_broadcast (&queue->has_room);
  g_mutex_unlock (&queue->lock);
}
