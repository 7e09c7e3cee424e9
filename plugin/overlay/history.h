/* The percentiles of the latest frames, for the levels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_HISTORY_H
#define HISTO_OVERLAY_HISTORY_H

#include "overlay/plots.h"

G_BEGIN_DECLS

/* Frames that are remembered: a panel has at most so many columns. */
#define HISTO_MOST_COLUMNS 512

/* What a column of the levels shows of a frame, from low to high. */
enum
{
  HISTO_LEVEL_MIN,
  HISTO_LEVEL_P1,
  HISTO_LEVEL_P10,
  HISTO_LEVEL_P50,
  HISTO_LEVEL_P90,
  HISTO_LEVEL_P99,
  HISTO_LEVEL_MAX,
  HISTO_N_LEVELS
};

/* Shares of the range of values, 0 to 1; NaN: the frame had no such plot. */
typedef struct
{
  gfloat levels[HISTO_MOST_PLOTS][HISTO_N_LEVELS];
} HistoColumn;

typedef struct
{
  HistoColumn columns[HISTO_MOST_COLUMNS];
  guint n, next;                /* columns in use; where the next one goes */
  /* Of the plots of all columns; "": no plot. */
  gchar labels[HISTO_MOST_PLOTS][sizeof ((HistoPlot *) NULL)->label];
} HistoHistory;

void histo_history_set_plots (HistoHistory * history, const HistoPlot * plots,
    guint n);
void histo_history_add (HistoHistory * history, const HistoPlot * plots,
    guint n);
const HistoColumn *histo_history_get (const HistoHistory * history, guint age);

G_END_DECLS

#endif /* HISTO_OVERLAY_HISTORY_H */
