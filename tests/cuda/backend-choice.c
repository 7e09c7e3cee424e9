/* Which engine measures with backend=auto and a device: the element with the mock driver.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-frames.h"
#include "frames.h"
#include "mock.h"

#define SOUND "audio/x-raw, format=S16LE, layout=interleaved"
#define FEW_CHANNELS SOUND ", rate=48000, channels=2"
#define MANY_CHANNELS SOUND ", rate=48000, channels=64, " \
    "channel-mask=(bitmask)0"

/* Pushes a buffer of zeros. Returns which engine measured it. (transfer full) */
static gchar *
measure (GstHarness * harness, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  GstCustomMeta *meta;
  gchar *backend;

  gst_buffer_memset (buffer, 0, 0, size);
  buffer = gst_harness_push_and_pull (harness, buffer);
  meta = gst_buffer_get_custom_meta (buffer, "cudahisto");
  fail_unless (meta != NULL);
  backend = g_strdup (gst_structure_get_string (gst_custom_meta_get_structure
          (meta), "backend"));
  gst_buffer_unref (buffer);
  return backend;
}

/* The same element gets sound of few and of many channels, and video: the engine changes with the
 * caps. Explicit settings are obeyed. */
TEST_LOOP (test_engine_follows_caps, 0, 3)
{
  static const gchar *const settings[] = { "auto", "cuda", "cpu" };
  static const struct
  {
    const gchar *caps;
    gsize size;
    const gchar *by_auto;
  } streams[] = {
    {FEW_CHANNELS, 1024 * 4, "cpu"}, {MANY_CHANNELS, 1024 * 128, "cuda"},
    {GRAY_CAPS, 0, "cuda"}, {FEW_CHANNELS, 480 * 4, "cpu"},
    {GRAY_CAPS, 0, "cuda"}
  };
  const gchar *setting = settings[__i__];
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  GstHarness *harness;

  gst_util_set_object_arg (G_OBJECT (element), "backend", setting);
  harness = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++) {
    const gchar *expected = g_str_equal (setting, "auto") ? streams[i].by_auto :
        setting;
    GstCaps *caps = gst_caps_from_string (streams[i].caps);
    gsize size = streams[i].size;
    GstVideoInfo info;
    gchar *backend, *active;

    if (size == 0 && gst_video_info_from_caps (&info, caps))
      size = info.size;
    gst_harness_set_src_caps (harness, caps);
    g_object_get (harness->element, "active-backend", &active, NULL);
    fail_unless_equals_string (active, expected);
    backend = measure (harness, size);
    fail_unless_equals_string (backend, expected);
    g_free (active);
    g_free (backend);
  }
  gst_harness_teardown (harness);
}

/* Sound that the CPU measures makes no call of the driver, and no context, from the start to the end of the
 * element. */
TEST (test_cpu_leaves_the_device_alone)
{
  const MockCuda *mock = test_mock ();
  const MockCudaLive before = test_live ();
  GstHarness *harness;

  mock->reset ();
  harness = gst_harness_new ("cudahisto");
  gst_harness_set_src_caps_str (harness, FEW_CHANNELS);
  for (guint n = 0; n < 10; n++)
    g_free (measure (harness, 1024 * 4));
  fail_unless_equals_int (mock->calls (), 0);
  test_check_live (&before, "small sound");
  /* The stream that needs the device gets it. */
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  fail_unless (mock->calls_to ("cuCtxCreate_v2") == 1);
  gst_harness_teardown (harness);
  test_check_live (&before, "sound, then frames");
}

/* No usable device: it is looked for once, at the first caps that need it, and again when the element is started
 * again. */
TEST (test_no_device_is_looked_for_once)
{
  const MockCuda *mock = test_mock ();
  GstHarness *harness;
  gchar *backend;

  mock->reset ();
  harness = gst_harness_new ("cudahisto");
  mock->refuse_modules (TRUE);
  for (guint i = 0; i < 3; i++) {
    gst_harness_set_src_caps_str (harness, GRAY_CAPS);
    backend = measure (harness, GRAY_SIZE);
    fail_unless_equals_string (backend, "cpu");
    g_free (backend);
    gst_harness_set_src_caps_str (harness, FEW_CHANNELS);
  }
  fail_unless_equals_int (mock->calls_to ("cuModuleLoadData"), 1);
  mock->refuse_modules (FALSE);
  gst_element_set_state (harness->element, GST_STATE_NULL);
  gst_element_set_state (harness->element, GST_STATE_PLAYING);
  gst_harness_play (harness);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  backend = measure (harness, GRAY_SIZE);
  fail_unless_equals_string (backend, "cuda");
  g_free (backend);
  gst_harness_teardown (harness);
}

TEST_MAIN_IF (5, test_cuda_init (TRUE))
