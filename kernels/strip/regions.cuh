/* What the kernels of groups and regions have in common: the region of a block, its tallies, and how
 * counters and tallies reach the host.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/counters.cuh"
#include "kernels/strip-launch.h"

typedef unsigned long long Sum;

/* ---- The block's region ---------------------------------------------------------------- */

/* This block's region, and its number among the region's blocks. */
struct RegionBlock
{
  const HistoStripLaunch &launch;
  uint32_t r;
  uint32_t index, count;

  __device__ __forceinline__
  explicit RegionBlock (const HistoStripLaunch &frame) : launch (frame)
  {
    r = 0;
    while (blockIdx.x >= launch.first_block[r + 1])
      r++;
    index = blockIdx.x - launch.first_block[r];
    count = launch.first_block[r + 1] - launch.first_block[r];
  }

  __device__ __forceinline__ const HistoStripRegion &
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

  /* The sum of a bin in global memory, which all blocks of the region add to. A number of 64 bits has room
   * for it, of which only the lower half is used. */
  __device__ __forceinline__ uint32_t *
  sum_of (uint32_t bin) const
  {
    return (uint32_t *) ((Sum *) launch.scratch + first_bin () + bin);
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

  /* For each row of the region the sum of |sample - sample four rows above|. */
  __device__ __forceinline__ Sum *
  row_differences () const
  {
    return (Sum *) launch.row_differences + region ().first_row;
  }

  /* Whether this launch counts the samples of the region; else another kernel does. */
  __device__ __forceinline__ bool
  counts_samples () const
  {
    return has (HISTO_FLAG_SAMPLES) && (region ().number != 0 || launch.n_native_bins == 0);
  }

  /* The counters before this one belong to samples of the picture: another kernel publishes
   * them. */
  __device__ __forceinline__ uint32_t
  first_published () const
  {
    return region ().number == 0 && launch.n_native_bins > launch.first_bin ?
        launch.n_native_bins - launch.first_bin : 0;
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

/* Adds what each lane has. All lanes of the warp call it. */
__device__ __forceinline__ void
add_lanes (Sum *to, Sum value)
{
  const Sum sum = sum_of_warp (value);

  if (is_first_lane () && sum != 0)
    atomicAdd (to, sum);
}

/* Does what add_lanes() does with numbers whose sum has 32 bits. */
__device__ __forceinline__ void
add_lanes_32 (Sum *to, uint32_t value)
{
  const uint32_t sum = sum_of_warp_32 (value);

  if (is_first_lane () && sum != 0)
    atomicAdd (to, (Sum) sum);
}

/* Raises a number to the greatest one that a lane has. */
__device__ __forceinline__ void
raise_lanes (Sum *to, uint32_t value)
{
  for (uint32_t distance = HISTO_WARP_SIZE / 2; distance > 0; distance /= 2)
    value = max (value, __shfl_xor_sync (HISTO_FULL_WARP, value, distance));
  if (is_first_lane () && value != 0)
    atomicMax (to, (Sum) value);
}

/* Adds the tallies of a block to the region's. */
__device__ __forceinline__ void
add_tallies (const RegionBlock &block, const Sum tallies[HISTO_N_TALLIES])
{
  const uint32_t i = threadIdx.x;

  if (i >= HISTO_N_TALLIES || tallies[i] == 0)
    return;
  if (i < HISTO_N_SUM_TALLIES)
    atomicAdd (block.tally_sums () + i, tallies[i]);
  else
    atomicMax (block.tally_sums () + i, tallies[i]);
}

/* ---- To the host ------------------------------------------------------------------------- */

/* Calls move (i, load (i)) for 0 <= i < n; thread `index` of n_threads. Several numbers are loaded before the first
 * one is moved: the latency of memory is most of the time. */
template <typename Load, typename Move>
__device__ __forceinline__ void
move_numbers (uint32_t n, uint32_t index, uint32_t n_threads, const Load &load, const Move &move)
{
  constexpr uint32_t at_once = 8;

  for (uint32_t first = index; first < n; first += at_once * n_threads) {
    decltype (load (0)) numbers[at_once] = { };

#pragma unroll
    for (uint32_t k = 0; k < at_once; k++) {
      if (first + k * n_threads < n)
        numbers[k] = load (first + k * n_threads);
    }
#pragma unroll
    for (uint32_t k = 0; k < at_once; k++) {
      if (first + k * n_threads < n)
        move (first + k * n_threads, numbers[k]);
    }
  }
}

/* Gives sums of the region in global memory to the host, and sets them to zero. */
__device__ __forceinline__ void
move_to_host (Sum *sums, Sum *to, uint32_t n, uint32_t index, uint32_t n_threads)
{
  move_numbers (n, index, n_threads, [&] (uint32_t i) { return __ldcg (sums + i); },
      [&] (uint32_t i, Sum sum) {
        to[i] = sum;
        __stcg (sums + i, (Sum) 0);
      });
}

/* The last block of the region gives the host what the blocks have added in global memory. Its warps share the
 * kinds of sums. */
__device__ __forceinline__ void
publish_region (const RegionBlock &block)
{
  __shared__ uint32_t n_repeated, n_repeated_with_detail;
  const HistoStripLaunch &launch = block.launch;
  const HistoStripRegion &region = block.region ();
  const uint32_t half = blockDim.x / 2, n_others = blockDim.x - half, index = threadIdx.x - half;
  const uint32_t first = block.first_published ();
  uint32_t *result = (uint32_t *) launch.result + block.first_bin ();

  if (threadIdx.x == 0)
    n_repeated = n_repeated_with_detail = 0;
  if (!is_last_of ((uint32_t *) launch.tickets + region.number, block.count))
    return;
  if (threadIdx.x < half) {
    move_numbers (launch.n_bins - min (first, launch.n_bins), threadIdx.x, half,
        [&] (uint32_t i) { return __ldcg (block.sum_of (first + i)); },
        [&] (uint32_t i, uint32_t sum) {
          result[first + i] = sum;
          __stcg (block.sum_of (first + i), 0u);
        });
  } else {
    if (block.has (HISTO_FLAG_SIGNAL)) {
      Sum *differences = block.row_differences ();
      uint32_t n = 0, n_with_detail = 0;

      move_numbers (region.height, index, n_others, [&] (uint32_t y) { return __ldcg (differences + y); },
          [&] (uint32_t y, Sum sum) {
            const uint32_t is_repeated = y >= 4 && (sum & (((Sum) 1 << HISTO_STEPS_SHIFT) - 1)) < region.width;

            n += is_repeated;
            n_with_detail += is_repeated & (uint32_t) histo_row_has_detail ((uint32_t) (sum >> HISTO_STEPS_SHIFT),
                region.width);
            __stcg (differences + y, (Sum) 0);
          });
      atomicAdd (&n_repeated, n);
      atomicAdd (&n_repeated_with_detail, n_with_detail);
    }
    if (block.has (HISTO_FLAG_TALLIES) && block.has (HISTO_FLAG_AREA)) {
      move_to_host (block.tally_sums () + HISTO_N_TALLIES, block.tallies () + HISTO_N_TALLIES, region.height,
          index, n_others);
      move_to_host (block.tally_sums () + region.first_column, block.tallies () + region.first_column,
          region.width, index, n_others);
    }
  }
  if (launch.first_light_bin != 0 && block.has (HISTO_FLAG_TALLIES)) {
    const uint32_t place = region.number * launch.n_region_bins + launch.first_light_bin;
    Sum *sums = (Sum *) launch.scratch + place;

    move_numbers (HISTO_HLG_BINS, threadIdx.x, blockDim.x, [&] (uint32_t i) { return __ldcg ((uint32_t *) (sums + i)); },
        [&] (uint32_t i, uint32_t sum) {
          ((uint32_t *) launch.result)[place + i] = sum;
          __stcg ((uint32_t *) (sums + i), 0u);
        });
  }
  if (launch.first_cell != 0 && region.number == 0 && block.has (HISTO_FLAG_TALLIES))
    move_to_host ((Sum *) launch.tally_sums + launch.first_cell, (Sum *) launch.tallies + launch.first_cell,
        HISTO_N_CELLS_NUMBERS, threadIdx.x, blockDim.x);
  __syncthreads ();
  if (threadIdx.x >= HISTO_N_TALLIES)
    return;

  Sum *to = block.tally_sums () + threadIdx.x;
  const uint32_t n_rows = threadIdx.x == HISTO_TALLY_VREP ? n_repeated : threadIdx.x == HISTO_TALLY_VREP_DETAIL ?
      n_repeated_with_detail : 0;
  const Sum repeated = (Sum) n_rows * region.width;

  if (block.has (HISTO_FLAG_TALLIES)) {
    block.tallies ()[threadIdx.x] = __ldcg (to) + repeated;
    __stcg (to, (Sum) 0);
  } else if (repeated != 0) {
    __stcg (to, __ldcg (to) + repeated);
  }
}
