/* Which components the histogram and the levels show, and their percentiles in the latest frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_PLOTS_H
#define HISTO_OVERLAY_PLOTS_H

#include "cudahisto/result.h"
#include "overlay/settings.h"

G_BEGIN_DECLS

#define HISTO_MOST_PLOTS 3

/* Colours are 0xAARRGGBB. */
#define HISTO_PLOT_RED 0xffff5a4fu
#define HISTO_PLOT_GREEN 0xff4fd66bu
#define HISTO_PLOT_BLUE 0xff5c9dffu

/* One component that is shown. */
typedef struct
{
  const HistoComponentResult *component;
  gchar label[8];               /* "Y"; "R full": computed, of full range */
  guint32 color;                /* 0xAARRGGBB */
  gdouble end;                  /* of its values, which begin at 0: 2^depth */
  /* The limited range of the colorimetry; both 0: all values are used. */
  gdouble black, white;
} HistoPlot;

/* The counts of a histogram. Those of a result from elsewhere may begin at any address. */
typedef struct
{
  const guint8 *data;
  gboolean is_wide;             /* 64 bits each, else 32; little endian */
} HistoCounts;

/* @component: with a histogram
 * Returns: valid as long as the component */
static inline HistoCounts
histo_counts_of (const HistoComponentResult * component)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (component->histogram, &size);
  const HistoCounts counts = {
    data, size == component->figures.bins * sizeof (guint64)
  };

  return counts;
}

/* @i: less than the number of bins */
static inline guint64
histo_counts_get (HistoCounts counts, guint i)
{
  return counts.is_wide ?
      GST_READ_UINT64_LE (counts.data + i * sizeof (guint64)) :
      GST_READ_UINT32_LE (counts.data + i * sizeof (guint32));
}

guint histo_plots_choose (const HistoResult * result, HistoPlotMode mode,
    guint32 luma_color, HistoPlot plots[HISTO_MOST_PLOTS]);

/* ---- The latest frames ------------------------------------------------------------- */

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
  /* The labels of the plots of all columns; "": no plot. */
  gchar labels[HISTO_MOST_PLOTS][sizeof ((HistoPlot *) NULL)->label];
} HistoHistory;

void histo_history_set_plots (HistoHistory * history, const HistoPlot * plots,
    guint n);
void histo_history_add (HistoHistory * history, const HistoPlot * plots,
    guint n);
const HistoColumn *histo_history_get (const HistoHistory * history, guint age);

G_END_DECLS

#endif /* HISTO_OVERLAY_PLOTS_H */
