/* Takes items from the queue and pushes them downstream; see output.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/output.h"

#include "element/allocation.h"
#include "result/write.h"

/* ---- Dropping ------------------------------------------------------------------------- */

/* @event: (transfer full)
 * @keep_sticky: whether the pad keeps a sticky event, as that of `queue` does, so that a flush
 *   loses no caps */
static void
drop_event (HistoOutput * output, GstEvent * event, gboolean keep_sticky)
{
  if (keep_sticky && GST_EVENT_IS_STICKY (event)
      && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT
      && GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    gst_pad_store_sticky_event (output->pad, event);
  gst_event_unref (event);
}

void
histo_output_drop_queued (HistoOutput * output, gboolean keep_sticky)
{
  HistoItem *item;

  while ((item = histo_queue_remove (output->queue)) != NULL) {
    if (GST_IS_BUFFER (item->object)) {
      histo_publisher_drop (output->publisher, item);
      continue;
    }
    if (GST_IS_EVENT (item->object))
      drop_event (output, GST_EVENT_CAST (g_steal_pointer (&item->object)),
          keep_sticky);
    else
      histo_queue_answer (output->queue, item, FALSE);
    histo_item_free (item);
  }
}

/* ---- Buffers -------------------------------------------------------------------------- */

/* Has the result of a buffer published, and pushes the buffer. If the result is only to be posted, the source pad's
 * task hands it to the publishing thread. Upstream's thread does not, because it may run while the publishing thread
 * is being stopped.
 *
 * @item: (transfer full): a buffer in flight
 * @duration: (out): how long downstream had it, in us; -1: it was not pushed
 * Returns: downstream's flow return, or why the buffer was not pushed */
static GstFlowReturn
push_buffer (HistoOutput * output, HistoItem * item, gboolean by_task,
    gint64 * duration)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  GstFlowReturn flow = GST_FLOW_OK;
  gboolean is_current = TRUE;
  gint64 begin;

  *duration = -1;
  if (!by_task || !item->is_measured || item->settings.meta
      || !histo_publisher_hand_over (output->publisher, item)) {
    if ((item->ends_results && !histo_publisher_end_stream (output->publisher))
        || (item->is_measured && !histo_publisher_wait (output->publisher))) {
      histo_publisher_drop (output->publisher, item);
      return GST_FLOW_FLUSHING;
    }
    if (item->is_measured)
      flow = histo_publisher_publish (output->publisher, item);
    /* After this upstream may send another buffer, while this one is pushed. */
    is_current = histo_queue_leave (output->queue);
    buffer = GST_BUFFER_CAST (g_steal_pointer (&item->object));
    if (item->loses_result)
      histo_write_detach (&buffer);
    histo_item_free (item);
  }
  if (flow != GST_FLOW_OK || !is_current) {
    gst_buffer_unref (buffer);
    return flow;
  }

  begin = g_get_monotonic_time ();
  flow = gst_pad_push (output->pad, buffer);
  *duration = g_get_monotonic_time () - begin;
  return flow;
}

GstFlowReturn
histo_output_push_direct (HistoOutput * output, HistoItem * item)
{
  gint64 duration;
  GstFlowReturn flow = push_buffer (output, item, FALSE, &duration);

  return histo_queue_end_direct (output->queue, flow, duration);
}

/* ---- Events and queries --------------------------------------------------------------- */

/* @event: (transfer full) */
static void
pass_event (HistoOutput * output, GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
      /* All messages are posted before the stream ends. Their handlers may flush. */
      if (!histo_publisher_end_stream (output->publisher)
          || !histo_queue_item_is_current (output->queue)) {
        drop_event (output, event, TRUE);
        return;
      }
      break;
    default:
      break;
  }
  gst_pad_push_event (output->pad, event);
}

static void
pass_query (HistoOutput * output, HistoItem * item)
{
  GstQuery *query = GST_QUERY_CAST (item->object);
  HistoSettings settings;
  gboolean answer;

  /* Buffers are held until their results are there. */
  answer = (GST_QUERY_TYPE (query) != GST_QUERY_DRAIN
      || histo_publisher_wait (output->publisher))
      && gst_pad_peer_query (output->pad, query);

  /* The element's own depth is an answer even if nothing downstream has one. */
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION
      && gst_pad_is_linked (output->pad)) {
    histo_settings_get (output->settings, &settings);
    histo_allocation_complete (query, output->meter,
        histo_settings_depth (&settings));
    answer = TRUE;
  }
  histo_queue_answer (output->queue, item, answer);
}

/* ---- The source pad's task ------------------------------------------------------------ */

/* @item: (transfer full)
 * Returns: as push_buffer() */
static GstFlowReturn
pass_item (HistoOutput * output, HistoItem * item, gboolean is_unwanted,
    gint64 * duration)
{
  if (is_unwanted) {
    histo_publisher_drop (output->publisher, item);
    return GST_FLOW_OK;
  }
  if (GST_IS_BUFFER (item->object))
    return push_buffer (output, item, TRUE, duration);
  if (GST_IS_EVENT (item->object))
    pass_event (output, GST_EVENT_CAST (g_steal_pointer (&item->object)));
  else
    pass_query (output, item);
  histo_item_free (item);
  return GST_FLOW_OK;
}

void
histo_output_loop (gpointer data)
{
  HistoOutput *output = data;
  gboolean is_unwanted, upstream_has_ended;
  gint64 duration = -1;
  GstFlowReturn flow;
  HistoItem *item;

  flow = histo_queue_pop (output->queue, &item, &is_unwanted);
  if (item != NULL)
    flow = pass_item (output, item, is_unwanted, &duration);
  flow = histo_queue_end_item (output->queue, flow, duration,
      &upstream_has_ended);

  /* Upstream does not learn of the error any more: this element tells the application. */
  if (upstream_has_ended
      && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS)) {
    histo_errors_post_flow (output->errors, flow);
    gst_pad_push_event (output->pad, gst_event_new_eos ());
  }
}
