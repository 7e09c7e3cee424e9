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

void report_component_finish (ReportComponent * component, gboolean is_audio);
void report_loudness_finish (ReportStreamSummary * summary);

G_END_DECLS

#endif /* REPORT_FIGURES_H */
