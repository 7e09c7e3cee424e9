/* What the log tells of a plan.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_PLAN_LOG_H
#define HISTO_CUDA_PLAN_LOG_H

#include "engine/cuda/plan.h"

G_BEGIN_DECLS

void histo_cuda_plan_log_video (const HistoVideoLaunch * launch,
    const HistoCudaVideoPlan * plan);
void histo_cuda_plan_log_audio (const HistoAudioLaunch * launch,
    const HistoCudaAudioPlan * plan);

G_END_DECLS

#endif /* HISTO_CUDA_PLAN_LOG_H */
