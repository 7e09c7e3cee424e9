/* Cadence: the period in which frames that repeat the one before recur, as after a change of the frame
 * rate.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CADENCE_H
#define HISTO_CADENCE_H

#include <glib.h>

G_BEGIN_DECLS

#define HISTO_MOST_PERIOD 30

/* The latest frames among which each frame is a repeat if the one a period earlier is. */
typedef struct
{
  guint n;                      /* frames; at most 4 periods, which are enough */
  guint64 begin;                /* time of the first one, ns */
} HistoCadenceRun;

typedef struct
{
  guint n;                      /* frames so far, at most HISTO_MOST_PERIOD */
  guint32 repeats;              /* bit i: the frame i frames ago is a repeat */
  guint64 times[HISTO_MOST_PERIOD];     /* times[i]: of that frame, ns */
  HistoCadenceRun runs[HISTO_MOST_PERIOD + 1];  /* of each period from 1 on */
} HistoCadence;

void histo_cadence_forget (HistoCadence * cadence);
guint histo_cadence_pass (HistoCadence * cadence, gboolean is_repeat,
    guint64 time, guint64 step, guint * n_unique);

G_END_DECLS

#endif /* HISTO_CADENCE_H */
