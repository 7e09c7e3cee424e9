/* A large frame in shares, which several threads count at the same time.
 *
 * The shares have about the same number of bytes. They follow each other through the planes, so
 * that a thread which counts several shares mostly stays in one plane: at the end of a plane it has
 * to fold its tables.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_SHARES_H
#define HISTO_CPU_SHARES_H

#include "engine/cpu/count.h"
#include "measures/plan.h"
#include "media/layout.h"

G_BEGIN_DECLS

/* One thread's work on one frame. */
typedef struct
{
  const HistoPlan *plan;
  const HistoLayout *layout;
  HistoCpuPixels *pixels;       /* the thread's */
  guint32 *counters;
  gint plane;                   /* in which `pixels` is; -1: none */
} HistoSharePass;

/* How many shares a buffer of this plan has; 1 if it is too small to divide. */
guint histo_shares_choose (const HistoPlan * plan);

/* @layout: mapped until the pass ends. @counters: the plan's; the pass adds to them */
void histo_share_pass_begin (HistoSharePass * pass, const HistoPlan * plan,
    const HistoLayout * layout, HistoCpuPixels * pixels, guint32 * counters);
void histo_share_pass_count (HistoSharePass * pass, guint share,
    guint n_shares);
/* The counters are complete only after this. */
void histo_share_pass_end (HistoSharePass * pass);

G_END_DECLS

#endif /* HISTO_CPU_SHARES_H */
