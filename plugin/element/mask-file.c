/* Reads the image of the property `mask`, with the decoders that GStreamer has.
 *
 * A pipeline of its own decodes the first picture of the file. Gray of 16 bits keeps every value that is not 0: with 8 bits
 * the darkest ones of deeper images would become 0.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/mask-file.h"

#include <errno.h>
#include <glib/gstdio.h>

/* The file may have so many bytes. */
#define MOST_BYTES (256 * 1024 * 1024)
/* The image may have so many pixels, in a row and in all. */
#define MOST_WIDTH 32768
#define MOST_PIXELS (1u << 28)
/* The image must be there after so many seconds: the caller waits. Nothing outside of the machine can delay it, but the image may be
 * large. */
#define MOST_SECONDS 10

#define PIPELINE "filesrc name=file ! decodebin name=decoder force-sw-decoders=true ! videoconvert dither=none " \
    "! video/x-raw, format=GRAY16_LE, width=[1, " G_STRINGIFY (MOST_WIDTH) "], height=[1, " G_STRINGIFY (MOST_WIDTH) "] " \
    "! appsink name=image sync=false"

G_GNUC_PRINTF (4, 5)
static gboolean
fail (const gchar * name, gint code, GError ** error, const gchar * format, ...)
{
  g_autofree gchar *reason = NULL;
  va_list arguments;

  va_start (arguments, format);
  reason = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, GST_RESOURCE_ERROR, code, "The mask \"%s\" cannot be read: %s", name, reason);
  return FALSE;
}

/* Anything but a file might never end. */
static gboolean
check_file (const gchar * name, GError ** error)
{
  GStatBuf status;

  if (g_stat (name, &status) != 0)
    return fail (name, GST_RESOURCE_ERROR_NOT_FOUND, error, "%s", g_strerror (errno));
  if (!S_ISREG (status.st_mode))
    return fail (name, GST_RESOURCE_ERROR_OPEN_READ, error, "it is no regular file");
  if (status.st_size > MOST_BYTES)
    return fail (name, GST_RESOURCE_ERROR_READ, error, "the file has more than %u MiB", MOST_BYTES >> 20);
  return TRUE;
}

/* Why an image is refused; atomic. */
typedef struct
{
  gint is_too_large, is_of_network;
} Faults;

/* A playlist and a description of a session are files, too, but the demuxer would open what they name, and wait for the network. */
static guint
refuse_network (GstElement * decoder, GstPad * pad, GstCaps * caps, GstElementFactory * factory, gpointer faults)
{
  const gchar *class = gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_KLASS);
  const gboolean is_of_network = strstr (class, "Adaptive") != NULL || strstr (class, "Network") != NULL;

  if (is_of_network)
    g_atomic_int_set (&((Faults *) faults)->is_of_network, TRUE);
  /* GST_AUTOPLUG_SELECT_SKIP and GST_AUTOPLUG_SELECT_TRY, which no header has. */
  return is_of_network ? 2 : 0;
}

/* Decoders tell the size before they allocate the picture: an image that is too large is refused then. */
static GstPadProbeReturn
check_size (GstPad * pad, GstPadProbeInfo * info, gpointer faults)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  gint width = 0, height = 0;
  GstStructure *structure;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  structure = gst_caps_get_structure (caps, 0);
  if (!gst_structure_get_int (structure, "width", &width) || !gst_structure_get_int (structure, "height", &height)
      || (guint64) width * height <= MOST_PIXELS)
    return GST_PAD_PROBE_OK;
  g_atomic_int_set (&((Faults *) faults)->is_too_large, TRUE);
  return GST_PAD_PROBE_DROP;
}

/* Waits until the sink has a picture. */
static gboolean
wait_for_image (GstElement * pipeline, const gchar * name, const Faults * faults, GError ** error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GError) own_error = NULL;
  GstMessage *message;
  gboolean ok;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  message = gst_bus_timed_pop_filtered (bus, MOST_SECONDS * GST_SECOND,
      GST_MESSAGE_ASYNC_DONE | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  if (g_atomic_int_get (&faults->is_too_large))
    ok = fail (name, GST_RESOURCE_ERROR_READ, error, "the image has more than %u pixels", MOST_PIXELS);
  else if (g_atomic_int_get (&faults->is_of_network))
    ok = fail (name, GST_RESOURCE_ERROR_READ, error, "it is no image, but names what is elsewhere");
  else if (message == NULL)
    ok = fail (name, GST_RESOURCE_ERROR_READ, error, "it is not decoded within %u s", MOST_SECONDS);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &own_error, NULL);
    ok = fail (name, GST_RESOURCE_ERROR_READ, error, "%s", own_error->message);
  } else
    ok = TRUE;
  gst_clear_message (&message);
  return ok;
}

/* NULL if the sample is no picture */
static HistoMask *
mask_of_sample (GstSample * sample)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  guint8 *pixels;

  if (sample == NULL || gst_sample_get_caps (sample) == NULL
      || !gst_video_info_from_caps (&info, gst_sample_get_caps (sample))
      || !gst_video_frame_map (&frame, &info, gst_sample_get_buffer (sample), GST_MAP_READ))
    return NULL;
  pixels = g_try_malloc_n (info.width, info.height);
  for (gint y = 0; pixels != NULL && y < info.height; y++)
    histo_mask_of_numbers ((const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
        + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0), info.width, TRUE, pixels + (gsize) y * info.width);
  gst_video_frame_unmap (&frame);
  return pixels == NULL ? NULL : histo_mask_new (info.width, info.height, pixels);
}

/**
 * histo_mask_file_read:
 * @name: of the file
 *
 * Blocks until the image is decoded, at most 10 s.
 *
 * Returns: (transfer full): the mask: a pixel takes part if it is not black; %NULL with a %GST_RESOURCE_ERROR
 */
HistoMask *
histo_mask_file_read (const gchar * name, GError ** error)
{
  g_autoptr (GError) own_error = NULL;
  g_autoptr (GstElement) pipeline = NULL, file = NULL, decoder = NULL, sink = NULL;
  g_autoptr (GstPad) pad = NULL;
  GstSample *sample = NULL;
  HistoMask *mask = NULL;
  Faults faults = { FALSE, FALSE };

  if (!check_file (name, error))
    return NULL;
  pipeline = gst_parse_launch (PIPELINE, &own_error);
  if (own_error != NULL) {
    g_clear_pointer (&pipeline, gst_object_unref);
    fail (name, GST_RESOURCE_ERROR_NOT_FOUND, error, "%s", own_error->message);
    return NULL;
  }
  file = gst_bin_get_by_name (GST_BIN (pipeline), "file");
  decoder = gst_bin_get_by_name (GST_BIN (pipeline), "decoder");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "image");
  pad = gst_element_get_static_pad (sink, "sink");
  g_object_set (file, "location", name, NULL);
  g_signal_connect (decoder, "autoplug-select", G_CALLBACK (refuse_network), &faults);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, check_size, &faults, NULL);
  if (wait_for_image (pipeline, name, &faults, error)) {
    g_signal_emit_by_name (sink, "try-pull-preroll", (guint64) 0, &sample);
    mask = mask_of_sample (sample);
    if (mask == NULL)
      fail (name, GST_RESOURCE_ERROR_READ, error, "it has no picture");
    g_clear_pointer (&sample, gst_sample_unref);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return mask;
}
