/* A writer: writes what the frames of one input give.
 *
 * All functions are called from one thread, in this order: begin; then frame, alert and stream in
 * the order of arrival; then end; then free. If nothing can be measured, only free is called; but
 * see tells_unreadable. After an error only free is called, too. A function that fails sets @error.
 *
 * The times of one stream never decrease. Streams interleave in another order each time; order.h
 * has what brings them into one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_WRITER_H
#define REPORT_WRITER_H

#include <gio/gio.h>

#include "cudahisto/cudahisto.h"
#include "stream.h"
#include "summary.h"

G_BEGIN_DECLS

typedef struct _ReportWriter ReportWriter;
struct _ReportWriter
{
  gboolean (*begin) (ReportWriter * writer, const ReportInput * input,
      GError ** error);
  /* A video frame, or a window of 100 ms of sound: result->is_audio tells. @result belongs to the
   * caller. */
  gboolean (*frame) (ReportWriter * writer, const ReportStream * stream,
      const HistoResult * result, const HistoTimes * times, GError ** error);
  gboolean (*alert) (ReportWriter * writer, const ReportStream * stream,
      const HistoAlertEvent * event, GError ** error);
  /* @summary is finished. Flushes what the writer has buffered; the caller closes the stream that
   * the writer was given. */
  gboolean (*end) (ReportWriter * writer, const ReportSummary * summary,
      GError ** error);
  void (*free) (ReportWriter * writer);
  /* NULL: not needed. A stream has ended, or goes on after its end, in a chained file. */
  gboolean (*stream) (ReportWriter * writer, const ReportStream * stream,
      gboolean has_ended, GError ** error);
  /* It also writes what is known of an input of which nothing could be measured: begin, with no stream, and end. */
  gboolean tells_unreadable;
};

/* The time of a result in its stream: ns; GST_CLOCK_TIME_NONE: unknown. */
static inline guint64
report_time_of (const HistoTimes * times)
{
  return GST_CLOCK_TIME_IS_VALID (times->stream_time) ? times->stream_time :
      times->timestamp;
}

/* Each writer has one constructor. It takes the stream, which it does not close:
 *
 *   ReportWriter *report_text_writer_new (GOutputStream * to);
 *
 * A writer is made for one input, and freed after it. */

G_END_DECLS

#endif /* REPORT_WRITER_H */
