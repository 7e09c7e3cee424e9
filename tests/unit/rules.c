/* Rules: the language, and what it finds in results.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "passings.h"
#include "results.h"

#include "cudahisto/rules.h"
#include "result/write.h"

#include <math.h>

/* ---- The language ------------------------------------------------------------------------- */

static HistoRules *
parse (const gchar * text, HistoRulesKind kind)
{
  GError *error = NULL;
  guint line, column;
  HistoRules *rules = histo_rules_parse (text, kind, &line, &column, &error);

  fail_unless (rules != NULL, "%s: %u:%u: %s", text, line, column, error != NULL ? error->message : "");
  return rules;
}

/* Each production of the grammar. */
TEST (test_productions)
{
  HistoRules *rules = parse ("# a comment\n"
      "title Films of the archive # with a comment\r\n"
      "source https://example.org/rules#3\n"
      "note one\n note two ; and more\n"
      "\n"
      "a: Y.mean < 3\n"
      "  b : signal.saturation.max<=118 code8 # a comment\n"
      "warn c: signal.brng > 3 % for 2 s\n"
      "d: signal.tout >= 0.009 in 0.1 %\n"
      "e: motion.repeat = 0 frames 14\n"
      "f: flash.state != \"extended\"\n"
      "g: whole.loudness.integrated within -23 +- 0.2\n"
      "h: whole.hdr.max-cll-p9999 <= fact.max-cll\n"
      "i: fact.transfer = \"smpte2084\"\n"
      "warn: loudness.true-peak.* <= -1 dBTP for 1.5min\n"
      "k: regions.my.logo.Y.mean <= Y.mean for 20ms\n"
      "l: pairs.ch0+ch1.inverted = 0\n"
      "m: ch*.rms > -6e1 dB\n"
      "n: whole.signal.brng.max < +.5", HISTO_RULES_OF_POLICY);
  const HistoRule *rule;
  guint i = 0;

  assert_equals_string (histo_rules_title (rules), "Films of the archive");
  assert_equals_string (histo_rules_source (rules), "https://example.org/rules#3");
  assert_equals_string (histo_rules_notes (rules)[0], "one");
  assert_equals_string (histo_rules_notes (rules)[1], "two ; and more");
  fail_unless (histo_rules_notes (rules)[2] == NULL);
  fail_unless_equals_int (histo_rules_get_n (rules), 14);

  rule = histo_rules_get (rules, i++);
  assert_equals_string (rule->id, "a");
  assert_equals_string (rule->text, "a: Y.mean < 3");
  fail_unless (!rule->is_warning && rule->line == 7 && rule->op == HISTO_RULE_LESS && rule->number == 3
      && rule->operand == HISTO_RULE_NUMBER && rule->tolerance == HISTO_RULE_NOTHING && rule->is_video && !rule->is_audio
      && rule->groups == HISTO_GROUP_FLAG (HISTO_GROUP_BASIC));
  rule = histo_rules_get (rules, i++);
  assert_equals_string (rule->text, "b : signal.saturation.max<=118 code8");
  fail_unless (rule->op == HISTO_RULE_AT_MOST && rule->is_code8 && rule->number == 118);
  rule = histo_rules_get (rules, i++);
  fail_unless (rule->is_warning && rule->op == HISTO_RULE_GREATER && rule->number == 0.03
      && rule->tolerance == HISTO_RULE_FOR && rule->duration == 2 * GST_SECOND
      && rule->groups == HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL));
  rule = histo_rules_get (rules, i++);
  fail_unless (rule->op == HISTO_RULE_AT_LEAST && rule->tolerance == HISTO_RULE_IN && rule->percent == 0.1);
  rule = histo_rules_get (rules, i++);
  fail_unless (rule->op == HISTO_RULE_EQUAL && rule->tolerance == HISTO_RULE_RESULTS && rule->n_results == 14);
  rule = histo_rules_get (rules, i++);
  fail_unless (rule->op == HISTO_RULE_UNEQUAL && rule->operand == HISTO_RULE_WORD
      && rule->number == HISTO_FLASH_EXTENDED);
  assert_equals_string (rule->word, "extended");
  rule = histo_rules_get (rules, i++);
  fail_unless (rule->op == HISTO_RULE_WITHIN && rule->number == -23 && rule->margin == 0.2 && rule->is_audio
      && !rule->is_video);
  rule = histo_rules_get (rules, i++);
  fail_unless (rule->operand == HISTO_RULE_FIGURE
      && histo_rule_figure_space (rule->figure) == HISTO_RULE_OF_WHOLE
      && histo_rule_figure_space (rule->limit) == HISTO_RULE_OF_FACTS);
  assert_equals_string (histo_rule_figure_path (rule->limit), "fact.max-cll");
  assert_equals_string (histo_rule_figure_unit (rule->limit), "cd/m²");
  rule = histo_rules_get (rules, i++);
  fail_unless (rule->operand == HISTO_RULE_WORD && rule->is_video && rule->is_audio && rule->groups == 0);
  rule = histo_rules_get (rules, i++);
  assert_equals_string (rule->id, "warn");
  fail_unless (!rule->is_warning && rule->duration == 90 * GST_SECOND);
  rule = histo_rules_get (rules, i++);
  fail_unless (rule->limit != NULL && rule->duration == 20 * GST_MSECOND);
  rule = histo_rules_get (rules, ++i);
  fail_unless (rule->number == -60 && rule->groups == HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL));
  rule = histo_rules_get (rules, ++i);
  fail_unless (rule->number == 0.5);
  histo_rules_unref (rules);

  /* In the property, ';' ends a line. */
  rules = parse (" a: Y.mean < 3; # b: Y.max < 2; c: flash.state = \"pass\" for 1 s ;\n d: Y.p1 > 3 ;;",
      HISTO_RULES_OF_ELEMENT);
  fail_unless_equals_int (histo_rules_get_n (rules), 3);
  assert_equals_string (histo_rules_get (rules, 1)->id, "c");
  fail_unless_equals_int (histo_rules_get (rules, 2)->line, 2);
  histo_rules_unref (rules);
  rules = parse (NULL, HISTO_RULES_OF_ELEMENT);
  fail_unless_equals_int (histo_rules_get_n (rules), 0);
  histo_rules_unref (rules);
}

/* Each error says where it is, and what is allowed there. */
TEST (test_errors)
{
#define E HISTO_RULES_OF_ELEMENT
#define P HISTO_RULES_OF_POLICY
  static const struct
  {
    HistoRulesKind kind;
    const gchar *text;
    guint line, column;
    const gchar *reason;
  } cases[] = {
    /* Lines. */
    {P, "\n  = 3", 2, 3, "the id of a rule is expected"},
    {P, "a Y.mean < 3", 1, 3, "a colon is expected behind the id \"a\""},
    {P, "warn Y.mean < 3", 1, 7, "a colon is expected behind the id \"Y\""},
    {P, "a: Y.mean < 3\nb: Y.mean < 3\r\na: Y.max < 3", 3, 1, "there is another rule \"a\""},
    {P, "title: x", 1, 6, "no colon"},
    {P, "note # x", 1, 6, "a text is expected"},
    {P, "title x\nsource y\ntitle z", 3, 1, "there is a second one"},
    {P, "\xc3\xa4\xc3\xb6 x", 1, 1, "the id of a rule is expected"},
    {P, "note \xc3\xa4\xc3\xb6\nnote \xc3\xa4\xc3\xb6\xff", 2, 8, "no UTF-8"},
    {P, "a: Y.mean < 3; b: Y.max < 3", 1, 14, "for, in, frames or the end of the line is expected"},
    {E, "a: Y.mean < 3 b: Y.max < 3", 1, 15, "is no unit"},
    {E, "a: Y.mean < 3 ; b", 1, 18, "a colon is expected"},
    {E, "a: Y.mean < 3 ; b: Y.mean < 3, 4", 1, 30, "for or the end of the line is expected"},
    {P, "a: whole.Y.mean < 3 :", 1, 21, "the end of the line is expected"},
    /* Figures. */
    {P, "a:", 1, 3, "a figure is expected"},
    {P, "a: < 3", 1, 4, "a figure is expected"},
    {P, "a: Y.maen < 3", 1, 6, "the nearest: Y.mean, "},
    {P, "a: Y.maen < 3", 1, 6, "after \"Y.\" there may be: count, min, max, "},
    {P, "a: signal < 3", 1, 10, "\"signal\" is no figure; after \"signal.\" there may be: hue-circular-mean, brng, "},
    {P, "a: signal < 3", 1, 10, ", saturation, hue, bits-used"},
    {P, "a: signal. < 3", 1, 11, "there may be: hue-circular-mean, brng"},
    {P, "a: signal.saturaton.max < 3", 1, 11, "the nearest: signal.saturation.max"},
    {P, "a: sginal.brng < 3", 1, 4, "the nearest: signal.brng"},
    {P, "a: sginal.brng < 3", 1, 4, "a figure begins with: Y, U, V, A, R, G, B, Gr, Gb, signal, motion, "},
    {P, "a: signal.brng.max < 3", 1, 16, "nothing may follow \"signal.brng\""},
    {P, "a: whole.signal.brng.sum < 3", 1, 22, "after \"signal.brng.\" there may be: min, mean, max"},
    {P, "a: ch.rms < 3", 1, 4, "the nearest: ch*.rms"},
    {P, "a: ch4096.rms < 3", 1, 4, "is no figure"},
    {P, "a: ch01.rms < 3", 1, 4, "is no figure"},
    {P, "a: pairs.ch0.inverted = 0", 1, 10, "after \"pairs.\" there may be: *"},
    {P, "a: pairs.ch0+ch1.invertd = 0", 1, 18, "there may be: correlation, mono-loss, balance, inverted, dual-mono"},
    {P, "a: flash.zones.25.state = \"pass\"", 1, 16, "there may be: *"},
    {P, "a: regions.logo < 3", 1, 16, "a figure is expected, which begins with: Y, "},
    {P, "a: regions.logo.ch0.rms < 3", 1, 17, "is no figure"},
    {P, "a: regions.logo.flash.zones.0.state = \"pass\"", 1, 23, "after \"flash.\" there may be: luminance, "},
    {P, "a: regions..Y.mean < 3", 1, 13, "the name of a region is expected, or *"},
    {P, "a: regions < 3", 1, 11, "the name of a region is expected, or *"},
    {P, "a: whole.regions. < 3", 1, 18, "the name of a region is expected, or *"},
    {P, "a: fact.widht = 3", 1, 9, "\"widht\" is no fact; the nearest: width"},
    {P, "a: fact = 3", 1, 8, "a fact is expected, which begins with: width, height, "},
    {E, "a: whole.Y.mean < 3", 1, 4, "the property has no figures \"whole.\""},
    {E, "a: fact.width = 3", 1, 4, "the property has no figures \"fact.\""},
    {E, "a: Y.max < fact.width", 1, 12, "the property has no figures \"fact.\""},
    /* Conditions. */
    {P, "a: Y.mean", 1, 10, "<, <=, >, >=, =, != or within is expected"},
    {P, "a: Y.mean == 3", 1, 12, "a number, a figure or a word in quotes is expected"},
    {P, "a: Y.mean <", 1, 12, "a number, a figure or a word in quotes is expected"},
    {P, "a: Y.mean < 1e999", 1, 13, "too large"},
    {P, "a: Y.mean < 3 dB", 1, 15, "here there may be: code8, for, in, frames or the end of the line"},
    {P, "a: signal.brng < 3 dB", 1, 20, "here there may be: %, for"},
    {P, "a: ch0.max < 3 code8", 1, 16, "here there may be: for"},
    {P, "a: ch0.rms < 3 LUFS", 1, 16, "its unit is \"dB\""},
    {P, "a: loudness.true-peak.* < -1 dB", 1, 30, "here there may be: dBTP, "},
    {P, "a: Y.mean < \"dark\"", 1, 13, "\"Y.mean\" is a number"},
    {P, "a: flash.state = 3", 1, 18, "a word in quotes is expected"},
    {P, "a: flash.state < \"fail\"", 1, 18, "is a word, which = and != compare"},
    {P, "a: flash.state within 1 +- 2", 1, 16, "is a word, which = and != compare"},
    {P, "a: flash.state = \"bad\"", 1, 18, "it is one of: pass, warning, extended, fail"},
    {P, "a: flash.state = \"pass", 1, 18, "no second \""},
    {P, "a: Y.mean within 3", 1, 19, "+- and a number are expected"},
    {P, "a: Y.mean within x", 1, 18, "a number is expected"},
    {P, "a: Y.mean within 3 +- -1", 1, 23, "must not be negative"},
    {P, "a: whole.loudness.integrated within -23 +- 1 LUFS", 1, 46, "no unit is expected behind +-"},
    {P, "a: fact.duration >= 5 min", 1, 23, "its unit is \"s\", in seconds"},
    {P, "a: motion.repeat < fact.duration", 1, 20, "is only known at the end"},
    {P, "a: Y.mean < fact.changes", 1, 13, "is only known at the end"},
    {P, "a: Y.mean < flash.state", 1, 13, "cannot be compared: one has words"},
    {P, "a: flash.state = field.multi", 1, 18, "other words"},
    {P, "a: Y.mean < whole.Y.mean", 1, 13, "a figure of each frame and one of the whole"},
    {P, "a: whole.Y.mean < Y.mean", 1, 19, "a figure of each frame and one of the whole"},
    {P, "a: Y.mean < ch0.mean", 1, 13, "of video and one of audio"},
    {P, "a: Y.mean < regions.*.Y.mean", 1, 13, "has a * that \"Y.mean\" has not"},
    {P, "a: ch0.rms < ch*.rms", 1, 14, "has a * that \"ch0.rms\" has not"},
    {P, "a: pairs.*.inverted < ch*.rms", 1, 23, "has a * that"},
    /* What may break it. */
    {P, "a: Y.mean < 3 for", 1, 18, "a time, as 2 s, is expected"},
    {P, "a: Y.mean < 3 for 2", 1, 20, "ms, s or min is expected"},
    {P, "a: Y.mean < 3 for 2 h", 1, 21, "ms, s or min is expected"},
    {P, "a: Y.mean < 3 for 0 s", 1, 19, "above 0"},
    {P, "a: Y.mean < 3 for 1e99 s", 1, 19, "less than a century"},
    {P, "a: Y.mean < 3 in 1", 1, 19, "% is expected"},
    {P, "a: Y.mean < 3 in 101 %", 1, 18, "at most 100 %"},
    {P, "a: Y.mean < 3 frames 1.5", 1, 22, "whole"},
    {P, "a: Y.mean < 3 frames -1", 1, 22, "not negative"},
    {P, "a: Y.mean < 3 for 1 s in 3 %", 1, 23, "the end of the line is expected"},
    {P, "a: whole.Y.mean < 3 for 1 s", 1, 21, "only rules of each frame"},
    {E, "a: Y.mean < 3 in 3 %", 1, 15, "the property has no in and no frames"},
    {E, "b: Y.mean < 3;\na: Y.mean < 3 frames 3", 2, 15, "the property has no in and no frames"},
  };
#undef P
#undef E

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = NULL;
    guint line, column;
    HistoRules *rules = histo_rules_parse (cases[i].text, cases[i].kind, &line, &column, &error);

    fail_unless (rules == NULL, "%s: no error", cases[i].text);
    fail_unless (g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
    fail_unless (line == cases[i].line && column == cases[i].column, "%s: %u:%u: %s", cases[i].text, line, column,
        error->message);
    fail_unless (strstr (error->message, cases[i].reason) != NULL, "%s: %s", cases[i].text, error->message);
    fail_unless (strchr (error->message, '\n') == NULL);
    g_error_free (error);
  }
}

/* ---- Figures ------------------------------------------------------------------------------ */

/* A rule about each figure of a result. */
typedef struct
{
  const HistoResult *result;
  const GstStructure *whole;
  guint n;                      /* figures that were compared */
} Walk;

/* @path: has this value in the result's structure */
static void
check_value (Walk * walk, const gchar * path, const GValue * value)
{
  gchar *text = g_strdup_printf (G_VALUE_HOLDS_STRING (value) ? "a: %s = \"%s\"" : "a: %s > 0", path,
      G_VALUE_HOLDS_STRING (value) ? g_value_get_string (value) : "");
  HistoRules *rules = parse (text, HISTO_RULES_OF_POLICY);
  HistoRuleStates *states = histo_rule_states_new (rules);
  GArray *events = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));
  GArray *findings = g_array_new (FALSE, FALSE, sizeof (HistoRuleFinding));
  HistoRuleFinding finding;
  GValue number = G_VALUE_INIT;

  g_array_set_clear_func (findings, histo_rule_finding_clear);
  histo_rule_states_pass (states, walk->result, 0, 1, events);
  histo_rule_states_judge (states, findings);
  fail_unless_equals_int (findings->len, 1);
  finding = g_array_index (findings, HistoRuleFinding, 0);
  g_value_init (&number, G_TYPE_DOUBLE);
  if (G_VALUE_HOLDS_STRING (value)) {
    assert_equals_string (finding.value_word, g_value_get_string (value));
    fail_unless (finding.verdict == HISTO_RULE_PASSED);
  } else {
    fail_unless (g_value_transform (value, &number));
    if (isnan (g_value_get_double (&number)))
      fail_unless (finding.verdict == HISTO_RULE_SKIPPED && finding.totals.n_absent == 1, "%s", path);
    else
      fail_unless (finding.totals.n_checked == 1 && finding.value == g_value_get_double (&number), "%s is %g, not %g",
          path, finding.value, g_value_get_double (&number));
  }
  walk->n++;
  g_value_unset (&number);
  g_array_unref (findings);
  g_array_unref (events);
  histo_rule_states_free (states);
  histo_rules_unref (rules);
  g_free (text);
}

/* Returns: (transfer full): the name that stands for element @i of the array */
static gchar *
name_element (Walk * walk, const gchar * array, const GValue * element, guint i)
{
  const GstStructure *fields = GST_VALUE_HOLDS_STRUCTURE (element) ? gst_value_get_structure (element) : NULL;
  const GValue *names = gst_structure_get_value (walk->whole, "components");

  if (g_str_equal (array, "zones"))
    return g_strdup_printf ("%u", i);
  if (g_str_equal (array, "regions"))
    return g_strdup (gst_structure_get_string (fields, "name"));
  if (g_str_equal (array, "pairs"))
    return g_strdup_printf ("%s+%s", gst_structure_get_string (fields, "first"),
        gst_structure_get_string (fields, "second"));
  return g_strdup (g_value_get_string (gst_value_array_get_value (names, i)));
}

static void
walk_structure (Walk * walk, const gchar * prefix, const GstStructure * structure)
{
  /* Joint components have no figures for rules. */
  if (gst_structure_has_field (structure, "columns"))
    return;
  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, i);
    const GValue *value = gst_structure_get_value (structure, name);
    gchar *path = g_strdup_printf ("%s%s%s", prefix, *prefix != '\0' ? "." : "", name);

    if (GST_VALUE_HOLDS_STRUCTURE (value)) {
      walk_structure (walk, path, gst_value_get_structure (value));
    } else if (GST_VALUE_HOLDS_ARRAY (value) && !g_str_equal (name, "components")) {
      for (guint k = 0; k < gst_value_array_get_size (value); k++) {
        const GValue *element = gst_value_array_get_value (value, k);
        gchar *item = name_element (walk, name, element, k);
        gchar *place = g_strdup_printf ("%s.%s", path, item);

        if (GST_VALUE_HOLDS_STRUCTURE (element))
          walk_structure (walk, place, gst_value_get_structure (element));
        else
          check_value (walk, place, element);
        g_free (place);
        g_free (item);
      }
    } else if (*prefix != '\0' && !G_VALUE_HOLDS (value, G_TYPE_BYTES) && !GST_VALUE_HOLDS_ARRAY (value)
        /* Those of pairs and regions that are no figures. */
        && (!G_VALUE_HOLDS_STRING (value) || g_str_equal (name, "state") || g_str_has_prefix (path, "field.")
            || strstr (path, ".field.") != NULL)
        && (!G_VALUE_HOLDS_INT (value) || g_str_has_suffix (prefix, "area"))
        /* As `format`, it says what the samples are; fact.depth has it. */
        && !g_str_equal (name, "depth")) {
      check_value (walk, path, value);
    }
    g_free (path);
  }
}

/* Each figure that a result's structure has is found by its path. */
TEST (test_every_figure)
{
  static const gchar *const names[] = { "logo", "\316\251", "a.b+c" };
  GRand *random = test_random ();
  guint n = 0;

  histo_write_init ();
  for (guint round = 0; round < 12; round++) {
    HistoResult result = { 0, };
    Walk walk = { &result, NULL, 0 };
    GstStructure *structure;

    test_fill_result (random, round % 2, G_MAXUINT, &result);
    /* Random ones are not unique. */
    for (guint r = 1; r < result.n_regions; r++)
      result.regions[r].region.name = names[r - 1];
    for (guint i = 0; i < result.n_pairs; i++) {
      result.pairs[i].first = 2 * i;
      result.pairs[i].second = 2 * i + 1;
    }
    structure = test_write_result (&result);
    walk.whole = structure;
    walk_structure (&walk, "", structure);
    n += walk.n;
    gst_structure_free (structure);
    histo_result_clear (&result);
  }
  fail_unless (n > 1000, "only %u figures", n);
  g_rand_free (random);
}

/* ---- Following a stream ------------------------------------------------------------------- */

#define FRAME (40 * GST_MSECOND)

/* Rules, and the stream that they are followed through. */
typedef struct
{
  HistoRules *rules;
  HistoRuleStates *states;
  GArray *events, *findings;
  HistoResult result;
  gdouble peaks[2];
  guint64 time;                 /* of the next result, in ns */
} Stream;

static void
stream_open (Stream * stream, const gchar * text)
{
  memset (stream, 0, sizeof *stream);
  stream->rules = parse (text, HISTO_RULES_OF_POLICY);
  stream->states = histo_rule_states_new (stream->rules);
  stream->events = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));
  stream->findings = g_array_new (FALSE, FALSE, sizeof (HistoRuleFinding));
  g_array_set_clear_func (stream->findings, histo_rule_finding_clear);
}

/* All events must have been checked. */
static void
stream_close (Stream * stream)
{
  fail_unless_equals_int (stream->events->len, 0);
  g_array_unref (stream->events);
  g_array_unref (stream->findings);
  histo_rule_states_free (stream->states);
  histo_rules_unref (stream->rules);
  histo_result_clear (&stream->result);
}

/* A picture of Y, and @n_regions regions "a", "b", … */
static void
make_video (Stream * stream, const gchar * format, guint n_regions)
{
  static const gchar *const names[] = { NULL, "a", "b", "c" };
  HistoResult *result = &stream->result;

  histo_result_clear (result);
  result->format = format;
  result->groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC) | HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL)
      | HISTO_GROUP_FLAG (HISTO_GROUP_MOTION) | HISTO_GROUP_FLAG (HISTO_GROUP_FLASH);
  result->n_region_components = 1;
  histo_result_set_n_components (result, 1 + n_regions);
  histo_result_set_n_regions (result, 1 + n_regions);
  for (guint r = 0; r <= n_regions; r++) {
    result->components[r].name = "Y";
    result->regions[r].region.name = r < G_N_ELEMENTS (names) ? names[r] : NULL;
    result->regions[r].has_motion = TRUE;
    histo_groups_clear (&result->regions[r].figures);
  }
  result->regions[0].figures.n_zones = HISTO_N_ZONES;
}

static void
make_audio (Stream * stream)
{
  HistoResult *result = &stream->result;

  histo_result_clear (result);
  result->is_audio = TRUE;
  result->format = "F32LE";
  result->groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC) | HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL)
      | HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS);
  result->channels = result->n_region_components = 2;
  histo_result_set_n_components (result, 2);
  result->components[0].name = "ch0";
  result->components[1].name = "ch1";
  histo_result_set_n_levels (result, 2);
  histo_result_set_n_pairs (result, 1);
  result->pairs[0].second = 1;
  result->loudness.true_peak = result->loudness.sample_peak = stream->peaks;
}

static void
pass_at (Stream * stream, guint64 start, guint64 end)
{
  histo_rule_states_pass (stream->states, &stream->result, start, end, stream->events);
}

static void
pass (Stream * stream)
{
  pass_at (stream, stream->time, stream->time + FRAME);
  stream->time += FRAME;
}

static void
pass_brng (Stream * stream, gdouble brng)
{
  stream->result.regions[0].figures.SIGNAL_brng = brng;
  pass (stream);
}

static void
pass_y (Stream * stream, gdouble mean)
{
  stream->result.components[0].figures.mean = mean;
  pass (stream);
}

/* The oldest event must be this one; it is dropped. Times in ms; < 0: unknown. @place: (nullable): text */
static void
check_event (Stream * stream, guint rule, const gchar * place, gboolean is_end, gint64 start, gint64 end,
    gdouble value, gdouble limit, gint64 value_time)
{
  HistoRuleEvent event;

  fail_unless (stream->events->len > 0, "no event");
  event = g_array_index (stream->events, HistoRuleEvent, 0);
  g_array_remove_index (stream->events, 0);
  fail_unless_equals_int (event.rule, rule);
  assert_equals_string (event.place->text, place);
  fail_unless_equals_int (event.is_end, is_end);
  fail_unless_equals_uint64 (event.start, test_ms (start));
  fail_unless_equals_uint64 (event.end, test_ms (end));
  fail_unless (event.value == value && event.limit == limit, "%g, limit %g", event.value, event.limit);
  fail_unless_equals_uint64 (event.value_time, test_ms (value_time));
}

static void
check_no_event (Stream * stream)
{
  fail_unless_equals_int (stream->events->len, 0);
}

/* Returns: the finding of this number */
static const HistoRuleFinding *
judge (Stream * stream, guint number)
{
  g_array_set_size (stream->findings, 0);
  histo_rule_states_judge (stream->states, stream->findings);
  fail_unless (number < stream->findings->len);
  return &g_array_index (stream->findings, HistoRuleFinding, number);
}

static void
check_verdict (Stream * stream, guint number, HistoRuleVerdict verdict)
{
  const HistoRuleFinding *finding = judge (stream, number);

  fail_unless (finding->verdict == verdict, "finding %u: verdict %u", number, finding->verdict);
}

/* 1000 frames, of which some are broken, one by one. */
static void
check_vector (guint n_broken, const gchar * tolerance, HistoRuleVerdict verdict)
{
  gchar *text = g_strdup_printf ("a: signal.brng <= 0.03 %s", tolerance);
  Stream stream;

  stream_open (&stream, text);
  make_video (&stream, "GRAY8", 0);
  for (guint f = 0; f < 1000; f++)
    pass_brng (&stream, f % 50 == 7 && f / 50 < n_broken ? 0.05 : 0.03);
  histo_rule_states_end (stream.states, stream.events);
  fail_unless_equals_int (stream.events->len, 2 * n_broken);
  g_array_set_size (stream.events, 0);
  check_verdict (&stream, 0, verdict);
  fail_unless_equals_uint64 (judge (&stream, 0)->totals.n_checked, 1000);
  fail_unless_equals_uint64 (judge (&stream, 0)->totals.n_broken, n_broken);
  fail_unless_equals_uint64 (judge (&stream, 0)->totals.time_broken, n_broken * FRAME);
  stream_close (&stream);
  g_free (text);
}

TEST (test_tolerances)
{
  check_vector (20, "frames 14", HISTO_RULE_FAILED);
  check_vector (15, "frames 14", HISTO_RULE_FAILED);
  check_vector (14, "frames 14", HISTO_RULE_PASSED);
  check_vector (0, "frames 0", HISTO_RULE_PASSED);
  check_vector (1, "frames 0", HISTO_RULE_FAILED);
  check_vector (1, "in 0.1 %", HISTO_RULE_PASSED);
  check_vector (2, "in 0.1 %", HISTO_RULE_FAILED);
  check_vector (20, "in 2 %", HISTO_RULE_PASSED);
  check_vector (20, "in 1.9 %", HISTO_RULE_FAILED);
  check_vector (0, "", HISTO_RULE_PASSED);
  check_vector (1, "", HISTO_RULE_FAILED);
}

/* A span must last without a pause. */
TEST (test_for)
{
  Stream stream;
  const HistoRuleFinding *finding;

  stream_open (&stream, "warn a: signal.brng < 0.03 for 120 ms");
  make_video (&stream, "GRAY8", 0);
  /* Twice two frames. */
  for (guint f = 0; f < 6; f++)
    pass_brng (&stream, f % 3 < 2 ? 0.03 + 0.01 * f : 0);
  check_no_event (&stream);
  check_verdict (&stream, 0, HISTO_RULE_PASSED);
  /* Three. The first one is not the worst. */
  pass_brng (&stream, 0.04);
  pass_brng (&stream, 0.06);
  check_no_event (&stream);
  fail_unless (histo_rule_states_are_followed (stream.states));
  pass_brng (&stream, 0.05);
  check_event (&stream, 0, NULL, FALSE, 240, -1, 0.06, 0.03, 280);
  histo_rule_states_list (stream.states, stream.events);
  check_event (&stream, 0, NULL, FALSE, 240, -1, 0.06, 0.03, 280);
  /* What is absent says nothing. */
  pass_brng (&stream, NAN);
  check_no_event (&stream);
  pass_brng (&stream, 0.07);
  pass_brng (&stream, 0.07);
  check_no_event (&stream);
  pass_brng (&stream, 0.02);
  check_event (&stream, 0, NULL, TRUE, 240, 480, 0.07, 0.03, 400);
  fail_if (histo_rule_states_are_followed (stream.states));
  finding = judge (&stream, 0);
  fail_unless (finding->verdict == HISTO_RULE_WARNED);
  fail_unless_equals_uint64 (finding->totals.n_spans, 1);
  fail_unless_equals_uint64 (finding->totals.longest, 240 * GST_MSECOND);
  fail_unless_equals_uint64 (finding->totals.n_checked, 12);
  fail_unless_equals_uint64 (finding->totals.n_absent, 1);
  fail_unless_equals_uint64 (finding->totals.n_broken, 9);
  /* Of all spans. */
  fail_unless (finding->value == 0.07 && finding->totals.worst_time == 160 * GST_MSECOND, "%g", finding->value);
  stream_close (&stream);
}

/* Each operator with a value that meets it, and two that break it, of which the second is worse. @limit: that is told */
static void
check_operator (const gchar * condition, gdouble good, gdouble bad, gdouble worse, gdouble limit)
{
  gchar *text = g_strdup_printf ("a: Y.mean %s", condition);
  Stream stream;

  stream_open (&stream, text);
  make_video (&stream, "GRAY8", 0);
  pass_y (&stream, good);
  check_no_event (&stream);
  check_verdict (&stream, 0, HISTO_RULE_PASSED);
  pass_y (&stream, bad);
  fail_unless (stream.events->len == 1, "%s: %g meets it", text, bad);
  check_event (&stream, 0, NULL, FALSE, 40, -1, bad, limit, 40);
  pass_y (&stream, worse);
  pass_y (&stream, worse);
  pass_y (&stream, bad);
  pass_y (&stream, good);
  check_event (&stream, 0, NULL, TRUE, 40, 200, worse, limit, worse == bad ? 40 : 80);
  check_verdict (&stream, 0, HISTO_RULE_FAILED);
  fail_unless (judge (&stream, 0)->value == worse);
  stream_close (&stream);
  g_free (text);
}

TEST (test_operators)
{
  check_operator ("< 3", 2.9, 3, 4, 3);
  check_operator ("<= 3", 3, 3.1, 4, 3);
  check_operator ("> 3", 3.1, 3, 2, 3);
  check_operator (">= 3", 3, 2.9, -INFINITY, 3);
  check_operator ("= 3", 3, 2.9, 4, 3);
  check_operator ("!= 3", 2, 3, 3, 3);
  check_operator ("within 3 +- 0.5", 3.5, 3.6, 4, 3.5);
  check_operator ("within 3 +- 0.5", 2.5, 2.4, -INFINITY, 2.5);
  check_operator ("within -23 +- 0.2", -22.8, -22.79, -20, -23 + 0.2);
  check_operator ("< 1e300", 0, 1e300, INFINITY, 1e300);
}

/* No value, no verdict. */
TEST (test_skipped)
{
  Stream stream;

  stream_open (&stream, "a: signal.brng < 3\n" "b: A.mean < 3\n" "c: hdr.max < 3\n" "d: ch*.rms < 3\n" "e: ch0.rms < 3\n"
      "f: regions.*.Y.mean < 3\n" "g: regions.a.Y.mean < 3\n" "h: whole.Y.mean < 3\n" "i: fact.gaps = 0\n"
      "j: motion.mafd < 3\n" "k: whole.signal.tout < 3\n" "l: Y.mean < signal.tout\n" "m: motion.Y.mean < 3\n");
  for (guint round = 0; round < 2; round++) {
    for (guint i = 0; i < 13; i++)
      check_verdict (&stream, i, HISTO_RULE_SKIPPED);
    make_video (&stream, "GRAY8", 0);
    stream.result.regions[0].has_motion = FALSE;
    stream.result.regions[0].figures.MOTION_mafd = 100;
    pass (&stream);
  }
  fail_unless_equals_int (stream.findings->len, 13);
  fail_unless (judge (&stream, 5)->place == NULL);
  fail_unless (isnan (judge (&stream, 0)->value));
  fail_unless_equals_uint64 (judge (&stream, 1)->totals.n_absent, 2);
  stream_close (&stream);
}

/* `*` stands for each channel, pair, zone and region. */
TEST (test_places)
{
  Stream stream;
  const HistoRuleFinding *finding;
  HistoGroupFigures *figures;

  stream_open (&stream, "zones: flash.zones.*.transitions <= 6\n" "one: flash.zones.7.state != \"fail\"\n"
      "regions: regions.*.Y.mean < Y.mean\n" "region: regions.b.Y.mean < 100\n" "loud: ch*.rms < -3 dB\n"
      "inverted: pairs.*.inverted = 0\n" "peak: loudness.true-peak.* <= -1 dBTP\n" "second: ch1.rms <= ch0.rms\n"
      "same: ch*.rms >= ch*.peak\n" "bits: regions.*.signal.bits-used.* >= 8");
  make_video (&stream, "GRAY8", 2);
  figures = &stream.result.regions[0].figures;
  figures->zones[7].transitions = 7;
  figures->zones[7].state = HISTO_FLASH_FAIL;
  figures->zones[24].transitions = 8;
  for (guint r = 0; r < 3; r++)
    stream.result.components[r].figures.mean = 99 + r;
  stream.result.regions[2].figures.n_bits_used = 1;
  stream.result.regions[2].figures.bits_used[0] = 5;
  pass (&stream);
  check_event (&stream, 0, "zone 7", FALSE, 0, -1, 7, 6, 0);
  check_event (&stream, 0, "zone 24", FALSE, 0, -1, 8, 6, 0);
  check_event (&stream, 1, NULL, FALSE, 0, -1, HISTO_FLASH_FAIL, HISTO_FLASH_FAIL, 0);
  check_event (&stream, 2, "a", FALSE, 0, -1, 100, 99, 0);
  check_event (&stream, 2, "b", FALSE, 0, -1, 101, 99, 0);
  check_event (&stream, 3, NULL, FALSE, 0, -1, 101, 100, 0);
  check_event (&stream, 9, "b, Y", FALSE, 0, -1, 5, 8, 0);
  histo_rule_states_end (stream.states, stream.events);
  fail_unless_equals_int (stream.events->len, 7);
  g_array_set_size (stream.events, 0);
  fail_unless_equals_int (judge (&stream, 25)->rule, 1);
  finding = judge (&stream, 7);
  fail_unless (finding->verdict == HISTO_RULE_FAILED);
  assert_equals_string (finding->place->zone, "7");
  finding = judge (&stream, 25);
  assert_equals_string (finding->place->zone, "7");
  assert_equals_string (finding->value_word, "fail");
  assert_equals_string (finding->limit_word, "fail");
  finding = judge (&stream, 28);
  assert_equals_string (finding->place->region, "b");
  assert_equals_string (finding->place->component, "Y");

  make_audio (&stream);
  stream.result.levels[0].rms = -10;
  stream.result.levels[0].peak = -10;
  stream.result.levels[1].rms = -2;
  stream.result.pairs[0].figures.inverted = 1;
  stream.peaks[0] = -3;
  stream.peaks[1] = -0.5;
  pass (&stream);
  check_event (&stream, 4, "ch1", FALSE, 40, -1, -2, -3, 40);
  check_event (&stream, 5, "ch0+ch1", FALSE, 40, -1, 1, 0, 40);
  check_event (&stream, 6, "ch1", FALSE, 40, -1, -0.5, -1, 40);
  check_event (&stream, 7, NULL, FALSE, 40, -1, -2, -10, 40);
  check_event (&stream, 8, "ch1", FALSE, 40, -1, -2, 0, 40);
  histo_rule_states_end (stream.states, stream.events);
  g_array_set_size (stream.events, 0);
  stream_close (&stream);
}

/* A region that is gone ends its span; it goes on with the same totals when it is there again. */
TEST (test_regions_that_change)
{
  Stream stream;

  stream_open (&stream, "a: regions.*.Y.mean < 3");
  for (guint f = 0; f < 6; f++) {
    make_video (&stream, "GRAY8", f % 3);
    for (guint r = 1; r <= f % 3; r++)
      stream.result.components[r].figures.mean = 4;
    pass (&stream);
  }
  check_event (&stream, 0, "a", FALSE, 40, -1, 4, 3, 40);
  check_event (&stream, 0, "b", FALSE, 80, -1, 4, 3, 80);
  check_event (&stream, 0, "a", TRUE, 40, 120, 4, 3, 40);
  check_event (&stream, 0, "b", TRUE, 80, 120, 4, 3, 80);
  check_event (&stream, 0, "a", FALSE, 160, -1, 4, 3, 160);
  check_event (&stream, 0, "b", FALSE, 200, -1, 4, 3, 200);
  check_no_event (&stream);
  fail_unless_equals_uint64 (judge (&stream, 0)->totals.n_checked, 4);
  fail_unless_equals_uint64 (judge (&stream, 1)->totals.n_checked, 2);
  fail_unless_equals_int (stream.findings->len, 2);
  /* Regions of metas take no part. */
  make_video (&stream, "GRAY8", 1);
  stream.result.regions[1].is_roi = TRUE;
  stream.result.regions[1].region.name = "c";
  pass (&stream);
  check_event (&stream, 0, "a", TRUE, 160, 240, 4, 3, 160);
  check_event (&stream, 0, "b", TRUE, 200, 240, 4, 3, 200);
  judge (&stream, 1);
  fail_unless_equals_int (stream.findings->len, 2);
  stream_close (&stream);
}

/* The result of a frame without a previous one has no group `motion` when it was read: that ends no span. */
TEST (test_group_that_is_absent)
{
  Stream stream;

  stream_open (&stream, "a: motion.repeat = 0 for 100 ms");
  make_video (&stream, "GRAY8", 0);
  stream.result.regions[0].figures.MOTION_repeat = 1;
  pass (&stream);
  stream.result.groups &= ~HISTO_GROUP_FLAG (HISTO_GROUP_MOTION);
  pass (&stream);
  stream.result.groups |= HISTO_GROUP_FLAG (HISTO_GROUP_MOTION);
  pass (&stream);
  check_event (&stream, 0, NULL, FALSE, 0, -1, 1, 0, 0);
  stream.result.regions[0].figures.MOTION_repeat = 0;
  pass (&stream);
  check_event (&stream, 0, NULL, TRUE, 0, 120, 1, 0, 0);
  stream_close (&stream);
}

/* Ends that are told, unknown times, and times that go back. */
TEST (test_times)
{
  Stream stream;

  stream_open (&stream, "a: Y.mean < 3\n" "b: Y.mean < 3 for 80 ms");
  make_video (&stream, "GRAY8", 0);
  pass_y (&stream, 5);
  check_event (&stream, 0, NULL, FALSE, 0, -1, 5, 3, 0);
  /* A discontinuity: the spans end, and what comes begins others. */
  histo_rule_states_end (stream.states, stream.events);
  check_event (&stream, 0, NULL, TRUE, 0, 40, 5, 3, 0);
  pass_y (&stream, 4);
  check_event (&stream, 0, NULL, FALSE, 40, -1, 4, 3, 40);
  /* A gap: the span lasts until the buffer begins that ends it. Then it has lasted for 80 ms. */
  stream.time = 1000 * GST_MSECOND;
  pass_y (&stream, 1);
  check_event (&stream, 0, NULL, TRUE, 40, 1000, 4, 3, 40);
  check_event (&stream, 1, NULL, FALSE, 40, -1, 4, 3, 40);
  check_event (&stream, 1, NULL, TRUE, 40, 1000, 4, 3, 40);
  check_verdict (&stream, 1, HISTO_RULE_FAILED);
  /* Unknown times. */
  stream.result.components[0].figures.mean = 6;
  pass_at (&stream, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  check_event (&stream, 0, NULL, FALSE, -1, -1, 6, 3, -1);
  stream.result.components[0].figures.mean = 2;
  pass_at (&stream, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  check_event (&stream, 0, NULL, TRUE, -1, -1, 6, 3, -1);
  /* Backwards. */
  stream.result.components[0].figures.mean = 7;
  for (guint f = 3; f > 0; f--)
    pass_at (&stream, f * FRAME, (f + 1) * FRAME);
  check_event (&stream, 0, NULL, FALSE, 120, -1, 7, 3, 120);
  check_event (&stream, 1, NULL, FALSE, 80, -1, 7, 3, 120);
  histo_rule_states_end (stream.states, stream.events);
  check_event (&stream, 0, NULL, TRUE, 40, 160, 7, 3, 120);
  check_event (&stream, 1, NULL, TRUE, 40, 160, 7, 3, 120);
  stream_close (&stream);
}

/* `for` needs times: those of the next results, if durations are unknown; without any the rule is skipped. */
TEST (test_for_without_times)
{
  Stream stream;

  stream_open (&stream, "a: Y.mean < 100 for 500 ms");
  make_video (&stream, "GRAY8", 0);
  stream.result.components[0].figures.mean = 235;
  for (guint f = 0; f < 20; f++)
    pass_at (&stream, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  histo_rule_states_end (stream.states, stream.events);
  check_no_event (&stream);
  check_verdict (&stream, 0, HISTO_RULE_SKIPPED);
  fail_unless_equals_uint64 (judge (&stream, 0)->totals.n_untimed, 20);
  /* Others, with times, break it. */
  stream.time = 0;
  for (guint f = 0; f < 14; f++)
    pass_at (&stream, f * FRAME, GST_CLOCK_TIME_NONE);
  check_event (&stream, 0, NULL, FALSE, 0, -1, 235, 100, 0);
  histo_rule_states_end (stream.states, stream.events);
  check_event (&stream, 0, NULL, TRUE, 0, 520, 235, 100, 0);
  check_verdict (&stream, 0, HISTO_RULE_FAILED);
  stream_close (&stream);
  /* What holds needs no times. */
  stream_open (&stream, "a: Y.mean < 100 for 500 ms");
  make_video (&stream, "GRAY8", 0);
  pass_at (&stream, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  check_verdict (&stream, 0, HISTO_RULE_PASSED);
  stream_close (&stream);
}

/* Limits in 8-bit codes follow the format. */
TEST (test_code8)
{
  static const struct
  {
    const gchar *format;
    gdouble limit;
  } cases[] = {
    {"GRAY8", 118}, {"GRAY10_LE32", 118 * 4}, {"GRAY16_LE", 118 * 256}, {"P010_10LE", 118 * 4}, {"RGB15", 118. / 8},
    {"RGB8P", 118}, {"rggb", 118}, {"rggb12le", 118 * 16}, {"none", 118}
  };
  Stream stream;

  stream_open (&stream, "a: Y.mean <= 118 code8");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    make_video (&stream, cases[i].format, 0);
    pass_y (&stream, cases[i].limit);
    check_no_event (&stream);
    pass_y (&stream, cases[i].limit + 1);
    check_event (&stream, 0, NULL, FALSE, 80 * i + 40, -1, cases[i].limit + 1, cases[i].limit, 80 * i + 40);
    histo_rule_states_end (stream.states, stream.events);
    g_array_set_size (stream.events, 0);
  }
  stream_close (&stream);
}

/* ---- The whole, and facts ----------------------------------------------------------------- */

static gboolean
look_up (HistoRuleSpace space, const gchar * path, HistoRuleValue * value, gpointer data)
{
  g_string_append_printf (data, "%u:%s ", space, path);
  if (space == HISTO_RULE_OF_FACTS) {
    if (g_str_equal (path, "transfer"))
      value->word = "smpte2084";
    else if (g_str_equal (path, "max-cll"))
      value->number = 1000;
    else
      return FALSE;
    return TRUE;
  }
  if (!g_str_equal (path, "Y.mean") && !g_str_equal (path, "hdr.max-fall") && !g_str_equal (path, "ch1.rms"))
    return FALSE;
  value->number = 50;
  return TRUE;
}

TEST (test_whole)
{
  static const HistoRuleVerdict verdicts[] = {
    HISTO_RULE_PASSED, HISTO_RULE_FAILED, HISTO_RULE_PASSED, HISTO_RULE_WARNED, HISTO_RULE_PASSED, HISTO_RULE_SKIPPED,
    HISTO_RULE_PASSED, HISTO_RULE_PASSED, HISTO_RULE_PASSED, HISTO_RULE_PASSED, HISTO_RULE_PASSED, HISTO_RULE_PASSED,
    HISTO_RULE_FAILED, HISTO_RULE_SKIPPED, HISTO_RULE_PASSED, HISTO_RULE_PASSED, HISTO_RULE_PASSED,
  };
  GString *asked = g_string_new (NULL);
  HistoGroupFigures *figures;
  Stream stream;
  HistoRuleVerdict all = HISTO_RULE_SKIPPED;

  stream_open (&stream, "a: fact.transfer = \"smpte2084\"\n" "b: fact.transfer != \"smpte2084\"\n"
      "c: fact.max-cll within 990 +- 10\n" "warn d: fact.max-cll < 1000\n"
      "e: whole.hdr.max <= fact.max-cll\n" "f: whole.hdr.max <= fact.max-fall\n"
      "g: whole.Y.mean = 50\n" "h: whole.hdr.max = 900\n" "i: whole.signal.brng = 0.25\n"
      "j: whole.signal.brng.max = 0.5\n" "k: whole.flash.state = \"warning\"\n" "l: whole.hdr.max-cll = 9\n"
      "m: Y.mean < fact.max-cll\n" "n: Y.mean < fact.max-fall\n"
      "o: whole.gamut.r-max = 103\n" "p: whole.gamut.r-min = -3\n" "q: whole.gamut.r-max.min = 100\n");
  histo_rule_states_set_lookup (stream.states, look_up, asked);
  make_video (&stream, "GRAY8", 0);
  stream.result.groups |= HISTO_GROUP_FLAG (HISTO_GROUP_HDR) | HISTO_GROUP_FLAG (HISTO_GROUP_GAMUT);
  figures = &stream.result.regions[0].figures;
  for (guint f = 0; f < 4; f++) {
    figures->HDR_max = f == 1 ? 900 : 100;
    figures->HDR_max_cll = f == 3 ? 7 : 9;
    figures->GAMUT_r_max = 103 - f;
    figures->GAMUT_r_min = -(gdouble) f;
    figures->FLASH_state = f == 2 ? HISTO_FLASH_WARNING : HISTO_FLASH_PASS;
    figures->SIGNAL_brng = f == 0 ? NAN : 0.5 - 0.25 * (f - 1);
    stream.result.components[0].figures.mean = f == 3 ? 1000 : 999;
    pass (&stream);
  }
  histo_rule_states_end (stream.states, stream.events);
  fail_unless_equals_int (stream.events->len, 2);
  g_array_set_size (stream.events, 0);
  for (guint i = 0; i < G_N_ELEMENTS (verdicts); i++) {
    check_verdict (&stream, i, verdicts[i]);
    all = histo_rule_worse (all, verdicts[i]);
  }
  fail_unless (all == HISTO_RULE_FAILED);
  fail_unless_equals_int (stream.findings->len, G_N_ELEMENTS (verdicts));
  fail_unless (judge (&stream, 7)->value == 900);
  assert_equals_string (judge (&stream, 10)->value_word, "warning");
  assert_equals_string (judge (&stream, 1)->value_word, "smpte2084");
  fail_unless (strstr (asked->str, "1:signal.brng.max ") != NULL && strstr (asked->str, "2:transfer ") != NULL
      && strstr (asked->str, "1:hdr.max ") != NULL, "%s", asked->str);
  stream_close (&stream);

  /* With `*`, and without a lookup. */
  stream_open (&stream, "a: whole.ch*.rms < 60\n" "b: whole.loudness.true-peak.* <= -1\n" "c: whole.pairs.*.balance < 3");
  make_audio (&stream);
  stream.peaks[1] = -3;
  pass (&stream);
  stream.peaks[0] = -2;
  pass (&stream);
  check_verdict (&stream, 0, HISTO_RULE_SKIPPED);
  check_verdict (&stream, 2, HISTO_RULE_PASSED);
  fail_unless (judge (&stream, 2)->value == -2 && judge (&stream, 3)->value == -3);
  assert_equals_string (judge (&stream, 3)->place->text, "ch1");
  fail_unless_equals_int (stream.findings->len, 5);
  histo_rule_states_set_lookup (stream.states, look_up, asked);
  check_verdict (&stream, 0, HISTO_RULE_SKIPPED);
  check_verdict (&stream, 1, HISTO_RULE_PASSED);
  fail_unless (strstr (asked->str, "1:loudness.true-peak.ch1 ") != NULL);
  stream_close (&stream);
  g_string_free (asked, TRUE);
}

static gboolean
look_up_number (HistoRuleSpace space, const gchar * path, HistoRuleValue * value, gpointer data)
{
  value->number = *(const gdouble *) data;
  return space == HISTO_RULE_OF_FACTS;
}

/* Constants are limits also of streams without a result. */
TEST (test_facts_without_results)
{
  gdouble number = 0;
  Stream stream;

  stream_open (&stream, "a: fact.rate >= 96000\n" "b: fact.rate within 5 +- 1\n" "c: fact.rate = 0");
  histo_rule_states_set_lookup (stream.states, look_up_number, &number);
  check_verdict (&stream, 0, HISTO_RULE_FAILED);
  fail_unless (judge (&stream, 0)->limit == 96000 && judge (&stream, 1)->limit == 4);
  check_verdict (&stream, 1, HISTO_RULE_FAILED);
  check_verdict (&stream, 2, HISTO_RULE_PASSED);
  stream_close (&stream);
}

/* A fact as a limit may change. */
TEST (test_facts_that_change)
{
  gdouble number = 10;
  Stream stream;

  stream_open (&stream, "a: Y.mean < fact.max-cll");
  histo_rule_states_set_lookup (stream.states, look_up_number, &number);
  make_video (&stream, "GRAY8", 0);
  pass_y (&stream, 5);
  number = 3;
  pass_y (&stream, 5);
  check_no_event (&stream);
  histo_rule_states_look_up_again (stream.states);
  pass_y (&stream, 5);
  check_event (&stream, 0, NULL, FALSE, 80, -1, 5, 3, 80);
  stream_close (&stream);
}

/* A rule with a place that is not followed has not passed. */
TEST (test_too_many_places)
{
  /* So many new places in each frame, because a frame takes as long as there are places. */
  enum { N_REGIONS = 64 };
  gchar names[N_REGIONS + 1][16];
  Stream stream;

  fail_unless_equals_int (HISTO_MAX_CHANNELS % N_REGIONS, 0);
  stream_open (&stream, "a: regions.*.Y.mean < 3\n" "b: Y.mean < 3");
  make_video (&stream, "GRAY8", N_REGIONS);
  for (guint i = 0; i < HISTO_MAX_CHANNELS; i += N_REGIONS) {
    for (guint r = 1; r <= N_REGIONS; r++) {
      g_snprintf (names[r], sizeof names[r], "r%u", i + r);
      stream.result.regions[r].region.name = names[r];
    }
    pass (&stream);
  }
  check_verdict (&stream, 0, HISTO_RULE_PASSED);
  g_snprintf (names[1], sizeof names[1], "one more");
  pass (&stream);
  check_verdict (&stream, 0, HISTO_RULE_SKIPPED);
  check_verdict (&stream, HISTO_MAX_CHANNELS, HISTO_RULE_PASSED);
  stream_close (&stream);
}

TEST_MAIN (60)
