/* Buffers for tests; see frames.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"

#include <glib/gstdio.h>

#include "compare.h"

/* ---- Random bytes -------------------------------------------------------------------------- */

GRand *
test_random (void)
{
  const gchar *given = g_getenv ("CUDAHISTO_TEST_SEED");
  guint32 seed = given != NULL ? g_ascii_strtoull (given, NULL, 0) :
      g_random_int ();

  g_print ("seed: CUDAHISTO_TEST_SEED=%u\n", seed);
  return g_rand_new_with_seed (seed);
}

void
test_fill_random (GRand * random, guint8 * data, gsize size)
{
  gsize i = 0;

  for (; i + 4 <= size; i += 4)
    GST_WRITE_UINT32_LE (data + i, g_rand_int (random));
  for (; i < size; i++)
    data[i] = g_rand_int (random);
}

void
test_fill_buffer (GstBuffer * buffer, GRand * random)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  test_fill_random (random, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

GstBuffer *
test_random_buffer (gsize size, GRand * random)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  test_fill_buffer (buffer, random);
  return buffer;
}

/* ---- Sound --------------------------------------------------------------------------------- */

void
test_write_float (const GstAudioFormatInfo * info, gdouble value, guint8 * p)
{
  gboolean big = GST_AUDIO_FORMAT_INFO_IS_BIG_ENDIAN (info);

  if (GST_AUDIO_FORMAT_INFO_WIDTH (info) == 32) {
    if (big)
      GST_WRITE_FLOAT_BE (p, value);
    else
      GST_WRITE_FLOAT_LE (p, value);
  } else if (big) {
    GST_WRITE_DOUBLE_BE (p, value);
  } else {
    GST_WRITE_DOUBLE_LE (p, value);
  }
}

/* ---- Small grey frames --------------------------------------------------------------------- */

/* How many memories of test_buffer_new() are allocated. */
static gint n_memories = 0;

static void
memory_is_freed (gpointer user_data, GstMiniObject * memory)
{
  g_atomic_int_add (&n_memories, -1);
}

GstBuffer *
test_buffer_new (gsize size, guint8 value, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    gst_mini_object_weak_ref (GST_MINI_OBJECT_CAST (gst_buffer_peek_memory
            (buffer, i)), memory_is_freed, NULL);
    g_atomic_int_inc (&n_memories);
  }
  gst_buffer_memset (buffer, 0, value, size);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = GRAY_DURATION;
  return buffer;
}

void
test_check_no_buffer_left (void)
{
  fail_unless_equals_int (g_atomic_int_get (&n_memories), 0);
}

GstBuffer *
test_frame_new (guint n)
{
  return test_buffer_new (GRAY_SIZE, n, n * GRAY_DURATION);
}

GstHarness *
test_gray_harness_new (const gchar * properties)
{
  GstHarness *harness = test_harness_new (properties);

  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  return harness;
}

gboolean
test_send_gray_caps (GstElement * element)
{
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  GstCaps *caps = gst_caps_from_string (GRAY_CAPS);
  gboolean accepted;

  gst_pad_send_event (pad, gst_event_new_stream_start ("gray"));
  accepted = gst_pad_send_event (pad, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  gst_object_unref (pad);
  return accepted;
}

void
test_push_frame (GstHarness * harness, guint n)
{
  fail_unless_equals_int (gst_harness_push (harness, test_frame_new (n)),
      GST_FLOW_OK);
}

void
test_check_frame (GstBuffer * buffer, guint value)
{
  const GstStructure *result = test_result (buffer);
  const GstStructure *y = test_component (result, "Y");

  fail_unless_equals_string (gst_structure_get_string (result, "format"),
      "GRAY8");
  fail_unless_equals_string (gst_structure_get_string (result, "backend"),
      test_backend ());
  fail_unless_equals_int (test_get_int (result, "width"), GRAY_WIDTH);
  fail_unless_equals_int (test_get_int (result, "height"), GRAY_HEIGHT);
  fail_unless_equals_uint64 (test_get_uint64 (y, "count"), GRAY_SIZE);
  fail_unless_equals_float (test_get_double (y, "min"), value);
  fail_unless_equals_float (test_get_double (y, "max"), value);
  fail_unless_equals_float (test_get_double (y, "mean"), value);
}

void
test_pull_frame (GstHarness * harness, guint n)
{
  GstBuffer *buffer = gst_harness_pull (harness);

  fail_unless (buffer != NULL, "frame %u did not arrive", n);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), n * GRAY_DURATION);
  test_check_frame (buffer, n % 256);
  gst_buffer_unref (buffer);
}

void
test_pull_frame_quickly (GstHarness * harness, guint n, gboolean has_result)
{
  GstBuffer *buffer = gst_harness_pull (harness);

  fail_unless (buffer != NULL, "frame %u did not arrive", n);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), n * GRAY_DURATION);
  fail_unless (test_has_result (buffer) == has_result);
  gst_buffer_unref (buffer);
}

void
test_drop_received (GstHarness * harness)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (harness)) != NULL)
    gst_buffer_unref (buffer);
}

void
test_check_flow_after_flush (GstHarness * harness, guint n)
{
  test_push_segment (harness);
  test_push_frame (harness, n);
  test_pull_frame (harness, n);
  fail_unless_equals_int (gst_harness_buffers_in_queue (harness), 0);
}

/* ---- Masks --------------------------------------------------------------------------------- */

gchar *
test_mask_file_new (guint width, guint height, const guint8 * pixels)
{
  gchar *name = NULL;
  const gint file = g_file_open_tmp ("mask-XXXXXX.pgm", &name, NULL);
  GString *text = g_string_new (NULL);

  fail_unless (file >= 0);
  g_close (file, NULL);
  /* GStreamer does not find out the type of very short files. */
  g_string_printf (text, "P5\n# a mask for the pictures of a test, of which some are very small\n%u %u\n255\n", width,
      height);
  g_string_append_len (text, (const gchar *) pixels, (gssize) width * height);
  fail_unless (g_file_set_contents (name, text->str, text->len, NULL));
  g_string_free (text, TRUE);
  return name;
}

void
test_mask_file_free (gchar * name)
{
  g_unlink (name);
  g_free (name);
}

/* ---- Formats ------------------------------------------------------------------------------- */

GPtrArray *
test_format_names (const gchar * caps_string)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  GstCaps *caps = gst_caps_from_string (caps_string);
  const GValue *list =
      gst_structure_get_value (gst_caps_get_structure (caps, 0), "format");

  for (guint i = 0; i < gst_value_list_get_size (list); i++)
    g_ptr_array_add (names,
        g_value_dup_string (gst_value_list_get_value (list, i)));
  gst_caps_unref (caps);
  return names;
}

void
test_each_video_format (void (*check) (GstVideoFormat format, GRand * random))
{
  GPtrArray *formats = test_format_names (GST_VIDEO_CAPS_MAKE
      (GST_VIDEO_FORMATS_ALL));
  const guint step = test_backend_is_cuda () ? test_step () : 1;
  GRand *random = test_random ();

  for (guint i = g_rand_int_range (random, 0, step); i < formats->len; i += step)
    check (gst_video_format_from_string (formats->pdata[i]), random);
  g_ptr_array_unref (formats);
  g_rand_free (random);
}

void
test_add_video_meta (GstBuffer * buffer, const GstVideoInfo * info)
{
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), info->width, info->height,
      GST_VIDEO_INFO_N_PLANES (info), (gsize *) info->offset,
      (gint *) info->stride);
}

GstBuffer *
test_random_frame (const GstVideoInfo * info, gboolean with_meta,
    GRand * random)
{
  GstBuffer *buffer = test_random_buffer (info->size, random);

  if (with_meta)
    test_add_video_meta (buffer, info);
  return buffer;
}

GstCaps *
test_nv12_caps (guint width, guint height)
{
  return gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, "NV12",
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
      GST_TYPE_FRACTION, 25, 1, NULL);
}

void
test_pad_strides (GstVideoInfo * info, gint padding)
{
  gsize offset = 0;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gsize next = p + 1 < GST_VIDEO_INFO_N_PLANES (info) ?
        info->offset[p + 1] : info->size;
    gsize rows = (next - info->offset[p]) / info->stride[p];
    gboolean is_palette = GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info->finfo)
        && p == 1;

    info->offset[p] = next;     /* the old offset, for the next plane */
    if (!is_palette)
      info->stride[p] += padding;
    info->offset[p] = offset;
    offset += rows * info->stride[p];
    if (p + 1 < GST_VIDEO_INFO_N_PLANES (info))
      continue;
    info->size = offset;
  }
}

/* ---- A video meta that groups by itself ------------------------------------------------------- */

static guint8 *own_pixels;

static gboolean
map_own_pixels (GstVideoMeta * meta, guint plane, GstMapInfo * info,
    gpointer * data, gint * stride, GstMapFlags flags)
{
  *data = own_pixels != NULL ? own_pixels + meta->offset[plane] : NULL;
  *stride = meta->stride[plane];
  info->flags = flags;
  return TRUE;
}

static gboolean
unmap_own_pixels (GstVideoMeta * meta, guint plane, GstMapInfo * info)
{
  return TRUE;
}

void
test_meta_map_own_pixels (GstVideoMeta * meta, guint8 * pixels)
{
  own_pixels = pixels;
  meta->map = map_own_pixels;
  meta->unmap = unmap_own_pixels;
}
