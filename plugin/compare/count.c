/* Compares a rectangle of two planes of samples; see count.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/count.h"

#include <string.h>

#include "kernels/formulas.h"

/* The side of a block: windows of 2 x 2 blocks begin at each. */
#define BLOCK 4

/* The sums of a block. */
enum
{
  SUM_A,
  SUM_B,
  SUM_SQUARES,                  /* of both */
  SUM_PRODUCTS,
  N_SUMS
};

typedef struct
{
  guint64 squares;
  guint different;
  guint32 greatest;
  guint first, last;            /* that differ, if any does */
} RowCounts;

typedef struct
{
  void (*count_row) (gconstpointer a, gconstpointer b, guint n, RowCounts * counts);
  void (*sum_blocks) (const guint8 * a, gssize stride_a, const guint8 * b, gssize stride_b, guint n,
      gdouble * const sums[N_SUMS]);
} Loops;

#define EACH_TYPE \
  "compare/count-types.h"

#define TARGET
#define WITH(name) name
#include EACH_TYPE
#undef WITH
#undef TARGET

#if defined (__x86_64__) && defined (__GNUC__)
#define TARGET __attribute__ ((target ("avx2")))
#define WITH(name) name##_avx2
#include EACH_TYPE
#undef WITH
#undef TARGET
#define CHOOSE(name) (__builtin_cpu_supports ("avx2") ? &name##_avx2 : &name)
#else
#define CHOOSE(name) (&name)
#endif

/* Sums over 16 samples of up to 12 bits, and their products, fit in 32 bits. */
#define MOST_NARROW_DEPTH 12

static const Loops *
choose_loops (gboolean is_wide, guint depth)
{
  if (!is_wide)
    return CHOOSE (loops_of_bytes);
  return depth <= MOST_NARROW_DEPTH ? CHOOSE (loops_of_words) : CHOOSE (loops_of_deep_words);
}

/* ---- SSIM ---------------------------------------------------------------------------------------- */

/* Adds the windows that two rows of blocks make, in a fixed order. */
static gdouble
add_windows (gdouble * const above[N_SUMS], gdouble * const row[N_SUMS], guint n_blocks, guint depth)
{
  const gdouble c1 = histo_ssim_constant (depth, 1), c2 = histo_ssim_constant (depth, 2);
  gdouble total[4] = { 0, };

  for (guint i = 0; i + 1 < n_blocks; i++) {
    gdouble of[N_SUMS];

    for (guint k = 0; k < N_SUMS; k++)
      of[k] = above[k][i] + above[k][i + 1] + row[k][i] + row[k][i + 1];
    total[i % 4] += histo_ssim (of[SUM_A], of[SUM_B], of[SUM_SQUARES], of[SUM_PRODUCTS], c1, c2);
  }
  return (total[0] + total[1]) + (total[2] + total[3]);
}

/* Room for two rows of blocks. */
static void
find_rows (HistoComparisonScratch * scratch, guint n_blocks, gdouble * rows[2][N_SUMS])
{
  const gsize n = (gsize) 2 * N_SUMS * n_blocks;

  if (scratch->n < n) {
    g_free (scratch->memory);
    scratch->memory = g_new (gdouble, n);
    scratch->n = n;
  }
  for (guint i = 0; i < 2 * N_SUMS; i++)
    rows[i / N_SUMS][i % N_SUMS] = scratch->memory + (gsize) i * n_blocks;
}

void
histo_comparison_scratch_clear (HistoComparisonScratch * scratch)
{
  g_clear_pointer (&scratch->memory, g_free);
  scratch->n = 0;
}

/* ---- Planes -------------------------------------------------------------------------------------- */

static void
add_row (HistoComparisonCounts * counts, const RowCounts * row, guint y)
{
  if (row->different == 0)
    return;
  if (counts->different == 0) {
    counts->first_x = row->first;
    counts->first_y = y;
  }
  counts->first_x = MIN (counts->first_x, row->first);
  counts->after_x = MAX (counts->after_x, row->last + 1);
  counts->after_y = y + 1;
  counts->different += row->different;
  counts->sse += row->squares;
  counts->max_difference = MAX (counts->max_difference, row->greatest);
}

/**
 * histo_compare_planes:
 * @a, @b: planes of a regular picture (engine/cpu/regular.h)
 * @is_wide: the samples are words, else bytes
 * @x, @y, @width, @height: the rectangle, in samples, inside of both
 * @counts: (out): the rectangle's place counts from the plane's begin
 *
 * The windows of SSIM are those of FFmpeg's filter: 8 x 8 samples, one each 4 samples, from the rectangle's begin on. A
 * rectangle of less than 8 columns or rows has none.
 */
void
histo_compare_planes (const HistoPlane * a, const HistoPlane * b, gboolean is_wide, guint depth,
    guint x, guint y, guint width, guint height, gboolean with_ssim, HistoComparisonScratch * scratch,
    HistoComparisonCounts * counts)
{
  const Loops *loops = choose_loops (is_wide, depth);
  const guint bytes = is_wide ? 2 : 1, n_blocks = width / BLOCK;
  const guint8 *at_a = (const guint8 *) (guintptr) a->data + (gint64) y * a->stride + (gsize) x * bytes;
  const guint8 *at_b = (const guint8 *) (guintptr) b->data + (gint64) y * b->stride + (gsize) x * bytes;
  gdouble *rows[2][N_SUMS];

  memset (counts, 0, sizeof *counts);
  counts->count = (guint64) width * height;
  with_ssim = with_ssim && n_blocks >= 2 && height >= 2 * BLOCK;
  if (with_ssim)
    find_rows (scratch, n_blocks, rows);
  for (guint i = 0; i < height; i++) {
    const guint block_row = i / BLOCK;
    RowCounts row;

    loops->count_row (at_a + (gint64) i * a->stride, at_b + (gint64) i * b->stride, width, &row);
    row.first += x;
    row.last += x;
    add_row (counts, &row, y + i);
    if (!with_ssim || i % BLOCK != 0 || i + BLOCK > height)
      continue;
    loops->sum_blocks (at_a + (gint64) i * a->stride, a->stride, at_b + (gint64) i * b->stride, b->stride, n_blocks,
        rows[block_row % 2]);
    if (block_row == 0)
      continue;
    counts->ssim += add_windows (rows[(block_row + 1) % 2], rows[block_row % 2], n_blocks, depth);
    counts->n_windows += n_blocks - 1;
  }
}
