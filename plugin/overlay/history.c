/* The percentiles of the latest frames; see history.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/history.h"

#include <math.h>

static void
set_levels (gfloat * levels, const HistoPlot * plot)
{
  const HistoFigures *figures = &plot->component->figures;
  const gdouble last = plot->end - 1;

  levels[HISTO_LEVEL_MIN] = figures->min / last;
  levels[HISTO_LEVEL_P1] = figures->percentiles[HISTO_P1] / last;
  levels[HISTO_LEVEL_P10] = figures->percentiles[HISTO_P10] / last;
  levels[HISTO_LEVEL_P50] = figures->percentiles[HISTO_P50] / last;
  levels[HISTO_LEVEL_P90] = figures->percentiles[HISTO_P90] / last;
  levels[HISTO_LEVEL_P99] = figures->percentiles[HISTO_P99] / last;
  levels[HISTO_LEVEL_MAX] = figures->max / last;
}

/* Forgets all frames if other components are shown than before: their columns would be drawn as those of
 * the new ones. @plots: @n, at most HISTO_MOST_PLOTS */
void
histo_history_set_plots (HistoHistory * history, const HistoPlot * plots,
    guint n)
{
  for (guint i = 0; i < HISTO_MOST_PLOTS; i++) {
    const gchar *label = i < n ? plots[i].label : "";

    if (g_str_equal (history->labels[i], label))
      continue;
    history->n = 0;
    g_strlcpy (history->labels[i], label, sizeof history->labels[i]);
  }
}

/* Adds a frame, with the plots of histo_history_set_plots(). */
void
histo_history_add (HistoHistory * history, const HistoPlot * plots, guint n)
{
  HistoColumn *column = &history->columns[history->next];

  for (guint i = 0; i < HISTO_MOST_PLOTS; i++) {
    if (i < n)
      set_levels (column->levels[i], &plots[i]);
    else
      for (guint k = 0; k < HISTO_N_LEVELS; k++)
        column->levels[i][k] = NAN;
  }
  history->next = (history->next + 1) % HISTO_MOST_COLUMNS;
  history->n = MIN (history->n + 1, HISTO_MOST_COLUMNS);
}

/* @age: 0: the latest frame
 * Returns: (nullable): NULL if there have not been so many frames */
const HistoColumn *
histo_history_get (const HistoHistory * history, guint age)
{
  if (age >= history->n)
    return NULL;
  return &history->columns[(history->next + HISTO_MOST_COLUMNS - 1 - age)
      % HISTO_MOST_COLUMNS];
}
