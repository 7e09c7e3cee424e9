/* Gives pairs of frames to cudahistocompare; see comparer.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/comparer.h"

#include "cudahisto/comparison.h"

/* The picture under test, B, goes to `sink`. */
static const gchar *const pad_names[2] = { "reference", "sink" };

/* A pad without a template takes no other caps than its first ones. */
static GstStaticPadTemplate source_template =
GST_STATIC_PAD_TEMPLATE ("source", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate sink_template =
GST_STATIC_PAD_TEMPLATE ("out", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

struct _ReportComparer
{
  GstElement *element;
  GstBus *bus;
  GstPad *pads[2];              /* of A and B: linked to those of the element */
  GstPad *out;
  GstCaps *caps[2];
  ReportComparerFound found;
  gpointer data;
  GMutex lock;                  /* of what follows */
  GError *error;
};

/* Called in the thread that pushes, or in one of the element. */
static GstBusSyncReply
take_message (GstBus * bus, GstMessage * message, gpointer data)
{
  ReportComparer *comparer = data;
  GError *error = NULL;

  if (gst_message_has_name (message, HISTO_COMPARISON_NAME)) {
    comparer->found (gst_message_get_structure (message), comparer->data);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_mutex_lock (&comparer->lock);
    if (comparer->error == NULL)
      comparer->error = g_steal_pointer (&error);
    g_mutex_unlock (&comparer->lock);
    g_clear_error (&error);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static GstFlowReturn
drop (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
drop_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  gst_event_unref (event);
  return TRUE;
}

static void
begin_pad (ReportComparer * comparer, guint side)
{
  GstPad *pad = gst_element_get_static_pad (comparer->element, pad_names[side]);
  GstSegment segment;

  comparer->pads[side] = gst_object_ref_sink (gst_pad_new_from_static_template (&source_template, pad_names[side]));
  gst_pad_set_active (comparer->pads[side], TRUE);
  gst_pad_link (comparer->pads[side], pad);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (comparer->pads[side], gst_event_new_stream_start (pad_names[side]));
  comparer->caps[side] = NULL;
  gst_object_unref (pad);
}

/**
 * report_comparer_new:
 * @measures: of cudahistocompare
 * @found: gets the result of each pair, in the order of the pairs
 *
 * Returns: (nullable): NULL with an error if there is no such element or if it does not start
 */
ReportComparer *
report_comparer_new (const gchar * measures, ReportComparerFound found, gpointer data, GError ** error)
{
  GstElement *element = gst_element_factory_make ("cudahistocompare", NULL);
  ReportComparer *comparer;
  GstPad *pad;

  if (element == NULL) {
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN, "there is no element cudahistocompare");
    return NULL;
  }
  comparer = g_new0 (ReportComparer, 1);
  comparer->element = gst_object_ref_sink (element);
  comparer->found = found;
  comparer->data = data;
  g_mutex_init (&comparer->lock);
  comparer->bus = gst_bus_new ();
  gst_bus_set_sync_handler (comparer->bus, take_message, comparer, NULL);
  gst_element_set_bus (element, comparer->bus);
  gst_util_set_object_arg (G_OBJECT (element), "measures", measures);
  gst_util_set_object_arg (G_OBJECT (element), "pairing", "order");
  g_object_set (element, "meta", FALSE, "post-messages", TRUE, NULL);
  comparer->out = gst_object_ref_sink (gst_pad_new_from_static_template (&sink_template, "out"));
  gst_pad_set_chain_function (comparer->out, drop);
  gst_pad_set_event_function (comparer->out, drop_event);
  gst_pad_set_active (comparer->out, TRUE);
  pad = gst_element_get_static_pad (element, "src");
  gst_pad_link (pad, comparer->out);
  gst_object_unref (pad);
  gst_element_set_state (element, GST_STATE_PLAYING);
  for (guint side = 0; side < 2; side++)
    begin_pad (comparer, side);
  return comparer;
}

static gboolean
push_caps (ReportComparer * comparer, guint side, GstCaps * caps)
{
  const gboolean is_first = comparer->caps[side] == NULL;
  GstSegment segment;

  if (!is_first && gst_caps_is_equal (comparer->caps[side], caps))
    return TRUE;
  gst_caps_replace (&comparer->caps[side], caps);
  if (!gst_pad_push_event (comparer->pads[side], gst_event_new_caps (caps)))
    return FALSE;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  return !is_first || gst_pad_push_event (comparer->pads[side], gst_event_new_segment (&segment));
}

/**
 * report_comparer_push:
 * @buffers: of A and of B
 * @caps: of these
 *
 * Returns: FALSE with an error if the pair cannot be compared
 */
gboolean
report_comparer_push (ReportComparer * comparer, GstBuffer * const buffers[2], GstCaps * const caps[2], GError ** error)
{
  gboolean ok = TRUE;

  for (guint side = 0; side < 2 && ok; side++)
    ok = push_caps (comparer, side, caps[side])
        && gst_pad_push (comparer->pads[side], gst_buffer_ref (buffers[side])) == GST_FLOW_OK;
  if (ok)
    return TRUE;
  g_mutex_lock (&comparer->lock);
  if (comparer->error != NULL)
    g_propagate_error (error, g_error_copy (comparer->error));
  else
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "cudahistocompare does not take the frames");
  g_mutex_unlock (&comparer->lock);
  return FALSE;
}

/* All results have come when this returns. */
void
report_comparer_end (ReportComparer * comparer)
{
  for (guint side = 0; side < 2; side++)
    gst_pad_push_event (comparer->pads[side], gst_event_new_eos ());
}

void
report_comparer_free (ReportComparer * comparer)
{
  for (guint side = 0; side < 2; side++)
    gst_pad_set_active (comparer->pads[side], FALSE);
  gst_element_set_state (comparer->element, GST_STATE_NULL);
  for (guint side = 0; side < 2; side++) {
    gst_object_unref (comparer->pads[side]);
    gst_clear_caps (&comparer->caps[side]);
  }
  gst_object_unref (comparer->out);
  gst_element_set_bus (comparer->element, NULL);
  gst_object_unref (comparer->element);
  gst_bus_set_sync_handler (comparer->bus, NULL, NULL, NULL);
  gst_object_unref (comparer->bus);
  g_clear_error (&comparer->error);
  g_mutex_clear (&comparer->lock);
  g_free (comparer);
}
