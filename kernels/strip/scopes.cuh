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

  /* The numbers of four bins, two in a word. @own: bits of those that count */
  __device__ __forceinline__ void
  count (uint32_t low, uint32_t high, uint32_t own) const
  {
    const uint32_t pairs[2] = { counters.pair_of (low), counters.pair_of (high) };
    uint32_t found = 0;

    /* Flat areas: so threads wait less often for each other's additions to one counter. */
    if (own == 15 && low == high && low >> 16 == (low & 0xffff)) {
      found = counters.count_lower (pairs[0], 4);
    } else {
#pragma unroll
      for (uint32_t i = 0; i < 2; i++) {
        if ((own >> 2 * i & 1) != 0)
          found |= counters.count_lower (pairs[i]);
        if ((own >> 2 * i & 2) != 0)
          found |= counters.count_upper (pairs[i]);
      }
    }
    if ((found & Counters::high) == 0)
      return;
#pragma unroll
    for (uint32_t i = 0; i < 2; i++) {
      counters.relieve (pairs[i]);
      counters.relieve (pairs[i] >> 16);
    }
  }

  /* The codes of four pixels, which begin at column x of the picture. */
  __device__ __forceinline__ void
  count_codes (uint32_t x, const Quad &quad) const
  {
    const uint32_t shift = launch.formulas.depth - 8, n = min (launch.width - x, 4u);
    uint64_t column = x * launch.column_step;
    uint32_t bins[4];

#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      bins[i] = (quad.get (i) >> shift) << 8 | (uint32_t) (column >> HISTO_COLUMN_SHIFT);
      column += launch.column_step;
    }
    count (bins[0] | bins[1] << 16, bins[2] | bins[3] << 16, (1u << n) - 1);
  }

  /* Those of U and V. */
  __device__ __forceinline__ void
  count_vectors (uint32_t x, const Quad &u, const Quad &v) const
  {
    const uint32_t shift = launch.formulas.depth - 8, n = min (launch.width - x, 4u);
    uint32_t bins[4];

#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      bins[i] = (v.get (i) >> shift) << 8 | u.get (i) >> shift;
    count (bins[0] | bins[1] << 16, bins[2] | bins[3] << 16, (1u << n) - 1);
  }

  /* The same of chroma that has fewer samples in a row than luma: U and V in turn, each of two samples. */
  __device__ __forceinline__ void
  count_pairs (uint32_t x, const Quad &chroma) const
  {
    const uint32_t shift = launch.formulas.depth - 8, w_sub = launch.formulas.w_sub;
    uint32_t bins[2];

#pragma unroll
    for (uint32_t i = 0; i < 2; i++)
      bins[i] = (chroma.get (2 * i + 1) >> shift) << 8 | chroma.get (2 * i) >> shift;
    /* A sample of four pixels lies there twice. */
    count (bins[0] | bins[1] << 16, 0, w_sub == 1 && x + 2 < launch.width ? 3 : 1);
  }

  /* ---- Pixels ---- */

  /* Calls fetch (pixels, y, row), and then take (x, pixels, row), for the share's groups of four pixels. */
  template <typename Fetch, typename Take>
  __device__ __forceinline__ void
  for_each_four (uint32_t n_rows, const Fetch &fetch, const Take &take) const
  {
    Walk walk (share, (launch.width + 3) / 4);

    while (walk.row < n_rows) {
      Row rows[AT_ONCE];
      uint32_t x[AT_ONCE], n = 0;

#pragma unroll
      for (uint32_t k = 0; k < AT_ONCE; k++) {
        if (walk.row >= n_rows)
          break;
        x[k] = 4 * walk.column;
        fetch (Pixels (launch, x[k]), walk.row, rows[k]);
        walk.advance ();
        n++;
      }
#pragma unroll
      for (uint32_t k = 0; k < AT_ONCE; k++) {
        if (k < n)
          take (x[k], Pixels (launch, x[k]), rows[k]);
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
      if (KNOWN != HISTO_CHECKED_RGB && !pixels.is_packed ())
        row.put (0, pixels.loader.load_plane (launch.now, 0, y));
      else
        pixels.fetch (y, false, row);
    }, [&] (uint32_t x, const Pixels &pixels, const Row &row) {
      Quad c[4];

      if constexpr (KNOWN == HISTO_CHECKED_RGB) {
        pixels.pixels_of (row, c);
        c[0] = color (3, c);
      } else if (pixels.is_packed ()) {
        pixels.samples_of (row, c);
      } else {
        c[0] = pixels.loader.value (row.get (0));
      }
      count_codes (x, c[0]);
    });
  }

  /* R, G or B. */
  __device__ __forceinline__ void
  count_color (uint32_t i) const
  {
    for_each_four (launch.height, [&] (const Pixels &pixels, uint32_t y, Row &row) {
      pixels.fetch (y, true, row);
    }, [&] (uint32_t x, const Pixels &pixels, const Row &row) {
      Quad c[4];

      pixels.pixels_of (row, c);
      if constexpr (KNOWN == HISTO_CHECKED_RGB)
        count_codes (x, i == 0 ? c[0] : i == 1 ? c[1] : c[2]);
      else
        count_codes (x, color (i, c));
    });
  }

  __device__ __forceinline__ void
  count_chroma () const
  {
    if constexpr (Pixels::is_half) {
      for_each_four (launch.n_chroma_rows, [&] (const Pixels &pixels, uint32_t y, Row &row) {
        pixels.fetch_pairs (y, row);
      }, [&] (uint32_t x, const Pixels &pixels, const Row &row) {
        count_pairs (x, pixels.pairs_of (row));
      });
    } else {
      for_each_four (launch.height, [&] (const Pixels &pixels, uint32_t y, Row &row) {
        pixels.fetch (y, true, row);
      }, [&] (uint32_t x, const Pixels &pixels, const Row &row) {
        Quad c[4];

        pixels.pixels_of (row, c);
        if constexpr (KNOWN == HISTO_CHECKED_RGB)
          count_vectors (x, color (1, c), color (2, c));
        else
          count_vectors (x, c[1], c[2]);
      });
    }
  }

  /* ---- The kernel's body ---- */

  __device__ __forceinline__ static void
  run (const HistoStripLaunch &launch)
  {
    const uint32_t ranges_log2 = launch.joint_ranges_log2, n_bins = histo_range_bins (ranges_log2);
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
    store_packed_counters (scopes.counters, (uint4 *) (launch.joint_tables + (uint64_t) blockIdx.x * n_bins));
  }
};

/* Adds up what the blocks have counted, for the host. blockIdx.x is a group of bins, blockIdx.y the joint component. */
__device__ __forceinline__ void
sum_scopes (const HistoStripLaunch &launch)
{
  const uint32_t j = blockIdx.y, first = launch.first_joint_block[j];

  sum_packed_tables ((const uint4 *) (launch.joint_tables
          + (uint64_t) first * histo_range_bins (launch.joint_ranges_log2)), launch.first_joint_block[j + 1] - first,
      launch.joint_ranges_log2, launch.joint_samples[j], (uint32_t *) launch.joint_sums + j * HISTO_SCOPE_BINS,
      (HistoHalves *) launch.joint_halves + j);
}

static_assert (HISTO_SCOPE_BINS == HISTO_PACKED_BINS, "a joint component is counted as one of 16 bits");
