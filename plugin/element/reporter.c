/* What becomes of the counts of a buffer: attached to it, posted, or both.
 *
 * A result that is only posted is nothing that a buffer need wait for: such a buffer goes
 * on at once, and a thread beside the flow posts its result when it is there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/cudahisto.h"
#include "result/write.h"

static gboolean
message_is_due (GstCudaHisto * self, GstBuffer * buffer,
    const GstSegment * segment, guint64 interval)
{
  GstClockTime now = GST_CLOCK_TIME_NONE;

  if (segment->format == GST_FORMAT_TIME)
    now = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
  if (interval > 0 && GST_CLOCK_TIME_IS_VALID (now)
      && GST_CLOCK_TIME_IS_VALID (self->last_message)
      && now >= self->last_message && now - self->last_message < interval)
    return FALSE;
  self->last_message = now;
  return TRUE;
}

/* Writes the result to the buffer if that is allowed and wanted. Returns the message that is
 * to be posted, or NULL. */
static GstMessage *
publish (GstCudaHisto * self, GstBuffer ** buffer, const HistoJob * job,
    const HistoCounts * counts, const GstSegment * segment, gboolean may_attach)
{
  GstCudaHistoSettings settings = gst_cuda_histo_get_settings (self);
  const gboolean attaches = settings.meta && may_attach;
  const gboolean posts = settings.post_messages
      && message_is_due (self, *buffer, segment, settings.interval);
  GstStructure *attached = NULL, *posted;
  HistoTimes times;

  if (!attaches && !posts)
    return NULL;
  histo_result_fill (&self->result, histo_meter_plan (self->meter), counts,
      histo_meter_backend_of (job), settings.histogram);
  if (attaches) {
    attached = histo_write_attach (buffer);
    histo_write_result (&self->result, attached);
  }
  if (!posts)
    return NULL;

  if (attached != NULL) {
    posted = gst_structure_copy (attached);
  } else {
    posted = gst_structure_new_empty (HISTO_RESULT_NAME);
    histo_write_result (&self->result, posted);
  }
  histo_times_from_buffer (&times, *buffer, segment);
  return histo_write_message (posted, &times, GST_OBJECT_CAST (self));
}

static GstFlowReturn
finish (GstCudaHisto * self, GstBuffer ** buffer, HistoJob * job,
    const GstSegment * segment, gboolean may_attach)
{
  gsize size = gst_buffer_get_size (*buffer);
  GstMessage *message = NULL;
  GError *error = NULL;
  HistoCounts counts;
  gboolean ok;

  ok = histo_meter_finish (self->meter, job, *buffer, &counts, &error);
  if (ok)
    message = publish (self, buffer, job, &counts, segment, may_attach);
  histo_meter_release (self->meter, job);
  if (!ok)
    return gst_cuda_histo_fail_unconfigured (self, error);

  GST_OBJECT_LOCK (self);
  self->n_frames++;
  self->n_bytes += size;
  GST_OBJECT_UNLOCK (self);
  if (message != NULL)
    gst_element_post_message (GST_ELEMENT_CAST (self), message);
  return GST_FLOW_OK;
}

/* Waits for a job, and publishes its result. Takes the buffer; *buffer is what to push. */
GstFlowReturn
gst_cuda_histo_finish (GstCudaHisto * self, GstBuffer ** buffer, HistoJob * job)
{
  return finish (self, buffer, job, &self->segment, TRUE);
}

/* ---- Beside the flow ---------------------------------------------------------------- */

typedef struct
{
  GstBuffer *buffer;
  HistoJob job;
  GstSegment segment;
} Report;

/* The element whose result this thread is publishing. */
static GPrivate reporting;

static void
report (gpointer data, gpointer user_data)
{
  GstCudaHisto *self = user_data;
  Report *this = data;
  GstFlowReturn flow;

  g_private_set (&reporting, self);
  g_mutex_lock (&self->queue_lock);
  flow = self->flow;
  g_mutex_unlock (&self->queue_lock);
  if (flow == GST_FLOW_FLUSHING)
    histo_meter_release (self->meter, &this->job);
  else
    flow = finish (self, &this->buffer, &this->job, &this->segment, FALSE);
  gst_buffer_unref (this->buffer);
  g_free (this);
  g_private_set (&reporting, NULL);

  g_mutex_lock (&self->queue_lock);
  if (self->flow == GST_FLOW_OK && flow == GST_FLOW_ERROR)
    self->flow = flow;
  self->n_in_flight--;
  self->n_reports--;
  histo_condition_broadcast (&self->queue_changed);
  g_mutex_unlock (&self->queue_lock);
}

/**
 * gst_cuda_histo_report_later:
 * @buffer: referenced until its result is there
 *
 * From the source pad's task. The buffer counts as in flight until then.
 *
 * Returns: FALSE, and nothing is done, where there can be no thread for it
 */
gboolean
gst_cuda_histo_report_later (GstCudaHisto * self, GstBuffer * buffer,
    const HistoJob * job)
{
  Report *this;

  /* An exclusive pool of one thread: reports keep their order, and none fails. */
  if (self->reporter == NULL)
    self->reporter = g_thread_pool_new (report, self, 1, TRUE, NULL);
  if (self->reporter == NULL
      || g_thread_pool_get_num_threads (self->reporter) == 0)
    return FALSE;

  this = g_new (Report, 1);
  this->buffer = gst_buffer_ref (buffer);
  this->job = *job;
  this->segment = self->segment;
  g_mutex_lock (&self->queue_lock);
  self->n_reports++;
  g_mutex_unlock (&self->queue_lock);
  g_thread_pool_push (self->reporter, this, NULL);
  return TRUE;
}

/* FALSE if the flow stops before, unless that is of no account. */
static gboolean
wait_for_reports (GstCudaHisto * self, gboolean to_the_end)
{
  gboolean all;

  /* Who handles a message may flush or seek then and there. */
  if (g_private_get (&reporting) == self)
    return TRUE;
  g_mutex_lock (&self->queue_lock);
  while (self->n_reports > 0
      && (to_the_end || self->flow != GST_FLOW_FLUSHING))
    histo_condition_wait (&self->queue_changed, &self->queue_lock);
  all = self->n_reports == 0;
  g_mutex_unlock (&self->queue_lock);
  return all;
}

/* Results come in order, and before the end of the stream: whoever publishes another one
 * or ends it, waits here. FALSE if the flow stops before: who handles the latest message may
 * be who stops it, and wait for the waiting thread. */
gboolean
gst_cuda_histo_wait_for_reports (GstCudaHisto * self)
{
  return wait_for_reports (self, FALSE);
}

/* With the flow and the task stopped: waits until no report is at work. */
void
gst_cuda_histo_settle_reports (GstCudaHisto * self)
{
  wait_for_reports (self, TRUE);
}

/* With the task stopped. */
void
gst_cuda_histo_stop_reports (GstCudaHisto * self)
{
  if (self->reporter != NULL)
    g_thread_pool_free (self->reporter, FALSE, TRUE);
  self->reporter = NULL;
}
