/* The loops of compare/count.c, for one type of samples and one set of instructions.
 *
 * count-types.h includes this file once for each type. It defines SAMPLE, the type of samples; SUM, an unsigned one for
 * sums over a block of 4 x 4 samples and for squares; NUMBER, one in which SSIM is exact (histo_ssim() or
 * histo_ssim_of_bytes()), and SSIM, that function; VALUE(x), the value of a sample in memory; TARGET, an attribute of
 * functions; and NAME(x), which makes the name of a function. The compiler makes vectors of the loops. OWN(x) is the name
 * of a loop that may be written by hand. @mask: the bits of a word that are its value.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The squares of so many differences of up to 12 bits fit in 32 bits. */
#define PIECE 256

/* Adds a part of a row. */
static TARGET void
NAME (count_samples) (gconstpointer row_a, gconstpointer row_b, guint n, guint mask, RowCounts * counts)
{
  const SAMPLE *restrict a = row_a, *restrict b = row_b;
  guint32 most = 0;

  for (guint first = 0; first < n; first += PIECE) {
    const guint end = MIN (n, first + PIECE);
    guint32 different = 0;
    SUM squares = 0;

    for (guint i = first; i < end; i++) {
      const SAMPLE of_a = VALUE (a[i]), of_b = VALUE (b[i]);
      const guint32 size = of_a > of_b ? of_a - of_b : of_b - of_a;

      different += size != 0;
      most = MAX (most, size);
      squares += (SUM) size * size;
    }
    counts->different += different;
    counts->squares += squares;
  }
  counts->greatest = MAX (counts->greatest, most);
}

/* Finds the first and the last sample that differ. There are some. */
static void
NAME (find_ends) (gconstpointer row_a, gconstpointer row_b, guint n, guint mask, RowCounts * counts)
{
  const SAMPLE *a = row_a, *b = row_b;

  for (counts->first = 0; VALUE (a[counts->first]) == VALUE (b[counts->first]);)
    counts->first++;
  for (counts->last = n - 1; VALUE (a[counts->last]) == VALUE (b[counts->last]);)
    counts->last--;
}

/* Columns whose sums are made together: whole blocks. */
#define COLUMNS 256

/* The sums of @n blocks next to each other: sums[k][i] of block i. @stride_a, @stride_b: in bytes */
static TARGET void
NAME (sum_blocks) (const guint8 * data_a, gssize stride_a, const guint8 * data_b, gssize stride_b, guint n,
    guint mask, gpointer const sums[N_SUMS])
{
  for (guint first = 0; first < n; first += COLUMNS / BLOCK) {
    const guint piece = MIN (n - first, COLUMNS / BLOCK);
    SUM columns[N_SUMS][COLUMNS];

    memset (columns, 0, sizeof columns);
    for (guint y = 0; y < BLOCK; y++) {
      const SAMPLE *restrict a = (const SAMPLE *) (data_a + y * stride_a) + BLOCK * first;
      const SAMPLE *restrict b = (const SAMPLE *) (data_b + y * stride_b) + BLOCK * first;

      for (guint i = 0; i < BLOCK * piece; i++) {
        const SUM of_a = VALUE (a[i]), of_b = VALUE (b[i]);

        columns[SUM_A][i] += of_a;
        columns[SUM_B][i] += of_b;
        columns[SUM_SQUARES][i] += of_a * of_a + of_b * of_b;
        columns[SUM_PRODUCTS][i] += of_a * of_b;
      }
    }
    for (guint k = 0; k < N_SUMS; k++)
      for (guint i = 0; i < piece; i++) {
        const SUM *of = &columns[k][BLOCK * i];

        ((NUMBER *) sums[k])[first + i] = (NUMBER) (of[0] + of[1] + of[2] + of[3]);
      }
  }
}

#undef COLUMNS

/* Adds the @n windows that two rows of blocks make, in a fixed order. */
static TARGET gdouble
NAME (add_windows) (gpointer const above[N_SUMS], gpointer const row[N_SUMS], guint n, guint depth)
{
  const NUMBER *restrict a = above[SUM_A], *restrict b = above[SUM_B], *restrict c = above[SUM_SQUARES],
      *restrict d = above[SUM_PRODUCTS];
  const NUMBER *restrict e = row[SUM_A], *restrict f = row[SUM_B], *restrict g = row[SUM_SQUARES],
      *restrict h = row[SUM_PRODUCTS];
  const NUMBER c1 = histo_ssim_constant (depth, 1), c2 = histo_ssim_constant (depth, 2);
  gdouble total[4] = { 0, };

  for (guint first = 0; first < n; first += PIECE) {
    const guint piece = MIN (n - first, PIECE);
    gfloat windows[PIECE];

    /* An index that never wraps lets the compiler make vectors. */
    for (gsize k = 0; k < piece; k++) {
      const gsize i = first + k;

      windows[k] = SSIM (a[i] + a[i + 1] + e[i] + e[i + 1], b[i] + b[i + 1] + f[i] + f[i + 1],
          c[i] + c[i + 1] + g[i] + g[i + 1], d[i] + d[i + 1] + h[i] + h[i + 1], c1, c2);
    }
    /* Windows that are not there add nothing. */
    for (guint k = piece; k < PIECE; k++)
      windows[k] = 0;
    for (guint k = 0; k < PIECE; k += 4)
      for (guint j = 0; j < 4; j++)
        total[j] += (gdouble) windows[k + j];
  }
  return (total[0] + total[1]) + (total[2] + total[3]);
}

#undef PIECE

#ifndef OWN
#define OWN NAME
#endif

static const Loops NAME (loops) = {
  .number_bytes = sizeof (NUMBER),
  .count_samples = OWN (count_samples),
  .find_ends = NAME (find_ends),
  .sum_blocks = OWN (sum_blocks),
  .add_windows = NAME (add_windows)
};

#undef OWN
