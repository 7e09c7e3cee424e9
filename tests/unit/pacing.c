/* Which thread pushes a buffer: each rule of element/pacing by itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "harness.h"

#include "element/pacing.h"

enum
{ QUICK = HISTO_PACING_QUICK_PUSH, SLOW = HISTO_PACING_QUICK_PUSH + 1,
  HURRIED = HISTO_PACING_SHORT_REST, RESTED = HISTO_PACING_SHORT_REST + 1
};

static void
note_pushes (HistoPacing * pacing, guint n, gint64 duration)
{
  for (guint i = 0; i < n; i++)
    histo_pacing_note_push (pacing, duration);
}

static void
note_arrivals (HistoPacing * pacing, guint n, gint64 rest)
{
  for (guint i = 0; i < n; i++)
    histo_pacing_note_arrival (pacing, rest);
}

/* After any number of quick pushes and long rests. */
static HistoPacing
settled (void)
{
  HistoPacing pacing;

  histo_pacing_reset (&pacing);
  note_pushes (&pacing, 1000, QUICK);
  note_arrivals (&pacing, 1000, RESTED);
  fail_unless (histo_pacing_upstream_may_push (&pacing));
  return pacing;
}

TEST (test_task_pushes_at_first)
{
  HistoPacing pacing;

  histo_pacing_reset (&pacing);
  note_pushes (&pacing, HISTO_PACING_ENOUGH_QUICK - 1, QUICK);
  fail_if (histo_pacing_upstream_may_push (&pacing));
  note_pushes (&pacing, 1, QUICK);
  fail_unless (histo_pacing_upstream_may_push (&pacing));
}

TEST (test_reset)
{
  HistoPacing pacing = settled ();

  histo_pacing_reset (&pacing);
  fail_if (histo_pacing_upstream_may_push (&pacing));
}

TEST (test_slow_downstream)
{
  HistoPacing pacing;

  histo_pacing_reset (&pacing);
  note_pushes (&pacing, 1000, SLOW);
  fail_if (histo_pacing_upstream_may_push (&pacing));
}

/* Two slow pushes are no reason to change, three are. */
TEST (test_downstream_slow_now_and_then)
{
  HistoPacing pacing = settled ();

  note_pushes (&pacing, 2, SLOW);
  fail_unless (histo_pacing_upstream_may_push (&pacing));
  note_pushes (&pacing, 1, SLOW);
  fail_if (histo_pacing_upstream_may_push (&pacing));
}

/* A slow push to fewer than 8 quick ones: the task pushes in the long run. To more than 8:
 * upstream does. */
TEST (test_downstream_slow_often)
{
  for (guint n_quick = 0; n_quick <= 20; n_quick++) {
    HistoPacing pacing = settled ();
    guint n_by_upstream = 0;

    for (guint i = 0; i < 1000; i++) {
      note_pushes (&pacing, 1, SLOW);
      note_pushes (&pacing, n_quick, QUICK);
    }
    for (guint i = 0; i < n_quick + 1; i++) {
      n_by_upstream += histo_pacing_upstream_may_push (&pacing);
      note_pushes (&pacing, 1, i == 0 ? SLOW : QUICK);
    }
    /* With 8 to each slow one the count stays where it was. */
    if (n_quick != HISTO_PACING_QUICK_PER_SLOW)
      fail_unless (n_by_upstream ==
          (n_quick < HISTO_PACING_QUICK_PER_SLOW ? 0 : n_quick + 1));
  }
}

TEST (test_hurried_upstream)
{
  HistoPacing pacing = settled ();

  note_arrivals (&pacing, HISTO_PACING_ENOUGH_HURRIED - 1, HURRIED);
  fail_unless (histo_pacing_upstream_may_push (&pacing));
  note_arrivals (&pacing, 1, HURRIED);
  fail_if (histo_pacing_upstream_may_push (&pacing));
}

/* The count has a limit, so the time in a hurry does not matter afterwards. */
TEST (test_upstream_rests_again)
{
  HistoPacing pacing = settled ();
  guint n = 0;

  note_arrivals (&pacing, 1000, HURRIED);
  while (!histo_pacing_upstream_may_push (&pacing)) {
    note_arrivals (&pacing, 1, RESTED);
    n++;
  }
  fail_unless_equals_int (n, 3);
}

/* An upstream that is late once is still in a hurry. */
TEST (test_upstream_rests_once)
{
  HistoPacing pacing = settled ();

  note_arrivals (&pacing, 1000, HURRIED);
  note_arrivals (&pacing, 1, 1000 * RESTED);
  fail_if (histo_pacing_upstream_may_push (&pacing));
}

/* Upstream is woken for a third of the places, and always for at least one. */
TEST (test_batch_level)
{
  fail_unless_equals_int (histo_pacing_batch_level (1), 0);
  fail_unless_equals_int (histo_pacing_batch_level (2), 1);
  fail_unless_equals_int (histo_pacing_batch_level (4), 2);
  fail_unless_equals_int (histo_pacing_batch_level (64), 42);
  for (guint n = 1; n < 100; n++)
    fail_unless (histo_pacing_batch_level (n) < n);
}

TEST_MAIN (60)
