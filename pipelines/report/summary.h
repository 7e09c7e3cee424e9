/* What is known of an input after all of its results: per stream the counts, the merged histograms,
 * and the extremes and means of the figures.
 *
 * Summaries add up: report_summary_merge() gives what one input with all the frames would have
 * given. Counts, histograms, sums, extremes and all that follows from them are exact.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "cudahisto/cudahisto.h"

#include "problems.h"
#include "stream.h"

G_BEGIN_DECLS

/* A figure over all results that have it. */
typedef struct
{
  guint64 n;                    /* results that have it; 0: the others are not valid */
  gdouble min, max, sum, last;
} ReportRange;

static inline gdouble
report_range_mean (const ReportRange * range)
{
  return range->sum / range->n;
}

/* A component over all results. */
typedef struct
{
  const gchar *name;            /* interned: "Y", "saturation", "ch0" */
  HistoGroup group;
  /* Of all samples together. Until report_summary_finish() the mean, the variance and what follows
   * from the histogram are not valid. */
  HistoFigures figures;
  guint64 *counts;              /* the merged histogram: figures.bins numbers */
  gdouble squares;              /* Σ (x − mean)² of audio, which has no histogram of all values */
  ReportRange means;            /* of the single results: the darkest and the brightest frame */
} ReportComponent;

/* A region of video, or all channels of audio. */
typedef struct
{
  gchar *name;                  /* NULL: the whole picture */
  guint x, y, width, height;    /* in pixels, of the first result */
  GPtrArray *components;        /* (element-type ReportComponent) */
  ReportRange figures[HISTO_N_GROUP_FIGURES];   /* of the groups of video, as histo_group_figures */
  guint n_bits_used;            /* of native components; 0: unknown */
  guint bits_used[HISTO_MAX_COMPONENTS];        /* the greatest */
  /* Group `area`: the smallest box that has all active pictures; width 0: none is known. */
  gint area_x, area_y, area_width, area_height;
} ReportRegion;

/* A channel of audio. */
typedef struct
{
  ReportRange levels[HISTO_N_LEVEL_FIGURES];    /* of the windows, as histo_level_figures */
  gdouble arrays[HISTO_N_LOUDNESS_ARRAYS];      /* true peak and sample peak; NaN: unknown */
} ReportChannel;

/* The loudness of blocks is counted in bins of 0.1 LU from -70 LUFS on. */
#define REPORT_N_LOUDNESS_BINS 1000

typedef struct
{
  HistoAlert alert;
  gchar *place;                 /* component, channel or region; NULL: it has none */
  guint64 start;                /* in ns from the start of the stream; GST_CLOCK_TIME_NONE: unknown */
  guint64 end;                  /* the same; GST_CLOCK_TIME_NONE: the input ended before */
  gdouble value, threshold;     /* of the begin */
  gchar *input;                 /* of merged summaries: the name of the input; NULL: the only one */
} ReportAlert;

typedef struct
{
  ReportStream *stream;         /* a copy */
  guint groups;                 /* flags of the groups that some result has */
  guint64 n_results;            /* frames, or windows of sound */
  guint64 n_samples;            /* audio: of one channel */
  /* Stream time of the container in ns at which the results begin and end; GST_CLOCK_TIME_NONE: unknown.
   * All other times of the stream count from start. */
  guint64 start, end;
  const gchar *backend;         /* interned: "cuda" or "cpu"; NULL: no result */
  GPtrArray *regions;           /* (element-type ReportRegion); [0] is the whole picture */
  /* Audio. */
  guint n_channels;
  ReportChannel *channels;
  ReportRange loudness[HISTO_N_LOUDNESS_FIGURES];       /* as histo_loudness_figures */
  gboolean is_merged;           /* of several inputs: integrated and range come from the blocks */
  guint64 *momentary, *short_term;      /* blocks by loudness: REPORT_N_LOUDNESS_BINS numbers */
  GPtrArray *alerts;            /* (element-type ReportAlert), in the order of their begins */
} ReportStreamSummary;

typedef struct
{
  gchar *name;                  /* of the input, as the user wrote it */
  gchar *uri;                   /* NULL: of several inputs */
  /* Of the file in bytes, and when it was changed, in ns since 1970; GST_CLOCK_TIME_NONE: unknown, or it
   * is no local file */
  guint64 input_size, input_mtime;
  gchar *settings;              /* with which it was measured, as text; NULL: unknown */
  guint64 n_inputs;             /* 1, or the number of merged ones */
  guint alerts;                 /* flags of the alerts that were watched */
  /* Of the input in ns, from its first timestamp on: what was measured, or else what the container says;
   * GST_CLOCK_TIME_NONE: unknown */
  guint64 duration;
  gboolean is_complete;         /* FALSE: measuring was interrupted, or an error ended it */
  gchar *problem;               /* the first of the problems, as text; NULL: there is none */
  GPtrArray *problems;          /* (element-type ReportProblem): what is wrong with the input */
  gdouble seconds;              /* that measuring took */
  GPtrArray *streams;           /* (element-type ReportStreamSummary) */
} ReportSummary;

ReportSummary *report_summary_new (const gchar * name);
void report_summary_free (ReportSummary * summary);
void report_summary_add_problem (ReportSummary * summary,
    const ReportProblem * problem);
ReportStreamSummary *report_summary_add_stream (ReportSummary * summary,
    const ReportStream * stream);
guint64 report_stream_summary_count (ReportStreamSummary * summary,
    guint64 stream_time);
guint64 report_stream_summary_length (const ReportStreamSummary * summary);
guint64 report_summary_length (const ReportSummary * summary);
guint64 report_summary_delay (const ReportSummary * summary,
    const ReportStreamSummary * stream, const ReportStreamSummary ** first);
void report_summary_add_result (ReportStreamSummary * summary,
    const HistoResult * result, const HistoTimes * times);
void report_summary_add_alert (ReportStreamSummary * summary,
    const HistoAlertEvent * event);
void report_summary_finish (ReportSummary * summary);
gboolean report_summary_merge (ReportSummary * all,
    const ReportSummary * summary, GError ** error);

ReportRegion *report_stream_summary_add_region (ReportStreamSummary * summary,
    const gchar * name);
ReportComponent *report_region_add_component (ReportRegion * region,
    const gchar * name, HistoGroup group, guint bins, gdouble range_min,
    gdouble range_max);
ReportAlert *report_stream_summary_add_alert (ReportStreamSummary * summary,
    HistoAlert type, const gchar * place);
void report_stream_summary_set_channels (ReportStreamSummary * summary,
    guint n_channels);
void report_region_add_area (ReportRegion * region, gint x, gint y, gint width,
    gint height);
void report_component_add_figures (ReportComponent * component,
    const HistoFigures * figures);
void report_range_add (ReportRange * range, gdouble number);
ReportComponent *report_region_find_bins (const ReportRegion * region,
    const gchar * name, HistoGroup group, const HistoFigures * figures,
    guint hint);
const ReportComponent *report_region_find (const ReportRegion * region,
    HistoGroup group, const gchar * name);

G_END_DECLS

#endif /* REPORT_SUMMARY_H */
