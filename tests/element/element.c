/* How the element behaves in a flow: buffers, events, queries, flushes and states.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common.h"

#include <gst/audio/audio.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>

/* ---- Small frames, and who holds them ------------------------------------------------ */

#define WIDTH 16
#define HEIGHT 8
#define FRAME (40 * GST_MSECOND)
#define GRAY_CAPS "video/x-raw, format=GRAY8, width=16, height=8, framerate=25/1"

/* Memories of the buffers made here that somebody still holds: a copy of a buffer
 * that shares its memory counts, too. */
static gint n_alive = 0;

static void
memory_is_gone (gpointer user_data, GstMiniObject * memory)
{
  g_atomic_int_add (&n_alive, -1);
}

static GstBuffer *
make_buffer (gsize size, guint8 value, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    gst_mini_object_weak_ref (GST_MINI_OBJECT_CAST (gst_buffer_peek_memory
            (buffer, i)), memory_is_gone, NULL);
    g_atomic_int_inc (&n_alive);
  }
  gst_buffer_memset (buffer, 0, value, size);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = FRAME;
  return buffer;
}

/* Frame number n, all of whose pixels are n. */
static GstBuffer *
make_frame (guint n)
{
  return make_buffer (WIDTH * HEIGHT, n, n * FRAME);
}

static GstHarness *
gray_harness (const gchar * properties)
{
  GstHarness *harness = test_harness_new (properties);

  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  return harness;
}

static void
finish (GstHarness * harness)
{
  test_harness_free (harness);
  fail_unless_equals_int (g_atomic_int_get (&n_alive), 0);
}

static gint
get_int (const GstStructure * structure, const gchar * field)
{
  gint value = 0;

  fail_unless (gst_structure_get_int (structure, field, &value), "no int %s",
      field);
  return value;
}

static guint64
get_stat (GstHarness * harness, const gchar * field)
{
  GstStructure *stats = NULL;
  guint64 value;

  g_object_get (harness->element, "stats", &stats, NULL);
  value = test_get_uint64 (stats, field);
  gst_structure_free (stats);
  return value;
}

/* The result of a frame of one value. */
static void
check_frame (GstBuffer * buffer, guint value)
{
  const GstStructure *result = test_result (buffer);
  const GstStructure *y = test_component (result, "Y");

  fail_unless_equals_string (gst_structure_get_string (result, "format"),
      "GRAY8");
  fail_unless_equals_string (gst_structure_get_string (result, "backend"),
      test_backend ());
  fail_unless_equals_int (get_int (result, "width"), WIDTH);
  fail_unless_equals_int (get_int (result, "height"), HEIGHT);
  fail_unless_equals_uint64 (test_get_uint64 (y, "count"), WIDTH * HEIGHT);
  fail_unless_equals_float (test_get_double (y, "min"), value);
  fail_unless_equals_float (test_get_double (y, "max"), value);
  fail_unless_equals_float (test_get_double (y, "mean"), value);
}

static gboolean
has_result (GstBuffer * buffer)
{
  return gst_buffer_get_custom_meta (buffer, "cudahisto") != NULL;
}

/* The next buffer must be this frame, with its result. */
static void
pull_frame (GstHarness * harness, guint n)
{
  GstBuffer *buffer = gst_harness_pull (harness);

  fail_unless (buffer != NULL, "frame %u did not come", n);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), n * FRAME);
  check_frame (buffer, n);
  gst_buffer_unref (buffer);
}

static void
push_frame (GstHarness * harness, guint n)
{
  fail_unless_equals_int (gst_harness_push (harness, make_frame (n)),
      GST_FLOW_OK);
}

static void
push_segment (GstHarness * harness)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (harness,
          gst_event_new_segment (&segment)));
}

static guint
count_messages (GstHarness * harness, GstMessageType type)
{
  guint n = 0;
  GstMessage *message;

  while ((message = test_pop_message (harness, type)) != NULL) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

/* ---- A log of what passes a pad in order --------------------------------------------------------- */

typedef struct
{
  GMutex lock;
  GCond changed;
  GString *text;
  GstPad *pad;
  gulong probe;
} Log;

static gchar *
describe (GstPadProbeInfo * info)
{
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " ",
        GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)) / FRAME);
  if (info->type & GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM)
    return g_strdup_printf ("query-%s ",
        GST_QUERY_TYPE_NAME (GST_PAD_PROBE_INFO_QUERY (info)));
  return g_strdup_printf ("%s ",
      GST_EVENT_TYPE_NAME (GST_PAD_PROBE_INFO_EVENT (info)));
}

static GstPadProbeReturn
write_log (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Log *log = user_data;
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

static void
log_open (Log * log, GstPad * pad)
{
  g_mutex_init (&log->lock);
  g_cond_init (&log->changed);
  log->text = g_string_new (NULL);
  log->pad = gst_object_ref (pad);
  log->probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH,
      write_log, log, NULL);
}

/* Waits until something has passed. */
static void
log_wait (Log * log, const gchar * text)
{
  g_mutex_lock (&log->lock);
  while (strstr (log->text->str, text) == NULL)
    g_cond_wait (&log->changed, &log->lock);
  g_mutex_unlock (&log->lock);
}

static void
log_close (Log * log)
{
  gst_pad_remove_probe (log->pad, log->probe);
  gst_object_unref (log->pad);
  g_string_free (log->text, TRUE);
  g_mutex_clear (&log->lock);
  g_cond_clear (&log->changed);
}

/* ---- A downstream that blocks, and one that refuses ----------------------------------------- */

static GstPadProbeReturn
block (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  g_atomic_int_inc ((gint *) user_data);
  return GST_PAD_PROBE_OK;
}

static GstPad *
source_pad (GstHarness * harness)
{
  return gst_pad_get_peer (harness->sinkpad);
}

/* Blocks the buffers that leave the element; *n_blocked becomes 1 when one does. */
static gulong
block_buffers (GstHarness * harness, gint * n_blocked)
{
  GstPad *pad = source_pad (harness);
  gulong probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK
      | GST_PAD_PROBE_TYPE_BUFFER, block, n_blocked, NULL);

  gst_object_unref (pad);
  return probe;
}

static void
wait_until_set (gint * value)
{
  while (g_atomic_int_get (value) == 0)
    g_usleep (1000);
}

static void
remove_probe (GstHarness * harness, gulong probe)
{
  GstPad *pad = source_pad (harness);

  gst_pad_remove_probe (pad, probe);
  gst_object_unref (pad);
}

static GstPadProbeReturn
refuse (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GPOINTER_TO_INT (user_data);
  return GST_PAD_PROBE_HANDLED;
}

/* Downstream answers every buffer with this. */
static gulong
refuse_buffers (GstHarness * harness, GstFlowReturn flow)
{
  return gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_BUFFER,
      refuse, GINT_TO_POINTER (flow), NULL);
}

/* Pushes frames until upstream is told something else than OK. */
static GstFlowReturn
push_until_refused (GstHarness * harness)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; flow == GST_FLOW_OK && i < 1000; i++) {
    flow = gst_harness_push (harness, make_frame (0));
    g_usleep (1000);
  }
  return flow;
}

/* ---- Pipelines ---------------------------------------------------------------------------------- */

static GstElement *
parse (const gchar * format, ...)
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

static void
set_state (GstElement * element, GstState state)
{
  fail_unless (gst_element_set_state (element, state)
      != GST_STATE_CHANGE_FAILURE);
  fail_unless (gst_element_get_state (element, NULL, NULL, -1)
      != GST_STATE_CHANGE_FAILURE);
}

static void
wait_for (GstElement * pipeline, GstMessageType type)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      type | GST_MESSAGE_ERROR);

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    GError *error = NULL;

    gst_message_parse_error (message, &error, NULL);
    ck_abort_msg ("%s", error->message);
  }
  gst_message_unref (message);
  gst_object_unref (bus);
}

static void
stop (GstElement * pipeline)
{
  set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

typedef struct
{
  gint n_buffers, n_results;
} Counts;

static GstPadProbeReturn
count_result (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Counts *counts = user_data;

  g_atomic_int_inc (&counts->n_buffers);
  if (has_result (GST_PAD_PROBE_INFO_BUFFER (info)))
    g_atomic_int_inc (&counts->n_results);
  return GST_PAD_PROBE_OK;
}

/* Counts what arrives at the element named "sink". */
static void
count_results (GstElement * pipeline, Counts * counts)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstPad *pad = gst_element_get_static_pad (sink, "sink");

  memset (counts, 0, sizeof *counts);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_result, counts,
      NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
}

/* ---- Buffers pass ---------------------------------------------------------------------------------- */

static GstBuffer *
make_odd_buffer (GRand * random)
{
  GstBuffer *buffer = make_frame (1);
  guint8 data[WIDTH * HEIGHT];
  GstCaps *caps = gst_caps_new_empty_simple ("timestamp/x-test");

  test_fill_random (random, data, sizeof data);
  gst_buffer_fill (buffer, 0, data, sizeof data);
  GST_BUFFER_PTS (buffer) = 123456789;
  GST_BUFFER_DTS (buffer) = 123456;
  GST_BUFFER_DURATION (buffer) = 77;
  GST_BUFFER_OFFSET (buffer) = 5;
  GST_BUFFER_OFFSET_END (buffer) = 6;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT
      | GST_BUFFER_FLAG_MARKER | GST_BUFFER_FLAG_DROPPABLE
      | GST_BUFFER_FLAG_DELTA_UNIT | GST_VIDEO_BUFFER_FLAG_TFF);
  gst_buffer_add_reference_timestamp_meta (buffer, caps, 42, 43);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 1, 2, 3, 4);
  gst_caps_unref (caps);
  return buffer;
}

static void
check_odd_buffer (GstBuffer * out, GstBuffer * in)
{
  GstVideoRegionOfInterestMeta *region =
      gst_buffer_get_video_region_of_interest_meta (out);
  GstReferenceTimestampMeta *time =
      gst_buffer_get_reference_timestamp_meta (out, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (in, &map, GST_MAP_READ));
  fail_unless_equals_int (gst_buffer_get_size (out), map.size);
  fail_unless (gst_buffer_memcmp (out, 0, map.data, map.size) == 0);
  gst_buffer_unmap (in, &map);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 123456789);
  fail_unless_equals_uint64 (GST_BUFFER_DTS (out), 123456);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 77);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 5);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (out), 6);
  fail_unless_equals_int (GST_BUFFER_FLAGS (out) & ~GST_BUFFER_FLAG_TAG_MEMORY,
      GST_BUFFER_FLAGS (in) & ~GST_BUFFER_FLAG_TAG_MEMORY);
  fail_unless (time != NULL && time->timestamp == 42 && time->duration == 43);
  fail_unless (region != NULL && region->x == 1 && region->h == 4);
}

/* Bytes, times, offsets, flags and metas are those that came in. */
GST_START_TEST (test_transparent)
{
  GRand *random = test_random ();
  GstHarness *harness = gray_harness (NULL);
  GstBuffer *in = make_odd_buffer (random), *copy, *out;

  copy = gst_buffer_copy_deep (in);
  out = gst_harness_push_and_pull (harness, in);
  check_odd_buffer (out, copy);
  fail_unless (has_result (out) && !has_result (copy));
  gst_buffer_unref (copy);
  gst_buffer_unref (out);
  finish (harness);
  g_rand_free (random);
}

GST_END_TEST;

/* A buffer that others hold stays as it is: its copy shares the memory and has the
 * result. */
GST_START_TEST (test_shared_buffer)
{
  GRand *random = test_random ();
  GstHarness *harness = gray_harness (NULL);
  GstBuffer *in = make_odd_buffer (random), *out;

  out = gst_harness_push_and_pull (harness, gst_buffer_ref (in));
  fail_unless (out != in);
  fail_unless (gst_buffer_peek_memory (out, 0) == gst_buffer_peek_memory (in,
          0));
  fail_unless (has_result (out));
  fail_unless (!has_result (in));
  check_odd_buffer (out, in);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  finish (harness);
  g_rand_free (random);
}

GST_END_TEST;

/* A buffer that nobody else holds is not copied. */
GST_START_TEST (test_writable_buffer)
{
  GstHarness *harness = gray_harness (NULL);
  GstBuffer *in = make_frame (7), *out;

  out = gst_harness_push_and_pull (harness, in);
  fail_unless (out == in);
  fail_unless (gst_buffer_is_writable (out));
  check_frame (out, 7);
  gst_buffer_unref (out);
  finish (harness);
}

GST_END_TEST;

/* Without the meta buffers are not touched, and the message is posted all the same. */
GST_START_TEST (test_message_without_meta)
{
  GstHarness *harness = gray_harness ("meta=false post-messages=true");
  GstBuffer *in = make_frame (9), *out;
  GstMessage *message;

  out = gst_harness_push_and_pull (harness, gst_buffer_ref (in));
  fail_unless (out == in);
  fail_unless (!has_result (out));
  message = test_wait_message (harness, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  fail_unless_equals_float (test_get_double (test_component
          (gst_message_get_structure (message), "Y"), "mean"), 9);
  gst_message_unref (message);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  fail_unless_equals_uint64 (get_stat (harness, "frames"), 1);
  finish (harness);
}

GST_END_TEST;

/* Where nobody wants to know, nothing is measured. */
GST_START_TEST (test_passthrough)
{
  GstHarness *harness = gray_harness ("meta=false");
  GstBuffer *in = make_frame (9), *out;

  out = gst_harness_push_and_pull (harness, gst_buffer_ref (in));
  fail_unless (out == in);
  fail_unless (!has_result (out));
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  fail_unless_equals_uint64 (get_stat (harness, "frames"), 0);
  fail_unless_equals_int (count_messages (harness, GST_MESSAGE_ELEMENT), 0);
  finish (harness);
}

GST_END_TEST;

/* ---- Messages ------------------------------------------------------------------------------------------ */

static gboolean
same_field (GQuark field, const GValue * value, gpointer user_data)
{
  const gchar *name = g_quark_to_string (field);
  const GValue *other = gst_structure_get_value (user_data, name);

  fail_unless (other != NULL && G_VALUE_TYPE (other) == G_VALUE_TYPE (value),
      "%s is missing or of another type", name);
  if (G_VALUE_HOLDS_DOUBLE (value)) {
    gdouble a = g_value_get_double (value), b = g_value_get_double (other);

    fail_unless (memcmp (&a, &b, sizeof a) == 0, "%s differs", name);
  } else if (G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    fail_unless (g_bytes_equal (g_value_get_boxed (value),
            g_value_get_boxed (other)), "%s differs", name);
  } else if (GST_VALUE_HOLDS_STRUCTURE (value)) {
    gst_structure_foreach (gst_value_get_structure (value), same_field,
        (gpointer) gst_value_get_structure (other));
  } else {
    fail_unless (gst_value_compare (value, other) == GST_VALUE_EQUAL,
        "%s differs", name);
  }
  return TRUE;
}

/* The message is the meta and four times. */
GST_START_TEST (test_message_fields)
{
  GstHarness *harness = gray_harness ("post-messages=true");
  const GstStructure *posted, *attached;
  GstSegment segment;
  GstMessage *message;
  GstBuffer *buffer;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 1 * GST_SECOND;
  segment.time = 10 * GST_SECOND;
  segment.base = 5 * GST_SECOND;
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  buffer = gst_harness_push_and_pull (harness, make_frame (30));

  message = test_pop_message (harness, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (harness->element));
  posted = gst_message_get_structure (message);
  attached = test_result (buffer);
  fail_unless (gst_structure_has_name (posted, "cudahisto"));
  fail_unless (gst_structure_has_name (attached, "cudahisto"));
  gst_structure_foreach (attached, same_field, (gpointer) posted);
  fail_unless_equals_int (gst_structure_n_fields (posted),
      gst_structure_n_fields (attached) + 4);
  fail_unless_equals_uint64 (test_get_uint64 (posted, "timestamp"),
      1200 * GST_MSECOND);
  fail_unless_equals_uint64 (test_get_uint64 (posted, "stream-time"),
      10200 * GST_MSECOND);
  fail_unless_equals_uint64 (test_get_uint64 (posted, "running-time"),
      5200 * GST_MSECOND);
  fail_unless_equals_uint64 (test_get_uint64 (posted, "duration"), FRAME);
  gst_message_unref (message);
  gst_buffer_unref (buffer);
  finish (harness);
}

GST_END_TEST;

/* A buffer without times has a message without times. */
GST_START_TEST (test_message_without_times)
{
  GstHarness *harness = gray_harness ("post-messages=true interval=1000");
  static const gchar *const times[] = { "timestamp", "stream-time",
    "running-time", "duration"
  };

  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = make_buffer (WIDTH * HEIGHT, 3, GST_CLOCK_TIME_NONE);
    GstMessage *message;

    GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
    buffer = gst_harness_push_and_pull (harness, buffer);
    check_frame (buffer, 3);
    gst_buffer_unref (buffer);
    message = test_pop_message (harness, GST_MESSAGE_ELEMENT);
    fail_unless (message != NULL);
    for (guint t = 0; t < G_N_ELEMENTS (times); t++)
      fail_unless_equals_uint64 (test_get_uint64 (gst_message_get_structure
              (message), times[t]), GST_CLOCK_TIME_NONE);
    gst_message_unref (message);
  }
  finish (harness);
}

GST_END_TEST;

/* The interval thins messages by running time, and never the meta. */
GST_START_TEST (test_interval)
{
  GstHarness *harness = gray_harness ("post-messages=true interval=100000000");
  static const guint64 expected[] = { 0, 120, 240, 360 };

  for (guint i = 0; i < 10; i++) {
    push_frame (harness, i);
    pull_frame (harness, i);
  }
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    GstMessage *message = test_pop_message (harness, GST_MESSAGE_ELEMENT);

    fail_unless (message != NULL);
    fail_unless_equals_uint64 (test_get_uint64 (gst_message_get_structure
            (message), "running-time"), expected[i] * GST_MSECOND);
    gst_message_unref (message);
  }
  fail_unless_equals_int (count_messages (harness, GST_MESSAGE_ELEMENT), 0);
  finish (harness);
}

GST_END_TEST;

/* histogram=false leaves out the histogram, and nothing else. */
GST_START_TEST (test_no_histogram)
{
  GstHarness *harness = gray_harness (NULL);
  GstBuffer *with, *without;
  GstStructure *y;

  with = gst_harness_push_and_pull (harness, make_frame (4));
  g_object_set (harness->element, "histogram", FALSE, NULL);
  without = gst_harness_push_and_pull (harness, make_frame (4));
  y = gst_structure_copy (test_component (test_result (with), "Y"));
  fail_unless (gst_structure_has_field_typed (y, "histogram", G_TYPE_BYTES));
  gst_structure_remove_field (y, "histogram");
  gst_structure_foreach (y, same_field,
      (gpointer) test_component (test_result (without), "Y"));
  fail_unless_equals_int (gst_structure_n_fields (test_component (test_result
              (without), "Y")), gst_structure_n_fields (y));
  gst_structure_free (y);
  gst_buffer_unref (with);
  gst_buffer_unref (without);
  finish (harness);
}

GST_END_TEST;

/* ---- Events -------------------------------------------------------------------------------------------- */

static void
push_mixture (GstHarness * harness, guint first)
{
  static const gchar *const other_caps =
      "video/x-raw, format=GRAY8, width=16, height=8, framerate=30/1";

  push_frame (harness, first);
  push_frame (harness, first + 1);
  gst_harness_push_event (harness,
      gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "x", NULL)));
  push_frame (harness, first + 2);
  gst_harness_push_event (harness,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty ("custom")));
  gst_harness_push_event (harness, gst_event_new_gap (0, FRAME));
  push_frame (harness, first + 3);
  push_segment (harness);
  push_frame (harness, first + 4);
  gst_harness_set_src_caps_str (harness, other_caps);
  push_frame (harness, first + 5);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  push_frame (harness, first + 6);
  gst_harness_push_event (harness,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
          gst_structure_new_empty ("sticky")));
}

/* Serialized events keep their place, and the end comes last. */
GST_START_TEST (test_order)
{
  static const guint depths[] = { 1, 4, 16 };

  for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
    GstHarness *harness = gray_harness (NULL);
    Log in, out;

    g_object_set (harness->element, "max-in-flight", depths[i], NULL);
    push_frame (harness, 0);
    pull_frame (harness, 0);
    log_open (&in, harness->srcpad);
    log_open (&out, harness->sinkpad);
    for (guint round = 0; round < 8; round++)
      push_mixture (harness, 7 * round);
    gst_harness_push_event (harness, gst_event_new_eos ());
    log_wait (&out, "eos");
    fail_unless_equals_string (out.text->str, in.text->str);
    for (guint n = 0; n < 7 * 8; n++)
      pull_frame (harness, n);
    log_close (&in);
    log_close (&out);
    finish (harness);
  }
}

GST_END_TEST;

/* The end arrives after all frames that are queued. */
GST_START_TEST (test_eos_after_frames)
{
  for (guint round = 0; round < 20; round++) {
    GstHarness *harness = gray_harness ("max-in-flight=16");
    gint n_blocked = 0;
    gulong probe = block_buffers (harness, &n_blocked);
    Log out;

    log_open (&out, harness->sinkpad);
    for (guint n = 0; n < 16; n++)
      push_frame (harness, n);
    gst_harness_push_event (harness, gst_event_new_eos ());
    wait_until_set (&n_blocked);
    remove_probe (harness, probe);
    log_wait (&out, "eos");
    for (guint n = 0; n < 16; n++)
      pull_frame (harness, n);
    fail_unless (g_str_has_suffix (out.text->str, " 14 15 eos "));
    log_close (&out);
    finish (harness);
  }
}

GST_END_TEST;

/* The end passes at once where no buffer came. */
GST_START_TEST (test_eos_without_frames)
{
  GstHarness *harness = gray_harness (NULL);
  Log out;

  log_open (&out, harness->sinkpad);
  gst_harness_push_event (harness, gst_event_new_eos ());
  log_wait (&out, "eos");
  log_close (&out);
  finish (harness);
}

GST_END_TEST;

/* The end passes where not even caps came. */
GST_START_TEST (test_eos_before_caps)
{
  GstHarness *harness = test_harness_new (NULL);
  gchar *active = NULL;
  Log out;

  log_open (&out, harness->sinkpad);
  gst_harness_push_event (harness, gst_event_new_stream_start ("x"));
  gst_harness_push_event (harness, gst_event_new_eos ());
  log_wait (&out, "eos");
  g_object_get (harness->element, "active-backend", &active, NULL);
  fail_unless (active == NULL);
  log_close (&out);
  finish (harness);
}

GST_END_TEST;

/* ---- Caps changes ------------------------------------------------------------------------------------------ */

typedef struct
{
  const gchar *caps;
  const gchar *format;
  guint size;
  const gchar *component;
  guint64 count;                /* samples of that component */
  gdouble unit;                 /* value of a sample whose bytes are all 1 */
} Kind;

static const Kind kinds[] = {
  /* *INDENT-OFF* */
  { "video/x-raw, format=GRAY8, width=16, height=8, framerate=25/1", "GRAY8",
      128, "Y", 128, 1 },
  { "video/x-raw, format=GRAY8, width=32, height=4, framerate=25/1", "GRAY8",
      128, "Y", 128, 1 },
  { "video/x-raw, format=NV12, width=16, height=8, framerate=0/1", "NV12", 192,
      "V", 32, 1 },
  { "video/x-raw, format=RGBA, width=4, height=4, framerate=25/1", "RGBA", 64,
      "A", 16, 1 },
  { "audio/x-raw, format=S16LE, rate=48000, channels=2, layout=interleaved",
      "S16LE", 400, "ch1", 100, 257 },
  { "video/x-raw, format=GRAY16_LE, width=20, height=6, framerate=25/1",
      "GRAY16_LE", 240, "Y", 120, 257 },
  { "audio/x-raw, format=U8, rate=8000, channels=1, layout=interleaved", "U8",
      77, "ch0", 77, 1 },
  { "audio/x-raw, format=S8, rate=8000, channels=3, layout=interleaved, "
        "channel-mask=(bitmask)7", "S8", 99, "ch2", 33, 1 },
  /* *INDENT-ON* */
};

static void
check_kind (GstBuffer * buffer, const Kind * kind, guint value)
{
  const GstStructure *result = test_result (buffer);
  const GstStructure *component = test_component (result, kind->component);
  GstCaps *caps = gst_caps_from_string (kind->caps);
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  fail_unless_equals_string (gst_structure_get_string (result, "format"),
      kind->format);
  fail_unless_equals_uint64 (test_get_uint64 (component, "count"), kind->count);
  fail_unless_equals_float (test_get_double (component, "min"), value * kind->unit);
  fail_unless_equals_float (test_get_double (component, "max"), value * kind->unit);
  if (g_str_has_prefix (kind->caps, "video")) {
    fail_unless_equals_string (gst_structure_get_string (result, "media"),
        "video");
    fail_unless_equals_int (get_int (result, "width"), get_int (structure,
            "width"));
    fail_unless_equals_int (get_int (result, "height"), get_int (structure,
            "height"));
    fail_if (gst_structure_has_field (result, "samples"));
  } else {
    fail_unless_equals_string (gst_structure_get_string (result, "media"),
        "audio");
    fail_unless_equals_int (get_int (result, "rate"), get_int (structure,
            "rate"));
    fail_unless_equals_int (get_int (result, "channels"), get_int (structure,
            "channels"));
    fail_unless_equals_uint64 (test_get_uint64 (result, "samples"), kind->count);
    fail_if (gst_structure_has_field (result, "width"));
  }
  gst_caps_unref (caps);
}

/* Each buffer is measured for its own caps, also when they change with each. */
GST_START_TEST (test_caps_change)
{
  static const guint runs[] = { 1, 3, 9 };      /* buffers of the same caps */

  for (guint r = 0; r < G_N_ELEMENTS (runs); r++) {
    GstHarness *harness = test_harness_new (NULL);
    const guint n = 24 * runs[r];

    for (guint i = 0; i < n; i++) {
      const Kind *kind = &kinds[(i / runs[r]) % G_N_ELEMENTS (kinds)];

      if (i % runs[r] == 0)
        gst_harness_set_src_caps_str (harness, kind->caps);
      fail_unless_equals_int (gst_harness_push (harness,
              make_buffer (kind->size, i % 128, i * FRAME)), GST_FLOW_OK);
    }
    for (guint i = 0; i < n; i++) {
      GstBuffer *buffer = gst_harness_pull (harness);

      /* Values of S8 and S16LE from 128 on would be negative. */
      check_kind (buffer, &kinds[(i / runs[r]) % G_N_ELEMENTS (kinds)],
          i % 128);
      gst_buffer_unref (buffer);
    }
    finish (harness);
  }
}

GST_END_TEST;

/* The same caps again change nothing. */
GST_START_TEST (test_same_caps)
{
  GstHarness *harness = gray_harness (NULL);

  for (guint n = 0; n < 10; n++) {
    gst_harness_set_src_caps_str (harness, GRAY_CAPS);
    push_frame (harness, n);
  }
  for (guint n = 0; n < 10; n++)
    pull_frame (harness, n);
  finish (harness);
}

GST_END_TEST;

/* ---- Flushes ------------------------------------------------------------------------------------------------- */

static void
flush (GstHarness * harness)
{
  fail_unless (gst_harness_push_event (harness, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (harness,
          gst_event_new_flush_stop (TRUE)));
}

static void
drop_received (GstHarness * harness)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (harness)) != NULL)
    gst_buffer_unref (buffer);
}

/* After a flush frame n comes, and nothing from before it. */
static void
check_flow_after_flush (GstHarness * harness, guint n)
{
  push_segment (harness);
  push_frame (harness, n);
  pull_frame (harness, n);
  fail_unless_equals_int (gst_harness_buffers_in_queue (harness), 0);
}

/* A flush of an empty element; twice in a row; a start twice; a stop alone. */
GST_START_TEST (test_flush_when_empty)
{
  GstHarness *harness = test_harness_new (NULL);

  flush (harness);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  flush (harness);
  flush (harness);
  check_flow_after_flush (harness, 1);
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  check_flow_after_flush (harness, 2);
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  check_flow_after_flush (harness, 3);
  finish (harness);
}

GST_END_TEST;

/* Frames that are queued go, wherever the flush finds them. */
GST_START_TEST (test_flush_with_frames)
{
  GstHarness *harness = gray_harness ("max-in-flight=8 post-messages=true");

  for (guint round = 0; round < 50; round++) {
    for (guint n = 0; n < 8; n++)
      push_frame (harness, n);
    flush (harness);
    drop_received (harness);
    count_messages (harness, GST_MESSAGE_ELEMENT);
    check_flow_after_flush (harness, 100 + round);
    fail_unless_equals_int (count_messages (harness, GST_MESSAGE_ELEMENT), 1);
  }
  finish (harness);
}

GST_END_TEST;

/* A flush gets through while downstream blocks a frame. */
GST_START_TEST (test_flush_while_blocked)
{
  GstHarness *harness = gray_harness (NULL);

  for (guint round = 0; round < 10; round++) {
    gint n_blocked = 0;
    gulong probe = block_buffers (harness, &n_blocked);

    for (guint n = 0; n < 4; n++)
      push_frame (harness, n);
    wait_until_set (&n_blocked);
    gst_harness_push_event (harness, gst_event_new_flush_start ());
    remove_probe (harness, probe);
    gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
    check_flow_after_flush (harness, 50 + round);
  }
  finish (harness);
}

GST_END_TEST;

/* Caps that wait behind a blocked frame survive the flush. */
GST_START_TEST (test_flush_keeps_caps)
{
  GstHarness *harness = test_harness_new (NULL);
  gint n_blocked = 0;
  gulong probe;
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (harness, kinds[2].caps);
  probe = block_buffers (harness, &n_blocked);
  gst_harness_push (harness, make_buffer (kinds[2].size, 1, 0));
  wait_until_set (&n_blocked);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  gst_harness_push_event (harness,
      gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "x", NULL)));
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  remove_probe (harness, probe);
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  push_segment (harness);
  buffer = gst_harness_push_and_pull (harness, make_frame (8));
  check_frame (buffer, 8);
  gst_buffer_unref (buffer);
  {
    GstCaps *caps = gst_pad_get_current_caps (harness->sinkpad);
    GstCaps *expected = gst_caps_from_string (GRAY_CAPS);
    GstEvent *tag = gst_pad_get_sticky_event (harness->sinkpad, GST_EVENT_TAG,
        0);

    fail_unless (gst_caps_is_subset (caps, expected));
    fail_unless (tag != NULL);
    gst_event_unref (tag);
    gst_caps_unref (caps);
    gst_caps_unref (expected);
  }
  finish (harness);
}

GST_END_TEST;

static gpointer
push_many (gpointer user_data)
{
  GstHarness *harness = user_data;
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint n = 0; flow == GST_FLOW_OK; n++)
    flow = gst_harness_push (harness, make_frame (n % 100));
  return GINT_TO_POINTER (flow);
}

/* Upstream that waits for room in the queue is sent home by a flush. */
GST_START_TEST (test_flush_while_upstream_waits)
{
  GstHarness *harness = gray_harness ("max-in-flight=2");

  for (guint round = 0; round < 10; round++) {
    gint n_blocked = 0;
    gulong probe = block_buffers (harness, &n_blocked);
    GThread *thread = g_thread_new ("upstream", push_many, harness);

    wait_until_set (&n_blocked);
    g_usleep (round * 1000);
    gst_harness_push_event (harness, gst_event_new_flush_start ());
    fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)),
        GST_FLOW_FLUSHING);
    remove_probe (harness, probe);
    gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
    check_flow_after_flush (harness, 150 + round);
  }
  finish (harness);
}

GST_END_TEST;

/* After the end, a flush begins anew. */
GST_START_TEST (test_flush_after_eos)
{
  GstHarness *harness = gray_harness (NULL);
  Log out;

  for (guint round = 0; round < 10; round++) {
    log_open (&out, harness->sinkpad);
    push_frame (harness, 1);
    gst_harness_push_event (harness, gst_event_new_eos ());
    log_wait (&out, "eos");
    log_close (&out);
    flush (harness);
    drop_received (harness);
    check_flow_after_flush (harness, 2);
  }
  finish (harness);
}

GST_END_TEST;

/* Seeks that flush, as fast as they can be sent. */
GST_START_TEST (test_flushing_seeks)
{
  GstElement *pipeline = parse ("videotestsrc ! "
      "video/x-raw, format=GRAY8, width=16, height=8 ! cudahisto backend=%s ! "
      "fakesink name=sink sync=false", test_backend ());
  Counts counts;

  count_results (pipeline, &counts);
  set_state (pipeline, GST_STATE_PAUSED);
  for (guint i = 0; i < 20; i++) {
    gint n;

    if (i == 10)
      set_state (pipeline, GST_STATE_PLAYING);
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
            GST_SEEK_FLAG_FLUSH, i * GST_SECOND));
    fail_unless (gst_element_get_state (pipeline, NULL, NULL, -1)
        != GST_STATE_CHANGE_FAILURE);
    n = g_atomic_int_get (&counts.n_results);
    while (i >= 10 && g_atomic_int_get (&counts.n_results) == n)
      g_usleep (1000);
  }
  /* A streaming thread counts the one just before the other. */
  set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (counts.n_buffers, counts.n_results);
  stop (pipeline);
}

GST_END_TEST;

static void
seek_segment (GstElement * pipeline, GstSeekFlags flags)
{
  fail_unless (gst_element_seek (pipeline, 1, GST_FORMAT_TIME,
          flags | GST_SEEK_FLAG_SEGMENT, GST_SEEK_TYPE_SET, 0,
          GST_SEEK_TYPE_SET, 200 * GST_MSECOND));
}

/* A segment that is played in a loop, without flushes. */
GST_START_TEST (test_segment_loop)
{
  GstElement *pipeline = parse ("videotestsrc ! "
      "video/x-raw, format=GRAY8, width=16, height=8, framerate=25/1 ! "
      "cudahisto backend=%s ! fakesink name=sink sync=false", test_backend ());
  Counts counts;

  set_state (pipeline, GST_STATE_PAUSED);
  seek_segment (pipeline, GST_SEEK_FLAG_FLUSH);
  set_state (pipeline, GST_STATE_PAUSED);
  count_results (pipeline, &counts);
  set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 5; i++) {
    wait_for (pipeline, GST_MESSAGE_SEGMENT_DONE);
    seek_segment (pipeline, 0);
  }
  wait_for (pipeline, GST_MESSAGE_SEGMENT_DONE);
  /* The message is the source's; the last segment's frames are still on their way. */
  while (g_atomic_int_get (&counts.n_buffers) < 6 * 5 - 1)
    g_usleep (1000);
  stop (pipeline);
  fail_unless_equals_int (counts.n_buffers, counts.n_results);
}

GST_END_TEST;

/* ---- States ------------------------------------------------------------------------------------------------------ */

/* Up and down again, many times, wherever the frames are. */
GST_START_TEST (test_state_changes)
{
  GstElement *pipeline = parse ("videotestsrc ! "
      "video/x-raw, format=GRAY8, width=16, height=8 ! cudahisto backend=%s ! "
      "fakesink name=sink sync=false", test_backend ());
  Counts counts;

  count_results (pipeline, &counts);
  for (guint i = 0; i < 50; i++) {
    gint n = g_atomic_int_get (&counts.n_results);

    fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING)
        != GST_STATE_CHANGE_FAILURE);
    while (i % 2 == 0 && g_atomic_int_get (&counts.n_results) == n)
      g_usleep (100);
    set_state (pipeline, i % 3 == 0 ? GST_STATE_READY : GST_STATE_NULL);
  }
  fail_unless_equals_int (counts.n_buffers, counts.n_results);
  stop (pipeline);
}

GST_END_TEST;

/* An element with frames in its queue is stopped while downstream blocks, and starts
 * again without them. */
GST_START_TEST (test_stop_while_blocked)
{
  for (guint round = 0; round < 10; round++) {
    GstHarness *harness = gray_harness (NULL);
    gint n_blocked = 0;
    gulong probe = block_buffers (harness, &n_blocked);
    guint64 level = 0;
    GstStructure *stats = NULL;

    for (guint n = 0; n < 4; n++)
      push_frame (harness, n);
    wait_until_set (&n_blocked);
    set_state (harness->element,
        round % 2 == 0 ? GST_STATE_NULL : GST_STATE_READY);
    remove_probe (harness, probe);
    fail_unless_equals_int (g_atomic_int_get (&n_alive), 0);
    g_object_get (harness->element, "stats", &stats, NULL);
    fail_unless (gst_structure_get (stats, "queue-level", G_TYPE_UINT, &level,
            NULL));
    fail_unless_equals_int (level, 0);
    gst_structure_free (stats);
    set_state (harness->element, GST_STATE_PLAYING);
    /* The harness's own pads do not know that their peers forgot everything. */
    gst_harness_push_event (harness, gst_event_new_stream_start ("again"));
    gst_harness_set_src_caps_str (harness, GRAY_CAPS);
    check_flow_after_flush (harness, 9);
    fail_unless_equals_uint64 (get_stat (harness, "frames"), 1);
    finish (harness);
  }
}

GST_END_TEST;

/* Upstream that waits for room in the queue is sent home by the stop. */
GST_START_TEST (test_stop_while_upstream_waits)
{
  for (guint round = 0; round < 10; round++) {
    GstHarness *harness = gray_harness (NULL);
    gint n_blocked = 0;
    gulong probe = block_buffers (harness, &n_blocked);
    GThread *thread = g_thread_new ("upstream", push_many, harness);

    wait_until_set (&n_blocked);
    g_usleep (round * 1000);
    set_state (harness->element, GST_STATE_NULL);
    fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)),
        GST_FLOW_FLUSHING);
    remove_probe (harness, probe);
    finish (harness);
  }
}

GST_END_TEST;

/* Many elements at work at once, in the ways people put them. */
GST_START_TEST (test_pipelines)
{
  static const gchar *const pipelines[] = {
    "videotestsrc num-buffers=20 ! video/x-raw, width=32, height=24 ! "
        "tee name=t ! queue ! %s ! fakesink name=sink t. ! queue ! %s ! "
        "fakesink",
    "videotestsrc num-buffers=20 is-live=true ! video/x-raw, width=32, "
        "height=24, framerate=1000/1 ! queue ! %s ! queue ! %s ! "
        "fakesink name=sink sync=true",
    "audiotestsrc num-buffers=20 ! queue ! %s ! audioconvert ! "
        "audio/x-raw, format=F32LE ! %s ! fakesink name=sink",
    "videotestsrc num-buffers=20 ! video/x-raw, format=NV12, width=32, "
        "height=24 ! %s ! videoconvert ! video/x-raw, format=RGBA ! %s ! "
        "fakesink name=sink sync=true",
  };
  gchar *element = g_strdup_printf ("cudahisto backend=%s", test_backend ());

  for (guint i = 0; i < G_N_ELEMENTS (pipelines); i++) {
    GstElement *pipeline = parse (pipelines[i], element, element);
    Counts counts;

    count_results (pipeline, &counts);
    set_state (pipeline, GST_STATE_PLAYING);
    wait_for (pipeline, GST_MESSAGE_EOS);
    fail_unless_equals_int (counts.n_buffers, 20);
    fail_unless_equals_int (counts.n_results, 20);
    stop (pipeline);
  }
  g_free (element);
}

GST_END_TEST;

/* ---- Queries ------------------------------------------------------------------------------------------------------- */

static GstQuery *
allocation_query (void)
{
  GstCaps *caps = gst_caps_from_string (GRAY_CAPS);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);

  gst_caps_unref (caps);
  return query;
}

static GstPadProbeReturn
answer_with_pools (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstBufferPool *pool;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  pool = gst_buffer_pool_new ();
  gst_query_add_allocation_pool (query, pool, 128, 2, 0);
  gst_query_add_allocation_pool (query, NULL, 256, 3, 8);
  gst_query_add_allocation_pool (query, pool, 512, 4, 6);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_query_add_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, NULL);
  gst_object_unref (pool);
  return GST_PAD_PROBE_HANDLED;
}

static void
check_pool (GstQuery * query, guint index, gboolean has_pool, guint size,
    guint min, guint max)
{
  GstBufferPool *pool = NULL;
  guint its_size, its_min, its_max;

  gst_query_parse_nth_allocation_pool (query, index, &pool, &its_size,
      &its_min, &its_max);
  fail_unless_equals_int (pool != NULL, has_pool);
  fail_unless_equals_int (its_size, size);
  fail_unless_equals_int (its_min, min);
  fail_unless_equals_int (its_max, max);
  gst_clear_object (&pool);
}

/* Downstream's pools must have as many buffers more as are held here; one that cannot is
 * not offered. Cropping is not left to downstream: what is cropped must not be measured. */
GST_START_TEST (test_allocation)
{
  GstHarness *harness = gray_harness ("max-in-flight=5");
  GstQuery *query = allocation_query ();
  gulong probe = gst_pad_add_probe (harness->sinkpad,
      GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer_with_pools, NULL, NULL);

  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 3);
  check_pool (query, 0, TRUE, 128, 7, 0);
  check_pool (query, 1, FALSE, 256, 8, 8);
  check_pool (query, 2, FALSE, 512, 9, 0);
  fail_if (gst_query_find_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE,
          NULL));
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  gst_query_unref (query);
  gst_pad_remove_probe (harness->sinkpad, probe);
  finish (harness);
}

GST_END_TEST;

/* Where downstream has no pool, upstream is told how many buffers are held here; and is
 * given one by an engine that reads some memory better than other. */
GST_START_TEST (test_allocation_without_pool)
{
  GstHarness *harness = gray_harness ("max-in-flight=5");
  GstQuery *query = allocation_query ();

  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
  check_pool (query, 0, g_str_equal (test_backend (), "cuda"), WIDTH * HEIGHT, 5,
      0);
  gst_query_unref (query);
  finish (harness);
}

GST_END_TEST;

/* A type of query that nobody but this test knows, and that is serialized. */
#define QUERY_TEST \
    GST_QUERY_MAKE_TYPE (777, GST_QUERY_TYPE_DOWNSTREAM \
        | GST_QUERY_TYPE_SERIALIZED)

static GstQuery *
query_of_type (GstQueryType type)
{
  if (type == GST_QUERY_ALLOCATION)
    return allocation_query ();
  return gst_query_new_custom (type, gst_structure_new_empty ("question"));
}

static GstPadProbeReturn
answer_test_query (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != QUERY_TEST)
    return GST_PAD_PROBE_OK;
  gst_structure_set (gst_query_writable_structure (query), "answer",
      G_TYPE_INT, 42, NULL);
  return GST_PAD_PROBE_HANDLED;
}

/* Serialized queries overtake no frame, and no frame overtakes them. */
GST_START_TEST (test_serialized_queries)
{
  const GstQueryType types[] = { GST_QUERY_ALLOCATION, GST_QUERY_DRAIN,
    QUERY_TEST
  };
  GstHarness *harness = gray_harness ("max-in-flight=8");
  Log in, out;
  gulong probe;

  push_frame (harness, 0);
  pull_frame (harness, 0);
  log_open (&in, harness->srcpad);
  log_open (&out, harness->sinkpad);
  probe = gst_pad_add_probe (harness->sinkpad,
      GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer_test_query, NULL, NULL);
  for (guint n = 0; n < 30; n++) {
    const GstQueryType type = types[n % 3];
    GstQuery *query = query_of_type (type);
    gint answer = 0;

    push_frame (harness, n);
    if (n % 4 == 0) {
      fail_unless (gst_pad_peer_query (harness->srcpad, query));
      fail_unless_equals_int (gst_harness_buffers_in_queue (harness), n + 1);
      fail_unless_equals_int (gst_structure_get_int (gst_query_get_structure
              (query), "answer", &answer), type == QUERY_TEST);
    }
    gst_query_unref (query);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  log_wait (&out, "eos");
  fail_unless (strstr (out.text->str, "query-") != NULL);
  gst_pad_remove_probe (harness->sinkpad, probe);
  fail_unless_equals_string (out.text->str, in.text->str);
  log_close (&in);
  log_close (&out);
  finish (harness);
}

GST_END_TEST;

/* What nobody downstream answers is not answered. */
GST_START_TEST (test_unknown_query)
{
  GstHarness *harness = gray_harness (NULL);
  GstQuery *query = gst_query_new_custom (GST_QUERY_CUSTOM,
      gst_structure_new_empty ("x"));

  fail_if (gst_pad_peer_query (harness->srcpad, query));
  fail_if (gst_pad_peer_query (harness->sinkpad, query));
  gst_query_unref (query);
  finish (harness);
}

GST_END_TEST;

typedef struct
{
  GstHarness *harness;
  gint has_begun;
} Asker;

static gpointer
ask (gpointer user_data)
{
  Asker *asker = user_data;
  GstQuery *query = allocation_query ();
  gboolean answer;

  g_atomic_int_set (&asker->has_begun, TRUE);
  answer = gst_pad_peer_query (asker->harness->srcpad, query);
  gst_query_unref (query);
  return GINT_TO_POINTER (answer);
}

/* A flush sends home who waits for an answer, and while flushing there is none. */
GST_START_TEST (test_query_and_flush)
{
  GstHarness *harness = gray_harness (NULL);

  for (guint round = 0; round < 10; round++) {
    Asker asker = { harness, FALSE };
    gint n_blocked = 0;
    gulong probe = block_buffers (harness, &n_blocked);
    GstQuery *query = allocation_query ();
    GThread *thread;

    push_frame (harness, 0);
    wait_until_set (&n_blocked);
    thread = g_thread_new ("asker", ask, &asker);
    wait_until_set (&asker.has_begun);
    g_usleep (round * 1000);
    gst_harness_push_event (harness, gst_event_new_flush_start ());
    fail_unless (g_thread_join (thread) == NULL);
    fail_if (gst_pad_peer_query (harness->srcpad, query));
    gst_query_unref (query);
    remove_probe (harness, probe);
    gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
    query = allocation_query ();
    fail_unless (gst_pad_peer_query (harness->srcpad, query));
    gst_query_unref (query);
    check_flow_after_flush (harness, 3);
  }
  finish (harness);
}

GST_END_TEST;

/* The latency is upstream's: a frame leaves when its result is there. */
GST_START_TEST (test_latency)
{
  GstHarness *harness = gray_harness (NULL);
  GstClockTime min, max;
  gboolean is_live = FALSE;
  GstQuery *query;

  gst_harness_set_upstream_latency (harness, 10 * GST_MSECOND);
  query = gst_query_new_latency ();
  fail_unless (gst_pad_peer_query (harness->sinkpad, query));
  gst_query_parse_latency (query, &is_live, &min, &max);
  fail_unless (is_live);
  fail_unless_equals_uint64 (min, 10 * GST_MSECOND);
  fail_unless (max >= min);
  gst_query_unref (query);
  finish (harness);
}

GST_END_TEST;

/* Any question about any context, before, while and after it can be answered. */
GST_START_TEST (test_context)
{
  static const gchar *const types[] = { "gst.cuda.context", "nonsense" };
  static const GstState states[] = { GST_STATE_PLAYING, GST_STATE_NULL,
    GST_STATE_READY, GST_STATE_PLAYING
  };
  GstHarness *harness = gray_harness (NULL);

  for (guint s = 0; s < G_N_ELEMENTS (states); s++) {
    set_state (harness->element, states[s]);
    for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
      GstQuery *query = gst_query_new_context (types[i]);
      GstContext *context = gst_context_new (types[i], TRUE);

      gst_element_query (harness->element, query);
      gst_pad_peer_query (harness->srcpad, query);
      gst_pad_peer_query (harness->sinkpad, query);
      gst_element_set_context (harness->element, context);
      gst_context_unref (context);
      gst_query_unref (query);
    }
  }
  finish (harness);
}

GST_END_TEST;

/* Caps in are caps out: each side hears what the other can do. */
GST_START_TEST (test_caps_queries)
{
  GstHarness *harness = test_harness_new (NULL);
  GstCaps *yes = gst_caps_from_string (GRAY_CAPS), *caps, *no;

  gst_harness_set_sink_caps_str (harness, "video/x-raw, format=GRAY8");
  caps = gst_pad_peer_query_caps (harness->srcpad, NULL);
  fail_unless_equals_int (gst_caps_get_size (caps), 1);
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure
          (caps, 0), "format"), "GRAY8");
  gst_caps_unref (caps);
  no = gst_caps_from_string ("video/x-raw, format=NV12, width=16, height=8, "
      "framerate=25/1");
  fail_unless (gst_pad_peer_query_accept_caps (harness->srcpad, yes));
  fail_if (gst_pad_peer_query_accept_caps (harness->srcpad, no));
  gst_caps_unref (yes);
  gst_caps_unref (no);
  finish (harness);
}

GST_END_TEST;

/* Frames are pushed and cannot be pulled. */
GST_START_TEST (test_scheduling)
{
  GstHarness *harness = gray_harness (NULL);
  GstQuery *query = gst_query_new_scheduling ();

  fail_unless (gst_pad_peer_query (harness->sinkpad, query));
  fail_unless (gst_query_has_scheduling_mode (query, GST_PAD_MODE_PUSH));
  fail_if (gst_query_has_scheduling_mode (query, GST_PAD_MODE_PULL));
  gst_query_unref (query);
  finish (harness);
}

GST_END_TEST;

/* ---- What downstream says --------------------------------------------------------------------------------------------- */

/* Upstream hears what downstream says, and can end even so. */
GST_START_TEST (test_flow_returns)
{
  static const GstFlowReturn flows[] = {
    GST_FLOW_EOS, GST_FLOW_NOT_LINKED, GST_FLOW_ERROR, GST_FLOW_FLUSHING,
    GST_FLOW_NOT_NEGOTIATED, GST_FLOW_CUSTOM_ERROR
  };

  for (guint i = 0; i < G_N_ELEMENTS (flows); i++) {
    GstHarness *harness = gray_harness (NULL);
    gulong probe = refuse_buffers (harness, flows[i]);

    fail_unless_equals_int (push_until_refused (harness), flows[i]);
    fail_unless_equals_int (push_until_refused (harness), flows[i]);
    gst_pad_remove_probe (harness->sinkpad, probe);
    flush (harness);
    check_flow_after_flush (harness, 5);
    fail_unless_equals_int (count_messages (harness, GST_MESSAGE_ERROR), 0);
    finish (harness);
  }
}

GST_END_TEST;

/* Downstream that wants no more of a segment gets its end and the next segment. */
GST_START_TEST (test_flow_eos)
{
  GstHarness *harness = gray_harness (NULL);
  gulong probe = refuse_buffers (harness, GST_FLOW_EOS);
  Log out;

  fail_unless_equals_int (push_until_refused (harness), GST_FLOW_EOS);
  gst_pad_remove_probe (harness->sinkpad, probe);
  push_segment (harness);
  push_frame (harness, 6);
  pull_frame (harness, 6);

  probe = refuse_buffers (harness, GST_FLOW_EOS);
  fail_unless_equals_int (push_until_refused (harness), GST_FLOW_EOS);
  log_open (&out, harness->sinkpad);
  gst_harness_push_event (harness, gst_event_new_eos ());
  log_wait (&out, "eos");
  log_close (&out);
  fail_unless_equals_int (count_messages (harness, GST_MESSAGE_ERROR), 0);
  finish (harness);
}

GST_END_TEST;

/* When upstream has ended, nobody hears a flow return: an error is posted. */
GST_START_TEST (test_error_after_eos)
{
  static const GstFlowReturn flows[] = { GST_FLOW_ERROR, GST_FLOW_NOT_LINKED };

  for (guint i = 0; i < G_N_ELEMENTS (flows); i++) {
    GstHarness *harness = gray_harness (NULL);
    gint n_blocked = 0;
    gulong block_probe = block_buffers (harness, &n_blocked), probe;

    for (guint n = 0; n < 3; n++)
      push_frame (harness, n);
    fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
    wait_until_set (&n_blocked);
    probe = refuse_buffers (harness, flows[i]);
    remove_probe (harness, block_probe);
    gst_message_unref (test_wait_message (harness, GST_MESSAGE_ERROR));
    g_usleep (10000);
    fail_unless_equals_int (count_messages (harness, GST_MESSAGE_ERROR), 0);
    gst_pad_remove_probe (harness->sinkpad, probe);
    finish (harness);
  }
}

GST_END_TEST;

/* The end that upstream sends without having heard of an error: an error is posted. */
GST_START_TEST (test_eos_after_error)
{
  GstHarness *harness = gray_harness (NULL);
  gulong probe = refuse_buffers (harness, GST_FLOW_ERROR);
  GstFlowReturn flow = GST_FLOW_OK;

  push_frame (harness, 0);
  /* Nearly always long enough for the frame to have been refused. */
  g_usleep (50000);
  /* The harness's pad keeps the flow from its last push, which was OK. */
  gst_harness_push_event (harness, gst_event_new_eos ());
  gst_message_unref (test_wait_message (harness, GST_MESSAGE_ERROR));
  fail_unless_equals_int (count_messages (harness, GST_MESSAGE_ERROR), 0);
  flow = gst_pad_get_last_flow_return (harness->srcpad);
  fail_unless (flow != GST_FLOW_FLUSHING);
  gst_pad_remove_probe (harness->sinkpad, probe);
  finish (harness);
}

GST_END_TEST;

/* A pad that is linked again is pushed to again. */
GST_START_TEST (test_relink)
{
  GstHarness *harness = gray_harness (NULL);
  GstPad *pad = source_pad (harness);

  push_frame (harness, 1);
  pull_frame (harness, 1);
  gst_pad_unlink (pad, harness->sinkpad);
  fail_unless_equals_int (push_until_refused (harness), GST_FLOW_NOT_LINKED);
  fail_unless_equals_int (gst_pad_link (pad, harness->sinkpad),
      GST_PAD_LINK_OK);
  push_frame (harness, 2);
  for (;;) {
    GstBuffer *buffer = gst_harness_pull (harness);
    gboolean found = buffer != NULL && GST_BUFFER_PTS (buffer) == 2 * FRAME;

    fail_unless (buffer != NULL);
    gst_buffer_unref (buffer);
    if (found)
      break;
  }
  gst_object_unref (pad);
  finish (harness);
}

GST_END_TEST;

/* ---- Gaps and odd buffers ------------------------------------------------------------------------------------------------ */

/* A gap with a picture is measured; one without stands for nothing and passes. */
GST_START_TEST (test_video_gap)
{
  GstHarness *harness = gray_harness ("post-messages=true");
  GstBuffer *buffer = make_frame (16), *empty = gst_buffer_new ();

  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  buffer = gst_harness_push_and_pull (harness, buffer);
  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP));
  check_frame (buffer, 16);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (count_messages (harness, GST_MESSAGE_ELEMENT), 1);

  GST_BUFFER_FLAG_SET (empty, GST_BUFFER_FLAG_GAP);
  buffer = gst_harness_push_and_pull (harness, empty);
  fail_unless (buffer == empty);
  fail_unless (!has_result (buffer));
  gst_buffer_unref (buffer);
  fail_unless_equals_int (count_messages (harness, GST_MESSAGE_ELEMENT), 0);

  push_frame (harness, 3);
  pull_frame (harness, 3);
  finish (harness);
}

GST_END_TEST;

#define AUDIO_CAPS "audio/x-raw, format=F32LE, rate=8000, channels=2, " \
    "layout=interleaved"

/* A buffer of no samples has a result without a minimum; a gap's silence is counted. */
GST_START_TEST (test_audio_gap)
{
  static const gchar *const not_there[] = { "min", "max", "mean", "variance",
    "std-dev", "p1", "p50", "p99", "mode"
  };
  GstHarness *harness = test_harness_new (NULL);
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (harness, AUDIO_CAPS);
  for (guint round = 0; round < 2; round++) {
    const GstStructure *channel;

    buffer = gst_harness_push_and_pull (harness, gst_buffer_new ());
    fail_unless_equals_uint64 (test_get_uint64 (test_result (buffer), "samples"), 0);
    channel = test_component (test_result (buffer), "ch1");
    fail_unless_equals_uint64 (test_get_uint64 (channel, "count"), 0);
    for (guint i = 0; i < G_N_ELEMENTS (not_there); i++)
      fail_unless (isnan (test_get_double (channel, not_there[i])), "%s",
          not_there[i]);
    fail_unless_equals_float (test_get_double (channel, "sum"), 0);
    fail_unless_equals_float (test_get_double (channel, "entropy"), 0);
    gst_buffer_unref (buffer);

    buffer = make_buffer (80, 0, 0);
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
    buffer = gst_harness_push_and_pull (harness, buffer);
    channel = test_component (test_result (buffer), "ch0");
    fail_unless_equals_uint64 (test_get_uint64 (channel, "count"), 10);
    fail_unless_equals_float (test_get_double (channel, "max"), 0);
    gst_buffer_unref (buffer);
  }
  finish (harness);
}

GST_END_TEST;

/* A stream without a framerate is one like another. */
GST_START_TEST (test_no_framerate)
{
  GstHarness *harness = test_harness_new (NULL);
  GstQuery *query = gst_query_new_latency ();

  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=16, height=8, framerate=0/1");
  push_frame (harness, 5);
  pull_frame (harness, 5);
  fail_unless (gst_pad_peer_query (harness->sinkpad, query));
  gst_query_unref (query);
  finish (harness);
}

GST_END_TEST;

/* ---- Properties -------------------------------------------------------------------------------------------------------------- */

/* The defaults are the contract's. */
GST_START_TEST (test_defaults)
{
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  gint backend = -1, device = 0;
  gchar *active = NULL;
  gboolean meta = FALSE, post = TRUE, histogram = FALSE;
  guint64 interval = 1;
  guint bins = 1, max_in_flight = 0;
  gdouble range_min = 1, range_max = 1;
  GParamSpec *spec;

  g_object_get (element, "backend", &backend, "active-backend", &active,
      "cuda-device-id", &device, "meta", &meta, "post-messages", &post,
      "interval", &interval, "histogram", &histogram, "bins", &bins,
      "range-min", &range_min, "range-max", &range_max, "max-in-flight",
      &max_in_flight, NULL);
  fail_unless_equals_int (backend, 0);
  fail_unless (active == NULL);
  fail_unless_equals_int (device, -1);
  fail_unless (meta && !post && histogram);
  fail_unless_equals_uint64 (interval, 0);
  fail_unless_equals_int (bins, 0);
  fail_unless_equals_float (range_min, 0);
  fail_unless_equals_float (range_max, 0);
  fail_unless_equals_int (max_in_flight, 4);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
  gst_util_set_object_arg (G_OBJECT (element), "backend", "auto");
  spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), "backend");
  fail_unless_equals_string (G_ENUM_CLASS (g_type_class_peek
          (spec->value_type))->values[0].value_nick, "auto");
  gst_object_unref (element);
}

GST_END_TEST;

/* Who measures is known from the first caps on, and until the element is stopped. */
GST_START_TEST (test_active_backend)
{
  GstHarness *harness = test_harness_new (NULL);
  gchar *active = NULL;

  g_object_get (harness->element, "active-backend", &active, NULL);
  fail_unless (active == NULL);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  push_frame (harness, 1);
  pull_frame (harness, 1);
  g_object_get (harness->element, "active-backend", &active, NULL);
  fail_unless_equals_string (active, test_backend ());
  g_free (active);
  set_state (harness->element, GST_STATE_NULL);
  g_object_get (harness->element, "active-backend", &active, NULL);
  fail_unless (active == NULL);
  finish (harness);
}

GST_END_TEST;

/* The counters count, from zero in each run. */
GST_START_TEST (test_stats)
{
  static const gchar *const counters[] = { "frames", "bytes", "dropped",
    "fallbacks", "gpu-time", "cpu-time"
  };
  GstHarness *harness = gray_harness (NULL);
  GstStructure *stats = NULL;

  g_object_get (harness->element, "stats", &stats, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (counters); i++)
    fail_unless_equals_uint64 (test_get_uint64 (stats, counters[i]), 0);
  fail_unless (gst_structure_has_field_typed (stats, "queue-level",
          G_TYPE_UINT));
  gst_structure_free (stats);
  for (guint n = 0; n < 10; n++) {
    push_frame (harness, n);
    pull_frame (harness, n);
  }
  fail_unless_equals_uint64 (get_stat (harness, "frames"), 10);
  fail_unless_equals_uint64 (get_stat (harness, "bytes"), 10 * WIDTH * HEIGHT);
  fail_unless_equals_uint64 (get_stat (harness, "dropped"), 0);
  fail_unless_equals_uint64 (get_stat (harness, "fallbacks"), 0);
  fail_unless (get_stat (harness, "cpu-time") > 0);
  finish (harness);
}

GST_END_TEST;

/* However many came before, the first that comes after a start is in them. */
GST_START_TEST (test_stats_after_restart)
{
  GstHarness *harness = gray_harness (NULL);
  guint n;

  for (n = 0; n < 20; n++) {
    push_frame (harness, n);
    pull_frame (harness, n);
  }
  set_state (harness->element, GST_STATE_READY);
  set_state (harness->element, GST_STATE_PLAYING);
  gst_harness_push_event (harness, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  check_flow_after_flush (harness, n);
  fail_unless_equals_uint64 (get_stat (harness, "frames"), 1);
  fail_unless (get_stat (harness, "cpu-time") > 0);
  finish (harness);
}

GST_END_TEST;

/* They are there until the element starts again, and then all begin anew. */
GST_START_TEST (test_stats_begin_anew)
{
  GstHarness *harness = gray_harness (NULL);
  guint64 cpu_time;

  push_frame (harness, 0);
  pull_frame (harness, 0);
  gst_element_set_state (harness->element, GST_STATE_READY);
  cpu_time = get_stat (harness, "cpu-time");
  fail_unless (cpu_time > 0);
  gst_element_set_state (harness->element, GST_STATE_NULL);
  fail_unless_equals_uint64 (get_stat (harness, "frames"), 1);
  fail_unless_equals_uint64 (get_stat (harness, "cpu-time"), cpu_time);
  gst_element_set_state (harness->element, GST_STATE_PAUSED);
  fail_unless_equals_uint64 (get_stat (harness, "frames"), 0);
  fail_unless_equals_uint64 (get_stat (harness, "cpu-time"), 0);
  fail_unless_equals_uint64 (get_stat (harness, "gpu-time"), 0);
  finish (harness);
}

GST_END_TEST;

static void
change_settings (GstElement * element, guint n)
{
  switch (n % 8) {
    case 0:
      g_object_set (element, "bins", 16, NULL);
      break;
    case 1:
      g_object_set (element, "range-min", -8.0, "range-max", 200.5, NULL);
      break;
    case 2:
      g_object_set (element, "max-in-flight", 1 + n % 13, NULL);
      break;
    case 3:
      g_object_set (element, "histogram", n % 16 < 8, NULL);
      break;
    case 4:
      g_object_set (element, "range-min", 0.0, "range-max", 0.0, NULL);
      break;
    case 5:
      g_object_set (element, "bins", 0, NULL);
      break;
    case 6:
      g_object_set (element, "post-messages", n % 16 < 8, NULL);
      break;
    default:
      break;
  }
}

/* Settings that change while frames are in flight lose none of them. */
GST_START_TEST (test_change_while_running)
{
  GstHarness *harness = gray_harness (NULL);

  for (guint n = 0; n < 200; n++) {
    change_settings (harness->element, n);
    push_frame (harness, n);
  }
  for (guint n = 0; n < 200; n++)
    pull_frame (harness, n);
  fail_unless_equals_int (count_messages (harness, GST_MESSAGE_WARNING), 0);
  finish (harness);
}

GST_END_TEST;

static void
check_bins (GstHarness * harness, guint bins, gdouble min, gdouble max)
{
  GstBuffer *buffer = gst_harness_push_and_pull (harness, make_frame (77));
  const GstStructure *y = test_component (test_result (buffer), "Y");
  GBytes *histogram = NULL;
  guint its_bins = 0;

  fail_unless (gst_structure_get (y, "bins", G_TYPE_UINT, &its_bins,
          "histogram", G_TYPE_BYTES, &histogram, NULL));
  fail_unless_equals_int (its_bins, bins);
  fail_unless_equals_int (g_bytes_get_size (histogram), 4 * bins);
  fail_unless_equals_float (test_get_double (y, "range-min"), min);
  fail_unless_equals_float (test_get_double (y, "range-max"), max);
  fail_unless_equals_float (test_get_double (y, "p50"), 77);
  g_bytes_unref (histogram);
  check_frame (buffer, 77);
  gst_buffer_unref (buffer);
}

/* Settings hold from the next frame on. */
GST_START_TEST (test_change_takes_effect)
{
  GstHarness *harness = gray_harness (NULL);

  check_bins (harness, 256, 0, 256);
  g_object_set (harness->element, "bins", 10, NULL);
  check_bins (harness, 10, 0, 256);
  g_object_set (harness->element, "range-min", 16.0, "range-max", 235.0, NULL);
  check_bins (harness, 10, 16, 235);
  g_object_set (harness->element, "max-in-flight", 1, NULL);
  check_bins (harness, 10, 16, 235);
  g_object_set (harness->element, "bins", 0, NULL);
  check_bins (harness, 256, 16, 235);
  g_object_set (harness->element, "range-min", 0.0, "range-max", 0.0, NULL);
  check_bins (harness, 256, 0, 256);
  finish (harness);
}

GST_END_TEST;

/* Of two elements in a row, the buffer carries the second one's result alone. */
GST_START_TEST (test_two_in_a_row)
{
  gchar *launch = g_strdup_printf ("cudahisto backend=%s bins=3 ! "
      "cudahisto backend=%s bins=5", test_backend (), test_backend ());
  GstHarness *harness = gst_harness_new_parse (launch);
  GstMeta *meta;
  gpointer state = NULL;
  guint n_metas = 0, bins = 0;
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  buffer = gst_harness_push_and_pull (harness, make_frame (1));
  while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL)
    n_metas += gst_meta_info_is_custom (meta->info);
  fail_unless_equals_int (n_metas, 1);
  gst_structure_get_uint (test_component (test_result (buffer), "Y"), "bins",
      &bins);
  fail_unless_equals_int (bins, 5);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
  fail_unless_equals_int (g_atomic_int_get (&n_alive), 0);
  g_free (launch);
}

GST_END_TEST;

/* ---- After the element ----------------------------------------------------------------------------------------------------------- */

static gboolean
element_exists (const gchar * name)
{
  GstElementFactory *factory = gst_element_factory_find (name);

  if (factory == NULL)
    g_print ("skipped: no %s\n", name);
  gst_clear_object (&factory);
  return factory != NULL;
}

/* Converters keep the result. */
GST_START_TEST (test_meta_survives)
{
  static const struct
  {
    const gchar *element;
    const gchar *before, *after;
  } converters[] = {
    /* *INDENT-OFF* */
    { "videoconvert", "video/x-raw, format=I420", "video/x-raw, format=RGBA" },
    { "videoscale", "video/x-raw, width=64", "video/x-raw, width=32" },
    { "videoflip method=rotate-180", "video/x-raw", "video/x-raw" },
    { "videoflip method=clockwise", "video/x-raw, width=64, height=48",
        "video/x-raw, width=48" },
    { "videorate", "video/x-raw, framerate=25/1", "video/x-raw, framerate=50/1" },
    { "videocrop left=2", "video/x-raw", "video/x-raw" },
    { "audioconvert", "audio/x-raw, format=S16LE", "audio/x-raw, format=F64LE" },
    { "audioconvert", "audio/x-raw, channels=1", "audio/x-raw, channels=2" },
    { "audioresample", "audio/x-raw, rate=48000", "audio/x-raw, rate=16000" },
    /* *INDENT-ON* */
  };

  for (guint i = 0; i < G_N_ELEMENTS (converters); i++) {
    gchar **words = g_strsplit (converters[i].element, " ", 2);
    GstElement *pipeline;
    Counts counts;

    if (element_exists (words[0])) {
      pipeline = parse ("%stestsrc num-buffers=6 ! %s ! cudahisto backend=%s ! "
          "%s ! %s ! fakesink name=sink",
          g_str_has_prefix (words[0], "audio") ? "audio" : "video",
          converters[i].before, test_backend (), converters[i].element,
          converters[i].after);
      count_results (pipeline, &counts);
      set_state (pipeline, GST_STATE_PLAYING);
      wait_for (pipeline, GST_MESSAGE_EOS);
      fail_unless (counts.n_buffers >= 6);
      /* The resampler's last buffer is made of what it had left. */
      fail_unless (counts.n_results >= MIN (6, counts.n_buffers - 1), "%s: %d "
          "of %d", converters[i].element, counts.n_results, counts.n_buffers);
      stop (pipeline);
    }
    g_strfreev (words);
  }
}

GST_END_TEST;

/* ---- What the registry says --------------------------------------------------------------------------------------------------------- */

static gboolean
template_takes (GstStaticPadTemplate * template, const gchar * text)
{
  GstCaps *caps = gst_caps_from_string (text);
  GstCaps *all = gst_static_pad_template_get_caps (template);
  gboolean takes = gst_caps_is_subset (caps, all);

  gst_caps_unref (caps);
  gst_caps_unref (all);
  return takes;
}

static void
check_template (GstStaticPadTemplate * template)
{
  guint n = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);

  fail_unless (template->presence == GST_PAD_ALWAYS);
  for (guint i = 0; i < n; i++) {
    const gchar *name = gst_video_format_to_string (formats[i]);
    gchar *host = g_strdup_printf ("video/x-raw, format=%s, width=1, height=1, "
        "framerate=25/1", name);
    gchar *device = g_strdup_printf ("video/x-raw(memory:CUDAMemory), "
        "format=%s, width=1, height=1, framerate=25/1", name);

    fail_unless (template_takes (template, host), "%s", host);
    fail_unless (template_takes (template, device), "%s", device);
    g_free (host);
    g_free (device);
  }
  for (guint f = GST_AUDIO_FORMAT_S8; f <= GST_AUDIO_FORMAT_F64BE; f++) {
    static const gchar *const layouts[] = { "interleaved", "non-interleaved" };

    for (guint l = 0; l < G_N_ELEMENTS (layouts); l++) {
      gchar *text = g_strdup_printf ("audio/x-raw, format=%s, rate=192000, "
          "channels=64, layout=%s", gst_audio_format_to_string (f), layouts[l]);

      fail_unless (template_takes (template, text), "%s", text);
      g_free (text);
    }
  }
}

/* The element is found as what it is, and is chosen by nobody unasked. */
GST_START_TEST (test_factory)
{
  GstElementFactory *factory = gst_element_factory_find ("cudahisto");
  GstPlugin *plugin = gst_plugin_feature_get_plugin (GST_PLUGIN_FEATURE
      (factory));
  const GList *templates =
      gst_element_factory_get_static_pad_templates (factory);

  fail_unless_equals_string (gst_element_factory_get_metadata (factory,
          GST_ELEMENT_METADATA_KLASS), "Filter/Analyzer/Video/Audio");
  fail_unless_equals_int (gst_plugin_feature_get_rank (GST_PLUGIN_FEATURE
          (factory)), GST_RANK_NONE);
  fail_unless_equals_string (gst_plugin_get_name (plugin), "cudahisto");
  fail_unless_equals_string (gst_plugin_get_license (plugin), "LGPL");
  fail_unless_equals_int (g_list_length ((GList *) templates), 2);
  for (; templates != NULL; templates = templates->next)
    check_template (templates->data);
  gst_object_unref (plugin);
  gst_object_unref (factory);
}

GST_END_TEST;

/* ---- The suite ------------------------------------------------------------------------------------------------------------------------- */

static void
add_flow_tests (TCase * tcase)
{
  tcase_add_test (tcase, test_transparent);
  tcase_add_test (tcase, test_shared_buffer);
  tcase_add_test (tcase, test_writable_buffer);
  tcase_add_test (tcase, test_message_without_meta);
  tcase_add_test (tcase, test_passthrough);
  tcase_add_test (tcase, test_message_fields);
  tcase_add_test (tcase, test_message_without_times);
  tcase_add_test (tcase, test_interval);
  tcase_add_test (tcase, test_no_histogram);
  tcase_add_test (tcase, test_order);
  tcase_add_test (tcase, test_eos_after_frames);
  tcase_add_test (tcase, test_eos_without_frames);
  tcase_add_test (tcase, test_eos_before_caps);
  tcase_add_test (tcase, test_caps_change);
  tcase_add_test (tcase, test_same_caps);
  tcase_add_test (tcase, test_flow_returns);
  tcase_add_test (tcase, test_flow_eos);
  tcase_add_test (tcase, test_error_after_eos);
  tcase_add_test (tcase, test_eos_after_error);
  tcase_add_test (tcase, test_relink);
  tcase_add_test (tcase, test_video_gap);
  tcase_add_test (tcase, test_audio_gap);
  tcase_add_test (tcase, test_no_framerate);
}

static void
add_interruption_tests (TCase * tcase)
{
  tcase_add_test (tcase, test_flush_when_empty);
  tcase_add_test (tcase, test_flush_with_frames);
  tcase_add_test (tcase, test_flush_while_blocked);
  tcase_add_test (tcase, test_flush_keeps_caps);
  tcase_add_test (tcase, test_flush_while_upstream_waits);
  tcase_add_test (tcase, test_flush_after_eos);
  tcase_add_test (tcase, test_flushing_seeks);
  tcase_add_test (tcase, test_segment_loop);
  tcase_add_test (tcase, test_state_changes);
  tcase_add_test (tcase, test_stop_while_blocked);
  tcase_add_test (tcase, test_stop_while_upstream_waits);
  tcase_add_test (tcase, test_pipelines);
}

static void
add_query_tests (TCase * tcase)
{
  tcase_add_test (tcase, test_allocation);
  tcase_add_test (tcase, test_allocation_without_pool);
  tcase_add_test (tcase, test_serialized_queries);
  tcase_add_test (tcase, test_unknown_query);
  tcase_add_test (tcase, test_query_and_flush);
  tcase_add_test (tcase, test_latency);
  tcase_add_test (tcase, test_context);
  tcase_add_test (tcase, test_caps_queries);
  tcase_add_test (tcase, test_scheduling);
}

static void
add_property_tests (TCase * tcase)
{
  tcase_add_test (tcase, test_defaults);
  tcase_add_test (tcase, test_active_backend);
  tcase_add_test (tcase, test_stats);
  tcase_add_test (tcase, test_stats_begin_anew);
  tcase_add_test (tcase, test_stats_after_restart);
  tcase_add_test (tcase, test_change_while_running);
  tcase_add_test (tcase, test_change_takes_effect);
  tcase_add_test (tcase, test_two_in_a_row);
  tcase_add_test (tcase, test_meta_survives);
  tcase_add_test (tcase, test_factory);
}

static Suite *
element_suite (void)
{
  Suite *suite = suite_create ("element");
  static const struct
  {
    const gchar *name;
    void (*add) (TCase * tcase);
  } cases[] = {
    {"flow", add_flow_tests},
    {"interruptions", add_interruption_tests},
    {"queries", add_query_tests},
    {"properties", add_property_tests},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TCase *tcase = tcase_create (cases[i].name);

    tcase_set_timeout (tcase, 5);
    cases[i].add (tcase);
    suite_add_tcase (suite, tcase);
  }
  return suite;
}

GST_CHECK_MAIN (element);
