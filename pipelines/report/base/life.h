/* Whether the process does anything, so that one that is stopped or starved is not taken for one that stands still.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_LIFE_H
#define REPORT_LIFE_H

#include <glib.h>

G_BEGIN_DECLS

/* How often a thread looks, while it waits for a message: a tick, in µs. */
#define REPORT_TICK (G_USEC_PER_SEC / 10)

/* Begins as all zero. */
typedef struct
{
  gint64 time;                  /* processor time of the process at the latest look, ns */
  gint64 begin;                 /* the same at the latest message */
  guint n_quiet;                /* ticks without a sign of life since then */
} ReportLife;

void report_life_begin (ReportLife * life);
void report_life_tick (ReportLife * life);
gint64 report_life_used (const ReportLife * life);

G_END_DECLS

#endif /* REPORT_LIFE_H */
