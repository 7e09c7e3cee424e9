/* Measures many inputs, each in a process of its own; see jobs.h.
 *
 * The standard output of each process is a temporary file. When the process has ended, a complete one becomes the result
 * file. When all inputs before it are written, the report is copied from the file. So a decoder that crashes takes one
 * input with it, and the report has the order of the inputs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "jobs.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "summary/json.h"
#include "base/names.h"
#include "parts.h"
#include "base/output.h"
#include "results.h"

/* How often signals and the progress are looked at, in ms. */
#define PAUSE 100
/* So many reports that wait for their turn are open. */
#define MOST_OPEN 256
/* The problem of an input after a signal. */
#define NOT_BEGUN "interrupted before it was measured"

typedef struct _Jobs Jobs;

typedef struct
{
  Jobs *jobs;
  const gchar *input;
  ReportOutput *output;         /* where its process writes; NULL: it was not started */
  gchar *result;                /* where the complete result is kept; NULL: it is not */
  GInputStream *report;         /* of a result that is kept: what the process wrote, until its turn comes */
  ReportOutput *verdicts;       /* where its process writes its summary, for the verdicts; NULL: they are not kept, or
                                 * are in the result */
  ReportOutput *row;            /* where its process writes its row of the index; NULL: there is none, or it was not started */
  gint slot;                    /* of its process, while it runs */
  GSubprocess *process;
  gchar *problem;               /* how it ended, if it could not report it by itself; NULL: it could */
  gboolean is_done, is_complete;
  gboolean is_interrupted;      /* by the signal that was passed on, before it could report */
} Job;

struct _Jobs
{
  const ReportOptions *options;
  ReportProgress *progress;
  ReportChecks *checks;
  GPtrArray *all;               /* (element-type Job), in the order of the inputs */
  gboolean *is_busy;            /* of each slot */
  gchar **gpus;                 /* (nullable) */
  pid_t parent;                 /* this process */
  guint n_running, n_done, n_open;
  gboolean is_stopped;          /* after an error */
  GError *error;                /* of keeping a result */
};

static void
job_free (gpointer data)
{
  Job *job = data;

  g_clear_object (&job->report);
  report_output_free (job->output);
  report_output_free (job->verdicts);
  report_output_free (job->row);
  g_free (job->result);
  g_free (job->problem);
  g_clear_object (&job->process);
  g_free (job);
}

/* ---- GPUs --------------------------------------------------------------------------------------- */

/* The NVIDIA driver makes as many device files. */
#define MOST_GPUS 64

/**
 * list_gpus:
 *
 * A process sees one of them if its CUDA_VISIBLE_DEVICES is that text. Its decoder and its
 * cudahisto then use the same GPU.
 *
 * Returns: (transfer full) (nullable): the GPUs that this process may use; NULL: fewer than two
 */
static gchar **
list_gpus (void)
{
  const gchar *visible = g_getenv ("CUDA_VISIBLE_DEVICES");
  GPtrArray *gpus;
  gchar **list;

  if (visible != NULL) {
    list = g_strsplit (visible, ",", -1);
  } else {
    gpus = g_ptr_array_new ();
    for (guint i = 0; i < MOST_GPUS; i++) {
      g_autofree gchar *device = g_strdup_printf ("/dev/nvidia%u", i);

      /* CUDA counts only those that exist. */
      if (g_file_test (device, G_FILE_TEST_EXISTS))
        g_ptr_array_add (gpus, g_strdup_printf ("%u", gpus->len));
    }
    g_ptr_array_add (gpus, NULL);
    list = (gchar **) g_ptr_array_free (gpus, FALSE);
  }
  if (g_strv_length (list) < 2)
    g_clear_pointer (&list, g_strfreev);
  return list;
}

/* Whether the verdicts of the inputs are written or counted, or a file is replaced only if something was measured: that of
 * --output, or the index. */
static gboolean
needs_summaries (const Jobs * jobs)
{
  return jobs->checks->keeps || jobs->checks->counts
      || jobs->checks->index != NULL || jobs->options->output != NULL;
}

/* ---- Processes ---------------------------------------------------------------------------------- */

static void
end_job (Job * job, gboolean is_complete)
{
  job->is_done = TRUE;
  job->is_complete = is_complete;
  job->jobs->n_done++;
}

/* Gives the result its name at once: a program that is killed loses only what it has not measured. The report is opened
 * first, because another run may replace the result. */
static void
keep_result (Job * job)
{
  g_autoptr (GFile) file = g_file_new_for_path (report_output_place (job->output));

  if (job->jobs->n_open == MOST_OPEN || job->jobs->error != NULL)
    return;
  job->report = G_INPUT_STREAM (g_file_read (file, NULL, NULL));
  job->jobs->n_open += job->report != NULL;
  if (job->report != NULL)
    report_output_commit (job->output, &job->jobs->error);
}

static void
process_ended (GObject * process, GAsyncResult * result, gpointer data)
{
  Job *job = data;
  gboolean is_complete;

  g_subprocess_wait_finish (job->process, result, NULL);
  job->jobs->is_busy[job->slot] = FALSE;
  job->jobs->n_running--;
  if (g_subprocess_get_if_signaled (job->process)
      && g_subprocess_get_term_sig (job->process) == report_interrupt_signal ()) {
    job->is_interrupted = TRUE;
    job->problem = g_strdup (NOT_BEGUN);
  } else if (g_subprocess_get_if_signaled (job->process) && !job->jobs->is_stopped) {
    g_autofree gchar *name = report_name_for_people (job->input);

    job->problem = g_strdup_printf ("its process was ended by signal %d",
        g_subprocess_get_term_sig (job->process));
    report_complain (job->jobs->progress, name, job->problem);
  }
  is_complete = g_subprocess_get_if_exited (job->process)
      && g_subprocess_get_exit_status (job->process) == 0;
  if (g_subprocess_get_if_exited (job->process)
      && g_subprocess_get_exit_status (job->process) == REPORT_STATUS_FAILED)
    is_complete = job->jobs->checks->has_failed = TRUE;
  if (is_complete && job->result != NULL)
    keep_result (job);
  end_job (job, is_complete);
}

/* Returns: (transfer full) (nullable): a file for the process of a job. It is not open here: many wait for their turn */
static ReportOutput *
open_for_process (GError ** error)
{
  ReportOutput *output = report_output_open_scratch (error);

  if (output != NULL)
    close (report_output_steal_fd (output));
  return output;
}

/* In the new process: what ends a process at once, with its temporary files, comes as soon as the parent has ended, however
 * it did. */
static void
end_with_parent (gpointer data)
{
  const pid_t *parent = data;

  prctl (PR_SET_PDEATHSIG, SIGALRM);
  /* It ended before. */
  if (getppid () != *parent)
    _exit (REPORT_STATUS_SIGNAL + SIGALRM);
}

static gboolean
start_job (Job * job, gint slot, GError ** error)
{
  Jobs *jobs = job->jobs;
  const gchar *format = jobs->options->format->option;
  g_autoptr (GSubprocessLauncher) launcher = NULL;
  g_autoptr (GPtrArray) arguments = NULL;

  job->output = job->result != NULL ?
      report_output_open (job->result, REPORT_OUTPUT_OWN_NAME, error) :
      report_output_open_scratch (error);
  if (job->output == NULL)
    return FALSE;
  /* The report is made of the result. */
  if (job->result != NULL && jobs->options->format->is_text)
    format = "json-summary";
  if (job->result == NULL && needs_summaries (jobs)) {
    job->verdicts = open_for_process (error);
    if (job->verdicts == NULL)
      return FALSE;
  }
  if (jobs->checks->index != NULL) {
    job->row = open_for_process (error);
    if (job->row == NULL)
      return FALSE;
  }
  arguments = report_options_command (jobs->options, format,
      job->verdicts != NULL ? report_output_place (job->verdicts) : NULL,
      job->row != NULL ? report_output_place (job->row) : NULL, job->input);
  launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_subprocess_launcher_set_child_setup (launcher, end_with_parent, &jobs->parent, NULL);
  g_subprocess_launcher_setenv (launcher, REPORT_OUTPUT_NAME_VARIABLE,
      report_output_name (job->output), TRUE);
  g_subprocess_launcher_take_stdout_fd (launcher,
      report_output_steal_fd (job->output));
  if (jobs->gpus != NULL)
    g_subprocess_launcher_setenv (launcher, "CUDA_VISIBLE_DEVICES",
        jobs->gpus[slot % g_strv_length (jobs->gpus)], TRUE);
  job->process = g_subprocess_launcher_spawnv (launcher,
      (const gchar * const *) arguments->pdata, error);
  if (job->process == NULL)
    return FALSE;
  job->slot = slot;
  jobs->is_busy[slot] = TRUE;
  jobs->n_running++;
  g_subprocess_wait_async (job->process, NULL, process_ended, job);
  return TRUE;
}

/* Starts the next inputs in all free slots. @next: (inout): the first input that is not started */
static gboolean
start_jobs (Jobs * jobs, guint * next, GError ** error)
{
  for (gint slot = 0; slot < jobs->options->jobs; slot++) {
    while (!jobs->is_busy[slot] && *next < jobs->all->len) {
      Job *job = jobs->all->pdata[(*next)++];

      if (!job->is_done && !start_job (job, slot, error))
        return FALSE;
    }
  }
  return TRUE;
}

static void
send_signal (Jobs * jobs, gint number)
{
  for (guint i = 0; i < jobs->all->len; i++) {
    Job *job = jobs->all->pdata[i];

    if (job->process != NULL && !job->is_done)
      g_subprocess_send_signal (job->process, number);
  }
}

/* ---- Reports ------------------------------------------------------------------------------------ */

/* Whether a file is empty or ends with a text. If not, its process was killed while it wrote, or a result file was
 * shortened. */
static gboolean
ends_with (GSeekable * file, GInputStream * from, const gchar * text)
{
  const gsize length = strlen (text);
  gchar last[16] = { 0 };

  g_assert (length < sizeof last);
  if (g_seekable_seek (file, 0, G_SEEK_END, NULL, NULL)
      && g_seekable_tell (file) == 0)
    return TRUE;
  if (g_seekable_seek (file, -(goffset) length, G_SEEK_END, NULL, NULL))
    g_input_stream_read_all (from, last, length, NULL, NULL, NULL);
  return g_seekable_seek (file, 0, G_SEEK_SET, NULL, NULL)
      && g_str_equal (last, text);
}

/* Copies the lines that have an end. */
static gboolean
copy_whole_lines (GInputStream * from, GOutputStream * to, GError ** error)
{
  g_autoptr (GByteArray) held = g_byte_array_new ();
  guint8 bytes[4096];
  gssize n = 0;
  gboolean ok = TRUE;

  while (ok && (n = g_input_stream_read (from, bytes, sizeof bytes, NULL, error)) > 0) {
    gssize end = n;

    while (end > 0 && bytes[end - 1] != '\n')
      end--;
    if (end > 0) {
      ok = g_output_stream_write_all (to, held->data, held->len, NULL, NULL, error)
          && g_output_stream_write_all (to, bytes, end, NULL, NULL, error);
      g_byte_array_set_size (held, 0);
    }
    g_byte_array_append (held, bytes + end, n - end);
  }
  return ok && n == 0;
}

/* Copies what the process wrote. A line that has no end gets one: the next report begins on a line
 * of its own. If the process did not end its report, only people can use a part of a line. */
static gboolean
copy_report (GInputStream * from, const ReportFormat * format, gboolean is_complete,
    GOutputStream * to, GError ** error)
{
  GSeekable *file = G_SEEKABLE (from);
  gboolean is_open;

  /* The process was killed: a part of such a document is of no use. */
  if (format->join != NULL && format->join->ending != NULL
      && !ends_with (file, from, format->join->ending))
    return TRUE;
  is_open = !ends_with (file, from, "\n");
  if (is_open && !is_complete && !format->is_text)
    return copy_whole_lines (from, to, error);
  return g_output_stream_splice (to, from, G_OUTPUT_STREAM_SPLICE_NONE, NULL,
      error) >= 0
      && (!is_open || g_output_stream_write_all (to, "\n", 1, NULL, NULL,
          error));
}

/* Returns: (transfer full) (nullable): what the process of a job wrote, or an earlier result. It has
 * nothing if nothing could be measured. */
static GInputStream *
open_report (Job * job)
{
  GInputStream *from;
  g_autoptr (GFile) file = NULL;

  if (job->report != NULL) {
    job->jobs->n_open--;
    return g_steal_pointer (&job->report);
  }
  if (job->output == NULL) {
    from = report_results_open (job->result, job->input,
        &job->jobs->options->settings, job->jobs->options->format, NULL);
    if (from == NULL) {
      g_autofree gchar *name = report_name_for_people (job->result);

      report_complain (job->jobs->progress, name,
          "another program has changed it");
      job->is_complete = FALSE;
    }
    return from;
  }
  file = g_file_new_for_path (report_output_place (job->output));
  return (GInputStream *) g_file_read (file, NULL, NULL);
}

/* Returns: (transfer full): of an input whose process reported nothing */
static ReportSummary *
make_unknown (Job * job)
{
  return report_summary_new_unmeasured (job->input,
      job->is_interrupted ? REPORT_PROBLEM_INTERRUPTED : REPORT_PROBLEM_UNREADABLE,
      job->problem != NULL ? job->problem : "its process gave no result");
}

/* Writes an input to the report as a process does that can measure nothing. */
static gboolean
tell_unknown (Job * job, GOutputStream * to, GError ** error)
{
  g_autoptr (ReportWriter) writer = job->jobs->options->format->make (to);
  g_autoptr (ReportSummary) unknown = make_unknown (job);

  return !writer->tells_unreadable || report_writer_tell (writer, unknown, error);
}

/* Takes the verdicts of an input from its summary. One whose process crashed has none. */
static void
add_verdicts (Job * job, GInputStream * from)
{
  g_autoptr (GPtrArray) summaries =
      g_ptr_array_new_with_free_func ((GDestroyNotify) report_summary_free);

  if (from != NULL)
    report_json_load (from, summaries, NULL);
  if (summaries->len == 0)
    g_ptr_array_add (summaries, make_unknown (job));
  for (guint i = 0; i < summaries->len; i++)
    report_checks_add (job->jobs->checks, summaries->pdata[i]);
}

/* @from: (nullable): the report; a result has the summary */
static void
find_verdicts (Job * job, GInputStream * from)
{
  if (job->verdicts != NULL) {
    g_autoptr (GFile) file = g_file_new_for_path (report_output_place (job->verdicts));
    g_autoptr (GInputStream) verdicts = (GInputStream *) g_file_read (file, NULL, NULL);

    add_verdicts (job, verdicts);
    g_clear_pointer (&job->verdicts, report_output_free);
  } else if (job->result != NULL && (needs_summaries (job->jobs)
          || job->jobs->options->settings.policies->len > 0)) {
    add_verdicts (job, from);
    if (from != NULL)
      g_seekable_seek (G_SEEKABLE (from), 0, G_SEEK_SET, NULL, NULL);
  }
}

/* Takes the row of the index that the process has written. One that crashed has written none. */
static void
find_row (Job * job)
{
  ReportIndex *index = job->jobs->checks->index;
  g_autofree gchar *row = NULL;
  gsize length = 0;

  if (index == NULL)
    return;
  g_file_get_contents (report_output_place (job->row), &row, &length, NULL);
  if (row == NULL || !report_index_take (index, row, length)) {
    g_autoptr (ReportSummary) unknown = make_unknown (job);

    report_index_add (index, unknown);
  }
  g_clear_pointer (&job->row, report_output_free);
}

/* Writes the report of one input that has ended. */
static gboolean
write_report (Job * job, GOutputStream * to, GError ** error)
{
  const ReportOptions *options = job->jobs->options;
  /* It is opened first: another run may replace the result. */
  g_autoptr (GInputStream) from = open_report (job);
  gboolean ok = job->output == NULL || job->result == NULL
      || !job->is_complete || report_output_commit (job->output, error);

  if (!ok)
    g_clear_object (&from);
  report_parts_next (to);
  find_verdicts (job, from);
  find_row (job);
  if (from != NULL && job->result != NULL && options->format->is_text)
    ok = report_results_write (from, options->format, to, error);
  else if (from != NULL)
    ok = copy_report (from, options->format, job->is_complete, to, error);
  ok = ok && (job->problem == NULL || tell_unknown (job, to, error));
  g_clear_pointer (&job->output, report_output_free);
  return ok && g_output_stream_flush (to, NULL, error);
}

/* ---- All of them -------------------------------------------------------------------------------- */

static gboolean
on_timeout (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static gboolean
run (Jobs * jobs, GOutputStream * to, GError ** error)
{
  ReportProgress *progress = jobs->progress;
  guint next = 0, n_written = 0;
  gboolean is_stopped = FALSE, ok = TRUE;

  while (ok && (jobs->n_running > 0 || (!is_stopped
              && n_written < jobs->all->len)
          || (n_written < next && n_written < jobs->n_done))) {
    if (!is_stopped && report_interrupt_signal () != 0) {
      is_stopped = TRUE;
      send_signal (jobs, report_interrupt_signal ());
    }
    if (!is_stopped)
      ok = start_jobs (jobs, &next, error);
    while (ok && n_written < next
        && ((Job *) jobs->all->pdata[n_written])->is_done) {
      report_progress_clear (progress);
      ok = write_report (jobs->all->pdata[n_written++], to, error);
    }
    report_progress_show_count (progress, jobs->n_done, jobs->all->len);
    if (ok && jobs->error != NULL) {
      g_propagate_error (error, g_steal_pointer (&jobs->error));
      ok = FALSE;
    }
    if (ok && jobs->n_running > 0)
      g_main_context_iteration (NULL, TRUE);
  }
  report_progress_clear (progress);
  /* After an interrupt. */
  for (; ok && n_written < jobs->all->len; n_written++)
    report_checks_add_unmeasured (jobs->checks,
        ((Job *) jobs->all->pdata[n_written])->input,
        REPORT_PROBLEM_INTERRUPTED, NOT_BEGUN);
  return ok;
}

static gboolean
add_job (Jobs * jobs, const gchar * input, GError ** error)
{
  const ReportOptions *options = jobs->options;
  Job *job = g_new0 (Job, 1);
  g_autoptr (GInputStream) found = NULL;
  GError *problem = NULL;

  job->jobs = jobs;
  job->input = input;
  g_ptr_array_add (jobs->all, job);
  if (options->results == NULL)
    return TRUE;
  job->result = report_results_path (options->results, input);
  found = report_results_open (job->result, input, &options->settings,
      options->format, &problem);
  if (found != NULL)
    end_job (job, TRUE);
  if (problem != NULL)
    g_propagate_error (error, problem);
  return problem == NULL;
}

/**
 * report_jobs_run:
 * @inputs: (element-type filename):
 * @to: where the reports are written: a stream of parts
 * @all_done: (out): all inputs were measured completely
 *
 * Returns: FALSE with an error if the reports could not be written
 */
gboolean
report_jobs_run (const ReportOptions * options, GPtrArray * inputs,
    GOutputStream * to, ReportProgress * progress, ReportChecks * checks,
    gboolean * all_done, GError ** error)
{
  Jobs jobs = {.options = options,.progress = progress,.checks = checks };
  guint timeout = g_timeout_add (PAUSE, on_timeout, NULL);
  gboolean ok = TRUE;

  report_interrupt_wait_for_others ();
  jobs.all = g_ptr_array_new_with_free_func (job_free);
  jobs.is_busy = g_new0 (gboolean, options->jobs);
  jobs.gpus = list_gpus ();
  jobs.parent = getpid ();
  for (guint i = 0; ok && i < inputs->len; i++)
    ok = add_job (&jobs, inputs->pdata[i], error);
  ok = ok && run (&jobs, to, error);
  if (!ok) {
    /* The processes end at once. SIGKILL would leave their temporary files. */
    jobs.is_stopped = TRUE;
    send_signal (&jobs, SIGALRM);
    while (jobs.n_running > 0)
      g_main_context_iteration (NULL, TRUE);
  }
  g_clear_error (&jobs.error);
  *all_done = TRUE;
  for (guint i = 0; i < jobs.all->len; i++)
    *all_done = *all_done && ((Job *) jobs.all->pdata[i])->is_complete;
  g_ptr_array_unref (jobs.all);
  g_free (jobs.is_busy);
  g_strfreev (jobs.gpus);
  g_source_remove (timeout);
  return ok;
}
