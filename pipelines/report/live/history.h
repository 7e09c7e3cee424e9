/* The figures of an input over days, in bounded memory: rows of seconds, minutes and hours.
 *
 * A row has the least, the mean and the greatest of each figure in its time. The rows of each length are a ring; those of hours reach
 * back 90 days. One thread at a time may use a history.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_HISTORY_H
#define REPORT_HISTORY_H

#include <glib.h>

G_BEGIN_DECLS

/* FIGURE (identifier, name in JSON, unit, words for people) */
#define REPORT_LIVE_FIGURES(FIGURE) \
  FIGURE (LUMA_LEAST, "luma-min", "%", "darkest pixel") \
  FIGURE (LUMA_MEAN, "luma-mean", "%", "mean level") \
  FIGURE (LUMA_MOST, "luma-max", "%", "brightest pixel") \
  FIGURE (MOTION, "motion", "%", "difference to the frame before") \
  FIGURE (PEAK, "peak", "dBFS", "sample peak") \
  FIGURE (RMS, "rms", "dBFS", "RMS") \
  FIGURE (MOMENTARY, "momentary", "LUFS", "momentary loudness") \
  FIGURE (SHORT_TERM, "short-term", "LUFS", "short-term loudness")

#define REPORT_LIVE_FIGURE(identifier, ...) REPORT_LIVE_##identifier,
typedef enum
{
  REPORT_LIVE_FIGURES (REPORT_LIVE_FIGURE)
  REPORT_N_LIVE_FIGURES
} ReportLiveFigure;
#undef REPORT_LIVE_FIGURE

typedef struct
{
  const gchar *name, *unit, *words;
} ReportLiveFigureInfo;

extern const ReportLiveFigureInfo report_live_figures[REPORT_N_LIVE_FIGURES];

/* How long a row lasts. */
typedef enum
{
  REPORT_ROWS_OF_SECONDS,
  REPORT_ROWS_OF_MINUTES,
  REPORT_ROWS_OF_HOURS,
  REPORT_N_ROW_LENGTHS
} ReportRowLength;

/* The length in seconds, how many rows are kept, and the name in addresses. */
extern const struct _ReportRowLengthInfo
{
  const gchar *name;
  gint64 seconds;
  guint most;
} report_row_lengths[REPORT_N_ROW_LENGTHS];

typedef struct
{
  gfloat least, most;
  gdouble sum;
  guint n;                      /* 0: there is no value */
} ReportLiveRange;

typedef struct
{
  gint64 time;                  /* seconds since 1970 at which it begins */
  ReportLiveRange figures[REPORT_N_LIVE_FIGURES];
} ReportLiveRow;

typedef struct _ReportHistory ReportHistory;

ReportHistory *report_history_new (void);
void report_history_free (ReportHistory * history);
void report_history_add (ReportHistory * history, gint64 time, ReportLiveFigure figure, gdouble value);
GArray *report_history_list (const ReportHistory * history, ReportRowLength length, gint64 after);

G_END_DECLS

#endif /* REPORT_HISTORY_H */
