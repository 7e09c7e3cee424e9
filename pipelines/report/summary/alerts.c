/* What the alerts of an input say together; see alerts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/alerts.h"

#include <math.h>
#include <string.h>

#include "base/describe.h"
#include "summary/json.h"
#include "result/alerts.h"
#include "summary/summary.h"

/* @of: (nullable): an alert that has the rule and the place; NULL: any */
gboolean
report_alert_is (const ReportAlert * alert, HistoAlert type,
    const ReportAlert * of)
{
  return alert->alert == type && (of == NULL
      || (g_strcmp0 (alert->rule, of->rule) == 0
          && g_strcmp0 (alert->place, of->place) == 0));
}

/**
 * report_alerts_list:
 * @of: as for report_alert_is()
 *
 * Returns: (transfer full) (element-type ReportNoticeSpan): the times of the alerts, each with its rule and its place unless
 * all have those of @of
 */
GPtrArray *
report_alerts_list (const ReportStreamSummary * stream, HistoAlert type,
    const ReportAlert * of)
{
  GPtrArray *spans = report_notice_spans_new ();

  for (guint i = 0; i < stream->alerts->len; i++) {
    const ReportAlert *alert = stream->alerts->pdata[i];
    const gchar *place;
    ReportNoticeSpan *span;

    if (!report_alert_is (alert, type, of))
      continue;
    place = report_name_place (stream->stream, alert->place);
    span = report_notice_spans_add (spans, alert->input, alert->start,
        alert->end);
    span->is_moment = type == HISTO_ALERT_SCENE;
    if (of == NULL)
      span->what = alert->rule != NULL && place != NULL ?
          g_strconcat (alert->rule, " ", place, NULL) :
          g_strdup (alert->rule != NULL ? alert->rule : place);
  }
  return spans;
}

static gint
compare_spans (gconstpointer a, gconstpointer b)
{
  const ReportNoticeSpan *one = *(ReportNoticeSpan * const *) a;
  const ReportNoticeSpan *other = *(ReportNoticeSpan * const *) b;
  const gint order = g_strcmp0 (one->input, other->input);

  return order != 0 ? order : one->start < other->start ? -1 :
      one->start > other->start;
}

/* Returns: the time that the spans cover; what several of them cover counts once */
static guint64
cover (GPtrArray * spans)
{
  const gchar *input = NULL;
  guint64 time = 0, until = 0;

  g_ptr_array_sort (spans, compare_spans);
  for (guint i = 0; i < spans->len; i++) {
    const ReportNoticeSpan *span = spans->pdata[i];

    if (!GST_CLOCK_TIME_IS_VALID (span->start)
        || !GST_CLOCK_TIME_IS_VALID (span->end))
      continue;
    if (g_strcmp0 (span->input, input) != 0)
      until = 0;
    input = span->input;
    if (span->end > MAX (span->start, until))
      time += span->end - MAX (span->start, until);
    until = MAX (until, span->end);
  }
  return time;
}

/**
 * report_alerts_add_up:
 * @only: (nullable): the stream whose alerts are added up; NULL: all streams
 *
 * Two channels that are clipped at the same time are two alerts, but the time counts once.
 */
ReportAlertTotal
report_alerts_add_up (const ReportSummary * summary,
    const ReportStreamSummary * only, HistoAlert type)
{
  g_autoptr (GPtrArray) all = report_notice_spans_new ();
  ReportAlertTotal total = { 0, 0 };

  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *stream = summary->streams->pdata[i];
    const guint64 delay = report_summary_delay (summary, stream, NULL);
    GPtrArray *spans;

    if (only != NULL && stream != only)
      continue;
    spans = report_alerts_list (stream, type, NULL);
    for (guint k = 0; k < spans->len; k++) {
      ReportNoticeSpan *span = spans->pdata[k];

      /* An alert that has no end lasts until the stream ends. */
      if (!GST_CLOCK_TIME_IS_VALID (span->end) && span->input == NULL)
        span->end = report_stream_summary_length (stream);
      /* A file that was read may have any numbers. */
      if (delay > G_MAXINT64 || span->start > G_MAXINT64
          || span->end > G_MAXINT64)
        continue;
      span->start += delay;
      span->end += delay;
    }
    g_ptr_array_extend_and_steal (all, spans);
  }
  total.n = all->len;
  total.time = cover (all);
  return total;
}

/* ---- Settings --------------------------------------------------------------------------------- */

/* Returns: the property that was set with --set, or its default. Of settings with one name the last one counts, and
 * they are behind all others. */
gdouble
report_alerts_find_setting (const ReportSummary * summary, const gchar * name,
    gdouble otherwise)
{
  g_autofree gchar *start = g_strdup_printf (" %s=", name);
  const gchar *found = summary->settings != NULL ?
      g_strrstr (summary->settings, start) : NULL;
  gchar *end;
  gdouble number;

  if (found == NULL)
    return otherwise;
  number = g_ascii_strtod (found + strlen (start), &end);
  return *end == '\0' || *end == ' ' ? number : otherwise;
}

/* Returns: for how many seconds it must last before it is an alert; 0: it need not last */
gdouble
report_alerts_least (const ReportSummary * summary, HistoAlert type)
{
#define DEFAULT_DOUBLE(...)
#define DEFAULT_UINT(...)
#define DEFAULT_TIME(name, preset) {name, preset},
#define DEFAULT(type, member, name, nick, preset, ...) \
  DEFAULT_##type (name, preset)
  static const struct
  {
    const gchar *name;
    guint64 preset;
  } durations[] = {
    HISTO_ALERT_SETTINGS (DEFAULT)
  };
#undef DEFAULT
#undef DEFAULT_TIME
#undef DEFAULT_UINT
#undef DEFAULT_DOUBLE
  g_autofree gchar *name =
      g_strconcat (histo_alert_names[type], "-duration", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (durations); i++) {
    if (g_str_equal (durations[i].name, name))
      return report_alerts_find_setting (summary, name,
          (gdouble) durations[i].preset) / GST_SECOND;
  }
  return 0;
}

/* Adds what is left of the alert from @start to @end, if it lasts long enough.
 *
 * @length: of the stream, in which an alert without an end lasts
 * @least: in ns */
static void
add_part (GPtrArray * alerts, const ReportAlert * alert, guint64 start, guint64 end, guint64 length, guint64 least)
{
  const guint64 stop = GST_CLOCK_TIME_IS_VALID (end) ? end : length;
  ReportAlert *part;

  if (!GST_CLOCK_TIME_IS_VALID (stop) || stop <= start || stop - start < least)
    return;
  part = report_objects_add_copy (alerts, &report_alert_shape, alert);
  part->start = start;
  part->end = end;
}

/**
 * report_alerts_cut:
 * @from, @to: from the start of the stream
 *
 * Takes a time out of the alerts that must last, because nothing is there then. What is left of them must last as long.
 */
void
report_alerts_cut (const ReportSummary * summary, ReportStreamSummary * stream, guint64 from, guint64 to)
{
  const guint64 length = report_stream_summary_length (stream);
  GPtrArray *left = report_objects_new ();

  for (guint i = 0; i < stream->alerts->len; i++) {
    const ReportAlert *alert = stream->alerts->pdata[i];
    const guint64 least = (guint64) (report_alerts_least (summary, alert->alert) * GST_SECOND);

    if (least == 0 || !GST_CLOCK_TIME_IS_VALID (alert->start) || alert->start >= to || alert->end <= from) {
      report_objects_add_copy (left, &report_alert_shape, alert);
      continue;
    }
    if (alert->start < from)
      add_part (left, alert, alert->start, from, length, least);
    if (alert->end > to)
      add_part (left, alert, to, alert->end, length, least);
  }
  g_ptr_array_unref (stream->alerts);
  stream->alerts = left;
}

/**
 * report_alerts_can_check:
 *
 * Returns: whether an alert that was watched could be raised. Short-term loudness needs 3 s of sound in one piece; of
 * several inputs that are merged, this is guessed from their mean length.
 */
gboolean
report_alerts_can_check (const ReportSummary * summary,
    const ReportStreamSummary * stream, HistoAlert type)
{
  gboolean is_long = FALSE;

  if (type != HISTO_ALERT_LOUDNESS)
    return TRUE;
  for (guint i = 0; i < stream->parts->len; i++) {
    const ReportPart *part = stream->parts->pdata[i];

    is_long = is_long || (gdouble) part->n_samples / MAX (summary->n_inputs, 1)
        >= 3. * part->stream->rate;
  }
  return is_long;
}
