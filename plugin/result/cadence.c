/* Cadence; see cadence.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/cadence.h"

#include <string.h>

/* A period must have recurred for so long, and so often. */
#define LEAST_LENGTH G_GUINT64_CONSTANT (2000000000)
#define LEAST_PERIODS 4

/* @cadence: (out): no frame has passed */
void
histo_cadence_forget (HistoCadence * cadence)
{
  memset (cadence, 0, sizeof *cadence);
}

static gboolean
is_repeat_at (const HistoCadence * cadence, guint ago)
{
  return (cadence->repeats >> ago & 1) != 0;
}

/* Adds the latest frame, which is in the history already, to the run of a period. A frame that does not recur ends
 * the run; the latest @period frames begin the next one. */
static void
follow (HistoCadence * cadence, guint period, gboolean recurs)
{
  HistoCadenceRun *run = &cadence->runs[period];

  if (!recurs) {
    run->n = period;
    run->begin = cadence->times[period - 1];
    return;
  }
  if (run->n == 0)
    run->begin = cadence->times[0];
  run->n = MIN (run->n + 1, LEAST_PERIODS * period);
}

/**
 * histo_cadence_pass:
 * @is_repeat: whether the next frame repeats the one before
 * @time: of the frame in ns, at any origin; not less than that of the frame before
 * @step: ns since the frame before
 * @n_unique: (out): the frames of a period that are no repeats; of a still picture 0
 *
 * Returns: the least period, in frames; 0: there is none. Without repeats it is 1
 */
guint
histo_cadence_pass (HistoCadence * cadence, gboolean is_repeat, guint64 time,
    guint64 step, guint * n_unique)
{
  const guint n_before = cadence->n;

  cadence->repeats = cadence->repeats << 1 | (is_repeat != 0);
  memmove (cadence->times + 1, cadence->times,
      (HISTO_MOST_PERIOD - 1) * sizeof *cadence->times);
  cadence->times[0] = time;
  cadence->n = MIN (n_before + 1, HISTO_MOST_PERIOD);
  for (guint period = 1; period <= HISTO_MOST_PERIOD; period++)
    follow (cadence, period, n_before < period
        || is_repeat_at (cadence, period) == is_repeat_at (cadence, 0));
  for (guint period = 1; period <= HISTO_MOST_PERIOD; period++) {
    const HistoCadenceRun *run = &cadence->runs[period];

    /* Half a step is added, because times are rounded: 2 s are 2 s of whole frames. */
    if (run->n >= LEAST_PERIODS * period && time - run->begin + step + step / 2 >= LEAST_LENGTH) {
      *n_unique = period - __builtin_popcount (cadence->repeats & ((1u << period) - 1));
      return period;
    }
  }
  return 0;
}
