/* Frames with a GstVideoCropMeta in every format: the result is that of the rectangle. The reference reads
 * the samples of the whole frame, and the test chooses those of the rectangle.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"

typedef struct
{
  guint x, y, width, height;
} Rectangle;

/* No row of this width lacks a sample. */
#define FRAME_WIDTH 48
#define FRAME_HEIGHT 21

static const GstVideoFormatInfo *
info_of (GstVideoFormat format)
{
  return gst_video_format_get_info (format);
}

/* Sample (i, j) of a component of the rectangle is sample (x / w + i, y / h + j) of the frame. */
static void
check_component (const GstStructure * result, const GstVideoInfo * info,
    const guint8 * const data[4], const Rectangle * r, guint c)
{
  const GstVideoFormat format = GST_VIDEO_INFO_FORMAT (info);
  const gboolean is_palette = GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info->finfo);
  const guint left = r->x >> (is_palette ? 0 : info->finfo->w_sub[c]);
  const guint top = r->y >> (is_palette ? 0 : info->finfo->h_sub[c]);
  ReferenceStatistics expected;
  ReferenceShape whole, part;
  guint32 *samples, *chosen;
  gchar *label;

  fail_unless (reference_video_shape (format, info->width, info->height,
          &whole));
  fail_unless (reference_video_shape (format, r->width, r->height, &part));
  label = g_strdup_printf ("%s, %ux%u at %u,%u of %dx%d, %s",
      GST_VIDEO_INFO_NAME (info), r->width, r->height, r->x, r->y, info->width,
      info->height, part.names[c]);
  samples = g_new (guint32, (gsize) whole.widths[c] * whole.heights[c]);
  chosen = g_new (guint32, (gsize) part.widths[c] * part.heights[c] + 1);
  fail_unless (reference_video_samples (format, info->width, info->height,
          data, info->stride, c, samples));
  for (guint j = 0; j < part.heights[c]; j++)
    for (guint i = 0; i < part.widths[c]; i++)
      chosen[j * part.widths[c] + i] =
          samples[(top + j) * whole.widths[c] + left + i];
  reference_video_statistics (chosen,
      (gsize) part.widths[c] * part.heights[c], part.depths[c], 0, 0, 0,
      &expected);
  test_compare_component (test_component (result, part.names[c]), &expected,
      FALSE, label);
  reference_statistics_clear (&expected);
  g_free (samples);
  g_free (chosen);
  g_free (label);
}

static void
check_result (GstBuffer * buffer, const GstVideoInfo * info,
    const Rectangle * r)
{
  const GstStructure *result = test_result (buffer);
  const guint8 *data[4] = { NULL, };
  ReferenceShape shape;
  GstMapInfo map;

  fail_unless_equals_int (test_get_int (result, "width"), r->width);
  fail_unless_equals_int (test_get_int (result, "height"), r->height);
  fail_unless (gst_buffer_get_video_crop_meta (buffer) != NULL);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++)
    data[p] = map.data + info->offset[p];
  fail_unless (reference_video_shape (GST_VIDEO_INFO_FORMAT (info), r->width,
          r->height, &shape));
  for (guint c = 0; c < shape.n_components; c++)
    check_component (result, info, data, r, c);
  gst_buffer_unmap (buffer, &map);
}

/* @reach: how much the meta's rectangle is larger than @r */
static GstBuffer *
make_frame (const GstVideoInfo * info, gboolean with_meta, const Rectangle * r,
    guint reach, GRand * random)
{
  GstBuffer *buffer = test_random_frame (info, with_meta, random);
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

  crop->x = r->x;
  crop->y = r->y;
  crop->width = r->width + reach;
  crop->height = r->height + reach;
  return buffer;
}

static Rectangle
random_rectangle (GRand * random)
{
  Rectangle r;

  r.x = g_rand_int_range (random, 0, FRAME_WIDTH);
  r.y = g_rand_int_range (random, 0, FRAME_HEIGHT);
  r.width = g_rand_int_range (random, 1, FRAME_WIDTH - r.x + 1);
  r.height = g_rand_int_range (random, 1, FRAME_HEIGHT - r.y + 1);
  return r;
}

/* The caps have the size of the frame. Each buffer has another rectangle. */
static void
check_format (GstVideoFormat format, GRand * random)
{
  const gboolean is_tiled = GST_VIDEO_FORMAT_INFO_IS_TILED (info_of (format));
  GstHarness *harness = test_harness_new (NULL);
  GstVideoInfo packed, padded;

  gst_video_info_set_format (&packed, format, FRAME_WIDTH, FRAME_HEIGHT);
  padded = packed;
  if (!is_tiled)
    test_pad_strides (&padded, 5);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&packed));
  for (guint i = 0; i < 12; i++) {
    const GstVideoInfo *info = i % 2 == 0 ? &packed : &padded;
    Rectangle r = random_rectangle (random);
    GstBuffer *out;

    /* Newer tiles can only be cut off at the right and below. */
    if (is_tiled && format > GST_VIDEO_FORMAT_NV12_10BE_8L128)
      r.x = r.y = 0;
    if (i == 0)
      r = (Rectangle) { 0, 0, FRAME_WIDTH, FRAME_HEIGHT };
    out = gst_harness_push_and_pull (harness, make_frame (info, i % 2 == 1,
            &r, i == 0 ? 100 : 0, random));
    fail_unless (out != NULL);
    check_result (out, info, &r);
    gst_buffer_unref (out);
  }
  test_harness_free (harness);
}

TEST (test_every_format)
{
  test_each_video_format (check_format);
}

/* As decoders have it: the caps have the size of the rectangle, the video meta that of the frame. The
 * rectangle moves, and each picture has a previous one, also if those that are whole are held. The last buffer has no
 * crop meta. */
TEST (test_size_of_caps)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_UYVY,
    GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_RGB
  };
  GRand *random = test_random ();

  for (guint f = 0; f < 2 * G_N_ELEMENTS (formats); f++) {
    GstHarness *harness = test_harness_new (f % 2 == 0 ? "measures=motion" :
        "measures=motion hold-previous=true");
    GstVideoInfo frame, picture;

    gst_video_info_set_format (&frame, formats[f / 2], FRAME_WIDTH, FRAME_HEIGHT);
    gst_video_info_set_format (&picture, formats[f / 2], 20, 10);
    gst_harness_set_src_caps (harness, gst_video_info_to_caps (&picture));
    for (guint i = 0; i < 8; i++) {
      const Rectangle r = { 3 * i, i, 20, 10 };
      GstBuffer *out = gst_harness_push_and_pull (harness, make_frame (&frame,
              TRUE, &r, 0, random));

      fail_unless (out != NULL);
      check_result (out, &frame, &r);
      fail_unless_equals_int (gst_structure_has_field (test_result (out),
              "motion"), i > 0);
      gst_buffer_unref (out);
    }
    gst_harness_push (harness, test_random_buffer (picture.size, random));
    gst_buffer_unref (gst_harness_pull (harness));
    test_harness_free (harness);
  }
  g_rand_free (random);
}

static const GstStructure *
region_at (const GstStructure * result, guint index)
{
  return gst_value_get_structure (gst_value_array_get_value
      (gst_structure_get_value (result, "regions"), index));
}

/* Regions of the property are relative to the rectangle, those of metas to the frame. Without a crop meta
 * the frame is the picture again. */
TEST (test_regions)
{
  GstHarness *harness = test_gray_harness_new ("roi-meta=true "
      "regions=\"half=50%,0,50%,100%\"");

  for (guint n = 0; n < 6; n++) {
    const gboolean is_cropped = n % 2 == 0;
    GstBuffer *buffer = test_frame_new (n);
    const GstStructure *half, *roi;
    GstVideoCropMeta *crop;

    if (is_cropped) {
      crop = gst_buffer_add_video_crop_meta (buffer);
      crop->x = 5;
      crop->y = 2;
      crop->width = 8;
      crop->height = 4;
    }
    gst_buffer_add_video_region_of_interest_meta (buffer, "face", 4, 3, 6, 9);
    buffer = gst_harness_push_and_pull (harness, buffer);
    half = region_at (test_result (buffer), 0);
    roi = region_at (test_result (buffer), 1);
    fail_unless_equals_int (test_get_int (half, "x"), is_cropped ? 4 : 8);
    fail_unless_equals_int (test_get_int (half, "width"), is_cropped ? 4 : 8);
    fail_unless_equals_int (test_get_int (half, "height"), is_cropped ? 4 : 8);
    fail_unless_equals_int (test_get_int (roi, "x"), is_cropped ? 0 : 4);
    fail_unless_equals_int (test_get_int (roi, "y"), is_cropped ? 1 : 3);
    fail_unless_equals_int (test_get_int (roi, "width"), is_cropped ? 5 : 6);
    fail_unless_equals_int (test_get_int (roi, "height"), is_cropped ? 3 : 5);
    fail_unless_equals_uint64 (test_get_uint64 (test_component (test_result
                (buffer), "Y"), "count"), is_cropped ? 32 : GRAY_SIZE);
    gst_buffer_unref (buffer);
  }
  test_harness_free (harness);
}

/* While the result is waited for, the frame is written to by nobody else; afterwards it can be written to in
 * place. */
TEST (test_writable)
{
  static const gchar *const settings[] = {
    NULL, "meta=false post-messages=true max-in-flight=1"
  };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    GstHarness *harness = test_gray_harness_new (settings[i]);
    GstBuffer *buffer = test_frame_new (0);
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

    crop->x = crop->y = crop->width = crop->height = 1;
    buffer = gst_harness_push_and_pull (harness, buffer);
    if (i == 1)
      gst_message_unref (test_wait_message (harness, GST_MESSAGE_ELEMENT));
    fail_unless (gst_buffer_is_writable (buffer)
        && gst_buffer_is_all_memory_writable (buffer));
    gst_buffer_unref (buffer);
    test_harness_free (harness);
  }
}

static void
count_freed (gpointer n_freed)
{
  g_atomic_int_inc ((gint *) n_freed);
}

static GstBufferPool *
pool_new (guint size)
{
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, NULL, size, 0, 0);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  return pool;
}

/* @is_larger: the frame is larger than the caps say, and the rectangle as large; else the rectangle is smaller */
static GstBuffer *
acquire_frame (GstBufferPool *pool, gboolean is_larger, guint n, gint *n_freed)
{
  const GQuark quark = g_quark_from_static_string ("test-pool");
  GstVideoCropMeta *crop;
  GstBuffer *buffer;

  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer,
          NULL), GST_FLOW_OK);
  if (gst_mini_object_get_qdata (GST_MINI_OBJECT (buffer), quark) == NULL)
    gst_mini_object_set_qdata (GST_MINI_OBJECT (buffer), quark, n_freed,
        count_freed);
  gst_buffer_memset (buffer, 0, n, gst_buffer_get_size (buffer));
  GST_BUFFER_PTS (buffer) = n * GRAY_DURATION;
  if (is_larger)
    gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_FORMAT_GRAY8, 2 * GRAY_WIDTH, 2 * GRAY_HEIGHT);
  crop = gst_buffer_add_video_crop_meta (buffer);
  crop->x = crop->y = 1;
  crop->width = is_larger ? GRAY_WIDTH : 5;
  crop->height = is_larger ? GRAY_HEIGHT : 5;
  return buffer;
}

/* When a buffer is released by its last user, nothing holds its memory any more: its pool takes it back. */
TEST (test_pool)
{
  static const gchar *const settings[] = {
    NULL, "measures=motion hold-previous=true",
    "meta=false post-messages=true",
    "meta=false post-messages=true max-in-flight=1",
    "meta=false post-messages=true measures=motion hold-previous=true"
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (settings); i++) {
    const gboolean is_larger = i % 2;
    GstHarness *harness = test_gray_harness_new (settings[i / 2]);
    GstBufferPool *pool = pool_new (GRAY_SIZE * (is_larger ? 4 : 1));
    gint n_freed = 0;

    for (guint n = 0; n < 40; n++) {
      GstBuffer *buffer = acquire_frame (pool, is_larger, n, &n_freed);

      gst_buffer_unref (gst_harness_push_and_pull (harness, buffer));
      if (i / 2 >= 2)
        gst_message_unref (test_wait_message (harness, GST_MESSAGE_ELEMENT));
      fail_unless_equals_int (n_freed, 0);
    }
    test_harness_free (harness);
    fail_unless_equals_int (n_freed, 0);
    gst_buffer_pool_set_active (pool, FALSE);
    gst_object_unref (pool);
    fail_unless (n_freed > 0);
  }
}

TEST_MAIN (120)
