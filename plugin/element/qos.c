/* Quality of service: when downstream says that buffers come too late, they can go on
 * without a result.
 *
 * Every buffer is passed on, late or not: to skip some is upstream's affair, who gets the
 * same events. What can be spared here is the measuring, and only for who asked for it
 * (`qos`), because results are then missing; each is counted and told of by a QoS message.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/cudahisto.h"

/* Forgets what downstream said: after a flush it is of no account. */
void
gst_cuda_histo_qos_reset (GstCudaHisto * self)
{
  GST_OBJECT_LOCK (self);
  self->qos_earliest = GST_CLOCK_TIME_NONE;
  self->qos_proportion = 1;
  GST_OBJECT_UNLOCK (self);
}

/* @event: a QOS event; not taken */
void
gst_cuda_histo_qos_take_event (GstCudaHisto * self, GstEvent * event)
{
  GstClockTimeDiff lateness;
  GstClockTime timestamp;
  gdouble proportion;

  gst_event_parse_qos (event, NULL, &proportion, &lateness, &timestamp);
  GST_OBJECT_LOCK (self);
  self->qos_proportion = proportion;
  if (!GST_CLOCK_TIME_IS_VALID (timestamp))
    self->qos_earliest = GST_CLOCK_TIME_NONE;
  else if (lateness > 0)
    /* As much again, and a frame: whoever is late must catch up. */
    self->qos_earliest = timestamp + 2 * lateness + self->frame_duration;
  else if (timestamp > (GstClockTime) - lateness)
    self->qos_earliest = timestamp + lateness;
  else
    self->qos_earliest = 0;
  GST_OBJECT_UNLOCK (self);
}

static void
post_message (GstCudaHisto * self, GstBuffer * buffer, GstClockTime running_time,
    GstClockTime earliest, gdouble proportion, guint64 processed,
    guint64 dropped)
{
  GstMessage *message = gst_message_new_qos (GST_OBJECT_CAST (self), FALSE,
      running_time, gst_segment_to_stream_time (&self->sink_segment,
          GST_FORMAT_TIME, GST_BUFFER_PTS (buffer)), GST_BUFFER_PTS (buffer),
      GST_BUFFER_DURATION (buffer));

  gst_message_set_qos_values (message, GST_CLOCK_DIFF (running_time, earliest),
      proportion, 1000000);
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, processed, dropped);
  gst_element_post_message (GST_ELEMENT_CAST (self), message);
}

/* Whether a buffer, in upstream's thread, is to go on without a result; then it has been
 * counted and told of. */
gboolean
gst_cuda_histo_qos_skips (GstCudaHisto * self, GstBuffer * buffer)
{
  GstClockTime running_time, earliest;
  guint64 processed, dropped;
  gdouble proportion;
  gboolean skips;

  if (!gst_cuda_histo_get_settings (self).qos
      || self->sink_segment.format != GST_FORMAT_TIME)
    return FALSE;
  running_time = gst_segment_to_running_time (&self->sink_segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));

  GST_OBJECT_LOCK (self);
  earliest = self->qos_earliest;
  proportion = self->qos_proportion;
  skips = GST_CLOCK_TIME_IS_VALID (running_time)
      && GST_CLOCK_TIME_IS_VALID (earliest) && running_time <= earliest;
  if (skips)
    self->n_dropped++;
  processed = self->n_frames;
  dropped = self->n_dropped;
  GST_OBJECT_UNLOCK (self);
  if (skips)
    post_message (self, buffer, running_time, earliest, proportion, processed,
        dropped);
  return skips;
}
