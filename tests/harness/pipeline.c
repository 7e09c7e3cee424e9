/* Whole pipelines; see pipeline.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pipeline.h"

#include <string.h>

#include "compare.h"

/* ---- Any pipeline -------------------------------------------------------------------------- */

GstElement *
test_pipeline_new (const gchar * format, ...)
{
  GError *error = NULL;
  GstElement *pipeline;
  gchar *text;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  pipeline = gst_parse_launch (text, &error);
  fail_unless (pipeline != NULL && error == NULL, "%s: %s", text,
      error != NULL ? error->message : "");
  g_free (text);
  return pipeline;
}

void
test_pipeline_free (GstElement * pipeline)
{
  test_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

void
test_wait_for (GstElement * pipeline, GstMessageType types)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      types | GST_MESSAGE_ERROR);

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    GError *error = NULL;

    gst_message_parse_error (message, &error, NULL);
    ck_abort_msg ("%s", error->message);
  }
  gst_message_unref (message);
  gst_object_unref (bus);
}

/* ---- How many buffers have results --------------------------------------------------------- */

static GstPadProbeReturn
count_result (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  ResultCounts *counts = user_data;

  g_atomic_int_inc (&counts->n_buffers);
  if (test_has_result (GST_PAD_PROBE_INFO_BUFFER (info)))
    g_atomic_int_inc (&counts->n_results);
  return GST_PAD_PROBE_OK;
}

void
test_count_results (GstElement * pipeline, ResultCounts * counts)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstPad *pad = gst_element_get_static_pad (sink, "sink");

  memset (counts, 0, sizeof *counts);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_result, counts,
      NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
}

/* ---- A pipeline whose flow is checked ------------------------------------------------------ */

void
checked_open (CheckedPipeline * checked, const gchar * description,
    const gchar * properties)
{
  gchar **parts = g_strsplit (description, "$", 2);

  checked->pipeline = test_pipeline_new ("%s cudahisto name=histo backend=%s "
      "%s %s", parts[0], test_backend (), properties != NULL ? properties : "",
      parts[1]);
  checked->histo = gst_bin_get_by_name (GST_BIN (checked->pipeline), "histo");
  checked->bus = gst_element_get_bus (checked->pipeline);
  checked->flow = flow_check_new (checked->histo);
  g_strfreev (parts);
}

void
checked_close (CheckedPipeline * checked)
{
  GstMessage *message;

  checked_reach_state (checked, GST_STATE_NULL);
  message = gst_bus_pop_filtered (checked->bus,
      GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  fail_unless (message == NULL, "%s", message != NULL ?
      GST_MESSAGE_TYPE_NAME (message) : "");
  flow_check_stopped (checked->flow);
  flow_check_free (checked->flow);
  gst_object_unref (checked->bus);
  gst_object_unref (checked->histo);
  gst_object_unref (checked->pipeline);
}

void
checked_set_state (CheckedPipeline * checked, GstState state)
{
  fail_unless (gst_element_set_state (checked->pipeline, state)
      != GST_STATE_CHANGE_FAILURE);
}

void
checked_wait_state (CheckedPipeline * checked)
{
  fail_unless (gst_element_get_state (checked->pipeline, NULL, NULL,
          GST_CLOCK_TIME_NONE) != GST_STATE_CHANGE_FAILURE);
}

void
checked_reach_state (CheckedPipeline * checked, GstState state)
{
  /* If a bin is told to pause while it changes to PLAYING, it can wait forever for a preroll that
   * its sink has already done, whatever the elements. So wait for the first change. */
  if (state == GST_STATE_PAUSED)
    gst_element_get_state (checked->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  checked_set_state (checked, state);
  checked_wait_state (checked);
}

guint
checked_play (CheckedPipeline * checked)
{
  checked_set_state (checked, GST_STATE_PLAYING);
  test_wait_for (checked->pipeline, GST_MESSAGE_EOS);
  return flow_check_drained (checked->flow);
}
