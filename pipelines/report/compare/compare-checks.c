/* Checks a comparison against policies, as if it were an input; see compare-checks.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/compare-checks.h"

#include <math.h>
#include <string.h>

#include "cudahisto/rule-figures.h"
#include "policy/policy-judge.h"

/* ---- Figures ------------------------------------------------------------------------------------- */

/* The figures of the same kind of each component, in the order of HISTO_COMPARED_OF(). */
static const gchar *const component_names[] = { "Y", "U", "V", "R", "G", "B", "A" };

/* Returns: (transfer full): as HistoComparedFigure; NaN: absent */
static gdouble *
make_no_figures (void)
{
  gdouble *figures = g_new (gdouble, HISTO_N_COMPARED);

  for (guint i = 0; i < HISTO_N_COMPARED; i++)
    figures[i] = NAN;
  return figures;
}

static gdouble *
make_sound_figures (const ReportSoundDifference * sound)
{
  gdouble *figures = make_no_figures ();

  figures[HISTO_COMPARED_SOUND] = sound->relative;
  /* Without a difference there is no worst second. */
  figures[HISTO_COMPARED_SOUND_MAX] = sound->n_different > 0 ? sound->worst_relative : sound->relative;
  figures[HISTO_COMPARED_SOUND_DELAY] = (gdouble) sound->delay * 1000 / sound->rate;
  figures[HISTO_COMPARED_SOUND_DIFFERENT] = (gdouble) sound->n_different;
  figures[HISTO_COMPARED_SOUND_MISSING] = (gdouble) sound->n_unpaired[0];
  figures[HISTO_COMPARED_SOUND_ADDED] = (gdouble) sound->n_unpaired[1];
  return figures;
}

static gdouble *
make_figures (const ReportPicturesResult * pictures)
{
  gdouble *figures = make_no_figures ();
  guint64 n_unpaired[2] = { 0, 0 };

  for (guint i = 0; i < pictures->unpaired->len; i++) {
    const ReportUnpaired *unpaired = &g_array_index (pictures->unpaired, ReportUnpaired, i);

    n_unpaired[unpaired->side] += unpaired->n;
  }
  figures[HISTO_COMPARED_DIFFERENT] = (gdouble) (pictures->pairs->len - pictures->n_equal);
  figures[HISTO_COMPARED_MISSING] = (gdouble) n_unpaired[0];
  figures[HISTO_COMPARED_ADDED] = (gdouble) n_unpaired[1];
  if (pictures->pairs->len == 0)
    return figures;
  figures[HISTO_COMPARED_PSNR] = report_pictures_total_psnr (pictures);
  figures[HISTO_COMPARED_SSIM] = report_pictures_total_ssim (pictures);
  figures[HISTO_COMPARED_PSNR_MIN] = figures[HISTO_COMPARED_SSIM_MIN] = INFINITY;
  for (guint i = 0; i < pictures->pairs->len; i++) {
    const ReportFramePair *pair = &g_array_index (pictures->pairs, ReportFramePair, i);

    figures[HISTO_COMPARED_PSNR_MIN] = fmin (figures[HISTO_COMPARED_PSNR_MIN], pair->psnr);
    figures[HISTO_COMPARED_SSIM_MIN] = fmin (figures[HISTO_COMPARED_SSIM_MIN], pair->ssim);
  }
  figures[HISTO_COMPARED_MAX_DIFFERENCE] = 0;
  for (guint c = 0; c < pictures->n_components; c++) {
    const ReportPicturesComponent *component = &pictures->components[c];

    figures[HISTO_COMPARED_MAX_DIFFERENCE] = fmax (figures[HISTO_COMPARED_MAX_DIFFERENCE], component->max_difference);
    for (guint i = 0; i < G_N_ELEMENTS (component_names); i++) {
      if (!g_str_equal (component_names[i], component->name))
        continue;
      figures[HISTO_COMPARED_PSNR_Y + i] = report_pictures_psnr (component);
      figures[HISTO_COMPARED_SSIM_Y + i] = component->ssim / pictures->pairs->len;
      if (component->n_xpsnr > 0)
        figures[HISTO_COMPARED_XPSNR_Y + i] = component->xpsnr / (gdouble) component->n_xpsnr;
    }
  }
  return figures;
}

/* ---- Verdicts ------------------------------------------------------------------------------------ */

/* The verdict of the comparison as that of a rule of a policy, which JUnit and SARIF show. */
static void
add_own (const ReportComparison * comparison, ReportSummary * summary)
{
  ReportPolicyResult *own = report_objects_add (summary->policies, &report_policy_shape);
  ReportRuleResult *rule = report_objects_add (own->rules, &report_rule_shape);

  own->name = g_strdup ("compare");
  own->title = g_strdup ("A and B are equal, or within the tolerances");
  rule->id = g_strdup ("same");
  rule->text = g_strdup ("the streams are the same");
  rule->scope = HISTO_RULE_OF_FACTS;
  for (guint i = 0; i < comparison->streams->len; i++) {
    const ReportStreamComparison *compared = comparison->streams->pdata[i];
    const ReportStream *stream = (compared->streams[0] != NULL ? compared->streams[0] : compared->streams[1])->stream;
    ReportFinding *finding = report_objects_add (rule->findings, &report_finding_shape);
    GString *reasons = g_string_new (NULL);

    for (guint k = 0; k < compared->reasons->len; k++)
      g_string_append_printf (reasons, "%s%s", k > 0 ? ", " : "", (const gchar *) compared->reasons->pdata[k]);
    finding->stream = (gint) stream->index;
    finding->title = g_strdup (stream->title);
    finding->is_audio = stream->is_audio;
    finding->verdict = compared->verdict == REPORT_VERDICT_DIFFERENT ? HISTO_RULE_FAILED : HISTO_RULE_PASSED;
    finding->n_checked = 1;
    finding->worst = finding->limit = NAN;
    finding->word = g_string_free (reasons, FALSE);
    if (finding->verdict == HISTO_RULE_FAILED) {
      ReportBreach *breach = report_objects_add (finding->breaches, &report_breach_shape);

      finding->n_broken = finding->n_breaches = 1;
      breach->worst = NAN;
      breach->word = g_strdup (finding->word);
    }
  }
  report_policy_result_finish (own, summary->is_complete);
}

static gboolean
is_of_comparison (const HistoRule * rule)
{
  return rule->figure->space == HISTO_RULE_OF_FACTS && rule->figure->row->offset >= HISTO_FIRST_COMPARED;
}

/* Leaves out the rules that are about inputs: these are checked when each input is measured. */
static void
leave_out_others (ReportSummary * summary, const GPtrArray * policies)
{
  for (guint i = policies->len; i-- > 0;) {
    const ReportPolicy *policy = policies->pdata[i];
    ReportPolicyResult *result = summary->policies->pdata[i];

    for (guint r = result->rules->len; r-- > 0;) {
      if (!is_of_comparison (histo_rules_get (policy->rules, r)))
        g_ptr_array_remove_index (result->rules, r);
    }
    memset (result->inputs, 0, sizeof result->inputs);
    report_policy_result_finish (result, summary->is_complete);
    if (result->rules->len == 0)
      g_ptr_array_remove_index (summary->policies, i);
  }
}

/**
 * report_comparison_check:
 * @policies: (element-type ReportPolicy)
 *
 * Returns: (transfer full): the comparison as an input that was checked: the verdicts of the policies' rules about
 *   comparisons; and, as the last one, that of the comparison itself
 */
ReportSummary *
report_comparison_check (const ReportComparison * comparison, const GPtrArray * policies)
{
  const ReportSummary *a = comparison->inputs[0], *b = comparison->inputs[1];
  g_autofree gchar *name = g_strdup_printf ("%s -> %s", a->name, b->name);
  ReportSummary *summary = report_summary_new (name);
  ReportJudge *judge;

  summary->uri = g_strdup (b->uri);
  summary->is_complete = a->is_complete && b->is_complete;
  summary->seconds = NAN;
  if (!summary->is_complete)
    report_summary_complain (summary, REPORT_PROBLEM_OTHER, 0, "an input was not measured completely");
  for (guint i = 0; i < comparison->streams->len; i++) {
    const ReportStreamComparison *compared = comparison->streams->pdata[i];
    ReportStreamSummary *stream;

    if (compared->streams[0] == NULL || compared->streams[1] == NULL)
      continue;
    stream = report_summary_add_stream (summary, compared->streams[0]->stream);
    /* Else a notice says that it has none. */
    stream->n_results = compared->streams[0]->n_results;
    if (compared->pictures != NULL)
      stream->compared = make_figures (compared->pictures);
    else if (compared->sound != NULL)
      stream->compared = make_sound_figures (compared->sound);
  }
  judge = report_judge_new (policies, summary);
  report_judge_end (judge);
  report_judge_free (judge);
  leave_out_others (summary, policies);
  add_own (comparison, summary);
  return summary;
}
