/* The temporal stage: which results are due for a message, and what restarts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include "result/temporal.h"

#define INTERVAL (100 * GST_MSECOND)

static HistoTemporal
stage (void)
{
  HistoTemporal temporal;

  histo_temporal_init (&temporal);
  return temporal;
}

GST_START_TEST (test_each_without_interval)
{
  HistoTemporal temporal = stage ();

  for (guint i = 0; i < 10; i++)
    fail_unless (histo_temporal_message_is_due (&temporal, i / 2, 0));
}

GST_END_TEST;

/* Due at 0, 120, 240, ... ms of buffers of 40 ms. */
GST_START_TEST (test_interval)
{
  HistoTemporal temporal = stage ();

  for (guint i = 0; i < 30; i++)
    fail_unless_equals_int (histo_temporal_message_is_due (&temporal,
            i * 40 * GST_MSECOND, INTERVAL), i % 3 == 0);
}

GST_END_TEST;

/* A result exactly one interval later is due. */
GST_START_TEST (test_end_of_interval)
{
  HistoTemporal temporal = stage ();

  fail_unless (histo_temporal_message_is_due (&temporal, 5, INTERVAL));
  fail_if (histo_temporal_message_is_due (&temporal, 5, INTERVAL));
  fail_if (histo_temporal_message_is_due (&temporal, 4 + INTERVAL, INTERVAL));
  fail_unless (histo_temporal_message_is_due (&temporal, 5 + INTERVAL,
          INTERVAL));
}

GST_END_TEST;

GST_START_TEST (test_longest_interval)
{
  HistoTemporal temporal = stage ();

  fail_unless (histo_temporal_message_is_due (&temporal, 0, G_MAXUINT64));
  fail_if (histo_temporal_message_is_due (&temporal, GST_CLOCK_TIME_NONE - 1,
          G_MAXUINT64));
}

GST_END_TEST;

GST_START_TEST (test_unknown_running_time)
{
  HistoTemporal temporal = stage ();

  fail_unless (histo_temporal_message_is_due (&temporal, 0, INTERVAL));
  for (guint i = 0; i < 3; i++)
    fail_unless (histo_temporal_message_is_due (&temporal,
            GST_CLOCK_TIME_NONE, INTERVAL));
  /* There is nothing to count from. */
  fail_unless (histo_temporal_message_is_due (&temporal, 1, INTERVAL));
  fail_if (histo_temporal_message_is_due (&temporal, 2, INTERVAL));
}

GST_END_TEST;

GST_START_TEST (test_backwards)
{
  HistoTemporal temporal = stage ();

  fail_unless (histo_temporal_message_is_due (&temporal, GST_SECOND,
          INTERVAL));
  fail_unless (histo_temporal_message_is_due (&temporal, GST_SECOND - 1,
          INTERVAL));
  fail_if (histo_temporal_message_is_due (&temporal, GST_SECOND, INTERVAL));
}

GST_END_TEST;

/* Running time goes on after a discontinuity and other caps; the interval does, too. */
GST_START_TEST (test_restart)
{
  HistoTemporal temporal = stage ();

  fail_unless (histo_temporal_message_is_due (&temporal, 0, INTERVAL));
  histo_temporal_restart (&temporal, HISTO_RESTART_NONE);
  histo_temporal_restart (&temporal, HISTO_RESTART_DISCONTINUITY);
  histo_temporal_restart (&temporal, HISTO_RESTART_CAPS);
  fail_if (histo_temporal_message_is_due (&temporal, 1, INTERVAL));
  histo_temporal_restart (&temporal, HISTO_RESTART_FLUSH);
  fail_unless (histo_temporal_message_is_due (&temporal, 2, INTERVAL));
}

GST_END_TEST;

static Suite *
temporal_suite (void)
{
  Suite *suite = suite_create ("temporal");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_each_without_interval);
  tcase_add_test (tcase, test_interval);
  tcase_add_test (tcase, test_end_of_interval);
  tcase_add_test (tcase, test_longest_interval);
  tcase_add_test (tcase, test_unknown_running_time);
  tcase_add_test (tcase, test_backwards);
  tcase_add_test (tcase, test_restart);
  return suite;
}

GST_CHECK_MAIN (temporal);
