/* Flashes: transitions, warnings and failures of made-up pictures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"

#include "result/flash.h"

#include <math.h>

#define N_PIXELS 1000
#define STEP_25 (40 * GST_MSECOND)
#define WHITE 65535

/* A row of frames at a constant rate. */
typedef struct
{
  HistoFlash flash;
  HistoFlashQuantity quantity;
  guint64 step;
  guint n;                      /* frames so far */
} Frames;

static void
frames_open (Frames * frames, HistoFlashQuantity quantity, guint64 step)
{
  memset (frames, 0, sizeof *frames);
  frames->quantity = quantity;
  frames->step = step;
}

/* The next frame: all its pixels have this value, of which @n_changed are others than before. */
static void
pass (Frames * frames, guint value, guint n_changed)
{
  const HistoFlashArea area = { N_PIXELS, (guint64) value *N_PIXELS, n_changed };

  histo_flash_pass (&frames->flash, frames->quantity, &area,
      1000 + frames->n * frames->step, frames->n > 0 ? frames->step : 0);
  frames->n++;
}

static void
check (const Frames * frames, guint n_transitions, guint state)
{
  fail_unless_equals_int (frames->flash.n_transitions, n_transitions);
  fail_unless_equals_int (frames->flash.state, state);
}

static guint
state_of (guint n_transitions)
{
  return n_transitions > 6 ? HISTO_FLASH_FAIL :
      n_transitions >= 4 ? HISTO_FLASH_WARNING : HISTO_FLASH_PASS;
}

/* Black for three frames, white for three: transitions at 3, 6, 9 and so on. */
TEST (test_three_frames)
{
  Frames frames;

  frames_open (&frames, HISTO_FLASHES_OF_LUMINANCE, STEP_25);
  for (guint f = 0; f < 25; f++) {
    pass (&frames, f / 3 % 2 * WHITE, f % 3 == 0 && f > 0 ? N_PIXELS : 0);
    check (&frames, f / 3, state_of (f / 3));
  }
  for (guint f = 25; f < 28; f++)
    pass (&frames, f / 3 % 2 * WHITE, f % 3 == 0 ? N_PIXELS : 0);
  check (&frames, 9, HISTO_FLASH_FAIL);
  /* The transition of frame 3 is a second old. */
  pass (&frames, WHITE, 0);
  check (&frames, 8, HISTO_FLASH_FAIL);
  histo_flash_forget (&frames.flash);
  check (&frames, 0, HISTO_FLASH_PASS);
}

/* A value alternates with another one from frame to frame. */
static void
check_alternating (HistoFlashQuantity quantity, guint low, guint high,
    gboolean is_flash)
{
  Frames frames;

  frames_open (&frames, quantity, STEP_25);
  for (guint f = 0; f < 24; f++) {
    const guint n = is_flash ? f : 0;

    pass (&frames, f % 2 == 0 ? low : high, f > 0 ? N_PIXELS : 0);
    check (&frames, n, state_of (n));
  }
  histo_flash_forget (&frames.flash);
}

/* Linear light of the greys 84 and 90 of 255 is 0.0887 and 0.1022. */
TEST (test_thresholds)
{
  check_alternating (HISTO_FLASHES_OF_LUMINANCE, 0, 5812, FALSE);
  check_alternating (HISTO_FLASHES_OF_LUMINANCE, 0, 6700, TRUE);
  check_alternating (HISTO_FLASHES_OF_LUMINANCE, 0, 6553, FALSE);
  check_alternating (HISTO_FLASHES_OF_LUMINANCE, 0, 6554, TRUE);
  check_alternating (HISTO_FLASHES_OF_LUMINANCE, 52427, WHITE, TRUE);
  check_alternating (HISTO_FLASHES_OF_LUMINANCE, 52428, WHITE, FALSE);
  check_alternating (HISTO_FLASHES_OF_RED, 0, 4095, FALSE);
  check_alternating (HISTO_FLASHES_OF_RED, 0, 4096, TRUE);
  check_alternating (HISTO_FLASHES_OF_RED, 60000, WHITE, TRUE);
}

/* A quarter of the pixels must change. */
TEST (test_area)
{
  Frames frames;

  for (guint n_changed = 249; n_changed <= 250; n_changed++) {
    frames_open (&frames, HISTO_FLASHES_OF_LUMINANCE, STEP_25);
    for (guint f = 0; f < 10; f++) {
      pass (&frames, f % 2 * 20000, f > 0 ? n_changed : 0);
      check (&frames, n_changed == 250 ? f : 0, n_changed == 250 ? state_of (f) : 0);
    }
    histo_flash_forget (&frames.flash);
  }
}

/* Slow rises count if they reach the threshold within a second, and once. */
TEST (test_slow_changes)
{
  Frames frames;

  frames_open (&frames, HISTO_FLASHES_OF_LUMINANCE, STEP_25);
  for (guint f = 0; f < 100; f++) {
    pass (&frames, 262 * f, N_PIXELS);
    check (&frames, 0, HISTO_FLASH_PASS);
  }
  histo_flash_forget (&frames.flash);
  frames_open (&frames, HISTO_FLASHES_OF_LUMINANCE, STEP_25);
  for (guint f = 0; f < 100; f++) {
    pass (&frames, 263 * f, N_PIXELS);
    /* 25 · 263 is more than 6554. The transition is a second old with frame 50. */
    check (&frames, f >= 25 && f < 50, HISTO_FLASH_PASS);
  }
  histo_flash_forget (&frames.flash);
}

/* Four transitions in each second. The warnings begin after a second. When they have lasted 4 s, they are an extended
 * failure. */
static void
check_extended (guint fps)
{
  const guint64 step = GST_SECOND / fps;
  guint warning = 0, extended = 0;
  Frames frames;

  frames_open (&frames, HISTO_FLASHES_OF_LUMINANCE, step);
  for (guint f = 0; f < 6 * fps; f++) {
    const guint value = f * 4 / fps % 2 * WHITE;

    pass (&frames, value, f * 4 / fps != (MAX (f, 1) - 1) * 4 / fps ? N_PIXELS : 0);
    if (frames.flash.state == HISTO_FLASH_WARNING && warning == 0)
      warning = f;
    if (frames.flash.state == HISTO_FLASH_EXTENDED && extended == 0)
      extended = f;
    fail_if (frames.flash.state == HISTO_FLASH_FAIL);
  }
  fail_unless_equals_int (warning, fps);
  fail_unless_equals_int (extended, 5 * fps - 1);
  /* It ends with the flashes. */
  for (guint f = 0; f < fps; f++)
    pass (&frames, 0, 0);
  check (&frames, 0, HISTO_FLASH_PASS);
  histo_flash_forget (&frames.flash);
}

/* The durations of 24 and 60 frames a second are rounded down. */
TEST (test_extended)
{
  check_extended (24);
  check_extended (60);
  check_extended (100);
}

/* ---- By the definition -------------------------------------------------------------------- */

/* The rule by its words, in frames, from the history of all of them. */
typedef struct
{
  gint means[2000];
  gboolean is_wide[2000];
  gint differences[2000];
  gint changes[2000];
  gboolean is_transition[2000];
  guint n_transitions[2000];
} History;

static gint
sign_of (gint number)
{
  return number > 0 ? 1 : number < 0 ? -1 : 0;
}

static guint
expect (History * history, guint n, guint fps, gint step, gint dark)
{
  gint before = n > 0 ? history->changes[n - 1] : 0, change = 0;
  guint warnings = 0, first = n;

  history->differences[n] = n > 0 && history->is_wide[n] ?
      history->means[n] - history->means[n - 1] : 0;
  /* Back to the last change of sign: where a sign met the other one in the changes so far. */
  while (first > 0 && sign_of (history->differences[first])
      * sign_of (history->changes[first - 1]) >= 0)
    first--;
  for (guint f = first; f <= n; f++) {
    if (f + fps > n)
      change += history->differences[f];
  }
  history->changes[n] = change;
  history->is_transition[n] = n > 0 && ABS (change) >= step
      && MIN (history->means[n], history->means[n - 1]) < dark
      && !(sign_of (change) * sign_of (before) >= 0 && ABS (before) >= step);
  history->n_transitions[n] = 0;
  for (guint f = n + 1 > fps ? n + 1 - fps : 0; f <= n; f++)
    history->n_transitions[n] += history->is_transition[f];
  for (guint f = n + 1 > 5 * fps ? n + 1 - 5 * fps : 0; f <= n; f++)
    warnings += history->n_transitions[f] >= 4 && history->n_transitions[f] <= 6;
  if (state_of (history->n_transitions[n]) == HISTO_FLASH_WARNING
      && warnings >= 4 * fps)
    return HISTO_FLASH_EXTENDED;
  return state_of (history->n_transitions[n]);
}

/* Noise, slopes, flashes of some period, and pictures at rest take turns. */
static gint
next_mean (GRand * random, guint kind, guint period, guint n, gint mean)
{
  static const gint levels[] = { 0, 5000, 8000, 20000, 50000, 60000, 65535 };
  const gint noise = g_rand_int_range (random, -7000, 7001);

  switch (kind) {
    case 0:
      return g_rand_int_range (random, 0, 65536);
    case 1:
      return CLAMP (mean + 7000 - 200 * (gint) period, 0, 65535);
    case 2:
      return n % period == 0 ? levels[g_rand_int_range (random, 0, 7)] : mean;
    case 3:
      return CLAMP (mean + noise, 0, 65535);
    case 4:
      return n % period == 0 ? 65535 - mean : mean;
    default:
      return mean;
  }
}

static void
check_random (GRand * random, HistoFlashQuantity quantity, guint fps,
    guint * n_states)
{
  static const guint changed[] = { 1000, 1000, 1000, 250, 249, 100 };
  const gboolean is_red = quantity == HISTO_FLASHES_OF_RED;
  History *history = g_new0 (History, 1);
  guint kind = 0, period = 1, mean = 0;
  Frames frames;

  frames_open (&frames, quantity, GST_SECOND / fps);
  for (guint f = 0; f < 2000; f++) {
    const guint n_changed = changed[g_rand_int_range (random, 0, 6)];
    guint state;

    if (g_rand_int_range (random, 0, (gint) (4 * fps)) == 0) {
      kind = g_rand_int_range (random, 0, 6);
      period = g_rand_int_range (random, 1, (gint) fps);
    }
    mean = next_mean (random, kind, period, f, mean);
    history->means[f] = mean;
    history->is_wide[f] = n_changed >= N_PIXELS / 4;
    state = expect (history, f, fps, is_red ? 4096 : 6554, is_red ? G_MAXINT : 52428);
    pass (&frames, mean, n_changed);
    check (&frames, history->n_transitions[f], state);
    n_states[state]++;
  }
  histo_flash_forget (&frames.flash);
  g_free (history);
}

TEST (test_definition)
{
  guint n_states[4] = { 0, };
  GRand *random = test_random ();

  for (guint i = 0; i < 20; i++) {
    check_random (random, HISTO_FLASHES_OF_LUMINANCE, 25, n_states);
    check_random (random, HISTO_FLASHES_OF_RED, 10, n_states);
    check_random (random, HISTO_FLASHES_OF_LUMINANCE, 50, n_states);
  }
  for (guint state = 0; state < 4; state++)
    fail_if (n_states[state] == 0, "no frame is in state %u", state);
  g_rand_free (random);
}

/* ---- Times from outside ------------------------------------------------------------------- */

/* All frames at the same time: transitions are counted, and memory does not grow for ever. */
TEST (test_no_time)
{
  Frames frames;

  frames_open (&frames, HISTO_FLASHES_OF_LUMINANCE, 0);
  for (guint f = 0; f < 20000; f++)
    pass (&frames, f % 2 * WHITE, N_PIXELS);
  check (&frames, 5000, HISTO_FLASH_FAIL);
  for (guint f = 0; f < 20000; f++)
    pass (&frames, f, N_PIXELS);
  fail_unless (frames.flash.changes->len <= 5000);
  histo_flash_forget (&frames.flash);
}

/* A frame far later: what was before is forgotten. */
TEST (test_gap)
{
  const HistoFlashArea white = { N_PIXELS, WHITE * N_PIXELS, 0 };
  Frames frames;

  frames_open (&frames, HISTO_FLASHES_OF_LUMINANCE, STEP_25);
  for (guint f = 0; f < 10; f++)
    pass (&frames, f % 2 * WHITE, N_PIXELS);
  check (&frames, 9, HISTO_FLASH_FAIL);
  histo_flash_pass (&frames.flash, HISTO_FLASHES_OF_LUMINANCE, &white, G_MAXUINT64,
      10 * GST_SECOND);
  check (&frames, 0, HISTO_FLASH_PASS);
  histo_flash_forget (&frames.flash);
}

TEST (test_no_pixels)
{
  const HistoFlashArea none = { 0, 0, 0 };
  HistoFlash flash = { 0, };

  for (guint f = 0; f < 10; f++)
    histo_flash_pass (&flash, HISTO_FLASHES_OF_RED, &none, f, 1);
  fail_unless_equals_int (flash.n_transitions, 0);
  fail_unless_equals_int (flash.state, HISTO_FLASH_PASS);
  histo_flash_forget (&flash);
}

/* As docs/result.md defines it: the frames of the last second in which both shares are above a quarter. The first frame has
 * none before it. */
TEST (test_counter)
{
  static const gdouble shares[] = { 0, 0.25, 0.2501, 0.5, NAN };
  static const guint rates[] = { 5, 24, 25, 30, 60 };
  GRand *random = g_rand_new_with_seed (25);

  for (guint r = 0; r < G_N_ELEMENTS (rates); r++) {
    HistoCounterFlash flash = { 0, };
    gboolean counts[300];

    for (guint f = 0; f < G_N_ELEMENTS (counts); f++) {
      const gdouble up = shares[g_rand_int_range (random, 0, G_N_ELEMENTS (shares))];
      const gdouble down = shares[g_rand_int_range (random, 0, G_N_ELEMENTS (shares))];
      const guint64 time = gst_util_uint64_scale (f, GST_SECOND, rates[r]);
      guint expected = 0;

      counts[f] = f > 0 && up > 0.25 && down > 0.25;
      for (guint k = 0; k < rates[r] && k <= f; k++)
        expected += counts[f - k];
      fail_unless_equals_int (histo_counter_flash_pass (&flash, up, down, 7000 + time,
              GST_SECOND / rates[r]), expected);
    }
    histo_counter_flash_forget (&flash);
    fail_unless_equals_int (histo_counter_flash_pass (&flash, 1, 0, 0, 0), 0);
  }
  g_rand_free (random);
}

TEST_MAIN (60)
