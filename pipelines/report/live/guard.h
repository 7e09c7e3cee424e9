/* Who may read the pages: what a request must say of itself, and how often it may come.
 *
 * A page of another site may make a browser send requests here. It is told apart by the name that it used (Host), and by what the
 * browser says of it (Origin). One thread may use a guard.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_GUARD_H
#define REPORT_GUARD_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct _ReportGuard ReportGuard;

ReportGuard *report_guard_new (const gchar * name, const gchar * token);
void report_guard_free (ReportGuard * guard);
gchar *report_guard_read_token (const gchar * path, GError ** error);
gboolean report_guard_takes_host (const ReportGuard * guard, const gchar * host);
gboolean report_guard_takes_origin (const gchar * origin, const gchar * host);
gboolean report_guard_has_token (const ReportGuard * guard);
gboolean report_guard_takes_token (const ReportGuard * guard, const gchar * given);
gboolean report_guard_takes_cookie (const ReportGuard * guard, const gchar * cookies);
const gchar *report_guard_cookie (const ReportGuard * guard);
gboolean report_guard_takes_connection (ReportGuard * guard, const gchar * address, gint64 now);
gboolean report_guard_takes_request (const ReportGuard * guard, const gchar * address);

G_END_DECLS

#endif /* REPORT_GUARD_H */
