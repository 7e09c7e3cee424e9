/* Fuzzer: the text of rules.
 *
 * The first byte of an input is the kind of the rules. Each other byte is a character, or from 128 on a word of the
 * language. A text is refused with an error that lies inside it, or it becomes rules. Then each rule alone is read again
 * as the same rule, and the rules are followed through random results.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuzz.h"

#include "../unit/results.h"

#include <math.h>
#include <string.h>

#include "cudahisto/rules.h"

static const gchar *const words[] = {
  "a: ", "warn ", "b: ", "title ", "source ", "note ", "Y.mean", "Y.p99", "signal.brng", "signal.saturation.max",
  "signal.bits-used.*", "regions.*.", "regions.face.", "flash.zones.*.", "flash.zones.7.", "flash.state", "transitions",
  "state", "ch*.rms", "ch0.", "ch*.mean", "pairs.*.", "pairs.ch0+ch1.", "balance", "loudness.true-peak.*",
  "loudness.integrated", "area.width", "field.multi", "hdr.max", "motion.", "motion.Y.max", "whole.", "fact.", "width",
  "transfer", "max-cll", ".min", ".max", ".mean", " < ", " <= ", " > ", " >= ", " = ", " != ", " within ", " +- ", "3",
  "0.03", "-23", "1e9", " %", " dB", " dBTP", " LUFS", " LU", " cd/m2", " code8", " for ", " in ", " frames ", "2 s",
  "20 ms", "1 min", "0.1 %", "14", "\"pass\"", "\"extended\"", "\"tff\"", "\"", "# ", ";", "\n", "\r\n", "\xc3\xa4",
};

static HistoResult results[4];

/* Returns: (transfer full): the text that the input means */
static gchar *
make_text (FuzzBytes * bytes)
{
  GString *text = g_string_new (NULL);

  while (bytes->left > 0) {
    const guint8 byte = fuzz_u8 (bytes);

    if (byte < 128)
      g_string_append_c (text, byte);
    else if (byte - 128u < G_N_ELEMENTS (words))
      g_string_append (text, words[byte - 128]);
    else
      g_string_append_c (text, byte);   /* no UTF-8 */
  }
  return g_string_free (text, FALSE);
}

/* An error is a line, and lies inside the text or just behind a line. */
static void
check_error (const gchar * text, const GError * error, guint line, guint column)
{
  const gchar *begin = text, *end;
  guint n = 0;

  fuzz_check (g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS), "no error");
  fuzz_check (strchr (error->message, '\n') == NULL && g_utf8_validate (error->message, -1, NULL), "%s", error->message);
  fuzz_check (line >= 1 && column >= 1, "place %u:%u", line, column);
  for (guint i = 1; i < line; i++) {
    begin = strchr (begin, '\n');
    fuzz_check (begin != NULL, "line %u: %s", line, text);
    begin++;
  }
  end = begin + strcspn (begin, "\n");
  for (const gchar * c = begin; c < end; c++)
    n += ((guchar) * c & 0xc0) != 0x80;
  fuzz_check (column <= n + 1, "place %u:%u, of %u: %s", line, column, n, text);
}

static gboolean
are_equal_figures (const HistoRuleFigure * a, const HistoRuleFigure * b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return g_str_equal (histo_rule_figure_path (a), histo_rule_figure_path (b))
      && histo_rule_figure_space (a) == histo_rule_figure_space (b);
}

static gboolean
are_equal (const HistoRule * a, const HistoRule * b)
{
  return g_str_equal (a->id, b->id) && a->is_warning == b->is_warning && g_str_equal (a->text, b->text)
      && are_equal_figures (a->figure, b->figure) && a->op == b->op && a->operand == b->operand
      && a->number == b->number && a->margin == b->margin && a->is_code8 == b->is_code8
      && are_equal_figures (a->limit, b->limit) && g_strcmp0 (a->word, b->word) == 0 && a->tolerance == b->tolerance
      && a->duration == b->duration && a->percent == b->percent && a->n_results == b->n_results
      && a->groups == b->groups && a->is_video == b->is_video && a->is_audio == b->is_audio;
}

static void
check_rule (const HistoRule * rule, HistoRulesKind kind)
{
  guint line, column;
  HistoRules *again = histo_rules_parse (rule->text, kind, &line, &column, NULL);

  fuzz_check (again != NULL && histo_rules_get_n (again) == 1, "%u:%u: %s", line, column, rule->text);
  fuzz_check (are_equal (rule, histo_rules_get (again, 0)), "another rule: %s", rule->text);
  fuzz_check (rule->is_video || rule->is_audio, "no medium: %s", rule->text);
  histo_rules_unref (again);
}

static gboolean
look_up (HistoRuleSpace space, const gchar * path, HistoRuleValue * value, gpointer data)
{
  /* The name of a region may have any character. */
  const gboolean has_place = g_str_has_prefix (path, "regions.") ? !g_str_has_prefix (path, "regions.*.") :
      strchr (path, '*') == NULL;

  fuzz_check (space != HISTO_RULE_OF_FRAMES && has_place && *path != '\0', "%s", path);
  value->number = strlen (path);
  value->word = "smpte2084";
  return strlen (path) % 2 == 0;
}

/* Begins and ends take turns. */
static void
check_events (const GArray * events)
{
  for (guint i = 0; i < events->len; i++) {
    const HistoRuleEvent *event = &g_array_index (events, HistoRuleEvent, i);
    gboolean is_open = FALSE;

    fuzz_check (!isnan (event->value) && !isnan (event->limit), "no value");
    for (guint k = 0; k < i; k++) {
      const HistoRuleEvent *other = &g_array_index (events, HistoRuleEvent, k);

      if (other->place == event->place)
        is_open = !other->is_end;
    }
    fuzz_check (is_open == event->is_end, "event %u", i);
  }
}

static void
follow (HistoRules * rules)
{
  HistoRuleStates *states = histo_rule_states_new (rules);
  GArray *events = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));
  GArray *findings = g_array_new (FALSE, FALSE, sizeof (HistoRuleFinding));

  g_array_set_clear_func (findings, histo_rule_finding_clear);
  histo_rule_states_set_lookup (states, look_up, NULL);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (results); i++)
    histo_rule_states_pass (states, &results[i / 2], i * GST_SECOND, i == 3 ? GST_CLOCK_TIME_NONE :
        (i + 1) * GST_SECOND, events);
  histo_rule_states_end (states, events);
  if (events->len < 300)
    check_events (events);
  fuzz_check (!histo_rule_states_are_followed (states), "a span is open");
  histo_rule_states_judge (states, findings);
  fuzz_check (findings->len >= histo_rules_get_n (rules), "%u findings", findings->len);
  for (guint i = 0; i < findings->len; i++) {
    const HistoRuleFinding *finding = &g_array_index (findings, HistoRuleFinding, i);

    fuzz_check (finding->totals.n_broken <= finding->totals.n_checked
        && finding->totals.n_checked + finding->totals.n_absent <= 2 * G_N_ELEMENTS (results), "finding %u", i);
  }
  g_array_unref (findings);
  g_array_unref (events);
  histo_rule_states_free (states);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  GRand *random = g_rand_new_with_seed (3);

  fuzz_init ();
  for (guint i = 0; i < G_N_ELEMENTS (results); i++)
    test_fill_result (random, i / 2, G_MAXUINT, &results[i]);
  g_rand_free (random);
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  FuzzBytes bytes = { data, size };
  const HistoRulesKind kind = fuzz_u8 (&bytes) % 2 == 0 ? HISTO_RULES_OF_POLICY : HISTO_RULES_OF_ELEMENT;
  gchar *text = make_text (&bytes);
  GError *error = NULL;
  guint line, column;
  HistoRules *rules = histo_rules_parse (text, kind, &line, &column, &error);

  if (rules == NULL) {
    check_error (text, error, line, column);
    g_error_free (error);
  } else {
    fuzz_check (error == NULL, "an error: %s", error->message);
    for (guint i = 0; i < histo_rules_get_n (rules); i++)
      check_rule (histo_rules_get (rules, i), kind);
    follow (rules);
    histo_rules_unref (rules);
  }
  g_free (text);
  return 0;
}
