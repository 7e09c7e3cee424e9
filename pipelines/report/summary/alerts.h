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

ReportAlertTotal report_alerts_add_up (const ReportSummary * summary,
    const ReportStreamSummary * only, HistoAlert type);

gboolean report_alert_is (const ReportAlert * alert, HistoAlert type,
    const ReportAlert * of);
GPtrArray *report_alerts_list (const ReportStreamSummary * stream,
    HistoAlert type, const ReportAlert * of);
gdouble report_alerts_least (const ReportSummary * summary, HistoAlert type);
gboolean report_alerts_can_check (const ReportSummary * summary,
    const ReportStreamSummary * stream, HistoAlert type);
gdouble report_alerts_find_setting (const ReportSummary * summary,
    const gchar * name, gdouble otherwise);

G_END_DECLS

#endif /* REPORT_ALERTS_H */
