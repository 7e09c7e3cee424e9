/* What the counters and tallies of a plan must be, by the reference.
 *
 * The reference evaluates all numbers; of the plugin only the plan is used, which says where the
 * counters of a component lie.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_EXPECTED_COUNTS_H
#define TESTS_EXPECTED_COUNTS_H

#include "measures/plan.h"

#include "reference-measures.h"

G_BEGIN_DECLS

/* Adds to the counters and the tallies of region @r, which are 0; of the picture to the joint components', too.
 * @previous: (nullable):
 * @counters: the plan's, of all regions
 * @tallies, @joints: (nullable): the same; NULL if the plan has none */
void expected_counts (const HistoPlan * plan, guint r,
    const HistoRegion * region, const ReferencePicture * current,
    const ReferencePicture * previous, guint32 * counters, guint64 * tallies,
    guint32 * joints);

/* The other way around: the counters and tallies of region @r, as the reference has them. Figures can then be
 * made of them (reference_figures()). @color: of the plan's format. @out: (out): free with reference_measures_clear() */
void counted_measures (const HistoPlan * plan, guint r,
    const HistoRegion * region, const ReferenceColor * color,
    const HistoCounts * counts, ReferenceMeasures * out);

G_END_DECLS

#endif /* TESTS_EXPECTED_COUNTS_H */
