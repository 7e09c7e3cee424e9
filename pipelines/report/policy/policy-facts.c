/* What rules may ask of a stream beside its frames; see policy-facts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "policy/policy-facts.h"

#include <math.h>
#include <string.h>

#include "summary/answers.h"
#include "cudahisto/depth.h"
#include "base/describe.h"

/* ---- Facts -------------------------------------------------------------------------------------- */

/* Returns: the name of a part of the colorimetry, as caps have it. That nothing is known is a value, too: a stream of
 * which PQ is expected does not pass without a word. */
static const gchar *
nick_of (GType type, gint value)
{
  GEnumClass *klass = g_type_class_ref (type);
  const GEnumValue *found = g_enum_get_value (klass, value);
  const gchar *nick = found != NULL ? found->value_nick : "unknown";

  /* The names of static types stay. */
  g_type_class_unref (klass);
  return nick;
}

static const gchar *
range_name (GstVideoColorRange range)
{
  switch (range) {
    case GST_VIDEO_COLOR_RANGE_16_235:
      return "limited";
    case GST_VIDEO_COLOR_RANGE_0_255:
      return "full";
    case GST_VIDEO_COLOR_RANGE_UNKNOWN:
      break;
  }
  return "unknown";
}

static gdouble
number_or_nan (gdouble number)
{
  return number > 0 ? number : NAN;
}

/* Of what a stream says of its light; nothing, if it says one thing and then another one. */
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

/* Told of the first stream only. */
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
      value->word = nick_of (GST_TYPE_VIDEO_COLOR_MATRIX, colorimetry.matrix);
      break;
    case HISTO_FACT_TRANSFER:
      value->word = nick_of (GST_TYPE_VIDEO_TRANSFER_FUNCTION,
          colorimetry.transfer);
      break;
    case HISTO_FACT_PRIMARIES:
      value->word = nick_of (GST_TYPE_VIDEO_COLOR_PRIMARIES,
          colorimetry.primaries);
      break;
    case HISTO_FACT_RANGE:
      value->word = range_name (colorimetry.range);
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
      break;
  }
}

/* ---- Figures of all samples --------------------------------------------------------------------- */

static gint
find_info (const HistoFigureInfo * infos, guint n, const gchar * name)
{
  for (guint i = 0; i < n; i++) {
    if (g_str_equal (infos[i].name, name))
      return i;
  }
  return -1;
}

/* Returns: the figure of a component by its name; NaN: there is none */
static gdouble
find_figure (const HistoFigures * figures, const gchar * name)
{
  const gint i = find_info (histo_figures, HISTO_N_FIGURES, name);

  return i >= 0 ? histo_figure_get (&histo_figures[i], figures) : NAN;
}

/* A component, behind the name of its group unless that is basic: "Y.mean", "signal.saturation.max". */
static gdouble
find_component (const ReportRegion * region, const gchar * const *path)
{
  const guint n = g_strv_length ((gchar **) path);

  if (region == NULL || n < 2 || n > 3)
    return NAN;
  for (guint i = 0; i < region->components->len; i++) {
    const ReportComponent *component = region->components->pdata[i];

    if (g_str_equal (component->name, path[n - 2])
        && (n == 2 ? component->group == HISTO_GROUP_BASIC :
            g_str_equal (histo_groups[component->group].name, path[0])))
      return find_figure (&component->figures, path[n - 1]);
  }
  return NAN;
}

static gdouble
find_region (const ReportStreamSummary * stream, const gchar * const *path)
{
  const ReportRegion *region =
      report_stream_summary_find_region (stream, path[0]);

  return region != NULL ? find_component (region, &path[1]) : NAN;
}

/* Returns: rms and peak of all samples of a channel in dB, as of full scale; NaN: it is another figure */
static gdouble
find_level (const HistoFigures * figures, const gchar * name)
{
  if (g_str_equal (name, histo_level_figures[HISTO_LEVEL_FIGURE_rms].name))
    return 10 * log10 (report_figures_power (figures));
  if (g_str_equal (name, histo_level_figures[HISTO_LEVEL_FIGURE_peak].name))
    return 20 * log10 (report_figures_peak (figures));
  if (g_str_equal (name,
          histo_level_figures[HISTO_LEVEL_FIGURE_dc_offset].name))
    return report_figures_share (figures, figures->mean);
  return NAN;
}

/* @figure: of the group `level`, the figure of a component, or one of the group `loudness` */
static gdouble
find_channel (const ReportStreamSummary * stream, const gchar * name,
    const gchar * figure)
{
  const ReportRegion *all = report_first_region (stream->regions);
  const gint array = find_info (histo_loudness_arrays,
      HISTO_N_LOUDNESS_ARRAYS, figure);
  const gint level = find_info (histo_level_figures, HISTO_N_LEVEL_FIGURES,
      figure);

  for (guint c = 0; all != NULL && c < all->components->len; c++) {
    const ReportComponent *component = all->components->pdata[c];
    gdouble number;

    if (!g_str_equal (component->name, name))
      continue;
    if (array >= 0)
      return c < stream->n_channels ? stream->channels[c].arrays[array] : NAN;
    if (level < 0)
      return find_figure (&component->figures, figure);
    number = find_level (&component->figures, figure);
    if (isnan (number) && c < stream->n_channels
        && stream->channels[c].levels[level].n > 0)
      number = histo_range_mean (&stream->channels[c].levels[level]);
    return number;
  }
  return NAN;
}

/* @name: "ch0+ch1" */
static gdouble
find_pair (const ReportStreamSummary * stream, const gchar * name,
    const gchar * figure)
{
  const gint i = find_info (histo_pair_figures, HISTO_N_PAIR_FIGURES, figure);

  for (guint p = 0; i >= 0 && p < stream->pairs->len; p++) {
    const ReportPair *pair = stream->pairs->pdata[p];
    gchar *own = g_strconcat (pair->first, "+", pair->second, NULL);
    const gboolean is_it = g_str_equal (own, name);
    HistoPairFigures figures;

    g_free (own);
    if (!is_it)
      continue;
    /* Those that need a time are of windows. */
    if (i == HISTO_PAIR_FIGURE_inverted || i == HISTO_PAIR_FIGURE_dual_mono)
      return pair->figures[i].n > 0 ?
          histo_range_mean (&pair->figures[i]) : NAN;
    report_pair_get_whole (pair, &figures);
    return histo_figure_get (&histo_pair_figures[i], &figures);
  }
  return NAN;
}

/* Of a stream that changes, it is not what its last window has. */
static gdouble
find_loudness (const ReportStreamSummary * stream, const gchar * figure)
{
  const gint i = find_info (histo_loudness_figures, HISTO_N_LOUDNESS_FIGURES,
      figure);

  if (i < 0 || stream->loudness[i].n == 0)
    return NAN;
  return i == HISTO_LOUDNESS_FIGURE_integrated
      || i == HISTO_LOUDNESS_FIGURE_range ? stream->loudness[i].last : NAN;
}

static gdouble
find_whole (const ReportStreamSummary * stream, const gchar * const *path)
{
  const guint n = g_strv_length ((gchar **) path);

  if (n == 3 && g_str_equal (path[0], "pairs"))
    return find_pair (stream, path[1], path[2]);
  if (n > 3 && g_str_equal (path[0], "regions"))
    return find_region (stream, &path[1]);
  if (!stream->stream->is_audio)
    return find_component (report_first_region (stream->regions), path);
  if (n == 2 && g_str_equal (path[0], "loudness"))
    return find_loudness (stream, path[1]);
  if (n == 3 && g_str_equal (path[0], "loudness"))
    return find_channel (stream, path[2], path[1]);
  return n == 2 ? find_channel (stream, path[0], path[1]) : NAN;
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
  gchar **parts;

  value->number = NAN;
  value->word = NULL;
  if (space == HISTO_RULE_OF_FACTS) {
    for (guint i = 0; i < HISTO_N_FACTS; i++) {
      if (g_str_equal (histo_facts[i].name, path))
        find_fact (i, facts, value);
    }
  } else if (facts->is_finished) {
    parts = g_strsplit (path, ".", -1);
    value->number = find_whole (facts->stream,
        (const gchar * const *) parts);
    g_strfreev (parts);
  }
  return value->word != NULL || !isnan (value->number);
}
