/* The counters of kernels `quads` and `all_quads` in shared memory.
 *
 * Components with 256 values are in tables of 64 KiB. A row of a table has 256 bytes: the copies of
 * four components' counters for one value. So one permutation of bytes makes the offset of a counter
 * from a quad and the `first` of a component. histo_quads_layout() says which tables there are:
 *
 *   samples       U, Y, saturation, V
 *   differences   of Y, of U, of V, gradient
 *   colors        R, G, B, maxrgb; with one row more
 *   hue           this one component; a row has 64 bytes
 *
 * Kernel `samples` has one table of this form. Its plan chooses the places (plan-samples.c).
 *
 * Lanes l and l + 16 have the same copy. While the lower lanes count a sample, the upper lanes count
 * its difference, or the other way around: the places of these two in their rows are even and odd, so
 * they are in other banks. The two lanes share a bank for all other components, and for samples without
 * `motion`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/counters.cuh"
#include "kernels/maps-launch.h"

struct QuadCounters
{
  enum
  {
    COPIES = 1 << HISTO_QUADS_COPIES_LOG2,
    ROW_WORDS = 4 * COPIES,
    SAMPLE_U = 0, SAMPLE_Y, SATURATION, SAMPLE_V,
    DIFFERENCE_Y = 0, DIFFERENCE_U, DIFFERENCE_V, GRADIENT,
    RED = 0, GREEN, BLUE, MAXRGB
  };
  const HistoMapsLaunch &launch;
  HistoQuadsLayout at;

  __device__ __forceinline__
  explicit QuadCounters (const HistoMapsLaunch &frame)
  : launch (frame), at (histo_quads_layout (frame.flags))
  {
  }

  __device__ __forceinline__ void
  clear () const
  {
    clear_counters (at.end / 4);
  }

  /* The offset of the lane's counter of value 0 of a component in a table. */
  __device__ __forceinline__ static uint32_t
  first (uint32_t table, uint32_t place)
  {
    return table + (place * COPIES + threadIdx.x % COPIES) * 4;
  }

  /* Whether the lane is an upper one. */
  __device__ __forceinline__ static bool
  is_upper ()
  {
    return (threadIdx.x & COPIES) != 0;
  }

  /* Counts byte i of a quad. */
  __device__ __forceinline__ static void
  count (uint32_t quad, uint32_t i, uint32_t first_of_component)
  {
    add_shared (__byte_perm (quad, first_of_component, 0x7604 | i << 4), 1);
  }

  /* Counts the lowest 9 bits of a number whose other lower 24 bits are 0. */
  __device__ __forceinline__ static void
  count_number (uint32_t number, uint32_t first_of_component)
  {
    add_shared (number * (ROW_WORDS * 4) + first_of_component, 1);
  }

  __device__ __forceinline__ void
  count_hue (uint32_t value) const
  {
    add_shared ((value << (HISTO_QUADS_COPIES_LOG2 + 2)) + at.hue + threadIdx.x % COPIES * 4, 1);
  }

  /* The table of colors has a row for 256, which means 255. Adds it to the row of 255. All threads of
   * the block call it, when the block has counted and before it sums the copies. */
  __device__ __forceinline__ void
  join_colors () const
  {
    HISTO_DYNAMIC_SHARED (uint32_t, shared);
    const uint32_t last = at.colors / 4 + 255 * ROW_WORDS + threadIdx.x;

    if (at.colors != at.hue && threadIdx.x < ROW_WORDS)
      shared[last] += shared[last + ROW_WORDS];
  }

  /* For fold_copies(): where a bin's copies begin, in words. The differences of Y, U and V follow one
   * another, and so do R, G and B. */
  __device__ __forceinline__ uint32_t
  operator() (uint32_t bin) const
  {
    const uint32_t flags = launch.flags;

    if (bin - launch.sample_bins[0] < 256)
      return place (at.samples, SAMPLE_Y, bin - launch.sample_bins[0]);
    if (bin - launch.sample_bins[1] < 256)
      return place (at.samples, SAMPLE_U, bin - launch.sample_bins[1]);
    if (bin - launch.sample_bins[2] < 256)
      return place (at.samples, SAMPLE_V, bin - launch.sample_bins[2]);
    if ((flags & HISTO_MAPS_MOTION) != 0 && bin - launch.difference_bins[0] < 256 * 3)
      return place_of_three (at.differences, bin - launch.difference_bins[0]);
    if ((flags & HISTO_MAPS_COLOR) != 0 && bin - launch.color_bins[0] < 256 * 3)
      return place_of_three (at.colors, bin - launch.color_bins[0]);
    if ((flags & HISTO_MAPS_HDR) != 0 && bin - launch.maxrgb_bin < 256)
      return place (at.colors, MAXRGB, bin - launch.maxrgb_bin);
    if ((flags & HISTO_MAPS_DETAIL) != 0 && bin - launch.gradient_bin < 256)
      return place (at.differences, GRADIENT, bin - launch.gradient_bin);
    if (bin - launch.saturation_bin < 256)
      return place (at.samples, SATURATION, bin - launch.saturation_bin);
    return at.hue / 4 + (bin - launch.hue_bin) * COPIES;
  }

private:
  __device__ __forceinline__ static uint32_t
  place (uint32_t table, uint32_t of_component, uint32_t value)
  {
    return table / 4 + value * ROW_WORDS + of_component * COPIES;
  }

  /* @i: a value of the first three components of a table, which follow one another */
  __device__ __forceinline__ static uint32_t
  place_of_three (uint32_t table, uint32_t i)
  {
    return place (table, i / 256, i % 256);
  }
};
