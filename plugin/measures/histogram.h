/* Reading one histogram: its total, ends, percentiles, mode, entropy and moments.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_HISTOGRAM_H
#define HISTO_HISTOGRAM_H

#include "cudahisto/figures.h"
#include "measures/binning.h"
#include "measures/wide.h"

G_BEGIN_DECLS

/* Counters are read in blocks of this length, which the compiler knows: blocks are summed in
 * vectors, and a search first finds its block by the blocks' sums. Most blocks of deep
 * formats are empty. */
#define HISTO_BLOCK 32
#define HISTO_MAX_BLOCKS ((HISTO_MAX_BINS + HISTO_BLOCK - 1) / HISTO_BLOCK)

typedef struct
{
  const guint32 *counters;
  const guint32 *high;          /* the upper 32 bits of the counters; NULL: all 0 */
  guint n, n_blocks;            /* counters; blocks, the last of which may be short */
  guint64 count;                /* sum of all counters */
  guint64 sums[HISTO_MAX_BLOCKS];       /* of each block; not set if there is `high` */
} HistoHistogram;

/* Returns: counter @i */
static inline guint64
histo_histogram_at (const HistoHistogram * histogram, guint i)
{
  return (histogram->high != NULL ? (guint64) histogram->high[i] << 32 : 0)
      | histogram->counters[i];
}

/* Returns: the number of counters in @block */
static inline guint
histo_block_length (const HistoHistogram * histogram, guint block)
{
  return MIN (HISTO_BLOCK, histogram->n - block * HISTO_BLOCK);
}

/* Returns: the counters for wide.h; there is `high` */
static inline HistoWideCounters
histo_histogram_wide (const HistoHistogram * histogram)
{
  const HistoWideCounters counters = { histogram->counters, histogram->high,
    histogram->n
  };

  return counters;
}

void histo_histogram_init (HistoHistogram * histogram,
    const guint32 * counters, const guint32 * high, guint n);
void histo_histogram_find_ends (const HistoHistogram * histogram,
    guint * first, guint * last);
gint64 histo_histogram_find (const HistoHistogram * histogram,
    guint64 wanted);
void histo_histogram_find_percentiles (const HistoHistogram * histogram,
    guint64 before, guint64 count, gint64 indices[HISTO_N_PERCENTILES]);
guint histo_histogram_find_mode (const HistoHistogram * histogram);
gdouble histo_histogram_entropy (const HistoHistogram * histogram);
void histo_histogram_moments (const HistoHistogram * histogram,
    unsigned __int128 * sum, unsigned __int128 * squares);

G_END_DECLS

#endif /* HISTO_HISTOGRAM_H */
