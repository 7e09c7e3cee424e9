/* The temporal stage; see temporal.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/temporal.h"

#include "cudahisto/alert.h"
#include "result/write.h"

/* The groups whose figures depend on earlier buffers. */
#define SEQUENTIAL_GROUPS (HISTO_RUNNING_GROUPS | HISTO_SOUND_GROUPS)

/* @temporal: (out): no buffer has passed
 * @source: of the messages; outlives the stage */
void
histo_temporal_init (HistoTemporal * temporal, GstObject * source)
{
  memset (temporal, 0, sizeof *temporal);
  temporal->source = source;
  temporal->last_message = GST_CLOCK_TIME_NONE;
  histo_running_init (&temporal->running);
  histo_sound_init (&temporal->sound);
  histo_window_init (&temporal->window);
  histo_alerts_init (&temporal->alerts);
  temporal->end = GST_CLOCK_TIME_NONE;
}

/* Frees what the stage holds. */
void
histo_temporal_clear (HistoTemporal * temporal)
{
  histo_running_clear (&temporal->running);
  histo_sound_clear (&temporal->sound);
  histo_window_clear (&temporal->window);
  histo_alerts_clear (&temporal->alerts);
  g_clear_pointer (&temporal->events, g_array_unref);
  g_clear_pointer (&temporal->current, g_array_unref);
  histo_result_clear (&temporal->result);
}

/* Leaves the stage as after histo_temporal_init(). The open window and the open alerts are
 * dropped, and no message reports it. For a stop of the element. */
void
histo_temporal_forget (HistoTemporal * temporal)
{
  GstObject *source = temporal->source;

  histo_temporal_clear (temporal);
  histo_temporal_init (temporal, source);
}

/* ---- Messages --------------------------------------------------------------------------- */

/* Writes all events that were found so far. @times: of the buffer with which they were found */
static void
write_events (HistoTemporal * temporal, const HistoTimes * times,
    GQueue * messages)
{
  for (guint i = 0; i < temporal->events->len; i++)
    g_queue_push_tail (messages, histo_write_alert (&g_array_index
            (temporal->events, HistoAlertEvent, i), times, temporal->source));
  g_array_set_size (temporal->events, 0);
}

static void
finish_window (HistoTemporal * temporal, GQueue * messages)
{
  HistoPlan *plan;
  HistoTimes times;
  guint64 n_buffers;

  if (!histo_window_is_open (&temporal->window))
    return;
  /* The texts of the result are those of the plan, which the window gives up. */
  plan = histo_plan_ref (temporal->window.plan);
  histo_window_finish (&temporal->window, temporal->histograms,
      &temporal->result, &times, &n_buffers);
  histo_sound_finish_window (&temporal->sound, &temporal->result);
  g_queue_push_tail (messages, histo_write_window (&temporal->result, &times,
          n_buffers, temporal->source));
  /* The histograms belong to the message now. */
  histo_result_set_n_components (&temporal->result, 0);
  histo_plan_unref (plan);
}

static void
end_alerts (HistoTemporal * temporal, GQueue * messages)
{
  if (temporal->events == NULL)
    return;
  histo_alerts_end (&temporal->alerts, temporal->events);
  write_events (temporal, &temporal->times, messages);
  g_array_set_size (temporal->current, 0);
}

/* ---- Restarts and ends ------------------------------------------------------------------ */

/**
 * histo_temporal_restart:
 * @reason: the greatest reason since the previous buffer
 * @messages: (element-type GstMessage): appended to
 *
 * To be called before the first buffer after a break. Does nothing more if it is called again
 * before that buffer.
 *
 * - The interval between messages is counted in running time, which only a flush or a start
 *   breaks. So a stream with many discontinuities gets no more messages than `message-interval` allows.
 * - Other caps finish the open window, a flush drops it. A segment finishes it only if the next
 *   buffer lies before the latest one. In reverse playback each group of pictures begins with a
 *   discontinuity, and lies before the last one: a discontinuity alone does not finish the window.
 * - Every reason ends the open alerts.
 */
void
histo_temporal_restart (HistoTemporal * temporal, HistoRestart reason,
    GQueue * messages)
{
  if (reason == HISTO_RESTART_NONE)
    return;
  if (reason >= HISTO_RESTART_FLUSH) {
    temporal->last_message = GST_CLOCK_TIME_NONE;
    histo_window_clear (&temporal->window);
  } else if (reason >= HISTO_RESTART_CAPS) {
    finish_window (temporal, messages);
  } else if (reason >= HISTO_RESTART_SEGMENT) {
    histo_window_interrupt (&temporal->window);
  }
  end_alerts (temporal, messages);
  histo_running_restart (&temporal->running, reason);
  histo_sound_restart (&temporal->sound, reason);
  temporal->end = GST_CLOCK_TIME_NONE;
}

/**
 * histo_temporal_end:
 * @messages: (element-type GstMessage): appended to
 *
 * At the end of a stream or of a segment: finishes the open window and ends the open alerts.
 */
void
histo_temporal_end (HistoTemporal * temporal, GQueue * messages)
{
  finish_window (temporal, messages);
  end_alerts (temporal, messages);
}

/* ---- The interval of messages ----------------------------------------------------------- */

/**
 * histo_temporal_message_is_due:
 * @running_time: of the buffer, in ns; %GST_CLOCK_TIME_NONE if unknown
 * @interval: least running time between two messages in ns; 0: each result is due
 *
 * A result is due unless it lies less than @interval after the last one that was due. A result that
 * lies before the last one is due. So is one whose running time is unknown.
 *
 * Returns: whether the result is due. The stage then counts from this result, if its running time is
 * known.
 */
gboolean
histo_temporal_message_is_due (HistoTemporal * temporal,
    GstClockTime running_time, GstClockTime interval)
{
  const GstClockTime last = temporal->last_message;

  if (GST_CLOCK_TIME_IS_VALID (running_time) && GST_CLOCK_TIME_IS_VALID (last)
      && running_time >= last && running_time - last < interval)
    return FALSE;
  if (GST_CLOCK_TIME_IS_VALID (running_time))
    temporal->last_message = running_time;
  return TRUE;
}

/* ---- Buffers ---------------------------------------------------------------------------- */

/* Whether the latest buffer's result lists alerts, which the next one's must not repeat. */
static gboolean
has_listed_alerts (const HistoTemporal * temporal)
{
  return temporal->current != NULL && temporal->current->len > 0;
}

/* Whether alerts are to be checked, or one that is switched off now is open. */
static gboolean
has_alerts (const HistoTemporal * temporal,
    const HistoTemporalSettings * settings)
{
  return settings->alerts->alerts != 0 || settings->rules != NULL
      || histo_alerts_are_followed (&temporal->alerts);
}

/* Whether a buffer must pass, even if its result is neither attached nor posted. If not, the stage
 * needs nothing of it. */
gboolean
histo_temporal_is_needed (const HistoTemporal * temporal,
    const HistoPlan * plan, const HistoTemporalSettings * settings)
{
  return (plan->groups & SEQUENTIAL_GROUPS) != 0 || settings->window != 0
      || histo_window_is_open (&temporal->window)
      || histo_sound_is_in_use (&temporal->sound)
      || has_listed_alerts (temporal) || has_alerts (temporal, settings);
}

/* Whether histo_temporal_pass() needs the buffer's result. */
gboolean
histo_temporal_needs_result (const HistoTemporal * temporal,
    const HistoPlan * plan, const HistoTemporalSettings * settings)
{
  return (plan->groups & SEQUENTIAL_GROUPS) != 0
      || has_alerts (temporal, settings);
}

/* Whether histo_temporal_pass() needs the samples of buffers that are counted by this plan. */
gboolean
histo_temporal_needs_samples (const HistoPlan * plan)
{
  return (plan->groups & HISTO_SOUND_GROUPS) != 0;
}

/* A buffer without stream time begins where the one before ends. */
static void
find_span (const HistoTemporal * temporal, HistoPassing * buffer)
{
  const guint64 stream_time = buffer->times->stream_time;
  const HistoFormat *format = buffer->plan->format;
  guint64 duration = buffer->times->duration;

  if (!GST_CLOCK_TIME_IS_VALID (duration))
    duration = format->is_audio ? gst_util_uint64_scale (buffer->counts->n_samples, GST_SECOND,
        GST_AUDIO_INFO_RATE (&format->audio)) : histo_format_frame_duration (format);
  buffer->start =
      GST_CLOCK_TIME_IS_VALID (stream_time) ? stream_time : temporal->end;
  buffer->end = GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID (buffer->start)
      && duration < GST_CLOCK_TIME_NONE - buffer->start)
    buffer->end = buffer->start + duration;
}

/* Before the samples of the buffer are measured: its window may begin with it. After a buffer without
 * the groups of sound, these groups begin anew. */
static gboolean
pass_sound (HistoTemporal * temporal, const HistoTemporalSettings * settings,
    HistoPassing * buffer, GError ** error)
{
  if (buffer->samples == NULL) {
    histo_sound_clear (&temporal->sound);
    return TRUE;
  }
  if (!histo_sound_prepare (&temporal->sound, buffer->plan,
          settings->alerts->clipping_samples, error))
    return FALSE;
  if (settings->window != 0 && !histo_window_is_open (&temporal->window))
    histo_sound_begin_window (&temporal->sound);
  histo_sound_measure (&temporal->sound, buffer->samples, buffer->result);
  buffer->has_short_term = histo_sound_has_short_term (&temporal->sound);
  return TRUE;
}

static void
pass_alerts (HistoTemporal * temporal, const HistoTemporalSettings * settings,
    const HistoPassing * buffer, GQueue * messages)
{
  if (!has_alerts (temporal, settings)) {
    histo_alerts_skip (&temporal->alerts, buffer);
    if (has_listed_alerts (temporal))
      g_array_set_size (temporal->current, 0);
    return;
  }
  if (temporal->events == NULL) {
    temporal->events = g_array_new (FALSE, FALSE, sizeof (HistoAlertEvent));
    temporal->current = g_array_new (FALSE, FALSE, sizeof (HistoAlertEvent));
  }
  /* The events of other rules have their names. */
  histo_alerts_end_other_rules (&temporal->alerts, settings->rules,
      temporal->events);
  write_events (temporal, buffer->times, messages);
  histo_alerts_set_rules (&temporal->alerts, settings->rules);
  histo_alerts_pass (&temporal->alerts, settings->alerts, buffer,
      temporal->events);
  g_array_set_size (temporal->current, 0);
  histo_alerts_list (&temporal->alerts, temporal->events, temporal->current);
  write_events (temporal, buffer->times, messages);
}

/**
 * histo_temporal_pass:
 * @settings: those of this buffer
 * @buffer: the next one. Its result is NULL only if histo_temporal_needs_result() returns FALSE,
 * its samples only if histo_temporal_needs_samples() does
 * @messages: (element-type GstMessage): appended to: the window that ends before this buffer,
 * then the alerts that begin or end with it
 *
 * Returns: %FALSE if the loudness of this format cannot be measured, or there is no memory
 */
gboolean
histo_temporal_pass (HistoTemporal * temporal,
    const HistoTemporalSettings * settings, HistoPassing * buffer,
    GQueue * messages, GError ** error)
{
  find_span (temporal, buffer);
  if (!histo_window_has_place (&temporal->window, buffer, settings->window))
    finish_window (temporal, messages);
  if (!pass_sound (temporal, settings, buffer, error))
    return FALSE;
  if (buffer->result != NULL
      && !histo_running_pass (&temporal->running, buffer, error))
    return FALSE;
  if (settings->window != 0) {
    if (!histo_window_add (&temporal->window, buffer, settings->window, error))
      return FALSE;
    temporal->histograms = settings->histograms;
  }
  pass_alerts (temporal, settings, buffer, messages);
  temporal->times = *buffer->times;
  temporal->end = buffer->end;
  return TRUE;
}
