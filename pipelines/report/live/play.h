/* The pipeline of one connection to an input that goes on: decodes it in the time of its clock, and measures its streams.
 *
 *   uridecodebin ─┬─ queue ─ cudahisto ─ fakesink                       for each stream of video
 *                 ├─ queue ─ audiobuffersplit ─ cudahisto ─ fakesink    for each stream of sound
 *                 └─ fakesink                                           for all others
 *
 * The input "test" has a picture and a tone of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_PLAY_H
#define REPORT_PLAY_H

#include "base/stream.h"
#include "input/settings.h"

G_BEGIN_DECLS

/* The name of the input that needs no source. */
#define REPORT_TEST_INPUT "test"
/* More streams of an input are not measured. */
#define REPORT_MOST_PLAYED 16

typedef struct _ReportPlay ReportPlay;

/* What a stream has used and lost since the connection began. */
typedef struct
{
  guint64 n_buffers;
  guint64 n_late;               /* that came more than a frame too late to the sink */
  guint64 decoder_time;         /* ns of the thread that decodes */
  guint64 element_time, device_time;    /* ns: of cudahisto, on processors and on the GPU */
} ReportPlayCounts;

ReportPlay *report_play_new (const gchar * uri, const ReportSettings * settings, gint n_threads, gdouble rate);
gboolean report_play_start (ReportPlay * play);
void report_play_free (ReportPlay * play);
GstMessage *report_play_pop (ReportPlay * play, gint64 timeout);
guint report_play_n_streams (ReportPlay * play);
gint report_play_stream_of (ReportPlay * play, const GstMessage * message);
void report_play_describe (ReportPlay * play, guint stream, ReportStream * described);
GstCaps *report_play_caps (ReportPlay * play, guint stream, guint * serial);
GstBuffer *report_play_take_frame (ReportPlay * play, guint stream, GstCaps ** caps, guint64 * time);
void report_play_clean (ReportPlay * play);
void report_play_count (ReportPlay * play, guint stream, ReportPlayCounts * counts);

G_END_DECLS

#endif /* REPORT_PLAY_H */
