/* What GStreamer's formats make of a frame of libav; see libav-picture.h.
 *
 * Planes that GStreamer knows are not copied: whoever gets a picture holds libav's memory until it frees the planes. The others
 * are written anew, sample by sample. No sample is rounded or converted, but floats, for which GStreamer has no format.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "facts/libav-picture.h"

#include <libavutil/imgutils.h>
#include <libavutil/intreadwrite.h>
#include <libavutil/pixdesc.h>
#include <math.h>
#include <string.h>

/* ---- Formats ---------------------------------------------------------------------------------- */

/* Formats whose planes lie in memory as those of GStreamer's, which may have fewer. */
static const struct
{
  enum AVPixelFormat format;
  const gchar *name;            /* GStreamer's */
} same[] = {
  {AV_PIX_FMT_YUV420P, "I420"}, {AV_PIX_FMT_YUVJ420P, "I420"}, {AV_PIX_FMT_YUV422P, "Y42B"},
  {AV_PIX_FMT_YUVJ422P, "Y42B"}, {AV_PIX_FMT_YUV444P, "Y444"}, {AV_PIX_FMT_YUVJ444P, "Y444"},
  {AV_PIX_FMT_YUV411P, "Y41B"}, {AV_PIX_FMT_YUVJ411P, "Y41B"}, {AV_PIX_FMT_YUV410P, "YUV9"},
  {AV_PIX_FMT_YUVA420P, "A420"}, {AV_PIX_FMT_NV12, "NV12"}, {AV_PIX_FMT_NV21, "NV21"},
  {AV_PIX_FMT_NV16, "NV16"}, {AV_PIX_FMT_NV24, "NV24"}, {AV_PIX_FMT_YUYV422, "YUY2"},
  {AV_PIX_FMT_UYVY422, "UYVY"}, {AV_PIX_FMT_YVYU422, "YVYU"}, {AV_PIX_FMT_GRAY8, "GRAY8"},
  {AV_PIX_FMT_GRAY16LE, "GRAY16_LE"}, {AV_PIX_FMT_GRAY16BE, "GRAY16_BE"}, {AV_PIX_FMT_RGB24, "RGB"},
  {AV_PIX_FMT_BGR24, "BGR"}, {AV_PIX_FMT_RGBA, "RGBA"}, {AV_PIX_FMT_BGRA, "BGRA"},
  {AV_PIX_FMT_ARGB, "ARGB"}, {AV_PIX_FMT_ABGR, "ABGR"}, {AV_PIX_FMT_RGB0, "RGBx"},
  {AV_PIX_FMT_BGR0, "BGRx"}, {AV_PIX_FMT_0RGB, "xRGB"}, {AV_PIX_FMT_0BGR, "xBGR"},
  {AV_PIX_FMT_RGB565, "RGB16"}, {AV_PIX_FMT_BGR565, "BGR16"}, {AV_PIX_FMT_RGB555, "RGB15"},
  {AV_PIX_FMT_BGR555, "BGR15"}, {AV_PIX_FMT_GBRP, "GBR"}, {AV_PIX_FMT_GBRAP, "GBRA"},
  {AV_PIX_FMT_GBRP10LE, "GBR_10LE"}, {AV_PIX_FMT_GBRP12LE, "GBR_12LE"},
  {AV_PIX_FMT_GBRAP10LE, "GBRA_10LE"}, {AV_PIX_FMT_GBRAP12LE, "GBRA_12LE"},
  {AV_PIX_FMT_YUV420P10LE, "I420_10LE"}, {AV_PIX_FMT_YUV420P12LE, "I420_12LE"},
  {AV_PIX_FMT_YUV422P10LE, "I422_10LE"}, {AV_PIX_FMT_YUV422P12LE, "I422_12LE"},
  {AV_PIX_FMT_YUV444P10LE, "Y444_10LE"}, {AV_PIX_FMT_YUV444P12LE, "Y444_12LE"},
  {AV_PIX_FMT_YUV444P16LE, "Y444_16LE"}, {AV_PIX_FMT_YUV420P10BE, "I420_10BE"},
  {AV_PIX_FMT_YUV422P10BE, "I422_10BE"}, {AV_PIX_FMT_YUV444P10BE, "Y444_10BE"},
  {AV_PIX_FMT_YUVA420P10LE, "A420_10LE"}, {AV_PIX_FMT_YUVA422P10LE, "A422_10LE"},
  {AV_PIX_FMT_YUVA444P10LE, "A444_10LE"}, {AV_PIX_FMT_P010LE, "P010_10LE"},
  {AV_PIX_FMT_P016LE, "P016_LE"}, {AV_PIX_FMT_RGBA64LE, "RGBA64_LE"}, {AV_PIX_FMT_RGBA64BE, "RGBA64_BE"},
  /* Without their alpha. */
  {AV_PIX_FMT_YUVA422P, "Y42B"}, {AV_PIX_FMT_YUVA444P, "Y444"}, {AV_PIX_FMT_YUVA422P12LE, "I422_12LE"},
  {AV_PIX_FMT_YUVA444P12LE, "Y444_12LE"}, {AV_PIX_FMT_YUVA444P16LE, "Y444_16LE"},
  {AV_PIX_FMT_BGRA64LE, "BGRA64_LE"}, {AV_PIX_FMT_BGRA64BE, "BGRA64_BE"},
};

/* How a picture is written anew. */
typedef enum
{
  AS_GRAY,                      /* the first component: of bytes, of words, or of bits */
  AS_THIRDS,                    /* three samples of 10 bits in 32 bits */
  AS_RGBA64,                    /* R, G, B of 16 bits, and alpha if there is one */
  AS_PLANES,                    /* G, B, R of fewer bits. Gray is in all three: GStreamer has no gray of 12 bits */
  AS_COLORS                     /* those of a palette, with their alpha */
} Way;

typedef struct
{
  enum AVPixelFormat format;
  const gchar *name;            /* GStreamer's */
  Way way;
  guint bits;                   /* of pictures with so many, which lie in the upper ones of words; 0: of others */
} Anew;

static const Anew anew[] = {
  /* The decoder of JPEG 2000 moves samples of other depths up. */
  {AV_PIX_FMT_RGB48, "GBR_10LE", AS_PLANES, 10}, {AV_PIX_FMT_RGB48, "GBR_12LE", AS_PLANES, 12},
  {AV_PIX_FMT_RGBA64, "GBR_10LE", AS_PLANES, 10}, {AV_PIX_FMT_RGBA64, "GBR_12LE", AS_PLANES, 12},
  {AV_PIX_FMT_GRAY16, "GBR_10LE", AS_PLANES, 10}, {AV_PIX_FMT_GRAY16, "GBR_12LE", AS_PLANES, 12},
  {AV_PIX_FMT_MONOWHITE, "GRAY8", AS_GRAY, 0}, {AV_PIX_FMT_MONOBLACK, "GRAY8", AS_GRAY, 0},
  {AV_PIX_FMT_YA8, "GRAY8", AS_GRAY, 0}, {AV_PIX_FMT_YA16LE, "GRAY16_LE", AS_GRAY, 0}, {AV_PIX_FMT_YA16BE, "GRAY16_LE", AS_GRAY, 0},
  {AV_PIX_FMT_GRAYF32, "GRAY16_LE", AS_GRAY, 0}, {AV_PIX_FMT_GRAY10LE, "GRAY10_LE32", AS_THIRDS, 0},
  {AV_PIX_FMT_GRAY10BE, "GRAY10_LE32", AS_THIRDS, 0}, {AV_PIX_FMT_GRAY12LE, "GBR_12LE", AS_PLANES, 0},
  {AV_PIX_FMT_GRAY12BE, "GBR_12LE", AS_PLANES, 0}, {AV_PIX_FMT_GBRP10BE, "GBR_10LE", AS_PLANES, 0},
  {AV_PIX_FMT_GBRP12BE, "GBR_12LE", AS_PLANES, 0}, {AV_PIX_FMT_GBRAP10BE, "GBR_10LE", AS_PLANES, 0},
  {AV_PIX_FMT_GBRAP12BE, "GBR_12LE", AS_PLANES, 0}, {AV_PIX_FMT_RGB48LE, "RGBA64_LE", AS_RGBA64, 0},
  {AV_PIX_FMT_RGB48BE, "RGBA64_LE", AS_RGBA64, 0}, {AV_PIX_FMT_BGR48LE, "RGBA64_LE", AS_RGBA64, 0},
  {AV_PIX_FMT_BGR48BE, "RGBA64_LE", AS_RGBA64, 0}, {AV_PIX_FMT_GBRP16LE, "RGBA64_LE", AS_RGBA64, 0},
  {AV_PIX_FMT_GBRP16BE, "RGBA64_LE", AS_RGBA64, 0}, {AV_PIX_FMT_GBRAP16LE, "RGBA64_LE", AS_RGBA64, 0},
  {AV_PIX_FMT_GBRAP16BE, "RGBA64_LE", AS_RGBA64, 0}, {AV_PIX_FMT_GBRPF32, "RGBA64_LE", AS_RGBA64, 0},
  {AV_PIX_FMT_GBRAPF32, "RGBA64_LE", AS_RGBA64, 0}, {AV_PIX_FMT_PAL8, "RGBA", AS_COLORS, 0},
};

/* Returns: (nullable): %NULL: its planes are those of GStreamer's format, if there is one */
static const Anew *
find_anew (enum AVPixelFormat format, guint bits)
{
  for (guint i = 0; i < G_N_ELEMENTS (anew); i++) {
    if (anew[i].format == format && (anew[i].bits == 0 || anew[i].bits == bits))
      return &anew[i];
  }
  return NULL;
}

/**
 * libav_picture_format:
 * @bits: libav_picture_bits()
 *
 * Returns: (nullable): %NULL: GStreamer has none like it
 */
const gchar *
libav_picture_format (enum AVPixelFormat format, guint bits)
{
  const Anew *row = find_anew (format, bits);

  for (guint i = 0; row == NULL && i < G_N_ELEMENTS (same); i++) {
    if (same[i].format == format)
      return same[i].name;
  }
  return row != NULL ? row->name : NULL;
}

/* ---- Planes as they are ------------------------------------------------------------------------ */

__attribute__((visibility ("default")))
void report_libav_release_plane (gpointer owner);

void
report_libav_release_plane (gpointer owner)
{
  AVBufferRef *buffer = owner;

  av_buffer_unref (&buffer);
}

void
libav_picture_release (ReportPicture * picture)
{
  for (guint p = 0; p < picture->n_planes; p++)
    report_libav_release_plane (picture->planes[p].owner);
  picture->n_planes = 0;
}

/* Returns: FALSE: there is no memory */
static gboolean
new_plane (ReportPlane * plane, gsize row, guint rows)
{
  AVBufferRef *buffer = row > 0 && row <= G_MAXINT ?
      av_buffer_alloc (row * rows) : NULL;

  if (buffer == NULL)
    return FALSE;
  *plane = (ReportPlane) {
  buffer->data, row * rows, row, buffer};
  return TRUE;
}

/* Rows from the last one to the first one, and memory that nobody owns, are copied. */
static gboolean
copy_plane (ReportPlane * plane, const AVFrame * frame, guint p, guint rows)
{
  const gint bytes = av_image_get_linesize (frame->format, frame->width, p);

  if (!new_plane (plane, MAX (bytes, 0), rows))
    return FALSE;
  for (guint y = 0; y < rows; y++)
    memcpy ((guint8 *) plane->data + (gsize) y * bytes,
        frame->data[p] + (gssize) y * frame->linesize[p], bytes);
  return TRUE;
}

static gboolean
take_plane (ReportPlane * plane, AVFrame * frame, guint p, guint rows)
{
  AVBufferRef *buffer = av_frame_get_plane_buffer (frame, p);

  if (buffer == NULL || frame->linesize[p] <= 0)
    return copy_plane (plane, frame, p, rows);
  *plane = (ReportPlane) {
    frame->data[p], MIN ((gsize) frame->linesize[p] * rows,
        (gsize) (buffer->data + buffer->size - frame->data[p])),
        frame->linesize[p], av_buffer_ref (buffer)
  };
  return plane->owner != NULL;
}

static gboolean
take_planes (ReportPicture * picture, const AVFrame * frame)
{
  const AVPixFmtDescriptor *format = av_pix_fmt_desc_get (frame->format);
  const guint n = MAX (0, av_pix_fmt_count_planes (frame->format));

  for (guint p = 0; p < MIN (n, REPORT_MOST_PLANES); p++) {
    /* The second and the third one are of colour. */
    const guint shift = p == 1 || p == 2 ? format->log2_chroma_h : 0;

    if (!take_plane (&picture->planes[p], (AVFrame *) frame, p,
            AV_CEIL_RSHIFT (frame->height, shift)))
      return FALSE;
    picture->n_planes++;
  }
  return TRUE;
}

/* ---- Planes that are written anew --------------------------------------------------------------- */

typedef struct
{
  const AVFrame *frame;
  const AVPixFmtDescriptor *format;
  guint shift;                  /* of a sample, down */
  gdouble scale;                /* of floats: what is the greatest code */
  guint32 *samples;             /* of a row of one component */
} Source;

/* Reads a row of a component into the samples. */
static void
read_row (const Source * source, guint component, gint y)
{
  const AVFrame *frame = source->frame;

  av_read_image_line2 (source->samples, (const uint8_t **) frame->data,
      frame->linesize, source->format, 0, y, component, frame->width, 0, 4);
}

static gboolean
is_float (const Source * source)
{
  return (source->format->flags & AV_PIX_FMT_FLAG_FLOAT) != 0;
}

static gfloat
float_of (guint32 sample)
{
  gfloat value;

  memcpy (&value, &sample, sizeof value);
  return value;
}

/* The code of a sample. Of floats: over [0, scale]; what is no number counts as 0. */
static guint
code_of (const Source * source, guint32 sample)
{
  gdouble value;

  if (!is_float (source))
    return sample >> source->shift;
  value = float_of (sample) / source->scale;
  return !(value > 0) ? 0 : value >= 1 ? 65535 : (guint) lrint (value * 65535);
}

/* Finds the greatest value of floats, which becomes white, and how many values codes cannot tell. Alpha does not count. */
static void
measure_floats (ReportPicture * picture, Source * source)
{
  const guint n = MIN (source->format->nb_components, 3);
  gfloat most = 0;

  for (gint y = 0; y < picture->height; y++) {
    for (guint c = 0; c < n; c++) {
      read_row (source, c, y);
      for (gint x = 0; x < picture->width; x++) {
        const gfloat value = float_of (source->samples[x]);

        if (!isfinite (value))
          picture->n_infinite++;
        else if (value < 0)
          picture->n_negative++;
        else
          most = MAX (most, value);
      }
    }
  }
  picture->scale = most;
  source->scale = most > 0 ? most : 1;
}

static void
write_words (const Source * source, guint component, gint y, guint8 * to,
    gint step)
{
  read_row (source, component, y);
  for (gint x = 0; x < source->frame->width; x++)
    AV_WL16 (to + (gsize) x * step, code_of (source, source->samples[x]));
}

static void
write_gray (const Source * source, gint y, guint8 * to)
{
  const guint depth = source->format->comp[0].depth;
  const guint white = source->frame->format == AV_PIX_FMT_MONOWHITE ? 0 : 1;

  if (depth > 8) {
    write_words (source, 0, y, to, 2);
    return;
  }
  read_row (source, 0, y);
  for (gint x = 0; x < source->frame->width; x++)
    to[x] = depth > 1 ? source->samples[x] :
        source->samples[x] == white ? 255 : 0;
}

static void
write_thirds (const Source * source, gint y, guint8 * to)
{
  const gint width = source->frame->width;

  read_row (source, 0, y);
  for (gint x = 0; x < width; x += 3) {
    guint32 word = 0;

    for (gint i = 0; i < MIN (3, width - x); i++)
      word |= source->samples[x + i] << 10 * i;
    AV_WL32 (to + x / 3 * 4, word);
  }
}

static void
write_rgba64 (const Source * source, gint y, guint8 * to)
{
  for (guint c = 0; c < 3; c++)
    write_words (source, c, y, to + 2 * c, 8);
  if (source->format->nb_components > 3 && !is_float (source)) {
    write_words (source, 3, y, to + 6, 8);
    return;
  }
  for (gint x = 0; x < source->frame->width; x++)
    AV_WL16 (to + (gsize) x * 8 + 6, 65535);
}

/* Returns: whether a pixel is not opaque */
static gboolean
write_colors (const Source * source, gint y, guint8 * to)
{
  const AVFrame *frame = source->frame;
  const guint8 *codes = frame->data[0] + (gssize) y * frame->linesize[0];
  const guint32 *palette = (const guint32 *) frame->data[1];
  guint32 opaque = G_MAXUINT32;

  for (gint x = 0; x < frame->width; x++) {
    /* Alpha is in the upper bits. */
    const guint32 color = palette[codes[x]];

    AV_WB32 (to + (gsize) x * 4, color << 8 | color >> 24);
    opaque &= color;
  }
  return opaque >> 24 != 255;
}

static gboolean
write_picture (ReportPicture * picture, const Source * source, Way way)
{
  static const guint order[] = { 1, 2, 0 };     /* G, B, R */
  const gboolean is_gray = source->format->nb_components < 3;
  const gsize width = picture->width;
  const gsize row = way == AS_THIRDS ? (width + 2) / 3 * 4 :
      width * (way == AS_RGBA64 ? 8 : way == AS_COLORS ? 4 : way == AS_PLANES
      || source->format->comp[0].depth > 8 ? 2 : 1);

  for (guint p = 0; p < (way == AS_PLANES ? 3 : 1); p++) {
    guint8 *to;

    if (!new_plane (&picture->planes[p], row, picture->height))
      return FALSE;
    picture->n_planes++;
    to = (guint8 *) picture->planes[p].data;
    for (gint y = 0; y < picture->height; y++, to += row) {
      switch (way) {
        case AS_GRAY:
          write_gray (source, y, to);
          break;
        case AS_THIRDS:
          write_thirds (source, y, to);
          break;
        case AS_RGBA64:
          write_rgba64 (source, y, to);
          break;
        case AS_PLANES:
          write_words (source, is_gray ? 0 : order[p], y, to, 2);
          break;
        case AS_COLORS:
          picture->has_alpha = write_colors (source, y, to)
              || picture->has_alpha;
          break;
      }
    }
  }
  return TRUE;
}

static gboolean
write_anew (ReportPicture * picture, const AVFrame * frame, Way way,
    guint bits)
{
  const AVPixFmtDescriptor *format = av_pix_fmt_desc_get (frame->format);
  Source source = {
    .frame = frame,.format = format,
    .shift = bits > 0 ? format->comp[0].depth - bits : 0,
    .samples = av_malloc_array (frame->width, sizeof *source.samples)
  };
  gboolean ok = source.samples != NULL;

  if (ok && is_float (&source))
    measure_floats (picture, &source);
  ok = ok && write_picture (picture, &source, way);
  av_free (source.samples);
  return ok;
}

/* ---- Pictures ---------------------------------------------------------------------------------- */

/* Whether some formats with an alpha channel use it: others have it because libav has no other format for what they contain. */
static gboolean
has_alpha (const AVFrame * frame)
{
  const guint64 flags = av_pix_fmt_desc_get (frame->format)->flags;

  return (flags & AV_PIX_FMT_FLAG_ALPHA) != 0
      && (flags & AV_PIX_FMT_FLAG_PAL) == 0;
}

/* Returns: the bits of a sample, if the decoder moves them to the upper ones of its words; else 0 */
guint
libav_picture_bits (const AVCodecContext * decoder)
{
  return decoder->codec_id == AV_CODEC_ID_JPEG2000 ?
      MAX (decoder->bits_per_raw_sample, 0) : 0;
}

/**
 * libav_picture_take:
 * @picture: (inout): gets format, size, colours and planes. Its format is %NULL, and it has no planes, if GStreamer has no format
 *   for it
 * @bits: libav_picture_bits()
 *
 * Returns: FALSE: there is no memory; the picture has nothing to be freed
 */
gboolean
libav_picture_take (ReportPicture * picture, const AVFrame * frame, guint bits)
{
  const Anew *row = find_anew (frame->format, bits);
  gboolean ok;

  picture->own_format = av_get_pix_fmt_name (frame->format);
  picture->width = frame->width;
  picture->height = frame->height;
  picture->format = libav_picture_format (frame->format, bits);
  if (picture->format == NULL)
    return TRUE;
  picture->has_alpha = has_alpha (frame);
  ok = row == NULL ? take_planes (picture, frame) :
      write_anew (picture, frame, row->way, row->bits);
  if (!ok)
    libav_picture_release (picture);
  return ok;
}
