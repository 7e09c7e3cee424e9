/* A source that costs nothing: it gives what it was given, over and over.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench-source.h"

#include <gst/base/gstpushsrc.h>

#define CHUNK (256 * 1024)

typedef struct
{
  GstPushSrc parent;

  GstCaps *caps;
  GstBufferPool *pool;
  gboolean wraps;               /* the pool's buffers */
  GBytes *bytes;
  gsize position;               /* in the bytes */
  GstBufferList *frames;
  guint first_frame;
  guint frames_per_second;
  gboolean has_offered_pool;
  guint64 n_buffers;
  gint64 begin;                 /* monotonic time of buffer 0, in us */
  gint is_held, is_unlocked;    /* atomic */
} BenchSource;

typedef struct
{
  GstPushSrcClass parent_class;
} BenchSourceClass;

static GType bench_source_get_type (void);
G_DEFINE_TYPE (BenchSource, bench_source, GST_TYPE_PUSH_SRC);

static GstCaps *
get_caps (GstBaseSrc * src, GstCaps * filter)
{
  BenchSource *self = (BenchSource *) src;

  return filter == NULL ? gst_caps_ref (self->caps) :
      gst_caps_intersect (self->caps, filter);
}

static gboolean
decide_allocation (GstBaseSrc * src, GstQuery * query)
{
  BenchSource *self = (BenchSource *) src;
  GstBufferPool *offered = NULL;

  if (self->pool != NULL || self->bytes != NULL || self->frames != NULL) {
    for (guint i = 0; i < gst_query_get_n_allocation_pools (query); i++)
      gst_query_set_nth_allocation_pool (query, i, NULL, 0, 0, 0);
    return TRUE;
  }
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &offered, NULL, NULL, NULL);
  self->has_offered_pool = offered != NULL;
  gst_clear_object (&offered);
  return GST_BASE_SRC_CLASS (bench_source_parent_class)->decide_allocation
      (src, query);
}

static GstFlowReturn
next_chunk (BenchSource * self, GstBuffer ** buffer)
{
  const gsize size = g_bytes_get_size (self->bytes);
  const gsize chunk = MIN (CHUNK, size - self->position);
  GBytes *part = g_bytes_new_from_bytes (self->bytes, self->position, chunk);

  *buffer = gst_buffer_new_wrapped_bytes (part);
  g_bytes_unref (part);
  self->position = (self->position + chunk) % size;
  return GST_FLOW_OK;
}

static void
pace (BenchSource * self)
{
  gint64 due;

  if (self->frames_per_second == 0)
    return;
  if (self->n_buffers == 0)
    self->begin = g_get_monotonic_time ();
  due = self->begin + self->n_buffers * G_USEC_PER_SEC
      / self->frames_per_second - g_get_monotonic_time ();
  if (due > 0)
    g_usleep (due);
}

/* Looks again from time to time: nothing is measured meanwhile. */
static GstFlowReturn
wait_until_released (BenchSource * self)
{
  while (self->n_buffers > 0 && g_atomic_int_get (&self->is_held)) {
    if (g_atomic_int_get (&self->is_unlocked))
      return GST_FLOW_FLUSHING;
    g_usleep (1000);
  }
  return GST_FLOW_OK;
}

static GstBuffer *
next_frame (BenchSource * self)
{
  const guint n = gst_buffer_list_length (self->frames);

  return gst_buffer_copy (gst_buffer_list_get (self->frames,
          (self->first_frame + self->n_buffers) % n));
}

typedef struct
{
  GstBuffer *buffer;
  GstMapInfo map;
} Wrapped;

static void
give_back (gpointer user_data)
{
  Wrapped *wrapped = user_data;

  gst_buffer_unmap (wrapped->buffer, &wrapped->map);
  gst_buffer_unref (wrapped->buffer);
  g_free (wrapped);
}

/* The same bytes in a memory that nobody has seen before.
 * @buffer: (transfer full) */
static GstBuffer *
wrap_anew (GstBuffer * buffer)
{
  Wrapped *wrapped = g_new (Wrapped, 1);

  wrapped->buffer = buffer;
  gst_buffer_map (buffer, &wrapped->map, GST_MAP_READ);
  return gst_buffer_new_wrapped_full (0, wrapped->map.data, wrapped->map.size,
      0, wrapped->map.size, wrapped, give_back);
}

static GstFlowReturn
create (GstPushSrc * src, GstBuffer ** buffer)
{
  BenchSource *self = (BenchSource *) src;
  GstBufferPool *pool = self->pool;
  GstFlowReturn flow;

  if (self->bytes != NULL)
    return next_chunk (self, buffer);
  flow = wait_until_released (self);
  if (flow != GST_FLOW_OK)
    return flow;
  pace (self);
  if (self->frames != NULL)
    *buffer = next_frame (self);
  else if (pool != NULL)
    flow = gst_buffer_pool_acquire_buffer (pool, buffer, NULL);
  else
    flow = GST_BASE_SRC_CLASS (bench_source_parent_class)->alloc
        (GST_BASE_SRC_CAST (src), -1, gst_base_src_get_blocksize
        (GST_BASE_SRC_CAST (src)), buffer);
  if (flow == GST_FLOW_OK && self->wraps)
    *buffer = wrap_anew (*buffer);
  if (flow == GST_FLOW_OK)
    GST_BUFFER_PTS (*buffer) = self->n_buffers++ * GST_MSECOND;
  return flow;
}

/* A pool whose buffers are all in use must not keep the source from stopping. */
static gboolean
unlock (GstBaseSrc * src)
{
  BenchSource *self = (BenchSource *) src;

  g_atomic_int_set (&self->is_unlocked, TRUE);
  if (self->pool != NULL)
    gst_buffer_pool_set_flushing (self->pool, TRUE);
  return TRUE;
}

static gboolean
unlock_stop (GstBaseSrc * src)
{
  BenchSource *self = (BenchSource *) src;

  g_atomic_int_set (&self->is_unlocked, FALSE);
  if (self->pool != NULL)
    gst_buffer_pool_set_flushing (self->pool, FALSE);
  return TRUE;
}

static void
finalize (GObject * object)
{
  BenchSource *self = (BenchSource *) object;

  gst_clear_caps (&self->caps);
  gst_clear_object (&self->pool);
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_clear_pointer (&self->frames, gst_buffer_list_unref);
  G_OBJECT_CLASS (bench_source_parent_class)->finalize (object);
}

static void
bench_source_class_init (BenchSourceClass * klass)
{
  static GstStaticPadTemplate template = GST_STATIC_PAD_TEMPLATE ("src",
      GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  GST_BASE_SRC_CLASS (klass)->get_caps = get_caps;
  GST_BASE_SRC_CLASS (klass)->decide_allocation = decide_allocation;
  GST_BASE_SRC_CLASS (klass)->unlock = unlock;
  GST_BASE_SRC_CLASS (klass)->unlock_stop = unlock_stop;
  GST_PUSH_SRC_CLASS (klass)->create = create;
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass),
      &template);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Bench source", "Source", "Gives the same buffers again and again",
      "The cudahisto authors");
}

static void
bench_source_init (BenchSource * self)
{
  gst_base_src_set_format (GST_BASE_SRC_CAST (self), GST_FORMAT_TIME);
}

GstElement *
bench_source_new (GstCaps * caps, GstBufferPool * pool, GBytes * bytes,
    guint frames_per_second)
{
  BenchSource *self = g_object_new (bench_source_get_type (), NULL);

  self->caps = gst_caps_ref (caps);
  self->pool = pool != NULL ? gst_object_ref (pool) : NULL;
  self->bytes = bytes != NULL ? g_bytes_ref (bytes) : NULL;
  self->frames_per_second = frames_per_second;
  return GST_ELEMENT_CAST (self);
}

void
bench_source_wrap (GstElement * source)
{
  ((BenchSource *) source)->wraps = TRUE;
}

void
bench_source_set_frames (GstElement * source, GstBufferList * frames,
    guint first)
{
  BenchSource *self = (BenchSource *) source;

  self->frames = gst_buffer_list_ref (frames);
  self->first_frame = first;
}

void
bench_source_hold (GstElement * source, gboolean held)
{
  g_atomic_int_set (&((BenchSource *) source)->is_held, held);
}

gboolean
bench_source_has_offered_pool (GstElement * source)
{
  return ((BenchSource *) source)->has_offered_pool;
}
