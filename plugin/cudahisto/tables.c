/* The tables of what is measured.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/components.h"
#include "cudahisto/level-figures.h"
#include "cudahisto/loudness-figures.h"

#include <math.h>

/* ---- Components ----------------------------------------------------------------------- */

const HistoFigureInfo histo_figures[HISTO_N_FIGURES] = {
#define FIGURE(type, member, name, unit, definition) \
  { name, HISTO_FIGURE_##type, G_STRUCT_OFFSET (HistoFigures, member), unit, definition },
#define PERCENTILE(percent) \
  { "p" #percent, HISTO_FIGURE_DOUBLE, \
      G_STRUCT_OFFSET (HistoFigures, percentiles[HISTO_P##percent]), "sample", \
      "smallest v[i] for which at least " #percent " % of the samples are counted in " \
      "h[0] to h[i] (audio: or are below range-min); NaN if there are no samples; audio: at " \
      "least min and at most max" },
  HISTO_FIGURES (FIGURE, PERCENTILE)
#undef PERCENTILE
#undef FIGURE
};

const guint histo_percents[HISTO_N_PERCENTILES] = {
#define PERCENT(percent) percent,
  HISTO_FIGURES (HISTO_NO_FIGURE, PERCENT)
#undef PERCENT
};

const HistoDerivedInfo histo_derived_components[HISTO_N_DERIVED] = {
#define DERIVED(group, source, name, colors) \
  { HISTO_GROUP_##group, HISTO_SOURCE_##source, name, colors },
  HISTO_DERIVED_COMPONENTS (DERIVED)
#undef DERIVED
};

/* ---- Groups of video ------------------------------------------------------------------- */

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
 * histo_groups_clear:
 * @figures: (out): none is present
 */
void
histo_groups_clear (HistoGroupFigures * figures)
{
  static const HistoGroupFigures none = {
#define ABSENT(group, member, name, unit, definition) .group##_##member = NAN,
    HISTO_GROUP_FIGURES (ABSENT)
#undef ABSENT
    .fall_p9999 = NAN,
  };

  *figures = none;
}

/* ---- Groups of audio ------------------------------------------------------------------- */

const HistoFigureInfo histo_level_figures[HISTO_N_LEVEL_FIGURES] = {
#define FIGURE(type, member, name, unit, definition) \
  { name, HISTO_FIGURE_##type, G_STRUCT_OFFSET (HistoLevelFigures, member), unit, definition },
  HISTO_LEVEL_FIGURES (FIGURE)
#undef FIGURE
};

#define ROW(type, member, name, unit, definition) \
  { name, HISTO_FIGURE_##type, G_STRUCT_OFFSET (HistoLoudnessFigures, member), unit, definition },
const HistoFigureInfo histo_loudness_figures[HISTO_N_LOUDNESS_FIGURES] = {
  HISTO_LOUDNESS_FIGURES (ROW)
};

const HistoFigureInfo histo_loudness_arrays[HISTO_N_LOUDNESS_ARRAYS] = {
  HISTO_LOUDNESS_ARRAYS (ROW)
};
#undef ROW
