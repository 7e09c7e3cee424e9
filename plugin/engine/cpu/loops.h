/* Loops over rows of samples, which the groups of the CPU engine use.
 *
 * Every loop evaluates the formulas of kernels/formulas.h, several samples at a time. A row is an
 * array of guint8 if no component of the format has more than 8 bits, else of guint16.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_LOOPS_H
#define HISTO_CPU_LOOPS_H

#include <glib.h>

#include "kernels/formulas.h"

G_BEGIN_DECLS

/* Rows whose columns are added up together. */
#define HISTO_SUM_ROWS 8

/* Where the samples of a component lie: each period of a row, a word of so many bytes, has one. */
typedef struct
{
  guint period;                 /* 1, 2, 4 or 8 bytes */
  gboolean swap;                /* the bytes of the word are exchanged first */
  guint shift;                  /* then the sample is word >> shift & mask */
  guint mask;
} HistoField;

/* ---- Results ------------------------------------------------------------------------------- */

/* What samples of R, G, B and Y add to the tallies of gamut. The extremes are those of all calls. */
typedef struct
{
  guint outside[4], any;
  gint32 least[4], greatest[4];
} HistoGamutCounts;

/* What luminance or saturated red of pixels adds to the tallies of flashes. */
typedef struct
{
  guint64 sum;
  guint changed, up, down;
} HistoLightCounts;

/* What a row adds to the sums of its field. */
typedef struct
{
  guint64 previous, next, current, change;
} HistoFieldRow;

/* How often each value occurs in each byte of pixels of three bytes. Neighbours are counted in different copies, between which
 * are some unused counters (pixels.c). */
#define HISTO_THREES_COPIES 4
#define HISTO_MOST_THREES 65536
#define HISTO_THREES(n) ((n) / 16 * 16)
typedef guint32 HistoThreesCounters[3][HISTO_THREES_COPIES][256 + 16];

/* The pixels to the left and to the right that the filter of gamut reads. */
#define HISTO_GAMUT_REACH 3
/* Up to this depth 16 times a value of gamut, which is from -240 to 490 of 255, fits in 16 bits. */
#define HISTO_NARROW_GAMUT_DEPTH 10
/* Such a value as an unsigned number. */
#define HISTO_NARROW_GAMUT(value) (guint16) (G_MAXINT16 - (value))

/* ---- The loops ----------------------------------------------------------------------------- */

/* In all loops @n is the number of samples of each row. Values of gamut may be negative or beyond the type of the
 * samples: their rows are of gint16 where samples are bytes, else of gint32. */
typedef struct
{
  /* out[i] = the field of period i. */
  void (*extract) (const guint8 * in, const HistoField * field, gpointer out,
      guint n);
  /* out[k][i] = byte k of period i, where out[k] is not NULL. Only of bytes. @period: 2, 3 or 4 bytes */
  void (*split) (const guint8 * in, guint period, gpointer const out[4],
      guint n);
  /* out[k][i] = word k of period i, of 16 bits, >> @shift, where out[k] is not NULL. The same for both types.
   * @swap: its bytes are exchanged first */
  void (*split_words) (const guint8 * in, gboolean swap, guint shift, gpointer const out[4], guint n);
  /* out[3 i] … out[3 i + 2] = the fields of 10 bits of little-endian word i of 32 bits, from the lowest bit
   * up. The same for both types. */
  void (*split_tens) (const guint8 * in, guint16 * out, guint n);
  /* out[i] = |a[i] - b[i]| */
  void (*difference) (gconstpointer a, gconstpointer b, gpointer out, guint n);
  /* Repeats each sample 2^@sub times; the first one @skip times less. */
  void (*repeat) (gconstpointer in, guint skip, guint sub, gpointer out, guint n);
  /* out[i] = row @row of the matrix, of a[i], b[i], c[i] */
  void (*matrix) (const HistoMatrix * matrix, guint row, gconstpointer a,
      gconstpointer b, gconstpointer c, gpointer out, guint n);
  /* out[0] … out[2]: the three rows of the matrix; out[3]: the greatest of them (nullable). */
  void (*matrices) (const HistoMatrix * matrix, gconstpointer a,
      gconstpointer b, gconstpointer c, gpointer const out[4], guint n);
  void (*maximum) (gconstpointer a, gconstpointer b, gconstpointer c,
      gpointer out, guint n);
  /* histo_stretch() of limited range. */
  void (*stretch) (gconstpointer in, gpointer out, guint n, guint depth);
  /* out[i] = table[in[i]]. @in may be @out */
  void (*look_up) (gconstpointer in, const guint16 * table, gpointer out, guint n);
  /* Adds each sample of rows[0] … rows[n_rows - 1] to its column, and to its row's sum. @n_rows: at
   * most HISTO_SUM_ROWS. The rows do not overlap @columns and @sums */
  void (*add_columns) (const gconstpointer * rows, guint n_rows,
      guint32 * columns, guint64 * sums, guint n);

  /* Saturation and hue of each U and V. Only of words. */
  void (*chroma) (gconstpointer u, gconstpointer v, gpointer saturation,
      gpointer hue, guint n, guint depth);
  /* out[i] = whether a[i] or b[i] is out of the limited range of chroma; returns whether any is */
  gboolean (*chroma_out_of_range) (gconstpointer a, gconstpointer b,
      gpointer out, guint n, guint depth);
  /* The number of samples for which luma is out of the limited range or @flags (nullable) is 1. */
  guint (*count_out_of_range) (gconstpointer luma, gconstpointer flags, guint n,
      guint depth);
  /* The number of temporal outliers of row rows[2]; rows[0] and rows[4] NULL: only the nearest
   * rows decide. */
  guint (*count_outliers) (const gconstpointer rows[5], guint n, guint depth);
  /* Whether Σ |a[i] - b[i]| < n. */
  gboolean (*is_repeated) (gconstpointer a, gconstpointer b, guint n);
  /* The number of samples, but the first and the last one, for which histo_is_step() holds. */
  guint (*count_steps) (gconstpointer luma, guint n, guint depth);
  /* out[i] = the gradient at column i + 1, for n - 2 columns; adds the numbers of
   * histo_gradient_fixed() and their squares. */
  void (*gradients) (const gconstpointer rows[3], gpointer out, guint n,
      guint depth, guint64 * sum, guint64 * squares);
  /* Of the first HISTO_THREES (@n) pixels of three bytes, all at once: adds the bytes to @counters, makes @luma by row 0 of the
   * matrix, and adds the numbers of histo_gradient_fixed() of @rows (nullable) at the columns behind these pixels' own. A processor
   * that waits for counters has time for the rest. @n: at most HISTO_MOST_THREES. Two bytes behind the rows can be read. Returns
   * FALSE if it cannot do this. Only of bytes. */
  gboolean (*count_threes) (const guint8 * in, const HistoMatrix * matrix, guint8 * luma,
      const gconstpointer * rows, guint n, HistoThreesCounters counters, guint64 * sum);
  /* Adds a[i] - b[i] and their squares. */
  void (*add_changes) (gconstpointer a, gconstpointer b, guint n, gint64 * sum,
      guint64 * squares);

  /* out[0] … out[3] = R, G, B and Y: histo_gamut_row() of a[i], b[i], c[i]. @is_rgb: what these are */
  void (*gamut) (const HistoGamut * gamut, gboolean is_rgb, gconstpointer a, gconstpointer b,
      gconstpointer c, gpointer const out[4], guint n);
  /* out[i] = histo_gamut_across() of the values around in[i]. HISTO_GAMUT_REACH values are before and behind the
   * row */
  void (*gamut_across) (gconstpointer in, gpointer out, guint n);
  /* out[i] = histo_gamut_filtered() of three such rows. */
  void (*gamut_filtered) (gconstpointer above, gconstpointer row, gconstpointer below,
      gpointer out, guint n);
  /* Adds to @counts. @rows: of gamut */
  void (*count_gamut) (const gconstpointer rows[4], guint n, guint depth, HistoGamutCounts * counts);
  /* For histo_gamut_is_sum(). out[0], out[1], out[2] = what chroma adds to Y in R, G and B. Each sample is of 2^@sub
   * pixels; the first one of @skip pixels less. @n: pixels */
  void (*gamut_of_chroma) (const HistoGamut * gamut, gconstpointer u, gconstpointer v, guint skip, guint sub,
      gint16 * const out[3], guint n);
  /* gamut() of Y and these. */
  void (*add_gamut) (gconstpointer luma, const gint16 * const chroma[3], gpointer const out[4], guint n);
  /* count_gamut() of Y and these. */
  void (*count_gamut_of_sums) (gconstpointer luma, const gint16 * const chroma[3], guint n, guint depth,
      HistoGamutCounts * counts);

  /* Of at most HISTO_NARROW_GAMUT_DEPTH bits: out[i] = HISTO_NARROW_GAMUT() of histo_gamut_across() of Y and what chroma adds to
   * it (nullable). The first and the last sum are repeated before and behind the row */
  void (*gamut_across_of_sums) (gconstpointer luma, const gint16 * chroma, guint16 * out, guint n);
  /* Adds to the numbers outside of @counts those of histo_gamut_filtered() of three such rows, above, the row and below, of R, G,
   * B and Y. A component whose rows are NULL is inside. */
  void (*count_filtered) (const guint16 * const rows[4][3], guint n, guint depth, HistoGamutCounts * counts);

  /* Computes histo_flash_luminance() and histo_flash_red() of R, G and B, whose linear light is in @table. For HLG
   * @scene and @powers are those of histo_hlg_light(). They return whether any pixel has saturated red. */
  gboolean (*light) (const guint16 * table, gconstpointer r, gconstpointer g, gconstpointer b,
      guint16 * luminance, guint16 * red, guint n);
  gboolean (*light_of_hlg) (const guint16 * scene, const guint16 * powers, gconstpointer r, gconstpointer g,
      gconstpointer b, guint16 * luminance, guint16 * red, guint n);
  /* Adds to @counts. @before: (nullable): of the previous frame. @step, @dark: of a flash */
  void (*count_light) (const guint16 * now, const guint16 * before, guint n, guint step,
      guint dark, HistoLightCounts * counts);

  /* Adds to @sums. @rows: above, the row, below; @previous: (nullable): the same of the previous frame */
  void (*add_field) (const gconstpointer rows[3], const gconstpointer * previous, guint n,
      guint depth, HistoFieldRow * sums);
  /* The number of samples of rows[2] that are combed. */
  guint (*count_combed) (const gconstpointer rows[5], guint n, guint depth);
} HistoLoops;

/* Sets of instructions: each has those before it, too. */
typedef enum
{
  HISTO_LOOPS_PLAIN,            /* what every processor has */
  HISTO_LOOPS_AVX2,
  HISTO_LOOPS_AVX512,           /* with VBMI */
  HISTO_N_LOOPS                 /* all that the processor has */
} HistoInstructions;

const HistoLoops *histo_loops_choose (gboolean is_wide, HistoInstructions most);

G_END_DECLS

#endif /* HISTO_CPU_LOOPS_H */
