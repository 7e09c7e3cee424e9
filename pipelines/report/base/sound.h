/* What the windows of sound say together of pairs of channels, and when a channel is silent, or a pair is inverted or
 * dual mono.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SOUND_H
#define REPORT_SOUND_H

#include "cudahisto/cudahisto.h"
#include "cudahisto/range.h"
#include "cudahisto/power.h"
#include "base/objects.h"
#include "measures/level-pairs.h"

#include <math.h>

G_BEGIN_DECLS

/* Samples that are neither NaN nor infinite. */
static inline gdouble
report_figures_finite (const HistoFigures * figures)
{
  return (gdouble) (figures->count - figures->nan - figures->inf);
}

/* Returns: a sample of sound as a share of full scale. The bins are those of the format: from minus to plus full scale. */
static inline gdouble
report_figures_share (const HistoFigures * figures, gdouble sample)
{
  return (sample - (figures->range_max + figures->range_min) / 2)
      / ((figures->range_max - figures->range_min) / 2);
}

/* Returns: the greatest sample of sound as a share of full scale, whatever its sign */
static inline gdouble
report_figures_peak (const HistoFigures * figures)
{
  return fmax (fabs (report_figures_share (figures, figures->min)), fabs (report_figures_share (figures, figures->max)));
}

/* Returns: the square of the RMS as a share of full scale */
static inline gdouble
report_figures_power (const HistoFigures * figures)
{
  return histo_figures_power (figures, (figures->range_max + figures->range_min) / 2,
      (figures->range_max - figures->range_min) / 2);
}

/* Two channels that belong together, over all windows. */
typedef struct
{
  gchar *first, *second;        /* names of the channels: "ch0" */
  HistoLevelPairSums sums;      /* of samples as shares of full scale; max_difference is not set */
  HistoRange figures[HISTO_N_PAIR_FIGURES];    /* of the windows, as histo_pair_figures */
} ReportPair;

extern const ReportShape report_pair_shape;

/* @pairs: (element-type ReportPair) */
void report_pairs_add_result (GPtrArray * pairs, const HistoResult * result);
void report_pair_get_whole (const ReportPair * pair,
    HistoPairFigures * figures);

typedef enum
{
  REPORT_SILENT,                /* a channel */
  REPORT_INVERTED,              /* a pair, as these two */
  REPORT_DUAL_MONO,
  REPORT_N_SOUND_STATES
} ReportSoundState;

/* A time of at least 2 s in which a channel or a pair has the state. */
typedef struct
{
  ReportSoundState state;
  gchar *first, *second;        /* names of the channels; second: NULL: one channel */
  guint64 start, end;           /* ns from the start of the stream */
  gchar *input;                 /* of merged summaries: the name of the input; NULL: the only one */
} ReportSoundSpan;

extern const ReportShape report_sound_span_shape;

/* The spans, and those that the latest window belongs to. */
typedef struct
{
  GPtrArray *spans;             /* (element-type ReportSoundSpan), in the order in which they were found */
  GArray *runs;                 /* private */
  guint n_channels, n_pairs;    /* of the runs */
  guint64 end;                  /* of the last window; 0: there is none */
} ReportSoundSpans;

void report_sound_spans_init (ReportSoundSpans * spans);
void report_sound_spans_clear (ReportSoundSpans * spans);
void report_sound_spans_add_result (ReportSoundSpans * spans,
    const HistoResult * result, const HistoTimes * times);

G_END_DECLS

#endif /* REPORT_SOUND_H */
