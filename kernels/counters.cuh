/* Counters of a block: private copies in shared memory, and how they become one.
 *
 * The copies of a bin lie side by side, one per lane of a warp if there are 32: then
 * each lane has a bank of its own, and a warp counts 32 samples in one pass whatever
 * their values. With fewer copies neighbouring lanes share them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/portable.cuh"
#include "kernels/histo.h"

/* ---- Clearing ---------------------------------------------------------------------- */

/* Sets n words to zero; all threads of the block, which must synchronise before they
 * count. */
__device__ __forceinline__ void
clear_counters (uint32_t n)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);
  /* Whole vectors: the memory is a multiple of 16 bytes. */
  const uint32_t n_vectors = (n + 3) / 4;

  for (uint32_t i = threadIdx.x; i < n_vectors; i += blockDim.x)
    ((uint4 *) shared)[i] = make_uint4 (0, 0, 0, 0);
}

/* ---- Counting ----------------------------------------------------------------------- */

/* The block's dynamic shared memory, as red.shared addresses it; its symbol is a constant. */
__device__ __forceinline__ uint32_t
shared_base ()
{
  uint32_t base = 0;

#ifdef __CUDA_ARCH__
  asm ("mov.u32 %0, histo_dynamic_shared;" : "=r" (base));
#endif
  return base;
}

/* Adds to the counter at shared_base () and as many bytes. What atomicAdd() does; but that
 * takes a generic pointer, for which sm_90 works out anew, at each sample, where in its
 * cluster's memory the block's begins. */
__device__ __forceinline__ void
add_at_shared (uint32_t address, uint32_t n)
{
#ifdef __CUDA_ARCH__
  asm volatile ("red.shared.add.u32 [%0], %1;" :: "r" (address), "r" (n) : "memory");
#else
  HISTO_DYNAMIC_SHARED (uint32_t, shared);

  atomicAdd ((uint32_t *) ((char *) shared + address), n);
#endif
}

/* The same by the offset alone. */
__device__ __forceinline__ void
add_shared (uint32_t offset, uint32_t n)
{
  add_at_shared (shared_base () + offset, n);
}

/* The same, and what was there before. */
__device__ __forceinline__ uint32_t
exchange_add_shared (uint32_t offset, uint32_t n)
{
#ifdef __CUDA_ARCH__
  uint32_t old;

  asm volatile ("atom.shared.add.u32 %0, [%1], %2;" : "=r" (old)
      : "r" (shared_base () + offset), "r" (n) : "memory");
  return old;
#else
  HISTO_DYNAMIC_SHARED (uint32_t, shared);

  return atomicAdd ((uint32_t *) ((char *) shared + offset), n);
#endif
}

/* The block's copies, at the start of its dynamic shared memory. A bin's counter is
 * addressed by byte offset, made of disjoint bits: of a base that holds the component
 * and the lane's copy, and of the value, shifted. So an address is one rotation and one
 * three-way logic operation away from the word that the sample came in. */
struct SharedCounters
{
  static const bool joins_runs = false;
  uint32_t bin_log2;            /* of the bytes from bin to bin */
  uint32_t first;               /* byte offset of this lane's copy of the first bin */
  uint32_t n_words;             /* of all copies of all bins */

  __device__ __forceinline__
  explicit SharedCounters (uint32_t n_bins, uint32_t copies_log2, uint32_t first_bin = 0)
  {
    n_words = n_bins << copies_log2;
    bin_log2 = copies_log2 + 2;
    first = (first_bin << bin_log2) + (threadIdx.x & ((1u << copies_log2) - 1)) * 4;
  }

  __device__ __forceinline__ uint32_t
  offset_of (uint32_t bin) const
  {
    return (bin << bin_log2) + first;
  }

  /* All threads of the block, which must synchronise before they count. */
  __device__ __forceinline__ void
  clear () const
  {
    clear_counters (n_words);
  }

  /* From the value's bits of the offset to those that count_at() takes. */
  __device__ __forceinline__ uint32_t
  permute (uint32_t offset) const
  {
    return offset;
  }

  __device__ __forceinline__ void
  count_at (uint32_t offset, uint32_t n = 1) const
  {
    add_shared (offset, n);
  }
};

/* The same where there are less than 32 copies: lanes that share a copy are in different
 * banks only if the lower bits of their values differ. So these are permuted by higher
 * ones: see histo_permute_bin(). */
struct PermutedCounters : SharedCounters
{
  uint32_t low_bits;            /* of the offset: those that the copies leave to the value */

  __device__ __forceinline__
  PermutedCounters (uint32_t n_bins, uint32_t copies_log2)
  : SharedCounters (n_bins, copies_log2)
  {
    low_bits = ((HISTO_WARP_SIZE >> copies_log2) - 1) << bin_log2;
  }

  __device__ __forceinline__ uint32_t
  offset_of (uint32_t bin) const
  {
    return SharedCounters::offset_of (histo_permute_bin (bin, bin_log2 - 2));
  }

  __device__ __forceinline__ uint32_t
  permute (uint32_t offset) const
  {
    return offset ^ (offset >> 5 & low_bits);
  }
};

/* One copy for the block, of 65536 16-bit counters, two to a word. The upper half of what one
 * can hold is there to notice in time: who finds a counter in it relieves that, not later than
 * after one more unit of samples. So no thread adds more than a unit's eight to a counter from
 * when it is high to when it is relieved, and the one that made it high as many at the most:
 * the threads of a block together do not add half of what it can hold, and none wraps around.
 * Words are permuted within each row of banks by the higher bits of their index, so that
 * values which are alike modulo a power of two do not meet in one bank. */
struct PackedCounters
{
  static const uint32_t bin_log2 = 1;
  /* The highest bits of both counters of a word. */
  static const uint32_t high = 0x80008000;
  uint32_t *sums;               /* the grid's, in global memory */

  __device__ __forceinline__ void
  clear () const
  {
    clear_counters (HISTO_PACKED_BINS / 2);
  }

  /* Its own inverse. */
  __device__ __forceinline__ static uint32_t
  word_of (uint32_t word)
  {
    return word ^ ((word >> 5 ^ word >> 10) & (HISTO_WARP_SIZE - 1));
  }

  /* The same for the values in both halves of a pair, whose lowest bit is that of the half
   * word. */
  __device__ __forceinline__ static uint32_t
  permute_pair (uint32_t pair)
  {
    return pair ^ ((pair >> 5 ^ pair >> 10) & 2 * (HISTO_WARP_SIZE - 1) * 0x10001);
  }

  __device__ __forceinline__ uint32_t
  offset_of (uint32_t bin) const
  {
    return bin << bin_log2;
  }

  /* Counts the permuted value in the lower or upper half of a pair. In what comes back there
   * are `high` bits if relieve() must be called. */
  __device__ __forceinline__ uint32_t
  count_lower (uint32_t pair, uint32_t n = 1) const
  {
    return exchange_add_shared (pair << 1 & 0x1fffc, ((pair & 1) * 0xffff + 1) * n);
  }

  __device__ __forceinline__ uint32_t
  count_upper (uint32_t pair) const
  {
    return exchange_add_shared (pair >> 15 & 0x1fffc, max (pair & 0x10000, 1u));
  }

  /* Takes 32768 from each counter of the lower value's word that has reached that, and adds
   * them in global memory. */
  __device__ __forceinline__ void
  relieve (uint32_t pair) const
  {
    HISTO_DYNAMIC_SHARED (uint32_t, shared);
    const uint32_t word = (pair & 0xffff) >> 1, bin = 2 * word_of (word);

    /* Many notice, and one is enough. */
    if ((load_now (shared + word) & high) == 0)
      return;

    const uint32_t old = atomicAnd (shared + word, ~high);

    if ((old & 0x8000) != 0)
      atomicAdd (sums + bin, 0x8000u);
    if ((old & 0x80000000) != 0)
      atomicAdd (sums + bin + 1, 0x8000u);
  }

  __device__ __forceinline__ void
  count_at (uint32_t offset) const
  {
    const uint32_t value = permute_pair (offset >> bin_log2);

    if ((count_lower (value) & high) != 0)
      relieve (value);
  }
};

/* Shared memory holds none: the one copy of the whole grid, in global memory. */
struct GlobalCounters
{
  static const bool joins_runs = true;
  static const uint32_t bin_log2 = 2;
  static const uint32_t first = 0;
  uint32_t *bins;

  /* The host has done that. */
  __device__ __forceinline__ void
  clear () const
  {
  }

  __device__ __forceinline__ uint32_t
  offset_of (uint32_t bin) const
  {
    return bin << bin_log2;
  }

  __device__ __forceinline__ uint32_t
  permute (uint32_t offset) const
  {
    return offset;
  }

  __device__ __forceinline__ void
  count_at (uint32_t offset, uint32_t n = 1) const
  {
    atomicAdd ((uint32_t *) ((char *) bins + offset), n);
  }
};

/* ---- From copies to one --------------------------------------------------------------- */

/* What becomes of a bin's sum over a block's copies: it is left for the second launch, ... */
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
  uint32_t spread_log2;         /* of the sums, from bin to bin */

  __device__ __forceinline__ void
  put (uint32_t bin, uint32_t sum) const
  {
    unsigned long long *to = sums + (bin << spread_log2);
    const unsigned long long old = atomicAdd (to, 1ull << 32 | sum);

    if ((uint32_t) (old >> 32) == n_blocks - 1) {
      result[bin] = (uint32_t) old + sum;
      /* Where the others' atomic operations were made: no cache is asked. */
      __stcg (to, 0ull);
    }
  }
};

/* Puts the sums of the block's copies where they belong; all threads of the block, in whole
 * warps. As many threads share a bin as there are to spare. Which copy a thread begins
 * with depends on the bin, so that a warp reads in 32 different banks. */
template <bool IS_PERMUTED, typename Sum>
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
    const uint32_t own_bin = first + (threadIdx.x >> sharers_log2);
    /* Those who have none take another's, and keep it for themselves. */
    const uint32_t bin = min (own_bin, n_bins - 1);
    const uint32_t begin = bin >> (5 - copies_log2);
    const uint32_t place = IS_PERMUTED ? histo_permute_bin (bin, copies_log2) : bin;
    uint32_t sum = 0;

#pragma unroll 8
    for (uint32_t k = 0; k < own_copies; k++)
      sum += shared[(place << copies_log2) + sharer
          + (((begin + k) & (own_copies - 1)) << sharers_log2)];
    for (uint32_t distance = n_sharers / 2; distance > 0; distance /= 2)
      sum += __shfl_xor_sync (HISTO_FULL_WARP, sum, distance);
    if (sharer == 0 && own_bin < n_bins)
      sums.put (bin, sum);
  }
}

/* Adds what of four words of packed counters a byte each cannot hold. */
__device__ __forceinline__ void
add_upper_bytes (const PackedCounters &counters, uint32_t first_word)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);

  for (uint32_t i = first_word; i < first_word + 4; i++) {
    const uint32_t bin = 2 * PackedCounters::word_of (i);

    if ((shared[i] & 0xff00) != 0)
      atomicAdd (counters.sums + bin, shared[i] & 0xff00);
    if ((shared[i] & 0xff000000) != 0)
      atomicAdd (counters.sums + bin + 1, shared[i] >> 16 & 0xff00);
  }
}

/* The same for packed counters: to a table of bytes, for the second launch. Of a frame's
 * 65536 counters few blocks have many samples in one; what more there is, is added in global
 * memory. Vector i has the counters of vector i of each half of the shared words, by turns. */
__device__ __forceinline__ void
store_packed_counters (const PackedCounters &counters, uint4 *table)
{
  HISTO_DYNAMIC_SHARED (uint4, shared);
  const uint32_t n_vectors = HISTO_PACKED_BINS / 16;

  __syncthreads ();
#pragma unroll 4
  for (uint32_t i = threadIdx.x; i < n_vectors; i += blockDim.x) {
    const uint4 lower = shared[i], upper = shared[i + n_vectors];
    const uint32_t all = lower.x | lower.y | lower.z | lower.w
        | upper.x | upper.y | upper.z | upper.w;

    if ((all & 0xff00ff00) != 0) {
      add_upper_bytes (counters, 4 * i);
      add_upper_bytes (counters, 4 * (i + n_vectors));
    }
    table[i] = make_uint4 (__byte_perm (lower.x, upper.x, 0x6240),
        __byte_perm (lower.y, upper.y, 0x6240), __byte_perm (lower.z, upper.z, 0x6240),
        __byte_perm (lower.w, upper.w, 0x6240));
  }
}

/* ---- The end of a launch ---------------------------------------------------------------- */

/* Whether this block is the last of the launch to get here; then it sees what the others
 * have written before. All threads of the block. */
__device__ __forceinline__ bool
is_last_block (uint32_t *ticket)
{
  const uint32_t n_blocks = gridDim.x * gridDim.y;
  bool is_last = false;

  __syncthreads ();
  if (threadIdx.x == 0) {
    /* What the barriers show this thread of its block it hands on, and takes to it. */
    __threadfence ();
    is_last = atomicAdd (ticket, 1) == n_blocks - 1;
    if (is_last) {
      atomicExch (ticket, 0);
      __threadfence ();
    }
  }
  return __syncthreads_or (is_last);
}
