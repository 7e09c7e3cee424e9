/* The functions of the CUDA driver, which are looked up at run time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/driver.h"

#include <dlfcn.h>

#define LIBRARY "libcuda.so.1"

static HistoDriver functions;

/* Of the calling thread. */
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
