/* Arrays of entries that are sorted by a key: each entry begins with it, a guint64. Finding one takes steps in proportion
 * to the logarithm of their number.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SORTED_H
#define REPORT_SORTED_H

#include <glib.h>

G_BEGIN_DECLS

/* @place: below entries->len */
static inline gpointer
report_sorted_get (const GArray * entries, guint place)
{
  return entries->data
      + (gsize) place * g_array_get_element_size ((GArray *) entries);
}

/* @n_steps: (inout) (optional): to count the comparisons
 * Returns: the place of the first entry whose key is not less; entries->len: there is none */
static inline guint
report_sorted_find (const GArray * entries, guint64 key, guint64 * n_steps)
{
  guint from = 0, to = entries->len;

  while (from < to) {
    const guint middle = from + (to - from) / 2;

    if (*(const guint64 *) report_sorted_get (entries, middle) < key)
      from = middle + 1;
    else
      to = middle;
    if (n_steps != NULL)
      ++*n_steps;
  }
  return from;
}

/* @place: from report_sorted_find() */
static inline gboolean
report_sorted_has (const GArray * entries, guint place, guint64 key)
{
  return place < entries->len
      && *(const guint64 *) report_sorted_get (entries, place) == key;
}

/* Orders entries by their keys. */
static inline gint
report_sorted_compare (gconstpointer a, gconstpointer b)
{
  const guint64 one = *(const guint64 *) a, other = *(const guint64 *) b;

  return one < other ? -1 : one > other;
}

/* Orders the texts of a GPtrArray. */
static inline gint
report_sorted_compare_texts (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const gchar * const *) a, *(const gchar * const *) b);
}

G_END_DECLS

#endif /* REPORT_SORTED_H */
