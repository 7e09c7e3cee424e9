/* The CUDA driver, whose functions are looked up at run time, and the device that an engine uses:
 * a context of libgstcuda. Nothing links libcuda.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_DRIVER_H
#define HISTO_CUDA_DRIVER_H

#define GST_USE_UNSTABLE_API
#include <cuda.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

G_BEGIN_DECLS

/* ---- The driver ------------------------------------------------------------------------ */

/* X (function, exported name). cuda.h defines each function's name as a macro for a versioned
 * name, such as cuMemAlloc_v2. The exported name is written out, because the macro of a later
 * cuda.h may stand for a later version with other arguments. */
#define HISTO_DRIVER_FUNCTIONS(X) \
  X (cuInit, "cuInit") \
  X (cuGetErrorName, "cuGetErrorName") \
  X (cuGetErrorString, "cuGetErrorString") \
  X (cuDeviceGetCount, "cuDeviceGetCount") \
  X (cuDeviceGetAttribute, "cuDeviceGetAttribute") \
  X (cuCtxGetDevice, "cuCtxGetDevice") \
  X (cuCtxGetId, "cuCtxGetId") \
  X (cuModuleLoadData, "cuModuleLoadData") \
  X (cuModuleUnload, "cuModuleUnload") \
  X (cuModuleGetFunction, "cuModuleGetFunction") \
  X (cuFuncGetAttribute, "cuFuncGetAttribute") \
  X (cuFuncSetAttribute, "cuFuncSetAttribute") \
  X (cuLaunchKernel, "cuLaunchKernel") \
  X (cuLaunchKernelEx, "cuLaunchKernelEx") \
  X (cuMemAlloc, "cuMemAlloc_v2") \
  X (cuMemFree, "cuMemFree_v2") \
  X (cuMemHostAlloc, "cuMemHostAlloc") \
  X (cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2") \
  X (cuMemFreeHost, "cuMemFreeHost") \
  X (cuMemHostRegister, "cuMemHostRegister_v2") \
  X (cuMemHostUnregister, "cuMemHostUnregister") \
  X (cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2") \
  X (cuMemcpy2DAsync, "cuMemcpy2DAsync_v2") \
  X (cuMemsetD8Async, "cuMemsetD8Async") \
  X (cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode") \
  X (cuCtxGetStreamPriorityRange, "cuCtxGetStreamPriorityRange") \
  X (cuStreamCreateWithPriority, "cuStreamCreateWithPriority") \
  X (cuStreamDestroy, "cuStreamDestroy_v2") \
  X (cuStreamSynchronize, "cuStreamSynchronize") \
  X (cuStreamWaitEvent, "cuStreamWaitEvent") \
  X (cuEventCreate, "cuEventCreate") \
  X (cuEventDestroy, "cuEventDestroy_v2") \
  X (cuEventRecord, "cuEventRecord") \
  X (cuEventQuery, "cuEventQuery") \
  X (cuEventSynchronize, "cuEventSynchronize") \
  X (cuEventElapsedTime, "cuEventElapsedTime")

typedef struct
{
#define X(function, exported) __typeof__ (function) *function;
  HISTO_DRIVER_FUNCTIONS (X)
#undef X
} HistoDriver;

/* The initialised driver, which lives as long as the process. NULL with a
 * GST_RESOURCE_ERROR_NOT_FOUND that says what is missing; the next call looks again. */
const HistoDriver *histo_driver_get (GError ** error);

/* Around calls that wait, allocate or release. Other code of the process may capture a CUDA graph in the
 * global mode, as PyTorch does. In this mode such a call of any thread fails and ends the capture, unless
 * that thread is in the relaxed mode. So the calling thread is in the relaxed mode from enter to leave,
 * which may nest. The driver must have been found. */
void histo_driver_enter (void);
void histo_driver_leave (void);

/* TRUE for CUDA_SUCCESS. Else FALSE with a GST_RESOURCE_ERROR_FAILED that begins with @what. */
gboolean histo_driver_check (const HistoDriver * driver, CUresult result,
    const gchar * what, GError ** error);

/* Calls a function of the driver. FALSE, with @error set, if the call fails. */
#define HISTO_DRIVER_CHECK(driver, call, error) \
  histo_driver_check (driver, (driver)->call, #call, error)

/* ---- The device ------------------------------------------------------------------------ */

typedef struct
{
  GstElement *element;          /* not referenced; the log names it */
  const HistoDriver *driver;    /* NULL before histo_device_open() */
  GstCudaContext *context;      /* referenced; may be set before the device is opened */
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

/* Streams whose results are awaited have the highest priority. Only benches change it. */
extern gboolean histo_device_has_priorities;

/* Finds the priority of an engine's streams: the highest if buffers wait for their results
 * (@is_awaited), else the lowest. In one context the device starts the blocks of a stream of a higher
 * priority first. The context must be current. */
gboolean histo_device_find_priority (const HistoDevice * device,
    gboolean is_awaited, gint * priority, GError ** error);

/* Calls a function of the driver. FALSE, with @error set, if the call fails. */
#define HISTO_DEVICE_CHECK(device, call, error) \
  histo_driver_check ((device)->driver, (device)->driver->call, #call, error)

/* Allocates device memory with this content, which it waits for. @content: (nullable): NULL: nothing is needed. @to: (out): 0
 * after a failure */
gboolean histo_device_upload (const HistoDevice * device,
    gconstpointer content, gsize size, CUdeviceptr * to, CUstream stream,
    GError ** error);
/* Frees device memory. @memory: (inout): becomes 0; 0: there is none */
void histo_device_free (const HistoDevice * device, CUdeviceptr * memory);

/* ---- Buffers in CUDA memory ------------------------------------------------------------ */

/* The context of one of the buffer's CUDA memories. */
GstCudaContext *histo_context_of (GstBuffer * buffer, guint memory);
/* Two objects may stand for one context. */
gboolean histo_is_same_context (GstCudaContext * a, GstCudaContext * b);
/* Whether a launch can read the whole buffer in place: all of it is CUDA memory of one context. */
gboolean histo_is_in_one_context (GstBuffer * buffer);
/* Has @stream wait for the streams on which the buffer's CUDA memory is filled.
 * @produced: an event of the device */
gboolean histo_device_wait_for_producer (const HistoDevice * device,
    GstBuffer * buffer, CUstream stream, CUevent produced, GError ** error);

/* The stream on which somebody fills this CUDA memory. NULL if the memory knows none. Before
 * GStreamer 1.24 it never does: producers synchronise before they push a buffer. */
CUstream histo_producer_stream_of (GstMemory * memory);

G_END_DECLS

#endif /* HISTO_CUDA_DRIVER_H */
