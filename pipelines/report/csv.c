/* The writer of CSV: a line for each frame or window of sound.
 *
 * The first line has the names of all columns. Streams have different columns, and a first frame
 * has no motion, so lines are kept back until each stream had two results. If columns are added
 * later, another line of names is written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats.h"

#include <math.h>
#include <string.h>

/* So many lines are kept back at most. */
#define MOST_LINES 1000

/* One line: names and values of its columns. A value that is "" is absent. */
typedef struct
{
  GPtrArray *names, *values;    /* (element-type utf8) */
} Line;

typedef struct
{
  ReportWriter writer;
  GOutputStream *to;
  gchar *input;
  guint n_streams, n_known;     /* streams; those whose columns are known */
  guint *n_results;             /* of each stream */
  GPtrArray *lines;             /* (element-type Line): kept back */
  GPtrArray *columns;           /* (element-type utf8): in the latest line of names, quoted */
  GHashTable *places;           /* of the columns: name → number, from 1 on */
  guint n_written;              /* columns that the latest line of names has */
} CsvWriter;

/* ---- Lines -------------------------------------------------------------------------------------- */

static Line *
line_new (void)
{
  Line *line = g_new (Line, 1);

  line->names = g_ptr_array_new_with_free_func (g_free);
  line->values = g_ptr_array_new_with_free_func (g_free);
  return line;
}

static void
line_free (gpointer data)
{
  Line *line = data;

  g_ptr_array_unref (line->names);
  g_ptr_array_unref (line->values);
  g_free (line);
}

/* Adds a column. @prefix: "Y." or "". @value: (transfer full) */
static void
add (Line * line, const gchar * prefix, const gchar * name, gchar * value)
{
  g_ptr_array_add (line->names, g_strconcat (prefix, name, NULL));
  g_ptr_array_add (line->values, value);
}

/* Returns: (transfer full): the text, with quotes if it needs some (RFC 4180) */
static gchar *
quote (const gchar * text)
{
  gchar **parts;
  gchar *doubled, *quoted;

  if (strpbrk (text, ",\"\r\n") == NULL)
    return g_strdup (text);
  parts = g_strsplit (text, "\"", -1);
  doubled = g_strjoinv ("\"\"", parts);
  quoted = g_strdup_printf ("\"%s\"", doubled);
  g_strfreev (parts);
  g_free (doubled);
  return quoted;
}

static void
add_text (Line * line, const gchar * name, const gchar * text)
{
  add (line, "", name, quote (text != NULL ? text : ""));
}

static void
add_double (Line * line, const gchar * prefix, const gchar * name,
    gdouble number)
{
  gchar buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (number))
    buffer[0] = '\0';
  else
    g_ascii_dtostr (buffer, sizeof buffer, number);
  add (line, prefix, name, g_strdup (buffer));
}

static void
add_int (Line * line, const gchar * prefix, const gchar * name,
    guint64 number)
{
  add (line, prefix, name, g_strdup_printf ("%" G_GUINT64_FORMAT, number));
}

static void
add_time (Line * line, const gchar * name, guint64 time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    add_int (line, "", name, time);
  else
    add (line, "", name, g_strdup (""));
}

static void
add_figures (Line * line, const gchar * prefix, const HistoFigureInfo * infos,
    guint n, gconstpointer figures)
{
  for (guint i = 0; i < n; i++) {
    const HistoFigureInfo *info = &infos[i];

    if (info->type == HISTO_FIGURE_UINT64)
      add_int (line, prefix, info->name,
          G_STRUCT_MEMBER (guint64, figures, info->offset));
    else if (info->type == HISTO_FIGURE_UINT)
      add_int (line, prefix, info->name,
          G_STRUCT_MEMBER (guint, figures, info->offset));
    else
      add_double (line, prefix, info->name,
          G_STRUCT_MEMBER (gdouble, figures, info->offset));
  }
}

/* ---- From a result to a line -------------------------------------------------------------------- */

static void
add_component (Line * line, const HistoResult * result,
    const gchar * region, guint i)
{
  const HistoComponentResult *component = &result->components[i];
  gchar *prefix = g_strdup_printf ("%s%s%s%s.", region,
      component->group == HISTO_GROUP_BASIC ? "" :
      histo_groups[component->group].name,
      component->group == HISTO_GROUP_BASIC ? "" : ".", component->name);

  add_figures (line, prefix, histo_figures, HISTO_N_FIGURES,
      &component->figures);
  if (histo_result_has_group (result, HISTO_GROUP_LEVEL))
    add_figures (line, prefix, histo_level_figures, HISTO_N_LEVEL_FIGURES,
        &result->levels[i]);
  g_free (prefix);
}

static void
add_group_figures (Line * line, const HistoResult * result,
    const HistoGroupFigures * figures, const gchar * region)
{
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];
    gchar *prefix;

    if (!histo_result_has_group (result, info->group))
      continue;
    prefix = g_strdup_printf ("%s%s.", region, histo_groups[info->group].name);
    add_double (line, prefix, info->name,
        G_STRUCT_MEMBER (gdouble, figures, info->offset));
    g_free (prefix);
  }
  if (histo_result_has_group (result, HISTO_GROUP_AREA)) {
    gchar *prefix = g_strdup_printf ("%sarea.", region);

    add_int (line, prefix, "x", figures->area_x);
    add_int (line, prefix, "y", figures->area_y);
    add_int (line, prefix, "width", figures->area_width);
    add_int (line, prefix, "height", figures->area_height);
    g_free (prefix);
  }
}

static void
add_region (Line * line, const HistoResult * result, guint r)
{
  const guint n = result->n_region_components;
  gchar *region = r == 0 ? g_strdup ("") :
      g_strdup_printf ("%s.", result->regions[r].region.name);

  for (guint i = 0; i < n; i++)
    add_component (line, result, region, r * n + i);
  if (r < result->n_regions)
    add_group_figures (line, result, &result->regions[r].figures, region);
  g_free (region);
}

static void
add_loudness (Line * line, const HistoResult * result)
{
  add_figures (line, "loudness.", histo_loudness_figures,
      HISTO_N_LOUDNESS_FIGURES, &result->loudness);
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++) {
    const HistoFigureInfo *info = &histo_loudness_arrays[i];
    const gdouble *numbers = G_STRUCT_MEMBER (const gdouble *,
        &result->loudness, info->offset);

    for (guint c = 0; c < result->n_components; c++) {
      gchar *prefix = g_strdup_printf ("%s.", result->components[c].name);

      add_double (line, prefix, info->name, numbers[c]);
      g_free (prefix);
    }
  }
}

static Line *
line_of_result (const gchar * input, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times)
{
  Line *line = line_new ();

  add_text (line, "input", input);
  add_int (line, "", "stream", stream->index);
  add_text (line, "title", stream->title);
  add_time (line, "timestamp", times->timestamp);
  add_time (line, "stream-time", times->stream_time);
  add_time (line, "duration", times->duration);
  add_text (line, "media", result->is_audio ? "audio" : "video");
  add_text (line, "format", result->format);
  if (result->is_audio) {
    add_int (line, "", "samples", result->n_samples);
  } else {
    add_int (line, "", "width", result->width);
    add_int (line, "", "height", result->height);
  }
  for (guint r = 0; r < MAX (result->n_regions, 1); r++)
    add_region (line, result, r);
  if (histo_result_has_group (result, HISTO_GROUP_LOUDNESS))
    add_loudness (line, result);
  return line;
}

/* ---- Writing ------------------------------------------------------------------------------------ */

/* Adds the columns that are new. */
static void
add_columns (CsvWriter * self, const Line * line)
{
  for (guint i = 0; i < line->names->len; i++) {
    const gchar *name = line->names->pdata[i];

    if (g_hash_table_contains (self->places, name))
      continue;
    /* It has the name of a region, which may be any text. */
    g_ptr_array_add (self->columns, quote (name));
    g_hash_table_insert (self->places, g_strdup (name),
        GUINT_TO_POINTER (self->columns->len));
  }
}

static gboolean
write_cells (CsvWriter * self, const gchar * const *cells, GError ** error)
{
  GString *text = g_string_new (NULL);
  gboolean ok;

  for (guint i = 0; i < self->columns->len; i++) {
    if (i > 0)
      g_string_append_c (text, ',');
    if (cells[i] != NULL)
      g_string_append (text, cells[i]);
  }
  g_string_append (text, "\r\n");
  ok = g_output_stream_write_all (self->to, text->str, text->len, NULL, NULL,
      error);
  g_string_free (text, TRUE);
  return ok;
}

static gboolean
write_line (CsvWriter * self, const Line * line, GError ** error)
{
  const gchar **cells;
  gboolean ok = TRUE;

  add_columns (self, line);
  if (self->columns->len > self->n_written) {
    ok = write_cells (self, (const gchar * const *) self->columns->pdata,
        error);
    self->n_written = self->columns->len;
  }
  cells = g_new0 (const gchar *, self->columns->len);
  for (guint i = 0; i < line->names->len; i++) {
    const guint place = GPOINTER_TO_UINT (g_hash_table_lookup (self->places,
            line->names->pdata[i]));

    cells[place - 1] = line->values->pdata[i];
  }
  ok = ok && write_cells (self, cells, error);
  g_free (cells);
  return ok;
}

/* Writes the lines that were kept back. */
static gboolean
flush (CsvWriter * self, GError ** error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < self->lines->len; i++)
    add_columns (self, self->lines->pdata[i]);
  for (guint i = 0; ok && i < self->lines->len; i++)
    ok = write_line (self, self->lines->pdata[i], error);
  g_ptr_array_set_size (self->lines, 0);
  return ok;
}

/* ---- The writer --------------------------------------------------------------------------------- */

static gboolean
begin (ReportWriter * writer, const ReportInput * input, GError ** error)
{
  CsvWriter *self = (CsvWriter *) writer;

  g_free (self->input);
  self->input = g_strdup (input->name);
  g_free (self->n_results);
  self->n_results = g_new0 (guint, MAX (input->n_streams, 1));
  self->n_streams = input->n_streams;
  self->n_known = 0;
  return TRUE;
}

static gboolean
frame (ReportWriter * writer, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times, GError ** error)
{
  CsvWriter *self = (CsvWriter *) writer;

  g_ptr_array_add (self->lines, line_of_result (self->input, stream, result,
          times));
  self->n_results[stream->index]++;
  self->n_known += self->n_results[stream->index] == 2 ? 1 : 0;
  if (self->n_known < self->n_streams && self->lines->len < MOST_LINES)
    return TRUE;
  return flush (self, error);
}

static gboolean
alert (ReportWriter * writer, const ReportStream * stream,
    const HistoAlertEvent * event, GError ** error)
{
  return TRUE;
}

static gboolean
end (ReportWriter * writer, const ReportSummary * summary, GError ** error)
{
  CsvWriter *self = (CsvWriter *) writer;

  return flush (self, error) && g_output_stream_flush (self->to, NULL, error);
}

static void
csv_writer_free (ReportWriter * writer)
{
  CsvWriter *self = (CsvWriter *) writer;

  g_object_unref (self->to);
  g_free (self->input);
  g_free (self->n_results);
  g_ptr_array_unref (self->lines);
  g_hash_table_unref (self->places);
  g_ptr_array_unref (self->columns);
  g_free (self);
}

/* Returns: (transfer full): writes frames as CSV in UTF-8 to @to */
ReportWriter *
report_csv_writer_new (GOutputStream * to)
{
  CsvWriter *self = g_new0 (CsvWriter, 1);

  self->writer = (ReportWriter) { begin, frame, alert, end, csv_writer_free,
    NULL
  };
  self->to = g_object_ref (to);
  self->lines = g_ptr_array_new_with_free_func (line_free);
  self->columns = g_ptr_array_new_with_free_func (g_free);
  self->places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return &self->writer;
}
