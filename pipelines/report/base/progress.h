/* The progress line on a terminal: how much of the input is measured, the rate, the time left.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _ReportProgress ReportProgress;

ReportProgress *report_progress_new (gboolean is_quiet);
void report_progress_free (ReportProgress * progress);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReportProgress, report_progress_free)
void report_progress_begin (ReportProgress * progress, const gchar * name,
    guint64 duration);
void report_progress_show (ReportProgress * progress, guint64 position,
    guint64 n_frames);
void report_progress_show_count (ReportProgress * progress, guint n_done,
    guint n_all);
void report_progress_clear (ReportProgress * progress);
void report_complain (ReportProgress * progress, const gchar * name,
    const gchar * text);

G_END_DECLS

#endif /* REPORT_PROGRESS_H */
