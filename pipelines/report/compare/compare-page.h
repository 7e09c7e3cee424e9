/* A page about a comparison.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_COMPARE_PAGE_H
#define REPORT_COMPARE_PAGE_H

#include "compare/compare.h"

G_BEGIN_DECLS

gchar *report_comparison_make_page (const ReportComparison * comparison, const gchar * text);

G_END_DECLS

#endif /* REPORT_COMPARE_PAGE_H */
