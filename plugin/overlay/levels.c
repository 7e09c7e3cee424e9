/* The panel of the levels: the percentiles of the latest frames, one column for each frame, the
 * latest at the right. They say nothing about places in the picture.
 *
 * From dark to light: minimum to maximum, 1 % to 99 %, 10 % to 90 %, and the median as a line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/panel.h"

#include <math.h>

#define ASPECT 1.7
/* Height of a panel in pixels for which columns are one pixel wide. */
#define HEIGHT_OF_NARROW_COLUMNS 135

typedef struct
{
  guint32 color;
  gint black, white;            /* pixels from the bottom; -1: the range is not limited */
  gint last;                    /* greatest value: 255 at 8 bits */
  gchar label[8];
} PlotBase;

typedef struct
{
  guint n;
  gint column_width;
  PlotBase plots[HISTO_MOST_PLOTS];
} Base;

/* In pixels from the bottom. */
typedef struct
{
  gboolean is_used;
  guint16 levels[HISTO_N_LEVELS];
} ColumnPixels;

typedef struct
{
  Base base;
  ColumnPixels columns[HISTO_MOST_PLOTS][HISTO_MOST_COLUMNS];   /* by age */
} Description;

static HistoSize
find_size (const HistoScene * scene, guint number, gint height)
{
  const HistoSize nothing = { 0, 0 };

  if (scene->n_plots == 0 || !(scene->settings->show & HISTO_SHOW_LEVELS))
    return nothing;
  return histo_panel_size (scene, height, ASPECT * height);
}

static guint
count_columns (HistoBox box, gint column_width)
{
  return MIN ((guint) (box.width / column_width), HISTO_MOST_COLUMNS);
}

static void
describe_columns (const HistoScene * scene, guint plot, HistoBox box,
    Description * d)
{
  const guint n = count_columns (box, d->base.column_width);

  for (guint age = 0; age < n; age++) {
    const HistoColumn *column = histo_history_get (scene->history, age);
    ColumnPixels *pixels = &d->columns[plot][age];

    if (column == NULL)
      return;
    pixels->is_used = !isnan (column->levels[plot][HISTO_LEVEL_P50]);
    for (guint k = 0; k < HISTO_N_LEVELS; k++)
      pixels->levels[k] = histo_share_to_pixels (column->levels[plot][k],
          box.height - 1);
  }
}

static void
describe (const HistoScene * scene, guint number, HistoSize size,
    gpointer description)
{
  Description *d = description;

  d->base.n = scene->n_plots;
  d->base.column_width = MAX (size.height / HEIGHT_OF_NARROW_COLUMNS, 1);
  for (guint i = 0; i < scene->n_plots; i++)
    if (scene->plots[i].color != scene->settings->style.color)
      d->base.column_width = MAX (d->base.column_width, HISTO_LEAST_COLORED);
  for (guint i = 0; i < scene->n_plots; i++) {
    const HistoBox box = histo_plot_box (size, i, d->base.n);
    const HistoPlot *plot = &scene->plots[i];
    PlotBase *base = &d->base.plots[i];
    const gdouble last = plot->end - 1;

    base->color = plot->color;
    base->last = last >= 1 && last < G_MAXINT ? (gint) last : 0;
    base->black = base->white = -1;
    if (plot->white > 0) {
      base->black = histo_share_to_pixels (plot->black / last, box.height - 1);
      base->white = histo_share_to_pixels (plot->white / last, box.height - 1);
    }
    g_strlcpy (base->label, plot->label, sizeof base->label);
    describe_columns (scene, i, box, d);
  }
}

/* ---- Drawing ----------------------------------------------------------------------- */

/* @y: pixels from the bottom; -1: no line */
static void
draw_line (HistoCanvas * canvas, HistoBox box, gint y, gdouble alpha)
{
  const HistoBox line = { box.x, box.y + box.height - 1 - y, box.width, 1 };

  if (y >= 0)
    histo_canvas_fill (canvas, line,
        histo_color_fade (canvas->style->color, alpha));
}

/* The values of a plot, as they are written above it. */
typedef gchar RangeText[32];

static void
write_range (RangeText text, gint last, gboolean is_long)
{
  g_snprintf (text, sizeof (RangeText), "0\342\200\223%d%s", last, is_long ? " over time" : "");
}

/* Whether all plots have room for this text. */
static gboolean
is_room (const HistoCanvas * canvas, const Base * base, gboolean is_long)
{
  for (guint i = 0; i < base->n; i++) {
    RangeText text;

    write_range (text, base->plots[i].last, is_long);
    if (histo_text_width (canvas->style, histo_font_size (canvas->size.height), text)
        > histo_header_room (canvas->style, canvas->size, i, base->n, base->plots[i].label))
      return FALSE;
  }
  return TRUE;
}

static void
draw_base (HistoCanvas * canvas, gconstpointer base)
{
  const Base *b = base;
  const gint font = histo_font_size (canvas->size.height);
  const gboolean is_long = is_room (canvas, b, TRUE), has_range = is_long || is_room (canvas, b, FALSE);

  for (guint i = 0; i < b->n; i++) {
    const HistoBox box = histo_plot_box (canvas->size, i, b->n);
    RangeText text;

    histo_canvas_fill (canvas, box,
        histo_color_fade (canvas->style->color, 0.05));
    for (gint k = 1; k < 4; k++)
      draw_line (canvas, box, k * box.height / 4, 0.12);
    draw_line (canvas, box, b->plots[i].black, 0.35);
    draw_line (canvas, box, b->plots[i].white, 0.35);
    histo_header_draw_label (canvas, i, b->n, b->plots[i].color, b->plots[i].label);
    if (box.y < font || b->plots[i].last == 0 || !has_range)
      continue;
    write_range (text, b->plots[i].last, is_long);
    histo_canvas_set_color (canvas, canvas->style->color, 0.6);
    histo_canvas_text (canvas, font, histo_header_right (canvas->size, i, b->n), box.y - font / 4.0, HISTO_ALIGN_RIGHT,
        text);
  }
}

/* Fills a column between two heights. Of a line, chroma of 4:2:0 keeps what is two pixels high. */
static void
draw_band (HistoCanvas * canvas, HistoBox box, gint x, gint width, gint low,
    gint high, guint32 color)
{
  const gint top = MAX (high, 1);
  const HistoBox band = { box.x + x, box.y + box.height - 1 - top, width,
    MAX (top - low, 1) + 1
  };

  histo_canvas_fill (canvas, band, color);
}

static void
draw (HistoCanvas * canvas, gconstpointer description)
{
  static const struct
  {
    guint low, high;
    gdouble alpha;
  } bands[] = {
    {HISTO_LEVEL_MIN, HISTO_LEVEL_MAX, 0.22},
    {HISTO_LEVEL_P1, HISTO_LEVEL_P99, 0.32},
    {HISTO_LEVEL_P10, HISTO_LEVEL_P90, 0.55},
    {HISTO_LEVEL_P50, HISTO_LEVEL_P50, 1},
  };
  const Description *d = description;
  const gint width = d->base.column_width;

  for (guint i = 0; i < d->base.n; i++) {
    const HistoBox box = histo_plot_box (canvas->size, i, d->base.n);

    for (guint age = 0; age < count_columns (box, width); age++) {
      const ColumnPixels *column = &d->columns[i][age];
      const gint x = box.width - (gint) (age + 1) * width;

      if (!column->is_used)
        continue;
      for (guint k = 0; k < G_N_ELEMENTS (bands); k++)
        draw_band (canvas, box, x, width, column->levels[bands[k].low],
            column->levels[bands[k].high],
            histo_color_fade (d->base.plots[i].color, bands[k].alpha));
    }
  }
}

const HistoPanelType histo_levels_panel = {
  sizeof (Description), sizeof (Base), find_size, describe, draw_base, draw
};
