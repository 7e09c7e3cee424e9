/* A writer: writes what the frames of one input give.
 *
 * All functions are called from one thread, in this order: begin; then frame and alert in the
 * order of arrival; then end; then free. If nothing can be measured, only free is called. The times of one stream never decrease, and streams
 * interleave. After an error only free is called. A function that fails sets @error.
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
};

/* Each writer has one constructor. It takes the stream, which it does not close:
 *
 *   ReportWriter *report_text_writer_new (GOutputStream * to);
 *
 * A writer is made for one input, and freed after it. */

G_END_DECLS

#endif /* REPORT_WRITER_H */
