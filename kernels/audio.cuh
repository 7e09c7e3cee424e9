/* Measuring channels of samples: sums, extrema and bins in one pass.
 *
 * Every sum is taken in an order that depends on the sample count and the grid alone,
 * so that floating-point results are the same in every run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "counters.cuh"

/* ---- Totals ------------------------------------------------------------------------ */

__device__ __forceinline__ HistoTotals
no_totals ()
{
  HistoTotals totals = {};

  totals.min = INT64_MAX;
  totals.max = INT64_MIN;
  totals.float_min = __longlong_as_double (0x7ff0000000000000ll);
  totals.float_max = __longlong_as_double ((long long) 0xfff0000000000000ull);
  return totals;
}

__device__ __forceinline__ void
add_totals (HistoTotals &to, const HistoTotals &from)
{
  to.sum += from.sum;
  to.square_low += from.square_low;
  to.square_high += from.square_high;
  to.min = from.min < to.min ? from.min : to.min;
  to.max = from.max > to.max ? from.max : to.max;
  histo_add_compensated (to.float_sum, from.float_sum[0]);
  to.float_sum[1] += from.float_sum[1];
  histo_add_compensated (to.float_square, from.float_square[0]);
  to.float_square[1] += from.float_square[1];
  to.float_min = from.float_min < to.float_min ? from.float_min : to.float_min;
  to.float_max = from.float_max > to.float_max ? from.float_max : to.float_max;
  to.underflow += from.underflow;
  to.overflow += from.overflow;
  to.nan += from.nan;
  to.inf += from.inf;
}

/* The totals of the lane `distance` lanes above. All members are 8 bytes wide. */
__device__ __forceinline__ HistoTotals
shuffle_totals_down (const HistoTotals &totals, uint32_t distance)
{
  unsigned long long words[sizeof (HistoTotals) / sizeof (unsigned long long)];
  HistoTotals result;

  memcpy (words, &totals, sizeof words);
#pragma unroll
  for (unsigned long long &word : words)
    word = __shfl_down_sync (HISTO_FULL_WARP, word, distance);
  memcpy (&result, words, sizeof words);
  return result;
}

/* Lane 0 gets the totals of its whole warp. */
__device__ __forceinline__ void
reduce_warp (HistoTotals &totals)
{
  for (uint32_t distance = HISTO_WARP_SIZE / 2; distance > 0; distance /= 2) {
    const HistoTotals other = shuffle_totals_down (totals, distance);

    add_totals (totals, other);
  }
}

/* Thread 0 gets the totals of its whole block, of a whole number of warps. */
__device__ __forceinline__ void
reduce_block (HistoTotals &totals)
{
  __shared__ HistoTotals warps[HISTO_WARP_SIZE];
  const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;
  const uint32_t warp = threadIdx.x / HISTO_WARP_SIZE;

  reduce_warp (totals);
  if (lane == 0)
    warps[warp] = totals;
  __syncthreads ();
  if (warp == 0) {
    totals = lane < blockDim.x / HISTO_WARP_SIZE ? warps[lane] : no_totals ();
    reduce_warp (totals);
  }
}

/* ---- Samples ------------------------------------------------------------------------- */

template <int BYTES>
__device__ __forceinline__ uint32_t
load_integer (const uint8_t *p, bool big_endian)
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

template <int BYTES>
__device__ __forceinline__ double
load_float (const uint8_t *p, bool big_endian)
{
  if (BYTES == 4)
    return (double) __uint_as_float (load_integer<4> (p, big_endian));

  const uint2 words = __ldg ((const uint2 *) p);
  uint32_t low = words.x, high = words.y;

  if (big_endian) {
    low = __byte_perm (words.y, 0, 0x0123);
    high = __byte_perm (words.x, 0, 0x0123);
  }
  return __longlong_as_double ((long long) ((unsigned long long) high << 32
          | low));
}

/* `bin` is the shortcut's answer, meaningless outside of the range. */
template <typename Counters>
__device__ __forceinline__ void
bin_value (const HistoBinning &binning, double value, uint32_t bin,
    const Counters &counters, HistoTotals &totals)
{
  if (value < binning.range_min)
    totals.underflow++;
  else if (value >= binning.range_max)
    totals.overflow++;
  else if (binning.kind == HISTO_BINNING_EDGES)
    counters.count_at (counters.offset_of (histo_bin_by_edges (&binning,
                (const double *) binning.edges, value)));
  else
    counters.count_at (counters.offset_of (bin));
}

template <typename Counters>
__device__ __forceinline__ void
measure_integer (const HistoAudioTask &task, uint32_t word,
    const Counters &counters, HistoTotals &totals)
{
  const uint32_t unused = 32 - task.sample.depth;
  const int64_t value = task.sample.kind == HISTO_AUDIO_SIGNED
      ? (int64_t) ((int32_t) (word << unused) >> unused)
      : (int64_t) (word << unused >> unused);
  const uint64_t square = (uint64_t) (value * value);

  totals.sum += value;
  totals.square_low += (uint32_t) square;
  totals.square_high += square >> 32;
  totals.min = value < totals.min ? value : totals.min;
  totals.max = value > totals.max ? value : totals.max;
  bin_value (task.binning, (double) value,
      (uint32_t) ((value - task.binning.offset) >> task.binning.shift),
      counters, totals);
}

template <int BYTES, typename Counters>
__device__ __forceinline__ void
measure_float (const HistoAudioTask &task, double value,
    const Counters &counters, HistoTotals &totals)
{
  const unsigned long long bits =
      (unsigned long long) __double_as_longlong (value) & ~(1ull << 63);
  const unsigned long long infinity = 0x7ff0000000000000ull;
  uint32_t bin = 0;

  if (bits > infinity) {
    totals.nan++;
    return;
  }
  if (bits == infinity) {
    totals.inf++;
  } else {
    const double square = value * value;

    histo_add_compensated (totals.float_sum, value);
    histo_add_compensated (totals.float_square, square);
    if (BYTES == 8)
      totals.float_square[1] += __fma_rn (value, value, -square);
    totals.float_min = value < totals.float_min ? value : totals.float_min;
    totals.float_max = value > totals.float_max ? value : totals.float_max;
    if (task.binning.kind == HISTO_BINNING_SCALE)
      bin = (uint32_t) (__double2ll_rd (value * task.binning.scale)
          - task.binning.offset);
  }
  bin_value (task.binning, value, bin, counters, totals);
}

template <int BYTES, bool IS_FLOAT, typename Counters>
__device__ __forceinline__ void
measure_samples (const HistoAudioTask &task, const uint8_t *data,
    const Counters &counters, HistoTotals &totals)
{
  const uint64_t step = (uint64_t) gridDim.x * blockDim.x;
  const bool big_endian = task.sample.big_endian;

  for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
      i < task.n_samples; i += step) {
    const uint8_t *p = data + (int64_t) i * task.sample_stride;

    if (IS_FLOAT)
      measure_float<BYTES> (task, load_float<BYTES == 8 ? 8 : 4> (p, big_endian),
          counters, totals);
    else
      measure_integer (task, load_integer<BYTES == 8 ? 4 : BYTES> (p, big_endian),
          counters, totals);
  }
}

template <typename Counters>
__device__ __forceinline__ void
measure_channel (const HistoAudioTask &task, const uint8_t *data,
    const Counters &counters, HistoTotals &totals)
{
  const bool is_float = task.sample.kind == HISTO_AUDIO_FLOAT;

  switch (task.sample.bytes) {
    case 1: measure_samples<1, false> (task, data, counters, totals); break;
    case 2: measure_samples<2, false> (task, data, counters, totals); break;
    case 3: measure_samples<3, false> (task, data, counters, totals); break;
    case 4:
      if (is_float)
        measure_samples<4, true> (task, data, counters, totals);
      else
        measure_samples<4, false> (task, data, counters, totals);
      break;
    case 8: measure_samples<8, true> (task, data, counters, totals); break;
  }
}
