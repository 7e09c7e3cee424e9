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

/* Begins an array, or an object, that is a member. */
void
report_json_begin_array (JsonBuilder * builder, const gchar * key)
{
  json_builder_set_member_name (builder, key);
  json_builder_begin_array (builder);
}

void
report_json_begin_object (JsonBuilder * builder, const gchar * key)
{
  json_builder_set_member_name (builder, key);
  json_builder_begin_object (builder);
}

void
report_json_add_counts (JsonBuilder * builder, const gchar * key,
    const guint64 * counts, guint n)
{
  report_json_begin_array (builder, key);
  for (guint i = 0; i < n; i++)
    json_builder_add_int_value (builder, (gint64) counts[i]);
  json_builder_end_array (builder);
}

/* An element of an array. JSON has no infinity and no NaN: they are the texts "inf" and "-inf", and null. */
void
report_json_add_number (JsonBuilder * builder, gdouble number)
{
  if (isnan (number))
    json_builder_add_null_value (builder);
  else if (isinf (number))
    json_builder_add_string_value (builder, number > 0 ? "inf" : "-inf");
  else
    json_builder_add_double_value (builder, number);
}

/* Adds such a number as a member. A number that is NaN is left out. */
void
report_json_add_double (JsonBuilder * builder, const gchar * key,
    gdouble number)
{
  if (isnan (number))
    return;
  json_builder_set_member_name (builder, key);
  report_json_add_number (builder, number);
}

void
report_json_add_int (JsonBuilder * builder, const gchar * key, guint64 number)
{
  json_builder_set_member_name (builder, key);
  json_builder_add_int_value (builder, (gint64) MIN (number, G_MAXINT64));
}

/* @time: in ns; one that is unknown is left out */
void
report_json_add_time (JsonBuilder * builder, const gchar * key, guint64 time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    report_json_add_int (builder, key, time);
}

/* @text: (nullable): NULL is left out */
void
report_json_add_text (JsonBuilder * builder, const gchar * key,
    const gchar * text)
{
  if (text == NULL)
    return;
  json_builder_set_member_name (builder, key);
  json_builder_add_string_value (builder, text);
}

void
report_json_add_figures (JsonBuilder * builder, const HistoFigureInfo * infos,
    guint n, gconstpointer figures)
{
  for (guint i = 0; i < n; i++) {
    const HistoFigureInfo *info = &infos[i];

    switch (info->type) {
      case HISTO_FIGURE_UINT64:
        report_json_add_int (builder, info->name,
            G_STRUCT_MEMBER (guint64, figures, info->offset));
        break;
      case HISTO_FIGURE_UINT:
        report_json_add_int (builder, info->name,
            G_STRUCT_MEMBER (guint, figures, info->offset));
        break;
      case HISTO_FIGURE_DOUBLE:
      case HISTO_FIGURE_CHOICE:        /* never one of these */
        report_json_add_double (builder, info->name,
            G_STRUCT_MEMBER (gdouble, figures, info->offset));
        break;
    }
  }
}

/* Adds the array of the names of the flags that are set. */
void
report_json_add_flags (JsonBuilder * builder, const gchar * key, guint flags,
    const gchar * const *names, guint n)
{
  report_json_begin_array (builder, key);
  for (guint i = 0; i < n; i++) {
    if ((flags & 1u << i) != 0)
      json_builder_add_string_value (builder, names[i]);
  }
  json_builder_end_array (builder);
}

/* @json: (inout): what json-glib has written
 * json-glib appends ".0" to a double without a point, also behind an exponent. But 1e-10.0 is no JSON.
 * This takes such endings out.
 */
static void
correct (GString * json)
{
  gboolean is_text = FALSE, is_exponent = FALSE;
  gchar *to = json->str;

  for (const gchar * from = json->str; *from != '\0'; from++) {
    if (is_text) {
      is_text = *from != '"';
      /* Not the end of the text, if it is one of its quotation marks. */
      if (*from == '\\')
        *to++ = *from++;
    } else if (is_exponent && *from == '.') {
      from++;
      continue;
    } else {
      is_text = *from == '"';
      is_exponent = (*from == 'e' && from > json->str
          && g_ascii_isdigit (from[-1])) || (is_exponent
          && (g_ascii_isdigit (*from) || *from == '+' || *from == '-'));
    }
    *to++ = *from;
  }
  g_string_truncate (json, to - json->str);
}

/**
 * report_json_append_node:
 * @root: (transfer full)
 *
 * Appends what the node has.
 */
void
report_json_append_node (GString * text, JsonNode * root,
    JsonGenerator * generator)
{
  json_generator_set_root (generator, root);
  json_generator_to_gstring (generator, text);
  correct (text);
  json_node_unref (root);
}

/**
 * report_json_append:
 * @builder: is empty afterwards
 *
 * Appends the object that has been built.
 */
void
report_json_append (GString * text, JsonBuilder * builder,
    JsonGenerator * generator)
{
  report_json_append_node (text, json_builder_get_root (builder), generator);
  json_builder_reset (builder);
}

/**
 * report_json_finish:
 * @builder: (transfer full)
 *
 * Returns: (transfer full): the object that has been built, as text
 */
GString *
report_json_finish (JsonBuilder * builder, gboolean is_pretty)
{
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  GString *text = g_string_new (NULL);

  json_generator_set_pretty (generator, is_pretty);
  report_json_append (text, builder, generator);
  g_object_unref (builder);
  return text;
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
