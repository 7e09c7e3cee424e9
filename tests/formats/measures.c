/* Every measure of every video format compared with the reference: odd and even sizes, noise and
 * pictures with structure, regions, and several colorimetries.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "measured-stream.h"

typedef struct
{
  gint width, height;
} Size;

/* CUDAHISTO_TEST_FORMAT in the environment names the only format to be tested. */
static gboolean
is_wanted (const gchar * format)
{
  const gchar *only = g_getenv ("CUDAHISTO_TEST_FORMAT");

  return only == NULL || g_str_equal (only, format);
}

/* On the mock driver, which is slow, a run has only every @every-th case, from a random one on.
 * @turn: a random number, the same for all cases of a test */
static gboolean
is_turn (guint number, guint turn, guint every)
{
  return !test_backend_is_cuda () || (number + turn) % MIN (test_step (), every) == 0;
}

static guint
random_turn (GRand * random)
{
  return g_rand_int_range (random, 0, 1000);
}

/* On the mock driver scopes take long: one stream of test_step() has them there. */
static ReferenceGroups
all_groups (guint n)
{
  return test_backend_is_cuda () && n % test_step () != 0 ?
      REFERENCE_ALL_GROUPS & ~REFERENCE_GROUP_SCOPES : REFERENCE_ALL_GROUPS;
}

/* Frames of more pixels take most of the time, so each run gives each such size to another third of the formats. Deep
 * formats always have the first size. A format that is tested alone has all sizes. */
#define MANY_PIXELS 1000

/* Frames of all formats in these sizes. Colorimetry and padding change from case to case. */
static void
check_formats (const Size * sizes, guint n_sizes, guint deep_sizes,
    guint bins, gboolean has_regions)
{
  static const gint paddings[] = { 0, 5, 0, 48 };
  GRand *random = test_random ();
  GPtrArray *formats = test_format_names (GST_VIDEO_CAPS_MAKE
      (GST_VIDEO_FORMATS_ALL));
  /* On the mock driver a frame takes long, and all measures of all formats also take long on the CPU. */
  const guint step = test_backend_is_cuda () ? test_step () :
      (test_step () + 9) / 10;
  const guint first = g_rand_int_range (random, 0, 1000);
  guint n = first;

  for (guint i = first % step; i < formats->len; i += step) {
    GstVideoFormat format = gst_video_format_from_string (formats->pdata[i]);
    const gboolean is_deep = GST_VIDEO_FORMAT_INFO_DEPTH
        (gst_video_format_get_info (format), 0) > 12;
    TestStream stream;

    if (!is_wanted (formats->pdata[i]))
      continue;
    test_stream_open (&stream, all_groups ((i - first % step) / step + first), bins, has_regions, "");
    for (guint s = 0; s < (is_deep ? deep_sizes : n_sizes); s++, n++) {
      if (sizes[s].width * sizes[s].height > MANY_PIXELS && (first + i + s) % 3 != 0 && !(is_deep && s == 0)
          && g_getenv ("CUDAHISTO_TEST_FORMAT") == NULL)
        continue;
      test_stream_set_format (&stream, format, sizes[s].width,
          sizes[s].height,
          n % TEST_N_COLORIMETRIES, paddings[n % 4]);
      test_stream_push_three (&stream, random);
    }
    test_stream_close (&stream);
  }
  g_ptr_array_unref (formats);
  g_rand_free (random);
}

/* Each format, all groups, the whole picture. Pictures with less than 3 rows or columns have no
 * gradient. At 11 and 19 pixels some formats have one V less. The bins are native. */
TEST (test_every_format)
{
  static const Size sizes[] = {
    {3, 5}, {33, 18}, {131, 67}, {1, 1}, {2, 2}, {11, 4}, {19, 3}, {64, 9}
  };

  check_formats (sizes, G_N_ELEMENTS (sizes), 3, 0, FALSE);
}

/* Each format, all groups, and regions. The 50 bins are those of the result only. */
TEST (test_regions)
{
  static const Size sizes[] = { {43, 27}, {9, 7}, {131, 67} };

  check_formats (sizes, G_N_ELEMENTS (sizes), 1, 50, TRUE);
}

/* Formats of each kind: other kernels and other loops count them. */
static const GstVideoFormat some_formats[] = {
  GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YUY2,
  GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_A420, GST_VIDEO_FORMAT_P010_10LE,
  GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_I422_12LE, GST_VIDEO_FORMAT_RGB,
  GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_RGB16, GST_VIDEO_FORMAT_GBR_10LE,
  GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_NV12_64Z32, GST_VIDEO_FORMAT_RGB8P
};

/* Any set of groups gives the same numbers as all groups together. */
TEST (test_sets_of_groups)
{
  static const Size size = { 45, 23 };
  GRand *random = test_random ();
  const guint turn = random_turn (random);

  for (guint i = 0; i < G_N_ELEMENTS (some_formats); i++) {
    if (!is_wanted (gst_video_format_to_string (some_formats[i])))
      continue;
    for (guint g = 0; g < REFERENCE_N_GROUPS + 4; g++) {
      /* no group, each group alone, and three random sets */
      const guint groups = g == 0 ? 0 : g <= REFERENCE_N_GROUPS ? 1u << (g - 1) :
          (guint) g_rand_int_range (random, 1, REFERENCE_ALL_GROUPS);
      TestStream stream;

      if (!is_turn (i + g, turn, 5))
        continue;
      test_stream_open (&stream, groups, 0, FALSE, "");
      test_stream_set_format (&stream, some_formats[i], size.width, size.height,
          (i + g) % TEST_N_COLORIMETRIES, 0);
      test_stream_push_three (&stream, random);
      test_stream_close (&stream);
    }
  }
  g_rand_free (random);
}

/* Every colorimetry. 577 rows are more than those of standard definition. */
TEST (test_every_colorimetry)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGBx,
    GST_VIDEO_FORMAT_GBR_12LE, GST_VIDEO_FORMAT_ARGB64, GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_Y444_16LE
  };
  static const Size sizes[] = { {40, 20}, {3, 577} };
  GRand *random = test_random ();
  const guint turn = random_turn (random);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    TestStream stream;

    if (!is_wanted (gst_video_format_to_string (formats[i])))
      continue;
    test_stream_open (&stream, REFERENCE_GROUP_SIGNAL | REFERENCE_GROUP_COLOR | REFERENCE_GROUP_HDR
        | REFERENCE_GROUP_DETAIL | REFERENCE_GROUP_GAMUT | REFERENCE_GROUP_GAMUT_FILTER | REFERENCE_GROUP_FLASH,
        0, FALSE, "");
    for (guint c = 0; c < TEST_N_COLORIMETRIES; c++) {
      for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
        if (!is_turn (i + c + s, turn, G_N_ELEMENTS (formats)))
          continue;
        test_stream_set_format (&stream, formats[i], sizes[s].width,
          sizes[s].height, c, 0);
        test_stream_push (&stream, test_stream_frame (&stream, TEST_FRAME_NOISE, random), "noise");
      }
    }
    test_stream_close (&stream);
  }
  g_rand_free (random);
}

/* A frame with @n random regions of interest, some of them outside or empty. */
static GstBuffer *
frame_with_rois (TestStream * stream, guint n, GRand * random)
{
  GstBuffer *buffer =
      test_stream_frame (stream, stream->n == 0 ? TEST_FRAME_RAMP : TEST_FRAME_NEAR, random);

  for (guint i = 0; i < n; i++) {
    gchar *name = g_strdup_printf ("roi%u", i % 5);

    gst_buffer_add_video_region_of_interest_meta (buffer, name,
        g_rand_int_range (random, 0, stream->info.width * 5 / 4),
        g_rand_int_range (random, 0, stream->info.height * 5 / 4),
        g_rand_int_range (random, 0, stream->info.width),
        g_rand_int_range (random, 0, stream->info.height));
    g_free (name);
  }
  return buffer;
}

/* The metas of a buffer are measured in their order, after the other regions. Their number and
 * their names change from buffer to buffer; a name may occur twice. */
TEST (test_regions_of_interest)
{
  static const guint n_rois[] = { 64, 3, 0, 1, 5 };
  static const Size size = { 63, 37 };
  GRand *random = test_random ();
  const guint turn = random_turn (random);

  for (guint i = 0; i < G_N_ELEMENTS (some_formats); i++) {
    TestStream stream;

    if (!is_wanted (gst_video_format_to_string (some_formats[i])) || !is_turn (i, turn, 4))
      continue;
    test_stream_open (&stream, all_groups (i), 0, i % 2 == 0, "roi-meta=true");
    test_stream_set_format (&stream, some_formats[i], size.width, size.height,
        i % TEST_N_COLORIMETRIES, 0);
    for (guint f = 0; f < G_N_ELEMENTS (n_rois); f++)
      test_stream_push (&stream, frame_with_rois (&stream, n_rois[f], random),
          "regions of interest");
    test_stream_close (&stream);
  }
  g_rand_free (random);
}

/* Without roi-meta the metas are no regions. */
TEST (test_ignored_regions_of_interest)
{
  GRand *random = test_random ();
  TestStream stream;
  GstBuffer *out;

  test_stream_open (&stream, REFERENCE_ALL_GROUPS, 0, FALSE, "");
  test_stream_set_format (&stream, GST_VIDEO_FORMAT_I420, 33, 18, 0, 0);
  out = gst_harness_push_and_pull (stream.harness, frame_with_rois (&stream, 3,
          random));
  fail_unless (out != NULL);
  fail_unless (!gst_structure_has_field (test_result (out), "regions"));
  gst_buffer_unref (out);
  test_stream_close (&stream);
  g_rand_free (random);
}

/* After a flush there is no previous frame, and what a region has kept is forgotten. */
TEST (test_after_flush)
{
  GRand *random = test_random ();
  TestStream stream;

  test_stream_open (&stream, REFERENCE_ALL_GROUPS, 0, TRUE, "");
  test_stream_set_format (&stream, GST_VIDEO_FORMAT_NV12, 33, 18, 1, 0);
  test_stream_push_three (&stream, random);
  test_flush (stream.harness);
  test_push_segment (stream.harness);
  test_stream_restart (&stream);
  test_stream_push_three (&stream, random);
  test_stream_close (&stream);
  g_rand_free (random);
}

/* Several frames are in flight at once, each of which is the previous frame of the next one. */
TEST (test_in_flight)
{
  static const Size sizes[] = { {150, 90}, {17, 9} };
  GRand *random = test_random ();
  const guint turn = random_turn (random);

  for (guint i = 0; i < G_N_ELEMENTS (some_formats); i++) {
    TestStream stream;

    if (!is_wanted (gst_video_format_to_string (some_formats[i])) || !is_turn (i, turn, 3))
      continue;
    test_stream_open (&stream, all_groups (i), 0, i % 3 == 0,
        i % 2 == 0 ? "max-in-flight=6" : "max-in-flight=2");
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
      test_stream_set_format (&stream, some_formats[i], sizes[s].width,
          sizes[s].height, (i + s) % TEST_N_COLORIMETRIES, 0);
      test_stream_push_at_once (&stream, s == 0 ? 4 : 9, random);
    }
    test_stream_close (&stream);
  }
  g_rand_free (random);
}

/* Large pictures: several blocks on the device, several shares on the CPU. */
TEST (test_large)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGBA,
    GST_VIDEO_FORMAT_v210
  };
  static const Size size = { 613, 411 };
  GRand *random = test_random ();
  const guint turn = random_turn (random);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    TestStream stream;

    if (!is_wanted (gst_video_format_to_string (formats[i])) || !is_turn (i, turn, 2))
      continue;
    test_stream_open (&stream, REFERENCE_ALL_GROUPS, 0, FALSE, "");
    test_stream_set_format (&stream, formats[i], size.width, size.height, 1 + i, i % 2 * 5);
    test_stream_push (&stream, test_stream_frame (&stream, TEST_FRAME_ROWS, random), "rows");
    test_stream_push (&stream, test_stream_frame (&stream, TEST_FRAME_NOISE, random), "noise");
    test_stream_close (&stream);
  }
  g_rand_free (random);
}

/* The sums of long rows and columns may need more than 32 bits. */
TEST (test_long)
{
  static const struct
  {
    GstVideoFormat format;
    Size size;
  } frames[] = {
    { GST_VIDEO_FORMAT_GRAY8, { (1 << 20) + 5, 1 } },
    /* A sum of white pixels has few bits left in 32, if one or two threads add R + G + B. */
    { GST_VIDEO_FORMAT_ARGB64, { 1, (1 << 17) + 5 } },
  };
  GRand *random = test_random ();
  const guint turn = random_turn (random);

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    TestStream stream;
    GstBuffer *frame;

    if (!is_wanted (gst_video_format_to_string (frames[i].format)) || !is_turn (i, turn, 2))
      continue;
    test_stream_open (&stream, REFERENCE_ALL_GROUPS, 0, FALSE, "");
    test_stream_set_format (&stream, frames[i].format, frames[i].size.width, frames[i].size.height,
        1, 0);
    test_stream_push (&stream, test_stream_frame (&stream, TEST_FRAME_NOISE, random), "noise");
    frame = test_stream_frame (&stream, TEST_FRAME_NOISE, random);
    gst_buffer_memset (frame, 0, 0xff, gst_buffer_get_size (frame));
    test_stream_push (&stream, frame, "white");
    test_stream_close (&stream);
  }
  g_rand_free (random);
}

TEST_MAIN (600)
