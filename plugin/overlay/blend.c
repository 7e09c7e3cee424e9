/* Maps frames, and blends an overlay into them; see blend.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/blend.h"

/* ---- Mapping ----------------------------------------------------------------------- */

/* gst_video_frame_map() takes any offset and stride from a video meta. These functions also check
 * that the memory holds all pixels, and that the pixels are aligned. */

#define PALETTE_BYTES (256 * 4)
/* Tiles are counted with 15 and 16 bits: smaller frames have fewer. */
#define MOST_TILED_SIZE 32768

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
  guint alignment;              /* of each row, in bytes; a power of two */
} Rows;

/* The bytes of a row of plane @p in formats whose pixels are no whole numbers of bytes. GStreamer reads
 * and writes rows of these formats in groups, of which the last one may exceed the row of a frame
 * without a meta. */
static guint64
find_bytes_of_groups (const GstVideoInfo * info, guint p)
{
  const guint64 width = GST_VIDEO_INFO_WIDTH (info);

  switch (GST_VIDEO_INFO_FORMAT (info)) {
    case GST_VIDEO_FORMAT_UYVP:
      return (width + 1) / 2 * 5;
    case GST_VIDEO_FORMAT_NV12_10LE32:
    case GST_VIDEO_FORMAT_NV16_10LE32:
      if (p == 1)
        return (width + 5) / 6 * 8;
      break;
    default:
      break;
  }
  return GST_VIDEO_INFO_PLANE_STRIDE (info, p);
}

/* The rows of plane @p. GStreamer blends packed pixels with vector instructions, which crash if a pixel is
 * not aligned. */
static Rows
find_rows (const GstVideoInfo * info, guint p)
{
  const GstVideoFormatInfo *format = info->finfo;
  guint n_components = 0;
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
    n_components++;
  }
  if (!is_whole)
    rows.bytes = find_bytes_of_groups (info, p);
  if (!is_whole || n_components < 3)
    rows.alignment = 1;
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
  if (map->memory == NULL && map->data == NULL && frame->data[p] != NULL)
    return TRUE;
  return offset <= map->size && before <= offset && after <= map->size - offset;
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

/* In some odd widths the tiles of NV12_10BE_8L128 lack bits of the last V, and GStreamer reads and writes
 * after their end. */
static gboolean
holds_last_chroma (const GstVideoInfo * info, guint p, guint x_tiles)
{
  const guint64 samples = GST_ROUND_UP_2 ((guint64) info->width);

  return GST_VIDEO_INFO_FORMAT (info) != GST_VIDEO_FORMAT_NV12_10BE_8L128
      || p == 0 || x_tiles * 64 >= samples * 10;
}

/* The stride of a tiled plane is two numbers of tiles: side by side, and one below the other. */
static gboolean
holds_tiles (const GstVideoFrame * frame, const GstVideoInfo * info, guint p)
{
  const gint least = GST_VIDEO_INFO_PLANE_STRIDE (info, p);
  const gint stride = frame->info.stride[p];
  const gint x_tiles = GST_VIDEO_TILE_X_TILES (stride);
  const gint y_tiles = GST_VIDEO_TILE_Y_TILES (stride);
  const guint64 bytes = (guint64) MAX (x_tiles, 0) * MAX (y_tiles, 0) *
      GST_VIDEO_FORMAT_INFO_TILE_SIZE (info->finfo, p);

  return MAX (info->width, info->height) <= MOST_TILED_SIZE
      && x_tiles >= GST_VIDEO_TILE_X_TILES (least)
      && y_tiles >= GST_VIDEO_TILE_Y_TILES (least)
      && holds_last_chroma (info, p, x_tiles)
      && bytes <= G_MAXINT32 && holds (frame, p, 0, bytes);
}

static gboolean
holds_plane (const GstVideoFrame * frame, const GstVideoInfo * info, guint p)
{
  if (GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo))
    return holds_tiles (frame, info, p);
  if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info->finfo) && p == 1)
    return holds (frame, p, 0, PALETTE_BYTES);
  return holds_rows (frame, info, p);
}

/**
 * histo_overlay_map_frame:
 * @frame: (out): mapped for reading and writing, to be unmapped with gst_video_frame_unmap()
 * @info: of the caps
 * @buffer: writable
 *
 * Returns: FALSE if the buffer cannot be mapped, or does not hold the picture that its caps and its
 *   video meta describe, or its pixels are not aligned
 */
gboolean
histo_overlay_map_frame (GstVideoFrame * frame, const GstVideoInfo * info,
    GstBuffer * buffer)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  guint p = 0;

  memset (frame, 0, sizeof *frame);
  if ((meta != NULL && !agrees_with_caps (meta, info))
      || !gst_video_frame_map (frame, info, buffer, GST_MAP_READWRITE))
    return FALSE;
  /* GStreamer has set those of the meta, which may be larger. */
  frame->info.width = info->width;
  frame->info.height = info->height;
  while (p < GST_VIDEO_INFO_N_PLANES (info) && holds_plane (frame, info, p))
    p++;
  if (p == GST_VIDEO_INFO_N_PLANES (info))
    return TRUE;
  gst_video_frame_unmap (frame);
  return FALSE;
}

/* ---- Blending ---------------------------------------------------------------------- */

/* gst_video_overlay_composition_blend() gives the same pixels, but converts each row of a rectangle
 * over the whole width of the frame. Here a rectangle is blended into a view: a frame that begins
 * and ends near the rectangle. */

/* Views begin and end at multiples of so many pixels, or at the frame's edge: a multiple of every
 * subsampling, so that a sample of chroma lies in one view. */
#define ALIGNMENT 8

/* Whether all components of a format begin at whole bytes for pixels at multiples of ALIGNMENT. */
static gboolean
can_have_views (const GstVideoFormatInfo * info)
{
  if (GST_VIDEO_FORMAT_INFO_IS_COMPLEX (info)
      || GST_VIDEO_FORMAT_INFO_IS_TILED (info)
      || GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info))
    return FALSE;
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info); c++) {
    if (GST_VIDEO_FORMAT_INFO_PSTRIDE (info, c) <= 0
        || GST_VIDEO_FORMAT_INFO_W_SUB (info, c) > 3)
      return FALSE;
  }
  return TRUE;
}

/* Moves the begin of all planes of a frame by @n times ALIGNMENT pixels.
 * Returns: FALSE if the components of a plane do not agree */
static gboolean
move_planes (GstVideoFrame * view, guint n)
{
  const GstVideoFormatInfo *info = view->info.finfo;
  gint steps[GST_VIDEO_MAX_PLANES] = { 0 };

  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info); c++) {
    const guint plane = GST_VIDEO_FORMAT_INFO_PLANE (info, c);
    /* Bytes of ALIGNMENT pixels of the picture. */
    const gint step = (ALIGNMENT >> GST_VIDEO_FORMAT_INFO_W_SUB (info, c)) * GST_VIDEO_FORMAT_INFO_PSTRIDE (info, c);

    if (steps[plane] != 0 && steps[plane] != step)
      return FALSE;
    steps[plane] = step;
  }
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (view); plane++)
    view->data[plane] = (guint8 *) view->data[plane] + (gsize) n * steps[plane];
  return TRUE;
}

/* @view: (out): shares the pixels of @frame
 * Returns: where the view begins, in pixels from the left */
static gint
make_view (GstVideoFrame * view, const GstVideoFrame * frame, gint x,
    gint width)
{
  const gint begin = MAX (x, 0) / ALIGNMENT;
  const gint end = (x + width + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

  *view = *frame;
  if (x >= GST_VIDEO_FRAME_WIDTH (frame) || end <= 0
      || !can_have_views (frame->info.finfo) || !move_planes (view, begin)) {
    *view = *frame;
    return 0;
  }
  view->info.width = MIN (end, GST_VIDEO_FRAME_WIDTH (frame))
      - begin * ALIGNMENT;
  return begin * ALIGNMENT;
}

static gboolean
blend_rectangle (GstVideoOverlayRectangle * rectangle,
    const GstVideoFrame * frame)
{
  GstVideoFrame view, source;
  GstVideoInfo info;
  gint x, y, begin;
  guint width, height;
  gboolean ok;

  gst_video_overlay_rectangle_get_render_rectangle (rectangle, &x, &y, &width,
      &height);
  gst_video_info_set_format (&info, GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB,
      width, height);
  info.flags |= GST_VIDEO_FLAG_PREMULTIPLIED_ALPHA;
  if (!gst_video_frame_map (&source, &info,
          gst_video_overlay_rectangle_get_pixels_unscaled_raw (rectangle,
              GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA),
          GST_MAP_READ))
    return FALSE;
  begin = make_view (&view, frame, x, width);
  ok = gst_video_blend (&view, &source, x - begin, y, 1);
  gst_video_frame_unmap (&source);
  return ok;
}

/**
 * histo_blend:
 * @composition: of this overlay: its rectangles have premultiplied alpha, and are not scaled
 * @frame: (inout): mapped for reading and writing
 *
 * Returns: FALSE if pixels of this format cannot be blended
 */
gboolean
histo_blend (GstVideoOverlayComposition * composition, GstVideoFrame * frame)
{
  const guint n = gst_video_overlay_composition_n_rectangles (composition);
  GstVideoFrame picture = *frame;
  gboolean ok = TRUE;

  /* A buffer with one field has half of the rows. */
  if (GST_VIDEO_INFO_INTERLACE_MODE (&frame->info)
      == GST_VIDEO_INTERLACE_MODE_ALTERNATE)
    picture.info.height = GST_VIDEO_INFO_FIELD_HEIGHT (&frame->info);
  for (guint i = 0; ok && i < n; i++)
    ok = blend_rectangle (gst_video_overlay_composition_get_rectangle
        (composition, i), &picture);
  return ok;
}
