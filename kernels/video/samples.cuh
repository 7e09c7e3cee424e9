/* Counting the samples of a plane one by one: any plane, and what the units of a plane with
 * a fast path leave over.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/counters.cuh"

/* The blocks that count a plane: `index` is this block's number, of `count` blocks. */
struct PlaneBlock
{
  uint32_t index;
  uint32_t count;
};

/* A thread's position in rows of n_columns periods. advance() adds the number of all
 * threads of the plane, without a division. */
struct Walk
{
  uint32_t row, column;
  uint32_t step_rows, step_columns, n_columns;

  __device__ __forceinline__
  Walk (const PlaneBlock &block, uint32_t columns)
  {
    const uint32_t first = block.index * blockDim.x + threadIdx.x;
    const uint32_t step = block.count * blockDim.x;

    n_columns = columns;
    row = first / columns;
    column = first - row * columns;
    step_rows = step / columns;
    step_columns = step - step_rows * columns;
  }

  __device__ __forceinline__ void
  advance ()
  {
    row += step_rows;
    column += step_columns;
    if (column >= n_columns) {
      column -= n_columns;
      row++;
    }
  }
};

__device__ __forceinline__ const uint8_t *
row_address (const HistoPlane &plane, uint32_t row)
{
  return (const uint8_t *) (plane.data + (int64_t) row * plane.stride);
}

/* The value of a sample. It is read byte by byte, because it may begin at any address. */
__device__ __forceinline__ uint32_t
load_sample (const uint8_t *period, const HistoSample &sample, bool big_endian)
{
  const uint8_t *p = period + sample.offset;
  uint32_t word = 0;

  for (uint32_t i = 0; i < sample.bytes; i++) {
    const uint32_t at = big_endian ? sample.bytes - 1 - i : i;

    word |= (uint32_t) __ldg (p + at) << 8 * i;
  }
  return word >> sample.shift & sample.mask;
}

/* Sample (x, y) of a component; the last one of the row for any x after it, and of the last row for any y after it. @planes:
 * of the frame */
__device__ __forceinline__ uint32_t
load_component (const HistoComponentSamples &component, const HistoPlane *planes, uint32_t x, uint32_t y)
{
  const HistoPlane &plane = planes[component.plane];
  const uint32_t column = min (x, component.width - 1), period = column / component.n_samples;
  const uint32_t place = component.samples[column - period * component.n_samples];

  return load_sample (row_address (plane, min (y, component.height - 1)) + (uint64_t) period * plane.period_bytes,
      plane.samples[place], plane.big_endian);
}

/* Counts the block's share of the periods from first_period on, in every row. All threads
 * of the block call it. */
template <typename Counters>
__device__ __forceinline__ void
count_periods (const HistoPlane &plane, const PlaneBlock &block,
    uint32_t first_period, Counters &counters)
{
  if (first_period >= plane.periods)
    return;

  Walk walk (block, plane.periods - first_period);

  for (; walk.row < plane.rows; walk.advance ()) {
    const uint32_t period = first_period + walk.column;
    const uint8_t *address = row_address (plane, walk.row)
        + (uint64_t) period * plane.period_bytes;

    for (uint32_t i = 0; i < plane.n_samples; i++) {
      const HistoSample &sample = plane.samples[i];

      if (period < sample.count)
        counters.count_at (counters.offset_of (sample.first_bin - plane.first_bin
                + load_sample (address, sample, plane.big_endian)));
    }
  }
}
