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

/* To be called when the flow starts. The next error is posted again. */
void
histo_errors_restart (HistoErrors * errors)
{
  g_atomic_int_set (&errors->is_posted, FALSE);
}

/**
 * histo_errors_is_first:
 *
 * Returns: %TRUE the first time after each start: the caller then posts its error
 */
gboolean
histo_errors_is_first (HistoErrors * errors)
{
  return g_atomic_int_compare_and_exchange (&errors->is_posted, FALSE, TRUE);
}

/**
 * histo_errors_post:
 * @error: (transfer full): its domain and code become those of the message
 *
 * Posts an error message, unless one has been posted since the last start.
 */
void
histo_errors_post (HistoErrors * errors, GError * error)
{
  if (histo_errors_is_first (errors))
    gst_element_message_full (errors->element, GST_MESSAGE_ERROR,
        error->domain, error->code, g_strdup (error->message), NULL, __FILE__,
        GST_FUNCTION, __LINE__);
  g_error_free (error);
}

/* The same for an error that downstream returned, of which upstream cannot learn from a
 * buffer any more. */
void
histo_errors_post_flow (HistoErrors * errors, GstFlowReturn flow)
{
  if (histo_errors_is_first (errors))
    GST_ELEMENT_FLOW_ERROR (errors->element, flow);
}

/**
 * histo_errors_fail_engine:
 * @error: (transfer full)
 *
 * Posts an error of configuring or measuring. The engine may be half configured, or a launch
 * may have left counts behind: it must be configured again before the next buffer.
 *
 * Returns: %GST_FLOW_ERROR
 */
GstFlowReturn
histo_errors_fail_engine (HistoErrors * errors, GError * error)
{
  g_atomic_int_set (&errors->engine_failed, TRUE);
  histo_errors_post (errors, error);
  return GST_FLOW_ERROR;
}

/* Whether histo_errors_fail_engine() was called since the last configuration. */
gboolean
histo_errors_engine_failed (HistoErrors * errors)
{
  return g_atomic_int_get (&errors->engine_failed);
}

/* To be called before each configuration. */
void
histo_errors_clear_engine_failure (HistoErrors * errors)
{
  g_atomic_int_set (&errors->engine_failed, FALSE);
}
