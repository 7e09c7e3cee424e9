/* Another thread of the process captures a CUDA graph in the global mode, as PyTorch does, while the
 * element starts, measures, changes its caps and stops. Neither notices the other. Runs on a GPU or on
 * the mock driver.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>

#include <gst/video/gstvideopool.h>

#include "compare.h"
#include "cuda-frames.h"
#include "frames.h"
#include "mock.h"
#include "pipeline.h"
#include "probes.h"

/* ---- The capture ---------------------------------------------------------------------------- */

enum
{ CAPTURE_MODE_GLOBAL = 0, STREAM_NON_BLOCKING = 1 };

typedef struct
{
  GThread *thread;
  gint has_begun, is_to_end;
  GstCudaContext *context;
  int (*stream_create) (void **, unsigned);
  int (*stream_destroy) (void *);
  int (*begin) (void *, int);
  int (*end) (void *, void **);
} Capture;

static void
find_function (gpointer function, const gchar * name)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);

  *(void **) function = dlsym (library, name);
  fail_unless (*(void **) function != NULL, "no %s", name);
}

static gpointer
run_capture (gpointer data)
{
  Capture *capture = data;
  void *stream = NULL, *graph = NULL;
  int result;

  gst_cuda_context_push (capture->context);
  fail_unless_equals_int (capture->stream_create (&stream, STREAM_NON_BLOCKING),
      0);
  fail_unless_equals_int (capture->begin (stream, CAPTURE_MODE_GLOBAL), 0);
  g_atomic_int_set (&capture->has_begun, TRUE);
  test_wait_until_set (&capture->is_to_end);
  /* A graph of nothing, which is not worth freeing. */
  result = capture->end (stream, &graph);
  capture->stream_destroy (stream);
  gst_cuda_context_pop (NULL);
  return GINT_TO_POINTER (result);
}

static void
capture_begin (Capture * capture, GstCudaContext * context)
{
  *capture = (Capture) {.context = context };
  find_function (&capture->stream_create, "cuStreamCreate");
  find_function (&capture->stream_destroy, "cuStreamDestroy_v2");
  find_function (&capture->begin, "cuStreamBeginCapture_v2");
  find_function (&capture->end, "cuStreamEndCapture");
  capture->thread = g_thread_new ("capture", run_capture, capture);
  test_wait_until_set (&capture->has_begun);
}

/* Nothing has ended the capture before. */
static void
capture_end (Capture * capture)
{
  g_atomic_int_set (&capture->is_to_end, TRUE);
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (capture->thread)), 0);
}

/* ---- What the element does meanwhile ---------------------------------------------------------- */

/* The frames of a pool of two, whose memory comes again. The large ones are sent, and page-locked in
 * place if that is on. */
static void
measure_frames (GstHarness * harness, guint width, guint height, GRand * random)
{
  GstBufferPool *pool = gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *caps = test_nv12_caps (width, height);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_buffer_pool_config_set_params (config, caps, info.size, 2, 2);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  for (guint n = 0; n < 6; n++) {
    GstBuffer *buffer = NULL;

    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL),
        GST_FLOW_OK);
    test_fill_buffer (buffer, random);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
    buffer = gst_harness_pull (harness);
    test_compare_frame (buffer, caps, "cuda");
    gst_buffer_unref (buffer);
  }
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_caps_unref (caps);
}

/* libgstcuda's own copies would end the capture: the reference reads the frame after it. */
static GstBuffer *
measure_cuda_frame (GstHarness * harness, GstBuffer * frame, const GstVideoInfo * info)
{
  gst_harness_set_src_caps (harness, test_cuda_caps (info));
  fail_unless_equals_int (gst_harness_push (harness, frame), GST_FLOW_OK);
  frame = gst_harness_pull (harness);
  fail_unless (frame != NULL);
  return frame;
}

/* The element starts in a context of its own, and follows the last frame to that of the capture. */
static void
check_capture (const gchar * properties)
{
  GstCudaContext *context = gst_cuda_context_new (0);
  GRand *random = test_random ();
  GstHarness *harness = test_harness_new (properties);
  const glong n_registered = test_live ().registered_memory;
  GstVideoInfo info, info_of_caps;
  GstBuffer *frame;
  Capture capture;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, 64, 32);
  info_of_caps = info;
  frame = test_cuda_buffer_new (context, &info, TRUE, random);
  capture_begin (&capture, context);
  measure_frames (harness, 330, 250, random);
  measure_frames (harness, 46, 10, random);
  frame = measure_cuda_frame (harness, frame, &info_of_caps);
  test_harness_free (harness);
  capture_end (&capture);

  test_compare_video_buffer (frame, &info, 0, 0, 0);
  gst_buffer_unref (frame);
  gst_object_unref (context);
  g_rand_free (random);
  fail_unless_equals_int (test_live ().registered_memory, n_registered);
}

TEST (test_capture)
{
  check_capture ("");
  check_capture ("page-lock-upstream=true");
  check_capture ("measures=signal+motion max-in-flight=1");
}

/* The memory that the element offers to upstream, and sound. */
TEST (test_pipelines)
{
  static const gchar *const sources[] = {
    "videotestsrc num-buffers=10 ! video/x-raw, format=NV12, width=640, height=480",
    "audiotestsrc num-buffers=10 ! audio/x-raw, format=S16LE",
  };
  GstCudaContext *context = gst_cuda_context_new (0);

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++) {
    GstElement *pipeline =
        test_pipeline_new ("%s ! cudahisto backend=cuda ! fakesink", sources[i]);
    Capture capture;

    capture_begin (&capture, context);
    test_set_state (pipeline, GST_STATE_PLAYING);
    test_wait_for (pipeline, GST_MESSAGE_EOS);
    test_pipeline_free (pipeline);
    capture_end (&capture);
  }
  gst_object_unref (context);
}

TEST_MAIN_IF (60, test_cuda_init (FALSE))
