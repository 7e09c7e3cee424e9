/* The device that checkhisto tests, and memory there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checkhisto.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "mock-cuda.h"
#include "profiles.h"

CheckDevice check_device;

/* What the plugin has no use for, by the names that are exported. */
#define EXTRA_FUNCTIONS(X) \
  X (CUresult, cuDeviceGet, "cuDeviceGet", (CUdevice *, int)) \
  X (CUresult, cuDeviceGetName, "cuDeviceGetName", (char *, int, CUdevice)) \
  X (CUresult, cuCtxCreate, "cuCtxCreate_v2", (CUcontext *, unsigned, CUdevice)) \
  X (CUresult, cuCtxDestroy, "cuCtxDestroy_v2", (CUcontext)) \
  X (CUresult, cuMemGetInfo, "cuMemGetInfo_v2", (size_t *, size_t *)) \
  X (CUresult, cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", \
      (void *, CUdeviceptr, size_t, CUstream))

/* cuda.h has macros of these names. */
#undef cuDeviceGet
#undef cuDeviceGetName
#undef cuCtxCreate
#undef cuCtxDestroy
#undef cuMemGetInfo
#undef cuMemcpyDtoHAsync

static struct
{
#define X(type, name, exported, parameters) type (*name) parameters;
  EXTRA_FUNCTIONS (X)
#undef X
} extra;

static CUcontext context;
static const MockCuda *mock;    /* where the device is one */

void
check_driver_result (CUresult result, const gchar * what)
{
  GError *error = NULL;

  if (histo_driver_check (check_device.driver, result, what, &error))
    return;
  g_printerr ("checkhisto: %s\n", error->message);
  exit (1);
}

#define CHECK_EXTRA(call) check_driver_result (extra.call, #call)

static gboolean
load_extra (GError ** error)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const MockCuda *(*get_mock) (void) =
      (__typeof__ (get_mock)) dlsym (library, "mock_cuda");

#define X(type, name, exported, parameters) \
  extra.name = (__typeof__ (extra.name)) dlsym (library, exported); \
  if (extra.name == NULL) { \
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, \
        "the driver has no %s", exported); \
    return FALSE; \
  }
  EXTRA_FUNCTIONS (X)
#undef X
  mock = get_mock != NULL ? get_mock () : NULL;
  check_device.is_simulated = mock != NULL;
  return TRUE;
}

gboolean
check_device_open (GError ** error)
{
  CheckDevice *device = &check_device;
  CUdevice number;

  device->driver = histo_driver_get (error);
  if (device->driver == NULL || !load_extra (error))
    return FALSE;
  CHECK_EXTRA (cuDeviceGet (&number, 0));
  CHECK_EXTRA (cuDeviceGetName (device->name, sizeof device->name, number));
  CHECK_EXTRA (cuCtxCreate (&context, 0, number));
  CHECK_CALL (cuStreamCreateWithPriority (&device->stream,
          CU_STREAM_NON_BLOCKING, 0));
  if (histo_cuda_kernels_load (&device->kernels, device->driver, error))
    return TRUE;
  g_printerr ("checkhisto: %s\n", (*error)->message);
  exit (1);
}

void
check_device_close (void)
{
  histo_cuda_kernels_unload (&check_device.kernels);
  CHECK_CALL (cuStreamDestroy (check_device.stream));
  CHECK_EXTRA (cuCtxDestroy (context));
}

void
check_device_wait (void)
{
  CHECK_CALL (cuStreamSynchronize (check_device.stream));
}

guint64
check_device_free_memory (void)
{
  size_t free_bytes, total;

  CHECK_EXTRA (cuMemGetInfo (&free_bytes, &total));
  return free_bytes;
}

void
check_device_set_schedule (guint seed)
{
  if (mock != NULL)
    mock->set_seed (seed);
}

/* ---- Memory ------------------------------------------------------------------------ */

CUdeviceptr
check_alloc (gsize size)
{
  CUdeviceptr memory;

  CHECK_CALL (cuMemAlloc (&memory, MAX (size, 1)));
  return memory;
}

void
check_copy_to (CUdeviceptr to, gconstpointer data, gsize size)
{
  if (size > 0)
    CHECK_CALL (cuMemcpyHtoDAsync (to, data, size, check_device.stream));
}

CUdeviceptr
check_upload (gconstpointer data, gsize size)
{
  CUdeviceptr memory = check_alloc (size);

  check_copy_to (memory, data, size);
  return memory;
}

CUdeviceptr
check_alloc_zeroed (gsize size)
{
  CUdeviceptr memory = check_alloc (size);

  CHECK_CALL (cuMemsetD8Async (memory, 0, MAX (size, 1), check_device.stream));
  return memory;
}

/* Sets memory to random bytes. */
void
check_poison (CUdeviceptr memory, gsize size)
{
  guint8 *bytes = g_malloc (MAX (size, 1));

  check_random_fill (bytes, size);
  check_copy_to (memory, bytes, size);
  check_device_wait ();
  g_free (bytes);
}

CUdeviceptr
check_alloc_poisoned (gsize size)
{
  CUdeviceptr memory = check_alloc (size);

  check_poison (memory, size);
  return memory;
}

void
check_copy_from (gpointer data, CUdeviceptr from, gsize size)
{
  if (size > 0)
    CHECK_EXTRA (cuMemcpyDtoHAsync (data, from, size, check_device.stream));
  check_device_wait ();
}

void
check_free (CUdeviceptr memory)
{
  CHECK_CALL (cuMemFree (memory));
}

#define GUARD_BYTES 64
#define GUARD_BYTE 0x9d

void
check_result_init (CheckResult * result, gsize size)
{
  void *whole;
  CUdeviceptr device;

  CHECK_CALL (cuMemHostAlloc (&whole, size + 2 * GUARD_BYTES,
          CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  CHECK_CALL (cuMemHostGetDevicePointer (&device, whole, 0));
  memset (whole, GUARD_BYTE, size + 2 * GUARD_BYTES);
  result->whole = whole;
  result->size = size;
  result->host = result->whole + GUARD_BYTES;
  result->device = device + GUARD_BYTES;
  check_result_poison (result);
}

void
check_result_poison (CheckResult * result)
{
  check_random_fill (result->host, result->size);
}

gboolean
check_result_intact (const CheckResult * result)
{
  for (gsize i = 0; i < GUARD_BYTES; i++) {
    if (result->whole[i] != GUARD_BYTE
        || result->whole[GUARD_BYTES + result->size + i] != GUARD_BYTE)
      return FALSE;
  }
  return TRUE;
}

void
check_result_clear (CheckResult * result)
{
  CHECK_CALL (cuMemFreeHost (result->whole));
}

gboolean
check_is_zero (CheckCase * c, const gchar * what, CUdeviceptr memory,
    gsize size)
{
  guint8 *bytes = g_malloc (MAX (size, 1));
  gsize i = 0;

  check_copy_from (bytes, memory, size);
  while (i < size && bytes[i] == 0)
    i++;
  g_free (bytes);
  return i == size || check_fail (c, "byte %zu of %s was left behind", i, what);
}

/* ---- Limits --------------------------------------------------------------------------- */

HistoCudaLimits
check_limits (gint compute_capability, gint n_multiprocessors,
    gint shared_memory)
{
  HistoCudaLimits limits = {
    .compute_capability = compute_capability,
    .n_multiprocessors = n_multiprocessors,
    .shared_memory_per_block = MIN (shared_memory,
        check_device.kernels.limits.shared_memory_per_block),
  };

  return limits;
}

HistoCudaLimits
check_random_limits (void)
{
  static const gint multiprocessors[] = { 1, 1, 2, 3, 4, 7, 32 };
  const gint least = 4 * 256 * sizeof (guint32);
  HistoCudaLimits limits =
      check_profiles[check_random (CHECK_N_PROFILES)].limits;
  gint shared_memory = limits.shared_memory_per_block;

  if (check_chance (8))
    return check_device.kernels.limits;
  /* So small that even few bins have few copies; but never less than four components of
   * 8 bits need, which the kernels count on. */
  if (check_chance (3))
    shared_memory = least + check_random ((check_chance (2) ? 8192 :
            shared_memory - least));
  limits.n_multiprocessors =
      multiprocessors[check_random (G_N_ELEMENTS (multiprocessors))];
  limits.shared_memory_per_block = MIN (shared_memory,
      check_device.kernels.limits.shared_memory_per_block);
  return limits;
}
