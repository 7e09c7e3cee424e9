/* Rules, and the streams that they check.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "library/cudahisto.h"

#include <math.h>

#include "cudahisto/fields.h"
#include "cudahisto/inner.h"
#include "library/private.h"

struct _CudahistoRules
{
  HistoRules *rules;
};

struct _CudahistoFinding
{
  CudahistoRules *rules;        /* has the id */
  const gchar *rule;
  gchar *place;                 /* NULL: none */
  CudahistoVerdict verdict;
  gdouble value, limit;
  guint64 value_time;
};

struct _CudahistoChecker
{
  CudahistoRules *rules;
  HistoRuleStates *states;
  GArray *events;               /* (element-type HistoRuleEvent): for one call */
  GQueue alerts;                /* (element-type CudahistoAlert): not yet popped */
  HistoResult result;           /* of the latest buffer, whose memory is used again */
  guint64 end;                  /* of that buffer, in stream time; GST_CLOCK_TIME_NONE: unknown */
  GPtrArray *findings;          /* (element-type CudahistoFinding): none before the end */
};

G_DEFINE_BOXED_TYPE (CudahistoRules, cudahisto_rules, cudahisto_rules_ref, cudahisto_rules_unref)
G_DEFINE_BOXED_TYPE (CudahistoFinding, cudahisto_finding, cudahisto_finding_ref, cudahisto_finding_unref)
G_DEFINE_BOXED_TYPE (CudahistoChecker, cudahisto_checker, cudahisto_checker_ref, cudahisto_checker_unref)

G_STATIC_ASSERT ((guint) CUDAHISTO_VERDICT_SKIPPED == HISTO_RULE_SKIPPED && (guint) CUDAHISTO_VERDICT_PASSED == HISTO_RULE_PASSED
    && (guint) CUDAHISTO_VERDICT_WARNED == HISTO_RULE_WARNED && (guint) CUDAHISTO_VERDICT_FAILED == HISTO_RULE_FAILED);

/* ---- Rules -------------------------------------------------------------------------------- */

CudahistoRules *
cudahisto_rules_new (const gchar * text, CudahistoRulesKind kind, GError ** error)
{
  g_autoptr (GError) wrong = NULL;
  HistoRules *rules;
  CudahistoRules *self;
  guint line, column;

  g_return_val_if_fail (text != NULL && kind <= CUDAHISTO_RULES_KIND_POLICY, NULL);
  rules = histo_rules_parse (text, kind == CUDAHISTO_RULES_KIND_ELEMENT ? HISTO_RULES_OF_ELEMENT : HISTO_RULES_OF_POLICY,
      &line, &column, &wrong);
  if (rules == NULL) {
    g_set_error (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_RULES, "line %u, column %u: %s", line, column, wrong->message);
    return NULL;
  }
  self = g_atomic_rc_box_new0 (CudahistoRules);
  self->rules = rules;
  return self;
}

CudahistoRules *
cudahisto_rules_ref (CudahistoRules * self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_atomic_rc_box_acquire (self);
}

static void
clear_rules (CudahistoRules * self)
{
  histo_rules_unref (self->rules);
}

void
cudahisto_rules_unref (CudahistoRules * self)
{
  if (self != NULL)
    g_atomic_rc_box_release_full (self, (GDestroyNotify) clear_rules);
}

guint
cudahisto_rules_get_n_rules (const CudahistoRules * self)
{
  g_return_val_if_fail (self != NULL, 0);
  return histo_rules_get_n (self->rules);
}

/* ---- Findings ----------------------------------------------------------------------------- */

static void
clear_finding (CudahistoFinding * self)
{
  cudahisto_rules_unref (self->rules);
  g_free (self->place);
}

static CudahistoFinding *
new_finding (CudahistoRules * rules, const HistoRuleFinding * found)
{
  CudahistoFinding *self = g_atomic_rc_box_new0 (CudahistoFinding);

  self->rules = cudahisto_rules_ref (rules);
  self->rule = histo_rules_get (rules->rules, found->rule)->id;
  self->place = found->place != NULL ? g_strdup (found->place->text) : NULL;
  self->verdict = (CudahistoVerdict) found->verdict;
  self->value = found->value;
  self->limit = found->limit;
  self->value_time = found->totals.n_checked > 0 ? found->totals.worst_time : GST_CLOCK_TIME_NONE;
  return self;
}

CudahistoFinding *
cudahisto_finding_ref (CudahistoFinding * self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_atomic_rc_box_acquire (self);
}

void
cudahisto_finding_unref (CudahistoFinding * self)
{
  if (self != NULL)
    g_atomic_rc_box_release_full (self, (GDestroyNotify) clear_finding);
}

const gchar *
cudahisto_finding_get_rule (const CudahistoFinding * self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->rule;
}

const gchar *
cudahisto_finding_get_place (const CudahistoFinding * self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->place;
}

CudahistoVerdict
cudahisto_finding_get_verdict (const CudahistoFinding * self)
{
  g_return_val_if_fail (self != NULL, CUDAHISTO_VERDICT_SKIPPED);
  return self->verdict;
}

gdouble
cudahisto_finding_get_value (const CudahistoFinding * self)
{
  g_return_val_if_fail (self != NULL, NAN);
  return self->value;
}

gdouble
cudahisto_finding_get_limit (const CudahistoFinding * self)
{
  g_return_val_if_fail (self != NULL, NAN);
  return self->limit;
}

GstClockTime
cudahisto_finding_get_value_time (const CudahistoFinding * self)
{
  g_return_val_if_fail (self != NULL, GST_CLOCK_TIME_NONE);
  return self->value_time;
}

/* ---- The checker -------------------------------------------------------------------------- */

static void
clear_checker (CudahistoChecker * self)
{
  histo_rule_states_free (self->states);
  cudahisto_rules_unref (self->rules);
  g_array_unref (self->events);
  g_queue_clear_full (&self->alerts, (GDestroyNotify) cudahisto_alert_unref);
  histo_result_clear (&self->result);
  g_ptr_array_unref (self->findings);
}

CudahistoChecker *
cudahisto_checker_new (CudahistoRules * rules)
{
  CudahistoChecker *self;

  g_return_val_if_fail (rules != NULL, NULL);
  self = g_atomic_rc_box_new0 (CudahistoChecker);
  self->rules = cudahisto_rules_ref (rules);
  self->states = histo_rule_states_new (rules->rules);
  self->events = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));
  g_queue_init (&self->alerts);
  self->end = GST_CLOCK_TIME_NONE;
  self->findings = g_ptr_array_new_with_free_func ((GDestroyNotify) cudahisto_finding_unref);
  return self;
}

CudahistoChecker *
cudahisto_checker_ref (CudahistoChecker * self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_atomic_rc_box_acquire (self);
}

void
cudahisto_checker_unref (CudahistoChecker * self)
{
  if (self != NULL)
    g_atomic_rc_box_release_full (self, (GDestroyNotify) clear_checker);
}

static void
take_events (CudahistoChecker * self)
{
  for (guint i = 0; i < self->events->len; i++) {
    const HistoAlertEvent event = histo_alert_of_rule (self->rules->rules,
        &g_array_index (self->events, HistoRuleEvent, i));

    g_queue_push_tail (&self->alerts, cudahisto_alert_new (&event));
  }
  g_array_set_size (self->events, 0);
}

static gboolean
push (CudahistoChecker * self, const GstStructure * structure, guint64 stream_time, guint64 duration, GError ** error)
{
  g_autoptr (GError) wrong = NULL;
  guint64 start, end;

  if (!histo_read_known (structure, &self->result, &wrong)) {
    g_set_error_literal (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_FORMAT, wrong->message);
    return FALSE;
  }
  start = GST_CLOCK_TIME_IS_VALID (stream_time) ? stream_time : self->end;
  /* The sum with an unknown time does not fit, and is unknown, too. */
  if (!g_uint64_checked_add (&end, start, duration))
    end = GST_CLOCK_TIME_NONE;
  histo_rule_states_pass (self->states, &self->result, start, end, self->events);
  self->end = end;
  take_events (self);
  return TRUE;
}

gboolean
cudahisto_checker_push_buffer (CudahistoChecker * self, GstBuffer * buffer, const GstSegment * segment, GError ** error)
{
  const GstStructure *structure;
  HistoTimes times;
  guint64 start, end;

  g_return_val_if_fail (self != NULL && GST_IS_BUFFER (buffer), FALSE);
  structure = cudahisto_structure_of_buffer (buffer, NULL, error);
  if (structure == NULL)
    return FALSE;
  histo_times_from_buffer (&times, buffer, segment);
  histo_times_clip (&times, GST_BUFFER_DURATION (buffer), segment, &start, &end);
  return push (self, structure, times.stream_time, times.duration, error);
}

gboolean
cudahisto_checker_push_result (CudahistoChecker * self, const CudahistoResult * result, GError ** error)
{
  guint64 stream_time, duration;

  g_return_val_if_fail (self != NULL && result != NULL, FALSE);
  cudahisto_result_get_times (result, NULL, &stream_time, NULL, &duration);
  return push (self, cudahisto_result_structure (result), stream_time, duration, error);
}

CudahistoAlert *
cudahisto_checker_pop_alert (CudahistoChecker * self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_queue_pop_head (&self->alerts);
}

CudahistoVerdict
cudahisto_checker_finish (CudahistoChecker * self)
{
  g_autoptr (GArray) found = NULL;
  HistoRuleVerdict verdict = HISTO_RULE_SKIPPED;

  g_return_val_if_fail (self != NULL, CUDAHISTO_VERDICT_SKIPPED);
  found = g_array_new (FALSE, FALSE, sizeof (HistoRuleFinding));
  g_array_set_clear_func (found, histo_rule_finding_clear);
  histo_rule_states_end (self->states, self->events);
  take_events (self);
  histo_rule_states_judge (self->states, found);
  g_ptr_array_set_size (self->findings, 0);
  for (guint i = 0; i < found->len; i++) {
    const HistoRuleFinding *finding = &g_array_index (found, HistoRuleFinding, i);

    verdict = histo_rule_worse (verdict, finding->verdict);
    g_ptr_array_add (self->findings, new_finding (self->rules, finding));
  }
  return (CudahistoVerdict) verdict;
}

guint
cudahisto_checker_get_n_findings (const CudahistoChecker * self)
{
  g_return_val_if_fail (self != NULL, 0);
  return self->findings->len;
}

CudahistoFinding *
cudahisto_checker_get_finding (const CudahistoChecker * self, guint number)
{
  g_return_val_if_fail (self != NULL, NULL);
  return number < self->findings->len ? cudahisto_finding_ref (g_ptr_array_index (self->findings, number)) : NULL;
}
