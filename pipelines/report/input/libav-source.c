/* Streams that libav reads and decodes; see libav-source.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/libav-source.h"

#include <gst/app/gstappsrc.h>
#include <string.h>
#include <time.h>

#include "facts/sequence.h"
#include "input/libav-pictures.h"

/* So much decoded sound may wait for the element, and so many pictures. */
#define MOST_BYTES (1 << 20)
#define MOST_PICTURES 2
/* A stream that has given nothing after so much processor time is given up, as one of GStreamer is. */
#define MOST_SECONDS 60
/* Each thread of a decoder holds a picture. */
#define MOST_THREADS 16

/* What libav gives of a file of which GStreamer loses something. */
typedef enum
{
  SOUND,                        /* the stream of sound; GStreamer reads the others */
  FILE_WITH_VIDEO               /* all streams of a file that has the stream of video */
} Given;

/* Which streams it is that GStreamer loses something of. */
typedef enum
{
  ANY,
  SHIFTED,                      /* ReportSaidStream's is_shifted */
  CUT,                          /* its is_cut */
  OPEN,                         /* its begins_open, with GStreamer 1.24 or later */
  REORDERED,                    /* its is_reordered */
  DEEP                          /* more than 12 bits */
} Condition;

/* What GStreamer loses. tests/report/statements.py and frames.py have a file for each row, and tell if GStreamer has mended it. */
static const struct
{
  Given given;
  const gchar *container;       /* NULL: any */
  const gchar *codec;           /* libav's name; NULL: any */
  Condition condition;
  const gchar *symptom;         /* and the version of GStreamer in which it was seen */
} better[] = {
  {SOUND, "mov", NULL, ANY, "qtdemux drops the packet in which the edit list ends, and reads floats in the other byte order, 1.22"},
  {SOUND, "mpegts", NULL, ANY, "the segment begins with the first picture: sound before it has no time of its own, 1.22"},
  {SOUND, "w64", NULL, ANY, "sfdec gives 16 bits, which cut peaks of floats, 1.22"},
  {SOUND, "wav", "mp3", ANY, "wavparse drops the last packets, 1.22"},
  {SOUND, "wav", "ac3", ANY, "wavparse drops the last packets, 1.22"},
  {SOUND, NULL, "mp3", ANY, "mpg123audiodec gives 16 bits, which cut peaks, and the encoder's padding, 1.22"},
  {SOUND, NULL, "wmav1", ANY, "avdec_wmav1 gives the 2048 samples before the begin, 1.22"},
  {SOUND, NULL, "wmav2", ANY, "as with wmav1, 1.22"},
  {FILE_WITH_VIDEO, NULL, "ffv1", DEEP, "avdec_ffv1 gives nothing, 1.22"},
  {FILE_WITH_VIDEO, NULL, "png", DEEP, "pngdec moves the samples of R, G and B of 16 bits, 1.22"},
  {FILE_WITH_VIDEO, NULL, "jpeg2000", ANY, "openjpegdec leaves alpha undefined, and takes 4:2:2 of 10 bits for RGB, 1.22"},
  {FILE_WITH_VIDEO, "avi", "mpeg1video", REORDERED, "pictures around B-frames have the times of others, 1.22"},
  {FILE_WITH_VIDEO, "avi", "mpeg2video", REORDERED, "as with mpeg1video, 1.22"},
  {FILE_WITH_VIDEO, "avi", "mpeg4", REORDERED, "pictures around B-frames have the times of others, 1.22"},
  {FILE_WITH_VIDEO, "mov", "qtrle", ANY, "avdec_qtrle gives all pictures the time of the first one, 1.22"},
  {FILE_WITH_VIDEO, NULL, "h264", OPEN, "avdec_h264 gives up the first picture where frame numbers have a gap, 1.26"},
  {FILE_WITH_VIDEO, "mxf", "h264", REORDERED, "pictures around B-frames have the times of others, 1.22"},
  {FILE_WITH_VIDEO, "nut", "rawvideo", ANY, "rows are taken for longer ones, of a multiple of 4 bytes, 1.22"},
  {FILE_WITH_VIDEO, NULL, "r210", ANY, "rows of 64 pixels and their padding are taken for rows of pixels, 1.22"},
  {FILE_WITH_VIDEO, "mov", NULL, CUT, "qtdemux drops frames at the ends of an edit between key frames, 1.22"},
  {FILE_WITH_VIDEO, "mov", NULL, SHIFTED, "without an edit list qtdemux ends at the length, not at begin and length, 1.22"},
};

struct _ReportLibavSource
{
  GstElement *element;          /* appsrc */
  GstPad *pad;                  /* its end */
  gchar *path;
  const ReportSaidStream *said;
  ReportDecoderWatch *watch;    /* NULL: GStreamer decodes the stream, too */
  GstCaps *decoded;             /* of the latest pictures, without what the file says */
  GstCaps *first;               /* of the first pictures, the same */
  ReportJoined *tracks;         /* that are joined in place of the stream; NULL: none */
  guint n_tracks;
  guint64 channel_mask;         /* of the tracks */
  GThread *thread;
  gint has_stopped, has_packets;        /* atomic */
  GMutex lock;                  /* of what follows */
  GCond changed;
  GstCaps *caps;                /* what the element gives */
  const gchar *unknown_format;  /* libav's name of the format of pictures, which GStreamer does not have: there it ends */
  gboolean has_ended;           /* all is decoded */
  gboolean has_started;         /* what is decoded may pass */
};

/* With several threads, avdec_h264 of 1.22 does not. */
static gboolean
is_later_than_1_22 (void)
{
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  return major > 1 || minor > 22;
}

static gboolean
is_so (const ReportSaidStream * stream, Condition condition)
{
  switch (condition) {
    case SHIFTED:
      return stream->is_shifted;
    case REORDERED:
      return stream->is_reordered;
    case CUT:
      return stream->is_cut;
    case OPEN:
      return stream->begins_open && is_later_than_1_22 ();
    case DEEP:
      return stream->bits > 12;
    default:
      return TRUE;
  }
}

static gboolean
is_given (const ReportStatements * statements, const ReportSaidStream * stream,
    Given given)
{
  gboolean found = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (better); i++)
    found = found || (better[i].given == given
        && stream->is_audio == (given == SOUND)
        && (better[i].container == NULL
            || report_statements_is_container (statements, better[i].container))
        && (better[i].codec == NULL
            || g_strcmp0 (better[i].codec, stream->codec) == 0)
        && is_so (stream, better[i].condition));
  return found;
}

/**
 * report_libav_source_is_better:
 * @stream: (nullable): of the statements
 *
 * Returns: whether GStreamer is known to lose something of a stream of sound
 */
gboolean
report_libav_source_is_better (const ReportStatements * statements,
    const ReportSaidStream * stream)
{
  /* The times of these count from a clock that need not begin at 0, and GStreamer counts them from another moment than libav
   * does: sound of libav would not be where the pictures of GStreamer are. */
  return stream != NULL && is_given (statements, stream, SOUND)
      && !(statements->streams->len > 1 && report_statements_is_container (statements, "mpeg"));
}

/**
 * report_libav_source_has_file:
 * @statements: (nullable):
 *
 * Returns: whether libav is to read all streams of the file, because GStreamer loses something of one
 */
gboolean
report_libav_source_has_file (const ReportStatements * statements)
{
  gboolean found = FALSE;

  if (statements == NULL || !report_statements_are_decodable (statements))
    return FALSE;
  for (guint s = 0; s < statements->streams->len; s++)
    found = found || is_given (statements,
        &g_array_index (statements->streams, ReportSaidStream, s), FILE_WITH_VIDEO);
  return found;
}

static ReportLibavSource *
make (const gchar * path, gboolean is_audio)
{
  ReportLibavSource *source = g_new0 (ReportLibavSource, 1);

  source->path = g_strdup (path);
  g_mutex_init (&source->lock);
  g_cond_init (&source->changed);
  source->element = gst_object_ref_sink (gst_element_factory_make ("appsrc",
          NULL));
  g_object_set (source->element, "format", GST_FORMAT_TIME, "block", TRUE,
      "max-bytes", (guint64) (is_audio ? MOST_BYTES : 0), "max-buffers",
      (guint64) (is_audio ? 0 : MOST_PICTURES), NULL);
  source->pad = gst_element_get_static_pad (source->element, "src");
  return source;
}

/**
 * report_libav_source_new:
 * @path: of the file
 * @stream: what the file says of the stream; must live as long as the source
 *
 * Returns: (transfer full): to be freed with report_libav_source_free() when the pipeline has stopped
 */
ReportLibavSource *
report_libav_source_new (const gchar * path, const ReportSaidStream * stream)
{
  ReportLibavSource *source = make (path, stream->is_audio);

  source->said = stream;
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
  ReportLibavSource *source = make (path, TRUE);

  source->said = &programme->said;
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

/* Returns: (transfer none): what gives the stream */
GstPad *
report_libav_source_pad (const ReportLibavSource * source)
{
  return source->pad;
}

/* Nobody else decodes the stream.
 *
 * @watch: is told of packets and frames; must live as long as the source */
void
report_libav_source_watch (ReportLibavSource * source,
    ReportDecoderWatch * watch)
{
  source->watch = watch;
}

static gboolean
has_stopped (gpointer data)
{
  ReportLibavSource *source = data;

  return g_atomic_int_get (&source->has_stopped);
}

/* Called in the thread that reads. */
static gboolean
must_stop (gpointer data)
{
  ReportLibavSource *source = data;
  struct timespec used;

  /* Only this thread sets the caps. */
  return has_stopped (source) || (source->caps == NULL
      && clock_gettime (CLOCK_THREAD_CPUTIME_ID, &used) == 0
      && used.tv_sec >= MOST_SECONDS);
}

/* Waits until what is decoded may pass.
 *
 * @caps: (transfer full): of it */
static void
give_caps (ReportLibavSource * source, GstCaps * caps)
{
  g_mutex_lock (&source->lock);
  if (source->caps == NULL || !gst_caps_is_equal (caps, source->caps)) {
    gst_caps_replace (&source->caps, caps);
    gst_app_src_set_caps (GST_APP_SRC (source->element), caps);
  }
  gst_caps_unref (caps);
  g_cond_broadcast (&source->changed);
  while (!source->has_started && !has_stopped (source))
    g_cond_wait (&source->changed, &source->lock);
  g_mutex_unlock (&source->lock);
}

/* @buffer: (transfer full)
 *
 * Returns: FALSE: no more is wanted */
static gboolean
give_buffer (ReportLibavSource * source, GstBuffer * buffer)
{
  if (source->watch != NULL)
    report_decoder_watch_take_frame (source->watch, GST_BUFFER_PTS (buffer));
  return gst_app_src_push_buffer (GST_APP_SRC (source->element),
      buffer) == GST_FLOW_OK;
}

static void
take_packet (const ReportPacket * packet, gpointer data)
{
  ReportLibavSource *source = data;

  g_atomic_int_set (&source->has_packets, TRUE);
  if (source->watch != NULL)
    report_decoder_watch_take_packet (source->watch, packet);
}

/* ---- Sound ------------------------------------------------------------------------------------ */

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
  GstBuffer *buffer;

  if (has_stopped (source))
    return FALSE;
  give_caps (source, caps_of (sound));
  buffer = gst_buffer_new_memdup (sound->samples, sound->n_bytes);
  if (sound->is_damaged)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  GST_BUFFER_PTS (buffer) = sound->time;
  GST_BUFFER_DURATION (buffer) = gst_util_uint64_scale (sound->n_samples,
      GST_SECOND, sound->rate);
  return give_buffer (source, buffer);
}

/* ---- Pictures --------------------------------------------------------------------------------- */

static gboolean
take_picture (const ReportPicture * picture, gpointer data)
{
  ReportLibavSource *source = data;
  GstCaps *caps = report_libav_picture_caps (picture, source->decoded);

  if (caps == NULL) {
    g_mutex_lock (&source->lock);
    source->unknown_format = picture->own_format;
    g_mutex_unlock (&source->lock);
  }
  if (caps == NULL || has_stopped (source)) {
    gst_clear_caps (&caps);
    report_libav_picture_free (picture);
    return FALSE;
  }
  if (source->decoded == NULL || !gst_caps_is_equal (caps, source->decoded)) {
    give_caps (source, report_statements_correct (source->said, source->first, caps));
    gst_caps_replace (&source->decoded, caps);
    if (source->first == NULL)
      source->first = gst_caps_ref (caps);
  }
  gst_caps_unref (caps);
  return give_buffer (source, report_libav_picture_buffer (picture));
}

/* ---- The thread ------------------------------------------------------------------------------- */

/* A thread waits while another one decodes a picture that is slow to decode. One more fills the gap; FFmpeg does the same. */
static gint
count_threads (void)
{
  return MIN ((gint) g_get_num_processors () + 1, MOST_THREADS);
}

static gpointer
decode (gpointer data)
{
  ReportLibavSource *source = data;

  if (source->tracks != NULL)
    report_statements_join_sound (source->path, source->tracks, source->n_tracks, source->channel_mask, must_stop,
        take_sound, source);
  else if (source->said->is_audio)
    report_statements_decode_sound (source->path, source->said->index,
        must_stop, take_packet, take_sound, source);
  else if (source->said->sequence != NULL)
    report_sequence_decode (source->said->sequence, must_stop, take_packet, take_picture, count_threads (), source);
  else
    report_statements_decode_pictures (source->path, source->said->index,
        must_stop, take_packet, take_picture, count_threads (), source);
  g_mutex_lock (&source->lock);
  source->has_ended = TRUE;
  g_cond_broadcast (&source->changed);
  g_mutex_unlock (&source->lock);
  gst_app_src_end_of_stream (GST_APP_SRC (source->element));
  return NULL;
}

/* Decodes up to the first frame, which waits for report_libav_source_start(). */
void
report_libav_source_begin (ReportLibavSource * source)
{
  source->thread = g_thread_new ("libav-source", decode, source);
}

/* Waits for the first frame of a source that has begun.
 *
 * Returns: (transfer full) (nullable): its caps; NULL: there is none */
GstCaps *
report_libav_source_wait (ReportLibavSource * source)
{
  GstCaps *caps;

  g_mutex_lock (&source->lock);
  while (source->caps == NULL && !source->has_ended)
    g_cond_wait (&source->changed, &source->lock);
  caps = source->caps != NULL ? gst_caps_ref (source->caps) : NULL;
  g_mutex_unlock (&source->lock);
  return caps;
}

/* Returns: (transfer none) (nullable): libav's name of the format of the picture with which the stream has ended, because
 * GStreamer has none like it; NULL: there is no such picture */
const gchar *
report_libav_source_unknown_format (ReportLibavSource * source)
{
  const gchar *format;

  g_mutex_lock (&source->lock);
  format = source->unknown_format;
  g_mutex_unlock (&source->lock);
  return format;
}

/* Returns: whether the stream has something to decode */
gboolean
report_libav_source_has_packets (ReportLibavSource * source)
{
  return g_atomic_int_get (&source->has_packets);
}

/* The element is in the pipeline and linked. What has started goes on. */
void
report_libav_source_start (ReportLibavSource * source)
{
  if (source->thread == NULL)
    report_libav_source_begin (source);
  g_mutex_lock (&source->lock);
  source->has_started = TRUE;
  g_cond_broadcast (&source->changed);
  g_mutex_unlock (&source->lock);
}

/* Returns: (transfer none) (nullable): what became of the tracks; NULL: there are none, or they have not ended */
const ReportJoined *
report_libav_source_tracks (ReportLibavSource * source)
{
  gboolean has_ended;

  g_mutex_lock (&source->lock);
  has_ended = source->has_ended;
  g_mutex_unlock (&source->lock);
  return has_ended ? source->tracks : NULL;
}

void
report_libav_source_free (ReportLibavSource * source)
{
  g_mutex_lock (&source->lock);
  g_atomic_int_set (&source->has_stopped, TRUE);
  g_cond_broadcast (&source->changed);
  g_mutex_unlock (&source->lock);
  if (source->thread != NULL)
    g_thread_join (source->thread);
  gst_clear_caps (&source->caps);
  gst_clear_caps (&source->decoded);
  gst_clear_caps (&source->first);
  gst_object_unref (source->pad);
  gst_object_unref (source->element);
  g_mutex_clear (&source->lock);
  g_cond_clear (&source->changed);
  g_free (source->path);
  g_free (source->tracks);
  g_free (source);
}
