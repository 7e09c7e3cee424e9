/* Follows the conditions of the alerts; see alerts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/alerts.h"

#include <math.h>

/* @alerts: (out): none is open */
void
histo_alerts_init (HistoAlerts * alerts)
{
  memset (alerts, 0, sizeof *alerts);
  alerts->previous_start = GST_CLOCK_TIME_NONE;
}

static void
clear_rules (HistoAlerts * alerts)
{
  g_clear_pointer (&alerts->rule_states, histo_rule_states_free);
  g_clear_pointer (&alerts->rules, histo_rules_unref);
  g_clear_pointer (&alerts->rule_events, g_array_unref);
}

/* Forgets open alerts and the rules without an event. */
void
histo_alerts_clear (HistoAlerts * alerts)
{
  clear_rules (alerts);
  g_clear_pointer (&alerts->plan, histo_plan_unref);
  g_clear_pointer (&alerts->earlier_plan, histo_plan_unref);
  g_free (alerts->spans);
  histo_alerts_init (alerts);
}

/* ---- Begins and ends ------------------------------------------------------------------ */

static HistoSpan *
span_of (const HistoAlerts * alerts, HistoAlert alert, guint place)
{
  return &alerts->spans[alert * alerts->n_places + place];
}

/* The alert whose span begins or ends, and where the event goes. */
typedef struct
{
  const HistoAlerts *alerts;
  HistoAlert alert;
  guint place;
  GArray *events;               /* (element-type HistoAlertEvent) */
} Reporter;

static void
report (const HistoSpan * span, gboolean is_end, gpointer data)
{
  const Reporter *reporter = data;
  const HistoPlan *plan = reporter->alerts->plan;
  HistoAlertEvent event = {
    .alert = reporter->alert,
    .is_end = is_end,
    .start = span->start,
    .end = is_end ? span->end : GST_CLOCK_TIME_NONE,
    .value = span->value,
    .threshold = span->limit,
    .value_time = GST_CLOCK_TIME_NONE,
  };

  /* Only clipping reports which channel it is. */
  if (!plan->format->is_audio)
    event.region = plan->regions[reporter->place].name;
  else if (reporter->alert == HISTO_ALERT_CLIPPING)
    event.channel = plan->components[reporter->place].name;
  g_array_append_val (reporter->events, event);
}

static void
end_alert (const HistoAlerts * alerts, HistoAlert alert, guint place, GArray * events)
{
  histo_span_end (span_of (alerts, alert, place), report, &(Reporter) { alerts, alert, place, events });
}

/* ---- Rules ------------------------------------------------------------------------------ */

/* The events of the rules become alerts. @events: (element-type HistoAlertEvent): appended to */
static void
add_rule_events (const HistoAlerts * alerts, GArray * events)
{
  for (guint i = 0; i < alerts->rule_events->len; i++) {
    const HistoAlertEvent event = histo_alert_of_rule (alerts->rules,
        &g_array_index (alerts->rule_events, HistoRuleEvent, i));

    g_array_append_val (events, event);
  }
  g_array_set_size (alerts->rule_events, 0);
}

static void
end_rules (const HistoAlerts * alerts, GArray * events)
{
  if (alerts->rules == NULL)
    return;
  histo_rule_states_end (alerts->rule_states, alerts->rule_events);
  add_rule_events (alerts, events);
}

/**
 * histo_alerts_end_other_rules:
 * @rules: (nullable): those of the next buffer; %NULL: none
 * @events: (element-type HistoAlertEvent): the ends are appended; the names in them are valid until
 * histo_alerts_set_rules()
 *
 * Ends the open alerts of the latest buffer's rules, unless the next buffer has the same ones.
 */
void
histo_alerts_end_other_rules (HistoAlerts * alerts, const HistoRules * rules, GArray * events)
{
  if (alerts->rules != rules)
    end_rules (alerts, events);
}

/**
 * histo_alerts_set_rules:
 * @rules: (nullable): those of the next buffer; %NULL: none
 *
 * Begins anew with other rules. Nothing is done if they are the same.
 */
void
histo_alerts_set_rules (HistoAlerts * alerts, HistoRules * rules)
{
  if (alerts->rules == rules)
    return;
  clear_rules (alerts);
  if (rules == NULL)
    return;
  alerts->rules = histo_rules_ref (rules);
  alerts->rule_states = histo_rule_states_new (rules);
  alerts->rule_events = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));
}

/* Whether an alert is open or may become open. */
gboolean
histo_alerts_are_followed (const HistoAlerts * alerts)
{
  for (guint i = 0; i < HISTO_N_ALERTS * alerts->n_places; i++) {
    if (alerts->spans[i].holds)
      return TRUE;
  }
  return alerts->rules != NULL && histo_rule_states_are_followed (alerts->rule_states);
}

/**
 * histo_alerts_end:
 * @events: (element-type HistoAlertEvent): the ends are appended; the names in them are
 * valid until the next call
 *
 * Ends all open alerts with the end of the latest buffer. The next buffer has no previous one.
 */
void
histo_alerts_end (HistoAlerts * alerts, GArray * events)
{
  for (guint a = 0; a < HISTO_N_ALERTS; a++) {
    for (guint place = 0; place < alerts->n_places; place++)
      end_alert (alerts, a, place, events);
  }
  end_rules (alerts, events);
  alerts->previous_start = GST_CLOCK_TIME_NONE;
}

/* ---- Video ---------------------------------------------------------------------------- */

/* A buffer that is being checked. */
typedef struct
{
  HistoAlerts *alerts;
  const HistoAlertSettings *settings;
  const HistoPassing *buffer;
  GArray *events;
} Check;

/* Each function here finds the value of an alert at a place, its limit, and whether the condition holds.
 *
 * Returns: FALSE: the buffer says nothing */
typedef gboolean (*Find) (const Check * check, guint place, HistoSpanFinding * finding);

/* The highest black value, as FFmpeg's blackdetect (libavfilter/vf_blackdetect.c) has it. */
static guint64
black_limit (const HistoPlan * plan, guint depth, gdouble level)
{
  const gdouble unit = ldexp (1, (gint) depth - 8);
  const gdouble max = ldexp (1, depth) - 1;

  return plan->formulas.is_limited ? 16 * unit + level * 219 * unit : level * max;
}

/* The share of the samples of component @i of a region that are black; NaN if there is none. */
static gdouble
black_share (const Check * check, guint place, guint i)
{
  const HistoPlan *plan = check->buffer->plan;
  const HistoComponent *component =
      &histo_plan_region_components (plan, place)[i];
  const guint64 limit = black_limit (plan, component->depth,
      check->settings->black_level);
  HistoHistogram histogram;
  guint64 n_black = 0;

  histo_plan_open_histogram (plan, component, check->buffer->counts,
      &histogram);
  for (guint value = 0; value <= MIN (limit, histogram.n - 1); value++)
    n_black += histo_histogram_at (&histogram, value);
  return histogram.count == 0 ? NAN : (gdouble) n_black / histogram.count;
}

/* The least share of R, G and B of RGB counts: the share of the pixels that are black in all three
 * is not greater. */
static gboolean
find_black (const Check * check, guint place, HistoSpanFinding * finding)
{
  const HistoFormat *format = check->buffer->plan->format;
  gdouble share = black_share (check, place, 0);

  for (guint i = 1; i < histo_format_n_luma (format); i++)
    share = MIN (share, black_share (check, place, i));
  finding->value = share;
  finding->limit = check->settings->black_ratio;
  finding->holds = share >= finding->limit;
  return TRUE;
}

static const HistoGroupFigures *
figures_of (const Check * check, guint place)
{
  return &check->buffer->result->regions[place].figures;
}

/* Does what FFmpeg's freezedetect (libavfilter/vf_freezedetect.c) does, but each frame is compared with the
 * one before. That filter compares it with the first frame of the freeze, so that a slow fade
 * ends the freeze there. The first of the equal frames belongs to the freeze; in reverse playback it
 * is the last one in stream time. A frame without a previous one says nothing: other settings or a
 * failure of the device end no freeze. */
static gboolean
find_freeze (const Check * check, guint place, HistoSpanFinding * finding)
{
  finding->value = figures_of (check, place)->MOTION_freeze;
  finding->limit = check->settings->freeze_noise;
  finding->holds = finding->value <= finding->limit;
  return !isnan (finding->value);
}

/* FFmpeg's scdet (libavfilter/vf_scdet.c). */
static gboolean
find_scene (const Check * check, guint place, HistoSpanFinding * finding)
{
  finding->value = figures_of (check, place)->MOTION_scene_score;
  finding->limit = check->settings->scene_threshold;
  finding->holds = finding->value > finding->limit;
  return TRUE;
}

static gboolean
find_range (const Check * check, guint place, HistoSpanFinding * finding)
{
  finding->value = figures_of (check, place)->SIGNAL_brng;
  finding->limit = check->settings->range_ratio;
  finding->holds = finding->value > finding->limit;
  return TRUE;
}

/* ---- Audio ---------------------------------------------------------------------------- */

/* The greatest magnitude of a channel's samples in shares of full scale; NaN if there is none. */
static gdouble
peak_of (const HistoAudioSample * sample, const HistoFigures * figures)
{
  const gdouble half = ldexp (1, sample->depth - 1);
  const gdouble middle = sample->kind == HISTO_AUDIO_UNSIGNED ? half : 0;
  const gdouble scale = sample->kind == HISTO_AUDIO_FLOAT ? 1 : half;

  return fmax (fabs (figures->min - middle), fabs (figures->max - middle))
      / scale;
}

/* Does what FFmpeg's silencedetect (libavfilter/af_silencedetect.c) does, but whole buffers are silent or not:
 * an alert begins and ends where a buffer does. Integers are divided by 2^(depth - 1). A buffer
 * without finite samples says nothing. fmax() leaves NaN out. */
static gboolean
find_silence (const Check * check, guint place, HistoSpanFinding * finding)
{
  const HistoPassing *buffer = check->buffer;
  gdouble peak = NAN;

  for (guint c = 0; c < buffer->result->n_components; c++)
    peak = fmax (peak, peak_of (&buffer->plan->format->sample,
            &buffer->result->components[c].figures));
  finding->value = 20 * log10 (peak);
  finding->limit = check->settings->silence_level;
  finding->holds = peak < pow (10, finding->limit / 20);
  return !isnan (peak);
}

/* Clipping lasts while a run of clipped samples goes on through whole buffers. */
static gboolean
find_clipping (const Check * check, guint place, HistoSpanFinding * finding)
{
  const HistoResult *result = check->buffer->result;
  const HistoLevelFigures *level = &result->levels[place];
  const HistoFigures *figures = &result->components[place].figures;
  const gboolean goes_on = span_of (check->alerts, HISTO_ALERT_CLIPPING, place)->holds
      && level->clipped == figures->count;

  finding->value = level->clipped_runs;
  finding->limit = check->settings->clipping_samples;
  finding->holds = level->clipped_runs > 0 || goes_on;
  return TRUE;
}

/* The limit is the bound that is crossed, or the target. */
static gboolean
find_loudness (const Check * check, guint place, HistoSpanFinding * finding)
{
  const HistoAlertSettings *settings = check->settings;
  const gdouble loudness = check->buffer->result->loudness.short_term;
  const gdouble least = settings->loudness_target - settings->loudness_tolerance;
  const gdouble most = settings->loudness_target + settings->loudness_tolerance;

  finding->value = loudness;
  finding->limit = loudness < least ? least : loudness > most ? most : settings->loudness_target;
  finding->holds = check->buffer->has_short_term && (loudness < least || loudness > most);
  return TRUE;
}

/* ---- One buffer ----------------------------------------------------------------------- */

#define NO_DURATION 0
#define DURATION(name) G_STRUCT_OFFSET (HistoAlertSettings, name##_duration)

/* The alerts. */
static const struct
{
  Find find;
  gboolean is_audio;
  gboolean at_each_place;       /* else only at the first one */
  gsize duration;               /* offset of the setting: how long the condition must hold; 0: it need not last */
  gboolean is_momentary, with_previous; /* as in HistoSpanFinding */
} rows[HISTO_N_ALERTS] = {
  [HISTO_ALERT_BLACK] = {find_black, FALSE, TRUE, DURATION (black), FALSE, FALSE},
  [HISTO_ALERT_FREEZE] = {find_freeze, FALSE, TRUE, DURATION (freeze), FALSE, TRUE},
  [HISTO_ALERT_SCENE] = {find_scene, FALSE, TRUE, NO_DURATION, TRUE, FALSE},
  [HISTO_ALERT_RANGE] = {find_range, FALSE, TRUE, NO_DURATION, FALSE, FALSE},
  [HISTO_ALERT_SILENCE] = {find_silence, TRUE, FALSE, DURATION (silence), FALSE, FALSE},
  [HISTO_ALERT_CLIPPING] = {find_clipping, TRUE, TRUE, NO_DURATION, FALSE, FALSE},
  [HISTO_ALERT_LOUDNESS] = {find_loudness, TRUE, FALSE, NO_DURATION, FALSE, FALSE},
};

static void
check_place (const Check * check, HistoAlert alert, guint place)
{
  const HistoAlerts *alerts = check->alerts;
  const HistoSpanBuffer buffer = {
    check->buffer->start, check->buffer->end, alerts->previous_start, alerts->previous_end
  };
  HistoSpanFinding finding = {
    .is_momentary = rows[alert].is_momentary,
    .with_previous = rows[alert].with_previous,
  };

  if (rows[alert].duration != NO_DURATION)
    finding.minimum = G_STRUCT_MEMBER (guint64, check->settings, rows[alert].duration);
  if (rows[alert].find (check, place, &finding))
    histo_span_follow (span_of (alerts, alert, place), &finding, &buffer, report,
        &(Reporter) { alerts, alert, place, check->events });
}

/* The end of an alert that is not checked any more is reported. */
static void
check_alert (const Check * check, HistoAlert alert)
{
  HistoAlerts *alerts = check->alerts;
  const HistoPlan *plan = check->buffer->plan;
  const guint flag = HISTO_ALERT_FLAG (alert);
  const guint groups = histo_alerts_groups (flag);
  const gboolean is_checked = (check->settings->alerts & flag) != 0
      && rows[alert].is_audio == plan->format->is_audio
      && !histo_format_is_bayer (plan->format)
      && (plan->groups & groups) == groups;

  for (guint place = 0; place < alerts->n_places; place++) {
    if (!is_checked)
      end_alert (alerts, alert, place, check->events);
    else if (place == 0 || rows[alert].at_each_place)
      check_place (check, alert, place);
  }
}

/* If the places are other ones, the open alerts end. */
static void
set_plan (HistoAlerts * alerts, const HistoPlan * plan, GArray * events)
{
  HistoPlan *old = alerts->plan;

  if (old == NULL || !histo_plan_has_same_regions (old, plan)) {
    histo_alerts_end (alerts, events);
    alerts->n_places = plan->format->is_audio ? plan->format->n_components :
        1 + plan->n_fixed;
    g_free (alerts->spans);
    alerts->spans = g_new0 (HistoSpan, HISTO_N_ALERTS * alerts->n_places);
  }
  alerts->plan = histo_plan_ref ((HistoPlan *) plan);
  g_clear_pointer (&alerts->earlier_plan, histo_plan_unref);
  alerts->earlier_plan = old;
}

/**
 * histo_alerts_skip:
 * @buffer: the next one, if no alert is to be checked and none is followed
 */
void
histo_alerts_skip (HistoAlerts * alerts, const HistoPassing * buffer)
{
  alerts->previous_start = buffer->start;
  alerts->previous_end = buffer->end;
}

/**
 * histo_alerts_pass:
 * @settings: those of this buffer
 * @buffer: the next one, with its result
 * @events: (element-type HistoAlertEvent): what begins and ends is appended; the names in them are
 * valid until the next call
 */
void
histo_alerts_pass (HistoAlerts * alerts, const HistoAlertSettings * settings,
    const HistoPassing * buffer, GArray * events)
{
  const Check check = { alerts, settings, buffer, events };

  if (alerts->plan != buffer->plan)
    set_plan (alerts, buffer->plan, events);
  for (guint a = 0; a < HISTO_N_ALERTS; a++)
    check_alert (&check, a);
  if (alerts->rules != NULL) {
    histo_rule_states_pass (alerts->rule_states, buffer->result, buffer->start, buffer->end, alerts->rule_events);
    add_rule_events (alerts, events);
  }
  alerts->previous_start = buffer->start;
  alerts->previous_end = buffer->end;
}

/* Whether event @i begins an alert that the next event ends: the alert begins and ends with the
 * same buffer. */
static gboolean
is_momentary (const GArray * events, guint i)
{
  const HistoAlertEvent *event = &g_array_index (events, HistoAlertEvent, i);
  const HistoAlertEvent *next = event + 1;

  return !event->is_end && i + 1 < events->len && next->is_end
      && next->alert == event->alert && g_strcmp0 (next->region, event->region) == 0
      && next->channel == event->channel && next->rule == event->rule && next->component == event->component
      && next->pair == event->pair && next->zone == event->zone;
}

/**
 * histo_alerts_list:
 * @events: (element-type HistoAlertEvent): what histo_alerts_pass() has appended for the latest
 * buffer
 * @current: (element-type HistoAlertEvent): the begins of the alerts that the latest buffer has are
 * appended, with the latest values; the names in them are valid until the next call
 *
 * A buffer has the alerts that are open after it, and those that begin and end with it.
 */
void
histo_alerts_list (const HistoAlerts * alerts, const GArray * events,
    GArray * current)
{
  for (guint i = 0; i < events->len; i++) {
    if (is_momentary (events, i))
      g_array_append_val (current, g_array_index (events, HistoAlertEvent, i));
  }
  for (guint a = 0; a < HISTO_N_ALERTS; a++) {
    for (guint place = 0; place < alerts->n_places; place++) {
      const HistoSpan *span = span_of (alerts, a, place);

      if (span->is_open)
        report (span, FALSE, &(Reporter) { alerts, a, place, current });
    }
  }
  if (alerts->rules == NULL)
    return;
  histo_rule_states_list (alerts->rule_states, alerts->rule_events);
  add_rule_events (alerts, current);
}
