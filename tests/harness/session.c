/* A session of the element; see session.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

#include <string.h>
#include <unistd.h>

#include "probes.h"

static GstBusSyncReply
receive_message (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Session *session = user_data;
  gchar *details = NULL;
  GError *error = NULL;

  g_mutex_lock (&session->lock);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    session->n_warnings++;
    gst_message_parse_warning (message, &error, &details);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    session->n_errors++;
    gst_message_parse_error (message, &error, &details);
  }
  if (error != NULL) {
    g_free (session->text);
    session->text = g_strdup_printf ("%s (%s)", error->message, details);
  }
  g_cond_broadcast (&session->changed);
  g_mutex_unlock (&session->lock);
  g_clear_error (&error);
  g_free (details);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static GstFlowReturn
receive_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Session *session = gst_pad_get_element_private (pad);

  g_mutex_lock (&session->lock);
  g_queue_push_tail (&session->received, buffer);
  g_cond_broadcast (&session->changed);
  g_mutex_unlock (&session->lock);
  return GST_FLOW_OK;
}

static gboolean
receive_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  Session *session = gst_pad_get_element_private (pad);

  g_mutex_lock (&session->lock);
  session->is_eos |= GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  g_cond_broadcast (&session->changed);
  g_mutex_unlock (&session->lock);
  gst_event_unref (event);
  return TRUE;
}

gboolean
session_open (Session * session, const gchar * properties,
    GstCudaContext * context)
{
  gchar *launch = g_strdup_printf ("cudahisto %s", properties);

  test_set_alarm ();
  memset (session, 0, sizeof *session);
  g_mutex_init (&session->lock);
  g_cond_init (&session->changed);
  session->element = gst_parse_launch (launch, NULL);
  gst_object_ref_sink (session->element);
  session->bus = gst_bus_new ();
  gst_bus_set_sync_handler (session->bus, receive_message, session, NULL);
  gst_element_set_bus (session->element, session->bus);
  if (context != NULL) {
    GstContext *shared = gst_context_new_cuda_context (context);

    gst_element_set_context (session->element, shared);
    gst_context_unref (shared);
  }
  test_link_pads (session->element, receive_buffer, receive_event, session,
      &session->src, &session->sink);
  g_free (launch);
  return gst_element_set_state (session->element, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE;
}

void
session_begin (Session * session, GstCaps * caps)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (session->src, gst_event_new_stream_start ("test"));
  gst_pad_push_event (session->src, gst_event_new_caps (caps));
  gst_pad_push_event (session->src, gst_event_new_segment (&segment));
}

void
session_wait (Session * session, guint n)
{
  g_mutex_lock (&session->lock);
  while (g_queue_get_length (&session->received) < n)
    g_cond_wait (&session->changed, &session->lock);
  g_mutex_unlock (&session->lock);
}

static GstPadProbeReturn
hold (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Session *session = user_data;

  g_mutex_lock (&session->lock);
  session->is_held = TRUE;
  g_cond_broadcast (&session->changed);
  g_mutex_unlock (&session->lock);
  return GST_PAD_PROBE_OK;
}

gulong
session_hold (Session * session)
{
  GstPad *pad = gst_pad_get_peer (session->sink);
  gulong probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK
      | GST_PAD_PROBE_TYPE_BUFFER, hold, session, NULL);

  gst_object_unref (pad);
  return probe;
}

void
session_wait_held (Session * session)
{
  g_mutex_lock (&session->lock);
  while (!session->is_held && session->n_errors == 0)
    g_cond_wait (&session->changed, &session->lock);
  g_mutex_unlock (&session->lock);
}

void
session_release (Session * session, gulong probe)
{
  GstPad *pad = gst_pad_get_peer (session->sink);

  gst_pad_remove_probe (pad, probe);
  gst_object_unref (pad);
}

void
session_end (Session * session)
{
  gst_pad_push_event (session->src, gst_event_new_eos ());
  g_mutex_lock (&session->lock);
  while (!session->is_eos && session->n_errors == 0)
    g_cond_wait (&session->changed, &session->lock);
  g_mutex_unlock (&session->lock);
  gst_element_set_state (session->element, GST_STATE_NULL);
}

void
session_close (Session * session)
{
  gst_element_set_state (session->element, GST_STATE_NULL);
  gst_element_set_bus (session->element, NULL);
  gst_object_unref (session->bus);
  gst_pad_set_active (session->src, FALSE);
  gst_pad_set_active (session->sink, FALSE);
  gst_object_unref (session->element);
  gst_object_unref (session->src);
  gst_object_unref (session->sink);
  g_queue_clear_full (&session->received, (GDestroyNotify) gst_buffer_unref);
  g_free (session->text);
  g_mutex_clear (&session->lock);
  g_cond_clear (&session->changed);
  alarm (0);
}
