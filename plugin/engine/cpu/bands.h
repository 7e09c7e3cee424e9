/* Counts pictures whose rows come in bands, one picture after the other, in the calling thread.
 *
 * So the rows of a decoder are counted while they are in the caches, and no picture is kept. Pictures of R, G, B or gray of 8
 * bits in full range can be counted in this way. The counts are those of the group detail: native samples, and gradients.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_BANDS_H
#define HISTO_CPU_BANDS_H

#include "media/format.h"

G_BEGIN_DECLS

typedef struct _HistoCpuBands HistoCpuBands;

HistoCpuBands *histo_cpu_bands_new (void);
void histo_cpu_bands_free (HistoCpuBands * bands);
gboolean histo_cpu_bands_begin (HistoCpuBands * bands,
    const HistoFormat * format, guint32 * counters);
void histo_cpu_bands_add (HistoCpuBands * bands,
    const gconstpointer * planes, const gint * strides, guint n_rows);
guint64 histo_cpu_bands_end (HistoCpuBands * bands);

G_END_DECLS

#endif /* HISTO_CPU_BANDS_H */
