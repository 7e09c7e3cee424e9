/* One region of a stream of video, or one stream of audio; see html-view.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/html-view.h"

#include "summary/json.h"

#include "base/describe.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

/* All views of video together keep so many columns of figures and cells of histograms, and so do all
 * of audio. One hour at 60 frames a second has 216,000 frames. One hour at 25 frames a second has
 * 90,000, of which each has its own histogram of 128 bins. */
#define MOST_COLUMNS 262144
#define MOST_CELLS 12000000
/* But each view has at least these. */
#define LEAST_COLUMNS 4096
#define LEAST_CELLS 65536

/* The histograms of all views together are at most so large, in bytes of the page. Those of films are
 * smaller by far; those of noise are made coarser until they fit. */
#define MOST_HEAT_TEXT 5000000

/* Channels of audio that have their own curves. If there are more, the loudest one is shown. */
#define MOST_CHANNELS 8

/* Decibels below this are shown as this. */
#define LEAST_DB -120

#define MOST_SERIES (48 + 3 * MOST_CHANNELS)

/* ---- The series -------------------------------------------------------------------------- */

/* In what the value of a row is. */
typedef enum
{
  IN_LUMA, IN_SATURATION, IN_U, IN_V, IN_R, IN_G, IN_B, /* HistoFigures */
  IN_FIGURES,                   /* HistoGroupFigures */
  IN_ZONES,                     /* the zone that has most transitions, of luminance or red */
  N_SOURCES
} Source;

/* Missing groups have NaN figures. A series without any value is left out. Labels are shown to people. */
typedef struct
{
  const gchar *chart, *key, *label, *unit;
  guint digits;
  ReportKeep keep;
  gdouble factor;
  gsize offset;                 /* of a gdouble in the source */
  Source source;
} Row;

#define LUMA(field) 1, G_STRUCT_OFFSET (HistoFigures, field), IN_LUMA
#define SATURATION(field) 1, G_STRUCT_OFFSET (HistoFigures, field), IN_SATURATION
#define COMPONENT(name, field) 1, G_STRUCT_OFFSET (HistoFigures, field), IN_##name
#define FIGURE(field) 1, G_STRUCT_OFFSET (HistoGroupFigures, field), IN_FIGURES
#define PERCENT(field) 100, G_STRUCT_OFFSET (HistoGroupFigures, field), IN_FIGURES

static const Row video_rows[] = {
  {"luma", "max", "Maximum", "", 0, REPORT_KEEP_GREATEST, LUMA (max)},
  {"luma", "p99", "99 %", "", 0, REPORT_KEEP_GREATEST, LUMA (percentiles[HISTO_P99])},
  {"luma", "p90", "90 %", "", 0, REPORT_KEEP_MEAN, LUMA (percentiles[HISTO_P90])},
  {"luma", "p50", "Median", "", 0, REPORT_KEEP_MEAN, LUMA (percentiles[HISTO_P50])},
  {"luma", "mean", "Mean", "", 2, REPORT_KEEP_MEAN, LUMA (mean)},
  {"luma", "p10", "10 %", "", 0, REPORT_KEEP_MEAN, LUMA (percentiles[HISTO_P10])},
  {"luma", "p1", "1 %", "", 0, REPORT_KEEP_LEAST, LUMA (percentiles[HISTO_P1])},
  {"luma", "min", "Minimum", "", 0, REPORT_KEEP_LEAST, LUMA (min)},
  {"saturation", "sat-max", "Maximum", "", 0, REPORT_KEEP_GREATEST, SATURATION (max)},
  {"saturation", "sat-p90", "90 %", "", 0, REPORT_KEEP_MEAN, SATURATION (percentiles[HISTO_P90])},
  {"saturation", "sat-mean", "Mean", "", 2, REPORT_KEEP_MEAN, SATURATION (mean)},
  {"chroma", "u-max", "U maximum", "", 0, REPORT_KEEP_GREATEST, COMPONENT (U, max)},
  {"chroma", "u-mean", "U mean", "", 2, REPORT_KEEP_MEAN, COMPONENT (U, mean)},
  {"chroma", "u-min", "U minimum", "", 0, REPORT_KEEP_LEAST, COMPONENT (U, min)},
  {"chroma", "v-max", "V maximum", "", 0, REPORT_KEEP_GREATEST, COMPONENT (V, max)},
  {"chroma", "v-mean", "V mean", "", 2, REPORT_KEEP_MEAN, COMPONENT (V, mean)},
  {"chroma", "v-min", "V minimum", "", 0, REPORT_KEEP_LEAST, COMPONENT (V, min)},
  {"rgb", "r-max", "R maximum", "", 0, REPORT_KEEP_GREATEST, COMPONENT (R, max)},
  {"rgb", "r-mean", "R mean", "", 2, REPORT_KEEP_MEAN, COMPONENT (R, mean)},
  {"rgb", "r-min", "R minimum", "", 0, REPORT_KEEP_LEAST, COMPONENT (R, min)},
  {"rgb", "g-max", "G maximum", "", 0, REPORT_KEEP_GREATEST, COMPONENT (G, max)},
  {"rgb", "g-mean", "G mean", "", 2, REPORT_KEEP_MEAN, COMPONENT (G, mean)},
  {"rgb", "g-min", "G minimum", "", 0, REPORT_KEEP_LEAST, COMPONENT (G, min)},
  {"rgb", "b-max", "B maximum", "", 0, REPORT_KEEP_GREATEST, COMPONENT (B, max)},
  {"rgb", "b-mean", "B mean", "", 2, REPORT_KEEP_MEAN, COMPONENT (B, mean)},
  {"rgb", "b-min", "B minimum", "", 0, REPORT_KEEP_LEAST, COMPONENT (B, min)},
  {"hue", "hue-mean", "Circular mean", "°", 1, REPORT_KEEP_GREATEST, FIGURE (SIGNAL_hue_circular_mean)},
  {"motion", "mafd", "Difference", "%", 3, REPORT_KEEP_GREATEST, FIGURE (MOTION_mafd)},
  {"motion", "scene-score", "Scene score", "%", 3, REPORT_KEEP_GREATEST, FIGURE (MOTION_scene_score)},
  {"faults", "brng", "Out of range", "%", 3, REPORT_KEEP_GREATEST, PERCENT (SIGNAL_brng)},
  {"faults", "tout", "Outliers", "%", 3, REPORT_KEEP_GREATEST, PERCENT (SIGNAL_tout)},
  {"faults", "vrep", "Repeated lines", "%", 3, REPORT_KEEP_GREATEST, PERCENT (SIGNAL_vrep)},
  {"gamut", "gamut", "Outside of R 103", "%", 3, REPORT_KEEP_GREATEST, PERCENT (GAMUT_any)},
  {"gamut", "gamut-filter", "Behind its filter", "%", 3, REPORT_KEEP_GREATEST, PERCENT (GAMUT_FILTER_any)},
  {"flash", "transitions", "Transitions of luminance", "", 0, REPORT_KEEP_GREATEST, FIGURE (FLASH_transitions)},
  {"flash", "red-transitions", "Transitions of red", "", 0, REPORT_KEEP_GREATEST, FIGURE (FLASH_red_transitions)},
  {"flash", "zone-transitions", "In a zone, at most", "", 0, REPORT_KEEP_GREATEST, 1, 0, IN_ZONES},
  {"field", "comb", "Combed", "%", 3, REPORT_KEEP_GREATEST, PERCENT (FIELD_comb)},
  {"light", "light-max", "Brightest pixel", "cd/m²", 2, REPORT_KEEP_GREATEST, FIGURE (HDR_max)},
  {"light", "light-fall", "Mean", "cd/m²", 2, REPORT_KEEP_GREATEST, FIGURE (HDR_fall)},
  {"detail", "sharpness", "Sharpness", "", 2, REPORT_KEEP_MEAN, FIGURE (DETAIL_sharpness)},
  {"detail", "si", "Spatial information", "", 2, REPORT_KEEP_MEAN, FIGURE (DETAIL_si)},
  {"detail", "ti", "Temporal information", "", 2, REPORT_KEEP_MEAN, FIGURE (DETAIL_ti)}
};

/* A series of sound, in decibels. The offset is that of a gdouble in HistoLoudnessFigures. */
typedef struct
{
  const gchar *key, *label;
  gsize offset;
} Level;

static const Level loudness_levels[] = {
  {"momentary", "Momentary", G_STRUCT_OFFSET (HistoLoudnessFigures, momentary)},
  {"short-term", "Short-term", G_STRUCT_OFFSET (HistoLoudnessFigures, short_term)},
  {"integrated", "Integrated so far", G_STRUCT_OFFSET (HistoLoudnessFigures, integrated)}
};

/* Each channel has these; the offset is in HistoLevelFigures. Behind the key and the label stand those of the channel. */
static const Level channel_levels[] = {
  {"peak-", "Peak", G_STRUCT_OFFSET (HistoLevelFigures, peak)},
  {"rms-", "RMS", G_STRUCT_OFFSET (HistoLevelFigures, rms)}
};
#define N_OF_CHANNEL G_N_ELEMENTS (channel_levels)

/* @label: of the channel */
static void
add_channel_series (ReportColumns * columns, const gchar * channel,
    const gchar * label)
{
  for (guint i = 0; i < N_OF_CHANNEL; i++) {
    g_autofree gchar *key = g_strconcat (channel_levels[i].key, channel, NULL);
    g_autofree gchar *full_label = g_strconcat (channel_levels[i].label, *label ? " " : "", label, NULL);

    report_columns_add_series (columns, "levels", key, full_label, "dB", 2, LEAST_DB, REPORT_KEEP_GREATEST);
  }
}

static void
add_audio_series (const ReportView * view, const ReportStream * stream,
    const HistoResult * result)
{
  ReportColumns *columns = view->columns;

  for (guint i = 0; i < G_N_ELEMENTS (loudness_levels); i++)
    report_columns_add_series (columns, "loudness", loudness_levels[i].key, loudness_levels[i].label, "LUFS", 2,
        LEAST_DB, REPORT_KEEP_GREATEST);
  report_columns_add_series (columns, "levels", "clipped", "Clipped samples",
      "", 0, 0, REPORT_KEEP_GREATEST);
  if (view->n_channels == 0)
    add_channel_series (columns, "loudest", "of the loudest channel");
  for (guint c = 0; c < view->n_channels; c++) {
    g_autofree gchar *key = g_strdup_printf ("ch%u", c);

    add_channel_series (columns, key, view->n_channels > 1 ?
        report_name_place (stream, key) : "");
  }
  for (guint i = 0; i < view->n_pairs; i++) {
    const gchar *first = result->components[result->pairs[i].first].name;
    const gchar *second = result->components[result->pairs[i].second].name;
    g_autofree gchar *key = g_strdup_printf ("correlation-%s-%s", first, second);
    g_autofree gchar *label = g_strdup_printf ("%s, %s", report_name_place (stream, first),
        report_name_place (stream, second));

    report_columns_add_series (columns, "correlation", key, label, "", 3, -1,
        REPORT_KEEP_LEAST);
  }
}

/* @values: (out): in the order in which the series are added. Of too many channels the loudest one counts. */
static void
get_audio_values (const ReportView * view, const HistoResult * result,
    gdouble * values)
{
  const gboolean has_loudness = histo_result_has_group (result,
      HISTO_GROUP_LOUDNESS);
  const gboolean has_levels = histo_result_has_group (result,
      HISTO_GROUP_LEVEL) && result->levels != NULL;
  gdouble *clipped = values + G_N_ELEMENTS (loudness_levels), *rows = clipped + 1;
  gdouble *pairs = rows + MAX (view->n_channels, 1) * N_OF_CHANNEL;

  for (guint i = 0; i < G_N_ELEMENTS (loudness_levels); i++)
    values[i] = has_loudness ? G_STRUCT_MEMBER (gdouble, &result->loudness, loudness_levels[i].offset) : NAN;
  *clipped = has_levels ? 0 : NAN;
  for (gdouble * row = rows; row < pairs + view->n_pairs; row++)
    *row = NAN;
  if (!has_levels)
    return;
  for (guint c = 0; c < (guint) result->channels; c++) {
    const HistoLevelFigures *level = &result->levels[c];
    gdouble *row = rows + (view->n_channels == 0 ? 0 : c * N_OF_CHANNEL);

    *clipped += level->clipped;
    if (view->n_channels > 0 && c >= view->n_channels)
      continue;
    /* fmax: of two numbers of which one is NaN, the other */
    for (guint i = 0; i < N_OF_CHANNEL; i++)
      row[i] = fmax (row[i], G_STRUCT_MEMBER (gdouble, level, channel_levels[i].offset));
  }
  for (guint i = 0; i < MIN (view->n_pairs, result->n_pairs); i++)
    pairs[i] = result->pairs[i].figures.correlation;
}

/* ---- A view -------------------------------------------------------------------------------- */

/* The component that stands for luma: Y, or luma of RGB, or the first component. */
const HistoComponentResult *
report_view_find_luma (const HistoResult * result, guint region)
{
  const HistoComponentResult *luma = histo_result_find_component (result,
      region, HISTO_GROUP_BASIC, "Y");

  if (luma == NULL)
    luma = histo_result_find_component (result, region, HISTO_GROUP_COLOR,
        "luma");
  if (luma == NULL && result->n_region_components > 0)
    luma = histo_result_region_components (result, region);
  return luma;
}

static void
prepare_heat (ReportView * view, const HistoComponentResult * luma,
    guint n_views)
{
  if (luma == NULL)
    return;
  g_free (view->luma);
  view->luma = g_strdup (luma->name);
  view->luma_group = luma->group;
  view->range_min = luma->figures.range_min;
  view->range_max = luma->figures.range_max;
  if (luma->histogram == NULL || luma->figures.bins == 0)
    return;
  view->n_counts = luma->figures.bins;
  view->counts = g_new (guint64, view->n_counts);
  view->heat = report_heat_new (view->n_counts,
      MAX (MOST_CELLS / n_views, LEAST_CELLS));
}

/**
 * report_view_new:
 * @result: the first one of the stream
 * @region: number of the region of video; 0 for audio
 * @n_views: how many views of the same kind share the room
 *
 * Returns: (transfer full): a view without results
 */
ReportView *
report_view_new (const ReportStream * stream, const HistoResult * result,
    guint region, guint n_views)
{
  ReportView *view = g_new0 (ReportView, 1);

  view->stream = stream->index;
  view->region = region;
  view->is_audio = result->is_audio;
  view->most_text = MOST_HEAT_TEXT / n_views;
  view->columns =
      report_columns_new (MAX (MOST_COLUMNS / n_views, LEAST_COLUMNS));
  if (result->is_audio) {
    if (result->channels <= MOST_CHANNELS)
      view->n_channels = result->channels;
    /* Half as many as channels at most. */
    if (view->n_channels > 0)
      view->n_pairs = result->n_pairs;
    add_audio_series (view, stream, result);
  } else {
    view->name = g_strdup (result->regions[region].region.name);
    for (guint i = 0; i < G_N_ELEMENTS (video_rows); i++) {
      const Row *row = &video_rows[i];

      report_columns_add_series (view->columns, row->chart, row->key, row->label, row->unit, row->digits, 0, row->keep);
    }
    prepare_heat (view, report_view_find_luma (result, region), n_views);
  }
  return view;
}

void
report_view_free (ReportView * view)
{
  g_free (view->name);
  g_free (view->luma);
  g_free (view->counts);
  report_columns_free (view->columns);
  if (view->heat != NULL)
    report_heat_free (view->heat);
  g_free (view);
}

/* The histogram of each result is a column. After new caps it may have another number of bins: each of these counts where
 * it begins. */
static void
add_histogram (ReportView * view, const HistoComponentResult * luma)
{
  const guint n = luma != NULL ? luma->figures.bins : 0;

  memset (view->counts, 0, view->n_counts * sizeof *view->counts);
  if (luma != NULL && n == view->n_counts) {
    histo_component_add_counts (luma, view->counts);
  } else if (luma != NULL && luma->histogram != NULL && n > 0) {
    g_autofree guint64 *counts = g_new0 (guint64, n);

    histo_component_add_counts (luma, counts);
    for (guint i = 0; i < n; i++)
      view->counts[(guint64) i * view->n_counts / n] += counts[i];
  }
  report_heat_add (view->heat, view->counts, view->n_counts);
}

/* A chart has one scale, that of the first result. After a change of depth the figures are multiplied.
 *
 * @range: of the first result */
static gdouble
find_scale (const HistoFigures * figures, gdouble range)
{
  const gdouble factor = range / (figures->range_max - figures->range_min);

  return isfinite (factor) ? factor : 1;
}

/* The components of which there are charts beside luma's. */
static const struct
{
  const gchar *name;
  Source source;
} components[] = {
  {"U", IN_U}, {"V", IN_V}, {"R", IN_R}, {"G", IN_G}, {"B", IN_B}
};

/* Returns: (nullable): the component of the format, or R, G, B that are measured of YUV */
static const HistoComponentResult *
find_native (const HistoResult * result, guint region, const gchar * name)
{
  const HistoComponentResult *component = histo_result_find_component (result, region, HISTO_GROUP_BASIC, name);

  return component != NULL ? component : histo_result_find_component (result, region, HISTO_GROUP_COLOR, name);
}

static void
add_video (ReportView * view, const HistoResult * result, gdouble * values)
{
  /* What the values are in; NULL: they are missing. */
  gconstpointer sources[N_SOURCES] = { NULL };
  gdouble scales[N_SOURCES];
  gdouble transitions;

  for (guint i = 0; i < N_SOURCES; i++)
    scales[i] = 1;
  if (view->region < result->n_regions) {
    const HistoComponentResult *saturation =
        histo_result_find_component (result, view->region, HISTO_GROUP_SIGNAL,
        "saturation");
    const HistoComponentResult *luma = view->luma == NULL ? NULL :
        histo_result_find_component (result, view->region, view->luma_group,
        view->luma);
    const HistoGroupFigures *figures = &result->regions[view->region].figures;
    const HistoZone worst = report_find_worst_zone (figures);

    if (saturation != NULL && view->saturation_range == 0)
      view->saturation_range = saturation->figures.range_max
          - saturation->figures.range_min;
    if (luma != NULL) {
      sources[IN_LUMA] = &luma->figures;
      scales[IN_LUMA] = find_scale (&luma->figures, view->range_max - view->range_min);
    }
    if (saturation != NULL) {
      sources[IN_SATURATION] = &saturation->figures;
      scales[IN_SATURATION] = find_scale (&saturation->figures, view->saturation_range);
    }
    for (guint i = 0; i < G_N_ELEMENTS (components); i++) {
      const HistoComponentResult *component = find_native (result, view->region, components[i].name);

      if (component == NULL)
        continue;
      sources[components[i].source] = &component->figures;
      scales[components[i].source] = find_scale (&component->figures, view->range_max - view->range_min);
    }
    sources[IN_FIGURES] = figures;
    transitions = MAX (worst.transitions, worst.red_transitions);
    if (figures->n_zones > 0)
      sources[IN_ZONES] = &transitions;
    if (view->heat != NULL)
      add_histogram (view, luma);
  } else if (view->heat != NULL) {
    add_histogram (view, NULL);
  }
  for (guint i = 0; i < G_N_ELEMENTS (video_rows); i++) {
    const Row *row = &video_rows[i];
    gconstpointer source = sources[row->source];

    values[i] = source == NULL ? NAN :
        row->factor * scales[row->source] * G_STRUCT_MEMBER (gdouble, source, row->offset);
  }
}

/* Streams that are slower have no known rate. */
#define LEAST_FRAME_RATE 1e-6

/* When the result begins, in µs. If that is unknown: where the one before ends. */
static guint64
begin_of (const ReportView * view, const ReportStream * stream,
    const HistoTimes * times)
{
  if (GST_CLOCK_TIME_IS_VALID (times->stream_time))
    return times->stream_time / GST_USECOND;
  if (report_columns_get_length (view->columns) == 0)
    return 0;
  return view->begin + (stream->is_audio ? G_USEC_PER_SEC / 10 :
      stream->frame_rate >= LEAST_FRAME_RATE ?
      (guint64) (G_USEC_PER_SEC / stream->frame_rate) : G_USEC_PER_SEC / 25);
}

/* Adds a result. */
void
report_view_add (ReportView * view, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times)
{
  gdouble values[MOST_SERIES];

  view->begin = begin_of (view, stream, times);
  if (view->is_audio)
    get_audio_values (view, result, values);
  else
    add_video (view, result, values);
  report_columns_add (view->columns, view->begin, values);
}

/* ---- Numbers as compact text ----------------------------------------------------------------- */

/* html/data.js decodes them.
 *
 * Neighbouring numbers are alike, so each one is stored as its difference from the one before.
 * The lowest bytes of all differences come first, then the next higher bytes: the high bytes are
 * nearly all 0. Deflate then shrinks them. Base64 makes text of the bytes.
 */

/* 0 is a missing value. */
static inline guint32
stored (guint32 code)
{
  return code == REPORT_CODE_NONE ? 0 : code + 1;
}

/* Small numbers for small differences of either sign: 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4. */
static inline guint64
zigzag (gint64 difference)
{
  return ((guint64) difference << 1) ^ (guint64) (difference >> 63);
}

/* Returns: the bytes that each difference of the codes needs: 1 to 5 */
static guint
encode_width (const guint32 * codes, guint n)
{
  guint64 all = 0;
  gint64 previous = 0;
  guint width = 1;

  for (guint i = 0; i < n; i++) {
    all |= zigzag ((gint64) stored (codes[i]) - previous);
    previous = stored (codes[i]);
  }
  while (width < 8 && all >> (8 * width) != 0)
    width++;
  return width;
}

/* Appends n · width bytes. @width: see encode_width() */
static void
encode_codes (GByteArray * bytes, const guint32 * codes, guint n,
    guint width)
{
  const guint begin = bytes->len;
  gint64 previous = 0;

  g_byte_array_set_size (bytes, begin + n * width);
  for (guint i = 0; i < n; i++) {
    const guint64 number = zigzag ((gint64) stored (codes[i]) - previous);

    for (guint b = 0; b < width; b++)
      bytes->data[begin + b * n + i] = number >> (8 * b);
    previous = stored (codes[i]);
  }
}

/* Appends the differences, modulo 256, of neighbouring cells of each row. */
static void
encode_cells (GByteArray * bytes, const guint8 * cells, guint length,
    guint n_rows)
{
  const guint begin = bytes->len;

  g_byte_array_set_size (bytes, begin + length * n_rows);
  for (guint r = 0; r < n_rows; r++) {
    guint8 previous = 0;

    for (guint c = 0; c < length; c++) {
      const guint8 cell = cells[r * length + c];

      bytes->data[begin + r * length + c] = cell - previous;
      previous = cell;
    }
  }
}

/**
 * encode_text:
 *
 * Returns: (transfer full): the bytes in the zlib format (RFC 1950), in base64
 */
static gchar *
encode_text (const GByteArray * bytes)
{
  uLongf size = compressBound (bytes->len);
  g_autofree guint8 *packed = g_malloc (size);
  /* It can only fail if the room does not suffice. */
  const int status = compress2 (packed, &size, bytes->data, bytes->len, 7);

  g_assert (status == Z_OK);
  return g_base64_encode (packed, size);
}

/* ---- As JSON and as text --------------------------------------------------------------------- */

static void
write_int (ReportJson * json, const gchar * name, gint64 number)
{
  report_json_set_key (json, name);
  report_json_put_int (json, number);
}

/* Doubles are exact up to here. */
#define MOST_WHOLE ((gdouble) (G_GINT64_CONSTANT (1) << 53))

/* @number: whole; a result that is damaged may have any */
static void
write_whole (ReportJson * json, const gchar * name, gdouble number)
{
  write_int (json, name, isnan (number) ? 0 :
      (gint64) CLAMP (number, -MOST_WHOLE, MOST_WHOLE));
}

static void
write_string (ReportJson * json, const gchar * name, const gchar * text)
{
  report_json_set_key (json, name);
  if (text != NULL)
    report_json_put_text (json, text);
  else
    report_json_put_null (json);
}

/* The begins of the columns, as differences in µs. A difference that is negative or too large for a
 * code is shortened. */
static void
write_times (const ReportView * view, ReportJson * json, GByteArray * bytes)
{
  const guint n = report_columns_get_length (view->columns);
  const guint64 *times = report_columns_get_times (view->columns);
  g_autofree guint32 *steps = g_new (guint32, n);
  guint width;

  for (guint c = 0; c < n; c++) {
    const guint64 previous = c > 0 ? times[c - 1] : 0;

    steps[c] = times[c] < previous ? 0 :
        MIN (times[c] - previous, REPORT_CODE_NONE - 1);
  }
  width = encode_width (steps, n);
  write_int (json, "timeWidth", width);
  encode_codes (bytes, steps, n, width);
}

static void
write_series (const ReportView * view, guint i, ReportJson * json,
    GByteArray * bytes)
{
  const guint n = report_columns_get_length (view->columns);
  const ReportSeries *series = report_columns_get_series (view->columns, i);
  const guint32 *codes = report_columns_get_codes (view->columns, i);
  const guint width = encode_width (codes, n);
  guint c = 0;

  while (c < n && codes[c] == REPORT_CODE_NONE)
    c++;
  if (c == n)
    return;
  report_json_begin_object (json, NULL);
  write_string (json, "chart", series->chart);
  write_string (json, "key", series->key);
  write_string (json, "label", series->label);
  write_string (json, "unit", series->unit);
  write_int (json, "digits", series->digits);
  write_int (json, "least", series->least);
  write_int (json, "width", width);
  report_json_end_object (json);
  encode_codes (bytes, codes, n, width);
}

/* Returns: (transfer full): the cells, packed; coarser if they are too large */
static gchar *
pack_heat (const ReportView * view)
{
  gchar *text = NULL;

  do {
    g_autoptr (GByteArray) cells = report_heat_get_cells (view->heat);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();

    g_free (text);
    encode_cells (bytes, cells->data,
        report_heat_get_length (view->heat), report_heat_get_bins (view->heat));
    text = encode_text (bytes);
  } while (strlen (text) > view->most_text && report_heat_shrink (view->heat));
  return text;
}

/* Returns: (transfer full): the histograms as text; NULL if there are none */
static gchar *
write_heat (const ReportView * view, ReportJson * json)
{
  gchar *text;

  report_json_set_key (json, "heat");
  if (view->heat == NULL) {
    report_json_put_null (json);
    return NULL;
  }
  text = pack_heat (view);
  report_json_begin_object (json, NULL);
  write_int (json, "bins", report_heat_get_bins (view->heat));
  write_int (json, "columns", report_heat_get_length (view->heat));
  write_int (json, "step", report_heat_get_step (view->heat));
  report_json_end_object (json);
  return text;
}

/**
 * report_view_finish:
 * @json: to which an object that describes the view is added
 *
 * @heat: (out) (transfer full) (nullable): its histograms as text
 *
 * Returns: (transfer full): the figures of the view as text
 */
gchar *
report_view_finish (ReportView * view, ReportJson * json, gchar ** heat)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  report_columns_finish (view->columns);
  if (view->heat != NULL)
    report_heat_finish (view->heat);
  report_json_begin_object (json, NULL);
  write_int (json, "stream", view->stream);
  write_string (json, "region", view->name);
  write_string (json, "kind", view->is_audio ? "audio" : "video");
  write_string (json, "luma", view->luma);
  write_whole (json, "rangeMin", view->range_min);
  write_whole (json, "rangeMax", view->range_max);
  write_int (json, "columns", report_columns_get_length (view->columns));
  write_int (json, "step", report_columns_get_step (view->columns));
  write_times (view, json, bytes);
  report_json_begin_array (json, "series");
  for (guint i = 0; i < report_columns_get_n_series (view->columns); i++)
    write_series (view, i, json, bytes);
  report_json_end_array (json);
  *heat = write_heat (view, json);
  report_json_end_object (json);
  return encode_text (bytes);
}
