/* A page about a comparison.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_COMPARE_PAGE_H
#define REPORT_COMPARE_PAGE_H

#include "compare/compare.h"

G_BEGIN_DECLS

gboolean report_comparison_write_page (const ReportComparison * comparison, const gchar * text, GOutputStream * to,
    GError ** error);

G_END_DECLS

#endif /* REPORT_COMPARE_PAGE_H */
