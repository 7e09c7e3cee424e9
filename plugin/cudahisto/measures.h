/* The table of measures: what is counted, and the figures that follow from it.
 *
 * Each measure is one row, and each list of measures in the project is made from these rows: the
 * plan, the counters and tallies, the statistics, the fields of the result, its writer and its
 * reader, the report, the lists of the Python module and the tables of docs/result.md. A test
 * compares the last two and docs/measures.md with the rows.
 *
 * There are only lists and numbers here: the kernels' headers include this file, too. figures.h
 * has the types and the tables in memory that are made from the lists.
 *
 * Rows are added, never removed or renamed: names are a contract with applications. The order of
 * the rows is that of the fields in a result.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_MEASURES_TABLE_H
#define HISTO_MEASURES_TABLE_H

/* ---- How much there may be ---------------------------------------------------------------- */

/* Native components of video: Y, U, V, A. */
#define HISTO_MAX_COMPONENTS 4

/* Their names, in the order of the format's components. */
#define HISTO_YUV_NAMES "Y", "U", "V", "A"
#define HISTO_RGB_NAMES "R", "G", "B", "A"
#define HISTO_BAYER_NAMES "R", "Gr", "Gb", "B"

/* Caps with more channels are refused. No device has as many; without a limit, the sizes that
 * are computed from the number could overflow. */
#define HISTO_MAX_CHANNELS 4096

/* The most regions of the property `regions`, and the most regions that the metas of one
 * buffer describe. */
#define HISTO_MAX_REGIONS 64

/* The most bins of a histogram: one for each value of 16 bits. */
#define HISTO_MAX_BINS 65536

/* The most bits of an integer sample: those of S32 audio. */
#define HISTO_MAX_DEPTH 32

/* The number of values of hue: degrees. */
#define HISTO_N_HUES 360

/* ---- Groups ------------------------------------------------------------------------------- */

#define HISTO_BASIC_DESCRIPTION "Histograms of the components, always on"

/* What the property `measures` lists: GROUP (IDENTIFIER, name, is_audio, description). `basic`
 * is always on. Each group of video adds a structure of its name to a region's result; a group
 * of the other medium is ignored. */
#define HISTO_GROUPS(GROUP) \
  GROUP (SIGNAL, "signal", 0, \
      "Saturation, hue, out of range, temporal outliers, repeated lines, used bits") \
  GROUP (MOTION, "motion", 0, \
      "Differences from the previous frame, scene changes, freezes, PSNR") \
  GROUP (COLOR, "color", 0, \
      "Luma of RGB video; R, G and B of YUV video") \
  GROUP (HDR, "hdr", 0, \
      "Light levels in cd/m²: the greatest of R, G and B of each pixel") \
  GROUP (DETAIL, "detail", 0, \
      "Gradients, spatial and temporal information (ITU-T P.910), sharpness") \
  GROUP (AREA, "area", 0, \
      "The active picture without black bars") \
  GROUP (LEVEL, "level", 1, \
      "RMS, peak, decay, DC offset, clipping, differences, noise floor, bit depth; correlation of pairs of channels") \
  GROUP (LOUDNESS, "loudness", 1, \
      "EBU R 128 loudness, loudness range, true peak") \
  GROUP (GAMUT, "gamut", 0, \
      "Pixels whose R, G, B or Y lie outside the limits of EBU R 103, and the extremes") \
  GROUP (GAMUT_FILTER, "gamut-filter", 0, \
      "The same behind the filter of EBU R 103") \
  GROUP (FLASH, "flash", 0, \
      "Flashes of luminance and of saturated red: a screening aid, not certified") \
  GROUP (FIELD, "field", 0, \
      "Field order and repeated fields, as FFmpeg's idet; combing") \
  GROUP (SCOPES, "scopes", 0, \
      "What a waveform monitor and a vectorscope show: joint histograms of column and value, and of U and V")

/* ---- What is counted ---------------------------------------------------------------------- */

/* The formats that have a component, by their native components. */
#define HISTO_HAS_YUV 1         /* Y, U, V */
#define HISTO_HAS_RGB 2         /* R, G, B */
#define HISTO_HAS_GRAY 4        /* Y */
#define HISTO_HAS_ANY 7

/* Components, whose numbers a histogram counts:
 *   COMPONENT (GROUP, SOURCE, name, formats, formula, columns, above, below, previous, n_values,
 *       unit, definition, origin)
 *
 * name: NULL: one for each native component, with its name.
 * formula: the function of kernels/formulas.h that makes the number; "": none.
 * columns, above, below: the pixels to the left and to the right, and the rows above and below, from
 *   which the number of a pixel follows, as far as they are in the region. The outermost pixels have no
 *   gradient.
 * previous: whether it also follows from the previous frame.
 * n_values: the numbers are 0 to n_values - 1; 0: 0 to 2^D - 1.
 * origin: the standard or program that has the measure; "": none. docs/measures.md says how far
 *   the numbers are equal.
 *
 * D is the depth: of a native component and its differences that of its samples, else
 * HistoFormat.formula_depth. */
#define HISTO_COMPONENTS(COMPONENT) \
  COMPONENT (BASIC, SAMPLE, NULL, HISTO_HAS_ANY, "", 0, 0, 0, 0, 0, "sample", \
      "the samples", "") \
  COMPONENT (MOTION, DIFFERENCE, NULL, HISTO_HAS_ANY, "", 0, 0, 0, 1, 0, "sample", \
      "|sample − sample of the previous frame|", "signalstats YDIF is the `mean`") \
  COMPONENT (SIGNAL, SATURATION, "saturation", HISTO_HAS_YUV | HISTO_HAS_RGB, \
      "histo_saturation", 0, 0, 0, 0, 0, "sample", \
      "√((U − mid)² + (V − mid)²), rounded down, of each chroma sample", "signalstats SAT…") \
  COMPONENT (SIGNAL, HUE, "hue", HISTO_HAS_YUV | HISTO_HAS_RGB, \
      "histo_hue", 0, 0, 0, 0, HISTO_N_HUES, "degree", \
      "180 / π · atan2 (U − mid, V − mid) + 180, rounded down, modulo 360, of each chroma sample", \
      "signalstats HUE…") \
  COMPONENT (COLOR, LUMA, "luma", HISTO_HAS_RGB, \
      "histo_matrix_row", 0, 0, 0, 0, 0, "sample", \
      "Kr R + (1 − Kr − Kb) G + Kb B, rounded to the nearest", HISTO_ORIGIN_OF_COLORS) \
  COMPONENT (COLOR, RED, "R", HISTO_HAS_YUV | HISTO_HAS_GRAY, \
      "histo_matrix_row", 0, 0, 0, 0, 0, "sample", \
      "full range, by the inverse of the matrix of luma, rounded to the nearest", \
      HISTO_ORIGIN_OF_COLORS) \
  COMPONENT (COLOR, GREEN, "G", HISTO_HAS_YUV | HISTO_HAS_GRAY, \
      "histo_matrix_row", 0, 0, 0, 0, 0, "sample", "as `R`", HISTO_ORIGIN_OF_COLORS) \
  COMPONENT (COLOR, BLUE, "B", HISTO_HAS_YUV | HISTO_HAS_GRAY, \
      "histo_matrix_row", 0, 0, 0, 0, 0, "sample", "as `R`", HISTO_ORIGIN_OF_COLORS) \
  COMPONENT (HDR, MAXRGB, "maxrgb", HISTO_HAS_ANY, \
      "histo_matrix_row", 0, 0, 0, 0, 0, "sample", \
      "the greatest of R, G and B of a pixel, full range", "CTA-861.3") \
  COMPONENT (DETAIL, GRADIENT, "gradient", HISTO_HAS_ANY, \
      "histo_gradient", 1, 1, 1, 0, 0, "sample", \
      "a quarter of the Sobel gradient √(gx² + gy²), so that a step of height v gives v; at most " \
      "max; the outermost pixels have none", "")

#define HISTO_ORIGIN_OF_COLORS \
  "BT.601, BT.709, BT.2020, SMPTE 240M, FCC; zimg (ffmpeg's zscale)"

/* Joint components of the picture, whose numbers are made of two: the bin of the numbers column and row is
 * row * columns + column. There is a count for each pixel, or for each sample of chroma:
 *   JOINT (GROUP, JOINT, name, formats, with_color, x, y, definition, origin)
 *
 * formats: that have it; with_color: formats that have it only if the group `color` is on, too.
 * x, y: what columns and rows are: "column" is the column of the picture, histo_scope_column(); other numbers are
 *   histo_scope_code() of their values: the 8 most significant bits.
 *
 * These components have counts alone, and no figures. */
#define HISTO_JOINTS(JOINT) \
  JOINT (SCOPES, WAVEFORM, "waveform", HISTO_HAS_ANY, 0, "column", "Y", \
      "Y of each pixel; of RGB `luma`", "waveform monitors; ffmpeg's waveform") \
  JOINT (SCOPES, VECTORSCOPE, "vectorscope", HISTO_HAS_YUV | HISTO_HAS_RGB, 0, "U", "V", \
      "U and V of each chroma sample; of RGB of each pixel, in limited range, by the matrix", \
      "vectorscopes; ffmpeg's vectorscope") \
  JOINT (SCOPES, WAVEFORM_R, "waveform-r", HISTO_HAS_RGB, HISTO_HAS_YUV, "column", "R", \
      "R of each pixel; of YUV as `color` has it", "RGB parade") \
  JOINT (SCOPES, WAVEFORM_G, "waveform-g", HISTO_HAS_RGB, HISTO_HAS_YUV, "column", "G", \
      "G of each pixel; of YUV as `color` has it", "RGB parade") \
  JOINT (SCOPES, WAVEFORM_B, "waveform-b", HISTO_HAS_RGB, HISTO_HAS_YUV, "column", "B", \
      "B of each pixel; of YUV as `color` has it", "RGB parade")

/* The counts of each: so many columns, and as many rows. */
#define HISTO_SCOPE_SIZE 256
#define HISTO_SCOPE_BINS (HISTO_SCOPE_SIZE * HISTO_SCOPE_SIZE)

/* Tallies, one number of 64 bits for each region and frame:
 *   PIXELS (GROUP, TALLY, figure, formula, columns, above, below, previous, definition)
 *   SUM, SIGNED, GREATEST, LINES or CELLS (GROUP, TALLY, formula, columns, above, below, previous, definition)
 *
 * The columns are those of HISTO_COMPONENTS. HISTO_WHOLE_ROW: all pixels of the row.
 *
 * PIXELS: a number of pixels. These come first. figure: its row in HISTO_GROUP_FIGURES, which is the number as a share
 *   of all pixels; with `previous` of the pixels of frames that have a previous one.
 * SUM: of numbers that are not negative.
 * SIGNED: of numbers that may be negative: the two's complement.
 * GREATEST: not a sum but the greatest number; 0: there is none. These come after the sums.
 * LINES: not one number but one for each row of the region, and then one for each column. It comes after all others.
 * CELLS: HISTO_N_CELLS times HISTO_N_CELL_TALLIES numbers, of the picture only. */
#define HISTO_TALLIES(PIXELS, SUM, SIGNED, GREATEST, LINES, CELLS) \
  PIXELS (SIGNAL, BRNG, brng, "histo_luma_is_out_of_range", 0, 0, 0, 0, \
      "pixels out of the limited range") \
  PIXELS (SIGNAL, TOUT, tout, "histo_is_outlier", 1, 2, 2, 0, "pixels that are temporal outliers") \
  PIXELS (SIGNAL, VREP, vrep, "", HISTO_WHOLE_ROW, 4, 0, 0, "pixels of rows that repeat the row four rows above") \
  PIXELS (SIGNAL, VREP_DETAIL, vrep_detail, "histo_is_step", HISTO_WHOLE_ROW, 4, 0, 0, "the same of rows that have detail") \
  PIXELS (GAMUT, GAMUT_R, r, "histo_gamut_row", 0, 0, 0, 0, "pixels with R outside") \
  PIXELS (GAMUT, GAMUT_G, g, "histo_gamut_row", 0, 0, 0, 0, "pixels with G outside") \
  PIXELS (GAMUT, GAMUT_B, b, "histo_gamut_row", 0, 0, 0, 0, "pixels with B outside") \
  PIXELS (GAMUT, GAMUT_Y, y, "histo_gamut_row", 0, 0, 0, 0, "pixels with Y outside") \
  PIXELS (GAMUT, GAMUT_ANY, any, "histo_gamut_row", 0, 0, 0, 0, "pixels with one of them outside") \
  PIXELS (GAMUT_FILTER, FILTERED_R, r, "histo_gamut_row", 3, 2, 2, 0, "the same behind the filter") \
  PIXELS (GAMUT_FILTER, FILTERED_G, g, "histo_gamut_row", 3, 2, 2, 0, "") \
  PIXELS (GAMUT_FILTER, FILTERED_B, b, "histo_gamut_row", 3, 2, 2, 0, "") \
  PIXELS (GAMUT_FILTER, FILTERED_Y, y, "histo_gamut_row", 3, 2, 2, 0, "") \
  PIXELS (GAMUT_FILTER, FILTERED_ANY, any, "histo_gamut_row", 3, 2, 2, 0, "") \
  PIXELS (FLASH, LUMINANCE_AREA, area, "histo_flash_luminance", 0, 0, 0, 1, "pixels whose luminance has changed") \
  PIXELS (FLASH, LUMINANCE_UP, up, "histo_flash_luminance", 0, 0, 0, 1, "pixels that have become brighter by a flash's step") \
  PIXELS (FLASH, LUMINANCE_DOWN, down, "histo_flash_luminance", 0, 0, 0, 1, "pixels that have become darker by such a step") \
  PIXELS (FLASH, RED_AREA, red_area, "histo_flash_red", 0, 0, 0, 1, "pixels whose saturated red has changed") \
  PIXELS (FLASH, RED_UP, red_up, "histo_flash_red", 0, 0, 0, 1, "pixels that have become redder by a flash's step") \
  PIXELS (FLASH, RED_DOWN, red_down, "histo_flash_red", 0, 0, 0, 1, "pixels that have become less red by such a step") \
  PIXELS (FIELD, COMB, comb, "histo_is_combed", 0, 2, 2, 0, "pixels of luma (of RGB: of G) that are combed") \
  SUM (FLASH, LUMINANCE_SUM, "histo_flash_luminance", 0, 0, 0, 0, "Σ of luminance") \
  SUM (FLASH, RED_SUM, "histo_flash_red", 0, 0, 0, 0, "Σ of saturated red") \
  SUM (FIELD, PREVIOUS_EVEN, "", 0, 1, 1, 1, \
      "Σ |above + below − 2 previous| of even rows; above and below are rows of this frame") \
  SUM (FIELD, PREVIOUS_ODD, "", 0, 1, 1, 1, "the same of odd rows") \
  SUM (FIELD, NEXT_EVEN, "", 0, 1, 1, 1, \
      "of the previous frame: Σ |above + below − 2 next| of even rows, next: the samples of this frame") \
  SUM (FIELD, NEXT_ODD, "", 0, 1, 1, 1, "the same of odd rows") \
  SUM (FIELD, CURRENT_EVEN, "", 0, 1, 1, 0, "Σ |above + below − 2 sample| of even rows") \
  SUM (FIELD, CURRENT_ODD, "", 0, 1, 1, 0, "the same of odd rows") \
  SUM (FIELD, CHANGE_EVEN, "", 0, 1, 1, 1, "Σ |sample − previous| of even rows") \
  SUM (FIELD, CHANGE_ODD, "", 0, 1, 1, 1, "the same of odd rows") \
  SUM (DETAIL, GRADIENT_SUM, "histo_gradient_fixed", 1, 1, 1, 0, "Σ of the inner pixels") \
  SUM (DETAIL, GRADIENT_SQUARES, "histo_gradient_fixed", 1, 1, 1, 0, \
      "Σ of the squares of the inner pixels") \
  SIGNED (DETAIL, TI_SUM, "histo_stretch", 0, 0, 0, 1, "Σ (s - s of the previous frame)") \
  SUM (DETAIL, TI_SQUARES, "histo_stretch", 0, 0, 0, 1, "Σ (s - s of the previous frame)²") \
  GREATEST (HDR, GREATEST_RED, "histo_matrix_row", 0, 0, 0, 0, \
      "R + 1, full range; of HLG histo_hlg_light () of R, + 1. Of YUV with `color` its counters have it, of RGB the " \
      "samples': then it is 0 but for HLG") \
  GREATEST (HDR, GREATEST_GREEN, "histo_matrix_row", 0, 0, 0, 0, "the same of G") \
  GREATEST (HDR, GREATEST_BLUE, "histo_matrix_row", 0, 0, 0, 0, "the same of B") \
  GREATEST (GAMUT, GREATEST_R, "histo_gamut_row", 0, 0, 0, 0, "R + HISTO_GAMUT_BIAS") \
  GREATEST (GAMUT, LEAST_R, "histo_gamut_row", 0, 0, 0, 0, "HISTO_GAMUT_BIAS − R") \
  GREATEST (GAMUT, GREATEST_G, "histo_gamut_row", 0, 0, 0, 0, "as of R") \
  GREATEST (GAMUT, LEAST_G, "histo_gamut_row", 0, 0, 0, 0, "as of R") \
  GREATEST (GAMUT, GREATEST_B, "histo_gamut_row", 0, 0, 0, 0, "as of R") \
  GREATEST (GAMUT, LEAST_B, "histo_gamut_row", 0, 0, 0, 0, "as of R") \
  GREATEST (GAMUT, GREATEST_Y, "histo_gamut_row", 0, 0, 0, 0, "as of R") \
  GREATEST (GAMUT, LEAST_Y, "histo_gamut_row", 0, 0, 0, 0, "as of R") \
  LINES (AREA, LINE_SUMS, "", 0, 0, 0, 0, "Σ of luma, of RGB Σ (R + G + B)") \
  CELLS (FLASH, CELL_SUMS, "", 0, 0, 0, 1, "of each cell: pixels, Σ and pixels that have changed")

/* The picture's cells, row by row: cell (i, j) has the columns trunc (i w / 6) to trunc ((i + 1) w / 6) - 1, and such
 * rows. A zone consists of 2 x 2 cells. */
#define HISTO_CELLS_ACROSS 6
#define HISTO_N_CELLS (HISTO_CELLS_ACROSS * HISTO_CELLS_ACROSS)
#define HISTO_ZONES_ACROSS (HISTO_CELLS_ACROSS - 1)
#define HISTO_N_ZONES (HISTO_ZONES_ACROSS * HISTO_ZONES_ACROSS)

#define HISTO_WHOLE_ROW 0xffff
#define HISTO_NO_TALLY(...)

/* ---- Figures of a component ----------------------------------------------------------------- */

/* In the order of the result's fields:
 *   FIGURE (type, member, name, unit, definition, origin), type one of UINT64, UINT, DOUBLE;
 *   PERCENTILE (percent): a DOUBLE named "p" and the percent.
 * n is the number of finite samples. h[i] is the count of the i-th native value (video) or bin
 * (audio), v[i] that value or the lower edge of that bin. */
#define HISTO_FIGURES(FIGURE, PERCENTILE) \
  FIGURE (UINT64, count, "count", "samples", \
      "all samples, including NaN and infinities; padding is not counted", "") \
  FIGURE (DOUBLE, min, "min", "sample", \
      "smallest finite sample; NaN if n = 0", "") \
  FIGURE (DOUBLE, max, "max", "sample", \
      "largest finite sample; NaN if n = 0", "") \
  FIGURE (DOUBLE, sum, "sum", "sample", \
      "Σ x over the finite samples; 0 if n = 0", "") \
  FIGURE (DOUBLE, mean, "mean", "sample", \
      "Σ x / n; NaN if n = 0", "") \
  FIGURE (DOUBLE, variance, "variance", "sample²", \
      "population variance (n Σ x² − (Σ x)²) / n²; NaN if n = 0", "") \
  FIGURE (DOUBLE, std_dev, "std-dev", "sample", \
      "√ variance", "") \
  PERCENTILE (1) \
  PERCENTILE (10) \
  PERCENTILE (50) \
  PERCENTILE (90) \
  PERCENTILE (99) \
  FIGURE (DOUBLE, mode, "mode", "sample", \
      "v[i] of the largest h[i]; if several are equal, the lowest; NaN if all h[i] are 0", "") \
  FIGURE (DOUBLE, entropy, "entropy", "bit", \
      "−Σ p log₂ p, p = h[i] / Σ h; 0 if all h[i] are 0", "") \
  FIGURE (UINT, bins, "bins", "bins", \
      "number of bins of the histogram", "") \
  FIGURE (DOUBLE, range_min, "range-min", "sample", \
      "lower edge of the first bin; absent if there are edges", "") \
  FIGURE (DOUBLE, range_max, "range-max", "sample", \
      "upper edge of the last bin; the value itself is outside; absent if there are edges", "") \
  FIGURE (UINT64, underflow, "underflow", "samples", \
      "samples below the first bin", "") \
  FIGURE (UINT64, overflow, "overflow", "samples", \
      "samples at or above the upper edge of the last bin", "") \
  FIGURE (UINT64, nan, "nan", "samples", \
      "floating point: samples that are NaN", "") \
  FIGURE (UINT64, inf, "inf", "samples", \
      "floating point: infinite samples; each is also in underflow or overflow", "")

#define HISTO_NO_FIGURE(...)
#define HISTO_NO_PERCENTILE(percent)

/* ---- Figures of the groups of video ---------------------------------------------------------- */

/* In the order of the fields of each group's structure:
 *   FIGURE (GROUP, member, name, unit, window, definition, origin): a double;
 *   COUNT: the same, a whole number, in the result an unsigned integer;
 *   CHOICE: one of the names that the unit lists; in the result its name, else its number, from 0 on.
 * A NaN figure is absent from the result.
 *
 * window: how the figure of a window follows from those of its buffers.
 *   SUMS: from the sums of the counters and tallies, as that of a buffer.
 *   GREATEST, LATEST: it is the greatest or the latest one. Such figures depend on earlier
 *     results: the temporal stage computes them.
 *
 * In the definitions, D is the depth of the picture in bits, f = 2^(D − 8), max = 2^D − 1 and
 * mid = 2^(D − 1). */
#define HISTO_GROUP_FIGURES(FIGURE, COUNT, CHOICE) \
  FIGURE (SIGNAL, hue_circular_mean, "hue-circular-mean", "degree", SUMS, \
      "direction of the mean vector of all hues, 0 to 360", "circular statistics") \
  FIGURE (SIGNAL, brng, "brng", "share of pixels", SUMS, \
      "pixels with Y outside 16 f … 235 f, or U or V outside 16 f … 240 f", "signalstats BRNG") \
  FIGURE (SIGNAL, tout, "tout", "share of pixels", SUMS, \
      "pixels that are outliers. With a and c, the pixels above and below b: " \
      "(|a − b| + |c − b|) / 2 − |a − c| > 4 f. This must hold for b, for the pixels to its left and " \
      "right, and also with a and c two rows away, if there are such rows", "signalstats TOUT") \
  FIGURE (SIGNAL, vrep, "vrep", "share of pixels", SUMS, \
      "pixels of rows that differ from the row four rows above by less than 1 per pixel", \
      "signalstats VREP") \
  FIGURE (SIGNAL, vrep_detail, "vrep-detail", "share of pixels", SUMS, \
      "the same, only of rows that have detail: at least a quarter of their pixels differ from the pixel to their left " \
      "by more than f; the first and the last pixel of a row do not count. Dark and letterboxed pictures have none", "") \
  FIGURE (MOTION, mafd, "mafd", "percent", SUMS, \
      "100 · mean of the differences of luma (RGB: of R, G and B) / 2^D", "scdet") \
  FIGURE (MOTION, scene_score, "scene-score", "percent", GREATEST, \
      "the smaller one of mafd and |mafd − mafd of the previous frame|, 0 to 100", "scdet") \
  FIGURE (MOTION, psnr, "psnr", "dB", SUMS, \
      "10 log₁₀ (max² / mean squared difference) of luma (RGB: of R, G and B together); +∞ if the " \
      "frames are equal", "PSNR") \
  FIGURE (MOTION, freeze, "freeze", "share", SUMS, \
      "mean of the differences of all components but A / 2^D, 0 to 1", "freezedetect") \
  FIGURE (MOTION, histogram_chi2, "histogram-chi2", "1", GREATEST, \
      "½ Σ (p − q)² / (p + q), p and q: shares of luma's histogram now and before; 0 to 1", \
      "chi-square distance") \
  FIGURE (MOTION, histogram_bhattacharyya, "histogram-bhattacharyya", "1", GREATEST, \
      "√(1 − Σ √(p q)), 0 to 1", "OpenCV, HISTCMP_BHATTACHARYYA") \
  FIGURE (MOTION, histogram_emd, "histogram-emd", "sample", GREATEST, \
      "Σ |cumulative share now − cumulative share before|", "earth mover's distance") \
  COUNT (MOTION, repeat, "repeat", "0 or 1", SUMS, \
      "1 if all samples are equal to those of the previous frame", "") \
  COUNT (MOTION, near_repeat, "near-repeat", "0 or 1", SUMS, "1 if `freeze` is below 0.001", "freezedetect") \
  COUNT (MOTION, cadence_period, "cadence-period", "frames", LATEST, \
      "the least P of 1 to 30 with which `repeat` has recurred in the last 2 s, at least 4 P frames", "") \
  COUNT (MOTION, cadence_unique, "cadence-unique", "frames", LATEST, \
      "the frames of such a period that are no repeats", "") \
  FIGURE (HDR, max, "max", "cd/m²", SUMS, "the brightest pixel", HISTO_ORIGIN_OF_LIGHT) \
  FIGURE (HDR, fall, "fall", "cd/m²", SUMS, \
      "mean of all pixels (frame-average light level)", HISTO_ORIGIN_OF_LIGHT) \
  FIGURE (HDR, p99, "p99", "cd/m²", SUMS, \
      "99 % of the pixels are not brighter", HISTO_ORIGIN_OF_LIGHT) \
  FIGURE (HDR, p999, "p999", "cd/m²", SUMS, \
      "99.9 % of the pixels are not brighter", HISTO_ORIGIN_OF_LIGHT) \
  FIGURE (HDR, p9999, "p9999", "cd/m²", SUMS, \
      "99.99 % of the pixels are not brighter", HISTO_ORIGIN_OF_LIGHT) \
  FIGURE (HDR, r_max, "r-max", "cd/m²", SUMS, "the greatest light of R alone", HISTO_ORIGIN_OF_LIGHT) \
  FIGURE (HDR, g_max, "g-max", "cd/m²", SUMS, "the same of G", HISTO_ORIGIN_OF_LIGHT) \
  FIGURE (HDR, b_max, "b-max", "cd/m²", SUMS, "the same of B", HISTO_ORIGIN_OF_LIGHT) \
  FIGURE (HDR, max_cll, "max-cll", "cd/m²", LATEST, "the greatest max so far", "CTA-861.3") \
  FIGURE (HDR, max_fall, "max-fall", "cd/m²", LATEST, "the greatest fall so far", "CTA-861.3") \
  FIGURE (HDR, max_cll_p9999, "max-cll-p9999", "cd/m²", LATEST, \
      "the greatest p9999 so far", "percentile-limited variants") \
  FIGURE (HDR, max_fall_p9999, "max-fall-p9999", "cd/m²", LATEST, \
      "the greatest fall so far, if brighter pixels count as p9999", "percentile-limited variants") \
  FIGURE (DETAIL, si, "si", "sample", SUMS, \
      "spatial information: standard deviation of the Sobel gradient √(gx² + gy²) over all pixels " \
      "but the outermost", "ITU-T P.910, siti") \
  FIGURE (DETAIL, ti, "ti", "sample", SUMS, \
      "temporal information: standard deviation of the difference from the previous frame", \
      "ITU-T P.910, siti") \
  FIGURE (DETAIL, sharpness, "sharpness", "sample", SUMS, "mean of that gradient", "") \
  FIGURE (GAMUT, r, "r", "share of pixels", SUMS, \
      "pixels whose R, in the code values of limited range and not clipped, lies outside of EBU R 103: below " \
      "16 f − round ((219 f + 1) / 20) or above 235 f + the same", "EBU R 103") \
  FIGURE (GAMUT, g, "g", "share of pixels", SUMS, "the same of G", "EBU R 103") \
  FIGURE (GAMUT, b, "b", "share of pixels", SUMS, "the same of B", "EBU R 103") \
  FIGURE (GAMUT, y, "y", "share of pixels", SUMS, "the same of Y", "EBU R 103") \
  FIGURE (GAMUT, any, "any", "share of pixels", SUMS, "pixels with at least one of them outside", "EBU R 103") \
  FIGURE (GAMUT, r_min, "r-min", "percent", SUMS, "the least R, 100 (code − 16 f) / (219 f)", "EBU R 103") \
  FIGURE (GAMUT, r_max, "r-max", "percent", SUMS, "the greatest R", "EBU R 103") \
  FIGURE (GAMUT, g_min, "g-min", "percent", SUMS, "the least G", "EBU R 103") \
  FIGURE (GAMUT, g_max, "g-max", "percent", SUMS, "the greatest G", "EBU R 103") \
  FIGURE (GAMUT, b_min, "b-min", "percent", SUMS, "the least B", "EBU R 103") \
  FIGURE (GAMUT, b_max, "b-max", "percent", SUMS, "the greatest B", "EBU R 103") \
  FIGURE (GAMUT, y_min, "y-min", "percent", SUMS, "the least Y", "EBU R 103") \
  FIGURE (GAMUT, y_max, "y-max", "percent", SUMS, "the greatest Y", "EBU R 103") \
  FIGURE (GAMUT_FILTER, r, "r", "share of pixels", SUMS, \
      "as `gamut`, of R behind the filter [1 2 3 4 3 2 1] / 16 across and [1 2 1] / 4 down (of an interlaced " \
      "frame inside a field), rounded", "EBU R 103") \
  FIGURE (GAMUT_FILTER, g, "g", "share of pixels", SUMS, "the same of G", "EBU R 103") \
  FIGURE (GAMUT_FILTER, b, "b", "share of pixels", SUMS, "the same of B", "EBU R 103") \
  FIGURE (GAMUT_FILTER, y, "y", "share of pixels", SUMS, "the same of Y", "EBU R 103") \
  FIGURE (GAMUT_FILTER, any, "any", "share of pixels", SUMS, "pixels with at least one of them outside", "EBU R 103") \
  FIGURE (FLASH, luminance, "luminance", "1", SUMS, \
      "mean of the relative luminance of linear R, G and B, 0 to 1", HISTO_ORIGIN_OF_FLASH) \
  FIGURE (FLASH, red, "red", "1", SUMS, \
      "mean of R − G − B of the pixels with R / (R + G + B) ≥ 0.8, linear, 0 to 1", HISTO_ORIGIN_OF_FLASH) \
  FIGURE (FLASH, area, "area", "share of pixels", SUMS, \
      "pixels whose luminance is not that of the previous frame", HISTO_ORIGIN_OF_FLASH) \
  FIGURE (FLASH, red_area, "red-area", "share of pixels", SUMS, "the same of red", HISTO_ORIGIN_OF_FLASH) \
  FIGURE (FLASH, up, "up", "share of pixels", SUMS, \
      "pixels whose luminance has risen by 0.1 or more, from less than 0.8", "WCAG 2.3.1") \
  FIGURE (FLASH, down, "down", "share of pixels", SUMS, \
      "pixels whose luminance has fallen by 0.1 or more, to less than 0.8", "WCAG 2.3.1") \
  FIGURE (FLASH, red_up, "red-up", "share of pixels", SUMS, \
      "pixels whose red has risen by 20 / 320 or more", "WCAG 2.3.1") \
  FIGURE (FLASH, red_down, "red-down", "share of pixels", SUMS, \
      "pixels whose red has fallen by 20 / 320 or more", "WCAG 2.3.1") \
  COUNT (FLASH, transitions, "transitions", "transitions", GREATEST, \
      "transitions of luminance in the last second; a flash has two", HISTO_ORIGIN_OF_FLASH) \
  COUNT (FLASH, red_transitions, "red-transitions", "transitions", GREATEST, \
      "the same of red", HISTO_ORIGIN_OF_FLASH) \
  COUNT (FLASH, counter, "counter", "frames", GREATEST, \
      "frames of the last second in which `up` and `down` are both above 0.25: parts that flash against each other, so " \
      "that no mean shows it", "") \
  CHOICE (FLASH, state, "state", HISTO_FLASH_STATES, GREATEST, \
      "the worse one of luminance and red: fail: more than 6 transitions; extended: 4 to 6 for 4 of the last 5 s; " \
      "warning: 4 to 6. A screening aid, not certified", HISTO_ORIGIN_OF_FLASH) \
  FIGURE (FIELD, previous_even, "previous-even", "sample", SUMS, \
      "of the frame before, as all but comb: Σ |above + below − 2 s of the frame before it| of the even rows " \
      "but the outermost two, of all planes", "idet") \
  FIGURE (FIELD, previous_odd, "previous-odd", "sample", SUMS, "the same of the odd rows", "idet") \
  FIGURE (FIELD, next_even, "next-even", "sample", SUMS, \
      "Σ |above + below − 2 s of the frame after it| of the even rows", "idet") \
  FIGURE (FIELD, next_odd, "next-odd", "sample", SUMS, "the same of the odd rows", "idet") \
  FIGURE (FIELD, current_even, "current-even", "sample", SUMS, "Σ |above + below − 2 s| of the even rows", "idet") \
  FIGURE (FIELD, current_odd, "current-odd", "sample", SUMS, "the same of the odd rows", "idet") \
  FIGURE (FIELD, change_even, "change-even", "sample", SUMS, \
      "2 Σ |s − s of the frame before it| of the even rows", "idet") \
  FIGURE (FIELD, change_odd, "change-odd", "sample", SUMS, "the same of the odd rows", "idet") \
  CHOICE (FIELD, single, "single", HISTO_FIELD_ORDERS, LATEST, \
      "the field order that these sums show", "idet") \
  CHOICE (FIELD, multi, "multi", HISTO_FIELD_ORDERS, LATEST, \
      "the same by several frames", "idet") \
  CHOICE (FIELD, repeated, "repeated", HISTO_REPEATED_FIELDS, LATEST, \
      "the field that repeats that of the frame before it", "idet") \
  FIGURE (FIELD, comb, "comb", "share of pixels", SUMS, \
      "of this frame: pixels of luma (of RGB: of G) that differ from those above and below by more than 9 f, and " \
      "|4 s − 3 (the two next to it) + (the two after these)| > 54 f; none of the outermost two rows", "fieldmatch")

/* The names of choices, in the order of their numbers. */
#define HISTO_FLASH_STATES "pass, warning, extended, fail"
#define HISTO_FIELD_ORDERS "tff, bff, progressive, undetermined"
#define HISTO_REPEATED_FIELDS "neither, top, bottom"

/* EBU R 103 allows so large a share of the picture to be outside. */
#define HISTO_R103_ALLOWED 0.01

#define HISTO_ORIGIN_OF_FLASH "IRIS; WCAG 2.3.1"

#define HISTO_ORIGIN_OF_LIGHT \
  "ST 2084, BT.2100 (HLG at 1000 cd/m²), BT.1886 and sRGB at 100 cd/m²; zimg"

/* ---- Figures of sound ----------------------------------------------------------------------- */

/* The group `level`: the figures of each channel, in the order of the result's fields, as
 * HISTO_FIGURES.
 *
 * Origins: `level` of GStreamer 1.22 (gst/level/gstlevel.c); `astats` of FFmpeg 5.1
 * (libavfilter/af_astats.c) with reset=1 and length=0.05.
 *
 * x[i] are the finite samples of one buffer (or of the buffers of one window), n their number.
 * NaN and infinities are left out, as if the buffer did not contain them. The unit `sample` is
 * that of the caps: integers -2^(d-1) to 2^(d-1) - 1, floating point as it is. From unsigned
 * samples 2^(d-1) is subtracted. f = 2^(d-1) (floating point: 1), e = f - 1 (floating point: 1).
 * "Running power": the exponential average of astats over 50 ms, a[i] = a[i-1] c + x[i]² (1 - c),
 * c = exp (-1 / (0.05 s · rate)), a[-1] = 0 at the begin of the buffer or window.
 * t = trunc (0.05 s · rate + 0.5), at least 1. Logarithms are decimal unless said.
 * If n = 0, all doubles except decay are NaN, and all counts are 0. */
#define HISTO_LEVEL_FIGURES(FIGURE) \
  FIGURE (DOUBLE, rms, "rms", "dB", \
      "20 log (√(Σ (x/f)² / n) + 1e-35), as level", "level") \
  FIGURE (DOUBLE, peak, "peak", "dB", \
      "10 log (max (x/f)² + 1e-35), as level", "level") \
  FIGURE (DOUBLE, decay, "decay", "dB", \
      "peak that holds 300 ms and then falls, as level with its default settings: the power " \
      "falls by 10 dB/s as an amplitude would, so that this figure falls by 5 dB/s; goes on " \
      "from buffer to buffer; of a window: as of its last buffer", "level") \
  FIGURE (DOUBLE, dc_offset, "dc-offset", "1", \
      "Σ (x/e) / n", "astats") \
  FIGURE (DOUBLE, crest_factor, "crest-factor", "1", \
      "max (−min x, max x) / √(Σ x² / n); 1 if all x are 0", "astats") \
  FIGURE (DOUBLE, flat_factor, "flat-factor", "dB", \
      "20 log (Σ r² / peak-count), r: the lengths of the runs of equal samples at min x and at " \
      "max x, without a run that lasts to the end; −inf if there is no such run", "astats") \
  FIGURE (UINT64, peak_count, "peak-count", "samples", \
      "number of samples equal to min x, and number of samples equal to max x, added", "astats") \
  FIGURE (UINT64, clipped, "clipped", "samples", \
      "samples at full scale: −2^(d−1) or 2^(d−1) − 1; floating point |x| ≥ 1", "") \
  FIGURE (UINT64, clipped_runs, "clipped-runs", "runs", \
      "runs of at least clipping-samples consecutive samples at full scale; a run that goes on " \
      "from buffer to buffer counts once, where it reaches that length", "") \
  FIGURE (UINT64, zero_crossings, "zero-crossings", "crossings", \
      "changes of sign from one sample to the next; samples that are 0 are left out; as in " \
      "astats, the signal is negative before the first sample of the stream", "astats") \
  FIGURE (DOUBLE, min_difference, "min-difference", "sample", \
      "min |x[i] − x[i−1]|; NaN if there is no such pair", "astats") \
  FIGURE (DOUBLE, max_difference, "max-difference", "sample", \
      "max |x[i] − x[i−1]|; NaN if there is no such pair", "astats") \
  FIGURE (DOUBLE, mean_difference, "mean-difference", "sample", \
      "Σ |x[i] − x[i−1]| / number of pairs; NaN if there is no pair", "astats") \
  FIGURE (DOUBLE, rms_difference, "rms-difference", "sample", \
      "√(Σ (x[i] − x[i−1])² / number of pairs); NaN if there is no pair", "astats") \
  FIGURE (DOUBLE, rms_peak, "rms-peak", "dB", \
      "20 log √ max a[i]/e², i ≥ t, a: the running power; 20 log √(Σ (x/e)² / n) if n ≤ t", "astats") \
  FIGURE (DOUBLE, rms_trough, "rms-trough", "dB", \
      "20 log √ min a[i]/e², i ≥ t, a: the running power; 20 log √(Σ (x/e)² / n) if n ≤ t", "astats") \
  FIGURE (DOUBLE, dynamic_range, "dynamic-range", "dB", \
      "20 log (2 max |x| / min |x|), the minimum over the x ≠ 0; −inf if all x are 0", "astats") \
  FIGURE (DOUBLE, noise_floor, "noise-floor", "dB", \
      "20 log (b / 8191), b: the lowest of the highest bins (see level-entropy) of all spans of " \
      "t samples; NaN if n < t", "astats") \
  FIGURE (UINT, bit_depth, "bit-depth", "bit", \
      "number of bits that are not the same in all samples; floating point: of rint (x 2^31), " \
      "64-bit floating point: of rint (x 2^63)", "astats") \
  FIGURE (UINT64, denormals, "denormals", "samples", \
      "floating point: subnormal samples", "astats") \
  FIGURE (DOUBLE, level_entropy, "level-entropy", "1", \
      "−Σ p log₂ p / 13, p: the shares of the 8192 bins rint (8191 min (|x/e|, 1))", "astats Entropy") \
  FIGURE (UINT, silent, "silent", "0 or 1", \
      "1 if max |x/f| is below 0.001 (−60 dB)", "silencedetect") \
  FIGURE (UINT64, holes, "holes", "holes", \
      "holes in the sound: runs of 20 ms to 2 s of samples that are exactly 0. Within 5 ms before the run, and within " \
      "5 ms behind it, max |x/f| is at least 0.01 (−40 dB). The sound before and behind lasts longer than the run, and " \
      "longer than 0.1 s, without another such run. Counts where this is known", "") \
  FIGURE (DOUBLE, hole_length, "hole-length", "s", \
      "length of the last one of the holes; NaN without holes", "") \
  FIGURE (DOUBLE, hole_age, "hole-age", "s", \
      "from the begin of the last one of the holes to the end of the buffer or window; NaN without holes", "")

/* The group `level`: the figures of each pair of channels, in the order of the result's fields, as HISTO_FIGURES. A
 * double that is NaN is absent.
 *
 * x and y are the samples of the two channels at the instants at which both are finite. With y = −x mono-loss is −inf;
 * balance is infinite if one channel is 0 throughout.
 *
 * inverted and dual-mono are running: a buffer counts with all of its samples if it meets the condition, a buffer that
 * says nothing (a channel is 0 throughout; or the channels are equal and silent) has 0 and is skipped, and any other
 * buffer begins anew. Of a window they are the greatest of its buffers. */
#define HISTO_PAIR_FIGURES(FIGURE) \
  FIGURE (DOUBLE, correlation, "correlation", "1", \
      "Σxy / √(Σx² Σy²), from −1, opposite, to 1, alike but for the level; absent if a channel is 0 throughout", \
      "axcorrelate") \
  FIGURE (DOUBLE, mono_loss, "mono-loss", "dB", \
      "what the sum x + y loses: 10 log (Σ(x + y)² / (2 (Σx² + Σy²))): 0 of equal, −3.01 of unrelated and −inf of " \
      "opposite channels; absent if both are 0 throughout", "") \
  FIGURE (DOUBLE, balance, "balance", "dB", \
      "10 log (Σx² / Σy²); absent if both are 0 throughout", "") \
  FIGURE (UINT, inverted, "inverted", "0 or 1", \
      "1 if the correlation has been at most cos 170° = −0.985 for at least 2 s", "aphasemeter out_phase") \
  FIGURE (UINT, dual_mono, "dual-mono", "0 or 1", \
      "1 if all x = y for at least 2 s, which are not silent", "aphasemeter mono")

/* The group `loudness`: the figures of all channels together, in the order of the result's fields, as
 * HISTO_FIGURES; type is always DOUBLE.
 *
 * momentary and short-term are as of the last multiple of 10 ms of samples since the start, integrated and
 * range as of the last multiple of 100 ms, so that they do not depend on the lengths of the buffers. Before
 * these they are those of silence. The loudness of silence is −inf. Origins: ITU-R BS.1770-5, EBU Tech 3341
 * and 3342.
 *
 * integrated and range are computed from histograms with bins of 0.001 LU (measures/loudness-blocks.h), so that
 * a stream may have no end. */
#define HISTO_LOUDNESS_FIGURES(FIGURE) \
  FIGURE (DOUBLE, momentary, "momentary", "LUFS", \
      "loudness of the last 400 ms; samples before the start are 0", "EBU Tech 3341, BS.1770") \
  FIGURE (DOUBLE, short_term, "short-term", "LUFS", \
      "loudness of the last 3 s; samples before the start are 0", "EBU Tech 3341") \
  FIGURE (DOUBLE, integrated, "integrated", "LUFS", \
      "loudness since the start, of the blocks of 400 ms, one each 100 ms, that are above −70 LUFS and " \
      "above the relative gate of −10 LU; −inf if there is no such block", "BS.1770") \
  FIGURE (DOUBLE, range, "range", "LU", \
      "loudness range since the start: 95th less 10th percentile of the short-term loudness, taken each " \
      "100 ms, above −70 LUFS and above the relative gate of −20 LU; 0 if there is none", "EBU Tech 3342") \
  FIGURE (DOUBLE, momentary_max, "momentary-max", "LUFS", \
      "greatest momentary loudness since the start", "EBU Tech 3341") \
  FIGURE (DOUBLE, short_term_max, "short-term-max", "LUFS", \
      "greatest short-term loudness since the start", "EBU Tech 3341")

/* Arrays with one number for each channel: ARRAY (type, member, name, unit, definition, origin). They are
 * as of the last sample. */
#define HISTO_LOUDNESS_ARRAYS(ARRAY) \
  ARRAY (DOUBLE, true_peak, "true-peak", "dBTP", \
      "highest |x| since the start, of the samples and of the signal oversampled 4 times (from 192 kHz on " \
      "not oversampled); −inf for silence", "BS.1770-4, annex 2") \
  ARRAY (DOUBLE, sample_peak, "sample-peak", "dBFS", \
      "highest |x| of the samples since the start; −inf for silence", "")

#endif /* HISTO_MEASURES_TABLE_H */
