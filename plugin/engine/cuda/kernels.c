/* The kernels in a context: loading them, and sharing them among the engines in the context.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/kernels.h"

#include <pthread.h>
#include <string.h>

/* kernels/histo.cu, compiled. */
extern const unsigned long long histo_fatbin[];

#define CHECK(kernels, call, error) \
  HISTO_DRIVER_CHECK ((kernels)->driver, call, error)

/* ---- Loading --------------------------------------------------------------------------- */

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

/* Loads the kernels that kernels/families.h, kernels/launch.h, kernels/strip-launch.h and kernels/compare-launch.h
 * list. */
static gboolean
load_listed_kernels (HistoCudaKernels * kernels, GError ** error)
{
#define COUNT(name, threads) "cudahisto_count_" #name,
#define STRIP(name, ...) "cudahisto_strip_" #name,
#define MEASURE(name, threads) "cudahisto_measure_" #name,
#define COMPARE(name, samples) "cudahisto_compare_" #name,
  static const gchar *const count[] = { HISTO_COUNT_KERNELS (COUNT) };
  static const gchar *const strip[] = { HISTO_REGION_KERNELS (STRIP) };
  static const gchar *const measure[] = { HISTO_VECTOR_KERNELS (MEASURE) };
  static const gchar *const compare[] = { HISTO_COMPARE_KERNELS (COMPARE) };
#undef COUNT
#undef STRIP
#undef MEASURE
#undef COMPARE

  for (guint i = 0; i < HISTO_N_COUNT_KERNELS; i++) {
    if (!load_counting_kernel (kernels, &kernels->count[i], count[i], error))
      return FALSE;
  }
  for (guint i = 0; i < HISTO_N_REGION_KERNELS; i++) {
    if (!load_counting_kernel (kernels, &kernels->strip[i], strip[i], error))
      return FALSE;
  }
  for (guint i = 0; i < HISTO_N_VECTOR_KERNELS; i++) {
    if (!load_counting_kernel (kernels, &kernels->measure_vectors[i],
            measure[i], error))
      return FALSE;
  }
  for (guint i = 0; i < HISTO_N_COMPARE_KERNELS; i++) {
    if (!load_kernel (kernels, &kernels->compare[i], compare[i], error))
      return FALSE;
  }
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
  gint version = 0;

  memset (kernels, 0, sizeof *kernels);
  kernels->driver = driver;
  if (!read_limits (kernels, error))
    return FALSE;
  if (!CHECK (kernels, cuModuleLoadData (&kernels->module, histo_fatbin),
          error)) {
    g_prefix_error (error, "The kernels do not load (the driver may be older "
        "than the CUDA toolkit that they were built with, or the GPU than "
        "sm_75): ");
    return FALSE;
  }
  if (!load_listed_kernels (kernels, error)
      || !load_kernel (kernels, &kernels->sum_frame, "cudahisto_sum_frame",
          error)
      || !load_kernel (kernels, &kernels->mask, "cudahisto_mask", error)
      || !load_counting_kernel (kernels, &kernels->masked, "cudahisto_masked", error)
      || !load_kernel (kernels, &kernels->extract, "cudahisto_extract", error)
      || !load_kernel (kernels, &kernels->extract_planes, "cudahisto_extract_planes", error)
      || !load_kernel (kernels, &kernels->xpsnr_bytes, "cudahisto_xpsnr_bytes", error)
      || !load_kernel (kernels, &kernels->xpsnr_words, "cudahisto_xpsnr_words", error)
      || !load_kernel (kernels, &kernels->sum_owned, "cudahisto_sum_owned",
          error)
      || !load_kernel (kernels, &kernels->sum_scopes, "cudahisto_sum_scopes",
          error)
      || !load_counting_kernel (kernels, &kernels->measure_samples,
          "cudahisto_measure_samples", error)
      || !load_kernel (kernels, &kernels->sum_audio, "cudahisto_sum_audio",
          error)
      || !CHECK (kernels, cuFuncGetAttribute (&version,
              CU_FUNC_ATTRIBUTE_PTX_VERSION, kernels->sum_frame), error))
    return FALSE;
  /* This depends on the architecture that the kernels were compiled for, not on the device: a
   * later device may run code for an earlier architecture. */
  kernels->sums_wait = version >= 90;
  return TRUE;
}

void
histo_cuda_kernels_unload (HistoCudaKernels * kernels)
{
  if (kernels->module != NULL)
    CHECK (kernels, cuModuleUnload (kernels->module), NULL);
  kernels->module = NULL;
}

/* ---- Sharing --------------------------------------------------------------------------- */

typedef enum
{
  LOADING,                      /* one thread loads; others wait for `changed` */
  LOADED,
  FAILED
} State;

typedef struct
{
  HistoCudaKernels kernels;     /* the first field: users have its address */
  unsigned long long context;   /* the number of the context */
  guint n_users;                /* also those that wait */
  State state;
  GError *error;                /* if FAILED */
} Shared;

/* All under the lock. */
static GMutex lock;
static GCond changed;
static GSList *all;             /* of Shared */

/* fork() copies the lock and the list. */
static void
before_fork (void)
{
  g_mutex_lock (&lock);
}

static void
after_fork_in_parent (void)
{
  g_mutex_unlock (&lock);
}

/* The threads that load or wait do not exist in the child, and CUDA contexts are not inherited. */
static void
after_fork_in_child (void)
{
  g_clear_pointer (&all, g_slist_free);
  g_cond_init (&changed);
  g_mutex_unlock (&lock);
}

static Shared *
find (unsigned long long context)
{
  for (GSList * l = all; l != NULL; l = l->next) {
    Shared *shared = l->data;

    if (shared->context == context)
      return shared;
  }
  return NULL;
}

/* Call it under the lock. Returns whether there is no user left. The caller then frees @shared. */
static gboolean
drop (Shared * shared)
{
  if (--shared->n_users > 0)
    return FALSE;
  all = g_slist_remove (all, shared);
  return TRUE;
}

static void
free_shared (Shared * shared)
{
  g_clear_error (&shared->error);
  g_free (shared);
}

/* Waits until the load has ended. Call it under the lock. */
static gboolean
wait_for_load (Shared * shared, GError ** error)
{
  while (shared->state == LOADING)
    g_cond_wait (&changed, &lock);
  if (shared->state == LOADED)
    return TRUE;
  g_propagate_error (error, g_error_copy (shared->error));
  if (drop (shared))
    free_shared (shared);
  return FALSE;
}

/* Loads the kernels without the lock, so that engines in other contexts need not wait. */
static gboolean
load_shared (Shared * shared, const HistoDriver * driver, GError ** error)
{
  GError *failure = NULL;
  const gboolean ok = histo_cuda_kernels_load (&shared->kernels, driver,
      &failure);

  if (!ok)
    histo_cuda_kernels_unload (&shared->kernels);
  g_mutex_lock (&lock);
  shared->state = ok ? LOADED : FAILED;
  shared->error = failure;
  /* An engine that comes from now on tries again. */
  if (!ok)
    all = g_slist_remove (all, shared);
  g_cond_broadcast (&changed);
  return wait_for_load (shared, error);
}

const HistoCudaKernels *
histo_cuda_kernels_share (const HistoDriver * driver, GError ** error)
{
  static gsize handles_forks = 0;
  unsigned long long context;
  Shared *shared;
  gboolean ok;

  if (g_once_init_enter (&handles_forks)) {
    pthread_atfork (before_fork, after_fork_in_parent, after_fork_in_child);
    g_once_init_leave (&handles_forks, 1);
  }
  if (!HISTO_DRIVER_CHECK (driver, cuCtxGetId (NULL, &context), error))
    return NULL;
  g_mutex_lock (&lock);
  shared = find (context);
  if (shared != NULL) {
    shared->n_users++;
    ok = wait_for_load (shared, error);
  } else {
    shared = g_new0 (Shared, 1);
    shared->context = context;
    shared->n_users = 1;
    all = g_slist_prepend (all, shared);
    g_mutex_unlock (&lock);
    ok = load_shared (shared, driver, error);
  }
  g_mutex_unlock (&lock);
  return ok ? &shared->kernels : NULL;
}

void
histo_cuda_kernels_release (const HistoCudaKernels * kernels)
{
  Shared *shared = (Shared *) kernels;
  unsigned long long context;
  gboolean is_last;

  if (shared == NULL)
    return;
  g_mutex_lock (&lock);
  is_last = drop (shared);
  g_mutex_unlock (&lock);
  if (!is_last)
    return;
  /* If another context is current, that of the kernels was destroyed, and the module with it. */
  if (kernels->driver->cuCtxGetId (NULL, &context) != CUDA_SUCCESS
      || context == shared->context)
    histo_cuda_kernels_unload (&shared->kernels);
  free_shared (shared);
}
