/* A driver whose N-th call fails, for every N, while the element measures video and audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "faults.h"
#include "frames.h"
#include "session.h"

static const MockCuda *mock;

/* ---- Input: video, then audio --------------------------------------------------------------- */

/* Pairs of formats that use different code of the engine. */
static const struct
{
  GstVideoFormat video;
  GstAudioFormat audio;
  GstAudioLayout layout;
} media[] = {
  {GST_VIDEO_FORMAT_NV12, GST_AUDIO_FORMAT_S24LE, GST_AUDIO_LAYOUT_INTERLEAVED},
  /* Too many bins for the shared memory of a block. */
  {GST_VIDEO_FORMAT_GRAY16_LE, GST_AUDIO_FORMAT_F32LE,
      GST_AUDIO_LAYOUT_NON_INTERLEAVED},
  /* The host unpacks this video format. */
  {GST_VIDEO_FORMAT_NV12_4L4, GST_AUDIO_FORMAT_U8,
      GST_AUDIO_LAYOUT_INTERLEAVED},
};

#define N_EACH 3
#define BINS 10                 /* not a power of two: the kernels need the edges of the bins */

typedef struct
{
  GstVideoInfo video;
  GstAudioInfo audio;
  GstCaps *caps[2];
  GstBuffer *buffers[2 * N_EACH];
} Input;

static void
input_init (Input * input, guint m)
{
  GRand *random = test_random ();

  gst_video_info_set_format (&input->video, media[m].video, 38, 6);
  /* At this rate backend=auto leaves 2 channels to the GPU. */
  gst_audio_info_set_format (&input->audio, media[m].audio, 2000000, 2, NULL);
  input->audio.layout = media[m].layout;
  input->caps[0] = gst_video_info_to_caps (&input->video);
  input->caps[1] = gst_audio_info_to_caps (&input->audio);
  for (guint i = 0; i < N_EACH; i++) {
    input->buffers[i] = test_random_buffer (input->video.size, random);
    /* Each one is larger, so that the engine must allocate more memory. */
    input->buffers[N_EACH + i] =
        test_random_buffer (input->audio.bpf * (100 << i), random);
  }
  g_rand_free (random);
}

static void
input_clear (Input * input)
{
  for (guint i = 0; i < 2 * N_EACH; i++)
    gst_buffer_unref (input->buffers[i]);
  gst_caps_unref (input->caps[0]);
  gst_caps_unref (input->caps[1]);
}

/* Pushes all buffers, and like a source none after one that was refused. */
static void
push_input (Session * session, gconstpointer user_data)
{
  const Input *input = user_data;
  GstFlowReturn flow = GST_FLOW_OK;

  session_begin (session, input->caps[0]);
  for (guint i = 0; flow == GST_FLOW_OK && i < 2 * N_EACH; i++) {
    if (i == N_EACH)
      gst_pad_push_event (session->src, gst_event_new_caps (input->caps[1]));
    flow = gst_pad_push (session->src, gst_buffer_ref (input->buffers[i]));
  }
}

static void
check_same_bytes (GstBuffer * out, GstBuffer * in)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (in, &map, GST_MAP_READ));
  fail_unless (gst_buffer_memcmp (out, 0, map.data, map.size) == 0);
  gst_buffer_unmap (in, &map);
}

/* The buffers that left are the first of those that were pushed. Each has the right result. */
static void
check_received (Session * session, const Input * input)
{
  guint n = g_queue_get_length (&session->received);

  fail_unless (n <= 2 * N_EACH);
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = g_queue_peek_nth (&session->received, i);

    check_same_bytes (buffer, input->buffers[i]);
    if (i < N_EACH)
      test_compare_video_buffer (buffer, &input->video, BINS, 0, 0);
    else
      test_compare_audio_buffer (buffer, &input->audio, BINS, 0, 0);
  }
}

/* ---- One session ---------------------------------------------------------------------------- */

#define IN_FLIGHT 2

/* @may_fall_back: all buffers must leave, with at most one warning. Otherwise one error may be
 * posted instead. */
static void
check_outcome (Session * session, gboolean may_fall_back, const gchar * label)
{
  guint n_received = g_queue_get_length (&session->received);

  if (may_fall_back || session->n_errors == 0) {
    fail_unless (session->n_errors == 0, "%s: %u errors: %s", label,
        session->n_errors, session->text);
    fail_unless (n_received == 2 * N_EACH, "%s: %u buffers arrived", label,
        n_received);
    fail_unless (session->n_warnings <= (may_fall_back ? 1 : 0),
        "%s: %u warnings: %s", label, session->n_warnings, session->text);
  } else {
    fail_unless (session->n_errors == 1, "%s: %u errors: %s", label,
        session->n_errors, session->text);
    fail_unless (session->n_warnings == 0, "%s: %u warnings: %s", label,
        session->n_warnings, session->text);
  }
}

/* After the CPU engine has taken over, only buffers that the device had in flight may have results
 * of the device. */
static void
check_cpu_stays (Session * session, const gchar * label)
{
  guint n_cuda = 0, n_before = 0;
  gboolean cpu_seen = FALSE;

  for (GList * link = session->received.head; link != NULL; link = link->next) {
    const gchar *backend =
        gst_structure_get_string (test_result (link->data), "backend");

    if (g_str_equal (backend, "cpu"))
      cpu_seen = TRUE;
    else if (cpu_seen)
      n_cuda++;
    else
      n_before++;
  }
  fail_unless (n_cuda < IN_FLIGHT, "%s: the device measured %u buffers "
      "after it had failed", label, n_cuda);
  /* If the device never measured a buffer, no warning is needed. */
  fail_unless (!cpu_seen || n_before == 0 || session->n_warnings == 1,
      "%s: %u warnings", label, session->n_warnings);
}

static void
check_session (Session * session, gconstpointer user_data,
    gboolean may_fall_back, const gchar * label)
{
  check_received (session, user_data);
  check_outcome (session, may_fall_back, label);
  check_cpu_stays (session, label);
}

/* One session: what is pushed, and how the outcome is checked. */
typedef struct
{
  const gchar *backend;
  guint max_in_flight;
  gconstpointer input;
  void (*push) (Session * session, gconstpointer input);
  void (*check) (Session * session, gconstpointer input,
      gboolean may_fall_back, const gchar * label);
} Run;

/* @user_data: a Run */
static void
run_session (const gchar * label, gpointer user_data)
{
  const Run *run = user_data;
  gchar *properties = g_strdup_printf ("backend=%s bins=%d max-in-flight=%u",
      run->backend, BINS, run->max_in_flight);
  Session session;

  if (session_open (&session, properties, NULL)) {
    run->push (&session, run->input);
    session_end (&session);
    run->check (&session, run->input, g_str_equal (run->backend, "auto"),
        label);
  } else {
    fail_unless_equals_string (run->backend, "cuda");
    fail_unless_equals_int (session.n_errors, 1);
  }
  session_close (&session);
  g_free (properties);
}

static Run
run_of_input (const Input * input, const gchar * backend)
{
  return (Run) { backend, IN_FLIGHT, input, push_input, check_session };
}

/* ---- Each call fails ------------------------------------------------------------------------ */

/* Runs once with a healthy device, then once for each call that can fail. @m: index into media */
static void
fail_each (const gchar * backend, guint m, Fault fault)
{
  gchar *title = g_strdup_printf ("%s, media %u", backend, m);
  Input input;
  Run run;

  input_init (&input, m);
  run = run_of_input (&input, backend);
  mock->reset ();
  run_session ("healthy", &run);
  fail_unless (fault_each (fault, title, FALSE, run_session, &run) >= 10);
  input_clear (&input);
  g_free (title);
}

/* backend=auto: whatever fails, every buffer leaves with an exact result, and at most one warning
 * is posted. */
TEST_LOOP (test_auto, 0, N_FAULTS * G_N_ELEMENTS (media))
{
  fail_each ("auto", __i__ / N_FAULTS, __i__ % N_FAULTS);
}

/* backend=cuda: every buffer leaves with an exact result, or one error is posted. */
TEST_LOOP (test_cuda, 0, N_FAULTS * G_N_ELEMENTS (media))
{
  fail_each ("cuda", __i__ / N_FAULTS, __i__ % N_FAULTS);
}

/* If the element could not start, it starts when the device works again. Nothing of the first
 * attempt stays allocated. */
TEST (test_second_attempt)
{
  MockCudaLive before;
  Input input;
  glong n_calls;
  Run run;

  input_init (&input, 0);
  run = run_of_input (&input, "cuda");
  mock->reset ();
  run_session ("healthy", &run);
  n_calls = mock->calls ();
  before = test_live ();
  for (glong number = fault_next (FAULT_ONCE, 0); number <= n_calls; number = fault_next (FAULT_ONCE, number)) {
    gchar *label = g_strdup_printf ("second attempt, %ld", number);
    Session session;

    mock->reset ();
    fault_arm (FAULT_ONCE, number);
    if (!session_open (&session, "backend=cuda bins=10", NULL)) {
      fail_unless_equals_int (session.n_errors, 1);
      session.n_errors = 0;
      fail_unless (gst_element_set_state (session.element, GST_STATE_PLAYING)
          != GST_STATE_CHANGE_FAILURE, "%s", label);
      push_input (&session, &input);
      session_end (&session);
      check_received (&session, &input);
      check_outcome (&session, FALSE, label);
    }
    session_close (&session);
    test_check_live (&before, label);
    g_free (label);
  }
  input_clear (&input);
}

/* ---- Audio buffers that share a launch ------------------------------------------------------ */

/* The first buffer is held downstream, the second is launched alone, and the others share a
 * launch. */
#define N_SHARED 8

typedef struct
{
  GstAudioInfo info;
  GstCaps *caps;
  GstBuffer *buffers[N_SHARED];
} SharedInput;

static void
shared_input_init (SharedInput * input, guint m)
{
  GRand *random = test_random ();

  gst_audio_info_set_format (&input->info, media[m].audio, 2000000, 2, NULL);
  input->info.layout = media[m].layout;
  input->caps = gst_audio_info_to_caps (&input->info);
  /* The last ones are too large for the room that is left, and are copied to the device. */
  for (guint i = 0; i < N_SHARED; i++)
    input->buffers[i] = test_random_buffer (input->info.bpf * (i < 5 ? 10 + i :
            4000), random);
  g_rand_free (random);
}

static void
shared_input_clear (SharedInput * input)
{
  for (guint i = 0; i < N_SHARED; i++)
    gst_buffer_unref (input->buffers[i]);
  gst_caps_unref (input->caps);
}

/* Holds the first buffer downstream until all are pushed, so that always the same buffers share a
 * launch. */
static void
push_shared_input (Session * session, gconstpointer user_data)
{
  const SharedInput *input = user_data;
  gulong probe = session_hold (session);
  GstFlowReturn flow = GST_FLOW_OK;

  session_begin (session, input->caps);
  for (guint i = 0; flow == GST_FLOW_OK && i < N_SHARED; i++) {
    flow = gst_pad_push (session->src, gst_buffer_ref (input->buffers[i]));
    if (i == 0 && flow == GST_FLOW_OK)
      session_wait_held (session);
  }
  session_release (session, probe);
}

static void
check_shared_session (Session * session, gconstpointer user_data,
    gboolean may_fall_back, const gchar * label)
{
  const SharedInput *input = user_data;
  const guint n = g_queue_get_length (&session->received);

  fail_unless (n == N_SHARED || (!may_fall_back && session->n_errors == 1),
      "%s: %u buffers arrived", label, n);
  fail_unless (session->n_errors <= (may_fall_back ? 0 : 1),
      "%s: %u errors: %s", label, session->n_errors, session->text);
  fail_unless (session->n_warnings <= (may_fall_back ? 1 : 0),
      "%s: %u warnings: %s", label, session->n_warnings, session->text);
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = g_queue_peek_nth (&session->received, i);

    check_same_bytes (buffer, input->buffers[i]);
    test_compare_audio_buffer (buffer, &input->info, BINS, 0, 0);
  }
}

/* If a shared launch fails, the CPU engine measures each of its buffers, or one error is posted. */
TEST_LOOP (test_shared_launches, 0, 2 * N_FAULTS * G_N_ELEMENTS (media))
{
  const gchar *backend = __i__ % 2 ? "cuda" : "auto";
  const Fault fault = __i__ / 2 % N_FAULTS;
  const guint m = __i__ / 2 / N_FAULTS;
  gchar *title = g_strdup_printf ("shared launches, %s, media %u", backend, m);
  SharedInput input;
  Run run = { backend, N_SHARED, &input, push_shared_input,
    check_shared_session
  };

  shared_input_init (&input, m);
  mock->reset ();
  run_session ("healthy", &run);
  fail_unless (mock->calls_to ("cuLaunchKernel") < N_SHARED,
      "%ld launches for %d buffers", mock->calls_to ("cuLaunchKernel"),
      N_SHARED);
  fail_unless (fault_each (fault, title, FALSE, run_session, &run)
      >= (fault == FAULT_EXECUTION ? 3 : 10));
  shared_input_clear (&input);
  g_free (title);
}

/* ---- No device ------------------------------------------------------------------------------ */

/* A driver without a device, and a driver that refuses the kernels: the CPU engine measures, and no
 * message is posted. */
TEST (test_no_device)
{
  for (guint i = 0; i < 2; i++) {
    Session session;
    Input input;
    Run run;

    input_init (&input, 0);
    mock->reset ();
    if (i == 0)
      mock->refuse_device (TRUE);
    else
      mock->refuse_modules (TRUE);
    fail_unless (session_open (&session, "backend=auto bins=10", NULL));
    push_input (&session, &input);
    session_end (&session);
    check_received (&session, &input);
    check_outcome (&session, TRUE, "no device");
    fail_unless_equals_string (gst_structure_get_string (test_result
            (g_queue_peek_head (&session.received)), "backend"), "cpu");
    session_close (&session);
    run = run_of_input (&input, "cuda");
    run_session ("no device", &run);
    mock->reset ();
    input_clear (&input);
  }
}

/* Thousands of sessions. Each one has its own time limit; see session_open(). */
static gboolean
prepare (void)
{
  mock = test_mock ();
  return test_cuda_init (TRUE);
}

TEST_MAIN_IF (300, prepare ())
