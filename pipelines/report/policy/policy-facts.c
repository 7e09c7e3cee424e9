/* What rules may ask of a stream beside its frames; see policy-facts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "policy/policy-facts.h"

#include <math.h>
#include <string.h>

#include "summary/answers.h"
#include "cudahisto/depth.h"
#include "cudahisto/rule-figures.h"
#include "base/describe.h"

/* ---- Facts -------------------------------------------------------------------------------------- */

static gdouble
number_or_nan (gdouble number)
{
  return number > 0 ? number : NAN;
}

/* Finds what a stream says of its light: nothing if it says one thing and then another one. */
static gdouble
find_light (const ReportStream * stream, gdouble number)
{
  return stream->carried.changes > 0 ? NAN : number_or_nan (number);
}

static gdouble
seconds (guint64 time)
{
  return GST_CLOCK_TIME_IS_VALID (time) ? (gdouble) time / GST_SECOND : NAN;
}

static gdouble
find_depth (const ReportStream * stream)
{
  GstAudioFormat audio;
  guint depth;

  if (stream->format == NULL)
    return NAN;
  if (stream->is_audio) {
    audio = gst_audio_format_from_string (stream->format);
    return audio == GST_AUDIO_FORMAT_UNKNOWN ? NAN :
        GST_AUDIO_FORMAT_INFO_DEPTH (gst_audio_format_get_info (audio));
  }
  depth = histo_format_depth (stream->format, 0);
  return depth > 0 ? depth : NAN;
}

/* Where frames have no times, nobody knows. */
static gdouble
count_time_faults (const ReportStreamSummary * summary, ReportTimeFault fault)
{
  if (summary->timestamps.n_buffers == 0 || summary->timestamps.n_untimed > 0)
    return NAN;
  return summary->timestamps.n[fault];
}

/* Only the first stream has these. */
static gdouble
count_streams (const ReportFacts * facts, gboolean is_audio)
{
  const GPtrArray *streams = facts->summary->streams;
  guint n = 0;

  if (facts->stream != streams->pdata[0])
    return NAN;
  for (guint i = 0; i < streams->len; i++) {
    const ReportStreamSummary *stream = streams->pdata[i];

    n += stream->stream->is_audio == is_audio ? 1 : 0;
  }
  return n;
}

/* Whether the other medium has the fact: there it would have another meaning. */
static gboolean
is_of_other (HistoFact fact, gboolean is_audio)
{
  switch (fact) {
    case HISTO_FACT_FORMAT:
    case HISTO_FACT_DEPTH:
    case HISTO_FACT_CODEC:
    case HISTO_FACT_BIT_RATE:
    case HISTO_FACT_MATRIX:
    case HISTO_FACT_TRANSFER:
    case HISTO_FACT_PRIMARIES:
    case HISTO_FACT_RANGE:
      return is_audio;
    case HISTO_FACT_SAMPLE_FORMAT:
    case HISTO_FACT_SAMPLE_DEPTH:
    case HISTO_FACT_AUDIO_CODEC:
    case HISTO_FACT_AUDIO_BIT_RATE:
      return !is_audio;
    default:
      return FALSE;
  }
}

/* Returns: (nullable): what the stream says of itself */
static const ReportFact *
fact_of (const ReportStreamSummary * stream, HistoFact fact)
{
  return report_facts_find (stream->facts, histo_facts[fact].name);
}

/* Who says the fact. What is counted, or measured, nobody says. */
static void
find_source (HistoFact fact, const ReportFacts * facts, HistoRuleValue * value)
{
  if (fact_of (facts->stream, fact) != NULL)
    value->word = fact_of (facts->stream, fact)->source;
}

/* Sets the value of a fact of this medium; one of the other medium, or one that is unknown, has none. */
static void
find_fact (HistoFact fact, const ReportFacts * facts, HistoRuleValue * value)
{
  const ReportStreamSummary *summary = facts->stream;
  const ReportStream *stream = summary->stream;
  const ReportStreamSummary *other;
  const gboolean is_video = !stream->is_audio;
  GstVideoColorimetry colorimetry = { 0 };

  if (is_of_other (fact, stream->is_audio))
    return;
  if (is_video)
    report_stream_get_colorimetry (stream, &colorimetry);
  switch (fact) {
    case HISTO_FACT_WIDTH:
      value->number = number_or_nan (stream->width);
      break;
    case HISTO_FACT_HEIGHT:
      value->number = number_or_nan (stream->height);
      break;
    case HISTO_FACT_PIXEL_ASPECT:
      if (stream->par_d > 0)
        value->number = (gdouble) stream->par_n / stream->par_d;
      break;
    case HISTO_FACT_FRAME_RATE:
      value->number = number_or_nan (stream->frame_rate);
      break;
    case HISTO_FACT_MEAN_FRAME_RATE:
      value->number = number_or_nan (summary->mean_frame_rate);
      break;
    case HISTO_FACT_FORMAT:
    case HISTO_FACT_SAMPLE_FORMAT:
      value->word = stream->format;
      break;
    case HISTO_FACT_DEPTH:
    case HISTO_FACT_SAMPLE_DEPTH:
      value->number = find_depth (stream);
      break;
    case HISTO_FACT_CODEC:
    case HISTO_FACT_AUDIO_CODEC:
      value->word = stream->codec;
      break;
    case HISTO_FACT_BIT_RATE:
    case HISTO_FACT_AUDIO_BIT_RATE:
      value->number = number_or_nan (summary->bit_rate);
      break;
    case HISTO_FACT_FIELD_ORDER:
      value->word = summary->field_order;
      break;
    case HISTO_FACT_MEASURED_FIELD_ORDER:
      value->word = is_video ? report_answers_field_order (summary) : NULL;
      break;
    case HISTO_FACT_MATRIX:
      value->word = report_nick_of (GST_TYPE_VIDEO_COLOR_MATRIX, colorimetry.matrix);
      break;
    case HISTO_FACT_TRANSFER:
      value->word = report_nick_of (GST_TYPE_VIDEO_TRANSFER_FUNCTION,
          colorimetry.transfer);
      break;
    case HISTO_FACT_PRIMARIES:
      value->word = report_nick_of (GST_TYPE_VIDEO_COLOR_PRIMARIES,
          colorimetry.primaries);
      break;
    case HISTO_FACT_RANGE:
      value->word = report_name_range (colorimetry.range);
      break;
    case HISTO_FACT_MAX_CLL:
      value->number = find_light (stream, (gdouble) stream->carried.max_cll);
      break;
    case HISTO_FACT_MAX_FALL:
      value->number = find_light (stream, (gdouble) stream->carried.max_fall);
      break;
    case HISTO_FACT_MASTERING_MAX:
      value->number = find_light (stream, stream->carried.mastering_max);
      break;
    case HISTO_FACT_MASTERING_MIN:
      value->number = find_light (stream, stream->carried.mastering_min);
      break;
    case HISTO_FACT_TIMECODE:
      value->word = summary->timecode;
      break;
    case HISTO_FACT_CHANNELS:
      value->number = number_or_nan (stream->channels);
      break;
    case HISTO_FACT_RATE:
      value->number = number_or_nan (stream->rate);
      break;
    case HISTO_FACT_ROTATION:
      if (fact_of (summary, fact) != NULL)
        value->number = g_ascii_strtod (fact_of (summary, fact)->value, NULL);
      break;
    case HISTO_FACT_POSITIONS:
    case HISTO_FACT_LANGUAGE:
    case HISTO_FACT_TITLE:
      if (fact_of (summary, fact) != NULL)
        value->word = fact_of (summary, fact)->value;
      break;
    case HISTO_FACT_DURATION:
      value->number = seconds (report_stream_summary_length (summary));
      break;
    case HISTO_FACT_DELAY:
      value->number = seconds (report_summary_delay (facts->summary, summary,
              &other));
      break;
    case HISTO_FACT_EARLY_END:
      value->number = seconds (report_summary_early_end (facts->summary,
              summary, &other));
      break;
    case HISTO_FACT_CHANGES:
      value->number = summary->parts->len > 0 ? summary->parts->len - 1 : NAN;
      break;
    case HISTO_FACT_GAPS:
      value->number = count_time_faults (summary, REPORT_GAP);
      break;
    case HISTO_FACT_OVERLAPS:
      value->number = count_time_faults (summary, REPORT_OVERLAP);
      break;
    case HISTO_FACT_JUMPS_BACK:
      value->number = count_time_faults (summary, REPORT_JUMP_BACK);
      break;
    case HISTO_FACT_VIDEO_STREAMS:
      value->number = count_streams (facts, FALSE);
      break;
    case HISTO_FACT_AUDIO_STREAMS:
      value->number = count_streams (facts, TRUE);
      break;
    case HISTO_FACT_CONTAINER:
      value->word = stream->container;
      break;
    case HISTO_N_FACTS:
    case HISTO_N_FACT_PATHS:
      break;
  }
}

/* ---- Figures of all samples --------------------------------------------------------------------- */

/* Returns: rms, peak and offset of all samples of a channel, as of full scale; NaN: it is another figure */
static gdouble
find_level (const HistoFigures * figures, gint level)
{
  switch (level) {
    case HISTO_LEVEL_FIGURE_rms:
      return 10 * log10 (report_figures_power (figures));
    case HISTO_LEVEL_FIGURE_peak:
      return 20 * log10 (report_figures_peak (figures));
    case HISTO_LEVEL_FIGURE_dc_offset:
      return report_figures_share (figures, figures->mean);
  }
  return NAN;
}

/* @row: of the group `level`, or of the arrays of `loudness` */
static gdouble
find_channel (const ReportStreamSummary * stream, const HistoFigureRow * row,
    const gchar * name)
{
  const ReportRegion *all = report_first_region (stream->regions);

  for (guint c = 0; all != NULL && c < all->components->len; c++) {
    const ReportComponent *component = all->components->pdata[c];
    const ReportChannel *channel = c < stream->channels->len ? stream->channels->pdata[c] : NULL;
    const gint level = row->info - histo_level_figures;
    gdouble number;

    if (!g_str_equal (component->name, name))
      continue;
    if (row->in == HISTO_IN_ARRAY)
      return channel != NULL ? channel->arrays[row->info - histo_loudness_arrays] : NAN;
    number = find_level (&component->figures, level);
    if (isnan (number) && channel != NULL && channel->levels[level].n > 0)
      number = histo_range_mean (&channel->levels[level]);
    return number;
  }
  return NAN;
}

/* @name: "ch0+ch1" */
static gdouble
find_pair (const ReportStreamSummary * stream, const HistoFigureRow * row,
    const gchar * name)
{
  const gint i = row->info - histo_pair_figures;

  for (guint p = 0; p < stream->pairs->len; p++) {
    const ReportPair *pair = stream->pairs->pdata[p];
    g_autofree gchar *own = g_strconcat (pair->first, "+", pair->second, NULL);
    const gboolean is_it = g_str_equal (own, name);
    HistoPairFigures figures;

    if (!is_it)
      continue;
    /* Those that need a time are of windows. */
    if (i == HISTO_PAIR_FIGURE_inverted || i == HISTO_PAIR_FIGURE_dual_mono)
      return pair->figures[i].n > 0 ?
          histo_range_mean (&pair->figures[i]) : NAN;
    report_pair_get_whole (pair, &figures);
    return histo_figure_get (row->info, &figures);
  }
  return NAN;
}

static gdouble
find_whole (const ReportStreamSummary * stream, const HistoRuleFigure * figure)
{
  const HistoFigureRow *row = figure->row;
  const ReportComponent *component;
  const ReportRegion *region;
  guint i;

  if (row->is_audio != stream->stream->is_audio)
    return NAN;
  switch (row->in) {
    case HISTO_IN_COMPONENT:
      region = figure->region != NULL ? report_stream_summary_find_region (stream, figure->region) :
          report_first_region (stream->regions);
      component = region != NULL ?
          report_region_find (region, row->group, row->is_audio ? figure->item : row->component) : NULL;
      return component != NULL ? histo_figure_get (row->info, &component->figures) : NAN;
    case HISTO_IN_LEVEL:
    case HISTO_IN_ARRAY:
      return find_channel (stream, row, figure->item);
    case HISTO_IN_PAIR:
      return find_pair (stream, row, figure->item);
    case HISTO_IN_LOUDNESS:
      /* In a stream that changes, the others are not what its last window has. */
      i = row->info - histo_loudness_figures;
      return stream->loudness[i].n > 0 && (i == HISTO_LOUDNESS_FIGURE_integrated || i == HISTO_LOUDNESS_FIGURE_range) ?
          stream->loudness[i].last : NAN;
    case HISTO_IN_FACTS:
    case HISTO_IN_GROUP:
    case HISTO_IN_BITS_USED:
    case HISTO_IN_ZONE:
      break;
  }
  return NAN;
}

/**
 * report_facts_lookup:
 * @data: a ReportFacts
 *
 * A HistoRuleLookup.
 */
gboolean
report_facts_lookup (HistoRuleSpace space, const gchar * path,
    HistoRuleValue * value, gpointer data)
{
  const ReportFacts *facts = data;
  gsize place;

  value->number = NAN;
  value->word = NULL;
  if (space == HISTO_RULE_OF_FACTS) {
    for (guint i = 0; i < HISTO_N_FACTS; i++) {
      if (g_str_equal (histo_facts[i].name, path))
        find_fact (i, facts, value);
      else if (g_str_equal (histo_facts[HISTO_N_FACTS + i].name, path))
        find_source (i, facts, value);
    }
  } else if (facts->is_finished) {
    /* One with an ending, as in "Y.mean.max", is none of a frame. */
    g_autoptr (HistoRuleFigure) figure =
        histo_rule_figure_parse (path, strlen (path), HISTO_RULES_OF_ELEMENT, &place, NULL);

    if (figure != NULL)
      value->number = find_whole (facts->stream, figure);
  }
  return value->word != NULL || !isnan (value->number);
}
