/* Decodes a stream of video of a file with libav, for what GStreamer's demuxers and decoders lose. Part of the module.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "facts/libav-picture.h"
#include "facts/libav-reader.h"

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
    .pixel = rational (pixel),.rate = rational (reader->stream->avg_frame_rate),
    .time = reader->next,.duration = duration_of (reader, frame),
    /* What could not be decoded at all is missing, which its time shows. */
    .is_damaged = (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0
  };
  if (reader->has_times && frame->best_effort_timestamp != AV_NOPTS_VALUE)
    picture->time = MAX (0, libav_reader_time (reader, frame->best_effort_timestamp));
  reader->has_lost = FALSE;
  reader->next = picture->time + picture->duration;
  read_fields (picture, frame);
  return libav_picture_take (picture, frame, libav_picture_bits (reader->decoder));
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
