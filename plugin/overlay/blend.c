/* Blends an overlay into a frame; see blend.h.
 *
 * gst_video_overlay_composition_blend() gives the same pixels, but converts each row of a rectangle
 * over the whole width of the frame. Here a rectangle is blended into a view: a frame that begins
 * and ends near the rectangle.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/blend.h"

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

/* Bytes from one pixel of a component to the next pixel of the picture, for ALIGNMENT pixels. */
static gint
find_step (const GstVideoFormatInfo * info, guint c)
{
  return (ALIGNMENT >> GST_VIDEO_FORMAT_INFO_W_SUB (info, c))
      * GST_VIDEO_FORMAT_INFO_PSTRIDE (info, c);
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
    const gint step = find_step (info, c);

    if (steps[plane] != 0 && steps[plane] != step)
      return FALSE;
    steps[plane] = step;
  }
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (view); plane++)
    view->data[plane] = (guint8 *) view->data[plane] + (gsize) n *
        steps[plane];
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
