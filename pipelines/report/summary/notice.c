/* Lists of notices; see notice.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/notice.h"

#include <math.h>

#include "base/describe.h"

#define NAME(kind, name, hint) name,
const gchar *const report_notice_kind_names[REPORT_N_NOTICE_KINDS] = {
  REPORT_NOTICE_KINDS (NAME)
};
#undef NAME

#define HINT(kind, name, hint) hint,
const gchar *const report_notice_kind_hints[REPORT_N_NOTICE_KINDS] = {
  REPORT_NOTICE_KINDS (HINT)
};
#undef HINT

#define INFO(check, kind, word) {REPORT_NOTICE_##kind, word},
const struct _ReportCheckInfo report_checks[REPORT_N_CHECKS] = {
  REPORT_CHECKS (INFO)
};
#undef INFO

G_STATIC_ASSERT (REPORT_N_CHECKS <= 32);

const gchar *const report_severity_names[REPORT_N_SEVERITIES] = {
  "fail", "warn", "note"
};

static void
notice_free (gpointer data)
{
  ReportNotice *notice = data;

  g_ptr_array_unref (notice->spans);
  g_free (notice->programme);
  g_free (notice->region);
  g_free (notice->which);
  g_free (notice->text);
  g_free (notice->brief);
  g_free (notice->behind);
  g_free (notice);
}

/* Returns: (transfer full) (element-type ReportNotice) */
GPtrArray *
report_notices_new (void)
{
  return g_ptr_array_new_with_free_func (notice_free);
}

/**
 * report_notices_add:
 * @stream: its index; -1: the input
 * @text: (transfer full):
 *
 * Returns: (transfer none): what else it has is unknown
 */
ReportNotice *
report_notices_add (GPtrArray * notices, ReportCheck check,
    ReportSeverity severity, gint stream, gchar * text)
{
  ReportNotice *notice = g_new0 (ReportNotice, 1);

  notice->text = text;
  notice->kind = report_checks[check].kind;
  notice->check = check;
  notice->severity = severity;
  notice->spans = report_notice_spans_new ();
  notice->value = notice->limit = NAN;
  notice->value_time = GST_CLOCK_TIME_NONE;
  notice->stream = stream;
  g_ptr_array_add (notices, notice);
  return notice;
}

/* Whether it says that the input was not measured completely. */
gboolean
report_notice_is_incomplete (const ReportNotice * notice)
{
  return notice->kind == REPORT_NOTICE_INCOMPLETE
      && notice->severity == REPORT_SEVERITY_FAIL;
}

/* ---- Spans ------------------------------------------------------------------------------------ */

static void
span_free (gpointer data)
{
  ReportNoticeSpan *span = data;

  g_free (span->input);
  g_free (span->what);
  g_free (span);
}

/* Returns: (transfer full) (element-type ReportNoticeSpan) */
GPtrArray *
report_notice_spans_new (void)
{
  return g_ptr_array_new_with_free_func (span_free);
}

/* @input: (nullable). Returns: (transfer none): what else it has is to be set */
ReportNoticeSpan *
report_notice_spans_add (GPtrArray * spans, const gchar * input, guint64 start,
    guint64 end)
{
  ReportNoticeSpan *span = g_new0 (ReportNoticeSpan, 1);

  span->input = g_strdup (input);
  span->start = start;
  span->end = end;
  g_ptr_array_add (spans, span);
  return span;
}

/* Returns: (transfer full): "L and R 0:00:12.400 - 0:00:13.200", behind the name of its input; names may have any
 * characters */
gchar *
report_notice_span_describe (const ReportNoticeSpan * span)
{
  GString *text = g_string_new (span->input);

  if (span->what != NULL)
    g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", span->what);
  if (text->len > 0)
    g_string_append_c (text, ' ');
  report_append_time (text, span->start);
  if (!span->is_moment) {
    g_string_append (text, " - ");
    report_append_time (text, span->end);
  }
  if (span->word != NULL)
    g_string_append_printf (text, " %s", span->word);
  return g_string_free (text, FALSE);
}

/* So many spans are in a line. */
#define MOST_SPANS 8

/**
 * report_notice_spans_join:
 * @n_more: spans that are not in the list
 *
 * Returns: (transfer full): "1 section is black: 0:00:01.000 - 0:00:03.000", with the first spans
 */
gchar *
report_notice_spans_join (const gchar * lead, const GPtrArray * spans,
    guint64 n_more)
{
  const guint n = MIN (spans->len, MOST_SPANS);
  GString *text = g_string_new (lead);

  n_more += spans->len - n;
  for (guint i = 0; i < n; i++) {
    g_autofree gchar *span = report_notice_span_describe (spans->pdata[i]);

    g_string_append_printf (text, "%s%s", i == 0 ? ": " : ", ", span);
  }
  if (n_more > 0)
    g_string_append_printf (text, ", and %" G_GUINT64_FORMAT " more", n_more);
  return g_string_free (text, FALSE);
}
