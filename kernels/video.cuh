/* Counting the samples of planes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "counters.cuh"

/* Which blocks of the grid have a plane: `index` is this one of `count`. */
struct PlaneBlock
{
  uint32_t index;
  uint32_t count;
};

/* Walks rows of n_columns items in steps of all the plane's threads, without a
 * division per step. */
struct Walk
{
  uint32_t row, column;
  uint32_t step_rows, step_columns, n_columns;

  __device__ __forceinline__
  Walk (const PlaneBlock &block, uint32_t columns)
  {
    const uint32_t first = block.index * blockDim.x + threadIdx.x;
    const uint32_t step = block.count * blockDim.x;

    n_columns = columns;
    row = first / columns;
    column = first - row * columns;
    step_rows = step / columns;
    step_columns = step - step_rows * columns;
  }

  __device__ __forceinline__ void
  advance ()
  {
    row += step_rows;
    column += step_columns;
    if (column >= n_columns) {
      column -= n_columns;
      row++;
    }
  }
};

__device__ __forceinline__ const uint8_t *
row_address (const HistoPlane &plane, uint32_t row)
{
  return (const uint8_t *) (plane.data + (int64_t) row * plane.stride);
}

/* ---- Any plane ------------------------------------------------------------------- */

/* Samples may begin at any byte. */
__device__ __forceinline__ uint32_t
load_sample (const uint8_t *period, const HistoSample &sample, bool big_endian)
{
  const uint8_t *p = period + sample.offset;
  uint32_t word = 0;

  for (uint32_t i = 0; i < sample.bytes; i++) {
    const uint32_t at = big_endian ? sample.bytes - 1 - i : i;

    word |= (uint32_t) __ldg (p + at) << 8 * i;
  }
  return word >> sample.shift & sample.mask;
}

/* Counts the periods from first_period on, sample by sample. */
template <typename Counters>
__device__ __forceinline__ void
count_periods (const HistoPlane &plane, const PlaneBlock &block,
    uint32_t first_period, const Counters &counters)
{
  if (first_period >= plane.periods)
    return;
  for (Walk walk (block, plane.periods - first_period); walk.row < plane.rows;
      walk.advance ()) {
    const uint32_t period = first_period + walk.column;
    const uint8_t *address = row_address (plane, walk.row)
        + (uint64_t) period * plane.period_bytes;

    for (uint32_t i = 0; i < plane.n_samples; i++) {
      const HistoSample &sample = plane.samples[i];

      if (period < sample.count)
        counters.count (sample.first_bin - plane.first_bin
            + load_sample (address, sample, plane.big_endian));
    }
  }
}

/* ---- Planes of one word per sample, by 16-byte loads ------------------------------ */

/* A unit is what a thread takes at once: whole periods, whole 16-byte vectors. */
template <int WORD_BYTES, int N_WORDS>
struct Unit
{
  static const int period_bytes = WORD_BYTES * N_WORDS;
  static const int bytes = 16 % period_bytes == 0 ? 16 : 48;
  static const int n_vectors = bytes / 16;
  static const int n_periods = bytes / period_bytes;
  /* Vectors in flight per thread, to keep the memory busy. */
  static const int in_flight = n_vectors == 1 ? 4 : 2;
};

template <int WORD_BYTES>
__device__ __forceinline__ uint32_t
sample_of_word (uint32_t word, int k, uint32_t shift, uint32_t mask)
{
  if (WORD_BYTES == 1)
    return word >> 8 * k & 0xff;
  return (word >> 16 * k & 0xffff) >> shift & mask;
}

#define NOT_COUNTED 0xffffffffu

template <int WORD_BYTES, int N_WORDS, typename Counters>
__device__ __forceinline__ void
count_unit (const uint4 *vectors, const uint32_t *first_bins, uint32_t shift,
    uint32_t mask, bool swap_bytes, const Counters &counters)
{
  const int words_per_load = 4 / WORD_BYTES;

#pragma unroll
  for (int v = 0; v < Unit<WORD_BYTES, N_WORDS>::n_vectors; v++) {
    const uint32_t loads[4] =
      { vectors[v].x, vectors[v].y, vectors[v].z, vectors[v].w };

#pragma unroll
    for (int l = 0; l < 4; l++) {
      const uint32_t load = WORD_BYTES == 2 && swap_bytes
          ? __byte_perm (loads[l], 0, 0x2301) : loads[l];

#pragma unroll
      for (int k = 0; k < words_per_load; k++) {
        const int position = ((v * 4 + l) * words_per_load + k) % N_WORDS;
        const uint32_t sample =
            sample_of_word<WORD_BYTES> (load, k, shift, mask);

        if (N_WORDS == 1)
          counters.count (sample);
        else if (first_bins[position] != NOT_COUNTED)
          counters.count (first_bins[position] + sample);
      }
    }
  }
}

template <int WORD_BYTES, int N_WORDS, typename Counters>
__device__ __forceinline__ void
count_words (const HistoPlane &plane, const PlaneBlock &block,
    const Counters &counters)
{
  typedef Unit<WORD_BYTES, N_WORDS> U;
  /* Rows that do not begin on 16 bytes are left to the path for any plane. */
  const bool aligned = ((plane.data | (uint64_t) plane.stride) & 15) == 0;
  const uint32_t units = aligned ? plane.full_periods / U::n_periods : 0;
  const uint32_t shift = plane.samples[0].shift;
  const uint32_t mask = plane.samples[0].mask;
  uint32_t first_bins[N_WORDS];

#pragma unroll
  for (int w = 0; w < N_WORDS; w++) {
    const uint32_t i = plane.word_sample[w];

    first_bins[w] = i == HISTO_NO_SAMPLE ? NOT_COUNTED
        : plane.samples[i].first_bin - plane.first_bin;
  }

  if (units > 0) {
    Walk walk (block, units);

    while (walk.row < plane.rows) {
      uint4 vectors[U::in_flight][U::n_vectors];
      bool present[U::in_flight];

#pragma unroll
      for (int n = 0; n < U::in_flight; n++) {
        present[n] = walk.row < plane.rows;
        if (present[n]) {
          const uint4 *address = (const uint4 *) (row_address (plane, walk.row)
              + (uint64_t) walk.column * U::bytes);

#pragma unroll
          for (int v = 0; v < U::n_vectors; v++)
            vectors[n][v] = __ldg (address + v);
        }
        walk.advance ();
      }
#pragma unroll
      for (int n = 0; n < U::in_flight; n++) {
        if (present[n])
          count_unit<WORD_BYTES, N_WORDS> (vectors[n], first_bins, shift, mask,
              plane.big_endian, counters);
      }
    }
  }
  count_periods (plane, block, units * U::n_periods, counters);
}

template <typename Counters>
__device__ __forceinline__ void
count_plane (const HistoPlane &plane, const PlaneBlock &block,
    const Counters &counters)
{
  if (plane.kind == HISTO_PLANE_BYTES) {
    switch (plane.n_words) {
      case 1: count_words<1, 1> (plane, block, counters); return;
      case 2: count_words<1, 2> (plane, block, counters); return;
      case 3: count_words<1, 3> (plane, block, counters); return;
      case 4: count_words<1, 4> (plane, block, counters); return;
      case 6: count_words<1, 6> (plane, block, counters); return;
    }
  } else if (plane.kind == HISTO_PLANE_WORDS) {
    switch (plane.n_words) {
      case 1: count_words<2, 1> (plane, block, counters); return;
      case 2: count_words<2, 2> (plane, block, counters); return;
      case 4: count_words<2, 4> (plane, block, counters); return;
    }
  }
  count_periods (plane, block, 0, counters);
}
