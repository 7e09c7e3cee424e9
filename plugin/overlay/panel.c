/* What the panels have in common; see panel.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/panel.h"

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
