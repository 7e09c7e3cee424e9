/* The report of QCTools: ffprobe's XML, compressed with gzip; see formats.h.
 *
 * QCTools reads the frames first, block by block, and then the elements `streams` and `format`, so
 * those come last. It reads the names that ffprobe had for times before version 5: pkt_pts_time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "writers/formats.h"

#include "writers/ffmpeg-keys.h"
#include "base/order.h"

#include <gst/audio/audio.h>
#include <libxml/xmlwriter.h>
#include <string.h>

typedef struct
{
  ReportWriter parent;
  gchar *name;                  /* of the input */
  GOutputStream *compressed;    /* to `to`, from begin on */
  xmlTextWriterPtr xml;
  gboolean has_failed;          /* the XML has */
  GString *text;                /* XML that has not been written */
} QctoolsWriter;

/* ---- XML ------------------------------------------------------------------------------------- */

#define XML(text) ((const xmlChar *) (text))

/* A negative number is an error of writing, which the next function of the writer reports. */
static void
check (QctoolsWriter * qctools, int status)
{
  if (status < 0)
    qctools->has_failed = TRUE;
}

/* XML 1.0 has no control characters, and neither U+FFFE nor U+FFFF: they become '?'. */
static void
put_text (QctoolsWriter * qctools, const gchar * name, const gchar * value)
{
  g_autofree gchar *text = report_clean_text (g_utf8_make_valid (value, -1));

  for (gchar * c = text; *c != '\0'; c = g_utf8_next_char (c)) {
    if (g_utf8_get_char (c) == 0xfffe || g_utf8_get_char (c) == 0xffff)
      memset (c, '?', g_utf8_next_char (c) - c);
  }
  check (qctools, xmlTextWriterWriteAttribute (qctools->xml, XML (name),
          XML (text)));
}

static void
put_integer (QctoolsWriter * qctools, const gchar * name, gint64 number)
{
  check (qctools, xmlTextWriterWriteFormatAttribute (qctools->xml, XML (name),
          "%" G_GINT64_FORMAT, number));
}

static void
put_seconds (QctoolsWriter * qctools, const gchar * name, guint64 time)
{
  gchar text[32];

  g_ascii_formatd (text, sizeof text, "%.6f", (gdouble) time / GST_SECOND);
  put_text (qctools, name, text);
}

static void
begin_element (QctoolsWriter * qctools, const gchar * name)
{
  check (qctools, xmlTextWriterStartElement (qctools->xml, XML (name)));
}

static void
end_element (QctoolsWriter * qctools)
{
  check (qctools, xmlTextWriterEndElement (qctools->xml));
}

static void
put_tag (QctoolsWriter * qctools, const gchar * key, const gchar * value)
{
  begin_element (qctools, "tag");
  put_text (qctools, "key", key);
  put_text (qctools, "value", value);
  end_element (qctools);
}

/* A ReportKeyFunc. */
static void
put_key (gpointer data, const gchar * key, const gchar * value)
{
  g_autofree gchar *full = g_strconcat ("lavfi.", key, NULL);

  put_tag (data, full, value);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* An xmlOutputWriteCallback. */
static int
keep_bytes (void *context, const char *bytes, int length)
{
  QctoolsWriter *qctools = context;

  g_string_append_len (qctools->text, bytes, length);
  return length;
}

/* A ReportOrderFunc. */
static gboolean
write_text (gpointer data, const gchar * text, gsize length, GError ** error)
{
  QctoolsWriter *qctools = data;

  return g_output_stream_write_all (qctools->compressed, text, length, NULL,
      NULL, error);
}

/* Brings all XML so far to qctools->text. */
static gboolean
flush_xml (QctoolsWriter * qctools, GError ** error)
{
  check (qctools, xmlTextWriterFlush (qctools->xml));
  if (qctools->has_failed)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "the XML cannot be written");
  return !qctools->has_failed;
}

/* Writes all XML so far. */
static gboolean
write_xml (QctoolsWriter * qctools, GError ** error)
{
  const gboolean ok = flush_xml (qctools, error)
      && write_text (qctools, qctools->text->str, qctools->text->len, error);

  g_string_truncate (qctools->text, 0);
  return ok;
}

/* The library must not print errors by itself: the writer reports them. */
static void
ignore_error (void *context, const char *format, ...)
{
}

static gboolean
qctools_begin (ReportWriter * writer, const ReportInput * input,
    GError ** error)
{
  QctoolsWriter *qctools = (QctoolsWriter *) writer;
  xmlOutputBufferPtr buffer =
      xmlOutputBufferCreateIO (keep_bytes, NULL, qctools, NULL);
  g_autoptr (GZlibCompressor) compressor =
      g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6);

  qctools->compressed = g_converter_output_stream_new (qctools->parent.to,
      G_CONVERTER (compressor));
  g_filter_output_stream_set_close_base_stream (G_FILTER_OUTPUT_STREAM
      (qctools->compressed), FALSE);
  xmlSetGenericErrorFunc (NULL, ignore_error);
  qctools->name = g_strdup (input->name);
  qctools->xml = xmlNewTextWriter (buffer);
  check (qctools, xmlTextWriterSetIndent (qctools->xml, 1));
  check (qctools, xmlTextWriterStartDocument (qctools->xml, NULL, "UTF-8",
          NULL));
  begin_element (qctools, "ffprobe:ffprobe");
  put_text (qctools, "xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
  put_text (qctools, "xmlns:ffprobe", "http://www.ffmpeg.org/schema/ffprobe");
  put_text (qctools, "xsi:schemaLocation",
      "http://www.ffmpeg.org/schema/ffprobe ffprobe.xsd");
  begin_element (qctools, "program_version");
  put_text (qctools, "version", "cudahisto-report " PACKAGE_VERSION);
  end_element (qctools);
  begin_element (qctools, "frames");
  /* The library ends the tag with the first thing inside, which may not be the first frame. */
  check (qctools, xmlTextWriterWriteRaw (qctools->xml, XML ("\n")));
  return write_xml (qctools, error);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static gboolean
qctools_frame (ReportWriter * writer, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times, GError ** error)
{
  QctoolsWriter *qctools = (QctoolsWriter *) writer;
  const ReportKeySink sink = { put_key, qctools };
  const guint64 time = report_container_time (stream, times);
  const gchar *format = report_ffmpeg_pixel_format (result->format);
  gboolean ok;

  begin_element (qctools, "frame");
  put_text (qctools, "media_type", result->is_audio ? "audio" : "video");
  put_integer (qctools, "stream_index", stream->index);
  put_integer (qctools, "key_frame", 1);
  if (GST_CLOCK_TIME_IS_VALID (time)) {
    put_integer (qctools, "pkt_pts", gst_util_uint64_scale_round (time,
            report_time_base (stream), GST_SECOND));
    put_seconds (qctools, "pkt_pts_time", time);
  }
  if (GST_CLOCK_TIME_IS_VALID (times->duration))
    put_seconds (qctools, "pkt_duration_time", times->duration);
  if (result->is_audio) {
    report_keys_ebur128 (result, stream->n_before, &sink);
    report_keys_astats (result, REPORT_ASTATS_QCTOOLS, &sink);
  } else {
    put_integer (qctools, "width", result->width);
    put_integer (qctools, "height", result->height);
    if (format != NULL)
      put_text (qctools, "pix_fmt", format);
    report_keys_signalstats (result, stream->n_before, &sink);
    report_keys_cropdetect (result, &sink);
    report_keys_entropy (result, &sink);
  }
  end_element (qctools);
  /* By the time that the frame has. */
  ok = flush_xml (qctools, error)
      && report_order_add (writer->order, stream->index,
      time, qctools->text->str,
      qctools->text->len, error);
  g_string_truncate (qctools->text, 0);
  return ok;
}

/* ---- Streams --------------------------------------------------------------------------------- */

static void
put_stream (QctoolsWriter * qctools, const ReportStreamSummary * summary)
{
  const ReportStream *stream = summary->stream;
  const gboolean is_audio = stream->is_audio;
  const gchar *format = is_audio ? report_ffmpeg_sample_format (stream->format) :
      report_ffmpeg_pixel_format (stream->format);
  gchar rate[64] = "0/0", base[32];
  gint numerator = 0, denominator = 0;

  begin_element (qctools, "stream");
  put_integer (qctools, "index", stream->index);
  put_text (qctools, "codec_type", is_audio ? "audio" : "video");
  if (stream->codec != NULL)
    put_text (qctools, "codec_long_name", stream->codec);
  if (!is_audio) {
    put_integer (qctools, "width", stream->width);
    put_integer (qctools, "height", stream->height);
    if (stream->frame_rate > 0)
      gst_util_double_to_fraction (stream->frame_rate, &numerator, &denominator);
    g_snprintf (rate, sizeof rate, "%d/%d", numerator, denominator);
  }
  if (format != NULL)
    put_text (qctools, is_audio ? "sample_fmt" : "pix_fmt", format);
  if (is_audio) {
    put_integer (qctools, "sample_rate", stream->rate);
    put_integer (qctools, "channels", stream->channels);
  }
  put_text (qctools, "r_frame_rate", rate);
  put_text (qctools, "avg_frame_rate", rate);
  g_snprintf (base, sizeof base, "1/%" G_GUINT64_FORMAT,
      report_time_base (stream));
  put_text (qctools, "time_base", base);
  if (!is_audio && report_video_depth (stream->format) > 0)
    put_integer (qctools, "bits_per_raw_sample",
        report_video_depth (stream->format));
  if (GST_CLOCK_TIME_IS_VALID (summary->start))
    put_seconds (qctools, "start_time", summary->start);
  end_element (qctools);
}

static void
put_format (QctoolsWriter * qctools, const ReportSummary * summary)
{
  begin_element (qctools, "format");
  put_text (qctools, "filename", qctools->name);
  put_integer (qctools, "nb_streams", summary->streams->len);
  put_integer (qctools, "nb_programs", 0);
  if (GST_CLOCK_TIME_IS_VALID (summary->duration))
    put_seconds (qctools, "duration", summary->duration);
  /* The tags of a file may have any names. */
  if (summary->problems->len > 0) {
    g_autofree gchar *problems = report_problems_join (summary->problems);

    put_tag (qctools, REPORT_TAG_COMPLETE,
        summary->is_complete ? "true" : "false");
    put_tag (qctools, REPORT_TAG_PROBLEMS, problems);
  }
  end_element (qctools);
}

static gboolean
qctools_end (ReportWriter * writer, const ReportSummary * summary,
    GError ** error)
{
  QctoolsWriter *qctools = (QctoolsWriter *) writer;

  end_element (qctools);        /* frames */
  begin_element (qctools, "streams");
  for (guint i = 0; i < summary->streams->len; i++)
    put_stream (qctools, g_ptr_array_index (summary->streams, i));
  end_element (qctools);
  put_format (qctools, summary);
  check (qctools, xmlTextWriterEndDocument (qctools->xml));
  /* The end of the compressed data is written when its stream is closed. */
  return write_xml (qctools, error)
      && g_output_stream_close (qctools->compressed, NULL, error);
}

static void
qctools_clear (ReportWriter * writer)
{
  QctoolsWriter *qctools = (QctoolsWriter *) writer;

  if (qctools->xml != NULL)
    xmlFreeTextWriter (qctools->xml);
  g_clear_object (&qctools->compressed);
  g_string_free (qctools->text, TRUE);
  g_free (qctools->name);
}

/* Returns: (transfer full): the writer */
ReportWriter *
report_qctools_writer_new (GOutputStream * to)
{
  QctoolsWriter *qctools = report_writer_new (sizeof *qctools, to);

  qctools->parent.begin = qctools_begin;
  qctools->parent.frame = qctools_frame;
  qctools->parent.end = qctools_end;
  qctools->parent.clear = qctools_clear;
  qctools->parent.write = write_text;
  qctools->text = g_string_new (NULL);
  return &qctools->parent;
}
