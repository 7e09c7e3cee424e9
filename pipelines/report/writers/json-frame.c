/* The writer of JSON: an object for each frame or window of sound, then one with the summary, each
 * on a line of its own.
 *
 * The object of a frame has the fields of docs/result.md in the same structure, and before them
 * what tells which frame it is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/formats.h"
#include "summary/json.h"
#include "base/order.h"

typedef struct
{
  ReportWriter writer;
  gboolean with_histograms;
  gchar *input;                 /* its name */
  JsonBuilder *builder;
  JsonGenerator *generator;
  GString *line;
} JsonWriter;

/* ---- Results ------------------------------------------------------------------------------------ */

static void
add_histogram (JsonWriter * self, const HistoComponentResult * component)
{
  guint64 *counts;

  if (!self->with_histograms || component->histogram == NULL)
    return;
  counts = g_new0 (guint64, component->figures.bins);
  histo_component_add_counts (component, counts);
  report_json_add_counts (self->builder, "histogram", counts,
      component->figures.bins);
  g_free (counts);
}

/* The components of one group. */
static void
add_components (JsonWriter * self, const HistoResult * result, guint region,
    HistoGroup group)
{
  const HistoComponentResult *components =
      histo_result_region_components (result, region);

  for (guint i = 0; i < result->n_region_components; i++) {
    const HistoComponentResult *component = &components[i];

    if (component->group != group)
      continue;
    report_json_begin_object (self->builder, component->name);
    report_json_add_figures (self->builder, histo_figures, HISTO_N_FIGURES,
        &component->figures);
    if (component->depth > 0)
      report_json_add_int (self->builder, "depth", component->depth);
    if (histo_result_has_group (result, HISTO_GROUP_LEVEL))
      report_json_add_figures (self->builder, histo_level_figures,
          HISTO_N_LEVEL_FIGURES, &result->levels[i]);
    add_histogram (self, component);
    json_builder_end_object (self->builder);
  }
}

static void
add_joints (JsonWriter * self, const HistoResult * result, HistoGroup group)
{
  for (guint i = 0; i < result->n_joints; i++) {
    const HistoComponentResult *joint = &result->joints[i];

    if (joint->group != group)
      continue;
    report_json_begin_object (self->builder, joint->name);
    report_json_add_int (self->builder, "count", joint->figures.count);
    report_json_add_int (self->builder, "columns", joint->columns);
    report_json_add_int (self->builder, "rows", joint->rows);
    report_json_add_text (self->builder, "x", joint->x);
    report_json_add_text (self->builder, "y", joint->y);
    add_histogram (self, joint);
    json_builder_end_object (self->builder);
  }
}

/* Of the picture, row by row. A zone has some of the figures of the picture. */
static void
add_zones (JsonBuilder * builder, const HistoGroupFigures * figures)
{
  const HistoGroupFigureInfo *infos = histo_group_figures;

  if (figures->n_zones == 0)
    return;
  report_json_begin_array (builder, "zones");
  for (guint i = 0; i < figures->n_zones; i++) {
    const HistoZone *zone = &figures->zones[i];

    json_builder_begin_object (builder);
    report_json_add_group_figure (builder,
        &infos[HISTO_GROUP_FIGURE_FLASH_transitions], zone->transitions);
    report_json_add_group_figure (builder,
        &infos[HISTO_GROUP_FIGURE_FLASH_red_transitions],
        zone->red_transitions);
    report_json_add_group_figure (builder,
        &infos[HISTO_GROUP_FIGURE_FLASH_state], zone->state);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
add_own_figures (JsonBuilder * builder, const HistoGroupFigures * figures,
    HistoGroup group)
{
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];

    if (info->group == group)
      report_json_add_group_figure (builder, info,
          G_STRUCT_MEMBER (gdouble, figures, info->offset));
  }
  if (group == HISTO_GROUP_SIGNAL) {
    report_json_begin_array (builder, "bits-used");
    for (guint i = 0; i < figures->n_bits_used; i++)
      json_builder_add_int_value (builder, figures->bits_used[i]);
    json_builder_end_array (builder);
  } else if (group == HISTO_GROUP_FLASH) {
    add_zones (builder, figures);
  } else if (group == HISTO_GROUP_AREA) {
    report_json_add_int (builder, "x", figures->area_x);
    report_json_add_int (builder, "y", figures->area_y);
    report_json_add_int (builder, "width", figures->area_width);
    report_json_add_int (builder, "height", figures->area_height);
  }
}

static void
add_groups (JsonWriter * self, const HistoResult * result, guint region)
{
  for (guint group = HISTO_GROUP_BASIC + 1; group < HISTO_N_GROUPS; group++) {
    if (histo_groups[group].is_audio
        || !histo_result_has_group (result, group)
        || (group == HISTO_GROUP_SCOPES && region > 0))
      continue;
    report_json_begin_object (self->builder, histo_groups[group].name);
    add_components (self, result, region, group);
    if (region == 0)
      add_joints (self, result, group);
    add_own_figures (self->builder, &result->regions[region].figures, group);
    json_builder_end_object (self->builder);
  }
}

static void
add_component_names (JsonWriter * self, const HistoResult * result)
{
  report_json_begin_array (self->builder, "components");
  for (guint i = 0; i < result->n_region_components; i++) {
    if (result->components[i].group == HISTO_GROUP_BASIC)
      json_builder_add_string_value (self->builder,
          result->components[i].name);
  }
  json_builder_end_array (self->builder);
}

static void
add_regions (JsonWriter * self, const HistoResult * result)
{
  report_json_begin_array (self->builder, "regions");
  for (guint r = 1; r < result->n_regions; r++) {
    const HistoRegion *region = &result->regions[r].region;

    json_builder_begin_object (self->builder);
    report_json_add_text (self->builder, "name", region->name);
    report_json_add_int (self->builder, "x", region->x);
    report_json_add_int (self->builder, "y", region->y);
    report_json_add_int (self->builder, "width", region->width);
    report_json_add_int (self->builder, "height", region->height);
    add_components (self, result, r, HISTO_GROUP_BASIC);
    add_groups (self, result, r);
    json_builder_end_object (self->builder);
  }
  json_builder_end_array (self->builder);
}

static void
add_pairs (JsonBuilder * builder, const HistoResult * result)
{
  report_json_begin_array (builder, "pairs");
  for (guint i = 0; i < result->n_pairs; i++) {
    const HistoPairResult *pair = &result->pairs[i];

    json_builder_begin_object (builder);
    report_json_add_text (builder, "first",
        result->components[pair->first].name);
    report_json_add_text (builder, "second",
        result->components[pair->second].name);
    report_json_add_figures (builder, histo_pair_figures, HISTO_N_PAIR_FIGURES,
        &pair->figures);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
add_loudness (JsonBuilder * builder, const HistoResult * result)
{
  report_json_begin_object (builder, "loudness");
  report_json_add_figures (builder, histo_loudness_figures,
      HISTO_N_LOUDNESS_FIGURES, &result->loudness);
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++) {
    const HistoFigureInfo *info = &histo_loudness_arrays[i];
    const gdouble *numbers = G_STRUCT_MEMBER (const gdouble *,
        &result->loudness, info->offset);

    report_json_begin_array (builder, info->name);
    for (guint c = 0; c < result->n_components; c++)
      report_json_add_number (builder, numbers[c]);
    json_builder_end_array (builder);
  }
  json_builder_end_object (builder);
}

static void
add_result (JsonWriter * self, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times)
{
  JsonBuilder *builder = self->builder;

  report_json_add_text (builder, "type", result->is_audio ? "window" : "frame");
  report_json_add_text (builder, "input", self->input);
  report_json_add_int (builder, "stream", stream->index);
  report_json_add_time (builder, "timestamp", times->timestamp);
  report_json_add_time (builder, "stream-time", times->stream_time);
  report_json_add_time (builder, "duration", times->duration);
  report_json_add_text (builder, "media", result->is_audio ? "audio" : "video");
  report_json_add_text (builder, "format", result->format);
  if (result->is_audio) {
    report_json_add_int (builder, "rate", result->rate);
    report_json_add_int (builder, "channels", result->channels);
    report_json_add_int (builder, "samples", result->n_samples);
  } else {
    report_json_add_int (builder, "width", result->width);
    report_json_add_int (builder, "height", result->height);
    report_json_add_text (builder, "colorimetry", result->colorimetry);
  }
  report_json_add_text (builder, "backend", result->backend);
  add_component_names (self, result);
  add_components (self, result, 0, HISTO_GROUP_BASIC);
  if (!result->is_audio)
    add_groups (self, result, 0);
  if (result->n_pairs > 0)
    add_pairs (builder, result);
  if (result->is_audio && histo_result_has_group (result, HISTO_GROUP_LOUDNESS))
    add_loudness (builder, result);
  if (result->n_regions > 1)
    add_regions (self, result);
}

/* ---- The writer --------------------------------------------------------------------------------- */

/* Makes a line of the object that has been built. */
static void
build_line (JsonWriter * self)
{
  report_json_append (g_string_truncate (self->line, 0), self->builder,
      self->generator);
  g_string_append_c (self->line, '\n');
}

/* A ReportOrderFunc. */
static gboolean
write_line (gpointer data, const gchar * line, gsize length, GError ** error)
{
  return report_writer_write (data, line, length, error);
}

static gboolean
begin (ReportWriter * writer, const ReportInput * input, GError ** error)
{
  JsonWriter *self = (JsonWriter *) writer;

  g_free (self->input);
  self->input = g_strdup (input->name);
  return TRUE;
}

static gboolean
frame (ReportWriter * writer, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times, GError ** error)
{
  JsonWriter *self = (JsonWriter *) writer;

  json_builder_begin_object (self->builder);
  add_result (self, stream, result, times);
  json_builder_end_object (self->builder);
  build_line (self);
  return report_order_add (writer->order, stream->index, report_time_of (times),
      self->line->str, self->line->len, error);
}

static gboolean
end (ReportWriter * writer, const ReportSummary * summary, GError ** error)
{
  JsonWriter *self = (JsonWriter *) writer;

  json_builder_begin_object (self->builder);
  report_json_add_summary (self->builder, summary, FALSE);
  json_builder_end_object (self->builder);
  build_line (self);
  return write_line (self, self->line->str, self->line->len, error);
}

static void
clear (ReportWriter * writer)
{
  JsonWriter *self = (JsonWriter *) writer;

  g_object_unref (self->builder);
  g_object_unref (self->generator);
  g_string_free (self->line, TRUE);
  g_free (self->input);
}

static ReportWriter *
make_writer (GOutputStream * to, gboolean with_frames,
    gboolean with_histograms)
{
  JsonWriter *self = report_writer_new (sizeof *self, to);

  self->writer.begin = begin;
  self->writer.frame = with_frames ? frame : NULL;
  self->writer.end = end;
  self->writer.clear = clear;
  self->writer.write = write_line;
  self->writer.tells_unreadable = TRUE;
  self->with_histograms = with_histograms;
  self->builder = json_builder_new ();
  self->generator = json_generator_new ();
  self->line = g_string_new (NULL);
  return &self->writer;
}

/* Returns: (transfer full): writes frames and the summary as JSON in UTF-8 to @to */
ReportWriter *
report_json_writer_new (GOutputStream * to)
{
  return make_writer (to, TRUE, FALSE);
}

/* Returns: (transfer full): the same, with the histogram of each component of each frame */
ReportWriter *
report_json_histograms_writer_new (GOutputStream * to)
{
  return make_writer (to, TRUE, TRUE);
}

/* Returns: (transfer full): writes only the summary */
ReportWriter *
report_json_summary_writer_new (GOutputStream * to)
{
  return make_writer (to, FALSE, FALSE);
}
