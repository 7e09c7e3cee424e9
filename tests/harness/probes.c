/* Pad probes; see probes.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "probes.h"

#include <string.h>

#include "frames.h"

/* ---- A log of what passes a pad ------------------------------------------------------------ */

static gchar *
describe (GstPadProbeInfo * info)
{
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " ",
        GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)) / GRAY_DURATION);
  if (info->type & GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM)
    return g_strdup_printf ("query-%s ",
        GST_QUERY_TYPE_NAME (GST_PAD_PROBE_INFO_QUERY (info)));
  return g_strdup_printf ("%s ",
      GST_EVENT_TYPE_NAME (GST_PAD_PROBE_INFO_EVENT (info)));
}

static GstPadProbeReturn
write_log (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  PadLog *log = user_data;
  gchar *text;

  if ((info->type & GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM)
      && !GST_QUERY_IS_SERIALIZED (GST_PAD_PROBE_INFO_QUERY (info)))
    return GST_PAD_PROBE_OK;
  text = describe (info);
  g_mutex_lock (&log->lock);
  g_string_append (log->text, text);
  g_cond_broadcast (&log->changed);
  g_mutex_unlock (&log->lock);
  g_free (text);
  return GST_PAD_PROBE_OK;
}

void
pad_log_open (PadLog * log, GstPad * pad)
{
  g_mutex_init (&log->lock);
  g_cond_init (&log->changed);
  log->text = g_string_new (NULL);
  log->pad = gst_object_ref (pad);
  log->probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH,
      write_log, log, NULL);
}

void
pad_log_wait (PadLog * log, const gchar * text)
{
  g_mutex_lock (&log->lock);
  while (strstr (log->text->str, text) == NULL)
    g_cond_wait (&log->changed, &log->lock);
  g_mutex_unlock (&log->lock);
}

void
pad_log_close (PadLog * log)
{
  gst_pad_remove_probe (log->pad, log->probe);
  gst_object_unref (log->pad);
  g_string_free (log->text, TRUE);
  g_mutex_clear (&log->lock);
  g_cond_clear (&log->changed);
}

/* ---- A downstream that blocks or refuses --------------------------------------------------- */

GstPad *
test_source_pad (GstHarness * harness)
{
  return gst_pad_get_peer (harness->sinkpad);
}

static GstPadProbeReturn
count_blocked (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  g_atomic_int_inc ((gint *) user_data);
  return GST_PAD_PROBE_OK;
}

gulong
test_block_buffers (GstHarness * harness, gint * n_blocked)
{
  GstPad *pad = test_source_pad (harness);
  gulong probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK
      | GST_PAD_PROBE_TYPE_BUFFER, count_blocked, n_blocked, NULL);

  gst_object_unref (pad);
  return probe;
}

void
test_unblock_buffers (GstHarness * harness, gulong probe)
{
  GstPad *pad = test_source_pad (harness);

  gst_pad_remove_probe (pad, probe);
  gst_object_unref (pad);
}

void
test_wait_until_set (gint * value)
{
  while (g_atomic_int_get (value) == 0)
    g_usleep (1000);
}

static GstPadProbeReturn
refuse (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GPOINTER_TO_INT (user_data);
  return GST_PAD_PROBE_HANDLED;
}

gulong
test_refuse_buffers (GstHarness * harness, GstFlowReturn flow)
{
  return gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_BUFFER,
      refuse, GINT_TO_POINTER (flow), NULL);
}

GstFlowReturn
test_push_until_refused (GstHarness * harness)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; flow == GST_FLOW_OK && i < 1000; i++) {
    flow = gst_harness_push (harness, test_frame_new (0));
    g_usleep (1000);
  }
  return flow;
}

gpointer
test_push_many (gpointer harness)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint n = 0; flow == GST_FLOW_OK; n++)
    flow = gst_harness_push (harness, test_frame_new (n % 100));
  return GINT_TO_POINTER (flow);
}

static GstPadProbeReturn
block (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  g_atomic_int_set ((gint *) user_data, TRUE);
  return GST_PAD_PROBE_OK;
}

gulong
test_block_events (GstPad * pad, gint * is_blocked)
{
  return gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, block, is_blocked, NULL);
}

static GstPadProbeReturn
note_writability (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Writability *writability = user_data;

  if (gst_buffer_is_writable (GST_PAD_PROBE_INFO_BUFFER (info)))
    g_atomic_int_inc (&writability->n_writable);
  g_atomic_int_inc (&writability->n_buffers);
  return GST_PAD_PROBE_OK;
}

void
test_count_writable (GstHarness * harness, Writability * writability)
{
  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_BUFFER,
      note_writability, writability, NULL);
}

/* ---- Pads around an element ---------------------------------------------------------------- */

static GstStaticPadTemplate any_caps = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

void
test_link_pads (GstElement * element, GstPadChainFunction chain,
    GstPadEventFunction event, gpointer user_data, GstPad ** src,
    GstPad ** sink)
{
  GstPad *element_sink = gst_element_get_static_pad (element, "sink");
  GstPad *element_src = gst_element_get_static_pad (element, "src");

  *src = gst_pad_new ("src", GST_PAD_SRC);
  *sink = gst_pad_new_from_static_template (&any_caps, "sink");
  gst_pad_set_element_private (*sink, user_data);
  gst_pad_set_chain_function (*sink, chain);
  gst_pad_set_event_function (*sink, event);
  gst_pad_link (*src, element_sink);
  gst_pad_link (element_src, *sink);
  gst_pad_set_active (*src, TRUE);
  gst_pad_set_active (*sink, TRUE);
  gst_object_unref (element_src);
  gst_object_unref (element_sink);
}
