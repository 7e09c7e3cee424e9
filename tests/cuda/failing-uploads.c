/* The N-th call of the driver fails, for every N, while data goes to the device by two routes that the
 * other tests of failing calls do not take:
 *
 * 1. small frames in the pool that the element offers, which the kernels read in place;
 * 2. sound that is too large to share a launch.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "faults.h"
#include "frames.h"
#include "session.h"

static const MockCuda *mock;

#define N_BUFFERS 3
#define BINS 10
#define WIDTH 64
#define HEIGHT 32

/* What is pushed. Of frames, only the caps: their memory is the element's. */
typedef struct
{
  const gchar *backend;
  GstCaps *caps;
  GstVideoInfo video;
  GstAudioInfo audio;
  GstBuffer *sound[N_BUFFERS];
  GRand *random;
  const gchar *call;            /* of the driver, once for each buffer on its way to the device */
  glong calls_before;           /* the buffers were pushed */
} Input;

/* ---- Frames in the pool that the element offers ------------------------------------------------- */

/* NULL if the element offers no pool, or if the pool cannot be used. */
static GstBufferPool *
open_pool (Session * session, const Input * input)
{
  GstQuery *query = gst_query_new_allocation (input->caps, TRUE);
  GstBufferPool *pool = NULL;

  if (gst_pad_peer_query (session->src, query)
      && gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  gst_query_unref (query);
  if (pool != NULL) {
    GstStructure *config = gst_buffer_pool_get_config (pool);

    gst_buffer_pool_config_set_params (config, input->caps, input->video.size,
        0, 0);
    if (!gst_buffer_pool_set_config (pool, config)
        || !gst_buffer_pool_set_active (pool, TRUE))
      gst_clear_object (&pool);
  }
  return pool;
}

/* Like a source, takes memory of its own if it gets none of the pool. */
static GstBuffer *
new_frame (const Input * input, GstBufferPool * pool)
{
  GstBuffer *buffer = NULL;

  if (pool == NULL
      || gst_buffer_pool_acquire_buffer (pool, &buffer, NULL) != GST_FLOW_OK)
    buffer = gst_buffer_new_allocate (NULL, input->video.size, NULL);
  test_fill_buffer (buffer, input->random);
  return buffer;
}

static void
push_frames (Session * session, Input * input)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstBufferPool *pool;

  session_begin (session, input->caps);
  pool = open_pool (session, input);
  input->calls_before = mock->calls_to (input->call);
  for (guint i = 0; flow == GST_FLOW_OK && i < N_BUFFERS; i++)
    flow = gst_pad_push (session->src, new_frame (input, pool));
  if (pool != NULL) {
    gst_buffer_pool_set_active (pool, FALSE);
    gst_object_unref (pool);
  }
}

/* ---- Large sound ------------------------------------------------------------------------------ */

static void
push_sound (Session * session, Input * input)
{
  GstFlowReturn flow = GST_FLOW_OK;

  session_begin (session, input->caps);
  input->calls_before = mock->calls_to (input->call);
  for (guint i = 0; flow == GST_FLOW_OK && i < N_BUFFERS; i++)
    flow = gst_pad_push (session->src, gst_buffer_ref (input->sound[i]));
}

/* ---- Sessions --------------------------------------------------------------------------------- */

static void
check_received (Session * session, const Input * input, const gchar * label)
{
  const gboolean may_fall_back = g_str_equal (input->backend, "auto");
  const guint n = g_queue_get_length (&session->received);

  fail_unless (n == N_BUFFERS || (!may_fall_back && session->n_errors == 1),
      "%s: %u buffers arrived", label, n);
  fail_unless (session->n_errors <= (may_fall_back ? 0 : 1),
      "%s: %u errors: %s", label, session->n_errors, session->text);
  fail_unless (session->n_warnings <= (may_fall_back ? 1 : 0),
      "%s: %u warnings: %s", label, session->n_warnings, session->text);
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = g_queue_peek_nth (&session->received, i);

    if (input->sound[0] == NULL)
      test_compare_video_buffer (buffer, &input->video, BINS, 0, 0);
    else
      test_compare_audio_buffer (buffer, &input->audio, BINS, 0, 0);
  }
}

static void
run_session (const gchar * label, gpointer user_data)
{
  Input *input = user_data;
  gchar *properties = g_strdup_printf ("backend=%s bins=%d max-in-flight=2",
      input->backend, BINS);
  Session session;

  if (session_open (&session, properties, NULL)) {
    if (input->sound[0] == NULL)
      push_frames (&session, input);
    else
      push_sound (&session, input);
    session_end (&session);
    check_received (&session, input, label);
  } else {
    fail_unless_equals_string (input->backend, "cuda");
    fail_unless_equals_int (session.n_errors, 1);
  }
  session_close (&session);
  g_free (properties);
}

static void
fail_each (Input * input, guint number, const gchar * what)
{
  const Fault fault = number / 2;
  gchar *title;

  input->backend = number % 2 ? "cuda" : "auto";
  title = g_strdup_printf ("%s, %s", what, input->backend);
  mock->reset ();
  run_session ("healthy", input);
  /* Or the buffers would take another route. */
  fail_unless_equals_int (mock->calls_to (input->call) - input->calls_before,
      N_BUFFERS);
  fail_unless (fault_each (fault, title, FALSE, run_session, input)
      >= (fault == FAULT_EXECUTION ? 3 : 10));
  g_free (title);
}

/* The results are right, whichever engine computes them; or, with backend=cuda, there is one error.
 * Nothing stays allocated. */
TEST_LOOP (test_offered_pool, 0, 2 * N_FAULTS)
{
  Input input = {.random = test_random (),.call = "cuMemHostGetDevicePointer_v2"
  };

  gst_video_info_set_format (&input.video, GST_VIDEO_FORMAT_NV12, WIDTH,
      HEIGHT);
  input.caps = gst_video_info_to_caps (&input.video);
  fail_each (&input, __i__, "offered pool");
  gst_caps_unref (input.caps);
  g_rand_free (input.random);
}

TEST_LOOP (test_large_sound, 0, 2 * N_FAULTS)
{
  /* More than 64 KiB each, the most that can share a launch. The last one needs more memory on the
   * device than the slot has: the engine allocates more. */
  static const guint n_samples[N_BUFFERS] = { 9000, 9100, 24000 };
  Input input = {.random = test_random (),.call = "cuMemcpyHtoDAsync_v2" };

  /* At this rate backend=auto leaves 2 channels to the GPU. */
  gst_audio_info_set_format (&input.audio, GST_AUDIO_FORMAT_F32LE, 2000000, 2,
      NULL);
  input.caps = gst_audio_info_to_caps (&input.audio);
  for (guint i = 0; i < N_BUFFERS; i++)
    input.sound[i] =
        test_random_buffer (input.audio.bpf * n_samples[i], input.random);
  fail_each (&input, __i__, "large sound");
  for (guint i = 0; i < N_BUFFERS; i++)
    gst_buffer_unref (input.sound[i]);
  gst_caps_unref (input.caps);
  g_rand_free (input.random);
}

/* Hundreds of sessions. Each one has its own time limit; see session_open(). */
static gboolean
prepare (void)
{
  mock = test_mock ();
  return test_cuda_init (TRUE);
}

TEST_MAIN_IF (120, prepare ())
