/* Made-up buffers for the temporal stage: their counts, times and results.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_PASSINGS_H
#define TESTS_PASSINGS_H

#include "formats.h"
#include "frames.h"

#include "result/passing.h"

typedef struct
{
  HistoPlan *plan;
  guint32 *counters;
  guint64 *tallies;
  HistoTotals *totals;
  HistoCounts counts;
  HistoTimes times;
  HistoResult result;
  HistoPassing passing;         /* points to the others; its result is NULL before
                                 * test_passing_fill() */
} TestPassing;

/* The plan of caps with these groups (flags, without basic). @regions: as the property, or NULL */
HistoPlan *test_plan_new (const gchar * caps, guint groups,
    const gchar * regions, guint n_rois);

/* The counts are all 0, those of a frame with a previous frame. All times are unknown. */
void test_passing_open (TestPassing * passing, HistoPlan * plan);
void test_passing_close (TestPassing * passing);

/* In ns; < 0: GST_CLOCK_TIME_NONE */
guint64 test_ms (gint64 ms);

/* Stream time, timestamp and running time in ms; < 0: unknown. */
void test_passing_set_times (TestPassing * passing, gint64 start,
    gint64 duration);

/* Fills all counters, tallies and totals, used or not. @most: the greatest counter */
void test_passing_fill_random (TestPassing * passing, GRand * random,
    guint32 most);

/* Of region @region and component @component of it, @n samples have this value and the others are
 * gone. */
void test_passing_set_histogram (TestPassing * passing, guint region,
    guint component, guint value, guint n);

/* Makes the result from the counts. */
void test_passing_fill (TestPassing * passing);

#endif /* TESTS_PASSINGS_H */
