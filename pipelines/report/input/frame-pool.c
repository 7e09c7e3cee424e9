/* The memory into which decoders write frames.
 *
 * Without this, GStreamer's decoders of libav copy every frame, for two reasons:
 *
 * - The planes of most decoded frames have padding. Downstream must say that it reads GstVideoMeta.
 * - The decoder keeps frames mapped for writing, because it makes later frames of them. When it passes
 *   such a frame on, GStreamer makes a second buffer of the same memory; it copies the memory if that is
 *   mapped for writing.
 *
 * After the decoder nothing in this pipeline writes to frames, so neither copy is needed. The sink
 * says that it reads GstVideoMeta. Frames of the pool are mapped without a lock on their memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/frame-pool.h"

#include <gst/video/video.h>

/* ---- The pool --------------------------------------------------------------------------------- */

typedef GstVideoBufferPool ReportFramePool;
typedef GstVideoBufferPoolClass ReportFramePoolClass;

static GType report_frame_pool_get_type (void);

G_DEFINE_TYPE (ReportFramePool, report_frame_pool, GST_TYPE_VIDEO_BUFFER_POOL);

/* Does what gst_video_meta_map() does. Memory of the system keeps its address. */
static gboolean
map_plane (GstVideoMeta * meta, guint plane, GstMapInfo * info,
    gpointer * data, gint * stride, GstMapFlags flags)
{
  GstMemory *memory = gst_buffer_peek_memory (meta->buffer, 0);

  if (!gst_memory_map (memory, info, GST_MAP_READ))
    return FALSE;
  gst_memory_unmap (memory, info);
  /* gst_video_frame_unmap() looks for a flag of its own. */
  info->flags = flags;
  *data = info->data + meta->offset[plane];
  *stride = meta->stride[plane];
  return TRUE;
}

static gboolean
unmap_plane (GstVideoMeta * meta, guint plane, GstMapInfo * info)
{
  return TRUE;
}

static GstFlowReturn
alloc_buffer (GstBufferPool * pool, GstBuffer ** buffer,
    GstBufferPoolAcquireParams * params)
{
  const GstFlowReturn result =
      GST_BUFFER_POOL_CLASS (report_frame_pool_parent_class)->alloc_buffer
      (pool, buffer, params);
  GstVideoMeta *meta =
      result == GST_FLOW_OK ? gst_buffer_get_video_meta (*buffer) : NULL;

  if (meta != NULL && gst_buffer_n_memory (*buffer) == 1
      && gst_memory_is_type (gst_buffer_peek_memory (*buffer, 0),
          GST_ALLOCATOR_SYSMEM)) {
    meta->map = map_plane;
    meta->unmap = unmap_plane;
  }
  return result;
}

static void
report_frame_pool_class_init (ReportFramePoolClass * klass)
{
  GST_BUFFER_POOL_CLASS (klass)->alloc_buffer = alloc_buffer;
}

static void
report_frame_pool_init (ReportFramePool * pool)
{
}

/* ---- Queries ---------------------------------------------------------------------------------- */

/* The sink's answer to an ALLOCATION query. */
static GstPadProbeReturn
answer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

static gboolean
is_system_memory (GstQuery * query)
{
  GstCaps *caps;
  gboolean needs_pool;

  gst_query_parse_allocation (query, &caps, &needs_pool);
  return needs_pool && caps != NULL && gst_caps_is_fixed (caps)
      && gst_caps_features_is_equal (gst_caps_get_features (caps, 0),
      GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
}

/* Puts a pool into the answer of cudahisto, whose first entry has the number of buffers that it needs.
 * With a GPU it has a pool, too: of memory that the GPU reads. */
static GstPadProbeReturn
complete (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  g_autoptr (GstBufferPool) pool = NULL;
  guint size, min, max;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION
      || !is_system_memory (query)
      || gst_query_get_n_allocation_pools (query) == 0)
    return GST_PAD_PROBE_OK;
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  if (pool == NULL) {
    pool = gst_object_ref_sink (g_object_new (report_frame_pool_get_type (),
            NULL));
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  }
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement * element, GstPadProbeType when,
    GstPadProbeCallback callback)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | when, callback,
      NULL, NULL);
}

/* The same, where what is behind @element says that it reads GstVideoMeta. */
void
report_frame_pool_complete (GstElement * element)
{
  /* When the query has been answered. */
  add_probe (element, GST_PAD_PROBE_TYPE_PULL, complete);
}

/**
 * report_frame_pool_offer:
 * @element: measures a stream of video, and passes it on to @sink
 *
 * Offers the decoder before @element a pool of frames that it need not copy.
 */
void
report_frame_pool_offer (GstElement * element, GstElement * sink)
{
  add_probe (sink, GST_PAD_PROBE_TYPE_PUSH, answer);
  report_frame_pool_complete (element);
}
