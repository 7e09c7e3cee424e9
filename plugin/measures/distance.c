/* How far two histograms are apart.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/distance.h"

#include <math.h>

static gdouble
total (const guint32 * counters, guint n)
{
  guint64 sum = 0;

  for (guint i = 0; i < n; i++)
    sum += counters[i];
  return (gdouble) sum;
}

/**
 * histo_distances_find:
 * @distances: (out): all NaN if one of the histograms is empty; exactly 0 if both are equal
 * @a: (array length=n): a histogram
 * @b: (array length=n): another one
 * @n: number of bins
 */
void
histo_distances_find (HistoDistances * distances, const guint32 * a,
    const guint32 * b, guint n)
{
  const gdouble total_a = total (a, n), total_b = total (b, n);
  const gdouble share_a = 1 / total_a, share_b = 1 / total_b;
  gdouble chi2 = 0, similarity = 0, emd = 0;
  guint64 sum_a = 0, sum_b = 0;

  if (total_a == 0 || total_b == 0) {
    distances->chi2 = distances->bhattacharyya = distances->emd = NAN;
    return;
  }
  for (guint i = 0; i < n; i++) {
    sum_a += a[i];
    sum_b += b[i];
    emd += fabs (sum_a * share_a - sum_b * share_b);
    /* Most bins of deep formats are empty. */
    if ((a[i] | b[i]) != 0) {
      const gdouble p = a[i] * share_a, q = b[i] * share_b;

      chi2 += (p - q) * (p - q) / (p + q);
      /* Not of p and q: the root of a[i] squared is exact. */
      similarity += sqrt ((gdouble) a[i] * b[i]);
    }
  }
  distances->chi2 = chi2 / 2;
  distances->bhattacharyya =
      sqrt (fmax (0, 1 - similarity / sqrt (total_a * total_b)));
  distances->emd = emd;
}
