/* Reads the groups of audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/read-audio.h"

#include <string.h>

#include "cudahisto/read-fields.h"

/* Whether a channel has the figures of the group `level`: one of them stands for all. */
static gboolean
has_level (const GstStructure * channel)
{
  for (guint i = 0; i < HISTO_N_LEVEL_FIGURES; i++) {
    if (gst_structure_has_field (channel, histo_level_figures[i].name))
      return TRUE;
  }
  return FALSE;
}

static gboolean
read_level (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  const GstStructure *channel;

  for (guint c = 0; c < result->n_components; c++) {
    channel =
        histo_read_structure (structure, result->components[c].name, error);
    if (channel == NULL)
      return FALSE;
    if (c == 0 && !has_level (channel))
      return TRUE;
    if (c == 0) {
      result->groups |= HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL);
      histo_result_set_n_levels (result, result->n_components);
    }
    if (!histo_read_figures (channel, histo_level_figures,
            HISTO_N_LEVEL_FIGURES, &result->levels[c], error))
      return FALSE;
  }
  return TRUE;
}

/* @numbers: (out): one for each channel */
static gboolean
read_array (const GstStructure * structure, const gchar * name, guint n,
    gdouble * numbers, GError ** error)
{
  const GValue *array =
      histo_read_value (structure, name, GST_TYPE_ARRAY, error);

  if (array == NULL)
    return FALSE;
  if (gst_value_array_get_size (array) != n)
    return histo_read_fail (structure, name,
        "has another size than \"components\"", error);
  for (guint i = 0; i < n; i++) {
    const GValue *number = gst_value_array_get_value (array, i);

    if (!G_VALUE_HOLDS_DOUBLE (number))
      return histo_read_fail (structure, name,
          "holds something else than numbers", error);
    numbers[i] = g_value_get_double (number);
  }
  return TRUE;
}

static gboolean
read_loudness (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  const gchar *name = histo_groups[HISTO_GROUP_LOUDNESS].name;
  const guint n = result->n_components;
  const GstStructure *group;

  /* An earlier result may have had another number of channels. */
  memset (&result->loudness, 0, sizeof result->loudness);
  if (!gst_structure_has_field (structure, name))
    return TRUE;
  group = histo_read_structure (structure, name, error);
  if (group == NULL
      || !histo_read_figures (group, histo_loudness_figures,
          HISTO_N_LOUDNESS_FIGURES, &result->loudness, error))
    return FALSE;
  g_free (result->peaks);
  result->peaks = g_new (gdouble, MAX (HISTO_N_LOUDNESS_ARRAYS * n, 1));
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++) {
    const HistoFigureInfo *info = &histo_loudness_arrays[i];

    if (!read_array (group, info->name, n, result->peaks + i * n, error))
      return FALSE;
    *(const gdouble **) G_STRUCT_MEMBER_P (&result->loudness, info->offset) =
        result->peaks + i * n;
  }
  result->groups |= HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS);
  return TRUE;
}

/**
 * histo_read_audio_groups:
 * @result: (inout): of audio; its channels have been read
 *
 * Returns: FALSE with a %GST_STREAM_ERROR_FORMAT if a field is missing or has another type
 */
gboolean
histo_read_audio_groups (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  return read_level (structure, result, error)
      && read_loudness (structure, result, error);
}
