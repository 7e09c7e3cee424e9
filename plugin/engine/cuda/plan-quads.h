/* The plan of frames that the kernels `quads`, `all_quads` and `pairs` measure.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_PLAN_QUADS_H
#define HISTO_CUDA_PLAN_QUADS_H

#include "engine/cuda/plan-maps.h"

G_BEGIN_DECLS

/* The groups that only some kernels measure. */
#define HISTO_CUDA_MORE_GROUPS (HISTO_MAPS_COLOR | HISTO_MAPS_HDR \
    | HISTO_MAPS_DETAIL | HISTO_MAPS_AREA)

gboolean histo_cuda_plan_use_two_rows (HistoCudaMapsPlan * maps);
gsize histo_cuda_plan_two_rows_bytes (const HistoCudaMapsPlan * maps);

G_END_DECLS

#endif /* HISTO_CUDA_PLAN_QUADS_H */
