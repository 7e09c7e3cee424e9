/* Many elements in one process: in one context and on two devices. Runs on a GPU or on the mock
 * driver.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "cuda-frames.h"
#include "frames.h"
#include "mock.h"
#include "pipeline.h"

#define N_PIPELINES 64
#define WIDTH 48
#define HEIGHT 20

static guint n_devices;

/* ---- Pipelines that keep what arrives at the sink ------------------------------------------- */

typedef struct
{
  GstElement *pipeline, *histo, *source;
  GstVideoInfo info;            /* has the strides of the buffers */
  GQueue received;
} Stream;

static void
receive (GstElement * sink, GstBuffer * buffer, GstPad * pad, Stream * stream)
{
  g_queue_push_tail (&stream->received, gst_buffer_ref (buffer));
}

/* @properties: of the element, or NULL. @context: shared with the pipeline as an application does
 * it, or NULL */
static void
stream_open (Stream * stream, const gchar * properties,
    GstCudaContext * context)
{
  gchar *launch = g_strdup_printf ("appsrc name=source format=time max-bytes=0 "
      "! cudahisto name=histo backend=cuda %s ! "
      "fakesink name=sink signal-handoffs=true sync=false",
      properties != NULL ? properties : "");
  GstElement *sink;

  *stream = (Stream) {
  NULL,};
  stream->pipeline = test_pipeline_new ("%s", launch);
  stream->histo = gst_bin_get_by_name (GST_BIN (stream->pipeline), "histo");
  stream->source = gst_bin_get_by_name (GST_BIN (stream->pipeline), "source");
  sink = gst_bin_get_by_name (GST_BIN (stream->pipeline), "sink");
  g_signal_connect (sink, "handoff", G_CALLBACK (receive), stream);
  gst_object_unref (sink);
  if (context != NULL) {
    GstContext *shared = gst_context_new_cuda_context (context);

    gst_element_set_context (stream->pipeline, shared);
    gst_context_unref (shared);
  }
  g_free (launch);
}

/* @buffer: (transfer full) */
static void
push (Stream * stream, GstCaps * caps, GstBuffer * buffer)
{
  GstSample *sample = gst_sample_new (buffer, caps, NULL, NULL);
  GstFlowReturn flow = GST_FLOW_ERROR;

  g_signal_emit_by_name (stream->source, "push-sample", sample, &flow);
  fail_unless_equals_int (flow, GST_FLOW_OK);
  gst_sample_unref (sample);
  gst_buffer_unref (buffer);
}

/* Pushes n random frames and the end of the stream. The frames are in the context's memory, or in
 * system memory if @context is NULL. */
static void
push_frames (Stream * stream, GstVideoFormat format, GstCudaContext * context,
    guint n, GRand * random)
{
  GstVideoInfo caps_info;
  GstFlowReturn flow;
  GstCaps *caps;

  gst_video_info_set_format (&caps_info, format, WIDTH, HEIGHT);
  caps = context != NULL ? test_cuda_caps (&caps_info) :
      gst_video_info_to_caps (&caps_info);
  for (guint i = 0; i < n; i++) {
    stream->info = caps_info;
    push (stream, caps, context != NULL ? test_cuda_buffer_new (context,
            &stream->info, TRUE, random) :
        test_random_buffer (stream->info.size, random));
  }
  gst_caps_unref (caps);
  g_signal_emit_by_name (stream->source, "end-of-stream", &flow);
}

/* All n frames arrived, and each has the right result of the CUDA engine. */
static void
check_received (Stream * stream, guint n)
{
  fail_unless_equals_int (g_queue_get_length (&stream->received), n);
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = g_queue_peek_nth (&stream->received, i);

    fail_unless_equals_string (gst_structure_get_string (test_result (buffer),
            "backend"), "cuda");
    test_compare_video_buffer (buffer, &stream->info, 0, 0, 0);
  }
}

static void
stream_close (Stream * stream)
{
  gst_element_set_state (stream->pipeline, GST_STATE_NULL);
  g_queue_clear_full (&stream->received, (GDestroyNotify) gst_buffer_unref);
  gst_object_unref (stream->source);
  gst_object_unref (stream->histo);
  gst_object_unref (stream->pipeline);
}

/* The context that the element uses, as it answers a context query. (transfer full) */
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
check_context (Stream * stream, GstCudaContext * expected)
{
  GstCudaContext *context = context_of (stream->histo);

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

/* ---- One context ---------------------------------------------------------------------------- */

/* 64 pipelines at once in the application's context, with frames in system memory and in CUDA
 * memory. */
TEST (test_many_pipelines)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_P010_10LE
  };
  const guint n_frames = test_mock () != NULL ? 6 : 60;
  GRand *random = test_random ();
  Stream *streams = g_new0 (Stream, N_PIPELINES);
  GstCudaContext *context;
  const MockCudaLive before = test_live ();

  context = gst_cuda_context_new (0);
  for (guint i = 0; i < N_PIPELINES; i++) {
    stream_open (&streams[i], i % 3 ? NULL : "max-in-flight=2", context);
    push_frames (&streams[i], formats[i / 2 % G_N_ELEMENTS (formats)],
        i % 2 ? context : NULL, n_frames, random);
  }
  for (guint i = 0; i < N_PIPELINES; i++)
    fail_unless (gst_element_set_state (streams[i].pipeline, GST_STATE_PLAYING)
        != GST_STATE_CHANGE_FAILURE);
  for (guint i = 0; i < N_PIPELINES; i++)
    test_wait_for (streams[i].pipeline, GST_MESSAGE_EOS);
  if (test_mock () != NULL) {
    fail_unless_equals_int (test_live ().contexts - before.contexts, 1);
    fail_unless_equals_int (test_live ().modules - before.modules, 1);
  }
  for (guint i = 0; i < N_PIPELINES; i++) {
    check_context (&streams[i], context);
    check_received (&streams[i], n_frames);
    stream_close (&streams[i]);
  }
  gst_object_unref (context);
  test_check_live (&before, "64 pipelines");
  g_free (streams);
  g_rand_free (random);
}

/* The elements of one pipeline share a context without help of the application. */
TEST (test_context_of_one_pipeline)
{
  GstCudaContext *contexts[4];
  GstElement *pipeline;
  const MockCudaLive before = test_live ();

  pipeline = test_pipeline_new ("videotestsrc num-buffers=3 ! "
      "video/x-raw, format=NV12, width=64, height=48 ! tee name=t "
      "t. ! queue ! cudahisto name=a backend=cuda ! "
      "cudahisto name=b backend=cuda ! fakesink "
      "t. ! queue ! cudahisto name=c backend=cuda ! videoconvert ! "
      "cudahisto name=d backend=cuda ! fakesink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  test_wait_for (pipeline, GST_MESSAGE_EOS);
  for (guint i = 0; i < 4; i++) {
    const gchar name[] = { 'a' + i, 0 };
    GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);

    contexts[i] = context_of (element);
    fail_unless (contexts[i] == contexts[0], "%s has its own context", name);
    gst_object_unref (element);
  }
  if (test_mock () != NULL)
    fail_unless_equals_int (test_live ().contexts - before.contexts, 1);
  for (guint i = 0; i < 4; i++)
    gst_object_unref (contexts[i]);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  test_check_live (&before, "one pipeline");
}

/* ---- Two devices ---------------------------------------------------------------------------- */

/* `cuda-device-id` chooses the device, in several elements at once, whatever context is offered. */
TEST (test_device_id)
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
  Stream streams[G_N_ELEMENTS (cases)];
  GstCudaContext *contexts[2];
  GRand *random = test_random ();
  const MockCudaLive before = test_live ();

  if (n_devices < 2) {
    g_print ("skipped: %u devices\n", n_devices);
    return;
  }
  for (guint i = 0; i < 2; i++)
    contexts[i] = gst_cuda_context_new (i);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    stream_open (&streams[i], cases[i].properties, cases[i].offered >= 0 ?
        contexts[cases[i].offered] : NULL);
    push_frames (&streams[i], GST_VIDEO_FORMAT_NV12, NULL, 8, random);
    gst_element_set_state (streams[i].pipeline, GST_STATE_PLAYING);
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstCudaContext *context;

    test_wait_for (streams[i].pipeline, GST_MESSAGE_EOS);
    context = context_of (streams[i].histo);
    fail_unless_equals_int (device_of (context), cases[i].expected);
    if (cases[i].offered == (gint) cases[i].expected)
      fail_unless (context == contexts[cases[i].offered]);
    gst_object_unref (context);
    check_received (&streams[i], 8);
    stream_close (&streams[i]);
  }
  for (guint i = 0; i < 2; i++)
    gst_object_unref (contexts[i]);
  test_check_live (&before, "device ids");
  g_rand_free (random);
}

/* Frames of two devices in turn, in many pipelines at once. Each element follows its own frames. */
TEST (test_follow_in_many)
{
  enum
  { N = 8, N_FRAMES = 12 };
  GRand *random = test_random ();
  GstCudaContext *contexts[2];
  const MockCudaLive before = test_live ();
  Stream streams[N];

  if (n_devices < 2) {
    g_print ("skipped: %u devices\n", n_devices);
    return;
  }
  for (guint i = 0; i < 2; i++)
    contexts[i] = gst_cuda_context_new (i);
  for (guint i = 0; i < N; i++) {
    GstFlowReturn flow;

    stream_open (&streams[i], NULL, contexts[i % 2]);
    for (guint f = 0; f < N_FRAMES; f++) {
      GstVideoInfo caps_info;
      GstCaps *caps;

      gst_video_info_set_format (&caps_info, GST_VIDEO_FORMAT_NV12, WIDTH,
          HEIGHT);
      streams[i].info = caps_info;
      caps = test_cuda_caps (&caps_info);
      push (&streams[i], caps, test_cuda_buffer_new (contexts[f / (1 + i / 2)
                  % 2], &streams[i].info, TRUE, random));
      gst_caps_unref (caps);
    }
    g_signal_emit_by_name (streams[i].source, "end-of-stream", &flow);
  }
  for (guint i = 0; i < N; i++)
    gst_element_set_state (streams[i].pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < N; i++) {
    test_wait_for (streams[i].pipeline, GST_MESSAGE_EOS);
    check_context (&streams[i], contexts[(N_FRAMES - 1) / (1 + i / 2) % 2]);
    check_received (&streams[i], N_FRAMES);
    stream_close (&streams[i]);
  }
  for (guint i = 0; i < 2; i++)
    gst_object_unref (contexts[i]);
  test_check_live (&before, "follow");
  g_rand_free (random);
}

static gboolean
prepare (void)
{
  GstCudaContext *context;

  if (!test_cuda_init (FALSE))
    return FALSE;
  while ((context = gst_cuda_context_new (n_devices)) != NULL) {
    n_devices++;
    gst_object_unref (context);
  }
  return TRUE;
}

TEST_MAIN_IF (5, prepare ())
