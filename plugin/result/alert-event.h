/* An alert that begins or ends: what the temporal stage finds, and what the message says.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_ALERT_EVENT_H
#define HISTO_ALERT_EVENT_H

#include "result/alerts.h"

G_BEGIN_DECLS

typedef struct
{
  HistoAlert alert;
  gboolean is_end;              /* else the alert begins */
  /* Where it was found; each NULL if the alert has none. Valid as long as the event is. */
  const gchar *component, *channel, *region;
  guint64 start;                /* stream time in ns; GST_CLOCK_TIME_NONE if unknown */
  guint64 end;                  /* the same; of a begin: GST_CLOCK_TIME_NONE */
  gdouble value, threshold;     /* in the unit of the alert's setting */
} HistoAlertEvent;

G_END_DECLS

#endif /* HISTO_ALERT_EVENT_H */
