/* The panel of one audio pad: a meter for each channel, and the loudness.
 *
 * A meter's wide bar is the peak, the narrow one the RMS, the line the peak mark, and the lamp above
 * is lit after clipping. The scale goes from -60 dB to 0 dB of full scale. The loudness has a bar of
 * the momentary loudness, 18 LU below to 9 LU above the target, and its figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/panel.h"

#include <math.h>

#define LOWEST_LEVEL -60.0
/* Where the bars change their colour, in dB; EBU R 68: the alignment level is -18 dB. */
#define YELLOW_LEVEL -18.0
#define RED_LEVEL -6.0
#define LU_BELOW 18.0
#define LU_ABOVE 9.0
/* Around the target, in LU, in which the loudness is as wanted. */
#define TOLERANCE 1.0

#define GREEN 0xff35c46au
#define YELLOW 0xffe8c33cu
#define RED 0xfff0503cu

#define N_FIGURES 5

/* Widths as shares of the height. */
#define SCALE_WIDTH 0.19
#define METER_WIDTH 0.10
#define LEAST_METERS_WIDTH 0.22
#define LOUDNESS_WIDTH 0.72
#define PAD_WIDTH 0.05

typedef struct
{
  guint n_meters;               /* 0: none are shown */
  guint n_channels;
  gboolean has_loudness;
} Base;

/* In pixels from the bottom. */
typedef struct
{
  guint16 bar, rms, mark;
  guint8 is_clipped;
} MeterPixels;

typedef struct
{
  Base base;
  MeterPixels meters[HISTO_MOST_METERS];
  guint16 momentary;            /* pixels from the bottom */
  gint8 judgement;              /* of the momentary loudness: < 0: too low, > 0: too high */
  gchar figures[N_FIGURES][16];
} Description;

/* ---- Where everything is ----------------------------------------------------------- */

static guint
count_meters (const HistoScene * scene, guint number)
{
  return scene->settings->show & HISTO_SHOW_METERS ?
      MIN (scene->sounds[number]->latest.n_channels, HISTO_MOST_METERS) : 0;
}

static gboolean
shows_loudness (const HistoScene * scene, guint number)
{
  return (scene->settings->show & HISTO_SHOW_LOUDNESS) != 0
      && scene->sounds[number]->latest.has_loudness;
}

static gdouble
find_meters_width (guint n)
{
  return n == 0 ? 0 : MAX (n * METER_WIDTH, LEAST_METERS_WIDTH);
}

static gdouble
find_aspect (guint n_meters, gboolean has_loudness)
{
  gdouble aspect = PAD_WIDTH;

  if (n_meters > 0)
    aspect += SCALE_WIDTH + find_meters_width (n_meters) + PAD_WIDTH;
  if (has_loudness)
    aspect += LOUDNESS_WIDTH + PAD_WIDTH;
  return aspect;
}

static HistoSize
find_size (const HistoScene * scene, guint number, gint height)
{
  const guint n = count_meters (scene, number);
  const gboolean has_loudness = shows_loudness (scene, number);
  const HistoSize nothing = { 0, 0 };

  if (n == 0 && !has_loudness)
    return nothing;
  return histo_panel_size (scene, height, height * find_aspect (n,
          has_loudness));
}

/* @from, @width: shares of the panel's height at square pixels. Room for labels is left below. */
static HistoBox
find_box (HistoSize size, const Base * base, gdouble from, gdouble width)
{
  const gdouble unit = size.width / find_aspect (base->n_meters,
      base->has_loudness);
  const HistoBox plot = histo_plot_box (size, 0, 1);
  const gint labels = plot.y < histo_font_size (size.height) ? 0 :
      histo_font_size (size.height);
  const gint left = (gint) (from * unit + 0.5);
  const HistoBox box = { left, plot.y,
    MAX ((gint) ((from + width) * unit + 0.5) - left, 1),
    MAX (plot.height - labels, 1)
  };

  return box;
}

static HistoBox
find_meters_box (HistoSize size, const Base * base)
{
  return find_box (size, base, PAD_WIDTH + SCALE_WIDTH,
      find_meters_width (base->n_meters));
}

static HistoBox
find_meter_box (HistoSize size, const Base * base, guint channel)
{
  const HistoBox all = find_meters_box (size, base);
  const gint n = base->n_meters, c = channel;
  const gint left = c * all.width / n, right = (c + 1) * all.width / n;
  const gint gap = right - left > 4 ? MAX ((right - left) / 6, 1) : 0;
  const HistoBox box = { all.x + left + gap / 2, all.y,
    MAX (right - left - gap, 1), all.height
  };

  return box;
}

static HistoBox
find_loudness_box (HistoSize size, const Base * base)
{
  const gdouble from = base->n_meters > 0 ?
      2 * PAD_WIDTH + SCALE_WIDTH + find_meters_width (base->n_meters) :
      PAD_WIDTH;

  return find_box (size, base, from, LOUDNESS_WIDTH);
}

static HistoBox
find_momentary_box (HistoSize size, const Base * base)
{
  HistoBox box = find_loudness_box (size, base);

  box.width = MAX (box.width / 9, 2);
  return box;
}

/* ---- From levels to pixels --------------------------------------------------------- */

static gint
level_to_pixels (gdouble level, gint height)
{
  return histo_share_to_pixels ((level - LOWEST_LEVEL) / -LOWEST_LEVEL,
      height);
}

static void
describe_figure (gchar * text, gsize size, gdouble number)
{
  if (isfinite (number) && fabs (number) < 1000)
    g_snprintf (text, size, "%.1f", number);
  else
    g_strlcpy (text, number > 0 ? "\342\210\236" :
        "\342\200\223\342\210\236", size);
}

static void
describe_loudness (const HistoScene * scene, const HistoSoundResult * sound,
    HistoSize size, Description * d)
{
  const gdouble target = scene->settings->loudness_target;
  const gdouble figures[N_FIGURES] = { sound->momentary, sound->short_term,
    sound->integrated, sound->range, sound->true_peak
  };

  for (guint i = 0; i < N_FIGURES; i++)
    describe_figure (d->figures[i], sizeof d->figures[i], figures[i]);
  d->momentary = histo_share_to_pixels ((sound->momentary - target + LU_BELOW)
      / (LU_BELOW + LU_ABOVE), find_momentary_box (size, &d->base).height);
  d->judgement = sound->momentary > target + TOLERANCE ? 1 :
      sound->momentary >= target - TOLERANCE ? 0 : -1;
}

static void
describe (const HistoScene * scene, guint number, HistoSize size,
    gpointer description)
{
  const HistoMeters *meters = scene->sounds[number];
  Description *d = description;

  d->base.n_meters = count_meters (scene, number);
  d->base.n_channels = meters->latest.n_channels;
  d->base.has_loudness = shows_loudness (scene, number);
  for (guint c = 0; c < d->base.n_meters; c++) {
    const gint height = find_meter_box (size, &d->base, c).height;
    const HistoMeter *meter = &meters->meters[c];

    d->meters[c].bar = level_to_pixels (meter->bar, height);
    d->meters[c].rms = level_to_pixels (meter->rms, height);
    d->meters[c].mark = level_to_pixels (meter->mark, height);
    d->meters[c].is_clipped = histo_meter_is_clipped (meters, c);
  }
  if (d->base.has_loudness)
    describe_loudness (scene, &meters->latest, size, d);
}

/* ---- The base ---------------------------------------------------------------------- */

static void
draw_scale (HistoCanvas * canvas, const Base * base)
{
  static const gint levels[] = { 0, -10, -20, -30, -40, -50, -60 };
  const HistoBox box = find_meters_box (canvas->size, base);
  const gint font = histo_font_size (canvas->size.height);
  const gint step = box.height / 6 >= font ? 1 : box.height / 3 >= font ? 2 : 3;

  for (gint i = 0; i < (gint) G_N_ELEMENTS (levels); i++) {
    const gint y = box.y + box.height
        - level_to_pixels (levels[i], box.height);
    const HistoBox line = { box.x, y, box.width, 1 };
    gchar text[8];

    histo_canvas_fill (canvas, line,
        histo_color_fade (canvas->style->color, 0.15));
    if (i % step != 0)
      continue;
    g_snprintf (text, sizeof text, "%d", levels[i]);
    histo_canvas_set_color (canvas, canvas->style->color, 0.7);
    histo_canvas_text (canvas, font, box.x - font / 3.0, y + font * 0.36,
        HISTO_ALIGN_RIGHT, text);
  }
}

static void
draw_meter_base (HistoCanvas * canvas, const Base * base, guint channel)
{
  static const gchar *const sides[] = { "L", "R" };
  const HistoBox box = find_meter_box (canvas->size, base, channel);
  const gint font = histo_font_size (canvas->size.height);
  gchar text[8];

  histo_canvas_fill (canvas, box, histo_color_fade (canvas->style->color,
          0.08));
  g_snprintf (text, sizeof text, "%u", channel + 1);
  histo_canvas_set_color (canvas, canvas->style->color, 0.8);
  if (box.y >= font && (box.width >= font * 0.8 || base->n_meters <= 2))
    histo_canvas_text (canvas, font, box.x + box.width / 2.0,
        box.y + box.height + font * 0.95, HISTO_ALIGN_CENTER,
        base->n_channels == 2 ? sides[channel] : text);
}

static gdouble
figure_y (HistoBox box, guint i)
{
  return box.y + box.height * (i + 0.72) / N_FIGURES;
}

static gint
figure_size (HistoSize size)
{
  return MAX (size.height * 2 / 23, 9);
}

static void
draw_loudness_base (HistoCanvas * canvas, const Base * base)
{
  static const gchar *const names[N_FIGURES] = { "M", "S", "I", "LRA", "TP" };
  const HistoBox box = find_loudness_box (canvas->size, base);
  const HistoBox bar = find_momentary_box (canvas->size, base);
  const HistoBox target = { bar.x - 2, bar.y + bar.height
        - histo_share_to_pixels (LU_BELOW / (LU_BELOW + LU_ABOVE), bar.height),
    bar.width + 4, MAX (canvas->size.height / 135, 1)
  };

  histo_canvas_fill (canvas, bar, histo_color_fade (canvas->style->color,
          0.08));
  histo_canvas_fill (canvas, target, canvas->style->color);
  histo_canvas_set_color (canvas, canvas->style->color, 0.7);
  for (guint i = 0; i < N_FIGURES; i++)
    histo_canvas_text (canvas, figure_size (canvas->size),
        bar.x + bar.width * 1.7, figure_y (box, i), HISTO_ALIGN_LEFT,
        names[i]);
}

static void
draw_title (HistoCanvas * canvas, HistoBox box, HistoAlign align,
    const gchar * text)
{
  const gint font = histo_font_size (canvas->size.height);

  if (box.y < font)
    return;
  histo_canvas_set_color (canvas, canvas->style->color, 0.7);
  histo_canvas_text (canvas, font, box.x, MAX (box.y - font * 0.8,
          font * 0.8), align, text);
}

static void
draw_base (HistoCanvas * canvas, gconstpointer base)
{
  const Base *b = base;

  if (b->n_meters > 0) {
    HistoBox box = find_meters_box (canvas->size, b);

    draw_scale (canvas, b);
    box.x -= histo_font_size (canvas->size.height) / 3;
    draw_title (canvas, box, HISTO_ALIGN_RIGHT, "dB");
  }
  for (guint c = 0; c < b->n_meters; c++)
    draw_meter_base (canvas, b, c);
  if (b->has_loudness) {
    draw_loudness_base (canvas, b);
    draw_title (canvas, find_loudness_box (canvas->size, b),
        HISTO_ALIGN_LEFT, "LUFS");
  }
}

/* ---- The bars and figures ---------------------------------------------------------- */

/* Fills a box from the bottom, from one height to another. */
static void
fill_between (HistoCanvas * canvas, HistoBox box, gint low, gint high,
    guint32 color)
{
  const HistoBox part = { box.x, box.y + box.height - high, box.width,
    high - low
  };

  if (high > low)
    histo_canvas_fill (canvas, part, color);
}

static void
draw_bar (HistoCanvas * canvas, HistoBox box, gint height, gdouble alpha)
{
  const gint yellow = level_to_pixels (YELLOW_LEVEL, box.height);
  const gint red = level_to_pixels (RED_LEVEL, box.height);

  fill_between (canvas, box, 0, MIN (height, yellow),
      histo_color_fade (GREEN, alpha));
  fill_between (canvas, box, yellow, MIN (height, red),
      histo_color_fade (YELLOW, alpha));
  fill_between (canvas, box, red, height, histo_color_fade (RED, alpha));
}

static void
draw_meter (HistoCanvas * canvas, HistoBox box, const MeterPixels * meter)
{
  const gint thickness = MAX (canvas->size.height / 135, 1);
  const HistoBox lamp = { box.x, box.y - 3 * thickness - 1, box.width,
    2 * thickness + 1
  };
  HistoBox inner = box;

  inner.x += box.width / 4;
  inner.width = MAX (box.width - box.width / 4 * 2, 1);
  draw_bar (canvas, box, meter->bar, 0.6);
  draw_bar (canvas, inner, meter->rms, 1);
  if (meter->mark > 0)
    fill_between (canvas, box, meter->mark - thickness, meter->mark,
        canvas->style->color);
  if (meter->is_clipped)
    histo_canvas_fill (canvas, lamp, RED);
}

static void
draw_loudness (HistoCanvas * canvas, const Description * d)
{
  const HistoBox box = find_loudness_box (canvas->size, &d->base);
  const HistoBox bar = find_momentary_box (canvas->size, &d->base);

  fill_between (canvas, bar, 0, d->momentary,
      d->judgement > 0 ? RED : d->judgement < 0 ? YELLOW : GREEN);
  histo_canvas_set_color (canvas, canvas->style->color, 1);
  for (guint i = 0; i < N_FIGURES; i++)
    histo_canvas_text (canvas, figure_size (canvas->size), box.x + box.width,
        figure_y (box, i), HISTO_ALIGN_RIGHT, d->figures[i]);
}

static void
draw (HistoCanvas * canvas, gconstpointer description)
{
  const Description *d = description;

  for (guint c = 0; c < d->base.n_meters; c++)
    draw_meter (canvas, find_meter_box (canvas->size, &d->base, c),
        &d->meters[c]);
  if (d->base.has_loudness)
    draw_loudness (canvas, d);
}

const HistoPanelType histo_sound_panel = {
  sizeof (Description), sizeof (Base), find_size, describe, draw_base, draw
};
