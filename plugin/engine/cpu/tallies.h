/* The tallies of a region that no counted component gives: range, outliers, repeated lines, and the
 * sums of rows and columns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_TALLIES_H
#define HISTO_CPU_TALLIES_H

#include "engine/cpu/rows.h"
#include "measures/plan.h"

G_BEGIN_DECLS

/* What one thread needs for them. */
typedef struct
{
  const HistoPlan *plan;
  HistoCpuRows *rows;           /* of the frame, in the columns of the region */
  guint8 *flags, *pixel_flags;  /* a row: chroma out of range, for each sample and for each pixel */
  guint flags_row;              /* of chroma, in the picture; G_MAXUINT: none */
  gboolean has_flags;           /* any in that row */
  guint32 *columns;             /* sums of the columns of the region */
  guint column_rows;            /* rows in these sums */

  HistoRegion region;
  guint64 *sums;                /* the region's tallies */
  guint first_column_sum;
} HistoCpuTallies;

gboolean histo_cpu_tallies_init (HistoCpuTallies * tallies,
    const HistoPlan * plan, HistoCpuRows * rows);
void histo_cpu_tallies_clear (HistoCpuTallies * tallies);

void histo_cpu_tallies_begin (HistoCpuTallies * tallies,
    const HistoRegion * region, guint64 * sums, guint n_row_sums);
void histo_cpu_tallies_add_signal (HistoCpuTallies * tallies, guint first,
    guint n_rows);
void histo_cpu_tallies_add_area (HistoCpuTallies * tallies, guint first,
    guint n_rows);
void histo_cpu_tallies_end (HistoCpuTallies * tallies);

G_END_DECLS

#endif /* HISTO_CPU_TALLIES_H */
