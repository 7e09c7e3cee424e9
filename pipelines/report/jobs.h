/* Measures many inputs, some at the same time: each worker is a process that measures one after the other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_JOBS_H
#define REPORT_JOBS_H

#include "options.h"
#include "base/progress.h"

G_BEGIN_DECLS

/* The exit status of a process that measured its input completely, and the input fails a policy. */
#define REPORT_STATUS_FAILED 3

gboolean report_jobs_run (const ReportOptions * options, GPtrArray * inputs,
    GOutputStream * to, ReportProgress * progress, ReportChecks * checks,
    gboolean * all_done, GError ** error);

G_END_DECLS

#endif /* REPORT_JOBS_H */
