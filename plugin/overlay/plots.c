/* Which components the histogram and the levels show, and their percentiles; see plots.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/plots.h"

#include "cudahisto/colorimetry.h"

#include <math.h>

static const HistoComponentResult *
find (const HistoResult * result, const gchar * name)
{
  const HistoComponentResult *component =
      histo_result_find_component (result, 0, HISTO_GROUP_BASIC, name);

  return component != NULL ? component :
      histo_result_find_component (result, 0, HISTO_GROUP_COLOR, name);
}

/* Whether the component's values have the limited range. Those that the group `color` computes have full range. */
static gboolean
is_limited (const HistoResult * result, const HistoComponentResult * component)
{
  const gboolean is_rgb = histo_result_find_component (result, 0, HISTO_GROUP_BASIC, "Y") == NULL;
  GstVideoColorimetry colorimetry;

  if (component->source != HISTO_SOURCE_SAMPLE)
    return FALSE;
  histo_colorimetry_read (result->colorimetry, is_rgb, &colorimetry);
  return histo_colorimetry_is_limited (&colorimetry, is_rgb);
}

static void
set (HistoPlot * plot, const HistoResult * result,
    const HistoComponentResult * component, const gchar * label, guint32 color)
{
  memset (plot, 0, sizeof *plot);
  plot->component = component;
  /* The picture's own codes may have another range. */
  g_snprintf (plot->label, sizeof plot->label, "%s%s", label, component->source == HISTO_SOURCE_SAMPLE ? "" : " full");
  plot->color = color;
  /* Components of the group `color` have bins for all values. Those of the format may have others. */
  plot->end = component->depth > 0 ? ldexp (1, (gint) component->depth) : component->figures.range_max;
  if (is_limited (result, component)) {
    plot->black = 16 * plot->end / 256;
    plot->white = (g_str_equal (component->name, "U") || g_str_equal (component->name, "V") ? 240 : 235) * plot->end / 256;
  }
}

static guint
choose_luma (const HistoResult * result, guint32 color, HistoPlot * plots)
{
  const HistoComponentResult *component = find (result, "Y");

  if (component == NULL)
    component = find (result, "luma");
  if (component == NULL)
    return 0;
  set (&plots[0], result, component, "Y", color);
  return 1;
}

/* @names: of the red, the green and the blue component */
static guint
choose_colors (const HistoResult * result, const gchar * const names[3], HistoPlot * plots)
{
  static const guint32 colors[] = { HISTO_PLOT_RED, HISTO_PLOT_GREEN, HISTO_PLOT_BLUE };

  for (guint i = 0; i < 3; i++) {
    const HistoComponentResult *component = find (result, names[i]);

    if (component == NULL)
      return 0;
    set (&plots[i], result, component, names[i], colors[i]);
  }
  return 3;
}

/* The picture of Bayer video was made after it was measured. Gb resembles Gr. */
static guint
choose_rgb (const HistoResult * result, HistoPlot * plots)
{
  static const gchar *const rgb[] = { "R", "G", "B" }, *const bayer[] = { "R", "Gr", "B" };
  const guint n = choose_colors (result, rgb, plots);

  return n > 0 ? n : choose_colors (result, bayer, plots);
}

static guint
choose_native (const HistoResult * result, guint32 luma_color,
    HistoPlot * plots)
{
  const guint32 colors[] = { luma_color, HISTO_PLOT_BLUE, HISTO_PLOT_RED };
  guint n = 0;

  for (guint i = 0; i < result->n_region_components && n < 3; i++) {
    const HistoComponentResult *component = &result->components[i];

    if (component->source == HISTO_SOURCE_SAMPLE
        && !g_str_equal (component->name, "A")) {
      set (&plots[n], result, component, component->name, colors[n]);
      n++;
    }
  }
  return n;
}

/**
 * histo_plots_choose:
 * @result: of video
 * @luma_color: 0xAARRGGBB
 * @plots: (out): the first ones are set; valid as long as the result
 *
 * Returns: how many plots there are; 0 only if the result has no components
 */
guint
histo_plots_choose (const HistoResult * result, HistoPlotMode mode,
    guint32 luma_color, HistoPlot plots[HISTO_MOST_PLOTS])
{
  guint n = 0;

  if (mode == HISTO_PLOT_LUMA)
    n = choose_luma (result, luma_color, plots);
  if (n == 0)
    n = choose_rgb (result, plots);
  if (n == 0 && mode == HISTO_PLOT_AUTO)
    n = choose_luma (result, luma_color, plots);
  return n > 0 ? n : choose_native (result, luma_color, plots);
}

/* ---- The latest frames ------------------------------------------------------------- */

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
