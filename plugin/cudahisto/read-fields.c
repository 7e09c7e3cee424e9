/* Checked access to the fields of a GstStructure; see read-fields.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/read-fields.h"

const gchar *const histo_read_names[HISTO_N_FIELDS] = {
#define NAME(identifier, name) name,
  HISTO_RESULT_FIELDS (NAME)
#undef NAME
};

/* @text: what is wrong with the field @name. Returns: FALSE */
gboolean
histo_read_fail (const GstStructure * structure, const gchar * name,
    const gchar * text, GError ** error)
{
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "Not a result of cudahisto: field \"%s\" of \"%s\" %s", name,
      gst_structure_get_name (structure), text);
  return FALSE;
}

/* Returns: (transfer none) (nullable): the field's value if it has this type */
const GValue *
histo_read_value (const GstStructure * structure, const gchar * name,
    GType type, GError ** error)
{
  const GValue *value = gst_structure_get_value (structure, name);

  if (value != NULL && G_VALUE_HOLDS (value, type))
    return value;
  histo_read_fail (structure, name,
      value == NULL ? "is missing" : "has another type", error);
  return NULL;
}

/* Returns: (transfer none) (nullable): the structure in the field */
const GstStructure *
histo_read_structure (const GstStructure * structure, const gchar * name,
    GError ** error)
{
  const GValue *value =
      histo_read_value (structure, name, GST_TYPE_STRUCTURE, error);

  if (value == NULL)
    return NULL;
  if (gst_value_get_structure (value) == NULL)
    histo_read_fail (structure, name, "is NULL", error);
  return gst_value_get_structure (value);
}

/* Returns: (transfer none) (nullable): the text in the field */
const gchar *
histo_read_text (const GstStructure * structure, const gchar * name,
    GError ** error)
{
  const GValue *value =
      histo_read_value (structure, name, G_TYPE_STRING, error);

  if (value == NULL)
    return NULL;
  if (g_value_get_string (value) == NULL)
    histo_read_fail (structure, name, "is NULL", error);
  return g_value_get_string (value);
}

gboolean
histo_read_int (const GstStructure * structure, const gchar * name,
    gint * number, GError ** error)
{
  const GValue *value = histo_read_value (structure, name, G_TYPE_INT, error);

  if (value != NULL)
    *number = g_value_get_int (value);
  return value != NULL;
}

static gboolean
read_uint (const GstStructure * structure, const gchar * name, guint * number,
    GError ** error)
{
  const GValue *value = histo_read_value (structure, name, G_TYPE_UINT, error);

  if (value != NULL)
    *number = g_value_get_uint (value);
  return value != NULL;
}

gboolean
histo_read_uint64 (const GstStructure * structure, const gchar * name,
    guint64 * number, GError ** error)
{
  const GValue *value =
      histo_read_value (structure, name, G_TYPE_UINT64, error);

  if (value != NULL)
    *number = g_value_get_uint64 (value);
  return value != NULL;
}

gboolean
histo_read_double (const GstStructure * structure, const gchar * name,
    gdouble * number, GError ** error)
{
  const GValue *value =
      histo_read_value (structure, name, G_TYPE_DOUBLE, error);

  if (value != NULL)
    *number = g_value_get_double (value);
  return value != NULL;
}

/* @figures: (out): the struct that has the members of @infos */
gboolean
histo_read_figures (const GstStructure * structure,
    const HistoFigureInfo * infos, guint n, gpointer figures, GError ** error)
{
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < n; i++) {
    gpointer member = G_STRUCT_MEMBER_P (figures, infos[i].offset);

    switch (infos[i].type) {
      case HISTO_FIGURE_UINT64:
        ok = histo_read_uint64 (structure, infos[i].name, member, error);
        break;
      case HISTO_FIGURE_UINT:
        ok = read_uint (structure, infos[i].name, member, error);
        break;
      case HISTO_FIGURE_DOUBLE:
        ok = histo_read_double (structure, infos[i].name, member, error);
        break;
    }
  }
  return ok;
}
