/* Reads the samples of a channel of audio as numbers, whatever the format is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_SAMPLES_H
#define HISTO_SAMPLES_H

#include "media/format.h"

G_BEGIN_DECLS

/* The number that stands for full scale: 2^(depth-1), and 1 for floating point. */
gdouble histo_samples_full_scale (const HistoAudioSample * sample);

void histo_samples_read (const HistoAudioSample * sample, const guint8 * data,
    gsize stride, guint n, gdouble * samples);

G_END_DECLS

#endif /* HISTO_SAMPLES_H */
