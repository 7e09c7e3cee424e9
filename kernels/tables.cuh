/* The second kernel's sums: the blocks' tables of counters become one.
 *
 * With many counters and many blocks, atomic additions would take too long: 132 blocks with
 * 65536 counters each would make 8.7 million of them. So each block stores its counters as a
 * table, and the second kernel reads the tables from the L2 cache. All multiprocessors share
 * the work.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/counters.cuh"

/* Reads one vector from each of the tables first, first + n_sharers, first + 2 n_sharers and
 * so on, and calls add (i, word) for each of its four words. */
template <typename Add>
__device__ __forceinline__ void
read_tables (const uint4 *vector, uint64_t table_vectors, uint32_t n_tables, uint32_t first,
    uint32_t n_sharers, const Add &add)
{
  /* With one block for each multiprocessor and 16 sharers, a thread loads all of its tables
   * at once on GPUs with up to 144 multiprocessors. */
  const uint32_t at_once = 9;

  for (uint32_t t = first; t < n_tables; t += at_once * n_sharers) {
    uint4 v[at_once];

#pragma unroll
    for (uint32_t k = 0; k < at_once; k++) {
      const uint32_t table = t + k * n_sharers;

      v[k] = table < n_tables ? __ldcg (vector + table * table_vectors)
          : make_uint4 (0, 0, 0, 0);
    }
#pragma unroll
    for (uint32_t k = 0; k < at_once; k++) {
      const uint32_t words[4] = { v[k].x, v[k].y, v[k].z, v[k].w };

#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        add (i, words[i]);
    }
  }
}

/* Sums a part of n_tables tables of table_vectors 16-byte vectors, and the same part of
 * `scratch`, which it sets to zero. The size of `scratch` is a multiple of four counters.
 *
 * - Column c of the part is vector part.vector (c) of each table, or none if that is not less
 *   than table_vectors.
 * - The part has part.n_places places. The thread of place i calls sink.put (counter, sum)
 *   for the part's counter part.place (i), if there is such a counter.
 *
 * All threads of the block call it, a multiple of HISTO_SUM_COLUMNS. */
template <typename Part, typename Sink>
__device__ __forceinline__ void
sum_tables (const uint4 *tables, uint64_t table_vectors, uint32_t n_tables,
    uint32_t *scratch, const Part &part, const Sink &sink)
{
  const uint32_t N = 4;
  const uint32_t n_sharers = blockDim.x / HISTO_SUM_COLUMNS;
  const uint32_t n_block = HISTO_SUM_COLUMNS * N;
  const uint32_t column = threadIdx.x % HISTO_SUM_COLUMNS;
  const uint32_t sharer = threadIdx.x / HISTO_SUM_COLUMNS;
  __shared__ uint32_t parts[HISTO_SUM_THREADS * N];
  const uint32_t own_vector = part.vector (column);
  uint32_t sums[N] = { 0, };

  if (own_vector < table_vectors) {
    if (sharer == 0) {
#pragma unroll
      for (uint32_t i = 0; i < N; i++) {
        uint32_t *counter = scratch + own_vector * N + i;

        sums[i] = *counter;
        *counter = 0;
      }
    }
    read_tables (tables + own_vector, table_vectors, n_tables, sharer, n_sharers,
        [&] (uint32_t i, uint32_t word) {
      sums[i] += word;
    });
  }
#pragma unroll
  for (uint32_t i = 0; i < N; i++)
    parts[(sharer * N + i) * HISTO_SUM_COLUMNS + column] = sums[i];
  __syncthreads ();

  for (uint32_t i = threadIdx.x; i < part.n_places; i += blockDim.x) {
    const uint32_t place = part.place (i);
    const uint32_t counter = part.vector (place / N) * N + place % N;
    uint32_t sum = 0;

    if (place >= n_block || counter >= part.n_counters)
      continue;
    for (uint32_t s = 0; s < n_sharers; s++)
      sum += parts[s * n_block + place % N * HISTO_SUM_COLUMNS + place / N];
    sink.put (counter, sum);
  }
}

/* Adds what other bins of the same block add up to. */
__device__ __forceinline__ void
add_totals (HistoBlockTotals &totals, const HistoBlockTotals &other)
{
  totals.sum += other.sum;
  totals.squares += other.squares;
  totals.entropy += other.entropy;
  totals.count += other.count;
  totals.most = max (totals.most, other.most);
}

/* The totals of the bins of a warp, in each of its lanes. A lane has the counters of bin `first` of
 * their block and of the next bin. */
__device__ __forceinline__ HistoBlockTotals
totals_of_warp (const uint2 &count, uint32_t first, uint64_t n_samples)
{
  const uint64_t second = first + 1;
  HistoBlockTotals totals = { 0, 0, 0, 0, 0 };

  /* Most bins of a picture may be empty. */
  if (!__any_sync (HISTO_FULL_WARP, (count.x | count.y) != 0))
    return totals;
  totals.count = count.x + count.y;
  totals.most = max (count.x, count.y);
  totals.sum = (uint64_t) first * count.x + second * count.y;
  totals.squares = (uint64_t) first * first * count.x + second * second * count.y;
  /* In the order of halves.h: the two bins of a lane are neighbours, which are added last. */
  totals.entropy = histo_entropy_term (count.x, (double) n_samples);
  double of_second = histo_entropy_term (count.y, (double) n_samples);
#pragma unroll
  for (uint32_t distance = HISTO_WARP_SIZE / 2; distance > 0; distance /= 2) {
    const HistoBlockTotals other = {
      __shfl_xor_sync (HISTO_FULL_WARP, totals.sum, distance),
      __shfl_xor_sync (HISTO_FULL_WARP, totals.squares, distance),
      __shfl_xor_sync (HISTO_FULL_WARP, totals.entropy, distance),
      __shfl_xor_sync (HISTO_FULL_WARP, totals.count, distance),
      __shfl_xor_sync (HISTO_FULL_WARP, totals.most, distance)
    };

    add_totals (totals, other);
    of_second += __shfl_xor_sync (HISTO_FULL_WARP, of_second, distance);
  }
  totals.entropy += of_second;
  return totals;
}

/* Words of two counters, of a group of bins: first those in the lower half of its range, then those in the upper
 * half. The first threads of a block have one each. */
struct PackedGroup
{
  static constexpr uint32_t n_half = HISTO_HALVES_BLOCK / 2, n_words = 2 * n_half;
  uint32_t own;                 /* the thread's word among those of the group */
  uint32_t first_bin, range_bins;
  uint32_t word;                /* among those of all bins */
  bool has_word;

  /* @group: blockIdx.x; @n_bins: an even number */
  __device__ __forceinline__
  PackedGroup (uint32_t group, uint32_t ranges_log2, uint32_t n_bins = HISTO_PACKED_BINS)
  {
    own = threadIdx.x % n_words;
    first_bin = histo_first_bin_of_group (group, ranges_log2);
    range_bins = histo_range_bins (ranges_log2);
    word = first_bin / 2 + own / n_half * (range_bins / 4) + own % n_half;
    has_word = threadIdx.x < n_words && 2 * word < n_bins;
  }
};

/* Sums a group of bins, two blocks of HISTO_HALVES_BLOCK, of packed copies' tables and of `sums`,
 * which it sets to zero. Of n_blocks tables it reads those of the group's range. All threads of the block
 * call it, HISTO_PACKED_SUM_THREADS. Returns: the counts of the thread's word, if it has one
 * @IS_PERMUTED: whether the words of the tables are permuted as those of PackedCounters */
template <bool IS_PERMUTED = true>
__device__ __forceinline__ uint2
sum_packed_group (const PackedGroup &group, const uint4 *tables, uint32_t n_blocks, uint32_t ranges_log2, uint32_t *sums)
{
  const uint32_t n_columns = HISTO_PACKED_COLUMNS;
  const uint32_t n_sharers = HISTO_PACKED_SUM_THREADS / n_columns;
  const uint32_t column = threadIdx.x % n_columns, sharer = threadIdx.x / n_columns;
  const uint32_t n_half = group.n_half, word = group.word, own = group.own;
  const uint32_t first_bin = group.first_bin, range_bins = group.range_bins, range = first_bin / range_bins;

  static_assert (PackedGroup::n_half % HISTO_WARP_SIZE == 0 && PackedGroup::n_words <= HISTO_PACKED_SUM_THREADS,
      "words are permuted among so many neighbours");

  __shared__ uint4 parts[n_sharers][2][n_columns];
  uint32_t lower[4] = { 0, }, upper[4] = { 0, };
  uint2 count = make_uint2 (0, 0);
  const uint64_t table_vectors = range_bins / 16;

  if (group.has_word)
    count = __ldcg ((uint2 *) sums + word);
  /* A word has room for two sums of bytes, if a thread has up to 257 tables. */
  read_tables (tables + range * table_vectors + first_bin % range_bins / 8 + column,
      table_vectors << ranges_log2, n_blocks >> ranges_log2, sharer, n_sharers,
      [&] (uint32_t i, uint32_t word) {
    lower[i] += word & 0xff00ff;
    upper[i] += word >> 8 & 0xff00ff;
  });
  parts[sharer][0][column] = make_uint4 (lower[0], lower[1], lower[2], lower[3]);
  parts[sharer][1][column] = make_uint4 (upper[0], upper[1], upper[2], upper[3]);
  __syncthreads ();

  if (group.has_word) {
    const uint32_t place = own / n_half * n_half
        + (IS_PERMUTED ? PackedCounters<AllBins>::word_of (word) : word) % n_half;

    if ((count.x | count.y) != 0)
      ((uint2 *) sums)[word] = make_uint2 (0, 0);
#pragma unroll
    for (uint32_t s = 0; s < n_sharers; s++) {
      const uint32_t part = ((const uint32_t *) parts[s])[place];

      count.x += part & 0xffff;
      count.y += part >> 16;
    }
  }
  return count;
}

/* Sums a group of bins, and writes the halves and the blocks' totals to the host. blockIdx.x is the group. All threads of
 * the block call it, HISTO_PACKED_SUM_THREADS.
 * n_samples: what all counters of the component add up to */
template <bool IS_PERMUTED = true>
__device__ __forceinline__ void
sum_packed_tables (const uint4 *tables, uint32_t n_blocks, uint32_t ranges_log2,
    uint64_t n_samples, uint32_t *sums, HistoHalves *halves)
{
  const PackedGroup group (blockIdx.x, ranges_log2);
  const uint32_t n_half = group.n_half, word = group.word, own = group.own;
  const uint32_t first_bin = group.first_bin, range_bins = group.range_bins;
  const uint32_t total_words = sizeof (HistoBlockTotals) / 4;
  const bool has_word = group.has_word;

  static_assert (PackedGroup::n_half == 2 * HISTO_WARP_SIZE && 2 * total_words <= HISTO_WARP_SIZE,
      "two warps have a block's words, and one warp writes the totals");

  __shared__ struct
  {
    HistoBlockTotals of_warps[4], of_blocks[2];
  } shared;
  const uint2 count = sum_packed_group<IS_PERMUTED> (group, tables, n_blocks, ranges_log2, sums);

  if (has_word) {
    ((uint32_t *) halves->low)[word] = (count.x & 0xffff) | count.y << 16;

    const HistoBlockTotals totals = totals_of_warp (count, 2 * (own % n_half), n_samples);

    if (own % HISTO_WARP_SIZE == 0)
      shared.of_warps[own / HISTO_WARP_SIZE] = totals;
  }
  __syncthreads ();

  if (has_word) {
    const HistoBlockTotals *both = shared.of_warps + own / n_half * 2;

    if (max (both[0].most, both[1].most) >> 16 != 0)
      ((uint32_t *) halves->high)[word] = count.x >> 16 | (count.y & 0xffff0000);
  }
  if (threadIdx.x < 2) {
    shared.of_blocks[threadIdx.x] = shared.of_warps[2 * threadIdx.x];
    add_totals (shared.of_blocks[threadIdx.x], shared.of_warps[2 * threadIdx.x + 1]);
  }
  __syncwarp ();
  /* Neighbours write neighbouring words, so that a block's totals reach the host by one access. */
  if (threadIdx.x < 2 * total_words) {
    const uint32_t half = threadIdx.x / total_words, i = threadIdx.x % total_words;
    const uint32_t block = (first_bin + half * (range_bins / 2)) / HISTO_HALVES_BLOCK;
    uint32_t own_word;

    memcpy (&own_word, (const char *) (shared.of_blocks + half) + 4 * i, 4);
    ((uint32_t *) (halves->blocks + block))[i] = own_word;
  }
}

/* Writes sums that the grid counted in global memory to the host, and sets them to zero. All
 * threads of all blocks in x call it. */
__device__ __forceinline__ void
publish_sums (uint32_t *sums, uint32_t n_bins, uint32_t *result)
{
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n_bins;
      i += gridDim.x * blockDim.x) {
    result[i] = sums[i];
    sums[i] = 0;
  }
}
