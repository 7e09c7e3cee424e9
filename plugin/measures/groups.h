/* From raw counts and tallies to the figures of the groups.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FILL_GROUPS_H
#define HISTO_FILL_GROUPS_H

#include "measures/plan.h"

G_BEGIN_DECLS

void histo_groups_fill (HistoGroupFigures * figures, const HistoPlan * plan,
    const HistoCounts * counts, guint region, const HistoRegion * rect);
guint64 histo_n_gradients (guint width, guint height);
gdouble histo_mean_gradient (__int128 sum, guint64 n, guint depth);

G_END_DECLS

#endif /* HISTO_FILL_GROUPS_H */
