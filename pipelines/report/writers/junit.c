/* Writes the verdicts and the notices of all inputs as JUnit's XML: a test suite for each input, a test case for each rule
 * and place, and one for what else was found.
 *
 * GitLab shows the class name as the suite, and drops a case that has the name and the class of another one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/policy-files.h"

#include <math.h>
#include <string.h>

#define PROGRAM "cudahisto-report"

/* Appends text that XML 1.0 can have: without control characters, which may be in names. */
static void
append_escaped (GString * xml, const gchar * text)
{
  g_autofree gchar *clean = report_clean_text (g_strdup (text));
  g_autofree gchar *escaped = g_markup_escape_text (clean, -1);

  g_string_append (xml, escaped);
}

static void
append_attribute (GString * xml, const gchar * name, const gchar * text)
{
  g_string_append_printf (xml, " %s=\"", name);
  append_escaped (xml, text);
  g_string_append_c (xml, '"');
}

static gdouble
time_of (const ReportChecked * input)
{
  return isfinite (input->seconds) ? input->seconds : 0;
}

typedef struct
{
  const ReportChecked *input;
  GString *xml;                 /* the cases */
  guint n, n_failures, n_errors, n_skipped;
} Suite;

/* Opens a case. @policy: (nullable): NULL: the case of measuring, which takes all of the time. @where: (nullable): the
 * stream and the place */
static void
begin_case (Suite * suite, const ReportPolicyResult * policy,
    const gchar * id, const gchar * where)
{
  GString *xml = suite->xml;
  g_autofree gchar *name = g_strdup_printf ("%s%s%s%s%s", policy != NULL ? policy->name : "",
      policy != NULL ? ": " : "", id, where != NULL ? " in " : "",
      where != NULL ? where : "");

  g_string_append (xml, "    <testcase");
  append_attribute (xml, "classname", suite->input->name);
  append_attribute (xml, "name", name);
  g_string_append_printf (xml, " time=\"%.3f\"",
      policy == NULL ? time_of (suite->input) : 0.0);
  suite->n++;
}

/* @message: what the rule says and what was found; below it are the times */
static void
append_failure (GString * xml, const ReportRuleResult * rule,
    const ReportFinding * finding, const gchar * message)
{
  g_string_append (xml, "failure");
  append_attribute (xml, "message", message);
  append_attribute (xml, "type", rule->id);
  g_string_append_c (xml, '>');
  append_escaped (xml, message);
  for (guint i = 0; i < finding->breaches->len; i++) {
    const ReportBreach *breach = finding->breaches->pdata[i];
    g_autofree gchar *times = report_breach_describe (breach, rule);

    /* Else it says the same as the message. */
    if (GST_CLOCK_TIME_IS_VALID (breach->start) || breach->input != NULL) {
      g_string_append_c (xml, '\n');
      append_escaped (xml, times);
    }
  }
  if (finding->n_breaches > finding->breaches->len)
    g_string_append_printf (xml, "\nand %" G_GUINT64_FORMAT " more",
        finding->n_breaches - finding->breaches->len);
  g_string_append (xml, "</failure>\n    </testcase>\n");
}

/* A ReportCaseFunc. A broken rule that only warns is a case that passed, and says so on its standard output: JUnit has no
 * warnings. */
static void
append_finding (gpointer data, const ReportPolicyResult * policy,
    const ReportRuleResult * rule, const ReportFinding * finding)
{
  Suite *suite = data;
  GString *xml = suite->xml;
  g_autofree gchar *where = report_finding_where (finding);
  g_autofree gchar *how = report_finding_describe (finding, rule);
  g_autofree gchar *message = g_strdup_printf ("%s: %s", rule->text, how);

  begin_case (suite, policy, rule->id, where);
  g_string_append (xml, finding->verdict == HISTO_RULE_PASSED ? "/>\n" :
      ">\n      <");
  switch (finding->verdict) {
    case HISTO_RULE_FAILED:
      suite->n_failures++;
      append_failure (xml, rule, finding, message);
      break;
    case HISTO_RULE_WARNED:
      g_string_append (xml, "system-out>warning: ");
      append_escaped (xml, message);
      g_string_append (xml, "</system-out>\n    </testcase>\n");
      break;
    case HISTO_RULE_SKIPPED:
      suite->n_skipped++;
      g_string_append (xml, "skipped");
      append_attribute (xml, "message", report_rule_why (rule));
      g_string_append (xml, "/>\n    </testcase>\n");
      break;
    case HISTO_RULE_PASSED:
      break;
  }
}

/* An input that was not measured completely is an error. What else was found, and no policy looks for, is the output of
 * the case. */
static void
append_notices (Suite * suite)
{
  const ReportChecked *input = suite->input;
  GString *xml = suite->xml;
  const gchar *lead = "\n      <system-out>";

  begin_case (suite, NULL, "measured completely", NULL);
  g_string_append_c (xml, '>');
  if (!input->is_complete) {
    const ReportNotice *first = input->notices->pdata[0];

    suite->n_errors++;
    g_string_append (xml, "\n      <error type=\"incomplete\"");
    append_attribute (xml, "message", first->text);
    g_string_append (xml, "/>");
  }
  for (guint i = input->is_complete ? 0 : 1; i < input->notices->len; i++) {
    const ReportNotice *notice = input->notices->pdata[i];
    g_autofree gchar *line = NULL;

    if (notice->is_of_policy)
      continue;
    line = report_notice_spans_join (notice->text, notice->spans, 0);
    g_string_append_printf (xml, "%s%s: ", lead,
        report_severity_names[notice->severity]);
    append_escaped (xml, line);
    lead = "\n";
  }
  g_string_append_printf (xml, "%s\n    </testcase>\n",
      lead[1] == '\0' ? "</system-out>" : "");
}

static void
append_suite (GString * xml, const ReportChecked * input)
{
  g_autoptr (GString) cases = g_string_new (NULL);
  Suite suite = {.input = input,.xml = cases };

  append_notices (&suite);
  report_policy_results_foreach_case (input->policies, append_finding, &suite);
  g_string_append (xml, "  <testsuite");
  append_attribute (xml, "name", input->name);
  g_string_append_printf (xml, " tests=\"%u\" failures=\"%u\" errors=\"%u\" "
      "skipped=\"%u\" time=\"%.3f\">\n", suite.n, suite.n_failures,
      suite.n_errors, suite.n_skipped, time_of (input));
  g_string_append (xml, cases->str);
  g_string_append (xml, "  </testsuite>\n");
}

gboolean
report_junit_write (const ReportChecks * checks, GOutputStream * to,
    GError ** error)
{
  g_autoptr (GString) xml =
      g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"" PROGRAM "\">\n");

  for (guint i = 0; i < checks->inputs->len; i++)
    append_suite (xml, checks->inputs->pdata[i]);
  g_string_append (xml, "</testsuites>\n");
  return g_output_stream_write_all (to, xml->str, xml->len, NULL, NULL, error);
}
