/* What the element adds to the answers to ALLOCATION queries.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_ALLOCATION_H
#define HISTO_ALLOCATION_H

#include "engine/meter.h"

G_BEGIN_DECLS

/* Adds the element's pool and buffers to the answer. In any thread.
 * @query: an ALLOCATION query with downstream's answer, which may be empty
 * @depth: how many buffers the element holds at most; 0: none, and it measures nothing */
void histo_allocation_complete (GstQuery * query, HistoMeter * meter,
    guint depth);

G_END_DECLS

#endif /* HISTO_ALLOCATION_H */
