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

static gboolean
append_caps (GstElement * element, GstPad * pad, gpointer text)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  g_autofree gchar *name = gst_pad_get_name (pad), *caps_text = caps != NULL ? gst_caps_to_string (caps) : NULL;

  if (caps != NULL)
    g_string_append_printf (text, "%s%s: %s", ((GString *) text)->len > 0 ? "; " : "caps of ", name, caps_text);
  return TRUE;
}

/* What an error's message does not say, for its debug text.
 *
 * Returns: (transfer full) (nullable): NULL: there are no caps yet */
static gchar *
describe_caps (GstElement * element)
{
  GString *text = g_string_new (NULL);
  gboolean is_empty;

  gst_element_foreach_sink_pad (element, append_caps, text);
  is_empty = text->len == 0;
  return g_string_free (text, is_empty);
}

void
histo_errors_post_from (HistoErrors * errors, GError * error, const HistoErrorPlace * place)
{
  if (histo_errors_is_first (errors))
    gst_element_message_full (errors->element, GST_MESSAGE_ERROR, error->domain, error->code, g_strdup (error->message),
        describe_caps (errors->element), place->file, place->function, place->line);
  g_error_free (error);
}

void
histo_errors_post_flow_from (HistoErrors * errors, GstFlowReturn flow, const HistoErrorPlace * place)
{
  /* The words are those of GST_ELEMENT_FLOW_ERROR(). */
  if (histo_errors_is_first (errors))
    gst_element_message_full (errors->element, GST_MESSAGE_ERROR, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        g_strdup ("Internal data stream error."), g_strdup_printf ("streaming stopped, reason %s (%d)",
            gst_flow_get_name (flow), flow), place->file, place->function, place->line);
}

GstFlowReturn
histo_errors_fail_engine_from (HistoErrors * errors, GError * error, const HistoErrorPlace * place)
{
  g_atomic_int_set (&errors->engine_failed, TRUE);
  histo_errors_post_from (errors, error, place);
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
