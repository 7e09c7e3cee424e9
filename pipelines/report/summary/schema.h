/* The tables of a summary; see base/members.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SCHEMA_H
#define REPORT_SCHEMA_H

#include "base/members.h"

G_BEGIN_DECLS

extern const gchar *const report_backend_names[2];
extern const ReportShape report_summary_shape;
extern const ReportShape report_stream_shape;
extern const ReportShape report_part_shape;

G_END_DECLS

#endif /* REPORT_SCHEMA_H */
