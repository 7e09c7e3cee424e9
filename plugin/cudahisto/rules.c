/* Reads the text of rules; see rules.h and docs/rules.md.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/rules.h"

#include <math.h>
#include <string.h>

#include "cudahisto/rule-figures.h"

struct _HistoRules
{
  gint references;
  gchar *title, *source;
  GPtrArray *notes;             /* of texts, and NULL */
  GArray *rules;                /* of HistoRule */
  guint groups;
};

/* ---- The text ----------------------------------------------------------------------------- */

typedef struct
{
  const gchar *text;
  const gchar *at;              /* what is read next */
  HistoRulesKind kind;
  const gchar *wrong;           /* where the error is; NULL: there is none */
  GError **error;
  HistoRules *rules;
  GHashTable *ids;              /* of the rules so far */
} Reader;

static gboolean refuse (Reader * reader, const gchar * wrong,
    const gchar * format, ...) G_GNUC_PRINTF (3, 4);

/* @wrong: where in the text. Returns: FALSE */
static gboolean
refuse (Reader * reader, const gchar * wrong, const gchar * format, ...)
{
  va_list arguments;
  g_autofree gchar *reason = NULL;

  va_start (arguments, format);
  reason = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  reader->wrong = wrong;
  g_set_error_literal (reader->error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, reason);
  return FALSE;
}

static gboolean
is_blank (gchar c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

static gboolean
ends_line (const Reader * reader, gchar c)
{
  return c == '\0' || c == '\n' || (c == ';' && reader->kind != HISTO_RULES_OF_POLICY);
}

static void
skip_blanks (Reader * reader)
{
  while (is_blank (*reader->at))
    reader->at++;
}

/* Whether nothing but a comment is left of the line. Skips blanks. */
static gboolean
is_at_end (Reader * reader)
{
  skip_blanks (reader);
  return *reader->at == '#' || ends_line (reader, *reader->at);
}

/* Returns: the length of the word that is next; 0: there is none */
static gsize
word_length (const gchar * text)
{
  gsize n = 0;

  while (g_ascii_isalnum (text[n]) || (text[n] != '\0' && strchr ("-_/%", text[n]) != NULL))
    n++;
  return n;
}

/* Whether this word is next. Skips blanks. */
static gboolean
is_word (Reader * reader, const gchar * word)
{
  skip_blanks (reader);
  return word_length (reader->at) == strlen (word) && strncmp (reader->at, word, strlen (word)) == 0;
}

static gboolean
take_word (Reader * reader, const gchar * word)
{
  if (!is_word (reader, word))
    return FALSE;
  reader->at += strlen (word);
  return TRUE;
}

static gboolean
take_text (Reader * reader, const gchar * text)
{
  skip_blanks (reader);
  if (!g_str_has_prefix (reader->at, text))
    return FALSE;
  reader->at += strlen (text);
  return TRUE;
}

static gsize
count_digits (const gchar * text)
{
  gsize n = 0;

  while (g_ascii_isdigit (text[n]))
    n++;
  return n;
}

/* Returns: the length of the number that begins the text; 0: none does */
static gsize
number_length (const gchar * text)
{
  gsize n = *text == '+' || *text == '-', whole, part = 0, exponent;

  whole = count_digits (text + n);
  n += whole;
  if (text[n] == '.') {
    part = count_digits (text + n + 1);
    n += part > 0 ? part + 1 : 0;
  }
  if (whole + part == 0)
    return 0;
  if (text[n] == 'e' || text[n] == 'E') {
    const gsize sign = text[n + 1] == '+' || text[n + 1] == '-';

    exponent = count_digits (text + n + 1 + sign);
    n += exponent > 0 ? 1 + sign + exponent : 0;
  }
  return n;
}

/* @what: names the number in errors. @number: (out): */
static gboolean
read_number (Reader * reader, const gchar * what, gdouble * number)
{
  gsize length;
  g_autofree gchar *copy = NULL;

  skip_blanks (reader);
  length = number_length (reader->at);
  if (length == 0)
    return refuse (reader, reader->at, "%s is expected", what);
  copy = g_strndup (reader->at, length);
  *number = g_ascii_strtod (copy, NULL);
  if (!isfinite (*number))
    return refuse (reader, reader->at, "the number is too large");
  reader->at += length;
  return TRUE;
}

/* ---- Limits ------------------------------------------------------------------------------- */

/* The units of rules: what they are written as, the unit of the figure, and what the number is multiplied by. */
static const struct
{
  const gchar *name, *unit;
  gdouble factor;
} units[] = {
  {"%", "share", 0.01},
  {"%", "share of pixels", 0.01},
  {"%", "percent", 1},
  {"dB", "dB", 1},
  {"dB", "dBFS", 1},
  {"dBTP", "dBTP", 1},
  {"LUFS", "LUFS", 1},
  {"LU", "LU", 1},
  {"cd/m2", "cd/m²", 1},
};

#define CODE8 "code8"

static gboolean
can_be_code8 (const HistoRuleFigure * figure)
{
  return !figure->row->is_audio && g_str_equal (figure->row->unit, "sample");
}

/* Whether what may break the rule is next. */
static gboolean
is_tolerance (Reader * reader)
{
  return is_word (reader, "for") || is_word (reader, "in") || is_word (reader, "frames");
}

/* @found: at @begin, which is no unit of the figure. @allowed: (nullable): how its unit is written */
static void
refuse_unit (Reader * reader, const gchar * begin, const gchar * found, const HistoRuleFigure * figure,
    const gchar * allowed)
{
  const gchar *unit = figure->row->unit;
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "\"%s\" is no unit of \"%s\": its unit is \"%s\"", found, figure->text, unit);
  if (g_str_equal (unit, "s"))
    g_string_append (text, ", in seconds");
  if (allowed != NULL)
    g_string_append_printf (text, ", written as %s", allowed);
  if (can_be_code8 (figure))
    g_string_append (text, ", or " CODE8);
  g_string_append (text, "; here there may be: ");
  if (allowed != NULL)
    g_string_append_printf (text, "%s, ", allowed);
  else if (can_be_code8 (figure))
    g_string_append (text, CODE8 ", ");
  refuse (reader, begin, "%sfor, in, frames or the end of the line", text->str);
}

/* A unit, if there is one. */
static gboolean
read_unit (Reader * reader, HistoRule * rule)
{
  const HistoRuleFigure *figure = rule->figure;
  const gchar *begin, *allowed = NULL;
  g_autofree gchar *found = NULL;
  gsize length;

  skip_blanks (reader);
  begin = reader->at;
  length = word_length (begin);
  if (length == 0 || is_tolerance (reader))
    return TRUE;
  reader->at += length;
  found = g_strndup (begin, length);
  rule->is_code8 = can_be_code8 (figure) && g_str_equal (found, CODE8);
  for (guint i = 0; i < G_N_ELEMENTS (units) && allowed == NULL; i++) {
    if (g_str_equal (units[i].unit, figure->row->unit)) {
      allowed = units[i].name;
      if (g_str_equal (allowed, found)) {
        rule->number *= units[i].factor;
        return TRUE;
      }
    }
  }
  if (!rule->is_code8)
    refuse_unit (reader, begin, found, figure, allowed);
  return reader->wrong == NULL;
}

/* Whether the figure is a choice, or a fact that is a word. */
static gboolean
has_words (const HistoRuleFigure * figure)
{
  return figure->row->choice != NULL || (histo_rule_figure_fact (figure) != NULL && histo_rule_figure_fact (figure)->is_word);
}

static gboolean
read_word (Reader * reader, HistoRule * rule)
{
  const gchar *begin = ++reader->at;
  gchar *word;

  while (*reader->at != '"' && *reader->at != '\n' && *reader->at != '\0')
    reader->at++;
  if (*reader->at != '"')
    return refuse (reader, begin - 1, "the word has no second \"");
  word = g_strndup (begin, reader->at - begin);
  rule->word = word;
  reader->at++;
  if (!has_words (rule->figure))
    return refuse (reader, begin - 1, "\"%s\" is a number; a number or a figure is expected", rule->figure->text);
  if (rule->figure->row->choice != NULL) {
    const gint number = histo_choice_find (rule->figure->row->choice, word);

    if (number < 0)
      return refuse (reader, begin - 1, "\"%s\" is never \"%s\"; it is one of: %s", rule->figure->text, word,
          rule->figure->row->choice->unit);
    rule->number = number;
  }
  rule->operand = HISTO_RULE_WORD;
  return TRUE;
}

/* Returns: the length of the figure that begins the text */
static gsize
figure_length (const gchar * text)
{
  gsize n = 0;

  /* The number of a region may follow its name: "regions.logo#2.Y.mean". */
  while (text[n] != '\0' && !g_ascii_isspace (text[n]) && (strchr ("<>=!;#\",:", text[n]) == NULL
          || (text[n] == '#' && n > 0 && text[n + strspn (text + n, "#0123456789")] == '.')))
    n++;
  return n;
}

/* Returns: (nullable): NULL with an error */
static HistoRuleFigure *
read_figure (Reader * reader)
{
  HistoRuleFigure *figure;
  gsize length, place = 0;

  skip_blanks (reader);
  length = figure_length (reader->at);
  if (length == 0) {
    refuse (reader, reader->at, "a figure is expected, as %s", reader->kind == HISTO_RULES_OF_COMPARISON ?
        "psnr or Y.ssim" : "Y.mean or signal.brng");
    return NULL;
  }
  figure = histo_rule_figure_parse (reader->at, length, reader->kind, &place, reader->error);
  if (figure == NULL)
    reader->wrong = reader->at + place;
  else
    reader->at += length;
  return figure;
}

/* Whether the two figures can be compared, and the places of one are places of the other. */
static gboolean
check_limit (Reader * reader, const HistoRule * rule, const gchar * begin)
{
  const HistoRuleFigure *figure = rule->figure, *limit = rule->limit;

  if (has_words (figure) != has_words (limit) || (has_words (figure) && figure->row->choice != limit->row->choice))
    return refuse (reader, begin, "\"%s\" and \"%s\" cannot be compared: one has %s", figure->text, limit->text,
        has_words (figure) != has_words (limit) ? "words, the other one numbers" : "other words than the other one");
  if (figure->space == HISTO_RULE_OF_FRAMES && limit->space == HISTO_RULE_OF_FACTS
      && histo_rule_figure_fact (limit)->is_of_end)
    return refuse (reader, begin, "\"%s\" is only known at the end, and no limit of each frame; a rule on whole. or fact. "
        "may have it", limit->text);
  if (figure->space == HISTO_RULE_OF_FRAMES ? limit->space == HISTO_RULE_OF_WHOLE : limit->space == HISTO_RULE_OF_FRAMES)
    return refuse (reader, begin, "a figure of each frame and one of the whole cannot be compared");
  if (figure->space != HISTO_RULE_OF_FACTS && limit->space != HISTO_RULE_OF_FACTS
      && figure->row->is_audio != limit->row->is_audio)
    return refuse (reader, begin, "a figure of video and one of audio cannot be compared");
  if ((histo_is_each (limit->region) && !histo_is_each (figure->region))
      || (histo_is_each (limit->item) && (!histo_is_each (figure->item) || figure->row->item != limit->row->item)))
    return refuse (reader, begin, "\"%s\" has a * that \"%s\" has not", limit->text, figure->text);
  return TRUE;
}

static gboolean
read_limit (Reader * reader, HistoRule * rule)
{
  const gchar *begin;

  skip_blanks (reader);
  begin = reader->at;
  if (has_words (rule->figure) && rule->op != HISTO_RULE_EQUAL && rule->op != HISTO_RULE_UNEQUAL)
    return refuse (reader, begin, "\"%s\" is a word, which = and != compare", rule->figure->text);
  if (*begin == '"')
    return read_word (reader, rule);
  if (number_length (begin) > 0) {
    if (has_words (rule->figure))
      return refuse (reader, begin, "\"%s\" is a word; a word in quotes is expected", rule->figure->text);
    return read_number (reader, "a number", &rule->number) && read_unit (reader, rule);
  }
  if (figure_length (begin) == 0)
    return refuse (reader, begin, "a number, a figure or a word in quotes is expected");
  rule->operand = HISTO_RULE_FIGURE;
  rule->limit = read_figure (reader);
  return rule->limit != NULL && check_limit (reader, rule, begin);
}

/* ---- Conditions --------------------------------------------------------------------------- */

/* The longer ones first. */
static const struct
{
  const gchar *text;
  HistoRuleOperator op;
} operators[] = {
  {"<=", HISTO_RULE_AT_MOST},
  {">=", HISTO_RULE_AT_LEAST},
  {"!=", HISTO_RULE_UNEQUAL},
  {"<", HISTO_RULE_LESS},
  {">", HISTO_RULE_GREATER},
  {"=", HISTO_RULE_EQUAL},
};

static gboolean
read_within (Reader * reader, HistoRule * rule, const gchar * begin)
{
  const gchar *margin;

  if (has_words (rule->figure))
    return refuse (reader, begin, "\"%s\" is a word, which = and != compare", rule->figure->text);
  rule->op = HISTO_RULE_WITHIN;
  if (!read_number (reader, "a number", &rule->number))
    return FALSE;
  if (!take_text (reader, "+-"))
    return refuse (reader, reader->at, "+- and a number are expected");
  skip_blanks (reader);
  margin = reader->at;
  if (!read_number (reader, "a number", &rule->margin))
    return FALSE;
  if (rule->margin < 0)
    return refuse (reader, margin, "the number must not be negative");
  skip_blanks (reader);
  if (word_length (reader->at) > 0 && !is_tolerance (reader))
    return refuse (reader, reader->at, "no unit is expected behind +-: both numbers are in the unit of the figure, \"%s\"",
        rule->figure->row->unit);
  return TRUE;
}

static gboolean
read_condition (Reader * reader, HistoRule * rule)
{
  const gchar *begin;

  skip_blanks (reader);
  begin = reader->at;
  if (take_word (reader, "within"))
    return read_within (reader, rule, begin);
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++) {
    if (take_text (reader, operators[i].text)) {
      rule->op = operators[i].op;
      return read_limit (reader, rule);
    }
  }
  return refuse (reader, begin, "<, <=, >, >=, =, != or within is expected");
}

/* ---- What may break a rule ---------------------------------------------------------------- */

static gboolean
read_duration (Reader * reader, HistoRule * rule)
{
  static const struct
  {
    const gchar *name;
    guint64 ns;
  } names[] = {
    {"ms", GST_MSECOND}, {"s", GST_SECOND}, {"min", 60 * GST_SECOND}
  };
  const gchar *begin;
  gdouble number;

  rule->tolerance = HISTO_RULE_FOR;
  skip_blanks (reader);
  begin = reader->at;
  if (!read_number (reader, "a time, as 2 s,", &number))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    if (!take_word (reader, names[i].name))
      continue;
    /* A century. */
    if (!(number > 0) || number * names[i].ns > 3.2e18)
      return refuse (reader, begin, "the time must be above 0 and less than a century");
    rule->duration = MAX (rint (number * names[i].ns), 1);
    return TRUE;
  }
  return refuse (reader, reader->at, "ms, s or min is expected");
}

static gboolean
read_percent (Reader * reader, HistoRule * rule)
{
  const gchar *begin;

  rule->tolerance = HISTO_RULE_IN;
  skip_blanks (reader);
  begin = reader->at;
  if (!read_number (reader, "a share, as 0.1 %,", &rule->percent))
    return FALSE;
  if (!take_word (reader, "%"))
    return refuse (reader, reader->at, "%% is expected");
  return (rule->percent >= 0 && rule->percent <= 100)
      || refuse (reader, begin, "the share must be at least 0 %% and at most 100 %%");
}

static gboolean
read_results (Reader * reader, HistoRule * rule)
{
  const gchar *begin;
  gdouble number;

  rule->tolerance = HISTO_RULE_RESULTS;
  skip_blanks (reader);
  begin = reader->at;
  if (!read_number (reader, "a number of frames", &number))
    return FALSE;
  if (number < 0 || number != floor (number) || number > 9e15)
    return refuse (reader, begin, "the number of frames must be whole and not negative");
  rule->n_results = number;
  return TRUE;
}

static gboolean
read_tolerance (Reader * reader, HistoRule * rule)
{
  const gchar *begin;
  const gboolean of_frames = rule->figure->space == HISTO_RULE_OF_FRAMES;
  const gboolean of_element = reader->kind != HISTO_RULES_OF_POLICY;

  skip_blanks (reader);
  begin = reader->at;
  if (is_tolerance (reader)) {
    if (!of_frames)
      return refuse (reader, begin, "only rules of each frame have for, in and frames");
    if (of_element && !is_word (reader, "for"))
      return refuse (reader, begin, "the property has no in and no frames, which are only known at the end; a policy has "
          "them");
  }
  if (take_word (reader, "for"))
    return read_duration (reader, rule);
  if (take_word (reader, "in"))
    return read_percent (reader, rule);
  if (take_word (reader, "frames"))
    return read_results (reader, rule);
  return TRUE;
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* Returns: the length of the id that is next. Skips blanks. */
static gsize
id_length (Reader * reader)
{
  gsize n = 0;

  skip_blanks (reader);
  while (g_ascii_isalnum (reader->at[n]) || reader->at[n] == '-' || reader->at[n] == '_')
    n++;
  return n;
}

/* Reads the rest of the line. A '#' begins a comment only behind a blank: an address may have one.
 *
 * Returns: (transfer full): without blanks at its ends */
static gchar *
read_text (Reader * reader)
{
  const gchar *begin;
  gchar *text;

  skip_blanks (reader);
  begin = reader->at;
  while (!ends_line (reader, *reader->at) && !(*reader->at == '#' && (reader->at == begin || is_blank (reader->at[-1]))))
    reader->at++;
  text = g_strndup (begin, reader->at - begin);
  return g_strchomp (text);
}

/* title, source and note. Returns: FALSE: the line is none of them, or wrong */
static gboolean
read_about (Reader * reader, gboolean * is_about)
{
  gchar **once = NULL, *text;
  const gchar *begin;

  skip_blanks (reader);
  begin = reader->at;
  *is_about = TRUE;
  if (take_word (reader, "title"))
    once = &reader->rules->title;
  else if (take_word (reader, "source"))
    once = &reader->rules->source;
  else if (!take_word (reader, "note"))
    *is_about = FALSE;
  if (!*is_about)
    return TRUE;
  skip_blanks (reader);
  if (*reader->at == ':')
    return refuse (reader, reader->at, "behind title, source and note there is their text, and no colon");
  if (is_at_end (reader))
    return refuse (reader, reader->at, "a text is expected");
  if (once != NULL && *once != NULL)
    return refuse (reader, begin, "there is a second one; note may occur several times");
  text = read_text (reader);
  if (once != NULL)
    *once = text;
  else
    g_ptr_array_insert (reader->rules->notes, reader->rules->notes->len - 1, text);
  return TRUE;
}

static gboolean
read_id (Reader * reader, HistoRule * rule)
{
  const gchar *begin;
  gsize length = id_length (reader);
  gchar *id;

  begin = reader->at;
  if (length == strlen ("warn") && g_str_has_prefix (begin, "warn")) {
    reader->at += length;
    skip_blanks (reader);
    rule->is_warning = *reader->at != ':';
    if (!rule->is_warning)
      reader->at = begin;
  }
  length = id_length (reader);
  begin = reader->at;
  if (length == 0)
    return refuse (reader, begin, "the id of a rule is expected: letters, digits, - and _");
  id = g_strndup (begin, length);
  rule->id = id;
  reader->at += length;
  if (!take_text (reader, ":"))
    return refuse (reader, reader->at, "a colon is expected behind the id \"%s\"", id);
  if (!g_hash_table_add (reader->ids, id))
    return refuse (reader, begin, "there is another rule \"%s\"", id);
  return TRUE;
}

static void
set_media (HistoRule * rule, const HistoRuleFigure * figure)
{
  if (figure == NULL || figure->space == HISTO_RULE_OF_FACTS)
    return;
  rule->groups |= HISTO_GROUP_FLAG (figure->row->group);
  rule->is_video = !figure->row->is_audio;
  rule->is_audio = figure->row->is_audio;
}

/* @rule: (inout): all zero; has what was read also after an error */
static gboolean
read_rule (Reader * reader, HistoRule * rule)
{
  const gchar *begin = reader->at;

  if (!read_id (reader, rule))
    return FALSE;
  rule->figure = read_figure (reader);
  if (rule->figure == NULL || !read_condition (reader, rule) || !read_tolerance (reader, rule))
    return FALSE;
  if (!is_at_end (reader)) {
    const gchar *tolerances = reader->kind != HISTO_RULES_OF_POLICY ? "for or " : "for, in, frames or ";

    if (rule->tolerance != HISTO_RULE_NOTHING || rule->figure->space != HISTO_RULE_OF_FRAMES)
      tolerances = "";
    return refuse (reader, reader->at, "%sthe end of the line is expected", tolerances);
  }
  rule->text = g_strchomp (g_strndup (begin, reader->at - begin));
  rule->is_video = rule->is_audio = TRUE;
  set_media (rule, rule->limit);
  set_media (rule, rule->figure);
  return TRUE;
}

static void
clear_rule (gpointer data)
{
  HistoRule *rule = data;

  g_free ((gchar *) rule->id);
  g_free ((gchar *) rule->text);
  g_free ((gchar *) rule->word);
  histo_rule_figure_free ((HistoRuleFigure *) rule->figure);
  histo_rule_figure_free ((HistoRuleFigure *) rule->limit);
}

static gboolean
read_line (Reader * reader, guint line)
{
  gboolean is_about, ok;
  HistoRule rule = { 0, };

  if (is_at_end (reader))
    return TRUE;
  if (!read_about (reader, &is_about) || is_about)
    return reader->wrong == NULL;
  rule.line = line;
  ok = read_rule (reader, &rule);
  g_array_append_val (reader->rules->rules, rule);
  reader->rules->groups |= rule.groups;
  return ok;
}

/* @line, @column: (out): of a place in the text; the first are 1. The column counts characters. */
static void
find_place (const gchar * text, const gchar * at, guint * line, guint * column)
{
  const gchar *begin = text;

  *line = 1;
  for (const gchar * c = text; c < at; c++) {
    if (*c == '\n') {
      (*line)++;
      begin = c + 1;
    }
  }
  *column = 1;
  for (const gchar * c = begin; c < at; c++)
    *column += ((guchar) *c & 0xc0) != 0x80;
}

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

HistoRules *
histo_rules_parse (const gchar * text, HistoRulesKind kind, guint * line, guint * column, GError ** error)
{
  HistoRules *rules = g_new0 (HistoRules, 1);
  Reader reader = { text != NULL ? text : "", NULL, kind, NULL, error, rules, NULL };
  const gchar *end;
  guint number = 1, wrong_line = 0, wrong_column = 0;

  rules->references = 1;
  rules->notes = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (rules->notes, NULL);
  rules->rules = g_array_new (FALSE, FALSE, sizeof (HistoRule));
  g_array_set_clear_func (rules->rules, clear_rule);
  reader.ids = g_hash_table_new (g_str_hash, g_str_equal);
  reader.at = reader.text;
  if (!g_utf8_validate (reader.text, -1, &end))
    refuse (&reader, end, "the text is no UTF-8");
  if (g_str_has_prefix (reader.at, BYTE_ORDER_MARK))
    reader.at += strlen (BYTE_ORDER_MARK);
  while (reader.wrong == NULL && read_line (&reader, number)) {
    /* A comment may be left. */
    while (!ends_line (&reader, *reader.at))
      reader.at++;
    if (*reader.at == '\0')
      break;
    number += *reader.at++ == '\n';
  }
  g_hash_table_unref (reader.ids);
  if (reader.wrong != NULL) {
    find_place (reader.text, reader.wrong, &wrong_line, &wrong_column);
    g_clear_pointer (&rules, histo_rules_unref);
  }
  if (line != NULL)
    *line = wrong_line;
  if (column != NULL)
    *column = wrong_column;
  return rules;
}

HistoRules *
histo_rules_ref (HistoRules * rules)
{
  g_return_val_if_fail (rules != NULL, NULL);
  g_atomic_int_inc (&rules->references);
  return rules;
}

void
histo_rules_unref (HistoRules * rules)
{
  if (rules == NULL || !g_atomic_int_dec_and_test (&rules->references))
    return;
  g_free (rules->title);
  g_free (rules->source);
  g_ptr_array_unref (rules->notes);
  g_array_unref (rules->rules);
  g_free (rules);
}

/* ---- What was read ------------------------------------------------------------------------ */

guint
histo_rules_get_n (const HistoRules * rules)
{
  g_return_val_if_fail (rules != NULL, 0);
  return rules->rules->len;
}

const HistoRule *
histo_rules_get (const HistoRules * rules, guint number)
{
  g_return_val_if_fail (rules != NULL && number < rules->rules->len, NULL);
  return &g_array_index (rules->rules, HistoRule, number);
}

guint
histo_rules_groups (const HistoRules * rules)
{
  g_return_val_if_fail (rules != NULL, 0);
  return rules->groups;
}

const gchar *
histo_rules_title (const HistoRules * rules)
{
  g_return_val_if_fail (rules != NULL, NULL);
  return rules->title;
}

const gchar *
histo_rules_source (const HistoRules * rules)
{
  g_return_val_if_fail (rules != NULL, NULL);
  return rules->source;
}

const gchar *const *
histo_rules_notes (const HistoRules * rules)
{
  g_return_val_if_fail (rules != NULL, NULL);
  return (const gchar *const *) rules->notes->pdata;
}
