/* The kernels in one context: loading them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/kernels.h"

#include <string.h>

/* kernels/histo.cu, compiled. */
extern const unsigned long long histo_fatbin[];

#define CHECK(kernels, call, error) \
  HISTO_DRIVER_CHECK ((kernels)->driver, call, error)

static gboolean
read_limits (HistoCudaKernels * kernels, GError ** error)
{
  HistoCudaLimits *limits = &kernels->limits;
  CUdevice device;
  gint major = 0, minor = 0;
  struct
  {
    gint *value;
    CUdevice_attribute attribute;
  } wanted[] = {
    {&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
    {&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
    {&limits->n_multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    {&limits->shared_memory_per_block,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
    {&limits->threads_per_multiprocessor,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
    {&limits->shared_memory_per_multiprocessor,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
    {&limits->shared_memory_of_system,
        CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK},
    {&limits->is_integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED},
    {&limits->uses_host_page_tables,
        CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES},
  };

  if (!CHECK (kernels, cuCtxGetDevice (&device), error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++) {
    if (!CHECK (kernels, cuDeviceGetAttribute (wanted[i].value,
                wanted[i].attribute, device), error))
      return FALSE;
  }
  limits->compute_capability = 10 * major + minor;
  return TRUE;
}

static gboolean
load_kernel (HistoCudaKernels * kernels, CUfunction * function,
    const gchar * name, GError ** error)
{
  return CHECK (kernels, cuModuleGetFunction (function, kernels->module, name),
      error);
}

/* Loads a kernel that has counters in dynamic shared memory: all that is not static. */
static gboolean
load_counting_kernel (HistoCudaKernels * kernels, CUfunction * function,
    const gchar * name, GError ** error)
{
  gint static_bytes = 0;

  return load_kernel (kernels, function, name, error)
      && CHECK (kernels, cuFuncGetAttribute (&static_bytes,
          CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, *function), error)
      && CHECK (kernels, cuFuncSetAttribute (*function,
          CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
          kernels->limits.shared_memory_per_block - static_bytes), error);
}

/* Loads the kernels that kernels/families.h, kernels/launch.h and kernels/maps-launch.h list. */
static gboolean
load_listed_kernels (HistoCudaKernels * kernels, GError ** error)
{
#define COUNT(name, threads) "cudahisto_count_" #name,
#define MAP(name, threads) "cudahisto_map_" #name,
#define MEASURE(name, threads) "cudahisto_measure_" #name,
  static const gchar *const count[] = { HISTO_COUNT_KERNELS (COUNT) };
  static const gchar *const map[] = { HISTO_MAPS_KERNELS (MAP) };
  static const gchar *const measure[] = { HISTO_VECTOR_KERNELS (MEASURE) };
#undef COUNT
#undef MAP
#undef MEASURE

  for (guint i = 0; i < HISTO_N_COUNT_KERNELS; i++) {
    if (!load_counting_kernel (kernels, &kernels->count[i], count[i], error))
      return FALSE;
  }
  for (guint i = 0; i < HISTO_N_MAPS_KERNELS; i++) {
    if (!load_counting_kernel (kernels, &kernels->map[i], map[i], error))
      return FALSE;
  }
  for (guint i = 0; i < HISTO_N_VECTOR_KERNELS; i++) {
    if (!load_counting_kernel (kernels, &kernels->measure_vectors[i],
            measure[i], error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
load_module (HistoCudaKernels * kernels, GError ** error)
{
  if (CHECK (kernels, cuModuleLoadData (&kernels->module, histo_fatbin), error))
    return TRUE;
  g_prefix_error (error, "The kernels do not load (the driver may be older than "
      "the CUDA toolkit that they were built with, or the GPU than sm_75): ");
  return FALSE;
}

/* This depends on the architecture that the kernels were compiled for, not on the device: a
 * later device may run code for an earlier architecture. */
static gboolean
find_whether_sums_wait (HistoCudaKernels * kernels, GError ** error)
{
  gint version = 0;

  if (!CHECK (kernels, cuFuncGetAttribute (&version,
              CU_FUNC_ATTRIBUTE_PTX_VERSION, kernels->sum_frame), error))
    return FALSE;
  kernels->sums_wait = version >= 90;
  return TRUE;
}

/**
 * histo_cuda_kernels_load:
 * @kernels: (out):
 *
 * Loads the kernels into the current context. The caller unloads them in the same context,
 * also if this fails.
 */
gboolean
histo_cuda_kernels_load (HistoCudaKernels * kernels,
    const HistoDriver * driver, GError ** error)
{
  memset (kernels, 0, sizeof *kernels);
  kernels->driver = driver;
  return read_limits (kernels, error) && load_module (kernels, error)
      && load_listed_kernels (kernels, error)
      && load_kernel (kernels, &kernels->sum_frame, "cudahisto_sum_frame",
      error)
      && load_kernel (kernels, &kernels->extract, "cudahisto_extract", error)
      && load_counting_kernel (kernels, &kernels->measure_samples,
      "cudahisto_measure_samples", error)
      && load_kernel (kernels, &kernels->sum_audio, "cudahisto_sum_audio",
      error)
      && find_whether_sums_wait (kernels, error);
}

void
histo_cuda_kernels_unload (HistoCudaKernels * kernels)
{
  if (kernels->module != NULL)
    CHECK (kernels, cuModuleUnload (kernels->module), NULL);
  kernels->module = NULL;
}
