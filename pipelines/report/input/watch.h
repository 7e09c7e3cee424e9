/* Watches what enters and leaves decoders: the times of frames and samples, and their flags.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_WATCH_H
#define REPORT_WATCH_H

#include <gst/audio/audio.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include "facts/said.h"

G_BEGIN_DECLS

/* Times of a container are rounded to its clock, mostly to ms. */
#define REPORT_ROUNDING (GST_MSECOND + GST_MSECOND / 5)

/* A part of a stream. Times are stream times in ns. */
typedef struct
{
  guint64 start, end;
  guint64 count;                /* frames, samples or buffers */
} ReportSpan;

/* What enters a decoder and what leaves it. */
typedef struct
{
  GstElement *element;          /* NULL: libav decodes */
  gboolean is_video;
  gint *has_own_times;
  GMutex lock;                  /* of what follows */
  GstSegment in_segment, out_segment;
  guint64 n_in, n_out;          /* buffers */
  guint64 n_in_segment;
  guint64 n_timed;              /* of those that entered: within the segment, and to be shown */
  guint64 n_unknown;            /* that left with a time that none had that entered */
  GArray *pending;              /* of guint64: times of frames that have not left yet, sorted */
  guint64 first_key;            /* time of the first frame that needs no other; NONE: none yet */
  guint64 last_in;              /* the latest time of what entered */
  guint64 next_dts;             /* end of the previous buffer in the order of decoding; NONE: unknown */
  guint64 n_followed, n_breaks; /* buffers that begin there, and others */
  guint64 n_bytes;              /* that entered */
  GArray *lost_data;            /* of ReportSpan: before each of these places something was lost */
  GArray *discontinuities;      /* the same, if discontinuities mark them */
  guint64 n_discontinuous;
} ReportDecoderWatch;

/* Distances between frames that follow each other and are alike. */
typedef struct
{
  guint64 start;                /* time of the frame before the first one */
  guint64 sum;                  /* of the distances */
  guint64 count;
} ReportRun;

/* By how much the times of sound are ahead of the samples, in ns. */
typedef struct
{
  guint64 first, sum;           /* time of the first buffer, and the length of all since */
  gint64 usual, least;          /* least: since the times are ahead of the usual distance */
  guint n, n_behind;            /* buffers in a row that are ahead, or behind */
  guint64 place;                /* where the first of them should have begun */
} ReportAhead;

/* The end of a stream, which is measured. */
typedef struct
{
  GstPad *pad;
  gchar *id;                    /* of the stream, which its decoder has, too; NULL: unknown */
  gint *has_own_times;
  GMutex lock;                  /* of what follows */
  GstSegment segment;
  gboolean is_audio;
  const ReportSaidStream *said; /* what the file says; NULL: unknown */
  gboolean is_part;             /* it is measured as a part of another stream: of this one only damage counts */
  ReportDecoderWatch *decoder;  /* of libav, which decodes; NULL: an element does */
  gboolean is_trimmed;          /* what the encoder added at the ends is left out; the decoder has it */
  gint rate, frame_bytes;       /* of sound */
  GstAudioInfo audio;           /* of the caps */
  gdouble frame_rate;           /* of the caps; 0: unknown or variable */
  GstVideoInfo video;           /* of the caps */
  guint64 n_buffers, n_bytes;
  guint64 n_samples;            /* of each channel of sound */
  guint64 n_interlaced, n_top;  /* frames of two fields; those of them whose top field comes first */
  guint64 n_fields;             /* buffers of one field */
  gboolean has_order;           /* somebody says which field of interlaced frames comes first */
  gchar *timecode;              /* of the first buffer; NULL: unknown */
  guint64 first, last;          /* times of the first and of the latest buffer; NONE: none yet */
  guint64 latest_timestamp;     /* end of the latest buffer as its own timestamp says */
  guint64 end;                  /* of the latest buffer, if its duration is known */
  GArray *runs;                 /* of ReportRun: video */
  ReportAhead ahead;            /* sound */
  guint64 n_untimed;            /* buffers without a timestamp */
  gboolean is_untimed;          /* the latest has none */
  GArray *gaps;                 /* of ReportSpan: sound; the count is of samples */
  GArray *overlaps;             /* of ReportSpan: sound: buffers that begin before the end of the one before */
  GArray *jumps_back;           /* of ReportSpan: buffers that begin before the begin of the one before */
  ReportSpan backwards;         /* times that are before the previous one */
  GArray *corrupted;            /* of ReportSpan: buffers with GST_BUFFER_FLAG_CORRUPTED */
} ReportStreamWatch;

ReportDecoderWatch *report_decoder_watch_new (GstElement * decoder,
    gint * has_own_times);
ReportDecoderWatch *report_decoder_watch_new_of_libav (gboolean is_video);
void report_decoder_watch_take_packet (ReportDecoderWatch * watch,
    const ReportPacket * packet);
void report_decoder_watch_take_frame (ReportDecoderWatch * watch,
    guint64 time);
void report_decoder_watch_free (ReportDecoderWatch * watch);
gboolean report_discontinuities_tell (const ReportDecoderWatch * watch);
ReportStreamWatch *report_stream_watch_new (GstPad * pad,
    gchar * id, gint * has_own_times);
void report_stream_watch_finish (ReportStreamWatch * watch,
    gboolean has_times);
gboolean report_stream_watch_knows_fields (const ReportStreamWatch * watch);
void report_stream_watch_free (ReportStreamWatch * watch);

G_END_DECLS

#endif /* REPORT_WATCH_H */
