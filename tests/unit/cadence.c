/* Cadence: the periods of repeated frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"

#include "result/cadence.h"

typedef struct
{
  HistoCadence cadence;
  guint64 step;
  guint n;                      /* frames so far */
  guint period, n_unique;       /* as of the latest one */
} Frames;

static void
frames_open (Frames * frames, guint64 step)
{
  memset (frames, 0, sizeof *frames);
  histo_cadence_forget (&frames->cadence);
  frames->step = step;
}

static void
pass (Frames * frames, gboolean is_repeat)
{
  frames->n_unique = 99;
  frames->period = histo_cadence_pass (&frames->cadence, is_repeat,
      5 + frames->n * frames->step, frames->n > 0 ? frames->step : 0, &frames->n_unique);
  frames->n++;
}

/* A pattern of '0' and '1' (a repeat), for ever: the period is found with frame @found, and from then on. */
static void
check_pattern (const gchar * pattern, guint fps, guint found, guint period,
    guint n_unique)
{
  Frames frames;

  frames_open (&frames, GST_SECOND / fps);
  for (guint f = 0; f < found + 100; f++) {
    pass (&frames, pattern[f % strlen (pattern)] == '1');
    fail_unless (frames.period == (f < found ? 0 : period),
        "%s: frame %u has the period %u", pattern, f, frames.period);
    fail_unless (f < found || frames.n_unique == n_unique);
  }
}

/* By the names of the frames: A A A B B C C C D D has 3 repeats in 5 frames, of which 24 of 60 a second are unique;
 * A A B B C C has 1 in 2; A A B C D E E F G H has 1 in 5. */
TEST (test_patterns)
{
  check_pattern ("0110101101", 60, 119, 5, 2);
  check_pattern ("01", 50, 99, 2, 1);
  check_pattern ("01000", 30, 59, 5, 4);
  check_pattern ("0", 25, 49, 1, 1);
  check_pattern ("1", 25, 49, 1, 0);
  /* A still picture from the second frame on: one frame later. */
  {
    Frames frames;

    frames_open (&frames, 40 * GST_MSECOND);
    for (guint f = 0; f < 60; f++) {
      pass (&frames, f > 0);
      fail_unless_equals_int (frames.period, f >= 50);
    }
    fail_unless_equals_int (frames.n_unique, 0);
  }
}

/* Four periods last longer than 2 s. No part of the Thue-Morse sequence comes three times in a row. */
TEST (test_long_periods)
{
  gchar pattern[HISTO_MOST_PERIOD + 1];

  for (guint period = 2; period <= HISTO_MOST_PERIOD; period++) {
    guint n_unique = 0;

    for (guint i = 0; i < period; i++) {
      pattern[i] = __builtin_parity (i) != 0 ? '1' : '0';
      n_unique += pattern[i] == '0';
    }
    pattern[period] = '\0';
    check_pattern (pattern, 12, MAX (24, 4 * period) - 1, period, n_unique);
  }
}

/* The period 31 is too long; noise has none. */
TEST (test_irregular)
{
  GRand *random = test_random ();
  Frames frames;

  frames_open (&frames, 40 * GST_MSECOND);
  for (guint f = 0; f < 500; f++) {
    pass (&frames, f % 31 == 0 || f % 31 == 5);
    fail_unless_equals_int (frames.period, 0);
  }
  frames_open (&frames, 40 * GST_MSECOND);
  for (guint f = 0; f < 500; f++) {
    pass (&frames, g_rand_boolean (random));
    fail_unless_equals_int (frames.period, 0);
  }
  g_rand_free (random);
}

/* A frame that breaks the period, and the next period. By the definition: the last max (2 s, 4 P) frames. */
TEST (test_definition)
{
  GRand *random = test_random ();
  gboolean repeats[2000];
  guint n_found = 0;

  for (guint i = 0; i < 30; i++) {
    const guint fps = g_rand_int_range (random, 5, 61);
    guint period = 1, bits = 0;
    Frames frames;

    frames_open (&frames, GST_SECOND / fps);
    for (guint f = 0; f < G_N_ELEMENTS (repeats); f++) {
      guint expected = 0;

      if (g_rand_int_range (random, 0, 200) == 0) {
        period = g_rand_int_range (random, 1, 12);
        bits = g_rand_int (random);
      }
      repeats[f] = (bits >> f % period & 1) != 0;
      for (guint p = 1; p <= 30 && expected == 0; p++) {
        const guint n = MAX (2 * fps, 4 * p);
        guint g;

        if (f + 1 < n)
          continue;
        for (g = f + 1 - n + p; g <= f && repeats[g] == repeats[g - p]; g++) {
        }
        if (g > f)
          expected = p;
      }
      pass (&frames, repeats[f]);
      fail_unless (frames.period == expected, "%u, not %u", frames.period, expected);
      n_found += expected > 1;
    }
  }
  fail_unless (n_found > 1000);
  g_rand_free (random);
}

/* Frames without any time between them have no period, as 2 s do not pass. */
TEST (test_no_time)
{
  Frames frames;

  frames_open (&frames, 0);
  for (guint f = 0; f < 1000; f++) {
    pass (&frames, FALSE);
    fail_unless_equals_int (frames.period, 0);
  }
}

TEST_MAIN (60)
