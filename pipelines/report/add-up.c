/* --merge: adds up the summaries in files, or the results of inputs; see add-up.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "add-up.h"

#include "base/interrupt.h"
#include "summary/json.h"
#include "base/names.h"
#include "base/output.h"
#include "results.h"

/* So many inputs that count twice are named. */
#define MOST_WARNINGS 5

typedef struct
{
  const ReportOptions *options;
  ReportProgress *progress;
  ReportChecks *checks;
  ReportSummary *all;
  GTree *seen;                  /* set of URIs of inputs, and of identities of files */
  guint n_twice;
  gboolean all_done;            /* all of them were added */
} Sum;

static void
complain (Sum * sum, const gchar * input, const gchar * text)
{
  g_autofree gchar *name = report_name_for_people (input);

  report_complain (sum->progress, name, text);
  sum->all_done = FALSE;
}

/* The user may want this, but mostly it is a mistake.
 *
 * @key: (transfer full): an address or an identity */
static void
look_for_repetition (Sum * sum, const gchar * input, gchar * key)
{
  g_autofree gchar *name = NULL, *text = NULL;

  if (g_tree_lookup (sum->seen, key) == NULL) {
    g_tree_insert (sum->seen, key, sum);
    return;
  }
  g_free (key);
  if (sum->n_twice++ >= MOST_WARNINGS)
    return;
  name = report_name_for_people (input);
  text = g_strdup_printf ("warning: %s counts more than once", name);
  report_complain (sum->progress, NULL, text);
}

/* Returns: (transfer full) (nullable): NULL if there is none; then a line is printed */
static GInputStream *
open_result (Sum * sum, const gchar * input)
{
  const ReportOptions *options = sum->options;
  g_autofree gchar *path = report_results_path (options->results, input);
  g_autoptr (GError) error = NULL;
  /* Any format has a summary. */
  GInputStream *from = report_results_open (path, input, &options->settings,
      &report_formats[0], &error);

  if (from == NULL)
    complain (sum, input, error != NULL ? error->message :
        "there is no complete result with these settings");
  return from;
}

/* Returns: (transfer full) (nullable): NULL if it cannot be read; then a line is printed */
static GInputStream *
open_file (Sum * sum, const gchar * path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  GFileInputStream *from = g_file_read (file, NULL, &error);

  if (from == NULL)
    complain (sum, path, error->message);
  return from != NULL ? G_INPUT_STREAM (from) : NULL;
}

/* Returns: FALSE with an error if the sum is too large */
static gboolean
add_summaries (Sum * sum, const gchar * input, GInputStream * from,
    GError ** error)
{
  g_autoptr (GPtrArray) summaries =
      g_ptr_array_new_with_free_func ((GDestroyNotify) report_summary_free);
  g_autoptr (GError) problem = NULL;
  gboolean ok = TRUE, is_one = TRUE;

  if (!report_json_load (from, summaries, &problem))
    complain (sum, input, problem->message);
  for (guint i = 0; ok && i < summaries->len; i++) {
    ReportSummary *summary = summaries->pdata[i];

    is_one = is_one && summary->uri != NULL;
    if (summary->uri != NULL)
      look_for_repetition (sum, summary->name, g_strdup (summary->uri));
    sum->all_done = sum->all_done && summary->is_complete;
    report_checks_add (sum->checks, summary);
    ok = report_summary_merge (sum->all, summary, error);
  }
  /* Sums do not list their inputs. */
  if (!is_one && sum->options->results == NULL) {
    gchar *identity = report_output_identity (input);

    if (identity != NULL)
      look_for_repetition (sum, input, identity);
  }
  return ok;
}

/**
 * report_add_up:
 * @inputs: (element-type filename): files of summaries; with --results the inputs that were measured
 * @all_done: (out): all of them were added, and are complete. The standard error has a line for each that
 *   was not added, and the report names those that are not complete
 *
 * Returns: FALSE with an error if the sum is too large, or cannot be written
 */
gboolean
report_add_up (const ReportOptions * options, GPtrArray * inputs,
    GOutputStream * to, ReportProgress * progress, ReportChecks * checks,
    gboolean * all_done, GError ** error)
{
  Sum sum = {
    options, progress, checks, report_summary_new ("all inputs"),
    report_texts_new (), 0, TRUE
  };
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < inputs->len
      && report_interrupt_signal () == 0; i++) {
    g_autoptr (GInputStream) from = options->results != NULL ?
        open_result (&sum, inputs->pdata[i]) :
        open_file (&sum, inputs->pdata[i]);

    ok = from == NULL || add_summaries (&sum, inputs->pdata[i], from, error);
  }
  if (sum.n_twice > MOST_WARNINGS) {
    g_autofree gchar *text = g_strdup_printf ("warning: %u more count more than once",
        sum.n_twice - MOST_WARNINGS);

    report_complain (progress, NULL, text);
  }
  if (report_interrupt_signal () != 0) {
    sum.all->is_complete = FALSE;
    report_summary_complain (sum.all, REPORT_PROBLEM_INTERRUPTED, 0,
        "interrupted");
  }
  if (ok && sum.all->streams->len > 0) {
    g_autoptr (ReportWriter) writer = options->format->make (to);

    report_summary_finish (sum.all);
    ok = report_writer_tell (writer, sum.all, error);
  }
  *all_done = sum.all_done;
  g_tree_unref (sum.seen);
  report_summary_free (sum.all);
  return ok;
}
