/* Tests the log of level 5 (GST_DEBUG=cudahisto:5) of the CUDA engine: the upload route with its
 * reason, page-locked memory, and changes of context. Each is logged once, not for each buffer.
 * Runs on the mock driver (tests/mock).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "cuda-frames.h"
#include "frames.h"
#include "mock.h"

#include <gst/video/gstvideopool.h>

/* ---- The log ------------------------------------------------------------------------------ */

static GMutex lock;
static GString *text;           /* under the lock: the lines so far */

static void
keep_line (GstDebugCategory * category, GstDebugLevel level,
    const gchar * file, const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer user_data)
{
  if (g_strcmp0 (gst_debug_category_get_name (category), "cudahisto") != 0
      || level > GST_LEVEL_DEBUG)
    return;
  g_mutex_lock (&lock);
  g_string_append_printf (text, "%s\n", gst_debug_message_get (message));
  g_mutex_unlock (&lock);
}

static void
start_log (void)
{
  text = g_string_new (NULL);
  gst_debug_set_active (TRUE);
  gst_debug_set_threshold_for_name ("cudahisto", GST_LEVEL_DEBUG);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (keep_line, NULL, NULL);
}

static void
stop_log (void)
{
  gst_debug_remove_log_function (keep_line);
  g_string_free (text, TRUE);
}

/* Fails unless @part occurs so many times in the log since the last call. */
static void
check_log (const gchar * part, guint n_expected)
{
  guint n = 0;

  g_mutex_lock (&lock);
  for (const gchar * at = text->str; (at = strstr (at, part)) != NULL; at++)
    n++;
  fail_unless (n == n_expected, "%u times \"%s\" in:\n%s", n, part, text->str);
  g_mutex_unlock (&lock);
}

static void
clear_log (void)
{
  g_mutex_lock (&lock);
  g_string_truncate (text, 0);
  g_mutex_unlock (&lock);
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void
measure (GstHarness * harness, GstBuffer * buffer)
{
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (harness));
}

#define POOL_BUFFERS 2

/* Buffers that are too large to be read in place by every device. */
#define NV12 "video/x-raw, format=NV12, width=330, height=250, framerate=25/1"
#define UNPACKED "video/x-raw, format=NV12_64Z32, width=330, height=250, framerate=25/1"
#define SOUND "audio/x-raw, format=S16LE, rate=48000, channels=2, layout=interleaved"
#define SOUND_BYTES 122880

/* A pool of POOL_BUFFERS buffers in system memory. */
static GstBufferPool *
new_pool (GstCaps * caps)
{
  const gboolean is_audio =
      gst_structure_has_name (gst_caps_get_structure (caps, 0), "audio/x-raw");
  GstBufferPool *pool =
      is_audio ? gst_buffer_pool_new () : gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstVideoInfo info = {.size = SOUND_BYTES };

  if (!is_audio)
    gst_video_info_from_caps (&info, caps);
  gst_buffer_pool_config_set_params (config, caps, info.size, POOL_BUFFERS,
      POOL_BUFFERS);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  return pool;
}

/* Compares the result of the CUDA engine with the reference. */
static void
check_result (GstBuffer * buffer, GstCaps * caps)
{
  GstAudioInfo info;

  fail_unless_equals_string (gst_structure_get_string (test_result (buffer),
          "backend"), "cuda");
  if (gst_audio_info_from_caps (&info, caps))
    test_compare_audio_buffer (buffer, &info, 0, 0, 0);
  else
    test_compare_frame (buffer, caps, "cuda");
}

static void
free_pool (GstBufferPool * pool)
{
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
}

static GstBuffer *
acquire (GstBufferPool * pool, GRand * random)
{
  GstBuffer *buffer = NULL;

  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL),
      GST_FLOW_OK);
  test_fill_buffer (buffer, random);
  return buffer;
}

/* Ten frames are staged. Then page-locking is switched on, for ten more. */
TEST (test_upload_route)
{
  GRand *random = test_random ();
  GstHarness *harness;
  GstCaps *caps = gst_caps_from_string (NV12);
  GstBufferPool *pool = new_pool (caps);

  start_log ();
  harness = test_harness_new (NULL);
  gst_harness_set_src_caps (harness, caps);
  check_log ("> on CUDA device 0", 1);
  for (guint i = 0; i < 20; i++) {
    if (i == 10) {
      check_log ("slots on CUDA device 0", 1);
      check_log ("upload route: ", 1);
      check_log ("because page-lock-upstream is off", 1);
      clear_log ();
      gst_harness_set (harness, "cudahisto", "page-lock-upstream", TRUE, NULL);
    }
    measure (harness, acquire (pool, random));
  }
  check_log ("upload route: ", 2);
  check_log ("sees the memory for the first time", 1);
  check_log ("page-locked memory, with its padding", 1);
  check_log ("page-locked 1", POOL_BUFFERS);
  clear_log ();
  free_pool (pool);
  check_log ("are not page-locked any more", POOL_BUFFERS);
  test_harness_free (harness);
  g_rand_free (random);
  stop_log ();
}

/* Two elements measure the same memory. The first one is at its limit, so neither page-locks the
 * memory, and the log of each gives its own reason. */
TEST (test_memory_of_another_element)
{
  GRand *random = test_random ();
  GstHarness *harnesses[2];
  GstCaps *caps = gst_caps_from_string (NV12);
  GstBufferPool *pool = new_pool (caps);

  start_log ();
  harnesses[0] = test_harness_new ("page-lock-upstream=true page-lock-limit=0");
  harnesses[1] = test_harness_new ("page-lock-upstream=true");
  for (guint i = 0; i < 2; i++)
    gst_harness_set_src_caps (harnesses[i], gst_caps_ref (caps));
  for (guint n = 0; n < 3 * POOL_BUFFERS; n++) {
    GstBuffer *buffer = acquire (pool, random);

    for (guint i = 0; i < 2; i++) {
      fail_unless_equals_int (gst_harness_push (harnesses[i], buffer),
          GST_FLOW_OK);
      buffer = gst_harness_pull (harnesses[i]);
    }
    gst_buffer_unref (buffer);
  }
  /* Only the first element is the first to see a memory. */
  check_log ("sees the memory for the first time", 1);
  check_log ("page-lock-limit is reached", 1);
  check_log ("another element saw the memory first", 1);
  for (guint i = 0; i < 2; i++)
    test_harness_free (harnesses[i]);
  gst_caps_unref (caps);
  free_pool (pool);
  g_rand_free (random);
  stop_log ();
}

/* Frames in CUDA memory, whose context changes once. */
TEST (test_context)
{
  GRand *random = test_random ();
  GstCudaContext *contexts[2];
  GstHarness *harness;
  GstVideoInfo info;
  GstCaps *caps;

  start_log ();
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, 46, 10);
  caps = test_cuda_caps (&info);
  harness = test_harness_new (NULL);
  gst_harness_set_src_caps (harness, caps);
  for (guint i = 0; i < 2; i++) {
    contexts[i] = gst_cuda_context_new (i);
    for (guint n = 0; n < 5; n++) {
      GstVideoInfo padded = info;

      measure (harness, test_cuda_buffer_new (contexts[i], &padded, TRUE,
              random));
    }
    check_log ("follows the buffers from ", 1);
    check_log ("upload route: the kernel reads the buffer's CUDA memory", 1);
    clear_log ();
  }
  test_harness_free (harness);
  for (guint i = 0; i < 2; i++)
    gst_object_unref (contexts[i]);
  g_rand_free (random);
  stop_log ();
}

/* On an integrated device nothing is copied on the device, whatever the size. If the device uses the
 * host's page tables, the host copies nothing either. */
TEST (test_integrated)
{
  static const struct
  {
    gboolean uses_host_page_tables;
    const gchar *properties, *caps, *route;
  } cases[] = {
    {FALSE, NULL, NV12, "upload route: the host copies the buffer to page-locked "
          "memory, which the kernel reads, because page-lock-upstream is off"},
    {FALSE, "page-lock-upstream=true", NV12,
        "upload route: the kernel reads the buffer's page-locked memory"},
    {FALSE, NULL, SOUND, "upload route: the host copies the buffer to "
          "page-locked memory, which the kernel reads, because it is audio"},
    {TRUE, NULL, NV12,
        "upload route: the kernel reads the buffer's system memory"},
    {TRUE, "page-lock-upstream=true", NV12,
        "upload route: the kernel reads the buffer's system memory"},
    {TRUE, NULL, UNPACKED, "upload route: the host copies the buffer to "
          "page-locked memory, which the kernel reads, because the host unpacks "
          "the format"},
  };
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstCaps *caps = gst_caps_from_string (cases[i].caps);
    GstBufferPool *pool = new_pool (caps);
    GstHarness *harness;

    test_mock ()->reset ();
    test_mock ()->set_attribute (CU_DEVICE_ATTRIBUTE_INTEGRATED, 1);
    test_mock ()->set_attribute
        (CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
        cases[i].uses_host_page_tables);
    start_log ();
    harness = test_harness_new (cases[i].properties);
    gst_harness_set_src_caps (harness, gst_caps_ref (caps));
    for (guint n = 0; n < 2 * POOL_BUFFERS; n++) {
      GstBuffer *buffer;

      gst_harness_push (harness, acquire (pool, random));
      buffer = gst_harness_pull (harness);
      check_result (buffer, caps);
      gst_buffer_unref (buffer);
    }
    check_log (cases[i].route, 1);
    fail_unless_equals_int (test_mock ()->calls_to ("cuMemcpyHtoDAsync_v2"), 0);
    fail_unless_equals_int (test_mock ()->calls_to ("cuMemcpy2DAsync_v2"), 0);
    test_harness_free (harness);
    gst_caps_unref (caps);
    free_pool (pool);
    stop_log ();
  }
  test_mock ()->reset ();
  g_rand_free (random);
}

TEST_MAIN_IF (30, test_cuda_init (TRUE))
