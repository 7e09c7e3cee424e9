/* Running values: the figures of a region that depend on earlier buffers. In the table
 * of measures their windows have the greatest or the latest one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_RUNNING_H
#define HISTO_RUNNING_H

#include "cudahisto/result.h"
#include "measures/plan.h"
#include "result/cadence.h"
#include "result/fields.h"
#include "result/flash.h"
#include "result/passing.h"

G_BEGIN_DECLS

/* The running values of one region. */
typedef struct
{
  gdouble previous_mafd;        /* of the previous buffer; 0: it had none */
  /* The greatest ones so far, in cd/m²; NaN: there was none. */
  gdouble max_cll, max_fall, max_cll_p9999, max_fall_p9999;
  HistoCadence cadence;
  HistoFlash flashes[HISTO_N_FLASHES];
  HistoCounterFlash counter_flash;
  HistoFields fields;
} HistoRunningValues;

/* How much time passes from frame to frame. Times come from outside: they may jump, go back, as in reverse playback,
 * repeat, or be absent. */
typedef struct
{
  HistoTimes previous;          /* of the previous buffer */
  gboolean is_running;          /* there was one */
  guint64 time;                 /* of the latest frame in ns, since any origin; it never goes back */
  guint64 step;                 /* since the one before */
} HistoClock;

typedef struct
{
  HistoPlan *plan;              /* of the latest buffer; NULL before the first one */
  guint n_regions;              /* the picture and the fixed regions */
  HistoRunningValues *regions;
  /* The native histograms of the previous buffer: luma, or R, G and B, region by region. */
  gboolean has_histograms;
  guint n_compared;             /* components of a region that have one */
  gsize n_counters;             /* guint32 of one region */
  guint32 *histograms;
  HistoClock clock;
  HistoFlash zones[HISTO_N_ZONES][HISTO_N_FLASHES];     /* of the picture */
} HistoRunning;

void histo_running_init (HistoRunning * running);
void histo_running_clear (HistoRunning * running);
void histo_running_restart (HistoRunning * running, HistoRestart reason);
gboolean histo_running_pass (HistoRunning * running,
    const HistoPassing * buffer, GError ** error);

G_END_DECLS

#endif /* HISTO_RUNNING_H */
