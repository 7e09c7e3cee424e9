/* Rows of a regular picture: native samples, and what the formulas make of the samples of a row.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_ROWS_H
#define HISTO_CPU_ROWS_H

#include "engine/cpu/regular.h"
#include "media/mask.h"
#include "measures/plan.h"

G_BEGIN_DECLS

/* The kinds of rows. All but the native samples have the depth of the formulas. */
typedef enum
{
  /* + the component: its samples as they are. Row y is the component's */
  HISTO_ROW_NATIVE,
  /* + 0, 1, 2: Y, U, V or R, G, B of each pixel; of gray U and V are neutral */
  HISTO_ROW_PIXEL = HISTO_ROW_NATIVE + HISTO_MAX_COMPONENTS,
  /* + 0, 1, 2: Y, U, V; of RGB in limited range. Y for each pixel; U and V once for each
   * sample of chroma, and row y is one of these samples; of RGB for each pixel */
  HISTO_ROW_YUV = HISTO_ROW_PIXEL + 3,
  HISTO_ROW_LUMA = HISTO_ROW_YUV + 3,   /* Y, or made of R, G, B in their range */
  HISTO_ROW_STRETCHED,          /* histo_stretch() of luma */
  HISTO_ROW_MAXRGB,             /* of RGB: the greatest of R, G, B in full range */
  HISTO_ROW_RGB,                /* + 0, 1, 2: R, G, B of YUV or gray in full range. Only the latest row is kept */
  /* These rows have numbers of other types. */
  /* + 0, 1, 2, 3: R, G, B, Y in limited range, not clipped; gint16 or gint32 as in HistoLoops. Rows go on by
   * HISTO_GAMUT_REACH copies of the first and the last value */
  HISTO_ROW_GAMUT = HISTO_ROW_RGB + 3,
  /* + 0, 1, 2, 3: histo_gamut_across() of these; HISTO_NARROW_GAMUT() if is_gamut_narrow */
  HISTO_ROW_GAMUT_ACROSS = HISTO_ROW_GAMUT + 4,
  /* + 0, 1, 2: what chroma adds to Y in R, G and B of gamut if is_gamut_sum; gint16 */
  HISTO_ROW_GAMUT_OF_CHROMA = HISTO_ROW_GAMUT_ACROSS + 4,
  HISTO_N_ROWS = HISTO_ROW_GAMUT_OF_CHROMA + 3
} HistoRow;

/* A row that has been made. */
typedef struct
{
  guint y;                      /* G_MAXUINT: none */
  gconstpointer samples;
} HistoCpuLine;

/* The light of a picture, row by row: the frame that it belongs to computes it, and the next frame compares itself with
 * it. A row that is not there yet is computed again. */
typedef struct
{
  gsize width;                  /* numbers in a row */
  guint height;
  guint16 *luminance, *red;     /* red: of rows that have any */
  gint *states;                 /* of the rows, to be read and set as atomic: HistoCpuLightState */
} HistoCpuLight;

typedef enum
{
  HISTO_CPU_LIGHT_UNKNOWN,
  HISTO_CPU_LIGHT_WITHOUT_RED,
  HISTO_CPU_LIGHT_WITH_RED
} HistoCpuLightState;

/* Luminance and saturated red of the pixels of a row. */
typedef struct
{
  const guint16 *luminance;
  const guint16 *red;           /* NULL: all are 0 */
} HistoCpuLightRow;

/* The latest rows of each kind are kept, for formulas of neighbours. */
#define HISTO_KEPT_ROWS 8

/* Reads pictures of one format, one rectangle of one picture at a time. For one thread. */
typedef struct
{
  const HistoCpuRegular *regular;
  const HistoFormulas *formulas;
  const guint16 *linear, *hlg;  /* the plan's */
  const HistoLoops *loops;
  gboolean is_wide;             /* rows of guint16, else of guint8 */
  gboolean is_gamut_sum;        /* histo_gamut_is_sum() */
  gboolean is_gamut_narrow;     /* and at most HISTO_NARROW_GAMUT_DEPTH bits */
  guint16 *scale[3];            /* histo_scale_sample() of each value; NULL: nothing to scale */
  guint16 *stretch_rgb;         /* histo_stretch_rgb() of each value; NULL: nothing to stretch */
  guint8 *memory;               /* of the rows */
  gsize row_bytes;              /* of rows of samples */
  gsize wide_row_bytes;         /* of rows of other types */
  guint8 *neutral;              /* a row of neutral chroma */
  guint16 *own_light[2];        /* a row of luminance and one of saturated red */
  guint16 *no_red;              /* a row of 0 */

  /* The rectangle. */
  const HistoPlane *planes;     /* regular */
  HistoScan scan;               /* of the picture */
  guint x, width;               /* in pixels */
  HistoCpuLight *light;         /* (nullable): the picture's */
  gboolean fills_light;         /* the light that is computed is kept there */
  const HistoMaskView *mask;    /* (nullable): see histo_cpu_rows_use_mask() */
  struct
  {
    guint y;                    /* G_MAXUINT: none */
    guint n;
  } parts[HISTO_KEPT_ROWS];     /* pixels that take part */
  HistoCpuLine lines[HISTO_N_ROWS][HISTO_KEPT_ROWS];
} HistoCpuRows;

HistoCpuLight *histo_cpu_light_new (guint width, guint height);
void histo_cpu_light_free (HistoCpuLight * light);
void histo_cpu_light_forget (HistoCpuLight * light);

gboolean histo_cpu_rows_init (HistoCpuRows * rows,
    const HistoCpuRegular * regular, const HistoPlan * plan);
void histo_cpu_rows_clear (HistoCpuRows * rows);

void histo_cpu_rows_begin (HistoCpuRows * rows, const HistoPlane * planes,
    const HistoScan * scan, guint x, guint width);
void histo_cpu_rows_use_light (HistoCpuRows * rows, HistoCpuLight * light, gboolean fill);
void histo_cpu_rows_use_mask (HistoCpuRows * rows, const HistoMaskView * mask);
guint histo_cpu_rows_n_pixels (HistoCpuRows * rows, guint y);
void histo_cpu_rows_pick (const HistoCpuRows * rows, guint y, gconstpointer from, gpointer out);
guint histo_cpu_rows_length (const HistoCpuRows * rows, HistoRow kind);
gconstpointer histo_cpu_rows_get (HistoCpuRows * rows, HistoRow kind, guint y);
gconstpointer histo_cpu_rows_make (HistoCpuRows * rows, HistoRow kind,
    guint y, gpointer out);
void histo_cpu_rows_get_gamut_of_chroma (HistoCpuRows * rows, guint y, const gint16 * chroma[3]);
HistoCpuLightRow histo_cpu_rows_get_light (HistoCpuRows * rows, guint y);
void histo_cpu_rows_make_matrix (HistoCpuRows * rows, guint y,
    gpointer const out[4]);

/* The bytes of a sample in a row. */
static inline guint
histo_cpu_rows_sample_bytes (const HistoCpuRows * rows)
{
  return rows->is_wide ? 2 : 1;
}

G_END_DECLS

#endif /* HISTO_CPU_ROWS_H */
