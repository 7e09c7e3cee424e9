/* Measuring channels of samples: sums, extrema and bins in one pass.
 *
 * Every sum is taken in an order that depends on the sample count and the grid alone,
 * so that floating-point results are the same in every run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "counters.cuh"

#define HISTO_INFINITY __longlong_as_double (0x7ff0000000000000ll)

/* ---- Totals ------------------------------------------------------------------------ */

/* What a thread knows of its samples: only what the kind of sample needs, because all of
 * it travels through every step of the reduction. All members are multiples of four
 * bytes wide, without gaps. */
struct IntegerTotals
{
  long long sum;
  unsigned long long square_low;        /* of the squares' lower halves */
  unsigned long long square_high;
  long long min, max;
  unsigned long long underflow, overflow;

  __device__ __forceinline__ void
  clear ()
  {
    sum = 0;
    square_low = square_high = underflow = overflow = 0;
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
    underflow += other.underflow;
    overflow += other.overflow;
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
    to->underflow = underflow;
    to->overflow = overflow;
    to->nan = to->inf = 0;
  }

  __device__ __forceinline__ void
  load (const HistoTotals *from)
  {
    sum = from->sum;
    square_low = from->square_low;
    square_high = from->square_high;
    min = from->min;
    max = from->max;
    underflow = from->underflow;
    overflow = from->overflow;
  }
};

struct FloatTotals
{
  double sum[2];
  double square[2];
  double min, max;
  unsigned long long underflow, overflow, nan, inf;

  __device__ __forceinline__ void
  clear ()
  {
    sum[0] = sum[1] = square[0] = square[1] = 0;
    underflow = overflow = nan = inf = 0;
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
    underflow += other.underflow;
    overflow += other.overflow;
    nan += other.nan;
    inf += other.inf;
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
    to->underflow = underflow;
    to->overflow = overflow;
    to->nan = nan;
    to->inf = inf;
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
    underflow = from->underflow;
    overflow = from->overflow;
    nan = from->nan;
    inf = from->inf;
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

/* ---- Samples ------------------------------------------------------------------------- */

template <int BYTES>
__device__ __forceinline__ uint32_t
load_word (const uint8_t *p, bool big_endian)
{
  if (BYTES == 1)
    return __ldg (p);
  if (BYTES == 2) {
    const uint32_t word = __ldg ((const uint16_t *) p);

    return big_endian ? __byte_perm (word, 0, 0x4401) : word;
  }
  if (BYTES == 3) {
    const uint32_t a = __ldg (p), b = __ldg (p + 1), c = __ldg (p + 2);

    return big_endian ? a << 16 | b << 8 | c : c << 16 | b << 8 | a;
  }
  const uint32_t word = __ldg ((const uint32_t *) p);

  return big_endian ? __byte_perm (word, 0, 0x0123) : word;
}

/* Counts a value's bin, or what is outside: `bin` is relative to the first one. */
template <typename Totals, typename Counters>
__device__ __forceinline__ void
count_bin (long long bin, uint32_t n_bins, const Counters &counters, Totals &totals)
{
  if ((unsigned long long) bin < n_bins)
    counters.count_at (counters.offset_of ((uint32_t) bin));
  else if (bin < 0)
    totals.underflow++;
  else
    totals.overflow++;
}

template <typename Totals, typename Counters>
__device__ __forceinline__ void
count_bin_by_edges (const HistoBinning &binning, double value, const Counters &counters,
    Totals &totals)
{
  if (value < binning.range_min)
    totals.underflow++;
  else if (value >= binning.range_max)
    totals.overflow++;
  else
    counters.count_at (counters.offset_of (histo_bin_by_edges (&binning,
                (const double *) binning.edges, value)));
}

/* Integers of up to four bytes. */
template <int BYTES>
struct IntegerSample
{
  typedef IntegerTotals Totals;
  uint32_t word;

  __device__ __forceinline__ void
  load (const uint8_t *p, bool big_endian)
  {
    word = load_word<BYTES> (p, big_endian);
  }

  template <typename Counters>
  __device__ __forceinline__ void
  measure (const HistoAudioTask &task, const Counters &counters, Totals &totals) const
  {
    const uint32_t unused = 32 - task.sample.depth;
    const long long value = task.sample.kind == HISTO_AUDIO_SIGNED
        ? (long long) ((int32_t) (word << unused) >> unused)
        : (long long) (word << unused >> unused);
    const unsigned long long square = (unsigned long long) (value * value);

    totals.sum += value;
    if (BYTES <= 2) {
      /* 2^32 of them fit. */
      totals.square_low += square;
    } else {
      totals.square_low += (uint32_t) square;
      totals.square_high += square >> 32;
    }
    totals.min = value < totals.min ? value : totals.min;
    totals.max = value > totals.max ? value : totals.max;
    if (task.binning.kind == HISTO_BINNING_SHIFT)
      count_bin ((value - task.binning.offset) >> task.binning.shift,
          task.binning.n_bins, counters, totals);
    else
      count_bin_by_edges (task.binning, (double) value, counters, totals);
  }
};

template <int BYTES>
struct FloatSample
{
  typedef FloatTotals Totals;
  double value;

  __device__ __forceinline__ void
  load (const uint8_t *p, bool big_endian)
  {
    if (BYTES == 4) {
      value = (double) __uint_as_float (load_word<4> (p, big_endian));
      return;
    }

    const uint2 words = __ldg ((const uint2 *) p);
    const uint32_t low =
        big_endian ? __byte_perm (words.y, 0, 0x0123) : words.x;
    const uint32_t high =
        big_endian ? __byte_perm (words.x, 0, 0x0123) : words.y;

    value = __longlong_as_double ((long long) ((unsigned long long) high << 32 | low));
  }

  template <typename Counters>
  __device__ __forceinline__ void
  measure (const HistoAudioTask &task, const Counters &counters, Totals &totals) const
  {
    if (value != value) {
      totals.nan++;
      return;
    }
    if (value == HISTO_INFINITY || value == -HISTO_INFINITY) {
      totals.inf++;
    } else {
      const double square = value * value;

      histo_add_compensated (totals.sum, value);
      histo_add_compensated (totals.square, square);
      /* The square of a float is exact in a double. */
      if (BYTES == 8)
        totals.square[1] += __fma_rn (value, value, -square);
      totals.min = value < totals.min ? value : totals.min;
      totals.max = value > totals.max ? value : totals.max;
    }
    /* The conversion saturates, far outside of what the bins can be. */
    if (task.binning.kind == HISTO_BINNING_SCALE)
      count_bin (__double2int_rd (value * task.binning.scale) - task.binning.offset,
          task.binning.n_bins, counters, totals);
    else
      count_bin_by_edges (task.binning, value, counters, totals);
  }
};

/* Samples that a thread has on their way from memory. */
#define HISTO_AUDIO_IN_FLIGHT 4

/* Measures n samples, step_bytes apart. */
template <typename Sample, typename Counters>
__device__ __forceinline__ void
measure_samples (const HistoAudioTask &task, const uint8_t *p, int64_t step_bytes,
    uint64_t n, const Counters &counters, typename Sample::Totals &totals)
{
  const bool big_endian = task.sample.big_endian;
  Sample samples[HISTO_AUDIO_IN_FLIGHT];

  for (; n >= HISTO_AUDIO_IN_FLIGHT; n -= HISTO_AUDIO_IN_FLIGHT) {
#pragma unroll
    for (int i = 0; i < HISTO_AUDIO_IN_FLIGHT; i++, p += step_bytes)
      samples[i].load (p, big_endian);
#pragma unroll
    for (int i = 0; i < HISTO_AUDIO_IN_FLIGHT; i++)
      samples[i].measure (task, counters, totals);
  }
#pragma unroll
  for (uint32_t i = 0; i < HISTO_AUDIO_IN_FLIGHT - 1; i++, p += step_bytes) {
    if (i < n)
      samples[i].load (p, big_endian);
  }
#pragma unroll
  for (uint32_t i = 0; i < HISTO_AUDIO_IN_FLIGHT - 1; i++) {
    if (i < n)
      samples[i].measure (task, counters, totals);
  }
}

/* ---- A launch ---------------------------------------------------------------------------- */

/* Which channels a block has and how its threads share their samples. Interleaved
 * channels that all fit are measured by the same blocks: each thread keeps to one
 * channel, and a warp reads neighbouring samples. Others have blocks of their own. */
struct Share
{
  uint32_t first_channel;       /* of the block */
  uint32_t n_channels;          /* of the block */
  uint32_t n_active;            /* threads; a multiple of n_channels */
  uint32_t channel;             /* of the thread, from first_channel on */

  __device__ __forceinline__
  explicit Share (const HistoAudioTask &task)
  {
    n_channels = gridDim.y == 1 ? task.n_channels : 1;
    first_channel = blockIdx.y;
    n_active = blockDim.x / n_channels * n_channels;
    channel = threadIdx.x % n_channels;
  }
};

template <typename Sample, typename Counters>
__device__ __forceinline__ void
measure_share (const HistoAudioTask &task, const Share &share,
    const Counters &counters, typename Sample::Totals &totals)
{
  /* Frames, of one sample of each of the block's channels, that the block takes at a
   * time; and this thread's first. */
  const uint64_t frames = share.n_active / share.n_channels;
  const uint64_t first = blockIdx.x * frames + threadIdx.x / share.n_channels;
  const uint64_t step = gridDim.x * frames;
  const uint64_t n = first < task.n_samples && threadIdx.x < share.n_active
      ? (task.n_samples - first + step - 1) / step : 0;

  measure_samples<Sample> (task, (const uint8_t *) (task.data
          + (int64_t) (share.first_channel + share.channel) * task.channel_stride
          + (int64_t) first * task.sample_stride), (int64_t) step * task.sample_stride, n,
      counters, totals);
}

/* Hands a channel's totals on: to the host if this block has all of them, else to the
 * block that will be the last. */
template <typename Totals>
__device__ __forceinline__ void
hand_on (const HistoAudioTask &task, uint32_t channel, const Totals &totals)
{
  if (gridDim.x == 1)
    totals.store ((HistoTotals *) task.totals + channel);
  else
    totals.store ((HistoTotals *) task.partials + (uint64_t) channel * gridDim.x
        + blockIdx.x);
}

/* Adds up each of the block's channels. The threads' totals meet in shared memory, in the
 * room of the counters, which are not needed any more. All threads of the block. */
template <typename Totals>
__device__ __forceinline__ void
reduce_block (const HistoAudioTask &task, const Share &share, Totals &totals)
{
  HISTO_DYNAMIC_SHARED (Totals, shared);
  const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;
  const uint32_t warp = threadIdx.x / HISTO_WARP_SIZE;
  const uint32_t n_warps = blockDim.x / HISTO_WARP_SIZE;
  uint32_t n_members = blockDim.x;

  /* Within the warps first, where the channels' pattern is the same in each. */
  if ((share.n_channels & (share.n_channels - 1)) == 0
      && share.n_channels <= HISTO_WARP_SIZE) {
    reduce_warp (totals, share.n_channels);
    n_members = n_warps * share.n_channels;
    __syncthreads ();
    if (lane < share.n_channels)
      shared[warp * share.n_channels + lane] = totals;
  } else {
    __syncthreads ();
    shared[threadIdx.x] = totals;
    n_members = share.n_active;
  }
  __syncthreads ();

  for (uint32_t c = warp; c < share.n_channels; c += n_warps) {
    Totals sum;

    sum.clear ();
    for (uint32_t i = c + lane * share.n_channels; i < n_members;
        i += HISTO_WARP_SIZE * share.n_channels)
      sum.add (shared[i]);
    reduce_warp (sum, 1);
    if (lane == 0)
      hand_on (task, share.first_channel + c, sum);
  }
}

/* The last block adds up what all have handed on, always in the same order. */
template <typename Totals>
__device__ __forceinline__ void
reduce_grid (const HistoAudioTask &task, const Share &share)
{
  const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;
  const uint32_t n_warps = blockDim.x / HISTO_WARP_SIZE;

  for (uint32_t c = threadIdx.x / HISTO_WARP_SIZE; c < share.n_channels; c += n_warps) {
    const uint32_t channel = share.first_channel + c;
    const HistoTotals *partials =
        (const HistoTotals *) task.partials + (uint64_t) channel * gridDim.x;
    Totals sum;

    sum.clear ();
    for (uint32_t i = lane; i < gridDim.x; i += HISTO_WARP_SIZE) {
      Totals one;

      one.load (partials + i);
      sum.add (one);
    }
    reduce_warp (sum, 1);
    if (lane == 0)
      sum.store ((HistoTotals *) task.totals + channel);
  }
}

/* The block's share of a launch, from its samples to the host. */
template <typename Sample>
__device__ __forceinline__ void
measure_audio (const HistoAudioTask &task)
{
  typedef typename Sample::Totals Totals;
  const Share share (task);
  const uint32_t n_bins = share.n_channels * task.binning.n_bins;
  const uint64_t first_bin = (uint64_t) share.first_channel * task.binning.n_bins;
  uint32_t *scratch = (uint32_t *) task.scratch;
  uint32_t *sums = scratch + first_bin;
  uint32_t *ticket = scratch + (uint64_t) task.n_channels * task.binning.n_bins
      + share.first_channel;
  uint32_t *result = (uint32_t *) task.result + first_bin;
  Totals totals;

  totals.clear ();
  if (task.copies_log2 == HISTO_NO_COPIES) {
    const GlobalCounters counters =
      { sums + (uint64_t) share.channel * task.binning.n_bins };

    measure_share<Sample> (task, share, counters, totals);
  } else {
    const SharedCounters counters (task.copies_log2,
        share.channel * task.binning.n_bins);

    clear_counters (n_bins, task.copies_log2);
    __syncthreads ();
    measure_share<Sample> (task, share, counters, totals);
    if (gridDim.x == 1)
      fold_counters (n_bins, task.copies_log2, StoreSum { result });
    else
      fold_counters (n_bins, task.copies_log2, AddSum { sums });
  }
  reduce_block (task, share, totals);

  /* A block that is alone has nothing to wait for; but its counters may be in global
   * memory. */
  if (gridDim.x == 1 && task.copies_log2 != HISTO_NO_COPIES)
    return;
  if (!is_last_block (ticket, gridDim.x))
    return;
  publish_counters (sums, n_bins, result);
  if (gridDim.x > 1)
    reduce_grid<Totals> (task, share);
}

static_assert (sizeof (IntegerTotals) <= HISTO_TOTALS_OF_THREAD
    && sizeof (FloatTotals) <= HISTO_TOTALS_OF_THREAD, "totals need more room");
