/* Launches the kernels, and writes the plans of launches to the log.
 *
 * The programs that test and time the kernels use these functions too, so that they measure
 * what the engine runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_LAUNCH_H
#define HISTO_CUDA_LAUNCH_H

#include "engine/cuda/kernels.h"
#include "engine/cuda/plan-mask.h"
#include "engine/cuda/plan-strip.h"
#include "engine/cuda/plan.h"

G_BEGIN_DECLS

gboolean histo_cuda_launch_video (const HistoCudaKernels * kernels,
    HistoVideoLaunch * launch, CUstream stream, GError ** error);
void histo_cuda_find_halves (const HistoCudaKernels * kernels,
    const HistoFormat * format, guint32 n_bins, guint32 * result,
    HistoHalves * halves[HISTO_MAX_COMPONENTS]);

gboolean histo_cuda_launch_mask (const HistoCudaKernels * kernels,
    const HistoFormat * format, gint alpha, const HistoCudaMaskFrame * frame,
    CUstream stream, GError ** error);

gboolean histo_cuda_launch_masked (const HistoCudaKernels * kernels,
    const HistoPlan * plan, const HistoCudaMaskedFrame * frame,
    CUstream stream, GError ** error);

gboolean histo_cuda_launch_groups (const HistoCudaKernels * kernels,
    const HistoCudaGroupsPlan * groups, const HistoCudaGroupsFrame * frame,
    gboolean overlaps, CUstream stream, GError ** error);

gboolean histo_cuda_can_gather (const HistoCudaKernels * kernels,
    HistoAudioLaunch * launch);
gboolean histo_cuda_launch_audio (const HistoCudaKernels * kernels,
    HistoAudioLaunch * launch, CUstream stream, GError ** error);

/* Write the plan of one launch to the log, at level DEBUG, in the name of @element. The caller has set
 * the parameters as for histo_cuda_launch_video() or histo_cuda_launch_audio(); they stay
 * unchanged. */
void histo_cuda_plan_log_video (const HistoCudaLimits * limits,
    const HistoVideoLaunch * parameters, GstElement * element);
void histo_cuda_plan_log_audio (const HistoCudaLimits * limits,
    const HistoAudioLaunch * parameters, GstElement * element);
/* Writes what is the same for all frames of a plan. */
void histo_cuda_plan_log_groups (const HistoCudaGroupsPlan * groups,
    GstElement * element);

G_END_DECLS

#endif /* HISTO_CUDA_LAUNCH_H */
