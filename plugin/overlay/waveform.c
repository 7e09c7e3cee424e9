/* The panel of the waveform: for each column of the picture, how many of its pixels have which value.
 *
 * - Left of the plot is the scale of the code values, right of it that of the legal range, in per cent, or with PQ and
 *   HLG that of the light of a grey pixel, in cd/m².
 * - Lines have labels. The red lines are the limits of EBU R 103; the trace replaces them.
 * - Above the plot, "full range" says that the values are computed: their codes are not those of the picture. "log"
 *   says the scale of the brightness.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/colorimetry.h"
#include "cudahisto/depth.h"
#include "cudahisto/light.h"
#include "kernels/formulas.h"
#include "overlay/scopes.h"

#include <math.h>

/* Widths of a panel at square pixels, divided by its height. */
#define ASPECT 2
#define PARADE_ASPECT 2.6
/* Width of a digit, divided by the height of the font. */
#define DIGIT_WIDTH 0.64
/* No line is as light as the trace of one pixel: it would hide highlights that are exactly white. */
#define LINE_ALPHA 0.2
#define LIMIT_COLOR 0xffff3b30u
#define LEAST_DEPTH 8

typedef struct
{
  guint n;                      /* traces */
  guint n_plots;                /* 1 if they lie one over the other */
  guint32 colors[HISTO_MOST_PLOTS];
  gchar labels[HISTO_MOST_PLOTS][4];
  guint depth;                  /* of the code values */
  gboolean is_limited;          /* only such values can be outside of the limits of R 103 */
  gboolean is_computed;         /* of the picture's samples; their range is full */
  gboolean is_logarithmic;
  GstVideoTransferFunction transfer;    /* PQ, HLG; else GST_VIDEO_TRANSFER_UNKNOWN: per cent */
  HistoScopeNote note;
} Base;

typedef struct
{
  Base base;
  HistoTrace traces[HISTO_MOST_PLOTS];
} Description;

static const HistoJoint rgb[] = {
  HISTO_JOINT_WAVEFORM_R, HISTO_JOINT_WAVEFORM_G, HISTO_JOINT_WAVEFORM_B
};

static HistoJoint
first_joint (const HistoScene * scene)
{
  return scene->settings->waveform_mode == HISTO_WAVEFORM_LUMA ?
      HISTO_JOINT_WAVEFORM : rgb[0];
}

static HistoSize
find_size (const HistoScene * scene, guint number, gint height)
{
  const HistoSize nothing = { 0, 0 };

  if (!histo_scope_is_shown (scene, HISTO_SHOW_WAVEFORM, first_joint (scene)))
    return nothing;
  return histo_panel_size (scene, height, height *
      (scene->settings->waveform_mode == HISTO_WAVEFORM_PARADE ? PARADE_ASPECT :
          ASPECT));
}

/* ---- Describing ---------------------------------------------------------------------- */

/* Luma of YUV and gray, and R, G and B of RGB, are as in the picture. Luma of RGB and R, G and B of YUV are computed, and
 * have full range. */
static void
describe_range (const HistoResult * result, gboolean is_luma, Base * base)
{
  const gboolean has_luma = histo_result_find_component (result, 0,
      HISTO_GROUP_BASIC, "Y") != NULL;
  GstVideoColorimetry colorimetry;

  histo_colorimetry_read (result->colorimetry, !has_luma, &colorimetry);
  base->depth = MAX (histo_format_depth (result->format, 0), LEAST_DEPTH);
  base->is_computed = is_luma != has_luma;
  base->is_limited = !base->is_computed
      && histo_colorimetry_is_limited (&colorimetry, !has_luma);
  base->transfer = histo_colorimetry_is_hdr (&colorimetry) ?
      colorimetry.transfer : GST_VIDEO_TRANSFER_UNKNOWN;
}

static void
describe (const HistoScene * scene, guint number, HistoSize size,
    gpointer description)
{
  static const guint32 colors[] = {
    HISTO_PLOT_RED, HISTO_PLOT_GREEN, HISTO_PLOT_BLUE
  };
  const HistoWaveformMode mode = scene->settings->waveform_mode;
  const gboolean is_luma = mode == HISTO_WAVEFORM_LUMA;
  Description *d = description;

  histo_scope_note (scene->result, first_joint (scene), d->base.note);
  describe_range (scene->result, is_luma, &d->base);
  d->base.is_logarithmic = scene->settings->is_logarithmic;
  d->base.n = is_luma ? 1 : G_N_ELEMENTS (rgb);
  d->base.n_plots = mode == HISTO_WAVEFORM_PARADE ? d->base.n : 1;
  for (guint i = 0; i < d->base.n; i++) {
    const HistoJoint joint = is_luma ? HISTO_JOINT_WAVEFORM : rgb[i];
    const HistoComponentResult *component =
        histo_scope_find (scene->result, joint);

    d->base.colors[i] = is_luma ? scene->settings->style.color : colors[i];
    g_strlcpy (d->base.labels[i], histo_joints[joint].y,
        sizeof d->base.labels[i]);
    if (component != NULL)
      histo_trace_set (&d->traces[i], component,
          scene->settings->is_logarithmic);
  }
}

/* ---- Where everything is ------------------------------------------------------------- */

/* Both scales beside the plots. Panels without text have none. */
static void
find_scales (const HistoCanvas * canvas, const Base * base, gint * left,
    gint * right)
{
  const gint font = histo_font_size (canvas->size.height);
  const gdouble digit = DIGIT_WIDTH * font / canvas->style->pixel_aspect;
  /* "100", or "10000" */
  const guint n_digits = base->transfer == GST_VIDEO_TRANSFER_UNKNOWN ? 3 : 5;

  *left = *right = 0;
  if (histo_plot_box (canvas->size, 0, 1).y < font)
    return;
  /* The unit "code" and the greatest code. */
  *left = (gint) ((base->depth > 12 ? 5.5 : 4.5) * digit);
  *right = (gint) ((n_digits + 0.5) * digit);
}

static HistoBox
find_box (const HistoCanvas * canvas, const Base * base, guint plot)
{
  const HistoBox all = histo_plot_box (canvas->size, 0, 1);
  const gint n = base->n_plots, i = plot;
  gint scale_left, scale_right, width, gap;

  find_scales (canvas, base, &scale_left, &scale_right);
  width = MAX (all.width - scale_left - scale_right, n);
  gap = n > 1 ? MAX (width / 100, 1) : 0;
  return (HistoBox) {
    .x = all.x + scale_left + i * width / n,
    .y = all.y,
    .width = MAX ((i + 1) * width / n - i * width / n - (i < n - 1 ? gap : 0), 1),
    .height = all.height
  };
}

/* The row of the panel that shows a code value of 8 bits. */
static gint
find_y (HistoBox box, gint code)
{
  return box.y + box.height - 1
      - histo_trace_position (CLAMP (code, 0, HISTO_SCOPE_SIZE - 1),
      box.height);
}

/* ---- The base ------------------------------------------------------------------------ */

/* The code value of a share of the legal range. */
static guint
code_of_share (const Base * base, gdouble share)
{
  const gdouble f = ldexp (1, base->depth - 8);

  return (guint) lrint (base->is_limited ? (16 + 219 * share) * f :
      (256 * f - 1) * share);
}

static void
draw_line (HistoCanvas * canvas, const Base * base, gint code, guint32 color,
    gint thickness)
{
  for (guint i = 0; i < base->n_plots; i++) {
    const HistoBox box = find_box (canvas, base, i);
    const HistoBox line = { box.x, find_y (box, code), box.width,
      thickness
    };

    histo_canvas_fill (canvas, line, color);
  }
}

static void
draw_label (HistoCanvas * canvas, gdouble x, gdouble y, HistoAlign align,
    gdouble number)
{
  gchar text[16];

  g_snprintf (text, sizeof text, "%g", number);
  histo_canvas_text (canvas, histo_font_size (canvas->size.height), x, y,
      align, text);
}

/* A line at a share of the range, with its code value at the left and its value at the right if these have room. Labels
 * lie apart, and a line without them is not near to another one.
 * @taken: (inout): rows that have lines */
static void
draw_mark (HistoCanvas * canvas, const Base * base, gdouble share, gdouble value,
    GArray * taken)
{
  const HistoBox first = find_box (canvas, base, 0);
  const HistoBox last = find_box (canvas, base, base->n_plots - 1);
  const gint font = histo_font_size (canvas->size.height);
  const guint code = code_of_share (base, share);
  const gint row = code >> (base->depth - 8), y = find_y (first, row);
  gint distance = G_MAXINT;
  gdouble base_line;

  for (guint i = 0; i < taken->len; i++)
    distance = MIN (distance, ABS (g_array_index (taken, gint, i) - y));
  if (distance < font * 2 / 3)
    return;
  g_array_append_val (taken, y);
  draw_line (canvas, base, row, histo_color_fade (canvas->style->color,
          LINE_ALPHA), MAX (canvas->size.height / 270, 1));
  if (first.y < font || distance < font)
    return;
  /* In the middle of its line; low panels have less room below the plot. */
  base_line = MIN (y + font * 0.36, canvas->size.height - 1);
  histo_canvas_set_color (canvas, canvas->style->color, 0.8);
  draw_label (canvas, first.x - font / 4.0, base_line, HISTO_ALIGN_RIGHT, code);
  draw_label (canvas, last.x + last.width + font / 4.0, base_line, HISTO_ALIGN_LEFT, value);
}

static void
draw_marks (HistoCanvas * canvas, const Base * base)
{
  static const gdouble quarters[] = { 0.5, 0.25, 0.75 };
  static const gdouble lights[] = { HISTO_HDR_WHITE, 1000, 100, 10, 1, 0.1 };
  const GstVideoTransferFunction transfer = base->transfer;
  const gboolean is_light = transfer != GST_VIDEO_TRANSFER_UNKNOWN;
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (gint));

  draw_mark (canvas, base, 0, 0, taken);
  draw_mark (canvas, base, 1, is_light ? histo_light_of_signal (transfer, 1) : 100, taken);
  for (guint i = 0; !is_light && i < G_N_ELEMENTS (quarters); i++)
    draw_mark (canvas, base, quarters[i], 100 * quarters[i], taken);
  for (guint i = 0; is_light && i < G_N_ELEMENTS (lights); i++)
    draw_mark (canvas, base, histo_signal_of_light (transfer, lights[i]), lights[i], taken);
}

/* Above the plots: over the marks of their ends, which are in the middle of their lines. */
static gdouble
find_title_y (const HistoCanvas * canvas, HistoBox plot)
{
  return plot.y - histo_font_size (canvas->size.height) * 0.6;
}

/* The room that the names of the components take above the last plot, in pixels. */
static gdouble
find_names_width (const HistoCanvas * canvas, const Base * base)
{
  const gint font = histo_font_size (canvas->size.height);

  if (base->n_plots > 1)
    return font;
  return base->n * font + (base->is_logarithmic ? histo_text_width (canvas->style, font, HISTO_SCOPE_LOG) + font / 2.0 : 0);
}

/* Rows of a line of the limits. */
static gint
find_limit_thickness (HistoSize size)
{
  return MAX (size.height / 135, HISTO_LEAST_COLORED);
}

/* The first row in the box of the line of a limit. @code: of the depth */
static gint
find_limit (const HistoCanvas * canvas, const Base * base, HistoBox box, gint code)
{
  return MAX (MIN (find_y (box, code >> (base->depth - 8)) - box.y,
          box.height - find_limit_thickness (canvas->size)), 0);
}

/* The longest name of the limits that has room beside the components' names. Their lines are drawn with the traces. */
static void
draw_limits (HistoCanvas * canvas, const Base * base)
{
  static const gchar *const names[] = {
    "R 103: \342\210\2225 %, 105 %", "R 103", NULL
  };
  const HistoBox box = find_box (canvas, base, base->n_plots - 1);
  const gint font = histo_font_size (canvas->size.height);
  HistoBox dash = { 0, box.y - font * 7 / 8, font, find_limit_thickness (canvas->size) };
  gdouble width;

  if (box.y < font)
    return;
  histo_canvas_set_color (canvas, canvas->style->color, 0.8);
  width = histo_canvas_text_that_fits (canvas, font, box.x + box.width - font * 0.7, find_title_y (canvas, box),
      HISTO_ALIGN_RIGHT, box.width - 2 * font - dash.width - floor (find_names_width (canvas, base)) - 1, names);
  dash.x = (gint) (box.x + box.width - font - width - dash.width);
  if (width > 0)
    histo_canvas_fill (canvas, dash, LIMIT_COLOR);
}

/* Where the names of the limits are, which computed values do not have. */
static void
draw_range (HistoCanvas * canvas, const Base * base)
{
  const HistoBox box = find_box (canvas, base, base->n_plots - 1);
  const gint font = histo_font_size (canvas->size.height);
  static const gchar *const texts[] = { "full range", "full", NULL };

  if (box.y < font)
    return;
  histo_canvas_set_color (canvas, canvas->style->color, 0.8);
  histo_canvas_text_that_fits (canvas, font, box.x + box.width - font * 0.7, find_title_y (canvas, box), HISTO_ALIGN_RIGHT,
      box.width - find_names_width (canvas, base) - font * 1.2, texts);
}

static void
draw_names (HistoCanvas * canvas, const Base * base)
{
  const HistoBox first = find_box (canvas, base, 0);
  const HistoBox last = find_box (canvas, base, base->n_plots - 1);
  const gint font = histo_font_size (canvas->size.height);
  const gdouble y = find_title_y (canvas, first);

  if (first.y < font)
    return;
  for (guint i = 0; i < base->n; i++) {
    const HistoBox box = find_box (canvas, base, i % base->n_plots);

    histo_canvas_set_color (canvas, base->colors[i], 1);
    histo_canvas_text (canvas, font, box.x + (base->n_plots == 1 ? i * font : 0),
        y, HISTO_ALIGN_LEFT, base->labels[i]);
  }
  histo_canvas_set_color (canvas, canvas->style->color, 0.8);
  if (base->is_logarithmic)
    histo_canvas_text (canvas, font, first.x + (base->n_plots == 1 ? base->n : 1) * font, y, HISTO_ALIGN_LEFT, HISTO_SCOPE_LOG);
  histo_canvas_text (canvas, font, first.x - font / 4.0, y, HISTO_ALIGN_RIGHT,
      "code");
  histo_canvas_text (canvas, font, last.x + last.width + font / 4.0, y,
      HISTO_ALIGN_LEFT, base->transfer == GST_VIDEO_TRANSFER_UNKNOWN ? "%" :
      "cd/m\302\262");
}

static void
draw_base (HistoCanvas * canvas, gconstpointer base)
{
  const Base *b = base;

  if (b->note[0] != '\0') {
    histo_scope_draw_note (canvas, b->note);
    return;
  }
  for (guint i = 0; i < b->n_plots; i++)
    histo_canvas_fill (canvas, find_box (canvas, b, i),
        histo_color_fade (canvas->style->color, 0.03));
  draw_marks (canvas, b);
  if (b->is_limited)
    draw_limits (canvas, b);
  if (b->is_computed)
    draw_range (canvas, b);
  draw_names (canvas, b);
}

/* ---- The traces ---------------------------------------------------------------------- */

/* The light of several traces at one pixel. */
typedef struct
{
  guint alpha;                  /* the greatest one */
  guint parts[3];               /* sums; may be greater than the alpha */
} Light;

/* Returns: the premultiplied colour. What is too light becomes darker, but keeps its colour: it shows which component's
 * trace is brighter */
static guint32
get_light (const Light * light)
{
  const guint most = MAX (MAX (light->parts[0], light->parts[1]), light->parts[2]);
  guint32 pixel = light->alpha << 24;

  for (guint i = 0; i < 3; i++)
    pixel |= (most > light->alpha ? light->parts[i] * light->alpha / most : light->parts[i]) << 8 * i;
  return pixel;
}

/* @pixels: (out): @width of the light of @n traces */
static void
add_traces (guint32 * pixels, gint width, guint32 tables[][256], guint8 ** alphas, guint n)
{
  for (gint x = 0; x < width; x++) {
    Light light = { 0 };

    for (guint i = 0; i < n; i++) {
      const guint32 pixel = tables[i][alphas[i][x]];

      light.alpha = MAX (light.alpha, pixel >> 24);
      for (guint k = 0; k < 3; k++)
        light.parts[k] += pixel >> 8 * k & 255;
    }
    pixels[x] = get_light (&light);
  }
}

/* All rows of a line show what is counted in any of them: one red row would hide the trace in the other.
 * @cells: of the rows from below
 * @is_limit: (inout): by row of the box */
static void
set_limit (HistoCells * cells, gboolean * is_limit, gint height, gint first, gint thickness)
{
  const gint end = MIN (first + thickness, height);
  const HistoCells all = { cells[height - end].first, cells[height - 1 - first].end };

  for (gint y = first; y < end; y++) {
    cells[height - 1 - y] = all;
    is_limit[y] = TRUE;
  }
}

/* @plot: the first one of @n traces, which lie one over the other */
static void
draw_traces (HistoCanvas * canvas, const Description * d, guint plot, guint n)
{
  const HistoBox box = find_box (canvas, &d->base, plot);
  const HistoTrace *traces = &d->traces[plot];
  const gint least_dot = d->base.n > 1 ? HISTO_LEAST_COLORED : 1;
  /* The lines of a still picture can be seen behind an encoder, too. */
  g_autofree HistoCells *rows = histo_cells_new (box.height, MAX (canvas->size.height / 100, least_dot));
  g_autofree HistoCells *columns = histo_cells_new (box.width, least_dot);
  g_autofree gboolean *is_limit = g_new0 (gboolean, box.height);
  guint8 *alphas[HISTO_MOST_PLOTS];
  g_autofree guint32 *pixels = g_new (guint32, box.width);
  guint32 tables[HISTO_MOST_PLOTS][256];

  for (guint i = 0; i < n; i++) {
    /* The premultiplied colour by alpha. */
    for (guint alpha = 0; alpha < 256; alpha++)
      tables[i][alpha] = histo_color_premultiply (histo_color_fade (d->base.colors[plot + i], alpha / 255.0));
    alphas[i] = g_malloc (box.width);
  }
  if (d->base.is_limited) {
    const gint codes[] = { histo_gamut_least (d->base.depth), histo_gamut_greatest (d->base.depth) };

    for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
      set_limit (rows, is_limit, box.height, find_limit (canvas, &d->base, box, codes[i]),
          find_limit_thickness (canvas->size));
  }
  for (gint y = 0; y < box.height; y++) {
    for (guint i = 0; i < n; i++)
      histo_trace_get_row (&traces[i], rows[box.height - 1 - y], columns, box.width, alphas[i]);
    if (n == 1) {
      for (gint x = 0; x < box.width; x++)
        pixels[x] = tables[0][alphas[0][x]];
    } else {
      add_traces (pixels, box.width, tables, alphas, n);
    }
    if (is_limit[y]) {
      /* The line of a limit, where there is no trace: over its colour a trace could not be seen. */
      for (gint x = 0; x < box.width; x++)
        if (pixels[x] == 0)
          pixels[x] = LIMIT_COLOR;
    }
    histo_canvas_lay (canvas, box.x, box.y + y, pixels, box.width);
  }
  for (guint i = 0; i < n; i++)
    g_free (alphas[i]);
}

static void
draw (HistoCanvas * canvas, gconstpointer description)
{
  const Description *d = description;
  const guint n = d->base.n / d->base.n_plots;

  if (d->base.note[0] != '\0')
    return;
  for (guint i = 0; i < d->base.n_plots; i++)
    draw_traces (canvas, d, i, n);
}

const HistoPanelType histo_waveform_panel = {
  sizeof (Description), sizeof (Base), find_size, describe, draw_base, draw
};
