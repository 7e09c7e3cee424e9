/* Windows: the sums of the counts, and which buffers belong to a window.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "passings.h"

#include "result/window.h"

#include <math.h>

#define NV12_CAPS "video/x-raw, format=NV12, width=64, height=48, framerate=25/1"
#define HLG_CAPS "video/x-raw, format=NV12, width=64, height=48, framerate=25/1, colorimetry=bt2100-hlg"
#define SMALL_CAPS "video/x-raw, format=GRAY8, width=16, height=8, framerate=25/1"
#define AUDIO_CAPS "audio/x-raw, format=%s, layout=interleaved, rate=48000, " \
    "channels=2, channel-mask=(bitmask)0x3"
#define VIDEO_GROUPS (HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL) \
    | HISTO_GROUP_FLAG (HISTO_GROUP_MOTION) | HISTO_GROUP_FLAG (HISTO_GROUP_DETAIL) \
    | HISTO_GROUP_FLAG (HISTO_GROUP_AREA) | HISTO_GROUP_FLAG (HISTO_GROUP_HDR) \
    | HISTO_GROUP_FLAG (HISTO_GROUP_GAMUT) | HISTO_GROUP_FLAG (HISTO_GROUP_FLASH) \
    | HISTO_GROUP_FLAG (HISTO_GROUP_FIELD))

/* A window, the buffer that is added next, and what a finished window has. */
typedef struct
{
  HistoPlan *plan;
  HistoWindow window;
  TestPassing passing;
  HistoResult result;
  HistoTimes times;
  guint64 n;                    /* buffers */
} Windows;

static void
windows_open (Windows * windows, const gchar * caps, guint groups,
    const gchar * regions, guint n_rois)
{
  memset (windows, 0, sizeof *windows);
  windows->plan = test_plan_new (caps, groups, regions, n_rois);
  histo_window_init (&windows->window);
  test_passing_open (&windows->passing, windows->plan);
}

static void
windows_finish (Windows * windows, HistoHistograms histograms)
{
  histo_result_clear (&windows->result);
  histo_window_finish (&windows->window, histograms, &windows->result,
      &windows->times, &windows->n);
}

static void
windows_close (Windows * windows)
{
  histo_result_clear (&windows->result);
  histo_window_clear (&windows->window);
  test_passing_close (&windows->passing);
  histo_plan_unref (windows->plan);
}

/* ---- Sums --------------------------------------------------------------------------------- */

/* The counters of a component of the result, widened. */
static guint64 *
histogram_of (const HistoComponentResult * component)
{
  const guint n = component->figures.bins;
  guint64 *wide = g_new (guint64, n);
  const gsize size = g_bytes_get_size (component->histogram);
  const guint8 *data = g_bytes_get_data (component->histogram, NULL);

  fail_unless (size == n * sizeof (guint32) || size == n * sizeof (guint64));
  for (guint i = 0; i < n; i++)
    wide[i] = size == n * sizeof (guint32) ? GST_READ_UINT32_LE (data + i * 4) :
        GST_READ_UINT64_LE (data + i * 8);
  return wide;
}

/* Bin @i of the light of all regions. */
static gsize
light_bin (const HistoPlan * plan, guint i)
{
  return histo_plan_first_light_bin (plan, i / plan->n_light_bins) + i % plan->n_light_bins;
}

/* Frames with regions of metas, whose counters are not valid; every fourth frame has no previous
 * one. @most: the greatest counter */
static void
check_video_sums (const gchar * caps, guint32 most, guint n_frames)
{
  GRand *random = test_random ();
  guint64 *sums;
  Windows w;

  windows_open (&w, caps, VIDEO_GROUPS, "a=0,0,8,8; b=10,10,20,20", 3);
  sums = g_new0 (guint64, w.plan->n_counters);
  for (guint f = 0; f < n_frames; f++) {
    test_passing_fill_random (&w.passing, random, most);
    test_passing_set_times (&w.passing, 1000 + f, 1);
    w.passing.counts.n_with_previous = f % 4 != 0;
    fail_unless (histo_window_has_place (&w.window, &w.passing.passing,
            GST_SECOND));
    histo_window_add (&w.window, &w.passing.passing, GST_SECOND, NULL);
    for (guint i = 0; i < w.plan->n_components; i++) {
      const HistoComponent *component = &w.plan->components[i];

      for (guint v = 0; v < component->n_values; v++)
        if (component->source != HISTO_SOURCE_DIFFERENCE || f % 4 != 0)
          sums[component->first_bin + v] +=
              w.passing.counters[component->first_bin + v];
    }
    for (guint i = 0; i < 3 * w.plan->n_light_bins; i++) {
      const gsize place = light_bin (w.plan, i);

      sums[place] += w.passing.counters[place];
    }
  }
  /* The light of HLG is no component of the result. */
  for (guint i = 0; i < 3 * w.plan->n_light_bins; i++)
    fail_unless (w.window.counters[light_bin (w.plan, i)] == sums[light_bin (w.plan, i)], "light, bin %u", i);
  windows_finish (&w, HISTO_HISTOGRAMS_ALL);
  fail_if (histo_window_is_open (&w.window));
  fail_unless_equals_uint64 (w.n, n_frames);
  fail_unless_equals_int (w.result.n_regions, 3);
  fail_unless_equals_int (w.result.n_components, 3 * w.plan->n_region_components);
  for (guint i = 0; i < w.result.n_components; i++) {
    const HistoComponent *component = &w.plan->components[i];
    guint64 *histogram = histogram_of (&w.result.components[i]);

    for (guint v = 0; v < component->n_values; v++)
      fail_unless (histogram[v] == sums[component->first_bin + v],
          "%s of region %u, value %u", component->name, component->region, v);
    g_free (histogram);
  }
  windows_close (&w);
  g_rand_free (random);
  g_free (sums);
}

TEST (test_video_sums)
{
  check_video_sums (NV12_CAPS, 1000, 50);
}

TEST (test_light_sums)
{
  check_video_sums (HLG_CAPS, 1000, 10);
}

/* Frames of 65536 bins whose counters the device has left as halves: what `counters` had before does not
 * count. */
TEST (test_halves)
{
  static const guint values[] = { 0, 7, 40000, 65535 };
  static const guint32 counts[] = { 65536, 5, 0x20001, 70000 };
  HistoHalves *halves = g_new0 (HistoHalves, 1);
  guint64 *histogram, sum = 0;
  Windows w;

  windows_open (&w, "video/x-raw, format=GRAY16_LE, width=64, height=48, framerate=25/1",
      0, NULL, 0);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    halves->low[values[i]] = counts[i] & 0xffff;
    halves->high[values[i]] = counts[i] >> 16;
    halves->blocks[values[i] / HISTO_HALVES_BLOCK].most = 70000;
  }
  w.passing.counts.halves[0] = halves;
  for (guint f = 0; f < 3; f++) {
    halves->is_joined = FALSE;
    memset (w.passing.counters, 0xa5, HISTO_PACKED_BINS * sizeof *w.passing.counters);
    test_passing_set_times (&w.passing, 1000 + f, 1);
    histo_window_add (&w.window, &w.passing.passing, GST_SECOND, NULL);
  }
  windows_finish (&w, HISTO_HISTOGRAMS_ALL);
  histogram = histogram_of (&w.result.components[0]);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    fail_unless_equals_uint64 (histogram[values[i]], 3 * (guint64) counts[i]);
  for (guint v = 0; v < HISTO_PACKED_BINS; v++)
    sum += histogram[v];
  fail_unless_equals_uint64 (sum, 3 * (65536ull + 5 + 0x20001 + 70000));
  g_free (histogram);
  g_free (halves);
  windows_close (&w);
}

/* Joint components: the device has left their counters as halves, and their sums need more than 32 bits. The windows
 * of other plans have none. */
TEST (test_joints)
{
  HistoHalves *halves;
  guint32 *counters;
  guint64 *histogram;
  guint n;
  Windows w;

  windows_open (&w, NV12_CAPS, HISTO_GROUP_FLAG (HISTO_GROUP_SCOPES), "a=0,0,8,8", 0);
  n = w.plan->n_joints;
  fail_unless_equals_int (n, 2);
  halves = g_new0 (HistoHalves, n);
  counters = g_malloc (n * HISTO_SCOPE_BINS * sizeof *counters);
  for (guint j = 0; j < n; j++) {
    halves[j].low[3] = 7 + j;
    halves[j].low[65535] = 0xffff;
    halves[j].high[65535] = 0xffff;
    halves[j].blocks[65535 / HISTO_HALVES_BLOCK].most = G_MAXUINT32;
  }
  w.passing.counts.joints = counters;
  w.passing.counts.joint_halves = halves;
  for (guint f = 0; f < 3; f++) {
    for (guint j = 0; j < n; j++)
      halves[j].is_joined = FALSE;
    test_passing_set_times (&w.passing, 1000 + f, 1);
    histo_window_add (&w.window, &w.passing.passing, GST_SECOND, NULL);
  }
  windows_finish (&w, HISTO_HISTOGRAMS_PICTURE);
  fail_unless_equals_int (w.result.n_joints, n);
  for (guint j = 0; j < n; j++) {
    const HistoComponentResult *joint = &w.result.joints[j];

    histogram = histogram_of (joint);
    fail_unless_equals_int (g_bytes_get_size (joint->histogram), HISTO_SCOPE_BINS * sizeof (guint64));
    fail_unless_equals_uint64 (histogram[3], 3 * (7 + j));
    fail_unless_equals_uint64 (histogram[65535], 3 * (guint64) G_MAXUINT32);
    fail_unless_equals_uint64 (joint->figures.count, 3 * (7 + j) + 3 * (guint64) G_MAXUINT32);
    g_free (histogram);
  }
  /* Without histograms there are counts alone. */
  for (guint j = 0; j < n; j++)
    halves[j].is_joined = FALSE;
  histo_window_add (&w.window, &w.passing.passing, GST_SECOND, NULL);
  windows_finish (&w, HISTO_HISTOGRAMS_NONE);
  fail_unless (w.result.joints[1].histogram == NULL);
  fail_unless_equals_uint64 (w.result.joints[1].figures.count, 8 + (guint64) G_MAXUINT32);
  windows_close (&w);
  g_free (counters);
  g_free (halves);
}

/* Sums beyond 32 bits. */
TEST (test_wide_sums)
{
  check_video_sums (NV12_CAPS, G_MAXUINT32, 20);
}

/* Tallies are added; those that need a previous frame are not added of a frame that has none. */
TEST (test_tallies)
{
  const guint pixels = 64 * 48;
  Windows w;

  windows_open (&w, NV12_CAPS, VIDEO_GROUPS, "a=0,0,8,8", 2);
  for (guint f = 0; f < 3; f++) {
    guint64 *picture = w.passing.tallies;
    guint64 *region = w.passing.tallies + w.plan->first_tally[1];

    w.passing.counts.n_with_previous = f > 0;
    memset (w.passing.tallies, 0xaa, w.plan->n_tallies * sizeof (guint64));
    for (guint t = 0; t < HISTO_N_TALLIES; t++)
      picture[t] = region[t] = 0;
    picture[HISTO_TALLY_BRNG] = 100 * (f + 1);
    region[HISTO_TALLY_VREP] = 16;
    region[HISTO_TALLY_VREP_DETAIL] = 8;
    /* Differences of -1 on average, and of squares of 5: ti is 2, unless the first frame is added, too. */
    picture[HISTO_TALLY_TI_SUM] = -(gint64) pixels;
    picture[HISTO_TALLY_TI_SQUARES] = 5 * pixels;
    if (f == 0)
      picture[HISTO_TALLY_TI_SQUARES] = picture[HISTO_TALLY_TI_SUM] = 12345;
    histo_window_add (&w.window, &w.passing.passing, GST_SECOND, NULL);
  }
  windows_finish (&w, HISTO_HISTOGRAMS_NONE);
  fail_unless_equals_float (w.result.regions[0].figures.SIGNAL_brng,
      600. / 3 / pixels);
  fail_unless_equals_float (w.result.regions[1].figures.SIGNAL_vrep, 0.25);
  fail_unless_equals_float (w.result.regions[1].figures.SIGNAL_vrep_detail, 0.125);
  fail_unless_equals_float (w.result.regions[0].figures.DETAIL_ti, 2);
  windows_close (&w);
}

/* Of the picture: @n pixels have this maxrgb. */
static void
set_maxrgb (TestPassing * passing, guint value, guint n)
{
  for (guint c = 0; c < passing->plan->n_region_components; c++)
    if (passing->plan->components[c].source == HISTO_SOURCE_MAXRGB)
      test_passing_set_histogram (passing, 0, c, value, n);
}

/* Of extremes the greatest one counts, whichever frame has it, and each region has its own. */
TEST (test_extremes)
{
  static const gint greatest[] = { 235, 407, 16 }, least[] = { 16, 12, -203 };
  static const gint red[] = { 10, 255, 40 };
  const guint pixels = 64 * 48;

  for (guint turn = 0; turn < 3; turn++) {
    const HistoGroupFigures *figures;
    Windows w;

    windows_open (&w, NV12_CAPS, VIDEO_GROUPS, "a=0,0,8,8", 0);
    for (guint f = 0; f < 3; f++) {
      const guint i = (turn + f) % 3;
      guint64 *picture = w.passing.tallies;
      guint64 *region = w.passing.tallies + w.plan->first_tally[1];

      memset (w.passing.tallies, 0, w.plan->n_tallies * sizeof (guint64));
      picture[HISTO_TALLY_GREATEST_R] = HISTO_GAMUT_BIAS + greatest[i];
      picture[HISTO_TALLY_LEAST_R] = HISTO_GAMUT_BIAS - least[i];
      picture[HISTO_TALLY_GREATEST_Y] = HISTO_GAMUT_BIAS - 1;
      picture[HISTO_TALLY_LEAST_Y] = HISTO_GAMUT_BIAS + 1;
      picture[HISTO_TALLY_GAMUT_R] = 100 * i;
      region[HISTO_TALLY_GREATEST_R] = HISTO_GAMUT_BIAS + 16 + f;
      region[HISTO_TALLY_LEAST_R] = HISTO_GAMUT_BIAS - 16 - f;
      picture[HISTO_TALLY_GREATEST_RED] = 1 + red[i];
      picture[HISTO_TALLY_GREATEST_GREEN] = picture[HISTO_TALLY_GREATEST_BLUE] = 1;
      set_maxrgb (&w.passing, red[i], pixels);
      histo_window_add (&w.window, &w.passing.passing, GST_SECOND, NULL);
    }
    windows_finish (&w, HISTO_HISTOGRAMS_NONE);
    figures = &w.result.regions[0].figures;
    fail_unless_equals_float (figures->GAMUT_r_max, 100 * (407 - 16) / 219.);
    fail_unless_equals_float (figures->GAMUT_r_min, 100 * (-203 - 16) / 219.);
    fail_unless_equals_float (figures->GAMUT_y_max, 100 * (-1 - 16) / 219.);
    fail_unless_equals_float (figures->GAMUT_y_min, 100 * (-1 - 16) / 219.);
    fail_unless_equals_float (figures->GAMUT_r, 300. / 3 / pixels);
    fail_unless_equals_float (figures->HDR_r_max, 100);
    fail_unless_equals_float (figures->HDR_g_max, 0);
    fail_unless_equals_float (figures->HDR_b_max, 0);
    fail_unless_equals_float (figures->HDR_max, 100);
    figures = &w.result.regions[1].figures;
    fail_unless_equals_float (figures->GAMUT_r_max, 100 * 2 / 219.);
    fail_unless_equals_float (figures->GAMUT_r_min, 0);
    windows_close (&w);
  }
}

/* Means are of all frames, changes of those that have a previous one. */
TEST (test_changes)
{
  const guint pixels = 64 * 48;
  const HistoGroupFigures *figures;
  Windows w;

  windows_open (&w, NV12_CAPS, VIDEO_GROUPS, NULL, 0);
  for (guint f = 0; f < 3; f++) {
    guint64 *picture = w.passing.tallies;

    w.passing.counts.n_with_previous = f > 0;
    memset (w.passing.tallies, 0, w.plan->n_tallies * sizeof (guint64));
    picture[HISTO_TALLY_LUMINANCE_SUM] = (guint64) pixels * 65535 * f / 2;
    picture[HISTO_TALLY_LUMINANCE_AREA] = f == 0 ? 12345 : pixels / 4;
    picture[HISTO_TALLY_RED_DOWN] = f == 0 ? 12345 : pixels / 2 * (f - 1);
    picture[HISTO_TALLY_COMB] = pixels / 8 * f;
    picture[HISTO_TALLY_CURRENT_ODD] = 1000;
    picture[HISTO_TALLY_CHANGE_EVEN] = f == 0 ? 12345 : 7;
    picture[HISTO_TALLY_NEXT_ODD] = f == 0 ? 12345 : 11;
    histo_window_add (&w.window, &w.passing.passing, GST_SECOND, NULL);
  }
  windows_finish (&w, HISTO_HISTOGRAMS_NONE);
  figures = &w.result.regions[0].figures;
  fail_unless_equals_float (figures->FLASH_luminance, 0.5);
  fail_unless_equals_float (figures->FLASH_area, 0.25);
  fail_unless_equals_float (figures->FLASH_red_down, 0.25);
  fail_unless_equals_float (figures->FLASH_up, 0);
  fail_unless_equals_float (figures->FIELD_comb, 0.125);
  fail_unless_equals_float (figures->FIELD_current_odd, 3000);
  fail_unless_equals_float (figures->FIELD_change_even, 2 * 2 * 7);
  fail_unless_equals_float (figures->FIELD_next_odd, 22);
  windows_close (&w);
}

/* Rows 5 to 40 and columns 3 to 60 are bright in one of two frames, so their sums are, too. The last
 * sums of a region are not part of a whole block. */
TEST (test_area)
{
  Windows w;

  windows_open (&w, NV12_CAPS, VIDEO_GROUPS, "a=1,2,50,40", 0);
  for (guint f = 0; f < 2; f++) {
    guint64 *rows = w.passing.tallies + HISTO_N_TALLIES, *columns = rows + 48;

    for (guint y = 0; y < 48; y++)
      rows[y] = f == 0 && y >= 5 && y <= 40 ? 64 * 200 : 0;
    for (guint x = 0; x < 64; x++)
      columns[x] = f == 0 && x >= 3 && x <= 60 ? 48 * 200 : 0;
    histo_window_add (&w.window, &w.passing.passing, GST_SECOND, NULL);
  }
  windows_finish (&w, HISTO_HISTOGRAMS_NONE);
  fail_unless_equals_int (w.result.regions[0].figures.area_x, 3);
  fail_unless_equals_int (w.result.regions[0].figures.area_y, 5);
  fail_unless_equals_int (w.result.regions[0].figures.area_width, 58);
  fail_unless_equals_int (w.result.regions[0].figures.area_height, 36);
  fail_unless_equals_int (w.result.regions[1].figures.area_width, 0);
  windows_close (&w);
}

/* Squares of gradients beyond 64 bits: si is that of each frame. The sum of the gradients is 0, so si
 * is the root of their mean square. @sum: of the differences of a frame: 1 or -1 on average, so that ti is 2 */
static void
check_wide_tallies (gint64 sum)
{
  gdouble expected = 0;

  for (guint n_frames = 1; n_frames < 8; n_frames++) {
    Windows w;

    windows_open (&w, NV12_CAPS, VIDEO_GROUPS, "a=0,0,64,48", 0);
    for (guint r = 0; r < 2; r++) {
      guint64 *tallies = w.passing.tallies + w.plan->first_tally[r];

      tallies[HISTO_TALLY_GRADIENT_SQUARES] = G_GUINT64_CONSTANT (1) << 63;
      tallies[HISTO_TALLY_TI_SUM] = sum;
      tallies[HISTO_TALLY_TI_SQUARES] = 5 * 64 * 48;
    }
    for (guint f = 0; f < n_frames; f++)
      histo_window_add (&w.window, &w.passing.passing, GST_SECOND, NULL);
    windows_finish (&w, HISTO_HISTOGRAMS_NONE);
    if (n_frames == 1)
      expected = w.result.regions[0].figures.DETAIL_si;
    fail_unless (expected > 0);
    for (guint r = 0; r < 2; r++) {
      fail_unless (fabs (w.result.regions[r].figures.DETAIL_si / expected - 1)
          < 1e-12);
      fail_unless_equals_float (w.result.regions[r].figures.DETAIL_ti, 2);
    }
    windows_close (&w);
  }
}

/* Frames that become darker, and frames that become brighter. */
TEST (test_wide_tallies)
{
  check_wide_tallies (-64 * 48);
  check_wide_tallies (64 * 48);
}

static void
check_audio_sums (const gchar * name, gboolean is_float)
{
  gchar *caps = g_strdup_printf (AUDIO_CAPS, name);
  GRand *random = test_random ();
  gint64 sum[2] = { 0, 0 }, min[2] = { 0, 0 };
  guint64 underflow[2] = { 0, 0 };
  unsigned __int128 squares[2] = { 0, 0 };
  Windows w;

  windows_open (&w, caps, 0, NULL, 0);
  for (guint b = 0; b < 10; b++) {
    test_passing_fill_random (&w.passing, random, 1000);
    for (guint c = 0; c < 2; c++) {
      HistoTotals *totals = &w.passing.totals[c];

      totals->float_sum[0] = totals->sum;
      totals->float_sum[1] = 0.125;
      totals->float_min = totals->min;
      totals->float_max = totals->max;
      sum[c] += totals->sum;
      min[c] = MIN (min[c], totals->min);
      squares[c] += totals->square_low
          + ((unsigned __int128) totals->square_high << 32);
      underflow[c] += totals->underflow;
    }
    histo_window_add (&w.window, &w.passing.passing, GST_SECOND, NULL);
  }
  for (guint c = 0; c < 2; c++)
    fail_unless (w.window.wide_sums[c].squares == squares[c]);
  windows_finish (&w, HISTO_HISTOGRAMS_NONE);
  fail_unless_equals_uint64 (w.result.n_samples, 4800);
  for (guint c = 0; c < 2; c++) {
    const HistoFigures *figures = &w.result.components[c].figures;

    fail_unless (fabs (figures->sum - (is_float ? sum[c] + 10 * 0.125 : sum[c]))
        <= fabs (figures->sum) * 1e-15);
    fail_unless_equals_float (figures->min, min[c]);
    for (guint p = 0; p < HISTO_N_PERCENTILES; p++)
      fail_unless (figures->percentiles[p] >= figures->min
          && figures->percentiles[p] <= figures->max);
    fail_unless_equals_uint64 (figures->underflow, underflow[c]);
  }
  windows_close (&w);
  g_rand_free (random);
  g_free (caps);
}

TEST (test_audio_sums)
{
  check_audio_sums ("S16LE", FALSE);
  check_audio_sums ("F32LE", TRUE);
}

/* Buffers of U32 silence, 2^31, whose sum needs 65 bits: that of a day at 48 kHz. */
TEST (test_long_audio)
{
  const guint64 n_samples = G_MAXINT32;
  const gdouble silence = 2147483648.0;
  gchar *caps = g_strdup_printf (AUDIO_CAPS, "U32LE");
  Windows w;

  windows_open (&w, caps, 0, NULL, 0);
  w.passing.counts.n_samples = n_samples;
  for (guint c = 0; c < 2; c++) {
    HistoTotals *totals = &w.passing.totals[c];

    w.passing.counters[w.plan->components[c].first_bin + 128] = n_samples;
    totals->sum = n_samples << 31;
    totals->square_high = n_samples << 30;
    totals->min = totals->max = (gint64) silence;
  }
  for (guint b = 0; b < 3; b++)
    histo_window_add (&w.window, &w.passing.passing, GST_SECOND, NULL);
  windows_finish (&w, HISTO_HISTOGRAMS_NONE);
  for (guint c = 0; c < 2; c++) {
    const HistoFigures *figures = &w.result.components[c].figures;

    fail_unless_equals_uint64 (figures->count, 3 * n_samples);
    fail_unless_equals_float (figures->sum, 3 * n_samples * silence);
    fail_unless_equals_float (figures->mean, silence);
    fail_unless_equals_float (figures->variance, 0);
  }
  windows_close (&w);
  g_free (caps);
}

/* The greatest score and distances of the window, and the latest light values. */
TEST (test_running_values)
{
  static const gdouble scores[] = { NAN, 3, 50, 7 };
  Windows w;

  windows_open (&w, SMALL_CAPS, VIDEO_GROUPS, NULL, 0);
  for (guint f = 0; f < G_N_ELEMENTS (scores); f++) {
    HistoGroupFigures *figures;

    test_passing_fill (&w.passing);
    figures = &w.passing.result.regions[0].figures;
    figures->MOTION_scene_score = figures->MOTION_histogram_emd = scores[f];
    figures->MOTION_histogram_chi2 = NAN;
    figures->HDR_max_cll = 100 + f;
    histo_window_add (&w.window, &w.passing.passing, GST_SECOND, NULL);
  }
  windows_finish (&w, HISTO_HISTOGRAMS_NONE);
  fail_unless_equals_float (w.result.regions[0].figures.MOTION_scene_score, 50);
  fail_unless_equals_float (w.result.regions[0].figures.MOTION_histogram_emd, 50);
  fail_unless (isnan (w.result.regions[0].figures.MOTION_histogram_chi2));
  fail_unless_equals_float (w.result.regions[0].figures.HDR_max_cll, 103);
  windows_close (&w);
}

/* Transitions, states and zones are the greatest; decisions and cadence the latest; sums of fields are sums. */
TEST (test_greatest)
{
  static const guint numbers[] = { 3, 7, 2, 5 };
  Windows w;

  windows_open (&w, SMALL_CAPS, HISTO_GROUP_FLAG (HISTO_GROUP_FLASH)
      | HISTO_GROUP_FLAG (HISTO_GROUP_FIELD) | HISTO_GROUP_FLAG (HISTO_GROUP_MOTION), NULL, 0);
  for (guint f = 0; f < G_N_ELEMENTS (numbers); f++) {
    HistoGroupFigures *figures;

    w.passing.tallies[HISTO_TALLY_CURRENT_EVEN] = numbers[f];
    test_passing_fill (&w.passing);
    figures = &w.passing.result.regions[0].figures;
    figures->FLASH_transitions = numbers[f];
    figures->FLASH_red_transitions = numbers[3 - f];
    figures->FLASH_counter = numbers[f] + 1;
    figures->FLASH_state = f % 3;
    figures->FIELD_single = figures->FIELD_repeated = f % 2;
    figures->FIELD_multi = 2;
    figures->FIELD_current_even = 1000;
    figures->MOTION_cadence_period = 10 - f;
    figures->MOTION_cadence_unique = f;
    figures->n_zones = f == 2 ? 0 : HISTO_N_ZONES;
    for (guint z = 0; z < figures->n_zones; z++)
      figures->zones[z] = (HistoZone) {numbers[f] + z, numbers[3 - f] * z, (f + z) % 3};
    histo_window_add (&w.window, &w.passing.passing, GST_SECOND, NULL);
  }
  windows_finish (&w, HISTO_HISTOGRAMS_NONE);
  {
    const HistoGroupFigures *figures = &w.result.regions[0].figures;

    fail_unless_equals_float (figures->FLASH_transitions, 7);
    fail_unless_equals_float (figures->FLASH_red_transitions, 7);
    fail_unless_equals_float (figures->FLASH_counter, 8);
    fail_unless_equals_float (figures->FLASH_state, 2);
    fail_unless_equals_float (figures->FIELD_single, 1);
    fail_unless_equals_float (figures->FIELD_multi, 2);
    fail_unless_equals_float (figures->FIELD_repeated, 1);
    fail_unless_equals_float (figures->FIELD_current_even, 17);
    fail_unless_equals_float (figures->MOTION_cadence_period, 7);
    fail_unless_equals_float (figures->MOTION_cadence_unique, 3);
    fail_unless_equals_int (figures->n_zones, HISTO_N_ZONES);
    for (guint z = 0; z < HISTO_N_ZONES; z++) {
      fail_unless_equals_int (figures->zones[z].transitions, 7 + z);
      fail_unless_equals_int (figures->zones[z].red_transitions, 5 * z);
      /* Of the frames 0, 1 and 3, which is as frame 0. */
      fail_unless_equals_int (figures->zones[z].state, z % 3 == 0 ? 1 : 2);
    }
  }
  windows_close (&w);
}

/* ---- Which buffers belong to a window ----------------------------------------------------- */

#define LENGTH (100 * GST_MSECOND)

/* Whether a buffer at this time (ms; < 0: without times) belongs to the open window. */
static gboolean
has_place (Windows * windows, gint64 start)
{
  test_passing_set_times (&windows->passing, start, 40);
  return histo_window_has_place (&windows->window, &windows->passing.passing,
      LENGTH);
}

static void
add (Windows * windows, gint64 start)
{
  fail_unless (has_place (windows, start));
  histo_window_add (&windows->window, &windows->passing.passing, LENGTH, NULL);
}

/* Finishes the window, which must have these times in ms (< 0: unknown) and buffers. */
static void
check_finished (Windows * windows, gint64 start, gint64 duration, guint n)
{
  const HistoTimes *times = &windows->times;

  windows_finish (windows, HISTO_HISTOGRAMS_NONE);
  fail_unless_equals_uint64 (times->stream_time, test_ms (start));
  fail_unless_equals_uint64 (times->timestamp, times->stream_time);
  fail_unless_equals_uint64 (times->running_time, times->stream_time);
  fail_unless_equals_uint64 (times->duration, test_ms (duration));
  fail_unless_equals_uint64 (windows->n, n);
}

/* A window begins at a multiple of its length; the next one begins exactly where it ends. */
TEST (test_edges)
{
  Windows windows;

  windows_open (&windows, SMALL_CAPS, 0, NULL, 0);
  add (&windows, 130);
  add (&windows, 100);
  add (&windows, 199);
  fail_if (has_place (&windows, 200));
  fail_if (has_place (&windows, 99));
  fail_if (has_place (&windows, 1170));
  check_finished (&windows, 100, 139, 3);
  windows_close (&windows);
}

/* A buffer without stream time stays in the window; one with stream time joins a window that has
 * none yet. */
TEST (test_no_stream_time)
{
  Windows windows;

  windows_open (&windows, SMALL_CAPS, 0, NULL, 0);
  add (&windows, -1);
  add (&windows, -1);
  add (&windows, 340);
  add (&windows, -1);
  fail_if (has_place (&windows, 400));
  check_finished (&windows, 340, 40, 4);

  add (&windows, -1);
  add (&windows, -1);
  check_finished (&windows, -1, 80, 2);
  windows.passing.times.duration = GST_CLOCK_TIME_NONE;
  histo_window_add (&windows.window, &windows.passing.passing, LENGTH, NULL);
  check_finished (&windows, -1, -1, 1);

  windows.passing.times.duration = GST_CLOCK_TIME_NONE - 5;
  for (guint i = 0; i < 2; i++)
    histo_window_add (&windows.window, &windows.passing.passing, LENGTH, NULL);
  check_finished (&windows, -1, -1, 2);
  windows_close (&windows);
}

/* Going back inside of a window is another window only after a discontinuity. */
TEST (test_backwards)
{
  Windows windows;

  windows_open (&windows, SMALL_CAPS, 0, NULL, 0);
  add (&windows, 140);
  add (&windows, 100);
  histo_window_interrupt (&windows.window);
  fail_if (has_place (&windows, 139));
  fail_unless (has_place (&windows, -1));
  add (&windows, 140);
  add (&windows, 100);
  check_finished (&windows, 100, 80, 4);
  windows_close (&windows);
}

/* After a discontinuity, a buffer with stream time joins a window that has none yet. */
TEST (test_first_stream_time)
{
  Windows windows;

  windows_open (&windows, SMALL_CAPS, 0, NULL, 0);
  add (&windows, -1);
  histo_window_interrupt (&windows.window);
  add (&windows, 340);
  check_finished (&windows, 340, 40, 2);
  windows_close (&windows);
}

/* The end of the latest buffer is unknown, and the one before lies before it: the durations are added
 * up. */
TEST (test_unknown_end)
{
  Windows windows;

  windows_open (&windows, SMALL_CAPS, 0, NULL, 0);
  fail_unless (has_place (&windows, -1));
  windows.passing.passing.end = test_ms (40);
  histo_window_add (&windows.window, &windows.passing.passing, LENGTH, NULL);
  fail_unless (has_place (&windows, 340));
  windows.passing.passing.end = GST_CLOCK_TIME_NONE;
  histo_window_add (&windows.window, &windows.passing.passing, LENGTH, NULL);
  check_finished (&windows, 340, 80, 2);
  windows_close (&windows);
}

/* Another length, other bins and other caps are another window; more room for regions of metas
 * is not. */
TEST (test_other_plans)
{
  const HistoPlanSettings bins = {.bins = {16, 0, 0} };
  HistoPlan *plan;
  Windows windows;
  const HistoPlanSettings rois = {.n_rois = 4 };

  windows_open (&windows, SMALL_CAPS, 0, NULL, 0);
  add (&windows, 100);
  fail_if (histo_window_has_place (&windows.window, &windows.passing.passing,
          2 * LENGTH));
  fail_if (histo_window_has_place (&windows.window, &windows.passing.passing,
          0));
  plan = histo_plan_new (windows.plan->format, &bins);
  windows.passing.passing.plan = plan;
  fail_if (has_place (&windows, 100));
  histo_plan_unref (plan);
  plan = test_plan_new (SMALL_CAPS, 0, NULL, 0);
  windows.passing.passing.plan = plan;
  fail_if (has_place (&windows, 100));
  histo_plan_unref (plan);
  plan = histo_plan_new (windows.plan->format, &rois);
  windows.passing.passing.plan = plan;
  add (&windows, 140);
  histo_plan_unref (plan);
  check_finished (&windows, 100, 80, 2);
  windows_close (&windows);
}

TEST_MAIN (60)
