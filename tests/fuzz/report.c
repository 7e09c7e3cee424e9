/* Fuzzer: the report. The first byte of an input chooses which part of the report is tested:
 *
 *   a writer    untrusted results, and streams with any names, through the summary and a writer. The
 *               output must be valid JSON, XML or CSV, a complete page, or a row of the index
 *   summaries   the JSON of a summary with any changes, as --merge and --results read it. A summary that
 *               was accepted, alone or merged, is accepted again after it is written, and is the same
 *   files       files of such JSON, or of any bytes; result files that --results finds
 *   options     the command line: what is accepted, and what is passed on to the processes of --jobs
 *   inputs      the shards of the inputs, and the names of their result files
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "report-parts.h"

#include "element/cudahisto.h"
#include "policy/policy.h"
#include "input/settings.h"
#include "writers/html-index.h"

#include <locale.h>

#define MOST_FRAMES 4
#define MOST_TEXT 24
/* Of the colorimetries of a stream. */
#define FIRST_OF_HDR 2

static guint n_formats, n_file_formats;

/* ---- Streams ------------------------------------------------------------------------------------ */

gchar *
fuzz_clean_text (FuzzBytes * bytes)
{
  gchar *text = fuzz_text (bytes, MOST_TEXT);
  gchar *valid = g_utf8_make_valid (text, -1);

  g_free (text);
  return report_clean_text (valid);
}

static void
init_stream (ReportStream * stream, FuzzBytes * bytes, guint index)
{
  static const gchar *const colorimetries[] = { NULL, "bt709", "bt2100-pq", "bt2100-hlg" };
  guint number;

  memset (stream, 0, sizeof *stream);
  stream->index = index;
  stream->is_audio = index == 1;
  stream->title = fuzz_clean_text (bytes);
  stream->codec = fuzz_below (bytes, 2) == 0 ? NULL : fuzz_clean_text (bytes);
  stream->format = g_strdup (stream->is_audio ? "F32LE" : "NV12");
  number = fuzz_below (bytes, G_N_ELEMENTS (colorimetries));
  stream->colorimetry = g_strdup (colorimetries[number]);
  stream->frame_rate = fuzz_below (bytes, 2) == 0 ? 25 : fuzz_double (bytes);
  stream->width = stream->height = 16;
  stream->rate = 48000;
  stream->channels = 2;
  /* Input of zeros has none: FRAMES_AT of report-summary.c counts the bytes. */
  if (number < FIRST_OF_HDR)
    return;
  stream->carried.max_cll = fuzz_edge (bytes);
  stream->carried.max_fall = fuzz_edge (bytes);
  stream->carried.mastering_max = fuzz_double (bytes);
  stream->carried.mastering_min = fuzz_double (bytes);
}

/* ---- Frames ------------------------------------------------------------------------------------- */

typedef struct
{
  ReportWriter *writer;         /* NULL: only the summary is made */
  ReportSummary *summary;
  ReportStream streams[2];
  guint64 time;
  guint n_frames;
} Report;

static void
report_init (Report * report, FuzzBytes * bytes)
{
  ReportSettings settings = {.policies = report_policies_new () };
  gchar *name = fuzz_clean_text (bytes);

  memset (report, 0, sizeof *report);
  report->summary = report_summary_new (name);
  report->summary->duration = fuzz_edge (bytes);
  report->summary->is_complete = TRUE;
  report->summary->alerts = fuzz_u8 (bytes);
  if (fuzz_below (bytes, 2) == 0)
    report->summary->settings = report_settings_describe (&settings);
  report_settings_clear (&settings);
  for (guint i = 0; i < 2; i++) {
    init_stream (&report->streams[i], bytes, i);
    report_summary_add_stream (report->summary, &report->streams[i]);
  }
  g_free (name);
}

static void
report_clear (Report * report)
{
  for (guint i = 0; i < 2; i++)
    report_stream_clear (&report->streams[i]);
  report_summary_free (report->summary);
}

static void
add_alert (Report * report, FuzzBytes * bytes, guint stream)
{
  const HistoAlertEvent event = {
    .alert = fuzz_below (bytes, HISTO_N_ALERTS),
    .is_end = fuzz_below (bytes, 2),
    .component = fuzz_below (bytes, 2) == 0 ? NULL : "Y",
    .region = fuzz_below (bytes, 4) == 0 ? "<&\"\n" : NULL,
    .start = fuzz_below (bytes, 2) == 0 ? report->time : fuzz_edge (bytes),
    .end = fuzz_below (bytes, 2) == 0 ? report->time : fuzz_edge (bytes),
    .value = fuzz_double (bytes),
    .threshold = fuzz_double (bytes),
  };

  report_summary_add_alert (report->summary->streams->pdata[stream], &event);
}

/* Times never decrease. */
static void
advance (Report * report, FuzzBytes * bytes, HistoTimes * times)
{
  const guint kind = fuzz_below (bytes, 16);
  const guint64 step = kind == 15 ? fuzz_edge (bytes) :
      kind % 4 == 0 ? fuzz_u32 (bytes) : 40000000;

  report->time += MIN (step, G_MAXINT64 - report->time);
  *times = (HistoTimes) {
  report->time, report->time, report->time, 40000000};
  if (kind == 7)
    times->duration = fuzz_edge (bytes);
  if (fuzz_below (bytes, 8) == 0)
    times->stream_time = times->duration = GST_CLOCK_TIME_NONE;
}

static void
add_frame (Report * report, FuzzBytes * bytes)
{
  GstStructure *structure = fuzz_structure (bytes);
  HistoResult result = { 0, };
  HistoTimes times;
  guint stream;

  advance (report, bytes, &times);
  if (histo_read_result (structure, &result, NULL)) {
    stream = result.is_audio ? 1 : 0;
    /* As a decoder does. */
    if (!result.is_audio)
      result.colorimetry = report->streams[stream].colorimetry;
    fuzz_check (report->writer == NULL || report_writer_frame (report->writer,
            &report->streams[stream], &result, &times, NULL), "no frame");
    report_summary_add_result (report->summary->streams->pdata[stream],
        &result, &times);
    report->n_frames++;
    if (fuzz_below (bytes, 3) == 0)
      add_alert (report, bytes, stream);
  }
  histo_result_clear (&result);
  gst_structure_free (structure);
}

/* What the input describes, from the begin to the end. */
static void
add_frames (Report * report, FuzzBytes * bytes)
{
  const ReportInput input = { report->summary->name,
    report->summary->duration, 2, report->streams
  };

  fuzz_check (report->writer == NULL || report_writer_begin (report->writer,
          &input, NULL), "no begin");
  for (guint i = fuzz_below (bytes, MOST_FRAMES + 1); i > 0; i--)
    add_frame (report, bytes);
  report_summary_finish (report->summary);
  fuzz_check (report->writer == NULL || report_writer_end (report->writer,
          report->summary, NULL), "no end");
}

ReportSummary *
fuzz_summary_of_results (FuzzBytes * bytes)
{
  Report report;
  ReportSummary *summary;

  report_init (&report, bytes);
  add_frames (&report, bytes);
  summary = g_steal_pointer (&report.summary);
  report_clear (&report);
  return summary;
}

/* ---- Writers ------------------------------------------------------------------------------------ */

/* (transfer full) */
static gchar *
end_output (GOutputStream * to)
{
  gchar *text;

  fuzz_check (g_output_stream_write_all (to, "", 1, NULL, NULL, NULL),
      "no output");
  g_output_stream_close (to, NULL, NULL);
  text = g_memory_output_stream_steal_data (G_MEMORY_OUTPUT_STREAM (to));
  g_object_unref (to);
  return text;
}

const ReportFormat *
fuzz_choose_merge_format (FuzzBytes * bytes)
{
  const guint choice = fuzz_u8 (bytes);
  const ReportFormat *format = &report_formats[choice % n_formats];

  /* JSON is rare, because it takes most of the time. */
  return choice >= 200 && format->option != NULL
      && g_str_has_prefix (format->option, "json") ? format :
      &report_formats[0];
}

void
fuzz_write_summary (const ReportFormat * format, ReportSummary * summary)
{
  const ReportInput input = { summary->name, summary->duration, 0, NULL };
  GOutputStream *to = g_memory_output_stream_new_resizable ();
  ReportWriter *writer = format->make (to);
  gchar *text;

  fuzz_check (report_writer_begin (writer, &input, NULL)
      && report_writer_end (writer, summary, NULL), "a summary is not written");
  report_writer_free (writer);
  text = end_output (to);
  fuzz_check_output (format, text);
  g_free (text);
}

/* @is_file: one of report_file_formats */
static void
check_format (Report * report, FuzzBytes * bytes, const ReportFormat * format,
    gboolean is_file)
{
  GOutputStream *to = g_memory_output_stream_new_resizable ();
  gsize size;
  gchar *text;

  report->writer = format->make (to);
  add_frames (report, bytes);
  report_writer_free (report->writer);
  size = g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (to));
  text = end_output (to);
  if (is_file)
    fuzz_check_file (format, report->n_frames, (const guint8 *) text, size);
  else
    fuzz_check_output (format, text);
  g_free (text);
}

/* The row of the index: a line of JSON behind a comma, which the index takes. */
static void
check_row (Report * report, FuzzBytes * bytes)
{
  GOutputStream *to = g_memory_output_stream_new_resizable ();
  ReportIndex *index = report_index_new ();
  gchar *row;

  report->writer = report_index_row_writer_new (to, "a page%.html");
  add_frames (report, bytes);
  report_writer_free (report->writer);
  row = end_output (to);
  fuzz_check (report_index_take (index, row, strlen (row)) && !report_index_take (index, row, strlen (row) - 1),
      "no row: %s", row);
  json_node_unref (fuzz_parse_json (row + 1));
  fuzz_check (strchr (row, '<') == NULL, "a row could end the script: %s", row);
  report_index_free (index);
  g_free (row);
}

/* Results through a writer. Now and then the summary is read again and merged. */
static void
check_writer (FuzzBytes * bytes)
{
  const guint number = fuzz_below (bytes, n_formats + n_file_formats + 1);
  const guint further = fuzz_u8 (bytes);
  Report report;

  report_init (&report, bytes);
  if (number < n_formats)
    check_format (&report, bytes, &report_formats[number], FALSE);
  else if (number < n_formats + n_file_formats)
    check_format (&report, bytes, &report_file_formats[number - n_formats],
        TRUE);
  else
    check_row (&report, bytes);
  if (further % 8 == 1)
    fuzz_check_merge (report.summary, bytes);
  report_clear (&report);
}

/* ---- Inputs ------------------------------------------------------------------------------------- */

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  /* As the program does, so that options are in UTF-8. */
  setlocale (LC_CTYPE, "C.UTF-8");
  fuzz_init ();
  fuzz_structures_init ();
  while (report_formats[n_formats].description != NULL)
    n_formats++;
  while (report_file_formats[n_file_formats].description != NULL)
    n_file_formats++;
  gst_element_register (NULL, "cudahisto", GST_RANK_NONE, GST_TYPE_CUDA_HISTO);
  fuzz_summaries_init ();
  fuzz_commands_init ();
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  FuzzBytes bytes = { data, size };

  switch (fuzz_below (&bytes, 16)) {
    case 6:
    case 7:
    case 8:
    case 9:
      fuzz_check_merge (NULL, &bytes);
      break;
    case 10:
      fuzz_check_load (&bytes);
      break;
    case 11:
      fuzz_check_results (&bytes);
      break;
    case 12:
    case 13:
      fuzz_check_options (&bytes);
      break;
    case 14:
      fuzz_check_shards (&bytes);
      break;
    case 15:
      fuzz_check_result_path (&bytes);
      break;
    default:
      check_writer (&bytes);
  }
  return 0;
}
