/* Many events in the queue: the time for each does not grow with their number.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "probes.h"

#define N_EVENTS 100000

static GstPadProbeReturn
block (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  return GST_PAD_PROBE_OK;
}

/* The test's limit of time is what fails: a queue that is searched at each event takes minutes. */
TEST (test_many_events)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstPad *pad = test_source_pad (harness);
  gulong probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM,
      block, NULL, NULL);
  guint n = 0;

  for (guint i = 0; i < N_EVENTS; i++)
    fail_unless (gst_harness_push_event (harness,
            gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
                gst_structure_new_empty ("many"))));
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  gst_pad_remove_probe (pad, probe);
  for (;;) {
    GstEvent *event = gst_harness_pull_event (harness);
    const GstEventType type = GST_EVENT_TYPE (event);

    gst_event_unref (event);
    n += type == GST_EVENT_CUSTOM_DOWNSTREAM;
    if (type == GST_EVENT_EOS)
      break;
  }
  fail_unless_equals_int (n, N_EVENTS);
  gst_object_unref (pad);
  test_harness_free (harness);
}

TEST_MAIN (10)
