/* How figures are written as JSON, and how files of summaries are read; see json.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/json.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

/* Longer lines than this are no summary. */
#define MOST_BYTES ((gsize) G_MAXINT)
/* A summary has about 10 arrays and objects in each other. */
#define MOST_DEPTH 64
/* A window of sound has a member for each channel, and some others. json-glib searches the members of an object one after the
 * other if a name comes twice, or if many names have one hash. */
#define MOST_MEMBERS (HISTO_MAX_CHANNELS + 1000)

void
report_json_add_counts (ReportJson * json, const gchar * key,
    const guint64 * counts, guint n)
{
  report_json_begin_array (json, key);
  for (guint i = 0; i < n; i++)
    report_json_put_int (json, (gint64) counts[i]);
  report_json_end_array (json);
}

/* An element of an array. JSON has no infinity and no NaN: they are the texts "inf" and "-inf", and null. */
void
report_json_add_number (ReportJson * json, gdouble number)
{
  if (isnan (number))
    report_json_put_null (json);
  else if (isinf (number))
    report_json_put_text (json, number > 0 ? "inf" : "-inf");
  else
    report_json_put_double (json, number);
}

/* Adds such a number as a member. A number that is NaN is left out. */
void
report_json_add_double (ReportJson * json, const gchar * key,
    gdouble number)
{
  if (isnan (number))
    return;
  report_json_set_key (json, key);
  report_json_add_number (json, number);
}

void
report_json_add_int (ReportJson * json, const gchar * key, guint64 number)
{
  report_json_set_key (json, key);
  report_json_put_int (json, (gint64) MIN (number, G_MAXINT64));
}

/* @time: in ns; one that is unknown is left out */
void
report_json_add_time (ReportJson * json, const gchar * key, guint64 time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    report_json_add_int (json, key, time);
}

/* @text: (nullable): NULL is left out */
void
report_json_add_text (ReportJson * json, const gchar * key,
    const gchar * text)
{
  if (text == NULL)
    return;
  report_json_set_key (json, key);
  report_json_put_text (json, text);
}

void
report_json_add_figures (ReportJson * json, const HistoFigureInfo * infos,
    guint n, gconstpointer figures)
{
  for (guint i = 0; i < n; i++) {
    const HistoFigureInfo *info = &infos[i];

    switch (info->type) {
      case HISTO_FIGURE_UINT64:
        report_json_add_int (json, info->name,
            G_STRUCT_MEMBER (guint64, figures, info->offset));
        break;
      case HISTO_FIGURE_UINT:
        report_json_add_int (json, info->name,
            G_STRUCT_MEMBER (guint, figures, info->offset));
        break;
      case HISTO_FIGURE_DOUBLE:
      case HISTO_FIGURE_CHOICE:        /* never one of these */
        report_json_add_double (json, info->name,
            G_STRUCT_MEMBER (gdouble, figures, info->offset));
        break;
    }
  }
}

/* Adds the array of the names of the flags that are set. */
void
report_json_add_flags (ReportJson * json, const gchar * key, guint flags,
    const gchar * const *names, guint n)
{
  report_json_begin_array (json, key);
  for (guint i = 0; i < n; i++) {
    if ((flags & 1u << i) != 0)
      report_json_put_text (json, names[i]);
  }
  report_json_end_array (json);
}

/* ---- Files of summaries ------------------------------------------------------------------------- */

/* The parser calls itself for each array in an array, and takes comments and other things that are no
 * JSON. So this finds how deep a text is nested.
 *
 * Returns: FALSE with an error if it is too deep, or has too many members, or something else than JSON outside its strings */
static gboolean
check_nesting (const gchar * line, gsize length, GError ** error)
{
  guint n_members[MOST_DEPTH + 1] = { 0 };
  gboolean is_text = FALSE;
  guint depth = 0;

  for (gsize i = 0; i < length; i++) {
    const gchar c = line[i];

    if (is_text && c == '\\')
      i++;
    else if (c == '"')
      is_text = !is_text;
    else if (is_text)
      continue;
    else if (c == '[' || c == '{')
      depth++;
    else if ((c == ']' || c == '}') && depth > 0)
      depth--;
    else if (!g_ascii_isalnum (c) && !g_ascii_isspace (c)
        && strchr (":,+-.", c) == NULL) {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
          "is no JSON");
      return FALSE;
    }
    if (c == '{' && depth <= MOST_DEPTH)
      n_members[depth] = 0;
    if (c == ':' && ++n_members[depth] > MOST_MEMBERS) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
          "not a summary: an object has more than %d members", MOST_MEMBERS);
      return FALSE;
    }
    if (depth > MOST_DEPTH) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
          "not a summary: its arrays and objects are nested more than %d deep",
          MOST_DEPTH);
      return FALSE;
    }
  }
  return TRUE;
}

/**
 * report_json_parse:
 * @line: of a file, which may have any bytes
 *
 * Returns: (transfer full) (nullable): a parser that has read the line; NULL with an error if it is no JSON
 */
JsonParser *
report_json_parse (const gchar * line, gsize length, GError ** error)
{
  g_autoptr (JsonParser) parser = NULL;

  if (length >= MOST_BYTES) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "is too long");
    return NULL;
  }
  if (!check_nesting (line, length, error))
    return NULL;
  parser = json_parser_new ();
  return json_parser_load_from_data (parser, line, length, error) ? g_steal_pointer (&parser) : NULL;
}

/* Returns: the number of a node, also of a NULL; NaN if it has none */
gdouble
report_json_to_number (JsonNode * node)
{
  const GType type = node != NULL && JSON_NODE_HOLDS_VALUE (node) ?
      json_node_get_value_type (node) : G_TYPE_INVALID;

  if (type == G_TYPE_DOUBLE || type == G_TYPE_INT64)
    return json_node_get_double (node);
  if (type == G_TYPE_STRING) {
    if (g_str_equal (json_node_get_string (node), "inf"))
      return INFINITY;
    if (g_str_equal (json_node_get_string (node), "-inf"))
      return -INFINITY;
  }
  return NAN;
}

/* Returns: (transfer none) (nullable): the text of a node, also of a NULL; NULL if it has none */
const gchar *
report_json_to_text (JsonNode * node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == G_TYPE_STRING ?
      json_node_get_string (node) : NULL;
}
