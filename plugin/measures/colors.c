/* What the formulas need to know of a format's colorimetry; see colors.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/colors.h"

#include "cudahisto/colorimetry.h"

#include <math.h>

/* ---- Matrices --------------------------------------------------------------------------- */

static void
begin_matrix (HistoMatrix * matrix, guint depth)
{
  memset (matrix, 0, sizeof *matrix);
  matrix->max = (1 << depth) - 1;
  matrix->shift = depth <= HISTO_MATRIX_SHIFT_DEPTH ? HISTO_MATRIX_SHIFT :
      HISTO_DEEP_MATRIX_SHIFT;
}

static void
set_row (HistoMatrix * matrix, guint row, gdouble a, gdouble b, gdouble c)
{
  const gdouble one = 1 << matrix->shift;

  matrix->coefficients[row][0] = llrint (a * one);
  matrix->coefficients[row][1] = llrint (b * one);
  matrix->coefficients[row][2] = llrint (c * one);
}

/* The row that makes luma of R, G and B. Its coefficients add up to 1, so that white stays
 * white. */
static void
set_luma_row (HistoMatrix * matrix, gdouble red, gdouble blue)
{
  set_row (matrix, 0, red, 0, blue);
  matrix->coefficients[0][1] = (1 << matrix->shift)
      - matrix->coefficients[0][0] - matrix->coefficients[0][2];
}

/* Y, U, V to R, G, B of full range. */
static void
fill_yuv_to_rgb (HistoFormulas * formulas, gdouble red, gdouble blue)
{
  const gdouble green = 1 - red - blue;
  const gint f = 1 << (formulas->depth - 8), mid = 1 << (formulas->depth - 1);
  HistoMatrix *matrix = &formulas->matrix;
  gdouble y = 1, c = 1;

  begin_matrix (matrix, formulas->depth);
  if (formulas->is_limited) {
    y = matrix->max / (219.0 * f);
    c = matrix->max / (224.0 * f);
    matrix->from[0] = 16 * f;
  }
  matrix->from[1] = matrix->from[2] = mid;
  set_row (matrix, 0, y, 0, c * 2 * (1 - red));
  set_row (matrix, 1, y, -c * 2 * (1 - blue) * blue / green,
      -c * 2 * (1 - red) * red / green);
  set_row (matrix, 2, y, c * 2 * (1 - blue), 0);
}

/* R, G, B to Y, U, V of limited range. */
static void
fill_rgb_to_yuv (HistoFormulas * formulas, gdouble red, gdouble blue)
{
  const gdouble green = 1 - red - blue;
  const gint f = 1 << (formulas->depth - 8), mid = 1 << (formulas->depth - 1);
  HistoMatrix *matrix = &formulas->matrix;
  gdouble y, u, v;

  begin_matrix (matrix, formulas->depth);
  y = formulas->is_limited ? 1 : 219.0 * f / matrix->max;
  u = (formulas->is_limited ? 224.0 / 219 : 224.0 * f / matrix->max)
      / (2 * (1 - blue));
  v = u * (1 - blue) / (1 - red);
  if (formulas->is_limited) {
    matrix->from[0] = matrix->from[1] = matrix->from[2] = 16 * f;
    set_luma_row (matrix, red, blue);
  } else {
    set_row (matrix, 0, y * red, y * green, y * blue);
  }
  set_row (matrix, 1, -u * red, -u * green, u * (1 - blue));
  set_row (matrix, 2, v * (1 - red), -v * green, -v * blue);
  matrix->to[0] = 16 * f;
  matrix->to[1] = matrix->to[2] = mid;
}

/* R, G, B and Y in code values of limited range. @red, @blue: the weights of luma */
static void
fill_gamut (HistoFormulas * formulas, gdouble red, gdouble blue)
{
  const gdouble green = 1 - red - blue;
  const gint f = 1 << (formulas->depth - 8), mid = 1 << (formulas->depth - 1);
  const gint max = (1 << formulas->depth) - 1;
  const gdouble scale = formulas->is_limited ? 1 : 219.0 * f / max;
  const gdouble chroma = formulas->is_limited ? 219.0 / 224 : scale;
  const gdouble rgb[4][3] = { {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {red, green, blue} };
  const gdouble yuv[4][3] = {
    {1, 0, 2 * (1 - red)},
    {1, -2 * (1 - blue) * blue / green, -2 * (1 - red) * red / green},
    {1, 2 * (1 - blue), 0},
    {1, 0, 0}
  };
  HistoGamut *gamut = &formulas->gamut;

  gamut->shift = formulas->depth <= HISTO_MATRIX_SHIFT_DEPTH ? HISTO_GAMUT_SHIFT : HISTO_DEEP_GAMUT_SHIFT;
  gamut->black = 16 * f;
  for (guint j = 0; j < 3; j++) {
    const gboolean is_chroma = !formulas->is_rgb && j > 0;

    gamut->from[j] = is_chroma ? mid : formulas->is_limited ? 16 * f : 0;
    for (guint i = 0; i < 4; i++)
      gamut->coefficients[i][j] = llrint ((formulas->is_rgb ? rgb : yuv)[i][j]
          * (is_chroma ? chroma : scale) * (1 << gamut->shift));
  }
  /* White stays white. */
  if (formulas->is_rgb)
    gamut->coefficients[3][1] = gamut->coefficients[1][1] - gamut->coefficients[3][0] - gamut->coefficients[3][2];
}

/**
 * histo_formulas_init:
 * @formulas: (out):
 * @format: of video
 */
void
histo_formulas_init (HistoFormulas * formulas, const HistoFormat * format)
{
  gdouble red, blue;

  memset (formulas, 0, sizeof *formulas);
  formulas->depth = format->formula_depth;
  for (guint c = 0; c < MIN (format->n_components, 3); c++)
    formulas->depths[c] = format->components[c].depth;
  formulas->is_rgb = format->colors == HISTO_COLORS_RGB;
  formulas->has_chroma = format->colors != HISTO_COLORS_GRAY;
  formulas->is_limited = histo_colorimetry_is_limited (&format->video.colorimetry,
      formulas->is_rgb);
  formulas->w_sub = format->chroma_w_sub;
  formulas->h_sub = format->chroma_h_sub;
  histo_luma_weights (&format->video.colorimetry, GST_VIDEO_INFO_HEIGHT (&format->video), &red, &blue);
  if (formulas->is_rgb) {
    fill_rgb_to_yuv (formulas, red, blue);
    begin_matrix (&formulas->luma, formulas->depth);
    set_luma_row (&formulas->luma, red, blue);
  } else {
    fill_yuv_to_rgb (formulas, red, blue);
  }
  fill_gamut (formulas, red, blue);
}

/* ---- Saturation and hue ------------------------------------------------------------------- */

/**
 * histo_chroma_table_new:
 * @depth: at most %HISTO_MOST_TABLE_DEPTH
 *
 * Returns: (transfer full): an entry (HISTO_CHROMA_ENTRY()) for each U and V, at
 *   (U << @depth) + V. The C library's atan2f() makes the hues, as in FFmpeg
 */
guint32 *
histo_chroma_table_new (guint depth)
{
  const gint n = 1 << depth, mid = n / 2;
  guint32 *table = g_new (guint32, (gsize) n * n);

  for (gint u = 0; u < n; u++) {
    for (gint v = 0; v < n; v++)
      table[(gsize) u * n + v] =
          HISTO_CHROMA_ENTRY (histo_saturation (u - mid, v - mid),
          histo_hue_of_angle (atan2f (u - mid, v - mid)));
  }
  return table;
}

/* ---- Light -------------------------------------------------------------------------------- */

/* The full-range value of a code value from which a table makes light. */
static guint
full_range (const HistoFormulas * formulas, guint code)
{
  return formulas->is_rgb && formulas->is_limited ? histo_stretch_rgb (code, formulas->depth) : code;
}

/**
 * histo_light_table_new:
 * @format: of video
 *
 * Returns: (transfer full): the light in cd/m² of each code value of full range and
 *   @format's formula_depth: 2^formula_depth numbers, ascending
 */
gdouble *
histo_light_table_new (const HistoFormat * format)
{
  const guint max = (1u << format->formula_depth) - 1;
  gdouble *table = g_new (gdouble, max + 1);

  for (guint code = 0; code <= max; code++)
    table[code] =
        histo_light_of_signal (format->video.colorimetry.transfer,
        (gdouble) code / max);
  return table;
}

/* ---- Light of HLG ------------------------------------------------------------------------- */

/* The inverse OETF of BT.2100, with the eight digits that it prints: the tables are defined with these.
 * histo_light_of_signal() computes two of the constants, so that a few codes of more than 12 bits would be one step
 * away. */
static gdouble
scene_of_hlg (gdouble signal)
{
  return signal <= 0.5 ? signal * signal / 3 : (exp ((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12;
}

/* The bin of each light: lights ascend, so that bins do. */
static void
fill_hlg_bins (guint16 * bins)
{
  guint bin = 0;

  for (guint light = 0; light < HISTO_HLG_NUMBERS; light++) {
    const gdouble cd = HISTO_HLG_WHITE * (gdouble) light / (HISTO_HLG_NUMBERS - 1);

    while (bin + 1 < HISTO_HLG_BINS && histo_light_of_signal (GST_VIDEO_TRANSFER_SMPTE2084,
            (bin + 0.5) / (HISTO_HLG_BINS - 1)) < cd)
      bin++;
    bins[light] = bin;
  }
}

/**
 * histo_hlg_tables_new:
 *
 * Returns: (transfer full): the tables of histo_hlg_light() in kernels/formulas.h: 2^depth numbers by code value, of
 *   YUV and gray that of full range, of RGB that of the picture, and two times %HISTO_HLG_NUMBERS
 */
guint16 *
histo_hlg_tables_new (const HistoFormulas * formulas)
{
  const guint n = 1u << formulas->depth, most = HISTO_HLG_NUMBERS - 1;
  guint16 *tables = g_new (guint16, n + 2 * HISTO_HLG_NUMBERS);

  for (guint code = 0; code < n; code++)
    tables[code] = lrint (most * MIN (scene_of_hlg ((gdouble) full_range (formulas, code) / (n - 1)), 1));
  for (guint y = 0; y <= most; y++)
    tables[n + y] = lrint (most * pow ((gdouble) y / most, 0.2));
  fill_hlg_bins (tables + n + HISTO_HLG_NUMBERS);
  return tables;
}

/* Returns: (transfer full): the light in cd/m² of each bin of the light of HLG: %HISTO_HLG_BINS numbers, ascending */
gdouble *
histo_hlg_bins_new (void)
{
  gdouble *light = g_new (gdouble, HISTO_HLG_BINS);

  for (guint bin = 0; bin < HISTO_HLG_BINS; bin++)
    light[bin] = histo_light_of_signal (GST_VIDEO_TRANSFER_SMPTE2084, (gdouble) bin / (HISTO_HLG_BINS - 1));
  return light;
}

/* Returns: what histo_hlg_light() of kernels/formulas.h makes, in cd/m² */
gdouble
histo_hlg_light_in_cd (guint64 light)
{
  return HISTO_HLG_WHITE * (gdouble) light / (HISTO_HLG_NUMBERS - 1);
}

/* ---- Flashes ------------------------------------------------------------------------------ */

/* What is white for flashes, where the signal says how bright it is: then 0.1 and 0.8 of WCAG are the 20 and 160 cd/m²
 * of BT.1702. histo_flash_of_hlg() has the same white. */
#define FLASH_WHITE 200         /* cd/m² */

G_STATIC_ASSERT (HISTO_HLG_WHITE == 5 * FLASH_WHITE);

/* sRGB's, whatever the transfer function of SDR says: as IRIS. */
static gdouble
linear_of_signal (GstVideoTransferFunction transfer, gdouble signal)
{
  if (transfer == GST_VIDEO_TRANSFER_SMPTE2084)
    return MIN (histo_light_of_signal (transfer, signal) / FLASH_WHITE, 1);
  return histo_linear_of_srgb (signal);
}

/**
 * histo_linear_table_new:
 * @formulas: of the format
 * @transfer: not HLG, whose light depends on all of R, G and B: histo_hlg_tables_new()
 *
 * Returns: (transfer full): the linear light of R, G or B, 0 to 65535, by code value: of YUV and gray that of full
 *   range, of RGB that of the picture; 2^depth numbers
 */
guint16 *
histo_linear_table_new (const HistoFormulas * formulas, GstVideoTransferFunction transfer)
{
  const guint max = (1u << formulas->depth) - 1;
  guint16 *table = g_new (guint16, max + 1);

  for (guint code = 0; code <= max; code++)
    table[code] = lrint (65535 * linear_of_signal (transfer, (gdouble) full_range (formulas, code) / max));
  return table;
}
