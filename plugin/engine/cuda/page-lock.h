/* Page-locked memory, which the device can copy from and read by itself: the engine's own, that of
 * the pool which upstream is offered, and memory of upstream's own pools that is page-locked in
 * place.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_PAGE_LOCK_H
#define HISTO_CUDA_PAGE_LOCK_H

#include "engine/cuda/driver.h"
#include "engine/engine.h"

G_BEGIN_DECLS

/* The engine's own page-locked memory, under its two addresses. All zero when there is none.
 * It belongs to the context that was current when it was allocated. */
typedef struct
{
  void *host;
  CUdeviceptr device;
} HistoPinned;

/* Allocates @size bytes, at least one. Free the memory also after a failure. */
gboolean histo_pinned_alloc (HistoPinned * memory, const HistoDriver * driver,
    gsize size, GError ** error);
void histo_pinned_free (HistoPinned * memory, const HistoDriver * driver);

/**
 * histo_pinned_pool_new:
 * @context: kept as long as the pool or memory of it lives
 *
 * The memory is page-locked for all contexts. When the device refuses, it is ordinary system
 * memory, so that a failed device does not stop upstream. Copies of the memory are ordinary
 * system memory.
 *
 * Returns: (transfer full): a pool of video buffers in page-locked memory. The caller
 * configures it.
 */
GstBufferPool *histo_pinned_pool_new (const HistoDriver * driver,
    GstCudaContext * context);

/* Whether the bytes at the host addresses from @begin to before @end lie in one memory of such a
 * pool. @buffer: is mapped, and holds these bytes. */
gboolean histo_is_pinned (GstBuffer * buffer, guint64 begin, guint64 end);

/**
 * histo_is_registered:
 * @buffer: in host memory. The caller keeps it while the device reads it.
 * @begin: address of the first byte that the device is to read, as @buffer is mapped
 * @end: address after the last such byte
 * @device: where to page-lock the memory
 * @locks: on whose account
 * @why_not: (out): when the answer is FALSE, a static string that says why
 *
 * Whether all these bytes are in a memory that is page-locked in place, for any element of the
 * process. The caller asks only for frames larger than histo_upload_settings.in_place_limit.
 * Page-locks the buffer's memory if all of these hold:
 * - page-locking is on (@locks), and its limit allows for the whole memory;
 * - the buffer is in one memory, which can be mapped for reading now;
 * - the memory is system memory, and at least half of it is asked for;
 * - the buffer comes from a pool, and the same element has seen the memory before;
 * - no other element has seen the memory before that one, unless its page-locking is off now;
 * - the driver has not refused the memory before.
 *
 * The memory stays page-locked until it is freed.
 */
gboolean histo_is_registered (GstBuffer * buffer, guint64 begin, guint64 end,
    const HistoDevice * device, HistoPageLocks * locks,
    const gchar ** why_not);

HistoPageLocks *histo_page_locks_ref (HistoPageLocks * locks);

G_END_DECLS

#endif /* HISTO_CUDA_PAGE_LOCK_H */
