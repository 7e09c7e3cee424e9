/* The kernels in a context: loading them, and sharing them among the engines in the context.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_KERNELS_H
#define HISTO_CUDA_KERNELS_H

#include "engine/cuda/driver.h"
#include "engine/cuda/plan.h"
#include "kernels/compare-launch.h"
#include "kernels/strip-launch.h"

G_BEGIN_DECLS

typedef struct
{
  const HistoDriver *driver;
  HistoCudaLimits limits;       /* of the context's device */
  CUmodule module;
  CUfunction count[HISTO_N_COUNT_KERNELS], sum_frame, mask, masked;
  CUfunction extract, strip[HISTO_N_REGION_KERNELS], sum_owned, sum_scopes;
  CUfunction compare[HISTO_N_COMPARE_KERNELS], extract_planes, xpsnr_bytes, xpsnr_words;
  CUfunction measure_samples, sum_audio;
  CUfunction measure_vectors[HISTO_N_VECTOR_KERNELS];
  /* The second kernels wait for the first ones (wait_for_previous_launch() in
   * kernels/portable.cuh), and may be launched before these end. */
  gboolean sums_wait;
} HistoCudaKernels;

/* For programs with one user of a context; the engine shares the kernels. */
gboolean histo_cuda_kernels_load (HistoCudaKernels * kernels,
    const HistoDriver * driver, GError ** error);
void histo_cuda_kernels_unload (HistoCudaKernels * kernels);

/* The first engine in a context loads the kernels, and the last one unloads them. Engines that start
 * in the context while the kernels load wait for that one load; engines in other contexts do not. If
 * the load fails, it fails for those that waited, too; the next engine tries again.
 *
 * A context is known by its number, which the driver gives once only. So kernels of a context
 * that somebody else has destroyed are never taken for those of a new context at the same
 * address. After fork(), the child shares no kernels with the parent. */

/* The kernels of the current context. Release them by histo_cuda_kernels_release(). Any thread
 * may call this. */
const HistoCudaKernels *histo_cuda_kernels_share (const HistoDriver * driver,
    GError ** error);

/* Call this in the same context, if it can still be made current. @kernels: may be NULL */
void histo_cuda_kernels_release (const HistoCudaKernels * kernels);

G_END_DECLS

#endif /* HISTO_CUDA_KERNELS_H */
