/* How times are shown.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CLOCK_H
#define HISTO_CLOCK_H

#include <glib.h>

G_BEGIN_DECLS

/* Writes hours:minutes:seconds, as "0:00:08.1". @time: in units of 10^-@digits s. @digits: 1 to 9. Returns: @text */
static inline const gchar *
histo_clock_print (gchar * text, gsize size, guint64 time, guint digits)
{
  guint64 scale = 1;

  for (guint i = 0; i < digits; i++)
    scale *= 10;
  g_snprintf (text, size, "%" G_GUINT64_FORMAT ":%02u:%02u.%0*u", time / scale / 3600,
      (guint) (time / scale / 60 % 60), (guint) (time / scale % 60), (gint) digits, (guint) (time % scale));
  return text;
}

G_END_DECLS

#endif /* HISTO_CLOCK_H */
