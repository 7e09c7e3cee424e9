/* Page-locked memory, which the device can copy from and read by itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PINNED_MEMORY_H
#define HISTO_PINNED_MEMORY_H

#include "engine/cuda/driver.h"

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
 * histo_pinned_allocator_new:
 * @context: kept as long as the allocator or memory of it lives
 *
 * Memory of this allocator is page-locked for all contexts. When the device refuses, the
 * allocator gives ordinary system memory, so that a failed device does not stop upstream.
 * Copies of the memory are ordinary system memory.
 *
 * Returns: (transfer full)
 */
GstAllocator *histo_pinned_allocator_new (const HistoDriver * driver,
    GstCudaContext * context);

/* Whether the bytes at the host addresses from @begin to before @end lie in one memory of such an
 * allocator. @buffer: is mapped, and holds these bytes. */
gboolean histo_is_pinned (GstBuffer * buffer, guint64 begin, guint64 end);

G_END_DECLS

#endif /* HISTO_PINNED_MEMORY_H */
