/* Which thread pushes a buffer; see pacing.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/pacing.h"

/* For a start and after a flush: the task pushes until the counts say otherwise. */
void
histo_pacing_reset (HistoPacing * pacing)
{
  pacing->n_quick = pacing->n_hurried = 0;
}

/**
 * histo_pacing_note_push:
 * @duration: how long downstream had the buffer, in us
 */
void
histo_pacing_note_push (HistoPacing * pacing, gint64 duration)
{
  if (duration <= HISTO_PACING_QUICK_PUSH)
    pacing->n_quick = MIN (pacing->n_quick + 1, HISTO_PACING_MOST_QUICK);
  else
    pacing->n_quick -= MIN (pacing->n_quick, HISTO_PACING_QUICK_PER_SLOW);
}

/**
 * histo_pacing_note_arrival:
 * @rest: time between the return from the previous buffer and the arrival of this one, in us
 */
void
histo_pacing_note_arrival (HistoPacing * pacing, gint64 rest)
{
  if (rest <= HISTO_PACING_SHORT_REST)
    pacing->n_hurried =
        MIN (pacing->n_hurried + 1, HISTO_PACING_MOST_HURRIED);
  else
    pacing->n_hurried -= MIN (pacing->n_hurried, HISTO_PACING_HURRIED_PER_REST);
}

/* Whether downstream is quick and upstream is not in a hurry. */
gboolean
histo_pacing_upstream_may_push (const HistoPacing * pacing)
{
  return pacing->n_quick >= HISTO_PACING_ENOUGH_QUICK
      && pacing->n_hurried < HISTO_PACING_ENOUGH_HURRIED;
}

/**
 * histo_pacing_batch_level:
 * @max_in_flight: at least 1
 *
 * An upstream that finds no place in flight sleeps. Being woken takes longer than a small
 * buffer does, so upstream waits until a third of the places is free, but for no longer than
 * %HISTO_PACING_BATCH_WAIT.
 *
 * Returns: the number of buffers in flight at which upstream is woken
 */
guint
histo_pacing_batch_level (guint max_in_flight)
{
  const guint most = max_in_flight - 1;

  return most - most / 3;
}
