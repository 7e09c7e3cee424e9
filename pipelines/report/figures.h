/* Figures that follow from merged histograms.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "summary.h"

G_BEGIN_DECLS

/* Samples that are neither NaN nor infinite. */
static inline gdouble
report_figures_finite (const HistoFigures * figures)
{
  return (gdouble) (figures->count - figures->nan - figures->inf);
}

/* Returns: a sample of sound as a share of full scale. The bins are those of the format: from minus to plus full scale. */
static inline gdouble
report_figures_share (const HistoFigures * figures, gdouble sample)
{
  return (sample - (figures->range_max + figures->range_min) / 2)
      / ((figures->range_max - figures->range_min) / 2);
}

void report_component_finish (ReportComponent * component, gboolean is_audio);
void report_loudness_finish (ReportStreamSummary * summary);

G_END_DECLS

#endif /* REPORT_FIGURES_H */
