/* The pairs of channels of the group `level`: left and right of the layout.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LEVEL_PAIRS_H
#define HISTO_LEVEL_PAIRS_H

#include "cudahisto/result.h"
#include "measures/level-loops.h"
#include "media/layout.h"

G_BEGIN_DECLS

/* cos 170°, aphasemeter's default angle: at most this is inverted. */
#define HISTO_PAIR_INVERTED -0.98480775301220806
/* Seconds that a pair is inverted, or its channels are alike, before the figures say so: aphasemeter's default. */
#define HISTO_PAIR_SECONDS 2

/* What the figures of the pairs depend on beyond one buffer, as HistoLevel. */
typedef struct _HistoLevelPairs HistoLevelPairs;

HistoLevelPairs *histo_level_pairs_new (const HistoFormat * format);
void histo_level_pairs_free (HistoLevelPairs * pairs);
guint histo_level_pairs_count (const HistoLevelPairs * pairs);
void histo_level_pairs_restart (HistoLevelPairs * pairs);
void histo_level_pairs_measure (HistoLevelPairs * pairs,
    const HistoAudioLayout * layout, const HistoLevelFigures * channels,
    HistoPairResult * results);

void histo_level_pair_fill (HistoPairFigures * figures,
    const HistoLevelPairSums * sums);

void histo_level_pairs_begin_window (HistoLevelPairs * pairs);
void histo_level_pairs_finish_window (const HistoLevelPairs * pairs,
    HistoPairResult * results);

G_END_DECLS

#endif /* HISTO_LEVEL_PAIRS_H */
