/* A surface of one panel; see canvas.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/canvas.h"

#include <math.h>
#include <string.h>

/* Font sizes in pixels: smaller text cannot be read, larger text needs no more space. */
#define LEAST_FONT 10
#define MOST_FONT 40
/* Font size as a share of the height of a panel. */
#define FONT_SHARE 0.075

gint
histo_font_size (gint panel_height)
{
  return CLAMP ((gint) (panel_height * FONT_SHARE + 0.5), LEAST_FONT,
      MOST_FONT);
}

gdouble
histo_small_font_size (gint panel_height)
{
  return MAX (histo_font_size (panel_height) * 0.85, LEAST_FONT);
}

gboolean
histo_canvas_init (HistoCanvas * canvas, const HistoStyle * style,
    HistoSize size, guint8 * data)
{
  cairo_surface_t *surface = cairo_image_surface_create_for_data (data,
      CAIRO_FORMAT_ARGB32, size.width, size.height, 4 * size.width);

  canvas->style = style;
  canvas->size = size;
  canvas->data = data;
  canvas->cairo_draws = canvas->pixels_change = FALSE;
  canvas->cr = cairo_create (surface);
  cairo_surface_destroy (surface);
  return cairo_status (canvas->cr) == CAIRO_STATUS_SUCCESS;
}

gboolean
histo_canvas_finish (HistoCanvas * canvas)
{
  const gboolean ok = cairo_status (canvas->cr) == CAIRO_STATUS_SUCCESS;

  cairo_surface_flush (cairo_get_target (canvas->cr));
  g_clear_pointer (&canvas->cr, cairo_destroy);
  return ok;
}

/* Before cairo draws: it learns that pixels have changed. */
static void
use_cairo (HistoCanvas * canvas)
{
  if (canvas->pixels_change)
    cairo_surface_mark_dirty (cairo_get_target (canvas->cr));
  canvas->pixels_change = FALSE;
  canvas->cairo_draws = TRUE;
}

/* Before pixels are changed: cairo completes what it has drawn. */
static void
use_pixels (HistoCanvas * canvas)
{
  if (canvas->cairo_draws)
    cairo_surface_flush (cairo_get_target (canvas->cr));
  canvas->cairo_draws = FALSE;
  canvas->pixels_change = TRUE;
}

/* ---- Colours ----------------------------------------------------------------------- */

guint32
histo_color_fade (guint32 color, gdouble alpha)
{
  return (color & 0xffffff) | (guint32) ((color >> 24) * alpha + 0.5) << 24;
}

void
histo_canvas_set_color (HistoCanvas * canvas, guint32 color, gdouble alpha)
{
  use_cairo (canvas);
  cairo_set_source_rgba (canvas->cr, (color >> 16 & 255) / 255.0,
      (color >> 8 & 255) / 255.0, (color & 255) / 255.0,
      (color >> 24) * alpha / 255.0);
}

static inline guint32
divide_by_255 (guint32 x)
{
  return (x + 128 + ((x + 128) >> 8)) >> 8;
}

guint32
histo_color_premultiply (guint32 color)
{
  const guint32 alpha = color >> 24;
  guint32 result = alpha << 24;

  for (guint shift = 0; shift < 24; shift += 8)
    result |= divide_by_255 ((color >> shift & 255) * alpha) << shift;
  return result;
}

/* ---- Pixels ------------------------------------------------------------------------ */

void
histo_canvas_clear (HistoCanvas * canvas)
{
  const guint32 pixel = histo_color_premultiply (canvas->style->background);
  guint32 *pixels = (guint32 *) canvas->data;

  use_pixels (canvas);
  for (gsize i = 0; i < (gsize) canvas->size.width * canvas->size.height; i++)
    pixels[i] = pixel;
}

/* @source: premultiplied. Returns: it, over a pixel */
static inline guint32
lay_over (guint32 source, guint32 below)
{
  /* Two components at a time, each divided as by divide_by_255(). No component is above its alpha, so no sum is above
   * 255. */
  const guint32 rest = 255 - (source >> 24), mask = 0xff00ff;
  guint32 even = (below & mask) * rest + 0x800080;
  guint32 odd = (below >> 8 & mask) * rest + 0x800080;

  even = (even + (even >> 8 & mask)) >> 8 & mask;
  odd = (odd + (odd >> 8 & mask)) >> 8 & mask;
  return source + (even | odd << 8);
}

void
histo_canvas_lay (HistoCanvas * canvas, gint x, gint y, const guint32 * pixels,
    gint n)
{
  guint32 *row = (guint32 *) canvas->data + (gsize) y * canvas->size.width + x;

  use_pixels (canvas);
  for (gint i = 0; i < n; i++) {
    if (pixels[i] >> 24 == 255)
      row[i] = pixels[i];
    else if (pixels[i] != 0)
      row[i] = lay_over (pixels[i], row[i]);
  }
}

void
histo_canvas_fill (HistoCanvas * canvas, HistoBox box, guint32 color)
{
  const gint left = MAX (box.x, 0), top = MAX (box.y, 0);
  const gint right = MIN (box.x + box.width, canvas->size.width);
  const gint bottom = MIN (box.y + box.height, canvas->size.height);
  const guint32 source = histo_color_premultiply (color);

  if (left >= right || top >= bottom)
    return;
  use_pixels (canvas);
  for (gint y = top; y < bottom; y++) {
    guint32 *row = (guint32 *) canvas->data + (gsize) y * canvas->size.width;

    if (source >> 24 == 255)
      for (gint x = left; x < right; x++)
        row[x] = source;
    else
      for (gint x = left; x < right; x++)
        row[x] = lay_over (source, row[x]);
  }
}

void
histo_canvas_apply_opacity (HistoCanvas * canvas)
{
  const guint32 share = (guint32) (canvas->style->opacity * 255 + 0.5);
  const gsize n = (gsize) canvas->size.width * canvas->size.height * 4;

  if (share == 255)
    return;
  use_pixels (canvas);
  for (gsize i = 0; i < n; i++)
    canvas->data[i] = divide_by_255 (canvas->data[i] * share);
}

/* ---- Text -------------------------------------------------------------------------- */

static void
set_font (cairo_t * cr, const HistoStyle * style, gdouble size)
{
  cairo_matrix_t matrix;

  cairo_matrix_init_scale (&matrix, size / style->pixel_aspect, size);
  cairo_select_font_face (cr, style->font, CAIRO_FONT_SLANT_NORMAL,
      CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_matrix (cr, &matrix);
}

void
histo_canvas_text (HistoCanvas * canvas, gdouble size, gdouble x, gdouble y,
    HistoAlign align, const gchar * text)
{
  g_autofree gchar *valid = g_utf8_make_valid (text, -1);
  cairo_text_extents_t extents;

  use_cairo (canvas);
  set_font (canvas->cr, canvas->style, size);
  if (align != HISTO_ALIGN_LEFT) {
    cairo_text_extents (canvas->cr, valid, &extents);
    x -= align == HISTO_ALIGN_RIGHT ? extents.x_advance :
        extents.x_advance / 2;
  }
  /* On whole pixels the glyphs come from cairo's cache. */
  cairo_move_to (canvas->cr, floor (x + 0.5), floor (y + 0.5));
  cairo_show_text (canvas->cr, valid);
}

gdouble
histo_canvas_text_that_fits (HistoCanvas * canvas, gdouble size, gdouble x,
    gdouble y, HistoAlign align, gdouble room, const gchar * const *texts)
{
  cairo_text_extents_t extents;

  set_font (canvas->cr, canvas->style, size);
  for (guint i = 0; texts[i] != NULL; i++) {
    cairo_text_extents (canvas->cr, texts[i], &extents);
    if (extents.x_advance > room)
      continue;
    histo_canvas_text (canvas, size, x, y, align, texts[i]);
    return extents.x_advance;
  }
  return 0;
}

gdouble
histo_text_width (const HistoStyle * style, gdouble size, const gchar * text)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, 1, 1);
  cairo_t *cr = cairo_create (surface);
  gchar *valid = g_utf8_make_valid (text, -1);
  cairo_text_extents_t extents = { 0 };

  set_font (cr, style, size);
  cairo_text_extents (cr, valid, &extents);
  g_free (valid);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return isfinite (extents.x_advance) ? extents.x_advance : 0;
}

/* ---- Rectangles -------------------------------------------------------------------- */

GstVideoOverlayRectangle *
histo_canvas_to_rectangle (GstBuffer * pixels, HistoSize size, gint x, gint y)
{
  GstVideoOverlayRectangle *rectangle;

  gst_buffer_add_video_meta (pixels, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, size.width, size.height);
  rectangle = gst_video_overlay_rectangle_new_raw (pixels, x, y, size.width,
      size.height, GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
  gst_buffer_unref (pixels);
  return rectangle;
}
