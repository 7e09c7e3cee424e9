/* Turns counts into results, metas and messages; see publisher.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/publisher.h"

#include "result/fill.h"
#include "result/write.h"

void
histo_publisher_init (HistoPublisher * publisher, GstElement * element,
    HistoMeter * meter)
{
  publisher->element = element;
  publisher->meter = meter;
  histo_temporal_init (&publisher->temporal, GST_OBJECT_CAST (element));
  g_queue_init (&publisher->ends);
}

static void
drop_messages (GQueue * messages)
{
  g_queue_clear_full (messages, (GDestroyNotify) gst_message_unref);
}

void
histo_publisher_clear (HistoPublisher * publisher)
{
  histo_temporal_clear (&publisher->temporal);
  histo_result_clear (&publisher->result);
  drop_messages (&publisher->ends);
}

void
histo_publisher_forget (HistoPublisher * publisher)
{
  histo_temporal_forget (&publisher->temporal);
  drop_messages (&publisher->ends);
}

/* The messages wait: a handler could flush again before this flush has ended. */
void
histo_publisher_flush (HistoPublisher * publisher)
{
  histo_temporal_restart (&publisher->temporal, HISTO_RESTART_FLUSH,
      &publisher->ends);
}

/* ---- Messages --------------------------------------------------------------------------- */

/* Moves all messages from one queue to the end of the other. */
static void
move_messages (GQueue * from, GQueue * to)
{
  GstMessage *message;

  while ((message = g_queue_pop_head (from)) != NULL)
    g_queue_push_tail (to, message);
}

void
histo_messages_post (HistoMessages * messages, GstElement * element)
{
  GstMessage *message;

  while ((message = g_queue_pop_head (&messages->earlier)) != NULL)
    gst_element_post_message (element, message);
  if (messages->result != NULL)
    gst_element_post_message (element, g_steal_pointer (&messages->result));
}

/* ---- One result ------------------------------------------------------------------------- */

/* Returns: the greatest reason that has occurred since the previous published measurement */
static HistoRestart
find_restart (HistoPublisher * publisher, const HistoMeasurement * measurement)
{
  HistoRestart reason = HISTO_RESTART_NONE;

  for (guint i = 0; i < G_N_ELEMENTS (measurement->n_restarts); i++)
    if (publisher->n_restarts[i] != measurement->n_restarts[i])
      reason = i;
  memcpy (publisher->n_restarts, measurement->n_restarts,
      sizeof publisher->n_restarts);
  return reason;
}

/* Returns: (nullable): an empty structure on the buffer; NULL if it can have none */
static GstStructure *
attach (HistoPublisher * publisher, GstBuffer ** buffer)
{
  GstStructure *structure = histo_write_attach (buffer);

  if (structure == NULL && !publisher->has_warned) {
    publisher->has_warned = TRUE;
    GST_ELEMENT_WARNING (publisher->element, LIBRARY, FAILED,
        ("The result cannot be attached to the buffers."),
        ("another plugin has a meta named \"%s\"", HISTO_RESULT_NAME));
  }
  return structure;
}

/* Writes all fields but the times. */
static void
fill_structure (HistoPublisher * publisher, GstStructure * structure)
{
  histo_write_result (&publisher->result, structure);
  histo_write_alerts (publisher->temporal.current, structure);
}

/* @buffer: (inout) (nullable): as of histo_publisher_publish()
 * Returns: (transfer full) (nullable): the message, if one is due */
static GstMessage *
write_result (HistoPublisher * publisher, const HistoMeasurement * measurement,
    gboolean posts, GstBuffer ** buffer)
{
  GstStructure *attached = NULL, *posted = NULL;

  if (buffer != NULL && measurement->attaches) {
    attached = attach (publisher, buffer);
    if (attached != NULL)
      fill_structure (publisher, attached);
  }
  if (!posts)
    return NULL;
  if (attached != NULL) {
    posted = gst_structure_copy (attached);
  } else {
    posted = gst_structure_new_empty (HISTO_RESULT_NAME);
    fill_structure (publisher, posted);
  }
  return histo_write_message (posted, &measurement->times,
      GST_OBJECT_CAST (publisher->element));
}

gboolean
histo_publisher_reads_samples (HistoPublisher * publisher)
{
  return histo_temporal_needs_samples (histo_meter_plan (publisher->meter));
}

/* The temporal stage.
 * @measured: as for histo_publisher_publish()
 * @is_filled: whether the publisher's result is that of the buffer */
static gboolean
pass (HistoPublisher * publisher, const HistoTemporalSettings * settings,
    const HistoMeasurement * measurement, const HistoCounts * counts,
    GstBuffer * measured, gboolean is_filled, HistoMessages * messages,
    GError ** error)
{
  const HistoPlan *plan = histo_meter_plan (publisher->meter);
  const gboolean is_mapped = histo_temporal_needs_samples (plan);
  HistoPassing passing = {
    .plan = plan,
    .counts = counts,
    .backend = histo_meter_backend_of (&measurement->submission),
    .result = is_filled ? &publisher->result : NULL,
    .times = &measurement->times,
  };
  HistoLayout layout;
  gboolean ok;

  if (is_mapped && !histo_layout_map (&layout, plan->format, measured,
          GST_MAP_READ, error))
    return FALSE;
  if (is_mapped) {
    histo_layout_trim_audio (&layout, &measurement->submission.info.trim);
    passing.samples = &layout.audio;
  }
  ok = histo_temporal_pass (&publisher->temporal, settings, &passing,
      &messages->earlier, error);
  if (is_mapped)
    histo_layout_unmap (&layout, plan->format);
  return ok;
}

gboolean
histo_publisher_publish (HistoPublisher * publisher,
    const HistoMeasurement * measurement, const HistoCounts * counts,
    GstBuffer * measured, GstBuffer ** buffer, HistoMessages * messages,
    GError ** error)
{
  HistoTemporal *temporal = &publisher->temporal;
  const HistoPlan *plan = histo_meter_plan (publisher->meter);
  const HistoSubmission *submission = &measurement->submission;
  const HistoTemporalSettings settings = { measurement->window,
    measurement->histograms, &measurement->alerts
  };
  const HistoRestart restart = find_restart (publisher, measurement);
  gboolean posts, is_written, passes, is_filled, ok = TRUE;

  move_messages (&publisher->ends, &messages->earlier);
  histo_temporal_restart (temporal, restart, &messages->earlier);
  posts = measurement->posts && histo_temporal_message_is_due (temporal,
      measurement->times.running_time, measurement->interval);
  is_written = measurement->attaches || posts;
  passes = histo_temporal_is_needed (temporal, plan, &settings);
  is_filled = is_written || (passes
      && histo_temporal_needs_result (temporal, plan, &settings));

  if (is_filled)
    histo_result_fill (&publisher->result, plan, counts, &submission->info,
        histo_meter_backend_of (submission),
        is_written ? measurement->histograms : HISTO_HISTOGRAMS_NONE);
  if (passes)
    ok = pass (publisher, &settings, measurement, counts, measured, is_filled,
        messages, error);
  if (is_written && ok)
    messages->result = write_result (publisher, measurement, posts, buffer);
  /* The histograms belong to the structures now. */
  if (is_filled)
    histo_result_set_n_components (&publisher->result, 0);
  return ok;
}

void
histo_publisher_end_stream (HistoPublisher * publisher,
    HistoMessages * messages)
{
  move_messages (&publisher->ends, &messages->earlier);
  histo_temporal_end (&publisher->temporal, &messages->earlier);
}
