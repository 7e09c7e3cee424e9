/* meta=false post-messages=true: when the element pushes a frame in CUDA memory that the device
 * has measured, nothing else references the frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>

#include "compare.h"
#include "cuda-frames.h"
#include "frames.h"
#include "message-gate.h"
#include "probes.h"

enum
{ N_FRAMES = 6, WIDTH = 46, HEIGHT = 10 };

/* Waits for all that the device has to do in this context. */
static void
synchronize (GstCudaContext * context)
{
  int (*ctx_synchronize) (void) = NULL;
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);

  *(void **) &ctx_synchronize = dlsym (library, "cuCtxSynchronize");
  fail_unless (ctx_synchronize != NULL);
  fail_unless (gst_cuda_context_push (context));
  fail_unless_equals_int (ctx_synchronize (), 0);
  gst_cuda_context_pop (NULL);
}

TEST (test_measured_frames)
{
  GstHarness *harness = test_harness_new ("meta=false post-messages=true "
      "max-in-flight=8");
  GstCudaContext *context = gst_cuda_context_new (0);
  GstPad *pad = test_source_pad (harness);
  GRand *random = test_random ();
  Writability writability = { 0, 0 };
  gint is_blocked = FALSE;
  GstVideoInfo info;
  MessageGate gate;
  GstCaps *caps;
  gulong probe;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT);
  caps = test_cuda_caps (&info);
  gst_harness_set_src_caps (harness, caps);
  message_gate_init (&gate, harness);
  test_count_writable (harness, &writability);
  /* An event holds up the task while the frames behind it are measured. */
  probe = test_block_events (pad, &is_blocked);
  gst_harness_push_event (harness,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty ("first")));
  test_wait_until_set (&is_blocked);
  for (guint n = 0; n < N_FRAMES; n++) {
    GstVideoInfo its_info = info;

    fail_unless_equals_int (gst_harness_push (harness,
            test_cuda_buffer_new (context, &its_info, TRUE, random)),
        GST_FLOW_OK);
  }
  synchronize (context);
  gst_pad_remove_probe (pad, probe);
  while (g_atomic_int_get (&writability.n_buffers) < N_FRAMES)
    g_usleep (1000);
  fail_unless_equals_int (writability.n_writable, N_FRAMES);
  fail_unless_equals_int (message_gate_n_posted (&gate), 0);
  message_gate_allow (&gate, N_FRAMES);
  message_gate_wait_posted (&gate, N_FRAMES);
  for (guint n = 0; n < N_FRAMES; n++)
    fail_unless_equals_uint64 (test_get_uint64 (test_component
            (message_gate_result (&gate, n), "Y"), "count"), WIDTH * HEIGHT);
  gst_object_unref (pad);
  test_drop_received (harness);
  test_harness_free (harness);
  message_gate_clear (&gate);
  gst_object_unref (context);
  g_rand_free (random);
}

TEST_MAIN_IF (20, test_cuda_init (FALSE))
