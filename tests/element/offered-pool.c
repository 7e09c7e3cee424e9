/* The pool of page-locked memory that the CUDA engine offers to upstream, and frames in it. On the
 * mock driver the copies to the device are counted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"
#include "mock.h"

#include <gst/video/gstvideopool.h>

/* ---- Offers --------------------------------------------------------------------------------- */

/* The answer to an ALLOCATION query for these caps, which the harness already has. */
static GstQuery *
ask (GstHarness * harness, GstCaps * caps, gboolean need_pool)
{
  GstQuery *query = gst_query_new_allocation (caps, need_pool);

  fail_unless (gst_pad_peer_query (harness->srcpad, query), "%" GST_PTR_FORMAT,
      caps);
  return query;
}

/* The first pool of the answer, or NULL. (transfer full) */
static GstBufferPool *
offered_pool (GstHarness * harness, GstCaps * caps, gboolean need_pool)
{
  GstQuery *query = ask (harness, caps, need_pool);
  GstBufferPool *pool = NULL;

  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  gst_query_unref (query);
  return pool;
}

/* @is_offered: whether a pool must be offered */
static void
check_offer (const gchar * caps_string, gboolean need_pool, gboolean is_offered)
{
  GstCaps *caps = gst_caps_from_string (caps_string);
  GstHarness *harness = test_harness_new (NULL);
  GstBufferPool *pool;

  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  pool = offered_pool (harness, caps, need_pool);
  fail_unless (is_offered == (pool != NULL), "%s: %s pool", caps_string,
      pool != NULL ? "a" : "no");
  gst_clear_object (&pool);
  gst_caps_unref (caps);
  test_harness_free (harness);
}

#define SMALL "width=64, height=32, framerate=25/1"

/* The CUDA engine offers a pool for frames in system memory that its kernels can read. Nothing else
 * gets a pool. */
TEST (test_offer)
{
  check_offer ("video/x-raw, format=NV12, " SMALL, TRUE,
      test_backend_is_cuda ());
  check_offer ("video/x-raw, format=NV12, " SMALL, FALSE, FALSE);
  check_offer ("video/x-raw(memory:CUDAMemory), format=NV12, " SMALL, TRUE,
      FALSE);
  /* The host unpacks this format. */
  check_offer ("video/x-raw, format=NV12_4L4, " SMALL, TRUE, FALSE);
  check_offer ("audio/x-raw, format=S16LE, rate=8000, channels=1, "
      "layout=interleaved", TRUE, FALSE);
}

/* What downstream offers: a pool, an allocator, or only a number of buffers. */
typedef enum
{ OFFER_POOL, OFFER_ALLOCATOR, OFFER_COUNT } Offer;

static GstPadProbeReturn
answer (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  const Offer offer = GPOINTER_TO_INT (user_data);
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  if (offer == OFFER_POOL) {
    GstBufferPool *pool = gst_video_buffer_pool_new ();

    gst_query_add_allocation_pool (query, NULL, 3072, 1, 0);
    gst_query_add_allocation_pool (query, pool, 3072, 1, 0);
    gst_object_unref (pool);
  } else if (offer == OFFER_ALLOCATOR) {
    GstAllocator *allocator = gst_allocator_find (GST_ALLOCATOR_SYSMEM);

    gst_query_add_allocation_param (query, allocator, NULL);
    gst_object_unref (allocator);
  } else {
    gst_query_add_allocation_pool (query, NULL, 4096, 7, 20);
  }
  return GST_PAD_PROBE_HANDLED;
}

/* An offer of downstream goes first. If downstream only gives the number of buffers, that number is
 * kept. */
TEST (test_downstream_first)
{
  for (Offer offer = OFFER_POOL; offer <= OFFER_COUNT; offer++) {
    GstCaps *caps =
        gst_caps_from_string ("video/x-raw, format=NV12, " SMALL);
    GstHarness *harness = test_harness_new ("max-in-flight=3");
    GstBufferPool *pool = NULL;
    GstQuery *query;
    guint size, min, max;

    gst_harness_set_src_caps (harness, gst_caps_ref (caps));
    gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
        answer, GINT_TO_POINTER (offer), NULL);
    query = ask (harness, caps, TRUE);
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
    fail_unless_equals_int (pool != NULL, offer == OFFER_COUNT
        && test_backend_is_cuda ());
    if (offer == OFFER_COUNT) {
      fail_unless_equals_int (size, 4096);
      fail_unless_equals_int (min, 10);
      fail_unless_equals_int (max, 20);
    }
    gst_clear_object (&pool);
    gst_query_unref (query);
    gst_caps_unref (caps);
    test_harness_free (harness);
  }
}

/* ---- Frames in the pool --------------------------------------------------------------------- */

typedef struct
{
  guint width, height;
  GstVideoAlignment align;      /* that the pool is asked for */
  gboolean upside_down;         /* its strides are negative */
  guint copies;                 /* that the device makes of the frame */
} Shape;

/* NV12. The kernel reads a small frame in place. A larger frame is copied at once, or plane by
 * plane if it has much padding. */
static const Shape shapes[] = {
  {38, 6, {0,}, FALSE, 0},
  {38, 6, {3, 5, 7, 9, {31, 31, 31, 31}}, FALSE, 0},
  {38, 6, {0,}, TRUE, 0},
  {330, 250, {0,}, FALSE, 1},
  {330, 250, {0, 0, 0, 0, {15, 15, 15, 15}}, FALSE, 1},
  {330, 250, {0,}, TRUE, 1},
  {330, 250, {0, 0, 6, 200, {255, 255, 255, 255}}, FALSE, 2},
  {330, 250, {0, 0, 6, 200, {255, 255, 255, 255}}, TRUE, 2},
  {331, 251, {2, 2, 300, 2, {0,}}, FALSE, 2},
};

static void
configure (GstBufferPool * pool, GstCaps * caps, const Shape * shape, guint max)
{
  GstStructure *config = gst_buffer_pool_get_config (pool);
  guint size;

  gst_buffer_pool_config_get_params (config, NULL, &size, NULL, NULL);
  gst_buffer_pool_config_set_params (config, caps, size, 0, max);
  gst_buffer_pool_config_add_option (config,
      GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_config_add_option (config,
      GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT);
  gst_buffer_pool_config_set_video_alignment (config, &shape->align);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
}

static void
turn_upside_down (GstBuffer * buffer)
{
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  for (guint p = 0; p < meta->n_planes; p++) {
    guint rows = GST_VIDEO_SUB_SCALE (p == 0 ? 0 : 1, meta->height);

    meta->offset[p] += (rows - 1) * meta->stride[p];
    meta->stride[p] = -meta->stride[p];
  }
}

/* An element and the pool that it has offered. */
typedef struct
{
  GstCaps *caps;
  GstHarness *harness;
  GstBufferPool *pool;
  GRand *random;
} Offered;

/* @max: most buffers of the pool, or 0: any number */
static void
offered_open (Offered * offered, const Shape * shape, guint max)
{
  offered->caps = test_nv12_caps (shape->width, shape->height);
  offered->harness = test_harness_new ("max-in-flight=4");
  offered->random = test_random ();
  gst_harness_set_src_caps (offered->harness, gst_caps_ref (offered->caps));
  offered->pool = offered_pool (offered->harness, offered->caps, TRUE);
  fail_unless (offered->pool != NULL);
  configure (offered->pool, offered->caps, shape, max);
}

static void
offered_close (Offered * offered)
{
  gst_object_unref (offered->pool);
  gst_caps_unref (offered->caps);
  test_harness_free (offered->harness);
  g_rand_free (offered->random);
}

/* A buffer of the pool with random bytes. */
static GstBuffer *
offered_acquire (Offered * offered)
{
  GstBuffer *buffer;

  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (offered->pool,
          &buffer, NULL), GST_FLOW_OK);
  test_fill_buffer (buffer, offered->random);
  return buffer;
}

/* Checks the next buffer that leaves the element, and gives it back to the pool. */
static void
offered_pull (Offered * offered)
{
  GstBuffer *buffer = gst_harness_pull (offered->harness);

  test_compare_frame (buffer, offered->caps, "cuda");
  gst_buffer_unref (buffer);
}

/* Frames in the pool are read in place or copied from there, whatever their strides. The host
 * copies nothing. */
TEST_LOOP (test_pool, 0,
    test_backend_is_cuda ()? G_N_ELEMENTS (shapes) : 0)
{
  const Shape *shape = &shapes[__i__];
  GstBuffer *buffer;
  Offered offered;
  glong before;

  offered_open (&offered, shape, 0);
  buffer = offered_acquire (&offered);
  if (shape->upside_down)
    turn_upside_down (buffer);
  before = test_executions ();
  gst_harness_push (offered.harness, buffer);
  buffer = gst_harness_pull (offered.harness);
  if (test_mock () != NULL)
    fail_unless_equals_int (test_executions () - before, shape->copies + 1);
  test_compare_frame (buffer, offered.caps, "cuda");
  gst_buffer_unref (buffer);
  offered_close (&offered);
}

/* A frame of few samples whose rows are so far apart that it is copied to the device. The thread
 * that waits for it must not poll: it asks once for the end of the launch and then sleeps. */
TEST_IF (test_small_frame_with_large_padding, test_backend_is_cuda ())
{
  static const Shape padded = { 64, 32, {0, 0, 6000, 0, {0,}}, FALSE, 2 };
  const MockCuda *mock = test_mock ();
  Offered offered;

  offered_open (&offered, &padded, 0);
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = offered_acquire (&offered);

    if (mock != NULL)
      mock->reset ();
    gst_harness_push (offered.harness, buffer);
    buffer = gst_harness_pull (offered.harness);
    if (mock != NULL) {
      fail_unless_equals_int (mock->executions (), padded.copies + 1);
      fail_unless_equals_int (mock->calls_to ("cuEventQuery"), 1);
      fail_unless_equals_int (mock->calls_to ("cuEventSynchronize"), 1);
    }
    test_compare_frame (buffer, offered.caps, "cuda");
    gst_buffer_unref (buffer);
  }
  offered_close (&offered);
}

/* Upstream gets a buffer back only after the device has read it. Two buffers are overwritten as
 * soon as the pool has them again. */
TEST_IF (test_recycled, test_backend_is_cuda ())
{
  Offered offered;

  offered_open (&offered, &shapes[3], 2);
  for (guint sent = 0; sent < 12; sent++) {
    /* Only after this the pool has a buffer again. */
    if (sent >= 2)
      offered_pull (&offered);
    fail_unless_equals_int (gst_harness_push (offered.harness,
            offered_acquire (&offered)), GST_FLOW_OK);
  }
  for (guint i = 0; i < 2; i++)
    offered_pull (&offered);
  offered_close (&offered);
}

/* Parts and copies of the pool's memory are measured like any memory. */
TEST_IF (test_parts_and_copies, test_backend_is_cuda ())
{
  GstBuffer *whole, *made[3];
  Offered offered;
  gsize size;

  offered_open (&offered, &shapes[3], 0);
  whole = offered_acquire (&offered);
  size = gst_buffer_get_size (whole);
  made[0] = gst_buffer_copy_deep (whole);
  made[1] = gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL, 0, size);
  /* Two parts of one memory, joined again. */
  made[2] = gst_buffer_append (gst_buffer_copy_region (whole,
          GST_BUFFER_COPY_MEMORY, 0, 1000), gst_buffer_copy_region (whole,
          GST_BUFFER_COPY_MEMORY, 1000, size - 1000));
  gst_buffer_unref (whole);
  for (guint i = 0; i < 3; i++) {
    gst_harness_push (offered.harness, made[i]);
    offered_pull (&offered);
  }
  offered_close (&offered);
}

/* Buffers live longer than the element, its context and the pool. The last buffer frees
 * everything. */
TEST_IF (test_outliving, test_backend_is_cuda ())
{
  GstCaps *caps = test_nv12_caps (330, 250);
  GRand *random = test_random ();
  GstHarness *harness;
  GstBufferPool *pool;
  GstBuffer *buffer;
  const MockCudaLive before = test_live ();

  harness = test_harness_new (NULL);
  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  pool = offered_pool (harness, caps, TRUE);
  test_harness_free (harness);

  configure (pool, caps, &shapes[3], 0);
  gst_buffer_pool_acquire_buffer (pool, &buffer, NULL);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  test_fill_buffer (buffer, random);

  /* Another element with another context. */
  harness = test_harness_new (NULL);
  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  gst_harness_push (harness, buffer);
  buffer = gst_harness_pull (harness);
  test_harness_free (harness);
  test_compare_frame (buffer, caps, "cuda");
  gst_buffer_unref (buffer);
  test_wait_live (&before, "outliving");
  gst_caps_unref (caps);
  g_rand_free (random);
}

/* The pool's allocator obeys the parameters: zeros before and after, the alignment, and memory that
 * is shared in parts. */
TEST_IF (test_allocator, test_backend_is_cuda ())
{
  GstAllocationParams params = {.flags = GST_MEMORY_FLAG_ZERO_PREFIXED
        | GST_MEMORY_FLAG_ZERO_PADDED,.align = 8191,.prefix = 256,.padding = 64
  };
  GstMemory *memory, *parts[2], *part_of_part, *kept[6] = { NULL };
  Offered offered;
  GstMapInfo map;
  GstBuffer *buffer;
  gsize offset = 0;

  offered_open (&offered, &shapes[0], 0);
  buffer = offered_acquire (&offered);
  /* Every second memory is kept, so that the addresses differ. */
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++) {
    memory = gst_allocator_alloc (gst_buffer_peek_memory (buffer, 0)->allocator,
        1000, &params);
    fail_unless (memory != NULL);
    gst_memory_resize (memory, -256, 256 + 1000 + 64);
    fail_unless (gst_memory_map (memory, &map, GST_MAP_READWRITE));
    fail_unless_equals_int ((guintptr) map.data & 8191, 0);
    for (guint b = 0; b < 256; b++)
      fail_unless_equals_int (map.data[b], 0);
    for (guint b = 1256; b < 1320; b++)
      fail_unless_equals_int (map.data[b], 0);
    /* What the next one may get again. */
    memset (map.data, 0xaa, map.size);
    map.data[600] = 7;
    gst_memory_unmap (memory, &map);
    gst_memory_resize (memory, 256, 1000);

    parts[0] = gst_memory_share (memory, 0, 300);
    parts[1] = gst_memory_share (memory, 300, -1);
    fail_unless_equals_int (gst_memory_get_sizes (parts[1], NULL, NULL), 700);
    fail_unless (gst_memory_is_span (parts[0], parts[1], &offset));
    fail_unless_equals_int (offset, 0);
    fail_if (gst_memory_is_span (parts[1], parts[0], NULL));
    part_of_part = gst_memory_share (parts[1], 40, 10);
    gst_memory_unref (parts[0]);
    gst_memory_unref (parts[1]);
    if (i % 2 == 0)
      kept[i] = gst_memory_ref (memory);
    gst_memory_unref (memory);
    fail_unless (gst_memory_map (part_of_part, &map, GST_MAP_READ));
    fail_unless_equals_int (map.size, 10);
    fail_unless_equals_int (map.data[600 - 256 - 300 - 40], 7);
    gst_memory_unmap (part_of_part, &map);
    gst_memory_unref (part_of_part);
  }
  for (guint i = 0; i < G_N_ELEMENTS (kept); i += 2)
    gst_memory_unref (kept[i]);
  gst_buffer_unref (buffer);
  offered_close (&offered);
}

TEST_MAIN (30)
