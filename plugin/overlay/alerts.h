/* The alerts that are shown: those of the latest results, and those that have ended a moment ago.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_ALERTS_H
#define HISTO_OVERLAY_ALERTS_H

#include "cudahisto/alert.h"
#include "cudahisto/result.h"

G_BEGIN_DECLS

/* Alerts that are remembered. More cannot be read. */
#define HISTO_MOST_ALERTS 64

/* One alert. Padding is 0. */
typedef struct
{
  HistoAlert alert;
  gchar rule[48];               /* of HISTO_ALERT_RULE: its id */
  /* Region, channels, pair or zone; empty: the whole picture, or the only channel. */
  gchar place[48];
  guint64 start;                /* stream time in ns; GST_CLOCK_TIME_NONE: unknown */
  gdouble value;
  /* Running time in ns of the latest buffer that had it; GST_CLOCK_TIME_NONE: unknown. */
  guint64 latest;
} HistoShownAlert;

typedef struct
{
  guint n;
  HistoShownAlert alerts[HISTO_MOST_ALERTS];    /* in the order in which they were added */
} HistoAlertList;

void histo_alert_list_add (HistoAlertList * list, const GArray * events,
    const HistoResult * result, guint64 time);
void histo_alert_list_merge (HistoAlertList * list,
    const HistoAlertList * others);
void histo_alert_list_expire (HistoAlertList * list, guint64 time,
    guint64 hold);

G_END_DECLS

#endif /* HISTO_OVERLAY_ALERTS_H */
