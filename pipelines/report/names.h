/* The names of inputs: what the user wrote, as a URI, and as text for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include <glib.h>

G_BEGIN_DECLS

gchar *report_name_to_uri (const gchar * name, GError ** error);
gchar *report_name_for_people (const gchar * name);

G_END_DECLS

#endif /* REPORT_NAMES_H */
