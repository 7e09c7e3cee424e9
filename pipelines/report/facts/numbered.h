/* The files that a pattern such as frame-%04d.png names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_NUMBERED_H
#define REPORT_NUMBERED_H

#include <glib.h>

G_BEGIN_DECLS

/* The name of a file as printf() makes it: before, a number of at least so many digits, after. */
typedef struct
{
  gchar *folder, *before, *after;
  guint n_digits;
  GArray *numbers;              /* of guint64: those that are there, sorted */
} ReportNumbered;

gboolean report_numbered_find (ReportNumbered * numbered,
    const gchar * pattern, GError ** error);
void report_numbered_clear (ReportNumbered * numbered);
gchar *report_numbered_path (const ReportNumbered * numbered, guint i);
gchar *report_numbered_gap (const ReportNumbered * numbered, guint i);

G_END_DECLS

#endif /* REPORT_NUMBERED_H */
