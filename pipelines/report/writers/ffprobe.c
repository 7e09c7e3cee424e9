/* Frames as ffprobe prints them, in its formats default and json; see formats.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/formats.h"

#include "writers/ffmpeg-keys.h"
#include "base/order.h"

#include <json-glib/json-glib.h>
#include <string.h>

typedef struct
{
  ReportWriter parent;
  gboolean is_json;
  gboolean has_frames;          /* json: a comma comes before the next one */
  gboolean is_in_tags;          /* json: the frame has begun its tags */
  gchar *name;                  /* of the input */
  GString *text;                /* of the frame that is being printed */
} FfprobeWriter;

/* ---- Lines of a frame ------------------------------------------------------------------------ */

/* Appends a JSON string. */
static void
append_string (GString * text, const gchar * string)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_VALUE);
  g_autofree gchar *json = NULL;

  json_node_set_string (node, string);
  json = json_to_string (node, FALSE);
  g_string_append (text, json);
}

/* Begins the line of a field in JSON. */
static void
begin_json_line (GString * text, guint indent, const gchar * key)
{
  if (text->str[text->len - 1] != '{')
    g_string_append_c (text, ',');
  g_string_append_printf (text, "\n%*s", indent, "");
  append_string (text, key);
  g_string_append (text, ": ");
}

/* @is_number: JSON prints it without quotes, as ffprobe does */
static void
print_field (FfprobeWriter * ffprobe, guint indent, const gchar * key,
    const gchar * value, gboolean is_number)
{
  GString *text = ffprobe->text;

  if (!ffprobe->is_json) {
    g_string_append_printf (text, "%s=%s\n", key, value);
    return;
  }
  begin_json_line (text, indent, key);
  if (is_number)
    g_string_append (text, value);
  else
    append_string (text, value);
}

static void
print_integer (FfprobeWriter * ffprobe, const gchar * key, gint64 number)
{
  gchar value[32];

  g_snprintf (value, sizeof value, "%" G_GINT64_FORMAT, number);
  print_field (ffprobe, 12, key, value, TRUE);
}

/* A time as a whole number of units and in seconds. Unknown times are left out, with json, or are
 * N/A. @key: the key of the whole number */
static void
print_time (FfprobeWriter * ffprobe, const gchar * key, guint64 time,
    guint64 units)
{
  g_autofree gchar *key_of_seconds = g_strconcat (key, "_time", NULL);
  gchar seconds[32];

  if (GST_CLOCK_TIME_IS_VALID (time)) {
    print_integer (ffprobe, key,
        gst_util_uint64_scale_round (time, units, GST_SECOND));
    g_ascii_formatd (seconds, sizeof seconds, "%f",
        (gdouble) time / GST_SECOND);
    print_field (ffprobe, 12, key_of_seconds, seconds, FALSE);
  } else if (!ffprobe->is_json) {
    print_field (ffprobe, 12, key, "N/A", FALSE);
    print_field (ffprobe, 12, key_of_seconds, "N/A", FALSE);
  }
}

/* A ReportKeyFunc. */
static void
print_tag (gpointer data, const gchar * key, const gchar * value)
{
  FfprobeWriter *ffprobe = data;

  if (!ffprobe->is_json) {
    g_string_append_printf (ffprobe->text, "TAG:lavfi.%s=%s\n", key, value);
  } else {
    g_autofree gchar *full = g_strconcat ("lavfi.", key, NULL);

    if (!ffprobe->is_in_tags)
      begin_json_line (ffprobe->text, 12, "tags");
    if (!ffprobe->is_in_tags)
      g_string_append_c (ffprobe->text, '{');
    ffprobe->is_in_tags = TRUE;
    begin_json_line (ffprobe->text, 16, full);
    append_string (ffprobe->text, value);
  }
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static void
print_frame (FfprobeWriter * ffprobe, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times)
{
  const ReportKeySink sink = { print_tag, ffprobe };
  const guint64 units = report_time_base (stream);
  const guint64 time = report_container_time (stream, times);
  const gchar *format = result->is_audio ?
      report_ffmpeg_sample_format (result->format) :
      report_ffmpeg_pixel_format (result->format);

  print_field (ffprobe, 12, "media_type", result->is_audio ? "audio" : "video",
      FALSE);
  print_integer (ffprobe, "stream_index", stream->index);
  print_time (ffprobe, "pts", time, units);
  print_time (ffprobe, "best_effort_timestamp", time, units);
  print_time (ffprobe, "pkt_duration", times->duration, units);
  if (!result->is_audio) {
    print_integer (ffprobe, "width", result->width);
    print_integer (ffprobe, "height", result->height);
  }
  if (format != NULL)
    print_field (ffprobe, 12, result->is_audio ? "sample_fmt" : "pix_fmt",
        format, FALSE);
  if (!result->is_audio) {
    report_keys_signalstats (result, stream->n_before, &sink);
    return;
  }
  print_integer (ffprobe, "nb_samples", result->n_samples);
  print_integer (ffprobe, "channels", result->channels);
  report_keys_ebur128 (result, stream->n_before, &sink);
  report_keys_astats (result, REPORT_ASTATS_NATIVE, &sink);
}

/* A ReportOrderFunc. */
static gboolean
write_frame (gpointer data, const gchar * text, gsize length, GError ** error)
{
  FfprobeWriter *ffprobe = data;
  const gboolean needs_comma = ffprobe->is_json && ffprobe->has_frames;

  ffprobe->has_frames = TRUE;
  return (!needs_comma || report_writer_write (&ffprobe->parent, ",", 1, error))
      && report_writer_write (&ffprobe->parent, text, length, error);
}

/* ---- The input ------------------------------------------------------------------------------- */

/* ffprobe has no place for what is wrong with a file. The tags of a file may have any names. */
static void
print_problems (FfprobeWriter * ffprobe, const ReportSummary * summary)
{
  GString *text = ffprobe->text;
  g_autofree gchar *problems = report_problems_join (summary->problems);
  const gchar *prefix = ffprobe->is_json ? "" : "TAG:";
  const struct
  {
    const gchar *key, *value;
  } tags[] = {
    {REPORT_TAG_COMPLETE, summary->is_complete ? "true" : "false"},
    {REPORT_TAG_PROBLEMS, problems}
  };

  if (ffprobe->is_json) {
    begin_json_line (text, 8, "tags");
    g_string_append_c (text, '{');
  }
  for (guint i = 0; i < G_N_ELEMENTS (tags); i++) {
    g_autofree gchar *key = g_strconcat (prefix, tags[i].key, NULL);

    print_field (ffprobe, 12, key, tags[i].value, FALSE);
  }
  if (ffprobe->is_json)
    g_string_append (text, "\n        }");
}

/* What ffprobe prints with -show_format, as far as it is known. */
static void
print_format (FfprobeWriter * ffprobe, const ReportSummary * summary)
{
  GString *text = ffprobe->text;
  gchar number[32];

  if (ffprobe->is_json)
    begin_json_line (text, 4, "format");
  g_string_append (text, ffprobe->is_json ? "{" : "[FORMAT]\n");
  print_field (ffprobe, 8, "filename", ffprobe->name, FALSE);
  g_snprintf (number, sizeof number, "%u", summary->streams->len);
  print_field (ffprobe, 8, "nb_streams", number, TRUE);
  print_field (ffprobe, 8, "nb_programs", "0", TRUE);
  if (GST_CLOCK_TIME_IS_VALID (summary->duration)) {
    g_ascii_formatd (number, sizeof number, "%f",
        (gdouble) summary->duration / GST_SECOND);
    print_field (ffprobe, 8, "duration", number, FALSE);
  }
  if (summary->problems->len > 0)
    print_problems (ffprobe, summary);
  g_string_append (text, ffprobe->is_json ? "\n    }" : "[/FORMAT]\n");
}

/* ---- The writer ------------------------------------------------------------------------------ */

static gboolean
ffprobe_begin (ReportWriter * writer, const ReportInput * input,
    GError ** error)
{
  FfprobeWriter *ffprobe = (FfprobeWriter *) writer;
  const gchar *text = ffprobe->is_json ? "{\n    \"frames\": [" : "";

  ffprobe->name = g_strdup (input->name);
  return report_writer_write (&ffprobe->parent, text, strlen (text), error);
}

static gboolean
ffprobe_frame (ReportWriter * writer, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times, GError ** error)
{
  FfprobeWriter *ffprobe = (FfprobeWriter *) writer;

  g_string_assign (ffprobe->text, ffprobe->is_json ? "\n        {" :
      "[FRAME]\n");
  ffprobe->is_in_tags = FALSE;
  print_frame (ffprobe, stream, result, times);
  if (ffprobe->is_in_tags)
    g_string_append (ffprobe->text, "\n            }");
  g_string_append (ffprobe->text,
      ffprobe->is_json ? "\n        }" : "[/FRAME]\n");
  /* By the time that the frame has. */
  return report_order_add (writer->order, stream->index,
      report_container_time (stream, times), ffprobe->text->str,
      ffprobe->text->len, error);
}

static gboolean
ffprobe_end (ReportWriter * writer, const ReportSummary * summary,
    GError ** error)
{
  FfprobeWriter *ffprobe = (FfprobeWriter *) writer;

  g_string_assign (ffprobe->text, ffprobe->is_json ? "\n    ]" : "");
  print_format (ffprobe, summary);
  g_string_append (ffprobe->text, ffprobe->is_json ? "\n}\n" : "");
  return report_writer_write (&ffprobe->parent, ffprobe->text->str,
      ffprobe->text->len, error);
}

static void
ffprobe_clear (ReportWriter * writer)
{
  FfprobeWriter *ffprobe = (FfprobeWriter *) writer;

  g_string_free (ffprobe->text, TRUE);
  g_free (ffprobe->name);
}

static ReportWriter *
new_writer (GOutputStream * to, gboolean is_json)
{
  FfprobeWriter *ffprobe = report_writer_new (sizeof *ffprobe, to);

  ffprobe->parent.begin = ffprobe_begin;
  ffprobe->parent.frame = ffprobe_frame;
  ffprobe->parent.end = ffprobe_end;
  ffprobe->parent.clear = ffprobe_clear;
  ffprobe->parent.write = write_frame;
  ffprobe->is_json = is_json;
  ffprobe->text = g_string_new (NULL);
  return &ffprobe->parent;
}

/* Writes as ffprobe does by default: sections of lines KEY=VALUE. Returns: (transfer full) */
ReportWriter *
report_ffprobe_writer_new (GOutputStream * to)
{
  return new_writer (to, FALSE);
}

/* Writes as ffprobe does with -of json. See report_ffprobe_writer_new(). */
ReportWriter *
report_ffprobe_json_writer_new (GOutputStream * to)
{
  return new_writer (to, TRUE);
}
