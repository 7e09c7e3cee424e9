/* Running values: what depends on earlier buffers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "passings.h"
#include "reference-measures.h"

#include "result/fill.h"
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
  histo_running_pass (&fixture->running, &fixture->passing.passing, NULL);
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
  histo_running_pass (&fixture->running, &fixture->passing.passing, NULL);
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
  histo_running_pass (&fixture->running, &fixture->passing.passing, NULL);
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
  histo_running_pass (&fixture.running, &fixture.passing.passing, NULL);
  fail_unless (fixture.running.plan == NULL);
  fixture_close (&fixture);
}

/* ---- Flashes ------------------------------------------------------------------------------ */

#define FLASH_CAPS "video/x-raw, format=NV12, width=12, height=12"
#define FLASH HISTO_GROUP_FLAG (HISTO_GROUP_FLASH)
#define WHITE 65535

/* A rectangle in which @n_white pixels have become white or black; the others are black. */
static void
set_area (guint64 * sum, guint64 * changed, guint n_white)
{
  *sum = (guint64) n_white *WHITE;
  *changed = n_white;
}

/* The next frame: pixels of the picture, of the regions and of the cells are white in each second frame. */
static void
pass_flash (Fixture * fixture, guint n, const guint * n_white, const guint * cells)
{
  const HistoPlan *plan = fixture->plan;
  guint64 *tallies = fixture->passing.tallies;

  for (guint r = 0; r < 1 + plan->n_fixed; r++) {
    guint64 *of_region = tallies + plan->first_tally[r];

    set_area (&of_region[HISTO_TALLY_LUMINANCE_SUM], &of_region[HISTO_TALLY_LUMINANCE_AREA], n_white[r]);
    set_area (&of_region[HISTO_TALLY_RED_SUM], &of_region[HISTO_TALLY_RED_AREA], 0);
    of_region[HISTO_TALLY_LUMINANCE_UP] = of_region[HISTO_TALLY_LUMINANCE_DOWN] = n_white[r] * 3 / 8;
    if (n % 2 == 0)
      of_region[HISTO_TALLY_LUMINANCE_SUM] = 0;
  }
  for (guint c = 0; c < HISTO_N_CELLS; c++) {
    guint64 *cell = tallies + plan->first_cell + c * HISTO_N_CELL_TALLIES;

    cell[HISTO_CELL_PIXELS] = 4;
    set_area (&cell[HISTO_CELL_LUMINANCE], &cell[HISTO_CELL_LUMINANCE_AREA], c == cells[0] ? 4 : 0);
    set_area (&cell[HISTO_CELL_RED], &cell[HISTO_CELL_RED_AREA], c == cells[1] ? 4 : 0);
    if (n % 2 == 0)
      cell[HISTO_CELL_LUMINANCE] = cell[HISTO_CELL_RED] = 0;
  }
  fixture->passing.counts.n_with_previous = n > 0;
  test_passing_fill (&fixture->passing);
  histo_running_pass (&fixture->running, &fixture->passing.passing, NULL);
}

static void
check_zones (Fixture * fixture, guint n, const guint * cells)
{
  const HistoGroupFigures *figures = figures_of (fixture, 0);

  fail_unless_equals_int (figures->n_zones, HISTO_N_ZONES);
  for (guint z = 0; z < HISTO_N_ZONES; z++) {
    const HistoZone *zone = &figures->zones[z];
    guint has[2];

    for (guint i = 0; i < 2; i++) {
      const guint row = cells[i] / HISTO_CELLS_ACROSS, column = cells[i] % HISTO_CELLS_ACROSS;

      has[i] = row - z / HISTO_ZONES_ACROSS <= 1 && column - z % HISTO_ZONES_ACROSS <= 1;
    }
    fail_unless_equals_int (zone->transitions, has[0] * n);
    fail_unless_equals_int (zone->red_transitions, has[1] * n);
    fail_unless_equals_int (zone->state, (has[0] || has[1]) && n > 6 ? HISTO_FLASH_FAIL :
        (has[0] || has[1]) && n >= 4 ? HISTO_FLASH_WARNING : HISTO_FLASH_PASS);
  }
}

/* The left fifth flashes: in the picture it is too small, in the region of the left third it fails. One cell flashes in
 * luminance, another one in red: a quarter of the zones that have them does. */
TEST (test_flashes)
{
  static const guint n_white[] = { 28, 28, 0, 0 };
  static const guint cells[][2] = { {0, 35}, {14, 14}, {5, 8}, {33, 20} };
  Fixture fixture;

  for (guint i = 0; i < G_N_ELEMENTS (cells); i++) {
    fixture_open (&fixture, FLASH_CAPS ", framerate=25/1", FLASH,
        "third=0,0,4,12; still=4,0,4,12; none=0,0,0,0");
    for (guint n = 0; n < 10; n++) {
      pass_flash (&fixture, n, n_white, cells[i]);
      fail_unless_equals_float (figures_of (&fixture, 0)->FLASH_transitions, 0);
      fail_unless_equals_float (figures_of (&fixture, 0)->FLASH_state, HISTO_FLASH_PASS);
      fail_unless_equals_float (figures_of (&fixture, 1)->FLASH_transitions, n);
      fail_unless_equals_float (figures_of (&fixture, 1)->FLASH_red_transitions, 0);
      fail_unless_equals_float (figures_of (&fixture, 1)->FLASH_state, n > 6 ?
          HISTO_FLASH_FAIL : n >= 4 ? HISTO_FLASH_WARNING : HISTO_FLASH_PASS);
      fail_unless_equals_float (figures_of (&fixture, 2)->FLASH_transitions, 0);
      fail_unless (isnan (figures_of (&fixture, 3)->FLASH_transitions));
      fail_unless (isnan (figures_of (&fixture, 3)->FLASH_state));
      fail_unless_equals_int (figures_of (&fixture, 1)->n_zones, 0);
      check_zones (&fixture, n, cells[i]);
    }
    fixture_close (&fixture);
  }
}

/* The picture flashes with each frame, whose time is that of the row, in ms. NONE: the frame has none; the stream
 * has no frame rate. */
#define NONE -1

static void
check_times (const gchar * caps, gboolean has_stream_time, const gint64 * times,
    const gint * expected, guint n)
{
  static const guint n_white[] = { 144 }, cells[] = { 99, 99 };
  Fixture fixture;

  fixture_open (&fixture, caps, FLASH, NULL);
  for (guint f = 0; f < n; f++) {
    const HistoGroupFigures *figures;

    test_passing_set_times (&fixture.passing, times[f], -1);
    if (!has_stream_time)
      fixture.passing.times.stream_time = GST_CLOCK_TIME_NONE;
    pass_flash (&fixture, f, n_white, cells);
    figures = figures_of (&fixture, 0);
    if (expected[f] < 0) {
      fail_unless (isnan (figures->FLASH_transitions) && isnan (figures->FLASH_red_transitions)
          && isnan (figures->FLASH_state) && figures->n_zones == 0, "frame %u", f);
      continue;
    }
    fail_unless (figures->FLASH_transitions == expected[f], "frame %u: %g, not %d", f,
        figures->FLASH_transitions, expected[f]);
    fail_unless_equals_int (figures->n_zones, HISTO_N_ZONES);
  }
  fixture_close (&fixture);
}

TEST (test_times)
{
  static const gint64 steady[] = { 0, 400, 800, 1200, 1600 };
  static const gint in_steady[] = { 0, 1, 2, 3, 3 };
  static const gint64 backwards[] = { 9000, 8600, 8200, 7800, 7400 };
  static const gint64 jumps[] = { 0, 100, 200, 100, 90000, 89900, 0, 0, 0, 400, 1000 };
  static const gint in_jumps[] = { 0, 1, 2, 3, 1, 2, 1, 2, 3, 4, 2 };
  static const gint64 none[] = { NONE, NONE, NONE, NONE, NONE, NONE };
  static const gint in_none[] = { NONE, NONE, NONE, NONE, NONE, NONE };
  static const gint at_rate[] = { 0, 1, 2, 3, 3, 3 };
  static const gint64 some[] = { NONE, 100, 500, NONE, 600, 700 };
  static const gint in_some[] = { NONE, NONE, 0, NONE, NONE, 0 };
  static const gint in_some_at_rate[] = { 0, 1, 2, 3, 3, 4 };

  for (guint has_stream_time = 0; has_stream_time < 2; has_stream_time++) {
    check_times (FLASH_CAPS, has_stream_time, steady, in_steady, 5);
    check_times (FLASH_CAPS, has_stream_time, backwards, in_steady, 5);
    check_times (FLASH_CAPS ", framerate=25/1", has_stream_time, jumps, in_jumps, 11);
    check_times (FLASH_CAPS, has_stream_time, none, in_none, 6);
    check_times (FLASH_CAPS ", framerate=5/2", has_stream_time, none, at_rate, 6);
    check_times (FLASH_CAPS, has_stream_time, some, in_some, 6);
    check_times (FLASH_CAPS ", framerate=5/2", has_stream_time, some, in_some_at_rate, 6);
  }
}

/* After a break there are no transitions, as if the stream began. */
TEST (test_flash_restarts)
{
  static const guint n_white[] = { 144 }, cells[] = { 0, 0 };
  Fixture fixture;

  fixture_open (&fixture, FLASH_CAPS ", framerate=25/1", FLASH, NULL);
  for (guint reason = HISTO_RESTART_DISCONTINUITY; reason <= HISTO_RESTART_FLUSH; reason++) {
    for (guint n = 0; n < 8; n++)
      pass_flash (&fixture, n, n_white, cells);
    check_zones (&fixture, 7, cells);
    fail_unless_equals_float (figures_of (&fixture, 0)->FLASH_state, HISTO_FLASH_FAIL);
    fail_unless_equals_float (figures_of (&fixture, 0)->FLASH_counter, 7);
    histo_running_restart (&fixture.running, reason);
    pass_flash (&fixture, 1, n_white, cells);
    check_zones (&fixture, 0, cells);
    fail_unless_equals_float (figures_of (&fixture, 0)->FLASH_transitions, 0);
    fail_unless_equals_float (figures_of (&fixture, 0)->FLASH_state, HISTO_FLASH_PASS);
    fail_unless_equals_float (figures_of (&fixture, 0)->FLASH_counter, 0);
  }
  /* A frame that the engine has not compared with the one before. */
  pass_flash (&fixture, 2, n_white, cells);
  fail_unless_equals_float (figures_of (&fixture, 0)->FLASH_transitions, 1);
  pass_flash (&fixture, 0, n_white, cells);
  fail_unless_equals_float (figures_of (&fixture, 0)->FLASH_transitions, 0);
  fixture_close (&fixture);
}

/* ---- Fields ------------------------------------------------------------------------------- */

#define FIELD HISTO_GROUP_FLAG (HISTO_GROUP_FIELD)

/* The next frame, whose tallies are @n more than a number that tells of each. */
static void
pass_field (Fixture * fixture, guint n)
{
  for (guint r = 0; r < 1 + fixture->plan->n_fixed; r++) {
    guint64 *tallies = fixture->passing.tallies + fixture->plan->first_tally[r];

    tallies[HISTO_TALLY_PREVIOUS_EVEN] = 1000 * (r + 1) + n;
    tallies[HISTO_TALLY_PREVIOUS_ODD] = 1100 + n;
    tallies[HISTO_TALLY_NEXT_EVEN] = 1200 + n;
    tallies[HISTO_TALLY_NEXT_ODD] = 1300 + n;
    tallies[HISTO_TALLY_CURRENT_EVEN] = 1400 + n;
    tallies[HISTO_TALLY_CURRENT_ODD] = 1500 + n;
    tallies[HISTO_TALLY_CHANGE_EVEN] = 100 + n;
    tallies[HISTO_TALLY_CHANGE_ODD] = 400 + n;
    tallies[HISTO_TALLY_COMB] = n;
  }
  test_passing_fill (&fixture->passing);
  histo_running_pass (&fixture->running, &fixture->passing.passing, NULL);
}

static void
check_no_field (Fixture * fixture, guint r, guint n)
{
  const HistoGroupFigures *figures = figures_of (fixture, r);

  fail_unless (isnan (figures->FIELD_previous_even) && isnan (figures->FIELD_previous_odd)
      && isnan (figures->FIELD_next_even) && isnan (figures->FIELD_next_odd)
      && isnan (figures->FIELD_current_even) && isnan (figures->FIELD_current_odd)
      && isnan (figures->FIELD_change_even) && isnan (figures->FIELD_change_odd)
      && isnan (figures->FIELD_single) && isnan (figures->FIELD_multi)
      && isnan (figures->FIELD_repeated));
  fail_unless_equals_float (figures->FIELD_comb, n / 128.);
}

/* The result has the sums of frame @n - 1, but those of the next frame and comb are of frame @n. */
static void
check_field (Fixture * fixture, guint r, guint n, gboolean is_first)
{
  const HistoGroupFigures *figures = figures_of (fixture, r);
  const guint before = n - 1;

  fail_unless_equals_float (figures->FIELD_previous_even,
      is_first ? 1400 + before : 1000 * (r + 1) + before);
  fail_unless_equals_float (figures->FIELD_previous_odd, (is_first ? 1500 : 1100) + before);
  fail_unless_equals_float (figures->FIELD_next_even, 1200 + n);
  fail_unless_equals_float (figures->FIELD_next_odd, 1300 + n);
  fail_unless_equals_float (figures->FIELD_current_even, 1400 + before);
  fail_unless_equals_float (figures->FIELD_current_odd, 1500 + before);
  fail_unless_equals_float (figures->FIELD_change_even, is_first ? 0 : 2 * (100 + before));
  fail_unless_equals_float (figures->FIELD_change_odd, is_first ? 0 : 2 * (400 + before));
  fail_unless_equals_float (figures->FIELD_comb, n / 128.);
  fail_unless_equals_float (figures->FIELD_single,
      !is_first && r == 1 ? HISTO_FIELD_TFF : HISTO_FIELD_UNDETERMINED);
  fail_unless_equals_float (figures->FIELD_multi, figures->FIELD_single);
  fail_unless_equals_float (figures->FIELD_repeated, is_first ? HISTO_REPEATED_NEITHER :
      HISTO_REPEATED_TOP);
}

/* The first result has no sums, nor has the first one after a break. */
TEST (test_fields)
{
  Fixture fixture;

  fixture_open (&fixture, NV12_CAPS, FIELD, "all=0,0,16,8; none=0,0,0,0");
  for (guint i = 0; i < 2; i++) {
    fixture.passing.counts.n_with_previous = 0;
    pass_field (&fixture, 3);
    check_no_field (&fixture, 0, 3);
    check_no_field (&fixture, 1, 3);
    fixture.passing.counts.n_with_previous = 1;
    pass_field (&fixture, 4);
    check_field (&fixture, 0, 4, TRUE);
    check_field (&fixture, 1, 4, TRUE);
    fail_unless (isnan (figures_of (&fixture, 2)->FIELD_current_even));
    fail_unless (isnan (figures_of (&fixture, 2)->FIELD_comb));
    pass_field (&fixture, 5);
    check_field (&fixture, 0, 5, FALSE);
    check_field (&fixture, 1, 5, FALSE);
    histo_running_restart (&fixture.running, HISTO_RESTART_DISCONTINUITY);
    pass_field (&fixture, 6);
    check_no_field (&fixture, 0, 6);
    pass_field (&fixture, 7);
    fail_unless_equals_float (figures_of (&fixture, 0)->FIELD_current_even, 1406);
  }
  fixture_close (&fixture);
}

/* Regions that metas describe have what follows from one frame and the one before, and nothing else. */
TEST (test_described_regions)
{
  HistoRegion roi = {.name = "face",.width = 16,.height = 8 };
  const HistoFrameInfo info = {.n_rois = 1,.rois = &roi };
  Fixture fixture;

  fixture.plan = test_plan_new (NV12_CAPS, FIELD | FLASH, "a=0,0,16,8", 2);
  histo_running_init (&fixture.running);
  test_passing_open (&fixture.passing, fixture.plan);
  for (guint f = 0; f < 3; f++) {
    const HistoGroupFigures *figures;

    fixture.passing.tallies[fixture.plan->first_tally[2] + HISTO_TALLY_COMB] = 64;
    histo_result_fill (&fixture.passing.result, fixture.plan, &fixture.passing.counts,
        &info, "cpu", HISTO_HISTOGRAMS_NONE);
    fixture.passing.passing.result = &fixture.passing.result;
    histo_running_pass (&fixture.running, &fixture.passing.passing, NULL);
    fail_unless_equals_int (fixture.passing.result.n_regions, 3);
    fail_unless (isnan (figures_of (&fixture, 1)->FIELD_current_even) == (f == 0));
    fail_unless_equals_float (figures_of (&fixture, 1)->FLASH_transitions, 0);
    check_no_field (&fixture, 2, 64);
    figures = figures_of (&fixture, 2);
    fail_unless_equals_float (figures->FLASH_luminance, 0);
    fail_unless (isnan (figures->FLASH_transitions) && isnan (figures->FLASH_red_transitions)
        && isnan (figures->FLASH_state));
    fail_unless_equals_int (figures->n_zones, 0);
  }
  fixture_close (&fixture);
}

/* ---- Cadence ------------------------------------------------------------------------------ */

/* The next frame is equal to the one before, or another one. */
static void
pass_repeat (Fixture * fixture, gdouble repeat)
{
  fixture->passing.counts.n_with_previous = !isnan (repeat);
  test_passing_fill (&fixture->passing);
  fixture->passing.result.regions[0].figures.MOTION_repeat = repeat;
  histo_running_pass (&fixture->running, &fixture->passing.passing, NULL);
}

static void
check_cadence (Fixture * fixture, gdouble period, gdouble n_unique)
{
  const HistoGroupFigures *figures = figures_of (fixture, 0);

  fail_unless (isnan (period) ? isnan (figures->MOTION_cadence_period) :
      figures->MOTION_cadence_period == period, "%g", figures->MOTION_cadence_period);
  fail_unless (isnan (period) ? isnan (figures->MOTION_cadence_unique) :
      figures->MOTION_cadence_unique == n_unique);
}

/* The first frame has no previous one: it is no part of a period. */
TEST (test_cadence)
{
  Fixture fixture;

  fixture_open (&fixture, NV12_CAPS, GROUPS, NULL);
  for (guint i = 0; i < 2; i++) {
    pass_repeat (&fixture, NAN);
    for (guint f = 0; f < 60; f++) {
      pass_repeat (&fixture, f % 5 == 2 || f % 5 == 3);
      check_cadence (&fixture, f < 49 ? NAN : 5, 3);
    }
    for (guint f = 0; f < 60; f++) {
      pass_repeat (&fixture, 1);
      check_cadence (&fixture, f < 49 ? NAN : 1, 0);
    }
    histo_running_restart (&fixture.running, HISTO_RESTART_DISCONTINUITY);
    pass_repeat (&fixture, 1);
    check_cadence (&fixture, NAN, 0);
  }
  fixture_close (&fixture);
}

/* 2 s by the frame rate are more frames than by the times. Without either there is no cadence. */
TEST (test_cadence_times)
{
  Fixture fixture;

  fixture_open (&fixture, NV12_CAPS, GROUPS, NULL);
  for (guint f = 0; f < 30; f++) {
    test_passing_set_times (&fixture.passing, 100 * f, -1);
    pass_repeat (&fixture, 0);
    check_cadence (&fixture, f < 19 ? NAN : 1, 1);
  }
  fixture_close (&fixture);
  fixture_open (&fixture, FLASH_CAPS, GROUPS, NULL);
  for (guint f = 0; f < 200; f++) {
    pass_repeat (&fixture, 0);
    check_cadence (&fixture, NAN, 1);
  }
  fixture_close (&fixture);
}

TEST_MAIN (60)
