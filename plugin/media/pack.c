/* Frames as planes without gaps: what is uploaded, and what must first be unpacked.
 *
 * Most frames are copied row by row. A few formats (tiles, palettes, formats newer
 * than our table) only GStreamer's unpack functions can read: they make every pixel
 * AYUV or ARGB, of 8 or 16 bits a component. They widen a sample by repeating its
 * bits below it and repeat chroma without filtering, so the native samples are the
 * top bits of every first pixel of a chroma cell: nothing is lost, and nothing is
 * measured twice.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/pack.h"

/* AYUV and ARGB begin with alpha. */
static const guint unpacked_position[HISTO_MAX_COMPONENTS] = { 1, 2, 3, 0 };

/* Rows begin at multiples of this, for the kernels' wide loads. */
#define ROW_ALIGNMENT 16

static gsize
row_stride (const HistoPlane * plane)
{
  gsize bytes = (gsize) plane->periods * plane->period_bytes;

  return (bytes + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

/* Bytes that histo_pack() writes for one frame. */
gsize
histo_packed_size (const HistoFormat * format)
{
  gsize size = 0;

  for (guint p = 0; p < format->n_planes; p++)
    size += row_stride (&format->planes[p]) * format->planes[p].rows;
  return size;
}

/* The planes, n_planes of them, of what histo_pack() wrote to @address. */
void
histo_packed_locate (const HistoFormat * format, guint64 address,
    HistoPlane * planes)
{
  for (guint p = 0; p < format->n_planes; p++) {
    planes[p] = format->planes[p];
    planes[p].data = address;
    planes[p].stride = row_stride (&format->planes[p]);
    address += planes[p].stride * planes[p].rows;
  }
}

static void
take_samples (const HistoFormat * format, guint component, const void *line,
    gboolean wide, void *row, guint n)
{
  guint depth = format->components[component].depth;
  guint step = 4u << format->video.finfo->w_sub[component];
  guint position = unpacked_position[component];

  if (!wide) {
    const guint8 *source = (const guint8 *) line + position;

    for (guint x = 0; x < n; x++)
      ((guint8 *) row)[x] = source[x * step] >> (8 - depth);
  } else {
    const guint16 *source = (const guint16 *) line + position;

    for (guint x = 0; x < n; x++) {
      guint16 sample = source[x * step] >> (16 - depth);

      if (depth > 8)
        ((guint16 *) row)[x] = sample;
      else
        ((guint8 *) row)[x] = sample;
    }
  }
}

static void
unpack (const HistoFormat * format, const GstVideoFrame * frame,
    guint8 * destination)
{
  const GstVideoFormatInfo *info = format->video.finfo;
  const GstVideoFormatInfo *to = gst_video_format_get_info (info->unpack_format);
  gboolean wide = GST_VIDEO_FORMAT_INFO_DEPTH (to, 0) > 8;
  HistoPlane planes[HISTO_MAX_PLANES];
  /* Some unpack functions write whole groups of pixels. */
  guint8 *line = g_malloc ((format->width + 64) * 4 * (wide ? 2 : 1));
  guint width = format->width;

#if GST_CHECK_VERSION (1, 24, 0)
  /* Theirs skip the pixels of a last tile that is not full. */
  if (info->format == GST_VIDEO_FORMAT_MT2110T
      || info->format == GST_VIDEO_FORMAT_MT2110R)
    width = GST_ROUND_UP_16 (width);
#endif

  histo_packed_locate (format, (guint64) (guintptr) destination, planes);
  for (guint y = 0; y < format->height; y++) {
    info->unpack_func (info, GST_VIDEO_PACK_FLAG_NONE, line, frame->data,
        frame->info.stride, 0, y, width);
    for (guint c = 0; c < format->n_components; c++) {
      const HistoPlane *plane = &planes[c];
      guint sub = info->h_sub[c];

      if (y % (1u << sub) == 0)
        take_samples (format, c, line, wide,
            (guint8 *) (guintptr) plane->data + (y >> sub) * plane->stride,
            plane->periods);
    }
  }
  g_free (line);
}

/* Rows first .. first + n - 1. */
static void
copy_rows (const HistoPlane * source, const HistoPlane * destination,
    guint first, guint n)
{
  const gsize row_bytes = histo_plane_row_bytes (source);
  const guint8 *from = (const guint8 *) (guintptr) source->data
      + (gint64) first * source->stride;
  guint8 *to = (guint8 *) (guintptr) destination->data
      + (gint64) first * destination->stride;

  if (source->stride == destination->stride) {
    memcpy (to, from, (n - 1) * source->stride + row_bytes);
    return;
  }
  for (guint y = 0; y < n; y++)
    memcpy (to + y * destination->stride, from + y * source->stride, row_bytes);
}

/**
 * histo_pack_some:
 * @layout: mapped for reading by the host
 * @destination: histo_packed_size() bytes, of which those from @position on are written
 * @position: all zero at first; moves on to what comes next
 * @max_bytes: to write at the most, but at least a row is
 *
 * Packs the next rows of the frame. It is complete when position->bytes is
 * histo_packed_size().
 */
void
histo_pack_some (const HistoFormat * format, const HistoLayout * layout,
    guint8 * destination, HistoPackPosition * position, gsize max_bytes)
{
  const gsize begin = position->bytes;
  HistoPlane planes[HISTO_MAX_PLANES];

  if (format->needs_unpack) {
    unpack (format, &layout->frame, destination);
    position->bytes = histo_packed_size (format);
    return;
  }
  histo_packed_locate (format, (guint64) (guintptr) destination, planes);
  while (position->plane < format->n_planes) {
    const HistoPlane *plane = &planes[position->plane];
    const gsize left = max_bytes - MIN (max_bytes, position->bytes - begin);
    guint n = plane->rows - position->row;

    if (plane->stride > 0 && left / plane->stride < n)
      n = left / plane->stride;
    /* One row at least, or this would never end. */
    if (n == 0 && position->row < plane->rows && position->bytes == begin)
      n = 1;
    if (n == 0 && position->row < plane->rows)
      return;
    if (n > 0 && plane->stride > 0)
      copy_rows (&layout->planes[position->plane], plane, position->row, n);
    position->row += n;
    position->bytes += n * plane->stride;
    if (position->row == plane->rows) {
      position->plane++;
      position->row = 0;
    }
  }
}

/**
 * histo_pack:
 * @layout: mapped for reading by the host
 * @destination: histo_packed_size() bytes
 */
void
histo_pack (const HistoFormat * format, const HistoLayout * layout,
    guint8 * destination)
{
  HistoPackPosition position = { 0, };

  histo_pack_some (format, layout, destination, &position, G_MAXSIZE);
}
