/* levels-selftest.c: checks the reference's groups color, hdr, detail and area
 * on tiny pictures.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include <math.h>
#include <string.h>

#include "measures-selftest.h"

/* Color and hdr */

static void
check_color (void)
{
  static const guint32 y[] = { 16, 235, 63 };
  static const guint32 u[] = { 128, 128, 102 };
  static const guint32 v[] = { 128, 128, 240 };
  static const guint32 r[] = { 0, 255, 255 };
  static const guint32 gray[] = { 0, 255, 55 };
  static const guint32 max[] = { 31, 0, 16 };
  static const guint32 green[] = { 63, 0, 32 };
  /* 16 of 5 bits is 132, 32 of 6 bits is 130: 0.2848 * 132 + 0.7152 * 130 =
   * 130.57 */
  static const guint32 luma[] = { 255, 0, 131 };
  ReferencePicture p = picture_of (GST_VIDEO_FORMAT_Y444, 3, 1, FALSE, y, u, v);
  ReferencePicture g = picture_of (GST_VIDEO_FORMAT_GRAY8, 3, 1, FALSE, y, NULL,
      NULL);
  ReferencePicture rgb = picture_of (GST_VIDEO_FORMAT_RGB16, 3, 1, TRUE, max,
      green, max);
  ReferenceMeasures m = measures_of (&p, NULL);
  ReferenceMeasures of_gray = measures_of (&g, NULL);
  ReferenceMeasures of_rgb = measures_of (&rgb, NULL);

  /* black, white, red */
  check_values ("R", &m.color[0], r, 3);
  check_int ("G of black and red", m.color[1].counts[0]
      + m.color[1].counts[1], 2);
  check_int ("B of black and red", m.color[2].counts[0]
      + m.color[2].counts[1], 2);
  check_values ("maxrgb", &m.hdr.maxrgb, r, 3);
  /* 47 * 255 / 219 = 54.7 */
  check_values ("grey", &of_gray.color[1], gray, 3);
  check_values ("maxrgb of grey", &of_gray.hdr.maxrgb, gray, 3);
  check_values ("luma of RGB16", &of_rgb.color[0], luma, 3);
  check_int ("no other color", of_rgb.color[1].name == NULL, TRUE);
  reference_measures_clear (&of_rgb);
  reference_measures_clear (&of_gray);
  reference_measures_clear (&m);
  reference_picture_clear (&rgb);
  reference_picture_clear (&g);
  reference_picture_clear (&p);
}

/* 10000 pixels; linear, so that 255 is 100 cd/m², 51 is 20, 102 is 40. */
static void
check_light_levels (void)
{
  ReferenceRectangle whole = { 0, 0, 100, 100 };
  ReferenceHistory history = { 0, };
  guint32 *samples = g_new0 (guint32, 10000);
  ReferencePicture p;
  ReferenceMeasures m;
  guint i;

  for (i = 0; i < 101; i++)
    samples[97 * i] = i < 90 ? 51 : i < 100 ? 102 : 255;
  p = gray_picture (100, 100, samples);
  reference_measures (&p, NULL, &whole, REFERENCE_ALL_GROUPS,
      &history, &m);
  check_near ("max", m.hdr.max, 100, 1e-9);
  check_near ("fall", m.hdr.fall, (90 * 20 + 10 * 40 + 100) / 10000.0, 1e-9);
  /* 9899, 9989 and 9999 pixels are not brighter than 0, 20 and 40 cd/m². */
  check_near ("p99", m.hdr.p99, 20, 1e-9);
  check_near ("p999", m.hdr.p999, 40, 1e-9);
  check_near ("p9999", m.hdr.p9999, 40, 1e-9);
  reference_measures_clear (&m);
  reference_picture_clear (&p);

  /* The next picture is darker, but its mean is higher. */
  for (i = 0; i < 10000; i++)
    samples[i] = 51;
  p = gray_picture (100, 100, samples);
  reference_measures (&p, NULL, &whole, REFERENCE_ALL_GROUPS,
      &history, &m);
  check_near ("max", m.hdr.max, 20, 1e-9);
  check_near ("max-cll", m.hdr.max_cll, 100, 1e-9);
  check_near ("max-fall", m.hdr.max_fall, 20, 1e-9);
  check_near ("max-cll-p9999", m.hdr.max_cll_p9999, 40, 1e-9);
  check_near ("max-fall-p9999", m.hdr.max_fall_p9999, 20, 1e-9);
  reference_measures_clear (&m);
  reference_picture_clear (&p);

  /* Limited to p99.99 the first picture's mean has 40 for its 100. */
  memset (&history, 0, sizeof history);
  for (i = 0; i < 10000; i++)
    samples[i] = i == 0 ? 255 : i < 11 ? 102 : 0;
  p = gray_picture (100, 100, samples);
  reference_measures (&p, NULL, &whole, REFERENCE_ALL_GROUPS,
      &history, &m);
  check_near ("max-fall", m.hdr.max_fall, 0.05, 1e-9);
  check_near ("max-fall-p9999", m.hdr.max_fall_p9999, 0.044, 1e-9);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
  g_free (samples);
}

/* Detail and area */

static void
check_detail (void)
{
  static const guint32 zero[15] = { 0, };
  static const guint32 step[] = {
    0, 0, 100, 100, 100, 0, 0, 100, 100, 100, 0, 0, 100, 100, 100
  };
  static const guint32 gradient[] = { 100, 100, 0 };
  static const guint32 corner[] = { 0, 255, 255, 0, 9, 255, 0, 0, 0 };
  ReferencePicture before = gray_picture (5, 3, zero);
  ReferencePicture now = gray_picture (5, 3, step);
  ReferencePicture sharp = gray_picture (3, 3, corner);
  ReferenceMeasures m = measures_of (&now, &before);
  ReferenceMeasures s = measures_of (&sharp, NULL);
  ReferenceMeasures narrow = measures_of_region (&now, 1, 0, 2, 3);

  check_values ("gradient", &m.detail.gradient, gradient, 3);
  /* 400, 400, 0: mean 266.67, mean of squares 106666.67 */
  check_int ("sum", m.detail.gradient_sum, 800 * 256);
  check_int ("squares", (gint64) m.detail.gradient_squares,
      G_GINT64_CONSTANT (2) * 102400 * 102400);
  check_near ("sharpness", m.detail.sharpness, 800 / 3.0, 1e-9);
  check_near ("si", m.detail.si, 188.5618, 1e-4);
  /* 9 of 15 pixels change by 100: mean 60, mean of squares 6000 */
  check_int ("ti's sum", m.detail.ti_sum, 900);
  check_near ("ti", m.detail.ti, sqrt (2400), 1e-9);
  /* gx = 255 + 2 * 255, gy = -gx; sqrt (2) * 765 / 4 = 270 */
  check_int ("the highest gradient", s.detail.gradient.counts[255], 1);
  /* 1081.8734 * 256 */
  check_int ("its sum", s.detail.gradient_sum, 276960);
  check_int ("its square", (gint64) s.detail.gradient_squares,
      G_GINT64_CONSTANT (276960) * 276960);
  check_near ("si of one pixel", s.detail.si, 0, 1e-9);
  check_nan ("no previous picture", s.detail.ti);
  check_int ("two columns", narrow.detail.gradient.n, 0);
  check_nan ("si of two columns", narrow.detail.si);
  reference_measures_clear (&narrow);
  reference_measures_clear (&s);
  reference_measures_clear (&m);
  reference_picture_clear (&sharp);
  reference_picture_clear (&now);
  reference_picture_clear (&before);
}

static void
check_box (const gchar * what, const ReferenceArea * area, gint x, gint y,
    gint width, gint height)
{
  check_int (what, area->x, x);
  check_int (what, area->y, y);
  check_int (what, area->width, width);
  check_int (what, area->height, height);
}

static void
check_area (void)
{
  guint32 samples[16];
  /* means 74 / 3 = 24 and 75 / 3 = 25 */
  static const guint32 r[] = { 24, 24 }, b[] = { 26, 27 };
  ReferencePicture p;
  ReferenceMeasures m;
  guint i;

  for (i = 0; i < 16; i++)
    samples[i] = 24;
  /* 99 / 4 = 24 */
  samples[15] = 27;
  p = gray_picture (4, 4, samples);
  m = measures_of (&p, NULL);
  check_box ("black", &m.area, 0, 0, 0, 0);
  reference_measures_clear (&m);
  reference_picture_clear (&p);

  /* 100 / 4 = 25 in the last row and column, and (1, 2) is bright. */
  samples[15] = 28;
  samples[2 * 4 + 1] = 200;
  p = gray_picture (4, 4, samples);
  m = measures_of (&p, NULL);
  check_box ("two pixels", &m.area, 1, 2, 3, 2);
  check_int ("row sum", m.area.row_sums[2], 272);
  check_int ("column sum", m.area.column_sums[3], 100);
  reference_measures_clear (&m);
  m = measures_of_region (&p, 1, 1, 2, 2);
  check_box ("of a region", &m.area, 1, 2, 1, 1);
  reference_measures_clear (&m);
  reference_picture_clear (&p);

  /* 10 bits: the limit is 24 / 255 of 1023 = 96.3 */
  for (i = 0; i < 16; i++)
    samples[i] = i % 4 == 2 ? 97 : 96;
  p = picture_of (GST_VIDEO_FORMAT_GRAY10_LE32, 4, 4, TRUE, samples, NULL,
      NULL);
  m = measures_of (&p, NULL);
  check_box ("of 10 bits", &m.area, 0, 0, 0, 0);
  reference_measures_clear (&m);
  reference_picture_clear (&p);

  p = picture_of (GST_VIDEO_FORMAT_RGB, 2, 1, TRUE, r, r, b);
  m = measures_of (&p, NULL);
  check_box ("of RGB", &m.area, 0, 0, 0, 0);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
}

void
check_levels (void)
{
  check_color ();
  check_light_levels ();
  check_detail ();
  check_area ();
}
