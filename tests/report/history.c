/* What --serve keeps of days: rows that are thinned, and notices with begin and end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/guard.h"
#include "live/history.h"
#include "live/journal.h"

#include <gst/check/gstcheck.h>
#include <math.h>

#define BEGIN G_GINT64_CONSTANT (1800000000)    /* a full hour, in seconds since 1970 */

/* 100 days of a value that is the hour of the day, and once a minute 100. */
GST_START_TEST (test_days)
{
  ReportHistory *history = report_history_new ();
  const gint64 n = 100 * 24 * 3600;

  for (gint64 second = 0; second < n; second++)
    report_history_add (history, (BEGIN + second) * G_USEC_PER_SEC, REPORT_LIVE_PEAK, second % 60 == 7 ? 100 : second / 3600 % 24);
  for (guint length = 0; length < REPORT_N_ROW_LENGTHS; length++) {
    g_autoptr (GArray) rows = report_history_list (history, length, 0);
    const gint64 seconds = report_row_lengths[length].seconds;

    fail_unless (rows->len >= report_row_lengths[length].most - 1 && rows->len <= report_row_lengths[length].most);
    for (guint i = 0; i < rows->len; i++) {
      const ReportLiveRow *row = &g_array_index (rows, ReportLiveRow, i);
      const ReportLiveRange *range = &row->figures[REPORT_LIVE_PEAK];

      fail_unless_equals_int64 (row->time % seconds, 0);
      fail_unless (i == 0 || row->time == row[-1].time + seconds);
      fail_unless_equals_int (range->n, seconds);
      fail_unless_equals_int (row->figures[REPORT_LIVE_RMS].n, 0);
      if (length == REPORT_ROWS_OF_SECONDS)
        continue;
      /* A peak of one second is there in the row of an hour, too. */
      fail_unless_equals_float (range->most, 100);
      fail_unless_equals_float (range->least, (row->time - BEGIN) / 3600 % 24);
    }
  }
  report_history_free (history);
}

GST_END_TEST;

/* What a client has already is not listed again; a clock that is set back loses nothing. */
GST_START_TEST (test_after)
{
  ReportHistory *history = report_history_new ();
  g_autoptr (GArray) rows = NULL, none = NULL;

  for (gint64 second = 0; second < 20; second++)
    report_history_add (history, (BEGIN + second) * G_USEC_PER_SEC, REPORT_LIVE_RMS, second);
  report_history_add (history, (BEGIN + 3) * G_USEC_PER_SEC, REPORT_LIVE_RMS, -1);
  report_history_add (history, (BEGIN + 20) * G_USEC_PER_SEC, REPORT_LIVE_RMS, NAN);
  report_history_add (history, (BEGIN + 21) * G_USEC_PER_SEC, REPORT_LIVE_RMS, 21);
  rows = report_history_list (history, REPORT_ROWS_OF_SECONDS, BEGIN + 15);
  fail_unless_equals_int (rows->len, 4);
  fail_unless_equals_int64 (g_array_index (rows, ReportLiveRow, 0).time, BEGIN + 16);
  fail_unless_equals_float (g_array_index (rows, ReportLiveRow, 3).figures[REPORT_LIVE_RMS].least, -1);
  none = report_history_list (history, REPORT_ROWS_OF_SECONDS, BEGIN + 19);
  fail_unless_equals_int (none->len, 0);
  report_history_free (history);
}

GST_END_TEST;

/* ---- Notices ---------------------------------------------------------------------------------- */

static guint n_begun, n_ended;
static gint64 latest_end;

static void
count (gpointer data, ReportEntry * entry, gboolean has_ended)
{
  n_begun += !has_ended;
  n_ended += has_ended;
  if (has_ended)
    latest_end = entry->end;
}

/* The notices of a moment: black in these spans, in seconds; the last one without an end if it is 0. */
static void
take (ReportJournal * journal, guint64 position, guint n, const guint64 (*spans)[2], gboolean is_settling)
{
  const guint64 positions[] = { position * GST_SECOND };
  const ReportJournalTimes times = { BEGIN * G_USEC_PER_SEC, position * GST_SECOND, positions, 1, FALSE, is_settling };
  g_autoptr (GPtrArray) notices = report_notices_new ();
  ReportNotice *notice = report_notices_add (notices, REPORT_CHECK_BLACK, REPORT_SEVERITY_WARN, 0, g_strdup ("black"));

  for (guint i = 0; i < n; i++)
    report_notice_spans_add (notice->spans, NULL, spans[i][0] * GST_SECOND,
        spans[i][1] != 0 ? spans[i][1] * GST_SECOND : GST_CLOCK_TIME_NONE);
  if (n == 0)
    g_ptr_array_set_size (notices, 0);
  report_journal_take (journal, notices, &times);
}

GST_START_TEST (test_spans)
{
  ReportJournal *journal = report_journal_new (count, NULL);

  n_begun = n_ended = 0;
  take (journal, 1, 0, NULL, FALSE);
  take (journal, 4, 1, (const guint64[][2]) {{2, 0}}, FALSE);
  take (journal, 6, 1, (const guint64[][2]) {{2, 6}}, FALSE);
  fail_unless_equals_int (n_begun, 1);
  fail_unless_equals_int (n_ended, 0);
  take (journal, 8, 1, (const guint64[][2]) {{2, 7}}, FALSE);
  fail_unless_equals_int (n_ended, 1);
  fail_unless_equals_int64 (latest_end, (BEGIN + 7) * G_USEC_PER_SEC);
  take (journal, 30, 2, (const guint64[][2]) {{2, 7}, {20, 0}}, FALSE);
  fail_unless_equals_int (n_begun, 2);
  /* A new chapter does not know the begin. */
  take (journal, 31, 0, NULL, TRUE);
  take (journal, 32, 1, (const guint64[][2]) {{30, 0}}, FALSE);
  fail_unless_equals_int (n_begun, 2);
  fail_unless_equals_int (n_ended, 1);
  take (journal, 40, 0, NULL, FALSE);
  fail_unless_equals_int (n_ended, 2);
  fail_unless_equals_int64 (latest_end, (BEGIN + 32) * G_USEC_PER_SEC);
  fail_unless_equals_uint64 (report_journal_begun (journal, REPORT_NOTICE_BLACK), 2);
  /* One that has ended touches one that goes on: both are one notice, and it ends once. */
  for (guint i = 0; i < 3; i++)
    take (journal, 56 + i, 2, (const guint64[][2]) {{50, 55}, {55, 0}}, FALSE);
  fail_unless_equals_int (n_begun, 3);
  fail_unless_equals_int (n_ended, 2);
  for (guint i = 0; i < 3; i++)
    take (journal, 66 + i, 2, (const guint64[][2]) {{50, 55}, {55, 60}}, FALSE);
  fail_unless_equals_int (n_ended, 3);
  fail_unless_equals_int64 (latest_end, (BEGIN + 60) * G_USEC_PER_SEC);
  report_journal_free (journal);
}

GST_END_TEST;

/* However many there are, the latest ones are kept, and none is told twice. */
GST_START_TEST (test_many)
{
  ReportJournal *journal = report_journal_new (count, NULL);

  n_begun = n_ended = 0;
  for (guint64 i = 1; i <= 5000; i++) {
    const guint64 spans[][2] = { {i > 10 ? 10 * i - 95 : 1, i > 10 ? 10 * i - 94 : 2}, {10 * i, 10 * i + 2} };

    take (journal, 10 * i + 5, 2, spans, FALSE);
  }
  fail_unless_equals_int (n_begun, n_ended);
  fail_unless_equals_int (report_journal_entries (journal)->len, REPORT_MOST_ENTRIES);
  fail_unless (n_begun <= 5001, "%u", n_begun);
  report_journal_free (journal);
}

GST_END_TEST;

/* ---- Clients ---------------------------------------------------------------------------------- */

GST_START_TEST (test_rate)
{
  ReportGuard *guard = report_guard_new (NULL, NULL);
  gint64 now = G_USEC_PER_SEC;
  guint n = 0;

  /* One that never rests is refused; another one is not. */
  for (guint i = 0; i < 10000; i++)
    n += report_guard_takes_connection (guard, "192.0.2.1", now) && report_guard_takes_request (guard, "192.0.2.1");
  fail_unless (n >= 300 && n <= 500, "%u", n);
  fail_unless (report_guard_takes_connection (guard, "192.0.2.2", now) && report_guard_takes_request (guard, "192.0.2.2"));
  now += 10 * G_USEC_PER_SEC;
  fail_unless (report_guard_takes_connection (guard, "192.0.2.1", now) && report_guard_takes_request (guard, "192.0.2.1"));
  /* Addresses without end do not fill the memory, and are let in again later. */
  for (guint i = 0; i < 100000; i++) {
    g_autofree gchar *address = g_strdup_printf ("2001:db8::%x", i);

    report_guard_takes_connection (guard, address, now);
  }
  now += 10 * G_USEC_PER_SEC;
  fail_unless (report_guard_takes_connection (guard, "192.0.2.3", now));
  report_guard_free (guard);
}

GST_END_TEST;

static Suite *
history_suite (void)
{
  Suite *suite = suite_create ("history");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_test (tests, test_days);
  tcase_add_test (tests, test_after);
  tcase_add_test (tests, test_spans);
  tcase_add_test (tests, test_many);
  tcase_add_test (tests, test_rate);
  return suite;
}

GST_CHECK_MAIN (history);
