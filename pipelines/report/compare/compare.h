/* --compare: two inputs, or two JSON reports, side by side.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "compare/match.h"
#include "compare/pass.h"
#include "compare/tolerance.h"
#include "writers/formats.h"
#include "writers/policy-files.h"

G_BEGIN_DECLS

/* What a stream is, where the two are not the same. */
typedef struct
{
  const gchar *name;            /* "size" */
  gchar *a, *b;                 /* NULL: unknown */
} ReportFactDifference;

/* What a comparison says: a greater one wins. */
typedef enum
{
  REPORT_VERDICT_SAME,          /* all frames and samples have a counterpart, and are equal */
  REPORT_VERDICT_WITHIN_TOLERANCE,
  REPORT_VERDICT_EQUAL_FIGURES, /* pictures or samples were not compared */
  REPORT_VERDICT_DIFFERENT,
  REPORT_N_COMPARISON_VERDICTS
} ReportVerdict;

/* compare-page.c */
extern const gchar *const report_comparison_verdict_words[REPORT_N_COMPARISON_VERDICTS];

/* Two streams, or one without a counterpart. */
typedef struct
{
  const ReportStreamSummary *streams[2];        /* NULL: there is none; then nothing is compared */
  gboolean has_frames;          /* both files have the results; FALSE: only the summaries are compared */
  gboolean are_paired;          /* by their pictures; FALSE: by their times */
  ReportMatch match;
  gint64 shift;                 /* ns: how much later than A's the start of B's stream is */
  GPtrArray *facts;             /* (element-type ReportFactDifference) */
  GPtrArray *notes;             /* (element-type utf8): sentences without their full stops */
  ReportDifferences *differences;
  const GPtrArray *figures;     /* (element-type ReportDifference): the worst first */
  guint n_different;            /* of the figures */
  gboolean are_results_missing; /* for longer than the tolerance */
  gboolean is_unknown;          /* none of the figures that were to be compared could be */
  const ReportPicturesResult *pictures; /* NULL: they are not compared, or it is sound */
  const ReportSoundDifference *sound;   /* NULL: it is not compared, or there are pictures */
  ReportVerdict verdict;
  GPtrArray *reasons;           /* (element-type utf8): why it is different, the weightiest first */
  gchar *refusal;               /* why pictures or samples are not compared; NULL: they are, or no input has them */
  gchar *shown;                 /* facts that make a player show the same samples otherwise; NULL: none */
} ReportStreamComparison;

typedef struct
{
  const ReportSummary *inputs[2];
  const ReportToleranceSettings *settings;
  GPtrArray *notes;             /* (element-type utf8) */
  GPtrArray *streams;           /* (element-type ReportStreamComparison), in the order of A */
  gchar *refusal;               /* why no pictures are compared; NULL: they are, or there are none */
  gchar *sound_refusal;         /* the same of sound */
  ReportVerdict verdict;
  ReportSummary *checked;       /* what policies say of it */
} ReportComparison;

/* An input that has been measured. */
typedef struct
{
  const gchar *name;            /* for errors */
  const gchar *path;            /* of what --json wrote of it */
  const ReportSummary *summary;
} ReportCompareSide;

gboolean report_compare (const ReportCompareSide sides[2], const ReportPass * pass,
    const ReportToleranceSettings * settings, const GPtrArray * policies, const ReportFormat * format,
    GOutputStream * to, GOutputStream * page, ReportChecks * checks, gboolean * is_written, gboolean * is_different,
    GError ** error);

/* compare-writer.c */
gboolean report_comparison_write (const ReportComparison * comparison,
    const ReportFormat * format, GOutputStream * to, GOutputStream * page, GError ** error);

G_END_DECLS

#endif /* REPORT_COMPARE_H */
