/* Upstream's own memory, page-locked where it lies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_REGISTERED_MEMORY_H
#define HISTO_REGISTERED_MEMORY_H

#include "engine/cuda/device.h"

G_BEGIN_DECLS

gboolean histo_is_registered (GstBuffer * buffer, guint64 begin, guint64 end,
    const HistoDevice * user);

G_END_DECLS

#endif /* HISTO_REGISTERED_MEMORY_H */
