/* Makes the result of two pictures, and of all pictures of a window.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_COMPARE_COMPARED_H
#define HISTO_COMPARE_COMPARED_H

#include "compare/blocks.h"
#include "compare/picture.h"
#include "cudahisto/comparison.h"
#include "media/region.h"

G_BEGIN_DECLS

/* The pictures of the reference before that of a pair. The engines keep nothing of earlier pairs. */
typedef struct
{
  const HistoComparedPicture *before, *before_that;     /* (nullable): mapped, at least the leading component; NULL: none */
  gboolean is_fast;             /* it has at least HISTO_XPSNR_HIGH_RATE frames a second */
} HistoComparedHistory;

/* The counts of the regions of one pair of pictures, or the sums of several. Zeroed: none. */
typedef struct
{
  guint measures;
  HistoFormat *format;          /* of the picture */
  guint columns[HISTO_MAX_COMPONENTS];  /* samples of a row of a component that both pictures have */
  guint n_regions;              /* [0] is the whole picture */
  HistoRegion *regions;         /* in pixels; the names are those of the settings */
  HistoComparisonCounts (*counts)[HISTO_MAX_COMPONENTS];        /* of each region */
  guint64 n_pairs;
} HistoCompared;

void histo_compared_begin (HistoCompared * compared, guint measures, HistoFormat * format, const HistoFormat * reference,
    const GArray * regions);
void histo_compared_clear (HistoCompared * compared);
void histo_compared_count (HistoCompared * compared, const HistoComparedPicture * picture,
    const HistoComparedPicture * reference, const HistoComparedHistory * history, HistoComparisonScratch * scratch);
HistoBlocksPart histo_compared_part (const HistoCompared * compared, guint r, guint c, gboolean is_wide);
gboolean histo_compared_has_xpsnr (const HistoFormat * format);
guint histo_compared_leading (const HistoFormat * format);
HistoXpsnrGrid histo_compared_grid (const HistoCompared * compared, guint r);
void histo_compared_weigh (HistoCompared * compared, guint r, const HistoXpsnrBlock * blocks);
gboolean histo_compared_add (HistoCompared * sums, const HistoCompared * compared);
void histo_compared_fill (const HistoCompared * compared, HistoComparison * comparison);

G_END_DECLS

#endif /* HISTO_COMPARE_COMPARED_H */
