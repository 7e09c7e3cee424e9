/* The loops of compare/blocks.c, for one type of samples and one set of instructions.
 *
 * blocks-types.h includes this file once for each type. It defines SAMPLE, the type of samples; NUMBER, a signed one for
 * their sums in the filter; SQUARES, an unsigned one for the squared errors of a column of a block; VALUE(x), the value of a
 * sample in memory; TARGET, an attribute of functions; and NAME(x), which makes the name of a function. The compiler makes
 * vectors of the loops. Each adds one row to sums of columns. @mask: the bits of a word that are its value.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

static TARGET void
NAME (add_errors) (gconstpointer row_a, gconstpointer row_b, guint n, guint mask, gpointer columns)
{
  const SAMPLE *restrict a = row_a, *restrict b = row_b;
  SQUARES *restrict to = columns;

  for (gsize i = 0; i < n; i++) {
    const gint32 error = (gint32) VALUE (a[i]) - (gint32) VALUE (b[i]);

    to[i] += (SQUARES) ((guint32) error * (guint32) error);
  }
}

/* @rows: above, of the samples, below; @sums: room for @n numbers. The first and the last column get nothing. */
static TARGET void
NAME (add_detail) (gconstpointer const rows[3], guint n, guint mask, gpointer sums, guint32 * restrict columns)
{
  const SAMPLE *restrict above = rows[0], *restrict row = rows[1], *restrict below = rows[2];
  NUMBER *restrict sum = sums;

  for (gsize i = 0; i < n; i++)
    sum[i] = (NUMBER) (VALUE (above[i]) + 2 * VALUE (row[i]) + VALUE (below[i]));
  /* 2 sides + corners are the weighted sums of three columns, but for 4 of the sample itself. */
  for (gsize i = 1; i + 1 < n; i++) {
    const gint32 sample = VALUE (row[i]);
    const NUMBER detail = (NUMBER) histo_xpsnr_detail (sample, 0,
        (gint32) sum[i - 1] + 2 * sum[i] + sum[i + 1] - 4 * sample);

    columns[i] += (guint32) (detail < 0 ? -detail : detail);
  }
}

/* @before: a row of zeros if there was no frame */
static TARGET void
NAME (add_change) (gconstpointer row, gconstpointer row_before, guint n, guint mask, guint32 * restrict columns)
{
  const SAMPLE *restrict frame = row, *restrict before = row_before;

  for (gsize i = 0; i < n; i++) {
    const gint32 change = histo_xpsnr_change (VALUE (frame[i]), VALUE (before[i]));

    columns[i] += (guint32) (change < 0 ? -change : change);
  }
}

static TARGET void
NAME (add_second_change) (gconstpointer row, gconstpointer row_before, gconstpointer row_before_that, guint n,
    guint mask, guint32 * restrict columns)
{
  const SAMPLE *restrict frame = row, *restrict before = row_before, *restrict before_that = row_before_that;

  for (gsize i = 0; i < n; i++) {
    const gint32 change = histo_xpsnr_second_change (VALUE (frame[i]), VALUE (before[i]),
        VALUE (before_that[i]));

    columns[i] += (guint32) (change < 0 ? -change : change);
  }
}

/* The sums of two rows. Those beyond the last column are as there. */
static TARGET void
NAME (sum_two) (gconstpointer row_a, gconstpointer row_b, guint n, guint mask, gint32 * restrict sums)
{
  const SAMPLE *restrict a = row_a, *restrict b = row_b;

  for (gsize i = 0; i < n; i++)
    sums[i] = (gint32) VALUE (a[i]) + (gint32) VALUE (b[i]);
  sums[n] = sums[n - 1];
}

static const Loops NAME (loops) = {
  .square_bytes = sizeof (SQUARES),
  .add_errors = NAME (add_errors),
  .add_detail = NAME (add_detail),
  .add_change = NAME (add_change),
  .add_second_change = NAME (add_second_change),
  .sum_two = NAME (sum_two),
  .add_detail_of_cells = WITH (add_detail_of_cells),
  .add_change_of_cells = WITH (add_change_of_cells)
};
