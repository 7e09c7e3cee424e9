/* Rectangles of the picture: from text and from metas, clipped to the picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "media/region.h"

#include <math.h>

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

/* Larger than any picture. As many percent of the largest picture still fit in 64 bits. */
#define MAX_NUMBER 1e9

static gboolean
fail (const gchar * text, const gchar * reason, GError ** error)
{
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "\"%s\": %s; a region is name=x,y,width,height, each number in pixels "
      "or with %%", text, reason);
  return FALSE;
}

/* Reads one number of a region. @text: changed */
static gboolean
parse_number (gchar * text, gdouble * number, gboolean * is_percent)
{
  gchar *end;

  *number = g_ascii_strtod (text, &end);
  if (end == text || !isfinite (*number) || fabs (*number) > MAX_NUMBER)
    return FALSE;
  g_strstrip (end);
  *is_percent = *end == '%';
  return end[*is_percent] == '\0';
}

/* @text: changed */
static gboolean
parse_spec (gchar * text, HistoRegionSpec * spec, GError ** error)
{
  gchar *equals = strchr (text, '=');
  g_auto (GStrv) numbers = NULL;
  gboolean ok;

  if (equals == NULL)
    return fail (text, "there is no =", error);
  *equals = '\0';
  g_strstrip (text);
  if (*text == '\0')
    return fail (equals + 1, "there is no name", error);
  spec->name = text;
  numbers = g_strsplit (equals + 1, ",", -1);
  ok = g_strv_length (numbers) == 4;
  for (guint i = 0; ok && i < 4; i++)
    ok = parse_number (numbers[i], &spec->numbers[i], &spec->is_percent[i]);
  if (!ok)
    return fail (text, "there must be four numbers of at most 1e9", error);
  if (spec->numbers[2] < 0 || spec->numbers[3] < 0)
    return fail (text, "width and height must not be negative", error);
  return TRUE;
}

/* Names come from outside, so they are not interned: interned texts are never freed. */
static void
clear_spec (gpointer spec)
{
  g_free ((gchar *) ((HistoRegionSpec *) spec)->name);
}

/**
 * histo_region_specs_parse:
 * @text: (nullable): "name=x,y,width,height; …"; empty parts are ignored
 *
 * Returns: (transfer full) (element-type HistoRegionSpec): the regions, at most
 *   %HISTO_MAX_REGIONS with different names; %NULL with a %GST_LIBRARY_ERROR_SETTINGS if the
 *   text is none
 */
GArray *
histo_region_specs_parse (const gchar * text, GError ** error)
{
  g_autoptr (GArray) specs = g_array_new (FALSE, TRUE, sizeof (HistoRegionSpec));
  g_auto (GStrv) parts = g_strsplit (text != NULL ? text : "", ";", -1);
  gboolean ok = TRUE;

  g_array_set_clear_func (specs, clear_spec);
  /* The names become strings of a GstStructure. */
  if (text != NULL && !g_utf8_validate (text, -1, NULL))
    ok = fail ("?", "the text is no UTF-8", error);
  for (guint i = 0; ok && parts[i] != NULL; i++) {
    HistoRegionSpec spec = { 0, };

    if (*g_strstrip (parts[i]) == '\0')
      continue;
    ok = parse_spec (parts[i], &spec, error);
    for (guint k = 0; ok && k < specs->len; k++)
      if (g_str_equal (g_array_index (specs, HistoRegionSpec, k).name, spec.name))
        ok = fail (spec.name, "the name occurs twice", error);
    if (ok && specs->len == HISTO_MAX_REGIONS)
      ok = fail (spec.name, "there are too many regions", error);
    if (ok) {
      spec.name = g_strdup (spec.name);
      g_array_append_val (specs, spec);
    }
  }
  return ok ? g_steal_pointer (&specs) : NULL;
}

/**
 * histo_region_clip:
 * @region: (out): the part of the rectangle that lies inside the picture
 * @name: (nullable): valid as long as the region
 * @x: in pixels, as all others; of any sign and below 2^62 in magnitude
 */
void
histo_region_clip (HistoRegion * region, const gchar * name, gint64 x,
    gint64 y, gint64 width, gint64 height, guint picture_width,
    guint picture_height)
{
  const gint64 right = CLAMP (x + width, 0, (gint64) picture_width);
  const gint64 below = CLAMP (y + height, 0, (gint64) picture_height);

  region->name = name;
  region->x = CLAMP (x, 0, (gint64) picture_width);
  region->y = CLAMP (y, 0, (gint64) picture_height);
  region->width = MAX (right - region->x, 0);
  region->height = MAX (below - region->y, 0);
}

/**
 * histo_region_resolve:
 * @region: (out): the rectangle in a picture of this size. Each edge is rounded to the
 *   nearest pixel, so that regions that touch in percent touch in pixels
 */
void
histo_region_resolve (const HistoRegionSpec * spec, guint picture_width,
    guint picture_height, HistoRegion * region)
{
  gdouble begin[2], end[2];

  for (guint i = 0; i < 2; i++) {
    const gdouble size = i == 0 ? picture_width : picture_height;

    begin[i] = spec->numbers[i] * (spec->is_percent[i] ? size / 100 : 1);
    end[i] = begin[i]
        + spec->numbers[i + 2] * (spec->is_percent[i + 2] ? size / 100 : 1);
    begin[i] = floor (begin[i] + 0.5);
    end[i] = floor (end[i] + 0.5);
  }
  histo_region_clip (region, spec->name, begin[0], begin[1],
      end[0] - begin[0], end[1] - begin[1], picture_width, picture_height);
}

/* ---- The regions of metas ---------------------------------------------------------------- */

#ifdef HAVE_ANALYTICS
/* Of a rotated object the location is that of the upright rectangle around it.
 * @state: NULL before the first call. @roi: (out): all 0 */
static gboolean
next_mtd (GstBuffer * buffer, gpointer * state, HistoRoi * roi)
{
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsODMtd mtd;
  gint x, y, width, height;

  if (relations == NULL
      || !gst_analytics_relation_meta_iterate (relations, state, gst_analytics_od_mtd_get_mtd_type (), &mtd)
      || !gst_analytics_od_mtd_get_location (&mtd, &x, &y, &width, &height, NULL))
    return FALSE;
  roi->type = gst_analytics_od_mtd_get_obj_type (&mtd);
  roi->x = x;
  roi->y = y;
  roi->width = width;
  roi->height = height;
  roi->mtd = mtd.id;
  return TRUE;
}
#else
static gboolean
next_mtd (GstBuffer * buffer, gpointer * state, HistoRoi * roi)
{
  return FALSE;
}
#endif

/* @roi: (out): valid if there is one
 * Returns: FALSE: the metas describe no further region */
gboolean
histo_rois_next (GstBuffer * buffer, HistoRoiState * state, HistoRoi * roi)
{
  const GstVideoRegionOfInterestMeta *meta;

  *roi = (HistoRoi) { 0, };
  /* After the last meta the buffer would begin with the first one again. */
  if (!state->has_all_metas) {
    roi->meta = (GstVideoRegionOfInterestMeta *)
        gst_buffer_iterate_meta_filtered (buffer, &state->meta,
        GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
    state->has_all_metas = roi->meta == NULL;
  }
  meta = roi->meta;
  if (meta == NULL)
    return next_mtd (buffer, &state->mtd, roi);
  roi->type = meta->roi_type;
  roi->x = meta->x;
  roi->y = meta->y;
  roi->width = meta->w;
  roi->height = meta->h;
  return TRUE;
}

/* Returns: interned. A GstStructure holds only UTF-8, so other types of regions have no name. */
static const gchar *
name_of (GQuark type)
{
  const gchar *name = g_quark_to_string (type);

  return name != NULL && g_utf8_validate (name, -1, NULL) ? name :
      g_intern_static_string ("");
}

/* Returns: how many regions the metas describe, at most HISTO_MAX_REGIONS. Further metas are
 *   ignored */
guint
histo_rois_count (GstBuffer * buffer)
{
  HistoRoiState state = { 0, };
  HistoRoi roi;
  guint n = 0;

  while (n < HISTO_MAX_REGIONS && histo_rois_next (buffer, &state, &roi))
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
  HistoRoiState state = { 0, };

  for (guint i = 0; i < n_rois; i++) {
    HistoRoi roi;

    histo_rois_next (buffer, &state, &roi);
    histo_region_clip (&rois[i], name_of (roi.type), roi.x - crop->x,
        roi.y - crop->y, roi.width, roi.height, crop->width, crop->height);
  }
  return rois;
}
