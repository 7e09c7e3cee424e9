/* Regions of the property `regions`, of GstVideoRegionOfInterestMetas and of GstAnalyticsODMtds: which results buffers
 * have, while the regions change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

/* Pixel (x, y) of frame n. */
static guint8
pixel (guint n, guint x, guint y)
{
  return n + 5 * x + 11 * y;
}

static GstBuffer *
make_frame (guint n)
{
  GstBuffer *buffer = test_frame_new (n);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint i = 0; i < GRAY_SIZE; i++)
    map.data[i] = pixel (n, i % GRAY_WIDTH, i / GRAY_WIDTH);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

typedef struct
{
  const gchar *name;
  guint x, y, width, height;    /* after clipping */
} Region;

static guint
n_regions (const GstStructure * result)
{
  const GValue *array = gst_structure_get_value (result, "regions");

  return array == NULL ? 0 : gst_value_array_get_size (array);
}

/* The component Y of this part of frame n. @structure: a result, or one of its regions */
static void
check_pixels (const GstStructure * structure, guint n, const Region * region)
{
  const GstStructure *y = test_component (structure, "Y");
  const guint count = region->width * region->height;
  guint least = 255, most = 0, sum = 0;

  for (guint row = region->y; row < region->y + region->height; row++) {
    for (guint x = region->x; x < region->x + region->width; x++) {
      least = MIN (least, pixel (n, x, row));
      most = MAX (most, pixel (n, x, row));
      sum += pixel (n, x, row);
    }
  }
  fail_unless_equals_uint64 (test_get_uint64 (y, "count"), count);
  fail_unless_equals_float (test_get_double (y, "sum"), sum);
  if (count > 0) {
    fail_unless_equals_float (test_get_double (y, "min"), least);
    fail_unless_equals_float (test_get_double (y, "max"), most);
  } else {
    fail_unless (isnan (test_get_double (y, "mean")));
  }
}

/* Frame n has the result of the whole picture and of these regions, in this order. */
static void
check_result (GstBuffer * buffer, guint n, const Region * regions,
    guint n_expected)
{
  static const Region whole = { NULL, 0, 0, GRAY_WIDTH, GRAY_HEIGHT };
  const GstStructure *result = test_result (buffer);

  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), n * GRAY_DURATION);
  check_pixels (result, n, &whole);
  fail_unless_equals_int (n_regions (result), n_expected);
  for (guint i = 0; i < n_expected; i++) {
    const GValue *array = gst_structure_get_value (result, "regions");
    const GstStructure *region =
        gst_value_get_structure (gst_value_array_get_value (array, i));

    fail_unless_equals_string (gst_structure_get_string (region, "name"),
        regions[i].name);
    fail_unless_equals_int (test_get_int (region, "x"), regions[i].x);
    fail_unless_equals_int (test_get_int (region, "y"), regions[i].y);
    fail_unless_equals_int (test_get_int (region, "width"), regions[i].width);
    fail_unless_equals_int (test_get_int (region, "height"),
        regions[i].height);
    check_pixels (region, n, &regions[i]);
  }
  gst_buffer_unref (buffer);
}

static void
push_and_check (GstHarness * harness, guint n, const Region * regions,
    guint n_expected)
{
  check_result (gst_harness_push_and_pull (harness, make_frame (n)), n,
      regions, n_expected);
}

/* ---- The property `regions` ----------------------------------------------------------------- */

/* Names that change again and again leave nothing behind, and the alert of a region that is no more still has its
 * name. */
TEST (test_new_names)
{
  GstHarness *harness =
      test_gray_harness_new ("alerts=black black-duration=0 black-level=1");
  GQuark before = 0;

  for (guint i = 0; i < 10000; i++) {
    gchar *regions = g_strdup_printf ("new name %u=0,0,8,8", i);

    g_object_set (harness->element, "regions", regions, NULL);
    *strchr (regions, '=') = '\0';
    if (i % 100 == 0) {
      GstBuffer *buffer =
          gst_harness_push_and_pull (harness, test_frame_new (i / 100));
      const GValue *array =
          gst_structure_get_value (test_result (buffer), "regions");
      const GstStructure *region =
          gst_value_get_structure (gst_value_array_get_value (array, 0));
      guint n = 0;

      fail_unless_equals_string (gst_structure_get_string (region, "name"),
          regions);
      /* The alerts of the picture and of the old region end, those of the picture and of the new one begin. */
      for (; n < (i == 0 ? 2 : 4); n++) {
        GstMessage *message =
            test_wait_message (harness, GST_MESSAGE_ELEMENT);
        const GstStructure *alert = gst_message_get_structure (message);
        const gchar *name = gst_structure_get_string (alert, "region");
        const gboolean is_end = g_str_equal (gst_structure_get_string (alert,
                "state"), "end");
        gchar *old = g_strdup_printf ("new name %u", i - 100);

        if (name != NULL)
          fail_unless_equals_string (name, is_end ? old : regions);
        g_free (old);
        gst_message_unref (message);
      }
      gst_buffer_unref (buffer);
    }
    /* The first frames make names of GStreamer known. */
    if (i == 200)
      before = g_quark_from_string ("before new names");
    g_free (regions);
  }
  fail_unless_equals_int (g_quark_from_string ("after new names"), before + 1);
  test_harness_free (harness);
}

/* Overlapping, clipped and empty regions, in pixels and percent. */
TEST (test_regions)
{
  static const Region expected[] = {
    {"left", 0, 0, 8, 8},
    {"middle", 4, 2, 7, 3},
    {"corner", 13, 6, 3, 2},
    {"outside", 16, 3, 0, 1},
    {"nothing", 2, 2, 0, 0},
    {"all", 0, 0, 16, 8},
  };
  GstHarness *harness =
      test_gray_harness_new ("regions=\"left=0,0,50%,100%; middle=25%,2,7,3;"
      "corner=13,6,99,99; outside=20,3,1,1; nothing=2,2,0,0;"
      "all=-100%,-100%,300%,300%\"");

  for (guint n = 0; n < 20; n++)
    push_and_check (harness, n, expected, G_N_ELEMENTS (expected));
  test_harness_free (harness);
}

/* New regions take effect with the next buffer. Those that are refused change nothing. */
TEST (test_change)
{
  static const Region a = { "a", 1, 2, 3, 4 }, b[] = {
    {"b", 0, 0, 8, 4}, {"c", 8, 4, 8, 4}
  };
  GstHarness *harness = test_gray_harness_new (NULL);
  GstMessage *message;

  push_and_check (harness, 0, NULL, 0);
  g_object_set (harness->element, "regions", "a=1,2,3,4", NULL);
  push_and_check (harness, 1, &a, 1);
  g_object_set (harness->element, "regions", "a=1,2,3", NULL);
  message = test_pop_message (harness, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_unref (message);
  push_and_check (harness, 2, &a, 1);
  g_object_set (harness->element, "regions", "b=0,0,8,4;c=8,4,8,4", NULL);
  push_and_check (harness, 3, b, 2);
  g_object_set (harness->element, "regions", "", NULL);
  push_and_check (harness, 4, NULL, 0);
  g_object_set (harness->element, "regions", "a=1,2,3,4", NULL);
  push_and_check (harness, 5, &a, 1);
  g_object_set (harness->element, "regions", NULL, NULL);
  push_and_check (harness, 6, NULL, 0);
  test_harness_free (harness);
}

/* Regions in percent follow the picture's size. */
TEST (test_other_size)
{
  GstHarness *harness = test_gray_harness_new ("regions=\"r=50%,0,50%,50%\"");
  static const Region r = { "r", 8, 0, 8, 4 };
  const GstStructure *region;
  GstBuffer *buffer;

  push_and_check (harness, 0, &r, 1);
  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=8, height=16, framerate=25/1");
  buffer = gst_harness_push_and_pull (harness, make_frame (1));
  region = gst_value_get_structure (gst_value_array_get_value
      (gst_structure_get_value (test_result (buffer), "regions"), 0));
  fail_unless_equals_int (test_get_int (region, "x"), 4);
  fail_unless_equals_int (test_get_int (region, "width"), 4);
  fail_unless_equals_int (test_get_int (region, "height"), 8);
  fail_unless_equals_uint64 (test_get_uint64 (test_component (region, "Y"),
          "count"), 32);
  gst_buffer_unref (buffer);
  test_harness_free (harness);
}

/* Sound has no regions. */
TEST (test_audio)
{
  GstHarness *harness =
      test_harness_new ("regions=\"a=0,0,1,1\" roi-meta=true");
  GstBuffer *buffer = test_buffer_new (64, 1, 0);

  gst_harness_set_src_caps_str (harness, "audio/x-raw, format=U8, rate=8000, "
      "channels=1, layout=interleaved");
  gst_buffer_add_video_region_of_interest_meta (buffer, "a", 0, 0, 1, 1);
  buffer = gst_harness_push_and_pull (harness, buffer);
  fail_unless_equals_int (n_regions (test_result (buffer)), 0);
  test_component (test_result (buffer), "ch0");
  gst_buffer_unref (buffer);
  test_harness_free (harness);
}

/* ---- Histograms ----------------------------------------------------------------------------- */

static gboolean
has_histogram (const GstStructure * structure)
{
  return gst_structure_has_field_typed (test_component (structure, "Y"),
      "histogram", G_TYPE_BYTES);
}

/* Which histograms a result or a window has, and that the percentiles do not depend on it. */
static void
check_histograms (const GstStructure * result, gboolean of_picture,
    gboolean of_regions)
{
  const GValue *array = gst_structure_get_value (result, "regions");

  fail_unless_equals_int (has_histogram (result), of_picture);
  fail_unless_equals_int (gst_value_array_get_size (array), 2);
  for (guint i = 0; i < 2; i++) {
    const GstStructure *region =
        gst_value_get_structure (gst_value_array_get_value (array, i));

    fail_unless_equals_int (has_histogram (region), of_regions);
    fail_unless_equals_float (test_get_double (test_component (region, "Y"),
            "p50"), i == 0 ? 7 : pixel (7, 1, 1));
  }
}

/* @result: (out): of the one buffer, @window: (out): with this buffer; both (transfer full) */
static void
measure_frame (const gchar * histograms, GstStructure ** result,
    GstStructure ** window)
{
  gchar *properties = g_strdup_printf ("regions=\"a=0,0,1,1; b=1,1,1,1\" "
      "window=1000000000 %s", histograms);
  GstHarness *harness = test_gray_harness_new (properties);
  GstBuffer *buffer = gst_harness_push_and_pull (harness, make_frame (7));
  GstMessage *message;

  *result = gst_structure_copy (test_result (buffer));
  gst_buffer_unref (buffer);
  test_end_stream (harness);
  message = test_wait_message (harness, GST_MESSAGE_ELEMENT);
  *window = gst_structure_copy (gst_message_get_structure (message));
  fail_unless (gst_structure_has_name (*window, "cudahisto-window"));
  gst_message_unref (message);
  test_harness_free (harness);
  g_free (properties);
}

TEST (test_histograms)
{
  static const struct
  {
    const gchar *properties;
    gboolean of_picture, of_regions;
  } cases[] = {
    {"", TRUE, FALSE},
    {"region-histograms=true", TRUE, TRUE},
    {"histogram=false", FALSE, FALSE},
    {"histogram=false region-histograms=true", FALSE, FALSE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstStructure *result, *window;

    measure_frame (cases[i].properties, &result, &window);
    check_histograms (result, cases[i].of_picture, cases[i].of_regions);
    check_histograms (window, cases[i].of_picture, cases[i].of_regions);
    gst_structure_free (result);
    gst_structure_free (window);
  }
}

static gint n_size_warnings;

static void
count_size_warnings (GstDebugCategory * category, GstDebugLevel level,
    const gchar * file, const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer user_data)
{
  if (level == GST_LEVEL_WARNING
      && strstr (gst_debug_message_get (message), "MiB of counters") != NULL)
    g_atomic_int_inc (&n_size_warnings);
}

/* 40 regions of 16 bits: 41 MiB of counters, and as many of histograms if regions carry them. The log
 * warns once of more than 64 MiB, also if the plan is made again. */
TEST (test_size_warning)
{
  GString *regions = g_string_new (NULL);

  gst_debug_set_threshold_for_name ("cudahisto", GST_LEVEL_WARNING);
  gst_debug_add_log_function (count_size_warnings, NULL, NULL);
  for (guint i = 0; i < 40; i++)
    g_string_append_printf (regions, "r%u=%u,0,1,1;", i, i % 8);
  for (guint with = 0; with < 2; with++) {
    gchar *properties = g_strdup_printf ("max-in-flight=1 regions=\"%s\" "
        "region-histograms=%u", regions->str, with);
    GstHarness *harness = test_harness_new (properties);

    g_atomic_int_set (&n_size_warnings, 0);
    gst_harness_set_src_caps_str (harness, "video/x-raw, format=ARGB64, "
        "width=8, height=8, framerate=25/1");
    for (guint n = 0; n <= with; n++) {
      g_object_set (harness->element, "roi-meta", n == 1, NULL);
      gst_buffer_unref (gst_harness_push_and_pull (harness,
              test_buffer_new (8 * 8 * 8, 0, n * GRAY_DURATION)));
    }
    fail_unless_equals_int (n_size_warnings, with);
    test_harness_free (harness);
    g_free (properties);
  }
  gst_debug_remove_log_function (count_size_warnings);
  g_string_free (regions, TRUE);
}

/* ---- Metas ---------------------------------------------------------------------------------- */

/* A frame with metas of regions. Fills in what is expected of them. */
static GstBuffer *
make_frame_with_metas (GRand * random, guint n, guint n_metas,
    Region * expected)
{
  static const gchar *const names[] = { "face", "car", "dog" };
  GstBuffer *buffer = make_frame (n);

  for (guint i = 0; i < n_metas; i++) {
    const guint x = g_rand_int_range (random, 0, GRAY_WIDTH + 4);
    const guint y = g_rand_int_range (random, 0, GRAY_HEIGHT + 4);
    const guint width = g_rand_int_range (random, 0, GRAY_WIDTH + 4);
    const guint height = g_rand_int_range (random, 0, GRAY_HEIGHT + 4);
    Region *region = &expected[i];

    region->name = names[g_rand_int_range (random, 0, G_N_ELEMENTS (names))];
    gst_buffer_add_video_region_of_interest_meta (buffer, region->name, x, y,
        width, height);
    region->x = MIN (x, GRAY_WIDTH);
    region->y = MIN (y, GRAY_HEIGHT);
    region->width = MIN (width, GRAY_WIDTH - region->x);
    region->height = MIN (height, GRAY_HEIGHT - region->y);
  }
  return buffer;
}

/* Each meta, in their order, has a parameter of this name with all fields of its region; those after the 64th have none.
 *
 * @begin: which region of the result is that of the first meta */
static void
check_params (GstBuffer * buffer, const gchar * name, guint begin)
{
  const GValue *array = gst_structure_get_value (gst_custom_meta_get_structure (gst_buffer_get_custom_meta (buffer, name)), "regions");
  GstVideoRegionOfInterestMeta *meta;
  gpointer state = NULL;

  for (guint i = 0; (meta = (GstVideoRegionOfInterestMeta *) gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) != NULL; i++) {
    GstStructure *param = gst_video_region_of_interest_meta_get_param (meta, name), *copy;
    const GstStructure *region;
    gchar *text, *expected;

    if (i >= 64) {
      fail_unless (param == NULL);
      continue;
    }
    fail_unless (param != NULL, "meta %u has no parameter %s", i, name);
    region = gst_value_get_structure (gst_value_array_get_value (array, begin + i));
    copy = gst_structure_copy (param);
    gst_structure_set_name (copy, gst_structure_get_name (region));
    /* As texts, because NaN is not equal to NaN. */
    text = gst_structure_to_string (copy);
    expected = gst_structure_to_string (region);
    fail_unless_equals_string (text, expected);
    gst_structure_free (copy);
    g_free (expected);
    g_free (text);
  }
}

#define N_FRAMES 60

/* Each buffer has its own number of metas, more and less than those before. The metas stay on the
 * buffers. At most 64 are measured. */
TEST (test_metas)
{
  static Region expected[N_FRAMES][1 + 70];
  guint n_expected[N_FRAMES];
  GstHarness *harness =
      test_gray_harness_new ("roi-meta=true regions=\"all=0,0,100%,100%\"");
  GRand *random = test_random ();

  for (guint n = 0; n < N_FRAMES; n++) {
    const guint n_metas = n < 10 ? n : n == 20 ? 70 :
        (guint) g_rand_int_range (random, 0, 10);

    n_expected[n] = 1 + MIN (n_metas, 64);
    expected[n][0] = (Region) { "all", 0, 0, GRAY_WIDTH, GRAY_HEIGHT };
    fail_unless_equals_int (gst_harness_push (harness,
            make_frame_with_metas (random, n, n_metas, &expected[n][1])),
        GST_FLOW_OK);
  }
  for (guint n = 0; n < N_FRAMES; n++) {
    GstBuffer *buffer = gst_harness_pull (harness);

    fail_unless_equals_int (gst_buffer_get_n_meta (buffer,
            GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE),
        n == 20 ? 70 : n_expected[n] - 1);
    check_params (buffer, "cudahisto", 1);
    check_result (buffer, n, expected[n], n_expected[n]);
  }
  fail_unless (test_pop_message (harness, GST_MESSAGE_WARNING) == NULL);
  g_rand_free (random);
  test_harness_free (harness);
}

/* The parameters take the place of earlier ones, have the name of the result's meta, and are not there if the result is only posted.
 * Buffers that others hold have none. */
TEST (test_params)
{
  static const gchar *const properties[] = { "roi-meta=true", "roi-meta=true result-name=second", "roi-meta=true meta=false post-messages=true" };
  static const gchar *const names[] = { "cudahisto", "cudahisto-second", NULL };

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    GstHarness *harness = test_gray_harness_new (properties[i]);
    GstBuffer *in = make_frame (0), *out;
    GstVideoRegionOfInterestMeta *meta;

    for (guint m = 0; m < 2; m++) {
      meta = gst_buffer_add_video_region_of_interest_meta (in, "face", m, 1, 3, 2);
      gst_video_region_of_interest_meta_add_param (meta, gst_structure_new ("cudahisto", "old", G_TYPE_INT, 1, NULL));
      gst_video_region_of_interest_meta_add_param (meta, gst_structure_new ("detection", "confidence", G_TYPE_DOUBLE, 0.5, NULL));
    }
    out = gst_harness_push_and_pull (harness, gst_buffer_ref (in));
    if (names[i] != NULL)
      check_params (out, names[i], 0);
    meta = gst_buffer_get_video_region_of_interest_meta_id (out, 0);
    fail_unless_equals_int (g_list_length (meta->params), i == 1 ? 3 : 2);
    fail_unless (gst_video_region_of_interest_meta_get_param (meta, "detection") != NULL);
    meta = gst_buffer_get_video_region_of_interest_meta_id (in, 0);
    fail_unless_equals_int (g_list_length (meta->params), 2);
    fail_unless (gst_structure_has_field (gst_video_region_of_interest_meta_get_param (meta, "cudahisto"), "old"));
    gst_buffer_unref (out);
    gst_buffer_unref (in);
    test_harness_free (harness);
  }
}

#ifdef HAVE_ANALYTICS

/* ---- GstAnalyticsODMtds ------------------------------------------------------------------------ */

/* From here on docs/result.md has the same, as an example. */
typedef struct
{
  GQuark name;
  gdouble value;
} Figure;

/* The figures of a detected object; NULL: it has none. name: "cudahisto" */
static const Figure *
get_figures (const GstAnalyticsMtd * object, const gchar * name, guint * n)
{
  GstAnalyticsMtd mtd;
  gpointer state = NULL;

  while (gst_analytics_relation_meta_get_direct_related (object->meta, object->id,
          GST_ANALYTICS_REL_TYPE_RELATE_TO, GST_ANALYTICS_MTD_TYPE_ANY, &state, &mtd)) {
    if (g_str_equal (gst_analytics_mtd_type_get_name (gst_analytics_mtd_get_mtd_type (&mtd)), name)) {
      *n = gst_analytics_mtd_get_size (&mtd) / sizeof (Figure);
      return gst_analytics_relation_meta_get_mtd_data (mtd.meta, mtd.id);
    }
  }
  return NULL;
}
/* The example ends here. */

/* Adds objects, with other Mtds between them. Fills in what is expected of their regions. */
static void
add_objects (GRand * random, GstBuffer * buffer, guint n, Region * expected)
{
  static const gchar *const names[] = { "face", "car", "dog" };
  GstAnalyticsRelationMeta *relations = gst_buffer_add_analytics_relation_meta (buffer);
  GstAnalyticsMtd mtd;

  for (guint i = 0; i < n; i++) {
    const gint x = g_rand_int_range (random, -4, GRAY_WIDTH + 4);
    const gint y = g_rand_int_range (random, -4, GRAY_HEIGHT + 4);
    const gint width = g_rand_int_range (random, -2, GRAY_WIDTH + 8);
    const gint height = g_rand_int_range (random, -2, GRAY_HEIGHT + 8);
    const gchar *name = names[g_rand_int_range (random, 0, G_N_ELEMENTS (names))];
    Region *region = &expected[i];

    while (g_rand_boolean (random))
      gst_analytics_relation_meta_add_one_cls_mtd (relations, 0.5, g_quark_from_string (name), &mtd);
    gst_analytics_relation_meta_add_od_mtd (relations, g_quark_from_string (name), x, y, width, height, 0.5, &mtd);
    region->name = name;
    region->x = CLAMP (x, 0, GRAY_WIDTH);
    region->y = CLAMP (y, 0, GRAY_HEIGHT);
    region->width = MAX (CLAMP (x + width, 0, GRAY_WIDTH) - (gint) region->x, 0);
    region->height = MAX (CLAMP (y + height, 0, GRAY_HEIGHT) - (gint) region->y, 0);
  }
}

/* Returns: how many Mtds of this name have a relation to the object, in both directions. @mtd: (out): the last one */
static guint
find_mtd (GstAnalyticsRelationMeta * relations, guint object, const gchar * name, GstAnalyticsMtd * mtd)
{
  GstAnalyticsMtd each;
  gpointer state = NULL;
  guint n = 0;

  while (gst_analytics_relation_meta_iterate (relations, &state, GST_ANALYTICS_MTD_TYPE_ANY, &each)) {
    const GstAnalyticsRelTypes relation = gst_analytics_relation_meta_get_relation (relations, object, each.id);

    if (!g_str_equal (gst_analytics_mtd_type_get_name (gst_analytics_mtd_get_mtd_type (&each)), name))
      continue;
    fail_unless_equals_int (gst_analytics_relation_meta_get_relation (relations, each.id, object), relation);
    if (relation == GST_ANALYTICS_REL_TYPE_NONE)
      continue;
    fail_unless_equals_int (relation, GST_ANALYTICS_REL_TYPE_RELATE_TO);
    *mtd = each;
    n++;
  }
  return n;
}

/* The fields of a region that are figures of their own.
 * @prefix: of the names, @figures: (inout): loses those that are found */
static void
check_figures (const GstStructure * structure, const gchar * prefix, GHashTable * figures)
{
  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *field = gst_structure_nth_field_name (structure, i);
    const GValue *value = gst_structure_get_value (structure, field);
    gchar *name = g_strconcat (prefix, field, NULL);
    GValue number = G_VALUE_INIT;
    const gdouble *figure = g_hash_table_lookup (figures, name);

    g_value_init (&number, G_TYPE_DOUBLE);
    if (GST_VALUE_HOLDS_STRUCTURE (value)) {
      gchar *path = g_strconcat (name, ".", NULL);

      check_figures (gst_value_get_structure (value), path, figures);
      g_free (path);
    } else if (figure != NULL) {
      fail_unless (g_value_transform (value, &number));
      fail_unless (g_value_get_double (&number) == *figure || (isnan (g_value_get_double (&number)) && isnan (*figure)),
          "%s: %g, and not %g", name, *figure, g_value_get_double (&number));
      g_hash_table_remove (figures, name);
    } else {
      /* What is not a number, and what says where the region is and how its samples are stored. */
      fail_unless (!g_value_transform (value, &number) || *prefix == '\0' || g_str_equal (field, "depth"),
          "the Mtd lacks %s", name);
    }
    g_value_unset (&number);
    g_free (name);
  }
}

/* Each object that is measured has an Mtd of this name with the figures of its region, those after the 64th region have none.
 *
 * @begin: which region of the result is that of the first object */
static void
check_mtds (GstBuffer * buffer, const gchar * name, guint begin)
{
  const GValue *array = gst_structure_get_value (gst_custom_meta_get_structure (gst_buffer_get_custom_meta (buffer, name)), "regions");
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta (buffer);
  const guint n = array == NULL ? 0 : gst_value_array_get_size (array);
  GstAnalyticsMtd object, mtd;
  gpointer state = NULL;

  for (guint r = begin; gst_analytics_relation_meta_iterate (relations, &state, gst_analytics_od_mtd_get_mtd_type (), &object); r++) {
    GHashTable *figures;
    const Figure *data;
    GHashTableIter iter;
    gpointer left, value;
    guint n_figures = 0;

    fail_unless_equals_int (find_mtd (relations, object.id, name, &mtd), r < n);
    data = get_figures (&object, name, &n_figures);
    fail_unless_equals_int (data != NULL, r < n);
    if (r >= n)
      continue;
    fail_unless (data == gst_analytics_relation_meta_get_mtd_data (relations, mtd.id));
    fail_unless_equals_int (gst_analytics_mtd_get_size (&mtd), n_figures * sizeof *data);
    figures = g_hash_table_new (g_str_hash, g_str_equal);
    for (guint i = 0; i < n_figures; i++)
      fail_unless (g_hash_table_insert (figures, (gpointer) g_quark_to_string (data[i].name), (gpointer) &data[i].value));
    fail_unless (g_hash_table_contains (figures, "Y.mean"));
    check_figures (gst_value_get_structure (gst_value_array_get_value (array, r)), "", figures);
    /* These the region lacks. */
    g_hash_table_iter_init (&iter, figures);
    while (g_hash_table_iter_next (&iter, &left, &value))
      fail_unless (isnan (*(gdouble *) value), "the region lacks %s", (const gchar *) left);
    g_hash_table_unref (figures);
  }
}

/* Objects are measured behind the regions of metas, at most 64 of both, and keep their Mtds' order. */
TEST (test_mtds)
{
  static const gchar *const measures[] = { "basic", "signal+motion+color" };
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (measures); i++) {
    gchar *properties = g_strdup_printf ("roi-meta=true regions=\"all=0,0,100%%,100%%\" %s%s", i == 0 ? "" : "measures=", i == 0 ? "" : measures[i]);
    GstHarness *harness = test_gray_harness_new (properties);

    for (guint n = 0; n < N_FRAMES; n++) {
      const guint n_metas = n == 20 ? 40 : n == 21 ? 64 : (guint) g_rand_int_range (random, 0, 5);
      const guint n_objects = n == 20 ? 40 : n < 10 ? n : (guint) g_rand_int_range (random, 0, 10);
      Region expected[1 + 80] = { { "all", 0, 0, GRAY_WIDTH, GRAY_HEIGHT } };
      GstBuffer *buffer = make_frame_with_metas (random, n, n_metas, &expected[1]);

      add_objects (random, buffer, n_objects, &expected[1 + n_metas]);
      buffer = gst_harness_push_and_pull (harness, buffer);
      check_params (buffer, "cudahisto", 1);
      check_mtds (buffer, "cudahisto", 1 + n_metas);
      check_result (buffer, n, expected, 1 + MIN (n_metas + n_objects, 64));
    }
    test_harness_free (harness);
    g_free (properties);
  }
  g_rand_free (random);
}

/* Returns: how many Mtds of this name there are, with relations or without */
static guint
count_mtds (GstBuffer * buffer, const gchar * name)
{
  GstAnalyticsMtd mtd;
  gpointer state = NULL;
  guint n = 0;

  while (gst_analytics_relation_meta_iterate (gst_buffer_get_analytics_relation_meta (buffer), &state, GST_ANALYTICS_MTD_TYPE_ANY, &mtd))
    n += g_str_equal (gst_analytics_mtd_type_get_name (gst_analytics_mtd_get_mtd_type (&mtd)), name);
  return n;
}

/* Several elements in a row: those of another name add Mtds; one of the same name takes the place of the earlier ones. Buffers
 * that others hold get none, and neither does a buffer whose result is only posted. */
TEST (test_elements_with_mtds)
{
  static const struct
  {
    const gchar *properties, *name;
    guint n_first, n_second;    /* Mtds of both names afterwards; those without relations count */
  } elements[] = {
    {"roi-meta=false", NULL, 0, 0},
    {"roi-meta=true meta=false post-messages=true", NULL, 0, 0},
    {"roi-meta=true", "cudahisto", 7, 0},
    {"roi-meta=true", "cudahisto", 7, 0},
    {"roi-meta=true result-name=second", "cudahisto-second", 7, 7},
    {"roi-meta=true measures=signal", "cudahisto", 14, 7},
    {"roi-meta=true measures=signal", "cudahisto", 14, 7},
    {"roi-meta=true result-name=second", "cudahisto-second", 14, 7},
  };
  GRand *random = test_random ();
  GstBuffer *buffer = make_frame (0);
  Region expected[7];
  GstHarness *harnesses[G_N_ELEMENTS (elements)];
  guint n_first = 0;

  add_objects (random, buffer, 7, expected);
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    GstBuffer *out;

    harnesses[i] = test_gray_harness_new (elements[i].properties);
    out = gst_harness_push_and_pull (harnesses[i], gst_buffer_ref (buffer));

    fail_unless_equals_int (count_mtds (buffer, "cudahisto"), n_first);
    n_first = elements[i].n_first;
    fail_unless_equals_int (count_mtds (out, "cudahisto"), n_first);
    fail_unless_equals_int (count_mtds (out, "cudahisto-second"), elements[i].n_second);
    if (elements[i].name != NULL)
      check_mtds (out, elements[i].name, 0);
    gst_buffer_unref (buffer);
    buffer = out;
  }
  gst_buffer_unref (buffer);
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    test_harness_free (harnesses[i]);
  g_rand_free (random);
}

#endif

/* Metas are measured while `roi-meta` is true, also if it changes. */
TEST (test_roi_meta_changes)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GRand *random = test_random ();

  for (guint n = 0; n < 12; n++) {
    const gboolean is_on = n / 3 % 2 == 1;
    Region expected[4];

    g_object_set (harness->element, "roi-meta", is_on, NULL);
    check_result (gst_harness_push_and_pull (harness,
            make_frame_with_metas (random, n, 4, expected)), n, expected,
        is_on ? 4 : 0);
  }
  g_rand_free (random);
  test_harness_free (harness);
}

/* Buffers with metas that are dropped by a flush: nothing of them is left. The test for leaks and
 * the sanitizers look at this. */
TEST (test_flush_with_metas)
{
  GstHarness *harness = test_gray_harness_new ("roi-meta=true every=2");
  GRand *random = test_random ();

  for (guint i = 0; i < 20; i++) {
    Region expected[8];

    for (guint n = 0; n < 7; n++)
      gst_harness_push (harness, make_frame_with_metas (random, n, n + 1,
              expected));
    test_flush (harness);
    test_push_segment (harness);
    test_drop_received (harness);
    check_result (gst_harness_push_and_pull (harness,
            make_frame_with_metas (random, 9, 8, expected)), 9, expected, 8);
    test_flush (harness);
    test_push_segment (harness);
  }
  g_rand_free (random);
  test_harness_free (harness);
}

/* The mock driver takes long for many regions of 16 bits. */
TEST_MAIN (20)
