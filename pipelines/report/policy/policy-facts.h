/* What rules may ask of a stream beside its frames: facts, and figures of all of its samples.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_POLICY_FACTS_H
#define REPORT_POLICY_FACTS_H

#include "cudahisto/rules.h"
#include "summary/summary.h"

G_BEGIN_DECLS

/* @data of the lookup. */
typedef struct
{
  const ReportSummary *summary;
  const ReportStreamSummary *stream;    /* one of it */
  gboolean is_finished;         /* the summary is: figures of the whole stream are known */
} ReportFacts;

gboolean report_facts_lookup (HistoRuleSpace space, const gchar * path,
    HistoRuleValue * value, gpointer data);

G_END_DECLS

#endif /* REPORT_POLICY_FACTS_H */
