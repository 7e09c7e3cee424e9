/* Sizes of frames that do not fit in GStreamer's strides and tile counts, and frames that end
 * where the buffer ends. Each gives one clear error or the right result, and no byte outside the
 * buffer is read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"
#include "guarded.h"

#include <sys/resource.h>

typedef struct
{
  const gchar *format;
  gint width, height;
} Size;

static void
check_caps_refused (const Size * size)
{
  gchar *label = g_strdup_printf ("%s %dx%d", size->format, size->width,
      size->height);
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      size->format, "width", G_TYPE_INT, size->width, "height", G_TYPE_INT,
      size->height, "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  /* A process of 32 bits has not much room. */
  const guint64 most = G_GUINT64_CONSTANT (1) << (sizeof (gsize) == 4 ? 28 : 34);
  GstHarness *harness = test_harness_new (NULL);
  GstVideoInfo info;
  gsize bytes = 4096;

  /* If GStreamer's size is not negative, the buffer has that size. */
  if (gst_video_info_from_caps (&info, caps) && info.size < most)
    bytes = info.size;
  gst_harness_set_src_caps (harness, caps);
  test_check_refused (harness, test_guarded_buffer_new (bytes, GUARD_AFTER),
      label);
  test_harness_free (harness);
  g_free (label);
}

/* GStreamer has 16 bits for the number of tiles in a row, and 15 bits for the number of rows of
 * tiles. Larger frames are refused. */
TEST (test_too_many_tiles)
{
  static const Size sizes[] = {
    {"NV12_4L4", 262144, 4}, {"NV12_4L4", 262141, 1},
    {"NV12_4L4", 262144 + 16, 4}, {"NV12_4L4", 4, 131069},
    {"NV12_4L4", 4, 131072}, {"NV12_4L4", 16, 262144},
    {"NV12_4L4", 16, 393216},
    {"NV12_64Z32", 4194304, 1}, {"NV12_64Z32", 4194304, 32},
    {"NV12_64Z32", 64, 1048576}, {"NV12_64Z32", 64, 2097152},
    {"NV12_16L32S", 1048576, 1}, {"NV12_16L32S", 16, 1048576},
    {"NV12_32L32", 2097152, 1}, {"NV12_32L32", 32, 2097152},
    {"NV12_8L128", 524288, 1}, {"NV12_8L128", 8, 4194304},
    {"NV12_10BE_8L128", 419431, 1}, {"NV12_10BE_8L128", 6, 4194304},
    /* The bytes of a row of unpacked pixels do not fit in 32 bits. */
    {"NV12_4L4", 1073741760, 1}, {"NV12_4L4", 1100000000, 1},
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    check_caps_refused (&sizes[i]);
}

/* Frames with the largest possible numbers of tiles are measured. */
TEST (test_many_tiles)
{
  static const Size sizes[] = {
    {"NV12_4L4", 262140, 1}, {"NV12_4L4", 1, 131068},
    {"NV12_16L32S", 1048560, 1}, {"NV12_8L128", 524280, 1},
    {"NV12_10BE_8L128", 419424, 1}, {"NV12_10BE_8L128", 419411, 3},
  };
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GstHarness *harness = test_harness_new ("max-in-flight=1");
    GstVideoInfo info;

    fail_unless (gst_video_info_set_format (&info,
            gst_video_format_from_string (sizes[i].format), sizes[i].width,
            sizes[i].height));
    gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
    test_check_video (harness, test_guarded_random_new (info.size, GUARD_AFTER,
            random), &info, 0, 0, 0);
    test_harness_free (harness);
  }
  g_rand_free (random);
}

/* Rows so long that GStreamer's strides, which have 31 bits, wrap to smaller or negative
 * numbers. */
TEST (test_rows_too_long)
{
  static const Size sizes[] = {
    /* Smaller. */
    {"BGRx", 1094929989, 1}, {"BGRx", 1073741824, 1}, {"xRGB", 1431655600, 1},
    {"Y412_BE", 547160155, 1}, {"Y412_LE", 536870912, 1},
    /* Negative. */
    {"BGRx", 600000000, 1}, {"RGBA", 600000000, 1}, {"Y412_BE", 300000000, 1},
    {"ARGB64", 300000000, 1}, {"GRAY8", 2147483646, 1},
    {"GRAY16_LE", 1073741824, 1}, {"RGB", 800000000, 1},
    {"v210", 900000000, 1}, {"NV24", 1200000000, 1},
    {"GRAY10_LE32", 2000000000, 1}, {"RGB8P", 2147483646, 1},
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    check_caps_refused (&sizes[i]);
}

/* AddressSanitizer needs more addresses than any useful limit. */
#ifdef __SANITIZE_ADDRESS__
static const gboolean can_limit_addresses = FALSE;
#else
static const gboolean can_limit_addresses = TRUE;
#endif

/* The frame can be unpacked, but there is not enough memory: 0.8 GB become 3.2 GB, and the row of
 * unpacked pixels needs as much again. */
TEST_IF (test_no_memory, !test_backend_is_cuda () && can_limit_addresses)
{
  const rlim_t limit = G_GUINT64_CONSTANT (5) << 30;
  GstHarness *harness = test_harness_new ("max-in-flight=1");
  GstVideoInfo info;
  GstBuffer *buffer;
  struct rlimit old, new;

  fail_unless (gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB8P,
          800000000, 1));
  buffer = test_guarded_buffer_new (info.size, GUARD_AFTER);
  fail_unless (getrlimit (RLIMIT_AS, &old) == 0);
  new = old;
  new.rlim_cur = MIN (limit, old.rlim_max);
  fail_unless (setrlimit (RLIMIT_AS, &new) == 0);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  fail_unless (gst_harness_push (harness, buffer) < GST_FLOW_OK);
  fail_unless (setrlimit (RLIMIT_AS, &old) == 0);
  test_check_error (harness, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NO_SPACE_LEFT, "RGB8P");
  test_harness_free (harness);
}

/* Frames of every format in GStreamer's default layout. The page after the last byte, or before the
 * first, cannot be read. On the mock driver, which is slow, each format has every third of the widths, from a random one
 * on: four of them, two with each guard. */
TEST (test_nothing_outside_is_read)
{
  static const gint widths[] = { 1, 2, 3, 5, 7, 17, 19, 25, 33, 51, 57, 97 };
  static const gint heights[] = { 1, 3, 6 };
  GRand *random = test_random ();
  const guint step = test_backend_is_cuda () ? MIN (test_step (), 3) : 1;
  const guint turn = g_rand_int_range (random, 0, 1000);
  guint n_formats = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);

  for (guint i = 0; i < n_formats; i++) {
    GstHarness *harness = test_harness_new ("max-in-flight=1");

    for (guint j = (i + turn) % step; j < G_N_ELEMENTS (widths); j += step) {
      const gint width = widths[j];
      const gint height = heights[j % G_N_ELEMENTS (heights)];
      GstVideoInfo info;

      fail_unless (gst_video_info_set_format (&info, formats[i], width,
              height));
      gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
      test_check_video (harness, test_guarded_random_new (info.size,
              j % N_GUARDS, random), &info, 0, 0, 0);
    }
    test_harness_free (harness);
  }
  g_rand_free (random);
}

/* The sums of `detail` have 64 bits, which larger frames can exceed. The rows of this frame share their
 * memory, and their gradients are large. */
TEST (test_too_many_pixels)
{
  const guint size = 16500;
  gsize offsets[GST_VIDEO_MAX_PLANES] = { 0 };
  gint strides[GST_VIDEO_MAX_PLANES] = { 0 };
  GstHarness *harness = test_harness_new ("measures=detail");
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint x = 0; x < size; x++)
    map.data[x] = x % 4 < 2 ? 0 : 255;
  gst_buffer_unmap (buffer, &map);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_GRAY8, size, size, 1, offsets, strides);
  gst_harness_set_src_caps_str (harness, "video/x-raw, format=GRAY8, "
      "width=16500, height=16500, framerate=25/1");
  test_check_refused (harness, buffer, "16500x16500");
  test_harness_free (harness);
}

TEST_MAIN (120)
