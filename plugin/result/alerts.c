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

/* Forgets open alerts without an event. */
void
histo_alerts_clear (HistoAlerts * alerts)
{
  g_clear_pointer (&alerts->plan, histo_plan_unref);
  g_clear_pointer (&alerts->earlier_plan, histo_plan_unref);
  g_free (alerts->states);
  histo_alerts_init (alerts);
}

/* ---- Begins and ends ------------------------------------------------------------------ */

static HistoAlertState *
state_of (const HistoAlerts * alerts, HistoAlert alert, guint place)
{
  return &alerts->states[alert * alerts->n_places + place];
}

/* @events: (element-type HistoAlertEvent): appended to */
static void
add_event (const HistoAlerts * alerts, HistoAlert alert, guint place,
    gboolean is_end, GArray * events)
{
  const HistoAlertState *state = state_of (alerts, alert, place);
  const HistoPlan *plan = alerts->plan;
  HistoAlertEvent event = {
    .alert = alert,
    .is_end = is_end,
    .start = state->start,
    .end = is_end ? state->end : GST_CLOCK_TIME_NONE,
    .value = state->value,
    .threshold = state->threshold,
  };

  /* Only clipping tells which channel it is. */
  if (!plan->format->is_audio)
    event.region = plan->regions[place].name;
  else if (alert == HISTO_ALERT_CLIPPING)
    event.channel = plan->components[place].name;
  g_array_append_val (events, event);
}

static void
end_alert (HistoAlerts * alerts, HistoAlert alert, guint place, GArray * events)
{
  HistoAlertState *state = state_of (alerts, alert, place);

  if (state->is_open)
    add_event (alerts, alert, place, TRUE, events);
  state->holds = state->is_open = FALSE;
}

/* Whether an alert is open or may become open. */
gboolean
histo_alerts_are_followed (const HistoAlerts * alerts)
{
  for (guint i = 0; i < HISTO_N_ALERTS * alerts->n_places; i++) {
    if (alerts->states[i].holds)
      return TRUE;
  }
  return FALSE;
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
  alerts->previous_start = GST_CLOCK_TIME_NONE;
}

/* ---- Following a condition ------------------------------------------------------------ */

/* A buffer that is being checked. */
typedef struct
{
  HistoAlerts *alerts;
  const HistoAlertSettings *settings;
  const HistoPassing *buffer;
  GArray *events;
} Check;

/* What a check has found at a place. */
typedef struct
{
  gboolean holds;
  gdouble value, threshold;
  gboolean with_previous;       /* if it begins to hold: it holds for the buffer before, too */
  guint64 minimum;              /* duration in ns; 0: none */
} Finding;

static guint64
latest (guint64 a, guint64 b)
{
  if (!GST_CLOCK_TIME_IS_VALID (a) || !GST_CLOCK_TIME_IS_VALID (b))
    return GST_CLOCK_TIME_IS_VALID (a) ? a : b;
  return MAX (a, b);
}

static gboolean
has_lasted (const HistoAlertState * state, guint64 minimum)
{
  if (minimum == 0)
    return TRUE;
  return GST_CLOCK_TIME_IS_VALID (state->start)
      && GST_CLOCK_TIME_IS_VALID (state->end) && state->end >= state->start
      && state->end - state->start >= minimum;
}

static void
open_if_it_has_lasted (const Check * check, HistoAlert alert, guint place,
    guint64 minimum)
{
  HistoAlertState *state = state_of (check->alerts, alert, place);

  if (state->is_open || !has_lasted (state, minimum))
    return;
  state->is_open = TRUE;
  add_event (check->alerts, alert, place, FALSE, check->events);
}

/* Forwards a condition has lasted until the buffer begins that ends it: buffers may be missing or overlap,
 * and their durations may be unknown. In reverse playback this buffer lies before the others. */
static void
end_at (HistoAlertState * state, const HistoPassing * buffer)
{
  if (GST_CLOCK_TIME_IS_VALID (buffer->start)
      && (!GST_CLOCK_TIME_IS_VALID (state->start)
          || buffer->start >= state->start))
    state->end = buffer->start;
}

static void
begin_to_hold (HistoAlertState * state, const Check * check,
    gboolean with_previous)
{
  const HistoAlerts *alerts = check->alerts;

  state->holds = TRUE;
  state->start = check->buffer->start;
  state->end = check->buffer->end;
  if (with_previous && GST_CLOCK_TIME_IS_VALID (alerts->previous_start)) {
    state->start = alerts->previous_start;
    state->end = latest (state->end, alerts->previous_end);
  }
}

static void
follow (const Check * check, HistoAlert alert, guint place,
    const Finding * finding)
{
  HistoAlertState *state = state_of (check->alerts, alert, place);

  if (finding->holds && !state->holds)
    begin_to_hold (state, check, finding->with_previous);
  if (!state->holds)
    return;
  if (finding->holds) {
    /* Stream time goes back in reverse playback. GST_CLOCK_TIME_NONE is the greatest number, so that
     * a known begin replaces an unknown one. */
    state->start = MIN (state->start, check->buffer->start);
    state->end = latest (state->end, check->buffer->end);
    state->value = finding->value;
    state->threshold = finding->threshold;
    open_if_it_has_lasted (check, alert, place, finding->minimum);
  } else {
    end_at (state, check->buffer);
    open_if_it_has_lasted (check, alert, place, finding->minimum);
    state->value = finding->value;
    state->threshold = finding->threshold;
    end_alert (check->alerts, alert, place, check->events);
  }
}

/* ---- Video ---------------------------------------------------------------------------- */

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

/* Of RGB the least share of R, G and B counts: the share of the pixels that are black in all three
 * is not greater. */
static void
check_black (const Check * check, guint place)
{
  const HistoFormat *format = check->buffer->plan->format;
  gdouble share = black_share (check, place, 0);

  for (guint i = 1; i < histo_format_n_luma (format); i++)
    share = MIN (share, black_share (check, place, i));
  follow (check, HISTO_ALERT_BLACK, place, &(Finding) {
        .holds = share >= check->settings->black_ratio,
        .value = share,
        .threshold = check->settings->black_ratio,
        .minimum = check->settings->black_duration,
      });
}

static const HistoGroupFigures *
figures_of (const Check * check, guint place)
{
  return &check->buffer->result->regions[place].figures;
}

/* As FFmpeg's freezedetect (libavfilter/vf_freezedetect.c), but each frame is compared with the
 * one before. That filter compares it with the first frame of the freeze, so that a slow fade
 * ends the freeze there. The first of the equal frames belongs to the freeze; in reverse playback it
 * is the last one in stream time. A frame without a previous one says nothing: other settings or a
 * failure of the device end no freeze. */
static void
check_freeze (const Check * check, guint place)
{
  const gdouble difference = figures_of (check, place)->MOTION_freeze;

  if (isnan (difference))
    return;
  follow (check, HISTO_ALERT_FREEZE, place, &(Finding) {
        .holds = difference <= check->settings->freeze_noise,
        .value = difference,
        .threshold = check->settings->freeze_noise,
        .with_previous = TRUE,
        .minimum = check->settings->freeze_duration,
      });
}

/* FFmpeg's scdet (libavfilter/vf_scdet.c). */
static void
check_scene (const Check * check, guint place)
{
  HistoAlertState *state = state_of (check->alerts, HISTO_ALERT_SCENE, place);
  const gdouble score = figures_of (check, place)->MOTION_scene_score;

  if (!(score > check->settings->scene_threshold))
    return;
  state->start = state->end = check->buffer->start;
  state->value = score;
  state->threshold = check->settings->scene_threshold;
  add_event (check->alerts, HISTO_ALERT_SCENE, place, FALSE, check->events);
  add_event (check->alerts, HISTO_ALERT_SCENE, place, TRUE, check->events);
}

static void
check_range (const Check * check, guint place)
{
  const gdouble share = figures_of (check, place)->SIGNAL_brng;

  follow (check, HISTO_ALERT_RANGE, place, &(Finding) {
        .holds = share > check->settings->range_ratio,
        .value = share,
        .threshold = check->settings->range_ratio,
      });
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

/* As FFmpeg's silencedetect (libavfilter/af_silencedetect.c), but whole buffers are silent or not:
 * an alert begins and ends where a buffer does. Integers are divided by 2^(depth - 1). A buffer
 * without finite samples says nothing. fmax() leaves NaN out. */
static void
check_silence (const Check * check, guint place)
{
  const HistoPassing *buffer = check->buffer;
  const gdouble level = check->settings->silence_level;
  gdouble peak = NAN;

  for (guint c = 0; c < buffer->result->n_components; c++)
    peak = fmax (peak, peak_of (&buffer->plan->format->sample,
            &buffer->result->components[c].figures));
  if (isnan (peak))
    return;
  follow (check, HISTO_ALERT_SILENCE, place, &(Finding) {
        .holds = peak < pow (10, level / 20),
        .value = 20 * log10 (peak),
        .threshold = level,
        .minimum = check->settings->silence_duration,
      });
}

/* Clipping lasts while a run of clipped samples goes on through whole buffers. */
static void
check_clipping (const Check * check, guint place)
{
  const HistoResult *result = check->buffer->result;
  const HistoLevelFigures *level = &result->levels[place];
  const HistoFigures *figures = &result->components[place].figures;
  const gboolean goes_on =
      state_of (check->alerts, HISTO_ALERT_CLIPPING, place)->holds
      && level->clipped == figures->count;

  follow (check, HISTO_ALERT_CLIPPING, place, &(Finding) {
        .holds = level->clipped_runs > 0 || goes_on,
        .value = level->clipped_runs,
        .threshold = check->settings->clipping_samples,
      });
}

/* The threshold is the bound that is crossed, or the target. */
static void
check_loudness (const Check * check, guint place)
{
  const HistoAlertSettings *settings = check->settings;
  const gdouble loudness = check->buffer->result->loudness.short_term;
  const gdouble least =
      settings->loudness_target - settings->loudness_tolerance;
  const gdouble most = settings->loudness_target + settings->loudness_tolerance;

  follow (check, HISTO_ALERT_LOUDNESS, place, &(Finding) {
        .holds = check->buffer->has_short_term
            && (loudness < least || loudness > most),
        .value = loudness,
        .threshold = loudness < least ? least : loudness > most ? most :
            settings->loudness_target,
      });
}

/* ---- One buffer ----------------------------------------------------------------------- */

static const struct
{
  void (*check) (const Check * check, guint place);
  gboolean is_audio;
  gboolean at_each_place;       /* else only at the first one */
} checks[HISTO_N_ALERTS] = {
  [HISTO_ALERT_BLACK] = {check_black, FALSE, TRUE},
  [HISTO_ALERT_FREEZE] = {check_freeze, FALSE, TRUE},
  [HISTO_ALERT_SCENE] = {check_scene, FALSE, TRUE},
  [HISTO_ALERT_RANGE] = {check_range, FALSE, TRUE},
  [HISTO_ALERT_SILENCE] = {check_silence, TRUE, FALSE},
  [HISTO_ALERT_CLIPPING] = {check_clipping, TRUE, TRUE},
  [HISTO_ALERT_LOUDNESS] = {check_loudness, TRUE, FALSE},
};

/* Of an alert that is not checked any more, the end is told. */
static void
check_alert (const Check * check, HistoAlert alert)
{
  HistoAlerts *alerts = check->alerts;
  const HistoPlan *plan = check->buffer->plan;
  const guint flag = HISTO_ALERT_FLAG (alert);
  const guint groups = histo_alerts_groups (flag);
  const gboolean is_checked = (check->settings->alerts & flag) != 0
      && checks[alert].is_audio == plan->format->is_audio
      && !histo_format_is_bayer (plan->format)
      && (plan->groups & groups) == groups;

  for (guint place = 0; place < alerts->n_places; place++) {
    if (!is_checked)
      end_alert (alerts, alert, place, check->events);
    else if (place == 0 || checks[alert].at_each_place)
      checks[alert].check (check, place);
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
    g_free (alerts->states);
    alerts->states =
        g_new0 (HistoAlertState, HISTO_N_ALERTS * alerts->n_places);
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
  alerts->previous_start = buffer->start;
  alerts->previous_end = buffer->end;
}

/* Whether event @i begins an alert that the next event ends: the alert begins and ends with the
 * same buffer. */
static gboolean
is_momentary (const GArray * events, guint i)
{
  const HistoAlertEvent *event = &g_array_index (events, HistoAlertEvent, i);

  return !event->is_end && i + 1 < events->len && event[1].is_end
      && event[1].alert == event->alert && g_strcmp0 (event[1].region, event->region) == 0
      && event[1].channel == event->channel;
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
      if (state_of (alerts, a, place)->is_open)
        add_event (alerts, a, place, FALSE, current);
    }
  }
}
