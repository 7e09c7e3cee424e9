/* A device whose N-th call fails, for every N; and frames in a device's memory. On the
 * libcuda made for tests (tests/mock), which can be told to fail.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common-cuda.h"

#include <unistd.h>

static const MockCuda *mock;

/* ---- A session: the element between two pads -------------------------------------------- */

/* Not a GstHarness, which does not outlive an element that cannot start. */
typedef struct
{
  GstElement *element;
  GstBus *bus;
  GstPad *src, *sink;
  GMutex lock;
  GCond changed;
  GQueue received;              /* of GstBuffer */
  gboolean is_eos, is_held;
  guint n_warnings, n_errors;
  gchar *text;                  /* of the last of these */
} Session;

static GstBusSyncReply
receive_message (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Session *session = user_data;
  gchar *details = NULL;
  GError *error = NULL;

  g_mutex_lock (&session->lock);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    session->n_warnings++;
    gst_message_parse_warning (message, &error, &details);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    session->n_errors++;
    gst_message_parse_error (message, &error, &details);
  }
  if (error != NULL) {
    g_free (session->text);
    session->text = g_strdup_printf ("%s (%s)", error->message, details);
  }
  g_cond_broadcast (&session->changed);
  g_mutex_unlock (&session->lock);
  g_clear_error (&error);
  g_free (details);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static GstFlowReturn
receive_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Session *session = gst_pad_get_element_private (pad);

  g_mutex_lock (&session->lock);
  g_queue_push_tail (&session->received, buffer);
  g_cond_broadcast (&session->changed);
  g_mutex_unlock (&session->lock);
  return GST_FLOW_OK;
}

static gboolean
receive_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  Session *session = gst_pad_get_element_private (pad);

  g_mutex_lock (&session->lock);
  session->is_eos |= GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  g_cond_broadcast (&session->changed);
  g_mutex_unlock (&session->lock);
  gst_event_unref (event);
  return TRUE;
}

static GstStaticPadTemplate any_caps = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static void
link_pads (Session * session)
{
  GstPad *sink = gst_element_get_static_pad (session->element, "sink");
  GstPad *src = gst_element_get_static_pad (session->element, "src");

  session->src = gst_pad_new ("src", GST_PAD_SRC);
  session->sink = gst_pad_new_from_static_template (&any_caps, "sink");
  gst_pad_set_element_private (session->sink, session);
  gst_pad_set_chain_function (session->sink, receive_buffer);
  gst_pad_set_event_function (session->sink, receive_event);
  gst_pad_link (session->src, sink);
  gst_pad_link (src, session->sink);
  gst_pad_set_active (session->src, TRUE);
  gst_pad_set_active (session->sink, TRUE);
  gst_object_unref (src);
  gst_object_unref (sink);
}

/* FALSE when the element does not start. */
static gboolean
session_open (Session * session, const gchar * properties,
    GstCudaContext * context)
{
  gchar *launch = g_strdup_printf ("cudahisto %s", properties);

  memset (session, 0, sizeof *session);
  g_mutex_init (&session->lock);
  g_cond_init (&session->changed);
  session->element = gst_parse_launch (launch, NULL);
  gst_object_ref_sink (session->element);
  session->bus = gst_bus_new ();
  gst_bus_set_sync_handler (session->bus, receive_message, session, NULL);
  gst_element_set_bus (session->element, session->bus);
  if (context != NULL) {
    GstContext *shared = gst_context_new_cuda_context (context);

    gst_element_set_context (session->element, shared);
    gst_context_unref (shared);
  }
  link_pads (session);
  g_free (launch);
  return gst_element_set_state (session->element, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE;
}

static void
session_begin (Session * session, GstCaps * caps)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (session->src, gst_event_new_stream_start ("test"));
  gst_pad_push_event (session->src, gst_event_new_caps (caps));
  gst_pad_push_event (session->src, gst_event_new_segment (&segment));
}

static void
wait_for_buffers (Session * session, guint n)
{
  g_mutex_lock (&session->lock);
  while (g_queue_get_length (&session->received) < n)
    g_cond_wait (&session->changed, &session->lock);
  g_mutex_unlock (&session->lock);
}

/* Ends the stream, as sources do whatever they were told before, and stops. */
static void
session_end (Session * session)
{
  gst_pad_push_event (session->src, gst_event_new_eos ());
  g_mutex_lock (&session->lock);
  while (!session->is_eos && session->n_errors == 0)
    g_cond_wait (&session->changed, &session->lock);
  g_mutex_unlock (&session->lock);
  gst_element_set_state (session->element, GST_STATE_NULL);
}

static void
session_close (Session * session)
{
  gst_element_set_state (session->element, GST_STATE_NULL);
  gst_element_set_bus (session->element, NULL);
  gst_object_unref (session->bus);
  gst_pad_set_active (session->src, FALSE);
  gst_pad_set_active (session->sink, FALSE);
  gst_object_unref (session->element);
  gst_object_unref (session->src);
  gst_object_unref (session->sink);
  g_queue_clear_full (&session->received, (GDestroyNotify) gst_buffer_unref);
  g_free (session->text);
  g_mutex_clear (&session->lock);
  g_cond_clear (&session->changed);
}

/* ---- What is pushed: frames, then sound ---------------------------------------------------- */

/* What goes one way through the engine, and another. */
static const struct
{
  GstVideoFormat video;
  GstAudioFormat audio;
  GstAudioLayout layout;
} kinds[] = {
  {GST_VIDEO_FORMAT_NV12, GST_AUDIO_FORMAT_S24LE, GST_AUDIO_LAYOUT_INTERLEAVED},
  /* More bins than a block's memory has room for; unpacked on the host. */
  {GST_VIDEO_FORMAT_GRAY16_LE, GST_AUDIO_FORMAT_F32LE,
      GST_AUDIO_LAYOUT_NON_INTERLEAVED},
  {GST_VIDEO_FORMAT_NV12_4L4, GST_AUDIO_FORMAT_U8,
      GST_AUDIO_LAYOUT_INTERLEAVED},
};

#define N_EACH 3
#define BINS 10                 /* not a power of two: these bins need their edges */

typedef struct
{
  GstVideoInfo video;
  GstAudioInfo audio;
  GstCaps *caps[2];
  GstBuffer *buffers[2 * N_EACH];
} Input;

static GstBuffer *
random_buffer (gsize size, GRand * random)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  test_fill_random (random, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static void
input_init (Input * input, guint kind)
{
  GRand *random = test_random ();

  gst_video_info_set_format (&input->video, kinds[kind].video, 38, 6);
  gst_audio_info_set_format (&input->audio, kinds[kind].audio, 8000, 2, NULL);
  input->audio.layout = kinds[kind].layout;
  input->caps[0] = gst_video_info_to_caps (&input->video);
  input->caps[1] = gst_audio_info_to_caps (&input->audio);
  for (guint i = 0; i < N_EACH; i++) {
    input->buffers[i] = random_buffer (input->video.size, random);
    /* Growing, so that memory must grow. */
    input->buffers[N_EACH + i] = random_buffer (input->audio.bpf * (100 << i),
        random);
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

/* As a source does: no buffer after one that was refused. */
static void
push_input (Session * session, const Input * input)
{
  GstFlowReturn flow = GST_FLOW_OK;

  session_begin (session, input->caps[0]);
  for (guint i = 0; flow == GST_FLOW_OK && i < 2 * N_EACH; i++) {
    if (i == N_EACH)
      gst_pad_push_event (session->src, gst_event_new_caps (input->caps[1]));
    flow = gst_pad_push (session->src, gst_buffer_ref (input->buffers[i]));
  }
}

/* The numbers of everything that came out, which is the first of what went in. */
static void
check_received (Session * session, const Input * input)
{
  guint n = g_queue_get_length (&session->received);

  fail_unless (n <= 2 * N_EACH);
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = g_queue_peek_nth (&session->received, i);
    const guint8 *planes[4] = { NULL, };
    GstMapInfo map;

    gst_buffer_map (input->buffers[i], &map, GST_MAP_READ);
    fail_unless (gst_buffer_memcmp (buffer, 0, map.data, map.size) == 0);
    for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&input->video); p++)
      planes[p] = map.data + input->video.offset[p];
    if (i < N_EACH)
      test_compare_video (test_result (buffer), &input->video, planes, BINS,
          0, 0);
    else
      test_compare_audio (test_result (buffer), &input->audio, map.data,
          map.size / input->audio.bpf, BINS, 0, 0);
    gst_buffer_unmap (input->buffers[i], &map);
  }
}

/* ---- What must come of a failure --------------------------------------------------------------- */

typedef enum
{
  FAIL_ONCE = MOCK_CUDA_FAIL_ONCE,
  FAIL_FOREVER = MOCK_CUDA_FAIL_FOREVER,
  FAIL_STICKY = MOCK_CUDA_FAIL_STICKY,
  FAIL_EXECUTION,
  N_FAILURES
} Failure;

static const gchar *const failure_names[] = {
  "once", "forever", "sticky", "execution"
};

static void
arm (Failure how, glong number)
{
  if (how == FAIL_EXECUTION)
    mock->fail_execution (number);
  else
    mock->fail_call (number, (MockCudaFailure) how);
}

/* Whether the number that was armed was reached. */
static gboolean
has_failed (Failure how, glong number)
{
  if (how == FAIL_EXECUTION)
    return mock->executions () >= number;
  return mock->failed_call () != NULL;
}

static void
check_outcome (Session * session, gboolean may_fall_back, const gchar * label)
{
  guint n_received = g_queue_get_length (&session->received);

  if (may_fall_back || session->n_errors == 0) {
    fail_unless (session->n_errors == 0, "%s: %u errors: %s", label,
        session->n_errors, session->text);
    fail_unless (n_received == 2 * N_EACH, "%s: %u buffers came", label,
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

/* After the CPU has taken over, no more than the device then had in flight are its own. */
static void
check_cpu_for_good (Session * session, guint max_in_flight, const gchar * label)
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
  fail_unless (n_cuda < max_in_flight, "%s: %u buffers went to the device after "
      "it had failed", label, n_cuda);
  /* A device that was never there is none that failed. */
  fail_unless (!cpu_seen || n_before == 0 || session->n_warnings == 1,
      "%s: %u warnings", label, session->n_warnings);
}

#define IN_FLIGHT 2

static void
run_once (const Input * input, const gchar * backend, const gchar * label)
{
  gchar *properties = g_strdup_printf ("backend=%s bins=%d max-in-flight=%d",
      backend, BINS, IN_FLIGHT);
  Session session;

  test_set_alarm ();
  if (session_open (&session, properties, NULL)) {
    push_input (&session, input);
    session_end (&session);
    check_received (&session, input);
    check_outcome (&session, g_str_equal (backend, "auto"), label);
    check_cpu_for_good (&session, IN_FLIGHT, label);
  } else {
    fail_unless_equals_string (backend, "cuda");
    fail_unless_equals_int (session.n_errors, 1);
  }
  session_close (&session);
  alarm (0);
  g_free (properties);
}

/* Lets call 1, 2, 3, ... fail, until a session gets by without it. */
static void
fail_each (const gchar * backend, guint kind, Failure how)
{
  MockCudaLive before;
  gboolean failed = TRUE;
  glong number = 0;
  Input input;

  input_init (&input, kind);
  mock->reset ();
  run_once (&input, backend, "healthy");
  mock->live (&before);
  while (failed) {
    gchar *label;

    number++;
    label = g_strdup_printf ("%s, %s %ld", backend, failure_names[how], number);
    mock->reset ();
    arm (how, number);
    run_once (&input, backend, label);
    failed = has_failed (how, number);
    if (g_getenv ("CUDAHISTO_TEST_VERBOSE") != NULL)
      g_print ("%s: %s\n", label,
          mock->failed_call () != NULL ? mock->failed_call () : "-");
    test_check_live (&before, label);
    g_free (label);
  }
  g_print ("%s, kind %u, %s: %ld failures\n", backend, kind,
      failure_names[how], number - 1);
  fail_unless (number > 10);
  input_clear (&input);
}

/* backend=auto: whatever fails, every buffer comes with exact numbers, and there is
 * one warning at the most. */
GST_START_TEST (test_auto)
{
  fail_each ("auto", __i__ / N_FAILURES, __i__ % N_FAILURES);
}

GST_END_TEST;

/* backend=cuda: all is right, or there is one error. */
GST_START_TEST (test_cuda)
{
  fail_each ("cuda", __i__ / N_FAILURES, __i__ % N_FAILURES);
}

GST_END_TEST;

/* An element that could not start starts once the device is well again, and what the
 * attempts took is given back. */
GST_START_TEST (test_second_attempt)
{
  MockCudaLive before;
  Input input;
  glong n_calls;

  input_init (&input, 0);
  mock->reset ();
  run_once (&input, "cuda", "healthy");
  n_calls = mock->calls ();
  mock->live (&before);
  for (glong number = 1; number <= n_calls; number++) {
    gchar *label = g_strdup_printf ("second attempt, %ld", number);
    Session session;

    test_set_alarm ();
    mock->reset ();
    arm (FAIL_ONCE, number);
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
    alarm (0);
    test_check_live (&before, label);
    g_free (label);
  }
  input_clear (&input);
}

GST_END_TEST;

/* ---- Buffers of audio that share a launch ------------------------------------------------ */

/* One that is held downstream, one that is launched by itself, and those that gather. */
#define N_SHARED 8

typedef struct
{
  GstAudioInfo info;
  GstCaps *caps;
  GstBuffer *buffers[N_SHARED];
} SharedInput;

static void
shared_input_init (SharedInput * input, guint kind)
{
  GRand *random = test_random ();

  gst_audio_info_set_format (&input->info, kinds[kind].audio, 8000, 2, NULL);
  input->info.layout = kinds[kind].layout;
  input->caps = gst_audio_info_to_caps (&input->info);
  /* So that the last ones have no room beside the first, and are copied. */
  for (guint i = 0; i < N_SHARED; i++)
    input->buffers[i] = random_buffer (input->info.bpf * (i < 5 ? 10 + i :
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

static GstPadProbeReturn
hold (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Session *session = user_data;

  g_mutex_lock (&session->lock);
  session->is_held = TRUE;
  g_cond_broadcast (&session->changed);
  g_mutex_unlock (&session->lock);
  return GST_PAD_PROBE_OK;
}

/* With the first one held downstream until all are pushed, so that it is always the same
 * ones that gather. */
static void
push_shared_input (Session * session, const SharedInput * input)
{
  GstPad *pad = gst_pad_get_peer (session->sink);
  gulong probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK
      | GST_PAD_PROBE_TYPE_BUFFER, hold, session, NULL);
  GstFlowReturn flow = GST_FLOW_OK;

  session_begin (session, input->caps);
  for (guint i = 0; flow == GST_FLOW_OK && i < N_SHARED; i++) {
    flow = gst_pad_push (session->src, gst_buffer_ref (input->buffers[i]));
    g_mutex_lock (&session->lock);
    while (i == 0 && flow == GST_FLOW_OK && !session->is_held
        && session->n_errors == 0)
      g_cond_wait (&session->changed, &session->lock);
    g_mutex_unlock (&session->lock);
  }
  gst_pad_remove_probe (pad, probe);
  gst_object_unref (pad);
}

static void
check_shared_received (Session * session, const SharedInput * input,
    gboolean may_fall_back, const gchar * label)
{
  const guint n = g_queue_get_length (&session->received);

  fail_unless (n == N_SHARED || (!may_fall_back && session->n_errors == 1),
      "%s: %u buffers came", label, n);
  fail_unless (session->n_errors <= (may_fall_back ? 0 : 1),
      "%s: %u errors: %s", label, session->n_errors, session->text);
  fail_unless (session->n_warnings <= (may_fall_back ? 1 : 0),
      "%s: %u warnings: %s", label, session->n_warnings, session->text);
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = g_queue_peek_nth (&session->received, i);
    GstMapInfo map;

    gst_buffer_map (input->buffers[i], &map, GST_MAP_READ);
    fail_unless (gst_buffer_memcmp (buffer, 0, map.data, map.size) == 0);
    test_compare_audio (test_result (buffer), &input->info, map.data,
        map.size / input->info.bpf, BINS, 0, 0);
    gst_buffer_unmap (input->buffers[i], &map);
  }
}

static void
run_shared_once (const SharedInput * input, const gchar * backend,
    const gchar * label)
{
  gchar *properties = g_strdup_printf ("backend=%s bins=%d max-in-flight=%d",
      backend, BINS, N_SHARED);
  Session session;

  test_set_alarm ();
  if (session_open (&session, properties, NULL)) {
    push_shared_input (&session, input);
    session_end (&session);
    check_shared_received (&session, input, g_str_equal (backend, "auto"),
        label);
  } else {
    fail_unless_equals_string (backend, "cuda");
    fail_unless_equals_int (session.n_errors, 1);
  }
  session_close (&session);
  alarm (0);
  g_free (properties);
}

/* The same with sound that shares launches: each buffer of a launch that fails is measured
 * by the CPU, or there is one error. */
GST_START_TEST (test_shared_launches)
{
  const gchar *backend = __i__ % 2 ? "cuda" : "auto";
  const Failure how = __i__ / 2 % N_FAILURES;
  const guint kind = __i__ / 2 / N_FAILURES;
  MockCudaLive before;
  gboolean failed = TRUE;
  SharedInput input;
  glong number = 0;

  shared_input_init (&input, kind);
  mock->reset ();
  run_shared_once (&input, backend, "healthy");
  fail_unless (mock->calls_to ("cuLaunchKernel") < N_SHARED,
      "%ld launches for %d buffers", mock->calls_to ("cuLaunchKernel"),
      N_SHARED);
  mock->live (&before);
  while (failed) {
    gchar *label = g_strdup_printf ("shared launches, %s, %s %ld", backend,
        failure_names[how], ++number);

    mock->reset ();
    arm (how, number);
    run_shared_once (&input, backend, label);
    failed = has_failed (how, number);
    if (g_getenv ("CUDAHISTO_TEST_VERBOSE") != NULL)
      g_print ("%s: %s\n", label,
          mock->failed_call () != NULL ? mock->failed_call () : "-");
    test_check_live (&before, label);
    g_free (label);
  }
  g_print ("shared launches, %s, kind %u, %s: %ld failures\n", backend, kind,
      failure_names[how], number - 1);
  fail_unless (number > (how == FAIL_EXECUTION ? 3 : 10));
  shared_input_clear (&input);
}

GST_END_TEST;

/* ---- No device ------------------------------------------------------------------------------ */

/* A driver without a device, and one that does not know these kernels: the CPU, and
 * no message. */
GST_START_TEST (test_no_device)
{
  for (guint i = 0; i < 2; i++) {
    Session session;
    Input input;

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
    run_once (&input, "cuda", "no device");
    mock->reset ();
    input_clear (&input);
  }
}

GST_END_TEST;

/* ---- Frames in CUDA memory ------------------------------------------------------------------------ */

#define CUDA_WIDTH 46
#define CUDA_HEIGHT 10

static void
check_cuda_buffer (GstBuffer * buffer, const GstVideoInfo * info,
    const gchar * backend)
{
  const GstStructure *result = test_result (buffer);
  const guint8 *planes[4] = { NULL, };
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++)
    planes[p] = map.data + info->offset[p];
  test_compare_video (result, info, planes, 0, 0, 0);
  gst_buffer_unmap (buffer, &map);
  if (backend != NULL)
    fail_unless_equals_string (gst_structure_get_string (result, "backend"),
        backend);
}

static void
check_cuda_format (GstCudaContext * context, GstVideoFormat format,
    gboolean with_meta, GRand * random)
{
  GstVideoInfo caps_info, info;
  GstBuffer *buffer;
  Session session;
  GstCaps *caps;
  glong executions;

  gst_video_info_set_format (&caps_info, format, CUDA_WIDTH, CUDA_HEIGHT);
  info = caps_info;
  buffer = test_cuda_buffer_new (context, &info, with_meta, random);
  if (buffer == NULL) {
    g_print ("skipped: libgstcuda has no memory for %s\n",
        gst_video_format_to_string (format));
    return;
  }
  caps = test_cuda_caps (&caps_info);
  fail_unless (session_open (&session, "backend=cuda", context));
  session_begin (&session, caps);
  executions = mock->executions ();
  fail_unless_equals_int (gst_pad_push (session.src, gst_buffer_ref (buffer)),
      GST_FLOW_OK);
  session_end (&session);
  /* The kernel, and nothing is copied. */
  fail_unless_equals_int (mock->executions () - executions, 1);
  fail_unless_equals_int (g_queue_get_length (&session.received), 1);
  check_cuda_buffer (g_queue_peek_head (&session.received), &info, "cuda");
  gst_caps_unref (caps);
  gst_buffer_unref (buffer);
  session_close (&session);
}

/* CUDA memory is measured where it is, with the strides that it has. */
GST_START_TEST (test_cuda_memory)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_P010_10LE,
    GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_RGB,
    GST_VIDEO_FORMAT_YUY2
  };
  GRand *random = test_random ();
  GstCudaContext *context;
  MockCudaLive before;

  mock->reset ();
  mock->live (&before);
  context = gst_cuda_context_new (0);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    check_cuda_format (context, formats[i], TRUE, random);
    check_cuda_format (context, formats[i], FALSE, random);
  }
  gst_object_unref (context);
  test_check_live (&before, "CUDA memory");
  g_rand_free (random);
}

GST_END_TEST;

/* Has it changed by the host, so that it is uploaded by whoever maps it next. */
static void
write_on_host (GstBuffer * buffer, GRand * random)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  test_fill_random (random, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

/* A frame that libgstcuda has not yet uploaded is uploaded, then measured. */
GST_START_TEST (test_cuda_memory_to_upload)
{
  GRand *random = test_random ();
  GstCudaContext *context = gst_cuda_context_new (0);
  GstVideoInfo caps_info, info;
  GstBuffer *buffer;
  Session session;
  GstCaps *caps;

  gst_video_info_set_format (&caps_info, GST_VIDEO_FORMAT_NV12, CUDA_WIDTH,
      CUDA_HEIGHT);
  info = caps_info;
  buffer = test_cuda_buffer_new (context, &info, TRUE, random);
  write_on_host (buffer, random);
  caps = test_cuda_caps (&caps_info);
  fail_unless (session_open (&session, "backend=cuda", NULL));
  session_begin (&session, caps);
  fail_unless_equals_int (gst_pad_push (session.src, buffer), GST_FLOW_OK);
  session_end (&session);
  check_cuda_buffer (g_queue_peek_head (&session.received), &info, "cuda");
  session_close (&session);
  gst_caps_unref (caps);
  gst_object_unref (context);
  g_rand_free (random);
}

GST_END_TEST;

#define N_CUDA_BUFFERS 8

typedef struct
{
  GstCudaContext *contexts[2];  /* on two devices */
  GstVideoInfo info;
  GstCaps *caps;
  GstBuffer *buffers[N_CUDA_BUFFERS];
} CudaInput;

/* Two buffers of each context in turn. */
static void
cuda_input_init (CudaInput * input, gboolean to_upload)
{
  GRand *random = test_random ();

  gst_video_info_set_format (&input->info, GST_VIDEO_FORMAT_NV12, CUDA_WIDTH,
      CUDA_HEIGHT);
  input->caps = test_cuda_caps (&input->info);
  for (guint i = 0; i < 2; i++)
    input->contexts[i] = gst_cuda_context_new (i);
  fail_unless (input->contexts[0] != NULL && input->contexts[1] != NULL);
  for (guint i = 0; i < N_CUDA_BUFFERS; i++) {
    gst_video_info_set_format (&input->info, GST_VIDEO_FORMAT_NV12, CUDA_WIDTH,
        CUDA_HEIGHT);
    input->buffers[i] = test_cuda_buffer_new (input->contexts[i / 2 % 2],
        &input->info, i % 2, random);
    if (to_upload)
      write_on_host (input->buffers[i], random);
  }
  g_rand_free (random);
}

static void
cuda_input_clear (CudaInput * input)
{
  for (guint i = 0; i < N_CUDA_BUFFERS; i++)
    gst_buffer_unref (input->buffers[i]);
  for (guint i = 0; i < 2; i++)
    gst_object_unref (input->contexts[i]);
  gst_caps_unref (input->caps);
}

static void
push_cuda_input (Session * session, const CudaInput * input)
{
  GstFlowReturn flow = GST_FLOW_OK;

  session_begin (session, input->caps);
  for (guint i = 0; flow == GST_FLOW_OK && i < N_CUDA_BUFFERS; i++)
    flow = gst_pad_push (session->src, gst_buffer_ref (input->buffers[i]));
}

/* Buffers that change their context are followed, and nothing is lost on the way. */
GST_START_TEST (test_follow)
{
  MockCudaLive before;
  CudaInput input;
  Session session;

  mock->reset ();
  mock->live (&before);
  cuda_input_init (&input, FALSE);
  fail_unless (session_open (&session, "backend=cuda", input.contexts[0]));
  push_cuda_input (&session, &input);
  session_end (&session);
  fail_unless_equals_int (session.n_errors, 0);
  fail_unless_equals_int (g_queue_get_length (&session.received),
      N_CUDA_BUFFERS);
  for (guint i = 0; i < N_CUDA_BUFFERS; i++)
    check_cuda_buffer (g_queue_peek_nth (&session.received, i), &input.info,
        "cuda");
  session_close (&session);
  cuda_input_clear (&input);
  test_check_live (&before, "follow");
}

GST_END_TEST;

/* Buffers on another device than the one that was asked for are one error. */
GST_START_TEST (test_wrong_device)
{
  MockCudaLive before;
  CudaInput input;
  Session session;

  mock->reset ();
  mock->live (&before);
  cuda_input_init (&input, FALSE);
  fail_unless (session_open (&session, "backend=cuda cuda-device-id=0", NULL));
  push_cuda_input (&session, &input);
  wait_for_buffers (&session, 2);
  session_end (&session);
  fail_unless_equals_int (g_queue_get_length (&session.received), 2);
  for (guint i = 0; i < 2; i++)
    check_cuda_buffer (g_queue_peek_nth (&session.received, i), &input.info,
        "cuda");
  fail_unless_equals_int (session.n_errors, 1);
  session_close (&session);
  cuda_input_clear (&input);
  test_check_live (&before, "wrong device");
}

GST_END_TEST;

/* What came out of CUDA memory is right, once the device is well enough to tell. */
static void
check_cuda_received (Session * session, const CudaInput * input)
{
  MockCudaLive live;
  guint n = g_queue_get_length (&session->received);

  mock->live (&live);
  mock->reset ();
  for (guint i = 0; i < n; i++)
    test_result (g_queue_peek_nth (&session->received, i));
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = g_queue_peek_nth (&session->received, i);
    GstMapInfo map;

    /* In a context that is dead nobody can tell any more. */
    if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
      continue;
    gst_buffer_unmap (buffer, &map);
    check_cuda_buffer (buffer, &input->info, NULL);
  }
}

/* Even the CPU needs the device to read its memory: one error there may be, but not
 * where the device is well again at once. */
static void
check_cuda_outcome (Session * session, gboolean may_fall_back, Failure how,
    const gchar * label)
{
  guint n_received = g_queue_get_length (&session->received);

  if (g_getenv ("CUDAHISTO_TEST_VERBOSE") != NULL)
    g_print ("%s: %s: %u buffers, %u warnings, %u errors: %s\n", label,
        mock->failed_call (), n_received, session->n_warnings,
        session->n_errors, session->text);
  fail_unless (session->n_errors <= (may_fall_back && how == FAIL_ONCE ? 0 : 1),
      "%s: %u errors: %s", label, session->n_errors, session->text);
  fail_unless (session->n_errors == 1 || n_received == N_CUDA_BUFFERS,
      "%s: %u buffers came", label, n_received);
  fail_unless (session->n_warnings <= (may_fall_back ? 1 : 0),
      "%s: %u warnings: %s", label, session->n_warnings, session->text);
}

/* libgstcuda 1.26 does not look whether an upload that it waited for was done: of a wait
 * that fails alone, which is no way for a device to fail, nobody learns. */
static gboolean
is_lost_upload (gboolean to_upload, Failure how)
{
  return to_upload && how == FAIL_ONCE
      && g_strcmp0 (mock->failed_call (), "cuStreamSynchronize") == 0;
}

static gboolean
fail_cuda_once (const gchar * backend, gboolean to_upload, Failure how,
    glong number)
{
  gchar *properties = g_strdup_printf ("backend=%s max-in-flight=2", backend);
  gchar *label = g_strdup_printf ("CUDA memory, %s, %s %ld", backend,
      failure_names[how], number);
  MockCudaLive before;
  gboolean failed;
  CudaInput input;
  Session session;
  glong at;

  test_set_alarm ();
  mock->reset ();
  mock->live (&before);
  cuda_input_init (&input, to_upload);
  at = number + (how == FAIL_EXECUTION ? mock->executions () : mock->calls ());
  arm (how, at);
  if (session_open (&session, properties, NULL)) {
    push_cuda_input (&session, &input);
    session_end (&session);
  }
  failed = has_failed (how, at);
  check_cuda_outcome (&session, g_str_equal (backend, "auto"), how, label);
  if (!is_lost_upload (to_upload, how))
    check_cuda_received (&session, &input);
  mock->reset ();
  session_close (&session);
  cuda_input_clear (&input);
  alarm (0);
  test_check_live (&before, label);
  g_free (properties);
  g_free (label);
  return failed;
}

static const gchar *const backends[] = { "auto", "cuda" };

/* Frames in CUDA memory, whose context changes, while calls fail: no wrong number, one
 * error at the most, and nothing is left behind. */
GST_START_TEST (test_cuda_memory_failures)
{
  const gchar *backend = backends[__i__ % 2];
  const gboolean to_upload = __i__ / 2 % 2;
  const Failure how = __i__ / 4;
  glong number = 1;

  mock->reset ();
  while (fail_cuda_once (backend, to_upload, how, number))
    number++;
  g_print ("CUDA memory, %s, %s: %ld failures\n", backend, failure_names[how],
      number - 1);
  fail_unless (number > 5);
}

GST_END_TEST;

static Suite *
failures_suite (void)
{
  Suite *suite = suite_create ("failures");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  mock = test_mock ();
  if (mock == NULL) {
    g_print ("skipped: libcuda.so.1 is not the mock\n");
    return suite;
  }
  gst_cuda_load_library ();
  gst_cuda_memory_init_once ();
  /* Thousands of sessions; each has its own alarm. */
  tcase_set_timeout (tcase, 300);
  tcase_add_loop_test (tcase, test_auto, 0,
      N_FAILURES * G_N_ELEMENTS (kinds));
  tcase_add_loop_test (tcase, test_cuda, 0,
      N_FAILURES * G_N_ELEMENTS (kinds));
  tcase_add_loop_test (tcase, test_shared_launches, 0,
      2 * N_FAILURES * G_N_ELEMENTS (kinds));
  tcase_add_test (tcase, test_second_attempt);
  tcase_add_test (tcase, test_no_device);
  tcase_add_test (tcase, test_cuda_memory);
  tcase_add_test (tcase, test_cuda_memory_to_upload);
  tcase_add_test (tcase, test_follow);
  tcase_add_test (tcase, test_wrong_device);
  tcase_add_loop_test (tcase, test_cuda_memory_failures, 0,
      2 * 2 * N_FAILURES);
  return suite;
}

GST_CHECK_MAIN (failures);
