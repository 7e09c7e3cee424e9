/* What the alerts of an input say together; see alerts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/alerts.h"

#include <math.h>
#include <string.h>

#include "summary/answers.h"
#include "base/describe.h"
#include "summary/hdr.h"
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

/* ---- Hints ------------------------------------------------------------------------------------ */

/* The element's defaults: a hint tells what its alerts would tell. */
#define RANGE_RATIO 0.01
/* A DC offset that is told, as a share of full scale: -40 dB. */
#define LEAST_OFFSET 0.01
/* Pairs of channels below this are told to be opposite. Those of music are mostly above 0. */
#define OPPOSITE -0.5

/* Returns: the property that was set with --set, or its default. Of settings with one name the last one counts, and
 * they are behind all others. */
static gdouble
find_setting (const ReportSummary * summary, const gchar * name,
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
      least = find_setting (summary, name, (gdouble) durations[i].preset)
          / GST_SECOND;
  }
  g_free (name);
  return least;
}

static gboolean
is_watched (const ReportSummary * summary, const ReportStreamSummary * stream,
    HistoAlert type)
{
  return (summary->alerts & HISTO_ALERT_FLAG (type)) != 0
      || report_alerts_add_up (summary, stream, type).n > 0;
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

static void
add_range_hints (GPtrArray * hints, const ReportStreamSummary * stream,
    gdouble least)
{
  for (guint r = 0; r < stream->regions->len; r++) {
    const ReportRegion *region = stream->regions->pdata[r];
    const HistoRange *brng =
        &region->figures[HISTO_GROUP_FIGURE_SIGNAL_brng];
    GString *text;

    if (brng->n == 0 || brng->max < least)
      continue;
    text = g_string_new (region->name);
    if (region->name != NULL)
      g_string_append (text, ": ");
    report_append_share (text, histo_range_mean (brng), 1);
    g_string_append (text, " of the pixels are out of the limited range");
    if (brng->n > 1) {
      g_string_append (text, ", in a frame at most ");
      report_append_share (text, brng->max, 1);
    }
    g_string_append (text, "; --alerts=range tells when");
    g_ptr_array_add (hints, g_string_free (text, FALSE));
  }
}

/* @level: in dB */
static gboolean
is_silent (const HistoFigures * figures, gdouble level)
{
  return report_figures_peak (figures) <= pow (10, level / 20);
}

/* The alert is for all channels together; a hint is for one that is silent beside others. */
static void
add_silence_hints (GPtrArray * hints, const ReportStreamSummary * stream,
    gboolean is_watched, gdouble level)
{
  const ReportRegion *region = report_first_region (stream->regions);
  const guint n = region != NULL ? region->components->len : 0;
  GString *names = g_string_new (NULL);
  guint silent = 0;

  for (guint c = 0; c < n; c++) {
    const ReportComponent *component = region->components->pdata[c];

    if (!is_silent (&component->figures, level))
      continue;
    g_string_append_printf (names, "%s%s", silent > 0 ? ", " : "",
        report_name_place (stream->stream, component->name));
    silent++;
  }
  if (silent > 0 && (silent < n || !is_watched))
    g_ptr_array_add (hints, g_strdup_printf ("%s %s silent from begin to end",
            names->str, silent == 1 ? "is" : "are"));
  g_string_free (names, TRUE);
}

static void
add_offset_hints (GPtrArray * hints, const ReportStreamSummary * stream)
{
  const ReportRegion *region = report_first_region (stream->regions);

  if (region == NULL)
    return;
  for (guint c = 0; c < region->components->len; c++) {
    const ReportComponent *component = region->components->pdata[c];
    const gdouble offset = report_figures_share (&component->figures,
        component->figures.mean);

    if (fabs (offset) >= LEAST_OFFSET)
      g_ptr_array_add (hints, g_strdup_printf ("%s has a DC offset of %.1f %% of "
              "full scale", report_name_place (stream->stream, component->name),
              100 * offset));
  }
}

static void
add_phase_hints (GPtrArray * hints, const ReportStreamSummary * stream)
{
  for (guint i = 0; i < stream->pairs->len; i++) {
    const ReportPair *pair = stream->pairs->pdata[i];
    HistoPairFigures figures;

    report_pair_get_whole (pair, &figures);
    if (figures.correlation < OPPOSITE)
      g_ptr_array_add (hints, g_strdup_printf ("%s and %s are opposite in phase: "
              "their correlation is %.2f", report_name_place (stream->stream,
                  pair->first), report_name_place (stream->stream,
                  pair->second), figures.correlation));
  }
}

static void
add_length_hint (GPtrArray * hints, const ReportSummary * summary,
    const ReportStreamSummary * stream)
{
  const ReportStreamSummary *last;
  const guint64 early = report_summary_early_end (summary, stream, &last);

  if (GST_CLOCK_TIME_IS_VALID (early) && early >= REPORT_LEAST_EARLY_END)
    g_ptr_array_add (hints, g_strdup_printf ("the streams differ in length: this "
            "one ends %.3f s before %s", (gdouble) early / GST_SECOND,
            last->stream->title));
}

static void
add_clipping_hints (GPtrArray * hints, const ReportStreamSummary * stream)
{
  gdouble runs = 0;

  for (guint i = 0; i < stream->parts->len; i++) {
    const ReportPart *part = stream->parts->pdata[i];

    for (guint c = 0; c < part->n_channels; c++)
      runs += part->channels[c].levels[HISTO_LEVEL_FIGURE_clipped_runs].sum;
  }
  if (runs > 0)
    g_ptr_array_add (hints, g_strdup_printf ("%.0f run%s of samples at full "
            "scale; --alerts=clipping tells when", runs, runs == 1 ? "" : "s"));
}

/**
 * report_alerts_find_hints:
 * @stream: of @summary
 *
 * Returns: (transfer full) (element-type utf8): what figures show that no alert tells, or none that is watched. Names
 * may have any characters if the stream was read.
 */
GPtrArray *
report_alerts_find_hints (const ReportSummary * summary,
    const ReportStreamSummary * stream)
{
  GPtrArray *hints = g_ptr_array_new_with_free_func (g_free);

  if (stream->stream->is_audio) {
    add_silence_hints (hints, stream, is_watched (summary, stream,
            HISTO_ALERT_SILENCE), find_setting (summary, "silence-level",
            HISTO_SILENCE_LEVEL));
    add_offset_hints (hints, stream);
    add_phase_hints (hints, stream);
    if (!is_watched (summary, stream, HISTO_ALERT_CLIPPING))
      add_clipping_hints (hints, stream);
  } else {
    report_answers_add_hints (hints, stream);
    if (!is_watched (summary, stream, HISTO_ALERT_RANGE)
        && report_stream_is_limited (stream->stream))
      add_range_hints (hints, stream, find_setting (summary, "range-ratio",
              RANGE_RATIO));
    report_hdr_add_hints (hints, stream);
  }
  add_length_hint (hints, summary, stream);
  return hints;
}
