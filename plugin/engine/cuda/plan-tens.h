/* Planes that the kernel `tens` counts: words of three fields of ten bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_PLAN_TENS_H
#define HISTO_CUDA_PLAN_TENS_H

#include "engine/cuda/plan.h"

G_BEGIN_DECLS

const HistoTensLayout *histo_cuda_tens_layout (const HistoCudaLimits * limits,
    const HistoPlane * plane);
guint histo_cuda_tens_bytes (const HistoTensLayout * layout);
guint histo_cuda_tens_blocks (const HistoCudaLimits * limits,
    const HistoPlane * plane, guint n_threads, guint n_blocks);
void histo_cuda_tens_fill (const HistoTensLayout * layout,
    const HistoPlane * plane, HistoUnits * units);

G_END_DECLS

#endif /* HISTO_CUDA_PLAN_TENS_H */
