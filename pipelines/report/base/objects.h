/* Objects and lists of them that are made, copied and freed by the table of their members; see members.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_OBJECTS_H
#define REPORT_OBJECTS_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct _ReportShape ReportShape;

gpointer report_object_new (const ReportShape * shape);
void report_object_free (gpointer object);
void report_member_set_text (gchar ** text, const gchar * other);
GPtrArray *report_objects_new (void);
gpointer report_objects_add (GPtrArray * objects, const ReportShape * shape);
gpointer report_objects_add_copy (GPtrArray * objects, const ReportShape * shape, gconstpointer object);

G_END_DECLS

#endif /* REPORT_OBJECTS_H */
