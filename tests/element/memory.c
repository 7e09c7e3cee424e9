/* Whose memory the frames are in: the pool that upstream is offered, frames in it, and
 * how frames in other memory get to the device. Counts of what the device was told to do
 * are of the libcuda made for tests (tests/mock).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common.h"

#include <dlfcn.h>
#include <gst/video/gstvideopool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mock-cuda.h"

/* NULL where the driver is another. */
static const MockCuda *mock;

static void
find_mock (void)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const MockCuda *(*get) (void) = NULL;

  if (library != NULL)
    *(void **) &get = dlsym (library, "mock_cuda");
  mock = get != NULL ? get () : NULL;
}

static gboolean
is_cuda (void)
{
  return g_str_equal (test_backend (), "cuda");
}

static glong
executions (void)
{
  return mock != NULL ? mock->executions () : 0;
}

/* ---- The offer ------------------------------------------------------------------------------ */

/* The answer of a harness whose caps are set to an ALLOCATION query for these caps. */
static GstQuery *
ask (GstHarness * harness, GstCaps * caps, gboolean need_pool)
{
  GstQuery *query = gst_query_new_allocation (caps, need_pool);

  fail_unless (gst_pad_peer_query (harness->srcpad, query), "%" GST_PTR_FORMAT,
      caps);
  return query;
}

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

static void
check_offer (const gchar * caps_string, gboolean need_pool, gboolean expected)
{
  GstCaps *caps = gst_caps_from_string (caps_string);
  GstHarness *harness = test_harness_new (NULL);
  GstBufferPool *pool;

  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  pool = offered_pool (harness, caps, need_pool);
  fail_unless (expected == (pool != NULL), "%s: %s pool", caps_string,
      pool != NULL ? "a" : "no");
  gst_clear_object (&pool);
  gst_caps_unref (caps);
  test_harness_free (harness);
}

#define SMALL "width=64, height=32, framerate=25/1"

/* A pool for frames in system memory, which an engine on a device reads best from memory
 * of its own; and for nothing else. */
GST_START_TEST (test_offer)
{
  check_offer ("video/x-raw, format=NV12, " SMALL, TRUE, is_cuda ());
  check_offer ("video/x-raw, format=NV12, " SMALL, FALSE, FALSE);
  check_offer ("video/x-raw(memory:CUDAMemory), format=NV12, " SMALL, TRUE,
      FALSE);
  /* Unpacked by the host. */
  check_offer ("video/x-raw, format=NV12_4L4, " SMALL, TRUE, FALSE);
  check_offer ("audio/x-raw, format=S16LE, rate=8000, channels=1, "
      "layout=interleaved", TRUE, FALSE);
}

GST_END_TEST;

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

/* What downstream offers goes first; where it only says how many, that is kept. */
GST_START_TEST (test_downstream_first)
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
    fail_unless ((pool != NULL) == (offer == OFFER_COUNT && is_cuda ()));
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

GST_END_TEST;

/* ---- Frames in the pool's memory ----------------------------------------------------------------- */

typedef struct
{
  guint width, height;
  GstVideoAlignment align;      /* wanted of the pool */
  gboolean upside_down;         /* negative strides */
  guint copies;                 /* that the device makes of an NV12 frame */
} Shape;

/* NV12. The kernel reads a small frame where it is; larger ones are sent at once, but
 * by planes where the padding is much. */
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

/* Random also where no sample is. */
static void
fill (GstBuffer * buffer, GRand * random)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  test_fill_random (random, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

static void
check_nv12 (GstBuffer * buffer, GstCaps * caps, const gchar * backend)
{
  const GstStructure *result = test_result (buffer);
  GstVideoFrame frame;
  GstVideoInfo info;
  const guint8 *planes[4] = { NULL, };

  fail_unless_equals_string (gst_structure_get_string (result, "backend"),
      backend);
  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (guint p = 0; p < 2; p++)
    planes[p] = frame.data[p];
  test_compare_video (result, &frame.info, planes, 0, 0, 0);
  gst_video_frame_unmap (&frame);
}

static GstCaps *
nv12_caps (guint width, guint height)
{
  return gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, "NV12",
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
      GST_TYPE_FRACTION, 25, 1, NULL);
}

/* Frames in the pool are read or sent from where they are, whatever their strides, and
 * no byte of them is copied by the host. */
GST_START_TEST (test_pool)
{
  const Shape *shape = &shapes[__i__];
  GstCaps *caps = nv12_caps (shape->width, shape->height);
  GstHarness *harness = test_harness_new (NULL);
  GRand *random = test_random ();
  GstBufferPool *pool;
  GstBuffer *buffer;
  glong before;

  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  pool = offered_pool (harness, caps, TRUE);
  fail_unless (pool != NULL);
  configure (pool, caps, shape, 0);
  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL),
      GST_FLOW_OK);
  fill (buffer, random);
  if (shape->upside_down)
    turn_upside_down (buffer);

  before = executions ();
  gst_harness_push (harness, buffer);
  buffer = gst_harness_pull (harness);
  if (mock != NULL)
    fail_unless_equals_int (executions () - before, shape->copies + 1);
  check_nv12 (buffer, caps, "cuda");
  gst_buffer_unref (buffer);
  gst_object_unref (pool);
  gst_caps_unref (caps);
  test_harness_free (harness);
  g_rand_free (random);
}

GST_END_TEST;

/* A frame in the pool whose rows are so far apart that it is sent to the device, though its
 * samples alone would be few enough to be read where they are. The thread that waits for it
 * must not poll: it asks for the end of the launch once, and then sleeps. */
GST_START_TEST (test_small_frame_with_large_padding)
{
  static const Shape padded = { 64, 32, {0, 0, 6000, 0, {0,}}, FALSE, 2 };
  const guint n_frames = 3;
  GstCaps *caps = nv12_caps (padded.width, padded.height);
  GstHarness *harness = test_harness_new (NULL);
  GRand *random = test_random ();
  GstBufferPool *pool;

  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  pool = offered_pool (harness, caps, TRUE);
  configure (pool, caps, &padded, 0);
  for (guint i = 0; i < n_frames; i++) {
    GstBuffer *buffer;

    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer,
            NULL), GST_FLOW_OK);
    fill (buffer, random);
    if (mock != NULL)
      mock->reset ();
    gst_harness_push (harness, buffer);
    buffer = gst_harness_pull (harness);
    if (mock != NULL) {
      fail_unless_equals_int (executions (), padded.copies + 1);
      fail_unless_equals_int (mock->calls_to ("cuEventQuery"), 1);
      fail_unless_equals_int (mock->calls_to ("cuEventSynchronize"), 1);
    }
    check_nv12 (buffer, caps, "cuda");
    gst_buffer_unref (buffer);
  }
  gst_object_unref (pool);
  gst_caps_unref (caps);
  test_harness_free (harness);
  g_rand_free (random);
}

GST_END_TEST;

/* A frame is upstream's again only once the device has read it: two buffers, written anew
 * as soon as the pool has them back. */
GST_START_TEST (test_recycled)
{
  GstCaps *caps = nv12_caps (330, 250);
  GstHarness *harness = test_harness_new ("max-in-flight=4");
  GRand *random = test_random ();
  GstBufferPool *pool;
  guint received = 0;

  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  pool = offered_pool (harness, caps, TRUE);
  configure (pool, caps, &shapes[3], 2);
  for (guint sent = 0; sent < 12; sent++) {
    GstBuffer *buffer;

    if (sent >= 2) {
      /* The pool has a buffer again only after this. */
      buffer = gst_harness_pull (harness);
      check_nv12 (buffer, caps, "cuda");
      gst_buffer_unref (buffer);
      received++;
    }
    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer,
            NULL), GST_FLOW_OK);
    fill (buffer, random);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  for (; received < 12; received++) {
    GstBuffer *buffer = gst_harness_pull (harness);

    check_nv12 (buffer, caps, "cuda");
    gst_buffer_unref (buffer);
  }
  gst_object_unref (pool);
  gst_caps_unref (caps);
  test_harness_free (harness);
  g_rand_free (random);
}

GST_END_TEST;

/* Parts and copies of the pool's memory are as good as any. */
GST_START_TEST (test_parts_and_copies)
{
  GstCaps *caps = nv12_caps (330, 250);
  GstHarness *harness = test_harness_new (NULL);
  GRand *random = test_random ();
  GstBuffer *whole, *made[3];
  GstBufferPool *pool;
  gsize size;

  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  pool = offered_pool (harness, caps, TRUE);
  configure (pool, caps, &shapes[3], 0);
  gst_buffer_pool_acquire_buffer (pool, &whole, NULL);
  fill (whole, random);
  size = gst_buffer_get_size (whole);

  made[0] = gst_buffer_copy_deep (whole);
  made[1] = gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL, 0, size);
  /* Two parts of the same memory, which are a whole again. */
  made[2] = gst_buffer_append (gst_buffer_copy_region (whole,
          GST_BUFFER_COPY_MEMORY, 0, 1000), gst_buffer_copy_region (whole,
          GST_BUFFER_COPY_MEMORY, 1000, size - 1000));
  gst_buffer_unref (whole);
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer;

    gst_harness_push (harness, made[i]);
    buffer = gst_harness_pull (harness);
    check_nv12 (buffer, caps, "cuda");
    gst_buffer_unref (buffer);
  }
  gst_object_unref (pool);
  gst_caps_unref (caps);
  test_harness_free (harness);
  g_rand_free (random);
}

GST_END_TEST;

static void
check_live (const MockCudaLive * before, const gchar * label)
{
  MockCudaLive now;

  mock->live (&now);
  /* A thread that was just about to take the pipeline from PAUSED to PLAYING may hold it
   * a moment longer. */
  for (guint i = 0; i < 30000 && memcmp (before, &now, sizeof now) != 0; i++) {
    g_usleep (1000);
    mock->live (&now);
  }
  fail_unless (memcmp (before, &now, sizeof now) == 0, "%s: left alive: %ld "
      "contexts, %ld device memory, %ld host memory, %ld registered memory, "
      "%ld streams, %ld events, %ld modules", label,
      now.contexts - before->contexts,
      now.device_memory - before->device_memory,
      now.host_memory - before->host_memory,
      now.registered_memory - before->registered_memory,
      now.streams - before->streams,
      now.events - before->events, now.modules - before->modules);
}

/* Buffers outlive the element, its context and the pool; the last one takes all along. */
GST_START_TEST (test_outliving)
{
  GstCaps *caps = nv12_caps (330, 250);
  GRand *random = test_random ();
  GstHarness *harness;
  GstBufferPool *pool;
  GstBuffer *buffer;
  MockCudaLive before;

  if (mock != NULL)
    mock->live (&before);
  harness = test_harness_new (NULL);
  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  pool = offered_pool (harness, caps, TRUE);
  test_harness_free (harness);

  configure (pool, caps, &shapes[3], 0);
  gst_buffer_pool_acquire_buffer (pool, &buffer, NULL);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  fill (buffer, random);

  /* Another element, another context. */
  harness = test_harness_new (NULL);
  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  gst_harness_push (harness, buffer);
  buffer = gst_harness_pull (harness);
  test_harness_free (harness);
  check_nv12 (buffer, caps, "cuda");
  gst_buffer_unref (buffer);
  if (mock != NULL)
    check_live (&before, "outliving");
  gst_caps_unref (caps);
  g_rand_free (random);
}

GST_END_TEST;

/* ---- Frames in ordinary memory -------------------------------------------------------------------- */

/* The kernel reads what is small from the staging memory; the rest is sent, in pieces
 * where it is large. */
GST_START_TEST (test_ordinary)
{
  static const struct
  {
    guint width, height, copies;
  } cases[] = { {38, 6, 0}, {330, 250, 1}, {1926, 1082, 2} };
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstCaps *caps = nv12_caps (cases[i].width, cases[i].height);
    GstHarness *harness = test_harness_new (NULL);
    GstVideoInfo info;
    GstBuffer *buffer;
    glong before;

    gst_video_info_from_caps (&info, caps);
    gst_harness_set_src_caps (harness, gst_caps_ref (caps));
    buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
    fill (buffer, random);
    before = executions ();
    gst_harness_push (harness, buffer);
    buffer = gst_harness_pull (harness);
    if (mock != NULL && is_cuda ())
      fail_unless_equals_int (executions () - before, cases[i].copies + 1);
    check_nv12 (buffer, caps, test_backend ());
    gst_buffer_unref (buffer);
    gst_caps_unref (caps);
    test_harness_free (harness);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* An element, and a pool of ordinary memory before it. */
typedef struct
{
  GstCaps *caps;
  GstVideoInfo info;
  GstHarness *harness;          /* NULL once it is freed */
  GstBufferPool *pool;          /* the same */
  GRand *random;
} Flow;

static void
flow_init (Flow * flow, guint width, guint height, guint n_buffers)
{
  GstStructure *config;

  flow->caps = nv12_caps (width, height);
  gst_video_info_from_caps (&flow->info, flow->caps);
  flow->harness = test_harness_new (NULL);
  gst_harness_set_src_caps (flow->harness, gst_caps_ref (flow->caps));
  flow->pool = gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (flow->pool);
  gst_buffer_pool_config_set_params (config, flow->caps, flow->info.size,
      n_buffers, n_buffers);
  fail_unless (gst_buffer_pool_set_config (flow->pool, config));
  fail_unless (gst_buffer_pool_set_active (flow->pool, TRUE));
  flow->random = test_random ();
}

static void
flow_free_element (Flow * flow)
{
  test_harness_free (flow->harness);
  flow->harness = NULL;
}

static void
flow_free_pool (Flow * flow)
{
  gst_buffer_pool_set_active (flow->pool, FALSE);
  gst_clear_object (&flow->pool);
}

static glong
n_registered (void)
{
  MockCudaLive now;

  mock->live (&now);
  return now.registered_memory;
}

/* Nothing stays page-locked. */
static void
flow_clear (Flow * flow)
{
  if (flow->harness != NULL)
    flow_free_element (flow);
  if (flow->pool != NULL)
    flow_free_pool (flow);
  if (mock != NULL)
    fail_unless_equals_int (n_registered (), 0);
  gst_caps_unref (flow->caps);
  g_rand_free (flow->random);
}

static GstBuffer *
flow_acquire (Flow * flow)
{
  GstBuffer *buffer;

  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (flow->pool, &buffer,
          NULL), GST_FLOW_OK);
  return buffer;
}

/* A buffer of the pool's, but in another memory.
 * @memory: (transfer full) */
static GstBuffer *
flow_acquire_with (Flow * flow, GstMemory * memory)
{
  GstBuffer *buffer = flow_acquire (flow);

  gst_buffer_replace_all_memory (buffer, memory);
  return buffer;
}

/* Measures the buffer, anew, and gives it back. */
static GstBuffer *
flow_measure (Flow * flow, GstBuffer * buffer)
{
  fill (buffer, flow->random);
  gst_harness_push (flow->harness, buffer);
  buffer = gst_harness_pull (flow->harness);
  fail_unless (buffer != NULL);
  check_nv12 (buffer, flow->caps, test_backend ());
  return buffer;
}

static void
check_registered (glong n)
{
  if (mock != NULL && is_cuda ())
    fail_unless_equals_int (n_registered (), n);
}

/* Memory that comes again is page-locked, as long as it lives: then frames in it are sent
 * from where they are, at once. Of small frames it is not. */
GST_START_TEST (test_recurring)
{
  static const struct
  {
    guint width, height, registered, copies;
  } cases[] = { {38, 6, 0, 0}, {330, 250, 1, 1}, {1926, 1082, 1, 1} };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Flow flow;

    flow_init (&flow, cases[i].width, cases[i].height, 2);
    for (guint n = 0; n < 7; n++) {
      const glong before = executions ();

      gst_buffer_unref (flow_measure (&flow, flow_acquire (&flow)));
      /* There are two of them. */
      if (n < 2)
        continue;
      check_registered (cases[i].registered * MIN (n - 1, 2));
      if (mock != NULL && is_cuda ())
        fail_unless_equals_int (executions () - before, cases[i].copies + 1);
    }
    /* Their memory lives longer than the element. */
    flow_free_element (&flow);
    check_registered (2 * cases[i].registered);
    flow_clear (&flow);
  }
}

GST_END_TEST;

typedef struct
{
  guint8 *data;
  glong n_registered;           /* when it came back */
} Wrapped;

static void
take_back (gpointer user_data)
{
  Wrapped *wrapped = user_data;

  wrapped->n_registered = mock != NULL ? n_registered () : 0;
  g_free (wrapped->data);
  wrapped->data = NULL;
}

/* A memory that passes two elements, each with a context of its own, has not come again until
 * the first one sees it again. It is not locked any more when its owner has it back; the
 * elements are gone by then. */
GST_START_TEST (test_recurring_wrapped)
{
  Wrapped wrapped = { NULL, -1 };
  MockCudaLive now;
  GstBuffer *buffer;
  Flow flows[2];

  for (guint i = 0; i < 2; i++)
    flow_init (&flows[i], 330, 250, 1);
  wrapped.data = g_malloc (flows[0].info.size);
  buffer = flow_acquire_with (&flows[0], gst_memory_new_wrapped (0,
          wrapped.data, flows[0].info.size, 0, flows[0].info.size, &wrapped,
          take_back));
  for (guint n = 0; n < 6; n++) {
    buffer = flow_measure (&flows[n % 2], buffer);
    check_registered (n >= 2);
  }
  flow_free_element (&flows[1]);
  buffer = flow_measure (&flows[0], buffer);
  flow_free_element (&flows[0]);
  gst_buffer_unref (buffer);
  for (guint i = 0; i < 2; i++)
    flow_clear (&flows[i]);
  fail_unless (wrapped.data == NULL);
  fail_unless_equals_int (wrapped.n_registered, 0);
  if (mock != NULL) {
    mock->live (&now);
    fail_unless_equals_int (now.contexts, 0);
  }
}

GST_END_TEST;

/* What is in no pool is not locked, however often it comes. */
GST_START_TEST (test_recurring_without_pool)
{
  GstBuffer *buffer;
  Flow flow;

  flow_init (&flow, 330, 250, 1);
  buffer = gst_buffer_new_allocate (NULL, flow.info.size, NULL);
  for (guint n = 0; n < 4; n++)
    buffer = flow_measure (&flow, buffer);
  check_registered (0);
  gst_buffer_unref (buffer);
  flow_clear (&flow);
}

GST_END_TEST;

/* Frames that are parts of one memory: it is not locked for the sake of one of many, but of
 * one that is most of it. */
GST_START_TEST (test_recurring_parts)
{
  static const guint n_parts[] = { 1, 2, 3 };

  for (guint i = 0; i < G_N_ELEMENTS (n_parts); i++) {
    GstMemory *whole;
    GstMapInfo map;
    Flow flow;

    flow_init (&flow, 330, 250, 1);
    whole = gst_allocator_alloc (NULL, flow.info.size * n_parts[i] + 64, NULL);
    fail_unless (gst_memory_map (whole, &map, GST_MAP_WRITE));
    test_fill_random (flow.random, map.data, map.size);
    gst_memory_unmap (whole, &map);
    for (guint n = 0; n < 4; n++) {
      GstBuffer *part = flow_acquire_with (&flow, gst_memory_share (whole,
              32 + flow.info.size * (n % n_parts[i]), flow.info.size));

      gst_harness_push (flow.harness, part);
      part = gst_harness_pull (flow.harness);
      check_nv12 (part, flow.caps, test_backend ());
      gst_buffer_unref (part);
      check_registered (n > 0 && n_parts[i] == 1);
    }
    gst_memory_unref (whole);
    flow_clear (&flow);
  }
}

GST_END_TEST;

/* Where the driver refuses, as for bytes that are locked by another name, frames are copied as
 * before, and it is asked once. */
GST_START_TEST (test_recurring_refused)
{
  GstBuffer *same[2];
  guint8 *data;
  Flow flow;

  flow_init (&flow, 330, 250, 2);
  data = g_malloc (flow.info.size);
  for (guint i = 0; i < 2; i++)
    same[i] = flow_acquire_with (&flow, gst_memory_new_wrapped (0, data,
            flow.info.size, 0, flow.info.size, NULL, NULL));
  if (mock != NULL)
    mock->reset ();
  for (guint n = 0; n < 8; n++)
    same[n % 2] = flow_measure (&flow, same[n % 2]);
  if (mock != NULL && is_cuda ())
    fail_unless_equals_int (mock->calls_to ("cuMemHostRegister_v2"), 2);
  check_registered (1);
  for (guint i = 0; i < 2; i++)
    gst_buffer_unref (same[i]);
  flow_clear (&flow);
  g_free (data);
}

GST_END_TEST;

/* A memory that somebody has mapped for writing is mapped by others as a copy of it, which is
 * not page-locked. */
GST_START_TEST (test_mapped_for_writing)
{
  GstBuffer *buffer, *out;
  GstMemory *memory;
  GstMapInfo map;
  Flow flow;

  flow_init (&flow, 330, 250, 1);
  buffer = flow_acquire (&flow);
  for (guint n = 0; n < 3; n++)
    buffer = flow_measure (&flow, buffer);
  check_registered (1);

  fill (buffer, flow.random);
  memory = gst_buffer_peek_memory (buffer, 0);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  gst_harness_push (flow.harness, gst_buffer_ref (buffer));
  out = gst_harness_pull (flow.harness);
  fail_unless (out != NULL);
  gst_memory_unmap (memory, &map);
  check_nv12 (out, flow.caps, test_backend ());
  gst_buffer_unref (out);
  gst_buffer_unref (buffer);
  flow_clear (&flow);
}

GST_END_TEST;

/* A frame in ordinary memory although its caps say CUDA memory: it is uploaded as any,
 * though nothing was prepared for it. */
GST_START_TEST (test_not_as_the_caps_say)
{
  GstCaps *caps = nv12_caps (330, 250);
  GstHarness *harness = test_harness_new (NULL);
  GRand *random = test_random ();
  GstVideoInfo info;

  gst_video_info_from_caps (&info, caps);
  gst_caps_set_features_simple (caps,
      gst_caps_features_new ("memory:CUDAMemory", NULL));
  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, info.size, NULL);

    fill (buffer, random);
    gst_harness_push (harness, buffer);
    buffer = gst_harness_pull (harness);
    check_nv12 (buffer, caps, test_backend ());
    gst_buffer_unref (buffer);
  }
  gst_caps_unref (caps);
  test_harness_free (harness);
  g_rand_free (random);
}

GST_END_TEST;

/* ---- Pipelines, and devices that fail --------------------------------------------------------------- */

#define N_FRAMES 7

typedef struct
{
  GstCaps *caps;
  gboolean without_meta, without_pool;
  guint n_buffers, n_pinned, n_messages;
} Seen;

static GstPadProbeReturn
count_pinned (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Seen *seen = user_data;

  if (gst_memory_is_type (gst_buffer_peek_memory (buffer, 0),
          "cudahisto.pinned"))
    seen->n_pinned++;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
check_result (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Seen *seen = user_data;

  seen->n_buffers++;
  if (!seen->without_meta)
    check_nv12 (buffer, seen->caps,
        gst_structure_get_string (test_result (buffer), "backend"));
  return GST_PAD_PROBE_OK;
}

/* Plays to the end; what came of it. Two elements on two devices, of which the first
 * gets frames in memory of the second's. The source has a pool of its own where it is
 * offered none. */
static void
play (const gchar * elements, Seen * seen, guint * n_warnings,
    guint * n_errors)
{
  gchar *launch = g_strdup_printf ("videotestsrc pattern=snow num-buffers=%d ! "
      "video/x-raw, format=NV12, width=330, height=250 ! "
      "identity name=before drop-allocation=%d ! %s ! fakesink name=after",
      N_FRAMES, seen->without_pool, elements);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GstElement *before = gst_bin_get_by_name (GST_BIN (pipeline), "before");
  GstElement *after = gst_bin_get_by_name (GST_BIN (pipeline), "after");
  GstPad *src = gst_element_get_static_pad (before, "src");
  GstPad *sink = gst_element_get_static_pad (after, "sink");
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean done = FALSE;

  seen->n_buffers = seen->n_pinned = seen->n_messages = *n_warnings = *n_errors = 0;
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, count_pinned, seen, NULL);
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, check_result, seen, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!done) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING |
        GST_MESSAGE_ELEMENT);

    seen->n_messages += gst_message_has_name (message, "cudahisto");
    *n_warnings += GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING;
    *n_errors += GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
    done = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS
        || GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (src);
  gst_object_unref (sink);
  gst_object_unref (before);
  gst_object_unref (after);
  gst_object_unref (pipeline);
  g_free (launch);
}

/* A source takes the pool up, and frames in it go through elements on two devices. */
GST_START_TEST (test_pipeline)
{
  Seen seen = {.caps = nv12_caps (330, 250) };
  guint n_warnings, n_errors;

  play ("cudahisto backend=cuda", &seen, &n_warnings, &n_errors);
  fail_unless_equals_int (n_warnings + n_errors, 0);
  fail_unless_equals_int (seen.n_buffers, N_FRAMES);
  fail_unless_equals_int (seen.n_pinned, N_FRAMES);
  if (mock != NULL) {
    play ("cudahisto backend=cuda cuda-device-id=0 ! "
        "cudahisto backend=cuda cuda-device-id=1", &seen, &n_warnings,
        &n_errors);
    fail_unless_equals_int (n_warnings + n_errors, 0);
    fail_unless_equals_int (seen.n_buffers, N_FRAMES);
    fail_unless_equals_int (seen.n_pinned, N_FRAMES);
  }
  gst_caps_unref (seen.caps);
}

GST_END_TEST;

/* Each call fails in turn, and each execution: the numbers are right, on whichever
 * memory and engine, or there is one error; nothing is left behind. With the results on
 * the buffers, and beside them, and with upstream's memory. */
GST_START_TEST (test_failures)
{
  const gchar *const backends[] = { "auto", "cuda" };
  const gchar *elements = backends[__i__ % 2];
  const guint how = __i__ / 2 % 4;
  const gboolean without_meta = __i__ / 8 == 1;
  const gboolean without_pool = __i__ / 8 == 2;
  gchar *element = g_strdup_printf ("cudahisto max-in-flight=2 backend=%s %s",
      elements, without_meta ? "meta=false post-messages=true" : "");
  Seen seen = {.caps = nv12_caps (330, 250),.without_meta = without_meta,
    .without_pool = without_pool
  };
  gboolean failed = TRUE;
  guint n_warnings, n_errors;
  MockCudaLive before;
  glong number;

  /* What libgstcuda does once only, it does now. */
  mock->reset ();
  play (element, &seen, &n_warnings, &n_errors);
  fail_unless_equals_int (seen.n_pinned, without_pool ? 0 : N_FRAMES);
  if (without_pool)
    fail_unless (mock->calls_to ("cuMemHostRegister_v2") > 0);
  for (number = 1; failed; number++) {
    gchar *label = g_strdup_printf ("%s, %u: %ld", elements, how, number);

    test_set_alarm ();
    mock->reset ();
    mock->live (&before);
    if (how == 3)
      mock->fail_execution (number);
    else
      mock->fail_call (number, (MockCudaFailure) how);
    play (element, &seen, &n_warnings, &n_errors);
    failed = how == 3 ? mock->executions () >= number :
        mock->failed_call () != NULL;
    if (g_str_equal (elements, "auto") || n_errors == 0) {
      fail_unless_equals_int (n_errors, 0);
      fail_unless_equals_int (seen.n_buffers, N_FRAMES);
      fail_unless_equals_int (seen.n_messages, without_meta ? N_FRAMES : 0);
    }
    fail_unless (n_errors <= 1 && n_warnings <= 1, "%s: %u errors, %u warnings",
        label, n_errors, n_warnings);
    check_live (&before, label);
    alarm (0);
    g_free (label);
  }
  g_print ("%s, %u: %ld failures\n", elements, how, number - 2);
  fail_unless (number > 10);
  mock->reset ();
  gst_caps_unref (seen.caps);
  g_free (element);
}

GST_END_TEST;

static Suite *
memory_suite (void)
{
  Suite *suite = suite_create ("memory");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  find_mock ();
  tcase_set_timeout (tcase, 30);
  tcase_add_test (tcase, test_offer);
  tcase_add_test (tcase, test_downstream_first);
  tcase_add_test (tcase, test_ordinary);
  tcase_add_test (tcase, test_recurring);
  tcase_add_test (tcase, test_recurring_wrapped);
  tcase_add_test (tcase, test_recurring_without_pool);
  tcase_add_test (tcase, test_recurring_parts);
  tcase_add_test (tcase, test_recurring_refused);
  tcase_add_test (tcase, test_mapped_for_writing);
  tcase_add_test (tcase, test_not_as_the_caps_say);
  if (!is_cuda ())
    return suite;
  tcase_add_loop_test (tcase, test_pool, 0, G_N_ELEMENTS (shapes));
  tcase_add_test (tcase, test_small_frame_with_large_padding);
  tcase_add_test (tcase, test_recycled);
  tcase_add_test (tcase, test_parts_and_copies);
  tcase_add_test (tcase, test_outliving);
  tcase_add_test (tcase, test_pipeline);
  if (mock != NULL) {
    TCase *failures = tcase_create ("failures");

    tcase_set_timeout (failures, 300);
    tcase_add_loop_test (failures, test_failures, 0, 24);
    suite_add_tcase (suite, failures);
  }
  return suite;
}

GST_CHECK_MAIN (memory);
