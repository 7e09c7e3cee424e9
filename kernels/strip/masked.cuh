/* Regions under a mask: counts the samples that take part, and what follows from single samples and pixels that do.
 *
 * One kernel for all formats reads the frame sample by sample. The picture is a region, too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip/regions.cuh"
#include "kernels/video/samples.cuh"

/* What a thread measures of a region. */
struct MaskedThread
{
  const HistoMaskedLaunch &launch;
  const HistoFormulas &formulas;
  const HistoMaskedRegion &region;
  uint32_t *const counters;     /* of the region: in shared or global memory */
  uint32_t brng, outside[5];
  uint32_t greatest[3], extremes[8];    /* as the tallies of R, G and B of `hdr`, and as those of `gamut` */

  __device__ __forceinline__
  MaskedThread (const HistoMaskedLaunch &of, const HistoMaskedRegion &in, uint32_t *to)
  : launch (of), formulas (of.formulas), region (in), counters (to), brng (0), outside (), greatest (), extremes ()
  {
  }

  __device__ __forceinline__ bool
  has (uint32_t flag) const
  {
    return (launch.flags & flag) != 0;
  }

  __device__ __forceinline__ void
  count (uint32_t source, uint32_t c, uint32_t value) const
  {
    atomicAdd (counters + launch.first_bins[source][c] + value, 1u);
  }

  /* Whether pixel (x, y) takes part. */
  __device__ __forceinline__ bool
  takes_part (uint32_t x, uint32_t y) const
  {
    return launch.pixels != 0 ? __ldg ((const uint8_t *) launch.pixels + (uint64_t) y * launch.width + x) != 0
        : load_component (launch.components[launch.alpha], launch.planes, x, y) != 0;
  }

  /* ---- Samples ---- */

  /* Calls use (x, y) for the thread's share of those samples that have pixels of the region and take part. A sample belongs to
   * 2^w_sub columns and 2^h_sub rows; a row of the picture has at most @width. */
  template <typename Use>
  __device__ __forceinline__ void
  for_each_sample (uint32_t w_sub, uint32_t h_sub, uint32_t width, const Use &use) const
  {
    const uint32_t first = region.x >> w_sub, first_row = region.y >> h_sub;
    const uint32_t end = min (((region.x + region.width - 1) >> w_sub) + 1, width);
    const uint32_t n_rows = ((region.y + region.height - 1) >> h_sub) + 1 - first_row;

    if (first >= end)
      return;

    Walk walk ({ blockIdx.x, gridDim.x }, end - first);

    for (; walk.row < n_rows; walk.advance ()) {
      const uint32_t x = first + walk.column, y = first_row + walk.row;

      if (takes_part (x << w_sub, histo_nearest_row (&launch.scan, h_sub, launch.height, y)))
        use (x, y);
    }
  }

  __device__ __forceinline__ void
  count_samples () const
  {
    for (uint32_t c = 0; c < launch.n_components; c++) {
      const HistoComponentSamples &component = launch.components[c];

      for_each_sample (launch.w_sub[c], launch.h_sub[c], component.width, [&] (uint32_t x, uint32_t y) {
        count (HISTO_STRIP_SAMPLE, c, load_component (component, launch.planes, x, y));
      });
    }
  }

  /* ---- Chroma ---- */

  __device__ __forceinline__ void
  count_chroma_of (uint32_t u, uint32_t v) const
  {
    const int32_t mid = 1 << (formulas.depth - 1), du = (int32_t) u - mid, dv = (int32_t) v - mid;
    uint32_t entry;

    /* Three hues of the table are not those of the formula. */
    if (launch.chroma_table != 0)
      entry = __ldg ((const uint32_t *) launch.chroma_table + (u << formulas.depth | v));
    else
      entry = HISTO_CHROMA_ENTRY (histo_saturation (du, dv), histo_quick_hue (du, dv));
    count (HISTO_STRIP_SATURATION, 0, HISTO_CHROMA_SATURATION (entry));
    count (HISTO_STRIP_HUE, 0, HISTO_CHROMA_HUE (entry));
  }

  /* Saturation and hue of YUV: of each sample of chroma. */
  __device__ __forceinline__ void
  count_chroma () const
  {
    for_each_sample (formulas.w_sub, formulas.h_sub, UINT32_MAX, [&] (uint32_t x, uint32_t y) {
      count_chroma_of (sample (1, x, y), sample (2, x, y));
    });
  }

  /* ---- Pixels ---- */

  /* Sample (x, y) of Y, U, V or of R, G, B for the formulas. */
  __device__ __forceinline__ uint32_t
  sample (uint32_t c, uint32_t x, uint32_t y) const
  {
    const uint32_t value = load_component (launch.components[c], launch.planes, x, y);

    return formulas.depths[c] == formulas.depth ? value : histo_scale_sample (value, formulas.depths[c], formulas.depth);
  }

  /* U or V of a pixel in column @x. @row: of chroma */
  __device__ __forceinline__ uint32_t
  chroma_of_pixel (uint32_t c, uint32_t x, uint32_t row) const
  {
    return formulas.has_chroma ? sample (c, x >> formulas.w_sub, row) : 1u << (formulas.depth - 1);
  }

  __device__ __forceinline__ void
  check_range (uint32_t y, uint32_t u, uint32_t v)
  {
    brng += histo_luma_is_out_of_range (y, formulas.depth) | histo_chroma_is_out_of_range (u, formulas.depth)
        | histo_chroma_is_out_of_range (v, formulas.depth);
  }

  __device__ __forceinline__ void
  check_gamut (uint32_t a, uint32_t b, uint32_t c)
  {
    const int32_t least = histo_gamut_least (formulas.depth), most = histo_gamut_greatest (formulas.depth);
    uint32_t any = 0;

#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      const int32_t value = histo_gamut_row (&formulas.gamut, i, a, b, c);
      const uint32_t is_outside = (value < least) | (value > most);

      outside[i] += is_outside;
      any |= is_outside;
      extremes[2 * i] = max (extremes[2 * i], (uint32_t) (value + HISTO_GAMUT_BIAS));
      extremes[2 * i + 1] = max (extremes[2 * i + 1], (uint32_t) (HISTO_GAMUT_BIAS - value));
    }
    outside[4] += any;
  }

  __device__ __forceinline__ void
  raise_greatest (const uint32_t values[3])
  {
#pragma unroll
    for (uint32_t k = 0; k < 3; k++)
      greatest[k] = max (greatest[k], values[k] + 1);
  }

  /* The light of HLG. */
  __device__ __forceinline__ void
  count_light (const uint32_t rgb[3])
  {
    const uint16_t *table = (const uint16_t *) launch.hlg, *powers = table + (1u << formulas.depth);
    uint32_t lights[3];
    const uint32_t most = histo_hlg_light (table[rgb[0]], table[rgb[1]], table[rgb[2]], powers, lights);

    atomicAdd (counters + launch.first_light_bin + powers[HISTO_HLG_NUMBERS + most], 1u);
    raise_greatest (lights);
  }

  __device__ __forceinline__ void
  measure_rgb (const uint32_t rgb[3])
  {
    const uint32_t most = max (max (rgb[0], rgb[1]), rgb[2]);

    if (has (HISTO_FLAG_SIGNAL)) {
      uint32_t yuv[3];

#pragma unroll
      for (uint32_t i = 0; i < 3; i++)
        yuv[i] = histo_matrix_row (&formulas.matrix, i, rgb[0], rgb[1], rgb[2]);
      check_range (yuv[0], yuv[1], yuv[2]);
      count_chroma_of (yuv[1], yuv[2]);
    }
    if (has (HISTO_FLAG_COLOR))
      count (HISTO_STRIP_LUMA, 0, histo_matrix_row (&formulas.luma, 0, rgb[0], rgb[1], rgb[2]));
    if (has (HISTO_FLAG_HDR))
      count (HISTO_STRIP_MAXRGB, 0, formulas.is_limited ? histo_stretch_rgb (most, formulas.depth) : most);
    if (has (HISTO_FLAG_LIGHT))
      count_light (rgb);
  }

  __device__ __forceinline__ void
  measure_yuv (uint32_t y, uint32_t u, uint32_t v)
  {
    uint32_t rgb[3];

#pragma unroll
    for (uint32_t i = 0; i < 3; i++)
      rgb[i] = histo_matrix_row (&formulas.matrix, i, y, u, v);
    if (has (HISTO_FLAG_COLOR)) {
      count (HISTO_STRIP_RED, 0, rgb[0]);
      count (HISTO_STRIP_GREEN, 0, rgb[1]);
      count (HISTO_STRIP_BLUE, 0, rgb[2]);
    }
    if (has (HISTO_FLAG_HDR))
      count (HISTO_STRIP_MAXRGB, 0, max (max (rgb[0], rgb[1]), rgb[2]));
    if (has (HISTO_FLAG_GREATEST))
      raise_greatest (rgb);
    if (has (HISTO_FLAG_LIGHT))
      count_light (rgb);
  }

  __device__ __forceinline__ void
  measure_pixel (uint32_t x, uint32_t y)
  {
    const uint32_t row = histo_chroma_row (&launch.scan, y), frame_row = y >> formulas.h_sub;
    uint32_t values[3];

    values[0] = sample (0, x, y);
#pragma unroll
    for (uint32_t c = 1; c < 3; c++)
      values[c] = formulas.is_rgb ? sample (c, x, y) : chroma_of_pixel (c, x, row);
    if (has (HISTO_FLAG_GAMUT))
      check_gamut (values[0], values[1], values[2]);
    if (formulas.is_rgb) {
      measure_rgb (values);
      return;
    }
    if (has (HISTO_FLAG_COLOR | HISTO_FLAG_HDR))
      measure_yuv (values[0], values[1], values[2]);
    /* `signal` looks at the rows of frames, as signalstats. */
    if (has (HISTO_FLAG_SIGNAL))
      check_range (values[0], chroma_of_pixel (1, x, frame_row), chroma_of_pixel (2, x, frame_row));
  }

  /* ---- The region ---- */

  __device__ __forceinline__ void
  measure ()
  {
    count_samples ();
    if (has (HISTO_FLAG_SIGNAL) && formulas.has_chroma && !formulas.is_rgb)
      count_chroma ();
    if (has (HISTO_FLAG_SIGNAL | HISTO_FLAG_COLOR | HISTO_FLAG_HDR | HISTO_FLAG_GAMUT))
      for_each_sample (0, 0, UINT32_MAX, [&] (uint32_t x, uint32_t y) {
        measure_pixel (x, y);
      });
  }

  /* All lanes of a warp call it. @tallies: the block's */
  __device__ __forceinline__ void
  finish (Sum *tallies) const
  {
    add_lanes_32 (tallies + HISTO_TALLY_BRNG, brng);
#pragma unroll
    for (uint32_t i = 0; i < 5; i++)
      add_lanes_32 (tallies + HISTO_TALLY_GAMUT_R + i, outside[i]);
#pragma unroll
    for (uint32_t i = 0; i < 3; i++)
      raise_lanes (tallies + HISTO_TALLY_GREATEST_RED + i, greatest[i]);
#pragma unroll
    for (uint32_t i = 0; i < 8; i++)
      raise_lanes (tallies + HISTO_TALLY_GREATEST_R + i, extremes[i]);
  }
};

/* The kernel's body. Grid: (blocks of a region, regions). */
__device__ __forceinline__ void
measure_masked (const HistoMaskedLaunch &launch)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);
  __shared__ Sum tallies[HISTO_N_TALLIES];
  const HistoMaskedRegion &region = launch.regions[blockIdx.y];
  uint32_t *const sums = (uint32_t *) launch.counters + (uint64_t) region.number * launch.n_region_bins;
  Sum *const tally_sums = (Sum *) launch.tallies + (uint64_t) region.number * HISTO_N_TALLIES;
  const uint32_t n_shared = launch.is_shared ? launch.n_region_bins : 0;

  if (region.width == 0 || region.height == 0)
    return;
  for (uint32_t i = threadIdx.x; i < n_shared; i += blockDim.x)
    shared[i] = 0;
  if (threadIdx.x < HISTO_N_TALLIES)
    tallies[threadIdx.x] = 0;
  __syncthreads ();

  MaskedThread thread (launch, region, launch.is_shared ? shared : sums);

  thread.measure ();
  __syncwarp ();
  thread.finish (tallies);
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < n_shared; i += blockDim.x)
    if (shared[i] > 0)
      atomicAdd (sums + i, shared[i]);
  if ((launch.flags & HISTO_FLAG_TALLIES) == 0 || threadIdx.x >= HISTO_N_TALLIES || tallies[threadIdx.x] == 0)
    return;
  if (threadIdx.x < HISTO_N_SUM_TALLIES)
    atomicAdd (tally_sums + threadIdx.x, tallies[threadIdx.x]);
  else
    atomicMax (tally_sums + threadIdx.x, tallies[threadIdx.x]);
}
