/* Elimination in matrices whose rows end one column right of the diagonal, step by step. What each step teaches is in
 * the table in ladder-steps.c.
 *
 * A matrix of the order N has a right-hand side. Its row i is the right-hand side's element and the matrix's elements
 * 0 to i + 1; the last row ends at the diagonal. Rows lie one behind the other without gaps, and so do matrices. Column
 * 0 of a row is thus the right-hand side, and column i + 1 its diagonal.
 *
 * From the last row up, the row that is carried removes the element right of the diagonal from the row above, after the
 * two have changed places if that element is the larger one. So each row is read once, and of two rows one goes on. The
 * result has the triangular matrix in the same places, and the factors in those of the removed elements.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "primitives.cuh"

/* What is done with the columns of two neighbouring rows, given their elements in the pivot's column. */
struct Exchange
{
  bool is_made;
  double factor;

  __device__ __forceinline__
  Exchange (double carried, double above)
  {
    is_made = fabs (above) > fabs (carried);
    const double pivot = is_made ? above : carried;
    factor = pivot != 0 ? (is_made ? carried : above) / pivot : 0;
  }

  /* The element that stays, and the one that is carried on. */
  __device__ __forceinline__ double
  stays (double carried, double above) const
  {
    return is_made ? above : carried;
  }

  __device__ __forceinline__ double
  goes_on (double carried, double above) const
  {
    return fma (-factor, is_made ? above : carried, is_made ? carried : above);
  }
};

/* ---- A thread for each matrix, a block for each matrix ------------------------------------------- */

/* The carried row lies in the result, where it may stay. */
template <uint32_t N>
__device__ __forceinline__ void
eliminate_serial (const LadderTask &task)
{
  const uint32_t m = thread_in_grid ();
  const double *rows = (const double *) task.data + (size_t) m * ladder_matrix_elements (N);
  double *result = (double *) task.result + (size_t) m * ladder_matrix_elements (N);

  if (m >= task.n / ladder_matrix_elements (N))
    return;
  for (uint32_t column = 0; column <= N; column++)
    result[ladder_row (N - 1) + column] = rows[ladder_row (N - 1) + column];
  for (uint32_t i = N - 1; i > 0; i--) {
    const double *above = rows + ladder_row (i - 1);
    double *carried = result + ladder_row (i), *next = result + ladder_row (i - 1);
    const Exchange exchange (carried[i + 1], above[i + 1]);

    for (uint32_t column = 0; column <= i; column++) {
      const double low = carried[column], high = above[column];

      carried[column] = exchange.stays (low, high);
      next[column] = exchange.goes_on (low, high);
    }
    carried[i + 1] = exchange.stays (carried[i + 1], above[i + 1]);
    next[i + 1] = exchange.factor;
  }
}

/* The carried row lies in shared memory. Each column belongs to one thread; only the pivot's is read by all. */
template <uint32_t N>
__device__ __forceinline__ void
eliminate_block (const LadderTask &task)
{
  __shared__ double carried[N + 1];
  const double *rows = (const double *) task.data + (size_t) blockIdx.x * ladder_matrix_elements (N);
  double *result = (double *) task.result + (size_t) blockIdx.x * ladder_matrix_elements (N);

  for (uint32_t column = threadIdx.x; column <= N; column += blockDim.x)
    carried[column] = rows[ladder_row (N - 1) + column];
  __syncthreads ();
  for (uint32_t i = N - 1; i > 0; i--) {
    const double *above = rows + ladder_row (i - 1);
    const Exchange exchange (carried[i + 1], above[i + 1]);

    for (uint32_t column = threadIdx.x; column <= i + 1; column += blockDim.x) {
      const double low = carried[column], high = above[column];

      result[ladder_row (i) + column] = exchange.stays (low, high);
      /* The pivot's column is read by others in this step, and by none in the next. */
      if (column <= i)
        carried[column] = exchange.goes_on (low, high);
      else
        result[ladder_row (i - 1) + column] = exchange.factor;
    }
    __syncthreads ();
  }
  if (threadIdx.x < 2)
    result[threadIdx.x] = carried[threadIdx.x];
}

/* ---- A warp for each matrix ------------------------------------------------------------------------ */

/* Columns 32 k + lane of row i. A row is read once. */
template <uint32_t WORDS>
__device__ __forceinline__ void
read_row (const double *rows, uint32_t i, uint32_t lane, double (&row)[WORDS])
{
#pragma unroll
  for (uint32_t k = 0; k < WORDS; k++) {
    const uint32_t column = k * HISTO_WARP_SIZE + lane;

    if (column <= i + 2)
      row[k] = __ldg (rows + ladder_row (i) + column);
  }
}

/* The carried row lies in registers, and the pivots are shuffled. AHEAD: so many rows are read before they are needed,
 * for no element that is read depends on a result. */
template <uint32_t N, int AHEAD>
__device__ __forceinline__ void
eliminate_warp (const LadderTask &task)
{
  constexpr uint32_t WORDS = (N + 1) / HISTO_WARP_SIZE;
  const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE, m = thread_in_grid () / HISTO_WARP_SIZE;
  const double *rows = (const double *) task.data + (size_t) m * ladder_matrix_elements (N);
  double *result = (double *) task.result + (size_t) m * ladder_matrix_elements (N);
  double carried[WORDS], above[AHEAD + 1][WORDS];

  if (m >= task.n / ladder_matrix_elements (N))
    return;
#pragma unroll
  for (uint32_t k = 0; k < WORDS; k++)
    carried[k] = __ldg (rows + ladder_row (N - 1) + k * HISTO_WARP_SIZE + lane);
#pragma unroll
  for (int a = 0; a < AHEAD; a++)
    read_row<WORDS> (rows, N - 2 - a, lane, above[a]);
  /* The register that has the pivot is known to the compiler: word is a constant in each turn. */
#pragma unroll
  for (uint32_t turn = 0; turn < WORDS; turn++) {
    const uint32_t word = WORDS - 1 - turn, first = word == 0 ? 2 : 0;

    for (uint32_t source = HISTO_WARP_SIZE; source-- > first;) {
      const uint32_t pivot = word * HISTO_WARP_SIZE + source, i = pivot - 1;

      if (i > AHEAD)
        read_row<WORDS> (rows, i - 1 - AHEAD, lane, above[AHEAD]);
      const Exchange exchange (__shfl_sync (HISTO_FULL_WARP, carried[word], source),
          __shfl_sync (HISTO_FULL_WARP, above[0][word], source));
#pragma unroll
      for (uint32_t k = 0; k <= word; k++) {
        const uint32_t column = k * HISTO_WARP_SIZE + lane;
        const double low = carried[k], high = above[0][k];

        if (column <= pivot)
          result[ladder_row (i) + column] = exchange.stays (low, high);
        carried[k] = exchange.goes_on (low, high);
      }
      if (lane == source)
        result[ladder_row (i - 1) + pivot] = exchange.factor;
#pragma unroll
      for (int a = 0; a < AHEAD; a++)
#pragma unroll
        for (uint32_t k = 0; k < WORDS; k++)
          above[a][k] = above[a + 1][k];
    }
  }
  if (lane < 2)
    result[lane] = carried[0];
}

/* As many rows as there are registers for: few where a row is long. */
#define LADDER_ELIMINATION(N) \
  LADDER_KERNEL (ladder_eliminate_serial_order##N, LADDER_SMALL_BLOCK, 1, eliminate_serial<N> (task)) \
  LADDER_KERNEL (ladder_eliminate_block_order##N, LADDER_SMALL_BLOCK, 1, eliminate_block<N> (task)) \
  LADDER_KERNEL (ladder_eliminate_warp_order##N, LADDER_SMALL_BLOCK, 1, (eliminate_warp<N, 0> (task))) \
  LADDER_KERNEL (ladder_eliminate_ahead_order##N, LADDER_SMALL_BLOCK, 1, (eliminate_warp<N, N < 100 ? 4 : 1> (task)))

LADDER_ORDERS (LADDER_ELIMINATION)
