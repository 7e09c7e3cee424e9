/* How an input that goes on is: its state, figures, notices and pictures of now and of before.
 *
 * One thread measures the input and writes this; any thread reads it, and waits for no more than a copy.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_LIVE_STATE_H
#define REPORT_LIVE_STATE_H

#include "live/history.h"
#include "live/journal.h"
#include "live/play.h"
#include "summary/summary.h"

G_BEGIN_DECLS

#define REPORT_LIVE_STATES(STATE) \
  STATE (CONNECTING, "connecting") \
  STATE (RUNNING, "running") \
  STATE (STALLED, "stalled")    /* it is connected, and nothing comes */ \
  STATE (WAITING, "waiting")    /* it was lost, and is tried again after a pause */ \
  STATE (ENDED, "ended")        /* a file is over */

#define REPORT_LIVE_STATE(identifier, name) REPORT_LIVE_##identifier,
typedef enum
{
  REPORT_LIVE_STATES (REPORT_LIVE_STATE)
  REPORT_N_LIVE_STATES
} ReportLiveState;
#undef REPORT_LIVE_STATE

extern const gchar *const report_live_state_names[REPORT_N_LIVE_STATES];

/* Channels of a stream whose levels are shown. */
#define REPORT_MOST_METERS 16
/* Pictures that are kept, one of each second. */
#define REPORT_MOST_LIVE_PICTURES 600

/* The latest figures of a stream; NaN: there is none. */
typedef struct
{
  gboolean is_audio;
  gchar *title, *facts;         /* UTF-8, may have any characters: "audio 1 (eng)", "1920x1080, 25 frames/s" */
  gdouble luma_least, luma_mean, luma_most;     /* of the whole picture, in percent of the greatest code */
  guint n_channels;             /* that have levels */
  gdouble peaks[REPORT_MOST_METERS], rms[REPORT_MOST_METERS];   /* dBFS, of the latest window */
  gdouble momentary, short_term, integrated, range;     /* LUFS and LU */
  guint64 n_results;            /* since the connection began: frames, or windows of sound */
  guint64 n_gaps;               /* the same */
  ReportPlayCounts counts;      /* the same */
} ReportLiveStream;

/* A copy of the numbers of an input. */
typedef struct
{
  ReportLiveState state;
  guint64 n_connections;
  gint64 latest;                /* µs since 1970 of the latest result; 0: there was none */
  guint64 n_begun[REPORT_N_NOTICE_KINDS];
  gboolean is_open[REPORT_N_NOTICE_KINDS];
  guint n_streams;
  ReportLiveStream streams[REPORT_MOST_PLAYED]; /* with texts of their own */
} ReportLiveNumbers;

typedef struct _ReportLive ReportLive;

/* Called with a line of JSON for each notice that begins or ends, and each change of the state, in the thread that measures. */
typedef void (*ReportLiveTell) (gpointer data, const gchar * line);

ReportLive *report_live_new (const gchar * name, guint index, ReportLiveTell tell, gpointer data);
void report_live_free (ReportLive * live);

/* Writing. */
void report_live_set_state (ReportLive * live, ReportLiveState state, const gchar * text, gint64 next);
void report_live_connect (ReportLive * live);
void report_live_add (ReportLive * live, gint64 time, const gdouble values[REPORT_N_LIVE_FIGURES]);
void report_live_add_picture (ReportLive * live, gint64 time, GBytes * jpeg);
void report_live_set_streams (ReportLive * live, const ReportLiveStream * streams, guint n, gint64 latest);
void report_live_take (ReportLive * live, const ReportSummary * summary, const ReportJournalTimes * times);

/* Reading. Texts are JSON, to be freed. */
const gchar *report_live_name (const ReportLive * live);
guint64 report_live_version (ReportLive * live);
gchar *report_live_describe (ReportLive * live);
gchar *report_live_list_notices (ReportLive * live);
gchar *report_live_list_rows (ReportLive * live, ReportRowLength length, gint64 after, gint64 * latest);
gchar *report_live_list_pictures (ReportLive * live);
GBytes *report_live_picture (ReportLive * live, gint64 time);
GBytes *report_live_picture_of (ReportLive * live, guint64 number);
ReportLiveNumbers *report_live_read (ReportLive * live);
void report_live_numbers_free (ReportLiveNumbers * numbers);

G_END_DECLS

#endif /* REPORT_LIVE_STATE_H */
