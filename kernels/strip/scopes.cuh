/* The scopes: joint components of the picture. A block counts one of them, in a packed copy as the samples of 16-bit
 * components (PackedCounters): the number of a bin has 16 bits. With less shared memory blocks with neighbouring numbers
 * read the same pixels, and each counts one range of the bins.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip/colors.cuh"
#include "kernels/strip/pixels.cuh"
#include "kernels/tables.cuh"
#include "kernels/video/samples.cuh"

/* The bits of HistoStripLaunch.column_step below a column: 2^63 are HISTO_SCOPE_SIZE = 2^8 columns. */
#define HISTO_COLUMN_SHIFT 55

/* @KNOWN: HISTO_CHECKED_… */
template <typename Quad, uint32_t KNOWN>
struct Scopes
{
  typedef RegularPixels<Quad, KNOWN> Pixels;
  typedef typename Pixels::Row Row;
  typedef PackedCounters<RangeOfBins> Counters;
  /* Groups of four pixels that a thread fetches at a time. */
  static constexpr uint32_t AT_ONCE = Quad::BYTES == 1 && KNOWN != HISTO_CHECKED_RGB ? 4 : 2;

  const HistoStripLaunch &launch;
  const PlaneBlock share;
  const Counters counters;

  /* ---- Counting ---- */

  /* The numbers of four bins, whose lower and higher bytes are given. @own: bits of those that count */
  __device__ __forceinline__ void
  count (uint32_t lower, uint32_t higher, uint32_t own) const
  {
    const TwoPackedCounters two[2] = { counters.find_two (__byte_perm (lower, higher, 0x5140)),
      counters.find_two (__byte_perm (lower, higher, 0x7362)) };
    uint32_t found[4] = { 0, };

    if (own == 15) {
      /* Flat areas: so threads wait less often for each other's additions to one counter. */
      const bool is_flat = two[0].values == two[1].values && two[0].values >> 16 == (two[0].values & 0xffff);

      found[0] = counters.count (two[0].lower (), is_flat ? 4 : 1);
      if (!is_flat) {
        found[1] = counters.count (two[0].upper ());
        found[2] = counters.count (two[1].lower ());
        found[3] = counters.count (two[1].upper ());
      }
    } else {
      /* Not all four count: at the right edge, or chroma has fewer samples in a row than luma. */
#pragma unroll
      for (uint32_t i = 0; i < 2; i++) {
        if ((own >> 2 * i & 1) != 0)
          found[2 * i] = counters.count (two[i].lower ());
        if ((own >> 2 * i & 2) != 0)
          found[2 * i + 1] = counters.count (two[i].upper ());
      }
    }
    if (((found[0] | found[1] | found[2] | found[3]) & Counters::high) == 0)
      return;
#pragma unroll
    for (uint32_t i = 0; i < 2; i++) {
      counters.relieve (two[i].lower ());
      counters.relieve (two[i].upper ());
    }
  }

  __device__ __forceinline__ uint32_t
  codes_of (const Quad &quad) const
  {
    return quad.high_bytes (launch.formulas.depth - 8);
  }

  /* ---- Pixels ---- */

  /* Four pixels of each row. */
  struct Place
  {
    uint32_t own;               /* bits of those inside the picture */
    uint32_t columns;           /* of a waveform: those of the pixels, one in each byte */
  };

  __device__ __forceinline__ Place
  place_at (uint32_t x) const
  {
    uint64_t column = x * launch.column_step;
    Place place = { (1u << min (launch.width - x, 4u)) - 1, 0 };

#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      place.columns |= (uint32_t) (column >> HISTO_COLUMN_SHIFT) << 8 * i;
      column += launch.column_step;
    }
    return place;
  }

  /* Calls fetch (pixels, y, row), and then take (pixels, place, row), for the share's groups of four pixels. A thread
   * walks down, so that what depends on the column is computed once. Few threads have no group at all, so that the
   * others step by whole rows. */
  template <typename Fetch, typename Take>
  __device__ __forceinline__ void
  for_each_four (uint32_t n_rows, const Fetch &fetch, const Take &take) const
  {
    const uint32_t n_threads = share.count * blockDim.x, n_columns = (launch.width + 3) / 4;
    const uint32_t index = share.index * blockDim.x + threadIdx.x, rows_at_once = max (n_threads / n_columns, 1u);
    const uint32_t first = index / n_columns;

    if (first >= rows_at_once)
      return;
    for (uint32_t column = index % n_columns; column < n_columns; column += n_threads) {
      const Pixels pixels (launch, 4 * column);
      const Place place = place_at (4 * column);

      for (uint32_t y = first; y < n_rows; y += AT_ONCE * rows_at_once) {
        Row rows[AT_ONCE];

#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
          if (y + k * rows_at_once < n_rows)
            fetch (pixels, y + k * rows_at_once, rows[k]);
        }
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
          if (y + k * rows_at_once < n_rows)
            take (pixels, place, rows[k]);
        }
      }
    }
  }

  /* Four values of a row of the matrix; 3 is luma's. */
  __device__ __forceinline__ Quad
  color (uint32_t i, const Quad c[3]) const
  {
    return ColorRow<Quad> { launch, i }.quad (c[0], c[1], c[2]);
  }

  __device__ __forceinline__ void
  count_luma () const
  {
    for_each_four (launch.height, [&] (const Pixels &pixels, uint32_t y, Row &row) {
      if constexpr (KNOWN == HISTO_CHECKED_RGB)
        pixels.fetch (y, false, row);
      else
        pixels.fetch_luma (y, row);
    }, [&] (const Pixels &pixels, const Place &place, const Row &row) {
      Quad c[4];

      if constexpr (KNOWN == HISTO_CHECKED_RGB) {
        pixels.pixels_of (row, c);
        c[0] = color (3, c);
      } else {
        c[0] = pixels.luma_of (row);
      }
      count (place.columns, codes_of (c[0]), place.own);
    });
  }

  /* R, G or B. */
  __device__ __forceinline__ void
  count_color (uint32_t i) const
  {
    for_each_four (launch.height, [&] (const Pixels &pixels, uint32_t y, Row &row) {
      pixels.fetch (y, true, row);
    }, [&] (const Pixels &pixels, const Place &place, const Row &row) {
      Quad c[4];

      pixels.pixels_of (row, c);
      if constexpr (KNOWN == HISTO_CHECKED_RGB)
        count (place.columns, codes_of (i == 0 ? c[0] : i == 1 ? c[1] : c[2]), place.own);
      else
        count (place.columns, codes_of (color (i, c)), place.own);
    });
  }

  __device__ __forceinline__ void
  count_chroma () const
  {
    if constexpr (Pixels::is_half) {
      for_each_four (launch.n_chroma_rows, [&] (const Pixels &pixels, uint32_t y, Row &row) {
        pixels.fetch_chroma (y, row);
      }, [&] (const Pixels &pixels, const Place &place, const Row &row) {
        /* U and V in turn, each of two samples. A sample of four pixels lies there twice. */
        const uint32_t vectors = codes_of (pixels.chroma_of (row));
        const uint32_t has_two = launch.formulas.w_sub == 1;
        const uint32_t own = 1 | (place.own >> 1 & has_two << 1);

        count (__byte_perm (vectors, 0, 0x4420), __byte_perm (vectors, 0, 0x4431), own);
      });
    } else {
      for_each_four (launch.height, [&] (const Pixels &pixels, uint32_t y, Row &row) {
        pixels.fetch (y, true, row);
      }, [&] (const Pixels &pixels, const Place &place, const Row &row) {
        Quad c[4];

        pixels.pixels_of (row, c);
        if constexpr (KNOWN == HISTO_CHECKED_RGB)
          count (codes_of (color (1, c)), codes_of (color (2, c)), place.own);
        else
          count (codes_of (c[1]), codes_of (c[2]), place.own);
      });
    }
  }

  /* ---- The kernel's body ---- */

  __device__ __forceinline__ static void
  run (const HistoStripLaunch &launch)
  {
    const uint32_t ranges_log2 = launch.ranges_log2, n_bins = histo_range_bins (ranges_log2);
    uint32_t j = 0;

    while (blockIdx.x >= launch.first_joint_block[j + 1])
      j++;

    const uint32_t index = blockIdx.x - launch.first_joint_block[j];
    const uint32_t count = launch.first_joint_block[j + 1] - launch.first_joint_block[j];
    const uint32_t range = index & ((1u << ranges_log2) - 1), joint = launch.joints[j];
    const Scopes scopes = { launch, { index >> ranges_log2, count >> ranges_log2 },
      { { range * n_bins, n_bins }, (uint32_t *) launch.joint_sums + j * HISTO_SCOPE_BINS } };

    scopes.counters.clear ();
    __syncthreads ();
    if (joint == HISTO_STRIP_JOINT_WAVEFORM)
      scopes.count_luma ();
    else if (joint == HISTO_STRIP_JOINT_VECTORSCOPE)
      scopes.count_chroma ();
    else
      scopes.count_color (joint - HISTO_STRIP_JOINT_WAVEFORM_R);
    /* Nothing of it is read. But the launch that sums waits for this one alone, so this one must not end earlier. */
    wait_for_previous_launch ();
    store_packed_counters (scopes.counters, (uint4 *) (launch.packed_tables + (uint64_t) blockIdx.x * n_bins));
  }
};

/* Adds up what the blocks have counted, for the host. blockIdx.x is a group of bins, blockIdx.y the joint component. */
__device__ __forceinline__ void
sum_scopes (const HistoStripLaunch &launch)
{
  const uint32_t j = blockIdx.y, first = launch.first_joint_block[j];

  sum_packed_tables ((const uint4 *) (launch.packed_tables
          + (uint64_t) first * histo_range_bins (launch.ranges_log2)), launch.first_joint_block[j + 1] - first,
      launch.ranges_log2, launch.joint_samples[j], (uint32_t *) launch.joint_sums + j * HISTO_SCOPE_BINS,
      (HistoHalves *) launch.joint_halves + j);
}

static_assert (HISTO_SCOPE_BINS == HISTO_PACKED_BINS, "a joint component is counted as one of 16 bits");
