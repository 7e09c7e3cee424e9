/* The tallies of a region that no counted component gives: range, outliers, repeated lines, and the
 * sums of rows and columns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/tallies.h"

/* All rows of a group are kept. */
G_STATIC_ASSERT (HISTO_SUM_ROWS <= HISTO_KEPT_ROWS);

/* The sums of columns of so many rows fit in 32 bits: R + G + B of 16 bits. */
#define COLUMN_ROWS 16384

/**
 * histo_cpu_tallies_init:
 * @tallies: (out):
 * @rows: initialised; used until histo_cpu_tallies_clear(), as @plan
 *
 * Returns: FALSE if there is no memory. histo_cpu_tallies_clear() is to be called then, too
 */
gboolean
histo_cpu_tallies_init (HistoCpuTallies * tallies, const HistoPlan * plan,
    HistoCpuRows * rows)
{
  tallies->plan = plan;
  tallies->rows = rows;
  tallies->flags = g_try_malloc (rows->row_bytes);
  tallies->pixel_flags = g_try_malloc (rows->row_bytes);
  tallies->columns = g_try_new0 (guint32, plan->format->width);
  return tallies->flags != NULL && tallies->pixel_flags != NULL
      && tallies->columns != NULL;
}

void
histo_cpu_tallies_clear (HistoCpuTallies * tallies)
{
  g_free (tallies->flags);
  g_free (tallies->pixel_flags);
  g_free (tallies->columns);
}

/**
 * histo_cpu_tallies_begin:
 * @region: not empty; the rows are in its columns
 * @sums: the region's tallies, which are added to
 * @n_row_sums: how many sums of rows the plan has for this region
 */
void
histo_cpu_tallies_begin (HistoCpuTallies * tallies,
    const HistoRegion * region, guint64 * sums, guint n_row_sums)
{
  tallies->region = *region;
  tallies->sums = sums;
  tallies->first_column_sum = HISTO_N_TALLIES + n_row_sums;
  tallies->flags_row = G_MAXUINT;
}

/* ---- Range, outliers, repeated lines -------------------------------------------------------------- */

/* A flag for each pixel of the row whose chroma is out of range. NULL: there is none. */
static gconstpointer
find_chroma_flags (HistoCpuTallies * tallies, guint y)
{
  HistoCpuRows *rows = tallies->rows;
  const HistoMaps *formulas = &tallies->plan->maps;
  const guint row = formulas->is_rgb ? y : y >> formulas->h_sub;

  if (!formulas->has_chroma)
    return NULL;
  if (row != tallies->flags_row) {
    tallies->flags_row = row;
    tallies->has_flags = rows->loops->chroma_out_of_range
        (histo_cpu_rows_get (rows, HISTO_ROW_YUV + 1, row),
        histo_cpu_rows_get (rows, HISTO_ROW_YUV + 2, row), tallies->flags,
        histo_cpu_rows_length (rows, HISTO_ROW_YUV + 1), formulas->depth);
    if (tallies->has_flags && formulas->w_sub > 0)
      rows->loops->repeat (tallies->flags,
          tallies->region.x & ((1u << formulas->w_sub) - 1), formulas->w_sub,
          tallies->pixel_flags, tallies->region.width);
  }
  if (!tallies->has_flags)
    return NULL;
  return formulas->w_sub > 0 ? tallies->pixel_flags : tallies->flags;
}

static guint
count_outliers (HistoCpuTallies * tallies, guint y)
{
  const guint row = tallies->region.y + y, height = tallies->region.height;
  gconstpointer rows[5] = { NULL, };

  if (y < 1 || y + 1 >= height)
    return 0;
  for (guint i = 0; i < 5; i++) {
    if ((y >= 2 && y + 2 < height) || (i >= 1 && i <= 3))
      rows[i] = histo_cpu_rows_get (tallies->rows, HISTO_ROW_YUV, row + i - 2);
  }
  return tallies->rows->loops->count_outliers (rows, tallies->region.width,
      tallies->plan->maps.depth);
}

/* Adds BRNG, TOUT and VREP of rows of the region. */
void
histo_cpu_tallies_add_signal (HistoCpuTallies * tallies, guint first, guint n_rows)
{
  HistoCpuRows *rows = tallies->rows;
  const guint width = tallies->region.width, depth = tallies->plan->maps.depth;

  for (guint y = first; y < first + n_rows; y++) {
    const guint row = tallies->region.y + y;

    tallies->sums[HISTO_TALLY_BRNG] += rows->loops->count_out_of_range
        (histo_cpu_rows_get (rows, HISTO_ROW_YUV, row),
        find_chroma_flags (tallies, row), width, depth);
    tallies->sums[HISTO_TALLY_TOUT] += count_outliers (tallies, y);
    if (y >= 4 && rows->loops->is_repeated
        (histo_cpu_rows_get (rows, HISTO_ROW_YUV, row),
            histo_cpu_rows_get (rows, HISTO_ROW_YUV, row - 4), width))
      tallies->sums[HISTO_TALLY_VREP] += width;
  }
}

/* ---- Area ----------------------------------------------------------------------------------------- */

static void
flush_columns (HistoCpuTallies * tallies)
{
  guint64 *sums = tallies->sums + tallies->first_column_sum;

  for (guint x = 0; tallies->column_rows > 0 && x < tallies->region.width; x++) {
    sums[x] += tallies->columns[x];
    tallies->columns[x] = 0;
  }
  tallies->column_rows = 0;
}

/* Adds the sums of rows and columns. The latter are complete after histo_cpu_tallies_end(). */
void
histo_cpu_tallies_add_area (HistoCpuTallies * tallies, guint first, guint n_rows)
{
  HistoCpuRows *rows = tallies->rows;
  const guint n_components = tallies->plan->maps.is_rgb ? 3 : 1;
  const guint after = first + n_rows;
  guint n;

  for (guint y = first; y < after; y += n) {
    n = MIN (after - y, HISTO_SUM_ROWS);
    for (guint c = 0; c < n_components; c++) {
      gconstpointer group[HISTO_SUM_ROWS];

      for (guint i = 0; i < n; i++)
        group[i] = histo_cpu_rows_get (rows, HISTO_ROW_PIXEL + c,
            tallies->region.y + y + i);
      rows->loops->add_columns (group, n, tallies->columns,
          &tallies->sums[HISTO_N_TALLIES + y], tallies->region.width);
    }
    tallies->column_rows += n;
    if (tallies->column_rows > COLUMN_ROWS - HISTO_SUM_ROWS)
      flush_columns (tallies);
  }
}

void
histo_cpu_tallies_end (HistoCpuTallies * tallies)
{
  flush_columns (tallies);
}
