/* A surface of one panel: rectangles and columns of pixels, lines and text with cairo.
 *
 * Coordinates are pixels of the picture. Pixels are premultiplied ARGB in the host's byte order,
 * which is cairo's format and that of overlay rectangles.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_CANVAS_H
#define HISTO_OVERLAY_CANVAS_H

#include "overlay/settings.h"

#include <cairo.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Chroma of 4:2:0 keeps what is so many pixels wide and high. What has a colour that means something is not smaller. */
#define HISTO_LEAST_COLORED 2

/* Size of a surface in pixels, at least 1. */
typedef struct
{
  gint width, height;
} HistoSize;

typedef struct
{
  gint x, y, width, height;
} HistoBox;

typedef struct
{
  const HistoStyle *style;
  HistoSize size;
  guint8 *data;                 /* size.height rows of 4 * size.width bytes */
  /* histo_canvas_set_color() must come before what is drawn with it. */
  cairo_t *cr;

  /*< private > */
  gboolean cairo_draws, pixels_change;  /* since the other way of drawing was used */
} HistoCanvas;

typedef enum
{
  HISTO_ALIGN_LEFT,
  HISTO_ALIGN_CENTER,
  HISTO_ALIGN_RIGHT
} HistoAlign;

/* @data: the surface's memory, 4 * width * height bytes
 * Returns: FALSE if cairo has no memory */
gboolean histo_canvas_init (HistoCanvas * canvas, const HistoStyle * style,
    HistoSize size, guint8 * data);
/* Ends the drawing. Returns: FALSE if cairo has failed */
gboolean histo_canvas_finish (HistoCanvas * canvas);

/* Colours are 0xAARRGGBB, not premultiplied. @alpha: multiplies the colour's own, 0 to 1 */
void histo_canvas_set_color (HistoCanvas * canvas, guint32 color,
    gdouble alpha);
guint32 histo_color_fade (guint32 color, gdouble alpha);
/* Returns: the colour with its components multiplied by its alpha. */
guint32 histo_color_premultiply (guint32 color);

/* The background of a panel. */
void histo_canvas_clear (HistoCanvas * canvas);
/* Lays a colour over the pixels of a box, which is clipped to the surface. */
void histo_canvas_fill (HistoCanvas * canvas, HistoBox box, guint32 color);
/* Lays pixels, premultiplied and in the surface's format, over a row of the surface, in which they must lie. */
void histo_canvas_lay (HistoCanvas * canvas, gint x, gint y,
    const guint32 * pixels, gint n);
/* Multiplies the surface by the style's opacity. */
void histo_canvas_apply_opacity (HistoCanvas * canvas);

/* @size: height of the font in pixels
 * @text: UTF-8; other bytes are replaced
 * @y: of the base line */
void histo_canvas_text (HistoCanvas * canvas, gdouble size, gdouble x,
    gdouble y, HistoAlign align, const gchar * text);
/* Draws the first text of at most this width. @texts: ends with NULL
 * Returns: its width; 0: none has room */
gdouble histo_canvas_text_that_fits (HistoCanvas * canvas, gdouble size, gdouble x,
    gdouble y, HistoAlign align, gdouble room, const gchar * const *texts);
/* Returns: the width that the text needs, in pixels of the picture */
gdouble histo_text_width (const HistoStyle * style, gdouble size,
    const gchar * text);

/* The height of small text in a panel of this height. */
gint histo_font_size (gint panel_height);

/* The height of text that is less important, in a panel of this height. */
gdouble histo_small_font_size (gint panel_height);

/* Returns: (transfer full): a rectangle of the overlay with these pixels
 * @pixels: (transfer full): memory of a surface */
GstVideoOverlayRectangle *histo_canvas_to_rectangle (GstBuffer * pixels,
    HistoSize size, gint x, gint y);

G_END_DECLS

#endif /* HISTO_OVERLAY_CANVAS_H */
