/* All formats: frames with the overlay blended in equal those that GStreamer's own function for
 * compositions gives; the rest of the picture is untouched.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay.h"

#include "overlay/blend.h"

/* A composition of two rectangles of random pixels. One may lie outside the frame. */
static GstVideoOverlayComposition *
make_composition (GRand * random, gint width, gint height)
{
  GstVideoOverlayComposition *composition =
      gst_video_overlay_composition_new (NULL);

  for (guint i = 0; i < 2; i++) {
    const gint w = g_rand_int_range (random, 1, width + 1);
    const gint h = g_rand_int_range (random, 1, height + 1);
    GstBuffer *pixels = gst_buffer_new_allocate (NULL, 4 * w * h, NULL);
    GstVideoOverlayRectangle *rectangle;
    GstMapInfo map;

    gst_buffer_map (pixels, &map, GST_MAP_WRITE);
    for (gint k = 0; k < w * h; k++) {
      const guint alpha = g_rand_int_range (random, 0, 4) * 85;

      for (guint c = 0; c < 3; c++)
        map.data[4 * k + c] = g_rand_int_range (random, 0, alpha + 1);
      map.data[4 * k + 3] = alpha;
    }
    gst_buffer_unmap (pixels, &map);
    gst_buffer_add_video_meta (pixels, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, w, h);
    rectangle = gst_video_overlay_rectangle_new_raw (pixels,
        g_rand_int_range (random, -w, width + 1),
        g_rand_int_range (random, 0, height), w, h,
        GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
    gst_video_overlay_composition_add_rectangle (composition, rectangle);
    gst_video_overlay_rectangle_unref (rectangle);
    gst_buffer_unref (pixels);
  }
  return composition;
}

/* Compares the pixels, as the format's own function unpacks them. In rows with an odd number of
 * pixels, that function and its counterpart disagree about the last chroma of some formats, so that
 * pixel is left out. */
static void
check_equal (const GstVideoInfo * info, GstBuffer * a, GstBuffer * b,
    const gchar * label)
{
  const GstVideoFormatInfo *format = info->finfo;
  const gsize pixel = GST_VIDEO_FORMAT_INFO_BITS (gst_video_format_get_info
      (format->unpack_format)) / 2;
  const gint width = info->width > 1 ? info->width & ~1 : 1;
  GstBuffer *pair[] = { a, b };
  GstVideoFrame frames[2];
  guint8 *rows[2];

  for (guint i = 0; i < 2; i++) {
    rows[i] = g_malloc0 ((info->width + 16) * pixel);
    fail_unless (gst_video_frame_map (&frames[i], info, pair[i],
            GST_MAP_READ));
  }
  for (gint y = 0; y < info->height; y++) {
    for (guint i = 0; i < 2; i++)
      format->unpack_func (format, 0, rows[i], frames[i].data,
          frames[i].info.stride, 0, y, info->width);
    fail_unless (memcmp (rows[0], rows[1], width * pixel) == 0, "%s, row %d",
        label, y);
  }
  for (guint i = 0; i < 2; i++) {
    gst_video_frame_unmap (&frames[i]);
    g_free (rows[i]);
  }
}

/* Bits that the format does not use are as GStreamer's functions write them: its function for
 * compositions converts whole rows. */
static void
clear_unused_bits (const GstVideoInfo * info, GstBuffer * buffer)
{
  GstBuffer *pixels = gst_buffer_new_allocate (NULL, 4 * info->height, NULL);
  GstVideoInfo source_info;
  GstVideoFrame frame, source;

  gst_buffer_memset (pixels, 0, 0, -1);
  gst_video_info_set_format (&source_info,
      GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, 1, info->height);
  fail_unless (gst_video_frame_map (&source, &source_info, pixels,
          GST_MAP_READ));
  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READWRITE));
  fail_unless (gst_video_blend (&frame, &source, 0, 0, 1));
  gst_video_frame_unmap (&frame);
  gst_video_frame_unmap (&source);
  gst_buffer_unref (pixels);
}

static void
check_format (GRand * random, const gchar * format, gint width, gint height)
{
  gchar *label = g_strdup_printf ("%s %dx%d", format, width, height);
  GstVideoOverlayComposition *composition =
      make_composition (random, width, height);
  GstVideoFrame frames[2];
  GstBuffer *copies[2];
  GstVideoInfo info;
  gboolean ok;

  fail_unless (gst_video_info_set_format (&info,
          gst_video_format_from_string (format), width, height), "%s", label);
  copies[0] = test_random_buffer (info.size, random);
  clear_unused_bits (&info, copies[0]);
  copies[1] = gst_buffer_copy_deep (copies[0]);
  for (guint i = 0; i < 2; i++)
    fail_unless (gst_video_frame_map (&frames[i], &info, copies[i],
            GST_MAP_READWRITE));
  ok = gst_video_overlay_composition_blend (composition, &frames[0]);
  fail_unless_equals_int (histo_blend (composition, &frames[1]), ok);
  for (guint i = 0; i < 2; i++)
    gst_video_frame_unmap (&frames[i]);
  check_equal (&info, copies[0], copies[1], label);
  gst_buffer_unref (copies[0]);
  gst_buffer_unref (copies[1]);
  gst_video_overlay_composition_unref (composition);
  g_free (label);
}

TEST (test_blend)
{
  static const gint sizes[][2] = { {1, 1}, {2, 2}, {7, 5}, {64, 32}, {33, 17},
  {130, 67}, {320, 9}
  };
  GPtrArray *formats = test_format_names (GST_VIDEO_CAPS_MAKE
      (GST_VIDEO_FORMATS_ALL));
  GRand *random = test_random ();

  fail_unless (formats->len > 100);
  for (guint i = 0; i < formats->len; i++) {
    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
      check_format (random, g_ptr_array_index (formats, i), sizes[k][0],
          sizes[k][1]);
  }
  g_ptr_array_unref (formats);
  g_rand_free (random);
}

/* ---- The element ------------------------------------------------------------------- */

/* The frame with the overlay blended in, and the same frame with the attached one. */
static void
check_element (const gchar * format, gint width, gint height)
{
  gchar *caps = g_strdup_printf ("format=%s, width=%d, height=%d, "
      "framerate=25/1", format, width, height);
  GstBuffer *copies[2];
  GstVideoFrame frame;
  GstVideoInfo info;

  gst_video_info_set_format (&info, gst_video_format_from_string (format),
      width, height);
  for (guint i = 0; i < 2; i++) {
    GstHarness *harness = overlay_harness_new ("measures=scopes "
        "regions=\"a=1,1,50%,50%\"",
        "show=waveform+vectorscope+histogram+levels+regions", caps, i == 1);
    GstCaps *current;

    copies[i] = gst_buffer_new_allocate (NULL, info.size, NULL);
    gst_buffer_memset (copies[i], 0, 70, info.size);
    clear_unused_bits (&info, copies[i]);
    copies[i] = overlay_push (harness, 0, copies[i]);
    current = gst_pad_get_current_caps (harness->sinkpad);
    fail_unless_equals_int (gst_caps_features_contains (gst_caps_get_features
            (current, 0), GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION),
        i);
    gst_caps_unref (current);
    gst_harness_teardown (harness);
  }
  fail_unless (overlay_get (copies[0]) == NULL);
  /* Four panels, and the region's frame and name. */
  fail_unless (width < 100 || overlay_count (copies[1]) == 4 + 5, "%s: %u",
      format, overlay_count (copies[1]));
  if (overlay_get (copies[1]) != NULL
      && gst_video_frame_map (&frame, &info, copies[1], GST_MAP_READWRITE)) {
    gst_video_overlay_composition_blend (overlay_get (copies[1]), &frame);
    gst_video_frame_unmap (&frame);
  }
  for (guint i = 0; i < 2; i++)
    clear_unused_bits (&info, copies[i]);
  check_equal (&info, copies[0], copies[1], caps);
  gst_buffer_unref (copies[0]);
  gst_buffer_unref (copies[1]);
  g_free (caps);
}

TEST (test_element)
{
  static const gint sizes[][2] = { {1, 1}, {17, 9}, {161, 121} };
  GPtrArray *formats = test_format_names (GST_VIDEO_CAPS_MAKE
      (GST_VIDEO_FORMATS_ALL));

  for (guint i = 0; i < formats->len; i++) {
    const gchar *format = g_ptr_array_index (formats, i);
    /* In these widths GStreamer writes more bytes of UYVP than it allocates, and the element draws nothing. */
    const gint more = g_str_equal (format, "UYVP") ? 4 : 0;

    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
      check_element (format, sizes[k][0] + more, sizes[k][1]);
  }
  g_ptr_array_unref (formats);
}

/* A buffer with one field has half of the rows. */
TEST (test_fields)
{
  GstHarness *harness = gst_harness_new_parse ("cudahisto backend=cpu "
      "regions=\"a=0,0,100%,100%\" ! cudahistooverlay");
  const gsize size = 320 * 120;
  GstBuffer *buffer;
  GstMapInfo map;

  gst_harness_set_src_caps_str (harness, "video/x-raw(format:Interlaced), "
      "format=GRAY8, width=320, height=240, framerate=25/1, "
      "interlace-mode=alternate");
  buffer = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_memset (buffer, 0, 70, size);
  GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_TOP_FIELD);
  buffer = overlay_push (harness, 0, buffer);
  fail_unless_equals_uint64 (gst_buffer_get_size (buffer), size);
  gst_buffer_map (buffer, &map, GST_MAP_READ);
  fail_unless (map.data[160] != 70 && map.data[119 * 320 + 160] != 70);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
}

TEST_MAIN (120)
