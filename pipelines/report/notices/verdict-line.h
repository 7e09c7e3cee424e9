/* The line with which the report of an input begins, for people: a verdict, and what it rests on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_VERDICT_LINE_H
#define REPORT_VERDICT_LINE_H

#include "summary/notice.h"
#include "summary/summary.h"

G_BEGIN_DECLS

/* A verdict line has so many notices, the worst ones; JSON has all. */
#define REPORT_VERDICT_LINE_NOTICES 6

GPtrArray *report_verdict_line_list (const ReportSummary * summary);
gchar *report_verdict_line_notice (const ReportNotice * notice, const GPtrArray * notices);
gchar *report_verdict_line_split (const ReportSummary * summary, guint most,
    const gchar ** word);
gchar *report_verdict_line_make (const ReportSummary * summary, guint most);
gchar *report_verdict_line_rest (const ReportSummary * summary);

G_END_DECLS

#endif /* REPORT_VERDICT_LINE_H */
