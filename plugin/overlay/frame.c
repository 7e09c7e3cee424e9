/* Maps frames to draw into them. gst_video_frame_map() takes any offset and stride from a video meta:
 * here the memory must hold all pixels, and they must be aligned.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/frame.h"

/* For other metas gst_video_frame_map() posts a critical warning. */
static gboolean
agrees_with_caps (const GstVideoMeta * meta, const GstVideoInfo * info)
{
  return meta->format == GST_VIDEO_INFO_FORMAT (info)
      && meta->n_planes == GST_VIDEO_INFO_N_PLANES (info)
      && meta->width >= (guint) GST_VIDEO_INFO_WIDTH (info)
      && meta->height >= (guint) GST_VIDEO_INFO_HEIGHT (info);
}

typedef struct
{
  guint64 n;
  guint64 bytes;                /* of the pixels of a row */
  guint alignment;              /* of each row, in bytes */
} Rows;

/* The rows of plane @p. GStreamer blends with vector instructions, which crash if a word is not
 * aligned. Where a pixel is no whole number of bytes, a row is as in frames without a meta. */
static Rows
find_rows (const GstVideoInfo * info, guint p)
{
  const GstVideoFormatInfo *format = info->finfo;
  gboolean is_whole = TRUE;
  Rows rows = { 0, 0, 1 };

  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); c++) {
    const gint bytes = GST_VIDEO_FORMAT_INFO_PSTRIDE (format, c);

    if (GST_VIDEO_FORMAT_INFO_PLANE (format, c) != p)
      continue;
    /* A buffer of alternating fields holds one field. */
    rows.n = MAX (rows.n, (guint64) GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (format,
            c, GST_VIDEO_INFO_FIELD_HEIGHT (info)));
    rows.bytes = MAX (rows.bytes, (guint64) MAX (bytes, 0) *
        GST_VIDEO_FORMAT_INFO_SCALE_WIDTH (format, c,
            GST_VIDEO_INFO_WIDTH (info)));
    /* The greatest power of two that divides it. */
    rows.alignment = MAX (rows.alignment, (guint) (bytes & -bytes));
    is_whole &= bytes > 0;
  }
  if (!is_whole) {
    rows.bytes = GST_VIDEO_INFO_PLANE_STRIDE (info, p);
    rows.alignment = 4;
  }
  return rows;
}

/* Whether the memory of plane @p holds @before bytes before, and @after bytes from, its data. */
static gboolean
holds (const GstVideoFrame * frame, guint p, guint64 before, guint64 after)
{
  const GstMapInfo *map = &frame->map[frame->meta != NULL ? p : 0];
  /* Huge if the plane begins before the memory. */
  const guint64 offset = (guintptr) frame->data[p] - (guintptr) map->data;

  /* A function of the meta's own may not say how much it has mapped. */
  if (map->memory == NULL && frame->data[p] != NULL)
    return TRUE;
  return offset <= map->size && before <= offset
      && after <= map->size - offset;
}

static gboolean
holds_rows (const GstVideoFrame * frame, const GstVideoInfo * info, guint p)
{
  const gint64 stride = frame->info.stride[p];
  const Rows rows = find_rows (info, p);
  guint64 others;

  if (rows.n == 0)
    return TRUE;
  if (((guintptr) frame->data[p] | (guint64) stride) % rows.alignment != 0)
    return FALSE;
  /* A stride and a number of rows have 31 bits: the product fits. */
  others = ABS (stride) * (rows.n - 1);
  /* GStreamer computes offsets in a plane as int. With a negative stride the other rows lie before
   * row 0. */
  return others + rows.bytes <= G_MAXINT32 && holds (frame, p,
      stride < 0 ? others : 0,
      stride < 0 ? rows.bytes : others + rows.bytes);
}

/* The strides of tiled planes are no distances, and palettes have no rows: these planes must lie as in
 * frames without a meta. */
static gboolean
holds_tiles (const GstVideoFrame * frame, const GstVideoInfo * info, guint p)
{
  gsize end = GST_VIDEO_INFO_SIZE (info);

  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++) {
    if (GST_VIDEO_INFO_PLANE_OFFSET (info, i) >
        GST_VIDEO_INFO_PLANE_OFFSET (info, p))
      end = MIN (end, GST_VIDEO_INFO_PLANE_OFFSET (info, i));
  }
  return frame->info.stride[p] == GST_VIDEO_INFO_PLANE_STRIDE (info, p)
      && holds (frame, p, 0, end - GST_VIDEO_INFO_PLANE_OFFSET (info, p));
}

static gboolean
holds_picture (const GstVideoFrame * frame, const GstVideoInfo * info)
{
  const gboolean has_rows = !GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo)
      && !GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info->finfo);

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    if (!(has_rows ? holds_rows (frame, info, p)
            : holds_tiles (frame, info, p)))
      return FALSE;
  }
  return TRUE;
}

/**
 * histo_overlay_map_frame:
 * @frame: (out): mapped for reading and writing, to be unmapped with gst_video_frame_unmap()
 * @info: of the caps
 * @buffer: writable
 *
 * Returns: FALSE if the buffer cannot be mapped, or does not hold the picture that its caps and its
 *   video meta describe, or its rows are not aligned to words
 */
gboolean
histo_overlay_map_frame (GstVideoFrame * frame, const GstVideoInfo * info,
    GstBuffer * buffer)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  memset (frame, 0, sizeof *frame);
  if ((meta != NULL && !agrees_with_caps (meta, info))
      || !gst_video_frame_map (frame, info, buffer, GST_MAP_READWRITE))
    return FALSE;
  if (holds_picture (frame, info))
    return TRUE;
  gst_video_frame_unmap (frame);
  return FALSE;
}
