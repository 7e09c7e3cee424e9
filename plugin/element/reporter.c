/* Finishing a buffer's measurement; see reporter.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/reporter.h"

#include "engine/condition.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

/* ---- One result ----------------------------------------------------------------------- */

/* After the measurement was released, because a message's handler may stop the element. */
static void
count_and_post (HistoReporter * reporter, gsize size, HistoMessages * messages)
{
  g_mutex_lock (&reporter->lock);
  reporter->n_frames++;
  reporter->n_bytes += size;
  g_mutex_unlock (&reporter->lock);
  histo_messages_post (messages, reporter->element);
}

/* The same if there is no result. @error: (transfer full) */
static GstFlowReturn
fail (HistoReporter * reporter, HistoMessages * messages, GError * error)
{
  histo_messages_post (messages, reporter->element);
  return histo_errors_fail_engine (reporter->errors, error);
}

/* Notes how long the CPU engine has held a buffer that waits for its result. A device takes less than the
 * latency of anything else. @begin: when waiting for the counts began, us */
static void
note_delay (HistoReporter * reporter, const HistoMeasurement * measurement,
    gint64 begin)
{
  const gint64 now = g_get_monotonic_time ();

  if (measurement->attaches
      && g_str_equal (histo_meter_backend_of (&measurement->submission), "cpu"))
    histo_latency_note_delay (reporter->latency,
        (measurement->delay + now - begin) * GST_USECOND, now);
}

/**
 * histo_reporter_finish:
 * @measurement: (inout): a submitted one; it is released
 * @buffer: (inout) (transfer full): the measured buffer; becomes the buffer to be pushed
 *
 * Waits for the counts and publishes the result. Reports that were handed over before must
 * have been published: see histo_reporter_wait().
 */
GstFlowReturn
histo_reporter_finish (HistoReporter * reporter,
    HistoMeasurement * measurement, GstBuffer ** buffer)
{
  GstFlowReturn flow = GST_FLOW_OK;
  HistoMessages messages = { G_QUEUE_INIT, NULL };
  GError *error = NULL;
  const gint64 begin = g_get_monotonic_time ();
  HistoCounts counts;
  gboolean ok;

  ok = histo_meter_finish (reporter->meter, &measurement->submission, *buffer,
      &counts, &error);
  note_delay (reporter, measurement, begin);
  if (ok)
    ok = histo_publisher_publish (&reporter->publisher, measurement, &counts,
        *buffer, buffer, &messages, &error);
  histo_meter_release (reporter->meter, &measurement->submission);
  if (ok)
    count_and_post (reporter, measurement->size, &messages);
  else
    flow = fail (reporter, &messages, error);
  histo_meter_post_warning (reporter->meter);
  histo_latency_post_change (reporter->latency, reporter->element);
  return flow;
}

/* ---- The report thread ------------------------------------------------------------------ */

/* A measurement whose buffer has gone downstream. */
typedef struct
{
  HistoMeasurement measurement;
  GstBuffer *buffer;            /* referenced while something reads it; then NULL */
  gboolean is_counted;          /* the counts are there */
  HistoCounts counts;           /* if they are there */
  guint generation;             /* of the queue when the buffer came */
} Report;

static void
free_report (Report * report)
{
  gst_clear_buffer (&report->buffer);
  g_free (report);
}

/* Publishes the result of a report. The element is referenced meanwhile, because a message's
 * handler may stop and release it.
 *
 * @is_detached: becomes TRUE if a handler stops the element */
static GstFlowReturn
publish_report (HistoReporter * reporter, Report * report,
    const gboolean * is_detached)
{
  HistoMeasurement *measurement = &report->measurement;
  GstFlowReturn flow = GST_FLOW_OK;
  HistoMessages messages = { G_QUEUE_INIT, NULL };
  GError *error = NULL;
  gboolean ok = TRUE;

  if (!report->is_counted)
    ok = histo_meter_finish (reporter->meter, &measurement->submission,
        report->buffer, &report->counts, &error);
  if (ok)
    ok = histo_publisher_publish (&reporter->publisher, measurement,
        &report->counts, report->buffer, NULL, &messages, &error);
  /* In this order: a buffer goes back to its pool when nothing else holds its memory. */
  histo_meter_release (reporter->meter, &measurement->submission);
  gst_clear_buffer (&report->buffer);
  if (ok)
    count_and_post (reporter, measurement->size, &messages);
  else
    flow = fail (reporter, &messages, error);
  if (!*is_detached)
    histo_meter_post_warning (reporter->meter);
  return flow;
}

/* Under the lock. Returns: (nullable): the next report; NULL if the thread is to end */
static Report *
wait_for_report (HistoReporter * reporter)
{
  while (g_queue_is_empty (&reporter->reports) && !reporter->is_ending)
    histo_condition_wait (&reporter->arrived, &reporter->report_lock);
  return g_queue_pop_head (&reporter->reports);
}

static gpointer
run_report_thread (gpointer data)
{
  HistoReporter *reporter = data;
  GstElement *element = reporter->element;
  gboolean is_detached = FALSE;
  Report *report;

  g_mutex_lock (&reporter->report_lock);
  reporter->is_detached = &is_detached;
  while ((report = wait_for_report (reporter)) != NULL) {
    const guint generation = report->generation;
    GstFlowReturn flow = GST_FLOW_OK;

    g_mutex_unlock (&reporter->report_lock);
    gst_object_ref (element);
    if (generation == histo_queue_get_generation (reporter->queue))
      flow = publish_report (reporter, report, &is_detached);
    else
      histo_meter_release (reporter->meter, &report->measurement.submission);
    free_report (report);
    if (is_detached) {
      gst_object_unref (element);
      return NULL;
    }
    gst_object_unref (element);
    if (flow != GST_FLOW_OK)
      histo_queue_fail (reporter->queue, generation, flow);
    histo_queue_leave (reporter->queue);
    g_mutex_lock (&reporter->report_lock);
    reporter->n_pending--;
    histo_condition_broadcast (&reporter->progressed);
  }
  g_mutex_unlock (&reporter->report_lock);
  return NULL;
}

/* Returns: FALSE if there can be no thread */
static gboolean
start_report_thread (HistoReporter * reporter)
{
  gboolean ok;

  g_mutex_lock (&reporter->report_lock);
  reporter->thread = g_thread_try_new ("cudahisto-report", run_report_thread,
      reporter, NULL);
  ok = reporter->thread != NULL;
  g_mutex_unlock (&reporter->report_lock);
  if (ok)
    GST_DEBUG_OBJECT (reporter->element,
        "the report thread posts the results");
  return ok;
}

/**
 * histo_reporter_hand_over:
 * @measurement: a submitted one, which is only to be posted
 * @buffer: the measured buffer; the caller pushes it
 * @generation: the queue's generation when the buffer came
 *
 * Leaves the rest to the report thread. The buffer counts as in flight until its result is
 * posted. Only the source pad's task calls this; it is stopped before the report thread is.
 *
 * Returns: %FALSE, and nothing is done, if there can be no such thread
 */
gboolean
histo_reporter_hand_over (HistoReporter * reporter,
    const HistoMeasurement * measurement, GstBuffer * buffer, guint generation)
{
  Report *report;

  /* Only the task and, with the task stopped, histo_reporter_stop() change this. */
  if (reporter->thread == NULL && !start_report_thread (reporter))
    return FALSE;

  report = g_new (Report, 1);
  report->measurement = *measurement;
  report->buffer = NULL;
  report->generation = generation;
  report->is_counted = histo_meter_try_finish (reporter->meter,
      &report->measurement.submission, &report->counts);
  if (!report->is_counted
      || histo_publisher_reads_samples (&reporter->publisher))
    report->buffer = gst_buffer_ref (buffer);

  g_mutex_lock (&reporter->report_lock);
  g_queue_push_tail (&reporter->reports, report);
  reporter->n_pending++;
  histo_condition_broadcast (&reporter->arrived);
  g_mutex_unlock (&reporter->report_lock);
  return TRUE;
}

/* ---- Waiting for the report thread, flushing and stopping it ------------------------------ */

/* Under the lock. */
static gboolean
is_report_thread (HistoReporter * reporter)
{
  return reporter->thread == g_thread_self ();
}

/**
 * histo_reporter_wait:
 *
 * Waits until all reports are published. Results come in order and before the end of the
 * stream: a thread that publishes another one or ends the stream waits here first.
 *
 * Returns: %FALSE if a flush or a stop begins before. The handler of the latest message may
 * have begun it, and then waits for the calling thread.
 */
gboolean
histo_reporter_wait (HistoReporter * reporter)
{
  gboolean all;

  g_mutex_lock (&reporter->report_lock);
  all = is_report_thread (reporter);
  if (!all) {
    while (reporter->n_pending > 0 && !reporter->is_flushing
        && !reporter->is_stopping)
      histo_condition_wait (&reporter->progressed, &reporter->report_lock);
    all = reporter->n_pending == 0;
  }
  g_mutex_unlock (&reporter->report_lock);
  return all;
}

/**
 * histo_reporter_end_stream:
 *
 * In the source pad's task, before an event goes downstream that ends the stream or a segment, or
 * begins another stream, and before a buffer if no result is wanted any more. Waits until all
 * reports are published, and posts the messages about the open window and the open alerts.
 *
 * Returns: as histo_reporter_wait()
 */
gboolean
histo_reporter_end_stream (HistoReporter * reporter)
{
  HistoMessages messages = { G_QUEUE_INIT, NULL };

  if (!histo_reporter_wait (reporter))
    return FALSE;
  histo_publisher_end_stream (&reporter->publisher, &messages);
  histo_messages_post (&messages, reporter->element);
  return TRUE;
}

/* Drops the queued reports. Only in the report thread, in a message's handler: elsewhere the
 * report thread drops them itself. */
static void
drop_reports (HistoReporter * reporter)
{
  GQueue reports;
  Report *report;
  guint n;

  g_mutex_lock (&reporter->report_lock);
  reports = reporter->reports;
  g_queue_init (&reporter->reports);
  g_mutex_unlock (&reporter->report_lock);

  n = reports.length;
  while ((report = g_queue_pop_head (&reports)) != NULL) {
    histo_meter_release (reporter->meter, &report->measurement.submission);
    free_report (report);
    histo_queue_leave (reporter->queue);
  }
  g_mutex_lock (&reporter->report_lock);
  reporter->n_pending -= n;
  histo_condition_broadcast (&reporter->progressed);
  g_mutex_unlock (&reporter->report_lock);
}

/* @is_flushing: TRUE: no thread waits in histo_reporter_wait() any more; FALSE: the flow starts
 * again. In any thread. */
void
histo_reporter_set_flushing (HistoReporter * reporter, gboolean is_flushing)
{
  g_mutex_lock (&reporter->report_lock);
  reporter->is_flushing = is_flushing;
  histo_condition_broadcast (&reporter->progressed);
  g_mutex_unlock (&reporter->report_lock);
}

/* @is_stopping: TRUE: the source pad is being deactivated. This has the effect of a flush, which
 * the end of a flush does not undo. FALSE: the pad is activated. */
void
histo_reporter_set_stopping (HistoReporter * reporter, gboolean is_stopping)
{
  g_mutex_lock (&reporter->report_lock);
  reporter->is_stopping = is_stopping;
  histo_condition_broadcast (&reporter->progressed);
  g_mutex_unlock (&reporter->report_lock);
}

/* After histo_reporter_set_flushing(), with the queue flushing and the source pad's task at rest:
 * waits until no report is left. In a message's handler the report whose message this is
 * remains. */
void
histo_reporter_settle (HistoReporter * reporter)
{
  gboolean is_own;

  g_mutex_lock (&reporter->report_lock);
  is_own = is_report_thread (reporter);
  while (!is_own && reporter->n_pending > 0)
    histo_condition_wait (&reporter->progressed, &reporter->report_lock);
  g_mutex_unlock (&reporter->report_lock);
  if (is_own)
    drop_reports (reporter);
}

/* At the end of a flush, after histo_reporter_settle(): what follows does not belong to what was
 * before. */
void
histo_reporter_flush (HistoReporter * reporter)
{
  histo_publisher_flush (&reporter->publisher);
}

/* With the pads inactive. */
void
histo_reporter_forget (HistoReporter * reporter)
{
  histo_publisher_forget (&reporter->publisher);
}

/* In the report thread, which cannot wait for its own end: it ends when the message's handler
 * returns. If the element is started again, another report thread replaces it. */
static void
detach (HistoReporter * reporter)
{
  GST_WARNING_OBJECT (reporter->element, "stopped in the handler of one of "
      "its messages, in the thread that posts them: not waiting for it");
  drop_reports (reporter);
  /* For the report whose message this is. */
  histo_queue_leave (reporter->queue);

  g_mutex_lock (&reporter->report_lock);
  *reporter->is_detached = TRUE;
  g_thread_unref (reporter->thread);
  reporter->n_pending = 0;
  histo_condition_broadcast (&reporter->progressed);
  g_mutex_unlock (&reporter->report_lock);
}

/* After histo_reporter_set_stopping(), with the source pad's task stopped: ends the thread. */
void
histo_reporter_stop (HistoReporter * reporter)
{
  gboolean is_own;

  g_mutex_lock (&reporter->report_lock);
  is_own = is_report_thread (reporter);
  reporter->is_ending = TRUE;
  histo_condition_broadcast (&reporter->arrived);
  g_mutex_unlock (&reporter->report_lock);

  if (is_own)
    detach (reporter);
  else if (reporter->thread != NULL)
    g_thread_join (reporter->thread);

  g_mutex_lock (&reporter->report_lock);
  reporter->thread = NULL;
  reporter->is_ending = FALSE;
  g_mutex_unlock (&reporter->report_lock);
}

/* ---- The reporter --------------------------------------------------------------------------- */

void
histo_reporter_init (HistoReporter * reporter, GstElement * element,
    HistoMeter * meter, HistoQueue * queue, HistoErrors * errors,
    HistoLatency * latency)
{
  reporter->element = element;
  reporter->meter = meter;
  reporter->queue = queue;
  reporter->errors = errors;
  reporter->latency = latency;
  g_mutex_init (&reporter->report_lock);
  histo_condition_init (&reporter->arrived);
  histo_condition_init (&reporter->progressed);
  g_queue_init (&reporter->reports);
  histo_publisher_init (&reporter->publisher, element, meter);
  g_mutex_init (&reporter->lock);
}

/* The thread must have been stopped. */
void
histo_reporter_clear (HistoReporter * reporter)
{
  g_mutex_clear (&reporter->report_lock);
  histo_condition_clear (&reporter->arrived);
  histo_condition_clear (&reporter->progressed);
  histo_publisher_clear (&reporter->publisher);
  g_mutex_clear (&reporter->lock);
}

/* @n_frames, @n_bytes: (out): measured since histo_reporter_reset_counts() */
void
histo_reporter_get_counts (HistoReporter * reporter, guint64 * n_frames,
    guint64 * n_bytes)
{
  g_mutex_lock (&reporter->lock);
  *n_frames = reporter->n_frames;
  *n_bytes = reporter->n_bytes;
  g_mutex_unlock (&reporter->lock);
}

void
histo_reporter_reset_counts (HistoReporter * reporter)
{
  g_mutex_lock (&reporter->lock);
  reporter->n_frames = reporter->n_bytes = 0;
  g_mutex_unlock (&reporter->lock);
}
