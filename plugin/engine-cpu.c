/* The CPU engine: worker threads, each counting one buffer at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine.h"

#include "condition.h"
#include "cpu-count.h"
#include "layout.h"
#include "packing.h"

typedef struct
{
  HistoEngine parent;

  HistoEngineConfig config;
  GThreadPool *workers;
  GMutex lock;                  /* of the free list, the slots' state and the time */
  HistoCondition done;
  GQueue free_slots;
  guint64 cpu_time;
} CpuEngine;

struct _HistoSlot
{
  HistoLayout layout;
  guint32 *counters;
  HistoTotals *totals;
  guint8 *unpacked;
  guint64 n_samples;
  gboolean is_done;
};

static gsize
n_counters (const HistoEngineConfig * config)
{
  const HistoFormat *format = config->format;

  return format->is_audio ? (gsize) format->n_components *
      config->bins->binning.n_bins : format->n_bins;
}

/* ---- The work ---------------------------------------------------------------------- */

static void
count_video (const HistoFormat * format, HistoSlot * slot)
{
  if (format->needs_unpack) {
    histo_pack (format, &slot->layout, slot->unpacked);
    slot->layout.n_planes = format->n_planes;
    histo_packed_locate (format, (guint64) (guintptr) slot->unpacked,
        slot->layout.planes);
  }
  for (guint p = 0; p < slot->layout.n_planes; p++)
    histo_cpu_count_plane (&slot->layout.planes[p], slot->counters);
}

static void
measure_audio (const HistoEngineConfig * config, HistoSlot * slot)
{
  const HistoAudioLayout *audio = &slot->layout.audio;
  const HistoBinning *binning = &config->bins->binning;

  for (guint c = 0; c < config->format->n_components; c++)
    histo_cpu_measure_channel (audio->data + audio->channel_offsets[c],
        audio->sample_stride, audio->n_samples, &config->format->sample,
        binning, config->bins->edges,
        slot->counters + (gsize) c * binning->n_bins, &slot->totals[c]);
}

static void
measure_slot (gpointer data, gpointer user_data)
{
  HistoSlot *slot = data;
  CpuEngine *engine = user_data;
  const HistoEngineConfig *config = &engine->config;
  guint64 begin = histo_thread_time ();

  memset (slot->counters, 0, n_counters (config) * sizeof *slot->counters);
  if (config->format->is_audio)
    measure_audio (config, slot);
  else
    count_video (config->format, slot);
  histo_layout_unmap (&slot->layout, config->format);

  g_mutex_lock (&engine->lock);
  engine->cpu_time += histo_thread_time () - begin;
  slot->is_done = TRUE;
  histo_condition_broadcast (&engine->done);
  g_mutex_unlock (&engine->lock);
}

/* ---- The engine ---------------------------------------------------------------------- */

static gboolean
cpu_open (HistoEngine * engine, GstElement * element, gint device_id,
    GError ** error)
{
  return TRUE;
}

static void
free_slot (gpointer data)
{
  HistoSlot *slot = data;

  g_free (slot->counters);
  g_free (slot->totals);
  g_free (slot->unpacked);
  g_free (slot);
}

static gboolean
add_slot (CpuEngine * engine, GError ** error)
{
  const HistoFormat *format = engine->config.format;
  HistoSlot *slot = g_new0 (HistoSlot, 1);

  slot->counters = g_try_new (guint32, n_counters (&engine->config));
  if (format->is_audio)
    slot->totals = g_try_new (HistoTotals, format->n_components);
  if (format->needs_unpack)
    slot->unpacked = g_try_malloc (histo_packed_size (format));
  if (slot->counters != NULL && (slot->totals != NULL || !format->is_audio)
      && (slot->unpacked != NULL || !format->needs_unpack)) {
    g_queue_push_tail (&engine->free_slots, slot);
    return TRUE;
  }
  free_slot (slot);
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "No memory for the counters of one buffer");
  return FALSE;
}

static void
unconfigure (CpuEngine * engine)
{
  if (engine->workers != NULL)
    g_thread_pool_free (engine->workers, FALSE, TRUE);
  engine->workers = NULL;
  g_queue_clear_full (&engine->free_slots, free_slot);
  g_clear_pointer (&engine->config.format, histo_format_unref);
}

static gboolean
start_workers (CpuEngine * engine, guint n_workers, GError ** error)
{
  GError *own_error = NULL;

  /* There is a pool also where not all of its threads could be made, or none. */
  engine->workers =
      g_thread_pool_new (measure_slot, engine, n_workers, TRUE, &own_error);
  if (own_error == NULL)
    return TRUE;
  if (g_thread_pool_get_num_threads (engine->workers) > 0) {
    g_clear_error (&own_error);
    return TRUE;
  }
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
      "No worker thread: %s", own_error->message);
  g_clear_error (&own_error);
  unconfigure (engine);
  return FALSE;
}

static gboolean
cpu_configure (HistoEngine * base, const HistoEngineConfig * config,
    GError ** error)
{
  CpuEngine *engine = (CpuEngine *) base;
  guint n_workers = MIN (config->max_in_flight, g_get_num_processors ());

  unconfigure (engine);
  engine->config = *config;
  engine->config.format = histo_format_ref (config->format);

  for (guint i = 0; i < config->max_in_flight; i++) {
    if (!add_slot (engine, error))
      return FALSE;
  }
  return start_workers (engine, n_workers, error);
}

static HistoSlot *
cpu_submit (HistoEngine * base, GstBuffer * buffer, GError ** error)
{
  CpuEngine *engine = (CpuEngine *) base;
  HistoSlot *slot;

  g_mutex_lock (&engine->lock);
  slot = g_queue_pop_head (&engine->free_slots);
  g_mutex_unlock (&engine->lock);
  if (slot == NULL || engine->workers == NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
        "The CPU engine is not configured");
    return NULL;
  }

  slot->is_done = FALSE;
  if (!histo_layout_map (&slot->layout, engine->config.format, buffer,
          GST_MAP_READ, error)) {
    g_mutex_lock (&engine->lock);
    g_queue_push_head (&engine->free_slots, slot);
    g_mutex_unlock (&engine->lock);
    return NULL;
  }
  slot->n_samples = slot->layout.audio.n_samples;
  /* Cannot fail: an exclusive pool makes its threads at the start. */
  g_thread_pool_push (engine->workers, slot, NULL);
  return slot;
}

static void
wait_until_done (CpuEngine * engine, HistoSlot * slot)
{
  g_mutex_lock (&engine->lock);
  while (!slot->is_done)
    histo_condition_wait (&engine->done, &engine->lock);
  g_mutex_unlock (&engine->lock);
}

static gboolean
cpu_wait (HistoEngine * base, HistoSlot * slot, HistoCounts * counts,
    GError ** error)
{
  wait_until_done ((CpuEngine *) base, slot);
  counts->counters = slot->counters;
  counts->totals = slot->totals;
  counts->n_samples = slot->n_samples;
  return TRUE;
}

static void
cpu_release (HistoEngine * base, HistoSlot * slot)
{
  CpuEngine *engine = (CpuEngine *) base;

  wait_until_done (engine, slot);
  g_mutex_lock (&engine->lock);
  g_queue_push_head (&engine->free_slots, slot);
  g_mutex_unlock (&engine->lock);
}

static void
cpu_times (HistoEngine * base, guint64 * cpu_time, guint64 * gpu_time)
{
  CpuEngine *engine = (CpuEngine *) base;

  g_mutex_lock (&engine->lock);
  *cpu_time = engine->cpu_time;
  *gpu_time = 0;
  g_mutex_unlock (&engine->lock);
}

static void
cpu_close (HistoEngine * base)
{
  CpuEngine *engine = (CpuEngine *) base;

  unconfigure (engine);
  g_mutex_clear (&engine->lock);
  histo_condition_clear (&engine->done);
  g_free (engine);
}

static const HistoEngineClass cpu_class = {
  .name = "cpu",
  .open = cpu_open,
  .configure = cpu_configure,
  .submit = cpu_submit,
  .wait = cpu_wait,
  .release = cpu_release,
  .times = cpu_times,
  .close = cpu_close,
};

HistoEngine *
histo_engine_cpu_new (void)
{
  CpuEngine *engine = g_new0 (CpuEngine, 1);

  engine->parent.klass = &cpu_class;
  g_mutex_init (&engine->lock);
  histo_condition_init (&engine->done);
  g_queue_init (&engine->free_slots);
  return &engine->parent;
}
