/* The two inputs of --compare; see compare-inputs.h.
 *
 * Each side is a file of JSON: the user's, or a scratch file to which an input is measured. So figures of a report in JSON
 * and of the input itself are the same. If both are inputs, they are measured at the same time, and their pictures are
 * compared while that goes on.
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
#include "compare/pass.h"
#include "measure.h"
#include "targets.h"
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

/* An input that is measured. */
typedef struct
{
  Side *side;
  const ReportOptions *options;
  ReportProgress *progress;
  ReportPass *pass;             /* NULL: only this one is measured */
  guint number;
  gboolean ok;
  GError *error;
} Measuring;

/* Measures an input to a scratch file, which has been opened. */
static gpointer
measure_side (gpointer data)
{
  Measuring *measuring = data;
  Side *side = measuring->side;
  g_autoptr (GPtrArray) writers = g_ptr_array_new_with_free_func (
      (GDestroyNotify) report_writer_free);
  g_autoptr (ReportSummary) summary = NULL;

  g_ptr_array_add (writers,
      report_json_writer_new (report_output_stream (side->scratch)));
  measuring->ok = report_measure (side->input, &measuring->options->settings, writers,
      measuring->pass != NULL ? report_pass_tap (measuring->pass, measuring->number) : NULL,
      measuring->progress, &summary, &measuring->error) != REPORT_OUTPUT_FAILED;
  if (measuring->pass != NULL)
    report_pass_end (measuring->pass, measuring->number);
  return NULL;
}

/* What a side is. */
typedef enum
{
  SIDE_JSON,
  SIDE_PIPE,
  SIDE_INPUT                    /* that must be measured */
} SideKind;

static SideKind
find_kind (const Side * side)
{
  g_autofree gchar *path = report_name_to_path (side->input);
  struct stat info;

  if (path == NULL || stat (path, &info) != 0)
    return SIDE_INPUT;
  if (S_ISREG (info.st_mode) && is_json (path))
    return SIDE_JSON;
  return S_ISFIFO (info.st_mode) || S_ISCHR (info.st_mode) ? SIDE_PIPE : SIDE_INPUT;
}

/* Finds or makes the JSON of a side. */
static gboolean
make_json (Side * side, const ReportOptions * options,
    ReportProgress * progress, GError ** error)
{
  Measuring measuring = { side, options, progress, NULL, 0, FALSE, NULL };

  switch (find_kind (side)) {
    case SIDE_JSON:
      side->path = report_name_to_path (side->input);
      return TRUE;
    case SIDE_PIPE:
      if (!copy_pipe (side, error))
        return FALSE;
      break;
    case SIDE_INPUT:
      side->scratch = report_output_open_scratch (error);
      if (side->scratch == NULL)
        return FALSE;
      measure_side (&measuring);
      if (!measuring.ok) {
        g_propagate_error (error, measuring.error);
        return FALSE;
      }
      break;
  }
  side->path = g_strdup (report_output_place (side->scratch));
  return TRUE;
}

/* Measures both at the same time, and compares them.
 *
 * @failed: (out): the side that the error is of */
static gboolean
measure_both (Side sides[2], ReportPass * pass, const ReportOptions * options, ReportProgress * progress,
    const Side ** failed, GError ** error)
{
  /* One line is enough. */
  g_autoptr (ReportProgress) silent = report_progress_new (TRUE);
  Measuring measuring[2] = {
    { &sides[0], options, progress, pass, 0, FALSE, NULL },
    { &sides[1], options, silent, pass, 1, FALSE, NULL }
  };
  GThread *thread;
  gboolean ok = TRUE;

  for (guint i = 0; i < 2; i++) {
    *failed = &sides[i];
    sides[i].scratch = report_output_open_scratch (error);
    if (sides[i].scratch == NULL)
      return FALSE;
    sides[i].path = g_strdup (report_output_place (sides[i].scratch));
  }
  thread = g_thread_new ("second-input", measure_side, &measuring[1]);
  measure_side (&measuring[0]);
  g_thread_join (thread);
  for (guint i = 0; i < 2; i++) {
    if (measuring[i].ok)
      continue;
    *failed = ok ? &sides[i] : *failed;
    if (ok)
      g_propagate_error (error, g_steal_pointer (&measuring[i].error));
    g_clear_error (&measuring[i].error);
    ok = FALSE;
  }
  if (ok && report_interrupt_signal () == 0)
    report_pass_finish (pass);
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

  if ((side->path == NULL && !make_json (side, options, progress, error))
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
 * @checks: gets what policies say of both, and of the comparison
 * @all_done: (out): both were measured completely. If not, the standard error has a line
 * @is_different: (out): something differs by more than its tolerance
 *
 * Nothing is written after a signal, or if nothing of an input could be measured.
 *
 * Returns: FALSE with an error if a side cannot be read, or if the comparison cannot be written
 */
gboolean
report_compare_inputs (const ReportOptions * options, GPtrArray * inputs,
    GOutputStream * to, ReportProgress * progress, ReportChecks * checks,
    gboolean * all_done, gboolean * is_different, GError ** error)
{
  Side sides[2] = { 0 };
  ReportCompareSide compared[2];
  ReportPass *pass = NULL;
  const Side *failed = NULL;
  ReportOutput *page = NULL;
  gboolean ok = TRUE, has_streams = TRUE, is_written = FALSE;

  *all_done = TRUE;
  *is_different = FALSE;
  for (guint i = 0; i < 2; i++) {
    sides[i].input = inputs->pdata[i];
    sides[i].name = report_name_for_people (inputs->pdata[i]);
    sides[i].summaries =
        g_ptr_array_new_with_free_func ((GDestroyNotify) report_summary_free);
  }
  if (find_kind (&sides[0]) == SIDE_INPUT && find_kind (&sides[1]) == SIDE_INPUT) {
    pass = report_pass_new (options->compare.measures, options->compare.begin);
    ok = measure_both (sides, pass, options, progress, &failed, error);
    if (!ok)
      g_prefix_error (error, "%s: ", failed->name);
  }
  for (guint i = 0; i < REPORT_MOST_FORMATS && ok; i++) {
    /* No other format is allowed. */
    if (options->file_paths[i] == NULL)
      continue;
    page = report_targets_open (options, i, inputs->pdata[0], error);
    ok = page != NULL;
  }
  for (guint i = 0; i < 2; i++) {
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
    ok = report_compare (compared, pass, &options->compare, options->settings.policies, options->format, to,
        page != NULL ? report_output_stream (page) : NULL, checks, &is_written, is_different,
        error)
        && (page == NULL || report_output_commit (page, error));
  }
  if (ok && !is_written && report_interrupt_signal () != 0)
    report_complain (progress, NULL, "interrupted before A and B were compared: there is no verdict, and nothing is written");
  report_output_free (page);
  /* After a signal its threads may still run. */
  if (pass != NULL && !report_interrupt_must_end ())
    report_pass_free (pass);
  for (guint i = 0; i < 2; i++) {
    g_free (sides[i].name);
    g_free (sides[i].path);
    report_output_free (sides[i].scratch);
    g_ptr_array_unref (sides[i].summaries);
  }
  return ok;
}
