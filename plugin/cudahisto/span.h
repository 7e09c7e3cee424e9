/* The span of time in which a condition holds: the one state machine of the alerts and of the rules.
 *
 * A span begins with the first buffer for which the condition holds. It is open, and is reported, from the buffer on
 * with which it has lasted for the minimum duration. It ends where the first buffer begins for which the condition does
 * not hold.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_SPAN_H
#define HISTO_SPAN_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean holds;               /* the condition, for the latest buffer */
  gboolean is_open;             /* it has held for the minimum duration: the span is reported */
  guint64 start, end;           /* stream time in ns of the buffers for which the condition held;
                                 * GST_CLOCK_TIME_NONE: unknown */
  gdouble value, limit;         /* the latest ones, or the worst */
  guint64 value_time;           /* stream time in ns of the buffer that they are from */
  gdouble excess;               /* how bad the worst value is */
} HistoSpan;

/* The buffer for which a condition is looked at. GST_CLOCK_TIME_NONE: unknown. */
typedef struct
{
  guint64 start, end;           /* stream time in ns */
  guint64 previous_start;       /* of the buffer before; GST_CLOCK_TIME_NONE: there is none */
  guint64 previous_end;
} HistoSpanBuffer;

/* What was found. */
typedef struct
{
  gboolean holds;
  gdouble value, limit;
  gboolean is_momentary;        /* if it holds, it begins and ends where the buffer begins */
  gboolean with_previous;       /* if it begins to hold: it holds for the buffer before, too */
  gboolean keeps_worst;         /* the span has the value with the greatest excess; else the latest one */
  gdouble excess;
  guint64 minimum;              /* duration in ns; 0: none */
} HistoSpanFinding;

/* @span: that begins or ends */
typedef void (*HistoSpanReport) (const HistoSpan * span, gboolean is_end,
    gpointer data);

void histo_span_follow (HistoSpan * span, const HistoSpanFinding * finding,
    const HistoSpanBuffer * buffer, HistoSpanReport report, gpointer data);
void histo_span_end (HistoSpan * span, HistoSpanReport report, gpointer data);

G_END_DECLS

#endif /* HISTO_SPAN_H */
