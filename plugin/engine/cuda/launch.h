/* The kernels in one context: loading and launching them.
 *
 * The programs that test and time the kernels use these functions too, so that they measure
 * what the engine runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_LAUNCH_H
#define HISTO_CUDA_LAUNCH_H

#include "engine/cuda/driver.h"
#include "engine/cuda/plan-maps.h"
#include "engine/cuda/plan.h"

G_BEGIN_DECLS

typedef struct
{
  const HistoDriver *driver;
  HistoCudaLimits limits;       /* of the context's device */
  CUmodule module;
  CUfunction count[HISTO_N_COUNT_KERNELS], sum_frame;
  CUfunction extract, map[HISTO_N_MAPS_KERNELS];
  CUfunction measure_samples, sum_audio;
  CUfunction measure_vectors[HISTO_N_VECTOR_KERNELS];
  /* The second kernels wait for the first ones (wait_for_previous_launch() in
   * kernels/portable.cuh), and may be launched before these end. */
  gboolean sums_wait;
} HistoCudaKernels;

gboolean histo_cuda_kernels_load (HistoCudaKernels * kernels,
    const HistoDriver * driver, GError ** error);
void histo_cuda_kernels_unload (HistoCudaKernels * kernels);

gboolean histo_cuda_launch_video (const HistoCudaKernels * kernels,
    HistoVideoLaunch * launch, CUstream stream, GError ** error);
void histo_cuda_finish_video (const HistoCudaKernels * kernels,
    const HistoFormat * format, guint32 n_bins, guint32 * result);

gboolean histo_cuda_launch_maps (const HistoCudaKernels * kernels,
    const HistoCudaMapsPlan * maps, const HistoCudaMapsFrame * frame,
    gboolean overlaps, CUstream stream, GError ** error);

gboolean histo_cuda_can_gather (const HistoCudaKernels * kernels,
    HistoAudioLaunch * launch);
gboolean histo_cuda_launch_audio (const HistoCudaKernels * kernels,
    HistoAudioLaunch * launch, CUstream stream, GError ** error);

G_END_DECLS

#endif /* HISTO_CUDA_LAUNCH_H */
