/* The panel of the histogram: luma, or R, G and B side by side.
 *
 * Each column of the plot shows the mean count of its bins. Heights are shares of the highest
 * column of the plot: of the counts, or with the logarithmic scale of log (1 + count).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/panel.h"

#include <math.h>

#define ASPECT 1.7
/* A wider plot has columns of several pixels. */
#define MOST_HISTOGRAM_COLUMNS 1024
/* Before the mean, if there is room. */
#define MEAN "mean "

typedef struct
{
  guint n_columns;
  guint32 color;
  /* Where the limited range begins and ends, in pixels from the left; -1: not in the plot. */
  gint black, white;
  gchar label[8];
  gchar least[12], greatest[12];        /* values at the marks, or else of the first and the last bin */
} PlotBase;

typedef struct
{
  guint n;
  gboolean is_logarithmic;
  PlotBase plots[HISTO_MOST_PLOTS];
} Base;

typedef struct
{
  Base base;
  gchar means[HISTO_MOST_PLOTS][32];
  guint16 heights[HISTO_MOST_PLOTS][MOST_HISTOGRAM_COLUMNS];    /* in pixels */
} Description;

static gboolean
has_histogram (const HistoPlot * plot)
{
  return plot->component->histogram != NULL && plot->component->figures.bins > 0;
}

static HistoSize
find_size (const HistoScene * scene, guint number, gint height)
{
  const HistoSize nothing = { 0, 0 };
  gboolean any = FALSE;

  for (guint i = 0; i < scene->n_plots; i++)
    any |= has_histogram (&scene->plots[i]);
  if (!any || !(scene->settings->show & HISTO_SHOW_HISTOGRAM))
    return nothing;
  return histo_panel_size (scene, height, ASPECT * height);
}

HistoBox
histo_histogram_box (HistoSize size, guint plot, guint n)
{
  const gint font = histo_font_size (size.height);
  HistoBox box = histo_plot_box (size, plot, n);

  if (box.y >= font)
    box.height = MAX (box.height - font, 1);
  return box;
}

/* ---- From bins to columns ---------------------------------------------------------- */

/* @columns: (out): the mean count of the bins of each column
 * Returns: the greatest of them */
static gdouble
count_columns (const HistoComponentResult * component, gdouble * columns,
    guint n_columns)
{
  const guint64 n = component->figures.bins;
  const HistoCounts counts = histo_counts_of (component);
  gdouble greatest = 0;

  for (guint c = 0; c < n_columns; c++) {
    const guint64 first = c * n / n_columns;
    const guint64 end = MAX ((c + 1) * n / n_columns, first + 1);
    gdouble sum = 0;

    for (guint64 i = first; i < end; i++)
      sum += histo_counts_get (counts, i);
    columns[c] = sum / (end - first);
    greatest = MAX (greatest, columns[c]);
  }
  return greatest;
}

static void
describe_columns (const HistoPlot * plot, gboolean is_logarithmic,
    gint height, guint16 * heights, guint n_columns)
{
  gdouble columns[MOST_HISTOGRAM_COLUMNS], greatest;

  greatest = count_columns (plot->component, columns, n_columns);
  for (guint c = 0; c < n_columns; c++)
    heights[c] = histo_share_to_pixels (is_logarithmic ?
        log1p (columns[c]) / log1p (greatest) : columns[c] / greatest, height);
}

/* Where a value lies in the plot, in pixels from the left; -1: nowhere. */
static gint
find_mark (const HistoFigures * figures, gdouble value, gint width)
{
  const gdouble share = (value - figures->range_min)
      / (figures->range_max - figures->range_min);

  return share > 0 && share < 1 ? (gint) (share * width) : -1;
}

static void
describe_scale (const HistoPlot * plot, PlotBase * base)
{
  const HistoFigures *figures = &plot->component->figures;
  const gdouble width = (figures->range_max - figures->range_min) / figures->bins;

  g_snprintf (base->least, sizeof base->least, "%g",
      base->black >= 0 ? plot->black : figures->range_min);
  g_snprintf (base->greatest, sizeof base->greatest, "%g",
      base->white >= 0 ? plot->white : figures->range_max - width);
}

static void
describe (const HistoScene * scene, guint number, HistoSize size,
    gpointer description)
{
  Description *d = description;

  d->base.n = scene->n_plots;
  d->base.is_logarithmic = scene->settings->is_logarithmic;
  for (guint i = 0; i < scene->n_plots; i++) {
    const HistoBox box = histo_histogram_box (size, i, d->base.n);
    const HistoPlot *plot = &scene->plots[i];
    const HistoFigures *figures = &plot->component->figures;
    PlotBase *base = &d->base.plots[i];

    base->n_columns = MIN (box.width, MOST_HISTOGRAM_COLUMNS);
    base->color = plot->color;
    base->black = base->white = -1;
    g_strlcpy (base->label, plot->label, sizeof base->label);
    if (plot->white > 0) {
      base->black = find_mark (figures, plot->black, box.width);
      base->white = find_mark (figures, plot->white + 1, box.width);
    }
    describe_scale (plot, base);
    if (has_histogram (plot))
      describe_columns (plot, d->base.is_logarithmic, box.height,
          d->heights[i], base->n_columns);
    g_strlcpy (d->means[i], MEAN, sizeof d->means[i]);
    if (isfinite (figures->mean))
      g_snprintf (d->means[i], sizeof d->means[i], MEAN "%.1f", figures->mean);
  }
}

/* ---- Drawing ----------------------------------------------------------------------- */

static void
draw_mark (HistoCanvas * canvas, HistoBox box, gint x)
{
  const HistoBox line = { box.x + x, box.y, 1, box.height };

  if (x >= 0)
    histo_canvas_fill (canvas, line,
        histo_color_fade (canvas->style->color, 0.35));
}

/* Under a mark, or at the end of the plot. */
static void
draw_value (HistoCanvas * canvas, HistoBox box, gint mark, gint end,
    HistoAlign align, const gchar * text)
{
  const gint font = histo_font_size (canvas->size.height);

  histo_canvas_text (canvas, font, box.x + (mark >= 0 ? mark : end),
      box.y + box.height + font * 0.95, mark >= 0 ? HISTO_ALIGN_CENTER : align, text);
}

static void
draw_base (HistoCanvas * canvas, gconstpointer base)
{
  const Base *b = base;
  const guint32 color = canvas->style->color;
  const gint font = histo_font_size (canvas->size.height);

  for (guint i = 0; i < b->n; i++) {
    const HistoBox box = histo_histogram_box (canvas->size, i, b->n);

    histo_canvas_fill (canvas, box, histo_color_fade (color, 0.05));
    for (guint k = 1; k < 4; k++) {
      const HistoBox line = { box.x, box.y + (gint) k * box.height / 4,
        box.width, 1
      };

      histo_canvas_fill (canvas, line, histo_color_fade (color, 0.12));
    }
    draw_mark (canvas, box, b->plots[i].black);
    draw_mark (canvas, box, b->plots[i].white);
    histo_canvas_set_color (canvas, b->plots[i].color, 1);
    if (box.y >= font)
      histo_canvas_text (canvas, font, box.x, box.y - font / 4.0,
          HISTO_ALIGN_LEFT, b->plots[i].label);
    if (box.y < font || box.width < 5 * font)
      continue;
    histo_canvas_set_color (canvas, color, 0.8);
    draw_value (canvas, box, b->plots[i].black, 0, HISTO_ALIGN_LEFT, b->plots[i].least);
    draw_value (canvas, box, b->plots[i].white, box.width, HISTO_ALIGN_RIGHT, b->plots[i].greatest);
  }
}

static void
draw_columns (HistoCanvas * canvas, HistoBox box, const PlotBase * base,
    const guint16 * heights)
{
  const guint32 fill = histo_color_fade (base->color, 0.8);

  for (gint c = 0; c < (gint) base->n_columns; c++) {
    const gint n = base->n_columns;
    const gint left = c * box.width / n, right = (c + 1) * box.width / n;
    const HistoBox column = { box.x + left, box.y + box.height - heights[c],
      right - left, heights[c]
    };

    histo_canvas_fill (canvas, column, fill);
  }
}

static void
draw (HistoCanvas * canvas, gconstpointer description)
{
  const Description *d = description;
  const gint font = histo_font_size (canvas->size.height);

  for (guint i = 0; i < d->base.n; i++) {
    const HistoBox box = histo_histogram_box (canvas->size, i, d->base.n);

    draw_columns (canvas, box, &d->base.plots[i], d->heights[i]);
    histo_canvas_set_color (canvas, canvas->style->color, 1);
    if (box.y >= font && box.width > 5 * font)
      histo_canvas_text (canvas, font, box.x + box.width, box.y - font / 4.0, HISTO_ALIGN_RIGHT,
          d->means[i] + (box.width > 9 * font ? 0 : strlen (MEAN)));
  }
}

const HistoPanelType histo_histogram_panel = {
  sizeof (Description), sizeof (Base), find_size, describe, draw_base, draw
};
