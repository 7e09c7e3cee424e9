/* The verdict line; see verdict-line.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "notices/verdict-line.h"

#include "base/describe.h"
#include "summary/notice.h"

#define SEPARATOR " \302\267 "

/* Of an input that was measured completely, and is checked by no policy, only the notices speak. */
static const gchar *
choose_word (const ReportSummary * summary, gboolean has_notices)
{
  if (!summary->is_complete)
    return summary->streams->len > 0 ? "NOT COMPLETE" : "NOT MEASURED";
  if (summary->policies->len > 0)
    return report_verdict_names[report_policy_results_verdict (summary->policies)];
  return has_notices ? "LOOK AT" : NULL;
}

/* What is shorter than a tenth of a second has one time. */
static void
append_range (GString * line, guint64 start, guint64 end, gboolean is_moment)
{
  const gboolean has_end = !is_moment && GST_CLOCK_TIME_IS_VALID (end) && end - start >= GST_SECOND / 10;

  g_string_append (line, has_end ? "" : "at ");
  report_append_short_time (line, start);
  if (!has_end)
    return;
  g_string_append (line, " to ");
  report_append_short_time (line, end);
}

/* A black picture is frozen, too. A frozen section is told if it is not also black, but for times that the line does not
 * tell apart.
 *
 * @frozen: of @notice */
static gboolean
is_black (const ReportNoticeSpan * frozen, const ReportNotice * notice, const GPtrArray * notices)
{
  for (guint k = 0; k < notices->len; k++) {
    const ReportNotice *other = notices->pdata[k];

    for (guint i = 0; other->kind == REPORT_NOTICE_BLACK && other->stream == notice->stream && i < other->spans->len; i++) {
      const ReportNoticeSpan *black = other->spans->pdata[i];

      if (g_strcmp0 (black->input, frozen->input) == 0 && black->start <= frozen->start + GST_SECOND / 10
          && frozen->end <= black->end + GST_SECOND / 10)
        return TRUE;
    }
  }
  return FALSE;
}

/* Returns: (transfer container) (element-type ReportNoticeSpan): those of the notice that the line tells */
static GPtrArray *
list_told (const ReportNotice * notice, const GPtrArray * notices)
{
  GPtrArray *spans = g_ptr_array_new ();

  for (guint i = 0; i < notice->spans->len; i++) {
    if (notice->kind != REPORT_NOTICE_FREEZE || !is_black (notice->spans->pdata[i], notice, notices))
      g_ptr_array_add (spans, notice->spans->pdata[i]);
  }
  return spans;
}

/* When it is: a span, how many there are and the first one, or the time of the worst value. Spans of merged summaries lie in
 * several inputs. */
static void
append_when (GString * line, const ReportNotice * notice, const GPtrArray * notices)
{
  g_autoptr (GPtrArray) spans = list_told (notice, notices);
  const ReportNoticeSpan *first = spans->len > 0 ? spans->pdata[0] : NULL;

  if (notice->tells_time)
    return;
  if (first != NULL && first->input == NULL && spans->len > 1 && notice->n_told == spans->len) {
    g_string_append (line, " from ");
    report_append_short_time (line, first->start);
  } else if (first != NULL && first->input == NULL && spans->len > 1) {
    g_string_append_printf (line, " %s%u times from ", notice->spans->len < REPORT_MOST_NOTICE_SPANS ? "" : "at least ",
        spans->len);
    report_append_short_time (line, first->start);
  } else if (first != NULL && first->input == NULL) {
    g_string_append_c (line, ' ');
    append_range (line, first->start, first->end, first->is_moment);
  } else if (first == NULL && GST_CLOCK_TIME_IS_VALID (notice->value_time)) {
    g_string_append (line, " at ");
    report_append_short_time (line, notice->value_time);
  }
}

/* Names come from files: the line is one line whatever they have. */
static void
append_notice (GString * line, const ReportNotice * notice, const GPtrArray * notices)
{
  if (notice->brief == NULL) {
    report_append_clean (line, notice->text);
    return;
  }
  report_append_clean (line, notice->brief);
  append_when (line, notice, notices);
  if (notice->behind != NULL)
    report_append_clean (line, notice->behind);
}

/* Whether no rule of the policy could be checked, as of sound in a film without any. */
static gboolean
is_skipped (const ReportPolicyResult * policy)
{
  return policy->verdict == HISTO_RULE_SKIPPED;
}

/* The policies that were checked, or those that were skipped. */
static void
append_names (GString * line, const ReportSummary * summary, gboolean skipped, const gchar * before)
{
  for (guint i = 0; i < summary->policies->len; i++) {
    const ReportPolicyResult *policy = summary->policies->pdata[i];

    if (is_skipped (policy) != skipped)
      continue;
    g_string_append (line, before);
    report_append_clean (line, policy->name);
    before = ", ";
  }
}

/* What was looked for in vain. */
static void
append_watched (GString * line, guint watched)
{
  const gchar *separator = "nothing found by: ";

  for (guint check = 0; check < REPORT_N_CHECKS; check++) {
    if (report_checks[check].word == NULL || (watched & REPORT_CHECK_FLAG (check)) == 0)
      continue;
    g_string_append_printf (line, "%s%s", separator, report_checks[check].word);
    separator = ", ";
  }
}

/* One that says the same as one before it is not said again. */
static gboolean
is_told (const ReportNotice * notice, const GPtrArray * notices, guint i)
{
  g_autoptr (GPtrArray) spans = list_told (notice, notices);

  if (notice->spans->len > 0 && spans->len == 0)
    return FALSE;
  for (guint k = 0; k < i; k++) {
    if (g_str_equal (((const ReportNotice *) notices->pdata[k])->text, notice->text))
      return FALSE;
  }
  return notice->severity != REPORT_SEVERITY_NOTE;
}

/* Returns: (transfer container) (element-type ReportNotice): those that the line has, or counts, the worst one first */
GPtrArray *
report_verdict_line_list (const ReportSummary * summary)
{
  GPtrArray *told = g_ptr_array_new ();

  for (guint i = 0; i < summary->notices->len; i++) {
    if (is_told (summary->notices->pdata[i], summary->notices, i))
      g_ptr_array_add (told, summary->notices->pdata[i]);
  }
  return told;
}

/* @notices: of the summary. Returns: (transfer full): what the line says of one: "flashes: fail 0:04.3 to 0:06.9" */
gchar *
report_verdict_line_notice (const ReportNotice * notice, const GPtrArray * notices)
{
  GString *text = g_string_new (NULL);

  append_notice (text, notice, notices);
  return g_string_free (text, FALSE);
}

/**
 * report_verdict_line_split:
 * @summary: with its notices
 * @most: how many notices are shown; with 1 the line does not list what was looked for, either
 * @word: (out) (nullable): with which the line begins: "LOOK AT"; NULL: the rest stands alone
 *
 * Returns: (transfer full): the rest of the line, as report_verdict_line_make() has it
 */
gchar *
report_verdict_line_split (const ReportSummary * summary, guint most,
    const gchar ** word)
{
  GString *line = g_string_new (NULL);
  g_autoptr (GPtrArray) told = report_verdict_line_list (summary);
  const guint n = told->len;
  HistoRuleVerdict verdict;

  *word = choose_word (summary, n > 0);
  verdict = report_policy_results_verdict (summary->policies);
  if (summary->is_complete && verdict < HISTO_RULE_WARNED)
    append_names (line, summary, verdict == HISTO_RULE_SKIPPED, "");
  for (guint i = 0; i < MIN (n, most); i++) {
    g_string_append (line, line->len > 0 ? SEPARATOR : "");
    append_notice (line, told->pdata[i], summary->notices);
  }
  if (n > most)
    g_string_append_printf (line, "%sand %u more", SEPARATOR, n - most);
  if (n == 0 && summary->watched != 0) {
    g_string_append (line, line->len > 0 ? SEPARATOR : "");
    if (most > 1)
      append_watched (line, summary->watched);
    else
      g_string_append (line, "nothing found");
  }
  if (line->len == 0)
    g_string_append (line, "nothing was measured");
  if (summary->is_complete && verdict != HISTO_RULE_SKIPPED)
    append_names (line, summary, TRUE, SEPARATOR "skipped: ");
  return g_string_free (line, FALSE);
}

/**
 * report_verdict_line_make:
 * @summary: with its notices
 * @most: how many notices are shown; with 1 the line does not list what was looked for, either
 *
 * Returns: (transfer full): "LOOK AT  flashes: fail 0:04.3 to 0:06.9 · sound starts 0.51 s late", the worst first;
 *   "FAIL", "WARN", "PASS" or "SKIP" are those of policies; without any fault what was looked for; "nothing was measured"
 */
gchar *
report_verdict_line_make (const ReportSummary * summary, guint most)
{
  const gchar *word;
  g_autofree gchar *rest = report_verdict_line_split (summary, most, &word);

  return word != NULL ? g_strconcat (word, "  ", rest, NULL) : g_steal_pointer (&rest);
}

/* Returns: (transfer full) (nullable): what was looked for in vain beside the notices that the verdict line has; NULL: it has
 * all of it, or nothing was looked for */
gchar *
report_verdict_line_rest (const ReportSummary * summary)
{
  GString *line = g_string_new (NULL);
  guint found = 0;

  for (guint i = 0; i < summary->notices->len; i++) {
    const ReportNotice *notice = summary->notices->pdata[i];

    if (notice->severity != REPORT_SEVERITY_NOTE)
      found |= REPORT_CHECK_FLAG (notice->check);
  }
  if (found != 0)
    append_watched (line, summary->watched & ~found);
  return g_string_free (line, line->len == 0);
}
