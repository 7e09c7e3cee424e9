/* Writes the verdicts and the notices of all inputs as SARIF 2.1.0: a run, in which each rule of a policy is a rule, and each
 * rule at each place of an input a result; and each kind of notice is a rule, and each notice a result.
 *
 * GitHub shows only results with a location that has a line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "writers/policy-files.h"

#include <math.h>

#include "summary/json.h"

#define PROGRAM "cudahisto-report"
#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* ---- Rules -------------------------------------------------------------------------------------- */

/* Returns: (transfer full): an ID that no rule of another policy has */
static gchar *
id_of (const ReportPolicyResult * policy, const ReportRuleResult * rule)
{
  return g_strdup_printf ("%s/%s", policy->name, rule->id);
}

static void
add_message (ReportJson * json, const gchar * key, const gchar * text)
{
  g_autofree gchar *clean = report_clean_text (g_strdup (text));

  report_json_begin_object (json, key);
  report_json_add_text (json, "text", clean);
  report_json_end_object (json);
}

static void
add_rule (ReportJson * json, const gchar * id, const gchar * name,
    const gchar * text, const gchar * title, const gchar * help,
    const gchar * level)
{
  report_json_begin_object (json, NULL);
  report_json_add_text (json, "id", id);
  report_json_add_text (json, "name", name);
  add_message (json, "shortDescription", text);
  add_message (json, "fullDescription", title);
  add_message (json, "help", help);
  report_json_begin_object (json, "defaultConfiguration");
  report_json_add_text (json, "level", level);
  report_json_end_object (json);
  report_json_end_object (json);
}

/* Its help says where the rule is from, and what the policy does not check. */
static void
add_rule_of_policy (ReportJson * json, const ReportPolicyResult * policy,
    const ReportRuleResult * rule, const gchar * id)
{
  g_autofree gchar *notes =
      policy->notes != NULL ? g_strjoinv (" ", policy->notes) : NULL;
  g_autofree gchar *help = g_strdup_printf ("Policy %s. Source: %s. %s",
      policy->name, policy->source != NULL ? policy->source : "not told",
      notes != NULL ? notes : "");

  add_rule (json, id, rule->id, rule->text,
      policy->title != NULL ? policy->title : policy->name, g_strchomp (help),
      rule->is_warning ? "warning" : "error");
}

/* What each input must be, whatever the policies are. */
#define COMPLETE "measured-completely"

static const gchar *const levels_of_notices[REPORT_N_SEVERITIES] = {
  "error", "warning", "note"
};

/* Returns: the ID of the rule that a notice breaks, which is of no policy: it has no slash */
static const gchar *
id_of_notice (const ReportNotice * notice)
{
  return report_notice_is_incomplete (notice) ? COMPLETE :
      report_notice_kind_names[notice->kind];
}

static void
add_rule_of_notice (ReportJson * json, const ReportNotice * notice)
{
  const gchar *id = id_of_notice (notice);
  g_autofree gchar *text = g_strdup_printf ("Notices of the kind %s", id);

  if (report_notice_is_incomplete (notice))
    add_rule (json, id, id, "The input was measured completely",
        "The input was measured completely", "The verdicts of an input that was "
        "not measured completely are of what was measured.", "error");
  else
    add_rule (json, id, id, text, text, "The program finds them whatever the "
        "policies are.", levels_of_notices[notice->severity]);
}

/* Returns: whether it is new; then it gets the next number */
static gboolean
take_id (GHashTable * ids, const gchar * id)
{
  return !g_hash_table_contains (ids, id) && g_hash_table_insert (ids,
      g_strdup (id), GUINT_TO_POINTER (g_hash_table_size (ids)));
}

/* Adds each rule once: all inputs were checked against the same ones, unless they are results of several runs.
 *
 * @ids: (element-type utf8 uint): gets the number of each rule by its ID */
static void
add_rules (ReportJson * json, const ReportChecks * checks, GHashTable * ids)
{
  report_json_begin_array (json, "rules");
  for (guint i = 0; i < checks->inputs->len; i++) {
    const ReportChecked *input = checks->inputs->pdata[i];

    for (guint p = 0; p < input->policies->len; p++) {
      const ReportPolicyResult *policy = input->policies->pdata[p];

      for (guint r = 0; r < policy->rules->len; r++) {
        g_autofree gchar *id = id_of (policy, policy->rules->pdata[r]);

        if (take_id (ids, id))
          add_rule_of_policy (json, policy, policy->rules->pdata[r], id);
      }
    }
  }
  for (guint i = 0; i < checks->inputs->len; i++) {
    const GPtrArray *notices =
        ((const ReportChecked *) checks->inputs->pdata[i])->notices;

    for (guint n = 0; n < notices->len; n++) {
      const ReportNotice *notice = notices->pdata[n];

      if (!notice->is_of_policy && take_id (ids, id_of_notice (notice)))
        add_rule_of_notice (json, notice);
    }
  }
  report_json_end_array (json);
}

/* ---- Results ------------------------------------------------------------------------------------ */

/* Returns: (transfer full): the address, relative to the current folder for a file in it */
static gchar *
relative_uri (const ReportChecked * input)
{
  g_autoptr (GFile) here = g_file_new_for_path (".");
  g_autoptr (GFile) file = input->uri != NULL ? g_file_new_for_uri (input->uri) :
      g_file_new_for_path (input->name);
  g_autofree gchar *path = g_file_get_relative_path (here, file);

  return path != NULL ? g_uri_escape_string (path, "/", FALSE) :
      g_file_get_uri (file);
}

/* Adds what all results have, where they are, and a print, which is the same in each run, so that a result is the one of an
 * earlier run.
 *
 * @where: in the input */
static void
begin_result (ReportJson * json, GHashTable * ids, const gchar * id,
    const gchar * level, const gchar * kind, const gchar * message,
    const gchar * uri, const gchar * where)
{
  g_autofree gchar *text = g_strjoin ("\n", uri, id, where, NULL);
  g_autofree gchar *sum =
      g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);

  report_json_begin_object (json, NULL);
  report_json_add_text (json, "ruleId", id);
  report_json_add_int (json, "ruleIndex",
      GPOINTER_TO_UINT (g_hash_table_lookup (ids, id)));
  report_json_add_text (json, "level", level);
  report_json_add_text (json, "kind", kind);
  add_message (json, "message", message);
  report_json_begin_array (json, "locations");
  report_json_begin_object (json, NULL);
  report_json_begin_object (json, "physicalLocation");
  report_json_begin_object (json, "artifactLocation");
  report_json_add_text (json, "uri", uri);
  report_json_end_object (json);
  report_json_begin_object (json, "region");
  report_json_add_int (json, "startLine", 1);
  report_json_end_object (json);
  report_json_end_object (json);
  report_json_end_object (json);
  report_json_end_array (json);
  report_json_begin_object (json, "partialFingerprints");
  report_json_add_text (json, "ruleAtPlace/v1", sum);
  report_json_end_object (json);
}

static void
add_seconds (ReportJson * json, const gchar * key, guint64 time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    report_json_add_double (json, key, (gdouble) time / GST_SECOND);
}

/* Times in seconds from the start of the stream; the first and the last of a rule that is broken several times. */
static void
add_properties (ReportJson * json, const ReportFinding * finding)
{
  const GPtrArray *breaches = finding->breaches;

  report_json_begin_object (json, "properties");
  if (breaches->len > 0) {
    const ReportBreach *first = breaches->pdata[0];
    const ReportBreach *last = breaches->pdata[breaches->len - 1];

    add_seconds (json, "start", first->start);
    add_seconds (json, "end", last->end);
  }
  if (finding->word != NULL)
    report_json_add_text (json, "value", finding->word);
  else
    report_json_add_double (json, "value", finding->worst);
  report_json_add_double (json, "limit", finding->limit);
  report_json_add_int (json, "checked", finding->n_checked);
  report_json_add_int (json, "broken", finding->n_broken);
  report_json_end_object (json);
}

typedef struct
{
  ReportJson *json;
  GHashTable *ids;
  const gchar *uri;             /* of the input */
  gboolean is_complete;         /* if not, what has passed so far is open */
} Results;

/* A ReportCaseFunc. */
static void
add_result (gpointer data, const ReportPolicyResult * policy,
    const ReportRuleResult * rule, const ReportFinding * finding)
{
  const Results *results = data;
  static const gchar *const levels[REPORT_N_VERDICTS] = {
    "none", "none", "warning", "error"
  };
  static const gchar *const kinds[REPORT_N_VERDICTS] = {
    "notApplicable", "pass", "fail", "fail"
  };
  g_autofree gchar *id = id_of (policy, rule);
  g_autofree gchar *where = report_finding_where (finding);
  g_autofree gchar *how = report_finding_tell (finding, rule);
  g_autofree gchar *message = g_strdup_printf ("%s; %s", rule->text, how);

  begin_result (results->json, results->ids, id, levels[finding->verdict], !results->is_complete
      && finding->verdict == HISTO_RULE_PASSED ? "open" :
      kinds[finding->verdict], message, results->uri, where != NULL ? where : "");
  add_properties (results->json, finding);
  report_json_end_object (results->json);
}

/* Adds the notices of an input that are of no policy. Several of a kind are counted in their prints. */
static void
add_notices (ReportJson * json, GHashTable * ids, const gchar * uri,
    const GPtrArray * notices)
{
  guint n[REPORT_N_NOTICE_KINDS] = { 0 };

  for (guint i = 0; i < notices->len; i++) {
    const ReportNotice *notice = notices->pdata[i];
    g_autofree gchar *message = NULL, *where = NULL;

    if (notice->is_of_policy)
      continue;
    message = report_notice_spans_join (notice->text, notice->spans, 0);
    where = n[notice->kind] == 0 ? g_strdup ("") :
        g_strdup_printf ("%u", n[notice->kind]);
    n[notice->kind]++;
    begin_result (json, ids, id_of_notice (notice),
        levels_of_notices[notice->severity], "fail", message, uri, where);
    report_json_end_object (json);
  }
}

static void
add_results (ReportJson * json, const ReportChecks * checks, GHashTable * ids)
{
  report_json_begin_array (json, "results");
  for (guint i = 0; i < checks->inputs->len; i++) {
    const ReportChecked *input = checks->inputs->pdata[i];
    g_autofree gchar *uri = relative_uri (input);

    report_policy_results_foreach_case (input->policies, add_result, &(Results) {json, ids, uri, input->is_complete});
    add_notices (json, ids, uri, input->notices);
  }
  report_json_end_array (json);
}

/* Whether all was measured, and what was not. */
static void
add_invocation (ReportJson * json, const ReportChecks * checks)
{
  gboolean is_complete = TRUE;

  for (guint i = 0; i < checks->inputs->len; i++)
    is_complete = is_complete && ((const ReportChecked *) checks->inputs->pdata[i])->is_complete;
  report_json_begin_array (json, "invocations");
  report_json_begin_object (json, NULL);
  report_json_set_key (json, "executionSuccessful");
  report_json_put_boolean (json, is_complete);
  report_json_begin_array (json, "toolExecutionNotifications");
  for (guint i = 0; i < checks->inputs->len; i++) {
    const ReportChecked *input = checks->inputs->pdata[i];
    const ReportNotice *first =
        input->notices->len > 0 ? input->notices->pdata[0] : NULL;
    g_autofree gchar *text = NULL;

    if (input->is_complete)
      continue;
    text = g_strdup_printf ("%s: %s", input->name, first->text);
    report_json_begin_object (json, NULL);
    report_json_add_text (json, "level", "error");
    add_message (json, "message", text);
    report_json_end_object (json);
  }
  report_json_end_array (json);
  report_json_end_object (json);
  report_json_end_array (json);
}

/* ---- The file ----------------------------------------------------------------------------------- */

static void
add_run (ReportJson * json, const ReportChecks * checks)
{
  g_autoptr (GHashTable) ids =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  report_json_begin_object (json, NULL);
  report_json_begin_object (json, "tool");
  report_json_begin_object (json, "driver");
  report_json_add_text (json, "name", PROGRAM);
  report_json_add_text (json, "version", PACKAGE_VERSION);
  add_rules (json, checks, ids);
  report_json_end_object (json);
  report_json_end_object (json);
  add_invocation (json, checks);
  add_results (json, checks, ids);
  report_json_end_object (json);
}

gboolean
report_sarif_write (const ReportChecks * checks, GOutputStream * to,
    GError ** error)
{
  ReportJson *json = report_json_new (TRUE);
  g_autoptr (GString) text = NULL;

  report_json_begin_object (json, NULL);
  report_json_add_text (json, "$schema", SCHEMA);
  report_json_add_text (json, "version", "2.1.0");
  report_json_begin_array (json, "runs");
  add_run (json, checks);
  report_json_end_array (json);
  report_json_end_object (json);
  text = report_json_finish (json);
  g_string_append_c (text, '\n');
  return g_output_stream_write_all (to, text->str, text->len, NULL, NULL, error);
}
