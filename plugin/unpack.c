/* Formats that only GStreamer's unpack function can read, as planes of samples.
 *
 * The unpack functions make every pixel AYUV or ARGB, of 8 or 16 bits a component.
 * They widen a sample by repeating its bits below it and repeat chroma without
 * filtering, so the native samples are the top bits of every first pixel of a
 * chroma cell: nothing is lost, and nothing is measured twice.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "unpack.h"

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

/* Bytes that histo_unpack() writes for one frame. */
gsize
histo_unpack_size (const HistoFormat * format)
{
  gsize size = 0;

  for (guint p = 0; p < format->n_planes; p++)
    size += row_stride (&format->planes[p]) * format->planes[p].rows;
  return size;
}

/* The planes, n_planes of them, of what histo_unpack() wrote to @address. */
void
histo_unpack_locate (const HistoFormat * format, guint64 address,
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
  guint depth = format->depths[component];
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

/**
 * histo_unpack:
 * @frame: mapped for reading by the host
 * @destination: histo_unpack_size() bytes
 */
void
histo_unpack (const HistoFormat * format, const GstVideoFrame * frame,
    guint8 * destination)
{
  const GstVideoFormatInfo *info = format->video.finfo;
  const GstVideoFormatInfo *to = gst_video_format_get_info (info->unpack_format);
  gboolean wide = GST_VIDEO_FORMAT_INFO_DEPTH (to, 0) > 8;
  HistoPlane planes[HISTO_MAX_PLANES];
  /* Some unpack functions write whole groups of pixels. */
  guint8 *line = g_malloc ((format->width + 64) * 4 * (wide ? 2 : 1));

  histo_unpack_locate (format, (guint64) (guintptr) destination, planes);
  for (guint y = 0; y < format->height; y++) {
    info->unpack_func (info, GST_VIDEO_PACK_FLAG_NONE, line, frame->data,
        frame->info.stride, 0, y, format->width);
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
