/* meta=false post-messages=true: an element downstream may write to the buffers in place, as soon as
 * they have been measured.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"
#include "message-gate.h"
#include "mock.h"
#include "probes.h"

/* ---- After measuring --------------------------------------------------------------------------- */

/* The CPU engine takes note of its processor time last. A device is given time. */
static void
wait_until_measured (GstHarness * harness)
{
  while (!test_backend_is_cuda () && test_get_stat (harness, "cpu-time") == 0)
    g_usleep (1000);
  g_usleep (100000);
}

/* Frames that are measured when they are pushed are referenced by nobody else, although the first
 * result has not been posted yet. The mock measures nothing before somebody waits for it. */
TEST_IF (test_measured_frames, test_mock () == NULL
    || !test_backend_is_cuda ())
{
  GstHarness *harness = test_gray_harness_new ("meta=false "
      "post-messages=true max-in-flight=8");
  GstPad *pad = test_source_pad (harness);
  Writability writability = { 0, 0 };
  gint is_blocked = FALSE;
  MessageGate gate;
  gulong probe;

  message_gate_init (&gate, harness);
  test_count_writable (harness, &writability);
  /* An event holds up the task while the frames behind it are measured. */
  probe = test_block_events (pad, &is_blocked);
  gst_harness_push_event (harness,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty ("first")));
  test_wait_until_set (&is_blocked);
  for (guint n = 0; n < 6; n++)
    test_push_frame (harness, n);
  wait_until_measured (harness);
  gst_pad_remove_probe (pad, probe);
  while (g_atomic_int_get (&writability.n_buffers) < 6)
    g_usleep (1000);
  fail_unless_equals_int (writability.n_writable, 6);
  fail_unless_equals_int (message_gate_n_posted (&gate), 0);
  message_gate_allow (&gate, 6);
  message_gate_wait_posted (&gate, 6);
  for (guint n = 0; n < 6; n++)
    fail_unless_equals_float (test_get_double (test_component
            (message_gate_result (&gate, n), "Y"), "mean"), n);
  gst_object_unref (pad);
  test_drop_received (harness);
  test_harness_free (harness);
  message_gate_clear (&gate);
}

/* A frame that is measured after it was pushed is released then, before its result is posted. */
TEST (test_released_before_posting)
{
  GstHarness *harness = test_gray_harness_new ("meta=false "
      "post-messages=true");
  GstBuffer *frame = test_frame_new (1);
  MessageGate gate;

  message_gate_init (&gate, harness);
  fail_unless_equals_int (gst_harness_push (harness, gst_buffer_ref (frame)),
      GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (harness));
  message_gate_wait_arrived (&gate, 1);
  fail_unless (gst_buffer_is_writable (frame));
  message_gate_allow (&gate, 1);
  message_gate_wait_posted (&gate, 1);
  gst_buffer_unref (frame);
  test_harness_free (harness);
  message_gate_clear (&gate);
}

/* ---- While measuring --------------------------------------------------------------------------- */

#define LARGE_CAPS "video/x-raw, format=GRAY8, width=1024, height=1024, " \
    "framerate=25/1"
#define LARGE_SIZE (1024 * 1024)

/* Overwrites the frame, in place or in a copy. */
static GstPadProbeReturn
overwrite (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstBuffer *buffer =
      gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));

  gst_buffer_memset (buffer, 0, 255, LARGE_SIZE);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

/* What downstream writes is never measured. */
TEST (test_overwritten_frames)
{
  enum { N = 40 };
  GstHarness *harness = test_harness_new ("meta=false post-messages=true");
  MessageGate gate;

  gst_harness_set_src_caps_str (harness, LARGE_CAPS);
  message_gate_init (&gate, harness);
  message_gate_allow (&gate, N);
  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, overwrite,
      NULL, NULL);
  for (guint n = 0; n < N; n++) {
    fail_unless_equals_int (gst_harness_push (harness,
            test_buffer_new (LARGE_SIZE, n, n * GRAY_DURATION)), GST_FLOW_OK);
    /* Before, while and after the frame is measured. */
    g_usleep (n % 4 * 1000);
  }
  message_gate_wait_posted (&gate, N);
  for (guint n = 0; n < N; n++) {
    const GstStructure *y =
        test_component (message_gate_result (&gate, n), "Y");

    fail_unless_equals_float (test_get_double (y, "min"), n);
    fail_unless_equals_float (test_get_double (y, "max"), n);
  }
  test_drop_received (harness);
  test_harness_free (harness);
  message_gate_clear (&gate);
}

TEST_MAIN (20)
