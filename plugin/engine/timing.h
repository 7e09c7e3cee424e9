/* Chooses which of many similar steps are timed, and estimates the time of all steps.
 *
 * Reading a clock, or recording two events on a stream, costs more than some of the steps it
 * would time. So the first 16 steps are timed, and after them one in 17. The time of one in 17 is
 * multiplied by 17.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_TIMING_H
#define HISTO_TIMING_H

#include <glib.h>
#include <time.h>

G_BEGIN_DECLS

/* Counts the steps of one kind. Zero at first. Several threads may use it at once. */
typedef struct
{
  gint n_steps;                 /* atomic */
} HistoTiming;

#define HISTO_TIMED_FIRST 16
/* A prime number, so that steps which alternate in a fixed rhythm are all timed in turn: the
 * two fields of a frame, or buffers that share a launch. */
#define HISTO_TIMED_EACH 17

/* Counts one step. Returns the weight: by how much the measured time is multiplied; 0: the step is
 * not timed. */
static inline guint
histo_timing_next (HistoTiming * timing)
{
  const guint n = (guint) g_atomic_int_add (&timing->n_steps, 1);

  if (n < HISTO_TIMED_FIRST)
    return 1;
  return (n - HISTO_TIMED_FIRST) % HISTO_TIMED_EACH ==
      HISTO_TIMED_EACH / 2 ? HISTO_TIMED_EACH : 0;
}

/* Processor time of the calling thread so far, in ns. */
static inline guint64
histo_thread_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (guint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

/* One step of the calling thread, if it is timed. */
typedef struct
{
  guint weight;                 /* by how much the measured time is multiplied; 0: not timed */
  guint64 begin;                /* the thread's processor time, ns */
} HistoTimer;

static inline HistoTimer
histo_timer_start (HistoTiming * timing)
{
  const guint weight = histo_timing_next (timing);

  return (HistoTimer) { weight, weight > 0 ? histo_thread_time () : 0 };
}

/* Processor time of the step in ns, multiplied by the weight; 0 if the step is not timed. */
static inline guint64
histo_timer_total (const HistoTimer * timer)
{
  return timer->weight > 0 ?
      timer->weight * (histo_thread_time () - timer->begin) : 0;
}

G_END_DECLS

#endif /* HISTO_TIMING_H */
