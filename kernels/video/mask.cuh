/* Masks: writes a packed copy of a frame in which the samples that take no part are 0.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/video/samples.cuh"

/* ---- Vectors ---------------------------------------------------------------------------- */

/* The bytes of a row from @from on: at most four, and 0 behind the @n bytes that the row has left. */
__device__ __forceinline__ uint32_t
load_word (const uint8_t *from, int64_t n)
{
  uint32_t word = 0;

  /* It is rare; unrolled, it would take registers from the loop around it. */
#pragma unroll 1
  for (int32_t i = 0; i < 4 && i < n; i++)
    word |= (uint32_t) __ldg (from + i) << 8 * i;
  return word;
}

/* The same of sixteen. */
__device__ __forceinline__ uint4
load_vector (const uint8_t *from, int64_t n, bool is_aligned)
{
  if (is_aligned && n >= 16)
    return __ldg ((const uint4 *) from);
  return make_uint4 (load_word (from, n), load_word (from + 4, n - 4), load_word (from + 8, n - 8),
      load_word (from + 12, n - 12));
}

/* All bits of byte i are bit i of the four. */
__device__ __forceinline__ uint32_t
bytes_of_bits (uint32_t four)
{
  /* Bit i is moved to bit 8 * i; the factor has no two bits that meet. */
  return ((four & 0xf) * 0x00204081u & 0x01010101u) * 0xffu;
}

/* How the mask of a vector of the copy, of which the place is the number, lies in memory: what a thread loads, and the bytes that follow from it. */
struct MaskOfBits
{
  typedef uint16_t Loaded;
  /* A thread loads so many vectors before it stores the first one. */
  static constexpr uint32_t AT_ONCE = HISTO_MASK_VECTORS;

  static __device__ __forceinline__ Loaded
  load (uint64_t mask, uint32_t place)
  {
    return __ldg ((const uint16_t *) mask + place);
  }

  static __device__ __forceinline__ uint4
  bytes (Loaded bits)
  {
    return make_uint4 (bytes_of_bits (bits), bytes_of_bits (bits >> 4), bytes_of_bits (bits >> 8),
        bytes_of_bits (bits >> 12));
  }
};

struct MaskOfBytes
{
  typedef uint4 Loaded;
  static constexpr uint32_t AT_ONCE = HISTO_MASK_VECTORS / 2;   /* the masks take registers, too */

  static __device__ __forceinline__ Loaded
  load (uint64_t mask, uint32_t place)
  {
    return __ldg ((const uint4 *) mask + place);
  }

  static __device__ __forceinline__ uint4
  bytes (Loaded loaded)
  {
    return loaded;
  }
};

/* Copies the block's share of a plane under a mask that lies in memory. */
template <typename Mask>
__device__ __forceinline__ void
mask_vectors (const HistoMaskLaunch &launch, const HistoMaskPlane &plane, const PlaneBlock &block)
{
  const bool is_aligned = ((plane.data | (uint64_t) plane.stride) & 15) == 0;
  Walk walk (block, plane.columns);

  while (walk.row < plane.rows) {
    uint4 samples[Mask::AT_ONCE];
    typename Mask::Loaded masks[Mask::AT_ONCE];
    uint32_t places[Mask::AT_ONCE], n = 0;

#pragma unroll
    for (uint32_t i = 0; i < Mask::AT_ONCE; i++) {
      if (walk.row < plane.rows) {
        const int64_t column = (int64_t) walk.column * 16;

        places[i] = plane.first_vector + walk.row * plane.row_vectors + walk.column;
        samples[i] = load_vector ((const uint8_t *) (plane.data + walk.row * plane.stride + column),
            (int64_t) plane.row_bytes - column, is_aligned);
        masks[i] = Mask::load (launch.mask, places[i]);
        n = i + 1;
        walk.advance ();
      }
    }
#pragma unroll
    for (uint32_t i = 0; i < Mask::AT_ONCE; i++) {
      if (i < n) {
        const uint4 bytes = Mask::bytes (masks[i]);

        ((uint4 *) launch.copy)[places[i]] = make_uint4 (samples[i].x & bytes.x, samples[i].y & bytes.y,
            samples[i].z & bytes.z, samples[i].w & bytes.w);
      }
    }
  }
}

/* ---- Alpha ------------------------------------------------------------------------------ */

/* Copies the block's share of a plane, period by period. Each period is a pixel. */
__device__ __forceinline__ void
mask_pixels (const HistoMaskLaunch &launch, const HistoMaskPlane &plane, const PlaneBlock &block)
{
  Walk walk (block, plane.columns);

  for (; walk.row < plane.rows; walk.advance ()) {
    const uint64_t column = (uint64_t) walk.column * plane.period_bytes;
    const uint8_t *from = (const uint8_t *) (plane.data + walk.row * plane.stride + column);
    uint8_t *to = (uint8_t *) ((uint4 *) launch.copy + plane.first_vector + walk.row * plane.row_vectors) + column;
    const bool takes_part = load_sample ((const uint8_t *) (launch.alpha_data + walk.row * launch.alpha_stride
            + (uint64_t) walk.column * launch.alpha_period_bytes), launch.alpha, launch.alpha_is_big_endian) != 0;

    for (uint32_t i = 0; i < plane.period_bytes; i++)
      to[i] = takes_part ? __ldg (from + i) : 0;
  }
}

/* ---- The kernel's body -------------------------------------------------------------------- */

__device__ __forceinline__ void
mask_frame (const HistoMaskLaunch &launch)
{
  uint32_t p = 0;

  while (blockIdx.x >= launch.first_block[p + 1])
    p++;

  const HistoMaskPlane &plane = launch.planes[p];
  const PlaneBlock block = { blockIdx.x - launch.first_block[p], launch.first_block[p + 1] - launch.first_block[p] };

  if (launch.kind == HISTO_MASK_OF_BITS)
    mask_vectors<MaskOfBits> (launch, plane, block);
  else if (launch.kind == HISTO_MASK_OF_BYTES)
    mask_vectors<MaskOfBytes> (launch, plane, block);
  else
    mask_pixels (launch, plane, block);
}
