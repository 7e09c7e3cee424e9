/* The scopes: joint components of the picture, each with 65536 bins of 32 bits in shared memory. Additions of one there wait
 * for each other the least, also if all lanes count in one bin, and no counter overflows.
 *
 * The waveforms have a column of bins for each of HISTO_SCOPE_SIZE columns of the picture. A block counts all waveforms of a
 * range of these columns, of the rows of its band. So it reads pixels once for all waveforms, and only those of its columns.
 * The vectorscope has no such order: blocks with neighbouring numbers read the same pixels, and each counts one range of
 * the bins.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip/colors.cuh"
#include "kernels/strip/pixels.cuh"
#include "kernels/tables.cuh"

/* The bits of HistoStripLaunch.column_step below a column: 2^63 are HISTO_SCOPE_SIZE = 2^8 columns. */
#define HISTO_COLUMN_SHIFT 55

/* The bits of an offset that a code of 8 bits sets: a counter has four bytes. */
#define HISTO_CODE_BITS 0x3fcu

/* The number of a joint component among those of the launch. */
__device__ __forceinline__ uint32_t
number_of_joint (const HistoStripLaunch &launch, uint32_t joint)
{
  uint32_t j = 0;

  while (launch.joints[j] != joint)
    j++;
  return j;
}

/* The table of a waveform and a band. Those of the vectorscope follow. */
__device__ __forceinline__ uint64_t
table_of_waveform (const HistoStripLaunch &launch, uint32_t waveform, uint32_t band)
{
  return launch.packed_tables + (uint64_t) (waveform * launch.n_waveform_bands + band) * HISTO_SCOPE_BINS;
}

/* Moves what a byte has no room for from a counter to the grid's sum in global memory: few blocks have so many samples in
 * one of 65536 bins. */
__device__ __forceinline__ uint32_t
byte_of_counter (uint32_t counter, uint32_t *sum)
{
  if (counter > 0xff)
    atomicAdd (sum, counter & ~0xffu);
  return counter & 0xff;
}

/* @KNOWN: HISTO_CHECKED_… */
template <typename Quad, uint32_t KNOWN>
struct Scopes
{
  typedef RegularPixels<Quad, KNOWN> Pixels;
  typedef typename Pixels::Row Row;
  static constexpr bool is_rgb = KNOWN == HISTO_CHECKED_RGB;
  /* Groups of four pixels that a thread fetches at a time. */
  static constexpr uint32_t AT_ONCE = Quad::BYTES == 1 && !is_rgb ? 4 : 2;

  const HistoStripLaunch &launch;
  const uint32_t index, count;  /* of the block, among those that count the same bins */

  /* ---- Pixels ---- */

  __device__ __forceinline__ uint32_t
  codes_of (const Quad &quad) const
  {
    return quad.high_bytes (launch.formulas.depth - 8);
  }

  /* Four values of a row of the matrix; 3 is luma's. */
  __device__ __forceinline__ Quad
  color (uint32_t i, const Quad c[3]) const
  {
    return ColorRow<Quad> { launch, i }.quad (c[0], c[1], c[2]);
  }

  /* Calls fetch (pixels, y, row), and then take (pixels, place, row), for groups of four pixels from `begin` to end - 1 of
   * the block's rows. A thread walks down, so that what depends on the column, place_at (x), is computed once. Few threads
   * have no group at all, so that the others step by whole rows. */
  template <typename PlaceAt, typename Fetch, typename Take>
  __device__ __forceinline__ void
  for_each_four (uint32_t begin, uint32_t end, uint32_t n_rows, const PlaceAt &place_at, const Fetch &fetch,
      const Take &take) const
  {
    const uint32_t n_threads = count * blockDim.x, n_columns = end - begin;
    const uint32_t thread = index * blockDim.x + threadIdx.x;
    const uint32_t rows_at_once = max (n_threads / n_columns, 1u), first = thread / n_columns;

    if (first >= rows_at_once)
      return;
#pragma unroll 1
    for (uint32_t column = thread % n_columns; column < n_columns; column += n_threads) {
      const uint32_t x = 4 * (begin + column);
      const Pixels pixels (launch, x);
      const auto place = place_at (x);

#pragma unroll 1
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

  /* ---- Waveforms ---- */

  /* Columns that a block counts: a power of two. */
  __device__ __forceinline__ uint32_t
  n_columns () const
  {
    return 1u << launch.waveform_columns_log2;
  }

  /* The addresses of the block's counters of the columns of four pixels. */
  struct Columns
  {
    uint32_t at[4];
  };

  /* A column's counters of the waveforms lie side by side, HISTO_WAVEFORM_BYTES of each. */
  __device__ __forceinline__ uint32_t
  begin_of_column (uint32_t column) const
  {
    return (column & (n_columns () - 1)) * histo_waveform_column_bytes (launch.n_waveforms);
  }

  /* Pixels that are not the block's count in the counters behind those of all columns, which nobody reads. */
  __device__ __forceinline__ Columns
  columns_at (uint32_t x, uint32_t range) const
  {
    uint64_t step = x * launch.column_step;
    Columns columns;

#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t column = (uint32_t) (step >> HISTO_COLUMN_SHIFT);
      const bool is_inside = x + i < launch.width && column >> launch.waveform_columns_log2 == range;

      columns.at[i] = shared_base () + (is_inside ? begin_of_column (column) :
          n_columns () * histo_waveform_column_bytes (launch.n_waveforms));
      step += launch.column_step;
    }
    return columns;
  }

  /* @offset: the code's. @slot: of the waveform, a constant */
  __device__ __forceinline__ static void
  count_at (const Columns &columns, uint32_t i, uint32_t slot, uint32_t offset)
  {
    add_at_shared (offset + columns.at[i] + slot * HISTO_WAVEFORM_BYTES, 1);
  }

  /* @codes: of four pixels, one in each byte */
  __device__ __forceinline__ static void
  count_codes (const Columns &columns, uint32_t slot, uint32_t codes)
  {
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      count_at (columns, i, slot, 4 * __byte_perm (codes, 0, 0x4440 | i));
  }

  /* The offset of a color's code. */
  __device__ __forceinline__ uint32_t
  offset_of (uint32_t code) const
  {
    return code << 2 >> (launch.formulas.depth - 8) & HISTO_CODE_BITS;
  }

  /* @fraction: of 256 codes, 0 to 1. The lower bits of the sum are the code, which may be 256, and a rest of two bits. */
  __device__ __forceinline__ static uint32_t
  offset_of (float fraction)
  {
    const uint32_t sum = __float_as_uint (__fadd_rd (fraction, (float) (1u << (23 - 10))));

    return min (sum, __float_as_uint ((float) (1u << (23 - 10))) + 0x3ff) & HISTO_CODE_BITS;
  }

  __device__ __forceinline__ void
  count_luma_of (const Columns &columns, const Quad c[3]) const
  {
    count_codes (columns, 0, codes_of (is_rgb ? color (3, c) : c[0]));
  }

  /* Luma, R, G and B, which have four slots. */
  __device__ __forceinline__ void
  count_all_of (const Columns &columns, const Quad c[3]) const
  {
    count_luma_of (columns, c);
    if constexpr (is_rgb) {
#pragma unroll
      for (uint32_t k = 0; k < 3; k++)
        count_codes (columns, 1 + k, codes_of (c[k]));
    } else {
      const Codes<Quad, KNOWN> codes = { launch, c };

      codes.for_each ([&] (uint32_t i, const auto code[3]) {
#pragma unroll
        for (uint32_t k = 0; k < 3; k++)
          count_at (columns, i, 1 + k, offset_of (code[k]));
      });
    }
  }

  __device__ __forceinline__ void
  count_waveforms (uint32_t range) const
  {
    /* Column c begins at the first pixel of which histo_scope_column () is c. */
    const uint64_t columns = n_columns (), size = HISTO_SCOPE_SIZE;
    const uint32_t begin = (uint32_t) ((range * columns * launch.width + size - 1) / size);
    const uint32_t end = (uint32_t) (((range + 1) * columns * launch.width + size - 1) / size);
    const auto for_each = [&] (const auto &fetch, const auto &take) {
      for_each_four (begin / 4, (end + 3) / 4, launch.height, [&] (uint32_t x) { return columns_at (x, range); },
          fetch, take);
    };
    const auto for_each_pixels = [&] (const auto &take) {
      for_each ([&] (const Pixels &pixels, uint32_t y, Row &row) {
        pixels.fetch (y, true, row);
      }, [&] (const Pixels &pixels, const Columns &columns, const Row &row) {
        Quad c[4];

        pixels.pixels_of (row, c);
        take (columns, c);
      });
    };

    if (begin >= end)
      return;
    /* RGB always has all. */
    if (is_rgb || launch.n_waveforms > 1) {
      for_each_pixels ([&] (const Columns &columns, const Quad c[3]) { count_all_of (columns, c); });
    } else if constexpr (!is_rgb) {
      for_each ([&] (const Pixels &pixels, uint32_t y, Row &row) {
        pixels.fetch_luma (y, row);
      }, [&] (const Pixels &pixels, const Columns &columns, const Row &row) {
        count_codes (columns, 0, codes_of (pixels.luma_of (row)));
      });
    }
  }

  /* The block's bytes of the tables of its band: two of a column, whose codes differ by 128, are side by side. */
  __device__ __forceinline__ void
  store_waveforms (uint32_t range) const
  {
    HISTO_DYNAMIC_SHARED (uint32_t, shared);
    constexpr uint32_t half = HISTO_SCOPE_SIZE / 2;
    const uint32_t log2 = launch.waveform_columns_log2;

    for (uint32_t waveform = 0; waveform < launch.n_waveforms; waveform++) {
      const uint32_t joint = waveform == 0 ? (uint32_t) HISTO_STRIP_JOINT_WAVEFORM :
          HISTO_STRIP_JOINT_WAVEFORM_R + waveform - 1;
      uint32_t *sums = (uint32_t *) launch.joint_sums + number_of_joint (launch, joint) * HISTO_SCOPE_BINS;
      uint16_t *table = (uint16_t *) table_of_waveform (launch, waveform, index);

      for (uint32_t i = threadIdx.x; i < half << log2; i += blockDim.x) {
        const uint32_t column = range << log2 | (i & (n_columns () - 1)), code = i >> log2;
        const uint32_t bin = code * HISTO_SCOPE_SIZE + column;
        const uint32_t at = begin_of_column (column) / 4 + waveform * (HISTO_WAVEFORM_BYTES / 4);
        const uint32_t lower = byte_of_counter (shared[at + code], sums + bin);
        const uint32_t upper = byte_of_counter (shared[at + code + half], sums + bin + half * HISTO_SCOPE_SIZE);

        table[bin] = (uint16_t) (lower | upper << 8);
      }
    }
  }

  __device__ __forceinline__ static void
  run_waveforms (const HistoStripLaunch &launch)
  {
    const uint32_t n_ranges = HISTO_SCOPE_SIZE >> launch.waveform_columns_log2, range = blockIdx.x & (n_ranges - 1);
    const Scopes scopes = { launch, blockIdx.x / n_ranges, launch.n_waveform_bands };

    clear_counters (scopes.n_columns () * histo_waveform_column_bytes (launch.n_waveforms) / 4);
    __syncthreads ();
    scopes.count_waveforms (range);
    /* Nothing of it is read. But the launch that sums waits for this one alone, so this one must not end earlier. */
    wait_for_previous_launch ();
    __syncthreads ();
    scopes.store_waveforms (range);
  }

  /* ---- The vectorscope ---- */

  /* What the place of a pixel's counter is combined with by exclusive or: where the block's counters begin, in bytes. */
  struct Vectors
  {
    uint32_t first[4];
  };

  /* Pixels that do not count are counted in the counter behind all others, which nobody reads. */
  __device__ __forceinline__ Vectors
  vectors_at (uint32_t x, uint32_t first) const
  {
    Vectors vectors;

#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      vectors.first[i] = x + i < launch.width ? first : ~0u;
    return vectors;
  }

  /* The place of a bin's counter, counted from that of bin 0: both in bytes. Bits of V permute the counters of
   * neighbouring U, so that similar colors lie in different banks. */
  __device__ __forceinline__ static uint32_t
  place_of_bin (uint32_t offset)
  {
    return offset ^ (offset >> 5 & 0x60);
  }

  /* Counts the bins in the halves of a word. @first: what their places are combined with; @size: of the block's counters, in
   * bytes */
  __device__ __forceinline__ static void
  count_two (uint32_t bins, uint32_t first, uint32_t second, uint32_t size)
  {
    add_shared (min (place_of_bin (bins << 2 & 0x3fffc) ^ first, size), 1);
    add_shared (min (place_of_bin (bins >> 14 & 0x3fffc) ^ second, size), 1);
  }

  __device__ __forceinline__ void
  count_vectors (uint32_t first, uint32_t size) const
  {
    const auto vectors_at_x = [&] (uint32_t x) { return vectors_at (x, first); };
    const uint32_t n_groups = (launch.width + 3) / 4;

    if constexpr (Pixels::is_half) {
      for_each_four (0, n_groups, launch.n_chroma_rows, vectors_at_x, [&] (const Pixels &pixels, uint32_t y, Row &row) {
        pixels.fetch_chroma (y, row);
      }, [&] (const Pixels &pixels, const Vectors &vectors, const Row &row) {
        /* U and V in turn, each of two samples. A sample of four pixels lies there twice: the second one is not counted. */
        const uint32_t has_two = launch.formulas.w_sub == 1;

        count_two (codes_of (pixels.chroma_of (row)), vectors.first[0], vectors.first[2] | (has_two - 1), size);
      });
    } else {
      for_each_four (0, n_groups, launch.height, vectors_at_x, [&] (const Pixels &pixels, uint32_t y, Row &row) {
        pixels.fetch (y, true, row);
      }, [&] (const Pixels &pixels, const Vectors &vectors, const Row &row) {
        Quad c[4];

        pixels.pixels_of (row, c);

        const uint32_t u = codes_of (is_rgb ? color (1, c) : c[1]), v = codes_of (is_rgb ? color (2, c) : c[2]);

        count_two (__byte_perm (u, v, 0x5140), vectors.first[0], vectors.first[1], size);
        count_two (__byte_perm (u, v, 0x7362), vectors.first[2], vectors.first[3], size);
      });
    }
  }

  /* @table: a byte for each of the block's bins: of bin i of the first half and of bin i of the second half in turn.
   * @sums: of its first bin */
  __device__ __forceinline__ static void
  store_vectors (uint32_t first_bin, uint32_t n_bins, uint4 *table, uint32_t *sums)
  {
    HISTO_DYNAMIC_SHARED (uint32_t, shared);

    for (uint32_t i = threadIdx.x; i < n_bins / 16; i += blockDim.x) {
      uint32_t words[4] = { 0, }, most = 0;

#pragma unroll
      for (uint32_t half = 0; half < 2; half++) {
        const uint32_t bin = first_bin + 8 * i + half * (n_bins / 2);
        const uint4 *counters = (const uint4 *) (shared + (place_of_bin (4 * bin) / 4 ^ first_bin));

#pragma unroll
        for (uint32_t k = 0; k < 2; k++) {
          const uint4 v = counters[k];

          words[2 * k] |= ((v.x & 0xff) | (v.y & 0xff) << 16) << 8 * half;
          words[2 * k + 1] |= ((v.z & 0xff) | (v.w & 0xff) << 16) << 8 * half;
          most |= v.x | v.y | v.z | v.w;
        }
      }
      table[i] = make_uint4 (words[0], words[1], words[2], words[3]);
      if (most <= 0xff)
        continue;
      for (uint32_t k = 0; k < 16; k++) {
        const uint32_t bin = 8 * i + k % 8 + k / 8 * (n_bins / 2);

        byte_of_counter (shared[place_of_bin (4 * (first_bin + bin)) / 4 ^ first_bin], sums + bin);
      }
    }
  }

  __device__ __forceinline__ static void
  run_vectorscope (const HistoStripLaunch &launch)
  {
    const uint32_t log2 = launch.vector_ranges_log2, n_bins = histo_range_bins (log2);
    const uint32_t block = blockIdx.x - launch.n_waveform_blocks, range = block & ((1u << log2) - 1);
    const Scopes scopes = { launch, block >> log2, launch.n_vector_blocks >> log2 };
    const uint32_t j = number_of_joint (launch, HISTO_STRIP_JOINT_VECTORSCOPE);

    clear_counters (n_bins);
    __syncthreads ();
    scopes.count_vectors (4 * range * n_bins, launch.vector_bytes);
    wait_for_previous_launch ();
    __syncthreads ();
    store_vectors (range * n_bins, n_bins, (uint4 *) (table_of_waveform (launch, launch.n_waveforms, 0) + (uint64_t) block * n_bins),
        (uint32_t *) launch.joint_sums + j * HISTO_SCOPE_BINS + range * n_bins);
  }

  /* ---- The kernel's body ---- */

  __device__ __forceinline__ static void
  run (const HistoStripLaunch &launch)
  {
    if (blockIdx.x < launch.n_waveform_blocks)
      run_waveforms (launch);
    else
      run_vectorscope (launch);
  }
};

/* Adds up what the blocks have counted, for the host. blockIdx.x is a group of bins, blockIdx.y the joint component. */
__device__ __forceinline__ void
sum_scopes (const HistoStripLaunch &launch)
{
  const uint32_t j = blockIdx.y, joint = launch.joints[j];
  const bool is_waveform = joint != HISTO_STRIP_JOINT_VECTORSCOPE;
  const uint32_t waveform = !is_waveform ? launch.n_waveforms :
      joint == HISTO_STRIP_JOINT_WAVEFORM ? 0 : 1 + joint - HISTO_STRIP_JOINT_WAVEFORM_R;

  sum_packed_tables<false> ((const uint4 *) table_of_waveform (launch, waveform, 0),
      is_waveform ? launch.n_waveform_bands : launch.n_vector_blocks, is_waveform ? 0 : launch.vector_ranges_log2,
      launch.joint_samples[j], (uint32_t *) launch.joint_sums + j * HISTO_SCOPE_BINS,
      (HistoHalves *) launch.joint_halves + j);
}

static_assert (HISTO_SCOPE_BINS == HISTO_PACKED_BINS && HISTO_WAVEFORM_BYTES == 4 * HISTO_SCOPE_SIZE
    && HISTO_SCOPE_SIZE == 256, "a joint component is summed as one of 16 bits; a code has 8 bits");
