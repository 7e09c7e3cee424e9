/* What an input's figures say of the rules of a policy: a verdict for each rule, and for the input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_POLICY_RESULT_H
#define REPORT_POLICY_RESULT_H

#include "cudahisto/rules.h"
#include "base/objects.h"

G_BEGIN_DECLS

#define REPORT_N_VERDICTS (HISTO_RULE_FAILED + 1)

extern const gchar *const report_verdict_names[REPORT_N_VERDICTS];

/* A time in which a rule does not hold; of a rule on the whole input, or on a fact, no time. */
typedef struct
{
  guint64 start, end;           /* ns from the start of the stream; GST_CLOCK_TIME_NONE: unknown */
  gdouble worst;                /* the value that is farthest from what the rule says; NaN: a word */
  guint64 worst_time;           /* as start */
  gchar *word;                  /* a value that is no number; NULL: it is one */
  gchar *input;                 /* of merged summaries: the name of the input; NULL: the only one */
} ReportBreach;

/* So many of them are listed of a finding; all are counted. */
#define REPORT_MOST_BREACHES 100

/* A rule at one place of a stream: a channel, a pair, a region. All zones of flashes are one place: the numbers are those of
 * the worst zone, and the breaches those of all zones that have its verdict, in one order. */
typedef struct
{
  gint stream;                  /* index of the stream; -1: the input */
  gchar *title;                 /* of the stream, for people; NULL: the input */
  gboolean is_audio;            /* the stream is */
  gchar *place;                 /* NULL: it has none, or zones */
  guint32 zones;                /* flags of the zones that have its verdict; 0: it is not of zones */
  gint worst_zone;              /* -1: it is not of zones */
  HistoRuleVerdict verdict;
  guint64 n_checked;            /* results with a value; of a rule on the whole input, or on a fact: 1 */
  guint64 n_skipped;            /* results without one */
  guint64 n_broken;             /* results that break the rule */
  guint64 broken_time;          /* of these, in ns */
  guint64 longest;              /* ns without a pause */
  guint64 n_breaches;
  GPtrArray *breaches;          /* (element-type ReportBreach): the first of them */
  gdouble worst;                /* of all values, also of those that hold; NaN: a word, or there is none */
  guint64 worst_time;           /* as start; GST_CLOCK_TIME_NONE also of several inputs */
  gchar *word;                  /* NULL: it is a number */
  gdouble limit;                /* what the value was compared with; NaN: a word, or unknown */
} ReportFinding;

typedef struct
{
  gchar *id;
  gchar *text;                  /* "signal.brng <= 0.03 frames 14" */
  HistoRuleSpace scope;
  gchar *unit;                  /* of its values, as in the table of measures; NULL: it has none */
  gboolean is_warning;
  HistoRuleVerdict verdict;
  gchar *why;                   /* it was skipped: "no sound"; NULL: it was not, or it is unknown */
  GPtrArray *findings;          /* (element-type ReportFinding): a rule without any was skipped */
} ReportRuleResult;

typedef struct
{
  gchar *name;                  /* of the policy: "ebu-r128" */
  gchar *title, *source;        /* NULL: it has none */
  gchar **notes;                /* what it does not check */
  HistoRuleVerdict verdict;
  gboolean is_incomplete;       /* an input was not measured completely */
  guint64 inputs[REPORT_N_VERDICTS];    /* how many have each verdict */
  GPtrArray *rules;             /* (element-type ReportRuleResult) */
} ReportPolicyResult;

extern const ReportShape report_policy_shape;
extern const ReportShape report_rule_shape;
extern const ReportShape report_finding_shape;
extern const ReportShape report_breach_shape;

void report_rule_result_join_zones (ReportRuleResult * rule);
void report_policy_result_finish (ReportPolicyResult * policy,
    gboolean is_complete);
void report_policy_result_limit (ReportPolicyResult * policy,
    gboolean is_complete);
HistoRuleVerdict report_policy_results_verdict (const GPtrArray * results);

/* A rule at a place of an input. */
typedef void (*ReportCaseFunc) (gpointer data, const ReportPolicyResult * policy,
    const ReportRuleResult * rule, const ReportFinding * finding);
void report_policy_results_foreach_case (const GPtrArray * results,
    ReportCaseFunc func, gpointer data);

gchar *report_describe_zones (guint32 zones);
gchar *report_finding_where (const ReportFinding * finding);
gchar *report_finding_describe (const ReportFinding * finding,
    const ReportRuleResult * rule);
gchar *report_finding_tell_briefly (const ReportFinding * finding,
    const ReportRuleResult * rule);
gchar *report_finding_tell (const ReportFinding * finding,
    const ReportRuleResult * rule);
gchar *report_breach_describe (const ReportBreach * breach,
    const ReportRuleResult * rule);
const gchar *report_rule_why (const ReportRuleResult * rule);

G_END_DECLS

#endif /* REPORT_POLICY_RESULT_H */
