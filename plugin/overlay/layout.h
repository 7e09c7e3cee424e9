/* Where the panels are in the picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_LAYOUT_H
#define HISTO_OVERLAY_LAYOUT_H

#include "overlay/panel.h"

G_BEGIN_DECLS

/* Histogram, levels, vectors, and one for each audio pad. */
#define HISTO_MOST_PANELS (3 + HISTO_MOST_SOUNDS)

typedef struct
{
  const HistoPanelType *type;
  guint number;                 /* among those of the type */
  HistoBox box;                 /* in the picture; width 0: not shown */
} HistoPlace;

typedef struct
{
  gint panel_height;            /* in pixels */
  HistoPlace places[HISTO_MOST_PANELS];
  HistoPlace alerts;
} HistoLayout;

void histo_layout_find (HistoLayout * layout, const HistoScene * scene);

G_END_DECLS

#endif /* HISTO_OVERLAY_LAYOUT_H */
