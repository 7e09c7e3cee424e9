/* Measures buffers with the engine that the settings and the device allow.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/meter-private.h"

#include "engine/choice.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

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
  g_clear_error (&meter->fallback.warning);
  g_clear_pointer (&meter->plan, histo_plan_unref);
  /* Memory that was page-locked for this element may live on. */
  histo_page_locks_set (meter->page_locks, FALSE, 0);
  histo_page_locks_unref (meter->page_locks);
  g_mutex_clear (&meter->lock);
  g_free (meter);
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
  g_atomic_int_set (&meter->fallback.has_failed, FALSE);
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
  histo_meter_keep_times (meter, cpu);
  histo_meter_keep_times (meter, rescue);
  histo_meter_keep_times (meter, cuda);
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
  g_clear_error (&meter->fallback.warning);
}

/* Returns: whether the CPU may measure what the device could not. */
static gboolean
may_fall_back (HistoMeter * meter, const HistoEngine * failed,
    const GError * error)
{
  return meter->backend == HISTO_BACKEND_AUTO && failed == meter->cuda
      && histo_fallback_is_possible_for (error);
}

static void
notify_backend (HistoMeter * meter)
{
  const gchar *name;
  gboolean has_changed;

  g_mutex_lock (&meter->lock);
  name = meter->is_configured ? meter->engine->klass->name : NULL;
  has_changed = name != meter->told_backend;
  meter->told_backend = name;
  g_mutex_unlock (&meter->lock);
  if (has_changed)
    g_object_notify (G_OBJECT (meter->element), "active-backend");
}

/**
 * histo_meter_post_warning:
 *
 * Posts one warning if the device has failed, however many buffers were in flight, and notifies the
 * property active-backend if it has changed. The caller holds no submission, because a handler may
 * stop the element, which closes the meter.
 */
void
histo_meter_post_warning (HistoMeter * meter)
{
  notify_backend (meter);
  histo_fallback_post_warning (&meter->fallback, meter->element);
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
          || !histo_choice_is_cpu_for_audio (format->n_components,
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
  if (histo_fallback_has_failed (&meter->fallback))
    use_cpu (meter);
  if (configure_engine (meter, meter->engine, meter->config.max_in_flight,
          &own_error))
    return TRUE;
  if (!may_fall_back (meter, meter->engine, own_error)) {
    g_propagate_error (error, own_error);
    return FALSE;
  }
  histo_fallback_note_failure (&meter->fallback, own_error);
  use_cpu (meter);
  return configure_engine (meter, meter->engine,
      meter->config.max_in_flight, error);
}

/**
 * histo_meter_configure:
 * @format: of which histo_meter_prepare() was told; referenced
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
  histo_meter_keep_times (meter, rescue);
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
    histo_fallback_note_failure (&meter->fallback, own_error);
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

  if (histo_fallback_has_failed (&meter->fallback)
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
  histo_fallback_note_failure (&meter->fallback, own_error);
  g_atomic_int_inc (&meter->fallback.n_buffers);
  return histo_meter_submit (meter, buffer, submission, error);
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
  gst_clear_buffer (&submission->view);
  g_clear_pointer (&submission->info.rois, g_free);
  submission->info.n_rois = 0;
}

/* Measures a buffer that the device lost again, on the CPU, and waits for the result. */
static gboolean
measure_again (HistoMeter * meter, HistoSubmission * submission,
    GstBuffer * buffer, HistoCounts * counts, GError ** error)
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
  g_atomic_int_inc (&meter->fallback.n_buffers);

  submission->engine = meter->rescue;
  submission->slot =
      meter->rescue->klass->submit (meter->rescue, buffer, &submission->info,
      error);
  if (submission->slot == NULL || !meter->rescue->klass->wait (meter->rescue,
          submission->slot, counts, error))
    return FALSE;
  meter->rescue->klass->return_buffers (meter->rescue, FALSE);
  return TRUE;
}

/* Returns: when the buffer's counts will be complete */
HistoPromptness
histo_meter_promptness (HistoMeter * meter,
    const HistoSubmission * submission)
{
  return submission->engine->klass->promptness (submission->engine,
      submission->slot);
}

/**
 * histo_meter_finish:
 * @counts: valid until histo_meter_release()
 *
 * Waits for the counts of a submitted buffer. When this returns the buffer is not mapped, unless the
 * CPU engine holds it for the next one.
 * The slot must be released, also when this fails.
 */
gboolean
histo_meter_finish (HistoMeter * meter, HistoSubmission * submission,
    GstBuffer * buffer, HistoCounts * counts, GError ** error)
{
  HistoEngine *engine = submission->engine;
  GError *own_error = NULL;

  if (!engine->klass->wait (engine, submission->slot, counts, &own_error)) {
    if (!may_fall_back (meter, engine, own_error)) {
      g_propagate_error (error, own_error);
      return FALSE;
    }
    histo_fallback_note_failure (&meter->fallback, own_error);
    if (!measure_again (meter, submission,
            submission->view != NULL ? submission->view : buffer, counts,
            error))
      return FALSE;
  }
  gst_clear_buffer (&submission->view);
  return TRUE;
}

/* The same without waiting. Returns: whether the counts are there. Then the buffer is not needed any
 * more, and histo_meter_finish() must not be called. */
gboolean
histo_meter_try_finish (HistoMeter * meter, HistoSubmission * submission,
    HistoCounts * counts)
{
  HistoEngine *engine = submission->engine;

  if (engine->klass->is_done == NULL
      || !engine->klass->is_done (engine, submission->slot)
      || !engine->klass->wait (engine, submission->slot, counts, NULL))
    return FALSE;
  gst_clear_buffer (&submission->view);
  return TRUE;
}

/* Returns: (transfer none): static string: which engine measures or measured the buffer */
const gchar *
histo_meter_backend_of (const HistoSubmission * submission)
{
  return submission->engine->klass->name;
}

/* Returns: (transfer none): the plan by which all buffers in flight are counted */
const HistoPlan *
histo_meter_plan (HistoMeter * meter)
{
  return meter->plan;
}
