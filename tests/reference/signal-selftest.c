/* signal-selftest.c: checks the reference's group signal on tiny pictures.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include <math.h>

#include "measures-selftest.h"

static gdouble
share_of (ReferenceMeasures * measures, const gchar * name)
{
  return reference_share (&measures->signal.shares, name)->share;
}

static void
check_saturation_hue_range (void)
{
  static const guint32 y[] = { 16, 235, 15, 236 };
  static const guint32 u[] = { 16, 15, 131, 128 };
  static const guint32 v[] = { 240, 128, 132, 128 };
  /* 112 * sqrt (2) = 158.4; 113; 5; 0 */
  static const guint32 saturation[] = { 158, 113, 5, 0 };
  /* -45, -90, 36.87 and 0 degrees, and 180 more */
  static const guint32 hue[] = { 135, 90, 216, 180 };
  ReferencePicture p = picture_of (GST_VIDEO_FORMAT_Y444, 2, 2, FALSE, y, u, v);
  ReferenceMeasures m = measures_of (&p, NULL);

  check_values ("saturation", &m.signal.saturation, saturation, 4);
  check_int ("saturation's values", m.signal.saturation.n_values, 256);
  check_values ("hue", &m.signal.hue, hue, 4);
  check_int ("hue's values", m.signal.hue.n_values, 360);
  /* sines 0.7071 + 1 - 0.5878 + 0, cosines -0.7071 + 0 - 0.8090 - 1 */
  check_near ("circular mean", m.signal.hue_circular_mean, 156.02, 0.01);
  check_near ("its vector", m.signal.hue_vector, 0.6885, 0.0001);
  /* U is too low in the second pixel, Y in the third, and too high in the
   * fourth. */
  check_near ("brng", share_of (&m, "brng"), 0.75, 0);
  /* 0x10 | 0xeb | 0x0f | 0xec = 0xff; 0x10 | 0x0f | 0x83 | 0x80 = 0x9f;
   * 0xf0 | 0x80 | 0x84 = 0xf4 */
  check_int ("bits of Y", m.signal.bits_used[0], 8);
  check_int ("bits of U", m.signal.bits_used[1], 6);
  check_int ("bits of V", m.signal.bits_used[2], 5);
  check_int ("no motion", m.groups & REFERENCE_GROUP_MOTION, 0);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
}

/* Opposite hues have no mean, grey pictures no hue. */
static void
check_no_hue (void)
{
  static const guint32 y[] = { 100, 100 };
  static const guint32 u[] = { 128, 128 };
  static const guint32 v[] = { 28, 228 };
  ReferencePicture p = picture_of (GST_VIDEO_FORMAT_Y444, 2, 1, FALSE, y, u, v);
  ReferencePicture gray = gray_picture (2, 1, y);
  ReferenceMeasures m = measures_of (&p, NULL);
  ReferenceMeasures of_gray = measures_of (&gray, NULL);

  check_nan ("opposite hues", m.signal.hue_circular_mean);
  check_nan ("hue of grey", of_gray.signal.hue_circular_mean);
  check_int ("no hue", of_gray.signal.hue.name == NULL, TRUE);
  check_int ("no saturation", of_gray.signal.saturation.name == NULL, TRUE);
  reference_measures_clear (&of_gray);
  reference_measures_clear (&m);
  reference_picture_clear (&gray);
  reference_picture_clear (&p);
}

/* A picture of 5 rows of 5 equal pixels. */
static guint64
outliers_of_rows (GstVideoFormat format, const guint32 rows[5])
{
  guint32 samples[25];
  ReferencePicture p;
  ReferenceMeasures m;
  guint64 n;
  guint i;

  for (i = 0; i < 25; i++)
    samples[i] = rows[i / 5];
  p = picture_of (format, 5, 5, TRUE, samples, NULL, NULL);
  m = measures_of (&p, NULL);
  n = reference_share (&m.signal.shares, "tout")->n;
  check_near ("tout", share_of (&m, "tout"), n / 25.0, 1e-15);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
  return n;
}

static void
check_outliers (void)
{
  static const guint32 bright[] = { 0, 0, 100, 0, 0 };
  static const guint32 four[] = { 0, 0, 4, 0, 0 };
  static const guint32 five[] = { 0, 0, 5, 0, 0 };
  static const guint32 second[] = { 0, 100, 0, 0, 0 };
  static const guint32 two[] = { 100, 0, 100, 0, 0 };
  static const guint32 edge[] = { 0, 0, 100, 100, 100 };
  static const guint32 sixteen[] = { 0, 0, 16, 0, 0 };
  static const guint32 seventeen[] = { 0, 0, 17, 0, 0 };

  /* The first and the last column never count. */
  check_int ("one row", outliers_of_rows (GST_VIDEO_FORMAT_GRAY8, bright), 3);
  check_int ("4", outliers_of_rows (GST_VIDEO_FORMAT_GRAY8, four), 0);
  check_int ("5", outliers_of_rows (GST_VIDEO_FORMAT_GRAY8, five), 3);
  /* Row 1 is compared with rows 0 and 2 only. */
  check_int ("row 1", outliers_of_rows (GST_VIDEO_FORMAT_GRAY8, second), 3);
  /* Row 2 is no outlier between rows 0 and 4, but row 1 is one. */
  check_int ("two rows", outliers_of_rows (GST_VIDEO_FORMAT_GRAY8, two), 3);
  check_int ("edge", outliers_of_rows (GST_VIDEO_FORMAT_GRAY8, edge), 0);
  /* 10 bits: the threshold is 16 */
  check_int ("16 of 10 bits", outliers_of_rows (GST_VIDEO_FORMAT_GRAY10_LE32,
          sixteen), 0);
  check_int ("17 of 10 bits", outliers_of_rows (GST_VIDEO_FORMAT_GRAY10_LE32,
          seventeen), 3);
}

/* Row 4 differs from row 0 by 1 in all, row 5 from row 1 by 2. */
static void
check_repeated (void)
{
  static const guint32 samples[] =
      { 10, 20, 30, 40, 50, 60, 70, 80, 10, 21, 31, 41 };
  ReferencePicture p = gray_picture (2, 6, samples);
  ReferenceMeasures m = measures_of (&p, NULL);
  ReferenceMeasures lower = measures_of_region (&p, 0, 1, 2, 5);

  check_near ("vrep", share_of (&m, "vrep"), 2.0 / 12, 1e-15);
  /* The region's fifth row is the picture's row 5. */
  check_near ("vrep of a region", share_of (&lower, "vrep"), 0, 0);
  reference_measures_clear (&lower);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
}

/* Row 4 repeats row 0, and row 5 row 1. Of 10 pixels 3 must differ from their left neighbours by 2 or more: those of row
 * 4 do, of row 5 one does, and the first and last pixels do not count. */
static void
check_repeated_detail (void)
{
  static const guint32 samples[] = {
    9, 9, 11, 11, 13, 13, 15, 15, 15, 15,
    9, 30, 30, 30, 30, 29, 30, 30, 30, 60,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    80, 80, 80, 80, 80, 80, 80, 80, 80, 80,
    9, 9, 11, 11, 13, 13, 15, 15, 15, 15,
    9, 30, 30, 30, 30, 29, 30, 30, 30, 60
  };
  ReferencePicture p = gray_picture (10, 6, samples);
  ReferenceMeasures m = measures_of (&p, NULL);

  check_near ("vrep", share_of (&m, "vrep"), 2.0 / 6, 1e-15);
  check_near ("vrep-detail", share_of (&m, "vrep-detail"), 1.0 / 6, 1e-15);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
}

static void
check_signal_of_rgb (void)
{
  static const guint32 r[] = { 255 }, none[] = { 0 }, black[] = { 16 };
  ReferencePicture full = picture_of (GST_VIDEO_FORMAT_RGB, 1, 1, TRUE, r, none,
      none);
  ReferencePicture limited = picture_of (GST_VIDEO_FORMAT_RGB, 1, 1, FALSE, r,
      black, black);
  ReferenceMeasures m = measures_of (&full, NULL);
  ReferenceMeasures n = measures_of (&limited, NULL);

  /* Red is 63 102 240: sqrt (26 * 26 + 112 * 112) = 114.98; atan2 (-26, 112) =
   * -13.07 degrees; nothing is out of range */
  check_int ("saturation of red", m.signal.saturation.counts[114], 1);
  check_int ("hue of red", m.signal.hue.counts[166], 1);
  check_near ("red is in range", share_of (&m, "brng"), 0, 0);
  /* V is 128 + 239 / 2 * 224 / 219 = 250.2 */
  check_near ("red above 235", share_of (&n, "brng"), 1, 0);
  reference_measures_clear (&n);
  reference_measures_clear (&m);
  reference_picture_clear (&limited);
  reference_picture_clear (&full);
}

/* 3 by 3 pixels, 2 by 2 samples of chroma. */
static void
check_subsampling (void)
{
  static const guint32 y[] = { 50, 50, 50, 50, 50, 50, 50, 50, 50 };
  static const guint32 u[] = { 128, 129, 130, 5 };
  static const guint32 v[] = { 128, 128, 128, 128 };
  static const guint32 differences[] = { 0, 1, 2, 123 };
  ReferencePicture p = picture_of (GST_VIDEO_FORMAT_I420, 3, 3, FALSE, y, u, v);
  ReferenceMeasures m = measures_of (&p, NULL);
  ReferenceMeasures inner = measures_of_region (&p, 1, 1, 2, 2);
  ReferenceMeasures corner = measures_of_region (&p, 2, 2, 1, 1);
  ReferenceMeasures none = measures_of_region (&p, 3, 3, 0, 0);

  check_near ("one pixel of nine", share_of (&m, "brng"), 1 / 9.0, 1e-15);
  check_values ("saturation", &m.signal.saturation, differences, 4);
  check_values ("of the inner region", &inner.signal.saturation, differences,
      4);
  check_values ("U of the inner region", &inner.native[1], u, 4);
  check_near ("brng of the inner region", share_of (&inner, "brng"), 0.25, 0);
  check_values ("of the corner", &corner.signal.saturation, differences + 3, 1);
  check_near ("brng of the corner", share_of (&corner, "brng"), 1, 0);
  check_int ("no pixel, no sample", none.native[1].n, 0);
  check_nan ("no pixel, no share", share_of (&none, "brng"));
  check_nan ("no pixel, no light", none.hdr.max);
  check_nan ("no pixel, no si", none.detail.si);
  check_int ("no pixel, no picture", none.area.width, 0);
  reference_measures_clear (&none);
  reference_measures_clear (&corner);
  reference_measures_clear (&inner);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
}

/* NV12_10LE32 of 3 pixels has 2 samples of U and 1 of V. */
static void
check_missing_chroma (void)
{
  static const guint32 y[] = { 500, 500, 500 };
  static const guint32 u[] = { 512, 512 };
  static const guint32 v[] = { 512 + 7 };
  static const guint32 saturation[] = { 7, 7 };
  ReferencePicture p = picture_of (GST_VIDEO_FORMAT_NV12_10LE32, 3, 1, FALSE, y,
      u, v);
  ReferenceMeasures m = measures_of (&p, NULL);
  ReferenceMeasures last = measures_of_region (&p, 2, 0, 1, 1);

  check_int ("samples of V", m.native[2].n, 1);
  check_values ("the last V counts twice", &m.signal.saturation, saturation, 2);
  check_int ("no V", last.native[2].n, 0);
  check_values ("but its neighbour", &last.signal.saturation, saturation, 1);
  reference_measures_clear (&last);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
}

void
check_signal (void)
{
  check_saturation_hue_range ();
  check_no_hue ();
  check_outliers ();
  check_repeated ();
  check_repeated_detail ();
  check_signal_of_rgb ();
  check_subsampling ();
  check_missing_chroma ();
}
