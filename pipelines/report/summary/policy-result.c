/* The verdicts of policies: how they add up, and how they read; see policy-result.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/policy-result.h"

#include <gst/gst.h>
#include <math.h>
#include <string.h>

#include "cudahisto/measures.h"
#include "base/describe.h"
#include "summary/notice.h"

G_STATIC_ASSERT (HISTO_N_ZONES <= 32);

const gchar *const report_verdict_names[REPORT_N_VERDICTS] = {
  "SKIPPED", "PASS", "WARN", "FAIL"
};

const gchar *const report_scope_names[REPORT_N_SCOPES] = {
  "frames", "whole", "fact"
};

/* ---- Making and freeing ------------------------------------------------------------------------- */

static void
breach_free (gpointer data)
{
  ReportBreach *breach = data;

  g_free (breach->word);
  g_free (breach->input);
  g_free (breach);
}

static void
finding_free (gpointer data)
{
  ReportFinding *finding = data;

  g_free (finding->title);
  g_free (finding->place);
  g_free (finding->word);
  g_ptr_array_unref (finding->breaches);
  g_free (finding);
}

static void
rule_free (gpointer data)
{
  ReportRuleResult *rule = data;

  g_free (rule->id);
  g_free (rule->text);
  g_free (rule->unit);
  g_free (rule->why);
  g_ptr_array_unref (rule->findings);
  g_free (rule);
}

static void
policy_free (gpointer data)
{
  ReportPolicyResult *policy = data;

  g_free (policy->name);
  g_free (policy->title);
  g_free (policy->source);
  g_strfreev (policy->notes);
  g_ptr_array_unref (policy->rules);
  g_free (policy);
}

/* Returns: (transfer full) (element-type ReportPolicyResult): none */
GPtrArray *
report_policy_results_new (void)
{
  return g_ptr_array_new_with_free_func (policy_free);
}

ReportPolicyResult *
report_policy_results_add (GPtrArray * results)
{
  ReportPolicyResult *policy = g_new0 (ReportPolicyResult, 1);

  policy->rules = g_ptr_array_new_with_free_func (rule_free);
  g_ptr_array_add (results, policy);
  return policy;
}

/* Returns: (transfer full) (element-type ReportFinding): none */
GPtrArray *
report_findings_new (void)
{
  return g_ptr_array_new_with_free_func (finding_free);
}

ReportRuleResult *
report_policy_result_add_rule (ReportPolicyResult * policy)
{
  ReportRuleResult *rule = g_new0 (ReportRuleResult, 1);

  rule->findings = report_findings_new ();
  g_ptr_array_add (policy->rules, rule);
  return rule;
}

/* Returns: (transfer full) (element-type ReportBreach): none */
GPtrArray *
report_breaches_new (void)
{
  return g_ptr_array_new_with_free_func (breach_free);
}

ReportBreach *
report_breaches_add (GPtrArray * breaches)
{
  ReportBreach *breach = g_new0 (ReportBreach, 1);

  breach->start = breach->end = breach->worst_time = GST_CLOCK_TIME_NONE;
  breach->worst = NAN;
  g_ptr_array_add (breaches, breach);
  return breach;
}

ReportFinding *
report_findings_add (GPtrArray * findings)
{
  ReportFinding *finding = g_new0 (ReportFinding, 1);

  finding->stream = -1;
  finding->worst = finding->limit = NAN;
  finding->worst_time = GST_CLOCK_TIME_NONE;
  finding->breaches = report_breaches_new ();
  g_ptr_array_add (findings, finding);
  return finding;
}

/* ---- Zones -------------------------------------------------------------------------------------- */

/* @zone: (out). Returns: FALSE: the finding is not of one zone */
static gboolean
get_zone (const ReportFinding * finding, guint * zone)
{
  const gchar *place = finding->place;
  guint64 number;

  if (place == NULL || !g_str_has_prefix (place, "zone ")
      || !g_ascii_string_to_unsigned (place + strlen ("zone "), 10, 0,
          HISTO_N_ZONES - 1, &number, NULL))
    return FALSE;
  *zone = number;
  return TRUE;
}

/* Returns: the more, the worse the value is: a broken limit is far away, and one that is kept is near; NaN: unknown */
static gdouble
badness_of (HistoRuleVerdict verdict, gdouble value, gdouble limit)
{
  return verdict >= HISTO_RULE_WARNED ? fabs (value - limit) :
      -fabs (value - limit);
}

/* Returns: whether @one is worse than @other */
static gboolean
is_worse (const ReportFinding * one, const ReportFinding * other)
{
  const gdouble a = badness_of (one->verdict, one->worst, one->limit);
  const gdouble b = badness_of (other->verdict, other->worst, other->limit);

  if (one->verdict != other->verdict)
    return one->verdict > other->verdict;
  return a > b || (!(a < b) && one->n_broken > other->n_broken);
}

static gint
compare_breaches (gconstpointer a, gconstpointer b)
{
  const ReportBreach *one = *(ReportBreach * const *) a;
  const ReportBreach *other = *(ReportBreach * const *) b;
  const gint inputs = g_strcmp0 (one->input, other->input);

  return inputs != 0 ? inputs : one->start < other->start ? -1 :
      one->start > other->start;
}

static ReportBreach *
copy_breach (GPtrArray * to, const ReportBreach * breach)
{
  ReportBreach *copy = report_breaches_add (to);

  *copy = *breach;
  copy->word = g_strdup (breach->word);
  copy->input = g_strdup (breach->input);
  return copy;
}

/* Spans of several zones that overlap or touch are one, with the worst value of them.
 *
 * @all: (element-type ReportBreach): is sorted
 * Returns: (transfer full) (element-type ReportBreach) */
static GPtrArray *
join_breaches (GPtrArray * all, gdouble limit)
{
  GPtrArray *joined = report_breaches_new ();
  ReportBreach *last = NULL;

  g_ptr_array_sort (all, compare_breaches);
  for (guint i = 0; i < all->len; i++) {
    const ReportBreach *breach = all->pdata[i];

    if (last == NULL || g_strcmp0 (last->input, breach->input) != 0
        || (GST_CLOCK_TIME_IS_VALID (breach->start)
            && breach->start > last->end)) {
      last = copy_breach (joined, breach);
      continue;
    }
    last->end = MAX (last->end, breach->end);
    if (fabs (breach->worst - limit) > fabs (last->worst - limit)) {
      last->worst = breach->worst;
      last->worst_time = breach->worst_time;
    }
  }
  return joined;
}

/* Makes one finding of those of the stream's zones. */
static void
join_zones_of_stream (ReportRuleResult * rule, gint stream)
{
  g_autoptr (GPtrArray) breaches = report_breaches_new ();
  GPtrArray *joined;
  ReportFinding *worst = NULL;
  guint64 n_breaches = 0;
  guint32 zones = 0;
  guint zone;

  for (guint i = 0; i < rule->findings->len; i++) {
    ReportFinding *finding = rule->findings->pdata[i];

    if (finding->stream == stream && get_zone (finding, &zone)
        && (worst == NULL || is_worse (finding, worst)))
      worst = finding;
  }
  get_zone (worst, &worst->worst_zone);
  for (guint i = 0; i < rule->findings->len; i++) {
    const ReportFinding *finding = rule->findings->pdata[i];

    if (finding->stream != stream || !get_zone (finding, &zone)
        || finding->verdict != worst->verdict)
      continue;
    zones |= 1u << zone;
    n_breaches = MAX (n_breaches, finding->n_breaches);
    for (guint k = 0; k < finding->breaches->len; k++)
      copy_breach (breaches, finding->breaches->pdata[k]);
  }
  joined = join_breaches (breaches, worst->limit);
  worst->n_breaches = n_breaches > REPORT_MOST_BREACHES ? n_breaches :
      joined->len;
  if (joined->len > REPORT_MOST_BREACHES)
    g_ptr_array_set_size (joined, REPORT_MOST_BREACHES);
  g_ptr_array_unref (worst->breaches);
  worst->breaches = joined;
  for (guint i = rule->findings->len; i-- > 0;) {
    ReportFinding *finding = rule->findings->pdata[i];

    if (finding != worst && finding->stream == stream
        && get_zone (finding, &zone))
      g_ptr_array_remove_index (rule->findings, i);
  }
  worst->zones = zones;
  g_clear_pointer (&worst->place, g_free);
}

/* Returns: (nullable): the first finding of a zone */
static const ReportFinding *
find_zone (const ReportRuleResult * rule)
{
  guint zone;

  for (guint i = 0; i < rule->findings->len; i++) {
    if (get_zone (rule->findings->pdata[i], &zone))
      return rule->findings->pdata[i];
  }
  return NULL;
}

/**
 * report_rule_result_join_zones:
 * @rule: of one input
 *
 * A flash is in many zones at once: people get one finding that names the zones.
 */
void
report_rule_result_join_zones (ReportRuleResult * rule)
{
  const ReportFinding *finding;

  while ((finding = find_zone (rule)) != NULL)
    join_zones_of_stream (rule, finding->stream);
}

/* ---- Verdicts ----------------------------------------------------------------------------------- */

static void
finish_rule (ReportRuleResult * rule)
{
  rule->verdict = HISTO_RULE_SKIPPED;
  for (guint i = 0; i < rule->findings->len; i++) {
    const ReportFinding *finding = rule->findings->pdata[i];

    rule->verdict = MAX (rule->verdict, finding->verdict);
  }
}

/* What was not measured completely does not pass: the rest may break a rule. */
static void
limit_verdict (ReportPolicyResult * policy, gboolean is_complete)
{
  policy->is_incomplete = policy->is_incomplete || !is_complete;
  if (policy->is_incomplete && policy->verdict == HISTO_RULE_PASSED)
    policy->verdict = HISTO_RULE_SKIPPED;
}

/**
 * report_policy_result_finish:
 * @policy: of one input, whose findings have their verdicts
 *
 * Finds the verdicts of the rules and of the input: the worst ones.
 */
void
report_policy_result_finish (ReportPolicyResult * policy, gboolean is_complete)
{
  policy->verdict = HISTO_RULE_SKIPPED;
  for (guint i = 0; i < policy->rules->len; i++) {
    ReportRuleResult *rule = policy->rules->pdata[i];

    report_rule_result_join_zones (rule);
    finish_rule (rule);
    policy->verdict = MAX (policy->verdict, rule->verdict);
  }
  limit_verdict (policy, is_complete);
  policy->inputs[policy->verdict] = 1;
}

/* Returns: the worst verdict of all policies */
HistoRuleVerdict
report_policy_results_verdict (const GPtrArray * results)
{
  HistoRuleVerdict verdict = HISTO_RULE_SKIPPED;

  for (guint i = 0; i < results->len; i++)
    verdict = MAX (verdict,
        ((const ReportPolicyResult *) results->pdata[i])->verdict);
  return verdict;
}

/* ---- Adding up ---------------------------------------------------------------------------------- */

static ReportPolicyResult *
find_policy (GPtrArray * all, const ReportPolicyResult * wanted)
{
  ReportPolicyResult *policy;

  for (guint i = 0; i < all->len; i++) {
    policy = all->pdata[i];
    if (g_strcmp0 (policy->name, wanted->name) == 0)
      return policy;
  }
  policy = report_policy_results_add (all);
  policy->name = g_strdup (wanted->name);
  policy->title = g_strdup (wanted->title);
  policy->source = g_strdup (wanted->source);
  policy->notes = g_strdupv (wanted->notes);
  return policy;
}

/* A rule of another text is another rule: the file may have changed between the inputs. */
static ReportRuleResult *
find_rule (ReportPolicyResult * policy, const ReportRuleResult * wanted)
{
  ReportRuleResult *rule;

  for (guint i = 0; i < policy->rules->len; i++) {
    rule = policy->rules->pdata[i];
    if (g_strcmp0 (rule->id, wanted->id) == 0
        && g_strcmp0 (rule->text, wanted->text) == 0
        && rule->is_warning == wanted->is_warning)
      return rule;
  }
  rule = report_policy_result_add_rule (policy);
  rule->id = g_strdup (wanted->id);
  rule->text = g_strdup (wanted->text);
  rule->is_warning = wanted->is_warning;
  rule->scope = wanted->scope;
  rule->unit = g_strdup (wanted->unit);
  rule->why = g_strdup (wanted->why);
  return rule;
}

/* Skipped in all inputs for one reason. */
static void
merge_why (ReportRuleResult * all, const ReportRuleResult * rule)
{
  if (all->verdict != HISTO_RULE_SKIPPED || g_strcmp0 (all->why, rule->why) != 0)
    g_clear_pointer (&all->why, g_free);
}

static ReportFinding *
find_finding (ReportRuleResult * rule, gint stream, const gchar * title,
    const ReportFinding * wanted)
{
  ReportFinding *finding;

  for (guint i = 0; i < rule->findings->len; i++) {
    finding = rule->findings->pdata[i];
    if (finding->stream == stream
        && g_strcmp0 (finding->place, wanted->place) == 0
        && (finding->zones == 0) == (wanted->zones == 0))
      return finding;
  }
  finding = report_findings_add (rule->findings);
  finding->stream = stream;
  finding->title = g_strdup (title);
  finding->is_audio = wanted->is_audio;
  finding->place = g_strdup (wanted->place);
  finding->zones = wanted->zones;
  finding->worst_zone = wanted->worst_zone;
  return finding;
}

/* Which of two values is worse only the rule knows. That of the worse verdict is; of equal ones the first. */
static void
merge_worst (ReportFinding * all, const ReportFinding * finding)
{
  const gboolean has_none = isnan (all->worst) && all->word == NULL;

  if (finding->verdict <= all->verdict && !has_none)
    return;
  all->worst = finding->worst;
  all->worst_zone = finding->worst_zone;
  all->limit = finding->limit;
  g_free (all->word);
  all->word = g_strdup (finding->word);
}

static guint64
add_limited (guint64 a, guint64 b)
{
  return a > G_MAXINT64 - MIN (b, G_MAXINT64) ? G_MAXINT64 : a + b;
}

static void
merge_finding (ReportFinding * all, const ReportFinding * finding,
    const gchar * input)
{
  merge_worst (all, finding);
  if (finding->verdict >= all->verdict)
    all->zones = finding->zones | (finding->verdict == all->verdict ?
        all->zones : 0);
  all->verdict = MAX (all->verdict, finding->verdict);
  all->n_checked = add_limited (all->n_checked, finding->n_checked);
  all->n_skipped = add_limited (all->n_skipped, finding->n_skipped);
  all->n_broken = add_limited (all->n_broken, finding->n_broken);
  all->broken_time = add_limited (all->broken_time, finding->broken_time);
  all->longest = MAX (all->longest, finding->longest);
  all->n_breaches = add_limited (all->n_breaches, finding->n_breaches);
  for (guint i = 0; i < finding->breaches->len
      && all->breaches->len < REPORT_MOST_BREACHES; i++) {
    const ReportBreach *breach = finding->breaches->pdata[i];
    ReportBreach *added = report_breaches_add (all->breaches);

    *added = *breach;
    added->word = g_strdup (breach->word);
    added->input = g_strdup (breach->input != NULL ? breach->input : input);
  }
}

/**
 * report_policy_results_merge:
 * @all: (inout): the sum so far
 * @results: of an input, or of merged ones
 * @input: its name
 * @is_complete: whether it was measured completely
 * @map: finds the stream of the sum
 *
 * A rule has the worst verdict that it has in an input: `frames 14` is a limit for each input. Counts and times add up.
 */
void
report_policy_results_merge (GPtrArray * all, const GPtrArray * results,
    const gchar * input, gboolean is_complete, ReportMapStream map,
    gpointer data)
{
  for (guint p = 0; p < results->len; p++) {
    const ReportPolicyResult *policy = results->pdata[p];
    ReportPolicyResult *sum = find_policy (all, policy);

    for (guint i = 0; i < REPORT_N_VERDICTS; i++)
      sum->inputs[i] = add_limited (sum->inputs[i], policy->inputs[i]);
    sum->verdict = MAX (sum->verdict, policy->verdict);
    limit_verdict (sum, is_complete);
    for (guint r = 0; r < policy->rules->len; r++) {
      const ReportRuleResult *rule = policy->rules->pdata[r];
      ReportRuleResult *rule_sum = find_rule (sum, rule);

      rule_sum->verdict = MAX (rule_sum->verdict, rule->verdict);
      merge_why (rule_sum, rule);
      for (guint f = 0; f < rule->findings->len; f++) {
        const ReportFinding *finding = rule->findings->pdata[f];
        const gchar *title = finding->title;
        const gint stream = finding->stream < 0 ? -1 :
            map (data, finding->stream, &title);

        merge_finding (find_finding (rule_sum, stream, title, finding),
            finding, input);
      }
    }
  }
}

/* ---- In words ----------------------------------------------------------------------------------- */

/* Units of figures and facts that people read behind a number; others are counts, or shares. */
static const gchar *const units[] = {
  "dB", "dBFS", "dBTP", "LUFS", "LU", "cd/m²", "s", "Hz", "frames/s", "bit/s", NULL
};

static gboolean
is_share (const gchar * unit)
{
  return g_strcmp0 (unit, "share") == 0
      || g_strcmp0 (unit, "share of pixels") == 0;
}

/* Numbers with four digits, and all of those before the point: "-19.1 LUFS", "5.9 %", "48000 Hz".
 *
 * Returns: (transfer full): the word in quotes, or the number with its unit */
static gchar *
describe_value (gdouble number, const gchar * word, const gchar * unit)
{
  const gdouble shown = is_share (unit) ? 100 * number : number;
  const gchar *behind = "";
  g_autofree gchar *text = NULL;

  if (word != NULL)
    return g_strdup_printf ("\"%s\"", word);
  if (is_share (unit) || g_strcmp0 (unit, "percent") == 0)
    behind = "%";
  else if (unit != NULL && g_strv_contains (units, unit))
    behind = unit;
  text = fabs (shown) >= 1000 && fabs (shown) < 1e15 ?
      g_strdup_printf ("%.0f", shown) : g_strdup_printf ("%.4g", shown);
  return g_strconcat (text, *behind != '\0' ? " " : "", behind, NULL);
}

/* Returns: why a rule was skipped */
const gchar *
report_rule_why (const ReportRuleResult * rule)
{
  return rule->why != NULL ? rule->why : "no value to check";
}

/* Returns: (transfer full) (nullable): the stream and the place; NULL: there is neither */
gchar *
report_finding_where (const ReportFinding * finding)
{
  if (finding->title == NULL)
    return g_strdup (finding->place);
  return finding->place == NULL ? g_strdup (finding->title) :
      g_strdup_printf ("%s, %s", finding->title, finding->place);
}

static void
append_worst (GString * text, const gchar * lead, const ReportFinding * finding,
    const gchar * unit)
{
  g_autofree gchar *value =
      describe_value (finding->worst, finding->word, unit);

  g_string_append_printf (text, "%s %s", lead, value);
  if (GST_CLOCK_TIME_IS_VALID (finding->worst_time)) {
    g_string_append (text, " at ");
    report_append_time (text, finding->worst_time);
  }
}

/* @zones: flags
 *
 * Returns: (transfer full): "zones 0 to 4 and 7"; of none ""
 */
gchar *
report_describe_zones (guint32 zones)
{
  GString *text = g_string_new (NULL);
  guint n = 0, n_listed = 0, n_runs = 0;

  for (guint i = 0; i < HISTO_N_ZONES; i++) {
    n += zones >> i & 1;
    n_runs += (zones >> i & 1) != 0 && (i == 0 || (zones >> (i - 1) & 1) == 0);
  }
  if (n == HISTO_N_ZONES)
    g_string_append_printf (text, "all %u zones", n);
  else if (n > 0)
    g_string_append (text, n == 1 ? "zone" : "zones");
  for (guint i = 0, end; n < HISTO_N_ZONES && i < HISTO_N_ZONES; i = end + 1) {
    for (end = i; (zones >> end & 1) != 0 && (zones >> end & 2) != 0; end++)
      continue;
    if ((zones >> i & 1) == 0)
      continue;
    g_string_append (text, n_listed == 0 ? " " : n_listed + 1 == n_runs ?
        " and " : ", ");
    g_string_append_printf (text, end > i ? "%u to %u" : "%u", i, end);
    n_listed++;
  }
  return g_string_free (text, FALSE);
}

/**
 * report_finding_describe:
 *
 * Returns: (transfer full): how much is wrong, or how far from that it is: "20 of 1000 frames (2 %), 0.8 s; worst 0.05
 * at 0:00:12.400", behind the zones
 */
gchar *
report_finding_describe (const ReportFinding * finding,
    const ReportRuleResult * rule)
{
  const HistoRuleSpace scope = rule->scope;
  GString *text = g_string_new (NULL);
  const gchar *what = finding->is_audio ? "window" : "frame";

  if (finding->zones != 0) {
    g_autofree gchar *zones = report_describe_zones (finding->zones);

    g_string_append (text, zones);
    if ((finding->zones & (finding->zones - 1)) != 0 && finding->verdict >= HISTO_RULE_WARNED)
      g_string_append_printf (text, ", most in zone %u", finding->worst_zone);
    g_string_append (text, ": ");
  }
  if (finding->n_checked == 0) {
    g_string_append (text, report_rule_why (rule));
  } else if (finding->n_checked == 1) {
    append_worst (text, "is", finding, rule->unit);
  } else {
    if (scope != HISTO_RULE_OF_FRAMES)
      what = "input";
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
        " %s%s", finding->n_broken, finding->n_checked, what,
        report_plural (finding->n_checked));
    if (finding->n_broken > 0)
      g_string_append_printf (text, " (%.3g %%)",
          100.0 * finding->n_broken / finding->n_checked);
    if (finding->broken_time >= GST_MSECOND / 2)
      g_string_append_printf (text, ", %.3f s",
          (gdouble) finding->broken_time / GST_SECOND);
    append_worst (text, "; worst", finding, rule->unit);
  }
  if (finding->n_skipped > 0 && scope == HISTO_RULE_OF_FRAMES)
    g_string_append_printf (text, "; %" G_GUINT64_FORMAT " %s%s without a value",
        finding->n_skipped, what, report_plural (finding->n_skipped));
  return g_string_free (text, FALSE);
}

/* Returns: (transfer full): the same behind the stream and the place, or behind what has no stream */
gchar *
report_finding_tell (const ReportFinding * finding,
    const ReportRuleResult * rule)
{
  g_autofree gchar *where = report_finding_where (finding);
  g_autofree gchar *how = report_finding_describe (finding, rule);

  return g_strconcat (where != NULL ? where : "the file", ": ", how, NULL);
}

/* Returns: (transfer full): "0:00:12.400 - 0:00:13.200 (0.05)", behind the name of its input */
gchar *
report_breach_describe (const ReportBreach * breach,
    const ReportRuleResult * rule)
{
  g_autofree gchar *value =
      describe_value (breach->worst, breach->word, rule->unit);
  g_autofree gchar *word = g_strdup_printf ("(%s)", value);

  if (GST_CLOCK_TIME_IS_VALID (breach->start))
    return report_notice_span_describe (&(ReportNoticeSpan) {breach->start,
            breach->end, FALSE, breach->input, NULL, word});
  return breach->input != NULL ? g_strconcat (breach->input, " ", value, NULL) :
      g_steal_pointer (&value);
}
