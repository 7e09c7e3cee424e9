/* Memory of upstream's pools that is page-locked in place, if the user asks for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_REGISTERED_MEMORY_H
#define HISTO_REGISTERED_MEMORY_H

#include "engine/cuda/device.h"

G_BEGIN_DECLS

/**
 * histo_is_registered:
 * @buffer: in host memory. The caller keeps it while the device reads it.
 * @begin: address of the first byte that the device is to read, as @buffer is mapped
 * @end: address after the last such byte
 * @device: where to page-lock the memory, and on whose account
 * @why_not: (out): when the answer is FALSE, a static string that says why
 *
 * Whether all these bytes are in a memory that is page-locked in place, for any element of the
 * process. The caller asks only for frames larger than histo_upload_settings.in_place_limit.
 * Page-locks the buffer's memory if all of these hold:
 * - page-locking is on (device->page_locks), and its limit allows for the whole memory;
 * - the buffer is in one memory, which can be mapped for reading now;
 * - the memory is system memory, and at least half of it is asked for;
 * - the buffer comes from a pool, and the same element has seen the memory before;
 * - no other element has seen the memory before that one, unless its page-locking is off now;
 * - the driver has not refused the memory before.
 *
 * The memory stays page-locked until it is freed.
 */
gboolean histo_is_registered (GstBuffer * buffer, guint64 begin, guint64 end,
    const HistoDevice * device, const gchar ** why_not);

G_END_DECLS

#endif /* HISTO_REGISTERED_MEMORY_H */
