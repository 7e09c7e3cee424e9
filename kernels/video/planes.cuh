/* Counting the samples of planes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/counters.cuh"

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

/* Counts the periods from first_period on, sample by sample. All threads of the block. */
template <typename Counters>
__device__ __forceinline__ void
count_periods (const HistoPlane &plane, const PlaneBlock &block,
    uint32_t first_period, Counters &counters)
{
  if (first_period >= plane.periods)
    return;

  Walk walk (block, plane.periods - first_period);

  for (; walk.row < plane.rows; walk.advance ()) {
    const uint32_t period = first_period + walk.column;
    const uint8_t *address = row_address (plane, walk.row)
        + (uint64_t) period * plane.period_bytes;

    for (uint32_t i = 0; i < plane.n_samples; i++) {
      const HistoSample &sample = plane.samples[i];

      if (period < sample.count)
        counters.count_at (counters.offset_of (sample.first_bin - plane.first_bin
                + load_sample (address, sample, plane.big_endian)));
    }
  }
}

/* ---- Planes of one word per sample, by 16-byte loads ------------------------------ */

template <int WORD_BYTES, int N_WORDS>
struct Unit
{
  static const int period_bytes = WORD_BYTES * N_WORDS;
  static const int bytes = 16 % period_bytes == 0 ? 16 : 48;
  static const int n_vectors = bytes / 16;
  static const int n_periods = bytes / period_bytes;
  /* Units that a thread has on their way from memory. */
  static const uint32_t in_flight = n_vectors == 1 ? 4 : 1;
};

/* Which word of the period holds no sample (the x of RGBx), if one does; or that any
 * may, which is looked up for each. */
#define NO_GAP (-1)
#define ANY_GAPS (-2)
/* Not words but fields of 32-bit words, any of which may hold no sample. */
#define FIELDS (-3)

/* How a sample's place in a 32-bit load and in the period becomes its counter. */
template <int WORD_BYTES, int N_WORDS, int GAP>
struct Addressing
{
  static const int words_per_load = 4 / WORD_BYTES;
  uint32_t rotations[words_per_load];
  uint32_t byte_order;          /* selects the bytes of two 16-bit words */
  uint32_t mask;                /* of the value, at its place in the offset */
  uint32_t bases[N_WORDS];
  uint32_t present;             /* a bit for each word that holds a sample */

  template <typename Counters>
  __device__ __forceinline__
  Addressing (const HistoUnits &units, const Counters &counters)
  {
    mask = units.mask;
    byte_order = units.byte_order;
    present = units.present;
#pragma unroll
    for (int k = 0; k < words_per_load; k++)
      rotations[k] = units.rotations[k];
#pragma unroll
    for (int w = 0; w < N_WORDS; w++)
      bases[w] = units.bases[w] + counters.first;
  }
};

template <int N_WORDS>
struct Addressing<4, N_WORDS, FIELDS>
{
  static const int n_fields = 4;
  uint32_t rotations[n_fields];
  uint32_t masks[n_fields];
  uint32_t byte_order;
  uint32_t bases[N_WORDS * n_fields];
  uint32_t present;

  template <typename Counters>
  __device__ __forceinline__
  Addressing (const HistoUnits &units, const Counters &counters)
  {
    byte_order = units.byte_order;
    present = units.present;
#pragma unroll
    for (int f = 0; f < n_fields; f++) {
      rotations[f] = units.rotations[f];
      masks[f] = units.masks[f];
    }
#pragma unroll
    for (int i = 0; i < N_WORDS * n_fields; i++)
      bases[i] = units.bases[i] + counters.first;
  }
};

/* The samples of a 32-bit word, the w-th of its period. */
template <int N_WORDS, typename Counters>
__device__ __forceinline__ void
count_fields (uint32_t word, int w, const Addressing<4, N_WORDS, FIELDS> &addressing,
    const Counters &counters)
{
  const int n_fields = Addressing<4, N_WORDS, FIELDS>::n_fields;

#pragma unroll
  for (int f = 0; f < n_fields; f++) {
    if (addressing.present >> (w * n_fields + f) & 1)
      counters.count_at ((__funnelshift_r (word, word, addressing.rotations[f])
              & addressing.masks[f]) ^ addressing.bases[w * n_fields + f]);
  }
}

/* Whether all eight words are equal. */
__device__ __forceinline__ bool
is_run (const uint4 &v)
{
  return v.x == v.y && v.y == v.z && v.z == v.w && v.x == __byte_perm (v.x, 0, 0x1010);
}

template <int WORD_BYTES, int N_WORDS, int GAP, typename Counters>
__device__ __forceinline__ void
count_unit (const uint4 *vectors,
    const Addressing<WORD_BYTES, N_WORDS, GAP> &addressing,
    const Counters &counters)
{
  const int words_per_load = 4 / WORD_BYTES;

  if constexpr (Counters::joins_runs && WORD_BYTES == 2 && N_WORDS == 1) {
    if (is_run (vectors[0])) {
      const uint32_t load = __byte_perm (vectors[0].x, 0, addressing.byte_order);

      counters.count_at ((__funnelshift_r (load, load, addressing.rotations[0])
              & addressing.mask) ^ addressing.bases[0], 8);
      return;
    }
  }

#pragma unroll
  for (int v = 0; v < Unit<WORD_BYTES, N_WORDS>::n_vectors; v++) {
    const uint32_t loads[4] =
      { vectors[v].x, vectors[v].y, vectors[v].z, vectors[v].w };

#pragma unroll
    for (int l = 0; l < 4; l++) {
      const uint32_t load = WORD_BYTES == 1 ? loads[l]
          : __byte_perm (loads[l], 0, addressing.byte_order);

#pragma unroll
      for (int k = 0; k < words_per_load; k++) {
        const int w = ((v * 4 + l) * words_per_load + k) % N_WORDS;
        const uint32_t rotated =
            __funnelshift_r (load, load, addressing.rotations[k]);

        /* Permuted, the base of a component of few bits has some of the value's. */
        if (GAP == ANY_GAPS ? addressing.present >> w & 1 : w != GAP)
          counters.count_at (counters.permute (rotated & addressing.mask)
              ^ addressing.bases[w]);
      }
    }
  }
}

template <int N_WORDS, typename Counters>
__device__ __forceinline__ void
count_unit (const uint4 *vectors, const Addressing<4, N_WORDS, FIELDS> &addressing,
    const Counters &counters)
{
  const uint32_t loads[4] = { vectors[0].x, vectors[0].y, vectors[0].z, vectors[0].w };

#pragma unroll
  for (int l = 0; l < 4; l++)
    count_fields<N_WORDS> (__byte_perm (loads[l], 0, addressing.byte_order), l % N_WORDS,
        addressing, counters);
}

/* A thread's way over the units of a plane: every so many units, rows below each
 * other. */
struct UnitWalk
{
  const uint8_t *address;
  uint32_t column;              /* unit in the row */
  uint32_t n_left;              /* units still to be taken */
  uint32_t n_columns, step_columns;
  int64_t step_bytes, wrap_bytes;

  __device__ __forceinline__
  UnitWalk (const HistoUnits &units, const PlaneBlock &block, uint32_t unit_bytes)
  {
    const uint32_t first = block.index * blockDim.x + threadIdx.x;
    /* One too few at the most. */
    uint32_t row = __umulhi (first, units.columns_reciprocal);

    n_columns = units.columns;
    step_columns = units.step_columns;
    step_bytes = units.step_bytes;
    wrap_bytes = units.wrap_bytes;
    n_left = units.n_steps + (first < units.n_more);
    column = first - row * n_columns;
    if (column >= n_columns) {
      column -= n_columns;
      row++;
    }
    address = (const uint8_t *) (units.data + (int64_t) row * units.stride
        + (uint64_t) column * unit_bytes);
  }

  __device__ __forceinline__ void
  advance ()
  {
    address += step_bytes;
    column += step_columns;
    if (column >= n_columns) {
      column -= n_columns;
      address += wrap_bytes;
    }
  }
};

template <typename U>
struct UnitData
{
  uint4 vectors[U::n_vectors];

  __device__ __forceinline__ void
  load (UnitWalk &walk)
  {
#pragma unroll
    for (int v = 0; v < U::n_vectors; v++)
      vectors[v] = __ldg ((const uint4 *) walk.address + v);
    walk.advance ();
  }
};

/* The units of a plane, in a ring of loads. All threads of the block. */
template <int WORD_BYTES, int N_WORDS, int GAP, typename Counters>
__device__ __forceinline__ void
count_units (UnitWalk &walk,
    const Addressing<WORD_BYTES, N_WORDS, GAP> &addressing, const Counters &counters)
{
  typedef Unit<WORD_BYTES, N_WORDS> U;
  UnitData<U> ring[U::in_flight];
  const uint32_t n_loaded = min (walk.n_left, (uint32_t) U::in_flight);

  /* The first loads are on their way while the counters are made ready. */
#pragma unroll
  for (uint32_t i = 0; i < U::in_flight; i++) {
    if (i < n_loaded)
      ring[i].load (walk);
  }
  walk.n_left -= n_loaded;
  counters.clear ();
  __syncthreads ();

  /* From then on each unit that is counted makes room for the next load: loads queue
   * behind the counting in the same unit of the multiprocessor, so they must be spread
   * among it and be far ahead of it. */
  for (; walk.n_left >= U::in_flight; walk.n_left -= U::in_flight) {
#pragma unroll
    for (uint32_t i = 0; i < U::in_flight; i++) {
      const UnitData<U> unit = ring[i];

      ring[i].load (walk);
      count_unit (unit.vectors, addressing, counters);
    }
  }
#pragma unroll
  for (uint32_t i = 0; i < U::in_flight; i++) {
    const UnitData<U> unit = ring[i];

    if (i < walk.n_left)
      ring[i].load (walk);
    if (i < n_loaded)
      count_unit (unit.vectors, addressing, counters);
  }
#pragma unroll
  for (uint32_t i = 0; i < U::in_flight; i++) {
    if (i < walk.n_left)
      count_unit (ring[i].vectors, addressing, counters);
  }
}

template <int WORD_BYTES, int N_WORDS, int GAP, typename Counters>
__device__ __forceinline__ void
count_words (const HistoPlane &plane, const HistoUnits &units, const PlaneBlock &block,
    Counters &counters)
{
  typedef Unit<WORD_BYTES, N_WORDS> U;

  if (units.columns > 0) {
    const Addressing<WORD_BYTES, N_WORDS, GAP> addressing (units, counters);
    UnitWalk walk (units, block, U::bytes);

    count_units (walk, addressing, counters);
  } else {
    counters.clear ();
    __syncthreads ();
  }
  count_periods (plane, block, units.columns * U::n_periods, counters);
}

/* ---- One component of 16 bits, in packed counters ----------------------------------- */

/* Both samples of a 32-bit load find their place together: counting is bound by what the
 * integer units do for it. */
template <int N_WORDS>
__device__ __forceinline__ void
count_packed_unit (const uint4 &vector, uint32_t byte_order, uint32_t present,
    const PackedCounters &counters)
{
  const uint32_t loads[4] = { vector.x, vector.y, vector.z, vector.w };
  uint32_t pairs[4], found[8] = { 0, }, all = 0;

#pragma unroll
  for (int l = 0; l < 4; l++)
    pairs[l] = PackedCounters::permute_pair (__byte_perm (loads[l], 0, byte_order));
  if (N_WORDS == 1 && is_run (vector)) {
    if ((counters.count_lower (pairs[0], 8) & PackedCounters::high) != 0)
      counters.relieve (pairs[0]);
    return;
  }
#pragma unroll
  for (int l = 0; l < 4; l++) {
    if (N_WORDS == 1 || present >> 2 * l % N_WORDS & 1)
      found[2 * l] = counters.count_lower (pairs[l]);
    if (N_WORDS == 1 || present >> (2 * l + 1) % N_WORDS & 1)
      found[2 * l + 1] = counters.count_upper (pairs[l]);
  }
  /* Not before all are on their way. */
#pragma unroll
  for (uint32_t one : found)
    all |= one;
  if ((all & PackedCounters::high) == 0)
    return;
  /* Rare, and so no more than one piece of code. */
#pragma unroll 1
  for (int l = 0; l < 4; l++) {
    counters.relieve (pairs[0]);
    counters.relieve (pairs[0] >> 16);
    pairs[0] = pairs[1];
    pairs[1] = pairs[2];
    pairs[2] = pairs[3];
  }
}

/* As count_units(), in less code: a frame's share of a block goes through it a few times
 * only, and fetching instructions takes as long as what they do. */
template <int N_WORDS>
__device__ __forceinline__ void
count_packed (const HistoPlane &plane, const HistoUnits &units, const PlaneBlock &block,
    const PackedCounters &counters)
{
  typedef Unit<2, N_WORDS> U;
  const uint32_t in_flight = 2;
  const uint32_t byte_order = units.byte_order, present = units.present;

  if (units.columns > 0) {
    UnitWalk walk (units, block, U::bytes);
    UnitData<U> ring[in_flight];

#pragma unroll
    for (uint32_t i = 0; i < in_flight; i++) {
      if (i < walk.n_left)
        ring[i].load (walk);
    }
    counters.clear ();
    __syncthreads ();

    for (;;) {
#pragma unroll
      for (uint32_t i = 0; i < in_flight; i++) {
        const UnitData<U> unit = ring[i];

        if (i >= walk.n_left)
          break;
        if (i + in_flight < walk.n_left)
          ring[i].load (walk);
        count_packed_unit<N_WORDS> (unit.vectors[0], byte_order, present, counters);
      }
      if (walk.n_left <= in_flight)
        break;
      walk.n_left -= in_flight;
    }
  } else {
    counters.clear ();
    __syncthreads ();
  }
  count_periods (plane, block, units.columns * U::n_periods, counters);
}

/* ---- Which way a plane goes ------------------------------------------------------------ */

/* Each counts the block's share of a plane of its family, in counters that it clears before.
 * All threads of the block. */
template <typename Counters>
__device__ __forceinline__ void
count_bytes (const HistoPlane &plane, const HistoUnits &units, const PlaneBlock &block,
    Counters &counters)
{
  if (plane.n_words == 1)
    count_words<1, 1, NO_GAP> (plane, units, block, counters);
  else
    count_words<1, 2, NO_GAP> (plane, units, block, counters);
}

template <typename Counters>
__device__ __forceinline__ void
count_pixels (const HistoPlane &plane, const HistoUnits &units, const PlaneBlock &block,
    Counters &counters)
{
  if (plane.n_words == 3)
    count_words<1, 3, NO_GAP> (plane, units, block, counters);
  else if (plane.n_words == 6)
    count_words<1, 6, NO_GAP> (plane, units, block, counters);
  else if (plane.word_sample[0] == HISTO_NO_SAMPLE)
    count_words<1, 4, 0> (plane, units, block, counters);
  else if (plane.word_sample[3] == HISTO_NO_SAMPLE)
    count_words<1, 4, 3> (plane, units, block, counters);
  else
    count_words<1, 4, NO_GAP> (plane, units, block, counters);
}

template <typename Counters>
__device__ __forceinline__ void
count_shorts (const HistoPlane &plane, const HistoUnits &units, const PlaneBlock &block,
    Counters &counters)
{
  if (plane.n_words == 1)
    count_words<2, 1, NO_GAP> (plane, units, block, counters);
  else if (plane.n_words == 2)
    count_words<2, 2, ANY_GAPS> (plane, units, block, counters);
  else
    count_words<2, 4, ANY_GAPS> (plane, units, block, counters);
}

__device__ __forceinline__ void
count_packed_shorts (const HistoPlane &plane, const HistoUnits &units,
    const PlaneBlock &block, const PackedCounters &counters)
{
  if (plane.n_words == 1)
    count_packed<1> (plane, units, block, counters);
  else if (plane.n_words == 2)
    count_packed<2> (plane, units, block, counters);
  else
    count_packed<4> (plane, units, block, counters);
}

template <typename Counters>
__device__ __forceinline__ void
count_words_of_fields (const HistoPlane &plane, const HistoUnits &units,
    const PlaneBlock &block, Counters &counters)
{
  if (plane.period_bytes == 4)
    count_words<4, 1, FIELDS> (plane, units, block, counters);
  else if (plane.period_bytes == 8)
    count_words<4, 2, FIELDS> (plane, units, block, counters);
  else
    count_words<4, 4, FIELDS> (plane, units, block, counters);
}

template <typename Counters>
__device__ __forceinline__ void
count_any (const HistoPlane &plane, const PlaneBlock &block, Counters &counters)
{
  counters.clear ();
  __syncthreads ();
  count_periods (plane, block, 0, counters);
}
