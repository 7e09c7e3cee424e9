/* Finishing a buffer's measurement; see reporter.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/reporter.h"

#include "engine/condition.h"
#include "result/write.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

/* ---- One result ----------------------------------------------------------------------- */

/* The temporal stage. Returns whether a message about the result is due. */
static gboolean
pass_temporal_stage (HistoReporter * reporter,
    const HistoMeasurement * measurement)
{
  if (measurement->restart != HISTO_RESTART_NONE)
    histo_temporal_restart (&reporter->temporal, measurement->restart);
  return measurement->posts
      && histo_temporal_message_is_due (&reporter->temporal,
      measurement->times.running_time, measurement->interval);
}

/* Returns: (nullable): an empty structure on the buffer; NULL if it can have none */
static GstStructure *
attach (HistoReporter * reporter, GstBuffer ** buffer)
{
  GstStructure *structure = histo_write_attach (buffer);

  if (structure == NULL && !reporter->has_warned) {
    reporter->has_warned = TRUE;
    GST_ELEMENT_WARNING (reporter->element, LIBRARY, FAILED,
        ("The result cannot be attached to the buffers."),
        ("another plugin has a meta named \"%s\"", HISTO_RESULT_NAME));
  }
  return structure;
}

/* Attaches the result and makes the message, where they are wanted.
 *
 * @buffer: (inout) (nullable): only if the result is to be attached
 * Returns: (transfer full) (nullable): the message to be posted */
static GstMessage *
publish (HistoReporter * reporter, const HistoMeasurement * measurement,
    const HistoCounts * counts, GstBuffer ** buffer)
{
  const gboolean posts = pass_temporal_stage (reporter, measurement);
  GstStructure *attached = NULL, *posted = NULL;

  if (!measurement->attaches && !posts)
    return NULL;
  histo_result_fill (&reporter->result, histo_meter_plan (reporter->meter),
      counts, histo_meter_backend_of (&measurement->submission),
      measurement->with_histogram);
  if (measurement->attaches) {
    attached = attach (reporter, buffer);
    if (attached != NULL)
      histo_write_result (&reporter->result, attached);
  }
  if (posts && attached != NULL) {
    posted = gst_structure_copy (attached);
  } else if (posts) {
    posted = gst_structure_new_empty (HISTO_RESULT_NAME);
    histo_write_result (&reporter->result, posted);
  }
  /* The histograms belong to the structures now. */
  histo_result_set_n_components (&reporter->result, 0);
  if (!posts)
    return NULL;
  return histo_write_message (posted, &measurement->times,
      GST_OBJECT_CAST (reporter->element));
}

/* After the measurement was released. Nothing here follows the posting, because a message's
 * handler may stop and free the element. */
static void
count_and_post (HistoReporter * reporter, gsize size, GstMessage * message)
{
  g_mutex_lock (&reporter->lock);
  reporter->n_frames++;
  reporter->n_bytes += size;
  g_mutex_unlock (&reporter->lock);
  if (message != NULL)
    gst_element_post_message (reporter->element, message);
}

/**
 * histo_reporter_finish:
 * @measurement: (inout): a submitted one; it is released
 * @buffer: (inout) (transfer full): what was measured; becomes what is to be pushed
 *
 * Waits for the counts and publishes the result. Reports that were handed over before must
 * have been published: see histo_reporter_wait().
 */
GstFlowReturn
histo_reporter_finish (HistoReporter * reporter,
    HistoMeasurement * measurement, GstBuffer ** buffer)
{
  GstMessage *message = NULL;
  GError *error = NULL;
  HistoCounts counts;
  gboolean ok;

  ok = histo_meter_finish (reporter->meter, &measurement->submission, *buffer,
      &counts, &error);
  if (ok)
    message = publish (reporter, measurement, &counts, buffer);
  histo_meter_release (reporter->meter, &measurement->submission);
  if (!ok)
    return histo_errors_fail_engine (reporter->errors, error);
  count_and_post (reporter, measurement->size, message);
  return GST_FLOW_OK;
}

/* ---- The thread beside the flow --------------------------------------------------------- */

/* A measurement whose buffer has gone downstream. */
typedef struct
{
  HistoMeasurement measurement;
  GstBuffer *buffer;            /* referenced until the counts are there; then NULL */
  HistoCounts counts;           /* if the buffer is NULL */
  guint generation;
} Report;

/* Counted by references: the reporter's and the thread's own. A message's handler may stop the
 * element in this thread, and free it, and then the thread has to find its end. */
struct _HistoReportThread
{
  HistoReporter *reporter;
  gboolean is_detached;         /* set and read in this thread only: it has been stopped by
                                 * itself, and the reporter may be gone */
  GMutex lock;                  /* of all below */
  GThread *thread;              /* NULL while it does not run */
  HistoCondition arrived;       /* the thread waits: for a report, or for its end */
  HistoCondition progressed;    /* others wait: for n_pending, or a flush */
  GQueue reports;
  guint n_pending;              /* reports that are queued or being published */
  guint generation;             /* counts the flushes: older reports are not published */
  gboolean is_flushing, is_ending;
};

static HistoReportThread *
report_thread_new (HistoReporter * reporter)
{
  HistoReportThread *thread = g_atomic_rc_box_new0 (HistoReportThread);

  thread->reporter = reporter;
  g_mutex_init (&thread->lock);
  histo_condition_init (&thread->arrived);
  histo_condition_init (&thread->progressed);
  g_queue_init (&thread->reports);
  return thread;
}

static void
clear_report_thread (gpointer data)
{
  HistoReportThread *thread = data;

  g_mutex_clear (&thread->lock);
  histo_condition_clear (&thread->arrived);
  histo_condition_clear (&thread->progressed);
}

static void
report_thread_unref (HistoReportThread * thread)
{
  g_atomic_rc_box_release_full (thread, clear_report_thread);
}

static void
free_report (Report * report)
{
  gst_clear_buffer (&report->buffer);
  g_free (report);
}

/* Publishes the result of a report. */
static GstFlowReturn
publish_report (HistoReporter * reporter, Report * report)
{
  HistoMeasurement *measurement = &report->measurement;
  GstMessage *message = NULL;
  GError *error = NULL;
  gboolean ok = TRUE;

  if (report->buffer != NULL)
    ok = histo_meter_finish (reporter->meter, &measurement->submission,
        report->buffer, &report->counts, &error);
  /* The engine does not read it any more. */
  gst_clear_buffer (&report->buffer);
  if (ok)
    message = publish (reporter, measurement, &report->counts, NULL);
  histo_meter_release (reporter->meter, &measurement->submission);
  if (!ok)
    return histo_errors_fail_engine (reporter->errors, error);
  count_and_post (reporter, measurement->size, message);
  return GST_FLOW_OK;
}

/* Under the lock. Returns: (nullable): the next report; NULL if the thread is to end */
static Report *
wait_for_report (HistoReportThread * thread, gboolean * is_current)
{
  Report *report;

  while (g_queue_is_empty (&thread->reports) && !thread->is_ending)
    histo_condition_wait (&thread->arrived, &thread->lock);
  report = g_queue_pop_head (&thread->reports);
  *is_current = report != NULL && report->generation == thread->generation;
  return report;
}

static gpointer
run_report_thread (gpointer data)
{
  HistoReportThread *thread = data;
  HistoReporter *reporter = thread->reporter;
  gboolean is_current;
  Report *report;

  g_mutex_lock (&thread->lock);
  while ((report = wait_for_report (thread, &is_current)) != NULL) {
    GstFlowReturn flow = GST_FLOW_OK;

    g_mutex_unlock (&thread->lock);
    if (is_current)
      flow = publish_report (reporter, report);
    else
      histo_meter_release (reporter->meter, &report->measurement.submission);
    free_report (report);
    if (thread->is_detached)
      goto end;
    if (flow != GST_FLOW_OK)
      histo_queue_fail (reporter->queue, flow);
    histo_queue_leave (reporter->queue);
    g_mutex_lock (&thread->lock);
    thread->n_pending--;
    histo_condition_broadcast (&thread->progressed);
  }
  g_mutex_unlock (&thread->lock);
end:
  report_thread_unref (thread);
  return NULL;
}

/* Returns: FALSE if there can be no thread */
static gboolean
start_report_thread (HistoReportThread * thread)
{
  GThread *its_thread;

  g_mutex_lock (&thread->lock);
  its_thread = g_thread_try_new ("cudahisto-report", run_report_thread,
      g_atomic_rc_box_acquire (thread), NULL);
  thread->thread = its_thread;
  g_mutex_unlock (&thread->lock);
  if (its_thread == NULL) {
    report_thread_unref (thread);
    return FALSE;
  }
  GST_DEBUG_OBJECT (thread->reporter->element,
      "results are posted by a thread beside the flow");
  return TRUE;
}

/**
 * histo_reporter_hand_over:
 * @measurement: a submitted one, which is only to be posted
 * @buffer: what was measured; the caller pushes it
 *
 * Leaves the rest to the thread beside the flow. The buffer counts as in flight until its
 * result is posted. To be called in the source pad's task, which is stopped before that thread
 * is.
 *
 * Returns: %FALSE, and nothing is done, if there can be no such thread
 */
gboolean
histo_reporter_hand_over (HistoReporter * reporter,
    const HistoMeasurement * measurement, GstBuffer * buffer)
{
  HistoReportThread *thread = reporter->thread;
  Report *report;

  /* Only the task and, with the task stopped, histo_reporter_stop() change this. */
  if (thread->thread == NULL && !start_report_thread (thread))
    return FALSE;

  report = g_new (Report, 1);
  report->measurement = *measurement;
  report->buffer = NULL;
  if (!histo_meter_try_finish (reporter->meter, &measurement->submission,
          &report->counts))
    report->buffer = gst_buffer_ref (buffer);

  g_mutex_lock (&thread->lock);
  report->generation = thread->generation;
  g_queue_push_tail (&thread->reports, report);
  thread->n_pending++;
  histo_condition_broadcast (&thread->arrived);
  g_mutex_unlock (&thread->lock);
  return TRUE;
}

/* ---- Waiting for it, flushing and stopping it --------------------------------------------- */

static gboolean
is_own_thread (HistoReportThread * thread)
{
  return thread->thread == g_thread_self ();
}

/**
 * histo_reporter_wait:
 *
 * Waits until all reports are published. Results come in order and before the end of the
 * stream: a thread that publishes another one or ends the stream waits here first.
 *
 * Returns: %FALSE if a flush begins before. The handler of the latest message may have begun
 * it, and then waits for the calling thread.
 */
gboolean
histo_reporter_wait (HistoReporter * reporter)
{
  HistoReportThread *thread = reporter->thread;
  gboolean all;

  g_mutex_lock (&thread->lock);
  all = is_own_thread (thread);
  if (!all) {
    while (thread->n_pending > 0 && !thread->is_flushing)
      histo_condition_wait (&thread->progressed, &thread->lock);
    all = thread->n_pending == 0;
  }
  g_mutex_unlock (&thread->lock);
  return all;
}

/* Drops what is queued. Only in the thread itself, in a message's handler: elsewhere the thread
 * does it. */
static void
drop_reports (HistoReportThread * thread)
{
  HistoReporter *reporter = thread->reporter;
  GQueue reports;
  Report *report;
  guint n;

  g_mutex_lock (&thread->lock);
  reports = thread->reports;
  g_queue_init (&thread->reports);
  g_mutex_unlock (&thread->lock);

  n = reports.length;
  while ((report = g_queue_pop_head (&reports)) != NULL) {
    histo_meter_release (reporter->meter, &report->measurement.submission);
    free_report (report);
    histo_queue_leave (reporter->queue);
  }
  g_mutex_lock (&thread->lock);
  thread->n_pending -= n;
  histo_condition_broadcast (&thread->progressed);
  g_mutex_unlock (&thread->lock);
}

/* @is_flushing: TRUE: the reports so far are not to be published, and nobody waits for them any
 * more; FALSE: the flow starts again */
void
histo_reporter_set_flushing (HistoReporter * reporter, gboolean is_flushing)
{
  HistoReportThread *thread = reporter->thread;

  g_mutex_lock (&thread->lock);
  thread->is_flushing = is_flushing;
  thread->generation += is_flushing;
  histo_condition_broadcast (&thread->progressed);
  g_mutex_unlock (&thread->lock);
}

/* After histo_reporter_set_flushing(), with the source pad's task at rest: waits until no
 * report is left. In a message's handler the report whose message this is remains. */
void
histo_reporter_settle (HistoReporter * reporter)
{
  HistoReportThread *thread = reporter->thread;
  gboolean is_own;

  g_mutex_lock (&thread->lock);
  is_own = is_own_thread (thread);
  while (!is_own && thread->n_pending > 0)
    histo_condition_wait (&thread->progressed, &thread->lock);
  g_mutex_unlock (&thread->lock);
  if (is_own)
    drop_reports (thread);
}

/* A thread cannot wait for its own end: it ends when the message's handler returns, and another
 * one takes its place if the element is started again. */
static void
detach (HistoReporter * reporter)
{
  HistoReportThread *thread = reporter->thread;

  GST_WARNING_OBJECT (reporter->element, "stopped in the handler of one of "
      "its messages, in the thread that posts them: not waiting for it");
  drop_reports (thread);
  /* For the report whose message this is. */
  histo_queue_leave (reporter->queue);
  thread->is_detached = TRUE;
  g_thread_unref (thread->thread);
  report_thread_unref (thread);
  reporter->thread = report_thread_new (reporter);
}

/* After histo_reporter_set_flushing(), with the source pad's task stopped: ends the thread. */
void
histo_reporter_stop (HistoReporter * reporter)
{
  HistoReportThread *thread = reporter->thread;
  GThread *to_join;

  g_mutex_lock (&thread->lock);
  to_join = is_own_thread (thread) ? NULL : thread->thread;
  thread->is_ending = TRUE;
  histo_condition_broadcast (&thread->arrived);
  g_mutex_unlock (&thread->lock);

  if (to_join != NULL)
    g_thread_join (to_join);
  else if (thread->thread != NULL)
    detach (reporter);
  reporter->thread->thread = NULL;
  reporter->thread->is_ending = FALSE;
}

/* ---- The reporter --------------------------------------------------------------------------- */

void
histo_reporter_init (HistoReporter * reporter, GstElement * element,
    HistoMeter * meter, HistoQueue * queue, HistoErrors * errors)
{
  reporter->element = element;
  reporter->meter = meter;
  reporter->queue = queue;
  reporter->errors = errors;
  reporter->thread = report_thread_new (reporter);
  histo_temporal_init (&reporter->temporal);
  g_mutex_init (&reporter->lock);
}

/* The thread must have been stopped. */
void
histo_reporter_clear (HistoReporter * reporter)
{
  report_thread_unref (reporter->thread);
  histo_result_clear (&reporter->result);
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
