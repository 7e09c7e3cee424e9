/* The alerts that are shown, and their panel: one line for each, with its place, its begin and its
 * value.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/panel.h"

#include "cudahisto/alert-words.h"
#include "cudahisto/clock.h"
#include "cudahisto/read.h"

#include <string.h>

/* ---- The list ---------------------------------------------------------------------- */

/* Silence is that of all channels together. Only the number of many is shown. */
static void
name_channels (HistoShownAlert * shown, const HistoResult * result)
{
  const gsize size = sizeof shown->place;
  const guint n = result->n_components;

  if (!result->is_audio || n < 2)
    return;
  for (guint c = 0; c < n; c++) {
    if ((c > 0 && g_strlcat (shown->place, ", ", size) >= size)
        || g_strlcat (shown->place, result->components[c].name, size) >= size) {
      g_snprintf (shown->place, size, "all %u channels", n);
      return;
    }
  }
}

static void
set (HistoShownAlert * shown, const HistoAlertEvent * event,
    const HistoResult * result, guint64 time)
{
  memset (shown, 0, sizeof *shown);
  shown->alert = event->alert;
  if (event->rule != NULL)
    g_strlcpy (shown->rule, event->rule, sizeof shown->rule);
  histo_alert_write_place (event, shown->place, sizeof shown->place);
  if (event->alert == HISTO_ALERT_SILENCE)
    name_channels (shown, result);
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
        && g_str_equal (shown->place, wanted->place)
        && g_str_equal (shown->rule, wanted->rule))
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
 * @result: of the buffer
 * @time: running time of the buffer in ns */
void
histo_alert_list_add (HistoAlertList * list, const GArray * events,
    const HistoResult * result, guint64 time)
{
  for (guint i = 0; i < events->len; i++) {
    HistoShownAlert shown;

    set (&shown, &g_array_index (events, HistoAlertEvent, i), result, time);
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

/* ---- The panel --------------------------------------------------------------------- */

/* Lines of alerts; one more line says how many are left out. */
#define MOST_LINES 6

typedef struct
{
  gint font, line_height;
  guint n;
  gchar lines[MOST_LINES + 1][160];
} Description;

static void
write_line (gchar * line, gsize size, const HistoShownAlert * alert)
{
  gchar time[32] = "", value[40];
  g_autofree gchar *name = g_ascii_strup (histo_alert_names[alert->alert], -1);

  if (GST_CLOCK_TIME_IS_VALID (alert->start))
    histo_clock_print (time, sizeof time, alert->start / GST_MSECOND, 3);
  histo_alert_print_value (value, sizeof value, alert->alert, alert->value);
  g_snprintf (line, size, "%s%s%s%s%s  %s  %s", name,
      alert->rule[0] != '\0' ? "  " : "", alert->rule,
      alert->place[0] != '\0' ? "  " : "", alert->place, time, value);
  g_strchomp (line);
}

/* The latest alerts, the oldest of them first. */
static void
write_lines (const HistoAlertList * list, Description * d)
{
  const guint n = MIN (list->n, MOST_LINES);

  for (guint i = 0; i < n; i++)
    write_line (d->lines[i], sizeof d->lines[i],
        &list->alerts[list->n - n + i]);
  d->n = n;
  if (list->n > n)
    g_snprintf (d->lines[d->n++], sizeof d->lines[0], "and %u more",
        list->n - n);
}

static HistoSize
find_size (const HistoScene * scene, guint number, gint height)
{
  Description d = { 0 };
  HistoSize size = { 0, 0 };
  gdouble width = 0;

  if (!(scene->settings->show & HISTO_SHOW_ALERTS) || scene->alerts->n == 0)
    return size;
  d.font = histo_font_size (height) * 5 / 4;
  d.line_height = d.font * 3 / 2;
  write_lines (scene->alerts, &d);
  for (guint i = 0; i < d.n; i++)
    width = MAX (width, histo_text_width (&scene->settings->style, d.font,
            d.lines[i]));
  size.width = (gint) CLAMP (width + 2 * d.font, 1, 8192);
  size.height = d.n * d.line_height;
  return size;
}

static void
describe (const HistoScene * scene, guint number, HistoSize size,
    gpointer description)
{
  Description *d = description;

  write_lines (scene->alerts, d);
  d->line_height = size.height / d->n;
  d->font = d->line_height * 2 / 3;
}

static void
draw (HistoCanvas * canvas, gconstpointer description)
{
  const Description *d = description;
  const HistoBox all = { 0, 0, canvas->size.width, canvas->size.height };

  histo_canvas_fill (canvas, all, canvas->style->alert_color);
  histo_canvas_set_color (canvas, canvas->style->color, 1);
  for (guint i = 0; i < d->n; i++)
    histo_canvas_text (canvas, d->font, d->font,
        i * d->line_height + d->font * 1.12, HISTO_ALIGN_LEFT, d->lines[i]);
}

const HistoPanelType histo_alerts_panel = {
  sizeof (Description), 0, find_size, describe, NULL, draw
};
