/* The group `loudness`: measures the EBU R128 loudness of a stream of audio, by libebur128, and its true peak.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LOUDNESS_H
#define HISTO_LOUDNESS_H

#include "cudahisto/figures.h"
#include "media/layout.h"

G_BEGIN_DECLS

/* The filter of BS.1770 raises what is above 1682 Hz: sound of less than twice this rate has no loudness. */
#define HISTO_LEAST_LOUDNESS_RATE 3364

/* The loudness of one stream so far. Any thread may use it, but never two at the same time. */
typedef struct _HistoLoudness HistoLoudness;

gboolean histo_loudness_is_available (void);
HistoLoudness *histo_loudness_new (const HistoFormat * format,
    GError ** error);
void histo_loudness_free (HistoLoudness * loudness);
void histo_loudness_restart (HistoLoudness * loudness);
void histo_loudness_measure (HistoLoudness * loudness,
    const HistoAudioLayout * layout, HistoLoudnessFigures * figures);

G_END_DECLS

#endif /* HISTO_LOUDNESS_H */
