/* The figures of the groups, from random counts and tallies, against those of the reference.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "expected-counts.h"
#include "formats.h"
#include "frames.h"

#include <math.h>

#include "measures/groups.h"
#include "measures/colors.h"

#define ALL_GROUPS ((1u << HISTO_N_GROUPS) - 1)

#define WIDTH 48
#define HEIGHT 36

/* ---- Random counts ------------------------------------------------------------------------ */

typedef struct
{
  HistoFormat *format;
  HistoPlan *plan;
  HistoRegion rois[1];
  HistoFrameInfo info;
  guint32 *counters;            /* of a frame */
  guint64 *wide;                /* of a window */
  guint64 *tallies;
  HistoCounts counts;
} Case;

static HistoFormat *
format_of (GstVideoFormat video, guint width, guint height, const gchar * colorimetry)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, gst_video_format_to_string (video),
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate", GST_TYPE_FRACTION, 25, 1,
      "colorimetry", G_TYPE_STRING, colorimetry, NULL);
  HistoFormat *format = histo_format_new (caps, NULL);

  fail_unless (format != NULL);
  gst_caps_unref (caps);
  return format;
}

/* Room for the picture, four regions of the settings and one of a meta. */
static void
open_case (Case * c, GstVideoFormat video, guint groups, const gchar * colorimetry, GRand * random)
{
  GArray *regions = histo_region_specs_parse ("all=0,0,100%,100%; "
      "some=5,3,20,10; pixel=47,35,1,1; flat=3,4,30,2; none=10,10,0,5", NULL);
  const HistoPlanSettings settings = {.groups = groups,
    .regions = regions,.n_rois = 1
  };

  memset (c, 0, sizeof *c);
  c->format = format_of (video, WIDTH, HEIGHT, colorimetry);
  c->plan = histo_plan_new (c->format, &settings);
  histo_region_clip (&c->rois[0], "roi", g_rand_int_range (random, 0, WIDTH),
      g_rand_int_range (random, 0, HEIGHT), 17, 12, WIDTH, HEIGHT);
  c->info.n_rois = 1;
  c->info.rois = c->rois;
  c->counters = g_new0 (guint32, c->plan->n_counters);
  c->wide = g_new0 (guint64, c->plan->n_counters);
  c->tallies = g_new0 (guint64, c->plan->n_tallies);
  c->counts.counters = c->counters;
  c->counts.tallies = c->tallies;
  g_array_unref (regions);
}

static void
close_case (Case * c)
{
  g_free (c->counters);
  g_free (c->wide);
  g_free (c->tallies);
  histo_plan_unref (c->plan);
  histo_format_unref (c->format);
}

/* A histogram: some values occur, and the low ones more often. */
static void
fill_counters (Case * c, gsize first, guint n_values, GRand * random)
{
  const guint n = g_rand_int_range (random, 1, 60);

  for (guint i = 0; i < n; i++) {
    const guint32 few = n_values >> g_rand_int_range (random, 0, 6);
    const guint32 limit = MAX (few, 1);
    const gsize place = first + g_rand_int_range (random, 0, limit);

    /* Never 0: a component of a region with pixels has samples. */
    c->counters[place] = g_rand_int (random) >> 20 | 1;
    c->wide[place] = g_rand_int (random) | 1;
    if (i % 7 == 0)
      c->wide[place] |= (guint64) g_rand_int_range (random, 0, 20) << 32;
  }
}

static void
fill_tallies (Case * c, guint r, GRand * random)
{
  const HistoRegion *rect = histo_plan_region (c->plan, &c->info, r);
  guint64 *tallies = c->tallies + c->plan->first_tally[r];
  const guint64 n_frames = c->counts.n_frames;
  const guint64 n = (guint64) rect->width * rect->height * n_frames;
  /* In frames that have a previous one: the squares of all frames would not fit to the sum. */
  const guint64 n_compared = (guint64) rect->width * rect->height * c->counts.n_with_previous;
  const guint64 n_inner = (guint64) (MAX (rect->width, 2) - 2)
      * (MAX (rect->height, 2) - 2) * n_frames;
  const guint64 most = (1u << c->format->formula_depth) - 1;
  const guint64 one = 1u << (16 - c->format->formula_depth);
  const guint values = c->format->colors == HISTO_COLORS_RGB ? 3 : 1;
  guint64 *rows = tallies + HISTO_N_TALLIES;
  guint64 *columns = rows + c->plan->regions[r].height;

  for (guint t = 0; t < HISTO_N_TALLIES; t++) {
    if (histo_tallies[t].kind == HISTO_TALLY_OF_PIXELS)
      tallies[t] = n * g_rand_double (random);
    else if (histo_tallies[t].group == HISTO_GROUP_HDR)
      tallies[t] = 1 + g_rand_int_range (random, 0, c->plan->hlg != NULL ? 65536 : most + 1);
    else if (histo_tallies[t].kind == HISTO_TALLY_IS_GREATEST)
      tallies[t] = HISTO_GAMUT_BIAS + (gint64) g_rand_int_range (random, -100000, 100000);
    else if (histo_tallies[t].group == HISTO_GROUP_FLASH)
      tallies[t] = 65535 * n * g_rand_double (random);
    else if (histo_tallies[t].group == HISTO_GROUP_FIELD)
      tallies[t] = most * n * g_rand_double (random);
  }
  /* Gradients around 3 most / 4, with 16 - depth fractional bits. */
  tallies[HISTO_TALLY_GRADIENT_SUM] = n_inner * most * one / 4 * 3;
  tallies[HISTO_TALLY_GRADIENT_SQUARES] = n_inner * (most * one) * (most * one);
  tallies[HISTO_TALLY_TI_SUM] = (guint64) (gint64)
      (n_compared * g_rand_double_range (random, -1, 1) * most / 2);
  tallies[HISTO_TALLY_TI_SQUARES] =
      n_compared * most * most * g_rand_double_range (random, 0.3, 1);
  for (guint y = 0; y < rect->height; y++)
    rows[y] = g_rand_double_range (random, 0, 0.13) * most * rect->width
        * values * n_frames;
  for (guint x = 0; x < rect->width; x++)
    columns[x] = g_rand_double_range (random, 0, 0.13) * most * rect->height
        * values * n_frames;
}

static void
fill_case (Case * c, GRand * random, gboolean is_window)
{
  memset (c->counters, 0, c->plan->n_counters * sizeof *c->counters);
  memset (c->wide, 0, c->plan->n_counters * sizeof *c->wide);
  c->counts.wide_counters = is_window ? c->wide : NULL;
  c->counts.n_frames = is_window ? g_rand_int_range (random, 2, 1000) : 1;
  c->counts.n_with_previous = c->counts.n_frames - g_rand_boolean (random);
  for (guint i = 0; i < c->plan->n_components; i++) {
    const HistoRegion *rect =
        histo_plan_region (c->plan, &c->info, c->plan->components[i].region);

    if (rect->width > 0 && rect->height > 0)
      fill_counters (c, c->plan->components[i].first_bin, c->plan->components[i].n_values, random);
  }
  for (guint r = 0; r < c->plan->n_regions; r++) {
    const HistoRegion *rect = histo_plan_region (c->plan, &c->info, r);

    if (c->plan->n_light_bins > 0 && rect->width > 0 && rect->height > 0)
      fill_counters (c, histo_plan_first_light_bin (c->plan, r), c->plan->n_light_bins, random);
    fill_tallies (c, r, random);
  }
}

/* ---- Comparison with the reference ---------------------------------------------------------- */

static void
check_close (gdouble value, gdouble expected, gdouble tolerance,
    const gchar * name, guint r)
{
  if (isnan (expected) || isinf (expected))
    fail_unless (isnan (value) == isnan (expected)
        && isinf (value) == isinf (expected), "%s of region %u is %g, not %g",
        name, r, value, expected);
  else
    fail_unless (fabs (value - expected) <= tolerance * MAX (fabs (expected), 1),
        "%s of region %u is %.17g, not %.17g", name, r, value, expected);
}

static void
check_shares (const HistoGroupFigures * figures, HistoGroup group, const ReferenceShares * shares, guint r)
{
  guint n = 0;

  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];

    for (guint k = 0; info->group == group && k < shares->n; k++) {
      if (!g_str_equal (info->name, shares->list[k].name))
        continue;
      check_close (G_STRUCT_MEMBER (gdouble, figures, info->offset), shares->list[k].share, 1e-12, info->name, r);
      n++;
    }
  }
  fail_unless_equals_int (n, shares->n);
  fail_unless (n > 0);
}

/* The sums of this frame and the next ones of the one before. */
static void
check_field_sums (const HistoGroupFigures * figures,
    const ReferenceMeasures * expected, guint r)
{
  const ReferenceField *field = &expected->field;
  const gboolean has_previous = expected->n_with_previous > 0;

#define CHECK_SUMS(name, present, sums) \
  check_close (figures->FIELD_##name##_even, (present) ? (gdouble) (sums)[0] : NAN, 1e-12, #name, r); \
  check_close (figures->FIELD_##name##_odd, (present) ? (gdouble) (sums)[1] : NAN, 1e-12, #name, r)
  const gboolean has_pixels = expected->region.width > 0 && expected->region.height > 0;
  const guint64 change[2] = {
    has_previous ? 2 * field->change[0] : 0, has_previous ? 2 * field->change[1] : 0
  };

  CHECK_SUMS (current, has_pixels, field->current);
  CHECK_SUMS (previous, has_pixels, has_previous ? field->previous : field->current);
  CHECK_SUMS (change, has_pixels, change);
  CHECK_SUMS (next, has_pixels && has_previous, field->next);
#undef CHECK_SUMS
  fail_unless (isnan (figures->FIELD_single) && isnan (figures->FIELD_multi)
      && isnan (figures->FIELD_repeated));
}

static void
check_region (const Case * c, guint r)
{
  const HistoRegion *rect = histo_plan_region (c->plan, &c->info, r);
  const GstVideoInfo *info = &c->format->video;
  ReferenceShape shape;
  ReferenceColor color;
  ReferenceMeasures expected;
  HistoGroupFigures figures;

  reference_video_shape (GST_VIDEO_INFO_FORMAT (info), WIDTH, HEIGHT, &shape);
  reference_color_init (&color, &shape, &info->colorimetry, HEIGHT);
  counted_measures (c->plan, r, rect, &color, &c->counts, &expected);
  reference_figures (&color, &expected);
  memset (&figures, 0x55, sizeof figures);
  histo_groups_fill (&figures, c->plan, &c->counts, r, rect);

#define CHECK_WITHIN(found, member, tolerance) \
  check_close (figures.found, expected.member, tolerance, #found, r)
#define CHECK(found, member) CHECK_WITHIN (found, member, 1e-12)
#define CHECK_LIGHT(found, member) CHECK_WITHIN (found, member, 1e-9)
#define CHECK_INT(found, member) fail_unless_equals_int (figures.found, expected.member)
  check_shares (&figures, HISTO_GROUP_SIGNAL, &expected.signal.shares, r);
  CHECK (SIGNAL_hue_circular_mean, signal.hue_circular_mean);
  CHECK_INT (n_bits_used, n_native);
  for (guint i = 0; i < figures.n_bits_used; i++)
    CHECK_INT (bits_used[i], signal.bits_used[i]);

  if (expected.groups & REFERENCE_GROUP_MOTION) {
    CHECK (MOTION_mafd, motion.mafd);
    CHECK (MOTION_freeze, motion.freeze);
    CHECK (MOTION_psnr, motion.psnr);
    if (isnan (expected.motion.freeze)) {
      fail_unless (isnan (figures.MOTION_repeat) && isnan (figures.MOTION_near_repeat));
    } else {
      CHECK (MOTION_repeat, motion.repeat);
      CHECK (MOTION_near_repeat, motion.near_repeat);
    }
  } else {
    fail_unless (isnan (figures.MOTION_mafd) && isnan (figures.MOTION_psnr)
        && isnan (figures.MOTION_freeze) && isnan (figures.MOTION_repeat)
        && isnan (figures.MOTION_near_repeat));
  }

  CHECK_LIGHT (HDR_max, hdr.max);
  CHECK_LIGHT (HDR_fall, hdr.fall);
  CHECK_LIGHT (HDR_p99, hdr.p99);
  CHECK_LIGHT (HDR_p999, hdr.p999);
  CHECK_LIGHT (HDR_p9999, hdr.p9999);
  CHECK_LIGHT (fall_p9999, hdr.fall_p9999);
  CHECK_LIGHT (HDR_r_max, hdr.r_max);
  CHECK_LIGHT (HDR_g_max, hdr.g_max);
  CHECK_LIGHT (HDR_b_max, hdr.b_max);
  /* These depend on the frames before. */
  fail_unless (isnan (figures.MOTION_scene_score)
      && isnan (figures.MOTION_histogram_chi2) && isnan (figures.HDR_max_cll));

  CHECK (DETAIL_si, detail.si);
  CHECK (DETAIL_ti, detail.ti);
  CHECK (DETAIL_sharpness, detail.sharpness);
  CHECK_INT (area_x, area.x);
  CHECK_INT (area_y, area.y);
  CHECK_INT (area_width, area.width);
  CHECK_INT (area_height, area.height);

#define CHECK_GAMUT(name, NAME) \
  CHECK (GAMUT_##name, gamut.out[REFERENCE_GAMUT_##NAME]); \
  CHECK (GAMUT_##name##_min, gamut.min[REFERENCE_GAMUT_##NAME]); \
  CHECK (GAMUT_##name##_max, gamut.max[REFERENCE_GAMUT_##NAME]); \
  CHECK (GAMUT_FILTER_##name, gamut_filter.out[REFERENCE_GAMUT_##NAME])
  CHECK_GAMUT (r, R);
  CHECK_GAMUT (g, G);
  CHECK_GAMUT (b, B);
  CHECK_GAMUT (y, Y);
#undef CHECK_GAMUT
  CHECK (GAMUT_any, gamut.out[REFERENCE_GAMUT_ANY]);
  CHECK (GAMUT_FILTER_any, gamut_filter.out[REFERENCE_GAMUT_ANY]);

  CHECK (FLASH_luminance, flash.luminance.mean);
  CHECK (FLASH_area, flash.luminance.area);
  CHECK (FLASH_up, flash.luminance.up);
  CHECK (FLASH_down, flash.luminance.down);
  CHECK (FLASH_red, flash.red.mean);
  CHECK (FLASH_red_area, flash.red.area);
  CHECK (FLASH_red_up, flash.red.up);
  CHECK (FLASH_red_down, flash.red.down);
  fail_unless (isnan (figures.FLASH_transitions) && isnan (figures.FLASH_red_transitions)
      && isnan (figures.FLASH_state));
  fail_unless_equals_int (figures.n_zones, 0);

  check_shares (&figures, HISTO_GROUP_FIELD, &expected.field.shares, r);
  check_field_sums (&figures, &expected, r);
#undef CHECK_INT
#undef CHECK_LIGHT
#undef CHECK
#undef CHECK_WITHIN
  reference_measures_clear (&expected);
}

/* ---- Tests -------------------------------------------------------------------------------- */

static const GstVideoFormat video_formats[] = {
  GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_AYUV, GST_VIDEO_FORMAT_P010_10LE,
  GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_RGBA,
  GST_VIDEO_FORMAT_RGB16, GST_VIDEO_FORMAT_GBR_12LE
};

/* The greatest R, G and B are those of the components of color, or of the samples of RGB, or tallies. */
#define COLOR HISTO_GROUP_FLAG (HISTO_GROUP_COLOR)

static const struct
{
  guint groups;
  const gchar *colorimetry;
} kinds[] = {
  {ALL_GROUPS, "bt709"},
  {ALL_GROUPS ^ COLOR, "bt709"},
  {ALL_GROUPS, "1:1:14:1"},     /* PQ of full range */
  {ALL_GROUPS ^ COLOR, "2:1:7:1"},      /* limited sRGB */
  {ALL_GROUPS, "bt2100-hlg"},
  {ALL_GROUPS ^ COLOR, "1:1:15:7"},
};

/* Of single frames and of windows, for the picture and for regions of every kind. */
TEST_LOOP (test_definitions, 0, G_N_ELEMENTS (video_formats))
{
  GRand *random = test_random ();
  Case c;

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
    open_case (&c, video_formats[__i__], kinds[k].groups, kinds[k].colorimetry, random);
    for (guint i = 0; i < (k == 0 ? 10 : 4); i++) {
      fill_case (&c, random, i % 2 == 1);
      for (guint r = 0; r < c.plan->n_regions; r++)
        check_region (&c, r);
    }
    close_case (&c);
  }
  g_rand_free (random);
}

/* Equal frames, black pictures and balanced hues. */
TEST (test_extremes)
{
  GRand *random = test_random ();
  HistoGroupFigures figures;
  const HistoComponent *hue;
  Case c;

  open_case (&c, GST_VIDEO_FORMAT_NV12, ALL_GROUPS, "bt709", random);
  c.counts.n_frames = c.counts.n_with_previous = 1;
  for (guint i = 0; i < c.plan->n_region_components; i++)
    c.counters[c.plan->components[i].first_bin] = WIDTH * HEIGHT;
  histo_groups_fill (&figures, c.plan, &c.counts, 0, &c.plan->regions[0]);
  fail_unless (isinf (figures.MOTION_psnr) && figures.MOTION_psnr > 0);
  fail_unless_equals_float (figures.MOTION_mafd, 0);
  fail_unless_equals_float (figures.MOTION_freeze, 0);
  fail_unless_equals_float (figures.DETAIL_ti, 0);
  fail_unless_equals_float (figures.DETAIL_si, 0);
  fail_unless_equals_float (figures.HDR_max, 0);
  fail_unless_equals_float (figures.SIGNAL_hue_circular_mean, 0);
  fail_unless_equals_float (figures.MOTION_repeat, 1);
  fail_unless_equals_float (figures.MOTION_near_repeat, 1);
  fail_unless_equals_int (figures.bits_used[0], 0);
  fail_unless_equals_int (figures.area_x, 0);
  fail_unless_equals_int (figures.area_y, 0);
  fail_unless_equals_int (figures.area_width, 0);
  fail_unless_equals_int (figures.area_height, 0);

  /* Opposite hues have no direction. Hues around 0 do not become 360. */
  hue = &c.plan->components[4];
  fail_unless_equals_string (hue->name, "hue");
  for (guint angle = 0; angle < 180; angle++) {
    memset (c.counters + hue->first_bin, 0, 360 * sizeof *c.counters);
    c.counters[hue->first_bin + angle] = 1000;
    c.counters[hue->first_bin + angle + 180] = 1000;
    histo_groups_fill (&figures, c.plan, &c.counts, 0, &c.plan->regions[0]);
    fail_unless (isnan (figures.SIGNAL_hue_circular_mean));
    memset (c.counters + hue->first_bin, 0, 360 * sizeof *c.counters);
    c.counters[hue->first_bin + angle] = 7;
    c.counters[hue->first_bin + (360 - angle) % 360] = 7;
    histo_groups_fill (&figures, c.plan, &c.counts, 0, &c.plan->regions[0]);
    fail_unless (angle == 90 ? isnan (figures.SIGNAL_hue_circular_mean) :
        figures.SIGNAL_hue_circular_mean >= 0
        && figures.SIGNAL_hue_circular_mean < 360);
  }

  /* A constant gradient has no deviation. */
  c.tallies[HISTO_TALLY_GRADIENT_SUM] =
      (WIDTH - 2) * (HEIGHT - 2) * (guint64) 1281;
  c.tallies[HISTO_TALLY_GRADIENT_SQUARES] =
      (WIDTH - 2) * (HEIGHT - 2) * (guint64) (1281 * 1281);
  histo_groups_fill (&figures, c.plan, &c.counts, 0, &c.plan->regions[0]);
  fail_unless_equals_float (figures.DETAIL_si, 0);

  /* A region of 3x3 pixels has one gradient. One of fewer rows or columns has none. */
  c.tallies[HISTO_TALLY_GRADIENT_SUM] = 10 * 256;
  c.tallies[HISTO_TALLY_GRADIENT_SQUARES] = (10 * 256) * (10 * 256);
  for (guint missing = 0; missing < 3; missing++) {
    HistoRegion small = c.plan->regions[0];

    small.width = missing == 1 ? 2 : 3;
    small.height = missing == 2 ? 2 : 3;
    histo_groups_fill (&figures, c.plan, &c.counts, 0, &small);
    if (missing == 0) {
      fail_unless_equals_float (figures.DETAIL_sharpness, 10);
      fail_unless_equals_float (figures.DETAIL_si, 0);
    } else {
      fail_unless (isnan (figures.DETAIL_sharpness)
          && isnan (figures.DETAIL_si));
    }
  }
  close_case (&c);
  g_rand_free (random);
}

/* Squares, and at last sums, of a long window that do not fit in 64 bits: half of the gradients are 0, the others
 * are a. So both the mean and the deviation are a / 2. The same holds for the differences, half of
 * which are -a. */
TEST (test_long_windows)
{
  static const guint64 numbers[] = { 1, 1000, 10000000, 40000000000, 400000000000 };
  GRand *random = test_random ();
  ReferenceUint128 *sums;
  Case c;

  open_case (&c, GST_VIDEO_FORMAT_NV12, ALL_GROUPS, "bt709", random);
  sums = g_new0 (ReferenceUint128, c.plan->n_regions * HISTO_N_TALLIES);
  c.counts.wide_tallies = sums;
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    const guint64 n_inner = (WIDTH - 2) * (HEIGHT - 2) * numbers[i];
    const guint64 n = WIDTH * HEIGHT * numbers[i];
    const ReferenceUint128 gradient = 200 * 256, difference = 250;
    HistoGroupFigures figures;

    c.counts.n_frames = c.counts.n_with_previous = numbers[i];
    sums[HISTO_TALLY_GRADIENT_SUM] = n_inner / 2 * gradient;
    sums[HISTO_TALLY_GRADIENT_SQUARES] = n_inner / 2 * gradient * gradient;
    sums[HISTO_TALLY_TI_SUM] = -(n / 2 * difference);
    sums[HISTO_TALLY_TI_SQUARES] = n / 2 * difference * difference;
    histo_groups_fill (&figures, c.plan, &c.counts, 0, &c.plan->regions[0]);
    check_close (figures.DETAIL_sharpness, 100, 1e-12, "sharpness", 0);
    check_close (figures.DETAIL_si, 100, 1e-12, "si", 0);
    check_close (figures.DETAIL_ti, 125, 1e-12, "ti", 0);
  }
  g_free (sums);
  close_case (&c);
  g_rand_free (random);
}

static gboolean
takes_size (guint width, guint height, guint groups)
{
  HistoFormat *format = test_video_format (GST_VIDEO_FORMAT_GRAY8, width, height);
  const HistoPlanSettings settings = {.groups = groups };
  HistoPlan *plan = histo_plan_new (format, &settings);
  GError *error = NULL;
  const gboolean ok = histo_plan_check (plan, &error);

  fail_unless (ok == (error == NULL));
  fail_unless (ok || g_error_matches (error, GST_STREAM_ERROR,
          GST_STREAM_ERROR_FORMAT));
  g_clear_error (&error);
  histo_plan_unref (plan);
  histo_format_unref (format);
  return ok;
}

/* The squares of the gradients of one frame fit in 64 bits, or the frame is refused. A sum of products
 * with its neighbours is greatest where each is 0 or max. */
TEST (test_most_pixels)
{
  const guint detail = HISTO_GROUP_FLAG (HISTO_GROUP_DETAIL);
  const guint64 most = G_MAXUINT64 / HISTO_MOST_GRADIENT_SQUARE;

  for (guint depth = 8; depth <= 16; depth++) {
    const ReferenceShape shape = {.n_components = 1,.names = {"Y"},.depths = {depth} };
    const GstVideoColorimetry colorimetry = { 0, };
    ReferenceColor color;
    guint64 found = 0;

    reference_color_init (&color, &shape, &colorimetry, 1080);
    for (guint bits = 0; bits < 512; bits++) {
      gint64 rows[3][3];
      guint64 fixed;

      for (guint i = 0; i < 9; i++)
        rows[i / 3][i % 3] = (bits >> i & 1) * color.max;
      reference_color_gradient (&color, rows, &fixed);
      found = MAX (found, fixed * fixed);
    }
    fail_unless (found <= HISTO_MOST_GRADIENT_SQUARE
        && found > HISTO_MOST_GRADIENT_SQUARE / 100 * 98, "%u bits", depth);
  }
  fail_unless (takes_size (16384, most / 16384, detail));
  fail_if (takes_size (16384, most / 16384 + 1, detail));
  fail_unless (takes_size (16384, most / 16384 + 1, detail ^ ALL_GROUPS));
}

/* The inverse of the PQ EOTF, SMPTE ST 2084, equation 5.2. */
static gdouble
signal_of_pq (gdouble light)
{
  const gdouble y = pow (light / 10000, 0.1593017578125);

  return pow ((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375);
}

/* Points that the standards name, and the inverse of PQ. */
TEST (test_light)
{
  static const struct
  {
    GstVideoTransferFunction transfer;
    gdouble signal, light, tolerance;
  } points[] = {
    {GST_VIDEO_TRANSFER_SMPTE2084, 0, 0, 0},
    {GST_VIDEO_TRANSFER_SMPTE2084, 1, 10000, 1e-9},
    {GST_VIDEO_TRANSFER_SMPTE2084, 0.508078, 100, 1e-3},
    {GST_VIDEO_TRANSFER_SMPTE2084, 0.751827, 1000, 1e-2},
    {GST_VIDEO_TRANSFER_ARIB_STD_B67, 0, 0, 0},
    {GST_VIDEO_TRANSFER_ARIB_STD_B67, 1, 1000, 1e-4},
    /* BT.2408: reference white. */
    {GST_VIDEO_TRANSFER_ARIB_STD_B67, 0.75, 203, 0.3},
    {GST_VIDEO_TRANSFER_ARIB_STD_B67, 0.5, 50.697, 1e-3},
    {GST_VIDEO_TRANSFER_BT709, 0, 0, 0},
    {GST_VIDEO_TRANSFER_BT709, 1, 100, 0},
    {GST_VIDEO_TRANSFER_BT709, 0.5, 18.9465, 1e-4},
    {GST_VIDEO_TRANSFER_UNKNOWN, 0.5, 18.9465, 1e-4},
    {GST_VIDEO_TRANSFER_BT2020_10, 0.5, 18.9465, 1e-4},
    {GST_VIDEO_TRANSFER_SRGB, 0.5, 21.4041, 1e-4},
    {GST_VIDEO_TRANSFER_SRGB, 0.04045, 0.31308, 1e-5},
    {GST_VIDEO_TRANSFER_SRGB, 1, 100, 1e-9},
    {GST_VIDEO_TRANSFER_GAMMA10, 0.25, 25, 0},
  };

  for (guint i = 0; i < G_N_ELEMENTS (points); i++) {
    const gdouble light =
        histo_light_of_signal (points[i].transfer, points[i].signal);

    fail_unless (fabs (light - points[i].light) <= points[i].tolerance,
        "transfer %d, %g: %.9g, not %g", points[i].transfer,
        points[i].signal, light, points[i].light);
  }
  for (gdouble light = 0.001; light < 10000; light *= 1.1)
    fail_unless (fabs (histo_light_of_signal (GST_VIDEO_TRANSFER_SMPTE2084,
                signal_of_pq (light)) / light - 1) < 1e-9
        && fabs (histo_pq_of_light (light) - signal_of_pq (light)) < 1e-12);
  fail_unless (histo_pq_of_light (0) < 1e-6 && histo_pq_of_light (2e4) == 1);
  for (guint i = 0; i <= 100; i++)
    for (guint k = 0; k < 2; k++) {
      const GstVideoTransferFunction transfer = k ? GST_VIDEO_TRANSFER_SMPTE2084 : GST_VIDEO_TRANSFER_ARIB_STD_B67;

      fail_unless (fabs (histo_signal_of_light (transfer, histo_light_of_signal (transfer, i / 100.)) - i / 100.) < 1e-6,
          "%u %u", i, k);
    }
  fail_unless (fabs (histo_signal_of_light (GST_VIDEO_TRANSFER_ARIB_STD_B67, HISTO_HLG_WHITE + 1) - 1) < 1e-6);
}

/* Brighter codes are brighter, in each transfer function and depth. */
TEST (test_light_table)
{
  static const gchar *const colorimetries[] = { "bt709", "sRGB", "1:4:14:7",
    "1:4:15:7", "1:1:1:1"
  };

  for (guint i = 0; i < G_N_ELEMENTS (colorimetries); i++) {
    for (guint f = 0; f < G_N_ELEMENTS (video_formats); f++) {
      HistoFormat *format = format_of (video_formats[f], 16, 16, colorimetries[i]);
      gdouble *table = histo_light_table_new (format);

      fail_unless_equals_float (table[0], 0);
      for (guint code = 1; code < 1u << format->formula_depth; code++)
        fail_unless (table[code] > table[code - 1]);
      g_free (table);
      histo_format_unref (format);
    }
  }
}

/* What the kernel of the filter relies on: in 8 bits code values that are not clipped, plus a bias, have 10 bits; in more they fit
 * in 32 bits before they are shifted. */
TEST (test_gamut_numbers)
{
  for (guint range = 1; range <= 2; range++) {
    for (guint matrix = 0; matrix <= GST_VIDEO_COLOR_MATRIX_BT2020; matrix++) {
      g_autofree gchar *colorimetry = g_strdup_printf ("%u:%u:5:1", range, matrix);

      for (guint f = 0; f < G_N_ELEMENTS (video_formats); f++) {
        HistoFormat *format = format_of (video_formats[f], 16, 16, colorimetry);
        HistoFormulas formulas;

        histo_formulas_init (&formulas, format);
        for (guint i = 0; i < 4; i++) {
          const gint32 *row = formulas.gamut.coefficients[i];
          const guint32 max = (1u << formulas.depth) - 1;
          const gint32 least = histo_gamut_row (&formulas.gamut, i, row[0] < 0 ? max : 0, row[1] < 0 ? max : 0, row[2] < 0 ? max : 0);
          const gint32 most = histo_gamut_row (&formulas.gamut, i, row[0] < 0 ? 0 : max, row[1] < 0 ? 0 : max, row[2] < 0 ? 0 : max);

          if (formulas.depth == 8)
            fail_unless (least >= -HISTO_BYTES_GAMUT_BIAS && most < 1024 - HISTO_BYTES_GAMUT_BIAS, "%s %s: row %u: %d to %d",
                gst_video_format_to_string (video_formats[f]), colorimetry, i, least, most);
          else if (formulas.depth <= HISTO_MATRIX_SHIFT_DEPTH)
            fail_unless (least >= -(1 << (31 - HISTO_GAMUT_SHIFT)) && most < 1 << (31 - HISTO_GAMUT_SHIFT), "%s %s: row %u: %d to %d",
                gst_video_format_to_string (video_formats[f]), colorimetry, i, least, most);
        }
        histo_format_unref (format);
      }
    }
  }
}

TEST_MAIN (5)
