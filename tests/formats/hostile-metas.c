/* Video and audio metas whose strides, offsets and counts are at the edges of what fits, or far
 * beyond. Each gives one clear error or the right result, and no byte outside the buffer is read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"
#include "guarded.h"

#include <string.h>

__extension__ typedef __int128 Int128;

/* ---- Video: is a layout inside its buffer --------------------------------------------------- */

/* How a plane of the formats below is stored. Written for this test, independent of the plugin. */
typedef struct
{
  guint rows;
  guint row_bytes;
  guint tile_bytes;             /* 0: the plane has no tiles */
  gboolean is_unpacked;         /* GStreamer reads whole rows of the caps' stride */
} PlaneShape;

static PlaneShape
rows_shape (guint rows, guint row_bytes)
{
  return (PlaneShape) {.rows = rows,.row_bytes = row_bytes };
}

static PlaneShape
tiles_shape (guint tile_bytes)
{
  return (PlaneShape) {.tile_bytes = tile_bytes };
}

static PlaneShape
plane_shape (const GstVideoInfo * info, guint p)
{
  const guint width = info->width, height = info->height;
  PlaneShape shape;

  switch (GST_VIDEO_INFO_FORMAT (info)) {
    case GST_VIDEO_FORMAT_NV12:
      return p == 0 ? rows_shape (height, width) :
          rows_shape ((height + 1) / 2, (width + 1) / 2 * 2);
    case GST_VIDEO_FORMAT_RGBA:
      return rows_shape (height, 4 * width);
    case GST_VIDEO_FORMAT_GRAY16_LE:
      return rows_shape (height, 2 * width);
    case GST_VIDEO_FORMAT_RGB8P:
      shape = p == 0 ? rows_shape (height, info->stride[0]) :
          rows_shape (1, 256 * 4);
      shape.is_unpacked = p == 0;
      return shape;
    case GST_VIDEO_FORMAT_NV12_4L4:
      return tiles_shape (4 * 4);
    case GST_VIDEO_FORMAT_NV12_64Z32:
      return tiles_shape (64 * 32);
    default:
      fail_unless_equals_int (GST_VIDEO_INFO_FORMAT (info),
          GST_VIDEO_FORMAT_NV12_10BE_8L128);
      return tiles_shape (8 * 128);
  }
}

/* Bytes from the first to the last byte of the plane. */
static Int128
extent_of (const PlaneShape * shape, gint stride)
{
  return (Int128) ABS ((Int128) stride) * (shape->rows - 1) + shape->row_bytes;
}

/* Whether the plane is inside a buffer of this size. */
static gboolean
plane_is_inside (const GstVideoInfo * caps, guint p, gsize offset, gint stride,
    gsize size)
{
  const PlaneShape shape = plane_shape (caps, p);
  const gint x_tiles = stride & 0xffff, y_tiles = stride >> 16;
  Int128 first = offset, last;

  if (shape.tile_bytes > 0)
    return x_tiles >= (caps->stride[p] & 0xffff)
        && y_tiles >= caps->stride[p] >> 16
        && first + (Int128) x_tiles * y_tiles * shape.tile_bytes <= size;
  if (shape.is_unpacked && stride < caps->stride[p])
    return FALSE;
  if (stride < 0)
    first += (Int128) stride * (shape.rows - 1);
  last = first + extent_of (&shape, stride);
  return first >= 0 && last <= size;
}

static void
add_meta (GstBuffer * buffer, const GstVideoInfo * info)
{
  GstVideoMeta *meta = gst_buffer_add_video_meta_full (buffer, 0,
      GST_VIDEO_INFO_FORMAT (info), info->width, info->height,
      GST_VIDEO_INFO_N_PLANES (info), (gsize *) info->offset,
      (gint *) info->stride);

  memcpy (meta->offset, info->offset, sizeof meta->offset);
  memcpy (meta->stride, info->stride, sizeof meta->stride);
}

/* ---- Video: layouts ------------------------------------------------------------------------- */

/* A harness, which is replaced after an error, and the counts of the outcomes. */
typedef struct
{
  GstHarness *harness;
  GstVideoInfo caps;
  guint n_results, n_errors;
} Layouts;

static void
layouts_open (Layouts * layouts, GstVideoFormat format, gint width,
    gint height)
{
  memset (layouts, 0, sizeof *layouts);
  fail_unless (gst_video_info_set_format (&layouts->caps, format, width,
          height));
}

static void
layouts_close (Layouts * layouts)
{
  g_clear_pointer (&layouts->harness, test_harness_free);
}

static GstHarness *
layouts_harness (Layouts * layouts)
{
  if (layouts->harness == NULL) {
    layouts->harness = test_harness_new ("max-in-flight=1");
    gst_harness_set_src_caps (layouts->harness,
        gst_video_info_to_caps (&layouts->caps));
  }
  return layouts->harness;
}

static gchar *
describe (const GstVideoInfo * info)
{
  return g_strdup_printf ("%s %dx%d, offsets %" G_GSIZE_FORMAT " %"
      G_GSIZE_FORMAT ", strides %d %d, %" G_GSIZE_FORMAT " bytes",
      GST_VIDEO_INFO_NAME (info), info->width, info->height, info->offset[0],
      info->offset[1], info->stride[0], info->stride[1], info->size);
}

/* Measures a buffer of info->size bytes with this layout. @buffer: (transfer full) */
static void
check_layout (Layouts * layouts, const GstVideoInfo * info, GstBuffer * buffer)
{
  gchar *label = describe (info);
  gboolean is_inside = TRUE;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++)
    is_inside = is_inside && plane_is_inside (&layouts->caps, p,
        info->offset[p], info->stride[p], info->size);
  add_meta (buffer, info);
  if (is_inside) {
    buffer = gst_harness_push_and_pull (layouts_harness (layouts), buffer);
    fail_unless (buffer != NULL, "%s: no buffer", label);
    test_compare_video_buffer (buffer, info, 0, 0, 0);
    gst_buffer_unref (buffer);
    layouts->n_results++;
  } else {
    test_check_refused (layouts_harness (layouts), buffer, label);
    layouts_close (layouts);
    layouts->n_errors++;
  }
  g_free (label);
}

/* Offsets with which the plane begins or ends where the buffer does, or one byte outside, or so far
 * outside that sums overflow. Returns their number. */
static guint
hostile_offsets (const GstVideoInfo * info, guint p, gint stride,
    gsize * offsets)
{
  const PlaneShape shape = plane_shape (info, p);
  const gsize size = info->size;
  guint n = 0;
  gsize extent, first_row;

  if (shape.tile_bytes > 0) {
    extent = (gsize) (stride & 0xffff) * (stride >> 16) * shape.tile_bytes;
    first_row = 0;
  } else {
    extent = extent_of (&shape, stride);
    first_row = stride < 0 ? extent - shape.row_bytes : 0;
  }
  offsets[n++] = info->offset[p];
  offsets[n++] = first_row;
  offsets[n++] = first_row - 1;
  offsets[n++] = first_row + size - extent;
  offsets[n++] = first_row + size - extent + 1;
  offsets[n++] = size - 1;
  offsets[n++] = size;
  offsets[n++] = G_MAXUINT32;
  offsets[n++] = G_MAXSSIZE;
  offsets[n++] = (gsize) G_MAXSSIZE + 1;
  offsets[n++] = G_MAXSIZE;
  offsets[n++] = -extent;
  return n;
}

/* Strides near the usual one, and at the ends of the type. Returns their number. */
static guint
hostile_strides (const GstVideoInfo * info, guint p, gint * strides)
{
  const gint usual = info->stride[p];
  const PlaneShape shape = plane_shape (info, p);
  guint n = 0;

  strides[n++] = usual;
  strides[n++] = usual - 1;
  strides[n++] = usual + 1;
  strides[n++] = -usual;
  strides[n++] = 0;
  strides[n++] = -1;
  strides[n++] = G_MAXINT;
  strides[n++] = G_MININT;
  if (shape.tile_bytes > 0) {
    strides[n++] = usual + (1 << 16);
    strides[n++] = usual & 0xffff;
    strides[n++] = (usual & 0xffff) | (gint) 0xffff0000;
    strides[n++] = (gint) 0x80000000 | (usual & 0xffff);
    strides[n++] = (usual & ~0xffff) | 0xffff;
  } else {
    strides[n++] = shape.row_bytes;
    strides[n++] = -(gint) shape.row_bytes - 3;
    strides[n++] = 1;
    strides[n++] = 1 << 30;
  }
  return n;
}

static const struct
{
  GstVideoFormat format;
  gint width, height;
} hostile_frames[] = {
  {GST_VIDEO_FORMAT_NV12, 38, 9}, {GST_VIDEO_FORMAT_NV12, 5, 1},
  {GST_VIDEO_FORMAT_RGBA, 21, 7}, {GST_VIDEO_FORMAT_GRAY16_LE, 33, 4},
  {GST_VIDEO_FORMAT_RGB8P, 19, 6}, {GST_VIDEO_FORMAT_NV12_4L4, 22, 11},
  {GST_VIDEO_FORMAT_NV12_64Z32, 130, 70},
  {GST_VIDEO_FORMAT_NV12_10BE_8L128, 19, 130},
};

/* One plane has a hostile stride and offset. The buffer has room for more than the frame. */
TEST_LOOP (test_hostile_metas, 0, G_N_ELEMENTS (hostile_frames))
{
  const guint width = hostile_frames[__i__].width;
  const guint height = hostile_frames[__i__].height;
  GRand *random = test_random ();
  Layouts layouts;

  layouts_open (&layouts, hostile_frames[__i__].format, width, height);
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&layouts.caps); p++) {
    gint strides[20];
    const guint n_strides = hostile_strides (&layouts.caps, p, strides);

    for (guint s = 0; s < n_strides; s++) {
      GstVideoInfo info = layouts.caps;
      gsize offsets[20];
      guint n_offsets;

      info.size += g_rand_int_range (random, 0, info.size);
      n_offsets = hostile_offsets (&info, p, strides[s], offsets);
      for (guint o = 0; o < n_offsets; o++) {
        info.stride[p] = strides[s];
        info.offset[p] = offsets[o];
        check_layout (&layouts, &info, test_guarded_random_new (info.size,
                o % N_GUARDS, random));
      }
    }
  }
  g_print ("%s: %u results, %u errors\n", GST_VIDEO_INFO_NAME (&layouts.caps),
      layouts.n_results, layouts.n_errors);
  fail_unless (layouts.n_results > 0 && layouts.n_errors > 0);
  layouts_close (&layouts);
  g_rand_free (random);
}

static GstBuffer *
in_pieces (GstBuffer * whole, guint n_pieces)
{
  const gsize size = gst_buffer_get_size (whole);
  GstBuffer *pieces = gst_buffer_new ();

  for (guint i = 0; i < n_pieces; i++) {
    const gsize begin = size * i / n_pieces, end = size * (i + 1) / n_pieces;
    GstBuffer *piece = test_guarded_buffer_new (end - begin, i % N_GUARDS);
    GstMapInfo map;

    gst_buffer_map (piece, &map, GST_MAP_WRITE);
    gst_buffer_extract (whole, begin, map.data, end - begin);
    gst_buffer_unmap (piece, &map);
    pieces = gst_buffer_append (pieces, piece);
  }
  gst_buffer_unref (whole);
  return pieces;
}

/* The same with buffers of several memories, so that planes continue in the next memory. */
TEST_LOOP (test_hostile_metas_of_many_memories, 0,
    G_N_ELEMENTS (hostile_frames))
{
  GRand *random = test_random ();
  Layouts layouts;

  layouts_open (&layouts, hostile_frames[__i__].format,
      hostile_frames[__i__].width, hostile_frames[__i__].height);
  for (guint n = 0; n < 60; n++) {
    const guint p = g_rand_int_range (random, 0,
        GST_VIDEO_INFO_N_PLANES (&layouts.caps));
    GstVideoInfo info = layouts.caps;
    gsize offsets[20];
    gint strides[20];

    info.size += g_rand_int_range (random, 0, info.size);
    info.stride[p] = strides[g_rand_int_range (random, 0,
            hostile_strides (&layouts.caps, p, strides))];
    info.offset[p] = offsets[g_rand_int_range (random, 0,
            hostile_offsets (&layouts.caps, p, info.stride[p], offsets))];
    check_layout (&layouts, &info, in_pieces (test_guarded_random_new (info.size,
                GUARD_AFTER, random), g_rand_int_range (random, 2, 5)));
  }
  layouts_close (&layouts);
  g_rand_free (random);
}

/* The frame has so many tiles that their number is negative in 16 bits. So is the number in the
 * meta. */
TEST (test_negative_tile_counts)
{
  const gint stride = (gint) 0xffff0010;
  GstHarness *harness = test_harness_new (NULL);
  GstVideoInfo info;
  GstBuffer *buffer;

  fail_unless (gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12_4L4, 64,
          393216));
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  buffer = test_guarded_buffer_new (info.size, GUARD_AFTER);
  info.stride[0] = info.stride[1] = stride;
  add_meta (buffer, &info);
  test_check_refused (harness, buffer, "NV12_4L4 64x393216");
  test_harness_free (harness);
}

/* GStreamer's unpack function computes the offset of the third row as an int, which overflows,
 * although the buffer has the third row. */
TEST (test_rows_too_far_apart)
{
  GstHarness *harness = test_harness_new (NULL);
  GstVideoInfo info;
  GstBuffer *buffer;

  fail_unless (gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB8P, 16,
          3));
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  info.size += 2 * (gsize) G_MAXINT;
  info.stride[0] = G_MAXINT;
  buffer = test_guarded_buffer_new (info.size, GUARD_BEFORE);
  info.offset[1] = 16;
  add_meta (buffer, &info);
  test_check_refused (harness, buffer, "RGB8P 16x3");
  test_harness_free (harness);
}

/* ---- Audio ---------------------------------------------------------------------------------- */

/* The samples of all channels, one channel after the other, from the places that the meta names. */
static guint8 *
copy_channels (GstBuffer * buffer, const GstAudioMeta * meta, gsize bytes)
{
  const guint channels = GST_AUDIO_INFO_CHANNELS (&meta->info);
  guint8 *copy = g_malloc (channels * meta->samples * bytes + 1);

  for (guint c = 0; c < channels; c++)
    gst_buffer_extract (buffer, meta->offsets[c],
        copy + c * meta->samples * bytes, meta->samples * bytes);
  return copy;
}

static gboolean
channels_are_inside (const GstAudioMeta * meta, gsize bytes, gsize size)
{
  for (gint c = 0; c < GST_AUDIO_INFO_CHANNELS (&meta->info); c++) {
    if (meta->samples > 0 && (Int128) meta->offsets[c] +
        (Int128) meta->samples * bytes > size)
      return FALSE;
  }
  return TRUE;
}

static void
check_channels (const GstAudioInfo * info, GstBuffer * buffer)
{
  const GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);
  const gsize size = gst_buffer_get_size (buffer);
  const gsize bytes = GST_AUDIO_INFO_WIDTH (info) / 8;
  GstHarness *harness = test_harness_new (NULL);
  gchar *label = g_strdup_printf ("%" G_GSIZE_FORMAT " samples at %"
      G_GSIZE_FORMAT ", %" G_GSIZE_FORMAT ", of %" G_GSIZE_FORMAT " bytes",
      meta->samples, meta->offsets[0], meta->offsets[1], size);

  gst_harness_set_src_caps (harness, gst_audio_info_to_caps (info));
  if (channels_are_inside (meta, bytes, size)) {
    guint8 *copy = copy_channels (buffer, meta, bytes);
    const gsize samples = meta->samples;

    buffer = gst_harness_push_and_pull (harness, buffer);
    fail_unless (buffer != NULL, "%s: no buffer", label);
    test_compare_audio (test_result (buffer), info, copy, samples, 0, 0, 0);
    gst_buffer_unref (buffer);
    g_free (copy);
  } else {
    test_check_refused (harness, buffer, label);
  }
  test_harness_free (harness);
  g_free (label);
}

/* Channels that overlap, that are in reverse order, that end where the buffer ends, or that leave
 * it. */
TEST (test_hostile_audio_metas)
{
  const gsize n = 40, bytes = 3, size = 300;
  const gsize hostile[][3] = {
    {n, 0, n * bytes}, {n, n * bytes, 0}, {n, 5, 5}, {n, 7, 8},
    {n, size - n * bytes, 0}, {n, 0, size - n * bytes},
    {n, size - n * bytes + 1, 0}, {n, 0, size - n * bytes + 1},
    {0, 0, 0}, {0, G_MAXSIZE, size + 1}, {1, 0, size - bytes},
    {1, 0, size - bytes + 1}, {1, 0, G_MAXSIZE}, {1, 0, G_MAXSIZE - bytes},
    {1, 0, G_MAXSIZE - bytes + 1}, {size / bytes, 0, 0},
    {size / bytes + 1, 0, 0}, {G_MAXUINT32, 0, 0},
    {(gsize) G_MAXUINT32 + 1, 0, 0}, {G_MAXSIZE / bytes, 0, 0},
    {G_MAXSIZE / bytes + 2, 0, 0}, {G_MAXSIZE, 0, 0}, {n, (gsize) G_MAXSSIZE + 1, 0},
    {n, 0, -(n * bytes)},
  };
  GRand *random = test_random ();
  GstAudioInfo info;

  gst_audio_info_set_format (&info, GST_AUDIO_FORMAT_S24LE, 48000, 2, NULL);
  info.layout = GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  for (guint i = 0; i < G_N_ELEMENTS (hostile) * N_GUARDS; i++) {
    const gsize *numbers = hostile[i / N_GUARDS];
    GstBuffer *buffer = test_guarded_random_new (size, i % N_GUARDS, random);
    GstAudioMeta *meta = gst_buffer_add_audio_meta (buffer, &info, n, NULL);

    meta->samples = numbers[0];
    meta->offsets[0] = numbers[1];
    meta->offsets[1] = numbers[2];
    check_channels (&info, buffer);
  }
  g_rand_free (random);
}

TEST_MAIN (120)
