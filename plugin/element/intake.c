/* Upstream's side of the flow: configures the engines, starts the measuring of each buffer, and queues what upstream
 * sends; see flow.h.
 *
 * All functions but histo_intake_query() are called in upstream's thread, that is with the sink pad's stream lock held,
 * or while the sink pad is not active.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/flow.h"

#include "element/clip.h"
#include "media/region.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

static void
forget_caps (HistoFlow * flow)
{
  gst_clear_caps (&flow->caps);
  g_clear_pointer (&flow->format, histo_format_unref);
  g_clear_pointer (&flow->picture, histo_format_unref);
}

void
histo_intake_clear (HistoFlow * flow)
{
  forget_caps (flow);
  g_clear_pointer (&flow->stream_id, g_free);
  flow->has_warned = FALSE;
}

void
histo_intake_begin_stream (HistoFlow * flow)
{
  gst_segment_init (&flow->segment, GST_FORMAT_UNDEFINED);
  flow->n_restarts[HISTO_RESTART_FLUSH]++;
  flow->n_since_due = 0;
  /* What a flush ends is posted with the next buffer. */
  flow->may_be_open = TRUE;
  histo_meter_return_buffers (flow->meter, FALSE);
}

/* ---- Configuring ---------------------------------------------------------------------- */

/* Above this the log says once how large the counters and the histograms of a buffer are. */
#define LARGE_BUFFER (64 * 1024 * 1024)

/* Writes to the log what a buffer costs beside its samples. The engines are configured. */
static void
log_size (HistoFlow * flow, const HistoSettings * settings)
{
  const HistoPlan *plan = histo_meter_plan (flow->meter);
  const guint64 counters = (plan->n_counters
      + (guint64) histo_plan_joint_counters (plan)) * sizeof (guint32);
  const guint64 histograms = settings->meta || settings->post_messages ?
      histo_result_histogram_bytes (plan, histo_settings_histograms (settings))
      : 0;

  if (counters + histograms <= LARGE_BUFFER || flow->has_warned)
    return;
  flow->has_warned = TRUE;
  GST_WARNING_OBJECT (flow->element, "a buffer needs %" G_GUINT64_FORMAT
      " MiB of counters while it is measured (at most %u buffers are at a time), "
      "and its result has %" G_GUINT64_FORMAT " MiB of histograms",
      counters >> 20, settings->max_in_flight, histograms >> 20);
}

/* Properties that exclude each other may be set in any order: which ones are set is known when they are used. */
static gboolean
check_bins (const HistoPlanSettings * plan, GError ** error)
{
  const HistoBinSettings *bins = &plan->bins;

  if (plan->edges == NULL || (bins->bins == 0 && bins->range_min == 0 && bins->range_max == 0))
    return TRUE;
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "bin-edges and %s exclude each other: set only one of them", bins->bins != 0 ? "bins" : "range-min, range-max");
  return FALSE;
}

/* Configures the engines for the format and the settings, as soon as no buffer is in flight.
 * Brings the copy of the settings up to date, so that it fits the plan.
 *
 * @n_rois: how many regions the metas of the next buffer describe */
static GstFlowReturn
configure (HistoFlow * flow, guint n_rois)
{
  const guint generation = histo_queue_get_generation (&flow->queue);
  GstFlowReturn ret = histo_queue_wait_for_level (&flow->queue, 0);
  const HistoSettings *settings = &flow->settings_copy.values;
  HistoPlanSettings plan = { 0, };
  HistoEngineConfig config = { 0, };
  GError *error = NULL;
  GArray *regions;
  g_autoptr (GBytes) edges = NULL;
  HistoMask *mask;

  if (ret != GST_FLOW_OK)
    return ret;
  /* Only one that was set while the element was started is read here. */
  if (!histo_settings_load_mask (flow->settings, &error))
    return histo_errors_fail_engine (&flow->errors, error);
  histo_meter_prepare (flow->meter, flow->format);
  /* A handler may have stopped the element, or started it again. */
  if (histo_queue_get_generation (&flow->queue) != generation)
    return GST_FLOW_FLUSHING;

  histo_errors_clear_engine_failure (&flow->errors);
  regions = histo_settings_get_to_configure (flow->settings,
      &flow->settings_copy, &mask);
  edges = histo_settings_ref_edges (flow->settings);
  plan.bins = settings->bins;
  plan.edges = edges;
  plan.mask = mask;
  plan.groups = histo_settings_groups (settings);
  plan.regions = regions;
  plan.n_rois = histo_rois_room (n_rois);
  config.max_in_flight = settings->max_in_flight;
  config.hold_previous = settings->hold_previous;
  config.is_awaited = histo_settings_attach (settings);
  GST_DEBUG_OBJECT (flow->element, "configuring for %" GST_PTR_FORMAT
      ", bins %u, range %g to %g, %u edges, %u in flight", flow->caps, plan.bins.bins,
      plan.bins.range_min, plan.bins.range_max, edges == NULL ? 0 :
      (guint) (g_bytes_get_size (edges) / sizeof (gdouble)), settings->max_in_flight);
  flow->configured_in_flight = settings->max_in_flight;
  flow->configured_rois = plan.n_rois;
  if (!check_bins (&plan, &error) || !histo_meter_configure (flow->meter, flow->picture, &plan,
          &config, &error))
    ret = histo_errors_fail_engine (&flow->errors, error);
  else
    log_size (flow, settings);
  g_clear_pointer (&regions, g_array_unref);
  g_clear_pointer (&mask, histo_mask_unref);
  /* Last, because the message's handler may stop the element. */
  histo_settings_warn_of_refusals (flow->settings, flow->element);
  return ret;
}

/* Configures the engines for other caps. Equal caps change nothing, and do not wait for the
 * buffers in flight. */
static GstFlowReturn
set_caps (HistoFlow * flow, GstCaps * caps)
{
  HistoFormat *format;
  GstFlowReturn ret;
  GError *error = NULL;

  if (flow->caps != NULL && gst_caps_is_equal (flow->caps, caps)
      && !histo_errors_engine_failed (&flow->errors))
    return GST_FLOW_OK;
  format = histo_format_new (caps, &error);
  if (format == NULL) {
    histo_errors_post (&flow->errors, error);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  forget_caps (flow);
  flow->format = format;
  flow->picture = histo_format_ref (format);
  flow->caps = gst_caps_ref (caps);
  flow->n_restarts[HISTO_RESTART_CAPS]++;
  histo_qos_set_frame_duration (&flow->qos,
      histo_format_frame_duration (format));
  histo_latency_set_frame_duration (&flow->latency,
      histo_format_frame_duration (format));
  /* The flag stays set if the flow has stopped and the engines cannot be configured now. */
  histo_settings_request_configure (flow->settings);
  ret = configure (flow, 0);
  /* Refused caps are refused again when upstream sends them again. */
  if (ret != GST_FLOW_OK && ret != GST_FLOW_NOT_LINKED
      && ret != GST_FLOW_FLUSHING)
    gst_clear_caps (&flow->caps);
  return ret;
}

/* ---- Buffers -------------------------------------------------------------------------- */

/* Whether `every` chooses this buffer: the first one after a start or a flush, and then one in so
 * many. A smaller `every` takes effect at once. */
static gboolean
is_due (HistoFlow * flow, const HistoSettings * settings)
{
  if (flow->n_since_due > 0 && flow->n_since_due < settings->every) {
    flow->n_since_due++;
    return FALSE;
  }
  flow->n_since_due = 1;
  return TRUE;
}

/* Whether there is something to measure. An empty video buffer with a GAP flag stands for a
 * frame that does not exist. */
static gboolean
has_samples (HistoFlow * flow, gsize size, GstBuffer * buffer)
{
  return flow->format->is_audio || size > 0
      || !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP);
}

/* Whether the buffer goes on without a result because it is late. */
static gboolean
is_dropped_as_late (HistoFlow * flow, const HistoSettings * settings,
    const HistoTimes * times)
{
  guint64 n_frames, n_bytes;

  if (!settings->qos || !histo_qos_is_late (&flow->qos, times))
    return FALSE;
  histo_publisher_get_counts (&flow->publisher, &n_frames, &n_bytes);
  histo_qos_drop (&flow->qos, flow->element, times, n_frames);
  return TRUE;
}

/* Makes the rectangle of the buffer's crop meta the picture. If its size is another one than that of the
 * buffer before, the engines are configured for it, as for other caps.
 * @crop: (out): all of the frame without such a meta */
static GstFlowReturn
follow_crop (HistoFlow * flow, GstBuffer * buffer, HistoCrop * crop,
    gboolean * must_configure)
{
  const HistoFormat *format = flow->format;
  HistoFormat *picture;
  GError *error = NULL;

  if (!histo_crop_find (format, buffer, crop, &error))
    return histo_errors_fail_engine (&flow->errors, error);
  if (format->is_audio || (crop->width == flow->picture->width
          && crop->height == flow->picture->height))
    return GST_FLOW_OK;
  picture = crop->width == format->width && crop->height == format->height ?
      histo_format_ref (flow->format) :
      histo_format_new_sized (flow->caps, crop->width, crop->height, &error);
  if (picture == NULL)
    return histo_errors_fail_engine (&flow->errors, error);
  GST_DEBUG_OBJECT (flow->element, "the picture is the rectangle %ux%u at %u,%u",
      crop->width, crop->height, crop->x, crop->y);
  histo_format_unref (flow->picture);
  flow->picture = picture;
  flow->n_restarts[HISTO_RESTART_CAPS]++;
  histo_settings_request_configure (flow->settings);
  *must_configure = TRUE;
  return GST_FLOW_OK;
}

/* @counted: (nullable): what another element has counted of the buffer */
static GstFlowReturn
submit (HistoFlow * flow, GstBuffer * buffer, HistoCounted * counted,
    HistoSubmission * submission)
{
  GError *error = NULL;

  if (counted != NULL)
    return histo_meter_take (flow->meter, counted, submission, &error) ?
        GST_FLOW_OK : histo_errors_fail_engine (&flow->errors, error);
  if (histo_meter_must_follow (flow->meter, buffer)) {
    /* This buffer is in flight already. */
    GstFlowReturn ret = histo_queue_wait_for_level (&flow->queue, 1);

    if (ret != GST_FLOW_OK)
      return ret;
    if (!histo_meter_follow (flow->meter, buffer, &error))
      return histo_errors_fail_engine (&flow->errors, error);
  }
  if (histo_meter_submit (flow->meter, buffer, submission, &error))
    return GST_FLOW_OK;
  return histo_errors_fail_engine (&flow->errors, error);
}

/* Starts the measuring of a buffer in flight, if it is to be measured.
 * @n_rois: at most the plan's room */
static GstFlowReturn
start_measuring (HistoFlow * flow, const HistoSettings * settings,
    GstBuffer * buffer, const HistoCrop * crop, guint n_rois, HistoItem * item)
{
  HistoSubmission *submission = &item->submission;
  HistoCounted *counted = histo_counted_find (buffer);
  GError *error = NULL;
  GstFlowReturn ret = GST_FLOW_OK;

  item->size = gst_buffer_get_size (buffer);
  item->is_measured = item->is_measured
      && has_samples (flow, item->size, buffer)
      && !is_dropped_as_late (flow, settings, &item->times);
  item->loses_result = !item->is_measured && settings->meta;
  if (!item->is_measured)
    return GST_FLOW_OK;

  item->delay = -g_get_monotonic_time ();
  item->settings = *settings;
  if (flow->settings_copy.rules != NULL)
    item->rules = histo_rules_ref (flow->settings_copy.rules);
  memcpy (item->n_restarts, flow->n_restarts, sizeof item->n_restarts);
  submission->info.continues = memcmp (flow->n_restarts,
      flow->submitted_restarts, sizeof flow->n_restarts) == 0;
  submission->info.n_rois = n_rois;
  submission->info.rois = histo_rois_new (buffer, crop, n_rois);
  submission->info.is_view = !flow->format->is_audio && (crop->x != 0 || crop->y != 0
      || crop->width != flow->format->width || crop->height != flow->format->height);
  submission->info.is_interlaced = histo_format_is_interlaced (flow->format, buffer);
  submission->info.first_row = crop->y;
  if (submission->info.is_view && counted == NULL) {
    submission->view = histo_crop_view (flow->format, flow->caps,
        flow->picture, buffer, crop, &error);
    if (submission->view == NULL)
      ret = histo_errors_fail_engine (&flow->errors, error);
  }
  if (ret == GST_FLOW_OK)
    ret = submit (flow, submission->view != NULL ? submission->view : buffer,
        counted, submission);
  item->delay += g_get_monotonic_time ();
  if (ret != GST_FLOW_OK) {
    histo_meter_release (flow->meter, submission);
    return ret;
  }
  memcpy (flow->submitted_restarts, flow->n_restarts,
      sizeof flow->n_restarts);
  flow->may_be_open = settings->window > 0
      || histo_settings_want_alerts (settings);
  return GST_FLOW_OK;
}

/* After this the buffer is in flight, unless it fails. */
static GstFlowReturn
prepare_item (HistoFlow * flow, const HistoSettings * settings,
    gboolean must_configure, GstBuffer * buffer, HistoItem * item)
{
  const gboolean is_wanted = histo_settings_want_results (settings);
  gboolean is_inside;
  GstFlowReturn ret;
  guint n_rois = 0;
  HistoCrop crop = { 0, };

  if (flow->format == NULL) {
    if (histo_errors_is_first (&flow->errors))
      GST_ELEMENT_ERROR (flow->element, CORE, NEGOTIATION, (NULL),
          ("a buffer came before any caps"));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  is_inside = histo_clip_buffer (flow->format, buffer, &flow->segment,
      &item->times, &item->submission.info.trim);
  if (!is_inside)
    GST_LOG_OBJECT (flow->element, "outside of the segment: %"
        GST_PTR_FORMAT, buffer);
  /* A sink does not render what lies outside: it is no neighbour of the next buffer inside. */
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT) || !is_wanted
      || !is_inside)
    flow->n_restarts[HISTO_RESTART_DISCONTINUITY]++;
  item->is_measured = is_wanted && is_inside && is_due (flow, settings);
  if (item->is_measured && settings->roi_meta && !flow->format->is_audio)
    n_rois = histo_rois_count (buffer);
  if (item->is_measured
      && has_samples (flow, gst_buffer_get_size (buffer), buffer)) {
    ret = follow_crop (flow, buffer, &crop, &must_configure);
    if (ret != GST_FLOW_OK)
      return ret;
  }
  if (must_configure || n_rois > flow->configured_rois
      || histo_errors_engine_failed (&flow->errors)) {
    ret = configure (flow, n_rois);
    if (ret != GST_FLOW_OK)
      return ret;
  }
  /* From here on the engines are not configured again before this buffer leaves. */
  ret = histo_queue_enter (&flow->queue, flow->configured_in_flight,
      item->generation);
  if (ret != GST_FLOW_OK)
    return ret;
  if (flow->may_be_open && !is_wanted) {
    item->ends_results = TRUE;
    flow->may_be_open = FALSE;
  }
  ret = start_measuring (flow, settings, buffer, &crop, n_rois, item);
  if (ret != GST_FLOW_OK)
    histo_queue_leave (&flow->queue);
  return ret;
}

/* Chooses which thread pushes a buffer that was just submitted.
 *
 * If its counts are complete, upstream's thread pushes it as soon as everything before it has been
 * passed on: another thread has nothing to do meanwhile. Otherwise upstream's thread pushes it if
 * all of these hold:
 *
 * - everything before it has been passed on, downstream is quick, and upstream is not in a
 *   hurry (see pacing.h);
 * - the buffer waits for its result: it is measured, and the result is to be attached;
 * - the result will be there before another thread could be woken.
 *
 * @rest: how long upstream was away, in us */
static gboolean
upstream_pushes (HistoFlow * flow, const HistoItem * item, gint64 rest)
{
  const HistoPromptness promptness = !item->is_measured ? HISTO_COUNTS_LATER :
      histo_meter_promptness (flow->meter, &item->submission);
  gboolean pushes;

  if (promptness == HISTO_COUNTS_READY)
    pushes = histo_queue_wait_until_idle (&flow->queue, item->generation);
  else
    pushes = histo_queue_upstream_may_push (&flow->queue, rest,
        item->generation) && promptness == HISTO_COUNTS_SOON
        && histo_settings_attach (&item->settings);

  if (pushes != flow->pushes)
    GST_DEBUG_OBJECT (flow->element, "%s pushes the buffers from now on",
        pushes ? "upstream's thread" : "the source pad's task");
  flow->pushes = pushes;
  return pushes;
}

/* A buffer is refused, or its result is not wanted: the next measured buffer is no neighbour of the
 * latest one. */
static void
note_gap (HistoFlow * flow)
{
  flow->n_restarts[HISTO_RESTART_DISCONTINUITY]++;
}

/* @buffer: (transfer full) */
static GstFlowReturn
process_buffer (HistoFlow * flow, const HistoSettings * settings,
    gboolean must_configure, GstBuffer * buffer, gint64 rest)
{
  HistoItem *item = g_new0 (HistoItem, 1);
  GstFlowReturn ret;

  item->object = GST_MINI_OBJECT_CAST (buffer);
  /* Before any message is posted, whose handler may flush. */
  item->generation = histo_queue_get_generation (&flow->queue);
  ret = prepare_item (flow, settings, must_configure, buffer, item);
  if (ret != GST_FLOW_OK) {
    histo_item_free (item);
  } else if (upstream_pushes (flow, item, rest)) {
    return histo_output_push_direct (flow, item);
  } else {
    ret = histo_queue_push (&flow->queue, item);
    if (ret == GST_FLOW_OK)
      return ret;
    flow->may_be_open |= item->ends_results;
    histo_publisher_drop (&flow->publisher, item);
  }
  note_gap (flow);
  return ret;
}

GstFlowReturn
histo_intake_buffer (HistoFlow * flow, GstBuffer * buffer)
{
  const HistoSettings *settings = &flow->settings_copy.values;
  gboolean must_configure;
  GstFlowReturn ret;

  must_configure =
      histo_settings_update (flow->settings, &flow->settings_copy);
  /* The buffer passes as if there were no element. */
  if (!histo_settings_want_results (settings) && flow->format != NULL
      && !flow->may_be_open && histo_queue_is_idle (&flow->queue)) {
    note_gap (flow);
    return gst_pad_push (flow->srcpad, buffer);
  }

  ret = process_buffer (flow, settings, must_configure, buffer,
      g_get_monotonic_time () - flow->returned_at);
  histo_meter_post_warning (flow->meter);
  flow->returned_at = g_get_monotonic_time ();
  return ret;
}

/* ---- Serialized events and queries ----------------------------------------------------- */

/* Updates the state that an event changes.
 * Returns: whether the event is to be queued (GST_FLOW_OK), or why not */
static GstFlowReturn
note_event (HistoFlow * flow, GstEvent * event)
{
  GstFlowReturn ret = GST_FLOW_OK;
  const gchar *stream_id;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    gst_event_parse_stream_start (event, &stream_id);
    /* A source may send the event of its stream again: that begins no other stream. */
    if (g_strcmp0 (stream_id, flow->stream_id) != 0) {
      g_free (flow->stream_id);
      flow->stream_id = g_strdup (stream_id);
      flow->n_restarts[HISTO_RESTART_CAPS]++;
    }
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment (event, &flow->segment);
    flow->n_restarts[HISTO_RESTART_SEGMENT]++;
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    ret = set_caps (flow, caps);
    /* Not linked: the engines are configured with the next buffer. */
    if (ret == GST_FLOW_NOT_LINKED)
      ret = GST_FLOW_OK;
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    histo_meter_return_buffers (flow->meter, FALSE);
  }
  return ret;
}

GstFlowReturn
histo_intake_event (HistoFlow * flow, GstEvent * event)
{
  GstFlowReturn ret = note_event (flow, event);
  HistoItem *item;

  histo_meter_post_warning (flow->meter);
  histo_latency_post_change (&flow->latency, flow->element);
  if (ret != GST_FLOW_OK) {
    gst_event_unref (event);
    return ret;
  }
  item = g_new0 (HistoItem, 1);
  item->object = GST_MINI_OBJECT_CAST (event);
  ret = histo_queue_push (&flow->queue, item);
  if (ret == GST_FLOW_OK)
    return ret;

  /* Upstream has ended before it could learn of the error from a buffer. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS
      && (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS))
    histo_errors_post_flow (&flow->errors, ret);
  histo_item_free (item);
  return ret;
}

gboolean
histo_intake_query (HistoFlow * flow, GstQuery * query)
{
  gint answer = HISTO_NO_ANSWER;
  HistoItem *item = g_new0 (HistoItem, 1);

  item->object = GST_MINI_OBJECT_CAST (query);
  item->answer = &answer;
  if (histo_queue_push (&flow->queue, item) == GST_FLOW_OK)
    return histo_queue_wait_for_answer (&flow->queue, item, &answer);
  histo_item_free (item);
  return FALSE;
}
