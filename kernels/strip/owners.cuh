/* The owners of components: what has too many bins for copies beside those of other components. A block counts one
 * component of a region, in a packed copy as the samples of 16-bit components (PackedCounters). The blocks of a region are
 * divided among its components, and each reads the picture again, mostly from the L2 cache. With less shared memory blocks
 * with neighbouring numbers read the same pixels, and each counts one range of the bins.
 *
 * The strip (strip.cuh) measures all that is not a component, and counts hue, which has few bins.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip/four.cuh"
#include "kernels/strip/pixels.cuh"
#include "kernels/strip/strip.cuh"
#include "kernels/tables.cuh"

typedef PackedCounters<RangeOfBins> OwnedCounters;

/* ---- A region's blocks ------------------------------------------------------------------ */

/* The first block of component @i, counted in groups of blocks, of a region that has so many. */
__device__ __forceinline__ uint32_t
first_of_owned (const HistoStripLaunch &launch, uint32_t first, uint32_t n_groups, uint32_t i)
{
  const uint32_t before = launch.owned[i].before - launch.owned[first].before;
  const uint32_t all = launch.owned[launch.n_owned].before - launch.owned[first].before;

  return i - first + (n_groups - (launch.n_owned - first)) * before / all;
}

__device__ __forceinline__ uint32_t
first_owned_of (const HistoStripLaunch &launch, const HistoStripRegion &region)
{
  return region.number == 0 ? launch.owned_of_picture : 0;
}

/* The place of its first counter among those of all regions. */
__device__ __forceinline__ uint32_t
first_bin_of_owned (const HistoStripLaunch &launch, const HistoStripRegion &region, const HistoOwned &owned)
{
  return region.number * launch.n_region_bins + owned.first_bin;
}

/* Sums of 32 bits side by side, where there is room for 64 bits. */
__device__ __forceinline__ uint32_t *
sums_of_owned (const HistoStripLaunch &launch, const HistoStripRegion &region, const HistoOwned &owned)
{
  return (uint32_t *) ((Sum *) launch.scratch + first_bin_of_owned (launch, region, owned));
}

/* ---- Gradients: a strip that measures nothing else ----------------------------------------- */

struct GradientCounters
{
  static constexpr uint32_t flags = HISTO_FLAG_DETAIL;
  static constexpr bool has_row_256 = false, counts_all = false, counts_gradients = true;
  const OwnedCounters counters;

  __device__ __forceinline__ void
  count_gradients (const Deep &gradients, uint32_t own) const
  {
    count_halves<4> (counters, gradients.w, own);
  }

  __device__ __forceinline__ void
  count (uint32_t, uint32_t, uint32_t) const
  {
  }

  __device__ __forceinline__ void
  count_quad (uint32_t, uint32_t, const Deep &, uint32_t) const
  {
  }

  __device__ __forceinline__ void
  count_alpha (uint32_t, uint32_t, uint32_t) const
  {
  }
};

/* ---- Components of pixels --------------------------------------------------------------------- */

/* @KNOWN: HISTO_CHECKED_… */
template <typename Quad, uint32_t KNOWN>
struct Owners
{
  typedef RegularPixels<Quad, KNOWN> Pixels;
  typedef typename Pixels::Row Row;
  static constexpr bool is_half = Pixels::is_half, is_rgb = KNOWN == HISTO_CHECKED_RGB;
  /* Gradients need luma alone. */
  static constexpr uint32_t FORM = is_half ? HISTO_FORM_ROWS : is_rgb ? HISTO_FORM_RGB : HISTO_FORM_FULL;
  typedef Strip<Quad, GradientCounters, FORM, true> GradientStrip;

  /* A row now, and in the previous frame. */
  struct TwoRows
  {
    Row now, before;
  };

  const RegionBlock &block;     /* and its number among those of the component */
  const HistoStripLaunch &launch;
  const OwnedCounters counters;

  /* Calls fetch (pixels, y, data) and then take (pixels, columns, data) for fours of pixels of the rows from `first` to
   * end - 1, which are rows of the picture or of its chroma. All lanes of a warp call them. Few warps have no row, so that
   * the others step by whole rows. N rows are fetched at a time. */
  template <typename Data, uint32_t N, typename Fetch, typename Take>
  __device__ __forceinline__ void
  for_each_four (uint32_t first, uint32_t end, const Fetch &fetch, const Take &take) const
  {
    constexpr uint32_t n_columns = Columns::WITHOUT_NEIGHBOURS;
    const HistoStripRegion &region = block.region ();
    const uint32_t n_warps = block.count * (blockDim.x / HISTO_WARP_SIZE);
    const uint32_t warp = block.index * (blockDim.x / HISTO_WARP_SIZE) + threadIdx.x / HISTO_WARP_SIZE;
    const uint32_t n_strips = (region.x % 4 + region.width + n_columns - 1) / n_columns;

    if (region.width == 0)
      return;

    const uint32_t rows_at_once = max (n_warps / n_strips, 1u), row = warp / n_strips;

    if (row >= rows_at_once)
      return;
#pragma unroll 1
    for (uint32_t strip = warp % n_strips; strip < n_strips; strip += n_warps) {
      const Columns columns (launch, region, strip, n_columns);
      const Pixels pixels (launch, columns.x);

#pragma unroll 1
      for (uint32_t y = first + row; y < end; y += N * rows_at_once) {
        Data data[N];

#pragma unroll
        for (uint32_t k = 0; k < N; k++) {
          if (y + k * rows_at_once < end)
            fetch (pixels, y + k * rows_at_once, data[k]);
        }
#pragma unroll
        for (uint32_t k = 0; k < N; k++) {
          if (y + k * rows_at_once < end)
            take (pixels, columns, data[k]);
        }
      }
    }
  }

  /* The same for the rows of the region's pixels. */
  template <typename Data, uint32_t N, typename Fetch, typename Take>
  __device__ __forceinline__ void
  for_each_pixels (const Fetch &fetch, const Take &take) const
  {
    const HistoStripRegion &region = block.region ();

    for_each_four<Data, N> (region.y, region.y + region.height, fetch, take);
  }

  /* The same for the rows of their chroma, which are rows of frames. */
  template <typename Data, uint32_t N, typename Fetch, typename Take>
  __device__ __forceinline__ void
  for_each_chroma (const Fetch &fetch, const Take &take) const
  {
    const HistoStripRegion &region = block.region ();
    const uint32_t h_sub = launch.formulas.h_sub;

    if (region.height > 0)
      for_each_four<Data, N> (region.y >> h_sub, ((region.y + region.height - 1) >> h_sub) + 1, fetch, take);
  }

  __device__ __forceinline__ void
  count_quad (const Columns &columns, const Quad &quad) const
  {
    count_halves<4> (counters, quad.w, columns.own ());
  }

  /* ---- Samples, and differences ---- */

  __device__ __forceinline__ void
  fetch_now (const Pixels &pixels, uint32_t c, uint32_t y, Row &row) const
  {
    if constexpr (!is_half)
      pixels.loader.fetch_component (c, y, row);
    else if (c == 0)
      pixels.fetch_luma (y, row);
    else
      row.put (0, pixels.loader.load_plane (launch.now, c, y));
  }

  __device__ __forceinline__ Quad
  now_of (const Pixels &pixels, uint32_t c, const Row &row) const
  {
    if constexpr (!is_half)
      return pixels.loader.component_of (c, row);
    else
      return c == 0 ? pixels.luma_of (row) : pixels.loader.value (row.get (0));
  }

  /* A component of which each pixel has a sample. */
  __device__ __forceinline__ void
  count_samples (uint32_t c) const
  {
    for_each_pixels<Row, 4> ([&] (const Pixels &pixels, uint32_t y, Row &row) {
      fetch_now (pixels, c, y, row);
    }, [&] (const Pixels &pixels, const Columns &columns, const Row &row) {
      count_quad (columns, now_of (pixels, c, row));
    });
  }

  __device__ __forceinline__ void
  count_differences (uint32_t c) const
  {
    for_each_pixels<TwoRows, 2> ([&] (const Pixels &pixels, uint32_t y, TwoRows &rows) {
      fetch_now (pixels, c, y, rows.now);
      if constexpr (!is_half)
        pixels.loader.fetch_previous_component (c, y, rows.before);
      else
        rows.before.put (0, pixels.loader.load_plane (launch.previous, c, y));
    }, [&] (const Pixels &pixels, const Columns &columns, const TwoRows &rows) {
      Quad before;

      if constexpr (!is_half)
        before = pixels.loader.previous_component_of (c, rows.before);
      else
        before = rows.before.get (0);
      count_quad (columns, now_of (pixels, c, rows.now).diff (before));
    });
  }

  /* U or V, of which two pixels have a sample: one of both in turn. */
  __device__ __forceinline__ void
  count_in_turn (uint32_t c, const Columns &columns, const Quad &chroma) const
  {
    const uint32_t two[1] = { __byte_perm (chroma.w[0], chroma.w[1], c == 1 ? 0x5410 : 0x7632) };

    count_halves<2> (counters, two, c == 1 ? columns.own_chroma () : columns.own_v () & columns.own_chroma ());
  }

  __device__ __forceinline__ void
  count_chroma (uint32_t c) const
  {
    for_each_chroma<Row, 4> ([&] (const Pixels &pixels, uint32_t y, Row &row) {
      pixels.fetch_chroma (y, row);
    }, [&] (const Pixels &pixels, const Columns &columns, const Row &row) {
      count_in_turn (c, columns, pixels.chroma_of (row));
    });
  }

  __device__ __forceinline__ void
  count_chroma_differences (uint32_t c) const
  {
    for_each_chroma<TwoRows, 2> ([&] (const Pixels &pixels, uint32_t y, TwoRows &rows) {
      pixels.fetch_chroma (y, rows.now);
      rows.before.put (0, pixels.loader.load_plane (launch.previous, 1, y));
    }, [&] (const Pixels &pixels, const Columns &columns, const TwoRows &rows) {
      count_in_turn (c, columns, pixels.chroma_of (rows.now).diff (rows.before.get (0)));
    });
  }

  /* ---- Saturation ---- */

  __device__ __forceinline__ uint32_t
  saturation (uint32_t u, uint32_t v) const
  {
    const uint32_t depth = launch.formulas.depth;
    const int32_t mid = 1 << (depth - 1);

    if (launch.chroma_table != 0)
      return HISTO_CHROMA_SATURATION (__ldg ((const uint32_t *) launch.chroma_table + (u << depth | v)));

    const int32_t du = (int32_t) u - mid, dv = (int32_t) v - mid;
    const uint32_t squares = (uint32_t) (du * du) + (uint32_t) (dv * dv);

    /* A root of doubles takes most of a GPU's time for a pixel, and on many GPUs much more than that. */
    return histo_saturation_near (squares, (uint32_t) square_root (fmaxf ((float) squares, 1e-30f)));
  }

  __device__ __forceinline__ void
  count_saturations () const
  {
    if constexpr (is_half) {
      for_each_chroma<Row, 2> ([&] (const Pixels &pixels, uint32_t y, Row &row) {
        pixels.fetch_chroma (y, row);
      }, [&] (const Pixels &pixels, const Columns &columns, const Row &row) {
        const Quad chroma = pixels.chroma_of (row);
        const uint32_t two[1] = { saturation (chroma.get (0), chroma.get (1))
            | saturation (chroma.get (2), chroma.get (3)) << 16 };

        count_halves<2> (counters, two, columns.own_chroma ());
      });
    } else {
      for_each_pixels<Row, 2> ([&] (const Pixels &pixels, uint32_t y, Row &row) {
        pixels.fetch (y, true, row);
      }, [&] (const Pixels &pixels, const Columns &columns, const Row &row) {
        Quad c[4] = { };

        pixels.pixels_of (row, c);
        if constexpr (is_rgb) {
          const Quad u = color (1, c), v = color (2, c);

          c[1] = u;
          c[2] = v;
        }
        count_quad (columns, Quad::of (saturation (c[1].get (0), c[2].get (0)), saturation (c[1].get (1), c[2].get (1)),
                saturation (c[1].get (2), c[2].get (2)), saturation (c[1].get (3), c[2].get (3))));
      });
    }
  }

  /* ---- R, G, B, and luma of them ---- */

  /* Row i of the matrix; 3 is luma's. */
  __device__ __forceinline__ Quad
  color (uint32_t i, const Quad c[3]) const
  {
    return ColorRow<Quad> { launch, i }.quad (c[0], c[1], c[2]);
  }

  __device__ __forceinline__ void
  count_colors (uint32_t i) const
  {
    for_each_pixels<Row, 2> ([&] (const Pixels &pixels, uint32_t y, Row &row) {
      pixels.fetch (y, true, row);
    }, [&] (const Pixels &pixels, const Columns &columns, const Row &row) {
      Quad c[4] = { };

      pixels.pixels_of (row, c);
      count_quad (columns, color (i, c));
    });
  }

  __device__ __forceinline__ void
  count_greatest () const
  {
    for_each_pixels<Row, 2> ([&] (const Pixels &pixels, uint32_t y, Row &row) {
      pixels.fetch (y, true, row);
    }, [&] (const Pixels &pixels, const Columns &columns, const Row &row) {
      Quad c[4] = { };
      uint32_t values[4];

      pixels.pixels_of (row, c);
      if constexpr (!is_rgb) {
        const Quad rgb[3] = { color (0, c), color (1, c), color (2, c) };

        for (uint32_t i = 0; i < 3; i++)
          c[i] = rgb[i];
      }
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        values[i] = max (max (c[0].get (i), c[1].get (i)), c[2].get (i));
        /* Stretching keeps the order. */
        if (is_rgb && launch.formulas.is_limited)
          values[i] = histo_stretch_rgb (values[i], launch.formulas.depth);
      }
      count_quad (columns, Quad::of (values[0], values[1], values[2], values[3]));
    });
  }

  /* ---- The kernel's body ---- */

  __device__ __forceinline__ void
  count (const HistoOwned &owned, Sum *tallies, uint32_t *n_begun) const
  {
    const uint32_t source = owned.source, c = owned.c;
    const bool is_chroma = is_half && (c == 1 || c == 2);

    if (source == HISTO_STRIP_SAMPLE) {
      if (is_chroma)
        count_chroma (c);
      else
        count_samples (c);
    } else if (source == HISTO_STRIP_DIFFERENCE) {
      if (!block.has (HISTO_FLAG_PREVIOUS))
        return;
      if (is_chroma)
        count_chroma_differences (c);
      else
        count_differences (c);
    } else if (source == HISTO_STRIP_SATURATION) {
      count_saturations ();
    } else if (source == HISTO_STRIP_MAXRGB) {
      count_greatest ();
    } else if (source == HISTO_STRIP_GRADIENT) {
      for_each_unit (block, n_begun, [&] (uint32_t number, uint32_t begin, uint32_t end) {
        const GradientCounters gradients = { counters };
        GradientStrip strip (block, gradients, number, begin, end);

        strip.measure ();
        strip.finish (tallies);
      });
    } else if constexpr (is_rgb) {
      count_colors (3);
    } else {
      count_colors (source - HISTO_STRIP_RED);
    }
  }

  __device__ __forceinline__ static void
  run (const HistoStripLaunch &launch)
  {
    __shared__ Sum tallies[HISTO_N_TALLIES];
    __shared__ uint32_t n_begun;
    const uint32_t ranges_log2 = launch.ranges_log2, n_bins = histo_range_bins (ranges_log2);
    RegionBlock block (launch);
    const uint32_t range = block.index & ((1u << ranges_log2) - 1), group = block.index >> ranges_log2;
    const uint32_t n_groups = block.count >> ranges_log2, first = first_owned_of (launch, block.region ());
    uint32_t i = first;

    while (group >= first_of_owned (launch, first, n_groups, i + 1))
      i++;
    block.index = group - first_of_owned (launch, first, n_groups, i);
    block.count = first_of_owned (launch, first, n_groups, i + 1) - (group - block.index);

    const Owners owners = { block, launch,
      { { range * n_bins, n_bins }, sums_of_owned (launch, block.region (), launch.owned[i]) } };

    owners.counters.clear ();
    if (threadIdx.x < HISTO_N_TALLIES)
      tallies[threadIdx.x] = 0;
    if (threadIdx.x == 0)
      n_begun = blockDim.x / HISTO_WARP_SIZE;
    __syncthreads ();
    owners.count (launch.owned[i], tallies, &n_begun);
    /* See Scopes::run (). */
    wait_for_previous_launch ();
    store_packed_counters (owners.counters, (uint4 *) (launch.packed_tables + (uint64_t) blockIdx.x * n_bins));
    /* The blocks of all ranges have found the same ones. */
    if (range == 0)
      add_tallies (block, tallies);
  }
};

/* Adds up what the blocks have counted, for the host. blockIdx.x is a group of bins, blockIdx.y the component, blockIdx.z
 * the region. */
__device__ __forceinline__ void
sum_owned (const HistoStripLaunch &launch)
{
  const uint32_t r = blockIdx.z, i = blockIdx.y, ranges_log2 = launch.ranges_log2;
  const HistoStripRegion &region = launch.regions[r];
  const HistoOwned &owned = launch.owned[i];
  const uint32_t first = first_owned_of (launch, region);
  const uint32_t n_groups = (launch.first_block[r + 1] - launch.first_block[r]) >> ranges_log2;
  const PackedGroup group (blockIdx.x, ranges_log2, owned.n_bins);

  if (i < first || group.first_bin >= owned.n_bins)
    return;

  const uint32_t begin = first_of_owned (launch, first, n_groups, i);
  const uint32_t end = first_of_owned (launch, first, n_groups, i + 1);
  const uint64_t table = launch.packed_tables
      + (uint64_t) (launch.first_block[r] + (begin << ranges_log2)) * histo_range_bins (ranges_log2);
  const uint2 count = sum_packed_group (group, (const uint4 *) table, (end - begin) << ranges_log2, ranges_log2,
      sums_of_owned (launch, region, owned));

  uint2 *result = (uint2 *) ((uint32_t *) launch.result + first_bin_of_owned (launch, region, owned)) + group.word;

  for (uint32_t k = 0; k < owned.n_equal && group.has_word; k++)
    result[k * owned.n_bins / 2] = count;
}
