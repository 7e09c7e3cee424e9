/* Many elements in one process: on one context, on two devices; and what each frame costs
 * the driver. On a GPU, or on the libcuda made for tests, which tells more.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common-cuda.h"

#define N_PIPELINES 64
#define WIDTH 48
#define HEIGHT 20

static const MockCuda *mock;    /* NULL on a GPU */
static guint n_devices;

/* ---- Pipelines whose sink looks at the results --------------------------------------------- */

typedef struct
{
  GstElement *pipeline, *histo, *source;
  GstBus *bus;
  GstVideoInfo info;            /* with the strides of the buffers */
  GQueue received;
} Line;

static void
receive (GstElement * sink, GstBuffer * buffer, GstPad * pad, Line * line)
{
  g_queue_push_tail (&line->received, gst_buffer_ref (buffer));
}

/* @properties may be NULL; the context goes to the pipeline as an application's does. */
static void
line_open (Line * line, const gchar * properties, GstCudaContext * context)
{
  gchar *launch = g_strdup_printf ("appsrc name=source format=time max-bytes=0 "
      "! cudahisto name=histo backend=cuda %s ! "
      "fakesink name=sink signal-handoffs=true sync=false",
      properties != NULL ? properties : "");
  GstElement *sink;

  *line = (Line) {
  NULL,};
  line->pipeline = gst_parse_launch (launch, NULL);
  line->histo = gst_bin_get_by_name (GST_BIN (line->pipeline), "histo");
  line->source = gst_bin_get_by_name (GST_BIN (line->pipeline), "source");
  line->bus = gst_element_get_bus (line->pipeline);
  sink = gst_bin_get_by_name (GST_BIN (line->pipeline), "sink");
  g_signal_connect (sink, "handoff", G_CALLBACK (receive), line);
  gst_object_unref (sink);
  if (context != NULL) {
    GstContext *shared = gst_context_new_cuda_context (context);

    gst_element_set_context (line->pipeline, shared);
    gst_context_unref (shared);
  }
  g_free (launch);
}

/* Takes the buffer. */
static void
push (Line * line, GstCaps * caps, GstBuffer * buffer)
{
  GstSample *sample = gst_sample_new (buffer, caps, NULL, NULL);
  GstFlowReturn flow = GST_FLOW_ERROR;

  g_signal_emit_by_name (line->source, "push-sample", sample, &flow);
  fail_unless_equals_int (flow, GST_FLOW_OK);
  gst_sample_unref (sample);
  gst_buffer_unref (buffer);
}

static GstBuffer *
host_buffer_new (const GstVideoInfo * info, GRand * random)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  test_fill_random (random, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Random frames, then the end: in the context's memory, or in the host's if it is NULL. */
static void
push_frames (Line * line, GstVideoFormat format, GstCudaContext * context,
    guint n, GRand * random)
{
  GstVideoInfo caps_info;
  GstFlowReturn flow;
  GstCaps *caps;

  gst_video_info_set_format (&caps_info, format, WIDTH, HEIGHT);
  caps = context != NULL ? test_cuda_caps (&caps_info) :
      gst_video_info_to_caps (&caps_info);
  for (guint i = 0; i < n; i++) {
    line->info = caps_info;
    push (line, caps, context != NULL ? test_cuda_buffer_new (context,
            &line->info, TRUE, random) : host_buffer_new (&line->info, random));
  }
  gst_caps_unref (caps);
  g_signal_emit_by_name (line->source, "end-of-stream", &flow);
}

static void
wait_for_end (Line * line)
{
  GstMessage *message = gst_bus_timed_pop_filtered (line->bus,
      GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    GError *error = NULL;

    gst_message_parse_error (message, &error, NULL);
    ck_abort_msg ("%s", error->message);
  }
  gst_message_unref (message);
}

static void
check_received (Line * line, guint n)
{
  fail_unless_equals_int (g_queue_get_length (&line->received), n);
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = g_queue_peek_nth (&line->received, i);
    const guint8 *planes[4] = { NULL, };
    GstMapInfo map;

    fail_unless_equals_string (gst_structure_get_string (test_result (buffer),
            "backend"), "cuda");
    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&line->info); p++)
      planes[p] = map.data + line->info.offset[p];
    test_compare_video (test_result (buffer), &line->info, planes, 0, 0, 0);
    gst_buffer_unmap (buffer, &map);
  }
}

static void
line_close (Line * line)
{
  gst_element_set_state (line->pipeline, GST_STATE_NULL);
  g_queue_clear_full (&line->received, (GDestroyNotify) gst_buffer_unref);
  gst_object_unref (line->bus);
  gst_object_unref (line->source);
  gst_object_unref (line->histo);
  gst_object_unref (line->pipeline);
}

/* The context that the element works in, as its neighbours are told. */
static GstCudaContext *
context_of (GstElement * element)
{
  GstQuery *query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  GstCudaContext *context = NULL;
  GstContext *answer = NULL;

  fail_unless (gst_pad_query (pad, query), "no answer about the context");
  gst_query_parse_context (query, &answer);
  gst_structure_get (gst_context_get_structure (answer), GST_CUDA_CONTEXT_TYPE,
      GST_TYPE_CUDA_CONTEXT, &context, NULL);
  fail_unless (context != NULL);
  gst_object_unref (pad);
  gst_query_unref (query);
  return context;
}

static void
check_context (Line * line, GstCudaContext * expected)
{
  GstCudaContext *context = context_of (line->histo);

  fail_unless (context == expected, "another context");
  gst_object_unref (context);
}

static guint
device_of (GstCudaContext * context)
{
  guint device = G_MAXUINT;

  g_object_get (context, "cuda-device-id", &device, NULL);
  return device;
}

static void
live_before (MockCudaLive * live)
{
  if (mock != NULL)
    mock->live (live);
}

static void
check_live (const MockCudaLive * before, const gchar * label)
{
  if (mock != NULL)
    test_check_live (before, label);
}

/* ---- Many on one context ------------------------------------------------------------------------ */

/* 64 pipelines at once on the application's context, some with frames of the host's and
 * some with the device's. */
GST_START_TEST (test_many_pipelines)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_P010_10LE
  };
  const guint n_frames = mock != NULL ? 6 : 60;
  GRand *random = test_random ();
  Line *lines = g_new0 (Line, N_PIPELINES);
  GstCudaContext *context;
  MockCudaLive before, during;

  live_before (&before);
  context = gst_cuda_context_new (0);
  for (guint i = 0; i < N_PIPELINES; i++) {
    line_open (&lines[i], i % 3 ? NULL : "max-in-flight=2", context);
    push_frames (&lines[i], formats[i / 2 % G_N_ELEMENTS (formats)],
        i % 2 ? context : NULL, n_frames, random);
  }
  for (guint i = 0; i < N_PIPELINES; i++)
    fail_unless (gst_element_set_state (lines[i].pipeline, GST_STATE_PLAYING)
        != GST_STATE_CHANGE_FAILURE);
  for (guint i = 0; i < N_PIPELINES; i++)
    wait_for_end (&lines[i]);
  live_before (&during);
  if (mock != NULL)
    fail_unless_equals_int (during.contexts - before.contexts, 1);
  for (guint i = 0; i < N_PIPELINES; i++) {
    check_context (&lines[i], context);
    check_received (&lines[i], n_frames);
    line_close (&lines[i]);
  }
  gst_object_unref (context);
  check_live (&before, "64 pipelines");
  g_free (lines);
  g_rand_free (random);
}

GST_END_TEST;

/* Elements of one pipeline find each other's context, with nobody's help; those of two
 * pipelines do not. */
GST_START_TEST (test_shared_by_neighbours)
{
  GstCudaContext *contexts[4];
  GstElement *pipeline;
  MockCudaLive before;
  GstBus *bus;

  live_before (&before);
  pipeline = gst_parse_launch ("videotestsrc num-buffers=3 ! tee name=t "
      "t. ! queue ! cudahisto name=a backend=cuda ! "
      "cudahisto name=b backend=cuda ! fakesink "
      "t. ! queue ! cudahisto name=c backend=cuda ! videoconvert ! "
      "cudahisto name=d backend=cuda ! fakesink", NULL);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
          GST_MESSAGE_EOS));
  for (guint i = 0; i < 4; i++) {
    const gchar name[] = { 'a' + i, 0 };
    GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);

    contexts[i] = context_of (element);
    fail_unless (contexts[i] == contexts[0], "%s has its own context", name);
    gst_object_unref (element);
  }
  if (mock != NULL) {
    MockCudaLive during;

    mock->live (&during);
    fail_unless_equals_int (during.contexts - before.contexts, 1);
  }
  for (guint i = 0; i < 4; i++)
    gst_object_unref (contexts[i]);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  gst_object_unref (bus);
  check_live (&before, "neighbours");
}

GST_END_TEST;

/* ---- Two devices ------------------------------------------------------------------------------------ */

/* The device that is asked for is the one that is used, at once in one process, whatever
 * context is offered. */
GST_START_TEST (test_device_id)
{
  static const struct
  {
    const gchar *properties;
    gint offered;               /* device of the application's context, or -1 */
    guint expected;
  } cases[] = {
    {"cuda-device-id=-1", -1, 0}, {"cuda-device-id=0", -1, 0},
    {"cuda-device-id=1", -1, 1}, {"cuda-device-id=-1", 1, 1},
    {"cuda-device-id=1", 1, 1}, {"cuda-device-id=1", 0, 1},
    {"cuda-device-id=0", 1, 0},
  };
  Line lines[G_N_ELEMENTS (cases)];
  GstCudaContext *contexts[2];
  GRand *random = test_random ();
  MockCudaLive before;

  if (n_devices < 2) {
    g_print ("skipped: %u devices\n", n_devices);
    return;
  }
  live_before (&before);
  for (guint i = 0; i < 2; i++)
    contexts[i] = gst_cuda_context_new (i);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    line_open (&lines[i], cases[i].properties, cases[i].offered >= 0 ?
        contexts[cases[i].offered] : NULL);
    push_frames (&lines[i], GST_VIDEO_FORMAT_NV12, NULL, 8, random);
    gst_element_set_state (lines[i].pipeline, GST_STATE_PLAYING);
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstCudaContext *context;

    wait_for_end (&lines[i]);
    context = context_of (lines[i].histo);
    fail_unless_equals_int (device_of (context), cases[i].expected);
    if (cases[i].offered == (gint) cases[i].expected)
      fail_unless (context == contexts[cases[i].offered]);
    gst_object_unref (context);
    check_received (&lines[i], 8);
    line_close (&lines[i]);
  }
  for (guint i = 0; i < 2; i++)
    gst_object_unref (contexts[i]);
  check_live (&before, "device ids");
  g_rand_free (random);
}

GST_END_TEST;

/* Frames of two devices by turns, in many pipelines at once: each follows its own. */
GST_START_TEST (test_follow_in_many)
{
  enum
  { N = 8, N_FRAMES = 12 };
  GRand *random = test_random ();
  GstCudaContext *contexts[2];
  MockCudaLive before;
  Line lines[N];

  if (n_devices < 2) {
    g_print ("skipped: %u devices\n", n_devices);
    return;
  }
  live_before (&before);
  for (guint i = 0; i < 2; i++)
    contexts[i] = gst_cuda_context_new (i);
  for (guint i = 0; i < N; i++) {
    GstFlowReturn flow;

    line_open (&lines[i], NULL, contexts[i % 2]);
    for (guint f = 0; f < N_FRAMES; f++) {
      GstVideoInfo caps_info;
      GstCaps *caps;

      gst_video_info_set_format (&caps_info, GST_VIDEO_FORMAT_NV12, WIDTH,
          HEIGHT);
      lines[i].info = caps_info;
      caps = test_cuda_caps (&caps_info);
      push (&lines[i], caps, test_cuda_buffer_new (contexts[f / (1 + i / 2) % 2],
              &lines[i].info, TRUE, random));
      gst_caps_unref (caps);
    }
    g_signal_emit_by_name (lines[i].source, "end-of-stream", &flow);
  }
  for (guint i = 0; i < N; i++)
    gst_element_set_state (lines[i].pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < N; i++) {
    wait_for_end (&lines[i]);
    check_context (&lines[i], contexts[(N_FRAMES - 1) / (1 + i / 2) % 2]);
    check_received (&lines[i], N_FRAMES);
    line_close (&lines[i]);
  }
  for (guint i = 0; i < 2; i++)
    gst_object_unref (contexts[i]);
  check_live (&before, "following");
  g_rand_free (random);
}

GST_END_TEST;

/* ---- What a frame costs ------------------------------------------------------------------------------- */

typedef struct
{
  GstVideoFormat format;        /* or UNKNOWN: sound */
  gboolean on_device;
  guint launches;               /* for a frame */
} Stream;

/* What may be called when caps come, and not for a frame. */
static const gchar *const not_per_frame[] = {
  "cuMemAlloc_v2", "cuMemAllocPitch_v2", "cuMemAllocHost_v2", "cuMemHostAlloc",
  "cuMemHostRegister_v2", "cuStreamCreate", "cuStreamCreateWithPriority",
  "cuEventCreate", "cuModuleLoadData", "cuFuncSetAttribute",
  "cuCtxSynchronize", "cuStreamSynchronize", "cuMemcpyHtoD_v2",
  "cuMemcpyDtoH_v2", "cuMemcpyDtoD_v2", "cuMemcpy2D_v2"
};

/* Once it runs, nothing is allocated for a frame, no frame synchronizes the context or
 * a stream, and nothing is done for it but to launch: these frames are small enough to
 * be read where they are. */
GST_START_TEST (test_calls_of_a_frame)
{
  static const Stream streams[] = {
    {GST_VIDEO_FORMAT_NV12, FALSE, 1}, {GST_VIDEO_FORMAT_NV12, TRUE, 1},
    {GST_VIDEO_FORMAT_RGBA, FALSE, 1}, {GST_VIDEO_FORMAT_GRAY16_LE, FALSE, 2},
    {GST_VIDEO_FORMAT_UNKNOWN, FALSE, 1}
  };
  const Stream *stream = &streams[__i__];
  GRand *random = test_random ();
  GstCudaContext *context = gst_cuda_context_new (0);
  GstBuffer *frames[4];
  GstVideoInfo info;
  GstHarness *harness;
  GstCaps *caps;

  if (mock == NULL)
    return;
  if (stream->format != GST_VIDEO_FORMAT_UNKNOWN) {
    gst_video_info_set_format (&info, stream->format, WIDTH, HEIGHT);
    caps = stream->on_device ? test_cuda_caps (&info) :
        gst_video_info_to_caps (&info);
  } else {
    caps = gst_caps_from_string ("audio/x-raw, format=S16LE, rate=48000, "
        "channels=2, layout=interleaved");
    info.size = 480 * 4;
  }
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    frames[i] = stream->on_device ? test_cuda_buffer_new (context, &info, TRUE,
        random) : host_buffer_new (&info, random);

  harness = test_harness_new ("max-in-flight=4");
  gst_harness_set_src_caps (harness, caps);
  for (guint n = 0; n < 40; n++) {
    /* The first ones have each slot's memory made. */
    if (n == 20)
      mock->reset ();
    gst_buffer_unref (gst_harness_push_and_pull (harness,
            gst_buffer_ref (frames[n % G_N_ELEMENTS (frames)])));
  }
  for (guint i = 0; i < G_N_ELEMENTS (not_per_frame); i++)
    fail_unless (mock->calls_to (not_per_frame[i]) == 0, "%s: %ld times in 20 "
        "frames", not_per_frame[i], mock->calls_to (not_per_frame[i]));
  fail_unless_equals_int (mock->calls_to ("cuLaunchKernel")
      + mock->calls_to ("cuLaunchKernelEx"), 20 * stream->launches);
  fail_unless_equals_int (mock->executions (), 20 * stream->launches);
  test_harness_free (harness);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    gst_buffer_unref (frames[i]);
  gst_object_unref (context);
  g_rand_free (random);
}

GST_END_TEST;

static GstPadProbeReturn
hold (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  return GST_PAD_PROBE_OK;
}

static gpointer
push_until_refused (gpointer user_data)
{
  GstHarness *harness = user_data;
  GRand *random = g_rand_new_with_seed (1);
  GstVideoInfo info;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);
  while (gst_harness_push (harness, host_buffer_new (&info, random))
      == GST_FLOW_OK);
  g_rand_free (random);
  return NULL;
}

/* While one frame is held downstream, as many as are allowed are handed to the device,
 * each on a stream of its own, and no more. */
GST_START_TEST (test_frames_in_flight)
{
  static const guint depths[] = { 1, 3, 16 };

  if (mock == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
    GstHarness *harness = test_harness_new (NULL);
    GstPad *pad = gst_pad_get_peer (harness->sinkpad);
    gulong probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK
        | GST_PAD_PROBE_TYPE_BUFFER, hold, NULL, NULL);
    MockCudaLive before, after;
    GThread *thread;

    g_object_set (harness->element, "max-in-flight", depths[i], NULL);
    mock->reset ();
    mock->live (&before);
    gst_harness_set_src_caps_str (harness, "video/x-raw, format=GRAY8, "
        "width=48, height=20, framerate=25/1");
    mock->live (&after);
    fail_unless_equals_int (after.streams - before.streams, depths[i]);
    thread = g_thread_new ("upstream", push_until_refused, harness);
    while (mock->calls_to ("cuLaunchKernel") < depths[i] + 1
        || mock->calls_to ("cuEventSynchronize") < 1)
      g_usleep (100);
    g_usleep (20000);
    fail_unless_equals_int (mock->calls_to ("cuLaunchKernel"), depths[i] + 1);
    /* One was waited for: the one that is held. */
    fail_unless_equals_int (mock->calls_to ("cuEventSynchronize"), 1);
    gst_element_set_state (harness->element, GST_STATE_NULL);
    g_thread_join (thread);
    gst_pad_remove_probe (pad, probe);
    gst_object_unref (pad);
    test_harness_free (harness);
  }
}

GST_END_TEST;

static Suite *
many_suite (void)
{
  Suite *suite = suite_create ("many");
  TCase *tcase = tcase_create ("general");
  GstCudaContext *context;

  suite_add_tcase (suite, tcase);
  mock = test_mock ();
  if (g_str_equal (test_backend (), "cpu") || !gst_cuda_load_library ()) {
    g_print ("skipped: no CUDA\n");
    return suite;
  }
  while ((context = gst_cuda_context_new (n_devices)) != NULL) {
    n_devices++;
    gst_object_unref (context);
  }
  gst_cuda_memory_init_once ();
  tcase_set_timeout (tcase, 5);
  tcase_add_test (tcase, test_many_pipelines);
  tcase_add_test (tcase, test_shared_by_neighbours);
  tcase_add_test (tcase, test_device_id);
  tcase_add_test (tcase, test_follow_in_many);
  tcase_add_loop_test (tcase, test_calls_of_a_frame, 0, 5);
  tcase_add_test (tcase, test_frames_in_flight);
  return suite;
}

GST_CHECK_MAIN (many);
