/* The index: a page about all inputs, beside the pages of each.
 *
 * A row is a line of JSON that a writer makes of an input. A process of --jobs writes the row of its input to a file, so that a
 * row says the same whoever has measured the input. The rows have the order in which they are added.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_HTML_INDEX_H
#define REPORT_HTML_INDEX_H

#include "writers/writer.h"

G_BEGIN_DECLS

/* The index is known again by this, so that no other file is replaced. */
#define REPORT_INDEX_MARK "<meta name=\"generator\" content=\"cudahisto-report index\">"

typedef struct _ReportIndex ReportIndex;

ReportIndex *report_index_new (void);
void report_index_free (ReportIndex * index);
ReportWriter *report_index_row_writer_new (GOutputStream * to,
    const gchar * page);
gboolean report_index_take (ReportIndex * index, const gchar * row,
    gsize length);
void report_index_add (ReportIndex * index, ReportSummary * summary);
gboolean report_index_write (const ReportIndex * index, guint n_measured,
    gboolean was_interrupted, GOutputStream * to, GError ** error);

G_END_DECLS

#endif /* REPORT_HTML_INDEX_H */
