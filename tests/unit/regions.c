/* Regions: texts that describe some or none, and rectangles clipped to the picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "formats.h"
#include "frames.h"

#include "media/region.h"
#include "measures/plan.h"

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

/* ---- Texts ---------------------------------------------------------------------------------- */

static GArray *
parse (const gchar * text)
{
  GError *error = NULL;
  GArray *specs = histo_region_specs_parse (text, &error);

  fail_unless (specs != NULL, "\"%s\": %s", text,
      error != NULL ? error->message : "no error");
  fail_unless (error == NULL);
  return specs;
}

static void
check_spec (const GArray * specs, guint i, const gchar * name, gdouble x,
    gdouble y, gdouble width, gdouble height, guint percents)
{
  const HistoRegionSpec *spec = &g_array_index (specs, HistoRegionSpec, i);
  const gdouble numbers[] = { x, y, width, height };

  fail_unless (i < specs->len);
  fail_unless_equals_string (spec->name, name);
  for (guint n = 0; n < 4; n++) {
    fail_unless_equals_float (spec->numbers[n], numbers[n]);
    fail_unless_equals_int (spec->is_percent[n], percents >> n & 1);
  }
}

/* Spaces and empty parts mean nothing. Names are any text. */
TEST (test_good_texts)
{
  static const gchar *const empty[] = { NULL, "", " ", ";", " ; ;; " };
  GArray *specs = parse ("face=1,2,3,4");

  fail_unless_equals_int (specs->len, 1);
  check_spec (specs, 0, "face", 1, 2, 3, 4, 0);
  g_array_unref (specs);

  specs = parse (" upper left = -1.5 , 2 , 25% , 12.5 % ; Größe=0,0,0,0;"
      "a,b=100%,0,1e9,1e-3;\n");
  fail_unless_equals_int (specs->len, 3);
  check_spec (specs, 0, "upper left", -1.5, 2, 25, 12.5, 4 + 8);
  check_spec (specs, 1, "Größe", 0, 0, 0, 0, 0);
  check_spec (specs, 2, "a,b", 100, 0, 1e9, 1e-3, 1);
  g_array_unref (specs);

  for (guint i = 0; i < G_N_ELEMENTS (empty); i++) {
    specs = parse (empty[i]);
    fail_unless_equals_int (specs->len, 0);
    g_array_unref (specs);
  }
}

/* An error of the settings, which names the part that is wrong. */
static void
check_bad (const gchar * text, const gchar * word)
{
  GError *error = NULL;
  GArray *specs = histo_region_specs_parse (text, &error);

  fail_unless (specs == NULL, "\"%s\" was accepted", text);
  fail_unless (g_error_matches (error, GST_LIBRARY_ERROR,
          GST_LIBRARY_ERROR_SETTINGS), "\"%s\"", text);
  fail_unless (strstr (error->message, word) != NULL, "\"%s\": %s", text,
      error->message);
  fail_unless (g_utf8_validate (error->message, -1, NULL));
  g_error_free (error);
}

TEST (test_bad_texts)
{
  check_bad ("face", "=");
  check_bad ("1,2,3,4", "=");
  check_bad ("=1,2,3,4", "name");
  check_bad ("  = 1,2,3,4", "name");
  check_bad ("a=", "four numbers");
  check_bad ("a=1,2,3", "four numbers");
  check_bad ("a=1,2,3,", "four numbers");
  check_bad ("a=1,2,3,4,5", "four numbers");
  check_bad ("a=1,2,3,4 5", "four numbers");
  check_bad ("a=1,2,,4", "four numbers");
  check_bad ("a=1,2,3,x", "four numbers");
  check_bad ("a=1,2,3,4px", "four numbers");
  check_bad ("a=1,2,3,%", "four numbers");
  check_bad ("a=1,2,3,4%%", "four numbers");
  check_bad ("a=1,2,3,nan", "four numbers");
  check_bad ("a=-inf,2,3,4", "four numbers");
  check_bad ("a=1,2,3,1e400", "four numbers");
  check_bad ("a=1,2,3,1000000001", "1e9");
  check_bad ("a=-99999999999999999999,2,3,4", "1e9");
  check_bad ("a=1=2,2,3,4", "four numbers");
  check_bad ("a=1,2,-3,4", "negative");
  check_bad ("a=1,2,3,-4%", "negative");
  check_bad ("a=1,2,3,4; b=1,2,3,4; a =5,6,7,8", "twice");
  check_bad ("a=1,2,3,4; b", "\"b\"");
  check_bad ("a\xff=1,2,3,4", "UTF-8");
}

static GArray *
parse_many (guint n, GError ** error)
{
  GString *text = g_string_new (NULL);
  GArray *specs;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "region-%u=%u,0,1,1;", i, i);
  specs = histo_region_specs_parse (text->str, error);
  g_string_free (text, TRUE);
  return specs;
}

/* 64 regions are accepted, 65 are not. */
TEST (test_number_of_regions)
{
  GError *error = NULL;
  GArray *specs = parse_many (HISTO_MAX_REGIONS, &error);

  fail_unless_equals_int (HISTO_MAX_REGIONS, 64);
  fail_unless (specs != NULL && error == NULL);
  fail_unless_equals_int (specs->len, HISTO_MAX_REGIONS);
  check_spec (specs, 63, "region-63", 63, 0, 1, 1, 0);
  g_array_unref (specs);
  fail_unless (parse_many (HISTO_MAX_REGIONS + 1, &error) == NULL);
  fail_unless (strstr (error->message, "too many") != NULL);
  g_error_free (error);
}

/* Random texts from the characters of good ones: the parser returns regions or an error. */
TEST (test_random_texts)
{
  static const gchar characters[] = "ab=,;%-.019e \t";
  GRand *random = test_random ();
  guint n_good = 0;

  for (guint i = 0; i < 20000; i++) {
    gchar text[40];
    GError *error = NULL;
    const guint length = g_rand_int_range (random, 0, sizeof text);
    GArray *specs;

    /* Many begin well. */
    for (guint k = 0; k < length; k++)
      text[k] = characters[g_rand_int_range (random, 0,
              sizeof characters - 1)];
    text[length] = '\0';
    if (i % 2 == 0 && length >= 10)
      memcpy (text, "a=1,2,3%,4", 10);
    specs = histo_region_specs_parse (text, &error);
    fail_unless ((specs == NULL) == (error != NULL), "\"%s\"", text);
    n_good += specs != NULL && specs->len > 0;
    g_clear_pointer (&specs, g_array_unref);
    g_clear_error (&error);
  }
  fail_unless (n_good > 100, "%u", n_good);
  g_rand_free (random);
}

/* ---- Rectangles ----------------------------------------------------------------------------- */

static void
check_region (const HistoRegion * region, guint x, guint y, guint width,
    guint height)
{
  fail_unless (region->x == x && region->y == y && region->width == width
      && region->height == height, "%ux%u at %u, %u, not %ux%u at %u, %u",
      region->width, region->height, region->x, region->y, width, height, x,
      y);
}

/* The region that the text describes in a picture of 200 x 100 pixels. */
static void
check_resolved (const gchar * numbers, guint x, guint y, guint width,
    guint height)
{
  gchar *text = g_strdup_printf ("r=%s", numbers);
  GArray *specs = parse (text);
  HistoRegion region;

  histo_region_resolve (&g_array_index (specs, HistoRegionSpec, 0), 200, 100,
      &region);
  fail_unless_equals_string (region.name, "r");
  check_region (&region, x, y, width, height);
  g_array_unref (specs);
  g_free (text);
}

TEST (test_resolve)
{
  check_resolved ("10,20,30,40", 10, 20, 30, 40);
  check_resolved ("10%,20%,30%,40%", 20, 20, 60, 40);
  check_resolved ("0,0,100%,100%", 0, 0, 200, 100);
  check_resolved ("50%,10,7,50%", 100, 10, 7, 50);
  /* Each edge is rounded to the nearest pixel, half pixels up. */
  check_resolved ("0.4,0.5,1,1", 0, 1, 1, 1);
  check_resolved ("0.5,0.4,1.2,0.1", 1, 0, 1, 1);
  check_resolved ("0.25%,0.4,0.1,0.05", 1, 0, 0, 0);
  /* Clipped */
  check_resolved ("-10,-20,30,40", 0, 0, 20, 20);
  check_resolved ("190,90,30,40", 190, 90, 10, 10);
  check_resolved ("-1e9,-1e9,1e9,1e9", 0, 0, 0, 0);
  check_resolved ("-1e9%,-1e9%,1e9%,1e9%", 0, 0, 0, 0);
  check_resolved ("-5e8,-5e8%,1e9,1e9%", 0, 0, 200, 100);
  check_resolved ("1e9%,0,1e9%,1", 200, 0, 0, 1);
  check_resolved ("200,0,1,100", 200, 0, 0, 100);
  check_resolved ("-1,0,1,100", 0, 0, 0, 100);
  check_resolved ("3,4,0,0", 3, 4, 0, 0);
}

/* Regions that touch in percent touch in pixels, and together are the picture. */
TEST (test_touching_regions)
{
  for (guint width = 1; width < 300; width += 7) {
    guint end = 0;

    for (guint i = 0; i < 7; i++) {
      HistoRegionSpec spec = {.name = "r",
        .numbers = {100. * i / 7, 0, 100. * (i + 1) / 7 - 100. * i / 7, 100},
        .is_percent = {TRUE, TRUE, TRUE, TRUE}
      };
      HistoRegion region;

      histo_region_resolve (&spec, width, 3, &region);
      fail_unless_equals_int (region.x, end);
      fail_unless_equals_int (region.height, 3);
      end = region.x + region.width;
    }
    fail_unless_equals_int (end, width);
  }
}

/* A random rectangle has exactly the pixels that lie in it and in the picture. */
TEST (test_clip)
{
  static const gint64 large[] = { 0, G_MAXUINT32, -(gint64) G_MAXUINT32,
    ((gint64) 1 << 62) - 1, -(((gint64) 1 << 62) - 1)
  };
  GRand *random = test_random ();

  for (guint i = 0; i < 20000; i++) {
    const guint w = g_rand_int_range (random, 1, 9);
    const gint x = g_rand_int_range (random, -12, 13);
    const gint width = g_rand_int_range (random, 0, 13);
    HistoRegion region;
    guint n = 0, leftmost = 0;

    histo_region_clip (&region, NULL, x, 0, width, 1, w, 1);
    for (gint column = w - 1; column >= 0; column--) {
      if (column >= x && column < x + width) {
        n++;
        leftmost = column;
      }
    }
    fail_unless_equals_int (region.width, n);
    fail_unless (n == 0 || region.x == leftmost);
    fail_unless (region.x + region.width <= w);
    fail_unless (region.name == NULL);
  }
  for (guint i = 0; i < G_N_ELEMENTS (large); i++) {
    for (guint k = 0; k < G_N_ELEMENTS (large); k++) {
      HistoRegion region;

      histo_region_clip (&region, NULL, large[i], large[k], large[k],
          large[i], G_MAXINT32, 7);
      fail_unless (region.x + region.width <= G_MAXINT32);
      fail_unless (region.y + region.height <= 7);
    }
  }
  g_rand_free (random);
}

/* ---- Metas ---------------------------------------------------------------------------------- */

/* The regions of metas are named by their types, in the metas' order, and clipped. */
TEST (test_metas)
{
  const HistoCrop whole = { 0, 0, 200, 100 }, crop = { 15, 30, 100, 20 };
  GstBuffer *buffer = gst_buffer_new ();
  HistoRegion *rois;

  fail_unless_equals_int (histo_rois_count (buffer), 0);
  fail_unless (histo_rois_new (buffer, &whole, 0) == NULL);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 10, 20, 30,
      40);
  gst_buffer_add_reference_timestamp_meta (buffer,
      gst_static_caps_get (&(GstStaticCaps) GST_STATIC_CAPS ("a/b")), 0, 0);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 199, 99,
      G_MAXUINT, G_MAXUINT);
  gst_buffer_add_video_region_of_interest_meta_id (buffer, 0, G_MAXUINT,
      G_MAXUINT, G_MAXUINT, G_MAXUINT);
  gst_buffer_add_video_region_of_interest_meta (buffer, "b\xff", 0, 0, 0, 5);
  fail_unless_equals_int (histo_rois_count (buffer), 4);

  rois = histo_rois_new (buffer, &whole, 4);
  check_region (&rois[0], 10, 20, 30, 40);
  check_region (&rois[1], 199, 99, 1, 1);
  check_region (&rois[2], 200, 100, 0, 0);
  check_region (&rois[3], 0, 0, 0, 5);
  fail_unless_equals_string (rois[0].name, "face");
  fail_unless_equals_string (rois[1].name, "face");
  fail_unless_equals_string (rois[2].name, "");
  fail_unless_equals_string (rois[3].name, "");
  g_free (rois);
  /* They are about the frame. */
  rois = histo_rois_new (buffer, &crop, 4);
  check_region (&rois[0], 0, 0, 25, 20);
  check_region (&rois[1], 100, 20, 0, 0);
  check_region (&rois[2], 100, 20, 0, 0);
  g_free (rois);

  for (guint i = 0; i < 100; i++)
    gst_buffer_add_video_region_of_interest_meta (buffer, "more", i, 0, 1, 1);
  fail_unless_equals_int (histo_rois_count (buffer), HISTO_MAX_REGIONS);
  rois = histo_rois_new (buffer, &whole, HISTO_MAX_REGIONS);
  check_region (&rois[63], 59, 0, 1, 1);
  g_free (rois);
  gst_buffer_unref (buffer);
}

#ifdef HAVE_ANALYTICS
/* The regions of GstAnalyticsODMtds follow those of metas, whatever comes first on the buffer. Other Mtds are none. */
TEST (test_mtds)
{
  const HistoCrop whole = { 0, 0, 200, 100 }, crop = { 15, 30, 100, 20 };
  const GQuark car = g_quark_from_string ("car");
  GstBuffer *buffer = gst_buffer_new ();
  GstAnalyticsRelationMeta *relations = gst_buffer_add_analytics_relation_meta (buffer);
  GstAnalyticsMtd mtd;
  HistoRegion *rois;

  fail_unless_equals_int (histo_rois_count (buffer), 0);
  gst_analytics_relation_meta_add_one_cls_mtd (relations, 0.5, car, &mtd);
  fail_unless_equals_int (histo_rois_count (buffer), 0);
  gst_analytics_relation_meta_add_od_mtd (relations, car, 10, 20, 30, 40, 0.5, &mtd);
  gst_analytics_relation_meta_add_one_cls_mtd (relations, 0.5, car, &mtd);
  gst_analytics_relation_meta_add_od_mtd (relations, car, -5, -7, 20, 10, 0.5, &mtd);
  gst_analytics_relation_meta_add_od_mtd (relations, 0, G_MININT, G_MININT, G_MAXINT, G_MAXINT, 0.5, &mtd);
  gst_analytics_relation_meta_add_od_mtd (relations, car, 199, 99, G_MAXINT, G_MAXINT, 0.5, &mtd);
  gst_analytics_relation_meta_add_od_mtd (relations, car, 50, 50, -10, G_MININT, 0.5, &mtd);
  gst_analytics_relation_meta_add_od_mtd (relations, g_quark_from_string ("b\xff"), G_MAXINT, 3, G_MAXINT, 0, 0.5, &mtd);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 1, 2, 3, 4);
  fail_unless_equals_int (histo_rois_count (buffer), 7);

  rois = histo_rois_new (buffer, &whole, 7);
  check_region (&rois[0], 1, 2, 3, 4);
  check_region (&rois[1], 10, 20, 30, 40);
  check_region (&rois[2], 0, 0, 15, 3);
  check_region (&rois[3], 0, 0, 0, 0);
  check_region (&rois[4], 199, 99, 1, 1);
  check_region (&rois[5], 50, 50, 0, 0);
  check_region (&rois[6], 200, 3, 0, 0);
  fail_unless_equals_string (rois[0].name, "face");
  fail_unless_equals_string (rois[1].name, "car");
  fail_unless_equals_string (rois[3].name, "");
  fail_unless_equals_string (rois[6].name, "");
  g_free (rois);
  rois = histo_rois_new (buffer, &crop, 7);
  check_region (&rois[1], 0, 0, 25, 20);
  check_region (&rois[2], 0, 0, 0, 0);
  check_region (&rois[4], 100, 20, 0, 0);
  g_free (rois);

  for (guint i = 0; i < 100; i++)
    gst_analytics_relation_meta_add_od_mtd (relations, car, i, 0, 1, 1, 0.5, &mtd);
  fail_unless_equals_int (histo_rois_count (buffer), HISTO_MAX_REGIONS);
  rois = histo_rois_new (buffer, &whole, HISTO_MAX_REGIONS);
  check_region (&rois[63], 56, 0, 1, 1);
  g_free (rois);
  gst_buffer_unref (buffer);
}

#if GST_CHECK_VERSION (1, 26, 0)
/* Of a rotated object the upright rectangle around it is measured. */
TEST (test_rotated_mtd)
{
  const HistoCrop whole = { 0, 0, 200, 100 };
  GstBuffer *buffer = gst_buffer_new ();
  GstAnalyticsRelationMeta *relations = gst_buffer_add_analytics_relation_meta (buffer);
  GstAnalyticsMtd mtd;
  HistoRegion *rois;

  gst_analytics_relation_meta_add_oriented_od_mtd (relations, g_quark_from_string ("car"), 50, 50, 40, 20, G_PI / 2, 0.5, &mtd);
  rois = histo_rois_new (buffer, &whole, 1);
  /* GStreamer rounds. */
  fail_unless (ABS ((gint) rois[0].x - 60) <= 1 && ABS ((gint) rois[0].y - 40) <= 1, "%u,%u", rois[0].x, rois[0].y);
  fail_unless (ABS ((gint) rois[0].width - 20) <= 1 && ABS ((gint) rois[0].height - 40) <= 1, "%ux%u", rois[0].width,
      rois[0].height);
  g_free (rois);
  gst_buffer_unref (buffer);
}
#endif
#endif

/* The room is a power of two, so that it grows rarely. */
TEST (test_room)
{
  fail_unless_equals_int (histo_rois_room (0), 0);
  for (guint n = 1; n <= HISTO_MAX_REGIONS; n++) {
    const guint room = histo_rois_room (n);

    fail_unless (room >= n && room < 2 * n && (room & (room - 1)) == 0,
        "%u for %u", room, n);
  }
}

/* ---- Plans with regions --------------------------------------------------------------------- */

static HistoPlan *
make_plan (HistoFormat * format, const gchar * regions, guint groups,
    guint n_bins, gdouble range_max)
{
  GArray *specs = regions == NULL ? NULL :
      histo_region_specs_parse (regions, NULL);
  const HistoPlanSettings settings = {
    .groups = groups,
    .regions = specs,
    .bins = {n_bins, 0, range_max},
  };
  HistoPlan *plan = histo_plan_new (format, &settings);

  g_clear_pointer (&specs, g_array_unref);
  return plan;
}

/* Plans are alike if nothing is different: no number of a region and no name, no group, no bin. */
TEST (test_alike)
{
  static const struct
  {
    const gchar *regions;
    guint groups, n_bins;
    gdouble range_max;
    gboolean same_regions, is_alike;
  } others[] = {
    {"a=1,2,3,4;b=5,6,7,8", 0, 10, 200, TRUE, TRUE},
    {"a=1,2,3,4;c=5,6,7,8", 0, 10, 200, FALSE, FALSE},
    {"a=1,2,3,4;b=4,6,7,8", 0, 10, 200, FALSE, FALSE},
    {"a=1,2,3,4;b=5,5,7,8", 0, 10, 200, FALSE, FALSE},
    {"a=1,2,3,4;b=5,6,6,8", 0, 10, 200, FALSE, FALSE},
    {"a=1,2,3,4;b=5,6,7,7", 0, 10, 200, FALSE, FALSE},
    {"a=1,2,3,4", 0, 10, 200, FALSE, FALSE},
    {NULL, 0, 10, 200, FALSE, FALSE},
    {"a=1,2,3,4;b=5,6,7,8", HISTO_GROUP_FLAG (HISTO_GROUP_DETAIL), 10, 200,
        TRUE, FALSE},
    {"a=1,2,3,4;b=5,6,7,8", 0, 20, 200, TRUE, FALSE},
    {"a=1,2,3,4;b=5,6,7,8", 0, 10, 250, TRUE, FALSE},
  };
  HistoFormat *format = test_video_format (GST_VIDEO_FORMAT_GRAY8, 64, 48);
  HistoFormat *same = test_video_format (GST_VIDEO_FORMAT_GRAY8, 64, 48);
  HistoPlan *plan = make_plan (format, others[0].regions, 0, 10, 200), *other;

  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    other = make_plan (format, others[i].regions, others[i].groups,
        others[i].n_bins, others[i].range_max);
    fail_unless (histo_plan_has_same_regions (plan, other)
        == others[i].same_regions, "%u", i);
    fail_unless (histo_plan_is_alike (plan, other) == others[i].is_alike, "%u",
        i);
    histo_plan_unref (other);
  }
  /* Another format is another one, also if its caps are equal. */
  other = make_plan (same, others[0].regions, 0, 10, 200);
  fail_if (histo_plan_is_alike (plan, other));
  histo_plan_unref (other);
  histo_plan_unref (plan);
  histo_format_unref (same);
  histo_format_unref (format);
}

TEST_MAIN (5)
