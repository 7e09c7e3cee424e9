/* Reads summaries, and files of them; see json.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gio/gio.h>
#include <string.h>

#include "summary/schema.h"
#include "summary/walk.h"

/* In version 1 alerts have stream times of the container, but those of merged summaries. */
static void
correct_alerts (ReportSummary * summary)
{
  for (guint i = 0; i < summary->streams->len; i++) {
    ReportStreamSummary *stream = summary->streams->pdata[i];

    if (!GST_CLOCK_TIME_IS_VALID (stream->start))
      continue;
    for (guint a = 0; a < stream->alerts->len; a++) {
      ReportAlert *alert = stream->alerts->pdata[a];

      alert->start = report_stream_summary_count (stream, alert->start);
      alert->end = report_stream_summary_count (stream, alert->end);
    }
  }
}

/**
 * report_json_read_summary:
 * @object: of type "summary"
 *
 * Returns: (transfer full) (nullable): finished; NULL with a %G_IO_ERROR if it is no summary
 */
ReportSummary *
report_json_read_summary (JsonObject * object, GError ** error)
{
  g_autoptr (ReportSummary) summary = report_summary_new (NULL);
  ReportWalk walk = {.object = object,.error = error };
  gboolean ok = report_walk_get_int (&walk, "version", G_MAXINT, &walk.version);

  if (ok && json_object_has_member (object, "images"))
    ok = report_walk_fail (&walk, "images", "is of a set of images, and sets are not added up");
  if (ok && (walk.version < 1 || walk.version > REPORT_JSON_VERSION))
    ok = report_walk_fail (&walk, "version", "is another one");
  if (!ok || !report_walk_read_shape (&walk, &report_summary_shape, summary))
    return NULL;
  if (summary->name == NULL)
    summary->name = g_strdup ("?");
  if (walk.version == 1 && summary->n_inputs == 1)
    correct_alerts (summary);
  for (guint i = 0; i < summary->streams->len; i++)
    ((ReportStreamSummary *) summary->streams->pdata[i])->is_merged =
        summary->n_inputs != 1;
  report_summary_finish (summary);
  return g_steal_pointer (&summary);
}

/* Reads one line of a file. Lines that are no summaries are skipped. */
static gboolean
load_line (const gchar * line, gsize length, GPtrArray * summaries,
    GError ** error)
{
  g_autoptr (JsonParser) parser = NULL;
  ReportSummary *summary;
  JsonNode *root;

  if (strstr (line, "\"summary\"") == NULL)
    return TRUE;
  parser = report_json_parse (line, length, error);
  if (parser == NULL)
    return FALSE;
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root) || g_strcmp0 (report_json_to_text (json_object_get_member (
                  json_node_get_object (root), "type")), "summary") != 0)
    return TRUE;
  summary = report_json_read_summary (json_node_get_object (root), error);
  if (summary == NULL)
    return FALSE;
  g_ptr_array_add (summaries, summary);
  return TRUE;
}

/**
 * report_json_load:
 * @from: what --json or --json-summary wrote
 * @summaries: (element-type ReportSummary): the summaries are appended, finished
 *
 * Returns: FALSE with an error if it cannot be read, or has no summary
 */
gboolean
report_json_load (GInputStream * from, GPtrArray * summaries,
    GError ** error)
{
  const guint before = summaries->len;
  g_autoptr (GDataInputStream) lines = g_data_input_stream_new (from);
  GError *problem = NULL;
  gchar *line;
  gsize length;

  g_filter_input_stream_set_close_base_stream (G_FILTER_INPUT_STREAM (lines),
      FALSE);
  while (problem == NULL && (line = g_data_input_stream_read_line (lines,
              &length, NULL, &problem)) != NULL) {
    load_line (line, length, summaries, &problem);
    g_free (line);
  }
  if (problem == NULL && summaries->len == before)
    g_set_error_literal (&problem, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "has no summary: write it with --json or --json-summary");
  if (problem == NULL)
    return TRUE;
  g_propagate_error (error, problem);
  return FALSE;
}
