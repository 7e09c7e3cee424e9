/* Checks the results of an input against policies; see policy-judge.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "policy-judge.h"

#include <math.h>
#include <string.h>

#include "policy-facts.h"

/* The times in which a rule does not hold at a place. */
typedef struct
{
  guint64 n;
  GPtrArray *breaches;          /* (element-type ReportBreach): the first of them */
} Breaches;

/* A policy and a stream. */
typedef struct
{
  const ReportPolicy *policy;
  guint stream;
  HistoRuleStates *states;
  ReportFacts facts;
  GHashTable *breaches;         /* of a rule's number and its place, as text: Breaches */
} Following;

struct _ReportJudge
{
  const GPtrArray *policies;    /* (element-type ReportPolicy) */
  ReportSummary *summary;
  GPtrArray *followings;        /* (element-type Following) */
  GArray *events;               /* of HistoRuleEvent */
};

static void
following_free (gpointer data)
{
  Following *following = data;

  histo_rule_states_free (following->states);
  g_hash_table_unref (following->breaches);
  g_free (following);
}

static void
breaches_free (gpointer data)
{
  Breaches *breaches = data;

  g_ptr_array_unref (breaches->breaches);
  g_free (breaches);
}

/**
 * report_judge_new:
 * @policies: (element-type ReportPolicy): stays the caller's
 * @summary: of the input that is measured: gets the verdicts, and tells the facts
 */
ReportJudge *
report_judge_new (const GPtrArray * policies, ReportSummary * summary)
{
  ReportJudge *judge = g_new0 (ReportJudge, 1);

  judge->policies = policies;
  judge->summary = summary;
  judge->followings = g_ptr_array_new_with_free_func (following_free);
  judge->events = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));
  return judge;
}

void
report_judge_free (ReportJudge * judge)
{
  g_ptr_array_unref (judge->followings);
  g_array_unref (judge->events);
  g_free (judge);
}

/* ---- Frames ------------------------------------------------------------------------------------- */

static Following *
find_following (ReportJudge * judge, const ReportPolicy * policy, guint stream)
{
  Following *following;

  for (guint i = 0; i < judge->followings->len; i++) {
    following = judge->followings->pdata[i];
    if (following->policy == policy && following->stream == stream)
      return following;
  }
  following = g_new0 (Following, 1);
  following->policy = policy;
  following->stream = stream;
  following->states = histo_rule_states_new (policy->rules);
  following->facts = (ReportFacts) {
    .summary = judge->summary,
    .stream = judge->summary->streams->pdata[stream],
  };
  histo_rule_states_set_lookup (following->states, report_facts_lookup,
      &following->facts);
  following->breaches =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, breaches_free);
  g_ptr_array_add (judge->followings, following);
  return following;
}

/* Returns: (transfer full): what tells a rule at a place from all others */
static gchar *
name_breaches (guint rule, const HistoRulePlace * place)
{
  return g_strdup_printf ("%u %s", rule, place != NULL && place->text != NULL ?
      place->text : "");
}

/* Adds a span that has ended. Its worst value may be a number of a choice. */
static void
add_breach (Following * following, const HistoRuleEvent * event)
{
  const HistoRule *rule = histo_rules_get (following->policy->rules,
      event->rule);
  gchar *name = name_breaches (event->rule, event->place);
  Breaches *breaches = g_hash_table_lookup (following->breaches, name);
  const gchar *word;
  ReportBreach *breach;

  if (breaches == NULL) {
    breaches = g_new0 (Breaches, 1);
    breaches->breaches = report_breaches_new ();
    g_hash_table_insert (following->breaches, g_strdup (name), breaches);
  }
  g_free (name);
  if (breaches->n++ >= REPORT_MOST_BREACHES)
    return;
  breach = report_breaches_add (breaches->breaches);
  breach->start = event->start;
  breach->end = event->end;
  if (!GST_CLOCK_TIME_IS_VALID (event->start)
      || !GST_CLOCK_TIME_IS_VALID (event->end))
    breach->start = breach->end = GST_CLOCK_TIME_NONE;
  breach->worst = event->value;
  breach->worst_time = event->value_time;
  word = histo_rule_figure_word (rule->figure, event->value);
  if (word != NULL) {
    breach->word = g_strdup (word);
    breach->worst = NAN;
  }
}

static void
take_events (ReportJudge * judge, Following * following)
{
  for (guint i = 0; i < judge->events->len; i++) {
    const HistoRuleEvent *event =
        &g_array_index (judge->events, HistoRuleEvent, i);

    if (event->is_end)
      add_breach (following, event);
  }
  g_array_set_size (judge->events, 0);
}

/* @stream: index; @times: from the start of the stream on */
void
report_judge_pass (ReportJudge * judge, guint stream,
    const HistoResult * result, const HistoTimes * times)
{
  const guint64 start = times->stream_time;
  const guint64 end = GST_CLOCK_TIME_IS_VALID (start)
      && GST_CLOCK_TIME_IS_VALID (times->duration) ?
      start + times->duration : GST_CLOCK_TIME_NONE;

  for (guint i = 0; i < judge->policies->len; i++) {
    Following *following = find_following (judge, judge->policies->pdata[i],
        stream);

    histo_rule_states_pass (following->states, result, start, end,
        judge->events);
    take_events (judge, following);
  }
}

/* ---- Verdicts ----------------------------------------------------------------------------------- */

static ReportScope
scope_of (const HistoRule * rule)
{
  switch (histo_rule_figure_space (rule->figure)) {
    case HISTO_RULE_OF_FRAMES:
      return REPORT_OF_FRAMES;
    case HISTO_RULE_OF_WHOLE:
      return REPORT_OF_WHOLE;
    case HISTO_RULE_OF_FACTS:
      break;
  }
  return REPORT_OF_FACT;
}

static ReportVerdict
verdict_of (HistoRuleVerdict verdict)
{
  switch (verdict) {
    case HISTO_RULE_PASSED:
      return REPORT_PASS;
    case HISTO_RULE_WARNED:
      return REPORT_WARN;
    case HISTO_RULE_FAILED:
      return REPORT_FAIL;
    case HISTO_RULE_SKIPPED:
      break;
  }
  return REPORT_SKIPPED;
}

/* Of a rule on the whole stream, or on a fact: the one value. */
static void
set_one_value (ReportFinding * finding, const HistoRuleFinding * found)
{
  ReportBreach *breach;

  finding->n_checked = found->verdict != HISTO_RULE_SKIPPED ? 1 : 0;
  finding->n_skipped = 1 - finding->n_checked;
  finding->n_broken = finding->n_breaches =
      finding->verdict >= REPORT_WARN ? 1 : 0;
  if (finding->n_broken == 0)
    return;
  breach = report_breaches_add (finding->breaches);
  breach->worst = finding->worst;
  breach->word = g_strdup (finding->word);
}

static void
set_totals (ReportFinding * finding, const HistoRuleTotals * totals,
    const Following * following, const HistoRuleFinding * found)
{
  gchar *name = name_breaches (found->rule, found->place);
  const Breaches *breaches = g_hash_table_lookup (following->breaches, name);

  finding->n_checked = totals->n_checked;
  finding->n_skipped = totals->n_absent;
  finding->n_broken = totals->n_broken;
  finding->broken_time = totals->time_broken;
  finding->longest = totals->longest;
  finding->worst_time = totals->worst_time;
  if (breaches != NULL) {
    finding->n_breaches = breaches->n;
    g_ptr_array_unref (finding->breaches);
    finding->breaches = g_ptr_array_ref (breaches->breaches);
  }
  g_free (name);
}

/* Of a rule that cannot apply to a stream, nothing is told. */
static gboolean
applies (const HistoRule * rule, const ReportStreamSummary * stream,
    const HistoRuleFinding * found)
{
  if (stream->stream->is_audio ? !rule->is_audio : !rule->is_video)
    return FALSE;
  return scope_of (rule) != REPORT_OF_FACT
      || found->verdict != HISTO_RULE_SKIPPED;
}

static void
add_finding (ReportRuleResult * result, const HistoRule * rule,
    const Following * following, const HistoRuleFinding * found)
{
  const ReportStreamSummary *stream = following->facts.stream;
  ReportFinding *finding;

  if (!applies (rule, stream, found))
    return;
  finding = report_findings_add (result->findings);
  finding->stream = (gint) stream->stream->index;
  finding->title = g_strdup (stream->stream->title);
  finding->is_audio = stream->stream->is_audio;
  if (found->place != NULL)
    finding->place = g_strdup (found->place->text);
  finding->verdict = verdict_of (found->verdict);
  finding->worst = found->value;
  finding->word = g_strdup (found->value_word);
  finding->limit = found->limit;
  if (result->scope == REPORT_OF_FRAMES)
    set_totals (finding, &found->totals, following, found);
  else
    set_one_value (finding, found);
}

static void
judge_stream (ReportJudge * judge, const ReportPolicy * policy,
    ReportPolicyResult * result, guint stream)
{
  Following *following = find_following (judge, policy, stream);
  GArray *findings = g_array_new (FALSE, FALSE, sizeof (HistoRuleFinding));

  histo_rule_states_end (following->states, judge->events);
  take_events (judge, following);
  following->facts.is_finished = TRUE;
  histo_rule_states_judge (following->states, findings);
  for (guint i = 0; i < findings->len; i++) {
    HistoRuleFinding *found = &g_array_index (findings, HistoRuleFinding, i);

    add_finding (result->rules->pdata[found->rule],
        histo_rules_get (policy->rules, found->rule), following, found);
    histo_rule_finding_clear (found);
  }
  g_array_unref (findings);
}

/* Adds the verdicts to the summary, which is finished. */
void
report_judge_end (ReportJudge * judge)
{
  ReportSummary *summary = judge->summary;

  for (guint i = 0; i < judge->policies->len; i++) {
    const ReportPolicy *policy = judge->policies->pdata[i];
    ReportPolicyResult *result = report_policy_results_add (summary->policies);

    result->name = g_strdup (policy->name);
    result->title = g_strdup (histo_rules_title (policy->rules));
    result->source = g_strdup (histo_rules_source (policy->rules));
    result->notes = g_strdupv ((gchar **) histo_rules_notes (policy->rules));
    for (guint r = 0; r < histo_rules_get_n (policy->rules); r++) {
      const HistoRule *rule = histo_rules_get (policy->rules, r);
      ReportRuleResult *of_rule = report_policy_result_add_rule (result);

      of_rule->id = g_strdup (rule->id);
      of_rule->text = g_strstrip (g_strdup (strchr (rule->text, ':') + 1));
      of_rule->is_warning = rule->is_warning;
      of_rule->scope = scope_of (rule);
    }
    for (guint s = 0; s < summary->streams->len; s++)
      judge_stream (judge, policy, result, s);
    report_policy_result_finish (result);
  }
}
