/* The index of all inputs; see html-index.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "writers/html-index.h"

#include <math.h>
#include <string.h>

#include "base/tiny.h"
#include "notices/notices.h"
#include "notices/verdict-line.h"
#include "summary/json.h"
#include "writers/html-template.h"
#include "writers/html-view.h"

/* The curve of luma has at most so many points, with so many steps between black and white. A point is a character of
 * base64. */
#define MOST_POINTS 64
#define LUMA_DIGITS 4
#define STEPS 63
static const gchar digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
#define NO_POINT '-'

/* The members of a row, in this order. html/index.js knows them by these names. */
static const gchar *const members[] = {
  "name",                       /* of the input, as the user wrote it */
  "page",                       /* the address of its page from the index on; null: it has none */
  "verdict",                    /* the word of the verdict line */
  "notice",                     /* the worst notice, in words */
  "count",                      /* notices that are no notes */
  "kinds",                      /* of these, as numbers of the list of kinds */
  "length",                     /* ms; null: unknown */
  "loudness",                   /* integrated, of each stream of sound, in tenths of LUFS; null: there is none */
  "luma",                       /* its mean over time, as characters */
  "picture",                    /* a tiny JPEG without its tables, in base64; null: there is none */
};

struct _ReportIndex
{
  GString *rows;                /* each begins with a comma and ends with a line feed */
  guint n_rows;
};

typedef struct
{
  ReportWriter parent;
  gchar *page;                  /* the name of the file; NULL: none */
  gint stream;                  /* whose luma the row shows: the first one of video; -1: there is none */
  ReportColumns *luma;          /* its mean, as a share of the range */
} RowWriter;

/* ---- A row ----------------------------------------------------------------------------------- */

static gboolean
row_begin (ReportWriter * writer, const ReportInput * input, GError ** error)
{
  RowWriter *row = (RowWriter *) writer;

  row->stream = -1;
  for (guint i = 0; i < input->n_streams && row->stream < 0; i++)
    row->stream = input->streams[i].is_audio ? -1 : (gint) input->streams[i].index;
  row->luma = report_columns_new (MOST_POINTS);
  report_columns_add_series (row->luma, "luma", "mean", "mean", NULL, LUMA_DIGITS, 0, REPORT_KEEP_MEAN);
  return TRUE;
}

static gboolean
row_frame (ReportWriter * writer, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times, GError ** error)
{
  RowWriter *row = (RowWriter *) writer;
  const HistoComponentResult *luma;
  gdouble share = NAN;

  if (row->stream != (gint) stream->index || result->is_audio)
    return TRUE;
  luma = report_view_find_luma (result, 0);
  if (luma != NULL)
    share = (luma->figures.mean - luma->figures.range_min) / (luma->figures.range_max - luma->figures.range_min);
  report_columns_add (row->luma, 0, &share);
  return TRUE;
}

static void
add_kinds (ReportJson * json, const ReportSummary * summary)
{
  guint found = 0, n = 0;

  for (guint i = 0; i < summary->notices->len; i++) {
    const ReportNotice *notice = summary->notices->pdata[i];

    if (notice->severity == REPORT_SEVERITY_NOTE)
      continue;
    found |= REPORT_NOTICE_FLAG (notice->kind);
    n++;
  }
  report_json_put_int (json, n);
  report_json_begin_array (json, NULL);
  for (guint kind = 0; kind < REPORT_N_NOTICE_KINDS; kind++) {
    if ((found & REPORT_NOTICE_FLAG (kind)) != 0)
      report_json_put_int (json, kind);
  }
  report_json_end_array (json);
}

static void
add_loudness (ReportJson * json, const ReportSummary * summary)
{
  report_json_begin_array (json, NULL);
  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *stream = summary->streams->pdata[i];
    const HistoRange *integrated = &stream->loudness[HISTO_LOUDNESS_FIGURE_integrated];

    if (!stream->stream->is_audio || stream->is_spare)
      continue;
    if (integrated->n > 0 && isfinite (integrated->last))
      report_json_put_int (json, lrint (CLAMP (integrated->last, -1000, 1000) * 10));
    else
      report_json_put_null (json);
  }
  report_json_end_array (json);
}

static void
add_luma (ReportJson * json, const ReportColumns * luma)
{
  const guint n = report_columns_get_length (luma);
  const guint32 *codes = report_columns_get_codes (luma, 0);
  gchar text[MOST_POINTS + 2];

  g_assert (n < sizeof text);
  for (guint i = 0; i < n; i++)
    text[i] = codes[i] == REPORT_CODE_NONE ? NO_POINT :
        digits[(guint) MIN (rint (codes[i] * (STEPS / pow (10, LUMA_DIGITS))), STEPS)];
  text[n] = '\0';
  report_json_put_text (json, text);
}

/* Returns: (nullable): of the frames in even steps the one that JPEG finds hardest to describe: it is neither black nor a
 * plain title */
static const ReportThumbnail *
choose_thumbnail (const ReportSummary * summary)
{
  const ReportThumbnail *chosen = NULL;

  for (guint i = 0; chosen == NULL && i < summary->streams->len; i++) {
    const ReportStreamSummary *stream = summary->streams->pdata[i];

    for (guint k = 0; k < stream->thumbnails->len; k++) {
      const ReportThumbnail *thumbnail = stream->thumbnails->pdata[k];

      if (thumbnail->why == REPORT_KEPT_STEP
          && (chosen == NULL || g_bytes_get_size (thumbnail->jpeg) > g_bytes_get_size (chosen->jpeg)))
        chosen = thumbnail;
    }
  }
  return chosen;
}

static void
add_picture (ReportJson * json, const ReportSummary * summary)
{
  const ReportThumbnail *thumbnail = choose_thumbnail (summary);
  g_autoptr (GBytes) tiny = thumbnail != NULL ? report_tiny_new (thumbnail->jpeg) : NULL;
  g_autofree gchar *text = tiny != NULL ?
      g_base64_encode (g_bytes_get_data (tiny, NULL), g_bytes_get_size (tiny)) : NULL;

  if (text != NULL)
    report_json_put_text (json, text);
  else
    report_json_put_null (json);
}

static gboolean
row_end (ReportWriter * writer, const ReportSummary * summary, GError ** error)
{
  RowWriter *row = (RowWriter *) writer;
  ReportJson *json = report_json_new (FALSE);
  const gchar *word;
  g_autofree gchar *notice = report_verdict_line_split (summary, 1, &word);
  g_autofree gchar *page = row->page != NULL && summary->streams->len > 0 ?
      g_uri_escape_string (row->page, NULL, FALSE) : NULL;
  g_autofree gchar *text = NULL, *line = NULL;

  report_columns_finish (row->luma);
  report_json_begin_array (json, NULL);
  report_json_put_text (json, summary->name);
  if (page != NULL)
    report_json_put_text (json, page);
  else
    report_json_put_null (json);
  report_json_put_text (json, word != NULL ? word : notice);
  report_json_put_text (json, word != NULL ? notice : "");
  add_kinds (json, summary);
  if (GST_CLOCK_TIME_IS_VALID (summary->duration))
    report_json_put_int (json, (summary->duration + GST_MSECOND / 2) / GST_MSECOND);
  else
    report_json_put_null (json);
  add_loudness (json, summary);
  add_luma (json, row->luma);
  add_picture (json, summary);
  report_json_end_array (json);
  text = report_template_json (json);
  line = g_strconcat (",", text, "\n", NULL);
  return report_writer_write (writer, line, strlen (line), error);
}

static void
row_clear (ReportWriter * writer)
{
  RowWriter *row = (RowWriter *) writer;

  g_clear_pointer (&row->luma, report_columns_free);
  g_free (row->page);
}

/**
 * report_index_row_writer_new:
 * @page: (nullable): the name of the file with the page of the input, in the encoding of file names; NULL: it has none
 *
 * Returns: (transfer full): a writer of the row of one input
 */
ReportWriter *
report_index_row_writer_new (GOutputStream * to, const gchar * page)
{
  RowWriter *row = report_writer_new (sizeof *row, to);

  row->parent.begin = row_begin;
  row->parent.frame = row_frame;
  row->parent.end = row_end;
  row->parent.clear = row_clear;
  row->parent.tells_unreadable = TRUE;
  row->page = g_strdup (page);
  return &row->parent;
}

/* ---- All rows -------------------------------------------------------------------------------- */

ReportIndex *
report_index_new (void)
{
  ReportIndex *index = g_new0 (ReportIndex, 1);

  index->rows = g_string_new (NULL);
  return index;
}

void
report_index_free (ReportIndex * index)
{
  g_string_free (index->rows, TRUE);
  g_free (index);
}

/* Adds a row that a writer made. Returns: FALSE if it is not a whole one: the process that wrote it was killed */
gboolean
report_index_take (ReportIndex * index, const gchar * row, gsize length)
{
  if (length < 2 || row[0] != ',' || memchr (row, '\n', length) != row + length - 1)
    return FALSE;
  g_string_append_len (index->rows, row, length);
  index->n_rows++;
  return TRUE;
}

/* Adds a row of an input without frames, which has no page. */
void
report_index_add (ReportIndex * index, ReportSummary * summary)
{
  g_autoptr (GOutputStream) to = g_memory_output_stream_new_resizable ();
  g_autoptr (ReportWriter) writer = report_index_row_writer_new (to, NULL);

  /* Memory takes all that is written. */
  report_writer_tell (writer, summary, NULL);
  report_index_take (index, g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (to)),
      g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (to)));
}

/* ---- The page -------------------------------------------------------------------------------- */

typedef struct
{
  const ReportIndex *index;
  guint n_measured;
  gboolean was_interrupted;
} Places;

static void
add_texts (ReportJson * json, const gchar * key, const gchar * const *texts,
    guint n)
{
  report_json_begin_array (json, key);
  for (guint i = 0; i < n; i++)
    report_json_put_text (json, texts[i]);
  report_json_end_array (json);
}

static gchar *
describe (const Places * places)
{
  ReportJson *json = report_json_new (FALSE);
  g_autoptr (GBytes) tables = report_tiny_tables ();
  g_autofree gchar *text = g_base64_encode (g_bytes_get_data (tables, NULL), g_bytes_get_size (tables));

  report_json_begin_object (json, NULL);
  report_json_add_text (json, "tables", text);
  report_json_add_text (json, "generator", "cudahisto-report " PACKAGE_VERSION);
  report_json_add_int (json, "measured", places->n_measured);
  report_json_set_key (json, "interrupted");
  report_json_put_boolean (json, places->was_interrupted);
  add_texts (json, "members", members, G_N_ELEMENTS (members));
  add_texts (json, "kinds", report_notice_kind_names, REPORT_N_NOTICE_KINDS);
  report_json_end_object (json);
  return report_template_json (json);
}

static gboolean
put_place (const gchar * place, gpointer data, GOutputStream * to,
    GError ** error)
{
  const Places *places = data;
  g_autofree gchar *description = NULL;

  if (g_str_equal (place, "mark"))
    return report_template_put (to, REPORT_INDEX_MARK, error);
  if (g_str_equal (place, "rows"))
    /* Behind the first comma. */
    return report_template_put (to, places->index->rows->str + (places->index->n_rows > 0), error);
  g_assert (g_str_equal (place, "description"));
  description = describe (places);
  return report_template_put (to, description, error);
}

/* @n_measured: inputs of which something was measured */
gboolean
report_index_write (const ReportIndex * index, guint n_measured,
    gboolean was_interrupted, GOutputStream * to, GError ** error)
{
  Places places = { index, n_measured, was_interrupted };

  return report_template_write ("index.html", put_place, &places, to, error)
      && g_output_stream_flush (to, NULL, error);
}
