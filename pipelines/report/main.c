/* cudahisto-report: measures the video and the sound of files, and writes a report.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include <locale.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "add-up.h"
#include "compare-inputs.h"
#include "input/inputs.h"
#include "base/interrupt.h"
#include "jobs.h"
#include "live/serve.h"
#include "measure.h"
#include "measure-images.h"
#include "options.h"
#include "parts.h"
#include "policy/policy.h"
#include "requests.h"
#include "targets.h"

#define STATUS_BAD 1
#define STATUS_WRONG_OPTIONS 2
#define STATUS_FAILED REPORT_STATUS_FAILED
/* A worker of --jobs ends after so many inputs: what they have left in the memory ends with it. */
#define MOST_INPUTS 500

/* ---- One input after the other -------------------------------------------------------------- */

/* What a worker of --jobs leaves to its parent; NULL: nothing. */
typedef struct
{
  ReportOutput *verdicts, *row;
} Left;

/* Makes a writer of each format that the options want.
 *
 * @row: (nullable): where the row of the index goes, if this process writes the index
 * @writers: (element-type ReportWriter): to be freed before @outputs
 * @outputs: (element-type ReportOutput): the files of their own
 * @left: (out): */
static gboolean
make_writers (const ReportOptions * options, const gchar * input,
    GOutputStream * to, GOutputStream * row, GPtrArray * writers,
    GPtrArray * outputs, Left * left, GError ** error)
{
  ReportWriter *writer = options->format->make (to);

  if (options->format->make == report_csv_writer_new)
    report_csv_writer_set_columns (writer, options->csv_names, options->csv_has_all);
  g_ptr_array_add (writers, writer);
  for (guint i = 0; report_file_formats[i].description != NULL; i++) {
    ReportOutput *output;

    if (options->file_paths[i] == NULL)
      continue;
    output = report_targets_open (options, i, input, error);
    if (output == NULL)
      return FALSE;
    g_ptr_array_add (outputs, output);
    g_ptr_array_add (writers,
        report_file_formats[i].make (report_output_stream (output)));
  }
  if (options->verdicts != NULL) {
    left->verdicts = report_output_open (options->verdicts,
        REPORT_OUTPUT_SCRATCH, error);
    if (left->verdicts == NULL)
      return FALSE;
    g_ptr_array_add (writers,
        report_json_summary_writer_new (report_output_stream (left->verdicts)));
  }
  if (options->row != NULL) {
    left->row = report_output_open (options->row, REPORT_OUTPUT_SCRATCH, error);
    if (left->row == NULL)
      return FALSE;
    row = report_output_stream (left->row);
  }
  if (row != NULL) {
    g_autofree gchar *page = report_targets_page (options, input);

    g_ptr_array_add (writers, report_index_row_writer_new (row, page));
  }
  return TRUE;
}

/* If nothing of the input could be measured, as with a wrong name, the files of an earlier run stay as they are.
 *
 * @settings: those of the options, or with another ReportSettings' split
 * @all_done: (inout): becomes FALSE if the input was not measured completely */
static ReportOutcome
measure_input (const ReportOptions * options, const ReportSettings * settings,
    const gchar * input, GOutputStream * to, ReportProgress * progress, ReportChecks * checks,
    gboolean * all_done, GError ** error)
{
  g_autoptr (GPtrArray) writers = g_ptr_array_new_with_free_func (
      (GDestroyNotify) report_writer_free);
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func (
      (GDestroyNotify) report_output_free);
  g_autoptr (GOutputStream) row = checks->index != NULL ? g_memory_output_stream_new_resizable () : NULL;
  Left left = { NULL, NULL };
  ReportOutcome outcome = REPORT_OUTPUT_FAILED;
  gboolean is_measured = FALSE;

  if (make_writers (options, input, to, row, writers, outputs, &left, error)) {
    g_autoptr (ReportSummary) summary = NULL;

    outcome = report_measure (input, settings, writers, NULL,
        progress, &summary, error);
    if (outcome == REPORT_INPUT_UNSURE) {
      report_output_free (left.verdicts);
      report_output_free (left.row);
      return outcome;
    }
    if (outcome == REPORT_INPUT_BAD) {
      g_autofree gchar *text = report_problems_text (summary->problems);

      report_complain (progress, summary->name, text);
      *all_done = FALSE;
    }
    for (guint i = 0; i < writers->len; i++) {
      const ReportWriter *writer = writers->pdata[i];

      if (writer->refusal == NULL)
        continue;
      report_complain (progress, summary->name, writer->refusal);
      *all_done = FALSE;
    }
    is_measured = summary->streams->len > 0;
    /* What could not be written does not count. */
    if (outcome != REPORT_OUTPUT_FAILED)
      report_checks_add (checks, summary);
  }
  if (left.verdicts != NULL && outcome != REPORT_OUTPUT_FAILED
      && !report_output_commit (left.verdicts, error))
    outcome = REPORT_OUTPUT_FAILED;
  for (guint i = 0; i < outputs->len && is_measured
      && outcome != REPORT_OUTPUT_FAILED; i++) {
    if (!report_output_commit (outputs->pdata[i], error))
      outcome = REPORT_OUTPUT_FAILED;
  }
  /* The row says that there is a page. */
  if (left.row != NULL && outcome != REPORT_OUTPUT_FAILED
      && !report_output_commit (left.row, error))
    outcome = REPORT_OUTPUT_FAILED;
  if (row != NULL && outcome != REPORT_OUTPUT_FAILED)
    report_index_take (checks->index, g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (row)),
        g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (row)));
  report_output_free (left.verdicts);
  report_output_free (left.row);
  return outcome;
}

/* Copies what has been written to a temporary file. */
static gboolean
copy_output (ReportOutput * output, GOutputStream * to, GError ** error)
{
  g_autoptr (GFile) file = g_file_new_for_path (report_output_place (output));
  g_autoptr (GFileInputStream) from = NULL;

  if (!g_output_stream_flush (report_output_stream (output), NULL, error))
    return FALSE;
  from = g_file_read (file, NULL, error);
  return from != NULL && g_output_stream_splice (to, G_INPUT_STREAM (from),
      G_OUTPUT_STREAM_SPLICE_NONE, NULL, error) >= 0;
}

/* Measures an input that several decoders share. What they give is checked while they do it, so that the report is written when
 * they have ended. If it may differ from what one decoder gives, this one measures all.
 *
 * @all_done: as with measure_input() */
static ReportOutcome
measure_split_input (const ReportOptions * options, const gchar * input,
    GOutputStream * to, ReportProgress * progress, ReportChecks * checks,
    gboolean * all_done, GError ** error)
{
  g_autoptr (ReportOutput) output = NULL;
  ReportSettings *whole;
  ReportOutcome outcome;

  if (options->settings.split == 1)
    return measure_input (options, &options->settings, input, to, progress, checks, all_done, error);
  output = report_output_open_scratch (error);
  if (output == NULL)
    return REPORT_OUTPUT_FAILED;
  outcome = measure_input (options, &options->settings, input,
      report_output_stream (output), progress, checks, all_done, error);
  if (outcome == REPORT_INPUT_UNSURE) {
    whole = g_memdup2 (&options->settings, sizeof options->settings);
    whole->split = 1;
    outcome = measure_input (options, whole, input, to, progress, checks, all_done, error);
    /* After a signal threads may still use them. */
    if (report_interrupt_signal () == 0)
      g_free (whole);
    return outcome;
  }
  if (outcome != REPORT_OUTPUT_FAILED && !copy_output (output, to, error))
    return REPORT_OUTPUT_FAILED;
  return outcome;
}

/* ---- The program ---------------------------------------------------------------------------- */

/* Returns: (transfer full) (nullable) (element-type filename): NULL if there is nothing to do; the standard error says
 * why. @is_all: (out): everything that the user named could be read, and was something */
static GPtrArray *
find_inputs (const ReportOptions * options, ReportProgress * progress,
    gboolean * is_all)
{
  g_autoptr (GPtrArray) inputs = NULL;

  if (options->compare.is_wanted
      || (options->is_merge && options->results == NULL)) {
    inputs = g_ptr_array_new_with_free_func (g_free);
    for (gchar ** input = options->inputs; *input != NULL; input++)
      g_ptr_array_add (inputs, g_strdup (*input));
    *is_all = TRUE;
    return g_steal_pointer (&inputs);
  }
  inputs = report_inputs_expand (options->inputs, progress, options->is_quiet,
      is_all);
  return inputs->len > 0 ? g_steal_pointer (&inputs) : NULL;
}

/* Measures one input after the other, or several at the same time.
 *
 * @all_done: (inout): becomes FALSE if an input was not measured completely */
static gboolean
measure_all (const ReportOptions * options, GPtrArray * inputs,
    GOutputStream * to, ReportProgress * progress, ReportChecks * checks,
    gboolean * all_done, GError ** error)
{
  g_autoptr (GOutputStream) parts = report_parts_new (to, options->format,
      inputs->len > 1);
  gboolean ok = TRUE;

  checks->counts = options->format->is_text && inputs->len > 1;
  if (options->jobs > 1 || options->results != NULL) {
    ok = report_jobs_run (options, inputs, parts, progress, checks, all_done,
        error);
  } else {
    for (guint i = 0; ok && i < inputs->len; i++) {
      if (report_interrupt_signal () != 0) {
        report_checks_add_unmeasured (checks, inputs->pdata[i],
            REPORT_PROBLEM_INTERRUPTED, "interrupted before it was measured");
        continue;
      }
      report_parts_next (parts);
      ok = measure_split_input (options, inputs->pdata[i], parts, progress, checks,
          all_done, error) != REPORT_OUTPUT_FAILED;
    }
  }
  ok = ok && report_parts_end (parts, error) && (!checks->counts
      || report_checks_tell (checks, inputs->len,
          options->settings.policies->len > 0, to, error));
  return ok;
}

/* Writes the files with the verdicts of all inputs. */
static gboolean
write_checks (const ReportOptions * options, const ReportChecks * checks,
    GError ** error)
{
  gboolean ok = TRUE;

  for (guint i = 0; ok && report_check_formats[i].option != NULL; i++) {
    g_autoptr (ReportOutput) output = NULL;

    if (options->check_paths[i] == NULL)
      continue;
    output = report_output_open (options->check_paths[i], 0, error);
    if (output == NULL)
      return FALSE;
    ok = report_check_formats[i].write (checks, report_output_stream (output),
        error) && report_output_commit (output, error);
  }
  return ok;
}

/* Writes the page about all inputs.
 *
 * @path: (nullable): NULL: none is wanted */
static gboolean
write_index (const gchar * path, const ReportChecks * checks, GError ** error)
{
  g_autoptr (ReportOutput) output = NULL;

  if (path == NULL)
    return TRUE;
  output = report_output_open (path, REPORT_OUTPUT_OWN_NAME, error);
  return output != NULL && report_index_write (checks->index, checks->counted.n_measured,
      report_interrupt_signal () != 0, report_output_stream (output), error) && report_output_commit (output, error);
}

/* Whether nothing of any input could be measured, or no file that --merge adds up could be read. Then the files of an earlier
 * run stay. A shard without inputs has no such fault. What --compare cannot read writes nothing. */
static gboolean
has_nothing (const ReportOptions * options, GPtrArray * inputs,
    const ReportChecks * checks)
{
  if (options->is_merge)
    return checks->counted.n_added == 0;
  return !options->compare.is_wanted && inputs->len > 0
      && checks->counted.n_measured == 0;
}

static gboolean
write_reports (const ReportOptions * options, GPtrArray * inputs,
    ReportProgress * progress, ReportChecks * checks, gboolean * all_done,
    GError ** error)
{
  /* In the charset of the locale. What workers wrote is copied as it is. */
  const gboolean is_text = options->format->is_text
      && (options->jobs == 1 || options->results != NULL);
  g_autoptr (ReportOutput) output = report_output_open (options->output,
      is_text ? REPORT_OUTPUT_TEXT : 0, error);
  g_autofree gchar *index = report_targets_index (options, inputs);
  GOutputStream *to;
  gboolean is_different = FALSE, ok;

  if (output == NULL)
    return FALSE;
  to = report_output_stream (output);
  if (index != NULL)
    checks->index = report_index_new ();
  report_inputs_take_shard (inputs, options->shard, options->n_shards);
  if (options->compare.is_wanted)
    ok = report_compare_inputs (options, inputs, to, progress, checks, all_done,
        &is_different, error);
  else if (options->is_merge)
    ok = report_add_up (options, inputs, to, progress, checks, all_done,
        error);
  else
    ok = measure_all (options, inputs, to, progress, checks, all_done, error);
  /* A pipe gets what a terminal gets. */
  if (has_nothing (options, inputs, checks))
    return ok && (report_output_replaces (output) || report_output_commit (output, error));
  ok = ok && report_output_commit (output, error);
  g_clear_pointer (&output, report_output_free);
  if (is_different && options->compare.fails)
    checks->has_failed = TRUE;
  return ok && write_index (index, checks, error) && write_checks (options, checks, error);
}

/* Some formats need figures that the settings may leave out. */
static gboolean
check_formats (const ReportOptions * options, GError ** error)
{
  for (guint i = 0; report_file_formats[i].description != NULL; i++) {
    if (options->file_paths[i] != NULL && report_file_formats[i].needs_light
        && !report_settings_check_light (&options->settings,
            report_file_formats[i].option, error))
      return FALSE;
  }
  return TRUE;
}

/* Checks the options, the settings, the inputs and the outputs, in this order, before anything is
 * opened for writing.
 *
 * @all_done: (out): all inputs were measured completely */
static gboolean
run (const ReportOptions * options, ReportChecks * checks, gboolean * all_done,
    GError ** error)
{
  g_autoptr (ReportProgress) progress = NULL;
  g_autoptr (GPtrArray) inputs = NULL;
  gboolean ok, is_all;

  if (!options->is_merge && !(report_settings_check (&options->settings, error)
          && check_formats (options, error)))
    return FALSE;
  *all_done = TRUE;
  progress = report_progress_new (options->is_quiet);
  if (options->is_images)
    return report_images_run (options, progress, all_done, error);
  inputs = find_inputs (options, progress, &is_all);
  ok = inputs != NULL && report_targets_check (options, inputs, error)
      && write_reports (options, inputs, progress, checks, all_done, error);
  *all_done = *all_done && is_all;
  return ok;
}

/* Returns: the exit status: a signal is the end that was asked for */
static gint
serve_pages (const ReportOptions * options, GError ** error)
{
  if (report_settings_check (&options->settings, error) && report_serve_run (&options->serve, &options->settings, options->inputs, error))
    return 0;
  return g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT) ? STATUS_WRONG_OPTIONS : STATUS_BAD;
}

/* @counted: (out) (optional): the inputs
 *
 * Returns: the exit status */
static gint
report (const ReportOptions * options, ReportCounted * counted, GError ** error)
{
  gboolean all_done = FALSE, ok;
  ReportChecks checks;

  report_checks_init (&checks, report_options_keep_verdicts (options));
  ok = run (options, &checks, &all_done, error);
  if (counted != NULL)
    *counted = checks.counted;
  report_checks_clear (&checks);
  if (!ok && g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT))
    return STATUS_WRONG_OPTIONS;
  if (report_interrupt_signal () != 0)
    return REPORT_STATUS_SIGNAL + report_interrupt_signal ();
  if (!ok || !all_done)
    return STATUS_BAD;
  return checks.has_failed ? STATUS_FAILED : 0;
}

/* @error: (transfer full) (nullable): */
static void
complain (GError * error)
{
  if (error == NULL)
    return;
  report_interrupt_explain (error);
  report_complain (NULL, NULL, error->message);
  g_error_free (error);
}

/* ---- A worker of --jobs --------------------------------------------------------------------- */

/* Whether a limit would count what the inputs before have used. */
static gboolean
has_limit (void)
{
  static const gint limits[] = { RLIMIT_CPU, RLIMIT_AS, RLIMIT_DATA };
  struct rlimit limit;
  gboolean found = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    found = found || (getrlimit (limits[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY);
  return found;
}

/* Measures the inputs that the parent asks for, one after the other, each as report() does.
 *
 * Returns: the exit status */
static gint
serve (ReportOptions * options, GError ** error)
{
  g_autoptr (GSocket) requests = report_requests_accept (error);
  ReportRequest request;
  ReportAnswer answer = { 0 };

  for (guint n = 1; requests != NULL && !answer.is_last; n++) {
    GError *problem = NULL;

    if (!report_requests_wait (requests, &request, error))
      return *error == NULL ? 0 : STATUS_BAD;
    report_output_set_standard (request.output, request.name);
    g_strfreev (options->inputs);
    options->inputs = g_new0 (gchar *, 2);
    options->inputs[0] = g_steal_pointer (&request.input);
    g_free (options->verdicts);
    options->verdicts = g_steal_pointer (&request.verdicts);
    g_free (options->row);
    options->row = g_steal_pointer (&request.row);
    report_requests_clear (&request);
    answer.status = report (options, &answer.counted, &problem);
    complain (problem);
    answer.is_last = report_interrupt_must_end () || n == MOST_INPUTS || has_limit ();
    report_output_set_standard (-1, NULL);
    report_requests_answer (requests, &answer);
  }
  return requests != NULL ? answer.status : STATUS_BAD;
}

/* ---- main ----------------------------------------------------------------------------------- */

/* @text: (transfer full) (nullable): NULL: there is an error */
static gint
print (gchar * text, GError ** error)
{
  g_autoptr (ReportOutput) output = NULL;
  gboolean ok;

  if (text == NULL)
    return g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT) ?
        STATUS_WRONG_OPTIONS : STATUS_BAD;
  output = report_output_open (NULL, REPORT_OUTPUT_TEXT, error);
  ok = g_output_stream_write_all (report_output_stream (output), text,
      strlen (text), NULL, NULL, error) && report_output_commit (output, error);
  g_free (text);
  return ok ? 0 : STATUS_BAD;
}

int
main (int argc, char **argv)
{
  g_auto (GStrv) arguments = NULL;
  ReportOptions options;
  GError *error = NULL;
  gint status = STATUS_WRONG_OPTIONS;
  gboolean has_served = FALSE;

  report_output_guard_descriptors ();
  setlocale (LC_ALL, "");
  /* Numbers are written with a point. */
  setlocale (LC_NUMERIC, "C");
  /* Reports have messages of GStreamer and of the system: a report is the same in every language. */
  setlocale (LC_MESSAGES, "C");
  report_interrupt_install ();
  g_set_prgname ("cudahisto-report");
  arguments = g_strdupv (argv);
  switch (report_options_parse (&options, &arguments, &error)) {
    case REPORT_OPTIONS_RUN:
      status = options.is_worker ? serve (&options, &error) : options.serve.address != NULL ? serve_pages (&options, &error) :
          report (&options, NULL, &error);
      has_served = options.serve.address != NULL;
      break;
    case REPORT_OPTIONS_VERSION:
      status = print (g_strdup ("cudahisto-report " PACKAGE_VERSION "\n"),
          &error);
      break;
    case REPORT_OPTIONS_LIST_POLICIES:
      status = print (report_presets_list (&error), &error);
      break;
    case REPORT_OPTIONS_SHOW_POLICY:
      status = print (report_preset_show (options.show_policy, &error), &error);
      break;
    case REPORT_OPTIONS_WRONG:
      break;
  }
  complain (error);
  report_interrupt_finish ();
  /* Threads that decode may go on. */
  if (has_served)
    _exit (status);
  if (report_interrupt_must_end ())
    report_interrupt_end (status);
  report_options_clear (&options);
  /* GStreamer's tracers report what they have found. */
  if (gst_is_initialized ())
    gst_deinit ();
  return status;
}
