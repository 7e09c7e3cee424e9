/* Writes the groups of audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/write-audio.h"

#include "result/write-fields.h"

/* Constant after histo_write_audio_init(). */
static HistoFigureField level_fields[HISTO_N_LEVEL_FIGURES];
static HistoFigureField loudness_fields[HISTO_N_LOUDNESS_FIGURES];
static HistoFigureField array_fields[HISTO_N_LOUDNESS_ARRAYS];
static FieldName loudness_name;

/* To be called once, before all else here. */
void
histo_write_audio_init (void)
{
  histo_write_fields_of_figures (level_fields, histo_level_figures,
      HISTO_N_LEVEL_FIGURES);
  histo_write_fields_of_figures (loudness_fields, histo_loudness_figures,
      HISTO_N_LOUDNESS_FIGURES);
  histo_write_fields_of_figures (array_fields, histo_loudness_arrays,
      HISTO_N_LOUDNESS_ARRAYS);
  loudness_name = FIELD_NAME (histo_groups[HISTO_GROUP_LOUDNESS].name);
}

/* Adds the figures of the group `level` to the structure of a channel. */
void
histo_write_level (const HistoResult * result, guint channel,
    GstStructure * structure)
{
  for (guint i = 0; i < HISTO_N_LEVEL_FIGURES; i++)
    set_figure (structure, &level_fields[i], &result->levels[channel]);
}

static void
set_doubles (GstStructure * structure, FieldName name,
    const gdouble * numbers, guint n)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, n);
  for (guint i = 0; i < n; i++) {
    GValue number = histo_write_double;

    g_value_set_double (&number, numbers[i]);
    gst_value_array_append_and_take_value (&array, &number);
  }
  take_value (structure, name, &array);
}

/* Adds the structure of the group `loudness`. */
void
histo_write_loudness (const HistoResult * result, GstStructure * structure)
{
  GstStructure *group;

  if (result->loudness.true_peak == NULL
      || result->loudness.sample_peak == NULL)
    return;
  group = new_structure (loudness_name);
  for (guint i = 0; i < HISTO_N_LOUDNESS_FIGURES; i++)
    set_figure (group, &loudness_fields[i], &result->loudness);
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
    set_doubles (group, array_fields[i].name, *(const gdouble * const *)
        G_STRUCT_MEMBER_P (&result->loudness, array_fields[i].offset),
        result->n_components);
  set_boxed (structure, loudness_name, GST_TYPE_STRUCTURE, group);
}
