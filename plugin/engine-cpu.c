/* The CPU engine: worker threads, with a buffer each, or the rows of a large frame to share
 * where some have nothing else to do.
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
  guint n_workers;
  guint most_bands;             /* of a buffer */
  GMutex lock;                  /* of all below, and the slots' state */
  HistoCondition done;
  GQueue free_slots;
  guint n_bands_left;           /* of all buffers: what the workers have to do */
  guint64 cpu_time;
} CpuEngine;

/* Some rows of each plane of a frame, or all there is. */
typedef struct
{
  HistoSlot *slot;
  guint number;
  guint32 *counters;            /* the first one's become the buffer's */
} Band;

struct _HistoSlot
{
  HistoLayout layout;
  Band *bands;
  HistoTotals *totals;
  guint8 *unpacked;
  guint64 n_samples;
  guint n_bands, n_bands_left;
  gboolean is_done;
};

static gsize
n_counters (const HistoEngineConfig * config)
{
  const HistoFormat *format = config->format;

  return format->is_audio ? (gsize) format->n_components *
      config->bins->binning.n_bins : format->n_bins;
}

/* A band is worth waking a thread for it, and a table of pairs (cpu-count.c), ... */
#define BAND_BYTES (1024 * 1024)
/* ... and more than clearing and adding up its counters. */
#define BAND_BYTES_PER_COUNTER 64

/* Into how many bands a frame may be divided, for so many workers. */
static guint
choose_most_bands (const HistoEngineConfig * config, guint n_workers)
{
  const gsize least = MAX (BAND_BYTES,
      BAND_BYTES_PER_COUNTER * n_counters (config));

  if (config->format->is_audio || config->format->needs_unpack)
    return 1;
  return CLAMP (histo_packed_size (config->format) / least, 1, n_workers);
}

/* ---- The work ---------------------------------------------------------------------- */

static void
unpack_video (const HistoFormat * format, HistoSlot * slot)
{
  histo_pack (format, &slot->layout, slot->unpacked);
  slot->layout.n_planes = format->n_planes;
  histo_packed_locate (format, (guint64) (guintptr) slot->unpacked,
      slot->layout.planes);
}

static guint64
plane_bytes (const HistoPlane * plane)
{
  return histo_plane_row_bytes (plane) * plane->rows;
}

/* How many of the rows begin before so many bytes of the plane. */
static guint
rows_before (const HistoPlane * plane, gint64 bytes)
{
  const gint64 row_bytes = MAX (histo_plane_row_bytes (plane), 1);

  return CLAMP ((bytes + row_bytes - 1) / row_bytes, 0, plane->rows);
}

/* The bands follow each other through the planes: a band of few rows of each would have
 * planes too small for what makes large ones fast. */
static void
count_band (const Band * band)
{
  const HistoLayout *layout = &band->slot->layout;
  const guint n_bands = band->slot->n_bands;
  gint64 total = 0, begin, end;

  for (guint p = 0; p < layout->n_planes; p++)
    total += plane_bytes (&layout->planes[p]);
  begin = total * band->number / n_bands;
  end = total * (band->number + 1) / n_bands;

  for (guint p = 0; p < layout->n_planes; p++) {
    HistoPlane plane = layout->planes[p];
    const gint64 bytes = plane_bytes (&plane);
    const guint first = rows_before (&plane, begin);

    plane.rows = rows_before (&plane, end) - first;
    plane.data += first * plane.stride;
    histo_cpu_count_plane (&plane, band->counters);
    begin -= bytes;
    end -= bytes;
  }
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
        slot->bands[0].counters + (gsize) c * binning->n_bins,
        &slot->totals[c]);
}

static void
add_bands (CpuEngine * engine, HistoSlot * slot)
{
  const gsize n = n_counters (&engine->config);
  guint32 *sums = slot->bands[0].counters;

  for (guint b = 1; b < slot->n_bands; b++) {
    const guint32 *counters = slot->bands[b].counters;

    for (gsize i = 0; i < n; i++)
      sums[i] += counters[i];
  }
}

/* Whoever is the last. */
static void
finish_slot (CpuEngine * engine, HistoSlot * slot)
{
  guint64 begin = histo_thread_time ();

  add_bands (engine, slot);
  histo_layout_unmap (&slot->layout, engine->config.format);

  g_mutex_lock (&engine->lock);
  engine->cpu_time += histo_thread_time () - begin;
  slot->is_done = TRUE;
  histo_condition_broadcast (&engine->done);
  g_mutex_unlock (&engine->lock);
}

static void
measure_band (gpointer data, gpointer user_data)
{
  const Band *band = data;
  CpuEngine *engine = user_data;
  const HistoEngineConfig *config = &engine->config;
  guint64 begin = histo_thread_time ();
  gboolean is_last;

  memset (band->counters, 0, n_counters (config) * sizeof *band->counters);
  if (config->format->is_audio) {
    measure_audio (config, band->slot);
  } else {
    if (config->format->needs_unpack)
      unpack_video (config->format, band->slot);
    count_band (band);
  }

  g_mutex_lock (&engine->lock);
  engine->cpu_time += histo_thread_time () - begin;
  engine->n_bands_left--;
  is_last = --band->slot->n_bands_left == 0;
  g_mutex_unlock (&engine->lock);
  if (is_last)
    finish_slot (engine, band->slot);
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

  g_free (slot->bands[0].counters);
  g_free (slot->bands);
  g_free (slot->totals);
  g_free (slot->unpacked);
  g_free (slot);
}

static gboolean
add_slot (CpuEngine * engine, GError ** error)
{
  const HistoFormat *format = engine->config.format;
  const gsize n = n_counters (&engine->config);
  HistoSlot *slot = g_new0 (HistoSlot, 1);
  guint32 *counters = g_try_new (guint32, engine->most_bands * n);

  slot->bands = g_new (Band, engine->most_bands);
  for (guint b = 0; b < engine->most_bands; b++)
    slot->bands[b] = (Band) { slot, b, counters != NULL ? counters + b * n :
      NULL };
  if (format->is_audio)
    slot->totals = g_try_new (HistoTotals, format->n_components);
  if (format->needs_unpack)
    slot->unpacked = g_try_malloc (histo_packed_size (format));
  if (counters != NULL && (slot->totals != NULL || !format->is_audio)
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
      g_thread_pool_new (measure_band, engine, n_workers, TRUE, &own_error);
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
  engine->n_workers = n_workers;
  engine->most_bands = choose_most_bands (config, n_workers);

  for (guint i = 0; i < config->max_in_flight; i++) {
    if (!add_slot (engine, error))
      return FALSE;
  }
  return start_workers (engine, n_workers, error);
}

/* A frame's bands are for the workers that are idle: so it is measured sooner, and where
 * frames take unlike times nobody is left without work because the oldest is not done.
 * Dividing costs, and is of no use where all have something to do. */
static void
start_slot (CpuEngine * engine, HistoSlot * slot)
{
  guint n_idle;

  g_mutex_lock (&engine->lock);
  n_idle = engine->n_workers - MIN (engine->n_workers, engine->n_bands_left);
  slot->n_bands = slot->n_bands_left = CLAMP (n_idle, 1, engine->most_bands);
  engine->n_bands_left += slot->n_bands;
  g_mutex_unlock (&engine->lock);
  /* Cannot fail: an exclusive pool makes its threads at the start. */
  for (guint b = 0, n_bands = slot->n_bands; b < n_bands; b++)
    g_thread_pool_push (engine->workers, &slot->bands[b], NULL);
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
  start_slot (engine, slot);
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
  counts->counters = slot->bands[0].counters;
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
