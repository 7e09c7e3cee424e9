/* The totals of the group `level`: what is known of consecutive samples of a channel. The
 * totals of two spans of samples, added, are the totals of both together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LEVEL_TOTALS_H
#define HISTO_LEVEL_TOTALS_H

#include "measures/level-loops.h"
#include "media/format.h"

G_BEGIN_DECLS

/* The lowest or the highest sample. A run is a row of consecutive samples that are equal to it. */
typedef struct
{
  gdouble value;
  guint64 count;                /* samples equal to it */
  gdouble runs;                 /* Σ length² of the runs that do not last to the end */
} HistoLevelPeak;

/* The totals of finite samples, unsigned ones made signed. */
typedef struct
{
  guint64 n;
  gdouble sum, squares;
  HistoLevelPeak min, max;
  gdouble first, last;
  guint64 head, tail;           /* lengths of the runs of samples equal to first, to last */
  HistoLevelDifferences differences;
  gdouble min_non_zero;         /* the least |x| that is not 0; DBL_MAX if there is none */
  guint64 any_bits, all_bits;   /* set in any, and in all, of the integers */
  guint64 zero_crossings;
  guint64 clipped, clipped_runs;
  guint64 denormals;
} HistoLevelTotals;

/* Most samples that are measured at once: they stay in the CPU's first cache. */
#define HISTO_LEVEL_PIECE 1024

/* What the format says about the samples. */
typedef struct
{
  gdouble full_scale;           /* 2^(depth-1); 1 for floating point */
  gdouble highest;              /* 2^(depth-1) - 1; 1 for floating point */
  gdouble integer_scale;        /* samples times this are the integers whose bits count */
  guint integer_bits;           /* of which so many count */
  gdouble smallest_normal;      /* of floating point; else 0 */
} HistoLevelScale;

/* What the totals depend on before their first sample. */
typedef struct
{
  gboolean has_last;
  gdouble last;                 /* the sample before */
  gboolean is_positive;         /* the last sample that was not 0 */
  guint64 clipped_run;          /* length of the run of samples at full scale up to here */
} HistoLevelHistory;

void histo_level_scale_init (HistoLevelScale * scale,
    const HistoAudioSample * sample);

void histo_level_totals_clear (HistoLevelTotals * totals);
guint histo_level_totals_measure (HistoLevelTotals * totals, gdouble * x,
    guint n, const HistoLevelLoops * loops, const HistoLevelScale * scale,
    guint clipping_samples, HistoLevelHistory * history);
void histo_level_totals_add (HistoLevelTotals * totals,
    const HistoLevelTotals * next, gboolean adjoins);

G_END_DECLS

#endif /* HISTO_LEVEL_TOTALS_H */
