/* Sound that libav reads and decodes; see libav-source.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/libav-source.h"

#include <gst/app/gstappsrc.h>
#include <string.h>

/* So much decoded sound may wait for the element. */
#define MOST_BYTES (1 << 20)

/* What GStreamer loses. tests/report/statements.py has a file for each row, and tells if GStreamer has mended it. */
static const struct
{
  const gchar *container;       /* NULL: any */
  const gchar *codec;           /* libav's name; NULL: any */
  const gchar *symptom;         /* and the version of GStreamer in which it was seen */
} better[] = {
  {"mov", NULL, "qtdemux drops the packet in which the edit list ends, and reads floats in the other byte order, 1.22"},
  {"wav", "mp3", "wavparse drops the last packets, 1.22"},
  {"w64", NULL, "sfdec gives 16 bits, which cut peaks of floats, 1.22"},
  {"wav", "ac3", "wavparse drops the last packets, 1.22"},
  {NULL, "mp3", "mpg123audiodec gives 16 bits, which cut peaks, and the encoder's padding, 1.22"},
  {NULL, "wmav1", "avdec_wmav1 gives the 2048 samples before the begin, 1.22"},
  {NULL, "wmav2", "as with wmav1, 1.22"},
};

/* The times of these count from a clock that need not begin at 0, and GStreamer counts them from another moment than libav
 * does: sound of libav would not be where the pictures of GStreamer are. */
static const gchar *const with_clocks[] = { "mpeg", "mpegts" };

struct _ReportLibavSource
{
  GstElement *element;          /* appsrc */
  GstPad *pad;                  /* its end */
  gchar *path;
  gint index;                   /* libavformat's, of the stream */
  ReportJoined *tracks;         /* that are joined in place of the stream; NULL: none */
  guint n_tracks;
  guint64 channel_mask;         /* of the tracks */
  GstCaps *caps;
  GThread *thread;
  gint has_stopped, has_ended;  /* atomic: it must end, all was given */
};

/**
 * report_libav_source_is_better:
 * @stream: (nullable): of the statements
 *
 * Returns: whether GStreamer is known to lose something of the stream
 */
gboolean
report_libav_source_is_better (const ReportStatements * statements,
    const ReportSaidStream * stream)
{
  gboolean found = FALSE;

  if (stream == NULL || !stream->is_audio)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (with_clocks); i++) {
    if (statements->streams->len > 1
        && report_statements_is_container (statements, with_clocks[i]))
      return FALSE;
  }
  for (guint i = 0; i < G_N_ELEMENTS (better); i++)
    found = found || ((better[i].container == NULL
            || report_statements_is_container (statements, better[i].container))
        && (better[i].codec == NULL
            || g_strcmp0 (better[i].codec, stream->codec) == 0));
  return found;
}

static ReportLibavSource *
make (const gchar * path)
{
  ReportLibavSource *source = g_new0 (ReportLibavSource, 1);

  source->path = g_strdup (path);
  source->element = gst_object_ref_sink (gst_element_factory_make ("appsrc",
          NULL));
  g_object_set (source->element, "format", GST_FORMAT_TIME, "block", TRUE,
      "max-bytes", (guint64) MOST_BYTES, NULL);
  source->pad = gst_element_get_static_pad (source->element, "src");
  return source;
}

/**
 * report_libav_source_new:
 * @path: of the file
 * @stream: what the file says of the stream
 *
 * Returns: (transfer full): to be freed with report_libav_source_free() when the pipeline has stopped
 */
ReportLibavSource *
report_libav_source_new (const gchar * path, const ReportSaidStream * stream)
{
  ReportLibavSource *source = make (path);

  source->index = stream->index;
  return source;
}

/**
 * report_libav_source_new_programme:
 * @path: of the file
 * @programme: whose tracks become the channels
 *
 * Returns: (transfer full): as report_libav_source_new()
 */
ReportLibavSource *
report_libav_source_new_programme (const gchar * path,
    const ReportProgramme * programme)
{
  ReportLibavSource *source = make (path);

  source->n_tracks = programme->n_tracks;
  source->channel_mask = programme->channel_mask;
  source->tracks = g_new0 (ReportJoined, source->n_tracks);
  for (guint t = 0; t < source->n_tracks; t++)
    source->tracks[t].index = programme->tracks[t]->index;
  return source;
}

/* Returns: (transfer none): to be put into the pipeline */
GstElement *
report_libav_source_element (const ReportLibavSource * source)
{
  return source->element;
}

/* Returns: (transfer none): what gives the sound */
GstPad *
report_libav_source_pad (const ReportLibavSource * source)
{
  return source->pad;
}

static GstCaps *
caps_of (const ReportSound * sound)
{
  GstCaps *caps = gst_caps_new_simple ("audio/x-raw",
      "format", G_TYPE_STRING, sound->format,
      "layout", G_TYPE_STRING, "interleaved",
      "rate", G_TYPE_INT, sound->rate,
      "channels", G_TYPE_INT, sound->channels, NULL);

  if (sound->channels > 1)
    gst_caps_set_simple (caps, "channel-mask", GST_TYPE_BITMASK,
        sound->channel_mask, NULL);
  return caps;
}

static gboolean
take_sound (const ReportSound * sound, gpointer data)
{
  ReportLibavSource *source = data;
  GstCaps *caps = caps_of (sound);
  GstBuffer *buffer;

  if (g_atomic_int_get (&source->has_stopped)) {
    gst_caps_unref (caps);
    return FALSE;
  }
  if (source->caps == NULL || !gst_caps_is_equal (caps, source->caps)) {
    gst_caps_replace (&source->caps, caps);
    gst_app_src_set_caps (GST_APP_SRC (source->element), caps);
  }
  gst_caps_unref (caps);
  buffer = gst_buffer_new_memdup (sound->samples, sound->n_bytes);
  if (sound->is_damaged)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  GST_BUFFER_PTS (buffer) = sound->time;
  GST_BUFFER_DURATION (buffer) = gst_util_uint64_scale (sound->n_samples,
      GST_SECOND, sound->rate);
  return gst_app_src_push_buffer (GST_APP_SRC (source->element),
      buffer) == GST_FLOW_OK;
}

/* A file may be read for long without giving a sample. */
static gboolean
has_stopped (gpointer data)
{
  ReportLibavSource *source = data;

  return g_atomic_int_get (&source->has_stopped);
}

static gpointer
decode (gpointer data)
{
  ReportLibavSource *source = data;

  if (source->tracks != NULL)
    report_statements_join_sound (source->path, source->tracks, source->n_tracks, source->channel_mask, has_stopped,
        take_sound, source);
  else
    report_statements_decode_sound (source->path, source->index, has_stopped, take_sound, source);
  g_atomic_int_set (&source->has_ended, TRUE);
  gst_app_src_end_of_stream (GST_APP_SRC (source->element));
  return NULL;
}

/* The element is in the pipeline and linked. What has started goes on. */
void
report_libav_source_start (ReportLibavSource * source)
{
  if (source->thread == NULL)
    source->thread = g_thread_new ("libav-source", decode, source);
}

/* Returns: (transfer none) (nullable): what became of the tracks; NULL: there are none, or they have not ended */
const ReportJoined *
report_libav_source_tracks (ReportLibavSource * source)
{
  return g_atomic_int_get (&source->has_ended) ? source->tracks : NULL;
}

void
report_libav_source_free (ReportLibavSource * source)
{
  g_atomic_int_set (&source->has_stopped, TRUE);
  if (source->thread != NULL)
    g_thread_join (source->thread);
  gst_clear_caps (&source->caps);
  gst_object_unref (source->pad);
  gst_object_unref (source->element);
  g_free (source->path);
  g_free (source->tracks);
  g_free (source);
}
