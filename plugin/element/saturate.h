/* Sums and products that stop at the largest number instead of wrapping around. The largest
 * number of a GstClockTime is GST_CLOCK_TIME_NONE.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_SATURATE_H
#define HISTO_SATURATE_H

#include <glib.h>

G_BEGIN_DECLS

static inline guint64
histo_saturated_sum (guint64 a, guint64 b)
{
  return a > G_MAXUINT64 - b ? G_MAXUINT64 : a + b;
}

static inline guint64
histo_saturated_product (guint64 a, guint64 b)
{
  return b != 0 && a > G_MAXUINT64 / b ? G_MAXUINT64 : a * b;
}

static inline guint
histo_saturated_sum_uint (guint a, guint b)
{
  return a > G_MAXUINT - b ? G_MAXUINT : a + b;
}

G_END_DECLS

#endif /* HISTO_SATURATE_H */
