/* Counts U and V together: saturation and hue, and of 8 bits the two by themselves as well.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_PAIRS_H
#define HISTO_CPU_PAIRS_H

#include "measures/plan.h"

G_BEGIN_DECLS

/* The counters that pairs of samples are counted in. */
typedef struct
{
  guint32 *first, *second;      /* of the two samples; only if histo_cpu_pairs_suit(); NULL: these
                                 * are not wanted */
  guint32 *saturation, *hue;
} HistoCpuPairTargets;

/* What one thread needs; all pairs are 0 between two passes. */
typedef struct
{
  const HistoPlan *plan;
  guint32 *pairs;               /* NULL: pairs are not counted */
  gboolean counts_pairs;        /* in this pass */
  HistoCpuPairTargets targets;
} HistoCpuPairs;

gboolean histo_cpu_pairs_init (HistoCpuPairs * pairs, const HistoPlan * plan);
void histo_cpu_pairs_clear (HistoCpuPairs * pairs);

gboolean histo_cpu_pairs_suit (const HistoPlan * plan, guint64 n);
void histo_cpu_pairs_begin (HistoCpuPairs * pairs, guint64 n,
    const HistoCpuPairTargets * targets);
void histo_cpu_pairs_row (HistoCpuPairs * pairs, gconstpointer u,
    gconstpointer v, guint n, gboolean is_wide);
void histo_cpu_pairs_end (HistoCpuPairs * pairs);

G_END_DECLS

#endif /* HISTO_CPU_PAIRS_H */
