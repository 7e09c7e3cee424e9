/* The maps pixel by pixel: any format, depth and alignment.
 *
 * A warp measures 32 columns of a region and goes down the rows of a band; each lane has one
 * column. A sample of subsampled chroma is counted with the first of its pixels that lies in the
 * region.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps/regions.cuh"

/* The numbers of a pixel's chroma sample; the last sample may be missing in a row. */
struct ChromaPlace
{
  uint32_t x, y;

  __device__ __forceinline__
  ChromaPlace (const HistoMaps &maps, const HistoMapsView &view, uint32_t px, uint32_t py)
  {
    x = min (px >> maps.w_sub, view.width - 1);
    y = py >> maps.h_sub;
  }
};

template <typename Counters>
struct PixelStrips
{
  typedef BlockSums<Sum> Sums;
  const RegionBlock &block;
  const HistoMapsLaunch &launch;
  const HistoMaps &maps;
  const HistoMapsRegion &region;
  const Counters &counters;
  Sums &sums;
  Sum tallies[HISTO_N_TALLIES];

  __device__ __forceinline__
  PixelStrips (const RegionBlock &of, const Counters &to, Sums &shared)
  : block (of), launch (of.launch), maps (of.launch.maps), region (of.region ()),
    counters (to), sums (shared)
  {
    for (uint32_t i = 0; i < HISTO_N_TALLIES; i++)
      tallies[i] = 0;
  }

  __device__ __forceinline__ void
  count (uint32_t bin) const
  {
    counters.count_at (counters.offset_of (bin));
  }

  /* Whether pixel (x, y) of the region is the first one of its sample of the view. */
  __device__ __forceinline__ bool
  is_first_of_sample (const HistoMapsView &view, uint32_t x, uint32_t y) const
  {
    if (!view.is_chroma)
      return true;
    return (x == 0 || ((region.x + x) & ((1u << maps.w_sub) - 1)) == 0)
        && (y == 0 || ((region.y + y) & ((1u << maps.h_sub) - 1)) == 0);
  }

  /* Native components: samples and differences. */
  __device__ __forceinline__ void
  count_native (uint32_t c, uint32_t x, uint32_t y) const
  {
    const HistoMapsView &view = launch.native[c];
    const uint32_t at_x = (region.x + x) >> (view.is_chroma ? maps.w_sub : 0);
    const uint32_t at_y = (region.y + y) >> (view.is_chroma ? maps.h_sub : 0);

    if (at_x >= view.width || !is_first_of_sample (view, x, y))
      return;

    const uint32_t value = load_at (view, at_x, at_y);

    if (block.counts_samples ())
      count (launch.sample_bins[c] + value);
    if (block.has (HISTO_MAPS_COPY) && region.number == 0)
      store_at (launch.copy[c], at_x, at_y, value);
    if (block.has (HISTO_MAPS_MOTION) && block.has (HISTO_MAPS_PREVIOUS)) {
      const uint32_t before = load_at (launch.previous[c], at_x, at_y);

      count (launch.difference_bins[c] + max (value, before) - min (value, before));
    }
  }

  /* ---- signal ---- */

  __device__ __forceinline__ uint32_t
  luma_of_signal (uint32_t x, uint32_t y) const
  {
    return load_at (launch.signal[0], region.x + x, region.y + y);
  }

  /* Whether the pixels at x - 1, x and x + 1 are outliers between two rows. */
  __device__ __forceinline__ bool
  are_outliers (uint32_t x, uint32_t above, uint32_t y, uint32_t below) const
  {
    bool are = true;

    for (uint32_t i = x - 1; i <= x + 1; i++)
      are = are && histo_is_outlier (luma_of_signal (i, above), luma_of_signal (i, y),
          luma_of_signal (i, below), maps.depth);
    return are;
  }

  __device__ __forceinline__ bool
  is_temporal_outlier (uint32_t x, uint32_t y) const
  {
    if (x == 0 || y == 0 || x + 1 >= region.width || y + 1 >= region.height
        || !are_outliers (x, y - 1, y, y + 1))
      return false;
    return y == 1 || y + 2 >= region.height || are_outliers (x, y - 2, y, y + 2);
  }

  __device__ __forceinline__ void
  count_chroma (uint32_t u, uint32_t v) const
  {
    const int32_t mid = 1 << (maps.depth - 1);

    if (launch.chroma_table != 0) {
      const uint32_t entry =
          __ldg ((const uint32_t *) launch.chroma_table + (u << maps.depth) + v);

      count (launch.saturation_bin + HISTO_CHROMA_SATURATION (entry));
      count (launch.hue_bin + HISTO_CHROMA_HUE (entry));
    } else {
      const int32_t du = (int32_t) u - mid, dv = (int32_t) v - mid;

      count (launch.saturation_bin + histo_saturation (du, dv));
      count (launch.hue_bin + histo_hue (du, dv));
    }
  }

  __device__ __forceinline__ void
  measure_signal (uint32_t x, uint32_t y)
  {
    const HistoMapsView &chroma = launch.signal[1];
    bool is_out = histo_luma_is_out_of_range (luma_of_signal (x, y), maps.depth);

    if (maps.has_chroma) {
      const ChromaPlace u_place (maps, chroma, region.x + x, region.y + y);
      const ChromaPlace v_place (maps, launch.signal[2], region.x + x, region.y + y);
      const uint32_t u = load_at (chroma, u_place.x, u_place.y);
      const uint32_t v = load_at (launch.signal[2], v_place.x, v_place.y);

      is_out = is_out || histo_chroma_is_out_of_range (u, maps.depth)
          || histo_chroma_is_out_of_range (v, maps.depth);
      if (is_first_of_sample (chroma, x, y))
        count_chroma (u, v);
    }
    tallies[HISTO_TALLY_BRNG] += is_out;
    tallies[HISTO_TALLY_TOUT] += is_temporal_outlier (x, y);
  }

  __device__ __forceinline__ uint32_t
  difference_of_rows (uint32_t x, uint32_t y) const
  {
    const int32_t difference =
        (int32_t) luma_of_signal (x, y) - (int32_t) luma_of_signal (x, y - 4);

    return difference < 0 ? -difference : difference;
  }

  /* ---- color and hdr ---- */

  __device__ __forceinline__ uint32_t
  scaled_sample (uint32_t c, uint32_t x, uint32_t y) const
  {
    return histo_scale_sample (load_at (launch.native[c], region.x + x, region.y + y),
        maps.depths[c], maps.depth);
  }

  __device__ __forceinline__ void
  count_of_rgb (uint32_t x, uint32_t y) const
  {
    if (block.has (HISTO_MAPS_COLOR))
      count (launch.color_bins[0] + load_at (launch.luma, region.x + x, region.y + y));
    if (!block.has (HISTO_MAPS_HDR))
      return;

    const uint32_t greatest = max (max (scaled_sample (0, x, y), scaled_sample (1, x, y)),
        scaled_sample (2, x, y));

    /* Stretching keeps the order. */
    count (launch.maxrgb_bin
        + (maps.is_limited ? histo_stretch_rgb (greatest, maps.depth) : greatest));
  }

  __device__ __forceinline__ void
  count_of_yuv (uint32_t x, uint32_t y) const
  {
    const uint32_t px = region.x + x, py = region.y + y;
    const uint32_t luma = load_at (launch.native[0], px, py);
    uint32_t u = 1u << (maps.depth - 1), v = u, greatest = 0;

    if (maps.has_chroma) {
      const ChromaPlace u_place (maps, launch.native[1], px, py);
      const ChromaPlace v_place (maps, launch.native[2], px, py);

      u = load_at (launch.native[1], u_place.x, u_place.y);
      v = load_at (launch.native[2], v_place.x, v_place.y);
    }
    for (uint32_t i = 0; i < 3; i++) {
      const uint32_t value = histo_matrix_row (&maps.matrix, i, luma, u, v);

      greatest = max (greatest, value);
      if (block.has (HISTO_MAPS_COLOR))
        count (launch.color_bins[i] + value);
    }
    if (block.has (HISTO_MAPS_HDR))
      count (launch.maxrgb_bin + greatest);
  }

  /* ---- detail ---- */

  __device__ __forceinline__ int32_t
  stretched_luma (const HistoMapsView &view, uint32_t x, uint32_t y) const
  {
    return histo_stretch (load_at (view, region.x + x, region.y + y), maps.depth,
        maps.is_limited);
  }

  __device__ __forceinline__ void
  load_three (uint32_t x, uint32_t y, int32_t row[3]) const
  {
    for (uint32_t i = 0; i < 3; i++)
      row[i] = stretched_luma (launch.luma, x - 1 + i, y);
  }

  __device__ __forceinline__ void
  measure_detail (uint32_t x, uint32_t y)
  {
    if (x > 0 && y > 0 && x + 1 < region.width && y + 1 < region.height) {
      int32_t above[3], row[3], below[3];

      load_three (x, y - 1, above);
      load_three (x, y, row);
      load_three (x, y + 1, below);

      const float magnitude = sqrtf ((float) histo_gradient_square (above, row, below));
      const Sum fixed = histo_gradient_fixed (magnitude, maps.depth);

      count (launch.gradient_bin + histo_gradient (magnitude, maps.depth));
      tallies[HISTO_TALLY_GRADIENT_SUM] += fixed;
      tallies[HISTO_TALLY_GRADIENT_SQUARES] += fixed * fixed;
    }
    if (block.has (HISTO_MAPS_PREVIOUS)) {
      const int64_t difference = (int64_t) stretched_luma (launch.luma, x, y)
          - stretched_luma (launch.previous_luma, x, y);

      tallies[HISTO_TALLY_TI_SUM] += difference;
      tallies[HISTO_TALLY_TI_SQUARES] += difference * difference;
    }
  }

  /* ---- area ---- */

  __device__ __forceinline__ uint32_t
  lightness (uint32_t x, uint32_t y) const
  {
    if (maps.is_rgb)
      return scaled_sample (0, x, y) + scaled_sample (1, x, y) + scaled_sample (2, x, y);
    return load_at (launch.native[0], region.x + x, region.y + y);
  }

  /* ---- A band ---- */

  __device__ __forceinline__ void
  measure_pixel (uint32_t x, uint32_t y)
  {
    for (uint32_t c = 0; c < launch.n_components; c++)
      count_native (c, x, y);
    if (block.has (HISTO_MAPS_SIGNAL))
      measure_signal (x, y);
    if (maps.is_rgb)
      count_of_rgb (x, y);
    else if (block.has (HISTO_MAPS_COLOR | HISTO_MAPS_HDR))
      count_of_yuv (x, y);
    if (block.has (HISTO_MAPS_DETAIL))
      measure_detail (x, y);
  }

  /* Measures rows `row` to end - 1 of the lane's column. The lanes of columns outside the region
   * take part in the sums of the rows. */
  __device__ __forceinline__ void
  measure_column (uint32_t x, uint32_t row, uint32_t end, uint32_t first_row)
  {
    const bool is_inside = x < region.width;
    Sum column = 0;

    for (uint32_t y = row; y < end; y++) {
      const uint32_t luma = is_inside && block.has (HISTO_MAPS_AREA) ? lightness (x, y) : 0;

      if (is_inside)
        measure_pixel (x, y);
      if (block.has (HISTO_MAPS_SIGNAL))
        Sums::add_lanes (&sums.differences[y - first_row],
            is_inside && y >= 4 ? difference_of_rows (x, y) : 0);
      if (block.has (HISTO_MAPS_AREA))
        Sums::add_lanes (&sums.lumas[y - first_row], luma);
      column += luma;
    }
    if (is_inside && block.has (HISTO_MAPS_AREA))
      atomicAdd (block.tally_sums () + region.first_column + x, column);
  }

  __device__ __forceinline__ void
  measure (uint32_t first_row, uint32_t n_rows)
  {
    share_band (region, HISTO_WARP_SIZE, 0, n_rows, 1,
        [&] (uint32_t strip, uint32_t begin, uint32_t end) {
          measure_column (strip * HISTO_WARP_SIZE + threadIdx.x % HISTO_WARP_SIZE,
              first_row + begin, first_row + end, first_row);
        });
  }

  __device__ __forceinline__ void
  add_tallies (Sums &to) const
  {
    for (uint32_t i = 0; i < HISTO_N_TALLIES; i++)
      to.add_to_tally (i, tallies[i]);
  }
};

template <typename Counters>
__device__ __forceinline__ void
map_pixels (const RegionBlock &block, const Counters &counters, BlockSums<Sum> &sums)
{
  PixelStrips<Counters> strips (block, counters, sums);

  counters.clear ();
  measure_region (block, strips, sums, CopiesInOrder { block.launch.copies_log2 });
}

template <>
struct MapsKernel<HISTO_MAPS_pixels>
{
  __device__ __forceinline__ static void
  evaluate (const HistoMapsLaunch &launch)
  {
    __shared__ BlockSums<Sum> sums;
    const RegionBlock block (launch);

    if (block.has (HISTO_MAPS_GLOBAL)) {
      const GlobalCounters counters = { block.global_counters () };

      map_pixels (block, counters, sums);
    } else {
      const SharedCounters counters (launch.n_bins, launch.copies_log2);

      map_pixels (block, counters, sums);
    }
  }
};
