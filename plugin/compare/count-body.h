/* The loops of compare/count.c, for one type of samples and one set of instructions.
 *
 * count.c includes this file once for each. It defines SAMPLE, the type of samples; SUM, an unsigned one for sums over a
 * block of 4 x 4 samples; TARGET, an attribute of functions; and NAME(x), which makes the name of a function. The
 * compiler makes vectors of the loops.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The squares of so many differences of up to 12 bits fit in 32 bits. */
#define PIECE 256

static TARGET void
NAME (count_row) (gconstpointer row_a, gconstpointer row_b, guint n, RowCounts * counts)
{
  const SAMPLE *restrict a = row_a, *restrict b = row_b;
  guint32 most = 0;

  memset (counts, 0, sizeof *counts);
  for (guint first = 0; first < n; first += PIECE) {
    const guint end = MIN (n, first + PIECE);
    guint32 different = 0;
    SUM squares = 0;

    for (guint i = first; i < end; i++) {
      const guint32 size = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];

      different += size != 0;
      most = MAX (most, size);
      squares += (SUM) size * size;
    }
    counts->different += different;
    counts->squares += squares;
  }
  counts->greatest = most;
  if (counts->different == 0)
    return;
  while (a[counts->first] == b[counts->first])
    counts->first++;
  counts->last = n - 1;
  while (a[counts->last] == b[counts->last])
    counts->last--;
}

/* Columns whose sums are made together: whole blocks. */
#define COLUMNS 256

/* The sums of @n blocks next to each other: sums[k][i] of block i. @stride: in bytes */
static TARGET void
NAME (sum_blocks) (const guint8 * data_a, gssize stride_a, const guint8 * data_b, gssize stride_b, guint n,
    gdouble * const sums[N_SUMS])
{
  for (guint first = 0; first < n; first += COLUMNS / BLOCK) {
    const guint piece = MIN (n - first, COLUMNS / BLOCK);
    SUM columns[N_SUMS][COLUMNS];

    memset (columns, 0, sizeof columns);
    for (guint y = 0; y < BLOCK; y++) {
      const SAMPLE *restrict a = (const SAMPLE *) (data_a + y * stride_a) + BLOCK * first;
      const SAMPLE *restrict b = (const SAMPLE *) (data_b + y * stride_b) + BLOCK * first;

      for (guint i = 0; i < BLOCK * piece; i++) {
        columns[SUM_A][i] += a[i];
        columns[SUM_B][i] += b[i];
        columns[SUM_SQUARES][i] += (SUM) a[i] * a[i] + (SUM) b[i] * b[i];
        columns[SUM_PRODUCTS][i] += (SUM) a[i] * b[i];
      }
    }
    for (guint k = 0; k < N_SUMS; k++)
      for (guint i = 0; i < piece; i++) {
        const SUM *of = &columns[k][BLOCK * i];

        sums[k][first + i] = (gdouble) (of[0] + of[1] + of[2] + of[3]);
      }
  }
}

#undef COLUMNS
#undef PIECE

static const Loops NAME (loops) = { NAME (count_row), NAME (sum_blocks) };
