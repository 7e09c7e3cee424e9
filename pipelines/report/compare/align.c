/* Aligns two films; see align.h.
 *
 * The running alignment is kept as long as another one is not clearly better. So still scenes, in which any alignment fits,
 * and films that differ all the time, in which none fits, do not mislead.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/align.h"

#include <gst/gst.h>

/* Another alignment must be better for this many frames in a row: of those near, and of all. */
#define NEAR_RUN 4
#define RUN 8
/* As far is always looked, if the frames are not equal. */
#define NEAR 6
/* By this factor, and by this distance in code values, the other alignment must be better. */
#define FACTOR 0.5
#define MARGIN 0.02
/* Of two alignments that cost the same but for this share, times decide. */
#define NOISE 0.05
/* A pair that is farther apart than this, and than so many times the usual, is looked at closely. */
#define UNUSUAL 0.1
#define UNUSUAL_FACTOR 4
/* A pair that is nearer than so many times the usual belongs together beyond doubt. */
#define FIT_FACTOR 2

/* Returns: the mean distance of @run frames from these ones on, or of those that are there; -1: none is
 * @n: (out): of how many */
static gdouble
find_cost (const ReportAlignSide * a, guint skip_a, const ReportAlignSide * b, guint skip_b, guint run, guint * n)
{
  gdouble sum = 0;

  *n = 0;
  if (skip_a >= a->n || skip_b >= b->n)
    return -1;
  *n = MIN (run, MIN (a->n - skip_a, b->n - skip_b));
  for (guint i = 0; i < *n; i++)
    sum += report_signature_distance (a->frames[skip_a + i], b->frames[skip_b + i]);
  return sum / *n;
}

/* How far the frames from @skip on go away from the first of them: among equal frames any alignment fits, and says nothing. */
static gdouble
find_change (const ReportAlignSide * side, guint skip, guint n)
{
  gdouble most = 0;

  for (guint i = 1; i < n; i++)
    most = MAX (most, report_signature_distance (side->frames[skip], side->frames[skip + i]));
  return most;
}

/* Whether the running alignment fits again, as well as another one that costs @cost fits now: then frames were changed, and
 * none is missing. Where nothing moves that says nothing. */
static gboolean
fits_again (const ReportAlignSide * a, const ReportAlignSide * b, guint run, gdouble cost)
{
  const guint both = MIN (a->n, b->n);

  cost *= 1 + NOISE;

  for (guint p = 1; p + 1 < both; p++) {
    guint n;
    const gdouble running = find_cost (a, p, b, p, run, &n);

    if (running <= cost && find_change (a, p, n) > running)
      return TRUE;
  }
  return FALSE;
}

/* Returns: frames that belong together are seldom farther apart. @usual: their usual distance */
gdouble
report_align_limit (gdouble usual)
{
  return MAX (UNUSUAL, UNUSUAL_FACTOR * usual);
}

/* Whether frames belong together beyond doubt. */
static gboolean
fit (const ReportSignature * one, const ReportSignature * other, gdouble usual)
{
  return usual >= 0 && report_signature_distance (one, other) <= FIT_FACTOR * usual;
}

/* Whether an alignment is clearly better than the running one.
 *
 * @cost: (out): of it */
static gboolean
is_better (const ReportAlignSide * a, guint skip_a, const ReportAlignSide * b, guint skip_b, guint run, gdouble usual,
    gdouble * cost)
{
  const gdouble first = report_signature_distance (a->frames[0], b->frames[0]);
  gdouble running;
  guint n, n_running;

  *cost = find_cost (a, skip_a, b, skip_b, run, &n);
  if (*cost < 0)
    return FALSE;
  /* The last frame of both. */
  if (n == 1)
    return *cost == 0 && a->is_all && b->is_all && a->n - skip_a == b->n - skip_b;
  if (find_change (skip_a > 0 ? a : b, MAX (skip_a, skip_b), n) <= *cost)
    return FALSE;
  running = find_cost (a, 0, b, 0, n, &n_running);
  if (*cost > 0 && (n < MIN (run, 3) || *cost > FACTOR * running - MARGIN
          || report_signature_distance (a->frames[skip_a], b->frames[skip_b]) > FACTOR * first - MARGIN))
    return FALSE;
  /* A run that moves, and fits as usual, leaves no doubt, whatever comes later. */
  if (usual >= 0 && n >= NEAR_RUN && *cost <= FIT_FACTOR * usual && find_cost (a, 1, b, 1, n, &n_running) > report_align_limit (usual)
      && find_change (skip_a > 0 ? a : b, MAX (skip_a, skip_b), n) > report_align_limit (usual))
    return TRUE;
  return !fits_again (a, b, run, *cost);
}

/* Finds the best of the alignments that are clearly better than the running one; of equal ones that which skips the fewest
 * frames.
 *
 * @most: frames that are skipped
 *
 * Returns: REPORT_ALIGN_PAIR: there is none */
static ReportAlignment
find_better (const ReportAlignSide * a, const ReportAlignSide * b, guint most, guint run, gdouble usual)
{
  ReportAlignment best = {.what = REPORT_ALIGN_PAIR };
  gdouble least = G_MAXDOUBLE, cost;

  for (guint skip = 1; skip <= most; skip++) {
    if (is_better (a, skip, b, 0, run, usual, &cost) && cost < least) {
      least = cost;
      best = (ReportAlignment) {.what = REPORT_ALIGN_SKIP_A,.n = skip };
    }
    if (is_better (a, 0, b, skip, run, usual, &cost) && cost < least) {
      least = cost;
      best = (ReportAlignment) {.what = REPORT_ALIGN_SKIP_B,.n = skip };
    }
  }
  return best;
}

static gboolean
has (const ReportAlignSide * side, guint n)
{
  return side->n >= n || side->is_all;
}

/* Whether B comes as much later than A as before, if so many frames are skipped. */
static gboolean
is_in_time (const ReportAlignSide * a, guint skip_a, const ReportAlignSide * b, guint skip_b, const ReportAlignTimes * times)
{
  const gint64 change = (gint64) (b->times[skip_b] - a->times[skip_a]) - times->latest;

  return ABS (change) < times->margin;
}

/* One film repeats its frame before, the other one goes on: finds how many frames are repeats, and how many of the other film
 * passed by meanwhile.
 *
 * @held: the side that may stand still; @moving: the other one
 *
 * Returns: REPORT_ALIGN_PAIR: it is not so, or what comes behind does not show it */
static ReportAlignment
find_hold (const ReportAlignSide * held, const ReportAlignSide * moving, gboolean is_b, gdouble usual)
{
  ReportAlignment none = {.what = REPORT_ALIGN_PAIR }, found = { is_b ? REPORT_ALIGN_SKIP_B : REPORT_ALIGN_SKIP_A, 0, 0, TRUE };
  gdouble least = G_MAXDOUBLE, jump;

  if (usual < 0 || held->before == NULL || moving->before == NULL
      || report_signature_distance (held->before, moving->before) > report_align_limit (usual))
    return none;
  while (found.n < held->n && report_signature_distance (held->frames[found.n], held->before) <= usual)
    found.n++;
  if (found.n == 0)
    return none;
  /* In a still scene it is the other film that has something else for a while. */
  for (guint i = 0; i < MIN (found.n, moving->n); i++) {
    if (report_signature_distance (moving->frames[i], i > 0 ? moving->frames[i - 1] : moving->before) <= report_align_limit (usual)
        || report_signature_distance (moving->frames[i], moving->before) <= report_align_limit (usual))
      return none;
  }
  if (found.n == held->n) {
    if (!held->is_all && held->n < REPORT_ALIGN_MOST)
      return (ReportAlignment) {.what = REPORT_ALIGN_WAIT,.n = REPORT_ALIGN_MOST };
    /* The film ends so. Of a coded one nothing behind it shows that it was held. */
    found.n_other = moving->n;
    return held->is_all && moving->is_all && report_signature_distance (held->frames[found.n - 1], held->before) == 0 ? found : none;
  }
  /* When it goes on, it jumps to where the other one is by now. */
  jump = report_signature_distance (held->frames[found.n], held->frames[found.n - 1]);
  for (guint i = 0; i < MIN (found.n, moving->n); i++) {
    if (report_signature_distance (held->frames[i], held->before) > FACTOR * jump
        || report_signature_distance (moving->frames[i], moving->before) > jump / FACTOR)
      return none;
  }
  if (moving->n <= found.n && !moving->is_all)
    return (ReportAlignment) {.what = REPORT_ALIGN_WAIT,.n = MIN (found.n + NEAR, REPORT_ALIGN_MOST) };
  for (guint skip = 0; skip < moving->n && skip <= found.n + NEAR; skip++) {
    const gdouble distance = report_signature_distance (moving->frames[skip], held->frames[found.n]);

    /* Of those that are as near, that which keeps the running alignment. */
    if (distance < least || (distance == least && skip == found.n)) {
      least = distance;
      found.n_other = skip;
    }
  }
  return fit (moving->frames[MIN (found.n_other, moving->n - 1)], held->frames[found.n], usual) ? found : none;
}

/* One film lacks frames, and repeats the one behind them instead: finds those that it lacks. The repeats are found when their
 * turn comes.
 *
 * Returns: REPORT_ALIGN_PAIR: it is not so */
static ReportAlignment
find_hold_ahead (const ReportAlignSide * held, const ReportAlignSide * moving, gboolean is_b, gdouble usual)
{
  /* A film that stood still before lacks nothing. */
  if (usual < 0 || held->before == NULL || report_signature_distance (held->frames[0], held->before) <= report_align_limit (usual))
    return (ReportAlignment) {.what = REPORT_ALIGN_PAIR };
  for (guint n = 1; n < NEAR && n + 1 < MIN (held->n, moving->n); n++) {
    if (report_signature_distance (held->frames[n], held->frames[0]) > usual
        || report_signature_distance (moving->frames[n - 1], moving->frames[n]) <= report_align_limit (usual))
      break;
    if (fit (moving->frames[n], held->frames[0], usual) && fit (moving->frames[n + 1], held->frames[n + 1], usual)
        && report_signature_distance (held->frames[n + 1], held->frames[0]) > report_align_limit (usual))
      return (ReportAlignment) {.what = is_b ? REPORT_ALIGN_SKIP_A : REPORT_ALIGN_SKIP_B,.n = n };
  }
  return (ReportAlignment) {.what = REPORT_ALIGN_PAIR };
}

/* Finds the alignment that the times tell, if they tell another one than the running one, and the contents do not tell
 * against it.
 *
 * Returns: REPORT_ALIGN_PAIR: there is none */
static ReportAlignment
find_by_time (const ReportAlignSide * a, const ReportAlignSide * b, gdouble usual, const ReportAlignTimes * times)
{
  const ReportAlignment none = {.what = REPORT_ALIGN_PAIR };
  gboolean is_later;
  guint most;

  if (times->margin <= 0 || !GST_CLOCK_TIME_IS_VALID (a->times[0]) || !GST_CLOCK_TIME_IS_VALID (b->times[0])
      || is_in_time (a, 0, b, 0, times))
    return none;
  is_later = (gint64) (b->times[0] - a->times[0]) > times->latest;
  most = is_later ? a->n : b->n;
  for (guint skip = 1; skip < most; skip++) {
    const guint skip_a = is_later ? skip : 0, skip_b = is_later ? 0 : skip;
    gdouble cost, running;
    guint n, n_running;

    if (!GST_CLOCK_TIME_IS_VALID (a->times[skip_a]) || !GST_CLOCK_TIME_IS_VALID (b->times[skip_b])
        || !is_in_time (a, skip_a, b, skip_b, times))
      continue;
    /* The contents tell that the first frames belong together. */
    if (fit (a->frames[0], b->frames[0], usual)
        && report_signature_distance (a->frames[skip_a], b->frames[skip_b]) > report_align_limit (usual))
      return none;
    cost = find_cost (a, skip_a, b, skip_b, NEAR_RUN, &n);
    running = find_cost (a, 0, b, 0, n, &n_running);
    if (cost > running * (1 + NOISE))
      return none;
    return (ReportAlignment) {.what = is_later ? REPORT_ALIGN_SKIP_A : REPORT_ALIGN_SKIP_B,.n = skip };
  }
  if (most < REPORT_ALIGN_MOST && !(is_later ? a : b)->is_all)
    return (ReportAlignment) {.what = REPORT_ALIGN_WAIT,.n = MIN (most + NEAR_RUN, REPORT_ALIGN_MOST) };
  return none;
}

/**
 * report_align:
 * @times: tell where frames are missing, if their contents do not
 * @usual: the usual distance of frames that belong together; negative: unknown
 *
 * Says what becomes of the first frames of two films.
 */
ReportAlignment
report_align (const ReportAlignSide * a, const ReportAlignSide * b, gdouble usual, const ReportAlignTimes * times)
{
  ReportAlignment better = {.what = REPORT_ALIGN_PAIR };
  gdouble distance;

  if (!has (a, 1) || !has (b, 1))
    return (ReportAlignment) {.what = REPORT_ALIGN_WAIT,.n = 1 };
  if (a->n == 0 || b->n == 0)
    return (ReportAlignment) {.what = a->n > 0 ? REPORT_ALIGN_SKIP_A : REPORT_ALIGN_SKIP_B,.n = MAX (a->n, b->n) };
  better = find_by_time (a, b, usual, times);
  if (better.what != REPORT_ALIGN_PAIR)
    return better;
  distance = report_signature_distance (a->frames[0], b->frames[0]);
  if (distance == 0)
    return better;
  if (!has (a, NEAR + NEAR_RUN) || !has (b, NEAR + NEAR_RUN))
    return (ReportAlignment) {.what = REPORT_ALIGN_WAIT,.n = NEAR + NEAR_RUN };
  if (usual >= 0 && distance <= report_align_limit (usual)) {
    better = find_better (a, b, NEAR, NEAR_RUN, usual);
    if (better.what == REPORT_ALIGN_PAIR)
      return better;
  }
  /* Each film lacks the frame that the other one has: their times tell it. */
  if (distance > report_align_limit (usual) && times->margin > 0 && a->n > 1 && b->n > 1 && GST_CLOCK_TIME_IS_VALID (a->times[0])
      && GST_CLOCK_TIME_IS_VALID (a->times[1]) && GST_CLOCK_TIME_IS_VALID (b->times[0]) && GST_CLOCK_TIME_IS_VALID (b->times[1])
      && !is_in_time (a, 0, b, 0, times) && is_in_time (a, 1, b, 1, times) && fit (a->frames[1], b->frames[1], usual))
    return (ReportAlignment) {.what = REPORT_ALIGN_SKIP_A,.n = 1,.n_other = 1 };
  for (guint i = 0; i < 4 && distance > report_align_limit (usual); i++) {
    const gboolean is_b = i % 2 == 0;

    better = (i < 2 ? find_hold : find_hold_ahead) (is_b ? b : a, is_b ? a : b, is_b, usual);
    if (better.what != REPORT_ALIGN_PAIR)
      return better;
  }
  if (!has (a, REPORT_ALIGN_MOST) || !has (b, REPORT_ALIGN_MOST))
    return (ReportAlignment) {.what = REPORT_ALIGN_WAIT,.n = REPORT_ALIGN_MOST };
  better = find_better (a, b, NEAR, NEAR_RUN, usual);
  return better.what != REPORT_ALIGN_PAIR ? better : find_better (a, b, REPORT_ALIGN_MOST - 1, RUN, usual);
}
