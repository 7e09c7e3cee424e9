/* The formulas that make the numbers of derived components and of tallies from the
 * samples of a pixel, of its neighbours and of the previous frame.
 *
 * Both engines evaluate these functions, so that their results are equal to the last bit. All
 * values are integers, except for a few operations on floats that IEEE 754 defines exactly.
 * No compiler may fuse a multiplication and an addition here (-ffp-contract=off, -fmad=false).
 *
 * The depth D of the formulas is at least 8. f is 2^(D - 8), mid is 2^(D - 1), max is 2^D - 1.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_KERNEL_FORMULAS_H
#define HISTO_KERNEL_FORMULAS_H

#include <math.h>

#include "kernels/shared.h"
#include "plugin/cudahisto/measures.h"

#define HISTO_LEAST_FORMULA_DEPTH 8
/* Up to this depth saturation and hue come from a table (histo_chroma_entry()). */
#define HISTO_MOST_TABLE_DEPTH 10

/* ---- Tallies ----------------------------------------------------------------------- */

/* The tallies of a region, uint64_t each: HISTO_TALLY_BRNG, …. The lines of a region follow them. */
enum
{
#define HISTO_TALLY_ID(group, tally, ...) HISTO_TALLY_##tally,
  HISTO_TALLIES (HISTO_TALLY_ID, HISTO_TALLY_ID, HISTO_TALLY_ID, HISTO_TALLY_ID, HISTO_NO_TALLY, HISTO_NO_TALLY)
#undef HISTO_TALLY_ID
  HISTO_N_TALLIES
};

/* These are added up; those from HISTO_N_SUM_TALLIES on are greatest numbers. */
enum
{
#define HISTO_TALLY_ID(group, tally, ...) HISTO_SUM_TALLY_##tally,
  HISTO_TALLIES (HISTO_TALLY_ID, HISTO_TALLY_ID, HISTO_TALLY_ID, HISTO_NO_TALLY, HISTO_NO_TALLY, HISTO_NO_TALLY)
#undef HISTO_TALLY_ID
  HISTO_N_SUM_TALLIES
};

/* The numbers of a cell of the picture. */
enum
{
  HISTO_CELL_PIXELS,
  HISTO_CELL_LUMINANCE,         /* sums, and pixels that have changed */
  HISTO_CELL_LUMINANCE_AREA,
  HISTO_CELL_RED,
  HISTO_CELL_RED_AREA,
  HISTO_N_CELL_TALLIES
};
#define HISTO_N_CELLS_NUMBERS (HISTO_N_CELLS * HISTO_N_CELL_TALLIES)

/* ---- Matrices ---------------------------------------------------------------------- */

/* Makes three values of three: result i is
 *   clip (((Σ_j coefficients[i][j] (v[j] - from[j]) + 2^(shift-1)) >> shift) + to[i], 0, max).
 * If shift is HISTO_MATRIX_SHIFT all sums fit in 32 bits. */
typedef struct
{
  int32_t coefficients[3][3];
  int32_t from[3];
  int32_t to[3];
  int32_t max;
  uint32_t shift;
} HistoMatrix;

/* Fractional bits of the coefficients: up to 12 bits of depth, and above. */
#define HISTO_MATRIX_SHIFT 14
#define HISTO_DEEP_MATRIX_SHIFT 20
#define HISTO_MATRIX_SHIFT_DEPTH 12

HISTO_SHARED_FUNCTION uint32_t
histo_clip (int64_t value, int32_t max)
{
  return value < 0 ? 0 : value > max ? (uint32_t) max : (uint32_t) value;
}

/* Row i of the matrix, for values of any depth. */
HISTO_SHARED_FUNCTION uint32_t
histo_matrix_row (const HistoMatrix *matrix, uint32_t i, uint32_t a, uint32_t b, uint32_t c)
{
  const int32_t *row = matrix->coefficients[i];
  const int64_t sum = (int64_t) row[0] * ((int32_t) a - matrix->from[0])
      + (int64_t) row[1] * ((int32_t) b - matrix->from[1])
      + (int64_t) row[2] * ((int32_t) c - matrix->from[2]);

  return histo_clip (((sum + ((int64_t) 1 << (matrix->shift - 1))) >> matrix->shift)
      + matrix->to[i], matrix->max);
}

/* Computes histo_matrix_row() in 32 bits, if shift is HISTO_MATRIX_SHIFT. */
HISTO_SHARED_FUNCTION uint32_t
histo_matrix_row_narrow (const HistoMatrix *matrix, uint32_t i, uint32_t a, uint32_t b,
    uint32_t c)
{
  const int32_t *row = matrix->coefficients[i];
  const int32_t sum = row[0] * ((int32_t) a - matrix->from[0])
      + row[1] * ((int32_t) b - matrix->from[1])
      + row[2] * ((int32_t) c - matrix->from[2]);

  return histo_clip (((sum + (1 << (HISTO_MATRIX_SHIFT - 1))) >> HISTO_MATRIX_SHIFT)
      + matrix->to[i], matrix->max);
}

/* Makes R, G, B and Y of limited range that are not clipped: value i is
 *   ((Σ_j coefficients[i][j] (v[j] - from[j]) + 2^(shift-1)) >> shift) + black.
 * With HISTO_GAMUT_SHIFT all sums fit in 32 bits. */
typedef struct
{
  int32_t coefficients[4][3];
  int32_t from[3];
  int32_t black;
  uint32_t shift;
} HistoGamut;

/* Fractional bits: up to HISTO_MATRIX_SHIFT_DEPTH bits of depth, and above. */
#define HISTO_GAMUT_SHIFT 18
#define HISTO_DEEP_GAMUT_SHIFT 20

/* What the formulas of a format need to know. The host fills it in (measures/colors.h). */
typedef struct
{
  uint32_t depth;               /* D */
  uint32_t depths[3];           /* of the samples of Y, U, V or of R, G, B */
  uint32_t is_rgb;              /* else YUV, or GRAY: Y alone */
  uint32_t has_chroma;          /* YUV: U and V exist; RGB: 1 */
  uint32_t is_limited;          /* limited range: black is 16 f */
  /* YUV: a sample of chroma lies in 2^w_sub columns and 2^h_sub rows. The chroma of pixel (x, y) is sample x >> w_sub
   * of row histo_chroma_row (). */
  uint32_t w_sub;
  uint32_t h_sub;
  /* YUV and GRAY: to full-range R, G, B. RGB: to limited-range Y, U, V. */
  HistoMatrix matrix;
  HistoMatrix luma;             /* RGB: row 0 gives luma */
  HistoGamut gamut;
} HistoFormulas;

/* ---- Rows of fields ---------------------------------------------------------------- */

/* How the rows of a frame belong together. The host fills it in (measures/plan.h). */
typedef struct
{
  uint32_t row_step;            /* to the next row of the same field: 2 of an interlaced frame, else 1 */
  uint32_t h_sub;               /* as in HistoFormulas */
  uint32_t has_field_chroma;    /* interlaced, and a row of chroma belongs to several rows: of the same field */
  uint32_t first;               /* interlaced: the frame's row with which the picture begins, modulo 2^(h_sub + 1) */
  uint32_t n_chroma_rows;       /* of the picture */
} HistoScan;

/* The row of chroma of the pixels in row @y of an interlaced picture. As in MPEG-2 and in GStreamer's converters,
 * 2^h_sub rows of a field have one row of chroma, and the rows of chroma of both fields lie in turn. */
HISTO_SHARED_FUNCTION uint32_t
histo_chroma_row_of_field (const HistoScan *scan, uint32_t y)
{
  const int32_t n_rows = (int32_t) scan->n_chroma_rows;
  const uint32_t at = y + scan->first;
  int32_t row = (int32_t) (at >> (scan->h_sub + 1) << 1 | (at & 1)) - (int32_t) (scan->first >> scan->h_sub);

  /* Outside of the picture: then the field's nearest row there. */
  if (row < 0)
    row += 2;
  if (row >= n_rows)
    row -= 2;
  return row < 0 ? 0 : (uint32_t) row;
}

/* The row of chroma of the pixels in row @y of the picture. */
HISTO_SHARED_FUNCTION uint32_t
histo_chroma_row (const HistoScan *scan, uint32_t y)
{
  return scan->has_field_chroma ? histo_chroma_row_of_field (scan, y) : y >> scan->h_sub;
}

/* The row of pixels, of a picture with @height rows, that is nearest to row @row of samples; there is one for each 2^h_sub rows.
 *
 * A sample between two rows of a picture is as near to the upper one as to the lower one: it is the upper one. Chroma of a
 * field belongs to rows of this field. That of the top field is nearest to the first of them, that of the bottom field to
 * the last one. At the edge of the picture it is the nearest row of the field that is in the picture. */
HISTO_SHARED_FUNCTION uint32_t
histo_nearest_row (const HistoScan *scan, uint32_t h_sub, uint32_t height, uint32_t row)
{
  const uint32_t last = height - 1, in_frame = row + (scan->first >> h_sub), is_bottom = in_frame & 1;
  int64_t found = (int64_t) row << h_sub;

  if (h_sub > 0 && scan->has_field_chroma) {
    found = 2 * ((int64_t) (in_frame >> 1) << h_sub) + is_bottom * (2 * ((1 << h_sub) - 1) + 1) - (int64_t) scan->first;
    while (found > (int64_t) last)
      found -= 2;
    while (found < 0)
      found += 2;
  }
  return found < (int64_t) last ? (uint32_t) found : last;
}

/* A sample of @depth bits, scaled to @formula_depth bits. */
HISTO_SHARED_FUNCTION uint32_t
histo_scale_sample (uint32_t value, uint32_t depth, uint32_t formula_depth)
{
  const uint32_t from = (1u << depth) - 1, to = (1u << formula_depth) - 1;

  return (value * to + from / 2) / from;
}

/* A sample of limited-range RGB, stretched to 0 .. max with rounding. */
HISTO_SHARED_FUNCTION uint32_t
histo_stretch_rgb (uint32_t value, uint32_t depth)
{
  const int64_t f = (int64_t) 1 << (depth - 8), max = ((int64_t) 1 << depth) - 1;
  const int64_t over = (int64_t) value - 16 * f;

  return histo_clip ((2 * over * max + 219 * f) / (2 * 219 * f), (int32_t) max);
}

/* ---- Saturation and hue ------------------------------------------------------------ */

/* FFmpeg's signalstats: the distance from neutral, truncated. @u, @v: chroma minus mid */
HISTO_SHARED_FUNCTION uint32_t
histo_saturation (int32_t u, int32_t v)
{
  const double squares = (double) ((int64_t) u * u + (int64_t) v * v);

  return (uint32_t) (float) sqrt (squares);
}

/* Whether the root of @squares, rounded to a float, is at least @m, which is above 0 and below 46342. From 4097 on it is
 * also if it rounds up to @m: the next float below m is 2^(e - 23) away, 2^e < m <= 2^(e + 1), and half of that times 2 m,
 * rounded down, is what the squares may lack. */
HISTO_SHARED_FUNCTION int
histo_saturation_reaches (uint32_t squares, uint32_t m)
{
  return squares + ((m - 1) >> (histo_leading_zeros ((m - 1) | 1) - 8)) >= m * m;
}

/* histo_saturation () of @squares = u u + v v, from a root that is wrong by less than 1 and rounded down. */
HISTO_SHARED_FUNCTION uint32_t
histo_saturation_near (uint32_t squares, uint32_t root)
{
  const uint32_t less = root > 0 && !histo_saturation_reaches (squares, root);

  return root + (uint32_t) histo_saturation_reaches (squares, root + 1) - less;
}

/* Degrees of an angle in radians, -π to π: 0 to 359. FFmpeg's signalstats: the sum is rounded to
 * a float before it is rounded down. */
HISTO_SHARED_FUNCTION uint32_t
histo_hue_of_angle (float angle)
{
  const float degrees =
      floorf ((float) (180.0 / 3.14159265358979323846 * (double) angle + 180.0));

  return degrees >= 360.f ? 0 : (uint32_t) degrees;
}

/* The arc tangent of 0 <= x <= 1, good to 2 · 10^-16: the nearest k / 8 is taken away by the
 * addition theorem, and a series gives the rest. The order of operations is fixed. */
HISTO_SHARED_FUNCTION double
histo_arc_tangent (double x)
{
  /* The arc tangents of k / 8. */
  HISTO_SHARED_TABLE double of_eighths[9] = {
    0, 0.12435499454676143503, 0.24497866312686415417, 0.35877067027057222041,
    0.46364760900080611621, 0.55859931534356243597, 0.64350110879328438680,
    0.71882999962162450541, 0.78539816339744830962
  };
  const int32_t k = (int32_t) (x * 8 + 0.5);
  const double z = (x - k / 8.0) / (1 + x * (k / 8.0)), q = z * z;
  const double series = 1 - q * (1 / 3.0 - q * (1 / 5.0 - q * (1 / 7.0 - q * (1 / 9.0
                  - q * (1 / 11.0 - q * (1 / 13.0))))));

  return of_eighths[k] + z * series;
}

/* The hue of any depth. @u, @v: chroma minus mid. Equal to the hue by atan2f() except where
 * that function's last bit decides. */
HISTO_SHARED_FUNCTION uint32_t
histo_hue (int32_t u, int32_t v)
{
  const double pi = 3.14159265358979323846;
  const double a = u < 0 ? -(double) u : u, b = v < 0 ? -(double) v : v;
  double angle;

  if (u == 0 && v == 0)
    return histo_hue_of_angle (0);
  angle = a <= b ? histo_arc_tangent (a / b) : pi / 2 - histo_arc_tangent (b / a);
  if (v < 0)
    angle = pi - angle;
  return histo_hue_of_angle ((float) (u < 0 ? -angle : angle));
}

/* The hue in degrees, 0 to 360, before it is rounded down; it is off by less than HISTO_HUE_MARGIN. @u, @v: chroma
 * minus mid. The polynomial of the arc tangent is good to 0.0001 degrees. There is no branch, so that compilers use
 * vectors. */
#define HISTO_HUE_MARGIN 0.001f

/* A quotient whose last bits may be wrong: a GPU takes a third of the time for it. */
#ifdef __CUDA_ARCH__
#define HISTO_NEARLY_DIVIDE(a, b) __fdividef ((a), (b))
#else
#define HISTO_NEARLY_DIVIDE(a, b) ((a) / (b))
#endif

HISTO_SHARED_FUNCTION float
histo_hue_degrees (float u, float v)
{
  const float a = fabsf (u), b = fabsf (v);
  const float less = a < b ? a : b, more = a < b ? b : a;
  const float t = HISTO_NEARLY_DIVIDE (less, more > 1 ? more : 1), q = t * t;
  const float arc = t * (57.29448f + q * (-19.0579211f + q * (11.0892233f
              + q * (-6.67111206f + q * (3.01681309f + q * -0.671575293f)))));
  const float of_octant = a <= b ? arc : 90 - arc;
  const float of_quarter = v < 0 ? 180 - of_octant : of_octant;

  return 180 + (u < 0 ? -of_quarter : of_quarter);
}

/* Whether the degrees are so near to a whole number that the hue is not sure. */
HISTO_SHARED_FUNCTION int
histo_hue_is_unsure (float degrees)
{
  const float rest = degrees - (float) (int32_t) degrees;

  return rest < HISTO_HUE_MARGIN || rest > 1 - HISTO_HUE_MARGIN;
}

/* histo_hue (), which is only called where it is not sure otherwise. */
HISTO_SHARED_FUNCTION uint32_t
histo_quick_hue (int32_t u, int32_t v)
{
  const float degrees = histo_hue_degrees ((float) u, (float) v);

  return histo_hue_is_unsure (degrees) ? histo_hue (u, v) : (uint32_t) degrees;
}

/* An entry of the table at (U << D) + V: what saturation and hue are for this chroma. */
#define HISTO_CHROMA_ENTRY(saturation, hue) ((uint32_t) (hue) << 16 | (saturation))
#define HISTO_CHROMA_SATURATION(entry) ((entry) & 0xffff)
#define HISTO_CHROMA_HUE(entry) ((entry) >> 16)

/* ---- Out of range, outliers, repeated rows ------------------------------------------- */

/* Whether a pixel lies outside the limited range: Y, or with @has_chroma U or V. */
HISTO_SHARED_FUNCTION int
histo_luma_is_out_of_range (uint32_t y, uint32_t depth)
{
  return y < 16u << (depth - 8) || y > 235u << (depth - 8);
}

/* Whether a pixel of luma differs visibly from its neighbour. */
HISTO_SHARED_FUNCTION int
histo_is_step (uint32_t y, uint32_t left, uint32_t depth)
{
  return (y > left ? y - left : left - y) > 1u << (depth - 8);
}

/* Whether a row of @n pixels has detail. @n_steps: of its pixels but the first and the last one, those for which
 * histo_is_step() holds. Below this share lie flat rows, and dark ones with the noise of a codec. */
HISTO_SHARED_FUNCTION int
histo_row_has_detail (uint32_t n_steps, uint32_t n)
{
  return n_steps >= (n + 3) / 4;
}

HISTO_SHARED_FUNCTION int
histo_chroma_is_out_of_range (uint32_t c, uint32_t depth)
{
  return c < 16u << (depth - 8) || c > 240u << (depth - 8);
}

/* signalstats' temporal outlier: whether b lies far from a (above) and c (below). */
HISTO_SHARED_FUNCTION int
histo_is_outlier (int32_t a, int32_t b, int32_t c, uint32_t depth)
{
  const int32_t ab = a < b ? b - a : a - b;
  const int32_t bc = b < c ? c - b : b - c;
  const int32_t ac = a < c ? c - a : a - c;

  return (ab + bc) / 2 - ac > 4 << (depth - 8);
}

/* ---- Gamut ------------------------------------------------------------------------- */

/* R, G, B or Y of a pixel for @i = 0, 1, 2, 3, of any depth. */
HISTO_SHARED_FUNCTION int32_t
histo_gamut_row (const HistoGamut *gamut, uint32_t i, uint32_t a, uint32_t b, uint32_t c)
{
  const int32_t *row = gamut->coefficients[i];
  const int64_t sum = (int64_t) row[0] * ((int32_t) a - gamut->from[0])
      + (int64_t) row[1] * ((int32_t) b - gamut->from[1])
      + (int64_t) row[2] * ((int32_t) c - gamut->from[2]);

  return (int32_t) ((sum + ((int64_t) 1 << (gamut->shift - 1))) >> gamut->shift) + gamut->black;
}

/* Whether Y is taken over as it is, so that R, G and B are Y and a number that follows from chroma: YUV of limited range.
 * Those numbers and the sums fit in 16 bits. */
HISTO_SHARED_FUNCTION int
histo_gamut_is_sum (const HistoGamut *gamut, int is_rgb)
{
  const int32_t one = 1 << HISTO_GAMUT_SHIFT;
  const int32_t (*of)[3] = gamut->coefficients;

  return !is_rgb && gamut->shift == HISTO_GAMUT_SHIFT && gamut->from[0] == gamut->black && of[0][0] == one
      && of[1][0] == one && of[2][0] == one && of[3][0] == one && of[3][1] == 0 && of[3][2] == 0;
}

/* The least and the greatest code value that EBU R 103 allows: 5 % beyond black and white. */
HISTO_SHARED_FUNCTION int32_t
histo_gamut_margin (uint32_t depth)
{
  return ((219 << (depth - 8)) + 1 + 10) / 20;
}

HISTO_SHARED_FUNCTION int32_t
histo_gamut_least (uint32_t depth)
{
  return (16 << (depth - 8)) - histo_gamut_margin (depth);
}

HISTO_SHARED_FUNCTION int32_t
histo_gamut_greatest (uint32_t depth)
{
  return (235 << (depth - 8)) + histo_gamut_margin (depth);
}

/* Makes the extremes positive. */
#define HISTO_GAMUT_BIAS (1 << 20)

/* Makes code values of 8 bits positive, so that they are less than 1024. */
#define HISTO_BYTES_GAMUT_BIAS 256

/* R 103's filter: the weights of a row, of the pixels from 3 to the left to 3 to the right, and those of three rows;
 * the sum is 64. */
HISTO_SHARED_FUNCTION int32_t
histo_gamut_across (int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f, int32_t g)
{
  return a + g + 2 * (b + f) + 3 * (c + e) + 4 * d;
}

#define HISTO_GAMUT_WEIGHTS 64

/* The least sum whose filtered value is not below histo_gamut_least(); the sums of each code value are HISTO_GAMUT_WEIGHTS. */
HISTO_SHARED_FUNCTION int32_t
histo_gamut_filtered_least (uint32_t depth)
{
  return HISTO_GAMUT_WEIGHTS * histo_gamut_least (depth) - HISTO_GAMUT_WEIGHTS / 2;
}

HISTO_SHARED_FUNCTION int32_t
histo_gamut_filtered (int32_t above, int32_t row, int32_t below)
{
  return (above + 2 * row + below + 32) >> 6;
}

/* ---- Flashes ----------------------------------------------------------------------- */

/* Returns: the relative luminance of linear R, G and B. All are 0 to 65535. */
HISTO_SHARED_FUNCTION uint32_t
histo_flash_luminance (uint32_t r, uint32_t g, uint32_t b)
{
  return (13933u * r + 46871u * g + 4732u * b + 32768u) >> 16;
}

/* Light of histo_hlg_light (), as linear R, G and B of a flash: 65535 means 1000 cd/m² there, and 200 cd/m² and above
 * here. */
HISTO_SHARED_FUNCTION uint32_t
histo_flash_of_hlg (uint32_t light)
{
  return light < 13107 ? 5 * light : 65535;
}

/* Saturated red: R - G - B where R has 80 % of the sum, else 0. */
HISTO_SHARED_FUNCTION uint32_t
histo_flash_red (uint32_t r, uint32_t g, uint32_t b)
{
  return r >= 4 * (g + b) ? r - g - b : 0;
}

/* The steps of a flash, and the luminance below which the darker state lies. */
#define HISTO_FLASH_STEP 6554
#define HISTO_FLASH_DARK 52428
#define HISTO_FLASH_RED_STEP 4096

/* Whether the luminance has gone up from @before to @now by a step; swapped: down. */
HISTO_SHARED_FUNCTION int
histo_flash_rises (uint32_t before, uint32_t now)
{
  return now >= before + HISTO_FLASH_STEP && before < HISTO_FLASH_DARK;
}

HISTO_SHARED_FUNCTION int
histo_flash_reddens (uint32_t before, uint32_t now)
{
  return now >= before + HISTO_FLASH_RED_STEP;
}

/* ---- Light of HLG ------------------------------------------------------------------ */

/* BT.2100: the light of a color depends on its luminance. The tables of a format, one after the other (measures/colors.h):
 * e, the scene's light of a code value, 0 to 65535; y^0.2 of the scene's luminance y, the same; the bin of the display's
 * light, in 1/65535 of 1000 cd/m²: the nearest PQ code of 12 bits. */
#define HISTO_HLG_NUMBERS 65536
#define HISTO_HLG_BINS 4096

/* Makes the light of R, G and B, and returns the greatest of them. @r, @g, @b: scene light; @powers: the second table */
HISTO_SHARED_FUNCTION uint32_t
histo_hlg_light (uint32_t r, uint32_t g, uint32_t b, const uint16_t *powers, uint32_t light[3])
{
  const uint32_t y = (17216u * r + 44433u * g + 3887u * b + 32768u) >> 16, power = powers[y];
  uint32_t most;

  light[0] = power * r >> 16;
  light[1] = power * g >> 16;
  light[2] = power * b >> 16;
  most = light[0] > light[1] ? light[0] : light[1];
  return most > light[2] ? most : light[2];
}

/* ---- Fields ------------------------------------------------------------------------ */

/* FFmpeg's fieldmatch: whether a sample is combed. The samples of five rows, c is its own. */
HISTO_SHARED_FUNCTION int
histo_is_combed (int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, uint32_t depth)
{
  const int32_t f = 1 << (depth - 8), least = 9 * f;
  const int32_t sum = 4 * c - 3 * (b + d) + a + e;

  return (c - b > least || b - c > least) && (c - d > least || d - c > least) && (sum > 6 * least || sum < -6 * least);
}

/* ---- Scopes ------------------------------------------------------------------------ */

/* The column of a waveform that pixel @x of a row counts in. */
HISTO_SHARED_FUNCTION uint32_t
histo_scope_column (uint32_t x, uint32_t width)
{
  return (uint32_t) ((uint64_t) x * HISTO_SCOPE_SIZE / width);
}

/* The 8 most significant bits. */
HISTO_SHARED_FUNCTION uint32_t
histo_scope_code (uint32_t value, uint32_t depth)
{
  return value >> (depth - 8);
}

/* ---- Detail ------------------------------------------------------------------------ */

/* Luma as ITU-T P.910 and FFmpeg's siti use it: limited range is stretched to 0 .. max. */
HISTO_SHARED_FUNCTION uint32_t
histo_stretch (uint32_t y, uint32_t depth, uint32_t is_limited)
{
  const uint32_t f = 1u << (depth - 8), max = (1u << depth) - 1;
  const uint32_t over = y < 16 * f ? 0 : y - 16 * f > 219 * f ? 219 * f : y - 16 * f;

  return is_limited ? max * over / (219 * f) : y;
}

/* Sobel's sums over the neighbours: [0] is the row above, [2] the row below. */
HISTO_SHARED_FUNCTION int64_t
histo_gradient_square (const int32_t above[3], const int32_t row[3], const int32_t below[3])
{
  const int64_t x = above[2] - above[0] + 2 * (row[2] - row[0]) + below[2] - below[0];
  const int64_t y = below[0] - above[0] + 2 * (below[1] - above[1]) + below[2] - above[2];

  return x * x + y * y;
}

/* @magnitude: sqrtf ((float) histo_gradient_square ()) */
HISTO_SHARED_FUNCTION uint32_t
histo_gradient (float magnitude, uint32_t depth)
{
  const uint32_t max = (1u << depth) - 1;
  const uint32_t value = (uint32_t) (magnitude * 0.25f);

  return value > max ? max : value;
}

/* The greatest square of histo_gradient_fixed (). histo_gradient_square () is at most 20 times the square
 * of the greatest sample: for samples that are 0 or 1 it is at most 4² + 2². */
#define HISTO_MOST_GRADIENT_SQUARE ((uint64_t) 20 << 32)

/* Returns: the magnitude with 16 - D fractional bits, rounded, for the tallies. Both tallies use the
 * rounded number: if all gradients are equal, their variance is exactly 0. */
HISTO_SHARED_FUNCTION uint32_t
histo_gradient_fixed (float magnitude, uint32_t depth)
{
  return (uint32_t) (magnitude * (float) (1u << (16 - depth)) + 0.5f);
}

/* ---- Area -------------------------------------------------------------------------- */

/* The mean up to which a row or column is black: FFmpeg's cropdetect, 24 / 255 of max. */
HISTO_SHARED_FUNCTION uint32_t
histo_black_limit (uint32_t depth)
{
  return (24 * ((1u << depth) - 1) + 127) / 255;
}

/* ---- Comparing ---------------------------------------------------------------------- */

/* SSIM of a window of 8 x 8 samples of two pictures, as FFmpeg's filter ssim computes it (libavfilter/vf_ssim.c). */

/* c1 and c2 of samples of @depth bits. @k: 1 or 2 */
HISTO_SHARED_FUNCTION double
histo_ssim_constant (uint32_t depth, int k)
{
  const double max = (double) ((1u << depth) - 1);

  return k == 1 ? floor (.01 * .01 * max * max * 64 + .5) : floor (.03 * .03 * max * max * 64 * 63 + .5);
}

/* @a, @b: the sums of the samples; @squares: of all their squares; @products: of the products. NUMBER is a type in which
 * all but the products of floats is exact. */
#define HISTO_SSIM(NUMBER, name) \
HISTO_SHARED_FUNCTION float \
name (NUMBER a, NUMBER b, NUMBER squares, NUMBER products, NUMBER c1, NUMBER c2) \
{ \
  const NUMBER variances = squares * 64 - a * a - b * b, covariance = products * 64 - a * b; \
\
  return (float) (2 * a * b + c1) * (float) (2 * covariance + c2) \
      / ((float) (a * a + b * b + c1) * (float) (variances + c2)); \
}
HISTO_SSIM (double, histo_ssim)
HISTO_SSIM (int32_t, histo_ssim_of_bytes)
HISTO_SSIM (int64_t, histo_ssim_of_words)
#undef HISTO_SSIM

#endif /* HISTO_KERNEL_FORMULAS_H */
