/* The span of time in which a condition holds; see span.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/span.h"

static guint64
latest (guint64 a, guint64 b)
{
  if (!GST_CLOCK_TIME_IS_VALID (a) || !GST_CLOCK_TIME_IS_VALID (b))
    return GST_CLOCK_TIME_IS_VALID (a) ? a : b;
  return MAX (a, b);
}

static gboolean
has_lasted (const HistoSpan * span, guint64 minimum)
{
  if (minimum == 0)
    return TRUE;
  return GST_CLOCK_TIME_IS_VALID (span->start) && GST_CLOCK_TIME_IS_VALID (span->end) && span->end >= span->start
      && span->end - span->start >= minimum;
}

static void
open_if_it_has_lasted (HistoSpan * span, guint64 minimum, HistoSpanReport report, gpointer data)
{
  if (span->is_open || !has_lasted (span, minimum))
    return;
  span->is_open = TRUE;
  report (span, FALSE, data);
}

/* Forwards a condition has lasted until the buffer begins that ends it: buffers may be missing or overlap,
 * and their durations may be unknown. In reverse playback this buffer lies before the others. */
static void
end_at (HistoSpan * span, const HistoSpanBuffer * buffer)
{
  if (GST_CLOCK_TIME_IS_VALID (buffer->start)
      && (!GST_CLOCK_TIME_IS_VALID (span->start) || buffer->start >= span->start))
    span->end = buffer->start;
}

static void
set_value (HistoSpan * span, const HistoSpanFinding * finding, const HistoSpanBuffer * buffer)
{
  span->value = finding->value;
  span->limit = finding->limit;
  span->excess = finding->excess;
  span->value_time = buffer->start;
}

static void
begin_to_hold (HistoSpan * span, const HistoSpanFinding * finding, const HistoSpanBuffer * buffer)
{
  span->holds = TRUE;
  span->start = buffer->start;
  span->end = buffer->end;
  if (finding->with_previous && GST_CLOCK_TIME_IS_VALID (buffer->previous_start)) {
    span->start = buffer->previous_start;
    span->end = latest (span->end, buffer->previous_end);
  }
  set_value (span, finding, buffer);
}

static void
follow_moment (HistoSpan * span, const HistoSpanFinding * finding, const HistoSpanBuffer * buffer,
    HistoSpanReport report, gpointer data)
{
  if (!finding->holds)
    return;
  span->start = span->end = buffer->start;
  set_value (span, finding, buffer);
  report (span, FALSE, data);
  report (span, TRUE, data);
}

/**
 * histo_span_follow:
 * @finding: for the next buffer
 * @report: is called when the span begins and when it ends
 */
void
histo_span_follow (HistoSpan * span, const HistoSpanFinding * finding, const HistoSpanBuffer * buffer,
    HistoSpanReport report, gpointer data)
{
  g_return_if_fail (span != NULL && finding != NULL && buffer != NULL && report != NULL);
  if (finding->is_momentary) {
    follow_moment (span, finding, buffer, report, data);
    return;
  }
  if (finding->holds && !span->holds)
    begin_to_hold (span, finding, buffer);
  if (!span->holds)
    return;
  if (finding->holds) {
    /* Stream time goes back in reverse playback. GST_CLOCK_TIME_NONE is the greatest number, so that
     * a known begin replaces an unknown one. */
    span->start = MIN (span->start, buffer->start);
    span->end = latest (span->end, buffer->end);
    if (!finding->keeps_worst || finding->excess > span->excess)
      set_value (span, finding, buffer);
    open_if_it_has_lasted (span, finding->minimum, report, data);
  } else {
    end_at (span, buffer);
    open_if_it_has_lasted (span, finding->minimum, report, data);
    if (!finding->keeps_worst)
      set_value (span, finding, buffer);
    histo_span_end (span, report, data);
  }
}

/* Ends an open span with the end of its latest buffer. */
void
histo_span_end (HistoSpan * span, HistoSpanReport report, gpointer data)
{
  g_return_if_fail (span != NULL && report != NULL);
  if (span->is_open)
    report (span, TRUE, data);
  span->holds = span->is_open = FALSE;
}
