/* Quality of service; see qos.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/qos.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

void
histo_qos_init (HistoQos * qos)
{
  g_mutex_init (&qos->lock);
  qos->n_dropped = 0;
  qos->frame_duration = 0;
  qos->is_live = FALSE;
  histo_qos_restart (qos);
}

void
histo_qos_clear (HistoQos * qos)
{
  g_mutex_clear (&qos->lock);
}

void
histo_qos_restart (HistoQos * qos)
{
  g_mutex_lock (&qos->lock);
  qos->earliest = GST_CLOCK_TIME_NONE;
  qos->proportion = 1;
  g_mutex_unlock (&qos->lock);
}

void
histo_qos_set_frame_duration (HistoQos * qos, GstClockTime duration)
{
  g_mutex_lock (&qos->lock);
  qos->frame_duration = duration;
  g_mutex_unlock (&qos->lock);
}

void
histo_qos_set_live (HistoQos * qos, gboolean is_live)
{
  g_mutex_lock (&qos->lock);
  qos->is_live = is_live;
  g_mutex_unlock (&qos->lock);
}

/* The running time up to which buffers are late. An element that is late must catch up: buffers
 * are late for as long again as the lateness, and a frame longer. Under the lock.
 *
 * @lateness: of the buffer at @running_time, in ns; < 0: it was early */
static GstClockTime
earliest_time (HistoQos * qos, GstClockTime running_time,
    GstClockTimeDiff lateness)
{
  /* Not -lateness, which G_MININT64 does not have. */
  const guint64 earliness = 0 - (guint64) lateness;
  guint64 time = running_time;

  if (!GST_CLOCK_TIME_IS_VALID (running_time))
    return GST_CLOCK_TIME_NONE;
  if (lateness <= 0)
    return time - MIN (time, earliness);
  /* Not NONE: all buffers are late. */
  if (!g_uint64_checked_add (&time, time, lateness)
      || !g_uint64_checked_add (&time, time, lateness)
      || !g_uint64_checked_add (&time, time, qos->frame_duration))
    return GST_CLOCK_TIME_NONE - 1;
  return MIN (time, GST_CLOCK_TIME_NONE - 1);
}

void
histo_qos_update (HistoQos * qos, GstEvent * event)
{
  GstClockTimeDiff lateness;
  GstClockTime running_time;
  gdouble proportion;

  gst_event_parse_qos (event, NULL, &proportion, &lateness, &running_time);
  g_mutex_lock (&qos->lock);
  qos->proportion = proportion;
  qos->earliest = earliest_time (qos, running_time, lateness);
  g_mutex_unlock (&qos->lock);
}

gboolean
histo_qos_is_late (HistoQos * qos, const HistoTimes * times)
{
  gboolean is_late;

  if (!GST_CLOCK_TIME_IS_VALID (times->running_time))
    return FALSE;
  g_mutex_lock (&qos->lock);
  is_late = GST_CLOCK_TIME_IS_VALID (qos->earliest)
      && times->running_time <= qos->earliest;
  g_mutex_unlock (&qos->lock);
  return is_late;
}

void
histo_qos_drop (HistoQos * qos, GstElement * element, const HistoTimes * times,
    guint64 n_processed)
{
  guint64 lateness, n_dropped;
  GstMessage *message;
  gdouble proportion;
  gboolean is_live;

  g_mutex_lock (&qos->lock);
  is_live = qos->is_live;
  n_dropped = ++qos->n_dropped;
  proportion = qos->proportion;
  lateness = qos->earliest - MIN (qos->earliest, times->running_time);
  g_mutex_unlock (&qos->lock);

  GST_DEBUG_OBJECT (element, "no result for the buffer at running time %"
      GST_TIME_FORMAT ": it is late", GST_TIME_ARGS (times->running_time));
  message = gst_message_new_qos (GST_OBJECT_CAST (element), is_live,
      times->running_time, times->stream_time, times->timestamp,
      times->duration);
  gst_message_set_qos_values (message, MIN (lateness, G_MAXINT64), proportion,
      1000000);
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, n_processed,
      n_dropped);
  gst_element_post_message (element, message);
}

guint64
histo_qos_get_n_dropped (HistoQos * qos)
{
  guint64 n;

  g_mutex_lock (&qos->lock);
  n = qos->n_dropped;
  g_mutex_unlock (&qos->lock);
  return n;
}

void
histo_qos_reset_n_dropped (HistoQos * qos)
{
  g_mutex_lock (&qos->lock);
  qos->n_dropped = 0;
  g_mutex_unlock (&qos->lock);
}
