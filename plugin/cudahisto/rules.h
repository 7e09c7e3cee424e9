/* Rules: conditions that the figures of results must meet. docs/rules.md describes the language.
 *
 *   HistoRules *rules = histo_rules_parse ("dark: Y.mean < 40 for 2 s", HISTO_RULES_OF_POLICY, &line, &column, &error);
 *   HistoRuleStates *states = histo_rule_states_new (rules);
 *   GArray *events = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));
 *
 *   for each result of the stream, in order:
 *     histo_rule_states_pass (states, &result, start, end, events);
 *   histo_rule_states_end (states, events);
 *   histo_rule_states_judge (states, findings);
 *
 * `start` and `end` are stream times: of a message those of histo_read_times(), of a buffer in the pipeline those of
 * histo_times_from_buffer().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_RULES_H
#define HISTO_RULES_H

#include "comparison.h"
#include "facts.h"
#include "result.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* ---- The rules ---------------------------------------------------------------------------- */

typedef enum
{
  HISTO_RULES_OF_ELEMENT,       /* conditions on each result, with or without `for`; ';' ends a line, too */
  HISTO_RULES_OF_POLICY,        /* the whole language */
  HISTO_RULES_OF_COMPARISON     /* as of the element, but of the figures of comparisons: histo_comparison_rows() */
} HistoRulesKind;

/* What a figure describes. */
typedef enum
{
  HISTO_RULE_OF_FRAMES,         /* of each result, of video or audio */
  HISTO_RULE_OF_WHOLE,          /* whole.: of the whole stream */
  HISTO_RULE_OF_FACTS           /* fact.: of what the stream says of itself */
} HistoRuleSpace;

typedef enum
{
  HISTO_RULE_LESS,
  HISTO_RULE_AT_MOST,
  HISTO_RULE_GREATER,
  HISTO_RULE_AT_LEAST,
  HISTO_RULE_EQUAL,
  HISTO_RULE_UNEQUAL,
  HISTO_RULE_WITHIN
} HistoRuleOperator;

typedef enum
{
  HISTO_RULE_NUMBER,
  HISTO_RULE_FIGURE,
  HISTO_RULE_WORD
} HistoRuleOperand;

/* How much may break the rule. */
typedef enum
{
  HISTO_RULE_NOTHING,
  HISTO_RULE_FOR,               /* spans that are shorter */
  HISTO_RULE_IN,                /* such a share of the results */
  HISTO_RULE_RESULTS            /* so many results */
} HistoRuleTolerance;

/* A figure as a rule names it. */
typedef struct _HistoRuleFigure HistoRuleFigure;

typedef struct
{
  const gchar *id;
  gboolean is_warning;
  const gchar *text;            /* of the rule, without the comment */
  guint line;                   /* the first is 1 */

  /* The condition. */
  const HistoRuleFigure *figure;
  HistoRuleOperator op;
  HistoRuleOperand operand;
  gdouble number;               /* in the unit of the figure; of WITHIN: the middle */
  gdouble margin;               /* of WITHIN */
  gboolean is_code8;            /* the number is to be multiplied by 2^(depth - 8) */
  const HistoRuleFigure *limit; /* the other figure; else NULL */
  const gchar *word;            /* else NULL */

  HistoRuleTolerance tolerance;
  guint64 duration;             /* of FOR: in ns */
  gdouble percent;              /* of IN */
  guint64 n_results;            /* of RESULTS */

  guint groups;                 /* flags of the groups that the figures belong to; of comparisons of the measures */
  /* Whether results of video, or of audio, have the figures; both are set if there are only facts. */
  gboolean is_video, is_audio;
} HistoRule;

/* Immutable, with a reference count. Threads may share it. */
typedef struct _HistoRules HistoRules;

/**
 * histo_rules_parse:
 * @text: (nullable): in UTF-8; %NULL: no rules
 * @line: (out) (optional): of what is wrong; the first is 1; 0: nothing
 * @column: (out) (optional): the same, in characters
 * @error: (nullable):
 *
 * Returns: (transfer full) (nullable): the rules, to be freed with histo_rules_unref(); %NULL with a
 *   %GST_LIBRARY_ERROR_SETTINGS that says what is wrong and what is allowed there
 */
HistoRules *histo_rules_parse (const gchar * text, HistoRulesKind kind,
    guint * line, guint * column, GError ** error);

/**
 * histo_rules_ref:
 *
 * Returns: (transfer full): @rules
 */
HistoRules *histo_rules_ref (HistoRules * rules);

/**
 * histo_rules_unref:
 * @rules: (nullable) (transfer full):
 */
void histo_rules_unref (HistoRules * rules);

/**
 * histo_rules_get_n:
 *
 * Returns: the number of rules
 */
guint histo_rules_get_n (const HistoRules * rules);

/**
 * histo_rules_get:
 * @number: less than histo_rules_get_n(); 0 is the first
 *
 * Returns: (transfer none) (nullable): the rule, valid as long as @rules; %NULL: there is none
 */
const HistoRule *histo_rules_get (const HistoRules * rules, guint number);

/**
 * histo_rules_groups:
 *
 * Returns: flags of the groups that the figures belong to, see HISTO_GROUP_FLAG(); of comparisons flags of
 *   HistoComparisonMeasure
 */
guint histo_rules_groups (const HistoRules * rules);

/**
 * histo_rules_title:
 *
 * Returns: (nullable): valid as long as @rules; %NULL: there is none
 */
const gchar *histo_rules_title (const HistoRules * rules);

/**
 * histo_rules_source:
 *
 * Returns: (nullable): where the rules are from; valid as long as @rules; %NULL: it is not said
 */
const gchar *histo_rules_source (const HistoRules * rules);

/**
 * histo_rules_notes:
 *
 * Returns: (array zero-terminated=1): the notes, valid as long as @rules
 */
const gchar *const *histo_rules_notes (const HistoRules * rules);

/**
 * histo_rule_figure_path:
 *
 * Returns: as in the rule; valid as long as the rules
 */
const gchar *histo_rule_figure_path (const HistoRuleFigure * figure);

/**
 * histo_rule_figure_space:
 *
 * Returns: of what the figure is
 */
HistoRuleSpace histo_rule_figure_space (const HistoRuleFigure * figure);

/**
 * histo_rule_figure_unit:
 *
 * Returns: the unit as in the tables of docs/result.md, valid for ever; of a word "" or, of a fact, as in HISTO_FACTS
 */
const gchar *histo_rule_figure_unit (const HistoRuleFigure * figure);

/**
 * histo_rule_figure_word:
 * @number: that a result has for it
 *
 * Returns: (nullable): the name of a choice's number, valid for ever; %NULL: the figure is no choice, or has no such name
 */
const gchar *histo_rule_figure_word (const HistoRuleFigure * figure, gdouble number);

/* ---- Places ------------------------------------------------------------------------------- */

/* Where a figure was measured. Each name is NULL where there is none. */
typedef struct
{
  const gchar *text;            /* the names that stand for the rule's `*`: "ch1", "zone 7", "ch0+ch1", "logo"; NULL
                                 * without `*` */
  const gchar *region;
  const gchar *component;       /* of video */
  const gchar *channel;
  const gchar *pair;            /* "ch0+ch1" */
  const gchar *zone;            /* "7"; "0" is the first */
} HistoRulePlace;

/* ---- What the results do not have ---------------------------------------------------------- */

/* A value of the whole stream or a fact. */
typedef struct
{
  gdouble number;               /* NaN: there is none */
  const gchar *word;            /* NULL: there is none; valid until the next lookup */
} HistoRuleValue;

/**
 * HistoRuleLookup:
 * @space: %HISTO_RULE_OF_WHOLE or %HISTO_RULE_OF_FACTS
 * @path: without `whole.` or `fact.`, and with the place's name instead of `*`: "Y.mean", "ch1.rms",
 *   "loudness.true-peak.ch0", "signal.brng.max", "max-cll"
 *
 * Returns: whether there is a value. If not, the states have that of the whole stream, but not of all samples: of
 *   figures of components and channels without ending
 */
typedef gboolean (*HistoRuleLookup) (HistoRuleSpace space, const gchar * path,
    HistoRuleValue * value, gpointer data);

/* ---- Following a stream ------------------------------------------------------------------- */

/* A rule is broken from now on, or not any more. */
typedef struct
{
  guint rule;                   /* number of the rule */
  const HistoRulePlace *place;  /* valid as long as the states */
  gboolean is_end;              /* else the span begins */
  guint64 start;                /* of the span: stream time in ns; GST_CLOCK_TIME_NONE: unknown */
  guint64 end;                  /* the same; of a begin GST_CLOCK_TIME_NONE */
  /* The worst of the span so far. A choice is the number of its name. */
  gdouble value, limit;
  guint64 value_time;           /* stream time in ns at which the result with this value starts */
} HistoRuleEvent;

/* What a rule has met at one place. */
typedef struct
{
  guint64 n_checked;            /* results with the figure */
  guint64 n_absent;             /* results without it */
  guint64 n_broken;             /* of n_checked */
  guint64 n_untimed;            /* of n_broken: with an unknown start */
  guint64 n_spans;              /* that have lasted for the rule's duration */
  guint64 time_broken;          /* in ns; of results with a known duration */
  guint64 longest;              /* span in ns */
  gdouble worst, worst_limit;   /* NaN: n_checked is 0 */
  guint64 worst_time;           /* as value_time */
} HistoRuleTotals;

/* What the rules remember of one stream. */
typedef struct _HistoRuleStates HistoRuleStates;

/**
 * histo_rule_states_new:
 * @rules: (transfer none): the states keep a reference
 *
 * Returns: (transfer full): for one stream, of which no result has passed; to be freed with histo_rule_states_free(). One
 *   thread uses it at a time
 */
HistoRuleStates *histo_rule_states_new (HistoRules * rules);

/**
 * histo_rule_states_free:
 * @states: (nullable) (transfer full):
 */
void histo_rule_states_free (HistoRuleStates * states);

/**
 * histo_rule_states_set_lookup:
 * @lookup: (nullable): is called while results pass and are judged
 *
 * Without it there are no facts, and no figures of all samples.
 */
void histo_rule_states_set_lookup (HistoRuleStates * states,
    HistoRuleLookup lookup, gpointer data);

/**
 * histo_rule_states_pass:
 * @result: the next one of the stream
 * @start: stream time in ns at which what was measured begins; %GST_CLOCK_TIME_NONE: unknown
 * @end: the same, at which it ends. It may be the sum of times of which one is unknown: it is then unknown, too
 * @events: (element-type HistoRuleEvent) (nullable): what begins and ends is appended; %NULL: it is only counted
 */
void histo_rule_states_pass (HistoRuleStates * states,
    const HistoResult * result, guint64 start, guint64 end, GArray * events);

/**
 * histo_rule_states_pass_comparison:
 * @comparison: the next one of the stream, of two frames
 *
 * As histo_rule_states_pass(), for rules of %HISTO_RULES_OF_COMPARISON.
 */
void histo_rule_states_pass_comparison (HistoRuleStates * states,
    const HistoComparison * comparison, guint64 start, guint64 end, GArray * events);

/**
 * histo_rule_states_end:
 * @events: (element-type HistoRuleEvent) (nullable): the ends are appended
 *
 * Ends all spans with the end of the latest result: at the end of the stream, or where it is interrupted.
 */
void histo_rule_states_end (HistoRuleStates * states, GArray * events);

/**
 * histo_rule_states_look_up_again:
 *
 * A fact that is the limit of a rule on each result may have another value from the next result on.
 */
void histo_rule_states_look_up_again (HistoRuleStates * states);

/**
 * histo_rule_states_are_followed:
 *
 * Returns: whether a span is open or may become open
 */
gboolean histo_rule_states_are_followed (const HistoRuleStates * states);

/**
 * histo_rule_states_list:
 * @current: (element-type HistoRuleEvent): the begins of the open spans are appended, with the values so far
 */
void histo_rule_states_list (const HistoRuleStates * states, GArray * current);

/* ---- Verdicts ----------------------------------------------------------------------------- */

typedef enum
{
  HISTO_RULE_SKIPPED,           /* there was no value */
  HISTO_RULE_PASSED,
  HISTO_RULE_WARNED,            /* a rule that begins with `warn` failed */
  HISTO_RULE_FAILED
} HistoRuleVerdict;

/* What a rule found at one place. */
typedef struct
{
  guint rule;
  const HistoRulePlace *place;  /* valid as long as the states */
  HistoRuleVerdict verdict;
  /* The value of the whole stream or of facts; the worst one of frames. NaN: there is none, or it is a word. */
  gdouble value, limit;
  gchar *value_word, *limit_word;       /* NULL: they are numbers, or there is none */
  HistoRuleTotals totals;       /* of frames */
} HistoRuleFinding;

/**
 * histo_rule_states_judge:
 * @findings: (element-type HistoRuleFinding): appended to: one for each rule and place, in the order of the rules; of a
 *   rule without any place one that was skipped. Each is to be freed with histo_rule_finding_clear()
 *
 * For the end of the stream, behind histo_rule_states_end().
 */
void histo_rule_states_judge (HistoRuleStates * states, GArray * findings);

/**
 * histo_rule_finding_clear:
 * @finding: (nullable): a #HistoRuleFinding
 *
 * Frees its words, and sets them to %NULL. A GDestroyNotify, for g_array_set_clear_func().
 */
void histo_rule_finding_clear (gpointer finding);

/**
 * histo_rule_worse:
 *
 * A stream, or an input, has failed if one rule has; else there are warnings; else it has passed if one rule has; else it
 * was skipped.
 *
 * Returns: the verdict of both together
 */
HistoRuleVerdict histo_rule_worse (HistoRuleVerdict a, HistoRuleVerdict b);

G_END_DECLS

#endif /* HISTO_RULES_H */
