/* Values of properties that were refused: why, until somebody can be told.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_REFUSALS_H
#define HISTO_REFUSALS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Posts a warning of each refusal, unless there is no bus yet: gst-launch sets properties while it parses. So an element calls this
 * after a property was set, and when it is started.
 *
 * @lock: of @reasons; not held
 * @reasons: (inout): of @n kinds; NULL: nothing was refused
 * @texts: what was refused, such as "Impossible regions" */
static inline void
histo_post_refusals (GstElement * element, GMutex * lock, gchar ** reasons, const gchar * const *texts, guint n)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (element);

  for (guint i = 0; i < n && bus != NULL; i++) {
    g_autofree gchar *reason = NULL;

    g_mutex_lock (lock);
    reason = g_steal_pointer (&reasons[i]);
    g_mutex_unlock (lock);
    if (reason != NULL)
      GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS, ("%s (%s); the previous value is kept.", texts[i], reason), ("%s", reason));
  }
}

G_END_DECLS

#endif /* HISTO_REFUSALS_H */
