/* The temporal stage: which results are due for a message, what restarts, and when windows and alerts
 * are told of.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "passings.h"

#include "result/temporal.h"
#include "result/write.h"

#define INTERVAL (100 * GST_MSECOND)

static HistoTemporal
stage (void)
{
  HistoTemporal temporal;

  histo_temporal_init (&temporal, NULL);
  return temporal;
}

TEST (test_each_without_interval)
{
  HistoTemporal temporal = stage ();

  for (guint i = 0; i < 10; i++)
    fail_unless (histo_temporal_message_is_due (&temporal, i / 2, 0));
}

/* Due at 0, 120, 240, ... ms of buffers of 40 ms. */
TEST (test_interval)
{
  HistoTemporal temporal = stage ();

  for (guint i = 0; i < 30; i++)
    fail_unless_equals_int (histo_temporal_message_is_due (&temporal,
            i * 40 * GST_MSECOND, INTERVAL), i % 3 == 0);
}

/* A result exactly one interval later is due. */
TEST (test_end_of_interval)
{
  HistoTemporal temporal = stage ();

  fail_unless (histo_temporal_message_is_due (&temporal, 5, INTERVAL));
  fail_if (histo_temporal_message_is_due (&temporal, 5, INTERVAL));
  fail_if (histo_temporal_message_is_due (&temporal, 4 + INTERVAL, INTERVAL));
  fail_unless (histo_temporal_message_is_due (&temporal, 5 + INTERVAL,
          INTERVAL));
}

TEST (test_longest_interval)
{
  HistoTemporal temporal = stage ();

  fail_unless (histo_temporal_message_is_due (&temporal, 0, G_MAXUINT64));
  fail_if (histo_temporal_message_is_due (&temporal, GST_CLOCK_TIME_NONE - 1,
          G_MAXUINT64));
}

TEST (test_unknown_running_time)
{
  HistoTemporal temporal = stage ();

  fail_unless (histo_temporal_message_is_due (&temporal, 0, INTERVAL));
  for (guint i = 0; i < 3; i++)
    fail_unless (histo_temporal_message_is_due (&temporal,
            GST_CLOCK_TIME_NONE, INTERVAL));
  /* The interval is counted from the latest known time. */
  fail_if (histo_temporal_message_is_due (&temporal, 1, INTERVAL));
  fail_unless (histo_temporal_message_is_due (&temporal, INTERVAL, INTERVAL));
}

TEST (test_backwards)
{
  HistoTemporal temporal = stage ();

  fail_unless (histo_temporal_message_is_due (&temporal, GST_SECOND,
          INTERVAL));
  fail_unless (histo_temporal_message_is_due (&temporal, GST_SECOND - 1,
          INTERVAL));
  fail_if (histo_temporal_message_is_due (&temporal, GST_SECOND, INTERVAL));
}

/* Running time goes on after a discontinuity and other caps; the interval does, too. */
TEST (test_restart)
{
  HistoTemporal temporal = stage ();
  GQueue messages = G_QUEUE_INIT;

  fail_unless (histo_temporal_message_is_due (&temporal, 0, INTERVAL));
  histo_temporal_restart (&temporal, HISTO_RESTART_NONE, &messages);
  histo_temporal_restart (&temporal, HISTO_RESTART_DISCONTINUITY, &messages);
  histo_temporal_restart (&temporal, HISTO_RESTART_SEGMENT, &messages);
  histo_temporal_restart (&temporal, HISTO_RESTART_CAPS, &messages);
  fail_if (histo_temporal_message_is_due (&temporal, 1, INTERVAL));
  histo_temporal_restart (&temporal, HISTO_RESTART_FLUSH, &messages);
  fail_unless (histo_temporal_message_is_due (&temporal, 2, INTERVAL));
  fail_unless (g_queue_is_empty (&messages));
}

/* ---- Windows and alerts --------------------------------------------------------------------- */

#define GRAY_FULL_CAPS GRAY_CAPS ", colorimetry=(string)1:4:0:0"

/* The stage with windows of 100 ms and the alert for black pictures, which begins at once. */
typedef struct
{
  HistoPlan *plan;
  HistoTemporal temporal;
  HistoAlertSettings alerts;
  HistoTemporalSettings settings;
  TestPassing passing;
  GQueue messages;
} Fixture;

static void
fixture_open (Fixture * fixture, const gchar * caps)
{
  fixture->alerts = (HistoAlertSettings) {
    .alerts = HISTO_ALERT_FLAG (HISTO_ALERT_BLACK),
    .black_level = 0.1,
    .black_ratio = 0.98,
  };
  fixture->settings = (HistoTemporalSettings) {
    .window = 100 * GST_MSECOND,
    .alerts = &fixture->alerts,
  };
  fixture->plan = test_plan_new (caps, 0, NULL, 0);
  histo_temporal_init (&fixture->temporal, NULL);
  test_passing_open (&fixture->passing, fixture->plan);
  g_queue_init (&fixture->messages);
}

static void
fixture_close (Fixture * fixture)
{
  fail_unless (g_queue_is_empty (&fixture->messages));
  histo_temporal_clear (&fixture->temporal);
  test_passing_close (&fixture->passing);
  histo_plan_unref (fixture->plan);
}

/* A frame of one value, at this time in ms; < 0: without a time. @duration: in ns, or
 * GST_CLOCK_TIME_NONE */
static void
pass_lasting (Fixture * fixture, gint64 time, GstClockTime duration, guint value)
{
  TestPassing *passing = &fixture->passing;

  test_passing_set_histogram (passing, 0, 0, value, GRAY_SIZE);
  test_passing_fill (passing);
  test_passing_set_times (passing, time, -1);
  passing->times.duration = duration;
  fail_unless (histo_temporal_is_needed (&fixture->temporal, fixture->plan,
          &fixture->settings));
  if (!histo_temporal_needs_result (&fixture->temporal, fixture->plan,
          &fixture->settings))
    passing->passing.result = NULL;
  fail_unless (histo_temporal_pass (&fixture->temporal, &fixture->settings,
          &passing->passing, &fixture->messages, NULL));
}

/* The same, for 40 ms. */
static void
pass (Fixture * fixture, gint64 time, guint value)
{
  pass_lasting (fixture, time, 40 * GST_MSECOND, value);
}

static guint64
uint64_of (GstMessage * message, const gchar * field)
{
  guint64 value;

  fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message),
          field, &value), "no %s", field);
  return value;
}

static GstMessage *
pop (Fixture * fixture, const gchar * name)
{
  GstMessage *message = g_queue_pop_head (&fixture->messages);

  fail_unless (message != NULL, "no %s", name);
  fail_unless_equals_string (gst_structure_get_name (gst_message_get_structure
          (message)), name);
  return message;
}

/* The next message must be about this window; times in ms. */
static void
check_window (Fixture * fixture, gint64 start, gint64 duration, guint n)
{
  GstMessage *message = pop (fixture, HISTO_WINDOW_NAME);

  fail_unless_equals_uint64 (uint64_of (message, "stream-time"),
      test_ms (start));
  fail_unless_equals_uint64 (uint64_of (message, "duration"),
      test_ms (duration));
  fail_unless_equals_uint64 (uint64_of (message, "buffers"), n);
  gst_message_unref (message);
}

/* The next message must be about this alert. @time: of the message */
static void
check_alert (Fixture * fixture, const gchar * state, gint64 start, gint64 end,
    gint64 time)
{
  GstMessage *message = pop (fixture, HISTO_ALERT_NAME);

  fail_unless_equals_string (gst_structure_get_string (gst_message_get_structure
          (message), "type"), "black");
  fail_unless_equals_string (gst_structure_get_string (gst_message_get_structure
          (message), "state"), state);
  fail_unless_equals_uint64 (uint64_of (message, "start"), test_ms (start));
  fail_unless_equals_uint64 (uint64_of (message, "end"), test_ms (end));
  fail_unless_equals_uint64 (uint64_of (message, "stream-time"),
      test_ms (time));
  gst_message_unref (message);
}

/* The window that ends before a buffer is told of before the alerts of the buffer. */
TEST (test_order)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS);
  pass (&fixture, 40, 200);
  pass (&fixture, 80, 200);
  fail_unless (g_queue_is_empty (&fixture.messages));
  pass (&fixture, 120, 0);
  check_window (&fixture, 40, 80, 2);
  check_alert (&fixture, "begin", 120, -1, 120);
  pass (&fixture, 160, 0);
  pass (&fixture, 200, 200);
  check_window (&fixture, 120, 80, 2);
  check_alert (&fixture, "end", 120, 200, 200);
  histo_temporal_end (&fixture.temporal, &fixture.messages);
  check_window (&fixture, 200, 40, 1);
  histo_temporal_end (&fixture.temporal, &fixture.messages);
  fixture_close (&fixture);
}

/* The end finishes the window and the alert; the message's times are those of the latest buffer. */
TEST (test_end_of_stream)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS);
  histo_temporal_end (&fixture.temporal, &fixture.messages);
  pass (&fixture, 0, 0);
  check_alert (&fixture, "begin", 0, -1, 0);
  pass (&fixture, 40, 0);
  histo_temporal_end (&fixture.temporal, &fixture.messages);
  check_window (&fixture, 0, 80, 2);
  check_alert (&fixture, "end", 0, 80, 40);
  fixture_close (&fixture);
}

/* A discontinuity or a segment ends the alerts, other caps the window, too; a flush drops the window.
 * Only the first of several restarts has an effect. */
TEST (test_restarts)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS);
  for (HistoRestart reason = HISTO_RESTART_DISCONTINUITY;
      reason <= HISTO_RESTART_FLUSH; reason++) {
    pass (&fixture, 0, 0);
    check_alert (&fixture, "begin", 0, -1, 0);
    for (guint i = 0; i < 2; i++)
      histo_temporal_restart (&fixture.temporal, reason, &fixture.messages);
    if (reason == HISTO_RESTART_CAPS)
      check_window (&fixture, 0, 40, 1);
    check_alert (&fixture, "end", 0, 40, 0);
    pass (&fixture, 40, 200);
    histo_temporal_end (&fixture.temporal, &fixture.messages);
    if (reason < HISTO_RESTART_CAPS)
      check_window (&fixture, 0, 80, 2);
    else
      check_window (&fixture, 40, 40, 1);
  }
  fixture_close (&fixture);
}

/* After a segment a buffer that lies before the latest one begins another window. */
TEST (test_seek_back)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS);
  pass (&fixture, 40, 200);
  histo_temporal_restart (&fixture.temporal, HISTO_RESTART_SEGMENT,
      &fixture.messages);
  pass (&fixture, 0, 200);
  check_window (&fixture, 40, 40, 1);
  histo_temporal_end (&fixture.temporal, &fixture.messages);
  check_window (&fixture, 0, 40, 1);
  fixture_close (&fixture);
}

/* In reverse playback a decoder sends groups of pictures, each with a discontinuity and before the last
 * one. They are in the same window. */
TEST (test_reverse_groups)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS);
  fixture.settings.window = GST_SECOND;
  for (gint group = 2; group >= 0; group--) {
    histo_temporal_restart (&fixture.temporal, HISTO_RESTART_DISCONTINUITY,
        &fixture.messages);
    for (gint i = 1; i >= 0; i--)
      pass (&fixture, group * 80 + i * 40, 200);
  }
  histo_temporal_end (&fixture.temporal, &fixture.messages);
  check_window (&fixture, 0, 240, 6);
  fixture_close (&fixture);
}

/* A buffer without a time begins where the one before ends; a restart forgets where that was. */
TEST (test_estimated_times)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS);
  fixture.settings.window = 0;
  fixture.alerts.black_duration = 120 * GST_MSECOND;
  pass (&fixture, 1000, 200);
  pass (&fixture, -1, 0);
  pass (&fixture, -1, 0);
  pass (&fixture, -1, 0);
  check_alert (&fixture, "begin", 1040, -1, -1);
  pass (&fixture, -1, 200);
  check_alert (&fixture, "end", 1040, 1160, -1);
  histo_temporal_restart (&fixture.temporal, HISTO_RESTART_DISCONTINUITY,
      &fixture.messages);
  for (guint i = 0; i < 5; i++)
    pass (&fixture, -1, 0);
  fixture_close (&fixture);
}

/* The first buffers have no time, of the stream or after a restart: windows and alerts begin with the first time. */
TEST (test_first_time)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS);
  fixture.alerts.black_duration = 120 * GST_MSECOND;
  for (guint round = 0; round < 3; round++) {
    const gint64 begin = 1000 + 1000 * round;

    pass (&fixture, -1, 0);
    pass (&fixture, -1, 0);
    pass (&fixture, begin, 0);
    pass (&fixture, begin + 40, 0);
    fail_unless (g_queue_is_empty (&fixture.messages));
    pass (&fixture, -1, 0);
    check_alert (&fixture, "begin", begin, -1, -1);
    pass (&fixture, begin + 120, 200);
    check_window (&fixture, begin, 120, 5);
    check_alert (&fixture, "end", begin, begin + 120, begin + 120);
    histo_temporal_restart (&fixture.temporal, round == 0 ?
        HISTO_RESTART_CAPS : HISTO_RESTART_FLUSH, &fixture.messages);
    if (round == 0)
      check_window (&fixture, begin + 120, 40, 1);
  }
  fixture_close (&fixture);
}

/* An end after the greatest time is unknown, and then the next buffer has no estimated start. */
TEST (test_longest_duration)
{
  const GstClockTime longest = GST_CLOCK_TIME_NONE - 1 - GST_SECOND;
  Fixture fixture;
  const HistoPassing *passing = &fixture.passing.passing;

  fixture_open (&fixture, GRAY_FULL_CAPS);
  fixture.settings.window = 0;
  pass_lasting (&fixture, 1000, longest, 200);
  fail_unless_equals_uint64 (passing->end, GST_CLOCK_TIME_NONE - 1);
  pass (&fixture, 960, 200);
  pass_lasting (&fixture, 1000, longest + 1, 200);
  fail_unless_equals_uint64 (passing->start, GST_SECOND);
  fail_unless_equals_uint64 (passing->end, GST_CLOCK_TIME_NONE);
  pass (&fixture, -1, 200);
  fail_unless_equals_uint64 (passing->start, GST_CLOCK_TIME_NONE);
  fixture_close (&fixture);
}

/* Without durations, each buffer lasts as long as the caps say: a frame, or a field of 20 ms. */
TEST (test_duration_of_caps)
{
  static const gchar *const caps[] = {
    GRAY_CAPS, "video/x-raw(format:Interlaced), format=GRAY8, width=16, height=16, "
        "framerate=25/1, interlace-mode=alternate, colorimetry=(string)1:4:0:0"
  };

  for (guint i = 0; i < G_N_ELEMENTS (caps); i++) {
    Fixture fixture;

    fixture_open (&fixture, caps[i]);
    pass_lasting (&fixture, 60, GST_CLOCK_TIME_NONE, 200);
    histo_temporal_end (&fixture.temporal, &fixture.messages);
    check_window (&fixture, 60, i == 0 ? 40 : 20, 1);
    fixture_close (&fixture);
  }
}

/* The stage is needed until what was open has been told of. */
TEST (test_switched_off)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS);
  pass (&fixture, 0, 0);
  check_alert (&fixture, "begin", 0, -1, 0);
  fixture.alerts.alerts = 0;
  fixture.settings.window = 0;
  pass (&fixture, 40, 0);
  check_window (&fixture, 0, 40, 1);
  check_alert (&fixture, "end", 0, 40, 40);
  fail_if (histo_temporal_is_needed (&fixture.temporal, fixture.plan,
          &fixture.settings));
  fail_if (histo_temporal_needs_result (&fixture.temporal, fixture.plan,
          &fixture.settings));
  histo_temporal_end (&fixture.temporal, &fixture.messages);
  fixture_close (&fixture);
}

/* A stop drops all. */
TEST (test_forget)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS);
  pass (&fixture, 0, 0);
  check_alert (&fixture, "begin", 0, -1, 0);
  histo_temporal_forget (&fixture.temporal);
  histo_temporal_end (&fixture.temporal, &fixture.messages);
  fixture_close (&fixture);
}

/* A window alone needs no result of each buffer. */
TEST (test_needs)
{
  HistoPlan *motion = test_plan_new (GRAY_FULL_CAPS,
      HISTO_GROUP_FLAG (HISTO_GROUP_MOTION), NULL, 0);
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS);
  fixture.alerts.alerts = 0;
  fail_unless (histo_temporal_is_needed (&fixture.temporal, fixture.plan,
          &fixture.settings));
  fail_if (histo_temporal_needs_result (&fixture.temporal, fixture.plan,
          &fixture.settings));
  fixture.settings.window = 0;
  fail_if (histo_temporal_is_needed (&fixture.temporal, fixture.plan,
          &fixture.settings));
  fail_unless (histo_temporal_is_needed (&fixture.temporal, motion,
          &fixture.settings));
  fail_unless (histo_temporal_needs_result (&fixture.temporal, motion,
          &fixture.settings));
  histo_plan_unref (motion);
  fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  histo_write_init ();
  return test_run (__FILE__, 60, TRUE);
}
