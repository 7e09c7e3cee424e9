/* What the tests of the overlay share; see overlay.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay.h"

GstHarness *
overlay_harness_new (const gchar * measuring, const gchar * drawing,
    const gchar * caps, gboolean attaches)
{
  gchar *description = g_strdup_printf ("cudahisto backend=cpu %s "
      "! cudahistooverlay name=o %s", measuring, drawing);
  gchar *plain = g_strdup_printf (PLAIN_CAPS ("%s"), caps);
  GstHarness *harness = gst_harness_new_parse (description);

  if (attaches) {
    gchar *both = g_strdup_printf (FEATURE_CAPS ("%s") "; %s", caps, plain);

    gst_harness_add_propose_allocation_meta (harness,
        GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
    gst_harness_set_sink_caps_str (harness, both);
    g_free (both);
  }
  gst_harness_set_src_caps_str (harness, plain);
  g_free (plain);
  g_free (description);
  return harness;
}

GstElement *
overlay_of (GstHarness * harness)
{
  return gst_bin_get_by_name (GST_BIN (harness->element), "o");
}

GstBuffer *
overlay_push (GstHarness * harness, guint n, GstBuffer * buffer)
{
  GST_BUFFER_PTS (buffer) = n * 40 * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  buffer = gst_harness_push_and_pull (harness, buffer);
  fail_unless (buffer != NULL);
  return buffer;
}

GstBuffer *
overlay_push_value (GstHarness * harness, guint n, guint8 value)
{
  GstCaps *caps = gst_pad_get_current_caps (harness->srcpad);
  GstBuffer *buffer;
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_caps_unref (caps);
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (buffer, 0, value, info.size);
  return overlay_push (harness, n, buffer);
}

GstVideoOverlayComposition *
overlay_get (GstBuffer * buffer)
{
  GstVideoOverlayCompositionMeta *meta =
      gst_buffer_get_video_overlay_composition_meta (buffer);

  return meta != NULL ? meta->overlay : NULL;
}

guint
overlay_count (GstBuffer * buffer)
{
  GstVideoOverlayComposition *composition = overlay_get (buffer);

  return composition != NULL ?
      gst_video_overlay_composition_n_rectangles (composition) : 0;
}

void
overlay_get_rectangle (GstBuffer * buffer, guint i, OverlayRectangle * to)
{
  GstVideoOverlayRectangle *rectangle;
  guint width, height;
  gpointer pixels;
  gsize size;

  fail_unless (i < overlay_count (buffer), "%u of %u", i,
      overlay_count (buffer));
  rectangle = gst_video_overlay_composition_get_rectangle (overlay_get (buffer),
      i);
  fail_unless (gst_video_overlay_rectangle_get_render_rectangle (rectangle,
          &to->x, &to->y, &width, &height));
  to->width = width;
  to->height = height;
  gst_buffer_extract_dup (gst_video_overlay_rectangle_get_pixels_unscaled_raw
      (rectangle, GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA), 0, -1,
      &pixels, &size);
  fail_unless_equals_uint64 (size, (guint64) 4 * width * height);
  to->pixels = pixels;
}

guint
overlay_count_differences (const OverlayRectangle * a,
    const OverlayRectangle * b)
{
  guint n = 0;

  fail_unless_equals_int (a->width, b->width);
  fail_unless_equals_int (a->height, b->height);
  for (gint i = 0; i < a->width * a->height; i++)
    n += a->pixels[i] != b->pixels[i];
  return n;
}
