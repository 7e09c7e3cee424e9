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

GST_END_TEST;

/* While one frame is held downstream, `max-in-flight` others are on the device, each on a stream of
 * its own. */
GST_START_TEST (test_frames_in_flight)
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

GST_END_TEST;

static Suite *
driver_calls_suite (void)
{
  Suite *suite = suite_create ("driver-calls");
  TCase *tcase = test_add_case (suite, "general", 5);

  mock = test_mock ();
  if (!test_cuda_init (TRUE))
    return suite;
  tcase_add_loop_test (tcase, test_calls_of_a_frame, 0, 5);
  tcase_add_test (tcase, test_frames_in_flight);
  return suite;
}

GST_CHECK_MAIN (driver_calls);
