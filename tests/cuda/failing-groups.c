/* A driver whose N-th call fails, for every N, while the element measures groups and regions of
 * video, or samples under a mask.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "faults.h"
#include "frames.h"
#include "session.h"

static const MockCuda *mock;

#define N_FRAMES 4
#define WIDTH 44
#define HEIGHT 10
#define PROPERTIES "histogram=false max-in-flight=2 regions=\"a=3,1,21,4; b=50%%,0,50%%,100%%\""
#define GROUPS "measures=signal+motion+color+hdr+detail+area"

/* Formats whose planes are read in place, and that are extracted; masks. */
static const struct
{
  GstVideoFormat format;
  const gchar *properties;
  gboolean has_file;            /* the property mask names a file */
} settings[] = {
  {GST_VIDEO_FORMAT_NV12, GROUPS, FALSE},
  {GST_VIDEO_FORMAT_RGBA, GROUPS, FALSE},
  {GST_VIDEO_FORMAT_NV12_4L4, GROUPS, FALSE},
  {GST_VIDEO_FORMAT_NV12, "", TRUE},
  {GST_VIDEO_FORMAT_v210, "", TRUE},
  {GST_VIDEO_FORMAT_RGBA, "mask=alpha", FALSE},
  {GST_VIDEO_FORMAT_NV12, "measures=signal+color+hdr+gamut", TRUE},
  {GST_VIDEO_FORMAT_A420, "mask=alpha", FALSE},
};

typedef struct
{
  guint setting;
  gchar *mask;                  /* the name of the file, or NULL */
  const gchar *backend;
  GstCaps *caps;
  GstBuffer *frames[N_FRAMES];
  GstStructure *expected[N_FRAMES];     /* of the healthy run */
} Input;

static void
input_init (Input * input, guint setting, const gchar * backend)
{
  guint8 pixels[WIDTH * HEIGHT];
  GRand *random = test_random ();
  GstVideoInfo info;

  memset (input, 0, sizeof *input);
  input->setting = setting;
  input->backend = backend;
  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    pixels[i] = g_rand_boolean (random);
  if (settings[setting].has_file)
    input->mask = test_mask_file_new (WIDTH, HEIGHT, pixels);
  gst_video_info_set_format (&info, settings[setting].format, WIDTH, HEIGHT);
  input->caps = gst_video_info_to_caps (&info);
  for (guint i = 0; i < N_FRAMES; i++)
    input->frames[i] = test_random_buffer (info.size, random);
  g_rand_free (random);
}

static void
input_clear (Input * input)
{
  for (guint i = 0; i < N_FRAMES; i++) {
    gst_buffer_unref (input->frames[i]);
    gst_structure_free (input->expected[i]);
  }
  gst_caps_unref (input->caps);
  if (input->mask != NULL)
    test_mask_file_free (input->mask);
}

/* ---- Comparing results ------------------------------------------------------------------------ */

/* Fields that depend on the results before, which may be missing. */
static gboolean
depends_on_the_past (const gchar * field)
{
  static const gchar *const fields[] = {
    "backend", "ti", "scene-score", "histogram-chi2", "histogram-bhattacharyya", "histogram-emd",
    NULL
  };

  return g_strv_contains (fields, field);
}

static void compare (const GstStructure * found,
    const GstStructure * expected, const gchar * label);

static void
compare_values (const GValue * found, const GValue * expected,
    const gchar * field, const gchar * label)
{
  fail_unless (found != NULL, "%s: there is no %s", label, field);
  if (GST_VALUE_HOLDS_ARRAY (expected)) {
    const guint n = gst_value_array_get_size (expected);

    fail_unless_equals_int (gst_value_array_get_size (found), n);
    for (guint i = 0; i < n; i++)
      compare_values (gst_value_array_get_value (found, i),
          gst_value_array_get_value (expected, i), field, label);
  } else if (GST_VALUE_HOLDS_STRUCTURE (expected)) {
    gchar *longer = g_strdup_printf ("%s, %s", label, field);

    compare (gst_value_get_structure (found),
        gst_value_get_structure (expected), longer);
    g_free (longer);
  } else {
    fail_unless (gst_value_compare (found, expected) == GST_VALUE_EQUAL,
        "%s: %s is %s, not %s", label, field,
        gst_value_serialize (found), gst_value_serialize (expected));
  }
}

/* All fields are equal. The whole group `motion` may be missing; without it, the frame had no
 * previous one. */
static void
compare (const GstStructure * found, const GstStructure * expected,
    const gchar * label)
{
  for (gint i = 0; i < gst_structure_n_fields (expected); i++) {
    const gchar *field = gst_structure_nth_field_name (expected, i);
    const GValue *value = gst_structure_get_value (found, field);

    if (depends_on_the_past (field)
        || (value == NULL && g_str_equal (field, "motion")))
      continue;
    compare_values (value, gst_structure_get_value (expected, field), field,
        label);
  }
}

/* ---- One session -------------------------------------------------------------------------------- */

static void
push_frames (Session * session, const Input * input)
{
  GstFlowReturn flow = GST_FLOW_OK;

  session_begin (session, input->caps);
  for (guint i = 0; flow == GST_FLOW_OK && i < N_FRAMES; i++)
    flow = gst_pad_push (session->src, gst_buffer_copy_deep (input->frames[i]));
}

static void
check_frame (const GstStructure * result, const GstStructure * expected,
    guint i, const gchar * label)
{
  gchar *longer = g_strdup_printf ("%s, frame %u by %s", label, i,
      gst_structure_get_string (result, "backend"));

  compare (result, expected, longer);
  g_free (longer);
}

static void
check_received (Session * session, Input * input, const gchar * label)
{
  const guint n = g_queue_get_length (&session->received);

  fail_unless (n == N_FRAMES || session->n_errors == 1,
      "%s: %u buffers and %u errors", label, n, session->n_errors);
  fail_unless (session->n_errors == 0
      || g_str_equal (input->backend, "cuda"), "%s: %s", label, session->text);
  for (guint i = 0; i < n; i++) {
    const GstStructure *result =
        test_result (g_queue_peek_nth (&session->received, i));

    if (input->expected[i] == NULL)
      input->expected[i] = gst_structure_copy (result);
    else
      check_frame (result, input->expected[i], i, label);
  }
}

/* @user_data: an Input */
static void
run_session (const gchar * label, gpointer user_data)
{
  Input *input = user_data;
  gchar *properties = g_strdup_printf ("backend=%s " PROPERTIES " %s %s%s", input->backend,
      settings[input->setting].properties, input->mask != NULL ? "mask=" : "", input->mask != NULL ? input->mask : "");
  Session session;

  if (session_open (&session, properties, NULL)) {
    push_frames (&session, input);
    session_end (&session);
    check_received (&session, input, label);
  } else {
    fail_unless_equals_string (input->backend, "cuda");
    fail_unless_equals_int (session.n_errors, 1);
  }
  session_close (&session);
  g_free (properties);
}

/* With backend=auto every frame leaves with the right result; only what needs a previous frame may
 * be missing. With backend=cuda one error may be posted instead. */
TEST_LOOP (test_each_call, 0, 2 * N_FAULTS * G_N_ELEMENTS (settings))
{
  const Fault fault = __i__ % N_FAULTS;
  const guint setting = __i__ / N_FAULTS / 2;
  const gchar *backend = __i__ / N_FAULTS % 2 == 0 ? "auto" : "cuda";
  Input input;

  input_init (&input, setting, backend);
  mock->reset ();
  run_session ("healthy", &input);
  fail_unless (gst_structure_has_field (input.expected[1], "motion") == g_str_equal (settings[setting].properties, GROUPS));
  fail_unless_equals_string (gst_structure_get_string (input.expected[1], "backend"), "cuda");
  fail_unless (fault_each (fault, backend, FALSE, run_session, &input) >= 8);
  input_clear (&input);
}

/* The CPU measures a frame again that the device has lost. It does not hold the frame afterwards: that
 * frame is no previous one. */
TEST (test_lost_frame_is_returned)
{
  GstHarness *harness = gst_harness_new_parse ("cudahisto backend=auto "
      "measures=motion hold-previous=true");
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  test_push_frame (harness, 0);
  test_pull_frame (harness, 0);
  mock->reset ();
  fault_arm (FAULT_EXECUTION, 1);
  test_push_frame (harness, 1);
  buffer = gst_harness_pull (harness);
  fail_unless_equals_string (gst_structure_get_string (test_result (buffer),
          "backend"), "cpu");
  gst_buffer_unref (buffer);
  test_check_no_buffer_left ();
  mock->reset ();
  gst_harness_teardown (harness);
}

static gboolean
prepare (void)
{
  mock = test_mock ();
  return test_cuda_init (TRUE);
}

/* Many sessions. Each one has its own time limit; see session_open(). */
TEST_MAIN_IF (300, prepare ())
