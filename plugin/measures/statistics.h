/* Everything that follows from the raw counts: one component's figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_STATISTICS_H
#define HISTO_STATISTICS_H

#include "measures/binning.h"

G_BEGIN_DECLS

enum
{
  HISTO_P1, HISTO_P10, HISTO_P50, HISTO_P90, HISTO_P99, HISTO_N_PERCENTILES
};

/* Percent, in the order above. */
extern const guint histo_percents[HISTO_N_PERCENTILES];

/* One component of one buffer, in sample units. Where no sample takes part, min,
 * max, mean, variance, percentiles and mode are NaN. */
typedef struct
{
  guint64 count;                /* samples, NaN and infinities among them */
  gdouble min, max, sum, mean, variance;
  gdouble percentiles[HISTO_N_PERCENTILES];
  gdouble mode, entropy;        /* entropy in bits */
  guint64 underflow, overflow, nan, inf;
} HistoStatistics;

/* The bins of one component, with what each native value of video falls in. */
typedef struct
{
  HistoBinning binning;
  gdouble *edges;
  guint32 *native_bin;          /* NULL where the bins are the native ones */
} HistoBins;

void histo_bins_init (HistoBins * bins, const HistoFormat * format,
    guint component, const HistoBinSettings * settings);
void histo_bins_clear (HistoBins * bins);

void histo_statistics_from_native (HistoStatistics * statistics,
    const guint32 * counters, guint n_native, const HistoBins * bins,
    guint32 * histogram);
void histo_statistics_from_totals (HistoStatistics * statistics,
    const HistoTotals * totals, gboolean is_float, const guint32 * counters,
    const HistoBins * bins);

G_END_DECLS

#endif /* HISTO_STATISTICS_H */
