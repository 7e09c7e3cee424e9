/* Writes plans to the log: a line for each plane, or one for audio, and one for the second
 * launch.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/plan-log.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

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
histo_cuda_plan_log_maps (const HistoCudaMapsPlan * maps, GstElement * element)
{
#define NAME(name, threads) #name,
  static const gchar *const names[] = { HISTO_MAPS_KERNELS (NAME) };
#undef NAME
  gchar text[32];

  GST_DEBUG_OBJECT (element, "maps: kernel %s reads %s planes%s, %u bins of a "
      "region, %s; %" G_GSIZE_FORMAT " bytes for a picture",
      names[maps->kernel], maps->extracts ? "extracted" : "the buffer's",
      maps->counts_samples ? " and counts the picture's samples, too" : "",
      maps->launch.n_bins, copies_text (maps->launch.copies_log2, text),
      maps->picture_bytes);
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
