/* Judges what was watched: which frames and samples are missing or damaged, when, and how many.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_VERDICT_H
#define REPORT_VERDICT_H

#include "structure.h"
#include "summary.h"
#include "watch.h"

G_BEGIN_DECLS

void report_verdict_add_stream (ReportSummary * summary, guint index,
    ReportStreamWatch * stream, ReportDecoderWatch * decoder,
    const ReportStructure * structure);
void report_verdict_add_structure (ReportSummary * summary,
    const ReportStructure * structure);
void report_verdict_add_end (ReportSummary * summary, GPtrArray * streams,
    const ReportStructure * structure, gboolean has_demuxer, guint64 duration);

G_END_DECLS

#endif /* REPORT_VERDICT_H */
