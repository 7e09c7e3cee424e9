/* The panel of the histogram: luma, or R, G and B side by side.
 *
 * Each column of the plot shows the mean count of its bins. Heights are shares of the top of the scale:
 *
 *   linear       the highest column, or less if a few columns would flatten all others: those are clipped, and marked
 *   logarithmic  log (1 + count) of the highest column
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
/* The bars of a letterbox have few values, but most pixels. So the linear scale ends at HEADROOM times the count of the
 * highest bin but MOST_CLIPPED. Counts of ranks do not jump from frame to frame. Where the other bins have less than
 * ENOUGH_REST of the pixels, they are hardly a picture that has to be seen: the nearer they come to NO_REST, the nearer is
 * the top to the highest column. */
#define MOST_CLIPPED 4
#define HEADROOM 1.5
#define ENOUGH_REST 0.05
#define NO_REST 0.01
#define CLIPPED_COLOR 0xffff3b30u

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
  guint16 heights[MOST_HISTOGRAM_COLUMNS];      /* in pixels */
  guint8 is_clipped[MOST_HISTOGRAM_COLUMNS];
} Columns;

typedef struct
{
  Base base;
  gchar means[HISTO_MOST_PLOTS][16];
  Columns columns[HISTO_MOST_PLOTS];
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

/* The column's first bin. There may be more columns than bins. */
static guint64
first_bin (guint column, guint n_columns, guint64 n_bins)
{
  return column * n_bins / n_columns;
}

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
    const guint64 first = first_bin (c, n_columns, n);
    const guint64 end = MAX (first_bin (c + 1, n_columns, n), first + 1);
    gdouble sum = 0;

    for (guint64 i = first; i < end; i++)
      sum += histo_counts_get (counts, i);
    columns[c] = sum / (end - first);
    greatest = MAX (greatest, columns[c]);
  }
  return greatest;
}

/* Returns: the count at the top of the linear scale */
static gdouble
find_top (const gdouble * columns, guint n_columns, guint64 n_bins)
{
  gdouble highest[MOST_CLIPPED + 1] = { 0 };    /* falling */
  gdouble all = 0, rest, share;

  for (guint c = 0; c < n_columns; c++) {
    gdouble count = columns[c];

    if (c > 0 && first_bin (c, n_columns, n_bins) == first_bin (c - 1, n_columns, n_bins))
      continue;
    all += count;
    for (guint i = 0; i <= MOST_CLIPPED; i++) {
      const gdouble lower = MIN (count, highest[i]);

      highest[i] = MAX (count, highest[i]);
      count = lower;
    }
  }
  rest = all;
  for (guint i = 0; i < MOST_CLIPPED; i++)
    rest -= highest[i];
  share = CLAMP ((rest / all - NO_REST) / (ENOUGH_REST - NO_REST), 0, 1);
  return MIN (highest[0], pow (highest[0], 1 - share)
      * pow (HEADROOM * highest[MOST_CLIPPED], share));
}

/* @pixels: (out): of the first @n_columns columns */
static void
describe_columns (const HistoPlot * plot, gboolean is_logarithmic,
    gint height, guint n_columns, Columns * pixels)
{
  const guint64 n_bins = plot->component->figures.bins;
  gdouble columns[MOST_HISTOGRAM_COLUMNS], greatest, top;

  greatest = count_columns (plot->component, columns, n_columns);
  top = is_logarithmic ? greatest : find_top (columns, n_columns, n_bins);
  for (guint c = 0; c < n_columns; c++) {
    pixels->heights[c] = histo_share_to_pixels (is_logarithmic ?
        log1p (columns[c]) / log1p (top) : columns[c] / top, height);
    pixels->is_clipped[c] = columns[c] > top;
  }
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
          base->n_columns, &d->columns[i]);
    if (isfinite (figures->mean))
      g_snprintf (d->means[i], sizeof d->means[i], "%.1f", figures->mean);
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
    draw_value (canvas, box, b->plots[i].white, box.width - (i < b->n - 1 ? font / 2 : 0), HISTO_ALIGN_RIGHT,
        b->plots[i].greatest);
  }
}

/* A column is at least so many pixels wide: of colours, chroma of 4:2:0 keeps two. */
static gint
find_least_width (const HistoCanvas * canvas, const PlotBase * base)
{
  return base->color == canvas->style->color ? 1 : 2;
}

static void
draw_columns (HistoCanvas * canvas, HistoBox box, const PlotBase * base,
    const Columns * columns)
{
  const guint32 fill = histo_color_fade (base->color, 0.8);
  const gint n = base->n_columns, least = find_least_width (canvas, base);

  for (gint c = 0; c < n; c++) {
    const gint left = c * box.width / n, right = (c + 1) * box.width / n;
    gint height = columns->heights[c];

    /* The column before reaches into this one. */
    if (c > 0 && right - left < least)
      height = MAX (height, columns->heights[c - 1]);
    histo_canvas_fill (canvas, (HistoBox) { box.x + left, box.y + box.height - height, right - left, height}, fill);
  }
}

/* A red cap over each run of columns that are clipped, and a word beside the last one. Thin red text is lost in 4:2:0. */
static void
draw_caps (HistoCanvas * canvas, HistoBox box, const PlotBase * base,
    const Columns * columns)
{
  static const gchar *const texts[] = { "clipped", NULL };
  const gint n = base->n_columns, font = histo_font_size (canvas->size.height);
  const gint height = MAX (canvas->size.height / 45, 3), least = 2 * height;
  gint last = -1;

  for (gint c = 0; c < n; c++) {
    const gint left = c * box.width / n, right = (c + 1) * box.width / n;
    const gint wider = MAX (least - (right - left), 0);
    const gint x = CLAMP (left - wider / 2, 0, MAX (box.width - least, 0));

    if (!columns->is_clipped[c])
      continue;
    histo_canvas_fill (canvas, (HistoBox) { box.x + x, box.y, MIN (right - left + wider, box.width), height},
        CLIPPED_COLOR);
    last = x + right - left + wider;
  }
  if (last < 0 || box.y < font)
    return;
  histo_canvas_set_color (canvas, canvas->style->color, 1);
  if (last < box.width / 2)
    histo_canvas_text_that_fits (canvas, font * 0.9, box.x + last + font / 3.0, box.y + font * 0.75, HISTO_ALIGN_LEFT,
        box.width - last - font / 3.0, texts);
  else
    histo_canvas_text_that_fits (canvas, font * 0.9, box.x + last - least - font / 3.0, box.y + font * 0.75,
        HISTO_ALIGN_RIGHT, last - least - font / 3.0, texts);
}

static void
draw_mean (HistoCanvas * canvas, HistoBox box, const PlotBase * base,
    gboolean is_last, const gchar * mean)
{
  const gint font = histo_font_size (canvas->size.height);
  /* Some distance from the label of the next plot. */
  const gdouble right = box.x + box.width - (is_last ? 0 : font / 2.0);
  const gdouble room = right - box.x - font / 2.0 - histo_text_width (canvas->style, font, base->label);
  gchar text[32];
  const gchar *const texts[] = { text, mean, NULL };

  if (box.y < font || mean[0] == '\0')
    return;
  g_snprintf (text, sizeof text, MEAN "%s", mean);
  histo_canvas_set_color (canvas, canvas->style->color, 1);
  histo_canvas_text_that_fits (canvas, font, right, box.y - font / 4.0, HISTO_ALIGN_RIGHT, room, texts);
}

static void
draw (HistoCanvas * canvas, gconstpointer description)
{
  const Description *d = description;

  for (guint i = 0; i < d->base.n; i++) {
    const HistoBox box = histo_histogram_box (canvas->size, i, d->base.n);

    draw_columns (canvas, box, &d->base.plots[i], &d->columns[i]);
    draw_caps (canvas, box, &d->base.plots[i], &d->columns[i]);
    draw_mean (canvas, box, &d->base.plots[i], i + 1 == d->base.n, d->means[i]);
  }
}

const HistoPanelType histo_histogram_panel = {
  sizeof (Description), sizeof (Base), find_size, describe, draw_base, draw
};
