/* Images that GStreamer decodes; see image-gstreamer.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "images/image-gstreamer.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include "base/describe.h"
#include "base/life.h"
#include "input/settings.h"

/* So many ticks without a sign of life, an image is given up. */
#define MOST_TICKS 600

/* Returns: (transfer full): a decoder of the format between an appsrc and an appsink; NULL with an error if an element is missing */
static GstElement *
make_pipeline (const ReportImageFormat * format, GError ** error)
{
  g_autofree gchar *text = g_strdup_printf ("appsrc name=from ! %s name=decoder ! appsink name=to sync=false",
      format->element);
  GstElement *pipeline = gst_parse_launch_full (text, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  GstElement *decoder = pipeline != NULL ? gst_bin_get_by_name (GST_BIN (pipeline), "decoder") : NULL;

  if (decoder != NULL) {
    /* Images are decoded at the same time, not their parts. */
    if (g_object_class_find_property (G_OBJECT_GET_CLASS (decoder), "max-threads") != NULL)
      g_object_set (decoder, "max-threads", 1, NULL);
    report_settings_make_exact (decoder);
    gst_object_unref (decoder);
  }
  return pipeline;
}

/* Returns: (transfer full) (nullable): the error that the pipeline has posted */
static gchar *
take_error (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  gchar *text = NULL;

  if (message != NULL) {
    GError *error = NULL;

    gst_message_parse_error (message, &error, NULL);
    text = g_strdup (error->message);
    g_error_free (error);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return text;
}

/* Returns: (transfer full) (nullable): the first picture; NULL: there is none, or an error */
static GstSample *
run (GstElement * pipeline, const ReportImageFormat * format,
    const guint8 * bytes, gsize n, gchar ** problem)
{
  g_autoptr (GstElement) from = gst_bin_get_by_name (GST_BIN (pipeline), "from");
  g_autoptr (GstElement) to = gst_bin_get_by_name (GST_BIN (pipeline), "to");
  GstCaps *caps = gst_caps_from_string (format->caps);
  GstSample *sample = NULL;
  ReportLife life = { 0 };

  /* With a frame rate each buffer is a whole image. */
  gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, 1, 1, NULL);
  g_object_set (from, "caps", caps, "format", GST_FORMAT_TIME, NULL);
  gst_caps_unref (caps);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_app_src_push_buffer (GST_APP_SRC (from), gst_buffer_new_memdup (bytes, n));
  gst_app_src_end_of_stream (GST_APP_SRC (from));
  report_life_begin (&life);
  while (sample == NULL && *problem == NULL && !gst_app_sink_is_eos (GST_APP_SINK (to))) {
    sample = gst_app_sink_try_pull_sample (GST_APP_SINK (to), REPORT_TICK * GST_USECOND);
    report_life_tick (&life);
    *problem = life.n_quiet >= MOST_TICKS ? g_strdup ("its decoder stands still") : take_error (pipeline);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return sample;
}

static gchar *
check (GstSample * sample, gint64 max_pixels)
{
  GstVideoInfo info;

  if (sample == NULL || !gst_video_info_from_caps (&info, gst_sample_get_caps (sample)))
    return g_strdup ("it cannot be decoded");
  if (report_is_too_large (GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info), max_pixels))
    return report_describe_too_large (GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info), max_pixels);
  /* Its decoders of PNG and PNM (1.22) give other samples than the file has. */
  if (GST_VIDEO_INFO_COMP_DEPTH (&info, 0) > 8)
    return g_strdup ("more than 8 bits are decoded only by libav, which this build has not");
  return NULL;
}

/**
 * report_image_gstreamer_decode:
 * @picture: (out) (transfer full):
 * @caps: (out) (transfer full): of it
 *
 * Returns: (transfer full) (nullable): what is wrong; then there is no picture
 */
gchar *
report_image_gstreamer_decode (const ReportImageFormat * format,
    const guint8 * bytes, gsize n, gint64 max_pixels, GstBuffer ** picture,
    GstCaps ** caps)
{
  g_autoptr (GstElement) pipeline = format->element != NULL ? make_pipeline (format, NULL) : NULL;
  gchar *problem = NULL;
  GstSample *sample;

  if (pipeline == NULL)
    return g_strdup_printf ("there is no decoder of %s%s%s", format->name, format->element == NULL ? "" :
        ": GStreamer has no ", format->element == NULL ? "" : format->element);
  sample = run (pipeline, format, bytes, n, &problem);
  if (problem == NULL)
    problem = check (sample, max_pixels);
  if (problem == NULL) {
    *picture = gst_buffer_ref (gst_sample_get_buffer (sample));
    *caps = gst_caps_ref (gst_sample_get_caps (sample));
  }
  g_clear_pointer (&sample, gst_sample_unref);
  return problem;
}
