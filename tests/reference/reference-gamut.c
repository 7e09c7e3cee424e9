/* reference-gamut.c: the measures of the groups gamut and gamut-filter.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sources: EBU R 103; EBU QC 0051B.
 */

#include <math.h>

#include "reference-measures.h"

typedef gint64 Rgby[4];

static void
gamut_of (const ReferencePicture * picture, guint x, guint y, Rgby rgby)
{
  gint64 values[3];

  reference_picture_pixel (picture, x, y, values);
  reference_color_gamut (&picture->color, values, rgby);
}

static void
count_out (const ReferenceColor * color, const Rgby rgby, guint64 n_out[5])
{
  gboolean any = FALSE;
  guint i;

  for (i = 0; i < 4; i++)
    if (reference_color_gamut_is_out (color, rgby[i])) {
      n_out[i]++;
      any = TRUE;
    }
  if (any)
    n_out[REFERENCE_GAMUT_ANY]++;
}

void
reference_count_gamut (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceGamut * out)
{
  gboolean is_first = TRUE;
  guint x, y, i;

  for (y = region->y; y < region->y + region->height; y++)
    for (x = region->x; x < region->x + region->width; x++) {
      Rgby rgby;

      if (!reference_picture_has_pixel (current, x, y))
        continue;
      gamut_of (current, x, y, rgby);
      count_out (&current->color, rgby, out->n_out);
      for (i = 0; i < 4; i++) {
        if (is_first || rgby[i] < out->least[i])
          out->least[i] = rgby[i];
        if (is_first || rgby[i] > out->greatest[i])
          out->greatest[i] = rgby[i];
      }
      is_first = FALSE;
    }
}

/* The sums of 7 pixels of a row; the region's first and last column are repeated. In 16ths */
static void
filter_row (const ReferencePicture * picture,
    const ReferenceRectangle * region, guint y, Rgby * sums)
{
  static const gint weights[7] = { 1, 2, 3, 4, 3, 2, 1 };
  const gint last = (gint) region->width - 1;
  Rgby *row = g_new (Rgby, region->width);
  gint x, k;
  guint i;

  for (x = 0; x <= last; x++)
    gamut_of (picture, region->x + x, y, row[x]);
  for (x = 0; x <= last; x++)
    for (i = 0; i < 4; i++) {
      sums[x][i] = 0;
      for (k = -3; k <= 3; k++)
        sums[x][i] += weights[k + 3] * row[CLAMP (x + k, 0, last)][i];
    }
  g_free (row);
}

void
reference_count_gamut_filter (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceGamutFilter * out)
{
  const guint width = region->width, height = region->height;
  const guint step = current->row_step;
  Rgby *sums = g_new (Rgby, (gsize) width * height + 1);
  guint x, y, i;

  for (y = 0; y < height; y++)
    filter_row (current, region, region->y + y, &sums[(gsize) y * width]);
  for (y = 0; y < height; y++) {
    const Rgby *row = &sums[(gsize) y * width];
    /* The rows of the same field; the row itself where the region ends */
    const Rgby *above = y >= step ? row - (gsize) step * width : row;
    const Rgby *below = y + step < height ? row + (gsize) step * width : row;

    for (x = 0; x < width; x++) {
      Rgby rgby;

      for (i = 0; i < 4; i++)
        rgby[i] = (gint64) floor ((above[x][i] + 2 * row[x][i] + below[x][i]
                + 32) / 64.0);
      count_out (&current->color, rgby, out->n_out);
    }
  }
  g_free (sums);
}

/* Figures */

static void
find_shares (const ReferenceMeasures * measures, const guint64 n_out[5],
    gdouble shares[5])
{
  const gdouble n = reference_n_parts (measures);
  guint i;

  for (i = 0; i < 5; i++)
    shares[i] = n > 0 ? n_out[i] / n : NAN;
}

void
reference_gamut_figures (const ReferenceColor * color,
    ReferenceMeasures * measures)
{
  ReferenceGamut *gamut = &measures->gamut;
  const gdouble black = 16 * color->factor, range = 219 * color->factor;
  guint i;

  find_shares (measures, gamut->n_out, gamut->out);
  for (i = 0; i < 4; i++) {
    gamut->min[i] = gamut->max[i] = NAN;
    if (isnan (gamut->out[i]))
      continue;
    gamut->min[i] = (gamut->least[i] - black) / range * 100;
    gamut->max[i] = (gamut->greatest[i] - black) / range * 100;
  }
}

void
reference_gamut_filter_figures (ReferenceMeasures * measures)
{
  find_shares (measures, measures->gamut_filter.n_out,
      measures->gamut_filter.out);
}
