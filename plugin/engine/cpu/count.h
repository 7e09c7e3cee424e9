/* The CPU engine's inner loops: counting planes and measuring channels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_COUNT_H
#define HISTO_CPU_COUNT_H

#include "kernels/binning.h"
#include "media/layout.h"

G_BEGIN_DECLS

/* What one thread needs to count planes, one plane at a time. It keeps its memory from one
 * plane to the next. For one thread at a time. */
typedef struct _HistoCpuPixels HistoCpuPixels;

/* Counts a plane in three steps: begin, rows as often as wanted, end. */
HistoCpuPixels *histo_cpu_pixels_new (void);
void histo_cpu_pixels_free (HistoCpuPixels * pixels);
void histo_cpu_pixels_begin (HistoCpuPixels * pixels,
    const HistoPlane * plane, guint32 * counters);
void histo_cpu_pixels_rows (HistoCpuPixels * pixels, guint first,
    guint n_rows);
void histo_cpu_pixels_end (HistoCpuPixels * pixels);

void histo_cpu_audio_measure_channel (const guint8 * data,
    gsize sample_stride, guint64 n_samples, const HistoAudioSample * sample,
    const HistoBinning * binning, const gdouble * edges, guint32 * counters,
    HistoTotals * totals);

G_END_DECLS

#endif /* HISTO_CPU_COUNT_H */
