/* Result files: one for each input, which is kept when it is complete.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_RESULTS_H
#define REPORT_RESULTS_H

#include "options.h"

G_BEGIN_DECLS

gchar *report_results_path (const gchar * folder, const gchar * input);
GInputStream *report_results_open (const gchar * path, const gchar * input,
    const ReportSettings * settings, const ReportFormat * format,
    GError ** error);
gboolean report_results_write (GInputStream * from,
    const ReportFormat * format, GOutputStream * to, GError ** error);

G_END_DECLS

#endif /* REPORT_RESULTS_H */
