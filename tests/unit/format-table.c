/* The table of formats: components, planes and which formats GStreamer unpacks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "formats.h"

/* With interlace-mode=alternate a buffer has one field, that is half of the lines. */
TEST (test_alternate_fields)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw(format:Interlaced), "
      "format=I420, width=16, height=12, framerate=25/1, "
      "interlace-mode=alternate");
  HistoFormat *format = histo_format_new (caps, NULL);

  fail_unless (format != NULL);
  fail_unless_equals_int (format->width, 16);
  fail_unless_equals_int (format->height, 6);
  fail_unless_equals_int (format->planes[0].rows, 6);
  fail_unless_equals_int (format->planes[1].rows, 3);
  histo_format_unref (format);
  gst_caps_unref (caps);
}

/* The components of a format with a palette are those of the palette's colours. */
TEST (test_palette)
{
  static const gchar *const names[] = { "R", "G", "B", "A" };
  HistoFormat *format = test_video_format (GST_VIDEO_FORMAT_RGB8P, 16, 8);

  fail_unless_equals_int (format->n_components, 4);
  for (guint c = 0; c < 4; c++) {
    fail_unless_equals_string (format->components[c].name, names[c]);
    fail_unless_equals_int (format->components[c].depth, 8);
  }
  fail_unless (format->needs_unpack);
  histo_format_unref (format);
}

/* The x of RGBx and similar formats is no sample. */
TEST (test_padding)
{
  static const struct
  {
    GstVideoFormat format;
    guint word;
  } padded[] = {
    {GST_VIDEO_FORMAT_RGBx, 3}, {GST_VIDEO_FORMAT_BGRx, 3},
    {GST_VIDEO_FORMAT_xRGB, 0}, {GST_VIDEO_FORMAT_xBGR, 0}
  };

  for (guint i = 0; i < G_N_ELEMENTS (padded); i++) {
    HistoFormat *format = test_video_format (padded[i].format, 16, 8);

    fail_unless_equals_int (format->n_components, 3);
    fail_unless_equals_int (format->n_bins, 3 * 256);
    fail_unless_equals_int (format->planes[0].n_samples, 3);
    fail_unless_equals_int (format->planes[0].period_bytes, 4);
    for (guint w = 0; w < 4; w++)
      fail_unless_equals_int (format->planes[0].word_sample[w]
          == HISTO_NO_SAMPLE, w == padded[i].word);
    histo_format_unref (format);
  }
}

/* Of the formats of GStreamer 1.22 only tiles and palettes are unpacked by GStreamer. */
TEST (test_unpacked_formats)
{
  guint n = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);

  for (guint i = 0; i < n; i++) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (formats[i]);
    HistoFormat *format = test_video_format (formats[i], 34, 18);
    gboolean odd = GST_VIDEO_FORMAT_INFO_IS_TILED (info)
        || GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info);

    if (formats[i] <= GST_VIDEO_FORMAT_NV12_10BE_8L128)
      fail_unless (format->needs_unpack == odd, "%s", info->name);
    else
      fail_unless (format->needs_unpack || !odd, "%s", info->name);
    histo_format_unref (format);
  }
}

static void
check_planes (const HistoFormat * format, const gchar * label)
{
  guint64 n_samples[HISTO_MAX_COMPONENTS] = { 0, };
  ReferenceShape shape;

  fail_unless (reference_video_shape (GST_VIDEO_INFO_FORMAT (&format->video),
          format->width, format->height, &shape));
  fail_unless (format->n_components == shape.n_components, "%s", label);
  for (guint p = 0; p < format->n_planes; p++) {
    const HistoPlane *plane = &format->planes[p];

    fail_unless (format->needs_unpack || histo_plane_row_bytes (plane)
        <= (guint64) GST_VIDEO_INFO_PLANE_STRIDE (&format->video, p),
        "%s: plane %u", label, p);
    for (guint i = 0; i < plane->n_samples; i++)
      n_samples[plane->samples[i].component] +=
          (guint64) plane->samples[i].count * plane->rows;
  }
  for (guint c = 0; c < format->n_components; c++)
    fail_unless (n_samples[c] == (guint64) shape.widths[c] * shape.heights[c]
        && format->components[c].depth == shape.depths[c]
        && g_str_equal (format->components[c].name, shape.names[c]),
        "%s: component %u", label, c);
}

/* At every width each component has as many samples as its picture, and no row is longer than its
 * stride. */
TEST (test_rows_fit)
{
  guint n = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);

  for (guint i = 0; i < n; i++) {
    for (guint width = 1; width <= 70; width++) {
      HistoFormat *format =
          test_video_format (formats[i], width, 1 + width % 5);
      gchar *label = g_strdup_printf ("%s, width %u",
          gst_video_format_to_string (formats[i]), width);

      check_planes (format, label);
      histo_format_unref (format);
      g_free (label);
    }
  }
}

TEST_MAIN (5)
