/* Signs of life: what works or is starved does not stand still.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/interrupt.h"
#include "base/life.h"

#include <gst/check/gstcheck.h>
#include <sys/wait.h>
#include <unistd.h>

static gint must_stop;

static gpointer
work (gpointer data)
{
  while (!g_atomic_int_get (&must_stop));
  return NULL;
}

GST_START_TEST (test_quiet)
{
  ReportLife life = { 0 };

  report_life_begin (&life);
  for (guint i = 1; i <= 5; i++) {
    g_usleep (1000);
    report_life_tick (&life);
    fail_unless_equals_int (life.n_quiet, i);
  }
  report_life_begin (&life);
  fail_unless_equals_int (life.n_quiet, 0);
}

GST_END_TEST;

/* However busy the machine is, the thread works or waits for a processor. */
GST_START_TEST (test_work)
{
  ReportLife life = { 0 };
  GThread *thread;

  report_life_begin (&life);
  g_atomic_int_set (&must_stop, FALSE);
  thread = g_thread_new ("work", work, NULL);
  for (guint i = 0; i < 20; i++) {
    g_usleep (1000);
    report_life_tick (&life);
    fail_unless_equals_int (life.n_quiet, 0);
  }
  g_atomic_int_set (&must_stop, TRUE);
  g_thread_join (thread);
  fail_unless (report_life_used (&life) > 0);
}

GST_END_TEST;

/* A process that is stopped makes no ticks, however long that is. */
GST_START_TEST (test_stopped)
{
  ReportLife life = { 0 };
  pid_t child = fork ();

  if (child == 0) {
    report_life_begin (&life);
    kill (getpid (), SIGSTOP);
    report_life_tick (&life);
    _exit (life.n_quiet);
  } else {
    gint status = 0;

    fail_unless (waitpid (child, &status, WUNTRACED) == child);
    fail_unless (WIFSTOPPED (status));
    g_usleep (300000);
    kill (child, SIGCONT);
    fail_unless (waitpid (child, &status, 0) == child);
    fail_unless (WIFEXITED (status) && WEXITSTATUS (status) <= 1);
  }
}

GST_END_TEST;

/* What is at work for ever, such as a demuxer with tables of a million entries, is left alone. */
GST_START_TEST (test_work_without_an_end)
{
  g_atomic_int_set (&must_stop, TRUE);
  fail_unless (report_interrupt_run_ending (work, NULL));
  fail_if (report_interrupt_must_end ());
  g_atomic_int_set (&must_stop, FALSE);
  fail_if (report_interrupt_run_ending (work, NULL));
  fail_unless (report_interrupt_must_end ());
  g_atomic_int_set (&must_stop, TRUE);
}

GST_END_TEST;

/* In a process of its own. Returns: how it ended */
static gint
raise_in_child (gint number, gboolean is_finished)
{
  gint status = 0;
  pid_t child = fork ();

  if (child == 0) {
    report_interrupt_install ();
    if (is_finished)
      report_interrupt_finish ();
    raise (number);
    _exit (0);
  }
  fail_unless (waitpid (child, &status, 0) == child);
  return status;
}

/* Whenever a signal comes, the program's status tells of it. */
GST_START_TEST (test_late_signal)
{
  static const gint numbers[] = { SIGINT, SIGTERM };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    /* The program itself ends. */
    fail_unless_equals_int (raise_in_child (numbers[i], FALSE), 0);
    fail_unless_equals_int (WEXITSTATUS (raise_in_child (numbers[i], TRUE)), REPORT_STATUS_SIGNAL + numbers[i]);
  }
  /* The parent of a process ends it so. */
  fail_unless_equals_int (raise_in_child (SIGALRM, FALSE), SIGALRM);
}

GST_END_TEST;

static Suite *
life_suite (void)
{
  Suite *suite = suite_create ("life");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_test (tests, test_quiet);
  tcase_add_test (tests, test_work);
  tcase_add_test (tests, test_stopped);
  tcase_add_test (tests, test_work_without_an_end);
  tcase_add_test (tests, test_late_signal);
  return suite;
}

GST_CHECK_MAIN (life);
