/* Which thread pushes a buffer: the source pad's task, or upstream's thread itself.
 *
 * A pure function of counts and durations: no GStreamer objects, no locks. The caller
 * protects the struct.
 *
 * Handing a buffer to the task wakes another thread. That takes about 50 us, which may be ten
 * times as long as measuring a small frame on a GPU. Upstream's thread can do without it if
 * it loses nothing by doing both halves of the work:
 *
 * - Downstream is quick. Each push of at most 50 us adds 1 to a count (limit 32), each longer
 *   one subtracts 8. Downstream is quick from 16 on. So one slow push changes little, but a
 *   downstream that is slow for one buffer in nine is not quick.
 * - Upstream is not in a hurry. Each rest of at most 50 us between two buffers adds 1 to a count
 *   (limit 16), each longer one subtracts 4. Upstream is in a hurry from 8 on. It then spends
 *   all of its time in this element, and gains from a task that does half of the work.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PACING_H
#define HISTO_PACING_H

#include <glib.h>

G_BEGIN_DECLS

/* A push of at most this many microseconds is quick: waking another thread takes as long. */
#define HISTO_PACING_QUICK_PUSH 50
/* Downstream is quick from this count on. */
#define HISTO_PACING_ENOUGH_QUICK 16
/* The count's limit. From there, two slow pushes in a row (2 * 8) leave downstream quick. */
#define HISTO_PACING_MOST_QUICK (2 * HISTO_PACING_ENOUGH_QUICK)
/* A slow push subtracts this from the count. */
#define HISTO_PACING_QUICK_PER_SLOW 8

/* A rest of at most this many microseconds between two buffers is short: upstream waits for
 * nothing, such as the time of the next frame. */
#define HISTO_PACING_SHORT_REST 50
/* Upstream is in a hurry from this count on. The number is smaller than that of pushes, because
 * delaying an upstream in a hurry costs more than handing buffers to the task. */
#define HISTO_PACING_ENOUGH_HURRIED 8
#define HISTO_PACING_MOST_HURRIED (2 * HISTO_PACING_ENOUGH_HURRIED)
/* A longer rest subtracts this from the count. */
#define HISTO_PACING_HURRIED_PER_REST 4

/* Upstream waits at most this many microseconds for more than one place in flight. */
#define HISTO_PACING_BATCH_WAIT 50

typedef struct
{
  guint n_quick;                /* 0 to HISTO_PACING_MOST_QUICK */
  guint n_hurried;              /* 0 to HISTO_PACING_MOST_HURRIED */
} HistoPacing;

void histo_pacing_reset (HistoPacing * pacing);
void histo_pacing_note_push (HistoPacing * pacing, gint64 duration);
void histo_pacing_note_arrival (HistoPacing * pacing, gint64 rest);
gboolean histo_pacing_upstream_may_push (const HistoPacing * pacing);
guint histo_pacing_batch_level (guint max_in_flight);

G_END_DECLS

#endif /* HISTO_PACING_H */
