/* The differences between two streams, figure by figure: how many results differ, and the worst one.
 *
 * Code values of the second stream are scaled to the range of the first one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_DIFFERENCES_H
#define REPORT_DIFFERENCES_H

#include <json-glib/json-glib.h>

#include "summary/summary.h"
#include "compare/tolerance.h"

G_BEGIN_DECLS

/* The difference of one figure. */
typedef struct
{
  gchar *region;                /* NULL: the whole picture, or all channels */
  gchar *figure;                /* its path in the region: "Y.mean"; of the whole stream "whole.Y.mean" */
  gchar *path;                  /* "regions.logo.Y.mean", "whole.regions.logo.Y.mean" */
  const ReportUnit *unit;       /* NULL: names */
  ReportTolerance kind;
  gboolean is_wanted;
  guint64 n, n_over;            /* results that were compared; those beyond the tolerance */
  gdouble sum;                  /* of b - a, or of what the unit makes of it */
  /* The worst one: */
  gdouble weight;               /* in tolerances; above 1: beyond it */
  gdouble a, b, difference, allowed;
  const gchar *name_a, *name_b; /* of names; static */
  guint64 first, last;          /* when the first and the last result are that are beyond it; as time */
  guint64 time;                 /* ns from the start of the first stream; GST_CLOCK_TIME_NONE: the whole stream */
} ReportDifference;

typedef struct _ReportDifferences ReportDifferences;

ReportDifferences *report_differences_new (const ReportToleranceSettings *
    settings, gboolean is_audio);
void report_differences_free (ReportDifferences * differences);
void report_differences_add_frames (ReportDifferences * differences,
    JsonObject * a, JsonObject * b, guint64 time);
void report_differences_add_summaries (ReportDifferences * differences,
    const ReportStreamSummary * a, const ReportStreamSummary * b,
    guint alerts);
gboolean report_differences_have (const ReportDifferences * differences,
    const gchar * pattern);
gboolean report_differences_want_any (const ReportDifferences * differences);
const gchar *report_differences_nearest (const ReportDifferences * differences,
    const gchar * name, guint * distance);
const GPtrArray *report_differences_sort (ReportDifferences * differences,
    guint * n_different);

G_END_DECLS

#endif /* REPORT_DIFFERENCES_H */
