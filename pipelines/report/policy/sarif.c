/* Writes the verdicts of all inputs as SARIF 2.1.0: a run, in which each rule of a policy is a rule, and each rule at
 * each place of an input a result.
 *
 * GitHub shows only results with a location that has a line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "policy/policy-files.h"

#include <math.h>

#include "summary/json.h"

#define PROGRAM "cudahisto-report"
#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* ---- Rules -------------------------------------------------------------------------------------- */

/* Returns: (transfer full): what tells a rule from those of other policies */
static gchar *
id_of (const ReportPolicyResult * policy, const ReportRuleResult * rule)
{
  return g_strdup_printf ("%s/%s", policy->name, rule->id);
}

static void
add_message (JsonBuilder * json, const gchar * key, const gchar * text)
{
  gchar *clean = report_clean_text (g_strdup (text));

  report_json_begin_object (json, key);
  report_json_add_text (json, "text", clean);
  json_builder_end_object (json);
  g_free (clean);
}

/* Where the rule is from, and what the policy does not check. */
static void
add_help (JsonBuilder * json, const ReportPolicyResult * policy)
{
  gchar *notes = policy->notes != NULL ? g_strjoinv (" ", policy->notes) : NULL;
  gchar *text = g_strdup_printf ("Policy %s. Source: %s. %s", policy->name,
      policy->source != NULL ? policy->source : "not told",
      notes != NULL ? notes : "");

  add_message (json, "help", g_strchomp (text));
  g_free (text);
  g_free (notes);
}

static void
add_rule (JsonBuilder * json, const ReportPolicyResult * policy,
    const ReportRuleResult * rule, const gchar * id)
{
  json_builder_begin_object (json);
  report_json_add_text (json, "id", id);
  report_json_add_text (json, "name", rule->id);
  add_message (json, "shortDescription", rule->text);
  add_message (json, "fullDescription",
      policy->title != NULL ? policy->title : policy->name);
  add_help (json, policy);
  report_json_begin_object (json, "defaultConfiguration");
  report_json_add_text (json, "level", rule->is_warning ? "warning" : "error");
  json_builder_end_object (json);
  json_builder_end_object (json);
}

static gboolean
is_all_complete (const ReportChecks * checks)
{
  for (guint i = 0; i < checks->inputs->len; i++) {
    if (!((const ReportChecked *) checks->inputs->pdata[i])->is_complete)
      return FALSE;
  }
  return TRUE;
}

/* What each input must be, whatever the policies are. Its ID is like none of a policy, which has a slash. */
#define COMPLETE "measured-completely"

static void
add_rule_of_measuring (JsonBuilder * json)
{
  json_builder_begin_object (json);
  report_json_add_text (json, "id", COMPLETE);
  report_json_add_text (json, "name", COMPLETE);
  add_message (json, "shortDescription", "The input was measured completely");
  add_message (json, "fullDescription", "The input was measured completely");
  add_message (json, "help", "The verdicts of an input that was not measured "
      "completely are of what was measured.");
  report_json_begin_object (json, "defaultConfiguration");
  report_json_add_text (json, "level", "error");
  json_builder_end_object (json);
  json_builder_end_object (json);
}

/* Adds each rule once: all inputs were checked against the same ones, unless they are results of several runs.
 *
 * @ids: (element-type utf8 uint): gets the number of each rule by its ID */
static void
add_rules (JsonBuilder * json, const ReportChecks * checks, GHashTable * ids)
{
  report_json_begin_array (json, "rules");
  for (guint i = 0; i < checks->inputs->len; i++) {
    const ReportChecked *input = checks->inputs->pdata[i];

    for (guint p = 0; p < input->policies->len; p++) {
      const ReportPolicyResult *policy = input->policies->pdata[p];

      for (guint r = 0; r < policy->rules->len; r++) {
        gchar *id = id_of (policy, policy->rules->pdata[r]);

        if (g_hash_table_contains (ids, id)) {
          g_free (id);
          continue;
        }
        add_rule (json, policy, policy->rules->pdata[r], id);
        g_hash_table_insert (ids, id,
            GUINT_TO_POINTER (g_hash_table_size (ids)));
      }
    }
  }
  if (!is_all_complete (checks))
    add_rule_of_measuring (json);
  json_builder_end_array (json);
}

/* ---- Results ------------------------------------------------------------------------------------ */

/* Returns: (transfer full): the address, relative to the current folder for a file in it */
static gchar *
relative_uri (const ReportChecked * input)
{
  GFile *here = g_file_new_for_path (".");
  GFile *file = input->uri != NULL ? g_file_new_for_uri (input->uri) :
      g_file_new_for_path (input->name);
  gchar *path = g_file_get_relative_path (here, file);
  gchar *uri = path != NULL ? g_uri_escape_string (path, "/", FALSE) :
      g_file_get_uri (file);

  g_free (path);
  g_object_unref (file);
  g_object_unref (here);
  return uri;
}

static void
add_location (JsonBuilder * json, const gchar * uri)
{
  report_json_begin_array (json, "locations");
  json_builder_begin_object (json);
  report_json_begin_object (json, "physicalLocation");
  report_json_begin_object (json, "artifactLocation");
  report_json_add_text (json, "uri", uri);
  json_builder_end_object (json);
  report_json_begin_object (json, "region");
  report_json_add_int (json, "startLine", 1);
  json_builder_end_object (json);
  json_builder_end_object (json);
  json_builder_end_object (json);
  json_builder_end_array (json);
}

/* The same in each run, so that a result is the one of an earlier run. */
static void
add_fingerprint (JsonBuilder * json, const gchar * uri, const gchar * id,
    const gchar * where)
{
  gchar *text = g_strjoin ("\n", uri, id, where, NULL);
  gchar *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);

  report_json_begin_object (json, "partialFingerprints");
  report_json_add_text (json, "ruleAtPlace/v1", sum);
  json_builder_end_object (json);
  g_free (sum);
  g_free (text);
}

static void
add_seconds (JsonBuilder * json, const gchar * key, guint64 time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    report_json_add_double (json, key, (gdouble) time / GST_SECOND);
}

/* Times in seconds from the start of the stream; the first and the last of a rule that is broken several times. */
static void
add_properties (JsonBuilder * json, const ReportFinding * finding)
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
  json_builder_end_object (json);
}

/* @is_complete: if not, what has passed so far is open */
static void
add_result (JsonBuilder * json, const gchar * uri, const gchar * id, guint number,
    const ReportRuleResult * rule, const ReportFinding * finding,
    gboolean is_complete)
{
  static const gchar *const levels[REPORT_N_VERDICTS] = {
    "none", "none", "warning", "error"
  };
  static const gchar *const kinds[REPORT_N_VERDICTS] = {
    "notApplicable", "pass", "fail", "fail"
  };
  gchar *where = report_finding_where (finding);
  gchar *how = report_finding_tell (finding, rule);
  gchar *message = g_strdup_printf ("%s; %s", rule->text, how);

  json_builder_begin_object (json);
  report_json_add_text (json, "ruleId", id);
  report_json_add_int (json, "ruleIndex", number);
  report_json_add_text (json, "level", levels[finding->verdict]);
  report_json_add_text (json, "kind", !is_complete
      && finding->verdict == HISTO_RULE_PASSED ? "open" : kinds[finding->verdict]);
  add_message (json, "message", message);
  add_location (json, uri);
  add_fingerprint (json, uri, id, where != NULL ? where : "");
  add_properties (json, finding);
  json_builder_end_object (json);
  g_free (message);
  g_free (how);
  g_free (where);
}

static void
add_results_of_rule (JsonBuilder * json, const gchar * uri, const gchar * id,
    guint number, const ReportRuleResult * rule, gboolean is_complete)
{
  GPtrArray *none;

  for (guint f = 0; f < rule->findings->len; f++)
    add_result (json, uri, id, number, rule, rule->findings->pdata[f],
        is_complete);
  if (rule->findings->len > 0)
    return;
  /* What a rule has that no stream has a value for. */
  none = report_findings_new ();
  add_result (json, uri, id, number, rule, report_findings_add (none),
      is_complete);
  g_ptr_array_unref (none);
}

/* @number: of the rule */
static void
add_incomplete (JsonBuilder * json, const gchar * uri,
    const ReportChecked * input, guint number)
{
  json_builder_begin_object (json);
  report_json_add_text (json, "ruleId", COMPLETE);
  report_json_add_int (json, "ruleIndex", number);
  report_json_add_text (json, "level", "error");
  report_json_add_text (json, "kind", "fail");
  add_message (json, "message", input->problem);
  add_location (json, uri);
  add_fingerprint (json, uri, COMPLETE, "");
  json_builder_end_object (json);
}

static void
add_results (JsonBuilder * json, const ReportChecks * checks, GHashTable * ids)
{
  report_json_begin_array (json, "results");
  for (guint i = 0; i < checks->inputs->len; i++) {
    const ReportChecked *input = checks->inputs->pdata[i];
    gchar *uri = relative_uri (input);

    for (guint p = 0; p < input->policies->len; p++) {
      const ReportPolicyResult *policy = input->policies->pdata[p];

      for (guint r = 0; r < policy->rules->len; r++) {
        gchar *id = id_of (policy, policy->rules->pdata[r]);

        add_results_of_rule (json, uri, id,
            GPOINTER_TO_UINT (g_hash_table_lookup (ids, id)),
            policy->rules->pdata[r], input->is_complete);
        g_free (id);
      }
    }
    if (!input->is_complete)
      add_incomplete (json, uri, input, g_hash_table_size (ids));
    g_free (uri);
  }
  json_builder_end_array (json);
}

/* Whether all was measured, and what was not. */
static void
add_invocation (JsonBuilder * json, const ReportChecks * checks)
{
  report_json_begin_array (json, "invocations");
  json_builder_begin_object (json);
  json_builder_set_member_name (json, "executionSuccessful");
  json_builder_add_boolean_value (json, is_all_complete (checks));
  report_json_begin_array (json, "toolExecutionNotifications");
  for (guint i = 0; i < checks->inputs->len; i++) {
    const ReportChecked *input = checks->inputs->pdata[i];
    gchar *text;

    if (input->is_complete)
      continue;
    text = g_strdup_printf ("%s: %s", input->name, input->problem);
    json_builder_begin_object (json);
    report_json_add_text (json, "level", "error");
    add_message (json, "message", text);
    json_builder_end_object (json);
    g_free (text);
  }
  json_builder_end_array (json);
  json_builder_end_object (json);
  json_builder_end_array (json);
}

/* ---- The file ----------------------------------------------------------------------------------- */

static void
add_run (JsonBuilder * json, const ReportChecks * checks)
{
  GHashTable *ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  json_builder_begin_object (json);
  report_json_begin_object (json, "tool");
  report_json_begin_object (json, "driver");
  report_json_add_text (json, "name", PROGRAM);
  report_json_add_text (json, "version", PACKAGE_VERSION);
  add_rules (json, checks, ids);
  json_builder_end_object (json);
  json_builder_end_object (json);
  add_invocation (json, checks);
  add_results (json, checks, ids);
  json_builder_end_object (json);
  g_hash_table_unref (ids);
}

gboolean
report_sarif_write (const ReportChecks * checks, GOutputStream * to,
    GError ** error)
{
  JsonBuilder *json = json_builder_new ();
  GString *text;
  gboolean ok;

  json_builder_begin_object (json);
  report_json_add_text (json, "$schema", SCHEMA);
  report_json_add_text (json, "version", "2.1.0");
  report_json_begin_array (json, "runs");
  add_run (json, checks);
  json_builder_end_array (json);
  json_builder_end_object (json);
  text = report_json_finish (json, TRUE);
  g_string_append_c (text, '\n');
  ok = g_output_stream_write_all (to, text->str, text->len, NULL, NULL, error);
  g_string_free (text, TRUE);
  return ok;
}
