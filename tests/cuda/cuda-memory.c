/* Frames in CUDA memory: measured in place, in the context of their memory, and with a device that
 * fails.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "faults.h"
#include "frames.h"
#include "session.h"

static const MockCuda *mock;

#define CUDA_WIDTH 46
#define CUDA_HEIGHT 10

/* ---- One frame ------------------------------------------------------------------------------ */

/* @backend: the engine that must have measured it, or NULL: any */
static void
check_buffer (GstBuffer * buffer, const GstVideoInfo * info,
    const gchar * backend)
{
  test_compare_video_buffer (buffer, info, 0, 0, 0);
  if (backend != NULL)
    fail_unless_equals_string (gst_structure_get_string (test_result (buffer),
            "backend"), backend);
}

static void
check_cuda_format (GstCudaContext * context, GstVideoFormat format,
    gboolean with_meta, GRand * random)
{
  GstVideoInfo caps_info, info;
  GstBuffer *buffer;
  Session session;
  GstCaps *caps;
  glong executions;

  gst_video_info_set_format (&caps_info, format, CUDA_WIDTH, CUDA_HEIGHT);
  info = caps_info;
  buffer = test_cuda_buffer_new (context, &info, with_meta, random);
  if (buffer == NULL) {
    g_print ("skipped: libgstcuda has no memory for %s\n",
        gst_video_format_to_string (format));
    return;
  }
  caps = test_cuda_caps (&caps_info);
  fail_unless (session_open (&session, "backend=cuda", context));
  session_begin (&session, caps);
  executions = mock->executions ();
  fail_unless_equals_int (gst_pad_push (session.src, gst_buffer_ref (buffer)),
      GST_FLOW_OK);
  session_end (&session);
  /* The kernel is executed, and nothing is copied. */
  fail_unless_equals_int (mock->executions () - executions, 1);
  fail_unless_equals_int (g_queue_get_length (&session.received), 1);
  check_buffer (g_queue_peek_head (&session.received), &info, "cuda");
  gst_caps_unref (caps);
  gst_buffer_unref (buffer);
  session_close (&session);
}

/* CUDA memory is measured in place, with its own strides. */
TEST (test_cuda_memory)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_P010_10LE,
    GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_RGB,
    GST_VIDEO_FORMAT_YUY2
  };
  GRand *random = test_random ();
  GstCudaContext *context;
  const MockCudaLive before = test_live ();

  mock->reset ();
  context = gst_cuda_context_new (0);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    check_cuda_format (context, formats[i], TRUE, random);
    check_cuda_format (context, formats[i], FALSE, random);
  }
  gst_object_unref (context);
  test_check_live (&before, "CUDA memory");
  g_rand_free (random);
}

/* The host has written to the frame, and libgstcuda uploads it when the element groups it. */
TEST (test_cuda_memory_to_upload)
{
  GRand *random = test_random ();
  GstCudaContext *context = gst_cuda_context_new (0);
  GstVideoInfo caps_info, info;
  GstBuffer *buffer;
  Session session;
  GstCaps *caps;

  gst_video_info_set_format (&caps_info, GST_VIDEO_FORMAT_NV12, CUDA_WIDTH,
      CUDA_HEIGHT);
  info = caps_info;
  buffer = test_cuda_buffer_new (context, &info, TRUE, random);
  test_fill_buffer (buffer, random);
  caps = test_cuda_caps (&caps_info);
  fail_unless (session_open (&session, "backend=cuda", NULL));
  session_begin (&session, caps);
  fail_unless_equals_int (gst_pad_push (session.src, buffer), GST_FLOW_OK);
  session_end (&session);
  check_buffer (g_queue_peek_head (&session.received), &info, "cuda");
  session_close (&session);
  gst_caps_unref (caps);
  gst_object_unref (context);
  g_rand_free (random);
}

/* The result of a frame, but for the engine's name. (transfer full) */
static GstStructure *
measure_masked (GstCudaContext * context, const GstVideoInfo * caps_info, GstBuffer * buffer, const gchar * backend,
    const gchar * mask)
{
  gchar *properties = g_strdup_printf ("backend=%s histogram=false mask=%s regions=\"a=3,1,21,4; b=50%%,0,50%%,100%%\"",
      backend, mask);
  GstCaps *caps = test_cuda_caps (caps_info);
  GstStructure *result;
  Session session;

  fail_unless (session_open (&session, properties, context));
  session_begin (&session, caps);
  fail_unless_equals_int (gst_pad_push (session.src, gst_buffer_copy (buffer)), GST_FLOW_OK);
  session_end (&session);
  result = gst_structure_copy (test_result (g_queue_peek_head (&session.received)));
  fail_unless_equals_string (gst_structure_get_string (result, "backend"), backend);
  gst_structure_remove_field (result, "backend");
  session_close (&session);
  gst_caps_unref (caps);
  g_free (properties);
  return result;
}

/* Frames in CUDA memory under a mask: both engines find the same, and the frame stays as it is. */
TEST (test_masks)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_YUY2
  };
  GRand *random = test_random ();
  GstCudaContext *context = gst_cuda_context_new (0);
  guint8 pixels[CUDA_WIDTH * CUDA_HEIGHT];
  gchar *file;

  for (guint i = 0; i < CUDA_WIDTH * CUDA_HEIGHT; i++)
    pixels[i] = g_rand_boolean (random);
  file = test_mask_file_new (CUDA_WIDTH, CUDA_HEIGHT, pixels);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    const gchar *mask = formats[i] == GST_VIDEO_FORMAT_RGBA ? "alpha" : file;
    GstStructure *found, *expected;
    GstVideoInfo caps_info, info;
    GstBuffer *buffer;

    gst_video_info_set_format (&caps_info, formats[i], CUDA_WIDTH, CUDA_HEIGHT);
    info = caps_info;
    buffer = test_cuda_buffer_new (context, &info, TRUE, random);
    if (buffer == NULL)
      continue;
    found = measure_masked (context, &caps_info, buffer, "cuda", mask);
    expected = measure_masked (context, &caps_info, buffer, "cpu", mask);
    fail_unless (gst_structure_is_equal (found, expected), "%s: %s\nand %s", gst_video_format_to_string (formats[i]),
        gst_structure_to_string (found), gst_structure_to_string (expected));
    gst_structure_free (found);
    gst_structure_free (expected);
    gst_buffer_unref (buffer);
  }
  test_mask_file_free (file);
  gst_object_unref (context);
  g_rand_free (random);
}

/* A frame whose planes are in a CUDA memory each, with the video meta that this needs. */
static GstBuffer *
new_frame_in_two_memories (GstCudaContext * context, GstVideoInfo * info,
    GRand * random)
{
  /* Too large for a copy in staging memory, which would need no copy to the device. */
  const guint width = 480, height = 272;
  GstBuffer *buffer = gst_buffer_new ();

  gst_video_info_set_format (info, GST_VIDEO_FORMAT_NV12, width, height);
  /* A row of U and V has as many bytes as one of Y. The allocator knows no format of one byte. */
  for (guint p = 0; p < 2; p++) {
    GstVideoInfo plane;
    GstBuffer *other;

    gst_video_info_set_format (&plane, GST_VIDEO_FORMAT_RGBA, width / 4,
        height / (1 + p));
    other = test_cuda_buffer_new (context, &plane, FALSE, random);
    info->offset[p] = gst_buffer_get_size (buffer);
    info->stride[p] = plane.stride[0];
    gst_buffer_append_memory (buffer, gst_buffer_get_memory (other, 0));
    gst_buffer_unref (other);
  }
  info->size = gst_buffer_get_size (buffer);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_NV12, width, height, 2, info->offset, info->stride);
  return buffer;
}

/* Pushes the frame in a session of its own. @error: (nullable): part of the text of the expected error */
static void
push_alone (GstCudaContext * context, const GstVideoInfo * info,
    GstBuffer * buffer, const gchar * error)
{
  GstCaps *caps = test_cuda_caps (info);
  Session session;

  mock->reset ();
  fail_unless (session_open (&session, "backend=cuda", context));
  session_begin (&session, caps);
  fail_unless_equals_int (gst_pad_push (session.src, buffer),
      error != NULL ? GST_FLOW_ERROR : GST_FLOW_OK);
  session_end (&session);
  fail_unless_equals_int (session.n_errors, error != NULL);
  fail_unless_equals_int (g_queue_get_length (&session.received),
      error == NULL);
  if (error == NULL)
    check_buffer (g_queue_peek_head (&session.received), info, "cuda");
  else
    fail_unless (strstr (session.text, error) != NULL, "%s", session.text);
  session_close (&session);
  gst_caps_unref (caps);
}

/* A frame whose planes are in two CUDA memories is measured in place. If one of the planes is in system
 * memory, the frame is uploaded. Without a video meta it is an error. */
TEST (test_two_memories)
{
  GRand *random = test_random ();
  GstCudaContext *context = gst_cuda_context_new (0);
  GstVideoInfo info;
  GstBuffer *frame = new_frame_in_two_memories (context, &info, random);
  GstBuffer *without_meta = gst_buffer_new (), *mixed = gst_buffer_copy (frame);
  const gsize size =
      gst_memory_get_sizes (gst_buffer_peek_memory (frame, 1), NULL, NULL);
  guint8 *data = g_malloc (size);

  gst_buffer_copy_into (without_meta, frame, GST_BUFFER_COPY_MEMORY, 0, -1);
  push_alone (context, &info, without_meta, "was allocated for");
  push_alone (context, &info, frame, NULL);
  fail_unless_equals_int (mock->calls_to ("cuMemcpyHtoDAsync_v2"), 0);
  for (gsize i = 0; i < size; i++)
    data[i] = g_rand_int (random);
  gst_buffer_replace_memory (mixed, 1, gst_memory_new_wrapped (0, data, size,
          0, size, data, g_free));
  push_alone (context, &info, mixed, NULL);
  fail_unless (mock->calls_to ("cuMemcpyHtoDAsync_v2") > 0);
  gst_object_unref (context);
  g_rand_free (random);
}

/* A frame whose planes are in two contexts, on two devices or on one, is uploaded: a launch reads memory
 * of one context only. */
TEST (test_memories_of_two_contexts)
{
  GRand *random = test_random ();
  GstCudaContext *first = gst_cuda_context_new (0);

  for (guint device = 0; device < 2; device++) {
    GstCudaContext *second = gst_cuda_context_new (device);
    GstVideoInfo info;
    GstBuffer *frame = new_frame_in_two_memories (first, &info, random);
    GstBuffer *other = new_frame_in_two_memories (second, &info, random);

    gst_buffer_replace_memory (frame, 1, gst_buffer_get_memory (other, 1));
    gst_buffer_unref (other);
    push_alone (first, &info, frame, NULL);
    fail_unless (mock->calls_to ("cuMemcpyHtoDAsync_v2") > 0);
    gst_object_unref (second);
  }
  gst_object_unref (first);
  g_rand_free (random);
}

/* CUDA memory without a video meta that was allocated for another format or a smaller picture than the
 * caps say: its strides are unknown, so this is an error, and the next stream is measured. */
TEST (test_other_memory)
{
  static const struct
  {
    GstVideoFormat format;
    gint width, height;
  } others[] = {
    {GST_VIDEO_FORMAT_I420, CUDA_WIDTH, CUDA_HEIGHT},
    {GST_VIDEO_FORMAT_NV12, CUDA_WIDTH - 2, CUDA_HEIGHT},
    {GST_VIDEO_FORMAT_NV12, CUDA_WIDTH, CUDA_HEIGHT - 2},
  };
  GRand *random = test_random ();
  GstCudaContext *context = gst_cuda_context_new (0);
  GstVideoInfo info;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, CUDA_WIDTH,
      CUDA_HEIGHT);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    GstVideoInfo other;

    gst_video_info_set_format (&other, others[i].format, others[i].width,
        others[i].height);
    push_alone (context, &info, test_cuda_buffer_new (context, &other, FALSE,
            random), "was allocated for");
  }
  check_cuda_format (context, GST_VIDEO_FORMAT_NV12, FALSE, random);
  gst_object_unref (context);
  g_rand_free (random);
}

/* ---- Two contexts on two devices ------------------------------------------------------------ */

#define N_CUDA_BUFFERS 8

typedef struct
{
  GstCudaContext *contexts[2];  /* on two devices */
  GstVideoInfo info;
  GstCaps *caps;
  GstBuffer *buffers[N_CUDA_BUFFERS];
} CudaInput;

/* Two buffers of each context in turn. @to_upload: the host writes to them last */
static void
cuda_input_init (CudaInput * input, gboolean to_upload)
{
  GRand *random = test_random ();

  gst_video_info_set_format (&input->info, GST_VIDEO_FORMAT_NV12, CUDA_WIDTH,
      CUDA_HEIGHT);
  input->caps = test_cuda_caps (&input->info);
  for (guint i = 0; i < 2; i++)
    input->contexts[i] = gst_cuda_context_new (i);
  fail_unless (input->contexts[0] != NULL && input->contexts[1] != NULL);
  for (guint i = 0; i < N_CUDA_BUFFERS; i++) {
    gst_video_info_set_format (&input->info, GST_VIDEO_FORMAT_NV12, CUDA_WIDTH,
        CUDA_HEIGHT);
    input->buffers[i] = test_cuda_buffer_new (input->contexts[i / 2 % 2],
        &input->info, i % 2, random);
    if (to_upload)
      test_fill_buffer (input->buffers[i], random);
  }
  g_rand_free (random);
}

static void
cuda_input_clear (CudaInput * input)
{
  for (guint i = 0; i < N_CUDA_BUFFERS; i++)
    gst_buffer_unref (input->buffers[i]);
  for (guint i = 0; i < 2; i++)
    gst_object_unref (input->contexts[i]);
  gst_caps_unref (input->caps);
}

static void
push_cuda_input (Session * session, const CudaInput * input)
{
  GstFlowReturn flow = GST_FLOW_OK;

  session_begin (session, input->caps);
  for (guint i = 0; flow == GST_FLOW_OK && i < N_CUDA_BUFFERS; i++)
    flow = gst_pad_push (session->src, gst_buffer_ref (input->buffers[i]));
}

/* The element follows buffers into their context, and no buffer is lost. */
TEST (test_follow)
{
  const MockCudaLive before = test_live ();
  CudaInput input;
  Session session;

  mock->reset ();
  cuda_input_init (&input, FALSE);
  fail_unless (session_open (&session, "backend=cuda", input.contexts[0]));
  push_cuda_input (&session, &input);
  session_end (&session);
  fail_unless_equals_int (session.n_errors, 0);
  fail_unless_equals_int (g_queue_get_length (&session.received),
      N_CUDA_BUFFERS);
  for (guint i = 0; i < N_CUDA_BUFFERS; i++)
    check_buffer (g_queue_peek_nth (&session.received, i), &input.info,
        "cuda");
  session_close (&session);
  cuda_input_clear (&input);
  test_check_live (&before, "follow");
}

/* If the user has chosen a device, buffers on another device are an error. */
TEST (test_wrong_device)
{
  const MockCudaLive before = test_live ();
  CudaInput input;
  Session session;

  mock->reset ();
  cuda_input_init (&input, FALSE);
  fail_unless (session_open (&session, "backend=cuda cuda-device-id=0", NULL));
  push_cuda_input (&session, &input);
  session_wait (&session, 2);
  session_end (&session);
  fail_unless_equals_int (g_queue_get_length (&session.received), 2);
  for (guint i = 0; i < 2; i++)
    check_buffer (g_queue_peek_nth (&session.received, i), &input.info,
        "cuda");
  fail_unless_equals_int (session.n_errors, 1);
  session_close (&session);
  cuda_input_clear (&input);
  test_check_live (&before, "wrong device");
}

/* ---- Each call fails ------------------------------------------------------------------------ */

/* The results are right. The frames are read after the device works again. */
static void
check_cuda_received (Session * session, const CudaInput * input)
{
  guint n = g_queue_get_length (&session->received);

  mock->reset ();
  for (guint i = 0; i < n; i++)
    test_result (g_queue_peek_nth (&session->received, i));
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = g_queue_peek_nth (&session->received, i);
    GstMapInfo map;

    /* After a sticky error the memory of the context cannot be read. */
    if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
      continue;
    gst_buffer_unmap (buffer, &map);
    check_buffer (buffer, &input->info, NULL);
  }
}

/* One error is allowed even with backend=auto, because the CPU engine needs the device to read its
 * memory. If only one call fails, there must be none. */
static void
check_cuda_outcome (Session * session, gboolean may_fall_back, Fault fault,
    const gchar * label)
{
  const guint n_received = g_queue_get_length (&session->received);
  const guint n_allowed = may_fall_back && fault == FAULT_ONCE ? 0 : 1;

  if (g_getenv ("CUDAHISTO_TEST_VERBOSE") != NULL)
    g_print ("%s: %s: %u buffers, %u warnings, %u errors: %s\n", label,
        mock->failed_call (), n_received, session->n_warnings,
        session->n_errors, session->text);
  fail_unless (session->n_errors <= n_allowed, "%s: %u errors: %s", label,
      session->n_errors, session->text);
  fail_unless (session->n_errors == 1 || n_received == N_CUDA_BUFFERS,
      "%s: %u buffers arrived", label, n_received);
  fail_unless (session->n_warnings <= (may_fall_back ? 1 : 0),
      "%s: %u warnings: %s", label, session->n_warnings, session->text);
}

/* libgstcuda 1.26 does not check the wait for an upload. If only that call fails, no error
 * tells that the upload is missing. */
static gboolean
is_lost_upload (gboolean to_upload, Fault fault)
{
  return to_upload && fault == FAULT_ONCE
      && g_strcmp0 (mock->failed_call (), "cuStreamSynchronize") == 0;
}

typedef struct
{
  const gchar *backend;
  gboolean to_upload;
} Way;

/* Runs once with this call failing, counted from the start of the session. Returns FALSE if there
 * were fewer calls. */
static gboolean
fail_cuda_once (Fault fault, glong number, gpointer user_data)
{
  const Way *way = user_data;
  gchar *properties = g_strdup_printf ("backend=%s max-in-flight=2", way->backend);
  gchar *label = g_strdup_printf ("CUDA memory, %s, %s %ld", way->backend,
      fault_names[fault], number);
  const MockCudaLive before = test_live ();
  gboolean failed;
  CudaInput input;
  Session session;
  glong at;

  mock->reset ();
  cuda_input_init (&input, way->to_upload);
  at = number + (fault == FAULT_EXECUTION ? mock->executions () : mock->calls ());
  fault_arm (fault, at);
  if (session_open (&session, properties, NULL)) {
    push_cuda_input (&session, &input);
    session_end (&session);
  }
  failed = fault_has_occurred (fault, at);
  check_cuda_outcome (&session, g_str_equal (way->backend, "auto"), fault, label);
  if (!is_lost_upload (way->to_upload, fault))
    check_cuda_received (&session, &input);
  mock->reset ();
  session_close (&session);
  cuda_input_clear (&input);
  test_check_live (&before, label);
  g_free (properties);
  g_free (label);
  return failed;
}

static const gchar *const backends[] = { "auto", "cuda" };

/* Each call fails in turn while the context of the frames changes: no wrong result, at most one
 * error, and nothing stays allocated. */
TEST_LOOP (test_cuda_memory_failures, 0, 2 * 2 * N_FAULTS)
{
  Way way = { backends[__i__ % 2], __i__ / 2 % 2 };
  const Fault fault = __i__ / 4;
  gchar *title = g_strdup_printf ("CUDA memory, %s", way.backend);

  mock->reset ();
  fail_unless (fault_try_each (fault, title, fail_cuda_once, &way) >= 5);
  g_free (title);
}

/* Thousands of sessions. Each one has its own time limit; see session_open(). */
static gboolean
prepare (void)
{
  mock = test_mock ();
  return test_cuda_init (TRUE);
}

TEST_MAIN_IF (300, prepare ())
