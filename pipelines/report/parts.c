/* One document from the documents of several inputs; see parts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "parts.h"

#include <string.h>

#define REPORT_TYPE_PARTS (report_parts_get_type ())
G_DECLARE_FINAL_TYPE (ReportParts, report_parts, REPORT, PARTS,
    GFilterOutputStream)

struct _ReportParts
{
  GFilterOutputStream parent;
  const ReportJoin *join;       /* NULL: the parts follow each other */
  gboolean has_several;
  gboolean is_begun;            /* the text before the parts is written */
  gboolean is_next;             /* the next byte begins a part */
  GString *line;                /* of a table: the one that has not ended */
  gboolean is_quoted;           /* the end of the line is in quotes */
  gchar *names;                 /* the latest line of names; NULL: none */
};

G_DEFINE_TYPE (ReportParts, report_parts, G_TYPE_FILTER_OUTPUT_STREAM)

static GOutputStream *
get_base (ReportParts * parts)
{
  return g_filter_output_stream_get_base_stream (G_FILTER_OUTPUT_STREAM
      (parts));
}

/* @text: (nullable): NULL is written as nothing */
static gboolean
write_text (ReportParts * parts, const gchar * text, GError ** error)
{
  return text == NULL || g_output_stream_write_all (get_base (parts), text,
      strlen (text), NULL, NULL, error);
}

/* A line of a table that has no end: its process was killed. */
static gboolean
end_last_line (ReportParts * parts, GError ** error)
{
  const gboolean ok = write_text (parts, parts->line->str, error);

  g_string_truncate (parts->line, 0);
  parts->is_quoted = FALSE;
  return ok;
}

/* Writes what stands before a part. */
static gboolean
begin_part (ReportParts * parts, GError ** error)
{
  const gboolean is_first = !parts->is_begun;

  parts->is_begun = TRUE;
  parts->is_next = FALSE;
  if (!end_last_line (parts, error))
    return FALSE;
  return !parts->has_several || parts->join == NULL || write_text (parts,
      is_first ? parts->join->opening : parts->join->between, error);
}

/* ---- Tables ----------------------------------------------------------------------------------- */

/* Writes a whole line, unless it is the line of names that is in force. */
static gboolean
end_line (ReportParts * parts, GError ** error)
{
  const gchar *line = parts->line->str;
  gboolean ok = TRUE;

  if (!g_str_has_prefix (line, parts->join->names)) {
    ok = write_text (parts, line, error);
  } else if (g_strcmp0 (line, parts->names) != 0) {
    g_free (parts->names);
    parts->names = g_strdup (line);
    ok = write_text (parts, line, error);
  }
  g_string_truncate (parts->line, 0);
  return ok;
}

static gboolean
write_lines (ReportParts * parts, const gchar * text, gsize length,
    GError ** error)
{
  for (gsize i = 0; i < length; i++) {
    g_string_append_c (parts->line, text[i]);
    if (text[i] == '"')
      parts->is_quoted = !parts->is_quoted;
    if (text[i] == '\n' && !parts->is_quoted && !end_line (parts, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- The stream ------------------------------------------------------------------------------- */

static gssize
write_bytes (GOutputStream * stream, const void *bytes, gsize length,
    GCancellable * cancellable, GError ** error)
{
  ReportParts *parts = REPORT_PARTS (stream);
  gboolean ok = TRUE;

  if (length == 0)
    return 0;
  if (parts->is_next)
    ok = begin_part (parts, error);
  if (parts->join != NULL && parts->join->names != NULL)
    ok = ok && write_lines (parts, bytes, length, error);
  else
    ok = ok && g_output_stream_write_all (get_base (parts), bytes, length,
        NULL, NULL, error);
  return ok ? (gssize) length : -1;
}

static void
finalize (GObject * object)
{
  ReportParts *parts = REPORT_PARTS (object);

  g_string_free (parts->line, TRUE);
  g_free (parts->names);
  G_OBJECT_CLASS (report_parts_parent_class)->finalize (object);
}

static void
report_parts_class_init (ReportPartsClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  G_OUTPUT_STREAM_CLASS (klass)->write_fn = write_bytes;
}

static void
report_parts_init (ReportParts * parts)
{
  parts->line = g_string_new (NULL);
}

/**
 * report_parts_new:
 * @to: is not closed
 * @has_several: there are several inputs
 *
 * Returns: (transfer full): the stream for the documents of all inputs
 */
GOutputStream *
report_parts_new (GOutputStream * to, const ReportFormat * format,
    gboolean has_several)
{
  ReportParts *parts = g_object_new (REPORT_TYPE_PARTS, "base-stream", to,
      "close-base-stream", FALSE, NULL);

  parts->join = format->join;
  parts->has_several = has_several;
  return G_OUTPUT_STREAM (parts);
}

/* What follows is the document of the next input. */
void
report_parts_next (GOutputStream * stream)
{
  ReportParts *parts = REPORT_PARTS (stream);

  parts->is_next = TRUE;
}

/* Writes what stands behind the last document. If no input had one, there is nothing.
 *
 * Returns: FALSE with an error if it cannot be written */
gboolean
report_parts_end (GOutputStream * stream, GError ** error)
{
  ReportParts *parts = REPORT_PARTS (stream);

  if (!end_last_line (parts, error))
    return FALSE;
  return !parts->has_several || !parts->is_begun || parts->join == NULL
      || write_text (parts, parts->join->closing, error);
}
