/* The writer of CSV: a line for each frame or window of sound.
 *
 * The first line has the names of all columns. They come in one order: what all lines have; video;
 * sound. In each: the whole picture before the regions, and the groups as their table has them.
 * Which columns a stream has follows from its first result and from what is measured of it. If a
 * later result has other columns, another line of names is written.
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

/* A line that is being made. Values are texts in turn, each with its NUL. */
typedef struct
{
  GArray *columns;              /* (element-type Column) */
  GString *values;
  guint section;                /* of the next columns */
} Line;

typedef struct
{
  ReportWriter writer;
  gchar *input;
  guint n_streams;
  GPtrArray *layouts;           /* (element-type Layout): all that there have been */
  Layout **firsts, **latests;   /* of each stream; NULL: it has none */
  GArray *columns;              /* (element-type Column): of the latest line of names */
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

/* Adds a column. @prefix: "Y." or "". @value: "" is absent */
static void
add (Line * line, const gchar * prefix, const gchar * name,
    const gchar * value)
{
  const Column column = { g_strconcat (prefix, name, NULL), line->section };

  g_array_append_val (line->columns, column);
  g_string_append_len (line->values, value, strlen (value) + 1);
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

/* Names come from outside. With an apostrophe before it, no spreadsheet takes a name for a formula. A name that begins
 * with an apostrophe gets another one: a reader that drops the first one has the name.
 *
 * Returns: (transfer full): the text, with quotes if it needs some (RFC 4180), or if another list than that of commas
 * would be cut in it */
gchar *
report_csv_quote (const gchar * text)
{
  const gchar *apostrophe = *text == '\'' || *text == '\t' || *text == '\r'
      || *text == '\n' || is_formula (text) ? "'" : "";
  gchar **parts;
  gchar *doubled, *quoted;

  if (strpbrk (text, ",;\t\"\r\n") == NULL)
    return g_strconcat (apostrophe, text, NULL);
  parts = g_strsplit (text, "\"", -1);
  doubled = g_strjoinv ("\"\"", parts);
  quoted = g_strdup_printf ("\"%s%s\"", apostrophe, doubled);
  g_strfreev (parts);
  g_free (doubled);
  return quoted;
}

static void
add_text (Line * line, const gchar * name, const gchar * text)
{
  gchar *quoted = report_csv_quote (text != NULL ? text : "");

  add (line, "", name, quoted);
  g_free (quoted);
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
  add (line, prefix, name, buffer);
}

static void
add_int (Line * line, const gchar * prefix, const gchar * name,
    guint64 number)
{
  gchar buffer[32];

  g_snprintf (buffer, sizeof buffer, "%" G_GUINT64_FORMAT, number);
  add (line, prefix, name, buffer);
}

static void
add_time (Line * line, const gchar * name, guint64 time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    add_int (line, "", name, time);
  else
    add (line, "", name, "");
}

/* @figures: (nullable): NULL: they are absent */
static void
add_figures (Line * line, const gchar * prefix, const HistoFigureInfo * infos,
    guint n, gconstpointer figures)
{
  for (guint i = 0; i < n; i++) {
    const HistoFigureInfo *info = &infos[i];

    if (figures == NULL)
      add (line, prefix, info->name, "");
    else if (info->type == HISTO_FIGURE_UINT64)
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

/* ---- The names of regions ------------------------------------------------------------------------ */

/* Whether the name is that of a group, or ends in one after a point: the columns of the region "motion"
 * would be those of the group, and those of "a.motion" the ones of the group of the region "a". */
static gboolean
ends_in_group (const gchar * name)
{
  const gchar *point = strrchr (name, '.');
  const gchar *end = point != NULL ? point + 1 : name;

  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    if (g_str_equal (end, histo_groups[g].name))
      return TRUE;
  }
  return FALSE;
}

/* Whether it looks like a name with the number of its region. */
static gboolean
ends_in_number (const gchar * name)
{
  const gchar *sign = strrchr (name, '#');

  return sign != NULL && sign[1] != '\0'
      && sign[1 + strspn (sign + 1, "0123456789")] == '\0';
}

/* What the names of each region's columns begin with: its name and a point. If other columns could
 * have these names, the number of the region comes after its name: no two columns are alike.
 *
 * Returns: (transfer full) (array zero-terminated): that of the whole picture is "" */
static gchar **
name_regions (const HistoResult * result)
{
  const guint n = MAX (result->n_regions, 1);
  GStrvBuilder *prefixes = g_strv_builder_new ();
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  gchar **all;

  g_strv_builder_add (prefixes, "");
  for (guint r = 1; r < n; r++) {
    const gchar *given = result->regions[r].region.name;
    gchar *name = report_clean_text (g_strdup (given != NULL ? given : ""));
    const gboolean is_taken = ends_in_group (name) || ends_in_number (name)
        || g_hash_table_contains (names, name);
    gchar *prefix = is_taken ? g_strdup_printf ("%s#%u.", name, r) :
        g_strdup_printf ("%s.", name);

    g_strv_builder_add (prefixes, prefix);
    g_hash_table_add (names, name);
    g_free (prefix);
  }
  all = g_strv_builder_end (prefixes);
  g_strv_builder_unref (prefixes);
  g_hash_table_unref (names);
  return all;
}

/* ---- From a result to a line -------------------------------------------------------------------- */

/* @levels: (nullable): of a channel */
static void
add_component (Line * line, const gchar * region, HistoGroup group,
    const gchar * name, const HistoFigures * figures,
    const HistoLevelFigures * levels)
{
  gchar *prefix = group == HISTO_GROUP_BASIC ?
      g_strdup_printf ("%s%s.", region, name) :
      g_strdup_printf ("%s%s.%s.", region, histo_groups[group].name, name);

  add_figures (line, prefix, histo_figures, HISTO_N_FIGURES, figures);
  if (levels != NULL)
    add_figures (line, prefix, histo_level_figures, HISTO_N_LEVEL_FIGURES,
        levels);
  g_free (prefix);
}

/* The components of a group. A first frame has no motion: then the components are absent. */
static void
add_components (Line * line, const HistoResult * result, guint r,
    const gchar * region, HistoGroup group)
{
  const HistoComponentResult *components =
      histo_result_region_components (result, r);
  const gboolean is_absent = !histo_result_has_group (result, group);
  const gboolean has_levels = histo_result_has_group (result,
      HISTO_GROUP_LEVEL);

  for (guint i = 0; i < result->n_region_components; i++) {
    const HistoComponentResult *component = &components[i];

    if (is_absent && group == HISTO_GROUP_MOTION
        && component->group == HISTO_GROUP_BASIC)
      add_component (line, region, group, component->name, NULL, NULL);
    else if (component->group == group)
      add_component (line, region, group, component->name,
          &component->figures, has_levels ? &result->levels[i] : NULL);
  }
}

/* What a group of video has beside its components. */
static void
add_group (Line * line, const HistoGroupFigures * figures,
    const gchar * region, HistoGroup group)
{
  gchar *prefix = g_strdup_printf ("%s%s.", region, histo_groups[group].name);

  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];
    const gdouble figure = G_STRUCT_MEMBER (gdouble, figures, info->offset);

    if (info->group != group)
      continue;
    if (info->type == HISTO_FIGURE_CHOICE)
      add (line, prefix, info->name,
          isnan (figure) ? "" : histo_choice_name (info, (guint) figure));
    else
      add_double (line, prefix, info->name, figure);
  }
  if (group == HISTO_GROUP_AREA) {
    add_int (line, prefix, "x", figures->area_x);
    add_int (line, prefix, "y", figures->area_y);
    add_int (line, prefix, "width", figures->area_width);
    add_int (line, prefix, "height", figures->area_height);
  }
  g_free (prefix);
}

/* @groups: flags of those that are measured */
static void
add_video (Line * line, const HistoResult * result, guint groups)
{
  gchar **regions = name_regions (result);

  for (guint r = 0; r < result->n_regions; r++) {
    for (guint g = HISTO_GROUP_BASIC; g < HISTO_N_GROUPS; g++) {
      if ((groups & HISTO_GROUP_FLAG (g)) == 0)
        continue;
      line->section = place_in_section (SECTION_VIDEO, r, g);
      add_components (line, result, r, regions[r], g);
      if (g != HISTO_GROUP_BASIC)
        add_group (line, &result->regions[r].figures, regions[r], g);
    }
  }
  g_strfreev (regions);
}

static void
add_pairs (Line * line, const HistoResult * result)
{
  for (guint i = 0; i < result->n_pairs; i++) {
    const HistoPairResult *pair = &result->pairs[i];
    gchar *prefix = g_strdup_printf ("%s-%s.",
        result->components[pair->first].name,
        result->components[pair->second].name);

    add_figures (line, prefix, histo_pair_figures, HISTO_N_PAIR_FIGURES,
        &pair->figures);
    g_free (prefix);
  }
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

static void
add_audio (Line * line, const HistoResult * result)
{
  line->section = place_in_section (SECTION_AUDIO, 0, HISTO_GROUP_BASIC);
  add_components (line, result, 0, "", HISTO_GROUP_BASIC);
  line->section = place_in_section (SECTION_AUDIO, 0, HISTO_GROUP_LEVEL);
  add_pairs (line, result);
  line->section = place_in_section (SECTION_AUDIO, 0, HISTO_GROUP_LOUDNESS);
  if (histo_result_has_group (result, HISTO_GROUP_LOUDNESS))
    add_loudness (line, result);
}

static void
add_result (Line * line, const gchar * input, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times)
{
  line->section = place_in_section (SECTION_ALL, 0, 0);
  add_text (line, "input", input);
  add_int (line, "", "stream", stream->index);
  add_text (line, "title", stream->title);
  add_time (line, "timestamp", times->timestamp);
  add_time (line, "stream-time", times->stream_time);
  add_time (line, "duration", times->duration);
  add_text (line, "media", result->is_audio ? "audio" : "video");
  add_text (line, "format", result->format);
  if (result->is_audio) {
    line->section = place_in_section (SECTION_SAMPLES, 0, 0);
    add_int (line, "", "samples", result->n_samples);
    add_audio (line, result);
  } else {
    line->section = place_in_section (SECTION_PICTURE, 0, 0);
    add_int (line, "", "width", result->width);
    add_int (line, "", "height", result->height);
    add_video (line, result, result->groups
        | (stream->groups & HISTO_GROUP_FLAG (HISTO_GROUP_MOTION)));
  }
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
  if (layout == NULL || layout->stream != stream
      || layout->columns->len != columns->len)
    return FALSE;
  for (guint i = 0; i < columns->len; i++) {
    if (!g_str_equal (g_array_index (columns, Column, i).name,
            g_array_index (layout->columns, Column, i).name))
      return FALSE;
  }
  return TRUE;
}

/* Returns: (transfer none): the layout of a line, which may be a new one. It mostly is that of the
 * line before. */
static Layout *
find_layout (CsvWriter * self, guint stream, GArray * columns)
{
  Layout *layout = self->latests[stream];

  if (has_columns (layout, stream, columns))
    return layout;
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
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);
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
  g_hash_table_unref (names);
  /* Stable: equal ones keep their order. */
  g_array_sort (columns, compare_columns);
  return columns;
}

/* Finds the places of all layouts that the line of names has. */
static void
find_places (CsvWriter * self)
{
  GHashTable *numbers = g_hash_table_new (g_str_hash, g_str_equal);

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
  g_hash_table_unref (numbers);
}

/* ---- Writing ------------------------------------------------------------------------------------ */

/* @cells: (array): one for each column; NULL: empty */
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
  ok = report_writer_write (&self->writer, text->str, text->len, error);
  g_string_free (text, TRUE);
  return ok;
}

/* The name of a region may be any text. */
static gboolean
write_names (CsvWriter * self, GError ** error)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  gboolean ok;

  for (guint i = 0; i < self->columns->len; i++)
    g_ptr_array_add (names, report_csv_quote (g_array_index (self->columns, Column,
                i).name));
  ok = write_cells (self, (const gchar * const *) names->pdata, error);
  g_ptr_array_unref (names);
  return ok;
}

/* Sees to it that the line of names has the columns of a layout. The first one has those of the first
 * results of all streams: each stream has had one before a line is released. */
static gboolean
name_layout (CsvWriter * self, Layout * layout, GError ** error)
{
  GArray *columns;
  gboolean is_new;

  if (layout->is_named)
    return TRUE;
  layout->is_named = TRUE;
  if (self->columns->len == 0) {
    for (guint s = 0; s < self->n_streams; s++) {
      if (self->firsts[s] != NULL)
        self->firsts[s]->is_named = TRUE;
    }
  }
  columns = collect_columns (self);
  is_new = columns->len > self->columns->len;
  if (is_new) {
    g_array_unref (self->columns);
    self->columns = g_array_ref (columns);
  }
  g_array_unref (columns);
  find_places (self);
  return !is_new || write_names (self, error);
}

/* A ReportOrderFunc. @text: the number of the layout, and the values */
static gboolean
write_line (gpointer data, const gchar * text, gsize length, GError ** error)
{
  CsvWriter *self = data;
  const gchar **cells;
  Layout *layout;
  guint number;
  gboolean ok;

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
  ok = write_cells (self, cells, error);
  g_free (cells);
  return ok;
}

/* ---- The writer --------------------------------------------------------------------------------- */

static gboolean
begin (ReportWriter * writer, const ReportInput * input, GError ** error)
{
  CsvWriter *self = (CsvWriter *) writer;

  self->input = g_strdup (input->name);
  self->n_streams = input->n_streams;
  self->firsts = g_new0 (Layout *, MAX (input->n_streams, 1));
  self->latests = g_new0 (Layout *, MAX (input->n_streams, 1));
  return TRUE;
}

static gboolean
frame (ReportWriter * writer, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times, GError ** error)
{
  CsvWriter *self = (CsvWriter *) writer;
  const guint s = stream->index;
  Line line = { columns_new (), g_string_new (NULL), 0 };
  Layout *layout;
  guint number;
  gboolean ok;

  add_result (&line, self->input, stream, result, times);
  layout = self->latests[s] = find_layout (self, s, line.columns);
  if (self->firsts[s] == NULL)
    self->firsts[s] = layout;
  g_ptr_array_find (self->layouts, layout, &number);
  g_string_prepend_len (line.values, (const gchar *) &number, sizeof number);
  ok = report_order_add (writer->order, s, report_time_of (times),
      line.values->str, line.values->len, error);
  g_array_unref (line.columns);
  g_string_free (line.values, TRUE);
  return ok;
}

static void
clear (ReportWriter * writer)
{
  CsvWriter *self = (CsvWriter *) writer;

  g_free (self->input);
  g_free (self->firsts);
  g_free (self->latests);
  g_ptr_array_unref (self->layouts);
  g_array_unref (self->columns);
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
  return &self->writer;
}
