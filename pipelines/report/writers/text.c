/* The writer of the readable summary; see writer.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/formats.h"

#include <math.h>
#include <string.h>

#include "summary/alerts.h"
#include "summary/answers.h"
#include "base/describe.h"
#include "facts/words.h"
#include "notices/verdict-line.h"
#include "summary/summary.h"

/* The width of the labels, and where a list of times breaks. */
#define LABEL "    %-15s"
#define LABEL_WIDTH 19
#define LINE_WIDTH 78
/* Lists that may be long (problems, alerts of one kind in one stream, changes) show so many items. JSON has all. */
#define MOST_LISTED 8
/* Names of channels in one line. */
#define MOST_CHANNELS 8
#define LISTS_ALL "--json-summary lists all"

/* @value: of the file. @behind: ends the line */
static void
append_line (GString * text, const gchar * label, const gchar * value,
    const gchar * behind)
{
  g_string_append_printf (text, LABEL, label);
  report_append_clean (text, value);
  g_string_append_printf (text, "%s\n", behind);
}

/* ---- Video -------------------------------------------------------------------------------------- */

static void
append_levels (GString * text, const ReportRegion * region)
{
  const gchar *label = "levels";

  for (guint i = 0; i < region->components->len; i++) {
    const ReportComponent *component = region->components->pdata[i];
    const HistoFigures *f = &component->figures;

    if (component->group != HISTO_GROUP_BASIC)
      continue;
    g_string_append_printf (text, LABEL "%s  min %g   1 %% %g   mean %.1f   "
        "99 %% %g   max %g   of %g to %g\n", label, component->name, f->min,
        f->percentiles[HISTO_P1], f->mean, f->percentiles[HISTO_P99], f->max,
        f->range_min, f->range_max - 1);
    label = "";
  }
}

/* What a text is made of. */
typedef struct
{
  ReportWriter parent;
  gboolean is_full;             /* also says what was not found, and the details of notices */
} TextWriter;

static void
append_region_answers (GString * text, const TextWriter * writer, const ReportSummary * whole,
    const ReportStream * stream, const ReportRegion * region,
    gboolean needs_scale)
{
  for (guint i = 0; i < REPORT_N_REGION_ANSWERS; i++) {
    const ReportRegionAnswer *row = &report_region_answers[i];
    g_autofree gchar *answer = (row->needs_scale || !needs_scale) && (writer->is_full || !row->is_detail) ?
        row->answer (whole, stream, region) : NULL;

    if (answer != NULL)
      g_string_append_printf (text, LABEL "%s\n", row->label, answer);
  }
}

static void
append_area (GString * text, const TextWriter * writer, const ReportRegion * region)
{
  const gboolean is_whole = region->area.width == (gint) region->width && region->area.height == (gint) region->height;

  if (region->area.width == 0 || (is_whole && !writer->is_full))
    return;
  g_string_append_printf (text, LABEL "%d x %d at %d,%d", "active picture",
      region->area.width, region->area.height, region->area.x,
      region->area.y);
  if (is_whole)
    g_string_append (text, ": no black bars");
  else if (!report_area_is_constant (&region->area, region->width,
          region->height))
    g_string_append (text, " at most: dark edges, no constant bars");
  g_string_append_c (text, '\n');
}

static void
append_region_name (GString * text, const ReportRegion * region)
{
  if (region->name == NULL)
    return;
  g_string_append (text, "   region ");
  report_append_clean (text, region->name);
  if (region->has_place)
    g_string_append_printf (text, ": %u x %u at %u,%u", region->width,
        region->height, region->x, region->y);
  g_string_append_c (text, '\n');
}

/* Appends what is not printed of the whole stream. @whole: (nullable): this region of all parts */
static void
append_region_of_part (GString * text, const TextWriter * writer, const ReportSummary * all,
    const ReportStream * stream, const ReportRegion * region,
    const ReportRegion * whole)
{
  const gboolean has_scale = whole != NULL && whole->components->len > 0;
  const gboolean has_place = whole != NULL && whole->has_place;

  if (has_scale && has_place)
    return;
  append_region_name (text, region);
  if (!has_scale) {
    append_levels (text, region);
    append_region_answers (text, writer, all, stream, region, TRUE);
  }
  if (!has_place)
    append_area (text, writer, region);
}

/* ---- Sound -------------------------------------------------------------------------------------- */

static gdouble
decibels (gdouble amplitude)
{
  return 20 * log10 (amplitude);
}

/* All names of a stream are as wide as the widest one. */
static void
append_channel_name (GString * text, const ReportStream * stream,
    const gchar * channel)
{
  const gchar *name = report_name_place (stream, channel);
  glong width = 0;

  report_append_clean (text, name);
  if (name == channel)
    return;
  for (guint c = 0; stream->channel_names[c] != NULL; c++)
    width = MAX (width, g_utf8_strlen (stream->channel_names[c], -1));
  for (glong i = g_utf8_strlen (name, -1); i < width; i++)
    g_string_append_c (text, ' ');
}

static void
append_channel (GString * text, const ReportStream * stream,
    const ReportComponent * component, const ReportChannel * channel,
    const gchar * label)
{
  const HistoFigures *f = &component->figures;
  const gdouble offset = report_figures_share (f, f->mean);
  const gdouble shown_offset = rint (offset * 1e5) / 1e5;
  const gdouble peak = report_figures_peak (f);

  g_string_append_printf (text, LABEL, label);
  append_channel_name (text, stream, component->name);
  /* Samples may be NaN or infinite, all of them. */
  if (peak == 0)
    g_string_append (text, "  all samples are 0");
  else if (!isnan (offset))
    g_string_append_printf (text, "  RMS %.1f dB   peak %.2f dB",
        decibels (sqrt (report_figures_power (f))), decibels (peak));
  if (fabs (shown_offset) > 0)
    g_string_append_printf (text, "   DC offset %.5f", shown_offset);
  if (channel != NULL
      && isfinite (channel->arrays[HISTO_LOUDNESS_FIGURE_true_peak]))
    g_string_append_printf (text, "   true peak %.2f dBTP",
        channel->arrays[HISTO_LOUDNESS_FIGURE_true_peak]);
  if (f->nan + f->inf > 0)
    g_string_append_printf (text, "   NaN or infinite: %" G_GUINT64_FORMAT,
        f->nan + f->inf);
  g_string_append_c (text, '\n');
}

/* A line for each pair. */
static void
append_pairs (GString * text, const ReportStream * stream,
    const GPtrArray * pairs)
{
  for (guint i = 0; i < pairs->len; i++) {
    const ReportPair *pair = pairs->pdata[i];
    g_autofree gchar *figures = report_answer_pair (pair);

    g_string_append_printf (text, LABEL, i == 0 ? "pairs" : "");
    append_channel_name (text, stream, pair->first);
    g_string_append_c (text, ' ');
    append_channel_name (text, stream, pair->second);
    g_string_append_printf (text, "  %s\n", figures);
  }
}

/* All channels together. */
static void
append_clipping (GString * text, const TextWriter * writer, const ReportStream * stream,
    const GPtrArray * channels, guint groups)
{
  g_autoptr (GString) names = g_string_new (NULL);
  gdouble clipped = 0, runs = 0;

  for (guint c = 0; c < channels->len; c++) {
    const HistoRange *levels = ((const ReportChannel *) channels->pdata[c])->levels;
    g_autofree gchar *name = g_strdup_printf ("ch%u", c);

    if (levels[HISTO_LEVEL_FIGURE_clipped].sum > 0) {
      clipped += levels[HISTO_LEVEL_FIGURE_clipped].sum;
      runs += levels[HISTO_LEVEL_FIGURE_clipped_runs].sum;
      g_string_append (names, names->len > 0 ? ", " : "");
      report_append_clean (names, report_name_place (stream, name));
    }
  }
  if (clipped > 0)
    g_string_append_printf (text, LABEL "%.0f sample%s at full scale, "
        "%.0f clipped run%s: %s\n", "clipping", clipped, clipped == 1 ? "" : "s",
        runs, runs == 1 ? "" : "s", names->str);
  else if (writer->is_full && (groups & HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL)) != 0)
    g_string_append_printf (text, LABEL "none\n", "clipping");
}

/* Silence has no loudness. The range, too, is of short-term loudness. */
static void
append_loudness (GString * text, const ReportSummary * whole,
    const ReportStreamSummary * summary)
{
  const gboolean is_long = report_alerts_can_check (whole, summary,
      HISTO_ALERT_LOUDNESS);
  const HistoRange *loudness = summary->loudness;
  const gdouble integrated = loudness[HISTO_LOUDNESS_FIGURE_integrated].last;
  const gdouble momentary =
      loudness[HISTO_LOUDNESS_FIGURE_momentary_max].max;

  if (loudness[HISTO_LOUDNESS_FIGURE_integrated].n == 0)
    return;
  g_string_append_printf (text, LABEL, "loudness");
  if (!isfinite (integrated))
    g_string_append (text, "no integrated loudness: nothing of 400 ms is above "
        "-70 LUFS");
  else
    g_string_append_printf (text, "integrated %.1f LUFS", integrated);
  if (is_long && isfinite (integrated))
    g_string_append_printf (text, "   range %.1f LU",
        loudness[HISTO_LOUDNESS_FIGURE_range].last);
  if (isfinite (momentary))
    g_string_append_printf (text, "   max momentary %.1f", momentary);
  if (is_long && isfinite (loudness[HISTO_LOUDNESS_FIGURE_short_term_max].max))
    g_string_append_printf (text, "   max short-term %.1f",
        loudness[HISTO_LOUDNESS_FIGURE_short_term_max].max);
  g_string_append (text, isfinite (momentary) ? " LUFS" : "");
  g_string_append (text, report_stream_is_unplaced (summary->stream) ?
      ": uncertain, positions unknown\n" : "\n");
}

/* Appends the channels of a part, or of all parts together. */
static void
append_channels (GString * text, const TextWriter * writer, const ReportStream * stream,
    const GPtrArray * regions, const GPtrArray * channels,
    const GPtrArray * pairs, guint groups)
{
  const ReportRegion *region = report_first_region (regions);

  if (region != NULL) {
    for (guint c = 0; c < region->components->len; c++)
      append_channel (text, stream, region->components->pdata[c],
          c < channels->len ? channels->pdata[c] : NULL, c == 0 ? "levels" : "");
  }
  if (writer->is_full)
    append_pairs (text, stream, pairs);
  append_clipping (text, writer, stream, channels, groups);
}

/* Whether the channels of all parts are the same, so that no part lists them. */
static gboolean
has_channels (const ReportStreamSummary * summary)
{
  const ReportRegion *region = report_first_region (summary->regions);

  return summary->parts->len <= 1 || (region != NULL
      && region->components->len > 0);
}

/* ---- Alerts ------------------------------------------------------------------------------------- */

static const struct
{
  const gchar *label;
  gboolean is_audio;
} alert_labels[HISTO_N_ALERTS + 1] = {
  [HISTO_ALERT_BLACK] = {"black", FALSE},
  [HISTO_ALERT_FREEZE] = {"freezes", FALSE},
  [HISTO_ALERT_SCENE] = {"scene changes", FALSE},
  [HISTO_ALERT_RANGE] = {"out of range", FALSE},
  [HISTO_ALERT_SILENCE] = {"silence", TRUE},
  [HISTO_ALERT_CLIPPING] = {"clipped", TRUE},
  [HISTO_ALERT_LOUDNESS] = {"loudness off", TRUE},
  [HISTO_ALERT_RULE] = {"broken rules", FALSE},
};

/* Items have spaces behind them, of which lines keep none. */
static void
trim_line (GString * text)
{
  while (text->len > 0 && text->str[text->len - 1] == ' ')
    g_string_truncate (text, text->len - 1);
}

/* Adds an item to the list, on a new line if it does not fit. @item: (transfer full) */
static void
append_item (GString * text, gchar * item, gsize * line)
{
  const gsize length = strlen (item);

  if (*line + length + 2 > LINE_WIDTH) {
    trim_line (text);
    g_string_append_printf (text, "\n%*s", LABEL_WIDTH, "");
    *line = LABEL_WIDTH;
  }
  g_string_append_printf (text, "%s  ", item);
  *line += length + 2;
  g_free (item);
}

/* @n_more: items that are not there */
static void
end_items (GString * text, guint64 n_more, gsize * line)
{
  if (n_more > 0)
    append_item (text, g_strdup_printf ("and %" G_GUINT64_FORMAT " more; "
            LISTS_ALL, n_more), line);
  trim_line (text);
  g_string_append_c (text, '\n');
}

/* Ends a line with the first spans. @n_more: spans that are not in the list */
static void
append_spans (GString * text, const GPtrArray * spans, guint64 n_more)
{
  const guint n = MIN (spans->len, MOST_LISTED);
  gsize line = LINE_WIDTH;

  for (guint i = 0; i < n; i++)
    append_item (text, report_clean_text (report_notice_span_describe
            (spans->pdata[i])), &line);
  end_items (text, spans->len - n + n_more, &line);
}

/* Beside the scene changes: those that were left out, and changes of the stream, at which frames cannot be compared. */
static void
append_left_out (GString * text, const ReportStreamSummary * summary,
    HistoAlert type)
{
  guint n = 0;

  for (guint i = 1; type == HISTO_ALERT_SCENE && i < summary->parts->len; i++)
    n += GST_CLOCK_TIME_IS_VALID (((const ReportPart *)
            summary->parts->pdata[i])->start);
  if (n > 0)
    g_string_append_printf (text, "; %u change%s of the stream begin%s a "
        "scene, too", n, report_plural (n), n == 1 ? "s" : "");
  if (type == HISTO_ALERT_SCENE && summary->n_scenes_in_flashes > 0)
    g_string_append_printf (text, "; %" G_GUINT64_FORMAT " in flashes %s left "
        "out", summary->n_scenes_in_flashes,
        summary->n_scenes_in_flashes == 1 ? "is" : "are");
}

/* An alert of silence is one of all channels. @text gets which these are. */
static void
append_all_channels (GString * text, const ReportStream * stream)
{
  const guint n = stream->channels;

  if (n > MOST_CHANNELS)
    g_string_append_printf (text, "; all %u channels", n);
  for (guint c = 0; c < n && n > 1 && n <= MOST_CHANNELS; c++) {
    g_autofree gchar *name = g_strdup_printf ("ch%u", c);

    g_string_append (text, c == 0 ? "; all channels: " : ", ");
    report_append_clean (text, report_name_place (stream, name));
  }
}

/* Single channels may be silent without an alert. */
static gboolean
has_silent_channels (const ReportStreamSummary * summary)
{
  const GPtrArray *spans = summary->sound_spans.spans;

  for (guint i = 0; i < spans->len; i++) {
    if (((const ReportSoundSpan *) spans->pdata[i])->state == REPORT_SILENT)
      return TRUE;
  }
  return FALSE;
}

static void
append_alerts (GString * text, const TextWriter * writer, const ReportSummary * whole,
    const ReportStreamSummary * summary, HistoAlert type)
{
  const ReportAlertTotal total = report_alerts_add_up (whole, summary, type);
  g_autoptr (GPtrArray) spans = report_alerts_list (summary, type, NULL);

  if (total.n == 0) {
    const gdouble least = report_alerts_least (whole, type);

    /* Clipping has a line already; rules may not be there. */
    if (type == HISTO_ALERT_CLIPPING || type == HISTO_ALERT_RULE
        || (!writer->is_full && report_alerts_can_check (whole, summary, type)))
      return;
    g_string_append_printf (text, LABEL, alert_labels[type].label);
    if (!report_alerts_can_check (whole, summary, type)) {
      g_string_append (text, "not checked: the sound is shorter than 3 s");
    } else {
      g_string_append (text, type == HISTO_ALERT_SILENCE && has_silent_channels (summary) ?
          "none on all channels at once" : "none");
      if (least > 0)
        g_string_append_printf (text, " of %.6g s or more", least);
    }
    append_left_out (text, summary, type);
    g_string_append_c (text, '\n');
    return;
  }
  g_string_append_printf (text, LABEL "%" G_GUINT64_FORMAT,
      alert_labels[type].label, total.n);
  if (total.time > 0) {
    g_string_append (text, ", ");
    report_append_seconds (text, total.time / (gdouble) GST_SECOND);
    g_string_append (text, " in all");
  }
  if (type == HISTO_ALERT_SILENCE)
    append_all_channels (text, summary->stream);
  append_left_out (text, summary, type);
  append_spans (text, spans, 0);
}

/* What the figures of the whole stream say. */
static void
append_answers (GString * text, const TextWriter * writer, const ReportStreamSummary * summary)
{
  g_autoptr (GPtrArray) answers = report_answers_find (summary);

  for (guint i = 0; i < answers->len; i++) {
    const ReportAnswer *answer = answers->pdata[i];

    if (answer->is_quiet && !writer->is_full)
      continue;
    g_string_append_printf (text, LABEL "%s", answer->label, answer->text);
    append_spans (text, answer->spans, answer->n_more);
  }
}

/* Appends what no alert reports. */
static void
append_hints (GString * text, const ReportSummary * whole,
    const ReportStreamSummary * summary)
{
  g_autoptr (GPtrArray) hints = report_summary_hints (whole, summary);

  for (guint i = 0; i < MIN (hints->len, MOST_LISTED); i++)
    append_line (text, i == 0 ? "look at" : "", hints->pdata[i], "");
}

/* ---- Parts -------------------------------------------------------------------------------------- */

static void
append_facts (GString * text, const ReportStream * stream,
    const ReportStream * before)
{
  g_autofree gchar *facts = report_stream_facts (stream, before);

  report_append_clean (text, facts);
}

/* A line for each change. Parts of several inputs have no times. */
static void
append_changes (GString * text, const ReportStreamSummary * summary)
{
  const gchar *label = "changes";
  guint n = 0;

  for (guint i = 1; i < summary->parts->len; i++) {
    const ReportPart *before = summary->parts->pdata[i - 1];
    const ReportPart *part = summary->parts->pdata[i];

    if (!GST_CLOCK_TIME_IS_VALID (part->start) || ++n > MOST_LISTED)
      continue;
    g_string_append_printf (text, LABEL, label);
    report_append_time (text, part->start);
    g_string_append (text, ": ");
    append_facts (text, part->stream, before->stream);
    g_string_append_c (text, '\n');
    label = "";
  }
  if (n > MOST_LISTED)
    g_string_append_printf (text, LABEL "and %u more; " LISTS_ALL "\n", "",
        n - MOST_LISTED);
}

static void
append_part (GString * text, const TextWriter * writer, const ReportSummary * whole,
    const ReportStreamSummary * summary, const ReportPart * part)
{
  const gboolean has_time = GST_CLOCK_TIME_IS_VALID (part->start);
  const gboolean is_audio = summary->stream->is_audio;
  g_autoptr (GString) lines = g_string_new (NULL);

  if (!is_audio) {
    for (guint r = 0; r < part->regions->len; r++) {
      const ReportRegion *region = part->regions->pdata[r];

      append_region_of_part (lines, writer, whole, part->stream, region,
          report_stream_summary_find_region (summary, region->name));
    }
  } else if (!has_channels (summary)) {
    append_channels (lines, writer, part->stream, part->regions, part->channels,
        part->pairs, summary->groups);
  }
  /* The changes of a stream of one input are listed already. */
  if (lines->len > 0 || !has_time) {
    g_string_append (text, "   ");
    if (has_time) {
      g_string_append (text, "from ");
      report_append_time (text, part->start);
      g_string_append (text, ": ");
    }
    append_facts (text, part->stream, NULL);
    if (!is_audio)
      g_string_append_printf (text, "; %" G_GUINT64_FORMAT " frame%s",
          part->n_results, report_plural (part->n_results));
    g_string_append_printf (text, "\n%s", lines->str);
  }
}

/* ---- Streams ------------------------------------------------------------------------------------ */

static void
append_headline (GString * text, const ReportStreamSummary * summary)
{
  const ReportStream *stream = summary->stream;
  g_autofree gchar *sound = report_answer_sound (summary);
  /* The sum of several inputs may have several. A stream of one input is described as it begins. */
  const gboolean has_several_formats = summary->parts->len > 1
      && !GST_CLOCK_TIME_IS_VALID (((const ReportPart *)
          summary->parts->pdata[0])->start);

  g_string_append (text, "  ");
  report_append_clean (text, stream->title);
  g_string_append (text, ": ");
  if (has_several_formats)
    g_string_append (text, "several formats");
  else
    append_facts (text, stream, NULL);
  if (stream->codec != NULL) {
    g_string_append (text, ", ");
    report_append_clean (text, stream->codec);
  }
  if (stream->decoder != NULL) {
    g_string_append (text, ", decoded by ");
    report_append_clean (text, stream->decoder);
  }
  if (!stream->is_audio)
    g_string_append_printf (text, "; %" G_GUINT64_FORMAT " frame%s",
        summary->n_results, report_plural (summary->n_results));
  if (GST_CLOCK_TIME_IS_VALID (summary->start)) {
    g_string_append (text, "; ");
    report_append_time (text, report_stream_summary_length (summary));
  }
  if (sound != NULL) {
    g_string_append (text, "; ");
    report_append_clean (text, sound);
  }
  g_string_append_c (text, '\n');
}

/* Lines about the stream as a whole, of which most are there only if they have something to report. Names come from a
 * file, too. */
static void
append_encoding (GString * text, const TextWriter * writer, const ReportSummary * whole,
    const ReportStreamSummary * summary)
{
  const ReportStreamSummary *first, *last;
  g_autofree gchar *facts = report_answer_facts (summary);
  g_autofree gchar *order = report_answer_field_order (summary);
  g_autofree gchar *rotation = report_facts_rotation (summary->facts);
  const guint64 delay = report_summary_delay (whole, summary, &first);
  const guint64 early = report_summary_early_end (whole, summary, &last);

  if (facts != NULL)
    append_line (text, "facts", facts, "");
  /* "progressive" alone is printed only if the frames were looked at. */
  if (writer->is_full && order != NULL && !g_str_equal (order, "progressive"))
    append_line (text, "field order", order, "");
  if (summary->timecode != NULL)
    append_line (text, "timecode", summary->timecode, " at the first frame");
  if (!g_str_equal (rotation, REPORT_NOT_ROTATED))
    append_line (text, "rotation", rotation, " clockwise, by players; it is measured as it is stored");
  if (!writer->is_full)
    return;
  if (summary->bit_rate >= 0.5)
    g_string_append_printf (text, LABEL "%.0f %s\n", "bit rate",
        summary->bit_rate >= 1000 ? summary->bit_rate / 1000 : summary->bit_rate,
        summary->bit_rate >= 1000 ? "kbit/s" : "bit/s");
  if (GST_CLOCK_TIME_IS_VALID (delay) && delay >= REPORT_LEAST_DELAY) {
    g_string_append_printf (text, LABEL "%.3f s after ", "starts",
        (gdouble) delay / GST_SECOND);
    report_append_clean (text, first->stream->title);
    g_string_append_c (text, '\n');
  }
  if (GST_CLOCK_TIME_IS_VALID (early) && early >= REPORT_LEAST_EARLY_END) {
    g_string_append_printf (text, LABEL "%.3f s before ", "ends",
        (gdouble) early / GST_SECOND);
    report_append_clean (text, last->stream->title);
    g_string_append_c (text, '\n');
  }
}

static void
append_stream (GString * text, const TextWriter * writer, const ReportSummary * whole,
    const ReportStreamSummary * summary)
{
  append_headline (text, summary);
  append_changes (text, summary);
  append_encoding (text, writer, whole, summary);
  if (summary->n_results == 0) {
    g_string_append (text, "    nothing was measured\n");
    return;
  }
  if (!summary->stream->is_audio) {
    for (guint r = 0; r < summary->regions->len; r++) {
      const ReportRegion *region = summary->regions->pdata[r];

      append_region_name (text, region);
      append_levels (text, region);
      append_region_answers (text, writer, whole, summary->stream, region, FALSE);
      append_area (text, writer, region);
    }
  } else {
    if (has_channels (summary))
      append_channels (text, writer, summary->stream, summary->regions,
          summary->channels, summary->pairs, summary->groups);
    append_loudness (text, whole, summary);
  }
  append_answers (text, writer, summary);
  for (guint type = 0; type < HISTO_N_ALERTS; type++) {
    /* The alerts of a spare track are left out: that there is none says nothing. */
    if (type == HISTO_ALERT_SILENCE && summary->is_spare)
      continue;
    if ((whole->alerts & HISTO_ALERT_FLAG (type)) != 0
        && alert_labels[type].is_audio == summary->stream->is_audio)
      append_alerts (text, writer, whole, summary, type);
  }
  append_alerts (text, writer, whole, summary, HISTO_ALERT_RULE);
  append_hints (text, whole, summary);
  if (summary->parts->len > 1) {
    for (guint i = 0; i < summary->parts->len; i++)
      append_part (text, writer, whole, summary, summary->parts->pdata[i]);
  }
}

/* One on each line, below the first one. */
static void
append_problems (GString * text, const ReportSummary * summary)
{
  const gchar *label = summary->is_complete ? "note:" :
      summary->streams->len > 0 ? "NOT COMPLETE:" : "NOT MEASURED:";
  guint n = 0;

  for (guint i = 0; i < summary->notices->len; i++) {
    const ReportNotice *notice = summary->notices->pdata[i];

    if (notice->kind != REPORT_NOTICE_INCOMPLETE || ++n > MOST_LISTED)
      continue;
    g_string_append_printf (text, "  %-13s ", n == 1 ? label : "");
    report_append_clean (text, notice->text);
    g_string_append_c (text, '\n');
  }
  if (n > MOST_LISTED)
    g_string_append_printf (text, "  %-13s and %u more; " LISTS_ALL "\n", "",
        n - MOST_LISTED);
}

/* What is told of all tracks of sound together. */
static void
append_tracks (GString * text, const ReportSummary * summary)
{
  for (guint i = 0; i < summary->notices->len; i++) {
    const ReportNotice *notice = summary->notices->pdata[i];

    if (notice->kind != REPORT_NOTICE_PROGRAMME || notice->stream >= 0)
      continue;
    g_string_append_printf (text, "  %-13s ", "note:");
    report_append_clean (text, notice->text);
    g_string_append_c (text, '\n');
  }
}

/* ---- Policies ----------------------------------------------------------------------------------- */

/* A rule that is not kept: what it says, and below it where and when it is broken. */
static void
append_broken_rule (GString * text, const ReportRuleResult * rule)
{
  guint n_listed = 0;

  g_string_append_printf (text, "    %-8s",
      report_verdict_names[rule->verdict]);
  report_append_clean (text, rule->id);
  g_string_append (text, ": ");
  report_append_clean (text, rule->text);
  g_string_append_c (text, '\n');
  for (guint i = 0; i < rule->findings->len; i++) {
    const ReportFinding *finding = rule->findings->pdata[i];
    g_autofree gchar *how = NULL;
    gsize line = LINE_WIDTH;
    guint n;

    if (finding->verdict < HISTO_RULE_WARNED)
      continue;
    if (n_listed++ >= MOST_LISTED)
      continue;
    how = report_finding_tell (finding, rule);
    g_string_append_printf (text, "%*s", LABEL_WIDTH - 7, "");
    report_append_clean (text, how);
    n = MIN (finding->breaches->len, MOST_LISTED);
    for (guint k = 0; k < n; k++) {
      const ReportBreach *breach = finding->breaches->pdata[k];

      /* It says the same as the line above. */
      if (!GST_CLOCK_TIME_IS_VALID (breach->start) && breach->input == NULL) {
        n = finding->n_breaches;
        break;
      }
      append_item (text, report_clean_text (report_breach_describe (breach,
                  rule)), &line);
    }
    end_items (text, finding->n_breaches - n, &line);
  }
  if (n_listed > MOST_LISTED)
    g_string_append_printf (text, "%*sand %u more places; " LISTS_ALL "\n",
        LABEL_WIDTH - 7, "", n_listed - MOST_LISTED);
}

/* The rules with a verdict that needs no words, on a line. */
static void
append_rule_names (GString * text, const ReportPolicyResult * policy,
    HistoRuleVerdict verdict)
{
  gsize line = LABEL_WIDTH - 7;
  guint n = 0;

  for (guint i = 0; i < policy->rules->len; i++) {
    const ReportRuleResult *rule = policy->rules->pdata[i];

    if (rule->verdict != verdict)
      continue;
    if (n++ == 0)
      g_string_append_printf (text, "    %-8s", report_verdict_names[verdict]);
    append_item (text, report_clean_text (rule->why != NULL ?
            g_strdup_printf ("%s (%s)", rule->id, rule->why) :
            g_strdup (rule->id)), &line);
  }
  if (n > 0)
    end_items (text, 0, &line);
}

/* Why the first rule was skipped; others may have been for other reasons. */
static void
append_why (GString * text, const ReportPolicyResult * policy)
{
  const ReportRuleResult *first = NULL;
  gboolean is_only = TRUE;

  for (guint i = 0; i < policy->rules->len; i++) {
    const ReportRuleResult *rule = policy->rules->pdata[i];

    if (rule->verdict != HISTO_RULE_SKIPPED)
      continue;
    if (first == NULL)
      first = rule;
    is_only = is_only && g_strcmp0 (rule->why, first->why) == 0;
  }
  if (first == NULL || first->why == NULL)
    return;
  g_string_append (text, ": ");
  report_append_clean (text, first->why);
  g_string_append (text, is_only ? "" : " …");
}

/* The verdict of an input by a policy, then those of its rules, the worst ones first. */
static void
append_policy (GString * text, const ReportSummary * summary,
    const ReportPolicyResult * policy)
{
  static const gchar *const words[REPORT_N_VERDICTS] = {
    "skipped", "passed", "warned", "failed"
  };
  const gchar *separator = ": ";
  guint n_rules[REPORT_N_VERDICTS] = { 0 };

  for (guint i = 0; i < policy->rules->len; i++)
    n_rules[((const ReportRuleResult *) policy->rules->pdata[i])->verdict]++;
  g_string_append_printf (text, "  %-8s", report_verdict_names[policy->verdict]);
  report_append_clean (text, policy->name);
  for (guint v = REPORT_N_VERDICTS; v-- > 0;) {
    if (n_rules[v] == 0)
      continue;
    g_string_append_printf (text, "%s%u %s", separator, n_rules[v], words[v]);
    separator = ", ";
  }
  append_why (text, policy);
  if (summary->n_inputs != 1)
    for (guint v = REPORT_N_VERDICTS; v-- > 0;)
      if (policy->inputs[v] > 0)
        g_string_append_printf (text, "; %" G_GUINT64_FORMAT " input%s %s",
            policy->inputs[v], report_plural (policy->inputs[v]), words[v]);
  if (!summary->is_complete)
    g_string_append (text, "; of what was measured");
  g_string_append_c (text, '\n');
  for (guint v = REPORT_N_VERDICTS; v-- > HISTO_RULE_WARNED;) {
    for (guint i = 0; i < policy->rules->len; i++) {
      const ReportRuleResult *rule = policy->rules->pdata[i];

      if (rule->verdict == v)
        append_broken_rule (text, rule);
    }
  }
  append_rule_names (text, policy, HISTO_RULE_PASSED);
  append_rule_names (text, policy, HISTO_RULE_SKIPPED);
}

static void
append_summary (GString * text, const TextWriter * writer, const ReportSummary * summary)
{
  g_autofree gchar *rest = report_verdict_line_rest (summary);

  g_string_append_printf (text, "%s\n", summary->verdict_line);
  report_append_clean (text, summary->name);
  if (summary->n_inputs != 1)
    g_string_append_printf (text, ": %" G_GUINT64_FORMAT " inputs",
        summary->n_inputs);
  if (GST_CLOCK_TIME_IS_VALID (summary->duration)) {
    g_string_append (text, ": ");
    report_append_time (text, summary->duration);
  }
  /* A merged summary may have no time. */
  if (isfinite (summary->seconds) && summary->streams->len > 0) {
    g_string_append (text, ", measured in ");
    report_append_seconds (text, summary->seconds);
  }
  g_string_append_c (text, '\n');
  /* What the verdicts are worth comes before them. */
  if (!summary->is_complete)
    append_problems (text, summary);
  /* Without streams nothing was checked. */
  for (guint i = 0; summary->streams->len > 0 && i < summary->policies->len; i++)
    append_policy (text, summary, summary->policies->pdata[i]);
  if (summary->is_complete)
    append_problems (text, summary);
  if (rest != NULL)
    g_string_append_printf (text, "  %s\n", rest);
  append_tracks (text, summary);
  for (guint i = 0; i < summary->streams->len; i++)
    append_stream (text, writer, summary, summary->streams->pdata[i]);
  g_string_append_c (text, '\n');
}

/* ---- The writer --------------------------------------------------------------------------------- */

static gboolean
end (ReportWriter * writer, const ReportSummary * summary, GError ** error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  append_summary (text, (const TextWriter *) writer, summary);
  return report_writer_write (writer, text->str, text->len, error);
}

/* The name comes last: it may have any length. */
static gboolean
end_briefly (ReportWriter * writer, const ReportSummary * summary, GError ** error)
{
  g_autofree gchar *line = report_verdict_line_make (summary, 1);
  g_autoptr (GString) text = g_string_new (line);

  g_string_append (text, "  ");
  report_append_clean (text, summary->name);
  g_string_append_c (text, '\n');
  return report_writer_write (writer, text->str, text->len, error);
}

/* Returns: (transfer full): writes the verdict line, and the name of the input, as text in UTF-8 to @to */
ReportWriter *
report_brief_writer_new (GOutputStream * to)
{
  ReportWriter *writer = report_writer_new (sizeof *writer, to);

  writer->end = end_briefly;
  writer->tells_unreadable = TRUE;
  return writer;
}

/* Returns: (transfer full): writes the summary as text in UTF-8 to @to: what was found */
ReportWriter *
report_text_writer_new (GOutputStream * to)
{
  TextWriter *writer = report_writer_new (sizeof *writer, to);

  writer->parent.end = end;
  writer->parent.tells_unreadable = TRUE;
  return &writer->parent;
}

/* Returns: (transfer full): the same, with what was looked for in vain, and more figures */
ReportWriter *
report_full_writer_new (GOutputStream * to)
{
  ReportWriter *writer = report_text_writer_new (to);

  ((TextWriter *) writer)->is_full = TRUE;
  return writer;
}
