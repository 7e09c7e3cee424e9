/* What is measured of an input goes on to somebody else, too: frames and samples, buffer by buffer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_TAP_H
#define REPORT_TAP_H

#include "base/stream.h"

G_BEGIN_DECLS

typedef struct
{
  gpointer data;
  /* The streams are listed: once, before all buffers. */
  void (*begin) (gpointer data, const ReportStream * streams, guint n);
  /* A buffer of a stream, in a thread of the pipeline. It may wait, and keep the buffer.
   * @caps: of the buffer, corrected by what the file says
   * @time: stream time in ns; GST_CLOCK_TIME_NONE: unknown */
  void (*take) (gpointer data, guint stream, GstBuffer * buffer, GstCaps * caps, guint64 time);
  /* From now on take() does not wait: measuring ends. May be called many times. */
  void (*open) (gpointer data);
} ReportTap;

G_END_DECLS

#endif /* REPORT_TAP_H */
