/* The panel of the vectors, in the coordinates of a vectorscope: U to the right, V upwards.
 *
 * - The sectors are the histogram of the hues. The area of a sector is proportional to its count.
 *   Pixels without colour do not count.
 * - The rings are the median, the 90th percentile and the maximum of the saturation.
 * - The dot is the mean: the direction is the mean hue, the distance is the mean saturation.
 * - The boxes are the colours of bars of 75 %.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/colorimetry.h"
#include "overlay/panel.h"

#include <math.h>

#define N_SECTORS 72
#define N_TARGETS 6
#define N_RINGS 3

typedef struct
{
  gint radius;                  /* of the circle, in pixels of the panel's height */
  gint targets[N_TARGETS][2];   /* U and V of the boxes, in 1/1000 of the circle's radius */
} Base;

typedef struct
{
  Base base;
  guint16 sectors[N_SECTORS];   /* radii in quarters of a pixel; sector 0 begins at hue 0 */
  guint16 rings[N_RINGS];       /* the same */
  gboolean has_dot;
  gint dot[2];                  /* as the targets */
} Description;

static const HistoComponentResult *
find (const HistoScene * scene, const gchar * name)
{
  return histo_result_find_component (scene->result, 0, HISTO_GROUP_SIGNAL,
      name);
}

static HistoSize
find_size (const HistoScene * scene, guint number, gint height)
{
  const HistoSize nothing = { 0, 0 };

  if (scene->result == NULL || !(scene->settings->show & HISTO_SHOW_VECTORS)
      || find (scene, "saturation") == NULL || find (scene, "hue") == NULL)
    return nothing;
  return histo_panel_size (scene, height, height);
}

/* ---- The boxes of the colours ------------------------------------------------------ */

static const struct
{
  const gchar *name;
  gdouble red, green, blue;
} targets[N_TARGETS] = {
  {"R", 1, 0, 0}, {"Mg", 1, 0, 1}, {"B", 0, 0, 1},
  {"Cy", 0, 1, 1}, {"G", 0, 1, 0}, {"Yl", 1, 1, 0},
};

static void
describe_targets (const HistoScene * scene, Base * base)
{
  const HistoResult *result = scene->result;
  GstVideoColorimetry colorimetry;
  gdouble kr, kb;

  /* The weights of red and blue in luma with which cudahisto has measured. */
  histo_colorimetry_read (result->colorimetry, FALSE, &colorimetry);
  histo_luma_weights (&colorimetry, result->height, &kr, &kb);
  for (guint i = 0; i < N_TARGETS; i++) {
    const gdouble luma = kr * targets[i].red
        + (1 - kr - kb) * targets[i].green + kb * targets[i].blue;
    /* 75 % bars; 224 of 256 codes are the range -0.5 to 0.5, and 128 codes the radius. */
    const gdouble scale = 0.75 * 224 / 128 * 1000;

    base->targets[i][0] = lrint (scale * (targets[i].blue - luma)
        / (2 * (1 - kb)));
    base->targets[i][1] = lrint (scale * (targets[i].red - luma)
        / (2 * (1 - kr)));
  }
}

/* ---- Sectors, rings and dot -------------------------------------------------------- */

/* Pixels whose U and V are both in the middle have the hue 180, and the saturation 0. */
static guint64
count_colorless (const HistoScene * scene, guint n_hues)
{
  const HistoComponentResult *saturation = find (scene, "saturation");
  const HistoFigures *figures = &saturation->figures;

  if (n_hues != 360 || saturation->histogram == NULL || figures->bins == 0
      || figures->range_max - figures->range_min != figures->bins)
    return 0;
  return histo_counts_get (histo_counts_of (saturation), 0);
}

static void
describe_sectors (const HistoScene * scene, Description * d)
{
  const HistoComponentResult *hue = find (scene, "hue");
  const guint n = hue->figures.bins;
  gdouble counts[N_SECTORS] = { 0 }, greatest = 0;
  guint64 colorless;
  HistoCounts bins;

  if (hue->histogram == NULL || n == 0)
    return;
  colorless = count_colorless (scene, n);
  bins = histo_counts_of (hue);
  for (guint i = 0; i < n; i++) {
    guint64 count = histo_counts_get (bins, i);

    if (i == 180)
      count -= MIN (count, colorless);
    counts[(guint64) i * N_SECTORS / n] += count;
  }
  for (guint i = 0; i < N_SECTORS; i++)
    greatest = MAX (greatest, counts[i]);
  for (guint i = 0; i < N_SECTORS; i++)
    d->sectors[i] = histo_share_to_pixels (sqrt (counts[i] / greatest),
        4 * d->base.radius);
}

static void
describe_saturation (const HistoScene * scene, Description * d)
{
  const HistoFigures *figures = &find (scene, "saturation")->figures;
  const gdouble middle = figures->range_max / 2;
  const gdouble direction =
      (scene->result->regions[0].figures.SIGNAL_hue_circular_mean - 180)
      * G_PI / 180;
  const gdouble mean = figures->mean / middle;
  const gdouble rings[N_RINGS] = { figures->percentiles[HISTO_P50],
    figures->percentiles[HISTO_P90], figures->max
  };

  for (guint i = 0; i < N_RINGS; i++)
    d->rings[i] = histo_share_to_pixels (rings[i] / middle, 4 * d->base.radius);
  d->has_dot = isfinite (direction) && mean >= 0 && mean <= 2;
  if (!d->has_dot)
    return;
  d->dot[0] = lrint (1000 * mean * sin (direction));
  d->dot[1] = lrint (1000 * mean * cos (direction));
}

static void
describe (const HistoScene * scene, guint number, HistoSize size,
    gpointer description)
{
  Description *d = description;

  d->base.radius = MAX (size.height * 44 / 100, 1);
  describe_targets (scene, &d->base);
  describe_sectors (scene, d);
  describe_saturation (scene, d);
}

/* ---- Drawing ----------------------------------------------------------------------- */

/* The middle of the panel is 0, 0, and pixels are square. */
static void
begin (HistoCanvas * canvas)
{
  cairo_save (canvas->cr);
  cairo_translate (canvas->cr, canvas->size.width / 2.0,
      canvas->size.height / 2.0);
  cairo_scale (canvas->cr, 1 / canvas->style->pixel_aspect, 1);
}

static void
draw_circle (HistoCanvas * canvas, gdouble radius, gdouble alpha)
{
  cairo_new_path (canvas->cr);
  cairo_arc (canvas->cr, 0, 0, radius, 0, 2 * G_PI);
  histo_canvas_set_color (canvas, canvas->style->color, alpha);
  cairo_stroke (canvas->cr);
}

static void
draw_target (HistoCanvas * canvas, const Base * base, guint i)
{
  const gdouble size = base->radius * 0.09;
  const gint font = histo_font_size (canvas->size.height);
  const gdouble x = base->targets[i][0] * base->radius / 1000.0;
  const gdouble y = -base->targets[i][1] * base->radius / 1000.0;
  const gdouble distance = 1 + (size / 2 + font * 0.75) / hypot (x, y);

  cairo_rectangle (canvas->cr, x - size / 2, y - size / 2, size, size);
  cairo_set_source_rgba (canvas->cr, 0.2 + 0.8 * targets[i].red,
      0.2 + 0.8 * targets[i].green, 0.2 + 0.8 * targets[i].blue, 0.9);
  cairo_stroke (canvas->cr);
  if (canvas->size.height < 60)
    return;
  histo_canvas_set_color (canvas, canvas->style->color, 0.7);
  /* The text has the pixels' aspect itself. */
  cairo_save (canvas->cr);
  cairo_translate (canvas->cr, x * distance, y * distance);
  cairo_scale (canvas->cr, canvas->style->pixel_aspect, 1);
  histo_canvas_text (canvas, font, 0, font * 0.36, HISTO_ALIGN_CENTER,
      targets[i].name);
  cairo_restore (canvas->cr);
}

static void
draw_base (HistoCanvas * canvas, gconstpointer base)
{
  const Base *b = base;

  begin (canvas);
  cairo_set_line_width (canvas->cr, MAX (canvas->size.height / 200.0, 1));
  draw_circle (canvas, b->radius, 0.45);
  draw_circle (canvas, b->radius * 0.5, 0.15);
  cairo_move_to (canvas->cr, -b->radius, 0);
  cairo_line_to (canvas->cr, b->radius, 0);
  cairo_move_to (canvas->cr, 0, -b->radius);
  cairo_line_to (canvas->cr, 0, b->radius);
  histo_canvas_set_color (canvas, canvas->style->color, 0.15);
  cairo_stroke (canvas->cr);
  for (guint i = 0; i < N_TARGETS; i++)
    draw_target (canvas, b, i);
  cairo_restore (canvas->cr);
}

/* The colour in a direction of the vectorscope. */
static void
set_hue_color (cairo_t * cr, gdouble u, gdouble v)
{
  const gdouble luma = 0.55, strength = 0.36;

  cairo_set_source_rgba (cr, CLAMP (luma + strength * 1.5748 * v, 0, 1),
      CLAMP (luma - strength * (0.1873 * u + 0.4681 * v), 0, 1),
      CLAMP (luma + strength * 1.8556 * u, 0, 1), 0.85);
}

/* Sector i has the hues from 5 i degrees; hue 180 points upwards, as V does. */
static void
draw_sector (HistoCanvas * canvas, guint i, gdouble radius)
{
  const gdouble width = 2 * G_PI / N_SECTORS;
  const gdouble direction = i * width - G_PI;
  const gdouble middle = direction + width / 2;

  if (radius <= 0)
    return;
  cairo_move_to (canvas->cr, 0, 0);
  cairo_line_to (canvas->cr, radius * sin (direction),
      -radius * cos (direction));
  cairo_line_to (canvas->cr, radius * sin (direction + width),
      -radius * cos (direction + width));
  cairo_close_path (canvas->cr);
  set_hue_color (canvas->cr, sin (middle), cos (middle));
  cairo_fill (canvas->cr);
}

static void
draw (HistoCanvas * canvas, gconstpointer description)
{
  static const gdouble ring_alphas[N_RINGS] = { 0.9, 0.6, 0.35 };
  const Description *d = description;
  const gdouble unit = d->base.radius / 1000.0;

  begin (canvas);
  for (guint i = 0; i < N_SECTORS; i++)
    draw_sector (canvas, i, d->sectors[i] / 4.0);
  cairo_set_line_width (canvas->cr, MAX (canvas->size.height / 180.0, 1));
  for (guint i = 0; i < N_RINGS; i++)
    if (d->rings[i] > 0)
      draw_circle (canvas, d->rings[i] / 4.0, ring_alphas[i]);
  if (d->has_dot) {
    cairo_arc (canvas->cr, d->dot[0] * unit, -d->dot[1] * unit,
        MAX (canvas->size.height / 50.0, 2), 0, 2 * G_PI);
    histo_canvas_set_color (canvas, 0xff000000, 1);
    cairo_stroke_preserve (canvas->cr);
    histo_canvas_set_color (canvas, canvas->style->color, 1);
    cairo_fill (canvas->cr);
  }
  cairo_restore (canvas->cr);
}

const HistoPanelType histo_vectors_panel = {
  sizeof (Description), sizeof (Base), find_size, describe, draw_base, draw
};
