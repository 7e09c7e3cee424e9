/* --compare: two inputs, or JSON reports of them, side by side.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_COMPARE_INPUTS_H
#define REPORT_COMPARE_INPUTS_H

#include "base/progress.h"
#include "options.h"

G_BEGIN_DECLS

gboolean report_compare_inputs (const ReportOptions * options,
    GPtrArray * inputs, GOutputStream * to, ReportProgress * progress,
    ReportChecks * checks, gboolean * all_done, gboolean * is_different,
    GError ** error);

G_END_DECLS

#endif /* REPORT_COMPARE_INPUTS_H */
