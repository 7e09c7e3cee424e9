/* The device that an engine uses: the driver's functions, and a CUDA context.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_DEVICE_H
#define HISTO_CUDA_DEVICE_H

#include "engine/cuda/driver.h"
#include "engine/page-locks.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;          /* not referenced; the log names it */
  const HistoDriver *driver;    /* NULL before histo_device_open() */
  GstCudaContext *context;      /* referenced; may be set before the device is opened */
  HistoPageLocks *page_locks;   /* referenced */
} HistoDevice;

/* Finds the driver, and a context if none was set: the one that the pipeline shares, or a new
 * one, which is offered to the pipeline. A context of another device than @device_id is given
 * up, unless that is -1. GST_RESOURCE_ERROR_NOT_FOUND if there is no usable device. */
gboolean histo_device_open (HistoDevice * device, GstElement * element,
    gint device_id, GError ** error);

/* The number by which CUDA knows the context's device. */
guint histo_device_id_of (GstCudaContext * context);

/* Makes the context current in the calling thread, until histo_device_pop(), and enters the driver. */
gboolean histo_device_push (const HistoDevice * device, GError ** error);
void histo_device_pop (void);

/* Calls a function of the driver. FALSE, with @error set, if the call fails. */
#define HISTO_DEVICE_CHECK(device, call, error) \
  histo_driver_check ((device)->driver, (device)->driver->call, #call, error)

G_END_DECLS

#endif /* HISTO_CUDA_DEVICE_H */
