/* The CUDA engine: a slot with a stream for each buffer in flight.
 *
 * A slot has a stream of its own and all memory that a buffer of the format needs. The memory
 * is allocated with the configuration, because to allocate or to free memory synchronises the
 * device. Nothing runs on the NULL stream. Each wait is for one event.
 *
 * A launch measures the buffers of one or several slots. It runs on the stream of the first of
 * them, and uses that slot's events and its memory for uploads. The results are in each slot's
 * own memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/engine.h"

#include "engine/condition.h"
#include "engine/cuda/groups.h"
#include "engine/cuda/masks.h"
#include "engine/cuda/page-lock.h"
#include "engine/cuda/upload.h"
#include "engine/timing.h"
#include "media/layout.h"
#include "media/pack.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

/* The states of a slot that is in use, in their order. Small audio buffers begin as STAGED; all
 * others as LAUNCHED. */
typedef enum
{
  SLOT_STAGED,                  /* its buffer will be launched with others */
  SLOT_LAUNCHED,
  SLOT_AWAITED,                 /* a thread waits for the launch; others wait for that thread */
  SLOT_FINISHED                 /* there are counts, or an error */
} SlotState;

struct _HistoSlot
{
  CUstream stream;
  CUevent end;                  /* the end of the launch, for a thread that polls */
  CUevent alarm;                /* the same, for a thread that sleeps */
  CUevent timed[2];             /* begin and end of the launch, recorded if n_timed > 0 */
  guint n_timed;                /* weight: by how much the measured time is multiplied; 0: not timed */
  CUevent produced;             /* on the stream that fills the buffer */

  HistoUpload upload;
  CUdeviceptr scratch;          /* see launch.h */
  CUdeviceptr partials;         /* audio: see launch.h */
  HistoPinned counters;         /* the results, which the kernel writes */
  HistoPinned totals;           /* audio: the same */
  HistoCudaGroupsSlot groups;       /* video */
  HistoCudaMasksSlot masks;     /* video */

  HistoLayout layout;           /* mapped while the device may read the buffer itself */
  HistoAudioBuffer audio;       /* its data is an offset into the first slot's staging memory */

  gboolean is_read_in_place;    /* the device copies nothing before the launch */
  SlotState state;
  GError *error;                /* of the launch, or of the wait for it */

  HistoSlot *first;             /* of the launch */
  /* These are valid in the first slot of a launch. */
  HistoSlot *members[HISTO_MAX_GATHERED];       /* the slots of the launch, itself included */
  guint n_members;
  gsize staged;                 /* bytes of its staging memory that are in use */
};

typedef struct
{
  HistoEngine parent;
  HistoDevice device;
  HistoPageLocks *page_locks;   /* referenced */
  const HistoCudaKernels *kernels;      /* of the device's context, shared; NULL: not loaded */

  HistoPlan *plan;              /* referenced; NULL without slots */
  guint max_in_flight;
  gint priority;                /* of the slots' streams */
  CUdeviceptr edges;            /* of the bins of audio, in device memory; 0: not needed */
  HistoCudaGroups groups;
  HistoCudaMasks masks;
  GPtrArray *all;               /* of HistoSlot */
  HistoUploadLog upload_log;
  gint logs_next_plan;          /* atomic: the next launch writes its plan to the log */
  HistoTiming submissions, launches;    /* atomic */

  GMutex lock;                  /* guards the rest, and the slots' states */
  HistoCondition finished;      /* a launch that a thread awaited has finished */
  GQueue free;                  /* of HistoSlot */
  HistoSlot *staged_first;      /* of the audio buffers that are staged; NULL without any */
  HistoTiming late_launches;    /* of staged audio, by the thread that waits for it */
  guint64 cpu_time, gpu_time;   /* ns */
  gint64 latest_us[2];          /* device time of the latest two launches that were timed */
} CudaEngine;

#define CHECK(engine, call, error) \
  HISTO_DEVICE_CHECK (&(engine)->device, call, error)

/* ---- A launch ------------------------------------------------------------------------ */

/* Waits until the device uses nothing of the slot. When the wait fails, the stream and the work
 * on it have failed, so the device uses nothing either. */
static gboolean
settle (CudaEngine * engine, HistoSlot * slot, GError ** error)
{
  gboolean ok;

  histo_driver_enter ();
  ok = CHECK (engine, cuStreamSynchronize (slot->stream), error);
  histo_driver_leave ();
  return ok;
}

/* Sets the state of all slots of the launch of @first. Each gets a copy of @error, which may be
 * NULL. @error: (transfer full) */
static void
set_state (HistoSlot * first, SlotState state, GError * error)
{
  for (guint i = 0; i < first->n_members; i++) {
    first->members[i]->state = state;
    if (error != NULL)
      first->members[i]->error = g_error_copy (error);
  }
  g_clear_error (&error);
}

/* Returns whether the plan of the launch that the caller prepares is to be logged: TRUE once for each
 * configuration. */
static gboolean
must_log_plan (CudaEngine * engine)
{
  return g_atomic_int_get (&engine->logs_next_plan)
      && g_atomic_int_compare_and_exchange (&engine->logs_next_plan, TRUE,
      FALSE);
}

/* Record the events before and after the work that one launch puts on the stream of @first.
 * The context must be current. */
static gboolean
begin_launch (CudaEngine * engine, HistoSlot * first, GError ** error)
{
  first->n_timed = histo_timing_next (&engine->launches);
  return first->n_timed == 0
      || CHECK (engine, cuEventRecord (first->timed[0], first->stream), error);
}

static gboolean
end_launch (CudaEngine * engine, HistoSlot * first, GError ** error)
{
  if (first->n_timed > 0
      && !CHECK (engine, cuEventRecord (first->timed[1], first->stream), error))
    return FALSE;
  return CHECK (engine, cuEventRecord (first->end, first->stream), error);
}

/* ---- Waiting for a launch ------------------------------------------------------------ */

/* To fall asleep and to be woken by the device takes many times as long as to measure a small
 * frame. So the thread polls up to this long for the end of a launch that is expected to be
 * short. */
#define MAX_POLL 150            /* us */

/* Whether the launch of @first is so short that polling for its end is cheaper than sleeping.
 * Call it under the lock. */
static gboolean
is_short (const CudaEngine * engine, const HistoSlot * first)
{
  /* The shorter of two, because one may have been slowed down by other work on the device. */
  return first->is_read_in_place
      && MIN (engine->latest_us[0], engine->latest_us[1]) <= MAX_POLL / 2;
}

/* Waits for the end of the launch: by polling, if @may_poll, then asleep. The context must be current. */
static gboolean
wait_for_end (CudaEngine * engine, HistoSlot * first, gboolean may_poll,
    GError ** error)
{
  const gint64 give_up = g_get_monotonic_time () + (may_poll ? MAX_POLL : 0);

  do {
    CUresult result = engine->device.driver->cuEventQuery (first->end);

    if (result != CUDA_ERROR_NOT_READY)
      return histo_driver_check (engine->device.driver, result, "cuEventQuery",
          error);
  } while (g_get_monotonic_time () < give_up);
  /* The alarm interrupts the processor even if no thread waits for it. So it is recorded only
   * now; nothing else has been put on the stream since the end of the launch. */
  return CHECK (engine, cuEventRecord (first->alarm, first->stream), error)
      && CHECK (engine, cuEventSynchronize (first->alarm), error);
}

/* Finishes all slots of the launch of @first, which is LAUNCHED, and unmaps the buffer of @first, also after
 * a failure. Waits for the launch if @may_wait; else it does nothing if the launch runs, or if the device
 * gives no answer. Call it under the lock, which is released meanwhile. */
static void
finish_launch (CudaEngine * engine, HistoSlot * first, gboolean may_wait)
{
  const gboolean may_poll = is_short (engine, first);
  gfloat milliseconds = 0;
  GError *error = NULL;
  const gboolean pushed = histo_device_push (&engine->device, may_wait ? &error : NULL);

  if (may_wait || (pushed && engine->device.driver->cuEventQuery (first->end) == CUDA_SUCCESS)) {
    /* No thread releases a slot that is AWAITED, so @first stays valid without the lock. */
    set_state (first, SLOT_AWAITED, NULL);
    g_mutex_unlock (&engine->lock);
    if (pushed && (!may_wait || wait_for_end (engine, first, may_poll, &error))) {
      if (first->n_timed > 0)
        CHECK (engine, cuEventElapsedTime (&milliseconds, first->timed[0], first->timed[1]), &error);
    } else {
      /* The buffer must stay until the device has read it. To wait for a stream needs no current context. */
      settle (engine, first, NULL);
    }
    histo_layout_unmap (&first->layout, engine->plan->format);
    g_mutex_lock (&engine->lock);
    if (first->n_timed > 0 && error == NULL) {
      engine->gpu_time += (guint64) (milliseconds * 1e6) * first->n_timed;
      engine->latest_us[1] = engine->latest_us[0];
      engine->latest_us[0] = (gint64) (milliseconds * 1e3);
    }
    set_state (first, SLOT_FINISHED, error);
    histo_condition_broadcast (&engine->finished);
  }
  if (pushed)
    histo_device_pop ();
}

/* ---- Video ----------------------------------------------------------------------------- */

/* Launches the kernels that count the samples themselves. */
static gboolean
launch_samples (CudaEngine * engine, HistoSlot * slot, GError ** error)
{
  HistoVideoLaunch launch = {
    .n_planes = slot->layout.n_planes,
    .n_bins = engine->plan->n_counters,
    .scratch = slot->scratch,
    .result = slot->counters.device,
  };

  memcpy (launch.planes, slot->layout.planes, sizeof launch.planes);
  if (must_log_plan (engine))
    histo_cuda_plan_log_video (&engine->kernels->limits, &launch,
        engine->device.element);
  return histo_cuda_launch_video (engine->kernels, &launch, slot->stream,
      error);
}

/* Launches the kernels that count the regions of Bayer video, each as a frame of its own. A plane's first bin is
 * that of the region's component. */
static gboolean
launch_bayer_regions (CudaEngine * engine, HistoSlot * slot,
    const HistoFrameInfo * info, GError ** error)
{
  const HistoPlan *plan = engine->plan;

  for (guint r = 1; r < histo_plan_used_regions (plan, info); r++) {
    const guint first_bin = histo_plan_region_components (plan, r)->first_bin;
    HistoVideoLaunch launch = {
      .n_planes = HISTO_N_BAYER_PLANES,
      .n_bins = plan->n_counters,
      .has_no_halves = TRUE,
      .scratch = slot->scratch,
      .result = slot->counters.device,
    };

    histo_bayer_select_region (slot->layout.planes, histo_plan_region (plan, info, r), launch.planes);
    for (guint p = 0; p < launch.n_planes; p++) {
      HistoPlane *plane = &launch.planes[p];

      plane->first_bin += first_bin;
      for (guint i = 0; i < plane->n_samples; i++)
        plane->samples[i].first_bin += first_bin;
    }
    if (!histo_cuda_launch_video (engine->kernels, &launch, slot->stream, error))
      return FALSE;
  }
  return TRUE;
}

/* Under a mask whose kernel counts everything. */
static gboolean
launch_masked (CudaEngine * engine, HistoSlot * slot, GError ** error)
{
  return begin_launch (engine, slot, error)
      && histo_cuda_masks_measure (&engine->masks, &slot->masks, slot->layout.planes, slot->counters.host, slot->stream,
      error)
      && end_launch (engine, slot, error);
}

static gboolean
launch_video (CudaEngine * engine, HistoSlot * slot,
    const HistoFrameInfo * info, GError ** error)
{
  HistoPlane planes[HISTO_MAX_PLANES];

  if (!histo_cuda_masks_begin (&engine->masks, &slot->masks, info, slot->stream, error))
    return FALSE;
  if (histo_cuda_masks_measure_all (&engine->masks))
    return launch_masked (engine, slot, error);
  memcpy (planes, slot->layout.planes, sizeof planes);
  /* From now on the frame is its copy under the mask, if there is one. */
  histo_cuda_masks_locate (&engine->masks, &slot->masks, slot->layout.planes);
  if (!histo_cuda_groups_begin (&engine->groups, &slot->groups, slot->layout.planes,
          info, slot->stream, error)
      || !begin_launch (engine, slot, error)
      || !histo_cuda_masks_copy (&engine->masks, &slot->masks, planes, slot->stream, error))
    return FALSE;
  if ((!engine->groups.plan.counts_samples
          && !launch_samples (engine, slot, error))
      || !histo_cuda_groups_launch (&engine->groups, &slot->groups,
          slot->layout.planes, info, slot->scratch, slot->counters.device,
          slot->stream, error)
      || (histo_format_is_bayer (engine->plan->format)
          && !launch_bayer_regions (engine, slot, info, error)))
    return FALSE;
  return end_launch (engine, slot, error);
}

static gboolean
start_video (CudaEngine * engine, HistoSlot * slot, GstBuffer * buffer,
    const HistoFrameInfo * info, GError ** error)
{
  const HistoFormat *format = engine->plan->format;
  const gboolean is_on_device =
      !format->needs_unpack && histo_is_in_one_context (buffer);
  gboolean ok;

  if (!histo_layout_map (&slot->layout, format, buffer,
          is_on_device ? GST_MAP_READ | GST_MAP_CUDA : GST_MAP_READ, error))
    return FALSE;

  slot->is_read_in_place = is_on_device;
  if (is_on_device) {
    histo_upload_log_route (&slot->upload,
        "the kernel reads the buffer's CUDA memory", NULL);
    ok = histo_device_wait_for_producer (&engine->device, buffer, slot->stream,
        slot->produced, error);
  } else {
    ok = histo_upload_video (&slot->upload, format, &slot->layout, buffer,
        slot->stream, &slot->is_read_in_place, error);
  }
  if (!ok || !launch_video (engine, slot, info, error)) {
    /* The work on the stream may still read the staging memory or the buffer. */
    settle (engine, slot, NULL);
    histo_layout_unmap (&slot->layout, format);
    return FALSE;
  }
  slot->state = SLOT_LAUNCHED;
  slot->first = slot->members[0] = slot;
  slot->n_members = 1;
  return TRUE;
}

/* ---- Audio ----------------------------------------------------------------------------- */

/* Audio buffers go to the device alone, or several in one launch.
 *
 * A buffer of audio may be much less work than a launch. So a small buffer that arrives while
 * others are in flight is only staged: it is copied beside the small buffers before it. One
 * launch measures all of them, each into the memory of its own slot.
 *
 * The staged buffers are launched as soon as one of these holds:
 * - a thread waits for one of them;
 * - there are as many as one launch, or max-in-flight, allows;
 * - a buffer arrives that is too large to be staged with them, or finds no room;
 * - no other buffer is in flight.
 *
 * This delays no result, because the element waits for the oldest buffer in flight: the staged
 * buffers wait only while the device measures earlier ones. */

/* Describes a launch that uses the memory of @slot; the caller adds the buffers. */
static void
prepare_launch (const CudaEngine * engine, const HistoSlot * slot,
    HistoAudioLaunch * launch)
{
  const HistoFormat *format = engine->plan->format;
  const gsize bytes = format->sample.bytes;
  const gboolean interleaved =
      GST_AUDIO_INFO_LAYOUT (&format->audio) == GST_AUDIO_LAYOUT_INTERLEAVED;

  *launch = (HistoAudioLaunch) {
    .sample_stride = interleaved ? bytes * format->n_components : bytes,
    .n_channels = format->n_components,
    .sample = format->sample,
    .binning = engine->plan->bins->binning,
    .scratch = slot->scratch,
    .partials = slot->partials,
  };
  launch->binning.edges = engine->edges;
}

/* Launches all buffers that are staged with @first. */
static gboolean
launch_members (CudaEngine * engine, HistoSlot * first, GError ** error)
{
  CUdeviceptr data;
  HistoAudioLaunch launch;
  gboolean ok;

  if (!histo_device_push (&engine->device, error))
    return FALSE;
  ok = histo_upload_send_audio (&first->upload, first->staged, first->stream,
      &data, error)
      && begin_launch (engine, first, error);
  if (ok) {
    prepare_launch (engine, first, &launch);
    launch.n_buffers = first->n_members;
    for (guint i = 0; i < first->n_members; i++) {
      launch.buffers[i] = first->members[i]->audio;
      launch.buffers[i].data += data;
    }
    if (must_log_plan (engine))
      histo_cuda_plan_log_audio (&engine->kernels->limits, &launch,
          engine->device.element);
    ok = histo_cuda_launch_audio (engine->kernels, &launch, first->stream,
        error)
        && end_launch (engine, first, error);
  }
  if (!ok)
    settle (engine, first, NULL);
  histo_device_pop ();
  return ok;
}

/* Launches the staged buffers, of which there must be some. Their slots are LAUNCHED then, or
 * FINISHED with an error. Call it under the lock. */
static void
launch_staged (CudaEngine * engine)
{
  HistoSlot *first = engine->staged_first;
  GError *error = NULL;

  engine->staged_first = NULL;
  if (launch_members (engine, first, &error))
    set_state (first, SLOT_LAUNCHED, NULL);
  else
    set_state (first, SLOT_FINISHED, error);
}

/* Whether the buffer of the slot can share a launch. @size: its bytes of staging memory */
static gboolean
can_gather (const CudaEngine * engine, const HistoSlot * slot, gsize size)
{
  HistoAudioLaunch launch;

  if (!histo_upload_is_small (size))
    return FALSE;
  prepare_launch (engine, slot, &launch);
  launch.n_buffers = 1;
  launch.buffers[0] = slot->audio;
  return histo_cuda_can_gather (engine->kernels, &launch);
}

/* Copies the slot's buffer to the staging memory of @first, which has room, behind the buffers
 * that are staged there. If both are the same slot, it begins a launch. */
static void
stage (const CudaEngine * engine, HistoSlot * slot, HistoSlot * first,
    gsize size)
{
  if (slot == first) {
    first->n_members = 0;
    first->staged = 0;
    first->is_read_in_place = histo_upload_is_in_place (&first->upload, size);
  }
  histo_upload_stage_audio (&first->upload, first->staged,
      engine->plan->format, &slot->layout.audio, &slot->audio);
  slot->first = first;
  first->members[first->n_members++] = slot;
  first->staged += size;
}

/* Finishes a STAGED slot without measuring its buffer. Call it under the lock. */
static void
leave_staged (CudaEngine * engine, HistoSlot * slot)
{
  HistoSlot *old = slot->first, *first;
  HistoUpload upload;
  guint i = 0;

  while (old->members[i] != slot)
    i++;
  old->n_members--;
  memmove (&old->members[i], &old->members[i + 1],
      (old->n_members - i) * sizeof old->members[0]);
  slot->state = SLOT_FINISHED;
  if (slot != old)
    return;
  if (old->n_members == 0) {
    engine->staged_first = NULL;
    return;
  }
  /* The next member becomes the first one. The staged samples stay where they are: the two slots
   * swap their memory for uploads. */
  first = engine->staged_first = old->members[0];
  memcpy (first->members, old->members, sizeof first->members);
  first->n_members = old->n_members;
  first->staged = old->staged;
  first->is_read_in_place = old->is_read_in_place;
  for (i = 0; i < first->n_members; i++)
    first->members[i]->first = first;
  upload = first->upload;
  first->upload = old->upload;
  old->upload = upload;
}

/* Call it under the lock. */
static gboolean
stage_small (CudaEngine * engine, HistoSlot * slot, gsize size, GError ** error)
{
  const guint most = MIN (HISTO_MAX_GATHERED, engine->max_in_flight);
  const HistoSlot *first = engine->staged_first;

  if (first != NULL && first->staged + size > first->upload.size)
    launch_staged (engine);
  if (engine->staged_first == NULL) {
    if (!histo_upload_reserve_audio (&slot->upload, most * size, error))
      return FALSE;
    engine->staged_first = slot;
  }
  stage (engine, slot, engine->staged_first, size);
  slot->state = SLOT_STAGED;
  /* The launch is made also if all other slots are free. */
  if (engine->staged_first->n_members == most
      || engine->free.length + 1 == engine->all->len)
    launch_staged (engine);
  return TRUE;
}

static gboolean
start_mapped (CudaEngine * engine, HistoSlot * slot, GError ** error)
{
  const HistoFormat *format = engine->plan->format;
  const guint64 n_samples = slot->layout.audio.n_samples;
  const gsize size = histo_upload_audio_size (format, n_samples);
  gboolean is_small, ok = TRUE;

  slot->audio.data = 0;
  histo_upload_describe_audio (format, n_samples, &slot->audio);
  is_small = can_gather (engine, slot, size);

  g_mutex_lock (&engine->lock);
  if (is_small)
    ok = stage_small (engine, slot, size, error);
  else if (engine->staged_first != NULL)
    launch_staged (engine);
  g_mutex_unlock (&engine->lock);
  if (is_small)
    return ok;
  /* The buffer is too large to share a launch. Without the lock, because to copy it takes long. */
  if (!histo_upload_reserve_audio (&slot->upload, size, error))
    return FALSE;
  stage (engine, slot, slot, size);
  if (!launch_members (engine, slot, error))
    return FALSE;
  slot->state = SLOT_LAUNCHED;
  return TRUE;
}

/* Stages or launches an audio buffer. The buffer is not needed any more afterwards. On success
 * the slot is in use, in any state. On failure it is free. The context must be current. */
static gboolean
start_audio (CudaEngine * engine, HistoSlot * slot, GstBuffer * buffer,
    const HistoFrameInfo * info, GError ** error)
{
  const HistoFormat *format = engine->plan->format;
  gboolean ok;

  if (!histo_layout_map (&slot->layout, format, buffer, GST_MAP_READ, error))
    return FALSE;
  histo_layout_trim_audio (&slot->layout, &info->trim);
  ok = start_mapped (engine, slot, error);
  histo_layout_unmap (&slot->layout, format);
  return ok;
}

/* ---- Slots: memory, streams and events ------------------------------------------------- */

static void
free_event (CudaEngine * engine, CUevent event)
{
  if (event != NULL)
    CHECK (engine, cuEventDestroy (event), NULL);
}

static void
free_slot (CudaEngine * engine, HistoSlot * slot)
{
  if (slot->stream != NULL)
    settle (engine, slot, NULL);
  histo_upload_clear (&slot->upload);
  histo_pinned_free (&slot->counters, engine->device.driver);
  histo_pinned_free (&slot->totals, engine->device.driver);
  histo_cuda_groups_clear_slot (&engine->groups, &slot->groups);
  histo_cuda_masks_clear_slot (&engine->masks, &slot->masks);
  histo_device_free (&engine->device, &slot->scratch);
  histo_device_free (&engine->device, &slot->partials);
  for (guint i = 0; i < G_N_ELEMENTS (slot->timed); i++)
    free_event (engine, slot->timed[i]);
  free_event (engine, slot->end);
  free_event (engine, slot->alarm);
  free_event (engine, slot->produced);
  if (slot->stream != NULL)
    CHECK (engine, cuStreamDestroy (slot->stream), NULL);
  g_free (slot);
}

/* Allocates scratch memory, all zero, and page-locked memory for the counters. */
static gboolean
alloc_counters (CudaEngine * engine, HistoSlot * slot, gsize scratch_size,
    gsize counters_size, GError ** error)
{
  return CHECK (engine, cuMemAlloc (&slot->scratch, scratch_size), error)
      && CHECK (engine, cuMemsetD8Async (slot->scratch, 0, scratch_size,
          slot->stream), error)
      && CHECK (engine, cuStreamSynchronize (slot->stream), error)
      && histo_pinned_alloc (&slot->counters, engine->device.driver,
      counters_size, error);
}

static gboolean
alloc_video (CudaEngine * engine, HistoSlot * slot, GError ** error)
{
  const HistoFormat *format = engine->plan->format;
  const HistoCudaLimits *limits = &engine->kernels->limits;
  const guint32 n_bins = engine->plan->n_counters;
  /* A buffer that contradicts its caps allocates the memory for its upload when it comes. */
  const gboolean needs_upload =
      !format->is_in_cuda_memory || format->needs_unpack;

  return alloc_counters (engine, slot,
      histo_cuda_plan_video_scratch (limits, format, n_bins),
      histo_cuda_plan_video_result (limits, format, n_bins), error)
      && histo_cuda_groups_init_slot (&engine->groups, &slot->groups, slot->stream,
      error)
      && histo_cuda_masks_init_slot (&engine->masks, &slot->masks, error)
      && (!needs_upload
      || histo_upload_resize (&slot->upload, histo_pack_room (format), error));
}

static gboolean
alloc_audio (CudaEngine * engine, HistoSlot * slot, GError ** error)
{
  const guint channels = engine->plan->format->n_components;
  const guint n_bins = engine->plan->bins->binning.n_bins;

  if (!alloc_counters (engine, slot,
          histo_cuda_plan_audio_scratch (channels, n_bins),
          engine->plan->n_counters * sizeof (guint32), error)
      || !histo_pinned_alloc (&slot->totals, engine->device.driver,
          channels * sizeof (HistoTotals), error)
      || !CHECK (engine, cuMemAlloc (&slot->partials,
              histo_cuda_plan_audio_partials (&engine->kernels->limits,
                  channels, n_bins)), error))
    return FALSE;
  slot->audio.result = slot->counters.device;
  slot->audio.totals = slot->totals.device;
  return TRUE;
}

static gboolean
create_stream (CudaEngine * engine, HistoSlot * slot, GError ** error)
{
  return CHECK (engine, cuStreamCreateWithPriority (&slot->stream,
          CU_STREAM_NON_BLOCKING, engine->priority), error)
      && CHECK (engine, cuEventCreate (&slot->end, CU_EVENT_DISABLE_TIMING),
      error)
      && CHECK (engine, cuEventCreate (&slot->alarm,
          CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING), error)
      && CHECK (engine, cuEventCreate (&slot->timed[0], CU_EVENT_DEFAULT),
      error)
      && CHECK (engine, cuEventCreate (&slot->timed[1], CU_EVENT_DEFAULT),
      error)
      && CHECK (engine, cuEventCreate (&slot->produced,
          CU_EVENT_DISABLE_TIMING), error);
}

static gboolean
add_slot (CudaEngine * engine, GError ** error)
{
  HistoSlot *slot = g_new0 (HistoSlot, 1);

  slot->upload.device = &engine->device;
  slot->upload.limits = &engine->kernels->limits;
  slot->upload.page_locks = engine->page_locks;
  slot->upload.log = &engine->upload_log;
  g_ptr_array_add (engine->all, slot);
  if (!create_stream (engine, slot, error))
    return FALSE;
  if (engine->plan->format->is_audio ? !alloc_audio (engine, slot, error)
      : !alloc_video (engine, slot, error))
    return FALSE;
  g_queue_push_tail (&engine->free, slot);
  return TRUE;
}

/* ---- The configuration --------------------------------------------------------------- */

/* Frees the slots. None may be in use. */
static void
unconfigure (CudaEngine * engine)
{
  if (engine->all->len > 0 || engine->edges != 0) {
    /* In a context that has failed, the driver frees nothing; the host's memory is freed. */
    gboolean pushed = histo_device_push (&engine->device, NULL);

    for (guint i = 0; i < engine->all->len; i++)
      free_slot (engine, g_ptr_array_index (engine->all, i));
    histo_device_free (&engine->device, &engine->edges);
    histo_cuda_groups_clear (&engine->groups);
    histo_cuda_masks_clear (&engine->masks);
    if (pushed)
      histo_device_pop ();
  }
  g_ptr_array_set_size (engine->all, 0);
  g_queue_clear (&engine->free);
  /* Buffers of another format take another time. So the first of them are timed, and the times of
   * earlier launches do not count. */
  engine->submissions = engine->launches = engine->late_launches =
      (HistoTiming) { 0 };
  memset (engine->latest_us, 0, sizeof engine->latest_us);
  engine->upload_log = (HistoUploadLog) { NULL };
  g_clear_pointer (&engine->plan, histo_plan_unref);
}

/* Allocates all that the device and the host need for the plan. The context must be current. */
static gboolean
alloc_all (CudaEngine * engine, GError ** error)
{
  const HistoPlan *plan = engine->plan;
  CUstream stream;

  for (guint i = 0; i < engine->max_in_flight; i++) {
    if (!add_slot (engine, error))
      return FALSE;
  }
  stream = ((HistoSlot *) g_ptr_array_index (engine->all, 0))->stream;
  if (plan->format->is_audio && (plan->bins->binning.kind == HISTO_BINNING_EDGES
          || plan->bins->binning.kind == HISTO_BINNING_SEARCH)
      && !histo_device_upload (&engine->device, plan->bins->edges, (plan->bins->binning.n_bins + 1) * sizeof (gdouble),
          &engine->edges, stream, error))
    return FALSE;
  return histo_cuda_groups_alloc (&engine->groups, stream, error)
      && histo_cuda_masks_alloc (&engine->masks, stream, error);
}

static gboolean
cuda_configure (HistoEngine * base, const HistoEngineConfig * config,
    GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;
  const HistoPlan *plan = config->plan;
  gboolean ok;

  unconfigure (engine);
  /* The kernels number the counters and the tallies with 32 bits. */
  if (plan->n_counters > G_MAXUINT32 || plan->n_tallies > G_MAXUINT32) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "%" G_GSIZE_FORMAT " counters and %" G_GSIZE_FORMAT
        " tallies are too many for the CUDA engine", plan->n_counters,
        plan->n_tallies);
    return FALSE;
  }
  if (histo_plan_has_group (plan, HISTO_GROUP_SIGNAL)
      && plan->format->width > HISTO_MOST_COLUMNS) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "rows of %u pixels are too long for the CUDA engine: at most %u with "
        "the group signal", plan->format->width, HISTO_MOST_COLUMNS);
    return FALSE;
  }
  if (!histo_device_push (&engine->device, error))
    return FALSE;
  engine->plan = histo_plan_ref (config->plan);
  engine->max_in_flight = config->max_in_flight;
  g_atomic_int_set (&engine->logs_next_plan, TRUE);
  histo_cuda_masks_init (&engine->masks, &engine->device, engine->kernels, engine->plan);
  if (!histo_cuda_masks_measure_all (&engine->masks))
    histo_cuda_groups_init (&engine->groups, &engine->device, engine->kernels,
        engine->plan);
  ok = histo_device_find_priority (&engine->device, config->is_awaited,
      &engine->priority, error)
      && alloc_all (engine, error);
  histo_device_pop ();
  if (ok)
    GST_DEBUG_OBJECT (engine->device.element, "%u slots on CUDA device %u",
        engine->max_in_flight, histo_device_id_of (engine->device.context));
  else
    unconfigure (engine);
  return ok;
}

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
  unconfigure (engine);
  if (engine->kernels != NULL) {
    gboolean pushed = histo_device_push (&engine->device, NULL);

    histo_cuda_kernels_release (engine->kernels);
    engine->kernels = NULL;
    if (pushed)
      histo_device_pop ();
  }
  gst_clear_object (&engine->device.context);
}

static gboolean
cuda_open (HistoEngine * base, GstElement * element, gint device_id,
    GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;

  if (!histo_device_open (&engine->device, element, device_id, error))
    return FALSE;
  engine->kernels = share_kernels (&engine->device, error);
  if (engine->kernels != NULL)
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
      &engine->device.context);
}

static gboolean
cuda_answer_context_query (HistoEngine * base, GstElement * element,
    GstQuery * query)
{
  CudaEngine *engine = (CudaEngine *) base;

  return gst_cuda_handle_context_query (element, query, engine->device.context);
}

static gboolean
cuda_accepts (HistoEngine * base, GstBuffer * buffer)
{
  const HistoDevice *device = &((CudaEngine *) base)->device;

  return !histo_is_cuda_buffer (buffer)
      || histo_is_same_context (histo_context_of (buffer, 0), device->context);
}

/* Gets the kernels of the new context before it gives up the old one, so that a failure
 * leaves the engine as it was. */
static gboolean
cuda_follow (HistoEngine * base, GstBuffer * buffer, gint device_id,
    GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;
  HistoDevice device = engine->device;
  const HistoCudaKernels *kernels;
  guint buffers_device;

  device.context = histo_context_of (buffer, 0);
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
      " to %" GST_PTR_FORMAT " on CUDA device %u", engine->device.context,
      device.context, buffers_device);
  leave_context (engine);
  engine->device.context = gst_object_ref (device.context);
  engine->kernels = kernels;
  return TRUE;
}

/* ---- Measuring a buffer -------------------------------------------------------------- */

static void
push_free (CudaEngine * engine, HistoSlot * slot)
{
  g_mutex_lock (&engine->lock);
  /* At the head, because its memory is still in the caches. */
  g_queue_push_head (&engine->free, slot);
  g_mutex_unlock (&engine->lock);
}

static HistoSlot *
cuda_submit (HistoEngine * base, GstBuffer * buffer,
    const HistoFrameInfo * info, GError ** error)
{
  CudaEngine *engine = (CudaEngine *) base;
  const HistoTimer timer = histo_timer_start (&engine->submissions);
  HistoSlot *slot;
  gboolean ok;

  if (!histo_device_push (&engine->device, error))
    return NULL;
  g_mutex_lock (&engine->lock);
  slot = g_queue_pop_head (&engine->free);
  g_mutex_unlock (&engine->lock);
  if (slot == NULL) {
    histo_device_pop ();
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
        "The CUDA engine is not configured");
    return NULL;
  }
  ok = engine->plan->format->is_audio ?
      start_audio (engine, slot, buffer, info, error) :
      start_video (engine, slot, buffer, info, error);
  histo_device_pop ();
  if (!ok) {
    histo_cuda_groups_interrupt (&engine->groups);
    push_free (engine, slot);
    slot = NULL;
  }

  if (timer.weight > 0) {
    const guint64 total = histo_timer_total (&timer);

    g_mutex_lock (&engine->lock);
    engine->cpu_time += total;
    g_mutex_unlock (&engine->lock);
  }
  return slot;
}

/* Returns when the slot is FINISHED. Call it under the lock. */
static void
finish_slot (CudaEngine * engine, HistoSlot * slot)
{
  while (slot->state == SLOT_AWAITED)
    histo_condition_wait (&engine->finished, &engine->lock);
  if (slot->state == SLOT_STAGED) {
    const HistoTimer timer = histo_timer_start (&engine->late_launches);

    launch_staged (engine);
    engine->cpu_time += histo_timer_total (&timer);
  }
  if (slot->state == SLOT_LAUNCHED)
    finish_launch (engine, slot->first, TRUE);
}

static HistoPromptness
cuda_promptness (HistoEngine * base, HistoSlot * slot)
{
  CudaEngine *engine = (CudaEngine *) base;
  gboolean is_soon;

  g_mutex_lock (&engine->lock);
  is_soon = slot->state == SLOT_LAUNCHED && is_short (engine, slot->first);
  g_mutex_unlock (&engine->lock);
  return is_soon ? HISTO_COUNTS_SOON : HISTO_COUNTS_LATER;
}

/* Returns whether the counts are complete. Does not wait. */
static gboolean
cuda_is_done (HistoEngine * base, HistoSlot * slot)
{
  CudaEngine *engine = (CudaEngine *) base;
  gboolean is_done;

  g_mutex_lock (&engine->lock);
  if (slot->state == SLOT_LAUNCHED)
    finish_launch (engine, slot->first, FALSE);
  is_done = slot->state == SLOT_FINISHED && slot->error == NULL;
  g_mutex_unlock (&engine->lock);
  return is_done;
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
    histo_cuda_groups_forget (&engine->groups);
    g_propagate_error (error, g_steal_pointer (&slot->error));
    return FALSE;
  }
  *counts = (HistoCounts) {.n_frames = 1 };
  if (!engine->plan->format->is_audio && !engine->groups.plan.counts_samples
      && !histo_cuda_masks_measure_all (&engine->masks))
    histo_cuda_find_halves (engine->kernels, engine->plan->format,
        engine->plan->n_counters, slot->counters.host, counts->halves);
  counts->counters = slot->counters.host;
  counts->tallies = slot->groups.tallies.host;
  histo_cuda_groups_find_joints (&engine->groups, &slot->groups, counts);
  histo_cuda_masks_finish (&engine->masks, &slot->masks, counts);
  histo_plan_count_axes (engine->plan, counts);
  counts->n_with_previous =
      histo_cuda_groups_had_previous (&engine->groups, &slot->groups);
  counts->totals = slot->totals.host;
  counts->n_samples = slot->audio.n_samples;
  return TRUE;
}

static void
cuda_release (HistoEngine * base, HistoSlot * slot)
{
  CudaEngine *engine = (CudaEngine *) base;

  g_mutex_lock (&engine->lock);
  if (slot->state == SLOT_STAGED)
    leave_staged (engine, slot);
  finish_slot (engine, slot);
  if (slot->error != NULL)
    histo_cuda_groups_forget (&engine->groups);
  g_clear_error (&slot->error);
  g_mutex_unlock (&engine->lock);
  push_free (engine, slot);
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

/* ---- The engine ---------------------------------------------------------------------- */

static GstBufferPool *
cuda_new_pool (HistoEngine * base)
{
  const HistoDevice *device = &((CudaEngine *) base)->device;

  return histo_pinned_pool_new (device->driver, device->context);
}

static void
cuda_close (HistoEngine * base)
{
  CudaEngine *engine = (CudaEngine *) base;

  leave_context (engine);
  histo_page_locks_unref (engine->page_locks);
  g_ptr_array_unref (engine->all);
  g_mutex_clear (&engine->lock);
  histo_condition_clear (&engine->finished);
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
  engine->page_locks = histo_page_locks_ref (page_locks);
  engine->all = g_ptr_array_new ();
  g_mutex_init (&engine->lock);
  histo_condition_init (&engine->finished);
  g_queue_init (&engine->free);
  return &engine->parent;
}
