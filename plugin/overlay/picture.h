/* The drawn overlay: from a scene to the rectangles of a GstVideoOverlayComposition, which are the
 * panels and the frames around the regions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_PICTURE_H
#define HISTO_OVERLAY_PICTURE_H

#include "overlay/panel.h"

G_BEGIN_DECLS

/* Waveform, vectorscope, histogram, levels, and one for each audio pad. */
#define HISTO_MOST_PANELS (4 + HISTO_MOST_SOUNDS)

/* One panel as it was drawn last. */
typedef struct
{
  HistoSize size;
  gpointer description, next;   /* of the type's size; next: while it is being made */
  guint8 *base;                 /* pixels of the base; NULL: none */
  GstVideoOverlayRectangle *rectangle;  /* NULL: not shown */
} HistoDrawnPanel;

/* The frames around the regions as they were drawn last. */
typedef struct
{
  GArray *frames;               /* what the rectangles show; NULL: nothing yet */
  gint width, height;           /* of the picture, in which the names must have room */
  GPtrArray *rectangles;        /* of GstVideoOverlayRectangle */
} HistoRegionFrames;

typedef struct
{
  HistoStyle style;             /* with which all was drawn */
  HistoDrawnPanel panels[HISTO_MOST_PANELS + 2];        /* the last ones: the alerts, the checks */
  HistoRegionFrames regions;
  GstVideoOverlayComposition *composition;      /* NULL: nothing is shown, or something has changed */
  guint64 n_drawn;              /* panels that were drawn so far */
} HistoPicture;

void histo_picture_clear (HistoPicture * picture);
GstVideoOverlayComposition *histo_picture_update (HistoPicture * picture,
    const HistoScene * scene);

G_END_DECLS

#endif /* HISTO_OVERLAY_PICTURE_H */
