/* Checked access to the fields of a GstStructure. For the files that read structures.
 *
 * Each function returns FALSE, or NULL, with a %GST_STREAM_ERROR_FORMAT that names the field, if
 * the field is missing or has another type.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_READ_FIELDS_H
#define HISTO_READ_FIELDS_H

#include "cudahisto/fields.h"
#include "cudahisto/result.h"

G_BEGIN_DECLS

/* The names of HISTO_RESULT_FIELDS. */
extern const gchar *const histo_read_names[HISTO_N_FIELDS];
#define FIELD(identifier) histo_read_names[HISTO_FIELD_##identifier]

gboolean histo_read_fail (const GstStructure * structure, const gchar * name,
    const gchar * text, GError ** error);
const GValue *histo_read_value (const GstStructure * structure,
    const gchar * name, GType type, GError ** error);
const GstStructure *histo_read_structure (const GstStructure * structure,
    const gchar * name, GError ** error);
const gchar *histo_read_text (const GstStructure * structure,
    const gchar * name, GError ** error);
gboolean histo_read_int (const GstStructure * structure, const gchar * name,
    gint * number, GError ** error);
gboolean histo_read_uint64 (const GstStructure * structure,
    const gchar * name, guint64 * number, GError ** error);
gboolean histo_read_double (const GstStructure * structure,
    const gchar * name, gdouble * number, GError ** error);
gboolean histo_read_figures (const GstStructure * structure,
    const HistoFigureInfo * infos, guint n, gpointer figures, GError ** error);

G_END_DECLS

#endif /* HISTO_READ_FIELDS_H */
