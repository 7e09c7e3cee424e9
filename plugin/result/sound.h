/* The groups of audio that are measured in stream order: level and loudness. They read the samples of
 * each buffer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_SOUND_H
#define HISTO_SOUND_H

#include "cudahisto/result.h"
#include "measures/level.h"
#include "measures/loudness.h"
#include "measures/plan.h"
#include "media/layout.h"
#include "result/passing.h"

G_BEGIN_DECLS

typedef struct
{
  HistoFormat *format;          /* of the latest buffer; NULL before the first one */
  HistoLevel *level;            /* NULL if the latest buffer's plan has no such group, as the next */
  HistoLoudness *loudness;
  HistoLoudnessFigures figures; /* as of the latest buffer */
  guint64 n_samples;            /* of each channel, since the loudness began */
} HistoSound;

void histo_sound_init (HistoSound * sound);
void histo_sound_clear (HistoSound * sound);
gboolean histo_sound_is_in_use (const HistoSound * sound);
void histo_sound_restart (HistoSound * sound, HistoRestart reason);
gboolean histo_sound_prepare (HistoSound * sound, const HistoPlan * plan,
    guint clipping_samples, GError ** error);
void histo_sound_measure (HistoSound * sound, const HistoAudioLayout * samples,
    HistoResult * result);
gboolean histo_sound_has_short_term (const HistoSound * sound);

void histo_sound_begin_window (HistoSound * sound);
void histo_sound_finish_window (HistoSound * sound, HistoResult * result);

G_END_DECLS

#endif /* HISTO_SOUND_H */
