/* The figures of inputs that go on as OpenMetrics, for Prometheus.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_METRICS_H
#define REPORT_METRICS_H

#include "live/live-state.h"

G_BEGIN_DECLS

/* The two forms of the text: that of OpenMetrics, for clients that ask for it, and that of Prometheus before. */
#define REPORT_OPENMETRICS_TYPE "application/openmetrics-text"
#define REPORT_METRICS_TYPE(is_openmetrics) ((is_openmetrics) ? \
    REPORT_OPENMETRICS_TYPE "; version=1.0.0; charset=utf-8" : "text/plain; version=0.0.4; charset=utf-8")

/* One more of the program itself. */
typedef struct
{
  guint n_clients;
  gdouble processor_time;       /* seconds of all threads */
} ReportMetricsOfProgram;

gchar *report_metrics_write (ReportLive * const *inputs, guint n, const ReportMetricsOfProgram * program,
    gboolean is_openmetrics);

G_END_DECLS

#endif /* REPORT_METRICS_H */
