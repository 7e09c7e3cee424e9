/* The names of inputs: what the user wrote, as a URI, as a path, as text for people, and as the names
 * of files about them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include <glib.h>

G_BEGIN_DECLS

gchar *report_name_address (const gchar * name);
gchar *report_name_to_path (const gchar * name);
gchar *report_name_of_program (void);
gchar *report_name_of_own (const gchar * beside,
    const gchar * from_program, const gchar * installed);
gchar *report_name_to_start (void);
void report_name_find_version (const gchar * name, guint64 * size,
    guint64 * mtime);
gchar *report_name_shorten (const gchar * base);
gchar *report_name_of_file (const gchar * name, const gchar * suffix);
gchar *report_name_to_uri (const gchar * name, GError ** error);
gchar *report_name_for_people (const gchar * name);

/* For the names that an option takes, and all else that a user may get wrong. */
gboolean report_fail (GError ** error, const gchar * format, ...)
G_GNUC_PRINTF (2, 3);

G_END_DECLS

#endif /* REPORT_NAMES_H */
