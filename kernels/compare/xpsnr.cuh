/* What XPSNR needs to know of the blocks of two pictures (kernels/xpsnr.h): a block of threads has one of them.
 *
 * The threads are 32 columns of a band of rows each. A column of samples, or of cells of 2 x 2 samples, is walked down, so
 * that each row is loaded once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/compare-launch.h"
#include "kernels/strip/regions.cuh"

#define HISTO_XPSNR_BANDS (HISTO_XPSNR_THREADS / HISTO_WARP_SIZE)

/* Samples of a component of one picture. Those outside are the nearest ones inside. */
template <uint32_t BYTES>
struct XpsnrSamples
{
  const HistoXpsnrLaunch &launch;
  uint32_t picture;             /* how its words are read */
  uint64_t data;
  int64_t stride;
  uint32_t period, width, height;

  __device__ __forceinline__
  XpsnrSamples (const HistoXpsnrLaunch &all, uint32_t p, uint32_t c)
    : launch (all), picture (p), data (all.data[p][c]), stride (all.stride[p][c]), period (all.period[c]),
      width (all.width[c]), height (all.height[c])
  {
  }

  __device__ __forceinline__ const uint8_t *
  row (int32_t y) const
  {
    return (const uint8_t *) (data + (int64_t) max (0, min (y, (int32_t) height - 1)) * stride);
  }

  __device__ __forceinline__ int32_t
  load (const uint8_t *of_row, int32_t x) const
  {
    const uint8_t *at = of_row + (uint64_t) max (0, min (x, (int32_t) width - 1)) * period;

    if constexpr (BYTES == 1) {
      return __ldg (at);
    } else {
      /* The reference of the test, which is the CPU engine, reads words at even addresses alone. */
      const uint32_t word = launch.is_aligned ? __ldg ((const uint16_t *) at) : __ldg (at) | (uint32_t) __ldg (at + 1) << 8; /* COVERAGE: as said above */

      return (int32_t) (__byte_perm (word, 0, launch.selector[picture]) >> launch.shift[picture] & launch.mask[picture]);
    }
  }

  /* A sample, or the sum of a cell. */
  template <uint32_t STEP>
  __device__ __forceinline__ int32_t
  sum (int32_t x, int32_t y) const
  {
    int32_t sum = 0;

#pragma unroll
    for (uint32_t i = 0; i < STEP; i++)
#pragma unroll
      for (uint32_t k = 0; k < STEP; k++)
        sum += load (row (y + (int32_t) i), x + (int32_t) k);
    return sum;
  }
};

/* A row of samples around a column of samples or of cells: the column itself, its neighbours at both sides, and theirs. */
template <uint32_t STEP>
struct XpsnrRow
{
  int32_t inner, next, outer;

  template <uint32_t BYTES>
  __device__ __forceinline__ static XpsnrRow
  load (const XpsnrSamples<BYTES> &samples, int32_t x, int32_t y)
  {
    const uint8_t *row = samples.row (y);

    if constexpr (STEP == 1)
      return { samples.load (row, x), samples.load (row, x - 1) + samples.load (row, x + 1), 0 };
    else
      return { samples.load (row, x) + samples.load (row, x + 1), samples.load (row, x - 1) + samples.load (row, x + 2),
        samples.load (row, x - 2) + samples.load (row, x + 3) };
  }
};

/* The high-pass of a sample or a cell, of the rows around it. */
__device__ __forceinline__ int32_t
xpsnr_detail (const XpsnrRow<1> rows[3])
{
  return histo_xpsnr_detail (rows[1].inner, rows[0].inner + rows[2].inner + rows[1].next, rows[0].next + rows[2].next);
}

__device__ __forceinline__ int32_t
xpsnr_detail (const XpsnrRow<2> r[6])
{
  return histo_xpsnr_detail_of_cell (r[2].inner + r[3].inner, r[1].inner + r[4].inner + r[2].next + r[3].next,
      r[1].next + r[4].next,
      r[0].inner + r[5].inner + r[0].next + r[5].next + r[1].outer + r[2].outer + r[3].outer + r[4].outer);
}

/* Adds the detail and the change of a thread's samples or cells. */
template <uint32_t BYTES, uint32_t STEP>
__device__ __forceinline__ void
xpsnr_add_activity (const HistoXpsnrLaunch &launch, Sum &detail, Sum &change)
{
  constexpr int32_t step = STEP, n_rows = 3 * STEP;
  const XpsnrSamples<BYTES> frame (launch, 1, launch.leading);
  XpsnrSamples<BYTES> before = frame, before_that = frame;
  const int32_t side = (int32_t) launch.grid.side, width = (int32_t) frame.width, height = (int32_t) frame.height;
  const int32_t left = (int32_t) blockIdx.x * side, top = (int32_t) blockIdx.y * side;
  const int32_t right = min (left + side, width), bottom = min (top + side, height);
  /* Rows of a band: whole cells. */
  const int32_t rows = (bottom - top + step * HISTO_XPSNR_BANDS - 1) / (step * HISTO_XPSNR_BANDS) * step;
  const int32_t first = top + (int32_t) (threadIdx.x / HISTO_WARP_SIZE) * rows, end = min (first + rows, bottom);

  before.data = launch.before[0];
  before.stride = launch.before_stride[0];
  before_that.data = launch.before[1];
  before_that.stride = launch.before_stride[1];
  for (int32_t x = left + step * (int32_t) (threadIdx.x % HISTO_WARP_SIZE); x < right; x += step * HISTO_WARP_SIZE) {
    XpsnrRow<STEP> around[n_rows];

    if (first >= end)
      break;
#pragma unroll
    for (int32_t i = step; i < n_rows; i++)
      around[i] = XpsnrRow<STEP>::load (frame, x, first - 2 * step + i);
    for (int32_t y = first; y < end; y += step) {
      int32_t now, of_change;

#pragma unroll
      for (int32_t i = 0; i < n_rows; i++)
        around[i] = i < n_rows - step ? around[i + step] : XpsnrRow<STEP>::load (frame, x, y - step + i);
      if (x >= step && x + step < width && y >= step && y + step < height)
        detail += (uint32_t) abs (xpsnr_detail (around));
      now = around[step].inner + (STEP == 1 ? 0 : around[2 * step - 1].inner);
      of_change = before.data == 0 ? 0 : before.template sum<STEP> (x, y);
      if (launch.is_second)
        of_change = histo_xpsnr_second_change (now, of_change,
            before_that.data == 0 ? 0 : before_that.template sum<STEP> (x, y));
      else
        of_change = histo_xpsnr_change (now, of_change);
      change += (uint32_t) abs (of_change);
    }
  }
}

/* The squared errors of a thread's samples of component c. */
template <uint32_t BYTES>
__device__ __forceinline__ Sum
xpsnr_errors (const HistoXpsnrLaunch &launch, uint32_t c)
{
  const XpsnrSamples<BYTES> a (launch, 0, c), b (launch, 1, c);
  const uint32_t left = blockIdx.x * launch.side_x[c], top = blockIdx.y * launch.side_y[c];
  const uint32_t right = blockIdx.x + 1 == launch.grid.columns ? a.width : left + launch.side_x[c];
  const uint32_t bottom = blockIdx.y + 1 == launch.grid.rows ? a.height : top + launch.side_y[c];
  const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;
  Sum errors = 0;

#pragma unroll 2
  for (uint32_t y = top + threadIdx.x / HISTO_WARP_SIZE; y < bottom; y += HISTO_XPSNR_BANDS) {
    const uint8_t *row_a = a.row ((int32_t) y), *row_b = b.row ((int32_t) y);
    uint32_t x = left + lane;

    if (BYTES == 1 && launch.has_words[c]) {
      /* Four samples at once. */
      uint32_t of_row = 0, end = left + (right - left) / 4 * 4;

      for (uint32_t k = left + 4 * lane; k < end; k += 4 * HISTO_WARP_SIZE) {
        const uint32_t sizes = __vabsdiffu4 (__ldg ((const uint32_t *) (row_a + k)), __ldg ((const uint32_t *) (row_b + k)));

        of_row = __dp4a (sizes, sizes, of_row);
      }
      errors += of_row;
      x = end + lane;
    }
#pragma unroll 4
    for (; x < right; x += HISTO_WARP_SIZE) {
      const int64_t error = a.load (row_a, (int32_t) x) - b.load (row_b, (int32_t) x);

      errors += (Sum) (error * error);
    }
  }
  return errors;
}

/* The kernel's body. */
template <uint32_t BYTES>
__device__ __forceinline__ void
count_xpsnr_block (const HistoXpsnrLaunch &launch)
{
  constexpr uint32_t n = sizeof (HistoXpsnrBlock) / sizeof (Sum);
  __shared__ Sum parts[HISTO_XPSNR_BANDS][n];
  Sum sums[n] = { };

  if (launch.grid.side > 0) {
    if (launch.grid.step == 1)
      xpsnr_add_activity<BYTES, 1> (launch, sums[0], sums[1]);
    else
      xpsnr_add_activity<BYTES, 2> (launch, sums[0], sums[1]);
  }
#pragma unroll
  for (uint32_t c = 0; c < HISTO_XPSNR_COMPONENTS; c++)
    if (c < launch.n_components)
      sums[2 + c] = xpsnr_errors<BYTES> (launch, c);
#pragma unroll
  for (uint32_t i = 0; i < n; i++) {
    const Sum sum = sum_of_warp (sums[i]);

    if (is_first_lane ())
      parts[threadIdx.x / HISTO_WARP_SIZE][i] = sum;
  }
  __syncthreads ();
  if (threadIdx.x >= n)
    return;

  Sum sum = 0;

  for (uint32_t band = 0; band < HISTO_XPSNR_BANDS; band++)
    sum += parts[band][threadIdx.x];
  ((Sum *) launch.result)[n * (blockIdx.y * launch.grid.columns + blockIdx.x) + threadIdx.x] = sum;
}
