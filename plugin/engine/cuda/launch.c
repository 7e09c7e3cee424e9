/* The kernels, loaded and launched: from a task to blocks on a stream.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/launch.h"

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
      error);
}

/* One with counters in dynamic shared memory. */
static gboolean
load_counting_kernel (HistoKernels * kernels, CUfunction * function,
    const gchar * name, GError ** error)
{
  return load_kernel (kernels, function, name, error)
      && CHECK (kernels, cuFuncSetAttribute (*function,
          CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
          kernels->limits.shared_memory_per_block - HISTO_SHARED_RESERVE),
      error);
}

static gboolean
load_families (HistoKernels * kernels, GError ** error)
{
#define COUNT(name, threads) "cudahisto_count_" #name,
#define MEASURE(name, vectors, threads) "cudahisto_measure_" #name,
  static const gchar *const count[] = { HISTO_COUNT_KERNELS (COUNT) };
  static const gchar *const measure[] = { HISTO_VECTOR_KERNELS (MEASURE) };
#undef COUNT
#undef MEASURE

  for (guint i = 0; i < HISTO_N_COUNT_KERNELS; i++) {
    if (!load_counting_kernel (kernels, &kernels->count[i], count[i], error))
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
load_module (HistoKernels * kernels, GError ** error)
{
  if (CHECK (kernels, cuModuleLoadData (&kernels->module, histo_fatbin), error))
    return TRUE;
  g_prefix_error (error, "The kernels do not load (the driver may be older than "
      "the CUDA toolkit that they were built with, or the GPU than sm_75): ");
  return FALSE;
}

/* What the kernels were compiled for counts, not what the device is: a later one may run what was
 * compiled for an earlier one. */
static gboolean
find_whether_sums_wait (HistoKernels * kernels, GError ** error)
{
  gint version = 0;

  if (!CHECK (kernels, cuFuncGetAttribute (&version,
              CU_FUNC_ATTRIBUTE_PTX_VERSION, kernels->sum_frame), error))
    return FALSE;
  kernels->sums_wait = version >= 90;
  return TRUE;
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
      && load_families (kernels, error)
      && load_kernel (kernels, &kernels->sum_frame, "cudahisto_sum_frame",
      error)
      && load_counting_kernel (kernels, &kernels->measure_samples,
      "cudahisto_measure_samples", error)
      && load_kernel (kernels, &kernels->sum_audio, "cudahisto_sum_audio",
      error)
      && find_whether_sums_wait (kernels, error);
}

void
histo_kernels_unload (HistoKernels * kernels)
{
  if (kernels->module != NULL)
    CHECK (kernels, cuModuleUnload (kernels->module), NULL);
  kernels->module = NULL;
}

/* ---- Memory that a launch needs -------------------------------------------------- */

/* Tables follow what is before them at the next multiple of this. */
#define TABLE_ALIGNMENT 16

static gsize
align_table (gsize size)
{
  return (size + TABLE_ALIGNMENT - 1) & ~(gsize) (TABLE_ALIGNMENT - 1);
}

/* Bytes of device memory that must be zero before the first launch with it; each
 * launch leaves the counters at its begin so, histo_kernels_video_counters() bytes. Not to
 * be shared by launches that may overlap. */
gsize
histo_kernels_video_scratch (const HistoKernels * kernels,
    const HistoFormat * format)
{
  return align_table (histo_kernels_video_counters (kernels, format)) +
      histo_tune_video_tables (&kernels->limits, format);
}

gsize
histo_kernels_video_counters (const HistoKernels * kernels,
    const HistoFormat * format)
{
  return histo_tune_video_sums (&kernels->limits, format->n_bins);
}

/* Where the halves are in a result of so many bins. */
static gsize
halves_offset (guint32 n_bins)
{
  return align_table (n_bins * sizeof (guint32));
}

/* Bytes of page-locked memory for the result: the counters of all components, and what
 * histo_kernels_finish_video() makes some of them of. */
gsize
histo_kernels_video_result (const HistoKernels * kernels,
    const HistoFormat * format)
{
  gsize size = format->n_bins * sizeof (guint32);

  for (guint c = 0; c < format->n_components; c++) {
    if (histo_tune_is_packed (&kernels->limits, format, c))
      size = halves_offset (format->n_bins) + (c + 1) * sizeof (HistoHalves);
  }
  return size;
}

/* The counters of a group's bins of either half of all. */
static void
join_halves (const HistoHalves * halves, guint group, guint first_bin,
    guint32 * restrict counters)
{
  const guint16 *low = halves->low + first_bin;
  const guint16 *high = halves->high + first_bin;

  counters += first_bin;
  if (halves->has_high[group]) {
    for (guint i = 0; i < HISTO_HALVES_GROUP; i++)
      counters[i] = low[i] | (guint32) high[i] << 16;
  } else {
    for (guint i = 0; i < HISTO_HALVES_GROUP; i++)
      counters[i] = low[i];
  }
}

/**
 * histo_kernels_finish_video:
 * @result: histo_kernels_video_result() bytes, once the launch is done
 *
 * Leaves all counters at the begin of the result.
 */
void
histo_kernels_finish_video (const HistoKernels * kernels,
    const HistoFormat * format, guint32 * result)
{
  const HistoHalves *halves = (const HistoHalves *)
      ((const guint8 *) result + halves_offset (format->n_bins));

  for (guint c = 0; c < format->n_components; c++) {
    if (!histo_tune_is_packed (&kernels->limits, format, c))
      continue;
    for (guint g = 0; g < HISTO_N_HALVES_GROUPS; g++) {
      join_halves (&halves[c], g, g * HISTO_HALVES_GROUP,
          result + format->components[c].first_bin);
      join_halves (&halves[c], g,
          HISTO_PACKED_BINS / 2 + g * HISTO_HALVES_GROUP,
          result + format->components[c].first_bin);
    }
  }
}

/* A table of counters, and the ticket of the last block. */
gsize
histo_kernels_audio_scratch (const HistoKernels * kernels, guint n_channels,
    guint n_bins)
{
  return histo_audio_table_bytes (n_channels, n_bins) + TABLE_ALIGNMENT;
}

static gsize
partials_bytes (const HistoKernels * kernels, guint n_channels)
{
  return align_table ((gsize) n_channels *
      histo_tune_audio_max_blocks (&kernels->limits, n_channels) *
      sizeof (HistoTotals));
}

/* Bytes of device memory, of any content, for what the blocks hand on. */
gsize
histo_kernels_audio_partials (const HistoKernels * kernels, guint n_channels,
    guint n_bins)
{
  return partials_bytes (kernels, n_channels) +
      histo_tune_audio_tables (&kernels->limits, n_channels, n_bins);
}

/* ---- Launches ----------------------------------------------------------------------- */

/* Rows without gaps between them are one long row: the kernel's fast path then has
 * but one end. A thread's next period must still be a number of 32 bits. */
static void
join_rows (HistoPlane * plane)
{
  guint64 row_bytes = (guint64) plane->periods * plane->period_bytes;
  guint64 periods = (guint64) plane->periods * plane->rows;

  if (plane->full_periods != plane->periods
      || plane->stride != (gint64) row_bytes || periods > G_MAXINT32)
    return;
  plane->periods = plane->full_periods = periods;
  for (guint i = 0; i < plane->n_samples; i++)
    plane->samples[i].count = periods;
  plane->rows = 1;
  /* Of no account any more; what matters is where the row begins. */
  plane->stride = 0;
}

/* If there is anything to launch. */
static gboolean
launch_kernel (const HistoKernels * kernels, CUfunction function,
    const HistoLaunch * launch, void *task, CUstream stream, GError ** error)
{
  void *parameters[] = { task };

  return launch->blocks == 0 || CHECK (kernels, cuLaunchKernel (function,
          launch->blocks, launch->channel_blocks, launch->buffers,
          launch->threads, 1, 1, launch->shared_bytes, stream, parameters,
          NULL), error);
}

/* The same, of a kernel that waits by itself for the launch before it, where it was compiled
 * for a device that knows how to: then it is made ready before that one has ended. (That one
 * does not ask for more: blocks that take their places while it counts slow it down.) */
static gboolean
launch_following_kernel (const HistoKernels * kernels, CUfunction function,
    const HistoLaunch * launch, void *task, CUstream stream, GError ** error)
{
  void *parameters[] = { task };
  CUlaunchAttribute attribute = {
    .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
    .value.programmaticStreamSerializationAllowed = 1,
  };
  CUlaunchConfig config = {
    .gridDimX = launch->blocks,
    .gridDimY = launch->channel_blocks,
    .gridDimZ = launch->buffers,
    .blockDimX = launch->threads,
    .blockDimY = 1,
    .blockDimZ = 1,
    .sharedMemBytes = launch->shared_bytes,
    .hStream = stream,
    .attrs = &attribute,
    .numAttrs = 1,
  };

  if (!kernels->sums_wait)
    return launch_kernel (kernels, function, launch, task, stream, error);
  return launch->blocks == 0 || CHECK (kernels, cuLaunchKernelEx (&config,
          function, parameters, NULL), error);
}

/**
 * histo_kernels_launch_video:
 * @task: with planes, n_bins, scratch and result; the rest is filled in
 *
 * The result is complete after histo_kernels_finish_video().
 */
gboolean
histo_kernels_launch_video (const HistoKernels * kernels,
    HistoVideoTask * task, CUstream stream, GError ** error)
{
  HistoVideoLaunches launches;

  for (guint p = 0; p < task->n_planes; p++)
    join_rows (&task->planes[p]);
  histo_tune_video (&kernels->limits, task, &launches);
  task->tables = align_table (task->scratch +
      histo_tune_video_sums (&kernels->limits, task->n_bins));
  task->halves = task->result + halves_offset (task->n_bins);
  for (guint i = 0; i < HISTO_N_COUNT_KERNELS; i++) {
    if (!launch_kernel (kernels, kernels->count[i], &launches.count[i], task,
            stream, error))
      return FALSE;
  }
  return launch_following_kernel (kernels, kernels->sum_frame, &launches.sum,
      task, stream, error);
}

/* Whether the task's buffers, and others of which this is true, can share a launch; the
 * task as for the launch. */
gboolean
histo_kernels_can_gather (const HistoKernels * kernels, HistoAudioTask * task)
{
  HistoAudioLaunches launches;

  histo_tune_audio (&kernels->limits, task, &launches);
  return launches.can_gather;
}

/**
 * histo_kernels_launch_audio:
 * @task: with buffers, layout, binning and memory; the rest is filled in
 *
 * Measures several buffers by one launch where each is small enough, else does nothing
 * for them; a single one always.
 */
gboolean
histo_kernels_launch_audio (const HistoKernels * kernels,
    HistoAudioTask * task, CUstream stream, GError ** error)
{
  HistoAudioLaunches launches;

  histo_tune_audio (&kernels->limits, task, &launches);
  if (task->n_buffers > 1 && !launches.can_gather) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "%u buffers are too large for one launch", task->n_buffers);
    return FALSE;
  }
  if (launches.leaves_tables)
    task->tables = task->partials + partials_bytes (kernels,
        task->n_channels);
  else
    task->tables = 0;
  task->ticket = launches.ends_in_one ? task->scratch
      + histo_audio_table_bytes (task->n_channels, task->binning.n_bins) : 0;
  return launch_kernel (kernels, task->path == HISTO_AUDIO_BY_VECTOR ?
      kernels->measure_vectors[launches.vector_kernel] :
      kernels->measure_samples, &launches.measure, task, stream, error)
      && launch_following_kernel (kernels, kernels->sum_audio, &launches.sum,
      task, stream, error);
}
