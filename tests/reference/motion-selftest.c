/* motion-selftest.c: checks the reference's group motion on tiny pictures.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include <math.h>

#include "measures-selftest.h"

static void
check_motion_of_gray (void)
{
  static const guint32 zero[] = { 0, 0, 0, 0 };
  static const guint32 steps[] = { 10, 20, 30, 40 };
  ReferencePicture before = gray_picture (2, 2, zero);
  ReferencePicture now = gray_picture (2, 2, steps);
  ReferenceRectangle whole = { 0, 0, 2, 2 };
  ReferenceHistory history = {.mafd = 4 };
  ReferenceMeasures m;

  reference_measures (&now, &before, &whole, REFERENCE_ALL_GROUPS,
      &history, &m);
  check_values ("difference", &m.motion.difference[0], steps, 4);
  check_near ("mafd", m.motion.mafd, 100 * 25 / 256.0, 1e-12);
  check_near ("freeze", m.motion.freeze, 25 / 256.0, 1e-15);
  /* MSE = (100 + 400 + 900 + 1600) / 4 = 750; 255 * 255 / 750 = 86.7 */
  check_near ("psnr", m.motion.psnr, 19.3802, 1e-4);
  check_int ("no repeat", m.motion.repeat, FALSE);
  check_int ("no near repeat", m.motion.near_repeat, FALSE);
  check_near ("score", m.motion.scene_score, 9.765625 - 4, 1e-12);
  check_near ("history", history.mafd, 9.765625, 1e-12);
  /* No value is in both histograms; the mean moves by 25. */
  check_near ("chi2", m.motion.chi2, 1, 1e-12);
  check_near ("bhattacharyya", m.motion.bhattacharyya, 1, 1e-12);
  check_near ("emd", m.motion.emd, 25, 1e-12);
  reference_measures_clear (&m);

  reference_measures (&now, &now, &whole, REFERENCE_ALL_GROUPS,
      &history, &m);
  check_near ("psnr of equal pictures", m.motion.psnr, INFINITY, 0);
  check_int ("repeat", m.motion.repeat, TRUE);
  check_int ("near repeat, too", m.motion.near_repeat, TRUE);
  check_near ("score of equal pictures", m.motion.scene_score, 0, 0);
  check_near ("chi2 of equal pictures", m.motion.chi2, 0, 0);
  check_near ("emd of equal pictures", m.motion.emd, 0, 0);
  reference_measures_clear (&m);

  m = measures_of (&now, &before);
  check_nan ("no history, no score", m.motion.scene_score);
  check_nan ("no history, no distance", m.motion.emd);
  reference_measures_clear (&m);
  reference_picture_clear (&now);
  reference_picture_clear (&before);
}

/* Half of the pixels move from 10 to 12: p = (1/2, 1/2), q = (1, 0):
 * chi2 = 1/2 * ((1/4) / (3/2) + (1/4) / (1/2)) = 1/3;
 * bhattacharyya = sqrt (1 - sqrt (1/2)) = 0.5412; emd = 2 * 1/2 */
static void
check_distances (void)
{
  static const guint32 ten[] = { 10, 10 };
  static const guint32 half[] = { 10, 12 };
  ReferencePicture before = gray_picture (2, 1, ten);
  ReferencePicture now = gray_picture (2, 1, half);
  ReferenceRectangle whole = { 0, 0, 2, 1 };
  ReferenceHistory history = { 0, };
  ReferenceMeasures m;

  reference_measures (&now, &before, &whole, REFERENCE_ALL_GROUPS,
      &history, &m);
  check_near ("chi2", m.motion.chi2, 1 / 3.0, 1e-12);
  check_near ("bhattacharyya", m.motion.bhattacharyya, 0.54120, 1e-5);
  check_near ("emd", m.motion.emd, 1, 1e-12);
  reference_measures_clear (&m);
  reference_picture_clear (&now);
  reference_picture_clear (&before);
}

static void
check_motion_of_colors (void)
{
  static const guint32 y[] = { 0, 0, 0, 0 }, y2[] = { 10, 10, 10, 10 };
  static const guint32 u[] = { 128 }, u2[] = { 108 };
  static const guint32 v[] = { 128 }, v2[] = { 158 };
  static const guint32 low[] = { 0 }, high[] = { 31 };
  ReferencePicture before = picture_of (GST_VIDEO_FORMAT_A420, 2, 2, FALSE, y,
      u, v);
  ReferencePicture now = picture_of (GST_VIDEO_FORMAT_A420, 2, 2, FALSE, y2, u2,
      v2);
  ReferencePicture rgb_before = picture_of (GST_VIDEO_FORMAT_RGB16, 1, 1, TRUE,
      low, low, low);
  ReferencePicture rgb_now = picture_of (GST_VIDEO_FORMAT_RGB16, 1, 1, TRUE,
      high, low, low);
  ReferenceMeasures m = measures_of (&now, &before);
  ReferenceMeasures n = measures_of (&rgb_now, &rgb_before);

  /* Alpha (which changes like Y here) takes no part, but has a difference. */
  check_near ("mafd of Y", m.motion.mafd, 1000 / 256.0, 1e-12);
  check_near ("freeze of Y U V", m.motion.freeze, 90 / (6 * 256.0), 1e-15);
  check_near ("psnr of Y", m.motion.psnr, 10 * log10 (65025 / 100.0), 1e-12);
  check_int ("difference of A", m.motion.difference[3].counts[10], 4);
  /* 31 of 32, 0 of 64, 0 of 32; the squares are 1, 0 and 0 of the highest */
  check_near ("mafd of RGB16", n.motion.mafd, 100 * 31 / 32.0 / 3, 1e-12);
  check_near ("psnr of RGB16", n.motion.psnr, 10 * log10 (3), 1e-12);
  reference_measures_clear (&n);
  reference_measures_clear (&m);
  reference_picture_clear (&rgb_now);
  reference_picture_clear (&rgb_before);
  reference_picture_clear (&now);
  reference_picture_clear (&before);
}

/* One of 4 pixels changes by 1 of 256, or of 1024, or only its alpha does. */
static void
check_repeats (void)
{
  static const guint32 ten[] = { 10, 10, 10, 10 }, one[] = { 10, 11, 10, 10 };
  const guint32 *const opaque[4] = { ten, ten, ten, ten };
  const guint32 *const clear[4] = { ten, ten, ten, one };
  const GstVideoColorimetry described = { 0, };
  ReferencePicture before = gray_picture (2, 2, ten);
  ReferencePicture now = gray_picture (2, 2, one);
  ReferencePicture deep_before = picture_of (GST_VIDEO_FORMAT_GRAY10_LE32, 2,
      2, FALSE, ten, NULL, NULL);
  ReferencePicture deep_now = picture_of (GST_VIDEO_FORMAT_GRAY10_LE32, 2, 2,
      FALSE, one, NULL, NULL);
  ReferencePicture alpha_before, alpha_now;
  ReferenceMeasures m = measures_of (&deep_now, &deep_before);

  check_int ("1 / 4096: no repeat", m.motion.repeat, FALSE);
  check_int ("1 / 4096: near repeat", m.motion.near_repeat, TRUE);
  reference_measures_clear (&m);
  /* 1 / 1024 = 0.00098 */
  m = measures_of (&now, &before);
  check_int ("1 / 1024: near repeat", m.motion.near_repeat, TRUE);
  reference_measures_clear (&m);

  reference_picture_init_samples (&alpha_before, GST_VIDEO_FORMAT_ARGB, 2, 2,
      &described, opaque);
  reference_picture_init_samples (&alpha_now, GST_VIDEO_FORMAT_ARGB, 2, 2,
      &described, clear);
  m = measures_of (&alpha_now, &alpha_before);
  check_int ("alpha: no repeat", m.motion.repeat, FALSE);
  check_int ("alpha: near repeat", m.motion.near_repeat, TRUE);
  reference_measures_clear (&m);
  reference_picture_clear (&alpha_before);
  reference_picture_clear (&alpha_now);
  reference_picture_clear (&deep_before);
  reference_picture_clear (&deep_now);
  reference_picture_clear (&before);
  reference_picture_clear (&now);
}

void
check_motion (void)
{
  check_motion_of_gray ();
  check_distances ();
  check_motion_of_colors ();
  check_repeats ();
}
