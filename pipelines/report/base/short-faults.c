/* Short faults; see short-faults.h. docs/report.md#short-faults has the definitions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/short-faults.h"

#include <math.h>
#include <string.h>

#include "base/members.h"

/* So near to black or white, as a share of the way between them, are nearly all samples of a black or a white frame: the
 * values of FFmpeg's blackdetect. */
#define NEAR 0.1
#define NEARLY_ALL 0.98
/* The mean of the frames before and behind is farther away: a fade is no fault. */
#define FAR 0.15
/* Shares of samples that would have to move for one histogram to become the other. */
#define UNLIKE 0.4
#define ALIKE 0.1
/* The mean difference between frames, in % of the range, above which a picture moves. */
#define MOVES 0.2
/* Faults of one kind that are nearer to each other belong to the film: its frame rate was changed, or it flickers. */
#define NEAREST (11 * GST_SECOND / 10)
/* Frames that are farther apart do not follow each other. */
#define MOST_DISTANCE GST_SECOND

#define N_CLASSES 32

typedef enum
{
  OTHER,
  BLACK,
  WHITE,
} Class;

typedef struct
{
  gboolean is_known;
  Class class;
  gdouble mean;                 /* 0: black, 1: white */
  gdouble classes[N_CLASSES];   /* shares of the samples, from black to white */
  gdouble change;               /* MOTION_mafd; NaN: unknown */
  guint64 start;
} Frame;

/* A fault that counts once nothing like it comes for a while. */
typedef struct
{
  gboolean is_waiting, is_checked;
  guint64 start, end;
  guint64 latest;               /* time of the latest one; GST_CLOCK_TIME_NONE: there is none */
} Lone;

typedef struct
{
  Frame before, latest;
  /* Black or white frames. */
  guint64 n_run, run_start;
  gboolean is_abrupt;           /* it begins so */
  Lone odd, repeat;
} State;

static const gchar *const kind_names[REPORT_N_SHORT_FAULTS] = {
  [REPORT_BLACK_FRAMES] = "black",
  [REPORT_WHITE_FRAMES] = "white",
  [REPORT_ODD_FRAME] = "odd",
  [REPORT_LONE_REPEAT] = "repeat",
  [REPORT_HOLE] = "hole",
};

const ReportShape report_short_fault_shape = {
  .size = sizeof (ReportShortFault),
  .members = (const ReportMember[]) {
      {"kind", NAME, AT (ReportShortFault, kind), NEEDED, NAMED (kind_names)},
      {"frames", COUNT, AT (ReportShortFault, count), NOT_ZERO},
      {"start", TIME, AT (ReportShortFault, start), NEEDED},
      {"end", END, AT (ReportShortFault, end), NEEDED},
      {"channel", TEXT, AT (ReportShortFault, channel)},
      {"input", TEXT, AT (ReportShortFault, input)},
      NO_MEMBER}
};

static void
begin_anew (State * state)
{
  memset (state, 0, sizeof *state);
  state->odd.latest = state->repeat.latest = GST_CLOCK_TIME_NONE;
}

void
report_short_faults_init (ReportShortFaults * faults)
{
  faults->faults = report_objects_new ();
  faults->state = g_new (State, 1);
  begin_anew (faults->state);
}

void
report_short_faults_clear (ReportShortFaults * faults)
{
  g_ptr_array_unref (faults->faults);
  g_free (faults->state);
}

/* @channel: (nullable): of a hole */
static void
add (ReportShortFaults * faults, ReportShortFaultKind kind, guint64 count, guint64 start, guint64 end,
    const gchar * channel)
{
  ReportShortFault *fault;

  if (faults->faults->len >= REPORT_MOST_SHORT_FAULTS)
    return;
  fault = report_objects_add (faults->faults, &report_short_fault_shape);
  *fault = (ReportShortFault) { kind, count, start, end, g_strdup (channel), NULL };
}

/* ---- A frame ---------------------------------------------------------------------------------- */

/* Returns: (nullable): what tells light from dark: luma, or the green of RGB */
static const HistoComponentResult *
find_light (const HistoResult * result)
{
  for (guint i = 0; i < result->n_region_components; i++) {
    if (result->components[i].group == HISTO_GROUP_BASIC && g_strcmp0 (result->components[i].name, "G") == 0)
      return &result->components[i];
  }
  return result->n_region_components > 0 && result->components[0].group == HISTO_GROUP_BASIC ?
      &result->components[0] : NULL;
}

/* Returns: FALSE: the histogram does not tell how light the frame is */
static gboolean
look_at_frame (Frame * frame, const HistoComponentResult * light, gboolean is_limited)
{
  const HistoFigures *figures = &light->figures;
  const gdouble full = ldexp (1, (gint) light->depth) - 1;
  const gdouble black = is_limited ? ldexp (16, (gint) light->depth - 8) : 0;
  const gdouble white = is_limited ? ldexp (235, (gint) light->depth - 8) : full;
  const gdouble width = (figures->range_max - figures->range_min) / figures->bins;
  gdouble n_black = 0, n_white = 0, n = 0;
  g_autofree guint64 *counts = g_new0 (guint64, figures->bins);

  if (light->depth < 8 || !histo_component_add_counts (light, counts))
    return FALSE;
  for (guint bin = 0; bin < figures->bins; bin++) {
    const gdouble count = counts[bin];
    const gdouble at = (figures->range_min + bin * width - black) / (white - black);

    n_black += at <= NEAR ? count : 0;
    n_white += at >= 1 - NEAR ? count : 0;
    frame->classes[(guint) CLAMP (at * N_CLASSES, 0, N_CLASSES - 1)] += count;
    n += count;
  }
  if (n <= 0)
    return FALSE;
  for (guint i = 0; i < N_CLASSES; i++)
    frame->classes[i] /= n;
  frame->mean = (figures->mean - black) / (white - black);
  frame->class = n_black >= NEARLY_ALL * n ? BLACK : n_white >= NEARLY_ALL * n ? WHITE : OTHER;
  return TRUE;
}

static gdouble
distance_of (const Frame * one, const Frame * other)
{
  gdouble distance = 0;

  for (guint i = 0; i < N_CLASSES; i++)
    distance += fabs (one->classes[i] - other->classes[i]);
  return distance / 2;
}

/* ---- Faults that are alone -------------------------------------------------------------------- */

/* @lone: (inout): may have waited long enough */
static void
settle (ReportShortFaults * faults, Lone * lone, ReportShortFaultKind kind, guint64 time)
{
  if (!lone->is_waiting || (GST_CLOCK_TIME_IS_VALID (time) && time - lone->start <= NEAREST))
    return;
  if (lone->is_checked)
    add (faults, kind, 1, lone->start, lone->end, NULL);
  lone->is_waiting = FALSE;
}

static void
meet (Lone * lone, gboolean is_fault, guint64 start, guint64 end)
{
  const gboolean is_near = GST_CLOCK_TIME_IS_VALID (lone->latest) && start - lone->latest <= NEAREST;

  lone->latest = start;
  lone->is_waiting = FALSE;
  if (is_fault && !is_near)
    *lone = (Lone) { TRUE, FALSE, start, end, start };
}

/* ---- The stream ------------------------------------------------------------------------------- */

/* @frame: follows the latest one */
static void
follow_run (ReportShortFaults * faults, State * state, const Frame * frame, guint64 least_black)
{
  const Class class = state->latest.class;
  const gdouble mean = class == BLACK ? frame->mean : 1 - frame->mean;

  if (frame->class == class) {
    state->n_run += state->n_run > 0;
    return;
  }
  if (state->n_run > 0 && frame->class == OTHER && state->is_abrupt && mean >= FAR
      && frame->start - state->run_start < least_black)
    add (faults, class == BLACK ? REPORT_BLACK_FRAMES : REPORT_WHITE_FRAMES, state->n_run, state->run_start,
        frame->start, NULL);
  state->n_run = class == OTHER;
  state->run_start = frame->start;
  state->is_abrupt = (frame->class == BLACK ? state->latest.mean : 1 - state->latest.mean) >= FAR;
}

static void
look_at_odd (State * state, const Frame * frame)
{
  const Frame *middle = &state->latest;

  if (state->before.is_known && middle->class == OTHER && distance_of (&state->before, middle) >= UNLIKE
      && distance_of (middle, frame) >= UNLIKE && distance_of (&state->before, frame) <= ALIKE) {
    meet (&state->odd, TRUE, middle->start, frame->start);
    state->odd.is_checked = TRUE;
  }
}

/* The picture moves before the repeated frame and behind it. */
static void
look_at_repeat (State * state, const Frame * frame, gboolean repeats)
{
  if (state->repeat.is_waiting && !state->repeat.is_checked) {
    state->repeat.end = frame->start;
    state->repeat.is_checked = frame->change >= MOVES;
    state->repeat.is_waiting = state->repeat.is_checked;
  }
  if (repeats)
    meet (&state->repeat, state->latest.change >= MOVES, frame->start, frame->start);
}

static void
add_frame (ReportShortFaults * faults, const HistoResult * result,
    const HistoTimes * times, gboolean is_limited, guint64 least_black)
{
  State *state = faults->state;
  const guint64 time = times->stream_time, last = state->latest.start;
  const HistoComponentResult *light = find_light (result);
  const HistoGroupFigures *figures = result->n_regions > 0 ? &result->regions[0].figures : NULL;
  Frame frame = { TRUE, OTHER, 0, { 0 }, figures != NULL ? figures->MOTION_mafd : NAN, time };

  if (!GST_CLOCK_TIME_IS_VALID (time) || light == NULL || !look_at_frame (&frame, light, is_limited))
    return;
  if (state->latest.is_known && (time < last || time - last > MOST_DISTANCE)) {
    report_short_faults_finish (faults);
    begin_anew (state);
  }
  settle (faults, &state->odd, REPORT_ODD_FRAME, time);
  settle (faults, &state->repeat, REPORT_LONE_REPEAT, time);
  if (state->latest.is_known) {
    follow_run (faults, state, &frame, least_black);
    look_at_odd (state, &frame);
    look_at_repeat (state, &frame, figures != NULL && figures->MOTION_repeat > 0);
  }
  state->before = state->latest;
  state->latest = frame;
}

static void
add_sound (ReportShortFaults * faults, const HistoResult * result,
    const HistoTimes * times)
{
  if (!GST_CLOCK_TIME_IS_VALID (times->stream_time) || result->rate <= 0
      || !histo_result_has_group (result, HISTO_GROUP_LEVEL))
    return;
  for (guint c = 0; c < result->n_components; c++) {
    const HistoLevelFigures *level = &result->levels[c];
    const guint64 end = times->stream_time + gst_util_uint64_scale (result->n_samples, GST_SECOND, result->rate);
    guint64 age, start;

    if (level->holes == 0 || !(level->hole_age >= level->hole_length))
      continue;
    age = (guint64) (level->hole_age * GST_SECOND + 0.5);
    start = end - MIN (age, end);
    add (faults, REPORT_HOLE, 0, start, start + (guint64) (level->hole_length * GST_SECOND + 0.5),
        result->components[c].name);
  }
}

/**
 * report_short_faults_add_result:
 * @result: of the next frame, or of the next window of sound, which is so short that a channel has at most one hole that is known
 *   with it
 * @times: from report_stream_summary_count()
 * @is_limited: the range of a stream of video
 * @least_black: ns; what lasts longer is no short fault
 */
void
report_short_faults_add_result (ReportShortFaults * faults,
    const HistoResult * result, const HistoTimes * times, gboolean is_limited,
    guint64 least_black)
{
  if (result->is_audio)
    add_sound (faults, result, times);
  else
    add_frame (faults, result, times, is_limited, least_black);
}

/* The stream has ended: nothing that is waiting is followed by another one. */
void
report_short_faults_finish (ReportShortFaults * faults)
{
  State *state = faults->state;

  settle (faults, &state->odd, REPORT_ODD_FRAME, GST_CLOCK_TIME_NONE);
  settle (faults, &state->repeat, REPORT_LONE_REPEAT, GST_CLOCK_TIME_NONE);
}
