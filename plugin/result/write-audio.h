/* Writes the groups of audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_WRITE_AUDIO_H
#define HISTO_WRITE_AUDIO_H

#include "cudahisto/result.h"

G_BEGIN_DECLS

void histo_write_audio_init (void);
void histo_write_level (const HistoResult * result, guint channel,
    GstStructure * structure);
void histo_write_loudness (const HistoResult * result,
    GstStructure * structure);

G_END_DECLS

#endif /* HISTO_WRITE_AUDIO_H */
