/* Counting of large and middle planes on the CPU.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "formats.h"
#include "frames.h"

#include "engine/cpu/count.h"

/* Bands of rows with different contents. In large planes the counter uses other code for each. */
static void
fill_in_bands (guint8 * data, gsize stride, guint rows, GRand * random)
{
  for (guint y = 0, left = 0, kind = 0; y < rows; y++, left--) {
    guint8 *row = data + y * stride;

    if (left == 0) {
      left = g_rand_int_range (random, 1, 60);
      kind = g_rand_int_range (random, 0, 6);
    }
    for (gsize x = 0; x < stride; x++) {
      const guint32 noise = g_rand_int (random) >> 8;

      switch (kind) {
        case 0:
          row[x] = noise;
          break;
        case 1:
          row[x] = x / 16 + y + noise % 7;
          break;
        case 2:
          row[x] = 77;
          break;
        case 3:                /* a repeated group with errors */
          row[x] = noise % 97 == 0 ? noise >> 8 : 30 * (x % 8);
          break;
        case 4:                /* low values with errors */
          row[x] = noise % 211 == 0 ? noise >> 8 : noise >> 8 & 7;
          break;
        default:               /* noise, white and a ramp side by side */
          row[x] = x < stride / 3 ? noise : x < stride / 2 ? 255 : x / 16;
      }
    }
  }
}

/* Counts a frame in pieces of random height and compares with the reference. */
static void
check_counted (GstVideoFormat video, guint width, guint height, GRand * random)
{
  HistoFormat *format = test_video_format (video, width, height);
  HistoCpuPixels *pixels = histo_cpu_pixels_new ();
  ReferenceShape shape;
  guint8 *data[4] = { NULL, };
  gint strides[4] = { 0, };
  guint32 *counters = g_new0 (guint32, format->n_bins);
  guint32 *expected = g_new0 (guint32, format->n_bins);
  guint32 *samples = g_new (guint32, (gsize) width * height);

  for (guint p = 0; p < format->n_planes; p++) {
    HistoPlane plane = format->planes[p];

    strides[p] =
        histo_plane_row_bytes (&plane) + g_rand_int_range (random, 0, 9);
    data[p] = g_malloc ((gsize) strides[p] * plane.rows);
    fill_in_bands (data[p], strides[p], plane.rows, random);
    plane.data = (guint64) (guintptr) data[p];
    plane.stride = strides[p];
    histo_cpu_pixels_begin (pixels, &plane, counters);
    for (guint y = 0, n; y < plane.rows; y += n) {
      n = g_rand_int_range (random, 1, plane.rows - y + 1);
      histo_cpu_pixels_rows (pixels, y, n);
    }
    histo_cpu_pixels_end (pixels);
  }

  fail_unless (reference_video_shape (video, width, height, &shape));
  for (guint c = 0, first = 0; c < shape.n_components;
      first += 1 << shape.depths[c], c++) {
    fail_unless (reference_video_samples (video, width, height,
            (const guint8 * const *) data, strides, c, samples));
    for (gsize i = 0; i < (gsize) shape.widths[c] * shape.heights[c]; i++)
      expected[first + samples[i]]++;
  }
  for (guint i = 0; i < format->n_bins; i++)
    fail_unless (counters[i] == expected[i], "%s, %u x %u: counter %u has %u, "
        "not %u", gst_video_format_to_string (video), width, height, i,
        counters[i], expected[i]);

  for (guint p = 0; p < format->n_planes; p++)
    g_free (data[p]);
  g_free (counters);
  g_free (expected);
  g_free (samples);
  histo_cpu_pixels_free (pixels);
  histo_format_unref (format);
}

static const GstVideoFormat formats_of_bytes[] = {
  GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA,
  GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_AYUV
};

/* Planes of more than a megabyte, also with rows so short that the counter cannot judge their
 * content. */
TEST_LOOP (test_large_planes, 0, G_N_ELEMENTS (formats_of_bytes))
{
  const GstVideoFormat format = formats_of_bytes[__i__];
  GRand *random = test_random ();
  const guint narrow = g_rand_int_range (random, 1, 30);

  check_counted (format, g_rand_int_range (random, 1900, 2100),
      g_rand_int_range (random, 1110, 1300), random);
  check_counted (format, narrow, 2200000 / narrow, random);
  check_counted (format, 2200003, 1, random);
  g_rand_free (random);
}

/* Planes between 100 and 600 kilobytes: the content decides less. */
TEST_LOOP (test_middle_planes, 0, G_N_ELEMENTS (formats_of_bytes))
{
  GRand *random = test_random ();

  for (guint i = 0; i < 3; i++)
    check_counted (formats_of_bytes[__i__], g_rand_int_range (random, 320, 400),
        g_rand_int_range (random, 330, 380), random);
  g_rand_free (random);
}

/* Of many values counters of 16 bits, which wrap in the bands of one value. */
TEST_LOOP (test_planes_of_words, 0, 8)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_GRAY16_BE, GST_VIDEO_FORMAT_P016_LE, GST_VIDEO_FORMAT_P016_BE,
    GST_VIDEO_FORMAT_P012_LE, GST_VIDEO_FORMAT_ARGB64_LE, GST_VIDEO_FORMAT_ARGB64_BE, GST_VIDEO_FORMAT_Y212_LE
  };
  GRand *random = test_random ();

  check_counted (formats[__i__], g_rand_int_range (random, 1900, 2100), g_rand_int_range (random, 400, 500), random);
  check_counted (formats[__i__], g_rand_int_range (random, 1, 30), g_rand_int_range (random, 1, 3000), random);
  g_rand_free (random);
}

/* Noise where the content is judged, and two values elsewhere: counters of 16 bits wrap. */
TEST (test_wrapping_counters)
{
  const guint width = 2048, height = 1024, samples = width * height;
  HistoFormat *format = test_video_format (GST_VIDEO_FORMAT_GRAY8, width, height);
  HistoCpuPixels *pixels = histo_cpu_pixels_new ();
  GRand *random = test_random ();
  guint8 *data = g_malloc (samples);
  guint32 counters[256] = { 0, }, expected[256] = { 0, };
  HistoPlane plane = format->planes[0];

  for (guint i = 0; i < samples; i++) {
    const guint third = (i % width + 128) % ((width - 128) / 3);

    data[i] = third < 384 ? g_rand_int (random) >> 24 : i % 2 == 0 ? 1 : 200;
    expected[data[i]]++;
  }
  plane.data = (guint64) (guintptr) data;
  plane.stride = width;
  for (guint frame = 1; frame <= 2; frame++) {
    histo_cpu_pixels_begin (pixels, &plane, counters);
    histo_cpu_pixels_rows (pixels, 0, height);
    histo_cpu_pixels_end (pixels);
    for (guint v = 0; v < 256; v++)
      fail_unless_equals_int (counters[v], frame * expected[v]);
  }
  g_free (data);
  g_rand_free (random);
  histo_cpu_pixels_free (pixels);
  histo_format_unref (format);
}

TEST_MAIN (20)
