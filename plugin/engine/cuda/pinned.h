/* Page-locked memory: the engine's own, and what upstream is offered for its frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PINNED_MEMORY_H
#define HISTO_PINNED_MEMORY_H

#include "engine/cuda/driver.h"

#include <gst/video/gstvideopool.h>

G_BEGIN_DECLS

/* Page-locked memory of the context in which it was allocated, by both of its
 * addresses; all zero where there is none. */
typedef struct
{
  void *host;
  CUdeviceptr device;
} HistoPinned;

gboolean histo_pinned_alloc (HistoPinned * memory, const HistoDriver * driver,
    gsize size, GError ** error);
void histo_pinned_free (HistoPinned * memory, const HistoDriver * driver);

GstBufferPool *histo_pinned_pool_new (const HistoDriver * driver,
    GstCudaContext * context);
gboolean histo_is_pinned (GstBuffer * buffer, guint64 begin, guint64 end);

G_END_DECLS

#endif /* HISTO_PINNED_MEMORY_H */
