/* A writer: writes what the frames of one input give.
 *
 * All functions are called from one thread, in this order: begin; then frame and set_ended in the order of arrival; then
 * end; then free. If nothing can be measured, only free is called; but see tells_unreadable. After an error only free is
 * called, too. A function that fails sets @error.
 *
 * The times of one stream never decrease. Streams interleave in another order each time: a writer gives its lines to
 * its order (order.h), which brings them into one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_WRITER_H
#define REPORT_WRITER_H

#include <gio/gio.h>

#include "cudahisto/cudahisto.h"
#include "base/order.h"
#include "base/stream.h"
#include "summary/summary.h"

G_BEGIN_DECLS

/* The base of each writer. */
typedef struct _ReportWriter ReportWriter;
struct _ReportWriter
{
  /* What the writer does by itself. Each may be NULL: nothing. */
  gboolean (*begin) (ReportWriter * writer, const ReportInput * input,
      GError ** error);
  /* A video frame, or a window of 100 ms of sound: result->is_audio says which. @result belongs to the
   * caller. */
  gboolean (*frame) (ReportWriter * writer, const ReportStream * stream,
      const HistoResult * result, const HistoTimes * times, GError ** error);
  /* @summary is finished. What was given to the order has been written before, and `to` is flushed afterwards. */
  gboolean (*end) (ReportWriter * writer, const ReportSummary * summary,
      GError ** error);
  void (*clear) (ReportWriter * writer);
  /* It also writes what is known of an input of which nothing could be measured: begin, with no stream, and end. */
  gboolean tells_unreadable;
  /* From end on: why the writer has written nothing of this input, which is no error; NULL: it has, or has nothing
   * to write. Owned. */
  gchar *refusal;
  GOutputStream *to;            /* is not closed */
  ReportOrder *order;           /* from begin on, of a writer that gives it a function; NULL: it needs none */
  ReportOrderFunc write;        /* what the order calls; NULL: no order */
};

gpointer report_writer_new (gsize size, GOutputStream * to);
gboolean report_writer_begin (ReportWriter * writer, const ReportInput * input,
    GError ** error);
gboolean report_writer_frame (ReportWriter * writer,
    const ReportStream * stream, const HistoResult * result,
    const HistoTimes * times, GError ** error);
gboolean report_writer_set_ended (ReportWriter * writer, guint stream,
    gboolean has_ended, GError ** error);
gboolean report_writer_end (ReportWriter * writer,
    ReportSummary * summary, GError ** error);
gboolean report_writer_tell (ReportWriter * writer,
    ReportSummary * summary, GError ** error);
gboolean report_writer_write (ReportWriter * writer, const gchar * text,
    gsize length, GError ** error);
void report_writer_free (ReportWriter * writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReportWriter, report_writer_free)

/* The time of a result in its stream: ns; GST_CLOCK_TIME_NONE: unknown. */
static inline guint64
report_time_of (const HistoTimes * times)
{
  return GST_CLOCK_TIME_IS_VALID (times->stream_time) ? times->stream_time :
      times->timestamp;
}

G_END_DECLS

#endif /* REPORT_WRITER_H */
