/* Reads summaries from JSON that json-summary.c wrote.
 *
 * The file may come from anywhere: each member is checked for presence, type and size. Members
 * with other names are ignored, because later versions add some.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "json.h"

#include <gio/gio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Longer lines than this are no summary. */
#define MOST_BYTES ((gsize) G_MAXINT)
/* A summary has about 10 arrays and objects in each other. */
#define MOST_DEPTH 64

/* ---- Members ------------------------------------------------------------------------------------ */

static gboolean
fail (GError ** error, const gchar * key, const gchar * what)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
      "not a summary: \"%s\" %s", key, what);
  return FALSE;
}

/* Returns: (nullable): the value of a number, a text or a boolean */
static JsonNode *
find_value (JsonObject * object, const gchar * key)
{
  JsonNode *node = json_object_get_member (object, key);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ? node : NULL;
}

/* Returns: the number; NaN if there is none */
static gdouble
number_of (JsonNode * node)
{
  const GType type = node != NULL && JSON_NODE_HOLDS_VALUE (node) ?
      json_node_get_value_type (node) : G_TYPE_INVALID;

  if (type == G_TYPE_DOUBLE || type == G_TYPE_INT64)
    return json_node_get_double (node);
  if (type == G_TYPE_STRING) {
    if (g_str_equal (json_node_get_string (node), "inf"))
      return INFINITY;
    if (g_str_equal (json_node_get_string (node), "-inf"))
      return -INFINITY;
  }
  return NAN;
}

static gdouble
get_double (JsonObject * object, const gchar * key)
{
  return number_of (json_object_get_member (object, key));
}

/* @most: greatest number. Returns: FALSE if there is none, or if it is out of range */
static gboolean
get_int (JsonObject * object, const gchar * key, guint64 most,
    guint64 * number, GError ** error)
{
  JsonNode *node = find_value (object, key);

  if (node == NULL || json_node_get_value_type (node) != G_TYPE_INT64)
    return fail (error, key, "is no integer");
  if (json_node_get_int (node) < 0
      || (guint64) json_node_get_int (node) > most)
    return fail (error, key, "is out of range");
  *number = json_node_get_int (node);
  return TRUE;
}

/* @number: (inout): kept if there is no such member */
static gboolean
get_optional_int (JsonObject * object, const gchar * key, guint64 most,
    guint64 * number, GError ** error)
{
  return !json_object_has_member (object, key)
      || get_int (object, key, most, number, error);
}

/* Returns: (transfer none) (nullable) */
static const gchar *
get_text (JsonObject * object, const gchar * key)
{
  JsonNode *node = find_value (object, key);

  return node != NULL && json_node_get_value_type (node) == G_TYPE_STRING ?
      json_node_get_string (node) : NULL;
}

/* Returns: (transfer none) (nullable) */
static JsonArray *
get_array (JsonObject * object, const gchar * key, GError ** error)
{
  JsonNode *node = json_object_get_member (object, key);

  if (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    return json_node_get_array (node);
  fail (error, key, "is no array");
  return NULL;
}

/* Returns: (transfer none) (nullable): NULL if there is none */
static JsonObject *
get_object (JsonObject * object, const gchar * key)
{
  JsonNode *node = json_object_get_member (object, key);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ?
      json_node_get_object (node) : NULL;
}

/* Returns: (transfer none) (nullable): an object in an array */
static JsonObject *
get_element (JsonArray * array, guint i, const gchar * key, GError ** error)
{
  JsonNode *node = json_array_get_element (array, i);

  if (JSON_NODE_HOLDS_OBJECT (node))
    return json_node_get_object (node);
  fail (error, key, "holds something else than objects");
  return NULL;
}

static gboolean
get_counts (JsonObject * object, const gchar * key, guint64 * counts, guint n,
    GError ** error)
{
  JsonArray *array = get_array (object, key, error);

  if (array == NULL)
    return FALSE;
  if (json_array_get_length (array) != n)
    return fail (error, key, "has another size");
  for (guint i = 0; i < n; i++) {
    JsonNode *node = json_array_get_element (array, i);

    if (!JSON_NODE_HOLDS_VALUE (node)
        || json_node_get_value_type (node) != G_TYPE_INT64
        || json_node_get_int (node) < 0)
      return fail (error, key, "holds something else than counts");
    counts[i] = json_node_get_int (node);
  }
  return TRUE;
}

static gboolean
get_flags (JsonObject * object, const gchar * key, const gchar * const *names,
    guint n, guint * flags, GError ** error)
{
  JsonArray *array = get_array (object, key, error);

  if (array == NULL)
    return FALSE;
  for (guint i = 0; i < json_array_get_length (array); i++) {
    JsonNode *node = json_array_get_element (array, i);

    for (guint f = 0; f < n; f++) {
      if (JSON_NODE_HOLDS_VALUE (node)
          && g_strcmp0 (json_node_get_string (node), names[f]) == 0)
        *flags |= 1u << f;
    }
  }
  return TRUE;
}

/* A range that is not there is one of no result. */
static gboolean
get_range (JsonObject * object, const gchar * key, ReportRange * range,
    GError ** error)
{
  JsonObject *members = get_object (object, key);

  if (members == NULL)
    return TRUE;
  range->min = get_double (members, "min");
  range->max = get_double (members, "max");
  range->sum = get_double (members, "sum");
  range->last = get_double (members, "last");
  return get_int (members, "n", G_MAXINT64, &range->n, error);
}

/* ---- Components --------------------------------------------------------------------------------- */

static gboolean
get_figures (JsonObject * object, HistoFigures * figures, GError ** error)
{
  for (guint i = 0; i < HISTO_N_FIGURES; i++) {
    const HistoFigureInfo *info = &histo_figures[i];
    guint64 number = 0;

    if (info->type == HISTO_FIGURE_DOUBLE) {
      G_STRUCT_MEMBER (gdouble, figures, info->offset) =
          get_double (object, info->name);
      continue;
    }
    if (!get_int (object, info->name,
            info->type == HISTO_FIGURE_UINT ? HISTO_MAX_BINS : G_MAXINT64, &number,
            error))
      return FALSE;
    if (info->type == HISTO_FIGURE_UINT)
      G_STRUCT_MEMBER (guint, figures, info->offset) = (guint) number;
    else
      G_STRUCT_MEMBER (guint64, figures, info->offset) = number;
  }
  return TRUE;
}

/* Returns: the number of the text among the names; -1: it is none of them */
static gint
find_name (const gchar * text, const gchar * const *names, guint n)
{
  for (guint i = 0; text != NULL && i < n; i++) {
    if (g_str_equal (text, names[i]))
      return i;
  }
  return -1;
}

/* The samples of a component are those in the histogram, those outside, and NaN. */
static gboolean
check_count (const ReportComponent * component, GError ** error)
{
  const HistoFigures *figures = &component->figures;
  guint64 left = figures->count;
  gboolean fits = figures->underflow <= left;

  left -= fits ? figures->underflow : 0;
  fits = fits && figures->overflow <= left;
  left -= fits ? figures->overflow : 0;
  fits = fits && figures->nan <= left;
  left -= fits ? figures->nan : 0;
  for (guint i = 0; fits && i < figures->bins; i++) {
    fits = component->counts[i] <= left;
    left -= fits ? component->counts[i] : 0;
  }
  return (fits && left == 0 && figures->inf <= figures->count)
      || fail (error, "count", "is not the sum of the histogram");
}

/* Names are printed as they are. */
static gboolean
is_component_name (const gchar * name)
{
  gchar *clean = report_clean_text (g_strdup (name));
  const gboolean is_name = g_str_equal (clean, name) && strlen (name) <= 64;

  g_free (clean);
  return is_name;
}

static gboolean
read_component (JsonObject * object, ReportRegion * region, GError ** error)
{
  const gchar *name = get_text (object, "name");
  const gint group = find_name (get_text (object, "group"),
      report_group_names, HISTO_N_GROUPS);
  HistoFigures figures;
  ReportComponent *component;

  if (name == NULL || !is_component_name (name))
    return fail (error, "name", "is no name of a component");
  if (group < 0)
    return fail (error, "group", "has an unknown value");
  if (!get_figures (object, &figures, error))
    return FALSE;
  component = report_region_add_component (region, name, group,
      figures.bins, figures.range_min, figures.range_max);
  report_component_add_figures (component, &figures);
  return get_range (object, "means", &component->means, error)
      && get_counts (object, "histogram", component->counts, figures.bins,
      error)
      && check_count (component, error);
}

/* ---- Regions ------------------------------------------------------------------------------------ */

/* Its right and lower edges are at most G_MAXINT, too. */
static gboolean
read_box (JsonObject * object, guint64 box[4], GError ** error)
{
  return get_int (object, "x", G_MAXINT, &box[0], error)
      && get_int (object, "y", G_MAXINT, &box[1], error)
      && get_int (object, "width", G_MAXINT - box[0], &box[2], error)
      && get_int (object, "height", G_MAXINT - box[1], &box[3], error);
}

static gboolean
read_region_figures (JsonObject * object, ReportRegion * region,
    GError ** error)
{
  JsonObject *figures = get_object (object, "figures");

  for (guint i = 0; figures != NULL && i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];
    JsonObject *group = get_object (figures, report_group_names[info->group]);

    if (group != NULL
        && !get_range (group, info->name, &region->figures[i], error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_bits_used (JsonObject * object, ReportRegion * region, GError ** error)
{
  guint64 bits[HISTO_MAX_COMPONENTS];
  JsonArray *array;

  if (!json_object_has_member (object, "bits-used"))
    return TRUE;
  array = get_array (object, "bits-used", error);
  if (array == NULL)
    return FALSE;
  if (json_array_get_length (array) > HISTO_MAX_COMPONENTS)
    return fail (error, "bits-used", "has too many");
  region->n_bits_used = json_array_get_length (array);
  if (!get_counts (object, "bits-used", bits, region->n_bits_used, error))
    return FALSE;
  for (guint i = 0; i < region->n_bits_used; i++)
    region->bits_used[i] = (guint) MIN (bits[i], 64);
  return TRUE;
}

/* @sides: (nullable): files of earlier versions have none */
static gboolean
read_area (JsonObject * object, JsonObject * sides, ReportArea * all,
    GError ** error)
{
  ReportArea area = { 0, };
  guint64 box[4];

  if (!read_box (object, box, error))
    return FALSE;
  area.x = (gint) box[0];
  area.y = (gint) box[1];
  area.width = (gint) box[2];
  area.height = (gint) box[3];
  if (sides != NULL && !get_int (sides, "frames", G_MAXINT64, &area.n, error))
    return FALSE;
  for (guint i = 0; sides != NULL && i < REPORT_N_SIDES; i++) {
    if (!get_counts (sides, report_side_names[i], area.near[i], REPORT_NEAR,
            error))
      return FALSE;
  }
  report_area_merge (all, &area);
  return TRUE;
}

static gboolean
read_region (JsonObject * object, ReportPart * part, GError ** error)
{
  ReportRegion *region = report_part_add_region (part,
      get_text (object, "name"));
  JsonArray *components = get_array (object, "components", error);
  JsonObject *area = get_object (object, "area");
  guint64 box[4];

  if (components == NULL || !read_box (object, box, error))
    return FALSE;
  region->x = (guint) box[0];
  region->y = (guint) box[1];
  region->width = (guint) box[2];
  region->height = (guint) box[3];
  for (guint i = 0; i < json_array_get_length (components); i++) {
    JsonObject *component = get_element (components, i, "components", error);

    if (component == NULL || !read_component (component, region, error))
      return FALSE;
  }
  if (area != NULL && !read_area (area, get_object (object, "area-sides"),
          &region->area, error))
    return FALSE;
  return read_region_figures (object, region, error)
      && read_bits_used (object, region, error);
}

/* ---- Sound -------------------------------------------------------------------------------------- */

static gboolean
read_channels (JsonObject * object, ReportPart * part, GError ** error)
{
  JsonArray *array = get_array (object, "channels", error);

  if (array == NULL)
    return FALSE;
  if (json_array_get_length (array) > HISTO_MAX_CHANNELS)
    return fail (error, "channels", "has too many");
  report_part_set_channels (part, json_array_get_length (array));
  for (guint c = 0; c < part->n_channels; c++) {
    ReportChannel *channel = &part->channels[c];
    JsonObject *members = get_element (array, c, "channels", error);

    if (members == NULL)
      return FALSE;
    for (guint i = 0; i < HISTO_N_LEVEL_FIGURES; i++) {
      if (!get_range (members, histo_level_figures[i].name,
              &channel->levels[i], error))
        return FALSE;
    }
    for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
      channel->arrays[i] =
          get_double (members, histo_loudness_arrays[i].name);
  }
  return TRUE;
}

/* Version 1 had 1000 counts in bins of 0.1 LU: they are taken to the middle of these. Now there are pairs: the
 * number of a bin, in rising order, and its count. */
static gboolean
read_blocks (JsonObject * object, const gchar * key, guint64 version,
    HistoLoudnessBlocks * blocks, GError ** error)
{
  const guint n_old = 1000, width = HISTO_N_LOUDNESS_BINS / n_old;
  JsonArray *array = get_array (object, key, error);
  const guint n = array != NULL ? json_array_get_length (array) : 0;
  guint64 *numbers = g_new (guint64, MAX (n, 1));
  gboolean ok = array != NULL && get_counts (object, key, numbers, n, error);

  if (ok && (version == 1 ? n != n_old : n % 2 != 0))
    ok = fail (error, key, "has another size");
  for (guint i = 0; ok && i < n; i += version == 1 ? 1 : 2) {
    const guint64 bin = version == 1 ? i * width + width / 2 : numbers[i];
    const guint64 count = version == 1 ? numbers[i] : numbers[i + 1];

    if (bin >= HISTO_N_LOUDNESS_BINS || (version > 1 && i > 0
            && bin <= numbers[i - 2]))
      ok = fail (error, key, "has a wrong bin");
    else if (count > 0 && !histo_loudness_blocks_add_count (blocks, (guint) bin,
            count))
      ok = fail (error, key, "has too many blocks");
  }
  g_free (numbers);
  return ok;
}

/* In version 1 the greatest loudness was that of the ends of the windows. */
static void
correct_maximum (ReportRange * maximum, const ReportRange * all)
{
  if (maximum->n == 0)
    *maximum = *all;
}

static gboolean
read_loudness (JsonObject * object, ReportStreamSummary * summary,
    guint64 version, GError ** error)
{
  JsonObject *loudness = get_object (object, "loudness");

  if (loudness == NULL)
    return TRUE;
  report_stream_summary_need_blocks (summary);
  for (guint i = 0; i < HISTO_N_LOUDNESS_FIGURES; i++) {
    if (!get_range (loudness, histo_loudness_figures[i].name,
            &summary->loudness[i], error))
      return FALSE;
  }
  correct_maximum (&summary->loudness[HISTO_LOUDNESS_FIGURE_momentary_max],
      &summary->loudness[HISTO_LOUDNESS_FIGURE_momentary]);
  correct_maximum (&summary->loudness[HISTO_LOUDNESS_FIGURE_short_term_max],
      &summary->loudness[HISTO_LOUDNESS_FIGURE_short_term]);
  return read_blocks (loudness, "momentary-blocks", version,
      summary->momentary, error)
      && read_blocks (loudness, "short-term-blocks", version,
      summary->short_term, error);
}

/* ---- Streams ------------------------------------------------------------------------------------ */

static gboolean
read_alerts (JsonObject * object, ReportStreamSummary * summary,
    GError ** error)
{
  JsonArray *array = get_array (object, "alerts", error);

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++) {
    JsonObject *members = get_element (array, i, "alerts", error);
    const gint type = members == NULL ? -1 :
        find_name (get_text (members, "type"), report_alert_names,
        HISTO_N_ALERTS);
    ReportAlert *alert;

    if (members == NULL)
      return FALSE;
    if (type < 0)
      return fail (error, "type", "is no alert");
    alert = report_stream_summary_add_alert (summary, type,
        get_text (members, "place"));
    alert->input = g_strdup (get_text (members, "input"));
    alert->value = get_double (members, "value");
    alert->threshold = get_double (members, "threshold");
    if (!get_optional_int (members, "start", G_MAXINT64, &alert->start, error)
        || !get_optional_int (members, "end", G_MAXINT64, &alert->end, error))
      return FALSE;
  }
  return array != NULL;
}

/* What may change within a stream. */
static gboolean
read_facts (JsonObject * object, ReportStream * stream, GError ** error)
{
  const gchar *ratio = get_text (object, "pixel-aspect-ratio");
  guint64 width = 0, height = 0, rate = 0, channels = 0;

  if (!get_optional_int (object, "width", G_MAXINT, &width, error)
      || !get_optional_int (object, "height", G_MAXINT, &height, error)
      || !get_optional_int (object, "rate", G_MAXINT, &rate, error)
      || !get_optional_int (object, "n-channels", G_MAXINT, &channels, error))
    return FALSE;
  stream->width = (gint) width;
  stream->height = (gint) height;
  stream->rate = (gint) rate;
  stream->channels = (gint) channels;
  stream->frame_rate = get_double (object, "frame-rate");
  if (ratio != NULL && (sscanf (ratio, "%d:%d", &stream->par_n, &stream->par_d)
          != 2 || stream->par_n <= 0 || stream->par_d <= 0))
    return fail (error, "pixel-aspect-ratio", "is no ratio");
  /* The texts are copied with the stream. */
  stream->format = (gchar *) get_text (object, "format");
  stream->colorimetry = (gchar *) get_text (object, "colorimetry");
  return TRUE;
}

/* @stream: has the number of channels, and no names yet */
static gboolean
read_channel_names (JsonObject * object, ReportStream * stream,
    GError ** error)
{
  JsonArray *array;

  if (!stream->is_audio || !json_object_has_member (object, "channel-names"))
    return TRUE;
  array = get_array (object, "channel-names", error);
  if (array == NULL)
    return FALSE;
  if (stream->channels > HISTO_MAX_CHANNELS
      || json_array_get_length (array) != (guint) stream->channels)
    return fail (error, "channel-names", "has another size");
  stream->channel_names = g_new0 (gchar *, stream->channels + 1);
  for (gint c = 0; c < stream->channels; c++) {
    JsonNode *node = json_array_get_element (array, c);

    if (!JSON_NODE_HOLDS_VALUE (node)
        || json_node_get_value_type (node) != G_TYPE_STRING
        || !is_component_name (json_node_get_string (node)))
      return fail (error, "channel-names", "holds something else than names");
    stream->channel_names[c] = g_strdup (json_node_get_string (node));
  }
  return TRUE;
}

static gboolean
read_description (JsonObject * object, ReportStream * stream, GError ** error)
{
  guint64 index = 0;

  if (!get_int (object, "stream", G_MAXINT, &index, error)
      || !read_facts (object, stream, error))
    return FALSE;
  stream->index = (guint) index;
  stream->is_audio = g_strcmp0 (get_text (object, "media"), "audio") == 0;
  stream->title = (gchar *) get_text (object, "title");
  stream->codec = (gchar *) get_text (object, "codec");
  if (stream->title == NULL)
    return fail (error, "title", "is no text");
  return TRUE;
}

/* @object: of a part, or of a stream without changes */
static gboolean
read_figures (JsonObject * object, ReportPart * part, GError ** error)
{
  JsonArray *regions = get_array (object, "regions", error);

  for (guint i = 0; regions != NULL && i < json_array_get_length (regions);
      i++) {
    JsonObject *region = get_element (regions, i, "regions", error);

    if (region == NULL || !read_region (region, part, error))
      return FALSE;
  }
  return regions != NULL && (!part->stream->is_audio
      || read_channels (object, part, error));
}

/* GST_CLOCK_TIME_NONE is the greatest number. */
static gboolean
read_times (JsonObject * object, guint64 * start, guint64 * end,
    GError ** error)
{
  if (!get_optional_int (object, "start", G_MAXINT64, start, error)
      || !get_optional_int (object, "end", G_MAXINT64, end, error))
    return FALSE;
  return (*end >= *start && GST_CLOCK_TIME_IS_VALID (*end)
      == GST_CLOCK_TIME_IS_VALID (*start))
      || fail (error, "end", "is before the start, or one is missing");
}

static gboolean
read_part (JsonObject * object, ReportStreamSummary * stream, GError ** error)
{
  ReportStream description = { .is_audio = stream->stream->is_audio };
  ReportPart *part;

  if (!read_facts (object, &description, error))
    return FALSE;
  part = report_stream_summary_add_part (stream, &description);
  return read_channel_names (object, part->stream, error)
      && get_int (object, "results", G_MAXINT64, &part->n_results, error)
      && get_optional_int (object, "samples", G_MAXINT64, &part->n_samples,
      error)
      && read_times (object, &part->start, &part->end, error)
      && read_figures (object, part, error);
}

/* A stream without changes is one part. If there are several, they have all figures, and those of the stream
 * follow from them. */
static gboolean
read_parts (JsonObject * object, ReportStreamSummary * stream, GError ** error)
{
  guint64 results = 0, samples = 0;
  JsonArray *parts;

  if (!json_object_has_member (object, "parts")) {
    ReportPart *part = report_stream_summary_add_part (stream, stream->stream);

    part->n_results = stream->n_results;
    part->n_samples = stream->n_samples;
    return read_figures (object, part, error);
  }
  parts = get_array (object, "parts", error);
  for (guint i = 0; parts != NULL && i < json_array_get_length (parts); i++) {
    JsonObject *element = get_element (parts, i, "parts", error);
    const ReportPart *part;

    if (element == NULL || !read_part (element, stream, error))
      return FALSE;
    part = stream->parts->pdata[i];
    if (!report_sum_add (&results, part->n_results, "results", error)
        || !report_sum_add (&samples, part->n_samples, "samples", error))
      return FALSE;
  }
  return parts != NULL && ((results <= stream->n_results
          && samples <= stream->n_samples)
      || fail (error, "parts", "have more results than the stream"));
}

static gboolean
read_stream (JsonObject * object, ReportSummary * summary, guint64 version,
    GError ** error)
{
  ReportStream description = { 0 };
  ReportStreamSummary *stream;

  if (!read_description (object, &description, error))
    return FALSE;
  stream = report_summary_add_stream (summary, &description);
  stream->backend = g_strdup (get_text (object, "backend"));
  stream->mean_frame_rate = get_double (object, "mean-frame-rate");
  stream->bit_rate = get_double (object, "bit-rate");
  stream->correlation = get_double (object, "correlation");
  stream->field_order = g_strdup (get_text (object, "field-order"));
  stream->timecode = g_strdup (get_text (object, "timecode"));
  if (!read_channel_names (object, stream->stream, error)
      || !get_flags (object, "groups", report_group_names, HISTO_N_GROUPS,
          &stream->groups, error)
      || !get_int (object, "results", G_MAXINT64, &stream->n_results, error)
      || !get_optional_int (object, "samples", G_MAXINT64, &stream->n_samples,
          error)
      || !read_times (object, &stream->start, &stream->end, error)
      || !read_parts (object, stream, error)
      || (description.is_audio && !read_loudness (object, stream, version,
              error)))
    return FALSE;
  return read_alerts (object, stream, error);
}

/* In version 1 alerts have stream times of the container, but those of merged summaries. */
static void
correct_alerts (ReportSummary * summary)
{
  for (guint i = 0; summary->n_inputs == 1 && i < summary->streams->len; i++) {
    ReportStreamSummary *stream = summary->streams->pdata[i];

    for (guint a = 0; GST_CLOCK_TIME_IS_VALID (stream->start)
        && a < stream->alerts->len; a++) {
      ReportAlert *alert = stream->alerts->pdata[a];

      alert->start = report_stream_summary_count (stream, alert->start);
      alert->end = report_stream_summary_count (stream, alert->end);
    }
  }
}

/* ---- Summaries ---------------------------------------------------------------------------------- */

/* A summary of an earlier version has only the text of the first one. */
static gboolean
read_problems (JsonObject * object, ReportSummary * summary, GError ** error)
{
  JsonArray *problems;

  if (!json_object_has_member (object, "problems")) {
    const ReportProblem only = { REPORT_PROBLEM_OTHER, -1, GST_CLOCK_TIME_NONE,
      GST_CLOCK_TIME_NONE, 0, (gchar *) get_text (object, "problem")
    };

    if (only.text != NULL)
      report_summary_add_problem (summary, &only);
    return TRUE;
  }
  problems = get_array (object, "problems", error);
  for (guint i = 0; problems != NULL && i < json_array_get_length (problems);
      i++) {
    JsonObject *element = get_element (problems, i, "problems", error);
    ReportProblem problem = { NULL, -1, GST_CLOCK_TIME_NONE,
      GST_CLOCK_TIME_NONE, 0, NULL
    };
    guint64 stream = G_MAXUINT64;

    if (element == NULL || !get_optional_int (element, "stream", G_MAXINT,
            &stream, error)
        || !get_optional_int (element, "start", G_MAXINT64, &problem.start,
            error)
        || !get_optional_int (element, "end", G_MAXINT64, &problem.end, error)
        || !get_optional_int (element, "count", G_MAXINT64, &problem.count,
            error))
      return FALSE;
    problem.type = report_problem_find_type (get_text (element, "type"));
    problem.stream = stream <= G_MAXINT ? (gint) stream : -1;
    problem.text = (gchar *) get_text (element, "text");
    if (problem.text == NULL)
      return fail (error, "text", "is no text");
    report_summary_add_problem (summary, &problem);
  }
  return problems != NULL;
}

static gboolean
read_summary (JsonObject * object, ReportSummary * summary, GError ** error)
{
  JsonNode *complete = find_value (object, "complete");
  JsonArray *streams = get_array (object, "streams", error);
  guint64 version;

  if (streams == NULL || !get_int (object, "version", G_MAXINT, &version,
          error))
    return FALSE;
  if (version < 1 || version > REPORT_JSON_VERSION)
    return fail (error, "version", "is another one");
  if (!get_int (object, "inputs", G_MAXINT64, &summary->n_inputs, error)
      || !get_optional_int (object, "input-size", G_MAXINT64,
          &summary->input_size, error)
      || !get_optional_int (object, "input-mtime", G_MAXINT64,
          &summary->input_mtime, error)
      || !get_optional_int (object, "duration", G_MAXINT64,
          &summary->duration, error)
      || !get_flags (object, "watched-alerts", report_alert_names,
          HISTO_N_ALERTS, &summary->alerts, error))
    return FALSE;
  summary->uri = g_strdup (get_text (object, "uri"));
  summary->settings = g_strdup (get_text (object, "settings"));
  summary->is_complete = complete != NULL && json_node_get_boolean (complete);
  summary->seconds = get_double (object, "seconds");
  if (!read_problems (object, summary, error))
    return FALSE;
  for (guint i = 0; i < json_array_get_length (streams); i++) {
    JsonObject *stream = get_element (streams, i, "streams", error);

    if (stream == NULL || !read_stream (stream, summary, version, error))
      return FALSE;
  }
  if (version == 1)
    correct_alerts (summary);
  return TRUE;
}

/**
 * report_json_read_summary:
 * @object: of type "summary"
 *
 * Returns: (transfer full) (nullable): finished; NULL with a %G_IO_ERROR if it is no summary
 */
ReportSummary *
report_json_read_summary (JsonObject * object, GError ** error)
{
  const gchar *name = get_text (object, "input");
  ReportSummary *summary = report_summary_new (name != NULL ? name : "?");

  if (!read_summary (object, summary, error)) {
    report_summary_free (summary);
    return NULL;
  }
  for (guint i = 0; i < summary->streams->len; i++) {
    ReportStreamSummary *stream = summary->streams->pdata[i];

    stream->is_merged = summary->n_inputs != 1;
  }
  report_summary_finish (summary);
  return summary;
}

/* The parser calls itself for each array in an array, and takes comments and other things that are no
 * JSON. So this finds how deep a text is nested.
 *
 * Returns: FALSE with an error if it is too deep, or has something else than JSON outside its strings */
static gboolean
check_nesting (const gchar * line, gsize length, GError ** error)
{
  gboolean is_text = FALSE;
  guint depth = 0;

  for (gsize i = 0; i < length; i++) {
    const gchar c = line[i];

    if (is_text && c == '\\')
      i++;
    else if (c == '"')
      is_text = !is_text;
    else if (is_text)
      continue;
    else if (c == '[' || c == '{')
      depth++;
    else if ((c == ']' || c == '}') && depth > 0)
      depth--;
    else if (!g_ascii_isalnum (c) && !g_ascii_isspace (c)
        && strchr (":,+-.", c) == NULL) {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
          "is no JSON");
      return FALSE;
    }
    if (depth > MOST_DEPTH) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
          "not a summary: its arrays and objects are nested more than %d deep",
          MOST_DEPTH);
      return FALSE;
    }
  }
  return TRUE;
}

/* Reads one line of a file. Lines that are no summaries are skipped. */
static gboolean
load_line (const gchar * line, gsize length, GPtrArray * summaries,
    GError ** error)
{
  JsonParser *parser;
  JsonNode *root;
  ReportSummary *summary = NULL;
  gboolean ok;

  if (strstr (line, "\"summary\"") == NULL)
    return TRUE;
  if (!check_nesting (line, length, error))
    return FALSE;
  parser = json_parser_new ();
  ok = length < MOST_BYTES
      && json_parser_load_from_data (parser, line, length, error);
  root = ok ? json_parser_get_root (parser) : NULL;
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root)
      && g_strcmp0 (get_text (json_node_get_object (root), "type"),
          "summary") == 0) {
    summary = report_json_read_summary (json_node_get_object (root), error);
    ok = summary != NULL;
  }
  if (summary != NULL)
    g_ptr_array_add (summaries, summary);
  g_object_unref (parser);
  return ok;
}

/**
 * report_json_load:
 * @from: what --json or --json-summary wrote
 * @summaries: (element-type ReportSummary): the summaries are appended, finished
 *
 * Returns: FALSE with an error if it cannot be read, or has no summary
 */
gboolean
report_json_load (GInputStream * from, GPtrArray * summaries,
    GError ** error)
{
  const guint before = summaries->len;
  GDataInputStream *lines = g_data_input_stream_new (from);
  GError *problem = NULL;
  gchar *line;
  gsize length;

  g_filter_input_stream_set_close_base_stream (G_FILTER_INPUT_STREAM (lines),
      FALSE);
  while (problem == NULL && (line = g_data_input_stream_read_line (lines,
              &length, NULL, &problem)) != NULL) {
    load_line (line, length, summaries, &problem);
    g_free (line);
  }
  if (problem == NULL && summaries->len == before)
    g_set_error_literal (&problem, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "has no summary: write it with --json or --json-summary");
  g_object_unref (lines);
  if (problem == NULL)
    return TRUE;
  g_propagate_error (error, problem);
  return FALSE;
}
