/* Makes the notices of an input: what a person acts on, once for all writers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_NOTICES_H
#define REPORT_NOTICES_H

#include "summary/summary.h"

G_BEGIN_DECLS

void report_notices_find (ReportSummary * summary);
void report_notices_find_so_far (ReportSummary * summary);

G_END_DECLS

#endif /* REPORT_NOTICES_H */
