/* Buffers that change their CUDA context while the driver refuses what the change needs, and a context of
 * another device than the one that is chosen.
 * Runs on the mock driver (tests/mock), which can fail any of its calls.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "cuda-frames.h"
#include "faults.h"
#include "frames.h"

#include <unistd.h>

#define WIDTH 46
#define HEIGHT 10
#define N_CONTEXTS 2

static const MockCuda *mock;

/* A cudahisto with backend=cuda, and one NV12 frame in each of two contexts, which are on two
 * devices. */
typedef struct
{
  GstHarness *harness;
  GstCudaContext *contexts[N_CONTEXTS];
  GstVideoInfo infos[N_CONTEXTS];       /* with the strides of the frames */
  GstBuffer *frames[N_CONTEXTS];
  GRand *random;
} Fixture;

static void
fixture_init (Fixture * fixture)
{
  GstVideoInfo info;

  mock->reset ();
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT);
  fixture->random = test_random ();
  for (guint i = 0; i < N_CONTEXTS; i++) {
    fixture->contexts[i] = gst_cuda_context_new (i);
    fail_unless (fixture->contexts[i] != NULL);
    fixture->infos[i] = info;
    fixture->frames[i] = test_cuda_buffer_new (fixture->contexts[i],
        &fixture->infos[i], TRUE, fixture->random);
    fail_unless (fixture->frames[i] != NULL);
  }
  fixture->harness = test_harness_new ("max-in-flight=2");
  gst_harness_set_src_caps (fixture->harness, test_cuda_caps (&info));
}

static void
fixture_clear (Fixture * fixture)
{
  mock->reset ();
  test_harness_free (fixture->harness);
  for (guint i = 0; i < N_CONTEXTS; i++) {
    gst_buffer_unref (fixture->frames[i]);
    gst_object_unref (fixture->contexts[i]);
  }
  g_rand_free (fixture->random);
}

static GstFlowReturn
push_frame (Fixture * fixture, guint context)
{
  return gst_harness_push (fixture->harness,
      gst_buffer_ref (fixture->frames[context]));
}

/* Pulls the frame that was pushed last, and compares its result with the reference. */
static void
check_frame (Fixture * fixture, guint context)
{
  GstBuffer *buffer = gst_harness_pull (fixture->harness);

  fail_unless (buffer != NULL);
  fail_unless_equals_string (gst_structure_get_string (test_result (buffer),
          "backend"), "cuda");
  test_compare_video_buffer (buffer, &fixture->infos[context], 0, 0, 0);
  gst_buffer_unref (buffer);
}

static void
measure_frame (Fixture * fixture, guint context)
{
  fail_unless_equals_int (push_frame (fixture, context), GST_FLOW_OK);
  check_frame (fixture, context);
}

/* Fails unless the error that was posted names the kernels. */
static void
check_posted_error (Fixture * fixture)
{
  GstMessage *message = test_pop_message (fixture->harness, GST_MESSAGE_ERROR);
  GError *error = NULL;

  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (error->domain == GST_RESOURCE_ERROR);
  fail_unless (strstr (error->message, "The kernels do not load") != NULL,
      "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
}

/* The second context refuses the kernels. Its frames fail with an error that says so, and
 * launch nothing. Frames of the first context are measured as before. Once the second context
 * accepts the kernels, its frames are measured, too. */
TEST (test_modules_refused)
{
  const MockCudaLive before = test_live ();
  Fixture fixture;
  glong n_launches;

  fixture_init (&fixture);
  measure_frame (&fixture, 0);
  mock->refuse_modules (TRUE);
  n_launches = mock->calls_to ("cuLaunchKernel");
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (push_frame (&fixture, 1), GST_FLOW_ERROR);
  fail_unless_equals_int (mock->calls_to ("cuLaunchKernel"), n_launches);
  check_posted_error (&fixture);

  measure_frame (&fixture, 0);
  fail_unless_equals_int (push_frame (&fixture, 1), GST_FLOW_ERROR);

  mock->refuse_modules (FALSE);
  measure_frame (&fixture, 1);
  measure_frame (&fixture, 0);
  fixture_clear (&fixture);
  test_check_live (&before, "modules refused");
}

typedef enum
{
  REFUSED,                      /* the push returned an error */
  LOST,                         /* the frame was accepted, and an error was posted */
  MEASURED
} Outcome;

/* Pushes the frame of the second context and waits for its end. */
static Outcome
push_and_wait (Fixture * fixture)
{
  if (push_frame (fixture, 1) != GST_FLOW_OK)
    return REFUSED;
  while (gst_harness_buffers_in_queue (fixture->harness) == 0) {
    GstMessage *message =
        test_pop_message (fixture->harness, GST_MESSAGE_ERROR);

    if (message != NULL) {
      gst_message_unref (message);
      return LOST;
    }
    g_usleep (100);
  }
  return MEASURED;
}

/* Fails call (or execution) @number while the element moves to the second context and measures a
 * frame there. Then pushes more frames. Returns FALSE when there were fewer calls. */
static gboolean
fail_change (Fault fault, glong number, gpointer user_data)
{
  gchar *label = g_strdup_printf ("change of context, %s %ld",
      fault_names[fault], number);
  const MockCudaLive before = test_live ();
  Fixture fixture;
  Outcome outcome;
  gboolean failed;

  test_set_alarm ();
  fixture_init (&fixture);
  measure_frame (&fixture, 0);
  mock->reset ();
  fault_arm (fault, number);
  outcome = push_and_wait (&fixture);
  failed = fault_has_occurred (fault, number);
  if (fault != FAULT_ONCE && outcome == REFUSED)
    fail_unless_equals_int (push_and_wait (&fixture), REFUSED);

  mock->reset ();
  if (outcome == MEASURED)
    check_frame (&fixture, 1);
  /* After a lost frame the element refuses all others until it is restarted. */
  if (outcome != LOST) {
    measure_frame (&fixture, 1);
    measure_frame (&fixture, 0);
  }
  fixture_clear (&fixture);
  test_check_live (&before, label);
  alarm (0);
  g_free (label);
  return failed;
}

/* Each call of a change of context fails in turn. The frame is measured exactly, or there is
 * an error. The frames after one that was refused are measured. Nothing stays allocated. */
TEST_LOOP (test_each_call_fails, 0, 2)
{
  fail_unless (fault_try_each (__i__ == 0 ? FAULT_ONCE : FAULT_FOREVER, "change of context", fail_change, NULL) >= 10);
}

/* The context that the element gives its neighbours. The caller owns it. */
static GstCudaContext *
context_of (GstHarness * harness)
{
  GstQuery *query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
  GstCudaContext *context = NULL;
  GstContext *answer;

  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  gst_query_parse_context (query, &answer);
  fail_unless (answer != NULL);
  fail_unless (gst_structure_get (gst_context_get_structure (answer),
          GST_CUDA_CONTEXT_TYPE, GST_TYPE_CUDA_CONTEXT, &context, NULL));
  gst_query_unref (query);
  return context;
}

/* The application sets a context, and only then the device. If they do not belong together, the device
 * counts. */
TEST (test_device_after_context)
{
  MockCudaLive before;

  mock->reset ();
  before = test_live ();
  for (guint id = 0; id < N_CONTEXTS; id++) {
    GstElement *element = gst_element_factory_make ("cudahisto", NULL);
    GstCudaContext *own = gst_cuda_context_new (0);
    GstContext *context = gst_context_new_cuda_context (own);
    GstCudaContext *used;
    GstHarness *harness;
    guint device;

    gst_element_set_context (element, context);
    g_object_set (element, "cuda-device-id", (gint) id, NULL);
    gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
    harness = gst_harness_new_with_element (element, "sink", "src");
    gst_harness_set_src_caps_str (harness, GRAY_CAPS);
    test_push_frame (harness, 7);
    test_pull_frame (harness, 7);
    used = context_of (harness);
    g_object_get (used, "cuda-device-id", &device, NULL);
    fail_unless_equals_int (device, id);
    fail_unless_equals_int (used == own, id == 0);
    gst_object_unref (used);
    gst_harness_teardown (harness);
    gst_object_unref (element);
    gst_context_unref (context);
    gst_object_unref (own);
  }
  test_check_live (&before, "a context before the device");
}

static gboolean
prepare (void)
{
  mock = test_mock ();
  return test_cuda_init (TRUE);
}

TEST_MAIN_IF (300, prepare ())
