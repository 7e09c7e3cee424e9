/* Compares a rectangle of two planes of samples.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_COMPARE_COUNT_H
#define HISTO_COMPARE_COUNT_H

#include "media/layout.h"

G_BEGIN_DECLS

/* What is counted of a component. The sums of several rectangles or pictures add up. */
typedef struct
{
  guint64 count;                /* samples */
  guint64 different;            /* of these */
  guint64 sse;                  /* the sum of their squared differences */
  guint32 max_difference;
  /* The least rectangle that has all that differ, in samples, from @first to before @after. Empty: after = first = 0 */
  guint first_x, first_y, after_x, after_y;
  gdouble ssim;                 /* the sum of all windows */
  guint64 n_windows;
  gdouble xpsnr;                /* the sum of histo_xpsnr_distance() of all pictures */
} HistoComparisonCounts;

/* Memory of the loops. Zeroed at first. */
typedef struct
{
  guint8 *memory;
  gsize n;                      /* bytes */
} HistoComparisonScratch;

guint8 *histo_comparison_scratch_room (HistoComparisonScratch * scratch, gsize n);
void histo_comparison_scratch_clear (HistoComparisonScratch * scratch);

void histo_compare_planes (const HistoPlane * a, const HistoPlane * b, gboolean is_wide, guint depth,
    guint x, guint y, guint width, guint height, gboolean with_ssim, HistoComparisonScratch * scratch,
    HistoComparisonCounts * counts);

G_END_DECLS

#endif /* HISTO_COMPARE_COUNT_H */
