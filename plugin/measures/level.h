/* The group `level`: measures each channel and each pair of channels of audio, in stream order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LEVEL_H
#define HISTO_LEVEL_H

#include "cudahisto/result.h"
#include "media/layout.h"

G_BEGIN_DECLS

/* Consecutive samples at full scale that are a clipped run, unless set otherwise. */
#define HISTO_LEVEL_CLIPPING_SAMPLES 3

/* What the figures of a stream depend on beyond one buffer. Any thread may use it, but never
 * two at the same time. */
typedef struct _HistoLevel HistoLevel;

HistoLevel *histo_level_new (const HistoFormat * format);
void histo_level_free (HistoLevel * level);
void histo_level_set_clipping_samples (HistoLevel * level, guint samples);
void histo_level_restart (HistoLevel * level);
guint histo_level_count_pairs (const HistoLevel * level);
void histo_level_measure (HistoLevel * level, const HistoAudioLayout * layout,
    HistoLevelFigures * figures, HistoPairResult * pairs);

void histo_level_begin_window (HistoLevel * level);
void histo_level_finish_window (HistoLevel * level,
    HistoLevelFigures * figures, HistoPairResult * pairs);

G_END_DECLS

#endif /* HISTO_LEVEL_H */
