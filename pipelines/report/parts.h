/* One document from the documents of several inputs.
 *
 * Each input's writer writes as if its input were alone, here or in another process. What stands
 * between them is written by the stream that joins them. So a report is the same whether its inputs
 * were measured one after the other or at the same time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "writers/formats.h"

G_BEGIN_DECLS

GOutputStream *report_parts_new (GOutputStream * to,
    const ReportFormat * format, gboolean has_several);
void report_parts_next (GOutputStream * parts);
gboolean report_parts_end (GOutputStream * parts, GError ** error);

G_END_DECLS

#endif /* REPORT_PARTS_H */
