/* Pipelines whose source uses the offered pool, or memory of its own, while each call of the driver
 * fails in turn.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "cuda-frames.h"
#include "faults.h"
#include "frames.h"
#include "pipeline.h"

#include <unistd.h>

#define N_FRAMES 7

/* One pipeline, and what came of it when it was played. */
typedef struct
{
  const gchar *elements;
  GstCaps *caps;
  gboolean without_meta;
  gboolean without_pool;        /* the source is offered no pool and uses its own */
  guint n_buffers, n_messages, n_warnings, n_errors;
  guint n_pinned;               /* buffers in the memory of the offered pool */
} Run;

static GstPadProbeReturn
count_pinned (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Run *run = user_data;

  if (gst_memory_is_type (gst_buffer_peek_memory (buffer, 0),
          "cudahisto.pinned"))
    run->n_pinned++;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
check_result (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Run *run = user_data;

  run->n_buffers++;
  if (!run->without_meta)
    test_compare_frame (buffer, run->caps,
        gst_structure_get_string (test_result (buffer), "backend"));
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement * pipeline, const gchar * element, const gchar * pad_name,
    GstPadProbeCallback callback, Run * run)
{
  GstElement *found = gst_bin_get_by_name (GST_BIN (pipeline), element);
  GstPad *pad = gst_element_get_static_pad (found, pad_name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, run, NULL);
  gst_object_unref (pad);
  gst_object_unref (found);
}

/* Counts the messages until the end of the stream or an error. */
static void
count_messages (GstElement * pipeline, Run * run)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean done = FALSE;

  while (!done) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING |
        GST_MESSAGE_ELEMENT);
    const GstMessageType type = GST_MESSAGE_TYPE (message);

    run->n_messages += gst_message_has_name (message, "cudahisto");
    run->n_warnings += type == GST_MESSAGE_WARNING;
    run->n_errors += type == GST_MESSAGE_ERROR;
    done = type == GST_MESSAGE_EOS || type == GST_MESSAGE_ERROR;
    gst_message_unref (message);
  }
  gst_object_unref (bus);
}

static void
play (Run * run)
{
  GstElement *pipeline = test_pipeline_new ("videotestsrc pattern=snow "
      "num-buffers=%d ! video/x-raw, format=NV12, width=330, height=250 ! "
      "identity name=before drop-allocation=%d ! %s ! fakesink name=after",
      N_FRAMES, run->without_pool, run->elements);

  run->n_buffers = run->n_pinned = run->n_messages = 0;
  run->n_warnings = run->n_errors = 0;
  add_probe (pipeline, "before", "src", count_pinned, run);
  add_probe (pipeline, "after", "sink", check_result, run);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  count_messages (pipeline, run);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static void
check_played (Run * run)
{
  play (run);
  fail_unless_equals_int (run->n_warnings + run->n_errors, 0);
  fail_unless_equals_int (run->n_buffers, N_FRAMES);
  fail_unless_equals_int (run->n_pinned, N_FRAMES);
}

/* A source uses the pool. Its frames pass through an element; then through two elements on two
 * devices, of which the second has made the pool. */
TEST (test_pipeline)
{
  Run run = {.caps = test_nv12_caps (330, 250) };

  run.elements = "cudahisto backend=cuda";
  check_played (&run);
  if (test_mock () != NULL) {
    run.elements = "cudahisto backend=cuda cuda-device-id=0 ! "
        "cudahisto backend=cuda cuda-device-id=1";
    check_played (&run);
  }
  gst_caps_unref (run.caps);
}

static void
play_failing (const gchar * label, gpointer user_data)
{
  Run *run = user_data;

  test_set_alarm ();
  play (run);
  alarm (0);
  if (strstr (run->elements, "backend=auto") != NULL || run->n_errors == 0) {
    fail_unless_equals_int (run->n_errors, 0);
    fail_unless_equals_int (run->n_buffers, N_FRAMES);
    fail_unless_equals_int (run->n_messages, run->without_meta ? N_FRAMES : 0);
  }
  fail_unless (run->n_errors <= 1 && run->n_warnings <= 1,
      "%s: %u errors, %u warnings", label, run->n_errors, run->n_warnings);
}

enum
{ WITH_META, MESSAGES_ONLY, WITHOUT_POOL, N_VARIANTS };

/* Each call of the driver fails in turn, and each execution. With backend=auto all results are
 * right, whichever engine computes them; with backend=cuda they are, or there is one error.
 * Nothing stays allocated. */
TEST_LOOP (test_failures, 0,
    test_mock () != NULL ? 2 * N_FAULTS * N_VARIANTS : 0)
{
  const gboolean is_auto = __i__ % 2 == 0;
  const Fault fault = __i__ / 2 % N_FAULTS;
  const guint variant = __i__ / 2 / N_FAULTS;
  gchar *elements = g_strdup_printf ("cudahisto max-in-flight=2 backend=%s "
      "page-lock-upstream=true %s",
      is_auto ? "auto" : "cuda",
      variant == MESSAGES_ONLY ? "meta=false post-messages=true" : "");
  Run run = {.elements = elements,.caps = test_nv12_caps (330, 250),
    .without_meta = variant == MESSAGES_ONLY,
    .without_pool = variant == WITHOUT_POOL
  };

  /* Some work is done only once in a process; it is done here. */
  test_mock ()->reset ();
  play (&run);
  fail_unless_equals_int (run.n_pinned, run.without_pool ? 0 : N_FRAMES);
  if (run.without_pool)
    fail_unless (test_mock ()->calls_to ("cuMemHostRegister_v2") > 0);
  fail_unless (fault_each (fault, elements, TRUE, play_failing, &run) >= 9);
  test_mock ()->reset ();
  gst_caps_unref (run.caps);
  g_free (elements);
}

/* ---- A warning whose handler stops the element -------------------------------------------------- */

typedef struct
{
  GstElement *element;
  gint has_stopped;
} WarningStop;

static GstBusSyncReply
stop_at_warning (GstBus * bus, GstMessage * message, gpointer user_data)
{
  WarningStop *it = user_data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    fail_unless (gst_element_set_state (it->element, GST_STATE_NULL)
        == GST_STATE_CHANGE_SUCCESS);
    g_atomic_int_set (&it->has_stopped, TRUE);
  }
  return GST_BUS_PASS;
}

/* The warning is posted by the publishing thread or by upstream's thread, and its handler stops the
 * element. Stopping frees the engines. The thread that posted the warning must not use them then.
 * Nothing stays allocated. */
static void
run_stopped_at_warning (const gchar * label, gpointer user_data)
{
  GstHarness *harness = gst_harness_new_parse ("cudahisto backend=auto "
      "meta=false post-messages=true max-in-flight=8");
  WarningStop it = {.element = harness->element };
  GstBus *bus = gst_bus_new ();

  test_set_alarm ();
  gst_element_set_bus (harness->element, bus);
  gst_bus_set_sync_handler (bus, stop_at_warning, &it, NULL);
  gst_harness_set_drop_buffers (harness, TRUE);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  for (guint n = 0; n < 4; n++)
    gst_harness_push (harness, test_frame_new (n));
  gst_harness_push_event (harness, gst_event_new_eos ());
  while (!g_atomic_int_get (&it.has_stopped)
      && !test_has_sent (harness, GST_EVENT_EOS))
    g_usleep (100);
  gst_element_set_state (harness->element, GST_STATE_NULL);
  gst_element_set_bus (harness->element, NULL);
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (bus);
  gst_harness_teardown (harness);
  alarm (0);
}

TEST_LOOP (test_stop_at_warning, 0, test_mock () != NULL ? N_FAULTS : 0)
{
  test_mock ()->reset ();
  run_stopped_at_warning ("no fault", NULL);
  fail_unless (fault_each (__i__, "stopped by the warning", TRUE,
          run_stopped_at_warning, NULL) >= 5);
  test_mock ()->reset ();
}

TEST_MAIN_IF (300, test_cuda_init (FALSE))
