/* What the kernels of the maps have in common: the region of a block, the bands of the region's
 * rows, sums over a block, and how counters and tallies reach the host.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/counters.cuh"
#include "kernels/maps-launch.h"
#include "kernels/maps/views.cuh"

typedef unsigned long long Sum;

/* ---- The block's region ---------------------------------------------------------------- */

/* This block's region, and its number among the region's blocks. */
struct RegionBlock
{
  const HistoMapsLaunch &launch;
  uint32_t r;
  uint32_t index, count;

  __device__ __forceinline__
  explicit RegionBlock (const HistoMapsLaunch &frame) : launch (frame)
  {
    r = 0;
    while (blockIdx.x >= launch.first_block[r + 1])
      r++;
    index = blockIdx.x - launch.first_block[r];
    count = launch.first_block[r + 1] - launch.first_block[r];
  }

  __device__ __forceinline__ const HistoMapsRegion &
  region () const
  {
    return launch.regions[r];
  }

  __device__ __forceinline__ bool
  has (uint32_t flag) const
  {
    return (launch.flags & flag) != 0;
  }

  /* The place of the block's first counter among the counters of all regions. */
  __device__ __forceinline__ uint32_t
  first_bin () const
  {
    return region ().number * launch.n_region_bins + launch.first_bin;
  }

  /* The block's counters in global memory, where shared memory holds none. */
  __device__ __forceinline__ uint32_t *
  global_counters () const
  {
    return (uint32_t *) ((Sum *) launch.scratch + first_bin ());
  }

  __device__ __forceinline__ Sum *
  tally_sums () const
  {
    return (Sum *) launch.tally_sums + region ().first_tally;
  }

  __device__ __forceinline__ Sum *
  tallies () const
  {
    return (Sum *) launch.tallies + region ().first_tally;
  }

  /* Whether this launch counts the samples of the region; else another kernel does. */
  __device__ __forceinline__ bool
  counts_samples () const
  {
    return has (HISTO_MAPS_SAMPLES) && (region ().number != 0 || launch.n_native_bins == 0);
  }

  /* The counters before this one belong to samples of the picture: another kernel publishes
   * them. */
  __device__ __forceinline__ uint32_t
  first_published () const
  {
    return region ().number == 0 ? launch.n_native_bins - launch.first_bin : 0;
  }
};

/* ---- Sums over a warp and over a block --------------------------------------------------- */

__device__ __forceinline__ Sum
sum_of_warp (Sum value)
{
  for (uint32_t distance = HISTO_WARP_SIZE / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync (HISTO_FULL_WARP, value, distance);
  return value;
}

__device__ __forceinline__ uint32_t
sum_of_warp_32 (uint32_t value)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
  for (uint32_t distance = HISTO_WARP_SIZE / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync (HISTO_FULL_WARP, value, distance);
  return value;
#else
  return __reduce_add_sync (HISTO_FULL_WARP, value);
#endif
}

__device__ __forceinline__ bool
is_first_lane ()
{
  return threadIdx.x % HISTO_WARP_SIZE == 0;
}

/* What a block adds up in shared memory. */
template <typename RowSum>
struct BlockSums
{
  /* The tallies: numbers of pixels of one block, which fit in 32 bits; then the others. */
  uint32_t pixels[HISTO_N_PIXEL_TALLIES];
  Sum others[HISTO_N_TALLIES - HISTO_N_PIXEL_TALLIES];
  /* Of each row of a band: of |sample - sample four rows above|, and of luma. */
  RowSum differences[HISTO_MAPS_BAND_ROWS];
  RowSum lumas[HISTO_MAPS_BAND_ROWS];

  /* Adds what each lane has. All lanes of the warp call it. */
  __device__ __forceinline__ static void
  add_lanes (Sum *to, Sum value)
  {
    const Sum sum = sum_of_warp (value);

    if (is_first_lane ())
      atomicAdd (to, sum);
  }

  /* The same for a tally. */
  __device__ __forceinline__ void
  add_to_tally (uint32_t tally, Sum value)
  {
    if (tally >= HISTO_N_PIXEL_TALLIES) {
      add_lanes (&others[tally - HISTO_N_PIXEL_TALLIES], value);
      return;
    }

    const uint32_t sum = sum_of_warp_32 ((uint32_t) value);

    if (is_first_lane ())
      atomicAdd (&pixels[tally], sum);
  }

  __device__ __forceinline__ Sum
  tally (uint32_t i) const
  {
    return i < HISTO_N_PIXEL_TALLIES ? pixels[i] : others[i - HISTO_N_PIXEL_TALLIES];
  }

  /* One thread of the block calls it for each tally. */
  __device__ __forceinline__ void
  clear_tally (uint32_t i)
  {
    if (i < HISTO_N_PIXEL_TALLIES)
      pixels[i] = 0;
    else
      others[i - HISTO_N_PIXEL_TALLIES] = 0;
  }

  __device__ __forceinline__ void
  clear_rows ()
  {
    for (uint32_t i = threadIdx.x; i < HISTO_MAPS_BAND_ROWS; i += blockDim.x)
      differences[i] = lumas[i] = 0;
  }

  /* Evaluates a band's rows. */
  __device__ __forceinline__ void
  finish_rows (const RegionBlock &block, uint32_t first_row, uint32_t n_rows)
  {
    const uint32_t i = threadIdx.x;

    if (i >= n_rows)
      return;
    if (block.has (HISTO_MAPS_SIGNAL) && first_row + i >= 4
        && differences[i] < block.region ().width)
      atomicAdd (&pixels[HISTO_TALLY_VREP], block.region ().width);
    /* No other block has pixels of the row. */
    if (block.has (HISTO_MAPS_AREA))
      block.tallies ()[HISTO_N_TALLIES + first_row + i] = lumas[i];
  }
};

/* ---- To the host ------------------------------------------------------------------------- */

/* A sink for fold_counters() that leaves out the first bins. */
struct RegionSums
{
  AddAndPublishSum to;
  uint32_t first;

  __device__ __forceinline__ void
  put (uint32_t bin, uint32_t sum) const
  {
    if (bin >= first)
      to.put (bin, sum);
  }
};

/* Adds to the region's counters; the last block of a bin publishes it. */
__device__ __forceinline__ RegionSums
sums_of_region (const RegionBlock &block)
{
  const HistoMapsLaunch &launch = block.launch;

  return {
    { (Sum *) launch.scratch + ((Sum) block.first_bin () << launch.spread_log2),
      (uint32_t *) launch.result + block.first_bin (), block.count, launch.spread_log2 },
    block.first_published ()
  };
}

/* Publishes the block's counters. @places: see fold_copies(). Counters in several tables have their own
 * function of this name. */
template <typename Places>
__device__ __forceinline__ void
publish_copies (const RegionBlock &block, const Places &places)
{
  fold_copies (block.launch.n_bins, block.launch.copies_log2, places, sums_of_region (block));
}

/* Moves n sums of the region from global memory to the host, and leaves zero. */
template <typename Number>
__device__ __forceinline__ void
move_to_host (Number *sums, Number *to, uint32_t first, uint32_t n)
{
  for (uint32_t i = first + threadIdx.x; i < n; i += blockDim.x) {
    to[i] = __ldcg (sums + i);
    __stcg (sums + i, (Number) 0);
  }
}

/* The last block of the region gives the host what the blocks have added in global memory. */
template <typename RowSum>
__device__ __forceinline__ void
publish_sums_of_region (const RegionBlock &block, const BlockSums<RowSum> &sums)
{
  const HistoMapsLaunch &launch = block.launch;
  const HistoMapsRegion &region = block.region ();

  if (threadIdx.x < HISTO_N_TALLIES && block.has (HISTO_MAPS_SIGNAL | HISTO_MAPS_DETAIL))
    atomicAdd (block.tally_sums () + threadIdx.x, sums.tally (threadIdx.x));
  if (!is_last_of ((uint32_t *) launch.tickets + region.number, block.count))
    return;
  if (block.has (HISTO_MAPS_SIGNAL | HISTO_MAPS_DETAIL | HISTO_MAPS_AREA))
    move_to_host (block.tally_sums (), block.tallies (), 0, HISTO_N_TALLIES);
  if (block.has (HISTO_MAPS_AREA))
    move_to_host (block.tally_sums () + region.first_column,
        block.tallies () + region.first_column, 0, region.width);
  if (block.has (HISTO_MAPS_GLOBAL))
    move_to_host (block.global_counters (), (uint32_t *) launch.result + block.first_bin (),
        block.first_published (), launch.n_bins);
}

/* ---- The warps of a block --------------------------------------------------------------- */

/* Divides n_rows rows of a region among the block's warps: as strips of so many columns, of which
 * the first one begins `before` columns before the region, and where these are fewer than the
 * warps, as segments of the rows, which begin at multiples of `unit` rows. Calls
 * measure (strip, begin, end) for the warp's strips. */
template <typename Measure>
__device__ __forceinline__ void
share_band (const HistoMapsRegion &region, uint32_t strip_columns, uint32_t before,
    uint32_t n_rows, uint32_t unit, const Measure &measure)
{
  const uint32_t n_warps = blockDim.x / HISTO_WARP_SIZE;
  const uint32_t n_strips = region.width == 0 ? 0
      : (before + region.width + strip_columns - 1) / strip_columns;
  const uint32_t n_segments = max (n_warps / max (n_strips, 1u), 1u);
  const uint32_t segment_rows = (n_rows + n_segments * unit - 1) / (n_segments * unit) * unit;

  for (uint32_t i = threadIdx.x / HISTO_WARP_SIZE; i < n_strips * n_segments; i += n_warps) {
    const uint32_t segment = i / n_strips, begin = segment * segment_rows;

    /* Rounding up may leave no rows for the last segments. */
    if (begin < n_rows)
      measure (i - segment * n_strips, begin, min (begin + segment_rows, n_rows));
  }
}

/* ---- The kernels' body --------------------------------------------------------------------- */

/* Measures the block's bands of its region. `strips` has these members:
 *
 * measure (first_row, n_rows)   counts a band; all threads of the block call it
 * add_tallies (BlockSums)       adds what the thread has summed
 *
 * The caller has cleared the counters. All threads of the block call it. @places: see publish_copies() */
template <typename Strips, typename RowSum, typename Places>
__device__ __forceinline__ void
measure_region (const RegionBlock &block, Strips &strips, BlockSums<RowSum> &sums,
    const Places &places)
{
  const HistoMapsRegion &region = block.region ();

  if (threadIdx.x < HISTO_N_TALLIES)
    sums.clear_tally (threadIdx.x);
  for (uint32_t first = block.index * region.band_rows; first < region.height;
      first += block.count * region.band_rows) {
    const uint32_t n_rows = min (region.band_rows, region.height - first);

    sums.clear_rows ();
    __syncthreads ();
    strips.measure (first, n_rows);
    __syncthreads ();
    sums.finish_rows (block, first, n_rows);
    __syncthreads ();
  }
  __syncthreads ();
  strips.add_tallies (sums);
  wait_for_previous_launch ();
  if (!block.has (HISTO_MAPS_GLOBAL) && block.launch.n_bins > 0)
    publish_copies (block, places);
  if (block.has (HISTO_MAPS_TICKET)) {
    __syncthreads ();
    publish_sums_of_region (block, sums);
  }
}

/* ---- The kernels ----------------------------------------------------------------------------- */

/* The code of a kernel of HISTO_MAPS_KERNELS: evaluate (launch). */
template <uint32_t KERNEL>
struct MapsKernel;
