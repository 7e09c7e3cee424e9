/* What the caps of video of any size come to, and packed frames, with no element around them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"

#include "media/pack.h"

/* ---- Frames of any size ------------------------------------------------------------------ */

/* In GStreamer's tiled formats: the samples of a row of a tile of luma, its rows. */
static const struct
{
  GstVideoFormat format;
  guint width, height;
} tile_sizes[] = {
  {GST_VIDEO_FORMAT_NV12_64Z32, 64, 32}, {GST_VIDEO_FORMAT_NV12_4L4, 4, 4},
  {GST_VIDEO_FORMAT_NV12_32L32, 32, 32},
  {GST_VIDEO_FORMAT_NV12_16L32S, 16, 32},
  {GST_VIDEO_FORMAT_NV12_8L128, 8, 128},
};

/* A row takes at least its samples' bits, but for the last sample of each component. */
static guint64
least_row_bytes (const GstVideoFormatInfo * info, guint p, guint width)
{
  guint64 bits = 0;

  for (guint c = 0; c < info->n_components; c++) {
    if (info->plane[c] == p && info->depth[c] <= 16)
      bits += (guint64) info->depth[c] *
          (GST_VIDEO_FORMAT_INFO_SCALE_WIDTH (info, c, width) - 1);
  }
  return bits / 8;
}

/* The strides of the caps hold what the format says will be read. */
static void
check_strides (const HistoFormat * format, const gchar * label)
{
  const GstVideoFormatInfo *info = format->video.finfo;

  for (guint p = 0; p < info->n_planes; p++) {
    const gint stride = GST_VIDEO_INFO_PLANE_STRIDE (&format->video, p);

    fail_unless (stride > 0, "%s: stride %d", label, stride);
    if (GST_VIDEO_FORMAT_INFO_IS_TILED (info))
      continue;
    fail_unless ((guint64) stride >= least_row_bytes (info, p, format->width),
        "%s: stride %d", label, stride);
    fail_unless (format->needs_unpack || (guint64) stride >=
        histo_plane_row_bytes (&format->planes[p]), "%s: stride %d", label,
        stride);
  }
  for (guint i = 0; i < G_N_ELEMENTS (tile_sizes); i++) {
    const gint tiles = GST_VIDEO_INFO_PLANE_STRIDE (&format->video, 0);

    if (tile_sizes[i].format != GST_VIDEO_INFO_FORMAT (&format->video))
      continue;
    fail_unless ((guint64) (tiles & 0xffff) * tile_sizes[i].width >=
        format->width && (guint64) (tiles >> 16) * tile_sizes[i].height >=
        format->height, "%s: %d x %d tiles", label, tiles & 0xffff,
        tiles >> 16);
  }
}

/* Each component has as many samples as its picture. */
static void
check_samples (const HistoFormat * format, const gchar * label)
{
  guint64 n_samples[HISTO_MAX_COMPONENTS] = { 0, };
  ReferenceShape shape;

  fail_unless (reference_video_shape (GST_VIDEO_INFO_FORMAT (&format->video),
          format->width, format->height, &shape));
  for (guint p = 0; p < format->n_planes; p++) {
    const HistoPlane *plane = &format->planes[p];

    for (guint i = 0; i < plane->n_samples; i++)
      n_samples[plane->samples[i].component] +=
          (guint64) plane->samples[i].count * plane->rows;
  }
  for (guint c = 0; c < format->n_components; c++)
    fail_unless (n_samples[c] == (guint64) shape.widths[c] * shape.heights[c],
        "%s: %" G_GUINT64_FORMAT " samples of %s, not %u x %u", label,
        n_samples[c], shape.names[c], shape.widths[c], shape.heights[c]);
}

/* Frames up to this width and height must not be refused, in any format. */
#define NO_LARGE_SIZE 65536

static void
check_size (GstVideoFormat video, guint width, guint height)
{
  const gchar *name = gst_video_format_to_string (video);
  gchar *label = g_strdup_printf ("%s %ux%u", name, width, height);
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      name, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, NULL);
  GError *error = NULL;
  HistoFormat *format = histo_format_new (caps, &error);

  if (format != NULL) {
    fail_unless (error == NULL, "%s", label);
    check_strides (format, label);
    check_samples (format, label);
    histo_format_unref (format);
  } else {
    fail_unless (g_error_matches (error, GST_STREAM_ERROR,
            GST_STREAM_ERROR_FORMAT), "%s", label);
    fail_unless (MAX (width, height) > NO_LARGE_SIZE
        || (guint64) width * height > 1 << 27, "%s is refused: %s", label,
        error->message);
    g_error_free (error);
  }
  gst_caps_unref (caps);
  g_free (label);
}

/* Near all powers of two and in between, up to the largest number that caps can have: each size
 * is refused, or all that follows from it fits its strides. */
TEST (test_sizes)
{
  static const guint heights[] = { 1, 2, 37, 4096, 46341 };
  GRand *random = test_random ();
  guint n_formats = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);

  for (guint i = 0; i < n_formats; i++) {
    for (guint bits = 1; bits <= 31; bits++) {
      const guint64 power = G_GUINT64_CONSTANT (1) << bits;
      const guint64 widths[] = { power - 1, power, power + 1, power / 3 * 4,
        power / 5 * 8, power + g_rand_int (random) % power
      };

      for (guint w = 0; w < G_N_ELEMENTS (widths); w++) {
        const guint width = CLAMP (widths[w], 1, G_MAXINT);

        for (guint h = 0; h < G_N_ELEMENTS (heights); h++) {
          check_size (formats[i], width, heights[h]);
          check_size (formats[i], heights[h], width);
        }
      }
    }
  }
  g_rand_free (random);
}

/* Sizes that no frame has. */
TEST (test_no_size)
{
  static const gint sizes[][2] = { {0, 16}, {16, 0}, {-16, 16}, {16, -16},
  {0, 0}, {-1, -1}, {G_MININT, 1}, {1, G_MININT}
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format",
        G_TYPE_STRING, "I420", "width", G_TYPE_INT, sizes[i][0], "height",
        G_TYPE_INT, sizes[i][1], NULL);
    GError *error = NULL;

    fail_unless (histo_format_new (caps, &error) == NULL);
    fail_unless (g_error_matches (error, GST_STREAM_ERROR,
            GST_STREAM_ERROR_FORMAT));
    g_error_free (error);
    gst_caps_unref (caps);
  }
}

/* The bytes from the first to the last one that is read do not overflow. */
TEST (test_extent)
{
  static const struct
  {
    gint64 stride;
    guint rows, periods;
    guint64 extent;
  } planes[] = {
    {10, 3, 5, 25}, {-10, 3, 5, 25}, {0, 3, 5, 5}, {10, 1, 5, 5},
    {10, 0, 5, 0}, {10, 3, 0, 0}, {2, 3, 5, 9},
    {G_MAXINT, G_MAXINT, G_MAXINT, (guint64) G_MAXINT * G_MAXINT},
    {G_MININT, G_MAXINT, 1, (((guint64) G_MAXINT - 1) << 31) + 1},
  };

  for (guint i = 0; i < G_N_ELEMENTS (planes); i++) {
    HistoPlane plane = {.stride = planes[i].stride,.rows = planes[i].rows,
      .period_bytes = 1,.n_samples = 1
    };

    plane.samples[0].bytes = 1;
    plane.samples[0].count = plane.periods = planes[i].periods;
    fail_unless_equals_uint64 (histo_plane_extent (&plane), planes[i].extent);
  }
}

/* ---- Packed frames -------------------------------------------------------------------------- */

static HistoFormat *
video_format (GstVideoFormat video, guint width, guint height)
{
  GstVideoInfo info;
  HistoFormat *format;
  GstCaps *caps;

  fail_unless (gst_video_info_set_format (&info, video, width, height));
  caps = gst_video_info_to_caps (&info);
  format = histo_format_new (caps, NULL);
  fail_unless (format != NULL);
  gst_caps_unref (caps);
  return format;
}

/* There is room for a row of unpacked pixels of any width, of 4 or 8 bytes each. */
TEST (test_pack_room)
{
  static const struct
  {
    GstVideoFormat format;
    guint width, pixel_bytes;
  } wide[] = {
    {GST_VIDEO_FORMAT_RGB8P, 19, 4}, {GST_VIDEO_FORMAT_RGB8P, 800000000, 4},
    {GST_VIDEO_FORMAT_NV12_4L4, 262140, 4},
    {GST_VIDEO_FORMAT_NV12_10BE_8L128, 419424, 8}
  };
  HistoFormat *format;

  for (guint i = 0; i < G_N_ELEMENTS (wide); i++) {
    format = video_format (wide[i].format, wide[i].width, 1);
    fail_unless (histo_pack_room (format) >= histo_packed_size (format) +
        (gsize) wide[i].width * wide[i].pixel_bytes);
    histo_format_unref (format);
  }
  format = video_format (GST_VIDEO_FORMAT_NV12, 64, 2);
  fail_unless_equals_uint64 (histo_packed_size (format), 64 * 3);
  fail_unless_equals_uint64 (histo_pack_room (format), 64 * 3);
  histo_format_unref (format);
}

/* Whether two packed frames are the same, but for the bytes between rows. */
static gboolean
is_same_frame (const HistoFormat * format, const guint8 * a, const guint8 * b)
{
  HistoPlane planes[HISTO_MAX_PLANES];

  histo_packed_locate (format, 0, planes);
  for (guint p = 0; p < format->n_planes; p++) {
    for (guint y = 0; y < planes[p].rows; y++) {
      const gsize row = planes[p].data + y * planes[p].stride;

      if (memcmp (a + row, b + row, histo_plane_row_bytes (&planes[p])) != 0)
        return FALSE;
    }
  }
  return TRUE;
}

/* A frame that is packed piece by piece is the frame that is packed at once. No piece is larger
 * than it may be, but for one that has a single row. */
TEST (test_packing_in_pieces)
{
  static const gsize pieces[] = { 0, 1, 100, 1000, 3001, 1 << 20 };
  GRand *random = test_random ();
  guint n_formats = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);

  for (guint i = 0; i < n_formats; i++) {
    HistoFormat *format = video_format (formats[i], 61, 23);
    const gsize size = histo_packed_size (format);
    guint8 *whole = g_malloc0 (histo_pack_room (format));
    guint8 *joined = g_malloc0 (histo_pack_room (format));
    GstBuffer *buffer = gst_buffer_new_allocate (NULL,
        GST_VIDEO_INFO_SIZE (&format->video), NULL);
    HistoLayout layout;
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    test_fill_random (random, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    fail_unless (histo_layout_map (&layout, format, buffer, GST_MAP_READ,
            NULL));
    histo_pack (format, &layout, whole);
    for (guint p = 0; p < G_N_ELEMENTS (pieces); p++) {
      HistoPackPosition position = { 0, };

      memset (joined, 0, size);
      while (position.bytes < size) {
        const gsize begin = position.bytes;

        histo_pack_some (format, &layout, joined, &position, pieces[p]);
        fail_unless (position.bytes > begin && position.bytes <= size);
        fail_unless (position.bytes - begin <= MAX (pieces[p], 61 * 8 + 16)
            || format->needs_unpack);
      }
      fail_unless (is_same_frame (format, whole, joined), "%s in pieces of %"
          G_GSIZE_FORMAT, gst_video_format_to_string (formats[i]), pieces[p]);
    }
    histo_layout_unmap (&layout, format);
    gst_buffer_unref (buffer);
    histo_format_unref (format);
    g_free (whole);
    g_free (joined);
  }
  g_rand_free (random);
}

TEST_MAIN (60)
