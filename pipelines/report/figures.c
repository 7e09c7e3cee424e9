/* Figures that follow from merged histograms; see figures.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "figures.h"

#include <math.h>

#include "measures/statistics.h"

/* ---- Components ----------------------------------------------------------------------------- */

/* The lower edge of a bin, inside the extremes of the samples. */
static gdouble
edge (const HistoFigures * figures, gint64 bin)
{
  const gdouble width =
      (figures->range_max - figures->range_min) / figures->bins;

  return CLAMP (figures->range_min + MAX (bin, 0) * width, figures->min,
      figures->max);
}

/* Audio: percentiles, mode and entropy follow from the bins. */
static void
finish_audio (ReportComponent * component, const HistoHistogram * histogram)
{
  HistoFigures *figures = &component->figures;
  const gdouble n = report_figures_finite (figures);
  const guint64 ordered =
      histogram->count + figures->underflow + figures->overflow;
  gint64 indices[HISTO_N_PERCENTILES];

  histo_histogram_find_percentiles (histogram, figures->underflow, ordered,
      indices);
  for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
    figures->percentiles[i] = n > 0 ? edge (figures, indices[i]) : NAN;
  figures->mode = n > 0 && histogram->count > 0 ?
      edge (figures, histo_histogram_find_mode (histogram)) : NAN;
  figures->entropy = histo_histogram_entropy (histogram);
  figures->mean = n > 0 ? figures->sum / n : NAN;
  figures->variance = n > 0 ? component->squares / n : NAN;
  figures->std_dev = sqrt (figures->variance);
}

/**
 * report_component_finish:
 * @component: (inout): its sums, extremes and counts are set; the figures that follow from them are
 * computed
 */
void
report_component_finish (ReportComponent * component, gboolean is_audio)
{
  HistoFigures *figures = &component->figures;
  /* Of video, all figures follow from the histogram, which has a bin for each value. */
  const HistoBins bins = {
    .binning = {
          .n_bins = figures->bins,
          .range_min = figures->range_min,
          .range_max = figures->range_max,
        },
  };
  HistoHistogram *histogram = g_new (HistoHistogram, 1);

  histo_histogram_init_wide (histogram, component->counts, figures->bins);
  if (is_audio)
    finish_audio (component, histogram);
  else
    histo_statistics_from_native (figures, histogram, &bins, NULL);
  g_free (histogram);
}

/* ---- Loudness ------------------------------------------------------------------------------- */

static void
set_range (ReportRange * range, gdouble number)
{
  range->min = range->max = range->sum = range->last = number;
  range->n = 1;
}

/**
 * report_loudness_finish:
 *
 * Computes the integrated loudness and the loudness range of several inputs or parts from their blocks.
 */
void
report_loudness_finish (ReportStreamSummary * summary)
{
  set_range (&summary->loudness[HISTO_LOUDNESS_FIGURE_integrated],
      histo_loudness_blocks_integrated (summary->momentary));
  set_range (&summary->loudness[HISTO_LOUDNESS_FIGURE_range],
      histo_loudness_blocks_range (summary->short_term));
}
