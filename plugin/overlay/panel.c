/* What the panels have in common; see panel.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/panel.h"

#include <string.h>

/* Below this height a panel has no text, so that the plot has the space. */
#define LEAST_HEIGHT_WITH_TEXT 40

HistoBox
histo_plot_box (HistoSize size, guint plot, guint n)
{
  const gint font = histo_font_size (size.height);
  const gint pad = MAX (size.height / 40, 2);
  const gint top = size.height < LEAST_HEIGHT_WITH_TEXT ? pad :
      font + 2 * pad;
  const gint left = pad + (gint) (plot * (size.width - pad) / n);
  const gint right = (gint) ((plot + 1) * (size.width - pad) / n);
  const HistoBox box = { left, top, MAX (right - left, 1),
    MAX (size.height - top - pad, 1)
  };

  return box;
}

gdouble
histo_header_right (HistoSize size, guint plot, guint n)
{
  const HistoBox box = histo_plot_box (size, plot, n);

  return box.x + box.width - (plot + 1 < n ? histo_font_size (size.height) / 2.0 : 0);
}

gdouble
histo_header_room (const HistoStyle * style, HistoSize size, guint plot, guint n,
    const gchar * label)
{
  const gint font = histo_font_size (size.height);

  return histo_header_right (size, plot, n) - histo_plot_box (size, plot, n).x - font / 2.0
      - histo_text_width (style, font, label);
}

void
histo_header_draw_label (HistoCanvas * canvas, guint plot, guint n, guint32 color,
    const gchar * label)
{
  const gint font = histo_font_size (canvas->size.height);
  const HistoBox box = histo_plot_box (canvas->size, plot, n);
  const gdouble room = histo_header_right (canvas->size, plot, n) - box.x;
  g_autofree gchar *text = g_strdup (label);
  gchar *space;

  if (box.y >= font) {
    while (histo_text_width (canvas->style, font, text) > room && (space = strrchr (text, ' ')) != NULL)
      *space = '\0';
    histo_canvas_set_color (canvas, color, 1);
    histo_canvas_text (canvas, font, box.x, box.y - font / 4.0, HISTO_ALIGN_LEFT, text);
  }
}

HistoSize
histo_panel_size (const HistoScene * scene, gint height, gdouble width)
{
  const gdouble pixels = width / scene->settings->style.pixel_aspect;
  const HistoSize size = {
    (gint) CLAMP (pixels + 0.5, 1, HISTO_MOST_PANEL_PIXELS), height
  };

  return size;
}

gint
histo_share_to_pixels (gdouble share, gint length)
{
  if (!(share > 0))
    return 0;
  return share >= 1 ? length : (gint) (share * length + 0.5);
}
