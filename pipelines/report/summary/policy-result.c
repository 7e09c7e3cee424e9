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
#include "summary/walk.h"

G_STATIC_ASSERT (HISTO_N_ZONES <= 32);

const gchar *const report_verdict_names[REPORT_N_VERDICTS] = {
  "SKIPPED", "PASS", "WARN", "FAIL"
};

/* By the numbers of HistoRuleSpace. */
static const gchar *const scope_names[] = {
  "frames", "whole", "fact"
};

/* ---- Tables ------------------------------------------------------------------------------------- */

static const gchar *const media_names[] = { HISTO_MEDIA_VIDEO, HISTO_MEDIA_AUDIO };

const ReportShape report_breach_shape = {
  .size = sizeof (ReportBreach),
  .members = (const ReportMember[]) {
      {"start", TIME, AT (ReportBreach, start)},
      {"end", END, AT (ReportBreach, end)},
      {"worst", NUMBER, AT (ReportBreach, worst)},
      {"worst-word", TEXT, AT (ReportBreach, word)},
      {"worst-time", TIME, AT (ReportBreach, worst_time)},
      {"input", TEXT, AT (ReportBreach, input)},
      NO_MEMBER}
};

static gboolean
check_zones (ReportWalk * walk, gpointer object)
{
  ReportFinding *finding = object;

  if (finding->zones == 0)
    finding->worst_zone = -1;
  return finding->zones == 0 || (finding->worst_zone >= 0 && finding->worst_zone < HISTO_N_ZONES)
      || report_walk_fail (walk, "worst-zone", "is none");
}

const ReportShape report_finding_shape = {
  .name = "finding",
  .text = "What a rule has found at a place of a stream. Times count from the start of the stream.",
  .size = sizeof (ReportFinding),
  .members = (const ReportMember[]) {
      {"stream", INT, AT (ReportFinding, stream)},
      {"title", TEXT, AT (ReportFinding, title)},
      {"media", NAME, AT (ReportFinding, is_audio), NEEDED, FIRST, NAMED (media_names)},
      {"place", TEXT, AT (ReportFinding, place), 0, FIRST},
      {"zones", FLAGS, AT (ReportFinding, zones), NOT_ZERO, .n = HISTO_N_ZONES},
      {"worst-zone", INT, AT (ReportFinding, worst_zone)},
      {"verdict", NAME, AT (ReportFinding, verdict), NEEDED, GREATEST, NAMED (report_verdict_names)},
      {"checked", COUNT, AT (ReportFinding, n_checked), NEEDED, LIMITED},
      {"skipped", COUNT, AT (ReportFinding, n_skipped), NEEDED, LIMITED},
      {"broken", COUNT, AT (ReportFinding, n_broken), NEEDED, LIMITED},
      {"broken-time", TIME, AT (ReportFinding, broken_time), NEEDED, LIMITED},
      {"longest", TIME, AT (ReportFinding, longest), NEEDED, GREATEST},
      {"worst", NUMBER, AT (ReportFinding, worst)},
      {"worst-word", TEXT, AT (ReportFinding, word)},
      {"worst-time", TIME, AT (ReportFinding, worst_time)},
      {"limit", NUMBER, AT (ReportFinding, limit)},
      {"breaches", COUNT, AT (ReportFinding, n_breaches), NEEDED, LIMITED},
      {"spans", OBJECTS, AT (ReportFinding, breaches), .n = 1, .shape = &report_breach_shape},
      NO_MEMBER},
  .check = check_zones,
  .most = MOST_SEARCHED
};

/* Earlier versions have a finding for each zone. */
static gboolean
join_zones (ReportWalk * walk, gpointer object)
{
  report_rule_result_join_zones (object);
  return TRUE;
}

/* A rule of another text is another rule: the file may have changed between the inputs. */
const ReportShape report_rule_shape = {
  .name = "rule",
  .text = "The verdict of a rule.",
  .size = sizeof (ReportRuleResult),
  .members = (const ReportMember[]) {
      {"id", TEXT, AT (ReportRuleResult, id), NEEDED, KEY},
      {"rule", TEXT, AT (ReportRuleResult, text), NEEDED, KEY},
      {"warn", BOOLEAN, AT (ReportRuleResult, is_warning), ALWAYS, KEY},
      {"of", NAME, AT (ReportRuleResult, scope), NEEDED, FIRST, NAMED (scope_names)},
      {"verdict", NAME, AT (ReportRuleResult, verdict), NEEDED, GREATEST, NAMED (report_verdict_names)},
      {"why", TEXT, AT (ReportRuleResult, why), 0, SAME},
      {"unit", TEXT, AT (ReportRuleResult, unit), 0, FIRST},
      {"findings", OBJECTS, AT (ReportRuleResult, findings), NEEDED, .shape = &report_finding_shape},
      NO_MEMBER},
  .check = join_zones,
  .most = MOST_SEARCHED
};

#define VERDICT_COUNT(name, verdict) {name, COUNT, AT (ReportPolicyResult, inputs[verdict]), NEEDED, LIMITED}

static const ReportShape inputs_shape = {
  .text = "The number of inputs with each verdict.",
  .members = (const ReportMember[]) {
      VERDICT_COUNT ("FAIL", HISTO_RULE_FAILED),
      VERDICT_COUNT ("WARN", HISTO_RULE_WARNED),
      VERDICT_COUNT ("PASS", HISTO_RULE_PASSED),
      VERDICT_COUNT ("SKIPPED", HISTO_RULE_SKIPPED),
      NO_MEMBER}
};

const ReportShape report_policy_shape = {
  .name = "policy",
  .text = "The verdicts of an input by a policy, or of merged inputs.",
  .size = sizeof (ReportPolicyResult),
  .members = (const ReportMember[]) {
      {"policy", TEXT, AT (ReportPolicyResult, name), NEEDED, KEY},
      {"title", TEXT, AT (ReportPolicyResult, title), 0, FIRST},
      {"source", TEXT, AT (ReportPolicyResult, source), 0, FIRST},
      {"notes", TEXTS, AT (ReportPolicyResult, notes), 0, FIRST, .n = 1},
      {"verdict", NAME, AT (ReportPolicyResult, verdict), NEEDED, GREATEST, NAMED (report_verdict_names)},
      {"inputs", OBJECT, 0, ALWAYS, INSIDE, .shape = &inputs_shape},
      {"rules", OBJECTS, AT (ReportPolicyResult, rules), NEEDED, MATCHED, .shape = &report_rule_shape},
      NO_MEMBER},
  .most = MOST_SEARCHED
};

/* ---- Zones -------------------------------------------------------------------------------------- */

/* @zone: (out). Returns: FALSE: the finding is not of one zone */
static gboolean
get_zone (const ReportFinding * finding, gint * zone)
{
  const gchar *place = finding->place;
  guint64 number;

  if (place == NULL || !g_str_has_prefix (place, "zone ")
      || !g_ascii_string_to_unsigned (place + strlen ("zone "), 10, 0,
          HISTO_N_ZONES - 1, &number, NULL))
    return FALSE;
  *zone = (gint) number;
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

/* Spans of several zones that overlap or touch are one, with the worst value of them.
 *
 * @all: (element-type ReportBreach): is sorted
 * Returns: (transfer full) (element-type ReportBreach) */
static GPtrArray *
join_breaches (GPtrArray * all, gdouble limit)
{
  GPtrArray *joined = report_objects_new ();
  ReportBreach *last = NULL;

  g_ptr_array_sort (all, compare_breaches);
  for (guint i = 0; i < all->len; i++) {
    const ReportBreach *breach = all->pdata[i];

    if (last == NULL || g_strcmp0 (last->input, breach->input) != 0
        || (GST_CLOCK_TIME_IS_VALID (breach->start)
            && breach->start > last->end)) {
      last = report_objects_add_copy (joined, &report_breach_shape, breach);
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
  g_autoptr (GPtrArray) breaches = g_ptr_array_new ();
  GPtrArray *joined;
  ReportFinding *worst = NULL;
  guint64 n_breaches = 0;
  guint32 zones = 0;
  gint zone;

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
    g_ptr_array_extend (breaches, finding->breaches, NULL, NULL);
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
  gint zone;

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

/* What was not measured completely does not pass: the rest may break a rule. */
void
report_policy_result_limit (ReportPolicyResult * policy, gboolean is_complete)
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
    rule->verdict = HISTO_RULE_SKIPPED;
    for (guint f = 0; f < rule->findings->len; f++)
      rule->verdict = MAX (rule->verdict, ((const ReportFinding *) rule->findings->pdata[f])->verdict);
    policy->verdict = MAX (policy->verdict, rule->verdict);
  }
  report_policy_result_limit (policy, is_complete);
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

/**
 * report_policy_results_foreach_case:
 * @func: is called for each finding of each rule; once, without a value, for a rule that no stream has a value for
 */
void
report_policy_results_foreach_case (const GPtrArray * results, ReportCaseFunc func, gpointer data)
{
  ReportFinding *none = report_object_new (&report_finding_shape);

  for (guint p = 0; p < results->len; p++) {
    const ReportPolicyResult *policy = results->pdata[p];

    for (guint r = 0; r < policy->rules->len; r++) {
      const ReportRuleResult *rule = policy->rules->pdata[r];

      for (guint f = 0; f < rule->findings->len; f++)
        func (data, policy, rule, rule->findings->pdata[f]);
      if (rule->findings->len == 0)
        func (data, policy, rule, none);
    }
  }
  report_object_free (none);
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
  g_autofree gchar *value = describe_value (finding->worst, finding->word, unit);

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
      g_string_append_printf (text, ", most in zone %d", finding->worst_zone);
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

/* Returns: (transfer full): the rule and its worst value: "integrated: -14.1 LUFS" */
gchar *
report_finding_tell_briefly (const ReportFinding * finding, const ReportRuleResult * rule)
{
  g_autofree gchar *value = describe_value (finding->worst, finding->word, rule->unit);

  return g_strconcat (rule->id, ": ", finding->n_checked > 0 ? value : report_rule_why (rule), NULL);
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
