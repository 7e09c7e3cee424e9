/* What a thread knows of its samples of a channel beside their bins, and how that becomes
 * one for the channel.
 *
 * Every sum is taken in an order that depends on the sample count and the grid alone,
 * so that floating-point results are the same in every run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "counters.cuh"

#define HISTO_INFINITY __longlong_as_double (0x7ff0000000000000ll)

/* Only what the kind of sample needs, because all of it travels through every step of the
 * reduction. All members are eight bytes wide. */
struct IntegerTotals
{
  long long sum;
  unsigned long long square_low;        /* of the squares' lower halves */
  unsigned long long square_high;
  long long min, max;

  __device__ __forceinline__ void
  clear ()
  {
    sum = 0;
    square_low = square_high = 0;
    min = INT64_MAX;
    max = INT64_MIN;
  }

  __device__ __forceinline__ void
  add (const IntegerTotals &other)
  {
    sum += other.sum;
    square_low += other.square_low;
    square_high += other.square_high;
    min = other.min < min ? other.min : min;
    max = other.max > max ? other.max : max;
  }

  __device__ __forceinline__ void
  store (HistoTotals *to) const
  {
    to->sum = sum;
    to->square_low = square_low;
    to->square_high = square_high;
    to->min = min;
    to->max = max;
    to->float_sum[0] = to->float_sum[1] = 0;
    to->float_square[0] = to->float_square[1] = 0;
    to->float_min = HISTO_INFINITY;
    to->float_max = -HISTO_INFINITY;
  }

  __device__ __forceinline__ void
  load (const HistoTotals *from)
  {
    sum = from->sum;
    square_low = from->square_low;
    square_high = from->square_high;
    min = from->min;
    max = from->max;
  }
};

struct FloatTotals
{
  double sum[2];
  double square[2];
  double min, max;

  __device__ __forceinline__ void
  clear ()
  {
    sum[0] = sum[1] = square[0] = square[1] = 0;
    min = HISTO_INFINITY;
    max = -HISTO_INFINITY;
  }

  __device__ __forceinline__ void
  add (const FloatTotals &other)
  {
    histo_add_compensated (sum, other.sum[0]);
    sum[1] += other.sum[1];
    histo_add_compensated (square, other.square[0]);
    square[1] += other.square[1];
    min = other.min < min ? other.min : min;
    max = other.max > max ? other.max : max;
  }

  __device__ __forceinline__ void
  store (HistoTotals *to) const
  {
    to->sum = 0;
    to->square_low = to->square_high = 0;
    to->min = INT64_MAX;
    to->max = INT64_MIN;
    to->float_sum[0] = sum[0];
    to->float_sum[1] = sum[1];
    to->float_square[0] = square[0];
    to->float_square[1] = square[1];
    to->float_min = min;
    to->float_max = max;
  }

  __device__ __forceinline__ void
  load (const HistoTotals *from)
  {
    sum[0] = from->float_sum[0];
    sum[1] = from->float_sum[1];
    square[0] = from->float_square[0];
    square[1] = from->float_square[1];
    min = from->float_min;
    max = from->float_max;
  }
};

/* Adds to each lane the totals of the lane `distance` above; meaningful where that lane
 * exists. */
template <typename Totals>
__device__ __forceinline__ void
add_lane_above (Totals &totals, uint32_t distance)
{
  unsigned long long words[sizeof (Totals) / sizeof (unsigned long long)];
  Totals other;

  memcpy (words, &totals, sizeof words);
#pragma unroll
  for (unsigned long long &word : words)
    word = __shfl_down_sync (HISTO_FULL_WARP, word, distance);
  memcpy (&other, words, sizeof words);
  totals.add (other);
}

/* Lanes 0 .. n_channels - 1 get the totals of the lanes that are alike modulo n_channels,
 * a power of two. */
template <typename Totals>
__device__ __forceinline__ void
reduce_warp (Totals &totals, uint32_t n_channels)
{
  for (uint32_t distance = HISTO_WARP_SIZE / 2; distance >= n_channels; distance /= 2)
    add_lane_above (totals, distance);
}


/* Adds up each of the block's channels. Of the threads' totals the i-th of lane l belongs to
 * the channel (l * N + i) modulo n_channels, in each warp alike or counted on from warp to
 * warp; after `period` lanes that pattern repeats, or it is 0 if not within a warp. They
 * meet in shared memory, in the room of the counters, which must not be needed any more.
 * All threads of the block. sink (channel, totals) takes the sums. */
template <uint32_t N, typename Totals, typename Sink>
__device__ __forceinline__ void
reduce_block (Totals *totals, uint32_t n_channels, uint32_t n_lanes, uint32_t period,
    const Sink &sink)
{
  HISTO_DYNAMIC_SHARED (Totals, shared);
  const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;
  const uint32_t warp = threadIdx.x / HISTO_WARP_SIZE;
  const uint32_t n_warps = blockDim.x / HISTO_WARP_SIZE;
  uint32_t n_kept = n_lanes;

  /* Within the warps first, where halves of a warp are alike. */
  if (period > 0 && (period & (period - 1)) == 0) {
    n_kept = period;
#pragma unroll
    for (uint32_t i = 0; i < N; i++)
      reduce_warp (totals[i], period);
  }
  __syncthreads ();
  if (lane < n_kept) {
#pragma unroll
    for (uint32_t i = 0; i < N; i++)
      shared[(warp * n_kept + lane) * N + i] = totals[i];
  }
  __syncthreads ();

  for (uint32_t c = warp; c < n_channels; c += n_warps) {
    Totals sum;

    sum.clear ();
    for (uint32_t i = c + lane * n_channels; i < n_warps * n_kept * N;
        i += HISTO_WARP_SIZE * n_channels)
      sum.add (shared[i]);
    reduce_warp (sum, 1);
    if (lane == 0)
      sink.put (c, sum);
  }
}

/* Where a block's totals go: to the host if it has a channel's all, else to the second
 * launch. */
struct TotalsSink
{
  HistoTotals *to;              /* of the block's first channel */
  uint32_t step;                /* from channel to channel */

  __device__ __forceinline__
  TotalsSink (const HistoAudioTask &task, uint32_t first_channel)
  {
    step = task.n_blocks;
    to = task.n_blocks == 1
        ? (HistoTotals *) task.buffers[blockIdx.z].totals + first_channel
        : (HistoTotals *) task.partials + (uint64_t) first_channel * step + blockIdx.x;
  }

  template <typename Totals>
  __device__ __forceinline__ void
  put (uint32_t channel, const Totals &totals) const
  {
    totals.store (to + (uint64_t) channel * step);
  }
};

/* Adds up what the blocks have handed on of a channel, always in the same order. All
 * threads of a warp. */
template <typename Totals>
__device__ __forceinline__ void
sum_partials (const HistoAudioTask &task, uint32_t channel)
{
  const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;
  const HistoTotals *partials =
      (const HistoTotals *) task.partials + (uint64_t) channel * task.n_blocks;
  Totals sum;

  sum.clear ();
  /* Several loads at once: each takes as long as all together. */
#pragma unroll 5
  for (uint32_t i = lane; i < task.n_blocks; i += HISTO_WARP_SIZE) {
    Totals one;

    one.load (partials + i);
    sum.add (one);
  }
  reduce_warp (sum, 1);
  if (lane == 0)
    sum.store ((HistoTotals *) task.buffers[0].totals + channel);
}
