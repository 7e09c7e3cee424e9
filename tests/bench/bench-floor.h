/* What no element can take away from a latency: the host's and the driver's own part.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include "engine/cuda/driver.h"

G_BEGIN_DECLS

typedef struct
{
  /* us from the call that enqueues a memset of four bytes until its event is known to be
   * complete: by asking again and again, and asleep meanwhile. */
  GArray *polled, *slept;
  GArray *woken;                /* us from a signal until the thread that waits for it goes on */
  gdouble polled_cpu_us, slept_cpu_us;  /* of this thread, for each */
} Floor;

/* Pauses in between, as between frames, because caches and clocks cool down. In the current
 * context; each for so many seconds. Floor to be cleared. */
void floor_measure (Floor * floor, const HistoDriver * driver,
    guint frames_per_second, gdouble seconds);
void floor_clear (Floor * floor);

G_END_DECLS

#endif /* BENCH_FLOOR_H */
