/* Classes of samples for comparing: what a lane has of both pictures in registers, sums of blocks of 4 x 4 samples, and
 * differences. A class has these members:
 *
 * BYTES                 of a sample
 * Square                a type for sums of squares of a window
 * value (launch, p, w)  the samples of a word of picture p
 * add<PAIR> (…)         adds four words of a row to the sums of the lane's blocks
 * Differences<PAIR>     how many samples differ, and the greatest difference
 *
 * PAIR: samples of two components are in turn; else there is one. A word has four bytes, or two 16-bit words.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/compare-launch.h"
#include "kernels/portable.cuh"

/* The words of a lane. */
#define HISTO_COMPARE_LANE_WORDS (HISTO_COMPARE_LANE_BYTES / 4)

/* Sums of a block or of several, of pictures a and b. */
template <typename Square>
struct CompareBlock
{
  uint32_t a, b;
  Square squares, products;     /* squares: of both */

  __device__ __forceinline__ void
  add (const CompareBlock &other)
  {
    a += other.a;
    b += other.b;
    squares += other.squares;
    products += other.products;
  }

  /* The sums of the next lane. */
  __device__ __forceinline__ CompareBlock
  of_next_lane () const
  {
    return { __shfl_down_sync (HISTO_FULL_WARP, a, 1), __shfl_down_sync (HISTO_FULL_WARP, b, 1),
      __shfl_down_sync (HISTO_FULL_WARP, squares, 1), __shfl_down_sync (HISTO_FULL_WARP, products, 1) };
  }
};

/* |a - b| of two pairs of 16-bit words. No borrow goes from one half to the other. */
__device__ __forceinline__ uint32_t
difference_of_halves (uint32_t a, uint32_t b)
{
  return __vmaxu2 (a, b) - __vminu2 (a, b);
}

/* ---- Bytes --------------------------------------------------------------------------- */

struct ComparedBytes
{
  static constexpr uint32_t BYTES = 1;
  typedef uint32_t Square;
  typedef CompareBlock<Square> Block;

  __device__ __forceinline__ static uint32_t
  value (const HistoCompareLaunch &, uint32_t, uint32_t word)
  {
    return word;
  }

  /* The bytes of component c in a word. */
  template <bool PAIR>
  __device__ __forceinline__ static constexpr uint32_t
  mask (uint32_t c)
  {
    return !PAIR ? 0xffffffff : c == 0 ? 0x00ff00ff : 0xff00ff00;
  }

  /* Blocks are in the order of their components, and of their places. */
  template <bool PAIR, uint32_t N_BLOCKS>
  __device__ __forceinline__ static void
  add (const uint32_t a[], const uint32_t b[], Block (&blocks)[N_BLOCKS])
  {
#pragma unroll
    for (uint32_t k = 0; k < HISTO_COMPARE_LANE_WORDS; k++) {
#pragma unroll
      for (uint32_t c = 0; c < (PAIR ? 2 : 1); c++) {
        Block &block = blocks[PAIR ? 2 * c + k / 2 : k];
        const uint32_t of_a = a[k] & mask<PAIR> (c), of_b = b[k] & mask<PAIR> (c), ones = mask<PAIR> (c) & 0x01010101;

        block.a = __dp4a (a[k], ones, block.a);
        block.b = __dp4a (b[k], ones, block.b);
        block.squares = __dp4a (of_a, a[k], __dp4a (of_b, b[k], block.squares));
        block.products = __dp4a (of_a, b[k], block.products);
      }
    }
  }

  template <bool PAIR>
  struct Differences
  {
    uint32_t flags[2];          /* 128 for each sample that differs */
    uint32_t odd, even;         /* the greatest differences, in the upper bytes of both halves */

    __device__ __forceinline__ void
    add (uint32_t a, uint32_t b)
    {
      const uint32_t sizes = __vabsdiffu4 (a, b);
      const uint32_t is_different = (((sizes & 0x7f7f7f7f) + 0x7f7f7f7f) | sizes) & 0x80808080;

#pragma unroll
      for (uint32_t c = 0; c < (PAIR ? 2 : 1); c++)
        flags[c] = __dp4a (is_different, mask<PAIR> (c) & 0x01010101, flags[c]);
      /* A half is at least as great as another one if its upper byte is greater. */
      odd = __vmaxu2 (odd, sizes);
      even = __vmaxu2 (even, sizes << 8);
    }

    __device__ __forceinline__ uint32_t
    different (uint32_t c) const
    {
      return flags[c] / 128;
    }

    __device__ __forceinline__ uint32_t
    greatest (uint32_t c) const
    {
      const uint32_t of_odd = max (odd >> 8 & 0xff, odd >> 24), of_even = max (even >> 8 & 0xff, even >> 24);

      return !PAIR ? max (of_odd, of_even) : c == 0 ? of_even : of_odd;
    }
  };

  __device__ __forceinline__ static float
  ssim (const Block &window, const HistoComparePlane &plane)
  {
    return histo_ssim_of_bytes ((int32_t) window.a, (int32_t) window.b, (int32_t) window.squares,
        (int32_t) window.products, (int32_t) plane.c1, (int32_t) plane.c2);
  }
};

/* ---- Words --------------------------------------------------------------------------- */

/* SQUARE: a type for the sums of the squares of two windows. */
template <typename SQUARE>
struct ComparedWordsOf
{
  static constexpr uint32_t BYTES = 2;
  typedef SQUARE Square;
  typedef CompareBlock<Square> Block;

  __device__ __forceinline__ static uint32_t
  value (const HistoCompareLaunch &launch, uint32_t picture, uint32_t word)
  {
    return __byte_perm (word, 0, launch.selector[picture]) >> launch.shift[picture] & launch.mask[picture];
  }

  template <bool PAIR>
  __device__ __forceinline__ static constexpr uint32_t
  mask (uint32_t c)
  {
    return !PAIR ? 0xffffffff : c == 0 ? 0xffff : 0xffff0000;
  }

  __device__ __forceinline__ static void
  add_sample (uint32_t a, uint32_t b, Block &block)
  {
    block.a += a;
    block.b += b;
    block.squares += (Square) a * a + (Square) b * b;
    block.products += (Square) a * b;
  }

  template <bool PAIR, uint32_t N_BLOCKS>
  __device__ __forceinline__ static void
  add (const uint32_t a[], const uint32_t b[], Block (&blocks)[N_BLOCKS])
  {
#pragma unroll
    for (uint32_t k = 0; k < HISTO_COMPARE_LANE_WORDS; k++) {
      add_sample (a[k] & 0xffff, b[k] & 0xffff, blocks[PAIR ? 0 : k / 2]);
      add_sample (a[k] >> 16, b[k] >> 16, blocks[PAIR ? 1 : k / 2]);
    }
  }

  template <bool PAIR>
  struct Differences
  {
    uint32_t flags[2];          /* 2^15 for each sample that differs */
    uint32_t sizes;             /* the greatest differences, in both halves */

    __device__ __forceinline__ void
    add (uint32_t a, uint32_t b)
    {
      const uint32_t now = difference_of_halves (a, b);
      const uint32_t is_different = (((now & 0x7fff7fff) + 0x7fff7fff) | now) & 0x80008000;

      flags[0] += is_different & 0xffff;
      flags[PAIR ? 1 : 0] += is_different >> 16;
      sizes = __vmaxu2 (sizes, now);
    }

    __device__ __forceinline__ uint32_t
    different (uint32_t c) const
    {
      return flags[c] >> 15;
    }

    __device__ __forceinline__ uint32_t
    greatest (uint32_t c) const
    {
      return !PAIR ? max (sizes & 0xffff, sizes >> 16) : c == 0 ? sizes & 0xffff : sizes >> 16;
    }
  };

  __device__ __forceinline__ static float
  ssim (const Block &window, const HistoComparePlane &plane)
  {
    return histo_ssim_of_words (window.a, window.b, (int64_t) window.squares, (int64_t) window.products, plane.c1,
        plane.c2);
  }
};

typedef ComparedWordsOf<uint32_t> ComparedWords;
typedef ComparedWordsOf<unsigned long long> ComparedDeep;
