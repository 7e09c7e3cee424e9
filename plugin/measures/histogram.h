/* Reading a histogram: its total, ends, percentiles, mode, entropy and moments, and how far it is
 * from another one. The counters have 32 bits, or 64 bits: those of a window. Or the device has left
 * them as halves, with totals of blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_HISTOGRAM_H
#define HISTO_HISTOGRAM_H

#include "cudahisto/figures.h"
#include "kernels/halves.h"
#include "measures/binning.h"

G_BEGIN_DECLS

/* Counters are read in blocks of this length, which the compiler knows: blocks are summed in
 * vectors, and a search first finds its block by the blocks' sums. Most blocks of deep
 * formats are empty. */
#define HISTO_BLOCK 32
#define HISTO_MAX_BLOCKS ((HISTO_MAX_BINS + HISTO_BLOCK - 1) / HISTO_BLOCK)

typedef struct
{
  /* The counters: one of these, the others are NULL. */
  const guint32 *narrow;
  const guint64 *wide;
  const HistoHalves *halves;
  guint n;                      /* counters */
  guint64 count;                /* sum of all counters */
  /* Not of halves, which have blocks and sums of their own: */
  guint n_blocks;               /* the last one may be short */
  gboolean is_large;            /* a counter does not fit in 32 bits */
  guint64 sums[HISTO_MAX_BLOCKS];       /* of each block */
} HistoHistogram;

/* Returns: counter @i */
static inline guint32
histo_halves_at (const HistoHalves * halves, guint i)
{
  const gboolean has_high = halves->blocks[i / HISTO_HALVES_BLOCK].most >> 16;

  return halves->low[i] | (has_high ? (guint32) halves->high[i] << 16 : 0);
}

/* Returns: counter @i */
static inline guint64
histo_histogram_at (const HistoHistogram * histogram, guint i)
{
  if (histogram->halves != NULL)
    return histo_halves_at (histogram->halves, i);
  return histogram->wide != NULL ? histogram->wide[i] : histogram->narrow[i];
}

/* Returns: the number of counters in @block */
static inline guint
histo_block_length (const HistoHistogram * histogram, guint block)
{
  return MIN (HISTO_BLOCK, histogram->n - block * HISTO_BLOCK);
}

/* How far two histograms are apart; p and q are the histograms, each divided by its sum. */
typedef struct
{
  gdouble chi2;                 /* ½ Σ (p - q)² / (p + q) over the bins with p + q > 0; 0 to 1 */
  gdouble bhattacharyya;        /* √(1 - Σ √(p q)); 0 to 1, as OpenCV's compareHist() */
  gdouble emd;                  /* earth mover's distance in bins: Σ |Σ_{j≤i} p_j - q_j| */
} HistoDistances;

void histo_histogram_init (HistoHistogram * histogram,
    const guint32 * counters, guint n);
void histo_histogram_init_wide (HistoHistogram * histogram,
    const guint64 * counters, guint n);
void histo_histogram_init_halves (HistoHistogram * histogram,
    const HistoHalves * halves);
void histo_halves_join (const HistoHalves * halves, guint32 * counters);
void histo_histogram_find_ends (const HistoHistogram * histogram,
    guint * first, guint * last);
gint64 histo_histogram_find (const HistoHistogram * histogram,
    guint64 wanted);
void histo_histogram_find_percentiles (const HistoHistogram * histogram,
    guint64 before, guint64 count, gint64 indices[HISTO_N_PERCENTILES]);
guint histo_histogram_find_mode (const HistoHistogram * histogram);
guint histo_histogram_used_bits (const HistoHistogram * histogram);
gdouble histo_histogram_entropy (const HistoHistogram * histogram);
void histo_histogram_moments (const HistoHistogram * histogram,
    unsigned __int128 * sum, unsigned __int128 * squares);
void histo_histogram_sort (const HistoHistogram * histogram,
    const HistoBins * bins, gpointer counts, guint64 * underflow,
    guint64 * overflow);

void histo_distances_find (HistoDistances * distances, const guint32 * a,
    const guint32 * b, guint n);

G_END_DECLS

#endif /* HISTO_HISTOGRAM_H */
