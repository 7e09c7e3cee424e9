/* Result files; see results.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "results.h"

#include <glib/gstdio.h>
#include <string.h>

#include "summary/json.h"
#include "base/names.h"

/* Returns: (transfer full): the path of the result file of an input */
gchar *
report_results_path (const gchar * folder, const gchar * input)
{
  g_autofree gchar *name = report_name_of_file (input, ".json");

  return g_build_filename (folder, name, NULL);
}

/* Whether the file has what the format wants: lines for the frames, with or without histograms. */
static gboolean
has_format (GInputStream * from, const ReportFormat * format)
{
  g_autoptr (GDataInputStream) lines = NULL;
  g_autofree gchar *line = NULL;
  gboolean has_frames, has_histograms;

  if (format->is_text || g_str_equal (format->option, "json-summary"))
    return TRUE;
  lines = g_data_input_stream_new (from);
  g_filter_input_stream_set_close_base_stream (G_FILTER_INPUT_STREAM (lines),
      FALSE);
  line = g_data_input_stream_read_line (lines, NULL, NULL, NULL);
  has_frames = line != NULL && !g_str_has_prefix (line,
      "{\"type\":\"summary\"");
  has_histograms = line != NULL && strstr (line, "\"histogram\":") != NULL;
  return has_frames
      && has_histograms == g_str_equal (format->option, "json-histograms");
}

/* Whether it is the result of the input as it is now, measured completely with these settings. */
static gboolean
is_of (const ReportSummary * summary, const gchar * input, const gchar * uri,
    const ReportSettings * settings)
{
  g_autofree gchar *text = report_settings_describe (settings);
  guint64 size, mtime;

  report_name_find_version (input, &size, &mtime);
  return summary->is_complete && g_strcmp0 (summary->uri, uri) == 0
      && GST_CLOCK_TIME_IS_VALID (mtime) && summary->input_size == size
      && summary->input_mtime == mtime
      && g_strcmp0 (summary->settings, text) == 0;
}

/**
 * report_results_open:
 * @path: from report_results_path()
 * @format: which the file can be copied to, or made from
 *
 * Returns: (transfer full) (nullable): the file, if it has the complete result of the input as it is
 * now, with these settings; else %NULL. With an error if it is the result of another input, which must
 * not be replaced
 */
GInputStream *
report_results_open (const gchar * path, const gchar * input,
    const ReportSettings * settings, const ReportFormat * format,
    GError ** error)
{
  g_autoptr (GPtrArray) summaries =
      g_ptr_array_new_with_free_func ((GDestroyNotify) report_summary_free);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autofree gchar *uri = report_name_address (input);
  g_autoptr (GFileInputStream) from = NULL;
  const ReportSummary *summary;
  gboolean is_complete = FALSE;
  GStatBuf info;

  /* A link or a pipe of this name is not from this program. */
  if (g_lstat (path, &info) != 0 || !S_ISREG (info.st_mode))
    return NULL;
  from = g_file_read (file, NULL, NULL);
  if (from == NULL)
    return NULL;
  if (report_json_load (G_INPUT_STREAM (from), summaries, NULL)
      && summaries->len == 1) {
    summary = summaries->pdata[0];
    is_complete = is_of (summary, input, uri, settings);
    if (summary->uri != NULL && !g_str_equal (summary->uri, uri)) {
      g_autofree gchar *name = report_name_for_people (path);
      g_autofree gchar *other = report_name_for_people (summary->uri);

      g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
          "%s is the result of another input, %s", name, other);
    }
  }
  return is_complete
      && g_seekable_seek (G_SEEKABLE (from), 0, G_SEEK_SET, NULL, NULL)
      && has_format (G_INPUT_STREAM (from), format)
      && g_seekable_seek (G_SEEKABLE (from), 0, G_SEEK_SET, NULL, NULL) ?
      (GInputStream *) g_steal_pointer (&from) : NULL;
}

/**
 * report_results_write:
 * @from: what a process wrote
 *
 * Writes the summary in a result file in another format.
 */
gboolean
report_results_write (GInputStream * from, const ReportFormat * format,
    GOutputStream * to, GError ** error)
{
  g_autoptr (GPtrArray) summaries =
      g_ptr_array_new_with_free_func ((GDestroyNotify) report_summary_free);
  g_autoptr (ReportWriter) writer = format->make (to);
  gboolean ok = TRUE;

  report_json_load (from, summaries, NULL);
  for (guint i = 0; ok && i < summaries->len; i++) {
    ReportSummary *summary = summaries->pdata[i];

    if (summary->streams->len > 0 || writer->tells_unreadable)
      ok = report_writer_tell (writer, summary, error);
  }
  return ok;
}
