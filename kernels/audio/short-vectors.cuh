/* Measuring signed 16-bit samples by vectors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/audio/lane-counters.cuh"

/* sum + lower half of the word * first weight + upper half of the word * second weight. The
 * halves are signed. The weights are the two lower bytes of `weights`, unsigned, or the two
 * upper bytes, signed. */
#ifdef __CUDA_ARCH__
#define DOT_PRODUCT(name, operation, byte, first) \
  __device__ __forceinline__ int \
  name (uint32_t word, uint32_t weights, int sum) \
  { \
    asm (operation " %0, %1, %2, %3;" : "=r" (sum) : "r" (word), "r" (weights), "r" (sum)); \
    return sum; \
  }
#else
#define DOT_PRODUCT(name, operation, byte, first) \
  __device__ __forceinline__ int \
  name (uint32_t word, uint32_t weights, int sum) \
  { \
    return sum + (int) (int16_t) word * (int) (byte) (weights >> 8 * first) \
        + (int) (int16_t) (word >> 16) * (int) (byte) (weights >> 8 * (first + 1)); \
  }
#endif
DOT_PRODUCT (dot_unsigned, "dp2a.lo.s32.u32", uint8_t, 0)
DOT_PRODUCT (dot_signed, "dp2a.hi.s32.s32", int8_t, 2)
#undef DOT_PRODUCT

/* What a thread measures of signed 16-bit samples. A word is two samples.
 * N_CHANNELS: channels of the thread. IN_FLIGHT: vectors that it has requested from memory. */
template <uint32_t N_CHANNELS, uint32_t IN_FLIGHT>
struct ShortVectors
{
  typedef IntegerTotals Totals;
  static const uint32_t n_channels = N_CHANNELS;
  static const uint32_t n_words = N_CHANNELS == 4 ? 2 : 4;
  static const uint32_t n_samples = 2 * n_words;        /* of a vector */
  static const uint32_t in_flight = IN_FLIGHT;
  typedef typename std::conditional<n_words == 2, uint2, uint4>::type Vector;
  typedef LaneCounters<N_CHANNELS> Counters;
  /* Calls of add() before flush(). Each adds at most 32 words of a channel to sums of 32 bits,
   * which have room for 2^7 words. */
  static const uint32_t n_before_flush = 4;

  struct Channel
  {
    long long sum;
    unsigned long long square;  /* 2^32 squares fit */
    /* Sums of the samples since the last flush(). A square is the sum of two products:
     * x * x = x * low byte + 256 * x * high byte. */
    int new_sum, new_square_low, new_square_high;
  };
  Channel channels[N_CHANNELS];
  uint32_t n_added;             /* calls of add() since the last flush() */
  /* Minima and maxima, two in a word. */
  uint32_t least[N_CHANNELS == 4 ? 2 : 1], greatest[N_CHANNELS == 4 ? 2 : 1];
  uint32_t byte_order;
  /* The value just below the bins and the one just above them, limited to 16 bits, in both halves. */
  uint32_t below, above;
  int shift;
  Counters counters;

  __device__ __forceinline__
  explicit ShortVectors (const HistoAudioLaunch &launch) : counters (launch)
  {
    const int begin = (int) launch.binning.offset;
    const long long end = begin + ((long long) launch.binning.n_bins << launch.binning.shift);

    byte_order = launch.sample.big_endian ? 0x2301 : 0x3210;
    shift = (int) launch.binning.shift;
    below = 0x10001 * (uint32_t) (uint16_t) max (begin - 1, -0x8000);
    above = 0x10001 * (uint32_t) (uint16_t) (end < 0x7fff ? max ((int) end, -0x8000) : 0x7fff);
    /* The bins' edges are multiples of their width. */
    counters.begin_at ((uint32_t) (HISTO_ROW_FIRST_BIN - (begin >> shift)));
    n_added = 0;
#pragma unroll
    for (Channel &channel : channels) {
      channel.sum = channel.square = 0;
      channel.new_sum = channel.new_square_low = channel.new_square_high = 0;
    }
#pragma unroll
    for (uint32_t &two : least)
      two = 0x7fff7fff;
#pragma unroll
    for (uint32_t &two : greatest)
      two = 0x80008000;
  }

  /* Counts the lower (0) or upper (1) half of a word. */
  __device__ __forceinline__ void
  count_half (uint32_t word, uint32_t half, uint32_t place) const
  {
    const uint32_t inside = __vmins2 (__vmaxs2 (word, below), above);

    counters.count ((uint32_t) (half == 0 ? (int) (int16_t) inside >> shift : (int) inside >> (16 + shift)), place);
  }

  /* Adds two samples of one channel to its sums. */
  __device__ __forceinline__ void
  add_to_channel (uint32_t word, uint32_t c)
  {
    Channel &channel = channels[c];
    const uint32_t bytes = __byte_perm (word, 0, 0x3120);

    channel.new_sum = dot_unsigned (word, 0x0101, channel.new_sum);
    channel.new_square_low = dot_unsigned (word, bytes, channel.new_square_low);
    channel.new_square_high = dot_signed (word, bytes, channel.new_square_high);
  }

  /* Measures two words of two neighbouring samples each, which begin at `place`. */
  __device__ __forceinline__ void
  add_words (uint32_t a, uint32_t b, uint32_t place)
  {
    if (N_CHANNELS == 1) {
      add_to_channel (a, 0);
      add_to_channel (b, 0);
    } else {
      add_to_channel (__byte_perm (a, b, 0x5410), place);
      add_to_channel (__byte_perm (a, b, 0x7632), place + 1);
    }
    count_half (a, 0, place);
    count_half (a, 1, N_CHANNELS == 1 ? 0 : place + 1);
    count_half (b, 0, place);
    count_half (b, 1, N_CHANNELS == 1 ? 0 : place + 1);
    /* The minimum of three values is one instruction on newer devices. */
    least[place / 2] = __vimin3_s16x2 (least[place / 2], a, b);
    greatest[place / 2] = __vimax3_s16x2 (greatest[place / 2], a, b);
  }

  /* Measures one word of two neighbouring samples, which begins at `place`. */
  __device__ __forceinline__ void
  add_word (uint32_t a, uint32_t place)
  {
    add_to_channel (a & 0xffff, place);
    add_to_channel (a >> 16, place + 1);
    count_half (a, 0, place);
    count_half (a, 1, place + 1);
    least[place / 2] = __vmins2 (least[place / 2], a);
    greatest[place / 2] = __vmaxs2 (greatest[place / 2], a);
  }

  /* Adds the sums of 32 bits to those of 64 bits. */
  __device__ __forceinline__ void
  flush ()
  {
#pragma unroll
    for (Channel &channel : channels) {
      channel.sum += channel.new_sum;
      channel.square += (unsigned long long) ((long long) channel.new_square_high * 256
          + channel.new_square_low);
      channel.new_sum = channel.new_square_low = channel.new_square_high = 0;
    }
    n_added = 0;
  }

  /* Measures sample i at p alone. */
  __device__ __forceinline__ void
  add_one (const uint8_t *p, uint32_t i)
  {
    const uint32_t place = i % N_CHANNELS, half = N_CHANNELS > 1 ? place % 2 : 0;
    const uint32_t word = __byte_perm (__ldg ((const uint16_t *) p + i), 0, byte_order)
        & 0xffff;
    /* The other half has the initial minimum and maximum. */
    const uint32_t keep = 0xffffu << 16 * half;
    const uint32_t placed = word << 16 * half;

    least[place / 2] = __vmins2 (least[place / 2], placed | (0x7fff7fff & ~keep));
    greatest[place / 2] = __vmaxs2 (greatest[place / 2], placed | (0x80008000 & ~keep));
    add_to_channel (word, place);
    count_half (word, 0, place);
  }

  __device__ __forceinline__ void
  load_words (const Vector &vector, uint32_t *words) const
  {
    memcpy (words, &vector, sizeof vector);
#pragma unroll
    for (uint32_t w = 0; w < n_words; w++)
      words[w] = __byte_perm (words[w], 0, byte_order);
  }

  /* Measures N vectors. Calls next (i) as soon as vectors[i] may be overwritten. */
  template <uint32_t N, typename Next>
  __device__ __forceinline__ void
  add (Vector *vectors, const Next &next, const uint8_t *, uint64_t)
  {
    const uint32_t n_at_once = N_CHANNELS == 4 && N > 1 ? 2 : 1;
    static_assert (N * n_samples / N_CHANNELS * n_before_flush <= 256, "sums overflow");

#pragma unroll
    for (uint32_t v = 0; v < N; v += n_at_once) {
      uint32_t words[n_at_once][n_words];

#pragma unroll
      for (uint32_t k = 0; k < n_at_once; k++) {
        load_words (vectors[v + k], words[k]);
        next (v + k);
      }
#pragma unroll
      for (uint32_t w = 0; w < 2; w++) {
        if constexpr (N_CHANNELS < 4)
          add_words (words[0][2 * w], words[0][2 * w + 1], 0);
        else if constexpr (n_at_once == 2)
          add_words (words[0][w], words[1][w], 2 * w);
        else
          add_word (words[0][w], 2 * w);
      }
    }
    if (++n_added == n_before_flush)
      flush ();
  }

  __device__ __forceinline__ void
  finish (Totals *totals)
  {
    flush ();
#pragma unroll
    for (uint32_t c = 0; c < N_CHANNELS; c++) {
      const uint32_t low = least[c / 2], high = greatest[c / 2];

      totals[c].sum = channels[c].sum;
      totals[c].square_low = channels[c].square;
      totals[c].square_high = 0;
      if (N_CHANNELS == 1) {
        totals[c].min = min ((int) (int16_t) low, (int) low >> 16);
        totals[c].max = max ((int) (int16_t) high, (int) high >> 16);
      } else {
        totals[c].min = c % 2 == 0 ? (int) (int16_t) low : (int) low >> 16;
        totals[c].max = c % 2 == 0 ? (int) (int16_t) high : (int) high >> 16;
      }
      if (totals[c].min > totals[c].max) {
        totals[c].min = INT64_MAX;
        totals[c].max = INT64_MIN;
      }
    }
  }
};
