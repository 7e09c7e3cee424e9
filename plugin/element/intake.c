/* Receives buffers, events and queries from upstream, starts the measurement of each buffer, and queues
 * all of them; see intake.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/intake.h"

#include "element/clip.h"
#include "media/region.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

static void
forget_caps (HistoIntake * intake)
{
  gst_clear_caps (&intake->caps);
  g_clear_pointer (&intake->format, histo_format_unref);
  g_clear_pointer (&intake->picture, histo_format_unref);
}

void
histo_intake_clear (HistoIntake * intake)
{
  forget_caps (intake);
  g_clear_pointer (&intake->stream_id, g_free);
  intake->has_warned = FALSE;
}

void
histo_intake_begin_stream (HistoIntake * intake)
{
  gst_segment_init (&intake->segment, GST_FORMAT_UNDEFINED);
  intake->n_restarts[HISTO_RESTART_FLUSH]++;
  intake->n_since_due = 0;
  /* What a flush ends is posted with the next buffer. */
  intake->may_be_open = TRUE;
  histo_meter_return_buffers (intake->meter, FALSE);
}

/* ---- Configuring ---------------------------------------------------------------------- */

/* Only one bound of the range is set, and there is no range between it and 0. */
static void
warn_of_half_range (GstElement * element, const HistoBinSettings * bins)
{
  if (bins->range_max == 0)
    GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
        ("range-min=%g has no effect without a range-max above it.",
            bins->range_min), ("the format's own range is used"));
  else
    GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
        ("range-max=%g has no effect without a range-min below it.",
            bins->range_max), ("the format's own range is used"));
}

/* Above this the log tells once how large the counters and the histograms of a buffer are. */
#define LARGE_BUFFER (64 * 1024 * 1024)

/* With the engines configured: what a buffer costs beside its samples. */
static void
log_size (HistoIntake * intake, const HistoSettings * settings)
{
  const HistoPlan *plan = histo_meter_plan (intake->meter);
  const guint64 counters = (guint64) plan->n_counters * sizeof (guint32);
  const guint64 histograms = settings->meta || settings->post_messages ?
      histo_result_histogram_bytes (plan, histo_settings_histograms (settings))
      : 0;

  if (counters + histograms <= LARGE_BUFFER || intake->has_warned)
    return;
  intake->has_warned = TRUE;
  GST_WARNING_OBJECT (intake->element, "a buffer needs %" G_GUINT64_FORMAT
      " MiB of counters while it is measured (at most %u buffers are at a time), "
      "and its result has %" G_GUINT64_FORMAT " MiB of histograms",
      counters >> 20, settings->max_in_flight, histograms >> 20);
}

/* Configures the engines for the format and the settings, as soon as no buffer is in flight.
 * Brings the copy of the settings up to date, so that it fits the plan.
 *
 * @n_rois: how many regions the metas of the next buffer describe */
static GstFlowReturn
configure (HistoIntake * intake, guint n_rois)
{
  const guint generation = histo_queue_get_generation (intake->queue);
  GstFlowReturn flow = histo_queue_wait_for_level (intake->queue, 0);
  const HistoSettings *settings = &intake->settings_copy.values;
  HistoPlanSettings plan = { 0, };
  HistoEngineConfig config = { 0, };
  gboolean range_is_valid;
  GError *error = NULL;
  GArray *regions;

  if (flow != GST_FLOW_OK)
    return flow;
  histo_meter_prepare (intake->meter, intake->format);
  /* A handler may have stopped the element, or started it again. */
  if (histo_queue_get_generation (intake->queue) != generation)
    return GST_FLOW_FLUSHING;

  histo_errors_clear_engine_failure (intake->errors);
  regions = histo_settings_get_to_configure (intake->settings,
      &intake->settings_copy);
  plan.bins = settings->bins;
  range_is_valid = histo_bin_settings_valid (&plan.bins);
  if (!range_is_valid)
    plan.bins.range_min = plan.bins.range_max = 0;
  plan.groups = histo_settings_groups (settings);
  plan.regions = regions;
  plan.n_rois = histo_rois_room (n_rois);
  config.max_in_flight = settings->max_in_flight;
  /* A view does not keep its buffer, whose memory is used again when the pool gets it back. */
  config.hold_previous = settings->hold_previous && intake->is_whole;
  config.is_awaited = settings->meta;
  GST_DEBUG_OBJECT (intake->element, "configuring for %" GST_PTR_FORMAT
      ", bins %u, range %g to %g, %u in flight", intake->caps, plan.bins.bins,
      plan.bins.range_min, plan.bins.range_max, settings->max_in_flight);
  intake->configured_in_flight = settings->max_in_flight;
  intake->configured_rois = plan.n_rois;
  if (!histo_meter_configure (intake->meter, intake->picture, &plan,
          &config, &error))
    flow = histo_errors_fail_engine (intake->errors, error);
  else
    log_size (intake, settings);
  g_clear_pointer (&regions, g_array_unref);
  /* Last, because the message's handler may stop the element. */
  if (!range_is_valid)
    warn_of_half_range (intake->element, &settings->bins);
  return flow;
}

/* Configures the engines for other caps. Equal caps change nothing, and do not wait for the
 * buffers in flight. */
static GstFlowReturn
set_caps (HistoIntake * intake, GstCaps * caps)
{
  HistoFormat *format;
  GstFlowReturn flow;
  GError *error = NULL;

  if (intake->caps != NULL && gst_caps_is_equal (intake->caps, caps)
      && !histo_errors_engine_failed (intake->errors))
    return GST_FLOW_OK;
  format = histo_format_new (caps, &error);
  if (format == NULL) {
    histo_errors_post (intake->errors, error);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  forget_caps (intake);
  intake->format = format;
  intake->picture = histo_format_ref (format);
  intake->is_whole = TRUE;
  intake->caps = gst_caps_ref (caps);
  intake->n_restarts[HISTO_RESTART_CAPS]++;
  histo_qos_set_frame_duration (intake->qos,
      histo_format_frame_duration (format));
  histo_latency_set_frame_duration (intake->latency,
      histo_format_frame_duration (format));
  /* Also if the flow has stopped and the engines cannot be configured now. */
  histo_settings_request_configure (intake->settings);
  flow = configure (intake, 0);
  /* Refused caps are refused again when upstream sends them again. */
  if (flow != GST_FLOW_OK && flow != GST_FLOW_NOT_LINKED
      && flow != GST_FLOW_FLUSHING)
    gst_clear_caps (&intake->caps);
  return flow;
}

/* ---- Buffers -------------------------------------------------------------------------- */

/* Whether `every` chooses this buffer: the first one after a start or a flush, and then one in so
 * many. A smaller `every` takes effect at once. */
static gboolean
is_due (HistoIntake * intake, const HistoSettings * settings)
{
  if (intake->n_since_due > 0 && intake->n_since_due < settings->every) {
    intake->n_since_due++;
    return FALSE;
  }
  intake->n_since_due = 1;
  return TRUE;
}

/* Whether there is something to measure. An empty video buffer with a GAP flag stands for a
 * frame that does not exist. */
static gboolean
has_samples (HistoIntake * intake, gsize size, GstBuffer * buffer)
{
  return intake->format->is_audio || size > 0
      || !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP);
}

/* Whether the buffer goes on without a result because it is late. */
static gboolean
is_dropped_as_late (HistoIntake * intake, const HistoSettings * settings,
    const HistoTimes * times)
{
  guint64 n_frames, n_bytes;

  if (!settings->qos || !histo_qos_is_late (intake->qos, times))
    return FALSE;
  histo_publisher_get_counts (intake->output->publisher, &n_frames, &n_bytes);
  histo_qos_drop (intake->qos, intake->element, times, n_frames);
  return TRUE;
}

/* Makes the rectangle of the buffer's crop meta the picture. If its size is another one than that of the
 * buffer before, the engines are configured for it, as for other caps. They are configured, too, if from now on
 * buffers may not be held, or may be held again.
 * @crop: (out): all of the frame without such a meta */
static GstFlowReturn
follow_crop (HistoIntake * intake, const HistoSettings * settings,
    GstBuffer * buffer, HistoCrop * crop, gboolean * must_configure)
{
  const HistoFormat *format = intake->format;
  const gboolean was_whole = intake->is_whole;
  HistoFormat *picture;
  GError *error = NULL;

  if (!histo_crop_find (format, buffer, crop, &error))
    return histo_errors_fail_engine (intake->errors, error);
  if (format->is_audio)
    return GST_FLOW_OK;
  intake->is_whole = crop->x == 0 && crop->y == 0
      && crop->width == format->width && crop->height == format->height;
  if (crop->width == intake->picture->width
      && crop->height == intake->picture->height) {
    if (settings->hold_previous && intake->is_whole != was_whole) {
      histo_settings_request_configure (intake->settings);
      *must_configure = TRUE;
    }
    return GST_FLOW_OK;
  }
  picture = crop->width == format->width && crop->height == format->height ?
      histo_format_ref (intake->format) :
      histo_format_new_sized (intake->caps, crop->width, crop->height, &error);
  if (picture == NULL)
    return histo_errors_fail_engine (intake->errors, error);
  GST_DEBUG_OBJECT (intake->element, "the picture is the rectangle %ux%u at %u,%u",
      crop->width, crop->height, crop->x, crop->y);
  histo_format_unref (intake->picture);
  intake->picture = picture;
  intake->n_restarts[HISTO_RESTART_CAPS]++;
  histo_settings_request_configure (intake->settings);
  *must_configure = TRUE;
  return GST_FLOW_OK;
}

static GstFlowReturn
submit (HistoIntake * intake, GstBuffer * buffer,
    HistoSubmission * submission)
{
  GError *error = NULL;

  if (histo_meter_must_follow (intake->meter, buffer)) {
    /* This buffer is in flight already. */
    GstFlowReturn flow = histo_queue_wait_for_level (intake->queue, 1);

    if (flow != GST_FLOW_OK)
      return flow;
    if (!histo_meter_follow (intake->meter, buffer, &error))
      return histo_errors_fail_engine (intake->errors, error);
  }
  if (histo_meter_submit (intake->meter, buffer, submission, &error))
    return GST_FLOW_OK;
  return histo_errors_fail_engine (intake->errors, error);
}

/* Starts the measuring of a buffer in flight, if it is to be measured.
 * @n_rois: at most the plan's room */
static GstFlowReturn
start_measuring (HistoIntake * intake, const HistoSettings * settings,
    GstBuffer * buffer, const HistoCrop * crop, guint n_rois, HistoItem * item)
{
  HistoSubmission *submission = &item->submission;
  GError *error = NULL;
  GstFlowReturn flow = GST_FLOW_OK;

  item->size = gst_buffer_get_size (buffer);
  item->is_measured = item->is_measured
      && has_samples (intake, item->size, buffer)
      && !is_dropped_as_late (intake, settings, &item->times);
  item->loses_result = !item->is_measured && settings->meta;
  if (!item->is_measured)
    return GST_FLOW_OK;

  item->delay = -g_get_monotonic_time ();
  item->settings = *settings;
  memcpy (item->n_restarts, intake->n_restarts, sizeof item->n_restarts);
  submission->info.continues = memcmp (intake->n_restarts,
      intake->submitted_restarts, sizeof intake->n_restarts) == 0;
  submission->info.n_rois = n_rois;
  submission->info.rois = histo_rois_new (buffer, crop, n_rois);
  if (!intake->is_whole) {
    submission->view = histo_crop_view (intake->format, intake->caps,
        intake->picture, buffer, crop, &error);
    if (submission->view == NULL)
      flow = histo_errors_fail_engine (intake->errors, error);
  }
  if (flow == GST_FLOW_OK)
    flow = submit (intake, submission->view != NULL ? submission->view : buffer,
        submission);
  item->delay += g_get_monotonic_time ();
  if (flow != GST_FLOW_OK) {
    histo_meter_release (intake->meter, submission);
    return flow;
  }
  memcpy (intake->submitted_restarts, intake->n_restarts,
      sizeof intake->n_restarts);
  intake->may_be_open = settings->window > 0 || settings->alerts.alerts != 0;
  return GST_FLOW_OK;
}

/* After this the buffer is in flight, unless it fails. */
static GstFlowReturn
prepare_item (HistoIntake * intake, const HistoSettings * settings,
    gboolean must_configure, GstBuffer * buffer, HistoItem * item)
{
  const gboolean is_wanted = histo_settings_want_results (settings);
  gboolean is_inside;
  GstFlowReturn flow;
  guint n_rois = 0;
  HistoCrop crop = { 0, };

  if (intake->format == NULL) {
    if (histo_errors_is_first (intake->errors))
      GST_ELEMENT_ERROR (intake->element, CORE, NEGOTIATION, (NULL),
          ("a buffer came before any caps"));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  is_inside = histo_clip_buffer (intake->format, buffer, &intake->segment,
      &item->times, &item->submission.info.trim);
  if (!is_inside)
    GST_LOG_OBJECT (intake->element, "outside of the segment: %"
        GST_PTR_FORMAT, buffer);
  /* A sink does not render what lies outside: it is no neighbour of the next buffer inside. */
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT) || !is_wanted
      || !is_inside)
    intake->n_restarts[HISTO_RESTART_DISCONTINUITY]++;
  item->is_measured = is_wanted && is_inside && is_due (intake, settings);
  if (item->is_measured && settings->roi_meta && !intake->format->is_audio)
    n_rois = histo_rois_count (buffer);
  if (item->is_measured
      && has_samples (intake, gst_buffer_get_size (buffer), buffer)) {
    flow = follow_crop (intake, settings, buffer, &crop, &must_configure);
    if (flow != GST_FLOW_OK)
      return flow;
  }
  if (must_configure || n_rois > intake->configured_rois
      || histo_errors_engine_failed (intake->errors)) {
    flow = configure (intake, n_rois);
    if (flow != GST_FLOW_OK)
      return flow;
  }
  /* From here on the engines are not configured again before this buffer leaves. */
  flow = histo_queue_enter (intake->queue, intake->configured_in_flight,
      item->generation);
  if (flow != GST_FLOW_OK)
    return flow;
  if (intake->may_be_open && !is_wanted) {
    item->ends_results = TRUE;
    intake->may_be_open = FALSE;
  }
  flow = start_measuring (intake, settings, buffer, &crop, n_rois, item);
  if (flow != GST_FLOW_OK)
    histo_queue_leave (intake->queue);
  return flow;
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
upstream_pushes (HistoIntake * intake, const HistoItem * item, gint64 rest)
{
  const HistoPromptness promptness = !item->is_measured ? HISTO_COUNTS_LATER :
      histo_meter_promptness (intake->meter, &item->submission);
  gboolean pushes;

  if (promptness == HISTO_COUNTS_READY)
    pushes = histo_queue_wait_until_idle (intake->queue, item->generation);
  else
    pushes = histo_queue_upstream_may_push (intake->queue, rest,
        item->generation) && promptness == HISTO_COUNTS_SOON
        && item->settings.meta;

  if (pushes != intake->pushes)
    GST_DEBUG_OBJECT (intake->element, "%s pushes the buffers from now on",
        pushes ? "upstream's thread" : "the source pad's task");
  intake->pushes = pushes;
  return pushes;
}

/* A buffer is refused, or its result is not wanted: the next measured buffer is no neighbour of the
 * latest one. */
static void
note_gap (HistoIntake * intake)
{
  intake->n_restarts[HISTO_RESTART_DISCONTINUITY]++;
}

/* @buffer: (transfer full) */
static GstFlowReturn
process_buffer (HistoIntake * intake, const HistoSettings * settings,
    gboolean must_configure, GstBuffer * buffer, gint64 rest)
{
  HistoItem *item = g_new0 (HistoItem, 1);
  GstFlowReturn flow;

  item->object = GST_MINI_OBJECT_CAST (buffer);
  /* Before any message is posted, whose handler may flush. */
  item->generation = histo_queue_get_generation (intake->queue);
  flow = prepare_item (intake, settings, must_configure, buffer, item);
  if (flow != GST_FLOW_OK) {
    histo_item_free (item);
  } else if (upstream_pushes (intake, item, rest)) {
    return histo_output_push_direct (intake->output, item);
  } else {
    flow = histo_queue_push (intake->queue, item);
    if (flow == GST_FLOW_OK)
      return flow;
    intake->may_be_open |= item->ends_results;
    histo_publisher_drop (intake->output->publisher, item);
  }
  note_gap (intake);
  return flow;
}

GstFlowReturn
histo_intake_buffer (HistoIntake * intake, GstBuffer * buffer)
{
  const HistoSettings *settings = &intake->settings_copy.values;
  gboolean must_configure;
  GstFlowReturn flow;

  must_configure =
      histo_settings_update (intake->settings, &intake->settings_copy);
  /* As if there were no element. */
  if (!histo_settings_want_results (settings) && intake->format != NULL
      && !intake->may_be_open && histo_queue_is_idle (intake->queue)) {
    note_gap (intake);
    return gst_pad_push (intake->output->pad, buffer);
  }

  flow = process_buffer (intake, settings, must_configure, buffer,
      g_get_monotonic_time () - intake->returned_at);
  histo_meter_post_warning (intake->meter);
  intake->returned_at = g_get_monotonic_time ();
  return flow;
}

/* ---- Serialized events and queries ----------------------------------------------------- */

/* Updates the state that an event changes.
 * Returns: whether the event is to be queued (GST_FLOW_OK), or why not */
static GstFlowReturn
note_event (HistoIntake * intake, GstEvent * event)
{
  GstFlowReturn flow = GST_FLOW_OK;
  const gchar *stream_id;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    gst_event_parse_stream_start (event, &stream_id);
    /* A source may send the event of its stream again: that begins no other stream. */
    if (g_strcmp0 (stream_id, intake->stream_id) != 0) {
      g_free (intake->stream_id);
      intake->stream_id = g_strdup (stream_id);
      intake->n_restarts[HISTO_RESTART_CAPS]++;
    }
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment (event, &intake->segment);
    intake->n_restarts[HISTO_RESTART_SEGMENT]++;
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    flow = set_caps (intake, caps);
    /* Not linked: the engines are configured with the next buffer. */
    if (flow == GST_FLOW_NOT_LINKED)
      flow = GST_FLOW_OK;
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    histo_meter_return_buffers (intake->meter, FALSE);
  }
  return flow;
}

GstFlowReturn
histo_intake_event (HistoIntake * intake, GstEvent * event)
{
  GstFlowReturn flow = note_event (intake, event);
  HistoItem *item;

  histo_meter_post_warning (intake->meter);
  histo_latency_post_change (intake->latency, intake->element);
  if (flow != GST_FLOW_OK) {
    gst_event_unref (event);
    return flow;
  }
  item = g_new0 (HistoItem, 1);
  item->object = GST_MINI_OBJECT_CAST (event);
  flow = histo_queue_push (intake->queue, item);
  if (flow == GST_FLOW_OK)
    return flow;

  /* Upstream has ended before it could learn of the error from a buffer. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS
      && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS))
    histo_errors_post_flow (intake->errors, flow);
  histo_item_free (item);
  return flow;
}

gboolean
histo_intake_query (HistoIntake * intake, GstQuery * query)
{
  gint answer = HISTO_NO_ANSWER;
  HistoItem *item = g_new0 (HistoItem, 1);

  item->object = GST_MINI_OBJECT_CAST (query);
  item->answer = &answer;
  if (histo_queue_push (intake->queue, item) == GST_FLOW_OK)
    return histo_queue_wait_for_answer (intake->queue, item, &answer);
  histo_item_free (item);
  return FALSE;
}
