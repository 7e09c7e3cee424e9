/* What the alerts of an input say together; see alerts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/alerts.h"

#include <math.h>
#include <string.h>

#include "summary/json.h"
#include "result/alerts.h"
#include "summary/summary.h"

/* When an alert is, in ns from the start of the first stream. */
typedef struct
{
  const gchar *input;           /* of merged summaries; NULL: the only one */
  guint64 start, end;
} Span;

static gint
compare_spans (gconstpointer a, gconstpointer b)
{
  const Span *one = a, *other = b;
  const gint order = g_strcmp0 (one->input, other->input);

  return order != 0 ? order : one->start < other->start ? -1 :
      one->start > other->start;
}

/* An alert that has no end lasts until the stream ends. */
static void
add_span (GArray * spans, const ReportSummary * summary,
    const ReportStreamSummary * stream, const ReportAlert * alert)
{
  const guint64 delay = report_summary_delay (summary, stream, NULL);
  Span span = { alert->input, alert->start, alert->end };

  if (!GST_CLOCK_TIME_IS_VALID (span.end) && alert->input == NULL)
    span.end = report_stream_summary_length (stream);
  if (!GST_CLOCK_TIME_IS_VALID (span.start)
      || !GST_CLOCK_TIME_IS_VALID (span.end) || span.end <= span.start)
    return;
  /* Of a file that was read, the numbers may be anything. */
  if (GST_CLOCK_TIME_IS_VALID (delay) && delay <= G_MAXINT64
      && span.end <= G_MAXINT64) {
    span.start += delay;
    span.end += delay;
  }
  g_array_append_val (spans, span);
}

/* Returns: the time that the spans cover; what several of them cover counts once */
static guint64
cover (GArray * spans)
{
  guint64 time = 0, until = 0;

  g_array_sort (spans, compare_spans);
  for (guint i = 0; i < spans->len; i++) {
    const Span *span = &g_array_index (spans, Span, i);

    if (i > 0 && g_strcmp0 (span->input,
            g_array_index (spans, Span, i - 1).input) != 0)
      until = 0;
    if (span->end > until)
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
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (Span));
  ReportAlertTotal total = { 0, 0 };

  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *stream = summary->streams->pdata[i];

    if (only != NULL && stream != only)
      continue;
    for (guint a = 0; a < stream->alerts->len; a++) {
      const ReportAlert *alert = stream->alerts->pdata[a];

      if (alert->alert != type)
        continue;
      total.n++;
      add_span (spans, summary, stream, alert);
    }
  }
  total.time = cover (spans);
  g_array_unref (spans);
  return total;
}

/* ---- Settings --------------------------------------------------------------------------------- */

/* Returns: the property that was set with --set, or its default. Of settings with one name the last one counts, and
 * they are behind all others. */
gdouble
report_alerts_find_setting (const ReportSummary * summary, const gchar * name,
    gdouble otherwise)
{
  gchar *start = g_strdup_printf (" %s=", name), *end;
  const gchar *found = summary->settings != NULL ?
      g_strrstr (summary->settings, start) : NULL;
  gdouble number = otherwise;

  if (found != NULL) {
    number = g_ascii_strtod (found + strlen (start), &end);
    if (*end != '\0' && *end != ' ')
      number = otherwise;
  }
  g_free (start);
  return number;
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
  gchar *name = g_strconcat (report_alert_names[type], "-duration", NULL);
  gdouble least = 0;

  for (guint i = 0; i < G_N_ELEMENTS (durations); i++) {
    if (g_str_equal (durations[i].name, name))
      least = report_alerts_find_setting (summary, name,
          (gdouble) durations[i].preset)
          / GST_SECOND;
  }
  g_free (name);
  return least;
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
