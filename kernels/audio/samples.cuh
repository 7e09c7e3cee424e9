/* Measuring channels sample by sample: any format, any layout, any bins.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/audio/counters.cuh"

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

/* The row of counters of a bin number, which may be below 0 or above the bins. */
__device__ __forceinline__ uint32_t
row_of_bin (long long bin, uint32_t n_bins)
{
  return bin < 0 ? HISTO_ROW_UNDERFLOW : bin >= n_bins ? HISTO_ROW_OVERFLOW (n_bins)
      : HISTO_ROW_FIRST_BIN + (uint32_t) bin;
}

__device__ __forceinline__ uint32_t
row_by_edges (const HistoBinning &binning, double value)
{
  if (value < binning.range_min)
    return HISTO_ROW_UNDERFLOW;
  if (value >= binning.range_max)
    return HISTO_ROW_OVERFLOW (binning.n_bins);
  return HISTO_ROW_FIRST_BIN + (binning.kind == HISTO_BINNING_SEARCH
      ? histo_bin_by_search ((const double *) binning.edges, binning.n_bins, value)
      : histo_bin_by_edges (&binning, (const double *) binning.edges, value));
}

/* A sample that a thread has loaded.
 *
 * load (p, big_endian)
 * measure (launch, counters, totals)   counts it and adds it to the totals */

/* An integer of one to four bytes. */
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
  measure (const HistoAudioLaunch &launch, const Counters &counters, Totals &totals) const
  {
    const uint32_t unused = 32 - launch.sample.depth;
    const long long value = launch.sample.kind == HISTO_AUDIO_SIGNED
        ? (long long) ((int32_t) (word << unused) >> unused)
        : (long long) (word << unused >> unused);
    /* Unsigned: the square of the largest 32-bit value has 64 bits. */
    const unsigned long long square =
        (unsigned long long) value * (unsigned long long) value;

    totals.sum += value;
    if (BYTES <= 2) {
      /* 2^32 squares of 16-bit values fit. */
      totals.square_low += square;
    } else {
      totals.square_low += (uint32_t) square;
      totals.square_high += square >> 32;
    }
    totals.min = value < totals.min ? value : totals.min;
    totals.max = value > totals.max ? value : totals.max;
    counters.count_at (counters.offset_of (launch.binning.kind == HISTO_BINNING_SHIFT
            ? row_of_bin ((value - launch.binning.offset) >> launch.binning.shift,
                launch.binning.n_bins)
            : row_by_edges (launch.binning, (double) value)));
  }
};

/* A float or a double. */
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
  measure (const HistoAudioLaunch &launch, const Counters &counters, Totals &totals) const
  {
    const uint32_t n_bins = launch.binning.n_bins;

    if (value != value) {
      counters.count_at (counters.offset_of (HISTO_ROW_NAN (n_bins)));
      return;
    }
    if (value == HISTO_INFINITY || value == -HISTO_INFINITY) {
      counters.count_at (counters.offset_of (HISTO_ROW_INF (n_bins)));
    } else {
      const double square = value * value;

      histo_add_compensated (totals.sum, value);
      histo_add_compensated (totals.square, square);
      /* The square of a float is exact in a double; that of a double is not, and fma gives
       * its error. */
      if (BYTES == 8)
        totals.square[1] += __fma_rn (value, value, -square);
      totals.min = value < totals.min ? value : totals.min;
      totals.max = value > totals.max ? value : totals.max;
    }
    /* The conversion saturates far outside of all bins. */
    counters.count_at (counters.offset_of (launch.binning.kind == HISTO_BINNING_SCALE
            ? row_of_bin (__double2int_rd (value * launch.binning.scale)
                - launch.binning.offset, n_bins)
            : row_by_edges (launch.binning, value)));
  }
};

/* Samples that a thread loads before it measures them. */
#define HISTO_AUDIO_IN_FLIGHT 4

/* Measures the n samples at p, p + step_bytes, ... */
template <typename Sample, typename Counters>
__device__ __forceinline__ void
measure_samples (const HistoAudioLaunch &launch, const uint8_t *p, int64_t step_bytes,
    uint64_t n, const Counters &counters, typename Sample::Totals &totals)
{
  const bool big_endian = launch.sample.big_endian;
  Sample samples[HISTO_AUDIO_IN_FLIGHT];

  for (; n >= HISTO_AUDIO_IN_FLIGHT; n -= HISTO_AUDIO_IN_FLIGHT) {
#pragma unroll
    for (int i = 0; i < HISTO_AUDIO_IN_FLIGHT; i++, p += step_bytes)
      samples[i].load (p, big_endian);
#pragma unroll
    for (int i = 0; i < HISTO_AUDIO_IN_FLIGHT; i++)
      samples[i].measure (launch, counters, totals);
  }
#pragma unroll
  for (uint32_t i = 0; i < HISTO_AUDIO_IN_FLIGHT - 1; i++, p += step_bytes) {
    if (i < n)
      samples[i].load (p, big_endian);
  }
#pragma unroll
  for (uint32_t i = 0; i < HISTO_AUDIO_IN_FLIGHT - 1; i++) {
    if (i < n)
      samples[i].measure (launch, counters, totals);
  }
}

/* ---- A launch ---------------------------------------------------------------------------- */

/* The channels of a block, and how its threads share the samples.
 * - If all counters of interleaved channels fit in a block's shared memory, each block has
 *   all channels. Each thread has one channel, and a warp reads neighbouring samples.
 * - Otherwise each block has one channel. */
struct Share
{
  uint32_t first_channel;       /* the block's channels are */
  uint32_t n_channels;          /* [first_channel, first_channel + n_channels) */
  uint32_t n_active;            /* threads that measure; a multiple of n_channels */
  uint32_t channel;             /* the thread's, counted from first_channel */

  __device__ __forceinline__
  explicit Share (const HistoAudioLaunch &launch)
  {
    n_channels = gridDim.y == 1 ? launch.n_channels : 1;
    first_channel = blockIdx.y;
    n_active = blockDim.x / n_channels * n_channels;
    channel = threadIdx.x % n_channels;
  }
};

template <typename Sample, typename Counters>
__device__ __forceinline__ void
measure_share (const HistoAudioLaunch &launch, const Share &share,
    const Counters &counters, typename Sample::Totals &totals)
{
  const HistoAudioBuffer &buffer = buffer_of_block (launch);
  /* A frame is one sample of each of the block's channels. The block measures so many frames
   * in one step; `first` is this thread's first frame. */
  const uint64_t frames = share.n_active / share.n_channels;
  const uint64_t first = blockIdx.x * frames + threadIdx.x / share.n_channels;
  const uint64_t step = gridDim.x * frames;
  const uint64_t n = first < buffer.n_samples && threadIdx.x < share.n_active
      ? (buffer.n_samples - first + step - 1) / step : 0;

  measure_samples<Sample> (launch, (const uint8_t *) (buffer.data
          + (int64_t) (share.first_channel + share.channel) * buffer.channel_stride
          + (int64_t) first * launch.sample_stride), (int64_t) step * launch.sample_stride, n,
      counters, totals);
}

/* The body of the kernel: measures the block's share of the samples. */
template <typename Sample>
__device__ __forceinline__ void
measure_by_sample (const HistoAudioLaunch &launch)
{
  typename Sample::Totals totals;
  const Share share (launch);
  const uint32_t n_rows = launch.binning.n_bins + HISTO_OUTSIDE_ROWS;
  /* Lanes after which the channels repeat, see reduce_block(). */
  const uint32_t period = HISTO_WARP_SIZE % share.n_channels == 0 ? share.n_channels : 0;

  totals.clear ();
  if (launch.copies_log2 == HISTO_NO_COPIES) {
    const GlobalCounters counters = { (uint32_t *) launch.scratch
        + (uint64_t) (share.first_channel + share.channel) * n_rows };

    measure_share<Sample> (launch, share, counters, totals);
  } else {
    const SharedCounters counters (share.n_channels * n_rows, launch.copies_log2,
        share.channel * n_rows);

    counters.clear ();
    __syncthreads ();
    measure_share<Sample> (launch, share, counters, totals);
    put_sums (launch, share.first_channel, [&] (const auto &sink) {
      fold_counters<false> (share.n_channels * n_rows, launch.copies_log2, sink);
    });
  }
  reduce_block<1> (&totals, period, share.n_channels, TotalsSink { launch, share.first_channel });
  sum_if_last<typename Sample::Totals> (launch);
}
