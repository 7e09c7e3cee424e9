/* Measures buffers with the engine that the settings and the device allow.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/meter.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

struct _HistoMeter
{
  GstElement *element;          /* the source of messages; contexts are shared in its name */
  HistoBackend backend;
  gint device_id;
  gboolean is_open;
  gboolean cuda_is_refused;     /* since the meter was opened: there is no usable device */
  HistoPageLocks *page_locks;   /* of all CUDA engines that the element has, one by one */

  /* Upstream's thread and state changes write these; the lock protects readers in other
   * threads. */
  GMutex lock;
  HistoEngine *engine;          /* measures new buffers: `cuda` or `cpu`; NULL before the first format */
  HistoEngine *cuda;            /* NULL where it is not built; may be closed */
  GThread *opener;              /* the thread that opens `cuda`, or NULL: see open_cuda() */
  gboolean cuda_is_open;
  guint n_closed;               /* how often the meter was closed */
  HistoEngine *cpu;             /* NULL until new buffers are measured on the CPU */
  HistoEngine *rescue;          /* a CPU engine that measures again what the device lost */
  gboolean is_configured;
  const gchar *told_backend;    /* the value of active-backend that was notified last */
  guint64 past_cpu_time, past_gpu_time; /* of engines that were freed, ns */
  guint64 begin_cpu_time, begin_gpu_time;       /* of all engines at the last reset, ns */

  /* Constant while a buffer is in flight. */
  HistoPlan *plan;
  HistoEngineConfig config;     /* without the plan */

  gboolean has_predecessor;     /* of upstream's thread: the engine in use has measured a buffer
                                 * since it was configured, and the stream has not ended since */

  /* A thread that waits for a result may find that the device has failed, several threads at once. */
  gint device_has_failed;       /* atomic: upstream's thread reads it, and then uses the CPU */
  gint n_fallbacks;             /* atomic: buffers that the CPU measured because the device failed */
  GError *warning;              /* atomic: why it failed, until that is posted */
};

HistoMeter *
histo_meter_new (GstElement * element)
{
  HistoMeter *meter = g_new0 (HistoMeter, 1);

  meter->element = element;
  meter->page_locks = histo_page_locks_new ();
  meter->cuda = histo_engine_cuda_new (meter->page_locks);
  g_mutex_init (&meter->lock);
  return meter;
}

void
histo_meter_free (HistoMeter * meter)
{
  histo_engine_free (meter->cpu);
  histo_engine_free (meter->rescue);
  histo_engine_free (meter->cuda);
  g_clear_error (&meter->warning);
  g_clear_pointer (&meter->plan, histo_plan_unref);
  /* Memory that was page-locked for this element may live on. */
  histo_page_locks_set (meter->page_locks, FALSE, 0);
  histo_page_locks_unref (meter->page_locks);
  g_mutex_clear (&meter->lock);
  g_free (meter);
}

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

/* Keeps the times of an engine that is about to be freed. Under the lock. */
static void
keep_times (HistoMeter * meter, HistoEngine * engine)
{
  add_times (engine, &meter->past_cpu_time, &meter->past_gpu_time);
}

/* Sets the fallbacks and the times to 0. */
void
histo_meter_reset_stats (HistoMeter * meter)
{
  g_mutex_lock (&meter->lock);
  g_atomic_int_set (&meter->n_fallbacks, 0);
  add_up_times (meter, &meter->begin_cpu_time, &meter->begin_gpu_time);
  g_mutex_unlock (&meter->lock);
}

/* @n_fallbacks: (out): buffers that the CPU measured because the device failed
 * @cpu_time, @gpu_time: (out): spent on measuring, in ns; all since histo_meter_reset_stats() */
void
histo_meter_get_stats (HistoMeter * meter, guint64 * n_fallbacks,
    guint64 * cpu_time, guint64 * gpu_time)
{
  *n_fallbacks = (guint) g_atomic_int_get (&meter->n_fallbacks);
  g_mutex_lock (&meter->lock);
  add_up_times (meter, cpu_time, gpu_time);
  *cpu_time -= meter->begin_cpu_time;
  *gpu_time -= meter->begin_gpu_time;
  g_mutex_unlock (&meter->lock);
}

/* ---- Choosing an engine ---------------------------------------------------------- */

static void
use_cpu (HistoMeter * meter)
{
  g_mutex_lock (&meter->lock);
  if (meter->cpu == NULL)
    meter->cpu = histo_engine_cpu_new ();
  meter->engine = meter->cpu;
  g_mutex_unlock (&meter->lock);
}

/* While the engine is opened, libgstcuda uses the engine's context, queries neighbours and posts messages.
 * The application's handlers may call any function of the element. So no lock is held, but until the
 * engine is open its context belongs to this thread: see can_use_context(). */
static gboolean
open_cuda (HistoMeter * meter, GError ** error)
{
  HistoEngine *unwanted = NULL;
  gboolean is_open;
  guint n_closed;

  if (meter->cuda == NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "cudahisto was built without CUDA kernels");
    return FALSE;
  }
  if (meter->opener != NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "The element is started by a handler of a message that it posts while it opens the device");
    return FALSE;
  }
  g_mutex_lock (&meter->lock);
  meter->opener = g_thread_self ();
  n_closed = meter->n_closed;
  g_mutex_unlock (&meter->lock);
  is_open = meter->cuda->klass->open (meter->cuda, meter->element,
      meter->device_id, error);
  g_mutex_lock (&meter->lock);
  meter->opener = NULL;
  if (is_open && meter->n_closed != n_closed) {
    /* A handler has closed the meter meanwhile. */
    unwanted = meter->cuda;
    meter->cuda = histo_engine_cuda_new (meter->page_locks);
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "The element was stopped while it opened the device");
  }
  meter->cuda_is_open = is_open && unwanted == NULL;
  g_mutex_unlock (&meter->lock);
  histo_engine_free (unwanted);
  return is_open && unwanted == NULL;
}

/**
 * histo_meter_open:
 *
 * With auto, no device is opened yet: see histo_meter_prepare().
 *
 * Returns: FALSE with a %GST_RESOURCE_ERROR if @backend is cuda and there is no usable device
 */
gboolean
histo_meter_open (HistoMeter * meter, HistoBackend backend, gint device_id,
    GError ** error)
{
  meter->backend = backend;
  meter->device_id = device_id;
  meter->cuda_is_refused = FALSE;
  g_atomic_int_set (&meter->device_has_failed, FALSE);
  if (backend == HISTO_BACKEND_CUDA && !open_cuda (meter, error))
    return FALSE;
  meter->is_open = TRUE;
  return TRUE;
}

/* Returns: whether the meter is open with these settings */
gboolean
histo_meter_is_open_with (HistoMeter * meter, HistoBackend backend,
    gint device_id)
{
  return meter->is_open && meter->backend == backend
      && meter->device_id == device_id;
}

void
histo_meter_close (HistoMeter * meter)
{
  HistoEngine *cpu, *rescue, *cuda = NULL;

  g_mutex_lock (&meter->lock);
  cpu = meter->cpu;
  rescue = meter->rescue;
  if (meter->cuda_is_open)
    cuda = meter->cuda;
  keep_times (meter, cpu);
  keep_times (meter, rescue);
  keep_times (meter, cuda);
  meter->cpu = meter->rescue = meter->engine = NULL;
  /* Closing frees the engine. A new one takes contexts until the next opening. */
  if (cuda != NULL)
    meter->cuda = histo_engine_cuda_new (meter->page_locks);
  meter->cuda_is_open = FALSE;
  meter->is_configured = FALSE;
  meter->is_open = FALSE;
  meter->n_closed++;
  g_mutex_unlock (&meter->lock);

  histo_engine_free (cpu);
  histo_engine_free (rescue);
  histo_engine_free (cuda);
  g_clear_pointer (&meter->plan, histo_plan_unref);
  g_clear_error (&meter->warning);
}

/* Returns: whether the CPU may measure what the device could not. An error that the settings cause is no failure
 * of the device. */
static gboolean
may_fall_back (HistoMeter * meter, const HistoEngine * failed,
    const GError * error)
{
  return meter->backend == HISTO_BACKEND_AUTO && failed == meter->cuda
      && error->domain == GST_RESOURCE_ERROR
      && error->code != GST_RESOURCE_ERROR_SETTINGS;
}

/* @error: (transfer full): the first one is kept for histo_meter_post_warning() */
static void
note_failure (HistoMeter * meter, GError * error)
{
  if (g_atomic_int_compare_and_exchange (&meter->device_has_failed, FALSE,
          TRUE))
    g_atomic_pointer_set (&meter->warning, error);
  else
    g_error_free (error);
}

/**
 * histo_meter_post_warning:
 *
 * Notifies the property active-backend if it has changed, and posts one warning if the device has failed, however
 * many buffers were in flight. The caller holds no submission, because a handler may stop the element, which closes
 * the meter.
 */
void
histo_meter_post_warning (HistoMeter * meter)
{
  const gchar *name;
  gboolean has_changed;
  GError *warning;

  g_mutex_lock (&meter->lock);
  name = meter->is_configured ? meter->engine->klass->name : NULL;
  has_changed = name != meter->told_backend;
  meter->told_backend = name;
  g_mutex_unlock (&meter->lock);
  if (has_changed)
    g_object_notify (G_OBJECT (meter->element), "active-backend");

  warning = g_atomic_pointer_get (&meter->warning);
  if (warning == NULL || !g_atomic_pointer_compare_and_exchange
      (&meter->warning, warning, NULL))
    return;
  GST_ELEMENT_WARNING (meter->element, RESOURCE, FAILED,
      ("The CUDA device failed; measuring goes on with the CPU."),
      ("%s", warning->message));
  g_error_free (warning);
}

/* ---- Configuring ------------------------------------------------------------------- */

static gboolean
configure_engine (HistoMeter * meter, HistoEngine * engine,
    guint max_in_flight, GError ** error)
{
  HistoEngineConfig config = meter->config;

  config.plan = meter->plan;
  config.max_in_flight = max_in_flight;
  return engine->klass->configure (engine, &config, error);
}

/**
 * histo_meter_cpu_is_for_sound:
 * @channels: at least 1
 * @rate: samples of a channel in a second, at least 1
 *
 * Returns: whether the CPU engine takes less processor time for a usual buffer than a GPU does
 */
gboolean
histo_meter_cpu_is_for_sound (guint channels, guint rate)
{
  /* Both products are below 2^63: there are less than 2^32 channels, and less than 2^31 samples. */
  const guint64 samples = (guint64) channels *
      ((guint64) rate * HISTO_METER_BUFFER_TIME / 1000);
  const guint64 most = (guint64) HISTO_METER_GPU_TIME * 1000 /
      HISTO_METER_CPU_TIME_OF_1000;

  return samples <= most;
}

/* Returns: whether the device is to measure buffers of this format, if there is one. With auto that
 * is the engine that takes less processor time. */
static gboolean
wants_cuda (HistoMeter * meter, const HistoFormat * format)
{
  switch (meter->backend) {
    case HISTO_BACKEND_CUDA:
      return TRUE;
    case HISTO_BACKEND_CPU:
      return FALSE;
    default:
      return !format->is_audio
          || !histo_meter_cpu_is_for_sound (format->n_components,
          GST_AUDIO_INFO_RATE (&format->audio));
  }
}

/**
 * histo_meter_prepare:
 * @format: not used any more when a handler is called
 *
 * With backend=auto: opens the device, when it is wanted for the first time since the meter was opened. If there
 * is none, the CPU measures. libgstcuda may query neighbours and post messages, whose handlers may stop the
 * element.
 */
void
histo_meter_prepare (HistoMeter * meter, const HistoFormat * format)
{
  const guint n_closed = meter->n_closed;
  GError *error = NULL;

  if (meter->backend != HISTO_BACKEND_AUTO || meter->cuda_is_open
      || meter->cuda_is_refused || !wants_cuda (meter, format))
    return;
  if (open_cuda (meter, &error)) {
    GST_INFO_OBJECT (meter->element, "measuring on CUDA");
  } else if (meter->n_closed == n_closed) {
    GST_INFO_OBJECT (meter->element, "measuring on the CPU: %s",
        error->message);
    meter->cuda_is_refused = TRUE;
  }
  g_clear_error (&error);
}

static void
choose_engine (HistoMeter * meter, const HistoFormat * format)
{
  const gboolean wants = wants_cuda (meter, format);

  if (!wants || !meter->cuda_is_open) {
    if (!wants && meter->backend == HISTO_BACKEND_AUTO)
      GST_INFO_OBJECT (meter->element, "measuring on the CPU: for these "
          "channels it takes less processor time than the GPU");
    use_cpu (meter);
    return;
  }
  g_mutex_lock (&meter->lock);
  meter->engine = meter->cuda;
  g_mutex_unlock (&meter->lock);
}

/* Configures the engine in use. If the device fails, the CPU engine is in use afterwards. */
static gboolean
configure_current (HistoMeter * meter, GError ** error)
{
  GError *own_error = NULL;

  meter->has_predecessor = FALSE;
  if (g_atomic_int_get (&meter->device_has_failed))
    use_cpu (meter);
  if (configure_engine (meter, meter->engine, meter->config.max_in_flight,
          &own_error))
    return TRUE;
  if (!may_fall_back (meter, meter->engine, own_error)) {
    g_propagate_error (error, own_error);
    return FALSE;
  }
  note_failure (meter, own_error);
  use_cpu (meter);
  return configure_engine (meter, meter->engine,
      meter->config.max_in_flight, error);
}

/**
 * histo_meter_configure:
 * @format: which histo_meter_prepare() got; referenced
 * @settings: valid ones
 * @config: for the engines; its plan is ignored
 */
gboolean
histo_meter_configure (HistoMeter * meter, HistoFormat * format,
    const HistoPlanSettings * settings, const HistoEngineConfig * config,
    GError ** error)
{
  HistoEngine *rescue;

  g_return_val_if_fail (meter->is_open, FALSE);

  g_mutex_lock (&meter->lock);
  meter->is_configured = FALSE;
  /* The rescue engine is configured for the previous format. */
  rescue = meter->rescue;
  keep_times (meter, rescue);
  meter->rescue = NULL;
  g_mutex_unlock (&meter->lock);
  histo_engine_free (rescue);

  g_clear_pointer (&meter->plan, histo_plan_unref);
  meter->plan = histo_plan_new (format, settings);
  if (!histo_plan_check (meter->plan, error))
    return FALSE;
  meter->config = *config;
  choose_engine (meter, format);

  if (!configure_current (meter, error))
    return FALSE;
  GST_DEBUG_OBJECT (meter->element, "%u buffers in flight; engine %s",
      meter->config.max_in_flight, meter->engine->klass->name);
  histo_plan_log (meter->plan, meter->element);
  g_mutex_lock (&meter->lock);
  meter->is_configured = TRUE;
  g_mutex_unlock (&meter->lock);
  return TRUE;
}

/* Returns: whether the buffer lies in another context than the engine's, which then must
 * follow */
gboolean
histo_meter_must_follow (HistoMeter * meter, GstBuffer * buffer)
{
  HistoEngine *engine = meter->engine;

  return engine->klass->accepts != NULL
      && !engine->klass->accepts (engine, buffer);
}

/* Moves the engine to the buffer's context and configures it there. */
gboolean
histo_meter_follow (HistoMeter * meter, GstBuffer * buffer, GError ** error)
{
  HistoEngine *engine = meter->engine;
  GError *own_error = NULL;
  gboolean ok;

  /* Other threads may ask for the context that is given up: lock. */
  g_mutex_lock (&meter->lock);
  ok = engine->klass->follow (engine, buffer, meter->device_id, &own_error);
  g_mutex_unlock (&meter->lock);
  if (!ok && !may_fall_back (meter, engine, own_error)) {
    g_propagate_error (error, own_error);
    return FALSE;
  }
  if (!ok)
    note_failure (meter, own_error);
  return configure_current (meter, error);
}

/* ---- Measuring ---------------------------------------------------------------------- */

/* Starts the measuring of a buffer. The submission's info is set; the rest of it is zeroed. If the
 * engine has measured no buffer of this stream since it was configured, info.continues becomes
 * FALSE. */
gboolean
histo_meter_submit (HistoMeter * meter, GstBuffer * buffer,
    HistoSubmission * submission, GError ** error)
{
  GError *own_error = NULL;

  if (g_atomic_int_get (&meter->device_has_failed)
      && meter->engine == meter->cuda && !configure_current (meter, error))
    return FALSE;

  submission->info.continues &= meter->has_predecessor;
  submission->engine = meter->engine;
  submission->slot =
      meter->engine->klass->submit (meter->engine, buffer, &submission->info,
      &own_error);
  if (submission->slot != NULL) {
    meter->has_predecessor = TRUE;
    return TRUE;
  }
  if (!may_fall_back (meter, submission->engine, own_error)) {
    g_propagate_error (error, own_error);
    return FALSE;
  }
  note_failure (meter, own_error);
  g_atomic_int_inc (&meter->n_fallbacks);
  return histo_meter_submit (meter, buffer, submission, error);
}

/**
 * histo_meter_take:
 * @counted: of the buffer, by an element with the same settings
 * @submission: as for histo_meter_submit()
 *
 * In place of histo_meter_submit(): the counts are there.
 *
 * Returns: %FALSE if they do not fit the plan, or are of a frame that had a previous one, which this stream does not have, or
 *   the other way round
 */
gboolean
histo_meter_take (HistoMeter * meter, HistoCounted * counted,
    HistoSubmission * submission, GError ** error)
{
  const gboolean has_previous = submission->info.continues && meter->has_predecessor;

  if (!histo_counted_fits (counted, meter->plan)) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The counts of another cudahisto are of other settings");
    return FALSE;
  }
  if (meter->plan->needs_previous && has_previous != (counted->counts.n_with_previous > 0)) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The counts of another cudahisto are of a frame with other frames before it");
    return FALSE;
  }
  meter->has_predecessor = TRUE;
  submission->counted = histo_counted_ref (counted);
  submission->counts = counted->counts;
  submission->is_counted = TRUE;
  return TRUE;
}

/**
 * histo_meter_return_buffers:
 * @continues: FALSE: the stream ends, and the next buffer has no previous frame
 *
 * Has the engine in use give up all buffers, apart from those in flight, which it gives up when they
 * are measured.
 */
void
histo_meter_return_buffers (HistoMeter * meter, gboolean continues)
{
  meter->has_predecessor &= continues;
  if (meter->engine != NULL && meter->engine->klass->return_buffers != NULL)
    meter->engine->klass->return_buffers (meter->engine, continues);
}

static void
release_slot (HistoSubmission * submission)
{
  if (submission->slot != NULL)
    submission->engine->klass->release (submission->engine, submission->slot);
  submission->slot = NULL;
}

void
histo_meter_release (HistoMeter * meter, HistoSubmission * submission)
{
  release_slot (submission);
  g_clear_pointer (&submission->counted, histo_counted_unref);
  gst_clear_buffer (&submission->view);
  g_clear_pointer (&submission->info.rois, g_free);
  submission->info.n_rois = 0;
}

/* Measures a buffer that the device lost again, on the CPU, and waits for the result. */
static gboolean
measure_again (HistoMeter * meter, HistoSubmission * submission,
    GstBuffer * buffer, GError ** error)
{
  release_slot (submission);
  /* The rescue engine gets single buffers: it has no previous frame. */
  submission->info.continues = FALSE;

  if (meter->rescue == NULL) {
    HistoEngine *engine = histo_engine_cpu_new ();

    if (!configure_engine (meter, engine, 1, error)) {
      histo_engine_free (engine);
      return FALSE;
    }
    g_mutex_lock (&meter->lock);
    meter->rescue = engine;
    g_mutex_unlock (&meter->lock);
  }
  g_atomic_int_inc (&meter->n_fallbacks);

  submission->engine = meter->rescue;
  submission->slot =
      meter->rescue->klass->submit (meter->rescue, buffer, &submission->info,
      error);
  if (submission->slot == NULL || !meter->rescue->klass->wait (meter->rescue,
          submission->slot, &submission->counts, error))
    return FALSE;
  meter->rescue->klass->return_buffers (meter->rescue, FALSE);
  return TRUE;
}

/* Returns: when the buffer's counts will be complete */
HistoPromptness
histo_meter_promptness (HistoMeter * meter,
    const HistoSubmission * submission)
{
  return submission->is_counted ? HISTO_COUNTS_READY :
      submission->engine->klass->promptness (submission->engine,
      submission->slot);
}

static void
note_counts (HistoSubmission * submission)
{
  submission->is_counted = TRUE;
  /* It shares the memory of a buffer that is written to, or goes back to its pool, from now on. */
  gst_clear_buffer (&submission->view);
}

/**
 * histo_meter_finish:
 * @buffer: not used if the counts are there
 *
 * Waits for the counts of a submitted buffer, unless they are there. When this returns the buffer is not mapped,
 * unless the CPU engine holds it for the next one.
 * The submission must be released, also when this fails.
 */
gboolean
histo_meter_finish (HistoMeter * meter, HistoSubmission * submission,
    GstBuffer * buffer, GError ** error)
{
  HistoEngine *engine = submission->engine;
  GError *own_error = NULL;

  if (submission->is_counted)
    return TRUE;
  if (!engine->klass->wait (engine, submission->slot, &submission->counts,
          &own_error)) {
    if (!may_fall_back (meter, engine, own_error)) {
      g_propagate_error (error, own_error);
      return FALSE;
    }
    note_failure (meter, own_error);
    if (!measure_again (meter, submission,
            submission->view != NULL ? submission->view : buffer, error))
      return FALSE;
  }
  note_counts (submission);
  return TRUE;
}

/* Does what histo_meter_finish() does, without waiting. Returns: whether the counts are there. Then the buffer is not
 * needed any more. */
gboolean
histo_meter_try_finish (HistoMeter * meter, HistoSubmission * submission)
{
  HistoEngine *engine = submission->engine;

  if (submission->is_counted)
    return TRUE;
  if (engine->klass->is_done == NULL
      || !engine->klass->is_done (engine, submission->slot)
      || !engine->klass->wait (engine, submission->slot, &submission->counts,
          NULL))
    return FALSE;
  note_counts (submission);
  return TRUE;
}

/* Returns: (transfer none): static string: which engine measures or measured the buffer */
const gchar *
histo_meter_backend_of (const HistoSubmission * submission)
{
  return submission->counted != NULL ? submission->counted->backend :
      submission->engine->klass->name;
}

/* Returns: (transfer none): the plan by which all buffers in flight are counted */
const HistoPlan *
histo_meter_plan (HistoMeter * meter)
{
  return meter->plan;
}

/* ---- In any thread: the backend, page-locks, contexts, pools ------------------------------- */

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
      && !g_atomic_int_get (&meter->device_has_failed))
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
