/* Thumbnails: the colours of all formats, marks, turning, and which frames are kept.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include "base/thumbnail.h"
#include "cudahisto/cudahisto.h"
#include "cudahisto/fields.h"
#include "input/keeper.h"

#define WIDTH 64
#define HEIGHT 48

/* ---- Pictures --------------------------------------------------------------------------------- */

static const guint8 quarters[4][3] = { {200, 32, 40}, {40, 180, 60}, {30, 50, 190}, {128, 128, 128} };

static GstBuffer *
make_quarters (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT * 4, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < WIDTH * HEIGHT; i++) {
    const guint8 *colour = quarters[(i / WIDTH >= HEIGHT / 2 ? 2 : 0) + (i % WIDTH >= WIDTH / 2 ? 1 : 0)];

    map.data[4 * i] = 255;
    for (guint c = 0; c < 3; c++)
      map.data[4 * i + 1 + c] = colour[c];
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Returns: (nullable): the quarters in a format; NULL: GStreamer converts nothing to it */
static GstBuffer *
convert (GstVideoFormat format, GstCaps ** caps)
{
  g_autoptr (GstBuffer) rgb = make_quarters ();
  GstVideoInfo from, to;
  GstVideoConverter *converter;
  GstVideoFrame source, target;
  GstBuffer *buffer;

  gst_video_info_set_format (&from, GST_VIDEO_FORMAT_ARGB, WIDTH, HEIGHT);
  gst_video_info_set_format (&to, format, WIDTH, HEIGHT);
  *caps = gst_video_info_to_caps (&to);
  converter = gst_video_converter_new (&from, &to, NULL);
  if (converter == NULL)
    return NULL;
  buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&to), NULL);
  gst_video_frame_map (&source, &from, rgb, GST_MAP_READ);
  gst_video_frame_map (&target, &to, buffer, GST_MAP_WRITE);
  gst_video_converter_frame (converter, &source, &target);
  gst_video_frame_unmap (&target);
  gst_video_frame_unmap (&source);
  gst_video_converter_free (converter);
  return buffer;
}

/* Formats whose colours are not those of the picture: 3 bits of red, a palette. */
static gboolean
is_coarse (GstVideoFormat format)
{
  return format == GST_VIDEO_FORMAT_RGB8P || format == GST_VIDEO_FORMAT_RGB15 || format == GST_VIDEO_FORMAT_BGR15;
}

GST_START_TEST (test_formats)
{
  guint n_formats = 0, n_all;
  const GstVideoFormat *all = gst_video_formats_raw (&n_all);

  for (guint i = 0; i < n_all; i++) {
    const GstVideoFormat f = all[i];
    const GstVideoFormatInfo *info = gst_video_format_get_info (f);
    GstCaps *caps = NULL;
    GstBuffer *buffer;
    ReportReduced *reduced;

    if (info->unpack_func == NULL || info->pack_func == NULL || is_coarse (f))
      continue;
    buffer = convert (f, &caps);
    if (buffer != NULL) {
      reduced = report_reduced_new (buffer, caps, 16, TRUE);
      fail_unless (reduced != NULL, "%s", info->name);
      ck_assert_uint_eq (reduced->width, 16);
      ck_assert_uint_eq (reduced->height, 12);
      for (guint q = 0; q < 4; q++) {
        const guint8 *pixel = reduced->pixels + 4 * ((q / 2 * 6 + 3) * 16 + q % 2 * 8 + 4);
        const gdouble luma = 0.299 * quarters[q][0] + 0.587 * quarters[q][1] + 0.114 * quarters[q][2];

        for (guint c = 0; c < 3; c++) {
          const gdouble right = GST_VIDEO_FORMAT_INFO_IS_GRAY (info) ? luma : quarters[q][c];

          fail_unless (fabs (pixel[c] - right) <= 8, "%s: %u of quarter %u is %u, not %g", info->name, c, q, pixel[c], right);
        }
      }
      report_reduced_free (reduced);
      n_formats++;
    }
    g_clear_pointer (&buffer, gst_buffer_unref);
    gst_caps_unref (caps);
  }
  ck_assert_uint_gt (n_formats, 80);
}

GST_END_TEST;

/* Limited range, BT.709: the codes of 8 bits of docs/measures.md. */
GST_START_TEST (test_marks)
{
  static const struct
  {
    guint8 y, u, v;
    guint8 marks;
  } rows[] = {
    {235, 240, 240, REPORT_MARK_GAMUT},
    {63, 102, 240, 0},          /* red */
    {246, 128, 128, REPORT_MARK_RANGE},
    {247, 128, 128, REPORT_MARK_RANGE | REPORT_MARK_GAMUT},
    {128, 128, 128, 0},
    {5, 128, 128, REPORT_MARK_RANGE},
    {4, 128, 128, REPORT_MARK_RANGE | REPORT_MARK_GAMUT},
  };
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-raw,format=AYUV,width=32,height=16,colorimetry=bt709");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, 32 * 16 * 4, NULL);
    g_autoptr (ReportReduced) reduced = NULL;
    g_autoptr (GBytes) jpeg = NULL;
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    for (guint p = 0; p < 32 * 16; p++) {
      const guint8 gray[4] = { 255, 128, 128, 128 }, pixel[4] = { 255, rows[i].y, rows[i].u, rows[i].v };

      memcpy (map.data + 4 * p, p % 32 < 16 ? pixel : gray, 4);
    }
    gst_buffer_unmap (buffer, &map);
    reduced = report_reduced_new (buffer, caps, 16, TRUE);
    for (guint p = 0; p < reduced->width * reduced->height; p++)
      ck_assert_uint_eq (reduced->pixels[4 * p + 3], p % reduced->width < reduced->width / 2 ? rows[i].marks : 0);
    if (!report_thumbnails_are_built ())
      continue;
    jpeg = report_reduced_encode (reduced, REPORT_MARK_GAMUT);
    ck_assert_uint_gt (g_bytes_get_size (jpeg), 100);
  }
}

GST_END_TEST;

GST_START_TEST (test_turn)
{
  guint8 pixels[2 * 3 * 4] = { 0 };
  const ReportReduced reduced = { 3, 2, pixels };

  for (guint i = 0; i < 6; i++)
    pixels[4 * i] = i;
  for (gint rotation = -360; rotation <= 720; rotation += 90) {
    static const guint8 right[4][6] = { {0, 1, 2, 3, 4, 5}, {2, 5, 1, 4, 0, 3}, {5, 4, 3, 2, 1, 0}, {3, 0, 4, 1, 5, 2} };
    const guint quarter = (guint) (rotation + 360) / 90 % 4;
    g_autoptr (ReportReduced) turned = report_reduced_turn (&reduced, rotation);

    ck_assert_uint_eq (turned->width, quarter % 2 == 1 ? 2 : 3);
    for (guint i = 0; i < 6; i++)
      ck_assert_uint_eq (turned->pixels[4 * i], right[quarter][i]);
  }
}

GST_END_TEST;

/* ---- The choice ------------------------------------------------------------------------------- */

#define RATE 25

/* Gives the keeper a frame and its result. */
static void
give (ReportKeeper * keeper, guint64 number, gdouble gamut, gdouble scene)
{
  static GstCaps *caps;
  const guint64 time = number * GST_SECOND / RATE;
  g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, 32 * 16 * 4, NULL);
  g_autoptr (GstStructure) outside = gst_structure_new ("gamut-filter", "any", G_TYPE_DOUBLE, gamut, NULL);
  g_autoptr (GstStructure) motion = gst_structure_new ("motion", "scene-score", G_TYPE_DOUBLE, scene, NULL);
  g_autoptr (GstStructure) result = gst_structure_new (HISTO_RESULT_NAME, "timestamp", G_TYPE_UINT64, time, "stream-time",
      G_TYPE_UINT64, time, "running-time", G_TYPE_UINT64, time, "duration", G_TYPE_UINT64, GST_SECOND / RATE,
      "gamut-filter", GST_TYPE_STRUCTURE, outside, "motion", GST_TYPE_STRUCTURE, motion, NULL);

  if (caps == NULL)
    caps = gst_caps_from_string ("video/x-raw,format=AYUV,width=32,height=16");
  gst_buffer_memset (buffer, 0, 128, 32 * 16 * 4);
  GST_BUFFER_PTS (buffer) = time;
  report_keeper_enter (keeper, buffer, caps);
  report_keeper_take (keeper, result);
}

/* Returns: the only one that was kept for a reason; NULL: none */
static const ReportThumbnail *
find (const GPtrArray * thumbnails, ReportKept why)
{
  const ReportThumbnail *found = NULL;

  for (guint i = 0; i < thumbnails->len; i++) {
    const ReportThumbnail *thumbnail = thumbnails->pdata[i];

    if (thumbnail->why != why)
      continue;
    fail_unless (found == NULL);
    found = thumbnail;
  }
  return found;
}

/* Two minutes: the steps become longer until there are few enough; a greatest figure is exact, and the first of equals. */
static void
check_choice (const GPtrArray * thumbnails, guint most)
{
  guint n = 0;
  guint64 step = 0;

  for (guint i = 0; i < thumbnails->len; i++) {
    const ReportThumbnail *thumbnail = thumbnails->pdata[i];

    if (thumbnail->why != REPORT_KEPT_STEP)
      continue;
    if (n == 1)
      step = thumbnail->time;
    ck_assert_uint_eq (thumbnail->time, n * step);
    n++;
  }
  ck_assert_uint_le (n, most);
  ck_assert_uint_gt (2 * n, most);
  ck_assert_uint_eq (find (thumbnails, REPORT_KEPT_GAMUT)->time, 1234 * GST_SECOND / RATE);
  fail_unless (find (thumbnails, REPORT_KEPT_GAMUT)->marked != NULL);
  fail_unless (find (thumbnails, REPORT_KEPT_GAMUT)->value == 0.75);
  ck_assert_uint_eq (find (thumbnails, REPORT_KEPT_CUT)->time, 2000 * GST_SECOND / RATE);
}

GST_START_TEST (test_choice)
{
  /* The film in one piece, and its second half first: as if two parts were measured apart. */
  for (guint from = 0; from < 3000; from += 1500) {
    ReportKeeper *keeper = report_keeper_new (20, TRUE, 4);
    g_autoptr (GPtrArray) thumbnails = NULL;

    for (guint i = 0; i < 3000; i++) {
      const guint number = (from + i) % 3000;

      give (keeper, number, number == 1234 || number == 2500 ? 0.75 : MIN (number, 1000) / 2000.0,
          number == 2000 || number == 2001 ? 30 : 0);
    }
    if (report_thumbnails_are_built ()) {
      thumbnails = report_keeper_finish (keeper, 0, 0);
      check_choice (thumbnails, 20);
      ck_assert_uint_eq (report_thumbnails_nearest (thumbnails, 2001 * GST_SECOND / RATE)->time, 2000 * GST_SECOND / RATE);
    }
    report_keeper_free (keeper);
  }
}

GST_END_TEST;

/* Frames without a result do not stay in memory, and a result without a frame is no fault. */
GST_START_TEST (test_lost)
{
  ReportKeeper *keeper = report_keeper_new (5, FALSE, 4);
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=16,height=16");
  GstBuffer *frames[100];

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    frames[i] = gst_buffer_new_allocate (NULL, 16 * 16, NULL);
    GST_BUFFER_PTS (frames[i]) = i;
    report_keeper_enter (keeper, frames[i], caps);
  }
  ck_assert_int_eq (GST_MINI_OBJECT_REFCOUNT_VALUE (frames[0]), 1);
  give (keeper, 1000, 0, 0);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    ck_assert_int_eq (GST_MINI_OBJECT_REFCOUNT_VALUE (frames[i]), 1);
    gst_buffer_unref (frames[i]);
  }
  report_keeper_free (keeper);
}

GST_END_TEST;

static Suite *
thumbnails_suite (void)
{
  Suite *suite = suite_create ("thumbnails");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_formats);
  tcase_add_test (tc, test_marks);
  tcase_add_test (tc, test_turn);
  tcase_add_test (tc, test_choice);
  tcase_add_test (tc, test_lost);
  return suite;
}

GST_CHECK_MAIN (thumbnails);
