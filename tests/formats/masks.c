/* Masks: each video format under masks of files and of alpha, compared with the reference: odd and even sizes, interlaced
 * and progressive pictures, regions of settings and of metas.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "measured-stream.h"

/* The groups that a mask has a meaning for. */
#define GROUPS (REFERENCE_GROUP_SIGNAL | REFERENCE_GROUP_COLOR | REFERENCE_GROUP_HDR | REFERENCE_GROUP_GAMUT)

typedef struct
{
  gint width, height;
} Size;

/* A run has every so many formats, from a random one on; with CUDAHISTO_TEST_STEP=1 all. */
static guint
format_step (void)
{
  return test_backend_is_cuda () ? test_step () : (test_step () + 1) / 2;
}

static gboolean
has_alpha (GstVideoFormat format)
{
  return GST_VIDEO_FORMAT_INFO_HAS_ALPHA (gst_video_format_get_info (format)) && format != GST_VIDEO_FORMAT_RGB8P;
}

/* Two frames with each of some masks. */
static void
push_masked (TestStream * stream, GstVideoFormat format, guint first, guint n_masks, GRand * random)
{
  for (guint i = 0; i < n_masks; i++) {
    TestMask kind = TEST_MASK_NONE + (first + i) % TEST_N_MASKS;

    if (kind == TEST_MASK_ALPHA && !has_alpha (format))
      kind = TEST_MASK_SHAPES;
    test_stream_set_mask (stream, kind, random);
    for (guint k = 0; k < 2; k++)
      test_stream_push (stream, test_stream_frame (stream, TEST_FRAME_NOISE + k, random), "masked");
  }
  test_stream_set_mask (stream, TEST_MASK_NONE, random);
}

static void
check_formats (const Size * sizes, guint n_sizes, ReferenceGroups groups, gboolean has_regions)
{
  GRand *random = test_random ();
  GPtrArray *formats = test_format_names (GST_VIDEO_CAPS_MAKE (GST_VIDEO_FORMATS_ALL));
  const guint step = format_step ();
  guint n = g_rand_int_range (random, 0, 1000);

  for (guint i = n % step; i < formats->len; i += step) {
    const GstVideoFormat format = gst_video_format_from_string (formats->pdata[i]);
    TestStream stream;

    test_stream_open (&stream, groups, 0, has_regions, "");
    for (guint s = 0; s < n_sizes; s++, n++) {
      test_stream_set_format (&stream, format, sizes[s].width, sizes[s].height, n % TEST_N_COLORIMETRIES,
          n % 4 == 1 ? 5 : 0);
      push_masked (&stream, format, n, 2, random);
    }
    test_stream_close (&stream);
  }
  g_ptr_array_unref (formats);
  g_rand_free (random);
}

TEST (test_basic)
{
  static const Size sizes[] = { {33, 18}, {5, 7} };

  check_formats (sizes, G_N_ELEMENTS (sizes), 0, FALSE);
}

TEST (test_basic_in_regions)
{
  static const Size sizes[] = { {43, 27} };

  check_formats (sizes, G_N_ELEMENTS (sizes), 0, TRUE);
}

TEST (test_groups)
{
  static const Size sizes[] = { {33, 19}, {1, 1} };

  check_formats (sizes, G_N_ELEMENTS (sizes), GROUPS, FALSE);
}

TEST (test_groups_in_regions)
{
  static const Size sizes[] = { {43, 27} };

  check_formats (sizes, G_N_ELEMENTS (sizes), GROUPS, TRUE);
}

/* Formats with subsampled chroma or with alpha, with every mask and in every way in which rows belong together. */
TEST (test_chroma)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_Y41B, GST_VIDEO_FORMAT_YUV9, GST_VIDEO_FORMAT_IYU1,
    GST_VIDEO_FORMAT_A420, GST_VIDEO_FORMAT_A420_10LE, GST_VIDEO_FORMAT_A422_10LE, GST_VIDEO_FORMAT_P010_10LE,
    GST_VIDEO_FORMAT_AYUV64, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_AV12, GST_VIDEO_FORMAT_v210
  };
  GRand *random = test_random ();
  const guint step = MIN (format_step (), 6);

  for (guint i = g_rand_int_range (random, 0, step); i < G_N_ELEMENTS (formats); i += step) {
    TestStream stream;

    test_stream_open (&stream, GROUPS, 0, TRUE, "roi-meta=true");
    for (guint c = 0; c < 3; c++) {
      /* The colorimetry says how rows belong together. */
      test_stream_set_format (&stream, formats[i], 21, 13 + c, c + 3 * (i % 4), 0);
      push_masked (&stream, formats[i], TEST_MASK_NONE, TEST_N_MASKS, random);
    }
    test_stream_close (&stream);
  }
  g_rand_free (random);
}

/* Metas of a buffer, whose regions change from buffer to buffer. */
TEST (test_regions_of_interest)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_A420, GST_VIDEO_FORMAT_BGRx };
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    TestStream stream;

    test_stream_open (&stream, i == 0 ? 0 : GROUPS, 0, i == 1, "roi-meta=true");
    test_stream_set_format (&stream, formats[i], 37, 22, i, 0);
    test_stream_set_mask (&stream, i == 1 ? TEST_MASK_ALPHA : TEST_MASK_SHAPES, random);
    for (guint n = 0; n < 4; n++) {
      GstBuffer *buffer = test_stream_frame (&stream, TEST_FRAME_NOISE, random);

      for (guint k = 0; k < n; k++)
        gst_buffer_add_video_region_of_interest_meta (buffer, "roi", g_rand_int_range (random, 0, 40),
            g_rand_int_range (random, 0, 25), g_rand_int_range (random, 0, 30), g_rand_int_range (random, 0, 30));
      test_stream_push (&stream, buffer, "regions of interest");
    }
    test_stream_close (&stream);
  }
  g_rand_free (random);
}

/* Several shares on the CPU, several blocks on the device, and several frames at once. */
TEST (test_large)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_ARGB };
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    TestStream stream;

    test_stream_open (&stream, 0, 0, i == 1, "max-in-flight=3");
    test_stream_set_format (&stream, formats[i], 1201, 901, 1 + i, 0);
    test_stream_set_mask (&stream, i == 1 ? TEST_MASK_ALPHA : TEST_MASK_SHAPES, random);
    test_stream_push_at_once (&stream, 2, random);
    test_stream_close (&stream);
  }
  g_rand_free (random);
}

TEST_MAIN (300)
