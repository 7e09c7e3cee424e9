/* The device that an engine uses: the driver's functions, and a CUDA context.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/device.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

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
