/* Counters of a block: private copies in shared memory, and how they become one.
 *
 * The copies of a bin lie side by side, one per lane of a warp if there are 32: then
 * each lane has a bank of its own, and a warp counts 32 samples in one pass whatever
 * their values. With fewer copies neighbouring lanes share them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "portable.cuh"
#include "kernels/histo.h"

/* ---- Counting ----------------------------------------------------------------------- */

/* The block's copies, at the start of its dynamic shared memory. A bin's counter is
 * addressed by byte offset, made of disjoint bits: of a base that holds the component
 * and the lane's copy, and of the value, shifted. So an address is one rotation and one
 * three-way logic operation away from the word that the sample came in. */
struct SharedCounters
{
  static const bool joins_runs = false;
  uint32_t bin_log2;            /* of the bytes from bin to bin */
  uint32_t first;               /* byte offset of this lane's copy of the first bin */

  __device__ __forceinline__
  explicit SharedCounters (uint32_t copies_log2, uint32_t first_bin = 0)
  {
    bin_log2 = copies_log2 + 2;
    first = (first_bin << bin_log2) + (threadIdx.x & ((1u << copies_log2) - 1)) * 4;
  }

  __device__ __forceinline__ uint32_t
  offset_of (uint32_t bin) const
  {
    return (bin << bin_log2) + first;
  }

  __device__ __forceinline__ void
  count_at (uint32_t offset) const
  {
#ifdef __CUDA_ARCH__
    /* What atomicAdd() does; but that takes a generic pointer, for which sm_90 works out
     * anew, at each sample, where in its cluster's memory the block's begins. The
     * symbol's own address is a constant that the instruction takes along. */
    uint32_t base;

    asm ("mov.u32 %0, histo_dynamic_shared;" : "=r" (base));
    asm volatile ("red.shared.add.u32 [%0], 1;" :: "r" (base + offset) : "memory");
#else
    HISTO_DYNAMIC_SHARED (uint32_t, shared);

    atomicAdd ((uint32_t *) ((char *) shared + offset), 1u);
#endif
  }
};

/* One copy for the block, of 16-bit counters, two to a word: 65536 of them fit. What a
 * counter loses when it wraps around goes to global memory, told from what the atomic
 * operation returns, so that it does not matter who else counts meanwhile. Words are
 * permuted within each row of banks by the higher bits of their index, so that values
 * which are alike modulo a power of two do not meet in one bank. */
struct PackedCounters
{
  /* Equal neighbours are counted at once: otherwise they would queue for one address. */
  static const bool joins_runs = true;
  static const uint32_t bin_log2 = 1;
  uint32_t *sums;               /* the grid's, in global memory */

  __device__ __forceinline__ static uint32_t
  word_of (uint32_t bin)
  {
    const uint32_t word = bin >> 1;

    return word ^ ((word >> 5 ^ word >> 10) & (HISTO_WARP_SIZE - 1));
  }

  __device__ __forceinline__ uint32_t
  offset_of (uint32_t bin) const
  {
    return bin << bin_log2;
  }

  __device__ __forceinline__ void
  count_at (uint32_t offset, uint32_t n = 1) const
  {
    HISTO_DYNAMIC_SHARED (uint32_t, shared);
    const uint32_t bin = offset >> bin_log2;
    const uint32_t shift = (bin & 1) * 16;
    const uint32_t wrap = 0x10000;
    uint32_t *word = shared + word_of (bin);
    const uint32_t old = atomicAdd (word, n << shift);

    if ((old >> shift & (wrap - 1)) + n < wrap)
      return;
    atomicAdd (sums + bin, wrap);
    if (shift == 0) {
      /* It carried one into the upper counter, which may have wrapped around by that,
       * and may do so backwards when the one is taken out again. */
      if (old >> 16 == wrap - 1)
        atomicAdd (sums + bin + 1, wrap);
      if (atomicSub (word, wrap) >> 16 == 0)
        atomicSub (sums + bin + 1, wrap);
    }
  }
};

/* Shared memory holds none: the one copy of the whole grid, in global memory. */
struct GlobalCounters
{
  static const bool joins_runs = true;
  static const uint32_t bin_log2 = 2;
  uint32_t *bins;

  __device__ __forceinline__ uint32_t
  offset_of (uint32_t bin) const
  {
    return bin << bin_log2;
  }

  __device__ __forceinline__ void
  count_at (uint32_t offset, uint32_t n = 1) const
  {
    atomicAdd ((uint32_t *) ((char *) bins + offset), n);
  }
};

/* ---- From copies to one --------------------------------------------------------------- */

/* Sets n_bins << copies_log2 counters to zero; all threads of the block, which must
 * synchronise before they count. */
__device__ __forceinline__ void
clear_counters (uint32_t n_bins, uint32_t copies_log2)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);
  /* Whole vectors: the memory is a multiple of 16 bytes. */
  const uint32_t n_vectors = ((n_bins << copies_log2) + 3) / 4;

  for (uint32_t i = threadIdx.x; i < n_vectors; i += blockDim.x)
    ((uint4 *) shared)[i] = make_uint4 (0, 0, 0, 0);
}

/* What becomes of a bin's sum over a block's copies: it is all there is, ... */
struct StoreSum
{
  uint32_t *result;

  __device__ __forceinline__ void
  put (uint32_t bin, uint32_t sum) const
  {
    result[bin] = sum;
  }
};

/* ... or one of many, to be added up and handed on later, ... */
struct AddSum
{
  uint32_t *sums;

  __device__ __forceinline__ void
  put (uint32_t bin, uint32_t sum) const
  {
    if (sum > 0)
      atomicAdd (sums + bin, sum);
  }
};

/* ... or one of n_blocks that are counted in the upper half of the same number: whoever
 * finds to be the last has the whole, hands it to the host, and leaves zero for the next
 * launch. One round trip to memory, where a ticket for the block would take four. */
struct AddAndPublishSum
{
  unsigned long long *sums;
  uint32_t *result;
  uint32_t n_blocks;

  __device__ __forceinline__ void
  put (uint32_t bin, uint32_t sum) const
  {
    const unsigned long long old = atomicAdd (sums + bin, 1ull << 32 | sum);

    if ((uint32_t) (old >> 32) == n_blocks - 1) {
      result[bin] = (uint32_t) old + sum;
      sums[bin] = 0;
    }
  }
};

/* Puts the sums of the block's copies where they belong; all threads of the block, in whole
 * warps. As many threads share a bin as there are to spare. Which copy a thread begins
 * with depends on the bin, so that a warp reads in 32 different banks. */
template <typename Sum>
__device__ __forceinline__ void
fold_counters (uint32_t n_bins, uint32_t copies_log2, const Sum &sums)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);
  uint32_t sharers_log2 = 0;

  while (sharers_log2 < copies_log2 && n_bins << (sharers_log2 + 1) <= blockDim.x)
    sharers_log2++;

  const uint32_t n_sharers = 1u << sharers_log2;
  const uint32_t sharer = threadIdx.x & (n_sharers - 1);
  const uint32_t own_copies = 1u << (copies_log2 - sharers_log2);

  __syncthreads ();
  for (uint32_t first = 0; first < n_bins; first += blockDim.x >> sharers_log2) {
    const uint32_t bin = first + (threadIdx.x >> sharers_log2);
    const uint32_t begin = bin >> (5 - copies_log2);
    uint32_t sum = 0;

    for (uint32_t k = 0; bin < n_bins && k < own_copies; k++)
      sum += shared[(bin << copies_log2) + sharer
          + (((begin + k) & (own_copies - 1)) << sharers_log2)];
    for (uint32_t distance = n_sharers / 2; distance > 0; distance /= 2)
      sum += __shfl_xor_sync (HISTO_FULL_WARP, sum, distance);
    if (sharer == 0 && bin < n_bins)
      sums.put (bin, sum);
  }
}

/* The same for packed counters, an even number of them. Pairs of sums that lie side by
 * side are added as one 64-bit number: none of them overflows into the other. */
__device__ __forceinline__ void
fold_packed_counters (uint32_t n_bins, uint32_t *sums)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);

  __syncthreads ();
  for (uint32_t bin = 2 * threadIdx.x; bin < n_bins; bin += 2 * blockDim.x) {
    const uint32_t word = shared[PackedCounters::word_of (bin)];

    if (word != 0)
      atomicAdd ((unsigned long long *) (sums + bin),
          (unsigned long long) (word >> 16) << 32 | (word & 0xffff));
  }
}

/* TRUE in all threads of the block that is the last of n_blocks to come here; what the
 * others wrote to global memory before is then seen by it. Resets the ticket. */
__device__ __forceinline__ bool
is_last_block (uint32_t *ticket, uint32_t n_blocks)
{
  __shared__ bool is_last;

  __threadfence ();
  __syncthreads ();
  if (threadIdx.x == 0) {
    is_last = atomicAdd (ticket, 1u) == n_blocks - 1;
    if (is_last) {
      *ticket = 0;
      __threadfence ();
    }
  }
  __syncthreads ();
  return is_last;
}

/* Hands the grid's counters to the host and leaves zeros for the next launch. Several
 * loads at once: each takes as long as all together. */
__device__ __forceinline__ void
publish_counters (uint32_t *sums, uint32_t n_bins, uint32_t *result)
{
  const uint32_t at_once = 8;

  for (uint32_t first = threadIdx.x; first < n_bins; first += at_once * blockDim.x) {
    uint32_t values[at_once];

#pragma unroll
    for (uint32_t k = 0; k < at_once; k++) {
      const uint32_t i = first + k * blockDim.x;

      values[k] = i < n_bins ? __ldcg (sums + i) : 0;
    }
#pragma unroll
    for (uint32_t k = 0; k < at_once; k++) {
      const uint32_t i = first + k * blockDim.x;

      if (i < n_bins) {
        result[i] = values[k];
        sums[i] = 0;
      }
    }
  }
}
