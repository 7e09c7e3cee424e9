/* Decodes an image with libav. Part of the module.
 *
 * The bytes of the file are one packet of a codec: no demuxer guesses at names or numbers. Each image has a decoder of its own,
 * and memory that was cleared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <libavutil/pixdesc.h>
#include <string.h>

#include "facts/libav-picture.h"

/* What floats are before they are decoded: no number, and one that no calculation gives. */
#define UNFILLED G_MAXUINT32

G_STATIC_ASSERT (REPORT_PADDING >= AV_INPUT_BUFFER_PADDING_SIZE);

/* Of a decoder. */
typedef struct
{
  gint64 max_pixels;
  ReportPicture *picture;
} Image;

static gboolean
is_float (gint format)
{
  return (av_pix_fmt_desc_get (format)->flags & AV_PIX_FMT_FLAG_FLOAT) != 0;
}

/* Before anything is decoded. */
static int
get_buffer (AVCodecContext * decoder, AVFrame * frame, int flags)
{
  Image *image = decoder->opaque;
  int error;

  if (frame->width > image->max_pixels / frame->height) {
    image->picture->width = frame->width;
    image->picture->height = frame->height;
    return AVERROR (EFBIG);
  }
  error = avcodec_default_get_buffer2 (decoder, frame, flags);
  for (guint i = 0; error >= 0 && i < G_N_ELEMENTS (frame->buf); i++) {
    if (frame->buf[i] != NULL)
      memset (frame->buf[i]->data, is_float (frame->format) ? 255 : 0,
          frame->buf[i]->size);
  }
  return error;
}

/* Decoders that end with an error at what harms nothing: a tag of TIFF that they do not know. */
static gboolean
is_strict (const AVCodec * codec)
{
  return codec->id != AV_CODEC_ID_TIFF;
}

static AVCodecContext *
open_decoder (const AVCodec * codec, Image * image)
{
  AVCodecContext *decoder = avcodec_alloc_context3 (codec);

  if (decoder == NULL)
    return NULL;
  decoder->opaque = image;
  decoder->get_buffer2 = get_buffer;
  /* Images are decoded at the same time, not their parts. */
  decoder->thread_count = 1;
  decoder->log_level_offset = AV_LOG_TRACE;
  decoder->err_recognition = AV_EF_CRCCHECK
      | (is_strict (codec) ? AV_EF_EXPLODE | AV_EF_BITSTREAM | AV_EF_BUFFER : 0);
  if (avcodec_open2 (decoder, codec, NULL) < 0)
    avcodec_free_context (&decoder);
  return decoder;
}

static void
keep (void *opaque, uint8_t * data)
{
}

/* Returns: an error of libav */
static int
decode (AVCodecContext * decoder, const guint8 * bytes, gsize n,
    AVFrame * frame)
{
  AVPacket *packet = av_packet_alloc ();
  int error = AVERROR (ENOMEM);

  if (packet != NULL && n <= G_MAXINT - AV_INPUT_BUFFER_PADDING_SIZE)
    packet->buf = av_buffer_create ((guint8 *) bytes, n + AV_INPUT_BUFFER_PADDING_SIZE,
        keep, NULL, AV_BUFFER_FLAG_READONLY);
  if (packet != NULL && packet->buf != NULL) {
    packet->data = (guint8 *) bytes;
    packet->size = n;
    packet->flags = AV_PKT_FLAG_KEY;
    error = avcodec_send_packet (decoder, packet);
  }
  if (error >= 0)
    error = avcodec_send_packet (decoder, NULL);
  if (error >= 0)
    error = avcodec_receive_frame (decoder, frame);
  if (error >= 0 && ((frame->flags & AV_FRAME_FLAG_CORRUPT) != 0
          || frame->decode_error_flags != 0))
    error = AVERROR_INVALIDDATA;
  av_packet_free (&packet);
  return error;
}

/* Libav's decoder of EXR does not tell that parts of the picture are not there.
 *
 * Returns: whether all samples were written */
static gboolean
is_filled (const AVFrame * frame)
{
  const gint n = is_float (frame->format) ? av_pix_fmt_count_planes (frame->format) : 0;

  for (gint p = 0; p < n; p++) {
    for (gint y = 0; y < frame->height; y++) {
      const guint32 *row = (const guint32 *) (frame->data[p] + (gssize) y * frame->linesize[p]);

      for (gint x = 0; x < frame->width; x++) {
        if (row[x] == UNFILLED)
          return FALSE;
      }
    }
  }
  return TRUE;
}

/* Whether no pixel of a GIF or of a lossless WebP is transparent: the decoders give alpha to all. */
static gboolean
is_opaque (const AVCodecContext * decoder, const AVFrame * frame)
{
  const AVPixFmtDescriptor *format = av_pix_fmt_desc_get (frame->format);
  guint8 all = 255;

  if ((decoder->codec_id != AV_CODEC_ID_GIF
          && decoder->codec_id != AV_CODEC_ID_WEBP)
      || format->nb_components != 4 || format->comp[3].step != 4)
    return FALSE;
  for (gint y = 0; y < frame->height; y++) {
    for (gint x = 0; x < frame->width; x++)
      all &= frame->data[0][(gssize) y * frame->linesize[0] + 4 * x + format->comp[3].offset];
  }
  return all == 255;
}

static void
read_colors (ReportPicture * picture, const AVFrame * frame)
{
  static const enum AVPixelFormat full[] = {
    AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P
  };

  picture->matrix = frame->colorspace;
  picture->transfer = frame->color_trc;
  picture->primaries = frame->color_primaries;
  picture->range = frame->color_range == AVCOL_RANGE_MPEG ? REPORT_RANGE_LIMITED :
      frame->color_range == AVCOL_RANGE_JPEG ? REPORT_RANGE_FULL : REPORT_RANGE_UNSAID;
  for (guint i = 0; i < G_N_ELEMENTS (full); i++) {
    if (frame->format == full[i])
      picture->range = REPORT_RANGE_FULL;
  }
}

__attribute__((visibility ("default")))
gchar *report_libav_decode_image (const gchar * name, const guint8 * bytes,
    gsize n, gint64 max_pixels, ReportPicture * picture);

gchar *
report_libav_decode_image (const gchar * name, const guint8 * bytes, gsize n,
    gint64 max_pixels, ReportPicture * picture)
{
  const AVCodec *codec = avcodec_find_decoder_by_name (name);
  Image image = {.max_pixels = max_pixels,.picture = picture };
  AVCodecContext *decoder = codec != NULL ? open_decoder (codec, &image) : NULL;
  AVFrame *frame = av_frame_alloc ();
  gchar *problem = NULL;
  int error = decoder == NULL ? AVERROR_DECODER_NOT_FOUND :
      frame == NULL ? AVERROR (ENOMEM) : decode (decoder, bytes, n, frame);

  if (error < 0) {
    gchar text[AV_ERROR_MAX_STRING_SIZE];

    av_strerror (error, text, sizeof text);
    problem = g_strdup_printf ("it cannot be decoded: %s", text);
  } else if (!is_filled (frame)) {
    problem = g_strdup ("the file is cut off, or parts of the picture cannot be decoded");
  } else if (!libav_picture_take (picture, frame, libav_picture_bits (decoder))) {
    problem = g_strdup ("there is no memory for it");
  } else if (picture->format == NULL) {
    problem = g_strdup_printf ("pixels of the format %s are not measured", picture->own_format);
  } else {
    picture->has_alpha = picture->has_alpha && !is_opaque (decoder, frame);
    read_colors (picture, frame);
  }
  av_frame_free (&frame);
  avcodec_free_context (&decoder);
  return problem;
}
