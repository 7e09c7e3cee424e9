/* The counters of a block: copies in shared memory, and how they become one sum for each
 * bin.
 *
 * The copies of a bin lie side by side. With 32 copies each lane of a warp has its own
 * copy, and each copy its own bank: a warp counts 32 samples in one pass whatever their
 * values. With fewer copies, neighbouring lanes share one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/launch.h"
#include "kernels/portable.cuh"

/* ---- Clearing ---------------------------------------------------------------------- */

/* Sets the first n words of dynamic shared memory to zero. All threads of the block call
 * it; the caller synchronises before counting. */
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

/* The address of dynamic shared memory, for red.shared. The symbol is a constant. */
__device__ __forceinline__ uint32_t
shared_base ()
{
  uint32_t base = 0;

#ifdef __CUDA_ARCH__
  asm ("mov.u32 %0, histo_dynamic_shared;" : "=r" (base));
#endif
  return base;
}

/* Adds n to the counter at an address, which is shared_base () plus an offset in bytes.
 * atomicAdd() does the same for a generic pointer: for each sample sm_90 would compute where
 * in the cluster's memory the block's memory begins. */
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

/* The word at an offset in bytes. */
__device__ __forceinline__ uint32_t
load_shared (uint32_t offset)
{
#ifdef __CUDA_ARCH__
  uint32_t word;

  asm volatile ("ld.shared.u32 %0, [%1];" : "=r" (word) : "r" (shared_base () + offset));
  return word;
#else
  HISTO_DYNAMIC_SHARED (uint32_t, shared);

  return shared[offset / 4];
#endif
}

/* Adds n to the counter at an offset in bytes. */
__device__ __forceinline__ void
add_shared (uint32_t offset, uint32_t n)
{
  add_at_shared (shared_base () + offset, n);
}

/* Adds n to the counter at an offset in bytes, and returns its previous value. */
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

/* Does what exchange_add_shared() does if no bit of `outside` is set; else returns 0. */
__device__ __forceinline__ uint32_t
exchange_add_shared_inside (uint32_t offset, uint32_t n, uint32_t outside)
{
  uint32_t old = 0;

#ifdef __CUDA_ARCH__
  /* A predicate, not a branch: the threads of a warp stay together. */
  asm volatile ("{\n\t.reg .pred inside;\n\tsetp.eq.u32 inside, %3, 0;\n\t"
      "@inside atom.shared.add.u32 %0, [%1], %2;\n\t}" : "+r" (old)
      : "r" (shared_base () + offset), "r" (n), "r" (outside) : "memory");
#else
  if (outside == 0)
    old = exchange_add_shared (offset, n);
#endif
  return old;
}

/* The counters that a kernel counts in are a class with these members:
 *
 * clear ()            sets the counters to zero; all threads of the block; the caller
 *                     synchronises before counting
 * offset_of (bin)     byte offset of the calling lane's counter of a bin
 * first               offset_of (0)
 * bin_log2            log2 of the bytes from one bin to the next
 * permute (offset)    for value << bin_log2 the bits that are combined with `first` or
 *                     a component's base by exclusive or
 * count_at (offset, n)
 * joins_runs          whether a run of equal samples should be counted by one addition */

/* 32-bit counters in copies at the start of dynamic shared memory. The byte offset of a
 * counter is made of disjoint bits: a base (the component and the lane's copy), and the
 * value, shifted. So one rotation and one three-input logic operation make the offset from
 * the word that was loaded. */
struct SharedCounters
{
  static const bool joins_runs = false;
  uint32_t bin_log2;
  uint32_t first;
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

  __device__ __forceinline__ void
  clear () const
  {
    clear_counters (n_words);
  }

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

/* SharedCounters with fewer than 32 copies. Lanes that share a copy use different banks only if
 * the lower bits of their values differ; so higher bits permute the lower bits
 * (histo_permute_bin()). */
struct PermutedCounters : SharedCounters
{
  uint32_t low_bits;            /* the bits of an offset that select the value's bank */

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

/* The bins that a block has counters for: all, or a range of them. */
struct AllBins
{
  static constexpr bool are_all = true;
  static constexpr uint32_t first = 0, count = HISTO_PACKED_BINS;
};

struct RangeOfBins
{
  static constexpr bool are_all = false;
  uint32_t first, count;        /* count is a power of two that divides first */
};

/* A packed copy: one copy for the block, of 16-bit counters, two to a word.
 *
 * A counter never wraps around:
 * 1. An addition returns the previous value. If its highest bit is set, the thread calls
 *    relieve(), at the latest after one more unit of samples. relieve() moves 32768 from
 *    the counter to the grid's sum in global memory.
 * 2. So a thread adds at most a unit's 8 samples to a counter between the moment when the
 *    counter reaches 32768 and the moment when it is relieved; the thread whose addition
 *    reached 32768 adds at most 8 more.
 * 3. The 1024 threads of a block together add less than 32768 in that time.
 *
 * The higher bits of a word's index permute the words within each row of banks, so that
 * values which are equal modulo a power of two are in different banks. A permuted value has the
 * number of its word in the higher bits; its lowest bit selects the half of the word. The range's
 * first bin is taken from it, so a value outside of the range has bits above those of the range. It
 * is not counted. */

/* One counter of a packed copy. */
struct PackedCounter
{
  uint32_t offset;              /* of its word, in bytes */
  uint32_t one;                 /* in its half of the word */
  uint32_t value;               /* permuted; in the half of a word that it was found in */
};

/* Two counters: the halves of a word are the permuted values. */
struct TwoPackedCounters
{
  uint32_t values;

  __device__ __forceinline__ PackedCounter
  lower () const
  {
    /* An even value counts by 1, an odd one by 0x10000. */
    return { values << 1 & 0x1fffc, (values & 1) * 0xffff + 1, values & 0xffff };
  }

  __device__ __forceinline__ PackedCounter
  upper () const
  {
    return { values >> 15 & 0x1fffc, max (values & 0x10000, 1u), values & 0xffff0000 };
  }
};

template <typename Bins>
struct PackedCounters
{
  static const uint32_t bin_log2 = 1;
  /* The highest bits of both counters of a word. */
  static const uint32_t high = 0x80008000;
  Bins bins;
  uint32_t *sums;               /* the grid's, in global memory */

  __device__ __forceinline__ void
  clear () const
  {
    clear_counters (bins.count / 2);
  }

  /* Permutes the index of a word of the counters of all bins. The function is its own
   * inverse. */
  __device__ __forceinline__ static uint32_t
  word_of (uint32_t word)
  {
    return word ^ ((word >> 5 ^ word >> 10) & (HISTO_WARP_SIZE - 1));
  }

  /* The first of the two bins in a word of the block's counters. */
  __device__ __forceinline__ uint32_t
  bin_of (uint32_t word) const
  {
    return 2 * word_of (word | bins.first / 2);
  }

  /* The counters of the values in both halves of a word. */
  __device__ __forceinline__ TwoPackedCounters
  find_two (uint32_t values) const
  {
    return { values ^ ((values >> 5 ^ values >> 10) & 2 * (HISTO_WARP_SIZE - 1) * 0x10001)
        ^ bins.first * 0x10001 };
  }

  __device__ __forceinline__ uint32_t
  offset_of (uint32_t bin) const
  {
    return bin << bin_log2;
  }

  /* Counts n times, unless the value is outside. If the result has any of the bits `high`, the caller
   * must call relieve(). */
  __device__ __forceinline__ uint32_t
  count (const PackedCounter &counter, uint32_t n = 1) const
  {
    if constexpr (Bins::are_all)
      return exchange_add_shared (counter.offset, counter.one * n);
    else
      return exchange_add_shared_inside (counter.offset, counter.one * n,
          counter.value & ~((bins.count - 1) * 0x10001));
  }

  /* Moves 32768 from each of the two counters in a counter's word that has reached it to the sums in
   * global memory. */
  __device__ __forceinline__ void
  relieve (const PackedCounter &counter) const
  {
    HISTO_DYNAMIC_SHARED (uint32_t, shared);
    const uint32_t word = counter.offset / 4, bin = bin_of (word);

    if constexpr (!Bins::are_all) {
      if (word >= bins.count / 2)       /* COVERAGE: rare, as below */
        return;
    }
    /* Many threads come here for the same word; the first one does the work. */
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
    const PackedCounter counter = find_two (offset >> bin_log2).lower ();

    /* Only a sample beside the units can come here, and it rarely fills a counter. */
    if ((count (counter) & high) != 0)  /* COVERAGE: by chance */
      relieve (counter);        /* COVERAGE: by chance */
  }
};

/* Counters in global memory, one for the whole grid: where shared memory holds none. */
struct GlobalCounters
{
  static const bool joins_runs = true;
  static const uint32_t bin_log2 = 2;
  static const uint32_t first = 0;
  uint32_t *bins;

  /* Scratch memory is zero between launches. */
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

/* ---- From copies to sums ------------------------------------------------------------ */

/* Sinks: where a block's sum of a bin goes, by put (bin, sum). */

/* To a table, for the second kernel. */
struct StoreSum
{
  uint32_t *result;

  __device__ __forceinline__ void
  put (uint32_t bin, uint32_t sum) const
  {
    result[bin] = sum;
  }
};

/* To a sum in global memory, which a later step gives to the host. */
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

/* To the host, if this is the last of n_blocks blocks. The lower half of a 64-bit number
 * is the sum, the upper half the number of blocks that have added to it. The block whose
 * addition completes the number of blocks holds the final sum: it writes the sum to the
 * host and sets the number to zero for the next launch. This takes one round trip to
 * memory; a ticket for each block would take four. */
struct AddAndPublishSum
{
  unsigned long long *sums;
  uint32_t *result;
  uint32_t n_blocks;
  uint32_t spread_log2;         /* log2 of the distance from bin to bin in `sums` */

  __device__ __forceinline__ void
  put (uint32_t bin, uint32_t sum) const
  {
    unsigned long long *to = sums + (bin << spread_log2);
    const unsigned long long old = atomicAdd (to, 1ull << 32 | sum);

    if ((uint32_t) (old >> 32) == n_blocks - 1) {
      result[bin] = (uint32_t) old + sum;
      /* Stored to the L2 cache, where the other blocks' atomic operations were done. */
      __stcg (to, 0ull);
    }
  }
};

/* Where the copies of a bin begin, counted in words of shared memory: functions of the bin. */
struct CopiesInOrder
{
  uint32_t copies_log2;

  __device__ __forceinline__ uint32_t
  operator() (uint32_t bin) const
  {
    return bin << copies_log2;
  }
};

struct PermutedCopies
{
  uint32_t copies_log2;

  __device__ __forceinline__ uint32_t
  operator() (uint32_t bin) const
  {
    return histo_permute_bin (bin, copies_log2) << copies_log2;
  }
};

/* Sums the block's copies of each bin, which begin at place_of (bin), and calls sums.put (). All
 * threads of the block, in whole warps, call it. If the block has threads to spare, several threads
 * share a bin. The copy that a thread reads first depends on the bin, so that a warp reads from 32
 * different banks. */
template <typename Places, typename Sum>
__device__ __forceinline__ void
fold_copies (uint32_t n_bins, uint32_t copies_log2, const Places &place_of, const Sum &sums)
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
    /* A thread without a bin reads the last bin and discards the sum: all lanes of a warp
     * must take part in the shuffles. */
    const uint32_t bin = min (own_bin, n_bins - 1);
    const uint32_t begin = bin >> (5 - copies_log2);
    const uint32_t place = place_of (bin);
    uint32_t sum = 0;

#pragma unroll 8
    for (uint32_t k = 0; k < own_copies; k++)
      sum += shared[place + sharer + (((begin + k) & (own_copies - 1)) << sharers_log2)];
    for (uint32_t distance = n_sharers / 2; distance > 0; distance /= 2)
      sum += __shfl_xor_sync (HISTO_FULL_WARP, sum, distance);
    if (sharer == 0 && own_bin < n_bins)
      sums.put (bin, sum);
  }
}

template <bool IS_PERMUTED, typename Sum>
__device__ __forceinline__ void
fold_counters (uint32_t n_bins, uint32_t copies_log2, const Sum &sums)
{
  if constexpr (IS_PERMUTED)
    fold_copies (n_bins, copies_log2, PermutedCopies { copies_log2 }, sums);
  else
    fold_copies (n_bins, copies_log2, CopiesInOrder { copies_log2 }, sums);
}

/* Adds the upper bytes of the counters in four words of a packed copy to the sums in
 * global memory. */
template <typename Bins>
__device__ __forceinline__ void
add_upper_bytes (const PackedCounters<Bins> &counters, uint32_t first_word)
{
  HISTO_DYNAMIC_SHARED (uint32_t, shared);

  for (uint32_t i = first_word; i < first_word + 4; i++) {
    const uint32_t bin = counters.bin_of (i);

    if ((shared[i] & 0xff00) != 0)
      atomicAdd (counters.sums + bin, shared[i] & 0xff00);
    if ((shared[i] & 0xff000000) != 0)
      atomicAdd (counters.sums + bin + 1, shared[i] >> 16 & 0xff00);
  }
}

/* Stores a packed copy as a table of bytes, for the second kernel. Upper bytes are added to
 * the sums in global memory: few blocks have so many samples in one of 65536 counters.
 *
 * Vector i of the table holds the lower bytes of vector i of the first half of the copy and
 * of vector i of the second half, in turn: byte 0 is from the first half, byte 1 from the
 * second, and so on. */
template <typename Bins>
__device__ __forceinline__ void
store_packed_counters (const PackedCounters<Bins> &counters, uint4 *table)
{
  HISTO_DYNAMIC_SHARED (uint4, shared);
  const uint32_t n_vectors = counters.bins.count / 16;

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

/* ---- The end of a launch ------------------------------------------------------------ */

/* Whether this block is the last of n_blocks blocks to call this. The last block then sees what
 * the other blocks wrote before they called it. All threads of the block call it. */
__device__ __forceinline__ bool
is_last_of (uint32_t *ticket, uint32_t n_blocks)
{
  bool is_last = false;

  __syncthreads ();
  if (threadIdx.x == 0) {
    /* The barrier makes the block's writes visible to this thread, the fence makes them
     * visible to the last block. The second fence and the barrier at the end do the same
     * in the other direction. */
    __threadfence ();
    is_last = atomicAdd (ticket, 1) == n_blocks - 1;
    if (is_last) {
      atomicExch (ticket, 0);
      __threadfence ();
    }
  }
  return __syncthreads_or (is_last);
}

/* Whether this block is the last one of the launch to call this. */
__device__ __forceinline__ bool
is_last_block (uint32_t *ticket)
{
  return is_last_of (ticket, gridDim.x * gridDim.y);
}
