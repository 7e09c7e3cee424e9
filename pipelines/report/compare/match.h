/* Walks two JSON reports in step, and finds the results that belong together: those that have the same time, or those of frames
 * whose pictures do.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_MATCH_H
#define REPORT_MATCH_H

#include <gio/gio.h>

#include "compare/differences.h"

G_BEGIN_DECLS

/* Results of one stream that have no counterpart in the other one. */
typedef struct
{
  guint64 n;
  guint64 length;               /* ns: that of all of them */
  guint64 first, last;          /* ns from the start of the stream: the begin of the first, the end of the last one */
} ReportUnmatched;

typedef struct
{
  guint64 n;                    /* pairs of results */
  guint64 n_results[2];         /* of each stream */
  ReportUnmatched unmatched[2];
} ReportMatch;

/* A stream in a file that --json wrote. */
typedef struct
{
  const gchar *name;            /* for errors */
  const gchar *path;
  guint stream;
  gboolean is_audio;
  gint64 shift;                 /* ns that are added to its times before they are compared */
} ReportMatchSide;

/* Two frames that belong together: their times, in ns from the starts of their streams. */
typedef struct
{
  guint64 times[2];
} ReportMatchPair;

gboolean report_match (const ReportMatchSide sides[2], const GArray * pairs,
    ReportDifferences * differences, ReportMatch * match, GError ** error);

G_END_DECLS

#endif /* REPORT_MATCH_H */
