/* How figures are written as JSON. docs/report.schema.json describes the objects.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <json-glib/json-glib.h>

#include "summary/summary.h"

G_BEGIN_DECLS

/* The number of the format. Keys are added, never removed or renamed. The number grows if the meaning of a
 * key changes:
 *   2  times of frames and alerts count from the start of their stream; in version 1 they were stream times of
 *      the container
 * All versions are read. */
#define REPORT_JSON_VERSION 2

void report_json_begin_array (JsonBuilder * builder, const gchar * key);
void report_json_begin_object (JsonBuilder * builder, const gchar * key);
void report_json_add_counts (JsonBuilder * builder, const gchar * key,
    const guint64 * counts, guint n);
void report_json_add_number (JsonBuilder * builder, gdouble number);
void report_json_add_double (JsonBuilder * builder, const gchar * key,
    gdouble number);
void report_json_add_int (JsonBuilder * builder, const gchar * key,
    guint64 number);
void report_json_add_time (JsonBuilder * builder, const gchar * key,
    guint64 time);
void report_json_add_text (JsonBuilder * builder, const gchar * key,
    const gchar * text);
void report_json_add_figures (JsonBuilder * builder,
    const HistoFigureInfo * infos, guint n, gconstpointer figures);
void report_json_add_flags (JsonBuilder * builder, const gchar * key,
    guint flags, const gchar * const *names, guint n);

void report_json_append_node (GString * text, JsonNode * root,
    JsonGenerator * generator);
void report_json_append (GString * text, JsonBuilder * builder,
    JsonGenerator * generator);
GString *report_json_finish (JsonBuilder * builder, gboolean is_pretty);

JsonParser *report_json_parse (const gchar * line, gsize length,
    GError ** error);
gdouble report_json_to_number (JsonNode * node);
const gchar *report_json_to_text (JsonNode * node);
void report_json_add_summary (JsonBuilder * builder,
    const ReportSummary * summary, gboolean is_page);
ReportSummary *report_json_read_summary (JsonObject * object, GError ** error);
gboolean report_json_load (GInputStream * from, GPtrArray * summaries,
    GError ** error);

G_END_DECLS

#endif /* REPORT_JSON_H */
