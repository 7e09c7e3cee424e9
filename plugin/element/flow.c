/* The two pads: activation, flushes, events and queries; see flow.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/flow.h"

#include "element/allocation.h"
#include "element/float-mode.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

static HistoFlow *
flow_of (GstPad * pad)
{
  return GST_PAD_ELEMENT_PRIVATE (pad);
}

static void
post_no_thread (HistoFlow * flow)
{
  histo_errors_post (&flow->errors, g_error_new (GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_FAILED, "There is no thread for the source pad"));
}

/* ---- Buffers -------------------------------------------------------------------------- */

static GstFlowReturn
chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  const HistoFloatMode mode = histo_float_mode_begin ();
  const GstFlowReturn ret = histo_intake_buffer (flow_of (pad), buffer);

  histo_float_mode_end (mode);
  return ret;
}

/* ---- Flushes -------------------------------------------------------------------------- */

/* No thread waits in here any more when this returns, and the task and the publishing thread have no item. */
static void
stop_flow (HistoFlow * flow)
{
  histo_publisher_interrupt (&flow->publisher, HISTO_INTERRUPTION_FLUSH,
      TRUE);
  histo_queue_flush (&flow->queue);
  histo_publisher_settle (&flow->publisher);
}

/* After the end of a flush, and after a start: buffers may come.
 * Returns: %FALSE if there is no thread for the task; an error was posted then */
static gboolean
begin_flow (HistoFlow * flow)
{
  histo_errors_restart (&flow->errors);
  histo_qos_restart (&flow->qos);
  histo_publisher_interrupt (&flow->publisher, HISTO_INTERRUPTION_FLUSH,
      FALSE);
  if (histo_queue_resume (&flow->queue))
    return TRUE;
  post_no_thread (flow);
  return FALSE;
}

static gboolean
start_flush (HistoFlow * flow, GstEvent * event)
{
  gboolean ok;

  /* An inactive pad refuses the FLUSH_STOP, so that downstream would flush for ever. */
  if (!gst_pad_is_active (flow->sinkpad)) {
    gst_event_unref (event);
    return FALSE;
  }
  /* First downstream: it may block the task in a push, and returns from it when it flushes. */
  ok = gst_pad_push_event (flow->srcpad, event);
  GST_DEBUG_OBJECT (flow->element, "flush begins");
  stop_flow (flow);
  return ok;
}

static gboolean
stop_flush (HistoFlow * flow, GstEvent * event)
{
  gboolean ok;

  /* Needed also without a flush-start before: the task must not meet a queue that is half cleared. */
  stop_flow (flow);
  histo_output_drop_queued (flow, TRUE);
  histo_publisher_flush (&flow->publisher);
  ok = gst_pad_push_event (flow->srcpad, event);
  /* A sticky event that the task pushed when the flush began has not arrived. GStreamer does not send
   * it again by itself, because gst_pad_push_event() clears this flag first. */
  GST_OBJECT_LOCK (flow->srcpad);
  GST_OBJECT_FLAG_SET (flow->srcpad, GST_PAD_FLAG_PENDING_EVENTS);
  GST_OBJECT_UNLOCK (flow->srcpad);
  histo_intake_begin_stream (flow);
  GST_DEBUG_OBJECT (flow->element, "flush ends");
  return begin_flow (flow) && ok;
}

/* ---- Events --------------------------------------------------------------------------- */

static GstFlowReturn
sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  HistoFlow *flow = flow_of (pad);
  gboolean ok;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      ok = start_flush (flow, event);
      break;
    case GST_EVENT_FLUSH_STOP:
      ok = stop_flush (flow, event);
      break;
    default:
      if (GST_EVENT_IS_SERIALIZED (event))
        return histo_intake_event (flow, event);
      ok = gst_pad_push_event (flow->srcpad, event);
      break;
  }
  return ok ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static gboolean
src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  HistoFlow *flow = flow_of (pad);
  gboolean has_failed;

  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS) {
    histo_qos_update (&flow->qos, event);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    if (histo_queue_relink (&flow->queue, &has_failed))
      GST_DEBUG_OBJECT (flow->element, "linked again: buffers go on");
    if (has_failed)
      post_no_thread (flow);
  }
  return gst_pad_event_default (pad, parent, event);
}

/* ---- Queries -------------------------------------------------------------------------- */

/* Whether nothing is wrong with these caps but the number of channels. */
static gboolean
have_too_many_channels (GstCaps * caps)
{
  GstStructure *structure;
  gint channels = 0;

  /* Nobody should ask with ANY or EMPTY, which have no structure. */
  if (!gst_caps_is_fixed (caps))
    return FALSE;
  structure = gst_caps_get_structure (caps, 0);
  return gst_structure_has_name (structure, "audio/x-raw")
      && gst_structure_get_int (structure, "channels", &channels)
      && channels > HISTO_MAX_CHANNELS;
}

/* Caps with too many channels are accepted here. They are refused when their event comes, with an
 * error message that names the limit. If they were refused here, upstream would only report that
 * no caps were negotiated. */
static gboolean
answer_accept_caps (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstCaps *caps;
  gboolean accepted;

  if (!gst_pad_query_default (pad, parent, query))
    return FALSE;
  gst_query_parse_accept_caps_result (query, &accepted);
  gst_query_parse_accept_caps (query, &caps);
  if (!accepted && have_too_many_channels (caps))
    gst_query_set_accept_caps_result (query, TRUE);
  return TRUE;
}

/* Upstream wants all its buffers back. When the query has been passed on, none that came before it is
 * in flight. The query comes under the stream lock. If the pad is flushing, FLUSH_STOP or the
 * deactivation returns the buffers. */
static gboolean
answer_drain (HistoFlow * flow, GstQuery * query)
{
  const gboolean answer = histo_intake_query (flow, query);

  if (!GST_PAD_IS_FLUSHING (flow->sinkpad))
    histo_meter_return_buffers (flow->meter, TRUE);
  return answer;
}

static gboolean
sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  HistoFlow *flow = flow_of (pad);

  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT
      && histo_meter_answer_context_query (flow->meter, query))
    return TRUE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS)
    return answer_accept_caps (pad, parent, query);
  if (GST_QUERY_TYPE (query) == GST_QUERY_DRAIN)
    return answer_drain (flow, query);
  if (GST_QUERY_IS_SERIALIZED (query))
    return histo_intake_query (flow, query);
  return gst_pad_query_default (pad, parent, query);
}

static gboolean
src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  HistoFlow *flow = flow_of (pad);
  gboolean is_live;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_LATENCY:
      if (!gst_pad_peer_query (flow->sinkpad, query))
        return FALSE;
      gst_query_parse_latency (query, &is_live, NULL, NULL);
      histo_qos_set_live (&flow->qos, is_live);
      histo_latency_complete (&flow->latency, query);
      return TRUE;
    case GST_QUERY_SCHEDULING:
      gst_query_add_scheduling_mode (query, GST_PAD_MODE_PUSH);
      return TRUE;
    case GST_QUERY_CONTEXT:
      if (histo_meter_answer_context_query (flow->meter, query))
        return TRUE;
      break;
    default:
      break;
  }
  return gst_pad_query_default (pad, parent, query);
}

/* ---- Activation ----------------------------------------------------------------------- */

static gboolean
sink_activate_mode (GstPad * pad, GstObject * parent, GstPadMode mode,
    gboolean active)
{
  HistoFlow *flow = flow_of (pad);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  /* The source pad is activated first. A FLUSH_START from before the stop may reach the queue after that, and its
   * FLUSH_STOP is refused while this pad is inactive. So the flow begins here. */
  if (active)
    return begin_flow (flow);
  histo_queue_set_flushing (&flow->queue);
  /* When upstream's thread has left, nothing more is queued. A FLUSH_STOP in another thread has the lock, too. The start
   * does not take it: upstream's thread may wait under it for a sink that this start is to let play. */
  GST_PAD_STREAM_LOCK (pad);
  histo_output_drop_queued (flow, FALSE);
  histo_intake_begin_stream (flow);
  GST_PAD_STREAM_UNLOCK (pad);
  return TRUE;
}

static gboolean
src_activate_mode (GstPad * pad, GstObject * parent, GstPadMode mode,
    gboolean active)
{
  HistoFlow *flow = flow_of (pad);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  histo_publisher_interrupt (&flow->publisher, HISTO_INTERRUPTION_STOP,
      !active);
  if (active) {
    histo_errors_restart (&flow->errors);
    if (histo_queue_activate (&flow->queue)) {
      /* If this pad alone was stopped, the flow begins with it. */
      return !gst_pad_is_active (flow->sinkpad) || begin_flow (flow);
    }
    post_no_thread (flow);
    return FALSE;
  }
  /* Fails in the task itself, in the handler of one of its messages. */
  if (!histo_queue_deactivate (&flow->queue))
    return FALSE;
  histo_publisher_stop (&flow->publisher);
  return TRUE;
}

/* ---- Pads ----------------------------------------------------------------------------- */

static GstPad *
new_pad (HistoFlow * flow, const gchar * name)
{
  GstPadTemplate *template = gst_element_get_pad_template (flow->element, name);
  GstPad *pad = gst_pad_new_from_template (template, name);

  GST_PAD_SET_PROXY_CAPS (pad);
  gst_pad_set_element_private (pad, flow);
  return pad;
}

static void
add_pads (HistoFlow * flow)
{
  gst_pad_set_chain_function (flow->sinkpad, GST_DEBUG_FUNCPTR (chain));
  gst_pad_set_event_full_function (flow->sinkpad, GST_DEBUG_FUNCPTR (sink_event));
  gst_pad_set_query_function (flow->sinkpad, GST_DEBUG_FUNCPTR (sink_query));
  gst_pad_set_activatemode_function (flow->sinkpad, GST_DEBUG_FUNCPTR (sink_activate_mode));
  gst_element_add_pad (flow->element, flow->sinkpad);

  gst_pad_set_event_function (flow->srcpad, GST_DEBUG_FUNCPTR (src_event));
  gst_pad_set_query_function (flow->srcpad, GST_DEBUG_FUNCPTR (src_query));
  gst_pad_set_activatemode_function (flow->srcpad, GST_DEBUG_FUNCPTR (src_activate_mode));
  gst_element_add_pad (flow->element, flow->srcpad);
}

void
histo_flow_init (HistoFlow * flow, GstElement * element,
    HistoSharedSettings * settings, HistoMeter * meter)
{
  flow->element = element;
  flow->settings = settings;
  flow->meter = meter;
  flow->sinkpad = new_pad (flow, "sink");
  flow->srcpad = new_pad (flow, "src");

  histo_errors_init (&flow->errors, element);
  histo_queue_init (&flow->queue, flow->srcpad, histo_output_loop,
      flow);
  histo_latency_init (&flow->latency, settings);
  histo_publisher_init (&flow->publisher, element, meter, &flow->queue,
      &flow->errors, &flow->latency);
  histo_qos_init (&flow->qos);
  histo_intake_begin_stream (flow);
  add_pads (flow);
}

void
histo_flow_clear (HistoFlow * flow)
{
  histo_output_drop_queued (flow, FALSE);
  histo_intake_clear (flow);
  histo_settings_copy_clear (&flow->settings_copy);
  histo_qos_clear (&flow->qos);
  histo_latency_clear (&flow->latency);
  histo_publisher_clear (&flow->publisher);
  histo_queue_clear (&flow->queue);
}

void
histo_flow_forget_stream (HistoFlow * flow)
{
  histo_intake_clear (flow);
  histo_publisher_forget (&flow->publisher);
  histo_qos_set_frame_duration (&flow->qos, 0);
  histo_qos_set_live (&flow->qos, FALSE);
}
