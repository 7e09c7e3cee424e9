/* What is known of a failure of the device; see fallback.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/fallback.h"

/* Returns: whether this error of the device is one after which the CPU may measure. An error that the
 * settings cause is no failure of the device. */
gboolean
histo_fallback_is_possible_for (const GError * error)
{
  return error->domain == GST_RESOURCE_ERROR
      && error->code != GST_RESOURCE_ERROR_SETTINGS;
}

/* @error: (transfer full): the first one is kept for histo_fallback_post_warning() */
void
histo_fallback_note_failure (HistoFallback * fallback, GError * error)
{
  if (g_atomic_int_compare_and_exchange (&fallback->has_failed, FALSE, TRUE))
    g_atomic_pointer_set (&fallback->warning, error);
  else
    g_error_free (error);
}

/* Posts one warning if the device has failed since the last call, however many buffers were in
 * flight. */
void
histo_fallback_post_warning (HistoFallback * fallback, GstElement * element)
{
  GError *warning = g_atomic_pointer_get (&fallback->warning);

  if (warning == NULL || !g_atomic_pointer_compare_and_exchange
      (&fallback->warning, warning, NULL))
    return;
  GST_ELEMENT_WARNING (element, RESOURCE, FAILED,
      ("The CUDA device failed; measuring goes on with the CPU."),
      ("%s", warning->message));
  g_error_free (warning);
}
