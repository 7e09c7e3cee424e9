/* Stops the thread that posts the element's results; see message-gate.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "message-gate.h"

static GstBusSyncReply
hold_message (GstBus * bus, GstMessage * message, gpointer user_data)
{
  MessageGate *gate = user_data;

  if (!gst_message_has_name (message, "cudahisto"))
    return GST_BUS_PASS;
  g_mutex_lock (&gate->lock);
  g_queue_push_tail (&gate->results,
      gst_structure_copy (gst_message_get_structure (message)));
  g_cond_broadcast (&gate->changed);
  while (gate->n_posted >= gate->n_allowed)
    g_cond_wait (&gate->changed, &gate->lock);
  gate->n_posted++;
  g_cond_broadcast (&gate->changed);
  g_mutex_unlock (&gate->lock);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

void
message_gate_init (MessageGate * gate, GstHarness * harness)
{
  GstBus *bus = gst_element_get_bus (harness->element);

  gate->n_allowed = gate->n_posted = 0;
  g_queue_init (&gate->results);
  g_mutex_init (&gate->lock);
  g_cond_init (&gate->changed);
  gst_bus_set_sync_handler (bus, hold_message, gate, NULL);
  gst_object_unref (bus);
}

void
message_gate_clear (MessageGate * gate)
{
  g_queue_clear_full (&gate->results, (GDestroyNotify) gst_structure_free);
  g_mutex_clear (&gate->lock);
  g_cond_clear (&gate->changed);
}

void
message_gate_allow (MessageGate * gate, guint n)
{
  g_mutex_lock (&gate->lock);
  gate->n_allowed = n;
  g_cond_broadcast (&gate->changed);
  g_mutex_unlock (&gate->lock);
}

guint
message_gate_n_posted (MessageGate * gate)
{
  guint n;

  g_mutex_lock (&gate->lock);
  n = gate->n_posted;
  g_mutex_unlock (&gate->lock);
  return n;
}

void
message_gate_wait_posted (MessageGate * gate, guint n)
{
  g_mutex_lock (&gate->lock);
  while (gate->n_posted < n)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);
}

void
message_gate_wait_arrived (MessageGate * gate, guint n)
{
  g_mutex_lock (&gate->lock);
  while (g_queue_get_length (&gate->results) < n)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);
}

const GstStructure *
message_gate_result (MessageGate * gate, guint i)
{
  const GstStructure *result;

  g_mutex_lock (&gate->lock);
  result = g_queue_peek_nth (&gate->results, i);
  g_mutex_unlock (&gate->lock);
  fail_unless (result != NULL, "result %u has not arrived", i);
  return result;
}
