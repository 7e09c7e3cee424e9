/* Which thread pushes a buffer downstream: upstream's thread, or the source pad's task.
 * The rule alone has a unit test; here the whole element follows it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"

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
 * if downstream is slow for one buffer in 20. It never does if downstream is always slow, or with
 * the CPU engine. The order of the buffers never changes. */
GST_START_TEST (test_upstream_pushes)
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

GST_END_TEST;

/* The source pad's task pushes the buffers if upstream has the next buffer at once, however quick
 * measuring and downstream are. Otherwise upstream would wait for each result. */
GST_START_TEST (test_task_pushes_for_busy_upstream)
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

GST_END_TEST;

static Suite *
pushing_thread_suite (void)
{
  Suite *suite = suite_create ("pushing-thread");
  TCase *tcase = test_add_case (suite, "general", 5);

  tcase_add_test (tcase, test_upstream_pushes);
  tcase_add_test (tcase, test_task_pushes_for_busy_upstream);
  return suite;
}

GST_CHECK_MAIN (pushing_thread);
