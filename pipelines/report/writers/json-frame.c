/* The writer of JSON: an object for each frame or window of sound, then one with the summary, each
 * on a line of its own.
 *
 * The object of a frame has the fields of docs/result.md in the same structure, and before them
 * what identifies the frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/formats.h"

#include <math.h>

#include "summary/json.h"
#include "base/order.h"

typedef struct
{
  ReportWriter writer;
  gboolean with_histograms;
  gchar *input;                 /* its name */
  ReportJson *json;
  guint depth;                  /* that the component still gets; 0: none */
} JsonWriter;

/* ---- Results ------------------------------------------------------------------------------------ */

static void
add_histogram (JsonWriter * self, const HistoComponentResult * component)
{
  g_autofree guint64 *counts = NULL;

  if (!self->with_histograms || component->histogram == NULL)
    return;
  counts = g_new0 (guint64, component->figures.bins);
  histo_component_add_counts (component, counts);
  report_json_add_counts (self->json, "histogram", counts,
      component->figures.bins);
}

/* The depth stands between the figures of a channel and those of its level. */
static void
end_component_figures (JsonWriter * self)
{
  if (self->depth > 0)
    report_json_add_int (self->json, "depth", self->depth);
  self->depth = 0;
}

static gboolean
enter (const HistoVisit * visit, gpointer data)
{
  JsonWriter *self = data;
  const HistoResult *result = visit->result;
  const gchar *step = visit->steps[visit->n_steps - 1];
  ReportJson *json = self->json;
  const HistoComponentResult *joint;
  const HistoPairResult *pair;
  const HistoRegion *region;

  switch (visit->place) {
    case HISTO_PLACE_REGION:
      region = &result->regions[visit->region].region;
      report_json_begin_object (json, NULL);
      report_json_add_text (json, "name", region->name);
      report_json_add_int (json, "x", region->x);
      report_json_add_int (json, "y", region->y);
      report_json_add_int (json, "width", region->width);
      report_json_add_int (json, "height", region->height);
      break;
    case HISTO_PLACE_GROUP:
      report_json_begin_object (self->json, step);
      break;
    case HISTO_PLACE_COMPONENT:
      report_json_begin_object (self->json, step);
      self->depth = result->components[visit->index].depth;
      break;
    case HISTO_PLACE_JOINT:
      joint = &result->joints[visit->index];
      report_json_begin_object (json, joint->name);
      report_json_add_int (json, "count", joint->figures.count);
      report_json_add_int (json, "columns", joint->columns);
      report_json_add_int (json, "rows", joint->rows);
      report_json_add_text (json, "x", joint->x);
      report_json_add_text (json, "y", joint->y);
      add_histogram (self, joint);
      break;
    case HISTO_PLACE_PAIR:
      pair = &result->pairs[visit->index];
      report_json_begin_object (json, NULL);
      report_json_add_text (json, "first", result->components[pair->first].name);
      report_json_add_text (json, "second", result->components[pair->second].name);
      break;
    case HISTO_PLACE_ZONE:
      report_json_begin_object (self->json, NULL);
      break;
    case HISTO_PLACE_ZONES:
      if (result->regions[0].figures.n_zones == 0)
        return FALSE;
      report_json_begin_array (self->json, step);
      break;
    case HISTO_PLACE_REGIONS:
    case HISTO_PLACE_PAIRS:
    case HISTO_PLACE_BITS_USED:
    case HISTO_PLACE_ARRAY:
      report_json_begin_array (self->json, step);
      break;
  }
  return TRUE;
}

static void
leave (const HistoVisit * visit, gpointer data)
{
  JsonWriter *self = data;

  switch (visit->place) {
    case HISTO_PLACE_COMPONENT:
      end_component_figures (self);
      add_histogram (self, &visit->result->components[visit->index]);
      report_json_end_object (self->json);
      break;
    case HISTO_PLACE_REGION:
    case HISTO_PLACE_GROUP:
    case HISTO_PLACE_JOINT:
    case HISTO_PLACE_PAIR:
    case HISTO_PLACE_ZONE:
      report_json_end_object (self->json);
      break;
    case HISTO_PLACE_REGIONS:
    case HISTO_PLACE_PAIRS:
    case HISTO_PLACE_ZONES:
    case HISTO_PLACE_BITS_USED:
    case HISTO_PLACE_ARRAY:
      report_json_end_array (self->json);
      break;
  }
}

static void
add_figure (const HistoVisit * visit, gpointer data)
{
  JsonWriter *self = data;
  const HistoFigureRow *row = visit->figure.row;
  gdouble number;

  if (row->in == HISTO_IN_LEVEL)
    end_component_figures (self);
  if (visit->member == NULL)
    return;
  number = histo_figure_read (row->type, visit->member);
  if (row->in == HISTO_IN_BITS_USED)
    report_json_put_int (self->json, (gint64) number);
  else if (row->in == HISTO_IN_ARRAY)
    report_json_add_number (self->json, number);
  else if (isnan (number))
    return;
  else if (row->choice != NULL)
    report_json_add_text (self->json, row->name, histo_choice_name (row->choice, (guint) number));
  else if (row->type == HISTO_FIGURE_UINT64)
    report_json_add_int (self->json, row->name, *(const guint64 *) visit->member);
  else if (row->type == HISTO_FIGURE_UINT || (row->group_info != NULL && row->group_info->type == HISTO_FIGURE_UINT))
    report_json_add_int (self->json, row->name, (guint64) number);
  else
    report_json_add_double (self->json, row->name, number);
}

static void
add_result (JsonWriter * self, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times)
{
  static const HistoVisitor visitor = { enter, add_figure, leave };
  ReportJson *json = self->json;

  report_json_add_text (json, "type", result->is_audio ? "window" : "frame");
  report_json_add_text (json, "input", self->input);
  report_json_add_int (json, "stream", stream->index);
  report_json_add_time (json, "timestamp", times->timestamp);
  report_json_add_time (json, "stream-time", times->stream_time);
  report_json_add_time (json, "duration", times->duration);
  report_json_add_text (json, "media", result->is_audio ? "audio" : "video");
  report_json_add_text (json, "format", result->format);
  if (result->is_audio) {
    report_json_add_int (json, "rate", result->rate);
    report_json_add_int (json, "channels", result->channels);
    report_json_add_int (json, "samples", result->n_samples);
  } else {
    report_json_add_int (json, "width", result->width);
    report_json_add_int (json, "height", result->height);
    report_json_add_text (json, "colorimetry", result->colorimetry);
  }
  report_json_add_text (json, "backend", result->backend);
  report_json_begin_array (json, "components");
  for (guint i = 0; i < result->n_region_components; i++) {
    if (result->components[i].group == HISTO_GROUP_BASIC)
      report_json_put_text (json, result->components[i].name);
  }
  report_json_end_array (json);
  histo_result_visit (result, 0, NULL, &visitor, self);
}

/* ---- The writer --------------------------------------------------------------------------------- */

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
  GString *line;

  report_json_clear (self->json);
  report_json_begin_object (self->json, NULL);
  add_result (self, stream, result, times);
  report_json_end_object (self->json);
  line = g_string_append_c (report_json_get_text (self->json), '\n');
  return report_order_add (writer->order, stream->index, report_time_of (times), line->str, line->len, error);
}

static gboolean
end (ReportWriter * writer, const ReportSummary * summary, GError ** error)
{
  JsonWriter *self = (JsonWriter *) writer;
  GString *line;

  report_json_clear (self->json);
  report_json_begin_object (self->json, NULL);
  report_json_add_summary (self->json, summary, FALSE);
  report_json_end_object (self->json);
  line = g_string_append_c (report_json_get_text (self->json), '\n');
  return write_line (self, line->str, line->len, error);
}

static void
clear (ReportWriter * writer)
{
  JsonWriter *self = (JsonWriter *) writer;

  report_json_free (self->json);
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
  self->json = report_json_new (FALSE);
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
