/* Measuring float32 samples by vectors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/audio/lane-counters.cuh"

/* The lesser and the greater of two floats; NaN if one of them is NaN. */
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define MIN_MAX_OR_NAN(name, operation) \
  __device__ __forceinline__ float \
  name##_or_nan (float a, float b) \
  { \
    float result; \
    asm (#operation ".NaN.f32 %0, %1, %2;" : "=f" (result) : "f" (a), "f" (b)); \
    return result; \
  }
#else
#define MIN_MAX_OR_NAN(name, operation) \
  __device__ __forceinline__ float \
  name##_or_nan (float a, float b) \
  { \
    return a != a || b != b ? a + b : operation (a, b); \
  }
#endif
MIN_MAX_OR_NAN (min, min)
MIN_MAX_OR_NAN (max, max)
#undef MIN_MAX_OR_NAN

/* What a thread measures of float32 samples.
 * N_CHANNELS: channels of the thread. IN_FLIGHT: vectors that it has requested from memory. */
template <uint32_t N_CHANNELS, uint32_t IN_FLIGHT>
struct FloatVectors
{
  typedef FloatTotals Totals;
  typedef uint4 Vector;
  static const uint32_t n_samples = 4;  /* of a vector */
  static const uint32_t n_channels = N_CHANNELS;
  static const uint32_t in_flight = IN_FLIGHT;
  typedef LaneCounters<N_CHANNELS> Counters;

  struct Channel
  {
    double sum[2], square[2];
    float min, max;
  };
  Channel channels[N_CHANNELS];
  uint32_t byte_order;
  float scale;
  /* Floats whose lowest bits are an integer: 0, and the rows below and above the bins. */
  float magic, below, above;
  Counters counters;

  __device__ __forceinline__
  explicit FloatVectors (const HistoAudioLaunch &launch) : counters (launch)
  {
    byte_order = launch.sample.big_endian ? 0x0123 : 0x3210;
    scale = (float) launch.binning.scale;
    /* 1.5 * 2^23. Added to a number below 2^22, rounding down, it leaves the number's floor
     * in the lowest bits of the sum. */
    magic = 12582912.0f;
    below = magic + (float) (launch.binning.offset - 1);
    above = magic + (float) (launch.binning.offset + (int64_t) launch.binning.n_bins);
    counters.begin_at (0u - __float_as_uint (below));
#pragma unroll
    for (Channel &channel : channels) {
      channel.sum[0] = channel.sum[1] = channel.square[0] = channel.square[1] = 0;
      channel.min = __uint_as_float (0x7f800000);
      channel.max = __uint_as_float (0xff800000);
    }
  }

  __device__ __forceinline__ void
  count_row (float row, uint32_t place, uint32_t n = 1) const
  {
    counters.count (__float_as_uint (row), place, n);
  }

  __device__ __forceinline__ void
  count_bin (float x, uint32_t place) const
  {
    /* Product and sum are rounded down once, so the result is exact. NaN is counted above
     * the bins; add_carefully() corrects that. */
    count_row (max (min (__fmaf_rd (x, scale, magic), above), below), place);
  }

  /* Adds one sample of any value to the totals, and corrects the counters for NaN and
   * infinities. count_bin() counts the sample, before or after. */
  __device__ __forceinline__ void
  add_carefully (float x, uint32_t place)
  {
    Channel &channel = channels[place];
    const double value = (double) x;

    if (x != x) {
      count_row (above, place, 0u - 1u);
      count_row (above + 1, place);
      return;
    }
    if (fabsf (x) == __uint_as_float (0x7f800000)) {
      count_row (above + 2, place);
      return;
    }
    histo_add_compensated (channel.sum, value);
    histo_add_compensated (channel.square, value * value);
    channel.min = min (channel.min, x);
    channel.max = max (channel.max, x);
  }

  /* Measures sample i at p alone. */
  __device__ __forceinline__ void
  add_one (const uint8_t *p, uint32_t i)
  {
    const float x = load_sample (p, i);

    add_carefully (x, i % N_CHANNELS);
    count_bin (x, i % N_CHANNELS);
  }

  /* Totals of a batch of a channel's samples. The sums are exact if is_exact(). */
  struct Batch
  {
    double sum, square;
    float least, greatest;
    /* The smallest magnitude, as 2 * bits - 1: this drops the sign, and makes zero the
     * largest number rather than the smallest. */
    uint32_t smallest;

    __device__ __forceinline__
    Batch ()
    {
      sum = square = 0;
      least = __uint_as_float (0x7f800000);
      greatest = __uint_as_float (0xff800000);
      smallest = 0xffffffffu;
    }

    __device__ __forceinline__ void
    add (float x)
    {
      const double value = (double) x;

      least = min_or_nan (least, x);
      greatest = max_or_nan (greatest, x);
      smallest = min (smallest, 2 * __float_as_uint (x) - 1);
      sum += value;
      square = __fma_rn (value, value, square);
    }

    /* Whether the sums of n samples are exact in a double: the samples are finite and their
     * exponents differ by at most `range`. Then one compensated addition adds the whole
     * batch. */
    __device__ __forceinline__ bool
    is_exact (uint32_t n) const
    {
      const int range = 53 - 24 - 1 - (n > 8 ? 4 : 3);
      const uint32_t largest = 2 * __float_as_uint (max_or_nan (-least, greatest));

      return largest < 0xff000000u
          && (int) (largest >> 24) - (int) (smallest >> 24) <= range;
    }
  };

  __device__ __forceinline__ float
  load_sample (const uint8_t *p, uint32_t i) const
  {
    return __uint_as_float (__byte_perm (__ldg ((const uint32_t *) p + i), 0, byte_order));
  }

  /* Measures N vectors, loaded from p, p + step_bytes, ... Calls next (i) as soon as vectors[i]
   * may be overwritten. */
  template <uint32_t N, typename Next>
  __device__ __forceinline__ void
  add (Vector *vectors, const Next &next, const uint8_t *p, uint64_t step_bytes)
  {
    const uint32_t n_of_channel = N * n_samples / N_CHANNELS;
    static_assert (n_of_channel <= 16, "more bits are needed");
    Batch batches[N_CHANNELS];

#pragma unroll
    for (uint32_t v = 0; v < N; v++) {
      const uint32_t words[4] =
        { vectors[v].x, vectors[v].y, vectors[v].z, vectors[v].w };

      next (v);
#pragma unroll
      for (uint32_t i = 0; i < n_samples; i++) {
        const float x = __uint_as_float (__byte_perm (words[i], 0, byte_order));

        batches[i % N_CHANNELS].add (x);
        count_bin (x, i % N_CHANNELS);
      }
    }
#pragma unroll
    for (uint32_t c = 0; c < N_CHANNELS; c++) {
      const Batch &batch = batches[c];
      Channel &channel = channels[c];

      if (batch.is_exact (n_of_channel)) {
        histo_add_compensated (channel.sum, batch.sum);
        histo_add_compensated (channel.square, batch.square);
        channel.min = min (channel.min, batch.least);
        channel.max = max (channel.max, batch.greatest);
      } else {
        add_again<N> (p, step_bytes, c);
      }
    }
  }

  /* Adds one channel of a batch sample by sample. This is rare; so the samples are loaded
   * again. */
  template <uint32_t N>
  __device__ __forceinline__ void
  add_again (const uint8_t *p, uint64_t step_bytes, uint32_t c)
  {
#pragma unroll 1
    for (uint32_t v = 0; v < N; v++) {
#pragma unroll
      for (uint32_t i = 0; i < n_samples; i += N_CHANNELS)
        add_carefully (load_sample (p + v * step_bytes, i + c), c);
    }
  }

  __device__ __forceinline__ void
  finish (Totals *totals) const
  {
#pragma unroll
    for (uint32_t c = 0; c < N_CHANNELS; c++) {
      totals[c].sum[0] = channels[c].sum[0];
      totals[c].sum[1] = channels[c].sum[1];
      totals[c].square[0] = channels[c].square[0];
      totals[c].square[1] = channels[c].square[1];
      totals[c].min = (double) channels[c].min;
      totals[c].max = (double) channels[c].max;
    }
  }
};
