/* Checks the results of an input against policies while it is measured.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_POLICY_JUDGE_H
#define REPORT_POLICY_JUDGE_H

#include "policy/policy.h"
#include "summary/summary.h"

G_BEGIN_DECLS

typedef struct _ReportJudge ReportJudge;

ReportJudge *report_judge_new (const GPtrArray * policies,
    ReportSummary * summary);
void report_judge_free (ReportJudge * judge);
void report_judge_pass (ReportJudge * judge, guint stream,
    const HistoResult * result, const HistoTimes * times);
void report_judge_end (ReportJudge * judge);

/* Of an input that goes on. */
void report_judge_look (ReportJudge * judge);
void report_judge_move (ReportJudge * judge, ReportSummary * summary);

G_END_DECLS

#endif /* REPORT_POLICY_JUDGE_H */
