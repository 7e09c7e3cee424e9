/* The CUDA engine's slots, and the launches that use them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/slot.h"

#include "media/pack.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

#define CHECK(slots, call, error) HISTO_DEVICE_CHECK (&(slots)->device, call, error)

gboolean histo_slots_have_priority = TRUE;

void
histo_slots_init (HistoSlots * slots)
{
  slots->all = g_ptr_array_new ();
  g_mutex_init (&slots->lock);
  histo_condition_init (&slots->finished);
  g_queue_init (&slots->free);
}

void
histo_slots_clear (HistoSlots * slots)
{
  g_ptr_array_unref (slots->all);
  g_mutex_clear (&slots->lock);
  histo_condition_clear (&slots->finished);
}

/* ---- Memory, streams and events ------------------------------------------------------ */

static void
free_device_memory (HistoSlots * slots, CUdeviceptr * memory)
{
  if (*memory != 0)
    CHECK (slots, cuMemFree (*memory), NULL);
  *memory = 0;
}

static void
free_event (HistoSlots * slots, CUevent event)
{
  if (event != NULL)
    CHECK (slots, cuEventDestroy (event), NULL);
}

static void
free_slot (HistoSlots * slots, HistoSlot * slot)
{
  if (slot->stream != NULL)
    histo_slot_settle (slots, slot, NULL);
  histo_upload_clear (&slot->upload);
  histo_pinned_free (&slot->counters, slots->device.driver);
  histo_pinned_free (&slot->totals, slots->device.driver);
  histo_cuda_maps_clear_slot (&slots->maps, &slot->maps);
  free_device_memory (slots, &slot->scratch);
  free_device_memory (slots, &slot->partials);
  for (guint i = 0; i < G_N_ELEMENTS (slot->timed); i++)
    free_event (slots, slot->timed[i]);
  free_event (slots, slot->end);
  free_event (slots, slot->alarm);
  free_event (slots, slot->produced);
  if (slot->stream != NULL)
    CHECK (slots, cuStreamDestroy (slot->stream), NULL);
  g_free (slot);
}

/* Allocates scratch memory, all zero, and page-locked memory for the counters. */
static gboolean
alloc_counters (HistoSlots * slots, HistoSlot * slot, gsize scratch_size,
    gsize counters_size, GError ** error)
{
  return CHECK (slots, cuMemAlloc (&slot->scratch, scratch_size), error)
      && CHECK (slots, cuMemsetD8Async (slot->scratch, 0, scratch_size,
          slot->stream), error)
      && CHECK (slots, cuStreamSynchronize (slot->stream), error)
      && histo_pinned_alloc (&slot->counters, slots->device.driver,
      counters_size, error);
}

/* Whether buffers as the caps describe them need no upload. A buffer that contradicts its caps
 * allocates the memory for its upload when it comes. */
static gboolean
needs_no_upload (const HistoFormat * format)
{
  return format->is_in_cuda_memory && !format->needs_unpack;
}

static gboolean
alloc_video (HistoSlots * slots, HistoSlot * slot, GError ** error)
{
  const HistoFormat *format = slots->plan->format;
  const HistoCudaLimits *limits = &slots->kernels->limits;
  const guint32 n_bins = slots->plan->n_counters;

  return alloc_counters (slots, slot,
      histo_cuda_plan_video_scratch (limits, format, n_bins),
      histo_cuda_plan_video_result (limits, format, n_bins), error)
      && histo_cuda_maps_init_slot (&slots->maps, &slot->maps, slot->stream,
      error)
      && (needs_no_upload (format)
      || histo_upload_resize (&slot->upload, histo_pack_room (format), error));
}

static gboolean
alloc_audio (HistoSlots * slots, HistoSlot * slot, GError ** error)
{
  const guint channels = slots->plan->format->n_components;
  const guint n_bins = slots->plan->bins->binning.n_bins;

  if (!alloc_counters (slots, slot,
          histo_cuda_plan_audio_scratch (channels, n_bins),
          slots->plan->n_counters * sizeof (guint32), error)
      || !histo_pinned_alloc (&slot->totals, slots->device.driver,
          channels * sizeof (HistoTotals), error)
      || !CHECK (slots, cuMemAlloc (&slot->partials,
              histo_cuda_plan_audio_partials (&slots->kernels->limits, channels,
                  n_bins)), error))
    return FALSE;
  slot->audio.result = slot->counters.device;
  slot->audio.totals = slot->totals.device;
  return TRUE;
}

static gboolean
create_stream (HistoSlots * slots, HistoSlot * slot, GError ** error)
{
  return CHECK (slots, cuStreamCreateWithPriority (&slot->stream,
          CU_STREAM_NON_BLOCKING, slots->priority), error)
      && CHECK (slots, cuEventCreate (&slot->end, CU_EVENT_DISABLE_TIMING),
      error)
      && CHECK (slots, cuEventCreate (&slot->alarm,
          CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING), error)
      && CHECK (slots, cuEventCreate (&slot->timed[0], CU_EVENT_DEFAULT),
      error)
      && CHECK (slots, cuEventCreate (&slot->timed[1], CU_EVENT_DEFAULT),
      error)
      && CHECK (slots, cuEventCreate (&slot->produced,
          CU_EVENT_DISABLE_TIMING), error);
}

static gboolean
add_slot (HistoSlots * slots, GError ** error)
{
  HistoSlot *slot = g_new0 (HistoSlot, 1);

  slot->upload.device = &slots->device;
  slot->upload.limits = &slots->kernels->limits;
  slot->upload.page_locks = slots->page_locks;
  slot->upload.log = &slots->upload_log;
  g_ptr_array_add (slots->all, slot);
  if (!create_stream (slots, slot, error))
    return FALSE;
  if (slots->plan->format->is_audio ? !alloc_audio (slots, slot, error)
      : !alloc_video (slots, slot, error))
    return FALSE;
  g_queue_push_tail (&slots->free, slot);
  return TRUE;
}

/* ---- The configuration --------------------------------------------------------------- */

/* The kernels number the counters and the tallies with 32 bits. */
static gboolean
check_plan (const HistoPlan * plan, GError ** error)
{
  if (plan->n_counters <= G_MAXUINT32 && plan->n_tallies <= G_MAXUINT32)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "%" G_GSIZE_FORMAT " counters and %" G_GSIZE_FORMAT
      " tallies are too many for the CUDA engine", plan->n_counters,
      plan->n_tallies);
  return FALSE;
}

void
histo_slots_unconfigure (HistoSlots * slots)
{
  if (slots->all->len > 0 || slots->edges != 0) {
    /* In a context that has failed, the driver frees nothing; the host's memory is freed. */
    gboolean pushed = histo_device_push (&slots->device, NULL);

    for (guint i = 0; i < slots->all->len; i++)
      free_slot (slots, g_ptr_array_index (slots->all, i));
    free_device_memory (slots, &slots->edges);
    histo_cuda_maps_clear (&slots->maps);
    if (pushed)
      histo_device_pop ();
  }
  g_ptr_array_set_size (slots->all, 0);
  g_queue_clear (&slots->free);
  /* Launches for another format take another time. So the first of them are timed, and the times of
   * earlier launches do not count. */
  slots->timing = (HistoTiming) { 0 };
  memset (slots->latest_us, 0, sizeof slots->latest_us);
  slots->upload_log = (HistoUploadLog) { NULL };
  g_clear_pointer (&slots->plan, histo_plan_unref);
}

/* Finds the priority of the streams: the highest if buffers wait for their results, else the lowest. In one
 * context the device starts the blocks of a stream of a higher priority first. */
static gboolean
find_priority (HistoSlots * slots, gboolean is_awaited, GError ** error)
{
  int lowest, highest;

  if (!CHECK (slots, cuCtxGetStreamPriorityRange (&lowest, &highest), error))
    return FALSE;
  slots->priority = is_awaited
      && histo_slots_have_priority ? highest : lowest;
  return TRUE;
}

/* The stream of the first slot. */
static CUstream
first_stream (const HistoSlots * slots)
{
  return ((HistoSlot *) g_ptr_array_index (slots->all, 0))->stream;
}

static gboolean
upload_edges (HistoSlots * slots, GError ** error)
{
  gsize size = (slots->plan->bins->binning.n_bins + 1) * sizeof (gdouble);
  CUstream stream = first_stream (slots);

  return CHECK (slots, cuMemAlloc (&slots->edges, size), error)
      && CHECK (slots, cuMemcpyHtoDAsync (slots->edges,
          slots->plan->bins->edges, size, stream), error)
      && CHECK (slots, cuStreamSynchronize (stream), error);
}

gboolean
histo_slots_configure (HistoSlots * slots, const HistoEngineConfig * config,
    GError ** error)
{
  gboolean ok;

  histo_slots_unconfigure (slots);
  if (!check_plan (config->plan, error)
      || !histo_device_push (&slots->device, error))
    return FALSE;
  slots->plan = histo_plan_ref (config->plan);
  slots->max_in_flight = config->max_in_flight;
  g_atomic_int_set (&slots->logs_next_plan, TRUE);
  histo_cuda_maps_init (&slots->maps, &slots->device, slots->kernels,
      slots->plan);
  ok = find_priority (slots, config->is_awaited, error);
  for (guint i = 0; ok && i < slots->max_in_flight; i++)
    ok = add_slot (slots, error);
  if (ok && slots->plan->format->is_audio
      && slots->plan->bins->binning.kind == HISTO_BINNING_EDGES)
    ok = upload_edges (slots, error);
  ok = ok && histo_cuda_maps_alloc (&slots->maps, first_stream (slots), error);
  histo_device_pop ();
  if (ok)
    GST_DEBUG_OBJECT (slots->device.element, "%u slots on CUDA device %u",
        slots->max_in_flight, histo_device_id_of (slots->device.context));
  else
    histo_slots_unconfigure (slots);
  return ok;
}

/* ---- Free slots ---------------------------------------------------------------------- */

HistoSlot *
histo_slots_pop (HistoSlots * slots)
{
  HistoSlot *slot;

  g_mutex_lock (&slots->lock);
  slot = g_queue_pop_head (&slots->free);
  g_mutex_unlock (&slots->lock);
  return slot;
}

void
histo_slots_push (HistoSlots * slots, HistoSlot * slot)
{
  g_mutex_lock (&slots->lock);
  /* At the head, because its memory is still in the caches. */
  g_queue_push_head (&slots->free, slot);
  g_mutex_unlock (&slots->lock);
}

gboolean
histo_slots_one_is_used (const HistoSlots * slots)
{
  return slots->free.length + 1 == slots->all->len;
}

/* ---- A launch ------------------------------------------------------------------------ */

gboolean
histo_slot_settle (HistoSlots * slots, HistoSlot * slot, GError ** error)
{
  gboolean ok;

  histo_driver_enter ();
  ok = CHECK (slots, cuStreamSynchronize (slot->stream), error);
  histo_driver_leave ();
  return ok;
}

void
histo_slot_set_state (HistoSlot * first, HistoSlotState state, GError * error)
{
  for (guint i = 0; i < first->n_members; i++) {
    first->members[i]->state = state;
    if (error != NULL)
      first->members[i]->error = g_error_copy (error);
  }
  g_clear_error (&error);
}

gboolean
histo_slots_must_log_plan (HistoSlots * slots)
{
  return g_atomic_int_get (&slots->logs_next_plan)
      && g_atomic_int_compare_and_exchange (&slots->logs_next_plan, TRUE,
      FALSE);
}

gboolean
histo_slot_begin_launch (HistoSlots * slots, HistoSlot * first, GError ** error)
{
  first->n_timed = histo_timing_next (&slots->timing);
  return first->n_timed == 0
      || CHECK (slots, cuEventRecord (first->timed[0], first->stream), error);
}

gboolean
histo_slot_end_launch (HistoSlots * slots, HistoSlot * first, GError ** error)
{
  if (first->n_timed > 0
      && !CHECK (slots, cuEventRecord (first->timed[1], first->stream), error))
    return FALSE;
  return CHECK (slots, cuEventRecord (first->end, first->stream), error);
}

/* ---- Waiting for a launch ------------------------------------------------------------ */

/* To fall asleep and to be woken by the device takes many times as long as to measure a small
 * frame. So the thread polls up to this long for the end of a launch that is expected to be
 * short. */
#define MAX_POLL 150            /* us */

gboolean
histo_slot_is_short (const HistoSlots * slots, const HistoSlot * first)
{
  /* The shorter of two, because one may have been slowed down by other work on the device. */
  return first->is_read_in_place
      && MIN (slots->latest_us[0], slots->latest_us[1]) <= MAX_POLL / 2;
}

/* Waits for the end of the launch: by polling, if @may_poll, then asleep. */
static gboolean
wait_for_end (HistoSlots * slots, HistoSlot * first, gboolean may_poll,
    GError ** error)
{
  const gint64 give_up =
      g_get_monotonic_time () + (may_poll ? MAX_POLL : 0);

  do {
    CUresult result = slots->device.driver->cuEventQuery (first->end);

    if (result != CUDA_ERROR_NOT_READY)
      return histo_driver_check (slots->device.driver, result, "cuEventQuery",
          error);
  } while (g_get_monotonic_time () < give_up);
  /* The alarm interrupts the processor even if no thread waits for it. So it is recorded only
   * now; nothing else has been put on the stream since the end of the launch. */
  return CHECK (slots, cuEventRecord (first->alarm, first->stream), error)
      && CHECK (slots, cuEventSynchronize (first->alarm), error);
}

/* Leaves a launch that has ended: reads its time if it is timed, and unmaps the buffer. The context
 * must be current. @milliseconds: (out): device time of the launch, if it is timed */
static gboolean
leave_launch (HistoSlots * slots, HistoSlot * first, gfloat * milliseconds,
    GError ** error)
{
  gboolean ok = first->n_timed == 0 || CHECK (slots,
      cuEventElapsedTime (milliseconds, first->timed[0], first->timed[1]),
      error);

  histo_layout_unmap (&first->layout, slots->plan->format);
  return ok;
}

/* Waits for the launch without the lock, and leaves it. @milliseconds: as in leave_launch() */
static gboolean
wait_unlocked (HistoSlots * slots, HistoSlot * first, gboolean may_poll,
    gfloat * milliseconds, GError ** error)
{
  gboolean ok;

  if (!histo_device_push (&slots->device, error)) {
    /* The buffer must stay until the device has read it. To wait for a stream needs no
     * current context. */
    histo_slot_settle (slots, first, NULL);
    histo_layout_unmap (&first->layout, slots->plan->format);
    return FALSE;
  }
  ok = wait_for_end (slots, first, may_poll, error);
  if (!ok) {
    histo_slot_settle (slots, first, NULL);
    histo_layout_unmap (&first->layout, slots->plan->format);
  } else {
    ok = leave_launch (slots, first, milliseconds, error);
  }
  histo_device_pop ();
  return ok;
}

/* Finishes all slots of the launch, which is AWAITED, and wakes the threads that wait for them.
 * Call it under the lock. @error: (transfer full) (nullable): of the launch */
static void
finish_launch (HistoSlots * slots, HistoSlot * first, gfloat milliseconds,
    GError * error)
{
  if (first->n_timed > 0 && error == NULL) {
    slots->gpu_time += (guint64) (milliseconds * 1e6) * first->n_timed;
    slots->latest_us[1] = slots->latest_us[0];
    slots->latest_us[0] = (gint64) (milliseconds * 1e3);
  }
  histo_slot_set_state (first, HISTO_SLOT_FINISHED, error);
  histo_condition_broadcast (&slots->finished);
}

void
histo_slot_await (HistoSlots * slots, HistoSlot * first)
{
  const gboolean may_poll = histo_slot_is_short (slots, first);
  gfloat milliseconds = 0;
  GError *error = NULL;

  /* No thread releases a slot that is AWAITED, so @first stays valid without the lock. */
  histo_slot_set_state (first, HISTO_SLOT_AWAITED, NULL);
  g_mutex_unlock (&slots->lock);
  wait_unlocked (slots, first, may_poll, &milliseconds, &error);
  g_mutex_lock (&slots->lock);
  finish_launch (slots, first, milliseconds, error);
}

void
histo_slot_finish_if_ended (HistoSlots * slots, HistoSlot * first)
{
  gfloat milliseconds = 0;
  GError *error = NULL;

  if (!histo_device_push (&slots->device, NULL))
    return;
  if (slots->device.driver->cuEventQuery (first->end) == CUDA_SUCCESS) {
    histo_slot_set_state (first, HISTO_SLOT_AWAITED, NULL);
    g_mutex_unlock (&slots->lock);
    leave_launch (slots, first, &milliseconds, &error);
    g_mutex_lock (&slots->lock);
    finish_launch (slots, first, milliseconds, error);
  }
  histo_device_pop ();
}
