/* An application that stops or flushes the element in the handler of one of its results, in the
 * thread that posts it.
 *
 * With meta=false that thread is the publishing thread. With meta=true it is the source pad's task.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"
#include "message-gate.h"
#include "pipeline.h"
#include "probes.h"

/* ---- A handler that acts once ------------------------------------------------------------------ */

typedef struct
{
  void (*act) (gpointer data);
  gpointer data;
  gint has_begun, has_acted;
  gint may_act;                 /* the handler waits for it */
  GMutex lock;
  GArray *times;                /* guint64: timestamp and running time of each result */
} Handler;

static GstBusSyncReply
handle (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Handler *handler = user_data;
  const GstStructure *result = gst_message_get_structure (message);
  guint64 times[2];

  if (!gst_message_has_name (message, "cudahisto"))
    return GST_BUS_PASS;
  gst_structure_get (result, "timestamp", G_TYPE_UINT64, &times[0],
      "running-time", G_TYPE_UINT64, &times[1], NULL);
  g_mutex_lock (&handler->lock);
  g_array_append_vals (handler->times, times, 2);
  g_mutex_unlock (&handler->lock);
  if (g_atomic_int_compare_and_exchange (&handler->has_begun, FALSE, TRUE)) {
    test_wait_until_set (&handler->may_act);
    handler->act (handler->data);
    g_atomic_int_set (&handler->has_acted, TRUE);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
handler_init (Handler * handler, GstElement * element,
    void (*act) (gpointer data), gpointer data)
{
  GstBus *bus = gst_element_get_bus (element);

  memset (handler, 0, sizeof *handler);
  handler->act = act;
  handler->data = data;
  g_mutex_init (&handler->lock);
  handler->times = g_array_new (FALSE, FALSE, sizeof (guint64));
  gst_bus_set_sync_handler (bus, handle, handler, NULL);
  gst_object_unref (bus);
}

static void
handler_clear (Handler * handler)
{
  g_array_unref (handler->times);
  g_mutex_clear (&handler->lock);
}

static guint
n_results (Handler * handler)
{
  guint n;

  g_mutex_lock (&handler->lock);
  n = handler->times->len / 2;
  g_mutex_unlock (&handler->lock);
  return n;
}

static guint64
get_time (Handler * handler, guint index)
{
  guint64 time;

  g_mutex_lock (&handler->lock);
  time = g_array_index (handler->times, guint64, index);
  g_mutex_unlock (&handler->lock);
  return time;
}

/* Of result number i, which must have been posted. */
static guint64
timestamp (Handler * handler, guint i)
{
  return get_time (handler, 2 * i);
}

static guint64
running_time (Handler * handler, guint i)
{
  return get_time (handler, 2 * i + 1);
}

/* Pushes frames; the handler has the first result when this returns. */
static void
push_frames (GstHarness * harness, Handler * handler, guint n)
{
  for (guint i = 0; i < n; i++)
    test_push_frame (harness, i);
  test_wait_until_set (&handler->has_begun);
}

static void
let_act (Handler * handler)
{
  g_atomic_int_set (&handler->may_act, TRUE);
  test_wait_until_set (&handler->has_acted);
}

/* ---- Stops ------------------------------------------------------------------------------------- */

typedef struct
{
  GstElement *element;
  GstState state;
} Stop;

static void
stop (gpointer data)
{
  Stop *it = data;

  fail_unless (gst_element_set_state (it->element, it->state)
      == GST_STATE_CHANGE_SUCCESS);
}

/* The state change does not wait for the thread in which it happens. Results that were queued are
 * dropped, and the element works when it is started again. */
TEST (test_stop)
{
  static const GstState states[] = { GST_STATE_READY, GST_STATE_NULL };

  for (guint i = 0; i < 10; i++) {
    GstHarness *harness = test_gray_harness_new ("meta=false "
        "post-messages=true max-in-flight=8");
    Stop it = { harness->element, states[i % 2] };
    Handler handler;

    handler_init (&handler, harness->element, stop, &it);
    push_frames (harness, &handler, 1 + i % 6);
    let_act (&handler);
    fail_unless_equals_int (GST_STATE (harness->element), it.state);
    fail_unless_equals_int (n_results (&handler), 1);
    test_drop_received (harness);

    test_set_state (harness->element, GST_STATE_PLAYING);
    test_restart_stream (harness, GRAY_CAPS);
    test_push_segment (harness);
    test_push_frame (harness, 50);
    while (n_results (&handler) < 2)
      g_usleep (1000);
    fail_unless_equals_uint64 (timestamp (&handler, 1), 50 * GRAY_DURATION);
    test_drop_received (harness);
    test_harness_free (harness);
    handler_clear (&handler);
  }
}

static void
stop_and_start (gpointer data)
{
  gst_element_set_state (data, GST_STATE_NULL);
  gst_element_set_state (data, GST_STATE_PLAYING);
}

/* Stopped and started again before the handler returns. */
TEST (test_stop_and_start)
{
  GstHarness *harness = test_gray_harness_new ("meta=false "
      "post-messages=true max-in-flight=8");
  Handler handler;

  handler_init (&handler, harness->element, stop_and_start, harness->element);
  push_frames (harness, &handler, 5);
  let_act (&handler);
  test_restart_stream (harness, GRAY_CAPS);
  test_push_segment (harness);
  for (guint n = 100; n < 110; n++)
    test_push_frame (harness, n);
  while (n_results (&handler) < 11)
    g_usleep (1000);
  for (guint i = 1; i < 11; i++)
    fail_unless_equals_uint64 (timestamp (&handler, i),
        (99 + i) * GRAY_DURATION);
  test_drop_received (harness);
  test_harness_free (harness);
  handler_clear (&handler);
}

static void
set_freed (gpointer is_freed, GObject * object)
{
  g_atomic_int_set ((gint *) is_freed, TRUE);
}

/* A whole pipeline, by the handler of one of its results; and freed while the handler returns. Both
 * the pipeline and the element are freed. */
TEST (test_stop_pipeline)
{
  for (guint i = 0; i < 10; i++) {
    GstElement *pipeline = test_pipeline_new ("videotestsrc ! "
        "video/x-raw, format=GRAY8, width=16, height=8 ! cudahisto name=histo "
        "backend=%s meta=false post-messages=true ! fakesink sync=false",
        test_backend ());
    GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "histo");
    Stop it = { pipeline, i % 2 ? GST_STATE_READY : GST_STATE_NULL };
    gint is_freed = FALSE;
    Handler handler;

    g_object_weak_ref (G_OBJECT (element), set_freed, &is_freed);
    gst_object_unref (element);
    handler_init (&handler, pipeline, stop, &it);
    handler.may_act = TRUE;
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    test_wait_until_set (&handler.has_acted);
    test_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
    /* The publishing thread may have the last reference. */
    test_wait_until_set (&is_freed);
    handler_clear (&handler);
  }
}

static void
fail_to_stop (gpointer data)
{
  /* GStreamer warns of it. */
  const GLogLevelFlags fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK);

  _gst_check_expecting_log = TRUE;
  fail_unless_equals_int (gst_element_set_state (data, GST_STATE_READY),
      GST_STATE_CHANGE_FAILURE);
  _gst_check_expecting_log = FALSE;
  g_log_set_always_fatal (fatal);
}

/* The source pad's task cannot wait for its own end: the state change fails. Another thread can stop the
 * element then. */
TEST (test_stop_in_task)
{
  GstHarness *harness = test_gray_harness_new ("post-messages=true");
  Handler handler;

  handler_init (&handler, harness->element, fail_to_stop, harness->element);
  push_frames (harness, &handler, 3);
  let_act (&handler);
  test_set_state (harness->element, GST_STATE_NULL);
  test_set_state (harness->element, GST_STATE_PLAYING);
  test_restart_stream (harness, GRAY_CAPS);
  test_push_segment (harness);
  test_drop_received (harness);
  test_push_frame (harness, 50);
  test_pull_frame (harness, 50);
  test_harness_free (harness);
  handler_clear (&handler);
}

static gpointer
push_flush_start (gpointer harness)
{
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  return NULL;
}

static gboolean
is_flushing (GstPad * pad)
{
  gboolean flushing;

  GST_OBJECT_LOCK (pad);
  flushing = GST_PAD_IS_FLUSHING (pad);
  GST_OBJECT_UNLOCK (pad);
  return flushing;
}

/* Stopped while another thread waits in flush-start until the handler has returned. */
TEST (test_stop_during_flush)
{
  for (guint i = 0; i < 5; i++) {
    GstHarness *harness = test_gray_harness_new ("meta=false "
        "post-messages=true max-in-flight=8");
    Stop it = { harness->element, GST_STATE_NULL };
    GThread *flushing;
    Handler handler;

    handler_init (&handler, harness->element, stop, &it);
    push_frames (harness, &handler, 4);
    flushing = g_thread_new ("flush", push_flush_start, harness);
    while (!is_flushing (harness->element->sinkpads->data))
      g_usleep (1000);
    /* For the thread to reach the place where it waits. */
    g_usleep (20000);
    let_act (&handler);
    g_thread_join (flushing);
    test_drop_received (harness);
    test_harness_free (harness);
    handler_clear (&handler);
  }
}

/* ---- Flushes ----------------------------------------------------------------------------------- */

static void
flush (gpointer data)
{
  test_flush (data);
}

/* Results from before the flush are not posted after it. The times of those after it are those of
 * the new segment. */
TEST (test_flush_drops_results)
{
  for (guint i = 0; i < 10; i++) {
    GstHarness *harness = test_gray_harness_new ("meta=false "
        "post-messages=true max-in-flight=16");
    Handler handler;
    guint64 level;

    handler_init (&handler, harness->element, flush, harness);
    push_frames (harness, &handler, 12);
    let_act (&handler);
    test_push_segment (harness);
    for (guint n = 125; n < 130; n++)
      test_push_frame (harness, n);
    while (n_results (&handler) == 0
        || timestamp (&handler, n_results (&handler) - 1) <
        129 * GRAY_DURATION)
      g_usleep (1000);
    fail_unless_equals_int (n_results (&handler), 6);
    for (guint r = 1; r < 6; r++) {
      fail_unless_equals_uint64 (timestamp (&handler, r),
          (124 + r) * GRAY_DURATION);
      fail_unless_equals_uint64 (running_time (&handler, r),
          (124 + r) * GRAY_DURATION);
    }
    /* All have left the element when they have been posted. */
    do {
      GstStructure *stats = NULL;
      guint n = 0;

      g_object_get (harness->element, "stats", &stats, NULL);
      fail_unless (gst_structure_get_uint (stats, "queue-level", &n));
      gst_structure_free (stats);
      level = n;
    } while (level > 0);
    test_drop_received (harness);
    test_harness_free (harness);
    handler_clear (&handler);
  }
}

/* The first result after a flush is posted, however long the interval is. */
TEST (test_flush_ends_interval)
{
  GstHarness *harness = test_gray_harness_new ("meta=false "
      "post-messages=true message-interval=18446744073709551615");
  Handler handler;

  handler_init (&handler, harness->element, flush, harness);
  push_frames (harness, &handler, 4);
  let_act (&handler);
  test_push_segment (harness);
  for (guint n = 125; n < 130; n++)
    test_push_frame (harness, n);
  gst_harness_push_event (harness, gst_event_new_eos ());
  while (!test_has_sent (harness, GST_EVENT_EOS))
    g_usleep (1000);
  fail_unless_equals_int (n_results (&handler), 2);
  fail_unless_equals_uint64 (running_time (&handler, 1), 125 * GRAY_DURATION);
  test_drop_received (harness);
  test_harness_free (harness);
  handler_clear (&handler);
}

/* With meta=true the handler runs in the thread that is about to push the buffer. After the flush
 * this thread must not push it. */
TEST (test_flush_drops_buffer)
{
  GstHarness *harness = test_gray_harness_new ("post-messages=true");
  Handler handler;
  PadLog out;

  pad_log_open (&out, harness->sinkpad);
  handler_init (&handler, harness->element, flush, harness);
  push_frames (harness, &handler, 3);
  let_act (&handler);
  test_push_segment (harness);
  test_push_frame (harness, 7);
  pad_log_wait (&out, "7 ");
  for (guint n = 0; n < 3; n++) {
    gchar *frame = g_strdup_printf (" %u ", n);

    fail_if (strstr (out.text->str, frame) != NULL, "%s", out.text->str);
    g_free (frame);
  }
  pad_log_close (&out);
  test_drop_received (harness);
  test_harness_free (harness);
  handler_clear (&handler);
}

typedef struct
{
  GstHarness *harness;
  gint has_flushed;
} QosFlush;

static GstBusSyncReply
flush_at_qos (GstBus * bus, GstMessage * message, gpointer user_data)
{
  QosFlush *it = user_data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_QOS
      && g_atomic_int_compare_and_exchange (&it->has_flushed, FALSE, TRUE))
    test_flush (it->harness);
  return GST_BUS_PASS;
}

/* The handler of a QoS message runs in upstream's thread. The buffer of the message is from before
 * the flush and must not be pushed after it. */
TEST (test_flush_drops_late_buffer)
{
  GstHarness *harness = test_gray_harness_new ("qos=true");
  GstBus *bus = gst_element_get_bus (harness->element);
  QosFlush it = {.harness = harness };
  PadLog out;

  test_push_frame (harness, 0);
  test_pull_frame_quickly (harness, 0, TRUE);
  gst_bus_set_sync_handler (bus, flush_at_qos, &it, NULL);
  pad_log_open (&out, harness->sinkpad);
  gst_harness_push_upstream_event (harness,
      gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, GRAY_DURATION, 0));
  fail_unless_equals_int (gst_harness_push (harness, test_frame_new (1)),
      GST_FLOW_FLUSHING);
  fail_unless (it.has_flushed);
  test_push_segment (harness);
  test_push_frame (harness, 7);
  pad_log_wait (&out, "7 ");
  fail_if (strstr (out.text->str, " 1 ") != NULL, "%s", out.text->str);
  pad_log_close (&out);
  test_drop_received (harness);
  gst_object_unref (bus);
  test_harness_free (harness);
}

/* ---- Flushes at any time ----------------------------------------------------------------------- */

/* Upstream's thread pushes frames, and handlers of results flush. The time of a frame tells how
 * many flushes were before it. */
typedef struct
{
  GstHarness *harness;
  GMutex lock;                  /* upstream's: pushes, and the ends of flushes */
  guint n_flushes;              /* under the lock */
  gint n_seen;                  /* atomic: the same, for the handler */
  gint n_results, n_stale, n_wrong;     /* atomic */
  gint n_flushing;              /* atomic: handlers that may be in a flush */
  gint stop;                    /* atomic: no handler begins a flush any more */
} Stress;

static GstBusSyncReply
flush_often (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Stress *stress = user_data;
  const GstStructure *result = gst_message_get_structure (message);
  guint64 time, running_time;

  if (!gst_message_has_name (message, "cudahisto"))
    return GST_BUS_PASS;
  time = test_get_uint64 (result, "timestamp");
  running_time = test_get_uint64 (result, "running-time");
  if (time / GST_SECOND < (guint) g_atomic_int_get (&stress->n_seen))
    g_atomic_int_inc (&stress->n_stale);
  if (running_time != time)
    g_atomic_int_inc (&stress->n_wrong);
  g_atomic_int_inc (&stress->n_flushing);
  if (g_atomic_int_add (&stress->n_results, 1) % 7 == 6
      && !g_atomic_int_get (&stress->stop)) {
    gst_harness_push_event (stress->harness, gst_event_new_flush_start ());
    g_mutex_lock (&stress->lock);
    stress->n_flushes++;
    gst_harness_push_event (stress->harness, gst_event_new_flush_stop (TRUE));
    test_push_segment (stress->harness);
    g_atomic_int_set (&stress->n_seen, stress->n_flushes);
    g_mutex_unlock (&stress->lock);
  }
  g_atomic_int_add (&stress->n_flushing, -1);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static gpointer
push_under_stress (gpointer data)
{
  Stress *stress = data;

  for (guint n = 0; !g_atomic_int_get (&stress->stop); n++) {
    GstFlowReturn flow;

    g_mutex_lock (&stress->lock);
    flow = gst_harness_push (stress->harness, test_buffer_new (GRAY_SIZE, n,
            stress->n_flushes * GST_SECOND + n % 1000));
    g_mutex_unlock (&stress->lock);
    if (flow != GST_FLOW_OK)
      g_usleep (100);
  }
  return NULL;
}

/* No result from before a flush is posted after it, and none has the times of another segment. */
TEST (test_flush_at_any_time)
{
  for (guint i = 0; i < 2; i++) {
    GstHarness *harness = test_gray_harness_new (i % 2 ? "post-messages=true"
        : "meta=false post-messages=true max-in-flight=8");
    GstBus *bus = gst_element_get_bus (harness->element);
    Stress stress = {.harness = harness };
    GThread *thread;

    g_mutex_init (&stress.lock);
    gst_harness_set_drop_buffers (harness, TRUE);
    gst_bus_set_sync_handler (bus, flush_often, &stress, NULL);
    thread = g_thread_new ("upstream", push_under_stress, &stress);
    while (g_atomic_int_get (&stress.n_seen) < 30)
      g_usleep (1000);
    g_atomic_int_set (&stress.stop, TRUE);
    g_thread_join (thread);
    /* A flush in a handler would make the flush-start below return at once. */
    while (g_atomic_int_get (&stress.n_flushing) > 0)
      g_usleep (100);
    gst_harness_push_event (harness, gst_event_new_flush_start ());
    fail_unless_equals_int (stress.n_stale, 0);
    fail_unless_equals_int (stress.n_wrong, 0);
    gst_object_unref (bus);
    test_harness_free (harness);
    g_mutex_clear (&stress.lock);
  }
}

TEST_MAIN (20)
