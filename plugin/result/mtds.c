/* The figures of a region as a GstAnalyticsMtd; see mtds.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "result/mtds.h"

#ifdef HAVE_ANALYTICS

#include "cudahisto/visit.h"
#include "media/region.h"

#include <gst/analytics/analytics.h>
#include <string.h>

/* ---- The types ------------------------------------------------------------------------- */

/* Buffers point to a type as long as they live, so it is kept for ever. There are as many as metas of results.
 * Returns: (transfer none): the type of this name */
static const GstAnalyticsMtdImpl *
find_type (const gchar * name)
{
  static GMutex lock;
  static GHashTable *types = NULL;
  GstAnalyticsMtdImpl *type;

  g_mutex_lock (&lock);
  if (types == NULL)
    types = g_hash_table_new (g_str_hash, g_str_equal);
  type = g_hash_table_lookup (types, name);
  if (type == NULL) {
    type = g_new0 (GstAnalyticsMtdImpl, 1);
    type->name = g_strdup (name);
    g_hash_table_insert (types, (gpointer) type->name, type);
  }
  g_mutex_unlock (&lock);
  return type;
}

/* ---- Writing --------------------------------------------------------------------------- */

typedef struct
{
  GstBuffer *buffer;
  GstAnalyticsRelationMeta *relations;
  const GstAnalyticsMtdImpl *type;
  GArray *earlier;              /* (element-type guint): the ids of the Mtds that have this name already */
  HistoRoiState state;
  HistoRoi roi;                 /* the region that is visited */
  GArray *figures;              /* (element-type HistoMtdFigure): of this region */
} Writer;

/* By its text: the element upstream may be of another copy of the plugin. */
static void
find_earlier (Writer * writer)
{
  GstAnalyticsMtd mtd;
  gpointer state = NULL;

  while (gst_analytics_relation_meta_iterate (writer->relations, &state, GST_ANALYTICS_MTD_TYPE_ANY, &mtd)) {
    const gchar *name = gst_analytics_mtd_type_get_name (gst_analytics_mtd_get_mtd_type (&mtd));

    if (g_strcmp0 (name, writer->type->name) == 0)
      g_array_append_val (writer->earlier, mtd.id);
  }
}

static void
set_relations (Writer * writer, GstAnalyticsRelTypes type, guint mtd)
{
  gst_analytics_relation_meta_set_relation (writer->relations, type, writer->roi.mtd, mtd);
  gst_analytics_relation_meta_set_relation (writer->relations, type, mtd, writer->roi.mtd);
}

/* Takes the place of the object's earlier Mtd. Mtds cannot be removed: one of another size loses its relations.
 * Returns: (nullable): where to write @size bytes */
static gpointer
reuse_earlier (Writer * writer, gsize size)
{
  gpointer place = NULL;

  for (guint i = 0; i < writer->earlier->len; i++) {
    GstAnalyticsMtd mtd = { g_array_index (writer->earlier, guint, i), writer->relations };

    if (gst_analytics_relation_meta_get_relation (writer->relations, writer->roi.mtd, mtd.id) == GST_ANALYTICS_REL_TYPE_NONE)
      continue;
    if (place == NULL && gst_analytics_mtd_get_size (&mtd) == size)
      place = gst_analytics_relation_meta_get_mtd_data (writer->relations, mtd.id);
    else
      set_relations (writer, GST_ANALYTICS_REL_TYPE_NONE, mtd.id);
  }
  return place;
}

/* Returns: (nullable): where to write @size bytes */
static gpointer
add_mtd (Writer * writer, gsize size)
{
  GstAnalyticsMtd mtd;
  gpointer place = gst_analytics_relation_meta_add_mtd (writer->relations, writer->type, size, &mtd);

  if (place != NULL)
    set_relations (writer, GST_ANALYTICS_REL_TYPE_RELATE_TO, mtd.id);
  return place;
}

static gboolean
enter_place (const HistoVisit * visit, gpointer data)
{
  Writer *writer = data;

  if (visit->place == HISTO_PLACE_REGIONS)
    return TRUE;
  if (visit->place != HISTO_PLACE_REGION)
    return visit->region > 0;
  g_array_set_size (writer->figures, 0);
  return visit->result->regions[visit->region].is_roi
      && histo_rois_next (writer->buffer, &writer->state, &writer->roi) && writer->roi.meta == NULL;
}

/* Only what a number and a name that is always the same say. */
static void
append_figure (const HistoVisit * visit, gpointer data)
{
  Writer *writer = data;
  const HistoFigureRow *row = visit->figure.row;
  HistoMtdFigure figure = { 0, };

  if (row->path == NULL || row->item != HISTO_ITEM_NONE || row->choice != NULL)
    return;
  figure.name = g_quark_from_static_string (row->path);
  figure.value = histo_result_get_figure (visit->result, &visit->figure);
  g_array_append_val (writer->figures, figure);
}

static void
leave_place (const HistoVisit * visit, gpointer data)
{
  Writer *writer = data;
  const gsize size = writer->figures->len * sizeof (HistoMtdFigure);
  gpointer place;

  if (visit->place != HISTO_PLACE_REGION)
    return;
  place = reuse_earlier (writer, size);
  if (place == NULL)
    place = add_mtd (writer, size);
  if (place != NULL)
    memcpy (place, writer->figures->data, size);
}

/**
 * histo_mtds_write:
 * @name: of the type of the Mtds
 * @buffer: writable, with the metas of which histo_rois_new() made the regions of @result
 *
 * Each GstAnalyticsODMtd of these gets an Mtd with the figures of its region, in place of an earlier one of this name. Both
 * have a relation to the other one.
 */
void
histo_mtds_write (const HistoResult * result, const gchar * name, GstBuffer * buffer)
{
  static const HistoVisitor visitor = { enter_place, append_figure, leave_place };
  Writer writer = {.buffer = buffer };

  writer.relations = gst_buffer_get_analytics_relation_meta (buffer);
  if (writer.relations == NULL)
    return;
  writer.type = find_type (name);
  writer.earlier = g_array_new (FALSE, FALSE, sizeof (guint));
  writer.figures = g_array_new (FALSE, FALSE, sizeof (HistoMtdFigure));
  find_earlier (&writer);
  histo_result_visit (result, 0, NULL, &visitor, &writer);
  g_array_unref (writer.figures);
  g_array_unref (writer.earlier);
}

#else

/* Without the library no region is one of an Mtd. */
void
histo_mtds_write (const HistoResult * result, const gchar * name, GstBuffer * buffer)
{
}

#endif
