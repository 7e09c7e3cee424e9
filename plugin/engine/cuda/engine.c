/* The CUDA engine: measures each buffer on a stream of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/engine.h"

#include "engine/cuda/gather.h"
#include "engine/cuda/plan-log.h"
#include "engine/cuda/slot.h"
#include "media/cuda-memory.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

typedef struct
{
  HistoEngine parent;
  HistoSlots slots;
  HistoGather gather;
  HistoTiming submissions;
  /* Under the slots' lock. */
  HistoTiming late_launches;    /* of staged audio, by the thread that waits for it */
  guint64 cpu_time;             /* ns */
} CudaEngine;

#define CHECK(engine, call, error) \
  HISTO_DEVICE_CHECK (&(engine)->slots.device, call, error)

/* ---- The context --------------------------------------------------------------------- */

/* The kernels in the device's context, or NULL. */
static const HistoCudaKernels *
share_kernels (const HistoDevice * device, GError ** error)
{
  const HistoCudaKernels *kernels;

  if (!histo_device_push (device, error))
    return NULL;
  kernels = histo_cuda_kernels_share (device->driver, error);
  histo_device_pop ();
  return kernels;
}

/* Gives up the context and all that the engine has there. */
static void
leave_context (CudaEngine * engine)
{
  HistoSlots *slots = &engine->slots;

  histo_slots_unconfigure (slots);
  if (slots->kernels != NULL) {
    gboolean pushed = histo_device_push (&slots->device, NULL);

    histo_cuda_kernels_release (slots->kernels);
    slots->kernels = NULL;
    if (pushed)
      histo_device_pop ();
  }
  gst_clear_object (&slots->device.context);
}

static gboolean
cuda_open (HistoEngine * base, GstElement * element, gint device_id,
    GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;
  HistoSlots *slots = &engine->slots;

  if (!histo_device_open (&slots->device, element, device_id, error))
    return FALSE;
  slots->kernels = share_kernels (&slots->device, error);
  if (slots->kernels != NULL)
    return TRUE;
  leave_context (engine);
  return FALSE;
}

static void
cuda_set_context (HistoEngine * base, GstElement * element, gint device_id,
    GstContext * context)
{
  CudaEngine *engine = (CudaEngine *) base;

  gst_cuda_handle_set_context (element, context, device_id,
      &engine->slots.device.context);
}

static gboolean
cuda_answer_context_query (HistoEngine * base, GstElement * element,
    GstQuery * query)
{
  CudaEngine *engine = (CudaEngine *) base;

  return gst_cuda_handle_context_query (element, query,
      engine->slots.device.context);
}

/* The context of one of the buffer's CUDA memories. */
static GstCudaContext *
context_of (GstBuffer * buffer, guint memory)
{
  return GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer,
          memory))->context;
}

/* Two objects may stand for one context. */
static gboolean
is_same_context (GstCudaContext * a, GstCudaContext * b)
{
  return a == b
      || gst_cuda_context_get_handle (a) == gst_cuda_context_get_handle (b);
}

static gboolean
cuda_accepts (HistoEngine * base, GstBuffer * buffer)
{
  const HistoDevice *device = &((CudaEngine *) base)->slots.device;

  return !histo_is_cuda_buffer (buffer)
      || is_same_context (context_of (buffer, 0), device->context);
}

/* Gets the kernels of the new context before it gives up the old one, so that a failure
 * leaves the engine as it was. */
static gboolean
cuda_follow (HistoEngine * base, GstBuffer * buffer, gint device_id,
    GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;
  HistoSlots *slots = &engine->slots;
  HistoDevice device = slots->device;
  const HistoCudaKernels *kernels;
  guint buffers_device;

  device.context = context_of (buffer, 0);
  buffers_device = histo_device_id_of (device.context);
  if (device_id >= 0 && buffers_device != (guint) device_id) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "The buffers lie on CUDA device %u, but cuda-device-id is %d",
        buffers_device, device_id);
    return FALSE;
  }
  kernels = share_kernels (&device, error);
  if (kernels == NULL)
    return FALSE;
  GST_INFO_OBJECT (device.element, "follows the buffers from %" GST_PTR_FORMAT
      " to %" GST_PTR_FORMAT " on CUDA device %u", slots->device.context,
      device.context, buffers_device);
  leave_context (engine);
  slots->device.context = gst_object_ref (device.context);
  slots->kernels = kernels;
  return TRUE;
}

static gboolean
cuda_configure (HistoEngine * base, const HistoEngineConfig * config,
    GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;

  /* Buffers of another format take another time. */
  engine->submissions = engine->late_launches = (HistoTiming) { 0 };
  return histo_slots_configure (&engine->slots, config, error);
}

/* ---- Starting a frame ---------------------------------------------------------------- */

/* Has the slot's stream wait for the streams on which the buffer's CUDA memory is filled. */
static gboolean
wait_for_producer (CudaEngine * engine, HistoSlot * slot, GstBuffer * buffer,
    GError ** error)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    CUstream stream =
        histo_producer_stream_of (gst_buffer_peek_memory (buffer, i));

    if (stream == NULL)
      continue;
    if (!CHECK (engine, cuEventRecord (slot->produced, stream), error)
        || !CHECK (engine, cuStreamWaitEvent (slot->stream, slot->produced, 0),
            error))
      return FALSE;
  }
  return TRUE;
}

/* Launches the kernels that count the samples themselves. */
static gboolean
launch_samples (HistoSlots * slots, HistoSlot * slot, GError ** error)
{
  HistoVideoLaunch launch = {
    .n_planes = slot->layout.n_planes,
    .n_bins = slots->plan->n_counters,
    .scratch = slot->scratch,
    .result = slot->counters.device,
  };

  memcpy (launch.planes, slot->layout.planes, sizeof launch.planes);
  if (histo_slots_must_log_plan (slots))
    histo_cuda_plan_log_video (&slots->kernels->limits, &launch,
        slots->device.element);
  return histo_cuda_launch_video (slots->kernels, &launch, slot->stream,
      error);
}

static gboolean
launch_video (CudaEngine * engine, HistoSlot * slot,
    const HistoFrameInfo * info, GError ** error)
{
  HistoSlots *slots = &engine->slots;

  if (!histo_cuda_maps_begin (&slots->maps, &slot->maps, info, slot->stream,
          error)
      || !histo_slot_begin_launch (slots, slot, error))
    return FALSE;
  if ((!slots->maps.plan.counts_samples
          && !launch_samples (slots, slot, error))
      || !histo_cuda_maps_launch (&slots->maps, &slot->maps,
          slot->layout.planes, info, slot->scratch, slot->counters.device,
          slot->stream, error))
    return FALSE;
  return histo_slot_end_launch (slots, slot, error);
}

/* Whether a launch can read the whole buffer in place: all of it is CUDA memory of one context. */
static gboolean
is_in_one_context (GstBuffer * buffer)
{
  if (!histo_is_in_cuda_memory (buffer))
    return FALSE;
  for (guint i = 1; i < gst_buffer_n_memory (buffer); i++) {
    if (!is_same_context (context_of (buffer, 0), context_of (buffer, i)))
      return FALSE;
  }
  return TRUE;
}

static gboolean
start_video (CudaEngine * engine, HistoSlot * slot, GstBuffer * buffer,
    const HistoFrameInfo * info, GError ** error)
{
  const HistoFormat *format = engine->slots.plan->format;
  const gboolean is_on_device =
      !format->needs_unpack && is_in_one_context (buffer);
  gboolean ok;

  if (!histo_layout_map (&slot->layout, format, buffer,
          is_on_device ? GST_MAP_READ | GST_MAP_CUDA : GST_MAP_READ, error))
    return FALSE;

  slot->is_read_in_place = is_on_device;
  if (is_on_device) {
    histo_upload_log_route (&slot->upload,
        "the kernel reads the buffer's CUDA memory", NULL);
    ok = wait_for_producer (engine, slot, buffer, error);
  } else {
    ok = histo_upload_video (&slot->upload, format, &slot->layout, buffer,
        slot->stream, &slot->is_read_in_place, error);
  }
  if (!ok || !launch_video (engine, slot, info, error)) {
    /* The work on the stream may still read the staging memory or the buffer. */
    histo_slot_settle (&engine->slots, slot, NULL);
    histo_layout_unmap (&slot->layout, format);
    return FALSE;
  }
  slot->state = HISTO_SLOT_LAUNCHED;
  slot->first = slot->members[0] = slot;
  slot->n_members = 1;
  return TRUE;
}

/* ---- Measuring a buffer -------------------------------------------------------------- */

static HistoSlot *
cuda_submit (HistoEngine * base, GstBuffer * buffer,
    const HistoFrameInfo * info, GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;
  HistoSlots *slots = &engine->slots;
  const HistoTimer timer = histo_timer_start (&engine->submissions);
  HistoSlot *slot;
  gboolean ok;

  if (!histo_device_push (&slots->device, error))
    return NULL;
  slot = histo_slots_pop (slots);
  if (slot == NULL) {
    histo_device_pop ();
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
        "The CUDA engine is not configured");
    return NULL;
  }
  ok = slots->plan->format->is_audio ?
      histo_gather_start (&engine->gather, slot, buffer, info, error) :
      start_video (engine, slot, buffer, info, error);
  histo_device_pop ();
  if (!ok) {
    histo_cuda_maps_interrupt (&slots->maps);
    histo_slots_push (slots, slot);
    slot = NULL;
  }

  if (timer.weight > 0) {
    const guint64 total = histo_timer_total (&timer);

    g_mutex_lock (&slots->lock);
    engine->cpu_time += total;
    g_mutex_unlock (&slots->lock);
  }
  return slot;
}

/* Returns when the slot is FINISHED. Call it under the lock. */
static void
finish_slot (CudaEngine * engine, HistoSlot * slot)
{
  HistoSlots *slots = &engine->slots;

  while (slot->state == HISTO_SLOT_AWAITED)
    histo_condition_wait (&slots->finished, &slots->lock);
  if (slot->state == HISTO_SLOT_GATHERED) {
    const HistoTimer timer = histo_timer_start (&engine->late_launches);

    histo_gather_launch (&engine->gather);
    engine->cpu_time += histo_timer_total (&timer);
  }
  if (slot->state == HISTO_SLOT_LAUNCHED)
    histo_slot_await (slots, slot->first);
}

static HistoPromptness
cuda_promptness (HistoEngine * base, HistoSlot * slot)
{
  HistoSlots *slots = &((CudaEngine *) base)->slots;
  gboolean is_soon;

  g_mutex_lock (&slots->lock);
  is_soon = slot->state == HISTO_SLOT_LAUNCHED
      && histo_slot_is_short (slots, slot->first);
  g_mutex_unlock (&slots->lock);
  return is_soon ? HISTO_COUNTS_SOON : HISTO_COUNTS_LATER;
}

/* Returns whether the counts are complete. Does not wait. */
static gboolean
cuda_is_done (HistoEngine * base, HistoSlot * slot)
{
  HistoSlots *slots = &((CudaEngine *) base)->slots;
  gboolean is_done;

  g_mutex_lock (&slots->lock);
  if (slot->state == HISTO_SLOT_LAUNCHED)
    histo_slot_finish_if_ended (slots, slot->first);
  is_done = slot->state == HISTO_SLOT_FINISHED && slot->error == NULL;
  g_mutex_unlock (&slots->lock);
  return is_done;
}

static gboolean
cuda_wait (HistoEngine * base, HistoSlot * slot, HistoCounts * counts,
    GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;
  HistoSlots *slots = &engine->slots;

  g_mutex_lock (&slots->lock);
  finish_slot (engine, slot);
  g_mutex_unlock (&slots->lock);
  if (slot->error != NULL) {
    histo_cuda_maps_forget (&slots->maps);
    g_propagate_error (error, g_steal_pointer (&slot->error));
    return FALSE;
  }
  if (!slots->plan->format->is_audio)
    histo_cuda_finish_video (slots->kernels, slots->plan->format,
        slots->plan->n_counters, slot->counters.host);
  *counts = (HistoCounts) {.n_frames = 1 };
  counts->counters = slot->counters.host;
  counts->tallies = slot->maps.tallies.host;
  counts->n_with_previous =
      histo_cuda_maps_had_previous (&slots->maps, &slot->maps);
  counts->totals = slot->totals.host;
  counts->n_samples = slot->audio.n_samples;
  return TRUE;
}

static void
cuda_release (HistoEngine * base, HistoSlot * slot)
{
  CudaEngine *engine = (CudaEngine *) base;
  HistoSlots *slots = &engine->slots;

  g_mutex_lock (&slots->lock);
  if (slot->state == HISTO_SLOT_GATHERED)
    histo_gather_leave (&engine->gather, slot);
  finish_slot (engine, slot);
  if (slot->error != NULL)
    histo_cuda_maps_forget (&slots->maps);
  g_clear_error (&slot->error);
  g_mutex_unlock (&slots->lock);
  histo_slots_push (slots, slot);
}

static void
cuda_times (HistoEngine * base, guint64 * cpu_time, guint64 * gpu_time)
{
  CudaEngine *engine = (CudaEngine *) base;

  g_mutex_lock (&engine->slots.lock);
  *cpu_time = engine->cpu_time;
  *gpu_time = engine->slots.gpu_time;
  g_mutex_unlock (&engine->slots.lock);
}

/* ---- The engine ---------------------------------------------------------------------- */

static GstBufferPool *
cuda_new_pool (HistoEngine * base)
{
  const HistoDevice *device = &((CudaEngine *) base)->slots.device;

  return histo_pinned_pool_new (device->driver, device->context);
}

static void
cuda_close (HistoEngine * base)
{
  CudaEngine *engine = (CudaEngine *) base;

  leave_context (engine);
  histo_slots_clear (&engine->slots);
  histo_page_locks_unref (engine->slots.page_locks);
  g_free (engine);
}

static const HistoEngineClass cuda_class = {
  .name = "cuda",
  .open = cuda_open,
  .configure = cuda_configure,
  .submit = cuda_submit,
  .promptness = cuda_promptness,
  .is_done = cuda_is_done,
  .wait = cuda_wait,
  .release = cuda_release,
  .times = cuda_times,
  .close = cuda_close,
  .set_context = cuda_set_context,
  .answer_context_query = cuda_answer_context_query,
  .new_pool = cuda_new_pool,
  .accepts = cuda_accepts,
  .follow = cuda_follow,
};

HistoEngine *
histo_engine_cuda_new (HistoPageLocks * page_locks)
{
  CudaEngine *engine = g_new0 (CudaEngine, 1);

  engine->parent.klass = &cuda_class;
  histo_slots_init (&engine->slots);
  engine->slots.page_locks = histo_page_locks_ref (page_locks);
  engine->gather.slots = &engine->slots;
  return &engine->parent;
}
