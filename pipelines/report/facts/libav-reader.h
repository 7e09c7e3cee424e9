/* Reads a stream of a file frame by frame. Part of the module.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_LIBAV_READER_H
#define REPORT_LIBAV_READER_H

#include <libavcodec/avcodec.h>

#include "facts/libav-input.h"
#include "facts/said.h"

#define SECOND G_GINT64_CONSTANT (1000000000)

typedef struct
{
  LibavInput input;
  AVStream *stream;
  AVCodecContext *decoder;      /* NULL: there is none */
  AVPacket *packet;
  AVFrame *frame;               /* the latest one */
  ReportTakePacket take_packet; /* NULL: nobody wants to know of packets */
  gpointer data;                /* for take_packet */
  gboolean is_flushed;          /* the decoder has got all packets */
  gboolean has_times;           /* the container has them; else samples and pictures are counted */
  gint64 base;                  /* ns: what becomes 0 */
  gint64 first_packet;          /* ns: when it is decoded; REPORT_NO_TIME: unknown */
  gint64 next;                  /* ns: end of the latest frame */
  gboolean has_frames;          /* some have come */
  gboolean has_lost;            /* a packet since the latest frame could not be decoded */
} LibavReader;

/* What a stream is read with. */
typedef struct
{
  ReportMustStop must_stop;
  ReportTakePacket take_packet; /* NULL: none */
  gpointer data;                /* for both */
  gint n_threads;               /* of the decoder at most */
} LibavReading;

void libav_reader_open (LibavReader * reader, gint fd, gint index,
    const LibavReading * reading);
gboolean libav_reader_receive (LibavReader * reader);
gint64 libav_reader_time (const LibavReader * reader, gint64 time);
void libav_reader_close (LibavReader * reader);

#endif /* REPORT_LIBAV_READER_H */
