/* The temporal stage; see temporal.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/temporal.h"

void
histo_temporal_init (HistoTemporal * temporal)
{
  temporal->last_message = GST_CLOCK_TIME_NONE;
}

/**
 * histo_temporal_restart:
 * @reason: the greatest reason since the previous result
 *
 * To be called before the first result after a break. The interval between messages is
 * counted in running time, which only a flush or a start breaks. The other reasons leave it
 * alone, so that a stream with many discontinuities gets no more messages than `interval`
 * allows.
 */
void
histo_temporal_restart (HistoTemporal * temporal, HistoRestart reason)
{
  if (reason >= HISTO_RESTART_FLUSH)
    temporal->last_message = GST_CLOCK_TIME_NONE;
}

/**
 * histo_temporal_message_is_due:
 * @running_time: of the buffer, in ns; %GST_CLOCK_TIME_NONE if unknown
 * @interval: least running time between two messages in ns; 0: each result is due
 *
 * A result is due unless it lies less than @interval after the last one that was due. A
 * result whose running time is unknown is due. So is one that lies before the last one.
 *
 * Returns: whether the result is due. The stage then counts from this result.
 */
gboolean
histo_temporal_message_is_due (HistoTemporal * temporal,
    GstClockTime running_time, GstClockTime interval)
{
  const GstClockTime last = temporal->last_message;

  if (GST_CLOCK_TIME_IS_VALID (running_time) && GST_CLOCK_TIME_IS_VALID (last)
      && running_time >= last && running_time - last < interval)
    return FALSE;
  temporal->last_message = running_time;
  return TRUE;
}
