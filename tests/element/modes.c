/* What is asked for decides how buffers go: with a result, beside it, or as if there were
 * no element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common.h"

#include <gst/video/video.h>

#define WIDTH 16
#define HEIGHT 8
#define GRAY_CAPS "video/x-raw, format=GRAY8, width=16, height=8, framerate=25/1"
#define FRAME (40 * GST_MSECOND)

/* Frame number n, all of whose pixels are n. */
static GstBuffer *
make_frame (guint n)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);

  gst_buffer_memset (buffer, 0, n, WIDTH * HEIGHT);
  GST_BUFFER_PTS (buffer) = n * FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
  return buffer;
}

static GstHarness *
gray_harness (const gchar * properties)
{
  GstHarness *harness = test_harness_new (properties);

  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  return harness;
}

static void
pull_frame (GstHarness * harness, guint n, gboolean has_result)
{
  GstBuffer *buffer = gst_harness_pull (harness);

  fail_unless (buffer != NULL);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), n * FRAME);
  fail_unless ((gst_buffer_get_custom_meta (buffer, "cudahisto") != NULL)
      == has_result);
  gst_buffer_unref (buffer);
}

/* ---- Who passes a buffer on ------------------------------------------------------------------ */

typedef struct
{
  GThread *upstream;
  gulong delay;                 /* us, that downstream takes */
  guint every;                  /* for one buffer in so many */
  guint n;
  guint n_by_upstream, n_after_delay;   /* of these, those that followed a slow one */
  GstPadChainFunction chain;    /* the harness's */
  gint64 begin;
  guint n_quick, n_slow;        /* that took no time, and that did without being told to */
} Passing;

/* As long as the element takes for no time. */
#define QUICK_PUSH 50           /* us */

static GstPadProbeReturn
note_passing (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Passing *passing = user_data;
  const gboolean by_upstream = g_thread_self () == passing->upstream;

  passing->begin = g_get_monotonic_time ();
  passing->n_by_upstream += by_upstream;
  passing->n_after_delay += by_upstream && passing->n % passing->every == 0;
  passing->n++;
  if (passing->delay > 0 && passing->n % passing->every == 0)
    g_usleep (passing->delay);
  return GST_PAD_PROBE_OK;
}

static GstFlowReturn
note_duration (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Passing *passing = g_object_get_data (G_OBJECT (pad), "passing");
  const GstFlowReturn flow = passing->chain (pad, parent, buffer);

  if (g_get_monotonic_time () - passing->begin <= QUICK_PUSH)
    passing->n_quick++;
  else if (passing->delay == 0 || passing->n % passing->every > 0)
    passing->n_slow++;
  return flow;
}

/* Upstream's thread, where a result is there at once and downstream is quick, as it may be on
 * a GPU, even if it is not now and then; never for a downstream that takes its time. In no
 * case anything is out of order. */
GST_START_TEST (test_passed_at_once)
{
  const gboolean is_quick = g_getenv ("MOCK_CUDA_CLOCK_RATE") != NULL;
  const gboolean may_be_quick = g_str_equal (test_backend (), "cuda");
  static const struct
  {
    gulong delay;
    guint every;
  } downstreams[] = { {0, 1}, {1000, 1}, {1000, 20} };

  for (guint i = 0; i < G_N_ELEMENTS (downstreams); i++) {
    const gboolean is_slow =
        downstreams[i].delay > 0 && downstreams[i].every == 1;
    const gboolean must_be_quick = is_quick && !is_slow;
    Passing passing = {.upstream = g_thread_self (),
      .delay = downstreams[i].delay,.every = downstreams[i].every
    };
    GstHarness *harness = gray_harness ("max-in-flight=4");
    GstPad *pad = gst_element_get_static_pad (harness->element, "src");
    gint64 begin;

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_passing, &passing,
        NULL);
    passing.chain = GST_PAD_CHAINFUNC (harness->sinkpad);
    g_object_set_data (G_OBJECT (harness->sinkpad), "passing", &passing);
    gst_pad_set_chain_function (harness->sinkpad, note_duration);
    begin = g_get_monotonic_time ();
    for (guint n = 0; n < 100 || (must_be_quick && passing.n_after_delay == 0
            && g_get_monotonic_time () - begin < 3 * G_TIME_SPAN_SECOND); n++) {
      if (n == 50)
        gst_harness_set_src_caps_str (harness, GRAY_CAPS ", pixel-aspect-ratio=2/1");
      fail_unless_equals_int (gst_harness_push (harness, make_frame (n)),
          GST_FLOW_OK);
      pull_frame (harness, n, TRUE);
    }
    if (!may_be_quick || is_slow)
      fail_unless_equals_int (passing.n_by_upstream, 0);
    /* On a busy machine nothing is quick for long. */
    fail_unless (!must_be_quick || passing.n_after_delay > 0
        || 12 * passing.n_slow >= passing.n_quick, "%u slow, %u quick",
        passing.n_slow, passing.n_quick);
    gst_object_unref (pad);
    test_harness_free (harness);
  }
}

GST_END_TEST;

/* Not where upstream is here again at once, however quick all else is: it would wait for each
 * result. */
GST_START_TEST (test_hurried)
{
  enum { N_BEFORE = 50, N_UNTIL = 100, N = 300 };
  Passing passing = {.upstream = g_thread_self (),.every = 1 };
  GstHarness *harness;
  GstPad *pad;
  GstBuffer *frames[N];
  gint64 let_go = 0;
  guint n_rests = 0, n_by_upstream = 0;

  if (g_getenv ("MOCK_CUDA_CLOCK_RATE") == NULL)
    return;
  harness = gray_harness ("max-in-flight=4");
  pad = gst_element_get_static_pad (harness->element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_passing, &passing,
      NULL);
  for (guint n = 0; n < N; n++)
    frames[n] = make_frame (n);
  for (guint n = 0; n < N; n++) {
    if (n == N_UNTIL)
      n_by_upstream = passing.n_by_upstream;
    n_rests += n >= N_BEFORE && g_get_monotonic_time () - let_go > QUICK_PUSH;
    fail_unless_equals_int (gst_harness_push (harness, frames[n]), GST_FLOW_OK);
    let_go = g_get_monotonic_time ();
    if (n < N_BEFORE)
      pull_frame (harness, n, TRUE);
  }
  for (guint n = N_BEFORE; n < N; n++)
    pull_frame (harness, n, TRUE);
  n_by_upstream = passing.n_by_upstream - n_by_upstream;
  fail_unless (n_by_upstream < (N - N_UNTIL) / 4 || n_rests > 10,
      "%u of %u by upstream's thread, which rested %u times", n_by_upstream,
      N - N_UNTIL, n_rests);
  gst_object_unref (pad);
  test_harness_free (harness);
}

GST_END_TEST;

/* ---- Messages alone ------------------------------------------------------------------------- */

/* Keeps whoever posts a result until it is let through. */
typedef struct
{
  GMutex lock;
  GCond changed;
  guint n_allowed, n_posted;
  guint64 last_timestamp;
} Gate;

static GstBusSyncReply
hold_message (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Gate *gate = user_data;

  if (!gst_message_has_name (message, "cudahisto"))
    return GST_BUS_PASS;
  g_mutex_lock (&gate->lock);
  while (gate->n_posted >= gate->n_allowed)
    g_cond_wait (&gate->changed, &gate->lock);
  gate->n_posted++;
  gate->last_timestamp = test_get_uint64 (gst_message_get_structure (message),
      "timestamp");
  g_cond_broadcast (&gate->changed);
  g_mutex_unlock (&gate->lock);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
gate_init (Gate * gate, GstHarness * harness)
{
  GstBus *bus = gst_element_get_bus (harness->element);

  memset (gate, 0, sizeof *gate);
  g_mutex_init (&gate->lock);
  g_cond_init (&gate->changed);
  gst_bus_set_sync_handler (bus, hold_message, gate, NULL);
  gst_object_unref (bus);
}

static void
gate_clear (Gate * gate)
{
  g_mutex_clear (&gate->lock);
  g_cond_clear (&gate->changed);
}

static void
allow (Gate * gate, guint n)
{
  g_mutex_lock (&gate->lock);
  gate->n_allowed = n;
  g_cond_broadcast (&gate->changed);
  g_mutex_unlock (&gate->lock);
}

static guint
n_posted (Gate * gate)
{
  guint n;

  g_mutex_lock (&gate->lock);
  n = gate->n_posted;
  g_mutex_unlock (&gate->lock);
  return n;
}

static void
wait_until_posted (Gate * gate, guint n)
{
  g_mutex_lock (&gate->lock);
  while (gate->n_posted < n)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);
}

/* Buffers go on while not even the first result has been posted, and they are the very
 * buffers that came; the results follow in order. */
GST_START_TEST (test_not_delayed)
{
  GstHarness *harness =
      gray_harness ("meta=false post-messages=true max-in-flight=4");
  Gate gate;

  gate_init (&gate, harness);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *in = make_frame (i), *out;

    fail_unless_equals_int (gst_harness_push (harness, gst_buffer_ref (in)),
        GST_FLOW_OK);
    out = gst_harness_pull (harness);
    fail_unless (out == in);
    gst_buffer_unref (in);
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (n_posted (&gate), 0);
  for (guint i = 0; i < 4; i++) {
    allow (&gate, i + 1);
    wait_until_posted (&gate, i + 1);
    fail_unless_equals_uint64 (gate.last_timestamp, i * FRAME);
  }
  test_harness_free (harness);
  gate_clear (&gate);
}

GST_END_TEST;

/* No more are measured at once than may be. */
GST_START_TEST (test_bounded)
{
  GstHarness *harness =
      gray_harness ("meta=false post-messages=true max-in-flight=2");
  GstStructure *stats = NULL;
  guint level = 0;
  Gate gate;

  gate_init (&gate, harness);
  for (guint i = 0; i < 2; i++) {
    gst_harness_push (harness, make_frame (i));
    pull_frame (harness, i, FALSE);
  }
  g_object_get (harness->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint (stats, "queue-level", &level));
  fail_unless_equals_int (level, 2);
  gst_structure_free (stats);
  allow (&gate, 1);
  gst_harness_push (harness, make_frame (2));
  fail_unless (n_posted (&gate) == 1);
  pull_frame (harness, 2, FALSE);
  allow (&gate, 3);
  wait_until_posted (&gate, 3);
  test_harness_free (harness);
  gate_clear (&gate);
}

GST_END_TEST;

static gpointer
drain (gpointer data)
{
  GstHarness *harness = data;
  GstQuery *query = gst_query_new_drain ();

  gst_pad_peer_query (harness->srcpad, query);
  gst_query_unref (query);
  return NULL;
}

/* Who drains gets all buffers back, also those that have gone on without their results. */
GST_START_TEST (test_drain)
{
  GstHarness *harness = gray_harness ("meta=false post-messages=true");
  GstBuffer *frame = make_frame (0);
  GThread *thread;
  Gate gate;

  gate_init (&gate, harness);
  gst_harness_push (harness, gst_buffer_ref (frame));
  pull_frame (harness, 0, FALSE);
  thread = g_thread_new ("drain", drain, harness);
  g_usleep (20000);
  fail_unless (GST_MINI_OBJECT_REFCOUNT_VALUE (frame) > 1);
  allow (&gate, 1);
  g_thread_join (thread);
  fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (frame), 1);
  gst_buffer_unref (frame);
  test_harness_free (harness);
  gate_clear (&gate);
}

GST_END_TEST;

typedef struct
{
  GstHarness *harness;
  gboolean has_start;           /* of the flush */
  gint n_flushed;
} Flusher;

static GstBusSyncReply
flush_once (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Flusher *flusher = user_data;

  if (!gst_message_has_name (message, "cudahisto"))
    return GST_BUS_PASS;
  if (g_atomic_int_add (&flusher->n_flushed, 1) == 0) {
    /* Until the end of the stream, if it has come, waits for this message. */
    g_usleep (20000);
    if (flusher->has_start)
      gst_harness_push_event (flusher->harness, gst_event_new_flush_start ());
    gst_harness_push_event (flusher->harness, gst_event_new_flush_stop (TRUE));
  }
  return GST_BUS_PASS;
}

/* Who handles a message may flush there and then, as for a seek, also while the end of the
 * stream waits for that message; and with half a flush. What comes after is measured. */
GST_START_TEST (test_flush_from_handler)
{
  for (guint i = 0; i < 4; i++) {
    GstHarness *harness = gray_harness ("meta=false post-messages=true");
    GstBus *bus = gst_element_get_bus (harness->element);
    Flusher flusher = { harness, i < 2, 0 };
    GstSegment segment;

    gst_bus_set_sync_handler (bus, flush_once, &flusher, NULL);
    gst_object_unref (bus);
    gst_harness_push (harness, make_frame (0));
    if (i % 2)
      gst_harness_push_event (harness, gst_event_new_eos ());
    gst_message_unref (test_wait_message (harness, GST_MESSAGE_ELEMENT));
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (harness, gst_event_new_segment (&segment));
    fail_unless_equals_int (gst_harness_push (harness, make_frame (1)),
        GST_FLOW_OK);
    gst_message_unref (test_wait_message (harness, GST_MESSAGE_ELEMENT));
    test_harness_free (harness);
  }
}

GST_END_TEST;

static gpointer
push_eos (gpointer data)
{
  gst_harness_push_event (data, gst_event_new_eos ());
  return NULL;
}

static gboolean
has_eos (GstHarness * harness)
{
  GstEvent *event;
  gboolean found = FALSE;

  while ((event = gst_harness_try_pull_event (harness)) != NULL) {
    found |= GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  return found;
}

/* All results are posted when the stream ends. */
GST_START_TEST (test_before_eos)
{
  GstHarness *harness = gray_harness ("meta=false post-messages=true");
  GThread *thread;
  Gate gate;

  gate_init (&gate, harness);
  gst_harness_push (harness, make_frame (0));
  pull_frame (harness, 0, FALSE);
  thread = g_thread_new ("eos", push_eos, harness);
  g_usleep (50 * 1000);
  fail_if (has_eos (harness));
  allow (&gate, 1);
  while (!has_eos (harness))
    g_usleep (1000);
  fail_unless_equals_int (n_posted (&gate), 1);
  g_thread_join (thread);
  test_harness_free (harness);
  gate_clear (&gate);
}

GST_END_TEST;

/* Results that are flushed away, and a stop while some are measured. */
GST_START_TEST (test_flush_and_stop)
{
  for (guint round = 0; round < 20; round++) {
    GstHarness *harness = gray_harness ("meta=false post-messages=true");

    for (guint i = 0; i < 3; i++)
      gst_harness_push (harness, make_frame (i));
    if (round % 2 == 0) {
      GstSegment segment;

      gst_harness_push_event (harness, gst_event_new_flush_start ());
      gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
      gst_segment_init (&segment, GST_FORMAT_TIME);
      gst_harness_push_event (harness, gst_event_new_segment (&segment));
      while (gst_harness_buffers_in_queue (harness) > 0)
        gst_buffer_unref (gst_harness_pull (harness));
      fail_unless_equals_int (gst_harness_push (harness, make_frame (7)),
          GST_FLOW_OK);
      pull_frame (harness, 7, FALSE);
    }
    test_harness_free (harness);
  }
}

GST_END_TEST;

/* ---- Changes while it runs ------------------------------------------------------------------------ */

/* Buffers keep their order whatever is asked for, and each gets what was. */
GST_START_TEST (test_changes)
{
  GstHarness *harness = gray_harness ("post-messages=true");
  guint n = 0;

  for (guint round = 0; round < 30; round++) {
    const gboolean meta = round % 3 == 0;

    g_object_set (harness->element, "meta", meta, "post-messages",
        round % 3 == 1, NULL);
    for (guint i = 0; i < 3; i++, n++) {
      gst_harness_push (harness, make_frame (n));
      pull_frame (harness, n, meta);
    }
  }
  test_harness_free (harness);
}

GST_END_TEST;

/* ---- Nothing ---------------------------------------------------------------------------------------- */

static GstPadProbeReturn
note_thread (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  *(GThread **) user_data = g_thread_self ();
  return GST_PAD_PROBE_OK;
}

static guint
pools_for (GstHarness * harness)
{
  GstCaps *caps = gst_caps_from_string (GRAY_CAPS);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  guint n;

  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  n = gst_query_get_n_allocation_pools (query);
  gst_query_unref (query);
  gst_caps_unref (caps);
  return n;
}

static gboolean
was_asked_to_reconfigure (GstHarness * harness)
{
  GstEvent *event;
  gboolean found = FALSE;

  while ((event = gst_harness_try_pull_upstream_event (harness)) != NULL) {
    found |= GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE;
    gst_event_unref (event);
  }
  return found;
}

/* Where nobody wants a result, buffers go on in upstream's thread, and upstream need keep
 * none for the element; when somebody does, upstream is told to ask again. */
GST_START_TEST (test_passthrough)
{
  GstHarness *harness = gray_harness ("meta=false histogram=false");
  GstPad *src = gst_element_get_static_pad (harness->element, "src");
  GThread *thread = NULL;

  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, note_thread, &thread, NULL);
  fail_unless_equals_int (pools_for (harness), 0);
  /* Some may follow the events that were on their way. */
  while (thread != g_thread_self ()) {
    GstBuffer *in = make_frame (0), *out;

    out = gst_harness_push_and_pull (harness, in);
    fail_unless (out == in);
    gst_buffer_unref (out);
  }

  was_asked_to_reconfigure (harness);
  g_object_set (harness->element, "meta", TRUE, NULL);
  fail_unless (was_asked_to_reconfigure (harness));
  fail_unless_equals_int (pools_for (harness), 1);
  gst_harness_push (harness, make_frame (5));
  pull_frame (harness, 5, TRUE);
  fail_unless (thread != g_thread_self ());
  g_object_set (harness->element, "meta", TRUE, NULL);
  fail_if (was_asked_to_reconfigure (harness));
  gst_object_unref (src);
  test_harness_free (harness);
}

GST_END_TEST;

/* ---- Late buffers ------------------------------------------------------------------------------------- */

static void
say_late (GstHarness * harness, GstClockTimeDiff lateness, guint n)
{
  fail_unless (gst_harness_push_upstream_event (harness,
          gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, lateness,
              n * FRAME)));
}

static guint64
n_dropped (GstHarness * harness)
{
  GstStructure *stats = NULL;
  guint64 n;

  g_object_get (harness->element, "stats", &stats, NULL);
  n = test_get_uint64 (stats, "dropped");
  gst_structure_free (stats);
  return n;
}

static gboolean
was_told_of_lateness (GstHarness * harness)
{
  GstEvent *event;
  gboolean found = FALSE;

  while ((event = gst_harness_try_pull_upstream_event (harness)) != NULL) {
    found |= GST_EVENT_TYPE (event) == GST_EVENT_QOS;
    gst_event_unref (event);
  }
  return found;
}

/* Results are not left out unasked. Upstream hears of the lateness in any case. */
GST_START_TEST (test_late_but_measured)
{
  GstHarness *harness = gray_harness (NULL);

  say_late (harness, 2 * FRAME, 0);
  fail_unless (was_told_of_lateness (harness));
  for (guint i = 0; i < 3; i++) {
    gst_harness_push (harness, make_frame (i));
    pull_frame (harness, i, TRUE);
  }
  fail_unless_equals_uint64 (n_dropped (harness), 0);
  fail_unless (test_pop_message (harness, GST_MESSAGE_QOS) == NULL);
  test_harness_free (harness);
}

GST_END_TEST;

/* Late buffers go on, without a result; each is counted and told of. A flush, or being in
 * time again, ends it. */
GST_START_TEST (test_qos)
{
  GstHarness *harness = gray_harness ("qos=true");
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push (harness, make_frame (0));
  pull_frame (harness, 0, TRUE);
  /* Frame 0 was one frame late: 2 more and one for good measure are skipped. */
  say_late (harness, FRAME, 0);
  fail_unless (was_told_of_lateness (harness));
  for (guint i = 1; i < 6; i++) {
    gst_harness_push (harness, make_frame (i));
    pull_frame (harness, i, i > 3);
  }
  fail_unless_equals_uint64 (n_dropped (harness), 3);
  for (guint i = 1; i <= 3; i++) {
    GstMessage *message = test_pop_message (harness, GST_MESSAGE_QOS);
    GstClockTime timestamp;
    guint64 dropped;
    GstFormat format;

    fail_unless (message != NULL);
    gst_message_parse_qos (message, NULL, NULL, NULL, &timestamp, NULL);
    gst_message_parse_qos_stats (message, &format, NULL, &dropped);
    fail_unless_equals_uint64 (timestamp, i * FRAME);
    fail_unless_equals_int (format, GST_FORMAT_BUFFERS);
    fail_unless_equals_uint64 (dropped, i);
    gst_message_unref (message);
  }
  fail_unless (test_pop_message (harness, GST_MESSAGE_QOS) == NULL);

  say_late (harness, 100 * FRAME, 6);
  say_late (harness, -FRAME, 6);
  gst_harness_push (harness, make_frame (7));
  pull_frame (harness, 7, TRUE);

  say_late (harness, 100 * FRAME, 8);
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  gst_harness_push (harness, make_frame (9));
  pull_frame (harness, 9, TRUE);
  fail_unless_equals_uint64 (n_dropped (harness), 3);
  test_harness_free (harness);
}

GST_END_TEST;

/* Where there are no times there is no lateness. */
GST_START_TEST (test_qos_without_times)
{
  GstHarness *harness = gray_harness ("qos=true");
  GstBuffer *buffer = make_frame (1);

  say_late (harness, 100 * FRAME, 0);
  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  buffer = gst_harness_push_and_pull (harness, buffer);
  test_result (buffer);
  gst_buffer_unref (buffer);
  test_harness_free (harness);
}

GST_END_TEST;

static Suite *
modes_suite (void)
{
  Suite *suite = suite_create ("modes");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 5);
  tcase_add_test (tcase, test_passed_at_once);
  tcase_add_test (tcase, test_hurried);
  tcase_add_test (tcase, test_not_delayed);
  tcase_add_test (tcase, test_bounded);
  tcase_add_test (tcase, test_drain);
  tcase_add_test (tcase, test_flush_from_handler);
  tcase_add_test (tcase, test_before_eos);
  tcase_add_test (tcase, test_flush_and_stop);
  tcase_add_test (tcase, test_changes);
  tcase_add_test (tcase, test_passthrough);
  tcase_add_test (tcase, test_late_but_measured);
  tcase_add_test (tcase, test_qos);
  tcase_add_test (tcase, test_qos_without_times);
  return suite;
}

GST_CHECK_MAIN (modes);
