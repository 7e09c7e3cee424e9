/* Which calls of the driver a frame costs, and how many frames are in flight. The mock driver
 * counts the calls.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "cuda-frames.h"
#include "frames.h"
#include "mock.h"
#include "probes.h"

#include <dlfcn.h>

#define WIDTH 48
#define HEIGHT 20

static const MockCuda *mock;

typedef struct
{
  GstVideoFormat format;        /* GST_VIDEO_FORMAT_UNKNOWN: audio */
  gboolean on_device;
  guint launches;               /* for each frame */
} Stream;

/* Calls that are allowed when the caps change, and not for each frame. */
static const gchar *const not_per_frame[] = {
  "cuMemAlloc_v2", "cuMemAllocPitch_v2", "cuMemAllocHost_v2", "cuMemHostAlloc",
  "cuMemHostRegister_v2", "cuStreamCreate", "cuStreamCreateWithPriority",
  "cuEventCreate", "cuModuleLoadData", "cuFuncSetAttribute",
  "cuCtxSynchronize", "cuStreamSynchronize", "cuMemcpyHtoD_v2",
  "cuMemcpyDtoH_v2", "cuMemcpyDtoD_v2", "cuMemcpy2D_v2"
};

/* After the first frames, a frame costs no allocation and synchronizes neither its context nor a
 * stream. The only work on the device is the kernel, because these frames are small enough to be
 * read in place. */
TEST_LOOP (test_calls_of_a_frame, 0, 5)
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
        random) : test_random_buffer (info.size, random);

  harness = test_harness_new ("max-in-flight=4");
  gst_harness_set_src_caps (harness, caps);
  for (guint n = 0; n < 40; n++) {
    /* The first frames allocate the memory of each slot. */
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

static void
wait_for_message (GstBus * bus)
{
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
      GST_MESSAGE_ELEMENT);

  fail_unless (message != NULL);
  gst_message_unref (message);
}

/* Measures frames one after the other. Waits for each result before the next frame is pushed. Returns
 * how many calls that can fail the last ten frames took, whose launches are not timed. */
static glong
calls_of_ten_frames (GstVideoFormat format, const gchar * properties)
{
  GstHarness *harness = test_harness_new (properties);
  GstBus *bus = gst_bus_new ();
  GRand *random = test_random ();
  GstVideoInfo info;
  glong calls;

  gst_element_set_bus (harness->element, bus);
  gst_video_info_set_format (&info, format, WIDTH, HEIGHT);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  /* The first 16 launches are timed, the 25th, and the 42nd. */
  for (guint n = 0; n < 40; n++) {
    if (n == 30)
      mock->reset ();
    gst_buffer_unref (gst_harness_push_and_pull (harness,
            test_random_buffer (info.size, random)));
    wait_for_message (bus);
  }
  calls = mock->calls ();
  gst_element_set_bus (harness->element, NULL);
  gst_object_unref (bus);
  test_harness_free (harness);
  g_rand_free (random);
  return calls;
}

/* Without a meta the element asks whether the launch has ended, before it leaves the wait to another
 * thread. If the launch has not ended, the frame takes two calls more than with a meta: one makes
 * the context current, and one queries the event. */
TEST_LOOP (test_calls_without_meta, 0, 2)
{
  static const GstVideoFormat formats[] =
      { GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GRAY16_LE };
  const glong with_meta = calls_of_ten_frames (formats[__i__],
      "post-messages=true");
  const glong without = calls_of_ten_frames (formats[__i__],
      "post-messages=true meta=false");

  fail_unless (without <= with_meta + 10 * 2, "%ld calls without a meta, "
      "%ld with one", without, with_meta);
}

/* The context of the frames, and whether the first frame may leave the element. */
typedef struct
{
  GstCudaContext *context;
  gint is_released;             /* atomic */
} Gate;

/* Holds the first frame until it is released. Then ends all launches, and counts calls from 0. */
static GstPadProbeReturn
hold_first_frame (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Gate *gate = user_data;
  void *driver = dlopen ("libcuda.so.1", RTLD_NOW);
  CUresult (*synchronize) (void) =
      (CUresult (*) (void)) dlsym (driver, "cuCtxSynchronize");

  while (!g_atomic_int_get (&gate->is_released))
    g_usleep (100);
  gst_cuda_context_push (gate->context);
  fail_unless_equals_int (synchronize (), CUDA_SUCCESS);
  gst_cuda_context_pop (NULL);
  dlclose (driver);
  mock->reset ();
  return GST_PAD_PROBE_REMOVE;
}

/* Without a meta, if the launch has ended when the element asks: one query finishes the frame. */
TEST (test_ended_launch_without_meta)
{
  Gate gate = {.context = gst_cuda_context_new (0) };
  GstHarness *harness = test_harness_new ("post-messages=true meta=false "
      "max-in-flight=4");
  GstPad *pad = gst_element_get_static_pad (harness->element, "src");
  GstBus *bus = gst_bus_new ();
  GRand *random = test_random ();
  GstVideoInfo info;

  gst_element_set_bus (harness->element, bus);
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT);
  gst_harness_set_src_caps (harness, test_cuda_caps (&info));
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, hold_first_frame, &gate,
      NULL);
  for (guint i = 0; i < 2; i++)
    fail_unless_equals_int (gst_harness_push (harness,
            test_cuda_buffer_new (gate.context, &info, TRUE, random)),
        GST_FLOW_OK);
  wait_for_message (bus);
  g_atomic_int_set (&gate.is_released, TRUE);
  wait_for_message (bus);
  fail_unless_equals_int (mock->calls_to ("cuEventQuery"), 1);
  fail_unless_equals_int (mock->calls_to ("cuCtxPushCurrent_v2"), 1);
  /* The launch is timed, because it is among the first ones. */
  fail_unless_equals_int (mock->calls_to ("cuEventElapsedTime"), 1);
  fail_unless_equals_int (mock->calls (), 3);
  gst_element_set_bus (harness->element, NULL);
  gst_object_unref (bus);
  gst_object_unref (pad);
  test_harness_free (harness);
  gst_object_unref (gate.context);
  g_rand_free (random);
}

/* While one frame is held downstream, `max-in-flight` others are on the device, each on a stream of
 * its own. */
TEST (test_frames_in_flight)
{
  static const guint depths[] = { 1, 3, 16 };

  for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
    GstHarness *harness = test_harness_new (NULL);
    gint n_blocked = 0;
    gulong probe = test_block_buffers (harness, &n_blocked);
    MockCudaLive before, after;
    GThread *thread;

    g_object_set (harness->element, "max-in-flight", depths[i], NULL);
    mock->reset ();
    before = test_live ();
    gst_harness_set_src_caps_str (harness, GRAY_CAPS);
    after = test_live ();
    fail_unless_equals_int (after.streams - before.streams, depths[i]);
    thread = g_thread_new ("upstream", test_push_many, harness);
    while (mock->calls_to ("cuLaunchKernel") < depths[i] + 1
        || mock->calls_to ("cuEventSynchronize") < 1)
      g_usleep (100);
    g_usleep (20000);
    fail_unless_equals_int (mock->calls_to ("cuLaunchKernel"), depths[i] + 1);
    /* Only the frame that is held was waited for. */
    fail_unless_equals_int (mock->calls_to ("cuEventSynchronize"), 1);
    gst_element_set_state (harness->element, GST_STATE_NULL);
    g_thread_join (thread);
    test_unblock_buffers (harness, probe);
    test_harness_free (harness);
  }
}

/* The streams have the highest priority if buffers wait for their results, else the lowest: when the device is
 * configured. */
TEST_LOOP (test_priority, 0, 2)
{
  static const gchar *const settings[] = { "meta=true max-in-flight=3",
    "meta=false post-messages=true max-in-flight=3"
  };
  const glong before[] = { mock->streams_of (-5), mock->streams_of (0) };
  GstHarness *harness = test_gray_harness_new (settings[__i__]);

  fail_unless_equals_int (mock->streams_of (-5) - before[0],
      __i__ == 0 ? 3 : 0);
  fail_unless_equals_int (mock->streams_of (0) - before[1],
      __i__ == 0 ? 0 : 3);
  test_harness_free (harness);
}

static gboolean
prepare (void)
{
  mock = test_mock ();
  return test_cuda_init (TRUE);
}

TEST_MAIN_IF (5, prepare ())
