/* Measures many inputs in several workers; see jobs.h.
 *
 * A worker is a process that measures one input after the other, as requests.h says. While it measures one, its standard output
 * is a temporary file. When the input has ended, a complete file becomes the result file. When all inputs before it are written,
 * the report is copied from the file. So the report has the order of the inputs, and a decoder that crashes takes one input with
 * it: another worker measures the next one.
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
#include "requests.h"
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
  ReportOutput *output;         /* where its worker writes; NULL: it was not begun */
  gchar *result;                /* where the complete result is kept; NULL: it is not */
  GInputStream *report;         /* of a result that is kept: what the worker wrote, until its turn comes */
  ReportOutput *verdicts;       /* where its worker writes its summary, for the verdicts; NULL: they are not kept, or
                                 * are in the result */
  ReportOutput *row;            /* where its worker writes its row of the index; NULL: there is none, or it was not begun */
  ReportCounted counted;        /* by the worker */
  gchar *problem;               /* how it ended, if it could not report it by itself; NULL: it could */
  gboolean is_done, is_complete;
  gboolean is_interrupted;      /* by the signal that was passed on, before it could report */
} Job;

typedef struct
{
  Jobs *jobs;
  GSubprocess *process;         /* NULL: there is none */
  GSocket *requests;            /* NULL: it gets no more inputs */
  GSource *answers;             /* of the same */
  Job *job;                     /* that it measures; NULL: none */
  gboolean has_answered;
  gboolean is_unread;           /* it has ended, and has not begun the job */
} Worker;

struct _Jobs
{
  const ReportOptions *options;
  ReportProgress *progress;
  ReportChecks *checks;
  GPtrArray *all;               /* (element-type Job), in the order of the inputs */
  Worker *workers;              /* as many as inputs at the same time */
  gchar **gpus;                 /* (nullable) */
  pid_t parent;                 /* this process */
  guint n_processes, n_done, n_open;
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

/* ---- Workers ------------------------------------------------------------------------------------ */

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

/* @status: the exit status of a process that had measured only this input; -1: it was killed */
static void
input_ended (Job * job, gint status)
{
  const gboolean is_complete = status == 0 || status == REPORT_STATUS_FAILED;

  if (status == REPORT_STATUS_FAILED)
    job->jobs->checks->has_failed = TRUE;
  if (is_complete && job->result != NULL)
    keep_result (job);
  end_job (job, is_complete);
}

/* It gets no more inputs, and ends. */
static void
dismiss (Worker * worker)
{
  if (worker->answers != NULL)
    g_source_destroy (worker->answers);
  g_clear_pointer (&worker->answers, g_source_unref);
  g_clear_object (&worker->requests);
}

static gboolean
take_answer (GSocket * requests, GIOCondition condition, gpointer data)
{
  Worker *worker = data;
  ReportAnswer answer;

  /* It has ended. */
  if (!report_requests_take_answer (requests, &answer, &worker->is_unread) || worker->job == NULL)
    return G_SOURCE_REMOVE;
  worker->has_answered = TRUE;
  worker->job->counted = answer.counted;
  input_ended (g_steal_pointer (&worker->job), answer.status);
  if (answer.is_last)
    dismiss (worker);
  return answer.is_last ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static void process_ended (GObject * process, GAsyncResult * result, gpointer data);

/* Returns: (transfer full) (nullable): a file for a worker. It is not open here: many wait for their turn */
static ReportOutput *
open_for_worker (GError ** error)
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

/* Starts a process, in place of one that takes no more inputs. @request: its first one */
static gboolean
start_worker (Worker * worker, const ReportRequest * request, GError ** error)
{
  Jobs *jobs = worker->jobs;
  const gchar *format = jobs->options->format->option;
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autoptr (GPtrArray) arguments = NULL;
  gint end;

  /* The report is made of the result. */
  if (jobs->options->results != NULL && jobs->options->format->is_text)
    format = "json-summary";
  dismiss (worker);
  g_clear_object (&worker->process);
  worker->has_answered = worker->is_unread = FALSE;
  arguments = report_options_command (jobs->options, format);
  if (!report_requests_make (&worker->requests, &end, error))
    return FALSE;
  g_subprocess_launcher_take_stdin_fd (launcher, end);
  g_subprocess_launcher_set_child_setup (launcher, end_with_parent, &jobs->parent, NULL);
  if (jobs->gpus != NULL)
    g_subprocess_launcher_setenv (launcher, "CUDA_VISIBLE_DEVICES",
        jobs->gpus[(worker - jobs->workers) % g_strv_length (jobs->gpus)], TRUE);
  if (!report_requests_send (worker->requests, request, error))
    return FALSE;
  worker->process = g_subprocess_launcher_spawnv (launcher,
      (const gchar * const *) arguments->pdata, error);
  if (worker->process == NULL)
    return FALSE;
  jobs->n_processes++;
  g_subprocess_wait_async (worker->process, NULL, process_ended, worker);
  worker->answers = g_socket_create_source (worker->requests, G_IO_IN, NULL);
  g_source_set_callback (worker->answers, G_SOURCE_FUNC (take_answer), worker, NULL);
  g_source_attach (worker->answers, NULL);
  return TRUE;
}

/* Opens the files of an input, in place of those of a worker that has not begun it. */
static gboolean
open_files (Job * job, GError ** error)
{
  Jobs *jobs = job->jobs;

  g_clear_pointer (&job->output, report_output_free);
  g_clear_pointer (&job->verdicts, report_output_free);
  g_clear_pointer (&job->row, report_output_free);
  job->output = job->result != NULL ?
      report_output_open (job->result, REPORT_OUTPUT_OWN_NAME, error) :
      report_output_open_scratch (error);
  if (job->output == NULL)
    return FALSE;
  if (job->result == NULL && jobs->checks->keeps) {
    job->verdicts = open_for_worker (error);
    if (job->verdicts == NULL)
      return FALSE;
  }
  if (jobs->checks->index != NULL) {
    job->row = open_for_worker (error);
    if (job->row == NULL)
      return FALSE;
  }
  return TRUE;
}

/* Has a worker measure an input. One that waits may have been killed meanwhile: then a new one takes its place. A new one takes
 * the input in any case, even if it ends at once: so none is started for ever. */
static gboolean
begin_job (Job * job, Worker * worker, GError ** error)
{
  ReportRequest request = {.input = (gchar *) job->input };
  gboolean ok;

  if (!open_files (job, error))
    return FALSE;
  request.verdicts = job->verdicts != NULL ? (gchar *) report_output_place (job->verdicts) : NULL;
  request.row = job->row != NULL ? (gchar *) report_output_place (job->row) : NULL;
  request.name = (gchar *) report_output_name (job->output);
  request.output = report_output_steal_fd (job->output);
  ok = (worker->requests != NULL && report_requests_send (worker->requests, &request, NULL))
      || start_worker (worker, &request, error);
  close (request.output);
  if (ok)
    worker->job = job;
  return ok;
}

/* The end of a worker is the end of an input that it has not answered. */
static void
process_ended (GObject * process, GAsyncResult * result, gpointer data)
{
  Worker *worker = data;
  Jobs *jobs = worker->jobs;
  GSubprocess *ended = G_SUBPROCESS (process);
  Job *job;

  g_subprocess_wait_finish (ended, result, NULL);
  jobs->n_processes--;
  /* Another one has taken its place. */
  if (worker->process != ended)
    return;
  /* It may have answered before. */
  if (worker->requests != NULL && !worker->is_unread)
    take_answer (worker->requests, G_IO_IN, worker);
  dismiss (worker);
  g_clear_object (&worker->process);
  job = g_steal_pointer (&worker->job);
  if (job == NULL)
    return;
  /* The job is not its fault. A new one that has ended at once would be started for ever. */
  if (worker->is_unread && worker->has_answered && report_interrupt_signal () == 0 && !jobs->is_stopped && jobs->error == NULL) {
    begin_job (job, worker, &jobs->error);
    return;
  }
  if (g_subprocess_get_if_exited (ended)) {
    input_ended (job, g_subprocess_get_exit_status (ended));
    return;
  }
  if (g_subprocess_get_term_sig (ended) == report_interrupt_signal ()) {
    job->is_interrupted = TRUE;
    job->problem = g_strdup (NOT_BEGUN);
  } else if (!jobs->is_stopped) {
    g_autofree gchar *name = report_name_for_people (job->input);

    job->problem = g_strdup_printf ("its process was ended by signal %d",
        g_subprocess_get_term_sig (ended));
    report_complain (jobs->progress, name, job->problem);
  }
  input_ended (job, -1);
}

/* Gives the next inputs to all workers that wait. Those for which there is none end. @next: (inout): the first input that is not
 * begun */
static gboolean
begin_jobs (Jobs * jobs, guint * next, GError ** error)
{
  for (gint i = 0; i < jobs->options->jobs; i++) {
    Worker *worker = &jobs->workers[i];

    while (worker->job == NULL && *next < jobs->all->len) {
      Job *job = jobs->all->pdata[(*next)++];

      if (!job->is_done && !begin_job (job, worker, error))
        return FALSE;
    }
    if (worker->job == NULL)
      dismiss (worker);
  }
  return TRUE;
}

static void
send_signal (Jobs * jobs, gint number)
{
  for (gint i = 0; i < jobs->options->jobs; i++) {
    if (jobs->workers[i].process != NULL)
      g_subprocess_send_signal (jobs->workers[i].process, number);
  }
}

/* ---- Reports ------------------------------------------------------------------------------------ */

/* Whether a file is empty or ends with a text. If not, its worker was killed while it wrote, or a result file was
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

/* Copies what the worker wrote. A line that has no end gets one: the next report begins on a line
 * of its own. If the worker did not end its report, only people can use a part of a line. */
static gboolean
copy_report (GInputStream * from, const ReportFormat * format, gboolean is_complete,
    GOutputStream * to, GError ** error)
{
  GSeekable *file = G_SEEKABLE (from);
  gboolean is_open;

  /* The worker was killed: a part of such a document is of no use. */
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

/* Returns: (transfer full) (nullable): what the worker wrote, or an earlier result. It has
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

/* Returns: (transfer full): of an input whose worker reported nothing */
static ReportSummary *
make_unknown (Job * job)
{
  return report_summary_new_unmeasured (job->input,
      job->is_interrupted ? REPORT_PROBLEM_INTERRUPTED : REPORT_PROBLEM_UNREADABLE,
      job->problem != NULL ? job->problem : "its process gave no result");
}

/* Writes an input to the report as a worker does that can measure nothing. */
static gboolean
tell_unknown (Job * job, GOutputStream * to, GError ** error)
{
  g_autoptr (ReportWriter) writer = job->jobs->options->format->make (to);
  g_autoptr (ReportSummary) unknown = make_unknown (job);

  return !writer->tells_unreadable || report_writer_tell (writer, unknown, error);
}

/* Takes the verdicts of an input from its summary. One whose worker crashed has none. */
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

/* Adds the verdicts and the number of an input. @from: (nullable): the report; a result has the summary */
static void
find_verdicts (Job * job, GInputStream * from)
{
  const ReportOptions *options = job->jobs->options;
  ReportChecks *checks = job->jobs->checks;

  if (job->verdicts != NULL) {
    g_autoptr (GFile) file = g_file_new_for_path (report_output_place (job->verdicts));
    g_autoptr (GInputStream) verdicts = (GInputStream *) g_file_read (file, NULL, NULL);

    add_verdicts (job, verdicts);
    g_clear_pointer (&job->verdicts, report_output_free);
  } else if (job->counted.n_added > 0 && !checks->keeps) {
    report_checks_add_counted (checks, &job->counted);
  } else if (job->result == NULL) {
    add_verdicts (job, NULL);
  } else if (checks->keeps || checks->counts || options->output != NULL || options->settings.policies->len > 0) {
    add_verdicts (job, from);
    if (from != NULL)
      g_seekable_seek (G_SEEKABLE (from), 0, G_SEEK_SET, NULL, NULL);
  }
}

/* Takes the row of the index that the worker has written. One that crashed has written none. */
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

  while (ok && (jobs->n_processes > 0 || (!is_stopped
              && n_written < jobs->all->len)
          || (n_written < next && n_written < jobs->n_done))) {
    if (!is_stopped && report_interrupt_signal () != 0) {
      is_stopped = TRUE;
      send_signal (jobs, report_interrupt_signal ());
    }
    if (!is_stopped)
      ok = begin_jobs (jobs, &next, error);
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
    if (ok && jobs->n_processes > 0)
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
  jobs.workers = g_new0 (Worker, options->jobs);
  for (gint i = 0; i < options->jobs; i++)
    jobs.workers[i].jobs = &jobs;
  jobs.gpus = list_gpus ();
  jobs.parent = getpid ();
  for (guint i = 0; ok && i < inputs->len; i++)
    ok = add_job (&jobs, inputs->pdata[i], error);
  ok = ok && run (&jobs, to, error);
  if (!ok) {
    /* The processes end at once. SIGKILL would leave their temporary files. */
    jobs.is_stopped = TRUE;
    send_signal (&jobs, SIGALRM);
    while (jobs.n_processes > 0)
      g_main_context_iteration (NULL, TRUE);
  }
  g_clear_error (&jobs.error);
  *all_done = TRUE;
  for (guint i = 0; i < jobs.all->len; i++)
    *all_done = *all_done && ((Job *) jobs.all->pdata[i])->is_complete;
  g_ptr_array_unref (jobs.all);
  for (gint i = 0; i < options->jobs; i++)
    dismiss (&jobs.workers[i]);
  g_free (jobs.workers);
  g_strfreev (jobs.gpus);
  g_source_remove (timeout);
  return ok;
}
