/* The counters of a strip. A class of counters has these members:
 *
 * flags                         what a strip with these counters can measure
 * counts_all                    whether it counts all components; else hue alone, or gradients alone
 * counts_gradients              whether gradients are among them; also of their sums
 * clear ()                      all threads of the block
 * count (source, c, value)      counts a number of a component
 * count_quad (source, c, quad, i)   the same of pixel i of a quad
 * count_alpha (source, value, n)   the same n times, of component 3
 * publish ()                    adds the block's counters to the region's; all threads of the block, when
 *                               all have counted
 *
 * `source` and `c` are constants when the compiler has unrolled the loops around the call.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip/quads.cuh"
#include "kernels/strip/regions.cuh"

/* ---- From copies to sums --------------------------------------------------------------------- */

/* Adds up the copies of each bin of the block, and adds them to the region's sums. */
__device__ __forceinline__ void
add_copies (const RegionBlock &block)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);
  const HistoStripLaunch &launch = block.launch;
  uint32_t t = 0;

  __syncthreads ();
  for (uint32_t bin = threadIdx.x; bin < launch.n_bins; bin += blockDim.x) {
    while (bin >= launch.tables[t + 1].first_bin)
      t++;

    const HistoStripTable &table = launch.tables[t];
    const uint32_t first = (table.first_byte + (bin - table.first_bin) * table.row_bytes) / 4;
    uint32_t sum = 0;

    if (table.copies_log2 >= 2) {
      /* Neighbouring threads begin with different copies, which lie in different banks. */
      const uint32_t last = (1u << (table.copies_log2 - 2)) - 1;

#pragma unroll 4
      for (uint32_t k = 0; k <= last; k++) {
        const uint4 four = ((const uint4 *) (shared + first))[(k + bin) & last];

        sum += four.x + four.y + four.z + four.w;
      }
    } else {
      for (uint32_t k = 0; k < 1u << table.copies_log2; k++)
        sum += shared[first + k];
    }
    /* What another kernel publishes is not counted here. */
    if (sum != 0)
      atomicAdd (block.sum_of (bin), sum);
  }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Every source but hue, which has a table of its own, has a place. */
constexpr bool
all_sources_have_places ()
{
  for (uint32_t source = 0; source < HISTO_STRIP_N_SOURCES; source++) {
    if (source != HISTO_STRIP_HUE && histo_row_place (source, 0) >= HISTO_N_ROW_PLACES)
      return false;
  }
  return true;
}
static_assert (all_sources_have_places (), "a source has no counters in histo_row_place ()");

/* Counters of bytes. A table has 256 rows of 256 bytes: for one value the copies of the counters of four
 * components, whose places histo_row_place() says. So one permutation of bytes makes the offset of a
 * counter from a quad. */
struct RowCounters
{
  static constexpr uint32_t flags = ~0u;
  /* A color may be 256, which means 255. */
  static constexpr bool has_row_256 = true, counts_all = true, counts_gradients = true;
  const RegionBlock &block;
  uint32_t copy;                /* byte offset of the lane's counters in a row */
  uint32_t first;               /* the same as an address */
  uint32_t hue, alpha;          /* addresses of the lane's counters */

  __device__ __forceinline__
  explicit RowCounters (const RegionBlock &of) : block (of)
  {
    const HistoRowsLayout at = histo_rows_layout (of.launch.n_row_tables);

    copy = threadIdx.x % HISTO_ROW_COPIES * 4;
    first = shared_base () + copy;
    hue = first + at.hue;
    alpha = shared_base () + at.alpha + threadIdx.x % HISTO_ALPHA_COPIES * 4;
  }

  __device__ __forceinline__ void
  clear () const
  {
    clear_counters (histo_rows_layout (block.launch.n_row_tables).end / 4);
  }

  /* The lower 24 bits of @value. */
  __device__ __forceinline__ void
  count (uint32_t source, uint32_t c, uint32_t value) const
  {
    if (source == HISTO_STRIP_HUE)
      add_at_shared (value * (HISTO_ROW_COPIES * 4) + hue, 1);
    else
      add_at_shared (value * HISTO_ROW_BYTES + first + histo_row_offset (source, c), 1);
  }

  __device__ __forceinline__ void
  count_quad (uint32_t source, uint32_t c, const Bytes &quad, uint32_t i) const
  {
    add_shared (__byte_perm (quad.w[0], copy, 0x7604 | i << 4) + histo_row_offset (source, c), 1);
  }

  __device__ __forceinline__ void
  count_alpha (uint32_t source, uint32_t value, uint32_t n) const
  {
    add_at_shared (value * (HISTO_ALPHA_COPIES * 4) + alpha
        + (source == HISTO_STRIP_DIFFERENCE ? HISTO_ALPHA_BYTES : 0), n);
  }

  __device__ __forceinline__ void
  publish () const
  {
    HISTO_DYNAMIC_SHARED (uint32_t, shared);
    const uint32_t last = block.launch.n_row_tables * HISTO_ROW_TABLE_BYTES / 4 + threadIdx.x;

    /* Row 256 of the colors belongs to row 255. */
    __syncthreads ();
    if (threadIdx.x < HISTO_ROW_BYTES / 4 && block.launch.n_row_tables > 2)
      shared[last - HISTO_ROW_BYTES / 4] += shared[last];
    add_copies (block);
  }
};

/* ---- Counters by value --------------------------------------------------------------------------- */

/* Counters of any quad. The class Place says where they are: add (source, c, value, n), clear () and
 * publish (). */
template <typename Place>
struct ValueCounters : Place
{
  static constexpr uint32_t flags = ~0u;
  static constexpr bool has_row_256 = false, counts_all = true, counts_gradients = true;
  using Place::Place;

  __device__ __forceinline__ void
  count (uint32_t source, uint32_t c, uint32_t value) const
  {
    Place::add (source, c, value, 1);
  }

  template <typename Quad>
  __device__ __forceinline__ void
  count_quad (uint32_t source, uint32_t c, const Quad &quad, uint32_t i) const
  {
    Place::add_pixel (source, c, quad, i);
  }

  __device__ __forceinline__ void
  count_alpha (uint32_t source, uint32_t value, uint32_t n) const
  {
    Place::add (source, 3, value, n);
  }
};

/* In shared memory: as many copies of each counter as the launch says, side by side. */
struct CopiesInShared
{
  const RegionBlock &block;
  uint32_t first, scale;        /* the lane's first counter: its address; bytes of all copies of a counter */

  __device__ __forceinline__
  explicit CopiesInShared (const RegionBlock &of) : block (of)
  {
    const uint32_t copies_log2 = of.launch.copies_log2;

    first = shared_base () + (threadIdx.x & ((1u << copies_log2) - 1)) * 4;
    scale = 4u << copies_log2;
  }

  __device__ __forceinline__ void
  clear () const
  {
    clear_counters (block.launch.n_bins << block.launch.copies_log2);
  }

  __device__ __forceinline__ void
  add (uint32_t source, uint32_t c, uint32_t value, uint32_t n) const
  {
    add_at_shared (value * scale + first + block.launch.first_bytes[source][c], n);
  }

  __device__ __forceinline__ void
  add_pixel (uint32_t source, uint32_t c, const Bytes &quad, uint32_t i) const
  {
    add (source, c, quad.get (i), 1);
  }

  /* Two samples are multiplied at once: the products have HISTO_PLACE_BITS. */
  __device__ __forceinline__ void
  add_pixel (uint32_t source, uint32_t c, const Words &quad, uint32_t i) const
  {
    const uint32_t two = quad.w[i / 2] * scale;

    add_at_shared ((i % 2 == 0 ? two & 0xffff : two >> 16) + first + block.launch.first_bytes[source][c], 1);
  }

  __device__ __forceinline__ void
  publish () const
  {
    add_copies (block);
  }
};

typedef ValueCounters<CopiesInShared> CopiedCounters;

/* Of hue alone, in copies; blocks own the other components (kernels/strip/owners.cuh). */
struct HueCounters
{
  static constexpr uint32_t flags = ~0u;
  static constexpr bool has_row_256 = false, counts_all = false, counts_gradients = false;
  const CopiesInShared copies;

  __device__ __forceinline__
  explicit HueCounters (const RegionBlock &of) : copies (of)
  {
  }

  __device__ __forceinline__ void
  clear () const
  {
    copies.clear ();
  }

  __device__ __forceinline__ void
  count (uint32_t source, uint32_t c, uint32_t value) const
  {
    if (source == HISTO_STRIP_HUE)
      copies.add (source, c, value, 1);
  }

  template <typename Quad>
  __device__ __forceinline__ void
  count_quad (uint32_t, uint32_t, const Quad &, uint32_t) const
  {
  }

  __device__ __forceinline__ void
  count_alpha (uint32_t, uint32_t, uint32_t) const
  {
  }

  __device__ __forceinline__ void
  publish () const
  {
    copies.publish ();
  }
};
