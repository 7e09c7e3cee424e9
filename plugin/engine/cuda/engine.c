/* The CUDA engine: each buffer in a slot with a stream of its own.
 *
 * A slot has all the memory that a buffer of the format needs, allocated once per
 * format: allocating and freeing would synchronise the device. How a buffer gets to it is
 * in upload.c. One launch measures a buffer and writes the counts to page-locked memory,
 * where the host reads them after the slot's event. Nothing runs on the NULL stream, and
 * nothing waits for more than its own event.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/engine.h"

#include "media/cuda-memory.h"
#include "media/pack.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

/* ---- The context ---------------------------------------------------------------------- */

static gboolean
push_context (GstCudaContext * context, GError ** error)
{
  if (gst_cuda_context_push (context))
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
      "The CUDA context cannot be made current");
  return FALSE;
}

gboolean
histo_cuda_push_context (CudaEngine * engine, GError ** error)
{
  return push_context (engine->context, error);
}

void
histo_cuda_pop_context (void)
{
  gst_cuda_context_pop (NULL);
}

/* Loads the kernels into the context. After a failure nothing stays loaded. */
static gboolean
load_kernels (CudaEngine * engine, GstCudaContext * context,
    HistoKernels * kernels, GError ** error)
{
  gboolean ok;

  if (!push_context (context, error))
    return FALSE;
  ok = histo_kernels_load (kernels, engine->driver, error);
  if (!ok)
    histo_kernels_unload (kernels);
  histo_cuda_pop_context ();
  return ok;
}

static void leave_context (CudaEngine * engine);

static gboolean
cuda_open (HistoEngine * base, GstElement * element, gint device_id,
    GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;

  engine->driver = histo_driver_get (error);
  if (engine->driver == NULL)
    return FALSE;
  if (!gst_cuda_load_library ()) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "libgstcuda cannot use this CUDA driver");
    return FALSE;
  }
  gst_cuda_memory_init_once ();
  /* One that came before the device was chosen. */
  if (engine->context != NULL && device_id >= 0) {
    guint other_device = 0;

    g_object_get (engine->context, "cuda-device-id", &other_device, NULL);
    if (other_device != (guint) device_id)
      gst_clear_object (&engine->context);
  }
  if (!gst_cuda_ensure_element_context (element, device_id, &engine->context)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "No CUDA context on device %d", MAX (device_id, 0));
    return FALSE;
  }
  if (load_kernels (engine, engine->context, &engine->kernels, error))
    return TRUE;
  leave_context (engine);
  return FALSE;
}

static void
cuda_set_context (HistoEngine * base, GstElement * element, gint device_id,
    GstContext * context)
{
  CudaEngine *engine = (CudaEngine *) base;

  gst_cuda_handle_set_context (element, context, device_id, &engine->context);
}

static gboolean
cuda_answer_context_query (HistoEngine * base, GstElement * element,
    GstQuery * query)
{
  CudaEngine *engine = (CudaEngine *) base;

  return gst_cuda_handle_context_query (element, query, engine->context);
}

/* ---- Slots ------------------------------------------------------------------------------ */

static void
free_device (CudaEngine * engine, CUdeviceptr * memory)
{
  if (*memory != 0)
    CHECK (engine, cuMemFree (*memory), NULL);
  *memory = 0;
}

/* After this the device uses nothing of the slot's: a stream that cannot be waited
 * for has failed, and its work with it. */
gboolean
histo_slot_settle (CudaEngine * engine, HistoSlot * slot, GError ** error)
{
  return CHECK (engine, cuStreamSynchronize (slot->stream), error);
}

/* All slots of a launch get on; they have the error, if there is one, each. Takes it. */
void
histo_slot_set_state (HistoSlot * first, SlotState state, GError * error)
{
  for (guint i = 0; i < first->n_members; i++) {
    first->members[i]->state = state;
    if (error != NULL)
      first->members[i]->error = g_error_copy (error);
  }
  g_clear_error (&error);
}

static void
free_slot (CudaEngine * engine, HistoSlot * slot)
{
  if (slot->stream != NULL)
    histo_slot_settle (engine, slot, NULL);
  histo_upload_clear (&slot->upload);
  histo_pinned_free (&slot->counters, engine->driver);
  histo_pinned_free (&slot->totals, engine->driver);
  free_device (engine, &slot->scratch);
  free_device (engine, &slot->partials);
  for (guint i = 0; i < G_N_ELEMENTS (slot->timed); i++) {
    if (slot->timed[i] != NULL)
      CHECK (engine, cuEventDestroy (slot->timed[i]), NULL);
  }
  if (slot->end != NULL)
    CHECK (engine, cuEventDestroy (slot->end), NULL);
  if (slot->alarm != NULL)
    CHECK (engine, cuEventDestroy (slot->alarm), NULL);
  if (slot->produced != NULL)
    CHECK (engine, cuEventDestroy (slot->produced), NULL);
  if (slot->stream != NULL)
    CHECK (engine, cuStreamDestroy (slot->stream), NULL);
  g_clear_error (&slot->error);
  g_free (slot);
}

/* Scratch memory, zeroed, and page-locked memory for the counters, of these sizes. */
static gboolean
alloc_counters (CudaEngine * engine, HistoSlot * slot, gsize scratch_size,
    gsize counters_size, GError ** error)
{
  return CHECK (engine, cuMemAlloc (&slot->scratch, scratch_size), error)
      && CHECK (engine, cuMemsetD8Async (slot->scratch, 0, scratch_size,
          slot->stream), error)
      && CHECK (engine, cuStreamSynchronize (slot->stream), error)
      && histo_pinned_alloc (&slot->counters, engine->driver, counters_size,
      error);
}

/* Whether there will be nothing to upload; if there is, contrary to the caps, its memory is
 * allocated then. */
static gboolean
reads_in_place (const HistoFormat * format)
{
  return format->is_in_cuda_memory && !format->needs_unpack;
}

static gboolean
alloc_video (CudaEngine * engine, HistoSlot * slot, GError ** error)
{
  const HistoFormat *format = engine->config.plan->format;

  return alloc_counters (engine, slot,
      histo_kernels_video_scratch (&engine->kernels, format),
      histo_kernels_video_result (&engine->kernels, format), error)
      && (reads_in_place (format)
      || histo_upload_resize (&slot->upload, histo_pack_room (format),
          error));
}

static gboolean
alloc_audio (CudaEngine * engine, HistoSlot * slot, GError ** error)
{
  const guint channels = engine->config.plan->format->n_components;
  const guint n_bins = engine->config.plan->bins->binning.n_bins;

  if (!alloc_counters (engine, slot,
          histo_kernels_audio_scratch (&engine->kernels, channels, n_bins),
          (gsize) channels * n_bins * sizeof (guint32), error)
      || !histo_pinned_alloc (&slot->totals, engine->driver,
          channels * sizeof (HistoTotals), error)
      || !CHECK (engine, cuMemAlloc (&slot->partials,
              histo_kernels_audio_partials (&engine->kernels, channels,
                  n_bins)), error))
    return FALSE;
  slot->audio.result = slot->counters.device;
  slot->audio.totals = slot->totals.device;
  return TRUE;
}

static gboolean
add_slot (CudaEngine * engine, GError ** error)
{
  HistoSlot *slot = g_new0 (HistoSlot, 1);

  slot->upload.driver = engine->driver;
  slot->upload.context = engine->context;
  slot->upload.user = engine;
  g_ptr_array_add (engine->slots, slot);

  /* Who waits for the alarm sleeps rather than burn a core; but it interrupts the processor
   * also where nobody does, and is not recorded then. */
  if (!CHECK (engine, cuStreamCreate (&slot->stream, CU_STREAM_NON_BLOCKING),
          error)
      || !CHECK (engine, cuEventCreate (&slot->end, CU_EVENT_DISABLE_TIMING),
          error)
      || !CHECK (engine, cuEventCreate (&slot->alarm,
              CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING), error)
      || !CHECK (engine, cuEventCreate (&slot->timed[0], CU_EVENT_DEFAULT),
          error)
      || !CHECK (engine, cuEventCreate (&slot->timed[1], CU_EVENT_DEFAULT),
          error)
      || !CHECK (engine, cuEventCreate (&slot->produced,
              CU_EVENT_DISABLE_TIMING), error))
    return FALSE;

  if (engine->config.plan->format->is_audio ? !alloc_audio (engine, slot, error)
      : !alloc_video (engine, slot, error))
    return FALSE;
  /* Complete: only now it may be taken. */
  g_queue_push_tail (&engine->free_slots, slot);
  return TRUE;
}

static void
unconfigure (CudaEngine * engine)
{
  if (engine->slots->len > 0 || engine->edges != 0) {
    /* In a context that has failed nothing can be freed but the host's own. */
    gboolean pushed = histo_cuda_push_context (engine, NULL);

    for (guint i = 0; i < engine->slots->len; i++)
      free_slot (engine, g_ptr_array_index (engine->slots, i));
    free_device (engine, &engine->edges);
    if (pushed)
      histo_cuda_pop_context ();
  }
  g_ptr_array_set_size (engine->slots, 0);
  g_queue_clear (&engine->free_slots);
  engine->gathering = NULL;
  /* What follows may take another time, and may be counted from nothing. */
  engine->launches.n = engine->submissions.n = engine->late_launches.n = 0;
  g_clear_pointer (&engine->config.plan, histo_plan_unref);
}

static gboolean
upload_edges (CudaEngine * engine, GError ** error)
{
  gsize size = (engine->config.plan->bins->binning.n_bins + 1) * sizeof (gdouble);
  HistoSlot *slot = g_ptr_array_index (engine->slots, 0);

  return CHECK (engine, cuMemAlloc (&engine->edges, size), error)
      && CHECK (engine, cuMemcpyHtoDAsync (engine->edges,
          engine->config.plan->bins->edges, size, slot->stream), error)
      && CHECK (engine, cuStreamSynchronize (slot->stream), error);
}

static gboolean
cuda_configure (HistoEngine * base, const HistoEngineConfig * config,
    GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;
  gboolean ok = TRUE;

  unconfigure (engine);
  engine->config = *config;
  engine->config.plan = histo_plan_ref (config->plan);

  if (!histo_cuda_push_context (engine, error))
    return FALSE;
  for (guint i = 0; ok && i < config->max_in_flight; i++)
    ok = add_slot (engine, error);
  if (ok && config->plan->format->is_audio
      && config->plan->bins->binning.kind == HISTO_BINNING_EDGES)
    ok = upload_edges (engine, error);
  histo_cuda_pop_context ();
  return ok;
}

/* ---- Starting a frame ------------------------------------------------------------------- */

/* CUDA memory that another stream may still be filling. */
static gboolean
wait_for_producer (CudaEngine * engine, HistoSlot * slot, GstBuffer * buffer,
    GError ** error)
{
#ifdef HAVE_GST_CUDA_STREAM
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstCudaMemory *memory =
        GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, i));
    GstCudaStream *stream = gst_cuda_memory_get_stream (memory);

    if (stream == NULL)
      continue;
    if (!CHECK (engine, cuEventRecord (slot->produced,
                gst_cuda_stream_get_handle (stream)), error)
        || !CHECK (engine, cuStreamWaitEvent (slot->stream, slot->produced, 0),
            error))
      return FALSE;
  }
#endif
  /* Before 1.24 whoever fills CUDA memory synchronises before pushing it. */
  return TRUE;
}

/* Before and after what the device is given to launch, on the first slot's stream. */

gboolean
histo_slot_begin_launch (CudaEngine * engine, HistoSlot * first,
    GError ** error)
{
  first->n_timed = histo_sampler_next (&engine->launches);
  return first->n_timed == 0
      || CHECK (engine, cuEventRecord (first->timed[0], first->stream), error);
}

gboolean
histo_slot_end_launch (CudaEngine * engine, HistoSlot * first, GError ** error)
{
  if (first->n_timed > 0
      && !CHECK (engine, cuEventRecord (first->timed[1], first->stream), error))
    return FALSE;
  return CHECK (engine, cuEventRecord (first->end, first->stream), error);
}

static gboolean
launch_video (CudaEngine * engine, HistoSlot * slot, GError ** error)
{
  HistoVideoTask task = {
    .n_planes = slot->layout.n_planes,
    .n_bins = engine->config.plan->format->n_bins,
    .scratch = slot->scratch,
    .result = slot->counters.device,
  };

  memcpy (task.planes, slot->layout.planes, sizeof task.planes);
  return histo_kernels_launch_video (&engine->kernels, &task, slot->stream,
      error);
}

static gboolean
start_video (CudaEngine * engine, HistoSlot * slot, GstBuffer * buffer,
    GError ** error)
{
  const HistoFormat *format = engine->config.plan->format;
  gboolean in_place =
      histo_is_in_cuda_memory (buffer) && !format->needs_unpack;
  gboolean ok;

  if (!histo_layout_map (&slot->layout, format, buffer,
          in_place ? GST_MAP_READ | GST_MAP_CUDA : GST_MAP_READ, error))
    return FALSE;

  slot->is_read_in_place = in_place;
  if (in_place)
    ok = wait_for_producer (engine, slot, buffer, error);
  else
    ok = histo_upload_video (&slot->upload, format, &slot->layout, buffer,
        slot->stream, &slot->is_read_in_place, error);
  ok = ok && histo_slot_begin_launch (engine, slot, error)
      && launch_video (engine, slot, error)
      && histo_slot_end_launch (engine, slot, error);
  if (!ok) {
    /* What was enqueued may still read the staging memory or the buffer. */
    histo_slot_settle (engine, slot, NULL);
    histo_layout_unmap (&slot->layout, format);
    return FALSE;
  }
  slot->state = SLOT_LAUNCHED;
  slot->first = slot->members[0] = slot;
  slot->n_members = 1;
  return TRUE;
}

/* ---- Starting a buffer ------------------------------------------------------------------- */

static HistoSlot *
take_slot (CudaEngine * engine)
{
  HistoSlot *slot;

  g_mutex_lock (&engine->lock);
  slot = g_queue_pop_head (&engine->free_slots);
  g_mutex_unlock (&engine->lock);
  return slot;
}

static void
give_slot_back (CudaEngine * engine, HistoSlot * slot)
{
  g_mutex_lock (&engine->lock);
  /* At the head: its memory is still warm. */
  g_queue_push_head (&engine->free_slots, slot);
  g_mutex_unlock (&engine->lock);
}

/* What a thread's own time is taken of. */
typedef struct
{
  guint n;                      /* for how many that time counts; 0: it is not taken */
  guint64 begin;
} CpuTimer;

static CpuTimer
start_timer (HistoSampler * sampler)
{
  const guint n = histo_sampler_next (sampler);

  return (CpuTimer) { n, n > 0 ? histo_thread_time () : 0 };
}

static guint64
timer_total (CpuTimer timer)
{
  return timer.n > 0 ? timer.n * (histo_thread_time () - timer.begin) : 0;
}

static HistoSlot *
cuda_submit (HistoEngine * base, GstBuffer * buffer, GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;
  const CpuTimer timer = start_timer (&engine->submissions);
  HistoSlot *slot;
  gboolean ok;

  if (!histo_cuda_push_context (engine, error))
    return NULL;
  slot = take_slot (engine);
  if (slot == NULL) {
    histo_cuda_pop_context ();
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
        "The CUDA engine is not configured");
    return NULL;
  }
  ok = engine->config.plan->format->is_audio ?
      histo_audio_start (engine, slot, buffer, error) :
      start_video (engine, slot, buffer, error);
  histo_cuda_pop_context ();
  if (!ok) {
    give_slot_back (engine, slot);
    slot = NULL;
  }

  if (timer.n > 0) {
    const guint64 total = timer_total (timer);

    g_mutex_lock (&engine->lock);
    engine->cpu_time += total;
    g_mutex_unlock (&engine->lock);
  }
  return slot;
}

/* ---- Finishing a buffer --------------------------------------------------------------------- */

/* Falling asleep and being woken by the device takes many times as long as measuring a
 * frame. So where the latest launches that were timed were short, this one is asked for a
 * while whether it is done. */
gint64 histo_cuda_longest_poll = 150;   /* us */

static gboolean
is_short (CudaEngine * engine, const HistoSlot * first)
{
  /* One that had to wait for other work says nothing of the next. */
  return first->is_read_in_place && MIN (engine->timed_launches[0],
      engine->timed_launches[1]) <= histo_cuda_longest_poll / 2;
}

static gboolean
wait_for_end (CudaEngine * engine, HistoSlot * first, gboolean may_poll,
    GError ** error)
{
  const gint64 give_up =
      g_get_monotonic_time () + (may_poll ? histo_cuda_longest_poll : 0);

  do {
    CUresult result = engine->driver->cuEventQuery (first->end);

    if (result != CUDA_ERROR_NOT_READY)
      return histo_driver_check (engine->driver, result, "cuEventQuery", error);
  } while (g_get_monotonic_time () < give_up);
  /* Nothing follows the launch on its stream. */
  return CHECK (engine, cuEventRecord (first->alarm, first->stream), error)
      && CHECK (engine, cuEventSynchronize (first->alarm), error);
}

/* Waits for a launch's event, and lets go of the buffer whatever comes of it. Without the
 * lock. */
static gboolean
wait_for_launch (CudaEngine * engine, HistoSlot * first, gboolean may_poll,
    gfloat * milliseconds, GError ** error)
{
  gboolean ok;

  if (!histo_cuda_push_context (engine, error)) {
    /* A stream can be waited for without its context; the buffer must not go before. */
    histo_slot_settle (engine, first, NULL);
    histo_layout_unmap (&first->layout, engine->config.plan->format);
    return FALSE;
  }
  ok = wait_for_end (engine, first, may_poll, error)
      && (first->n_timed == 0 || CHECK (engine,
          cuEventElapsedTime (milliseconds, first->timed[0], first->timed[1]),
          error));
  if (!ok)
    histo_slot_settle (engine, first, NULL);
  histo_layout_unmap (&first->layout, engine->config.plan->format);
  histo_cuda_pop_context ();
  return ok;
}

/* Under the lock, but for the time that the device takes: the first slot is not given back
 * meanwhile, because nobody gets past its state. */
static void
await_launch (CudaEngine * engine, HistoSlot * first)
{
  const gboolean may_poll = is_short (engine, first);
  gfloat milliseconds = 0;
  GError *error = NULL;

  histo_slot_set_state (first, SLOT_AWAITED, NULL);
  g_mutex_unlock (&engine->lock);
  wait_for_launch (engine, first, may_poll, &milliseconds, &error);
  g_mutex_lock (&engine->lock);
  histo_slot_set_state (first, SLOT_FINISHED, error);
  if (first->n_timed > 0) {
    engine->gpu_time += (guint64) (milliseconds * 1e6) * first->n_timed;
    engine->timed_launches[1] = engine->timed_launches[0];
    engine->timed_launches[0] = (gint64) (milliseconds * 1e3);
  }
  histo_condition_broadcast (&engine->finished);
}

/* Under the lock. */
static void
finish_slot (CudaEngine * engine, HistoSlot * slot)
{
  while (slot->state == SLOT_AWAITED)
    histo_condition_wait (&engine->finished, &engine->lock);
  if (slot->state == SLOT_GATHERED) {
    const CpuTimer timer = start_timer (&engine->late_launches);

    histo_audio_launch_gathered (engine);
    engine->cpu_time += timer_total (timer);
  }
  if (slot->state == SLOT_LAUNCHED)
    await_launch (engine, slot->first);
}

static gboolean
cuda_is_prompt (HistoEngine * base, HistoSlot * slot)
{
  CudaEngine *engine = (CudaEngine *) base;
  gboolean prompt;

  g_mutex_lock (&engine->lock);
  prompt = slot->state == SLOT_LAUNCHED && is_short (engine, slot->first);
  g_mutex_unlock (&engine->lock);
  return prompt;
}

static gboolean
cuda_wait (HistoEngine * base, HistoSlot * slot, HistoCounts * counts,
    GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;

  g_mutex_lock (&engine->lock);
  finish_slot (engine, slot);
  g_mutex_unlock (&engine->lock);
  if (slot->error != NULL) {
    g_propagate_error (error, g_error_copy (slot->error));
    return FALSE;
  }
  if (!engine->config.plan->format->is_audio)
    histo_kernels_finish_video (&engine->kernels, engine->config.plan->format,
        slot->counters.host);
  counts->counters = slot->counters.host;
  counts->totals = slot->totals.host;
  counts->n_samples = slot->audio.n_samples;
  return TRUE;
}

static void
cuda_release (HistoEngine * base, HistoSlot * slot)
{
  CudaEngine *engine = (CudaEngine *) base;

  g_mutex_lock (&engine->lock);
  /* Nobody will ask for what is not begun. */
  if (slot->state == SLOT_GATHERED)
    histo_audio_leave_gathered (engine, slot);
  finish_slot (engine, slot);
  g_clear_error (&slot->error);
  g_mutex_unlock (&engine->lock);
  give_slot_back (engine, slot);
}

static void
cuda_times (HistoEngine * base, guint64 * cpu_time, guint64 * gpu_time)
{
  CudaEngine *engine = (CudaEngine *) base;

  g_mutex_lock (&engine->lock);
  *cpu_time = engine->cpu_time;
  *gpu_time = engine->gpu_time;
  g_mutex_unlock (&engine->lock);
}

/* ---- The pool for upstream ----------------------------------------------------------------------- */

static GstBufferPool *
cuda_new_pool (HistoEngine * base)
{
  CudaEngine *engine = (CudaEngine *) base;

  return histo_pinned_pool_new (engine->driver, engine->context);
}

/* ---- Following the buffers' context ------------------------------------------------------------ */

static GstCudaContext *
context_of (GstBuffer * buffer)
{
  return GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, 0))->context;
}

static gboolean
cuda_accepts (HistoEngine * base, GstBuffer * buffer)
{
  CudaEngine *engine = (CudaEngine *) base;
  GstCudaContext *context;

  if (!histo_is_cuda_buffer (buffer))
    return TRUE;
  context = context_of (buffer);
  return context == engine->context || gst_cuda_context_get_handle (context)
      == gst_cuda_context_get_handle (engine->context);
}

static void
leave_context (CudaEngine * engine)
{
  unconfigure (engine);
  if (engine->kernels.module != NULL) {
    gboolean pushed = histo_cuda_push_context (engine, NULL);

    histo_kernels_unload (&engine->kernels);
    if (pushed)
      histo_cuda_pop_context ();
  }
  gst_clear_object (&engine->context);
}

/* After a failure the engine is as before: in its old context, with its kernels loaded. */
static gboolean
cuda_follow (HistoEngine * base, GstBuffer * buffer, gint device_id,
    GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;
  GstCudaContext *context = context_of (buffer);
  guint buffers_device = 0;
  HistoKernels kernels;

  g_object_get (context, "cuda-device-id", &buffers_device, NULL);
  if (device_id >= 0 && buffers_device != (guint) device_id) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "The buffers lie on CUDA device %u, but cuda-device-id is %d",
        buffers_device, device_id);
    return FALSE;
  }
  if (!load_kernels (engine, context, &kernels, error))
    return FALSE;
  GST_INFO ("following the buffers to another CUDA context, on device %u",
      buffers_device);
  leave_context (engine);
  engine->context = gst_object_ref (context);
  engine->kernels = kernels;
  return TRUE;
}

/* ---- The engine ----------------------------------------------------------------------------------- */

static void
cuda_close (HistoEngine * base)
{
  CudaEngine *engine = (CudaEngine *) base;

  leave_context (engine);
  g_ptr_array_unref (engine->slots);
  g_mutex_clear (&engine->lock);
  histo_condition_clear (&engine->finished);
  g_free (engine);
}

static const HistoEngineClass cuda_class = {
  .name = "cuda",
  .open = cuda_open,
  .configure = cuda_configure,
  .submit = cuda_submit,
  .is_prompt = cuda_is_prompt,
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
histo_engine_cuda_new (void)
{
  CudaEngine *engine = g_new0 (CudaEngine, 1);

  engine->parent.klass = &cuda_class;
  engine->slots = g_ptr_array_new ();
  g_mutex_init (&engine->lock);
  histo_condition_init (&engine->finished);
  g_queue_init (&engine->free_slots);
  return &engine->parent;
}
