/* What other threads ask of the meter while upstream's thread measures; see meter.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/meter-private.h"

/* ---- Times ---------------------------------------------------------------------- */

static void
add_times (HistoEngine * engine, guint64 * cpu_time, guint64 * gpu_time)
{
  guint64 cpu = 0, gpu = 0;

  if (engine == NULL)
    return;
  engine->klass->times (engine, &cpu, &gpu);
  *cpu_time += cpu;
  *gpu_time += gpu;
}

/* Adds up the times of all engines, freed ones included. Under the lock. */
static void
add_up_times (HistoMeter * meter, guint64 * cpu_time, guint64 * gpu_time)
{
  *cpu_time = meter->past_cpu_time;
  *gpu_time = meter->past_gpu_time;
  add_times (meter->cpu, cpu_time, gpu_time);
  add_times (meter->rescue, cpu_time, gpu_time);
  if (meter->cuda_is_open)
    add_times (meter->cuda, cpu_time, gpu_time);
}

void
histo_meter_keep_times (HistoMeter * meter, HistoEngine * engine)
{
  add_times (engine, &meter->past_cpu_time, &meter->past_gpu_time);
}

/* Sets the fallbacks and the times to 0. */
void
histo_meter_reset_stats (HistoMeter * meter)
{
  g_mutex_lock (&meter->lock);
  g_atomic_int_set (&meter->fallback.n_buffers, 0);
  add_up_times (meter, &meter->begin_cpu_time, &meter->begin_gpu_time);
  g_mutex_unlock (&meter->lock);
}

/* Returns the times spent on measuring since histo_meter_reset_stats(), in ns. */
void
histo_meter_times (HistoMeter * meter, guint64 * cpu_time, guint64 * gpu_time)
{
  g_mutex_lock (&meter->lock);
  add_up_times (meter, cpu_time, gpu_time);
  *cpu_time -= meter->begin_cpu_time;
  *gpu_time -= meter->begin_gpu_time;
  g_mutex_unlock (&meter->lock);
}

/* ---- The backend and the page-locks ------------------------------------------------------------ */

/* Returns: (nullable): static string; NULL before the first configuration */
const gchar *
histo_meter_active_backend (HistoMeter * meter)
{
  const gchar *name;

  g_mutex_lock (&meter->lock);
  name = meter->is_configured ? meter->engine->klass->name : NULL;
  g_mutex_unlock (&meter->lock);
  return name;
}

/* Allows or forbids to page-lock memory of upstream's pools from now on, up to @limit bytes at
 * a time. Memory that is page-locked stays so until it is freed. */
void
histo_meter_set_page_locking (HistoMeter * meter, gboolean is_on, guint64 limit)
{
  histo_page_locks_set (meter->page_locks, is_on, limit);
}

/* Returns: number of buffers that the CPU measured because the device failed */
guint
histo_meter_fallbacks (HistoMeter * meter)
{
  return g_atomic_int_get (&meter->fallback.n_buffers);
}

/* Whether the calling thread may set the CUDA engine's context, or ask for it. Under the lock. */
static gboolean
can_use_context (HistoMeter * meter)
{
  return meter->cuda != NULL
      && (meter->opener == NULL || meter->opener == g_thread_self ());
}

/* A context that another thread sets during or after the opening comes too late: it is not used. */
void
histo_meter_set_context (HistoMeter * meter, gint device_id,
    GstContext * context)
{
  g_mutex_lock (&meter->lock);
  if (can_use_context (meter))
    meter->cuda->klass->set_context (meter->cuda, meter->element, device_id,
        context);
  g_mutex_unlock (&meter->lock);
}

/**
 * histo_meter_new_pool:
 *
 * Returns: (transfer full) (nullable): a pool for upstream's frames in system memory, not
 * configured yet; NULL if the engine in use reads any system memory equally well
 */
GstBufferPool *
histo_meter_new_pool (HistoMeter * meter)
{
  GstBufferPool *pool = NULL;

  g_mutex_lock (&meter->lock);
  if (meter->engine != NULL && meter->engine->klass->new_pool != NULL
      && !histo_fallback_has_failed (&meter->fallback))
    pool = meter->engine->klass->new_pool (meter->engine);
  g_mutex_unlock (&meter->lock);
  return pool;
}

/* Returns: whether buffers of @size bytes are measured by the thread that submits them */
gboolean
histo_meter_measures_at_once (HistoMeter * meter, gsize size)
{
  gboolean at_once;

  g_mutex_lock (&meter->lock);
  at_once = meter->is_configured
      && meter->engine->klass->measures_at_once != NULL
      && meter->engine->klass->measures_at_once (meter->engine, size);
  g_mutex_unlock (&meter->lock);
  return at_once;
}

gboolean
histo_meter_answer_context_query (HistoMeter * meter, GstQuery * query)
{
  gboolean answered = FALSE;

  g_mutex_lock (&meter->lock);
  if (can_use_context (meter))
    answered = meter->cuda->klass->answer_context_query (meter->cuda,
        meter->element, query);
  g_mutex_unlock (&meter->lock);
  return answered;
}
