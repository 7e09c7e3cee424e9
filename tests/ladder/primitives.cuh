/* What the steps are made of: the primitives of a warp and of a block; meetings of a whole
 * grid or cluster; elements and how they are read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/portable.cuh"
#include "kernels/counters.cuh"
#include "ladder.h"

#ifdef CUDAHISTO_SIMT
#include "ladder-shim.h"
#else
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#define LADDER_KNOWN(kernel)
#endif

/* Large blocks whose registers must fit a multiprocessor at once: where it has 2048 threads, as
 * many as the host launches. */
#if defined(__CUDA_ARCH__) \
    && !(__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ / 100 == 10)
#define LADDER_RESIDENT 1
#else
#define LADDER_RESIDENT LADDER_LARGE_BLOCKS
#endif

/* A kernel by its name, which takes a task; on the shim it is made known to the mock. */
#define LADDER_KERNEL(name, threads, blocks, ...) \
  extern "C" __global__ void __launch_bounds__ (threads, blocks) \
  name (const __grid_constant__ LadderTask task) \
  { \
    __VA_ARGS__; \
  } \
  LADDER_KNOWN (name)

/* ---- A warp: all 32 lanes call ----------------------------------------------------- */

/* The sum of all lanes' values, in lane 0. */
template <typename T>
__device__ __forceinline__ T
warp_sum (T value)
{
#pragma unroll
  for (int distance = HISTO_WARP_SIZE / 2; distance > 0; distance /= 2)
    value += __shfl_down_sync (HISTO_FULL_WARP, value, distance);
  return value;
}

/* The same by the one instruction for it, where there is one: integers, since sm_80. */
__device__ __forceinline__ int
warp_sum_redux (int value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return warp_sum (value);
#else
  return __reduce_add_sync (HISTO_FULL_WARP, value);
#endif
}

/* A lane's value, in all lanes. */
template <typename T>
__device__ __forceinline__ T
warp_broadcast (T value, uint32_t lane)
{
  return __shfl_sync (HISTO_FULL_WARP, value, lane);
}

/* To each lane the value of the lane `distance` above, round the end. */
template <typename T>
__device__ __forceinline__ T
warp_rotate (T value, uint32_t distance)
{
  return __shfl_sync (HISTO_FULL_WARP, value,
      (threadIdx.x + distance) % HISTO_WARP_SIZE);
}

/* To each lane the sum of the values up to its own. */
template <typename T>
__device__ __forceinline__ T
warp_scan (T value)
{
  const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;

#pragma unroll
  for (uint32_t distance = 1; distance < HISTO_WARP_SIZE; distance *= 2) {
    const T below = __shfl_up_sync (HISTO_FULL_WARP, value, distance);

    if (lane >= distance)
      value += below;
  }
  return value;
}

/* ---- A block: all threads call, in whole warps ------------------------------------- */

/* The sum of all threads' values, in thread 0. REDUX: by the instruction. Two sums of different
 * ROUND need no barrier between them. */
template <bool REDUX, int ROUND = 0, typename T>
__device__ __forceinline__ T
block_sum (T value)
{
  __shared__ T warps[HISTO_WARP_SIZE];
  const uint32_t n_warps = blockDim.x / HISTO_WARP_SIZE;

  value = REDUX ? (T) warp_sum_redux ((int) value) : warp_sum (value);
  if (threadIdx.x % HISTO_WARP_SIZE == 0)
    warps[threadIdx.x / HISTO_WARP_SIZE] = value;
  __syncthreads ();
  if (threadIdx.x < HISTO_WARP_SIZE) {
    value = threadIdx.x < n_warps ? warps[threadIdx.x] : T (0);
    value = REDUX ? (T) warp_sum_redux ((int) value) : warp_sum (value);
  }
  return value;
}

/* To each thread the sum of the values up to its own: the warps scan, and then one warp
 * scans what these come to. */
template <typename T>
__device__ __forceinline__ T
block_scan (T value)
{
  __shared__ T warps[HISTO_WARP_SIZE];
  const uint32_t warp = threadIdx.x / HISTO_WARP_SIZE;
  const uint32_t lane = threadIdx.x % HISTO_WARP_SIZE;

  value = warp_scan (value);
  if (lane == HISTO_WARP_SIZE - 1)
    warps[warp] = value;
  __syncthreads ();
  if (warp == 0) {
    const T sum = lane < blockDim.x / HISTO_WARP_SIZE ? warps[lane] : T (0);

    warps[lane] = warp_scan (sum);
  }
  __syncthreads ();
  return warp > 0 ? value + warps[warp - 1] : value;
}

/* ---- A grid or a cluster ----------------------------------------------------------------
 *
 * A kernel that meets is written as phases, `if (in_phase (0)) { ... } grid_meets (); ...`:
 * on the shim, where blocks run one after another, all blocks pass through one phase
 * before any begins the next. Therefore nothing but memory may be carried across. */

#ifndef CUDAHISTO_SIMT
__device__ __forceinline__ bool
in_phase (int)
{
  return true;
}

__device__ __forceinline__ void
grid_meets ()
{
  cooperative_groups::this_grid ().sync ();
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ __forceinline__ void
cluster_meets ()
{
  cooperative_groups::this_cluster ().sync ();
}

__device__ __forceinline__ uint32_t
rank_in_cluster ()
{
  return cooperative_groups::this_cluster ().block_rank ();
}

/* The dynamic shared memory of a block of the cluster. */
__device__ __forceinline__ uint32_t *
shared_of_rank (uint32_t rank)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);

  return cooperative_groups::this_cluster ().map_shared_rank (shared, rank);
}
#else
/* No clusters: the host does not launch what calls these. */
__device__ __forceinline__ void
cluster_meets ()
{
}

__device__ __forceinline__ uint32_t
rank_in_cluster ()
{
  return 0;
}

__device__ __forceinline__ uint32_t *
shared_of_rank (uint32_t)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);

  return shared;
}
#endif

/* Whole words that any block may write and any other read, at the cache which all share, and in
 * no order with any other access. */
__device__ __forceinline__ void
store_relaxed (unsigned long long *address, unsigned long long word)
{
#ifdef __CUDA_ARCH__
  asm volatile ("st.relaxed.gpu.global.u64 [%0], %1;" :: "l" (address), "l" (word) : "memory");
#endif
}

__device__ __forceinline__ unsigned long long
load_relaxed (const unsigned long long *address)
{
  unsigned long long word = 0;

#ifdef __CUDA_ARCH__
  asm volatile ("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l" (word) : "l" (address) : "memory");
#endif
  return word;
}

__device__ __forceinline__ float
half_value (uint16_t bits)
{
  return __half2float (__ushort_as_half (bits));
}

__device__ __forceinline__ uint16_t
half_bits (float value)
{
  return __half_as_ushort (__float2half (value));
}
#endif

/* ---- Elements ---------------------------------------------------------------------- */

struct Int
{
  typedef int Stored;
  typedef int Sum;
  static __device__ __forceinline__ Sum value (Stored x) { return x; }
};

struct Float
{
  typedef float Stored;
  typedef float Sum;
  static __device__ __forceinline__ Sum value (Stored x) { return x; }
};

/* Added up as floats: 11 bits would soon round. */
struct Half
{
  typedef uint16_t Stored;
  typedef float Sum;
  static __device__ __forceinline__ Sum value (Stored x) { return half_value (x); }
};

/* The sum of the elements in a 16-byte vector. */
__device__ __forceinline__ int
sum_of_vector (Int, uint4 v)
{
  return (int) (v.x + v.y + v.z + v.w);
}

__device__ __forceinline__ float
sum_of_vector (Float, uint4 v)
{
  return (__uint_as_float (v.x) + __uint_as_float (v.y))
      + (__uint_as_float (v.z) + __uint_as_float (v.w));
}

__device__ __forceinline__ float
sum_of_pair (uint32_t word)
{
  return half_value ((uint16_t) word) + half_value ((uint16_t) (word >> 16));
}

__device__ __forceinline__ float
sum_of_vector (Half, uint4 v)
{
  return (sum_of_pair (v.x) + sum_of_pair (v.y)) + (sum_of_pair (v.z) + sum_of_pair (v.w));
}

/* Loads that a thread has on their way from memory; `#pragma unroll` wants the number. */
#define LADDER_IN_FLIGHT 4

/* Calls `take (vector)` for this thread's share of n_vectors, which the grid's threads take
 * in turn: a warp reads 512 bytes side by side. */
template <typename Take>
__device__ __forceinline__ void
take_vectors_in_turn (const uint4 *vectors, uint32_t n_vectors, const Take &take)
{
  const uint32_t step = gridDim.x * blockDim.x;
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

  for (; i + (LADDER_IN_FLIGHT - 1) * step < n_vectors; i += LADDER_IN_FLIGHT * step) {
    uint4 v[LADDER_IN_FLIGHT];

#pragma unroll
    for (uint32_t k = 0; k < LADDER_IN_FLIGHT; k++)
      v[k] = __ldg (vectors + i + k * step);
#pragma unroll
    for (uint32_t k = 0; k < LADDER_IN_FLIGHT; k++)
      take (v[k]);
  }
  for (; i < n_vectors; i += step)
    take (__ldg (vectors + i));
}
