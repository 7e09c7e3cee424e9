/* Reads a stream of a file frame by frame; see libav-reader.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "facts/libav-reader.h"

#include <errno.h>
#include <unistd.h>

static const AVRational ns = { 1, SECOND };

/* Returns: what a time of the container is in ns of stream time, which may be before 0; REPORT_NO_TIME: unknown */
gint64
libav_reader_time (const LibavReader * reader, gint64 time)
{
  return time == AV_NOPTS_VALUE ? REPORT_NO_TIME :
      av_rescale_q (time, reader->stream->time_base, ns) - reader->base;
}

/* ---- Packets and frames ----------------------------------------------------------------------- */

static void
tell_packet (LibavReader * reader, const AVPacket * packet)
{
  const ReportPacket told = {
    .time = libav_reader_time (reader, packet->pts),
    .decoding_time = libav_reader_time (reader, packet->dts),
    .duration = av_rescale_q (packet->duration, reader->stream->time_base, ns),
    .n_bytes = packet->size,
    .is_key = (packet->flags & AV_PKT_FLAG_KEY) != 0,
    .is_damaged = (packet->flags & AV_PKT_FLAG_CORRUPT) != 0,
    .is_hidden = (packet->flags & AV_PKT_FLAG_DISCARD) != 0
  };

  if (reader->first_packet == REPORT_NO_TIME)
    reader->first_packet = told.decoding_time;
  if (reader->take_packet != NULL)
    reader->take_packet (&told, reader->data);
}

/* Whether sound may begin within a packet: some containers cut it anywhere, and GStreamer's parsers leave out what is before
 * the first whole packet, too. */
static gboolean
begins_anywhere (const LibavReader * reader)
{
  static const gchar *const containers[] = { "avi", "mpeg", "mpegts", NULL };

  return reader->stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO
      && libav_format_has_name (reader->input.context->iformat, containers);
}

static void
note_lost (LibavReader * reader)
{
  reader->has_lost = reader->has_frames || !begins_anywhere (reader);
}

/* Reads up to the next packet of the stream, and gives it to the decoder, or tells it that there is none. What cannot be
 * decoded is left out, as ffmpeg does. The frame behind it says so: GStreamer's decoder of the same stream, if there is one,
 * tells of damage only by the times of what it gives, which is not what is measured.
 *
 * Returns: FALSE: the decoder gives nothing more */
static gboolean
send_packet (LibavReader * reader)
{
  gboolean is_sent = FALSE;

  if (reader->is_flushed)
    return FALSE;
  while (!is_sent && !libav_input_is_over (&reader->input)
      && av_read_frame (reader->input.context, reader->packet) >= 0) {
    is_sent = reader->packet->stream_index == reader->stream->index;
    if (is_sent) {
      tell_packet (reader, reader->packet);
      if (avcodec_send_packet (reader->decoder, reader->packet) < 0)
        note_lost (reader);
    }
    av_packet_unref (reader->packet);
  }
  reader->is_flushed = !is_sent;
  return is_sent || avcodec_send_packet (reader->decoder, NULL) >= 0;
}

/* Returns: FALSE: the stream has no more frames */
gboolean
libav_reader_receive (LibavReader * reader)
{
  int error;

  if (reader->decoder == NULL)
    return FALSE;
  av_frame_unref (reader->frame);
  do {
    error = avcodec_receive_frame (reader->decoder, reader->frame);
    if (error >= 0) {
      reader->has_frames = TRUE;
      return TRUE;
    }
    if (error != AVERROR (EAGAIN) && error != AVERROR_EOF)
      note_lost (reader);
  } while (send_packet (reader));
  return FALSE;
}

/* ---- The file --------------------------------------------------------------------------------- */

static AVCodecContext *
open_decoder (const AVStream * stream, gint n_threads)
{
  const AVCodec *codec = avcodec_find_decoder (stream->codecpar->codec_id);
  AVCodecContext *decoder = codec != NULL ? avcodec_alloc_context3 (codec) :
      NULL;

  if (decoder == NULL)
    return NULL;
  decoder->thread_count = n_threads;
  /* As GStreamer's plugin does: the decoder compares what has a checksum. */
  decoder->err_recognition = AV_EF_CRCCHECK;
  /* The decoder takes the padding away that the container or the encoder names. */
  decoder->pkt_timebase = stream->time_base;
  if (avcodec_parameters_to_context (decoder, stream->codecpar) < 0
      || avcodec_open2 (decoder, codec, NULL) < 0)
    avcodec_free_context (&decoder);
  return decoder;
}

/* A packet of a transport stream, and how many of its begin are searched. */
#define PACKET_BYTES 188
#define SYNC_BYTE 0x47
#define SEARCHED_BYTES (1 << 20)

/* GStreamer counts the times of a transport stream from its first clock reference on, which libav does not tell.
 *
 * @pid: of the packets that have the clock references
 *
 * Returns: in units of 1 / 90000 s; 0: there is none at the begin */
static gint64
find_first_clock (gint fd, gint pid)
{
  g_autofree guint8 *bytes = g_malloc (SEARCHED_BYTES);
  const gssize n = pread (fd, bytes, SEARCHED_BYTES, 0);

  for (gssize i = 0; i + PACKET_BYTES < n; i++) {
    const guint8 *packet = bytes + i;

    if (packet[0] != SYNC_BYTE || packet[PACKET_BYTES] != SYNC_BYTE)
      continue;
    /* An adaptation field that is long enough and has the flag. */
    if (((packet[1] & 0x1f) << 8 | packet[2]) == pid && (packet[3] & 0x20) != 0 && packet[4] >= 7
        && (packet[5] & 0x10) != 0)
      return (gint64) packet[6] << 25 | packet[7] << 17 | packet[8] << 9 | packet[9] << 1 | packet[10] >> 7;
    i += PACKET_BYTES - 1;
  }
  return 0;
}

/* Returns: which time of the container becomes 0, in ns */
static gint64
find_base (AVFormatContext * context, const AVStream * stream, gint fd)
{
  static const gchar *const of_transport[] = { "mpegts", NULL };
  const AVProgram *program = av_find_program_from_stream (context, NULL, stream->index);

  if (libav_format_has_name (context->iformat, of_transport) && program != NULL && program->pcr_pid > 0)
    return av_rescale (find_first_clock (fd, program->pcr_pid), SECOND, 90000);
  /* What has one stream of sound begins with it. */
  return context->nb_streams == 1 && stream->start_time != AV_NOPTS_VALUE
      && stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO ?
      av_rescale_q (stream->start_time, stream->time_base, ns) : 0;
}

/* Whether packets have times of their own. Those of WAV are worked out from the number of bytes. FFmpeg writes the lengths of
 * packets of E-AC-3 into AVI as if each byte were a sample (5.1). MXF says when a picture is decoded, and not always when it is
 * shown: the rate is constant. */
static gboolean
has_times (const AVInputFormat * format, const AVStream * stream)
{
  static const gchar *const wav[] = { "wav", NULL }, *const avi[] = { "avi", NULL }, *const mxf[] = { "mxf", NULL };

  return !libav_format_has_name (format, wav)
      && !(libav_format_has_name (format, mxf) && stream->codecpar->video_delay > 0)
      && !(libav_format_has_name (format, avi) && stream->codecpar->codec_id == AV_CODEC_ID_EAC3);
}

/* @reader: (out): to be closed with libav_reader_close(). It has no frame if the stream cannot be read.
 * @index: of the stream */
void
libav_reader_open (LibavReader * reader, gint fd, gint index,
    const LibavReading * reading)
{
  AVFormatContext *context;

  *reader = (LibavReader) {
    .packet = av_packet_alloc (),.frame = av_frame_alloc (),
    .take_packet = reading->take_packet,.data = reading->data,.first_packet = REPORT_NO_TIME
  };
  libav_input_open (&reader->input, fd, reading->must_stop, reading->data, FALSE);
  context = reader->input.context;
  if (context == NULL || avformat_find_stream_info (context, NULL) < 0
      || (guint) index >= context->nb_streams)
    return;
  for (guint s = 0; s < context->nb_streams; s++)
    context->streams[s]->discard = (gint) s == index ? AVDISCARD_DEFAULT :
        AVDISCARD_ALL;
  reader->stream = context->streams[index];
  reader->has_times = has_times (context->iformat, reader->stream);
  reader->base = find_base (context, reader->stream, fd);
  reader->decoder = open_decoder (reader->stream, reading->n_threads);
}

void
libav_reader_close (LibavReader * reader)
{
  avcodec_free_context (&reader->decoder);
  av_frame_free (&reader->frame);
  av_packet_free (&reader->packet);
  libav_input_close (&reader->input);
}
