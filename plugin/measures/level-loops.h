/* The inner loops of the group `level`: each goes once through some samples of a channel.
 *
 * All samples must be finite, unless said otherwise.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LEVEL_LOOPS_H
#define HISTO_LEVEL_LOOPS_H

#include <glib.h>

G_BEGIN_DECLS

/* The bins of |x| for entropy and noise floor, as in astats. */
#define HISTO_LEVEL_BINS 8192

/* Of |x[i] - x[i-1]|. */
typedef struct
{
  guint64 n;                    /* pairs */
  gdouble min, max;             /* +inf and 0 if n = 0 */
  gdouble sum, squares;
} HistoLevelDifferences;

typedef struct
{
  gdouble sum, squares;
  gdouble min, max;
  gdouble min_magnitude;        /* the least |x| */
  HistoLevelDifferences differences;
} HistoLevelSums;

void histo_level_add_up (const gdouble * x, guint n, HistoLevelSums * sums);
void histo_level_count_equal (const gdouble * x, guint n, gdouble a,
    gdouble b, guint64 * count_of_a, guint64 * count_of_b);
guint64 histo_level_count_sign_changes (const gdouble * x, guint n);
void histo_level_find_bins (const gdouble * x, guint n, gdouble full_scale,
    guint16 * bins);
void histo_level_find_bits (const gdouble * x, guint n, gdouble scale,
    gdouble greatest, guint64 * any, guint64 * all);
gdouble histo_level_average (const gdouble * x, guint n, gdouble factor,
    gdouble average, gdouble * min, gdouble * max);

G_END_DECLS

#endif /* HISTO_LEVEL_LOOPS_H */
