/* How much memory GStreamer's unpack functions read: whole rows, whole tiles, and the whole
 * palette.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/unpack-source.h"

#define PALETTE_BYTES (256 * 4)

/* The first component with samples in plane @p. */
static guint
first_component (const GstVideoFormatInfo * info, guint p)
{
  for (guint c = 0; c < info->n_components; c++) {
    if (info->plane[c] == p)
      return c;
  }
  return 0;
}

static guint64
component_width (const GstVideoInfo * video, guint c)
{
  return GST_VIDEO_FORMAT_INFO_SCALE_WIDTH (video->finfo, c,
      GST_VIDEO_INFO_WIDTH (video));
}

/* A buffer of alternating fields holds one field. */
static guint64
component_height (const GstVideoInfo * video, guint c)
{
  return GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (video->finfo, c,
      GST_VIDEO_INFO_FIELD_HEIGHT (video));
}

/* Whether @x_tiles tiles side by side and @y_tiles tiles one below the other cover the picture
 * of plane @p. */
static gboolean
tiles_cover (const GstVideoInfo * video, guint p, guint64 x_tiles,
    guint64 y_tiles)
{
  const GstVideoFormatInfo *info = video->finfo;
  const guint c = first_component (info, p);
  const guint tile_width = GST_VIDEO_FORMAT_INFO_TILE_WIDTH (info, p);

  if (y_tiles * GST_VIDEO_FORMAT_INFO_TILE_HEIGHT (info, p) <
      component_height (video, c))
    return FALSE;
  if (tile_width > 0)
    return x_tiles * tile_width >= component_width (video, c);
  /* A row of a tile is not a whole number of samples: only its bytes are known. */
  return x_tiles * GST_VIDEO_FORMAT_INFO_TILE_STRIDE (info, p) * 8 >=
      component_width (video, c) * info->depth[c];
}

/* The stride of a tiled plane is no distance in bytes. Its lower 16 bits are the number of tiles
 * side by side; its upper 16 bits, a signed number, are those one below the other.
 *
 * Returns: 0 if there are fewer tiles than the caps have, or too few for the picture */
static guint64
tiled_plane_bytes (const GstVideoInfo * video, guint p, gint stride)
{
  const gint least = GST_VIDEO_INFO_PLANE_STRIDE (video, p);
  const gint x_tiles = GST_VIDEO_TILE_X_TILES (stride);
  const gint y_tiles = GST_VIDEO_TILE_Y_TILES (stride);

  if (x_tiles <= 0 || x_tiles < GST_VIDEO_TILE_X_TILES (least)
      || y_tiles <= 0 || y_tiles < GST_VIDEO_TILE_Y_TILES (least)
      || !tiles_cover (video, p, x_tiles, y_tiles))
    return 0;
  return (guint64) x_tiles * y_tiles *
      GST_VIDEO_FORMAT_INFO_TILE_SIZE (video->finfo, p);
}

/* Returns: 0 if the stride is less than that of the caps, or if that has no room for the bits of
 *   a row's samples. A row may lack the last sample of each component. */
static guint64
row_plane_bytes (const GstVideoInfo * video, guint p, gint stride)
{
  const GstVideoFormatInfo *info = video->finfo;
  const gint least = GST_VIDEO_INFO_PLANE_STRIDE (video, p);
  const guint64 rows = component_height (video, first_component (info, p));
  guint64 bits = 0;

  for (guint c = 0; c < info->n_components; c++) {
    if (info->plane[c] == p)
      bits += info->depth[c] * (component_width (video, c) - 1);
  }
  if (least <= 0 || stride < least || (guint64) least * 8 < bits)
    return 0;
  /* The last row need not be padded. */
  return (guint64) stride * (rows - 1) + least;
}

/**
 * histo_unpack_source_bytes:
 * @video: what the caps describe, of a format that must be unpacked
 * @p: a plane of it
 * @stride: of this plane, as the caps or a #GstVideoMeta has it
 * @bytes: (out): the bytes from the plane's first one on that the unpack function may read
 *
 * Returns: FALSE with a %GST_STREAM_ERROR_FORMAT if a plane of this stride does not hold the
 *   picture, or is too large for GStreamer's unpack functions
 */
gboolean
histo_unpack_source_bytes (const GstVideoInfo * video, guint p, gint stride,
    guint64 * bytes, GError ** error)
{
  const gboolean is_tiled = GST_VIDEO_FORMAT_INFO_IS_TILED (video->finfo);

  if (is_tiled)
    *bytes = tiled_plane_bytes (video, p, stride);
  else if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (video->finfo) && p == 1)
    *bytes = PALETTE_BYTES;
  else
    *bytes = row_plane_bytes (video, p, stride);
  /* The unpack functions compute offsets in a plane as int. */
  if (*bytes > 0 && *bytes <= G_MAXINT32)
    return TRUE;
  if (is_tiled)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "Plane %u of a %s frame of %dx%d cannot have %d x %d tiles", p,
        GST_VIDEO_INFO_NAME (video), GST_VIDEO_INFO_WIDTH (video),
        GST_VIDEO_INFO_HEIGHT (video), GST_VIDEO_TILE_X_TILES (stride),
        GST_VIDEO_TILE_Y_TILES (stride));
  else
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "Plane %u of a %s frame of %dx%d cannot have a stride of %d", p,
        GST_VIDEO_INFO_NAME (video), GST_VIDEO_INFO_WIDTH (video),
        GST_VIDEO_INFO_HEIGHT (video), stride);
  return FALSE;
}
