/* Measuring interleaved channels by vectors of samples, at the speed of the memory.
 *
 * A lane of a warp keeps to its channels, and has counters of its own: those of a row (a
 * bin of one place in the vector) lie side by side, one for each lane, so that a warp
 * counts 32 samples in one pass whatever they are. What is outside of the bins has rows
 * before and after them, so that finding a row takes no decision.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/audio/counters.cuh"

/* NaN if one of the two is. */
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

/* A lane's counters, one row after the other. */
template <uint32_t N>
struct LaneCounters
{
  uint32_t row_bytes;
  uint32_t first[N];            /* shared address of the row 0, for each place */

  __device__ __forceinline__
  explicit LaneCounters (const HistoAudioTask &task)
  {
    const uint32_t place_bytes = 4 * task.n_copies;

    row_bytes = N * place_bytes;
    /* Lanes whose channels are alike have alike copies, in all warps: where the channels
     * repeat after a part of a warp only, each warp begins with the next copy. */
    const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE
        + (threadIdx.x - threadIdx.x % HISTO_WARP_SIZE) % task.lane_period;

#pragma unroll
    for (uint32_t place = 0; place < N; place++)
      first[place] = shared_base () + place * place_bytes + 4 * (lane % task.n_copies);
  }

  /* From now on the row that was `row` is called 0. */
  __device__ __forceinline__ void
  begin_at (uint32_t row)
  {
#pragma unroll
    for (uint32_t place = 0; place < N; place++)
      first[place] += row * row_bytes;
  }

  __device__ __forceinline__ void
  count (uint32_t row, uint32_t place, uint32_t n = 1) const
  {
    add_at_shared (row * row_bytes + first[place], n);
  }
};

/* ---- float32 ------------------------------------------------------------------------------ */

/* N_CHANNELS: of one thread. */
template <uint32_t N_CHANNELS, uint32_t IN_FLIGHT>
struct FloatVectors
{
  typedef FloatTotals Totals;
  typedef uint4 Vector;
  static const uint32_t n_samples = 4;       /* of a vector */
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
  /* Numbers whose lowest bits are an integer; those of the rows below and above the bins. */
  float magic, below, above;
  Counters counters;

  __device__ __forceinline__
  explicit FloatVectors (const HistoAudioTask &task) : counters (task)
  {
    byte_order = task.sample.big_endian ? 0x0123 : 0x3210;
    scale = (float) task.binning.scale;
    /* Adding this to a number below 2^22 leaves its floor in the lowest bits. */
    magic = 12582912.0f;
    below = magic + (float) (task.binning.offset - 1);
    above = magic + (float) (task.binning.offset + (int64_t) task.binning.n_bins);
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
    /* Rounded down in one step, and so exact. NaN comes out above all bins, and is taken
     * away again by who finds it. */
    count_row (max (min (__fmaf_rd (x, scale, magic), above), below), place);
  }

  /* One sample, with care: any value, whatever the sum is. */
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

  /* The i-th sample at p alone. */
  __device__ __forceinline__ void
  add_one (const uint8_t *p, uint32_t i)
  {
    const float x = load_sample (p, i);

    add_carefully (x, i % N_CHANNELS);
    count_bin (x, i % N_CHANNELS);
  }

  /* What a batch of a channel's samples comes to: its sum is exact, if the samples are no
   * further apart than is asked for. */
  struct Batch
  {
    double sum, square;
    float least, greatest;
    /* Of twice the bits, less one: without the sign, and zero is no small number. */
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

    /* Sums of so few finite samples are exact in a double if their exponents are no further
     * apart than this: then one compensated addition does for all. */
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

  /* Adds N vectors, which came from p, p + step_bytes, ..., and calls next (i) when the i-th
   * is not needed any more. */
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

  /* One channel of a batch, with care: so rare that the samples are read once more. */
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

/* ---- Signed 16-bit integers ------------------------------------------------------------------ */

/* Adds to a sum the two halves of a pair, each times one of weights' two lower bytes, or of
 * its two upper ones. */
#ifdef __CUDA_ARCH__
#define DOT_PAIR(name, operation, byte, first) \
  __device__ __forceinline__ int \
  name (uint32_t pair, uint32_t weights, int sum) \
  { \
    asm (operation " %0, %1, %2, %3;" : "=r" (sum) : "r" (pair), "r" (weights), "r" (sum)); \
    return sum; \
  }
#else
#define DOT_PAIR(name, operation, byte, first) \
  __device__ __forceinline__ int \
  name (uint32_t pair, uint32_t weights, int sum) \
  { \
    return sum + (int) (int16_t) pair * (int) (byte) (weights >> 8 * first) \
        + (int) (int16_t) (pair >> 16) * (int) (byte) (weights >> 8 * (first + 1)); \
  }
#endif
DOT_PAIR (dot_pair_unsigned, "dp2a.lo.s32.u32", uint8_t, 0)
DOT_PAIR (dot_pair_signed, "dp2a.hi.s32.s32", int8_t, 2)
#undef DOT_PAIR

/* Which bins there are. */
enum ShortBins
{
  SHORT_BINS_ANY,
  /* They take in all there is. */
  SHORT_BINS_WHOLE,
  /* And each of 32 lanes has counters of its own, 32 to a place. */
  SHORT_BINS_WHOLE_BY_32
};

/* N_CHANNELS: of one thread. */
template <uint32_t N_CHANNELS, uint32_t IN_FLIGHT, ShortBins BINS>
struct ShortVectors
{
  typedef IntegerTotals Totals;
  static const uint32_t n_channels = N_CHANNELS;
  static const uint32_t n_words = N_CHANNELS == 4 ? 2 : 4;
  static const uint32_t n_samples = 2 * n_words;
  static const uint32_t in_flight = IN_FLIGHT;
  typedef typename std::conditional<n_words == 2, uint2, uint4>::type Vector;
  typedef LaneCounters<N_CHANNELS> Counters;
  /* Of the bytes from row to row, if BY_32. */
  static const uint32_t row_log2 = BINS == SHORT_BINS_WHOLE_BY_32 ? 7 + N_CHANNELS / 2 : 0;
  /* So many times samples are added before the sums of 32 bits are emptied: each time no more
   * than 32 pairs of a channel, and 2^7 pairs fit. */
  static const uint32_t n_before_flush = 4;

  /* Of a channel. 2^32 squares fit. */
  struct Channel
  {
    long long sum;
    unsigned long long square;
    /* Of the latest samples; squares in two parts, as x * x = x * low byte + 256 x * high
     * byte. */
    int new_sum, new_square_low, new_square_high;
  };
  Channel channels[N_CHANNELS];
  uint32_t n_added;
  /* Of pairs of samples. */
  uint32_t least[N_CHANNELS == 4 ? 2 : 1], greatest[N_CHANNELS == 4 ? 2 : 1];
  uint32_t byte_order;
  /* The nearest values outside of the bins, as far as there are such, twice. */
  uint32_t below, above;
  int shift;
  /* Where a value's bits lie in its counter's address, or in its row. */
  uint32_t rotations[2], mask;
  Counters counters;

  __device__ __forceinline__
  explicit ShortVectors (const HistoAudioTask &task) : counters (task)
  {
    const int begin = (int) task.binning.offset;

    byte_order = task.sample.big_endian ? 0x2301 : 0x3210;
    shift = (int) task.binning.shift;
    if (BINS == SHORT_BINS_ANY) {
      const long long end =
          begin + ((long long) task.binning.n_bins << task.binning.shift);

      below = 0x10001 * (uint32_t) (uint16_t) max (begin - 1, -0x8000);
      above = 0x10001 * (uint32_t) (uint16_t) (end < 0x7fff ? max ((int) end, -0x8000) : 0x7fff);
      /* The bins lie on a grid of their width. */
      counters.begin_at ((uint32_t) (HISTO_ROW_FIRST_BIN - (begin >> shift)));
    } else {
      rotations[0] = (shift - row_log2) & 31;
      rotations[1] = (16 + shift - row_log2) & 31;
      mask = 0xffffu >> shift << row_log2;
      counters.begin_at (HISTO_ROW_FIRST_BIN);
    }
    n_added = 0;
#pragma unroll
    for (Channel &channel : channels) {
      channel.sum = channel.square = 0;
      channel.new_sum = channel.new_square_low = channel.new_square_high = 0;
    }
#pragma unroll
    for (uint32_t &pair : least)
      pair = 0x7fff7fff;
#pragma unroll
    for (uint32_t &pair : greatest)
      pair = 0x80008000;
  }

  /* The lower or upper half of a pair. */
  __device__ __forceinline__ void
  count_half (uint32_t pair, uint32_t half, uint32_t place) const
  {
    if constexpr (BINS == SHORT_BINS_ANY) {
      const uint32_t inside = __vmins2 (__vmaxs2 (pair, below), above);

      counters.count ((uint32_t) (half == 0 ? (int) (int16_t) inside >> shift
              : (int) inside >> (16 + shift)), place);
    } else {
      /* The least value is the first bin's: the highest bit is the other way round. */
      const uint32_t row = (__funnelshift_r (pair, pair, rotations[half]) & mask)
          ^ (0x8000u >> shift << row_log2);

      if (BINS == SHORT_BINS_WHOLE)
        counters.count (row, place);
      else
        add_at_shared (row + counters.first[place], 1);
    }
  }

  /* A pair of samples of one channel, less their bins. */
  __device__ __forceinline__ void
  add_to_channel (uint32_t pair, uint32_t c)
  {
    Channel &channel = channels[c];
    const uint32_t bytes = __byte_perm (pair, 0, 0x3120);

    channel.new_sum = dot_pair_unsigned (pair, 0x0101, channel.new_sum);
    channel.new_square_low = dot_pair_unsigned (pair, bytes, channel.new_square_low);
    channel.new_square_high = dot_pair_signed (pair, bytes, channel.new_square_high);
  }

  /* Two words of two neighbours each. */
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
    /* Three at once, where the hardware has that. */
    least[place / 2] = __vimin3_s16x2 (least[place / 2], a, b);
    greatest[place / 2] = __vimax3_s16x2 (greatest[place / 2], a, b);
  }

  /* One word of two neighbours. */
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

  /* The i-th sample at p alone. */
  __device__ __forceinline__ void
  add_one (const uint8_t *p, uint32_t i)
  {
    const uint32_t place = i % N_CHANNELS, half = N_CHANNELS > 1 ? place % 2 : 0;
    const uint32_t word = __byte_perm (__ldg ((const uint16_t *) p + i), 0, byte_order)
        & 0xffff;
    /* A pair of which the other half changes nothing. */
    const uint32_t keep = 0xffffu << 16 * half;
    const uint32_t pair = word << 16 * half;

    least[place / 2] = __vmins2 (least[place / 2], pair | (0x7fff7fff & ~keep));
    greatest[place / 2] = __vmaxs2 (greatest[place / 2], pair | (0x80008000 & ~keep));
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

  /* Adds N vectors, and calls next (i) when the i-th is not needed any more. */
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

/* ---- A block's share ---------------------------------------------------------------------------- */

/* Sums of the lanes' copies; the index is that of CounterLayout. A thread keeps to a place in
 * the row, and begins with another copy than its neighbours, so that a warp reads in different
 * banks. */
template <uint32_t N_CHANNELS, typename Sum>
__device__ __forceinline__ void
fold_lanes (const HistoAudioTask &task, uint32_t n_channels, const Sum &sums)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);
  const uint32_t n_rows = task.binning.n_bins + HISTO_OUTSIDE_ROWS;
  const uint32_t n_copies = task.n_copies, period = task.lane_period;
  /* The pattern of the lanes has a channel so many times. */
  const uint32_t n_times = period * N_CHANNELS / n_channels;
  const uint32_t n_alike = n_copies / period;   /* copies of a place in it */
  const uint32_t step = blockDim.x / n_channels;
  const uint32_t q = threadIdx.x % n_channels;
  const uint32_t first_row = threadIdx.x / n_channels;
  const uint32_t channel = n_times == 1 ? q % period * N_CHANNELS + q / period : q;
  const uint32_t begin = threadIdx.x / period % n_alike * period;

  __syncthreads ();
  if (first_row >= step)
    return;
  for (uint32_t row = first_row; row < n_rows; row += step) {
    uint32_t sum = 0;

    for (uint32_t place = channel; place < n_times * n_channels; place += n_channels) {
      const uint32_t *line = shared + (row * N_CHANNELS + place % N_CHANNELS) * n_copies
          + place / N_CHANNELS;
      uint32_t copy = begin;

#pragma unroll 8
      for (uint32_t i = 0; i < n_alike; i++) {
        sum += line[copy];
        copy = copy + period == n_copies ? 0 : copy + period;
      }
    }
    put_sum (sums, row * n_channels + q, channel, row, sum);
  }
}

template <typename Vector>
__device__ __forceinline__ Vector
load_vector (const uint8_t *&p, uint64_t step_bytes)
{
  const Vector vector = __ldg ((const Vector *) p);

  p += step_bytes;
  return vector;
}

template <typename Vectors>
__device__ __forceinline__ void
measure_by_vector (const HistoAudioTask &task)
{
  typedef typename Vectors::Vector Vector;
  typedef typename Vectors::Totals Totals;
  const uint32_t N_CHANNELS = Vectors::n_channels;
  const uint32_t in_flight = Vectors::in_flight;
  static_assert (in_flight == 4 || in_flight == 8, "the rest is taken in powers of two");
  const uint32_t n_channels = gridDim.y == 1 ? task.n_channels : 1;
  const uint32_t first_channel = blockIdx.y;
  const uint32_t n_rows = task.binning.n_bins + HISTO_OUTSIDE_ROWS;

  /* The blocks take turns. */
  const HistoAudioBuffer &buffer = buffer_of_block (task);
  const uint64_t n_all = buffer.n_samples * n_channels;
  const uint32_t n_vectors = (uint32_t) (n_all / Vectors::n_samples);
  const uint32_t first = blockIdx.x * task.n_threads + threadIdx.x;
  const uint32_t step = task.n_blocks * task.n_threads;
  const bool is_active = threadIdx.x < task.n_threads;
  const uint64_t step_bytes = (uint64_t) step * sizeof (Vector);
  const uint8_t *p = (const uint8_t *) (buffer.data
      + (int64_t) first_channel * buffer.channel_stride
      + (uint64_t) first * sizeof (Vector));
  /* Of this thread. */
  uint32_t n = is_active && first < n_vectors ? (n_vectors - first - 1) / step + 1 : 0;
  /* Who would have the next has what does not fill a vector. */
  const uint32_t n_rest = is_active && (uint64_t) first + (uint64_t) n * step == n_vectors
      ? (uint32_t) (n_all % Vectors::n_samples) : 0;
  const uint8_t *rest = p;      /* what is not yet added */
  Vector ring[in_flight];

  /* The first are on their way while the counters are made ready. */
#pragma unroll
  for (uint32_t i = 0; i < in_flight; i++) {
    if (i < n)
      ring[i] = load_vector<Vector> (p, step_bytes);
  }
  clear_counters (n_rows * N_CHANNELS * task.n_copies);
  Vectors vectors (task);
  __syncthreads ();

  while (n >= in_flight) {
    vectors.template add<in_flight> (ring, [&] (uint32_t i) {
      if (in_flight + i < n)
        ring[i] = load_vector<Vector> (p, step_bytes);
    }, rest, step_bytes);
    rest += in_flight * step_bytes;
    n -= in_flight;
  }

  const auto no_next = [] (uint32_t) {};

  if (in_flight > 4 && n & 4) {
    vectors.template add<4> (ring, no_next, rest, step_bytes);
    rest += 4 * step_bytes;
#pragma unroll
    for (uint32_t i = 0; i + 4 < in_flight; i++)
      ring[i] = ring[i + 4];
  }
  if (n & 2) {
    vectors.template add<2> (ring, no_next, rest, step_bytes);
    rest += 2 * step_bytes;
    ring[0] = ring[2];
  }
  if (n & 1)
    vectors.template add<1> (ring, no_next, rest, step_bytes);
#pragma unroll
  for (uint32_t i = 0; i < Vectors::n_samples - 1; i++) {
    if (i < n_rest)
      vectors.add_one (p, i);
  }

  Totals totals[N_CHANNELS];

  vectors.finish (totals);
  /* These before the totals: while they are on their way there is something to do. */
  put_sums (task, first_channel, [&] (const auto &sink) {
    fold_lanes<N_CHANNELS> (task, n_channels, sink);
  });
  reduce_block<N_CHANNELS> (totals, task.lane_period, n_channels,
      TotalsSink { task, first_channel });
  sum_if_last<Totals> (task);
}
