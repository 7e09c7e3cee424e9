/* The regions that the GstVideoRegionOfInterestMetas of a buffer describe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_ROIS_H
#define HISTO_ROIS_H

#include "media/crop.h"
#include "media/region.h"

G_BEGIN_DECLS

guint histo_rois_count (GstBuffer * buffer);
guint histo_rois_room (guint n_rois);
HistoRegion *histo_rois_new (GstBuffer * buffer, const HistoCrop * crop,
    guint n_rois);

G_END_DECLS

#endif /* HISTO_ROIS_H */
