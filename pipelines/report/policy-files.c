/* The verdicts of all inputs; see policy-files.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "policy-files.h"

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
  g_free (checked->problem);
  g_ptr_array_unref (checked->policies);
  g_free (checked);
}

void
report_checks_init (ReportChecks * checks, gboolean keeps)
{
  checks->keeps = keeps;
  checks->has_failed = FALSE;
  checks->inputs = g_ptr_array_new_with_free_func (checked_free);
}

void
report_checks_clear (ReportChecks * checks)
{
  g_ptr_array_unref (checks->inputs);
}

/* @summary: of an input; its policies are shared */
void
report_checks_add (ReportChecks * checks, const ReportSummary * summary)
{
  ReportChecked *checked;

  if (report_policy_results_verdict (summary->policies) == REPORT_FAIL)
    checks->has_failed = TRUE;
  if (!checks->keeps)
    return;
  checked = g_new0 (ReportChecked, 1);
  checked->name = g_strdup (summary->name);
  checked->uri = g_strdup (summary->uri);
  checked->is_complete = summary->is_complete;
  checked->problem = g_strdup (summary->problem);
  checked->seconds = summary->seconds;
  checked->policies = g_ptr_array_ref (summary->policies);
  g_ptr_array_add (checks->inputs, checked);
}
