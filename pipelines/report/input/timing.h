/* How the times of a stream's frames follow each other: at a constant rate or a variable one, shifted, with gaps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_TIMING_H
#define REPORT_TIMING_H

#include "cudahisto/range.h"
#include "input/watch.h"

G_BEGIN_DECLS

/* So few distances show no rate. */
#define REPORT_FEW_DISTANCES 10
/* The rate is constant if this share of the distances are alike. */
#define REPORT_CONSTANT_SHARE 0.9
/* A gap between frames is longer than this many usual distances. */
#define REPORT_GAP_FRAMES 1.6

/* The distances between the frames. */
typedef struct
{
  gdouble usual;                /* ns: the most frequent one; 0: unknown */
  guint64 n, n_usual, n_gaps;
} ReportRate;

typedef struct
{
  HistoRange distances;         /* ns between frames, without gaps, of a variable rate; n is 0: it is constant, or unknown */
  gdouble frame;                /* ns: how long each frame lasts at a constant rate; 0: it is variable, or unknown */
  guint64 n_shifted;            /* frames whose times are a frame too early or too late */
  GArray *gaps;                 /* of ReportSpan: what neither of both explains; the count is of frames */
  gboolean are_missing;         /* the rate is constant otherwise, and the film does not hold its picture in the gaps */
  GArray *overlaps;             /* the same of frames that are too early */
} ReportTiming;

void report_rate_measure (ReportRate * rate, const ReportStreamWatch * stream);
gboolean report_rate_is_gap (const ReportRate * rate, const ReportRun * run);
gboolean report_rate_is_whole (const ReportRate * rate, gdouble distance);

ReportTiming *report_timing_new (const ReportStreamWatch * stream,
    const GArray * held);
gboolean report_timing_misses (const ReportTiming * timing,
    const ReportSpan * gap);
void report_timing_free (ReportTiming * timing);

G_END_DECLS

#endif /* REPORT_TIMING_H */
