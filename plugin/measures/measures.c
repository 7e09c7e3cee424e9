/* Which components a format has for the groups that are on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/measures.h"

#include "measures/loudness.h"

/* ---- Groups ----------------------------------------------------------------------------- */

/**
 * histo_measures_groups_of_format:
 * @groups: flags, see HISTO_GROUP_FLAG()
 *
 * Returns: those of the groups that fit the format, and the basic group
 */
guint
histo_measures_groups_of_format (const HistoFormat * format, guint groups)
{
  guint fitting = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC);

  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    if (histo_groups[g].is_audio == format->is_audio)
      fitting |= groups & HISTO_GROUP_FLAG (g);
  }
  if (format->is_audio
      && GST_AUDIO_INFO_RATE (&format->audio) < HISTO_LEAST_LOUDNESS_RATE)
    fitting &= ~HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS);
  return fitting;
}

/* ---- Components ------------------------------------------------------------------------- */

/* The numbers of a derived component have the depth of the maps; hues are degrees. */
static void
add_derived (GArray * components, const HistoFormat * format,
    const HistoDerivedInfo * info)
{
  HistoComponent component = {
    .quark = g_quark_from_static_string (info->name),
    .group = info->group,
    .source = info->source,
    .depth = format->map_depth,
    .n_values = 1u << format->map_depth,
  };

  if (info->source == HISTO_SOURCE_HUE) {
    component.depth = g_bit_storage (HISTO_N_HUES - 1);
    component.n_values = HISTO_N_HUES;
  }
  component.name = g_quark_to_string (component.quark);
  g_array_append_val (components, component);
}

static void
list_motion (const HistoFormat * format, GArray * components)
{
  for (guint c = 0; c < format->n_components; c++) {
    HistoComponent component = format->components[c];

    component.group = HISTO_GROUP_MOTION;
    component.source = HISTO_SOURCE_DIFFERENCE;
    component.native = c;
    g_array_append_val (components, component);
  }
}

static void
list_group (const HistoFormat * format, HistoGroup group, GArray * components)
{
  if (group == HISTO_GROUP_BASIC)
    g_array_append_vals (components, format->components,
        format->n_components);
  if (group == HISTO_GROUP_MOTION)
    list_motion (format, components);
  for (guint i = 0; i < HISTO_N_DERIVED; i++) {
    const HistoDerivedInfo *info = &histo_derived_components[i];

    if (info->group == group && (info->colors & 1u << format->colors) != 0)
      add_derived (components, format, info);
  }
}

/**
 * histo_measures_list_components:
 * @groups: from histo_measures_groups_of_format()
 * @components: (element-type HistoComponent): appended to; first_bin and region are to be
 * set by the caller
 *
 * Lists the components of one region, group by group; the native ones first.
 */
void
histo_measures_list_components (const HistoFormat * format, guint groups,
    GArray * components)
{
  for (guint group = 0; group < HISTO_N_GROUPS; group++) {
    if ((groups & HISTO_GROUP_FLAG (group)) != 0)
      list_group (format, group, components);
  }
}
