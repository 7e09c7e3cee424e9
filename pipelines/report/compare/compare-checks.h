/* What policies say of a comparison.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_COMPARE_CHECKS_H
#define REPORT_COMPARE_CHECKS_H

#include "compare/compare.h"

G_BEGIN_DECLS

ReportSummary *report_comparison_check (const ReportComparison * comparison, const GPtrArray * policies);

G_END_DECLS

#endif /* REPORT_COMPARE_CHECKS_H */
