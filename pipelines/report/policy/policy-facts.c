/* What rules may ask of a stream beside its frames; see policy-facts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "policy/policy-facts.h"

#include <math.h>
#include <string.h>

#include "summary/answers.h"
#include "cudahisto/rule-figures.h"

/* ---- Facts -------------------------------------------------------------------------------------- */

static gdouble
number_or_nan (gdouble number)
{
  return number > 0 ? number : NAN;
}

static gdouble
seconds (guint64 time)
{
  return GST_CLOCK_TIME_IS_VALID (time) ? (gdouble) time / GST_SECOND : NAN;
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

/* Who says the fact. What is counted, or measured, nobody says. */
static void
find_source (HistoFact which, const ReportFacts * facts, HistoRuleValue * value)
{
  const ReportFact *fact = report_facts_find (facts->stream->facts, which);

  if (fact != NULL)
    value->word = fact->source;
}

/* Sets the value of a fact that is counted, or measured; one that is unknown, or of the other medium, has none. */
static void
count_fact (HistoFact fact, const ReportFacts * facts, HistoRuleValue * value)
{
  const ReportStreamSummary *summary = facts->stream;
  const gboolean is_audio = summary->stream->is_audio;

  switch (fact) {
    case HISTO_FACT_MEAN_FRAME_RATE:
      value->number = number_or_nan (summary->mean_frame_rate);
      break;
    case HISTO_FACT_BIT_RATE:
    case HISTO_FACT_AUDIO_BIT_RATE:
      if (is_audio == (fact == HISTO_FACT_AUDIO_BIT_RATE))
        value->number = number_or_nan (summary->bit_rate);
      break;
    case HISTO_FACT_MEASURED_FIELD_ORDER:
      value->word = is_audio ? NULL : report_answers_field_order (summary);
      break;
    case HISTO_FACT_DURATION:
      value->number = seconds (report_stream_summary_length (summary));
      break;
    case HISTO_FACT_DELAY:
      value->number = seconds (report_summary_delay (facts->summary, summary, NULL));
      break;
    case HISTO_FACT_EARLY_END:
      value->number = seconds (report_summary_early_end (facts->summary, summary, NULL));
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
    default:
      /* Somebody says it: facts/facts.c has it. */
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
    case HISTO_IN_COMPARED:
    case HISTO_IN_COMPARED_COMPONENT:
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
    for (guint i = 0; facts->stream->compared != NULL && i < HISTO_N_COMPARED; i++) {
      if (g_str_equal (histo_facts[HISTO_FIRST_COMPARED + i].name, path))
        value->number = facts->stream->compared[i];
    }
    for (guint i = 0; i < HISTO_N_FACTS; i++) {
      if (g_str_equal (histo_facts[i].name, path)
          && !report_facts_ask (facts->stream->facts, facts->stream->stream, i, &value->number, &value->word))
        count_fact (i, facts, value);
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
