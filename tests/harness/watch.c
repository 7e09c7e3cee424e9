/* An eye on an element in a pipeline; see watch.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "watch.h"

struct _Watch
{
  GstPad *pads[2];              /* where things enter, where they leave */
  gulong probes[2];
  GMutex lock;
  GCond changed;
  GPtrArray *passed[2];         /* a line for each thing, since the last flush */
  guint n_buffers[2];
  gchar *complaint;             /* the first; streaming threads must not end the test */
};

static void
complain (Watch * watch, const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (watch->complaint == NULL)
    watch->complaint = g_strdup_vprintf (format, arguments);
  va_end (arguments);
}

/* ---- One buffer and its result -------------------------------------------------------- */

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

/* NULL, or what is wrong. */
static gchar *
compare_bytes (GstBuffer * buffer, const GstStructure * component)
{
  guint8 min = 255, max = 0;
  gdouble its_sum = -1, its_min = -1, its_max = -1;
  guint64 sum = 0, count = G_MAXUINT64;
  gchar *complaint = NULL;
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
    complaint = g_strdup_printf ("buffer %" G_GUINT64_FORMAT " has the result "
        "of others: count %" G_GUINT64_FORMAT ", sum %g, %g to %g",
        GST_BUFFER_PTS (buffer), count, its_sum, its_min, its_max);
  gst_buffer_unmap (buffer, &map);
  return complaint;
}

static gchar *
check_result (GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "cudahisto");
  GstStructure *component = NULL;
  const GstStructure *result;
  gchar *complaint = NULL;
  const gchar *format;

  if (meta == NULL)
    return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)
        && gst_buffer_get_size (buffer) == 0 ? NULL
        : g_strdup_printf ("buffer %" G_GUINT64_FORMAT " has no result",
        GST_BUFFER_PTS (buffer));
  result = gst_custom_meta_get_structure (meta);
  format = gst_structure_get_string (result, "format");
  if (g_str_equal (format, "GRAY8"))
    gst_structure_get (result, "Y", GST_TYPE_STRUCTURE, &component, NULL);
  else if (g_str_equal (format, "U8"))
    gst_structure_get (result, "ch0", GST_TYPE_STRUCTURE, &component, NULL);
  if (component != NULL) {
    complaint = compare_bytes (buffer, component);
    gst_structure_free (component);
  }
  return complaint;
}

/* ---- What passes ------------------------------------------------------------------------- */

/* Under the lock. */
static void
compare (Watch * watch, gboolean to_the_end)
{
  const GPtrArray *in = watch->passed[0], *out = watch->passed[1];

  if (out->len > in->len)
    complain (watch, "%u things left, but %u entered", out->len, in->len);
  for (guint i = 0; i < MIN (in->len, out->len); i++) {
    if (!g_str_equal (in->pdata[i], out->pdata[i]))
      complain (watch, "number %u entered as \"%s\" and left as \"%s\"", i,
          in->pdata[i], out->pdata[i]);
  }
  if (to_the_end && out->len < in->len)
    complain (watch, "%u of %u things left", out->len, in->len);
}

static void
begin_anew (Watch * watch)
{
  compare (watch, FALSE);
  g_ptr_array_set_size (watch->passed[0], 0);
  g_ptr_array_set_size (watch->passed[1], 0);
}

/* Sticky events but these may be sent again after a flush. */
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
notice (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  const gboolean leaves = GST_PAD_IS_SRC (pad);
  Watch *watch = user_data;
  gchar *line = NULL, *complaint = NULL;
  const gboolean is_buffer = (info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0;

  if (is_buffer) {
    line = describe_buffer (GST_PAD_PROBE_INFO_BUFFER (info));
    if (leaves)
      complaint = check_result (GST_PAD_PROBE_INFO_BUFFER (info));
  } else {
    line = describe_event (GST_PAD_PROBE_INFO_EVENT (info));
  }

  g_mutex_lock (&watch->lock);
  if (complaint != NULL)
    complain (watch, "%s", complaint);
  if (line != NULL)
    g_ptr_array_add (watch->passed[leaves], line);
  watch->n_buffers[leaves] += is_buffer;
  /* Where the element's thread is at rest, and upstream's is not yet let go on. */
  if (!is_buffer && leaves && GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      == GST_EVENT_FLUSH_STOP)
    begin_anew (watch);
  g_cond_broadcast (&watch->changed);
  g_mutex_unlock (&watch->lock);
  g_free (complaint);
  return GST_PAD_PROBE_OK;
}

/* ---- The watch ----------------------------------------------------------------------------- */

/* A probe that is removed may still be at work in a streaming thread. */
static void
release_pieces (gpointer data)
{
  Watch *watch = data;

  for (guint i = 0; i < 2; i++)
    g_ptr_array_unref (watch->passed[i]);
  g_free (watch->complaint);
  g_mutex_clear (&watch->lock);
  g_cond_clear (&watch->changed);
}

static void
release (gpointer watch)
{
  g_atomic_rc_box_release_full (watch, release_pieces);
}

Watch *
watch_new (GstElement * element)
{
  static const gchar *const names[2] = { "sink", "src" };
  Watch *watch = g_atomic_rc_box_new0 (Watch);

  g_mutex_init (&watch->lock);
  g_cond_init (&watch->changed);
  for (guint i = 0; i < 2; i++) {
    watch->passed[i] = g_ptr_array_new_with_free_func (g_free);
    watch->pads[i] = gst_element_get_static_pad (element, names[i]);
    watch->probes[i] = gst_pad_add_probe (watch->pads[i],
        GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
        | GST_PAD_PROBE_TYPE_EVENT_FLUSH, notice,
        g_atomic_rc_box_acquire (watch), release);
  }
  return watch;
}

void
watch_free (Watch * watch)
{
  for (guint i = 0; i < 2; i++) {
    gst_pad_remove_probe (watch->pads[i], watch->probes[i]);
    gst_object_unref (watch->pads[i]);
  }
  release (watch);
}

/* Under the lock, which a test that fails need not give back. */
static void
check (Watch * watch)
{
  fail_unless (watch->complaint == NULL, "%s", watch->complaint);
}

guint
watch_check_drained (Watch * watch)
{
  guint n;

  g_mutex_lock (&watch->lock);
  compare (watch, TRUE);
  check (watch);
  n = watch->n_buffers[1];
  g_mutex_unlock (&watch->lock);
  return n;
}

void
watch_check_stopped (Watch * watch)
{
  g_mutex_lock (&watch->lock);
  begin_anew (watch);
  check (watch);
  g_mutex_unlock (&watch->lock);
}

guint
watch_n_left (Watch * watch)
{
  guint n;

  g_mutex_lock (&watch->lock);
  n = watch->n_buffers[1];
  g_mutex_unlock (&watch->lock);
  return n;
}

void
watch_wait (Watch * watch, guint n)
{
  g_mutex_lock (&watch->lock);
  while (watch->n_buffers[1] <= n)
    g_cond_wait (&watch->changed, &watch->lock);
  g_mutex_unlock (&watch->lock);
}
