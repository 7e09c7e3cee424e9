/* What the values of a figure in the results of a stream are together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_RANGE_H
#define HISTO_RANGE_H

#include <glib.h>
#include <math.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 n;                    /* results that have the figure; 0: the others are not valid */
  gdouble min, max, sum, last;
} HistoRange;

/* What the figure of a whole stream is. */
typedef enum
{
  HISTO_WHOLE_OF_SAMPLES,       /* that of all samples: it does not follow from the values */
  HISTO_WHOLE_MEAN,
  HISTO_WHOLE_LEAST,
  HISTO_WHOLE_GREATEST,
  HISTO_WHOLE_LATEST
} HistoWhole;

/* NaN is left out. */
static inline void
histo_range_add (HistoRange * range, gdouble value)
{
  g_return_if_fail (range != NULL);
  if (isnan (value))
    return;
  range->min = range->n == 0 ? value : MIN (range->min, value);
  range->max = range->n == 0 ? value : MAX (range->max, value);
  range->sum += value;
  range->last = value;
  range->n++;
}

/* Adds the values of a later stream. */
static inline void
histo_range_merge (HistoRange * all, const HistoRange * range)
{
  g_return_if_fail (all != NULL && range != NULL);
  if (range->n == 0)
    return;
  all->min = all->n == 0 ? range->min : MIN (all->min, range->min);
  all->max = all->n == 0 ? range->max : MAX (all->max, range->max);
  all->sum += range->sum;
  all->last = range->last;
  all->n += range->n;
}

/* Returns: NaN: there are no values */
static inline gdouble
histo_range_mean (const HistoRange * range)
{
  g_return_val_if_fail (range != NULL, NAN);
  return range->n > 0 ? range->sum / range->n : NAN;
}

/* Returns: NaN: there is none */
static inline gdouble
histo_range_whole (const HistoRange * range, HistoWhole whole)
{
  g_return_val_if_fail (range != NULL, NAN);
  if (range->n == 0)
    return NAN;
  switch (whole) {
    case HISTO_WHOLE_MEAN:
      return histo_range_mean (range);
    case HISTO_WHOLE_LEAST:
      return range->min;
    case HISTO_WHOLE_GREATEST:
      return range->max;
    case HISTO_WHOLE_LATEST:
      return range->last;
    case HISTO_WHOLE_OF_SAMPLES:
      break;
  }
  return NAN;
}

G_END_DECLS

#endif /* HISTO_RANGE_H */
