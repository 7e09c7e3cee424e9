/* A window: the sum of the counts of all buffers in a span of stream time. From the sums the
 * window's result is made as that of one buffer.
 *
 * Window k covers the stream time from k · length to (k + 1) · length. A buffer belongs to the
 * window in which it begins.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_WINDOW_H
#define HISTO_WINDOW_H

#include "result/fill.h"
#include "result/passing.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 length;               /* ns */
  HistoPlan *plan;              /* of the buffers in the window; NULL: no window is open */
  guint64 index;                /* k; HISTO_NO_INDEX until a buffer with stream time comes */
  gboolean is_interrupted;      /* there was a segment after the latest buffer */

  guint64 n_buffers;
  HistoTimes times;             /* of the earliest buffer by stream time */
  guint64 latest;               /* stream time of the latest begin; GST_CLOCK_TIME_NONE: unknown */
  guint64 end;                  /* stream time of the latest end; GST_CLOCK_TIME_NONE: unknown */
  guint64 duration;             /* of all buffers; GST_CLOCK_TIME_NONE: unknown */
  const gchar *backend;         /* of the latest buffer */

  /* The sums. Of video: for the picture and the fixed regions. */
  guint n_regions;
  gsize n_counters, n_tallies;
  guint64 *counters, *tallies;  /* of the tallies only the lines */
  guint64 *joints;              /* the counters of joint components */
  unsigned __int128 *wide_tallies;      /* HISTO_N_TALLIES of each region */
  HistoTotals *totals;          /* of audio: one for each channel; the sums of integers are not used */
  HistoWideSums *wide_sums;     /* of audio: one for each channel */
  guint64 *n_pixels;            /* of a plan with a mask: of each region; else NULL */
  guint64 n_frames, n_with_previous, n_samples;
  /* The running values of each region: those of the table that are not sums, the greatest or those of the latest
   * buffer, and the greatest of the zones. The other figures are not used. */
  HistoGroupFigures *running;
} HistoWindow;

#define HISTO_NO_INDEX G_MAXUINT64

void histo_window_init (HistoWindow * window);
void histo_window_clear (HistoWindow * window);

gboolean histo_window_is_open (const HistoWindow * window);
void histo_window_interrupt (HistoWindow * window);
gboolean histo_window_has_place (const HistoWindow * window,
    const HistoPassing * buffer, guint64 length);
gboolean histo_window_add (HistoWindow * window, const HistoPassing * buffer,
    guint64 length, GError ** error);
void histo_window_finish (HistoWindow * window, HistoHistograms histograms,
    HistoResult * result, HistoTimes * times, guint64 * n_buffers);

G_END_DECLS

#endif /* HISTO_WINDOW_H */
