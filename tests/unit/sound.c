/* Level and loudness in the temporal stage: what restarts them, and their windows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "passings.h"

#include "result/temporal.h"
#include "result/write.h"

#define CAPS "audio/x-raw, format=S16LE, layout=interleaved, rate=8000, " \
    "channels=2, channel-mask=(bitmask)0x3"
#define N_SAMPLES 800           /* 100 ms */
#define LEVEL HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL)
#define LOUDNESS HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS)

/* The stage, and beside it the measuring of the same samples by hand. */
typedef struct
{
  HistoPlan *plan;
  HistoTemporal temporal;
  HistoAlertSettings alerts;
  HistoTemporalSettings settings;
  TestPassing passing;
  gint16 data[2 * N_SAMPLES];
  gsize offsets[2];
  HistoAudioLayout samples;
  GRand *random;
  guint n;                      /* buffers so far */
  GQueue messages;
  HistoLevel *level;
  HistoLoudness *loudness;
} Fixture;

static void
fixture_open (Fixture * fixture, guint groups)
{
  memset (fixture, 0, sizeof *fixture);
  fixture->plan = test_plan_new (CAPS, groups, NULL, 0);
  fixture->alerts.clipping_samples = 2;
  fixture->settings.alerts = &fixture->alerts;
  histo_temporal_init (&fixture->temporal, NULL);
  test_passing_open (&fixture->passing, fixture->plan);
  fixture->offsets[1] = sizeof (gint16);
  fixture->samples = (HistoAudioLayout) {
    .data = (const guint8 *) fixture->data,
    .n_samples = N_SAMPLES,
    .sample_stride = 2 * sizeof (gint16),
    .channel_offsets = fixture->offsets,
  };
  fixture->passing.passing.samples = &fixture->samples;
  fixture->random = test_random ();
  fixture->level = histo_level_new (fixture->plan->format);
  histo_level_set_clipping_samples (fixture->level, 2);
  if (groups & LOUDNESS)
    fixture->loudness = histo_loudness_new (fixture->plan->format, NULL);
}

static void
fixture_close (Fixture * fixture)
{
  fail_unless (g_queue_is_empty (&fixture->messages));
  histo_temporal_clear (&fixture->temporal);
  test_passing_close (&fixture->passing);
  histo_plan_unref (fixture->plan);
  histo_level_free (fixture->level);
  g_clear_pointer (&fixture->loudness, histo_loudness_free);
  g_rand_free (fixture->random);
}

/* Random samples pass; the figures in the result must be those that are measured by hand. */
static void
pass (Fixture * fixture)
{
  const HistoResult *result = &fixture->passing.result;
  HistoLevelFigures levels[2];
  HistoPairResult pair = { 0 };
  HistoLoudnessFigures loudness;

  test_fill_random (fixture->random, (guint8 *) fixture->data,
      sizeof fixture->data);
  test_passing_fill (&fixture->passing);
  test_passing_set_times (&fixture->passing, 100 * fixture->n++, 100);
  fail_unless (histo_temporal_needs_samples (fixture->plan));
  fail_unless (histo_temporal_needs_result (&fixture->temporal, fixture->plan,
          &fixture->settings));
  fail_unless (histo_temporal_pass (&fixture->temporal, &fixture->settings,
          &fixture->passing.passing, &fixture->messages, NULL));
  if (histo_plan_has_group (fixture->plan, HISTO_GROUP_LEVEL)) {
    histo_level_measure (fixture->level, &fixture->samples, levels, &pair);
    fail_unless (memcmp (levels, result->levels, sizeof levels) == 0);
    fail_unless_equals_int (result->n_pairs, 1);
    fail_unless (memcmp (&pair, result->pairs, sizeof pair) == 0);
  } else {
    fail_unless_equals_int (result->n_pairs, 0);
  }
  if (histo_plan_has_group (fixture->plan, HISTO_GROUP_LOUDNESS)) {
    histo_loudness_measure (fixture->loudness, &fixture->samples, &loudness);
    fail_unless (loudness.momentary == result->loudness.momentary);
    fail_unless (loudness.short_term == result->loudness.short_term);
    fail_unless (loudness.integrated == result->loudness.integrated);
    fail_unless (memcmp (loudness.true_peak, result->loudness.true_peak,
            2 * sizeof (gdouble)) == 0);
  }
}

/* Other groups of the same stream. What is not measured any more begins anew when it is measured
 * again, and so does the measuring by hand. */
static void
set_groups (Fixture * fixture, guint groups)
{
  const HistoPlanSettings settings = {.groups = groups };
  HistoPlan *plan = histo_plan_new (fixture->plan->format, &settings);

  test_passing_close (&fixture->passing);
  test_passing_open (&fixture->passing, plan);
  histo_plan_unref (fixture->plan);
  fixture->plan = plan;
  if (histo_temporal_needs_samples (plan))
    fixture->passing.passing.samples = &fixture->samples;
  if ((groups & LEVEL) == 0)
    histo_level_restart (fixture->level);
  if ((groups & LOUDNESS) == 0 && fixture->loudness != NULL)
    histo_loudness_restart (fixture->loudness);
}

static void
restart (Fixture * fixture, HistoRestart reason)
{
  histo_temporal_restart (&fixture->temporal, reason, &fixture->messages);
  histo_level_restart (fixture->level);
  if (reason >= HISTO_RESTART_CAPS && fixture->loudness != NULL)
    histo_loudness_restart (fixture->loudness);
}

/* A discontinuity restarts level, other caps and a flush both. */
static void
check_restarts (guint groups)
{
  Fixture fixture;

  fixture_open (&fixture, groups);
  for (guint i = 0; i < 10; i++)
    pass (&fixture);
  for (HistoRestart reason = HISTO_RESTART_DISCONTINUITY;
      reason <= HISTO_RESTART_FLUSH; reason++) {
    restart (&fixture, reason);
    for (guint i = 0; i < 10; i++)
      pass (&fixture);
  }
  fixture_close (&fixture);
}

TEST (test_restarts)
{
  check_restarts (LEVEL);
  if (histo_loudness_is_available ()) {
    check_restarts (LOUDNESS);
    check_restarts (LEVEL | LOUDNESS);
  }
}

/* The next message must be about a window that ends with the latest buffer but one, or with the
 * latest one. */
static void
check_window (Fixture * fixture, const HistoLevelFigures levels[2],
    const HistoPairResult * pair)
{
  GstMessage *message = g_queue_pop_head (&fixture->messages);
  const GValue *pairs;
  gdouble correlation;
  gchar *name;

  fail_unless (message != NULL);
  for (guint c = 0; c < 2; c++) {
    const GstStructure *channel;
    gdouble rms, trough;
    guint64 crossings;

    name = g_strdup_printf ("ch%u", c);
    channel = gst_value_get_structure (gst_structure_get_value
        (gst_message_get_structure (message), name));
    fail_unless (gst_structure_get (channel, "rms", G_TYPE_DOUBLE, &rms,
            "rms-trough", G_TYPE_DOUBLE, &trough, "zero-crossings",
            G_TYPE_UINT64, &crossings, NULL));
    fail_unless_equals_float (rms, levels[c].rms);
    fail_unless_equals_float (trough, levels[c].rms_trough);
    fail_unless_equals_uint64 (crossings, levels[c].zero_crossings);
    g_free (name);
  }
  pairs = gst_structure_get_value (gst_message_get_structure (message),
      "pairs");
  fail_unless_equals_int (gst_value_array_get_size (pairs), 1);
  fail_unless (gst_structure_get_double (gst_value_get_structure
          (gst_value_array_get_value (pairs, 0)), "correlation", &correlation));
  fail_unless_equals_float (correlation, pair->figures.correlation);
  gst_message_unref (message);
}

/* A window has the level of all its samples. */
TEST (test_windows)
{
  HistoLevelFigures levels[2];
  HistoPairResult pair;
  Fixture fixture;

  fixture_open (&fixture, LEVEL);
  fixture.settings.window = 500 * GST_MSECOND;
  for (guint w = 0; w < 3; w++) {
    histo_level_begin_window (fixture.level);
    for (guint i = 0; i < (w < 2 ? 5 : 3); i++) {
      pass (&fixture);
      if (w > 0 && i == 0)
        check_window (&fixture, levels, &pair);
    }
    histo_level_finish_window (fixture.level, levels, &pair);
  }
  histo_temporal_end (&fixture.temporal, &fixture.messages);
  check_window (&fixture, levels, &pair);
  fixture_close (&fixture);
}

/* The short-term loudness counts after 3 s of sound. */
TEST (test_short_term)
{
  Fixture fixture;

  if (!histo_loudness_is_available ())
    return;
  fixture_open (&fixture, LOUDNESS);
  for (guint round = 0; round < 2; round++) {
    for (guint i = 1; i <= 40; i++) {
      pass (&fixture);
      fail_unless_equals_int (fixture.passing.passing.has_short_term, i >= 30);
    }
    restart (&fixture, HISTO_RESTART_DISCONTINUITY);
    pass (&fixture);
    fail_unless (fixture.passing.passing.has_short_term);
    restart (&fixture, HISTO_RESTART_FLUSH);
  }
  fixture_close (&fixture);
}

/* Passes a buffer of a plan without sound, if the stage needs it. */
static void
pass_basic (Fixture * fixture)
{
  test_passing_set_times (&fixture->passing, 100 * fixture->n++, 100);
  fixture->passing.passing.result = NULL;
  if (histo_temporal_is_needed (&fixture->temporal, fixture->plan,
          &fixture->settings))
    fail_unless (histo_temporal_pass (&fixture->temporal, &fixture->settings,
            &fixture->passing.passing, &fixture->messages, NULL));
}

/* A group that is switched off and on again begins anew, whatever is measured meanwhile. */
TEST (test_switched_off)
{
  static const guint groups[] = { LEVEL, LOUDNESS, 0 };
  Fixture fixture;

  if (!histo_loudness_is_available ())
    return;
  fixture_open (&fixture, LEVEL | LOUDNESS);
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++) {
    for (guint k = 0; k < 35; k++)
      pass (&fixture);
    fail_unless (fixture.passing.passing.has_short_term);
    set_groups (&fixture, groups[i]);
    for (guint k = 0; k < 3; k++) {
      if (groups[i] != 0)
        pass (&fixture);
      else
        pass_basic (&fixture);
    }
    set_groups (&fixture, LEVEL | LOUDNESS);
    if ((groups[i] & LOUDNESS) == 0) {
      pass (&fixture);
      fail_if (fixture.passing.passing.has_short_term);
    }
  }
  fixture_close (&fixture);
}

/* Windows of loudness alone have the loudness of their latest buffer; those of other groups have none,
 * even if it was measured before. */
TEST (test_windows_of_loudness)
{
  gdouble expected = 0, momentary;
  Fixture fixture;

  if (!histo_loudness_is_available ())
    return;
  fixture_open (&fixture, LOUDNESS);
  fixture.settings.window = 500 * GST_MSECOND;
  for (guint i = 0; i < 8; i++) {
    GstMessage *message;

    if (i == 5) {
      expected = fixture.passing.result.loudness.momentary;
      set_groups (&fixture, 0);
    }
    if (i < 5)
      pass (&fixture);
    else
      pass_basic (&fixture);
    fail_unless_equals_int (g_queue_get_length (&fixture.messages), i == 5);
    if (i < 5)
      continue;
    if (i > 5)
      histo_temporal_end (&fixture.temporal, &fixture.messages);
    message = g_queue_pop_head (&fixture.messages);
    fail_unless (message != NULL);
    fail_unless_equals_int (gst_structure_has_field (gst_message_get_structure
            (message), "loudness"), i == 5);
    if (i == 5) {
      const GstStructure *loudness = gst_value_get_structure
          (gst_structure_get_value (gst_message_get_structure (message),
              "loudness"));

      fail_unless (gst_structure_get_double (loudness, "momentary",
              &momentary));
      fail_unless_equals_float (momentary, expected);
    }
    gst_message_unref (message);
  }
  fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  histo_write_init ();
  return test_run (__FILE__, 60, TRUE);
}
