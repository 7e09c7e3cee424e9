/* Elimination on the host: what the kernels must find, and how exact that is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "ladder-elimination.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Matrices whose solutions are examined. */
#define N_SOLVED 8

guint
ladder_order (LadderContent content)
{
  switch (content) {
#define X(order) case LADDER_ORDER_##order: return order;
    LADDER_ORDERS (X)
#undef X
    default: return 0;
  }
}

static void
make_matrix (gdouble *matrix, guint order, guint number)
{
  const guint n = ladder_matrix_elements (order);

  for (guint i = 0; i < n; i++)
    matrix[i] = ladder_matrix_value (number * n + i);
}

/* In place, and with whole rows that change places. */
static void
eliminate (gdouble *matrix, guint order)
{
  for (guint i = order - 1; i > 0; i--) {
    gdouble *row = matrix + ladder_row (i), *above = matrix + ladder_row (i - 1);
    gdouble factor;

    if (fabs (above[i + 1]) > fabs (row[i + 1])) {
      for (guint k = 0; k <= i + 1; k++) {
        const gdouble kept = row[k];

        row[k] = above[k];
        above[k] = kept;
      }
    }
    factor = row[i + 1] != 0 ? above[i + 1] / row[i + 1] : 0;
    for (guint k = 0; k <= i; k++)
      above[k] = fma (-factor, row[k], above[k]);
    above[i + 1] = factor;
  }
}

/* A sum of two numbers, of which the second is below the first one's last place. */
typedef struct
{
  gdouble high, low;
} DoubleDouble;

static DoubleDouble
two_sum (gdouble a, gdouble b)
{
  const gdouble sum = a + b, part = sum - a;

  return (DoubleDouble) { sum, (a - (sum - part)) + (b - part) };
}

/* sum + a * b, where the product is exact. */
static DoubleDouble
add_product (DoubleDouble sum, gdouble a, gdouble b)
{
  const gdouble product = a * b, rest = fma (a, b, -product);
  const DoubleDouble high = two_sum (sum.high, product);

  return two_sum (high.high, high.low + sum.low + rest);
}

/* Whether the triangular matrix solves the equations; also if it is singular: then it solves none. */
static gboolean
is_solved (const gdouble *triangle, guint order, guint number)
{
  gdouble *x = g_new (gdouble, order), *matrix = g_new (gdouble, ladder_matrix_elements (order));
  gdouble largest = 0;
  gboolean is_right = TRUE;

  make_matrix (matrix, order, number);
  for (guint i = 0; i < order; i++) {
    const gdouble *row = triangle + ladder_row (i);
    DoubleDouble rest = { row[0], 0 };

    for (guint k = 0; k < i; k++)
      rest = add_product (rest, -row[1 + k], x[k]);
    if (row[1 + i] == 0)
      goto out;
    x[i] = rest.high / row[1 + i];
    largest = MAX (largest, fabs (x[i]));
  }
  for (guint i = 0; i < order && is_right; i++) {
    const gdouble *row = matrix + ladder_row (i);
    const guint n = MIN (i + 2, order);
    DoubleDouble residual = { row[0], 0 };
    gdouble sum = fabs (row[0]);

    for (guint k = 0; k < n; k++) {
      residual = add_product (residual, -row[1 + k], x[k]);
      sum += fabs (row[1 + k]) * largest;
    }
    is_right = fabs (residual.high) <= DBL_EPSILON * sum;
    if (!is_right)
      fprintf (stderr, "order %u, matrix %u, row %u: the residual is %g of %g\n", order, number, i, residual.high, sum);
  }
out:
  g_free (x);
  g_free (matrix);
  return is_right;
}

gboolean
ladder_is_eliminated (LadderDevice *device, CUdeviceptr result, LadderContent content, guint n)
{
  const guint order = ladder_order (content), n_elements = ladder_matrix_elements (order);
  const gsize bytes = n_elements * sizeof (gdouble);
  /* So many matrices are read at once. */
  const guint n_matrices = n / n_elements, n_part = MIN (n_matrices, ((guint) 64 << 20) / bytes);
  gdouble *found = ladder_alloc_host (device, n_part * bytes), *expected = g_malloc (bytes);
  gboolean is_right = TRUE;

  for (guint m = 0; m < n_matrices && is_right; m++) {
    const gdouble *matrix = found + m % n_part * n_elements;

    if (m % n_part == 0)
      ladder_download (device, found, result + m * bytes, MIN (n_part, n_matrices - m) * bytes);
    make_matrix (expected, order, m);
    eliminate (expected, order);
    is_right = memcmp (matrix, expected, bytes) == 0 && (m >= N_SOLVED || is_solved (matrix, order, m));
  }
  ladder_free_host (device, found);
  g_free (expected);
  return is_right;
}
