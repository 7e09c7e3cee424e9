/* The pages of inputs that go on, over HTTP.
 *
 * It answers in the main context of the thread that makes it. It reads the inputs, and none of them waits for it: what a slow client
 * does not take is not kept for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SERVER_H
#define REPORT_SERVER_H

#include <gio/gio.h>

#include "live/guard.h"
#include "live/live-state.h"

G_BEGIN_DECLS

typedef struct _ReportServer ReportServer;

ReportServer *report_server_new (GSocketAddress * address, ReportGuard * guard, ReportLive * const *inputs, guint n,
    GError ** error);
gchar *report_server_address (const ReportServer * server);
void report_server_free (ReportServer * server);

G_END_DECLS

#endif /* REPORT_SERVER_H */
