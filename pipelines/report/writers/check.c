/* A line of JSON for each input, which programs and agents act on: the verdict, and the worst notices with a hint each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/formats.h"

#include "base/describe.h"
#include "notices/verdict-line.h"
#include "summary/json.h"
#include "summary/notice.h"

/* The number of the format. Keys are added, never removed or renamed. */
#define VERSION 1
/* A line is no longer than this, its end included. */
#define MOST_BYTES 2048
/* Each takes 100 bytes at least. */
#define MOST_NOTICES (MOST_BYTES / 100)
/* Names and texts have any length. Of a name the end says more. */
#define MOST_CHARACTERS 200
/* Of the policies of which no rule could be checked. */
#define MOST_SKIPPED 8
#define MOST_OF_POLICY 40
#define ELLIPSIS "\342\200\246"

/* Returns: (transfer full): the text, or @n characters of it */
static gchar *
shorten (const gchar * text, glong n, gboolean keeps_end)
{
  const glong length = g_utf8_strlen (text, -1);
  g_autofree gchar *part = NULL;

  if (length <= n)
    return g_strdup (text);
  part = keeps_end ? g_utf8_substring (text, length - n + 1, length) : g_utf8_substring (text, 0, n - 1);
  return keeps_end ? g_strconcat (ELLIPSIS, part, NULL) : g_strconcat (part, ELLIPSIS, NULL);
}

static void
add_notice (ReportJson * json, const ReportNotice * notice, const GPtrArray * notices)
{
  const ReportNoticeSpan *first = notice->spans->len > 0 ? notice->spans->pdata[0] : NULL;
  g_autofree gchar *told = report_verdict_line_notice (notice, notices);
  g_autofree gchar *text = shorten (told, MOST_CHARACTERS, FALSE);

  report_json_begin_object (json, NULL);
  report_json_add_text (json, "kind", report_notice_kind_names[notice->kind]);
  report_json_add_text (json, "severity", report_severity_names[notice->severity]);
  report_json_add_text (json, "text", text);
  if (notice->stream >= 0)
    report_json_add_int (json, "stream", notice->stream);
  if (first != NULL) {
    report_json_add_time (json, "start", first->start);
    if (!first->is_moment)
      report_json_add_time (json, "end", first->end);
    report_json_add_int (json, "spans", notice->spans->len);
  }
  report_json_add_double (json, "value", notice->value);
  report_json_add_double (json, "limit", notice->limit);
  report_json_add_text (json, "unit", notice->unit);
  report_json_add_time (json, "value-time", notice->value_time);
  report_json_add_text (json, "hint", report_notice_kind_hints[notice->kind]);
  report_json_end_object (json);
}

/* Returns: (transfer full): the line, with the first notices of @told */
static GString *
make_line (const ReportSummary * summary, const gchar * verdict, const GPtrArray * told, guint n)
{
  g_autoptr (ReportJson) json = report_json_new (FALSE);
  g_autofree gchar *name = shorten (summary->name, MOST_CHARACTERS, TRUE);

  report_json_begin_object (json, NULL);
  report_json_add_text (json, "type", "check");
  report_json_add_int (json, "version", VERSION);
  report_json_add_text (json, "input", name);
  report_json_add_text (json, "verdict", verdict);
  report_json_begin_array (json, "notices");
  for (guint i = 0; i < n; i++)
    add_notice (json, told->pdata[i], summary->notices);
  report_json_end_array (json);
  report_json_add_int (json, "more", told->len - n);
  report_json_begin_array (json, "looked-for");
  for (guint check = 0; check < REPORT_N_CHECKS; check++) {
    if (report_checks[check].word != NULL && (summary->watched & REPORT_CHECK_FLAG (check)) != 0)
      report_json_put_text (json, report_checks[check].word);
  }
  report_json_end_array (json);
  report_json_begin_array (json, "skipped");
  for (guint i = 0; i < MIN (summary->policies->len, MOST_SKIPPED); i++) {
    const ReportPolicyResult *policy = summary->policies->pdata[i];
    g_autofree gchar *of_policy = shorten (policy->name, MOST_OF_POLICY, FALSE);

    if (policy->verdict == HISTO_RULE_SKIPPED)
      report_json_put_text (json, of_policy);
  }
  report_json_end_array (json);
  report_json_end_object (json);
  return g_string_append_c (report_json_finish (g_steal_pointer (&json)), '\n');
}

static gboolean
end (ReportWriter * writer, const ReportSummary * summary, GError ** error)
{
  g_autoptr (GPtrArray) told = report_verdict_line_list (summary);
  guint n = MIN (told->len, MOST_NOTICES);
  const gchar *word;
  g_autofree gchar *rest = report_verdict_line_split (summary, 1, &word);
  /* Without a word there is no notice. */
  const gchar *verdict = word != NULL ? word : summary->watched == 0 ? rest : "NOTHING FOUND";
  g_autoptr (GString) line = make_line (summary, verdict, told, n);

  while (line->len > MOST_BYTES && n > 0) {
    g_string_free (line, TRUE);
    line = make_line (summary, verdict, told, --n);
  }
  return report_writer_write (writer, line->str, line->len, error);
}

/* Returns: (transfer full): writes the verdict and the worst notices as JSON in UTF-8 to @to */
ReportWriter *
report_check_writer_new (GOutputStream * to)
{
  ReportWriter *writer = report_writer_new (sizeof *writer, to);

  writer->end = end;
  writer->tells_unreadable = TRUE;
  return writer;
}
