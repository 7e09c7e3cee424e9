/* Made-up buffers for the temporal stage; see passings.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "passings.h"

#include "result/fill.h"

HistoPlan *
test_plan_new (const gchar * caps_text, guint groups, const gchar * regions,
    guint n_rois)
{
  GstCaps *caps = gst_caps_from_string (caps_text);
  HistoFormat *format = histo_format_new (caps, NULL);
  GArray *specs = regions == NULL ? NULL :
      histo_region_specs_parse (regions, NULL);
  const HistoPlanSettings settings = {
    .groups = groups,
    .regions = specs,
    .n_rois = n_rois,
  };
  HistoPlan *plan;

  fail_unless (format != NULL);
  plan = histo_plan_new (format, &settings);
  histo_format_unref (format);
  gst_caps_unref (caps);
  g_clear_pointer (&specs, g_array_unref);
  return plan;
}

void
test_passing_open (TestPassing * passing, HistoPlan * plan)
{
  memset (passing, 0, sizeof *passing);
  passing->plan = histo_plan_ref (plan);
  passing->counters = g_new0 (guint32, plan->n_counters);
  passing->tallies = g_new0 (guint64, plan->n_tallies);
  if (plan->format->is_audio)
    passing->totals = g_new0 (HistoTotals, plan->format->n_components);
  passing->counts = (HistoCounts) {
    .counters = passing->counters,
    .tallies = passing->tallies,
    .n_frames = 1,
    .n_with_previous = 1,
    .totals = passing->totals,
    .n_samples = plan->format->is_audio ? 480 : 0,
  };
  passing->passing = (HistoPassing) {
    .plan = plan,
    .counts = &passing->counts,
    .backend = "cpu",
    .times = &passing->times,
  };
  test_passing_set_times (passing, -1, -1);
}

void
test_passing_close (TestPassing * passing)
{
  g_free (passing->counters);
  g_free (passing->tallies);
  g_free (passing->totals);
  histo_result_clear (&passing->result);
  histo_plan_unref (passing->plan);
}

guint64
test_ms (gint64 ms)
{
  return ms < 0 ? GST_CLOCK_TIME_NONE : (guint64) ms * GST_MSECOND;
}

void
test_passing_set_times (TestPassing * passing, gint64 start, gint64 duration)
{
  passing->times.timestamp = passing->times.stream_time =
      passing->times.running_time = test_ms (start);
  passing->times.duration = test_ms (duration);
  passing->passing.start = test_ms (start);
  passing->passing.end =
      test_ms (start < 0 || duration < 0 ? -1 : start + duration);
}

static void
fill_totals (HistoTotals * totals, GRand * random)
{
  memset (totals, 0, sizeof *totals);
  totals->sum = (gint64) g_rand_int (random) - G_MAXINT32;
  totals->square_low = (guint64) g_rand_int (random) << 31;
  totals->square_high = g_rand_int_range (random, 0, 100);
  totals->min = -(gint64) g_rand_int_range (random, 1, 10000);
  totals->max = g_rand_int_range (random, 1, 10000);
  totals->underflow = g_rand_int (random);
  totals->overflow = g_rand_int (random);
}

/* A greatest R, G or B, plus 1, is an index. */
static void
fill_greatest (TestPassing * passing, GRand * random)
{
  const HistoPlan *plan = passing->plan;
  const gint n = plan->hlg != NULL ? HISTO_HLG_NUMBERS : 1 << plan->formulas.depth;

  for (guint r = 0; r < plan->n_regions && histo_plan_has_group (plan, HISTO_GROUP_HDR); r++)
    for (guint i = 0; i < 3; i++)
      passing->tallies[plan->first_tally[r] + HISTO_TALLY_GREATEST_RED + i] = g_rand_int_range (random, 1, n + 1);
}

void
test_passing_fill_random (TestPassing * passing, GRand * random, guint32 most)
{
  const HistoPlan *plan = passing->plan;

  for (gsize i = 0; i < plan->n_counters; i++)
    passing->counters[i] = g_rand_double (random) * most;
  for (gsize i = 0; i < plan->n_tallies; i++)
    passing->tallies[i] = (guint64) g_rand_int (random) << 8;
  fill_greatest (passing, random);
  for (guint c = 0; passing->totals != NULL && c < plan->format->n_components;
      c++)
    fill_totals (&passing->totals[c], random);
}

void
test_passing_set_histogram (TestPassing * passing, guint region,
    guint component, guint value, guint n)
{
  const HistoComponent *info =
      &histo_plan_region_components (passing->plan, region)[component];

  memset (passing->counters + info->first_bin, 0,
      info->n_values * sizeof *passing->counters);
  passing->counters[info->first_bin + value] = n;
}

void
test_passing_fill (TestPassing * passing)
{
  histo_result_fill (&passing->result, passing->plan, &passing->counts, NULL,
      "cpu", HISTO_HISTOGRAMS_NONE);
  passing->passing.result = &passing->result;
}
