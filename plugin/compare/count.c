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
  gsize number_bytes;           /* of the sums of a block */
  /* Adds to the counts but for the ends. */
  void (*count_samples) (gconstpointer a, gconstpointer b, guint n, guint mask, RowCounts * counts);
  void (*find_ends) (gconstpointer a, gconstpointer b, guint n, guint mask, RowCounts * counts);
  void (*sum_blocks) (const guint8 * a, gssize stride_a, const guint8 * b, gssize stride_b, guint n,
      guint mask, gpointer const sums[N_SUMS]);
  gdouble (*add_windows) (gpointer const above[N_SUMS], gpointer const row[N_SUMS], guint n, guint depth);
} Loops;

#define TARGET
#define WITH(name) name
#include "compare/count-types.h"
#undef WITH
#undef TARGET

#if defined (__x86_64__) && defined (__GNUC__)
#define AVX2 __attribute__ ((target ("avx2")))
#define TARGET AVX2
#define WITH(name) name##_avx2
#define BY_HAND
#include "compare/count-avx2.h"
#include "compare/count-types.h"
#undef BY_HAND
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

/* ---- Scratch memory ------------------------------------------------------------------------------- */

/* Returns: (transfer none): @n bytes, valid until the next call; their values are not defined */
guint8 *
histo_comparison_scratch_room (HistoComparisonScratch * scratch, gsize n)
{
  if (scratch->n < n) {
    g_free (scratch->memory);
    scratch->memory = g_malloc (n);
    scratch->n = n;
  }
  return scratch->memory;
}

void
histo_comparison_scratch_clear (HistoComparisonScratch * scratch)
{
  g_clear_pointer (&scratch->memory, g_free);
  scratch->n = 0;
}

/* ---- SSIM ---------------------------------------------------------------------------------------- */

/* Room for two rows of blocks. */
static void
find_rows (HistoComparisonScratch * scratch, const Loops * loops, guint n_blocks, gpointer rows[2][N_SUMS])
{
  const gsize row_bytes = loops->number_bytes * n_blocks;
  guint8 *memory = histo_comparison_scratch_room (scratch, 2 * N_SUMS * row_bytes);

  for (guint i = 0; i < 2 * N_SUMS; i++)
    rows[i / N_SUMS][i % N_SUMS] = memory + i * row_bytes;
}

/* ---- Planes -------------------------------------------------------------------------------------- */

/* Some samples of row @y differ. @x: the column of the row's first sample */
static void
add_row (HistoComparisonCounts * counts, const RowCounts * row, guint x, guint y)
{
  if (counts->different == 0) {
    counts->first_x = x + row->first;
    counts->first_y = y;
  }
  counts->first_x = MIN (counts->first_x, x + row->first);
  counts->after_x = MAX (counts->after_x, x + row->last + 1);
  counts->after_y = y + 1;
  counts->different += row->different;
  counts->sse += row->squares;
  counts->max_difference = MAX (counts->max_difference, row->greatest);
}

/**
 * histo_compare_planes:
 * @a, @b: planes of a regular picture (engine/cpu/regular.h). Words may have other bits above their samples
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
  const guint bytes = is_wide ? 2 : 1, n_blocks = width / BLOCK, mask = (1u << depth) - 1;
  const guint8 *at_a = (const guint8 *) (guintptr) a->data + (gint64) y * a->stride + (gsize) x * bytes;
  const guint8 *at_b = (const guint8 *) (guintptr) b->data + (gint64) y * b->stride + (gsize) x * bytes;
  gpointer rows[2][N_SUMS];

  memset (counts, 0, sizeof *counts);
  counts->count = (guint64) width * height;
  with_ssim = with_ssim && n_blocks >= 2 && height >= 2 * BLOCK;
  if (with_ssim)
    find_rows (scratch, loops, n_blocks, rows);
  for (guint i = 0; i < height; i++) {
    const guint block_row = i / BLOCK;
    const guint8 *row_a = at_a + (gint64) i * a->stride, *row_b = at_b + (gint64) i * b->stride;
    RowCounts row = { 0, };

    loops->count_samples (row_a, row_b, width, mask, &row);
    if (row.different > 0) {
      loops->find_ends (row_a, row_b, width, mask, &row);
      add_row (counts, &row, x, y + i);
    }
    if (!with_ssim || i % BLOCK != 0 || i + BLOCK > height)
      continue;
    loops->sum_blocks (row_a, a->stride, row_b, b->stride, n_blocks, mask, rows[block_row % 2]);
    if (block_row == 0)
      continue;
    counts->ssim += loops->add_windows (rows[(block_row + 1) % 2], rows[block_row % 2], n_blocks - 1, depth);
    counts->n_windows += n_blocks - 1;
  }
}
