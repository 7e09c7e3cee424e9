/* hlg-selftest.c: checks the reference's light of HLG, and the greatest R, G and B, against ITU-R BT.2100
 * and by hand.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include <math.h>

#include "measures-selftest.h"

/* The least light that differs, in cd/m² */
#define STEP (1000 / 65535.0)

static ReferencePicture
hlg_picture (GstVideoFormat format, guint width, gboolean full,
    const guint32 * a, const guint32 * b, const guint32 * c)
{
  const guint32 *samples[4] = { a, b, c, a };
  GstVideoColorimetry described = colorimetry (full
      ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235,
      GST_VIDEO_COLOR_MATRIX_BT2020, GST_VIDEO_TRANSFER_ARIB_STD_B67);
  ReferencePicture picture;

  check_int ("the format is known", reference_picture_init_samples (&picture,
          format, width, 1, &described, samples), TRUE);
  return picture;
}

/* BT.2100 with a display of 1000 cd/m² and gamma 1.2; each number that becomes an integer adds to the error. */
static void
check_vectors (void)
{
  static const struct
  {
    gdouble signal[3], cd[3];
  } vectors[] = {
    {{0.75, 0.75, 0.75}, {203.15, 203.15, 203.15}},
    {{1, 1, 1}, {1000, 1000, 1000}},
    {{1, 0, 0}, {765.41, 0, 0}},
    {{0, 1, 0}, {0, 925.22, 0}},
    {{0, 0, 1}, {0, 0, 568.34}},
    {{0.75, 0.5, 0.25}, {175.46, 55.18, 13.80}},
    {{0, 0, 0}, {0, 0, 0}},
  };
  const guint32 none = 0;
  ReferencePicture p = hlg_picture (GST_VIDEO_FORMAT_ARGB64, 1, TRUE, &none,
      &none, &none);
  guint i, k;

  check_int ("max", p.color.max, 65535);
  for (i = 0; i < G_N_ELEMENTS (vectors); i++) {
    gint64 scene[3], light[3];

    for (k = 0; k < 3; k++)
      scene[k] = reference_hlg_scene (&p.color,
          llround (vectors[i].signal[k] * 65535));
    reference_hlg_light (scene, light);
    for (k = 0; k < 3; k++)
      check_near ("BT.2100", reference_hlg_cd (light[k]), vectors[i].cd[k],
          2 * STEP);
  }
  /* 65535 / 12 and 65535 / 48 */
  check_int ("the middle", reference_hlg_scene (&p.color, 32768), 5461);
  check_int ("a quarter", reference_hlg_scene (&p.color, 16384), 1365);
  check_int ("white", reference_hlg_scene (&p.color, 65535), 65535);
  reference_picture_clear (&p);
}

/* The nearest of all codes, which have the middles between them as their ends. */
static void
check_bins (void)
{
  guint n_wrong = 0;
  gint64 light;

  for (light = 0; light <= 65535; light++) {
    const guint bin = reference_hlg_bin (light);
    const gdouble cd = reference_hlg_cd (light);
    const gdouble end = reference_light_of_pq ((bin + 0.5) / 4095);
    const gdouble begin = bin == 0 ? -1
        : reference_light_of_pq ((bin - 0.5) / 4095);

    /* No light is so near to an end that roundings decide. */
    n_wrong += !(cd > begin + 1e-9 && cd < end - 1e-9);
  }
  check_int ("lights in another bin", n_wrong, 0);
  check_int ("black", reference_hlg_bin (0), 0);
  /* PQ has 100 cd/m² at 0.50808 and 1000 cd/m² at 0.75183. */
  check_int ("100 cd/m²", reference_hlg_bin (6554), 2081);
  check_int ("1000 cd/m²", reference_hlg_bin (65535), 3079);
}

/* The primary colours and black; limited range is the same. */
static void
check_primaries (gboolean full)
{
  const guint32 black = full ? 0 : 16, white = full ? 255 : 235;
  const guint32 r[] = { white, black, black, black };
  const guint32 g[] = { black, white, black, black };
  const guint32 b[] = { black, black, white, black };
  ReferencePicture p = hlg_picture (GST_VIDEO_FORMAT_RGB, 4, full, r, g, b);
  ReferenceMeasures m = measures_of (&p, NULL);

  check_int ("pixels", m.hdr.light.n, 4);
  check_int ("black", m.hdr.light.counts[0], 1);
  check_near ("R", m.hdr.r_max, 765.41, 2 * STEP);
  check_near ("G", m.hdr.g_max, 925.22, 2 * STEP);
  check_near ("B", m.hdr.b_max, 568.34, 2 * STEP);
  check_near ("max", m.hdr.max, m.hdr.g_max, 0);
  /* A bin is 0.45 % wide. */
  check_near ("p9999", m.hdr.p9999, 925.22, 925.22 * 0.0023);
  check_near ("fall", m.hdr.fall, (765.41 + 925.22 + 568.34) / 4,
      565 * 0.0023);
  reference_measures_clear (&m);
  m = measures_of_region (&p, 2, 0, 2, 1);
  check_near ("R of blue", m.hdr.r_max, 0, 0);
  check_near ("max of blue", m.hdr.max, 568.34, 2 * STEP);
  reference_measures_clear (&m);
  m = measures_of_region (&p, 0, 0, 0, 1);
  check_nan ("no pixel", m.hdr.max);
  check_nan ("its R", m.hdr.r_max);
  check_int ("its greatest", m.hdr.greatest[0], -1);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
}

/* White and grey of YUV; without chroma. 0.75 of 876, plus 64, is 721: 203 cd/m². */
static void
check_gray (void)
{
  static const guint32 y[] = { 721, 64 }, mid[] = { 512, 512 };
  ReferencePicture p = hlg_picture (GST_VIDEO_FORMAT_Y444_10LE, 2, FALSE, y,
      mid, mid);
  ReferencePicture gray = hlg_picture (GST_VIDEO_FORMAT_GRAY10_LE32, 2, FALSE,
      y, NULL, NULL);
  ReferenceMeasures m = measures_of (&p, NULL), of_gray =
      measures_of (&gray, NULL);

  /* One half of a code of 10 bits is 0.3 %. */
  check_near ("R", m.hdr.r_max, 203.15, 0.7);
  check_near ("max", m.hdr.max, 203.15, 0.7);
  check_near ("p99", m.hdr.p99, 203.15, 1.2);
  check_near ("fall", m.hdr.fall, 203.15 / 2, 0.6);
  check_near ("gray's B", of_gray.hdr.b_max, m.hdr.r_max, 0);
  check_near ("gray's fall", of_gray.hdr.fall, m.hdr.fall, 0);
  reference_measures_clear (&of_gray);
  reference_measures_clear (&m);
  reference_picture_clear (&gray);
  reference_picture_clear (&p);
}

/* Without HLG each of R, G and B is the light of its greatest code: 100 cd/m² are 255, linear. */
static void
check_greatest (void)
{
  static const guint32 r[] = { 51, 0, 0 }, g[] = { 0, 102, 51 };
  static const guint32 b[] = { 0, 0, 255 }, low[] = { 16, 16, 3 };
  static const guint32 y[] = { 16, 235, 63 }, u[] = { 128, 128, 102 };
  static const guint32 v[] = { 128, 128, 240 };
  static const guint32 five[] = { 31, 0, 3 }, six[] = { 0, 0, 63 };
  ReferencePicture p = picture_of (GST_VIDEO_FORMAT_RGB, 3, 1, TRUE, r, g, b);
  ReferenceMeasures m = measures_of (&p, NULL);

  check_near ("R", m.hdr.r_max, 20, 1e-9);
  check_near ("G", m.hdr.g_max, 40, 1e-9);
  check_near ("B", m.hdr.b_max, 100, 1e-9);
  check_int ("no light of HLG", m.hdr.light.n_values, 0);
  reference_measures_clear (&m);
  reference_picture_clear (&p);

  p = picture_of (GST_VIDEO_FORMAT_RGB, 3, 1, FALSE, low, low, b);
  m = measures_of (&p, NULL);
  check_near ("black of limited range", m.hdr.r_max, 0, 0);
  check_near ("more than white", m.hdr.b_max, 100, 1e-9);
  reference_measures_clear (&m);
  reference_picture_clear (&p);

  /* black, white, red */
  p = picture_of (GST_VIDEO_FORMAT_Y444, 3, 1, FALSE, y, u, v);
  m = measures_of (&p, NULL);
  check_near ("white's G", m.hdr.g_max, 100, 1e-9);
  reference_measures_clear (&m);
  m = measures_of_region (&p, 2, 0, 1, 1);
  check_near ("red's R", m.hdr.r_max, 100, 1e-9);
  check_near ("red's G", m.hdr.g_max, 0, 0.5);
  check_near ("red's B", m.hdr.b_max, 0, 0.5);
  reference_measures_clear (&m);
  reference_picture_clear (&p);

  p = picture_of (GST_VIDEO_FORMAT_RGB16, 3, 1, TRUE, five, six, five);
  m = measures_of (&p, NULL);
  check_near ("R of 5 bits", m.hdr.r_max, 100, 1e-9);
  check_near ("G of 6 bits", m.hdr.g_max, 100, 1e-9);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
}

void
check_hlg (void)
{
  check_vectors ();
  check_bins ();
  check_primaries (TRUE);
  check_primaries (FALSE);
  check_gray ();
  check_greatest ();
}
