/* Reads the groups of audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/read-audio.h"

#include "result/read-fields.h"

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
  return read_level (structure, result, error);
}
