/* What a thread knows of its samples of a channel beside their bins, and how that becomes
 * one for the channel.
 *
 * Every sum is taken in an order that depends on the sample count and the grid alone,
 * so that floating-point results are the same in every run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/counters.cuh"

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
    && sizeof (FloatTotals) <= HISTO_TOTALS_OF_THREAD, "the host reserves less");

/* Adds to each lane's totals what the lane sends whose number differs in the bit `distance`. */
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

/* Lanes get the totals of those whose numbers differ in the bits from `first` down to `last`,
 * powers of two; none if the first is less. */
template <typename Totals>
__device__ __forceinline__ void
add_lanes (Totals &totals, uint32_t first, uint32_t last)
{
  for (uint32_t distance = first; distance >= last && distance > 0; distance /= 2)
    add_across (totals, totals, distance);
}

/* Which totals of its warp a lane has after reduce_lanes(). */
struct LaneTotals
{
  uint32_t n_kept;              /* lanes of a warp after which they repeat */
  uint32_t first, n;            /* of those that a lane had before */
  bool is_kept;                 /* no other lane has them */
};

/* Adds up the totals of lanes that are alike modulo `period`, of N for each lane; what is left
 * is at the begin of `totals`. Only where halves of a warp are alike; the period is 0 if it is
 * none. While a lane has several totals, each half takes over half of them: all steps together
 * cost little more than the first, since shuffles are few to the clock. */
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
  /* If there are several left, none of these steps is. */
  add_lanes (totals[0], distance, period);
  return left;
}

/* Adds up each of the block's channels. Of the threads' N totals the i-th of lane l belongs to
 * the channel (l * N + i) modulo n_channels, in each warp alike or counted on from warp to
 * warp; after `period` lanes that pattern repeats, or it is 0 if not within a warp. They
 * meet in shared memory, in the room of the counters, which must not be needed any more.
 * All threads of the block. sink (channel, totals) takes the sums. */
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

  /* As many lanes share a channel as there are to spare, while each has several to add. */
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

/* What a block hands on of a channel: word after word of its totals, each side by side with
 * those of the other blocks, of which a warp reads 32 at once. */
template <typename Totals>
__device__ __forceinline__ unsigned long long *
partials_of (const HistoAudioTask &task, uint32_t channel)
{
  return (unsigned long long *) task.partials
      + (uint64_t) channel * (sizeof (Totals) / sizeof (unsigned long long)) * task.n_blocks;
}

/* Where a block's totals go: to the host if it has a channel's all, else to the second
 * launch. */
struct TotalsSink
{
  const HistoAudioTask &task;
  uint32_t first_channel;       /* of the block */

  template <typename Totals>
  __device__ __forceinline__ void
  put (uint32_t channel, const Totals &totals) const
  {
    const uint32_t number = first_channel + channel;
    unsigned long long words[sizeof (Totals) / sizeof (unsigned long long)];
    unsigned long long *to = partials_of<Totals> (task, number) + blockIdx.x;

    if (task.n_blocks == 1) {
      totals.store ((HistoTotals *) task.buffers[blockIdx.z].totals + number);
      return;
    }
    memcpy (words, &totals, sizeof words);
#pragma unroll
    for (unsigned long long word : words) {
      *to = word;
      to += task.n_blocks;
    }
  }
};

/* Adds up what the blocks have handed on of a channel, always in the same order. All
 * threads of a warp. */
template <typename Totals>
__device__ __forceinline__ void
sum_partials (const HistoAudioTask &task, uint32_t channel)
{
  const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;
  const unsigned long long *partials = partials_of<Totals> (task, channel);
  Totals sum;

  sum.clear ();
  /* Several loads at once: each takes as long as all together. */
#pragma unroll 5
  for (uint32_t i = lane; i < task.n_blocks; i += HISTO_WARP_SIZE) {
    unsigned long long words[sizeof (Totals) / sizeof (unsigned long long)];
    const unsigned long long *from = partials + i;
    Totals one;

#pragma unroll
    for (unsigned long long &word : words) {
      word = *from;
      from += task.n_blocks;
    }
    memcpy (&one, words, sizeof words);
    sum.add (one);
  }
  add_lanes (sum, HISTO_WARP_SIZE / 2, 1);
  if (lane == 0)
    sum.store ((HistoTotals *) task.buffers[0].totals + channel);
}
