/* Writes the groups of audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/write-audio.h"

#include "result/write-fields.h"

/* Constant after histo_write_audio_init(). */
static HistoFigureField level_fields[HISTO_N_LEVEL_FIGURES];

/* To be called once, before all else here. */
void
histo_write_audio_init (void)
{
  histo_write_fields_of_figures (level_fields, histo_level_figures,
      HISTO_N_LEVEL_FIGURES);
}

/* Adds the figures of the group `level` to the structure of a channel. */
void
histo_write_level (const HistoResult * result, guint channel,
    GstStructure * structure)
{
  for (guint i = 0; i < HISTO_N_LEVEL_FIGURES; i++)
    set_figure (structure, &level_fields[i], &result->levels[channel]);
}
