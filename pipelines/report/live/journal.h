/* The notices of an input that goes on, each with its begin and its end on the clock.
 *
 * The notices of a summary are made anew again and again. The journal tells which of their spans it knows already, which have begun
 * and which have ended. One thread at a time may use a journal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_JOURNAL_H
#define REPORT_JOURNAL_H

#include "summary/notice.h"

G_BEGIN_DECLS

/* So many notices of an input are kept, the latest ones. */
#define REPORT_MOST_ENTRIES 200

typedef struct
{
  guint64 number;               /* from 1 on: no other one of the input has it */
  gchar *key;                   /* what it is of */
  ReportCheck check;
  ReportSeverity severity;
  gint stream;                  /* index; -1: the input */
  gchar *text;                  /* UTF-8, may have any characters */
  gint64 begin;                 /* µs since 1970 */
  gint64 end;                   /* the same; 0: it goes on */
  gint64 latest;                /* until when it is known to last */
  gboolean is_moment;           /* it has no length that is known */
  GBytes *picture;              /* JPEG of its begin; NULL: none */
  gint64 picture_time;          /* of it */
  gboolean is_seen, goes_on;    /* private: of the notices that are taken */
} ReportEntry;

/* How the times of notices become times of the clock. */
typedef struct
{
  gint64 anchor;                /* µs since 1970 of the stream time 0 */
  guint64 position;             /* ns: up to which the input is measured */
  const guint64 *positions;     /* the same of each stream: they do not come at one time */
  guint n_streams;
  gboolean is_over;             /* no result follows: what has an end has ended */
  gboolean is_settling;         /* the summary has just begun: what it does not have yet has not ended */
} ReportJournalTimes;

typedef struct _ReportJournal ReportJournal;

/* An entry has begun, or ended. */
typedef void (*ReportJournalFunc) (gpointer data, ReportEntry * entry, gboolean has_ended);

ReportJournal *report_journal_new (ReportJournalFunc func, gpointer data);
void report_journal_free (ReportJournal * journal);
void report_journal_take (ReportJournal * journal, const GPtrArray * notices, const ReportJournalTimes * times);
void report_journal_close (ReportJournal * journal);
const GPtrArray *report_journal_entries (const ReportJournal * journal);
guint64 report_journal_begun (const ReportJournal * journal, ReportNoticeKind kind);
guint64 report_journal_version (const ReportJournal * journal);

G_END_DECLS

#endif /* REPORT_JOURNAL_H */
