/* Figures that follow from merged histograms; see figures.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "figures.h"

#include <math.h>

#include "measures/histogram.h"
#include "measures/statistics.h"

/* ---- Components ----------------------------------------------------------------------------- */

/* Video: all figures follow from the histogram, which has a bin for each value. */
static void
finish_video (HistoFigures * figures, const guint32 * low,
    const guint32 * high)
{
  const HistoBins bins = {
    .binning = {
          .n_bins = figures->bins,
          .range_min = figures->range_min,
          .range_max = figures->range_max,
        },
  };

  histo_statistics_from_window (figures, low, high, figures->bins, &bins, NULL);
}

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
finish_audio (ReportComponent * component, const guint32 * low,
    const guint32 * high)
{
  HistoFigures *figures = &component->figures;
  const gdouble n = report_figures_finite (figures);
  gint64 indices[HISTO_N_PERCENTILES];
  HistoHistogram *histogram = g_new (HistoHistogram, 1);
  guint64 ordered;

  histo_histogram_init (histogram, low, high, figures->bins);
  ordered = histogram->count + figures->underflow + figures->overflow;
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
  g_free (histogram);
}

/**
 * report_component_finish:
 * @component: (inout): its sums, extremes and counts are set; the figures that follow from them are
 * computed
 */
void
report_component_finish (ReportComponent * component, gboolean is_audio)
{
  const guint n = component->figures.bins;
  guint32 *low = g_new (guint32, 2 * MAX (n, 1)), *high = low + n;

  for (guint i = 0; i < n; i++) {
    low[i] = (guint32) component->counts[i];
    high[i] = (guint32) (component->counts[i] >> 32);
  }
  if (is_audio)
    finish_audio (component, low, high);
  else
    finish_video (&component->figures, low, high);
  g_free (low);
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
