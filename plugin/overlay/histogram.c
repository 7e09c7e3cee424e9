/* The panel of the histogram: luma, or R, G and B side by side.
 *
 * Each column of the plot shows the mean count of its bins; of bins of any widths the mean count for each unit of value, so
 * that a wide bin is no higher than as many narrow ones. Heights are shares of the top of the scale:
 *
 *   linear       the highest column, or less if a few columns would flatten all others: those end at the top, and have caps
 *   logarithmic  log (1 + count) of the highest column
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/panel.h"

#include <math.h>

#define ASPECT 1.7
/* A wider plot has columns of several pixels. */
#define MOST_HISTOGRAM_COLUMNS 1024
/* How the means are written: the first way with which they have room. */
static const struct
{
  const gchar *sign;
  gint decimals;
} mean_forms[] = { {"mean ", 1}, {"\303\270 ", 1}, {"\303\270", 0} };

/* After the name of the component if the scale is logarithmic. */
#define LOG " log"
/* The bars of a letterbox have few values, but most pixels. So the linear scale ends at HEADROOM times the height of the
 * column that follows the MOST_OFF_SCALE highest ones: this height changes little from frame to frame. Where the other
 * columns have less than ENOUGH_REST of the pixels, they are hardly a picture that has to be seen: the nearer they come to
 * NO_REST, the nearer is the top to the highest column. */
#define MOST_OFF_SCALE 4
#define HEADROOM 1.5
#define ENOUGH_REST 0.05
#define NO_REST 0.01
/* So many times as high as the plot is a column whose cap is not faint. */
#define CLEARLY_HIGHER 2
/* Beside a column that is too high. It is no fault of the picture, so it has no colour. */
#define OFF_SCALE "off scale"

typedef struct
{
  guint n_columns;
  guint32 color;
  /* Where the limited range begins and ends, in pixels from the left; -1: not in the plot. */
  gint black, white;
  gchar label[12];              /* "Y", "R full log" */
  gchar least[12], greatest[12];        /* values at the marks, or else of the first and the last bin */
} PlotBase;

/* What a plot is drawn over. */
typedef struct
{
  gdouble begin, end;           /* values */
  /* Of bins of any widths: bins + 1, clipped to the values that samples can have; NULL: the bins have one width */
  gdouble *edges;
} Axis;

typedef struct
{
  guint n;
  gboolean is_logarithmic;
  PlotBase plots[HISTO_MOST_PLOTS];
} Base;

typedef struct
{
  guint16 heights[MOST_HISTOGRAM_COLUMNS];      /* in pixels */
  guint8 caps[MOST_HISTOGRAM_COLUMNS];  /* their alpha; 0: the column is not higher than the plot */
} Columns;

typedef gchar MeanText[24];

typedef struct
{
  Base base;
  MeanText means[HISTO_MOST_PLOTS];     /* "": none */
  Columns columns[HISTO_MOST_PLOTS];
} Description;

static void
clear_axis (Axis * axis)
{
  g_free (axis->edges);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Axis, clear_axis);

/* Edges may lie far outside of the values. If all do, the axis has no length. */
static Axis
find_axis (const HistoPlot * plot)
{
  const HistoFigures *figures = &plot->component->figures;
  Axis axis = { figures->range_min, figures->range_max, NULL };

  if (plot->component->edges == NULL)
    return axis;
  axis.edges = g_new (gdouble, figures->bins + 1);
  axis.begin = axis.end = 0;
  if (!histo_component_get_edges (plot->component, axis.edges))
    return axis;
  for (guint i = 0; i <= figures->bins && plot->end > 0; i++)
    axis.edges[i] = CLAMP (axis.edges[i], 0, plot->end);
  axis.begin = axis.edges[0];
  axis.end = axis.edges[figures->bins];
  return axis;
}

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

/* As count_columns(), of bins of any widths. */
static gdouble
count_unequal_columns (const HistoComponentResult * component, const Axis * axis,
    gdouble * columns, guint64 * firsts, guint n_columns)
{
  const HistoCounts counts = histo_counts_of (component);
  const guint n = component->figures.bins;
  const gdouble width = (axis->end - axis->begin) / n_columns, *edges = axis->edges;
  gdouble greatest = 0;
  guint bin = 0;

  for (guint c = 0; c < n_columns; c++) {
    const gdouble begin = axis->begin + c * width, end = begin + width;
    gdouble sum = 0;

    while (bin + 1 < n && edges[bin + 1] <= begin)
      bin++;
    firsts[c] = bin;
    for (guint i = bin; i < n && edges[i] < end; i++) {
      const gdouble part = MIN (edges[i + 1], end) - MAX (edges[i], begin);

      if (part > 0)
        sum += histo_counts_get (counts, i) * part / (edges[i + 1] - edges[i]);
    }
    columns[c] = width > 0 ? sum / width : 0;
    greatest = MAX (greatest, columns[c]);
  }
  return greatest;
}

/* @columns: (out): the mean count of the bins of each column
 * @firsts: (out): the first bin of each column
 * Returns: the greatest of the counts */
static gdouble
count_columns (const HistoComponentResult * component, gdouble * columns,
    guint64 * firsts, guint n_columns)
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
    firsts[c] = first;
    greatest = MAX (greatest, columns[c]);
  }
  return greatest;
}

/* Returns: the count at the top of the linear scale */
static gdouble
find_top (const gdouble * columns, const guint64 * firsts, guint n_columns)
{
  gdouble highest[MOST_OFF_SCALE + 1] = { 0 };    /* falling */
  gdouble all = 0, rest, share;

  for (guint c = 0; c < n_columns; c++) {
    gdouble count = columns[c];

    if (c > 0 && firsts[c] == firsts[c - 1])
      continue;
    all += count;
    for (guint i = 0; i <= MOST_OFF_SCALE; i++) {
      const gdouble lower = MIN (count, highest[i]);

      highest[i] = MAX (count, highest[i]);
      count = lower;
    }
  }
  rest = all;
  for (guint i = 0; i < MOST_OFF_SCALE; i++)
    rest -= highest[i];
  share = CLAMP ((rest / all - NO_REST) / (ENOUGH_REST - NO_REST), 0, 1);
  return MIN (highest[0], pow (highest[0], 1 - share)
      * pow (HEADROOM * highest[MOST_OFF_SCALE], share));
}

/* @pixels: (out): of the first @n_columns columns */
static void
describe_columns (const HistoPlot * plot, const Axis * axis, gboolean is_logarithmic,
    gint height, guint n_columns, Columns * pixels)
{
  gdouble columns[MOST_HISTOGRAM_COLUMNS], greatest, top;
  guint64 firsts[MOST_HISTOGRAM_COLUMNS];

  if (axis->edges != NULL)
    greatest = count_unequal_columns (plot->component, axis, columns, firsts, n_columns);
  else
    greatest = count_columns (plot->component, columns, firsts, n_columns);
  top = is_logarithmic ? greatest : find_top (columns, firsts, n_columns);
  for (guint c = 0; c < n_columns; c++) {
    pixels->heights[c] = histo_share_to_pixels (is_logarithmic ?
        log1p (columns[c]) / log1p (top) : columns[c] / top, height);
    /* A column that changes a little from frame to frame does not get and lose its cap at once. */
    if (columns[c] > top)
      pixels->caps[c] = (guint8) lrint (255 * MIN ((columns[c] / top - 1) / (CLEARLY_HIGHER - 1), 1));
  }
}

/* Where a value lies in the plot, in pixels from the left; -1: nowhere. */
static gint
find_mark (const Axis * axis, gdouble value, gint width)
{
  const gdouble share = (value - axis->begin) / (axis->end - axis->begin);

  return share > 0 && share < 1 ? (gint) (share * width) : -1;
}

static void
describe_scale (const HistoPlot * plot, const Axis * axis, PlotBase * base)
{
  const gdouble width = (axis->end - axis->begin) / plot->component->figures.bins;
  /* The last one of bins of any widths may be any part of the plot. */
  const gdouble last = axis->edges != NULL ? MIN (axis->end, plot->end - 1) : axis->end - width;

  g_snprintf (base->least, sizeof base->least, "%g",
      base->black >= 0 ? plot->black : axis->begin);
  g_snprintf (base->greatest, sizeof base->greatest, "%g",
      base->white >= 0 ? plot->white : last);
}

static void
write_mean (MeanText text, gdouble mean, guint form)
{
  g_snprintf (text, sizeof (MeanText), "%s%.*f", mean_forms[form].sign, mean_forms[form].decimals, mean);
}

/* Whether all means have room above the plots in this form, also the greatest ones: the form does not change with the
 * picture. */
static gboolean
is_room (const HistoScene * scene, HistoSize size, const Base * base, guint form)
{
  const HistoStyle *style = &scene->settings->style;

  for (guint i = 0; i < base->n; i++) {
    MeanText text;

    write_mean (text, scene->plots[i].component->edges != NULL ? scene->plots[i].end :
        scene->plots[i].component->figures.range_max, form);
    if (histo_text_width (style, histo_font_size (size.height), text)
        > histo_header_room (style, size, i, base->n, base->plots[i].label))
      return FALSE;
  }
  return TRUE;
}

/* All plots have their means, in the same form, or none has. */
static void
describe_means (const HistoScene * scene, HistoSize size, Description * d)
{
  guint form = 0;

  while (form < G_N_ELEMENTS (mean_forms) && !is_room (scene, size, &d->base, form))
    form++;
  for (guint i = 0; form < G_N_ELEMENTS (mean_forms) && i < d->base.n; i++) {
    const gdouble mean = scene->plots[i].component->figures.mean;

    if (isfinite (mean))
      write_mean (d->means[i], mean, form);
  }
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
    g_auto (Axis) axis = find_axis (plot);
    PlotBase *base = &d->base.plots[i];

    base->n_columns = MIN (box.width, MOST_HISTOGRAM_COLUMNS);
    base->color = plot->color;
    base->black = base->white = -1;
    g_snprintf (base->label, sizeof base->label, "%s%s", plot->label, d->base.is_logarithmic ? LOG : "");
    if (plot->white > 0) {
      base->black = find_mark (&axis, plot->black, box.width);
      base->white = find_mark (&axis, plot->white + 1, box.width);
    }
    describe_scale (plot, &axis, base);
    if (has_histogram (plot))
      describe_columns (plot, &axis, d->base.is_logarithmic, box.height,
          base->n_columns, &d->columns[i]);
  }
  describe_means (scene, size, d);
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

/* Under a mark, or at the end of the plot, and within the plot.
 *
 * @mark: -1: there is none; then at @end
 * @room: pixels from the left edge that the text may take */
static void
draw_value (HistoCanvas * canvas, HistoBox box, gint mark, gint end, gint room, const gchar * text)
{
  const gint font = histo_font_size (canvas->size.height);
  const gdouble width = histo_text_width (canvas->style, font, text);
  const gdouble x = mark >= 0 ? mark - width / 2 : end - width;

  histo_canvas_text (canvas, font, box.x + MAX (MIN (x, room - width), 0), box.y + box.height + font * 0.95,
      HISTO_ALIGN_LEFT, text);
}

static void
draw_base (HistoCanvas * canvas, gconstpointer base)
{
  const Base *b = base;
  const guint32 color = canvas->style->color;
  const gint font = histo_font_size (canvas->size.height);

  for (guint i = 0; i < b->n; i++) {
    const HistoBox box = histo_histogram_box (canvas->size, i, b->n);
    gint room;

    histo_canvas_fill (canvas, box, histo_color_fade (color, 0.05));
    for (guint k = 1; k < 4; k++) {
      const HistoBox line = { box.x, box.y + (gint) k * box.height / 4,
        box.width, 1
      };

      histo_canvas_fill (canvas, line, histo_color_fade (color, 0.12));
    }
    draw_mark (canvas, box, b->plots[i].black);
    draw_mark (canvas, box, b->plots[i].white);
    histo_header_draw_label (canvas, i, b->n, b->plots[i].color, b->plots[i].label);
    if (box.y < font || box.width < 5 * font)
      continue;
    histo_canvas_set_color (canvas, color, 0.8);
    room = box.width - (i < b->n - 1 ? font / 2 : 0);
    draw_value (canvas, box, b->plots[i].black, 0, room, b->plots[i].least);
    draw_value (canvas, box, b->plots[i].white, room, room, b->plots[i].greatest);
  }
}

static void
draw_columns (HistoCanvas * canvas, HistoBox box, const PlotBase * base,
    const Columns * columns)
{
  const guint32 fill = histo_color_fade (base->color, 0.8);
  const gint n = base->n_columns;
  /* Pixels that a column has in width. */
  const gint least = base->color == canvas->style->color ? 1 : HISTO_LEAST_COLORED;

  for (gint c = 0; c < n; c++) {
    const gint left = c * box.width / n, right = (c + 1) * box.width / n;
    gint height = columns->heights[c];

    /* The column before reaches into this one, and so does the last one. */
    if (c > 0 && right - left < least)
      height = MAX (height, columns->heights[c - 1]);
    if (c + 2 == n && right - left < least)
      height = MAX (height, columns->heights[c + 1]);
    histo_canvas_fill (canvas, (HistoBox) { box.x + left, box.y + box.height - height, right - left, height}, fill);
  }
}

/* A cap over each run of columns that are too high, with a gap below it, and words beside the outermost of them, at the side
 * with more room. */
static void
draw_caps (HistoCanvas * canvas, HistoBox box, const PlotBase * base,
    const Columns * columns)
{
  static const gchar *const texts[] = { OFF_SCALE, NULL };
  const gint n = base->n_columns, font = histo_font_size (canvas->size.height);
  const gint height = MAX (canvas->size.height / 45, 3), least = 2 * height;
  gint first = -1, last = -1, end;
  guint8 most = 0;

  for (gint c = 0; c < n; c = end + 1) {
    guint8 alpha = 0;

    for (end = c; end < n && columns->caps[end] > 0; end++)
      alpha = MAX (alpha, columns->caps[end]);
    if (alpha > 0) {
      const gint left = c * box.width / n, width = end * box.width / n - left;
      const gint x = CLAMP (left - MAX (least - width, 0) / 2, 0, MAX (box.width - least, 0));
      const HistoBox cap = { box.x + x, box.y, MIN (MAX (width, least), box.width), height };
      const HistoBox gap = { box.x + left, box.y + height, width, height / 2 };

      histo_canvas_fill (canvas, cap, histo_color_fade (canvas->style->color, alpha / 255.0));
      histo_canvas_fill (canvas, gap, histo_color_fade (canvas->style->background | 0xff000000, alpha / 255.0));
      first = first < 0 ? x : first;
      last = x + cap.width;
      most = MAX (most, alpha);
    }
  }
  if (last < 0 || box.y < font)
    return;
  histo_canvas_set_color (canvas, canvas->style->color, most / 255.0);
  if (box.width - last > first)
    histo_canvas_text_that_fits (canvas, font * 0.9, box.x + last + font / 3.0, box.y + font * 0.75, HISTO_ALIGN_LEFT,
        box.width - last - font / 3.0, texts);
  else
    histo_canvas_text_that_fits (canvas, font * 0.9, box.x + first - font / 3.0, box.y + font * 0.75,
        HISTO_ALIGN_RIGHT, first - font / 3.0, texts);
}

static void
draw_mean (HistoCanvas * canvas, const Base * base, guint plot, const gchar * mean)
{
  const gint font = histo_font_size (canvas->size.height);
  const gint y = histo_histogram_box (canvas->size, plot, base->n).y;

  if (y < font)
    return;
  histo_canvas_set_color (canvas, canvas->style->color, 1);
  histo_canvas_text (canvas, font, histo_header_right (canvas->size, plot, base->n), y - font / 4.0, HISTO_ALIGN_RIGHT,
      mean);
}

static void
draw (HistoCanvas * canvas, gconstpointer description)
{
  const Description *d = description;

  for (guint i = 0; i < d->base.n; i++) {
    const HistoBox box = histo_histogram_box (canvas->size, i, d->base.n);

    draw_columns (canvas, box, &d->base.plots[i], &d->columns[i]);
    draw_caps (canvas, box, &d->base.plots[i], &d->columns[i]);
    draw_mean (canvas, &d->base, i, d->means[i]);
  }
}

const HistoPanelType histo_histogram_panel = {
  sizeof (Description), sizeof (Base), find_size, describe, draw_base, draw
};
