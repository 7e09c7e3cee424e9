/* Follows the conditions of the alerts from buffer to buffer, and tells which alerts begin and end.
 *
 * Of video each condition is checked for the whole picture and for each region of the property
 * `regions`; of audio for all channels together, and clipping for each channel. The regions
 * that the metas of a buffer describe have no alerts.
 *
 * - An alert with a minimum duration begins with the buffer at whose end the condition has held
 *   that long. Its start is the begin of the first buffer for which the condition held.
 * - An alert ends where the first buffer begins for which the condition does not hold.
 * - `scene` begins and ends with the same buffer.
 * - At a discontinuity, a flush, other caps and the end of the stream, and when it is switched
 *   off, an alert ends with the end of the latest buffer.
 * - A buffer without a stream time begins where the one before ends. As long as no time is known,
 *   alerts with a minimum duration do not begin; they count from the first time that is known.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_ALERT_STATES_H
#define HISTO_ALERT_STATES_H

#include "result/alerts.h"
#include "result/passing.h"

G_BEGIN_DECLS

/* One alert at one place. */
typedef struct
{
  gboolean holds;               /* the condition, for the latest buffer */
  gboolean is_open;             /* it has held for the minimum duration: the alert has begun */
  guint64 start, end;           /* stream time in ns of the buffers for which the condition held;
                                 * GST_CLOCK_TIME_NONE: unknown */
  gdouble value, threshold;     /* of the latest buffer */
} HistoAlertState;

/* What alerts remember between buffers. */
typedef struct
{
  HistoPlan *plan;              /* of the latest buffer; NULL before the first one */
  HistoPlan *earlier_plan;      /* the one before: events may still have its names; NULL: none */
  guint n_places;               /* of video: the picture and the fixed regions; of audio: channels */
  HistoAlertState *states;      /* of each alert at each place */
  guint64 previous_start;       /* of the buffer before; GST_CLOCK_TIME_NONE: there is none */
  guint64 previous_end;         /* of that buffer; GST_CLOCK_TIME_NONE: unknown */
} HistoAlerts;

void histo_alerts_init (HistoAlerts * alerts);
void histo_alerts_clear (HistoAlerts * alerts);

gboolean histo_alerts_are_followed (const HistoAlerts * alerts);
void histo_alerts_pass (HistoAlerts * alerts,
    const HistoAlertSettings * settings, const HistoPassing * buffer,
    GArray * events);
void histo_alerts_skip (HistoAlerts * alerts, const HistoPassing * buffer);
void histo_alerts_end (HistoAlerts * alerts, GArray * events);
void histo_alerts_list (const HistoAlerts * alerts, const GArray * events,
    GArray * current);

G_END_DECLS

#endif /* HISTO_ALERT_STATES_H */
