/* Measuring interleaved channels by vectors of samples, at the speed of the memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/audio/float-vectors.cuh"
#include "kernels/audio/short-vectors.cuh"

/* ---- The kernels ---------------------------------------------------------------------- */

/* What the threads of a kernel of HISTO_VECTOR_KERNELS measure. Measured on an H200: with
 * more vectors in flight a thread needs more registers than it has; with fewer the memory is
 * idle. */
template <int KERNEL>
struct VectorKernel;

#define VECTOR_KERNEL(name, ...) \
  template <> \
  struct VectorKernel<HISTO_VECTOR_KERNEL_##name> \
  { \
    typedef __VA_ARGS__ Vectors; \
  };
VECTOR_KERNEL (float_1, FloatVectors<1, 4>)
VECTOR_KERNEL (float_2, FloatVectors<2, 8>)
VECTOR_KERNEL (float_4, FloatVectors<4, 8>)
VECTOR_KERNEL (short_1, ShortVectors<1, 4>)
VECTOR_KERNEL (short_2, ShortVectors<2, 4>)
VECTOR_KERNEL (short_4, ShortVectors<4, 8>)
#undef VECTOR_KERNEL

/* HISTO_VECTOR_KERNEL() relies on the order of the names. */
template <int FIRST>
struct HasOrderedKernels
{
  static const bool value = VectorKernel<FIRST>::Vectors::n_channels == 1
      && VectorKernel<FIRST + 1>::Vectors::n_channels == 2
      && VectorKernel<FIRST + 2>::Vectors::n_channels == 4;
};
static_assert (HasOrderedKernels<HISTO_VECTOR_KERNEL_float_1>::value
    && HasOrderedKernels<HISTO_VECTOR_KERNEL_short_1>::value,
    "the kernels of a kind are not in the order of 1, 2 and 4 channels");

/* ---- A block's share ------------------------------------------------------------------ */

/* Sums the lanes' copies of each counter and gives the sums to a sink, with the index of
 * CounterLayout. A thread has one channel of each of its rows. Neighbouring threads begin with
 * different copies, so that a warp reads from different banks. */
template <uint32_t N_CHANNELS, typename Sum>
__device__ __forceinline__ void
fold_lanes (const HistoAudioLaunch &launch, uint32_t n_channels, const Sum &sums)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);
  const uint32_t n_rows = launch.binning.n_bins + HISTO_OUTSIDE_ROWS;
  const uint32_t n_copies = launch.n_copies, period = launch.lane_period;
  /* How often a channel occurs among the places of `period` lanes. */
  const uint32_t n_times = period * N_CHANNELS / n_channels;
  const uint32_t n_alike = n_copies / period;   /* copies of each of these places */
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

/* Loads the vector at p, and advances p to the thread's next vector. */
template <typename Vector>
__device__ __forceinline__ Vector
load_vector (const uint8_t *&p, uint64_t step_bytes)
{
  const Vector vector = __ldg ((const Vector *) p);

  p += step_bytes;
  return vector;
}

/* The body of the kernels: measures the block's share of the samples. */
template <typename Vectors>
__device__ __forceinline__ void
measure_by_vector (const HistoAudioLaunch &launch)
{
  typedef typename Vectors::Vector Vector;
  typedef typename Vectors::Totals Totals;
  const uint32_t N_CHANNELS = Vectors::n_channels;
  const uint32_t in_flight = Vectors::in_flight;
  static_assert (in_flight == 4 || in_flight == 8, "the rest is measured 4, 2 and 1 at a time");
  const uint32_t n_channels = gridDim.y == 1 ? launch.n_channels : 1;
  const uint32_t first_channel = blockIdx.y;
  const uint32_t n_rows = launch.binning.n_bins + HISTO_OUTSIDE_ROWS;

  /* Vector i of the buffer belongs to thread i modulo the number of all threads. */
  const HistoAudioBuffer &buffer = buffer_of_block (launch);
  const uint64_t n_all = buffer.n_samples * n_channels;
  const uint32_t n_vectors = (uint32_t) (n_all / Vectors::n_samples);
  const uint32_t first = blockIdx.x * launch.n_threads + threadIdx.x;
  const uint32_t step = launch.n_blocks * launch.n_threads;
  const bool is_active = threadIdx.x < launch.n_threads;
  const uint64_t step_bytes = (uint64_t) step * sizeof (Vector);
  const uint8_t *p = (const uint8_t *) (buffer.data
      + (int64_t) first_channel * buffer.channel_stride
      + (uint64_t) first * sizeof (Vector));
  /* Vectors of this thread. */
  uint32_t n = is_active && first < n_vectors ? (n_vectors - first - 1) / step + 1 : 0;
  /* The samples that do not fill a vector belong to the thread that would have the next
   * vector. */
  const uint32_t n_rest = is_active && (uint64_t) first + (uint64_t) n * step == n_vectors
      ? (uint32_t) (n_all % Vectors::n_samples) : 0;
  const uint8_t *rest = p;      /* the first vector that is not measured yet */
  Vector ring[in_flight];

  /* The first loads are in flight while the counters are cleared. */
#pragma unroll
  for (uint32_t i = 0; i < in_flight; i++) {
    if (i < n)
      ring[i] = load_vector<Vector> (p, step_bytes);
  }
  clear_counters (n_rows * N_CHANNELS * launch.n_copies);
  Vectors vectors (launch);
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
  /* Counters first: the threads sum the totals while the counters are written. */
  put_sums (launch, first_channel, [&] (const auto &sink) {
    fold_lanes<N_CHANNELS> (launch, n_channels, sink);
  });
  reduce_block<N_CHANNELS> (totals, launch.lane_period, n_channels,
      TotalsSink { launch, first_channel });
  sum_if_last<Totals> (launch);
}
