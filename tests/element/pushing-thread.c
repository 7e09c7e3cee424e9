/* Which thread pushes a buffer downstream: upstream's thread, or the source pad's task.
 * The rule alone has a unit test; here the whole element follows it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "probes.h"

typedef struct
{
  GThread *upstream;
  gulong delay;                 /* us that downstream keeps one buffer of `every` */
  guint every;
  guint n;                      /* buffers so far */
  guint n_by_upstream;          /* of these, pushed by upstream's thread */
  guint n_after_delay;          /* of these, the buffers after a slow one */
  GstPadChainFunction chain;    /* the harness's own */
  gint64 begin;                 /* us: when the buffer left the element */
  guint n_quick, n_slow;        /* pushes that were quick, or slow; with a delay they are slow */
} Pushes;

/* The element regards a push as quick up to this duration. */
#define QUICK_PUSH 50           /* us */

static GstPadProbeReturn
note_push (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Pushes *pushes = user_data;
  const gboolean by_upstream = g_thread_self () == pushes->upstream;

  pushes->begin = g_get_monotonic_time ();
  pushes->n_by_upstream += by_upstream;
  pushes->n_after_delay += by_upstream && pushes->n % pushes->every == 0;
  pushes->n++;
  if (pushes->delay > 0 && pushes->n % pushes->every == 0)
    g_usleep (pushes->delay);
  return GST_PAD_PROBE_OK;
}

static GstFlowReturn
note_duration (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Pushes *pushes = g_object_get_data (G_OBJECT (pad), "pushes");
  const GstFlowReturn flow = pushes->chain (pad, parent, buffer);

  if (g_get_monotonic_time () - pushes->begin <= QUICK_PUSH)
    pushes->n_quick++;
  else
    pushes->n_slow++;
  return flow;
}

/* Upstream's thread pushes the buffers if results are ready at once and downstream is quick, even
 * if downstream is slow for one buffer in 20. It never does if downstream is always slow, or if
 * threads of the CPU engine measure the frames. The order of the buffers never changes. */
TEST (test_upstream_pushes)
{
  const gboolean is_quick = g_getenv ("MOCK_CUDA_CLOCK_RATE") != NULL;
  const gboolean may_be_quick = test_backend_is_cuda ();
  static const struct
  {
    gulong delay;
    guint every;
  } downstreams[] = { {0, 1}, {1000, 1}, {1000, 20} };

  for (guint i = 0; i < G_N_ELEMENTS (downstreams); i++) {
    const gboolean is_slow =
        downstreams[i].delay > 0 && downstreams[i].every == 1;
    const gboolean must_be_quick = is_quick && !is_slow;
    Pushes pushes = {.upstream = g_thread_self (),
      .delay = downstreams[i].delay,.every = downstreams[i].every
    };
    GstHarness *harness = test_gray_harness_new ("max-in-flight=4");
    GstPad *pad = gst_element_get_static_pad (harness->element, "src");
    gint64 begin;

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_push, &pushes,
        NULL);
    pushes.chain = GST_PAD_CHAINFUNC (harness->sinkpad);
    g_object_set_data (G_OBJECT (harness->sinkpad), "pushes", &pushes);
    gst_pad_set_chain_function (harness->sinkpad, note_duration);
    begin = g_get_monotonic_time ();
    for (guint n = 0; n < 100 || (must_be_quick && pushes.n_after_delay == 0
            && g_get_monotonic_time () - begin < 3 * G_TIME_SPAN_SECOND); n++) {
      if (n == 50)
        gst_harness_set_src_caps_str (harness,
            GRAY_CAPS ", pixel-aspect-ratio=2/1");
      fail_unless_equals_int (gst_harness_push (harness, test_frame_new (n)),
          GST_FLOW_OK);
      test_pull_frame_quickly (harness, n, TRUE);
    }
    if (!may_be_quick || is_slow)
      fail_unless_equals_int (pushes.n_by_upstream, 0);
    /* On a busy machine many pushes are slow, so that upstream's thread may never push. The element
     * needs more than 8 quick pushes for a slow one; the delays alone leave 19. */
    fail_unless (!must_be_quick || pushes.n_after_delay > 0
        || 12 * pushes.n_slow >= pushes.n_quick, "%u slow, %u quick",
        pushes.n_slow, pushes.n_quick);
    gst_object_unref (pad);
    test_harness_free (harness);
  }
}

/* The source pad's task pushes the buffers if upstream has the next buffer at once, however quick
 * measuring and downstream are. Otherwise upstream would wait for each result. */
TEST (test_task_pushes_for_busy_upstream)
{
  enum { N_BEFORE = 50, N_UNTIL = 100, N = 300 };
  Pushes pushes = {.upstream = g_thread_self (),.every = 1 };
  GstHarness *harness;
  GstPad *pad;
  GstBuffer *frames[N];
  gint64 end_of_push = 0;
  guint n_pauses = 0, n_by_upstream = 0;

  if (g_getenv ("MOCK_CUDA_CLOCK_RATE") == NULL)
    return;
  harness = test_gray_harness_new ("max-in-flight=4");
  pad = gst_element_get_static_pad (harness->element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_push, &pushes,
      NULL);
  for (guint n = 0; n < N; n++)
    frames[n] = test_frame_new (n);
  for (guint n = 0; n < N; n++) {
    if (n == N_UNTIL)
      n_by_upstream = pushes.n_by_upstream;
    n_pauses += n >= N_BEFORE
        && g_get_monotonic_time () - end_of_push > QUICK_PUSH;
    fail_unless_equals_int (gst_harness_push (harness, frames[n]), GST_FLOW_OK);
    end_of_push = g_get_monotonic_time ();
    if (n < N_BEFORE)
      test_pull_frame_quickly (harness, n, TRUE);
  }
  for (guint n = N_BEFORE; n < N; n++)
    test_pull_frame_quickly (harness, n, TRUE);
  n_by_upstream = pushes.n_by_upstream - n_by_upstream;
  fail_unless (n_by_upstream < (N - N_UNTIL) / 4 || n_pauses > 10,
      "%u of %u by upstream's thread, which paused %u times", n_by_upstream,
      N - N_UNTIL, n_pauses);
  gst_object_unref (pad);
  test_harness_free (harness);
}

/* ---- Sound on the CPU --------------------------------------------------------------------- */

#define SOUND_CAPS "audio/x-raw, format=S16LE, rate=48000, channels=2, " \
    "layout=interleaved"

static GstBuffer *
sound_new (guint n, guint n_samples)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, n_samples * 4, NULL);

  gst_buffer_memset (buffer, 0, n, n_samples * 4);
  GST_BUFFER_PTS (buffer) = n * GST_SECOND;
  return buffer;
}

/* Returns when everything has been passed on. */
static void
drain (GstHarness * harness)
{
  GstQuery *query = gst_query_new_drain ();

  gst_pad_peer_query (harness->srcpad, query);
  gst_query_unref (query);
}

/* The CPU engine measures a short buffer of sound in upstream's thread, which then pushes it:
 * however slow downstream is, whoever reads the result, and right after events that the source pad's
 * task passes on. The task pushes the first buffer. The engine's threads measure a long buffer, which
 * the task pushes. */
TEST (test_upstream_pushes_sound)
{
  static const struct
  {
    const gchar *properties;
    guint n_samples;
    gboolean by_upstream;
  } cases[] = {
    {"post-messages=false", 1024, TRUE},
    {"post-messages=true meta=false", 1024, TRUE},
    {"post-messages=false", 100 * 1024, FALSE}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Pushes pushes = {.upstream = g_thread_self (),.delay = 200,.every = 1 };
    gchar *properties =
        g_strdup_printf ("%s backend=cpu", cases[i].properties);
    GstHarness *harness = test_harness_new (properties);
    GstPad *pad = test_source_pad (harness);

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_push, &pushes,
        NULL);
    gst_harness_set_src_caps_str (harness, SOUND_CAPS);
    for (guint n = 0; n < 30; n++) {
      GstBuffer *buffer;

      if (n == 20)
        gst_harness_set_src_caps_str (harness, SOUND_CAPS
            ", channel-mask=(bitmask)0x3");
      fail_unless_equals_int (gst_harness_push (harness,
              sound_new (n, cases[i].n_samples)), GST_FLOW_OK);
      buffer = gst_harness_pull (harness);
      fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), n * GST_SECOND);
      gst_buffer_unref (buffer);
      if (n == 0)
        drain (harness);
    }
    fail_unless_equals_int (pushes.n, 30);
    fail_unless_equals_int (pushes.n_by_upstream,
        cases[i].by_upstream ? 29 : 0);
    gst_object_unref (pad);
    test_harness_free (harness);
    g_free (properties);
  }
}

/* A sink that waits for the start of playing keeps the first buffer. Upstream's thread does not wait
 * for it, because it may have to serve other sinks first: buffers are queued. */
TEST (test_first_buffer_is_kept)
{
  GstHarness *harness = test_harness_new ("backend=cpu max-in-flight=4");
  gint n_blocked = 0;
  gulong probe;

  for (guint flushes = 0; flushes < 2; flushes++) {
    probe = test_block_buffers (harness, &n_blocked);
    gst_harness_set_src_caps_str (harness, SOUND_CAPS);
    for (guint n = 0; n < 4; n++)
      fail_unless_equals_int (gst_harness_push (harness, sound_new (n, 1024)),
          GST_FLOW_OK);
    test_wait_until_set (&n_blocked);
    test_unblock_buffers (harness, probe);
    for (guint n = 0; n < 4; n++)
      gst_buffer_unref (gst_harness_pull (harness));
    n_blocked = 0;
    test_flush (harness);
    test_push_segment (harness);
  }
  test_harness_free (harness);
}

static gpointer
push_sound (gpointer harness)
{
  return GINT_TO_POINTER (gst_harness_push (harness, sound_new (0, 1024)));
}

/* Upstream's thread waits until downstream has an event. A flush and a stop end the wait. */
TEST (test_waiting_for_events)
{
  for (guint stops = 0; stops < 2; stops++) {
    GstHarness *harness = test_harness_new ("backend=cpu");
    GstPad *pad = test_source_pad (harness);
    gint is_blocked = 0;
    GThread *thread;
    gulong probe;

    gst_harness_set_src_caps_str (harness, SOUND_CAPS);
    fail_unless_equals_int (gst_harness_push (harness, sound_new (0, 1024)),
        GST_FLOW_OK);
    drain (harness);
    probe = test_block_events (pad, &is_blocked);
    gst_harness_push_event (harness, gst_event_new_gap (0, 1));
    test_wait_until_set (&is_blocked);
    thread = g_thread_new ("upstream", push_sound, harness);
    g_usleep (10000);
    fail_unless_equals_int (gst_harness_buffers_received (harness), 1);
    if (stops)
      gst_element_set_state (harness->element, GST_STATE_NULL);
    else
      gst_harness_push_event (harness, gst_event_new_flush_start ());
    fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)),
        GST_FLOW_FLUSHING);
    fail_unless_equals_int (gst_harness_buffers_received (harness), 1);
    gst_pad_remove_probe (pad, probe);
    gst_object_unref (pad);
    test_harness_free (harness);
  }
}

TEST_MAIN (5)
