/* reference-color.h: the colours of pixels and their light, for the reference of the measures.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#pragma once

#include "reference.h"

G_BEGIN_DECLS

typedef enum
{
  REFERENCE_GRAY,               /* Y, perhaps A */
  REFERENCE_YUV,                /* Y U V, perhaps A */
  REFERENCE_RGB                 /* R G B, perhaps A */
} ReferenceFamily;

/**
 * ReferenceMatrix:
 * @coefficients: with @bits fractional bits
 *
 * Value i is the rounded sum over j of coefficients[i][j] * (value j - from[j]),
 * plus to[i], clipped to 0 .. @max.
 */
typedef struct
{
  gint64 coefficients[3][3];
  gint64 from[3], to[3];
  guint bits;
  gint64 max;
} ReferenceMatrix;

gint64 reference_matrix_row (const ReferenceMatrix * matrix, guint i,
    const gint64 values[3]);

/**
 * ReferenceGamutMatrix:
 * @coefficients: with @bits fractional bits: 18 up to 12 bits of depth, else 20
 * @to: of limited range's black
 * @least: that EBU R 103 allows
 * @greatest: the same
 *
 * What ReferenceMatrix is, for R, G, B and Y.
 */
typedef struct
{
  gint64 coefficients[4][3];
  gint64 from[3], to;
  guint bits;
  gint64 least, greatest;
} ReferenceGamutMatrix;

/**
 * ReferenceColor:
 * @depth: bits of the picture: those of its deepest component but A, at least 8
 * @factor: 2^(depth - 8), by which the constants of 8-bit video are multiplied
 * @mid: the chroma of grey
 * @max: 2^depth - 1
 * @full_range: whether black is 0 and white is @max; else they are 16 * @factor
 *   and 235 * @factor
 * @kr: share of R in the luma
 * @kb: share of B in the luma
 * @bits: fractional bits of the coefficients: 14 up to 12 bits, else 20
 * @to_rgb: Y U V in the picture's range to R G B in full range
 * @to_yuv: R G B in the picture's range to Y U V in limited range
 * @to_luma: the same to Y in the picture's range; it has one row
 * @to_gamut: the picture's values to R G B Y in limited range, which are not clipped
 *
 * How the pixels of a picture are mapped to other colours.
 */
typedef struct
{
  ReferenceFamily family;
  guint depth;
  gint64 factor, mid, max;
  gboolean full_range;
  GstVideoTransferFunction transfer;
  long double kr, kb;
  guint bits;
  ReferenceMatrix to_rgb, to_yuv, to_luma;
  ReferenceGamutMatrix to_gamut;
} ReferenceColor;

/**
 * reference_color_init:
 * @colorimetry: its matrix is replaced if it is unknown or RGB: by that of the
 *   primaries, else by BT.709 for more than 576 rows and by BT.601 for others.
 *   An unknown range is full for RGB and limited for others.
 * @height: of the picture in pixels
 */
void reference_color_init (ReferenceColor * color,
    const ReferenceShape * shape, const GstVideoColorimetry * colorimetry,
    guint height);

/**
 * reference_color_scale:
 * @value: a sample of @depth bits, at most @color's
 *
 * Returns: the sample in the picture's depth; the highest code becomes the
 *   highest code
 */
gint64 reference_color_scale (const ReferenceColor * color, guint32 value,
    guint depth);

/**
 * reference_color_yuv_to_rgb:
 * @yuv: in @color's range
 * @rgb: (out): in full range
 */
void reference_color_yuv_to_rgb (const ReferenceColor * color,
    const gint64 yuv[3], gint64 rgb[3]);

/**
 * reference_color_rgb_to_yuv:
 * @rgb: in @color's range
 * @yuv: (out): in limited range
 */
void reference_color_rgb_to_yuv (const ReferenceColor * color,
    const gint64 rgb[3], gint64 yuv[3]);

/**
 * reference_color_luma:
 * @rgb: in @color's range
 *
 * Returns: the luma, in the same range
 */
gint64 reference_color_luma (const ReferenceColor * color,
    const gint64 rgb[3]);

/**
 * reference_color_full_range:
 * @value: R, G or B in @color's range
 *
 * Returns: the value in full range, rounded
 */
gint64 reference_color_full_range (const ReferenceColor * color,
    gint64 value);

/**
 * reference_color_siti:
 * @luma: in @color's range
 *
 * Returns: the luma in full range, truncated as ffmpeg's siti does
 */
gint64 reference_color_siti (const ReferenceColor * color, gint64 luma);

/**
 * reference_color_gamut:
 * @values: Y U V or R G B, in @color's range
 * @rgby: (out): R G B Y in limited range, which may lie beyond the codes
 */
void reference_color_gamut (const ReferenceColor * color,
    const gint64 values[3], gint64 rgby[4]);

/* Whether such a code lies outside of what EBU R 103 allows. */
gboolean reference_color_gamut_is_out (const ReferenceColor * color,
    gint64 code);

/**
 * reference_color_linear:
 * @code: of R, G or B in full range
 *
 * PQ: 200 cd/m² are 65535, and what is brighter, too. All others: sRGB. Not of
 * HLG.
 *
 * Returns: the linear light of a flash, 0 to 65535
 */
gint64 reference_color_linear (const ReferenceColor * color, gint64 code);

/* Whether Y, or U or V, lies outside of the limited range. */
gboolean reference_color_luma_is_out (const ReferenceColor * color, gint64 y);
gboolean reference_color_chroma_is_out (const ReferenceColor * color,
    gint64 chroma);

/**
 * reference_color_is_outlier:
 *
 * Returns: whether @y is far from the pixel above and the pixel below
 */
gboolean reference_color_is_outlier (const ReferenceColor * color,
    gint64 above, gint64 y, gint64 below);

/**
 * reference_color_gradient:
 * @rows: the 3 by 3 luma around a pixel, as reference_color_siti() gives it
 * @fixed: (out): the gradient times 4, with 16 - depth fractional bits, rounded
 *
 * Returns: the gradient of Sobel's operator, truncated
 */
guint32 reference_color_gradient (const ReferenceColor * color,
    const gint64 rows[3][3], guint64 * fixed);

/**
 * reference_color_light:
 * @code: of R, G or B in full range, 0 to @color's max
 *
 * PQ: the EOTF of SMPTE ST 2084. HLG: ITU-R BT.2100 with a display of
 * 1000 cd/m² and the system gamma 1.2, of grey. Linear and sRGB (IEC 61966-2-1): white
 * is 100 cd/m². All others: ITU-R BT.1886 with white of 100 cd/m² and a black
 * of 0.
 *
 * Returns: cd/m²
 */
gdouble reference_color_light (const ReferenceColor * color, gint64 code);

/* cd/m² of a signal of PQ, 0 to 1 */
gdouble reference_light_of_pq (gdouble signal);

/* The light of HLG is that of R, G and B together, so it has no code. In integers: */

#define REFERENCE_N_LIGHT_BINS 4096

/**
 * reference_hlg_scene:
 * @code: of R, G or B in full range
 *
 * Returns: the light of the scene, 0 to 65535
 */
gint64 reference_hlg_scene (const ReferenceColor * color, gint64 code);

/**
 * reference_hlg_light:
 * @scene: of R, G and B of a pixel
 * @light: (out): of R, G and B on a display of 1000 cd/m², which are 65535
 */
void reference_hlg_light (const gint64 scene[3], gint64 light[3]);

/* The code of PQ, of 12 bits, that is nearest to the light */
guint reference_hlg_bin (gint64 light);

/* The light in cd/m² */
gdouble reference_hlg_cd (gint64 light);

/**
 * reference_color_saturation:
 * @du: U less the chroma of grey
 * @dv: V less the chroma of grey
 *
 * Returns: the distance from grey, truncated
 */
guint32 reference_color_saturation (gint64 du, gint64 dv);

/**
 * reference_color_hue:
 *
 * Up to 10 bits the C library's atan2f() gives the angle, as in ffmpeg. Above,
 * the angle is the float that is nearest to the exact one.
 *
 * Returns: the angle of (@du, @dv) as ffmpeg's signalstats has it, 0 to 359
 */
guint32 reference_color_hue (const ReferenceColor * color, gint64 du,
    gint64 dv);

G_END_DECLS
