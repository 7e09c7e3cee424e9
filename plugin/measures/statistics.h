/* From raw counts to the figures of one component.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_STATISTICS_H
#define HISTO_STATISTICS_H

#include "measures/histogram.h"

G_BEGIN_DECLS

/* The sums of one channel of sound whose samples are integers: a day of U32 can need more than 64
 * bits. */
typedef struct
{
  __int128 sum;
  unsigned __int128 squares;
} HistoWideSums;

void histo_wide_sums_add (HistoWideSums * sums, const HistoTotals * totals);

void histo_statistics_from_native (HistoFigures * figures,
    const HistoHistogram * native, const HistoBins * bins, gpointer counts);
void histo_statistics_from_totals (HistoFigures * figures,
    const HistoTotals * totals, const HistoWideSums * wide_sums,
    gboolean is_float, const HistoHistogram * binned, const HistoBins * bins);

G_END_DECLS

#endif /* HISTO_STATISTICS_H */
