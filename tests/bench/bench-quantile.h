/* Quantiles of what a bench has measured.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

static inline gint
compare_doubles (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x < y ? -1 : x > y;
}

/* @values: of gdouble, at least one; they are sorted. @q: 0 to 1 */
static inline gdouble
quantile (GArray * values, gdouble q)
{
  g_array_sort (values, compare_doubles);
  return g_array_index (values, gdouble, (guint) (q * (values->len - 1)));
}
