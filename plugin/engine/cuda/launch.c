/* Launches the kernels, and writes the plans of launches to the log.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/launch.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

#define CHECK(kernels, call, error) \
  HISTO_DRIVER_CHECK ((kernels)->driver, call, error)

/* ---- Launching ------------------------------------------------------------------------ */

/* Launches a kernel, unless its grid has no blocks. */
static gboolean
launch_kernel (const HistoCudaKernels * kernels, CUfunction function,
    const HistoCudaGrid * grid, void *launch, CUstream stream, GError ** error)
{
  void *parameters[] = { launch };

  return grid->blocks == 0 || CHECK (kernels, cuLaunchKernel (function,
          grid->blocks, grid->channel_blocks, grid->buffers,
          grid->threads, 1, 1, grid->shared_bytes, stream, parameters,
          NULL), error);
}

/* Launches a second kernel, unless its grid has no blocks. If the kernel waits by itself, the
 * device prepares it before the first kernel has ended. The first kernel does not trigger it
 * earlier: its blocks would slow the counting down. */
static gboolean
launch_second_kernel (const HistoCudaKernels * kernels, CUfunction function,
    const HistoCudaGrid * grid, void *launch, CUstream stream, GError ** error)
{
  void *parameters[] = { launch };
  CUlaunchAttribute attribute = {
    .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
    .value.programmaticStreamSerializationAllowed = 1,
  };
  CUlaunchConfig config = {
    .gridDimX = grid->blocks,
    .gridDimY = grid->channel_blocks,
    .gridDimZ = grid->buffers,
    .blockDimX = grid->threads,
    .blockDimY = 1,
    .blockDimZ = 1,
    .sharedMemBytes = grid->shared_bytes,
    .hStream = stream,
    .attrs = &attribute,
    .numAttrs = 1,
  };

  if (!kernels->sums_wait)
    return launch_kernel (kernels, function, grid, launch, stream, error);
  return grid->blocks == 0 || CHECK (kernels, cuLaunchKernelEx (&config,
          function, parameters, NULL), error);
}

/* ---- Video ---------------------------------------------------------------------------- */

/**
 * histo_cuda_launch_video:
 * @launch: has planes, n_planes, n_bins, has_no_halves, scratch and result; this fills in the rest
 *
 * Enqueues the kernels that count a frame. After they have ended,
 * histo_cuda_find_halves() finds the counters of 16-bit components.
 */
gboolean
histo_cuda_launch_video (const HistoCudaKernels * kernels,
    HistoVideoLaunch * launch, CUstream stream, GError ** error)
{
  HistoCudaVideoPlan plan;

  histo_cuda_plan_video (&kernels->limits, launch, &plan);
  for (guint i = 0; i < HISTO_N_COUNT_KERNELS; i++) {
    if (!launch_kernel (kernels, kernels->count[i], &plan.count[i], launch,
            stream, error))
      return FALSE;
  }
  return launch_second_kernel (kernels, kernels->sum_frame, &plan.sum,
      launch, stream, error);
}

/**
 * histo_cuda_find_halves:
 * @n_bins: as in the launch
 * @result: histo_cuda_plan_video_result() bytes, after the launch has ended: the counters of all
 *   components without halves are at its start
 * @halves: (out): for each component with a packed copy what the launch has left; NULL for the
 *   others
 */
void
histo_cuda_find_halves (const HistoCudaKernels * kernels,
    const HistoFormat * format, guint32 n_bins, guint32 * result,
    HistoHalves * halves[HISTO_MAX_COMPONENTS])
{
  HistoHalves *first = (HistoHalves *)
      ((guint8 *) result + histo_cuda_plan_halves_offset (n_bins));

  for (guint c = 0; c < HISTO_MAX_COMPONENTS; c++) {
    halves[c] = NULL;
    if (c < format->n_components
        && histo_cuda_plan_is_packed (&kernels->limits, format, c)) {
      halves[c] = &first[c];
      halves[c]->is_joined = FALSE;
    }
  }
}

/* ---- Masks ---------------------------------------------------------------------------- */

/**
 * histo_cuda_launch_mask:
 * @alpha: of a mask of alpha, the component; else -1
 *
 * Enqueues the kernel that writes a copy of the frame in which the samples that take no part are 0.
 */
gboolean
histo_cuda_launch_mask (const HistoCudaKernels * kernels,
    const HistoFormat * format, gint alpha, const HistoCudaMaskFrame * frame,
    CUstream stream, GError ** error)
{
  HistoMaskLaunch launch;
  HistoCudaGrid grid;

  histo_cuda_plan_mask (format, alpha, frame, &launch, &grid);
  return launch_kernel (kernels, kernels->mask, &grid, &launch, stream, error);
}

/* Enqueues the kernels that count what the plan has of the samples and pixels that take part. */
gboolean
histo_cuda_launch_masked (const HistoCudaKernels * kernels,
    const HistoPlan * plan, const HistoCudaMaskedFrame * frame,
    CUstream stream, GError ** error)
{
  HistoMaskedLaunch launch;
  HistoCudaGrid grid;

  for (guint r = 0; r < histo_plan_used_regions (plan, frame->info); r += HISTO_STRIP_REGIONS) {
    histo_cuda_plan_masked (&kernels->limits, plan, frame, r, &launch, &grid);
    if (!launch_kernel (kernels, kernels->masked, &grid, &launch, stream, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- Groups and regions ----------------------------------------------------------------------------- */

/* Enqueues the kernels that count the joint components, if there are some. The next launch begins while their counts are on
 * their way to the host. */
static gboolean
launch_scopes (const HistoCudaKernels * kernels, const HistoCudaGroupsPlan * groups, const HistoCudaGroupsFrame * frame,
    gboolean * overlaps, CUstream stream, GError ** error)
{
  HistoStripLaunch launch;
  HistoCudaGrid grid, sum;
  guint kernel;

  if (!histo_cuda_plan_scopes_frame (groups, frame, &launch, &grid, &kernel, &sum))
    return TRUE;
  if (!(*overlaps ? launch_second_kernel : launch_kernel) (kernels, kernels->strip[kernel], &grid, &launch, stream, error)
      || !launch_second_kernel (kernels, kernels->sum_scopes, &sum, &launch, stream, error))
    return FALSE;
  *overlaps = TRUE;
  return TRUE;
}

/**
 * histo_cuda_launch_groups:
 * @overlaps: whether the launch before these on the stream is that of
 *   histo_cuda_launch_video() for the same frame
 *
 * Enqueues the kernels that evaluate the groups of a frame. They use no result of the kernels that
 * count its samples, and with @overlaps they may begin before those have ended. If
 * groups->counts_samples is set there are no such kernels, and @overlaps is FALSE.
 */
gboolean
histo_cuda_launch_groups (const HistoCudaKernels * kernels,
    const HistoCudaGroupsPlan * groups, const HistoCudaGroupsFrame * frame,
    gboolean overlaps, CUstream stream, GError ** error)
{
  const guint n_regions = histo_plan_used_regions (groups->plan, frame->info);
  HistoExtractLaunch extract;
  HistoStripLaunch launch;
  HistoCudaGrid grid, sum;
  guint kernel;

  if (histo_cuda_plan_extract_frame (groups, frame, &extract, &grid)) {
    overlaps = FALSE;
    if (!launch_kernel (kernels, kernels->extract, &grid, &extract, stream,
            error))
      return FALSE;
  }
  for (guint first = groups->first_region; first < n_regions;
      first += HISTO_STRIP_REGIONS) {
    for (guint check = 0; check < HISTO_CUDA_N_CHECKS; check++) {
      if (!histo_cuda_plan_check_frame (groups, frame, check, first, &launch, &grid, &kernel))
        continue;
      if (!launch_kernel (kernels, kernels->strip[kernel], &grid, &launch, stream, error))
        return FALSE;
      overlaps = FALSE;
    }
    if (first == groups->first_region && !launch_scopes (kernels, groups, frame, &overlaps, stream, error))
      return FALSE;
    if (histo_cuda_plan_owners_frame (groups, frame, first, &launch, &grid, &kernel, &sum)) {
      if (!(overlaps ? launch_second_kernel : launch_kernel) (kernels, kernels->strip[kernel], &grid, &launch, stream,
              error) || !launch_second_kernel (kernels, kernels->sum_owned, &sum, &launch, stream, error))
        return FALSE;
      /* The strip begins while the counts are on their way to the host. */
      overlaps = TRUE;
    }
    for (guint part = 0; part < groups->n_parts; part++) {
      kernel = histo_cuda_plan_groups_frame (groups, frame, part, first, &launch, &grid);
      if (!(overlaps ? launch_second_kernel : launch_kernel) (kernels,
              kernels->strip[kernel], &grid, &launch, stream, error))
        return FALSE;
      overlaps = FALSE;
    }
  }
  /* If there is nothing else, not even a region. */
  return groups->first_region < n_regions || launch_scopes (kernels, groups, frame, &overlaps, stream, error);
}

/* ---- Audio ---------------------------------------------------------------------------- */

/**
 * histo_cuda_can_gather:
 * @launch: as for histo_cuda_launch_audio()
 *
 * Returns: whether these buffers can share a launch with other buffers for which this is
 *   true
 */
gboolean
histo_cuda_can_gather (const HistoCudaKernels * kernels,
    HistoAudioLaunch * launch)
{
  HistoCudaAudioPlan plan;

  histo_cuda_plan_audio (&kernels->limits, launch, &plan);
  return plan.can_gather;
}

/**
 * histo_cuda_launch_audio:
 * @launch: has buffers, n_buffers, sample_stride, n_channels, sample, binning, scratch and
 *   partials; this fills in the rest
 *
 * Enqueues the kernels that measure one buffer or several. With several buffers that cannot
 * share a launch it enqueues nothing and fails.
 */
gboolean
histo_cuda_launch_audio (const HistoCudaKernels * kernels,
    HistoAudioLaunch * launch, CUstream stream, GError ** error)
{
  HistoCudaAudioPlan plan;

  histo_cuda_plan_audio (&kernels->limits, launch, &plan);
  if (launch->n_buffers > 1 && !plan.can_gather) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "%u buffers are too large for one launch", launch->n_buffers);
    return FALSE;
  }
  return launch_kernel (kernels, launch->path == HISTO_AUDIO_BY_VECTOR ?
      kernels->measure_vectors[plan.vector_kernel] :
      kernels->measure_samples, &plan.measure, launch, stream, error)
      && launch_second_kernel (kernels, kernels->sum_audio, &plan.sum,
      launch, stream, error);
}

/* ---- The log -------------------------------------------------------------------------- */

/* A plan is a line for each plane, or one for audio, and one for the second launch. */

static const gchar *
copies_text (guint copies_log2, gchar text[32])
{
  if (copies_log2 == HISTO_PACKED_COPY)
    return "one copy of 16-bit counters";
  if (copies_log2 == HISTO_HALF_COPIES)
    return "32 copies of 16-bit counters";
  if (copies_log2 == HISTO_NO_COPIES)
    return "counters in global memory";
  g_snprintf (text, 32, "%u copies of the counters", 1u << copies_log2);
  return text;
}

static void
log_sum (const HistoCudaGrid * grid, GstElement * element)
{
  if (grid->blocks > 0)
    GST_DEBUG_OBJECT (element, "second launch: %u x %u blocks of %u threads",
        grid->blocks, grid->channel_blocks, grid->threads);
}

void
histo_cuda_plan_log_video (const HistoCudaLimits * limits,
    const HistoVideoLaunch * parameters, GstElement * element)
{
#define NAME(name, threads) #name,
  static const gchar *const names[] = { HISTO_COUNT_KERNELS (NAME) };
#undef NAME
  HistoVideoLaunch launch = *parameters;
  HistoCudaVideoPlan plan;
  gchar text[32];

  histo_cuda_plan_video (limits, &launch, &plan);
  for (guint p = 0; p < launch.n_planes; p++) {
    const HistoPlane *plane = &launch.planes[p];
    const guint kernel = launch.kernels[p];

    GST_DEBUG_OBJECT (element, "plane %u, bins %u to %u: kernel %s, %s, %s, "
        "%u blocks of %u threads, %u bytes of shared memory", p, plane->first_bin,
        plane->first_bin + plane->n_bins - 1, names[kernel],
        launch.units[p].columns > 0 ? "by units" : "sample by sample",
        copies_text (launch.copies_log2[p], text),
        launch.first_block[p + 1] - launch.first_block[p],
        plan.count[kernel].threads, plan.count[kernel].shared_bytes);
    if (kernel == HISTO_COUNT_ranges)
      GST_DEBUG_OBJECT (element, "plane %u: each block counts one of %u ranges of "
          "the bins", p, 1u << launch.ranges_log2);
  }
  log_sum (&plan.sum, element);
}

void
histo_cuda_plan_log_groups (const HistoCudaGroupsPlan * groups, GstElement * element)
{
#define NAME(name, quad, counters, form, all, threads) #name,
  static const gchar *const names[] = { HISTO_REGION_KERNELS (NAME) };
#undef NAME
  for (guint i = 0; i < groups->n_parts; i++)
    GST_DEBUG_OBJECT (element, "groups and regions: kernel %s%s, %u bins of a "
        "region%s; %" G_GSIZE_FORMAT " bytes for a picture",
        names[groups->parts[i].kernel],
        groups->reads_buffers ? "" : " of extracted planes",
        groups->parts[i].n_bins, groups->has_owners ? ", most of which blocks own" :
        groups->counts_samples && groups->launch.n_native_bins == 0 ? ", the picture's samples, too" : "",
        groups->picture_bytes);
  if (groups->plan->n_joints > 0)
    GST_DEBUG_OBJECT (element, "scopes: %u waveforms, %u blocks, each of which counts %u columns of them; "
        "vectorscope: %u blocks, each of which counts one of %u ranges of the bins%s", groups->launch.n_waveforms,
        groups->launch.n_waveform_blocks, 1u << groups->launch.waveform_columns_log2,
        groups->launch.n_vector_blocks, 1u << groups->launch.vector_ranges_log2,
        groups->plan->joints_have_samples ? "; they have the samples" : "");
}

void
histo_cuda_plan_log_audio (const HistoCudaLimits * limits,
    const HistoAudioLaunch * parameters, GstElement * element)
{
#define NAME(name, threads) #name,
  static const gchar *const names[] = { HISTO_VECTOR_KERNELS (NAME) };
#undef NAME
  HistoAudioLaunch launch = *parameters;
  HistoCudaAudioPlan plan;
  const HistoCudaGrid *grid = &plan.measure;
  gboolean by_vector;
  gchar text[32];

  histo_cuda_plan_audio (limits, &launch, &plan);
  by_vector = launch.path == HISTO_AUDIO_BY_VECTOR;
  if (by_vector)
    g_snprintf (text, sizeof text, "%u copies of the counters",
        launch.n_copies);
  GST_DEBUG_OBJECT (element, "%u channels of %" G_GUINT64_FORMAT
      " samples, %u buffers: kernel %s, %s, %u x %u blocks of %u threads, "
      "%u bytes of shared memory%s",
      launch.n_channels, launch.buffers[0].n_samples, launch.n_buffers,
      by_vector ? names[plan.vector_kernel] : "samples",
      by_vector ? text : copies_text (launch.copies_log2, text),
      grid->blocks, grid->channel_blocks, grid->threads, grid->shared_bytes,
      plan.last_block_sums ? "; the last block sums" : "");
  log_sum (&plan.sum, element);
}
