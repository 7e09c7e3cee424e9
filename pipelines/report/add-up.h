/* --merge: adds up the summaries in files, or the results of inputs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_ADD_UP_H
#define REPORT_ADD_UP_H

#include "options.h"
#include "base/progress.h"

G_BEGIN_DECLS

gboolean report_add_up (const ReportOptions * options, GPtrArray * inputs,
    GOutputStream * to, ReportProgress * progress, ReportChecks * checks,
    gboolean * all_done, GError ** error);

G_END_DECLS

#endif /* REPORT_ADD_UP_H */
