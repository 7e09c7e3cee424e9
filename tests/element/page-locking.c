/* Memory of upstream's pool that is page-locked in place, because page-lock-upstream asks for it.
 * On the mock driver the page-locked memories are counted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"
#include "mock.h"

#include <gst/video/gstvideopool.h>

/* ---- An element after a pool in system memory ----------------------------------------------- */

typedef struct
{
  GstCaps *caps;
  GstVideoInfo info;
  GstHarness *harness;          /* NULL after it is freed */
  GstBufferPool *pool;          /* NULL after it is freed */
  GRand *random;
} Upstream;

static void
upstream_init (Upstream * upstream, guint width, guint height, guint n_buffers)
{
  GstStructure *config;

  upstream->caps = test_nv12_caps (width, height);
  gst_video_info_from_caps (&upstream->info, upstream->caps);
  upstream->harness = test_harness_new ("page-lock-upstream=true");
  gst_harness_set_src_caps (upstream->harness, gst_caps_ref (upstream->caps));
  upstream->pool = gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (upstream->pool);
  gst_buffer_pool_config_set_params (config, upstream->caps,
      upstream->info.size, n_buffers, n_buffers);
  fail_unless (gst_buffer_pool_set_config (upstream->pool, config));
  fail_unless (gst_buffer_pool_set_active (upstream->pool, TRUE));
  upstream->random = test_random ();
}

static void
upstream_free_element (Upstream * upstream)
{
  test_harness_free (upstream->harness);
  upstream->harness = NULL;
}

static void
upstream_free_pool (Upstream * upstream)
{
  gst_buffer_pool_set_active (upstream->pool, FALSE);
  gst_clear_object (&upstream->pool);
}

/* Frees the rest. Then no memory may be page-locked. */
static void
upstream_clear (Upstream * upstream)
{
  if (upstream->harness != NULL)
    upstream_free_element (upstream);
  if (upstream->pool != NULL)
    upstream_free_pool (upstream);
  if (test_mock () != NULL)
    fail_unless_equals_int (test_live ().registered_memory, 0);
  gst_caps_unref (upstream->caps);
  g_rand_free (upstream->random);
}

static GstBuffer *
upstream_acquire (Upstream * upstream)
{
  GstBuffer *buffer;

  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (upstream->pool,
          &buffer, NULL), GST_FLOW_OK);
  return buffer;
}

/* A buffer of the pool, but with another memory. @memory: (transfer full) */
static GstBuffer *
upstream_acquire_with (Upstream * upstream, GstMemory * memory)
{
  GstBuffer *buffer = upstream_acquire (upstream);

  gst_buffer_replace_all_memory (buffer, memory);
  return buffer;
}

/* Fills the buffer, measures it and returns it. */
static GstBuffer *
upstream_measure (Upstream * upstream, GstBuffer * buffer)
{
  test_fill_buffer (buffer, upstream->random);
  gst_harness_push (upstream->harness, buffer);
  buffer = gst_harness_pull (upstream->harness);
  fail_unless (buffer != NULL);
  test_compare_frame (buffer, upstream->caps, test_backend ());
  return buffer;
}

/* So many memories must be page-locked. Checked with the CUDA engine on the mock driver only. */
static void
check_registered (glong n)
{
  if (test_mock () != NULL && test_backend_is_cuda ())
    fail_unless_equals_int (test_live ().registered_memory, n);
}

/* ---- What is page-locked -------------------------------------------------------------------- */

/* A memory that arrives a second time is page-locked for the rest of its life. Its frames are then
 * copied from there, each by one copy. Memories of small frames are not page-locked. */
TEST (test_recurring)
{
  static const struct
  {
    guint width, height, registered, copies;
  } cases[] = { {38, 6, 0, 0}, {330, 250, 1, 1}, {1926, 1082, 1, 1} };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Upstream upstream;

    upstream_init (&upstream, cases[i].width, cases[i].height, 2);
    for (guint n = 0; n < 7; n++) {
      const glong before = test_executions ();

      gst_buffer_unref (upstream_measure (&upstream,
              upstream_acquire (&upstream)));
      /* The pool has two buffers. */
      if (n < 2)
        continue;
      check_registered (cases[i].registered * MIN (n - 1, 2));
      if (test_mock () != NULL && test_backend_is_cuda ())
        fail_unless_equals_int (test_executions () - before,
            cases[i].copies + 1);
    }
    /* The memories live longer than the element, and so does the lock. */
    upstream_free_element (&upstream);
    check_registered (2 * cases[i].registered);
    upstream_clear (&upstream);
  }
}

typedef struct
{
  guint8 *data;
  glong n_registered;           /* when the owner got it back */
} Wrapped;

static void
take_back (gpointer user_data)
{
  Wrapped *wrapped = user_data;

  wrapped->n_registered =
      test_mock () != NULL ? test_live ().registered_memory : 0;
  g_free (wrapped->data);
  wrapped->data = NULL;
}

/* One memory passes through two elements with a context each. It arrives a second time when the
 * first element sees it again. When its owner gets it back, after both elements were freed, it is
 * not page-locked any more. */
TEST (test_recurring_wrapped)
{
  Wrapped wrapped = { NULL, -1 };
  GstBuffer *buffer;
  Upstream upstreams[2];

  for (guint i = 0; i < 2; i++)
    upstream_init (&upstreams[i], 330, 250, 1);
  wrapped.data = g_malloc (upstreams[0].info.size);
  buffer = upstream_acquire_with (&upstreams[0], gst_memory_new_wrapped (0,
          wrapped.data, upstreams[0].info.size, 0, upstreams[0].info.size,
          &wrapped, take_back));
  for (guint n = 0; n < 6; n++) {
    buffer = upstream_measure (&upstreams[n % 2], buffer);
    check_registered (n >= 2);
  }
  upstream_free_element (&upstreams[1]);
  buffer = upstream_measure (&upstreams[0], buffer);
  upstream_free_element (&upstreams[0]);
  gst_buffer_unref (buffer);
  for (guint i = 0; i < 2; i++)
    upstream_clear (&upstreams[i]);
  fail_unless (wrapped.data == NULL);
  fail_unless_equals_int (wrapped.n_registered, 0);
  fail_unless_equals_int (test_live ().contexts, 0);
}

/* The memory of a buffer that is in no pool is not page-locked, however often it arrives. */
TEST (test_recurring_without_pool)
{
  GstBuffer *buffer;
  Upstream upstream;

  upstream_init (&upstream, 330, 250, 1);
  buffer = gst_buffer_new_allocate (NULL, upstream.info.size, NULL);
  for (guint n = 0; n < 4; n++)
    buffer = upstream_measure (&upstream, buffer);
  check_registered (0);
  gst_buffer_unref (buffer);
  upstream_clear (&upstream);
}

/* A frame is a part of a memory. The memory is page-locked if the frame is most of it, and not if
 * it holds several frames. */
TEST (test_recurring_parts)
{
  static const guint n_parts[] = { 1, 2, 3 };

  for (guint i = 0; i < G_N_ELEMENTS (n_parts); i++) {
    GstMemory *whole;
    GstMapInfo map;
    Upstream upstream;

    upstream_init (&upstream, 330, 250, 1);
    whole = gst_allocator_alloc (NULL, upstream.info.size * n_parts[i] + 64,
        NULL);
    fail_unless (gst_memory_map (whole, &map, GST_MAP_WRITE));
    test_fill_random (upstream.random, map.data, map.size);
    gst_memory_unmap (whole, &map);
    for (guint n = 0; n < 4; n++) {
      GstMemory *memory = gst_memory_share (whole,
          32 + upstream.info.size * (n % n_parts[i]), upstream.info.size);
      GstBuffer *part = upstream_acquire_with (&upstream, memory);

      gst_harness_push (upstream.harness, part);
      part = gst_harness_pull (upstream.harness);
      test_compare_frame (part, upstream.caps, test_backend ());
      gst_buffer_unref (part);
      check_registered (n > 0 && n_parts[i] == 1);
    }
    gst_memory_unref (whole);
    upstream_clear (&upstream);
  }
}

/* The driver refuses to lock the same bytes a second time. Then frames are copied by the host as
 * before, and the driver is not asked again. */
TEST (test_recurring_refused)
{
  GstBuffer *same[2];
  guint8 *data;
  Upstream upstream;

  upstream_init (&upstream, 330, 250, 2);
  data = g_malloc (upstream.info.size);
  for (guint i = 0; i < 2; i++)
    same[i] = upstream_acquire_with (&upstream, gst_memory_new_wrapped (0, data,
            upstream.info.size, 0, upstream.info.size, NULL, NULL));
  if (test_mock () != NULL)
    test_mock ()->reset ();
  for (guint n = 0; n < 8; n++)
    same[n % 2] = upstream_measure (&upstream, same[n % 2]);
  if (test_mock () != NULL && test_backend_is_cuda ())
    fail_unless_equals_int (test_mock ()->calls_to ("cuMemHostRegister_v2"), 2);
  check_registered (1);
  for (guint i = 0; i < 2; i++)
    gst_buffer_unref (same[i]);
  upstream_clear (&upstream);
  g_free (data);
}

/* If somebody has mapped a memory for writing, others that map it get a copy of it. The copy is not
 * page-locked. */
TEST (test_mapped_for_writing)
{
  GstBuffer *buffer, *out;
  GstMemory *memory;
  GstMapInfo map;
  Upstream upstream;

  upstream_init (&upstream, 330, 250, 1);
  buffer = upstream_acquire (&upstream);
  for (guint n = 0; n < 3; n++)
    buffer = upstream_measure (&upstream, buffer);
  check_registered (1);

  test_fill_buffer (buffer, upstream.random);
  memory = gst_buffer_peek_memory (buffer, 0);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  gst_harness_push (upstream.harness, gst_buffer_ref (buffer));
  out = gst_harness_pull (upstream.harness);
  fail_unless (out != NULL);
  gst_memory_unmap (memory, &map);
  test_compare_frame (out, upstream.caps, test_backend ());
  gst_buffer_unref (out);
  gst_buffer_unref (buffer);
  upstream_clear (&upstream);
}

TEST_MAIN (30)
