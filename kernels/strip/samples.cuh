/* The kernel for samples alone: regions of video whose samples are bytes, without groups. No sample needs its
 * neighbours then. So there are no strips: a thread loads 16 bytes of a row at once, as in the kernels
 * that count the picture alone (video/units.cuh). All planes are counted at the same time, each by some of
 * the block's warps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip/counters.cuh"
#include "kernels/video/units.cuh"

/* ---- Counters ---------------------------------------------------------------------------- */

/* A table as those of RowCounters: a row for each value, with 16 copies of the counters of four places.
 * The plan chooses the places of the components. */
struct ByteCounters
{
  static constexpr uint32_t COPIES = HISTO_ROW_COPIES, ROW_WORDS = HISTO_ROW_BYTES / 4;
  const RegionBlock &block;

  __device__ __forceinline__ static void
  clear ()
  {
    clear_counters (HISTO_ROW_TABLE_BYTES / 4);
  }

  /* The offset of the lane's counter of value 0 in a place. */
  __device__ __forceinline__ static uint32_t
  first (uint32_t place)
  {
    return (place * COPIES + threadIdx.x % COPIES) * 4;
  }

  /* Whether the lane is an upper one. */
  __device__ __forceinline__ static bool
  is_upper ()
  {
    return (threadIdx.x & COPIES) != 0;
  }

  /* Counts byte i of a word. */
  __device__ __forceinline__ static void
  count (uint32_t word, uint32_t i, uint32_t first_of_place)
  {
    add_shared (__byte_perm (word, first_of_place, 0x7604 | i << 4), 1);
  }

  /* Adds the counters in the second places of planes to those in the first places. All threads of the
   * block call it, when the block has counted and before it sums the copies. */
  __device__ __forceinline__ void
  join_places () const
  {
    HISTO_DYNAMIC_SHARED (uint32_t, shared);

    for (uint32_t place = 0; place < HISTO_MAX_COMPONENTS; place += 2) {
      if ((block.launch.bytes.joined >> place & 1) == 0)
        continue;
      for (uint32_t i = threadIdx.x; i < 256 * COPIES; i += blockDim.x) {
        const uint32_t at = in_row (i / COPIES, place) + i % COPIES;

        shared[at] += shared[at + COPIES];
      }
    }
  }

private:
  __device__ __forceinline__ static uint32_t
  in_row (uint32_t value, uint32_t place)
  {
    return value * ROW_WORDS + place * COPIES;
  }
};

/* ---- A plane's rows -------------------------------------------------------------------------- */

/* The rows of a plane in a rectangle. They are counted in phases: rows that begin at the same distance from a
 * multiple of 16. Of n phases, phase i has rows i, i + n, i + 2 n, … */
struct ByteRows
{
  static constexpr uint32_t VECTOR = UnitWalk::Vector::bytes;
  static_assert (VECTOR == 1 << HISTO_SAMPLES_VECTOR_LOG2, "the plan finds the phases");
  const HistoBytesPlane &plane;
  uint32_t n_bytes;             /* of a row: whole periods */
  uint32_t n_all_rows, phase;
  /* What this phase counts. */
  uint32_t n_rows;
  uint64_t data;                /* address of the first byte */
  int64_t stride;               /* from row to row */
  /* A row's bytes before the first whole vector, and its whole vectors. */
  uint32_t before, n_vectors;

  /* Rows first_row to end - 1 of the region. If first_row shares a row of chroma with the row above, the block
   * before this one counts it. */
  __device__ __forceinline__
  ByteRows (const HistoBytesPlane &of, const HistoStripRegion &region, uint32_t first_row, uint32_t end)
  : plane (of), phase (0), stride (of.stride * (1 << of.phases_log2))
  {
    const uint32_t top = region.y + first_row;
    const uint32_t first = first_row == 0 ? top >> of.h_sub : round_up (top, of.h_sub);
    const uint32_t left = region.x >> of.w_sub;

    n_bytes = region.width == 0 ? 0 : (round_up (region.x + region.width, of.w_sub) - left) * of.period;
    n_all_rows = end <= first_row ? 0 : round_up (region.y + end, of.h_sub) - first;
    data = of.data + (uint64_t) (first * of.stride) + left * of.period;
    begin_phase ();
  }

  /* Begins the next phase. Returns whether there is one. */
  __device__ __forceinline__ bool
  go_on ()
  {
    phase++;
    if (phase >> plane.phases_log2 != 0)
      return false;
    data += (uint64_t) plane.stride;
    begin_phase ();
    return true;
  }

  /* The lane's first counter for byte i of a row. */
  __device__ __forceinline__ uint32_t
  first_of (uint32_t i) const
  {
    return ByteCounters::first (plane.places[i % plane.period]);
  }

  /* Counts the bytes that are not in a whole vector. The thread is number `index` of n_threads. */
  __device__ __forceinline__ void
  count_others (uint32_t index, uint32_t n_threads) const
  {
    const uint32_t n_others = n_bytes - VECTOR * n_vectors;

    for (uint32_t i = index; i < n_others * n_rows; i += n_threads) {
      const uint32_t row = i / n_others, other = i - row * n_others;
      const uint32_t column = other < before ? other : other + VECTOR * n_vectors;
      const uint8_t *byte = (const uint8_t *) (data + (uint64_t) (row * stride)) + column;

      ByteCounters::count (__ldg (byte), 0, first_of (column));
    }
  }

private:
  __device__ __forceinline__ void
  begin_phase ()
  {
    n_rows = (n_all_rows + (1u << plane.phases_log2) - 1 - phase) >> plane.phases_log2;
    before = min ((uint32_t) -data % VECTOR, n_bytes);
    n_vectors = (n_bytes - before) / VECTOR;
  }

  __device__ __forceinline__ static uint32_t
  round_up (uint32_t n, uint32_t log2)
  {
    return (n + (1u << log2) - 1) >> log2;
  }
};

/* ---- A thread's vectors --------------------------------------------------------------------------- */

/* Counts a thread's vectors of the rows. The next two are on their way meanwhile. */
struct ByteVectors
{
  struct Vector
  {
    UnitData<UnitWalk::Vector> data;
    uint32_t column;            /* in its row */

    __device__ __forceinline__ void
    load (UnitWalk &walk)
    {
      column = walk.column;
      data.load (walk);
    }

    __device__ __forceinline__ uint32_t
    quad (uint32_t i) const
    {
      const uint4 &v = data.vectors[0];

      return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
    }
  };

  UnitWalk walk;
  Vector next, after;

  __device__ __forceinline__
  ByteVectors (const ByteRows &rows, uint32_t index, uint32_t n_threads)
  : walk (rows.data + rows.before, rows.stride, rows.n_vectors, rows.n_rows, index, n_threads),
    next (), after ()
  {
    if (walk.n_left > 0)
      next.load (walk);
    if (walk.n_left > 1)
      after.load (walk);
  }

  template <typename Count>
  __device__ __forceinline__ void
  count_each (const Count &count)
  {
#pragma unroll 1
    for (; walk.n_left > 0; walk.n_left--) {
      const Vector now = next;

      next = after;
      if (walk.n_left > 2)
        after.load (walk);
      count (now);
    }
  }

  /* Periods of 1, 2 or 4 bytes: byte i of all vectors has the same component. */
  __device__ __forceinline__ void
  count (const ByteRows &rows)
  {
    /* Upper lanes count byte 1 before byte 0, and so on. Lanes with the same copy then use different
     * banks, if these bytes have different components. */
    const uint32_t swap = ByteCounters::is_upper ();
    const uint32_t order = swap ? 0x2301 : 0x3210;
    uint32_t firsts[4];

#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      firsts[i] = rows.first_of (rows.before + (i ^ swap));
    count_each ([&] (const Vector &vector) {
#pragma unroll
      for (uint32_t i = 0; i < ByteRows::VECTOR; i++)
        ByteCounters::count (__byte_perm (vector.quad (i / 4), 0, order), i % 4, firsts[i % 4]);
    });
  }

  /* Periods of 3 bytes. A vector has 16 bytes: five periods and one byte. So each vector begins one byte
   * later in its period than the vector before it in the row. */
  __device__ __forceinline__ void
  count_triples (const ByteRows &rows)
  {
    const uint32_t first = rows.first_of (rows.before), second = rows.first_of (rows.before + 1),
        third = rows.first_of (rows.before + 2);

    count_each ([&] (const Vector &vector) {
      const uint32_t begin = vector.column % 3;
      const uint32_t firsts[3] = {
        begin == 0 ? first : begin == 1 ? second : third,
        begin == 0 ? second : begin == 1 ? third : first,
        begin == 0 ? third : begin == 1 ? first : second
      };

#pragma unroll
      for (uint32_t i = 0; i < ByteRows::VECTOR; i++)
        ByteCounters::count (vector.quad (i / 4), i % 4, firsts[i % 3]);
    });
  }
};

/* ---- The kernel --------------------------------------------------------------------------------- */

__device__ __forceinline__ void
count_regions (const HistoStripLaunch &launch)
{
  const HistoBytes &bytes = launch.bytes;
  const RegionBlock block (launch);
  const HistoStripRegion &region = block.region ();
  const ByteCounters counters = { block };
  const uint32_t first_row = min (block.index * region.band_rows, region.height);
  const uint32_t warp = threadIdx.x / HISTO_WARP_SIZE, half = HISTO_WARP_SIZE / 2;
  uint32_t s = 0;

  while (warp >= bytes.shares[s].end_warp)
    s++;

  const HistoBytesShare &share = bytes.shares[s];
  const uint32_t first_warp = s == 0 ? 0 : bytes.shares[s - 1].end_warp;
  ByteRows rows (share.planes[ByteCounters::is_upper ()], region, first_row,
      min (first_row + region.band_rows, region.height));
  /* Two planes: each has half of the lanes. */
  const uint32_t lanes = share.has_two_planes ? half : HISTO_WARP_SIZE;
  const uint32_t index = (warp - first_warp) * lanes + threadIdx.x % lanes;
  const uint32_t n_threads = (share.end_warp - first_warp) * lanes;

  do {
    ByteVectors vectors (rows, index, n_threads);

    /* The first vectors are on their way. */
    if (rows.phase == 0) {
      counters.clear ();
      __syncthreads ();
    }
    rows.count_others (index, n_threads);
    if (rows.plane.period == 3)
      vectors.count_triples (rows);
    else
      vectors.count (rows);
  } while (rows.go_on ());
  __syncthreads ();
  counters.join_places ();
  wait_for_previous_launch ();
  add_copies (block);
  publish_region (block);
}
