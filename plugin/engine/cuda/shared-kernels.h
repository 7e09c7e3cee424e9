/* The kernels of each context, which all engines in the context share.
 *
 * The first engine loads the kernels, and the last one unloads them. Engines that start in the
 * context while the kernels load wait for that one load; engines in other contexts do not. If
 * the load fails, it fails for those that waited, too; the next engine tries again.
 *
 * A context is known by its number, which the driver gives once only. So kernels of a context
 * that somebody else has destroyed are never taken for those of a new context at the same
 * address. After fork(), the child shares no kernels with the parent.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_SHARED_KERNELS_H
#define HISTO_CUDA_SHARED_KERNELS_H

#include "engine/cuda/kernels.h"

G_BEGIN_DECLS

/* The kernels of the current context. Release them by histo_cuda_kernels_release(). Any thread
 * may call this. */
const HistoCudaKernels *histo_cuda_kernels_share (const HistoDriver * driver,
    GError ** error);

/* Call this in the same context, if it can still be made current. @kernels: may be NULL */
void histo_cuda_kernels_release (const HistoCudaKernels * kernels);

G_END_DECLS

#endif /* HISTO_CUDA_SHARED_KERNELS_H */
