/* Lists of notices; see notice.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/notice.h"

#include <math.h>

#define NAME(kind, name) name,
const gchar *const report_notice_kind_names[REPORT_N_NOTICE_KINDS] = {
  REPORT_NOTICE_KINDS (NAME)
};
#undef NAME

const gchar *const report_severity_names[REPORT_N_SEVERITIES] = {
  "fail", "warn", "note"
};

static void
notice_free (gpointer data)
{
  ReportNotice *notice = data;

  g_ptr_array_unref (notice->spans);
  g_free (notice->text);
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
 * @format: of the text
 *
 * Returns: (transfer none): what else it has is unknown
 */
ReportNotice *
report_notices_add (GPtrArray * notices, ReportNoticeKind kind,
    ReportSeverity severity, gint stream, const gchar * format, ...)
{
  ReportNotice *notice = g_new0 (ReportNotice, 1);
  va_list arguments;

  va_start (arguments, format);
  notice->text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  notice->kind = kind;
  notice->severity = severity;
  notice->spans = g_ptr_array_new_with_free_func (g_free);
  notice->value = notice->limit = NAN;
  notice->value_time = GST_CLOCK_TIME_NONE;
  notice->stream = stream;
  g_ptr_array_add (notices, notice);
  return notice;
}

/* A span without a start is left out, and so are those behind REPORT_MOST_NOTICE_SPANS. */
void
report_notice_add_span (ReportNotice * notice, guint64 start, guint64 end)
{
  ReportNoticeSpan *span;

  if (!GST_CLOCK_TIME_IS_VALID (start)
      || notice->spans->len >= REPORT_MOST_NOTICE_SPANS)
    return;
  span = g_new (ReportNoticeSpan, 1);
  span->start = start;
  span->end = end;
  g_ptr_array_add (notice->spans, span);
}
