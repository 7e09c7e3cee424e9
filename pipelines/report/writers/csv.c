/* The writer of CSV: a line for each frame or window of sound.
 *
 * The first line has the names of all columns. They come in one order: what all lines have; video;
 * sound. In each: the whole picture before the regions, and the groups as their table has them.
 * Which columns a stream has follows from its first result and from what is measured of it. If a
 * later result has other columns, another line of names is written.
 *
 * The figures are those of histo_result_visit(). They are looked up once for all results of one shape.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/formats.h"

#include <math.h>
#include <string.h>

#include "base/order.h"

/* Where a column stands. Columns of one section have the order in which they are added. */
typedef enum
{
  SECTION_ALL,                  /* of all lines */
  SECTION_PICTURE, SECTION_SAMPLES,     /* the size of video; that of sound */
  SECTION_VIDEO, SECTION_AUDIO  /* figures; with the region and the group */
} Section;

typedef struct
{
  gchar *name;
  guint section;                /* grows with the place: see place_in_section() */
} Column;

/* The columns of a line. */
typedef struct
{
  guint stream;
  GArray *columns;              /* (element-type Column) */
  gboolean is_named;            /* the latest line of names has them */
  guint *places;                /* of the columns in the latest line of names */
} Layout;

/* A stream, as of its latest result. */
typedef struct
{
  HistoShape shape;
  guint groups;                 /* that have columns though results may lack them */
  GArray *figures;              /* (element-type HistoFigureAt): of the last columns, in their order */
  Layout *first, *latest;       /* NULL: it has no result */
} Stream;

typedef struct
{
  ReportWriter writer;
  ReportCsvNames names;
  gboolean has_all;             /* columns of all figures */
  gchar *input;
  guint n_streams;
  GPtrArray *layouts;           /* (element-type Layout): all that there have been */
  Stream *streams;
  GArray *columns;              /* (element-type Column): of the latest line of names */
  GString *line;                /* the number of the layout, and the values: texts in turn, each with its NUL */
} CsvWriter;

/* ---- Lines -------------------------------------------------------------------------------------- */

static void
column_clear (gpointer data)
{
  g_free (((Column *) data)->name);
}

static GArray *
columns_new (void)
{
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (Column));

  g_array_set_clear_func (columns, column_clear);
  return columns;
}

/* @region: 0: the whole picture */
static guint
place_in_section (Section section, guint region, HistoGroup group)
{
  return (section << 16 | region) * HISTO_N_GROUPS + group;
}

/* Whether spreadsheets may compute a cell with this text: it begins with one of these characters, which may be wide, also
 * behind white space and in quotes. */
static gboolean
is_formula (const gchar * text)
{
  gunichar first = g_utf8_get_char (text);

  while (g_unichar_isspace (first) || g_unichar_iscntrl (first)
      || g_unichar_type (first) == G_UNICODE_FORMAT) {
    if (first == 0)
      return FALSE;
    text = g_utf8_next_char (text);
    first = g_utf8_get_char (text);
  }
  /* 0xff01 to 0xff5e are wide forms of 0x21 to 0x7e. */
  if (first >= 0xff01 && first <= 0xff5e)
    first -= 0xff01 - 0x21;
  return first < 0x7f && strchr ("=+-@", (gint) first) != NULL;
}

/* Names come from outside. With an apostrophe before it, no spreadsheet takes a name for a formula. A spreadsheet may
 * separate cells by semicolons or tabs and not honour quotes within a cell, so what is behind one of these, or behind a
 * line end, is treated as a name of its own. A part that begins with an apostrophe gets another one: a reader that drops
 * the first one of each part has the name.
 *
 * Returns: (transfer full): the text, with quotes if it needs some (RFC 4180), or if another list than that of commas
 * would be cut in it */
gchar *
report_csv_quote (const gchar * text)
{
  GString *quoted = g_string_new (NULL);
  const gboolean needs_quotes = strpbrk (text, ",;\t\"\r\n") != NULL;
  gboolean begins_part = TRUE;

  for (const gchar * at = text; *at != '\0'; at++) {
    if (begins_part && (strchr ("'\t\r\n", *at) != NULL || is_formula (at)))
      g_string_append_c (quoted, '\'');
    begins_part = strchr (";\t\r\n", *at) != NULL;
    if (*at == '"')
      g_string_append_c (quoted, '"');
    g_string_append_c (quoted, *at);
  }
  if (needs_quotes) {
    g_string_prepend_c (quoted, '"');
    g_string_append_c (quoted, '"');
  }
  return g_string_free (quoted, FALSE);
}

/* ---- Columns ------------------------------------------------------------------------------------ */

/* The columns before the figures. */
static const gchar *const all_names[] = {
  "input", "stream", "title", "timestamp", "stream-time", "duration", "media", "format", NULL
};

static const gchar *const picture_names[] = { "width", "height", NULL };

static const gchar *const sound_names[] = { "samples", NULL };

typedef struct
{
  const CsvWriter *writer;
  Section section;              /* of the figures */
  GArray *columns;              /* (element-type Column) */
  GArray *figures;              /* (element-type HistoFigureAt) */
} Columns;

static void
add_names (Columns * self, Section section, const gchar * const *names)
{
  for (; *names != NULL; names++) {
    const Column column = { g_strdup (*names), place_in_section (section, 0, 0) };

    g_array_append_val (self->columns, column);
  }
}

static gboolean
enter (const HistoVisit * visit, gpointer data)
{
  const Columns *self = data;

  return self->writer->has_all || (visit->place != HISTO_PLACE_ZONES && visit->place != HISTO_PLACE_BITS_USED);
}

static void
add_figure (const HistoVisit * visit, gpointer data)
{
  Columns *self = data;
  g_autofree gchar *path = histo_visit_path (visit);
  const Column column = {
    self->writer->names == REPORT_CSV_PATHS ? g_steal_pointer (&path) : histo_figure_old_path (path),
    place_in_section (self->section, visit->region, visit->group)
  };

  g_array_append_val (self->columns, column);
  g_array_append_val (self->figures, visit->figure);
}

/* Returns: (transfer full): the steps of the paths of all regions but the whole picture */
static gchar **
name_regions (const HistoResult * result, gboolean is_bare)
{
  const guint n = MAX (result->n_regions, 1) - 1;
  g_auto (GStrv) names = g_new0 (gchar *, n + 1);

  for (guint r = 0; r < n; r++) {
    const gchar *name = result->regions[r + 1].region.name;

    names[r] = report_clean_text (g_strdup (name != NULL ? name : ""));
  }
  return histo_region_steps ((const gchar * const *) names, n, is_bare);
}

/* Finds the columns of a result. A first frame has no motion: its columns are empty.
 *
 * @figures: (out): where the figures of the last columns are
 * Returns: (transfer full) (element-type Column) */
static GArray *
find_columns (const CsvWriter * self, const HistoResult * result, guint groups, GArray * figures)
{
  static const HistoVisitor visitor = { enter, add_figure, NULL };
  Columns columns = { self, result->is_audio ? SECTION_AUDIO : SECTION_VIDEO, columns_new (), figures };
  g_auto (GStrv) regions = name_regions (result, self->names != REPORT_CSV_PATHS);

  add_names (&columns, SECTION_ALL, all_names);
  if (result->is_audio)
    add_names (&columns, SECTION_SAMPLES, sound_names);
  else
    add_names (&columns, SECTION_PICTURE, picture_names);
  g_array_set_size (figures, 0);
  histo_result_visit (result, groups, (const gchar * const *) regions, &visitor, &columns);
  return columns.columns;
}

/* ---- Values ------------------------------------------------------------------------------------- */

/* @value: "" is absent */
static void
add (GString * line, const gchar * value)
{
  g_string_append_len (line, value, strlen (value) + 1);
}

static void
add_text (GString * line, const gchar * text)
{
  g_autofree gchar *quoted = report_csv_quote (text != NULL ? text : "");

  add (line, quoted);
}

static void
add_int (GString * line, guint64 number)
{
  gchar buffer[32];

  g_snprintf (buffer, sizeof buffer, "%" G_GUINT64_FORMAT, number);
  add (line, buffer);
}

static void
add_time (GString * line, guint64 time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    add_int (line, time);
  else
    add (line, "");
}

static void
add_value (GString * line, const HistoResult * result, const HistoFigureAt * figure)
{
  gconstpointer member = histo_result_member (result, figure);
  const HistoFigureRow *row = figure->row;
  const gdouble number = member != NULL ? histo_figure_read (row->type, member) : NAN;
  gchar buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (number))
    add (line, "");
  else if (row->choice != NULL)
    add_text (line, histo_choice_name (row->choice, (guint) number));
  else if (row->type == HISTO_FIGURE_UINT64)
    add_int (line, *(const guint64 *) member);
  else
    add (line, g_ascii_dtostr (buffer, sizeof buffer, number));
}

/* Adds the values of all columns. */
static void
add_result (CsvWriter * self, const ReportStream * stream, const HistoResult * result, const HistoTimes * times)
{
  const GArray *figures = self->streams[stream->index].figures;
  GString *line = self->line;

  add_text (line, self->input);
  add_int (line, stream->index);
  add_text (line, stream->title);
  add_time (line, times->timestamp);
  add_time (line, times->stream_time);
  add_time (line, times->duration);
  add (line, result->is_audio ? "audio" : "video");
  add_text (line, result->format);
  if (result->is_audio) {
    add_int (line, result->n_samples);
  } else {
    add_int (line, result->width);
    add_int (line, result->height);
  }
  for (guint i = 0; i < figures->len; i++)
    add_value (line, result, &g_array_index (figures, HistoFigureAt, i));
}

/* ---- Layouts ------------------------------------------------------------------------------------- */

static void
layout_free (gpointer data)
{
  Layout *layout = data;

  g_array_unref (layout->columns);
  g_free (layout->places);
  g_free (layout);
}

static gboolean
has_columns (const Layout * layout, guint stream, const GArray * columns)
{
  if (layout->stream != stream || layout->columns->len != columns->len)
    return FALSE;
  for (guint i = 0; i < columns->len; i++) {
    if (!g_str_equal (g_array_index (columns, Column, i).name,
            g_array_index (layout->columns, Column, i).name))
      return FALSE;
  }
  return TRUE;
}

/* Returns: (transfer none): the layout of a line, which may be a new one */
static Layout *
find_layout (CsvWriter * self, guint stream, GArray * columns)
{
  Layout *layout;

  for (guint i = 0; i < self->layouts->len; i++) {
    if (has_columns (self->layouts->pdata[i], stream, columns))
      return self->layouts->pdata[i];
  }
  layout = g_new0 (Layout, 1);
  layout->stream = stream;
  layout->columns = g_array_ref (columns);
  g_ptr_array_add (self->layouts, layout);
  return layout;
}

static gint
compare_columns (gconstpointer a, gconstpointer b)
{
  const Column *one = a, *other = b;

  return one->section < other->section ? -1 : one->section > other->section;
}

/* Finds the columns of the next line of names: those of all layouts that are in it, by their streams.
 *
 * Returns: (transfer full) (element-type Column) */
static GArray *
collect_columns (const CsvWriter * self)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  GArray *columns = columns_new ();

  for (guint s = 0; s < self->n_streams; s++) {
    for (guint i = 0; i < self->layouts->len; i++) {
      const Layout *layout = self->layouts->pdata[i];

      if (!layout->is_named || layout->stream != s)
        continue;
      for (guint c = 0; c < layout->columns->len; c++) {
        Column column = g_array_index (layout->columns, Column, c);

        if (!g_hash_table_add (names, column.name))
          continue;
        column.name = g_strdup (column.name);
        g_array_append_val (columns, column);
      }
    }
  }
  /* Stable: equal ones keep their order. */
  g_array_sort (columns, compare_columns);
  return columns;
}

/* Finds the places of all layouts that the line of names has. */
static void
find_places (CsvWriter * self)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint c = 0; c < self->columns->len; c++)
    g_hash_table_insert (numbers, g_array_index (self->columns, Column,
            c).name, GUINT_TO_POINTER (c));
  for (guint i = 0; i < self->layouts->len; i++) {
    Layout *layout = self->layouts->pdata[i];

    if (!layout->is_named)
      continue;
    g_free (layout->places);
    layout->places = g_new (guint, layout->columns->len);
    for (guint c = 0; c < layout->columns->len; c++)
      layout->places[c] = GPOINTER_TO_UINT (g_hash_table_lookup (numbers,
              g_array_index (layout->columns, Column, c).name));
  }
}

/* ---- Writing ------------------------------------------------------------------------------------ */

/* @cells: (array): one for each column; NULL: empty */
static gboolean
write_cells (CsvWriter * self, const gchar * const *cells, GError ** error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < self->columns->len; i++) {
    if (i > 0)
      g_string_append_c (text, ',');
    if (cells[i] != NULL)
      g_string_append (text, cells[i]);
  }
  g_string_append (text, "\r\n");
  return report_writer_write (&self->writer, text->str, text->len, error);
}

/* Sees to it that the line of names has the columns of a layout. The first one has those of the first
 * results of all streams: each stream has had one before a line is released. */
static gboolean
name_layout (CsvWriter * self, Layout * layout, GError ** error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) columns = NULL;
  gboolean is_new;

  if (layout->is_named)
    return TRUE;
  layout->is_named = TRUE;
  if (self->columns->len == 0) {
    for (guint s = 0; s < self->n_streams; s++) {
      if (self->streams[s].first != NULL)
        self->streams[s].first->is_named = TRUE;
    }
  }
  columns = collect_columns (self);
  is_new = columns->len > self->columns->len;
  if (is_new) {
    g_array_unref (self->columns);
    self->columns = g_array_ref (columns);
  }
  find_places (self);
  /* The name of a region may be any text. */
  for (guint i = 0; is_new && i < columns->len; i++)
    g_ptr_array_add (names, report_csv_quote (g_array_index (columns, Column, i).name));
  return !is_new || write_cells (self, (const gchar * const *) names->pdata, error);
}

/* A ReportOrderFunc. @text: the number of the layout, and the values */
static gboolean
write_line (gpointer data, const gchar * text, gsize length, GError ** error)
{
  CsvWriter *self = data;
  g_autofree const gchar **cells = NULL;
  Layout *layout;
  guint number;

  memcpy (&number, text, sizeof number);
  text += sizeof number;
  layout = self->layouts->pdata[number];
  if (!name_layout (self, layout, error))
    return FALSE;
  cells = g_new0 (const gchar *, self->columns->len);
  for (guint c = 0; c < layout->columns->len; c++) {
    cells[layout->places[c]] = text;
    text += strlen (text) + 1;
  }
  return write_cells (self, cells, error);
}

/* ---- The writer --------------------------------------------------------------------------------- */

static gboolean
begin (ReportWriter * writer, const ReportInput * input, GError ** error)
{
  CsvWriter *self = (CsvWriter *) writer;

  self->input = g_strdup (input->name);
  self->n_streams = input->n_streams;
  self->streams = g_new0 (Stream, MAX (input->n_streams, 1));
  for (guint s = 0; s < input->n_streams; s++)
    self->streams[s].figures = g_array_new (FALSE, FALSE, sizeof (HistoFigureAt));
  return TRUE;
}

/* Finds the layout of a result, and where its figures are. */
static void
find_stream_layout (CsvWriter * self, const ReportStream * stream, const HistoResult * result)
{
  const guint groups = result->is_audio ? 0 : stream->groups & HISTO_GROUP_FLAG (HISTO_GROUP_MOTION);
  Stream *own = &self->streams[stream->index];
  g_autoptr (GArray) columns = NULL;

  if (own->latest != NULL && own->groups == groups && histo_shape_fits (&own->shape, result))
    return;
  columns = find_columns (self, result, groups, own->figures);
  own->latest = find_layout (self, stream->index, columns);
  if (own->first == NULL)
    own->first = own->latest;
  own->groups = groups;
  histo_shape_set (&own->shape, result);
}

static gboolean
frame (ReportWriter * writer, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times, GError ** error)
{
  CsvWriter *self = (CsvWriter *) writer;
  guint number;

  find_stream_layout (self, stream, result);
  g_ptr_array_find (self->layouts, self->streams[stream->index].latest, &number);
  g_string_truncate (self->line, 0);
  g_string_append_len (self->line, (const gchar *) &number, sizeof number);
  add_result (self, stream, result, times);
  return report_order_add (writer->order, stream->index, report_time_of (times), self->line->str, self->line->len, error);
}

static void
clear (ReportWriter * writer)
{
  CsvWriter *self = (CsvWriter *) writer;

  for (guint s = 0; s < self->n_streams; s++) {
    g_array_unref (self->streams[s].figures);
    histo_shape_clear (&self->streams[s].shape);
  }
  g_free (self->streams);
  g_free (self->input);
  g_ptr_array_unref (self->layouts);
  g_array_unref (self->columns);
  g_string_free (self->line, TRUE);
}

/**
 * report_csv_writer_set_columns:
 * @writer: of report_csv_writer_new(); before it begins
 * @has_all: each figure that rules can name has a column; else the zones of flashes and the bits used have none
 */
void
report_csv_writer_set_columns (ReportWriter * writer, ReportCsvNames names, gboolean has_all)
{
  CsvWriter *self = (CsvWriter *) writer;

  self->names = names;
  self->has_all = has_all;
}

/* Returns: (transfer full): writes frames as CSV in UTF-8 to @to */
ReportWriter *
report_csv_writer_new (GOutputStream * to)
{
  CsvWriter *self = report_writer_new (sizeof *self, to);

  self->writer.begin = begin;
  self->writer.frame = frame;
  self->writer.write = write_line;
  self->writer.clear = clear;
  self->layouts = g_ptr_array_new_with_free_func (layout_free);
  self->columns = columns_new ();
  self->line = g_string_new (NULL);
  return &self->writer;
}
