/* Audio buffers on their way to the device: alone, or several in one launch.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/gather.h"

#include "engine/cuda/plan-log.h"

/* Describes a launch that uses the memory of @slot; the caller adds the buffers. */
static void
prepare_launch (const HistoSlots * slots, const HistoSlot * slot,
    HistoAudioLaunch * launch)
{
  const HistoFormat *format = slots->plan->format;
  const gsize bytes = format->sample.bytes;
  const gboolean interleaved =
      GST_AUDIO_INFO_LAYOUT (&format->audio) == GST_AUDIO_LAYOUT_INTERLEAVED;

  *launch = (HistoAudioLaunch) {
    .sample_stride = interleaved ? bytes * format->n_components : bytes,
    .n_channels = format->n_components,
    .sample = format->sample,
    .binning = slots->plan->bins->binning,
    .scratch = slot->scratch,
    .partials = slot->partials,
  };
  launch->binning.edges = slots->edges;
}

/* Launches all buffers that are staged with @first. */
static gboolean
launch_members (HistoSlots * slots, HistoSlot * first, GError ** error)
{
  CUdeviceptr data;
  HistoAudioLaunch launch;
  gboolean ok;

  if (!histo_device_push (&slots->device, error))
    return FALSE;
  ok = histo_upload_send_audio (&first->upload, first->staged, first->stream,
      &data, error)
      && histo_slot_begin_launch (slots, first, error);
  if (ok) {
    prepare_launch (slots, first, &launch);
    launch.n_buffers = first->n_members;
    for (guint i = 0; i < first->n_members; i++) {
      launch.buffers[i] = first->members[i]->audio;
      launch.buffers[i].data += data;
    }
    if (histo_slots_must_log_plan (slots))
      histo_cuda_plan_log_audio (&slots->kernels->limits, &launch,
          slots->device.element);
    ok = histo_cuda_launch_audio (slots->kernels, &launch, first->stream,
        error)
        && histo_slot_end_launch (slots, first, error);
  }
  if (!ok)
    histo_slot_settle (slots, first, NULL);
  histo_device_pop ();
  return ok;
}

void
histo_gather_launch (HistoGather * gather)
{
  HistoSlot *first = gather->first;
  GError *error = NULL;

  gather->first = NULL;
  if (launch_members (gather->slots, first, &error))
    histo_slot_set_state (first, HISTO_SLOT_LAUNCHED, NULL);
  else
    histo_slot_set_state (first, HISTO_SLOT_FINISHED, error);
}

static guint
max_gathered (const HistoSlots * slots)
{
  return MIN (HISTO_MAX_GATHERED, slots->max_in_flight);
}

/* Whether the buffer of the slot can share a launch. @size: its bytes of staging memory */
static gboolean
can_gather (const HistoSlots * slots, const HistoSlot * slot, gsize size)
{
  HistoAudioLaunch launch;

  if (!histo_upload_is_small (size))
    return FALSE;
  prepare_launch (slots, slot, &launch);
  launch.n_buffers = 1;
  launch.buffers[0] = slot->audio;
  return histo_cuda_can_gather (slots->kernels, &launch);
}

/* Copies the slot's buffer to the staging memory of @first, which has room, behind the buffers
 * that are staged there. If both are the same slot, it begins a launch. */
static void
stage (const HistoSlots * slots, HistoSlot * slot, HistoSlot * first,
    gsize size)
{
  if (slot == first) {
    first->n_members = 0;
    first->staged = 0;
    first->is_read_in_place =
        histo_upload_is_in_place (&first->upload, size);
  }
  histo_upload_stage_audio (&first->upload, first->staged,
      slots->plan->format, &slot->layout.audio, &slot->audio);
  slot->first = first;
  first->members[first->n_members++] = slot;
  first->staged += size;
}

/* Makes the second member the first one. The staged samples stay where they are: the two slots
 * swap their memory for uploads. */
static void
hand_over (HistoGather * gather, HistoSlot * old)
{
  HistoSlot *first = old->members[0];
  HistoUpload upload = first->upload;

  gather->first = first;
  memcpy (first->members, old->members, sizeof first->members);
  first->n_members = old->n_members;
  first->staged = old->staged;
  first->is_read_in_place = old->is_read_in_place;
  for (guint i = 0; i < first->n_members; i++)
    first->members[i]->first = first;
  first->upload = old->upload;
  old->upload = upload;
}

void
histo_gather_leave (HistoGather * gather, HistoSlot * slot)
{
  HistoSlot *first = slot->first;
  guint i = 0;

  while (first->members[i] != slot)
    i++;
  first->n_members--;
  memmove (&first->members[i], &first->members[i + 1],
      (first->n_members - i) * sizeof first->members[0]);
  slot->state = HISTO_SLOT_FINISHED;
  if (first->n_members == 0)
    gather->first = NULL;
  else if (slot == first)
    hand_over (gather, slot);
}

/* Call it under the lock. */
static gboolean
gather_buffer (HistoGather * gather, HistoSlot * slot, gsize size,
    GError ** error)
{
  HistoSlots *slots = gather->slots;

  if (gather->first != NULL
      && gather->first->staged + size > gather->first->upload.size)
    histo_gather_launch (gather);
  if (gather->first == NULL) {
    if (!histo_upload_reserve_audio (&slot->upload,
            max_gathered (slots) * size, error))
      return FALSE;
    gather->first = slot;
  }
  stage (slots, slot, gather->first, size);
  slot->state = HISTO_SLOT_GATHERED;
  if (gather->first->n_members == max_gathered (slots)
      || histo_slots_one_is_used (slots))
    histo_gather_launch (gather);
  return TRUE;
}

/* Launches a buffer that is too large to share a launch. Without the lock, because to copy it
 * takes long. */
static gboolean
start_large (HistoSlots * slots, HistoSlot * slot, gsize size, GError ** error)
{
  if (!histo_upload_reserve_audio (&slot->upload, size, error))
    return FALSE;
  stage (slots, slot, slot, size);
  if (!launch_members (slots, slot, error))
    return FALSE;
  slot->state = HISTO_SLOT_LAUNCHED;
  return TRUE;
}

static gboolean
start_mapped (HistoGather * gather, HistoSlot * slot, GError ** error)
{
  HistoSlots *slots = gather->slots;
  const HistoFormat *format = slots->plan->format;
  const guint64 n_samples = slot->layout.audio.n_samples;
  const gsize size = histo_upload_audio_size (format, n_samples);
  gboolean is_small, ok = TRUE;

  slot->audio.data = 0;
  histo_upload_describe_audio (format, n_samples, &slot->audio);
  is_small = can_gather (slots, slot, size);

  g_mutex_lock (&slots->lock);
  if (is_small)
    ok = gather_buffer (gather, slot, size, error);
  else if (gather->first != NULL)
    histo_gather_launch (gather);
  g_mutex_unlock (&slots->lock);
  return is_small ? ok : start_large (slots, slot, size, error);
}

gboolean
histo_gather_start (HistoGather * gather, HistoSlot * slot, GstBuffer * buffer,
    const HistoFrameInfo * info, GError ** error)
{
  const HistoFormat *format = gather->slots->plan->format;
  gboolean ok;

  if (!histo_layout_map (&slot->layout, format, buffer, GST_MAP_READ, error))
    return FALSE;
  histo_layout_trim_audio (&slot->layout, &info->trim);
  ok = start_mapped (gather, slot, error);
  histo_layout_unmap (&slot->layout, format);
  return ok;
}
