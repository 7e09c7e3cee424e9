/* The CPU engine: worker threads, each of which measures one buffer at a time.
 *
 * A large frame is divided into shares. Workers that have no buffer of their own count shares of
 * the oldest large frame, because it must leave before all others. Each of these helpers counts
 * into a table of its own. The last thread that leaves the frame adds the tables up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/engine.h"

#include "engine/condition.h"
#include "engine/cpu/shares.h"
#include "engine/timing.h"
#include "media/layout.h"
#include "media/pack.h"

typedef struct
{
  HistoEngine parent;

  HistoEngineConfig config;
  GThreadPool *workers;
  guint n_workers;
  guint n_shares;               /* of each buffer */
  GMutex lock;                  /* guards all below, and the slots' state */
  HistoCondition done;          /* a slot that a thread awaits is done */
  GQueue free_slots;
  GQueue busy_slots;            /* the oldest first */
  GPtrArray *free_pixels;       /* of HistoCpuPixels; one for each worker */
  GPtrArray *free_tables;       /* of guint32[]; one for each worker if buffers have shares */
  guint n_items;                /* of the workers: calls of work() that run or are queued */
  guint n_waiting;              /* buffers that no worker has begun to measure */
  guint64 cpu_time;             /* ns */
} CpuEngine;

struct _HistoSlot
{
  HistoLayout layout;
  guint32 *counters;
  HistoTotals *totals;
  guint8 *unpacked;
  guint64 n_samples;
  guint next_share;             /* the first that no thread has begun to count */
  guint n_threads;              /* that work on the buffer; its own worker counts from the start */
  GPtrArray *helped;            /* tables with the helpers' counts */
  gboolean is_done, is_awaited;
};

/* ---- The work ------------------------------------------------------------------------ */

static void
unpack_video (const HistoFormat * format, HistoSlot * slot)
{
  histo_pack (format, &slot->layout, slot->unpacked);
  slot->layout.n_planes = format->n_planes;
  histo_packed_locate (format, (guint64) (guintptr) slot->unpacked,
      slot->layout.planes);
}

/* FALSE if there is no share left. @share: (out): to be counted by the calling thread */
static gboolean
next_share (CpuEngine * engine, HistoSlot * slot, guint * share)
{
  gboolean any;

  g_mutex_lock (&engine->lock);
  any = slot->next_share < engine->n_shares;
  if (any)
    *share = slot->next_share++;
  g_mutex_unlock (&engine->lock);
  return any;
}

/* Counts shares of the frame as long as there are any. @counters: cleared */
static void
count_shares (CpuEngine * engine, HistoSlot * slot, HistoCpuPixels * pixels,
    guint32 * counters)
{
  HistoSharePass pass;
  guint share;

  histo_share_pass_begin (&pass, engine->config.plan, &slot->layout, pixels, counters);
  while (next_share (engine, slot, &share))
    histo_share_pass_count (&pass, share, engine->n_shares);
  histo_share_pass_end (&pass);
}

static void
measure_audio (const HistoEngineConfig * config, HistoSlot * slot)
{
  const HistoAudioLayout *audio = &slot->layout.audio;
  const HistoBinning *binning = &config->plan->bins->binning;

  for (guint c = 0; c < config->plan->format->n_components; c++)
    histo_cpu_audio_measure_channel (audio->data + audio->channel_offsets[c],
        audio->sample_stride, audio->n_samples, &config->plan->format->sample,
        binning, config->plan->bins->edges,
        slot->counters + config->plan->components[c].first_bin,
        &slot->totals[c]);
}

static void
measure (CpuEngine * engine, HistoSlot * slot, HistoCpuPixels * pixels)
{
  const HistoFormat *format = engine->config.plan->format;

  memset (slot->counters, 0,
      engine->config.plan->n_counters * sizeof *slot->counters);
  if (format->is_audio) {
    measure_audio (&engine->config, slot);
    return;
  }
  if (format->needs_unpack)
    unpack_video (format, slot);
  count_shares (engine, slot, pixels, slot->counters);
}

/* ---- Threads ------------------------------------------------------------------------- */

typedef struct
{
  HistoCpuPixels *pixels;
  guint64 begin;                /* thread's time, ns, up to which cpu_time has it */
} Worker;

/* Adds the thread's time since the last call. Call it under the lock. */
static void
add_time (CpuEngine * engine, Worker * worker)
{
  const guint64 now = histo_thread_time ();

  engine->cpu_time += now - worker->begin;
  worker->begin = now;
}

/* The last thread that works on a buffer calls this. */
static void
finish_slot (CpuEngine * engine, Worker * worker, HistoSlot * slot)
{
  const gsize n = engine->config.plan->n_counters;

  for (guint t = 0; t < slot->helped->len; t++) {
    const guint32 *table = g_ptr_array_index (slot->helped, t);

    for (gsize i = 0; i < n; i++)
      slot->counters[i] += table[i];
  }
  histo_layout_unmap (&slot->layout, engine->config.plan->format);

  g_mutex_lock (&engine->lock);
  while (slot->helped->len > 0)
    g_ptr_array_add (engine->free_tables,
        g_ptr_array_steal_index_fast (slot->helped, 0));
  g_queue_remove (&engine->busy_slots, slot);
  add_time (engine, worker);
  slot->is_done = TRUE;
  /* A thread that waits for an older buffer need not be woken. */
  if (slot->is_awaited)
    histo_condition_broadcast (&engine->done);
  g_mutex_unlock (&engine->lock);
}

/* A thread stops working on a buffer. @table: (nullable): a helper's counts */
static void
leave_slot (CpuEngine * engine, Worker * worker, HistoSlot * slot,
    guint32 * table)
{
  gboolean is_last;

  g_mutex_lock (&engine->lock);
  if (table != NULL)
    g_ptr_array_add (slot->helped, table);
  add_time (engine, worker);
  is_last = --slot->n_threads == 0;
  g_mutex_unlock (&engine->lock);
  if (is_last)
    finish_slot (engine, worker, slot);
}

/* Finds the oldest frame that has shares left. NULL if there is none, if a buffer waits for a
 * worker, or if no table is free. @table: (out): to count into */
static HistoSlot *
join_slot (CpuEngine * engine, guint32 ** table)
{
  HistoSlot *slot = NULL;

  g_mutex_lock (&engine->lock);
  if (engine->n_waiting == 0 && engine->free_tables->len > 0) {
    GList *link = engine->busy_slots.head;

    while (link != NULL
        && ((HistoSlot *) link->data)->next_share == engine->n_shares)
      link = link->next;
    if (link != NULL) {
      slot = link->data;
      slot->n_threads++;
      *table = g_ptr_array_steal_index_fast (engine->free_tables, 0);
    }
  }
  g_mutex_unlock (&engine->lock);
  return slot;
}

/* An item that stands for no buffer: the worker helps with one. */
static gint help;

/* A worker's thread runs this for each item. */
static void
work (gpointer data, gpointer user_data)
{
  CpuEngine *engine = user_data;
  HistoSlot *slot = data == &help ? NULL : data;
  Worker worker = { NULL, histo_thread_time () };
  guint32 *table;

  g_mutex_lock (&engine->lock);
  worker.pixels = g_ptr_array_steal_index_fast (engine->free_pixels,
      engine->free_pixels->len - 1);
  engine->n_waiting -= slot != NULL;
  g_mutex_unlock (&engine->lock);

  if (slot != NULL) {
    measure (engine, slot, worker.pixels);
    leave_slot (engine, &worker, slot, NULL);
  }
  while ((slot = join_slot (engine, &table)) != NULL) {
    memset (table, 0, engine->config.plan->n_counters * sizeof *table);
    count_shares (engine, slot, worker.pixels, table);
    leave_slot (engine, &worker, slot, table);
  }

  g_mutex_lock (&engine->lock);
  g_ptr_array_add (engine->free_pixels, worker.pixels);
  engine->n_items--;
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
  g_ptr_array_unref (slot->helped);
  g_free (slot);
}

static gboolean
no_memory (GError ** error)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "No memory for the counters or the unpacked samples of one buffer");
  return FALSE;
}

static gboolean
add_slot (CpuEngine * engine, GError ** error)
{
  const HistoFormat *format = engine->config.plan->format;
  HistoSlot *slot = g_new0 (HistoSlot, 1);

  slot->counters = g_try_new (guint32, engine->config.plan->n_counters);
  slot->helped = g_ptr_array_sized_new (engine->n_workers);
  if (format->is_audio)
    slot->totals = g_try_new (HistoTotals, format->n_components);
  if (format->needs_unpack)
    slot->unpacked = g_try_malloc (histo_pack_room (format));
  if (slot->counters != NULL && (slot->totals != NULL || !format->is_audio)
      && (slot->unpacked != NULL || !format->needs_unpack)) {
    g_queue_push_tail (&engine->free_slots, slot);
    return TRUE;
  }
  free_slot (slot);
  return no_memory (error);
}

/* Allocates what one worker needs. */
static gboolean
add_worker (CpuEngine * engine, GError ** error)
{
  guint32 *table = NULL;

  g_ptr_array_add (engine->free_pixels, histo_cpu_pixels_new ());
  if (engine->n_shares == 1)
    return TRUE;
  table = g_try_new (guint32, engine->config.plan->n_counters);
  if (table == NULL)
    return no_memory (error);
  g_ptr_array_add (engine->free_tables, table);
  return TRUE;
}

static void
unconfigure (CpuEngine * engine)
{
  if (engine->workers != NULL)
    g_thread_pool_free (engine->workers, FALSE, TRUE);
  engine->workers = NULL;
  g_queue_clear_full (&engine->free_slots, free_slot);
  g_ptr_array_set_size (engine->free_pixels, 0);
  g_ptr_array_set_size (engine->free_tables, 0);
  g_clear_pointer (&engine->config.plan, histo_plan_unref);
}

static gboolean
start_workers (CpuEngine * engine, GError ** error)
{
  GError *own_error = NULL;

  /* GLib returns a pool even if it could start only some threads, or none. */
  engine->workers =
      g_thread_pool_new (work, engine, engine->n_workers, TRUE, &own_error);
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

  unconfigure (engine);
  engine->config = *config;
  engine->config.plan = histo_plan_ref (config->plan);
  engine->n_workers = MIN (config->max_in_flight, g_get_num_processors ());
  engine->n_shares = histo_shares_choose (config->plan);

  for (guint i = 0; i < config->max_in_flight; i++) {
    if (!add_slot (engine, error))
      return FALSE;
  }
  for (guint i = 0; i < engine->n_workers; i++) {
    if (!add_worker (engine, error))
      return FALSE;
  }
  return start_workers (engine, error);
}

/* Queues the buffer for a worker, and asks idle workers to help with it. */
static void
start_slot (CpuEngine * engine, HistoSlot * slot)
{
  guint n_helpers;

  g_mutex_lock (&engine->lock);
  slot->is_done = slot->is_awaited = FALSE;
  slot->next_share = 0;
  slot->n_threads = 1;
  g_queue_push_tail (&engine->busy_slots, slot);
  engine->n_waiting++;
  engine->n_items++;
  n_helpers = MIN (engine->n_shares - 1, engine->n_workers -
      MIN (engine->n_workers, engine->n_items));
  engine->n_items += n_helpers;
  g_mutex_unlock (&engine->lock);
  /* This cannot fail, because an exclusive pool starts its threads at the beginning. */
  g_thread_pool_push (engine->workers, slot, NULL);
  for (guint i = 0; i < n_helpers; i++)
    g_thread_pool_push (engine->workers, &help, NULL);
}

/* Makes the slot a free one. */
static void
push_slot (CpuEngine * engine, HistoSlot * slot)
{
  g_mutex_lock (&engine->lock);
  /* At the head, because its memory is still in the caches. */
  g_queue_push_head (&engine->free_slots, slot);
  g_mutex_unlock (&engine->lock);
}

static HistoSlot *
cpu_submit (HistoEngine * base, GstBuffer * buffer,
    const HistoFrameInfo * info, GError ** error)
{
  CpuEngine *engine = (CpuEngine *) base;
  HistoSlot *slot;

  g_mutex_lock (&engine->lock);
  slot = engine->workers != NULL ? g_queue_pop_head (&engine->free_slots) :
      NULL;
  g_mutex_unlock (&engine->lock);
  if (slot == NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
        "The CPU engine is not configured");
    return NULL;
  }

  if (!histo_layout_map (&slot->layout, engine->config.plan->format, buffer,
          GST_MAP_READ, error)) {
    push_slot (engine, slot);
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
  slot->is_awaited = TRUE;
  while (!slot->is_done)
    histo_condition_wait (&engine->done, &engine->lock);
  g_mutex_unlock (&engine->lock);
}

static gboolean
cpu_wait (HistoEngine * base, HistoSlot * slot, HistoCounts * counts,
    GError ** error)
{
  wait_until_done ((CpuEngine *) base, slot);
  *counts = (HistoCounts) {.n_frames = 1 };
  counts->counters = slot->counters;
  counts->totals = slot->totals;
  counts->n_samples = slot->n_samples;
  return TRUE;
}

static gboolean
cpu_is_done (HistoEngine * base, HistoSlot * slot)
{
  CpuEngine *engine = (CpuEngine *) base;
  gboolean is_done;

  g_mutex_lock (&engine->lock);
  is_done = slot->is_done;
  g_mutex_unlock (&engine->lock);
  return is_done;
}

static void
cpu_release (HistoEngine * base, HistoSlot * slot)
{
  CpuEngine *engine = (CpuEngine *) base;

  wait_until_done (engine, slot);
  push_slot (engine, slot);
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
  g_ptr_array_unref (engine->free_pixels);
  g_ptr_array_unref (engine->free_tables);
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
  .is_done = cpu_is_done,
  .release = cpu_release,
  .times = cpu_times,
  .close = cpu_close,
};

HistoEngine *
histo_engine_cpu_new (void)
{
  CpuEngine *engine = g_new0 (CpuEngine, 1);

  engine->parent.klass = &cpu_class;
  engine->free_pixels = g_ptr_array_new_with_free_func
      ((GDestroyNotify) histo_cpu_pixels_free);
  engine->free_tables = g_ptr_array_new_with_free_func (g_free);
  g_mutex_init (&engine->lock);
  histo_condition_init (&engine->done);
  g_queue_init (&engine->free_slots);
  g_queue_init (&engine->busy_slots);
  return &engine->parent;
}
