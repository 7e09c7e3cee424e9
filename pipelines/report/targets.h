/* Where the reports go, and that no report goes onto an input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_TARGETS_H
#define REPORT_TARGETS_H

#include "options.h"
#include "base/output.h"

G_BEGIN_DECLS

gboolean report_targets_check (const ReportOptions * options,
    GPtrArray * inputs, GError ** error);
gchar *report_targets_index (const ReportOptions * options,
    const GPtrArray * inputs);
gchar *report_targets_page (const ReportOptions * options, const gchar * input);
ReportOutput *report_targets_open (const ReportOptions * options, guint format,
    const gchar * input, GError ** error);

G_END_DECLS

#endif /* REPORT_TARGETS_H */
