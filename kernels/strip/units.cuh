/* The units of work of a region: strip x band.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip/regions.cuh"

/* Gives all lanes of a warp the same number, which no other warp gets. */
__device__ __forceinline__ uint32_t
next_number (uint32_t *next)
{
  uint32_t number = 0;

  if (is_first_lane ())
    number = atomicAdd (next, 1u);
  return __shfl_sync (HISTO_FULL_WARP, number, 0);
}

/* Calls measure (strip, first row, row after the last one) for the units of the block's region that this warp
 * measures. @n_begun: in shared memory, the number of the block's warps when all have come here */
template <typename Measure>
__device__ __forceinline__ void
for_each_unit (const RegionBlock &block, uint32_t *n_begun, const Measure &measure)
{
  const HistoStripRegion &region = block.region ();
  const uint32_t n_strips = region.width == 0 ? 0
      : (region.x % 4 + region.width + HISTO_STRIP_COLUMNS - 1) / HISTO_STRIP_COLUMNS;
  const uint32_t n_units = n_strips * region.n_bands;

  /* The first unit of a warp follows from its number. Who is done takes the block's next one, because the warps of
   * a multiprocessor are not equally fast. */
#pragma unroll 1
  for (uint32_t own = threadIdx.x / HISTO_WARP_SIZE;; own = next_number (n_begun)) {
    const uint32_t i = own * block.count + block.index;

    if (i >= n_units)
      break;

    const uint32_t band = i / n_strips;

    measure (i - band * n_strips, histo_band_row (&region, band), histo_band_row (&region, band + 1));
  }
}
