/* Checks the flow through an element; see flow-check.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flow-check.h"

struct _FlowCheck
{
  GstPad *pads[2];              /* the sink pad and the source pad */
  gulong probes[2];
  GMutex lock;
  GCond changed;
  GPtrArray *passed[2];         /* one line per item since the last flush */
  guint n_buffers[2];
  gchar *fault;                 /* the first one; the test's own thread reports it, because
                                 * a streaming thread must not end the test */
};

static void
add_fault (FlowCheck * flow, const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (flow->fault == NULL)
    flow->fault = g_strdup_vprintf (format, arguments);
  va_end (arguments);
}

/* ---- One buffer and its result ------------------------------------------------------------- */

/* All that the element must leave unchanged. */
static gchar *
describe_buffer (GstBuffer * buffer)
{
  const guint flags = GST_BUFFER_FLAGS (buffer) & ~GST_BUFFER_FLAG_TAG_MEMORY;
  GChecksum *checksum = g_checksum_new (G_CHECKSUM_MD5);
  gchar *line;
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    g_checksum_update (checksum, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
  }
  line = g_strdup_printf ("buffer %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
      " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %#x %s",
      GST_BUFFER_PTS (buffer), GST_BUFFER_DTS (buffer),
      GST_BUFFER_DURATION (buffer), GST_BUFFER_OFFSET (buffer), flags,
      g_checksum_get_string (checksum));
  g_checksum_free (checksum);
  return line;
}

/* Returns a description of what is wrong, or NULL. */
static gchar *
compare_bytes (GstBuffer * buffer, const GstStructure * component)
{
  guint8 min = 255, max = 0;
  gdouble its_sum = -1, its_min = -1, its_max = -1;
  guint64 sum = 0, count = G_MAXUINT64;
  gchar *fault = NULL;
  GstMapInfo map;

  gst_structure_get (component, "sum", G_TYPE_DOUBLE, &its_sum, "min",
      G_TYPE_DOUBLE, &its_min, "max", G_TYPE_DOUBLE, &its_max, "count",
      G_TYPE_UINT64, &count, NULL);
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return g_strdup ("a buffer cannot be mapped");
  for (gsize i = 0; i < map.size; i++) {
    sum += map.data[i];
    min = MIN (min, map.data[i]);
    max = MAX (max, map.data[i]);
  }
  if (count != map.size || its_sum != sum
      || (map.size > 0 && (its_min != min || its_max != max)))
    fault = g_strdup_printf ("buffer %" G_GUINT64_FORMAT " has a wrong "
        "result: count %" G_GUINT64_FORMAT ", sum %g, %g to %g",
        GST_BUFFER_PTS (buffer), count, its_sum, its_min, its_max);
  gst_buffer_unmap (buffer, &map);
  return fault;
}

typedef enum
{ OUTSIDE, PARTLY_INSIDE, INSIDE } Place;

/* Where the buffer lies to the latest segment that has passed the pad. */
static Place
place_of (GstPad * pad, GstBuffer * buffer)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstClockTime start = GST_BUFFER_PTS (buffer);
  const GstClockTime end = start + GST_BUFFER_DURATION (buffer);
  const GstSegment *segment;
  Place place = INSIDE;
  guint64 from, to;

  if (event == NULL)
    return INSIDE;
  gst_event_parse_segment (event, &segment);
  if (segment->format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (start)
      || !GST_BUFFER_DURATION_IS_VALID (buffer))
    place = INSIDE;
  else if (!gst_segment_clip (segment, GST_FORMAT_TIME, start, end, &from, &to))
    place = OUTSIDE;
  else if (from != start || to != end)
    place = PARTLY_INSIDE;
  gst_event_unref (event);
  return place;
}

/* @place: of the buffer */
static gchar *
check_result (GstBuffer * buffer, Place place)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "cudahisto");
  GstStructure *component = NULL;
  const GstStructure *result;
  gchar *fault = NULL;
  const gchar *format;

  if (place == OUTSIDE)
    return meta == NULL ? NULL : g_strdup_printf ("buffer %" G_GUINT64_FORMAT
        " lies outside of the segment, and has a result",
        GST_BUFFER_PTS (buffer));
  if (meta == NULL)
    return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)
        && gst_buffer_get_size (buffer) == 0 ? NULL
        : g_strdup_printf ("buffer %" G_GUINT64_FORMAT " has no result",
        GST_BUFFER_PTS (buffer));
  result = gst_custom_meta_get_structure (meta);
  format = gst_structure_get_string (result, "format");
  if (g_str_equal (format, "GRAY8"))
    gst_structure_get (result, "Y", GST_TYPE_STRUCTURE, &component, NULL);
  else if (g_str_equal (format, "U8") && place == INSIDE)
    gst_structure_get (result, "ch0", GST_TYPE_STRUCTURE, &component, NULL);
  if (component != NULL) {
    fault = compare_bytes (buffer, component);
    gst_structure_free (component);
  }
  return fault;
}

/* ---- Items that entered and that left ------------------------------------------------------ */

/* Called with the lock held. */
static void
compare (FlowCheck * flow, gboolean to_the_end)
{
  const GPtrArray *in = flow->passed[0], *out = flow->passed[1];

  if (out->len > in->len)
    add_fault (flow, "%u items left, but %u entered", out->len, in->len);
  for (guint i = 0; i < MIN (in->len, out->len); i++) {
    if (!g_str_equal (in->pdata[i], out->pdata[i]))
      add_fault (flow, "item %u entered as \"%s\" and left as \"%s\"", i,
          in->pdata[i], out->pdata[i]);
  }
  if (to_the_end && out->len < in->len)
    add_fault (flow, "only %u of %u items left", out->len, in->len);
}

/* Compares and forgets all items. Called with the lock held. */
static void
start_again (FlowCheck * flow)
{
  compare (flow, FALSE);
  g_ptr_array_set_size (flow->passed[0], 0);
  g_ptr_array_set_size (flow->passed[1], 0);
}

/* Of sticky events only segment and end are followed: the others may be sent again after a
 * flush. */
static gchar *
describe_event (GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
    case GST_EVENT_GAP:
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_CUSTOM_DOWNSTREAM:
      return g_strdup_printf ("%s %u", GST_EVENT_TYPE_NAME (event),
          gst_event_get_seqnum (event));
    default:
      return NULL;
  }
}

static GstPadProbeReturn
follow_item (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  const gboolean leaves = GST_PAD_IS_SRC (pad);
  FlowCheck *flow = user_data;
  gchar *line = NULL, *fault = NULL;
  const gboolean is_buffer = (info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0;

  if (is_buffer) {
    line = describe_buffer (GST_PAD_PROBE_INFO_BUFFER (info));
    if (leaves)
      fault = check_result (GST_PAD_PROBE_INFO_BUFFER (info), place_of (pad,
              GST_PAD_PROBE_INFO_BUFFER (info)));
  } else {
    line = describe_event (GST_PAD_PROBE_INFO_EVENT (info));
  }

  g_mutex_lock (&flow->lock);
  if (fault != NULL)
    add_fault (flow, "%s", fault);
  if (line != NULL)
    g_ptr_array_add (flow->passed[leaves], line);
  flow->n_buffers[leaves] += is_buffer;
  /* Now the source pad's task does not run, and upstream's thread cannot push yet. */
  if (!is_buffer && leaves && GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      == GST_EVENT_FLUSH_STOP)
    start_again (flow);
  g_cond_broadcast (&flow->changed);
  g_mutex_unlock (&flow->lock);
  g_free (fault);
  return GST_PAD_PROBE_OK;
}

/* ---- The check ----------------------------------------------------------------------------- */

/* Reference counted, because a probe that has been removed may still be running in a streaming
 * thread. */
static void
clear (gpointer data)
{
  FlowCheck *flow = data;

  for (guint i = 0; i < 2; i++)
    g_ptr_array_unref (flow->passed[i]);
  g_free (flow->fault);
  g_mutex_clear (&flow->lock);
  g_cond_clear (&flow->changed);
}

static void
release (gpointer flow)
{
  g_atomic_rc_box_release_full (flow, clear);
}

FlowCheck *
flow_check_new (GstElement * element)
{
  static const gchar *const names[2] = { "sink", "src" };
  FlowCheck *flow = g_atomic_rc_box_new0 (FlowCheck);

  g_mutex_init (&flow->lock);
  g_cond_init (&flow->changed);
  for (guint i = 0; i < 2; i++) {
    flow->passed[i] = g_ptr_array_new_with_free_func (g_free);
    flow->pads[i] = gst_element_get_static_pad (element, names[i]);
    flow->probes[i] = gst_pad_add_probe (flow->pads[i],
        GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
        | GST_PAD_PROBE_TYPE_EVENT_FLUSH, follow_item,
        g_atomic_rc_box_acquire (flow), release);
  }
  return flow;
}

void
flow_check_free (FlowCheck * flow)
{
  for (guint i = 0; i < 2; i++) {
    gst_pad_remove_probe (flow->pads[i], flow->probes[i]);
    gst_object_unref (flow->pads[i]);
  }
  release (flow);
}

/* Called with the lock held. A test that fails keeps it. */
static void
check (FlowCheck * flow)
{
  fail_unless (flow->fault == NULL, "%s", flow->fault);
}

guint
flow_check_drained (FlowCheck * flow)
{
  guint n;

  g_mutex_lock (&flow->lock);
  compare (flow, TRUE);
  check (flow);
  n = flow->n_buffers[1];
  g_mutex_unlock (&flow->lock);
  return n;
}

void
flow_check_stopped (FlowCheck * flow)
{
  g_mutex_lock (&flow->lock);
  start_again (flow);
  check (flow);
  g_mutex_unlock (&flow->lock);
}

guint
flow_check_n_left (FlowCheck * flow)
{
  guint n;

  g_mutex_lock (&flow->lock);
  n = flow->n_buffers[1];
  g_mutex_unlock (&flow->lock);
  return n;
}

void
flow_check_wait (FlowCheck * flow, guint n)
{
  g_mutex_lock (&flow->lock);
  while (flow->n_buffers[1] <= n)
    g_cond_wait (&flow->changed, &flow->lock);
  g_mutex_unlock (&flow->lock);
}
