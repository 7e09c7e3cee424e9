/* colors-selftest.c: checks the reference's colours against the exact matrices
 * and against published values.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include <math.h>

#include "measures-selftest.h"

static const ReferenceShape yuv_shape =
    { 3, {"Y", "U", "V"}, {8, 8, 8}, {0}, {0}, 1, 1 };
static const ReferenceShape rgb_shape =
    { 3, {"R", "G", "B"}, {8, 8, 8}, {0}, {0}, 1, 1 };

static ReferenceColor
color_of (const ReferenceShape * shape, guint depth, GstVideoColorRange range,
    GstVideoColorMatrix matrix)
{
  GstVideoColorimetry c =
      colorimetry (range, matrix, GST_VIDEO_TRANSFER_UNKNOWN);
  ReferenceShape deep = *shape;
  ReferenceColor color;
  guint i;

  for (i = 0; i < 3; i++)
    deep.depths[i] = depth;
  reference_color_init (&color, &deep, &c, 1080);
  return color;
}

/* A code in 0 to @max */
static gint64
nearest (gint64 max, long double value)
{
  return CLAMP (llrintl (value), 0, max);
}

/* Y U V to R G B, from the definition of Y, Cb and Cr in real numbers */
static void
exact_rgb (const ReferenceColor * color, const gint64 yuv[3], gint64 rgb[3])
{
  long double f = color->factor;
  long double kr = color->kr, kb = color->kb;
  long double y, cb, cr, r, g, b;

  y = color->full_range ? yuv[0] / (long double) color->max
      : (yuv[0] - 16 * f) / (219 * f);
  cb = (yuv[1] - color->mid) / (color->full_range ? color->max : 224 * f);
  cr = (yuv[2] - color->mid) / (color->full_range ? color->max : 224 * f);
  r = y + 2 * (1 - kr) * cr;
  b = y + 2 * (1 - kb) * cb;
  g = (y - kr * r - kb * b) / (1 - kr - kb);
  rgb[0] = nearest (color->max, r * color->max);
  rgb[1] = nearest (color->max, g * color->max);
  rgb[2] = nearest (color->max, b * color->max);
}

/* R G B to limited Y U V in real numbers */
static void
exact_yuv (const ReferenceColor * color, const gint64 rgb[3], gint64 yuv[3])
{
  long double f = color->factor;
  long double black = color->full_range ? 0 : 16 * f;
  long double white = color->full_range ? color->max : 235 * f;
  long double p[3], y;
  guint i;

  for (i = 0; i < 3; i++)
    p[i] = (rgb[i] - black) / (white - black);
  y = color->kr * p[0] + (1 - color->kr - color->kb) * p[1] + color->kb * p[2];
  yuv[0] = nearest (color->max, 16 * f + 219 * f * y);
  yuv[1] = nearest (color->max, color->mid
      + 224 * f * (p[2] - y) / (2 * (1 - color->kb)));
  yuv[2] = nearest (color->max, color->mid
      + 224 * f * (p[0] - y) / (2 * (1 - color->kr)));
}

static gint64
largest_difference (const gint64 a[3], const gint64 b[3])
{
  gint64 most = 0;
  guint i;

  for (i = 0; i < 3; i++)
    most = MAX (most, ABS (a[i] - b[i]));
  return most;
}

/* Fixed point differs from real numbers by at most one code. */
static void
check_matrix (guint depth, GstVideoColorRange range,
    GstVideoColorMatrix matrix, GRand * random)
{
  ReferenceColor yuv_color = color_of (&yuv_shape, depth, range, matrix);
  ReferenceColor rgb_color = color_of (&rgb_shape, depth, range, matrix);
  gchar *what = g_strdup_printf ("matrix %d, range %d, %u bits", matrix, range,
      depth);
  gint64 most = 0;
  guint i, c;

  for (i = 0; i < 20000; i++) {
    gint64 in[3], found[3], expected[3];

    for (c = 0; c < 3; c++)
      in[c] = g_rand_int_range (random, 0, 1 << depth);
    reference_color_yuv_to_rgb (&yuv_color, in, found);
    exact_rgb (&yuv_color, in, expected);
    most = MAX (most, largest_difference (found, expected));
    reference_color_rgb_to_yuv (&rgb_color, in, found);
    exact_yuv (&rgb_color, in, expected);
    most = MAX (most, largest_difference (found, expected));
  }
  check_int (what, most <= 1, TRUE);
  g_free (what);
}

/* Y U V of R G B is R G B again. */
static void
check_white (guint depth, GstVideoColorRange range, GstVideoColorMatrix matrix)
{
  ReferenceColor yuv_color = color_of (&yuv_shape, depth,
      GST_VIDEO_COLOR_RANGE_16_235, matrix);
  ReferenceColor rgb_color = color_of (&rgb_shape, depth, range, matrix);
  gint64 white = range == GST_VIDEO_COLOR_RANGE_0_255 ? rgb_color.max
      : 235 * rgb_color.factor;
  gint64 rgb[3] = { white, white, white };
  gint64 yuv[3], back[3];

  check_int ("luma of white", reference_color_luma (&rgb_color, rgb), white);
  reference_color_rgb_to_yuv (&rgb_color, rgb, yuv);
  check_int ("Y of white", yuv[0], 235 * rgb_color.factor);
  check_int ("U of white", yuv[1], rgb_color.mid);
  check_int ("V of white", yuv[2], rgb_color.mid);
  reference_color_yuv_to_rgb (&yuv_color, yuv, back);
  check_int ("R of white", back[0], rgb_color.max);
  check_int ("G of white", back[1], rgb_color.max);
  check_int ("B of white", back[2], rgb_color.max);
}

/* No coefficient is so close to the middle between two integers that the order
 * of the operations that compute it decides which one it becomes. */
static void
check_coefficient (const gchar * what, const ReferenceColor * color,
    long double value)
{
  long double scaled = ldexpl (value, color->bits);
  long double rest = scaled - floorl (scaled);

  check_int (what, fabsl (rest - 0.5L) > 1e-6L, TRUE);
}

static void
check_coefficients (guint depth, GstVideoColorMatrix matrix)
{
  ReferenceColor c = color_of (&yuv_shape, depth, GST_VIDEO_COLOR_RANGE_16_235,
      matrix);
  const long double kr = c.kr, kb = c.kb, kg = 1 - kr - kb;
  const long double y = (long double) c.max / (219 * c.factor);
  const long double chroma = (long double) c.max / (224 * c.factor);
  /* The conversions: to R, G, B; to luma; to limited Y, U, V from full and from limited range. */
  const long double scales[] = { 1, chroma };
  const long double to_chroma[] = { 1 / chroma, 224 / 219.0L };
  guint i;

  check_coefficient ("Y", &c, y);
  check_coefficient ("luma of R", &c, kr);
  check_coefficient ("luma of B", &c, kb);
  check_coefficient ("Y of R", &c, kr / y);
  check_coefficient ("Y of G", &c, kg / y);
  check_coefficient ("Y of B", &c, kb / y);
  for (i = 0; i < 2; i++) {
    long double u = to_chroma[i] / (2 * (1 - kb));
    long double v = to_chroma[i] / (2 * (1 - kr));

    check_coefficient ("R of V", &c, scales[i] * 2 * (1 - kr));
    check_coefficient ("B of U", &c, scales[i] * 2 * (1 - kb));
    check_coefficient ("G of U", &c, scales[i] * 2 * (1 - kb) * kb / kg);
    check_coefficient ("G of V", &c, scales[i] * 2 * (1 - kr) * kr / kg);
    check_coefficient ("U of R", &c, u * kr);
    check_coefficient ("U of G", &c, u * kg);
    check_coefficient ("U of B", &c, to_chroma[i] / 2);
    check_coefficient ("V of R", &c, to_chroma[i] / 2);
    check_coefficient ("V of G", &c, v * kg);
    check_coefficient ("V of B", &c, v * kb);
  }
}

static void
check_matrices (void)
{
  static const guint depths[] = { 8, 10, 12, 16 };
  static const GstVideoColorMatrix matrices[] = {
    GST_VIDEO_COLOR_MATRIX_FCC, GST_VIDEO_COLOR_MATRIX_BT709,
    GST_VIDEO_COLOR_MATRIX_BT601, GST_VIDEO_COLOR_MATRIX_SMPTE240M,
    GST_VIDEO_COLOR_MATRIX_BT2020
  };
  GRand *random = g_rand_new_with_seed (1);
  guint d, m;

  for (d = 0; d < G_N_ELEMENTS (depths); d++)
    for (m = 0; m < G_N_ELEMENTS (matrices); m++) {
      check_coefficients (depths[d], matrices[m]);
      check_matrix (depths[d], GST_VIDEO_COLOR_RANGE_0_255, matrices[m],
          random);
      check_matrix (depths[d], GST_VIDEO_COLOR_RANGE_16_235, matrices[m],
          random);
      check_white (depths[d], GST_VIDEO_COLOR_RANGE_0_255, matrices[m]);
      check_white (depths[d], GST_VIDEO_COLOR_RANGE_16_235, matrices[m]);
    }
  g_rand_free (random);
}

/* The codes of the primary colours, as every table of colour bars has them. */
static void
check_bars (GstVideoColorMatrix matrix, const gint64 expected[3][3])
{
  ReferenceColor color = color_of (&rgb_shape, 8, GST_VIDEO_COLOR_RANGE_0_255,
      matrix);
  guint i, c;

  for (i = 0; i < 3; i++) {
    gint64 rgb[3] = { 0, 0, 0 };
    gint64 yuv[3];

    rgb[i] = 255;
    reference_color_rgb_to_yuv (&color, rgb, yuv);
    for (c = 0; c < 3; c++)
      check_int ("a primary colour", yuv[c], expected[i][c]);
  }
}

static void
check_primary_colors (void)
{
  static const gint64 bt601[3][3] =
      { {81, 90, 240}, {145, 54, 34}, {41, 240, 110} };
  static const gint64 bt709[3][3] =
      { {63, 102, 240}, {173, 42, 26}, {32, 240, 118} };

  check_bars (GST_VIDEO_COLOR_MATRIX_BT601, bt601);
  check_bars (GST_VIDEO_COLOR_MATRIX_BT709, bt709);
}

static void
check_weights (const gchar * what, GstVideoColorMatrix matrix,
    GstVideoColorPrimaries primaries, guint height, gdouble kr)
{
  GstVideoColorimetry c = colorimetry (GST_VIDEO_COLOR_RANGE_UNKNOWN, matrix,
      GST_VIDEO_TRANSFER_UNKNOWN);
  ReferenceColor color;

  c.primaries = primaries;
  reference_color_init (&color, &yuv_shape, &c, height);
  check_near (what, color.kr, kr, 1e-12);
  check_int ("unknown range of YUV", color.full_range, FALSE);
  reference_color_init (&color, &rgb_shape, &c, height);
  check_int ("unknown range of RGB", color.full_range, TRUE);
}

static void
check_unknown_matrices (void)
{
  check_weights ("the matrix counts first", GST_VIDEO_COLOR_MATRIX_BT601,
      GST_VIDEO_COLOR_PRIMARIES_BT709, 1080, 0.299);
  check_weights ("then BT.709 primaries", GST_VIDEO_COLOR_MATRIX_RGB,
      GST_VIDEO_COLOR_PRIMARIES_BT709, 480, 0.2126);
  check_weights ("then BT.2020 primaries", GST_VIDEO_COLOR_MATRIX_UNKNOWN,
      GST_VIDEO_COLOR_PRIMARIES_BT2020, 480, 0.2627);
  check_weights ("then SMPTE 170M primaries", GST_VIDEO_COLOR_MATRIX_UNKNOWN,
      GST_VIDEO_COLOR_PRIMARIES_SMPTE170M, 1080, 0.299);
  check_weights ("then SMPTE 240M primaries", GST_VIDEO_COLOR_MATRIX_UNKNOWN,
      GST_VIDEO_COLOR_PRIMARIES_SMPTE240M, 1080, 0.212);
  check_weights ("576 rows", GST_VIDEO_COLOR_MATRIX_UNKNOWN,
      GST_VIDEO_COLOR_PRIMARIES_UNKNOWN, 576, 0.299);
  check_weights ("577 rows", GST_VIDEO_COLOR_MATRIX_UNKNOWN,
      GST_VIDEO_COLOR_PRIMARIES_UNKNOWN, 577, 0.2126);
}

static void
check_scales (void)
{
  ReferenceColor color = color_of (&rgb_shape, 8, GST_VIDEO_COLOR_RANGE_16_235,
      GST_VIDEO_COLOR_MATRIX_BT709);

  check_int ("31 of 5 bits", reference_color_scale (&color, 31, 5), 255);
  /* 131.6 */
  check_int ("16 of 5 bits", reference_color_scale (&color, 16, 5), 132);
  /* 129.5 */
  check_int ("32 of 6 bits", reference_color_scale (&color, 32, 6), 130);
  check_int ("8 of 8 bits", reference_color_scale (&color, 8, 8), 8);

  /* 110 * 255 / 219 = 128.08; 111 * 255 / 219 = 129.2; 113: 131.58 */
  check_int ("siti of 126", reference_color_siti (&color, 126), 128);
  check_int ("siti of 129", reference_color_siti (&color, 129), 131);
  check_int ("siti of 15", reference_color_siti (&color, 15), 0);
  check_int ("siti of 240", reference_color_siti (&color, 240), 255);
  check_int ("full range of 129", reference_color_full_range (&color, 129),
      132);
  check_int ("full range of 3", reference_color_full_range (&color, 3), 0);
  check_int ("full range of 250", reference_color_full_range (&color, 250),
      255);
}

static gdouble
light (GstVideoTransferFunction transfer, gdouble signal)
{
  ReferenceColor color = color_of (&rgb_shape, 16, GST_VIDEO_COLOR_RANGE_0_255,
      GST_VIDEO_COLOR_MATRIX_BT709);

  color.transfer = transfer;
  return reference_color_light (&color, llrint (signal * color.max));
}

static void
check_light (void)
{
  /* SMPTE ST 2084; ITU-R BT.2408: 58 % of PQ and 75 % of HLG are 203 cd/m² */
  check_near ("PQ 0", light (GST_VIDEO_TRANSFER_SMPTE2084, 0), 0, 1e-12);
  check_near ("PQ 1", light (GST_VIDEO_TRANSFER_SMPTE2084, 1), 10000, 1e-6);
  check_near ("PQ 0.508", light (GST_VIDEO_TRANSFER_SMPTE2084,
          0.508078421517399), 100, 0.01);
  check_near ("PQ 0.752", light (GST_VIDEO_TRANSFER_SMPTE2084,
          0.751827096247041), 1000, 0.1);
  check_near ("PQ 0.581", light (GST_VIDEO_TRANSFER_SMPTE2084, 0.58068888),
      203, 0.02);
  check_near ("HLG 0", light (GST_VIDEO_TRANSFER_ARIB_STD_B67, 0), 0, 1e-12);
  check_near ("HLG 1", light (GST_VIDEO_TRANSFER_ARIB_STD_B67, 1), 1000, 1e-3);
  check_near ("HLG 0.75", light (GST_VIDEO_TRANSFER_ARIB_STD_B67, 0.75), 203,
      0.5);
  /* 1000 * (1 / 12)^1.2, the point where the two parts of the curve meet */
  check_near ("HLG 0.5", light (GST_VIDEO_TRANSFER_ARIB_STD_B67, 0.5), 50.697,
      0.01);
  check_near ("linear", light (GST_VIDEO_TRANSFER_GAMMA10, 0.5), 50, 0.001);
  check_near ("sRGB", light (GST_VIDEO_TRANSFER_SRGB, 0.5), 21.404, 0.002);
  check_near ("sRGB, dark", light (GST_VIDEO_TRANSFER_SRGB, 0.04), 0.3096,
      0.0002);
  check_near ("BT.1886", light (GST_VIDEO_TRANSFER_BT709, 0.5), 18.946, 0.002);
  check_near ("unknown", light (GST_VIDEO_TRANSFER_UNKNOWN, 1), 100, 1e-9);
}

static void
check_hue (guint depth, gint64 du, gint64 dv, gint64 expected)
{
  ReferenceColor color = color_of (&yuv_shape, depth,
      GST_VIDEO_COLOR_RANGE_16_235, GST_VIDEO_COLOR_MATRIX_BT709);

  check_int ("hue", reference_color_hue (&color, du, dv), expected);
}

/* The triangle 3, 4, 5; the axes; where the angle begins again. */
static void
check_polar (void)
{
  static const guint depths[] = { 8, 10, 12, 16 };
  guint d;

  check_int ("saturation", reference_color_saturation (3, -4), 5);
  check_int ("saturation 158.4", reference_color_saturation (-112, 112), 158);
  check_int ("saturation of grey", reference_color_saturation (0, 0), 0);
  for (d = 0; d < G_N_ELEMENTS (depths); d++) {
    check_hue (depths[d], 0, 0, 180);
    /* 36.87 + 180 */
    check_hue (depths[d], 3, 4, 216);
    check_hue (depths[d], 0, 7, 180);
    check_hue (depths[d], 7, 0, 270);
    check_hue (depths[d], -7, 0, 90);
    check_hue (depths[d], 0, -7, 0);
    check_hue (depths[d], 1, -100, 359);
  }
}

void
check_colors (void)
{
  check_matrices ();
  check_primary_colors ();
  check_unknown_matrices ();
  check_scales ();
  check_light ();
  check_polar ();
}
