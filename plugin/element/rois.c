/* The regions that metas describe; see rois.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/rois.h"

/* The next meta of a region, or NULL. @state: NULL before the first call */
static const GstVideoRegionOfInterestMeta *
next_meta (GstBuffer * buffer, gpointer * state)
{
  return (const GstVideoRegionOfInterestMeta *)
      gst_buffer_iterate_meta_filtered (buffer, state,
      GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
}

/* Returns: interned. A GstStructure holds only UTF-8, so other types of regions have no name. */
static const gchar *
name_of (const GstVideoRegionOfInterestMeta * meta)
{
  const gchar *name = g_quark_to_string (meta->roi_type);

  return name != NULL && g_utf8_validate (name, -1, NULL) ? name :
      g_intern_static_string ("");
}

/* Returns: how many regions the metas describe, at most HISTO_MAX_REGIONS. Further metas are
 *   ignored */
guint
histo_rois_count (GstBuffer * buffer)
{
  gpointer state = NULL;
  guint n = 0;

  while (n < HISTO_MAX_REGIONS && next_meta (buffer, &state) != NULL)
    n++;
  return n;
}

/* A buffer with more regions than the plan has room for has the engines configured again. So it has
 * no previous frame: its result lacks `motion` and `ti`.
 *
 * Returns: for how many regions a plan has room if a buffer has @n_rois: the next power of two,
 *   so that plans are made rarely while the number of regions varies */
guint
histo_rois_room (guint n_rois)
{
  guint room = 1;

  if (n_rois == 0)
    return 0;
  while (room < n_rois)
    room *= 2;
  return room;
}

/**
 * histo_rois_new:
 * @crop: the picture
 * @n_rois: at most histo_rois_count()
 *
 * The metas are about the frame, the regions about the picture.
 *
 * Returns: (transfer full) (nullable): the regions of the first @n_rois metas, in their order,
 *   clipped to the picture; %NULL if @n_rois is 0
 */
HistoRegion *
histo_rois_new (GstBuffer * buffer, const HistoCrop * crop, guint n_rois)
{
  HistoRegion *rois = n_rois > 0 ? g_new (HistoRegion, n_rois) : NULL;
  gpointer state = NULL;

  for (guint i = 0; i < n_rois; i++) {
    const GstVideoRegionOfInterestMeta *meta = next_meta (buffer, &state);

    histo_region_clip (&rois[i], name_of (meta), (gint64) meta->x - crop->x,
        (gint64) meta->y - crop->y, meta->w, meta->h, crop->width,
        crop->height);
  }
  return rois;
}
