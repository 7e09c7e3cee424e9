/* What the alerts of an input say together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_ALERTS_H
#define REPORT_ALERTS_H

#include "summary/summary.h"

G_BEGIN_DECLS

/* All alerts of a type. */
typedef struct
{
  guint64 n;
  guint64 time;                 /* in ns, in which there is at least one of them */
} ReportAlertTotal;

/* The least delay of a stream that is reported, and the least early end: streams that were encoded together differ by a
 * frame or two. */
#define REPORT_LEAST_DELAY (GST_MSECOND / 2)
#define REPORT_LEAST_EARLY_END (GST_SECOND / 5)
/* A delay that a person should know of. Where the container does not say that the begin of a stream is not to be played,
 * the others wait for it: 48 ms of AAC (2112 samples), 96 ms of HE-AAC, 80 ms of Opus (3840 samples), 26 ms of MP3; or for two
 * frames of video, which B-frames are reordered by. */
#define REPORT_LEAST_LATE_START (GST_SECOND / 10)
#define REPORT_LATE_FRAMES 2

ReportAlertTotal report_alerts_add_up (const ReportSummary * summary,
    const ReportStreamSummary * only, HistoAlert type);

gboolean report_alert_is (const ReportAlert * alert, HistoAlert type,
    const ReportAlert * of);
GPtrArray *report_alerts_list (const ReportStreamSummary * stream,
    HistoAlert type, const ReportAlert * of);
gdouble report_alerts_least (const ReportSummary * summary, HistoAlert type);
gboolean report_alerts_can_check (const ReportSummary * summary,
    const ReportStreamSummary * stream, HistoAlert type);
void report_alerts_cut (const ReportSummary * summary,
    ReportStreamSummary * stream, guint64 from, guint64 to);
gdouble report_alerts_find_setting (const ReportSummary * summary,
    const gchar * name, gdouble otherwise);

G_END_DECLS

#endif /* REPORT_ALERTS_H */
