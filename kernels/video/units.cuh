/* Counting the planes of a family by units: whole periods, loaded as 16-byte vectors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/video/samples.cuh"

/* A unit: periods of N_WORDS words, in BYTES bytes. */
template <int WORD_BYTES, int N_WORDS, int BYTES>
struct Unit
{
  static constexpr int word_bytes = WORD_BYTES;
  static constexpr int n_words = N_WORDS;
  static constexpr int period_bytes = WORD_BYTES * N_WORDS;
  static constexpr int bytes = BYTES;
  static constexpr int n_vectors = BYTES / 16;
  static constexpr int n_periods = BYTES / period_bytes;
  static constexpr int words_per_load = 4 / WORD_BYTES;
  /* Units that a thread has requested from memory and not yet counted. */
  static constexpr uint32_t in_flight = n_vectors == 1 ? 4 : 1;

  static_assert (BYTES % 16 == 0 && BYTES % period_bytes == 0,
      "a unit is whole vectors and whole periods");
};

template <uint32_t ROW>
using UnitOfRow = Unit<histo_families[ROW].word_bytes, histo_families[ROW].n_words,
    histo_families[ROW].unit_bytes>;

/* A row of HISTO_PLANE_FAMILIES as constants. */
template <uint32_t ROW>
struct Family : UnitOfRow<ROW>
{
  typedef UnitOfRow<ROW> U;
  static constexpr int gap = histo_families[ROW].gap;
};

/* ---- Where a sample's counter is ---------------------------------------------------- */

/* How a word's place in a 32-bit load and in the period leads to its counter: a copy of
 * HistoUnits' fields in registers. */
template <typename F, bool HAS_FIELDS = F::word_bytes == 4>
struct Addressing
{
  uint32_t rotations[F::words_per_load];
  uint32_t byte_order;
  uint32_t mask;
  uint32_t bases[F::n_words];   /* with the lane's copy */
  uint32_t present;

  template <typename Counters>
  __device__ __forceinline__
  Addressing (const HistoUnits &units, const Counters &counters)
  {
    mask = units.mask;
    byte_order = units.byte_order;
    present = units.present;
#pragma unroll
    for (int k = 0; k < F::words_per_load; k++)
      rotations[k] = units.rotations[k];
#pragma unroll
    for (int w = 0; w < F::n_words; w++)
      bases[w] = units.bases[w] + counters.first;
  }
};

/* Addresses of fields of 32-bit words. */
template <typename F>
struct Addressing<F, true>
{
  static const int n_fields = HISTO_MAX_FIELDS;
  uint32_t rotations[n_fields];
  uint32_t masks[n_fields];
  uint32_t byte_order;
  uint32_t bases[F::n_words * n_fields];
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
    for (int i = 0; i < F::n_words * n_fields; i++)
      bases[i] = units.bases[i] + counters.first;
  }
};

/* ---- Counting a unit ---------------------------------------------------------------- */

/* Whether all eight 16-bit words are equal. */
__device__ __forceinline__ bool
is_run (const uint4 &v)
{
  return v.x == v.y && v.y == v.z && v.z == v.w && v.x == __byte_perm (v.x, 0, 0x1010);
}

/* Counts a unit of bytes or 16-bit words. */
template <typename F, typename Counters>
__device__ __forceinline__ void
count_unit (const uint4 *vectors, const Addressing<F, false> &addressing,
    const Counters &counters)
{
  if constexpr (Counters::joins_runs && F::word_bytes == 2 && F::n_words == 1) {
    if (is_run (vectors[0])) {
      const uint32_t load = __byte_perm (vectors[0].x, 0, addressing.byte_order);

      counters.count_at ((__funnelshift_r (load, load, addressing.rotations[0])
              & addressing.mask) ^ addressing.bases[0], 8);
      return;
    }
  }

#pragma unroll
  for (int v = 0; v < F::n_vectors; v++) {
    const uint32_t loads[4] =
      { vectors[v].x, vectors[v].y, vectors[v].z, vectors[v].w };

#pragma unroll
    for (int l = 0; l < 4; l++) {
      const uint32_t load = F::word_bytes == 1 ? loads[l]
          : __byte_perm (loads[l], 0, addressing.byte_order);

#pragma unroll
      for (int k = 0; k < F::words_per_load; k++) {
        const int w = ((v * 4 + l) * F::words_per_load + k) % F::n_words;
        const uint32_t rotated =
            __funnelshift_r (load, load, addressing.rotations[k]);

        /* Exclusive or, not a sum: with permuted counters, the base of a component of few
         * bits and the value have bits in common. */
        if (F::gap == HISTO_GAP_ANY ? addressing.present >> w & 1 : w != F::gap)
          counters.count_at (counters.permute (rotated & addressing.mask)
              ^ addressing.bases[w]);
      }
    }
  }
}

/* Counts the fields of word w of a period. */
template <typename F, typename Counters>
__device__ __forceinline__ void
count_fields (uint32_t word, int w, const Addressing<F, true> &addressing,
    const Counters &counters)
{
  const int n_fields = Addressing<F, true>::n_fields;

#pragma unroll
  for (int f = 0; f < n_fields; f++) {
    if (addressing.present >> (w * n_fields + f) & 1)
      counters.count_at ((__funnelshift_r (word, word, addressing.rotations[f])
              & addressing.masks[f]) ^ addressing.bases[w * n_fields + f]);
  }
}

/* Counts a unit of 32-bit words with fields. */
template <typename F, typename Counters>
__device__ __forceinline__ void
count_unit (const uint4 *vectors, const Addressing<F, true> &addressing,
    const Counters &counters)
{
  const uint32_t loads[4] = { vectors[0].x, vectors[0].y, vectors[0].z, vectors[0].w };

#pragma unroll
  for (int l = 0; l < 4; l++)
    count_fields<F> (__byte_perm (loads[l], 0, addressing.byte_order), l % F::n_words,
        addressing, counters);
}

/* ---- Counting all units ------------------------------------------------------------- */

/* A thread's position in rows of units. advance() goes to the thread's next unit: it adds
 * the number of all threads of the plane. */
struct UnitWalk
{
  typedef Unit<1, 1, 16> Vector;
  const uint8_t *address;
  uint32_t column;              /* unit of the row */
  uint32_t n_left;              /* units that the thread has not counted yet */
  uint32_t n_columns, step_columns;
  int64_t step_bytes, wrap_bytes;

  __device__ __forceinline__
  UnitWalk (const HistoUnits &units, const PlaneBlock &block, uint32_t unit_bytes)
  {
    const uint32_t first = block.index * blockDim.x + threadIdx.x;
    /* The quotient, or one less. */
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

  /* Rows of vectors that the host has computed nothing for; their number may be 0. The thread is number
   * `first` of n_threads. */
  __device__ __forceinline__
  UnitWalk (uint64_t data, int64_t stride, uint32_t columns, uint32_t rows, uint32_t first,
      uint32_t n_threads)
  {
    const uint32_t n_units = columns * rows, row = first / max (columns, 1u);
    const uint32_t step_rows = n_threads / max (columns, 1u);

    n_columns = columns;
    step_columns = n_threads - step_rows * columns;
    step_bytes = step_rows * stride + step_columns * Vector::bytes;
    wrap_bytes = stride - columns * Vector::bytes;
    n_left = first < n_units ? (n_units - first + n_threads - 1) / n_threads : 0;
    column = first - row * columns;
    address = (const uint8_t *) (data + (uint64_t) (row * stride) + column * Vector::bytes);
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

/* Clears the counters and calls count (vectors) for each of the thread's units. A ring holds the units that are in
 * flight. All threads of the block call it. */
template <typename U, typename Counters, typename Count>
__device__ __forceinline__ void
count_units (UnitWalk &walk, const Counters &counters, const Count &count)
{
  UnitData<U> ring[U::in_flight];
  const uint32_t n_loaded = min (walk.n_left, (uint32_t) U::in_flight);

  /* The first loads are in flight while the counters are cleared. */
#pragma unroll
  for (uint32_t i = 0; i < U::in_flight; i++) {
    if (i < n_loaded)
      ring[i].load (walk);
  }
  walk.n_left -= n_loaded;
  counters.clear ();
  __syncthreads ();

  /* From now on the thread loads one unit for each unit that it counts. Loads queue behind
   * counting in the same unit of the multiprocessor; so they are spread among the counting
   * and issued long before their data are needed. */
  for (; walk.n_left >= U::in_flight; walk.n_left -= U::in_flight) {
#pragma unroll
    for (uint32_t i = 0; i < U::in_flight; i++) {
      const UnitData<U> unit = ring[i];

      ring[i].load (walk);
      count (unit.vectors);
    }
  }
#pragma unroll
  for (uint32_t i = 0; i < U::in_flight; i++) {
    const UnitData<U> unit = ring[i];

    if (i < walk.n_left)
      ring[i].load (walk);
    if (i < n_loaded)
      count (unit.vectors);
  }
#pragma unroll
  for (uint32_t i = 0; i < U::in_flight; i++) {
    if (i < walk.n_left)
      count (ring[i].vectors);
  }
}

/* Clears the counters and counts the block's share of a plane of the family: by units, and
 * what is left of each row sample by sample. All threads of the block call it. */
template <typename F, typename Counters>
__device__ __forceinline__ void
count_family (const HistoPlane &plane, const HistoUnits &units, const PlaneBlock &block,
    Counters &counters)
{
  if (units.columns > 0) {
    const Addressing<F> addressing (units, counters);
    UnitWalk walk (units, block, F::bytes);

    count_units<typename F::U> (walk, counters, [&] (const uint4 *vectors) {
      count_unit (vectors, addressing, counters);
    });
  } else {
    counters.clear ();
    __syncthreads ();
  }
  count_periods (plane, block, units.columns * F::n_periods, counters);
}
