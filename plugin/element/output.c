/* The source pad's side of the flow: passes the items of the queue on, in order; see flow.h.
 *
 * The source pad's task pops the oldest item of the queue. It waits for a buffer's result, has it published, and pushes
 * the buffer. Upstream's thread may do the same for a buffer that was not queued.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/flow.h"

#include "element/allocation.h"
#include "element/float-mode.h"
#include "result/write.h"

/* ---- Dropping ------------------------------------------------------------------------- */

/* @event: (transfer full)
 * @keep_sticky: whether the pad keeps a sticky event, as that of `queue` does, so that a flush
 *   loses no caps */
static void
drop_event (HistoFlow * flow, GstEvent * event, gboolean keep_sticky)
{
  if (keep_sticky && GST_EVENT_IS_STICKY (event)
      && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT
      && GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    gst_pad_store_sticky_event (flow->srcpad, event);
  gst_event_unref (event);
}

void
histo_output_drop_queued (HistoFlow * flow, gboolean keep_sticky)
{
  HistoItem *item;

  while ((item = histo_queue_remove (&flow->queue)) != NULL) {
    if (GST_IS_BUFFER (item->object)) {
      histo_publisher_drop (&flow->publisher, item);
      continue;
    }
    if (GST_IS_EVENT (item->object))
      drop_event (flow, GST_EVENT_CAST (g_steal_pointer (&item->object)),
          keep_sticky);
    else
      histo_queue_answer (&flow->queue, item, FALSE);
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
push_buffer (HistoFlow * flow, HistoItem * item, gboolean by_task,
    gint64 * duration)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  GstFlowReturn ret = GST_FLOW_OK;
  gboolean is_current = TRUE;
  gint64 begin;

  *duration = -1;
  if (!by_task || !item->is_measured || histo_settings_attach (&item->settings)
      || !histo_publisher_hand_over (&flow->publisher, item)) {
    if ((item->ends_results && !histo_publisher_end_stream (&flow->publisher))
        || (item->is_measured && !histo_publisher_wait (&flow->publisher))) {
      histo_publisher_drop (&flow->publisher, item);
      return GST_FLOW_FLUSHING;
    }
    if (item->is_measured)
      ret = histo_publisher_publish (&flow->publisher, item);
    /* After this upstream may send another buffer, while this one is pushed. */
    is_current = histo_queue_leave (&flow->queue);
    buffer = GST_BUFFER_CAST (g_steal_pointer (&item->object));
    if (item->loses_result)
      histo_meta_detach (flow->publisher.meta_info, &buffer);
    histo_item_free (item);
  }
  if (ret != GST_FLOW_OK || !is_current) {
    gst_buffer_unref (buffer);
    return ret;
  }

  begin = g_get_monotonic_time ();
  ret = gst_pad_push (flow->srcpad, buffer);
  *duration = g_get_monotonic_time () - begin;
  return ret;
}

GstFlowReturn
histo_output_push_direct (HistoFlow * flow, HistoItem * item)
{
  gint64 duration;
  GstFlowReturn ret = push_buffer (flow, item, FALSE, &duration);

  return histo_queue_end_direct (&flow->queue, ret, duration);
}

/* ---- Events and queries --------------------------------------------------------------- */

/* @event: (transfer full) */
static void
pass_event (HistoFlow * flow, GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
      /* All messages are posted before the stream ends. Their handlers may flush. */
      if (!histo_publisher_end_stream (&flow->publisher)
          || !histo_queue_item_is_current (&flow->queue)) {
        drop_event (flow, event, TRUE);
        return;
      }
      break;
    default:
      break;
  }
  gst_pad_push_event (flow->srcpad, event);
}

static void
pass_query (HistoFlow * flow, HistoItem * item)
{
  GstQuery *query = GST_QUERY_CAST (item->object);
  HistoSettings settings;
  gboolean answer;

  /* Buffers are held until their results are there. */
  answer = (GST_QUERY_TYPE (query) != GST_QUERY_DRAIN
      || histo_publisher_wait (&flow->publisher))
      && gst_pad_peer_query (flow->srcpad, query);

  /* The element's own depth is an answer even if nothing downstream has one. */
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION
      && gst_pad_is_linked (flow->srcpad)) {
    histo_settings_get (flow->settings, &settings);
    histo_allocation_complete (query, flow->meter,
        histo_settings_depth (&settings));
    answer = TRUE;
  }
  histo_queue_answer (&flow->queue, item, answer);
}

/* ---- The source pad's task ------------------------------------------------------------ */

/* @item: (transfer full)
 * Returns: as push_buffer() */
static GstFlowReturn
pass_item (HistoFlow * flow, HistoItem * item, gboolean is_unwanted,
    gint64 * duration)
{
  if (is_unwanted) {
    histo_publisher_drop (&flow->publisher, item);
    return GST_FLOW_OK;
  }
  if (GST_IS_BUFFER (item->object))
    return push_buffer (flow, item, TRUE, duration);
  if (GST_IS_EVENT (item->object))
    pass_event (flow, GST_EVENT_CAST (g_steal_pointer (&item->object)));
  else
    pass_query (flow, item);
  histo_item_free (item);
  return GST_FLOW_OK;
}

void
histo_output_loop (gpointer data)
{
  HistoFlow *flow = data;
  gboolean is_unwanted, upstream_has_ended;
  gint64 duration = -1;
  GstFlowReturn ret;
  HistoItem *item;

  ret = histo_queue_pop (&flow->queue, &item, &is_unwanted);
  if (item != NULL) {
    const HistoFloatMode mode = histo_float_mode_begin ();

    ret = pass_item (flow, item, is_unwanted, &duration);
    histo_float_mode_end (mode);
  }
  ret = histo_queue_end_item (&flow->queue, ret, duration,
      &upstream_has_ended);

  /* Upstream does not learn of the error any more: this element reports it to the application. */
  if (upstream_has_ended
      && (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS)) {
    histo_errors_post_flow (&flow->errors, ret);
    gst_pad_push_event (flow->srcpad, gst_event_new_eos ());
  }
  if (ret != GST_FLOW_OK)
    histo_queue_rest (&flow->queue);
}
