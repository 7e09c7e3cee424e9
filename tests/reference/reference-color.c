/* reference-color.c: the colours of pixels and their light; see reference-color.h.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sources: ITU-R BT.601, BT.709, BT.2020 (matrices), BT.1886, BT.2100 (HLG),
 * SMPTE ST 2084 (PQ), IEC 61966-2-1 (sRGB), ffmpeg's vf_signalstats.c and
 * vf_siti.c.
 */

#include <math.h>

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
}

/* Maps of codes */

static gint64
clip (const ReferenceColor * color, gint64 value)
{
  return CLAMP (value, 0, color->max);
}

gint64
reference_color_scale (const ReferenceColor * color, guint32 value,
    guint depth)
{
  gint64 most = (G_GINT64_CONSTANT (1) << depth) - 1;

  if (depth == color->depth)
    return value;

  return (value * color->max + most / 2) / most;
}

gint64
reference_color_coefficient (const ReferenceColor * color, long double value)
{
  return llrintl (ldexpl (value, color->bits));
}

/* A sum with fractional bits as an integer, rounded half up */
static gint64
rounded (const ReferenceColor * color, gint64 sum)
{
  gint64 one = G_GINT64_CONSTANT (1) << color->bits;

  sum += one / 2;
  /* a division that rounds down, for negative sums, too */
  return sum >= 0 ? sum / one : -((-sum + one - 1) / one);
}

void
reference_color_yuv_to_rgb (const ReferenceColor * color,
    const gint64 yuv[3], gint64 rgb[3])
{
  const long double kr = color->kr, kb = color->kb, kg = 1 - kr - kb;
  long double y_scale = 1, c_scale = 1;
  gint64 black = 0;
  gint64 y, u, v, c_y, r_v, g_u, g_v, b_u;

  if (!color->full_range) {
    y_scale = (long double) color->max / (219 * color->factor);
    c_scale = (long double) color->max / (224 * color->factor);
    black = 16 * color->factor;
  }
  c_y = reference_color_coefficient (color, y_scale);
  r_v = reference_color_coefficient (color, c_scale * 2 * (1 - kr));
  b_u = reference_color_coefficient (color, c_scale * 2 * (1 - kb));
  g_u = reference_color_coefficient (color, -c_scale * 2 * (1 - kb) * kb / kg);
  g_v = reference_color_coefficient (color, -c_scale * 2 * (1 - kr) * kr / kg);

  y = yuv[0] - black;
  u = yuv[1] - color->mid;
  v = yuv[2] - color->mid;
  rgb[0] = clip (color, rounded (color, c_y * y + r_v * v));
  rgb[1] = clip (color, rounded (color, c_y * y + g_u * u + g_v * v));
  rgb[2] = clip (color, rounded (color, c_y * y + b_u * u));
}

gint64
reference_color_luma (const ReferenceColor * color, const gint64 rgb[3])
{
  gint64 c_r = reference_color_coefficient (color, color->kr);
  gint64 c_b = reference_color_coefficient (color, color->kb);
  gint64 c_g = (G_GINT64_CONSTANT (1) << color->bits) - c_r - c_b;

  return clip (color, rounded (color,
          c_r * rgb[0] + c_g * rgb[1] + c_b * rgb[2]));
}

/* One row of the matrix from R, G, B to limited Y, U or V */
static gint64
row_of_matrix (const ReferenceColor * color, const long double weights[3],
    long double scale, const gint64 rgb[3], gint64 offset)
{
  gint64 black = color->full_range ? 0 : 16 * color->factor;
  gint64 sum = 0;
  guint i;

  for (i = 0; i < 3; i++)
    sum += reference_color_coefficient (color, scale * weights[i])
        * (rgb[i] - black);

  return clip (color, rounded (color, sum) + offset);
}

void
reference_color_rgb_to_yuv (const ReferenceColor * color,
    const gint64 rgb[3], gint64 yuv[3])
{
  const long double kr = color->kr, kb = color->kb, kg = 1 - kr - kb;
  const long double y_weights[3] = { kr, kg, kb };
  const long double u_weights[3] = { -kr, -kg, 1 - kb };
  const long double v_weights[3] = { 1 - kr, -kg, -kb };
  long double range = color->full_range ? color->max : 219 * color->factor;
  long double c_scale = 224 * color->factor / range;

  if (color->full_range)
    yuv[0] = row_of_matrix (color, y_weights, 219 * color->factor / range,
        rgb, 16 * color->factor);
  else
    yuv[0] = reference_color_luma (color, rgb);
  yuv[1] = row_of_matrix (color, u_weights, c_scale / (2 * (1 - kb)), rgb,
      color->mid);
  yuv[2] = row_of_matrix (color, v_weights, c_scale / (2 * (1 - kr)), rgb,
      color->mid);
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

  return clip (color, (2 * (value - black) * color->max + range)
      / (2 * range));
}

gint64
reference_color_siti (const ReferenceColor * color, gint64 luma)
{
  gint64 range = 219 * color->factor;

  if (color->full_range)
    return luma;

  return color->max * CLAMP (luma - 16 * color->factor, 0, range) / range;
}

/* Light */

static gdouble
light_of_pq (gdouble e)
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
      return light_of_pq (e);
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
