/* The CUDA driver, whose functions are looked up at run time, and the device that an engine uses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/driver.h"

#include "media/layout.h"

#include <dlfcn.h>

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

/* ---- The driver ------------------------------------------------------------------------ */

#define LIBRARY "libcuda.so.1"

static HistoDriver functions;

/* Each thread has its own. */
static __thread guint n_entered;
static __thread CUstreamCaptureMode mode_outside;

static gboolean
load (GError ** error)
{
  /* Never closed, because the driver does not survive that. */
  void *library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);

  if (library == NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "No CUDA driver: %s", dlerror ());
    return FALSE;
  }
#define X(function, exported) \
  functions.function = (__typeof__ (functions.function)) dlsym (library, exported); \
  if (functions.function == NULL) { \
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, \
        "The CUDA driver is too old: %s has no %s", LIBRARY, exported); \
    return FALSE; \
  }
  HISTO_DRIVER_FUNCTIONS (X)
#undef X
  return TRUE;
}

const HistoDriver *
histo_driver_get (GError ** error)
{
  static GMutex lock;
  static gboolean is_loaded = FALSE;
  const HistoDriver *result = NULL;
  gint n_devices = 0;

  g_mutex_lock (&lock);
  if (!is_loaded)
    is_loaded = load (error);
  if (is_loaded
      && histo_driver_check (&functions, functions.cuInit (0), "cuInit", error)
      && histo_driver_check (&functions,
          functions.cuDeviceGetCount (&n_devices),
          "cuDeviceGetCount", error)) {
    if (n_devices > 0)
      result = &functions;
    else
      g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
          "The CUDA driver finds no device");
  }
  g_mutex_unlock (&lock);
  return result;
}

void
histo_driver_enter (void)
{
  if (n_entered++ > 0)
    return;
  mode_outside = CU_STREAM_CAPTURE_MODE_RELAXED;
  functions.cuThreadExchangeStreamCaptureMode (&mode_outside);
}

void
histo_driver_leave (void)
{
  if (--n_entered == 0)
    functions.cuThreadExchangeStreamCaptureMode (&mode_outside);
}

gboolean
histo_driver_check (const HistoDriver * driver, CUresult result,
    const gchar * what, GError ** error)
{
  const char *name = NULL, *text = NULL;

  if (result == CUDA_SUCCESS)
    return TRUE;
  driver->cuGetErrorName (result, &name);
  driver->cuGetErrorString (result, &text);
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
      "%s: %s (%s)", what, name != NULL ? name : "unknown error",
      text != NULL ? text : "?");
  return FALSE;
}

/* ---- The device ------------------------------------------------------------------------ */

gboolean histo_device_has_priorities = TRUE;

guint
histo_device_id_of (GstCudaContext * context)
{
  guint id = 0;

  g_object_get (context, "cuda-device-id", &id, NULL);
  return id;
}

gboolean
histo_device_open (HistoDevice * device, GstElement * element, gint device_id,
    GError ** error)
{
  gboolean ok;

  device->element = element;
  device->driver = histo_driver_get (error);
  if (device->driver == NULL)
    return FALSE;
  if (!gst_cuda_load_library ()) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "libgstcuda cannot use this CUDA driver");
    return FALSE;
  }
  gst_cuda_memory_init_once ();
  /* The application or a neighbour may have set it before the device was chosen. */
  if (device->context != NULL && device_id >= 0
      && histo_device_id_of (device->context) != (guint) device_id)
    gst_clear_object (&device->context);
  histo_driver_enter ();
  ok = gst_cuda_ensure_element_context (element, device_id, &device->context);
  histo_driver_leave ();
  if (!ok) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "No CUDA context on device %d", MAX (device_id, 0));
    return FALSE;
  }
  GST_DEBUG_OBJECT (element, "uses %" GST_PTR_FORMAT " on CUDA device %u",
      device->context, histo_device_id_of (device->context));
  return TRUE;
}

gboolean
histo_device_push (const HistoDevice * device, GError ** error)
{
  histo_driver_enter ();
  if (gst_cuda_context_push (device->context))
    return TRUE;
  histo_driver_leave ();
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
      "The CUDA context cannot be made current");
  return FALSE;
}

void
histo_device_pop (void)
{
  gst_cuda_context_pop (NULL);
  histo_driver_leave ();
}

gboolean
histo_device_find_priority (const HistoDevice * device, gboolean is_awaited,
    gint * priority, GError ** error)
{
  int lowest, highest;

  if (!HISTO_DEVICE_CHECK (device, cuCtxGetStreamPriorityRange (&lowest,
              &highest), error))
    return FALSE;
  *priority = is_awaited && histo_device_has_priorities ? highest : lowest;
  return TRUE;
}

gboolean
histo_device_upload (const HistoDevice * device, gconstpointer content,
    gsize size, CUdeviceptr * to, CUstream stream, GError ** error)
{
  if (content == NULL)
    return TRUE;
  if (HISTO_DEVICE_CHECK (device, cuMemAlloc (to, size), error)
      && HISTO_DEVICE_CHECK (device, cuMemcpyHtoDAsync (*to, content, size, stream), error)
      && HISTO_DEVICE_CHECK (device, cuStreamSynchronize (stream), error))
    return TRUE;
  histo_device_free (device, to);
  return FALSE;
}

void
histo_device_free (const HistoDevice * device, CUdeviceptr * memory)
{
  if (*memory != 0)
    HISTO_DEVICE_CHECK (device, cuMemFree (*memory), NULL);
  *memory = 0;
}

/* ---- The producer's stream --------------------------------------------------------------- */

/* Memory knows its stream since GStreamer 1.24. The functions are looked up in the libgstcuda that
 * runs, because a plugin that was built with an older one runs with a newer one, too. */

/* The library that this plugin is linked with. */
#define GST_LIBRARY "libgstcuda-1.0.so.0"

/* GStreamer 1.24 declares these. There the stream is a GstCudaStream. */
typedef struct _HistoCudaStream HistoCudaStream;
typedef HistoCudaStream *(*GetStream) (GstCudaMemory * memory);
typedef CUstream (*GetHandle) (HistoCudaStream * stream);

typedef struct
{
  GetStream get_stream;         /* both are NULL before GStreamer 1.24 */
  GetHandle get_handle;
} StreamFunctions;

static gpointer
look_up_stream_functions (gpointer unused)
{
  static StreamFunctions found;
  /* Never closed; it stays loaded as long as this plugin, which GStreamer never unloads. */
  void *library = dlopen (GST_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);

  if (library != NULL) {
    found.get_stream = (GetStream) dlsym (library,
        "gst_cuda_memory_get_stream");
    found.get_handle = (GetHandle) dlsym (library,
        "gst_cuda_stream_get_handle");
  }
  if (found.get_stream == NULL || found.get_handle == NULL)
    found = (StreamFunctions) { NULL };
  GST_DEBUG ("CUDA memory %s",
      found.get_stream != NULL ? "knows the stream that fills it" :
      "knows no stream: this is a GStreamer before 1.24");
  return &found;
}

CUstream
histo_producer_stream_of (GstMemory * memory)
{
  static GOnce once = G_ONCE_INIT;
  const StreamFunctions *found = g_once (&once, look_up_stream_functions, NULL);
  HistoCudaStream *stream = NULL;

  if (found->get_stream != NULL)
    stream = found->get_stream (GST_CUDA_MEMORY_CAST (memory));
  return stream != NULL ? found->get_handle (stream) : NULL;
}

/* ---- Buffers in CUDA memory ------------------------------------------------------------ */

GstCudaContext *
histo_context_of (GstBuffer * buffer, guint memory)
{
  return GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer,
          memory))->context;
}

gboolean
histo_is_same_context (GstCudaContext * a, GstCudaContext * b)
{
  return a == b
      || gst_cuda_context_get_handle (a) == gst_cuda_context_get_handle (b);
}

gboolean
histo_is_in_one_context (GstBuffer * buffer)
{
  if (!histo_is_in_cuda_memory (buffer))
    return FALSE;
  for (guint i = 1; i < gst_buffer_n_memory (buffer); i++) {
    if (!histo_is_same_context (histo_context_of (buffer, 0),
            histo_context_of (buffer, i)))
      return FALSE;
  }
  return TRUE;
}

gboolean
histo_device_wait_for_producer (const HistoDevice * device, GstBuffer * buffer,
    CUstream stream, CUevent produced, GError ** error)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    CUstream producer =
        histo_producer_stream_of (gst_buffer_peek_memory (buffer, i));

    if (producer == NULL)
      continue;
    if (!HISTO_DEVICE_CHECK (device, cuEventRecord (produced, producer), error)
        || !HISTO_DEVICE_CHECK (device, cuStreamWaitEvent (stream, produced, 0),
            error))
      return FALSE;
  }
  return TRUE;
}
