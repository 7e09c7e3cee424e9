/* Stills; see still.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/still.h"

#include <string.h>
#include <zlib.h>

#define CHANNELS 3

/**
 * report_still_new:
 * @most: columns and rows of the still: larger pictures are made smaller
 *
 * Returns: (nullable): NULL if the frame cannot be converted
 */
ReportStill *
report_still_new (GstBuffer * buffer, GstCaps * caps, guint most)
{
  GstVideoInfo from, to;
  GstVideoFrame source, target;
  GstVideoConverter *converter;
  GstBuffer *converted;
  ReportStill *still;
  guint width, height;

  /* The converter takes no single fields. */
  if (!gst_video_info_from_caps (&from, caps) || from.interlace_mode == GST_VIDEO_INTERLACE_MODE_ALTERNATE)
    return NULL;
  width = GST_VIDEO_INFO_WIDTH (&from);
  height = GST_VIDEO_INFO_HEIGHT (&from);
  if (MAX (width, height) > most) {
    const guint longer = MAX (width, height);

    width = MAX (width * most / longer, 1);
    height = MAX (height * most / longer, 1);
  }
  gst_video_info_set_interlaced_format (&to, GST_VIDEO_FORMAT_RGB, from.interlace_mode, width, height);
  /* The converter wants the same. */
  to.fps_n = from.fps_n;
  to.fps_d = from.fps_d;
  converter = gst_video_converter_new (&from, &to, NULL);
  if (converter == NULL)
    return NULL;
  if (!gst_video_frame_map (&source, &from, buffer, GST_MAP_READ)) {
    gst_video_converter_free (converter);
    return NULL;
  }
  converted = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&to), NULL);
  gst_video_frame_map (&target, &to, converted, GST_MAP_WRITE);
  gst_video_converter_frame (converter, &source, &target);
  still = g_new (ReportStill, 1);
  *still = (ReportStill) { width, height, g_malloc ((gsize) width * height * CHANNELS) };
  for (guint y = 0; y < height; y++)
    memcpy (still->pixels + (gsize) y * width * CHANNELS, (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&target, 0)
        + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (&target, 0), width * CHANNELS);
  gst_video_frame_unmap (&target);
  gst_video_frame_unmap (&source);
  gst_buffer_unref (converted);
  gst_video_converter_free (converter);
  return still;
}

/**
 * report_still_new_difference:
 * @a, @b: of one size
 * @factor: (out): by which the absolute differences are multiplied, so that the largest one is bright
 */
ReportStill *
report_still_new_difference (const ReportStill * a, const ReportStill * b, guint * factor)
{
  const gsize n = (gsize) a->width * a->height * CHANNELS;
  ReportStill *still = g_new (ReportStill, 1);
  guint most = 1;

  *still = (ReportStill) { a->width, a->height, g_malloc (n) };
  for (gsize i = 0; i < n; i++) {
    still->pixels[i] = (guint8) ABS (a->pixels[i] - b->pixels[i]);
    most = MAX (most, still->pixels[i]);
  }
  *factor = MAX (255 / most, 1);
  for (gsize i = 0; i < n; i++)
    still->pixels[i] = (guint8) (still->pixels[i] * *factor);
  return still;
}

static void
append_chunk (GByteArray * png, const gchar * type, const guint8 * data, guint n)
{
  const guint32 length = GUINT32_TO_BE (n);
  guint32 sum;
  const guint begin = png->len + sizeof length;

  g_byte_array_append (png, (const guint8 *) &length, sizeof length);
  g_byte_array_append (png, (const guint8 *) type, 4);
  g_byte_array_append (png, data, n);
  sum = GUINT32_TO_BE ((guint32) crc32 (0, png->data + begin, n + 4));
  g_byte_array_append (png, (const guint8 *) &sum, sizeof sum);
}

/* Returns: (transfer full): PNG */
GBytes *
report_still_encode (const ReportStill * still)
{
  static const guint8 signature[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
  const guint row = still->width * CHANNELS;
  const guint32 size[2] = { GUINT32_TO_BE (still->width), GUINT32_TO_BE (still->height) };
  guint8 header[13] = { 0, };
  g_autofree guint8 *raw = g_malloc0 ((gsize) (row + 1) * still->height);
  uLongf n = compressBound ((uLong) (row + 1) * still->height);
  g_autofree guint8 *packed = g_malloc (n);
  GByteArray *png = g_byte_array_new ();

  /* Each row is the difference from the row above: filter 2. */
  for (guint y = 0; y < still->height; y++) {
    const guint8 *pixels = still->pixels + (gsize) y * row;
    guint8 *to = raw + (gsize) y * (row + 1);

    to[0] = y > 0 ? 2 : 0;
    for (guint i = 0; i < row; i++)
      to[1 + i] = (guint8) (pixels[i] - (y > 0 ? pixels[(gssize) i - (gssize) row] : 0));
  }
  compress2 (packed, &n, raw, (uLong) (row + 1) * still->height, 6);
  memcpy (header, size, sizeof size);
  header[8] = 8;                /* bits */
  header[9] = 2;                /* RGB */
  g_byte_array_append (png, signature, sizeof signature);
  append_chunk (png, "IHDR", header, sizeof header);
  append_chunk (png, "IDAT", packed, (guint) n);
  append_chunk (png, "IEND", NULL, 0);
  return g_byte_array_free_to_bytes (png);
}

void
report_still_free (ReportStill * still)
{
  g_free (still->pixels);
  g_free (still);
}
