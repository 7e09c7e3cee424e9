/* The summary as JSON for the page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_HTML_FACTS_H
#define REPORT_HTML_FACTS_H

#include <json-glib/json-glib.h>

#include "html-view.h"
#include "summary.h"

G_BEGIN_DECLS

void report_facts_add_streams (JsonBuilder * json,
    const ReportSummary * summary);
void report_facts_add_alerts (JsonBuilder * json,
    const ReportSummary * summary);
void report_facts_add_alert_totals (JsonBuilder * json,
    const ReportSummary * summary);
void report_facts_add_watched (JsonBuilder * json,
    const ReportSummary * summary);
void report_facts_add_hints (JsonBuilder * json,
    const ReportSummary * summary);
void report_facts_add_views (JsonBuilder * json,
    const ReportSummary * summary, const GPtrArray * views);

G_END_DECLS

#endif /* REPORT_HTML_FACTS_H */
