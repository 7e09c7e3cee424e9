/* reference-statistics.c: what video and audio statistics have in common: exact
 * division, bin edges, ownership.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include <math.h>

#include "reference.h"

/* Long division, one binary digit at a time, until there are more digits than
 * a double holds; the lowest digit then tells whether anything is left, so
 * that the conversion to double rounds as the exact quotient would. */
gdouble
reference_ratio (ReferenceUint128 a, ReferenceUint128 b)
{
  guint64 quotient = (guint64) (a / b);
  ReferenceUint128 rest = a % b;
  gint exponent = 0;

  if (a == 0)
    return 0.0;

  while (quotient < (G_GUINT64_CONSTANT (1) << 60)) {
    rest *= 2;
    quotient *= 2;
    exponent--;
    if (rest >= b) {
      rest -= b;
      quotient += 1;
    }
  }
  if (rest != 0)
    quotient |= 1;

  return ldexp ((gdouble) quotient, exponent);
}

void
reference_bin_edges (gdouble range_min, gdouble range_max, guint bins,
    gdouble * edges)
{
  long double w = ((long double) range_max - range_min) / bins;
  guint i;

  for (i = 0; i < bins; i++)
    edges[i] = (gdouble) (range_min + i * w);
  edges[bins] = range_max;
}

guint
reference_bin_of (const gdouble * edges, guint bins, gdouble x)
{
  guint low = 0;
  guint high = bins;

  /* edges[low] <= x < edges[high] all the time */
  while (high - low > 1) {
    guint middle = low + (high - low) / 2;

    if (edges[middle] <= x)
      low = middle;
    else
      high = middle;
  }

  return low;
}

void
reference_statistics_clear (ReferenceStatistics * statistics)
{
  g_clear_pointer (&statistics->histogram, g_free);
}
