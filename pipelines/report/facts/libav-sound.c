/* Decodes a stream of sound of a file with libav, for what GStreamer's demuxers and decoders lose. Part of the module.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <libavcodec/avcodec.h>
#include <string.h>

#include "facts/libav-input.h"
#include "facts/said.h"

/* What becomes of decoded sound. */
typedef struct
{
  ReportTakeSound take;
  gpointer data;
  AVRational time_base;         /* of the stream */
  gboolean has_times;           /* the container has them; else samples are counted */
  gint64 base;                  /* in its units: what becomes 0 */
  gint64 next;                  /* ns: end of the latest frame */
  gboolean has_lost;            /* a packet since the latest frame could not be decoded */
  guint8 *samples;              /* interleaved */
  guint n_bytes;                /* that have room there */
} Sink;

static const gchar *
format_of (enum AVSampleFormat format)
{
  switch (av_get_packed_sample_fmt (format)) {
    case AV_SAMPLE_FMT_U8:
      return "U8";
    case AV_SAMPLE_FMT_S16:
      return G_BYTE_ORDER == G_LITTLE_ENDIAN ? "S16LE" : "S16BE";
    case AV_SAMPLE_FMT_S32:
      return G_BYTE_ORDER == G_LITTLE_ENDIAN ? "S32LE" : "S32BE";
    case AV_SAMPLE_FMT_FLT:
      return G_BYTE_ORDER == G_LITTLE_ENDIAN ? "F32LE" : "F32BE";
    case AV_SAMPLE_FMT_DBL:
      return G_BYTE_ORDER == G_LITTLE_ENDIAN ? "F64LE" : "F64BE";
    default:
      return NULL;
  }
}

/* @sound: (out): the samples of all channels in turn, as long as the frame lives, or until the next call
 *
 * Returns: FALSE: there is no room for them */
static gboolean
interleave (Sink * sink, const AVFrame * frame, ReportSound * sound)
{
  const guint size = av_get_bytes_per_sample (frame->format);
  const guint channels = frame->ch_layout.nb_channels;

  sound->n_bytes = (gsize) size *channels * frame->nb_samples;
  sound->samples = frame->extended_data[0];
  if (!av_sample_fmt_is_planar (frame->format) || channels == 1)
    return TRUE;
  av_fast_malloc (&sink->samples, &sink->n_bytes, sound->n_bytes);
  if (sink->samples == NULL)
    return FALSE;
  for (guint c = 0; c < channels; c++) {
    for (gint i = 0; i < frame->nb_samples; i++)
      memcpy (sink->samples + ((gsize) i * channels + c) * size,
          frame->extended_data[c] + (gsize) i * size, size);
  }
  sound->samples = sink->samples;
  return TRUE;
}

/* Returns: FALSE: no more is wanted */
static gboolean
take_frame (Sink * sink, const AVFrame * frame)
{
  ReportSound sound = {
    .format = format_of (frame->format),.rate = frame->sample_rate,
    .channels = frame->ch_layout.nb_channels,.time = sink->next,
    .n_samples = frame->nb_samples,.is_damaged = sink->has_lost
  };

  if (sound.format == NULL || sound.rate <= 0 || sound.channels <= 0)
    return FALSE;
  sound.channel_mask = libav_channel_mask (&frame->ch_layout);
  if (sink->has_times && frame->best_effort_timestamp != AV_NOPTS_VALUE)
    sound.time = MAX (0,
        av_rescale_q (frame->best_effort_timestamp - sink->base,
            sink->time_base, (AVRational) {
            1, 1000000000}));
  sink->has_lost = FALSE;
  sink->next = sound.time + av_rescale (frame->nb_samples, 1000000000,
      sound.rate);
  return interleave (sink, frame, &sound) && sink->take (&sound, sink->data);
}

/* Returns: FALSE: no more is wanted */
static gboolean
take_frames (Sink * sink, AVCodecContext * decoder, AVFrame * frame)
{
  gboolean is_wanted = TRUE;
  int error = 0;

  while (is_wanted && (error = avcodec_receive_frame (decoder, frame)) >= 0) {
    if (frame->nb_samples > 0)
      is_wanted = take_frame (sink, frame);
    av_frame_unref (frame);
  }
  sink->has_lost = sink->has_lost || (error < 0 && error != AVERROR (EAGAIN)
      && error != AVERROR_EOF);
  return is_wanted;
}

static AVCodecContext *
open_decoder (const AVStream * stream)
{
  const AVCodec *codec = avcodec_find_decoder (stream->codecpar->codec_id);
  AVCodecContext *decoder = codec != NULL ? avcodec_alloc_context3 (codec) :
      NULL;

  if (decoder == NULL)
    return NULL;
  decoder->thread_count = 1;
  /* The decoder takes the padding away that the container or the encoder names. */
  decoder->pkt_timebase = stream->time_base;
  if (avcodec_parameters_to_context (decoder, stream->codecpar) < 0
      || avcodec_open2 (decoder, codec, NULL) < 0)
    avcodec_free_context (&decoder);
  return decoder;
}

static void
decode (LibavInput * input, const AVStream * stream, Sink * sink)
{
  AVCodecContext *decoder = open_decoder (stream);
  AVPacket *packet = av_packet_alloc ();
  AVFrame *frame = av_frame_alloc ();
  gboolean is_wanted = decoder != NULL;

  /* What cannot be decoded is left out, as ffmpeg does. The frame behind it says so: GStreamer's decoder of the same stream
   * tells of damage only by the times of what it gives, which is not what is measured. */
  while (is_wanted && !libav_input_is_over (input)
      && av_read_frame (input->context, packet) >= 0) {
    if (packet->stream_index == stream->index) {
      if (avcodec_send_packet (decoder, packet) < 0)
        sink->has_lost = TRUE;
      is_wanted = take_frames (sink, decoder, frame);
    }
    av_packet_unref (packet);
  }
  if (is_wanted && avcodec_send_packet (decoder, NULL) >= 0)
    take_frames (sink, decoder, frame);
  av_frame_free (&frame);
  av_packet_free (&packet);
  avcodec_free_context (&decoder);
}

__attribute__((visibility ("default")))
void report_libav_decode_sound (gint fd, gint index,
    ReportMustStop must_stop, ReportTakeSound take, gpointer data);

void
report_libav_decode_sound (gint fd, gint index,
    ReportMustStop must_stop, ReportTakeSound take, gpointer data)
{
  /* Its times are worked out from the number of bytes. */
  static const gchar *const without_times[] = { "wav", NULL };
  Sink sink = {.take = take,.data = data };
  LibavInput input;

  libav_input_open (&input, fd, must_stop, data, FALSE);
  if (input.context != NULL
      && avformat_find_stream_info (input.context, NULL) >= 0
      && (guint) index < input.context->nb_streams) {
    AVStream *stream = input.context->streams[index];

    for (guint s = 0; s < input.context->nb_streams; s++)
      input.context->streams[s]->discard = (gint) s == index ?
          AVDISCARD_DEFAULT : AVDISCARD_ALL;
    sink.time_base = stream->time_base;
    sink.has_times = !libav_format_has_name (input.context->iformat, without_times);
    /* What has one stream begins with it. */
    if (input.context->nb_streams == 1 && stream->start_time != AV_NOPTS_VALUE)
      sink.base = stream->start_time;
    decode (&input, stream, &sink);
  }
  av_freep (&sink.samples);
  libav_input_close (&input);
}
