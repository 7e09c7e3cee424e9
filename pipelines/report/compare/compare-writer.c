/* How a comparison is written: as text, and as an object of JSON on one line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/compare.h"

#include <math.h>
#include <string.h>

#include "base/describe.h"
#include "compare/compare-page.h"
#include "compare/pictures-writer.h"
#include "compare/sound-writer.h"
#include "summary/json.h"

/* The text lists so many figures of a stream. JSON has all. */
#define MOST_LISTED 10
#define LABEL "    %-14s "

static const gchar *const side_names[] = { "A", "B" };
static const gchar *const side_keys[] = { "a", "b" };

/* ---- Text ---------------------------------------------------------------------------------------- */

static void
append_notes (GString * text, GPtrArray * notes, const gchar * indent)
{
  for (guint i = 0; i < notes->len; i++) {
    g_string_append (text, indent);
    report_append_clean (text, notes->pdata[i]);
    g_string_append_c (text, '\n');
  }
}

/* Returns: (transfer full): a number with so many digits that it does not read as the other one */
static gchar *
print_number (gdouble number, gdouble other)
{
  for (gint digits = 6;; digits++) {
    g_autofree gchar *text = g_strdup_printf ("%.*g", digits, number);
    g_autofree gchar *other_text = g_strdup_printf ("%.*g", digits, other);

    if (number == other || digits == 17 || !g_str_equal (text, other_text))
      return g_steal_pointer (&text);
  }
}

enum
{ FIGURE, OF_A, OF_B, DIFFERENCE, TOLERANCE, UNIT, TIME, SPAN, RESULTS, N_COLUMNS };

/* Returns: (transfer full) (array zero-terminated): the cells of a row */
static gchar **
make_row (const ReportDifference * figure)
{
  const gboolean is_name = figure->kind == REPORT_TOLERANCE_NAME;
  const gboolean is_whole = !GST_CLOCK_TIME_IS_VALID (figure->time);
  gchar **cells = g_new0 (gchar *, N_COLUMNS + 1);
  GString *time = g_string_new (NULL), *span = g_string_new (NULL);

  if (!is_whole) {
    report_append_time (time, figure->time);
    report_append_time (span, figure->first);
    if (figure->last != figure->first) {
      g_string_append (span, " - ");
      report_append_time (span, figure->last);
    }
  }
  cells[FIGURE] = report_clean_text (g_strdup (figure->path));
  cells[OF_A] = is_name ? g_strdup (figure->name_a) :
      print_number (figure->a, figure->b);
  cells[OF_B] = is_name ? g_strdup (figure->name_b) :
      print_number (figure->b, figure->a);
  cells[DIFFERENCE] = is_name ? g_strdup ("other") :
      g_strdup_printf ("%+.4g", figure->difference);
  cells[TOLERANCE] = is_name ? g_strdup ("") :
      g_strdup_printf ("%.4g", figure->allowed);
  cells[UNIT] = g_strdup (is_name ? "" : figure->kind == REPORT_TOLERANCE_LIGHT ?
      "cd/m2" : figure->unit->unit);
  cells[TIME] = g_string_free (time, FALSE);
  cells[SPAN] = g_string_free (span, FALSE);
  cells[RESULTS] = is_whole ? g_strdup ("") :
      g_strdup_printf ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT,
      figure->n_over, figure->n);
  return cells;
}

/* Appends rows in columns: texts from the left, numbers from the right. */
static void
append_rows (GString * text, GPtrArray * rows)
{
  glong widths[N_COLUMNS] = { 0 };

  for (guint i = 0; i < rows->len; i++) {
    gchar **cells = rows->pdata[i];

    for (guint c = 0; c < N_COLUMNS; c++)
      widths[c] = MAX (widths[c], g_utf8_strlen (cells[c], -1));
  }
  for (guint i = 0; i < rows->len; i++) {
    gchar **cells = rows->pdata[i];

    g_string_append (text, "    ");
    for (guint c = 0; c < N_COLUMNS; c++) {
      const gint space = (gint) (widths[c] - g_utf8_strlen (cells[c], -1));
      const gboolean is_left = c == FIGURE || c == UNIT;

      g_string_append_printf (text, "%s%*s%s%*s", c > 0 ? "  " : "",
          is_left ? 0 : space, "", cells[c], is_left ? space : 0, "");
    }
    while (text->str[text->len - 1] == ' ')
      g_string_truncate (text, text->len - 1);
    g_string_append_c (text, '\n');
  }
}

static void
append_figures (GString * text, const ReportStreamComparison * compared)
{
  static const gchar *const head[] = { "figure", "A", "B", "difference",
    "tolerance", "unit", "time", "from - to", "", NULL
  };
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  const guint n = MIN (compared->n_different, MOST_LISTED);
  gchar **cells = g_strdupv ((gchar **) head);

  g_free (cells[RESULTS]);
  cells[RESULTS] = g_strdup (compared->streams[0]->stream->is_audio ?
      "windows" : "frames");
  g_ptr_array_add (rows, cells);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (rows, make_row (compared->figures->pdata[i]));
  if (n > 0)
    append_rows (text, rows);
  if (n < compared->n_different)
    g_string_append_printf (text, "    and %u more; --json lists all\n",
        compared->n_different - n);
}

static void
append_unmatched (GString * text, const gchar * side,
    const ReportUnmatched * unmatched, const gchar * results)
{
  g_autofree gchar *label = NULL;

  if (unmatched->n == 0)
    return;
  label = g_strdup_printf ("only in %s", side);
  g_string_append_printf (text, LABEL "%" G_GUINT64_FORMAT " %s%s between ",
      label, unmatched->n, results, unmatched->n == 1 ? "" : "s");
  report_append_time (text, unmatched->first);
  g_string_append (text, " and ");
  report_append_time (text, unmatched->last);
  g_string_append_c (text, '\n');
}

static void
append_stream (GString * text, const ReportStreamComparison * compared)
{
  const ReportStreamSummary *a = compared->streams[0];
  const ReportStreamSummary *b = compared->streams[1];
  const gchar *results;

  g_string_append (text, "  ");
  report_append_clean (text, (a != NULL ? a : b)->stream->title);
  if (a == NULL || b == NULL) {
    g_string_append_printf (text, ": only in %s\n",
        side_names[a == NULL ? 1 : 0]);
    return;
  }
  if (g_strcmp0 (a->stream->title, b->stream->title) != 0) {
    g_string_append (text, " and ");
    report_append_clean (text, b->stream->title);
  }
  results = a->stream->is_audio ? "window" : "frame";
  g_string_append (text, ": ");
  if (compared->has_frames && compared->are_paired)
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " pair%s of frames; ", compared->match.n, report_plural (compared->match.n));
  else if (compared->has_frames && compared->match.n == 0)
    g_string_append_printf (text, "no %s has the time of another; ", results);
  else if (compared->has_frames)
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " %s%s ha%s the same time; ",
        compared->match.n, results, report_plural (compared->match.n),
        compared->match.n == 1 ? "s" : "ve");
  if (compared->figures->len == 0)
    g_string_append (text, "no figure was compared\n");
  else if (compared->n_different == 0)
    g_string_append_printf (text, "none of %u figures differs\n",
        compared->figures->len);
  else
    g_string_append_printf (text, "%u of %u figures differ%s\n",
        compared->n_different, compared->figures->len,
        compared->n_different == 1 ? "s" : "");
  append_notes (text, compared->notes, "    ");
  if (compared->pictures != NULL)
    report_pictures_write_text (compared->pictures, text, LABEL);
  if (compared->sound != NULL)
    report_sound_write_text (compared->sound, text, LABEL);
  for (guint i = 0; i < compared->facts->len; i++) {
    const ReportFactDifference *fact = compared->facts->pdata[i];

    g_string_append_printf (text, LABEL, fact->name);
    report_append_clean (text, fact->a != NULL ? fact->a : "unknown");
    g_string_append (text, " -> ");
    report_append_clean (text, fact->b != NULL ? fact->b : "unknown");
    g_string_append_c (text, '\n');
  }
  if (ABS (compared->shift) >= (gint64) GST_MSECOND / 2)
    g_string_append_printf (text, LABEL "B begins %.3f s %s\n", "times",
        fabs ((gdouble) compared->shift / GST_SECOND),
        compared->shift > 0 ? "later" : "earlier");
  /* The pictures tell it already. */
  for (guint i = 0; i < 2 && !compared->are_paired; i++)
    append_unmatched (text, side_names[i], &compared->match.unmatched[i],
        results);
  append_figures (text, compared);
}

/* The first line: what --fail-on-difference makes the status of, and why. */
static void
append_verdict (GString * text, const ReportComparison * comparison)
{
  const gchar *separator = ": ";

  g_string_append (text, report_comparison_verdict_words[comparison->verdict]);
  if (comparison->verdict == REPORT_VERDICT_EQUAL_FIGURES)
    g_string_append (text, " within the tolerances");
  if (comparison->refusal != NULL) {
    g_string_append_printf (text, "%spictures not compared: ", separator);
    report_append_clean (text, comparison->refusal);
    separator = "; ";
  }
  /* A reason is said once. */
  if (comparison->sound_refusal != NULL && g_strcmp0 (comparison->refusal, comparison->sound_refusal) != 0) {
    g_string_append_printf (text, "%ssound not compared: %s", separator, comparison->sound_refusal);
    separator = "; ";
  }
  for (guint i = 0; i < comparison->streams->len; i++) {
    const ReportStreamComparison *compared = comparison->streams->pdata[i];
    const gboolean has_reasons = compared->verdict == comparison->verdict && compared->reasons->len > 0;

    if (!has_reasons && compared->shown == NULL)
      continue;
    g_string_append (text, separator);
    if (comparison->streams->len > 1) {
      report_append_clean (text, (compared->streams[0] != NULL ? compared->streams[0] : compared->streams[1])->stream->title);
      g_string_append (text, ": ");
    }
    for (guint k = 0; has_reasons && k < compared->reasons->len; k++) {
      g_string_append (text, k > 0 ? ", " : "");
      report_append_clean (text, compared->reasons->pdata[k]);
    }
    if (compared->shown != NULL) {
      g_string_append (text, has_reasons ? ", B is shown otherwise: " : "B is shown otherwise: ");
      report_append_clean (text, compared->shown);
    }
    separator = "; ";
  }
  for (guint i = 0; i < 2; i++) {
    if (!comparison->inputs[i]->is_complete)
      g_string_append_printf (text, "; %s is not complete", side_names[i]);
  }
  g_string_append_c (text, '\n');
}

/* A line for each rule that is about the comparison. The last result is that of the comparison itself. */
static void
append_policies (GString * text, const GPtrArray * policies)
{
  for (guint i = 0; i + 1 < policies->len; i++) {
    const ReportPolicyResult *policy = policies->pdata[i];

    g_string_append (text, "  policy ");
    report_append_clean (text, policy->name);
    g_string_append_printf (text, ": %s\n", report_verdict_names[policy->verdict]);
    for (guint r = 0; r < policy->rules->len; r++) {
      const ReportRuleResult *rule = policy->rules->pdata[r];

      for (guint f = 0; f < rule->findings->len; f++) {
        const ReportFinding *finding = rule->findings->pdata[f];
        g_autofree gchar *how = report_finding_describe (finding, rule);

        g_string_append_printf (text, "    %s: ", report_verdict_names[finding->verdict]);
        report_append_clean (text, rule->text);
        g_string_append (text, ": ");
        report_append_clean (text, how);
        g_string_append_c (text, '\n');
      }
      if (rule->findings->len == 0) {
        g_string_append_printf (text, "    %s: ", report_verdict_names[rule->verdict]);
        report_append_clean (text, rule->text);
        g_string_append_printf (text, ": %s\n", report_rule_why (rule));
      }
    }
  }
}

static GString *
make_text (const ReportComparison * comparison)
{
  GString *text = g_string_new (NULL);

  append_verdict (text, comparison);
  for (guint i = 0; i < 2; i++) {
    const ReportSummary *summary = comparison->inputs[i];

    g_string_append_printf (text, "%s: ", side_names[i]);
    report_append_clean (text, summary->name);
    g_string_append (text, ": ");
    report_append_time (text, summary->duration);
    g_string_append (text, summary->is_complete ? "\n" : ": NOT COMPLETE\n");
  }
  append_notes (text, comparison->notes, "  ");
  for (guint i = 0; i < comparison->streams->len; i++)
    append_stream (text, comparison->streams->pdata[i]);
  append_policies (text, comparison->checked->policies);
  return text;
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static void
add_texts (ReportJson * json, const gchar * key, GPtrArray * texts)
{
  if (texts->len == 0)
    return;
  report_json_begin_array (json, key);
  for (guint i = 0; i < texts->len; i++)
    report_json_put_text (json, texts->pdata[i]);
  report_json_end_array (json);
}

static void
add_figure (ReportJson * json, const ReportDifference * figure)
{
  const gboolean is_name = figure->kind == REPORT_TOLERANCE_NAME;

  report_json_begin_object (json, NULL);
  report_json_add_text (json, "figure", figure->path);
  report_json_add_text (json, "region", figure->region);
  if (is_name) {
    report_json_add_text (json, "a", figure->name_a);
    report_json_add_text (json, "b", figure->name_b);
  } else {
    report_json_add_text (json, "unit", figure->unit->unit);
    report_json_add_double (json, "a", figure->a);
    report_json_add_double (json, "b", figure->b);
    report_json_add_double (json, "difference", figure->difference);
    report_json_add_double (json, "tolerance", figure->allowed);
  }
  if (GST_CLOCK_TIME_IS_VALID (figure->time)) {
    report_json_add_time (json, "time", figure->time);
    report_json_add_time (json, "start", figure->first);
    report_json_add_time (json, "end", figure->last);
    report_json_add_int (json, "results", figure->n);
    report_json_add_int (json, "different-results", figure->n_over);
    if (!is_name)
      report_json_add_double (json, "mean-difference",
          figure->sum / (gdouble) figure->n);
  }
  report_json_end_object (json);
}

static void
add_match (ReportJson * json, const ReportStreamComparison * compared)
{
  report_json_add_int (json, "matched", compared->match.n);
  report_json_set_key (json, "shift");
  report_json_put_int (json, compared->shift);
  report_json_begin_object (json, "only-in");
  for (guint i = 0; i < 2; i++) {
    const ReportUnmatched *unmatched = &compared->match.unmatched[i];

    if (unmatched->n == 0)
      continue;
    report_json_begin_object (json, side_keys[i]);
    report_json_add_int (json, "results", unmatched->n);
    report_json_add_time (json, "length", unmatched->length);
    report_json_add_time (json, "start", unmatched->first);
    report_json_add_time (json, "end", unmatched->last);
    report_json_end_object (json);
  }
  report_json_end_object (json);
}

static void
add_stream (ReportJson * json, const ReportStreamComparison * compared)
{
  const gboolean is_pair = compared->figures != NULL;

  report_json_begin_object (json, NULL);
  for (guint i = 0; i < 2; i++) {
    if (compared->streams[i] == NULL)
      continue;
    report_json_begin_object (json, side_keys[i]);
    report_json_add_int (json, "stream", compared->streams[i]->stream->index);
    report_json_add_text (json, "media",
        compared->streams[i]->stream->is_audio ? "audio" : "video");
    report_json_add_text (json, "title", compared->streams[i]->stream->title);
    report_json_end_object (json);
  }
  report_json_add_text (json, "verdict", report_comparison_verdict_words[compared->verdict]);
  add_texts (json, "reasons", compared->reasons);
  report_json_add_text (json, "shown-otherwise", compared->shown);
  add_texts (json, "notes", compared->notes);
  if (compared->pictures != NULL) {
    report_json_begin_object (json, "pictures");
    report_pictures_write_json (compared->pictures, json);
    report_json_end_object (json);
  }
  if (compared->sound != NULL) {
    report_json_begin_object (json, "sound");
    report_sound_write_json (compared->sound, json);
    report_json_end_object (json);
  }
  if (is_pair && compared->facts->len > 0) {
    report_json_begin_array (json, "facts");
    for (guint i = 0; i < compared->facts->len; i++) {
      const ReportFactDifference *fact = compared->facts->pdata[i];

      report_json_begin_object (json, NULL);
      report_json_add_text (json, "fact", fact->name);
      report_json_add_text (json, "a", fact->a);
      report_json_add_text (json, "b", fact->b);
      report_json_end_object (json);
    }
    report_json_end_array (json);
  }
  if (is_pair && compared->has_frames)
    add_match (json, compared);
  if (is_pair) {
    report_json_add_int (json, "compared-figures", compared->figures->len);
    report_json_begin_array (json, "figures");
    for (guint i = 0; i < compared->n_different; i++)
      add_figure (json, compared->figures->pdata[i]);
    report_json_end_array (json);
  }
  report_json_end_object (json);
}

static GString *
make_json (const ReportComparison * comparison)
{
  ReportJson *json = report_json_new (FALSE);
  GString *text;

  report_json_begin_object (json, NULL);
  report_json_add_text (json, "type", "comparison");
  report_json_add_int (json, "version", REPORT_JSON_VERSION);
  for (guint i = 0; i < 2; i++) {
    const ReportSummary *summary = comparison->inputs[i];

    report_json_begin_object (json, side_keys[i]);
    report_json_add_text (json, "input", summary->name);
    report_json_add_text (json, "uri", summary->uri);
    report_json_set_key (json, "complete");
    report_json_put_boolean (json, summary->is_complete);
    report_json_add_time (json, "duration", summary->duration);
    report_json_end_object (json);
  }
  report_json_set_key (json, "different");
  report_json_put_boolean (json, comparison->verdict == REPORT_VERDICT_DIFFERENT);
  report_json_add_text (json, "verdict", report_comparison_verdict_words[comparison->verdict]);
  report_json_add_text (json, "pictures-not-compared", comparison->refusal);
  report_json_add_text (json, "sound-not-compared", comparison->sound_refusal);
  add_texts (json, "notes", comparison->notes);
  report_json_begin_object (json, "tolerances");
  for (guint i = 0; i < REPORT_N_TOLERANCES; i++)
    report_json_add_double (json, report_tolerance_names[i],
        comparison->settings->limits[i]);
  report_json_end_object (json);
  report_json_begin_array (json, "streams");
  for (guint i = 0; i < comparison->streams->len; i++)
    add_stream (json, comparison->streams->pdata[i]);
  report_json_end_array (json);
  report_json_end_object (json);
  text = report_json_finish (json);
  return g_string_append_c (text, '\n');
}

/* @format: the text, or that with the option "json"; @page: (nullable): gets a page of HTML */
gboolean
report_comparison_write (const ReportComparison * comparison,
    const ReportFormat * format, GOutputStream * to, GOutputStream * page, GError ** error)
{
  g_autoptr (GString) text = make_text (comparison);
  g_autoptr (GString) json = format->is_text ? NULL : make_json (comparison);
  const GString *written = json != NULL ? json : text;

  return g_output_stream_write_all (to, written->str, written->len, NULL, NULL, error)
      && (page == NULL || report_comparison_write_page (comparison, text->str, page, error));
}
