/* Measures pairs of pictures; see measure.h.
 *
 * With backend=auto the CUDA device measures pairs of which a frame is in CUDA memory. It is estimated that to send other
 * frames to a device takes as much processor time as to compare them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/measure.h"

GST_DEBUG_CATEGORY_EXTERN (cudahistocompare_debug);
#define GST_CAT_DEFAULT cudahistocompare_debug

struct _HistoPairMeter
{
  GstElement *element;
  HistoBackend backend;
  gint device_id;
  gboolean is_refused;          /* since the meter was opened: there is no usable device, or it has failed */
  GError *warning;              /* why it failed, until that is posted */
  const gchar *told_backend;    /* the value of active-backend that was notified last */

  /* The CPU engine. */
  HistoComparedPicture picture, references[1 + HISTO_COMPARE_HISTORY];
  HistoComparisonScratch scratch;

  GMutex lock;                  /* of all below */
  HistoCompareDevice *device;   /* NULL where it is not built; may be closed */
  gboolean is_open;             /* the device is */
  GThread *opener;              /* the thread that opens it, or NULL: see open_device() */
  gboolean is_unwanted;         /* the meter was closed while the device was opened */
  const gchar *active_backend;  /* of the latest pair; NULL: none */
  guint64 n_fallbacks, past_gpu_time;
};

HistoPairMeter *
histo_pair_meter_new (GstElement * element)
{
  HistoPairMeter *meter = g_new0 (HistoPairMeter, 1);

  meter->element = element;
  meter->device = histo_compare_device_new ();
  g_mutex_init (&meter->lock);
  return meter;
}

void
histo_pair_meter_free (HistoPairMeter * meter)
{
  histo_pair_meter_close (meter);
  histo_compare_device_free (meter->device);
  g_mutex_clear (&meter->lock);
  g_free (meter);
}

/* ---- The device ------------------------------------------------------------------------------------- */

/* While the device is opened, libgstcuda uses its context, queries neighbours and posts messages, whose handlers may call
 * any function of the element. So no lock is held, but its context belongs to this thread until it is open. */
static gboolean
open_device (HistoPairMeter * meter, GError ** error)
{
  HistoCompareDevice *unwanted = NULL;
  gboolean is_open;

  if (meter->device == NULL || meter->opener != NULL) {
    g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, meter->device == NULL ?
        "cudahisto was built without CUDA kernels" :
        "The element is started by a handler of a message that it posts while it opens the device");
    return FALSE;
  }
  g_mutex_lock (&meter->lock);
  meter->opener = g_thread_self ();
  meter->is_unwanted = FALSE;
  g_mutex_unlock (&meter->lock);
  is_open = histo_compare_device_open (meter->device, meter->element, meter->device_id, error);
  g_mutex_lock (&meter->lock);
  meter->opener = NULL;
  if (is_open && meter->is_unwanted) {
    unwanted = meter->device;
    meter->device = histo_compare_device_new ();
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "The element was stopped while it opened the device");
  }
  meter->is_open = is_open && unwanted == NULL;
  g_mutex_unlock (&meter->lock);
  histo_compare_device_free (unwanted);
  return is_open && unwanted == NULL;
}

/**
 * histo_pair_meter_open:
 *
 * With auto, the device is opened for the first pair that has a frame in CUDA memory.
 *
 * Returns: FALSE with a %GST_RESOURCE_ERROR if @backend is cuda and there is no usable device
 */
gboolean
histo_pair_meter_open (HistoPairMeter * meter, HistoBackend backend, gint device_id, GError ** error)
{
  if (meter->is_open && meter->backend == backend && meter->device_id == device_id)
    return TRUE;
  histo_pair_meter_close (meter);
  meter->backend = backend;
  meter->device_id = device_id;
  return backend != HISTO_BACKEND_CUDA || open_device (meter, error);
}

void
histo_pair_meter_close (HistoPairMeter * meter)
{
  HistoCompareDevice *device = NULL;

  histo_pair_meter_forget (meter);
  for (guint i = 0; i < 1 + HISTO_COMPARE_HISTORY; i++)
    histo_compared_picture_clear (&meter->references[i]);
  histo_compared_picture_clear (&meter->picture);
  histo_comparison_scratch_clear (&meter->scratch);
  meter->is_refused = FALSE;
  g_clear_error (&meter->warning);
  g_mutex_lock (&meter->lock);
  meter->is_unwanted = TRUE;
  meter->active_backend = NULL;
  if (meter->is_open) {
    device = meter->device;
    meter->past_gpu_time += histo_compare_device_time (device);
    /* A new one takes contexts until it is opened. */
    meter->device = histo_compare_device_new ();
  }
  meter->is_open = FALSE;
  g_mutex_unlock (&meter->lock);
  histo_compare_device_free (device);
}

/* Whether the device is to measure the pair, if there is one. */
static gboolean
wants_device (const HistoPairMeter * meter, const HistoComparedPair * pair)
{
  switch (meter->backend) {
    case HISTO_BACKEND_CUDA:
      return TRUE;
    case HISTO_BACKEND_CPU:
      return FALSE;
    case HISTO_BACKEND_AUTO:
      break;
  }
  return !meter->is_refused && (histo_is_cuda_buffer (pair->buffer)
      || histo_is_cuda_buffer (histo_compared_pair_frame (pair, 0)));
}

/* Opens the device for backend=auto, in the context of the frames. */
static gboolean
prepare_device (HistoPairMeter * meter, const HistoComparedPair * pair)
{
  GError *error = NULL;

  if (meter->is_open)
    return TRUE;
  if (meter->device != NULL) {
    g_mutex_lock (&meter->lock);
    histo_compare_device_prefer (meter->device, histo_is_cuda_buffer (pair->buffer) ? pair->buffer :
        histo_compared_pair_frame (pair, 0));
    g_mutex_unlock (&meter->lock);
  }
  if (open_device (meter, &error))
    return TRUE;
  GST_INFO_OBJECT (meter->element, "comparing on the CPU: %s", error->message);
  g_error_free (error);
  meter->is_refused = TRUE;
  return FALSE;
}

/* Whether the CPU may measure what the device could not. An error that the settings cause is no failure of the
 * device. */
static gboolean
may_fall_back (const HistoPairMeter * meter, const GError * error)
{
  return meter->backend == HISTO_BACKEND_AUTO && error->domain == GST_RESOURCE_ERROR
      && error->code != GST_RESOURCE_ERROR_SETTINGS;
}

/* A frame of `sink` decides which context the device is in. A frame of the reference in another one is read by the host. */
static gboolean
count_on_device (HistoPairMeter * meter, const HistoComparedPair * pair, HistoCompared * compared, GError ** error)
{
  GstBuffer *leader = histo_is_cuda_buffer (pair->buffer) ? pair->buffer : histo_compared_pair_frame (pair, 0);
  gboolean ok = TRUE;

  if (histo_compare_device_must_follow (meter->device, leader)) {
    /* Other threads may ask for the context that is given up. */
    g_mutex_lock (&meter->lock);
    ok = histo_compare_device_follow (meter->device, leader, meter->device_id, error);
    g_mutex_unlock (&meter->lock);
  }
  return ok && histo_compare_device_count (meter->device, pair, compared, error);
}

/* ---- The CPU ---------------------------------------------------------------------------------------- */

/* Whether one of the pair's frames of the reference is in this picture. */
static gboolean
is_in_use (const HistoComparedPicture * picture, const HistoComparedPair * pair)
{
  gboolean is_one = FALSE;

  for (guint i = 0; i < 1 + HISTO_COMPARE_HISTORY && picture->buffer != NULL; i++)
    is_one |= picture->buffer == histo_compared_pair_frame (pair, i);
  return is_one;
}

/* Maps frame @i of the reference. It stays mapped for the next pair, whose history it is.
 * Returns: (nullable): NULL with an error if the frame contradicts its caps */
static HistoComparedPicture *
map_reference (HistoPairMeter * meter, const HistoComparedPair * pair, guint i, guint needed, GError ** error)
{
  GstBuffer *buffer = histo_compared_pair_frame (pair, i);
  HistoComparedPicture *picture = NULL;

  for (guint k = 0; k < 1 + HISTO_COMPARE_HISTORY; k++)
    if (meter->references[k].buffer == buffer)
      picture = &meter->references[k];
  for (guint k = 0; k < 1 + HISTO_COMPARE_HISTORY && picture == NULL; k++)
    if (!is_in_use (&meter->references[k], pair))
      picture = &meter->references[k];
  return histo_compared_picture_set_caps (picture, pair->reference_caps, error)
      && histo_compared_picture_map (picture, buffer, needed, error) ? picture : NULL;
}

/* Finds the pictures before that of the reference. A frame that cannot be read is none, and so is one whose picture has
 * another size, because it has another crop meta. */
static HistoComparedHistory
find_history (HistoPairMeter * meter, const HistoComparedPair * pair, const HistoComparedPicture * picture)
{
  const guint needed = 1u << histo_compared_leading (picture->format);
  HistoComparedHistory history = {.is_fast = histo_compared_picture_rate (picture) >= HISTO_XPSNR_HIGH_RATE };
  const HistoComparedPicture **to[HISTO_COMPARE_HISTORY] = { &history.before, &history.before_that };

  for (guint i = 0; i < HISTO_COMPARE_HISTORY && histo_compared_pair_frame (pair, 1 + i) != NULL; i++) {
    const HistoComparedPicture *before = map_reference (meter, pair, 1 + i, needed, NULL);

    if (before == NULL || !histo_compared_picture_is_like (before, picture, NULL))
      break;
    *to[i] = before;
  }
  return history;
}

/* Maps both pictures and counts. */
static gboolean
count_on_cpu (HistoPairMeter * meter, const HistoComparedPair * pair, HistoCompared * compared, GError ** error)
{
  const HistoComparedPicture *reference = map_reference (meter, pair, 0, G_MAXUINT, error);
  const gboolean ok = reference != NULL && histo_compared_picture_set_caps (&meter->picture, pair->caps, error)
      && histo_compared_picture_map (&meter->picture, pair->buffer, G_MAXUINT, error)
      && histo_compared_picture_is_like (&meter->picture, reference, error);

  if (ok) {
    const HistoComparedHistory history = find_history (meter, pair, reference);

    histo_compared_begin (compared, pair->measures, meter->picture.format, reference->format, pair->regions);
    histo_compared_count (compared, &meter->picture, reference, &history, &meter->scratch);
  }
  histo_compared_picture_unmap (&meter->picture);
  return ok;
}

/* ---- A pair ----------------------------------------------------------------------------------------- */

static void
note_backend (HistoPairMeter * meter, const gchar * name)
{
  g_mutex_lock (&meter->lock);
  meter->active_backend = name;
  g_mutex_unlock (&meter->lock);
}

/**
 * histo_pair_meter_measure:
 * @pair: whose buffers are not changed meanwhile
 * @compared: (out): clear; filled in
 *
 * With XPSNR the frames of the reference stay referenced and mapped until the next pair or histo_pair_meter_forget().
 *
 * Returns: FALSE with an error, and nothing in @compared, if the pair cannot be compared
 */
gboolean
histo_pair_meter_measure (HistoPairMeter * meter, const HistoComparedPair * pair, HistoCompared * compared,
    GError ** error)
{
  GError *own_error = NULL;
  gboolean ok;

  if (wants_device (meter, pair) && prepare_device (meter, pair)) {
    if (count_on_device (meter, pair, compared, &own_error)) {
      note_backend (meter, "cuda");
      return TRUE;
    }
    if (!may_fall_back (meter, own_error)) {
      g_propagate_error (error, own_error);
      return FALSE;
    }
    meter->is_refused = TRUE;
    meter->warning = own_error;
    g_mutex_lock (&meter->lock);
    meter->n_fallbacks++;
    g_mutex_unlock (&meter->lock);
  }
  ok = count_on_cpu (meter, pair, compared, error);
  if (ok)
    note_backend (meter, "cpu");
  /* Without XPSNR no frame is history. */
  if (!HISTO_COMPARES (pair->measures, XPSNR))
    histo_pair_meter_forget (meter);
  return ok;
}

/* Lets go of the frames of the reference. */
void
histo_pair_meter_forget (HistoPairMeter * meter)
{
  for (guint i = 0; i < 1 + HISTO_COMPARE_HISTORY; i++)
    histo_compared_picture_unmap (&meter->references[i]);
  if (meter->is_open)
    histo_compare_device_forget (meter->device);
}

/**
 * histo_pair_meter_post_warning:
 *
 * Notifies the property active-backend if it has changed, and posts one warning if the device has failed.
 */
void
histo_pair_meter_post_warning (HistoPairMeter * meter)
{
  const gchar *name = histo_pair_meter_active_backend (meter);
  GError *warning = g_steal_pointer (&meter->warning);
  const gboolean has_changed = name != meter->told_backend;

  meter->told_backend = name;
  if (has_changed)
    g_object_notify (G_OBJECT (meter->element), "active-backend");
  if (warning == NULL)
    return;
  GST_ELEMENT_WARNING (meter->element, RESOURCE, FAILED,
      ("The CUDA device failed; comparing goes on with the CPU."), ("%s", warning->message));
  g_error_free (warning);
}

/* ---- In any thread ---------------------------------------------------------------------------------- */

/* Returns: (nullable): static string; NULL before the first pair */
const gchar *
histo_pair_meter_active_backend (HistoPairMeter * meter)
{
  const gchar *name;

  g_mutex_lock (&meter->lock);
  name = meter->active_backend;
  g_mutex_unlock (&meter->lock);
  return name;
}

/* Pairs that the CPU measured because the device failed, and time of the device in ns, since
 * histo_pair_meter_reset_stats(). */
void
histo_pair_meter_get_stats (HistoPairMeter * meter, guint64 * n_fallbacks, guint64 * gpu_time)
{
  g_mutex_lock (&meter->lock);
  *n_fallbacks = meter->n_fallbacks;
  *gpu_time = meter->past_gpu_time + (meter->is_open ? histo_compare_device_time (meter->device) : 0);
  g_mutex_unlock (&meter->lock);
}

void
histo_pair_meter_reset_stats (HistoPairMeter * meter)
{
  g_mutex_lock (&meter->lock);
  meter->n_fallbacks = 0;
  /* Of a device that stays open: modulo 2^64. */
  meter->past_gpu_time = meter->is_open ? -histo_compare_device_time (meter->device) : 0;
  g_mutex_unlock (&meter->lock);
}

/* Whether the calling thread may set the device's context, or ask for it. Under the lock. */
static gboolean
can_use_context (HistoPairMeter * meter)
{
  return meter->device != NULL && (meter->opener == NULL || meter->opener == g_thread_self ());
}

void
histo_pair_meter_set_context (HistoPairMeter * meter, gint device_id, GstContext * context)
{
  g_mutex_lock (&meter->lock);
  if (can_use_context (meter))
    histo_compare_device_set_context (meter->device, meter->element, device_id, context);
  g_mutex_unlock (&meter->lock);
}

gboolean
histo_pair_meter_answer_context_query (HistoPairMeter * meter, GstQuery * query)
{
  gboolean answered = FALSE;

  g_mutex_lock (&meter->lock);
  if (can_use_context (meter))
    answered = histo_compare_device_answer_context_query (meter->device, meter->element, query);
  g_mutex_unlock (&meter->lock);
  return answered;
}
