/* Writes JSON as text. What is written is text at once: a tree of nodes, of which a text is made later, takes several times the
 * time, and a report has an object of some hundred numbers for each frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_JSON_TEXT_H
#define REPORT_JSON_TEXT_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct _ReportJson ReportJson;

ReportJson *report_json_new (gboolean is_pretty);
void report_json_free (ReportJson * json);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReportJson, report_json_free)

/* @key: of a member; NULL: an element of an array, or the whole */
void report_json_begin_object (ReportJson * json, const gchar * key);
void report_json_end_object (ReportJson * json);
void report_json_begin_array (ReportJson * json, const gchar * key);
void report_json_end_array (ReportJson * json);

/* The key of the member that is put next. */
void report_json_set_key (ReportJson * json, const gchar * key);
void report_json_put_int (ReportJson * json, gint64 number);
void report_json_put_double (ReportJson * json, gdouble number);
void report_json_put_rounded (ReportJson * json, gdouble number, guint n_decimals);
void report_json_put_text (ReportJson * json, const gchar * text);
void report_json_put_boolean (ReportJson * json, gboolean is_true);
void report_json_put_null (ReportJson * json);

GString *report_json_get_text (ReportJson * json);
void report_json_clear (ReportJson * json);
GString *report_json_finish (ReportJson * json);

G_END_DECLS

#endif /* REPORT_JSON_TEXT_H */
