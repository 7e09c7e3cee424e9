/* The temporal stage: decisions and values that depend on several buffers. It lies between
 * the counts of a buffer and its publication.
 *
 * Buffers pass through the stage in stream order, one at a time. Different threads may call
 * it, but never two at the same time, so there is no lock.
 *
 * Today it decides which results are due for a message (`interval`), before their figures
 * are computed: a result that is neither attached nor due costs nothing. Windows, alerts and
 * running values belong here, too; they will get the result tree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_TEMPORAL_H
#define HISTO_TEMPORAL_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Why the stage restarts. A later reason includes what the earlier ones restart, so the
 * maximum of several reasons stands for all of them. */
typedef enum
{
  HISTO_RESTART_NONE,
  HISTO_RESTART_DISCONTINUITY,  /* a DISCONT flag or a new segment: the previous buffer is no
                                 * neighbour of this one; running time goes on */
  HISTO_RESTART_CAPS,           /* another format: the results before have other components */
  HISTO_RESTART_FLUSH           /* a flush or a start: running time begins anew */
} HistoRestart;

typedef struct
{
  GstClockTime last_message;    /* running time of the last result that was due */
} HistoTemporal;

void histo_temporal_init (HistoTemporal * temporal);
void histo_temporal_restart (HistoTemporal * temporal, HistoRestart reason);
gboolean histo_temporal_message_is_due (HistoTemporal * temporal,
    GstClockTime running_time, GstClockTime interval);

G_END_DECLS

#endif /* HISTO_TEMPORAL_H */
