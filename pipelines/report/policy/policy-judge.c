/* Checks the results of an input against policies; see policy-judge.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "policy/policy-judge.h"

#include <math.h>
#include <string.h>

#include "cudahisto/rule-figures.h"

#include "base/describe.h"
#include "policy/policy-facts.h"

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
  ReportCarried light;          /* of its facts, those that may change; as it was at the latest result */
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
 * @summary: of the input that is measured: gets the verdicts, and has the facts
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

/* Returns: (transfer full): a key that no other rule and place has */
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
  g_autofree gchar *name = name_breaches (event->rule, event->place);
  Breaches *breaches = g_hash_table_lookup (following->breaches, name);
  const gchar *word;
  ReportBreach *breach;

  if (breaches == NULL) {
    breaches = g_new0 (Breaches, 1);
    breaches->breaches = report_objects_new ();
    g_hash_table_insert (following->breaches, g_strdup (name), breaches);
  }
  if (breaches->n++ >= REPORT_MOST_BREACHES)
    return;
  breach = report_objects_add (breaches->breaches, &report_breach_shape);
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
    const ReportCarried *light = &following->facts.stream->stream->carried;

    if (memcmp (&following->light, light, sizeof *light) != 0) {
      following->light = *light;
      histo_rule_states_look_up_again (following->states);
    }
    histo_rule_states_pass (following->states, result, start, end,
        judge->events);
    take_events (judge, following);
  }
}

/* ---- Verdicts ----------------------------------------------------------------------------------- */

/* A rule on the whole stream, or on a fact, has one value. */
static void
set_one_value (ReportFinding * finding, const HistoRuleFinding * found)
{
  ReportBreach *breach;

  finding->n_checked = found->verdict != HISTO_RULE_SKIPPED ? 1 : 0;
  finding->n_skipped = 1 - finding->n_checked;
  finding->n_broken = finding->n_breaches =
      finding->verdict >= HISTO_RULE_WARNED ? 1 : 0;
  if (finding->n_broken == 0)
    return;
  breach = report_objects_add (finding->breaches, &report_breach_shape);
  breach->worst = finding->worst;
  breach->word = g_strdup (finding->word);
}

static void
set_totals (ReportFinding * finding, const HistoRuleTotals * totals,
    const Following * following, const HistoRuleFinding * found)
{
  g_autofree gchar *name = name_breaches (found->rule, found->place);
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
}

/* Whether a rule is about the loudness of channels of which nobody says where they stand. Peaks are certain. */
static gboolean
is_uncertain (const HistoRule * rule, const ReportStreamSummary * stream)
{
  return rule->figure->space != HISTO_RULE_OF_FACTS
      && rule->figure->row->in == HISTO_IN_LOUDNESS
      && report_stream_is_unplaced (stream->stream);
}

/* A rule that cannot apply to a stream gets no finding. */
static gboolean
applies (const HistoRule * rule, const ReportStreamSummary * stream,
    const HistoRuleFinding * found)
{
  if (stream->stream->is_audio ? !rule->is_audio : !rule->is_video)
    return FALSE;
  if (is_uncertain (rule, stream))
    return FALSE;
  return histo_rule_figure_space (rule->figure) != HISTO_RULE_OF_FACTS
      || found->verdict != HISTO_RULE_SKIPPED;
}

/* Whether a rule is about the file as a whole. */
static gboolean
is_of_file (const HistoRule * rule)
{
  return histo_rule_figure_space (rule->figure) == HISTO_RULE_OF_FACTS
      && (rule->figure->row->offset == HISTO_FACT_VIDEO_STREAMS
      || rule->figure->row->offset == HISTO_FACT_AUDIO_STREAMS);
}

static void
add_finding (ReportRuleResult * result, const HistoRule * rule,
    const Following * following, const HistoRuleFinding * found)
{
  const ReportStreamSummary *stream = following->facts.stream;
  ReportFinding *finding;

  /* Of a spare track nothing is asked. */
  if (!applies (rule, stream, found) || (stream->is_spare && !is_of_file (rule)))
    return;
  finding = report_objects_add (result->findings, &report_finding_shape);
  if (!is_of_file (rule)) {
    finding->stream = (gint) stream->stream->index;
    finding->title = g_strdup (stream->stream->title);
  }
  finding->is_audio = stream->stream->is_audio;
  if (found->place != NULL)
    finding->place = g_strdup (found->place->text);
  finding->verdict = found->verdict;
  finding->worst = found->value;
  finding->word = g_strdup (found->value_word);
  finding->limit = found->limit;
  if (result->scope == HISTO_RULE_OF_FRAMES)
    set_totals (finding, &found->totals, following, found);
  else
    set_one_value (finding, found);
}

static void
judge_stream (ReportJudge * judge, const ReportPolicy * policy,
    ReportPolicyResult * result, guint stream)
{
  Following *following = find_following (judge, policy, stream);
  g_autoptr (GArray) findings = g_array_new (FALSE, FALSE, sizeof (HistoRuleFinding));

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
}

/* ---- Why rules were skipped --------------------------------------------------------------------- */

static gboolean
can_be_in (const HistoRule * rule, const ReportStreamSummary * stream)
{
  return stream->stream->is_audio ? rule->is_audio : rule->is_video;
}

static gboolean
has_stream (const ReportSummary * summary, const HistoRule * rule)
{
  for (guint i = 0; i < summary->streams->len; i++) {
    if (can_be_in (rule, summary->streams->pdata[i]))
      return TRUE;
  }
  return FALSE;
}

/* Whether a stream of the rule's medium has the fact, or the figure is none. */
static gboolean
is_carried (const ReportSummary * summary, const HistoRule * rule,
    const HistoRuleFigure * figure)
{
  HistoRuleValue value;

  if (figure == NULL || figure->space != HISTO_RULE_OF_FACTS)
    return TRUE;
  for (guint i = 0; i < summary->streams->len; i++) {
    ReportFacts facts = { summary, summary->streams->pdata[i], TRUE };

    if (can_be_in (rule, facts.stream)
        && report_facts_lookup (HISTO_RULE_OF_FACTS, figure->row->path, &value,
            &facts))
      return TRUE;
  }
  return FALSE;
}

static gboolean
has_region (const ReportSummary * summary, const gchar * name)
{
  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *stream = summary->streams->pdata[i];

    if (histo_is_each (name) ? stream->regions->len > 1 :
        report_stream_summary_find_region (stream, name) != NULL)
      return TRUE;
  }
  return FALSE;
}

/* Returns: (transfer full) (nullable): why a rule was skipped; NULL: there is no simple reason */
static gchar *
find_why (const ReportSummary * summary, const HistoRule * rule,
    const ReportRuleResult * result)
{
  const gchar *region = rule->figure->region;
  guint64 n_checked = 0, n_seen = 0;

  if (!summary->is_complete)
    return g_strdup ("not measured completely");
  if (!has_stream (summary, rule))
    return g_strdup (!rule->is_audio ? "no video" : !rule->is_video ?
        "no sound" : "no stream");
  for (guint s = 0; s < summary->streams->len; s++) {
    if (is_uncertain (rule, summary->streams->pdata[s]))
      return g_strdup ("the loudness is uncertain: positions unknown");
  }
  if (!is_carried (summary, rule, rule->figure) && rule->figure->row->offset >= HISTO_FIRST_COMPARED)
    return g_strdup ("it was not compared");
  if (!is_carried (summary, rule, rule->figure))
    return g_strdup_printf ("the stream carries no %s",
        rule->figure->row->path);
  if (!is_carried (summary, rule, rule->limit))
    return g_strdup_printf ("the stream carries no %s", rule->limit->row->path);
  if (region != NULL && !has_region (summary, region))
    return histo_is_each (region) ? g_strdup ("no region") :
        g_strdup_printf ("no region \"%s\"", region);
  for (guint i = 0; i < result->findings->len; i++) {
    const ReportFinding *finding = result->findings->pdata[i];

    n_checked += finding->n_checked;
    n_seen += finding->n_checked + finding->n_skipped;
  }
  if (result->scope == HISTO_RULE_OF_FRAMES && n_seen == 0)
    return g_strdup ("no results");
  if (n_checked > 0)
    return g_strdup (rule->tolerance == HISTO_RULE_FOR ?
        "results without times break it" : "too many places");
  return NULL;
}

/* Returns: (transfer none): the policy in the summary, with its rules, of which nothing is found yet */
static ReportPolicyResult *
add_policy (ReportSummary * summary, const ReportPolicy * policy)
{
  ReportPolicyResult *result = report_objects_add (summary->policies, &report_policy_shape);

  result->name = g_strdup (policy->name);
  result->title = g_strdup (histo_rules_title (policy->rules));
  result->source = g_strdup (histo_rules_source (policy->rules));
  result->notes = g_strdupv ((gchar **) histo_rules_notes (policy->rules));
  for (guint r = 0; r < histo_rules_get_n (policy->rules); r++) {
    const HistoRule *rule = histo_rules_get (policy->rules, r);
    ReportRuleResult *of_rule = report_objects_add (result->rules, &report_rule_shape);

    of_rule->id = g_strdup (rule->id);
    of_rule->text = g_strstrip (g_strdup (strchr (rule->text, ':') + 1));
    of_rule->is_warning = rule->is_warning;
    if (*histo_rule_figure_unit (rule->figure) != '\0')
      of_rule->unit = g_strdup (histo_rule_figure_unit (rule->figure));
    of_rule->scope = histo_rule_figure_space (rule->figure);
  }
  return result;
}

/* Adds the verdicts to the summary, which is finished. */
void
report_judge_end (ReportJudge * judge)
{
  ReportSummary *summary = judge->summary;

  for (guint i = 0; i < judge->policies->len; i++) {
    const ReportPolicy *policy = judge->policies->pdata[i];
    ReportPolicyResult *result = add_policy (summary, policy);

    for (guint s = 0; s < summary->streams->len; s++)
      judge_stream (judge, policy, result, s);
    report_policy_result_finish (result, summary->is_complete);
    for (guint r = 0; r < result->rules->len; r++) {
      ReportRuleResult *of_rule = result->rules->pdata[r];

      if (of_rule->verdict == HISTO_RULE_SKIPPED)
        of_rule->why = find_why (summary, histo_rules_get (policy->rules, r),
            of_rule);
    }
  }
}

/* ---- An input that goes on ---------------------------------------------------------------------- */

/* Returns: (nullable): the open span of a rule at a place; NULL: the rule holds there now */
static const HistoRuleEvent *
find_open (const GArray * open, const HistoRuleFinding * found)
{
  for (guint i = 0; i < open->len; i++) {
    const HistoRuleEvent *event = &g_array_index (open, HistoRuleEvent, i);

    if (event->rule == found->rule && found->place != NULL && event->place != NULL
        && g_strcmp0 (event->place->text, found->place->text) == 0)
      return event;
  }
  return NULL;
}

/* Adds the span to those of the finding, without an end. */
static void
add_open_breach (ReportFinding * finding, const HistoRuleEvent * event)
{
  GPtrArray *breaches = report_objects_new ();
  ReportBreach *breach;

  for (guint i = 0; i < finding->breaches->len; i++)
    report_objects_add_copy (breaches, &report_breach_shape, finding->breaches->pdata[i]);
  breach = report_objects_add (breaches, &report_breach_shape);
  breach->start = event->start;
  breach->end = GST_CLOCK_TIME_NONE;
  breach->worst = event->value;
  breach->worst_time = event->value_time;
  g_ptr_array_unref (finding->breaches);
  finding->breaches = breaches;
  finding->n_breaches++;
}

/* Adds what the rules on each result have found so far: those on the whole, and on facts, are known at the end. */
static void
look_at_stream (ReportJudge * judge, const ReportPolicy * policy, ReportPolicyResult * result, guint stream)
{
  Following *following = find_following (judge, policy, stream);
  g_autoptr (GArray) findings = g_array_new (FALSE, FALSE, sizeof (HistoRuleFinding));
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));

  histo_rule_states_list (following->states, open);
  histo_rule_states_judge (following->states, findings);
  for (guint i = 0; i < findings->len; i++) {
    HistoRuleFinding *found = &g_array_index (findings, HistoRuleFinding, i);
    const HistoRule *rule = histo_rules_get (policy->rules, found->rule);
    ReportRuleResult *of_rule = result->rules->pdata[found->rule];
    const guint n_before = of_rule->findings->len;
    const HistoRuleEvent *event = find_open (open, found);

    if (of_rule->scope == HISTO_RULE_OF_FRAMES)
      add_finding (of_rule, rule, following, found);
    if (of_rule->findings->len > n_before) {
      ReportFinding *finding = of_rule->findings->pdata[n_before];

      if (event != NULL)
        add_open_breach (finding, event);
      /* What was broken before the summary began is not broken any more. */
      if (finding->breaches->len == 0 && finding->verdict > HISTO_RULE_PASSED)
        finding->verdict = HISTO_RULE_PASSED;
      else if (event != NULL && (rule->tolerance == HISTO_RULE_NOTHING || rule->tolerance == HISTO_RULE_FOR))
        finding->verdict = rule->is_warning ? HISTO_RULE_WARNED : HISTO_RULE_FAILED;
    }
    histo_rule_finding_clear (found);
  }
}

/**
 * report_judge_look:
 *
 * Makes the verdicts of the summary anew, as they are so far. Measuring goes on.
 */
void
report_judge_look (ReportJudge * judge)
{
  ReportSummary *summary = judge->summary;

  g_ptr_array_set_size (summary->policies, 0);
  for (guint i = 0; i < judge->policies->len; i++) {
    ReportPolicyResult *result = add_policy (summary, judge->policies->pdata[i]);

    for (guint s = 0; s < summary->streams->len; s++)
      look_at_stream (judge, judge->policies->pdata[i], result, s);
    report_policy_result_finish (result, TRUE);
  }
}

/**
 * report_judge_move:
 * @summary: of the same streams, goes on where the one so far ends
 *
 * From now on @summary gets the verdicts. Spans go on; those that have ended stay behind.
 */
void
report_judge_move (ReportJudge * judge, ReportSummary * summary)
{
  judge->summary = summary;
  for (guint i = 0; i < judge->followings->len; i++) {
    Following *following = judge->followings->pdata[i];

    following->facts.summary = summary;
    following->facts.stream = summary->streams->pdata[following->stream];
    g_hash_table_remove_all (following->breaches);
  }
}
