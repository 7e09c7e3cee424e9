/* Errors of the flow, as messages; see errors.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/errors.h"

void
histo_errors_init (HistoErrors * errors, GstElement * element)
{
  errors->element = element;
  errors->is_posted = errors->engine_failed = FALSE;
}

void
histo_errors_restart (HistoErrors * errors)
{
  g_atomic_int_set (&errors->is_posted, FALSE);
}

gboolean
histo_errors_is_first (HistoErrors * errors)
{
  return g_atomic_int_compare_and_exchange (&errors->is_posted, FALSE, TRUE);
}

void
histo_errors_post (HistoErrors * errors, GError * error)
{
  if (histo_errors_is_first (errors))
    gst_element_message_full (errors->element, GST_MESSAGE_ERROR,
        error->domain, error->code, g_strdup (error->message), NULL, __FILE__,
        GST_FUNCTION, __LINE__);
  g_error_free (error);
}

void
histo_errors_post_flow (HistoErrors * errors, GstFlowReturn flow)
{
  if (histo_errors_is_first (errors))
    GST_ELEMENT_FLOW_ERROR (errors->element, flow);
}

GstFlowReturn
histo_errors_fail_engine (HistoErrors * errors, GError * error)
{
  g_atomic_int_set (&errors->engine_failed, TRUE);
  histo_errors_post (errors, error);
  return GST_FLOW_ERROR;
}

gboolean
histo_errors_engine_failed (HistoErrors * errors)
{
  return g_atomic_int_get (&errors->engine_failed);
}

void
histo_errors_clear_engine_failure (HistoErrors * errors)
{
  g_atomic_int_set (&errors->engine_failed, FALSE);
}
