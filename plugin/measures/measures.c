/* The two tables of what is measured.
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

/* ---- Components ------------------------------------------------------------------------- */

/* The components that a source gives for a format: name, source and depth are set. */
typedef void (*ListComponents) (const HistoFormat * format,
    GArray * components);

static void
list_samples (const HistoFormat * format, GArray * components)
{
  g_array_append_vals (components, format->components, format->n_components);
}

static const ListComponents sources[HISTO_N_SOURCES] = {
  [HISTO_SOURCE_SAMPLE] = list_samples,
};

/**
 * histo_measures_list_components:
 * @components: (element-type HistoComponent): appended to; first_bin and region are to be
 * set by the caller
 *
 * Lists the components of one region, source by source.
 */
void
histo_measures_list_components (const HistoFormat * format,
    GArray * components)
{
  for (guint source = 0; source < HISTO_N_SOURCES; source++)
    sources[source] (format, components);
}
