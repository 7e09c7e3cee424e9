/* Totals of a channel (HistoTotals without what the counters give): of one thread's samples,
 * and how the threads' totals become the channel's.
 *
 * The order of every sum depends only on the number of samples and on the grid, so that
 * floating-point results are the same in every run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/counters.cuh"

#define HISTO_INFINITY __longlong_as_double (0x7ff0000000000000ll)

/* Totals of integers, and of floats: separate classes, because every member goes through
 * every step of the reduction. All members have eight bytes.
 *
 * clear ()            no samples
 * add (other)         adds the totals of other samples of the channel
 * store (to)          writes the members of HistoTotals, except those that counters give */
struct IntegerTotals
{
  long long sum;
  unsigned long long square_low;        /* sum of the squares' lower 32 bits */
  unsigned long long square_high;       /* sum of their upper 32 bits */
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
};

static_assert (sizeof (IntegerTotals) <= HISTO_TOTALS_OF_THREAD
    && sizeof (FloatTotals) <= HISTO_TOTALS_OF_THREAD, "the host reserves too little");

/* Adds to each lane's totals those that are sent by the lane whose number differs in the bit
 * `distance`. All lanes call it. */
template <typename Totals>
__device__ __forceinline__ void
add_across (Totals &totals, const Totals &sent, uint32_t distance)
{
  unsigned long long words[sizeof (Totals) / sizeof (unsigned long long)];
  Totals other;

  memcpy (words, &sent, sizeof words);
#pragma unroll
  for (unsigned long long &word : words)
    word = __shfl_xor_sync (HISTO_FULL_WARP, word, distance);
  memcpy (&other, words, sizeof words);
  totals.add (other);
}

/* Adds up the totals of the lanes whose numbers differ in the bits `first`, first / 2, ...,
 * `last` (powers of two). Each of these lanes gets the sum. Does nothing if first < last. */
template <typename Totals>
__device__ __forceinline__ void
add_lanes (Totals &totals, uint32_t first, uint32_t last)
{
  for (uint32_t distance = first; distance >= last && distance > 0; distance /= 2)
    add_across (totals, totals, distance);
}

/* Which totals a lane has after reduce_lanes(). */
struct LaneTotals
{
  uint32_t n_kept;              /* lanes after which the channels repeat */
  uint32_t first, n;            /* it has n of its former totals, from `first` on */
  bool is_kept;                 /* false if another lane has the same totals */
};

/* Adds up the totals of the lanes whose numbers are equal modulo `period`. Each lane has N
 * totals, and those that are left are at the start of `totals`. Does nothing unless the
 * period is a power of two; the period is 0 if the channels do not repeat within a warp.
 *
 * While a lane has several totals, each half of the warp takes over half of them. So all
 * steps together cost little more than the first one: a multiprocessor does few shuffles in
 * a clock cycle. */
template <uint32_t N, typename Totals>
__device__ __forceinline__ LaneTotals
reduce_lanes (Totals *totals, uint32_t period)
{
  const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;
  LaneTotals left = { HISTO_WARP_SIZE, 0, N, true };
  uint32_t distance = HISTO_WARP_SIZE / 2;

  if (period == 0 || (period & (period - 1)) != 0)
    return left;
#pragma unroll
  for (uint32_t half = N / 2; half > 0; half /= 2) {
    if (distance < period)
      continue;

    const bool is_upper = lane & distance;

#pragma unroll
    for (uint32_t i = 0; i < half; i++) {
      const Totals sent = is_upper ? totals[i] : totals[half + i];

      if (is_upper)
        totals[i] = totals[half + i];
      add_across (totals[i], sent, distance);
    }
    left.first += is_upper ? half : 0;
    left.n = half;
    distance /= 2;
  }
  left.n_kept = period;
  left.is_kept = (lane & (2 * distance - period)) == 0;
  /* If a lane still has several totals, distance < period, and this does nothing. */
  add_lanes (totals[0], distance, period);
  return left;
}

/* Adds up the totals of each of the block's channels, and calls sink.put (channel, totals).
 *
 * Each thread has N totals. Total i of lane l belongs to channel (l * N + i) % n_channels; l
 * counts the lanes of the warp if the period divides a warp, else those of the block.
 * `period`: lanes after which the channels repeat, 0 if they do not repeat within a warp.
 *
 * The totals pass through shared memory and overwrite the counters. All threads of the block
 * call it. */
template <uint32_t N, typename Totals, typename Sink>
__device__ __forceinline__ void
reduce_block (Totals *totals, uint32_t period, uint32_t n_channels, const Sink &sink)
{
  HISTO_DYNAMIC_SHARED (Totals, shared);
  const LaneTotals lanes = reduce_lanes<N> (totals, period);
  const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;
  const uint32_t warp = threadIdx.x / HISTO_WARP_SIZE;

  __syncthreads ();
#pragma unroll
  for (uint32_t i = 0; i < N; i++) {
    if (lanes.is_kept && i < lanes.n)
      shared[(warp * lanes.n_kept + lane % lanes.n_kept) * N + lanes.first + i] = totals[i];
  }
  __syncthreads ();

  /* Lanes that would be idle share a channel, as long as each has several totals to add. */
  const uint32_t n_shared = blockDim.x / HISTO_WARP_SIZE * lanes.n_kept * N;
  uint32_t n_sharers = 1;

  while (n_sharers < HISTO_WARP_SIZE && 2 * n_sharers * n_channels <= blockDim.x
      && 4 * n_sharers * n_channels <= n_shared)
    n_sharers *= 2;

  const uint32_t sharer = threadIdx.x % n_sharers;

  for (uint32_t before = 0; before < n_channels; before += blockDim.x / n_sharers) {
    const uint32_t channel = before + threadIdx.x / n_sharers;
    Totals sum;

    sum.clear ();
    if (channel < n_channels) {
      for (uint32_t i = channel + sharer * n_channels; i < n_shared;
          i += n_sharers * n_channels)
        sum.add (shared[i]);
    }
    add_lanes (sum, n_sharers / 2, 1);
    if (channel < n_channels && sharer == 0)
      sink.put (channel, sum);
  }
}

/* Where the blocks store their totals of a channel for the sum over the blocks: word w of
 * block b is at [w * n_blocks + b], so that a warp reads the words of 32 blocks at once. */
template <typename Totals>
__device__ __forceinline__ unsigned long long *
partials_of (const HistoAudioLaunch &launch, uint32_t channel)
{
  return (unsigned long long *) launch.partials
      + (uint64_t) channel * (sizeof (Totals) / sizeof (unsigned long long)) * launch.n_blocks;
}

/* A sink of a block's totals: writes them to the host if the block has all samples of its
 * channels, else stores them for the sum over the blocks. */
struct TotalsSink
{
  const HistoAudioLaunch &launch;
  uint32_t first_channel;       /* the block's */

  template <typename Totals>
  __device__ __forceinline__ void
  put (uint32_t channel, const Totals &totals) const
  {
    const uint32_t number = first_channel + channel;
    unsigned long long words[sizeof (Totals) / sizeof (unsigned long long)];
    unsigned long long *to = partials_of<Totals> (launch, number) + blockIdx.x;

    if (launch.n_blocks == 1) {
      totals.store ((HistoTotals *) launch.buffers[blockIdx.z].totals + number);
      return;
    }
    memcpy (words, &totals, sizeof words);
#pragma unroll
    for (unsigned long long word : words) {
      *to = word;
      to += launch.n_blocks;
    }
  }
};

/* Sums the blocks' totals of a channel, always in the same order, and writes the result to
 * the host. All lanes of a warp call it. */
template <typename Totals>
__device__ __forceinline__ void
sum_partials (const HistoAudioLaunch &launch, uint32_t channel)
{
  const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;
  const unsigned long long *partials = partials_of<Totals> (launch, channel);
  Totals sum;

  sum.clear ();
  /* Several loads at once: all of them take as long as one. */
#pragma unroll 5
  for (uint32_t i = lane; i < launch.n_blocks; i += HISTO_WARP_SIZE) {
    unsigned long long words[sizeof (Totals) / sizeof (unsigned long long)];
    const unsigned long long *from = partials + i;
    Totals one;

#pragma unroll
    for (unsigned long long &word : words) {
      word = *from;
      from += launch.n_blocks;
    }
    memcpy (&one, words, sizeof words);
    sum.add (one);
  }
  add_lanes (sum, HISTO_WARP_SIZE / 2, 1);
  if (lane == 0)
    sum.store ((HistoTotals *) launch.buffers[0].totals + channel);
}
