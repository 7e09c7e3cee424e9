/* A pipeline with the element in it, or without, and what it costs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "bench-flow.h"

#include "bench-source.h"
#include "element/cudahisto.h"
#include "engine/cuda/page-lock.h"

#include <gst/cuda/gstcudabufferpool.h>
#include <pthread.h>
#include <sys/resource.h>

void
bench_must (CUresult result, const gchar * what)
{
  GError *error = NULL;

  if (!histo_driver_check (histo_driver_get (NULL), result, what, &error))
    g_error ("%s", error->message);
}

/* A thread says in its own name that it begins. */
static GstBusSyncReply
note_thread (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Flow *flow = user_data;
  GstStreamStatusType type;
  GstElement *owner;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_STREAM_STATUS)
    return GST_BUS_PASS;
  gst_message_parse_stream_status (message, &type, &owner);
  if (type == GST_STREAM_STATUS_TYPE_ENTER && owner == flow->source)
    pthread_getcpuclockid (pthread_self (), &flow->upstream_clock);
  else if (type == GST_STREAM_STATUS_TYPE_ENTER && owner == flow->histo)
    pthread_getcpuclockid (pthread_self (), &flow->element_clock);
  return GST_BUS_PASS;
}

static GstPadProbeReturn
count_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Flow *flow = user_data;

  if (g_atomic_int_get (&flow->n_buffers) == 0)
    flow->first_time = g_get_monotonic_time ();
  g_atomic_int_inc (&flow->n_buffers);
  return GST_PAD_PROBE_OK;
}

GstCaps *
flow_caps_new (const gchar * format, guint width, guint height, MemoryKind kind)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      format, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height,
      "framerate", GST_TYPE_FRACTION, 60, 1, NULL);

  if (kind == CUDA)
    gst_caps_set_features_simple (caps,
        gst_caps_features_new (GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY, NULL));
  return caps;
}

/* Noise, so that no bin is hit more than by a picture; and CUDA memory is uploaded.
 * Returns: (transfer full): all of the pool's buffers */
static GstBufferList *
fill_pool (GstBufferPool * pool, guint n, MemoryKind kind)
{
  GstBufferList *buffers = gst_buffer_list_new_sized (n);
  guint32 random = 1;

  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = NULL;
    GstMapInfo map;

    if (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL) != GST_FLOW_OK)
      g_error ("a pool has no buffer");
    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    for (gsize j = 0; j + 4 <= map.size; j += 4) {
      random = random * 1664525 + 1013904223;
      GST_WRITE_UINT32_LE (map.data + j, random ^ random >> 15);
    }
    gst_buffer_unmap (buffer, &map);
    if (kind == CUDA) {
      gst_buffer_map (buffer, &map, GST_MAP_READ | GST_MAP_CUDA);
      gst_buffer_unmap (buffer, &map);
    }
    gst_buffer_list_add (buffers, buffer);
  }
  return buffers;
}

/* @buffers: (out): all @n of them */
GstBufferPool *
flow_pool_new (GstCaps * caps, guint n, MemoryKind kind,
    GstCudaContext * pool_context, GstBufferList ** buffers)
{
  GstBufferPool *pool = kind == CUDA ? gst_cuda_buffer_pool_new (pool_context) :
      kind == PAGE_LOCKED ? histo_pinned_pool_new (histo_driver_get (NULL),
      pool_context) :
      gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstVideoInfo info;

  gst_video_info_from_caps (&info, caps);
  gst_buffer_pool_config_set_params (config, caps, info.size, n, n);
  gst_buffer_pool_config_add_option (config,
      GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config (pool, config)
      || !gst_buffer_pool_set_active (pool, TRUE))
    g_error ("no pool");
  *buffers = fill_pool (pool, n, kind);
  return pool;
}

GstElement *
flow_histo_new (const gchar * backend, gint device_id, guint max_in_flight)
{
  GstElement *histo = g_object_new (GST_TYPE_CUDA_HISTO, NULL);

  gst_util_set_object_arg (G_OBJECT (histo), "backend", backend);
  g_object_set (histo, "cuda-device-id", device_id, "max-in-flight",
      max_in_flight, NULL);
  return histo;
}

static GstElement *
new_sink (Flow * flow)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *pad = gst_element_get_static_pad (sink, "sink");

  g_object_set (sink, "sync", FALSE, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_buffer, flow, NULL);
  gst_object_unref (pad);
  return sink;
}

/* @histo: floating, or NULL for the same pipeline without it */
void
flow_init (Flow * flow, GstElement * source, GstElement * before,
    GstElement * histo)
{
  GstElement *sink = new_sink (flow), *last = source;
  GstBus *bus;

  flow->pipeline = gst_pipeline_new (NULL);
  flow->source = source;
  flow->histo = histo;
  flow->n_buffers = 0;
  flow->upstream_clock = flow->element_clock = -1;
  bus = gst_element_get_bus (flow->pipeline);
  gst_bus_set_sync_handler (bus, note_thread, flow, NULL);
  gst_object_unref (bus);
  gst_bin_add_many (GST_BIN (flow->pipeline), source, sink, NULL);
  if (before != NULL) {
    gst_bin_add (GST_BIN (flow->pipeline), before);
    gst_element_link (last, before);
    last = before;
  }
  if (histo != NULL) {
    gst_bin_add (GST_BIN (flow->pipeline), histo);
    gst_element_link (last, histo);
    last = histo;
  }
  gst_element_link (last, sink);
}

void
flow_share_context (Flow * flow, GstCudaContext * shared)
{
  GstContext *wrapped = gst_context_new_cuda_context (shared);

  gst_element_set_context (flow->pipeline, wrapped);
  gst_context_unref (wrapped);
}

void
flow_init_raw (Flow * flow, const gchar * format, guint width, guint height,
    MemoryKind kind, guint frames_per_second, GstElement * histo,
    GstCudaContext * flow_context)
{
  GstCaps *caps = flow_caps_new (format, width, height, kind);
  GstElement *source;
  GstVideoInfo info;

  flow->pool = NULL;
  if (kind != OFFERED) {
    GstBufferList *buffers;
    guint in_flight = 0;

    if (histo != NULL)
      g_object_get (histo, "max-in-flight", &in_flight, NULL);
    /* Those that upstream and downstream hold, too. */
    flow->pool = flow_pool_new (caps, MAX (FLOW_N_BUFFERS, in_flight + 6),
        kind, flow_context, &buffers);
    gst_buffer_list_unref (buffers);
  }
  source = bench_source_new (caps, flow->pool, NULL, frames_per_second);
  if (kind == ORDINARY_ONCE)
    bench_source_wrap (source);
  gst_video_info_from_caps (&info, caps);
  g_object_set (source, "blocksize", (guint) info.size, NULL);
  if (histo != NULL && kind == ORDINARY)
    g_object_set (histo, "page-lock-upstream", TRUE, "page-lock-limit",
        G_MAXUINT64, NULL);
  flow_init (flow, source, NULL, histo);
  if (flow_context != NULL)
    flow_share_context (flow, flow_context);
  gst_caps_unref (caps);
}

gboolean
flow_has_failed (Flow * flow)
{
  GstBus *bus = gst_element_get_bus (flow->pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus,
      GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);

  if (message != NULL) {
    GError *error = NULL;
    gchar *details = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, &details);
    else
      gst_message_parse_warning (message, &error, &details);
    g_print ("# %s (%s)\n", error->message, details);
    g_error_free (error);
    g_free (details);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return message != NULL;
}

/* Plays, and returns when the first buffer has come. */
gboolean
flow_play (Flow * flow)
{
  const gint64 deadline = g_get_monotonic_time () + 8 * G_USEC_PER_SEC;

  gst_element_set_state (flow->pipeline, GST_STATE_PLAYING);
  while (g_atomic_int_get (&flow->n_buffers) == 0) {
    if (flow_has_failed (flow) || g_get_monotonic_time () > deadline)
      return FALSE;
    g_usleep (1000);
  }
  return !flow_has_failed (flow);
}

void
flow_clear (Flow * flow)
{
  gst_element_set_state (flow->pipeline, GST_STATE_NULL);
  gst_object_unref (flow->pipeline);
  if (flow->pool != NULL)
    gst_buffer_pool_set_active (flow->pool, FALSE);
  gst_clear_object (&flow->pool);
}

static gdouble
process_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
      + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* 0 where there is no such thread. */
static gdouble
clock_seconds (clockid_t clock)
{
  struct timespec now = { 0, 0 };

  if (clock == -1 || clock_gettime (clock, &now) != 0)
    return 0;
  return now.tv_sec + now.tv_nsec * 1e-9;
}

Speed
flow_measure (Flow * flow, gdouble seconds)
{
  Speed speed = { 0, };
  gdouble cpu, upstream, element;
  gint64 begin;
  gint n;

  if (!flow_play (flow))
    return speed;
  g_usleep (FLOW_WARM_UP);
  n = g_atomic_int_get (&flow->n_buffers);
  begin = g_get_monotonic_time ();
  cpu = process_seconds ();
  upstream = clock_seconds (flow->upstream_clock);
  element = clock_seconds (flow->element_clock);
  g_usleep (seconds * G_USEC_PER_SEC);
  n = g_atomic_int_get (&flow->n_buffers) - n;
  cpu = process_seconds () - cpu;
  upstream = clock_seconds (flow->upstream_clock) - upstream;
  element = clock_seconds (flow->element_clock) - element;
  if (flow_has_failed (flow) || n == 0)
    return speed;
  speed.frames_per_second = n * 1e6 / (g_get_monotonic_time () - begin);
  speed.cpu_us = cpu * 1e6 / n;
  speed.upstream_us = upstream * 1e6 / n;
  speed.element_us = element * 1e6 / n;
  return speed;
}
