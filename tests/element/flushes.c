/* Flushes: in any state, at any time, with and without buffers in the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"
#include "flow-check.h"
#include "message-gate.h"
#include "pipeline.h"
#include "probes.h"

/* ---- With an element that is playing -------------------------------------------------------- */

/* An empty element accepts a flush, two flushes, flush-start twice and flush-stop alone. */
TEST (test_flush_when_empty)
{
  GstHarness *harness = test_harness_new (NULL);

  test_flush (harness);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  test_flush (harness);
  test_flush (harness);
  test_check_flow_after_flush (harness, 1);
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  test_check_flow_after_flush (harness, 2);
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  test_check_flow_after_flush (harness, 3);
  test_harness_free (harness);
}

/* A flush starts no task of a source pad that is not active. */
TEST (test_flush_of_inactive_source)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstPad *pad = test_source_pad (harness);

  fail_unless (gst_pad_set_active (pad, FALSE));
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  fail_unless_equals_int (gst_pad_get_task_state (pad), GST_TASK_STOPPED);
  fail_unless (gst_pad_set_active (pad, TRUE));
  test_restart_stream (harness, GRAY_CAPS);
  test_check_flow_after_flush (harness, 4);
  gst_object_unref (pad);
  test_harness_free (harness);
}

/* A flush drops the frames in the queue, wherever they are. Their messages are dropped, too. */
TEST (test_flush_with_frames)
{
  GstHarness *harness =
      test_gray_harness_new ("max-in-flight=8 post-messages=true");

  for (guint round = 0; round < 50; round++) {
    for (guint n = 0; n < 8; n++)
      test_push_frame (harness, n);
    test_flush (harness);
    test_drop_received (harness);
    test_count_messages (harness, GST_MESSAGE_ELEMENT);
    test_check_flow_after_flush (harness, 100 + round);
    fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ELEMENT),
        1);
  }
  test_harness_free (harness);
}

/* A flush passes while downstream blocks a frame. */
TEST (test_flush_while_blocked)
{
  GstHarness *harness = test_gray_harness_new (NULL);

  for (guint round = 0; round < 10; round++) {
    gint n_blocked = 0;
    gulong probe = test_block_buffers (harness, &n_blocked);

    for (guint n = 0; n < 4; n++)
      test_push_frame (harness, n);
    test_wait_until_set (&n_blocked);
    gst_harness_push_event (harness, gst_event_new_flush_start ());
    test_unblock_buffers (harness, probe);
    gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
    test_check_flow_after_flush (harness, 50 + round);
  }
  test_harness_free (harness);
}

#define NV12_CAPS \
    "video/x-raw, format=NV12, width=16, height=8, framerate=0/1"

/* Caps and tags that wait behind a blocked frame survive the flush. */
TEST (test_flush_keeps_caps)
{
  GstHarness *harness = test_harness_new (NULL);
  gint n_blocked = 0;
  gulong probe;
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (harness, NV12_CAPS);
  probe = test_block_buffers (harness, &n_blocked);
  gst_harness_push (harness, test_buffer_new (192, 1, 0));
  test_wait_until_set (&n_blocked);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  gst_harness_push_event (harness,
      gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "x", NULL)));
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  test_unblock_buffers (harness, probe);
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  test_push_segment (harness);
  buffer = gst_harness_push_and_pull (harness, test_frame_new (8));
  test_check_frame (buffer, 8);
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
  test_harness_free (harness);
}

/* If upstream waits for room in the queue, a flush wakes it, and the push returns
 * GST_FLOW_FLUSHING. */
TEST (test_flush_while_upstream_waits)
{
  GstHarness *harness = test_gray_harness_new ("max-in-flight=2");

  for (guint round = 0; round < 10; round++) {
    gint n_blocked = 0;
    gulong probe = test_block_buffers (harness, &n_blocked);
    GThread *thread = g_thread_new ("upstream", test_push_many, harness);

    test_wait_until_set (&n_blocked);
    g_usleep (round * 1000);
    gst_harness_push_event (harness, gst_event_new_flush_start ());
    fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)),
        GST_FLOW_FLUSHING);
    test_unblock_buffers (harness, probe);
    gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
    test_check_flow_after_flush (harness, 150 + round);
  }
  test_harness_free (harness);
}

/* After the end of the stream a flush begins a new stream. */
TEST (test_flush_after_eos)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  PadLog out;

  for (guint round = 0; round < 10; round++) {
    pad_log_open (&out, harness->sinkpad);
    test_push_frame (harness, 1);
    gst_harness_push_event (harness, gst_event_new_eos ());
    pad_log_wait (&out, "eos");
    pad_log_close (&out);
    test_flush (harness);
    test_drop_received (harness);
    test_check_flow_after_flush (harness, 2);
  }
  test_harness_free (harness);
}

/* ---- In any state, at any time -------------------------------------------------------------- */

/* In each state, with and without frames: a flush, half of one, flush-start twice, or a flush and
 * the end of the stream. Then each state is set. After all of it the element measures. */
TEST (test_flush_in_every_state)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY,
    GST_STATE_PAUSED, GST_STATE_PLAYING
  };

  for (guint i = 0; i < 4 * 4 * 5; i++) {
    GstHarness *harness = test_harness_new ("max-in-flight=8");
    FlowCheck *flow = flow_check_new (harness->element);
    const GstState state = states[i / 4 % 4];

    gst_harness_set_src_caps_str (harness, GRAY_CAPS);
    /* flush-stop alone while frames pass is a fault of upstream. */
    for (guint n = 0; n < i % 7 && i / 16 != 2; n++)
      gst_harness_push (harness, test_frame_new (n));
    gst_element_set_state (harness->element, state);
    if (state < GST_STATE_PAUSED)
      flow_check_stopped (flow);
    switch (i / 16) {
      case 0:
        gst_harness_push_event (harness, gst_event_new_flush_start ());
        gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
        break;
      case 1:
        gst_harness_push_event (harness, gst_event_new_flush_start ());
        break;
      case 2:
        gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
        break;
      case 3:
        gst_harness_push_event (harness, gst_event_new_flush_start ());
        gst_harness_push_event (harness, gst_event_new_flush_start ());
        break;
      default:
        gst_harness_push_event (harness, gst_event_new_flush_start ());
        gst_harness_push_event (harness, gst_event_new_flush_stop (FALSE));
        gst_harness_push_event (harness, gst_event_new_eos ());
        break;
    }
    gst_element_set_state (harness->element, states[i % 4]);
    gst_element_set_state (harness->element, GST_STATE_PLAYING);
    flow_check_free (flow);
    test_restart_stream (harness, GRAY_CAPS);
    test_drop_received (harness);
    test_check_flow_after_flush (harness, i);
    test_harness_free (harness);
  }
}

typedef struct
{
  GstHarness *harness;
  GMutex lock;                  /* held while it pushes, as a source's stream lock */
  gint stop;
} Pusher;

static gpointer
push_frames (gpointer user_data)
{
  Pusher *pusher = user_data;

  for (guint n = 0; !g_atomic_int_get (&pusher->stop); n++) {
    GstFlowReturn flow;

    g_mutex_lock (&pusher->lock);
    flow = gst_harness_push (pusher->harness, test_frame_new (n));
    g_mutex_unlock (&pusher->lock);
    if (flow != GST_FLOW_OK)
      g_usleep (100);
  }
  return NULL;
}

/* Flushes at random times while another thread pushes. */
TEST (test_flush_at_any_time)
{
  GstHarness *harness = test_harness_new ("max-in-flight=4");
  GRand *random = test_random ();
  Pusher pusher = {.harness = harness };
  GThread *thread;
  FlowCheck *flow;

  flow = flow_check_new (harness->element);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  gst_harness_set_drop_buffers (harness, TRUE);
  g_mutex_init (&pusher.lock);
  thread = g_thread_new ("upstream", push_frames, &pusher);
  for (guint i = 0; i < 100; i++) {
    g_usleep (g_rand_int_range (random, 0, 2000));
    gst_harness_push_event (harness, gst_event_new_flush_start ());
    g_usleep (g_rand_int_range (random, 0, 200));
    g_mutex_lock (&pusher.lock);
    gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
    test_push_segment (harness);
    g_mutex_unlock (&pusher.lock);
  }
  flow_check_wait (flow, flow_check_n_left (flow) + 5);
  g_atomic_int_set (&pusher.stop, TRUE);
  g_thread_join (thread);
  gst_element_set_state (harness->element, GST_STATE_NULL);
  flow_check_stopped (flow);
  flow_check_free (flow);
  g_mutex_clear (&pusher.lock);
  g_rand_free (random);
  test_harness_free (harness);
}

/* A flush begins while the source pad's task pushes caps. They are not lost: they go before the next
 * event. A segment would have GStreamer send them again. */
TEST (test_caps_during_flush)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstPad *pad = test_source_pad (harness);
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format=GRAY8, width=8, "
      "height=4, framerate=25/1"), *arrived;
  gint is_blocked = FALSE;
  gboolean is_custom;
  GstEvent *event;
  gulong probe;

  test_push_frame (harness, 1);
  test_pull_frame (harness, 1);
  probe = test_block_events (pad, &is_blocked);
  fail_unless (gst_harness_push_event (harness, gst_event_new_caps (caps)));
  test_wait_until_set (&is_blocked);
  fail_unless (gst_harness_push_event (harness, gst_event_new_flush_start ()));
  gst_pad_remove_probe (pad, probe);
  fail_unless (gst_harness_push_event (harness,
          gst_event_new_flush_stop (TRUE)));
  fail_unless (gst_harness_push_event (harness,
          gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
              gst_structure_new_empty ("custom"))));
  do {
    event = gst_harness_pull_event (harness);
    is_custom = GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM;
    gst_event_unref (event);
  } while (!is_custom);
  arrived = gst_pad_get_current_caps (harness->sinkpad);
  fail_unless (gst_caps_is_equal (arrived, caps), "%" GST_PTR_FORMAT, arrived);
  gst_caps_unref (arrived);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  test_harness_free (harness);
}

/* ---- Beside a change of state in another thread ------------------------------------------------- */

typedef struct
{
  GstHarness *harness;
  gint has_flushed;
} Flusher;

static gpointer
flush_once (gpointer user_data)
{
  Flusher *flusher = user_data;

  gst_harness_push_event (flusher->harness, gst_event_new_flush_start ());
  gst_harness_push_event (flusher->harness, gst_event_new_flush_stop (TRUE));
  g_atomic_int_set (&flusher->has_flushed, TRUE);
  return NULL;
}

static gpointer
stop (gpointer user_data)
{
  test_set_state (user_data, GST_STATE_NULL);
  return NULL;
}

/* One thread stops the element, and waits for the task, which publishes a result. Another thread flushes. It waits
 * for the task, too: what it resets is in use. */
TEST (test_flush_beside_stop)
{
  GstHarness *harness = test_gray_harness_new ("post-messages=true");
  GstPad *pad = test_source_pad (harness);
  Flusher flusher = {.harness = harness };
  GThread *stopper, *thread;
  MessageGate gate;

  message_gate_init (&gate, harness);
  test_push_frame (harness, 0);
  message_gate_wait_arrived (&gate, 1);
  stopper = g_thread_new ("stopper", stop, harness->element);
  while (gst_pad_get_task_state (pad) != GST_TASK_STOPPED)
    g_usleep (100);
  thread = g_thread_new ("flusher", flush_once, &flusher);
  /* Too short a time finds no fault, but fails no element that is right. */
  for (guint i = 0; i < 100; i++) {
    fail_if (g_atomic_int_get (&flusher.has_flushed),
        "the flush did not wait for the task");
    g_usleep (1000);
  }
  message_gate_allow (&gate, G_MAXUINT);
  g_thread_join (stopper);
  g_thread_join (thread);
  test_set_state (harness->element, GST_STATE_PLAYING);
  test_restart_stream (harness, GRAY_CAPS);
  test_drop_received (harness);
  test_check_flow_after_flush (harness, 1);
  gst_object_unref (pad);
  test_harness_free (harness);
  message_gate_clear (&gate);
}

/* A flush begins when the source pad is active and the sink pad is not yet. The sink pad refuses its end. Nevertheless
 * the element takes buffers when it is started. */
TEST (test_flush_beside_start)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstPad *pad = test_source_pad (harness), *sink = gst_pad_get_peer
      (harness->srcpad);

  test_set_state (harness->element, GST_STATE_READY);
  fail_unless (gst_pad_set_active (pad, TRUE));
  gst_pad_send_event (sink, gst_event_new_flush_start ());
  gst_pad_send_event (sink, gst_event_new_flush_stop (TRUE));
  test_set_state (harness->element, GST_STATE_PLAYING);
  gst_harness_push_event (harness, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  test_check_flow_after_flush (harness, 1);
  gst_object_unref (sink);
  gst_object_unref (pad);
  test_harness_free (harness);
}

typedef struct
{
  GstElement *pipeline;
  GstPad *pad;                  /* the element's sink pad */
  gint stop;
} Seeker;

static gpointer
seek_often (gpointer user_data)
{
  Seeker *seeker = user_data;

  while (!g_atomic_int_get (&seeker->stop))
    gst_element_seek_simple (seeker->pipeline, GST_FORMAT_TIME,
        GST_SEEK_FLAG_FLUSH, 0);
  return NULL;
}

static gpointer
flush_often (gpointer user_data)
{
  Seeker *seeker = user_data;

  while (!g_atomic_int_get (&seeker->stop)) {
    gst_pad_send_event (seeker->pad, gst_event_new_flush_start ());
    gst_pad_send_event (seeker->pad, gst_event_new_flush_stop (TRUE));
    g_usleep (500);
  }
  return NULL;
}

/* One thread starts and stops, one seeks, one flushes. Buffers are so long that stops meet the task at work.
 * CUDAHISTO_TEST_STOPS: how often it is stopped. */
TEST (test_stops_seeks_and_flushes)
{
  const gchar *text = g_getenv ("CUDAHISTO_TEST_STOPS");
  const guint n = text != NULL ? atoi (text) : 100;
  GstElement *pipeline = test_pipeline_new ("audiotestsrc "
      "samplesperbuffer=4800 ! cudahisto name=histo backend=%s "
      "measures=level+loudness window=300000000 ! fakesink sync=false",
      test_backend ());
  GstElement *histo = gst_bin_get_by_name (GST_BIN (pipeline), "histo");
  Seeker seeker = { pipeline, gst_element_get_static_pad (histo, "sink"),
    FALSE
  };
  GThread *seeks = g_thread_new ("seeks", seek_often, &seeker);
  GThread *flushes = g_thread_new ("flushes", flush_often, &seeker);
  GRand *random = test_random ();

  /* GStreamer warns of buffers that come without a segment, because the source does not know of all flushes. */
  _gst_check_expecting_log = TRUE;
  for (guint i = 0; i < n; i++) {
    fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING)
        != GST_STATE_CHANGE_FAILURE);
    g_usleep (g_rand_int_range (random, 0, 2000));
    test_set_state (pipeline, i % 3 == 0 ? GST_STATE_NULL : GST_STATE_READY);
  }
  g_atomic_int_set (&seeker.stop, TRUE);
  g_thread_join (seeks);
  g_thread_join (flushes);
  test_set_state (pipeline, GST_STATE_NULL);
  _gst_check_expecting_log = FALSE;
  g_rand_free (random);
  gst_object_unref (seeker.pad);
  gst_object_unref (histo);
  test_pipeline_free (pipeline);
}

TEST_MAIN (5)
