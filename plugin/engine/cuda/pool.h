/* The buffer pool that upstream is offered.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PINNED_POOL_H
#define HISTO_PINNED_POOL_H

#include "engine/cuda/driver.h"

G_BEGIN_DECLS

/**
 * histo_pinned_pool_new:
 * @context: kept as long as the pool or a buffer of it lives
 *
 * Returns: (transfer full): a pool of video buffers in page-locked memory. The caller
 * configures it.
 */
GstBufferPool *histo_pinned_pool_new (const HistoDriver * driver,
    GstCudaContext * context);

G_END_DECLS

#endif /* HISTO_PINNED_POOL_H */
