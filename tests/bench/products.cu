/* A product of two square matrices, as work for a GPU that others use as well.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench-products.h"

/* A block makes a square of PRODUCTS_TILE x PRODUCTS_TILE numbers of the product, a thread 4 x 4 of
 * them, every 16th row and column. */
static const int STEP = 16;     /* columns of a, and rows of b, in shared memory at a time */
static const int WIDTH = PRODUCTS_TILE / 4;

static_assert (PRODUCTS_THREADS == WIDTH * WIDTH, "a thread makes 16 numbers");

/* c = a * b; @n: rows and columns, a multiple of PRODUCTS_TILE */
extern "C" __global__ void __launch_bounds__ (PRODUCTS_THREADS)
product (const float *a, const float *b, float *c, int n)
{
  __shared__ float of_a[STEP][PRODUCTS_TILE + 1], of_b[STEP][PRODUCTS_TILE];
  const int x = threadIdx.x % WIDTH, y = threadIdx.x / WIDTH;
  const size_t row = (size_t) blockIdx.y * PRODUCTS_TILE, column = (size_t) blockIdx.x * PRODUCTS_TILE;
  float sums[4][4] = {};

  for (int k = 0; k < n; k += STEP) {
    for (int i = threadIdx.x; i < STEP * PRODUCTS_TILE; i += PRODUCTS_THREADS) {
      of_a[i % STEP][i / STEP] = a[(row + i / STEP) * n + k + i % STEP];
      of_b[i / PRODUCTS_TILE][i % PRODUCTS_TILE] =
          b[(size_t) (k + i / PRODUCTS_TILE) * n + column + i % PRODUCTS_TILE];
    }
    __syncthreads ();
    for (int j = 0; j < STEP; j++) {
      for (int r = 0; r < 4; r++) {
        for (int s = 0; s < 4; s++)
          sums[r][s] += of_a[j][y + r * WIDTH] * of_b[j][x + s * WIDTH];
      }
    }
    __syncthreads ();
  }
  for (int r = 0; r < 4; r++) {
    for (int s = 0; s < 4; s++)
      c[(row + y + r * WIDTH) * n + column + x + s * WIDTH] = sums[r][s];
  }
}
