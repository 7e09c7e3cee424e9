/* What the element adds to the answers to ALLOCATION queries.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_ALLOCATION_H
#define HISTO_ALLOCATION_H

#include "engine/meter.h"

G_BEGIN_DECLS

/* In any thread. @query: an answered ALLOCATION query; the element's pool and @depth buffers are
 * added to the answer. */
void histo_allocation_complete (GstQuery * query, HistoMeter * meter,
    guint depth);

G_END_DECLS

#endif /* HISTO_ALLOCATION_H */
