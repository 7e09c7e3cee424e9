/* Result files; see results.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "results.h"

#include <glib/gstdio.h>
#include <string.h>

#include "json.h"
#include "names.h"

/* Returns: (transfer full): the path of the result file of an input */
gchar *
report_results_path (const gchar * folder, const gchar * input)
{
  gchar *name = report_name_of_file (input, ".json");
  gchar *path = g_build_filename (folder, name, NULL);

  g_free (name);
  return path;
}

/* A result that is older than its input is of another input. */
static gboolean
is_newer (const gchar * path, const gchar * input)
{
  GStatBuf result, measured;

  if (g_stat (path, &result) != 0)
    return FALSE;
  return g_stat (input, &measured) != 0
      || result.st_mtime >= measured.st_mtime;
}

/* Whether the file has what the format wants: --json also wants lines for the frames. */
static gboolean
has_frames (const gchar * path)
{
  gchar head[32] = "";
  FILE *file = g_fopen (path, "r");
  gboolean found;

  if (file == NULL)
    return FALSE;
  found = fgets (head, sizeof head, file) != NULL
      && strstr (head, "summary") == NULL;
  fclose (file);
  return found;
}

/**
 * report_results_are_complete:
 * @path: from report_results_path()
 *
 * Returns: whether the file has the whole result of the input, with these settings
 */
gboolean
report_results_are_complete (const gchar * path, const gchar * input,
    const ReportOptions * options)
{
  GPtrArray *summaries;
  gchar *settings;
  gboolean ok;

  if (!is_newer (path, input))
    return FALSE;
  if (options->format->option != NULL
      && !g_str_equal (options->format->option, "json-summary")
      && !has_frames (path))
    return FALSE;
  summaries = g_ptr_array_new_with_free_func (
      (GDestroyNotify) report_summary_free);
  settings = report_settings_describe (&options->settings);
  ok = report_json_load (path, summaries, NULL) && summaries->len == 1;
  if (ok) {
    const ReportSummary *summary = summaries->pdata[0];

    ok = summary->is_complete && g_strcmp0 (summary->settings, settings) == 0;
  }
  g_free (settings);
  g_ptr_array_unref (summaries);
  return ok;
}

/**
 * report_results_write:
 *
 * Writes the summary in a result file in another format. A file that is not there, because its
 * input could not be measured, writes nothing.
 */
gboolean
report_results_write (const gchar * path, const ReportFormat * format,
    GOutputStream * to, GError ** error)
{
  GPtrArray *summaries =
      g_ptr_array_new_with_free_func ((GDestroyNotify) report_summary_free);
  ReportWriter *writer = format->make (to);
  gboolean ok = TRUE;

  report_json_load (path, summaries, NULL);
  for (guint i = 0; ok && i < summaries->len; i++) {
    const ReportSummary *summary = summaries->pdata[i];
    const ReportInput input = { summary->name, summary->duration, 0, NULL };

    ok = writer->begin (writer, &input, error)
        && writer->end (writer, summary, error);
  }
  writer->free (writer);
  g_ptr_array_unref (summaries);
  return ok;
}
