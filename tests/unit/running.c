/* Running values: what depends on earlier buffers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "passings.h"
#include "reference-measures.h"

#include "result/running.h"

#include <math.h>

#define NV12_CAPS "video/x-raw, format=NV12, width=16, height=8, framerate=25/1"
#define RGB_CAPS "video/x-raw, format=RGBx, width=16, height=8, framerate=25/1"
#define GROUPS HISTO_RUNNING_GROUPS

/* ---- Distances ---------------------------------------------------------------------------- */

TEST (test_distances)
{
  GRand *random = test_random ();
  guint32 a[1024], b[1024];
  guint64 wide_a[1024], wide_b[1024];

  for (guint i = 0; i < 200; i++) {
    const guint n = g_rand_int_range (random, 1, 1025);
    const guint most = g_rand_int_range (random, 2, 1000000);
    HistoDistances distances;
    gdouble expected[3];

    for (guint bin = 0; bin < n; bin++) {
      a[bin] = g_rand_boolean (random) ? g_rand_int_range (random, 0, most) : 0;
      b[bin] = g_rand_boolean (random) ? g_rand_int_range (random, 0, most) : 0;
    }
    a[0] = b[n - 1] = 1;
    histo_distances_find (&distances, a, b, n);
    for (guint bin = 0; bin < n; bin++) {
      wide_a[bin] = a[bin];
      wide_b[bin] = b[bin];
    }
    reference_distances (wide_a, wide_b, n, expected);
    fail_unless (fabs (distances.chi2 - expected[0]) < 1e-12);
    fail_unless (fabs (distances.bhattacharyya - expected[1]) < 1e-7);
    fail_unless (fabs (distances.emd - expected[2]) < 1e-9);
    histo_distances_find (&distances, a, a, n);
    fail_unless_equals_float (distances.chi2, 0);
    fail_unless_equals_float (distances.bhattacharyya, 0);
    fail_unless_equals_float (distances.emd, 0);
  }
  g_rand_free (random);
}

/* All samples move by d bins; nothing is in common. An empty histogram has no distance. */
TEST (test_known_distances)
{
  guint32 a[256] = { 0, }, b[256] = { 0, };
  HistoDistances distances;

  a[10] = 5;
  histo_distances_find (&distances, a, b, 256);
  fail_unless (isnan (distances.chi2) && isnan (distances.bhattacharyya)
      && isnan (distances.emd));
  b[30] = 700;
  histo_distances_find (&distances, a, b, 256);
  fail_unless_equals_float (distances.chi2, 1);
  fail_unless_equals_float (distances.bhattacharyya, 1);
  fail_unless_equals_float (distances.emd, 20);
}

/* ---- One region after the other ----------------------------------------------------------- */

typedef struct
{
  HistoPlan *plan;
  HistoRunning running;
  TestPassing passing;
} Fixture;

static void
fixture_open (Fixture * fixture, const gchar * caps, guint groups,
    const gchar * regions)
{
  fixture->plan = test_plan_new (caps, groups, regions, 0);
  histo_running_init (&fixture->running);
  test_passing_open (&fixture->passing, fixture->plan);
}

static void
fixture_close (Fixture * fixture)
{
  histo_running_clear (&fixture->running);
  test_passing_close (&fixture->passing);
  histo_plan_unref (fixture->plan);
}

/* Luma of region @r has this value everywhere. */
static void
set_luma (Fixture * fixture, guint r, guint value)
{
  test_passing_set_histogram (&fixture->passing, r, 0, value, 128);
}

static const HistoGroupFigures *
figures_of (Fixture * fixture, guint r)
{
  return &fixture->passing.result.regions[r].figures;
}

/* The next buffer, whose picture has this mafd. */
static void
pass_mafd (Fixture * fixture, gdouble mafd)
{
  fixture->passing.counts.n_with_previous = !isnan (mafd);
  test_passing_fill (&fixture->passing);
  fixture->passing.result.regions[0].figures.MOTION_mafd = mafd;
  histo_running_pass (&fixture->running, fixture->plan,
      &fixture->passing.counts, &fixture->passing.result, NULL);
}

static void
check_score (Fixture * fixture, gdouble mafd, gdouble expected)
{
  gdouble score;

  pass_mafd (fixture, mafd);
  score = figures_of (fixture, 0)->MOTION_scene_score;
  fail_unless (isnan (expected) ? isnan (score) : score == expected,
      "mafd %g: score %g", mafd, score);
}

/* As scdet: the first mafd counts from 0; then its change does if that is smaller. */
TEST (test_scene_score)
{
  Fixture fixture;

  fixture_open (&fixture, NV12_CAPS, GROUPS, NULL);
  set_luma (&fixture, 0, 1);
  check_score (&fixture, NAN, NAN);
  check_score (&fixture, 12, 12);
  check_score (&fixture, 20, 8);
  check_score (&fixture, 5, 5);
  check_score (&fixture, 3, 2);
  histo_running_restart (&fixture.running, HISTO_RESTART_DISCONTINUITY);
  check_score (&fixture, 30, 30);
  check_score (&fixture, NAN, NAN);
  check_score (&fixture, 29, 29);
  fixture_close (&fixture);
}

/* Each region is compared with itself. */
TEST (test_histograms)
{
  Fixture fixture;

  fixture_open (&fixture, NV12_CAPS, GROUPS, "a=0,0,8,8; none=0,0,0,0");
  set_luma (&fixture, 0, 10);
  set_luma (&fixture, 1, 100);
  pass_mafd (&fixture, NAN);
  fail_unless (isnan (figures_of (&fixture, 0)->MOTION_histogram_emd));
  set_luma (&fixture, 0, 13);
  set_luma (&fixture, 1, 120);
  pass_mafd (&fixture, 1);
  fail_unless_equals_float (figures_of (&fixture, 0)->MOTION_histogram_emd, 3);
  fail_unless_equals_float (figures_of (&fixture, 0)->MOTION_histogram_chi2, 1);
  fail_unless_equals_float (figures_of (&fixture,
          0)->MOTION_histogram_bhattacharyya, 1);
  fail_unless (isnan (figures_of (&fixture, 2)->MOTION_histogram_emd));
  fail_unless (isnan (figures_of (&fixture, 2)->MOTION_scene_score));
  pass_mafd (&fixture, 1);
  fail_unless_equals_float (figures_of (&fixture, 0)->MOTION_histogram_chi2, 0);
  histo_running_restart (&fixture.running, HISTO_RESTART_DISCONTINUITY);
  pass_mafd (&fixture, 1);
  fail_unless (isnan (figures_of (&fixture, 0)->MOTION_histogram_chi2));
  fixture_close (&fixture);
}

static void
check_region_distance (Fixture * fixture, guint r, gdouble emd)
{
  fixture->passing.result.regions[r].figures.MOTION_mafd = 1;
  histo_running_pass (&fixture->running, fixture->plan,
      &fixture->passing.counts, &fixture->passing.result, NULL);
  fail_unless_equals_float (figures_of (fixture, r)->MOTION_histogram_emd, emd);
}

/* The second region has its own previous histogram. */
TEST (test_region_histograms)
{
  Fixture fixture;

  fixture_open (&fixture, NV12_CAPS, GROUPS, "a=0,0,8,8; b=8,0,8,8");
  for (guint r = 0; r < 3; r++)
    set_luma (&fixture, r, 10 * r);
  pass_mafd (&fixture, NAN);
  for (guint r = 0; r < 3; r++)
    set_luma (&fixture, r, 10 * r + r + 1);
  fixture.passing.counts.n_with_previous = 1;
  test_passing_fill (&fixture.passing);
  check_region_distance (&fixture, 2, 3);
  fixture_close (&fixture);
}

/* Of RGB the mean over R, G and B. */
TEST (test_rgb_histograms)
{
  Fixture fixture;

  fixture_open (&fixture, RGB_CAPS, GROUPS, NULL);
  for (guint c = 0; c < 3; c++)
    test_passing_set_histogram (&fixture.passing, 0, c, 50, 128);
  pass_mafd (&fixture, NAN);
  for (guint c = 0; c < 3; c++)
    test_passing_set_histogram (&fixture.passing, 0, c, 50 + 3 * c, 128);
  pass_mafd (&fixture, 1);
  fail_unless_equals_float (figures_of (&fixture, 0)->MOTION_histogram_emd, 3);
  fail_unless_equals_float (figures_of (&fixture, 0)->MOTION_histogram_chi2,
      2. / 3);
  fixture_close (&fixture);
}

static void
pass_light (Fixture * fixture, gdouble max, gdouble fall)
{
  HistoGroupFigures *figures;

  test_passing_fill (&fixture->passing);
  figures = &fixture->passing.result.regions[0].figures;
  figures->HDR_max = max;
  figures->HDR_fall = fall;
  figures->HDR_p9999 = max / 2;
  figures->fall_p9999 = fall / 2;
  histo_running_pass (&fixture->running, fixture->plan,
      &fixture->passing.counts, &fixture->passing.result, NULL);
}

static void
check_light (Fixture * fixture, gdouble max_cll, gdouble max_fall)
{
  const HistoGroupFigures *figures = figures_of (fixture, 0);

  fail_unless_equals_float (figures->HDR_max_cll, max_cll);
  fail_unless_equals_float (figures->HDR_max_fall, max_fall);
  fail_unless_equals_float (figures->HDR_max_cll_p9999, max_cll / 2);
  fail_unless_equals_float (figures->HDR_max_fall_p9999, max_fall / 2);
}

/* Light so far goes on over a discontinuity and over other bins, and begins anew after other caps
 * and a flush. */
TEST (test_light)
{
  const HistoPlanSettings settings = {.groups = GROUPS,.bins = {16, 0, 0} };
  Fixture fixture;
  HistoPlan *plan;

  fixture_open (&fixture, NV12_CAPS, GROUPS, NULL);
  pass_light (&fixture, 1000, 20);
  check_light (&fixture, 1000, 20);
  pass_light (&fixture, 500, 30);
  check_light (&fixture, 1000, 30);
  histo_running_restart (&fixture.running, HISTO_RESTART_DISCONTINUITY);
  pass_light (&fixture, 500, 10);
  check_light (&fixture, 1000, 30);

  plan = histo_plan_new (fixture.plan->format, &settings);
  test_passing_close (&fixture.passing);
  test_passing_open (&fixture.passing, plan);
  histo_plan_unref (fixture.plan);
  fixture.plan = plan;
  pass_light (&fixture, 600, 10);
  check_light (&fixture, 1000, 30);

  histo_running_restart (&fixture.running, HISTO_RESTART_CAPS);
  pass_light (&fixture, 600, 10);
  check_light (&fixture, 600, 10);
  histo_running_restart (&fixture.running, HISTO_RESTART_FLUSH);
  pass_light (&fixture, 60, 1);
  check_light (&fixture, 60, 1);
  fixture_close (&fixture);
}

/* Other regions: all begins anew. */
TEST (test_other_regions)
{
  Fixture fixture;
  HistoPlan *plan;

  fixture_open (&fixture, NV12_CAPS, GROUPS, NULL);
  set_luma (&fixture, 0, 10);
  pass_mafd (&fixture, NAN);
  pass_light (&fixture, 1000, 20);

  plan = test_plan_new (NV12_CAPS, GROUPS, "a=0,0,8,8; b=8,0,8,8", 0);
  test_passing_close (&fixture.passing);
  test_passing_open (&fixture.passing, plan);
  histo_plan_unref (fixture.plan);
  fixture.plan = plan;
  for (guint r = 0; r < 3; r++)
    set_luma (&fixture, r, 10 * r);
  pass_light (&fixture, 500, 10);
  check_light (&fixture, 500, 10);
  for (guint r = 0; r < 3; r++)
    set_luma (&fixture, r, 10 * r + r + 1);
  test_passing_fill (&fixture.passing);
  check_region_distance (&fixture, 2, 3);
  fixture_close (&fixture);
}

/* Without the groups nothing is kept. */
TEST (test_basic)
{
  Fixture fixture;

  fixture_open (&fixture, NV12_CAPS, 0, NULL);
  test_passing_fill (&fixture.passing);
  histo_running_pass (&fixture.running, fixture.plan, &fixture.passing.counts,
      &fixture.passing.result, NULL);
  fail_unless (fixture.running.plan == NULL);
  fixture_close (&fixture);
}

TEST_MAIN (60)
