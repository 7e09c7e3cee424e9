/* The device that the ladder stands on: its driver, launches and their times.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "ladder-device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ladder.cu, compiled. */
extern const unsigned long long ladder_fatbin[];

static void
check (LadderDevice *device, CUresult result, const gchar *what)
{
  GError *error = NULL;

  if (histo_driver_check (device->driver, result, what, &error))
    return;
  fprintf (stderr, "%s\n", error->message);
  exit (1);
}

#define CALL(device, function, ...) \
  check (device, (device)->driver->function (__VA_ARGS__), #function)
#define CALL_EXTRA(device, function, ...) \
  check (device, (device)->function (__VA_ARGS__), #function)

/* ---- Opening -------------------------------------------------------------------- */

/* cuda.h's own name is for a later version, which older drivers lack. */
typedef CUresult (*CreateContext) (CUcontext *, unsigned, CUdevice);
typedef CUresult (*DestroyContext) (CUcontext);

static void *
find (const char *exported)
{
  return dlsym (dlopen ("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), exported);
}

static void
find_functions (LadderDevice *device)
{
  GError *error = NULL;

  device->driver = histo_driver_get (&error);
  if (device->driver == NULL) {
    fprintf (stderr, "%s\n", error->message);
    exit (77);
  }
#define X(function, exported) \
  device->function = (__typeof__ (device->function)) find (exported); \
  if (device->function == NULL) { \
    fprintf (stderr, "The CUDA driver is too old: it has no %s\n", exported); \
    exit (1); \
  }
  LADDER_DRIVER_FUNCTIONS (X)
#undef X
}

static gint
attribute (LadderDevice *device, CUdevice_attribute which)
{
  gint value = 0;

  CALL (device, cuDeviceGetAttribute, &value, which, 0);
  return value;
}

/* Finds the first device, or exits with 77. */
void
ladder_device_open (LadderDevice *device)
{
  memset (device, 0, sizeof *device);
  find_functions (device);
  check (device, ((CreateContext) find ("cuCtxCreate_v2")) (&device->context, 0, 0),
      "cuCtxCreate");
  CALL_EXTRA (device, cuDeviceGetName, device->name, sizeof device->name, 0);
  CALL_EXTRA (device, cuDriverGetVersion, &device->driver_version);
  device->compute_capability =
      10 * attribute (device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
      + attribute (device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  device->n_multiprocessors =
      attribute (device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  device->shared_memory_per_block = attribute (device,
      CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  device->cache_bytes = attribute (device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);

  CALL (device, cuStreamCreateWithPriority, &device->stream,
      CU_STREAM_NON_BLOCKING, 0);
  CALL (device, cuEventCreate, &device->begin, CU_EVENT_DEFAULT);
  CALL (device, cuEventCreate, &device->end, CU_EVENT_DEFAULT);
  CALL (device, cuModuleLoadData, &device->module, ladder_fatbin);
  device->functions = g_hash_table_new (g_str_hash, g_str_equal);
}

void
ladder_device_close (LadderDevice *device)
{
  ladder_synchronize (device);
  g_hash_table_unref (device->functions);
  CALL (device, cuModuleUnload, device->module);
  CALL (device, cuEventDestroy, device->begin);
  CALL (device, cuEventDestroy, device->end);
  CALL (device, cuStreamDestroy, device->stream);
  check (device, ((DestroyContext) find ("cuCtxDestroy_v2")) (device->context),
      "cuCtxDestroy");
}

/* ---- Memory ----------------------------------------------------------------------- */

CUdeviceptr
ladder_alloc (LadderDevice *device, gsize bytes)
{
  CUdeviceptr memory;

  CALL (device, cuMemAlloc, &memory, bytes);
  return memory;
}

void
ladder_free (LadderDevice *device, CUdeviceptr memory)
{
  ladder_synchronize (device);
  CALL (device, cuMemFree, memory);
}

gpointer
ladder_alloc_host (LadderDevice *device, gsize bytes)
{
  gpointer memory;

  CALL (device, cuMemHostAlloc, &memory, bytes, 0);
  return memory;
}

void
ladder_free_host (LadderDevice *device, gpointer memory)
{
  ladder_synchronize (device);
  CALL (device, cuMemFreeHost, memory);
}

void
ladder_set (LadderDevice *device, CUdeviceptr memory, guint8 value, gsize bytes)
{
  CALL (device, cuMemsetD8Async, memory, value, bytes, device->stream);
}

void
ladder_download (LadderDevice *device, gpointer to, CUdeviceptr from, gsize bytes)
{
  CALL_EXTRA (device, cuMemcpyDtoHAsync, to, from, bytes, device->stream);
  ladder_synchronize (device);
}

void
ladder_upload (LadderDevice *device, CUdeviceptr to, gconstpointer from, gsize bytes)
{
  CALL (device, cuMemcpyHtoDAsync, to, from, bytes, device->stream);
  ladder_synchronize (device);
}

void
ladder_synchronize (LadderDevice *device)
{
  CALL (device, cuStreamSynchronize, device->stream);
}

/* ---- Launches ------------------------------------------------------------------------ */

/* More than this must be asked for. */
#define SHARED_WITHOUT_ASKING (48 * 1024)

static CUfunction
find_kernel (LadderDevice *device, const LadderLaunch *launch)
{
  CUfunction function = g_hash_table_lookup (device->functions, launch->kernel);

  if (function != NULL)
    return function;
  CALL (device, cuModuleGetFunction, &function, device->module, launch->kernel);
  if (launch->shared_bytes > SHARED_WITHOUT_ASKING)
    CALL (device, cuFuncSetAttribute, function,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, launch->shared_bytes);
  g_hash_table_insert (device->functions, (gpointer) launch->kernel, function);
  return function;
}

guint
ladder_occupancy (LadderDevice *device, const LadderLaunch *launch)
{
  gint blocks = 0;

  CALL_EXTRA (device, cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks,
      find_kernel (device, launch), launch->threads, launch->shared_bytes);
  return blocks;
}

void
ladder_launch (LadderDevice *device, const LadderLaunch *launch,
    const LadderTask *task)
{
  void *parameters[] = { (void *) task };
  CUlaunchAttribute attributes[2];
  CUlaunchConfig config = {
    .gridDimX = launch->blocks,
    .gridDimY = MAX (launch->blocks_y, 1),
    .gridDimZ = 1,
    .blockDimX = launch->threads,
    .blockDimY = 1,
    .blockDimZ = 1,
    .sharedMemBytes = launch->shared_bytes,
    .hStream = device->stream,
    .attrs = attributes,
  };

  memset (attributes, 0, sizeof attributes);
  if (launch->cluster > 0) {
    CUlaunchAttribute *attribute = &attributes[config.numAttrs++];

    attribute->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute->value.clusterDim.x = launch->cluster;
    attribute->value.clusterDim.y = attribute->value.clusterDim.z = 1;
  }
  if (launch->is_cooperative) {
    CUlaunchAttribute *attribute = &attributes[config.numAttrs++];

    attribute->id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute->value.cooperative = 1;
  }
  check (device, device->cuLaunchKernelEx (&config, find_kernel (device, launch),
          parameters, NULL), launch->kernel);
}

/* ---- Time ------------------------------------------------------------------------------ */

#define ROUNDS 9
#define ROUND_US 1000.0         /* that a round should last */
#define MOST_CALLS 64
/* A call that takes the device less than this may take the host longer to make: the device
 * is kept busy until all calls of a round are in its queue. */
#define SHORT_CALL_US 30.0
#define HOST_US_PER_CALL 8

static gint
compare (gconstpointer a, gconstpointer b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

static gdouble
time_round (LadderDevice *device, LadderCall call, gpointer data, guint n_calls,
    gboolean is_short, guint *number)
{
  const LadderLaunch delay = { "ladder_delay", 1, 1, 32, 0, 0, FALSE };
  const LadderTask task = { .n = HOST_US_PER_CALL * 1000 * n_calls };
  float milliseconds;

  if (is_short)
    ladder_launch (device, &delay, &task);
  CALL (device, cuEventRecord, device->begin, device->stream);
  for (guint i = 0; i < n_calls; i++)
    call (data, (*number)++);
  CALL (device, cuEventRecord, device->end, device->stream);
  CALL (device, cuEventSynchronize, device->end);
  CALL (device, cuEventElapsedTime, &milliseconds, device->begin, device->end);
  return milliseconds * 1000.0 / n_calls;
}

gdouble
ladder_time (LadderDevice *device, LadderCall call, gpointer data, guint *number)
{
  gdouble times[ROUNDS], about;
  guint n_calls;

  about = time_round (device, call, data, 1, TRUE, number);
  n_calls = CLAMP (ROUND_US / MAX (about, 1), 1, MOST_CALLS);
  for (guint i = 0; i < ROUNDS; i++)
    times[i] = time_round (device, call, data, n_calls, about < SHORT_CALL_US,
        number);
  qsort (times, ROUNDS, sizeof *times, compare);
  return times[ROUNDS / 2];
}
