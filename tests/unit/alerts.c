/* Alerts: when they begin and end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "passings.h"

#include "cudahisto/alert.h"
#include "result/alerts.h"

#include <math.h>

#define GRAY_FULL_CAPS "video/x-raw, format=GRAY8, width=16, height=8, " \
    "framerate=25/1, colorimetry=(string)1:4:0:0"
#define PIXELS (16 * 8)
#define AUDIO_CAPS "audio/x-raw, format=%s, layout=interleaved, rate=48000, " \
    "channels=2, channel-mask=(bitmask)0x3"
#define FLAG(alert) HISTO_ALERT_FLAG (HISTO_ALERT_##alert)

typedef struct
{
  HistoPlan *plan;
  HistoAlerts alerts;
  HistoAlertSettings settings;
  GArray *events;
  TestPassing passing;
  gint64 time, duration;        /* of the next buffer, in ms */
} Fixture;

static void
fixture_open (Fixture * fixture, const gchar * caps, guint groups,
    const gchar * regions, guint alerts)
{
  fixture->settings = (HistoAlertSettings) {
    .alerts = alerts,
    .black_level = 0.1,
    .black_ratio = 0.98,
    .black_duration = 200 * GST_MSECOND,
    .freeze_noise = 0.001,
    .freeze_duration = 200 * GST_MSECOND,
    .scene_threshold = 10,
    .range_ratio = 0.01,
    .silence_level = -60,
    .silence_duration = 200 * GST_MSECOND,
  };
  fixture->plan = test_plan_new (caps, groups, regions, 0);
  histo_alerts_init (&fixture->alerts);
  fixture->events = g_array_new (FALSE, FALSE, sizeof (HistoAlertEvent));
  test_passing_open (&fixture->passing, fixture->plan);
  fixture->time = 1000;
  fixture->duration = 40;
}

/* All events must have been checked. */
static void
fixture_close (Fixture * fixture)
{
  fail_unless_equals_int (fixture->events->len, 0);
  g_array_unref (fixture->events);
  histo_alerts_clear (&fixture->alerts);
  test_passing_close (&fixture->passing);
  histo_plan_unref (fixture->plan);
}

/* The made-up buffer passes; the next one follows it. */
static void
pass (Fixture * fixture)
{
  test_passing_set_times (&fixture->passing, fixture->time,
      fixture->duration);
  histo_alerts_pass (&fixture->alerts, &fixture->settings,
      &fixture->passing.passing, fixture->events);
  if (fixture->time >= 0)
    fixture->time += 40;
}

static void
pass_gray (Fixture * fixture, guint value)
{
  for (guint r = 0; r <= fixture->plan->n_fixed; r++)
    test_passing_set_histogram (&fixture->passing, r, 0, value, PIXELS);
  test_passing_fill (&fixture->passing);
  pass (fixture);
}

/* The oldest event must be this one; it is dropped. @start, @end: in ms; < 0: unknown
 * Returns: the event */
static HistoAlertEvent
check_event (Fixture * fixture, HistoAlert alert, gboolean is_end,
    gint64 start, gint64 end, gdouble value)
{
  HistoAlertEvent event;

  fail_unless (fixture->events->len > 0, "no event");
  event = g_array_index (fixture->events, HistoAlertEvent, 0);
  g_array_remove_index (fixture->events, 0);
  fail_unless_equals_int (event.alert, alert);
  fail_unless_equals_int (event.is_end, is_end);
  fail_unless_equals_uint64 (event.start, test_ms (start));
  fail_unless_equals_uint64 (event.end, test_ms (end));
  fail_unless (event.value == value, "value %g", event.value);
  return event;
}

static void
check_no_event (Fixture * fixture)
{
  fail_unless_equals_int (fixture->events->len, 0);
}

/* ---- Begin and end -------------------------------------------------------------------------- */

/* A step of a stream of gray frames, whose alert is that of black ones. */
typedef struct
{
  enum
  { PASS_FRAMES, PASS_BACKWARDS, SET_TIME, SET_DURATION, SET_LEAST, BEGINS, ENDS, FOLLOWED, ALL_ENDS, DONE } what;
  gint64 a, b;
  gdouble value;
} Step;

#define PASS(gray, n) {PASS_FRAMES, gray, n, 0}
#define BACKWARDS(gray, n) {PASS_BACKWARDS, gray, n, 0}
#define AT(time) {SET_TIME, time, 0, 0}     /* of the next frame; all times are in ms, and -1 is unknown */
#define LASTING(duration) {SET_DURATION, duration, 0, 0}
#define LEAST(duration) {SET_LEAST, duration, 0, 0}
#define BEGIN(start) {BEGINS, start, -1, 1}
#define END(start, end, value) {ENDS, start, end, value}
#define IS_FOLLOWED(is) {FOLLOWED, is, 0, 0}
#define STOP {ALL_ENDS, 0, 0, 0}

/* Nothing else may begin or end than what the steps say.
 *
 * @steps: up to DONE */
static void
follow (const Step * steps)
{
  Fixture fixture;
  HistoAlertEvent event;

  fixture_open (&fixture, GRAY_FULL_CAPS, 0, NULL, FLAG (BLACK));
  for (; steps->what != DONE; steps++) {
    if (steps->what != BEGINS && steps->what != ENDS)
      check_no_event (&fixture);
    switch (steps->what) {
      case PASS_FRAMES:
      case PASS_BACKWARDS:
        for (gint64 i = 0; i < steps->b; i++) {
          pass_gray (&fixture, steps->a);
          fixture.time -= steps->what == PASS_BACKWARDS ? 80 : 0;
        }
        break;
      case SET_TIME:
        fixture.time = steps->a;
        break;
      case SET_DURATION:
        fixture.duration = steps->a;
        break;
      case SET_LEAST:
        fixture.settings.black_duration = steps->a * GST_MSECOND;
        break;
      case BEGINS:
      case ENDS:
        event = check_event (&fixture, HISTO_ALERT_BLACK, steps->what == ENDS, steps->a, steps->b, steps->value);
        fail_unless_equals_float (event.threshold, 0.98);
        fail_unless (event.region == NULL && event.channel == NULL && event.component == NULL);
        break;
      case FOLLOWED:
        fail_unless_equals_int (histo_alerts_are_followed (&fixture.alerts), steps->a);
        break;
      case ALL_ENDS:
        histo_alerts_end (&fixture.alerts, fixture.events);
        break;
      case DONE:
        break;
    }
  }
  fixture_close (&fixture);
}

#define FOLLOW(...) follow ((const Step[]) {__VA_ARGS__, {DONE, 0, 0, 0}})

/* 5 black frames of 40 ms last 200 ms: the alert begins with the fifth, and not without it. */
TEST (test_minimum_duration)
{
  FOLLOW (PASS (100, 1), PASS (0, 4), PASS (100, 1), IS_FOLLOWED (FALSE), PASS (0, 4), IS_FOLLOWED (TRUE),
      PASS (0, 1), BEGIN (1240), PASS (0, 1), PASS (100, 1), END (1240, 1480, 0), PASS (100, 1));
}

/* Without durations, and over missing buffers, a condition has lasted until the next buffer. */
TEST (test_gaps)
{
  FOLLOW (PASS (0, 1), AT (5000), PASS (100, 1), BEGIN (1000), END (1000, 5000, 0),
      LASTING (-1), AT (6000), PASS (0, 6), PASS (100, 1), BEGIN (6000), END (6000, 6240, 0));
}

/* Without any time, only alerts without a minimum duration begin. */
TEST (test_no_times)
{
  FOLLOW (AT (-1), PASS (0, 100), LEAST (0), PASS (0, 1), BEGIN (-1), PASS (100, 1), END (-1, -1, 0));
}

/* Buffers before any time is known. An alert counts from the first time that is known, and its end tells it. Without a
 * minimum duration it begins when nothing is known. */
TEST (test_first_time)
{
  for (guint n = 1; n < 4; n++)
    FOLLOW (AT (-1), PASS (0, n), AT (1000), PASS (0, 4), PASS (0, 1), BEGIN (1000), AT (-1), PASS (0, 1),
        AT (1240), PASS (100, 1), END (1000, 1240, 0),
        LEAST (0), AT (-1), PASS (0, n), BEGIN (-1), AT (2000), PASS (0, 1), STOP, END (2000, 2040, 1));
}

/* In reverse playback the first time is the greatest one. */
TEST (test_first_time_in_reverse)
{
  FOLLOW (AT (-1), PASS (0, 1), AT (2000), BACKWARDS (0, 5), BEGIN (1840), STOP, END (1840, 2040, 1));
}

/* In reverse playback the span grows to the front. */
TEST (test_reverse)
{
  FOLLOW (AT (2000), BACKWARDS (0, 6), BEGIN (1840), STOP, END (1800, 2040, 1));
}

/* If buffers overlap, an alert ends where the buffer begins that ends it. */
TEST (test_overlap)
{
  FOLLOW (LASTING (500), PASS (0, 1), BEGIN (1000), PASS (0, 1), PASS (100, 1), END (1000, 1080, 0));
}

/* After an end nothing is open: the next buffer may open the alert again. */
TEST (test_end)
{
  FOLLOW (STOP, PASS (0, 4), STOP, PASS (0, 5), BEGIN (1160), STOP, END (1160, 1360, 1), STOP);
}

/* A buffer whose end is unknown does not move the end. If the end lies before the begin, nothing is
 * known to have lasted. */
TEST (test_unknown_ends)
{
  FOLLOW (LEAST (0), PASS (0, 1), BEGIN (1000), LASTING (-1), PASS (0, 1), STOP, END (1000, 1040, 1),
      LEAST (200), AT (3000), PASS (0, 1), AT (2000), PASS (100, 1));
}

/* An alert that is switched off, and one whose regions change, ends with the latest buffer. */
TEST (test_changes)
{
  Fixture fixture;
  HistoPlan *plan;

  fixture_open (&fixture, GRAY_FULL_CAPS, 0, NULL, FLAG (BLACK));
  fixture.settings.black_duration = 0;
  pass_gray (&fixture, 0);
  check_event (&fixture, HISTO_ALERT_BLACK, FALSE, 1000, -1, 1);
  fixture.settings.alerts = 0;
  pass_gray (&fixture, 0);
  check_event (&fixture, HISTO_ALERT_BLACK, TRUE, 1000, 1040, 1);
  pass_gray (&fixture, 0);

  fixture.settings.alerts = FLAG (BLACK);
  pass_gray (&fixture, 0);
  check_event (&fixture, HISTO_ALERT_BLACK, FALSE, 1120, -1, 1);
  plan = test_plan_new (GRAY_FULL_CAPS, 0, "a=0,0,4,4", 0);
  test_passing_close (&fixture.passing);
  test_passing_open (&fixture.passing, plan);
  histo_plan_unref (fixture.plan);
  fixture.plan = plan;
  pass_gray (&fixture, 100);
  check_event (&fixture, HISTO_ALERT_BLACK, TRUE, 1120, 1160, 1);
  fixture_close (&fixture);
}

/* ---- Conditions of video -------------------------------------------------------------------- */

/* Whether the picture is black if so many pixels have @value and the others are white. */
static void
check_black (const gchar * caps, guint white, guint value, guint n,
    gboolean is_black)
{
  Fixture fixture;

  fixture_open (&fixture, caps, 0, NULL, FLAG (BLACK));
  fixture.settings.black_duration = 0;
  for (guint c = 0; c < MIN (3, fixture.plan->format->n_components); c++) {
    test_passing_set_histogram (&fixture.passing, 0, c, value, n);
    fixture.passing.counters[fixture.plan->components[c].first_bin + white] +=
        100 - n;
  }
  test_passing_fill (&fixture.passing);
  pass (&fixture);
  fail_unless_equals_int (fixture.events->len, is_black);
  if (is_black)
    check_event (&fixture, HISTO_ALERT_BLACK, FALSE, 1000, -1, n / 100.);
  fixture_close (&fixture);
}

/* The limit is trunc (16 f + 0.1 · 219 f), or trunc (0.1 max) in full range. */
TEST (test_black_limits)
{
#define VIDEO(format) "video/x-raw, format=" format ", width=16, height=16, framerate=25/1"
  check_black (GRAY_FULL_CAPS, 255, 25, 98, TRUE);
  check_black (GRAY_FULL_CAPS, 255, 25, 97, FALSE);
  check_black (GRAY_FULL_CAPS, 255, 26, 100, FALSE);
  check_black (VIDEO ("NV12"), 255, 37, 98, TRUE);
  check_black (VIDEO ("NV12"), 255, 38, 98, FALSE);
  check_black (VIDEO ("P010_10LE"), 1023, 151, 98, TRUE);
  check_black (VIDEO ("P010_10LE"), 1023, 152, 98, FALSE);
  check_black (VIDEO ("RGBx"), 255, 25, 98, TRUE);
  check_black (VIDEO ("RGBx"), 255, 26, 98, FALSE);
}

/* Of RGB the brightest component decides. */
TEST (test_black_rgb)
{
  for (guint bright = 0; bright < 3; bright++) {
    Fixture fixture;

    fixture_open (&fixture, VIDEO ("RGBx"), 0, NULL, FLAG (BLACK));
    fixture.settings.black_duration = 0;
    for (guint c = 0; c < 3; c++)
      test_passing_set_histogram (&fixture.passing, 0, c,
          c == bright ? 200 : 0, 256);
    test_passing_fill (&fixture.passing);
    pass (&fixture);
    fixture_close (&fixture);
  }
}

/* Regions have their own alerts, under their names; an empty one has none. */
TEST (test_regions)
{
  Fixture fixture;
  HistoAlertEvent event;

  fixture_open (&fixture, GRAY_FULL_CAPS, 0,
      "left=0,0,8,8; right=8,0,8,8; outside=100,0,8,8", FLAG (BLACK));
  fixture.settings.black_duration = 0;
  test_passing_set_histogram (&fixture.passing, 0, 0, 0, 64);
  fixture.passing.counters[255] = 64;
  test_passing_set_histogram (&fixture.passing, 1, 0, 0, 64);
  test_passing_set_histogram (&fixture.passing, 2, 0, 255, 64);
  test_passing_fill (&fixture.passing);
  pass (&fixture);
  event = check_event (&fixture, HISTO_ALERT_BLACK, FALSE, 1000, -1, 1);
  fail_unless_equals_string (event.region, "left");
  check_no_event (&fixture);
  histo_alerts_end (&fixture.alerts, fixture.events);
  event = check_event (&fixture, HISTO_ALERT_BLACK, TRUE, 1000, 1040, 1);
  fail_unless_equals_string (event.region, "left");
  fixture_close (&fixture);
}

static HistoGroupFigures *
figures_of (Fixture * fixture)
{
  test_passing_fill (&fixture->passing);
  return &fixture->passing.result.regions[0].figures;
}

static void
pass_freeze (Fixture * fixture, gdouble freeze)
{
  figures_of (fixture)->MOTION_freeze = freeze;
  pass (fixture);
}

/* The freeze begins with the first of the equal frames. A frame without a previous one says
 * nothing. */
TEST (test_freeze)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS, HISTO_GROUP_FLAG (HISTO_GROUP_MOTION),
      NULL, FLAG (FREEZE));
  pass_freeze (&fixture, NAN);
  pass_freeze (&fixture, 0.1);
  for (guint i = 0; i < 3; i++)
    pass_freeze (&fixture, 0.001);
  check_no_event (&fixture);
  pass_freeze (&fixture, 0);
  check_event (&fixture, HISTO_ALERT_FREEZE, FALSE, 1040, -1, 0);
  pass_freeze (&fixture, 0.0011);
  check_event (&fixture, HISTO_ALERT_FREEZE, TRUE, 1040, 1240, 0.0011);
  for (guint i = 0; i < 3; i++)
    pass_freeze (&fixture, 0);
  pass_freeze (&fixture, NAN);
  check_no_event (&fixture);
  pass_freeze (&fixture, 0);
  check_event (&fixture, HISTO_ALERT_FREEZE, FALSE, 1240, -1, 0);
  pass_freeze (&fixture, NAN);
  check_no_event (&fixture);
  pass_freeze (&fixture, 0.1);
  check_event (&fixture, HISTO_ALERT_FREEZE, TRUE, 1240, 1520, 0.1);
  pass_freeze (&fixture, NAN);
  fail_if (histo_alerts_are_followed (&fixture.alerts));
  check_no_event (&fixture);
  fixture_close (&fixture);
}

/* The first of the equal frames has no time. */
TEST (test_freeze_without_first_time)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS, HISTO_GROUP_FLAG (HISTO_GROUP_MOTION),
      NULL, FLAG (FREEZE));
  for (guint n_untimed = 1; n_untimed < 4; n_untimed++) {
    for (guint i = 0; i < n_untimed + 5; i++) {
      fixture.time = i < n_untimed ? -1 : 1000 + 40 * (gint) (i - n_untimed);
      pass_freeze (&fixture, i == 0 ? NAN : 0);
    }
    check_event (&fixture, HISTO_ALERT_FREEZE, FALSE, 1000, -1, 0);
    fixture.time = -1;
    pass_freeze (&fixture, 0);
    fixture.time = 1240;
    pass_freeze (&fixture, 0.1);
    check_event (&fixture, HISTO_ALERT_FREEZE, TRUE, 1000, 1240, 0.1);
    histo_alerts_end (&fixture.alerts, fixture.events);
  }
  fixture_close (&fixture);
}

/* In reverse playback the first of the equal frames is the last one in stream time. */
TEST (test_freeze_in_reverse)
{
  static const gdouble differences[] = { NAN, 0.1, 0, 0, 0, 0, 0.1 };
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS, HISTO_GROUP_FLAG (HISTO_GROUP_MOTION),
      NULL, FLAG (FREEZE));
  for (guint i = 0; i < G_N_ELEMENTS (differences); i++) {
    fixture.time = 2000 - 40 * i;
    pass_freeze (&fixture, differences[i]);
  }
  check_event (&fixture, HISTO_ALERT_FREEZE, FALSE, 1800, -1, 0);
  check_event (&fixture, HISTO_ALERT_FREEZE, TRUE, 1800, 2000, 0.1);
  fixture_close (&fixture);
}

/* A scene change begins and ends with its frame. */
TEST (test_scene)
{
  static const gdouble scores[] = { NAN, 10, 10.01, 0, 50 };
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS, HISTO_GROUP_FLAG (HISTO_GROUP_MOTION),
      NULL, FLAG (SCENE));
  for (guint i = 0; i < G_N_ELEMENTS (scores); i++) {
    figures_of (&fixture)->MOTION_scene_score = scores[i];
    pass (&fixture);
    fail_unless_equals_int (fixture.events->len, scores[i] > 10 ? 2 : 0);
    if (scores[i] > 10) {
      check_event (&fixture, HISTO_ALERT_SCENE, FALSE, 1000 + 40 * i, -1,
          scores[i]);
      check_event (&fixture, HISTO_ALERT_SCENE, TRUE, 1000 + 40 * i,
          1000 + 40 * i, scores[i]);
    }
  }
  histo_alerts_end (&fixture.alerts, fixture.events);
  fixture_close (&fixture);
}

TEST (test_range)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS, HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL),
      NULL, FLAG (RANGE));
  figures_of (&fixture)->SIGNAL_brng = 0.01;
  pass (&fixture);
  check_no_event (&fixture);
  figures_of (&fixture)->SIGNAL_brng = 0.02;
  pass (&fixture);
  check_event (&fixture, HISTO_ALERT_RANGE, FALSE, 1040, -1, 0.02);
  figures_of (&fixture)->SIGNAL_brng = 0;
  pass (&fixture);
  check_event (&fixture, HISTO_ALERT_RANGE, TRUE, 1040, 1080, 0);
  fixture_close (&fixture);
}

/* ---- Conditions of audio -------------------------------------------------------------------- */

/* A buffer of 40 ms whose channels have these extremes. */
static void
pass_sound (Fixture * fixture, const gdouble extremes[2][2])
{
  test_passing_fill (&fixture->passing);
  for (guint c = 0; c < 2; c++) {
    fixture->passing.result.components[c].figures.min = extremes[c][0];
    fixture->passing.result.components[c].figures.max = extremes[c][1];
  }
  pass (fixture);
}

/* @quiet is the greatest magnitude that is silent, @loud the least one that is not, @middle
 * stands for 0. */
static void
check_silence (const gchar * format, gdouble middle, gdouble quiet,
    gdouble loud, gdouble full_scale)
{
  const gdouble silent[2][2] = { {middle, middle + quiet},
  {middle - quiet, middle}
  };
  const gdouble one_is_loud[2][2] = { {middle, middle},
  {middle - loud, middle}
  };
  const gdouble no_sample[2][2] = { {NAN, NAN}, {NAN, NAN} };
  gchar *caps = g_strdup_printf (AUDIO_CAPS, format);
  Fixture fixture;

  fixture_open (&fixture, caps, 0, NULL, FLAG (SILENCE) | FLAG (BLACK));
  pass_sound (&fixture, one_is_loud);
  for (guint i = 0; i < 3; i++)
    pass_sound (&fixture, silent);
  pass_sound (&fixture, no_sample);
  check_no_event (&fixture);
  pass_sound (&fixture, silent);
  check_event (&fixture, HISTO_ALERT_SILENCE, FALSE, 1040, -1,
      20 * log10 (quiet / full_scale));
  pass_sound (&fixture, one_is_loud);
  check_event (&fixture, HISTO_ALERT_SILENCE, TRUE, 1040, 1240,
      20 * log10 (loud / full_scale));
  fixture_close (&fixture);
  g_free (caps);
}

/* All channels must be below the level. A buffer without finite samples changes nothing. */
TEST (test_silence)
{
  check_silence ("S16LE", 0, 32, 33, 32768);
  check_silence ("U8", 128, 0, 1, 128);
  check_silence ("F32LE", 0, 0.0009999, 0.001, 1);
  check_silence ("S32LE", 0, 2147483, 2147484, 2147483648.);
}

static void
pass_clipped (Fixture * fixture, guint64 clipped, guint64 runs)
{
  test_passing_fill (&fixture->passing);
  fixture->passing.result.components[1].figures.count = 1920;
  fixture->passing.result.levels[1].clipped = clipped;
  fixture->passing.result.levels[1].clipped_runs = runs;
  /* The other channel is quiet. */
  fixture->passing.result.components[0].figures.count = 1920;
  pass (fixture);
}

/* Each channel has its own alert. It lasts over buffers that are clipped from begin to end. */
TEST (test_clipping)
{
  gchar *caps = g_strdup_printf (AUDIO_CAPS, "S16LE");
  Fixture fixture;
  HistoAlertEvent event;

  fixture_open (&fixture, caps, HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL), NULL,
      FLAG (CLIPPING));
  fixture.settings.clipping_samples = 3;
  pass_clipped (&fixture, 2, 0);
  pass_clipped (&fixture, 1920, 0);
  check_no_event (&fixture);
  pass_clipped (&fixture, 100, 5);
  event = check_event (&fixture, HISTO_ALERT_CLIPPING, FALSE, 1080, -1, 5);
  fail_unless_equals_string (event.channel, "ch1");
  fail_unless_equals_float (event.threshold, 3);
  pass_clipped (&fixture, 1920, 0);
  check_no_event (&fixture);
  pass_clipped (&fixture, 1919, 0);
  event = check_event (&fixture, HISTO_ALERT_CLIPPING, TRUE, 1080, 1160, 0);
  fail_unless_equals_string (event.channel, "ch1");
  fixture_close (&fixture);
  g_free (caps);
}

static void
pass_loudness (Fixture * fixture, gdouble loudness, gboolean is_known)
{
  test_passing_fill (&fixture->passing);
  fixture->passing.result.loudness.short_term = loudness;
  fixture->passing.passing.has_short_term = is_known;
  pass (fixture);
}

/* Both sides of the target; the bounds themselves are inside. */
TEST (test_loudness)
{
  gchar *caps = g_strdup_printf (AUDIO_CAPS, "S16LE");
  Fixture fixture;
  HistoAlertEvent event;

  fixture_open (&fixture, caps, HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS), NULL,
      FLAG (LOUDNESS));
  fixture.settings.loudness_target = -23;
  fixture.settings.loudness_tolerance = 1;
  pass_loudness (&fixture, -10, FALSE);
  pass_loudness (&fixture, -24, TRUE);
  pass_loudness (&fixture, -22, TRUE);
  check_no_event (&fixture);
  pass_loudness (&fixture, -21.5, TRUE);
  event = check_event (&fixture, HISTO_ALERT_LOUDNESS, FALSE, 1120, -1, -21.5);
  fail_unless_equals_float (event.threshold, -22);
  fail_unless (event.channel == NULL);
  pass_loudness (&fixture, -23, TRUE);
  event = check_event (&fixture, HISTO_ALERT_LOUDNESS, TRUE, 1120, 1160, -23);
  fail_unless_equals_float (event.threshold, -23);
  pass_loudness (&fixture, -INFINITY, TRUE);
  event = check_event (&fixture, HISTO_ALERT_LOUDNESS, FALSE, 1200, -1,
      -INFINITY);
  fail_unless_equals_float (event.threshold, -24);
  histo_alerts_end (&fixture.alerts, fixture.events);
  check_event (&fixture, HISTO_ALERT_LOUDNESS, TRUE, 1200, 1240, -INFINITY);
  fixture_close (&fixture);
  g_free (caps);
}

/* ---- The alerts that a buffer has ----------------------------------------------------------- */

/* The latest buffer must have this alert alone. Its events are dropped. */
static void
check_only (Fixture * fixture, HistoAlert alert, const gchar * region,
    const gchar * channel)
{
  GArray *current = g_array_new (FALSE, FALSE, sizeof (HistoAlertEvent));
  const HistoAlertEvent *event;

  fail_unless_equals_int (fixture->events->len, 2);
  histo_alerts_list (&fixture->alerts, fixture->events, current);
  fail_unless_equals_int (current->len, 1);
  event = &g_array_index (current, HistoAlertEvent, 0);
  fail_unless_equals_int (event->alert, alert);
  fail_if (event->is_end);
  fail_unless_equals_string (event->region, region);
  fail_unless_equals_string (event->channel, channel);
  g_array_unref (current);
  g_array_set_size (fixture->events, 0);
}

/* An alert begins, and another one ends with the same frame. */
TEST (test_end_of_another_alert)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS, HISTO_GROUP_FLAG (HISTO_GROUP_MOTION),
      NULL, FLAG (BLACK) | FLAG (FREEZE));
  fixture.settings.black_duration = fixture.settings.freeze_duration = 0;
  test_passing_set_histogram (&fixture.passing, 0, 0, 100, PIXELS);
  pass_freeze (&fixture, 0);
  check_event (&fixture, HISTO_ALERT_FREEZE, FALSE, 1000, -1, 0);
  test_passing_set_histogram (&fixture.passing, 0, 0, 0, PIXELS);
  pass_freeze (&fixture, 0.5);
  check_only (&fixture, HISTO_ALERT_BLACK, NULL, NULL);
  fixture_close (&fixture);
}

/* The alert begins in the picture, and ends in a region with the same frame. */
TEST (test_end_in_another_region)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS, 0, "a=0,0,8,8", FLAG (BLACK));
  fixture.settings.black_duration = 0;
  test_passing_set_histogram (&fixture.passing, 0, 0, 100, 64);
  test_passing_set_histogram (&fixture.passing, 1, 0, 0, 64);
  test_passing_fill (&fixture.passing);
  pass (&fixture);
  check_event (&fixture, HISTO_ALERT_BLACK, FALSE, 1000, -1, 1);
  test_passing_set_histogram (&fixture.passing, 0, 0, 0, 64);
  test_passing_set_histogram (&fixture.passing, 1, 0, 100, 64);
  test_passing_fill (&fixture.passing);
  pass (&fixture);
  check_only (&fixture, HISTO_ALERT_BLACK, NULL, NULL);
  fixture_close (&fixture);
}

/* A channel begins to clip, and the next channel ends with the same buffer. */
TEST (test_end_of_another_channel)
{
  gchar *caps = g_strdup_printf (AUDIO_CAPS, "S16LE");
  Fixture fixture;

  fixture_open (&fixture, caps, HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL), NULL,
      FLAG (CLIPPING));
  fixture.settings.clipping_samples = 3;
  pass_clipped (&fixture, 100, 5);
  check_event (&fixture, HISTO_ALERT_CLIPPING, FALSE, 1000, -1, 5);
  test_passing_fill (&fixture.passing);
  for (guint c = 0; c < 2; c++) {
    fixture.passing.result.components[c].figures.count = 1920;
    fixture.passing.result.levels[c].clipped = 100 * (1 - c);
    fixture.passing.result.levels[c].clipped_runs = 1 - c;
  }
  pass (&fixture);
  check_only (&fixture, HISTO_ALERT_CLIPPING, NULL, "ch0");
  fixture_close (&fixture);
  g_free (caps);
}

/* An alert whose group the plan lacks has no figures, and is not checked. */
TEST (test_group_not_measured)
{
  Fixture fixture;

  fixture_open (&fixture, GRAY_FULL_CAPS, 0, NULL, FLAG (FREEZE) | FLAG (RANGE));
  fixture.settings.freeze_duration = 0;
  for (guint i = 0; i < 2; i++) {
    figures_of (&fixture)->MOTION_freeze = 0;
    figures_of (&fixture)->SIGNAL_brng = 1;
    pass (&fixture);
  }
  fixture_close (&fixture);
}

TEST_MAIN (60)
