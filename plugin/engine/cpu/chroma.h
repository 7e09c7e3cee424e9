/* Counts saturation and hue.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_CHROMA_H
#define HISTO_CPU_CHROMA_H

#include "measures/plan.h"

G_BEGIN_DECLS

/* The counters of pairs of bytes that one thread needs; all are 0 between two regions. */
typedef struct
{
  const HistoPlan *plan;
  guint32 *pairs;               /* NULL: pairs are not counted */
  gboolean counts_pairs;        /* in this region */
  guint32 *saturation, *hue;    /* the region's counters */
} HistoCpuChroma;

gboolean histo_cpu_chroma_init (HistoCpuChroma * chroma, const HistoPlan * plan);
void histo_cpu_chroma_clear (HistoCpuChroma * chroma);

void histo_cpu_chroma_begin (HistoCpuChroma * chroma, guint64 n,
    guint32 * saturation, guint32 * hue);
void histo_cpu_chroma_row (HistoCpuChroma * chroma, gconstpointer u,
    gconstpointer v, guint n, gboolean is_wide);
void histo_cpu_chroma_end (HistoCpuChroma * chroma);

G_END_DECLS

#endif /* HISTO_CPU_CHROMA_H */
