/* Decodes and measures one image after the other; see image-decoder.h.
 *
 * For each format there is a bin: a decoder, the elements of --before, and a cudahisto. It is made when the first
 * image of the format comes. A file goes into it as one buffer from the thread of the caller, and EOS follows; a flush makes the
 * bin ready for the next file. So no pipeline is built for an image, and no thread waits for another one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "images/image-decoder.h"

#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#include "cudahisto/cudahisto.h"
#include "input/settings.h"
#include "base/describe.h"
#include "base/life.h"
#include "base/names.h"
#include "policy/policy.h"

/* So many ticks without a sign of life after it is decoded, measuring an image is given up. Elements that lose an end do
 * not stop the program. */
#define MOST_TICKS 600

/* ---- The bin of a format --------------------------------------------------------------------- */

typedef struct
{
  GstElement *bin;              /* NULL: none yet */
  GstElement *decoder;          /* in it */
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
  Chain chains[REPORT_N_IMAGE_FORMATS];
};

void
report_image_free (gpointer data)
{
  ReportImage *image = data;

  for (guint c = 0; c < REPORT_CHANNELS; c++)
    g_free (image->counts[c]);
  g_free (image->problem);
  g_free (image->pixels);
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

/* Of the bus of the bin. */
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

/* A probe behind the decoder: the picture may be larger than the header that was read before. */
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
    chain->bin = NULL;
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

/* @caps: (out): of the files
 * Returns: (transfer floating) (nullable): a decoder of the format, with one thread: images are decoded at the same
 * time, not their parts */
static GstElement *
make_decoder (const ReportImageFormat * format, GstCaps ** caps)
{
  GstElementFactory *factory = gst_element_factory_find (format->decoder);
  GstElement *decoder = NULL;

  *caps = gst_caps_from_string (format->caps);
  /* With a frame rate each buffer is a whole image. */
  gst_caps_set_simple (*caps, "framerate", GST_TYPE_FRACTION, 1, 1, NULL);
  if (factory != NULL && gst_element_factory_can_sink_any_caps (factory, *caps))
    decoder = gst_element_factory_create (factory, NULL);
  if (decoder == NULL)
    gst_clear_caps (caps);
  g_clear_object (&factory);
  if (decoder != NULL
      && g_object_class_find_property (G_OBJECT_GET_CLASS (decoder),
          "max-threads") != NULL)
    g_object_set (decoder, "max-threads", 1, NULL);
  if (decoder != NULL)
    report_settings_make_exact (decoder);
  return decoder;
}

/* Returns: (transfer full): measures the frames and passes them on */
static GstElement *
make_histo (const ReportSettings * settings)
{
  GstCaps *caps = gst_caps_new_empty_simple ("video/x-raw");
  GstElement *histo = report_settings_make_element (settings, caps);

  g_object_set (histo, "meta", TRUE, "post-messages", FALSE, "hold-previous",
      FALSE, NULL);
  gst_caps_unref (caps);
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

/* Returns: FALSE with a problem if the format cannot be decoded */
static gboolean
chain_build (Chain * chain, const ReportImageDecoder * decoder,
    const ReportImageFormat * format)
{
  GstElement *before = NULL, *histo;
  GstCaps *caps = NULL;
  GstBus *bus;
  GstPad *pad;
  gboolean ok;

  chain->decoder = make_decoder (format, &caps);
  if (chain->decoder == NULL) {
    chain->error = g_strdup_printf ("GStreamer has no decoder of %s",
        format->name);
    return FALSE;
  }
  chain->bin = gst_object_ref_sink (gst_bin_new (NULL));
  histo = make_histo (&decoder->settings);
  gst_bin_add_many (GST_BIN (chain->bin), chain->decoder, histo, NULL);
  gst_object_unref (histo);
  if (decoder->before != NULL) {
    before = make_before (decoder->before, NULL);
    gst_bin_add (GST_BIN (chain->bin), before);
    ok = gst_element_link_many (chain->decoder, before, histo, NULL);
  } else {
    ok = gst_element_link (chain->decoder, histo);
  }
  chain->src = make_pad (chain, "src", GST_PAD_SRC);
  chain->sink = make_pad (chain, "sink", GST_PAD_SINK);
  pad = gst_element_get_static_pad (chain->decoder, "sink");
  /* The pads before and behind the bin have no parent, so links are not checked for it. */
  ok = ok && gst_pad_link_full (chain->src, pad,
      GST_PAD_LINK_CHECK_NOTHING) == GST_PAD_LINK_OK;
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (histo, "src");
  ok = ok && gst_pad_link_full (pad, chain->sink,
      GST_PAD_LINK_CHECK_NOTHING) == GST_PAD_LINK_OK;
  gst_object_unref (pad);
  chain->max_pixels = decoder->settings.max_pixels;
  chain->is_refused = FALSE;
  pad = gst_element_get_static_pad (chain->decoder, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look_at_size, chain, NULL);
  gst_object_unref (pad);
  bus = gst_bus_new ();
  gst_bus_set_sync_handler (bus, take_message, chain, NULL);
  gst_element_set_bus (chain->bin, bus);
  gst_object_unref (bus);
  gst_pad_set_active (chain->sink, TRUE);
  ok = ok && gst_element_set_state (chain->bin,
      GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
  gst_pad_set_active (chain->src, TRUE);
  /* All images of a format are one stream. */
  if (ok) {
    gst_pad_push_event (chain->src, gst_event_new_stream_start ("image"));
    gst_pad_push_event (chain->src, gst_event_new_caps (caps));
  } else {
    take_error (chain, "the elements of --before do not fit");
  }
  gst_caps_unref (caps);
  return ok;
}

/* Decodes a file and waits for its result. */
static void
chain_run (Chain * chain, GstBuffer * buffer)
{
  ReportLife life = { 0 };
  GstSegment segment;

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

/* Whether the picture that the decoder gave has an alpha channel. */
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

/* ---- The decoder ------------------------------------------------------------------------------ */

/* Makes the chain ready for an image. An error that came behind the one before is not one of this image, but has left
 * the elements in a state that is not known. */
static void
chain_prepare (Chain * chain)
{
  gboolean is_late;

  g_mutex_lock (&chain->mutex);
  is_late = chain->error != NULL;
  g_mutex_unlock (&chain->mutex);
  if (is_late)
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

static void
decode (ReportImageDecoder * decoder, const ReportImageFormat * format,
    guint8 * bytes, gsize n, ReportImage * image)
{
  Chain *chain = &decoder->chains[format->number];

  chain_prepare (chain);
  if (chain->bin != NULL || chain_build (chain, decoder, format))
    chain_run (chain, gst_buffer_new_wrapped (bytes, n));
  else
    g_free (bytes);
  image->problem = chain_take_problem (chain);
  if (image->problem == NULL) {
    image->has_alpha = has_alpha (chain->decoder);
    if (!fill_image (image, &chain->result))
      image->problem = g_strdup_printf ("pixels of the format %s are not "
          "measured", chain->result.format);
    return;
  }
  /* What an error leaves in a decoder does not reach the next image. */
  chain_clear (chain);
}

/* Whether pngdec decodes samples of 16 bits right. That of GStreamer 1.22 moves those of R, G and B without alpha on by
 * one sample: R is the constant that it puts in the place of alpha. */
static gpointer
is_png16_right (gpointer data)
{
  /* One pixel, black. */
  static const guint8 black[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d,
    0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01,
    0x10, 0x02, 0x00, 0x00, 0x00, 0xc0, 0xe7, 0x8f, 0x9d, 0x00, 0x00, 0x00,
    0x0b, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60, 0x00, 0x03, 0x00,
    0x00, 0x07, 0x00, 0x01, 0xb2, 0x86, 0xac, 0xf4, 0x00, 0x00, 0x00, 0x00,
    0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82
  };
  static const ReportSettings settings = {.max_pixels = REPORT_MAX_PIXELS };
  ReportImageDecoder *decoder = report_image_decoder_new (&settings, NULL);
  ReportImage *image = g_new0 (ReportImage, 1);
  gboolean is_right;

  decode (decoder, report_image_format_find (black, sizeof black),
      g_memdup2 (black, sizeof black), sizeof black, image);
  is_right = image->problem == NULL && image->max[0] == 0;
  report_image_free (image);
  report_image_decoder_free (decoder);
  return GINT_TO_POINTER (is_right);
}

/**
 * report_image_decoder_measure:
 * @bytes: (transfer full): the file
 * @image: (inout): has its path
 */
void
report_image_decoder_measure (ReportImageDecoder * decoder,
    const ReportImageFormat * format, guint8 * bytes, gsize n,
    ReportImage * image)
{
  static GOnce once = G_ONCE_INIT;
  /* The depth and the type of the colours in the header. */
  const gboolean is_rgb_png = format->number == REPORT_IMAGE_PNG && n > 25
      && bytes[25] == 2;
  const gboolean is_rgb16_png = is_rgb_png && bytes[24] == 16;

  image->format = format->name;
  image->problem = report_image_format_check_size (format, bytes, n,
      decoder->settings.max_pixels);
  if (image->problem == NULL && is_rgb16_png
      && !GPOINTER_TO_INT (g_once (&once, is_png16_right, NULL)))
    image->problem = g_strdup ("the installed pngdec decodes R, G and B of 16 "
        "bits without alpha wrong");
  if (image->problem == NULL && format->check != NULL)
    image->problem = g_strdup (format->check (bytes, n));
  if (image->problem != NULL) {
    g_free (bytes);
    return;
  }
  decode (decoder, format, bytes, n, image);
  /* There is no format of 16 bits without alpha. */
  if (is_rgb_png && g_strcmp0 (image->pixels, "ARGB64") == 0)
    image->has_alpha = FALSE;
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
  for (guint i = 0; i < REPORT_N_IMAGE_FORMATS; i++) {
    g_mutex_init (&decoder->chains[i].mutex);
    g_cond_init (&decoder->chains[i].cond);
  }
  return decoder;
}

void
report_image_decoder_free (ReportImageDecoder * decoder)
{
  for (guint i = 0; i < REPORT_N_IMAGE_FORMATS; i++) {
    Chain *chain = &decoder->chains[i];

    chain_clear (chain);
    histo_result_clear (&chain->result);
    g_free (chain->error);
    g_mutex_clear (&chain->mutex);
    g_cond_clear (&chain->cond);
  }
  report_settings_clear (&decoder->settings);
  g_free (decoder->before);
  g_free (decoder);
}
