/* Writes a summary as JSON. json-read.c reads it again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "json.h"

#include <math.h>

#include "alerts.h"
#include "describe.h"

/* ---- Parts -------------------------------------------------------------------------------------- */

static void
add_counts (JsonBuilder * builder, const gchar * key, const guint64 * counts,
    guint n)
{
  json_builder_set_member_name (builder, key);
  json_builder_begin_array (builder);
  for (guint i = 0; i < n; i++)
    json_builder_add_int_value (builder, (gint64) counts[i]);
  json_builder_end_array (builder);
}

/* A range of no result is left out. */
static void
add_range (JsonBuilder * builder, const gchar * key, const ReportRange * range)
{
  if (range->n == 0)
    return;
  json_builder_set_member_name (builder, key);
  json_builder_begin_object (builder);
  report_json_add_int (builder, "n", range->n);
  report_json_add_double (builder, "min", range->min);
  report_json_add_double (builder, "max", range->max);
  report_json_add_double (builder, "mean", report_range_mean (range));
  report_json_add_double (builder, "sum", range->sum);
  report_json_add_double (builder, "last", range->last);
  json_builder_end_object (builder);
}

static void
add_component (JsonBuilder * builder, const ReportComponent * component)
{
  json_builder_begin_object (builder);
  report_json_add_text (builder, "name", component->name);
  report_json_add_text (builder, "group", report_group_names[component->group]);
  report_json_add_figures (builder, histo_figures, HISTO_N_FIGURES,
      &component->figures);
  add_range (builder, "means", &component->means);
  add_counts (builder, "histogram", component->counts,
      component->figures.bins);
  json_builder_end_object (builder);
}

/* ---- Video -------------------------------------------------------------------------------------- */

static void
add_region_figures (JsonBuilder * builder, const ReportRegion * region)
{
  json_builder_set_member_name (builder, "figures");
  json_builder_begin_object (builder);
  for (guint group = 0; group < HISTO_N_GROUPS; group++) {
    gboolean is_open = FALSE;

    for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
      if (histo_group_figures[i].group != group || region->figures[i].n == 0)
        continue;
      if (!is_open) {
        json_builder_set_member_name (builder, report_group_names[group]);
        json_builder_begin_object (builder);
        is_open = TRUE;
      }
      add_range (builder, histo_group_figures[i].name, &region->figures[i]);
    }
    if (is_open)
      json_builder_end_object (builder);
  }
  json_builder_end_object (builder);
}

static void
add_area (JsonBuilder * builder, const ReportArea * area)
{
  json_builder_set_member_name (builder, "area");
  json_builder_begin_object (builder);
  report_json_add_int (builder, "x", area->x);
  report_json_add_int (builder, "y", area->y);
  report_json_add_int (builder, "width", area->width);
  report_json_add_int (builder, "height", area->height);
  json_builder_end_object (builder);
  if (area->n == 0)
    return;
  json_builder_set_member_name (builder, "area-sides");
  json_builder_begin_object (builder);
  report_json_add_int (builder, "frames", area->n);
  for (guint i = 0; i < REPORT_N_SIDES; i++)
    add_counts (builder, report_side_names[i], area->near[i], REPORT_NEAR);
  json_builder_end_object (builder);
}

static void
add_region (JsonBuilder * builder, const ReportRegion * region)
{
  json_builder_begin_object (builder);
  report_json_add_text (builder, "name", region->name);
  if (region->has_place) {
    report_json_add_int (builder, "x", region->x);
    report_json_add_int (builder, "y", region->y);
    report_json_add_int (builder, "width", region->width);
    report_json_add_int (builder, "height", region->height);
  }
  json_builder_set_member_name (builder, "components");
  json_builder_begin_array (builder);
  for (guint i = 0; i < region->components->len; i++)
    add_component (builder, region->components->pdata[i]);
  json_builder_end_array (builder);
  add_region_figures (builder, region);
  if (region->n_bits_used > 0) {
    guint64 bits[HISTO_MAX_COMPONENTS];

    for (guint i = 0; i < region->n_bits_used; i++)
      bits[i] = region->bits_used[i];
    add_counts (builder, "bits-used", bits, region->n_bits_used);
  }
  if (region->area.width > 0)
    add_area (builder, &region->area);
  json_builder_end_object (builder);
}

/* ---- Sound -------------------------------------------------------------------------------------- */

static void
add_channels (JsonBuilder * builder, const ReportChannel * channels, guint n)
{
  json_builder_set_member_name (builder, "channels");
  json_builder_begin_array (builder);
  for (guint c = 0; c < n; c++) {
    const ReportChannel *channel = &channels[c];

    json_builder_begin_object (builder);
    for (guint i = 0; i < HISTO_N_LEVEL_FIGURES; i++)
      add_range (builder, histo_level_figures[i].name, &channel->levels[i]);
    for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
      report_json_add_double (builder, histo_loudness_arrays[i].name,
          channel->arrays[i]);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

/* The bins that have blocks: the number of a bin and its count in turn. */
static void
add_blocks (JsonBuilder * builder, const gchar * key,
    const HistoLoudnessBlocks * blocks)
{
  json_builder_set_member_name (builder, key);
  json_builder_begin_array (builder);
  for (guint bin = 0; bin < HISTO_N_LOUDNESS_BINS; bin++) {
    const guint64 count = histo_loudness_blocks_get_count (blocks, bin);

    if (count == 0)
      continue;
    json_builder_add_int_value (builder, bin);
    json_builder_add_int_value (builder, (gint64) count);
  }
  json_builder_end_array (builder);
}

static void
add_loudness (JsonBuilder * builder, const ReportStreamSummary * summary)
{
  if (summary->loudness[HISTO_LOUDNESS_FIGURE_integrated].n == 0)
    return;
  json_builder_set_member_name (builder, "loudness");
  json_builder_begin_object (builder);
  for (guint i = 0; i < HISTO_N_LOUDNESS_FIGURES; i++)
    add_range (builder, histo_loudness_figures[i].name, &summary->loudness[i]);
  add_blocks (builder, "momentary-blocks", summary->momentary);
  add_blocks (builder, "short-term-blocks", summary->short_term);
  json_builder_end_object (builder);
}

/* ---- Streams ------------------------------------------------------------------------------------ */

static void
add_alerts (JsonBuilder * builder, const ReportStreamSummary * summary)
{
  json_builder_set_member_name (builder, "alerts");
  json_builder_begin_array (builder);
  for (guint i = 0; i < summary->alerts->len; i++) {
    const ReportAlert *alert = summary->alerts->pdata[i];

    json_builder_begin_object (builder);
    report_json_add_text (builder, "type", report_alert_names[alert->alert]);
    report_json_add_text (builder, "place", alert->place);
    report_json_add_time (builder, "start", alert->start);
    report_json_add_time (builder, "end", alert->end);
    report_json_add_double (builder, "value", alert->value);
    report_json_add_double (builder, "threshold", alert->threshold);
    report_json_add_text (builder, "input", alert->input);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

/* What no alert tells, and alerts that were watched and could not be checked. Each is absent if there is none. */
static void
add_hints (JsonBuilder * builder, const ReportSummary * whole,
    const ReportStreamSummary * summary)
{
  GPtrArray *hints = report_alerts_find_hints (whole, summary);

  if (hints->len > 0) {
    json_builder_set_member_name (builder, "hints");
    json_builder_begin_array (builder);
    for (guint i = 0; i < hints->len; i++)
      json_builder_add_string_value (builder, hints->pdata[i]);
    json_builder_end_array (builder);
  }
  g_ptr_array_unref (hints);
  if (summary->stream->is_audio
      && (whole->alerts & HISTO_ALERT_FLAG (HISTO_ALERT_LOUDNESS)) != 0
      && !report_alerts_can_check (whole, summary, HISTO_ALERT_LOUDNESS))
    report_json_add_flags (builder, "unchecked-alerts",
        HISTO_ALERT_FLAG (HISTO_ALERT_LOUDNESS), report_alert_names,
        HISTO_N_ALERTS);
}

static void
add_channel_names (JsonBuilder * builder, const ReportStream * stream)
{
  if (stream->channel_names == NULL)
    return;
  json_builder_set_member_name (builder, "channel-names");
  json_builder_begin_array (builder);
  for (guint c = 0; stream->channel_names[c] != NULL; c++)
    json_builder_add_string_value (builder, stream->channel_names[c]);
  json_builder_end_array (builder);
}

/* What may change within a stream. */
static void
add_facts (JsonBuilder * builder, const ReportStream * stream)
{
  report_json_add_text (builder, "format", stream->format);
  if (stream->is_audio) {
    report_json_add_int (builder, "rate", stream->rate);
    report_json_add_int (builder, "n-channels", stream->channels);
    add_channel_names (builder, stream);
  } else {
    report_json_add_int (builder, "width", stream->width);
    report_json_add_int (builder, "height", stream->height);
    if (stream->par_d > 0) {
      gchar *ratio = g_strdup_printf ("%d:%d", stream->par_n, stream->par_d);

      report_json_add_text (builder, "pixel-aspect-ratio", ratio);
      report_json_add_int (builder, "display-width",
          report_stream_display_width (stream));
      g_free (ratio);
    }
    report_json_add_text (builder, "colorimetry", stream->colorimetry);
    report_json_add_double (builder, "frame-rate", stream->frame_rate);
  }
}

static void
add_description (JsonBuilder * builder, const ReportStream * stream)
{
  report_json_add_int (builder, "stream", stream->index);
  report_json_add_text (builder, "media", stream->is_audio ? "audio" : "video");
  report_json_add_text (builder, "title", stream->title);
  report_json_add_text (builder, "codec", stream->codec);
  add_facts (builder, stream);
}

static void
add_regions (JsonBuilder * builder, const GPtrArray * regions)
{
  json_builder_set_member_name (builder, "regions");
  json_builder_begin_array (builder);
  for (guint r = 0; r < regions->len; r++)
    add_region (builder, regions->pdata[r]);
  json_builder_end_array (builder);
}

static void
add_parts (JsonBuilder * builder, const ReportStreamSummary * summary)
{
  json_builder_set_member_name (builder, "parts");
  json_builder_begin_array (builder);
  for (guint i = 0; i < summary->parts->len; i++) {
    const ReportPart *part = summary->parts->pdata[i];

    json_builder_begin_object (builder);
    report_json_add_time (builder, "start", part->start);
    report_json_add_time (builder, "end", part->end);
    report_json_add_int (builder, "results", part->n_results);
    if (part->stream->is_audio)
      report_json_add_int (builder, "samples", part->n_samples);
    add_facts (builder, part->stream);
    add_regions (builder, part->regions);
    if (part->stream->is_audio)
      add_channels (builder, part->channels, part->n_channels);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
add_stream (JsonBuilder * builder, const ReportSummary * whole,
    const ReportStreamSummary * summary)
{
  json_builder_begin_object (builder);
  add_description (builder, summary->stream);
  report_json_add_flags (builder, "groups", summary->groups,
      report_group_names, HISTO_N_GROUPS);
  report_json_add_int (builder, "results", summary->n_results);
  if (summary->stream->is_audio)
    report_json_add_int (builder, "samples", summary->n_samples);
  if (summary->mean_frame_rate > 0)
    report_json_add_double (builder, "mean-frame-rate",
        summary->mean_frame_rate);
  report_json_add_text (builder, "field-order", summary->field_order);
  report_json_add_text (builder, "timecode", summary->timecode);
  if (summary->bit_rate > 0)
    report_json_add_double (builder, "bit-rate", summary->bit_rate);
  report_json_add_double (builder, "correlation", summary->correlation);
  report_json_add_time (builder, "start", summary->start);
  report_json_add_time (builder, "end", summary->end);
  report_json_add_time (builder, "delay", report_summary_delay (whole,
          summary, NULL));
  report_json_add_time (builder, "early-end", report_summary_early_end (whole,
          summary, NULL));
  report_json_add_text (builder, "backend", summary->backend);
  add_regions (builder, summary->regions);
  if (summary->stream->is_audio) {
    add_channels (builder, summary->channels, summary->n_channels);
    add_loudness (builder, summary);
  }
  if (summary->parts->len > 1)
    add_parts (builder, summary);
  add_alerts (builder, summary);
  add_hints (builder, whole, summary);
  json_builder_end_object (builder);
}

static void
add_problems (JsonBuilder * builder, GPtrArray * problems)
{
  if (problems->len == 0)
    return;
  json_builder_set_member_name (builder, "problems");
  json_builder_begin_array (builder);
  for (guint i = 0; i < problems->len; i++) {
    const ReportProblem *problem = problems->pdata[i];

    json_builder_begin_object (builder);
    report_json_add_text (builder, "type", problem->type);
    if (problem->stream >= 0)
      report_json_add_int (builder, "stream", problem->stream);
    report_json_add_time (builder, "start", problem->start);
    report_json_add_time (builder, "end", problem->end);
    if (problem->count > 0)
      report_json_add_int (builder, "count", problem->count);
    report_json_add_text (builder, "text", problem->text);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

/**
 * report_json_add_summary:
 * @builder: in an object
 * @summary: finished
 */
void
report_json_add_summary (JsonBuilder * builder, const ReportSummary * summary)
{
  report_json_add_text (builder, "type", "summary");
  report_json_add_int (builder, "version", REPORT_JSON_VERSION);
  report_json_add_text (builder, "input", summary->name);
  report_json_add_text (builder, "uri", summary->uri);
  report_json_add_time (builder, "input-size", summary->input_size);
  report_json_add_time (builder, "input-mtime", summary->input_mtime);
  report_json_add_int (builder, "inputs", summary->n_inputs);
  json_builder_set_member_name (builder, "complete");
  json_builder_add_boolean_value (builder, summary->is_complete);
  report_json_add_text (builder, "problem", summary->problem);
  add_problems (builder, summary->problems);
  report_json_add_text (builder, "settings", summary->settings);
  report_json_add_flags (builder, "watched-alerts", summary->alerts,
      report_alert_names, HISTO_N_ALERTS);
  report_json_add_time (builder, "duration", summary->duration);
  report_json_add_double (builder, "seconds", summary->seconds);
  json_builder_set_member_name (builder, "streams");
  json_builder_begin_array (builder);
  for (guint i = 0; i < summary->streams->len; i++)
    add_stream (builder, summary, summary->streams->pdata[i]);
  json_builder_end_array (builder);
}
