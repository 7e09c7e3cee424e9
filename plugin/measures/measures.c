/* The tables of what is measured.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/measures.h"

/* ---- Figures -------------------------------------------------------------------------- */

const HistoFigureInfo histo_figures[HISTO_N_FIGURES] = {
#define FIGURE(type, member, name, unit, definition) \
  { name, HISTO_FIGURE_##type, G_STRUCT_OFFSET (HistoFigures, member), unit, definition },
#define PERCENTILE(percent) \
  { "p" #percent, HISTO_FIGURE_DOUBLE, \
      G_STRUCT_OFFSET (HistoFigures, percentiles[HISTO_P##percent]), "sample", \
      "smallest v[i] for which at least " #percent " % of the samples are counted in " \
      "h[0] to h[i] (audio: or are below range-min); NaN if there are no samples" },
  HISTO_FIGURES (FIGURE, PERCENTILE)
#undef PERCENTILE
#undef FIGURE
};

const guint histo_percents[HISTO_N_PERCENTILES] = {
#define PERCENT(percent) percent,
  HISTO_FIGURES (HISTO_NO_FIGURE, PERCENT)
#undef PERCENT
};

/* ---- Groups ----------------------------------------------------------------------------- */

const HistoGroupInfo histo_groups[HISTO_N_GROUPS] = {
  [HISTO_GROUP_BASIC] = {"basic", FALSE, "Histograms of the components, always on"},
#define GROUP(identifier, name, is_audio, description) \
  [HISTO_GROUP_##identifier] = { name, is_audio, description },
  HISTO_GROUPS (GROUP)
#undef GROUP
};

const HistoGroupFigureInfo histo_group_figures[HISTO_N_GROUP_FIGURES] = {
#define FIGURE(group, member, name, unit, definition) \
  { HISTO_GROUP_##group, name, G_STRUCT_OFFSET (HistoGroupFigures, group##_##member), \
      unit, definition },
  HISTO_GROUP_FIGURES (FIGURE)
#undef FIGURE
};

/**
 * histo_measures_groups_of_format:
 * @groups: flags, see HISTO_GROUP_FLAG()
 *
 * Returns: those of the groups that fit the format's medium, and the basic group
 */
guint
histo_measures_groups_of_format (const HistoFormat * format, guint groups)
{
  guint fitting = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC);

  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    if (histo_groups[g].is_audio == format->is_audio)
      fitting |= groups & HISTO_GROUP_FLAG (g);
  }
  return fitting;
}

/* ---- Components ------------------------------------------------------------------------- */

static void
add_component (GArray * components, HistoGroup group, HistoSource source,
    const gchar * name, guint depth, guint n_values)
{
  HistoComponent component = {
    .quark = g_quark_from_static_string (name),
    .group = group,
    .source = source,
    .depth = depth,
    .n_values = n_values,
  };

  component.name = g_quark_to_string (component.quark);
  g_array_append_val (components, component);
}

/* A component whose values have the depth of the maps. */
static void
add_map (GArray * components, const HistoFormat * format, HistoGroup group,
    HistoSource source, const gchar * name)
{
  add_component (components, group, source, name, format->map_depth,
      1u << format->map_depth);
}

static void
list_basic (const HistoFormat * format, GArray * components)
{
  g_array_append_vals (components, format->components, format->n_components);
}

static void
list_signal (const HistoFormat * format, GArray * components)
{
  if (format->colors == HISTO_COLORS_GRAY)
    return;
  add_map (components, format, HISTO_GROUP_SIGNAL, HISTO_SOURCE_SATURATION,
      "saturation");
  add_component (components, HISTO_GROUP_SIGNAL, HISTO_SOURCE_HUE, "hue", 9,
      HISTO_N_HUES);
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
list_color (const HistoFormat * format, GArray * components)
{
  if (format->colors == HISTO_COLORS_RGB) {
    add_map (components, format, HISTO_GROUP_COLOR, HISTO_SOURCE_LUMA, "luma");
    return;
  }
  add_map (components, format, HISTO_GROUP_COLOR, HISTO_SOURCE_RED, "R");
  add_map (components, format, HISTO_GROUP_COLOR, HISTO_SOURCE_GREEN, "G");
  add_map (components, format, HISTO_GROUP_COLOR, HISTO_SOURCE_BLUE, "B");
}

static void
list_hdr (const HistoFormat * format, GArray * components)
{
  add_map (components, format, HISTO_GROUP_HDR, HISTO_SOURCE_MAXRGB, "maxrgb");
}

static void
list_detail (const HistoFormat * format, GArray * components)
{
  add_map (components, format, HISTO_GROUP_DETAIL, HISTO_SOURCE_GRADIENT,
      "gradient");
}

/* The functions that list the components of a group. The other groups have none. */
static void (*const list_group[HISTO_N_GROUPS]) (const HistoFormat * format,
    GArray * components) = {
  [HISTO_GROUP_BASIC] = list_basic,
  [HISTO_GROUP_SIGNAL] = list_signal,
  [HISTO_GROUP_MOTION] = list_motion,
  [HISTO_GROUP_COLOR] = list_color,
  [HISTO_GROUP_HDR] = list_hdr,
  [HISTO_GROUP_DETAIL] = list_detail,
};

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
    if ((groups & HISTO_GROUP_FLAG (group)) != 0 && list_group[group] != NULL)
      list_group[group] (format, components);
  }
}
