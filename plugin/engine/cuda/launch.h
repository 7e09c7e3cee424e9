/* Launches the kernels.
 *
 * The programs that test and time the kernels use these functions too, so that they measure
 * what the engine runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_LAUNCH_H
#define HISTO_CUDA_LAUNCH_H

#include "engine/cuda/kernels.h"
#include "engine/cuda/plan-maps.h"
#include "engine/cuda/plan.h"

G_BEGIN_DECLS

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
