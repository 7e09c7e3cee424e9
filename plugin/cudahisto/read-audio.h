/* Reads the groups of audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_READ_AUDIO_H
#define HISTO_READ_AUDIO_H

#include "cudahisto/result.h"

G_BEGIN_DECLS

gboolean histo_read_audio_groups (const GstStructure * structure,
    HistoResult * result, GError ** error);

G_END_DECLS

#endif /* HISTO_READ_AUDIO_H */
