/* From the counts of a buffer to its result. write.h turns the result into a GstStructure.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FILL_H
#define HISTO_FILL_H

#include "cudahisto/result.h"
#include "measures/plan.h"

G_BEGIN_DECLS

/* Which regions of a result carry histograms. */
typedef enum
{
  HISTO_HISTOGRAMS_NONE,
  HISTO_HISTOGRAMS_PICTURE,     /* the whole picture; of audio all channels */
  HISTO_HISTOGRAMS_ALL
} HistoHistograms;

void histo_result_fill (HistoResult * result, const HistoPlan * plan,
    const HistoCounts * counts, const HistoFrameInfo * info,
    const gchar * backend, HistoHistograms histograms);
guint64 histo_result_histogram_bytes (const HistoPlan * plan,
    HistoHistograms histograms);

G_END_DECLS

#endif /* HISTO_FILL_H */
