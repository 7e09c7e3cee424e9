/* The panel of the vectorscope: how many samples of chroma have which U (to the right) and V (upwards).
 *
 * - The boxes are the colours of bars of 75 % and, smaller, of 100 %, by the matrix that the panel names. With PQ and HLG
 *   the larger boxes are those of HDR reference white: 58 % of PQ, 75 % of HLG.
 * - The square is the legal range of chroma, the circle goes through the middles of its sides.
 * - The line to the upper left is that of the tones of skin: 123 degrees from U, by convention.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/colorimetry.h"
#include "cudahisto/light.h"
#include "overlay/scopes.h"

#include <math.h>

#define N_COLORS 6
#define SKIN_ANGLE (123 * G_PI / 180)
#define SKIN_COLOR 0xffe0b48cu
/* The darkest component of the colours of the boxes. */
#define DARKEST 64
#define SDR_BARS 0.75
/* Of coloured lines, chroma of 4:2:0 keeps what is two pixels wide. */
#define LEAST_COLORED_LINE 2.0

/* Bars of the usual share of the signal, and of all of it. */
enum
{
  BARS_USUAL,
  BARS_FULL,
  N_BARS
};

/* Distances from the middle in 1/1000 of a code value of 8 bits. */
typedef struct
{
  gint reach;                   /* of the greatest chroma */
  gboolean is_limited;          /* there are code values outside of it */
  gint targets[N_BARS][N_COLORS][2];    /* U and V */
  gchar matrix[12];
  gchar share[8];               /* of the usual bars: "75 %" */
  HistoScopeNote note;
} Base;

typedef struct
{
  Base base;
  HistoTrace trace;
} Description;

static HistoSize
find_size (const HistoScene * scene, guint number, gint height)
{
  const HistoSize nothing = { 0, 0 };

  if (!histo_scope_is_shown (scene, HISTO_SHOW_VECTORSCOPE,
          HISTO_JOINT_VECTORSCOPE))
    return nothing;
  return histo_panel_size (scene, height, height);
}

/* ---- The boxes of the colours ------------------------------------------------------ */

static const struct
{
  const gchar *name;
  gdouble red, green, blue;
} colors[N_COLORS] = {
  {"R", 1, 0, 0}, {"Mg", 1, 0, 1}, {"B", 0, 0, 1},
  {"Cy", 0, 1, 1}, {"G", 0, 1, 0}, {"Yl", 1, 1, 0},
};

/* The name of the matrix with these weights of red and blue. */
static const gchar *
find_matrix (gdouble kr, gdouble kb)
{
  static const struct
  {
    GstVideoColorMatrix matrix;
    const gchar *name;
  } matrices[] = {
    {GST_VIDEO_COLOR_MATRIX_BT601, "BT.601"},
    {GST_VIDEO_COLOR_MATRIX_BT709, "BT.709"},
    {GST_VIDEO_COLOR_MATRIX_BT2020, "BT.2020"},
    {GST_VIDEO_COLOR_MATRIX_SMPTE240M, "240M"},
    {GST_VIDEO_COLOR_MATRIX_FCC, "FCC"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (matrices); i++) {
    gdouble red, blue;

    if (gst_video_color_matrix_get_Kr_Kb (matrices[i].matrix, &red, &blue)
        && red == kr && blue == kb)
      return matrices[i].name;
  }
  return "";
}

/* Of RGB, cudahisto computes chroma of limited range. */
static void
describe_base (const HistoResult * result, Base * base)
{
  const gboolean is_rgb = histo_result_find_component (result, 0,
      HISTO_GROUP_BASIC, "R") != NULL;
  GstVideoColorimetry colorimetry;
  gdouble kr, kb, bars[N_BARS];

  histo_colorimetry_read (result->colorimetry, is_rgb, &colorimetry);
  histo_luma_weights (&colorimetry, result->height, &kr, &kb);
  base->is_limited = is_rgb || histo_colorimetry_is_limited (&colorimetry, FALSE);
  base->reach = base->is_limited ? 112000 : 127500;
  g_strlcpy (base->matrix, find_matrix (kr, kb), sizeof base->matrix);
  bars[BARS_FULL] = 1;
  bars[BARS_USUAL] = histo_colorimetry_is_hdr (&colorimetry) ?
      histo_scope_share_of_light (colorimetry.transfer, HISTO_HDR_WHITE) : SDR_BARS;
  g_snprintf (base->share, sizeof base->share, "%.0f %%", 100 * bars[BARS_USUAL]);
  for (guint b = 0; b < N_BARS; b++)
    for (guint i = 0; i < N_COLORS; i++) {
      const gdouble luma = kr * colors[i].red + (1 - kr - kb) * colors[i].green
          + kb * colors[i].blue;
      const gdouble scale = bars[b] * base->reach;

      base->targets[b][i][0] = lrint (scale * (colors[i].blue - luma) / (1 - kb));
      base->targets[b][i][1] = lrint (scale * (colors[i].red - luma) / (1 - kr));
    }
}

static void
describe (const HistoScene * scene, guint number, HistoSize size,
    gpointer description)
{
  const HistoComponentResult *component = histo_scope_find (scene->result,
      HISTO_JOINT_VECTORSCOPE);
  Description *d = description;

  histo_scope_note (scene->result, HISTO_JOINT_VECTORSCOPE, d->base.note);
  describe_base (scene->result, &d->base);
  if (component != NULL)
    histo_trace_set (&d->trace, component, scene->settings->is_logarithmic);
}

/* ---- The base ---------------------------------------------------------------------- */

/* The square of all values. */
static HistoBox
find_box (HistoSize size)
{
  const gint pad_x = MAX (size.width / 40, 2), pad_y = MAX (size.height / 40, 2);

  return (HistoBox) {
    pad_x, pad_y, MAX (size.width - 2 * pad_x, 1), MAX (size.height - 2 * pad_y, 1)
  };
}

/* A place in the box, in pixels of the panel: of a value the middle of its cell. @u, @v: as in Base */
static void
find_place (HistoBox box, gdouble u, gdouble v, gdouble * x, gdouble * y)
{
  *x = box.x + (u / 1000 + 128.5) * box.width / HISTO_SCOPE_SIZE;
  *y = box.y + box.height - (v / 1000 + 128.5) * box.height / HISTO_SCOPE_SIZE;
}

static void
add_rectangle (cairo_t * cr, HistoBox box, gdouble u, gdouble v, gdouble half)
{
  gdouble left, right, top, bottom;

  find_place (box, u - half, v + half, &left, &top);
  find_place (box, u + half, v - half, &right, &bottom);
  cairo_rectangle (cr, left, top, right - left, bottom - top);
}

static void
draw_target (HistoCanvas * canvas, HistoBox box, const gint place[2], guint i,
    gdouble half)
{
  const gdouble parts[] = { 1, colors[i].red, colors[i].green, colors[i].blue };
  guint32 color = 0;

  for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
    color = color << 8 | (guint32) (DARKEST + (255 - DARKEST) * parts[k]);
  add_rectangle (canvas->cr, box, place[0], place[1], half);
  histo_canvas_set_color (canvas, color, 1);
  cairo_stroke (canvas->cr);
}

/* Beside the larger box, nearer to the middle. */
static void
draw_name (HistoCanvas * canvas, HistoBox box, const gint place[2], guint i)
{
  const gint font = histo_font_size (canvas->size.height);
  const gdouble length = hypot (place[0], place[1]);
  const gdouble inwards = font * 1.1 * 1000 * HISTO_SCOPE_SIZE / box.height;
  const gdouble share = MAX (1 - inwards / length, 0);
  gdouble x, y;

  find_place (box, place[0] * share, place[1] * share, &x, &y);
  histo_canvas_set_color (canvas, canvas->style->color, 0.9);
  histo_canvas_text (canvas, font, x, y + font * 0.36, HISTO_ALIGN_CENTER,
      colors[i].name);
}

static void
draw_lines (HistoCanvas * canvas, HistoBox box, const Base * base)
{
  const gdouble reach = base->reach;
  gdouble x, y;

  find_place (box, -reach, 0, &x, &y);
  cairo_move_to (canvas->cr, x, y);
  find_place (box, reach, 0, &x, &y);
  cairo_line_to (canvas->cr, x, y);
  find_place (box, 0, -reach, &x, &y);
  cairo_move_to (canvas->cr, x, y);
  find_place (box, 0, reach, &x, &y);
  cairo_line_to (canvas->cr, x, y);
  for (guint i = 0; i <= 72; i++) {
    find_place (box, reach * cos (i * G_PI / 36), reach * sin (i * G_PI / 36), &x, &y);
    if (i == 0)
      cairo_move_to (canvas->cr, x, y);
    else
      cairo_line_to (canvas->cr, x, y);
  }
  histo_canvas_set_color (canvas, canvas->style->color, 0.25);
  cairo_stroke (canvas->cr);
  if (base->is_limited)
    add_rectangle (canvas->cr, box, 0, 0, reach);
  histo_canvas_set_color (canvas, canvas->style->color, 0.5);
  cairo_stroke (canvas->cr);
  find_place (box, 0, 0, &x, &y);
  cairo_move_to (canvas->cr, x, y);
  find_place (box, reach * cos (SKIN_ANGLE), reach * sin (SKIN_ANGLE), &x, &y);
  cairo_line_to (canvas->cr, x, y);
  cairo_set_line_width (canvas->cr, MAX (cairo_get_line_width (canvas->cr), LEAST_COLORED_LINE));
  histo_canvas_set_color (canvas, SKIN_COLOR, 0.8);
  cairo_stroke (canvas->cr);
}

static void
draw_base (HistoCanvas * canvas, gconstpointer base)
{
  const HistoBox box = find_box (canvas->size);
  const gint font = histo_font_size (canvas->size.height);
  const gdouble small = histo_small_font_size (canvas->size.height);
  /* The boxes are so much larger than one value, in 1/1000. */
  static const gdouble halves[N_BARS] = { 6000, 3500 };
  const Base *b = base;
  gdouble x, y;

  if (b->note[0] != '\0') {
    histo_scope_draw_note (canvas, b->note);
    return;
  }
  histo_canvas_fill (canvas, box, histo_color_fade (canvas->style->color, 0.03));
  cairo_set_line_width (canvas->cr, MAX (canvas->size.height / 270.0, 1));
  draw_lines (canvas, box, b);
  cairo_set_line_width (canvas->cr, MAX (canvas->size.height / 150.0, LEAST_COLORED_LINE));
  for (guint k = 0; k < N_BARS; k++)
    for (guint i = 0; i < N_COLORS; i++)
      draw_target (canvas, box, b->targets[k][i], i, halves[k]);
  if (canvas->size.height < 100)
    return;
  for (guint i = 0; i < N_COLORS; i++)
    draw_name (canvas, box, b->targets[BARS_USUAL][i], i);
  histo_canvas_set_color (canvas, canvas->style->color, 0.8);
  /* Right of the box of cyan. */
  find_place (box, 112000, -112000, &x, &y);
  histo_canvas_text (canvas, small, x - font / 5.0, y - font / 5.0 - small * 1.05, HISTO_ALIGN_RIGHT, b->matrix);
  histo_canvas_text (canvas, small, x - font / 5.0, y - font / 5.0, HISTO_ALIGN_RIGHT, b->share);
}

/* ---- The trace --------------------------------------------------------------------- */

/* The colour of a place in the box, so bright that it can be seen: BT.709's, with a luma of 60 %.
 * @u, @v: from -1 to 1 at the edges */
static guint32
find_color (gdouble u, gdouble v)
{
  const gdouble luma = 0.6, most = 0.6;
  const gdouble parts[] = {
    luma + most * 1.5748 * v, luma - most * (0.1873 * u + 0.4681 * v), luma + most * 1.8556 * u
  };
  guint32 color = 0;

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    color = color << 8 | (guint32) (CLAMP (parts[i], 0, 1) * 255 + 0.5);
  return color;
}

static void
draw (HistoCanvas * canvas, gconstpointer description)
{
  const HistoBox box = find_box (canvas->size);
  const Description *d = description;
  /* The points of a still picture can be seen behind an encoder, too. */
  const gint dot = MAX (canvas->size.height / 90, 2);
  HistoCells *rows, *columns;
  guint32 *pixels;
  guint8 *alphas;

  if (d->base.note[0] != '\0')
    return;
  rows = histo_cells_new (box.height, dot);
  columns = histo_cells_new (box.width, dot);
  alphas = g_malloc (box.width);
  pixels = g_new (guint32, box.width);
  for (gint y = 0; y < box.height; y++) {
    histo_trace_get_row (&d->trace, rows[box.height - 1 - y], columns, box.width, alphas);
    for (gint x = 0; x < box.width; x++)
      pixels[x] = alphas[x] == 0 ? 0 : histo_color_premultiply ((guint32) alphas[x]
          << 24 | find_color (2.0 * x / box.width - 1, 1 - 2.0 * y / box.height));
    histo_canvas_lay (canvas, box.x, box.y + y, pixels, box.width);
  }
  g_free (rows);
  g_free (columns);
  g_free (alphas);
  g_free (pixels);
}

const HistoPanelType histo_vectorscope_panel = {
  sizeof (Description), sizeof (Base), find_size, describe, draw_base, draw
};
