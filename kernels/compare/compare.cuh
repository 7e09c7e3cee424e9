/* Comparing two pictures: squared differences, samples that differ, and SSIM.
 *
 * A block walks down a strip of a plane. Its warps have bands of rows that follow each other; a lane has 16 bytes of each
 * row of both pictures. Four rows make a row of blocks of 4 x 4 samples, and two of these, each added to its right
 * neighbour, make windows. The last row of blocks of a warp needs the first one of the warp below: through shared memory
 * or, for the last warp, by reading its rows once more.
 *
 *            lane 0   lane 1   …   lane 30   lane 31
 *          ┌────────┬────────┬───┬─────────┬─────────┐
 *  4 rows  │ blocks │ blocks │   │ blocks  │ blocks of the next strip,
 *          │        │        │   │         │ or the last ones of the row
 *          └────────┴────────┴───┴─────────┴─────────┘
 *
 * All sums are integers, so that they do not depend on the order in which they are added up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/compare/samples.cuh"
#include "kernels/strip/regions.cuh"

/* ---- Rows ---------------------------------------------------------------------------- */

/* The bytes from @address on of a row that ends after @n of them; those behind are 0. Any alignment. */
__device__ __forceinline__ uint32_t
load_bytes (const uint8_t *address, int32_t n)
{
  uint32_t word = 0;

  for (int32_t i = 0; i < 4 && i < n; i++)
    word |= (uint32_t) __ldg (address + i) << 8 * i;
  return word;
}

/* The lane's part of a row, at any alignment. Nothing outside of the row is read.
 * @at: the part begins so many bytes from the begin of the row
 * @n: bytes from there to the end of the row */
static __device__ __noinline__ uint4
load_part (const uint8_t *address, uint32_t at, int32_t n)
{
  const uint32_t off = (uintptr_t) address % 4;

  if (at >= 4 && n >= HISTO_COMPARE_LANE_BYTES + 4) {
    const uint32_t *from = (const uint32_t *) (address - off);
    const uint32_t a = __ldg (from), b = __ldg (from + 1), c = __ldg (from + 2), d = __ldg (from + 3), e = __ldg (from + 4);

    return make_uint4 (__funnelshift_r (a, b, 8 * off), __funnelshift_r (b, c, 8 * off), __funnelshift_r (c, d, 8 * off),
        __funnelshift_r (d, e, 8 * off));
  }
  return make_uint4 (load_bytes (address, n), load_bytes (address + 4, n - 4), load_bytes (address + 8, n - 8),
      load_bytes (address + 12, n - 12));
}

/* ---- A lane -------------------------------------------------------------------------- */

/* What the first rows of a warp give the warp above: of each lane. */
template <typename Samples>
struct CompareEdge
{
  static constexpr uint32_t N = HISTO_COMPARE_LANE_WORDS / Samples::BYTES;
  uint32_t a[N][HISTO_WARP_SIZE], b[N][HISTO_WARP_SIZE];
  typename Samples::Square squares[N][HISTO_WARP_SIZE], products[N][HISTO_WARP_SIZE];
};

template <typename Samples, bool PAIR>
struct Comparison
{
  typedef typename Samples::Block Block;
  typedef typename Samples::Square Square;
  /* Components, and blocks of a lane. */
  static constexpr uint32_t N = PAIR ? 2 : 1, N_BLOCKS = HISTO_COMPARE_LANE_WORDS / Samples::BYTES;
  static constexpr uint32_t N_OF_COMPONENT = N_BLOCKS / N;

  const HistoCompareLaunch &launch;
  const HistoComparePlane &plane;
  uint32_t lane;
  uint32_t at;                  /* bytes from the begin of the row */
  int32_t n_left;               /* bytes to its end; below 1: the lane has none */
  bool is_own;                  /* the lane's samples are counted */

  Square sse[N];
  long long ssim[N];
  typename Samples::template Differences<PAIR> differences;
  uint32_t columns[HISTO_COMPARE_LANE_WORDS];   /* bits that differ in any row */
  uint32_t first_row[N], after_row[N];

  __device__ __forceinline__
  Comparison (const HistoCompareLaunch &all, const HistoComparePlane &one, uint32_t strip)
    : launch (all), plane (one)
  {
    const uint32_t row_bytes = plane.width * Samples::BYTES * N;

    lane = threadIdx.x % HISTO_WARP_SIZE;
    at = (strip * HISTO_COMPARE_LANES + lane) * HISTO_COMPARE_LANE_BYTES;
    n_left = (int32_t) (row_bytes - at);
    is_own = n_left > 0 && (lane < HISTO_COMPARE_LANES || n_left <= HISTO_COMPARE_LANE_BYTES);
    differences = { };
#pragma unroll
    for (uint32_t k = 0; k < HISTO_COMPARE_LANE_WORDS; k++)
      columns[k] = 0;
#pragma unroll
    for (uint32_t c = 0; c < N; c++) {
      sse[c] = 0;
      ssim[c] = 0;
      first_row[c] = ~0u;
      after_row[c] = 0;
    }
  }

  __device__ __forceinline__ const uint8_t *
  address (uint32_t picture, uint32_t y) const
  {
    return (const uint8_t *) (plane.data[picture] + (int64_t) y * plane.stride[picture]) + at;
  }

  /* Two rows of both pictures; rows and bytes outside of the rectangle are 0. */
  __device__ __forceinline__ void
  load (uint32_t y, uint4 words[2][2]) const
  {
    if (plane.is_aligned && n_left >= HISTO_COMPARE_LANE_BYTES && y + 2 <= plane.height) {
#pragma unroll
      for (uint32_t r = 0; r < 2; r++) {
#pragma unroll
        for (uint32_t p = 0; p < 2; p++)
          words[r][p] = __ldg ((const uint4 *) address (p, y + r));
      }
      return;
    }
#pragma unroll
    for (uint32_t r = 0; r < 2; r++) {
#pragma unroll
      for (uint32_t p = 0; p < 2; p++)
        words[r][p] = n_left > 0 && y + r < plane.height ? load_part (address (p, y + r), at, n_left)
            : make_uint4 (0, 0, 0, 0);
    }
  }

  /* The samples of a lane's words. */
  __device__ __forceinline__ void
  take (uint32_t picture, const uint4 &words, uint32_t samples[HISTO_COMPARE_LANE_WORDS]) const
  {
    samples[0] = Samples::value (launch, picture, words.x);
    samples[1] = Samples::value (launch, picture, words.y);
    samples[2] = Samples::value (launch, picture, words.z);
    samples[3] = Samples::value (launch, picture, words.w);
  }

  /* Adds the differences of row y. */
  __device__ __forceinline__ void
  add_row (uint32_t y, const uint32_t a[], const uint32_t b[])
  {
    uint32_t any = 0;

#pragma unroll
    for (uint32_t k = 0; k < HISTO_COMPARE_LANE_WORDS; k++) {
      differences.add (a[k], b[k]);
      columns[k] |= a[k] ^ b[k];
      any |= a[k] ^ b[k];
    }
#pragma unroll
    for (uint32_t c = 0; c < N; c++) {
      if ((any & Samples::template mask<PAIR> (c)) != 0) {
        first_row[c] = min (first_row[c], y);
        after_row[c] = y + 1;
      }
    }
  }

  /* Adds two rows from y on. COUNTS: their differences, too; else they are the next warp's */
  template <bool COUNTS>
  __device__ __forceinline__ void
  add_two (uint32_t y, const uint4 words[2][2], Block (&blocks)[N_BLOCKS])
  {
#pragma unroll
    for (uint32_t r = 0; r < 2; r++) {
      uint32_t a[HISTO_COMPARE_LANE_WORDS], b[HISTO_COMPARE_LANE_WORDS];

      take (0, words[r][0], a);
      take (1, words[r][1], b);
      if (COUNTS)
        add_row (y + r, a, b);
      Samples::template add<PAIR> (a, b, blocks);
    }
  }

  /* A row of blocks, from row y on. Two rows of samples are on their way while two others are counted.
   * @next: two rows from y on; then two rows of the next row of blocks, if @has_next
   * @both: (out): the sums of each block and its right neighbour */
  template <bool COUNTS>
  __device__ __forceinline__ void
  add_block_row (uint32_t y, uint4 next[2][2], bool has_next, Block (&both)[N_BLOCKS])
  {
    uint4 words[2][2];
    Block blocks[N_BLOCKS] = { };

    load (y + 2, words);
    add_two<COUNTS> (y, next, blocks);
    if (has_next)
      load (y + HISTO_COMPARE_BLOCK, next);
    add_two<COUNTS> (y + 2, words, blocks);
#pragma unroll
    for (uint32_t c = 0; c < N; c++) {
      Block *of = blocks + c * N_OF_COMPONENT;

      if (COUNTS) {
        Square sum = 0;

        /* (a - b)² = a² + b² - 2 a b */
#pragma unroll
        for (uint32_t k = 0; k < N_OF_COMPONENT; k++)
          sum += of[k].squares - 2 * of[k].products;
        sse[c] += sum;
      }
      if (launch.has_ssim) {
        const Block right = of[0].of_next_lane ();

#pragma unroll
        for (uint32_t k = 0; k < N_OF_COMPONENT; k++) {
          both[c * N_OF_COMPONENT + k] = of[k];
          both[c * N_OF_COMPONENT + k].add (k + 1 < N_OF_COMPONENT ? of[k + 1] : right);
        }
      }
    }
  }

  /* Adds the windows of two rows of blocks. */
  __device__ __forceinline__ void
  add_windows (const Block (&above)[N_BLOCKS], const Block (&below)[N_BLOCKS])
  {
    const uint32_t first = at / (Samples::BYTES * N * HISTO_COMPARE_BLOCK);
    const uint32_t n_blocks = plane.width / HISTO_COMPARE_BLOCK;

#pragma unroll
    for (uint32_t i = 0; i < N_BLOCKS; i++) {
      if (is_own && first + i % N_OF_COMPONENT + 1 < n_blocks) {
        Block window = above[i];

        window.add (below[i]);
        ssim[i / N_OF_COMPONENT] += __float2ll_rn (Samples::ssim (window, plane)
            * (float) (1ull << HISTO_COMPARE_SSIM_SHIFT));
      }
    }
  }

  /* The rows of a warp. All warps of the block call it. @number: of the warp in the strip, from above */
  __device__ __forceinline__ void
  compare (uint32_t number, CompareEdge<Samples> edges[HISTO_COMPARE_WARPS])
  {
    const uint32_t warp = threadIdx.x / HISTO_WARP_SIZE;
    const uint32_t first = (number * plane.block_rows + min (number, plane.n_longer)) * HISTO_COMPARE_BLOCK;
    const uint32_t n_rows = (plane.block_rows + (number < plane.n_longer)) * HISTO_COMPARE_BLOCK;
    const uint32_t end = min (first + n_rows, plane.height);
    /* Windows need a whole row of blocks below. */
    const bool has_below = launch.has_ssim && first < end && end + HISTO_COMPARE_BLOCK <= plane.height;
    const bool reads_below = has_below && warp == HISTO_COMPARE_WARPS - 1;
    Block above[N_BLOCKS], now[N_BLOCKS];
    uint4 next[2][2];

    if (first < end)
      load (first, next);
    for (uint32_t y = first; y < end; y += HISTO_COMPARE_BLOCK) {
      add_block_row<true> (y, next, y + HISTO_COMPARE_BLOCK < end || reads_below, now);
      if (!launch.has_ssim)
        continue;
      if (y == first) {
        CompareEdge<Samples> &edge = edges[warp];

#pragma unroll
        for (uint32_t i = 0; i < N_BLOCKS; i++) {
          edge.a[i][lane] = now[i].a;
          edge.b[i][lane] = now[i].b;
          edge.squares[i][lane] = now[i].squares;
          edge.products[i][lane] = now[i].products;
        }
      } else if (y + HISTO_COMPARE_BLOCK <= plane.height) {
        add_windows (above, now);
      }
#pragma unroll
      for (uint32_t i = 0; i < N_BLOCKS; i++)
        above[i] = now[i];
    }
    if (!launch.has_ssim)
      return;
    if (reads_below) {
      add_block_row<false> (end, next, false, now);
      add_windows (above, now);
    }
    __syncthreads ();
    if (has_below && !reads_below) {
      const CompareEdge<Samples> &edge = edges[warp + 1];

#pragma unroll
      for (uint32_t i = 0; i < N_BLOCKS; i++)
        now[i] = { edge.a[i][lane], edge.b[i][lane], edge.squares[i][lane], edge.products[i][lane] };
      add_windows (above, now);
    }
  }

  /* The place of the first or the last sample of component c that differs in any row, in the row. There is one. */
  template <bool LAST>
  __device__ __forceinline__ uint32_t
  find_column (uint32_t c) const
  {
    uint32_t bit = 0;

#pragma unroll
    for (uint32_t i = 0; i < HISTO_COMPARE_LANE_WORDS; i++) {
      const uint32_t k = LAST ? i : HISTO_COMPARE_LANE_WORDS - 1 - i;
      const uint32_t bits = columns[k] & Samples::template mask<PAIR> (c);

      if (bits != 0)
        bit = 32 * k + (LAST ? 31 - (uint32_t) __clz ((int) bits) : (uint32_t) __ffs ((int) bits) - 1);
    }
    return (at + bit / 8) / (Samples::BYTES * N);
  }

  /* Adds up what the lanes have of component c. The first lane writes it. */
  __device__ __forceinline__ void
  add_up (uint32_t c, Sum sums[HISTO_COMPARE_N_SUMS])
  {
    const uint32_t different = is_own ? differences.different (c) : 0;
    const uint32_t lanes = __ballot_sync (HISTO_FULL_WARP, different != 0);
    const Sum windows = launch.has_ssim ? sum_of_warp ((Sum) ssim[c]) : 0;
    const bool is_first = lane == 0;

    if (is_first) {
#pragma unroll
      for (uint32_t i = 0; i < HISTO_COMPARE_N_SUMS; i++)
        sums[i] = 0;
      sums[2] = windows;
    }
    if (lanes == 0)
      return;

    const Sum squares = Samples::BYTES == 1 ? (Sum) sum_of_warp_32 (is_own ? (uint32_t) sse[c] : 0)
        : sum_of_warp (is_own ? (Sum) sse[c] : 0);
    const uint32_t n = sum_of_warp_32 (different);
    const uint32_t greatest = greatest_of_warp (is_own ? differences.greatest (c) : 0);
    const uint32_t top = greatest_of_warp (different != 0 ? plane.height - first_row[c] : 0);
    const uint32_t bottom = greatest_of_warp (different != 0 ? after_row[c] : 0);
    const uint32_t left = __shfl_sync (HISTO_FULL_WARP, find_column<false> (c), __ffs ((int) lanes) - 1);
    const uint32_t right = __shfl_sync (HISTO_FULL_WARP, find_column<true> (c), 31 - __clz ((int) lanes));

    if (is_first) {
      sums[0] = squares;
      sums[1] = n;
      sums[3] = greatest;
      sums[4] = plane.width - left;
      sums[5] = top;
      sums[6] = right + 1;
      sums[7] = bottom;
    }
  }

  __device__ __forceinline__ static uint32_t
  greatest_of_warp (uint32_t value)
  {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
    for (uint32_t distance = HISTO_WARP_SIZE / 2; distance > 0; distance /= 2)
      value = max (value, __shfl_xor_sync (HISTO_FULL_WARP, value, distance));
    return value;
#else
    return __reduce_max_sync (HISTO_FULL_WARP, value);
#endif
  }
};

/* ---- A block ------------------------------------------------------------------------- */

/* What the warps of a block share. */
template <typename Samples>
struct CompareShared
{
  CompareEdge<Samples> edges[HISTO_COMPARE_WARPS];
  Sum sums[HISTO_COMPARE_WARPS][2][HISTO_COMPARE_N_SUMS];
};

/* The block's part of a plane. */
template <typename Samples, bool PAIR>
__device__ __forceinline__ void
compare_part (const HistoCompareLaunch &launch, const HistoComparePlane &plane, uint32_t part,
    CompareShared<Samples> &shared)
{
  constexpr uint32_t n = HISTO_COMPARE_N_SUMS, n_components = PAIR ? 2 : 1;
  const uint32_t warp = threadIdx.x / HISTO_WARP_SIZE, i = threadIdx.x % n;
  Comparison<Samples, PAIR> comparison (launch, plane, part % plane.n_strips);
  Sum sum = 0;

  comparison.compare (part / plane.n_strips * HISTO_COMPARE_WARPS + warp, shared.edges);
#pragma unroll
  for (uint32_t c = 0; c < n_components; c++)
    comparison.add_up (c, shared.sums[warp][c]);
  __syncthreads ();
  if (threadIdx.x >= n * n_components)
    return;
#pragma unroll
  for (uint32_t k = 0; k < HISTO_COMPARE_WARPS; k++)
    sum = histo_compare_join (i, sum, shared.sums[k][threadIdx.x / n][i]);
  ((Sum *) launch.result)[2 * n * blockIdx.x + threadIdx.x] = sum;
}

/* The kernel's body. */
template <typename Samples>
__device__ __forceinline__ void
compare_pictures (const HistoCompareLaunch &launch)
{
  __shared__ CompareShared<Samples> shared;
  uint32_t p = 0;

  while (blockIdx.x >= launch.first_block[p + 1])
    p++;
  if (launch.planes[p].is_pair)
    compare_part<Samples, true> (launch, launch.planes[p], blockIdx.x - launch.first_block[p], shared);
  else
    compare_part<Samples, false> (launch, launch.planes[p], blockIdx.x - launch.first_block[p], shared);
}
