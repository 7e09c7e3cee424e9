/* Decodes a stream of video of a file with libav, for what GStreamer's demuxers and decoders lose. Part of the module.
 *
 * Pictures are not copied: whoever gets one holds libav's memory until it frees the planes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <string.h>

#include "facts/libav-reader.h"

/* ---- Formats ---------------------------------------------------------------------------------- */

/* Formats whose planes lie in memory as those of GStreamer's, which may have fewer. */
static const struct
{
  enum AVPixelFormat format;
  const gchar *name;            /* GStreamer's */
} formats[] = {
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

/* Returns: (nullable): NULL: GStreamer has none like it */
const gchar *
libav_picture_format (enum AVPixelFormat format)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (formats[i].format == format)
      return formats[i].name;
  }
  return NULL;
}

/* ---- Pictures --------------------------------------------------------------------------------- */

static void
release (gpointer owner)
{
  AVBufferRef *buffer = owner;

  av_buffer_unref (&buffer);
}

/* Rows from the last one to the first one, and memory that nobody owns, are copied.
 *
 * Returns: FALSE: there is no memory */
static gboolean
copy_plane (ReportPlane * plane, const AVFrame * frame, guint p, guint rows)
{
  const gint bytes = av_image_get_linesize (frame->format, frame->width, p);
  AVBufferRef *buffer = bytes > 0 ? av_buffer_alloc ((gsize) bytes * rows) :
      NULL;

  if (buffer == NULL)
    return FALSE;
  for (guint y = 0; y < rows; y++)
    memcpy (buffer->data + (gsize) y * bytes, frame->data[p] + (gssize) y * frame->linesize[p], bytes);
  *plane = (ReportPlane) {
  buffer->data, (gsize) bytes *rows, bytes, buffer};
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

static void
read_fields (ReportPicture * picture, const AVFrame * frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT (58, 7, 100)
  picture->is_interlaced = (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
  picture->is_top_first = (frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
#else
  picture->is_interlaced = frame->interlaced_frame;
  picture->is_top_first = frame->top_field_first;
#endif
  picture->is_repeated = frame->repeat_pict > 0;
}

static ReportRational
rational (AVRational number)
{
  return (ReportRational) {
  number.num, number.num > 0 ? number.den : 0};
}

static gint64
duration_of (const LibavReader * reader, const AVFrame * frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT (57, 30, 100)
  const gint64 duration = frame->duration;
#else
  const gint64 duration = frame->pkt_duration;
#endif
  const AVRational rate = reader->stream->avg_frame_rate;
  const AVRational ns = { 1, SECOND };

  if (duration > 0)
    return av_rescale_q (duration, reader->stream->time_base, ns);
  return rate.num > 0 && rate.den > 0 ? av_rescale_q (1, av_inv_q (rate), ns) :
      0;
}

/* Some containers, as AVI, say only when packets are decoded. Libav gives a picture the time of the packet with which it came
 * out of the decoder: all are late by the pictures that the decoder holds. The first one has the time of the first packet. */
static void
settle_base (LibavReader * reader, const AVFrame * frame)
{
  if (frame->pts == AV_NOPTS_VALUE && reader->first_packet != REPORT_NO_TIME
      && frame->best_effort_timestamp != AV_NOPTS_VALUE)
    reader->base += libav_reader_time (reader, frame->best_effort_timestamp) - reader->first_packet;
}

/* @picture: (out): of the latest frame
 *
 * Returns: FALSE: there is no memory for it */
static gboolean
read_picture (LibavReader * reader, ReportPicture * picture)
{
  const AVFrame *frame = reader->frame;
  const AVRational pixel =
      av_guess_sample_aspect_ratio (reader->input.context, reader->stream,
      reader->frame);

  *picture = (ReportPicture) {
    .format = libav_picture_format (frame->format),
    .own_format = av_get_pix_fmt_name (frame->format),
    .width = frame->width,.height = frame->height,
    .pixel = rational (pixel),.rate = rational (reader->stream->avg_frame_rate),
    .time = reader->next,.duration = duration_of (reader, frame),
    /* What could not be decoded at all is missing, which its time shows. */
    .is_damaged = (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0
  };
  if (frame->best_effort_timestamp != AV_NOPTS_VALUE)
    picture->time = MAX (0, libav_reader_time (reader, frame->best_effort_timestamp));
  reader->has_lost = FALSE;
  reader->next = picture->time + picture->duration;
  read_fields (picture, frame);
  if (picture->format == NULL || take_planes (picture, frame))
    return TRUE;
  for (guint p = 0; p < picture->n_planes; p++)
    release (picture->planes[p].owner);
  return FALSE;
}

__attribute__((visibility ("default")))
void report_libav_release_plane (gpointer owner);

void
report_libav_release_plane (gpointer owner)
{
  release (owner);
}

__attribute__((visibility ("default")))
void report_libav_decode_pictures (gint fd, gint index,
    ReportMustStop must_stop, ReportTakePacket take_packet,
    ReportTakePicture take, gint n_threads, gpointer data);

void
report_libav_decode_pictures (gint fd, gint index, ReportMustStop must_stop,
    ReportTakePacket take_packet, ReportTakePicture take, gint n_threads,
    gpointer data)
{
  const LibavReading reading = { must_stop, take_packet, data, n_threads };
  ReportPicture picture;
  gboolean is_wanted = TRUE, is_first = TRUE;
  LibavReader reader;

  libav_reader_open (&reader, fd, index, &reading);
  while (is_wanted && libav_reader_receive (&reader)) {
    if (is_first)
      settle_base (&reader, reader.frame);
    is_first = FALSE;
    is_wanted = read_picture (&reader, &picture) && take (&picture, data);
  }
  libav_reader_close (&reader);
}
