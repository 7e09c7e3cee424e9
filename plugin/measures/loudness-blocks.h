/* Blocks of sound counted by their loudness, and what follows from the counts: the integrated loudness
 * (ITU-R BS.1770-5, equations 6 and 7) and the loudness range (EBU Tech 3342). Counts of several streams
 * add up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LOUDNESS_BLOCKS_H
#define HISTO_LOUDNESS_BLOCKS_H

#include <glib.h>

G_BEGIN_DECLS

/* Bin b counts the blocks from -70 + b / 1000 LUFS on. Louder blocks than the last bin are counted in it;
 * blocks of -70 LUFS and less are not counted (the absolute gate). */
#define HISTO_N_LOUDNESS_BINS 100000

/* The gates, in LU below the mean of all counted blocks. */
#define HISTO_INTEGRATED_GATE 10.0
#define HISTO_RANGE_GATE 20.0

typedef struct _HistoLoudnessBlocks HistoLoudnessBlocks;

HistoLoudnessBlocks *histo_loudness_blocks_new (void);
void histo_loudness_blocks_free (HistoLoudnessBlocks * blocks);
void histo_loudness_blocks_clear (HistoLoudnessBlocks * blocks);
void histo_loudness_blocks_add (HistoLoudnessBlocks * blocks,
    gdouble loudness);
gboolean histo_loudness_blocks_add_count (HistoLoudnessBlocks * blocks,
    guint bin, guint64 count);
guint64 histo_loudness_blocks_get_count (const HistoLoudnessBlocks * blocks,
    guint bin);
gdouble histo_loudness_blocks_integrated (const HistoLoudnessBlocks * blocks);
gdouble histo_loudness_blocks_range (const HistoLoudnessBlocks * blocks);

G_END_DECLS

#endif /* HISTO_LOUDNESS_BLOCKS_H */
