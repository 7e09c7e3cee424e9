/* How frames in system memory reach the device. On the mock driver its copies are counted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"
#include "mock.h"

/* The kernel reads small frames from the staging memory. Larger frames are copied, and very large
 * ones in pieces. */
TEST (test_upload)
{
  static const struct
  {
    guint width, height, copies;
  } cases[] = { {38, 6, 0}, {330, 250, 1}, {1926, 1082, 2} };
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstCaps *caps = test_nv12_caps (cases[i].width, cases[i].height);
    GstHarness *harness = test_harness_new (NULL);
    GstVideoInfo info;
    GstBuffer *buffer;
    glong before;

    gst_video_info_from_caps (&info, caps);
    gst_harness_set_src_caps (harness, gst_caps_ref (caps));
    buffer = test_random_buffer (info.size, random);
    before = test_executions ();
    gst_harness_push (harness, buffer);
    buffer = gst_harness_pull (harness);
    if (test_mock () != NULL && test_backend_is_cuda ())
      fail_unless_equals_int (test_executions () - before, cases[i].copies + 1);
    test_compare_frame (buffer, caps, test_backend ());
    gst_buffer_unref (buffer);
    gst_caps_unref (caps);
    test_harness_free (harness);
  }
  g_rand_free (random);
}

/* The caps promise CUDA memory, but the frame is in system memory: it is uploaded, although no
 * staging memory was prepared. */
TEST (test_not_as_the_caps_say)
{
  GstCaps *caps = test_nv12_caps (330, 250);
  GstHarness *harness = test_harness_new (NULL);
  GRand *random = test_random ();
  GstVideoInfo info;

  gst_video_info_from_caps (&info, caps);
  gst_caps_set_features_simple (caps,
      gst_caps_features_new ("memory:CUDAMemory", NULL));
  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = test_random_buffer (info.size, random);

    gst_harness_push (harness, buffer);
    buffer = gst_harness_pull (harness);
    test_compare_frame (buffer, caps, test_backend ());
    gst_buffer_unref (buffer);
  }
  gst_caps_unref (caps);
  test_harness_free (harness);
  g_rand_free (random);
}

TEST_MAIN (30)
