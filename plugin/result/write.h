/* The result that users see: a structure, on the buffer and on the bus.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_RESULT_H
#define HISTO_RESULT_H

#include "engine/engine.h"
#include "measures/statistics.h"

G_BEGIN_DECLS

/* Name of the custom meta, of its structure and of the element message. */
#define HISTO_RESULT_NAME "cudahisto"
#define HISTO_RESULT_SCHEMA 1

void histo_result_register (void);
GstStructure *histo_result_attach (GstBuffer ** buffer);
void histo_result_fill (GstStructure * result, const HistoFormat * format,
    const HistoBins * bins, const HistoCounts * counts,
    const gchar * backend, gboolean with_histogram);
GstMessage *histo_result_to_message (GstStructure * result, GstObject * source,
    GstBuffer * buffer, const GstSegment * segment);

G_END_DECLS

#endif /* HISTO_RESULT_H */
