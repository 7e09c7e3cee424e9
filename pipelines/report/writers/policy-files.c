/* The verdicts of all inputs; see policy-files.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/policy-files.h"

#include <string.h>

#include "notices/notices.h"

const ReportCheckFormat report_check_formats[] = {
  {"junit", "Write the verdicts of all inputs as JUnit's XML, which CI systems show",
      report_junit_write},
  {"sarif", "Write them as SARIF 2.1.0, which code scanning shows",
      report_sarif_write},
  {NULL, NULL, NULL}
};

static void
checked_free (gpointer data)
{
  ReportChecked *checked = data;

  g_free (checked->name);
  g_free (checked->uri);
  g_ptr_array_unref (checked->policies);
  g_ptr_array_unref (checked->notices);
  g_free (checked);
}

void
report_checks_init (ReportChecks * checks, gboolean keeps)
{
  memset (checks, 0, sizeof *checks);
  checks->keeps = keeps;
  checks->inputs = g_ptr_array_new_with_free_func (checked_free);
}

void
report_checks_clear (ReportChecks * checks)
{
  g_ptr_array_unref (checks->inputs);
  g_clear_pointer (&checks->index, report_index_free);
}

/* @summary: of an input; its policies and its notices are shared */
void
report_checks_add (ReportChecks * checks, ReportSummary * summary)
{
  const HistoRuleVerdict verdict = report_policy_results_verdict (summary->policies);
  ReportChecked *checked;

  checks->counted.n_added++;
  if (verdict == HISTO_RULE_FAILED)
    checks->has_failed = TRUE;
  if (summary->streams->len > 0) {
    checks->counted.n_measured++;
    checks->counted.n_incomplete += summary->is_complete ? 0 : 1;
    checks->counted.n_with[verdict]++;
  }
  if (!checks->keeps)
    return;
  checked = g_new0 (ReportChecked, 1);
  checked->name = g_strdup (summary->name);
  checked->uri = g_strdup (summary->uri);
  checked->is_complete = summary->is_complete;
  checked->seconds = summary->seconds;
  checked->policies = g_ptr_array_ref (summary->policies);
  report_notices_find (summary);
  checked->notices = g_ptr_array_ref (summary->notices);
  g_ptr_array_add (checks->inputs, checked);
}

/* Adds inputs that another process has counted. */
void
report_checks_add_counted (ReportChecks * checks, const ReportCounted * counted)
{
  for (guint i = 0; i < REPORT_N_VERDICTS; i++)
    checks->counted.n_with[i] += counted->n_with[i];
  checks->counted.n_added += counted->n_added;
  checks->counted.n_measured += counted->n_measured;
  checks->counted.n_incomplete += counted->n_incomplete;
}

/* Adds an input of which nothing is known, also to the index.
 *
 * @input: as the user wrote it
 * @type: of the problem */
void
report_checks_add_unmeasured (ReportChecks * checks, const gchar * input,
    const gchar * type, const gchar * problem)
{
  g_autoptr (ReportSummary) unknown =
      report_summary_new_unmeasured (input, type, problem);

  report_checks_add (checks, unknown);
  if (checks->index != NULL)
    report_index_add (checks->index, unknown);
}

/**
 * report_checks_tell:
 * @n_inputs: all of them, also those that were not reached
 *
 * Writes the last line of a text about several inputs: how many there are of each kind.
 */
gboolean
report_checks_tell (const ReportChecks * checks, guint n_inputs,
    gboolean has_policies, GOutputStream * to, GError ** error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "%u inputs: ", n_inputs);
  for (guint v = REPORT_N_VERDICTS; has_policies && v-- > 0;) {
    if (v != HISTO_RULE_SKIPPED || checks->counted.n_with[v] > 0)
      g_string_append_printf (text, "%u %s, ", checks->counted.n_with[v],
          report_verdict_names[v]);
  }
  g_string_append_printf (text, "%u not measured",
      n_inputs - checks->counted.n_measured);
  if (checks->counted.n_incomplete > 0)
    g_string_append_printf (text, ", %u not complete", checks->counted.n_incomplete);
  g_string_append_c (text, '\n');
  return g_output_stream_write_all (to, text->str, text->len, NULL, NULL, error);
}
