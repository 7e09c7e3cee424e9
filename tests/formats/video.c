/* Every video format compared with the reference: odd and even sizes, strides with and without
 * padding, planes anywhere in the buffer, native and other bins.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"

typedef struct
{
  gint width, height;
} Size;

/* 1x1 and 3x5 are smaller than one period of the packed formats. At 11x4 and 9x3 the 10-bit
 * chroma has one sample less. The widest one fills the kernels' vectors. */
static const Size all_sizes[] = {
  {1, 1}, {2, 2}, {3, 5}, {16, 16}, {9, 3}, {11, 4}, {33, 18}, {130, 34},
  {701, 19}
};

/* Bytes that are added to each stride: none; a number that keeps rows aligned to 16 bytes, and
 * one that does not. */
static const gint paddings[] = { 0, 48, 5 };

static void
set_caps (GstHarness * harness, const GstVideoInfo * info)
{
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (info));
}

/* Measures a random frame of each size with each padding. */
static void
check_format_at (GstVideoFormat format, const Size * sizes, guint n_sizes,
    const gchar * properties, guint bins, gdouble range_min,
    gdouble range_max, GRand * random)
{
  GstHarness *harness = test_harness_new (properties);
  gboolean tiled = GST_VIDEO_FORMAT_INFO_IS_TILED (gst_video_format_get_info
      (format));

  for (guint s = 0; s < n_sizes; s++) {
    for (guint p = 0; p < (tiled ? 1 : G_N_ELEMENTS (paddings)); p++) {
      GstVideoInfo info;

      fail_unless (gst_video_info_set_format (&info, format, sizes[s].width,
              sizes[s].height));
      set_caps (harness, &info);
      if (paddings[p] > 0)
        test_pad_strides (&info, paddings[p]);
      test_check_video (harness, test_random_frame (&info, paddings[p] > 0,
              random), &info, bins, range_min, range_max);
    }
  }
  test_harness_free (harness);
}

static void
check_format (GstVideoFormat format, const gchar * properties, guint bins,
    gdouble range_min, gdouble range_max, GRand * random)
{
  check_format_at (format, all_sizes, G_N_ELEMENTS (all_sizes), properties,
      bins, range_min, range_max, random);
}

static void
check_native (GstVideoFormat format, GRand * random)
{
  check_format (format, NULL, 0, 0, 0, random);
}

/* Each format in all sizes, with native bins. */
TEST (test_every_format)
{
  GPtrArray *formats = test_format_names (GST_VIDEO_CAPS_MAKE
      (GST_VIDEO_FORMATS_ALL));
  guint n_raw = 0;
  const GstVideoFormat *raw = gst_video_formats_raw (&n_raw);

  test_each_video_format (check_native);
  /* The list has every format that GStreamer registers as raw. */
  for (guint i = 0; i < n_raw; i++) {
    const gchar *name = gst_video_format_to_string (raw[i]);

    fail_unless (g_ptr_array_find_with_equal_func (formats, name, g_str_equal,
            NULL), "%s was skipped", name);
  }
  g_ptr_array_unref (formats);
}

/* Planes of more than a megabyte: the CPU engine counts them with other code, and the GPU with
 * more than one block. */
TEST (test_large)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRx,
    GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_P010_10LE
  };
  static const Size large = { 2013, 1089 };
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    check_format_at (formats[i], &large, 1, NULL, 0, 0, 0, random);
  g_rand_free (random);
}

/* Makes every second half megabyte smooth, so that the CPU engine counts pairs of bytes there. */
static void
smooth_half (GstBuffer * buffer)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READWRITE));
  for (gsize i = 0; i < map.size; i++) {
    if (i >> 19 & 1)
      map.data[i] = (i >> 6) + map.data[i] % 9;
  }
  gst_buffer_unmap (buffer, &map);
}

/* Several large frames at once. Threads without a frame count rows of another thread's frame. No
 * count is lost or added to another frame. */
TEST (test_large_in_flight)
{
  enum { N = 9 };
  GstHarness *harness = test_harness_new ("max-in-flight=6");
  GRand *random = test_random ();
  GstVideoInfo info;
  GstBuffer *in[N];

  fail_unless (gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, 1501,
          1401));
  set_caps (harness, &info);
  for (guint i = 0; i < N; i++) {
    in[i] = test_random_frame (&info, FALSE, random);
    smooth_half (in[i]);
  }
  for (guint i = 0; i < N; i++)
    fail_unless_equals_int (gst_harness_push (harness, gst_buffer_ref (in[i])),
        GST_FLOW_OK);
  for (guint i = 0; i < N; i++) {
    GstBuffer *out = gst_harness_pull (harness);

    fail_unless (out != NULL);
    fail_unless (gst_buffer_peek_memory (out, 0)
        == gst_buffer_peek_memory (in[i], 0));
    test_compare_video_buffer (out, &info, 0, 0, 0);
    gst_buffer_unref (out);
    gst_buffer_unref (in[i]);
  }
  test_harness_free (harness);
  g_rand_free (random);
}

/* Other numbers of bins and other ranges. */
TEST (test_bins)
{
  GRand *random = test_random ();

  check_format (GST_VIDEO_FORMAT_NV12, "bins=10", 10, 0, 0, random);
  check_format (GST_VIDEO_FORMAT_NV12, "bins=512", 512, 0, 0, random);
  check_format (GST_VIDEO_FORMAT_NV12, "bins=7 range-min=16 range-max=235", 7,
      16, 235, random);
  check_format (GST_VIDEO_FORMAT_RGB, "range-min=-3.5 range-max=100.25", 0,
      -3.5, 100.25, random);
  check_format (GST_VIDEO_FORMAT_P010_10LE, "bins=64 range-max=512", 64, 0,
      512, random);
  check_format (GST_VIDEO_FORMAT_v210, "bins=65536", 65536, 0, 0, random);
  g_rand_free (random);
}

/* Bins of any widths. */
TEST (test_edges)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_RGB16, GST_VIDEO_FORMAT_A420, GST_VIDEO_FORMAT_P010_10LE,
    GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_AYUV64, GST_VIDEO_FORMAT_RGB8P
  };
  static const gdouble some[] = { -5, 0, 0.5, 1, 3, 16, 17, 30.25, 64, 65, 100, 235, 236, 300, 940, 1e4, 50000, 1e9 };
  static const gdouble values[] = { 0, 1, 2, 3, 4 }, one[] = { 10, 20 }, above[] = { 70000, 70001 };
  static const struct
  {
    const gdouble *edges;
    guint n;
    const gchar *text;
  } all[] = {
    {some, G_N_ELEMENTS (some), "-5,0,0.5,1,3,16,17,30.25,64,65,100,235,236,300,940,1e4,50000,1e9"},
    {values, G_N_ELEMENTS (values), "0, 1, 2, 3, 4"},
    {one, G_N_ELEMENTS (one), "10,20"},
    {above, G_N_ELEMENTS (above), "70000,70001"},
  };
  static const Size size = { 37, 21 };
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    g_autofree gchar *properties = g_strdup_printf ("bin-edges=\"%s\"", all[i].text);

    reference_use_edges (all[i].edges, all[i].n - 1);
    for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
      check_format_at (formats[f], &size, 1, properties, 0, 0, 0, random);
    reference_use_edges (NULL, 0);
  }
  g_rand_free (random);
}

/* A frame in several memories, which begin and end in the middle of planes. */
TEST (test_many_memories)
{
  GRand *random = test_random ();
  const GstVideoFormat formats[] =
      { GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_v210,
    GST_VIDEO_FORMAT_NV12_64Z32, GST_VIDEO_FORMAT_RGB8P
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    for (gint with_meta = 0; with_meta < 2; with_meta++) {
      GstHarness *harness = test_harness_new (NULL);
      GstVideoInfo info;
      GstBuffer *whole, *pieces, *out;
      gsize at = 0;

      gst_video_info_set_format (&info, formats[i], 61, 47);
      set_caps (harness, &info);
      whole = test_random_frame (&info, FALSE, random);
      pieces = gst_buffer_new ();
      while (at < info.size) {
        gsize size = MIN (info.size - at, 1 + info.size / 5);
        GstMemory *memory = gst_allocator_alloc (NULL, size, NULL);
        GstMapInfo map;

        gst_memory_map (memory, &map, GST_MAP_WRITE);
        gst_buffer_extract (whole, at, map.data, size);
        gst_memory_unmap (memory, &map);
        gst_buffer_append_memory (pieces, memory);
        at += size;
      }
      fail_unless (gst_buffer_n_memory (pieces) > 2);
      if (with_meta)
        test_add_video_meta (pieces, &info);
      out = gst_harness_push_and_pull (harness, pieces);
      fail_unless (out != NULL);
      test_compare_video_buffer (out, &info, 0, 0, 0);
      /* The bytes are unchanged. */
      {
        GstMapInfo map;

        gst_buffer_map (out, &map, GST_MAP_READ);
        fail_unless (gst_buffer_memcmp (whole, 0, map.data, map.size) == 0);
        gst_buffer_unmap (out, &map);
      }
      gst_buffer_unref (out);
      gst_buffer_unref (whole);
      test_harness_free (harness);
    }
  }
  g_rand_free (random);
}

/* Planes in another order, at odd offsets, and one with a negative stride. */
TEST (test_odd_places)
{
  GRand *random = test_random ();
  GstHarness *harness = test_harness_new (NULL);
  const gint width = 37, height = 22;
  gsize offset[4] = { 2001, 3, 1001, 0 };
  gint stride[4] = { 41, 39, 19, 0 };
  GstVideoInfo info;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_I420, width, height);
  set_caps (harness, &info);
  memcpy (info.offset, offset, sizeof offset);
  memcpy (info.stride, stride, sizeof stride);
  info.size = 2001 + 41 * 22;
  test_check_video (harness, test_random_frame (&info, TRUE, random), &info,
      0, 0, 0);

  info.stride[0] = -41;
  info.offset[0] += 41 * 21;
  test_check_video (harness, test_random_frame (&info, TRUE, random), &info,
      0, 0, 0);
  test_harness_free (harness);
  g_rand_free (random);
}

/* A buffer with one field has half of the lines of the caps. These are measured. */
TEST (test_alternate_fields)
{
  GRand *random = test_random ();
  GstHarness *harness = test_harness_new (NULL);
  GstVideoInfo info, field;
  GstBuffer *out;
  gint height = 0;

  gst_video_info_set_interlaced_format (&info, GST_VIDEO_FORMAT_NV12,
      GST_VIDEO_INTERLACE_MODE_ALTERNATE, 40, 30);
  set_caps (harness, &info);
  gst_video_info_set_format (&field, GST_VIDEO_FORMAT_NV12, 40, 15);
  fail_unless_equals_int (info.size, field.size);
  out = gst_harness_push_and_pull (harness, test_random_frame (&field, FALSE,
          random));
  fail_unless (out != NULL);
  test_compare_video_buffer (out, &field, 0, 0, 0);
  fail_unless (gst_structure_get_int (test_result (out), "height", &height));
  fail_unless_equals_int (height, 15);
  gst_buffer_unref (out);
  test_harness_free (harness);
  g_rand_free (random);
}

TEST_MAIN (600)
