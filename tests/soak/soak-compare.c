/* Compares the two results of each buffer; see soak-compare.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "soak-compare.h"

#include <math.h>

#define META "cudahisto"

/* "tested" measures at least every third buffer, and a flush drops the results of up to 8 buffers in flight.
 * After more buffers than this without a result, results are lost. */
#define MOST_WITHOUT 20

static gint n_compared, n_different, n_missing;

typedef struct
{
  GstClockTime pts;
  GstStructure *structure;
} Result;

static void
free_result (Result * result)
{
  gst_structure_free (result->structure);
  g_free (result);
}

/* ---- Comparing ---------------------------------------------------------------------------- */

static gboolean structures_are_equal (const GstStructure * one,
    const GstStructure * other);

/* Sums of floats may differ by 1e-12 (relative), and what follows from them a little more. */
static gboolean
doubles_are_equal (gdouble one, gdouble other)
{
  return one == other || (isnan (one) && isnan (other))
      || (isfinite (one) && isfinite (other)
      && fabs (one - other) <= 1e-9 * MAX (fabs (one), fabs (other)) + 1e-12);
}

static gboolean
arrays_are_equal (const GValue * one, const GValue * other);

static gboolean
values_are_equal (const GValue * one, const GValue * other)
{
  if (other == NULL || G_VALUE_TYPE (one) != G_VALUE_TYPE (other))
    return FALSE;
  if (G_VALUE_HOLDS_DOUBLE (one))
    return doubles_are_equal (g_value_get_double (one),
        g_value_get_double (other));
  if (GST_VALUE_HOLDS_STRUCTURE (one))
    return structures_are_equal (gst_value_get_structure (one),
        gst_value_get_structure (other));
  if (GST_VALUE_HOLDS_ARRAY (one))
    return arrays_are_equal (one, other);
  if (G_VALUE_HOLDS (one, G_TYPE_BYTES))
    return g_bytes_equal (g_value_get_boxed (one), g_value_get_boxed (other));
  return gst_value_compare (one, other) == GST_VALUE_EQUAL;
}

static gboolean
arrays_are_equal (const GValue * one, const GValue * other)
{
  const guint n = gst_value_array_get_size (one);

  if (n != gst_value_array_get_size (other))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    if (!values_are_equal (gst_value_array_get_value (one, i),
            gst_value_array_get_value (other, i)))
      return FALSE;
  }
  return TRUE;
}

/* Returns: whether @other has all fields of @one */
static gboolean
has_fields (const GstStructure * other, const GstStructure * one)
{
  for (gint i = 0; i < gst_structure_n_fields (one); i++) {
    const gchar *name = gst_structure_nth_field_name (one, i);

    if (!gst_structure_has_field (other, name)) {
      g_printerr ("%s: only one result has the field %s\n",
          gst_structure_get_name (one), name);
      return FALSE;
    }
  }
  return TRUE;
}

/* All fields but the name of the backend. */
static gboolean
structures_are_equal (const GstStructure * one, const GstStructure * other)
{
  if (!has_fields (one, other) || !has_fields (other, one))
    return FALSE;
  for (gint i = 0; i < gst_structure_n_fields (one); i++) {
    const gchar *name = gst_structure_nth_field_name (one, i);

    if (!g_str_equal (name, "backend")
        && !values_are_equal (gst_structure_get_value (one, name),
            gst_structure_get_value (other, name))) {
      g_printerr ("%s: the field %s differs\n", gst_structure_get_name (one),
          name);
      return FALSE;
    }
  }
  return TRUE;
}

/* @reference: (nullable) */
static void
print_difference (const Result * result, const GstStructure * reference)
{
  gchar *one = gst_structure_to_string (result->structure);
  gchar *other = reference != NULL ? gst_structure_to_string (reference) : NULL;

  /* Histograms are long. */
  g_printerr ("the results of buffer %" GST_TIME_FORMAT
      " differ\ntested: %.4000s\nreference: %.4000s\n",
      GST_TIME_ARGS (result->pts), one, other != NULL ? other : "none");
  g_free (one);
  g_free (other);
}

/* ---- Probes ------------------------------------------------------------------------------- */

/* After "tested": keeps the result, so that "reference" makes its own. */
static GstPadProbeReturn
keep_result (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  SoakCheck *check = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, META);
  Result *result;

  if (meta == NULL)
    return GST_PAD_PROBE_OK;
  result = g_new (Result, 1);
  result->pts = GST_BUFFER_PTS (buffer);
  result->structure =
      gst_structure_copy (gst_custom_meta_get_structure (meta));
  g_mutex_lock (&check->lock);
  g_queue_push_tail (&check->results, result);
  g_mutex_unlock (&check->lock);

  buffer = gst_buffer_make_writable (buffer);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  meta = gst_buffer_get_custom_meta (buffer, META);
  gst_buffer_remove_meta (buffer, &meta->meta);
  return GST_PAD_PROBE_OK;
}

/* The oldest result kept for a buffer with this time. Those before it belong to buffers that a flush
 * has dropped. */
static Result *
find_result (SoakCheck * check, GstClockTime pts)
{
  Result *found = NULL;
  GList *item;

  g_mutex_lock (&check->lock);
  for (item = check->results.head; item != NULL; item = item->next) {
    if (((Result *) item->data)->pts == pts)
      break;
  }
  while (item != NULL && found == NULL) {
    Result *oldest = g_queue_pop_head (&check->results);

    if (oldest->pts == pts)
      found = oldest;
    else
      free_result (oldest);
  }
  g_mutex_unlock (&check->lock);
  return found;
}

/* videotestsrc sends such buffers if a seek comes while its caps change. */
static gboolean
is_outside (GstPad * pad, GstBuffer * buffer)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstClockTime start = GST_BUFFER_PTS (buffer);
  const GstSegment *segment;
  gboolean outside = FALSE;

  if (event == NULL)
    return FALSE;
  gst_event_parse_segment (event, &segment);
  if (segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (start)
      && GST_BUFFER_DURATION_IS_VALID (buffer))
    outside = !gst_segment_clip (segment, GST_FORMAT_TIME, start,
        start + GST_BUFFER_DURATION (buffer), NULL, NULL);
  gst_event_unref (event);
  return outside;
}

/* After "reference": compares. */
static GstPadProbeReturn
compare_result (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, META);
  const GstStructure *reference =
      meta != NULL ? gst_custom_meta_get_structure (meta) : NULL;
  SoakCheck *check = user_data;
  Result *result = find_result (check, GST_BUFFER_PTS (buffer));

  if (result == NULL) {
    if (is_outside (pad, buffer))
      return GST_PAD_PROBE_OK;
    if (++check->n_without > MOST_WITHOUT)
      g_atomic_int_inc (&n_missing);
    return GST_PAD_PROBE_OK;
  }
  check->n_without = 0;
  if (reference == NULL || !structures_are_equal (result->structure, reference)) {
    print_difference (result, reference);
    g_atomic_int_inc (&n_different);
  }
  g_atomic_int_inc (&n_compared);
  free_result (result);
  return GST_PAD_PROBE_OK;
}

/* After a flush, what was queued in "reference" is gone. When the pipeline has been stopped, a new stream
 * starts, whose buffers have the same times. */
static GstPadProbeReturn
drop_results (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  SoakCheck *check = user_data;
  const GstEventType type = GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info));

  if (type == GST_EVENT_FLUSH_STOP || type == GST_EVENT_STREAM_START) {
    g_mutex_lock (&check->lock);
    g_queue_clear_full (&check->results, (GDestroyNotify) free_result);
    g_mutex_unlock (&check->lock);
  }
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement * pipeline, const gchar * name, GstPadProbeType type,
    GstPadProbeCallback callback, SoakCheck * check)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstPad *pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, type, callback, check, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
}

void
soak_check_begin (SoakCheck * check, GstElement * pipeline)
{
  g_mutex_init (&check->lock);
  g_queue_init (&check->results);
  check->n_without = 0;
  add_probe (pipeline, "tested", GST_PAD_PROBE_TYPE_BUFFER, keep_result, check);
  add_probe (pipeline, "tested", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      drop_results, check);
  add_probe (pipeline, "reference", GST_PAD_PROBE_TYPE_BUFFER, compare_result,
      check);
  add_probe (pipeline, "reference", GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      drop_results, check);
}

void
soak_check_end (SoakCheck * check)
{
  g_queue_clear_full (&check->results, (GDestroyNotify) free_result);
  g_mutex_clear (&check->lock);
}

gint
soak_n_compared (void)
{
  return g_atomic_int_get (&n_compared);
}

gint
soak_n_different (void)
{
  return g_atomic_int_get (&n_different);
}

/* Buffers that came after MOST_WITHOUT others without a result. */
gint
soak_n_missing (void)
{
  return g_atomic_int_get (&n_missing);
}
