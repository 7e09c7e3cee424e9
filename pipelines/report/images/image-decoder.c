/* Decodes and measures one image after the other; see image-decoder.h.
 *
 * A chain of elements is made when the first image comes: those of --before, and a cudahisto. A picture goes into it as one
 * buffer from the thread of the caller, and EOS follows; a flush makes the chain ready for the next one. So no pipeline is built
 * for an image, and no thread waits for another one. If neither libjpeg nor libav decodes a format, the chain begins with a
 * decoder of GStreamer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE             /* memmem */
#include "images/image-decoder.h"

#include <gst/tag/tag.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#include "cudahisto/cudahisto.h"
#include "images/image-jpeg.h"
#include "input/libav-pictures.h"
#include "input/settings.h"
#include "base/describe.h"
#include "base/life.h"
#include "base/names.h"
#include "policy/policy.h"

/* So many ticks without a sign of life after it is decoded, measuring an image is given up. Elements that lose an end do
 * not stop the program. */
#define MOST_TICKS 600

/* ---- The chain ---------------------------------------------------------------------------------- */

typedef struct
{
  GstElement *bin;              /* NULL: none yet */
  const ReportImageFormat *format;      /* that a decoder in it decodes; NULL: there is none */
  GstElement *decoder;          /* in it; NULL: pictures come decoded */
  GstCaps *caps;                /* of what was sent into it; NULL: nothing was */
  GstPad *src, *sink;           /* before and behind it */
  gint64 max_pixels;
  gboolean is_refused;          /* the decoder gives more pixels; in its thread */
  GMutex mutex;
  GCond cond;
  /* Of the image that is measured, under the mutex: */
  gboolean has_ended, has_result;
  HistoResult result;           /* of the first frame */
  gchar *error;
} Chain;

struct _ReportImageDecoder
{
  ReportSettings settings;
  gchar *before;                /* NULL: none */
  Chain chain;
  GstMemory *memory;            /* of the latest JPEG; NULL: none */
};

void
report_image_free (gpointer data)
{
  ReportImage *image = data;

  for (guint c = 0; c < REPORT_CHANNELS; c++)
    g_free (image->counts[c]);
  g_free (image->problem);
  g_free (image->pixels);
  g_free (image->orientation);
  g_free (image);
}

static void
take_error (Chain * chain, const gchar * text)
{
  g_mutex_lock (&chain->mutex);
  if (chain->error == NULL)
    chain->error = g_strdup (text);
  g_cond_signal (&chain->cond);
  g_mutex_unlock (&chain->mutex);
}

/* Of the bus of the chain. */
static GstBusSyncReply
take_message (GstBus * bus, GstMessage * message, gpointer data)
{
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    take_error (data, error->message);
    g_error_free (error);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* A probe behind a decoder of GStreamer: the picture may be larger than the header that was read before. */
static GstPadProbeReturn
look_at_size (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Chain *chain = data;
  GstVideoInfo video;
  GstCaps *caps;
  gchar *text;

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0)
    return chain->is_refused ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
  chain->is_refused = gst_video_info_from_caps (&video, caps)
      && report_is_too_large (GST_VIDEO_INFO_WIDTH (&video),
      GST_VIDEO_INFO_HEIGHT (&video), chain->max_pixels);
  if (!chain->is_refused)
    return GST_PAD_PROBE_OK;
  text = report_describe_too_large (GST_VIDEO_INFO_WIDTH (&video),
      GST_VIDEO_INFO_HEIGHT (&video), chain->max_pixels);
  take_error (chain, text);
  g_free (text);
  return GST_PAD_PROBE_DROP;
}

/* The chain function behind the bin. The first frame is the image. */
static GstFlowReturn
take_frame (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Chain *chain = gst_pad_get_element_private (pad);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "cudahisto");
  GError *error = NULL;

  g_mutex_lock (&chain->mutex);
  if (!chain->has_result && meta != NULL) {
    chain->has_result = histo_read_result (gst_custom_meta_get_structure (meta),
        &chain->result, &error);
    if (!chain->has_result && chain->error == NULL)
      chain->error = g_strdup (error->message);
    g_clear_error (&error);
  }
  g_mutex_unlock (&chain->mutex);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
take_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  Chain *chain = gst_pad_get_element_private (pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    g_mutex_lock (&chain->mutex);
    chain->has_ended = TRUE;
    g_cond_signal (&chain->cond);
    g_mutex_unlock (&chain->mutex);
  }
  gst_event_unref (event);
  return TRUE;
}

/* Decoders give frames with padding to those that read GstVideoMeta, and copy them for others. */
static gboolean
take_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return gst_pad_query_default (pad, parent, query);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

static void
chain_clear (Chain * chain)
{
  if (chain->bin != NULL) {
    gst_pad_set_active (chain->src, FALSE);
    gst_element_set_state (chain->bin, GST_STATE_NULL);
    gst_pad_set_active (chain->sink, FALSE);
    gst_element_set_bus (chain->bin, NULL);
    gst_object_unref (chain->bin);
    gst_object_unref (chain->src);
    gst_object_unref (chain->sink);
    chain->bin = chain->decoder = NULL;
    gst_clear_caps (&chain->caps);
  }
}

static GstPad *
make_pad (Chain * chain, const gchar * name, GstPadDirection direction)
{
  /* Of any caps: without a template the first caps would be the only ones. */
  GstPadTemplate *any = gst_object_ref_sink (gst_pad_template_new (name,
          direction, GST_PAD_ALWAYS, GST_CAPS_ANY));
  GstPad *pad = gst_object_ref_sink (gst_pad_new_from_template (any, name));

  gst_object_unref (any);
  gst_pad_set_element_private (pad, chain);
  if (direction == GST_PAD_SINK) {
    gst_pad_set_chain_function (pad, take_frame);
    gst_pad_set_event_function (pad, take_event);
    gst_pad_set_query_function (pad, take_query);
  }
  return pad;
}

/* Returns: (transfer floating) (nullable): GStreamer's decoder of the format, with one thread: images are decoded at the same
 * time, not their parts */
static GstElement *
make_decoder (const ReportImageFormat * format, const GstCaps * caps)
{
  GstElementFactory *factory = format->element != NULL ?
      gst_element_factory_find (format->element) : NULL;
  GstElement *decoder = NULL;

  if (factory != NULL && gst_element_factory_can_sink_any_caps (factory, caps))
    decoder = gst_element_factory_create (factory, NULL);
  g_clear_object (&factory);
  if (decoder != NULL
      && g_object_class_find_property (G_OBJECT_GET_CLASS (decoder),
          "max-threads") != NULL)
    g_object_set (decoder, "max-threads", 1, NULL);
  if (decoder != NULL)
    report_settings_make_exact (decoder);
  return decoder;
}

/* Of YUV, R, G and B are measured with the group color; others have them. So less is counted. */
static GstPadProbeReturn
choose_measures (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstVideoInfo video;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  if (gst_video_info_from_caps (&video, caps))
    gst_util_set_object_arg (data, "measures", GST_VIDEO_INFO_IS_YUV (&video) ? "color+detail" : "detail");
  return GST_PAD_PROBE_OK;
}

/* Returns: (transfer full): measures the frames and passes them on */
static GstElement *
make_histo (const ReportSettings * settings)
{
  GstCaps *caps = gst_caps_new_empty_simple ("video/x-raw");
  GstElement *histo = report_settings_make_element (settings, caps);
  GstPad *pad;

  g_object_set (histo, "meta", TRUE, "post-messages", FALSE, "hold-previous",
      FALSE, NULL);
  gst_caps_unref (caps);
  pad = gst_element_get_static_pad (histo, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, choose_measures, histo, NULL);
  gst_object_unref (pad);
  return histo;
}

/* A description of a bin may not begin or end with caps, so there are elements around them. */
static GstElement *
make_before (const gchar * description, GError ** error)
{
  gchar *full = g_strdup_printf ("identity ! %s ! identity", description);
  GstElement *bin = gst_parse_bin_from_description_full (full, TRUE, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);

  g_free (full);
  return bin;
}

static void
watch_decoder (Chain * chain)
{
  GstPad *pad = gst_element_get_static_pad (chain->decoder, "src");

  chain->is_refused = FALSE;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look_at_size, chain, NULL);
  gst_object_unref (pad);
}

/* Links a pad that has no parent, so that links are not checked for it. */
static gboolean
link_end (GstPad * end, GstElement * element, gboolean is_source)
{
  GstPad *pad = gst_element_get_static_pad (element, is_source ? "sink" : "src");
  const gboolean ok = gst_pad_link_full (is_source ? end : pad,
      is_source ? pad : end, GST_PAD_LINK_CHECK_NOTHING) == GST_PAD_LINK_OK;

  gst_object_unref (pad);
  return ok;
}

/* @format: (nullable): what a decoder of GStreamer decodes; %NULL: pictures come decoded
 *
 * Returns: FALSE with a problem */
static gboolean
chain_build (Chain * chain, const ReportImageDecoder * decoder,
    const ReportImageFormat * format, GstCaps * caps)
{
  GstElement *elements[3], *histo;
  guint n = 0;
  GstBus *bus;
  gboolean ok = TRUE;

  chain->format = format;
  if (format != NULL) {
    chain->decoder = elements[n++] = make_decoder (format, caps);
    if (chain->decoder == NULL) {
      chain->error = g_strdup_printf ("there is no decoder of %s%s%s",
          format->name, format->element == NULL ? "" : ": GStreamer has no ",
          format->element == NULL ? "" : format->element);
      return FALSE;
    }
  }
  if (decoder->before != NULL)
    elements[n++] = make_before (decoder->before, NULL);
  elements[n++] = histo = make_histo (&decoder->settings);
  chain->bin = gst_object_ref_sink (gst_bin_new (NULL));
  for (guint i = 0; i < n; i++) {
    gst_bin_add (GST_BIN (chain->bin), elements[i]);
    ok = ok && (i == 0 || gst_element_link (elements[i - 1], elements[i]));
  }
  gst_object_unref (histo);
  chain->src = make_pad (chain, "src", GST_PAD_SRC);
  chain->sink = make_pad (chain, "sink", GST_PAD_SINK);
  ok = ok && link_end (chain->src, elements[0], TRUE)
      && link_end (chain->sink, histo, FALSE);
  chain->max_pixels = decoder->settings.max_pixels;
  if (chain->decoder != NULL)
    watch_decoder (chain);
  bus = gst_bus_new ();
  gst_bus_set_sync_handler (bus, take_message, chain, NULL);
  gst_element_set_bus (chain->bin, bus);
  gst_object_unref (bus);
  gst_pad_set_active (chain->sink, TRUE);
  ok = ok && gst_element_set_state (chain->bin,
      GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
  gst_pad_set_active (chain->src, TRUE);
  /* All images are one stream. */
  if (ok)
    gst_pad_push_event (chain->src, gst_event_new_stream_start ("image"));
  else
    take_error (chain, "the elements of --before do not fit");
  return ok;
}

/* Sends a picture, or a file to a decoder of GStreamer, and waits for the result. */
static void
chain_run (Chain * chain, GstBuffer * buffer, GstCaps * caps)
{
  ReportLife life = { 0 };
  GstSegment segment;

  if (chain->caps == NULL || !gst_caps_is_equal (caps, chain->caps)) {
    gst_caps_replace (&chain->caps, caps);
    gst_pad_push_event (chain->src, gst_event_new_caps (caps));
  }
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (chain->src, gst_event_new_segment (&segment));
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = GST_SECOND;
  gst_pad_push (chain->src, buffer);
  gst_pad_push_event (chain->src, gst_event_new_eos ());
  report_life_begin (&life);
  g_mutex_lock (&chain->mutex);
  /* The element and those of --before may have threads. Behind an error there may be no EOS. */
  while (!chain->has_ended && chain->error == NULL) {
    if (g_cond_wait_until (&chain->cond, &chain->mutex,
            g_get_monotonic_time () + REPORT_TICK))
      continue;
    report_life_tick (&life);
    if (life.n_quiet >= MOST_TICKS)
      chain->error = g_strdup ("the elements do not pass the end of the image on");
  }
  g_mutex_unlock (&chain->mutex);
  gst_pad_push_event (chain->src, gst_event_new_flush_start ());
  gst_pad_push_event (chain->src, gst_event_new_flush_stop (TRUE));
}

/* ---- The figures of an image ------------------------------------------------------------------ */

/* Of YUV these are computed from Y, U and V; the range is expanded. Gray counts as R = G = B. */
static const HistoComponentResult *
find_channel (const HistoResult * result, guint channel)
{
  static const gchar *const names[REPORT_CHANNELS] = { "R", "G", "B" };
  const HistoComponentResult *found = histo_result_find_component (result, 0,
      HISTO_GROUP_BASIC, names[channel]);

  if (found == NULL)
    found = histo_result_find_component (result, 0, HISTO_GROUP_COLOR,
        names[channel]);
  if (found == NULL)
    found = histo_result_find_component (result, 0, HISTO_GROUP_BASIC, "Y");
  return found;
}

static gboolean
fill_channel (ReportImage * image, guint c, const HistoResult * result,
    guint64 * n_clipped)
{
  const HistoComponentResult *component = find_channel (result, c);
  const HistoFigures *figures;
  gdouble greatest;

  if (component == NULL || component->histogram == NULL)
    return FALSE;
  figures = &component->figures;
  image->n_bins[c] = figures->bins;
  /* One bin for each code. */
  if (figures->bins < 2 || figures->bins > 1u << REPORT_MOST_BITS
      || (figures->bins & (figures->bins - 1)) != 0)
    return FALSE;
  image->counts[c] = g_new0 (guint64, figures->bins);
  if (!histo_component_add_counts (component, image->counts[c]))
    return FALSE;
  greatest = figures->bins - 1;
  image->min[c] = figures->min / greatest;
  image->max[c] = figures->max / greatest;
  image->mean[c] = figures->mean / greatest;
  image->std[c] = figures->std_dev / greatest;
  *n_clipped += image->counts[c][0] + image->counts[c][figures->bins - 1];
  return TRUE;
}

static gboolean
fill_image (ReportImage * image, const HistoResult * result)
{
  guint64 n_clipped = 0;

  for (guint c = 0; c < REPORT_CHANNELS; c++) {
    if (!fill_channel (image, c, result, &n_clipped))
      return FALSE;
  }
  image->pixels = g_strdup (result->format);
  image->width = result->width;
  image->height = result->height;
  image->brightness = (image->mean[0] + image->mean[1] + image->mean[2])
      / REPORT_CHANNELS;
  image->clipped = (gdouble) n_clipped
      / ((gdouble) REPORT_CHANNELS * image->width * image->height);
  image->sharpness = result->n_regions == 0 ? NAN :
      result->regions[0].figures.DETAIL_sharpness
      / (gdouble) (image->n_bins[1] - 1);
  return TRUE;
}

/* ---- The decoder ------------------------------------------------------------------------------ */

/* Makes the chain ready for an image. An error that came behind the one before is not one of this image, but has left
 * the elements in a state that is not known. */
static void
chain_prepare (Chain * chain, const ReportImageFormat * format)
{
  gboolean is_other;

  g_mutex_lock (&chain->mutex);
  is_other = chain->error != NULL || chain->format != format;
  g_mutex_unlock (&chain->mutex);
  if (is_other)
    chain_clear (chain);
  g_mutex_lock (&chain->mutex);
  chain->has_ended = chain->has_result = FALSE;
  g_clear_pointer (&chain->error, g_free);
  g_mutex_unlock (&chain->mutex);
}

/* Returns: (transfer full) (nullable): what is wrong; NULL: the chain has a result */
static gchar *
chain_take_problem (Chain * chain)
{
  gchar *problem;

  g_mutex_lock (&chain->mutex);
  problem = g_steal_pointer (&chain->error);
  if (problem == NULL && !chain->has_result)
    problem = g_strdup ("it cannot be decoded");
  g_mutex_unlock (&chain->mutex);
  return problem;
}

/* @format: (nullable): of the file that the buffer is; %NULL: it is a picture
 * @buffer: (transfer full):
 * @caps: (transfer full): */
static void
measure (ReportImageDecoder * decoder, const ReportImageFormat * format,
    GstBuffer * buffer, GstCaps * caps, ReportImage * image)
{
  Chain *chain = &decoder->chain;

  chain_prepare (chain, format);
  if (chain->bin != NULL || chain_build (chain, decoder, format, caps))
    chain_run (chain, buffer, caps);
  else
    gst_buffer_unref (buffer);
  gst_caps_unref (caps);
  image->problem = chain_take_problem (chain);
  /* What an error leaves in an element does not reach the next image. */
  if (image->problem != NULL)
    chain_clear (chain);
  else if (!fill_image (image, &chain->result))
    image->problem = g_strdup_printf ("pixels of the format %s are not measured", chain->result.format);
}

/* ---- What the file says ------------------------------------------------------------------------ */

/* Where EXIF is, which is a TIFF without a picture: behind a text and some bytes. Then its own header tells that it is none by
 * chance. JPEG has it before the picture. */
static const struct
{
  const gchar *codec, *text;
  gsize n_behind, reach;
} exif_places[] = {
  {"mjpeg", "Exif", 2, 1 << 16},
  {"webp", "EXIF", 4, G_MAXSIZE},
  {"webp", "Exif", 2, G_MAXSIZE},
  {"png", "eXIf", 0, G_MAXSIZE},
  {"tiff", "", 0, 0},
};

static gboolean
begins_tiff (const guint8 * bytes, gsize n)
{
  return n > 8 && (memcmp (bytes, "II*\0", 4) == 0 || memcmp (bytes, "MM\0*", 4) == 0);
}

/* Returns: (nullable): where it begins; it may end anywhere */
static const guint8 *
find_exif (const ReportImageFormat * format, const guint8 * bytes, gsize n)
{
  for (guint i = 0; i < G_N_ELEMENTS (exif_places); i++) {
    const gsize length = strlen (exif_places[i].text);
    const gsize more = length + exif_places[i].n_behind;
    const guint8 *found = !g_str_equal (format->codec, exif_places[i].codec) ? NULL :
        memmem (bytes, MIN (n, exif_places[i].reach), exif_places[i].text, length);

    if (found != NULL && (gsize) (bytes + n - found) > more && begins_tiff (found + more, bytes + n - found - more))
      return found + more;
  }
  return NULL;
}

static void
read_orientation (const ReportImageFormat * format, const guint8 * bytes,
    gsize n, ReportImage * image)
{
  const guint8 *exif = find_exif (format, bytes, n);
  GstTagList *tags = NULL;

  if (exif != NULL) {
    const gsize size = bytes + n - exif;
    GstBuffer *buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, (gpointer) exif, size, 0, size, NULL, NULL);

    tags = gst_tag_list_from_exif_buffer_with_tiff_header (buffer);
    gst_buffer_unref (buffer);
  }
  if (tags != NULL)
    gst_tag_list_get_string (tags, GST_TAG_IMAGE_ORIENTATION, &image->orientation);
  g_clear_pointer (&tags, gst_tag_list_unref);
}

/* Returns: (nullable): as the file says it, or as libav knows it */
static const gchar *
transfer_of (const ReportImageFormat * format, const guint8 * bytes, gsize n,
    const ReportPicture * picture)
{
  const gchar *said = report_image_format_transfer (format, bytes, n);
  const GstVideoTransferFunction known = gst_video_transfer_function_from_iso (picture->transfer);

  return said != NULL || known == GST_VIDEO_TRANSFER_UNKNOWN ? said :
      report_nick_of (GST_TYPE_VIDEO_TRANSFER_FUNCTION, known);
}

/* ---- Ways to decode --------------------------------------------------------------------------- */

static void
measure_jpeg (ReportImageDecoder * decoder, const guint8 * bytes, gsize n,
    ReportImage * image)
{
  GstVideoInfo info;
  GstBuffer *buffer;

  image->decoder = "libjpeg";
  image->problem = report_image_jpeg_decode (bytes, n, decoder->settings.max_pixels, &info, &decoder->memory);
  if (image->problem != NULL)
    return;
  buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, gst_memory_ref (decoder->memory));
  measure (decoder, NULL, buffer, gst_video_info_to_caps (&info), image);
}

/* Images say less of their colours than films: what is not said is as in JPEG and WebP. */
static void
set_colors (GstCaps * caps, const ReportPicture * picture)
{
  const GstVideoFormatInfo *format = gst_video_format_get_info (gst_video_format_from_string (picture->format));
  const gboolean is_limited = picture->range == REPORT_RANGE_LIMITED;
  GstVideoColorMatrix matrix = gst_video_color_matrix_from_iso (picture->matrix);
  g_autofree gchar *text = NULL;

  if (!GST_VIDEO_FORMAT_INFO_IS_YUV (format))
    return;
  if (matrix == GST_VIDEO_COLOR_MATRIX_UNKNOWN)
    matrix = GST_VIDEO_COLOR_MATRIX_BT601;
  text = g_strdup_printf ("%d:%d:0:0", is_limited ? GST_VIDEO_COLOR_RANGE_16_235 : GST_VIDEO_COLOR_RANGE_0_255, matrix);
  gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, text, NULL);
}

static void
measure_by_libav (ReportImageDecoder * decoder,
    const ReportImageFormat * format, const guint8 * bytes, gsize n,
    ReportImage * image)
{
  const gint64 max_pixels = decoder->settings.max_pixels;
  ReportPicture picture = {.time = 0,.duration = GST_SECOND };
  GstCaps *caps;

  image->decoder = "libav";
  image->problem = report_statements_decode_image (format->codec, bytes, n, max_pixels, &picture);
  if (picture.width > 0 && report_is_too_large (picture.width, picture.height, max_pixels)) {
    g_free (image->problem);
    image->problem = report_describe_too_large (picture.width, picture.height, max_pixels);
  }
  if (image->problem != NULL)
    return;
  caps = report_libav_picture_caps (&picture, NULL);
  if (caps == NULL) {
    image->problem = g_strdup_printf ("this GStreamer does not know pixels of the format %s", picture.format);
    report_libav_picture_free (&picture);
    return;
  }
  set_colors (caps, &picture);
  image->has_alpha = picture.has_alpha;
  image->transfer = transfer_of (format, bytes, n, &picture);
  if (picture.scale > 0 || picture.n_negative + picture.n_infinite > 0) {
    image->scale = picture.scale;
    image->negative = picture.n_negative;
    image->infinite = picture.n_infinite;
  }
  measure (decoder, NULL, report_libav_picture_buffer (&picture), caps, image);
}

/* Whether the picture that GStreamer's decoder gave has an alpha channel. */
static gboolean
has_alpha (GstElement * decoder)
{
  GstPad *pad = gst_element_get_static_pad (decoder, "src");
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;
  const gboolean found = caps != NULL && gst_video_info_from_caps (&info, caps)
      && GST_VIDEO_INFO_HAS_ALPHA (&info);

  gst_clear_caps (&caps);
  gst_object_unref (pad);
  return found;
}

static void
measure_by_gstreamer (ReportImageDecoder * decoder,
    const ReportImageFormat * format, const guint8 * bytes, gsize n,
    ReportImage * image)
{
  GstCaps *caps = format->caps != NULL ? gst_caps_from_string (format->caps) : gst_caps_new_empty_simple ("image/none");

  image->decoder = REPORT_DECODER_GSTREAMER;
  /* With a frame rate each buffer is a whole image. */
  gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, 1, 1, NULL);
  measure (decoder, format, gst_buffer_new_memdup (bytes, n), caps, image);
  image->has_alpha = image->problem == NULL && has_alpha (decoder->chain.decoder);
  /* Its decoders of PNG and PNM (1.22) give other samples than the file has. */
  if (image->problem == NULL && image->n_bins[0] > 256)
    image->problem = g_strdup ("more than 8 bits are decoded only by libav, which this build has not");
}

/**
 * report_image_decoder_measure:
 * @bytes: the file, and REPORT_PADDING bytes of 0 behind it
 * @image: (inout): has its path
 */
void
report_image_decoder_measure (ReportImageDecoder * decoder,
    const ReportImageFormat * format, const guint8 * bytes, gsize n,
    ReportImage * image)
{
  const gboolean is_jpeg = g_str_equal (format->codec, "mjpeg") && report_image_jpeg_is_built ();

  image->format = format->name;
  image->scale = image->negative = image->infinite = NAN;
  read_orientation (format, bytes, n, image);
  /* libjpeg itself tells that the end is missing. */
  image->problem = report_image_format_check (format, bytes, n,
      decoder->settings.max_pixels, !is_jpeg);
  if (image->problem != NULL)
    return;
  if (is_jpeg)
    measure_jpeg (decoder, bytes, n, image);
  else if (report_statements_has_images ())
    measure_by_libav (decoder, format, bytes, n, image);
  else
    measure_by_gstreamer (decoder, format, bytes, n, image);
}

/* Returns: FALSE with a %G_IO_ERROR_INVALID_ARGUMENT if --before is no bin */
gboolean
report_image_decoder_check (const gchar * before, GError ** error)
{
  GError *problem = NULL;
  GstElement *bin;
  gboolean ok;

  if (before == NULL)
    return TRUE;
  bin = make_before (before, &problem);
  if (bin == NULL) {
    report_fail (error, "--before: %s", problem->message);
    g_error_free (problem);
    return FALSE;
  }
  gst_object_ref_sink (bin);
  /* A bin is a sink if it has one. That could write any file, unchecked. */
  ok = GST_ELEMENT (bin)->numsinkpads == 1
      && GST_ELEMENT (bin)->numsrcpads == 1
      && !GST_OBJECT_FLAG_IS_SET (bin, GST_ELEMENT_FLAG_SINK);
  gst_object_unref (bin);
  return ok || report_fail (error, "--before needs elements with an input and "
      "an output and no sink, such as \"videoscale ! video/x-raw,width=224,height=224\"");
}

ReportImageDecoder *
report_image_decoder_new (const ReportSettings * settings,
    const gchar * before)
{
  ReportImageDecoder *decoder = g_new0 (ReportImageDecoder, 1);
  GPtrArray *properties = g_ptr_array_new ();
  gchar **property = settings->properties;

  /* Images are decoded by the CPU, and the sizes differ. --set backend=cuda comes later. */
  g_ptr_array_add (properties, g_strdup ("backend=cpu"));
  for (; property != NULL && *property != NULL; property++)
    g_ptr_array_add (properties, g_strdup (*property));
  g_ptr_array_add (properties, NULL);
  decoder->settings.properties =
      (gchar **) g_ptr_array_free (properties, FALSE);
  decoder->settings.measures = g_strdup ("color+detail");
  decoder->settings.alerts = g_strdup ("none");
  decoder->settings.max_pixels = settings->max_pixels;
  decoder->settings.policies = report_policies_new ();
  decoder->before = g_strdup (before);
  g_mutex_init (&decoder->chain.mutex);
  g_cond_init (&decoder->chain.cond);
  return decoder;
}

void
report_image_decoder_free (ReportImageDecoder * decoder)
{
  Chain *chain = &decoder->chain;

  chain_clear (chain);
  histo_result_clear (&chain->result);
  g_free (chain->error);
  g_mutex_clear (&chain->mutex);
  g_cond_clear (&chain->cond);
  report_settings_clear (&decoder->settings);
  g_clear_pointer (&decoder->memory, gst_memory_unref);
  g_free (decoder->before);
  g_free (decoder);
}
