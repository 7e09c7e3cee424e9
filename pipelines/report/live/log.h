/* Lines on the standard output, written by a thread of their own: a reader that is slow, or does not read, holds up nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_LOG_H
#define REPORT_LOG_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct _ReportLog ReportLog;

ReportLog *report_log_new (void);
void report_log_write (ReportLog * log, const gchar * line);
void report_log_finish (ReportLog * log);

G_END_DECLS

#endif /* REPORT_LOG_H */
