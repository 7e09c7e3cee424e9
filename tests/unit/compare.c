/* Comparing planes against a plain reference, and finding pairs of frames against a plain model.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"

#include "compare/count.h"
#include "compare/pairs.h"

#include <math.h>

/* ---- Planes ---------------------------------------------------------------------------------------- */

typedef struct
{
  guint depth, width, height;
  gboolean is_wide;
  gssize stride;                /* in bytes */
  guint8 *a, *b;
} Planes;

static guint
sample_of (const Planes * planes, const guint8 * data, guint x, guint y)
{
  const guint8 *row = data + (gssize) y * planes->stride;

  return planes->is_wide ? ((const guint16 *) row)[x] : row[x];
}

static void
set_sample (const Planes * planes, guint8 * data, guint x, guint y, guint value)
{
  guint8 *row = data + (gssize) y * planes->stride;

  if (planes->is_wide)
    ((guint16 *) row)[x] = value;
  else
    row[x] = value;
}

/* Two planes that are equal, differ in a few samples by a little, or everywhere. */
static void
make_planes (Planes * planes, GRand * random)
{
  static const guint depths[] = { 8, 8, 9, 10, 12, 14, 16 };
  const guint max = (1u << (planes->depth = depths[g_rand_int_range (random, 0, G_N_ELEMENTS (depths))])) - 1;
  const guint of_ten = g_rand_int_range (random, 0, 12);        /* so many samples of ten differ; 11: by anything */
  const gboolean extreme = g_rand_boolean (random);

  planes->is_wide = planes->depth > 8;
  planes->width = g_rand_int_range (random, 1, 600);
  planes->height = g_rand_int_range (random, 1, 40);
  planes->stride = (planes->width + g_rand_int_range (random, 0, 9)) * 2;
  planes->a = g_malloc (planes->stride * planes->height);
  planes->b = g_malloc (planes->stride * planes->height);
  for (guint y = 0; y < planes->height; y++)
    for (guint x = 0; x < planes->width; x++) {
      const guint value = extreme ? (g_rand_boolean (random) ? max : 0) : (guint) g_rand_int_range (random, 0, max + 1);
      guint other = value;

      if (of_ten == 11)
        other = extreme ? max - value : (guint) g_rand_int_range (random, 0, max + 1);
      else if (g_rand_int_range (random, 0, 40) < (gint) of_ten)
        other = MIN (value + 3, max);
      set_sample (planes, planes->a, x, y, value);
      set_sample (planes, planes->b, x, y, other);
    }
}

/* FFmpeg's window, word by word. */
static gfloat
plain_window (const Planes * planes, guint x, guint y)
{
  const gdouble max = (1u << planes->depth) - 1;
  const gint64 c1 = .01 * .01 * max * max * 64 + .5, c2 = .03 * .03 * max * max * 64 * 63 + .5;
  gint64 s1 = 0, s2 = 0, ss = 0, s12 = 0, vars, covar;

  for (guint j = y; j < y + 8; j++)
    for (guint i = x; i < x + 8; i++) {
      const gint64 a = sample_of (planes, planes->a, i, j), b = sample_of (planes, planes->b, i, j);

      s1 += a;
      s2 += b;
      ss += a * a + b * b;
      s12 += a * b;
    }
  vars = ss * 64 - s1 * s1 - s2 * s2;
  covar = s12 * 64 - s1 * s2;
  return (gfloat) (2 * s1 * s2 + c1) * (gfloat) (2 * covar + c2)
      / ((gfloat) (s1 * s1 + s2 * s2 + c1) * (gfloat) (vars + c2));
}

static void
check_rectangle (const Planes * planes, HistoComparisonScratch * scratch, guint x, guint y, guint width, guint height)
{
  const HistoPlane a = {.data = (guint64) (guintptr) planes->a,.stride = planes->stride };
  const HistoPlane b = {.data = (guint64) (guintptr) planes->b,.stride = planes->stride };
  guint first_x = G_MAXUINT, first_y = G_MAXUINT, after_x = 0, after_y = 0, most = 0;
  guint64 different = 0, sse = 0, n_windows = 0;
  HistoComparisonCounts counts;
  gdouble ssim = 0;

  for (guint j = y; j < y + height; j++)
    for (guint i = x; i < x + width; i++) {
      const gint64 change = (gint64) sample_of (planes, planes->a, i, j) - sample_of (planes, planes->b, i, j);

      sse += change * change;
      if (change == 0)
        continue;
      different++;
      most = MAX (most, (guint) ABS (change));
      first_x = MIN (first_x, i);
      first_y = MIN (first_y, j);
      after_x = MAX (after_x, i + 1);
      after_y = MAX (after_y, j + 1);
    }
  for (guint j = 0; j + 8 <= height; j += 4)
    for (guint i = 0; i + 8 <= width; i += 4) {
      ssim += plain_window (planes, x + i, y + j);
      n_windows++;
    }

  histo_compare_planes (&a, &b, planes->is_wide, planes->depth, x, y, width, height, TRUE, scratch, &counts);
  fail_unless_equals_uint64 (counts.count, (guint64) width * height);
  fail_unless_equals_uint64 (counts.different, different);
  fail_unless_equals_uint64 (counts.sse, sse);
  fail_unless_equals_int (counts.max_difference, most);
  fail_unless_equals_uint64 (counts.n_windows, n_windows);
  fail_unless (fabs (counts.ssim - ssim) <= 1e-9 * MAX (fabs (ssim), 1), "%.17g, not %.17g", counts.ssim, ssim);
  if (different == 0) {
    fail_unless (counts.after_x == 0 && counts.after_y == 0);
    return;
  }
  fail_unless_equals_int (counts.first_x, first_x);
  fail_unless_equals_int (counts.first_y, first_y);
  fail_unless_equals_int (counts.after_x, after_x);
  fail_unless_equals_int (counts.after_y, after_y);
}

TEST (test_planes)
{
  HistoComparisonScratch scratch = { NULL, 0 };
  GRand *random = test_random ();

  for (guint round = 0; round < 200; round++) {
    Planes planes;
    guint x, y;

    make_planes (&planes, random);
    check_rectangle (&planes, &scratch, 0, 0, planes.width, planes.height);
    x = g_rand_int_range (random, 0, planes.width);
    y = g_rand_int_range (random, 0, planes.height);
    check_rectangle (&planes, &scratch, x, y, g_rand_int_range (random, 1, planes.width - x + 1),
        g_rand_int_range (random, 1, planes.height - y + 1));
    g_free (planes.a);
    g_free (planes.b);
  }
  histo_comparison_scratch_clear (&scratch);
  g_rand_free (random);
}

/* ---- Pairs ----------------------------------------------------------------------------------------- */

#define N_FRAMES 40

static guint n_freed;

static void
count_freed (gpointer data)
{
  n_freed++;
}

/* Times that rise by about a frame, some of which are unknown. The durations are all known, or all unknown. */
static void
make_times (HistoPairTimes * frames, guint64 step, GRand * random)
{
  const gboolean with_unknown = g_rand_int_range (random, 0, 4) == 0;
  const GstClockTime duration = g_rand_int_range (random, 0, 4) == 0 ? GST_CLOCK_TIME_NONE : step;
  const gint jitter = g_rand_boolean (random) ? step / 2 : 1;
  GstClockTime time = g_rand_int_range (random, 0, 2 * step);

  for (guint i = 0; i < N_FRAMES; i++) {
    frames[i] = (HistoPairTimes) { time, duration, i };
    if (with_unknown && g_rand_int_range (random, 0, 10) == 0)
      frames[i].time = GST_CLOCK_TIME_NONE;
    time += step - jitter / 2 + g_rand_int_range (random, 0, jitter);
  }
}

/* The partner of a frame among all that come at some time: -1: none. @taken: the last one that has a partner */
static gint
plain_partner (const HistoPairTimes * frame, const HistoPairTimes * others, gint taken, HistoPairing pairing)
{
  GstClockTime least = GST_CLOCK_TIME_NONE;
  gint nearest = -1;

  if (pairing == HISTO_PAIRING_ORDER)
    return frame->number < N_FRAMES ? (gint) frame->number : -1;
  if (frame->time == GST_CLOCK_TIME_NONE)
    return -1;
  for (gint i = taken + 1; i < N_FRAMES; i++) {
    const GstClockTime distance = frame->time > others[i].time ? frame->time - others[i].time :
        others[i].time - frame->time;

    if (others[i].time == GST_CLOCK_TIME_NONE || distance >= least)
      continue;
    least = distance;
    nearest = i;
  }
  if (nearest >= 0 && least <= (frame->duration == GST_CLOCK_TIME_NONE && others[nearest].duration ==
          GST_CLOCK_TIME_NONE ? 0 : MIN (frame->duration, others[nearest].duration) / 2))
    return nearest;
  return -1;
}

/* The reference's frames come at any time, as far as the queue and the frame that waits let them. No frame waits for ever. */
static void
check_pairs (GRand * random, HistoPairing pairing)
{
  const guint64 step = g_rand_int_range (random, 4, 1000), other_step =
      g_rand_boolean (random) ? step : (guint64) g_rand_int_range (random, 4, 1000);
  const guint limit = g_rand_int_range (random, 2, 6);
  HistoPairTimes frames[N_FRAMES], others[N_FRAMES];
  HistoPairs pairs = { G_QUEUE_INIT, 0 };
  guint n_found = 0, n_pushed = 0;
  gint taken = -1;

  n_freed = 0;
  make_times (frames, step, random);
  make_times (others, other_step, random);
  for (guint f = 0; f < N_FRAMES; f++) {
    const gint expected = plain_partner (&frames[f], others, taken, pairing);
    gpointer partner = NULL;

    for (;;) {
      HistoPairDecision decision;

      while (n_pushed < N_FRAMES && histo_pairs_length (&pairs) < limit && g_rand_boolean (random)) {
        histo_pairs_push (&pairs, &others[n_pushed], &others[n_pushed], count_freed);
        n_pushed++;
      }
      decision = histo_pairs_decide (&pairs, pairing, &frames[f], GST_CLOCK_TIME_NONE, n_pushed == N_FRAMES, &partner);
      if (decision != HISTO_PAIR_WAIT)
        break;
      fail_unless (histo_pairs_length (&pairs) < limit, "a frame waits, and the queue is full");
    }
    fail_unless (partner == (expected < 0 ? NULL : &others[expected]), "frame %u has another partner than %d", f,
        expected);
    n_found += partner != NULL;
    taken = MAX (taken, expected);
  }
  histo_pairs_drop (&pairs);
  fail_unless_equals_int (n_found + n_freed, n_pushed);
  fail_unless_equals_uint64 (pairs.n_unpaired, n_freed);
}

TEST (test_pairs)
{
  GRand *random = test_random ();

  for (guint round = 0; round < 2000; round++)
    check_pairs (random, round % 2 == 0 ? HISTO_PAIRING_TIME : HISTO_PAIRING_ORDER);
  g_rand_free (random);
}

TEST_MAIN (20)
