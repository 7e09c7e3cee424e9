/* The plan of frames whose regions the kernel `samples` counts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_PLAN_SAMPLES_H
#define HISTO_CUDA_PLAN_SAMPLES_H

#include "engine/cuda/plan-strip.h"

G_BEGIN_DECLS

gboolean histo_cuda_plan_use_samples (HistoCudaGroupsPlan * groups);
void histo_cuda_plan_place_bytes (const HistoPlane * planes,
    HistoBytes * bytes);

G_END_DECLS

#endif /* HISTO_CUDA_PLAN_SAMPLES_H */
