/* Rectangles of the picture with their own results.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_REGION_H
#define HISTO_REGION_H

#include "cudahisto/measures.h"
#include "cudahisto/result.h"
#include "media/crop.h"

G_BEGIN_DECLS

/* A region as the property `regions` describes it. */
typedef struct
{
  const gchar *name;            /* of histo_region_specs_parse(): valid as long as its array */
  gdouble numbers[4];           /* x, y, width, height */
  gboolean is_percent[4];       /* of the picture's width or height; else pixels */
} HistoRegionSpec;

GArray *histo_region_specs_parse (const gchar * text, GError ** error);
void histo_region_resolve (const HistoRegionSpec * spec, guint picture_width,
    guint picture_height, HistoRegion * region);
void histo_region_clip (HistoRegion * region, const gchar * name, gint64 x,
    gint64 y, gint64 width, gint64 height, guint picture_width,
    guint picture_height);

/* A region that a meta of a buffer describes: first those of its GstVideoRegionOfInterestMetas, then those of the
 * GstAnalyticsODMtds in its GstAnalyticsRelationMeta, each in the order of the buffer. */
typedef struct
{
  GQuark type;
  gint64 x, y, width, height;   /* in the frame; they come from outside, and are not clipped */
  GstVideoRegionOfInterestMeta *meta;   /* NULL: a GstAnalyticsODMtd describes it */
  guint mtd;                    /* then: the Mtd's id */
} HistoRoi;

/* Where a walk over the regions is; all 0 before the first one. */
typedef struct
{
  gpointer meta, mtd;
  gboolean has_all_metas;       /* the walk is among the Mtds */
} HistoRoiState;

gboolean histo_rois_next (GstBuffer * buffer, HistoRoiState * state, HistoRoi * roi);
guint histo_rois_count (GstBuffer * buffer);
guint histo_rois_room (guint n_rois);
HistoRegion *histo_rois_new (GstBuffer * buffer, const HistoCrop * crop,
    guint n_rois);

G_END_DECLS

#endif /* HISTO_REGION_H */
