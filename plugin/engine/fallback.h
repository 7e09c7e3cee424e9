/* What is known of a failure of the device: after it the CPU measures, if the settings allow that.
 *
 * Several threads may find the failure at once, in the results of several buffers. One warning is
 * posted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FALLBACK_H
#define HISTO_FALLBACK_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Zero at first. */
typedef struct
{
  gint has_failed;              /* atomic: a thread that waits for a result sets it; upstream's thread
                                 * reads it, and then uses the CPU */
  gint n_buffers;               /* atomic: buffers that the CPU measured because the device failed */
  GError *warning;              /* atomic: why it failed, until that is posted */
} HistoFallback;

gboolean histo_fallback_is_possible_for (const GError * error);
void histo_fallback_note_failure (HistoFallback * fallback, GError * error);
void histo_fallback_post_warning (HistoFallback * fallback,
    GstElement * element);

static inline gboolean
histo_fallback_has_failed (HistoFallback * fallback)
{
  return g_atomic_int_get (&fallback->has_failed);
}

G_END_DECLS

#endif /* HISTO_FALLBACK_H */
