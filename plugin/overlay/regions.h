/* Frames around the regions, with their names.
 *
 * Each frame is four thin rectangles and one for the name: a rectangle of the region's size would
 * be almost empty, and large.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_REGIONS_H
#define HISTO_OVERLAY_REGIONS_H

#include "overlay/panel.h"

G_BEGIN_DECLS

typedef struct
{
  GArray *frames;               /* what the rectangles show; NULL: nothing yet */
  gint width, height;           /* of the picture, in which the names must have room */
  GPtrArray *rectangles;        /* of GstVideoOverlayRectangle */
} HistoRegionFrames;

void histo_region_frames_clear (HistoRegionFrames * regions);
gboolean histo_region_frames_update (HistoRegionFrames * regions,
    const HistoScene * scene);

G_END_DECLS

#endif /* HISTO_OVERLAY_REGIONS_H */
