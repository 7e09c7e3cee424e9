/* Writes plans to the log.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_PLAN_LOG_H
#define HISTO_CUDA_PLAN_LOG_H

#include <gst/gst.h>

#include "engine/cuda/plan-maps.h"
#include "engine/cuda/plan.h"

G_BEGIN_DECLS

/* Write the plan of one launch to the log, at level DEBUG, in the name of @element. The caller has set
 * the parameters as for histo_cuda_launch_video() or histo_cuda_launch_audio(); they stay
 * unchanged. */
void histo_cuda_plan_log_video (const HistoCudaLimits * limits,
    const HistoVideoLaunch * parameters, GstElement * element);
void histo_cuda_plan_log_audio (const HistoCudaLimits * limits,
    const HistoAudioLaunch * parameters, GstElement * element);
/* Writes what is the same for all frames of a plan. */
void histo_cuda_plan_log_maps (const HistoCudaMapsPlan * maps,
    GstElement * element);

G_END_DECLS

#endif /* HISTO_CUDA_PLAN_LOG_H */
