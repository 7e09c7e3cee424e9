/* The summary as JSON for the page; see html-view.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "html-view.h"

#include <math.h>

#include "alerts.h"
#include "describe.h"
#include "json.h"

/* Alerts of one kind in one stream that the page lists. It tells the number of all. */
#define MOST_ALERTS 5000

/* Bins of the histogram of the whole stream. */
#define MOST_BINS 1024

/* ---- Facts: pairs of a name and a text ---------------------------------------------------- */

/* Adds a fact. The text is printf's. */
static void G_GNUC_PRINTF (3, 4)
add_fact (JsonBuilder * json, const gchar * name, const gchar * format, ...)
{
  va_list arguments;
  gchar *text;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  json_builder_begin_array (json);
  json_builder_add_string_value (json, name);
  json_builder_add_string_value (json, text);
  json_builder_end_array (json);
  g_free (text);
}

typedef struct
{
  gchar text[32];
} Number;

/* Returns: @value with so many digits after a point, whatever the locale is. Use: .text */
static Number
number (gdouble value, guint digits)
{
  Number printed = { "−" };
  gchar format[8] = "%.0f", *text = printed.text;

  format[2] = '0' + digits;
  if (value < 0)
    text += strlen (text);
  if (isnan (value))
    strcpy (text, "–");
  else if (isinf (value))
    strcpy (text, "∞");
  else
    g_ascii_formatd (text, sizeof printed.text - strlen ("−"), format,
        fabs (value));
  return printed;
}

static void
add_member_string (JsonBuilder * json, const gchar * name, const gchar * text)
{
  json_builder_set_member_name (json, name);
  if (text != NULL)
    json_builder_add_string_value (json, text);
  else
    json_builder_add_null_value (json);
}

/* Seconds, or null. */
static void
add_member_time (JsonBuilder * json, const gchar * name, guint64 time)
{
  json_builder_set_member_name (json, name);
  if (GST_CLOCK_TIME_IS_VALID (time))
    json_builder_add_double_value (json, (gdouble) time / GST_SECOND);
  else
    json_builder_add_null_value (json);
}

/* JSON has neither NaN nor infinities: they become null. */
static void
add_member_double (JsonBuilder * json, const gchar * name, gdouble value)
{
  json_builder_set_member_name (json, name);
  if (isfinite (value))
    json_builder_add_double_value (json, value);
  else
    json_builder_add_null_value (json);
}

/* ---- Streams ------------------------------------------------------------------------------- */

/* Adds what a part of a stream is, and when it begins. @before: (nullable): what was there before: only what
 * differs is told */
static void
add_part_fact (JsonBuilder * json, const ReportPart * part,
    const ReportStream * before)
{
  GString *name = g_string_new ("From ");
  gchar *text = report_stream_facts (part->stream, before);
  GString *facts = g_string_new (text);

  g_string_replace (facts, " x ", " × ", 1);
  report_append_time (name, part->start);
  add_fact (json, name->str, "%s", facts->str);
  g_free (text);
  g_string_free (facts, TRUE);
  g_string_free (name, TRUE);
}

static void
add_stream_facts (JsonBuilder * json, const ReportSummary * whole,
    const ReportStreamSummary * summary)
{
  const ReportStream *stream = summary->stream;
  const ReportStreamSummary *first, *last;
  const guint64 delay = report_summary_delay (whole, summary, &first);
  const guint64 early = report_summary_early_end (whole, summary, &last);
  gchar *format, *colorimetry;

  if (stream->codec != NULL)
    add_fact (json, "Codec", "%s", stream->codec);
  if (stream->is_audio) {
    add_fact (json, "Sound", "%d Hz, %d channel%s", stream->rate,
        stream->channels, stream->channels == 1 ? "" : "s");
  } else {
    add_fact (json, "Picture", "%d × %d", stream->width, stream->height);
    if (stream->par_d > 0 && stream->par_n != stream->par_d)
      add_fact (json, "Pixels", "%d:%d, shown as %d × %d", stream->par_n,
          stream->par_d, report_stream_display_width (stream), stream->height);
    if (summary->field_order != NULL)
      add_fact (json, "Field order", "%s",
          report_name_field_order (summary->field_order));
    if (stream->frame_rate > 0)
      add_fact (json, "Rate", "%s frames/s",
          number (stream->frame_rate, 3).text);
    if (summary->mean_frame_rate > 0)
      add_fact (json, "Mean rate", "%s frames/s",
          number (summary->mean_frame_rate, 3).text);
    if (summary->timecode != NULL)
      add_fact (json, "First timecode", "%s", summary->timecode);
  }
  format = stream->is_audio ? report_name_sample_format (stream) :
      g_strdup (stream->format);
  colorimetry = report_name_colorimetry (stream);
  if (format != NULL)
    add_fact (json, "Format", "%s", format);
  if (colorimetry != NULL)
    add_fact (json, "Colorimetry", "%s", colorimetry);
  g_free (format);
  g_free (colorimetry);
  if (summary->bit_rate > 0)
    add_fact (json, "Bit rate", "%s kbit/s",
        number (summary->bit_rate / 1000, 0).text);
  add_fact (json, stream->is_audio ? "Windows of 100 ms" : "Frames",
      "%" G_GUINT64_FORMAT, summary->n_results);
  for (guint i = 1; i < summary->parts->len; i++)
    add_part_fact (json, summary->parts->pdata[i],
        ((const ReportPart *) summary->parts->pdata[i - 1])->stream);
  if (GST_CLOCK_TIME_IS_VALID (delay) && delay >= GST_MSECOND / 2)
    add_fact (json, "Starts", "%s s after %s",
        number ((gdouble) delay / GST_SECOND, 3).text, first->stream->title);
  if (GST_CLOCK_TIME_IS_VALID (early) && early >= REPORT_LEAST_EARLY_END)
    add_fact (json, "Ends", "%s s before %s",
        number ((gdouble) early / GST_SECOND, 3).text, last->stream->title);
}

/* The limits of limited-range luma, as a share of all values, and what the stream has to do with them. */
static void
add_legal_range (JsonBuilder * json, const ReportStream * stream)
{
  json_builder_set_member_name (json, "legal");
  if (stream->is_audio) {
    json_builder_add_null_value (json);
    return;
  }
  json_builder_begin_object (json);
  json_builder_set_member_name (json, "label");
  json_builder_add_string_value (json, report_stream_range (stream)
      == GST_VIDEO_COLOR_RANGE_16_235 ? "limited range" : "if limited range");
  report_json_begin_array (json, "shares");
  json_builder_add_double_value (json, 16 / 256.);
  json_builder_add_double_value (json, 235 / 256.);
  json_builder_end_array (json);
  json_builder_end_object (json);
}

/* Adds an array with an object for each stream. */
void
report_facts_add_streams (JsonBuilder * json, const ReportSummary * summary)
{
  report_json_begin_array (json, "streams");
  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *of_stream =
        g_ptr_array_index (summary->streams, i);
    const ReportStream *stream = of_stream->stream;

    json_builder_begin_object (json);
    json_builder_set_member_name (json, "index");
    json_builder_add_int_value (json, stream->index);
    add_member_string (json, "title", stream->title);
    add_member_string (json, "kind", stream->is_audio ? "audio" : "video");
    add_member_double (json, "frameRate", stream->frame_rate);
    add_member_time (json, "length", report_stream_summary_length (of_stream));
    add_legal_range (json, stream);
    report_json_begin_array (json, "facts");
    add_stream_facts (json, summary, of_stream);
    json_builder_end_array (json);
    json_builder_end_object (json);
  }
  json_builder_end_array (json);
}

/* ---- Alerts -------------------------------------------------------------------------------- */

static void
add_alert (JsonBuilder * json, const ReportStream * stream,
    const ReportAlert * alert, guint64 end)
{
  json_builder_begin_object (json);
  json_builder_set_member_name (json, "stream");
  json_builder_add_int_value (json, stream->index);
  add_member_string (json, "type", report_alert_names[alert->alert]);
  add_member_string (json, "place", report_name_place (stream, alert->place));
  add_member_time (json, "start", alert->start);
  add_member_time (json, "end",
      GST_CLOCK_TIME_IS_VALID (alert->end) ? alert->end : end);
  add_member_double (json, "value", alert->value);
  add_member_double (json, "threshold", alert->threshold);
  json_builder_end_object (json);
}

/* Adds an object with a member for each type of which there are alerts. */
void
report_facts_add_alert_totals (JsonBuilder * json,
    const ReportSummary * summary)
{
  report_json_begin_object (json, "alertTotals");
  for (guint type = 0; type < HISTO_N_ALERTS; type++) {
    const ReportAlertTotal total = report_alerts_add_up (summary, NULL, type);

    if (total.n == 0)
      continue;
    report_json_begin_object (json, report_alert_names[type]);
    json_builder_set_member_name (json, "count");
    json_builder_add_int_value (json, total.n);
    add_member_time (json, "seconds", total.time);
    json_builder_end_object (json);
  }
  json_builder_end_object (json);
}

/* Adds an array with the types that were watched in some stream, and could be checked. */
void
report_facts_add_watched (JsonBuilder * json, const ReportSummary * summary)
{
  gboolean has_medium[2] = { FALSE, FALSE }, can_check = FALSE;

  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *stream = summary->streams->pdata[i];

    has_medium[stream->stream->is_audio] |= stream->n_results > 0;
    can_check |= stream->stream->is_audio
        && report_alerts_can_check (summary, stream, HISTO_ALERT_LOUDNESS);
  }
  report_json_begin_array (json, "watched");
  for (guint type = 0; type < HISTO_N_ALERTS; type++) {
    const gboolean is_audio = type >= HISTO_ALERT_SILENCE;

    if ((summary->alerts & HISTO_ALERT_FLAG (type)) != 0
        && has_medium[is_audio]
        && (type != HISTO_ALERT_LOUDNESS || can_check))
      json_builder_add_string_value (json, report_alert_names[type]);
  }
  json_builder_end_array (json);
}

/* Adds an array with a text for each figure that would be an alert. */
void
report_facts_add_hints (JsonBuilder * json, const ReportSummary * summary)
{
  report_json_begin_array (json, "hints");
  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *stream = summary->streams->pdata[i];
    GPtrArray *hints = report_alerts_find_hints (summary, stream);

    for (guint h = 0; h < hints->len; h++) {
      gchar *text = g_strdup_printf ("%s: %s", stream->stream->title,
          (const gchar *) hints->pdata[h]);

      json_builder_add_string_value (json, text);
      g_free (text);
    }
    g_ptr_array_unref (hints);
  }
  json_builder_end_array (json);
}

/* Adds an array with an object for each alert. */
void
report_facts_add_alerts (JsonBuilder * json, const ReportSummary * summary)
{
  report_json_begin_array (json, "alerts");
  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *stream = summary->streams->pdata[i];
    guint counts[HISTO_N_ALERTS] = { 0 };

    for (guint a = 0; a < stream->alerts->len; a++) {
      const ReportAlert *alert = stream->alerts->pdata[a];

      if (counts[alert->alert]++ < MOST_ALERTS)
        add_alert (json, stream->stream, alert,
            report_stream_summary_length (stream));
    }
  }
  json_builder_end_array (json);
}

/* ---- Views --------------------------------------------------------------------------------- */

static void
add_luma_facts (JsonBuilder * json, const ReportComponent * luma)
{
  const HistoFigures *figures = &luma->figures;

  if (figures->count == 0)
    return;
  add_fact (json, luma->name, "%s – %s",
      number (figures->min, 0).text, number (figures->max, 0).text);
  add_fact (json, "of that 1–99 %", "%s – %s",
      number (figures->percentiles[HISTO_P1], 0).text,
      number (figures->percentiles[HISTO_P99], 0).text);
  add_fact (json, "mean", "%s", number (figures->mean, 2).text);
  if (luma->means.n > 0)
    add_fact (json, "means of the frames", "%s – %s",
        number (luma->means.min, 1).text, number (luma->means.max, 1).text);
}

/* Each figure that the region has: its mean and its greatest value, times @factor. */
static void
add_range_fact (JsonBuilder * json, const gchar * name,
    const ReportRange * range, gdouble factor, guint digits,
    const gchar * unit)
{
  if (range->n > 0)
    add_fact (json, name, "%s%s, at most %s%s",
        number (report_range_mean (range) * factor, digits).text, unit,
        number (range->max * factor, digits).text, unit);
}

/* One number, or one for each component if they differ. */
static void
add_bits_fact (JsonBuilder * json, const ReportRegion * region)
{
  GString *text = g_string_new (NULL);
  gboolean is_equal = TRUE;

  for (guint c = 0; c < region->n_bits_used; c++) {
    is_equal = is_equal && region->bits_used[c] == region->bits_used[0];
    g_string_append_printf (text, "%s%u", c > 0 ? ", " : "",
        region->bits_used[c]);
  }
  if (is_equal && region->n_bits_used > 0)
    g_string_printf (text, "%u", region->bits_used[0]);
  if (region->n_bits_used > 0)
    add_fact (json, "Bits in use", "%s", text->str);
  g_string_free (text, TRUE);
}

static void
add_saturation_fact (JsonBuilder * json, const ReportRegion * region)
{
  const ReportComponent *saturation = report_region_find (region,
      HISTO_GROUP_SIGNAL, "saturation");

  if (saturation != NULL && saturation->figures.count > 0)
    add_fact (json, "Saturation", "mean %s, at most %s",
        number (saturation->figures.mean, 2).text,
        number (saturation->figures.max, 0).text);
}

static void
add_area_fact (JsonBuilder * json, const ReportRegion * region)
{
  if (region->area.width > 0)
    add_fact (json, "Active picture", "%d × %d at %d, %d%s", region->area.width,
        region->area.height, region->area.x, region->area.y,
        report_area_is_constant (&region->area, region->width, region->height) ?
        "" : " at most: dark edges, no constant bars");
}

static void
add_region_facts (JsonBuilder * json, const ReportRegion * region,
    const ReportStream * stream)
{
  const ReportRange *figures = region->figures;

  add_saturation_fact (json, region);
  add_range_fact (json, report_stream_is_limited (stream) ? "Out of range" :
      "Out of limited range (no fault: it has full range)",
      &figures[HISTO_GROUP_FIGURE_SIGNAL_brng], 100, 2, " %");
  add_range_fact (json, "Difference",
      &figures[HISTO_GROUP_FIGURE_MOTION_mafd], 1, 2, " %");
  if (figures[HISTO_GROUP_FIGURE_HDR_max_cll].n > 0)
    add_fact (json, "MaxCLL, MaxFALL", "%s, %s cd/m²",
        number (figures[HISTO_GROUP_FIGURE_HDR_max_cll].max, 0).text,
        number (figures[HISTO_GROUP_FIGURE_HDR_max_fall].max, 0).text);
  add_area_fact (json, region);
  add_bits_fact (json, region);
}

/* Channels of all parts. */
static void
add_channel_facts (JsonBuilder * json, const ReportStreamSummary * summary)
{
  gdouble peak = -INFINITY, clipped = 0;

  for (guint i = 0; i < summary->parts->len; i++) {
    const ReportPart *part = summary->parts->pdata[i];

    for (guint c = 0; c < part->n_channels; c++) {
      const ReportRange *range =
          &part->channels[c].levels[HISTO_LEVEL_FIGURE_clipped];

      peak = fmax (peak,
          part->channels[c].arrays[HISTO_LOUDNESS_FIGURE_true_peak]);
      clipped += range->n > 0 ? range->sum : 0;
    }
  }
  if (isfinite (peak))
    add_fact (json, "True peak", "%s dBTP", number (peak, 1).text);
  if (summary->groups & HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL))
    add_fact (json, "Clipped samples", "%s", number (clipped, 0).text);
}

static void
add_audio_facts (JsonBuilder * json, const ReportSummary * whole,
    const ReportStreamSummary * summary)
{
  const ReportRange *loudness = summary->loudness;

  if (loudness[HISTO_LOUDNESS_FIGURE_integrated].n > 0)
    add_fact (json, "Integrated loudness", "%s LUFS",
        number (loudness[HISTO_LOUDNESS_FIGURE_integrated].last, 1).text);
  if (loudness[HISTO_LOUDNESS_FIGURE_range].n > 0)
    add_fact (json, "Loudness range", "%s LU",
        number (loudness[HISTO_LOUDNESS_FIGURE_range].last, 1).text);
  if (loudness[HISTO_LOUDNESS_FIGURE_momentary_max].n > 0
      && !report_alerts_can_check (whole, summary, HISTO_ALERT_LOUDNESS))
    add_fact (json, "At most momentary", "%s LUFS",
        number (loudness[HISTO_LOUDNESS_FIGURE_momentary_max].max, 1).text);
  else if (loudness[HISTO_LOUDNESS_FIGURE_short_term_max].n > 0)
    add_fact (json, "At most short-term, momentary", "%s, %s LUFS",
        number (loudness[HISTO_LOUDNESS_FIGURE_short_term_max].max, 1).text,
        number (loudness[HISTO_LOUDNESS_FIGURE_momentary_max].max, 1).text);
  add_channel_facts (json, summary);
}

/* The histogram of all frames. */
static void
add_histogram (JsonBuilder * json, const ReportComponent * luma)
{
  guint64 sums[MOST_BINS] = { 0 };
  const guint bins = luma != NULL && luma->counts != NULL ?
      luma->figures.bins : 0, n = MIN (bins, MOST_BINS);

  for (guint i = 0; i < bins; i++)
    sums[(guint64) i * n / bins] += luma->counts[i];
  report_json_begin_array (json, "histogram");
  for (guint i = 0; i < n; i++)
    json_builder_add_int_value (json, MIN (sums[i], G_MAXINT64));
  json_builder_end_array (json);
}

/* Returns: (nullable): the region that the view shows */
static const ReportRegion *
find_region (const GPtrArray * regions, const ReportView * view)
{
  return !view->is_audio && view->region < regions->len ?
      g_ptr_array_index (regions, view->region) : NULL;
}

/* Returns: (nullable) */
static const ReportComponent *
find_luma (const ReportRegion * region, const ReportView * view)
{
  return region != NULL && view->luma != NULL ?
      report_region_find (region, view->luma_group, view->luma) : NULL;
}

/* Of a stream that changes: what is not valid for the whole stream. */
static void
add_facts_of_part (JsonBuilder * json, const ReportPart * part,
    const ReportRegion * whole, const ReportView * view)
{
  const ReportRegion *region = find_region (part->regions, view);
  const ReportComponent *luma = find_luma (region, view);
  const gboolean has_scale = whole != NULL && whole->components->len > 0;
  const gboolean has_place = whole != NULL && whole->has_place;

  if (region == NULL || (has_scale && has_place))
    return;
  add_part_fact (json, part, NULL);
  if (!has_scale && luma != NULL)
    add_luma_facts (json, luma);
  if (!has_scale) {
    add_saturation_fact (json, region);
    add_bits_fact (json, region);
  }
  if (!has_place)
    add_area_fact (json, region);
}

/* The object of the view is open. */
static void
add_view_facts (JsonBuilder * json, const ReportSummary * whole,
    const ReportStreamSummary * summary,
    const ReportView * view)
{
  const ReportRegion *region = find_region (summary->regions, view);
  const ReportComponent *luma = find_luma (region, view);

  add_histogram (json, luma);
  report_json_begin_array (json, "facts");
  if (luma != NULL)
    add_luma_facts (json, luma);
  if (region != NULL)
    add_region_facts (json, region, summary->stream);
  if (view->is_audio)
    add_audio_facts (json, whole, summary);
  if (summary->parts->len > 1) {
    for (guint i = 0; i < summary->parts->len; i++)
      add_facts_of_part (json, summary->parts->pdata[i], region, view);
  }
  json_builder_end_array (json);
}

/* Adds an array with an object for each view, in the order of @views: what is said about the view
 * as a whole. */
void
report_facts_add_views (JsonBuilder * json, const ReportSummary * summary,
    const GPtrArray * views)
{
  report_json_begin_array (json, "summaries");
  for (guint v = 0; v < views->len; v++) {
    const ReportView *view = g_ptr_array_index (views, v);

    json_builder_begin_object (json);
    for (guint i = 0; i < summary->streams->len; i++) {
      const ReportStreamSummary *of_stream =
          g_ptr_array_index (summary->streams, i);

      if (of_stream->stream->index == view->stream)
        add_view_facts (json, summary, of_stream, view);
    }
    json_builder_end_object (json);
  }
  json_builder_end_array (json);
}
