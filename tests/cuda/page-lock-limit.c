/* Tests which memory of upstream the element page-locks: none by default; with page-lock-upstream,
 * recurring memory of a pool, up to page-lock-limit. Runs on the mock driver (tests/mock), which
 * counts the calls and the page-locked memories.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "cuda-frames.h"
#include "frames.h"
#include "mock.h"

#include <gst/video/gstvideopool.h>

#define N_BUFFERS 4

static const MockCuda *mock;

/* ---- A pool of upstream's own ------------------------------------------------------------- */

typedef struct
{
  GstBufferPool *pool;
  GstCaps *caps;
  gsize size;                   /* bytes of one memory that would be page-locked */
  GRand *random;
} Upstream;

static GstBuffer *
acquire (Upstream * upstream)
{
  GstBuffer *buffer = NULL;

  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (upstream->pool,
          &buffer, NULL), GST_FLOW_OK);
  return buffer;
}

static void
upstream_init_sized (Upstream * upstream, guint width, guint height)
{
  GstStructure *config;
  GstVideoInfo info;
  GstBuffer *buffer;

  upstream->caps = test_nv12_caps (width, height);
  fail_unless (gst_video_info_from_caps (&info, upstream->caps));
  upstream->random = test_random ();
  upstream->pool = gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (upstream->pool);
  gst_buffer_pool_config_set_params (config, upstream->caps, info.size,
      N_BUFFERS, N_BUFFERS);
  fail_unless (gst_buffer_pool_set_config (upstream->pool, config));
  fail_unless (gst_buffer_pool_set_active (upstream->pool, TRUE));

  buffer = acquire (upstream);
  upstream->size = gst_buffer_peek_memory (buffer, 0)->maxsize;
  gst_buffer_unref (buffer);
}

/* A pool of N_BUFFERS frames, which it gives out in turn. The frames are too large for the kernel
 * to read them from staging memory, and are sent in one piece. */
static void
upstream_init (Upstream * upstream)
{
  upstream_init_sized (upstream, 330, 250);
}

/* Frees the pool's memory. */
static void
upstream_free_pool (Upstream * upstream)
{
  gst_buffer_pool_set_active (upstream->pool, FALSE);
  gst_clear_object (&upstream->pool);
}

static void
upstream_clear (Upstream * upstream)
{
  if (upstream->pool != NULL)
    upstream_free_pool (upstream);
  gst_caps_unref (upstream->caps);
  g_rand_free (upstream->random);
}

static GstHarness *
new_element (const Upstream * upstream, const gchar * properties)
{
  GstHarness *harness = test_harness_new (properties);

  gst_harness_set_src_caps (harness, gst_caps_ref (upstream->caps));
  return harness;
}

static gchar *
with_limit (guint64 limit)
{
  return g_strdup_printf ("page-lock-upstream=true page-lock-limit=%"
      G_GUINT64_FORMAT, limit);
}

/* Fills a buffer, measures it, and compares the result with the reference. Returns the buffer. */
static GstBuffer *
measure (Upstream * upstream, GstHarness * harness, GstBuffer * buffer)
{
  test_fill_buffer (buffer, upstream->random);
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (harness);
  fail_unless (buffer != NULL);
  test_compare_frame (buffer, upstream->caps, "cuda");
  return buffer;
}

/* Has each buffer of the pool measured so many times, all buffers in turn. */
static void
measure_rounds (Upstream * upstream, GstHarness * harness, guint n_rounds)
{
  const guint n = n_rounds * N_BUFFERS;

  for (guint i = 0; i < n; i++)
    gst_buffer_unref (measure (upstream, harness, acquire (upstream)));
}

static glong
n_registered (void)
{
  return test_live ().registered_memory;
}

/* ---- Tests ---------------------------------------------------------------------------------- */

/* By default the element asks the driver for no memory of upstream. */
TEST (test_off_by_default)
{
  gboolean is_on = TRUE;
  guint64 limit = 0;
  GstHarness *harness;
  Upstream upstream;

  upstream_init (&upstream);
  harness = new_element (&upstream, NULL);
  mock->reset ();
  measure_rounds (&upstream, harness, 4);
  fail_unless_equals_int (mock->calls_to ("cuMemHostRegister_v2"), 0);
  gst_harness_get (harness, "cudahisto", "page-lock-upstream", &is_on,
      "page-lock-limit", &limit, NULL);
  fail_unless (!is_on);
  fail_unless_equals_uint64 (limit, 256 * 1024 * 1024);
  test_harness_free (harness);
  upstream_clear (&upstream);
}

/* With page-lock-upstream, each memory of the pool is page-locked when it comes for the second
 * time, and until it is freed. */
TEST (test_on)
{
  GstHarness *harness;
  Upstream upstream;

  upstream_init (&upstream);
  harness = new_element (&upstream, "page-lock-upstream=true");
  measure_rounds (&upstream, harness, 1);
  fail_unless_equals_int (n_registered (), 0);
  measure_rounds (&upstream, harness, 1);
  fail_unless_equals_int (n_registered (), N_BUFFERS);
  test_harness_free (harness);
  fail_unless_equals_int (n_registered (), N_BUFFERS);
  upstream_clear (&upstream);
  fail_unless_equals_int (n_registered (), 0);
}

/* The limit is kept to the byte. */
TEST (test_limit)
{
  Upstream upstream;

  upstream_init (&upstream);
  for (guint n = 0; n <= N_BUFFERS; n++) {
    for (gint extra = n > 0 ? -1 : 0; extra <= 1; extra++) {
      gchar *properties = with_limit (n * upstream.size + extra);
      GstHarness *harness = new_element (&upstream, properties);
      Upstream other;

      /* A pool of its own: memory stays page-locked as long as it lives. */
      upstream_init (&other);
      mock->reset ();
      measure_rounds (&other, harness, 4);
      fail_unless_equals_int (n_registered (), n - (extra < 0));
      /* The driver is not asked for memory beyond the limit. */
      fail_unless_equals_int (mock->calls_to ("cuMemHostRegister_v2"),
          n - (extra < 0));
      upstream_clear (&other);
      test_harness_free (harness);
      g_free (properties);
    }
  }
  upstream_clear (&upstream);
}

/* Memory that is freed gives its bytes back to the element's limit. */
TEST (test_freed_memory)
{
  GstHarness *harness;
  Upstream upstream;
  gchar *properties;

  upstream_init (&upstream);
  properties = with_limit (2 * upstream.size);
  harness = new_element (&upstream, properties);
  for (guint i = 0; i < 3; i++) {
    measure_rounds (&upstream, harness, 3);
    fail_unless_equals_int (n_registered (), 2);
    upstream_clear (&upstream);
    fail_unless_equals_int (n_registered (), 0);
    upstream_init (&upstream);
  }
  upstream_clear (&upstream);
  test_harness_free (harness);
  g_free (properties);
}

/* Memory that outlives a restart of the element counts further on. */
TEST (test_restart)
{
  GstHarness *harness;
  Upstream upstream[2];
  gchar *properties;

  for (guint i = 0; i < 2; i++)
    upstream_init (&upstream[i]);
  properties = with_limit (N_BUFFERS * upstream[0].size);
  harness = new_element (&upstream[0], properties);
  measure_rounds (&upstream[0], harness, 2);
  fail_unless_equals_int (n_registered (), N_BUFFERS);
  gst_element_set_state (harness->element, GST_STATE_NULL);
  gst_element_set_state (harness->element, GST_STATE_PLAYING);
  gst_harness_set_src_caps (harness, gst_caps_ref (upstream[1].caps));
  measure_rounds (&upstream[1], harness, 3);
  fail_unless_equals_int (n_registered (), N_BUFFERS);
  for (guint i = 0; i < 2; i++)
    upstream_clear (&upstream[i]);
  test_harness_free (harness);
  g_free (properties);
}

/* Both properties can be changed while the element plays. What is page-locked stays so. */
TEST (test_changed_while_playing)
{
  GstHarness *harness;
  Upstream upstream;

  upstream_init (&upstream);
  harness = new_element (&upstream, NULL);
  measure_rounds (&upstream, harness, 2);
  gst_harness_set (harness, "cudahisto", "page-lock-upstream", TRUE,
      "page-lock-limit", (guint64) upstream.size, NULL);
  /* Memory that came before does not count as seen. */
  measure_rounds (&upstream, harness, 1);
  fail_unless_equals_int (n_registered (), 0);
  measure_rounds (&upstream, harness, 2);
  fail_unless_equals_int (n_registered (), 1);
  gst_harness_set (harness, "cudahisto", "page-lock-limit",
      (guint64) 3 * upstream.size, NULL);
  measure_rounds (&upstream, harness, 1);
  fail_unless_equals_int (n_registered (), 3);
  gst_harness_set (harness, "cudahisto", "page-lock-limit", (guint64) 0, NULL);
  measure_rounds (&upstream, harness, 1);
  fail_unless_equals_int (n_registered (), 3);
  gst_harness_set (harness, "cudahisto", "page-lock-upstream", FALSE,
      "page-lock-limit", G_MAXUINT64, NULL);
  measure_rounds (&upstream, harness, 1);
  fail_unless_equals_int (n_registered (), 3);
  upstream_clear (&upstream);
  fail_unless_equals_int (n_registered (), 0);
  test_harness_free (harness);
}

/* Has each buffer of the pool measured by one element, then by the other. */
static void
measure_by_both (Upstream * upstream, GstHarness * harnesses[2])
{
  for (guint i = 0; i < N_BUFFERS; i++) {
    GstBuffer *buffer = measure (upstream, harnesses[0], acquire (upstream));

    gst_buffer_unref (measure (upstream, harnesses[1], buffer));
  }
}

/* Of two elements that measure the same buffers, the first one's limit counts. */
TEST (test_two_elements)
{
  GstHarness *harnesses[2];
  Upstream upstream;
  gchar *properties;

  upstream_init (&upstream);
  properties = with_limit (upstream.size);
  harnesses[0] = new_element (&upstream, properties);
  harnesses[1] = new_element (&upstream, "page-lock-upstream=true");
  for (guint i = 0; i < 4; i++)
    measure_by_both (&upstream, harnesses);
  fail_unless_equals_int (n_registered (), 1);

  /* Once the first element is gone, the second one's limit counts. */
  test_harness_free (harnesses[0]);
  measure_rounds (&upstream, harnesses[1], 2);
  fail_unless_equals_int (n_registered (), N_BUFFERS);
  test_harness_free (harnesses[1]);
  upstream_clear (&upstream);
  fail_unless_equals_int (n_registered (), 0);
  g_free (properties);
}

/* An element that page-locks nothing does not hinder another one. It reads in place the memory that
 * the other one has page-locked. */
TEST (test_only_second_element)
{
  GstHarness *harnesses[2];
  Upstream upstream;

  /* Large enough to be staged and sent in two pieces. */
  upstream_init_sized (&upstream, 1926, 1082);
  harnesses[0] = new_element (&upstream, NULL);
  harnesses[1] = new_element (&upstream, "page-lock-upstream=true");
  measure_by_both (&upstream, harnesses);
  measure_by_both (&upstream, harnesses);
  fail_unless_equals_int (n_registered (), N_BUFFERS);

  mock->reset ();
  measure_rounds (&upstream, harnesses[0], 1);
  /* For each frame one copy, from upstream's memory, and one launch. */
  fail_unless_equals_int (mock->executions (), 2 * N_BUFFERS);
  for (guint i = 0; i < 2; i++)
    test_harness_free (harnesses[i]);
  upstream_clear (&upstream);
}

/* Memory that the driver refuses does not count: here two memories of the same bytes, of which
 * the second cannot be page-locked. */
TEST (test_refused)
{
  GstBuffer *frames[3];
  GstHarness *harness;
  Upstream upstream;
  gchar *properties;
  guint8 *data;
  gsize size;

  upstream_init (&upstream);
  properties = with_limit (2 * upstream.size);
  harness = new_element (&upstream, properties);
  data = g_malloc (upstream.size);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    frames[i] = acquire (&upstream);
    size = gst_buffer_get_size (frames[i]);
    if (i < 2)
      gst_buffer_replace_all_memory (frames[i], gst_memory_new_wrapped (0,
              data, upstream.size, 0, size, NULL, NULL));
  }
  mock->reset ();
  for (guint n = 0; n < 4; n++) {
    for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
      frames[i] = measure (&upstream, harness, frames[i]);
  }
  fail_unless_equals_int (n_registered (), 2);
  /* The driver is asked once for each memory. */
  fail_unless_equals_int (mock->calls_to ("cuMemHostRegister_v2"), 3);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    gst_buffer_unref (frames[i]);
  upstream_clear (&upstream);
  test_harness_free (harness);
  g_free (properties);
  g_free (data);
}

/* Memory that another user has mapped for writing when it comes for the second time is page-locked
 * at a later visit. */
TEST (test_mapped_by_another_user)
{
  GstHarness *harness;
  Upstream upstream;
  GstBuffer *buffer;
  GstMemory *memory;
  GstMapInfo map;

  upstream_init (&upstream);
  harness = new_element (&upstream, "page-lock-upstream=true");
  buffer = measure (&upstream, harness, acquire (&upstream));
  test_fill_buffer (buffer, upstream.random);
  memory = gst_memory_ref (gst_buffer_peek_memory (buffer, 0));
  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  mock->reset ();
  /* The second reference stops the element's mapping from replacing the buffer's memory. */
  fail_unless_equals_int (gst_harness_push (harness, gst_buffer_ref (buffer)),
      GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (harness));
  gst_memory_unmap (memory, &map);
  gst_memory_unref (memory);
  fail_unless_equals_int (n_registered (), 0);
  fail_unless_equals_int (mock->calls_to ("cuMemHostRegister_v2"), 0);

  buffer = measure (&upstream, harness, buffer);
  fail_unless_equals_int (n_registered (), 1);
  gst_buffer_unref (buffer);
  upstream_clear (&upstream);
  fail_unless_equals_int (n_registered (), 0);
  test_harness_free (harness);
}

/* Memory is freed in a context that has failed: nothing stays page-locked, and its bytes are
 * given back. */
TEST (test_failed_context)
{
  GstHarness *harness;
  Upstream upstream;
  gchar *properties;

  upstream_init (&upstream);
  properties = with_limit (N_BUFFERS * upstream.size);
  harness = new_element (&upstream, properties);
  measure_rounds (&upstream, harness, 2);
  fail_unless_equals_int (n_registered (), N_BUFFERS);
  /* The next call kills the context. */
  mock->reset ();
  mock->fail_call (1, MOCK_CUDA_FAIL_STICKY);
  gst_harness_push (harness, acquire (&upstream));
  fail_unless (mock->failed_call () != NULL);
  gst_element_set_state (harness->element, GST_STATE_NULL);
  upstream_clear (&upstream);
  fail_unless_equals_int (n_registered (), 0);

  mock->reset ();
  upstream_init (&upstream);
  gst_element_set_state (harness->element, GST_STATE_PLAYING);
  gst_harness_set_src_caps (harness, gst_caps_ref (upstream.caps));
  measure_rounds (&upstream, harness, 2);
  fail_unless_equals_int (n_registered (), N_BUFFERS);
  test_harness_free (harness);
  upstream_clear (&upstream);
  g_free (properties);
}

static gboolean
prepare (void)
{
  mock = test_mock ();
  return test_cuda_init (TRUE);
}

TEST_MAIN_IF (60, prepare ())
