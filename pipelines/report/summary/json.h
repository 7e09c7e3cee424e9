/* How figures are written as JSON. docs/report.schema.json describes the objects.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <json-glib/json-glib.h>

#include "base/json-text.h"
#include "summary/summary.h"

G_BEGIN_DECLS

/* The number of the format. Keys are added, never removed or renamed. The number grows if the meaning of a
 * key changes:
 *   2  times of frames and alerts count from the start of their stream; in version 1 they were stream times of
 *      the container
 * All versions are read. */
#define REPORT_JSON_VERSION 2

void report_json_add_counts (ReportJson * json, const gchar * key,
    const guint64 * counts, guint n);
void report_json_add_number (ReportJson * json, gdouble number);
void report_json_add_double (ReportJson * json, const gchar * key,
    gdouble number);
void report_json_add_int (ReportJson * json, const gchar * key,
    guint64 number);
void report_json_add_time (ReportJson * json, const gchar * key,
    guint64 time);
void report_json_add_text (ReportJson * json, const gchar * key,
    const gchar * text);
void report_json_add_figures (ReportJson * json,
    const HistoFigureInfo * infos, guint n, gconstpointer figures);
void report_json_add_flags (ReportJson * json, const gchar * key,
    guint flags, const gchar * const *names, guint n);

JsonParser *report_json_parse (const gchar * line, gsize length,
    GError ** error);
gdouble report_json_to_number (JsonNode * node);
const gchar *report_json_to_text (JsonNode * node);
void report_json_add_summary (ReportJson * json,
    const ReportSummary * summary, gboolean is_page);
ReportSummary *report_json_read_summary (JsonObject * object, GError ** error);
gboolean report_json_load (GInputStream * from, GPtrArray * summaries,
    GError ** error);

G_END_DECLS

#endif /* REPORT_JSON_H */
