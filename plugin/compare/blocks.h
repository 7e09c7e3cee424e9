/* What XPSNR needs to know of the blocks of two pictures (kernels/xpsnr.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_COMPARE_BLOCKS_H
#define HISTO_COMPARE_BLOCKS_H

#include "compare/count.h"
#include "kernels/xpsnr.h"

G_BEGIN_DECLS

/* The rectangle of a component whose blocks are counted, in samples. The planes are those of regular pictures
 * (engine/cpu/regular.h);
 * words may have other bits above their samples. */
typedef struct
{
  guint x, y, width, height;
  gboolean is_wide;             /* the samples are words, else bytes */
  guint depth;
} HistoBlocksPart;

void histo_blocks_add_activity (const HistoXpsnrGrid * grid, const HistoBlocksPart * part, const HistoPlane * frame,
    const HistoPlane * before, const HistoPlane * before_that, gboolean is_second, guint row,
    HistoComparisonScratch * scratch, HistoXpsnrBlock * blocks);
void histo_blocks_add_errors (const HistoXpsnrGrid * grid, const HistoBlocksPart * part, const HistoPlane * a,
    const HistoPlane * b, guint c, guint row, HistoComparisonScratch * scratch, HistoXpsnrBlock * blocks);

G_END_DECLS

#endif /* HISTO_COMPARE_BLOCKS_H */
