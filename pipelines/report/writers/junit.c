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

/* Numbers of the cases of a suite. */
typedef struct
{
  guint n, n_failures, n_errors, n_skipped;
} Counts;

/* Opens a case. @policy: (nullable): NULL: the case of measuring, which takes all of the time. @where: (nullable): the
 * stream and the place */
static void
begin_case (GString * xml, const ReportChecked * input,
    const ReportPolicyResult * policy, const gchar * id, const gchar * where)
{
  g_autofree gchar *name = g_strdup_printf ("%s%s%s%s%s", policy != NULL ? policy->name : "",
      policy != NULL ? ": " : "", id, where != NULL ? " in " : "",
      where != NULL ? where : "");

  g_string_append (xml, "    <testcase");
  append_attribute (xml, "classname", input->name);
  append_attribute (xml, "name", name);
  g_string_append_printf (xml, " time=\"%.3f\"",
      policy == NULL ? time_of (input) : 0.0);
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

/* A broken rule that only warns is a case that passed, and says so on its standard output: JUnit has no warnings. */
static void
append_finding (GString * xml, Counts * counts, const ReportChecked * input,
    const ReportPolicyResult * policy, const ReportRuleResult * rule,
    const ReportFinding * finding)
{
  g_autofree gchar *where = report_finding_where (finding);
  g_autofree gchar *how = report_finding_describe (finding, rule);
  g_autofree gchar *message = g_strdup_printf ("%s: %s", rule->text, how);

  begin_case (xml, input, policy, rule->id, where);
  counts->n++;
  g_string_append (xml, finding->verdict == HISTO_RULE_PASSED ? "/>\n" :
      ">\n      <");
  switch (finding->verdict) {
    case HISTO_RULE_FAILED:
      counts->n_failures++;
      append_failure (xml, rule, finding, message);
      break;
    case HISTO_RULE_WARNED:
      g_string_append (xml, "system-out>warning: ");
      append_escaped (xml, message);
      g_string_append (xml, "</system-out>\n    </testcase>\n");
      break;
    case HISTO_RULE_SKIPPED:
      counts->n_skipped++;
      g_string_append (xml, "skipped");
      append_attribute (xml, "message", report_rule_why (rule));
      g_string_append (xml, "/>\n    </testcase>\n");
      break;
    case HISTO_RULE_PASSED:
      break;
  }
}

static void
append_rule (GString * xml, Counts * counts, const ReportChecked * input,
    const ReportPolicyResult * policy, const ReportRuleResult * rule)
{
  for (guint i = 0; i < rule->findings->len; i++)
    append_finding (xml, counts, input, policy, rule,
        rule->findings->pdata[i]);
  /* What a rule has that no stream has a value for. */
  if (rule->findings->len == 0) {
    ReportFinding *none = report_object_new (&report_finding_shape);

    append_finding (xml, counts, input, policy, rule, none);
    report_object_free (none);
  }
}

/* An input that was not measured completely is an error. What else was found, and no policy looks for, is the output of
 * the case. */
static void
append_notices (GString * xml, Counts * counts, const ReportChecked * input)
{
  const gchar *lead = "\n      <system-out>";

  begin_case (xml, input, NULL, "measured completely", NULL);
  g_string_append_c (xml, '>');
  counts->n++;
  if (!input->is_complete) {
    const ReportNotice *first = input->notices->pdata[0];

    counts->n_errors++;
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
  Counts counts = { 0 };

  append_notices (cases, &counts, input);
  for (guint p = 0; p < input->policies->len; p++) {
    const ReportPolicyResult *policy = input->policies->pdata[p];

    for (guint r = 0; r < policy->rules->len; r++)
      append_rule (cases, &counts, input, policy, policy->rules->pdata[r]);
  }
  g_string_append (xml, "  <testsuite");
  append_attribute (xml, "name", input->name);
  g_string_append_printf (xml, " tests=\"%u\" failures=\"%u\" errors=\"%u\" "
      "skipped=\"%u\" time=\"%.3f\">\n", counts.n, counts.n_failures,
      counts.n_errors, counts.n_skipped, time_of (input));
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
