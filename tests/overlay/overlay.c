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

void
overlay_check_count (GstHarness * harness, guint n, guint8 value,
    guint n_rectangles)
{
  GstBuffer *buffer = overlay_push_value (harness, n, value);

  fail_unless_equals_int (overlay_count (buffer), n_rectangles);
  gst_buffer_unref (buffer);
}

GstBuffer *
overlay_draw (const gchar * measuring, const gchar * drawing,
    const gchar * caps, guint8 value)
{
  GstHarness *harness = overlay_harness_new (measuring, drawing, caps, TRUE);
  GstBuffer *buffer = overlay_push_value (harness, 0, value);

  gst_harness_teardown (harness);
  return buffer;
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

static void
free_pixels (gpointer pixels, GstMiniObject * buffer)
{
  g_free (pixels);
}

OverlayRectangle
overlay_get_rectangle (GstBuffer * buffer, guint i)
{
  GstVideoOverlayRectangle *rectangle;
  OverlayRectangle to;
  guint width, height;
  gpointer pixels;
  gsize size;

  fail_unless (i < overlay_count (buffer), "%u of %u", i,
      overlay_count (buffer));
  rectangle = gst_video_overlay_composition_get_rectangle (overlay_get (buffer),
      i);
  fail_unless (gst_video_overlay_rectangle_get_render_rectangle (rectangle,
          &to.x, &to.y, &width, &height));
  to.width = width;
  to.height = height;
  gst_buffer_extract_dup (gst_video_overlay_rectangle_get_pixels_unscaled_raw
      (rectangle, GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA), 0, -1,
      &pixels, &size);
  fail_unless_equals_uint64 (size, (guint64) 4 * width * height);
  gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), free_pixels, pixels);
  to.pixels = pixels;
  return to;
}

void
overlay_check_place (const OverlayRectangle * rectangle, gint x, gint y,
    gint width, gint height)
{
  fail_unless_equals_int (rectangle->x, x);
  fail_unless_equals_int (rectangle->y, y);
  fail_unless (width < 0 || rectangle->width == width);
  fail_unless (height < 0 || rectangle->height == height);
}

void
overlay_check_inside (GstBuffer * buffer, gint width, gint height)
{
  for (guint i = 0; i < overlay_count (buffer); i++) {
    const OverlayRectangle part = overlay_get_rectangle (buffer, i);

    fail_unless (part.x >= 0 && part.x + part.width <= width);
    fail_unless (part.y >= 0 && part.y + part.height <= height);
  }
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
