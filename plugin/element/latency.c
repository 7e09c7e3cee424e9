/* The answers to LATENCY queries; see latency.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/latency.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

#define LEAST_DELAY GST_MSECOND
#define ENOUGH_OVER 3
#define FORGET_OVER 256         /* buffers */
#define LOW_TIME (10 * G_USEC_PER_SEC)

/* Under the lock. */
static void
set_delay (HistoLatency * latency, GstClockTime slowest)
{
  const GstClockTime with_margin = slowest + slowest / 4;

  latency->delay = (with_margin + LEAST_DELAY - 1) / LEAST_DELAY * LEAST_DELAY;
  latency->n_over = latency->n_since_over = 0;
  latency->most_over = 0;
  latency->low_since = -1;
}

void
histo_latency_restart (HistoLatency * latency)
{
  g_mutex_lock (&latency->lock);
  set_delay (latency, 0);
  latency->was_asked = latency->is_live = FALSE;
  latency->frame_duration = 0;
  g_mutex_unlock (&latency->lock);
}

void
histo_latency_init (HistoLatency * latency, HistoSharedSettings * settings)
{
  latency->settings = settings;
  g_mutex_init (&latency->lock);
  histo_latency_restart (latency);
}

void
histo_latency_clear (HistoLatency * latency)
{
  histo_settings_copy_clear (&latency->settings_copy);
  g_mutex_clear (&latency->lock);
}

void
histo_latency_set_frame_duration (HistoLatency * latency,
    GstClockTime duration)
{
  g_mutex_lock (&latency->lock);
  latency->frame_duration = duration;
  g_mutex_unlock (&latency->lock);
}

/* Under the lock. */
static void
note_delay (HistoLatency * latency, GstClockTime delay, gint64 now)
{
  if (delay > latency->delay) {
    latency->most_over = MAX (latency->most_over, delay);
    latency->n_since_over = 0;
    if (++latency->n_over == ENOUGH_OVER)
      set_delay (latency, latency->most_over);
  } else if (++latency->n_since_over == FORGET_OVER) {
    latency->n_over = 0;
    latency->most_over = 0;
  }

  if (latency->delay == 0 || delay > latency->delay / 2) {
    latency->low_since = -1;
  } else if (latency->low_since < 0) {
    latency->low_since = now;
    latency->most_low = delay;
  } else {
    latency->most_low = MAX (latency->most_low, delay);
    if (now - latency->low_since >= LOW_TIME)
      set_delay (latency, latency->most_low);
  }
}

void
histo_latency_note_delay (HistoLatency * latency, GstClockTime delay,
    gint64 now)
{
  g_mutex_lock (&latency->lock);
  if (latency->is_live)
    note_delay (latency, delay < LEAST_DELAY ? 0 : delay, now);
  g_mutex_unlock (&latency->lock);
}

/* What is added to upstream's latency now. Under the lock. */
static void
find_own (HistoLatency * latency, GstClockTime * min, GstClockTime * max)
{
  const HistoSettings *settings = &latency->settings_copy.values;

  histo_settings_update (latency->settings, &latency->settings_copy);
  *min = latency->is_live && histo_settings_attach (settings) ? latency->delay : 0;
  if (!g_uint64_checked_mul (max, latency->frame_duration,
          histo_settings_depth (settings)))
    *max = GST_CLOCK_TIME_NONE;
  if (latency->frame_duration == 0)
    *max = *min;
  *min = MIN (*min, *max);
}

/* Sums that do not fit become GST_CLOCK_TIME_NONE, which is no limit. */
static GstClockTime
add (GstClockTime a, GstClockTime b)
{
  return g_uint64_checked_add (&a, a, b) ? a : GST_CLOCK_TIME_NONE;
}

void
histo_latency_complete (HistoLatency * latency, GstQuery * query)
{
  GstClockTime min, max, own_min, own_max;
  gboolean is_live;

  gst_query_parse_latency (query, &is_live, &min, &max);
  g_mutex_lock (&latency->lock);
  latency->is_live = is_live;
  find_own (latency, &own_min, &own_max);
  latency->told_min = own_min;
  latency->told_max = own_max;
  latency->was_asked = TRUE;
  g_mutex_unlock (&latency->lock);
  gst_query_set_latency (query, is_live, add (min, own_min),
      add (max, own_max));
}

void
histo_latency_post_change (HistoLatency * latency, GstElement * element)
{
  GstClockTime min, max;
  gboolean is_due;

  g_mutex_lock (&latency->lock);
  find_own (latency, &min, &max);
  is_due = latency->was_asked
      && (min != latency->told_min || max != latency->told_max);
  if (is_due)
    latency->was_asked = FALSE;
  g_mutex_unlock (&latency->lock);
  if (!is_due)
    return;
  GST_DEBUG_OBJECT (element, "the latency has changed: %" GST_TIME_FORMAT
      " to %" GST_TIME_FORMAT " more than upstream's", GST_TIME_ARGS (min),
      GST_TIME_ARGS (max));
  gst_element_post_message (element,
      gst_message_new_latency (GST_OBJECT_CAST (element)));
}
