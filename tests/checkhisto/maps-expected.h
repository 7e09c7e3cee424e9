/* What the kernels of the maps must count, by plain loops over pixels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CHECKHISTO_MAPS_EXPECTED_H
#define CHECKHISTO_MAPS_EXPECTED_H

#include "frame.h"
#include "measures/plan.h"

G_BEGIN_DECLS

/* The samples of a frame, component by component. */
typedef struct
{
  guint width[HISTO_MAX_COMPONENTS], height[HISTO_MAX_COMPONENTS];
  guint32 *samples[HISTO_MAX_COMPONENTS];
} MapsSamples;

void maps_samples_init (MapsSamples * samples, const Frame * frame);
void maps_samples_clear (MapsSamples * samples);

/* Adds the counters of region @r, and sets its tallies.
 * @previous: (nullable):
 * @counters: the plan's, of all regions
 * @tallies: the same */
void maps_expect (const HistoPlan * plan, guint r, const HistoRegion * region,
    const MapsSamples * samples, const MapsSamples * previous,
    guint32 * counters, guint64 * tallies);

G_END_DECLS

#endif /* CHECKHISTO_MAPS_EXPECTED_H */
