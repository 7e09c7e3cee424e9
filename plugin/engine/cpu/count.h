/* The CPU engine's inner loops: counting planes and measuring channels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_COUNT_H
#define HISTO_CPU_COUNT_H

#include "kernels/binning.h"
#include "media/layout.h"

G_BEGIN_DECLS

typedef struct _HistoCpuCounter HistoCpuCounter;

HistoCpuCounter *histo_cpu_counter_new (void);
void histo_cpu_counter_free (HistoCpuCounter * counter);
void histo_cpu_counter_begin (HistoCpuCounter * counter,
    const HistoPlane * plane, guint32 * counters);
void histo_cpu_counter_rows (HistoCpuCounter * counter, guint first,
    guint n_rows);
void histo_cpu_counter_end (HistoCpuCounter * counter);

void histo_cpu_measure_channel (const guint8 * data, gsize sample_stride,
    guint64 n_samples, const HistoAudioSample * sample,
    const HistoBinning * binning, const gdouble * edges, guint32 * counters,
    HistoTotals * totals);

G_END_DECLS

#endif /* HISTO_CPU_COUNT_H */
