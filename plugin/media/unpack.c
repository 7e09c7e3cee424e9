/* Reads the formats that have no sample pattern: tiles, palettes, and formats newer than the
 * table of patterns.c. GStreamer's own unpack functions do the reading.
 *
 * An unpack function writes one row of the picture as AYUV or ARGB, with 8 or 16 bits for each
 * component. It widens a sample by repeating the sample's bits below it, and it repeats chroma
 * samples without filtering. So the native samples are the top bits of the first pixel of each
 * group of pixels that share a chroma sample. Taking exactly these loses no sample and counts
 * none twice.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/unpack.h"

/* Words of a pixel of AYUV and ARGB; alpha is the first. */
#define PIXEL_WORDS 4
static const guint word_of_component[HISTO_MAX_COMPONENTS] = { 1, 2, 3, 0 };

/* Some unpack functions write whole groups of pixels, also beyond the picture's width. */
#define SPARE_PIXELS 64

/* Whether the words of an unpacked pixel have 16 bits, else 8. */
static gboolean
has_wide_words (const GstVideoFormatInfo * info)
{
  return GST_VIDEO_FORMAT_INFO_DEPTH (gst_video_format_get_info
      (info->unpack_format), 0) > 8;
}

/**
 * histo_unpack_line_bytes:
 *
 * Returns: the bytes of memory that histo_unpack() needs for one row of unpacked pixels; 0 if
 *   the format need not be unpacked
 */
guint64
histo_unpack_line_bytes (const HistoFormat * format)
{
  if (!format->needs_unpack)
    return 0;
  return ((guint64) format->width + SPARE_PIXELS) * PIXEL_WORDS
      * (has_wide_words (format->video.finfo) ? 2 : 1);
}

/* ---- The last pixel of some rows of NV12_10BE_8L128 -------------------------------------- */

/* The tiles of this format: 8 bytes wide, 128 rows high. */
#define TILE_ROW_BYTES 8
#define TILE_ROWS 128

/* Sample number @x of row @y of a plane: 10 bits, the first ones of a row at the top of its
 * first byte. A row goes on in the next tile after 8 bytes. */
static guint
tiled_sample (const guint8 * plane, gint stride, guint x, guint y)
{
  const gsize tile_bytes = TILE_ROW_BYTES * TILE_ROWS;
  const guint8 *row = plane + y / TILE_ROWS * tile_bytes
      * GST_VIDEO_TILE_X_TILES (stride) + y % TILE_ROWS * TILE_ROW_BYTES;
  const guint bit = 10 * x, first = bit / 8, second = first + 1;
  const guint word =
      row[first / TILE_ROW_BYTES * tile_bytes + first % TILE_ROW_BYTES] << 8 |
      row[second / TILE_ROW_BYTES * tile_bytes + second % TILE_ROW_BYTES];

  return word >> (6 - bit % 8) & 0x3ff;
}

/* At some odd widths the tiles of NV12_10BE_8L128 have no room for the last V of a row. */
static gboolean
lacks_last_v (const HistoFormat * format)
{
  const guint u = 1, v = 2;

  return GST_VIDEO_INFO_FORMAT (&format->video) ==
      GST_VIDEO_FORMAT_NV12_10BE_8L128
      && format->planes[v].periods < format->planes[u].periods;
}

/* Unpacks the row's last pixel, but not its V. GStreamer's function would look for that V
 * behind the row's last tile, which may be behind the buffer's end. */
static void
unpack_pixel_without_v (const GstVideoFrame * frame, guint x, guint y,
    guint16 * pixel)
{
  pixel[1] = tiled_sample (frame->data[0], frame->info.stride[0], x, y) << 6;
  pixel[2] = tiled_sample (frame->data[1], frame->info.stride[1], x, y / 2)
      << 6;
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Unpacks row @y of the frame to @line. */
static void
unpack_row (const HistoFormat * format, const GstVideoFrame * frame, guint y,
    gpointer line)
{
  const GstVideoFormatInfo *info = format->video.finfo;
  const gboolean without_last = lacks_last_v (format);
  guint width = format->width - without_last;

#if GST_CHECK_VERSION (1, 24, 0)
  /* The functions of these two formats skip the pixels of a last tile that is not full. */
  if (info->format == GST_VIDEO_FORMAT_MT2110T
      || info->format == GST_VIDEO_FORMAT_MT2110R)
    width = GST_ROUND_UP_16 (width);
#endif
  info->unpack_func (info, GST_VIDEO_PACK_FLAG_NONE, line,
      frame->data, frame->info.stride, 0, y, width);
  if (without_last)
    unpack_pixel_without_v (frame, width, y,
        (guint16 *) line + (gsize) width * PIXEL_WORDS);
}

/* Copies the native samples of one component from a row of unpacked pixels to @row. */
static void
extract_samples (const HistoFormat * format, guint component,
    gconstpointer line, gpointer row, guint n_samples)
{
  const guint depth = format->components[component].depth;
  const gsize step =
      (gsize) PIXEL_WORDS << format->video.finfo->w_sub[component];
  const guint word = word_of_component[component];

  if (!has_wide_words (format->video.finfo)) {
    const guint8 *source = (const guint8 *) line + word;
    guint8 *samples = row;

    for (guint x = 0; x < n_samples; x++)
      samples[x] = source[x * step] >> (8 - depth);
  } else if (depth > 8) {
    const guint16 *source = (const guint16 *) line + word;
    guint16 *samples = row;

    for (guint x = 0; x < n_samples; x++)
      samples[x] = source[x * step] >> (16 - depth);
  } else {
    const guint16 *source = (const guint16 *) line + word;
    guint8 *samples = row;

    for (guint x = 0; x < n_samples; x++)
      samples[x] = source[x * step] >> (16 - depth);
  }
}

/**
 * histo_unpack:
 * @format: one that needs unpacking
 * @frame: a frame that histo_layout_map() has mapped and checked, in host memory
 * @planes: (array): one plane for each component; each sample is written to its place there
 * @line: scratch memory of histo_unpack_line_bytes() bytes, aligned to 8 bytes
 */
void
histo_unpack (const HistoFormat * format, const GstVideoFrame * frame,
    const HistoPlane * planes, gpointer line)
{
  for (guint y = 0; y < format->height; y++) {
    unpack_row (format, frame, y, line);
    for (guint c = 0; c < format->n_components; c++) {
      const HistoPlane *plane = &planes[c];
      const guint sub = format->video.finfo->h_sub[c];

      if (y % (1u << sub) == 0)
        extract_samples (format, c, line, (guint8 *) (guintptr) plane->data
            + (gint64) (y >> sub) * plane->stride, plane->periods);
    }
  }
}

/* ---- How much memory the unpack functions read --------------------------------------------- */

/* They read whole rows, whole tiles, and the whole palette. */

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
