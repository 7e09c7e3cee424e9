/* Where a report is written: the standard output, or a file that is replaced when the report is
 * whole.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_OUTPUT_H
#define REPORT_OUTPUT_H

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _ReportOutput ReportOutput;

typedef enum
{
  REPORT_OUTPUT_TEXT = 1 << 0,  /* convert UTF-8 to the charset of the locale */
  /* The program chose the name. So whatever has it, such as a link that somebody made, is replaced
   * and not followed. */
  REPORT_OUTPUT_OWN_NAME = 1 << 1,
  REPORT_OUTPUT_SCRATCH = 1 << 2        /* the file is one of report_output_open_scratch(), of another process */
} ReportOutputFlags;

void report_output_guard_descriptors (void);
void report_output_set_standard (gint fd, const gchar * name);

gchar *report_output_identity (const gchar * path);
ReportOutput *report_output_open (const gchar * path, ReportOutputFlags flags,
    GError ** error);
ReportOutput *report_output_open_scratch (GError ** error);
GOutputStream *report_output_stream (const ReportOutput * output);
gboolean report_output_replaces (const ReportOutput * output);
gint report_output_steal_fd (ReportOutput * output);
const gchar *report_output_place (const ReportOutput * output);
const gchar *report_output_name (const ReportOutput * output);
gboolean report_output_commit (ReportOutput * output, GError ** error);
void report_output_free (ReportOutput * output);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReportOutput, report_output_free)

void report_output_remove_temporary_files (void);

G_END_DECLS

#endif /* REPORT_OUTPUT_H */
