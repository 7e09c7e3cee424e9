/* What a long window needs: sums of 128 bits, and reading a histogram whose counters have 64 bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_WIDE_H
#define HISTO_WIDE_H

#include "measures/binning.h"

G_BEGIN_DECLS

/* The sums of one channel of sound whose samples are integers. */
typedef struct
{
  __int128 sum;
  unsigned __int128 squares;
} HistoWideSums;

/* Counter i is low[i] + 2^32 high[i]. There are at most HISTO_MAX_BINS. */
typedef struct
{
  const guint32 *low, *high;
  guint n;
} HistoWideCounters;

static inline guint64
histo_wide_at (const HistoWideCounters * counters, guint i)
{
  return (guint64) counters->high[i] << 32 | counters->low[i];
}

void histo_wide_sums_add (HistoWideSums * sums, const HistoTotals * totals);

gboolean histo_wide_is_needed (const guint32 * high, guint n);
guint64 histo_wide_count (const HistoWideCounters * counters);
void histo_wide_find_ends (const HistoWideCounters * counters, guint * first,
    guint * last);
gint64 histo_wide_find (const HistoWideCounters * counters, guint64 before,
    guint64 wanted);
guint histo_wide_find_mode (const HistoWideCounters * counters);
gdouble histo_wide_entropy (const HistoWideCounters * counters,
    guint64 count);
void histo_wide_moments (const HistoWideCounters * counters,
    unsigned __int128 * sum, unsigned __int128 * squares);

G_END_DECLS

#endif /* HISTO_WIDE_H */
