/* Follows rules through the results of a stream; see rules.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/rules.h"

#include <math.h>

#include "cudahisto/inner.h"
#include "cudahisto/rule-figures.h"
#include "cudahisto/span.h"

/* Regions that come with metas may have ever other names. */
#define MOST_PLACES HISTO_MAX_CHANNELS

/* A rule at one place. */
typedef struct
{
  const HistoRule *rule;
  guint number;                 /* of the rule */
  HistoRulePlace names;
  gchar *region, *item;         /* what stands for `*`; else NULL */
  gchar *text;                  /* the place's */

  /* In the results as they are now. */
  gboolean is_there;
  HistoFigureAt figure, limit;
  gdouble fixed;                /* the limit, if it is no figure of the results */
  gdouble low, high;            /* of WITHIN */

  HistoSpan span;
  HistoRuleTotals totals;
  gdouble worst_excess;
  HistoRange whole, whole_limit;
} Place;

struct _HistoRuleStates
{
  HistoRules *rules;
  HistoRuleLookup lookup;
  gpointer data;
  guint n_rules;
  GPtrArray **of_rule;          /* of each rule: of Place */
  gboolean *is_full;            /* of each rule: places were left out */
  GPtrArray *places;            /* the same, in the order of the rules */
  HistoShape shape;             /* on which the places of figures depend */
  guint64 previous_start, previous_end;
};

/* What passes: one of both; the other one is NULL. */
typedef struct
{
  const HistoResult *result;
  const HistoComparison *comparison;
} Subject;

/* ---- Places ------------------------------------------------------------------------------- */

static const gchar *
region_at (const HistoRuleFigure * figure, const gchar * region)
{
  return histo_is_each (figure->region) ? region : figure->region;
}

static const gchar *
item_at (const HistoRuleFigure * figure, const gchar * item)
{
  return histo_is_each (figure->item) ? item : figure->item;
}

/* Sets the names of the place from those that stand for `*`. */
static void
name_place (Place * place, const HistoRuleFigure * figure)
{
  const gchar *item = item_at (figure, place->item);
  HistoRulePlace *names = &place->names;
  g_autofree gchar *item_text = NULL;

  names->region = region_at (figure, place->region);
  names->component = figure->row->component;
  switch (figure->row->item) {
    case HISTO_ITEM_CHANNEL:
      names->channel = item;
      break;
    case HISTO_ITEM_PAIR:
      names->pair = item;
      break;
    case HISTO_ITEM_ZONE:
      names->zone = item;
      break;
    case HISTO_ITEM_COMPONENT:
      names->component = item;
      break;
    case HISTO_ITEM_NONE:
      break;
  }
  if (place->item != NULL)
    item_text = figure->row->item == HISTO_ITEM_ZONE ? g_strdup_printf ("zone %s", place->item) :
        g_strdup (place->item);
  if (place->region != NULL && item_text != NULL)
    place->text = g_strdup_printf ("%s, %s", place->region, item_text);
  else
    place->text = g_strdup (place->region != NULL ? place->region : item_text);
  names->text = place->text;
}

static void
free_place (gpointer data)
{
  Place *place = data;

  g_free (place->region);
  g_free (place->item);
  g_free (place->text);
  g_free (place);
}

/* @region, @item: (nullable): what stands for `*`
 * Returns: (nullable): the place, which is added if it is new; NULL: there are too many */
static Place *
get_place (HistoRuleStates * states, guint rule, const gchar * region, const gchar * item)
{
  GPtrArray *places = states->of_rule[rule];
  Place *place;

  for (guint i = 0; i < places->len; i++) {
    place = places->pdata[i];
    if (g_strcmp0 (place->region, region) == 0 && g_strcmp0 (place->item, item) == 0)
      return place;
  }
  if (places->len == MOST_PLACES) {
    states->is_full[rule] = TRUE;
    return NULL;
  }
  place = g_new0 (Place, 1);
  place->rule = histo_rules_get (states->rules, rule);
  place->number = rule;
  place->region = g_strdup (region);
  place->item = g_strdup (item);
  place->figure.is_absent = place->limit.is_absent = TRUE;
  place->fixed = place->rule->number;
  place->low = place->rule->number - place->rule->margin;
  place->high = place->rule->number + place->rule->margin;
  place->totals.worst = place->totals.worst_limit = NAN;
  place->totals.worst_time = GST_CLOCK_TIME_NONE;
  name_place (place, place->rule->figure);
  g_ptr_array_add (places, place);
  return place;
}

/* After places were added. */
static void
collect_places (HistoRuleStates * states)
{
  g_ptr_array_set_size (states->places, 0);
  for (guint i = 0; i < states->n_rules; i++) {
    for (guint k = 0; k < states->of_rule[i]->len; k++)
      g_ptr_array_add (states->places, states->of_rule[i]->pdata[k]);
  }
}

HistoRuleStates *
histo_rule_states_new (HistoRules * rules)
{
  HistoRuleStates *states;

  g_return_val_if_fail (rules != NULL, NULL);
  states = g_new0 (HistoRuleStates, 1);
  states->rules = histo_rules_ref (rules);
  states->n_rules = histo_rules_get_n (rules);
  states->of_rule = g_new (GPtrArray *, states->n_rules);
  states->is_full = g_new0 (gboolean, states->n_rules);
  states->places = g_ptr_array_new ();
  states->previous_start = states->previous_end = GST_CLOCK_TIME_NONE;
  for (guint i = 0; i < states->n_rules; i++) {
    const HistoRuleFigure *figure = histo_rules_get (rules, i)->figure;

    states->of_rule[i] = g_ptr_array_new_with_free_func (free_place);
    if (!histo_is_each (figure->region) && !histo_is_each (figure->item))
      get_place (states, i, NULL, NULL);
  }
  collect_places (states);
  return states;
}

void
histo_rule_states_free (HistoRuleStates * states)
{
  if (states == NULL)
    return;
  for (guint i = 0; i < states->n_rules; i++)
    g_ptr_array_unref (states->of_rule[i]);
  g_free (states->of_rule);
  g_free (states->is_full);
  g_ptr_array_unref (states->places);
  histo_shape_clear (&states->shape);
  histo_rules_unref (states->rules);
  g_free (states);
}

void
histo_rule_states_set_lookup (HistoRuleStates * states, HistoRuleLookup lookup, gpointer data)
{
  g_return_if_fail (states != NULL);
  states->lookup = lookup;
  states->data = data;
}

void
histo_rule_states_look_up_again (HistoRuleStates * states)
{
  g_return_if_fail (states != NULL);
  histo_shape_clear (&states->shape);
}

/* @region, @item: what stands for `*` */
static gboolean
look_up (const HistoRuleStates * states, const HistoRuleFigure * figure, const Place * place, HistoRuleValue * value)
{
  g_autofree gchar *path = NULL;

  *value = (HistoRuleValue) { NAN, NULL };
  if (states->lookup == NULL)
    return FALSE;
  path = histo_rule_figure_at (figure, region_at (figure, place->region), item_at (figure, place->item));
  return states->lookup (figure->space, path, value, states->data);
}

/* ---- Resolving ---------------------------------------------------------------------------- */

static guint
n_regions_of (const Subject * subject)
{
  return subject->result != NULL ? subject->result->n_regions : subject->comparison->n_regions;
}

/* Returns: "" of a region that takes no part */
static const gchar *
name_of (const Subject * subject, guint r)
{
  const HistoRegionResult *region;

  if (subject->comparison != NULL)
    return subject->comparison->regions[r].name != NULL ? subject->comparison->regions[r].name : "";
  region = &subject->result->regions[r];
  return region->is_roi || region->region.name == NULL ? "" : region->region.name;
}

/* @region: what stands for the region's `*` */
static void
add_components (HistoRuleStates * states, guint rule, const gchar * region, const Subject * subject)
{
  const HistoResult *result = subject->result;

  for (guint i = 0; result != NULL && i < result->n_region_components; i++) {
    if (result->components[i].group == HISTO_GROUP_BASIC)
      get_place (states, rule, region, result->components[i].name);
  }
  for (guint i = 0; result == NULL && i < subject->comparison->regions[0].n_components; i++)
    get_place (states, rule, region, subject->comparison->regions[0].components[i].name);
}

/* @region: what stands for the region's `*` */
static void
add_items (HistoRuleStates * states, guint rule, const gchar * region, const Subject * subject)
{
  const HistoRuleFigure *figure = histo_rules_get (states->rules, rule)->figure;
  const HistoResult *result = subject->result;

  if (!histo_is_each (figure->item)) {
    get_place (states, rule, region, NULL);
    return;
  }
  switch (figure->row->item) {
    case HISTO_ITEM_CHANNEL:
    case HISTO_ITEM_COMPONENT:
      add_components (states, rule, region, subject);
      break;
    case HISTO_ITEM_PAIR:
      for (guint i = 0; result != NULL && i < result->n_pairs; i++) {
        g_autofree gchar *name = g_strdup_printf ("%s+%s", result->components[result->pairs[i].first].name,
            result->components[result->pairs[i].second].name);

        get_place (states, rule, region, name);
      }
      break;
    case HISTO_ITEM_ZONE:
      for (guint i = 0; result != NULL && histo_result_has_group (result, HISTO_GROUP_FLASH) && i < HISTO_N_ZONES; i++) {
        g_autofree gchar *name = g_strdup_printf ("%u", i);

        get_place (states, rule, region, name);
      }
      break;
    case HISTO_ITEM_NONE:
      break;
  }
}

/* Whether such results may have the figure. */
static gboolean
suits (const HistoRuleFigure * figure, const Subject * subject)
{
  if (figure->space == HISTO_RULE_OF_FACTS || figure->is_of_comparison != (subject->comparison != NULL))
    return FALSE;
  return subject->comparison != NULL || figure->row->is_audio == subject->result->is_audio;
}

/* Adds the places of a rule with `*` that the result has. */
static void
add_places (HistoRuleStates * states, guint rule, const Subject * subject)
{
  const HistoRuleFigure *figure = histo_rules_get (states->rules, rule)->figure;

  if (!suits (figure, subject))
    return;
  if (!histo_is_each (figure->region))
    add_items (states, rule, NULL, subject);
  for (guint r = 1; histo_is_each (figure->region) && r < n_regions_of (subject); r++) {
    if (*name_of (subject, r) != '\0')
      add_items (states, rule, name_of (subject, r), subject);
  }
}

static gboolean
find_figure (HistoFigureAt * at, const HistoRuleFigure * figure, const Subject * subject, const Place * place)
{
  const gchar *region = region_at (figure, place->region), *item = item_at (figure, place->item);

  if (suits (figure, subject))
    return subject->result != NULL ? histo_rule_figure_find (figure, subject->result, region, item, at) :
        histo_comparison_find_figure (subject->comparison, figure->row, region, item, at);
  *at = (HistoFigureAt) {.is_absent = TRUE };
  return FALSE;
}

static gdouble
get_figure (const Subject * subject, const HistoFigureAt * at)
{
  return subject->result != NULL ? histo_result_get_figure (subject->result, at) :
      histo_comparison_get_figure (subject->comparison, at);
}

static void
resolve_place (HistoRuleStates * states, Place * place, const Subject * subject)
{
  const HistoRule *rule = place->rule;
  HistoRuleValue value;

  place->is_there = rule->figure->space == HISTO_RULE_OF_FACTS
      || find_figure (&place->figure, rule->figure, subject, place);
  if (rule->is_code8)
    place->fixed = rule->number * (subject->result != NULL ? histo_rule_figure_code8 (subject->result, &place->figure) :
        histo_rule_figure_code8_of_comparison (subject->comparison, &place->figure));
  if (rule->limit == NULL)
    return;
  if (rule->limit->space != HISTO_RULE_OF_FACTS) {
    find_figure (&place->limit, rule->limit, subject, place);
  } else {
    look_up (states, rule->limit, place, &value);
    place->fixed = value.number;
  }
}

typedef struct
{
  const Place *place;
  GArray *events;               /* NULL: nobody wants them */
  guint n_reported;
} Reporter;

static void
report (const HistoSpan * span, gboolean is_end, gpointer data)
{
  Reporter *reporter = data;
  const HistoRuleEvent event = {
    .rule = reporter->place->number,
    .place = &reporter->place->names,
    .is_end = is_end,
    .start = span->start,
    .end = is_end ? span->end : GST_CLOCK_TIME_NONE,
    .value = span->value,
    .limit = span->limit,
    .value_time = span->value_time,
  };

  reporter->n_reported++;
  if (reporter->events != NULL)
    g_array_append_val (reporter->events, event);
}

/* A place that the results do not have any more ends its span. */
static void
resolve (HistoRuleStates * states, const Subject * subject, GArray * events)
{
  for (guint i = 0; i < states->n_rules; i++) {
    const HistoRuleFigure *figure = histo_rules_get (states->rules, i)->figure;

    if (histo_is_each (figure->region) || histo_is_each (figure->item))
      add_places (states, i, subject);
  }
  collect_places (states);
  for (guint i = 0; i < states->places->len; i++) {
    Place *place = states->places->pdata[i];

    resolve_place (states, place, subject);
    if (!place->is_there)
      histo_span_end (&place->span, report, &(Reporter) { place, events, 0 });
  }
  if (subject->result != NULL)
    histo_shape_set (&states->shape, subject->result);
}

/* ---- Conditions --------------------------------------------------------------------------- */

/* @limit: (inout): of WITHIN becomes the bound that is nearer
 * @excess: (out): the greater, the worse; above 0 the condition is broken, or 0 at < and >
 *
 * Returns: whether the value meets the condition */
static gboolean
is_met (const HistoRule * rule, gdouble low, gdouble high, gdouble value, gdouble * limit, gdouble * excess)
{
  gboolean met = FALSE;

  switch (rule->op) {
    case HISTO_RULE_LESS:
      met = value < *limit;
      *excess = value - *limit;
      break;
    case HISTO_RULE_AT_MOST:
      met = value <= *limit;
      *excess = value - *limit;
      break;
    case HISTO_RULE_GREATER:
      met = value > *limit;
      *excess = *limit - value;
      break;
    case HISTO_RULE_AT_LEAST:
      met = value >= *limit;
      *excess = *limit - value;
      break;
    case HISTO_RULE_EQUAL:
      met = value == *limit;
      *excess = fabs (value - *limit);
      break;
    case HISTO_RULE_UNEQUAL:
      met = value != *limit;
      *excess = met ? -1 : 0;
      break;
    case HISTO_RULE_WITHIN:
      met = value >= low && value <= high;
      *limit = low - value > value - high ? low : high;
      *excess = MAX (low - value, value - high);
      break;
  }
  /* The difference of two infinities. */
  if (isnan (*excess))
    *excess = 0;
  return met;
}

static gboolean
has_times (guint64 start, guint64 end)
{
  return GST_CLOCK_TIME_IS_VALID (start) && GST_CLOCK_TIME_IS_VALID (end) && end > start;
}

static void
count (Place * place, const HistoSpanFinding * finding, const HistoSpanBuffer * buffer)
{
  HistoRuleTotals *totals = &place->totals;

  if (totals->n_checked == 0 || finding->excess > place->worst_excess) {
    totals->worst = finding->value;
    totals->worst_limit = finding->limit;
    totals->worst_time = buffer->start;
    place->worst_excess = finding->excess;
  }
  totals->n_checked++;
  if (!finding->holds)
    return;
  totals->n_broken++;
  if (!GST_CLOCK_TIME_IS_VALID (buffer->start))
    totals->n_untimed++;
  if (has_times (buffer->start, buffer->end))
    totals->time_broken += buffer->end - buffer->start;
}

static void
pass_place (Place * place, const Subject * subject, const HistoSpanBuffer * buffer, GArray * events)
{
  const HistoRule *rule = place->rule;
  const gboolean has_limit = rule->limit != NULL && rule->limit->space == HISTO_RULE_OF_FRAMES;
  HistoSpanFinding finding = { 0, };
  HistoSpan *span = &place->span;
  const gboolean was_open = span->is_open;
  Reporter reporter = { place, events, 0 };

  finding.value = place->is_there ? get_figure (subject, &place->figure) : NAN;
  finding.limit = has_limit ? get_figure (subject, &place->limit) : place->fixed;
  if (isnan (finding.value) || isnan (finding.limit)) {
    place->totals.n_absent++;
    return;
  }
  finding.holds = !is_met (rule, place->low, place->high, finding.value, &finding.limit, &finding.excess);
  finding.keeps_worst = TRUE;
  finding.minimum = rule->duration;
  count (place, &finding, buffer);
  if (!finding.holds && !span->holds)
    return;
  histo_span_follow (span, &finding, buffer, report, &reporter);
  /* The span has ended, or goes on. */
  if (has_times (span->start, span->end))
    place->totals.longest = MAX (place->totals.longest, span->end - span->start);
  /* It may have begun and ended. */
  if (!was_open && reporter.n_reported > 0)
    place->totals.n_spans++;
}

static void
pass (HistoRuleStates * states, const Subject * subject, guint64 start, guint64 end, GArray * events)
{
  /* The next results show that one of an unknown duration has lasted until they begin. The sum of two times of which one
   * is unknown is before the start, or behind an unknown one. */
  const guint64 known_end = GST_CLOCK_TIME_IS_VALID (end) && GST_CLOCK_TIME_IS_VALID (start) && end >= start ? end : start;
  const HistoSpanBuffer buffer = { start, known_end, states->previous_start, states->previous_end };

  for (guint i = 0; i < states->places->len; i++) {
    Place *place = states->places->pdata[i];
    const HistoRule *rule = place->rule;

    if (rule->figure->space == HISTO_RULE_OF_FRAMES)
      pass_place (place, subject, &buffer, events);
    if (rule->figure->space == HISTO_RULE_OF_WHOLE && place->is_there)
      histo_range_add (&place->whole, get_figure (subject, &place->figure));
    if (rule->limit != NULL && rule->limit->space == HISTO_RULE_OF_WHOLE)
      histo_range_add (&place->whole_limit, get_figure (subject, &place->limit));
  }
  states->previous_start = start;
  states->previous_end = known_end;
}

void
histo_rule_states_pass (HistoRuleStates * states, const HistoResult * result, guint64 start, guint64 end,
    GArray * events)
{
  const Subject subject = { result, NULL };

  g_return_if_fail (states != NULL && result != NULL);
  if (!histo_shape_fits (&states->shape, result))
    resolve (states, &subject, events);
  pass (states, &subject, start, end, events);
}

void
histo_rule_states_pass_comparison (HistoRuleStates * states, const HistoComparison * comparison, guint64 start,
    guint64 end, GArray * events)
{
  const Subject subject = { NULL, comparison };

  g_return_if_fail (states != NULL && comparison != NULL && comparison->n_regions > 0);
  /* There are few places, so that their shape is not remembered. */
  resolve (states, &subject, events);
  pass (states, &subject, start, end, events);
}

void
histo_rule_states_end (HistoRuleStates * states, GArray * events)
{
  g_return_if_fail (states != NULL);
  for (guint i = 0; i < states->places->len; i++) {
    Place *place = states->places->pdata[i];

    histo_span_end (&place->span, report, &(Reporter) { place, events, 0 });
  }
  states->previous_start = states->previous_end = GST_CLOCK_TIME_NONE;
}

gboolean
histo_rule_states_are_followed (const HistoRuleStates * states)
{
  g_return_val_if_fail (states != NULL, FALSE);
  for (guint i = 0; i < states->places->len; i++) {
    Place *place = states->places->pdata[i];

    if (place->span.holds)
      return TRUE;
  }
  return FALSE;
}

void
histo_rule_states_list (const HistoRuleStates * states, GArray * current)
{
  g_return_if_fail (states != NULL && current != NULL);
  for (guint i = 0; i < states->places->len; i++) {
    Place *place = states->places->pdata[i];

    if (place->span.is_open)
      report (&place->span, FALSE, &(Reporter) { place, current, 0 });
  }
}

/* ---- Verdicts ----------------------------------------------------------------------------- */

/* The value of the whole, or a fact.
 *
 * @word: (out) (transfer full) (nullable):
 * Returns: the number; NaN: there is none */
static gdouble
find_value (const HistoRuleStates * states, const HistoRuleFigure * figure, const Place * place, const HistoRange * whole,
    gchar ** word)
{
  HistoRuleValue value;

  *word = NULL;
  if (!look_up (states, figure, place, &value)) {
    value.number = figure->space == HISTO_RULE_OF_WHOLE ? histo_range_whole (whole, figure->whole) : NAN;
    value.word = histo_rule_figure_word (figure, value.number);
  }
  *word = g_strdup (value.word);
  return value.number;
}

static HistoRuleVerdict
broken (const HistoRule * rule)
{
  return rule->is_warning ? HISTO_RULE_WARNED : HISTO_RULE_FAILED;
}

static HistoRuleVerdict
judge_frames (const HistoRule * rule, const HistoRuleTotals * totals)
{
  gboolean ok = TRUE;

  if (totals->n_checked == 0)
    return HISTO_RULE_SKIPPED;
  switch (rule->tolerance) {
    case HISTO_RULE_NOTHING:
      ok = totals->n_broken == 0;
      break;
    case HISTO_RULE_FOR:
      ok = totals->n_spans == 0;
      if (ok && totals->n_untimed > 0)
        return HISTO_RULE_SKIPPED;
      break;
    case HISTO_RULE_IN:
      /* Percents are rounded: 0.1 % of 1000 is 1. */
      ok = 100.0 * totals->n_broken <= rule->percent * totals->n_checked * (1 + 1e-12);
      break;
    case HISTO_RULE_RESULTS:
      ok = totals->n_broken <= rule->n_results;
      break;
  }
  return ok ? HISTO_RULE_PASSED : broken (rule);
}

static void
judge_values (const HistoRuleStates * states, const Place * place, HistoRuleFinding * finding)
{
  const HistoRule *rule = place->rule;
  gdouble excess;
  gboolean met;

  finding->value = find_value (states, rule->figure, place, &place->whole, &finding->value_word);
  if (rule->limit != NULL)
    finding->limit = find_value (states, rule->limit, place, &place->whole_limit, &finding->limit_word);
  else
    finding->limit = place->fixed;
  if (rule->operand == HISTO_RULE_WORD)
    finding->limit_word = g_strdup (rule->word);
  if (finding->limit_word != NULL) {
    if (finding->value_word == NULL)
      return;
    met = g_str_equal (finding->value_word, finding->limit_word) == (rule->op == HISTO_RULE_EQUAL);
  } else {
    if (isnan (finding->value) || isnan (finding->limit))
      return;
    met = is_met (rule, place->low, place->high, finding->value, &finding->limit, &excess);
  }
  finding->verdict = met ? HISTO_RULE_PASSED : broken (rule);
}

void
histo_rule_states_judge (HistoRuleStates * states, GArray * findings)
{
  g_return_if_fail (states != NULL && findings != NULL);
  for (guint i = 0; i < states->n_rules; i++) {
    const HistoRule *rule = histo_rules_get (states->rules, i);
    const GPtrArray *places = states->of_rule[i];

    for (guint k = 0; k < MAX (places->len, 1); k++) {
      Place *place = places->len > 0 ? places->pdata[k] : NULL;
      HistoRuleFinding finding = { .rule = i, .value = NAN, .limit = NAN };

      finding.totals.worst = finding.totals.worst_limit = NAN;
      finding.totals.worst_time = GST_CLOCK_TIME_NONE;
      if (place != NULL) {
        finding.place = &place->names;
        finding.totals = place->totals;
        if (rule->figure->space == HISTO_RULE_OF_FRAMES) {
          finding.value = place->totals.worst;
          finding.limit = place->totals.worst_limit;
          finding.value_word = g_strdup (histo_rule_figure_word (rule->figure, finding.value));
          finding.limit_word = g_strdup (histo_rule_figure_word (rule->figure, finding.limit));
          finding.verdict = judge_frames (rule, &place->totals);
        } else {
          judge_values (states, place, &finding);
        }
      }
      /* What was not looked at is not known to hold. */
      if (states->is_full[i] && finding.verdict == HISTO_RULE_PASSED)
        finding.verdict = HISTO_RULE_SKIPPED;
      g_array_append_val (findings, finding);
    }
  }
}

void
histo_rule_finding_clear (gpointer finding)
{
  if (finding == NULL)
    return;
  g_clear_pointer (&((HistoRuleFinding *) finding)->value_word, g_free);
  g_clear_pointer (&((HistoRuleFinding *) finding)->limit_word, g_free);
}

HistoRuleVerdict
histo_rule_worse (HistoRuleVerdict a, HistoRuleVerdict b)
{
  return MAX (a, b);
}

HistoAlertEvent
histo_alert_of_rule (const HistoRules * rules, const HistoRuleEvent * found)
{
  g_return_val_if_fail (rules != NULL && found != NULL && found->rule < histo_rules_get_n (rules),
      ((HistoAlertEvent) { HISTO_N_ALERTS,.value_time = GST_CLOCK_TIME_NONE }));
  return (HistoAlertEvent) {
    .alert = HISTO_ALERT_RULE,
    .is_end = found->is_end,
    .component = found->place->component,
    .channel = found->place->channel,
    .region = found->place->region,
    .start = found->start,
    .end = found->end,
    .value = found->value,
    .threshold = found->limit,
    .rule = histo_rules_get (rules, found->rule)->id,
    .pair = found->place->pair,
    .zone = found->place->zone,
    .value_time = found->value_time,
  };
}
