/* The kernels, loaded and launched: from a task to blocks on a stream.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "cuda-kernels.h"

/* kernels/histo.cu, compiled. */
extern const unsigned long long histo_fatbin[];

#define CHECK(kernels, call, error) \
  histo_driver_check ((kernels)->driver, (kernels)->driver->call, #call, error)

static gboolean
read_limits (HistoKernels * kernels, GError ** error)
{
  HistoDeviceLimits *limits = &kernels->limits;
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
load_kernel (HistoKernels * kernels, CUfunction * function, const gchar * name,
    GError ** error)
{
  return CHECK (kernels, cuModuleGetFunction (function, kernels->module, name),
      error)
      && CHECK (kernels, cuFuncSetAttribute (*function,
          CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
          kernels->limits.shared_memory_per_block - HISTO_SHARED_RESERVE),
      error);
}

static gboolean
load_module (HistoKernels * kernels, GError ** error)
{
  if (CHECK (kernels, cuModuleLoadData (&kernels->module, histo_fatbin), error))
    return TRUE;
  g_prefix_error (error, "The kernels do not load (the driver may be older than "
      "the CUDA toolkit that they were built with, or the GPU than sm_75): ");
  return FALSE;
}

/**
 * histo_kernels_load:
 *
 * Loads the kernels into the current context. To be unloaded there, also when this
 * fails.
 */
gboolean
histo_kernels_load (HistoKernels * kernels, const HistoDriver * driver,
    GError ** error)
{
  memset (kernels, 0, sizeof *kernels);
  kernels->driver = driver;
  return read_limits (kernels, error) && load_module (kernels, error)
      && load_kernel (kernels, &kernels->count_frame,
      "cudahisto_count_frame", error)
      && load_kernel (kernels, &kernels->measure_audio,
      "cudahisto_measure_audio", error);
}

void
histo_kernels_unload (HistoKernels * kernels)
{
  if (kernels->module != NULL)
    CHECK (kernels, cuModuleUnload (kernels->module), NULL);
  kernels->module = NULL;
}

/* ---- Memory that a launch needs -------------------------------------------------- */

/* Bytes of device memory that must be zero before the first launch with it; each
 * launch leaves it so. Not to be shared by launches that may overlap. */
gsize
histo_kernels_video_scratch (const HistoKernels * kernels,
    const HistoFormat * format)
{
  return format->n_bins * sizeof (guint64) +
      HISTO_MAX_PLANES * sizeof (guint32);
}

gsize
histo_kernels_audio_scratch (const HistoKernels * kernels, guint n_channels,
    guint n_bins)
{
  /* The counters, and a ticket for each channel. */
  return (gsize) n_channels *(n_bins + 1) * sizeof (guint32);
}

/* Bytes of device memory for the blocks' totals, of any content. */
gsize
histo_kernels_audio_partials (const HistoKernels * kernels, guint n_channels)
{
  return (gsize) n_channels * histo_tune_audio_max_blocks (&kernels->limits,
      n_channels) * sizeof (HistoTotals);
}

/* ---- Launches ----------------------------------------------------------------------- */

/* Rows without gaps between them are one long row: the kernel's fast path then has
 * but one end. */
static void
join_rows (HistoPlane * plane)
{
  guint64 row_bytes = (guint64) plane->periods * plane->period_bytes;
  guint64 periods = (guint64) plane->periods * plane->rows;

  if (plane->full_periods != plane->periods
      || plane->stride != (gint64) row_bytes || periods > G_MAXUINT32)
    return;
  plane->periods = plane->full_periods = periods;
  for (guint i = 0; i < plane->n_samples; i++)
    plane->samples[i].count = periods;
  plane->rows = 1;
  /* Of no account any more; what matters is where the row begins. */
  plane->stride = 0;
}

/**
 * histo_kernels_launch_video:
 * @task: with planes, n_bins, scratch and result; the rest is filled in
 */
gboolean
histo_kernels_launch_video (const HistoKernels * kernels,
    HistoVideoTask * task, CUstream stream, GError ** error)
{
  void *parameters[] = { task };
  HistoLaunch launch;

  for (guint p = 0; p < task->n_planes; p++)
    join_rows (&task->planes[p]);
  launch = histo_tune_video (&kernels->limits, task);
  return CHECK (kernels, cuLaunchKernel (kernels->count_frame, launch.blocks, 1,
          1, launch.threads, 1, 1, launch.shared_bytes, stream, parameters,
          NULL), error);
}

/**
 * histo_kernels_launch_audio:
 * @task: with all but copies_log2, which is filled in
 */
gboolean
histo_kernels_launch_audio (const HistoKernels * kernels,
    HistoAudioTask * task, CUstream stream, GError ** error)
{
  HistoLaunch launch = histo_tune_audio (&kernels->limits, task);
  void *parameters[] = { task };

  return CHECK (kernels, cuLaunchKernel (kernels->measure_audio, launch.blocks,
          launch.channel_blocks, 1, launch.threads, 1, 1, launch.shared_bytes,
          stream, parameters, NULL), error);
}
