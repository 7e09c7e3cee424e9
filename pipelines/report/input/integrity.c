/* Watches the elements of a pipeline; see integrity.h. The judgement is in verdict.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/integrity.h"

#include <gst/pbutils/pbutils.h>
#include <math.h>
#include <string.h>

#include "base/describe.h"
#include "base/interrupt.h"
#include "input/timing.h"
#include "summary/alerts.h"

/* What an element said. */
typedef struct
{
  GstElement *element;
  gchar *text;                  /* of the first message */
  guint64 count;
  gboolean is_error;
  gchar *caps;                  /* of what enters it, for people; NULL: unknown */
  gchar *stream;                /* id of the stream; NULL: unknown */
} Remark;

struct _ReportIntegrity
{
  gint n_errors;                /* atomic: errors that libav has logged */
  gint n_logged;                /* atomic: messages of damage among them, see note_log() */
  /* The one that sorts first, under packets_lock: a decoder's threads log in any order. */
  gchar *logged;
  gint64 max_pixels;            /* larger pictures are not decoded */
  gint has_own_times;           /* atomic: it is Matroska, see pipeline.c */
  gint has_demuxer;             /* atomic: one that is not of tags only */
  GMutex lock;                  /* of the lists */
  GHashTable *guarded;          /* set of GstElement: decoders and parsers */
  GPtrArray *decoders;          /* (element-type ReportDecoderWatch) */
  GPtrArray *streams;           /* (element-type ReportStreamWatch) */
  GPtrArray *remarks;           /* (element-type Remark) */
  GHashTable *warned, *failed;  /* GstElement → its Remark */
  GPtrArray *refused;           /* (element-type utf8): pictures that are too large, and other streams that are not decoded */
  GMutex packets_lock;          /* of what follows, and of logged */
  ReportPackets *packets;
};

static void
remark_free (gpointer data)
{
  Remark *remark = data;

  gst_object_unref (remark->element);
  g_free (remark->text);
  g_free (remark->caps);
  g_free (remark->stream);
  g_free (remark);
}

/* ---- What decoders only log ------------------------------------------------------------------ */

/* libav's decoders conceal damage, and log it as errors. These occur only with damaged data; others also occur at
 * the begin of a stream that was cut out of another one. */
static const gchar *const log_of_damage[] = {
  "CRC mismatch",               /* FFV1 */
  "error while decoding MB",    /* H.264, MPEG-4 */
  "tex damaged",                /* ProRes, MPEG-2, MPEG-4 */
  "AC EOB marker is absent",    /* DV */
  "Concealing bitstream errors",
  "error count:",               /* MJPEG */
};

#define LOG_CATEGORY "libav"

/* Called in any thread. */
static void
note_log (GstDebugCategory * category, GstDebugLevel level,
    const gchar * file, const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer data)
{
  ReportIntegrity *integrity = data;
  const gchar *text;

  if (level != GST_LEVEL_ERROR
      || !g_str_equal (gst_debug_category_get_name (category), LOG_CATEGORY))
    return;
  g_atomic_int_inc (&integrity->n_errors);
  text = gst_debug_message_get (message);
  if (text == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (log_of_damage); i++) {
    if (strstr (text, log_of_damage[i]) == NULL)
      continue;
    g_atomic_int_inc (&integrity->n_logged);
    g_mutex_lock (&integrity->packets_lock);
    if (integrity->logged == NULL || strcmp (text, integrity->logged) < 0) {
      g_free (integrity->logged);
      integrity->logged = g_strdup (text);
    }
    g_mutex_unlock (&integrity->packets_lock);
    return;
  }
}

/* Returns: whether a decoder of libav has found a fault, of whatever kind */
gboolean
report_integrity_has_errors (ReportIntegrity * integrity)
{
  return g_atomic_int_get (&integrity->n_errors) > 0;
}

static void
add_logged (ReportIntegrity * integrity, ReportSummary * summary)
{
  const guint64 count = g_atomic_int_get (&integrity->n_logged);

  g_mutex_lock (&integrity->packets_lock);
  if (integrity->logged != NULL)
    report_summary_complain (summary, REPORT_PROBLEM_DAMAGED, count,
        "a decoder reports damage, %" G_GUINT64_FORMAT " time%s: %s", count,
        count == 1 ? "" : "s", g_strstrip (integrity->logged));
  g_mutex_unlock (&integrity->packets_lock);
}

ReportIntegrity *
report_integrity_new (gint64 max_pixels)
{
  ReportIntegrity *integrity = g_new0 (ReportIntegrity, 1);

  integrity->max_pixels = max_pixels;
  integrity->refused = g_ptr_array_new_with_free_func (g_free);
  g_mutex_init (&integrity->lock);
  g_mutex_init (&integrity->packets_lock);
  integrity->guarded = g_hash_table_new_full (NULL, NULL, gst_object_unref,
      NULL);
  integrity->warned = g_hash_table_new (NULL, NULL);
  integrity->failed = g_hash_table_new (NULL, NULL);
  integrity->decoders = g_ptr_array_new_with_free_func ((GDestroyNotify)
      report_decoder_watch_free);
  integrity->streams = g_ptr_array_new_with_free_func ((GDestroyNotify)
      report_stream_watch_free);
  integrity->remarks = g_ptr_array_new_with_free_func (remark_free);
  integrity->packets = report_packets_new ();
  gst_debug_add_log_function (note_log, integrity, NULL);
  /* Who debugs sees what he wants to see. */
  if (g_getenv ("GST_DEBUG") == NULL) {
    gst_debug_remove_log_function (gst_debug_log_default);
    gst_debug_set_threshold_for_name (LOG_CATEGORY, GST_LEVEL_ERROR);
  }
  return integrity;
}

/* The pipeline has stopped. */
void
report_integrity_free (ReportIntegrity * integrity)
{
  gst_debug_remove_log_function_by_data (integrity);
  g_hash_table_unref (integrity->guarded);
  g_hash_table_unref (integrity->warned);
  g_hash_table_unref (integrity->failed);
  g_ptr_array_unref (integrity->refused);
  g_ptr_array_unref (integrity->decoders);
  g_ptr_array_unref (integrity->streams);
  g_ptr_array_unref (integrity->remarks);
  report_packets_free (integrity->packets);
  g_free (integrity->logged);
  g_mutex_clear (&integrity->packets_lock);
  g_mutex_clear (&integrity->lock);
  g_free (integrity);
}

/* ---- The source ----------------------------------------------------------------------------- */

static GstPadProbeReturn
feed_packets (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  ReportIntegrity *integrity = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  const guint64 offset =
      (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_PULL) != 0 ?
      info->offset : GST_BUFFER_OFFSET (buffer);
  GstMapInfo map;

  if (offset == GST_BUFFER_OFFSET_NONE
      || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&integrity->packets_lock);
  report_packets_feed (integrity->packets, offset, map.data, map.size);
  g_mutex_unlock (&integrity->packets_lock);
  gst_buffer_unmap (buffer, &map);
  return GST_PAD_PROBE_OK;
}

/* Some demuxers of libav read for ever at the end of a file, though each read returns the end (NUT, 1.22). After so many
 * ends in a row a read returns an error, which they understand. */
#define MOST_READS_AT_END 1000
/* Data of the pad of a source. */
#define SOURCE_GUARD "cudahisto-report-source-guard"

typedef struct
{
  GstPadGetRangeFunction get_range;     /* of the source */
  guint n_ends;                 /* in a row */
} SourceGuard;

static GstFlowReturn
get_range_guarded (GstPad * pad, GstObject * parent, guint64 offset,
    guint length, GstBuffer ** buffer)
{
  SourceGuard *guard = g_object_get_data (G_OBJECT (pad), SOURCE_GUARD);
  const GstFlowReturn result = guard->get_range (pad, parent, offset, length,
      buffer);

  guard->n_ends = result == GST_FLOW_EOS ? guard->n_ends + 1 : 0;
  return guard->n_ends > MOST_READS_AT_END ? GST_FLOW_ERROR : result;
}

/* Watches what the source of the input gives. */
void
report_integrity_watch_source (ReportIntegrity * integrity, GstElement * source)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");

  if (pad == NULL)
    return;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_PUSH
      | GST_PAD_PROBE_TYPE_PULL, feed_packets, integrity, NULL);
  if (GST_PAD_GETRANGEFUNC (pad) != NULL
      && GST_PAD_GETRANGEFUNC (pad) != get_range_guarded) {
    SourceGuard *guard = g_new0 (SourceGuard, 1);

    guard->get_range = GST_PAD_GETRANGEFUNC (pad);
    g_object_set_data_full (G_OBJECT (pad), SOURCE_GUARD, guard, g_free);
    gst_pad_set_getrange_function (pad, get_range_guarded);
  }
}

/* So many bytes are read at once. */
#define BLOCK_BYTES (1 << 18)

/* Looks at the packets of a file that no source of GStreamer reads.
 *
 * Returns: FALSE if a signal came */
gboolean
report_integrity_read_packets (ReportIntegrity * integrity, const gchar * path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, NULL);
  g_autofree guint8 *block = g_malloc (BLOCK_BYTES);
  guint64 offset = 0;
  gssize n;

  while (stream != NULL && (n = g_input_stream_read (G_INPUT_STREAM (stream),
              block, BLOCK_BYTES, NULL, NULL)) > 0) {
    if (report_interrupt_signal () != 0)
      return FALSE;
    g_mutex_lock (&integrity->packets_lock);
    report_packets_feed (integrity->packets, offset, block, n);
    g_mutex_unlock (&integrity->packets_lock);
    offset += n;
  }
  return TRUE;
}

/* ---- Pictures that are too large ------------------------------------------------------------- */

/* A stream, or all of its parts, is listed once. @codec: for people */
static void
note_refused (ReportIntegrity * integrity, const gchar * codec, gint width,
    gint height)
{
  g_autofree gchar *size = report_describe_too_large (width, height, integrity->max_pixels);
  g_autofree gchar *text = g_strdup_printf ("a stream is not decoded: %s: %s", codec, size);

  g_mutex_lock (&integrity->lock);
  if (!g_ptr_array_find_with_equal_func (integrity->refused, text, g_str_equal,
          NULL) && integrity->refused->len < REPORT_MOST_STREAMS)
    g_ptr_array_add (integrity->refused, g_steal_pointer (&text));
  g_mutex_unlock (&integrity->lock);
}

/* Called in the threads of the pipeline.
 *
 * Returns: whether the caps state pictures that are not decoded, which is reported at the end */
gboolean
report_integrity_refuse (ReportIntegrity * integrity, const GstCaps * caps)
{
  const GstStructure *structure =
      !gst_caps_is_any (caps) && gst_caps_get_size (caps) > 0 ?
      gst_caps_get_structure (caps, 0) : NULL;
  gint width, height;
  g_autofree gchar *codec = NULL;

  if (structure == NULL || !gst_structure_get_int (structure, "width", &width)
      || !gst_structure_get_int (structure, "height", &height)
      || width <= 0 || height <= 0
      || !report_is_too_large (width, height, integrity->max_pixels))
    return FALSE;
  codec = gst_caps_is_fixed (caps) ?
      gst_pb_utils_get_codec_description (caps) : NULL;
  note_refused (integrity, codec != NULL ? codec :
      gst_structure_get_name (structure), width, height);
  return TRUE;
}

/* The same of a stream that libav would decode. */
gboolean
report_integrity_refuse_size (ReportIntegrity * integrity,
    const ReportSaidStream * said)
{
  if (said->width <= 0 || said->height <= 0
      || !report_is_too_large (said->width, said->height, integrity->max_pixels))
    return FALSE;
  note_refused (integrity, said->codec_title, said->width, said->height);
  return TRUE;
}

/* ---- Errors of one stream ------------------------------------------------------------------- */

/* Data of the sink of a decoder or a parser. */
#define GUARD "cudahisto-report-guard"

typedef struct
{
  ReportIntegrity *integrity;
  GstPadChainFunction chain;    /* of the element */
  gint has_failed;              /* atomic: it has posted an error */
  gboolean is_parser;
  gboolean is_packed;           /* what comes to a parser are packets of a container */
  guint64 n_packed;             /* bytes of these */
  gboolean is_refused;          /* the pictures that come are too large */
  gboolean gives_refused;       /* those that it gives are */
  gboolean has_ended;
} Guard;

/* If an element fails, the demuxer before it would stop all streams. Instead this stream ends. */
static GstFlowReturn
chain_guarded (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Guard *guard = g_object_get_data (G_OBJECT (pad), GUARD);
  GstFlowReturn result = GST_FLOW_OK;
  g_autoptr (GstPad) source = NULL;

  if (guard->is_packed)
    guard->n_packed += gst_buffer_get_size (buffer);
  if (guard->has_ended || guard->is_refused)
    gst_buffer_unref (buffer);
  else
    result = guard->chain (pad, parent, buffer);
  if (guard->has_ended)
    return GST_FLOW_OK;
  if (!guard->is_refused && !g_atomic_int_get (&guard->has_failed)
      && result != GST_FLOW_ERROR
      && result != GST_FLOW_NOT_NEGOTIATED
      && result != GST_FLOW_NOT_SUPPORTED)
    return result;
  /* What the element holds comes before the end. If it has given nothing so far, it is not touched any more: some
   * decoders crash after an error. */
  source = gst_element_get_static_pad (GST_ELEMENT (parent), "src");
  if (source != NULL && !gst_pad_has_current_caps (source))
    gst_pad_push_event (source, gst_event_new_eos ());
  else
    gst_pad_send_event (pad, gst_event_new_eos ());
  guard->has_ended = TRUE;
  return GST_FLOW_OK;
}

/* A pad probe. After its end downstream has got the end already. */
static GstPadProbeReturn
look_at_event (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Guard *guard = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    guard->is_packed = guard->is_parser && gst_structure_has_field (gst_caps_get_structure (caps, 0), "codec_data");
  }
  return guard->has_ended ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* A pad probe before and behind a decoder, which learns the size from the container or finds it in the data. */
static GstPadProbeReturn
look_at_size (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Guard *guard = data;
  GstCaps *caps;

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0)
    return guard->gives_refused ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
  if (!report_integrity_refuse (guard->integrity, caps))
    return GST_PAD_PROBE_OK;
  guard->is_refused = TRUE;
  guard->gives_refused = GST_PAD_IS_SRC (pad);
  return GST_PAD_PROBE_DROP;
}

static void
note_failure (GstElement * element)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
  Guard *guard = pad != NULL ? g_object_get_data (G_OBJECT (pad), GUARD) : NULL;

  if (guard != NULL)
    g_atomic_int_set (&guard->has_failed, TRUE);
}

static void
guard_pad (ReportIntegrity * integrity, GstElement * element,
    gboolean is_decoder)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstPad) source = gst_element_get_static_pad (element, "src");
  Guard *guard;

  if (pad != NULL && GST_PAD_CHAINFUNC (pad) != NULL
      && GST_PAD_CHAINFUNC (pad) != chain_guarded) {
    guard = g_new0 (Guard, 1);
    guard->integrity = integrity;
    guard->is_parser = !is_decoder;
    guard->chain = GST_PAD_CHAINFUNC (pad);
    g_object_set_data_full (G_OBJECT (pad), GUARD, guard, g_free);
    gst_pad_set_chain_function (pad, chain_guarded);
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look_at_event, guard, NULL);
    if (is_decoder)
      gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look_at_size,
          guard, NULL);
    if (is_decoder && source != NULL)
      gst_pad_add_probe (source, GST_PAD_PROBE_TYPE_BUFFER
          | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look_at_size, guard, NULL);
  }
}

/* Decoders of libav write into memory that downstream offers, and some versions crash if GStreamer has no
 * format for the frames. So they do it only when the format is known.
 *
 * Those that have no threads may change the frame before instead of making a new one. GStreamer 1.26 drops each changed frame
 * if the first one is not in such memory: these do it at once. */
#define DIRECT "direct-rendering"

static gboolean
must_begin_direct (GstElement * element)
{
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  return (major > 1 || minor >= 24)
      && g_object_class_find_property (G_OBJECT_GET_CLASS (element),
      "max-threads") == NULL;
}

static GstPadProbeReturn
allow_direct (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  g_object_set (data, DIRECT, TRUE, NULL);
  return GST_PAD_PROBE_REMOVE;
}

static void
delay_direct (GstElement * element)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element),
      DIRECT);

  if (pad != NULL && spec != NULL && spec->value_type == G_TYPE_BOOLEAN
      && !must_begin_direct (element)) {
    g_object_set (element, DIRECT, FALSE, NULL);
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, allow_direct,
        element, NULL);
  }
}

/* Data of a decoder: timestamps of the latest buffers. */
#define TIMES "cudahisto-report-times"

typedef struct
{
  guint64 entered, left;
} Times;

static GstPadProbeReturn
note_entering (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  /* Some demuxers know of no order in which frames are shown. */
  ((Times *) data)->entered = GST_BUFFER_PTS_IS_VALID (buffer) ?
      GST_BUFFER_PTS (buffer) : GST_BUFFER_DTS (buffer);
  return GST_PAD_PROBE_OK;
}

/* Called in the thread in which the latest buffer entered, which is the one that leaves. */
static GstPadProbeReturn
correct_leaving (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Times *times = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (GST_BUFFER_PTS_IS_VALID (buffer)
      && GST_CLOCK_TIME_IS_VALID (times->entered)
      && GST_CLOCK_TIME_IS_VALID (times->left)
      && GST_BUFFER_PTS (buffer) <= times->left
      && times->entered > times->left) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_PTS (buffer) = times->entered;
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
  }
  times->left = GST_BUFFER_PTS (buffer);
  return GST_PAD_PROBE_OK;
}

/* Some decoders of libav keep the first frame and change it (Cinepak, QuickTime Animation). All frames may then have its
 * time, or that of another one before (1.22). Those decoders have no threads, and give each frame at once. */
static void
correct_times (GstElement * element)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);
  g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstPad) source = gst_element_get_static_pad (element, "src");

  if (sink != NULL && source != NULL
      && g_object_class_find_property (klass, DIRECT) != NULL
      && g_object_class_find_property (klass, "max-threads") == NULL) {
    Times *times = g_new (Times, 1);

    times->entered = times->left = GST_CLOCK_TIME_NONE;
    g_object_set_data_full (G_OBJECT (element), TIMES, times, g_free);
    gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, note_entering, times,
        NULL);
    gst_pad_add_probe (source, GST_PAD_PROBE_TYPE_BUFFER, correct_leaving,
        times, NULL);
  }
}

/* Does what some decoders need. The decoder has got no data yet. */
void
report_integrity_prepare_decoder (GstElement * decoder)
{
  delay_direct (decoder);
  correct_times (decoder);
}

/* Watches an element that the decoder has added, which has got no data yet.
 *
 * @is_one: it is a decoder, whatever it has in it */
void
report_integrity_watch_element (ReportIntegrity * integrity,
    GstElement * element, gboolean is_one)
{
  const gchar *klass = gst_element_get_metadata (element,
      GST_ELEMENT_METADATA_KLASS);
  const gboolean is_decoder = strstr (klass, "Codec/Decoder") != NULL;
  GstElementFactory *factory = gst_element_get_factory (element);

  if (factory != NULL
      && g_str_equal (GST_OBJECT_NAME (factory), "matroskademux"))
    g_atomic_int_set (&integrity->has_own_times, TRUE);
  if (strstr (klass, "Demuxer") != NULL && strstr (klass, "Metadata") == NULL)
    g_atomic_int_set (&integrity->has_demuxer, TRUE);
  if ((GST_IS_BIN (element) && !is_one) || (!is_decoder && strstr (klass, "Parser") == NULL))
    return;
  report_integrity_prepare_decoder (element);
  g_mutex_lock (&integrity->lock);
  g_hash_table_add (integrity->guarded, gst_object_ref (element));
  if (is_decoder)
    g_ptr_array_add (integrity->decoders, report_decoder_watch_new (element,
            &integrity->has_own_times));
  g_mutex_unlock (&integrity->lock);
  /* After the watch, which sees all that enters. */
  guard_pad (integrity, element, is_decoder);
}

/* @pad: which gives what is measured
 * @decoded: of the decoder of the input, the same one unless something else decodes the stream, too
 * @said: (nullable): what the file says of the stream
 * @is_part: what is measured of it is given by a stream that joins it with others */
void
report_integrity_watch_stream (ReportIntegrity * integrity, GstPad * pad,
    GstPad * decoded, const ReportSaidStream * said, gboolean is_part)
{
  ReportStreamWatch *watch;

  g_mutex_lock (&integrity->lock);
  watch = report_stream_watch_new (pad, gst_pad_get_stream_id (decoded),
      &integrity->has_own_times);
  watch->is_trimmed = pad != decoded;
  watch->said = said;
  watch->is_part = is_part;
  g_ptr_array_add (integrity->streams, watch);
  g_mutex_unlock (&integrity->lock);
}

/* Watches a stream that libav reads and decodes, alone.
 *
 * @pad: which gives what is measured
 * @has_packets: they are told
 *
 * Returns: (transfer none) (nullable): is told of packets and frames; lives until the pipeline has stopped. NULL: none are told */
ReportDecoderWatch *
report_integrity_watch_libav (ReportIntegrity * integrity, GstPad * pad,
    const ReportSaidStream * said, gboolean has_packets)
{
  ReportStreamWatch *watch;

  g_atomic_int_set (&integrity->has_demuxer, TRUE);
  g_mutex_lock (&integrity->lock);
  watch = report_stream_watch_new (pad, NULL, &integrity->has_own_times);
  watch->decoder = has_packets ?
      report_decoder_watch_new_of_libav (!said->is_audio) : NULL;
  watch->is_trimmed = TRUE;
  watch->said = said;
  g_ptr_array_add (integrity->streams, watch);
  g_mutex_unlock (&integrity->lock);
  return watch->decoder;
}

/* Of a stream libav gives nothing.
 *
 * @format: (nullable): libav's name of that of the pictures, for which GStreamer has none; NULL: it cannot be decoded */
void
report_integrity_note_mute (ReportIntegrity * integrity,
    const ReportSaidStream * said, const gchar * format)
{
  gchar *text = format != NULL ?
      g_strdup_printf ("a stream cannot be decoded: %s: GStreamer has no format for the pictures that libav gives (%s)",
      said->codec_title, format) :
      g_strdup_printf ("a stream cannot be decoded: %s: libav gives nothing", said->codec_title);

  g_mutex_lock (&integrity->lock);
  g_ptr_array_add (integrity->refused, text);
  g_mutex_unlock (&integrity->lock);
}

/* ---- Messages --------------------------------------------------------------------------------- */

/* "FFmpeg Video 1, 64 x 48" */
static gchar *
describe_caps (GstPad * pad)
{
  g_autoptr (GstCaps) caps = pad != NULL ? gst_pad_get_current_caps (pad) : NULL;
  const GstStructure *structure;
  g_autofree gchar *codec = NULL;
  gint width, height, rate, channels;

  if (caps == NULL)
    return NULL;
  structure = gst_caps_get_structure (caps, 0);
  codec = gst_pb_utils_get_codec_description (caps);
  if (codec == NULL)
    codec = g_strdup (gst_structure_get_name (structure));
  if (gst_structure_get_int (structure, "width", &width)
      && gst_structure_get_int (structure, "height", &height))
    return g_strdup_printf ("%s, %d x %d", codec, width, height);
  if (gst_structure_get_int (structure, "rate", &rate)
      && gst_structure_get_int (structure, "channels", &channels))
    return g_strdup_printf ("%s, %d Hz, %d channel%s", codec, rate, channels, channels == 1 ? "" : "s");
  return g_steal_pointer (&codec);
}

static void
add_remark (ReportIntegrity * integrity, GstElement * element,
    const gchar * text, gboolean is_error)
{
  GHashTable *known = is_error ? integrity->failed : integrity->warned;
  Remark *remark = g_hash_table_lookup (known, element);
  g_autoptr (GstPad) pad = NULL;

  if (remark != NULL) {
    remark->count++;
    return;
  }
  remark = g_new0 (Remark, 1);
  g_hash_table_insert (known, element, remark);
  remark->element = gst_object_ref (element);
  remark->text = report_clean_text (g_utf8_make_valid (text, -1));
  remark->is_error = is_error;
  remark->count = 1;
  pad = gst_element_get_static_pad (element, "sink");
  remark->caps = describe_caps (pad);
  remark->stream = pad != NULL ? gst_pad_get_stream_id (pad) : NULL;
  g_ptr_array_add (integrity->remarks, remark);
}

/**
 * report_integrity_describe_missing_plugin:
 *
 * Returns: (transfer full) (nullable): NULL: it is for a stream that would not be measured
 */
gchar *
report_integrity_describe_missing_plugin (GstMessage * message)
{
  const GstStructure *structure = gst_message_get_structure (message);
  g_autofree gchar *description = gst_missing_plugin_message_get_description (message);
  g_autoptr (GstCaps) caps = NULL;
  g_autofree gchar *format = NULL;
  const gchar *name;

  gst_structure_get (structure, "detail", GST_TYPE_CAPS, &caps, NULL);
  name = caps != NULL && gst_caps_get_size (caps) > 0 ?
      gst_structure_get_name (gst_caps_get_structure (caps, 0)) : NULL;
  if (name == NULL)
    return g_strdup_printf ("GStreamer has no %s", description);
  if (!g_str_has_prefix (name, "video/") && !g_str_has_prefix (name, "audio/") && !g_str_has_prefix (name, "image/"))
    return NULL;
  format = gst_caps_to_string (caps);
  return strstr (description, format) != NULL ?
      g_strdup_printf ("a stream cannot be decoded: GStreamer has no %s", description) :
      g_strdup_printf ("a stream cannot be decoded: GStreamer has no %s (%s)", description, format);
}

/* Whether it is reported in another way: a plugin that is missing has its own message, and packets.c counts
 * better than tsdemux, which also complains of files that were put one after the other. A decoder that gives several
 * buffers for one packet, as speexdec does, loses nothing. */
static gboolean
is_known_otherwise (GstMessage * message, const GError * error)
{
  const GstStructure *details = NULL;

  gst_message_parse_warning_details (message, &details);
  return g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN)
      || g_error_matches (error, GST_STREAM_ERROR,
      GST_STREAM_ERROR_CODEC_NOT_FOUND)
      || g_str_has_prefix (error->message, "received more decoded frames")
      || (details != NULL && gst_structure_has_field (details, "warning-type"));
}

/**
 * report_integrity_take_message:
 * @message: an error or a warning
 *
 * Returns: whether nobody else need look at it: it ends one stream at most
 */
gboolean
report_integrity_take_message (ReportIntegrity * integrity,
    GstMessage * message)
{
  const gboolean is_error = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
  gboolean is_taken = !is_error;
  g_autoptr (GError) error = NULL;

  if (!GST_IS_ELEMENT (GST_MESSAGE_SRC (message)))
    return FALSE;
  if (is_error)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  g_mutex_lock (&integrity->lock);
  if (is_error)
    is_taken = g_hash_table_contains (integrity->guarded,
        GST_MESSAGE_SRC (message));
  if (is_taken && (is_error || !is_known_otherwise (message, error)))
    add_remark (integrity, GST_ELEMENT (GST_MESSAGE_SRC (message)),
        error->message, is_error);
  g_mutex_unlock (&integrity->lock);
  if (is_taken && is_error)
    note_failure (GST_ELEMENT (GST_MESSAGE_SRC (message)));
  return is_taken;
}

/* ---- The judgement -------------------------------------------------------------------------- */

static gchar *
stream_of (GstElement * element, const gchar * name)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, name);

  return pad != NULL ? gst_pad_get_stream_id (pad) : NULL;
}

/* Returns: whether a decoder has got something and given nothing */
gboolean
report_integrity_has_mute (ReportIntegrity * integrity)
{
  gboolean found = FALSE;

  g_mutex_lock (&integrity->lock);
  for (guint i = 0; i < integrity->decoders->len; i++) {
    ReportDecoderWatch *watch = integrity->decoders->pdata[i];

    g_mutex_lock (&watch->lock);
    found = found || (watch->n_in > 0 && watch->n_out == 0);
    g_mutex_unlock (&watch->lock);
  }
  g_mutex_unlock (&integrity->lock);
  return found;
}

/* What belongs to what, when the pipeline has ended. A chained file has streams, and decoders, for each of its parts. */
typedef struct
{
  GHashTable *decoders;         /* id of a stream → ReportDecoderWatch, of what leaves it */
  GHashTable *decoded;          /* set of ids of streams of which a decoder has given something; "": unknown */
  GHashTable *watches;          /* GstElement → ReportDecoderWatch */
  GHashTable *indices;          /* id of a stream → its index, plus 1 */
  GHashTable *packed;           /* id of a stream → guint64, bytes in the container */
} Map;

/* A parser may give a longer form than that of the container (H.264 with start codes, delimiters or its parameters), so that the
 * bytes that enter a decoder depend on which one there is. Of several parsers the first one gets the fewest bytes. */
static void
map_packed (Map * map, ReportIntegrity * integrity)
{
  GHashTableIter iter;
  gpointer element;

  g_hash_table_iter_init (&iter, integrity->guarded);
  while (g_hash_table_iter_next (&iter, &element, NULL)) {
    g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
    const Guard *guard = pad != NULL ? g_object_get_data (G_OBJECT (pad), GUARD) : NULL;
    g_autofree gchar *id = guard != NULL && guard->n_packed > 0 ? gst_pad_get_stream_id (pad) : NULL;
    const guint64 *other = id != NULL ? g_hash_table_lookup (map->packed, id) : NULL;

    if (id != NULL && (other == NULL || *other > guard->n_packed))
      g_hash_table_insert (map->packed, g_steal_pointer (&id), (gpointer) & guard->n_packed);
  }
}

/* @find: returns the index of a stream; -1: it is not measured */
static void
map_init (Map * map, ReportIntegrity * integrity, ReportFindStream find,
    gpointer data)
{
  map->decoders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  map->decoded = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  map->watches = g_hash_table_new (NULL, NULL);
  map->indices = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  map->packed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  map_packed (map, integrity);
  for (guint i = 0; i < integrity->decoders->len; i++) {
    ReportDecoderWatch *watch = integrity->decoders->pdata[i];
    gchar *id = stream_of (watch->element, "src");

    g_hash_table_insert (map->watches, watch->element, watch);
    if (watch->n_out > 0)
      g_hash_table_add (map->decoded, g_strdup (id != NULL ? id : ""));
    /* The last one: a decoder may have given up for another one. */
    if (id != NULL)
      g_hash_table_insert (map->decoders, id, watch);
  }
  for (guint i = 0; i < integrity->streams->len; i++) {
    ReportStreamWatch *watch = integrity->streams->pdata[i];
    const gint index = watch->id != NULL
        && !g_hash_table_contains (map->indices, watch->id) ? find (data,
        watch->pad) : -1;

    if (index >= 0)
      g_hash_table_insert (map->indices, g_strdup (watch->id),
          GINT_TO_POINTER (index + 1));
  }
}

static void
map_clear (Map * map)
{
  g_hash_table_unref (map->decoders);
  g_hash_table_unref (map->decoded);
  g_hash_table_unref (map->watches);
  g_hash_table_unref (map->indices);
  g_hash_table_unref (map->packed);
}

/* Returns: (nullable): the decoder of a stream; NULL: it needs none */
static ReportDecoderWatch *
find_decoder (const Map * map, const ReportStreamWatch * stream)
{
  return stream->decoder != NULL ? stream->decoder :
      stream->id != NULL ? g_hash_table_lookup (map->decoders, stream->id) : NULL;
}

/* Returns: the index of the stream with this id; -1: it is not measured */
static gint
find_index (const Map * map, const gchar * id)
{
  return id != NULL ?
      GPOINTER_TO_INT (g_hash_table_lookup (map->indices, id)) - 1 : -1;
}

static void
add_remark_of (const Map * map, const Remark * remark, ReportSummary * summary)
{
  const gint index = find_index (map, remark->stream);
  const gchar *decoder = GST_OBJECT_NAME (gst_element_get_factory
      (remark->element));
  /* NULL: the element is no decoder. */
  const ReportDecoderWatch *watch =
      g_hash_table_lookup (map->watches, remark->element);
  const gboolean is_undecodable = remark->is_error && watch != NULL
      && watch->n_out == 0;
  ReportProblem problem = { REPORT_PROBLEM_ERROR, index, GST_CLOCK_TIME_NONE,
    GST_CLOCK_TIME_NONE, remark->count, NULL
  };
  g_autoptr (GString) text = NULL;

  /* One that has got no data complains of an empty stream. */
  if (remark->is_error && watch != NULL && watch->n_in == 0)
    return;
  text = g_string_new (NULL);
  if (index >= 0) {
    const ReportStreamSummary *stream = summary->streams->pdata[index];

    g_string_append_printf (text, "%s: ", stream->stream->title);
  }
  if (is_undecodable) {
    problem.type = REPORT_PROBLEM_UNDECODABLE;
    g_string_append_printf (text, "a stream cannot be decoded: %s: ",
        remark->caps != NULL ? remark->caps : "of an unknown format");
  }
  g_string_append_printf (text, "%s says: %s", decoder, remark->text);
  if (remark->count > 1)
    g_string_append_printf (text, " (%" G_GUINT64_FORMAT " times)",
        remark->count);
  problem.text = text->str;
  report_summary_add_problem (summary, &problem);
}

/* Decoders that have got something and given nothing. A packet of sound may be there to begin with. If one cannot decode a
 * stream, another one is tried. */
static void
add_mute_decoders (ReportIntegrity * integrity, const Map * map,
    ReportSummary * summary)
{
  for (guint i = 0; i < integrity->decoders->len; i++) {
    const ReportDecoderWatch *watch = integrity->decoders->pdata[i];
    g_autoptr (GstPad) pad = gst_element_get_static_pad (watch->element, "sink");
    g_autofree gchar *id = pad != NULL ? gst_pad_get_stream_id (pad) : NULL;
    g_autofree gchar *caps = describe_caps (pad);

    if (watch->n_out == 0 && watch->n_timed > (watch->is_video ? 0 : 1)
        && !g_hash_table_contains (integrity->failed, watch->element)
        && !g_hash_table_contains (map->decoded, id != NULL ? id : ""))
      report_summary_complain (summary, REPORT_PROBLEM_UNDECODABLE,
          watch->n_timed, "a stream cannot be decoded: %s: %s gives nothing; "
          "maybe GStreamer has no format for it",
          caps != NULL ? caps : "of an unknown format",
          GST_OBJECT_NAME (gst_element_get_factory (watch->element)));
  }
}

/* @base: time of the first frame or sample of the stream
 * @timing: (nullable): of video, whose gaps may be no fault
 * @are_faults: of all other ones */
static void
add_time_places (ReportStreamSummary * summary, ReportTimeFault fault,
    const GArray * spans, guint64 base, const ReportTiming * timing, gboolean are_faults)
{
  ReportTimestamps *timestamps = &summary->timestamps;

  for (guint i = 0; i < spans->len; i++) {
    const ReportSpan *span = &g_array_index (spans, ReportSpan, i);
    ReportTimePlace *place;

    timestamps->n[fault]++;
    if (fault == REPORT_GAP)
      timestamps->gap_length += span->count;
    if (timestamps->n[fault] > REPORT_MOST_TIME_PLACES)
      continue;
    place = report_objects_add (timestamps->places, &report_time_place_shape);
    place->fault = fault;
    place->is_fault = fault == REPORT_GAP && timing != NULL ? report_timing_misses (timing, span) : are_faults;
    place->start = span->start - MIN (base, span->start);
    if (fault == REPORT_GAP) {
      place->end = span->end - MIN (base, span->end);
      place->count = span->count;
    }
  }
}

/* At a constant rate, of which only some times are shifted, the last time may be that of another frame: the rate and the length
 * follow from the number of frames. */
static void
correct_length (ReportStreamSummary * summary, const ReportStreamWatch * watch,
    const ReportTiming * timing)
{
  /* Times are rounded to ns, or to more. */
  const gboolean is_as_said = watch->frame_rate > 0
      && fabs (GST_SECOND / watch->frame_rate - timing->frame) <= REPORT_ROUNDING;
  const gdouble rate = is_as_said ? watch->frame_rate : GST_SECOND / timing->frame;
  const gdouble length = watch->n_buffers * (gdouble) GST_SECOND / rate;

  if (timing->n_shifted == 0 || !(timing->frame > 0) || timing->gaps->len > 0
      || timing->overlaps->len > 0 || watch->jumps_back->len > 0
      || !GST_CLOCK_TIME_IS_VALID (summary->start)
      || fabs (length - (gdouble) report_stream_summary_length (summary)) > 2.5 * timing->frame)
    return;
  summary->mean_frame_rate = rate;
  summary->end = summary->start + (guint64) (length + 0.5);
}

/* Time in which frames or samples are missing is neither black nor frozen, nor silent.
 *
 * @gaps: (element-type ReportSpan) */
static void
cut_alerts (const ReportSummary * whole, ReportStreamSummary * summary, const GArray * gaps, guint64 base,
    const ReportTiming * timing)
{
  for (guint i = 0; i < gaps->len; i++) {
    const ReportSpan *gap = &g_array_index (gaps, ReportSpan, i);

    if (timing == NULL || report_timing_misses (timing, gap))
      report_alerts_cut (whole, summary, gap->start - MIN (base, gap->start), gap->end - MIN (base, gap->end));
  }
}

/* @has_times: those of sound are of the container, not estimated */
static void
add_timestamps (const ReportSummary * whole, ReportStreamSummary * summary, const ReportStreamWatch * watch,
    gboolean has_times)
{
  const guint64 base = GST_CLOCK_TIME_IS_VALID (summary->start) ?
      summary->start : 0;

  summary->timestamps.n_buffers += watch->n_buffers;
  summary->timestamps.n_untimed += watch->n_untimed;
  if (watch->is_audio) {
    add_time_places (summary, REPORT_GAP, watch->gaps, base, NULL, has_times);
    add_time_places (summary, REPORT_OVERLAP, watch->overlaps, base, NULL, has_times);
    if (has_times)
      cut_alerts (whole, summary, watch->gaps, base, NULL);
  } else {
    ReportTiming *timing = report_timing_new (watch, summary->held);

    add_time_places (summary, REPORT_GAP, timing->gaps, base, timing, FALSE);
    /* If all frames have one time, the decoder has no others. */
    add_time_places (summary, REPORT_OVERLAP, timing->overlaps, base, timing,
        timing->frame > 0 && watch->last > watch->first);
    cut_alerts (whole, summary, timing->gaps, base, timing);
    summary->timestamps.n_shifted += timing->n_shifted;
    histo_range_merge (&summary->timestamps.distances, &timing->distances);
    correct_length (summary, watch, timing);
    report_timing_free (timing);
  }
  add_time_places (summary, REPORT_JUMP_BACK, watch->jumps_back, base, NULL, TRUE);
}

static gint
compare_places (gconstpointer a, gconstpointer b)
{
  const ReportTimePlace *one = *(ReportTimePlace * const *) a;
  const ReportTimePlace *other = *(ReportTimePlace * const *) b;

  return one->start < other->start ? -1 : one->start > other->start;
}

/* Sets a fact that the buffers tell, unless the file says the same. @value: (nullable) */
static void
set_fact (ReportStreamSummary * summary, HistoFact which, const gchar * value,
    const gchar * source)
{
  if (value != NULL && g_strcmp0 (report_facts_value (summary->facts, which), value) != 0)
    report_facts_set (summary->facts, which, source, g_strdup (value));
}

/* Adds what the watched streams show beside problems. A chained file has several that are one stream of the summary. */
static void
add_facts (ReportIntegrity * integrity, const Map * map, const ReportSummary * whole, const ReportStructure * structure,
    gint index, const gint * indices)
{
  ReportStreamSummary *summary = whole->streams->pdata[index];
  const ReportSaidStream *said = NULL;
  g_autofree gchar *timecode = NULL;
  const gchar *order;
  gboolean is_watched = FALSE, is_said = TRUE, is_ordered = FALSE;
  guint64 n_frames = 0, n_interlaced = 0, n_top = 0, n_fields = 0, n_bytes = 0;
  guint64 length;

  for (guint i = 0; i < integrity->streams->len; i++) {
    const ReportStreamWatch *watch = integrity->streams->pdata[i];
    const ReportDecoderWatch *decoder;
    const guint64 *packed;

    if (indices[i] != index)
      continue;
    decoder = find_decoder (map, watch);
    packed = watch->id != NULL ? g_hash_table_lookup (map->packed, watch->id) : NULL;
    /* Sound that is not encoded is counted where it is joined. */
    n_bytes += packed != NULL ? *packed : decoder != NULL ? decoder->n_bytes : watch->is_part ? 0 : watch->n_bytes;
    if (watch->is_part)
      continue;
    add_timestamps (whole, summary, watch, !structure->has_no_times);
    n_frames += watch->n_buffers;
    n_interlaced += watch->n_interlaced;
    n_top += watch->n_top;
    n_fields += watch->n_fields;
    is_said = is_said && report_stream_watch_knows_fields (watch);
    is_ordered = is_ordered || watch->has_order;
    is_watched = TRUE;
    if (said == NULL)
      said = watch->said;
    if (timecode == NULL)
      timecode = g_strdup (watch->timecode);
  }
  /* The facts of a programme are not those of its tracks. */
  if (is_watched && summary->stream->programme == NULL)
    report_facts_read (summary->facts, said, summary->stream);
  /* Frames of other encodings get theirs from the container, as MXF's do. */
  set_fact (summary, HISTO_FACT_TIMECODE, timecode, said != NULL && (g_str_equal (said->codec, "h264")
          || g_str_equal (said->codec, "hevc")) ? REPORT_BY_BITSTREAM : REPORT_BY_CAPS);
  summary->timecode = g_strdup (report_facts_value (summary->facts, HISTO_FACT_TIMECODE));
  g_ptr_array_sort (summary->timestamps.places, compare_places);
  length = report_stream_summary_length (summary);
  if (GST_CLOCK_TIME_IS_VALID (length) && length > 0)
    summary->bit_rate = n_bytes * 8. * GST_SECOND / length;
  if (summary->stream->is_audio || n_frames == 0)
    return;
  order = n_fields > 0 ? REPORT_ALTERNATE : n_interlaced == 0 ? (is_said ? "progressive" : NULL) :
      n_interlaced == n_frames && n_top == 0 && !is_ordered ? "interlaced" :
      n_interlaced < n_frames ? "mixed" : n_top == n_frames ? "top-field-first" :
      n_top == 0 ? "bottom-field-first" : "mixed";
  /* A mixture, or interlaced frames, contradict no order that the container says. */
  set_fact (summary, HISTO_FACT_FIELD_ORDER, order, said != NULL && said->tells_fields && order != NULL
      && (g_str_has_suffix (order, "-first") || g_str_equal (order, "progressive")) ? REPORT_BY_BITSTREAM : REPORT_BY_CAPS);
  summary->field_order = g_strdup (report_facts_value (summary->facts, HISTO_FACT_FIELD_ORDER));
}

/* Adds what is wrong with the streams and with the file to the problems of the summary.
 * @duration: that the container says, in ns; GST_CLOCK_TIME_NONE: unknown
 *
 * Returns: FALSE if a signal came before the structure of the file was looked at */
gboolean
report_integrity_judge (ReportIntegrity * integrity,
    ReportSummary * summary, guint64 duration,
    ReportFindStream find, gpointer data)
{
  ReportStructure structure = { 0 };
  g_autofree gint *indices = NULL;      /* of the streams, in the summary */
  Map map;

  if (summary->uri != NULL)
    report_structure_check (&structure, summary->uri);
  g_mutex_lock (&integrity->packets_lock);
  report_packets_finish (integrity->packets, &structure);
  g_mutex_unlock (&integrity->packets_lock);
  g_mutex_lock (&integrity->lock);
  map_init (&map, integrity, find, data);
  indices = g_new (gint, integrity->streams->len);
  for (guint i = 0; i < integrity->streams->len; i++) {
    ReportStreamWatch *watch = integrity->streams->pdata[i];

    indices[i] = find (data, watch->pad);
    if (indices[i] >= 0)
      report_verdict_add_stream (summary, indices[i], watch,
          find_decoder (&map, watch), &structure);
  }
  for (guint i = 0; i < summary->streams->len; i++)
    add_facts (integrity, &map, summary, &structure, i, indices);
  for (guint i = 0; i < integrity->remarks->len; i++)
    add_remark_of (&map, integrity->remarks->pdata[i], summary);
  add_mute_decoders (integrity, &map, summary);
  map_clear (&map);
  for (guint i = 0; i < integrity->refused->len; i++)
    report_summary_complain (summary, REPORT_PROBLEM_UNDECODABLE, 0, "%s",
        (const gchar *) integrity->refused->pdata[i]);
  report_verdict_add_structure (summary, &structure);
  report_verdict_add_end (summary, integrity->streams, &structure,
      g_atomic_int_get (&integrity->has_demuxer), duration);
  g_mutex_unlock (&integrity->lock);
  add_logged (integrity, summary);
  return structure.state != REPORT_STRUCTURE_GIVEN_UP
      || structure.too_many != NULL;
}
