/* The result of one buffer, in plain C.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/result.h"

/* Frees what the result holds and leaves it all zero. */
void
histo_result_clear (HistoResult * result)
{
  histo_result_set_n_components (result, 0);
  histo_result_set_n_regions (result, 0);
  g_free (result->components);
  g_free (result->regions);
  g_free (result->levels);
  g_free (result->pairs);
  g_free (result->own_format);
  g_free (result->own_colorimetry);
  g_free (result->own_backend);
  g_strfreev (result->own_names);
  g_free (result->peaks);
  memset (result, 0, sizeof *result);
}

/* Makes room for @n components, without names, figures and histograms; none is a joint one. A result can be used
 * for one buffer after the other; it then allocates only when it grows. */
void
histo_result_set_n_components (HistoResult * result, guint n)
{
  for (guint i = 0; i < result->n_components; i++)
    g_clear_pointer (&result->components[i].histogram, g_bytes_unref);
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

/* Returns: (transfer none): a joint component behind the other joint ones, with all but the counts */
HistoComponentResult *
histo_result_add_joint (HistoResult * result, HistoJoint joint)
{
  const HistoJointInfo *info = &histo_joints[joint];
  HistoComponentResult *component = &result->joints[result->n_joints++];

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
  return component;
}

/* Makes room for @n regions, all of whose members are 0; as histo_result_set_n_components(). */
void
histo_result_set_n_regions (HistoResult * result, guint n)
{
  for (guint r = 0; r < result->n_regions; r++)
    g_free (result->regions[r].name);
  result->regions = make_room (result->regions, &result->n_regions_allocated, n,
      sizeof *result->regions);
  result->n_regions = n;
}

/* Makes room for the levels of @n channels, all of whose members are 0. */
void
histo_result_set_n_levels (HistoResult * result, guint n)
{
  result->levels = make_room (result->levels, &result->n_levels_allocated, n,
      sizeof *result->levels);
}

/* Makes room for @n pairs of channels, all of whose members are 0. */
void
histo_result_set_n_pairs (HistoResult * result, guint n)
{
  result->pairs = make_room (result->pairs, &result->n_pairs_allocated, n,
      sizeof *result->pairs);
  result->n_pairs = n;
}

/**
 * histo_result_find_component:
 * @region: less than n_regions; 0 is the whole picture, or all channels
 * @name: "Y", "saturation", "ch0", "waveform"
 *
 * Returns: (transfer none) (nullable): the component; NULL if it was not measured
 */
const HistoComponentResult *
histo_result_find_component (const HistoResult * result, guint region,
    HistoGroup group, const gchar * name)
{
  const HistoComponentResult *components =
      histo_result_region_components (result, region);

  for (guint i = 0; i < result->n_region_components; i++) {
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

/**
 * histo_component_add_counts:
 * @counts: (inout): figures.bins numbers, to which the counts of the histogram are added
 *
 * Returns: FALSE if the component has no histogram
 */
gboolean
histo_component_add_counts (const HistoComponentResult * component,
    guint64 * counts)
{
  const guint n = component->figures.bins;
  const guint8 *data;
  gsize size;

  if (component->histogram == NULL)
    return FALSE;
  data = g_bytes_get_data (component->histogram, &size);
  if (size == n * sizeof (guint64)) {
    for (guint i = 0; i < n; i++)
      counts[i] += GST_READ_UINT64_LE (data + i * sizeof (guint64));
  } else {
    for (guint i = 0; i < n; i++)
      counts[i] += GST_READ_UINT32_LE (data + i * sizeof (guint32));
  }
  return TRUE;
}

/* The times of a buffer in @segment: stream time and running time are known only if the
 * segment's format is time. */
void
histo_times_from_buffer (HistoTimes * times, GstBuffer * buffer,
    const GstSegment * segment)
{
  times->timestamp = GST_BUFFER_PTS (buffer);
  times->duration = GST_BUFFER_DURATION (buffer);
  times->stream_time = times->running_time = GST_CLOCK_TIME_NONE;
  if (segment->format != GST_FORMAT_TIME
      || !GST_CLOCK_TIME_IS_VALID (times->timestamp))
    return;
  times->running_time = gst_segment_to_running_time (segment,
      GST_FORMAT_TIME, times->timestamp);
  times->stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      times->timestamp);
}
