/* Buffers of audio on their way to the device: alone, or gathered.
 *
 * A buffer of audio may be less than a launch is worth. While others are in flight, such a
 * buffer is laid beside those that came before it, until somebody waits for one of them,
 * or no more will do: then one launch, on the first one's stream, measures all of them,
 * each to the memory of its own slot. So nothing is held that could be measured sooner:
 * who waits is always waiting for the oldest buffer, and those after it gather while the
 * device has that.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/engine.h"

/* But for the buffers. */
static void
prepare_audio_task (CudaEngine * engine, HistoSlot * slot,
    HistoAudioTask * task)
{
  const HistoFormat *format = engine->config.plan->format;
  const gsize bytes = format->sample.bytes;
  const gboolean interleaved =
      GST_AUDIO_INFO_LAYOUT (&format->audio) == GST_AUDIO_LAYOUT_INTERLEAVED;

  *task = (HistoAudioTask) {
    .sample_stride = interleaved ? bytes * format->n_components : bytes,
    .n_channels = format->n_components,
    .sample = format->sample,
    .binning = engine->config.plan->bins->binning,
    .scratch = slot->scratch,
    .partials = slot->partials,
  };
  task->binning.edges = engine->edges;
}

/* One launch for all buffers that are staged with the first. */
static gboolean
launch_members (CudaEngine * engine, HistoSlot * first, GError ** error)
{
  CUdeviceptr data;
  HistoAudioTask task;
  gboolean ok;

  if (!histo_cuda_push_context (engine, error))
    return FALSE;
  ok = histo_upload_send_audio (&first->upload, first->staged, first->stream,
      &data, error)
      && histo_slot_begin_launch (engine, first, error);
  if (ok) {
    prepare_audio_task (engine, first, &task);
    task.n_buffers = first->n_members;
    for (guint i = 0; i < first->n_members; i++) {
      task.buffers[i] = first->members[i]->audio;
      task.buffers[i].data += data;
    }
    ok = histo_kernels_launch_audio (&engine->kernels, &task, first->stream,
        error)
        && histo_slot_end_launch (engine, first, error);
  }
  if (!ok)
    histo_slot_settle (engine, first, NULL);
  histo_cuda_pop_context ();
  return ok;
}

/* Whoever waits for one of them learns of an error. */
void
histo_audio_launch_gathered (CudaEngine * engine)
{
  HistoSlot *first = engine->gathering;
  GError *error = NULL;

  engine->gathering = NULL;
  if (launch_members (engine, first, &error))
    histo_slot_set_state (first, SLOT_LAUNCHED, NULL);
  else
    histo_slot_set_state (first, SLOT_FINISHED, error);
}

static guint
max_gathered (CudaEngine * engine)
{
  return MIN (HISTO_MAX_GATHERED, engine->config.max_in_flight);
}

/* Whether a buffer of so many bytes when staged could share a launch. */
static gboolean
is_small (CudaEngine * engine, HistoSlot * slot, gsize size)
{
  HistoAudioTask task;

  if (!histo_upload_is_small (size))
    return FALSE;
  prepare_audio_task (engine, slot, &task);
  task.n_buffers = 1;
  task.buffers[0] = slot->audio;
  return histo_kernels_can_gather (&engine->kernels, &task);
}

/* Copies the slot's buffer behind those that are staged with the first, where there is room;
 * it may be the first itself. */
static void
stage (CudaEngine * engine, HistoSlot * slot, HistoSlot * first, gsize size)
{
  if (slot == first) {
    first->n_members = 0;
    first->staged = 0;
    first->is_read_in_place = histo_upload_is_small (size);
  }
  histo_upload_stage_audio (&first->upload, first->staged,
      engine->config.plan->format, &slot->layout.audio, &slot->audio);
  slot->first = first;
  first->members[first->n_members++] = slot;
  first->staged += size;
}

/* The slot, which is one of those that gather, is not to be measured. */
void
histo_audio_leave_gathered (CudaEngine * engine, HistoSlot * slot)
{
  HistoSlot *first = slot->first, *heir;
  HistoUpload upload;
  guint i = 0;

  while (first->members[i] != slot)
    i++;
  first->n_members--;
  memmove (&first->members[i], &first->members[i + 1],
      (first->n_members - i) * sizeof first->members[0]);
  slot->state = SLOT_FINISHED;
  if (slot != first)
    return;

  engine->gathering = NULL;
  if (first->n_members == 0)
    return;
  heir = engine->gathering = first->members[0];
  memcpy (heir->members, first->members, sizeof heir->members);
  heir->n_members = first->n_members;
  heir->staged = first->staged;
  heir->is_read_in_place = first->is_read_in_place;
  for (i = 0; i < heir->n_members; i++)
    heir->members[i]->first = heir;
  /* What they were copied to goes with them. */
  upload = heir->upload;
  heir->upload = first->upload;
  first->upload = upload;
}

/* Whether no other buffer is in flight. */
static gboolean
is_alone (CudaEngine * engine)
{
  return g_queue_get_length (&engine->free_slots) + 1 == engine->slots->len;
}

/* Under the lock. */
static gboolean
gather (CudaEngine * engine, HistoSlot * slot, gsize size, GError ** error)
{
  HistoSlot *first = engine->gathering;

  if (first != NULL && first->staged + size > first->upload.size)
    histo_audio_launch_gathered (engine);
  if (engine->gathering == NULL) {
    if (!histo_upload_reserve_audio (&slot->upload,
            max_gathered (engine) * size, error))
      return FALSE;
    engine->gathering = slot;
  }
  first = engine->gathering;
  stage (engine, slot, first, size);
  slot->state = SLOT_GATHERED;
  if (first->n_members == max_gathered (engine) || is_alone (engine))
    histo_audio_launch_gathered (engine);
  return TRUE;
}

/* By itself, and without the lock: copying it takes its time. */
static gboolean
start_large (CudaEngine * engine, HistoSlot * slot, gsize size, GError ** error)
{
  if (!histo_upload_reserve_audio (&slot->upload, size, error))
    return FALSE;
  stage (engine, slot, slot, size);
  if (!launch_members (engine, slot, error))
    return FALSE;
  slot->state = SLOT_LAUNCHED;
  return TRUE;
}

static gboolean
start_mapped (CudaEngine * engine, HistoSlot * slot, GError ** error)
{
  const HistoFormat *format = engine->config.plan->format;
  const guint64 n_samples = slot->layout.audio.n_samples;
  const gsize size = histo_upload_audio_size (format, n_samples);
  gboolean small, ok = TRUE;

  slot->audio.data = 0;
  histo_upload_describe_audio (format, n_samples, &slot->audio);
  small = is_small (engine, slot, size);

  g_mutex_lock (&engine->lock);
  if (small)
    ok = gather (engine, slot, size, error);
  else if (engine->gathering != NULL)
    histo_audio_launch_gathered (engine);
  g_mutex_unlock (&engine->lock);
  return small ? ok : start_large (engine, slot, size, error);
}

gboolean
histo_audio_start (CudaEngine * engine, HistoSlot * slot, GstBuffer * buffer,
    GError ** error)
{
  const HistoFormat *format = engine->config.plan->format;
  gboolean ok;

  if (!histo_layout_map (&slot->layout, format, buffer, GST_MAP_READ, error))
    return FALSE;
  ok = start_mapped (engine, slot, error);
  histo_layout_unmap (&slot->layout, format);
  return ok;
}
