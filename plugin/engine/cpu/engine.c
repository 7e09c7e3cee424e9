/* The CPU engine: worker threads, each of which measures one buffer at a time.
 *
 * A large frame is divided into shares. Workers that have no buffer of their own count shares of
 * the oldest large frame, because it must leave before all others. Each of these helpers counts
 * into a table of its own. The last thread that leaves the frame adds the tables up.
 *
 * A buffer's worker first makes the frame regular (regular.h) if the plan has groups. Threads that measure the frame,
 * or the next one and read this one as its previous frame, wait for that. Workers begin buffers in order,
 * so the picture that a thread waits for is already being made.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/engine.h"

#include "engine/condition.h"
#include "engine/cpu/shares.h"
#include "engine/cpu/slot.h"
#include "engine/timing.h"

/* An audio buffer with at most this many samples, of all channels together, is measured by the
 * thread that submits it: to wake a worker takes longer. */
#define AT_ONCE_SAMPLES 32768

typedef struct
{
  HistoEngine parent;

  HistoEngineConfig config;
  GThreadPool *workers;
  guint n_workers;
  HistoCpuRegular regular;      /* of video */
  HistoShares shares;           /* how frames are divided */
  GMutex lock;                  /* guards all below, and the slots' state */
  HistoCondition done;          /* a slot that a thread awaits is done */
  HistoCondition prepared;      /* a frame is regular, and its picture is complete */
  GQueue free_slots;
  GQueue busy_slots;            /* the oldest first */
  HistoCpuPictures pictures;
  GPtrArray *free_tools;        /* of HistoCpuTools; one for each worker */
  GPtrArray *free_tables;       /* of HistoCpuTable; one for each worker if frames are divided */
  guint n_items;                /* of the workers: calls of work() that run or are queued */
  guint n_waiting;              /* buffers that no worker has begun to measure */
  guint64 cpu_time;             /* ns */
  HistoTiming at_once;          /* buffers that the submitting thread measures */
} CpuEngine;

/* ---- The work ------------------------------------------------------------------------ */

/* FALSE if there is no share left. @share: (out): to be counted by the calling thread */
static gboolean
next_share (CpuEngine * engine, HistoSlot * slot, guint * share)
{
  gboolean any;

  g_mutex_lock (&engine->lock);
  any = slot->next_share < slot->n_shares;
  if (any)
    *share = slot->next_share++;
  g_mutex_unlock (&engine->lock);
  return any;
}

/* Makes the planes that are counted, and the buffer's picture. */
static void
prepare_video (CpuEngine * engine, HistoSlot * slot)
{
  histo_cpu_slot_prepare (slot, engine->config.plan, &engine->regular,
      &engine->pictures);
  g_mutex_lock (&engine->lock);
  slot->is_prepared = TRUE;
  if (slot->picture != NULL)
    slot->picture->is_complete = TRUE;
  histo_condition_broadcast (&engine->prepared);
  g_mutex_unlock (&engine->lock);
}

/* Waits until the frame's planes and the previous picture are complete. */
static void
wait_for_planes (CpuEngine * engine, const HistoSlot * slot)
{
  g_mutex_lock (&engine->lock);
  while (!slot->is_prepared || (slot->previous != NULL && !slot->previous->is_complete))
    histo_condition_wait (&engine->prepared, &engine->lock);
  g_mutex_unlock (&engine->lock);
}

/* Counts shares of the frame as long as there are any.
 * @table: cleared */
static void
count_shares (CpuEngine * engine, HistoSlot * slot,
    const HistoCpuTools * tools, HistoCpuTable * table)
{
  HistoCpuFrame frame = {
    .plan = engine->config.plan,
    .info = &slot->info,
    .scan = histo_plan_scan (engine->config.plan, &slot->info),
    .n_counted = slot->n_counted,
    .counted = slot->counted,
    .mask = slot->mask.pixels != NULL ? &slot->mask : NULL,
    .masks = slot->mask_frame != NULL ? slot->mask_frame->planes : NULL,
    .planes = slot->planes,
    .previous = slot->previous != NULL ? slot->previous->planes : NULL,
    .counters = table->counters,
    .tallies = table->tallies,
    .joints = table->joints,
  };
  HistoShareWork work;
  guint share;

  if (slot->picture != NULL)
    frame.light = slot->picture->light;
  if (slot->previous != NULL) {
    frame.previous_scan = slot->previous->scan;
    frame.previous_light = slot->previous->light;
  }
  histo_share_work_begin (&work, &engine->shares, tools, &frame);
  while (next_share (engine, slot, &share))
    histo_share_work_count (&work, share);
  histo_share_work_end (&work);
}

static void
measure (CpuEngine * engine, HistoSlot * slot, const HistoCpuTools * tools)
{
  const HistoPlan *plan = engine->config.plan;

  if (!plan->format->is_audio)
    prepare_video (engine, slot);
  histo_cpu_table_clear (slot->table, plan, &slot->info);
  if (plan->format->is_audio) {
    histo_cpu_slot_measure_audio (slot, plan);
  } else {
    wait_for_planes (engine, slot);
    count_shares (engine, slot, tools, slot->table);
  }
}

/* ---- Threads ------------------------------------------------------------------------- */

typedef struct
{
  HistoCpuTools *tools;
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

static void
free_pictures (GPtrArray * pictures)
{
  if (pictures != NULL)
    g_ptr_array_unref (pictures);
}

/* The buffer needs its pictures no more. Held buffers are released here, before the slot is done: when
 * no buffer is in flight, no worker references one. */
static void
drop_pictures (CpuEngine * engine, HistoSlot * slot)
{
  GPtrArray *unused;

  if (slot->picture == NULL && slot->previous == NULL)
    return;
  g_mutex_lock (&engine->lock);
  histo_cpu_pictures_drop (&engine->pictures, slot->picture);
  histo_cpu_pictures_drop (&engine->pictures, slot->previous);
  unused = histo_cpu_pictures_steal_unused (&engine->pictures);
  g_mutex_unlock (&engine->lock);
  free_pictures (unused);
}

/* The last thread that works on a buffer calls this. */
static void
finish_slot (CpuEngine * engine, Worker * worker, HistoSlot * slot)
{
  histo_cpu_slot_complete (slot, engine->config.plan);
  if (!histo_cpu_picture_is_held (slot->picture))
    histo_layout_unmap (&slot->layout, engine->config.plan->format);
  drop_pictures (engine, slot);

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
    HistoCpuTable * table)
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
join_slot (CpuEngine * engine, HistoCpuTable ** table)
{
  HistoSlot *slot = NULL;

  g_mutex_lock (&engine->lock);
  if (engine->n_waiting == 0 && engine->free_tables->len > 0) {
    GList *link = engine->busy_slots.head;

    while (link != NULL && ((HistoSlot *) link->data)->next_share ==
        ((HistoSlot *) link->data)->n_shares)
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
  HistoCpuTable *table;

  g_mutex_lock (&engine->lock);
  worker.tools = g_ptr_array_steal_index_fast (engine->free_tools,
      engine->free_tools->len - 1);
  engine->n_waiting -= slot != NULL;
  g_mutex_unlock (&engine->lock);

  if (slot != NULL) {
    measure (engine, slot, worker.tools);
    leave_slot (engine, &worker, slot, NULL);
  }
  while ((slot = join_slot (engine, &table)) != NULL) {
    histo_cpu_table_clear (table, engine->config.plan, &slot->info);
    wait_for_planes (engine, slot);
    count_shares (engine, slot, worker.tools, table);
    leave_slot (engine, &worker, slot, table);
  }

  g_mutex_lock (&engine->lock);
  g_ptr_array_add (engine->free_tools, worker.tools);
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

static gboolean
no_memory (GError ** error)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "No memory for the counters or the unpacked samples of one buffer");
  return FALSE;
}

/* Allocates what one worker needs. */
static gboolean
add_worker (CpuEngine * engine, GError ** error)
{
  HistoCpuTools *tools = histo_cpu_tools_new (engine->config.plan,
      &engine->regular);
  HistoCpuTable *table;

  if (tools == NULL)
    return no_memory (error);
  g_ptr_array_add (engine->free_tools, tools);
  if (!engine->shares.is_divisible)
    return TRUE;
  table = histo_cpu_table_new (engine->config.plan);
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
  g_queue_clear_full (&engine->free_slots, histo_cpu_slot_free);
  g_ptr_array_set_size (engine->free_tools, 0);
  g_ptr_array_set_size (engine->free_tables, 0);
  histo_cpu_pictures_clear (&engine->pictures);
  g_clear_pointer (&engine->config.plan, histo_plan_unref);
}

/* Starts as many as the system gives, but at least one. The first one alone: some versions of GLib
 * free a pool whose other threads cannot be started, although the first ones wait for work. */
static gboolean
start_workers (CpuEngine * engine, GError ** error)
{
  GError *own_error = NULL;

  engine->workers = g_thread_pool_new (work, engine, 1, TRUE, &own_error);
  if (own_error != NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
        "No worker thread: %s", own_error->message);
    g_clear_error (&own_error);
    unconfigure (engine);
    return FALSE;
  }
  g_thread_pool_set_max_threads (engine->workers, engine->n_workers, NULL);
  return TRUE;
}

static gboolean
cpu_configure (HistoEngine * base, const HistoEngineConfig * config,
    GError ** error)
{
  CpuEngine *engine = (CpuEngine *) base;

  unconfigure (engine);
  engine->config = *config;
  engine->config.plan = histo_plan_ref (config->plan);
  if (!config->plan->format->is_audio)
    histo_cpu_regular_init (&engine->regular, config->plan->format);
  engine->n_workers = MIN (config->max_in_flight, g_get_num_processors ());
  histo_shares_choose (&engine->shares, config->plan);

  for (guint i = 0; i < config->max_in_flight; i++) {
    HistoSlot *slot = histo_cpu_slot_new (config->plan, &engine->regular);

    if (slot == NULL)
      return no_memory (error);
    g_queue_push_tail (&engine->free_slots, slot);
  }
  for (guint i = 0; i < engine->n_workers; i++) {
    if (!add_worker (engine, error))
      return FALSE;
  }
  if (!histo_cpu_pictures_configure (&engine->pictures, config->plan,
          &engine->regular, config->max_in_flight, config->hold_previous))
    return no_memory (error);
  return start_workers (engine, error);
}

/* Queues the buffer for a worker, and asks idle workers to help with it. */
static void
start_slot (CpuEngine * engine, HistoSlot * slot)
{
  GPtrArray *unused;
  guint n_helpers;

  g_mutex_lock (&engine->lock);
  slot->is_done = slot->is_awaited = slot->is_prepared = FALSE;
  slot->next_share = 0;
  slot->n_threads = 1;
  slot->picture = histo_cpu_pictures_begin (&engine->pictures,
      &slot->info, &slot->layout, &slot->previous);
  unused = histo_cpu_pictures_steal_unused (&engine->pictures);
  slot->n_with_previous = slot->previous != NULL;
  g_queue_push_tail (&engine->busy_slots, slot);
  engine->n_waiting++;
  engine->n_items++;
  n_helpers = !engine->shares.is_divisible ? 0 :
      MIN (slot->n_shares - 1, engine->n_workers -
      MIN (engine->n_workers, engine->n_items));
  engine->n_items += n_helpers;
  g_mutex_unlock (&engine->lock);
  free_pictures (unused);
  /* This cannot fail, because an exclusive pool starts its threads at the beginning. */
  g_thread_pool_push (engine->workers, slot, NULL);
  for (guint i = 0; i < n_helpers; i++)
    g_thread_pool_push (engine->workers, &help, NULL);
}

/* Measures the buffer in the calling thread. */
static void
measure_at_once (CpuEngine * engine, HistoSlot * slot)
{
  const HistoPlan *plan = engine->config.plan;
  const HistoTimer timer = histo_timer_start (&engine->at_once);

  histo_cpu_table_clear (slot->table, plan, &slot->info);
  histo_cpu_slot_measure_audio (slot, plan);
  histo_layout_unmap (&slot->layout, plan->format);
  slot->n_with_previous = 0;
  g_mutex_lock (&engine->lock);
  slot->is_done = TRUE;
  engine->cpu_time += histo_timer_total (&timer);
  g_mutex_unlock (&engine->lock);
}

/* Makes the slot a free one. @is_refused: its buffer is not measured, so that the next one has no
 * previous frame */
static void
push_slot (CpuEngine * engine, HistoSlot * slot, gboolean is_refused)
{
  GPtrArray *unused;

  g_mutex_lock (&engine->lock);
  if (is_refused)
    histo_cpu_pictures_interrupt (&engine->pictures);
  /* At the head, because its memory is still in the caches. */
  g_queue_push_head (&engine->free_slots, slot);
  unused = histo_cpu_pictures_steal_unused (&engine->pictures);
  g_mutex_unlock (&engine->lock);
  free_pictures (unused);
}

static HistoSlot *
cpu_submit (HistoEngine * base, GstBuffer * buffer,
    const HistoFrameInfo * info, GError ** error)
{
  CpuEngine *engine = (CpuEngine *) base;
  const HistoPlan *plan = engine->config.plan;
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

  if (!histo_layout_map (&slot->layout, plan->format, buffer,
          GST_MAP_READ, error)) {
    push_slot (engine, slot, TRUE);
    return NULL;
  }
  histo_layout_trim_audio (&slot->layout, &info->trim);
  slot->info = *info;
  slot->mask_frame = histo_masked_find_frame (plan, info);
  if (slot->mask_frame == NULL && plan->mask_frames != NULL) {
    histo_layout_unmap (&slot->layout, plan->format);
    push_slot (engine, slot, TRUE);
    no_memory (error);
    return NULL;
  }
  slot->n_shares = plan->format->is_audio ? 1 :
      histo_shares_of_frame (&engine->shares, plan, info);
  slot->n_samples = slot->layout.audio.n_samples;
  slot->is_measured_at_once = plan->format->is_audio
      && slot->n_samples * plan->format->n_components <= AT_ONCE_SAMPLES;
  if (slot->is_measured_at_once)
    measure_at_once (engine, slot);
  else
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
  counts->counters = slot->table->counters;
  counts->tallies = slot->table->tallies;
  counts->joints = slot->table->joints;
  counts->n_with_previous = slot->n_with_previous;
  counts->n_pixels = slot->n_pixels;
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

static gboolean
cpu_measures_at_once (HistoEngine * base, gsize size)
{
  /* NULL: the latest configure() failed */
  const HistoPlan *plan = ((CpuEngine *) base)->config.plan;

  return plan != NULL && plan->format->is_audio
      && size <= AT_ONCE_SAMPLES * plan->format->sample.bytes;
}

static HistoPromptness
cpu_promptness (HistoEngine * base, HistoSlot * slot)
{
  return slot->is_measured_at_once ? HISTO_COUNTS_READY : HISTO_COUNTS_LATER;
}

static void
cpu_release (HistoEngine * base, HistoSlot * slot)
{
  CpuEngine *engine = (CpuEngine *) base;

  wait_until_done (engine, slot);
  push_slot (engine, slot, FALSE);
}

static void
cpu_return_buffers (HistoEngine * base, gboolean continues)
{
  CpuEngine *engine = (CpuEngine *) base;
  GPtrArray *unused;

  g_mutex_lock (&engine->lock);
  if (continues)
    histo_cpu_pictures_copy_latest (&engine->pictures);
  else
    histo_cpu_pictures_interrupt (&engine->pictures);
  unused = histo_cpu_pictures_steal_unused (&engine->pictures);
  g_mutex_unlock (&engine->lock);
  free_pictures (unused);
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
  g_ptr_array_unref (engine->free_tools);
  g_ptr_array_unref (engine->free_tables);
  g_mutex_clear (&engine->lock);
  histo_condition_clear (&engine->done);
  histo_condition_clear (&engine->prepared);
  g_free (engine);
}

static const HistoEngineClass cpu_class = {
  .name = "cpu",
  .open = cpu_open,
  .configure = cpu_configure,
  .submit = cpu_submit,
  .wait = cpu_wait,
  .promptness = cpu_promptness,
  .measures_at_once = cpu_measures_at_once,
  .is_done = cpu_is_done,
  .release = cpu_release,
  .return_buffers = cpu_return_buffers,
  .times = cpu_times,
  .close = cpu_close,
};

HistoEngine *
histo_engine_cpu_new (void)
{
  CpuEngine *engine = g_new0 (CpuEngine, 1);

  engine->parent.klass = &cpu_class;
  engine->free_tools = g_ptr_array_new_with_free_func
      ((GDestroyNotify) histo_cpu_tools_free);
  engine->free_tables = g_ptr_array_new_with_free_func (histo_cpu_table_free);
  g_mutex_init (&engine->lock);
  histo_condition_init (&engine->done);
  histo_condition_init (&engine->prepared);
  g_queue_init (&engine->free_slots);
  g_queue_init (&engine->busy_slots);
  return &engine->parent;
}
