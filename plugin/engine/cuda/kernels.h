/* The kernels in one context: loading them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_KERNELS_H
#define HISTO_CUDA_KERNELS_H

#include "engine/cuda/driver.h"
#include "engine/cuda/plan.h"
#include "kernels/maps-launch.h"

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

/* For programs with one user of a context. The engine shares the kernels (shared-kernels.h). */
gboolean histo_cuda_kernels_load (HistoCudaKernels * kernels,
    const HistoDriver * driver, GError ** error);
void histo_cuda_kernels_unload (HistoCudaKernels * kernels);

G_END_DECLS

#endif /* HISTO_CUDA_KERNELS_H */
