/* The panel of the vectorscope: how many samples of chroma have which U (to the right) and V (upwards).
 *
 * - The boxes are the colours of bars of 75 % and, smaller, of 100 %, by the matrix that the panel names. With PQ and HLG
 *   the larger boxes are those of HDR reference white: 58 % of PQ, 75 % of HLG.
 * - The square is the legal range of chroma, the circle goes through the middles of its sides.
 * - The line to the upper left is that of the tones of skin: 123 degrees from U, by convention.
 * - Where many of the samples are is a bright spot, so that the one point of a grey picture is seen over the cross.
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
#define SKIN_ALPHA 0.45
/* Where the line begins, as a share of its length: grey is in the middle. */
#define SKIN_BEGIN 0.1
/* Cells with this share of all samples have a spot of full brightness, those with less have a fainter one, down to the
 * least share. So spots do not come and go at once. */
#define SPOT_SHARE 0.02
#define LEAST_SPOT_SHARE 0.005
#define MOST_SPOTS 200          /* 1 / LEAST_SPOT_SHARE */
/* The darkest component of the colours of the boxes. */
#define DARKEST 64
#define SDR_BARS 0.75
/* The light is written smaller than the other texts, with this size in pixels or more. */
#define LIGHT_FONT 0.78
#define LEAST_LIGHT_FONT 9

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
  gboolean is_logarithmic;
  gboolean is_hdr;              /* the usual bars are those of HISTO_HDR_WHITE */
  gchar share[8];               /* of the usual bars: "75 %" */
  HistoScopeNote note;
} Base;

typedef struct
{
  guint8 column, row, alpha;
} Spot;

typedef struct
{
  Base base;
  HistoTrace trace;
  guint n_spots;
  Spot spots[MOST_SPOTS];
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

#define CYAN 3

/* The boxes reach so far from their values, in 1/1000. */
static const gdouble halves[N_BARS] = { 6000, 3500 };

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

/* The chroma that cudahisto computes of RGB has limited range. */
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
  base->is_hdr = histo_colorimetry_is_hdr (&colorimetry);
  bars[BARS_USUAL] = base->is_hdr ?
      histo_signal_of_light (colorimetry.transfer, HISTO_HDR_WHITE) : SDR_BARS;
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
describe_spots (const HistoComponentResult * component, Description * d)
{
  const HistoCounts counts = histo_counts_of (component);
  const gdouble sum = component->figures.count;

  for (guint i = 0; i < HISTO_SCOPE_BINS && d->n_spots < MOST_SPOTS; i++) {
    const gdouble count = histo_counts_get (counts, i);

    if (count > sum * LEAST_SPOT_SHARE)
      d->spots[d->n_spots++] = (Spot) {
        i % HISTO_SCOPE_SIZE, i / HISTO_SCOPE_SIZE,
        (guint8) lrint (255 * MIN ((count / sum - LEAST_SPOT_SHARE) / (SPOT_SHARE - LEAST_SPOT_SHARE), 1))
      };
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
  d->base.is_logarithmic = scene->settings->is_logarithmic;
  if (component == NULL)
    return;
  histo_trace_set (&d->trace, component, d->base.is_logarithmic);
  describe_spots (component, d);
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
  const gdouble reach = base->reach, skin_u = reach * cos (SKIN_ANGLE), skin_v = reach * sin (SKIN_ANGLE);
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
  find_place (box, SKIN_BEGIN * skin_u, SKIN_BEGIN * skin_v, &x, &y);
  cairo_move_to (canvas->cr, x, y);
  find_place (box, skin_u, skin_v, &x, &y);
  cairo_line_to (canvas->cr, x, y);
  cairo_set_line_width (canvas->cr, MAX (cairo_get_line_width (canvas->cr), HISTO_LEAST_COLORED));
  histo_canvas_set_color (canvas, SKIN_COLOR, SKIN_ALPHA);
  cairo_stroke (canvas->cr);
}

/* The room of a line of text in the lower right corner: right of the boxes of cyan, and so of its name.
 * @right, @bottom: of the text */
static gdouble
find_room (HistoBox box, const Base * base, gdouble right, gdouble bottom, gdouble font)
{
  gdouble room = right - box.x;

  for (guint b = 0; b < N_BARS; b++) {
    const gint *cyan = base->targets[b][CYAN];
    gdouble x, top, end;

    find_place (box, cyan[0] + halves[b], cyan[1] + halves[b], &x, &top);
    find_place (box, cyan[0] + halves[b], cyan[1] - halves[b], &x, &end);
    if (top - font / 4 < bottom && end + font / 4 > bottom - font * 0.8)
      room = MIN (room, right - x - font / 3);
  }
  return room;
}

/* In the corners of the square: the scale, if it is logarithmic, and the matrix and the share of the larger boxes, of PQ and
 * HLG also its light, as far as they have room. */
static void
draw_texts (HistoCanvas * canvas, HistoBox box, const Base * base)
{
  const gdouble font = histo_small_font_size (canvas->size.height), line = font * 1.05;
  const gdouble of_light = font * LIGHT_FONT;
  /* "BT.709", "709" */
  const gchar *const matrices[] = { base->matrix, g_str_has_prefix (base->matrix, "BT.") ? base->matrix + 3 : NULL, NULL };
  gchar light[24], share[16];
  const gchar *const shares[] = { share, base->share, NULL };
  gdouble left, right, top, bottom;

  find_place (box, -base->reach, base->reach, &left, &top);
  find_place (box, base->reach, -base->reach, &right, &bottom);
  right -= font / 4;
  bottom -= font / 4;
  histo_canvas_set_color (canvas, canvas->style->color, 0.8);
  if (base->is_logarithmic)
    histo_canvas_text (canvas, font, left + font / 4, top + font, HISTO_ALIGN_LEFT, HISTO_SCOPE_LOG);
  g_strlcpy (share, base->share, sizeof share);
  g_snprintf (light, sizeof light, "%d cd/m\302\262", HISTO_HDR_WHITE);
  if (base->is_hdr && of_light >= LEAST_LIGHT_FONT && histo_text_width (canvas->style, of_light, light)
      <= find_room (box, base, right, bottom, of_light)) {
    histo_canvas_text (canvas, of_light, right, bottom, HISTO_ALIGN_RIGHT, light);
    bottom -= line;
    g_strlcat (share, " =", sizeof share);
  }
  histo_canvas_text_that_fits (canvas, font, right, bottom, HISTO_ALIGN_RIGHT,
      find_room (box, base, right, bottom, font), shares);
  bottom -= line;
  histo_canvas_text_that_fits (canvas, font, right, bottom, HISTO_ALIGN_RIGHT,
      find_room (box, base, right, bottom, font), matrices);
}

static void
draw_base (HistoCanvas * canvas, gconstpointer base)
{
  const HistoBox box = find_box (canvas->size);
  const Base *b = base;

  if (b->note[0] != '\0') {
    histo_scope_draw_note (canvas, b->note);
    return;
  }
  histo_canvas_fill (canvas, box, histo_color_fade (canvas->style->color, 0.03));
  cairo_set_line_width (canvas->cr, MAX (canvas->size.height / 270.0, 1));
  draw_lines (canvas, box, b);
  cairo_set_line_width (canvas->cr, MAX (canvas->size.height / 150.0, HISTO_LEAST_COLORED));
  for (guint k = 0; k < N_BARS; k++)
    for (guint i = 0; i < N_COLORS; i++)
      draw_target (canvas, box, b->targets[k][i], i, halves[k]);
  if (canvas->size.height < 100)
    return;
  for (guint i = 0; i < N_COLORS; i++)
    draw_name (canvas, box, b->targets[BARS_USUAL][i], i);
  draw_texts (canvas, box, b);
}

/* ---- The trace --------------------------------------------------------------------- */

/* So bright that the trace can be seen. */
#define TRACE_LUMA 0.6

/* The colour of a place in the box: BT.709's.
 * @u, @v: from -1 to 1 at the edges */
static guint32
find_color (gdouble luma, gdouble u, gdouble v)
{
  const gdouble most = TRACE_LUMA;
  const gdouble parts[] = {
    luma + most * 1.5748 * v, luma - most * (0.1873 * u + 0.4681 * v), luma + most * 1.8556 * u
  };
  guint32 color = 0;

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    color = color << 8 | (guint32) (CLAMP (parts[i], 0, 1) * 255 + 0.5);
  return color;
}

/* The nearer to grey, the whiter. */
static void
draw_spot (HistoCanvas * canvas, HistoBox box, const Spot * spot)
{
  const gint size = MAX (canvas->size.height / 80, 3);
  const gdouble u = 2.0 * spot->column / HISTO_SCOPE_SIZE - 1, v = 2.0 * spot->row / HISTO_SCOPE_SIZE - 1;
  const gdouble luma = 1 - (1 - TRACE_LUMA) * MIN (hypot (u, v), 1);
  const HistoBox place = {
    box.x + histo_trace_position (spot->column, box.width) - size / 2,
    box.y + box.height - 1 - histo_trace_position (spot->row, box.height) - size / 2, size, size
  };

  histo_canvas_fill (canvas, place, (guint32) spot->alpha << 24 | find_color (luma, u, v));
}

static void
draw (HistoCanvas * canvas, gconstpointer description)
{
  const HistoBox box = find_box (canvas->size);
  const Description *d = description;
  /* The points of a still picture can be seen behind an encoder, too. */
  const gint dot = MAX (canvas->size.height / 90, 2);
  g_autofree HistoCells *rows = NULL, *columns = NULL;
  g_autofree guint32 *pixels = NULL;
  g_autofree guint8 *alphas = NULL;

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
          << 24 | find_color (TRACE_LUMA, 2.0 * x / box.width - 1, 1 - 2.0 * y / box.height));
    histo_canvas_lay (canvas, box.x, box.y + y, pixels, box.width);
  }
  for (guint i = 0; i < d->n_spots; i++)
    draw_spot (canvas, box, &d->spots[i]);
}

const HistoPanelType histo_vectorscope_panel = {
  sizeof (Description), sizeof (Base), find_size, describe, draw_base, draw
};
