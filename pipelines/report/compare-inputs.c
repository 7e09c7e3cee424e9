/* The two inputs of --compare; see compare-inputs.h.
 *
 * Each side is a file of JSON: the user's, or a scratch file to which an input is measured. So a report in JSON and the
 * input itself give the same.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare-inputs.h"

#include <string.h>
#include <sys/stat.h>

#include "base/interrupt.h"
#include "base/names.h"
#include "base/output.h"
#include "compare/compare.h"
#include "measure.h"
#include "summary/json.h"

typedef struct
{
  const gchar *input;           /* as the user wrote it */
  gchar *name;                  /* the same for people */
  gchar *path;                  /* of the JSON */
  ReportOutput *scratch;        /* NULL: it is the user's */
  GPtrArray *summaries;         /* (element-type ReportSummary): one */
} Side;

/* Whether a file begins as JSON does; no film and no recording begins so. */
static gboolean
is_json (const gchar * path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) from = g_file_read (file, NULL, NULL);
  gchar first[64] = "";
  gsize n = 0;

  if (from != NULL)
    g_input_stream_read_all (G_INPUT_STREAM (from), first, sizeof first - 1,
        &n, NULL, NULL);
  return first[strspn (first, " \t\r\n")] == '{';
}

/* Copies a pipe, which cannot be read twice, to a scratch file. */
static gboolean
copy_pipe (Side * side, GError ** error)
{
  g_autoptr (GFile) file = g_file_new_for_path (side->input);
  g_autoptr (GFileInputStream) from = g_file_read (file, NULL, error);

  if (from == NULL)
    return FALSE;
  side->scratch = report_output_open_scratch (error);
  return side->scratch != NULL
      && g_output_stream_splice (report_output_stream (side->scratch),
      G_INPUT_STREAM (from), G_OUTPUT_STREAM_SPLICE_NONE, NULL, error) >= 0
      && g_output_stream_flush (report_output_stream (side->scratch), NULL,
      error);
}

/* Measures an input to a scratch file. */
static gboolean
measure_side (Side * side, const ReportOptions * options,
    ReportProgress * progress, GError ** error)
{
  g_autoptr (GPtrArray) writers = g_ptr_array_new_with_free_func (
      (GDestroyNotify) report_writer_free);
  g_autoptr (ReportSummary) summary = NULL;

  side->scratch = report_output_open_scratch (error);
  if (side->scratch == NULL)
    return FALSE;
  g_ptr_array_add (writers,
      report_json_writer_new (report_output_stream (side->scratch)));
  return report_measure (side->input, &options->settings, writers, progress, &summary, error)
      != REPORT_OUTPUT_FAILED;
}

/* Finds or makes the JSON of a side. */
static gboolean
make_json (Side * side, const ReportOptions * options,
    ReportProgress * progress, GError ** error)
{
  g_autofree gchar *path = report_name_to_path (side->input);
  struct stat info;
  gboolean ok;

  if (path != NULL && stat (path, &info) == 0 && S_ISREG (info.st_mode)
      && is_json (path)) {
    side->path = g_steal_pointer (&path);
    return TRUE;
  }
  if (path != NULL && stat (path, &info) == 0
      && (S_ISFIFO (info.st_mode) || S_ISCHR (info.st_mode)))
    ok = copy_pipe (side, error);
  else
    ok = measure_side (side, options, progress, error);
  if (ok)
    side->path = g_strdup (report_output_place (side->scratch));
  return ok;
}

static gboolean
load_side (Side * side, GError ** error)
{
  g_autoptr (GFile) file = g_file_new_for_path (side->path);
  g_autoptr (GFileInputStream) from = g_file_read (file, NULL, error);
  const gboolean ok = from != NULL
      && report_json_load (G_INPUT_STREAM (from), side->summaries, error);

  if (ok && side->summaries->len != 1) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "has the summaries of %u inputs: only one can be compared",
        side->summaries->len);
    return FALSE;
  }
  return ok;
}

/* @all_done: (inout): becomes FALSE, and a line is printed, if the input was not measured completely */
static gboolean
open_side (Side * side, const ReportOptions * options,
    ReportProgress * progress, gboolean * all_done, GError ** error)
{
  const ReportSummary *summary;

  if (!make_json (side, options, progress, error)
      || (report_interrupt_signal () == 0 && !load_side (side, error))) {
    g_prefix_error (error, "%s: ", side->name);
    return FALSE;
  }
  if (report_interrupt_signal () != 0)
    return TRUE;
  summary = side->summaries->pdata[0];
  if (!summary->is_complete) {
    g_autofree gchar *text = report_problems_text (summary->problems);

    report_complain (progress, side->name, text != NULL ? text :
        "was not measured completely");
    *all_done = FALSE;
  }
  return TRUE;
}

/* @has_streams: (inout): becomes FALSE if there are none, which the standard error has reported already
 *
 * Returns: FALSE with an error if it says that it is complete, though it has none */
static gboolean
check_streams (const Side * side, gboolean * has_streams, GError ** error)
{
  const ReportSummary *summary = side->summaries->pdata[0];

  if (summary->streams->len > 0)
    return TRUE;
  *has_streams = FALSE;
  if (!summary->is_complete)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
      "%s: has no stream to compare", side->name);
  return FALSE;
}

/**
 * report_compare_inputs:
 * @inputs: (element-type filename): two
 * @all_done: (out): both were measured completely. If not, the standard error has a line
 * @is_different: (out): something differs by more than its tolerance
 *
 * Nothing is written after a signal, or if nothing of an input could be measured.
 *
 * Returns: FALSE with an error if a side cannot be read, or if the comparison cannot be written
 */
gboolean
report_compare_inputs (const ReportOptions * options, GPtrArray * inputs,
    GOutputStream * to, ReportProgress * progress, gboolean * all_done,
    gboolean * is_different, GError ** error)
{
  Side sides[2] = { 0 };
  ReportCompareSide compared[2];
  gboolean ok = TRUE, has_streams = TRUE;

  *all_done = TRUE;
  *is_different = FALSE;
  for (guint i = 0; i < 2; i++) {
    sides[i].input = inputs->pdata[i];
    sides[i].name = report_name_for_people (inputs->pdata[i]);
    sides[i].summaries =
        g_ptr_array_new_with_free_func ((GDestroyNotify) report_summary_free);
    ok = ok && (report_interrupt_signal () != 0
        || open_side (&sides[i], options, progress, all_done, error));
    if (ok && sides[i].summaries->len == 1)
      ok = check_streams (&sides[i], &has_streams, error);
  }
  /* After a signal a side may have no summary. */
  if (ok && has_streams && report_interrupt_signal () == 0) {
    for (guint i = 0; i < 2; i++)
      compared[i] = (ReportCompareSide) { sides[i].name, sides[i].path,
        sides[i].summaries->pdata[0] };
    ok = report_compare (compared, &options->compare, options->format, to,
        is_different, error);
  }
  for (guint i = 0; i < 2; i++) {
    g_free (sides[i].name);
    g_free (sides[i].path);
    report_output_free (sides[i].scratch);
    g_ptr_array_unref (sides[i].summaries);
  }
  return ok;
}
