/* Notices with begin and end; see journal.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/journal.h"

/* A span whose end is as near to the latest result goes on: figures come in windows of 0.1 s. */
#define LEAST_AFTER (G_USEC_PER_SEC * 3 / 10)
/* Spans of one kind that are as near to each other are one: the begin of an alert may be found out later. */
#define LEAST_BETWEEN (G_USEC_PER_SEC / 2)
/* What ended so long ago was told, and may have gone to make room. */
#define MOST_AGO (60 * G_USEC_PER_SEC)
/* What has no length is not told again in this time. */
#define SILENCE_AFTER_MOMENT (600 * G_USEC_PER_SEC)

struct _ReportJournal
{
  ReportJournalFunc func;
  gpointer data;
  GPtrArray *entries;           /* (element-type ReportEntry): the oldest one first */
  guint64 n_begun[REPORT_N_NOTICE_KINDS], n, version;
};

static void
entry_free (gpointer data)
{
  ReportEntry *entry = data;

  g_free (entry->key);
  g_free (entry->text);
  g_clear_pointer (&entry->picture, g_bytes_unref);
  g_free (entry);
}

/* @func: called for each entry that begins or ends */
ReportJournal *
report_journal_new (ReportJournalFunc func, gpointer data)
{
  ReportJournal *journal = g_new0 (ReportJournal, 1);

  journal->func = func;
  journal->data = data;
  journal->entries = g_ptr_array_new_with_free_func (entry_free);
  return journal;
}

void
report_journal_free (ReportJournal * journal)
{
  g_ptr_array_unref (journal->entries);
  g_free (journal);
}

/* Returns: (transfer full) */
static gchar *
make_key (const ReportNotice * notice, const ReportNoticeSpan * span)
{
  return g_strdup_printf ("%d %d %s\n%s\n%s", (gint) notice->check, notice->stream, notice->region != NULL ? notice->region : "",
      notice->which != NULL ? notice->which : "", span != NULL && span->what != NULL ? span->what : "");
}

/* The latest one that touches the time, or of a moment the latest one of all. */
static ReportEntry *
find_entry (const ReportJournal * journal, const gchar * key, gint64 begin, gint64 end, gboolean is_moment)
{
  for (guint i = journal->entries->len; i-- > 0;) {
    ReportEntry *entry = journal->entries->pdata[i];

    if (!g_str_equal (entry->key, key))
      continue;
    if (is_moment ? begin - entry->begin < SILENCE_AFTER_MOMENT :
        begin <= entry->latest + LEAST_BETWEEN && end >= entry->begin - LEAST_BETWEEN)
      return entry;
  }
  return NULL;
}

/* Makes room: the oldest one that has ended goes. */
static void
limit (ReportJournal * journal)
{
  guint oldest = 0;

  if (journal->entries->len < REPORT_MOST_ENTRIES)
    return;
  while (oldest + 1 < journal->entries->len && ((const ReportEntry *) journal->entries->pdata[oldest])->end == 0)
    oldest++;
  g_ptr_array_remove_index (journal->entries, oldest);
}

static void
tell (ReportJournal * journal, ReportEntry * entry, gboolean has_ended)
{
  journal->version++;
  journal->func (journal->data, entry, has_ended);
}

static void
end_entry (ReportJournal * journal, ReportEntry * entry, gint64 end)
{
  entry->end = MAX (end, entry->begin);
  entry->latest = entry->end;
  tell (journal, entry, TRUE);
}

/* @key: (transfer full) */
static ReportEntry *
add_entry (ReportJournal * journal, const ReportNotice * notice, gchar * key, gint64 begin)
{
  ReportEntry *entry = g_new0 (ReportEntry, 1);

  limit (journal);
  entry->number = ++journal->n;
  entry->key = key;
  entry->check = notice->check;
  entry->severity = notice->severity;
  entry->stream = notice->stream;
  entry->text = g_strdup (notice->brief != NULL ? notice->brief : notice->text);
  entry->begin = entry->latest = begin;
  g_ptr_array_add (journal->entries, entry);
  journal->n_begun[notice->kind]++;
  return entry;
}

static gint64
to_clock (const ReportJournalTimes * times, guint64 time)
{
  return times->anchor + (gint64) (time / 1000);
}

/* A span of a notice: it is new, it has changed, or nothing has. */
static void
take_span (ReportJournal * journal, const ReportNotice * notice, const ReportNoticeSpan * span, const ReportJournalTimes * times)
{
  const gint64 now = to_clock (times, notice->stream >= 0 && (guint) notice->stream < times->n_streams ?
      times->positions[notice->stream] : times->position);
  const gboolean has_end = GST_CLOCK_TIME_IS_VALID (span->end) || span->is_moment;
  const gint64 begin = to_clock (times, span->start);
  const gint64 end = !has_end ? now : span->is_moment ? begin : to_clock (times, MAX (span->end, span->start));
  const gboolean goes_on = !span->is_moment && (!has_end || (!times->is_over && end + LEAST_AFTER >= now));
  gchar *key = make_key (notice, span);
  ReportEntry *entry = find_entry (journal, key, begin, end, FALSE);

  if (entry == NULL && !goes_on && end + MOST_AGO < now) {
    g_free (key);
    return;
  }
  if (entry == NULL) {
    entry = add_entry (journal, notice, g_steal_pointer (&key), begin);
    tell (journal, entry, FALSE);
  }
  g_free (key);
  entry->is_seen = TRUE;
  entry->latest = MAX (entry->latest, goes_on ? MIN (end, MAX (now, begin)) : end);
  /* A span that has ended may touch one that goes on. */
  entry->goes_on = entry->goes_on || goes_on;
  if (goes_on)
    entry->end = 0;
}

/* A notice that only a figure shows, such as a true peak. */
static void
take_moment (ReportJournal * journal, const ReportNotice * notice, const ReportJournalTimes * times)
{
  const gint64 begin = to_clock (times, GST_CLOCK_TIME_IS_VALID (notice->value_time) ? notice->value_time : times->position);
  gchar *key = make_key (notice, NULL);
  ReportEntry *entry = find_entry (journal, key, begin, begin, TRUE);

  if (entry != NULL) {
    g_free (key);
    entry->is_seen = TRUE;
    return;
  }
  entry = add_entry (journal, notice, key, begin);
  entry->is_moment = entry->is_seen = TRUE;
  tell (journal, entry, FALSE);
  end_entry (journal, entry, begin);
}

/**
 * report_journal_take:
 * @notices: (element-type ReportNotice): of the input as it is now
 */
void
report_journal_take (ReportJournal * journal, const GPtrArray * notices, const ReportJournalTimes * times)
{
  for (guint i = 0; i < journal->entries->len; i++) {
    ReportEntry *entry = journal->entries->pdata[i];

    entry->is_seen = entry->goes_on = FALSE;
  }
  for (guint i = 0; i < notices->len; i++) {
    const ReportNotice *notice = notices->pdata[i];

    if (notice->severity == REPORT_SEVERITY_NOTE)
      continue;
    if (notice->spans->len == 0)
      take_moment (journal, notice, times);
    for (guint k = 0; k < notice->spans->len; k++)
      take_span (journal, notice, notice->spans->pdata[k], times);
  }
  for (guint i = 0; i < journal->entries->len; i++) {
    ReportEntry *entry = journal->entries->pdata[i];

    if (entry->end == 0 && (entry->is_seen ? !entry->goes_on : !times->is_settling))
      end_entry (journal, entry, entry->latest);
  }
}

/* Ends all that goes on: the input has no more results. */
void
report_journal_close (ReportJournal * journal)
{
  for (guint i = 0; i < journal->entries->len; i++) {
    ReportEntry *entry = journal->entries->pdata[i];

    if (entry->end == 0)
      end_entry (journal, entry, entry->latest);
  }
}

/* Returns: (transfer none) (element-type ReportEntry): the oldest one first */
const GPtrArray *
report_journal_entries (const ReportJournal * journal)
{
  return journal->entries;
}

/* Returns: how many of a kind have begun since the journal is there */
guint64
report_journal_begun (const ReportJournal * journal, ReportNoticeKind kind)
{
  return journal->n_begun[kind];
}

/* Returns: another number after each change */
guint64
report_journal_version (const ReportJournal * journal)
{
  return journal->version;
}
