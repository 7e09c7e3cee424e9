/* From raw counts to the figures of one component.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_STATISTICS_H
#define HISTO_STATISTICS_H

#include "cudahisto/figures.h"
#include "measures/binning.h"
#include "measures/wide.h"

G_BEGIN_DECLS

void histo_statistics_from_native (HistoFigures * figures,
    const guint32 * counters, guint n_native, const HistoBins * bins,
    guint32 * counts);
void histo_statistics_from_window (HistoFigures * figures,
    const guint32 * counters, const guint32 * high, guint n_native,
    const HistoBins * bins, guint64 * counts);
void histo_statistics_from_totals (HistoFigures * figures,
    const HistoTotals * totals, const HistoWideSums * wide_sums,
    gboolean is_float, const guint32 * counters, const guint32 * high,
    const HistoBins * bins);

G_END_DECLS

#endif /* HISTO_STATISTICS_H */
