/* The result of one buffer, in plain C; see result.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/result.h"

#include <math.h>
#include <string.h>

#include "cudahisto/fields.h"
#include "cudahisto/inner.h"

void
histo_result_clear (HistoResult * result)
{
  if (result == NULL)
    return;
  histo_result_set_n_components (result, 0);
  histo_result_set_n_regions (result, 0);
  g_free (result->components);
  g_free (result->regions);
  g_free (result->levels);
  g_free (result->pairs);
  g_free (result->own_format);
  g_free (result->own_colorimetry);
  g_free (result->own_backend);
  g_free (result->own_mask);
  g_strfreev (result->own_names);
  g_free (result->peaks);
  g_clear_pointer (&result->absent, g_hash_table_unref);
  memset (result, 0, sizeof *result);
}

void
histo_result_set_n_components (HistoResult * result, guint n)
{
  g_return_if_fail (result != NULL);
  for (guint i = 0; i < result->n_components; i++) {
    g_clear_pointer (&result->components[i].histogram, g_bytes_unref);
    g_clear_pointer (&result->components[i].edges, g_bytes_unref);
  }
  for (guint i = 0; i < result->n_joints; i++)
    g_clear_pointer (&result->joints[i].histogram, g_bytes_unref);
  result->n_joints = 0;
  if (n > result->n_allocated) {
    g_free (result->components);
    result->components = g_new0 (HistoComponentResult, n);
    result->n_allocated = n;
  }
  result->n_components = n;
}

/* Returns: the array or a new one, with @n items that are 0 */
static gpointer
make_room (gpointer array, guint * n_allocated, guint n, gsize size)
{
  if (n > *n_allocated) {
    g_free (array);
    array = g_malloc_n (n, size);
    *n_allocated = n;
  }
  if (n > 0)
    memset (array, 0, n * size);
  return array;
}

HistoComponentResult *
histo_result_add_joint (HistoResult * result, HistoJoint joint)
{
  const HistoJointInfo *info;
  HistoComponentResult *component;

  g_return_val_if_fail (result != NULL && (guint) joint < HISTO_N_JOINTS && result->n_joints < HISTO_N_JOINTS, NULL);
  info = &histo_joints[joint];
  component = &result->joints[result->n_joints++];
  *component = (HistoComponentResult) {
    .name = info->name,
    .quark = g_quark_from_static_string (info->name),
    .group = info->group,
    .source = HISTO_N_SOURCES,
    .figures.bins = HISTO_SCOPE_BINS,
    .columns = HISTO_SCOPE_SIZE,
    .rows = HISTO_SCOPE_SIZE,
    .x = info->x,
    .y = info->y,
  };
  for (guint i = 0; i < HISTO_N_FIGURES; i++) {
    if (histo_figures[i].type == HISTO_FIGURE_DOUBLE)
      G_STRUCT_MEMBER (gdouble, &component->figures, histo_figures[i].offset) = NAN;
  }
  return component;
}

void
histo_result_set_n_regions (HistoResult * result, guint n)
{
  g_return_if_fail (result != NULL);
  for (guint r = 0; r < result->n_regions; r++)
    g_free (result->regions[r].name);
  result->regions = make_room (result->regions, &result->n_regions_allocated, n,
      sizeof *result->regions);
  result->n_regions = n;
}

void
histo_result_set_n_levels (HistoResult * result, guint n)
{
  g_return_if_fail (result != NULL);
  result->levels = make_room (result->levels, &result->n_levels_allocated, n,
      sizeof *result->levels);
}

void
histo_result_set_n_pairs (HistoResult * result, guint n)
{
  g_return_if_fail (result != NULL);
  result->pairs = make_room (result->pairs, &result->n_pairs_allocated, n,
      sizeof *result->pairs);
  result->n_pairs = n;
}

const HistoComponentResult *
histo_result_find_component (const HistoResult * result, guint region,
    HistoGroup group, const gchar * name)
{
  const HistoComponentResult *components =
      histo_result_region_components (result, region);

  if (result == NULL || name == NULL)
    return NULL;
  for (guint i = 0; components != NULL && i < result->n_region_components; i++) {
    if (components[i].group == group && g_str_equal (components[i].name, name))
      return &components[i];
  }
  for (guint i = 0; region == 0 && i < result->n_joints; i++) {
    if (result->joints[i].group == group
        && g_str_equal (result->joints[i].name, name))
      return &result->joints[i];
  }
  return NULL;
}

guint
histo_components_format (const HistoComponentResult * natives, guint n)
{
  guint format = HISTO_HAS_GRAY;

  g_return_val_if_fail (natives != NULL || n == 0, format);
  for (guint i = 0; i < n; i++) {
    if (g_str_equal (natives[i].name, "R"))
      format = HISTO_HAS_RGB;
    else if (g_str_equal (natives[i].name, "U"))
      format = HISTO_HAS_YUV;
  }
  return format;
}

gboolean
histo_component_add_counts (const HistoComponentResult * component,
    guint64 * counts)
{
  const guint8 *data;
  gsize n, size;

  g_return_val_if_fail (component != NULL && counts != NULL, FALSE);
  if (component->histogram == NULL)
    return FALSE;
  n = component->figures.bins;
  data = g_bytes_get_data (component->histogram, &size);
  if (size != n * sizeof (guint64) && size != n * sizeof (guint32))
    return FALSE;
  if (size == n * sizeof (guint64)) {
    for (guint i = 0; i < n; i++)
      counts[i] += GST_READ_UINT64_LE (data + i * sizeof (guint64));
  } else {
    for (guint i = 0; i < n; i++)
      counts[i] += GST_READ_UINT32_LE (data + i * sizeof (guint32));
  }
  return TRUE;
}

void
histo_equal_edges (gdouble min, gdouble max, guint n, gdouble * edges)
{
  const long double width = ((long double) max - min) / n;

  for (guint i = 0; i < n; i++)
    edges[i] = (gdouble) (min + i * width);
  edges[n] = max;
}

gboolean
histo_edges_are_valid (GBytes * bytes, guint bins)
{
  const guint8 *data;
  gdouble last = -INFINITY;

  if (bytes == NULL || bins == 0 || bins > HISTO_MAX_BINS || g_bytes_get_size (bytes) != (bins + 1) * sizeof last)
    return FALSE;
  data = g_bytes_get_data (bytes, NULL);
  for (guint i = 0; i <= bins; i++) {
    const gdouble edge = GST_READ_DOUBLE_LE (data + i * sizeof edge);

    if (!isfinite (edge) || edge <= last)
      return FALSE;
    last = edge;
  }
  return TRUE;
}

gboolean
histo_component_get_edges (const HistoComponentResult * component, gdouble * edges)
{
  const HistoFigures *figures;
  const guint8 *data;

  g_return_val_if_fail (component != NULL && edges != NULL, FALSE);
  figures = &component->figures;
  if (figures->bins == 0 || figures->bins > HISTO_MAX_BINS)
    return FALSE;
  if (component->edges == NULL) {
    const gdouble range = figures->range_max - figures->range_min;

    if (!isfinite (range) || !(range > 0))
      return FALSE;
    histo_equal_edges (figures->range_min, figures->range_max, figures->bins, edges);
    return TRUE;
  }
  if (!histo_edges_are_valid (component->edges, figures->bins))
    return FALSE;
  data = g_bytes_get_data (component->edges, NULL);
  for (guint i = 0; i <= figures->bins; i++)
    edges[i] = GST_READ_DOUBLE_LE (data + i * sizeof *edges);
  return TRUE;
}

void
histo_times_from_buffer (HistoTimes * times, GstBuffer * buffer,
    const GstSegment * segment)
{
  g_return_if_fail (times != NULL && GST_IS_BUFFER (buffer));
  times->timestamp = GST_BUFFER_PTS (buffer);
  times->duration = GST_BUFFER_DURATION (buffer);
  times->stream_time = times->running_time = GST_CLOCK_TIME_NONE;
  if (segment == NULL || segment->format != GST_FORMAT_TIME
      || !GST_CLOCK_TIME_IS_VALID (times->timestamp))
    return;
  times->running_time = gst_segment_to_running_time (segment,
      GST_FORMAT_TIME, times->timestamp);
  times->stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      times->timestamp);
}

gchar *
histo_result_name_fault (const gchar * name)
{
  /* The names of messages and of metas begin so, too. */
  static const gchar *const taken[] = { "alert", "compare", "compare-window", "stats", "window" };

  if (name == NULL)
    return NULL;
  if (*name == '\0' || strlen (name) > HISTO_LONGEST_RESULT_NAME
      || strspn (name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen (name))
    return g_strdup_printf ("\"%s\" is not 1 to %d of a to z, 0 to 9 and -", name, HISTO_LONGEST_RESULT_NAME);
  for (guint i = 0; i < G_N_ELEMENTS (taken); i++) {
    if (g_str_equal (name, taken[i]))
      return g_strdup_printf ("\"%s\" has another meaning", name);
  }
  return NULL;
}

gchar *
histo_result_meta_name (const gchar * name)
{
  return name == NULL ? g_strdup (HISTO_RESULT_NAME) : g_strconcat (HISTO_RESULT_NAME, "-", name, NULL);
}

gboolean
histo_times_clip (HistoTimes * times, guint64 duration, const GstSegment * segment, guint64 * start, guint64 * end)
{
  guint64 whole_end;

  g_return_val_if_fail (times != NULL && start != NULL && end != NULL, FALSE);
  *start = times->timestamp;
  /* The sum with an unknown duration does not fit, and is unknown, too. */
  if (!g_uint64_checked_add (&whole_end, *start, duration))
    whole_end = GST_CLOCK_TIME_NONE;
  *end = whole_end;
  if (segment == NULL || segment->format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (times->timestamp))
    return TRUE;
  if (!gst_segment_clip (segment, GST_FORMAT_TIME, times->timestamp, whole_end, start, end))
    return FALSE;
  /* The segment's own end, which may be any number. */
  if (!GST_CLOCK_TIME_IS_VALID (whole_end))
    *end = GST_CLOCK_TIME_NONE;
  if (*end < *start)
    return FALSE;
  if (*start == times->timestamp && *end == whole_end)
    return TRUE;
  times->stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, *start);
  times->running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, *start);
  times->duration = GST_CLOCK_TIME_IS_VALID (*end) ? *end - *start : GST_CLOCK_TIME_NONE;
  return TRUE;
}
