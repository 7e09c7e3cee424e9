/* The samples of regions where the kernel `quads` measures nothing else. No sample needs its neighbours
 * then. So there are no strips: a thread loads 16 bytes of a row at once, as in the kernels that count
 * the picture alone (video/units.cuh).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps/quad-counters.cuh"
#include "kernels/maps/regions.cuh"
#include "kernels/video/units.cuh"

struct QuadSamples
{
  /* Bytes of a plane in a rectangle, of two components in turn or of one. */
  struct Rows
  {
    uint64_t data;              /* address of the first byte */
    int64_t stride;
    uint32_t n_bytes;           /* of a row */
    uint32_t n_rows;
    uint32_t even, odd;         /* the lane's first counters of the components of bytes 0 and 1 */
  };

  static constexpr uint32_t BYTES = HISTO_QUADS_VECTOR;
  const RegionBlock &block;
  const QuadCounters &counters;

  /* Whether the block's samples can be counted in this way: samples are all that is measured, and a row
   * begins at the same place of a vector as the row above. */
  __device__ __forceinline__ static bool
  suit (const RegionBlock &block)
  {
    const HistoMapsView *native = block.launch.native;
    const uint64_t strides = native[0].stride | native[1].stride | native[2].stride;

    return strides % BYTES == 0 && !block.has (HISTO_MAPS_SIGNAL | HISTO_MAPS_MOTION);
  }

  /* Lanes that share a copy of Y's counters would wait for each other. Upper lanes count in the place of
   * saturation, which nobody measures now; join_luma() adds it to Y's. */
  __device__ __forceinline__ Rows
  luma (uint32_t first_row, uint32_t n_rows) const
  {
    const HistoMapsView &view = block.launch.native[0];
    const HistoMapsRegion &region = block.region ();
    const uint32_t first = QuadCounters::first (counters.at.samples,
        QuadCounters::is_upper () ? QuadCounters::SATURATION : QuadCounters::SAMPLE_Y);

    return { view.data + (uint64_t) ((int64_t) (region.y + first_row) * view.stride) + region.x,
      view.stride, region.width, n_rows, first, first };
  }

  __device__ __forceinline__ bool
  has_planes_apart () const
  {
    return block.launch.native[1].step == 1;
  }

  /* U and V in turn; or in planes of their own, of which upper lanes count V. */
  __device__ __forceinline__ Rows
  chroma (uint32_t first_row, uint32_t n_rows) const
  {
    const HistoMapsView *views = &block.launch.native[1];
    const HistoMapsRegion &region = block.region ();
    const bool is_apart = has_planes_apart ();
    const bool v_first = is_apart ? QuadCounters::is_upper () : views[1].data < views[0].data;
    const HistoMapsView &view = v_first ? views[1] : views[0];
    const uint32_t left = region.x / 2, end = (region.x + region.width + 1) / 2;
    const uint32_t u = QuadCounters::first (counters.at.samples, QuadCounters::SAMPLE_U);
    const uint32_t v = QuadCounters::first (counters.at.samples, QuadCounters::SAMPLE_V);
    const uint32_t even = v_first ? v : u;

    return { view.data + (uint64_t) ((int64_t) ((region.y + first_row) / 2) * view.stride)
          + left * view.step,
      view.stride, region.width == 0 ? 0 : (end - left) * view.step, n_rows / 2, even,
      is_apart ? even : u + v - even };
  }

  /* Counts the bytes of each row that are not in a whole vector. @before: those before the first one;
   * @n_threads: threads that share the rows, of which this one has the number `index` */
  __device__ __forceinline__ static void
  count_others (const Rows &rows, uint32_t before, uint32_t n_vectors, uint32_t index,
      uint32_t n_threads)
  {
    const uint32_t n_others = rows.n_bytes - BYTES * n_vectors;

    for (uint32_t i = index; i < n_others * rows.n_rows; i += n_threads) {
      const uint32_t row = i / n_others, other = i - row * n_others;
      const uint32_t place = other < before ? other : other + BYTES * n_vectors;
      const uint8_t *byte = (const uint8_t *) (rows.data + (uint64_t) (row * rows.stride)) + place;

      QuadCounters::count (__ldg (byte), 0, place % 2 == 0 ? rows.even : rows.odd);
    }
  }

  /* Clears the counters and counts the rows. All threads of the block call it. */
  __device__ __forceinline__ void
  count (const Rows &rows, uint32_t index, uint32_t n_threads) const
  {
    const uint32_t before = min ((uint32_t) -rows.data % BYTES, rows.n_bytes);
    const uint32_t n_vectors = (rows.n_bytes - before) / BYTES;
    /* Upper lanes count byte 1 before byte 0, and so on. Of two components, lanes with the same copy then
     * use different banks. `before` is even then: planes begin at multiples of 4 (HISTO_MAPS_ALIGNED). */
    const bool swaps = QuadCounters::is_upper ();
    const uint32_t order = swaps ? 0x2301 : 0x3210;
    const uint32_t first = swaps ? rows.odd : rows.even, second = swaps ? rows.even : rows.odd;
    UnitWalk walk (rows.data + before, rows.stride, n_vectors, rows.n_rows, index, n_threads);
    UnitData<UnitWalk::Vector> next = {}, after = {};

    /* Two vectors are on their way while the counters are cleared, and while others are counted. */
    if (walk.n_left > 0)
      next.load (walk);
    if (walk.n_left > 1)
      after.load (walk);
    counters.clear ();
    __syncthreads ();
    count_others (rows, before, n_vectors, index, n_threads);
#pragma unroll 1
    for (; walk.n_left > 0; walk.n_left--) {
      const uint4 vector = next.vectors[0];
      const uint32_t quads[4] = { vector.x, vector.y, vector.z, vector.w };

      next = after;
      if (walk.n_left > 2)
        after.load (walk);
#pragma unroll
      for (uint32_t i = 0; i < BYTES; i++)
        QuadCounters::count (__byte_perm (quads[i / 4], 0, order), i % 4,
            i % 2 == 0 ? first : second);
    }
  }

  /* Counts the block's rows of its region: two thirds of the warps count luma, which has two thirds of the
   * samples, and the others count chroma at the same time. */
  __device__ __forceinline__ void
  measure () const
  {
    const HistoMapsRegion &region = block.region ();
    const uint32_t first_row = block.index * region.band_rows;
    const uint32_t n_rows = min (region.band_rows, region.height - min (first_row, region.height));
    const uint32_t n_luma = blockDim.x / HISTO_WARP_SIZE * 2 / 3 * HISTO_WARP_SIZE;
    const bool is_luma = threadIdx.x < n_luma, halves = !is_luma && has_planes_apart ();
    const uint32_t half = HISTO_WARP_SIZE / 2;
    const uint32_t index = is_luma ? threadIdx.x : threadIdx.x - n_luma;
    const uint32_t n_threads = is_luma ? n_luma : blockDim.x - n_luma;

    count (is_luma ? luma (first_row, n_rows) : chroma (first_row, n_rows),
        halves ? index / HISTO_WARP_SIZE * half + index % half : index,
        halves ? n_threads / 2 : n_threads);
    __syncthreads ();
    counters.join_luma ();
  }
};
