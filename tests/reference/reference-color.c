/* reference-color.c: the colours of pixels and their light; see reference-color.h.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sources: ITU-R BT.601, BT.709, BT.2020 (matrices), BT.1886, BT.2100 (HLG),
 * SMPTE ST 2084 (PQ), IEC 61966-2-1 (sRGB), ffmpeg's vf_signalstats.c and
 * vf_siti.c; ITU-T P.910; EBU R 103; IRIS (flashes).
 */

#include <math.h>
#include <string.h>

#include "reference-color.h"

/* The matrix */

static void
set_weights (ReferenceColor * color, long double kr, long double kb)
{
  color->kr = kr;
  color->kb = kb;
}

static void
set_weights_of_height (ReferenceColor * color, guint height)
{
  if (height > 576)
    set_weights (color, 0.2126L, 0.0722L);
  else
    set_weights (color, 0.299L, 0.114L);
}

static void
set_weights_of_primaries (ReferenceColor * color,
    GstVideoColorPrimaries primaries, guint height)
{
  switch (primaries) {
    case GST_VIDEO_COLOR_PRIMARIES_BT709:
      set_weights (color, 0.2126L, 0.0722L);
      break;
    case GST_VIDEO_COLOR_PRIMARIES_BT2020:
      set_weights (color, 0.2627L, 0.0593L);
      break;
    case GST_VIDEO_COLOR_PRIMARIES_SMPTE170M:
    case GST_VIDEO_COLOR_PRIMARIES_BT470BG:
      set_weights (color, 0.299L, 0.114L);
      break;
    case GST_VIDEO_COLOR_PRIMARIES_SMPTE240M:
      set_weights (color, 0.212L, 0.087L);
      break;
    default:
      set_weights_of_height (color, height);
      break;
  }
}

static void
set_weights_of_matrix (ReferenceColor * color,
    const GstVideoColorimetry * colorimetry, guint height)
{
  switch (colorimetry->matrix) {
    case GST_VIDEO_COLOR_MATRIX_BT709:
      set_weights (color, 0.2126L, 0.0722L);
      break;
    case GST_VIDEO_COLOR_MATRIX_BT601:
      set_weights (color, 0.299L, 0.114L);
      break;
    case GST_VIDEO_COLOR_MATRIX_BT2020:
      set_weights (color, 0.2627L, 0.0593L);
      break;
    case GST_VIDEO_COLOR_MATRIX_FCC:
      set_weights (color, 0.30L, 0.11L);
      break;
    case GST_VIDEO_COLOR_MATRIX_SMPTE240M:
      set_weights (color, 0.212L, 0.087L);
      break;
    default:
      set_weights_of_primaries (color, colorimetry->primaries, height);
      break;
  }
}

static ReferenceFamily
family_of (const ReferenceShape * shape)
{
  if (shape->names[0][0] == 'R')
    return REFERENCE_RGB;

  return shape->n_components >= 3 ? REFERENCE_YUV : REFERENCE_GRAY;
}

/* @value with the fractional bits of @color */
static gint64
coefficient (const ReferenceColor * color, long double value)
{
  return llrintl (ldexpl (value, color->bits));
}

static void
set_row (const ReferenceColor * color, ReferenceMatrix * matrix, guint i,
    long double a, long double b, long double c, gint64 to)
{
  matrix->coefficients[i][0] = coefficient (color, a);
  matrix->coefficients[i][1] = coefficient (color, b);
  matrix->coefficients[i][2] = coefficient (color, c);
  matrix->to[i] = to;
}

static void
set_matrices (ReferenceColor * color)
{
  const long double kr = color->kr, kb = color->kb, kg = 1 - kr - kb;
  const gint64 black = color->full_range ? 0 : 16 * color->factor;
  const long double range =
      color->full_range ? color->max : 219 * color->factor;
  const long double c_range =
      color->full_range ? color->max : 224 * color->factor;
  const long double r_v = color->max / c_range * 2 * (1 - kr);
  const long double b_u = color->max / c_range * 2 * (1 - kb);
  const long double y = color->max / range;
  const long double u = 224 * color->factor / range / (2 * (1 - kb));
  const long double v = 224 * color->factor / range / (2 * (1 - kr));
  ReferenceMatrix *rgb = &color->to_rgb;
  ReferenceMatrix *yuv = &color->to_yuv;
  ReferenceMatrix *luma = &color->to_luma;
  guint i;

  memset (rgb, 0, sizeof (*rgb));
  rgb->bits = color->bits;
  rgb->max = color->max;
  *yuv = *luma = *rgb;

  rgb->from[0] = black;
  rgb->from[1] = rgb->from[2] = color->mid;
  set_row (color, rgb, 0, y, 0, r_v, 0);
  set_row (color, rgb, 1, y, -b_u * kb / kg, -r_v * kr / kg, 0);
  set_row (color, rgb, 2, y, b_u, 0, 0);

  /* The three make exactly 1: grey stays the same grey. */
  luma->coefficients[0][0] = coefficient (color, kr);
  luma->coefficients[0][2] = coefficient (color, kb);
  luma->coefficients[0][1] = coefficient (color, 1)
      - luma->coefficients[0][0] - luma->coefficients[0][2];

  for (i = 0; i < 3; i++)
    yuv->from[i] = black;
  set_row (color, yuv, 0, kr * 219 * color->factor / range,
      kg * 219 * color->factor / range, kb * 219 * color->factor / range,
      16 * color->factor);
  set_row (color, yuv, 1, u * -kr, u * -kg, u * (1 - kb), color->mid);
  set_row (color, yuv, 2, v * (1 - kr), v * -kg, v * -kb, color->mid);
  if (!color->full_range)
    memcpy (yuv->coefficients[0], luma->coefficients[0],
        sizeof (luma->coefficients[0]));
}

/* To R, G, B and Y with black at 16 and white at 235, of 8 bits */
static void
set_gamut (ReferenceColor * color)
{
  const long double kr = color->kr, kb = color->kb, kg = 1 - kr - kb;
  const long double luma = color->full_range ? 219.0L * color->factor / color->max : 1;
  const long double chroma = color->full_range ? luma : 219.0L / 224;
  const long double r_v = 2 * (1 - kr) * chroma;
  const long double b_u = 2 * (1 - kb) * chroma;
  ReferenceGamutMatrix *gamut = &color->to_gamut;
  gint64 (*rows)[3] = gamut->coefficients;
  const long double one = 1 << (color->depth <= 12 ? 18 : 20);
  const gint64 black = color->full_range ? 0 : 16 * color->factor;
  /* 5 % of the range beyond its ends */
  const gint64 margin = llroundl (0.05L * (219 * color->factor + 1));
  guint i;

  memset (gamut, 0, sizeof (*gamut));
  gamut->least = 16 * color->factor - margin;
  gamut->greatest = 235 * color->factor + margin;
  gamut->bits = color->depth <= 12 ? 18 : 20;
  gamut->to = 16 * color->factor;
  for (i = 0; i < 3; i++)
    gamut->from[i] = black;
  if (color->family == REFERENCE_RGB) {
    for (i = 0; i < 3; i++)
      rows[i][i] = llrintl (luma * one);
    rows[3][0] = llrintl (kr * luma * one);
    rows[3][2] = llrintl (kb * luma * one);
    /* grey stays the same grey */
    rows[3][1] = rows[0][0] - rows[3][0] - rows[3][2];
    return;
  }

  gamut->from[1] = gamut->from[2] = color->mid;
  for (i = 0; i < 4; i++)
    rows[i][0] = llrintl (luma * one);
  rows[0][2] = llrintl (r_v * one);
  rows[1][1] = llrintl (-b_u * kb / kg * one);
  rows[1][2] = llrintl (-r_v * kr / kg * one);
  rows[2][1] = llrintl (b_u * one);
}

void
reference_color_init (ReferenceColor * color, const ReferenceShape * shape,
    const GstVideoColorimetry * colorimetry, guint height)
{
  guint c;

  color->family = family_of (shape);
  color->depth = 8;
  for (c = 0; c < shape->n_components; c++)
    if (shape->names[c][0] != 'A' && shape->depths[c] > color->depth)
      color->depth = shape->depths[c];
  color->factor = G_GINT64_CONSTANT (1) << (color->depth - 8);
  color->mid = 128 * color->factor;
  color->max = 256 * color->factor - 1;
  color->bits = color->depth <= 12 ? 14 : 20;
  color->transfer = colorimetry->transfer;
  if (colorimetry->range == GST_VIDEO_COLOR_RANGE_UNKNOWN)
    color->full_range = color->family == REFERENCE_RGB;
  else
    color->full_range = colorimetry->range == GST_VIDEO_COLOR_RANGE_0_255;
  set_weights_of_matrix (color, colorimetry, height);
  set_matrices (color);
  set_gamut (color);
}

/* Maps of codes */

gint64
reference_color_scale (const ReferenceColor * color, guint32 value,
    guint depth)
{
  gint64 most = (G_GINT64_CONSTANT (1) << depth) - 1;

  if (depth == color->depth)
    return value;

  return (value * color->max + most / 2) / most;
}

/* A division by a power of two that rounds down, for negative numbers, too */
static gint64
divide (gint64 sum, guint bits)
{
  gint64 one = G_GINT64_CONSTANT (1) << bits;

  return sum >= 0 ? sum / one : -((-sum + one - 1) / one);
}

gint64
reference_matrix_row (const ReferenceMatrix * matrix, guint i,
    const gint64 values[3])
{
  gint64 sum = (G_GINT64_CONSTANT (1) << matrix->bits) / 2;
  guint j;

  for (j = 0; j < 3; j++)
    sum += matrix->coefficients[i][j] * (values[j] - matrix->from[j]);
  return CLAMP (divide (sum, matrix->bits) + matrix->to[i], 0, matrix->max);
}

void
reference_color_yuv_to_rgb (const ReferenceColor * color,
    const gint64 yuv[3], gint64 rgb[3])
{
  guint i;

  for (i = 0; i < 3; i++)
    rgb[i] = reference_matrix_row (&color->to_rgb, i, yuv);
}

void
reference_color_rgb_to_yuv (const ReferenceColor * color,
    const gint64 rgb[3], gint64 yuv[3])
{
  guint i;

  for (i = 0; i < 3; i++)
    yuv[i] = reference_matrix_row (&color->to_yuv, i, rgb);
}

gint64
reference_color_luma (const ReferenceColor * color, const gint64 rgb[3])
{
  return reference_matrix_row (&color->to_luma, 0, rgb);
}

gint64
reference_color_full_range (const ReferenceColor * color, gint64 value)
{
  gint64 black = 16 * color->factor;
  gint64 range = 219 * color->factor;

  if (color->full_range)
    return value;
  if (value < black)
    return 0;

  return MIN ((2 * (value - black) * color->max + range) / (2 * range),
      color->max);
}

gint64
reference_color_siti (const ReferenceColor * color, gint64 luma)
{
  gint64 range = 219 * color->factor;

  if (color->full_range)
    return luma;

  return color->max * CLAMP (luma - 16 * color->factor, 0, range) / range;
}

/* Gamut */

void
reference_color_gamut (const ReferenceColor * color, const gint64 values[3],
    gint64 rgby[4])
{
  const ReferenceGamutMatrix *gamut = &color->to_gamut;
  guint i, j;

  for (i = 0; i < 4; i++) {
    gint64 sum = (G_GINT64_CONSTANT (1) << gamut->bits) / 2;

    for (j = 0; j < 3; j++)
      sum += gamut->coefficients[i][j] * (values[j] - gamut->from[j]);
    rgby[i] = divide (sum, gamut->bits) + gamut->to;
  }
}

gboolean
reference_color_gamut_is_out (const ReferenceColor * color, gint64 code)
{
  return code < color->to_gamut.least || code > color->to_gamut.greatest;
}

/* Light */

gdouble
reference_light_of_pq (gdouble e)
{
  const gdouble m1 = 2610.0 / 16384;
  const gdouble m2 = 2523.0 / 4096 * 128;
  const gdouble c1 = 3424.0 / 4096;
  const gdouble c2 = 2413.0 / 4096 * 32;
  const gdouble c3 = 2392.0 / 4096 * 32;
  gdouble p = pow (e, 1 / m2);

  return 10000 * pow (MAX (p - c1, 0) / (c2 - c3 * p), 1 / m1);
}

static gdouble
light_of_hlg (gdouble e)
{
  const gdouble a = 0.17883277;
  const gdouble b = 1 - 4 * a;
  const gdouble c = 0.5 - a * log (4 * a);
  gdouble scene = e <= 0.5 ? e * e / 3 : (exp ((e - c) / a) + b) / 12;

  return 1000 * pow (scene, 1.2);
}

static gdouble
light_of_srgb (gdouble e)
{
  return 100 * (e <= 0.04045 ? e / 12.92 : pow ((e + 0.055) / 1.055, 2.4));
}

gdouble
reference_color_light (const ReferenceColor * color, gint64 code)
{
  gdouble e = (gdouble) code / color->max;

  switch (color->transfer) {
    case GST_VIDEO_TRANSFER_SMPTE2084:
      return reference_light_of_pq (e);
    case GST_VIDEO_TRANSFER_ARIB_STD_B67:
      return light_of_hlg (e);
    case GST_VIDEO_TRANSFER_GAMMA10:
      return 100 * e;
    case GST_VIDEO_TRANSFER_SRGB:
      return light_of_srgb (e);
    default:
      return 100 * pow (e, 2.4);
  }
}

gint64
reference_color_linear (const ReferenceColor * color, gint64 code)
{
  gdouble share;

  if (color->transfer == GST_VIDEO_TRANSFER_SMPTE2084)
    share = reference_color_light (color, code) / 200;
  else
    share = light_of_srgb ((gdouble) code / color->max) / 100;

  return llround (65535 * MIN (share, 1));
}

/* Polar chroma */

guint32
reference_color_saturation (gint64 du, gint64 dv)
{
  return (guint32) (gfloat) sqrt ((gdouble) (du * du + dv * dv));
}

guint32
reference_color_hue (const ReferenceColor * color, gint64 du, gint64 dv)
{
  gfloat angle;

  if (color->depth <= 10)
    angle = atan2f (du, dv);
  else
    angle = (gfloat) atan2 ((gdouble) du, (gdouble) dv);

  /* ffmpeg has a factor, a product and a sum of doubles, then two functions of
   * floats */
  return (guint32) fmodf (floorf ((gfloat) (180 / G_PI * (gdouble) angle
              + 180)), 360.f);
}

/* Outliers and gradients */

gboolean
reference_color_luma_is_out (const ReferenceColor * color, gint64 y)
{
  return y < 16 * color->factor || y > 235 * color->factor;
}

gboolean
reference_color_chroma_is_out (const ReferenceColor * color, gint64 chroma)
{
  return chroma < 16 * color->factor || chroma > 240 * color->factor;
}

gboolean
reference_color_is_outlier (const ReferenceColor * color, gint64 above,
    gint64 y, gint64 below)
{
  return (ABS (above - y) + ABS (below - y)) / 2 - ABS (below - above)
      > 4 * color->factor;
}

guint32
reference_color_gradient (const ReferenceColor * color,
    const gint64 rows[3][3], guint64 * fixed)
{
  static const gint weights[3] = { 1, 2, 1 };
  gint64 gx = 0, gy = 0;
  gfloat root;
  guint i;

  for (i = 0; i < 3; i++) {
    gx += weights[i] * (rows[i][2] - rows[i][0]);
    gy += weights[i] * (rows[2][i] - rows[0][i]);
  }
  root = sqrtf ((gfloat) (gx * gx + gy * gy));
  *fixed = (guint64) (root * (gfloat) (1u << (16 - color->depth)) + 0.5f);
  return MIN ((guint32) (root * 0.25f), color->max);
}
