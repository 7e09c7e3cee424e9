/* The alerts that are shown; see alert-list.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/alert-list.h"

#include <string.h>

static void
set (HistoShownAlert * shown, const HistoAlertEvent * event, guint64 time)
{
  const gchar *place = event->region != NULL ? event->region :
      event->channel != NULL ? event->channel : event->component;

  memset (shown, 0, sizeof *shown);
  shown->alert = event->alert;
  if (place != NULL)
    g_strlcpy (shown->place, place, sizeof shown->place);
  shown->start = event->start;
  shown->value = event->value;
  shown->latest = time;
}

/* An alert that began before any time was known gets its begin later. */
static HistoShownAlert *
find (HistoAlertList * list, const HistoShownAlert * wanted)
{
  for (guint i = 0; i < list->n; i++) {
    HistoShownAlert *shown = &list->alerts[i];

    if (shown->alert == wanted->alert && (shown->start == wanted->start
            || !GST_CLOCK_TIME_IS_VALID (shown->start))
        && g_str_equal (shown->place, wanted->place))
      return shown;
  }
  return NULL;
}

/* An alert that is in the list gets the new value and time. If the list is full, the oldest alert
 * leaves it. */
static void
add (HistoAlertList * list, const HistoShownAlert * shown)
{
  HistoShownAlert *old = find (list, shown);

  if (old != NULL) {
    *old = *shown;
    return;
  }
  if (list->n == HISTO_MOST_ALERTS) {
    list->n--;
    memmove (list->alerts, list->alerts + 1, list->n * sizeof *shown);
  }
  list->alerts[list->n++] = *shown;
}

/* @events: (element-type HistoAlertEvent): the alerts of a buffer
 * @time: running time of the buffer in ns */
void
histo_alert_list_add (HistoAlertList * list, const GArray * events,
    guint64 time)
{
  for (guint i = 0; i < events->len; i++) {
    HistoShownAlert shown;

    set (&shown, &g_array_index (events, HistoAlertEvent, i), time);
    add (list, &shown);
  }
}

/* Adds the alerts of another list. */
void
histo_alert_list_merge (HistoAlertList * list, const HistoAlertList * others)
{
  for (guint i = 0; i < others->n; i++)
    add (list, &others->alerts[i]);
}

/**
 * histo_alert_list_expire:
 * @time: running time in ns; GST_CLOCK_TIME_NONE: unknown
 *
 * Removes the alerts that no buffer has had for longer than @hold. If the time of the buffer was unknown, the
 * age of the alert counts from the first @time that is known.
 */
void
histo_alert_list_expire (HistoAlertList * list, guint64 time, guint64 hold)
{
  guint n = 0;

  for (guint i = 0; i < list->n; i++) {
    HistoShownAlert *shown = &list->alerts[i];

    if (!GST_CLOCK_TIME_IS_VALID (shown->latest))
      shown->latest = time;
    if (!GST_CLOCK_TIME_IS_VALID (time) || time <= shown->latest
        || time - shown->latest <= hold)
      list->alerts[n++] = *shown;
  }
  list->n = n;
}
